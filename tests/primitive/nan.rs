//! NaN from finite numbers is the rule's fault, and the message names the index; NaN from NaN, or from a zero times
//! an infinite partial, is not.

use num_complex::Complex64;
use wengert::primitive::{
    Closures, Direction, Equations, FromRule, Iteration, Objective, PrimalNumber, Primitive, Rule, argmin,
    call, fixed_point, from_complex_step, from_finite_differences, from_jvp, from_jvp_and_vjp, linearize,
    overwrite, root,
};
use wengert::{AdError, ComplexVar, Dual, DualN, HyperDual, LinearMap, Number, Real, Tape, Var, gradient};

use super::errors::message;

/// The message about the derivative of `f` along all of `x`.
fn forward(f: impl Fn(&[Dual<f64>]) -> Vec<Dual<f64>>, x: &[f64]) -> String {
    let x: Vec<_> = x.iter().map(|&x| Dual::variable(x)).collect();
    message(|| drop(f(&x)))
}

/// The message of the sweep back from all results of `f`.
fn backward(f: impl Fn(&[Var<f64>]) -> Vec<Var<f64>>, x: &[f64]) -> String {
    let tape = Tape::new();
    let x = tape.variables(x);
    let y: Vec<_> = f(&x).into_iter().map(|y| (y, 2.0)).collect();
    message(|| drop(tape.cotangents_of(&y)))
}

const FINITE: &str = ", although all its inputs are finite";

/// The root of the size, with the derivative of the root: NaN for negative arguments.
fn root_of_size() -> Closures {
    from_jvp_and_vjp(
        "root",
        1,
        |x| vec![x[0][0].abs().sqrt()],
        |x, dx| vec![0.5 / x[0][0].sqrt() * dx[0][0]],
        |x, w| vec![vec![0.5 / x[0][0].sqrt() * w[0]]],
    )
}

#[test]
fn of_closures() {
    let f = root_of_size();
    let lost = format!("root: its jvp is NaN in result 0{FINITE}");
    assert_eq!(forward(|x| call(&f, &[x]).unwrap(), &[-3.0]), lost);
    let f = root_of_size();
    let back = format!("root: its vjp is NaN for argument x[0][0] = -3{FINITE}");
    assert_eq!(backward(|x| call(&f, &[x]).unwrap(), &[-3.0]), back);
    // A value that is not finite has no finite derivative.
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let tangent = call(&f, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
        assert!(tangent.is_nan() || tangent == 0.0);
        let cotangent = gradient(|x| call(&f, &[x]).unwrap()[0], &[x])[0];
        assert!(cotangent.is_nan() || cotangent == 0.0);
    }
    let nan_tangent = call(&f, &[&[Dual::new(4.0, f64::NAN)]]).unwrap()[0];
    assert!(nan_tangent.tangent().is_nan() && nan_tangent.value() == 2.0);
    let nan_cotangent = gradient(|x| call(&f, &[x]).unwrap()[0] * f64::NAN, &[4.0_f64]);
    assert!(nan_cotangent[0].is_nan());
    let (_, map) = linearize(&f, &[&[-3.0]]).unwrap();
    assert_eq!(message(|| map.apply(&[Some(&[1.0])], &mut [0.0])), lost);
}

/// `y = Σᵢ 1/x₀ᵢ − √x₁₁, x₁₀`, with the derivative of the root at negative numbers and of `1/x₀` at zero.
#[derive(Clone)]
struct Several;

impl Several {
    fn slopes<T: Real<Base = f64>>(x: &[&[T]]) -> (Vec<T>, T) {
        (x[0].iter().map(|x| -(*x * *x).recip()).collect(), -(x[1][1].sqrt() * 2.0).recip())
    }
}

