//! Eigenvalues and eigenvectors of symmetric and hermitian matrices.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};

use super::spectrum::{Spectrum, decompose, hermitian};
use super::{Entry, Op, add, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

/// `A = VΛVᴴ`: results Λ and V. With `P = VᴴȦV` (of the hermitian part of Ȧ) and `Fᵢⱼ = 1/(λⱼ − λᵢ)` off the
/// diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)`, turned by the phases that keep leading entries real.
#[derive(Clone)]
struct Decomposition<P: Machine> {
    found: Rc<Spectrum<P>>,
}

impl<P: Machine> Primitive<P> for Decomposition<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Eigenvectors<T>;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let values = self.found.values.iter().map(|&x| P::base(x));
        Ok(values.chain(self.found.vectors.iter().copied()).collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Eigenvectors<T>, AdError> {
        self.found.distinct()?;
        let n = self.found.values.len();
        let leading = if T::REAL { Vec::new() } else { self.found.leading.clone() };
        Ok(Eigenvectors {
            name: self.found.op,
            values: y[..n].to_vec(),
            vectors: dense(n, n, &y[n..]),
            leading,
        })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// The derivative of eigenvalues and eigenvectors.
struct Eigenvectors<T> {
    name: &'static str,
    values: Vec<T>,
    vectors: DMatrix<T>,
    /// Empty for real numbers, whose vectors cannot turn.
    leading: Vec<usize>,
}

/// `V diag(weights) Vᴴ`, by the real parts of the weights.
fn weighted<T: Number>(v: &DMatrix<T>, weights: &[T]) -> DMatrix<T> {
    let scaled = DMatrix::from_fn(v.nrows(), v.ncols(), |i, j| v[(i, j)] * T::from_re(weights[j].re()));
    times(Op::Plain, &scaled, Op::Adjoint, v)
}

/// `(x − conj x)/2`, the imaginary part times i.
fn imaginary<T: Number>(x: T) -> T {
    (x - x.conj()) * T::lit(0.5)
}

impl<T: Number> Eigenvectors<T> {
    /// `F∘(hermitian part of P)`, which is skew-hermitian, with zeros on the diagonal.
    fn over_gaps(&self, p: &mut DMatrix<T>) {
        let half = T::lit(0.5);
        for j in 0..p.ncols() {
            for i in 0..j {
                let x = (p[(i, j)] + p[(j, i)].conj()) * half / (self.values[j] - self.values[i]);
                (p[(i, j)], p[(j, i)]) = (x, -x.conj());
            }
            p[(j, j)] = T::lit(0.0);
        }
    }
    /// The hermitian part of `diag λ̄ + F∘G`.
    fn hermitian_over_gaps(&self, of_values: &[T], g: &mut DMatrix<T>) {
        let half = T::lit(0.5);
        for j in 0..g.ncols() {
            for i in 0..j {
                let x = (g[(i, j)] - g[(j, i)].conj()) * half / (self.values[j] - self.values[i]);
                (g[(i, j)], g[(j, i)]) = (x, x.conj());
            }
            g[(j, j)] = T::from_re(of_values[j].re());
        }
    }
}

impl<T: Number> LinearMap<T> for Eigenvectors<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.vectors, self.values.len());
        let da = dense(n, n, tangents[0].expect("a matrix"));
        let mut p = times(Op::Adjoint, v, Op::Plain, &times(Op::Plain, &da, Op::Plain, v));
        for i in 0..n {
            out[i] = T::from_re(p[(i, i)].re());
        }
        self.over_gaps(&mut p);
        let mut dv = times(Op::Plain, v, Op::Plain, &p);
        // The leading entry stays real: v̇ − v·i Im(v̇ₖ)/vₖ.
        for (j, &k) in self.leading.iter().enumerate() {
            let turn = imaginary(dv[(k, j)]) / v[(k, j)];
            (0..n).for_each(|i| dv[(i, j)] -= v[(i, j)] * turn);
        }
        out[n..].copy_from_slice(dv.as_slice());
    }
    /// `Ā` is the hermitian part of `V(diag λ̄ + F∘VᴴV̄)Vᴴ`, where V̄ has lost what turns vectors as wholes.
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let (v, n) = (&self.vectors, self.values.len());
        let (of_values, of_vectors) = cotangent.split_at(n);
        let out = out[0].as_mut().expect("a matrix");
        if of_vectors.iter().all(|x| x.is_exactly_zero()) {
            return add(out, weighted(v, of_values).as_slice());
        }
        let mut p = times(Op::Adjoint, v, Op::Plain, &dense(n, n, of_vectors));
        for (j, &k) in self.leading.iter().enumerate() {
            let turn = imaginary(p[(j, j)]) / v[(k, j)];
            (0..n).for_each(|i| p[(i, j)] -= v[(k, i)].conj() * turn);
        }
        self.hermitian_over_gaps(of_values, &mut p);
        add(out, times(Op::Plain, v, Op::Plain, &times(Op::Plain, &p, Op::Adjoint, v)).as_slice());
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + size_of_val(self.vectors.as_slice())
    }
}

