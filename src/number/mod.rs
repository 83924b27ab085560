//! The traits of scalars: [`Number`], real or complex, and [`Real`], which is ordered. Generic code is over `Real`.
//!
//! A number type has storage, operators and four `lift` methods; elementary functions lift a row of the [rule
//! table](crate::rules).

use core::fmt::{Debug, Display};
pub use num_traits::{Float, NumAssign, NumCast};

mod arithmetic;
pub(crate) mod array;
mod cast;
#[macro_use]
mod layout;
#[macro_use]
mod passive;
#[macro_use]
mod recordable;
#[macro_use]
mod slopes;
#[macro_use]
mod sums;
mod primal;
#[macro_use]
mod real;
mod scalar;
pub(crate) mod wide;

pub use arithmetic::Arithmetic;
pub use cast::CastFrom;
pub use layout::AsNumber;
pub use passive::{Declared, Passive, WithoutDerivative};
pub(crate) use primal::power_of_two;
pub use primal::{BaseFloat, PrimalNumber};
pub use real::{Addends, Property, Real};
#[cfg(feature = "std")]
pub use recordable::Tapes;
pub use scalar::{Scalar, lifted, scaled};

#[cfg(feature = "std")]
use crate::error::AdError;
#[cfg(feature = "std")]
use crate::lift::{Operation, Primitive};
use crate::rules::{self, Holomorphic, HolomorphicBinary, boundary};

/// The order of a traced number: it is not known how often its program is differentiated.
pub(crate) const TRACED_ORDER: usize = usize::MAX / 2;

