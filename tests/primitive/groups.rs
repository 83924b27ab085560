//! Implicit results of several groups of parameters; constant groups cost nothing.

use std::cell::RefCell;

use num_complex::Complex64;
use wengert::primitive::{
    Closures, Equations, Iteration, Objective, argmin, call, fixed_point, from_complex_step,
    from_finite_differences, root,
};
use wengert::{AdError, Dual, DualN, Number, Real, Tape, Var};

use super::forms::every_type;
use crate::support::routes::Program;

thread_local! {
    /// The evaluations of residuals: the number type, and which groups had derivatives.
    static SEEN: RefCell<Vec<(&'static str, Vec<bool>)>> = const { RefCell::new(Vec::new()) };
}

fn see<T: Real>(groups: &[&[T]]) {
    let active = groups.iter().map(|x| x.iter().any(|x| !x.is_constant())).collect();
    SEEN.with_borrow_mut(|seen| seen.push((std::any::type_name::<T>(), active)));
}

/// The evaluations since the last call, by the first letters of the number type that tell them apart.
fn seen() -> Vec<(String, Vec<bool>)> {
    let short = |name: &str| name.replace("wengert::duals::", "").replace("wengert::tapes::", "");
    let short = |name: &str| short(name).replace("dual_n::", "").replace("dual::", "").replace("var::", "");
    SEEN.take().into_iter().map(|(name, active)| (short(name), active)).collect()
}

/// `exp(yᵢ)·x₀ᵢ + x₁₀ = x₂ᵢ`: `yᵢ = ln((x₂ᵢ − x₁₀)/x₀ᵢ)`, as equations and as a step of Newton's.
#[derive(Clone)]
struct Logarithms;

fn logarithms<T: Real<Base = f64>>(x: &[&[T]]) -> Vec<T> {
    (0..x[0].len()).map(|i| ((x[2][i] - x[1][0]) / x[0][i]).ln()).collect()
}

impl Equations for Logarithms {
    fn name(&self) -> &'static str {
        "logarithms"
    }
    fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
        AdError::check_len("logarithms", "list of groups", 3, lengths.len())?;
        AdError::check_len("logarithms", "group of offsets", 1, lengths[1])?;
        AdError::check_len("logarithms", "group of values", lengths[0], lengths[2])
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(logarithms(x))
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        see(&[x[0], x[1], x[2], y]);
        (0..y.len()).map(|i| y[i].exp() * x[0][i] + x[1][0] - x[2][i]).collect()
    }
}

impl Iteration for Logarithms {
    fn name(&self) -> &'static str {
        "logarithms by steps"
    }
    fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
        Equations::check(self, lengths)
    }
    fn limit(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(logarithms(x))
    }
    fn step<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        (0..y.len()).map(|i| y[i] - 1.0 + (x[2][i] - x[1][0]) / x[0][i] * (-y[i]).exp()).collect()
    }
}

/// `Σᵢ x₀ᵢ eʸⁱ − (x₂ᵢ − x₁₀) yᵢ` has the same minimum.
impl Objective for Logarithms {
    fn name(&self) -> &'static str {
        "logarithms by a minimum"
    }
    fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
        Equations::check(self, lengths)
    }
    fn minimiser(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(logarithms(x))
    }
    fn value<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> T {
        let term = |i: usize| x[0][i] * y[i].exp() - (x[2][i] - x[1][0]) * y[i];
        (0..y.len()).map(term).fold(T::lit(0.0), |s, t| s + t)
    }
}

/// The groups, with one of them constant: none for 3.
#[derive(Clone, Copy)]
struct Grouped(fn() -> Form, usize);
enum Form {
    Formula,
    Root,
    Fixed,
    Least,
}

impl Program for Grouped {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let mut groups = [x[..3].to_vec(), x[3..4].to_vec(), x[4..].to_vec()];
        groups.iter_mut().skip(self.1).take(1).for_each(|x| x.iter_mut().for_each(|x| *x = x.detach()));
        let [a, b, c] = &groups;
        let x: [&[T]; 3] = [a, b, c];
        match self.0() {
            Form::Formula => logarithms(&x),
            Form::Root => root(&Logarithms, &x).unwrap(),
            Form::Fixed => fixed_point(&Logarithms, &x).unwrap(),
            Form::Least => argmin(&Logarithms, &x).unwrap(),
        }
    }
}

