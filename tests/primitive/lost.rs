//! Values that are NaN, constants with infinite partials, lengths that closures and equations do not expect.

use wengert::primitive::{
    Direction, Equations, FromRule, Iteration, Objective, Rule, argmin, call, fixed_point,
    from_finite_differences, from_jvp, from_jvp_and_vjp, from_vjp, linearize, root,
};
use wengert::{AdError, Dual, DualN, HyperDual, LinearMap, Real, Tape, Var, gradient};

use super::errors::message;

fn lost(op: &'static str, rule: &'static str, result: usize) -> AdError {
    AdError::NotANumber { op, rule, argument: None, x: None, result: Some(result) }
}

/// A NaN value next to a finite derivative, at every kind of number. Plain numbers and constants have no derivative.
#[test]
fn values_that_are_nan() {
    let f = from_jvp_and_vjp(
        "f",
        1,
        |x| vec![x[0][0], x[0][0].sqrt()],
        |_, dx| vec![dx[0][0], 1.0],
        |_, w| vec![vec![w[0]]],
    );
    let want = lost("f", "value", 1);
    assert_eq!(want.to_string(), "f: its value is NaN in result 1, although all its inputs are finite");
    assert_eq!(call(&f, &[&[Dual::variable(-1.0)]]).unwrap_err(), want);
    assert_eq!(call(&f, &[&[DualN::<f64, 2>::variable(-1.0, 1)]]).unwrap_err(), want);
    let tape = Tape::new();
    assert_eq!(call(&f, &[&[tape.variable(-1.0)]]).unwrap_err(), want);
    assert_eq!(linearize(&f, &[&[-1.0]]).err(), Some(want));
    assert!(call(&f, &[&[-1.0_f64]]).unwrap()[1].is_nan());
    assert!(call(&f, &[&[Dual::constant(-1.0_f64)]]).unwrap()[1].value().is_nan());
    assert!(call(&f, &[&[Var::constant(-1.0_f64)]]).unwrap()[1].value().is_nan());
    // NaN of NaN is nobody's fault.
    assert!(call(&f, &[&[Dual::variable(f64::NAN)]]).unwrap()[1].value().is_nan());
    #[derive(Clone)]
    struct Formula;
    impl Rule for Formula {
        fn name(&self) -> &'static str {
            "formula"
        }
        fn arity(&self) -> usize {
            1
        }
        fn supports(&self, direction: Direction) -> bool {
            direction == Direction::Jvp
        }
        fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
            Ok(vec![x[0][0].ln()])
        }
        fn jvp<T: Real<Base = f64>>(&self, _: &[&[T]], _: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
            dx[0].iter().for_each(|dx| dy[0] += dx[0]);
        }
    }
    let x = [HyperDual::variable(-1.0)];
    assert_eq!(call(&FromRule(Formula), &[&x]).unwrap_err(), lost("formula", "value", 0));
    // A linear map that must apply a rule that it lacks, as a forward recording is.
    let (_, map) = linearize(&FromRule(Formula), &[&[1.0]]).unwrap();
    let text = message(|| map.apply_transpose_add(&[1.0], &mut [Some(&mut [0.0])]));
    assert!(text.starts_with("formula has no rule for vjp: state both directions"), "{text}");
}

type Form = fn(&[&[Dual<f64>]]) -> Result<Vec<Dual<f64>>, AdError>;

/// `2y = x₀`, with a solution that is NaN for negative arguments.
#[derive(Clone)]
struct Half;

impl Half {
    fn of(x: f64) -> Result<Vec<f64>, AdError> {
        Ok(vec![x.sqrt().powi(2) / 2.0])
    }
}
impl Equations for Half {
    fn name(&self) -> &'static str {
        "half"
    }
    fn arity(&self) -> Option<usize> {
        Some(1)
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Half::of(x[0][0])
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![y[0] * y[0] * 4.0 - x[0][0] * x[0][0]]
    }
}
impl Iteration for Half {
    fn name(&self) -> &'static str {
        "half"
    }
    fn arity(&self) -> Option<usize> {
        Some(1)
    }
    fn limit(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Half::of(x[0][0])
    }
    fn step<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![(y[0] + x[0][0] * 0.5) * 0.5]
    }
}
impl Objective for Half {
    fn name(&self) -> &'static str {
        "half"
    }
    fn arity(&self) -> Option<usize> {
        Some(1)
    }
    fn minimiser(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Half::of(x[0][0])
    }
    fn value<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> T {
        (y[0] * 2.0 - x[0][0]).powi(2)
    }
}

