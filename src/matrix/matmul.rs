//! Products: `Ċ = ȦB + AḂ`, `Ā = C̄Bᴴ`, `B̄ = AᴴC̄`.

use nalgebra::{DMatrix, DefaultAllocator, Dim, Dyn, OMatrix, OVector, allocator::Allocator};

use crate::matrix::entry::Entry;
use crate::matrix::op::Op;
use crate::matrix::rules::product::ProductRule;
use crate::matrix::shapes::demand;
use crate::matrix::sizes::{ELEMENTWISE, RECORDED_COMPLEX, RECORDED_TERMS, SMALL};
use crate::number::{Number, Real};

/// Whether an `m × k` by `k × n` product is formed entry by entry.
fn goes_by_entry<S: Entry>([m, k, n]: [usize; 3]) -> bool {
    let is_within = |most: usize| m <= most && k <= most && n <= most;
    let times = if <S::Number as Number>::ORDER > 1 { 3 } else { 1 };
    match (S::IS_RECORDED, S::Re::TRACED, S::IS_REAL) {
        (false, ..) => is_within(ELEMENTWISE),
        (_, true, _) => is_within(SMALL),
        (.., false) => is_within(RECORDED_COMPLEX),
        (.., true) => {
            let most = times * RECORDED_TERMS;
            k <= most && m * k * n <= most + (m * k + k * n + m * n) / 3
        }
    }
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
    if inner == 0 {
        return OMatrix::from_element_generic(m, n, S::constant(0.0));
    }
    if goes_by_entry::<S>([m.value(), inner, n.value()]) {
        let nothing = S::sum_of(core::iter::empty());
        let mut c = OMatrix::from_element_generic(m, n, nothing);
        S::demand_one_tape_within(&[a.as_slice(), b.as_slice()]);
        // Loops: closures have no `track_caller`, so operations within them would report a line of this file.
        for j in 0..n.value() {
            for i in 0..m.value() {
                let first = op_a.entry(a, i, 0) * op_b.entry(b, 0, j);
                // The empty sum of real numbers is −0, which changes no term; of complex numbers it is 0.
                let mut sum = if S::IS_REAL { first } else { nothing + first };
                for l in 1..inner {
                    sum += op_a.entry(a, i, l) * op_b.entry(b, l, j);
                }
                c[(i, j)] = sum;
            }
        }
        return c;
    }
    let rule = ProductRule { ops: [op_a, op_b], shapes: [a.shape(), b.shape()] };
    let c = S::lift(&rule, &[a.as_slice(), b.as_slice()]).expect("products always exist");
    OMatrix::from_vec_generic(m, n, c)
}

/// The product `AB`: `Ċ = ȦB + AḂ`, `Ā = C̄Bᴴ`, `B̄ = AᴴC̄`. A constant factor has no product with `C̄`; its entries are read as
/// numbers of the type `S`.
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

/// A product with transposes: the shapes of its operands, and the sources of the rows and columns of the result.
macro_rules! transposed_products {
    ($($(#[$doc:meta])* $name:ident: $op_a:ident [$A:ident, $B:ident] ($i:tt),
        $op_b:ident [$C:ident, $D:ident] ($j:tt);)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// If the inner dimensions differ.
        #[inline]
        #[track_caller]
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

/// `op(A)·op(B)`, with one of the four operations [`Op`] on each factor. The sizes are known at run time only; [`matmul`]
/// and the functions that have the operations in their names keep static sizes.
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
/// let y = wengert::matrix::outer(&vector![1.0, 2.0], &vector![3.0, 4.0]);
/// assert_eq!(y, matrix![3.0, 4.0; 6.0, 8.0]);
/// ```
#[track_caller]
pub fn outer<S: Entry, R: Dim, C: Dim>(a: &OVector<S, R>, b: &OVector<S, C>) -> OMatrix<S, R, C>
where
    DefaultAllocator: Allocator<R> + Allocator<C> + Allocator<R, C>,
{
    matmul_nt(a, b)
}
