//! A rule that lacks a direction, or is wrong, gets an error by name.

use std::panic::{AssertUnwindSafe, catch_unwind};

use num_complex::Complex64;
use wengert::primitive::{
    Direction, FromRule, Rule, call, from_complex_step, from_finite_differences, from_jvp, from_jvp_and_vjp,
    from_vjp,
};
use wengert::{AdError, Dual, Dual2, DualN, HyperDual, Number, Tape, Var};

fn value(x: &[&[f64]]) -> Vec<f64> {
    vec![x[0][0] * x[1][0]]
}
fn jvp(x: &[&[f64]], dx: &[&[f64]]) -> Vec<f64> {
    vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0]]
}
fn vjp(x: &[&[f64]], w: &[f64]) -> Vec<Vec<f64>> {
    vec![vec![x[1][0] * w[0]], vec![x[0][0] * w[0]]]
}

fn lacks(rule: &'static str) -> AdError {
    AdError::Unsupported { op: "product", rule }
}

fn refusal<T: Number, R: wengert::primitive::Primitive<T::Primal>>(rule: &R, x: T, y: T) -> AdError {
    call(rule, &[&[x], &[y]]).unwrap_err()
}

pub fn message(f: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("a panic");
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).expect("text")
}

/// A rule by formulas with the directions of its name.
#[derive(Clone)]
struct Product(&'static [Direction]);

impl Rule for Product {
    fn name(&self) -> &'static str {
        "product"
    }
    fn arity(&self) -> usize {
        2
    }
    fn supports(&self, direction: Direction) -> bool {
        self.0.contains(&direction)
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        if x[0][0] < 0.0 { Err(AdError::NoConvergence { op: "product" }) } else { Ok(value(x)) }
    }
}

#[test]
fn a_direction_that_is_missing_is_named() {
    let tape = Tape::new();
    let v = tape.variable(2.0);
    let forward = from_jvp("product", 2, value, jvp);
    let backward = from_vjp("product", 2, value, vjp);
    assert_eq!(refusal(&forward, v, v), lacks("vjp"));
    assert_eq!(refusal(&forward, v, Var::constant(1.0)), lacks("vjp"));
    let outer = Tape::new();
    assert_eq!(
        refusal(&forward, outer.variable(Dual::variable(2.0)), Var::constant(Dual::constant(1.0))),
        lacks("vjp")
    );
    assert_eq!(refusal(&backward, Dual::variable(2.0), Dual::constant(1.0)), lacks("jvp"));
    assert_eq!(refusal(&backward, DualN::<f64, 3>::variable(2.0, 1), DualN::constant(1.0)), lacks("jvp"));
    assert_eq!(refusal(&backward, HyperDual::variable(2.0), HyperDual::constant(1.0)), lacks("jvp"));
    assert_eq!(
        refusal(&backward, outer.variable(Dual::variable(2.0)), Var::constant(Dual::constant(1.0))),
        lacks("jvp")
    );
    for rule in ["jvp", "vjp"] {
        assert_eq!(
            lacks(rule).to_string(),
            format!(
                "product has no rule for {rule}: state both directions, by `from_jvp_and_vjp`, or for second \
                 derivatives in a `primitive::Rule`"
            )
        );
    }
    // Nothing is refused where nothing is needed: values, and constants of any type.
    assert_eq!(call(&backward, &[&[2.0], &[3.0]]).unwrap(), [6.0]);
    assert_eq!(call(&backward, &[&[Dual::constant(2.0)], &[Dual::constant(3.0)]]).unwrap()[0].value(), 6.0);
    assert_eq!(call(&forward, &[&[Var::constant(2.0)], &[Var::constant(3.0)]]).unwrap()[0].value(), 6.0);
    // Nothing is left on the tape of a refused call.
    assert_eq!((tape.stats().nodes, tape.primitives().len()), (1, 0));
}

#[test]
fn formulas_that_are_missing_are_named() {
    let tape = Tape::new();
    let v = tape.variable(2.0);
    let stated = |directions| FromRule(Product(directions));
    assert_eq!(refusal(&stated(&[]), Dual::variable(1.0), Dual::variable(1.0)), lacks("jvp"));
    assert_eq!(refusal(&stated(&[Direction::Jvp]), v, v), lacks("vjp"));
    assert_eq!(
        refusal(&stated(&[]), Dual::variable(-1.0), Dual::variable(1.0)),
        AdError::NoConvergence { op: "product" }
    );
    // A claim without a formula.
    let claims = stated(&[Direction::Jvp, Direction::Vjp]);
    let text = message(|| drop(call(&claims, &[&[Dual::variable(1.0)], &[Dual::variable(1.0)]])));
    assert_eq!(text, "product: the rule claims to support jvp, but does not implement it");
    let text = message(|| drop(tape.cotangents(call(&claims, &[&[v], &[v]]).unwrap()[0])));
    assert_eq!(text, "product: the rule claims to support vjp, but does not implement it");
}

#[test]
fn a_wrong_number_of_groups_is_named() {
    let x = [Dual::variable(1.0)];
    for (got, groups) in [(1, vec![&x[..]]), (3, vec![&x[..]; 3]), (0, vec![])] {
        let wrong = AdError::Arity { op: "product", what: "groups of arguments", expected: 2, got };
        assert_eq!(call(&from_jvp("product", 2, value, jvp), &groups).unwrap_err(), wrong);
        assert_eq!(call(&FromRule(Product(&[])), &groups).unwrap_err(), wrong);
        assert_eq!(call(&from_finite_differences("product", 2, value), &groups).unwrap_err(), wrong);
    }
    let text = call(&FromRule(Product(&[])), &[&x]).unwrap_err().to_string();
    assert_eq!(text, "product: 1 groups of arguments given, expected 2");
}