#[test]
fn solutions_that_are_nan_and_another_number_of_groups() {
    let x = [Dual::variable(-2.0)];
    let forms: [Form; 3] = [|x| root(&Half, x), |x| fixed_point(&Half, x), |x| argmin(&Half, x)];
    for form in forms {
        assert_eq!(form(&[&x]).unwrap_err(), lost("half", "solution", 0));
        let y = form(&[&[Dual::variable(2.0)]]).unwrap()[0];
        assert!((y.tangent() - 0.5).abs() < 1e-15);
        for groups in [vec![], vec![&x[..]; 2]] {
            let got = groups.len();
            let wrong = AdError::Arity { op: "half", what: "groups of arguments", expected: 1, got };
            assert_eq!(form(&groups).unwrap_err(), wrong);
        }
    }
    assert!(root(&Half, &[&[-2.0_f64]]).unwrap()[0].is_nan());
}

/// `x₀√x₁` at a constant zero has the derivative 0 in `x₀`, in both modes.
#[test]
fn a_constant_group_poisons_nothing() {
    let value = |x: &[&[f64]]| vec![x[0][0] * x[1][0].sqrt(), x[0][1]];
    let jvp = |x: &[&[f64]], dx: &[&[f64]]| {
        vec![dx[0][0] * x[1][0].sqrt() + 0.5 * x[0][0] / x[1][0].sqrt() * dx[1][0], dx[0][1]]
    };
    let vjp = |x: &[&[f64]], w: &[f64]| {
        vec![vec![x[1][0].sqrt() * w[0], w[1]], vec![0.5 * x[0][0] / x[1][0].sqrt() * w[0]]]
    };
    let active = |x: &[&[f64]], dx: &[Option<&[f64]>]| {
        let by_first = dx[0].map_or([0.0; 2], |dx| [x[1][0].sqrt() * dx[0], dx[1]]);
        vec![by_first[0] + dx[1].map_or(0.0, |dx| 0.5 * x[0][0] / x[1][0].sqrt() * dx[0]), by_first[1]]
    };
    let both = from_jvp_and_vjp("f", 2, value, jvp, vjp);
    let told = from_jvp("f", 2, value, jvp).with_active_jvp(active);
    let added = from_vjp("f", 2, value, vjp).with_active_jvp(active);
    for f in [&both, &told, &added] {
        let y = call(f, &[&[Dual::new(2.0, 3.0), Dual::new(1.0, 5.0)], &[Dual::constant(0.0)]]).unwrap();
        assert_eq!([y[0].tangent(), y[1].tangent()], [0.0, 5.0]);
        // An active one gives the result of IEEE.
        let y = call(f, &[&[Dual::constant(2.0), Dual::constant(1.0)], &[Dual::variable(0.0)]]).unwrap();
        assert_eq!(y[0].tangent(), f64::INFINITY);
    }
    let zero = [Var::constant(0.0)];
    assert_eq!(gradient(|x| call(&both, &[x, &zero]).unwrap()[0], &[2.0, 1.0]), [0.0, 0.0]);
    // At 1/√x₁ > 0 the opposite choice is the same number.
    let y = call(&both, &[&[Dual::new(2.0, 3.0), Dual::new(1.0, 5.0)], &[Dual::constant(4.0)]]).unwrap();
    assert_eq!(y[0].tangent(), 6.0);
}

#[test]
fn lengths_of_closures() {
    let f = from_jvp_and_vjp(
        "f",
        2,
        |x| vec![x[0][1] * x[1][2]],
        |_, _| vec![0.0],
        |_, _| vec![vec![0.0; 2], vec![0.0; 3]],
    );
    let f = f.with_lengths(&[2, 3]);
    let wrong = AdError::Shape { op: "f", what: "second group", expected: 3, got: 1 };
    assert_eq!(call(&f, &[&[1.0; 2], &[1.0]]).unwrap_err(), wrong);
    let wrong = AdError::Shape { op: "f", what: "first group", expected: 2, got: 3 };
    assert_eq!(call(&f, &[&[Dual::variable(1.0); 3], &[Dual::variable(1.0); 3]]).unwrap_err(), wrong);
    let wrong = AdError::Arity { op: "f", what: "groups of arguments", expected: 2, got: 1 };
    assert_eq!(call(&f, &[&[1.0; 2]]).unwrap_err(), wrong);
    assert_eq!(call(&f, &[&[1.0; 2], &[1.0; 3]]).unwrap(), [1.0]);
    let text = message(|| drop(f.with_lengths(&[1])));
    assert_eq!(text, "f: 1 lengths of groups given, expected 2");
}

/// Opaque code with fewer or more results, at points next to the given one.
#[test]
fn opaque_code_of_another_length_beside_the_point() {
    for other in [0, 1, 3] {
        let f =
            from_finite_differences("f", 1, move |x| vec![x[0][0]; if x[0][0] == 2.0 { 2 } else { other }]);
        let said = format!("f: the list of results near the argument has length {other}, expected 2");
        assert_eq!(message(|| drop(call(&f, &[&[Dual::variable(2.0)]]))), said);
        assert_eq!(message(|| assert_eq!(gradient(|x| call(&f, &[x]).unwrap()[0], &[2.0]), [1.0])), said);
    }
}
