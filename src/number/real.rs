//! Ordered numbers.

use num_traits::Float;

use super::{AsNumber, BaseFloat, Number, TRACED_ORDER};
use crate::rules::differentiated::{AsRules, HIGHEST};
use crate::rules::{self, Binary, Unary, boundary};

/// The order of the first numbers over traced ones whose formulas keep their guards.
const FIRST_GUARDED: usize = TRACED_ORDER + HIGHEST as usize - 1;

/// `a` where the relation of `x` and `y` holds, else `b`; over traced numbers without a branch.
macro_rules! choose {
    ($select:ident, $holds:expr, $x:ident, $y:ident, $a:ident, $b:ident) => {
        if Self::TRACES {
            let (x, y) = ($x.value_part().re(), $y.value_part().re());
            Self::choose_parts($a, $b, |a, b| Self::Part::from_re(Real::$select(x, y, a.re(), b.re())))
        } else {
            Self::select($holds, $a, $b)
        }
    };
}

/// An ordered [`Number`]: the bound for most generic code.
///
/// Comparisons look only at the innermost value, so a program takes the same branches at every number type. Operators
/// take another `T` or, on the right, the base float.
///
/// ```
/// use wengert::{Dual, Real};
/// fn f<T: Real<Base = f64>>(x: T) -> T { x * 2.0 + 1.0 - x.sin() / 3.0 }
/// assert_eq!(f(Dual::variable(0.5)).value(), f(0.5));
/// assert_eq!(f(Dual::variable(0.5)).tangent(), 2.0 - 0.5f64.cos() / 3.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real number of wengert",
    note = "write functions to be differentiated as `fn f<T: Real<Base = f64>>(x: &[T]) -> T`",
    note = "`Real` holds for f32, f64, Traced, and Dual, DualN, Dual2, HyperDual, Taylor and Var of any such number",
    note = "where it is the point of a driver: a struct has `#[derive(Differentiable)]`; of nalgebra's `Point` pass `&p.coords`, of a `Translation` `&t.vector`; to a method of a `function!` pass the slice of a vector, `x.as_slice()`; pass the slice of an array or matrix of another crate, or of another version of nalgebra"
)]
pub trait Real: Number<Re = Self> + PartialOrd + PartialOrd<Self::Base> {
    /// The complex [`Number`] over this type: `Complex<f64>` for `f64`, `Dual<Complex<f64>>` for `Dual<f64>`,
    /// [`ComplexVar<f64>`](crate::ComplexVar) for `Var<f64>`, `TracedComplex` for `Traced`.
    type Complex: Number<Base = Self::Base, Re = Self>;
    /// The complex number in num-complex's layout: `Complex<Self>`.
    type Pair: AsNumber<Number = Self::Complex, Base = Self::Base, Re = Self>;
    /// The innermost value as a base float. In generic code call its functions by path, `Number::exp(x.primal())`,
    /// because `T::Base` has the methods of num-traits too.
    #[track_caller]
    fn primal(self) -> Self::Base;
    /// The innermost value on its way to an integer. A trace compares the integer instead of the value.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn primal_of_integer(self) -> Self::Base {
        if Self::TRACES { Number::trunc(self).primal() } else { self.primal() }
    }
    /// Whether the innermost value has a property. A traced number records the result as a guard.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn has(self, property: Property) -> bool {
        if Self::TRACES { self.value_part().re().has(property) } else { property.holds(self.primal()) }
    }
    /// Applies a rule of one variable, such as a user-defined one, to any number type.
    ///
    /// ```
    /// use wengert::{BaseFloat, Dual, Number, Real, rules::Unary};
    /// #[derive(Clone, Copy, Debug)]
    /// struct Damped; // e^(−x²/2)
    /// impl Unary for Damped {
    ///     const NAME: &'static str = "damped";
    ///     fn value<F: BaseFloat>(self, x: F) -> F { (-x.powi(2) / F::lit(2.0)).exp() }
    ///     fn derivative<T: Real>(self, x: T, f: T) -> T { -x * f }
    /// }
    /// let y = Dual::variable(Dual::variable(1.0)).lift1(Damped);
    /// let f = (-0.5f64).exp();
    /// assert_eq!((y.value().value(), y.tangent().value(), y.tangent().tangent()), (f, -f, 0.0));
    /// ```
    #[track_caller]
    fn lift1<U: Unary>(self, rule: U) -> Self;
    /// Applies a rule of two variables. [`Binary`] has an example.
    #[track_caller]
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self;

    slopes! {
        Unary slope, Binary slopes,
        |rule, x, f| match Self::chooses(rule, x, f) {
            true => rule.visit(AsRules(x)),
            false => rule.derivative(x, f),
        },
        |y| match Self::chooses2(rule, x, y, f) {
            true => rule.visit(AsRules([x, y])),
            false => rule.partials(x, y, f),
        }
    }
    /// Whether the formula of a derivative chooses by the values of traced numbers, and the orders of its parts are
    /// operations of a program that can be differentiated again.
    #[doc(hidden)]
    #[track_caller]
    fn chooses<U: Unary>(rule: U, x: Self, f: Self) -> bool {
        Self::ORDER < FIRST_GUARDED && Real::chooses(rule, x.value_part().re(), f.value_part().re())
    }
    /// As [`chooses`](Real::chooses), for a rule of two variables.
    #[doc(hidden)]
    #[track_caller]
    fn chooses2<B: Binary>(rule: B, x: Self, y: Self, f: Self) -> bool {
        let [x, y, f] = [x, y, f].map(|x| x.value_part().re());
        Self::ORDER < FIRST_GUARDED && Real::chooses2(rule, x, y, f)
    }
    /// Whether the number is traced, so that [`lift_operation`](Number::lift_operation) records functions.
    #[doc(hidden)]
    const TRACED: bool = false;

    /// `√(Σ xᵢ²)` if the number is traced.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn norm_of(_: &[Self]) -> Option<Self> {
        None
    }

    real_table!(provided_methods "Real" lift1);
    binary_table!(provided_binary_methods);

    /// The larger operand with its tangent. A tie gives half of each tangent; a NaN operand loses.
    ///
    /// ```
    /// use wengert::Dual;
    /// assert_eq!(Dual::variable(2.0).max(1.0).tangent(), 1.0);
    /// assert_eq!(Dual::variable(1.0).max(1.0).tangent(), 0.5);
    /// ```
    #[inline]
    #[track_caller]
    fn max(self, other: impl Into<Self>) -> Self {
        boundary::extremum(self, other.into(), rules::Max, true)
    }
    /// The smaller operand with its tangent; ties and NaN as for [`max`](Real::max).
    ///
    /// ```
    /// use wengert::Dual;
    /// assert_eq!(Dual::variable(1.0).min(1.0).tangent(), 0.5);
    /// assert_eq!(Dual::variable(2.0).min(1.0).tangent(), 0.0);
    /// ```
    #[inline]
    #[track_caller]
    fn min(self, other: impl Into<Self>) -> Self {
        boundary::extremum(self, other.into(), rules::Min, false)
    }
    /// The regularised lower incomplete gamma function `P(a, x) = γ(a, x)/Γ(a)` (DLMF 8.2.4), which is the distribution
    /// function of the gamma distribution, for `a, x ≥ 0`, NaN elsewhere and where both are 0 or both ∞: `∂x = gamma_pdf`. The shape may be a variable. Its derivative is
    /// a numerical integral, which takes some microseconds; for a constant shape it is not computed.
    ///
    /// ```
    /// use wengert::{Dual, Real, gradient};
    /// assert_eq!(Dual::variable(2.0).gamma_p(1.0).tangent(), (-2f64).exp());
    /// let g = gradient(|p| p[0].gamma_p(p[1]), &[2.0, 1.5]);
    /// let difference = (Real::gamma_p(2.0, 1.5 + 1e-5) - Real::gamma_p(2.0, 1.5 - 1e-5)) / 2e-5;
    /// assert!((g[1] - difference).abs() < 1e-9);
    /// ```
    #[inline]
    #[track_caller]
    fn gamma_p(self, shape: impl Into<Self>) -> Self {
        constant_or(self, shape.into(), rules::GammaPConst, rules::GammaP)
    }
    /// The regularised upper incomplete gamma function `Q(a, x) = 1 − P(a, x)`, accurate where `P` is near 1; otherwise as
    /// [`gamma_p`](Real::gamma_p).
    ///
    /// ```
    /// use wengert::{Dual, Real};
    /// let y = Dual::variable(2.0).gamma_q(1.0);
    /// assert_eq!((y.value(), y.tangent()), ((-2f64).exp(), -(-2f64).exp()));
    /// ```
    #[inline]
    #[track_caller]
    fn gamma_q(self, shape: impl Into<Self>) -> Self {
        constant_or(self, shape.into(), rules::GammaQConst, rules::GammaQ)
    }
    /// `x^(a−1)·e^(−x)/Γ(a)`, the density of the gamma distribution, for `a, x ≥ 0`, NaN elsewhere and where both are 0 or both ∞: `∂x = f·((a − 1)/x − 1)`,
    /// computed for small `x` as a difference of two densities, `∂a = f·(ln x − ψ(a))`. The shape may be a variable.
    ///
    /// ```
    /// use wengert::Dual;
    /// let y = Dual::variable(2.0).gamma_pdf(1.0);
    /// assert_eq!((y.value(), y.tangent()), ((-2f64).exp(), -(-2f64).exp()));
    /// ```
    #[inline]
    #[track_caller]
    fn gamma_pdf(self, shape: impl Into<Self>) -> Self {
        constant_or(self, shape.into(), rules::GammaPdfConst, rules::GammaPdf)
    }
    /// `self` limited to `lo..=hi`. The result has the tangent of `self` if `lo < self < hi`, the tangent of a bound
    /// if `self` is strictly beyond it, and a zero tangent at equality.
    ///
    /// # Panics
    /// If `lo > hi` or a bound is NaN, as `f64::clamp`.
    ///
    /// ```
    /// use wengert::Dual;
    /// assert_eq!(Dual::variable(0.5).clamp(0.0, 1.0).tangent(), 1.0);
    /// assert_eq!(Dual::variable(1.0).clamp(0.0, 1.0).tangent(), 0.0);
    /// ```
    #[inline]
    #[track_caller]
    fn clamp(self, lo: impl Into<Self>, hi: impl Into<Self>) -> Self {
        boundary::clamp(self, lo.into(), hi.into())
    }
    /// `self − other` if positive, else zero with zero tangents. NaN if either operand is NaN; then the tangents of
    /// active operands are NaN too.
    ///
    /// ```
    /// use wengert::Dual;
    /// let y = Dual::variable(2.0).abs_sub(1.0);
    /// assert_eq!((y.value(), y.tangent()), (1.0, 1.0));
    /// ```
    #[inline]
    #[track_caller]
    fn abs_sub(self, other: impl Into<Self>) -> Self {
        boundary::abs_sub(self, other.into())
    }
    /// `self` with the sign bit of `sign`: the tangent is `±ẋ`, and the derivative in `sign` is zero.
    ///
    /// ```
    /// use wengert::Dual;
    /// assert_eq!(Dual::variable(2.0).copysign(-0.0).tangent(), -1.0);
    /// ```
    #[inline]
    #[track_caller]
    fn copysign(self, sign: impl Into<Self>) -> Self {
        let sign = sign.into();
        if !Self::TRACES || sign.has(Property::Nan) {
            return self.lift1(rules::WithSign(sign.has(Property::Negative)));
        }
        let [minus, plus] = [true, false].map(|negative| self.lift1(rules::WithSign(negative)));
        Self::select_lt(sign.signum(), Self::lit(0.0), minus, plus)
    }
    /// The sum of terms in order. A tape differentiates it in chunks.
    #[doc(hidden)]
    #[track_caller]
    fn sum_of_terms(_inputs: &[Self], terms: &mut impl Addends<Self>) -> Self {
        Self::total(core::iter::from_fn(|| terms.next_term()))
    }
    /// `a` where `x < y`, else `b`, with value and tangents of the chosen argument only. A traced program keeps both
    /// arguments, so it has no branch here.
    ///
    /// ```
    /// use wengert::{Dual, Real};
    /// let x = Dual::variable(0.5);
    /// let y = Real::select_lt(x, 1.0.into(), x * x, x);
    /// assert_eq!((y.value(), y.tangent()), (0.25, 1.0));
    /// ```
    #[inline]
    #[track_caller]
    fn select_lt(x: Self, y: Self, a: Self, b: Self) -> Self {
        choose!(select_lt, x < y, x, y, a, b)
    }
    /// `a` where `x ≤ y`, else `b`; see [`select_lt`](Real::select_lt).
    ///
    /// ```
    /// use wengert::Real;
    /// assert_eq!(Real::select_le(1.0, 1.0, 2.0, 3.0), 2.0);
    /// ```
    #[inline]
    #[track_caller]
    fn select_le(x: Self, y: Self, a: Self, b: Self) -> Self {
        choose!(select_le, x <= y, x, y, a, b)
    }
    /// `a` where `x = y`, else `b`; see [`select_lt`](Real::select_lt).
    ///
    /// ```
    /// use wengert::Real;
    /// assert_eq!(Real::select_eq(1.0, f64::NAN, 2.0, 3.0), 3.0);
    /// ```
    #[inline]
    #[track_caller]
    fn select_eq(x: Self, y: Self, a: Self, b: Self) -> Self {
        choose!(select_eq, x == y, x, y, a, b)
    }
    /// `a` if `condition`, else `b`, with value and tangents of the chosen argument only. In a traced program the
    /// condition is a guard; use [`select_lt`](Real::select_lt) to avoid the guard.
    ///
    /// ```
    /// use wengert::{Dual, Real};
    /// let x = Dual::variable(0.0);
    /// let y = Real::select(x > 0.0, x.ln(), Dual::constant(0.0));
    /// assert_eq!((y.value(), y.tangent()), (0.0, 0.0));
    /// ```
    #[inline]
    fn select(condition: bool, a: Self, b: Self) -> Self {
        if condition { a } else { b }
    }
    /// One of two numbers over traced ones, part by part.
    #[doc(hidden)]
    #[track_caller]
    fn choose_parts(a: Self, b: Self, choose: impl Fn(Self::Part, Self::Part) -> Self::Part + Copy) -> Self {
        a.zip_parts(b, choose, choose)
    }
    derived_real_table!(provided_derived_methods);
}

