//! Orthogonal factors: `A = QR`.

use std::sync::Arc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, DimMin, DimMinimum, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::qr::QrFactors;
use crate::matrix::kernels::small::gram_schmidt::{fits, orthogonalise};
use crate::matrix::matmul::matmul_hn;
use crate::matrix::operation::{always, operation};
use crate::matrix::rules::lstsq::least_squares;
use crate::matrix::rules::qr::orthogonal_factors;
use crate::matrix::shapes::demand;

/// The QR factors of a matrix, computed once for any number of least-squares problems.
///
/// At numbers with tangents and on tapes these are the factors of the values: values, tangents and cotangents of
/// solutions follow from them.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::matrix::Qr;
/// let qr = Qr::new(&matrix![1.0, 0.0; 1.0, 1.0; 1.0, 2.0])?;
/// assert!((qr.solve(&vector![1.0, 3.0, 5.0]) - vector![1.0, 2.0]).norm() < 1e-14);
/// assert!((qr.q() * qr.r() - matrix![1.0, 0.0; 1.0, 1.0; 1.0, 2.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone)]
pub struct Qr<S: Entry, R: Dim, C: Dim>
where
    DefaultAllocator: Allocator<R, C>,
{
    a: OMatrix<S, R, C>,
    /// `None` in a trace: each use is an operation, and a run factorises the matrix once for all.
    factors: Option<Arc<QrFactors<S::Primal>>>,
}

/// Q and R of [`qr`](qr()).
type QrPair<S, R, C> = (OMatrix<S, R, DimMinimum<R, C>>, OMatrix<S, DimMinimum<R, C>, C>);

impl<S: Entry, R: DimMin<C>, C: Dim> Qr<S, R, C>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, DimMinimum<R, C>> + Allocator<DimMinimum<R, C>, C>,
{
    /// Factorises a matrix.
    ///
    /// # Errors
    /// `Singular` if the columns (for a wide matrix: the first m) are not independent: the distance of a column from
    /// the span of the others is at most `m·ε` of its length. `NotFinite` if an entry is infinite or NaN.
    #[track_caller]
    pub fn new(a: &OMatrix<S, R, C>) -> Result<Self, AdError> {
        let (op, (m, n)) = ("qr", a.shape());
        if let Some(y) = operation!(op, [a] => Qr::new(a).map(|_| Vec::new())?) {
            return y.map(|_| Qr { a: a.clone(), factors: None });
        }
        Ok(Qr { a: a.clone(), factors: Some(QrFactors::new(op, (m, m.min(n)), a.as_slice())?) })
    }
    #[track_caller]
    fn pair(&self) -> QrPair<S, R, C> {
        let (rows, columns) = self.a.shape_generic();
        let (least, m) = (rows.min(columns), rows.value());
        let size = m * least.value();
        let a = &self.a;
        let y = if let Some(factors) = &self.factors {
            let mut y = orthogonal_factors(factors, &a.as_slice()[..size]);
            // The columns of a wide matrix after the first m are written in terms of Q.
            let beyond =
                DMatrix::from_column_slice(m, columns.value() - least.value(), &a.as_slice()[size..]);
            if !beyond.is_empty() {
                let q = DMatrix::from_column_slice(m, m, &y[..size]);
                y.extend_from_slice(matmul_hn(&q, &beyond).as_slice());
            }
            y
        } else {
            always(operation!("qr", [a] => {
                let (q, r) = qr(a)?;
                [q.as_slice(), r.as_slice()].concat()
            }))
        };
        let q = OMatrix::from_column_slice_generic(rows, least, &y[..size]);
        (q, OMatrix::from_column_slice_generic(least, columns, &y[size..]))
    }
    /// Q, with orthonormal columns. [`qr`](qr()) returns both factors.
    #[track_caller]
    pub fn q(&self) -> OMatrix<S, R, DimMinimum<R, C>> {
        self.pair().0
    }
    /// R, upper triangular with a real, positive diagonal.
    #[track_caller]
    pub fn r(&self) -> OMatrix<S, DimMinimum<R, C>, C> {
        self.pair().1
    }
    /// The least-squares solution X, which minimises `|AX − B|`, as in [`lstsq`](super::lstsq).
    ///
    /// # Panics
    /// If `B` has another number of rows, or the matrix has fewer rows than columns.
    #[track_caller]
    pub fn solve<K: Dim>(&self, b: &OMatrix<S, R, K>) -> OMatrix<S, C, K>
    where
        DefaultAllocator: Allocator<R, K> + Allocator<C, K>,
    {
        let n = self.a.ncols();
        demand("solve", "matrix", (self.a.nrows().max(n), n), self.a.shape());
        demand("solve", "right-hand side", (self.a.nrows(), b.ncols()), b.shape());
        if let Some(factors) = &self.factors {
            return least_squares(factors, &self.a, b);
        }
        let a = &self.a;
        let x = operation!("qr solve", [a, b] => Qr::new(a)?.solve(b).data.into());
        OMatrix::from_vec_generic(self.a.shape_generic().1, b.shape_generic().1, always(x))
    }
}

/// The factors of `A = QR`: Q with orthonormal columns, R upper triangular with a real, positive diagonal, of sizes m
/// × min(m, n) and min(m, n) × n.
///
/// With `X = QᴴȦR⁻¹` and the triangle `U = triu(X) + (strict lower part of X)ᴴ`, its diagonal real: `Ṙ = UR`, `Q̇ =
/// ȦR⁻¹ − QU`. `Ā = (Q̄ + QH)R⁻ᴴ` with the Hermitian H that has the upper triangle of `R̄Rᴴ − QᴴQ̄`. For a wide
/// matrix these are the factors of the first m columns; the other columns of R are Qᴴ times the columns of A. Walter
/// and Lehmann, Algorithmic differentiation of linear algebra functions with application in optimum experimental
/// design, 2010.
///
/// # Errors
/// `Singular` if the columns (for a wide matrix: the first m) are not independent: the distance of a column from the
/// span of the others is at most `m·ε` of its length. `NotFinite` if an entry is infinite or NaN.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::qr};
/// let da = matrix![0.0, 1.0; 0.0, 0.0];
/// let (q, r) = qr(&matrix![3.0_f64, 1.0; 4.0, 2.0].zip_map(&da, Dual::new))?;
/// assert!((r.map(|r| r.value()) - matrix![5.0, 2.2; 0.0, 0.4]).norm() < 1e-14);
/// assert!((r.map(|r| r.tangent()) - matrix![0.0, 0.6; 0.0, -0.8]).norm() < 1e-14);
/// assert!(q.map(|q| q.tangent()).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn qr<S: Entry, R: DimMin<C>, C: Dim>(a: &OMatrix<S, R, C>) -> Result<QrPair<S, R, C>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<R, DimMinimum<R, C>> + Allocator<DimMinimum<R, C>, C>,
{
    if !S::IS_RECORDED && fits(a.shape()) {
        let (rows, columns) = a.shape_generic();
        let least = rows.min(columns);
        let mut q = OMatrix::from_column_slice_generic(rows, least, a.as_slice());
        let mut r = OMatrix::from_element_generic(least, columns, S::constant(0.0));
        if orthogonalise(q.as_mut_slice(), r.as_mut_slice(), a.shape()) {
            return Ok((q, r));
        }
    }
    Ok(Qr::new(a)?.pair())
}
