//! Rotations and rigid motions: exponential and logarithm of SO(3) and SE(3), quaternions, angles. Right to
//! higher orders, too: at zero, where the usual code returns constants, and near π, where it divides by zero.
//!
//! Conventions:
//! - Rotations are right-handed and active (`R·x` turns the vector `x`). A *scaled axis* is the axis times the angle
//!   in radians.
//! - Quaternions are Hamilton's, `w + xi + yj + zk`, in nalgebra's types: [`Quaternion::new`] takes `w` first,
//!   `coords` stores `x, y, z, w`. `q` and `−q` are the same rotation.
//! - A vector of se(3) is `(ρ, ω)`, translation first, rotation last.
//! - Tangents of a rotation matrix are taken to be tangent to SO(3), those of a unit quaternion to be tangent to the
//!   sphere, as they are when such functions made them; then the derivatives are those on the group. Cotangents of
//!   matrices and quaternions are those of the formulas in their entries; their part along the group is unique.
//!
//! Results are nalgebra's types over any real number of this crate; their products, inverses and actions on vectors
//! are polynomials and right as they are. Constants come in by `cast`: `rotation.cast::<Dual<f64>>()`.
//!
//! Not everything that nalgebra has for rotations is right on numbers with derivatives: at the zero rotation
//! `from_scaled_axis`, `Rotation3::new`, `Rotation3::from_axis_angle`, `Isometry3::new`, `powf`, `slerp`, `ln` and
//! `scaled_axis` return constants, whose tangents are silently zero, and so does `rotation_between` at parallel vectors;
//! for tiny rotations and near π `scaled_axis` and `angle` of a matrix give infinities and NaN. These are the functions
//! to use instead.
//!
//! The coefficients are functions of `s = |ω|²`: the Stumpff functions `cₖ(s) = Σⱼ (−s)ʲ/(2j + k)!`, which are
//! entire, so that nothing is to be caught at zero. Sources: J. Solà, J. Deray, D. Atchuthan, *A micro Lie theory for
//! state estimation in robotics* (2018); T. D. Barfoot, *State Estimation for Robotics* (2017), 7.1.
//!
//! [`Quaternion::new`]: nalgebra::Quaternion::new

mod angle;
mod coefficients;
mod quaternion;
mod rodrigues;
mod se3;
mod so3;

pub use angle::*;
pub use quaternion::*;
pub(crate) use quaternion::{Parts, hamilton, parts, unit};
pub use se3::*;
pub use so3::*;
