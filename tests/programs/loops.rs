//! Loops found again: results are those of the program, bit for bit, and size does not grow with iterations.

use quickcheck::{Arbitrary, Gen};
use wengert::programs::{Loops, Machine, Program, Traced, Workspace, trace};
use wengert::{AdError, Real};

use crate::support::random;

const ALL: [Loops; 3] = [Loops::Unrolled, Loops::Found, Loops::InLanes];

/// The results of a machine.
fn results(machine: &Machine, x: &[f64], outputs: usize) -> Result<Vec<f64>, AdError> {
    let mut y = vec![0.0; outputs];
    machine.run_into(&mut Workspace::default(), x, &mut y).map(|()| y)
}

/// Equal bits, or NaN and NaN.
fn same(got: &[f64], want: &[f64]) -> bool {
    got.len() == want.len()
        && got.iter().zip(want).all(|(g, w)| g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan())
}

/// All machines of a program give the wanted results at a point.
#[track_caller]
fn agrees(program: &Program, x: &[f64], want: &[f64]) {
    for loops in ALL {
        let machine = program.machine(loops);
        let got = results(&machine, x, want.len()).unwrap();
        assert!(same(&got, want), "{loops:?}, {machine:?} at {x:?}: {got:?} instead of {want:?}");
    }
    machine_code_agrees(program, x, want);
}

/// Machine code gives them too, at a point and at two.
#[cfg(feature = "jit")]
#[track_caller]
fn machine_code_agrees(program: &Program, x: &[f64], want: &[f64]) {
    let compiled = program.compile().unwrap();
    assert!(compiled.is_machine_code());
    let got = compiled.run(x).unwrap();
    assert!(same(&got, want), "machine code at {x:?}: {got:?} instead of {want:?}");
    let mut both = vec![[0.0; 2]; want.len()];
    compiled.run_pairs(&x.iter().map(|&x| [x; 2]).collect::<Vec<_>>(), &mut both).unwrap();
    for lane in 0..2 {
        assert!(same(&both.iter().map(|y| y[lane]).collect::<Vec<_>>(), want), "{both:?}, want {want:?}");
    }
}

#[cfg(not(feature = "jit"))]
fn machine_code_agrees(_: &Program, _: &[f64], _: &[f64]) {}

/// Equal to rounding: the tape adds up in another order.
#[track_caller]
fn close(got: &[f64], want: &[f64]) {
    let size = want.iter().fold(0.0, |size: f64, w| size.max(w.abs()));
    assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 1e-14 * size), "{got:?} instead of {want:?}");
}

/// `Σ (sin(p₀·t) + p₁)·(p₀·t)` and its last term.
fn sum<T: Real<Base = f64>>(p: &[T], data: &[f64]) -> Vec<T> {
    let (mut s, mut term) = (T::from(1.0), T::from(0.0));
    for &t in data {
        term = ((p[0] * t).sin() + p[1]) * (p[0] * t);
        s += term;
    }
    vec![s, term]
}

#[test]
fn a_sum_is_one_loop_in_lanes_of_one_size() {
    let data = |n: usize| (0..n).map(|i| (i as f64 * 0.37).cos()).collect::<Vec<_>>();
    let of = |n: usize| trace(|p: &[Traced]| sum(p, &data(n)), &[0.5, 0.25]);
    for n in [1, 3, 15, 16, 17, 24, 25, 26, 1000] {
        let p = [1.25, -0.75];
        agrees(&of(n), &p, &sum(&p, &data(n)));
    }
    let [small, large] = [100, 3000].map(|n| of(n).machine(Loops::InLanes));
    assert_eq!((large.loops().count(), large.loops_in_lanes()), (1, 1));
    assert_eq!(small.instructions(), large.instructions());
    assert!(large.instructions() <= 12, "{large:?}");
    // Nothing but the data itself grows.
    assert_eq!((large.slots() - small.slots(), large.table_entries()), (2900, 0));
    let unrolled = of(3000).machine(Loops::Unrolled);
    assert_eq!((unrolled.loops().count(), unrolled.instructions()), (0, of(3000).operations()));
    // (Constants have slots of their own; what stands together in an order of 512 instructions has too.)
    assert!(unrolled.slots() < 3002 + 512, "slots are used again: {unrolled:?}");
}

