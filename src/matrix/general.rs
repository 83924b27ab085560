//! Eigenvalues and eigenvectors of general matrices, real or complex. They are complex, and a rule must know its
//! results at every number type: so the rule is one of real numbers, the real and imaginary parts of all that is
//! complex. A complex matrix M is held as `[Re M; Im M]`, and multiplies as `[Re M, −Im M; Im M, Re M]`.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};
use num_complex::{Complex, Complex64};
use num_traits::Float;

use super::schur::SchurForm;
use super::system::{Factored, Solve};
use super::{Entry, Op, add, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::Primitive;

/// The decomposition of a machine matrix.
struct Pairs {
    op: &'static str,
    /// Sorted by real, then imaginary part.
    values: Vec<Complex64>,
    vectors: DMatrix<Complex64>,
    /// The row of each vector whose entry is kept real and positive.
    leading: Vec<usize>,
    /// The Frobenius norm of the matrix.
    norm: f64,
}

impl Pairs {
    fn new<S: Entry>(op: &'static str, n: usize, a: &[S]) -> Result<Rc<Self>, AdError> {
        let form = SchurForm::new(op, n, a)?;
        let places = form.order();
        let values: Vec<_> = places.iter().map(|&p| form.value(p)).collect();
        let (mut vectors, mut leading) = (DMatrix::zeros(n, n), vec![0; n]);
        for (j, &place) in places.iter().enumerate() {
            // Of conjugate pairs, which are neighbours in the Schur form, the first is computed.
            let second = S::IS_REAL && values[j].im < 0.0;
            let (mut v, row) = form.vector(place - usize::from(second));
            if second {
                v.iter_mut().for_each(|x| *x = x.conj());
            } else if S::IS_REAL && values[j].im == 0.0 {
                v.iter_mut().for_each(|x| x.im = 0.0);
            }
            vectors.column_mut(j).copy_from_slice(&v);
            leading[j] = row;
        }
        let norm = form.triangular.norm() * form.unit;
        Ok(Rc::new(Pairs { op, values, vectors, leading, norm }))
    }
    /// The eigenvalues, real parts first.
    fn flat_values<P: Machine>(&self) -> impl Iterator<Item = P> + '_ {
        self.values.iter().map(|x| P::lit(x.re)).chain(self.values.iter().map(|x| P::lit(x.im)))
    }
    /// An error for two eigenvalues closer than rounding moves them: by `ε·|A|` times the condition of each, which
    /// is the norm of its row in the inverse of the vectors.
    fn distinct<P: Machine>(&self, factors: &Rc<Factored<P>>) -> Result<(), AdError> {
        let n = self.values.len();
        let rule = Solve { factors: factors.clone(), op: Op::Plain, n: 2 * n, columns: n };
        let inverse = rule.value(&[&[], DMatrix::identity(2 * n, n).as_slice()])?;
        let inverse = dense(2 * n, n, &inverse);
        let size = |x: P| BaseFloat::to_double(x.magnitude());
        let modulus = |i: usize, j: usize| size(inverse[(i, j)]).hypot(size(inverse[(n + i, j)]));
        let condition: Vec<f64> =
            (0..n).map(|i| (0..n).fold(0.0, |sum: f64, j| sum.hypot(modulus(i, j)))).collect();
        let eps = BaseFloat::to_double(<P::Base as Float>::epsilon());
        let same = |&(i, j, gap): &(usize, usize, f64)| {
            gap <= 10.0 * n as f64 * eps * self.norm * condition[i].max(condition[j])
        };
        self.gaps().find(same).map_or(Ok(()), |gap| Err(self.degenerate(gap)))
    }
    fn gaps(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let pairs = (0..self.values.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs.map(|(i, j)| (i, j, (self.values[i] - self.values[j]).norm()))
    }
    fn degenerate(&self, (i, j, gap): (usize, usize, f64)) -> AdError {
        AdError::Degenerate { op: self.op, pair: (i, j), gap }
    }
    /// The error where the vectors are no basis.
    fn closest(&self) -> AdError {
        let closest = self.gaps().min_by(|x, y| x.2.total_cmp(&y.2));
        closest.map_or(AdError::Singular { op: self.op }, |gap| self.degenerate(gap))
    }
}

/// `A = VΛV⁻¹`: results Λ and, if wanted, V. With `P = V⁻¹ȦV` and `Fᵢⱼ = 1/(λⱼ − λᵢ)` off the diagonal: `λ̇ᵢ = Pᵢᵢ`,
/// `V̇ = V(F∘P)`, with what keeps norms 1 and leading entries real.
#[derive(Clone)]
struct Decomposition {
    found: Rc<Pairs>,
    vectors: bool,
}

impl<P: Machine> Primitive<P> for Decomposition {
    type Map<T: Number<Primal = P, Base = P::Base>> = Derivative<P, T>;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let mut y: Vec<P> = self.found.flat_values().collect();
        if self.vectors {
            for v in self.found.vectors.column_iter() {
                y.extend(v.iter().map(|x| P::lit(x.re)));
                y.extend(v.iter().map(|x| P::lit(x.im)));
            }
        }
        Ok(y)
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Derivative<P, T>, AdError> {
        let n = self.found.values.len();
        let vectors = if self.vectors {
            dense(2 * n, n, &y[2 * n..])
        } else {
            let whole = Decomposition { vectors: true, ..self.clone() };
            let groups: Vec<&[T]> = x.iter().map(Vec::as_slice).collect();
            dense(2 * n, n, &T::lift_primitive(&whole, &groups)?[2 * n..])
        };
        let basis = embedded(&vectors);
        let factors =
            Factored::lu(self.found.op, 2 * n, basis.as_slice()).map_err(|_| self.found.closest())?;
        self.found.distinct(&factors)?;
        Ok(Derivative { found: self.found.clone(), factors, values: y[..2 * n].to_vec(), vectors, basis })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// `[Re M, −Im M; Im M, Re M]` of `[Re M; Im M]`.
fn embedded<T: Number>(m: &DMatrix<T>) -> DMatrix<T> {
    let (n, columns) = (m.nrows() / 2, m.ncols());
    DMatrix::from_fn(2 * n, 2 * columns, |i, j| match (i < n, j < columns) {
        (_, true) => m[(i, j)],
        (true, _) => -m[(n + i, j - columns)],
        (false, _) => m[(i - n, j - columns)],
    })
}

/// The derivative of eigenvalues and eigenvectors.
struct Derivative<P: Machine, T> {
    found: Rc<Pairs>,
    /// Of `basis`.
    factors: Rc<Factored<P>>,
    values: Vec<T>,
    vectors: DMatrix<T>,
    basis: DMatrix<T>,
}

impl<P: Machine, T: Number<Primal = P, Base = P::Base>> Derivative<P, T> {
    fn rows(&self) -> usize {
        self.vectors.ncols()
    }
    /// `V⁻¹M`, or `V⁻ᴴM`.
    fn solve(&self, op: Op, m: &DMatrix<T>) -> DMatrix<T> {
        let n = self.rows();
        let rule = Solve { factors: self.factors.clone(), op, n: 2 * n, columns: n };
        let x = T::lift_primitive(&rule, &[self.basis.as_slice(), m.as_slice()]);
        DMatrix::from_vec(2 * n, n, x.expect("the factors exist"))
    }
    /// `F∘P`, or `conj F∘P`, with zeros on the diagonal.
    fn over_gaps(&self, conjugate: bool, p: &mut DMatrix<T>) {
        let n = self.rows();
        let zero = T::lit(0.0);
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            let (re, im) = (self.values[j] - self.values[i], self.values[n + j] - self.values[n + i]);
            let gap = Complex::new(re, if conjugate { -im } else { im });
            let x = Complex::new(p[(i, j)], p[(n + i, j)]);
            let x = if i == j { Complex::new(zero, zero) } else { x / gap };
            (p[(i, j)], p[(n + i, j)]) = (x.re, x.im);
        }
    }
    /// `vᴴw` of the column `j`.
    fn projection(&self, j: usize, w: &DMatrix<T>) -> (T, T) {
        let (n, v) = (self.rows(), &self.vectors);
        let re = T::inner_product((0..2 * n).map(|i| (v[(i, j)], w[(i, j)])));
        let re_im = T::inner_product((0..n).map(|i| (v[(i, j)], w[(n + i, j)])));
        (re, re_im - T::inner_product((0..n).map(|i| (v[(n + i, j)], w[(i, j)]))))
    }
    /// `v̇ = w + cv` with `Re c = −Re vᴴw`, `Im c = −Im(wₖ)/vₖ`: norms stay 1 and leading entries real.
    fn keep_gauge(&self, w: &mut DMatrix<T>) {
        let (n, v) = (self.rows(), &self.vectors);
        for (j, &k) in self.found.leading.iter().enumerate() {
            let (re, im) = (-self.projection(j, w).0, -w[(n + k, j)] / v[(k, j)]);
            for i in 0..n {
                let (x, y) = (v[(i, j)], v[(n + i, j)]);
                w[(i, j)] += re * x - im * y;
                w[(n + i, j)] += re * y + im * x;
            }
        }
    }
    /// The transpose of `keep_gauge`: `w̄ = v̄ − Re(z)v − i(Im z/vₖ)eₖ` with `z = vᴴv̄`.
    fn keep_gauge_transposed(&self, w: &mut DMatrix<T>) {
        let (n, v) = (self.rows(), &self.vectors);
        for (j, &k) in self.found.leading.iter().enumerate() {
            let (re, im) = self.projection(j, w);
            (0..2 * n).for_each(|i| w[(i, j)] -= re * v[(i, j)]);
            w[(n + k, j)] -= im / v[(k, j)];
        }
    }
}

impl<P: Machine, T: Number<Primal = P, Base = P::Base>> LinearMap<T> for Derivative<P, T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let n = self.rows();
        let part = |i: usize, k: usize| tangents.get(i).copied().flatten().map_or(T::lit(0.0), |t| t[k]);
        let da = DMatrix::from_fn(2 * n, n, |i, j| part(i / n, i % n + j * n));
        let mut p = self.solve(Op::Plain, &times(Op::Plain, &embedded(&da), Op::Plain, &self.vectors));
        for i in 0..n {
            (out[i], out[n + i]) = (p[(i, i)], p[(n + i, i)]);
        }
        if out.len() > 2 * n {
            self.over_gaps(false, &mut p);
            let mut dv = times(Op::Plain, &self.basis, Op::Plain, &p);
            self.keep_gauge(&mut dv);
            out[2 * n..].copy_from_slice(dv.as_slice());
        }
    }
    /// `Ā = V⁻ᴴ(diag λ̄ + conj F∘VᴴW̄)Vᴴ`.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let n = self.rows();
        let (of_values, of_vectors) = cotangent.split_at(2 * n);
        let mut p = DMatrix::from_element(2 * n, n, T::lit(0.0));
        if of_vectors.iter().any(|x| !x.is_exactly_zero()) {
            let mut w = dense(2 * n, n, of_vectors);
            self.keep_gauge_transposed(&mut w);
            p = times(Op::Adjoint, &self.basis, Op::Plain, &w);
            self.over_gaps(true, &mut p);
        }
        for i in 0..n {
            (p[(i, i)], p[(n + i, i)]) = (of_values[i], of_values[n + i]);
        }
        let k = self.solve(Op::Adjoint, &p);
        let wide = |m: &DMatrix<T>| DMatrix::from_fn(n, 2 * n, |i, j| m[(i + j / n * n, j % n)]);
        let (v, parts) = (wide(&self.vectors), wide(&k));
        if let Some(out) = &mut out[0] {
            add(out, times(Op::Plain, &parts, Op::Adjoint, &v).as_slice());
        }
        if let Some(Some(out)) = out.get_mut(1) {
            let turned =
                DMatrix::from_fn(n, 2 * n, |i, j| if j < n { parts[(i, n + j)] } else { -parts[(i, j - n)] });
            add(out, times(Op::Plain, &turned, Op::Adjoint, &v).as_slice());
        }
    }
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn bytes(&self) -> usize {
        2 * size_of_val(self.basis.as_slice()) + size_of_val(self.vectors.as_slice())
    }
}

