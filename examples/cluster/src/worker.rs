//! A worker: its blocks, and Newton's iteration together with all others.

use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use nalgebra::{DMatrix, DVector};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::operators::{Exchange, Input, Inspect, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;
use wengert::sums::PartialSum;

use crate::problem::Problem;

/// Newton's iteration has converged where it promises less than this for each row.
const TOLERANCE: f64 = 1e-14;
const ITERATIONS: usize = 50;

/// To whom, the round, and a block.
type Message = (u64, usize, PartialSum);

/// Whether the network still works: timely's queues panic where the other side is gone.
fn alive(run: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(run)).is_ok()
}

/// Minimises the sum over all blocks. Every worker gets the blocks of all, adds them in their order, and takes the same
/// step; the first one prints. An error names the workers whose blocks have not come for so long.
pub fn newton(
    worker: &mut Worker,
    problem: &Problem,
    patience: Duration,
    name: impl Fn(usize) -> String,
) -> Result<(), String> {
    let (me, peers, n) = (worker.index(), worker.peers(), problem.weights());
    let text = |error: wengert::AdError| error.to_string();
    let own = (me..problem.blocks).step_by(peers);
    let mut blocks = own.map(|k| Ok((k, problem.block(k)?))).collect::<Result<Vec<_>, _>>().map_err(text)?;

    let mut input = InputHandle::<usize, CapacityContainerBuilder<Vec<Message>>>::new();
    let probe = ProbeHandle::new();
    let arrived = Rc::new(RefCell::new(HashMap::<usize, Vec<PartialSum>>::new()));
    let rounds = arrived.clone();
    worker.dataflow(|scope| {
        scope
            .input_from(&mut input)
            .exchange(|(to, _, _): &Message| *to)
            // The next round may begin elsewhere before this one has ended here.
            .inspect(move |(_, round, part): &Message| {
                rounds.borrow_mut().entry(*round).or_default().push(part.clone());
            })
            .probe_with(&probe);
    });

    let (begin, mut w) = (Instant::now(), DVector::<f64>::zeros(n));
    for round in 0..ITERATIONS {
        let parts = blocks.iter_mut().map(|(block, sum)| problem.partial(*block, sum, w.as_slice()));
        let parts = parts.collect::<Result<Vec<_>, _>>().map_err(text)?;
        let mut reached = alive(|| {
            for part in &parts {
                (0..peers).for_each(|to| input.send((to as u64, round, part.clone())));
            }
            input.advance_to(round + 1);
            input.flush();
        });
        let count = || arrived.borrow().get(&round).map_or(0, Vec::len);
        let (mut seen, mut last) = (0, Instant::now());
        while probe.less_than(&(round + 1)) {
            reached = reached && alive(|| _ = worker.step_or_park(Some(Duration::from_millis(1))));
            if count() > seen {
                (seen, last) = (count(), Instant::now());
            }
            if !reached || last.elapsed() > patience {
                let arrived = arrived.borrow();
                let here: Vec<usize> =
                    arrived.get(&round).into_iter().flatten().map(|part| part.block % peers).collect();
                let silent = (0..peers.min(problem.blocks)).filter(|k| *k != me && !here.contains(k));
                let names: Vec<String> = silent.map(&name).collect();
                let names = names.join(", ");
                return Err(match reached {
                    false if peers == 2 => format!("{} is gone", name(1 - me)),
                    _ if names.is_empty() => {
                        "a process is gone, or silent, after it has sent its blocks".to_string()
                    }
                    true => format!("no word for {} s from {names}", patience.as_secs()),
                    false => format!("a process is gone; blocks have not come from: {names}"),
                });
            }
        }
        let parts = arrived.borrow_mut().remove(&round).unwrap_or_default();
        let total = PartialSum::total(parts).map_err(text)?;

        let per_row = 1.0 / problem.rows as f64;
        let (value, gradient) = (total[0], DVector::from_column_slice(&total[1..=n]));
        let mut entries = total[1 + n..].iter();
        let mut hessian = DMatrix::zeros(n, n);
        for j in 0..n {
            hessian.view_range_mut(j.., j).iter_mut().zip(&mut entries).for_each(|(to, x)| *to = *x);
        }
        let Some(factor) = hessian.cholesky() else {
            return Err("the Hessian is not positive definite".to_string());
        };
        if me == 0 {
            println!("{round:>9} {:>20.15} {:>14.1e}", value * per_row, gradient.norm() * per_row);
        }
        let step = factor.solve(&gradient);
        if gradient.dot(&step) * per_row < TOLERANCE {
            if me == 0 {
                let seconds = begin.elapsed().as_secs_f64();
                println!("weights {:?}", w.as_slice());
                let rate = problem.rows as f64 * (round + 1) as f64 / seconds;
                eprintln!("{seconds:.2} s, {rate:.1e} rows in a second");
            }
            return Ok(());
        }
        w -= step;
    }
    Err("Newton's iteration does not converge".to_string())
}
