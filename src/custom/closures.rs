//! Rules by closures over `f64`: first order only.

use std::rc::Rc;

use super::{on_real, unsupported};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number, Real};
use crate::primitive::{Direction, Primitive};

type Value = dyn Fn(&[&[f64]]) -> Vec<f64>;
type Jvp = dyn Fn(&[&[f64]], &[&[f64]]) -> Vec<f64>;
type Vjp = dyn Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>>;

/// An opaque function of groups of numbers with closures for its derivative.
#[derive(Clone)]
pub struct Closures {
    name: &'static str,
    arity: usize,
    value: Rc<Value>,
    jvp: Option<Rc<Jvp>>,
    vjp: Option<Rc<Vjp>>,
}

/// A primitive of `arity` groups of arguments by its value and its tangents `jvp(x, ẋ)`. Reverse mode gets
/// `Unsupported`, and so do second derivatives.
///
/// ```
/// use wengert::{AdError, Dual, HyperDual, Tape, primitive::{call, from_jvp}};
/// let square = from_jvp("square", 1, |x| vec![x[0][0] * x[0][0]], |x, dx| vec![2.0 * x[0][0] * dx[0][0]]);
/// assert_eq!(call(&square, &[&[Dual::variable(3.0)]])?[0].tangent(), 6.0);
/// let tape = Tape::new();
/// let refused = call(&square, &[&[tape.variable(3.0)]]).unwrap_err();
/// assert_eq!(refused, AdError::Unsupported { op: "square", rule: "vjp" });
/// let refused = call(&square, &[&[HyperDual::variable(3.0)]]).unwrap_err();
/// assert_eq!(refused, AdError::Unsupported { op: "square", rule: "second order" });
/// # Ok::<(), AdError>(())
/// ```
pub fn from_jvp(
    name: &'static str,
    arity: usize,
    value: impl Fn(&[&[f64]]) -> Vec<f64> + 'static,
    jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + 'static,
) -> Closures {
    Closures { name, arity, value: Rc::new(value), jvp: Some(Rc::new(jvp)), vjp: None }
}

/// A primitive of `arity` groups of arguments by its value and its cotangents `vjp(x, ȳ)`, one vector for each
/// group. Forward mode gets `Unsupported`, and so do second derivatives.
///
/// ```
/// use wengert::{gradient, primitive::{call, from_vjp}};
/// let square = from_vjp("square", 1, |x| vec![x[0][0] * x[0][0]], |x, dy| vec![vec![2.0 * x[0][0] * dy[0]]]);
/// assert_eq!(gradient(|x| call(&square, &[x]).unwrap()[0], &[3.0]), [6.0]);
/// ```
pub fn from_vjp(
    name: &'static str,
    arity: usize,
    value: impl Fn(&[&[f64]]) -> Vec<f64> + 'static,
    vjp: impl Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>> + 'static,
) -> Closures {
    Closures { name, arity, value: Rc::new(value), jvp: None, vjp: Some(Rc::new(vjp)) }
}

/// A primitive of `arity` groups of arguments by its value, its tangents `jvp(x, ẋ)` and its cotangents
/// `vjp(x, ȳ)`. Second derivatives get `Unsupported`.
///
/// ```
/// use wengert::{derivative, gradient, primitive::{call, from_both}};
/// let square = from_both("square", 1, |x| vec![x[0][0] * x[0][0]],
///     |x, dx| vec![2.0 * x[0][0] * dx[0][0]], |x, dy| vec![vec![2.0 * x[0][0] * dy[0]]]);
/// assert_eq!(derivative(|x| call(&square, &[&[x]]).unwrap()[0], 3.0), 6.0);
/// assert_eq!(gradient(|x| call(&square, &[x]).unwrap()[0], &[3.0]), [6.0]);
/// ```
pub fn from_both(
    name: &'static str,
    arity: usize,
    value: impl Fn(&[&[f64]]) -> Vec<f64> + 'static,
    jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + 'static,
    vjp: impl Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>> + 'static,
) -> Closures {
    Closures { name, arity, value: Rc::new(value), jvp: Some(Rc::new(jvp)), vjp: Some(Rc::new(vjp)) }
}

