//! Eigenvalues and eigenvectors of general matrices, real or complex.

use nalgebra::{DefaultAllocator, Dim, OMatrix, OVector, U1, allocator::Allocator};
use num_complex::Complex64;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{balancing, between, exponent, near_one};
use crate::matrix::kernels::eigen::EigenPairs;
use crate::matrix::kernels::spectrum::leading;
use crate::matrix::operation::{of_reals, operation};
use crate::matrix::rules::eigen::EigenRule;
use crate::matrix::rules::scaled::{Scales, lift, times_powers};
use crate::matrix::shapes::square;
use crate::number::{BaseFloat, Real};

/// The results of a rule from index `first` on as complex numbers: real parts, then imaginary parts.
fn complex_at<Z: Entry>(y: &[Z::Re], first: usize, n: usize) -> impl Fn(usize) -> Z + '_ {
    move |i| Z::of_parts(y[first + i], y[first + n + i])
}

/// Applies the rule to the real and imaginary parts of a matrix.
#[track_caller]
fn lifted<S: Entry, D: Dim>(
    op: &'static str,
    vectors: bool,
    a: &OMatrix<S, D, D>,
) -> Result<Vec<S::Re>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square(op, a);
    let recorded =
        operation!(op, [a] {op: &'static str, vectors: bool} => of_reals(&lifted(op, vectors, a)?));
    if let Some(y) = recorded {
        return Ok(y?.into_iter().map(S::real_part).collect());
    }
    let a = a.as_slice();
    // Eigenvalues need no scale.
    let (mut near_one, power) = if vectors { near_one(a) } else { (a.into(), 0) };
    let balance = balancing(&near_one, n);
    if let Some(d) = &balance {
        near_one = times_powers(&near_one, &between(d, d), 0).into();
    }
    let found = EigenPairs::new(op, n, &near_one, vectors || !S::IS_PLAIN)?;
    let mut scales = Scales::of_matrix(power, n * n, &[(2 * n, 1), (2 * n * n, 0)]);
    if let Some(d) = &balance {
        let mut of_y = vec![0; 2 * n];
        for v in found.vectors.column_iter() {
            let row = |(d, x): (&i32, &Complex64)| Some(d + exponent(x.norm())?);
            let largest = d.iter().zip(v.iter()).filter_map(row).max().unwrap_or(0);
            of_y.extend(d.iter().chain(d).map(|d| d - largest));
        }
        scales = Some(Scales::after(scales, [between(d, d), between(d, d)], of_y));
    }
    let parts = |part: fn(S) -> S::Re| a.iter().map(|&x| part(x)).collect::<Vec<_>>();
    let re = parts(S::real_part);
    let im = if S::IS_REAL { Vec::new() } else { parts(S::imaginary_part) };
    let groups = [&re[..], &im[..]];
    let groups = if S::IS_REAL { &groups[..1] } else { &groups[..] };
    let mut y = lift(EigenRule { found, vectors }, scales, groups)?;
    if balance.is_some() && vectors {
        y[2 * n..].chunks_exact_mut(2 * n.max(1)).for_each(to_gauge);
    }
    Ok(y)
}

/// Brings a vector, whose real and imaginary parts these are, to norm 1 and its leading entry to the positive real axis.
fn to_gauge<T: Real>(v: &mut [T]) {
    let n = v.len() / 2;
    let size = T::inner_product(v.iter().map(|&x| (x, x))).sqrt();
    v.iter_mut().for_each(|x| *x /= size);
    let (re, im) = v.split_at_mut(n);
    let primal: Vec<Complex64> = re
        .iter()
        .zip(&*im)
        .map(|(&re, &im)| Complex64::new(re.primal().to_double(), im.primal().to_double()))
        .collect();
    let k = leading(&primal);
    let modulus = re[k].hypot(im[k]);
    let (cos, sin) = (re[k] / modulus, -im[k] / modulus);
    for (re, im) in re.iter_mut().zip(&mut *im) {
        (*re, *im) = (*re * cos - *im * sin, *re * sin + *im * cos);
    }
    (re[k], im[k]) = (modulus, T::lit(0.0));
}

/// The eigenvalues and eigenvectors of a matrix, `A = VΛV⁻¹`. Returned by [`eigen`](eigen()), which has an example.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    /// The eigenvalues, sorted by real, then imaginary part.
    pub eigenvalues: OVector<S::Complex, D>,
    /// The eigenvectors as columns, in the order of their values.
    pub eigenvectors: OMatrix<S::Complex, D, D>,
}

