//! The requirements of `#[derive(Differentiable)]` on the parts of a point: one error for each mistake.
//!
//! The derive names the type of a part over other numbers in many places. If the part is refused, the compiler would
//! report each of them. So the derive checks all parts in the body of one constant, and these types have the constant
//! as parameter: a constant with an error makes them types with an error, which the compiler does not report again.

use super::{Components, SelfTangent};
use crate::number::Real;

/// A part of a point, for the derive. It is its own tangent if `FLAT`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of this point",
    label = "not made of the point's numbers, or not its own tangent",
    note = "the parts of a point are numbers of the struct's parameter (`f64` without one) in arrays, `Vec`, `Option`, `Box`, tuples, nalgebra's matrices, rotations and isometries, and structs with `#[derive(Differentiable)]`",
    note = "plain data are marked `#[data]`: they are cloned, not differentiated",
    note = "rotations have tangents of another type: with them, name the tangent, `#[differentiable(tangent = PoseTangent)]`"
)]
pub trait Part<T: Real, L, const FLAT: bool, const CHECKED: bool> {
    const IS_PART: bool = true;
    /// The part's type, with an error if `CHECKED` has one.
    type Itself: ?Sized;
}
#[diagnostic::do_not_recommend]
impl<T: Real, L, const CHECKED: bool, X: Components<T, L> + SelfTangent<L> + ?Sized> Part<T, L, true, CHECKED>
    for X
{
    type Itself = X;
}
#[diagnostic::do_not_recommend]
impl<T: Real, L, const CHECKED: bool, X: Components<T, L> + ?Sized> Part<T, L, false, CHECKED> for X {
    type Itself = X;
}

/// Plain data of a point, for the derive.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is plain data of a point, and cannot be cloned",
    label = "derive or implement `Clone` for this type"
)]
pub trait PlainData<const CHECKED: bool> {
    const IS_PART: bool = true;
    /// The type of the data, with an error if `CHECKED` has one.
    type Itself;
}
#[diagnostic::do_not_recommend]
impl<const CHECKED: bool, X: Clone> PlainData<CHECKED> for X {
    type Itself = X;
}
