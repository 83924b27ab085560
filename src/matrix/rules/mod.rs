//! The derivative rules of functions of matrices: each file states value, tangent and cotangent above its code. A
//! rule takes the results of the [kernels](super::kernels), which run on primal numbers, and computes derivatives
//! from them. The public functions in the parent folder apply it at any number.

pub(crate) mod cholesky;
pub(crate) mod det;
pub(crate) mod eigen;
pub(crate) mod expm;
pub(crate) mod gemm;
pub(crate) mod inverse;
pub(crate) mod lstsq;
pub(crate) mod lu;
pub(crate) mod pinv;
pub(crate) mod polar;
pub(crate) mod product;
pub(crate) mod qr;
pub(crate) mod scaled;
pub(crate) mod singular_norm;
pub(crate) mod singular_values;
pub(crate) mod solve;
pub(crate) mod svd;
pub(crate) mod sylvester;
pub(crate) mod symmetric_eigen;
pub(crate) mod symmetric_eigenpair;
pub(crate) mod symmetric_function;
pub(crate) mod system;

use nalgebra::{DMatrix, DVectorView};

use crate::lift::{Orders, image};
use crate::linear_map::LinearMap;
use crate::number::Number;

/// A group of a primitive as a matrix.
pub(crate) fn dense<T: Number>(rows: usize, columns: usize, entries: &[T]) -> DMatrix<T> {
    DMatrix::from_column_slice(rows, columns, entries)
}

/// `sum += term`, entry by entry.
pub(crate) fn add<T: Number>(sum: &mut [T], term: &[T]) {
    sum.iter_mut().zip(term).for_each(|(s, &t)| *s += t);
}

/// `sum −= term`, entry by entry.
pub(crate) fn subtract<T: Number>(sum: &mut [T], term: &[T]) {
    sum.iter_mut().zip(term).for_each(|(s, &t)| *s -= t);
}

/// The coefficients of the next order of the results of a function of a matrix: the image of the coefficients of the
/// matrix, after subtracting terms of lower orders.
pub(crate) fn with_rest<T: Number>(
    map: &impl LinearMap<T>,
    orders: &Orders<T>,
    terms: &DMatrix<T>,
) -> Vec<T> {
    let mut tangent = orders.tangents()[0].map(<[T]>::to_vec);
    if terms.iter().any(|t| !t.is_exactly_zero()) {
        subtract(tangent.get_or_insert_with(|| vec![T::lit(0.0); terms.len()]), terms.as_slice());
    }
    image(map, &[tangent.as_deref()], orders.y(0).len())
}

/// `Σ conj(aᵢ)bᵢ`, in several partial sums for primal numbers.
pub(crate) fn inner_product<T: Number>(a: &[T], b: &[T]) -> T {
    if T::REAL && T::PLAIN {
        return DVectorView::from_slice(a, a.len()).dot(&DVectorView::from_slice(b, b.len()));
    }
    if T::REAL {
        return T::dot(a, b);
    }
    T::inner_product(a.iter().map(|a| a.conj()).zip(b.iter().copied()))
}

/// The derivative of a scalar by its gradient: `ẏ = Σ conj(gᵢ)ȧᵢ`, or the real part of it.
pub(crate) struct ScalarDerivative<T> {
    gradient: Vec<T>,
    /// Whether the scalar is real at complex matrices too.
    is_real: bool,
}

impl<T: Number> LinearMap<T> for ScalarDerivative<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let da = tangents[0].unwrap_or(&[]);
        let dy = if da.is_empty() { T::lit(0.0) } else { inner_product(&self.gradient, da) };
        out[0] = if self.is_real { T::from_re(dy.re()) } else { dy };
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let weight = if self.is_real { T::from_re(cotangent[0].re()) } else { cotangent[0] };
        for (o, &g) in out[0].iter_mut().flat_map(|o| o.iter_mut()).zip(&self.gradient) {
            *o += weight * g;
        }
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.gradient[..])
    }
}
