//! Determinant, its logarithm and sign, and the inverse.

use std::rc::Rc;

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use super::balance::{Balanced, exponent, scaled};
use super::lu::Form as Factors;
use super::small::{self, SMALL, SmallLu};
use super::system::{Factored, Solve};
use super::{Entry, Lu, Op, add, dense, inner_product, square, times};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::Primitive;

/// What is made of a determinant.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    Plain,
    /// Times the power of two that brings every pivot to a size of about 1.
    Scaled,
    /// The logarithm; of the modulus, for real numbers.
    Logarithm,
}

/// `c = det A`, or a multiple of it, or `ln det A`: `ẏ = c·tr(A⁻¹Ȧ)`, `Ā = c̄ȳ·A⁻ᴴ`; of the logarithm with `c = 1`.
#[derive(Clone)]
struct Determinant<P: Machine> {
    factors: Rc<Factored<P>>,
    n: usize,
    form: Form,
}

/// A pivot times the power of two that brings it to a size of about 1.
fn of_size_one<S: Entry>(pivot: S) -> S {
    scaled(pivot, -exponent_of(pivot))
}

/// The logarithm; of a real number that of its modulus.
fn ln_of<S: Entry>(pivot: S) -> S {
    if S::IS_REAL { S::from_real(Number::ln(Real::abs(pivot.real_part()))) } else { pivot.logarithm() }
}

/// The product, or its negative where rows were exchanged an odd number of times.
fn signed<S: Entry, F: PartialOrd + Default>(sign: F, product: S) -> S {
    if sign < F::default() { -product } else { product }
}

fn exponent_of<S: Entry>(pivot: S) -> i32 {
    exponent(pivot.size().to_double()).unwrap_or(0)
}

impl<P: Machine> Primitive<P> for Determinant<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Trace<T>;
    fn name(&self) -> &'static str {
        if self.form == Form::Logarithm { "ln_det" } else { "det" }
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        let pivots = self.factors.pivots();
        let sign = self.factors.sign();
        let product = |pivot: fn(P) -> P| {
            signed(Number::re(sign).primal(), P::multiplied(pivots.iter().map(|&p| pivot(p))))
        };
        match self.form {
            Form::Plain => return Ok(vec![product(|p| p)]),
            Form::Scaled => return Ok(vec![product(of_size_one)]),
            Form::Logarithm => {}
        }
        let mut sum = P::total(pivots.iter().map(|&p| ln_of(p)));
        if !P::REAL {
            sum += Number::ln(sign);
        }
        Ok(vec![sum])
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Trace<T>, AdError> {
        let [a] = x.try_into().expect("a matrix");
        let (n, factors) = (self.n, &self.factors);
        let g = if factors.is_hermitian() {
            let rule = Solve { factors: factors.clone(), op: Op::Adjoint, n, columns: n };
            T::lift_primitive(&rule, &[&a, DMatrix::identity(n, n).as_slice()])?
        } else {
            let y = T::lift_primitive(&Inverse { n, value: factors.inverse(n).data.into() }, &[&a])?;
            Op::Adjoint.of(DMatrix::from_vec(n, n, y)).data.into()
        };
        let g = factors.of_entries(DMatrix::from_vec(n, n, g));
        Ok(Trace { factor: if self.form == Form::Logarithm { T::lit(1.0) } else { y[0] }, g })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

/// `ẏ = factor·Σ conj(gᵢⱼ)ȧᵢⱼ`.
struct Trace<T> {
    factor: T,
    g: DMatrix<T>,
}

impl<T: Number> LinearMap<T> for Trace<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let da = tangents[0].unwrap_or(&[]);
        out[0] = if da.is_empty() { T::lit(0.0) } else { self.factor * inner_product(self.g.as_slice(), da) };
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let weight = self.factor.conj() * cotangent[0];
        for (o, &g) in out[0].iter_mut().flat_map(|o| o.iter_mut()).zip(self.g.iter()) {
            *o += weight * g;
        }
    }
    fn name(&self) -> &'static str {
        "det"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.g.as_slice())
    }
}

