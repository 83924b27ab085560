//! Hessians in forward mode: blocks of eight directions.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::chunks::{for_each_set, with_buffer};
use super::expect;
use crate::error::AdError;
use crate::forward::Dual2;
use crate::number::Real;
use crate::space::{Components, Shape, dimension, tangent_of};

/// The number of a closure for Hessians: eight directions and their 36 second derivatives.
type Second<T> = Dual2<T, 8, 36>;

/// The Hessian of `f` at `x` in forward mode: one evaluation for up to 8 variables, and one for each pair of
/// groups of 4 beyond.
///
/// The closure works at [`Dual2<T, 8, 36>`], `T` the number type of the point. Rows and columns are the
/// components of the point in order ([`space`](crate::space); on groups those of `v ↦ f(X·exp v)` at zero).
///
/// ```
/// use wengert::{Dual2, forward};
/// let rosenbrock = |x: &[Dual2<f64, 8, 36>]| (x[1] - x[0] * x[0]).powi(2) * 100.0 + (1.0 - x[0]).powi(2);
/// let h = forward::hessian(rosenbrock, &[-1.2, 1.0]);
/// assert!((h - nalgebra::matrix![1330.0, 480.0; 480.0, 200.0]).norm() < 1e-10);
/// ```
pub fn hessian<T, X>(
    f: impl FnMut(&X::Arg<Dual2<T, 8, 36>>) -> Dual2<T, 8, 36>,
    x: &X,
) -> OMatrix<T, X::Dim, X::Dim>
where
    T: Real,
    X: Shape<T> + ?Sized,
    DefaultAllocator: Allocator<X::Dim, X::Dim>,
{
    value_gradient_and_hessian(f, x).2
}

/// `(f(x), H(x))`; otherwise as [`hessian`].
///
/// ```
/// let (y, h) = wengert::forward::value_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!((y, h), (6.0, nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[allow(clippy::type_complexity)]
pub fn value_and_hessian<T, X>(
    f: impl FnMut(&X::Arg<Dual2<T, 8, 36>>) -> Dual2<T, 8, 36>,
    x: &X,
) -> (T, OMatrix<T, X::Dim, X::Dim>)
where
    T: Real,
    X: Shape<T> + ?Sized,
    DefaultAllocator: Allocator<X::Dim, X::Dim>,
{
    let (value, _, hessian) = value_gradient_and_hessian(f, x);
    (value, hessian)
}

/// `(f(x), ∇f(x), H(x))` from the same evaluations; otherwise as [`hessian`].
///
/// ```
/// let (y, g, h) = wengert::forward::value_gradient_and_hessian(|x| x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!((y, g, h), (6.0, [3.0, 2.0], nalgebra::matrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[allow(clippy::type_complexity)]
pub fn value_gradient_and_hessian<T, X>(
    f: impl FnMut(&X::Arg<Dual2<T, 8, 36>>) -> Dual2<T, 8, 36>,
    x: &X,
) -> (T, X::Tangent, OMatrix<T, X::Dim, X::Dim>)
where
    T: Real,
    X: Shape<T> + ?Sized,
    DefaultAllocator: Allocator<X::Dim, X::Dim>,
{
    let dim = X::Dim::from_usize(dimension(x));
    let mut hessian = OMatrix::from_element_generic(dim, dim, T::lit(0.0));
    expect(with_buffer(dimension(x), |gradient| {
        let value = try_value_gradient_and_hessian_into(f, x, gradient, &mut hessian)?;
        Ok((value, tangent_of(x, gradient), hessian))
    }))
}

/// [`hessian`] written to `out`.
///
/// # Panics
/// If `out` is not a square matrix of the point's length.
///
/// ```
/// let mut h = nalgebra::DMatrix::zeros(2, 2);
/// wengert::forward::hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut h);
/// assert_eq!(h, nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]);
/// ```
#[track_caller]
pub fn hessian_into<T, X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Dual2<T, 8, 36>>) -> Dual2<T, 8, 36>,
    x: &X,
    out: &mut OMatrix<T, R, C>,
) where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    expect(with_buffer(dimension(x), |g| try_value_gradient_and_hessian_into(f, x, g, out)));
}

