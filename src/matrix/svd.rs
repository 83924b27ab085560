//! Singular values and vectors: `A = UΣVᴴ`.

use nalgebra::{DefaultAllocator, Dim, DimMin, DimMinimum, OMatrix, OVector, allocator::Allocator};

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::near_one;
use crate::matrix::kernels::small::pairs::singular_pair;
use crate::matrix::kernels::svd::{PrimalSvd, columns_of};
use crate::matrix::operation::{of_reals, operation};
use crate::matrix::rules::scaled::{Scales, lift};
use crate::matrix::rules::svd::SvdRule;

/// The thin singular value decomposition `A = UΣVᴴ` of an m × n matrix, with `k = min(m, n)` values. Returned by
/// [`svd`](svd()), which has an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Svd<S: Entry, R: DimMin<C>, C: Dim>
where
    DefaultAllocator:
        Allocator<R, DimMinimum<R, C>> + Allocator<DimMinimum<R, C>> + Allocator<DimMinimum<R, C>, C>,
{
    /// U, m × k, with orthonormal columns.
    pub u: OMatrix<S, R, DimMinimum<R, C>>,
    /// The k singular values, descending.
    pub singular_values: OVector<S::Re, DimMinimum<R, C>>,
    /// `Vᴴ`, k × n, with orthonormal rows.
    pub v_t: OMatrix<S, DimMinimum<R, C>, C>,
}

/// The thin singular value decomposition `A = UΣVᴴ`, values descending.
///
/// With `M = UᴴȦV`: `σ̇ = Re diag M`, `U̇ = UΩ + (I−UUᴴ)ȦVΣ⁻¹`, `V̇ = VΨ + (I−VVᴴ)ȦᴴUΣ⁻¹` with `Ωᵢⱼ = (Mᵢⱼσⱼ +
/// σᵢM̄ⱼᵢ)/(σⱼ²−σᵢ²)`, `Ψᵢⱼ = (σᵢMᵢⱼ + M̄ⱼᵢσⱼ)/(σⱼ²−σᵢ²)`; the cotangent is the transpose of this map. Papadopoulo
/// and Lourakis, Estimating the Jacobian of the singular value decomposition, ECCV 2000; Giles, Collected matrix
/// derivative results for forward and reverse mode algorithmic differentiation, 2008; Wan and Zhang, Automatic
/// differentiation for complex valued SVD, 2019.
///
/// **Gauge.** The sign of the vectors (the phase of complex ones) is chosen such that the largest entry of each
/// column of U is real and positive. A zero value of a square matrix is differentiated with the sign that its vectors
/// have.
///
/// Higher derivatives lose digits near [close values](crate::matrix#close-values).
///
/// # Errors
/// `NotFinite` if an entry is infinite or NaN. `Degenerate` if the matrix is active and the vectors have no
/// derivative: two values, or for a rectangular or complex matrix a value and 0, are closer than `ε·max(m, n)·σ₁`.
/// [`singular_values`](super::singular_values) and the norms have derivatives there.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::svd};
/// // A rotating diagonal matrix: the values are constant, the vectors rotate.
/// let a = matrix![2.0, 0.0; 0.0, 1.0].zip_map(&matrix![0.0, 0.3; 0.0, 0.0], Dual::new);
/// let svd = svd(&a)?;
/// assert_eq!(svd.singular_values.map(|s| s.value()).as_slice(), [2.0, 1.0]);
/// assert_eq!(svd.singular_values.map(|s| s.tangent()).as_slice(), [0.0, 0.0]);
/// let du = svd.u.map(|u| u.tangent());
/// assert!((du - matrix![0.0, -0.1; 0.1, 0.0]).norm() < 1e-15);
/// let dv = svd.v_t.map(|v| v.tangent());
/// assert!((dv - matrix![0.0, 0.2; -0.2, 0.0]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn svd<S: Entry, R: DimMin<C>, C: Dim>(a: &OMatrix<S, R, C>) -> Result<Svd<S, R, C>, AdError>
where
    DefaultAllocator: Allocator<R, C>
        + Allocator<R, DimMinimum<R, C>>
        + Allocator<DimMinimum<R, C>>
        + Allocator<DimMinimum<R, C>, C>,
{
    let (rows, columns) = a.shape_generic();
    let (least, (m, n)) = (rows.min(columns), a.shape());
    let k = m.min(n);
    let recorded = operation!("svd", [a] => {
        let Svd { u, singular_values, v_t } = svd(a)?;
        [u.as_slice(), &of_reals(singular_values.as_slice()), v_t.as_slice()].concat()
    });
    let y = if let Some(y) = recorded {
        y?
    } else {
        let (near_one, power) = near_one(a.as_slice());
        if power == 0
            && S::IS_REAL
            && !S::IS_RECORDED
            && (m, n) == (2, 2)
            && let Some((u, values, v)) = singular_pair(columns_of(a.as_slice(), S::real_part))
        {
            return Ok(Svd {
                u: OMatrix::from_fn_generic(rows, least, |i, j| S::of_real(u[j][i])),
                singular_values: OVector::from_iterator_generic(least, nalgebra::U1, values),
                v_t: OMatrix::from_fn_generic(least, columns, |i, j| S::of_real(v[i][j])),
            });
        }
        let of = PrimalSvd::new("svd", a.shape(), &near_one)?;
        let powers = Scales::of_matrix(power, a.len(), &[(m * k, 0), (k, 1), (n * k, 0)]);
        let mut y = lift(SvdRule { op: "svd", of, leading: k }, powers, &[a.as_slice()])?;
        let v = y.split_off(m * k + k);
        y.extend((0..n * k).map(|at| v[at % k * n + at / k].conjugated()));
        y
    };
    let (u, rest) = y.split_at(m * k);
    let (values, v_t) = rest.split_at(k);
    Ok(Svd {
        u: OMatrix::from_column_slice_generic(rows, least, u),
        singular_values: OVector::from_fn_generic(least, nalgebra::U1, |i, _| values[i].real_part()),
        v_t: OMatrix::from_column_slice_generic(least, columns, v_t),
    })
}
