//! Eigenvalues and eigenvectors of symmetric and hermitian matrices.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};

use super::small::symmetric_pair;
use super::spectrum::{Spectrum, leading};
use super::{Entry, Op, add, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::{Lanes, Primitive, lane_by_lane};

/// `A = VΛVᴴ`: results Λ and V. With `P = VᴴȦV` (of the hermitian part of Ȧ) and `Fᵢⱼ = 1/(λⱼ − λᵢ)` off the
/// diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)`, turned by the phases that keep leading entries real.
#[derive(Clone)]
pub(super) struct Decomposition<P: Machine> {
    pub(super) found: Rc<Spectrum<P>>,
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
        let leading = self.found.leading.clone();
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
    /// Of small matrices without a vector for each lane.
    fn tangents<S: Lanes>(
        &self,
        map: &Eigenvectors<S::Inner>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Inner>,
    ) -> Vec<S>
    where
        S::Inner: Number<Primal = P, Base = P::Base>,
    {
        let n = map.values.len();
        if n > NEAR {
            return lane_by_lane(map, x, active, y);
        }
        let mut space = vec![S::Inner::lit(0.0); S::LANES * y.len() + 2 * n * n];
        let (out, work) = space.split_at_mut(S::LANES * y.len());
        for (lane, out) in out.chunks_exact_mut(y.len().max(1)).enumerate() {
            map.entry_by_entry(|k| x[0][k].lane(lane), work, out);
        }
        let result = |(i, &value): (usize, &S::Inner)| S::assemble(value, |lane| out[lane * y.len() + i]);
        y.iter().enumerate().map(result).collect()
    }
}

/// Tangents of matrices up to this size are found entry by entry.
const NEAR: usize = 8;

/// The derivative of eigenvalues and eigenvectors.
pub(super) struct Eigenvectors<T> {
    name: &'static str,
    values: Vec<T>,
    vectors: DMatrix<T>,
    /// Empty for real numbers, whose vectors cannot turn.
    leading: Vec<usize>,
}

/// `V diag(weights) Vᴴ`, by the real parts of the weights.
pub(super) fn weighted<T: Number>(v: &DMatrix<T>, weights: &[T]) -> DMatrix<T> {
    let scaled = DMatrix::from_fn(v.nrows(), v.ncols(), |i, j| v[(i, j)] * T::from_re(weights[j].re()));
    times(Op::Plain, &scaled, Op::Adjoint, v)
}

/// `(x − conj x)/2`, the imaginary part times i.
fn imaginary<T: Number>(x: T) -> T {
    (x - x.conj()) * T::lit(0.5)
}

impl<T: Number> Eigenvectors<T> {
    /// As `apply`, in one piece: by columns, in `work` of 2n² numbers.
    fn entry_by_entry(&self, da: impl Fn(usize) -> T, work: &mut [T], out: &mut [T]) {
        let (n, half, v) = (self.values.len(), T::lit(0.5), self.vectors.as_slice());
        let column = |m: usize| m * n..(m + 1) * n;
        let (p, product) = work.split_at_mut(n * n);
        for (j, i) in (0..n).flat_map(|j| (0..=j).map(move |i| (j, i))) {
            let x = (da(i + j * n) + da(j + i * n).conj()) * half;
            (p[i + j * n], p[j + i * n]) = (x, x.conj());
        }
        let combine = |sum: &mut [T], of: &[T], weights: &[T]| {
            sum.fill(T::lit(0.0));
            for (k, &weight) in weights.iter().enumerate() {
                sum.iter_mut().zip(&of[column(k)]).for_each(|(s, &x)| *s += x * weight);
            }
        };
        (0..n).for_each(|j| combine(&mut product[column(j)], p, &v[column(j)]));
        for (j, i) in (0..n).flat_map(|j| (0..=j).map(move |i| (j, i))) {
            let pairs = v[column(i)].iter().zip(&product[column(j)]);
            let x = pairs.fold(T::lit(0.0), |sum, (&v, &x)| sum + v.conj() * x);
            if i == j {
                (out[i], p[i + i * n]) = (T::from_re(x.re()), T::lit(0.0));
            } else {
                let x = x / (self.values[j] - self.values[i]);
                (p[i + j * n], p[j + i * n]) = (x, -x.conj());
            }
        }
        (0..n).for_each(|j| combine(&mut out[n..][column(j)], v, &p[column(j)]));
        self.keep_gauge(&mut out[n..]);
    }
    /// The leading entry stays real: `v̇ − v·i Im(v̇ₖ)/vₖ`.
    fn keep_gauge(&self, dv: &mut [T]) {
        let (n, v) = (self.values.len(), self.vectors.as_slice());
        for (j, &k) in self.leading.iter().enumerate() {
            let turn = imaginary(dv[k + j * n]) / v[k + j * n];
            (j * n..(j + 1) * n).for_each(|i| dv[i] -= v[i] * turn);
        }
    }
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
        let da = tangents[0].expect("a matrix");
        if n <= NEAR {
            return self.entry_by_entry(|k| da[k], &mut vec![T::lit(0.0); 2 * n * n], out);
        }
        let da = dense(n, n, da);
        let mut p = times(Op::Adjoint, v, Op::Plain, &times(Op::Plain, &da, Op::Plain, v));
        for i in 0..n {
            out[i] = T::from_re(p[(i, i)].re());
        }
        self.over_gaps(&mut p);
        out[n..].copy_from_slice(times(Op::Plain, v, Op::Plain, &p).as_slice());
        self.keep_gauge(&mut out[n..]);
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

/// Eigenvalues and the second vector of a real matrix of two rows, in the arithmetic of the numbers themselves, which
/// is right wherever the eigenvalues differ.
pub(super) fn pair<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Option<[[S::Re; 2]; 2]>
where
    DefaultAllocator: Allocator<D, D>,
{
    let entry = |i: usize| a.as_slice()[i].real_part();
    let off_diagonal = || (entry(1) + entry(2)) * S::Re::lit(0.5);
    let applies = S::IS_REAL && a.nrows() == 2;
    applies.then(|| symmetric_pair(entry(0), off_diagonal(), entry(3))).flatten()
}

/// A vector with its leading entry positive.
fn positive<R: Real>(v: [R; 2]) -> [R; 2] {
    let row = leading(&v.map(Number::innermost));
    if v[row].primal() < R::Base::from_double(0.0) { v.map(|x| -x) } else { v }
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
///   than `n·ε·max |λ|`): the vectors have none. [`symmetric_eigenvalues`](super::symmetric_eigenvalues) has one there, and so has
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
#[track_caller]
pub fn symmetric_eigen<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<SymmetricEigen<S, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let n = square("symmetric_eigen", a);
    let (rows, columns) = a.shape_generic();
    if let Some([values, [x, y]]) = pair(a) {
        // Columns (−y, x) and (x, y), each with its leading entry positive.
        let vectors = [positive([-y, x]), positive([x, y])];
        return Ok(SymmetricEigen {
            eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| values[i]),
            eigenvectors: OMatrix::from_fn_generic(rows, columns, |i, j| S::from_real(vectors[j][i])),
        });
    }
    let found = Spectrum::new("symmetric_eigen", n, a.as_slice())?;
    let y = S::lift(&Decomposition { found }, &[a.as_slice()])?;
    Ok(SymmetricEigen {
        eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()),
        eigenvectors: OMatrix::from_column_slice_generic(rows, columns, &y[n..]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;
    use crate::matrix::adjoint::{check, numbers};
    use nalgebra::matrix;
    use num_complex::Complex64;

    #[test]
    fn hermitian_cotangents_are_those_of_the_tangents() {
        for n in [1, 2, 4, 9] {
            let a: Vec<Complex64> = numbers(n * n, 1.0);
            let found = Spectrum::new("eigen", n, &a).unwrap();
            check(&Decomposition { found }, &[&a]);
        }
    }

    #[test]
    fn equal_eigenvalues_have_vectors_without_derivatives() {
        for n in [2, 3, 9] {
            let a = DMatrix::from_fn(n, n, |i, j| if i == j { 2.0 } else { 0.0 });
            assert!(symmetric_eigen(&a.map(Dual::constant)).is_ok());
            let error = AdError::Degenerate { op: "symmetric_eigen", pair: (0, 1), gap: 0.0 };
            assert_eq!(symmetric_eigen(&a.map(Dual::variable)), Err(error));
        }
    }

    #[test]
    fn pairs_are_decomposed_as_blocks_of_larger_matrices_are() {
        let e = matrix![0.5, -0.4; -0.3, 0.1];
        for a in [matrix![1.0, 0.0; 0.0, 3.0], matrix![2.0, 1.0; 1.0, 1.0], matrix![-1.0, -2.0; -2.0, -1.0]] {
            let twice = |x, t| Dual::new(Dual::new(x, t), Dual::constant(t));
            let small = a.zip_map(&e, twice);
            let block = |i: usize, j: usize| match i.max(j) {
                0 | 1 => small[(i, j)],
                _ => Dual::constant(Dual::constant(if i == j { 50.0 } else { 0.0 })),
            };
            let large = symmetric_eigen(&nalgebra::Matrix3::from_fn(block)).unwrap();
            let small = symmetric_eigen(&small).unwrap();
            let parts = |x: Dual<Dual<f64>>| [x.value().value(), x.tangent().value(), x.tangent().tangent()];
            let close = |x, y| parts(x).iter().zip(parts(y)).all(|(x, y)| (x - y).abs() < 1e-14);
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                assert!(close(small.eigenvectors[(i, j)], large.eigenvectors[(i, j)]), "{a} {i} {j}");
                assert!(close(small.eigenvalues[i], large.eigenvalues[i]));
            }
        }
    }

    #[test]
    fn values_of_any_size_are_decomposed() {
        for scale in [1e-300, 1e-200, 1e200, 1e300] {
            for n in [2, 3, 8] {
                let a = DMatrix::from_fn(n, n, |i, j| (1.0 / (i + j + 1) as f64) * scale);
                let SymmetricEigen { eigenvalues, eigenvectors: v } = symmetric_eigen(&a).unwrap();
                let back = &v * DMatrix::from_diagonal(&(eigenvalues / scale)) * v.transpose();
                assert!((back - a / scale).norm() < 1e-14, "{n} {scale}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_an_error() {
        let a = matrix![f64::NAN, 0.0; 0.0, 1.0];
        assert_eq!(symmetric_eigen(&a), Err(AdError::NoConvergence { op: "symmetric_eigen" }));
    }
}
