//! Rules made of closures over `f64`, first order only.

use std::cell::Cell;
use std::sync::Arc;

use super::{base_floats, lengths, on_real, unsupported};
use crate::error::{AdError, demand_len};
use crate::lift::{Direction, Extension, Primitive, TangentLanes, lane_by_lane, views, views_of_some};
use crate::linear_map::LinearMap;
use crate::number::{Number, Passive, PrimalNumber};

type Value = dyn Fn(&[&[f64]]) -> Vec<f64> + Send + Sync;
/// A group without a tangent is constant.
type Jvp = dyn Fn(&[&[f64]], &[Option<&[f64]>]) -> Vec<f64> + Send + Sync;
/// The last argument states which groups are active; the results for the others are ignored.
type Vjp = dyn Fn(&[&[f64]], &[f64], &[bool]) -> Vec<Vec<f64>> + Send + Sync;

/// An opaque function of groups of numbers, with closures for its derivative, made by [`from_jvp`], [`from_vjp`],
/// [`from_jvp_and_vjp`] and the functions of differences.
///
/// The closures capture no number with a derivative, see [`Passive`]. They take and return `f64`; numbers over `f32`
/// are converted to `f64` and back.
#[derive(Clone)]
pub struct Closures {
    name: &'static str,
    arity: usize,
    lengths: Option<Arc<[usize]>>,
    value: Arc<Value>,
    jvp: Option<Arc<Jvp>>,
    vjp: Option<Arc<Vjp>>,
}

impl Closures {
    /// A primitive whose cotangents are computed only for active groups.
    pub(super) fn selective(
        name: &'static str,
        arity: usize,
        value: impl Fn(&[&[f64]]) -> Vec<f64> + Send + Sync + 'static,
        jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + Send + Sync + 'static,
        vjp: impl Fn(&[&[f64]], &[f64], &[bool]) -> Vec<Vec<f64>> + Send + Sync + 'static,
    ) -> Closures {
        let (value, jvp, vjp) = (Arc::new(value), Some(with_zeros(jvp)), Some(Arc::new(vjp) as Arc<Vjp>));
        Closures { name, arity, lengths: None, value, jvp, vjp }
    }
    /// Sets the lengths of the groups, which are then checked before a closure is called. Otherwise a group that is
    /// too short is an index out of bounds in a closure, and one that is too long goes unnoticed.
    ///
    /// # Panics
    /// If the number of lengths is not the number of groups.
    ///
    /// ```
    /// use wengert::primitive::{call, from_jvp};
    /// let last = from_jvp("last", 1, |x| vec![x[0][2]], |_, dx| vec![dx[0][2]]);
    /// let last = last.with_lengths(&[3]);
    /// let wrong = call(&last, &[&[1.0, 2.0]]).unwrap_err();
    /// assert_eq!(wrong.to_string(), "last: the first group has length 2, expected 3");
    /// ```
    #[must_use]
    pub fn with_lengths(mut self, lengths: &[usize]) -> Closures {
        if let Err(e) = AdError::check_arity(self.name, "lengths of groups", self.arity, lengths.len()) {
            panic!("{e}");
        }
        self.lengths = Some(lengths.into());
        self
    }
    /// Sets a closure for the tangents in which constant groups are `None`. Use it if the partial with respect to a
    /// constant group may be infinite, where the zeros of [`from_jvp`] would give NaN, or to save work.
    ///
    /// ```
    /// use wengert::{Dual, primitive::{call, from_vjp}};
    /// // x₀√x₁
    /// let f = from_vjp("f", 2, |x| vec![x[0][0] * x[1][0].sqrt()],
    ///     |x, w| {
    ///         let root = x[1][0].sqrt();
    ///         vec![vec![root * w[0]], vec![0.5 * x[0][0] / root * w[0]]]
    ///     });
    /// let f = f.with_active_jvp(|x, dx| {
    ///     let by_first = dx[0].map_or(0.0, |dx| x[1][0].sqrt() * dx[0]);
    ///     vec![by_first + dx[1].map_or(0.0, |dx| 0.5 * x[0][0] / x[1][0].sqrt() * dx[0])]
    /// });
    /// let y = call(&f, &[&[Dual::variable(2.0)], &[Dual::constant(0.0)]])?;
    /// assert_eq!((y[0].value(), y[0].tangent()), (0.0, 0.0));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[must_use]
    pub fn with_active_jvp(
        mut self,
        jvp: impl Fn(&[&[f64]], &[Option<&[f64]>]) -> Vec<f64> + Passive + Send + Sync + 'static,
    ) -> Closures {
        self.jvp = Some(Arc::new(jvp));
        self
    }
    #[inline]
    fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
        AdError::check_arity(self.name, "groups of arguments", self.arity, lengths.len())?;
        let expected = self.lengths.iter().flat_map(|lengths| lengths.iter());
        expected.zip(lengths).enumerate().try_for_each(|(group, (&expected, &got))| {
            let what = GROUPS.get(group).copied().unwrap_or("group of arguments");
            AdError::check_len(self.name, what, expected, got)
        })
    }
}

