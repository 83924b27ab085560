//! Rotations and rigid motions: exponential and logarithm of SO(3) and SE(3), quaternions, angles. Derivatives are
//! right in higher orders too, at angle zero, where common code returns constants, and near π, where it divides by
//! zero.
//!
//! Conventions:
//! - Rotations are right-handed and active (`R·x` turns the vector `x`). A *scaled axis* is the axis times the angle
//!   in radians.
//! - Quaternions are Hamilton's, `w + xi + yj + zk`, in nalgebra's types: [`Quaternion::new`] takes `w` first,
//!   `coords` stores `x, y, z, w`. `q` and `−q` are the same rotation.
//! - A vector of se(3) is `(ρ, ω)`, translation first, rotation last.
//! - Tangents of a rotation matrix must be tangent to SO(3), and tangents of a unit quaternion tangent to the sphere,
//!   as results of these functions are; the derivatives are then the derivatives on the group. Cotangents of matrices
//!   and quaternions follow the formulas in their entries; only their part along the group is unique.
//!
//! Results are nalgebra's types over any real number of this crate. Their products, inverses and actions on vectors
//! are polynomials, and have the right derivatives. In generic code nalgebra requires `RealField` of the operators of
//! quaternions and isometries, which these functions do not take: use [`so3_exp`] there, because products, transposes and
//! actions of `Rotation3` need no more than `Scalar`. Convert constants with `cast`: `rotation.cast::<Dual<f64>>()`.
//!
//! Some of nalgebra's functions are wrong on numbers with derivatives. At the zero rotation `from_scaled_axis`,
//! `Rotation3::new`, `Rotation3::from_axis_angle`, `Isometry3::new`, `powf`, `slerp`, `ln` and `scaled_axis` return
//! constants with zero tangents, and so does `rotation_between` for parallel vectors. For tiny rotations and near π
//! `scaled_axis` and `angle` of a matrix return infinities and NaN. Use the functions here instead.
//!
//! The coefficients are functions of `s = |ω|²`: the Stumpff functions `cₖ(s) = Σⱼ (−s)ʲ/(2j + k)!`, which are
//! entire, so zero is not a special case. Sources: J. Solà, J. Deray, D. Atchuthan, *A micro Lie theory for state
//! estimation in robotics* (2018); T. D. Barfoot, *State Estimation for Robotics* (2017), 7.1.
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
