//! Triangular systems: `TX = B`, where only a triangle of `T` is read.

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Zero;

use super::substitution::Triangle;
use super::{Entry, Op, add, demand, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// `op(T)·X = B`: `op(T)·Ẋ = Ḃ − op(Ṫ)·X`; with `op(T)ᴴ·B̄ = X̄`, the cotangent of `op(T)` is the triangle of `−B̄Xᴴ`.
#[derive(Clone, Copy)]
struct Substitution {
    triangle: Triangle,
    n: usize,
    columns: usize,
}

impl Substitution {
    /// `T` with zeros outside of the triangle that is read.
    fn masked<T: Number>(&self, t: &[T]) -> DMatrix<T> {
        let Triangle { lower, unit, .. } = self.triangle;
        let mut t = dense(self.n, self.n, t);
        if lower {
            t.fill_upper_triangle(T::lit(0.0), 1);
        } else {
            t.fill_lower_triangle(T::lit(0.0), 1);
        }
        if unit {
            t.fill_diagonal(T::lit(0.0));
        }
        t
    }
}

impl<P: Machine> Primitive<P> for Substitution {
    type Map<T: Number<Primal = P, Base = P::Base>> = Substituted<T>;
    fn name(&self) -> &'static str {
        "triangular solve"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let mut b = dense(self.n, self.columns, x[1]);
        self.triangle.solve(x[0], self.n, &mut b);
        Ok(b.data.into())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Substituted<T>, AdError> {
        let [t, _] = x.try_into().expect("a matrix and a right-hand side");
        Ok(Substituted { rule: *self, t, x: dense(self.n, self.columns, y) })
    }
}

/// The derivative of the solution of a triangular system.
struct Substituted<T> {
    rule: Substitution,
    t: Vec<T>,
    x: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for Substituted<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let mut rest = vec![T::lit(0.0); out.len()];
        if let Some(db) = tangents[1] {
            rest.copy_from_slice(db);
        }
        if let Some(dt) = tangents[0] {
            let term = times(self.rule.triangle.op, &self.rule.masked(dt), Op::Plain, &self.x);
            rest.iter_mut().zip(term.as_slice()).for_each(|(r, &t)| *r -= t);
        }
        let dx = T::lift_primitive(&self.rule, &[&self.t, &rest]).expect("the diagonal is not zero");
        out.copy_from_slice(&dx);
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let op = self.rule.triangle.op;
        let rule =
            Substitution { triangle: Triangle { op: op.adjoint(), ..self.rule.triangle }, ..self.rule };
        let b = T::lift_primitive(&rule, &[&self.t, cotangent]).expect("the diagonal is not zero");
        let [to_t, to_b] = out else { unreachable!("a matrix and a right-hand side") };
        if let Some(out) = to_b {
            add(out, &b);
        }
        if let Some(out) = to_t {
            let b = DMatrix::from_vec(self.rule.n, self.rule.columns, b);
            let g = op.of(-times(Op::Plain, &b, Op::Adjoint, &self.x));
            add(out, self.rule.masked(g.as_slice()).as_slice());
        }
    }
    fn name(&self) -> &'static str {
        "triangular solve"
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.t[..]) + size_of_val(self.x.as_slice())
    }
}

/// `X` of `op(T)·X = B`, whose diagonal is known to hold no zero.
pub(super) fn substituted<T: Number>(triangle: Triangle, t: &DMatrix<T>, b: &DMatrix<T>) -> DMatrix<T> {
    let (n, columns) = b.shape();
    let rule = Substitution { triangle, n, columns };
    let x = T::lift_primitive(&rule, &[t.as_slice(), b.as_slice()]).expect("the diagonal is not zero");
    DMatrix::from_vec(n, columns, x)
}

#[track_caller]
fn substitute<S: Entry, D: Dim, C: Dim>(
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
    if !triangle.unit && (0..n).any(|i| t[(i, i)].size().is_zero()) {
        return Err(AdError::Singular { op: name });
    }
    let rule = Substitution { triangle, n, columns: b.ncols() };
    let x = S::lift(&rule, &[t.as_slice(), b.as_slice()])?;
    let (rows, columns) = b.shape_generic();
    Ok(OMatrix::from_vec_generic(rows, columns, x))
}

macro_rules! triangular_solves {
    ($($(#[$doc:meta])* $name:ident: $lower:literal, $unit:literal, $op:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Nothing flows to the other triangle. `TẊ = Ḃ − ṪX`, `TᴴB̄ = X̄`, and `T̄` is the triangle of `−B̄Xᴴ`.
        ///
        /// # Errors
        /// `Singular` if the diagonal holds a zero.
        ///
        /// # Panics
        /// If `T` is not square or `B` has another number of rows.
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
    /// let x = wengert::matrix::solve_lower_transpose(&matrix![2.0, 9.0; 1.0, 4.0], &vector![4.0, 8.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_lower_transpose: true, false, Transpose;
    /// `X` of `TᵀX = B` with the upper triangle of `T`.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_upper_transpose(&matrix![2.0, 1.0; 9.0, 4.0], &vector![2.0, 9.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_upper_transpose: false, false, Transpose;
    /// `X` of `TX = B` with the triangle of `T` below the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_unit_lower(&matrix![9.0, 9.0; 1.0, 9.0], &vector![1.0, 3.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_lower: true, true, Plain;
    /// `X` of `TX = B` with the triangle of `T` above the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_unit_upper(&matrix![9.0, 1.0; 9.0, 9.0], &vector![3.0, 2.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_upper: false, true, Plain;
    /// `X` of `TᵀX = B` with the triangle of `T` below the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_unit_lower_transpose(&matrix![9.0, 9.0; 1.0, 9.0], &vector![3.0, 2.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_lower_transpose: true, true, Transpose;
    /// `X` of `TᵀX = B` with the triangle of `T` above the diagonal and ones on it.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_unit_upper_transpose(&matrix![9.0, 1.0; 9.0, 9.0], &vector![1.0, 3.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_unit_upper_transpose: false, true, Transpose;
    /// `X` of `TᴴX = B` with the lower triangle of `T`: with a Cholesky factor, the second half of a solve.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_lower_adjoint(&matrix![2.0, 9.0; 1.0, 4.0], &vector![4.0, 8.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_lower_adjoint: true, false, Adjoint;
    /// `X` of `TᴴX = B` with the upper triangle of `T`.
    ///
    /// ```
    /// use nalgebra::{matrix, vector};
    /// let x = wengert::matrix::solve_upper_adjoint(&matrix![2.0, 1.0; 9.0, 4.0], &vector![2.0, 9.0])?;
    /// assert_eq!(x, vector![1.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    solve_upper_adjoint: false, false, Adjoint;
}