/// The determinant: `ḋ = d·tr(A⁻¹Ȧ)`; where the matrix is singular, of any rank, the cofactors, to every order. Rows and
/// columns may be of very different sizes: beyond three of them powers of two go before them.
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::{matrix, Matrix2};
/// use wengert::{Dual, matrix::det};
/// let d = det(&matrix![4.0_f64, 1.0; 2.0, 3.0].zip_map(&matrix![0.1, -0.2; 0.3, 0.4], Dual::new));
/// assert!((d.value() - 10.0).abs() < 1e-14 && (d.tangent() - 2.0).abs() < 1e-14);
/// let singular = matrix![1.0_f64, 2.0; 2.0, 4.0].zip_map(&Matrix2::identity(), Dual::new);
/// assert_eq!(det(&singular).tangent(), 5.0);
/// ```
#[track_caller]
pub fn det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("det", a);
    // Up to three rows the formula knows no pivots: only what it loses beyond the range of numbers calls for scales.
    if n <= 3 {
        let det = small::det(a.clone());
        let size = det.size();
        if Float::is_finite(size) && size != S::Base::from_double(0.0) {
            return det;
        }
    }
    match Balanced::new(a) {
        Some(balanced) => balanced.unscaled(balanced_det(&balanced.matrix)),
        None => balanced_det(a),
    }
}

/// The determinant of a matrix whose rows and columns are of one size.
#[track_caller]
fn balanced_det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    if n > SMALL
        && small::has_one_tangent::<S>()
        && let Some(det) = small::det_by_pivots(a)
    {
        return det;
    }
    if n > SMALL
        && let Ok(factors) = Factored::lu("det", n, a.as_slice())
    {
        return determinant(factors, n, a.as_slice(), Form::Plain);
    }
    small::det(a.clone())
}

#[track_caller]
pub(super) fn determinant<S: Entry>(factors: Rc<Factored<S::Primal>>, n: usize, a: &[S], form: Form) -> S {
    S::lift(&Determinant { factors, n, form }, &[a]).expect("the factors exist")[0]
}

impl<S: Entry, D: Dim> Lu<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// `ln det A` up to multiples of 2πi, `ln |det A|` for real numbers.
    #[track_caller]
    fn ln_det(&self) -> S {
        match &self.form {
            Factors::Small(lu) => S::sum_of(lu.pivots().map(ln_of)),
            Factors::Whole(a, factors) => {
                determinant(factors.clone(), a.nrows(), a.as_slice(), Form::Logarithm)
            }
        }
    }
    /// The sign of the determinant of a real matrix, by the signs of the pivots: their product may underflow.
    fn sign(&self) -> f64 {
        let zero = S::Base::from_double(0.0);
        let (exchanges, pivots) = match &self.form {
            Factors::Small(lu) => (lu.sign(), lu.pivots().map(|p| p.primal_value()).collect()),
            Factors::Whole(_, factors) => (Number::re(factors.sign()).primal().to_double(), factors.pivots()),
        };
        pivots.into_iter().fold(exchanges, |s, p| if Number::re(p).primal() < zero { -s } else { s })
    }
    /// The determinant, from the factors.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let lu = wengert::matrix::Lu::new(&matrix![4.0_f64, 1.0; 2.0, 3.0])?;
    /// assert!((lu.det() - 10.0).abs() < 1e-14);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[track_caller]
    pub fn det(&self) -> S {
        let det = match &self.form {
            Factors::Small(lu) => signed(lu.sign(), S::product_of(lu.pivots())),
            Factors::Whole(a, factors) => determinant(factors.clone(), a.nrows(), a.as_slice(), Form::Plain),
        };
        let size = det.size();
        let in_range = Float::is_finite(size) && size != S::Base::from_double(0.0);
        if in_range { det } else { self.scaled_det() }
    }
    /// The determinant where products of some pivots leave the range of numbers.
    #[cold]
    fn scaled_det(&self) -> S {
        match &self.form {
            Factors::Small(lu) => {
                let det = signed(lu.sign(), S::product_of(lu.pivots().map(of_size_one)));
                scaled(det, lu.pivots().map(exponent_of).sum())
            }
            Factors::Whole(a, factors) => {
                let det = determinant(factors.clone(), a.nrows(), a.as_slice(), Form::Scaled);
                scaled(det, factors.pivots().into_iter().map(exponent_of).sum())
            }
        }
    }
    /// `ln |det A|`, from the factors.
    ///
    /// ```
    /// use nalgebra::matrix;
    /// let lu = wengert::matrix::Lu::new(&matrix![4.0_f64, 1.0; 2.0, 3.0])?;
    /// assert!((lu.ln_abs_det() - 10f64.ln()).abs() < 1e-15);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn ln_abs_det(&self) -> S::Re {
        self.ln_det().real_part()
    }
}

