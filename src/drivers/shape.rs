//! Arguments and results of differentiated functions: numbers in slices, arrays and vectors.

use crate::number::Real;
use std::borrow::BorrowMut;

#[cfg(feature = "nalgebra")]
use nalgebra::{Const, DefaultAllocator, Dim, Dyn, OMatrix, SMatrix, U1, allocator::Allocator};

/// Numbers in a row whose type can be exchanged: what drivers take as points and functions return.
///
/// Implemented for every number, slices, arrays, `Vec` and (feature `nalgebra`) vectors, matrices with a dynamic
/// number of columns and matrices of static size up to six columns (`Matrix3`, `RowVector4`, `SMatrix<f64, 2, 5>`;
/// the number of entries must be a type, which stable Rust cannot compute for all sizes); a matrix counts column by column. A slice or an array reaches the function as a slice, a nalgebra vector
/// as a nalgebra vector; gradients come back as the owned form: `Vec` for a slice, else the point's own type.
///
/// ```
/// use wengert::forward;
/// let from_array: [f64; 2] = forward::gradient(|x| x[0] * x[1], &[2.0, 3.0]);
/// let from_slice: Vec<f64> = forward::gradient(|x| x[0] * x[1], &[2.0, 3.0][..]);
/// assert_eq!(from_array[..], from_slice[..]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a point nor a result of a derivative",
    note = "points and results are numbers of wengert, slices, arrays, `Vec`, nalgebra vectors and matrices of such"
)]
pub trait Shape {
    /// The number type.
    type Scalar: Real;
    /// What a function of this shape takes, by reference.
    type Arg<S: Real>: ?Sized;
    /// The owned form with another number type.
    type With<S: Real>: Shape<Scalar = S, With<S> = Self::With<S>> + BorrowMut<Self::Arg<S>>;
    /// The number of entries as a dimension of a Jacobian.
    #[cfg(feature = "nalgebra")]
    type Dim: Dim;

    /// The numbers in order.
    fn scalars(&self) -> &[Self::Scalar];
    /// The numbers in order, to be written.
    fn scalars_mut(&mut self) -> &mut [Self::Scalar];
    /// Rows and columns: a directional derivative takes a direction of the point's own. One column unless it is a
    /// matrix.
    fn extents(&self) -> (usize, usize) {
        (self.scalars().len(), 1)
    }
    /// The same shape filled by index.
    fn same_shape<S: Real>(&self, f: impl FnMut(usize) -> S) -> Self::With<S>;
    /// The number of entries as a nalgebra dimension.
    #[cfg(feature = "nalgebra")]
    fn dim(&self) -> Self::Dim;
}

impl<T: Real> Shape for T {
    type Scalar = T;
    type Arg<S: Real> = S;
    type With<S: Real> = S;
    #[cfg(feature = "nalgebra")]
    type Dim = U1;
    fn scalars(&self) -> &[T] {
        std::slice::from_ref(self)
    }
    fn scalars_mut(&mut self) -> &mut [T] {
        std::slice::from_mut(self)
    }
    fn same_shape<S: Real>(&self, mut f: impl FnMut(usize) -> S) -> S {
        f(0)
    }
    #[cfg(feature = "nalgebra")]
    fn dim(&self) -> U1 {
        U1
    }
}

impl<T: Real> Shape for [T] {
    type Scalar = T;
    type Arg<S: Real> = [S];
    type With<S: Real> = Vec<S>;
    #[cfg(feature = "nalgebra")]
    type Dim = Dyn;
    fn scalars(&self) -> &[T] {
        self
    }
    fn scalars_mut(&mut self) -> &mut [T] {
        self
    }
    fn same_shape<S: Real>(&self, f: impl FnMut(usize) -> S) -> Vec<S> {
        (0..self.len()).map(f).collect()
    }
    #[cfg(feature = "nalgebra")]
    fn dim(&self) -> Dyn {
        Dyn(self.len())
    }
}

