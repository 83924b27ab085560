//! Products: `Ċ = ȦB + AḂ`, `Ā = C̄Bᴴ`, `B̄ = AᴴC̄`.

use nalgebra::{DMatrix, DMatrixViewMut, DefaultAllocator, Dim, Dyn, OMatrix, OVector, allocator::Allocator};

use super::op::gemm as add_product;
use super::small::SMALL;
use super::{Entry, Op, add, demand, square};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// Products of matrices up to this size are formed in the numbers' own arithmetic, where that is not recorded.
pub(super) const ELEMENTWISE: usize = 10;

/// `C = op(A)·op(B)`.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub(super) ops: [Op; 2],
    pub(super) shapes: [(usize, usize); 2],
}

impl Product {
    /// Rows of C, inner dimension, columns of C.
    pub(super) fn extents(&self) -> (usize, usize, usize) {
        let ((m, k), (_, n)) = (self.ops[0].shape(self.shapes[0]), self.ops[1].shape(self.shapes[1]));
        (m, k, n)
    }
    /// `C ← op(A)·op(B) + βC` in the arithmetic of the numbers themselves.
    fn gemm<T: Number>(&self, a: &[T], b: &[T], beta: f64, c: &mut [T]) {
        let (m, k, n) = self.extents();
        if m * k * n == 0 {
            return; // an empty sum: C stays (it is zero where β is)
        }
        if m.max(k).max(n) <= ELEMENTWISE || k == 1 {
            return self.entry_by_entry(a, b, beta, c);
        }
        let conjugated = |i: usize, x: &[T]| {
            let needed = self.ops[i].conjugates() && !T::REAL;
            needed.then(|| x.iter().map(|&x| x.conj()).collect::<Vec<T>>())
        };
        let (conj_a, conj_b) = (conjugated(0, a), conjugated(1, b));
        let operand = |i: usize, x| self.ops[i].view(x, self.shapes[i], self.shapes[i].0.max(1));
        let a = operand(0, conj_a.as_deref().unwrap_or(a));
        let b = operand(1, conj_b.as_deref().unwrap_or(b));
        add_product(T::lit(1.0), &a, &b, T::lit(beta), &mut DMatrixViewMut::from_slice(c, m, n));
    }
    /// The same for small matrices, with β of 0 or 1.
    fn entry_by_entry<T: Number>(&self, a: &[T], b: &[T], beta: f64, c: &mut [T]) {
        let (m, k, n) = self.extents();
        let entry = |i: usize, x: &[T], row: usize, column: usize| {
            let (op, lead) = (self.ops[i], self.shapes[i].0);
            let x = if op.transposes() { x[row * lead + column] } else { x[row + column * lead] };
            if op.conjugates() { x.conj() } else { x }
        };
        if beta == 0.0 {
            c.fill(T::sum_of_nothing());
        }
        for (j, c) in c.chunks_exact_mut(m).enumerate().take(n) {
            for l in 0..k {
                let weight = entry(1, b, l, j);
                c.iter_mut().enumerate().for_each(|(i, c)| *c += entry(0, a, i, l) * weight);
            }
        }
    }
    /// `C = op(A)·op(B)`.
    fn assign<T: Number>(&self, a: &[T], b: &[T], c: &mut [T]) {
        if !T::PLAIN {
            c.copy_from_slice(&T::lift_primitive(self, &[a, b]).expect("products always exist"));
        } else if self.shapes[0].0 * self.shapes[0].1 == 0 {
            c.fill(T::lit(0.0));
        } else {
            self.gemm(a, b, 0.0, c);
        }
    }
    /// `C += op(A)·op(B)`.
    fn accumulate<T: Number>(&self, a: &[T], b: &[T], c: &mut [T]) {
        if T::PLAIN {
            return self.gemm(a, b, 1.0, c);
        }
        add(c, &T::lift_primitive(self, &[a, b]).expect("products always exist"));
    }
}

