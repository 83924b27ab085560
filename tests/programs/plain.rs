//! Programs with plain products: if all results are finite, they equal the results with strong zeros.

use std::cell::Cell;

use quickcheck::TestResult;
use wengert::programs::{Op, Program, Traced, trace, trace_unoptimized};
use wengert::{Dual, Number, Real};

use crate::support::random::check;
use crate::support::steps::{Step, function, plain_function};

/// Values at which laws differ from products, and ordinary ones.
const PLANTED: [f64; 12] =
    [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310, -1e-310, 1e308, 1.0, -1.0, 0.5, -2.5];

/// Steps of a function, and where it is run.
type Case = (Vec<Step>, Vec<(u8, u8, u8)>);

fn has_laws(program: &Program) -> bool {
    let law = |op: &Op| {
        matches!(
            op,
            Op::StrongMul { .. }
                | Op::StrongMulEither { .. }
                | Op::StrongDiv { .. }
                | Op::PropagateNan { .. }
        )
    };
    program.code().ops.iter().any(law)
}

thread_local! {
    /// How often results were finite, and how often only the results of the laws were finite.
    static SEEN: Cell<[u32; 2]> = const { Cell::new([0; 2]) };
}

/// Whether the plain program is right at a point, or shows that it is not.
fn is_right(program: &Program, plain: &Program, x: &[f64]) -> Result<(), String> {
    let (want, got) = match (program.run(x), plain.run(x)) {
        (Ok(want), Ok(got)) => (want, got),
        (want, got) if want == got => return Ok(()),
        (want, got) => return Err(format!("{x:?}: {got:?}, want {want:?}")),
    };
    let mut seen = SEEN.get();
    if got.iter().all(|y| y.is_finite()) {
        seen[0] += 1;
        if want.iter().zip(&got).any(|(a, b)| a.to_bits() != b.to_bits()) {
            return Err(format!("{x:?}: {got:?}, want {want:?}\n{program}\n{plain}"));
        }
    } else {
        seen[1] += u32::from(want.iter().all(|y| y.is_finite()));
    }
    SEEN.set(seen);
    Ok(())
}

fn holds((steps, points): Case) -> TestResult {
    let f = trace_unoptimized(|x: &[Traced]| function(&steps, x), &[0.3, 0.7, 0.5]);
    let one = trace(|x: &[Traced]| function(&steps, x)[0], &[0.3, 0.7, 0.5]);
    let within = trace(
        |x: &[Traced]| {
            let y =
                plain_function(&steps, &[Dual::variable(x[0]), Dual::constant(x[1]), Dual::new(x[2], x[0])]);
            // Formed from tangents: laws are in the middle.
            [y[0].tangent() / (y[1].tangent() + 1.0), y[0].tangent().exp().max(x[0]), y[1].tangent()]
        },
        &[0.3, 0.7, 0.5],
    );
    let programs = [
        f.jacobian().unwrap(),
        f.vjp().unwrap(),
        one.gradient().unwrap(),
        one.hessian().unwrap(),
        within.jacobian().unwrap(),
        within,
    ];
    for program in programs {
        let Some(plain) = program.without_strong_zeros() else { continue };
        for &(a, b, c) in points.iter().take(6) {
            let x: Vec<f64> = (0..program.inputs())
                .map(|i| [a, b, c][i % 3].wrapping_add(i as u8 / 3 * 5))
                .map(planted)
                .collect();
            if let Err(message) = is_right(&program, &plain, &x) {
                return TestResult::error(message);
            }
        }
    }
    TestResult::passed()
}

pub(super) fn planted(i: u8) -> f64 {
    PLANTED[usize::from(i) % PLANTED.len()]
}

#[test]
fn finite_results_are_those_of_the_laws() {
    check(400, holds as fn(Case) -> TestResult);
    let [finite, repeated] = SEEN.get();
    assert!(finite > 300 && repeated > 60, "{finite} finite, {repeated} to be repeated");
}

/// A value that left the program as NaN, which passes write with the other sign.
#[test]
fn a_nan_that_left_stays_one() {
    let sum = (0, 0, 0, 0);
    let steps = [(0, 0, 1, 0), sum, sum, (7, 105, 0, 0), (11, 0, 3, 0), (4, 0, 2, 0), (8, 0, 0, 0)];
    let case = (steps.to_vec(), vec![(0, 0, 0)]);
    assert!(!holds(case).is_failure());
}

#[test]
fn products_of_derivatives_are_plain() {
    let valley = |x: &[Traced]| {
        x.windows(2).map(|w| (w[1] - w[0] * w[0]).powi(2) * 100.0 + (1.0 - w[0]).powi(2)).sum::<Traced>()
    };
    let ratio =
        |x: &[Traced]| [x[0] * x[1] / x[2], (x[0] * x[0] + x[1] * x[1]).sqrt(), x[2].atan2(x[0]).sin()];
    let at = [0.5, 0.25, 2.0];
    for program in [trace(valley, &at).gradient(), trace(ratio, &at).jacobian()] {
        let program = program.unwrap();
        assert!(has_laws(&program));
        let plain = program.without_strong_zeros().unwrap();
        assert!(!has_laws(&plain), "{plain}");
        assert_eq!(plain.run(&at).unwrap(), program.run(&at).unwrap());
    }
    assert!(trace(valley, &at).without_strong_zeros().is_none(), "nothing to replace");
}