/// The eigenvalues alone: `λ̇ᵢ = (VᴴȦV)ᵢᵢ`, the mean of these over eigenvalues that are the same.
#[derive(Clone)]
struct Eigenvalues<P: Machine> {
    found: Rc<Spectrum<P>>,
}

impl<P: Machine> Primitive<P> for Eigenvalues<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Quotients<T>;
    fn name(&self) -> &'static str {
        self.found.op
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.found.values.iter().map(|&x| P::base(x)).collect())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Quotients<T>, AdError> {
        let n = y.len();
        let whole = T::lift_primitive(&Decomposition { found: self.found.clone() }, &[&x[0]])?;
        Ok(Quotients { vectors: dense(n, n, &whole[n..]), clusters: self.found.clusters() })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// The derivative of eigenvalues.
struct Quotients<T> {
    vectors: DMatrix<T>,
    clusters: Vec<core::ops::Range<usize>>,
}

impl<T: Number> Quotients<T> {
    /// Means over clusters.
    fn share(&self, values: &mut [T]) {
        for cluster in self.clusters.iter().filter(|c| c.len() > 1) {
            let mean = T::total(values[cluster.clone()].iter().copied()) / T::lit(cluster.len() as f64);
            values[cluster.clone()].fill(mean);
        }
    }
}

impl<T: Number> LinearMap<T> for Quotients<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (v, n) = (&self.vectors, out.len());
        let product = times(Op::Plain, &dense(n, n, tangents[0].expect("a matrix")), Op::Plain, v);
        for (j, out) in out.iter_mut().enumerate() {
            let terms = (0..n).map(|i| (v[(i, j)].conj(), product[(i, j)]));
            *out = T::from_re(T::inner_product(terms).re());
        }
        self.share(out);
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let mut weights = cotangent.to_vec();
        self.share(&mut weights);
        add(out[0].as_mut().expect("a matrix"), weighted(&self.vectors, &weights).as_slice());
    }
    fn name(&self) -> &'static str {
        "symmetric_eigenvalues"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.vectors.as_slice())
    }
}

/// The eigenvalues and eigenvectors of a symmetric or hermitian matrix, `A = VΛVᴴ`.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricEigen<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    /// The eigenvalues, ascending.
    pub eigenvalues: OVector<S::Re, D>,
    /// The eigenvectors as columns of a unitary matrix, in the order of their values.
    pub eigenvectors: OMatrix<S, D, D>,
}