/// Terms that share variables with their neighbours: what one iteration leaves to the next is in the lane before.
#[test]
fn neighbours_are_in_lanes() {
    fn valley<T: Real<Base = f64>>(x: &[T]) -> T {
        let term = |w: &[T]| ((w[1] - w[0] * w[0]) * (w[1] - w[0] * w[0])) * 100.0 + (w[0] - 1.0).sin();
        x.windows(2).fold(T::from(0.0), |s, w| s + term(w))
    }
    for n in [10, 17, 18, 19, 24, 25, 26, 33, 100] {
        let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let gradient = trace(|x: &[Traced]| valley(x), &x).gradient().unwrap();
        agrees(&gradient, &x, &gradient.run(&x).unwrap());
        close(&gradient.run(&x).unwrap(), &wengert::gradient(valley, &x));
        let machine = gradient.machine(Loops::InLanes);
        assert!(n < 20 || machine.loops_in_lanes() == machine.loops().count(), "{machine:?}");
    }
}

/// Steps of Heun for a pendulum, and its largest angle: the state passes from step to step.
fn pendulum<T: Real<Base = f64>>(x: &[T], steps: usize) -> Vec<T> {
    let (mut q, mut v, mut largest) = (x[0], x[1], x[0]);
    for _ in 0..steps {
        let (a, b) = (v, -(q.sin() * x[2]));
        let (c, d) = (v + b * 0.01, -((q + a * 0.01).sin() * x[2]));
        (q, v) = (q + (a + c) * 0.005, v + (b + d) * 0.005);
        largest = largest.max(q);
    }
    vec![q, v, largest]
}

#[test]
fn steps_of_a_solver_are_one_loop() {
    let of = |n: usize| trace(|x: &[Traced]| pendulum(x, n), &[0.1, 0.2, 9.81]);
    for n in [1, 2, 3, 4, 5, 500] {
        let x = [0.5, -0.25, 2.0];
        agrees(&of(n), &x, &pendulum(&x, n));
    }
    let [small, large] = [50, 2000].map(|n| of(n).machine(Loops::InLanes));
    assert_eq!((large.loops_in_lanes(), small.instructions()), (0, large.instructions()), "{large:?}");
    assert_eq!((small.slots(), small.loops().count()), (large.slots(), 1), "{large:?}");
}

#[test]
fn all_states_may_be_results() {
    let states = |x: &[Traced]| {
        let mut y = vec![x[0]];
        (0..100).for_each(|i| y.push((y[i] * x[1]).sin() + y[i]));
        y
    };
    let (program, x) = (trace(states, &[1.0, 2.0]), [0.25_f64, 0.5]);
    let mut want = vec![x[0]];
    (0..100).for_each(|i| want.push((want[i] * x[1]).sin() + want[i]));
    agrees(&program, &x, &want);
    assert_eq!(program.machine(Loops::Found).loops().count(), 1);
}

#[test]
fn nested_sums() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        let mut total = x[0];
        for i in 0..60 {
            let mut inner = x[1] * f64::from(i + 2);
            for j in 0..9 {
                inner += (x[2] * (f64::from(i * 9 + j) * 0.01 + 3.0)).exp();
            }
            total += inner.ln() * inner;
        }
        total
    }
    let program = trace(|x: &[Traced]| f(x), &[0.5, 2.0, 0.1]);
    agrees(&program, &[0.25, 3.0, -0.5], &[f(&[0.25, 3.0, -0.5])]);
    let machine = program.machine(Loops::InLanes);
    assert_eq!((machine.loops().count(), machine.loops().next().unwrap().1), (1, 60), "{machine:?}");
    assert_eq!(machine.loops_in_lanes(), 1);
}

