//! Passes over random programs: results stay, bit for bit.

use quickcheck::TestResult;
use wengert::programs::{Op, Passes, Program, Traced, trace, trace_unoptimized};
use wengert::{AdError, Real};

use crate::support::random::check;
use crate::support::steps::{Step, answers, function, has_laws};

/// Equal bits, or NaN of any sign: no operation promises one.
pub(super) fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

/// Whether results or errors are equal.
pub(super) fn alike(got: &Result<Vec<f64>, AdError>, want: &Result<Vec<f64>, AdError>) -> bool {
    match (got, want) {
        (Ok(got), Ok(want)) => same(got, want),
        (got, want) => got == want,
    }
}

fn each_pass() -> [Passes; 6] {
    let none = Passes::NONE;
    [
        none,
        Passes { cse: true, ..none },
        Passes { constant_folding: true, ..none },
        Passes { dead_code: true, ..none },
        Passes { reorder: true, ..none },
        Passes::EXACT,
    ]
}

/// A program of steps without laws gives the results of the function. If a comparison of the function has another
/// result, it requires another recording.
fn is_function(steps: &[Step], recorded: &[f64], at: &[f64]) -> Result<(), String> {
    let steps: Vec<Step> = steps.iter().copied().filter(|step| !has_laws(step)).collect();
    let program = trace(|x: &[Traced]| function(&steps, x), recorded);
    let [(_, before), (want, now)] = [recorded, at].map(|x| answers(|| function(&steps, x)));
    let right = match program.run(at) {
        Ok(got) => before == now && same(&got, &want),
        Err(_) => before != now,
    };
    let message = || format!("{at:?}: {:?}, want {want:?}, {before:?}, {now:?}\n{program}", program.run(at));
    if right { Ok(()) } else { Err(message()) }
}

fn holds(steps: Vec<Step>, x: (f64, f64)) -> TestResult {
    let (x, y) = ([x.0, x.1, 0.5], [0.25, -x.1, x.0]);
    let written = trace_unoptimized(|x: &[Traced]| function(&steps, x), &x);
    let shared = trace(|x: &[Traced]| function(&steps, x), &x);
    for at in [x, y, [0.0, -0.0, 1.0]] {
        let want = written.run(&at);
        if let Err(message) = is_function(&steps, &x, &at) {
            return TestResult::error(message);
        }
        let mut programs: Vec<Program> = each_pass().iter().map(|&p| written.optimized(p)).collect();
        programs.extend([written.clone(), shared.clone()]);
        for program in programs {
            let got = program.run(&at);
            if !alike(&got, &want) {
                return TestResult::error(format!("{at:?}: {got:?}, want {want:?}\n{written}\n{program}"));
            }
        }
    }
    TestResult::passed()
}

/// The derivative of the program as recorded and of the optimised one.
fn derivatives_agree(steps: Vec<Step>, x: (f64, f64)) -> TestResult {
    let x = [x.0, x.1, 0.5];
    let written = trace_unoptimized(|x: &[Traced]| function(&steps, x), &x);
    let (a, b) = (written.jacobian().unwrap(), written.optimized(Passes::EXACT).jacobian().unwrap());
    let (a, b) = (a.run(&x).unwrap(), b.optimized(Passes::EXACT).run(&x).unwrap());
    // Where a value is not a number, two things may differ: zeros of either sign, and operations folded before or
    // after a law.
    let alike =
        |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= 1e-9 * a.abs() || !a.is_finite() || !b.is_finite();
    let alike = a.iter().zip(&b).all(alike);
    if alike { TestResult::passed() } else { TestResult::error(format!("{a:?} {b:?}\n{written}")) }
}

#[test]
fn passes_leave_results_as_they_are() {
    check(400, holds as fn(Vec<Step>, (f64, f64)) -> TestResult);
    check(100, derivatives_agree as fn(Vec<Step>, (f64, f64)) -> TestResult);
}

fn slots_hold(steps: Vec<Step>) -> bool {
    let program = trace(|x: &[Traced]| function(&steps, x), &[0.3, 0.7, 0.5]);
    let (slots, count) = program.slots();
    let mut held = vec![u32::MAX; count];
    let code = program.code();
    let reads_its_own = |(i, op): (usize, &Op)| {
        let fits = op.operands().all(|x| held[slots[x as usize] as usize] == x);
        held[slots[i] as usize] = i as u32;
        fits
    };
    let all = code.ops.iter().enumerate().map(reads_its_own).fold(true, |all, fits| all & fits);
    all && code.outputs.iter().all(|&y| held[slots[y as usize] as usize] == y)
}

#[test]
fn slots_are_not_shared_by_values_that_are_needed() {
    check(100, slots_hold as fn(Vec<Step>) -> bool);
}

/// The number of operations of this name.
fn count(program: &Program, name: &str) -> usize {
    program.to_string().lines().filter(|line| line.contains(name)).count()
}

/// Sums with 0: of numbers that are never −0, and of numbers that may be.
fn sums_with_zero<T: Real<Base = f64>>(x: &[T]) -> [T; 12] {
    let (a, b, zero) = (x[0], x[1], T::lit(0.0));
    let never = [a * a, b.exp(), a.abs() + b.cosh(), (b * b).sqrt() / a.exp2(), (a * a).recip(), a.square()];
    let maybe = [a * b, a.sqrt(), -b.exp(), a * a - b * b, (a * a).recip() + b, a.recip()];
    std::array::from_fn(|k| if k < 6 { zero + never[k] } else { maybe[k - 6] + zero })
}

