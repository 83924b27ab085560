//! The exponential and the powers of a matrix.

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use super::system::{Factored, Solve};
use super::{Entry, Lu, Op, add, dense, matmul, square, times};
use crate::error::AdError;
use crate::forward::Dual;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number};
use crate::primitive::{Lanes, Primitive};

const NAME: &str = "expm";

/// The coefficients of the Padé approximant of degree 13, divided by the first.
const PADE: [f64; 14] = {
    let mut c = [1.0; 14];
    let mut i = 1;
    while i < 14 {
        c[i] = c[i - 1] * (14 - i) as f64 / ((27 - i) * i) as f64;
        i += 1;
    }
    c
};

/// Norms up to which the approximant is exact to rounding.
const THETA: f64 = 4.25;

/// `Σ cᵢMᵢ`.
fn combination<T: Number, const N: usize>(terms: [(f64, &DMatrix<T>); N]) -> DMatrix<T> {
    let (rows, columns) = terms[0].1.shape();
    let weights = terms.map(|(c, _)| T::Base::from_double(c));
    let sum = |i, j| (1..N).fold(terms[0].1[(i, j)] * weights[0], |s, k| s + terms[k].1[(i, j)] * weights[k]);
    DMatrix::from_fn(rows, columns, sum)
}

/// The binary logarithm of the greatest sum of a column of `|A|ᵖ`, by the values, which are finite; the sums may not be.
fn log_norm<T: Number>(a: &DMatrix<T>, power: usize) -> f64 {
    let mut sizes = a.map(|x| BaseFloat::to_double(Float::min(x.magnitude(), T::Base::max_value())));
    let unit = sizes.iter().fold(0.0, |most: f64, &x| most.max(x));
    if unit == 0.0 {
        return f64::NEG_INFINITY;
    }
    sizes /= unit;
    let (mut sums, mut log) = (DMatrix::from_element(1, a.nrows(), 1.0), 0.0);
    for _ in 0..power {
        sums *= &sizes;
        let largest = sums.max();
        if largest == 0.0 {
            return f64::NEG_INFINITY;
        }
        sums /= largest;
        log += largest.log2() + unit.log2();
    }
    log
}

/// `eᴬ` of finite entries by scaling and squaring, in the arithmetic of `T`: A. H. Al-Mohy & N. J. Higham, A new scaling
/// and squaring algorithm for the matrix exponential, SIAM J. Matrix Anal. Appl. 31 (2009).
fn exponential<T: Number>(a: &DMatrix<T>) -> Result<DMatrix<T>, AdError> {
    let n = a.nrows();
    // As many halvings as keep the powers finite, then more, or back, as the norms of powers want.
    let range = BaseFloat::to_double(Float::log2(T::Base::max_value())) * 0.98;
    let first = [2, 4, 6].map(|power| (log_norm(a, power) - range) / power as f64);
    let first = first.into_iter().fold(0.0, f64::max).ceil();
    let a = combination([((-first).exp2(), a)]);
    let squared = times(Op::Plain, &a, Op::Plain, &a);
    let fourth = times(Op::Plain, &squared, Op::Plain, &squared);
    let sixth = times(Op::Plain, &fourth, Op::Plain, &squared);
    let of_powers = (log_norm(&fourth, 1) / 4.0).max(log_norm(&sixth, 1) / 6.0);
    let scale = (first + (of_powers - THETA.log2()).ceil()).max(0.0) - first;
    // The first term of the backward error, 2⁻¹¹⁶·⁴⁵|A|²⁷, must be rounding beside |A|.
    let tail = log_norm(&a, 27) - log_norm(&a, 1) - 26.0 * scale - 116.45;
    let scale = scale + ((tail + 53.0) / 26.0).ceil().max(0.0);
    let [a, second, fourth, sixth] = [(1.0, &a), (2.0, &squared), (4.0, &fourth), (6.0, &sixth)]
        .map(|(degree, m)| combination([((-degree * scale).exp2(), m)]));
    let one = DMatrix::from_diagonal_element(n, n, T::lit(1.0));
    let c = PADE;
    let half = |i: usize| {
        let outer = combination([(c[12 + i], &sixth), (c[10 + i], &fourth), (c[8 + i], &second)]);
        let outer = times(Op::Plain, &sixth, Op::Plain, &outer);
        let inner = [(c[6 + i], &sixth), (c[4 + i], &fourth), (c[2 + i], &second), (c[i], &one)];
        combination(inner) + outer
    };
    let (odd, even) = (times(Op::Plain, &a, Op::Plain, &half(1)), half(0));
    let mut y = divide(&combination([(1.0, &even), (-1.0, &odd)]), &(even + odd))?;
    for _ in 0..(first + scale) as usize {
        y = times(Op::Plain, &y, Op::Plain, &y);
    }
    Ok(y)
}

