//! Formulas that lose their derivatives, and the substitutes that the guide's page of conventions gives for them.

use wengert::programs::{Program, trace};
use wengert::{Function, Scalar, forward, function, gradient, hessian, value_and_second_derivative};

/// A curve with its value and first two derivatives in all modes: forward mode, a tape, a program.
macro_rules! orders {
    ($f:expr, $x:expr) => {{
        let (f, x) = ($f, [$x]);
        let (y, first, second) = value_and_second_derivative(|x| f.call(&[x]), x[0]);
        let program = trace(|x| f.call(x), &x);
        let run = |p: Program| p.run(&x).unwrap()[0];
        let forward = (forward::gradient(|x| f.call(x), &x), forward::hessian(|x| f.call(x), &x));
        let tape = (gradient(|x| f.call(x), &x), hessian(|x| f.call(x), &x));
        [
            [y, first, second],
            [y, forward.0[0], forward.1[(0, 0)]],
            [y, tape.0[0], tape.1[(0, 0)]],
            [y, run(program.gradient().unwrap()), run(program.hessian().unwrap())],
        ]
    }};
}

/// The substitute has these derivatives where the formula has none. At another point both agree.
macro_rules! substitute {
    ($name:literal: $formula:expr => $substitute:expr, at $x:expr => $want:expr, as at $y:expr) => {
        let (formula, substitute) = ($formula, $substitute);
        for got in orders!(&formula, $x) {
            assert!(!got[1].is_finite() || got[2].is_nan(), "{}: the formula has {got:?}", $name);
        }
        for (at, want) in [($x, $want), ($y, orders!(&formula, $y)[2])] {
            for got in orders!(&substitute, at) {
                for (got, want) in got.iter().zip(want) {
                    let close = (got - want).abs() <= 1e-12 * want.abs() + 1e-321;
                    assert!(close, "{} at {at}: {got:e}, not {want:e}", $name);
                }
            }
        }
    };
}

