//! Singular values of a matrix of primal numbers: Householder reflections to a bidiagonal matrix, then its QR
//! iteration. Small matrices use Jacobi's rotations, which need fewer steps there.
//!
//! nalgebra 0.35 is not used because it ends its iteration with a formula for 2 × 2 blocks that cancels for close
//! values: if two values differ by 1e-7 it returns six digits. The iteration here continues until the blocks are
//! diagonal (Demmel and Kahan, Accurate singular values of bidiagonal matrices, SIAM J. Sci. Stat. Comput. 11, 1990;
//! LAPACK's `bdsqr`), in 0.8 to 1.2 times nalgebra's time. It can be removed when nalgebra returns all digits.

use nalgebra::DMatrix;
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::kernels::balance::largest_size;
use crate::matrix::kernels::jacobi::{self, rotate};
use crate::matrix::sizes::SVD_ROTATED;
use crate::number::{BaseFloat, Number, PrimalNumber};
use nalgebra::linalg::Bidiagonal;

/// `A = U·diag(values)·Vᴴ`, thin; without vectors U and V have no rows.
pub(crate) struct ThinSvd<P: PrimalNumber> {
    pub(crate) u: DMatrix<P>,
    pub(crate) values: Vec<P::Base>,
    pub(crate) v: DMatrix<P>,
}

/// The decomposition, its values descending.
pub(crate) fn svd<P: PrimalNumber>(
    op: &'static str,
    mut a: DMatrix<P>,
    vectors: bool,
) -> Result<ThinSvd<P>, AdError> {
    let (m, n) = a.shape();
    if m < n {
        let ThinSvd { u, values, v } = svd(op, a.adjoint(), vectors)?;
        return Ok(ThinSvd { u: v, values, v: u });
    }
    if n == 0 {
        return Ok(ThinSvd { u: DMatrix::zeros(m, 0), values: Vec::new(), v: DMatrix::zeros(0, 0) });
    }
    let zero = P::Base::from_double(0.0);
    let scale = largest_size(&a);
    if a.iter().any(|a| !a.magnitude().is_finite()) {
        return Err(AdError::NotFinite { op });
    }
    if scale == zero {
        // Any vectors will do.
        return Ok(ThinSvd { u: DMatrix::identity(m, n), values: vec![zero; n], v: DMatrix::identity(n, n) });
    }
    a.unscale_mut(scale);
    let mut svd = if n <= SVD_ROTATED { rotated(a, vectors) } else { iterated(a, vectors) }
        .ok_or(AdError::NoConvergence { op })?;
    svd.values.iter_mut().for_each(|s| *s *= scale);
    Ok(svd)
}

/// By Jacobi's rotations.
fn rotated<P: PrimalNumber>(mut w: DMatrix<P>, vectors: bool) -> Option<ThinSvd<P>> {
    let n = w.ncols();
    let mut v = if vectors { DMatrix::identity(n, n) } else { DMatrix::zeros(0, n) };
    jacobi::orthogonalise(&mut w, &mut v)?;
    let values = w.column_iter().map(|w| w.norm()).collect();
    let mut svd = ThinSvd { u: w, values, v };
    svd.sort();
    if vectors {
        jacobi::normalise(&mut svd.u, &svd.values);
    }
    Some(svd)
}

/// By the QR iteration.
fn iterated<P: PrimalNumber>(a: DMatrix<P>, vectors: bool) -> Option<ThinSvd<P>> {
    let n = a.ncols();
    #[cfg(feature = "faer")]
    if n >= crate::matrix::sizes::FAER_SVD {
        let (u, values, v) = crate::matrix::kernels::by_faer::svd(&a, vectors)?;
        return Some(ThinSvd { u, values, v });
    }
    let reduced = Bidiagonal::new(a);
    let mut iteration = QrIteration {
        d: reduced.diagonal().data.into(),
        e: reduced.off_diagonal().data.into(),
        u: if vectors { reduced.u() } else { DMatrix::zeros(0, n) },
        v: if vectors { reduced.v_t().adjoint() } else { DMatrix::zeros(0, n) },
    };
    iteration.run()?;
    let QrIteration { d, mut u, v, .. } = iteration;
    for (i, _) in d.iter().enumerate().filter(|(_, d)| **d < P::Base::from_double(0.0)) {
        u.column_mut(i).neg_mut();
    }
    let mut svd = ThinSvd { u, values: d.into_iter().map(Float::abs).collect(), v };
    svd.sort();
    Some(svd)
}

impl<P: PrimalNumber> ThinSvd<P> {
    /// Sorts the values in descending order, and the columns with them.
    fn sort(&mut self) {
        for i in 0..self.values.len() {
            let rest = i + 1..self.values.len();
            let largest = rest.fold(i, |best, j| if self.values[j] > self.values[best] { j } else { best });
            if largest != i {
                self.values.swap(i, largest);
                self.u.swap_columns(i, largest);
                self.v.swap_columns(i, largest);
            }
        }
    }
}

/// An upper bidiagonal matrix during the iteration, and the products of the transformations on both sides.
struct QrIteration<P: PrimalNumber> {
    d: Vec<P::Base>,
    e: Vec<P::Base>,
    u: DMatrix<P>,
    v: DMatrix<P>,
}