/// The terms of a sum, as functions of the same numbers.
#[doc(hidden)]
pub trait Addends<N> {
    /// Replaces the inputs: later terms are functions of `inputs`, which have the same values.
    fn move_to(&mut self, inputs: &[N]);
    /// The next term.
    fn next_term(&mut self) -> Option<N>;
}

/// A property of a value that does not depend on its digits.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Property {
    Zero,
    One,
    Nan,
    Finite,
    Infinite,
    Normal,
    Subnormal,
    Positive,
    Negative,
}

/// The properties that are methods of floats: method, property, sentence.
macro_rules! property_table { ($read:ident $($with:tt)*) => { $read! { $($with)*
    is_nan           Nan       "Whether the value is NaN."
    is_finite        Finite    "Whether the value is finite."
    is_infinite      Infinite  "Whether the value is infinite."
    is_normal        Normal    "Whether the value is neither zero, subnormal, infinite nor NaN."
    is_subnormal     Subnormal "Whether the value is subnormal."
    is_sign_positive Positive  "Whether the value has a positive sign bit."
    is_sign_negative Negative  "Whether the value has a negative sign bit."
} } }

/// The methods of a number.
macro_rules! property_methods {
    ($visible:vis $($name:ident $Property:ident $doc:literal)*) => {$(
        #[doc = $doc]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        $visible fn $name(self) -> bool {
            self.has($crate::number::Property::$Property)
        }
    )*};
}

