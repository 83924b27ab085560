//! The base floats in a number, including tangents.

use num_complex::Complex;

pub(super) use crate::lift::has_nan;
use crate::number::{Number, PrimalNumber};

/// A component of an argument or a result, real or complex; a complex one is judged by its modulus.
pub(super) type C = Complex<f64>;

/// The base floats in a number, values before tangents. For a [`Var`](crate::Var) these are the value, and the
/// derivative with respect to its node.
///
/// ```
/// use wengert::{Dual, HyperDual, check::parts};
/// assert_eq!(parts(Dual::new(2.0, 0.5)), [2.0, 0.5]);
/// assert_eq!(parts(HyperDual::variable(3.0).square()), [9.0, 6.0, 6.0, 2.0]);
/// ```
pub fn parts<T: Number>(x: T) -> Vec<f64> {
    let mut parts = Vec::new();
    x.visit(&mut |part| parts.push(part));
    parts
}

/// All parts of several numbers.
pub(super) fn parts_of<T: Number>(x: &[T]) -> Vec<f64> {
    x.iter().flat_map(|&x| parts(x)).collect()
}

/// The largest of some sizes, without NaN; 0 if there are none.
pub(super) fn largest(sizes: impl Iterator<Item = f64>) -> f64 {
    sizes.fold(0.0, f64::max)
}

/// The largest distance of two lists of floats; infinite if one is NaN.
pub(super) fn largest_distance(x: &[f64], y: &[f64]) -> f64 {
    let apart = x.iter().zip(y).map(|(x, y)| (x - y).abs());
    largest(apart.map(|d| if d.is_nan() { f64::INFINITY } else { d }))
}

/// Primal numbers as complex ones.
pub(super) fn as_complex<P: PrimalNumber<Base = f64>>(x: &[P]) -> Vec<C> {
    let of_parts = |p: Vec<f64>| C::new(p[0], p.get(1).copied().unwrap_or(0.0));
    x.iter().map(|&x| of_parts(parts(x))).collect()
}

/// Complex numbers as primal ones; real ones are the real parts.
pub(super) fn of_complex<P: PrimalNumber<Base = f64>>(x: &[C]) -> Vec<P> {
    x.iter().map(|x| P::from_parts(P::Re::lit(x.re), P::Re::lit(x.im))).collect()
}

/// Equal bit for bit, or both NaN.
pub(super) fn same_bits(x: &[f64], y: &[f64]) -> bool {
    let same = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
    x.len() == y.len() && x.iter().zip(y).all(same)
}

/// A description of the difference of two numbers, for [`assert_dual_eq!`](crate::assert_dual_eq). `None` if all
/// parts are equal, or closer than the tolerance relative to the larger of the second number's part and 1.
#[doc(hidden)]
pub fn differs<T: Number>(x: T, y: T, tolerance: f64) -> Option<String> {
    let (a, b) = (parts(x), parts(y));
    let close =
        |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * b.abs().max(1.0);
    let place = (0..a.len()).find(|&i| !close(a[i], b[i]))?;
    Some(format!("part {place} differs: {:e} and {:e}\n  left: {x:#}\n right: {y:#}", a[place], b[place]))
}

/// Asserts that two numbers of one type are equal in value *and* tangents; `==` and the macros of approx look only at
/// the value. NaN equals NaN. The optional third argument is a tolerance, relative to the larger of the right part
/// and 1.
///
/// ```
/// use wengert::{Dual, assert_dual_eq};
/// let x = Dual::variable(3.0);
/// assert_dual_eq!(x * x, Dual::new(9.0, 6.0));
/// assert_dual_eq!(x.sin(), Dual::new(3f64.sin(), 3f64.cos() + 1e-14), 1e-13);
/// assert_eq!(x * x, Dual::new(9.0, 0.0)); // the value only
/// ```
///
/// ```should_panic
/// use wengert::{Dual, assert_dual_eq};
/// assert_dual_eq!(Dual::variable(3.0), Dual::constant(3.0));
/// ```
#[macro_export]
macro_rules! assert_dual_eq {
    ($left:expr, $right:expr $(,)?) => {
        $crate::assert_dual_eq!($left, $right, 0.0)
    };
    ($left:expr, $right:expr, $tolerance:expr $(,)?) => {
        if let ::core::option::Option::Some(difference) = $crate::check::differs($left, $right, $tolerance) {
            ::core::panic!("{difference}")
        }
    };
}
