//! Roots, fixed points and minima compared with their closed forms, to third order.

use wengert::primitive::{Equations, Iteration, Objective, argmin, fixed_point, implicit_root, root};
use wengert::{AdError, Dual, Real, Tape, Var, check, function, gradient};

use super::forms::every_type;
use crate::support::routes::Program;

/// `M(x)·eʸ = r(x)`, three unknowns and twelve parameters: `M` by rows, with 4 on its diagonal, and `r`.
#[derive(Clone)]
struct Logarithms;

fn determinant<T: Real<Base = f64>>(m: [[T; 3]; 3]) -> T {
    let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
    m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1)
}

fn matrix<T: Real<Base = f64>>(x: &[T]) -> [[T; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| x[3 * i + j] + if i == j { 4.0 } else { 0.0 }))
}

/// `ln(M⁻¹r)` by Cramer's rule.
fn logarithms<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
    let m = matrix(x);
    let with = |column: usize| {
        let mut m = m;
        (0..3).for_each(|i| m[i][column] = x[9 + i]);
        determinant(m)
    };
    (0..3).map(|k| (with(k) / determinant(m)).ln()).collect()
}

fn equations<T: Real<Base = f64>>(x: &[T], y: &[T]) -> Vec<T> {
    let row = |row: &[T; 3], r: T| row.iter().zip(y).map(|(&m, y)| m * y.exp()).fold(-r, |s, t| s + t);
    matrix(x).iter().zip(&x[9..]).map(|(m, &r)| row(m, r)).collect()
}

impl Equations for Logarithms {
    fn name(&self) -> &'static str {
        "logarithms"
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(logarithms(x[0]))
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        equations(x[0], y)
    }
}

struct ByEquations;
struct ByFormula;

impl Program for ByEquations {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        root(&Logarithms, &[x]).unwrap()
    }
}
impl Program for ByFormula {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        logarithms(x)
    }
}

const PARAMETERS: [f64; 12] = [0.5, -0.3, 0.8, 0.2, -0.7, 0.4, -0.1, 0.6, 0.9, 3.0, 2.5, 4.0];

#[test]
fn a_system_of_three_unknowns_and_twelve_parameters() {
    every_type!(ByEquations, ByFormula, &PARAMETERS, 500.0);
    let f = function!(|x, y: [_; 3]| y.copy_from_slice(&root(&Logarithms, &[x]).unwrap()));
    check::function(&f, &PARAMETERS).assert_ok();
    assert!(check::uses_rule("logarithms", |x| root(&Logarithms, &[x]), &PARAMETERS));
}

/// As a closure: every number type, every order that the harness has.
#[test]
fn a_closure_has_the_derivatives_of_the_closed_form() {
    every_type!(ByClosure, ByFormula, &PARAMETERS, 500.0);
    every_type!(ByCapture, ByFormula, &PARAMETERS, 500.0);
    let f = function!(|x, y: [_; 3]| y.copy_from_slice(&ByClosure.call(x)));
    check::function(&f, &PARAMETERS).assert_ok();
}

/// Fourth derivatives, by nests of both modes: `y⁵ + y = x` against the same of the inverse function, Newton's steps
/// carried through at the number type itself.
#[test]
fn a_closure_to_fourth_order() {
    fn by_closure<T: Real<Base = f64>>(x: T) -> T {
        let found =
            (0..100).fold(1.0, |y: f64, _| y - (y.powi(5) + y - x.primal()) / (5.0 * y.powi(4) + 1.0));
        implicit_root(|x, y| [y[0].powi(5) + y[0] - x[0]], &[x], &[found]).unwrap()[0]
    }
    fn by_newton<T: Real<Base = f64>>(x: T) -> T {
        (0..100).fold(T::lit(1.0), |y, _| y - (y.powi(5) + y - x) / (y.powi(4) * 5.0 + 1.0))
    }
    type D<T> = Dual<T>;
    for at in [0.3, 2.0, 40.0] {
        let x = D::variable(D::variable(D::variable(D::variable(at))));
        let fourth = |y: D<D<D<D<f64>>>>| y.tangent().tangent().tangent().tangent();
        let (got, want) = (fourth(by_closure(x)), fourth(by_newton(x)));
        assert!((got - want).abs() <= 1e-12 * want.abs(), "{at}: {got:e} {want:e}");
        let tape = Tape::new();
        let x = tape.variable(D::variable(D::variable(D::variable(at))));
        let third = tape.cotangents(by_closure(x)).of(x).tangent().tangent().tangent();
        assert!((third - want).abs() <= 1e-12 * want.abs(), "{at}: {third:e} {want:e}");
    }
}

