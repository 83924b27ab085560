//! The Schur form of matrices of primal numbers: `A = QTQᴴ`, Q unitary, T upper triangular, both complex. It is
//! computed by nalgebra 0.35, whose shifts can cycle: then the iteration is restarted.

use nalgebra::{DMatrix, DVector, Schur};
use num_complex::Complex64;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::unit;
use crate::matrix::kernels::spectrum::lead;
use crate::number::{BaseFloat, Number, Real};

/// A complex Schur form in double precision.
pub(crate) struct SchurForm {
    pub(crate) unitary: DMatrix<Complex64>,
    /// T, divided by `unit`.
    pub(crate) triangular: DMatrix<Complex64>,
    /// A power of two; 1 unless squares of the matrix overflow or underflow.
    pub(crate) unit: f64,
}

/// A primal number as a complex double.
pub(crate) fn complex<S: Entry>(x: S) -> Complex64 {
    let x = x.primal_value();
    let part = |x: <S::Primal as Number>::Re| x.primal().to_double();
    Complex64::new(part(Number::re(x)), part(Number::im(x)))
}

/// The values of a matrix divided by a power of two, and this power; 1 unless squares of the matrix overflow or
/// underflow.
pub(crate) fn finite<S: Entry>(
    op: &'static str,
    n: usize,
    a: &[S],
) -> Result<(DMatrix<Complex64>, f64), AdError> {
    let a = DMatrix::from_iterator(n, n, a.iter().map(|&x| complex(x)));
    if !a.iter().all(|x| x.is_finite()) {
        return Err(AdError::NotFinite { op });
    }
    let unit = unit(a.iter().fold(0.0, |most: f64, x| most.max(x.re.abs()).max(x.im.abs())));
    Ok((if unit == 1.0 { a } else { a.unscale(unit) }, unit))
}

/// A primal number with these parts; for a real type, the real part.
pub(crate) fn to_primal<P: Entry>(x: Complex64) -> P {
    P::of_parts(P::Re::lit(x.re), P::Re::lit(x.im))
}

impl SchurForm {
    /// The Schur form of the values of a matrix. Real matrices have eigenvalues in exactly conjugate pairs.
    pub(crate) fn new<S: Entry>(op: &'static str, n: usize, a: &[S]) -> Result<Self, AdError> {
        Self::of(op, n, a, true)
    }
    /// The Schur form of a matrix of numbers `P`, which are given as complex doubles.
    pub(crate) fn of_doubles<P: Entry>(op: &'static str, a: &DMatrix<Complex64>) -> Result<Self, AdError> {
        let numbers: Vec<P> = a.iter().map(|&x| to_primal(x)).collect();
        Self::new(op, a.nrows(), &numbers)
    }
    /// As [`new`](Self::new); if it is not whole, only the diagonal of T is right.
    pub(crate) fn of<S: Entry>(op: &'static str, n: usize, a: &[S], whole: bool) -> Result<Self, AdError> {
        let (a, unit) = finite(op, n, a)?;
        let failed = AdError::NoConvergence { op };
        let (unitary, triangular) = if S::IS_REAL {
            let (q, t) = patiently(a.map(|x| x.re), |x| x).ok_or(failed)?;
            triangular(q, t, whole)
        } else {
            patiently(a, Complex64::from).ok_or(failed)?
        };
        Ok(SchurForm { unitary, triangular, unit })
    }
    /// The eigenvalue at index `place`.
    #[inline]
    pub(crate) fn value(&self, place: usize) -> Complex64 {
        self.triangular[(place, place)] * self.unit
    }
    /// This form with another unit.
    #[inline]
    pub(crate) fn in_units_of(self, unit: f64) -> Self {
        let triangular = if unit == self.unit {
            self.triangular
        } else {
            self.triangular * Complex64::from(self.unit / unit)
        };
        SchurForm { triangular, unit, ..self }
    }
    /// The indices of eigenvalues, sorted by real, then imaginary part.
    #[inline]
    pub(crate) fn order(&self) -> Vec<usize> {
        order(self.triangular.diagonal().as_slice())
    }