impl Rule for Several {
    fn name(&self) -> &'static str {
        "several"
    }
    fn arity(&self) -> usize {
        2
    }
    fn supports(&self, _: Direction) -> bool {
        true
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![x[0].iter().map(|x| 1.0 / x.abs().max(0.1)).sum::<f64>() - x[1][1].abs().sqrt(), x[1][0]])
    }
    fn jvp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
        let (first, second) = Self::slopes(x);
        // Products of plain numbers: infinity times zero is NaN.
        dx[0].iter().for_each(|dx| (0..first.len()).for_each(|i| dy[0] += first[i] * dx[i]));
        if let Some(dx) = dx[1] {
            dy[1] += dx[0];
            if !dx[1].is_exactly_zero() {
                dy[0] += second * dx[1];
            }
        }
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        let (first, second) = Self::slopes(x);
        dx[0].iter_mut().for_each(|dx| (0..first.len()).for_each(|i| dx[i] += first[i] * w[0]));
        if let Some(dx) = &mut dx[1] {
            dx[0] += w[1];
            if !w[0].is_exactly_zero() {
                dx[1] += second * w[0];
            }
        }
    }
}

#[test]
fn of_formulas() {
    let several = |x: [f64; 4]| {
        let ahead = forward(|x| call(&FromRule(Several), &[&x[..2], &x[2..]]).unwrap(), &x);
        let back = backward(|x| call(&FromRule(Several), &[&x[..2], &x[2..]]).unwrap(), &x);
        (ahead, back)
    };
    let (ahead, back) = several([1.0, 2.0, 3.0, -0.5]);
    let lost = format!("several: its jvp is NaN in result 0{FINITE}");
    let lost_back = format!("several: its vjp is NaN for argument x[1][1] = -0.5{FINITE}");
    assert_eq!((&ahead, &back), (&lost, &lost_back));
    // Nested: the fault is in the innermost derivative.
    let x = [1.0, 2.0, 3.0, -0.5].map(HyperDual::variable);
    let text = message(|| drop(call(&FromRule(Several), &[&x[..2], &x[2..]])));
    assert_eq!(text, lost);
    let (outer, inner) = (Tape::new(), Tape::new());
    let x = inner.variables(&outer.variables(&[1.0, 2.0, 3.0, -0.5]));
    let y = call(&FromRule(Several), &[&x[..2], &x[2..]]).unwrap();
    let text = message(|| drop(inner.cotangents(y[0])));
    assert_eq!(text, lost_back);
}

/// Lanes in which most tangents are zero, and results with mostly zero cotangents.
#[test]
fn of_one_lane_and_one_cotangent() {
    let x = [1.0, 2.0, 3.0, -0.5];
    let lanes: Vec<_> = (0..4).map(|i| DualN::<f64, 4>::variable(x[i], i)).collect();
    let text = message(|| drop(call(&FromRule(Several), &[&lanes[..2], &lanes[2..]])));
    assert_eq!(text, format!("several: its jvp is NaN in result 0{FINITE}"));
    let tape = Tape::new();
    let v = tape.variables(&x);
    let y = call(&FromRule(Several), &[&v[..2], &v[2..]]).unwrap();
    // The other result has nothing to do with it, nor has an operand that is not wanted.
    assert_eq!(tape.cotangents(y[1]).of_all(&v), [0.0, 0.0, 1.0, 0.0]);
    let constant = [Var::constant(3.0), Var::constant(-0.5)];
    let y = call(&FromRule(Several), &[&v[..2], &constant]).unwrap();
    assert_eq!(tape.cotangents(y[0]).of_all(&v[..2]), [-1.0, -0.25]);
    // A sum that is NaN already is another's fault.
    let nan = v[2] * f64::NAN;
    let y = call(&FromRule(Several), &[&v[..2], &v[2..]]).unwrap();
    assert!(tape.cotangents(nan + y[1]).of(v[2]).is_nan());
}

