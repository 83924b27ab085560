//! Rules by closures over `f64`: first order only.

use std::rc::Rc;

use super::{machine, on_real, unsupported};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number, Passive};
use crate::primitive::{Direction, Primitive};

type Value = dyn Fn(&[&[f64]]) -> Vec<f64>;
type Jvp = dyn Fn(&[&[f64]], &[&[f64]]) -> Vec<f64>;
/// Takes also which groups are wanted; what it gives for the others is not looked at.
type Vjp = dyn Fn(&[&[f64]], &[f64], &[bool]) -> Vec<Vec<f64>>;

/// An opaque function of groups of numbers with closures for its derivative.
///
/// Closures hold no number with a derivative, see [`Passive`]. They take and give `f64`; numbers over `f32` are
/// converted on the way in and rounded on the way out.
#[derive(Clone)]
pub struct Closures {
    name: &'static str,
    arity: usize,
    value: Rc<Value>,
    jvp: Option<Rc<Jvp>>,
    vjp: Option<Rc<Vjp>>,
}

impl Closures {
    /// A primitive with cotangents of the wanted groups alone.
    pub(super) fn selective(
        name: &'static str,
        arity: usize,
        value: impl Fn(&[&[f64]]) -> Vec<f64> + 'static,
        jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + 'static,
        vjp: impl Fn(&[&[f64]], &[f64], &[bool]) -> Vec<Vec<f64>> + 'static,
    ) -> Closures {
        Closures { name, arity, value: Rc::new(value), jvp: Some(Rc::new(jvp)), vjp: Some(Rc::new(vjp)) }
    }
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
    value: impl Fn(&[&[f64]]) -> Vec<f64> + Passive + 'static,
    jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + Passive + 'static,
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
    value: impl Fn(&[&[f64]]) -> Vec<f64> + Passive + 'static,
    vjp: impl Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>> + Passive + 'static,
) -> Closures {
    Closures { name, arity, value: Rc::new(value), jvp: None, vjp: Some(Rc::new(move |x, dy, _| vjp(x, dy))) }
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
    value: impl Fn(&[&[f64]]) -> Vec<f64> + Passive + 'static,
    jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + Passive + 'static,
    vjp: impl Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>> + Passive + 'static,
) -> Closures {
    Closures::selective(name, arity, value, jvp, move |x, dy, _| vjp(x, dy))
}

impl<P: Machine> Primitive<P> for Closures {
    type Map<T: Number<Primal = P, Base = P::Base>> = AtPoint;
    fn name(&self) -> &'static str {
        self.name
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        AdError::check_arity(self.name, "groups of arguments", self.arity, x.len())?;
        on_real(self.name, x, |x| Ok((self.value)(x)))
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
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
}

impl<T: Number> LinearMap<T> for AtPoint {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let Some(jvp) = &self.function.jvp else { unsupported(self.function.name, "jvp") };
        let tangent = |(t, x): (&Option<&[T]>, &Vec<f64>)| t.map_or_else(|| vec![0.0; x.len()], machine);
        let tangents: Vec<Vec<f64>> = tangents.iter().zip(&self.x).map(tangent).collect();
        let dy = jvp(&self.x(), &tangents.iter().map(Vec::as_slice).collect::<Vec<_>>());
        self.demand_len("tangent of its jvp", out.len(), dy.len());
        out.iter_mut().zip(dy).for_each(|(o, dy)| *o = T::lit(dy));
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(vjp) = &self.function.vjp else { unsupported(self.function.name, "vjp") };
        let wanted: Vec<bool> = out.iter().map(Option::is_some).collect();
        let dx = vjp(&self.x(), &machine(cotangent), &wanted);
        self.demand_len("list of cotangents of its vjp", out.len(), dx.len());
        for (out, dx) in out.iter_mut().zip(&dx) {
            let Some(out) = out else { continue };
            self.demand_len("cotangent of its vjp", out.len(), dx.len());
            out.iter_mut().zip(dx).for_each(|(o, &dx)| *o += T::lit(dx));
        }
    }
    fn argument(&self, group: usize, index: usize) -> Option<T> {
        Some(T::lit(self.x[group][index]))
    }
    fn name(&self) -> &'static str {
        self.function.name
    }
    fn bytes(&self) -> usize {
        self.x.iter().map(|x| size_of_val(&x[..])).sum()
    }
}
