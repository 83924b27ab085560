//! Requests of users to the operator layer: repeated calls, orders 0 and 1, many orders, points without derivatives.

use wengert::series::{derivatives, directional, directional_gradient, mixed, taylor, tensor};
use wengert::{Dual, Number, Real, Taylor, TaylorDyn, Var};

use crate::program;

#[path = "../support/allocations.rs"]
mod allocations;

/// Series are values: series of one variable never allocate, tensors and gradients allocate only their results and
/// directions.
#[test]
fn repeated_calls_allocate_their_results_alone() {
    let none = allocations::allocations(|| {
        for k in 0..100 {
            let x = 0.01 * f64::from(k);
            std::hint::black_box(taylor::<f64, 12>(program, x));
            std::hint::black_box(derivatives::<f64, 12>(program, x));
            std::hint::black_box(program(TaylorDyn::<f64, 12>::variable(x, 7).unwrap()).atan().hypot(2.0));
        }
    });
    assert_eq!(none, 0);
    let f = |x: &[Var<Taylor<f64, 4>>]| program(x[0]) * x[1];
    let gradient = || drop(directional_gradient(f, &[0.5, 2.0], &[1.0, 1.0]));
    gradient();
    let [second, tenth] = [0, 1].map(|_| allocations::allocations(gradient));
    assert_eq!(second, tenth);
    assert!(second < 20, "{second} allocations of a gradient");
    let all = |x: &[Taylor<f64, 3>]| program(x[0]) * x[1];
    let counts = [0, 1, 2].map(|_| allocations::allocations(|| drop(tensor(all, &[0.5, 2.0]))));
    // The thread keeps the weights of the first call.
    assert!(counts[0] >= counts[1] && counts[1] == counts[2] && counts[2] < 10, "{counts:?}");
}

/// Orders 0 and 1 are the function and its gradient.
#[test]
fn the_lowest_orders() {
    assert_eq!(derivatives::<f64, 0>(program, 2.0), [0.0; 0]);
    assert_eq!(taylor::<f64, 0>(program, 2.0).value(), program(2.0));
    let slope = program(Dual::variable(2.0)).tangent();
    assert_eq!(derivatives(program, 2.0), [slope]);
    assert_eq!(directional::<f64, 0>(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0]), [0.0; 0]);
    assert_eq!(directional(|x: &[Taylor<f64, 1>]| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0]), [3.0]);
    let product = |x: &[Taylor<f64, 1>]| x[0] * x[1];
    assert_eq!(tensor(product, &[2.0, 3.0]).unwrap().entries(), [3.0, 2.0]);
    assert_eq!(mixed(product, &[2.0, 3.0], &[0, 1]).unwrap(), 2.0);
    let g: Vec<Taylor<f64, 0>> = directional_gradient(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
    assert_eq!(g.map_values(), [3.0, 2.0]);
    let g: Vec<Taylor<f64, 1>> = directional_gradient(|x| x[0] * x[1], &[2.0, 3.0], &[1.0, 0.0]);
    assert_eq!(g.map_values(), [3.0, 2.0]);
    assert_eq!([g[0].coefficients(), g[1].coefficients()], [[0.0], [1.0]]);
    for order in [0, 1] {
        let x = TaylorDyn::<f64, 8>::variable(2.0, order).unwrap();
        for y in [program(x), x.tanh(), x.erfinv(), x.hypot(1.0), x.bessel_j(2), x.gamma(), x.powf(x)] {
            assert_eq!(y.order(), order);
        }
    }
}

#[test]
#[should_panic(expected = "SymmetricTensor::along: a direction of length 3 for 2 variables")]
fn a_direction_has_a_component_for_each_variable() {
    let t = tensor(|x: &[Taylor<f64, 2>]| x[0] * x[1], &[2.0, 3.0]).unwrap();
    assert_eq!(t.along(&[1.0, 1.0]), 2.0);
    t.along(&[1.0, 1.0, 1.0]);
}

trait Values {
    fn map_values(&self) -> Vec<f64>;
}
impl<const K: usize> Values for Vec<Taylor<f64, K>> {
    fn map_values(&self) -> Vec<f64> {
        self.iter().map(|y| y.value()).collect()
    }
}

