//! Tuples: several arguments of different types.

#[cfg(feature = "nalgebra")]
use super::Dyn;
use super::{Components, Differentiable, Embedding, SelfTangent, boxed, shaped};
use crate::number::Real;

macro_rules! tuples {
    ($($P:ident $i:tt),*) => {
        impl<__L, $($P: SelfTangent<__L>),*> SelfTangent<__L> for ($($P,)*) {}
        impl<__L, $($P: Differentiable<__L>),*> Differentiable<__L> for ($($P,)*) {
            type Tangent = ($($P::Tangent,)*);
            type Owned = ($($P::Owned,)*);
        }
        boxed!(
            [$($P: SelfTangent),*] [$($P: Differentiable),*] [T: Real, $($P: Components<T>),*]
            T, ($($P,)*), Box<($($P::With<__WengertS>,)*)>
        );
        shaped! { @layout __L [T: Real, __L, $($P: Components<T, __L>),*] T, ($($P,)*), Dyn; }
        impl<T: Real, __L, $($P: Components<T, __L>),*> Components<T, __L> for ($($P,)*) {
            type Arg<S: Real> = ($($P::With<S>,)*);
            type With<S: Real> = ($($P::With<S>,)*);
            const FLAT: bool = $($P::FLAT)&&*;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn visit(&self, f: &mut impl FnMut(T)) {
                $(self.$i.visit(f);)*
            }
            fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
                $(self.$i.visit_mut(f);)*
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Self::With<S> {
                ($(self.$i.map(f),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn map_same(&self, f: &mut impl FnMut(T) -> T) -> Self::Owned {
                ($(self.$i.map_same(f),)*)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn tangent_from(&self, next: &mut impl FnMut() -> T) -> Self::Tangent {
                ($(self.$i.tangent_from(next),)*)
            }
            fn outline(&self, f: &mut impl FnMut((usize, usize))) {
                $(self.$i.outline(f);)*
            }
            fn has_plain_of<S: Real>(&self, other: &Self::With<S>) -> bool {
                true $(&& self.$i.has_plain_of::<S>(&other.$i))*
            }
            fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
                $(self.$i.embed(how, next, out);)*
            }
            fn seeded<S: Real>(&self, lift: &impl Fn(T) -> S, next: &mut impl FnMut(T) -> S) -> Self::With<S> {
                ($(self.$i.seeded(lift, next),)*)
            }
            fn seed_over<S: Real>(
                &self,
                lift: &impl Fn(T) -> S,
                next: &mut impl FnMut(T) -> S,
                kept: &mut Self::With<S>,
            ) {
                $(self.$i.seed_over(lift, next, &mut kept.$i);)*
            }
            fn retract(&self, next: &mut impl FnMut() -> T) -> Self::Owned {
                ($(self.$i.retract(next),)*)
            }
            fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
                $(self.$i.difference(&from.$i, out);)*
            }
        }
    };
}
tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