/// `(c, s, r)` with `(c s; −s c)·(f, g) = (r, 0)`.
fn rotation<F: BaseFloat + Float>(f: F, g: F) -> (F, F, F) {
    let (zero, one) = (F::from_double(0.0), F::from_double(1.0));
    if g == zero {
        return (one, zero, f);
    }
    let squares = f * f + g * g;
    // The matrix is of size 1: nothing overflows, and hypot is slow.
    let safe = squares > F::min_positive_value() / F::epsilon();
    let r = if safe { Float::sqrt(squares) } else { Float::hypot(f, g) };
    (f / r, g / r, r)
}

/// The smaller singular value of `(f g; 0 h)`, without overflow or cancellation (LAPACK's `las2`).
fn smaller_value<F: BaseFloat + Float>(f: F, g: F, h: F) -> F {
    let one = F::from_double(1.0);
    let (f, g, h) = (Float::abs(f), Float::abs(g), Float::abs(h));
    let (least, most) = (Float::min(f, h), Float::max(f, h));
    if least == F::from_double(0.0) {
        return least;
    }
    let (sum, difference) = (one + least / most, (most - least) / most);
    let root = |x: F, y: F| Float::hypot(x, y);
    if g < most {
        let g = g / most;
        least * F::from_double(2.0) / (root(sum, g) + root(difference, g))
    } else {
        let most = most / g;
        least * most * F::from_double(2.0) / (root(sum * most, one) + root(difference * most, one))
    }
}

impl<P: PrimalNumber> QrIteration<P> {
    /// Sweeps until the matrix is diagonal; `None` if that takes too long.
    fn run(&mut self) -> Option<()> {
        let n = self.d.len();
        let eps = <P::Base as Float>::epsilon();
        let norm = self.d.iter().chain(&self.e).map(|x| x.magnitude()).fold(eps, Float::max);
        let mut last = n - 1;
        for _ in 0..60 * n {
            for i in (0..last).rev() {
                let beside = self.d[i].magnitude() + self.d[i + 1].magnitude();
                if self.e[i].magnitude() <= eps * Float::max(beside, eps * norm) {
                    self.e[i] = P::Base::from_double(0.0);
                }
            }
            while last > 0 && self.e[last - 1] == P::Base::from_double(0.0) {
                last -= 1;
            }
            if last == 0 {
                return Some(());
            }
            let first = (0..last).rev().find(|&i| i == 0 || self.e[i - 1] == P::Base::from_double(0.0))?;
            self.sweep(first, last);
        }
        None
    }
    /// One step of the QR iteration on a block, with a shift unless that would cost the small values their accuracy.
    fn sweep(&mut self, first: usize, last: usize) {
        let shift = smaller_value(self.d[last - 1], self.e[last - 1], self.d[last]);
        let (top, eps) = (self.d[first].magnitude(), <P::Base as Float>::epsilon());
        // A sweep without shift isolates a zero on the diagonal.
        let zero = self.d[first..=last].iter().any(|&d| d == P::Base::from_double(0.0));
        if zero || shift * shift <= eps * top * top {
            self.sweep_unshifted(first, last);
        } else {
            self.sweep_shifted(first, last, shift);
        }
    }
    fn sweep_shifted(&mut self, first: usize, last: usize, shift: P::Base) {
        let (d, e) = (&mut self.d, &mut self.e);
        let top = d[first];
        let mut f = (top.magnitude() - shift) * (Float::signum(top) + shift / top);
        let mut g = e[first];
        for i in first..last {
            let (c, s, r) = rotation(f, g);
            if i > first {
                e[i - 1] = r;
            }
            f = c * d[i] + s * e[i];
            e[i] = c * e[i] - s * d[i];
            g = s * d[i + 1];
            d[i + 1] = c * d[i + 1];
            rotate(&mut self.v, i, i + 1, c, s);
            let (c, s, r) = rotation(f, g);
            d[i] = r;
            f = c * e[i] + s * d[i + 1];
            d[i + 1] = c * d[i + 1] - s * e[i];
            if i + 1 < last {
                g = s * e[i + 1];
                e[i + 1] = c * e[i + 1];
            }
            rotate(&mut self.u, i, i + 1, c, s);
        }
        e[last - 1] = f;
    }
    fn sweep_unshifted(&mut self, first: usize, last: usize) {
        let (d, e) = (&mut self.d, &mut self.e);
        let (mut c, mut old_c, mut old_s) = (P::Base::from_double(1.0), P::Base::from_double(1.0), d[first]);
        for i in first..last {
            let (new_c, s, r) = rotation(d[i] * c, e[i]);
            if i > first {
                e[i - 1] = old_s * r;
            }
            c = new_c;
            rotate(&mut self.v, i, i + 1, c, s);
            (old_c, old_s, d[i]) = rotation(old_c * r, d[i + 1] * s);
            rotate(&mut self.u, i, i + 1, old_c, old_s);
        }
        let h = d[last] * c;
        d[last] = h * old_c;
        e[last - 1] = h * old_s;
    }
}
