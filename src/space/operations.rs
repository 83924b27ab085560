//! The vector space of tangents, and steps between points.

use super::{Components, Differentiable, SelfTangent, check, components, dimension, tangent_of};
use crate::error::AdError;
use crate::number::Real;

/// The number of components of a point.
///
/// ```
/// assert_eq!(wengert::space::count(&(1.0, [2.0, 3.0], "no number")), 3);
/// ```
pub fn count<T: Real, X: Components<T> + ?Sized>(x: &X) -> usize {
    x.count()
}

/// The zero of the tangents of a point.
///
/// ```
/// let z = wengert::space::zero(&(1.0, vec![Some(2.0), None]));
/// assert_eq!(z, (0.0, vec![Some(0.0), None]));
/// ```
pub fn zero<T: Real, X: Components<T> + ?Sized>(x: &X) -> X::Tangent {
    x.tangent_from(&mut || T::lit(0.0))
}

/// A tangent of `x` whose components come from `source`, for example a random number generator.
///
/// ```
/// let mut state = 1_u32;
/// let mut uniform = || {
///     state = state.wrapping_mul(1664525).wrapping_add(1013904223);
///     f64::from(state) / 2f64.powi(32)
/// };
/// let (a, v): (f64, [f64; 2]) = wengert::space::random(&(0.0, [0.0, 0.0]), &mut uniform);
/// assert!(a != v[0] && v[0] != v[1]);
/// ```
pub fn random<T: Real, X: Components<T> + ?Sized>(x: &X, mut source: impl FnMut() -> T) -> X::Tangent {
    x.tangent_from(&mut source)
}

/// The components in order: part after part, matrices column by column.
///
/// ```
/// assert_eq!(wengert::space::flatten(&(1.0, [[2.0], [3.0]])), [1.0, 2.0, 3.0]);
/// # #[cfg(feature = "nalgebra")]
/// let components = wengert::space::flatten(&nalgebra::matrix![1.0, 3.0; 2.0, 4.0]);
/// assert_eq!(components, [1.0, 2.0, 3.0, 4.0]);
/// ```
pub fn flatten<T: Real, X: Components<T> + ?Sized>(x: &X) -> Vec<T> {
    components(x).into_owned()
}

/// The point with the structure of `x` and these components: the inverse of [`flatten`].
///
/// # Errors
/// [`AdError::Shape`] if `x` has another number of components.
///
/// ```
/// use wengert::space::unflatten;
/// let x = unflatten(&(0.0, vec![0.0; 2]), &[1.0, 2.0, 3.0]).unwrap();
/// assert_eq!(x, (1.0, vec![2.0, 3.0]));
/// let e = unflatten(&(0.0, vec![0.0; 2]), &[1.0]).unwrap_err();
/// assert_eq!(e.to_string(), "unflatten: the slice has length 1, expected 3");
/// ```
pub fn unflatten<T: Real, X: Components<T> + ?Sized>(x: &X, components: &[T]) -> Result<X::Owned, AdError> {
    AdError::check_len("unflatten", "slice", x.count(), components.len())?;
    let mut next = components.iter().copied();
    Ok(x.map_same(&mut |_| next.next().expect("counted before")))
}

/// `a + b`.
///
/// # Errors
/// [`AdError::Shape`] or [`AdError::Structure`] if the structures differ.
///
/// ```
/// use wengert::space::add;
/// assert_eq!(add(&(1.0, vec![2.0]), &(10.0, vec![20.0])).unwrap(), (11.0, vec![22.0]));
/// let e = add(&(1.0, vec![2.0]), &(10.0, vec![])).unwrap_err();
/// assert_eq!(e.to_string(), "add: the second tangent has length 0, expected 1");
/// ```
pub fn add<T, V>(a: &V, b: &V) -> Result<V::Owned, AdError>
where
    T: Real,
    V: Components<T> + SelfTangent + ?Sized,
{
    check("add", "second tangent", a, b)?;
    let b = components(b);
    let mut b = b.iter();
    Ok(a.map_same(&mut |a| a + *b.next().expect("outlines agree")))
}