/// The results of a rule, as complex numbers from the place `first` on: real parts, then imaginary parts.
fn complex_at<R: Real>(y: &[R], first: usize, n: usize) -> impl Fn(usize) -> Complex<R> + '_ {
    move |i| Complex::new(y[first + i], y[first + n + i])
}

/// Applies the rule to the real and imaginary parts of a matrix.
fn lifted<S: Entry>(found: Rc<Pairs>, vectors: bool, a: &[S]) -> Result<Vec<S::Re>, AdError> {
    let parts = |part: fn(S) -> S::Re| a.iter().map(|&x| part(x)).collect::<Vec<_>>();
    let re = parts(S::real_part);
    let im = if S::IS_REAL { Vec::new() } else { parts(S::imaginary_part) };
    let groups = [&re[..], &im[..]];
    let groups = if S::IS_REAL { &groups[..1] } else { &groups[..] };
    <S::Re as Number>::lift_primitive(&Decomposition { found, vectors }, groups)
}

/// The eigenvalues and eigenvectors of a matrix, `A = VΛV⁻¹`.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    /// The eigenvalues, sorted by real, then imaginary part.
    pub eigenvalues: OVector<Complex<S::Re>, D>,
    /// The eigenvectors as columns, in the order of their values.
    pub eigenvectors: OMatrix<Complex<S::Re>, D, D>,
}

