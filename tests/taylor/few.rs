//! Series of order 2 and 3 are the first orders of longer ones, also for coefficients far out.

use super::super::{EDGES, Function, OfBinary, OfUnary, curve, series, with_room};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Dual2, Taylor};

const FAR: [[f64; 3]; 8] = [
    [1e200, 1.0, 0.0],
    [-1e155, 1e10, 3.0],
    [1e150, 1e200, 0.0],
    [1e30, 0.0, 0.0],
    [0.0, f64::INFINITY, 1.0],
    [0.0, f64::NAN, 0.0],
    [0.0, 0.0, 1e300],
    [1e-200, -1e-150, 1e-100],
];

#[derive(Default)]
struct Few(Vec<String>, usize);

impl Few {
    fn compare(&mut self, name: &str, f: &impl Function, x: &[f64; 10], y: &[f64; 10]) {
        let want = f.at(series::<5>(x), series::<5>(y)).coefficients();
        let two = f.at(series::<2>(x), series::<2>(y)).coefficients();
        let three = f.at(series::<3>(x), series::<3>(y)).coefficients();
        for (k, got) in (0..2).map(|k| (k, two[k])).chain((0..3).map(|k| (k, three[k]))) {
            self.1 += 1;
            // Derivatives may vanish by cancellation, as of `norm_pdf` at 1: products of coefficients are rounded.
            let of = |c: &[f64; 10]| (1..4).map(|k| c[k].abs().powf(1.0 / k as f64)).sum::<f64>();
            let product = 1e-5 * (of(x) + of(y)).powi(k as i32 + 1);
            let size = want[..=k].iter().fold(product.max(1e-290), |size: f64, c| size.max(c.abs()));
            let same = got == want[k]
                || want[k].is_nan()
                || (want[k].is_finite() && (got - want[k]).abs() <= 1e-11 * size)
                || (want[k].is_infinite() && k == 2);
            if !same {
                self.0.push(format!("{name} {:?} {:?} {}: {got:e}, {:e}", &x[..4], &y[..4], k + 1, want[k]));
            }
        }
    }
}

fn far(x: f64, [a, b, c]: [f64; 3]) -> [f64; 10] {
    curve(x, [a, b, c, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
}

impl RuleVisitor for Few {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, [lo, hi]: [f64; 2]) {
        for x in EDGES.into_iter().chain([0.3 * lo + 0.7 * hi, 1e-3, 1e-19, 400.0]) {
            for rest in FAR {
                self.compare(U::NAME, &OfUnary(rule), &far(x, rest), &far(0.0, [0.0; 3]));
            }
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, [[a, b], [c, d]]: [[f64; 2]; 2]) {
        for (x, y) in [(0.3 * a + 0.7 * b, 0.6 * c + 0.4 * d), (1.0, 1e-17), (1e-19, 1.0), (0.7, -0.7)] {
            for (u, v) in FAR.iter().flat_map(|&u| FAR.map(|v| (u, v))) {
                self.compare(B::NAME, &OfBinary(rule), &far(x, u), &far(y, v));
            }
        }
    }
}

#[test]
fn few_orders_are_those_of_longer_series() {
    with_room(|| {
        let mut found = Few::default();
        visit_rules(&mut found);
        assert!(found.1 > 10_000, "{} comparisons", found.1);
        assert!(found.0.is_empty(), "{} of {}:\n{}", found.0.len(), found.1, found.0.join("\n"));
    });
}

/// `x²⁰` and its derivative underflow, coefficients do not.
#[test]
fn coefficients_of_powers_outlive_the_power() {
    let c = Taylor::<f64, 2>::new(1e-19, [1e150, 1e200]).powi(20).coefficients();
    assert!((c[0] - 2e-210).abs() < 1e-222 && (c[1] - 1.9e-40).abs() < 1e-52, "{c:?}");
    let square = Taylor::<f64, 2>::new(1e-19, [1e30, 0.0]).powi(20).coefficients()[1];
    assert!((square - 1.9e-280).abs() < 1e-292, "{square:e}");
    let x = Dual2::<f64, 1, 1>::from_fn(1e-19, |_| 1e150, |_, _| 2e200);
    let y = x.powi(20);
    assert!((y.gradient()[0] - 2e-210).abs() < 1e-222, "{y:?}");
    assert!((y.second(0, 0) - 3.8e-40).abs() < 1e-52, "{y:?}");
}

/// Terms of a second derivative overflow, their sum does not: along `x = y` the angle and the sum of exponents are straight.
#[test]
fn second_derivatives_outlive_their_terms() {
    let at = |v, s, h| Dual2::<f64, 1, 1>::from_fn(v, |_| s, |_, _| h);
    let x = at(1.0, 1e155, 0.0);
    assert_eq!(x.hypot(x).second(0, 0), 0.0);
    assert_eq!(at(0.7, 1e200, 2.0).logaddexp(at(-0.7, 1e200, 2.0)).second(0, 0), 2.0);
}

/// The square has a coefficient below the range, its product with the number has not.
#[test]
fn powers_whose_squares_underflow_keep_their_coefficients() {
    let second = |x: f64, t: f64, n: i32| Taylor::<f64, 2>::new(x, [t, 0.0]).powi(n).coefficient(2);
    let third = |x: f64, t: f64, n: i32| Taylor::<f64, 3>::new(x, [t, 0.0, 0.0]).powi(n).coefficient(2);
    let points = [(1e70, 1e-200, 4, 6e-260), (1e100, 1e-170, 3, 3e-240)];
    for (x, t, n, want) in points {
        for got in [second(x, t, n), third(x, t, n)] {
            assert!((got / want - 1.0).abs() < 1e-14, "{x:e} {t:e} {n}: {got:e} {want:e}");
        }
    }
}

/// Number and coefficients are tiny alike: the products of coefficients are below the range, the power's are not.
#[test]
fn powers_of_tiny_numbers_keep_their_coefficients() {
    fn at<const K: usize>() {
        let x = Taylor::<f64, K>::new(1e-200, core::array::from_fn(|k| [0.5e-200, 1e-270, 0.0][k.min(2)]));
        assert_eq!(x.powi(1).coefficients(), x.coefficients(), "order {K}");
        let got = x.powf(1.4).coefficients();
        for (k, want) in [0.7e-280, 0.07e-280].into_iter().enumerate() {
            // Of 1e-200 and 1e-280 the powers differ by the rounding of the numbers times their logarithms.
            assert!((got[k] / want - 1.0).abs() < 1e-13, "order {K}: {:e} {want:e}", got[k]);
        }
    }
    at::<2>();
    at::<3>();
    at::<6>();
}