const POINT: [f64; 7] = [0.5, 1.5, 2.0, -0.25, 1.0, 2.5, 0.75];

#[test]
fn every_number_type_takes_groups() {
    for constant in 0..=3 {
        let formula = Grouped(|| Form::Formula, constant);
        every_type!(Grouped(|| Form::Root, constant), formula, &POINT, 100.0);
        every_type!(Grouped(|| Form::Fixed, constant), formula, &POINT, 100.0);
        every_type!(Grouped(|| Form::Least, constant), formula, &POINT, 100.0);
    }
}

fn jacobian() -> (String, Vec<bool>) {
    ("DualN<f64, 8>".into(), vec![false, false, false, true])
}

#[test]
fn tangents_take_one_evaluation_beside_the_jacobian_of_the_unknowns() {
    seen();
    let a = [0.5, 1.5].map(Dual::constant);
    let b = [Dual::variable(-0.25)];
    let c = [1.0, 2.5].map(Dual::constant);
    root(&Logarithms, &[&a, &b, &c]).unwrap();
    assert_eq!(seen(), [jacobian(), ("Dual<f64>".into(), vec![false, true, false, false])]);
    // All lanes together.
    let lanes = |x: [f64; 2], i: usize| [DualN::<f64, 5>::variable(x[0], i), DualN::variable(x[1], i + 1)];
    let b = [DualN::constant(-0.25)];
    root(&Logarithms, &[&lanes([0.5, 1.5], 0), &b, &lanes([1.0, 2.5], 2)]).unwrap();
    assert_eq!(seen(), [jacobian(), ("DualN<f64, 5>".into(), vec![true, false, true, false])]);
    // Constants need no equations at all.
    root(&Logarithms, &[&a, &[Dual::constant(-0.25)], &c]).unwrap();
    root(&Logarithms, &[&[0.5], &[-0.25], &[1.0]]).unwrap();
    assert_eq!(seen(), []);
    // Nine unknowns are two passes.
    let (a, c) = ([Dual::variable(2.0); 9], [Dual::constant(3.0); 9]);
    root(&Logarithms, &[&a, &[Dual::constant(-0.25)], &c]).unwrap();
    let names: Vec<_> = seen().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["DualN<f64, 8>", "DualN<f64, 8>", "Dual<f64>"]);
}

#[test]
fn cotangents_take_one_evaluation_with_the_wanted_groups() {
    seen();
    let tape = Tape::new();
    let (a, c) = ([Var::constant(0.5), Var::constant(1.5)], tape.variables(&[1.0, 2.5]));
    let b = tape.variable(-0.25);
    let y = root(&Logarithms, &[&a, &[b], &c]).unwrap();
    assert_eq!(seen(), [jacobian()]);
    let pull = || ("Var<f64>".to_string(), vec![false, true, true, false]);
    let dy = tape.cotangents(y[1]);
    assert!((dy.of(c[1]) - 1.0 / 2.75).abs() < 1e-15 && (dy.of(b) + 1.0 / 2.75).abs() < 1e-15);
    assert_eq!((dy.of(c[0]), seen()), (0.0, vec![pull()]));
    tape.cotangents(y[0]);
    assert_eq!(seen(), [pull()]);
    // One group of three.
    let c = c.map_constant();
    let y = root(&Logarithms, &[&a, &[b], &c]).unwrap();
    seen();
    tape.cotangents(y[0] + y[1]);
    assert_eq!(seen(), [("Var<f64>".to_string(), vec![false, true, false, false])]);
}

trait MapConstant {
    fn map_constant(&self) -> Vec<Var<f64>>;
}

impl MapConstant for Vec<Var<f64>> {
    fn map_constant(&self) -> Vec<Var<f64>> {
        self.iter().map(|x| Var::constant(x.value())).collect()
    }
}