/// A scalar with elementary functions: `f32`, `f64`, `Complex` of them, and the numbers of this crate over any of
/// these, to any depth.
///
/// Each of the methods `sin`, `exp`, `powi`, … is a row of the [rule table](crate::rules). Use [`Real`] for code that
/// compares values, `Number` for code that must also run on complex numbers.
/// Other crates can implement it, with [`carries_derivatives!`](crate::carries_derivatives) or
/// [`no_derivatives!`](crate::no_derivatives): a type need only implement the required methods.
///
/// ```
/// use wengert::{Dual, Number};
/// use num_complex::Complex;
/// fn square_plus_sine<T: Number>(z: T) -> T { z * z + z.sin() }
/// let z = Complex::new(0.3, 0.4);
/// let w = square_plus_sine(Dual::variable(z));
/// assert_eq!(w.value(), square_plus_sine(z));
/// assert!((w.tangent() - (z * 2.0 + z.cos())).norm() < 1e-15);
/// ```
pub trait Number:
    Copy + Debug + Display + Default + PartialEq + Send + Sync + 'static + Arithmetic<Self::Base> + Declared
{
    /// The base float at the bottom: `f64` for `Dual<Complex<f64>>`.
    type Base: BaseFloat + Float;
    /// The innermost value: `Base`, or `Complex<Base>` for complex numbers.
    type Primal: PrimalNumber<Base = Self::Base>;
    /// The type of real and imaginary parts: `Self` for real numbers, `Dual<f64>` for `Dual<Complex<f64>>`.
    type Re: Real<Base = Self::Base, Re = Self::Re>;
    /// This kind of number, real or complex, over other real parts: `S` for a real type, `S::Complex` for a complex
    /// one.
    type Over<S: Real>: Number<Base = S::Base, Re = S>;
    /// The type of the value and the tangents. A primal number is its own part.
    type Part: Number<Base = Self::Base, Primal = Self::Primal>;
    /// Whether imaginary parts are zero by type.
    const REAL: bool;
    /// The highest order of the derivatives that the number carries: 0 for primal numbers, more than any for traced ones.
    const ORDER: usize = Self::Part::ORDER.saturating_add(1);
    /// Whether arithmetic is recorded on a tape, at any level: algorithms are then one block where possible.
    const RECORDS: bool = Self::Part::RECORDS;
    /// Whether the innermost numbers are traced: comparisons of them are guards of a program.
    #[doc(hidden)]
    const TRACES: bool = Self::Part::TRACES;
    /// Whether the type has no tangents at all.
    const PLAIN: bool = false;
    /// Whether the type is `f64`, for which this crate has compiled code.
    #[doc(hidden)]
    const IS_F64: bool = false;

    /// A constant from its value part, one nesting level down: all tangents of this level are zero.
    fn of_part(value: Self::Part) -> Self;
    /// A constant from an innermost value: all tangents are zero.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant_of(value: Self::Primal) -> Self {
        Self::of_part(Self::Part::constant_of(value))
    }
    /// Applies a function to the value and to each tangent.
    fn map_parts(self, f: impl Fn(Self::Part) -> Self::Part + Copy) -> Self;
    /// Combines two numbers part by part: value with value, tangent with tangent.
    fn zip_parts(
        self,
        other: Self,
        value: impl FnOnce(Self::Part, Self::Part) -> Self::Part,
        tangent: impl Fn(Self::Part, Self::Part) -> Self::Part + Copy,
    ) -> Self;
    /// Folds the value, then the tangents in order.
    fn fold_parts<A>(self, value: impl FnOnce(Self::Part) -> A, tangent: impl Fn(A, Self::Part) -> A) -> A;

    /// The value part, one nesting level down.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value_part(self) -> Self::Part {
        self.fold_parts(|value| value, |value, _| value)
    }
    /// A constant from the base float.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn base(x: Self::Base) -> Self {
        Self::constant_of(Self::Primal::base(x))
    }
    /// A constant from a literal, rounded to the base float.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lit(x: f64) -> Self {
        Self::base(Self::Base::from_double(x))
    }
    /// The innermost value, without any tangent.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn innermost(self) -> Self::Primal {
        self.value_part().innermost()
    }
    /// This number with another innermost value and unchanged tangents.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_innermost(self, value: Self::Primal) -> Self {
        self.zip_parts(self, |part, _| part.with_innermost(value), |tangent, _| tangent)
    }
    /// This value with zero tangents ("stop gradient").
    ///
    /// ```
    /// use wengert::{Dual, Number};
    /// let x = Dual::variable(3.0);
    /// assert_eq!((x * x.detach()).tangent(), 3.0);
    /// ```
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn detach(self) -> Self {
        Self::of_part(self.value_part().detach())
    }
    /// Converts value and tangents to another base float, see [`CastFrom`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cast<To: CastFrom<Self>>(self) -> To {
        To::cast_from(self)
    }
    /// The real part.
    fn re(self) -> Self::Re;
    /// The imaginary part; zero for real numbers.
    fn im(self) -> Self::Re;
    /// The complex conjugate; `self` for real numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn conj(self) -> Self {
        self.map_parts(Self::Part::conj)
    }
    /// A number with zero imaginary part.
    fn from_re(x: Self::Re) -> Self;
    /// `re + i·im`; for a real type `re`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn from_parts(re: Self::Re, im: Self::Re) -> Self {
        let re = Self::from_re(re);
        let part = |re: Self::Part, im: Self::Part| Self::Part::from_parts(re.re(), im.re());
        if Self::REAL { re } else { re.zip_parts(Self::from_re(im), part, part) }
    }
    /// `|x|` of the innermost value, `|re| + |im|` for a complex one. Rules branch on it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn magnitude(self) -> Self::Base {
        self.innermost().magnitude()
    }

    /// Applies a holomorphic rule to the value, and the chain rule to the tangents. [`Holomorphic`] has an example.
    #[track_caller]
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self;
    /// Applies a holomorphic rule of two variables. [`HolomorphicBinary`] has an example.
    #[track_caller]
    fn lift_holomorphic2<H: HolomorphicBinary>(self, y: Self, rule: H) -> Self;

    slopes! {
        Holomorphic slope_of, HolomorphicBinary slopes_of,
        |rule, x, f| Self::from_re(Real::slope(rule, x.re(), f.re())),
        |y| Real::slopes(rule, x.re(), y.re(), f.re()).map(Self::from_re)
    }
    /// The sum of all components, including tangents. It is NaN if a component is; it is not used otherwise.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn component_sum(self) -> Self::Base {
        self.fold_parts(Self::Part::component_sum, |sum, t| sum + t.component_sum())
    }
    /// Calls `each` with every component, values before tangents.
    #[doc(hidden)]
    fn visit(self, each: &mut dyn FnMut(f64)) {
        fn show<N: Number>(each: &mut dyn FnMut(f64), part: N) -> &mut dyn FnMut(f64) {
            part.visit(each);
            each
        }
        self.fold_parts(|value| show(each, value), show);
    }
    /// Applies a function to every component, including tangents.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map_components(self, f: impl Fn(Self::Base) -> Self::Base + Copy) -> Self {
        self.map_parts(|part| part.map_components(f))
    }
    /// The innermost value as one float, real plus imaginary part if complex. It is only tested for NaN.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn value_sum(self) -> Self::Base {
        self.value_part().value_sum()
    }
    /// Whether every component, including tangents, is finite.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn all_finite(self) -> bool {
        self.fold_parts(Self::Part::all_finite, |all, t| all & t.all_finite())
    }
    /// Whether every tangent component is exactly zero.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn is_constant(self) -> bool {
        self.fold_parts(Self::Part::is_constant, |all, t| all && t.is_exactly_zero())
    }
    /// Whether the number is exactly zero in every component.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn is_exactly_zero(self) -> bool {
        self.fold_parts(Self::Part::is_exactly_zero, |all, t| all && t.is_exactly_zero())
    }
    /// `self · tangent`, exactly zero for exactly zero components of the tangent; the default is for first order.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_mul(self, tangent: Self) -> Self {
        boundary::strong_product(self, tangent, Self::Part::strong_mul)
    }
    /// The product of two tangents, exactly zero where either is: a mixed derivative belongs to both directions.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_both(self, tangent: Self) -> Self {
        boundary::strong_product(self, tangent, Self::Part::strong_both)
    }
    /// NaN in every component, for a tangent on a tape also in its derivatives; a constant of a tape stays constant.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nan_like(self) -> Self {
        self.map_parts(|part| part.nan_like() + self.value_part().nan_like())
    }
    /// Combines two numbers component by component.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_components(self, other: Self, f: impl Fn(Self::Base, Self::Base) -> Self::Base + Copy) -> Self {
        self.zip_parts(other, |a, b| a.zip_components(b, f), |a, b| a.zip_components(b, f))
    }
    /// A number whose components are nonzero where a component of either operand is.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn union_activity(self, other: Self) -> Self {
        self.zip_components(other, |a, b| if a == Self::Base::from_double(0.0) { b } else { a })
    }
    /// The number with zero tangents in the directions in which `by` is constant; the default is for first order.
    #[doc(hidden)]
    fn mask_inactive(self, by: Self) -> Self {
        boundary::masked(self, by)
    }
    recordable_numbers!();
    /// Applies a primitive. A value with tangents uses [`push_forward`](crate::primitive::push_forward), a number
    /// without tangents only the value. Call [`primitive::call`](crate::primitive::call) instead, which also checks for
    /// NaN.
    ///
    /// # Errors
    /// As [`primitive::call`](crate::primitive::call).
    #[cfg(feature = "std")]
    #[track_caller]
    fn lift_primitive<R: Primitive<Self::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError>;
    /// Records a function as one operation, if the number is traced.
    #[cfg(feature = "std")]
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn lift_operation<F: Operation<Self::Primal>>(
        _: F,
        _x: &[&[Self]],
    ) -> Option<Result<Vec<Self>, AdError>> {
        None
    }

    holomorphic_table!(provided_methods "Number" lift_holomorphic);

    /// `self^exponent` for an exponent that may itself be active: `∂x = y·x^(y−1)`, `∂y = x^y·ln x`.
    ///
    /// An exponent with zero tangent is a constant: the derivative in the base is then right wherever `f64::powf` is
    /// finite, for negative bases and integer exponents too, and infinite for `0^½`. The derivative in an active
    /// exponent is 0 at `x = 0 < y`, `−∞` at `x = 0 ≥ y`, and NaN for `x < 0`.
    ///
    /// ```
    /// use wengert::Dual;
    /// let y = Dual::variable(-3.0).powf(2.0);
    /// assert_eq!((y.value(), y.tangent()), (9.0, -6.0));
    /// let y = Dual::constant(2.0).powf(Dual::variable(3.0));
    /// assert_eq!(y.tangent(), 8.0 * 2f64.ln());
    /// ```
    #[inline]
    #[track_caller]
    fn powf(self, exponent: impl Into<Self>) -> Self {
        let y = exponent.into();
        if y.is_constant() && (Self::REAL || y.im().primal() == Self::Base::from_double(0.0)) {
            self.lift_holomorphic(rules::PowConst(y.re().primal().to_double()))
        } else {
            self.lift_holomorphic2(y, rules::Powf)
        }
    }
    /// `self^exponent`, with the principal branch for complex numbers; for real numbers the same as `powf`.
    ///
    /// ```
    /// use wengert::{Dual, Number};
    /// use num_complex::Complex;
    /// let z = Complex::new(1.0, 2.0);
    /// let w = Dual::variable(z).powc(Dual::constant(Complex::new(0.0, 1.0)));
    /// assert_eq!(w.value(), Number::powc(z, Complex::i()));
    /// ```
    #[inline]
    #[track_caller]
    fn powc(self, exponent: Self) -> Self {
        if Self::REAL { self.powf(exponent) } else { self.lift_holomorphic2(exponent, rules::Powc) }
    }
    /// `(sin x, cos x)`.
    ///
    /// ```
    /// let (s, c) = wengert::Dual::variable(0.5).sin_cos();
    /// assert_eq!((s.tangent(), c.tangent()), (c.value(), -s.value()));
    /// ```
    #[inline]
    #[track_caller]
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    /// `self·a + b`, the value rounded once as `f64::mul_add` does; tangent `ẋa + xȧ + ḃ`.
    ///
    /// ```
    /// use wengert::Dual;
    /// let y = Dual::variable(2.0).mul_add(3.0, 4.0);
    /// assert_eq!((y.value(), y.tangent()), (10.0, 3.0));
    /// ```
    #[inline]
    #[track_caller]
    fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        let (a, b) = (a.into(), b.into());
        let value = self.value_part().mul_add(a.value_part(), b.value_part());
        (self * a + b).zip_parts(Self::of_part(value), |_, value| value, |tangent, _| tangent)
    }
    sums_of_numbers!();
    /// `|z|` as a real number; derivative `Re(conj(z/|z|)·ż)`, zero at zero.
    ///
    /// ```
    /// use wengert::{Dual, Number};
    /// use num_complex::Complex;
    /// let z = Dual::new(Complex::new(3.0_f64, 4.0), Complex::new(1.0, 2.0));
    /// assert_eq!(z.modulus().value(), 5.0);
    /// assert!((z.modulus().tangent() - 2.2).abs() < 1e-15);
    /// ```
    #[inline]
    #[track_caller]
    fn modulus(self) -> Self::Re {
        if Self::REAL { Real::abs(self.re()) } else { Real::hypot(self.re(), self.im()) }
    }
}