/// Eigenvalues, ascending, and eigenvectors of a symmetric or hermitian matrix.
///
/// With `P = VᴴȦV` and `Fᵢⱼ = 1/(λⱼ − λᵢ)`, zero on the diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)`,
/// `Ā = V(diag λ̄ + F∘VᴴV̄)Vᴴ` (M. B. Giles, Collected matrix derivative results, 2008). They are right at diagonal
/// and block-diagonal matrices, where nalgebra's algorithm on dual numbers is not.
///
/// **What is read.** The hermitian part `(A + Aᴴ)/2` of the whole matrix: a tangent counts by its hermitian part, a
/// cotangent is hermitian.
///
/// **Gauge.** In every vector the largest entry (the first of those that are equal to rounding) is real and
/// positive, and stays real: the derivative of a complex vector is turned by `−i Im(v̇ₖ)/vₖ`, so that it is that of
/// a function, to every order. A result that depends on signs or phases depends on this choice.
///
/// # Errors
/// - `Degenerate` if tangents or a tape ask for the derivative where two eigenvalues are the same to rounding (closer
///   than `n·ε·max |λ|`): the vectors have none. [`symmetric_eigenvalues`] has one there, and so has
///   [`symmetric_function`](super::symmetric_function).
/// - `NoConvergence` if an entry is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::symmetric_eigen};
/// let a = matrix![1.0_f64, 0.0; 0.0, 3.0].zip_map(&matrix![0.5, 1.0; 1.0, 0.0], Dual::new);
/// let eigen = symmetric_eigen(&a)?;
/// assert_eq!(eigen.eigenvalues.map(|x| x.value()), vector![1.0, 3.0]);
/// assert_eq!(eigen.eigenvalues.map(|x| x.tangent()), vector![0.5, 0.0]);
/// assert_eq!(eigen.eigenvectors.map(|x| x.tangent()), matrix![0.0, 0.5; -0.5, 0.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn symmetric_eigen<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<SymmetricEigen<S, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let n = square("symmetric_eigen", a);
    let found = Spectrum::new("symmetric_eigen", n, a.as_slice())?;
    let y = S::lift(&Decomposition { found }, &[a.as_slice()])?;
    let (rows, columns) = a.shape_generic();
    Ok(SymmetricEigen {
        eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()),
        eigenvectors: OMatrix::from_column_slice_generic(rows, columns, &y[n..]),
    })
}

