//! `ComplexVar<T>` as a number.

use super::complex::ComplexVar;
use super::complex_block;
use super::fan;
use super::var::Var;
use crate::duals::DualN;
use crate::error::AdError;
use crate::lift::Primitive;
use crate::number::{BaseFloat, Number, Real, Tapes, wide::products_of_others};
use crate::rules::{self, Holomorphic, HolomorphicBinary, boundary};

complex_layout!((T: Real) Var<T>);

carries_derivatives!((T) ComplexVar<T>);

impl<T: Real> Number for ComplexVar<T> {
    type Base = T::Base;
    type Primal = <T::Complex as Number>::Primal;
    type Re = Var<T>;
    const RECORDS: bool = true;
    const TRACES: bool = T::TRACES;
    const ORDER: usize = T::ORDER.saturating_add(1);
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn innermost(self) -> Self::Primal {
        self.value().innermost()
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_innermost(self, value: Self::Primal) -> Self {
        self.with_value(self.value().with_innermost(value))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant_of(value: Self::Primal) -> Self {
        Self::constant(T::Complex::constant_of(value))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn detach(self) -> Self {
        Self::constant(self.value().detach())
    }
    #[track_caller]
    fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        let (a, b) = (a.into(), b.into());
        let value = self.value().mul_add(a.value(), b.value());
        (self * a + b).with_value(value)
    }
    own_pair!();
    #[inline]
    fn lift_holomorphic<H: Holomorphic>(self, rule: H) -> Self {
        let z = self.value();
        let f = z.lift_holomorphic(rule);
        let d = boundary::partial(H::NAN_SAFE, || z, f, T::Complex::slope_of(rule, z, f));
        self.chain(f, d)
    }
    fn lift_holomorphic2<H: HolomorphicBinary>(self, w: Self, rule: H) -> Self {
        let point = [self.value(), w.value()];
        let f = point[0].lift_holomorphic2(point[1], rule);
        let d = T::Complex::slopes_of(rule, point[0], point[1], f);
        let [dz, dw] = d.map(|d| boundary::partial2(point, f, d));
        self.chain2(w, f, [dz, dw])
    }
    /// The formulas run forward and record their results as single steps, as for real variables.
    fn slopes_of<H: HolomorphicBinary>(rule: H, z: Self, w: Self, f: Self) -> [Self; 2] {
        let lane = |z: Self, at: usize| match z.is_passive() {
            true => DualN::<_, 2>::constant(z.value()),
            false => DualN::variable(z.value(), at),
        };
        let (u, v) = (lane(z, 0), lane(w, 1));
        let f = u.chain2(v, f.value(), T::Complex::slopes_of(rule, u.value(), v.value(), f.value()));
        rule.partials(u, v, f).map(|d| {
            let d = boundary::partial2([u, v], f, d);
            z.chain2(w, d.value(), d.tangents())
        })
    }
    fn total<I: Iterator<Item = Self>>(items: I) -> Self {
        let items: Vec<_> = items.collect();
        Self::demand_recordable(&[&items]);
        let value = T::Complex::total(items.iter().map(|z| z.value()));
        let part = |part: fn(&Self) -> Var<T>| fan::sum(items.iter().map(part));
        ComplexVar { re: part(|z| z.re), im: part(|z| z.im) }.with_value(value)
    }
    /// As for real variables, `Π xᵢ` is one step.
    fn multiplied<I: Iterator<Item = Self>>(items: I) -> Self {
        let items: Vec<_> = items.collect();
        let values: Vec<_> = items.iter().map(|z| z.value()).collect();
        let mut others = values.clone();
        products_of_others(&values, &mut others);
        Self::linear(T::Complex::multiplied(values.iter().copied()), others.into_iter().zip(items))
    }
    fn inner_product<I: Iterator<Item = (Self, Self)>>(pairs: I) -> Self {
        let pairs: Vec<_> = pairs.collect();
        let value = T::Complex::inner_product(pairs.iter().map(|(z, w)| (z.value(), w.value())));
        let parts = |z: [fn(Self) -> Var<T>; 2], w: [fn(Self) -> Var<T>; 2], sign: fn(Var<T>) -> Var<T>| {
            let terms = |&(a, b): &(Self, Self)| [z[0](a) * w[0](b), sign(z[1](a)) * w[1](b)];
            fan::sum(pairs.iter().flat_map(terms))
        };
        let re = parts([Self::re, Self::im], [Self::re, Self::im], |x| -x);
        let im = parts([Self::re, Self::im], [Self::im, Self::re], |x| x);
        ComplexVar { re, im }.with_value(value)
    }
    fn note_tapes(self, tapes: &mut Tapes) {
        self.re.note_tapes(tapes);
        self.im.note_tapes(tapes);
    }
    #[track_caller]
    fn demand_tapes(tapes: &Tapes) {
        Var::<T>::demand_tapes(tapes);
    }
    fn lift_primitive<R: Primitive<Self::Primal>>(rule: &R, x: &[&[Self]]) -> Result<Vec<Self>, AdError> {
        complex_block::record(rule, x)
    }
}

complex_scalar!((T: Real) ComplexVar<T>, T::Complex);