/// A running maximum by comparison, so which number is the largest varies with the iteration.
fn guarded<T: Real<Base = f64>>(p: &[T], data: &[[f64; 3]]) -> T {
    let mut total = T::from(0.0);
    for x in data {
        let terms = [p[0] * x[0] + p[1], p[1] * x[1] - p[0], p[2] * x[2] * p[0]];
        let largest = terms[1..].iter().fold(terms[0], |m, &t| if t > m { t } else { m });
        let sum = terms.iter().fold(T::from(0.0), |s, &t| s + (t - largest).exp());
        total += sum.ln() + largest;
    }
    total
}

/// Data of which each of three numbers is sometimes the largest.
fn irregular(n: i32) -> Vec<[f64; 3]> {
    (0..n).map(|i| [0, 1, 2].map(|k| (f64::from(i) * 0.7 + f64::from(k) * 2.1).sin() + 0.001)).collect()
}

/// The derivative of a term has a sum more where the largest number is; terms are iterations of one loop all the same.
#[test]
fn terms_with_branches_are_one_loop() {
    let p = [1.0, 1.1, 0.9];
    let of = |n: i32| trace(|p: &[Traced]| guarded(p, &irregular(n)), &p).gradient().unwrap();
    for n in [3, 17, 18, 25, 40, 200] {
        let gradient = of(n);
        for p in [p, [1.00001, 1.10001, 0.90001]] {
            agrees(&gradient, &p, &gradient.run(&p).unwrap());
            close(&gradient.run(&p).unwrap(), &wengert::gradient(|p| guarded(p, &irregular(n)), &p));
        }
    }
    let [small, large] = [200, 1000].map(|n| of(n).machine(Loops::InLanes));
    assert_eq!((large.loops().count(), large.loops_in_lanes()), (1, 1), "{large:?}");
    assert!(large.loops().next().unwrap().1 > 990, "{large:?}");
    assert_eq!(small.instructions(), large.instructions());
    // The derivative of a term stands beside it: no value waits for the others.
    assert!(large.slots() < 3 * 1000 + 200, "{large:?}");
}

#[test]
fn guards_in_loops_have_an_answer_for_each_iteration() {
    let data = irregular(200);
    let p = [1.0, 1.1, 0.9];
    let program = trace(|p: &[Traced]| guarded(p, &data), &p);
    agrees(&program, &p, &[guarded(&p, &data)]);
    let machine = program.machine(Loops::InLanes);
    assert_eq!((machine.loops().count(), machine.loops_in_lanes()), (1, 1), "{machine:?}");
    // Wherever the order of terms changes, and nowhere else, all machines say so, as the program does.
    let (mut refused, mut passed) = (0, 0);
    for k in -30..30 {
        let q = [1.0 + 0.0005 * f64::from(k), 1.1, 0.9];
        let want = program.run(&q);
        for loops in ALL {
            let got = results(&program.machine(loops), &q, 1);
            match (&got, &want) {
                (Ok(got), Ok(want)) => assert!(same(got, want)),
                // The first guard in the order of the program, with its line.
                (Err(AdError::BranchChanged { .. }), Err(_)) => assert_eq!(got, want),
                other => panic!("{other:?}"),
            }
        }
        #[cfg(feature = "jit")]
        assert_eq!(program.compile().unwrap().run(&q), want);
        *if want.is_ok() { &mut passed } else { &mut refused } += 1;
    }
    assert!(refused > 5 && passed > 5, "{refused} {passed}");
}

/// What an iteration before the last one has computed is not there when several run at once.
#[test]
fn sums_of_what_was_computed_iterations_before() {
    fn delayed<T: Real<Base = f64>>(x: &[T], by: usize) -> Vec<T> {
        let (mut sum, mut terms) = (x[1], vec![x[0]; by]);
        for i in by..100 {
            terms.push((x[0] * (i as f64 * 0.3)).sin() + x[1]);
            sum += terms[i - by];
        }
        vec![sum]
    }
    for by in [1, 2, 3, 5, 8, 9, 17] {
        let program = trace(|x: &[Traced]| delayed(x, by), &[0.5, 0.25]);
        agrees(&program, &[0.75, -0.5], &delayed(&[0.75, -0.5], by));
    }
}

