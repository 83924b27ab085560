//! Structures of structures: sequences and options.

use super::{Carry, Components, Differentiable, Flat};
use crate::number::Real;

#[inline(always)]
fn into_vec<P, Q>(items: &[P], f: impl FnMut(&P) -> Q) -> Vec<Q> {
    items.iter().map(f).collect()
}

#[inline(always)]
fn into_array<P, Q, const N: usize>(items: &[P; N], mut f: impl FnMut(&P) -> Q) -> [Q; N] {
    std::array::from_fn(|i| f(&items[i]))
}

#[inline(always)]
fn into_option<P, Q>(item: &Option<P>, f: impl FnMut(&P) -> Q) -> Option<Q> {
    item.as_ref().map(f)
}

/// What is forwarded to the parts: `$gather` makes a container of results from one of parts.
macro_rules! forwarded {
    ($gather:ident) => {
        const FLAT: bool = P::FLAT;
        #[inline(always)]
        fn visit(&self, f: &mut impl FnMut(T)) {
            self.iter().for_each(|p| p.visit(f));
        }
        #[inline(always)]
        fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
            self.iter_mut().for_each(|p| p.visit_mut(f));
        }
        #[inline(always)]
        fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Self::With<S> {
            $gather(self, |p| p.map(f))
        }
        fn alike(&self, f: &mut impl FnMut(T) -> T) -> Self::Owned {
            $gather(self, |p| p.alike(f))
        }
        #[inline(always)]
        fn tangent_from(&self, next: &mut impl FnMut() -> T) -> Self::Tangent {
            $gather(self, |p| p.tangent_from(next))
        }
        fn carry(&self, how: Carry, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
            self.iter().for_each(|p| p.carry(how, next, out));
        }
        #[inline(always)]
        fn seeded<S: Real>(&self, lift: &impl Fn(T) -> S, next: &mut impl FnMut(T) -> S) -> Self::With<S> {
            $gather(self, |p| p.seeded(lift, next))
        }
        fn moved(&self, next: &mut impl FnMut() -> T) -> Self::Owned {
            $gather(self, |p| p.moved(next))
        }
        fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
            self.iter().zip(from.iter()).for_each(|(p, from)| p.difference(from, out));
        }
    };
}

macro_rules! sequence {
    ([$($g:tt)*] $X:ty, $gather:ident, $tangent:ty, $owned:ty, $with:ty) => {
        impl<P: Flat, $($g)*> Flat for $X {}
        impl<P: Differentiable, $($g)*> Differentiable for $X {
            type Tangent = $tangent;
            type Owned = $owned;
        }
        impl<T: Real, P: Components<T>, $($g)*> Components<T> for $X {
            type Arg<S: Real> = [P::With<S>];
            type With<S: Real> = $with;
            forwarded!($gather);
            #[inline(always)]
            fn count(&self) -> usize {
                self.contiguous().map_or_else(|| self.iter().map(|p| p.count()).sum(), |run| run.len())
            }
            #[inline(always)]
            fn outline(&self, f: &mut impl FnMut((usize, usize))) {
                if self.contiguous().is_some() {
                    f((self.len(), 1));
                    return;
                }
                f((self.len(), 0));
                self.iter().for_each(|p| p.outline(f));
            }
            #[inline(always)]
            fn contiguous(&self) -> Option<&[T]> {
                P::run(self)
            }
            #[inline(always)]
            fn contiguous_mut(&mut self) -> Option<&mut [T]> {
                P::run_mut(self)
            }
        }
    };
}
sequence!([][P], into_vec, Vec<P::Tangent>, Vec<P::Owned>, Vec<P::With<S>>);
sequence!([] Vec<P>, into_vec, Vec<P::Tangent>, Vec<P::Owned>, Vec<P::With<S>>);
sequence!([const N: usize] [P; N], into_array, [P::Tangent; N], [P::Owned; N], [P::With<S>; N]);

impl<P: Flat> Flat for Option<P> {}

impl<P: Differentiable> Differentiable for Option<P> {
    type Tangent = Option<P::Tangent>;
    type Owned = Option<P::Owned>;
}

impl<T: Real, P: Components<T>> Components<T> for Option<P> {
    type Arg<S: Real> = Option<P::With<S>>;
    type With<S: Real> = Option<P::With<S>>;
    forwarded!(into_option);
    fn outline(&self, f: &mut impl FnMut((usize, usize))) {
        f((self.iter().len(), 0));
        self.iter().for_each(|p| p.outline(f));
    }
}