/// The derivative of `1/x` at zero is infinite: with a zero it makes NaN, with anything else it does not.
#[test]
fn a_zero_that_meets_an_infinite_partial_is_not_blamed() {
    let moved = |dx: [f64; 2]| {
        let x = [Dual::new(0.0, dx[0]), Dual::new(2.0, dx[1])];
        call(&FromRule(Several), &[&x, &[Dual::constant(1.0), Dual::constant(4.0)]]).unwrap()[0].tangent()
    };
    assert!(moved([0.0, 1.0]).is_nan());
    assert_eq!(moved([1.0, 1.0]), f64::NEG_INFINITY);
    let x = [1.0, 4.0].map(Var::constant);
    let pulled = |w: f64| {
        let tape = Tape::new();
        let v = tape.variables(&[0.0, 2.0]);
        let y = call(&FromRule(Several), &[&v, &x]).unwrap();
        tape.cotangents_of(&[(y[0], w), (y[1], 1.0)]).of(v[0])
    };
    assert_eq!(pulled(1.0), f64::NEG_INFINITY);
    // Closures receive zeros for inactive groups. A single jvp cannot tell them from tangents.
    let product = from_jvp(
        "product",
        2,
        |x| vec![x[0][0] * x[1][0].sqrt()],
        |x, dx| vec![dx[0][0] * x[1][0].sqrt() + x[0][0] * 0.5 / x[1][0].sqrt() * dx[1][0]],
    );
    let y = call(&product, &[&[Dual::variable(2.0_f64)], &[Dual::constant(0.0)]]).unwrap()[0];
    assert!(y.tangent().is_nan());
    let text = message(|| drop(call(&product, &[&[Dual::variable(0.0)], &[Dual::variable(0.0)]])));
    assert_eq!(text, format!("product: its jvp is NaN in result 0{FINITE}"), "0·∞ in the rule itself");
}

/// A map of users, for complex numbers too: the second result is NaN with respect to the second argument.
#[derive(Clone)]
struct Own;
struct Planted;

impl<P: PrimalNumber> Primitive<P> for Own {
    type Map<T: Number<Primal = P, Base = P::Base>> = Planted;
    fn name(&self) -> &'static str {
        "own"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(x[0].to_vec())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Planted, AdError> {
        Ok(Planted)
    }
}

impl<T: Number> LinearMap<T> for Planted {
    fn apply(&self, dx: &[Option<&[T]>], dy: &mut [T]) {
        let dx = dx[0].unwrap();
        dy.copy_from_slice(dx);
        if !dx[1].is_exactly_zero() {
            dy[1] = T::lit(f64::NAN);
        }
    }
    fn apply_transpose_add(&self, w: &[T], dx: &mut [Option<&mut [T]>]) {
        let dx = dx[0].as_mut().unwrap();
        dx.iter_mut().zip(w).for_each(|(dx, &w)| *dx += w);
        if !w[1].is_exactly_zero() {
            dx[1] = T::lit(f64::NAN);
        }
    }
}

#[test]
fn of_primitives() {
    let x = [1.0, 2.5, 3.0];
    let text = forward(|x| call(&Own, &[x]).unwrap(), &x);
    assert_eq!(text, format!("own: its jvp is NaN in result 1{FINITE}"));
    // The map does not tell the argument's value.
    let back = format!("own: its vjp is NaN for argument x[0][1]{FINITE}");
    assert_eq!(backward(|x| call(&Own, &[x]).unwrap(), &x), back);
    let z = x.map(|x| Dual::variable(Complex64::new(x, 1.0)));
    let text = message(|| drop(call(&Own, &[&z])));
    assert_eq!(text, format!("own: its jvp is NaN in result 1{FINITE}"));
    let tape = Tape::new();
    let (re, im) = (tape.variables(&x), tape.variables(&x));
    let z: Vec<_> = re.iter().zip(&im).map(|(&re, &im)| ComplexVar::new(re, im)).collect();
    let w = call(&Own, &[&z]).unwrap();
    assert_eq!(message(|| drop(tape.cotangents(w[1].re() + w[0].im()))), back);
    let single = x.map(|x| Dual::variable(x as f32));
    let text = message(|| drop(call(&Own, &[&single])));
    assert_eq!(text, format!("own: its jvp is NaN in result 1{FINITE}"));
    // An overwritten argument: directly, and when it is pushed or undone.
    let mut duals = x.map(Dual::variable);
    assert!(message(|| drop(overwrite(&Own, &mut duals))).starts_with("own: its jvp is NaN"));
    assert_eq!(duals.map(|x| x.value()), x);
    let mut plain = x;
    let done = overwrite(&Own, &mut plain).unwrap();
    assert!(message(|| done.push(&mut [1.0; 3]).unwrap()).starts_with("own: its jvp is NaN in result 1"));
    assert_eq!(message(|| done.undo(&mut plain, &mut [1.0; 3]).unwrap()), back);
}

/// `y = x₁₀` by an equation whose derivative in `x₁₀` is NaN where `x₁₀ < 0`, and in `y` where `x₀₀ < 0`.
#[derive(Clone)]
struct Defined;