#[test]
fn nan_runs_through_loops() {
    let data: Vec<f64> = (0..100).map(f64::from).collect();
    let program = trace(|p: &[Traced]| sum(p, &data), &[0.5, 0.25]);
    agrees(&program, &[f64::NAN, 1.0], &[f64::NAN; 2]);
    agrees(&program, &[f64::INFINITY, 1.0], &sum(&[f64::INFINITY, 1.0], &data));
}

/// One operation of a planted loop: what it is, and which numbers it reads.
#[derive(Clone, Debug)]
struct Line {
    kind: u8,
    reads: [(u8, u8); 2],
}

/// A loop over some state, with irregular iterations, between straight code.
#[derive(Clone, Debug)]
struct Planted {
    before: Vec<Line>,
    body: Vec<Line>,
    after: Vec<Line>,
    iterations: usize,
    /// The iteration at which something else happens too.
    odd: usize,
    /// How many constants differ.
    constants: usize,
    results: Vec<u8>,
}

impl Arbitrary for Line {
    fn arbitrary(g: &mut Gen) -> Self {
        Line { kind: u8::arbitrary(g), reads: [(); 2].map(|()| (u8::arbitrary(g), u8::arbitrary(g))) }
    }
}

impl Arbitrary for Planted {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut some = |n: usize| (0..1 + usize::arbitrary(g) % n).map(|_| Line::arbitrary(g)).collect();
        let (before, body, after) = (some(6), some(12), some(6));
        let mut up_to = |n: usize| 1 + usize::arbitrary(g) % n;
        let (iterations, odd, constants) = (up_to(60), up_to(80), up_to(40));
        Planted {
            before,
            body,
            after,
            iterations,
            odd,
            constants,
            results: (0..3).map(|_| u8::arbitrary(g)).collect(),
        }
    }
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let (a, b, c) = (self.clone(), self.clone(), self.clone());
        let bodies = (0..self.body.len()).map(move |i| {
            let mut less = a.clone();
            less.body.remove(i);
            less
        });
        let fewer =
            (1..self.iterations).rev().take(3).map(move |iterations| Planted { iterations, ..b.clone() });
        let alone = (!c.before.is_empty()).then(|| Planted { before: vec![], after: vec![], ..c.clone() });
        Box::new(bodies.chain(fewer).chain(alone))
    }
}

/// Appends what the lines compute. Reads are of the state, of the numbers of this iteration, of constants of the
/// iteration, of inputs, or of any number before.
fn lines<T: Real<Base = f64>>(
    lines: &[Line],
    x: &[T],
    all: &mut Vec<T>,
    from: usize,
    i: usize,
    constants: usize,
) {
    let start = all.len();
    for line in lines {
        let read = |(how, which): (u8, u8)| {
            let (which, now) = (which as usize, all.len());
            match how % 6 {
                0 => x[(which + i) % x.len()],
                1 if now > start => all[start + which % (now - start)],
                2 => T::from(((i * 7 + which) % constants) as f64 * 0.25 + 0.5),
                3 => all[from + which % (start - from).max(1)],
                4 => all[now - 1],
                _ => all[which % now],
            }
        };
        let (a, b) = (read(line.reads[0]), read(line.reads[1]));
        let value = match line.kind % 9 {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            3 => a.sin(),
            4 => a.max(b),
            5 => -a,
            6 => {
                if a < b {
                    b - a
                } else {
                    a
                }
            }
            7 => (a * a + 1.0).ln() + b,
            _ => a + b,
        };
        all.push(value);
    }
}