macro_rules! meaning_of_properties {
    ($($name:ident $Property:ident $doc:literal)*) => {
        /// Whether a float has the property. Zeros and NaN have signs too.
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub(crate) fn holds<F: Float>(self, x: F) -> bool {
            match self {
                Property::Zero => x == F::zero(),
                Property::One => x == F::one(),
                $(Property::$Property => x.$name(),)*
            }
        }
        /// The name of the method that tests the property.
        #[cfg(feature = "programs")]
        pub(crate) fn name(self) -> &'static str {
            match self {
                Property::Zero => "is_zero",
                Property::One => "is_one",
                $(Property::$Property => stringify!($name),)*
            }
        }
    };
}

impl Property {
    property_table!(meaning_of_properties);
    /// Whether the property is a sign.
    #[cfg(feature = "programs")]
    pub(crate) fn is_sign(self) -> bool {
        matches!(self, Property::Positive | Property::Negative)
    }
}

/// `x` and a shape: by the row for constant shapes if the shape is one.
#[inline]
#[track_caller]
fn constant_or<T: Real, U: Unary>(x: T, shape: T, constant: fn(f64) -> U, variable: impl Binary) -> T {
    if shape.is_constant() { x.lift1(constant(shape.primal().to_double())) } else { x.lift2(shape, variable) }
}
