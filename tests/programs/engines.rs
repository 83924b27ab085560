//! Every way to run a program, for random functions and their derivatives: the results by its definition, bit for
//! bit, or its error.

use quickcheck::TestResult;
use wengert::programs::{Passes, Program, Traced, Workspace, trace, trace_unoptimized};
use wengert::{AdError, Dual};

use super::passes::alike;
use super::plain::planted;
use crate::support::definition::is_defined;
use crate::support::random::check;
use crate::support::steps::{Step, function, loops, may_be_primitive, plain_function};

/// Steps, points of planted values, and a choice of further tests.
type Case = (Vec<Step>, Vec<(u8, u8, u8)>, u8);

type Results = Result<Vec<f64>, AdError>;

/// The results of a batch, row by row.
fn rows(program: &Program, points: &[Vec<f64>]) -> Vec<Results> {
    let m = program.outputs();
    let mut y = vec![0.5; m * points.len()];
    let done = program.ready().run_batch(&mut Workspace::default(), &points.concat(), &mut y);
    let mut all: Vec<Results> = y.chunks(m).map(|y| Ok(y.to_vec())).collect();
    match done {
        Ok(()) => {}
        Err(AdError::Points { failed }) => failed.into_iter().for_each(|(i, e)| all[i] = Err(e)),
        Err(e) => panic!("{e}"),
    }
    all
}

/// The results of machine code, of a point alone and together with the next one.
#[cfg(feature = "jit")]
fn machine_code(program: &Program, points: &[Vec<f64>], wanted: &[Results]) -> Result<(), String> {
    let compiled = program.compile().unwrap();
    for (i, x) in points.iter().enumerate() {
        let got = compiled.run(x);
        hold("machine code", program, x, &got, &wanted[i])?;
        let next = (i + 1) % points.len();
        let both: Vec<[f64; 2]> = x.iter().zip(&points[next]).map(|(&x, &y)| [x, y]).collect();
        let mut out = vec![[7.0; 2]; program.outputs()];
        let done = compiled.run_pairs(&both, &mut out);
        if wanted[i].is_err() || wanted[next].is_err() {
            if done.is_ok() {
                return Err(format!("a pair at {x:?} and {:?}: no error\n{program}", points[next]));
            }
            continue;
        }
        for (lane, at) in [i, next].into_iter().enumerate() {
            let got = done.clone().map(|()| out.iter().map(|y| y[lane]).collect());
            hold("a pair in machine code", program, &points[at], &got, &wanted[at])?;
        }
    }
    Ok(())
}

#[cfg(not(feature = "jit"))]
fn machine_code(_: &Program, _: &[Vec<f64>], _: &[Results]) -> Result<(), String> {
    Ok(())
}

#[cfg(feature = "serde")]
fn saved(program: &Program) -> Option<Program> {
    use wengert::programs::{KnownRules, Saved};
    if !program.calls().is_empty() {
        return None;
    }
    let text = serde_json::to_string(&program.save().unwrap()).unwrap();
    let saved: Saved = serde_json::from_str(&text).unwrap();
    Some(saved.program(&KnownRules::new()).unwrap())
}

#[cfg(not(feature = "serde"))]
fn saved(_: &Program) -> Option<Program> {
    None
}

fn hold(what: &str, program: &Program, x: &[f64], got: &Results, want: &Results) -> Result<(), String> {
    let message = || format!("{what} at {x:?}: {got:?}, want {want:?}\n{program}");
    if alike(got, want) { Ok(()) } else { Err(message()) }
}

/// All ways to run one program.
fn all_ways(program: &Program, points: &[Vec<f64>], k: u8) -> Result<(), String> {
    let wanted: Vec<Results> = points.iter().map(|x| program.run(x)).collect();
    let mut memory = Workspace::default();
    for (x, want) in points.iter().zip(&wanted) {
        if !is_defined(program, x, want) {
            return Err(format!("run at {x:?}: {want:?}, not what the operations mean\n{program}"));
        }
        let mut y = vec![0.5; program.outputs()];
        let got = program.ready().run_into(&mut memory, x, &mut y).map(|()| y);
        hold("an executable", program, x, &got, want)?;
    }
    for ((x, want), got) in points.iter().zip(&wanted).zip(rows(program, points)) {
        hold("a batch", program, x, &got, want)?;
    }
    let others = [Some(program.optimized(Passes::EXACT)), saved(program)];
    for other in others.into_iter().flatten() {
        for (x, want) in points.iter().zip(&wanted) {
            hold("another program", &other, x, &other.run(x), want)?;
        }
    }
    // Compiling takes time.
    if k.is_multiple_of(4) && program.calls().is_empty() {
        machine_code(program, points, &wanted)
    } else {
        Ok(())
    }
}

