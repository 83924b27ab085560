//! Primitives that overwrite their argument.

use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::Number;
use crate::primitive::{self, Primitive};

/// What reverse mode needs to undo an overwriting primitive: its linear map and the argument before it.
pub struct Overwritten<T, M> {
    before: Vec<T>,
    map: M,
}

/// Replaces `x` by the results of a primitive of one group, which are as many. The old value is kept, for
/// [`Overwritten::undo`]; at numbers on a tape it is there anyway.
///
/// # Errors
/// What the primitive itself reports, and `Shape` if it has another number of results than arguments; `x` is as it
/// was then.
///
/// ```
/// use wengert::primitive::{from_both, overwrite};
/// let square = from_both("square!", 1, |x| x[0].iter().map(|x| x * x).collect(),
///     |x, dx| x[0].iter().zip(dx[0]).map(|(x, dx)| 2.0 * x * dx).collect(),
///     |x, dy| vec![x[0].iter().zip(dy).map(|(x, dy)| 2.0 * x * dy).collect()]);
/// let mut x = [2.0, 3.0];
/// let done = overwrite(&square, &mut x)?;
/// assert_eq!(x, [4.0, 9.0]);
/// let mut cotangent = [1.0, 1.0];
/// done.undo(&mut x, &mut cotangent);
/// assert_eq!((x, cotangent), ([2.0, 3.0], [4.0, 6.0]));
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn overwrite<T: Number, R: Primitive<T::Primal>>(
    rule: &R,
    x: &mut [T],
) -> Result<Overwritten<T, R::Map<T>>, AdError> {
    let (y, map) = primitive::linearize(rule, &[x])?;
    AdError::check_len(rule.name(), "result that replaces the argument", x.len(), y.len())?;
    let before = x.to_vec();
    x.copy_from_slice(&y);
    Ok(Overwritten { before, map })
}

impl<T: Number, M: LinearMap<T>> Overwritten<T, M> {
    /// The tangent of the new value from that of the old one.
    ///
    /// # Panics
    /// If the tangent has another length.
    pub fn push(&self, tangent: &mut [T]) {
        assert_eq!(tangent.len(), self.before.len(), "the tangent of an overwritten argument");
        let old = tangent.to_vec();
        self.map.apply(&[Some(&old)], tangent);
    }
    /// Brings back the old value, and its cotangent from that of the new one, which has no influence any more.
    ///
    /// # Panics
    /// If one of them has another length.
    pub fn undo(self, x: &mut [T], cotangent: &mut [T]) {
        assert_eq!(cotangent.len(), self.before.len(), "the cotangent of an overwritten argument");
        x.copy_from_slice(&self.before);
        let new = cotangent.to_vec();
        cotangent.fill(T::lit(0.0));
        self.map.transpose(&new, &mut [Some(cotangent)]);
    }
}