#[test]
fn substitutes_have_the_derivatives_that_formulas_lose() {
    let far = (-710f64).exp();
    substitute!("logistic": function!(|x| 1.0 / (1.0 + (-x[0]).exp())) => function!(|x| x[0].sigmoid()),
        at -710.0 => [far, far, far], as at -0.5);
    let hyperbolic = || function!(|x| 2.0 * (-x[0].logaddexp(-x[0])).exp());
    let far = 2.0 * (-711f64).exp();
    substitute!("1/cosh": function!(|x| 1.0 / x[0].cosh()) => hyperbolic(),
        at 711.0 => [far, -far, far], as at 0.5);
    substitute!("1/cosh": function!(|x| 1.0 / x[0].cosh()) => hyperbolic(),
        at -711.0 => [far, far, far], as at -2.0);
    for got in orders!(&hyperbolic(), 0.0) {
        assert_eq!(got, [1.0, 0.0, -1.0]);
    }
    for x in (-1000..=1000).map(|k| k as f64 * 1e-3) {
        let got = wengert::derivative(|x| 2.0 * (-x.logaddexp(-x)).exp(), x);
        assert!((got + x.tanh() / x.cosh()).abs() <= f64::EPSILON, "at {x}");
    }
    substitute!("Bose": function!(|x| 1.0 / x[0].exp_m1()) => function!(|x| (-x[0]).exp() / -(-x[0]).exp_m1()),
        at 1000.0 => [0.0; 3], as at 0.5);
    let z = 1.5f64;
    substitute!("GEV": function!(|x, #[data] z: f64| (x[0] * z).ln_1p() / x[0])
            => function!(|x, #[data] z: f64| z / (x[0] * z).ln_1p().exprel()),
        at 0.0 => [z, -z * z / 2.0, 2.0 * z.powi(3) / 3.0], as at 0.3);
    // (1 − e^{−2s})/(1 − e^{−4Ns}) = (1 + (2N − 1)s + (4N²/3 − 2N + 2/3)s²)/2N + …
    let n = 50.0;
    substitute!("fixation": function!(|x, #[data] n: f64| (-2.0 * x[0]).exp_m1() / (-4.0 * n * x[0]).exp_m1())
            => function!(|x, #[data] n: f64| (-2.0 * x[0]).exprel() / ((-4.0 * n * x[0]).exprel() * (2.0 * n))),
        at 0.0 => [0.5 / n, 1.0 - 0.5 / n, (4.0 * n * n / 3.0 - 2.0 * n + 2.0 / 3.0) / n], as at 0.02);
    substitute!("Airy disk": function!(|x| 2.0 * x[0].bessel_j1() / x[0]) => function!(|x| x[0].bessel_j0() + x[0].bessel_j2()),
        at 0.0 => [1.0, 0.0, -0.25], as at 1.5);
}

/// `ln(p + (1 − p)²)`: −1 is its derivative at 0, `1 + 4p` its second one near 0.
fn by_logs<T: Scalar>(p: &[T]) -> T {
    p[0].ln().logaddexp(2.0 * (-p[0]).ln_1p())
}

fn by_products<T: Scalar>(p: &[T]) -> T {
    (p[0] + (1.0 - p[0]) * (1.0 - p[0])).ln()
}

#[test]
fn logarithms_of_zero_lose_derivatives() {
    let program = |f: fn(&[_]) -> _| trace(f, &[0.0]).gradient().unwrap().run(&[0.0]).unwrap()[0];
    assert!(forward::gradient(by_logs, &[0.0_f64])[0].is_nan());
    assert!(gradient(by_logs, &[0.0_f64])[0].is_nan());
    assert_eq!(program(by_logs), -2.0); // without the term of p
    assert_eq!(forward::gradient(by_products, &[0.0]), [-1.0]);
    assert_eq!(gradient(by_products, &[0.0]), [-1.0]);
    assert_eq!(program(by_products), -1.0);
}

/// Second derivatives by logarithms lose digits as `ε/p`.
#[test]
fn logarithms_of_small_numbers_lose_digits_of_second_derivatives() {
    for power in 4..13 {
        let (mut worst, scale) = (0.0f64, 10f64.powi(-power));
        for p in (100..200).map(|k| k as f64 * 1e-2 * scale) {
            let want = 2.0 / (1.0 - p + p * p) - ((2.0 * p - 1.0) / (1.0 - p + p * p)).powi(2);
            assert!((hessian(by_products, &[p])[(0, 0)] - want).abs() < 1e-14);
            for got in [hessian(by_logs, &[p]), forward::hessian(by_logs, &[p])] {
                worst = worst.max((got[(0, 0)] - want).abs());
            }
        }
        let unit = f64::EPSILON / scale;
        assert!(unit / 4.0 < worst && worst < 8.0 * unit, "{worst:e} at {scale:e}");
    }
}

/// The likelihood of a chain of two hidden states, which leaves the first with probability `p[0]`.
fn chain<T: Scalar>(p: &[T], steps: usize, scaled: bool) -> T {
    let mut weights = [T::lit(1.0), T::lit(0.5)];
    let mut loss = T::lit(0.0);
    for k in 0..steps {
        let [a, b] = weights;
        let seen = if k % 3 == 0 { [0.25, 0.5] } else { [0.75, 0.5] };
        weights = [(a * (1.0 - p[0]) + 0.125 * b) * seen[0], (a * p[0] + 0.875 * b) * seen[1]];
        if scaled {
            let sum = weights[0] + weights[1];
            loss += sum.ln();
            weights = weights.map(|w| w / sum);
        }
    }
    loss + (weights[0] + weights[1]).ln()
}

#[test]
fn scaled_products_keep_derivatives_at_zero() {
    for p in [0.0_f64, 1e-12, 0.1] {
        let plain = hessian(|p| chain(p, 50, false), &[p])[(0, 0)];
        let scaled = hessian(|p| chain(p, 50, true), &[p])[(0, 0)];
        assert!((scaled / plain - 1.0).abs() < 1e-12, "{scaled} {plain}");
        let slopes = [false, true].map(|scaled| gradient(|p| chain(p, 50, scaled), &[p])[0]);
        assert!((slopes[1] / slopes[0] - 1.0).abs() < 1e-13, "{slopes:?}");
    }
    assert!(gradient(|p| chain(p, 5000, true), &[0.0])[0].is_finite()); // the product is below 10⁻³⁰⁸
}