/// Eigenvalues, sorted by real, then imaginary part, and eigenvectors of a matrix, real or complex.
///
/// With `P = V⁻¹ȦV` and `Fᵢⱼ = 1/(λⱼ − λᵢ)`, zero on the diagonal: `λ̇ᵢ = Pᵢᵢ`, `V̇ = V(F∘P)` up to the gauge,
/// `Ā = V⁻ᴴ(diag λ̄ + conj F∘VᴴV̄)Vᴴ`, its real part for a real matrix (M. B. Giles, Collected matrix derivative
/// results, 2008; C. Boeddeker et al., arXiv:1701.00392). The results are pairs of real numbers, so this works on a
/// tape too. For symmetric and hermitian matrices use [`symmetric_eigen`](super::symmetric_eigen).
///
/// **Gauge.** The vectors have norm 1, and their largest entry (the first of several that are equal to rounding) is
/// real and positive; the derivative preserves both. The vectors of real eigenvalues of a real matrix are real, and
/// the vectors of conjugate eigenvalues are conjugate.
///
/// The results are entries again, in generic code too. There `S::Complex` is some [`Entry`]: its parts are
/// `z.real_part()` and `z.imaginary_part()`, because `z.re` and `z.im()` exist only at concrete types.
///
/// ```
/// use nalgebra::{DMatrix, dmatrix};
/// use wengert::{AdError, matrix::{Entry, eigen, norm, solve}};
/// // V⁻¹AV is diagonal.
/// fn off_diagonal<S: Entry>(a: &DMatrix<S>) -> Result<S::Re, AdError> {
///     let complex = a.map(|x| S::Complex::of_parts(x.real_part(), x.imaginary_part()));
///     let v = eigen(a)?.eigenvectors;
///     let mut d = solve(&v, &(complex * &v))?;
///     d.fill_diagonal(S::Complex::constant(0.0));
///     Ok(norm(&d))
/// }
/// assert!(off_diagonal(&dmatrix![1.0_f64, 2.0; 3.0, 4.0])? < 1e-14);
/// # Ok::<(), AdError>(())
/// ```
///
/// Higher derivatives lose digits near [close values](crate::matrix#close-values).
///
/// # Errors
/// - `Degenerate` if the matrix is active and two eigenvalues are equal to rounding: closer than `10n·ε·|A|` times
///   the larger of their condition numbers, for example near a matrix without a basis of eigenvectors. [`eigenvalues`]
///   has derivatives of the simple values.
/// - `NotFinite` if an entry is infinite or NaN; `NoConvergence` if the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::eigen};
/// // A quarter turn has the eigenvalues ±i; scaling both axes adds to their real parts.
/// let a = matrix![0.0_f64, -1.0; 1.0, 0.0].zip_map(&matrix![1.0, 0.0; 0.0, 1.0], Dual::new);
/// let [lower, upper] = eigen(&a)?.eigenvalues.into();
/// assert!((upper.re.value()).abs() < 1e-15 && (upper.im.value() - 1.0).abs() < 1e-15);
/// assert!((upper.re.tangent() - 1.0).abs() < 1e-15 && upper.im.tangent().abs() < 1e-15);
/// assert_eq!(lower, upper.conj());
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn eigen<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<Eigen<S, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let y = lifted("eigen", true, a)?;
    let ((rows, columns), n) = (a.shape_generic(), a.nrows());
    let value = complex_at(&y, 0, n);
    Ok(Eigen {
        eigenvalues: OVector::from_fn_generic(rows, U1, |i, _| value(i)),
        eigenvectors: OMatrix::from_fn_generic(rows, columns, |i, j| complex_at(&y, 2 * n * (j + 1), n)(i)),
    })
}