/// `a += b`.
///
/// # Errors
/// As for [`add`]; on an error `a` is unchanged.
///
/// ```
/// let mut a = [1.0, 2.0];
/// wengert::space::add_assign(&mut a, &[10.0, 20.0]).unwrap();
/// assert_eq!(a, [11.0, 22.0]);
/// ```
pub fn add_assign<T, V>(a: &mut V, b: &V) -> Result<(), AdError>
where
    T: Real,
    V: Components<T> + SelfTangent + ?Sized,
{
    check("add_assign", "second tangent", a, b)?;
    let b = components(b);
    let mut b = b.iter();
    a.visit_mut(&mut |a| *a += *b.next().expect("outlines agree"));
    Ok(())
}

/// A product that is (positive) zero where either factor is exactly zero.
fn product<T: Real>(a: T, s: T) -> T {
    if a.is_exactly_zero() || s.is_exactly_zero() { T::lit(0.0) } else { a * s }
}

/// `s·a`. A component is zero if it or `s` is exactly zero, even if the other is infinite or NaN.
///
/// ```
/// use wengert::space::scale;
/// assert_eq!(scale(&(1.0, [2.0, 3.0]), 2.0), (2.0, [4.0, 6.0]));
/// assert_eq!(scale(&[f64::NAN, 2.0], 0.0), [0.0, 0.0]);
/// ```
pub fn scale<T: Real, V: Components<T> + SelfTangent + ?Sized>(a: &V, s: T) -> V::Owned {
    a.map_same(&mut |a| product(a, s))
}

/// `a *= s`, as [`scale`].
///
/// ```
/// let mut a = (f64::NAN, [2.0, 3.0]);
/// wengert::space::scale_assign(&mut a, 0.0);
/// assert_eq!(a, (0.0, [0.0, 0.0]));
/// ```
pub fn scale_assign<T: Real, V: Components<T> + SelfTangent + ?Sized>(a: &mut V, s: T) {
    a.visit_mut(&mut |a| *a = product(*a, s));
}

/// The real inner product `Σ aᵢbᵢ` over the components; `Re(conj(a)·b)` for complex numbers.
///
/// # Errors
/// As [`add`].
///
/// ```
/// use num_complex::Complex;
/// let (a, b) = (Complex::new(1.0, 2.0), Complex::new(3.0, 4.0));
/// assert_eq!(wengert::space::dot(&a, &b).unwrap(), (a.conj() * b).re);
/// ```
pub fn dot<T: Real, V: Components<T> + SelfTangent + ?Sized>(a: &V, b: &V) -> Result<T, AdError> {
    check("dot", "second tangent", a, b)?;
    Ok(T::dot(&components(a), &components(b)))
}

/// The point `x + εẋ`; for rotations and rigid motions `x·exp(εẋ)`. The product `εẋ` is as in [`scale`], so a step
/// of length zero returns `x`.
///
/// # Errors
/// [`AdError::Shape`] or [`AdError::Structure`] if `tangent` and `x` differ in structure.
///
/// ```
/// let x = (1.0, vec![2.0, 3.0], 7);
/// let g = wengert::gradient(|x| x.0 * x.1[0], &x);
/// let lower = wengert::space::perturb(&x, -0.5, &g).unwrap();
/// assert_eq!(lower, (0.0, vec![1.5, 3.0], 7));
/// ```
pub fn perturb<T, X>(x: &X, eps: T, tangent: &X::Tangent) -> Result<X::Owned, AdError>
where
    T: Real,
    X: Components<T> + Differentiable<Tangent: Components<T>> + ?Sized,
{
    check("perturb", "tangent", x, tangent)?;
    let tangent = components(tangent);
    let mut tangent = tangent.iter();
    Ok(x.retract(&mut || product(*tangent.next().expect("outlines agree"), eps)))
}

/// The tangent at `from` that leads to `to`: `to − from`; for rotations and rigid motions `log(from⁻¹·to)`.
///
/// # Errors
/// [`AdError::Shape`] or [`AdError::Structure`] if the points differ in structure.
///
/// ```
/// use wengert::space::{difference, perturb};
/// let (a, b) = ((1.0, [2.0, 3.0]), (1.5, [0.0, 4.0]));
/// let d = difference(&b, &a).unwrap();
/// assert_eq!(d, (0.5, [-2.0, 1.0]));
/// assert_eq!(perturb(&a, 1.0, &d).unwrap(), b);
/// ```
pub fn difference<T, X>(to: &X, from: &X) -> Result<<X as Differentiable>::Tangent, AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
{
    check("difference", "point", from, to)?;
    let mut components = Vec::with_capacity(dimension(from));
    to.difference(from, &mut |c| components.push(c));
    Ok(tangent_of(from, &components))
}