#[test]
fn what_a_closure_does_not_define_is_an_error() {
    let x = [Dual::variable(0.0)];
    let singular = |x: &[Dual<Dual<f64>>], y: &[Dual<Dual<f64>>]| [y[0] + y[1] - x[0], y[0] + y[1] + x[0]];
    let error = implicit_root(singular, &x, &[0.0, 0.0]).unwrap_err();
    assert_eq!(error, AdError::Singular { op: "implicit_root" });
    let error = implicit_root(|x, y| [y[0] - x[0]], &x, &[0.0, 0.0]).unwrap_err();
    assert_eq!(error, AdError::Shape { op: "implicit_root", what: "residual", expected: 2, got: 1 });
    let error = implicit_root(|x, y| [y[0] - x[0]], &x, &[f64::NAN]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "implicit_root: its solution is NaN in result 0, although all its inputs are finite"
    );
    let error = implicit_root(|x, y| [y[0].ln() - x[0]], &x, &[-1.0]).unwrap_err();
    assert!(
        error.to_string().starts_with("implicit_root: its derivative with respect to the unknowns is NaN"),
        "{error}"
    );
    // Values need no equations; constants have no derivatives.
    assert_eq!(implicit_root(|x: &[Dual<f64>], _| [x[0]; 0], &[0.0], &[5.0]).unwrap(), [5.0]);
    assert_eq!(implicit_root(|_, _| Vec::new(), &x, &[]).unwrap().len(), 0);
    let held =
        gradient(|x: &[Var<f64>]| implicit_root(|_, y| [y[0] - 2.0], x, &[2.0]).unwrap()[0], &[1.0, 2.0]);
    assert_eq!(held, [0.0, 0.0]);
}

/// `g_y` is evaluated at constants where a tangent of `x` would make NaN of a strong zero: `∂√(xy)/∂y` at 0.
#[test]
fn derivatives_by_the_unknowns_have_strong_zeros() {
    let y = implicit_root(|x, y| [y[0] + (x[0] * y[0]).sqrt()], &[Dual::variable(0.0)], &[0.0]).unwrap();
    assert_eq!((y[0].value(), y[0].tangent()), (0.0, 0.0));
}

/// Systems of all sizes with and without memory on the stack: `yᵢ³ + 3yᵢ + Σ y = xᵢ` at 1, so `(6I + 11ᵀ) ẏ = ẋ`.
#[test]
fn systems_of_one_to_six_unknowns() {
    for n in 1..7 {
        let x: Vec<Dual<f64>> = (0..n).map(|i| Dual::new(4.0 + n as f64, 1.0 + i as f64)).collect();
        let g = |x: &[Dual<Dual<f64>>], y: &[Dual<Dual<f64>>]| {
            let sum = y.iter().skip(1).fold(y[0], |sum, &y| sum + y);
            x.iter().zip(y).map(|(&x, &y)| y * y * y + y * 3.0 + sum - x).collect::<Vec<_>>()
        };
        let y = implicit_root(g, &x, &vec![1.0; n]).unwrap();
        let total = x.iter().map(|x| x.tangent()).sum::<f64>() / (6.0 + n as f64);
        for (x, y) in x.iter().zip(&y) {
            let want = (x.tangent() - total) / 6.0;
            assert!((y.tangent() - want).abs() < 1e-14 && y.value() == 1.0, "{n}: {y} {want}");
        }
    }
}

/// `y = √x₀ · x₁` as the fixed point of Heron's step, where the derivative of the step vanishes.
#[derive(Clone)]
struct Heron;

impl Iteration for Heron {
    fn name(&self) -> &'static str {
        "heron"
    }
    fn limit(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![x[0][0].sqrt() * x[0][1]])
    }
    fn step<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![(y[0] + x[0][0] * x[0][1] * x[0][1] / y[0]) * 0.5]
    }
}

/// `(y − x₀)² + x₁y² + x₂(y² + z² − 2z)`: `y = x₀/(1 + x₁ + x₂)`, `z = 1`; and with weights, two variables coupled.
#[derive(Clone)]
struct Coupled;