#[test]
fn closures_of_wrong_lengths_are_named() {
    let x: [&[Dual<f64>]; 2] = [&[Dual::variable(1.0)], &[Dual::variable(2.0)]];
    let long = from_jvp("product", 2, value, |_, _| vec![1.0, 2.0]);
    let text = message(|| drop(call(&long, &x)));
    assert_eq!(text, "product: the tangent of its jvp has length 2, expected 1");
    let tape = Tape::new();
    let v = tape.variables(&[1.0, 2.0]);
    let sweep = |rule: wengert::primitive::Closures| {
        let y = call(&rule, &[&v[..1], &v[1..]]).unwrap()[0];
        message(|| drop(tape.cotangents(y)))
    };
    let few = sweep(from_vjp("product", 2, value, |_, _| vec![vec![1.0]]));
    assert_eq!(few, "product: the list of cotangents of its vjp has length 1, expected 2");
    let long = sweep(from_vjp("product", 2, value, |_, _| vec![vec![1.0], vec![1.0, 2.0]]));
    assert_eq!(long, "product: the cotangent of its vjp has length 2, expected 1");
}

/// A rule that would index out of bounds first reports the lengths that it expects.
#[test]
fn groups_of_wrong_lengths_are_named() {
    #[derive(Clone)]
    struct Matched;
    impl Rule for Matched {
        fn name(&self) -> &'static str {
            "matched"
        }
        fn arity(&self) -> usize {
            2
        }
        fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
            AdError::check_len("matched", "second group", lengths[0], lengths[1])
        }
        fn supports(&self, _: Direction) -> bool {
            true
        }
        fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
            Ok((0..x[0].len()).map(|i| x[0][i] + x[1][i]).collect())
        }
    }
    let wrong = AdError::Shape { op: "matched", what: "second group", expected: 2, got: 1 };
    assert_eq!(wrong.to_string(), "matched: the second group has length 1, expected 2");
    assert_eq!(call(&FromRule(Matched), &[&[1.0, 2.0], &[3.0]]).unwrap_err(), wrong);
    let x = [1.0, 2.0].map(Dual::variable);
    assert_eq!(call(&FromRule(Matched), &[&x, &x[..1]]).unwrap_err(), wrong);
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0]);
    assert_eq!(call(&FromRule(Matched), &[&x, &x[..1]]).unwrap_err(), wrong);
    let x = [1.0f64, 2.0].map(|x| HyperDual::variable(Dual::variable(x)));
    assert_eq!(call(&FromRule(Matched), &[&x, &x[..1]]).unwrap_err(), wrong);
    // The number of groups comes before their lengths.
    let arity = AdError::Arity { op: "matched", what: "groups of arguments", expected: 2, got: 1 };
    assert_eq!(call(&FromRule(Matched), &[&x]).unwrap_err(), arity);
}

#[test]
fn second_derivatives_of_closures_are_refused() {
    let both = from_jvp_and_vjp("product", 2, value, jvp, vjp);
    let complex = from_complex_step("product", 2, |x: &[&[Complex64]]| vec![x[0][0] * x[1][0]]);
    for rule in [both, from_finite_differences("product", 2, value), complex] {
        let second = lacks("second order");
        assert_eq!(refusal(&rule, HyperDual::variable(2.0), HyperDual::constant(1.0)), second);
        assert_eq!(refusal(&rule, Dual2::<f64, 1, 1>::variable(2.0, 0), Dual2::constant(1.0)), second);
        assert_eq!(
            refusal(&rule, Dual::variable(Dual::variable(2.0)), Dual::constant(Dual::constant(1.0))),
            second
        );
        let tape = Tape::new();
        assert_eq!(
            refusal(&rule, tape.variable(Dual::variable(2.0)), Var::constant(Dual::constant(1.0))),
            second
        );
        let (outer, inner) = (Tape::new(), Tape::new());
        let x = inner.variable(outer.variable(2.0));
        assert_eq!(refusal(&rule, x, Var::constant(Var::constant(1.0))), second);
    }
}

#[test]
fn real_rules_refuse_complex_numbers() {
    let z = Complex64::new(1.0, 2.0);
    let complex = lacks("complex numbers");
    assert_eq!(refusal(&from_jvp_and_vjp("product", 2, value, jvp, vjp), z, z), complex);
    assert_eq!(refusal(&FromRule(Product(&[])), Dual::variable(z), Dual::constant(z)), complex);
}

/// The message of `unwrap` is the text of the error.
#[test]
fn errors_are_shown_by_their_text() {
    let square = from_jvp("square", 1, |x| vec![x[0][0] * x[0][0]], |x, dx| vec![2.0 * x[0][0] * dx[0][0]]);
    let refused = call(&square, &[&[HyperDual::variable(3.0)]]).unwrap_err();
    let text = refused.to_string();
    assert!(
        text.starts_with("square has no rule for second order: state its formulas as a `primitive::Rule`")
    );
    assert!(text.contains("from_jvp_and_vjp"), "{text}");
    let wrong = AdError::check_len("scaled", "matrix", 6, 4).unwrap_err();
    for error in [refused, wrong] {
        assert_eq!(format!("{error:?}"), error.to_string());
        let text = error.to_string();
        let result: Result<(), AdError> = std::hint::black_box(Err(error));
        let shown = std::panic::catch_unwind(|| result.unwrap()).unwrap_err();
        assert!(shown.downcast_ref::<String>().unwrap().ends_with(&text));
    }
}