impl<P: Machine<Base = f64>> Primitive<P> for Closures {
    type Map<T: Number<Primal = P, Base = f64>> = AtPoint;
    fn name(&self) -> &'static str {
        self.name
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        AdError::check_arity(self.name, "groups of arguments", self.arity, x.len())?;
        on_real(self.name, x, |x| Ok((self.value)(x)))
    }
    fn linearize<T: Number<Primal = P, Base = f64>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<AtPoint, AdError> {
        if !T::PLAIN {
            return Err(AdError::Unsupported { op: self.name, rule: "second order" });
        }
        Ok(AtPoint { function: self.clone(), x: x.iter().map(|x| machine(x)).collect() })
    }
    fn supports(&self, direction: Direction) -> bool {
        match direction {
            Direction::Jvp => self.jvp.is_some(),
            Direction::Vjp => self.vjp.is_some(),
        }
    }
}

/// Machine numbers as such.
fn machine<T: Number<Base = f64>>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.re().primal()).collect()
}

/// The closures at a point.
pub struct AtPoint {
    function: Closures,
    x: Vec<Vec<f64>>,
}

impl AtPoint {
    fn x(&self) -> Vec<&[f64]> {
        self.x.iter().map(Vec::as_slice).collect()
    }
    /// Panics unless a closure gave as many numbers as it should.
    fn demand_len(&self, what: &'static str, expected: usize, got: usize) {
        if let Err(e) = AdError::check_len(self.function.name, what, expected, got) {
            panic!("{e}");
        }
    }
    /// Panics if a derivative is NaN although argument and (co)tangent are finite and no zero of them may have met an
    /// infinite partial.
    fn demand_number(&self, rule: &'static str, given: &[f64], results: &[f64]) {
        let mut known = self.x.iter().flatten().chain(given);
        if results.iter().any(|r| r.is_nan()) && known.all(|x| x.is_finite()) && !given.contains(&0.0) {
            let x = self.x.iter().flatten().next().copied().unwrap_or(f64::NAN);
            panic!("{}", AdError::NotANumber { op: self.function.name, rule, x });
        }
    }
}

impl<T: Number<Base = f64>> LinearMap<T> for AtPoint {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let Some(jvp) = &self.function.jvp else { unsupported(self.function.name, "jvp") };
        let tangent = |(t, x): (&Option<&[T]>, &Vec<f64>)| t.map_or_else(|| vec![0.0; x.len()], machine);
        let tangents: Vec<Vec<f64>> = tangents.iter().zip(&self.x).map(tangent).collect();
        let dy = jvp(&self.x(), &tangents.iter().map(Vec::as_slice).collect::<Vec<_>>());
        self.demand_len("tangent of its jvp", out.len(), dy.len());
        self.demand_number("jvp", &tangents.concat(), &dy);
        out.iter_mut().zip(dy).for_each(|(o, dy)| *o = T::base(dy));
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(vjp) = &self.function.vjp else { unsupported(self.function.name, "vjp") };
        let dy = machine(cotangent);
        let dx = vjp(&self.x(), &dy);
        self.demand_len("list of cotangents of its vjp", out.len(), dx.len());
        for (out, dx) in out.iter_mut().zip(&dx) {
            let Some(out) = out else { continue };
            self.demand_len("cotangent of its vjp", out.len(), dx.len());
            self.demand_number("vjp", &dy, dx);
            out.iter_mut().zip(dx).for_each(|(o, &dx)| *o += T::base(dx));
        }
    }
    fn name(&self) -> &'static str {
        self.function.name
    }
    fn bytes(&self) -> usize {
        self.x.iter().map(|x| size_of_val(&x[..])).sum()
    }
}