/// The eigenvalues of a matrix, real or complex, sorted by real, then imaginary part: `λ̇ᵢ = (V⁻¹ȦV)ᵢᵢ`, `Ā = V⁻ᴴ
/// diag(λ̄) Vᴴ`. The derivatives are right at triangular matrices; nalgebra's algorithm on dual numbers is wrong
/// there.
///
/// # Equal values
/// A simple eigenvalue has its derivatives, higher ones too, also if others are equal: the dominant one of a matrix of rank 1,
/// for example. Several values that are equal to rounding and have as many eigenvectors have the mean of their tangents, as in
/// [`symmetric_eigenvalues`](super::symmetric_eigenvalues). So symmetric functions of them, such as sums, have the right
/// first derivatives. Their higher derivatives are NaN, and so are all derivatives of the values of a defective matrix
/// that lack eigenvectors. In reverse mode an eigenvalue whose cotangent is exactly zero counts as unused. So where equal
/// eigenvalues are exactly 0, `hvp` and programs of `Σλᵢ²` may return wrong numbers instead of NaN: take `tr A²`.
///
/// Higher derivatives lose digits near [close values](crate::matrix#close-values).
///
/// # Balancing
/// Companion matrices of filters, for example, have rows and columns of very different sizes, and small eigenvalues would drown
/// in rounding errors of large entries. Where the largest entry off the diagonal becomes 16 times smaller by that, `A` is
/// replaced by `D⁻¹AD`. `D` is a diagonal matrix of powers of two that brings rows and columns to similar size, so no
/// entry is rounded unless it underflows (E. E. Osborne, J. ACM 7, 1960). Rounding errors are then relative to the
/// entries of `D⁻¹AD`; small rows may lose digits where one diagonal entry is very large. [`eigen`],
/// [`lyapunov`](super::lyapunov), [`sylvester`](super::sylvester) and [`expm`](super::expm()) do so too.
///
/// # Errors
/// - `Degenerate` if the matrix is active and no eigenvalue has the derivatives: of the first order if all of them lack
///   eigenvectors, of higher orders if none is simple. Values are equal to rounding if they are closer than `10n·ε·|A|`
///   times the larger of the norms of their spectral projections.
/// - `NotFinite` if an entry is infinite or NaN; `NoConvergence` if the iteration does not end.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::eigenvalues};
/// let a = matrix![1.0_f64, 1.0; 0.0, 2.0].zip_map(&matrix![0.0, 0.0; 1.0, 0.0], Dual::new);
/// let values = eigenvalues(&a)?;
/// let [a, b] = [values[0].re, values[1].re];
/// assert!((a.value() - 1.0).abs() < 1e-15 && (b.value() - 2.0).abs() < 1e-15);
/// assert!((a.tangent() + 1.0).abs() < 1e-15 && (b.tangent() - 1.0).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
///
/// In generic code the parts of a value are `real_part()` and `imaginary_part()` of [`AsNumber`](crate::AsNumber):
///
/// ```
/// use nalgebra::Matrix2;
/// use wengert::{AsNumber, Scalar, derivative, matrix::eigenvalues};
/// fn frequency<T: Scalar>(stiffness: T) -> T {
///     let a = Matrix2::new(T::lit(0.0), T::lit(1.0), -stiffness, T::lit(0.0));
///     eigenvalues(&a).unwrap()[1].imaginary_part()
/// }
/// assert!((frequency(4.0) - 2.0).abs() < 1e-15); // √stiffness
/// assert!((derivative(|k| frequency(k), 4.0_f64) - 0.25).abs() < 1e-15);
/// ```
#[track_caller]
pub fn eigenvalues<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OVector<S::Complex, D>, AdError>
where
    DefaultAllocator: Allocator<D> + Allocator<D, D>,
{
    let y = lifted("eigenvalues", false, a)?;
    let value = complex_at(&y, 0, a.nrows());
    Ok(OVector::from_fn_generic(a.shape_generic().0, U1, |i, _| value(i)))
}
