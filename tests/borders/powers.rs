//! Powers with an active exponent at 0: their derivatives are the limits, in every mode and in every order of differentiation.

use super::support::compare::Findings;
use super::support::routes::{Program, Route, axes, chosen, slices, units};
use wengert::{BaseFloat, Dual, Real, forward, programs::trace, reverse};

type Third = Dual<Dual<Dual<f64>>>;

/// `x^y`, `x ln y`, and powers of a constant.
#[derive(Clone, Copy)]
enum Of {
    Power,
    Logarithm,
    /// `x^y` with this constant `x`, as a power and as an exponential.
    ConstantBase(f64),
    Exponential(f64),
}

impl Of {
    fn call<T: Real>(self, x: T, y: T) -> T {
        match self {
            Of::Power => x.powf(y),
            Of::Logarithm => x.xlogy(y),
            Of::ConstantBase(base) => T::lit(base).powf(y),
            Of::Exponential(base) => y.exp_base(base),
        }
    }
}

impl<F: BaseFloat> Program<F> for Of {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        vec![Of::call(*self, x[0], x[1])]
    }
}

/// The points at 0, with a direction in which to come close to each.
fn points() -> Vec<(Of, [f64; 2], [f64; 2])> {
    let exponents = [-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0];
    let powers = exponents.into_iter().map(|y| (Of::Power, [0.0, y], [1.0, 0.0]));
    let logarithms = [-2.0, 0.0, 1.5].map(|x| (Of::Logarithm, [x, 0.0], [0.0, 1.0]));
    powers.chain(logarithms).collect()
}

/// The limit of a derivative, from its values at two points, one much closer than the other.
fn limit([far, near]: [f64; 2]) -> f64 {
    if near.abs() > 1.5 * far.abs() {
        f64::INFINITY.copysign(near)
    } else if near.abs() < 0.5 * far.abs() {
        0.0
    } else {
        near
    }
}

/// The derivative of the first value along axes.
fn derivative(f: &Of, x: &[f64], along: &[usize]) -> f64 {
    let padded = along.iter().copied().chain([0; 3]).take(3).collect::<Vec<_>>();
    let all = Third::run(f, x, &slices(&units(2, &padded)));
    all[(1 << along.len()) - 1]
}

fn at_zero<R: Route<Base = f64>>(route: &str, found: &mut Findings) {
    for (f, at, along) in points() {
        let beside = [-100, -200].map(|n| [0, 1].map(|i| at[i] + along[i] * 2f64.powi(n)));
        for axes in axes(2, R::ORDER, R::ONE_DIRECTION) {
            let got = R::run(&f, &at, &slices(&units(2, &axes)));
            for (set, &got) in got.iter().enumerate().skip(1) {
                let chosen = chosen(&axes, set);
                let want = limit(beside.map(|x| derivative(&f, &x, &chosen)));
                let lost = chosen.len() > 2 && want.is_infinite() && got.is_nan();
                found.check(lost || got == want, || {
                    format!("{route} at {at:?} along {chosen:?}: {got:e}, near it {want:e}")
                });
            }
        }
    }
}

#[test]
fn derivatives_at_zero_are_limits() {
    let mut found = Findings::default();
    every_number!([kinds taped third] at_zero(&mut found));
    at_zero::<Third>("Dual<Dual<Dual>>", &mut found);
    found.report(2000);
}

/// Drivers and programs give what the numbers do, also where there is no limit.
#[test]
fn hessians_at_zero_are_symmetric() {
    let outside = [(Of::Power, [-2.0, 0.0]), (Of::Power, [0.0, 0.5]), (Of::Logarithm, [0.0, 0.0])];
    let points = points().into_iter().map(|(f, at, _)| (f, at)).chain(outside);
    for (f, at) in points {
        let want = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|axes| derivative(&f, &at, &axes));
        let [forward, reverse] =
            [forward::hessian(|x| f.call(x[0], x[1]), &at), reverse::hessian(|x| f.call(x[0], x[1]), &at)];
        let program = trace(|x| f.call(x[0], x[1]), &at).hessian().unwrap().run(&at).unwrap();
        for (name, got) in
            [("forward", forward.as_slice()), ("reverse", reverse.as_slice()), ("program", &program)]
        {
            assert_eq!(format!("{got:?}"), format!("{want:?}"), "{name} at {at:?}");
        }
    }
}

fn same_as_power<R: Route<Base = f64>>(route: &str, found: &mut Findings) {
    for base in [0.0, f64::INFINITY, 1.0, 2.5, -2.0, f64::NAN] {
        for y in [-2.0, -0.5, 0.0, 0.5, 2.0, 30.0] {
            let along: Vec<&[f64]> = vec![&[0.0, 1.0]; R::ORDER];
            let [want, got] =
                [Of::ConstantBase(base), Of::Exponential(base)].map(|f| R::run(&f, &[1.0, y], &along));
            let near =
                |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-14 * b.abs();
            let same = want.iter().zip(&got).all(|(&want, &got)| near(got, want));
            found.check(same, || format!("{route}, {base}^{y}: {got:?}, as a power {want:?}"));
        }
    }
}

/// Bases without a finite logarithm too.
#[test]
fn exponentials_are_powers_of_their_base() {
    let mut found = Findings::default();
    every_number!([kinds taped third series] same_as_power(&mut found));
    found.report(500);
}