/// Eigenvalues, sorted by real, then imaginary part, and eigenvectors of a matrix, real or complex.
///
/// With `P = V⁻¹ȦV` and `Fᵢⱼ = 1/(λⱼ − λᵢ)`, zero on the diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)` up to the gauge,
/// `Ā = V⁻ᴴ(diag λ̄ + conj F∘VᴴV̄)Vᴴ`, its real part for a real matrix (M. B. Giles, Collected matrix derivative
/// results, 2008; C. Boeddeker et al., arXiv:1701.00392). The results are pairs of real numbers, so this works on a
/// tape too. Symmetric and hermitian matrices have [`symmetric_eigen`](super::symmetric_eigen).
///
/// **Gauge.** Every vector has norm 1, and its largest entry (the first of those that are equal to rounding) is real
/// and positive; the derivative keeps both. The vectors of a real eigenvalue of a real matrix are real, those of
/// conjugate eigenvalues conjugate.
///
/// # Errors
/// - `Degenerate` if tangents or a tape ask for the derivative where two eigenvalues are the same to rounding: closer
///   than `10n·ε·|A|` times the larger of their condition numbers, as near a matrix without a basis of eigenvectors.
/// - `NoConvergence` if an entry is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::eigen};
/// // A quarter turn has the eigenvalues ±i; a growth of both axes moves them to the right.
/// let a = matrix![0.0_f64, -1.0; 1.0, 0.0].zip_map(&matrix![1.0, 0.0; 0.0, 1.0], Dual::new);
/// let [lower, upper] = eigen(&a)?.eigenvalues.into();
/// assert!((upper.re.value()).abs() < 1e-15 && (upper.im.value() - 1.0).abs() < 1e-15);
/// assert!((upper.re.tangent() - 1.0).abs() < 1e-15 && upper.im.tangent().abs() < 1e-15);
/// assert_eq!(lower, upper.conj());
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn eigen<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<Eigen<S, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let n = square("eigen", a);
    let y = lifted(Pairs::new("eigen", n, a.as_slice())?, true, a.as_slice())?;
    let (rows, columns) = a.shape_generic();
    let value = complex_at(&y, 0, n);
    Ok(Eigen {
        eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| value(i)),
        eigenvectors: OMatrix::from_fn_generic(rows, columns, |i, j| complex_at(&y, 2 * n * (j + 1), n)(i)),
    })
}

