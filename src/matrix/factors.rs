//! The triangular factors of a matrix themselves: `PA = LU`.

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::substitution::Triangle;
use super::system::Factored;
use super::{Entry, Op, add, dense, square, times, triangular};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// `A ↦ (L, U)` packed, with the exchanges of rows that elimination chose.
#[derive(Clone)]
struct Elimination<P> {
    /// Row i of PA is row `rows[i]` of A.
    rows: Vec<usize>,
    packed: Vec<P>,
}

impl<P: Machine> Primitive<P> for Elimination<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Packed<T>;
    fn name(&self) -> &'static str {
        "lu"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.packed.clone())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Packed<T>, AdError> {
        let n = self.rows.len();
        Ok(Packed { rows: self.rows.clone(), packed: dense(n, n, y) })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// With `M = L⁻¹PȦU⁻¹`: `L̇ = L·tril₋(M)` and `U̇ = triu(M)·U`.
struct Packed<T> {
    rows: Vec<usize>,
    packed: DMatrix<T>,
}

impl<T: Number> Packed<T> {
    fn l(&self) -> DMatrix<T> {
        unit_lower(&self.packed)
    }
    fn u(&self) -> DMatrix<T> {
        self.packed.upper_triangle()
    }
    fn solve(&self, lower: bool, op: Op, x: &DMatrix<T>) -> DMatrix<T> {
        triangular::substituted(Triangle { lower, unit: lower, op }, &self.packed, x)
    }
}

fn unit_lower<T: Number>(packed: &DMatrix<T>) -> DMatrix<T> {
    let mut l = packed.lower_triangle();
    l.fill_diagonal(T::lit(1.0));
    l
}

/// The parts below the diagonal of one matrix, on and above it of another.
fn joined<T: Number>(below: &DMatrix<T>, above: &DMatrix<T>) -> DMatrix<T> {
    DMatrix::from_fn(below.nrows(), below.ncols(), |i, j| if i > j { below[(i, j)] } else { above[(i, j)] })
}

impl<T: Number> LinearMap<T> for Packed<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let n = self.rows.len();
        let da = dense(n, n, tangents[0].expect("a matrix"));
        let permuted = DMatrix::from_fn(n, n, |i, j| da[(self.rows[i], j)]);
        // L M U = PȦ; the right factor is solved for in the transpose.
        let m = self.solve(true, Op::Plain, &permuted).transpose();
        let m = self.solve(false, Op::Transpose, &m).transpose();
        let mut strict = m.lower_triangle();
        strict.fill_diagonal(T::lit(0.0));
        let dl = times(Op::Plain, &self.l(), Op::Plain, &strict);
        let du = times(Op::Plain, &m.upper_triangle(), Op::Plain, &self.u());
        out.copy_from_slice(joined(&dl, &du).as_slice());
    }
    /// `PĀ = L⁻ᴴ(tril₋(LᴴL̄) + triu(ŪUᴴ))U⁻ᴴ`.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let n = self.rows.len();
        let g = dense(n, n, cotangent);
        let mut to_l = g.lower_triangle();
        to_l.fill_diagonal(T::lit(0.0));
        let below = times(Op::Adjoint, &self.l(), Op::Plain, &to_l);
        let above = times(Op::Plain, &g.upper_triangle(), Op::Adjoint, &self.u());
        let m = self.solve(true, Op::Adjoint, &joined(&below, &above)).transpose();
        let m = self.solve(false, Op::Conjugate, &m).transpose();
        let mut a = DMatrix::zeros(n, n);
        for (i, &row) in self.rows.iter().enumerate() {
            a.set_row(row, &m.row(i));
        }
        add(out[0].as_mut().expect("a matrix"), a.as_slice());
    }
    fn name(&self) -> &'static str {
        "lu"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.packed.as_slice())
    }
}

/// `PA = LU` by partial pivoting: the rows of `A` in the order of `PA`, `L` with ones on its diagonal, `U`. With
/// `M = L⁻¹PȦU⁻¹`: `L̇ = L·tril₋(M)`, `U̇ = triu(M)·U`. The pivots are chosen by the values; where two are equal the
/// factors are those of one of the choices. To solve a system, take [`Lu`](super::Lu).
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// let (rows, l, u) = wengert::matrix::lu(&matrix![1.0, 2.0; 4.0, 4.0])?;
/// assert_eq!((rows, l, u), (vec![1, 0], matrix![1.0, 0.0; 0.25, 1.0], matrix![4.0, 4.0; 0.0, 1.0]));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[allow(clippy::type_complexity)] // three results of two types
#[track_caller]
pub fn lu<S: Entry, D: Dim>(
    a: &OMatrix<S, D, D>,
) -> Result<(Vec<usize>, OMatrix<S, D, D>, OMatrix<S, D, D>), AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("lu", a);
    let factors = Factored::lu("lu", n, a.as_slice())?;
    let Factored::Lu(machine) = &*factors else { unreachable!("factors of another kind") };
    let mut rows = DMatrix::from_fn(n, 1, |i, _| i);
    machine.p().permute_rows(&mut rows);
    let rows: Vec<usize> = rows.data.into();
    let rule = Elimination { rows: rows.clone(), packed: machine.lu_internal().as_slice().to_vec() };
    let (r, c) = a.shape_generic();
    let packed = OMatrix::from_vec_generic(r, c, S::lift(&rule, &[a.as_slice()])?);
    let part = |keep: fn(usize, usize) -> bool, diagonal: Option<f64>| {
        OMatrix::from_fn_generic(r, c, |i, j| match diagonal.filter(|_| i == j) {
            Some(d) => S::constant(d),
            None if keep(i, j) => packed[(i, j)],
            None => S::constant(0.0),
        })
    };
    Ok((rows, part(|i, j| i > j, Some(1.0)), part(|i, j| i <= j, None)))
}
