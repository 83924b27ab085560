//! Derivative rules: the table, and the traits of rules.
//!
//! Rules do not depend on number types, and number types contain no formulas. A rule maps `(x, f(x))` to `f′(x)`,
//! generic over [`Number`] or [`Real`], so one row gives first and second derivatives, derivatives at nested numbers,
//! and complex derivatives. User-defined rules work in the same way at all number types: implement [`Unary`] (real)
//! or [`Holomorphic`] (real and complex) and call [`Real::lift1`] or [`Number::lift_holomorphic`].

#[macro_use]
mod table;
#[macro_use]
mod read;
pub(crate) mod boundary;
mod complex;
pub(crate) mod differentiated;
mod formula;
#[cfg(all(feature = "std", any(feature = "nalgebra", feature = "programs")))]
pub(crate) mod identity;
mod plane;
#[macro_use]
mod recurrence;
mod special;

use core::f64::consts::{FRAC_2_SQRT_PI, LN_2, LOG2_E, LOG10_E, PI};
use core::fmt::Debug;
use num_complex::Complex;
use num_traits::{Euclid, Float};

use crate::number::{BaseFloat, Number, Real};
use complex::by_parts;
use differentiated::{BinaryVisitor, UnaryVisitor};
pub(crate) use formula::{far_derivative, far_product, far_recurrence, slope_factors};
pub use recurrence::Recurrence;

/// A rule of one real variable.
///
/// See [`Real::lift1`] for an example of a user-defined rule.
pub trait Unary: Copy + Debug + Send + Sync + 'static {
    /// The function's name, for messages.
    const NAME: &'static str;
    /// Whether `derivative` is NaN wherever the value is NaN (`sin`, but not `ln`, whose `1/x` is a number at −1). If
    /// it is not, numbers enforce it, at the cost of a comparison.
    const NAN_SAFE: bool = false;
    /// The function on base floats.
    fn value<F: BaseFloat>(self, x: F) -> F;
    /// `f′(x)` from the argument and the result `f`.
    fn derivative<T: Real>(self, x: T, f: T) -> T;
    /// `f″(x)` from `x`, `f` and `d = f′`, if there is a cheap formula. Otherwise second-order numbers differentiate
    /// [`derivative`](Unary::derivative).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second<T: Real>(self, _x: T, _f: T, _d: T) -> Option<T> {
        None
    }
    /// How power series with the value `x` go through the rule. Rules need not state it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn recurrence<T: Real>(self, _x: T) -> Recurrence {
        Recurrence::Derivative
    }
    /// Writes `f′(x), f″(x), …`, of a rule whose recurrence is [`Recurrence::Derivatives`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn derivatives<T: Real>(self, _x: T, _f: T, _out: &mut [T]) {}
    /// The function on complex numbers, of a rule that has it.
    #[doc(hidden)]
    fn at_complex(self, _z: Complex<f64>) -> Option<Complex<f64>> {
        None
    }
    /// Calls the visitor with the rule, or with that whose derivative it is.
    #[doc(hidden)]
    #[track_caller]
    fn visit<V: UnaryVisitor>(self, visitor: V) -> V::Out {
        visitor.visit(self, 0)
    }
}

/// A holomorphic rule of one variable, for real and complex numbers.
///
/// ```
/// use wengert::{Dual, Number, rules::Holomorphic};
/// use num_complex::Complex;
/// /// z·e^z
/// #[derive(Clone, Copy, Debug)]
/// struct Growth;
/// impl Holomorphic for Growth {
///     const NAME: &'static str = "growth";
///     fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z { z * z.exp() }
///     fn derivative<T: Number>(self, x: T, f: T) -> T { f + x.exp() }
/// }
/// let z = Complex::new(0.5, 2.0);
/// let w = Dual::variable(z).lift_holomorphic(Growth);
/// assert_eq!((w.value(), w.tangent()), (z * z.exp(), z * z.exp() + z.exp()));
/// assert_eq!(Dual::variable(0.0).lift_holomorphic(Growth).tangent(), 1.0);
/// ```
pub trait Holomorphic: Copy + Debug + Send + Sync + 'static {
    /// The function's name, for messages.
    const NAME: &'static str;
    /// Whether `derivative` is NaN wherever the value is NaN (`sin`, but not `ln`, whose `1/x` is a number at −1). If
    /// it is not, numbers enforce it, at the cost of a comparison.
    const NAN_SAFE: bool = false;
    /// The function on base floats; the default is the formula for complex numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value<F: BaseFloat>(self, x: F) -> F {
        self.value_complex(x)
    }
    /// The function on complex primal numbers.
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z;
    /// `f′(x)` from the argument and the result `f`.
    fn derivative<T: Number>(self, x: T, f: T) -> T;
    /// `f″(x)` from `x`, `f` and `d = f′`, if there is a cheap formula.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second<T: Number>(self, _x: T, _f: T, _d: T) -> Option<T> {
        None
    }
    /// How power series with the value `x` go through the rule. Rules need not state it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn recurrence<T: Number>(self, _x: T) -> Recurrence {
        Recurrence::Derivative
    }
    /// Writes `f′(x), f″(x), …`, of a rule whose recurrence is [`Recurrence::Derivatives`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn derivatives<T: Number>(self, _x: T, _f: T, _out: &mut [T]) {}
}