const GROUPS: [&str; 6] =
    ["first group", "second group", "third group", "fourth group", "fifth group", "sixth group"];

/// Zeros for the tangents of constant groups.
fn with_zeros(jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + Send + Sync + 'static) -> Arc<Jvp> {
    Arc::new(move |x, dx| {
        let zeros = |x: &&[f64]| vec![0.0; x.len()];
        let zeros: Vec<Vec<f64>> = x.iter().map(zeros).collect();
        let full = dx.iter().zip(&zeros).map(|(dx, zeros)| dx.unwrap_or(zeros));
        jvp(x, &full.collect::<Vec<_>>())
    })
}

/// A primitive of `arity` groups of arguments from its value and its tangents `jvp(x, ẋ)`. It supports first-order
/// numbers of forward mode; others return `Unsupported`.
///
/// The tangents of constant groups are zeros, so an infinite partial gives `0·∞ = NaN` in the closure.
/// [`from_jvp_and_vjp`] then uses the cotangents; or see [`Closures::with_active_jvp`].
///
/// # Panics
/// When it is used, if the closure returns another number of tangents: at the line of [`call`](super::call).
///
/// ```
/// use wengert::{AdError, Dual, HyperDual, Tape, primitive::{call, from_jvp}};
/// let value = |x: &[&[f64]]| vec![x[0][0] * x[0][0]];
/// let square = from_jvp("square", 1, value, |x, dx| vec![2.0 * x[0][0] * dx[0][0]]);
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
    value: impl Fn(&[&[f64]]) -> Vec<f64> + Passive + Send + Sync + 'static,
    jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + Passive + Send + Sync + 'static,
) -> Closures {
    Closures { name, arity, lengths: None, value: Arc::new(value), jvp: Some(with_zeros(jvp)), vjp: None }
}

/// A primitive of `arity` groups of arguments from its value and its cotangents `vjp(x, ȳ)`, one vector for each
/// group. It supports first-order numbers of reverse mode; others return `Unsupported`.
///
/// # Panics
/// When it is used, if the closure returns another number of cotangents.
///
/// ```
/// use wengert::{gradient, primitive::{call, from_vjp}};
/// let value = |x: &[&[f64]]| vec![x[0][0] * x[0][0]];
/// let square = from_vjp("square", 1, value, |x, dy| vec![vec![2.0 * x[0][0] * dy[0]]]);
/// assert_eq!(gradient(|x| call(&square, &[x]).unwrap()[0], &[3.0]), [6.0]);
/// ```
pub fn from_vjp(
    name: &'static str,
    arity: usize,
    value: impl Fn(&[&[f64]]) -> Vec<f64> + Passive + Send + Sync + 'static,
    vjp: impl Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>> + Passive + Send + Sync + 'static,
) -> Closures {
    let vjp: Arc<Vjp> = Arc::new(move |x, dy, _| vjp(x, dy));
    Closures { name, arity, lengths: None, value: Arc::new(value), jvp: None, vjp: Some(vjp) }
}

/// A primitive of `arity` groups of arguments from its value, its tangents `jvp(x, ẋ)` and its cotangents
/// `vjp(x, ȳ)`. It supports first-order numbers; others return `Unsupported`.
///
/// The jvp gets zeros as the tangents of constant groups. If it returns NaN for a result (`0·∞`, if the partial with
/// respect to a constant is infinite), the tangent is computed as `Σ x̄ẋ` over the active groups by the vjp.
///
/// # Panics
/// When it is used, if a closure returns another number of tangents or cotangents.
///
/// ```
/// use wengert::{derivative, gradient, primitive::{call, from_jvp_and_vjp}};
/// let square = from_jvp_and_vjp("square", 1, |x| vec![x[0][0] * x[0][0]],
///     |x, dx| vec![2.0 * x[0][0] * dx[0][0]], |x, dy| vec![vec![2.0 * x[0][0] * dy[0]]]);
/// assert_eq!(derivative(|x| call(&square, &[&[x]]).unwrap()[0], 3.0), 6.0);
/// assert_eq!(gradient(|x| call(&square, &[x]).unwrap()[0], &[3.0]), [6.0]);
/// ```
pub fn from_jvp_and_vjp(
    name: &'static str,
    arity: usize,
    value: impl Fn(&[&[f64]]) -> Vec<f64> + Passive + Send + Sync + 'static,
    jvp: impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64> + Passive + Send + Sync + 'static,
    vjp: impl Fn(&[&[f64]], &[f64]) -> Vec<Vec<f64>> + Passive + Send + Sync + 'static,
) -> Closures {
    Closures::selective(name, arity, value, jvp, move |x, dy, _| vjp(x, dy))
}

