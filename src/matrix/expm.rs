//! The exponential of a matrix.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::rules::expm::ExpmRule;
use crate::matrix::shapes::square;

/// The exponential of a matrix: `Ẏ = L(A, Ȧ)`, the upper right block of `exp [A, Ȧ; 0, A]`; `Ā = L(Aᴴ, Ȳ)`.
///
/// Computed by scaling and squaring with a Padé approximant (A. H. Al-Mohy & N. J. Higham, SIAM J. Matrix Anal. Appl.
/// 31, 2009); the derivative differentiates the same steps (the same authors, ibid. 30, 2009).
///
/// # Errors
/// `NoConvergence` if an entry of `A` is infinite or NaN, or the exponential overflows.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::expm};
/// // A rotation by the angle t; its derivative is the rotation by t + π/2.
/// let t = 0.5_f64;
/// let a = matrix![0.0, -t; t, 0.0].zip_map(&matrix![0.0, -1.0; 1.0, 0.0], Dual::new);
/// let y = expm(&a)?;
/// let (sin, cos) = t.sin_cos();
/// assert!((y.map(|y| y.value()) - matrix![cos, -sin; sin, cos]).norm() < 1e-15);
/// assert!((y.map(|y| y.tangent()) - matrix![-sin, -cos; cos, -sin]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn expm<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("expm", a);
    let y = S::lift(&ExpmRule { n }, &[a.as_slice()])?;
    let (rows, columns) = a.shape_generic();
    Ok(OMatrix::from_vec_generic(rows, columns, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duals::Dual;
    use nalgebra::{Matrix2, matrix};

    #[test]
    fn exponentials_of_badly_scaled_matrices_keep_their_digits() {
        // exp [1, b; 0, −1] has the entry b·sinh 1.
        for b in [1e-300, 1e-6, 1.0, 1e6, 1e12, 1e100, 1e200, 1e300, 1e307] {
            let y = expm(&matrix![1.0, b; 0.0, -1.0]).unwrap();
            assert!((y[(0, 1)] / b - 1f64.sinh()).abs() < 2e-15, "{b}");
            assert!((y[(0, 0)] - 1f64.exp()).abs() < 1e-14 && (y[(1, 1)] - (-1f64).exp()).abs() < 1e-14);
            let transposed = expm(&matrix![1.0, 0.0; b, -1.0]).unwrap();
            assert!((transposed[(1, 0)] / b - 1f64.sinh()).abs() < 2e-15, "{b}, transposed");
        }
        for b in [1e10_f64, 1e60, 1e100, 1e150] {
            let y = expm(&matrix![0.0, 0.0, 0.0; b, 0.0, 0.0; b, b, 0.0]).unwrap();
            let corner = b + 0.5 * b * b;
            assert!((y[(1, 0)] / b - 1.0).abs() < 1e-15 && (y[(2, 0)] / corner - 1.0).abs() < 1e-15, "{b}");
        }
    }

    #[test]
    fn cotangents_exist_where_the_value_does() {
        type C = crate::ComplexVar<f64>;
        for b in [1e60, 1e150, 1e163, 1e300] {
            let tape = crate::Tape::new();
            let (x, zero) =
                (C::new(tape.variable(0.0), tape.variable(b)), C::from(crate::Var::constant(0.0)));
            let y = expm(&matrix![zero, x; zero, zero]).unwrap()[(0, 1)];
            let bar = tape.cotangents(y.im()).of(x.im());
            assert!(bar == 1.0 || b > 1e150, "{b}: {bar}");
        }
    }

    #[test]
    fn overflow_is_an_error_and_zero_is_not() {
        for large in [1000.0, 1e100, 1e308, f64::MAX, f64::INFINITY] {
            assert_eq!(expm(&Matrix2::from_element(large)), Err(AdError::NoConvergence { op: "expm" }));
        }
        assert_eq!(expm(&Matrix2::from_element(f64::NAN)), Err(AdError::NoConvergence { op: "expm" }));
        let e = matrix![1.0, 2.0; 3.0, 4.0];
        assert_eq!(expm(&e.map(|t| Dual::new(0.0, t))).unwrap().map(|y| y.tangent()), e);
    }
}
