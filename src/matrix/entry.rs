//! The entries of a matrix, and their quotients.

use nalgebra::RealField;
use num_traits::Float;

use crate::matrix::kernels::balance::scaled;
/// A number that may be an entry of a matrix.
pub use crate::number::AsNumber as Entry;
use crate::number::{BaseFloat, Number, Real};

/// A real number for code that calls both nalgebra's functions, its rotations and decompositions among them, and those of
/// [`matrix`](crate::matrix): every type that is [`Real`] and `RealField`. Elementary functions are those of `RealField`;
/// under the bound `T: Real + RealField` each of them would be ambiguous.
///
/// A function over `T: Real`, of this crate or of yours, takes `x.as_number()`, which is the number itself as a type that
/// has `Real`; `T::from_number` leads back. A constant is `T::constant(2.0)`.
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
pub trait RealEntry: RealField + Copy + Entry<Re = Self, Number: Real<Base = <Self as Entry>::Base>> {}

impl<T: Real + RealField> RealEntry for T {}

/// `x/y`. The operator of num-complex forms `|y|²` and `xȳ`, which overflow: of a complex `y` far from 1, or beside such
/// an `x`, the multiple by a power of two is taken.
#[inline(always)]
pub(crate) fn quotient<S: Entry>(x: S, y: S) -> S {
    let has_products =
        || is_near_one(y.size()) && (is_near_one(x.size()) || x.size() == S::Base::from_double(0.0));
    if S::IS_REAL || has_products() { x / y } else { scaled_quotient(x, y) }
}

/// `x/r` for a real `r` with a reciprocal in the range, by which complex numbers are multiplied.
#[inline(always)]
pub(crate) fn over_real<S: Entry>(x: S, r: S::Re) -> S {
    if S::IS_REAL { x / S::of_real(r) } else { x * S::of_real(<S::Re as Number>::lit(1.0) / r) }
}

/// Whether squares of the number have all their digits, and products with another such one.
#[inline(always)]
fn is_near_one<F: BaseFloat + Float>(size: F) -> bool {
    let least = Float::sqrt(F::min_positive_value() / F::epsilon());
    size > least && size * least < F::from_double(1.0)
}

#[cold]
#[inline(never)]
fn scaled_quotient<S: Entry>(x: S, y: S) -> S {
    let exponent = |x: S| {
        let size = x.size().to_double();
        if size.is_finite() && size != 0.0 { libm::ilogb(size) } else { 0 }
    };
    let (of_x, of_y) = (exponent(x), exponent(y));
    scaled(scaled(x, -of_x) / scaled(y, -of_y), of_x - of_y)
}
