//! The triangular factors of a matrix, its rows in the order that elimination chose. With `M = L⁻¹PȦU⁻¹`:
//!
//! ```text
//! value      PA = LU
//! tangent    L̇ = L·tril₋(M),  U̇ = triu(M)·U
//! cotangent  PĀ = L⁻ᴴ(tril₋(LᴴL̄) + triu(ŪUᴴ))U⁻ᴴ
//! ```
//!
//! `tril₋` is the part below the diagonal, `triu` the rest.

use nalgebra::DMatrix;

use crate::error::AdError;
use crate::lift::{Extension, Primitive, Series, by_recurrence};
use crate::linear_map::LinearMap;
use crate::matrix::op::{Op, Triangle};
use crate::matrix::rules::product::{sum_of_products, times};
use crate::matrix::rules::solve::solved;
use crate::matrix::rules::{add, dense, with_rest};
use crate::number::{Number, PrimalNumber};

/// `A ↦ (L, U)` packed, with the exchanges of rows that elimination chose.
#[derive(Clone)]
pub(crate) struct LuRule<P> {
    /// Row i of PA is row `rows[i]` of A.
    pub(crate) rows: Vec<usize>,
    pub(crate) packed: Vec<P>,
}

impl<P: PrimalNumber> Primitive<P> for LuRule<P> {
    type Map<T: Extension<P>> = LuDerivative<T>;
    const HELD: usize = 1;
    fn name(&self) -> &'static str {
        "lu"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.packed.clone())
    }
    fn linearize<T: Extension<P>>(&self, _: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let n = self.rows.len();
        Ok(LuDerivative { rows: self.rows.clone(), packed: dense(n, n, y) })
    }
    /// The remainder of `Paₖ` after subtracting `Σ lⱼuₖ₋ⱼ`, as a tangent.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        map: &LuDerivative<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let size = self.rows.len();
        let mut parts: Vec<[DMatrix<S::Part>; 2]> = Vec::new();
        Ok(by_recurrence(x, y, n, |orders| {
            if orders.next() > 1 {
                let packed = dense(size, size, orders.y(orders.next() - 1));
                parts.push([lower(&packed, 0.0), packed.upper_triangle()]);
            }
            let pairs = parts.iter().zip(parts.iter().rev());
            let pairs = pairs.map(|([l, _], [_, u])| (Some(l.as_slice()), Some(u.as_slice())));
            let product = sum_of_products([(Op::Plain, (size, size)); 2], pairs);
            let mut rest = product.clone();
            self.rows.iter().enumerate().for_each(|(i, &row)| rest.set_row(row, &product.row(i)));
            with_rest(map, orders, &rest)
        }))
    }
}

/// The derivative of the packed factors.
pub(crate) struct LuDerivative<T> {
    rows: Vec<usize>,
    packed: DMatrix<T>,
}

impl<T: Number> LuDerivative<T> {
    fn u(&self) -> DMatrix<T> {
        self.packed.upper_triangle()
    }
    fn solve(&self, triangle: Triangle, op: Op, x: &DMatrix<T>) -> DMatrix<T> {
        solved(&triangle, op, &self.packed, x)
    }
}

/// The part below the diagonal, with this diagonal.
fn lower<T: Number>(packed: &DMatrix<T>, diagonal: f64) -> DMatrix<T> {
    let mut l = packed.lower_triangle();
    l.fill_diagonal(T::lit(diagonal));
    l
}

/// The parts below the diagonal of one matrix, on and above it of another.
fn joined<T: Number>(below: &DMatrix<T>, above: &DMatrix<T>) -> DMatrix<T> {
    DMatrix::from_fn(below.nrows(), below.ncols(), |i, j| if i > j { below[(i, j)] } else { above[(i, j)] })
}

impl<T: Number> LinearMap<T> for LuDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let n = self.rows.len();
        let da = dense(n, n, tangents[0].expect("a matrix"));
        let permuted = DMatrix::from_fn(n, n, |i, j| da[(self.rows[i], j)]);
        // L M U = PȦ; the right factor is solved for in the transpose.
        let m = self.solve(Triangle::UnitLower, Op::Plain, &permuted).transpose();
        let m = self.solve(Triangle::Upper, Op::Transpose, &m).transpose();
        let dl = times(Op::Plain, &lower(&self.packed, 1.0), Op::Plain, &lower(&m, 0.0));
        let du = times(Op::Plain, &m.upper_triangle(), Op::Plain, &self.u());
        out.copy_from_slice(joined(&dl, &du).as_slice());
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let n = self.rows.len();
        let g = dense(n, n, cotangent);
        let below = times(Op::Adjoint, &lower(&self.packed, 1.0), Op::Plain, &lower(&g, 0.0));
        let above = times(Op::Plain, &g.upper_triangle(), Op::Adjoint, &self.u());
        let m = self.solve(Triangle::UnitLower, Op::Adjoint, &joined(&below, &above)).transpose();
        let m = self.solve(Triangle::Upper, Op::Conjugate, &m).transpose();
        let mut a = DMatrix::zeros(n, n);
        for (i, &row) in self.rows.iter().enumerate() {
            a.set_row(row, &m.row(i));
        }
        add(out[0].as_mut().expect("a matrix"), a.as_slice());
    }
    fn bytes(&self) -> usize {
        size_of_val(self.packed.as_slice())
    }
}