#[test]
fn groups_of_wrong_lengths_are_named_before_anything_is_computed() {
    let list = AdError::Shape { op: "logarithms", what: "list of groups", expected: 3, got: 1 };
    let offsets = AdError::Shape { op: "logarithms", what: "group of offsets", expected: 1, got: 0 };
    let values = AdError::Shape { op: "logarithms", what: "group of values", expected: 2, got: 1 };
    let tape = Tape::new();
    let v = tape.variables(&[1.0, 2.0]);
    let d = [Dual::variable(1.0), Dual::variable(2.0)];
    for (expected, lengths) in [(list, vec![1]), (offsets, vec![2, 0, 2]), (values, vec![2, 1, 1])] {
        let plain: Vec<&[f64]> = lengths.iter().map(|&n| &[1.0, 2.0][..n]).collect();
        let duals: Vec<&[Dual<f64>]> = lengths.iter().map(|&n| &d[..n]).collect();
        let vars: Vec<&[Var<f64>]> = lengths.iter().map(|&n| &v[..n]).collect();
        assert_eq!(root(&Logarithms, &plain).unwrap_err(), expected);
        assert_eq!(root(&Logarithms, &duals).unwrap_err(), expected);
        assert_eq!(fixed_point(&Logarithms, &vars).unwrap_err(), expected);
        assert_eq!(argmin(&Logarithms, &duals).unwrap_err(), expected);
    }
    // A step of another length than the limit.
    #[derive(Clone)]
    struct Longer;
    impl Iteration for Longer {
        fn name(&self) -> &'static str {
            "longer"
        }
        fn limit(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
            Ok(x[0].to_vec())
        }
        fn step<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T]) -> Vec<T> {
            vec![x[0][0]; 3]
        }
    }
    let wrong = AdError::Shape { op: "longer", what: "residual", expected: 2, got: 3 };
    assert_eq!(fixed_point(&Longer, &[&d]).unwrap_err(), wrong);
    // No unknowns: nothing to solve.
    let empty: [Dual<f64>; 0] = [];
    assert!(root(&Logarithms, &[&empty, &d[..1], &empty]).unwrap().is_empty());
}

thread_local! {
    static CALLS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How often the function of a rule of three groups is called: at dual numbers, on a tape, and in a sweep back, where
/// the second group is active.
fn calls(rule: &Closures) -> [usize; 3] {
    let (a, b, c) = ([1.0; 30], [0.5, 0.75], [2.0; 40]);
    CALLS.set(0);
    let [a0, c0] = [&a[..], &c[..]].map(|x| x.iter().map(|&x| Dual::constant(x)).collect::<Vec<_>>());
    call(rule, &[&a0, &b.map(Dual::variable), &c0]).unwrap();
    let ahead = CALLS.replace(0);
    let tape = Tape::new();
    let [a1, c1] = [&a[..], &c[..]].map(|x| x.iter().map(|&x| Var::constant(x)).collect::<Vec<_>>());
    let v = tape.variables(&b);
    let y = call(rule, &[&a1, &v, &c1]).unwrap();
    let recorded = CALLS.replace(0);
    let gradient = tape.cotangents(y[0]).of_all(&v);
    assert!(gradient.iter().zip(b).all(|(g, b)| (g - 30.0 * b.cos()).abs() < 1e-9), "{gradient:?}");
    [ahead, recorded, CALLS.replace(0)]
}

#[test]
fn opaque_code_is_called_for_wanted_arguments_only() {
    fn count() {
        CALLS.set(CALLS.get() + 1);
    }
    let by_points = from_finite_differences("f", 3, |x| {
        count();
        vec![x[0].iter().sum::<f64>() * (x[1][0].sin() + x[1][1].sin()), x[2].iter().sum()]
    });
    // One at the point, six for a step; a longer step for the second result, which does not move.
    assert_eq!(calls(&by_points), [1 + 1 + 12, 1, 1 + 2 * 12]);
    let one_result = from_finite_differences("f", 3, |x| {
        count();
        vec![x[0].iter().sum::<f64>() * (x[1][0].sin() + x[1][1].sin())]
    });
    assert_eq!(calls(&one_result), [1 + 1 + 6, 1, 1 + 2 * 6]);
    let by_step = from_complex_step("f", 3, |x| {
        count();
        vec![x[0].iter().sum::<Complex64>() * (x[1][0].sin() + x[1][1].sin()), x[2].iter().sum()]
    });
    assert_eq!(calls(&by_step), [1 + 1, 1, 2]);
}
