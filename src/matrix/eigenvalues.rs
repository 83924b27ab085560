//! Eigenvalues of symmetric and hermitian matrices, without their vectors.

use std::ops::Range;
use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};

use super::eigen::{Decomposition, pair, weighted};
use super::spectrum::{Spectrum, decompose, hermitian};
use super::{Entry, Op, add, dense, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};
use crate::primitive::Primitive;

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
    clusters: Vec<Range<usize>>,
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

/// The eigenvalues of a symmetric or hermitian matrix, ascending: `λ̇ᵢ = vᵢᴴȦvᵢ`, `Ā = V diag(λ̄) Vᴴ`.
///
/// The hermitian part of the whole matrix is read, as by [`symmetric_eigen`](super::symmetric_eigen). Where eigenvalues are the same to
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
#[track_caller]
pub fn symmetric_eigenvalues<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OVector<S::Re, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let op = "symmetric_eigenvalues";
    let n = square(op, a);
    let rows = a.shape_generic().0;
    if let Some([values, _]) = pair(a) {
        return Ok(OVector::from_fn_generic(rows, U1, |i, _| values[i]));
    }
    if S::PLAIN {
        let (values, _) = decompose(op, hermitian(op, n, a.as_slice())?, false)?;
        return Ok(OVector::from_fn_generic(rows, U1, |i, _| S::Re::base(values[i])));
    }
    let found = Spectrum::new(op, n, a.as_slice())?;
    let y = S::lift(&Eigenvalues { found }, &[a.as_slice()])?;
    Ok(OVector::from_fn_generic(rows, U1, |i, _| y[i].real_part()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;
    use crate::matrix::adjoint::{check, numbers};
    use nalgebra::{Matrix3, matrix, vector};
    use num_complex::Complex64;

    #[test]
    fn cotangents_are_those_of_the_tangents() {
        for n in [1, 2, 4, 9] {
            let a: Vec<Complex64> = numbers(n * n, 1.0);
            let found = Spectrum::new("eigen", n, &a).unwrap();
            check(&Eigenvalues { found }, &[&a]);
        }
    }

    #[test]
    fn equal_eigenvalues_share_and_have_no_second_derivative() {
        let a = matrix![2.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 2.0];
        let a = a.zip_map(&Matrix3::from_diagonal(&vector![3.0, 1.0, 5.0]), Dual::new);
        let values = symmetric_eigenvalues(&a).unwrap();
        assert_eq!(values.map(|x| x.tangent()), vector![1.0, 4.0, 4.0]);
        let nested = a.map(|x| Dual::new(x, x));
        assert!(matches!(symmetric_eigenvalues(&nested), Err(AdError::Degenerate { pair: (1, 2), .. })));
    }

    #[test]
    fn equal_eigenvalues_of_two_rows_share_too() {
        let a = matrix![1.0, 0.0; 0.0, 1.0].zip_map(&matrix![1.0, 0.0; 0.0, 4.0], Dual::new);
        assert_eq!(symmetric_eigenvalues(&a).unwrap().map(|x| x.tangent()), vector![2.5, 2.5]);
        assert!(symmetric_eigenvalues(&a.map(|x| Dual::new(x, x))).is_err());
    }
}