#[test]
fn what_would_be_lost_keeps_its_law() {
    // Infinite slopes at 0 that end in a comparison, in a function that makes NaN or infinity finite, or in a divisor.
    let tangent = |x: Traced, t: Traced| Dual::new(x, t).sqrt().tangent();
    let cases: [fn(Traced) -> Traced; 3] = [
        |d| d.max(Traced::constant(1.0)),
        |d| d.powi(0),
        |d| Real::select_lt(d, Traced::constant(1.0), Traced::constant(2.0), Traced::constant(3.0)),
    ];
    for f in cases {
        let program = trace(|x: &[Traced]| f(tangent(x[0], x[1])), &[1.0, 1.0]);
        assert!(has_laws(&program));
        assert!(program.without_strong_zeros().is_none_or(|plain| has_laws(&plain)), "{program}");
    }
    // A reciprocal that is infinite where the quotient is not, and is lost as a divisor.
    let quotient = trace(|x: &[Traced]| x[0] / x[1], &[1.0, 1.0]).linearize_wrt(&[true, false]).unwrap();
    let quotient = quotient.to_program().unwrap();
    let over = trace(
        |x: &[Traced]| 1.0 / quotient.call(&[x[0], x[1], x[2], Traced::constant(0.0)]).unwrap()[1],
        &[1.0, 1.0, 1.0],
    );
    let plain = over.without_strong_zeros().unwrap_or(over.clone());
    let x = [1.0, 1e-310, 1e-300];
    assert_eq!(plain.run(&x).unwrap(), over.run(&x).unwrap());
    assert!(over.run(&x).unwrap()[0] > 0.0);
}

/// The branch is the program's branch also where a product in a comparison would be NaN.
#[test]
fn what_is_asked_keeps_its_law() {
    let product = |x: &[Traced]| x[0].strong_both(x[1]);
    let free = trace(|x: &[Traced]| product(x) + x[0], &[2.0, 3.0]);
    assert!(has_laws(&free) && !has_laws(&free.without_strong_zeros().unwrap()));
    let asked = trace(|x: &[Traced]| if product(x) > -1.0 { product(x) } else { x[0] }, &[2.0, 3.0]);
    assert!(asked.without_strong_zeros().is_none());
    assert_eq!(asked.run(&[0.0, f64::INFINITY]).unwrap(), [0.0]);
    // Through operations in between, too.
    let later = trace(|x: &[Traced]| if product(x) * 2.0 > -1.0 { x[1] } else { x[0] }, &[2.0, 3.0]);
    assert!(later.without_strong_zeros().is_none());
}

/// Where no derivative is taken, integer powers are products. `run`, `run_batch` and machine code have the bits of `f64::powi`.
#[test]
fn powers_of_values_are_those_of_std() {
    let powers = [-65, -64, -7, -3, -2, -1, 0, 1, 2, 3, 5, 31, 64, 65];
    let all = trace(|x| powers.map(|n| x[0].powi(n)).to_vec(), &[1.5]);
    let square = trace(|x| x[0].square(), &[1.5]);
    let points = [1.5, -0.3, 0.0, -0.0, 1e-200, -1e200, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let bits =
        |y: &[f64]| -> Vec<Option<u64>> { y.iter().map(|y| (!y.is_nan()).then_some(y.to_bits())).collect() };
    let mut batch = vec![0.0; points.len() * powers.len()];
    all.run_batch(&points, &mut batch).unwrap();
    for (x, batch) in points.into_iter().zip(batch.chunks(powers.len())) {
        let want = bits(&powers.map(|n| f64::powi(std::hint::black_box(x), n)));
        assert_eq!(bits(&all.run(&[x]).unwrap()), want, "at {x:e}");
        assert_eq!(bits(batch), want, "at {x:e}");
        assert_eq!(bits(&square.run(&[x]).unwrap()), bits(&[x * x]));
        #[cfg(feature = "jit")]
        assert_eq!(bits(&all.compile().unwrap().run(&[x]).unwrap()), want, "at {x:e}");
    }
    // A square of a sum is an addition and a product.
    let squares = trace(|x: &[Traced]| x.iter().map(|&x| (x - 1.0).powi(2)).sum::<Traced>(), &[0.5; 8][..]);
    let by_products =
        trace(|x: &[Traced]| x.iter().map(|&x| (x - 1.0) * (x - 1.0)).sum::<Traced>(), &[0.5; 8][..]);
    assert_eq!(squares.ready().instructions(), by_products.ready().instructions());
}