impl<P: PrimalNumber> Primitive<P> for Closures {
    type Map<T: Extension<P>> = AtPoint;
    fn name(&self) -> &'static str {
        self.name
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        self.check(&lengths(x))?;
        on_real(self.name, x, |x| Ok((self.value)(x)))
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        if !T::PLAIN {
            return Err(AdError::Unsupported { op: self.name, rule: "second order" });
        }
        Ok(AtPoint { function: self.clone(), x: x.iter().map(|x| base_floats(x)).collect() })
    }
    /// A wrong number of tangents is reported here, at the line of the user.
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        map: &AtPoint,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        let fault = Cell::new(None);
        let apply = |tangents: &[Option<&[S::Part]>], out: &mut [S::Part]| {
            map.pushed(tangents, out).unwrap_or_else(|error| fault.set(Some(error)));
        };
        let y = lane_by_lane(&apply, x, active, y);
        if let Some(error) = fault.take() {
            panic!("{error}");
        }
        y
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
    /// The tangents of the results.
    fn pushed<T: Number>(&self, tangents: &[Option<&[T]>], out: &mut [T]) -> Result<(), AdError> {
        let Some(jvp) = &self.function.jvp else { unsupported(self.function.name, "jvp") };
        let tangents: Vec<Option<Vec<f64>>> = tangents.iter().map(|t| t.map(base_floats)).collect();
        let tangents = views_of_some(&tangents);
        let mut dy = jvp(&views(&self.x), &tangents);
        AdError::check_len(self.function.name, "tangent of its jvp", out.len(), dy.len())?;
        if dy.iter().any(|dy| dy.is_nan()) && tangents.contains(&None) {
            self.without_constants(&tangents, &mut dy);
        }
        out.iter_mut().zip(dy).for_each(|(o, dy)| *o = T::lit(dy));
        Ok(())
    }
    /// The cotangents of the active groups.
    #[inline]
    fn pulled(&self, vjp: &Vjp, cotangent: &[f64], wanted: &[bool]) -> Vec<Vec<f64>> {
        let (name, dx) = (self.function.name, vjp(&views(&self.x), cotangent, wanted));
        demand_len(name, "list of cotangents of its vjp", self.x.len(), dx.len());
        for ((x, dx), _) in self.x.iter().zip(&dx).zip(wanted).filter(|(_, wanted)| **wanted) {
            demand_len(name, "cotangent of its vjp", x.len(), dx.len());
        }
        dx
    }
    /// Recomputes tangents that are NaN from the cotangents of the active groups, if some groups are constant and the
    /// rule has a vjp.
    #[cold]
    #[inline]
    fn without_constants(&self, tangents: &[Option<&[f64]>], out: &mut [f64]) {
        let Some(vjp) = &self.function.vjp else { return };
        let active: Vec<bool> = tangents.iter().map(Option::is_some).collect();
        for row in (0..out.len()).filter(|&row| out[row].is_nan()).collect::<Vec<_>>() {
            let mut unit = vec![0.0; out.len()];
            unit[row] = 1.0;
            let by_x = self.pulled(&**vjp, &unit, &active);
            let groups = by_x.iter().zip(tangents).filter_map(|(by, dx)| Some((by, (*dx)?)));
            let terms = groups.flat_map(|(by, dx)| by.iter().zip(dx)).filter(|(_, dx)| **dx != 0.0);
            out[row] = terms.map(|(by, dx)| by * dx).sum();
        }
    }
}

impl<T: Number> LinearMap<T> for AtPoint {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        self.pushed(tangents, out).unwrap_or_else(|error| panic!("{error}"));
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(vjp) = &self.function.vjp else { unsupported(self.function.name, "vjp") };
        let wanted: Vec<bool> = out.iter().map(Option::is_some).collect();
        let dx = self.pulled(&**vjp, &base_floats(cotangent), &wanted);
        for (out, dx) in out.iter_mut().zip(&dx) {
            let Some(out) = out else { continue };
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