/// The eigenvalues of a matrix, real or complex, sorted by real, then imaginary part: `λ̇ᵢ = (V⁻¹ȦV)ᵢᵢ`,
/// `Ā = V⁻ᴴ diag(λ̄) Vᴴ`. They are right at triangular matrices, where nalgebra's algorithm on dual numbers is not.
///
/// # Errors
/// - `Degenerate` if tangents or a tape ask for the derivative of eigenvalues that are not simple, as for [`eigen`].
/// - `NoConvergence` if an entry is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::eigenvalues};
/// let a = matrix![1.0_f64, 1.0; 0.0, 2.0].zip_map(&matrix![0.0, 0.0; 1.0, 0.0], Dual::new);
/// let values = eigenvalues(&a)?;
/// assert!((values[0].re.value() - 1.0).abs() < 1e-15 && (values[1].re.value() - 2.0).abs() < 1e-15);
/// assert!((values[0].re.tangent() + 1.0).abs() < 1e-15 && (values[1].re.tangent() - 1.0).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn eigenvalues<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OVector<Complex<S::Re>, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let n = square("eigenvalues", a);
    let y = lifted(Pairs::new("eigenvalues", n, a.as_slice())?, false, a.as_slice())?;
    let value = complex_at(&y, 0, n);
    Ok(OVector::from_fn_generic(a.shape_generic().0, U1, |i, _| value(i)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;
    use crate::matrix::adjoint::{check, numbers};
    use num_complex::Complex64;

    #[test]
    fn cotangents_are_those_of_the_tangents() {
        for n in [1, 2, 5] {
            let a: Vec<Complex64> = numbers(n * n, 2.0);
            let [re, im] = [|x: &Complex64| x.re, |x: &Complex64| x.im]
                .map(|part| a.iter().map(part).collect::<Vec<_>>());
            let real = Pairs::new("eigen", n, &re).unwrap();
            let complex = Pairs::new("eigen", n, &a).unwrap();
            for vectors in [false, true] {
                let rule = Decomposition { found: real.clone(), vectors };
                check(&rule, &[&re]);
                let rule = Decomposition { found: complex.clone(), vectors };
                check(&rule, &[&re, &im]);
            }
        }
    }

    #[test]
    fn defective_matrices_have_values_and_no_derivatives() {
        for a in [nalgebra::matrix![1.0, 1.0; 0.0, 1.0], nalgebra::matrix![3.0, 4.0; -1.0, -1.0]] {
            assert!(eigen(&a).is_ok());
            let a = a.map(Dual::variable);
            assert!(matches!(eigen(&a), Err(AdError::Degenerate { pair: (0, 1), .. })));
            assert!(matches!(eigenvalues(&a), Err(AdError::Degenerate { pair: (0, 1), .. })));
        }
    }
}