    /// The eigenvector for the eigenvalue at index `place`, by substitution: of norm 1, its leading entry real and
    /// positive; and the row of that entry.
    #[inline]
    pub(crate) fn vector(&self, place: usize) -> (Vec<Complex64>, usize) {
        let (t, n) = (&self.triangular, self.triangular.nrows());
        let noise = f64::EPSILON * t.norm().max(f64::MIN_POSITIVE);
        let mut y = DMatrix::from_fn(n, 1, |i, _| match i.cmp(&place) {
            core::cmp::Ordering::Less => -t[(i, place)],
            core::cmp::Ordering::Equal => Complex64::new(1.0, 0.0),
            core::cmp::Ordering::Greater => Complex64::new(0.0, 0.0),
        });
        for i in (0..place).rev() {
            let gap = t[(i, i)] - t[(place, place)];
            y[i] /= if gap.norm() < noise { Complex64::from(noise) } else { gap };
            let x = y[i];
            (0..i).for_each(|k| y[k] -= t[(k, i)] * x);
            if x.norm() > 1e100 {
                y *= Complex64::from(1e-100);
            }
        }
        in_gauge(&self.unitary * y)
    }
    /// An orthonormal basis U of the invariant subspace of the eigenvalues at these ascending places, and the triangle
    /// `UᴴAU`, divided by `unit`: the form is turned until they come first.
    #[inline]
    pub(crate) fn subspace(&self, places: &[usize]) -> (DMatrix<Complex64>, DMatrix<Complex64>) {
        let (mut q, mut t) = (self.unitary.clone(), self.triangular.clone());
        for (first, &place) in places.iter().enumerate() {
            for m in (first..place).rev() {
                let (upper, lower) = (t[(m, m)], t[(m + 1, m + 1)]);
                // The eigenvector `(t, lower − upper)` of the lower value, by a phase that makes its second entry real.
                let (x, gap) = (t[(m, m + 1)], lower - upper);
                let (y, size) = (gap.norm(), x.norm().hypot(gap.norm()));
                let phase = if y > 0.0 { gap.conj() / y } else { Complex64::ONE };
                let (x, y) = if size > 0.0 { (x / size * phase, y / size) } else { (Complex64::ZERO, 1.0) };
                turn(&mut q, &mut t, m, x, y);
                (t[(m, m)], t[(m + 1, m + 1)], t[(m + 1, m)]) = (lower, upper, Complex64::ZERO);
            }
        }
        let k = places.len();
        (q.columns(0, k).into(), t.view((0, 0), (k, k)).into())
    }
    /// The Schur form of `Aᴴ`: `QJ` and `JTᴴJ`, where J reverses the order.
    #[inline]
    pub(crate) fn adjoint(&self) -> Self {
        let (n, t) = (self.triangular.nrows(), &self.triangular);
        SchurForm {
            unitary: DMatrix::from_fn(n, n, |i, j| self.unitary[(i, n - 1 - j)]),
            triangular: DMatrix::from_fn(n, n, |i, j| t[(n - 1 - j, n - 1 - i)].conj()),
            unit: self.unit,
        }
    }
}

/// The indices of eigenvalues, sorted by real, then imaginary part.
#[inline]
pub(crate) fn order(values: &[Complex64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|&i, &j| {
        let (x, y) = (values[i], values[j]);
        x.re.total_cmp(&y.re).then(x.im.total_cmp(&y.im))
    });
    places
}

/// A vector of norm 1, its leading entry real and positive; and the row of that entry.
#[inline]
pub(crate) fn in_gauge(v: DMatrix<Complex64>) -> (Vec<Complex64>, usize) {
    let mut v: Vec<Complex64> = v.unscale(v.norm()).data.into();
    let row = lead(&mut v);
    (v, row)
}