impl<H: Holomorphic> Unary for H {
    const NAME: &'static str = H::NAME;
    const NAN_SAFE: bool = H::NAN_SAFE;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value<F: BaseFloat>(self, x: F) -> F {
        Holomorphic::value(self, x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn derivative<T: Real>(self, x: T, f: T) -> T {
        Holomorphic::derivative(self, x, f)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second<T: Real>(self, x: T, f: T, d: T) -> Option<T> {
        Holomorphic::second(self, x, f, d)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn recurrence<T: Real>(self, x: T) -> Recurrence {
        Holomorphic::recurrence(self, x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn derivatives<T: Real>(self, x: T, f: T, out: &mut [T]) {
        Holomorphic::derivatives(self, x, f, out)
    }
    fn at_complex(self, z: Complex<f64>) -> Option<Complex<f64>> {
        Some(self.value_complex(z))
    }
}

/// A rule of two real variables.
///
/// ```
/// use wengert::{BaseFloat, Dual, Real, rules::Binary};
/// #[derive(Clone, Copy, Debug)]
/// struct Decay; // x·e^y
/// impl Binary for Decay {
///     const NAME: &'static str = "decay";
///     fn value<F: BaseFloat>(self, x: F, y: F) -> F { x * y.exp() }
///     fn partials<T: Real>(self, _x: T, y: T, f: T) -> [T; 2] { [y.exp(), f] }
/// }
/// assert_eq!(Dual::new(2.0, 0.5).lift2(Dual::new(0.0, -1.0), Decay).tangent(), -1.5);
/// ```
pub trait Binary: Copy + Debug + Send + Sync + 'static {
    /// The function's name, for messages.
    const NAME: &'static str;
    /// The function on base floats.
    fn value<F: BaseFloat>(self, x: F, y: F) -> F;
    /// `[∂f/∂x, ∂f/∂y]` from the arguments and the result `f`.
    #[track_caller]
    fn partials<T: Real>(self, x: T, y: T, f: T) -> [T; 2];
    /// How power series with the value `x` go through the rule. Rules need not state it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn recurrence<T: Real>(self, _x: T) -> Recurrence {
        Recurrence::Derivative
    }
    /// Writes `[∂ᵏf/∂xᵏ, ∂ᵏf/∂yᵏ]` for `k = 1, 2, …`, of a rule whose recurrence is [`Recurrence::Increment`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn derivatives<T: Real>(self, _x: T, _y: T, _out: &mut [[T; 2]]) {}
    /// The function on complex numbers, if the rule has one.
    #[doc(hidden)]
    fn at_complex(self, _z: Complex<f64>, _w: Complex<f64>) -> Option<Complex<f64>> {
        None
    }
    /// Calls the visitor with the rule, or with that whose derivative it is.
    #[doc(hidden)]
    #[track_caller]
    fn visit<V: BinaryVisitor>(self, visitor: V) -> V::Out {
        visitor.visit(self, [0, 0])
    }
}

/// A rule of two variables, holomorphic in both.
/// ```
/// use num_complex::Complex;
/// use wengert::{Dual, Number, rules::HolomorphicBinary};
/// /// z·e^w
/// #[derive(Clone, Copy, Debug)]
/// struct Decay;
/// impl HolomorphicBinary for Decay {
///     const NAME: &'static str = "decay";
///     fn value_complex<Z: Number<Primal = Z>>(self, z: Z, w: Z) -> Z { z * w.exp() }
///     fn partials<T: Number>(self, _z: T, w: T, f: T) -> [T; 2] { [w.exp(), f] }
/// }
/// let (i, one) = (Complex::i(), Complex::new(1.0, 0.0));
/// let y = Dual::new(i, one).lift_holomorphic2(Dual::new(Complex::ZERO, i), Decay);
/// assert_eq!((y.value(), y.tangent()), (i, one + i * i)); // ż·e^w + z·e^w·ẇ
/// ```
pub trait HolomorphicBinary: Copy + Debug + Send + Sync + 'static {
    /// The function's name, for messages.
    const NAME: &'static str;
    /// The function on base floats; the default is the formula for complex numbers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        self.value_complex(x, y)
    }
    /// The function on complex primal numbers.
    fn value_complex<Z: Number<Primal = Z>>(self, z: Z, w: Z) -> Z;
    /// `[∂f/∂x, ∂f/∂y]` from the arguments and the result `f`.
    #[track_caller]
    fn partials<T: Number>(self, x: T, y: T, f: T) -> [T; 2];
    /// How power series with the value `x` go through the rule. Rules need not state it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn recurrence<T: Number>(self, _x: T) -> Recurrence {
        Recurrence::Derivative
    }
}

impl<H: HolomorphicBinary> Binary for H {
    const NAME: &'static str = H::NAME;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value<F: BaseFloat>(self, x: F, y: F) -> F {
        HolomorphicBinary::value(self, x, y)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn partials<T: Real>(self, x: T, y: T, f: T) -> [T; 2] {
        HolomorphicBinary::partials(self, x, y, f)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn recurrence<T: Real>(self, x: T) -> Recurrence {
        HolomorphicBinary::recurrence(self, x)
    }
    fn at_complex(self, z: Complex<f64>, w: Complex<f64>) -> Option<Complex<f64>> {
        Some(self.value_complex(z, w))
    }
}

holomorphic_table!(rules_of_one_variable Holomorphic Number);
real_table!(rules_of_one_variable Unary Real);
binary_table!(binary_rules);
selection_table!(binary_rules);
holomorphic_binary_table!(holomorphic_binary_rules);

/// A visitor of the rules of the table, each with an interval inside its domain.
///
/// ```
/// use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
/// #[derive(Default)]
/// struct Names(Vec<&'static str>);
/// impl RuleVisitor for Names {
///     fn holomorphic<H: Holomorphic>(&mut self, _rule: H, _on: [f64; 2]) {
///         self.0.push(H::NAME)
///     }
///     fn unary<U: Unary>(&mut self, _rule: U, _on: [f64; 2]) { self.0.push(U::NAME) }
///     fn binary<B: Binary>(&mut self, _rule: B, _on: [[f64; 2]; 2]) { self.0.push(B::NAME) }
/// }
/// let mut names = Names::default();
/// visit_rules(&mut names);
/// assert!(["tanh", "hypot", "erf"].iter().all(|name| names.0.contains(name)));
/// ```
pub trait RuleVisitor {
    /// A rule for real and complex numbers.
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]);
    /// A rule for real numbers.
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]);
    /// A rule of two variables.
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]);
}

