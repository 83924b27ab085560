//! Structures of structures: sequences and options.

use super::{Components, Differentiable, Embedding, SelfTangent};
use crate::number::Real;
use crate::number::array::from_fn;

#[cfg_attr(not(debug_assertions), inline(always))]
fn into_vec<P, Q>(items: &[P], mut f: impl FnMut(&P) -> Q) -> Vec<Q> {
    let mut all = Vec::with_capacity(items.len());
    for item in items {
        all.push(f(item));
    }
    all
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn into_array<P, Q, const N: usize>(items: &[P; N], mut f: impl FnMut(&P) -> Q) -> [Q; N] {
    from_fn(|i| f(&items[i]))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn into_option<P, Q>(item: &Option<P>, f: impl FnMut(&P) -> Q) -> Option<Q> {
    item.as_ref().map(f)
}

/// Overwrites a vector of any length; `write` gets an existing part to overwrite, or makes a new one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn over_vec<P, Q>(items: &[P], kept: &mut Vec<Q>, mut write: impl FnMut(&P, Option<&mut Q>) -> Option<Q>) {
    kept.truncate(items.len());
    let (old, new) = items.split_at(kept.len());
    for (p, kept) in old.iter().zip(kept.iter_mut()) {
        _ = write(p, Some(kept));
    }
    kept.reserve(new.len());
    for p in new {
        kept.extend(write(p, None));
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn over_array<P, Q, const N: usize>(
    items: &[P; N],
    kept: &mut [Q; N],
    mut write: impl FnMut(&P, Option<&mut Q>) -> Option<Q>,
) {
    for (p, kept) in items.iter().zip(kept) {
        _ = write(p, Some(kept));
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn over_option<P, Q>(
    item: &Option<P>,
    kept: &mut Option<Q>,
    mut write: impl FnMut(&P, Option<&mut Q>) -> Option<Q>,
) {
    match item {
        Some(p) => *kept = write(p, kept.as_mut()).or(kept.take()),
        None => *kept = None,
    }
}

/// Methods that call the parts: `$gather` makes a container of results from one of parts, `$over` writes over one.
macro_rules! forwarded {
    ($gather:ident, $over:ident) => {
        const FLAT: bool = P::FLAT;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn visit(&self, f: &mut impl FnMut(T)) {
            for p in self.iter() {
                p.visit(f);
            }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn visit_mut(&mut self, f: &mut impl FnMut(&mut T)) {
            for p in self.iter_mut() {
                p.visit_mut(f);
            }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn map<S: Real>(&self, f: &mut impl FnMut(T) -> S) -> Self::With<S> {
            $gather(self, |p| p.map(f))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn has_plain_of<S: Real>(&self, other: &Self::With<S>) -> bool {
            self.contiguous().is_some()
                || self.iter().zip(other.iter()).all(|(p, other)| p.has_plain_of::<S>(other))
        }
        fn map_same(&self, f: &mut impl FnMut(T) -> T) -> Self::Owned {
            $gather(self, |p| p.map_same(f))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn tangent_from(&self, next: &mut impl FnMut() -> T) -> Self::Tangent {
            $gather(self, |p| p.tangent_from(next))
        }
        fn embed(&self, how: Embedding, next: &mut impl FnMut() -> T, out: &mut impl FnMut(T)) {
            for p in self.iter() {
                p.embed(how, next, out);
            }
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn seeded<S: Real>(&self, lift: &impl Fn(T) -> S, next: &mut impl FnMut(T) -> S) -> Self::With<S> {
            $gather(self, |p| p.seeded(lift, next))
        }
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn seed_over<S: Real>(
            &self,
            lift: &impl Fn(T) -> S,
            next: &mut impl FnMut(T) -> S,
            kept: &mut Self::With<S>,
        ) {
            $over(self, kept, |p, kept| match kept {
                Some(kept) => {
                    p.seed_over(lift, next, kept);
                    None
                }
                None => Some(p.seeded(lift, next)),
            });
        }
        fn retract(&self, next: &mut impl FnMut() -> T) -> Self::Owned {
            $gather(self, |p| p.retract(next))
        }
        fn difference(&self, from: &Self, out: &mut impl FnMut(T)) {
            for (p, from) in self.iter().zip(from) {
                p.difference(from, out);
            }
        }
    };
}

macro_rules! sequence {
    ([$($g:tt)*] $X:ty, $gather:ident, $over:ident, $tangent:ty, $owned:ty, $with:ty, $len:expr) => {
        impl<L, P: SelfTangent<L>, $($g)*> SelfTangent<L> for $X {}
        impl<L, P: Differentiable<L>, $($g)*> Differentiable<L> for $X {
            type Tangent = $tangent;
            type Owned = $owned;
        }
        impl<T: Real, L, P: Components<T, L>, $($g)*> Components<T, L> for $X {
            type Arg<S: Real> = [P::With<S>];
            type With<S: Real> = $with;
            const LEN: Option<usize> = $len;
            forwarded!($gather, $over);
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn count(&self) -> usize {
                self.contiguous().map_or_else(|| self.iter().map(|p| p.count()).sum(), |run| run.len())
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn outline(&self, f: &mut impl FnMut((usize, usize))) {
                if self.contiguous().is_some() {
                    f((self.len(), 1));
                    return;
                }
                f((self.len(), 0));
                self.iter().for_each(|p| p.outline(f));
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn contiguous(&self) -> Option<&[T]> {
                P::run(self)
            }
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn contiguous_mut(&mut self) -> Option<&mut [T]> {
                P::run_mut(self)
            }
        }
    };
}
sequence!([][P], into_vec, over_vec, Vec<P::Tangent>, Vec<P::Owned>, Vec<P::With<S>>, None);
sequence!([] Vec<P>, into_vec, over_vec, Vec<P::Tangent>, Vec<P::Owned>, Vec<P::With<S>>, None);
sequence!(
    [const N: usize] [P; N], into_array, over_array, [P::Tangent; N], [P::Owned; N], [P::With<S>; N],
    if P::SINGLE { Some(N) } else { None }
);

impl<L, P: SelfTangent<L>> SelfTangent<L> for Option<P> {}

impl<L, P: Differentiable<L>> Differentiable<L> for Option<P> {
    type Tangent = Option<P::Tangent>;
    type Owned = Option<P::Owned>;
}

impl<T: Real, L, P: Components<T, L>> Components<T, L> for Option<P> {
    type Arg<S: Real> = Option<P::With<S>>;
    type With<S: Real> = Option<P::With<S>>;
    forwarded!(into_option, over_option);
    fn outline(&self, f: &mut impl FnMut((usize, usize))) {
        f((self.iter().len(), 0));
        self.iter().for_each(|p| p.outline(f));
    }
}