/// `Q⁻¹P`.
fn divide<T: Number>(q: &DMatrix<T>, p: &DMatrix<T>) -> Result<DMatrix<T>, AdError> {
    let n = q.nrows();
    let factors = Factored::lu(NAME, n, q.as_slice())?;
    let rule = Solve { factors, op: Op::Plain, n, columns: n };
    Ok(DMatrix::from_vec(n, n, T::lift_primitive(&rule, &[q.as_slice(), p.as_slice()])?))
}

/// `eᴬ`. Its derivative `L(A, Ȧ)` is the algorithm run on dual numbers; the transpose of `L(A, ·)` is `L(Aᴴ, ·)`.
#[derive(Clone, Copy)]
struct Exponential {
    n: usize,
}

impl<P: Machine> Primitive<P> for Exponential {
    type Map<T: Number<Primal = P, Base = P::Base>> = Frechet<T>;
    fn name(&self) -> &'static str {
        NAME
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let finite = |x: &[P]| x.iter().all(|x| x.all_finite());
        let y =
            if finite(x[0]) { exponential(&dense(self.n, self.n, x[0]))?.data.into() } else { Vec::new() };
        if y.len() == x[0].len() && finite(&y) { Ok(y) } else { Err(AdError::NoConvergence { op: NAME }) }
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        _: &[T],
    ) -> Result<Frechet<T>, AdError> {
        let [a] = x.try_into().expect("a matrix");
        Ok(Frechet { a: DMatrix::from_vec(self.n, self.n, a) })
    }
    /// All lanes at once.
    fn tangents<S: Lanes>(&self, _: &Frechet<S::Inner>, x: &[&[S]], _: &[bool], y: Vec<S::Inner>) -> Vec<S>
    where
        S::Inner: Number<Primal = P, Base = P::Base>,
    {
        let whole = exponential(&dense(self.n, self.n, x[0])).expect("the value exists");
        y.into_iter().zip(&whole).map(|(y, e)| S::assemble(y, |l| e.lane(l))).collect()
    }
}

/// The derivative of the exponential.
struct Frechet<T> {
    a: DMatrix<T>,
}

impl<T: Number> Frechet<T> {
    /// `L(op(A), E)`.
    fn along(&self, op: Op, e: &[T]) -> DMatrix<T> {
        let (n, a) = (self.a.nrows(), op.of(self.a.clone()));
        let pairs = a.zip_map(&dense(n, n, e), Dual::new);
        exponential(&pairs).expect("the value exists").map(|y| y.tangent())
    }
}

impl<T: Number> LinearMap<T> for Frechet<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.copy_from_slice(self.along(Op::Plain, tangents[0].expect("a matrix")).as_slice());
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.along(Op::Adjoint, cotangent).as_slice());
    }
    fn name(&self) -> &'static str {
        NAME
    }
    fn bytes(&self) -> usize {
        size_of_val(self.a.as_slice())
    }
}

/// The exponential of a matrix: `Ẏ = L(A, Ȧ)`, the upper right block of `exp [A, Ȧ; 0, A]`; `Ā = L(Aᴴ, Ȳ)`.
///
/// By scaling and squaring with a Padé approximant (A. H. Al-Mohy & N. J. Higham, SIAM J. Matrix Anal. Appl. 31, 2009);
/// the derivative is that of the same steps (the same authors, ibid. 30, 2009).
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
/// // A turn by the angle t, whose derivative is the turn by t + π/2.
/// let t = 0.5_f64;
/// let a = matrix![0.0, -t; t, 0.0].zip_map(&matrix![0.0, -1.0; 1.0, 0.0], Dual::new);
/// let y = expm(&a)?;
/// assert!((y.map(|y| y.value()) - matrix![t.cos(), -t.sin(); t.sin(), t.cos()]).norm() < 1e-15);
/// assert!((y.map(|y| y.tangent()) - matrix![-t.sin(), -t.cos(); t.cos(), -t.sin()]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn expm<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square(NAME, a);
    let y = S::lift(&Exponential { n }, &[a.as_slice()])?;
    let (rows, columns) = a.shape_generic();
    Ok(OMatrix::from_vec_generic(rows, columns, y))
}