/// Calls the visitor with each row of the table; rules with a parameter have one sample value.
pub fn visit_rules<V: RuleVisitor>(visitor: &mut V) {
    holomorphic_table!(visit_rules visitor holomorphic);
    real_table!(visit_rules visitor unary);
    binary_table!(visit_binary visitor);
    selection_table!(visit_binary visitor);
    holomorphic_binary_table!(visit_binary visitor);
}

/// Arithmetic with literals. A constant scales or shifts a number; it is not converted to a number with tangents,
/// whose zeros times an infinite partial would be NaN.
trait Literal: Number {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn times(self, c: f64) -> Self {
        self * Self::Base::from_double(c)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn plus(self, c: f64) -> Self {
        self + Self::Base::from_double(c)
    }
}
impl<T: Number> Literal for T {}

/// A function of doubles at every base float.
#[cfg_attr(not(debug_assertions), inline(always))]
fn through<F: BaseFloat>(f: impl Fn(f64) -> f64) -> impl Fn(F) -> F {
    move |x| F::from_double(f(BaseFloat::to_double(x)))
}

/// A function of two doubles at every base float.
#[cfg_attr(not(debug_assertions), inline(always))]
fn through2<F: BaseFloat>(f: impl Fn(f64, f64) -> f64) -> impl Fn(F, F) -> F {
    move |x, y| F::from_double(f(BaseFloat::to_double(x), BaseFloat::to_double(y)))
}