/// The eigenvalues of a symmetric or hermitian matrix, ascending: `λ̇ᵢ = vᵢᴴȦvᵢ`, `Ā = V diag(λ̄) Vᴴ`.
///
/// The hermitian part of the whole matrix is read, as by [`symmetric_eigen`]. Where eigenvalues are the same to
/// rounding they share: each has the mean of the tangents of all of them, as `max` shares a tie. So sums, traces and
/// other symmetric functions of them have their derivatives, and the largest one has its subgradient of least norm.
///
/// # Errors
/// - `Degenerate` if a derivative of second order is asked for where two eigenvalues are the same to rounding.
/// - `NoConvergence` if an entry is infinite or NaN, or the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, vector};
/// use wengert::{Dual, matrix::symmetric_eigenvalues};
/// let a = matrix![2.0_f64, 1.0; 1.0, 2.0].zip_map(&matrix![0.1, 0.2; 0.2, -0.3], Dual::new);
/// let eigenvalues = symmetric_eigenvalues(&a)?;
/// assert!((eigenvalues.map(|x| x.value()) - vector![1.0, 3.0]).norm() < 1e-14);
/// assert!((eigenvalues.map(|x| x.tangent()) - vector![-0.3, 0.1]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub fn symmetric_eigenvalues<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OVector<S::Re, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let op = "symmetric_eigenvalues";
    let n = square(op, a);
    let rows = a.shape_generic().0;
    if S::PLAIN {
        let (values, _) = decompose(op, hermitian(op, n, a.as_slice())?, false)?;
        return Ok(OVector::from_fn_generic(rows, U1, |i, _| S::Re::base(values[i])));
    }
    let found = Spectrum::new(op, n, a.as_slice())?;
    let y = S::lift(&Eigenvalues { found }, &[a.as_slice()])?;
    Ok(OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use num_complex::Complex64;

    pub(in crate::matrix) fn numbers(n: usize, seed: f64) -> Vec<Complex64> {
        let part = |i: usize, k: f64| (((i as f64 + seed) * k).sin() * 43758.5453).fract();
        (0..n).map(|i| Complex64::new(part(i, 12.9), part(i, 78.2))).collect()
    }

    /// `Re⟨ȳ, Jẋ⟩ = Re⟨Jᴴȳ, ẋ⟩`.
    pub(in crate::matrix) fn check_adjoint<P: Machine>(
        rule: &impl Primitive<P>,
        x: &[Vec<P>],
        number: impl Fn(&Complex64) -> P,
    ) {
        let views: Vec<&[P]> = x.iter().map(Vec::as_slice).collect();
        let y = rule.value(&views).unwrap();
        let map = rule.linearize(x.to_vec(), &y).unwrap();
        let some = |n: usize, seed: f64| numbers(n, seed).iter().map(&number).collect::<Vec<P>>();
        let dx: Vec<Vec<P>> = x.iter().enumerate().map(|(k, x)| some(x.len(), 5.0 + k as f64)).collect();
        let cotangent = some(y.len(), 0.5);
        let mut dy = vec![P::lit(0.0); y.len()];
        map.apply(&dx.iter().map(|x| Some(x.as_slice())).collect::<Vec<_>>(), &mut dy);
        let mut to_x: Vec<Vec<P>> = x.iter().map(|x| vec![P::lit(0.0); x.len()]).collect();
        map.transpose(&cotangent, &mut to_x.iter_mut().map(|x| Some(x.as_mut_slice())).collect::<Vec<_>>());
        let dot = |x: &[P], y: &[P]| {
            let sum = x.iter().zip(y).fold(P::lit(0.0), |s, (&x, &y)| s + Number::conj(x) * y);
            crate::number::BaseFloat::to_double(crate::number::Real::primal(Number::re(sum)))
        };
        let want = dot(&cotangent, &dy);
        let got: f64 = to_x.iter().zip(&dx).map(|(x, y)| dot(x, y)).sum();
        assert!((got - want).abs() <= 1e-12 * want.abs().max(1.0), "{}: {got} {want}", rule.name());
    }

    #[test]
    fn hermitian_cotangents_are_those_of_the_tangents() {
        for n in [1, 2, 4, 9] {
            let a = numbers(n * n, 1.0);
            let found = Spectrum::new("eigen", n, &a).unwrap();
            check_adjoint(&Decomposition { found: found.clone() }, std::slice::from_ref(&a), |&x| x);
            check_adjoint(&Eigenvalues { found }, &[a], |&x| x);
        }
    }

    #[test]
    fn equal_eigenvalues_share_and_their_vectors_have_no_derivative() {
        use crate::Dual;
        let a = nalgebra::matrix![2.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 2.0];
        assert!(symmetric_eigen(&a.map(Dual::constant)).is_ok());
        let a = a.zip_map(&nalgebra::Matrix3::from_diagonal(&nalgebra::vector![3.0, 1.0, 5.0]), Dual::new);
        let error = AdError::Degenerate { op: "symmetric_eigen", pair: (1, 2), gap: 0.0 };
        assert_eq!(symmetric_eigen(&a), Err(error));
        let values = symmetric_eigenvalues(&a).unwrap();
        assert_eq!(values.map(|x| x.tangent()), nalgebra::vector![1.0, 4.0, 4.0]);
        let nested = a.map(|x| Dual::new(x, x));
        assert!(matches!(symmetric_eigenvalues(&nested), Err(AdError::Degenerate { pair: (1, 2), .. })));
    }

    #[test]
    fn what_is_not_finite_is_an_error() {
        let a = nalgebra::matrix![f64::NAN, 0.0; 0.0, 1.0];
        assert_eq!(symmetric_eigen(&a), Err(AdError::NoConvergence { op: "symmetric_eigen" }));
        assert!(symmetric_eigenvalues(&a).is_err());
    }
}