fn equation<T: Real<Base = f64>>(x: &[&[T]], y: &[T]) -> T {
    let nan_if = |by: T, at: T| if by < 0.0 { at.sqrt() - at.primal().sqrt() } else { at };
    nan_if(x[0][0], y[0]) - nan_if(x[1][0], x[1][0])
}

impl Equations for Defined {
    fn name(&self) -> &'static str {
        "defined"
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(x[1].to_vec())
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![equation(x, y)]
    }
}

impl Iteration for Defined {
    fn name(&self) -> &'static str {
        "iterated"
    }
    fn limit(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(x[1].to_vec())
    }
    fn step<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![y[0] - equation(x, y)]
    }
}

impl Objective for Defined {
    fn name(&self) -> &'static str {
        "least"
    }
    fn minimiser(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![(-2f64).powf(-x[1][0])])
    }
    // The power of a negative number is finite, its derivative in the exponent is not.
    fn value<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> T {
        (y[0] * 0.5 - T::lit(-2.0).powf(-x[1][0])) * y[0]
    }
}

#[test]
fn of_implicit_results() {
    let (ahead, back) = (format!("in result 0{FINITE}"), format!("for argument x[1][0] = -2{FINITE}"));
    let x = [1.0, -2.0];
    let text = forward(|x| root(&Defined, &[&x[..1], &x[1..]]).unwrap(), &x);
    assert_eq!(text, format!("defined: its jvp is NaN {ahead}"));
    let text = backward(|x| root(&Defined, &[&x[..1], &x[1..]]).unwrap(), &x);
    assert_eq!(text, format!("defined: its vjp is NaN {back}"));
    let text = forward(|x| fixed_point(&Defined, &[&x[..1], &x[1..]]).unwrap(), &x);
    assert_eq!(text, format!("iterated: its jvp is NaN {ahead}"));
    let text = backward(|x| fixed_point(&Defined, &[&x[..1], &x[1..]]).unwrap(), &x);
    assert_eq!(text, format!("iterated: its vjp is NaN {back}"));
    let text = forward(|x| argmin(&Defined, &[&x[..1], &x[1..]]).unwrap(), &x);
    assert_eq!(text, format!("least: its jvp is NaN {ahead}"));
    let text = backward(|x| argmin(&Defined, &[&x[..1], &x[1..]]).unwrap(), &x);
    assert_eq!(text, format!("least: its vjp is NaN {back}"));
    // Equations that are NaN themselves.
    let nowhere = AdError::NotANumber {
        op: "defined",
        rule: "derivative with respect to the unknowns",
        argument: None,
        x: None,
        result: None,
    };
    assert_eq!(
        nowhere.to_string(),
        format!("defined: its derivative with respect to the unknowns is NaN{FINITE}")
    );
    let x = [-1.0, -2.0].map(Dual::variable);
    assert_eq!(root(&Defined, &[&x[..1], &x[1..]]).unwrap_err(), nowhere);
    // Not by the argument that is held constant.
    let y = root(&Defined, &[&[Dual::variable(1.0)], &[Dual::constant(-2.0)]]).unwrap()[0];
    assert_eq!((y.value(), y.tangent()), (-2.0, 0.0));
}

/// Opaque code that is finite only at the point.
#[test]
fn of_differences_and_complex_steps() {
    let alone = |x: f64| if x == 2.0 { 1.0 } else { f64::NAN };
    let by_points = from_finite_differences("alone", 1, move |x| vec![alone(x[0][0])]);
    let complex = |z: Complex64| {
        if z.im == 0.0 { Complex64::new(1.0, 0.0) } else { Complex64::new(f64::NAN, f64::NAN) }
    };
    let by_step = from_complex_step("alone", 1, move |x| vec![complex(x[0][0])]);
    let (ahead, back) = (format!("in result 0{FINITE}"), format!("for argument x[0][0] = 2{FINITE}"));
    for f in [by_points, by_step] {
        assert_eq!(forward(|x| call(&f, &[x]).unwrap(), &[2.0]), format!("alone: its jvp is NaN {ahead}"));
        assert_eq!(backward(|x| call(&f, &[x]).unwrap(), &[2.0]), format!("alone: its vjp is NaN {back}"));
    }
}
