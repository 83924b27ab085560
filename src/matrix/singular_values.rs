//! Singular values without their vectors. They, their sum and the largest one have derivatives where the vectors have
//! none.

use core::any::TypeId;

use nalgebra::{DefaultAllocator, Dim, DimMin, DimMinimum, OMatrix, OVector, U1, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::svd::{PrimalSvd, primal_values};
use crate::matrix::operation::{of_reals, operation};
use crate::matrix::rules::singular_values::ValuesRule;
use crate::number::Number;

/// Whether the entries have no tangents by type: vectors are not needed then.
pub(super) fn is_machine<S: Entry>() -> bool {
    TypeId::of::<S>() == TypeId::of::<S::Primal>()
}

/// The singular values, descending: `σ̇ = Re diag(UᴴȦV)`, `Ā = U·diag(σ̄)·Vᴴ`, for equal values too.
///
/// Equal values are differentiated in the basis of vectors that the algorithm finds, which is right for symmetric
/// functions of them; a zero value is differentiated with the sign that its vectors have.
///
/// Higher derivatives lose digits near [close values](crate::matrix#close-values). A sum `Σ f(σᵢ)` has all of them as
/// `trace(symmetric_function(p, f))`, where `p` is the symmetric factor of [`polar`](super::polar()).
///
/// # Errors
/// `NotFinite` if an entry is infinite or NaN. At nested numbers `Degenerate` where [`svd`](super::svd()) has no
/// derivative.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::singular_values};
/// let da = matrix![1.0, 2.0; 3.0, 0.5; 5.0, 6.0];
/// let a = matrix![3.0_f64, 0.0; 0.0, 4.0; 0.0, 0.0].zip_map(&da, Dual::new);
/// let s = singular_values(&a)?;
/// assert!((s.map(|s| s.value()) - nalgebra::vector![4.0, 3.0]).norm() < 1e-14);
/// assert!((s.map(|s| s.tangent()) - nalgebra::vector![0.5, 1.0]).norm() < 1e-14);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn singular_values<S: Entry, R: DimMin<C>, C: Dim>(
    a: &OMatrix<S, R, C>,
) -> Result<OVector<S::Re, DimMinimum<R, C>>, AdError>
where
    DefaultAllocator: Allocator<R, C> + Allocator<DimMinimum<R, C>>,
{
    let (rows, columns) = a.shape_generic();
    let values: Vec<S> = if let Some(values) =
        operation!("singular_values", [a] => of_reals(singular_values(a)?.as_slice()))
    {
        values?
    } else if is_machine::<S>() {
        let values = primal_values("singular_values", a.shape(), a.as_slice())?;
        values.into_iter().map(|s| S::from_primal(S::Primal::base(s))).collect()
    } else {
        let of = PrimalSvd::new("singular_values", a.shape(), a.as_slice())?;
        S::lift(&ValuesRule::Singular(of), &[a.as_slice()])?
    };
    Ok(OVector::from_iterator_generic(rows.min(columns), U1, values.into_iter().map(S::real_part)))
}