/// nalgebra's Schur form. Its shifts can cycle, for example on permutations: then the iteration is restarted from a
/// reflected matrix.
fn patiently<C: nalgebra::ComplexField<RealField = f64>>(
    a: DMatrix<C>,
    real: impl Fn(f64) -> C,
) -> Option<(DMatrix<C>, DMatrix<C>)> {
    let n = a.nrows();
    let limit = 60 * n + 60;
    if let Some(found) = Schur::try_new(a.clone(), f64::EPSILON, limit) {
        return Some(found.unpack());
    }
    (1..4).find_map(|attempt| {
        let axis = DVector::from_fn(n, |i, _| real(1.0 + ((i * i + attempt * i) as f64).sin())).normalize();
        let two = real(2.0);
        let reflection = DMatrix::from_fn(n, n, |i, j| {
            real(if i == j { 1.0 } else { 0.0 }) - two.clone() * axis[i].clone() * axis[j].clone()
        });
        let found = Schur::try_new(&reflection * &a * &reflection, f64::EPSILON, limit)?;
        let (q, t) = found.unpack();
        Some((reflection * q, t))
    })
}

/// A real Schur form with its blocks of two rows turned into triangles: G. H. Golub & C. F. Van Loan, Matrix
/// Computations, 4th ed., 7.4.
#[inline]
fn triangular(q: DMatrix<f64>, t: DMatrix<f64>, whole: bool) -> (DMatrix<Complex64>, DMatrix<Complex64>) {
    let n = t.nrows();
    let (mut q, mut t) = (q.map(Complex64::from), t.map(Complex64::from));
    for m in (0..n.max(1) - 1).filter(|&m| t[(m + 1, m)].re != 0.0).collect::<Vec<_>>() {
        let [a, b, c, d] = [(m, m), (m, m + 1), (m + 1, m), (m + 1, m + 1)].map(|place| t[place].re);
        let half = (a - d) / 2.0;
        let eigenvalue = Complex64::new((a + d) / 2.0, (-(b * c + half * half)).max(0.0).sqrt());
        // The first new axis is the eigenvector (λ − d, c).
        let (x, y) = (eigenvalue - d, c);
        let size = x.norm().hypot(y);
        let (x, y) = (x / size, y / size);
        if whole {
            turn(&mut q, &mut t, m, x, y);
        }
        (t[(m, m)], t[(m + 1, m + 1)]) = (eigenvalue, eigenvalue.conj());
        t[(m + 1, m)] = Complex64::new(0.0, 0.0);
    }
    (q, t)
}

/// Makes `(x, y)` of norm 1 the axis m, in the plane of the axes m and m + 1.
#[inline]
fn turn(q: &mut DMatrix<Complex64>, t: &mut DMatrix<Complex64>, m: usize, x: Complex64, y: f64) {
    let n = t.nrows();
    let columns = |a: &mut DMatrix<Complex64>, rows| {
        for i in 0..rows {
            let (p, r) = (a[(i, m)], a[(i, m + 1)]);
            (a[(i, m)], a[(i, m + 1)]) = (p * x + r * y, r * x.conj() - p * y);
        }
    };
    columns(q, n);
    columns(t, m + 2);
    for j in m..n {
        let (p, r) = (t[(m, j)], t[(m + 1, j)]);
        (t[(m, j)], t[(m + 1, j)]) = (p * x.conj() + r * y, r * x - p * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_give_the_matrix_back() {
        for n in [1, 2, 3, 5, 8, 20] {
            let real = DMatrix::from_fn(n, n, |i, j| ((3 * i + 7 * j * j + i * j) as f64).sin());
            let permutation = DMatrix::from_fn(n, n, |i, j| if (i + 1) % n == j { 1.0 } else { 0.0 });
            let other = real.map(|x| Complex64::new(x, (9.0 * x).cos()));
            check(real);
            check(permutation);
            check(other);
        }
    }

    fn check<S: Entry>(a: DMatrix<S>) {
        let n = a.nrows();
        let form = SchurForm::new("schur", n, a.as_slice()).unwrap();
        for (form, adjoint) in [(form.adjoint(), true), (form, false)] {
            let (q, t) = (form.unitary, form.triangular);
            let a = a.map(complex);
            let a = if adjoint { a.adjoint() } else { a };
            assert!((&q * q.adjoint() - DMatrix::identity(n, n)).norm() < 1e-13 * n as f64);
            assert!((&q * &t * q.adjoint() - a).norm() < 1e-13 * n as f64, "{n} {adjoint}");
            assert!(t == t.upper_triangle());
        }
    }
}
