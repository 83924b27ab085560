//! `Var<T>` as a number.

use num_complex::Complex;

use super::complex::ComplexVar;
use super::fan;
use super::misuse;
use super::parts;
use super::recording::record_primitive;
use super::var::Var;
use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::Primitive;
use crate::number::{Addends, BaseFloat, Number, Real, Tapes};
use crate::rules::differentiated::AsRules;
use crate::rules::{self, Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

impl<T: Real> Number for Var<T> {
    type Base = T::Base;
    type Primal = T::Primal;
    type Over<S: Real> = S;
    type Part = T;
    own_real!();
    const RECORDS: bool = true;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_part(value: T) -> Self {
        Var::constant(value)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map_parts(self, f: impl Fn(T) -> T + Copy) -> Self {
        Var { value: f(self.value), slope: f(self.slope), ..self }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zip_parts(self, y: Self, value: impl FnOnce(T, T) -> T, tangent: impl Fn(T, T) -> T + Copy) -> Self {
        let place = if self.is_passive() { y.place } else { self.place };
        Var { value: value(self.value, y.value), place, slope: tangent(self.activity(), y.activity()) }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fold_parts<A>(self, value: impl FnOnce(T) -> A, tangent: impl Fn(A, T) -> A) -> A {
        tangent(value(self.value), self.activity())
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_mul(self, t: Self) -> Self {
        let left = || self.slope.strong_both(t.value);
        let right = || self.value.strong_mul(t.slope);
        self.join(t, self.value.strong_mul(t.value), || left() + right(), left, right)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn strong_both(self, t: Self) -> Self {
        let left = || self.slope.strong_both(t.value);
        let right = || self.value.strong_both(t.slope);
        self.join(t, self.value.strong_both(t.value), || left() + right(), left, right)
    }
    fn mask_inactive(self, by: Self) -> Self {
        let inner = by.value.union_activity(by.activity());
        if by.activity().is_exactly_zero() {
            return Var::constant(self.value.mask_inactive(inner));
        }
        Var { value: self.value.mask_inactive(inner), slope: self.slope.mask_inactive(inner), ..self }
    }
    #[inline]
    fn total<I: Iterator<Item = Self>>(items: I) -> Self {
        fan::sum(items)
    }
    #[inline]
    fn sum_of(x: &[Self]) -> Self {
        fan::sum_of(x)
    }
    #[inline]
    fn dot(x: &[Self], y: &[Self]) -> Self {
        fan::dot(x, y, None)
    }
    #[inline]
    fn affine(x: &[Self], y: &[Self], c: Self) -> Self {
        fan::dot(x, y, Some(c))
    }
    #[inline]
    fn weighted_sum(weights: &[T::Base], x: &[Self]) -> Self {
        fan::weighted_sum(weights, x)
    }
    fn multiplied<I: Iterator<Item = Self>>(items: I) -> Self {
        fan::product(items)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn slopes_of<H: HolomorphicBinary>(rule: H, x: Self, y: Self, f: Self) -> [Self; 2] {
        Self::slopes(rule, x, y, f)
    }
    #[inline]
    fn note_tapes(self, tapes: &mut Tapes) {
        if self.tape() != tapes.first && !self.is_passive() {
            *(if tapes.first == 0 { &mut tapes.first } else { &mut tapes.other }) = self.tape();
        }
        if T::RECORDS {
            let inner = tapes.inner.get_or_insert_default();
            self.value.note_tapes(inner);
            self.activity().note_tapes(inner);
        }
    }
    #[track_caller]
    fn demand_tapes(tapes: &Tapes) {
        if tapes.other != 0 {
            misuse::two_tapes(tapes.first, tapes.other);
        }
        if tapes.first != 0 {
            misuse::demand_open(tapes.first);
        }
        if let Some(inner) = &tapes.inner {
            T::demand_tapes(inner);
        }
    }
    fn lift_primitive<R: Primitive<T::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        record_primitive(rule, x)
    }
}

impl<T: Real> Real for Var<T> {
    type Complex = ComplexVar<T>;
    type Pair = Complex<Self>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn primal(self) -> T::Base {
        self.value.primal()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lift1<U: Unary>(self, rule: U) -> Self {
        let y = Dual::new(self.value, self.slope).lift1(rule);
        Var { value: y.value(), slope: y.tangent(), ..self }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lift2<B: Binary>(self, y: Self, rule: B) -> Self {
        let point = [self.value, y.value];
        let f = self.value.lift2(y.value, rule);
        let [dx, dy] = T::slopes(rule, self.value, y.value, f).map(|d| boundary::partial2(point, f, d));
        let (left, right) = (|| dx.strong_mul(self.slope), || dy.strong_mul(y.slope));
        self.join(y, f, || left() + right(), left, right)
    }
    /// The formulas run once for each argument, with the other one constant. So they record nothing, the products are
    /// formed from the argument on, as in forward mode, and each partial is one node. Recorded formulas form the products
    /// from the result on, and leave the range at points where forward mode does not.
    #[inline]
    #[allow(clippy::eq_op)] // x = x is false for NaN only
    fn slopes<B: Binary>(rule: B, x: Self, y: Self, f: Self) -> [Self; 2] {
        if T::TRACES && Self::chooses2(rule, x, y, f) {
            return rule.visit(AsRules([x, y]));
        }
        if x.place == y.place || x.is_passive() || y.is_passive() {
            return rule.partials(x, y, f);
        }
        if f != f {
            return [f.nan_like(); 2];
        }
        let point = [x.value, y.value];
        let d = T::slopes(rule, x.value, y.value, f.value).map(|d| boundary::partial2(point, f.value, d));
        let of = |x: Self, d: T| Var::along(f.value, d.strong_mul(x.slope), x.place);
        let [u, v] = point.map(Var::constant);
        let partials = |x: Self, y: Self, f: Self| {
            rule.partials(x, y, f).map(|d| boundary::partial(true, || x.union_activity(y), f, d))
        };
        let (along_x, along_y) = (partials(x, v, of(x, d[0])), partials(u, y, of(y, d[1])));
        [0, 1].map(|i| {
            let (left, right) = (along_x[i], along_y[i]);
            // They have one place only if both are constants.
            left.join(right, left.value, || T::lit(0.0), || left.slope, || right.slope)
        })
    }
    fn choose_parts(a: Self, b: Self, choose: impl Fn(T, T) -> T + Copy) -> Self {
        let zero = T::lit(0.0);
        let (left, right) = (|| choose(a.slope, zero), || choose(zero, b.slope));
        a.join(b, choose(a.value, b.value), || choose(a.slope, b.slope), left, right)
    }
    fn sum_of_terms(inputs: &[Self], terms: &mut impl Addends<Self>) -> Self {
        parts::sum_of_terms(inputs, terms)
    }
}

scalar!((T: Real) Var<T>, Var<Var<T>>);
