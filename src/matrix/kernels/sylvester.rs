//! `AX + XB = C` at primal numbers.

use std::sync::Arc;

use nalgebra::DMatrix;
use num_complex::Complex64;

use crate::error::AdError;
use crate::matrix::kernels::balance::{scaled, unit};
use crate::matrix::kernels::schur::SchurForm;
use crate::number::Number;

/// `AX + XB` as an operator, by Schur forms `A = QTQᴴ` and `B = USUᴴ`.
pub(crate) struct SylvesterOperator {
    pub(crate) a: SchurForm,
    pub(crate) b: SchurForm,
}

impl SylvesterOperator {
    /// Of matrices divided by a power of two. Singular if the sum of two eigenvalues is zero to the rounding `eps` of the
    /// entries.
    #[inline]
    pub(crate) fn new(
        op: &'static str,
        a: SchurForm,
        b: SchurForm,
        eps: f64,
        power: i32,
    ) -> Result<Arc<Self>, AdError> {
        let n = (a.triangular.nrows() + b.triangular.nrows()) as f64;
        let unit = a.unit.max(b.unit);
        let [mut a, b] = [a, b].map(|form| form.in_units_of(unit));
        a.unit = scaled(a.unit, -power);
        let noise = n * eps * (a.triangular.norm() + b.triangular.norm());
        let [t, s] = [&a.triangular, &b.triangular].map(DMatrix::diagonal);
        let vanishes = t.iter().any(|t| s.iter().any(|s| (t + s).norm() <= noise));
        if vanishes { Err(AdError::Singular { op }) } else { Ok(Arc::new(SylvesterOperator { a, b })) }
    }
    /// `X` of `AX + XB = C`, or of `AᴴX + XBᴴ = C`: with `C = QFUᴴ` and `X = QYUᴴ` it is `TY + YS = F`, a triangular
    /// system for each column (R. H. Bartels & G. W. Stewart, Commun. ACM 15, 1972).
    #[inline]
    pub(crate) fn solve(&self, adjoint: bool, c: &DMatrix<Complex64>) -> DMatrix<Complex64> {
        let (q, t) = (&self.a.unitary, &self.a.triangular);
        let (u, s) = (&self.b.unitary, &self.b.triangular);
        let (m, n) = (t.nrows(), s.nrows());
        let unit = unit(c.iter().fold(0.0, |most: f64, x| most.max(x.re.abs()).max(x.im.abs())));
        let c = if unit == 1.0 { c.clone() } else { c.unscale(unit) };
        let mut y = q.adjoint() * c * u;
        let forward = |n: usize, yes: bool| (0..n).map(move |i| if yes { i } else { n - 1 - i });
        for j in forward(n, !adjoint) {
            for k in if adjoint { j + 1..n } else { 0..j } {
                let factor = if adjoint { s[(j, k)].conj() } else { s[(k, j)] };
                let known = y.column(k).clone_owned();
                y.column_mut(j).axpy(-factor, &known, Complex64::new(1.0, 0.0));
            }
            for i in forward(m, adjoint) {
                let diagonal = t[(i, i)] + s[(j, j)];
                y[(i, j)] /= if adjoint { diagonal.conj() } else { diagonal };
                let x = y[(i, j)];
                for k in if adjoint { i + 1..m } else { 0..i } {
                    let factor = if adjoint { t[(i, k)].conj() } else { t[(k, i)] };
                    y[(k, j)] -= factor * x;
                }
            }
        }
        let x = q * y * u.adjoint();
        if self.a.unit == unit { x } else { x * Complex64::from(unit / self.a.unit) }
    }
}
