//! Triangular systems: `TX = B`, where only a triangle of `T` is read.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::middle;
use crate::matrix::kernels::substitution::Triangle;
use crate::matrix::op::Op;
use crate::matrix::operation::operation;
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::triangular::TriangularSolveRule;
use crate::matrix::shapes::{demand, square};
use num_traits::Zero;

#[track_caller]
pub(super) fn substitute<S: Entry, D: Dim, C: Dim>(
    name: &'static str,
    triangle: Triangle,
    t: &OMatrix<S, D, D>,
    b: &OMatrix<S, D, C>,
) -> Result<OMatrix<S, D, C>, AdError>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
{
    let n = square(name, t);
    demand(name, "right-hand side", (n, b.ncols()), b.shape());
    let (rows, columns) = b.shape_generic();
    let recorded = operation!(name, [t, b] {name: &'static str, triangle: Triangle} => {
        substitute(name, triangle, t, b)?.data.into()
    });
    if let Some(x) = recorded {
        return Ok(OMatrix::from_vec_generic(rows, columns, x?));
    }
    if !triangle.unit && (0..n).any(|i| t[(i, i)].size().is_zero()) {
        return Err(AdError::Singular { op: name });
    }
    let is_far = !triangle.unit && middle(t.as_slice().iter().step_by(n + 1)) != 0;
    let power = if is_far { middle(t.iter()) } else { 0 };
    let powers = Scales::of_system(power, &[t.as_slice()], b.as_slice());
    let rule = TriangularSolveRule { triangle, n, columns: b.ncols() };
    let x = lift(rule, powers, &[t.as_slice(), b.as_slice()])?;
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

macro_rules! triangular_solves {
    ($($(#[$doc:meta])* $name:ident: $lower:literal, $unit:literal, $op:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// `TẊ = Ḃ − ṪX`, `TᴴB̄ = X̄`, and `T̄` is the triangle of `−B̄Xᴴ`; the other triangle has cotangent zero.
        ///
        /// # Errors
        /// `Singular` if the diagonal contains a zero.
        ///
        /// # Panics
        /// If `T` is not square or `B` has another number of rows.
        #[track_caller]
        pub fn $name<S: Entry, D: Dim, C: Dim>(
            t: &OMatrix<S, D, D>,
            b: &OMatrix<S, D, C>,
        ) -> Result<OMatrix<S, D, C>, AdError>
        where
            DefaultAllocator: Allocator<D, D> + Allocator<D, C>,
        {
            substitute(stringify!($name), Triangle { lower: $lower, unit: $unit, op: Op::$op }, t, b)
        }
    )*};
}

triangular_solves! {
    /// `X` of `TX = B` with the lower triangle of `T`.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_lower(&matrix![2.0, 9.0; 1.0, 4.0], &vector![2.0, 9.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_lower: true, false, Plain;
    /// `X` of `TX = B` with the upper triangle of `T`.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_upper(&matrix![2.0, 1.0; 9.0, 4.0], &vector![4.0, 8.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_upper: false, false, Plain;
    /// `X` of `TᵀX = B` with the lower triangle of `T`.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![2.0, 9.0; 1.0, 4.0];
    /// let x = wengert::matrix::solve_lower_transpose(&a, &vector![4.0, 8.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_lower_transpose: true, false, Transpose;
    /// `X` of `TᵀX = B` with the upper triangle of `T`.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![2.0, 1.0; 9.0, 4.0];
    /// let x = wengert::matrix::solve_upper_transpose(&a, &vector![2.0, 9.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_upper_transpose: false, false, Transpose;
    /// `X` of `TX = B` with the triangle of `T` below the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![9.0, 9.0; 1.0, 9.0];
    /// let x = wengert::matrix::solve_unit_lower(&a, &vector![1.0, 3.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_lower: true, true, Plain;
    /// `X` of `TX = B` with the triangle of `T` above the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![9.0, 1.0; 9.0, 9.0];
    /// let x = wengert::matrix::solve_unit_upper(&a, &vector![3.0, 2.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_upper: false, true, Plain;
    /// `X` of `TᵀX = B` with the triangle of `T` below the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![9.0, 9.0; 1.0, 9.0];
    /// let x = wengert::matrix::solve_unit_lower_transpose(&a, &vector![3.0, 2.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_lower_transpose: true, true, Transpose;
    /// `X` of `TᵀX = B` with the triangle of `T` above the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![9.0, 1.0; 9.0, 9.0];
    /// let x = wengert::matrix::solve_unit_upper_transpose(&a, &vector![1.0, 3.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_upper_transpose: false, true, Transpose;
    /// `X` of `TᴴX = B` with the lower triangle of `T`: the second half of a solve with a Cholesky factor.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![2.0, 9.0; 1.0, 4.0];
    /// let x = wengert::matrix::solve_lower_adjoint(&a, &vector![4.0, 8.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_lower_adjoint: true, false, Adjoint;
    /// `X` of `TᴴX = B` with the upper triangle of `T`.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let a = matrix![2.0, 1.0; 9.0, 4.0];
    /// let x = wengert::matrix::solve_upper_adjoint(&a, &vector![2.0, 9.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_upper_adjoint: false, false, Adjoint;
}
