//! `HyperDual<T>`: a value, two tangents and their mixed second derivative.

use core::ops::{Div, Mul};

use super::{Dual, second, second_holomorphic};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// A hyper-dual number `x + x₁ε₁ + x₂ε₂ + x₁₂ε₁ε₂` with `ε₁² = ε₂² = 0`: a value, two directional derivatives and
/// their mixed second derivative.
///
/// It has the components of `Dual<Dual<T>>`, but takes `f″` from the rule table. Source: J. Fike and J. Alonso, *The
/// development of hyper-dual numbers for exact second-derivative calculations*, AIAA 2011-886.
///
/// ```
/// use wengert::HyperDual;
/// let x: HyperDual<f64> = HyperDual::new(2.0, 1.0, 1.0, 0.0);
/// let y = (x.sin() + x * x).exp();
/// assert!((y.e12() - 1888.7679074085165).abs() < 1e-11);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HyperDual<T> {
    re: T,
    e1: T,
    e2: T,
    e12: T,
}

carries_derivatives!((T) HyperDual<T>);

each_part!(#[cfg_attr(not(debug_assertions), inline(always))] () HyperDual[], |x, f| HyperDual::new(f(x.re), f(x.e1), f(x.e2), f(x.e12)));

impl<T> HyperDual<T> {
    /// The number with the given parts.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn new(re: T, e1: T, e2: T, e12: T) -> Self {
        HyperDual { re, e1, e2, e12 }
    }
    /// The value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn value(self) -> T {
        self.re
    }
    /// The tangent in the first direction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn e1(self) -> T {
        self.e1
    }
    /// The tangent in the second direction.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn e2(self) -> T {
        self.e2
    }
    /// The mixed second derivative.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn e12(self) -> T {
        self.e12
    }
    /// This number as a nested one: the second direction outside.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nest(self) -> Dual<Dual<T>> {
        Dual::new(Dual::new(self.re, self.e1), Dual::new(self.e2, self.e12))
    }
}

impl<T: Number> HyperDual<T> {
    /// The variable of differentiation in both directions: `e12` of the result is `f″`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn variable(value: T) -> Self {
        HyperDual::new(value, T::lit(1.0), T::lit(1.0), T::lit(0.0))
    }
    /// A constant.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn constant(value: T) -> Self {
        HyperDual::new(value, T::lit(0.0), T::lit(0.0), T::lit(0.0))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn unnest(x: Dual<Dual<T>>) -> Self {
        HyperDual::new(x.value().value(), x.value().tangent(), x.tangent().value(), x.tangent().tangent())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_value(self, re: T) -> Self {
        HyperDual { re, ..self }
    }
    /// The result `f` with first and second derivative `d`, `dd`; if these or their products overflow or underflow,
    /// by nested duals.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn chain(self, f: T, d: T, dd: T, nested: impl FnOnce(Dual<Dual<T>>) -> Dual<Dual<T>> + 'static) -> Self {
        let (e1, e2) = (d * self.e1, d * self.e2);
        let e12 = d * self.e12 + dd * self.e1 * self.e2;
        let (finite, plain) = (boundary::finite(f, e1 + e2 + e12), HyperDual::new(f, e1, e2, e12));
        let exact = boundary::is_exact(d) & boundary::is_exact(dd);
        if finite & exact || finite && boundary::are_moderate([self.re, f, d]) {
            plain
        } else {
            boundary::rarely(move || Self::unnest(nested(self.nest())))
        }
    }
}

/// The chain rule, of rules of real and of complex numbers.
macro_rules! lifts {
    ($Unary:ident $lift1:ident $second:ident, $Binary:ident $lift2:ident) => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift1<U: $Unary>(self, rule: U) -> Self {
            Self::demand_operands([&self]);
            // A trace has no branches for the sizes of derivatives.
            if T::TRACES {
                return Self::unnest(self.nest().$lift1(rule));
            }
            let f = self.re.$lift1(rule);
            let d = rule.derivative(self.re, f);
            self.chain(f, d, $second(rule, self.re, f, d), move |x| x.$lift1(rule))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $lift2<B: $Binary>(self, y: Self, rule: B) -> Self {
            Self::demand_operands([&self, &y]);
            Self::unnest(self.nest().$lift2(y.nest(), rule))
        }
    };
}

impl<T: Number> Number for HyperDual<T> {
    type Re = HyperDual<T::Re>;
    const ORDER: usize = T::ORDER.saturating_add(2);
    each_part!(#[cfg_attr(not(debug_assertions), inline(always))], |rule, x| crate::lift::through(rule, x, Self::nest, Self::unnest));
    each_part!(map_parts #[cfg_attr(not(debug_assertions), inline(always))]);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        let tangents = [(self.e1, y.e1), (self.e2, y.e2), (self.e12, y.e12)];
        let [e1, e2, e12] = tangents.map(|(x, y)| tangent(x, y));
        HyperDual::new(value(self.re, y.re), e1, e2, e12)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        [self.e1, self.e2, self.e12].into_iter().fold(value(self.re), tangent)
    }
    lifts!(Holomorphic lift_holomorphic second_holomorphic, HolomorphicBinary lift_holomorphic2);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_mul(self, t: Self) -> Self {
        Self::unnest(self.nest().strong_mul(t.nest()))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_both(self, t: Self) -> Self {
        Self::unnest(self.nest().strong_both(t.nest()))
    }
    fn mask_inactive(self, by: Self) -> Self {
        Self::unnest(self.nest().mask_inactive(by.nest()))
    }
}

impl<T: Real> Real for HyperDual<T> {
    each_part!(real #[cfg_attr(not(debug_assertions), inline(always))] HyperDual<T::Complex>);
    lifts!(Unary lift1 second, Binary lift2);
}

sums!(#[cfg_attr(not(debug_assertions), inline(always))] () HyperDual[], fields re e1 e2 e12);

/// `x₁₂y + x₁y₂ + x₂y₁ + xy₁₂` in the mixed part.
impl<T: Number> Mul for HyperDual<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn mul(self, y: Self) -> Self {
        Self::unnest(self.nest() * y.nest())
    }
}

/// `qᵢ = (xᵢ − q·yᵢ)/y`, `q₁₂ = (x₁₂ − q·y₁₂ − q₁y₂ − q₂y₁)/y`.
impl<T: Number> Div for HyperDual<T> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn div(self, y: Self) -> Self {
        Self::demand_operands([&self, &y]);
        // In line, so that guards of a trace name the caller.
        if T::TRACES {
            return self.nested_quotient(y);
        }
        let (q, r) = (self.re / y.re, y.re.recip());
        let over = |t| boundary::over(t, y.re, r);
        let (e1, e2) = (over(self.e1 - q * y.e1), over(self.e2 - q * y.e2));
        let e12 = over(self.e12 - q * y.e12 - (e1 * y.e2 + e2 * y.e1));
        let sum = e1 + e2 + e12;
        if boundary::finite(q, r) && boundary::finite(q, q * r * r) && sum.all_finite() {
            return HyperDual::new(q, e1, e2, e12);
        }
        boundary::rarely(move || self.nested_quotient(y))
    }
}

impl<T: Number> HyperDual<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn nested_quotient(self, y: Self) -> Self {
        // A `Dual` computes the second tangent as the first one, which nested duals would round otherwise.
        let along2 = Dual::new(self.re, self.e2) / Dual::new(y.re, y.e2);
        HyperDual { e2: along2.tangent(), ..Self::unnest(self.nest() / y.nest()) }
    }
}

scalar!((T: Number) HyperDual<T>, HyperDual<HyperDual<T>>);