/// `Aᵏ` by repeated squaring, of the inverse for a negative `k`; `A⁰` is the identity, with derivative zero.
/// `(Aᵏ)˙ = Σ AⁱȦAᵏ⁻¹⁻ⁱ`, by the rules of products and of solutions.
///
/// # Errors
/// `Singular` if `k` is negative and a pivot of `A` is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::matrix_power};
/// let a = matrix![1.0_f64, 1.0; 0.0, 1.0].zip_map(&matrix![0.0, 0.0; 1.0, 0.0], Dual::new);
/// let y = matrix_power(&a, 3)?;
/// assert_eq!(y.map(|y| y.value()), matrix![1.0, 3.0; 0.0, 1.0]);
/// assert_eq!(y.map(|y| y.tangent()), matrix![3.0, 1.0; 3.0, 3.0]);
/// assert_eq!(matrix_power(&a, -1)?[(0, 1)].value(), -1.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn matrix_power<S: Entry, D: Dim>(a: &OMatrix<S, D, D>, k: i32) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    square("matrix_power", a);
    let (rows, columns) = a.shape_generic();
    let one = OMatrix::identity_generic(rows, columns);
    let mut base = if k < 0 { Lu::named("matrix_power", a)?.solve(&one) } else { a.clone() };
    let (mut left, mut y) = (k.unsigned_abs(), None);
    while left > 0 {
        if left % 2 == 1 {
            y = Some(y.map_or_else(|| base.clone(), |y| matmul(&y, &base)));
        }
        left /= 2;
        if left > 0 {
            base = matmul(&base, &base);
        }
    }
    Ok(y.unwrap_or(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::adjoint::{check, numbers};
    use nalgebra::{Matrix2, matrix};
    use num_complex::Complex64;

    #[test]
    fn cotangents_are_those_of_the_tangents() {
        for scale in [0.01, 1.0, 20.0] {
            let a: Vec<Complex64> = numbers(16, 1.0).iter().map(|x: &Complex64| x * scale).collect();
            check(&Exponential { n: 4 }, &[&a]);
        }
    }

    #[test]
    fn exponentials_of_badly_scaled_matrices_keep_their_digits() {
        // exp [1, b; 0, −1] has the entry b·sinh 1.
        for b in [1e-300, 1e-6, 1.0, 1e6, 1e12, 1e100, 1e200, 1e300, 1e307] {
            let y = expm(&matrix![1.0, b; 0.0, -1.0]).unwrap();
            assert!((y[(0, 1)] / b - 1f64.sinh()).abs() < 2e-15, "{b}");
            assert!((y[(0, 0)] - 1f64.exp()).abs() < 1e-14 && (y[(1, 1)] - (-1f64).exp()).abs() < 1e-14);
        }
    }

    #[test]
    fn overflow_is_an_error_and_zero_is_not() {
        for large in [1000.0, 1e100, 1e308, f64::MAX, f64::INFINITY] {
            assert_eq!(expm(&Matrix2::from_element(large)), Err(AdError::NoConvergence { op: NAME }));
        }
        assert_eq!(expm(&Matrix2::from_element(f64::NAN)), Err(AdError::NoConvergence { op: NAME }));
        let e = matrix![1.0, 2.0; 3.0, 4.0];
        assert_eq!(expm(&e.map(|t| Dual::new(0.0, t))).unwrap().map(|y| y.tangent()), e);
    }

    #[test]
    fn powers_at_the_ends_of_the_exponents() {
        let half_turn = matrix![-1.0, 0.0; 0.0, -1.0];
        assert_eq!(matrix_power(&half_turn, i32::MIN), Ok(Matrix2::identity()));
        assert_eq!(matrix_power(&half_turn, i32::MAX), Ok(half_turn));
        assert_eq!(matrix_power(&(half_turn * 0.0), 0), Ok(Matrix2::identity()));
        assert_eq!(matrix_power(&(half_turn * 0.0), -1), Err(AdError::Singular { op: "matrix_power" }));
    }
}
