//! Segments in another precision: values are converted on the way in and out, cotangents on the way back.

use std::cell::RefCell;
use std::rc::Rc;

use num_complex::Complex;

use super::complex::ComplexVar;
use super::record::{Record, Seed};
use super::recording::record_map;
use super::sweep::inherited;
use super::tape::Tape;
use super::var::Var;
#[cfg(feature = "programs")]
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{CastFrom, Real};

/// A real or complex variable of a tape, as converted by [`cast_through`], which has an example.
pub trait OnTape: Copy {
    /// The numbers of the tape.
    type Scalar: Real;
    /// This kind of variable over another number type.
    type Over<U: Real>: OnTape<Scalar = U>;
    /// The variable, or its real and imaginary part.
    fn variables(self) -> impl Iterator<Item = Var<Self::Scalar>>;
    /// Builds the variable over another number type from the next variables.
    fn over<U: Real>(next: &mut impl FnMut() -> Var<U>) -> Self::Over<U>;
}

impl<T: Real> OnTape for Var<T> {
    type Scalar = T;
    type Over<U: Real> = Var<U>;
    fn variables(self) -> impl Iterator<Item = Var<T>> {
        [self].into_iter()
    }
    fn over<U: Real>(next: &mut impl FnMut() -> Var<U>) -> Var<U> {
        next()
    }
}

impl<T: Real> OnTape for Complex<Var<T>> {
    type Scalar = T;
    type Over<U: Real> = Complex<Var<U>>;
    fn variables(self) -> impl Iterator<Item = Var<T>> {
        [self.re, self.im].into_iter()
    }
    fn over<U: Real>(next: &mut impl FnMut() -> Var<U>) -> Complex<Var<U>> {
        Complex { re: next(), im: next() }
    }
}

impl<T: Real> OnTape for ComplexVar<T> {
    type Scalar = T;
    type Over<U: Real> = ComplexVar<U>;
    fn variables(self) -> impl Iterator<Item = Var<T>> {
        Complex::from(self).variables()
    }
    fn over<U: Real>(next: &mut impl FnMut() -> Var<U>) -> ComplexVar<U> {
        <Complex<Var<T>>>::over(next).into()
    }
}

/// Evaluates `f` at `x` converted to another base float, and converts the results back: for a segment in single
/// precision within a computation in double precision, or the reverse. Arguments and results are [`Var`],
/// [`ComplexVar`] or `Complex<Var>`, not necessarily of the same kind.
///
/// The segment is recorded on a tape of the other number type, which becomes one block of the outer tape. Each
/// conversion rounds the values, and in a sweep the cotangents or tangents, real and imaginary part separately, as
/// [`Number::cast`](crate::Number::cast) does. Pass all active variables that `f` uses through `x`.
///
/// # Panics
/// If a result belongs to a tape other than the segment's.
///
/// ```
/// use wengert::{Var, gradient, reverse::cast_through};
/// let square = |x: &[Var<f32>]| vec![x[0] * x[0]];
/// let g = gradient(|x: &[Var<f64>]| cast_through(square, x)[0], &[0.1]);
/// assert_eq!(g, [f64::from(0.2f32)]);
/// // The cotangent 0.1 is rounded on entry, its product with 2x inside.
/// let g = gradient(|x: &[Var<f64>]| cast_through(square, x)[0] * 0.1, &[0.1]);
/// assert_eq!(g, [f64::from(0.1f32 * 0.2f32)]);
/// ```
///
/// ```
/// use num_complex::{Complex, Complex64};
/// use wengert::{ComplexVar, complex, reverse::cast_through};
/// // iz in single precision: the cotangent is −iw, with rounded parts.
/// let turn = |z: &[ComplexVar<f32>]| vec![z[0] * Complex::i()];
/// let w = Complex64::new(0.1, 0.3);
/// let dz = complex::vjp(|z| cast_through(turn, z)[0], &[Complex64::new(1.0, 2.0)], &w);
/// assert_eq!(dz, [Complex64::new(f64::from(0.3f32), -f64::from(0.1f32))]);
/// ```
#[track_caller]
pub fn cast_through<U, X, Y>(f: impl FnOnce(&[X::Over<U>]) -> Vec<Y>, x: &[X]) -> Vec<Y::Over<X::Scalar>>
where
    U: Real + CastFrom<X::Scalar>,
    X: OnTape<Scalar: CastFrom<U>>,
    Y: OnTape<Scalar = U>,
{
    let mut tape = Tape::new();
    let outer: Vec<Var<X::Scalar>> = x.iter().flat_map(|x| x.variables()).collect();
    let inner = tape.variables(&outer.iter().map(|x| U::cast_from(x.value())).collect::<Vec<_>>());
    let y: Vec<Var<U>> = f(&of_variables::<X, U>(&inner)).iter().flat_map(|y| y.variables()).collect();
    let values: Vec<X::Scalar> = y.iter().map(|y| X::Scalar::cast_from(y.value())).collect();
    let results = record_map(&[&outer], &values, || {
        let seeds = y.iter().map(|&y| tape.direction(y)).collect();
        let (record, nodes) = tape.take();
        Box::new(Converted { record, nodes, seeds })
    });
    of_variables::<Y, X::Scalar>(&results)
}

