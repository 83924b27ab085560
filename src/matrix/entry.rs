//! The entries of a matrix.

use std::iter::{Product, Sum};

use nalgebra::RealField;

/// A number that may be an entry of a matrix.
pub use crate::number::AsNumber as Entry;
use crate::number::Real;

/// A real number for code that calls functions of nalgebra, its rotations and decompositions among them, and
/// functions of [`matrix`](crate::matrix): every type that is [`Real`] and `RealField`. Elementary functions come
/// from `RealField`; under the bound `T: Real + RealField` each of them would be ambiguous.
///
/// To call a function over `T: Real`, of this crate or your own, pass `x.as_number()`, which is the number itself as
/// a type that has `Real`; `T::from_number` converts back. The functions of [`rotation`](crate::matrix::rotation) are
/// over `T: Real`; the guide's page on nalgebra has an example. A constant is `T::constant(2.0)`.
///
/// ```
/// use nalgebra::{Matrix3, Rotation3, Vector3};
/// use wengert::{Dual, derivative, gradient, matrix, matrix::RealEntry};
/// /// `(R·diag(3, 2, 1) + q·I)x = (1, sin q, 0)`, along the rotated axis.
/// fn along<T: RealEntry>(q: T) -> T {
///     let r = Rotation3::from_euler_angles(q, q * q, T::constant(0.5));
///     let [a, b, c] = [3.0, 2.0, 1.0].map(T::constant);
///     let scaled = r.matrix() * Matrix3::from_diagonal(&Vector3::new(a, b, c));
///     let right = Vector3::new(T::one(), q.sin(), T::zero());
///     let x = matrix::solve(&(scaled + Matrix3::identity() * q), &right).unwrap();
///     x.dot(&(r * Vector3::x()))
/// }
/// let forward = derivative(along, 0.7);
/// let reverse = gradient(|q| along(q[0]), &[0.7_f64]);
/// assert!((forward - reverse[0]).abs() < 1e-14);
/// assert_eq!(along(0.7), along(Dual::variable(0.7)).value());
///
/// fn norm_of<T: RealEntry>(x: &[T; 2]) -> T {
///     T::from_number(wengert::reduce::norm(&x.map(|x| x.as_number())))
/// }
/// assert_eq!(norm_of(&[3.0, 4.0]), 5.0);
/// ```
pub trait RealEntry:
    RealField
    + Copy
    + Entry<Re = Self, Number: Real<Base = <Self as Entry>::Base>>
    + Sum
    + Product
    + for<'a> Sum<&'a Self>
    + for<'a> Product<&'a Self>
{
}

impl<T: Real + RealField> RealEntry for T where T: Sum + Product + for<'a> Sum<&'a T> + for<'a> Product<&'a T> {}