impl<P: Machine> Primitive<P> for Product {
    type Map<T: Number<Primal = P, Base = P::Base>> = Factors<T>;
    fn name(&self) -> &'static str {
        "matmul"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let (m, _, n) = self.extents();
        let mut c = vec![P::lit(0.0); m * n];
        self.assign(x[0], x[1], &mut c);
        Ok(c)
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Factors<T>, AdError> {
        let [a, b] = x.try_into().expect("two factors");
        Ok(Factors { product: *self, a, b })
    }
}

/// The derivative of a product at two factors.
pub(super) struct Factors<T> {
    pub(super) product: Product,
    pub(super) a: Vec<T>,
    pub(super) b: Vec<T>,
}

impl<T: Number> LinearMap<T> for Factors<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        match (tangents[0], tangents[1]) {
            (Some(da), db) => {
                self.product.assign(da, &self.b, out);
                if let Some(db) = db {
                    self.product.accumulate(&self.a, db, out);
                }
            }
            (None, Some(db)) => self.product.assign(&self.a, db, out),
            (None, None) => out.fill(T::lit(0.0)),
        }
    }
    /// The cotangent of `op(A)` is `C̄·op(B)ᴴ`; that of `A` is the same seen through `op`.
    fn transpose(&self, c: &[T], out: &mut [Option<&mut [T]>]) {
        let Product { ops: [op_a, op_b], shapes: [a, b] } = self.product;
        let (m, _, n) = self.product.extents();
        let [to_a, to_b] = out else { unreachable!("two factors") };
        if let Some(out) = to_a {
            let (left, right) = (op_a, op_a.after(op_b.adjoint()));
            match op_a.transposes() {
                false => Product { ops: [left, right], shapes: [(m, n), b] }.accumulate(c, &self.b, out),
                true => Product { ops: [right, left], shapes: [b, (m, n)] }.accumulate(&self.b, c, out),
            }
        }
        if let Some(out) = to_b {
            let (left, right) = (op_b.after(op_a.adjoint()), op_b);
            match op_b.transposes() {
                false => Product { ops: [left, right], shapes: [a, (m, n)] }.accumulate(&self.a, c, out),
                true => Product { ops: [right, left], shapes: [(m, n), a] }.accumulate(c, &self.a, out),
            }
        }
    }
    fn name(&self) -> &'static str {
        "matmul"
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.a[..]) + size_of_val(&self.b[..])
    }
}

/// `op(A)·op(B)` of matrices that fit, by the cheaper way for the size.
pub(super) fn times<T: Number>(op_a: Op, a: &DMatrix<T>, op_b: Op, b: &DMatrix<T>) -> DMatrix<T> {
    let rule = Product { ops: [op_a, op_b], shapes: [a.shape(), b.shape()] };
    let (m, k, n) = rule.extents();
    if m.max(n).max(k) <= SMALL {
        let entry = |i, j| T::inner_product((0..k).map(|l| (op_a.entry(a, i, l), op_b.entry(b, l, j))));
        return DMatrix::from_fn(m, n, entry);
    }
    let c = T::lift_primitive(&rule, &[a.as_slice(), b.as_slice()]).expect("products always exist");
    DMatrix::from_vec(m, n, c)
}

/// `op(A)·op(B)` by the cheaper way for the size.
#[inline]
#[track_caller]
fn multiply<S: Entry, A: Dim, B: Dim, C: Dim, D: Dim, M: Dim, N: Dim>(
    op: &'static str,
    (op_a, a): (Op, &OMatrix<S, A, B>),
    (op_b, b): (Op, &OMatrix<S, C, D>),
    (m, n): (M, N),
) -> OMatrix<S, M, N>
where
    DefaultAllocator: Allocator<A, B> + Allocator<C, D> + Allocator<M, N>,
{
    let (inner, (rows, columns)) = (op_a.shape(a.shape()).1, op_b.shape(b.shape()));
    demand(op, "second factor", (inner, columns), (rows, columns));
    let largest = m.value().max(n.value()).max(inner);
    if inner == 0 {
        return OMatrix::from_element_generic(m, n, S::constant(0.0));
    }
    if !S::RECORDS && largest <= ELEMENTWISE {
        let mut c = OMatrix::from_element_generic(m, n, S::sum_of(core::iter::empty()));
        for j in 0..n.value() {
            for l in 0..inner {
                let weight = op_b.entry(b, l, j);
                (0..m.value()).for_each(|i| c[(i, j)] += op_a.entry(a, i, l) * weight);
            }
        }
        return c;
    }
    if largest <= SMALL {
        let entry = |i, j| S::sum_of_products((0..inner).map(|l| (op_a.entry(a, i, l), op_b.entry(b, l, j))));
        return OMatrix::from_fn_generic(m, n, entry);
    }
    let rule = Product { ops: [op_a, op_b], shapes: [a.shape(), b.shape()] };
    let c = S::lift(&rule, &[a.as_slice(), b.as_slice()]).expect("products always exist");
    OMatrix::from_vec_generic(m, n, c)
}

