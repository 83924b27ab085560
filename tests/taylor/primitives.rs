//! Primitives of users and implicit functions at power series, against closed forms and nested duals.

use wengert::primitive::{Equations, by_recurrence, call, from_jvp, from_jvp_and_vjp, implicit_root, root};
use wengert::{AdError, Dual, Number, Real, Taylor, TaylorDyn};

use crate::panics::text_of;

/// `y³ + y = x₀ + x₁²`.
#[derive(Clone)]
struct Cubic;

fn solved(c: f64) -> f64 {
    (0..60).fold(c, |y, _| y - (y * y * y + y - c) / (3.0 * y * y + 1.0))
}

impl Equations for Cubic {
    fn name(&self) -> &'static str {
        "cubic"
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![solved(x[0][0] + x[0][1] * x[0][1])])
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![y[0] * y[0] * y[0] + y[0] - x[0][0] - x[0][1] * x[0][1]]
    }
}

fn by_root<T: Real<Base = f64>>(x: T) -> T {
    root(&Cubic, &[&[x, Number::sin(x)]]).unwrap()[0]
}

fn by_closure<T: Real<Base = f64>>(x: T) -> T {
    let x = [x, Number::sin(x)];
    let found = solved(x[0].primal() + x[1].primal().powi(2));
    let y = implicit_root(|x, y| [y[0] * y[0] * y[0] + y[0] - x[0] - x[1] * x[1]], &x, &[found]);
    y.unwrap()[0]
}

/// The residual of the cubic at a series vanishes in all orders.
#[test]
fn implicit_functions_have_series() {
    let x = Taylor::<f64, 12>::new(0.8, std::array::from_fn(|k| 0.5 / (k * k + 1) as f64));
    for y in [by_root(x), by_closure(x)] {
        let residual = y * y * y + y - x - x.sin() * x.sin();
        assert!(residual.coefficients().iter().all(|r| r.abs() < 1e-13), "{residual:?}");
    }
    for order in 0..=12 {
        let known: Vec<f64> = (0..=order).map(|k| x.coefficient(k)).collect();
        let y = by_root(TaylorDyn::<f64, 12>::new(&known).unwrap());
        assert_eq!((y.order(), y.value()), (order, by_root(x).value()));
        let off = |(a, b): (&f64, f64)| (a - b).abs() > 1e-14 * (1.0 + b.abs());
        assert!(!y.coefficients().iter().zip(by_root(x).coefficients()).any(off), "{y:?}");
    }
    let nested = by_root(Dual::variable(Dual::variable(Dual::variable(0.8))));
    let third = by_root(Taylor::<f64, 3>::variable(0.8)).derivatives()[2];
    assert!((third - nested.tangent().tangent().tangent()).abs() < 1e-12 * third.abs());
}

/// Closures over primal numbers have only first derivatives: order one works, and a higher order is an error, as for
/// nested duals.
#[test]
fn closures_have_one_order() {
    let value = |x: &[&[f64]]| vec![x[0][0].powi(3)];
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| vec![3.0 * x[0][0].powi(2) * dx[0][0]];
    let vjp = |x: &[&[f64]], w: &[f64]| vec![vec![3.0 * x[0][0].powi(2) * w[0]]];
    for cube in [from_jvp("cube", 1, value, jvp), from_jvp_and_vjp("cube", 1, value, jvp, vjp)] {
        let y = call(&cube, &[&[Taylor::<f64, 1>::variable(2.0)]]).unwrap();
        assert_eq!((y[0].value(), y[0].coefficients()), (8.0, [12.0]));
        let y = call(&cube, &[&[TaylorDyn::<f64, 4>::variable(2.0, 1).unwrap()]]).unwrap();
        assert_eq!((y[0].order(), y[0].coefficients()), (1, &[12.0][..]));
        let nested = call(&cube, &[&[Dual::variable(Dual::variable(2.0))]]).unwrap_err();
        assert_eq!(call(&cube, &[&[Taylor::<f64, 2>::variable(2.0)]]).unwrap_err(), nested);
        let y = call(&cube, &[&[Taylor::<f64, 4>::from(2.0)]]).unwrap();
        assert_eq!((y[0].value(), y[0].coefficients()), (8.0, [0.0; 4]));
    }
}

#[test]
fn recurrences_stay_within_the_room_of_the_series() {
    let x = TaylorDyn::<f64, 3>::variable(2.0, 3).unwrap();
    let to =
        |n| by_recurrence(&[&[x]], vec![4.0], n, |orders| vec![if orders.next() == 1 { 4.0 } else { 0.0 }]);
    assert_eq!(to(3)[0].coefficients(), [4.0, 0.0, 0.0]);
    assert_eq!(text_of(|| to(4)), "wengert: a series of order 4, whose type has room for 3");
}