/// The values and the derivative of a function of variables, whose tape is closed. The arguments are one group.
#[cfg(feature = "programs")]
#[allow(clippy::type_complexity)] // values and map
pub(crate) fn linearized(
    x: &[f64],
    f: impl FnOnce(&[Var<f64>]) -> Result<Vec<Var<f64>>, AdError>,
) -> Result<(Vec<f64>, Box<dyn LinearMap<f64>>), AdError> {
    let mut tape = Tape::new();
    let inner = tape.variables(x);
    let y = f(&inner)?;
    let seeds = y.iter().map(|&y| tape.direction(y)).collect();
    let (record, nodes) = tape.take();
    Ok((y.iter().map(|y| y.value()).collect(), Box::new(Converted { record, nodes, seeds })))
}

/// Combines variables into numbers of the kind `X`.
fn of_variables<X: OnTape, U: Real>(variables: &[Var<U>]) -> Vec<X::Over<U>> {
    let mut next = variables.iter().copied().peekable();
    std::iter::from_fn(|| {
        next.peek()?;
        Some(X::over(&mut || next.next().expect("pairs")))
    })
    .collect()
}

/// The record of a segment, and the nodes of its results; constants have none.
struct Converted<U: Real> {
    record: Rc<RefCell<Record<U>>>,
    nodes: usize,
    seeds: Vec<Option<Seed<U, 1>>>,
}

impl<U: Real + CastFrom<T>, T: Real + CastFrom<U>> LinearMap<T> for Converted<U> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let inputs = tangents[0].iter().flat_map(|t| t.iter()).map(|&t| U::cast_from(t));
        let mut all = self.record.borrow().sweep_forward(self.nodes, (0..).zip(inputs));
        let all = all.items();
        for (out, seed) in out.iter_mut().zip(&self.seeds) {
            let tangent = seed.map(|(node, [slope])| slope.strong_both(all[node as usize]));
            *out = T::cast_from(tangent.unwrap_or(U::lit(0.0)));
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(out) = &mut out[0] else { return };
        let weigh = |(seed, &w): (&Option<Seed<U, 1>>, &T)| {
            seed.map(|(node, [slope])| (node, [slope.strong_both(U::cast_from(w))]))
        };
        let seeds = self.seeds.iter().zip(cotangent).filter_map(weigh);
        self.record.borrow_mut().sweep_back(self.nodes, seeds, inherited(), |cotangents| {
            out.iter_mut().zip(cotangents).for_each(|(x, &[c])| *x += T::cast_from(c));
        });
    }
    fn name(&self) -> &'static str {
        "cast"
    }
    fn bytes(&self) -> usize {
        self.record.borrow().bytes(self.nodes) + size_of_val(&self.seeds[..])
    }
}