/// The product `AB`: `Ċ = ȦB + AḂ`, `Ā = C̄Bᴴ`, `B̄ = AᴴC̄`. Constant factors cost nothing.
///
/// # Panics
/// If the inner dimensions differ.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::matmul};
/// let a = matrix![1.0, 2.0; 3.0, 4.0].zip_map(&matrix![0.1, 0.2; 0.3, 0.4], Dual::new);
/// let b = matrix![5.0, 6.0; 7.0, 8.0].zip_map(&matrix![1.0, 0.0; 0.0, -1.0], Dual::new);
/// let dc = matmul(&a, &b).map(|c| c.tangent());
/// assert!((dc - matrix![2.9, 0.2; 7.3, 1.0]).norm() < 1e-14);
/// ```
#[inline]
#[track_caller]
pub fn matmul<S: Entry, R: Dim, K: Dim, C: Dim>(
    a: &OMatrix<S, R, K>,
    b: &OMatrix<S, K, C>,
) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R, K> + Allocator<K, C> + Allocator<R, C>,
{
    let shape = (a.shape_generic().0, b.shape_generic().1);
    multiply("matmul", (Op::Plain, a), (Op::Plain, b), shape)
}

/// A product with transposes: the shapes of its operands, and where the rows and columns of the result come from.
macro_rules! transposed_products {
    ($($(#[$doc:meta])* $name:ident: $op_a:ident [$A:ident, $B:ident] ($i:tt),
        $op_b:ident [$C:ident, $D:ident] ($j:tt);)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// If the inner dimensions differ.
        #[inline]
        pub fn $name<S: Entry, R: Dim, K: Dim, C: Dim>(
            a: &OMatrix<S, $A, $B>,
            b: &OMatrix<S, $C, $D>,
        ) -> OMatrix<S, R, C>
        where
            DefaultAllocator: Allocator<$A, $B> + Allocator<$C, $D> + Allocator<R, C>,
        {
            let shape = (a.shape_generic().$i, b.shape_generic().$j);
            multiply(stringify!($name), (Op::$op_a, a), (Op::$op_b, b), shape)
        }
    )*};
}
transposed_products! {
    /// `AᵀB`.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let (a, b) = (matrix![1.0; 2.0], matrix![3.0; 4.0]);
    /// assert_eq!(wengert::matrix::matmul_tn(&a, &b), matrix![11.0]);
    /// ```
    matmul_tn: Transpose [K, R] (1), Plain [K, C] (1);
    /// `ABᵀ`.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let (a, b) = (matrix![1.0; 2.0], matrix![3.0; 4.0]);
    /// assert_eq!(wengert::matrix::matmul_nt(&a, &b), matrix![3.0, 4.0; 6.0, 8.0]);
    /// ```
    matmul_nt: Plain [R, K] (0), Transpose [C, K] (0);
    /// `AᵀBᵀ`.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let (a, b) = (matrix![1.0; 2.0], matrix![3.0, 4.0]);
    /// assert_eq!(wengert::matrix::matmul_tt(&a, &b), matrix![11.0]);
    /// ```
    matmul_tt: Transpose [K, R] (1), Transpose [C, K] (0);
    /// `AᴴB`, with the conjugate transpose.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// use num_complex::Complex;
    /// let a = matrix![Complex::new(0.0, 1.0); Complex::new(2.0, 0.0)];
    /// assert_eq!(wengert::matrix::matmul_hn(&a, &a), matrix![Complex::new(5.0, 0.0)]);
    /// ```
    matmul_hn: Adjoint [K, R] (1), Plain [K, C] (1);
    /// `ABᴴ`, with the conjugate transpose.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// use num_complex::Complex;
    /// let a = matrix![Complex::new(0.0, 1.0), Complex::new(2.0, 0.0)];
    /// assert_eq!(wengert::matrix::matmul_nh(&a, &a), matrix![Complex::new(5.0, 0.0)]);
    /// ```
    matmul_nh: Plain [R, K] (0), Adjoint [C, K] (0);
    /// `AᴴBᴴ`, with conjugate transposes.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// use num_complex::Complex;
    /// let (a, b) = (matrix![Complex::new(0.0, 1.0)], matrix![Complex::new(0.0, 2.0)]);
    /// assert_eq!(wengert::matrix::matmul_hh(&a, &b), matrix![Complex::new(-2.0, 0.0)]);
    /// ```
    matmul_hh: Adjoint [K, R] (1), Adjoint [C, K] (0);
}