impl<T: Real> Shape for Vec<T> {
    type Scalar = T;
    type Arg<S: Real> = [S];
    type With<S: Real> = Vec<S>;
    #[cfg(feature = "nalgebra")]
    type Dim = Dyn;
    fn scalars(&self) -> &[T] {
        self
    }
    fn scalars_mut(&mut self) -> &mut [T] {
        self
    }
    fn same_shape<S: Real>(&self, f: impl FnMut(usize) -> S) -> Vec<S> {
        (0..self.len()).map(f).collect()
    }
    #[cfg(feature = "nalgebra")]
    fn dim(&self) -> Dyn {
        Dyn(self.len())
    }
}

impl<T: Real, const N: usize> Shape for [T; N] {
    type Scalar = T;
    type Arg<S: Real> = [S];
    type With<S: Real> = [S; N];
    #[cfg(feature = "nalgebra")]
    type Dim = Const<N>;
    fn scalars(&self) -> &[T] {
        self
    }
    fn scalars_mut(&mut self) -> &mut [T] {
        self
    }
    fn same_shape<S: Real>(&self, f: impl FnMut(usize) -> S) -> [S; N] {
        std::array::from_fn(f)
    }
    #[cfg(feature = "nalgebra")]
    fn dim(&self) -> Const<N> {
        Const
    }
}

#[cfg(feature = "nalgebra")]
impl<T: Real, R: Dim> Shape for OMatrix<T, R, U1>
where
    DefaultAllocator: Allocator<R>,
{
    type Scalar = T;
    type Arg<S: Real> = OMatrix<S, R, U1>;
    type With<S: Real> = OMatrix<S, R, U1>;
    type Dim = R;
    fn scalars(&self) -> &[T] {
        self.as_slice()
    }
    fn scalars_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
    fn same_shape<S: Real>(&self, mut f: impl FnMut(usize) -> S) -> OMatrix<S, R, U1> {
        OMatrix::from_fn_generic(self.shape_generic().0, U1, |i, _| f(i))
    }
    fn dim(&self) -> R {
        self.shape_generic().0
    }
}

#[cfg(feature = "nalgebra")]
impl<T: Real, R: Dim> Shape for OMatrix<T, R, Dyn>
where
    DefaultAllocator: Allocator<R, Dyn>,
{
    type Scalar = T;
    type Arg<S: Real> = OMatrix<S, R, Dyn>;
    type With<S: Real> = OMatrix<S, R, Dyn>;
    type Dim = Dyn;
    fn scalars(&self) -> &[T] {
        self.as_slice()
    }
    fn scalars_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
    fn same_shape<S: Real>(&self, mut f: impl FnMut(usize) -> S) -> OMatrix<S, R, Dyn> {
        let (rows, columns) = self.shape_generic();
        OMatrix::from_fn_generic(rows, columns, |i, j| f(i + j * rows.value()))
    }
    fn extents(&self) -> (usize, usize) {
        self.shape()
    }
    fn dim(&self) -> Dyn {
        Dyn(self.len())
    }
}

/// Matrices of static size, by name: the number of entries is a product of types.
#[cfg(feature = "nalgebra")]
macro_rules! static_matrices {
    ($($columns:literal: $($rows:literal)*;)*) => {$($(
        impl<T: Real> Shape for SMatrix<T, $rows, $columns> {
            type Scalar = T;
            type Arg<S: Real> = SMatrix<S, $rows, $columns>;
            type With<S: Real> = SMatrix<S, $rows, $columns>;
            type Dim = Const<{ $rows * $columns }>;
            fn scalars(&self) -> &[T] {
                self.as_slice()
            }
            fn scalars_mut(&mut self) -> &mut [T] {
                self.as_mut_slice()
            }
            fn extents(&self) -> (usize, usize) {
                self.shape()
            }
            fn same_shape<S: Real>(&self, mut f: impl FnMut(usize) -> S) -> SMatrix<S, $rows, $columns> {
                SMatrix::from_fn(|i, j| f(i + j * $rows))
            }
            fn dim(&self) -> Self::Dim {
                Const
            }
        }
    )*)*};
}
#[cfg(feature = "nalgebra")]
static_matrices! {
    2: 1 2 3 4 5 6;
    3: 1 2 3 4 5 6;
    4: 1 2 3 4 5 6;
    5: 1 2 3 4 5 6;
    6: 1 2 3 4 5 6;
}
