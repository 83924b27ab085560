//! Primitives that overwrite their argument.

use crate::error::AdError;
use crate::lift::{self, Primitive};
use crate::linear_map::LinearMap;
use crate::number::Number;

/// A primitive that has overwritten its argument, with the old value, so that tangents can be pushed forward and the
/// overwrite undone. Returned by [`overwrite`], which has an example of [`undo`](Self::undo).
pub struct Overwritten<T, R> {
    rule: R,
    before: Vec<T>,
    after: Vec<T>,
}

/// Replaces `x` by the results of a primitive of one group, with as many results as arguments, at any number type of
/// [`call`](super::call). The old value is kept.
///
/// Numbers with derivatives need nothing more. Code with tangents and cotangents in separate arrays updates them with
/// [`Overwritten::push`] and [`Overwritten::undo`].
///
/// # Errors
/// The errors of the primitive, and `Shape` if the numbers of results and arguments differ; `x` is then unchanged.
///
/// ```
/// use wengert::{gradient, primitive::{from_jvp_and_vjp, overwrite}};
/// let square = from_jvp_and_vjp("square!", 1, |x| x[0].iter().map(|x| x * x).collect(),
///     |x, dx| x[0].iter().zip(dx[0]).map(|(x, dx)| 2.0 * x * dx).collect(),
///     |x, dy| vec![x[0].iter().zip(dy).map(|(x, dy)| 2.0 * x * dy).collect()]);
/// let mut x = [2.0, 3.0];
/// let done = overwrite(&square, &mut x)?;
/// assert_eq!(x, [4.0, 9.0]);
/// let mut cotangent = [1.0, 1.0];
/// done.undo(&mut x, &mut cotangent)?;
/// assert_eq!((x, cotangent), ([2.0, 3.0], [4.0, 6.0]));
/// let sum_of_squares = |x: &[wengert::Var<f64>]| {
///     let mut x = x.to_vec();
///     overwrite(&square, &mut x).unwrap();
///     x[0] + x[1]
/// };
/// assert_eq!(gradient(sum_of_squares, &[2.0, 3.0]), [4.0, 6.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn overwrite<T: Number, R: Primitive<T::Primal>>(
    rule: &R,
    x: &mut [T],
) -> Result<Overwritten<T, R>, AdError> {
    let y = lift::call(rule, &[x])?;
    AdError::check_len(rule.name(), "result that replaces the argument", x.len(), y.len())?;
    let before = x.to_vec();
    x.copy_from_slice(&y);
    Ok(Overwritten { rule: rule.clone(), before, after: y })
}

impl<T: Number, R: Primitive<T::Primal>> Overwritten<T, R> {
    /// The old value.
    pub fn before(&self) -> &[T] {
        &self.before
    }
    /// Replaces the tangent of the old value by the tangent of the new value. The primitive is linearized here, so
    /// `T` is a number without tangents, or the rule supports second order.
    ///
    /// # Errors
    /// `Shape` if the tangent has another length; the errors of the rule; `Unsupported` if it has no jvp. The tangent
    /// is then unchanged.
    /// ```
    /// use wengert::primitive::{from_jvp, overwrite};
    /// let square = from_jvp("square!", 1, |x| x[0].iter().map(|x| x * x).collect(),
    ///     |x, dx| x[0].iter().zip(dx[0]).map(|(x, dx)| 2.0 * x * dx).collect());
    /// let (mut x, mut tangent) = ([2.0, 3.0], [1.0, 10.0]);
    /// let done = overwrite(&square, &mut x)?;
    /// done.push(&mut tangent)?;
    /// assert_eq!((x, tangent), ([4.0, 9.0], [4.0, 60.0]));
    /// assert_eq!(done.before(), [2.0, 3.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn push(&self, tangent: &mut [T]) -> Result<(), AdError> {
        let name = self.rule.name();
        AdError::check_len(name, "tangent of the overwritten argument", self.before.len(), tangent.len())?;
        lift::Direction::Jvp.demand(&self.rule)?;
        let map = lift::linearize_at(&self.rule, &[&self.before], &self.after)?;
        let old = tangent.to_vec();
        map.apply(&[Some(&old)], tangent);
        Ok(())
    }
    /// Restores the old value bit for bit, and replaces the cotangent of the new value by the cotangent of the old
    /// one. The primitive is linearized here, as for [`push`](Overwritten::push).
    ///
    /// # Errors
    /// `Shape` if one of them has another length; the errors of the rule; `Unsupported` if it has no vjp. Both are
    /// then unchanged.
    pub fn undo(&self, x: &mut [T], cotangent: &mut [T]) -> Result<(), AdError> {
        let (name, len) = (self.rule.name(), self.before.len());
        AdError::check_len(name, "overwritten argument", len, x.len())?;
        AdError::check_len(name, "cotangent of the overwritten argument", len, cotangent.len())?;
        lift::Direction::Vjp.demand(&self.rule)?;
        let map = lift::linearize_at(&self.rule, &[&self.before], &self.after)?;
        let mut old = vec![T::lit(0.0); len];
        // A map only ever receives a cotangent that is not zero.
        if !cotangent.iter().all(|w| w.is_exactly_zero()) {
            map.apply_transpose_add(cotangent, &mut [Some(&mut old)]);
        }
        x.copy_from_slice(&self.before);
        cotangent.copy_from_slice(&old);
        Ok(())
    }
}
