//! Rules of real and of complex numbers under one interface.

use super::dynamic::TaylorDyn;
use crate::duals::{Dual, second, second_holomorphic, second_partials, second_partials_holomorphic};
use crate::number::{Number, Real};
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Recurrence, Unary};

/// A rule of one variable, at coefficients `T` and at series of them.
pub(super) trait SeriesRule<T: Number, const K: usize> {
    /// The rule as an object. Code that takes it is compiled once for all rules: slow paths, and in unoptimised builds
    /// all recurrences. Optimised builds compile the fast paths for each rule, which runs faster.
    fn object(&self) -> &dyn SeriesRule<T, K>;
    fn is_safe(&self) -> bool;
    fn recurrence(&self, x: T) -> Recurrence;
    fn value(&self, x: T) -> T;
    fn slope(&self, x: T, f: T) -> T;
    fn slopes(&self, x: TaylorDyn<T, K>, f: TaylorDyn<T, K>) -> TaylorDyn<T, K>;
    /// `f′` and its derivative in `f`, where its formula reads the result.
    fn linearized(&self, x: TaylorDyn<T, K>, f: TaylorDyn<T, K>) -> [TaylorDyn<T, K>; 2];
    fn orders(&self, x: T, f: T, out: &mut [T]);
    /// `f′` and `f″`.
    fn two(&self, x: T, f: T) -> [T; 2];
    /// `f′`, `f″`, `f‴`, this one by differentiating `f″`.
    fn three(&self, x: T, f: T) -> [T; 3];
}

/// A rule of two variables, at coefficients `T` and at series of them.
pub(super) trait SeriesRule2<T: Number, const K: usize> {
    fn object(&self) -> &dyn SeriesRule2<T, K>;
    fn recurrence(&self, x: T) -> Recurrence;
    fn value(&self, x: T, y: T) -> T;
    fn slopes(&self, x: [TaylorDyn<T, K>; 2], f: TaylorDyn<T, K>) -> [TaylorDyn<T, K>; 2];
    /// The partials of first and second order.
    fn two(&self, x: [T; 2], f: T) -> ([T; 2], [T; 3]);
    fn derivatives(&self, x: [T; 2], out: &mut [[T; 2]]);
    /// Both partials, each with its derivative in `f`.
    fn linearized(&self, x: [TaylorDyn<T, K>; 2], f: TaylorDyn<T, K>) -> [[TaylorDyn<T, K>; 2]; 2];
}

#[derive(Clone, Copy)]
pub(super) struct RealRule<U>(pub(super) U);

#[derive(Clone, Copy)]
pub(super) struct HolomorphicRule<H>(pub(super) H);

macro_rules! rule {
    ($Of:ident $Kind:ident, $Unary:ident $lift1:ident $second:ident, $Binary:ident $lift2:ident $partials:ident,
        |$rule:ident, $x:ident, $out:ident| $two:expr) => {
        impl<T: $Kind, const K: usize, U: $Unary> SeriesRule<T, K> for $Of<U> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn object(&self) -> &dyn SeriesRule<T, K> {
                self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn is_safe(&self) -> bool {
                U::NAN_SAFE
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn recurrence(&self, x: T) -> Recurrence {
                self.0.recurrence(x)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn value(&self, x: T) -> T {
                x.$lift1(self.0)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn slope(&self, x: T, f: T) -> T {
                self.0.derivative(x, f)
            }
            #[inline]
            fn slopes(&self, x: TaylorDyn<T, K>, f: TaylorDyn<T, K>) -> TaylorDyn<T, K> {
                self.0.derivative(x, f)
            }
            #[inline(never)]
            fn linearized(&self, x: TaylorDyn<T, K>, f: TaylorDyn<T, K>) -> [TaylorDyn<T, K>; 2] {
                let d = self.0.derivative(Dual::constant(x), Dual::variable(f));
                [d.value(), d.tangent()]
            }
            #[inline]
            fn orders(&self, x: T, f: T, out: &mut [T]) {
                self.0.derivatives(x, f, out);
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn two(&self, x: T, f: T) -> [T; 2] {
                let d = self.0.derivative(x, f);
                [d, $second(self.0, x, f, d)]
            }
            #[inline(never)]
            fn three(&self, x: T, f: T) -> [T; 3] {
                let d = self.0.derivative(x, f);
                let dd = $second(self.0, x, f, d);
                let ddd = $second(self.0, Dual::variable(x), Dual::new(f, d), Dual::new(d, dd));
                [d, dd, ddd.tangent()]
            }
        }
        impl<T: $Kind, const K: usize, B: $Binary> SeriesRule2<T, K> for $Of<B> {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn object(&self) -> &dyn SeriesRule2<T, K> {
                self
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn recurrence(&self, x: T) -> Recurrence {
                self.0.recurrence(x)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn value(&self, x: T, y: T) -> T {
                x.$lift2(y, self.0)
            }
            #[inline]
            fn slopes(&self, [x, y]: [TaylorDyn<T, K>; 2], f: TaylorDyn<T, K>) -> [TaylorDyn<T, K>; 2] {
                self.0.partials(x, y, f)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn two(&self, [x, y]: [T; 2], f: T) -> ([T; 2], [T; 3]) {
                $partials(self.0, x, y, f)
            }
            fn derivatives(&self, $x: [T; 2], $out: &mut [[T; 2]]) {
                let $rule = self.0;
                $two
            }
            #[inline(never)]
            fn linearized(&self, x: [TaylorDyn<T, K>; 2], f: TaylorDyn<T, K>) -> [[TaylorDyn<T, K>; 2]; 2] {
                let [x, y] = x.map(Dual::constant);
                self.0.partials(x, y, Dual::variable(f)).map(|d| [d.value(), d.tangent()])
            }
        }
    };
}
rule!(RealRule Real, Unary lift1 second, Binary lift2 second_partials,
    |rule, x, out| rule.derivatives(x[0], x[1], out));
rule!(HolomorphicRule Number, Holomorphic lift_holomorphic second_holomorphic,
    HolomorphicBinary lift_holomorphic2 second_partials_holomorphic, |_rule, _x, _out| ());
