//! Points and results of complex functions: numbers in slices, arrays, vectors and matrices.

use std::borrow::Borrow;

#[cfg(feature = "nalgebra")]
use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::number::Number;

/// Complex or real numbers in a row whose type can be exchanged: what the drivers of [`complex`](crate::complex) take
/// as points and functions return. (Structures of complex numbers, tuples and structs, are points of the drivers at the
/// root, which hand them on as `Complex<Var<f64>>`.)
///
/// A slice, an array or a `Vec` reaches the function as a slice, a nalgebra matrix as a matrix; derivatives come back
/// as the owned form.
///
/// ```
/// use num_complex::Complex64;
/// use wengert::complex::jvp;
/// let z = [Complex64::new(1.0, 1.0), Complex64::i()];
/// assert_eq!(jvp(|z| z[0] * z[1], &z, &[Complex64::i(), Complex64::new(1.0, 0.0)]), Complex64::new(0.0, 1.0));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a point nor a result of a complex derivative",
    note = "points and results are numbers of wengert, slices, arrays, `Vec`, nalgebra matrices of such"
)]
pub trait Points {
    /// The number type.
    type Scalar: Number;
    /// What a function of this shape takes, by reference.
    type Arg<S: Number>: ?Sized;
    /// The owned form with another number type.
    type With<S: Number>: Points<Scalar = S> + Borrow<Self::Arg<S>>;
    /// The numbers in order.
    fn scalars(&self) -> &[Self::Scalar];
    /// Rows and columns: a tangent has those of its point. One column unless it is a matrix.
    fn extents(&self) -> (usize, usize) {
        (self.scalars().len(), 1)
    }
    /// The same shape filled by index.
    fn same_points<S: Number>(&self, f: impl FnMut(usize) -> S) -> Self::With<S>;
}

impl<T: Number> Points for T {
    type Scalar = T;
    type Arg<S: Number> = S;
    type With<S: Number> = S;
    fn scalars(&self) -> &[T] {
        std::slice::from_ref(self)
    }
    fn same_points<S: Number>(&self, mut f: impl FnMut(usize) -> S) -> S {
        f(0)
    }
}

/// Forms that reach a function as a slice.
macro_rules! slices {
    ($([$($g:tt)*] $X:ty, $With:ty, $collect:expr;)*) => {$(
        impl<T: Number, $($g)*> Points for $X {
            type Scalar = T;
            type Arg<S: Number> = [S];
            type With<S: Number> = $With;
            fn scalars(&self) -> &[T] {
                self
            }
            fn same_points<S: Number>(&self, f: impl FnMut(usize) -> S) -> $With {
                $collect(self.len(), f)
            }
        }
    )*};
}
slices! {
    [] [T], Vec<S>, |n, f| (0..n).map(f).collect();
    [] Vec<T>, Vec<S>, |n, f| (0..n).map(f).collect();
    [const N: usize] [T; N], [S; N], |_, f| std::array::from_fn(f);
}

#[cfg(feature = "nalgebra")]
impl<T: Number, R: Dim, C: Dim> Points for OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Scalar = T;
    type Arg<S: Number> = OMatrix<S, R, C>;
    type With<S: Number> = OMatrix<S, R, C>;
    fn scalars(&self) -> &[T] {
        self.as_slice()
    }
    fn extents(&self) -> (usize, usize) {
        self.shape()
    }
    fn same_points<S: Number>(&self, mut f: impl FnMut(usize) -> S) -> OMatrix<S, R, C> {
        let (rows, columns) = self.shape_generic();
        OMatrix::from_fn_generic(rows, columns, |i, j| f(i + j * rows.value()))
    }
}