#[test]
fn zero_is_added_to_what_may_be_minus_zero() {
    let written = trace_unoptimized(|x: &[Traced]| sums_with_zero(x), &[1.0, 2.0]);
    let folded = written.optimized(Passes { constant_folding: true, ..Passes::NONE });
    assert_eq!((count(&written, " 0.0"), count(&folded, " 0.0")), (12, 6));
    for (x, y) in [(-0.0, -0.0), (0.0, -0.0), (-0.0, 2.0), (-1.0, 1.0), (f64::NEG_INFINITY, f64::NAN)] {
        let want = sums_with_zero(&[x, y]);
        assert!(same(&folded.run(&[x, y]).unwrap(), &want), "{x}, {y}: {want:?}");
    }
}

#[test]
fn a_logarithm_of_exponentials_is_not_needed_for_its_slope() {
    // 1/Σ is NaN where ln Σ is; 1/x is not, for x < 0.
    let sum = |x: &[Traced]| (x[0].exp() + x[1].exp()).ln();
    let [known, unknown] = [trace(sum, &[1.0, 2.0]), trace(|x| (x[0] * x[1]).ln(), &[1.0, 2.0])];
    let (a, b) = (known.gradient().unwrap(), unknown.gradient().unwrap());
    assert_eq!([count(&a, "ln("), count(&b, "ln(")], [0, 1]);
    for x in [[1.0, 0.5], [f64::NAN, 0.0], [-800.0, -900.0], [f64::INFINITY, 0.0]] {
        let e = x.map(f64::exp);
        let slope = 1.0 / (e[0] + e[1]);
        // A factor that is exactly 0 stops ∞.
        let want = e.map(|e| if e == 0.0 || slope == 0.0 { 0.0 } else { e * slope });
        assert!(same(&a.run(&x).unwrap(), &want), "{x:?}");
    }
    assert!(b.run(&[-1.0, 2.0]).unwrap().iter().all(|d| d.is_nan()));
    assert_eq!(b.run(&[2.0, 4.0]).unwrap(), [0.5, 0.25]);
}

#[test]
fn halves_of_squares_are_doubled_once() {
    // w·½ twice is w, which all squares have in common; a third is rounded, so it is doubled.
    let of = |c: f64| trace(move |x: &[Traced]| x[0] * (c * (x[1] * x[1] + x[2] * x[2])), &[1.0, 2.0, 3.0]);
    let [half, third] = [0.5, 1.0 / 3.0].map(|c| of(c).gradient().unwrap());
    assert_eq!((half.operations(), third.operations()), (4 + 2, 4 + 2 + 2));
    assert_eq!(half.run(&[3.0, 5.0, 7.0]).unwrap(), [37.0, 15.0, 21.0]);
    let w = 1.0 / 3.0 * 3.0_f64;
    assert_eq!(third.run(&[3.0, 5.0, 7.0]).unwrap(), [1.0 / 3.0 * 74.0, 5.0 * (w + w), 7.0 * (w + w)]);
}

#[test]
fn nothing_is_folded_that_may_be_infinite() {
    let f = |x: &[Traced]| [x[0] * 0.0, x[0] - x[0], x[0] + 0.0, x[0] / x[0]];
    let exact = trace(f, &[1.0]).optimized(Passes::EXACT);
    assert!(exact.run(&[f64::INFINITY]).unwrap()[..2].iter().all(|y| y.is_nan()));
    assert!(exact.run(&[-0.0]).unwrap()[2].is_sign_positive());
    let fast = trace(f, &[1.0]).optimized(Passes::FAST);
    assert_eq!(fast.run(&[f64::INFINITY]).unwrap()[..2], [0.0, 0.0]);
    assert_eq!(fast.operations(), 1);
}

#[test]
fn equal_operations_stand_once_and_constants_by_their_bits() {
    let program = trace(
        |x: &[Traced]| {
            let (zero, nan) = (Traced::constant(0.0), Traced::constant(f64::NAN));
            [
                x[0] + zero,
                x[0] + -zero,
                x[0] * nan,
                x[0] * nan,
                x[1] * x[0],
                x[0] * x[1],
                x[0].powi(3),
                x[0].powi(3),
                x[0].powi(4),
            ]
        },
        &[2.0, 3.0],
    );
    assert_eq!(program.operations(), 5, "{program}");
    assert!(program.run(&[-0.0, 1.0]).unwrap()[1].is_sign_negative());
}

/// Signs move through products and into sums only where no bit of a result changes, signs of zeros among them.
#[test]
fn signs_move_where_no_bit_changes() {
    fn all<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
        let [a, b, c] = [x[0], x[1], T::lit(3.0)];
        vec![
            a + -b,
            -a + b,
            -a + -b,
            -a + -a,
            a - -b,
            -a - b,
            -a - -b,
            -a - a,
            -a * b,
            a * -b,
            -a * -b,
            -a * c,
            c * -a,
            -a / b,
            a / -b,
            -a / -b,
            -(a * -b),
            -(-a),
            -(a - b),
            -(a + b),
            a + -(b * c),
            b * c + -(a * c),
        ]
    }
    let values = [0.0, -0.0, 1.5, -2.5, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let program = trace(|x: &[Traced]| all(x), &[1.0, 2.0]);
    for x in values.iter().flat_map(|&a| values.map(|b| [a, b])) {
        let (got, want) = (program.run(&x).unwrap(), all(&x));
        assert!(same(&got, &want), "{x:?}: {got:?} instead of {want:?}");
    }
    // They do move: a sign before a term becomes a difference, two in a product cancel.
    let result = |k: usize| program.code().ops[program.code().outputs[k] as usize];
    assert!(matches!(result(0), Op::Sub(0, 1)) && matches!(result(10), Op::Mul(0, 1)));
}