/// [`value_and_hessian`] with the Hessian written to `out`; returns the value.
///
/// # Panics
/// If `out` is not a square matrix of the point's length.
///
/// ```
/// let mut h = nalgebra::DMatrix::zeros(2, 2);
/// let y = wengert::forward::value_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut h);
/// assert_eq!((y, h), (6.0, nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[track_caller]
pub fn value_and_hessian_into<T, X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Dual2<T, 8, 36>>) -> Dual2<T, 8, 36>,
    x: &X,
    out: &mut OMatrix<T, R, C>,
) -> T
where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    expect(with_buffer(dimension(x), |g| try_value_gradient_and_hessian_into(f, x, g, out)))
}

/// [`value_gradient_and_hessian`] with gradient and Hessian written to buffers; returns the value.
///
/// # Panics
/// If `gradient` has not the length of `x`, or `hessian` is not square of that size.
///
/// ```
/// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
/// let y = wengert::forward::value_gradient_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g, &mut h);
/// assert_eq!((y, g, h), (6.0, [3.0, 2.0], nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
/// ```
#[track_caller]
pub fn value_gradient_and_hessian_into<T, X, R: Dim, C: Dim>(
    f: impl FnMut(&X::Arg<Dual2<T, 8, 36>>) -> Dual2<T, 8, 36>,
    x: &X,
    gradient: &mut [T],
    hessian: &mut OMatrix<T, R, C>,
) -> T
where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    expect(try_value_gradient_and_hessian_into(f, x, gradient, hessian))
}

/// [`value_gradient_and_hessian`] into buffers, with an error instead of the panic; nothing is written then.
///
/// # Errors
/// [`AdError::Shape`] if `gradient` has not the length of `x`, [`AdError::Dimensions`] if `hessian` is not square of
/// that size.
///
/// ```
/// use wengert::forward;
/// let (mut g, mut h) = ([0.0; 2], nalgebra::DMatrix::zeros(2, 2));
/// let y = forward::try_value_gradient_and_hessian_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g, &mut h);
/// assert_eq!((y, g, h), (Ok(6.0), [3.0, 2.0], nalgebra::dmatrix![0.0, 1.0; 1.0, 0.0]));
/// ```
pub fn try_value_gradient_and_hessian_into<T, X, R: Dim, C: Dim>(
    mut f: impl FnMut(&X::Arg<Dual2<T, 8, 36>>) -> Dual2<T, 8, 36>,
    x: &X,
    gradient: &mut [T],
    hessian: &mut OMatrix<T, R, C>,
) -> Result<T, AdError>
where
    T: Real,
    X: Components<T> + ?Sized,
    DefaultAllocator: Allocator<R, C>,
{
    let n = dimension(x);
    AdError::check_len("hessian", "gradient buffer", n, gradient.len())?;
    AdError::check_dimensions("hessian", "buffer", (n, n), hessian.shape())?;
    let mut value = None;
    for_each_set(
        x,
        pairs_of_groups(n),
        |_, x| Second::<T>::constant(x),
        |point, lanes| {
            let y = f(point);
            value.get_or_insert(y.value());
            for (a, i) in lanes.clone().enumerate() {
                gradient[i] = y.gradient()[a];
                for (b, j) in lanes.clone().enumerate() {
                    hessian[(i, j)] = y.second(a, b);
                }
            }
        },
    );
    Ok(value.expect("every point is visited"))
}

/// The sets of at most eight directions that cover every pair of `0..n`: all at once up to eight, else two
/// groups of four at a time.
fn pairs_of_groups(n: usize) -> impl Iterator<Item = impl Iterator<Item = usize> + Clone> {
    let width = if n <= 8 { 8 } else { 4 };
    let groups = n.div_ceil(width).max(1);
    let group = move |g: usize| g * width..n.min((g + 1) * width);
    (0..groups).flat_map(move |a| {
        let first = if groups == 1 { 0 } else { a + 1 };
        (first..groups).map(move |b| group(a).chain(if a == b { 0..0 } else { group(b) }))
    })
}