/// A thousand orders of every kind of row: finite or not, but no panic; coefficients of `1/(1 − x)` and `atan` are exact.
#[test]
fn a_thousand_orders() {
    crate::with_room(|| {
        let x = Taylor::<f64, 1000>::variable(0.25);
        let y = program(x) + x.tanh() + x.powf(1.5) + x.ln() + x.tan() + x.sqrt();
        assert!(y.coefficients()[..100].iter().all(|c| c.is_finite()));
        for y in [x.erfcx(), x.ln_norm_cdf(), x.bessel_j(0), x.gamma(), x.sinc(), x.ln_beta(2.0)] {
            assert!(y.coefficients()[..40].iter().all(|c| c.is_finite()));
        }
        let odd = Taylor::<f64, 1000>::variable(0.0).atan().coefficients();
        let want = |k: usize| [0.0, 1.0, 0.0, -1.0][k % 4] / k as f64;
        assert!((1..=1000).all(|k| (odd[k - 1] - want(k)).abs() <= 2.0 * f64::EPSILON * want(k).abs()));
    });
}

/// Operators at points outside of a domain, and at singular ones: IEEE values of every order.
#[test]
fn points_without_derivatives() {
    for x in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        assert!(derivatives::<f64, 6>(|x| x.ln(), x).iter().all(|d| d.is_nan()), "ln at {x}");
        let g: Vec<Taylor<f64, 3>> = directional_gradient(|v| Number::sqrt(v[0]), &[x], &[1.0]);
        assert!(g[0].coefficients().iter().all(|c| c.is_nan()), "√ at {x}");
        let t = tensor::<f64, 3>(|v| v[0].ln() * v[1], &[x, 2.0]).unwrap();
        assert!(t.at([0, 0, 0]).is_nan());
    }
    let at_zero: [f64; 4] = derivatives(|x| x.ln(), 0.0);
    assert_eq!(at_zero, [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY]);
    // A series that starts at a singular point but does not move, or moves later.
    let still = Taylor::<f64, 4>::new(0.0, [0.0; 4]);
    assert_eq!((still.sqrt().coefficients(), still.recip().coefficients()), ([0.0; 4], [0.0; 4]));
    let later = Taylor::<f64, 4>::new(0.0, [0.0, 1.0, 0.0, 0.0]).sqrt().coefficients();
    assert_eq!((later[0], later[1]), (0.0, f64::INFINITY));
    // A derivative beyond the range is no finite number, though the power of a small step underflows; one within it is
    // right.
    let far: [f64; 2] = derivatives(|x| Real::digamma(x * 1e-200), 1.0);
    assert!(far[0].is_infinite() && !far[1].is_finite(), "{far:?}");
    let [first, second, third]: [f64; 3] = derivatives(|x| Real::digamma(x * 1e-95), 1.0);
    assert!([first / 1e95, second / -2e95].iter().all(|r| (r - 1.0).abs() < 1e-14) && !third.is_finite());
    let third: [f64; 3] = derivatives(|x| Real::ln_gamma(x * 1e-100), 1.0);
    assert!((third[2] + 2.0).abs() < 1e-13, "{third:?}");
    let large = Taylor::<f64, 2>::new(1e150, [1e155, 0.0]).digamma().coefficients();
    assert!((large[0] / 1e5 - 1.0).abs() < 1e-14 && (large[1] / -5e9 - 1.0).abs() < 1e-14, "{large:?}");
    // Without a direction all orders are NaN.
    let turning: [f64; 3] = derivatives(|t: Taylor<f64, 3>| t.atan2(t * 2.0), 0.0);
    assert!(turning.iter().all(|d| d.is_nan()), "{turning:?}");
    // Requests that do not fit.
    let error = TaylorDyn::<f64, 8>::variable(0.0, 9).unwrap_err();
    assert_eq!(error.to_string(), "TaylorDyn: 9 orders, at most 8 possible");
    let error = tensor::<f64, 8>(|_| unreachable!("no memory"), &[0.0; 500]).unwrap_err();
    // C(507, 8), which memory does not hold.
    let text = "tensor: 102432860235795375 entries do not fit in memory";
    assert_eq!(error.to_string(), text);
    let error = tensor::<f64, 12>(|_| unreachable!("no memory"), &vec![0.0; 10_000]).unwrap_err();
    assert!(error.to_string().contains("tensor"), "{error}");
}