/// `op(A)·op(B)` with any of the four operations on each factor.
///
/// # Panics
/// If the inner dimensions differ.
///
/// ```
/// use nalgebra::dmatrix;
/// use wengert::matrix::{Op, matmul_op};
/// let (a, b) = (dmatrix![1.0; 2.0], dmatrix![3.0; 4.0]);
/// assert_eq!(matmul_op(Op::Adjoint, &a, Op::Conjugate, &b), dmatrix![11.0]);
/// ```
#[track_caller]
pub fn matmul_op<S: Entry>(op_a: Op, a: &DMatrix<S>, op_b: Op, b: &DMatrix<S>) -> DMatrix<S> {
    let (rows, columns) = (op_a.shape(a.shape()).0, op_b.shape(b.shape()).1);
    multiply("matmul_op", (op_a, a), (op_b, b), (Dyn(rows), Dyn(columns)))
}

/// The outer product `abᵀ` of two vectors.
///
/// ```
/// use nalgebra::{matrix, vector};
/// assert_eq!(wengert::matrix::outer(&vector![1.0, 2.0], &vector![3.0, 4.0]), matrix![3.0, 4.0; 6.0, 8.0]);
/// ```
pub fn outer<S: Entry, R: Dim, C: Dim>(a: &OVector<S, R>, b: &OVector<S, C>) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R> + Allocator<C> + Allocator<R, C>,
{
    matmul_nt(a, b)
}

/// `Σ aᵢⱼbᵢⱼ`, without conjugation; one step on a tape.
///
/// # Panics
/// If the shapes differ.
///
/// ```
/// use nalgebra::vector;
/// assert_eq!(wengert::matrix::dot(&vector![1.0, 2.0], &vector![3.0, 4.0]), 11.0);
/// ```
pub fn dot<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>, b: &OMatrix<S, R, C>) -> S
where
    DefaultAllocator: Allocator<R, C>,
{
    demand("dot", "second operand", a.shape(), b.shape());
    S::sum_of_products(a.iter().copied().zip(b.iter().copied()))
}

/// `Σ conj(aᵢⱼ)bᵢⱼ`.
///
/// # Panics
/// If the shapes differ.
///
/// ```
/// use nalgebra::vector;
/// use num_complex::Complex;
/// let a = vector![Complex::new(3.0, 4.0)];
/// assert_eq!(wengert::matrix::dotc(&a, &a), Complex::new(25.0, 0.0));
/// ```
pub fn dotc<S: Entry, R: Dim, C: Dim>(a: &OMatrix<S, R, C>, b: &OMatrix<S, R, C>) -> S
where
    DefaultAllocator: Allocator<R, C>,
{
    demand("dotc", "second operand", a.shape(), b.shape());
    S::sum_of_products(a.iter().map(|&a| a.conjugated()).zip(b.iter().copied()))
}

/// The sum of the diagonal; one step on a tape.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// assert_eq!(wengert::matrix::trace(&matrix![1.0, 2.0; 3.0, 4.0]), 5.0);
/// ```
pub fn trace<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("trace", a);
    S::sum_of((0..n).map(|i| a[(i, i)]))
}