fn planted<T: Real<Base = f64>>(p: &Planted, x: &[T]) -> Vec<T> {
    let mut all = x.to_vec();
    lines(&p.before, x, &mut all, 0, 0, p.constants);
    for i in 0..p.iterations {
        let from = all.len().saturating_sub(p.body.len());
        if i == p.odd {
            all.push(all[all.len() - 1].cos());
        }
        lines(&p.body, x, &mut all, from, i, p.constants);
    }
    let from = all.len().saturating_sub(p.body.len());
    lines(&p.after, x, &mut all, from, 1, p.constants);
    let mut results: Vec<T> = p.results.iter().map(|&k| all[k as usize * 3 % all.len()]).collect();
    results.push(all[all.len() - 1]);
    results
}

#[test]
fn random_programs_with_planted_loops() {
    fn holds(p: Planted) -> bool {
        let x = [0.75, -0.5, 1.25];
        let program = trace(|x: &[Traced]| planted(&p, x), &x);
        let machines = ALL.map(|loops| program.machine(loops));
        let equal = |machine: &Machine, x: &[f64]| {
            let (got, want) = (results(machine, x, 4), program.run(x));
            match (got, want) {
                (Ok(got), Ok(want)) => same(&got, &want) && same(&got, &planted(&p, x)),
                (Err(got), Err(want)) => got == want,
                _ => false,
            }
        };
        let points = [x, [0.7, -0.4, 1.5], [-2.0, 0.0, f64::NAN]];
        machines.iter().all(|m| points.iter().all(|x| equal(m, x))) && compiled_agrees(&p, &program, &points)
    }
    random::check(1500, holds as fn(Planted) -> bool);
}

/// Machine code of some of them gives their results, or their errors.
#[cfg(feature = "jit")]
fn compiled_agrees(p: &Planted, program: &Program, points: &[[f64; 3]]) -> bool {
    if !p.constants.is_multiple_of(8) {
        return true; // (To compile takes its time.)
    }
    let compiled = program.compile().unwrap();
    points.iter().all(|x| match (compiled.run(x), program.run(x)) {
        (Ok(got), Ok(want)) => same(&got, &want),
        (got, want) => got == want,
    })
}

#[cfg(not(feature = "jit"))]
fn compiled_agrees(_: &Planted, _: &Program, _: &[[f64; 3]]) -> bool {
    true
}

/// The planted programs have loops: of both kinds, with tables, with values that are read later.
#[test]
fn planted_loops_are_found() {
    let mut generator = Gen::from_size_and_seed(20, 1964);
    let (mut found, mut lanes, mut tables) = (0, 0, 0);
    for _ in 0..400 {
        let p = Planted { iterations: 40, odd: 99, ..Planted::arbitrary(&mut generator) };
        let machine = trace(|x: &[Traced]| planted(&p, x), &[0.75, -0.5, 1.25]).machine(Loops::InLanes);
        found += usize::from(machine.loops().count() > 0);
        lanes += usize::from(machine.loops_in_lanes() > 0);
        tables += usize::from(machine.table_entries() > 0);
    }
    assert!(found > 200 && lanes > 5 && tables > 40, "{found} {lanes} {tables}");
}

/// One term took the other branch. Where all take the same, the program is another one, in lanes too.
#[test]
fn one_answer_of_many_in_lanes() {
    for odd in 30..46 {
        let term = |p: Traced, i: i32| {
            let t = p + if i == odd { -1.0 } else { f64::from(i) + 1.0 };
            (if t > 0.0 { t * 2.0 } else { t * 3.0 }).sin() * t
        };
        let program = trace(|p: &[Traced]| (0..100).fold(p[0], |s, i| s + term(p[0], i)), &[0.5]);
        let machine = program.machine(Loops::InLanes);
        assert_eq!(machine.loops_in_lanes(), 1, "{machine:?}");
        assert_eq!(results(&machine, &[0.25], 1), program.run(&[0.25]));
        assert_eq!(results(&machine, &[9.0], 1), program.run(&[9.0]));
        assert!(program.run(&[9.0]).is_err());
    }
}
