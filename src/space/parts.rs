//! The requirements of `#[derive(Differentiable)]` on the parts of a point: one error for each mistake.

use super::{Components, SelfTangent};
use crate::number::Real;

/// A part of a point that is its own tangent, for the derive.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of this point",
    label = "not made of numbers `{T}`, or not its own tangent",
    note = "the parts of a point are numbers of the struct's parameter (`f64` without one) in arrays, `Vec`, `Option`, `Box`, tuples, nalgebra types, and structs with `#[derive(Differentiable)]`",
    note = "plain data are marked `#[data]`: they are cloned, not differentiated",
    note = "rotations have tangents of another type: with them, name the tangent, `#[differentiable(tangent = PoseTangent)]`"
)]
pub trait Part<T: Real, L>: Components<T, L> + SelfTangent<L> {}
#[diagnostic::do_not_recommend]
impl<T: Real, L, X: Components<T, L> + SelfTangent<L>> Part<T, L> for X {}

/// Compiles for a part of a point that is its own tangent.
#[doc(hidden)]
#[inline(always)]
pub fn demand_part<T: Real, L, X: Part<T, L>>() {}

/// Compiles for a part of a point.
#[doc(hidden)]
#[inline(always)]
pub fn demand_components<T: Real, L, X: Components<T, L>>() {}

/// Plain data of a point, for the derive.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is plain data of a point, and cannot be cloned",
    label = "derive or implement `Clone` for this type"
)]
pub trait PlainData: Clone {}
#[diagnostic::do_not_recommend]
impl<X: Clone> PlainData for X {}

/// Compiles for plain data of a point.
#[doc(hidden)]
#[inline(always)]
pub fn demand_data<X: PlainData>() {}
