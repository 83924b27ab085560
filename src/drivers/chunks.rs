//! Seeding a point, some directions at a time.

use std::borrow::Borrow;
use std::ops::Range;

use crate::forward::{Dual, Dual2, DualN};
use crate::number::Real;
use crate::space::Components;

/// A number with some directions, over the numbers `T` of a point.
pub(super) trait Lanes<T>: Real {
    /// A constant in every direction.
    fn lifted(x: T) -> Self;
    /// The variable of one direction.
    fn seed(self, lane: usize) -> Self;
    /// Without direction.
    fn clear(self) -> Self;
}

impl<T: Real, const N: usize> Lanes<T> for DualN<T, N> {
    #[inline(always)]
    fn lifted(x: T) -> Self {
        DualN::constant(x)
    }
    #[inline(always)]
    fn seed(self, lane: usize) -> Self {
        DualN::variable(self.value(), lane)
    }
    #[inline(always)]
    fn clear(self) -> Self {
        DualN::constant(self.value())
    }
}

impl<T: Real, const N: usize, const M: usize> Lanes<T> for Dual2<T, N, M> {
    #[inline(always)]
    fn lifted(x: T) -> Self {
        Dual2::constant(x)
    }
    #[inline(always)]
    fn seed(self, lane: usize) -> Self {
        Dual2::variable(self.value(), lane)
    }
    #[inline(always)]
    fn clear(self) -> Self {
        Dual2::constant(self.value())
    }
}

/// The outer tangent is one direction more, which stays.
impl<T: Real, L: Lanes<T>> Lanes<T> for Dual<L> {
    #[inline(always)]
    fn lifted(x: T) -> Self {
        Dual::constant(L::lifted(x))
    }
    #[inline(always)]
    fn seed(self, lane: usize) -> Self {
        Dual::new(self.value().seed(lane), self.tangent())
    }
    #[inline(always)]
    fn clear(self) -> Self {
        Dual::new(self.value().clear(), self.tangent())
    }
}

/// The directions of `all`, at most `width` at a time; without directions there is one empty chunk.
pub(super) fn chunks(all: Range<usize>, width: usize) -> impl Iterator<Item = Range<usize>> {
    let count = all.len().div_ceil(width).max(1);
    (0..count).map(move |k| {
        let start = all.start + k * width;
        start..all.end.min(start + width)
    })
}

/// Shows `visit` the point once for each set of directions: these are seeded, all others are as `start(i, xᵢ)` made
/// them. A point of a group is a function of its tangent, made anew for each set; any other is made once.
pub(super) fn for_each_set<T, X, S, I>(
    x: &X,
    sets: impl Iterator<Item = I>,
    start: impl Fn(usize, T) -> S,
    mut visit: impl FnMut(&X::Arg<S>, I),
) where
    T: Real,
    X: Components<T> + ?Sized,
    S: Lanes<T>,
    I: Iterator<Item = usize> + Clone,
{
    if !X::FLAT {
        for set in sets {
            let mut directions = 0..;
            let mut next = |x| {
                let i = directions.next().expect("endless");
                let lane = set.clone().position(|j| j == i);
                lane.map_or(start(i, x), |lane| start(i, x).seed(lane))
            };
            visit(x.seeded(&S::lifted, &mut next).borrow(), set.clone());
        }
        return;
    }
    let mut directions = 0..;
    let mut point = x.map(&mut |x| start(directions.next().expect("endless"), x));
    for set in sets {
        exchange(&mut point, set.clone(), S::seed);
        visit(point.borrow(), set.clone());
        exchange(&mut point, set, |x, _| x.clear());
    }
}

/// Exchanges the components of a set, each by what it is and its place in the set.
#[inline(always)]
fn exchange<S: Real, P: Components<S>>(
    point: &mut P,
    set: impl Iterator<Item = usize> + Clone,
    f: impl Fn(S, usize) -> S,
) {
    if let Some(run) = point.contiguous_mut() {
        set.enumerate().for_each(|(lane, i)| run[i] = f(run[i], lane));
        return;
    }
    let mut i = 0;
    point.visit_mut(&mut |x| {
        if let Some(lane) = set.clone().position(|j| j == i) {
            *x = f(*x, lane);
        }
        i += 1;
    });
}

/// Zeros to write a result to: up to sixteen on the stack.
pub(super) fn with_buffer<T: Real, R>(n: usize, f: impl FnOnce(&mut [T]) -> R) -> R {
    const FEW: usize = 16;
    let mut few = [T::lit(0.0); FEW];
    let mut many = vec![T::lit(0.0); if n > FEW { n } else { 0 }];
    f(if n > FEW { &mut many } else { &mut few[..n] })
}