fn holds((mut steps, points, k): Case) -> TestResult {
    if (k / 8).is_multiple_of(4) {
        // Primitives are neither compiled nor saved.
        steps.retain(|step| !may_be_primitive(step));
    }
    let start = points.first().map_or([0.3, 0.7, 0.5], |&(a, b, c)| [a, b, c].map(planted));
    let f = match k & 4 {
        0 => trace_unoptimized(|x: &[Traced]| function(&steps, x), &start),
        _ => trace(|x: &[Traced]| function(&steps, x), &start),
    };
    let one = trace(|x: &[Traced]| function(&steps, x).pop(), &start);
    let within = || {
        trace(
            |x: &[Traced]| {
                let y = plain_function(
                    &steps,
                    &[Dual::variable(x[0]), Dual::new(x[1], x[2]), Dual::constant(x[2])],
                );
                y.iter().map(|y| y.tangent()).collect::<Vec<_>>()
            },
            &start,
        )
    };
    let programs = match k % 8 {
        0 => vec![f.jacobian(), one.gradient()],
        1 => vec![f.vjp(), f.jvp()],
        2 if steps.len() < 30 => vec![one.hessian()],
        3 if steps.len() < 30 => vec![one.gradient().and_then(|g| g.jvp())],
        4 => vec![Ok(within())],
        5 => vec![within().jacobian()],
        _ => vec![],
    };
    for program in [Ok(f)].into_iter().chain(programs) {
        let program = program.unwrap();
        let at = |i: usize, j: usize| {
            let (a, b, c) = points[i];
            planted([a, b, c][j % 3].wrapping_add(j as u8 / 3 * 5))
        };
        let count = points.len().min(20);
        let mut points: Vec<Vec<f64>> =
            (0..count).map(|i| (0..program.inputs()).map(|j| at(i, j)).collect()).collect();
        let mut first = start.to_vec();
        first.resize(program.inputs(), 0.25);
        points.insert(0, first);
        if let Err(message) = all_ways(&program, &points, k / 8) {
            return TestResult::error(message);
        }
    }
    TestResult::passed()
}

#[test]
fn every_way_to_run_gives_the_same() {
    check(60, holds as fn(Case) -> TestResult);
}

/// Bodies of loops with the numbers of their iterations, points, and which derivative.
type Looped = (Vec<(Vec<Step>, u8)>, Vec<(u8, u8, u8)>, u8);

fn loops_hold((bodies, points, k): Looped) -> TestResult {
    let bodies: Vec<(Vec<Step>, u8)> = bodies.into_iter().filter(|(body, _)| !body.is_empty()).collect();
    let start = points.first().map_or([0.3, 0.7, 0.5], |&(a, b, c)| [a, b, c].map(planted));
    let f = match k & 8 {
        0 => trace_unoptimized(|x: &[Traced]| loops(&bodies, x), &start),
        _ => trace(|x: &[Traced]| loops(&bodies, x), &start),
    };
    let program = match k % 4 {
        0 => f.vjp(),
        1 => f.jvp(),
        _ => Ok(f),
    };
    let program = program.unwrap();
    let at = |i: usize, j: usize| {
        let (a, b, c) = points[i];
        planted([a, b, c][j % 3].wrapping_add(j as u8 / 3 * 5))
    };
    let count = points.len().min(6);
    let mut points: Vec<Vec<f64>> =
        (0..count).map(|i| (0..program.inputs()).map(|j| at(i, j)).collect()).collect();
    let mut first = start.to_vec();
    first.resize(program.inputs(), 0.25);
    points.insert(0, first);
    match all_ways(&program, &points, 0) {
        Ok(()) => TestResult::passed(),
        Err(message) => TestResult::error(message),
    }
}

#[test]
fn every_way_to_run_loops_gives_the_same() {
    check(40, loops_hold as fn(Looped) -> TestResult);
}