/// `ln |det A|`: derivative `Re tr(A⁻¹Ȧ)`, cotangent `A⁻ᴴ`. Neither overflows with the determinant.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::ln_abs_det};
/// let y = ln_abs_det(&matrix![4.0_f64, 1.0; 2.0, 3.0].zip_map(&matrix![0.1, -0.2; 0.3, 0.4], Dual::new))?;
/// assert!((y.value() - 10f64.ln()).abs() < 1e-15 && (y.tangent() - 0.2).abs() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn ln_abs_det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<S::Re, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    Ok(Lu::named("ln_abs_det", a)?.ln_abs_det())
}

/// `(sign, ln |det A|)` with `det A = sign·|det A|`: the sign of a real matrix is the constant ±1, that of a complex
/// one a number of modulus 1 with the derivative `i·sign·Im tr(A⁻¹Ȧ)`.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// let (sign, ln) = wengert::matrix::sign_ln_det(&matrix![0.0, 2.0; 3.0, 0.0])?;
/// assert_eq!((sign, ln), (-1.0, 6f64.ln()));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn sign_ln_det<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<(S, S::Re), AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let lu = Lu::named("sign_ln_det", a)?;
    let ln = lu.ln_det();
    if S::IS_REAL {
        return Ok((S::constant(lu.sign()), ln.real_part()));
    }
    let angle = match &lu.form {
        Factors::Small(small) if small.sign() < 0.0 => {
            ln.imaginary_part() + S::Re::lit(core::f64::consts::PI)
        }
        _ => ln.imaginary_part(),
    };
    let (sine, cosine) = Number::sin_cos(angle);
    Ok((S::from_parts(cosine, sine), ln.real_part()))
}

/// `Y = A⁻¹`: `Ẏ = −YȦY`, `Ā = −YᴴȲYᴴ`.
#[derive(Clone)]
struct Inverse<P> {
    n: usize,
    value: Vec<P>,
}

impl<P: Machine> Primitive<P> for Inverse<P> {
    type Map<T: Number<Primal = P, Base = P::Base>> = Inverted<T>;
    fn name(&self) -> &'static str {
        "inverse"
    }
    fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(self.value.clone())
    }
    fn linearize<T: Number<Primal = P, Base = P::Base>>(
        &self,
        _: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Inverted<T>, AdError> {
        Ok(Inverted { y: dense(self.n, self.n, y) })
    }
    fn leaves_out(&self, _: usize) -> bool {
        true
    }
}

struct Inverted<T> {
    y: DMatrix<T>,
}

impl<T: Number> Inverted<T> {
    /// `−op(Y)·M·op(Y)`.
    fn both_sides(&self, op: Op, m: &[T]) -> DMatrix<T> {
        let n = self.y.nrows();
        -times(Op::Plain, &times(op, &self.y, Op::Plain, &dense(n, n, m)), op, &self.y)
    }
}

impl<T: Number> LinearMap<T> for Inverted<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let dy = self.both_sides(Op::Plain, tangents[0].expect("a matrix"));
        out.copy_from_slice(dy.as_slice());
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        add(out[0].as_mut().expect("a matrix"), self.both_sides(Op::Adjoint, cotangent).as_slice());
    }
    fn name(&self) -> &'static str {
        "inverse"
    }
    fn bytes(&self) -> usize {
        size_of_val(self.y.as_slice())
    }
}

/// The inverse `Y = A⁻¹`: `Ẏ = −YȦY`, `Ā = −YᴴȲYᴴ`. To solve a system, [`solve`](super::solve) is cheaper and more
/// accurate.
///
/// # Errors
/// `Singular` if a pivot is [zero to rounding](crate::matrix#singular-matrices).
///
/// # Panics
/// If the matrix is not square.
///
/// ```
/// use nalgebra::matrix;
/// use wengert::{Dual, matrix::inverse};
/// let y = inverse(&matrix![4.0, 1.0; 2.0, 3.0].zip_map(&matrix![0.1, -0.2; 0.3, 0.4], Dual::new))?;
/// assert!((y.map(|y| y.tangent()) - matrix![-0.02, 0.04; 0.01, -0.07]).norm() < 1e-15);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn inverse<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Result<OMatrix<S, D, D>, AdError>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = square("inverse", a);
    let (rows, columns) = a.shape_generic();
    if let Some(y) = small::inverse(a) {
        return Ok(y);
    }
    if let Some(lu) = SmallLu::new("inverse", a)? {
        let mut y = OMatrix::identity_generic(rows, columns);
        lu.solve(Op::Plain, &mut y);
        return Ok(y);
    }
    let factors = Factored::lu("inverse", n, a.as_slice())?;
    let y = S::lift(&Inverse { n, value: factors.inverse(n).data.into() }, &[a.as_slice()])?;
    Ok(OMatrix::from_vec_generic(rows, columns, y))
}
