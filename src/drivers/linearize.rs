//! One evaluation, many derivatives: the tape is kept.

use std::borrow::Borrow;
use std::iter::once;

#[cfg(feature = "nalgebra")]
use super::mode::Units;
use super::mode::{SeedVectors, Sink};
use super::modes::sweeps;
use super::sinks::{Buffer, SmallBuffer, StructureBuffer};
use super::tables::ProductTable;
use super::work::{row, rows};
use crate::error::AdError;
use crate::number::Real;
use crate::pool::Spare;
use crate::space::{Components, SelfTangent, check, coordinates, dimension, tangent_of};
use crate::tapes::{Tape, Var};
#[cfg(feature = "nalgebra")]
use {
    crate::space::Shape,
    nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator},
};

/// Evaluates `f` at `x` once and keeps the tape, to apply the derivative and its transpose to many vectors.
///
/// The closure works at [`Var<T>`], `T` the number type of the point. Products have the structure of the point or of
/// the result (see [`space`](crate::space)).
///
/// # Panics
/// If a result belongs to another tape (noticed when it is used), or 256 tapes are open on this thread.
///
/// ```
/// use wengert::{Var, linearize};
/// let at = linearize(|x: &[Var<f64>]| [x[0] * x[1], x[0].sin()], &[2.0, 3.0]);
/// assert_eq!(*at.value(), [6.0, 2f64.sin()]);
/// assert_eq!(at.vjp(&[1.0, 0.0])?, [3.0, 2.0]);
/// assert_eq!(at.vjp(&[0.0, 1.0])?, [2f64.cos(), 0.0]);
/// assert_eq!(at.jvp(&[1.0, -1.0])?, [1.0, 2f64.cos()]);
///
/// let at = linearize(|(a, v)| (*a * v[0], vec![v[1]]), &(2.0, vec![3.0, 4.0]));
/// assert_eq!(at.vjp(&(1.0, [10.0]))?, (3.0, vec![2.0, 10.0]));
/// assert_eq!(at.jvp(&(1.0, [0.0, 5.0]))?, (3.0, vec![5.0]));
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn linearize<T, X, O>(f: impl FnOnce(&X::Arg<Var<T>>) -> O, x: &X) -> Linearized<T, X::Owned, O::With<T>>
where
    T: Real,
    X: Components<T> + ?Sized,
    O: Components<Var<T>>,
{
    let tape = Tape::with_inputs(dimension(x));
    let mut nodes = 0..;
    let mut input = |x| tape.input(x, nodes.next().expect("endless"));
    let point = x.seeded(&|x| Var::constant(x), &mut input);
    let y = f(point.borrow());
    let results = coordinates(&y, |y| Var::constant(y.value())).into_owned();
    Linearized { tape, results, point: x.map_same(&mut |x| x), value: y.map(&mut Var::value) }
}

/// A function's value and derivative at a point of type `X`, with a result of type `Y`, from [`linearize`].
///
/// ```
/// let at = wengert::linearize(|x| [x[0] * x[1], x[0]], &[2.0, 3.0]);
/// let (mut dx, mut dy) = ([0.0; 2], [0.0; 2]);
/// at.vjp_into(&[1.0, 10.0], &mut dx)?;
/// assert_eq!(dx, [13.0, 2.0]); // Jᵀw with J = [3 2; 1 0]
/// at.jvp_into(&[1.0, 10.0], &mut dy)?;
/// assert_eq!(dy, [23.0, 1.0]); // Jv
/// assert!(at.vjp(&[1.0]).is_err());
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Linearized<T: Real, X, Y> {
    tape: Tape<T>,
    point: X,
    results: Vec<Var<T>>,
    value: Y,
}

