//! `Traced` as a number.

use std::cmp::Ordering;

use super::complex::TracedComplex;
use super::op::{GuardCondition, Op, Relation};
use super::partials::{self, unknown};
use super::primitives;
use super::rules::{BinaryRule, UnaryRule};
use super::strong_zeros::{strong_mul, strong_mul_either};
use super::traced::Traced;
use crate::error::AdError;
use crate::lift::{Operation, Primitive};
use crate::number::{Number, Property, Real, TRACED_ORDER};
use crate::rules::differentiated::{BinaryVisitor, UnaryVisitor};
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary};

/// The component type that the macros of foreign traits refer to.
#[allow(dead_code)]
type T = f64;

impl Number for Traced {
    type Base = f64;
    type Primal = f64;
    type Over<S: Real> = S;
    own_real!();
    // Otherwise algorithms that solve at primal numbers, and then differentiate, would leave the program.
    const ORDER: usize = TRACED_ORDER;
    const RECORDS: bool = true;
    const TRACES: bool = true;
    own_part!();
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn base(x: f64) -> Self {
        Traced::constant(x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant_of(value: f64) -> Self {
        Traced::constant(value)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[track_caller]
    fn innermost(self) -> f64 {
        self.value()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_innermost(self, value: f64) -> Self {
        Traced::constant(value)
    }
    #[track_caller]
    fn detach(self) -> Self {
        Traced::record([self], self.value, |_, [x]| Op::Detach(x))
    }
    fn component_sum(self) -> f64 {
        if self.has(Property::Nan) { f64::NAN } else { 0.0 }
    }
    fn value_sum(self) -> f64 {
        self.component_sum()
    }
    fn visit(self, each: &mut dyn FnMut(f64)) {
        each(self.value());
    }
    fn map_components(self, f: impl Fn(f64) -> f64 + Copy) -> Self {
        Traced::constant(f(self.value()))
    }
    fn zip_components(self, y: Self, f: impl Fn(f64, f64) -> f64 + Copy) -> Self {
        Traced::constant(f(self.value(), y.value()))
    }
    fn union_activity(self, y: Self) -> Self {
        Traced::choose(Relation::Equal, self, Traced::constant(0.0), y, self)
    }
    fn all_finite(self) -> bool {
        self.has(Property::Finite)
    }
    fn is_constant(self) -> bool {
        self.is_passive()
    }
    fn is_exactly_zero(self) -> bool {
        self.has(Property::Zero)
    }
    #[track_caller]
    fn strong_mul(self, t: Self) -> Self {
        let value = strong_mul(self.value, t.value);
        Traced::record([self, t], value, |_, [d, t]| Op::StrongMul { d, t })
    }
    #[track_caller]
    fn strong_both(self, t: Self) -> Self {
        let value = strong_mul_either(self.value, t.value);
        Traced::record([self, t], value, |_, [d, t]| Op::StrongMulEither { d, t })
    }
    fn nan_like(self) -> Self {
        Traced::constant(f64::NAN)
    }
    fn mask_inactive(self, _: Self) -> Self {
        self
    }
    #[track_caller]
    fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        let (a, b) = (a.into(), b.into());
        let value = self.value.mul_add(a.value, b.value);
        Traced::record([self, a, b], value, |_, [x, a, b]| Op::MulAdd(x, a, b))
    }
    #[track_caller]
    fn slope_of<H: Holomorphic>(rule: H, x: Self, f: Self) -> Self {
        partials::slope(rule, x, f)
    }
    #[track_caller]
    fn slopes_of<H: HolomorphicBinary>(rule: H, x: Self, y: Self, f: Self) -> [Self; 2] {
        partials::slopes(rule, x, y, f)
    }
    #[track_caller]
    fn lift_primitive<R: Primitive<f64>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        primitives::record(rule.clone(), x)
    }
    #[track_caller]
    fn lift_operation<F: Operation<f64>>(function: F, x: &[&[Self]]) -> Option<Result<Vec<Self>, AdError>> {
        Some(primitives::record(function, x))
    }
}

impl Real for Traced {
    type Complex = TracedComplex;
    type Pair = num_complex::Complex<Self>;
    const TRACED: bool = true;
    /// As [`norm`](crate::reduce::norm), with guards for the range of the squares.
    fn norm_of(x: &[Self]) -> Option<Self> {
        let square = Self::dot(x, x);
        let is_in_range = |size: Self| size > 1e-18 && size < 1e18;
        let sizes = || x.iter().map(|&x| Real::abs(x)).collect::<Vec<_>>();
        if x.len() < 1_000_000 && square > 1e-30 && square < 1e30
            || crate::reduce::largest(&sizes()).is_some_and(is_in_range)
        {
            let values: Vec<f64> = x.iter().map(|x| x.value).collect();
            let leads = crate::reduce::leading(&values).is_some_and(|lead| lead.others < 0.0625);
            return Some(if leads { beside_largest(x, square.sqrt()) } else { square.sqrt() });
        }
        // The guards have told large elements from small ones, which scaling could make 0.
        Some(match x.iter().any(|x| x.value.abs() >= 1e18) {
            true => crate::reduce::by_scaled_hypot(x),
            false => crate::reduce::by_hypot(x, |x| x),
        })
    }
    fn select_lt(x: Self, y: Self, a: Self, b: Self) -> Self {
        Traced::choose(Relation::Less, x, y, a, b)
    }
    fn select_le(x: Self, y: Self, a: Self, b: Self) -> Self {
        Traced::choose(Relation::LessOrEqual, x, y, a, b)
    }
    fn select_eq(x: Self, y: Self, a: Self, b: Self) -> Self {
        Traced::choose(Relation::Equal, x, y, a, b)
    }
    fn primal(self) -> f64 {
        self.value()
    }
    fn has(self, property: Property) -> bool {
        // For NaN the condition is whether it is NaN: no operation guarantees its sign.
        let recorded = if property.is_sign() && self.value.is_nan() { Property::Nan } else { property };
        let outcome = i64::from(recorded.holds(self.value));
        Traced::guard([self], |[x]| GuardCondition::Has(recorded, x), outcome);
        property.holds(self.value)
    }
    #[track_caller]
    fn slope<U: Unary>(rule: U, x: Self, f: Self) -> Self {
        partials::slope(rule, x, f)
    }
    #[track_caller]
    fn slopes<B: Binary>(rule: B, x: Self, y: Self, f: Self) -> [Self; 2] {
        partials::slopes(rule, x, y, f)
    }
    #[track_caller]
    fn chooses<U: Unary>(rule: U, x: Self, f: Self) -> bool {
        let form = || {
            rule.derivative(unknown(x), unknown(f));
            []
        };
        partials::chooses([x, f], &form)
    }
    #[track_caller]
    fn chooses2<B: Binary>(rule: B, x: Self, y: Self, f: Self) -> bool {
        let form = || {
            rule.partials(unknown(x), unknown(y), unknown(f));
            []
        };
        partials::chooses([x, y, f], &form)
    }
    #[track_caller]
    fn lift1<U: Unary>(self, rule: U) -> Self {
        rule.visit(RuleOperands([self]))
    }
    #[track_caller]
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
        rule.visit(RuleOperands([self, y]))
    }
    fn max(self, other: impl Into<Self>) -> Self {
        self.lift2(other.into(), rules::Max)
    }
    fn min(self, other: impl Into<Self>) -> Self {
        self.lift2(other.into(), rules::Min)
    }
}

/// The norm `y` with the derivatives of `|m| + r/(|m| + y)`, without a branch, for the largest element `m` and the
/// sum `r` of the squares of the others, if `r < m²`. A second derivative of the root of all squares would cancel.
fn beside_largest(x: &[Traced], y: Traced) -> Traced {
    let smaller = |a: Traced, b: Traced, then, other| {
        Traced::choose(Relation::Less, Real::abs(a), Real::abs(b), then, other)
    };
    let first = (x[0], Traced::constant(0.0));
    let (most, others) = x[1..].iter().fold(first, |(most, others), &x| {
        let less = smaller(most, x, most, x);
        (smaller(most, x, x, most), others + less * less)
    });
    let size = Real::abs(most);
    let root = size + others / (size + y);
    let same = y.detach() + (root - root.detach());
    Traced::choose(Relation::Less, others, most * most, same, y)
}

/// Comparisons with a number or a constant. All methods are written out: a provided one would name a line of core.
macro_rules! compared {
    ($Y:ty, |$y:ident| $traced:expr) => {
        #[allow(clippy::partialeq_ne_impl)]
        impl PartialEq<$Y> for Traced {
            #[track_caller]
            fn eq(&self, $y: &$Y) -> bool {
                self.relates(Relation::Equal, $traced)
            }
            #[track_caller]
            fn ne(&self, $y: &$Y) -> bool {
                !self.relates(Relation::Equal, $traced)
            }
        }
        impl PartialOrd<$Y> for Traced {
            #[track_caller]
            fn partial_cmp(&self, $y: &$Y) -> Option<Ordering> {
                let order = self.value.partial_cmp(&$traced.value);
                let outcome = order.map_or(2, |order| order as i64);
                Traced::guard([*self, $traced], |[x, y]| GuardCondition::Order(x, y), outcome);
                order
            }
            #[track_caller]
            fn lt(&self, $y: &$Y) -> bool {
                self.relates(Relation::Less, $traced)
            }
            #[track_caller]
            fn le(&self, $y: &$Y) -> bool {
                self.relates(Relation::LessOrEqual, $traced)
            }
            #[track_caller]
            fn gt(&self, $y: &$Y) -> bool {
                $traced.relates(Relation::Less, *self)
            }
            #[track_caller]
            fn ge(&self, $y: &$Y) -> bool {
                $traced.relates(Relation::LessOrEqual, *self)
            }
        }
    };
}
compared!(Traced, |y| *y);
compared!(f64, |y| Traced::constant(*y));

impl From<f64> for Traced {
    fn from(x: f64) -> Self {
        Traced::constant(x)
    }
}

impl num_traits::Pow<f64> for Traced {
    type Output = Self;
    #[track_caller]
    fn pow(self, exponent: f64) -> Self {
        Number::powf(self, exponent)
    }
}

#[allow(trivial_bounds)] // the macros state what the components of generic numbers have
mod foreign {
    use super::{T, Traced};
    use crate::number::{BaseFloat, Number, Real};
    use crate::rules;
    #[cfg(feature = "nalgebra")]
    use crate::rules::boundary;

    traced_scalar!(Traced);
}

/// A rule or its derivative at these numbers, as an operation.
struct RuleOperands<const N: usize>([Traced; N]);

impl UnaryVisitor for RuleOperands<1> {
    type Out = Traced;
    #[track_caller]
    fn visit<U: Unary>(self, rule: U, order: u8) -> Traced {
        Traced::of_rule(self.0, UnaryRule(rule), [order, 0])
    }
}

impl BinaryVisitor for RuleOperands<2> {
    type Out = Traced;
    #[track_caller]
    fn visit<B: Binary>(self, rule: B, orders: [u8; 2]) -> Traced {
        Traced::of_rule(self.0, BinaryRule(rule), orders)
    }
}
