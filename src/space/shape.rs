//! The number of components of a point or result as a matrix dimension.

use nalgebra::{Const, DefaultAllocator, Dim, Dyn, OMatrix, SMatrix, U1, U2, allocator::Allocator};
use num_complex::Complex;

use super::{Components, NumberLayout, PairLayout, shaped};
use crate::number::{Number, Real};

/// Points and results of Jacobians and Hessians, whose number of components is a matrix dimension.
///
/// The dimension is static for numbers (1), complex numbers (2), arrays of numbers, static vectors, nalgebra matrices
/// of static size with up to six columns (`Matrix3`, `RowVector4`, `SMatrix<f64, 2, 5>`; stable Rust cannot compute
/// the number of entries for all sizes), `Rotation3` (3), `Isometry3` (6) and the like. It is `Dyn` for slices,
/// `Vec`, options, tuples, boxes, arrays of other types than numbers, matrices with a dynamic number of columns, and
/// structs with [`#[derive(Differentiable)]`](derive@crate::Differentiable). Rows and columns follow the order of the components
/// ([`space`](crate::space)). Wrap other matrices (complex matrices, or matrices with seven columns) in a tuple of one
/// element.
///
/// ```
/// use wengert::{hessian, jacobian};
/// // f(a, (b, c)) = (ab, [c²]): a matrix of dynamic size.
/// let j = jacobian(|(a, (b, c))| (*a * *b, vec![c.powi(2)]), &(2.0, (3.0, 4.0)));
/// assert_eq!(j, nalgebra::dmatrix![3.0, 2.0, 0.0; 0.0, 0.0, 8.0]);
/// let h: nalgebra::Matrix2<f64> = hessian(|x| x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!(h, nalgebra::matrix![0.0, 1.0; 1.0, 0.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the number of components of `{Self}` is not a matrix dimension",
    note = "points and results of Jacobians and Hessians are numbers `{T}` in slices, arrays, `Vec`, `Option`, tuples, structs with `#[derive(Differentiable)]`, nalgebra vectors, and matrices of up to six columns or of a dynamic number of them"
)]
pub trait Shape<T: Real, L = PairLayout>: Components<T, L> {
    /// The number of components of a tangent.
    type Dim: Dim;
    /// The number of components of an array of these.
    #[doc(hidden)]
    type Times<const N: usize>: Dim;
}

impl<T: Real> Shape<T> for T {
    type Dim = U1;
    type Times<const N: usize> = Const<N>;
}

/// One number, or two parts of one; arrays of complex numbers have a dynamic dimension.
impl<C: Number> Shape<C::Re, NumberLayout> for C {
    type Dim = Dyn;
    type Times<const N: usize> = Dyn;
}

impl<T: Real, L, P: Shape<T, L>, const N: usize> Shape<T, L> for [P; N] {
    type Dim = P::Times<N>;
    type Times<const M: usize> = Dyn;
}

shaped! {
    [T: Real] T, Complex<T>, U2;
}
shaped! {
    @layout L [T: Real, L, P: Components<T, L>] T, [P], Dyn;
    @layout L [T: Real, L, P: Components<T, L>] T, Vec<P>, Dyn;
    @layout L [T: Real, L, P: Components<T, L>] T, Option<P>, Dyn;
}

impl<T: Real, R: Dim> Shape<T> for OMatrix<T, R, U1>
where
    DefaultAllocator: Allocator<R>,
{
    type Dim = R;
    type Times<const N: usize> = Dyn;
}

impl<T: Real, R: Dim> Shape<T> for OMatrix<T, R, Dyn>
where
    DefaultAllocator: Allocator<R, Dyn>,
{
    type Dim = Dyn;
    type Times<const N: usize> = Dyn;
}

/// Matrices of static size, by name: the number of entries is a product of types.
macro_rules! static_matrices {
    ($($columns:literal: $($rows:literal)*;)*) => {$($(
        shaped! { [T: Real] T, SMatrix<T, $rows, $columns>, Const<{ $rows * $columns }>; }
    )*)*};
}
static_matrices! {
    2: 1 2 3 4 5 6;
    3: 1 2 3 4 5 6;
    4: 1 2 3 4 5 6;
    5: 1 2 3 4 5 6;
    6: 1 2 3 4 5 6;
}