impl Objective for Coupled {
    fn name(&self) -> &'static str {
        "coupled"
    }
    fn minimiser(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(minimiser(x[0]))
    }
    fn value<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> T {
        let x = x[0];
        y[0].exp() - x[0] * y[0] + (y[1] - y[0] * x[1]).powi(2) * x[2].exp()
    }
}

fn minimiser<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
    vec![x[0].ln(), x[0].ln() * x[1]]
}

macro_rules! programs {
    ($($Name:ident: |$x:ident| $body:expr;)*) => {$(
        struct $Name;
        impl Program for $Name {
            fn call<T: Real<Base = f64>>(&self, $x: &[T]) -> Vec<T> { $body }
        }
    )*};
}
programs! {
    Fixed: |x| fixed_point(&Heron, &[x]).unwrap();
    ByClosure: |x| {
        let found = logarithms(&x.iter().map(|x| x.primal()).collect::<Vec<_>>());
        implicit_root(equations, x, &found).unwrap()
    };
    // Half of the parameters are arguments, the others are captured.
    ByCapture: |x| {
        let found = logarithms(&x.iter().map(|x| x.primal()).collect::<Vec<_>>());
        let rest: Vec<Dual<T>> = x[6..].iter().map(|&x| Dual::constant(x)).collect();
        implicit_root(|x, y| equations(&[x, &rest].concat(), y), &x[..6], &found).unwrap()
    };
    FixedForm: |x| vec![x[0].sqrt() * x[1]];
    Least: |x| argmin(&Coupled, &[x]).unwrap();
    LeastForm: |x| minimiser(x);
}

#[test]
fn fixed_points_and_minima_have_the_derivatives_of_their_closed_forms() {
    every_type!(Fixed, FixedForm, &[2.0, 1.5], 100.0);
    every_type!(Least, LeastForm, &[2.0, 0.7, -0.3], 500.0);
}

/// Nine unknowns: more than the lanes of one pass, for equations and for gradients of objectives.
#[test]
fn more_unknowns_than_lanes() {
    #[derive(Clone)]
    struct Chain;
    impl Objective for Chain {
        fn name(&self) -> &'static str {
            "chain"
        }
        fn minimiser(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
            Ok(x[0].iter().map(|x| x / 3.0).collect())
        }
        fn value<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> T {
            let term = |(&x, &y): (&T, &T)| (y - x).powi(2) + y * y * 2.0;
            x[0].iter().zip(y).map(term).fold(T::lit(0.0), |s, t| s + t)
        }
    }
    let x: Vec<f64> = (0..19).map(|i| i as f64 - 8.5).collect();
    let y = |x: &[Dual<f64>]| argmin(&Chain, &[x]).unwrap();
    for i in [0, 7, 8, 18] {
        let seeded: Vec<_> = (0..19).map(|k| Dual::new(x[k], if k == i { 1.0 } else { 0.0 })).collect();
        for (k, y) in y(&seeded).iter().enumerate() {
            let want = if k == i { 1.0 / 3.0 } else { 0.0 };
            assert!((y.tangent() - want).abs() < 1e-15, "{i} {k} {y}");
        }
    }
}

#[test]
fn what_defines_no_result_is_an_error() {
    #[derive(Clone)]
    struct Faulty(&'static str);
    impl Equations for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }
        fn solution(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> {
            if self.0 == "lost" { Err(AdError::NoConvergence { op: "faulty" }) } else { Ok(vec![0.0, 0.0]) }
        }
        fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
            match self.0 {
                "singular" => vec![y[0] + y[1] - x[0][0], y[0] + y[1] + x[0][0]],
                _ => vec![y[0] - x[0][0]],
            }
        }
    }
    let x = [Dual::variable(0.0)];
    assert_eq!(root(&Faulty("singular"), &[&x]).unwrap_err(), AdError::Singular { op: "faulty" });
    assert_eq!(root(&Faulty("lost"), &[&x]).unwrap_err(), AdError::NoConvergence { op: "faulty" });
    let wrong = AdError::Shape { op: "faulty", what: "residual", expected: 2, got: 1 };
    assert_eq!(root(&Faulty("short"), &[&x]).unwrap_err(), wrong);
    // Values need no equations.
    assert_eq!(root(&Faulty("singular"), &[&[0.0]]).unwrap(), [0.0, 0.0]);
    assert_eq!(root(&Faulty("singular"), &[&[Dual::constant(0.0)]]).unwrap()[0].value(), 0.0);
}