impl<T: Real, X: Components<T>, Y: Components<T>> Linearized<T, X, Y> {
    /// `f(x)`.
    pub fn value(&self) -> &Y {
        &self.value
    }
    /// The tape, for its figures.
    pub fn tape(&self) -> &Tape<T> {
        &self.tape
    }
    /// `J(x)ᵀ·w`: one sweep.
    ///
    /// # Errors
    /// [`AdError::Shape`] (or [`AdError::Dimensions`] of a matrix, [`AdError::Structure`]) if `w` does not have the
    /// shape of the result.
    pub fn vjp<W: Components<T> + SelfTangent + ?Sized>(&self, w: &W) -> Result<X::Tangent, AdError> {
        let mut out = self.pull(w, SmallBuffer::new())?;
        Ok(tangent_of(&self.point, out.slots()))
    }
    /// [`vjp`](Linearized::vjp), written to `out`.
    ///
    /// # Errors
    /// As [`vjp`](Linearized::vjp), and if `out` has another number of components than the point; nothing is written
    /// then.
    pub fn vjp_into<W, V>(&self, w: &W, out: &mut V) -> Result<(), AdError>
    where
        W: Components<T> + SelfTangent + ?Sized,
        V: Components<T> + SelfTangent + ?Sized,
    {
        self.pull(w, StructureBuffer::new("cotangent buffer", out)).map(drop)
    }
    /// Writes the products with all cotangents to `out`, in order: a sweep for each eight.
    ///
    /// # Errors
    /// As [`vjp_into`](Linearized::vjp_into).
    ///
    /// ```
    /// let (at, mut dx) = (wengert::linearize(|x| [x[0] * x[1], x[0]], &[2.0, 3.0]), [0.0; 4]);
    /// at.vjp_batch(&[[1.0, 0.0], [1.0, 1.0]], &mut dx)?;
    /// assert_eq!(dx, [3.0, 2.0, 4.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn vjp_batch<W, V>(&self, w: &[W], out: &mut V) -> Result<(), AdError>
    where
        W: Components<T> + SelfTangent,
        V: Components<T> + SelfTangent + ?Sized,
    {
        w.iter().try_for_each(|w| check("vjp", "cotangent", &self.value, w))?;
        let mut spare = Spare::new();
        self.sweep("vjp", &rows(w, &mut spare), false, StructureBuffer::new("cotangent buffer", out))
            .map(drop)
    }
    fn pull<W: Components<T> + SelfTangent + ?Sized, B: Buffer<T>>(
        &self,
        w: &W,
        out: B,
    ) -> Result<B, AdError> {
        check("vjp", "cotangent", &self.value, w)?;
        self.sweep("vjp", &row(w, &mut Spare::new()), false, out)
    }
    /// The products with all lanes, each a row or a column of a table.
    fn sweep<B: Buffer<T>>(
        &self,
        op: &'static str,
        along: &impl SeedVectors<T>,
        lanes_are_rows: bool,
        out: B,
    ) -> Result<B, AdError> {
        let (m, n) = (self.results.len(), dimension(&self.point));
        let lanes = along.lanes(m);
        let (rows, columns) = if lanes_are_rows { (m, n) } else { (n, lanes.len()) };
        let mut table = ProductTable { op, value: (), out, lanes_are_rows, rows: Some(rows), columns };
        table.start(&(), m, &Var::value)?;
        sweeps::<T, (), _, _>(&self.tape, n, &self.results, along, lanes.clone(), &mut table);
        table.finish::<T, Var<T>, ()>();
        Ok(table.out)
    }
    /// `J(x)·v`: one pass over the tape, without evaluating the function again.
    ///
    /// # Errors
    /// [`AdError::Shape`] (or [`AdError::Dimensions`] of a matrix, [`AdError::Structure`]) if `v` does not have the
    /// shape of the point. [`AdError::Unsupported`] if the function calls a primitive without a rule for tangents;
    /// within a checkpointed segment such a primitive is a panic with this name.
    pub fn jvp<V: Components<T> + SelfTangent + ?Sized>(&self, v: &V) -> Result<Y::Tangent, AdError> {
        let mut out = self.push(once(v), SmallBuffer::new())?;
        Ok(tangent_of(&self.value, out.slots()))
    }
    /// [`jvp`](Linearized::jvp), written to `out`.
    ///
    /// # Errors
    /// As [`jvp`](Linearized::jvp), and if `out` has another number of components than the result; nothing is written
    /// then.
    pub fn jvp_into<V, W>(&self, v: &V, out: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + SelfTangent + ?Sized,
        W: Components<T> + SelfTangent + ?Sized,
    {
        self.push(once(v), StructureBuffer::new("tangent buffer", out)).map(drop)
    }
    /// Writes the products with all tangents to `out`, in order: a pass over the tape for each.
    ///
    /// # Errors
    /// As [`jvp_into`](Linearized::jvp_into).
    ///
    /// ```
    /// let (at, mut dy) = (wengert::linearize(|x| x[0] * x[1], &[2.0, 3.0]), [0.0; 2]);
    /// at.jvp_batch(&[[1.0, 0.0], [1.0, 1.0]], &mut dy)?;
    /// assert_eq!(dy, [3.0, 5.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn jvp_batch<V, W>(&self, v: &[V], out: &mut W) -> Result<(), AdError>
    where
        V: Components<T> + SelfTangent,
        W: Components<T> + SelfTangent + ?Sized,
    {
        self.push(v.iter(), StructureBuffer::new("tangent buffer", out)).map(drop)
    }
    fn push<'v, V: Components<T> + ?Sized + 'v, B: Buffer<T>>(
        &self,
        mut v: impl ExactSizeIterator<Item = &'v V> + Clone,
        mut out: B,
    ) -> Result<B, AdError> {
        v.clone().try_for_each(|v| check("jvp", "tangent", &self.point, v))?;
        self.tape.demand_jvp()?;
        let m = self.results.len();
        out.fit("jvp", m, v.len())?;
        for (v, out) in v.by_ref().zip(out.slots().chunks_exact_mut(m.max(1))) {
            let mut spare = Spare::new();
            self.tape.push(0, row(v, &mut spare).components(), &self.results, out);
        }
        out.finish();
        Ok(out)
    }
    /// `J(x)`, outputs × inputs, eight rows in each sweep.
    /// ```
    /// let at = wengert::linearize(|x: &[_]| [x[0] * x[1], x[0]], &[2.0, 3.0]);
    /// assert_eq!(at.jacobian(), nalgebra::matrix![3.0, 2.0; 1.0, 0.0]);
    /// ```
    #[cfg(feature = "nalgebra")]
    pub fn jacobian(&self) -> OMatrix<T, Y::Dim, X::Dim>
    where
        X: Shape<T>,
        Y: Shape<T>,
        DefaultAllocator: Allocator<Y::Dim, X::Dim>,
    {
        let out = self.sweep("jacobian", &Units::all(), true, None);
        out.ok().flatten().expect("the matrix is made to fit")
    }
    /// [`jacobian`](Linearized::jacobian), written to `out`.
    ///
    /// # Errors
    /// [`AdError::Dimensions`] if `out` is not outputs × inputs; nothing is written then.
    #[cfg(feature = "nalgebra")]
    pub fn jacobian_into<R: Dim, C: Dim>(&self, out: &mut OMatrix<T, R, C>) -> Result<(), AdError>
    where
        DefaultAllocator: Allocator<R, C>,
    {
        self.sweep("jacobian", &Units::all(), true, out).map(drop)
    }
}
