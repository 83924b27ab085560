//! Numbers that hold the values of several terms, one in each lane: what asks all lanes at once, and what goes lane by lane.
//!
//! A program takes one branch, that of lane 0. Whatever answers a question about a number of several lanes says if the
//! answers differ, and what was computed is then not used: see [`Batch`](crate::sums::Batch).

#[cfg(feature = "std")]
use std::cell::Cell;

use super::Number;

#[cfg(feature = "std")]
thread_local! {
    /// Whether lanes have given different answers.
    static DIFFERENT: Cell<bool> = const { Cell::new(false) };
}

/// Says that lanes have given different answers.
#[cfg(feature = "std")]
#[cold]
#[inline(never)]
pub(crate) fn disagree() {
    DIFFERENT.set(true);
}

/// Whether lanes have given different answers in what is being watched.
#[cfg(feature = "std")]
pub(crate) fn have_disagreed() -> bool {
    DIFFERENT.get()
}

/// Runs `f`; whether lanes gave different answers in it. What went before is kept, also if it panics.
#[cfg(feature = "std")]
pub(crate) fn watch<Y>(f: impl FnOnce() -> Y) -> (Y, bool) {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            DIFFERENT.set(self.0);
        }
    }
    let before = Before(DIFFERENT.replace(false));
    let y = f();
    let different = have_disagreed();
    drop(before);
    (y, different)
}

/// The answer of lane 0 of so many.
#[inline(always)]
pub(crate) fn agree<A: PartialEq>(lanes: usize, answer: impl Fn(usize) -> A) -> A {
    let first = answer(0);
    #[cfg(feature = "std")]
    if (1..lanes).any(|lane| answer(lane) != first) {
        disagree();
    }
    #[cfg(not(feature = "std"))]
    let _ = lanes;
    first
}

/// What a formula makes of numbers: of each lane as if it stood alone, where it takes several branches.
#[inline(always)]
pub(crate) fn apart<T: Number, const N: usize, const M: usize>(
    x: [T; N],
    formula: impl Fn([T; N]) -> [T; M],
) -> [T; M] {
    if T::TERMS == 1 {
        return formula(x);
    }
    #[cfg(feature = "std")]
    let (mut y, different) = watch(|| formula(x));
    #[cfg(not(feature = "std"))]
    let (mut y, different) = (formula(x), true);
    for lane in 0..if different { T::TERMS } else { 0 } {
        let alone = formula(x.map(|x| x.of_lane(lane)));
        y.iter_mut().zip(alone).for_each(|(y, alone)| *y = alone.mixed(*y, |l| l == lane));
    }
    y
}

/// What goes lane by lane, of all numbers.
macro_rules! lanes_of_numbers {
    () => {
        /// For how many terms the number stands; `Batch` alone has several, and the numbers over it.
        #[doc(hidden)]
        const TERMS: usize = 1;
        /// The innermost value of a lane.
        #[doc(hidden)]
        #[inline(always)]
        fn innermost_of(self, lane: usize) -> Self::Primal {
            if Self::TERMS == 1 { self.innermost() } else { self.value_part().innermost_of(lane) }
        }
        /// A constant from the innermost value of each lane.
        #[doc(hidden)]
        #[inline(always)]
        fn of_lanes(value: impl Fn(usize) -> Self::Primal) -> Self {
            if Self::TERMS == 1 {
                return Self::constant_of(value(0));
            }
            let zero = Self::lit(0.0);
            zero.zip_parts(zero, |_, _| Self::Part::of_lanes(value), |zero, _| zero)
        }
        /// The same number with the innermost value of another.
        #[doc(hidden)]
        #[inline(always)]
        fn with_value_of(self, other: Self) -> Self {
            if Self::TERMS == 1 {
                return self.with_innermost(other.innermost());
            }
            self.zip_parts(other, |value, other| value.with_value_of(other), |tangent, _| tangent)
        }
        /// The number of a lane, in all lanes.
        #[doc(hidden)]
        #[inline(always)]
        fn of_lane(self, lane: usize) -> Self {
            if Self::TERMS == 1 { self } else { self.map_parts(|part| part.of_lane(lane)) }
        }
        /// In each lane this number or another, with value and tangents.
        #[doc(hidden)]
        #[inline(always)]
        #[track_caller]
        fn mixed(self, other: Self, is_own: impl Fn(usize) -> bool + Copy) -> Self {
            if Self::TERMS == 1 {
                return if is_own(0) { self } else { other };
            }
            let part = |own: Self::Part, other| own.mixed(other, is_own);
            self.zip_parts(other, part, part)
        }
        /// `f′` of a holomorphic rule, of each lane as if it stood alone.
        #[doc(hidden)]
        #[inline(always)]
        fn slope_of<H: Holomorphic>(rule: H, x: Self, f: Self) -> Self {
            let [slope] = $crate::number::apart([x, f], |[x, f]| [rule.derivative(x, f)]);
            slope
        }
        /// The partials of a holomorphic rule, of each lane as if it stood alone.
        #[doc(hidden)]
        #[inline(always)]
        fn slopes_of<H: HolomorphicBinary>(rule: H, x: Self, y: Self, f: Self) -> [Self; 2] {
            $crate::number::apart([x, y, f], |[x, y, f]| rule.partials(x, y, f))
        }
    };
}

/// What goes lane by lane, of real numbers.
macro_rules! lanes_of_reals {
    () => {
        /// The innermost value of a lane.
        #[doc(hidden)]
        #[inline(always)]
        fn primal_of(self, lane: usize) -> Self::Base {
            self.innermost_of(lane).re().primal()
        }
        /// `f′` of a rule, of each lane as if it stood alone.
        #[doc(hidden)]
        #[inline(always)]
        fn slope<U: Unary>(rule: U, x: Self, f: Self) -> Self {
            let [slope] = $crate::number::apart([x, f], |[x, f]| [rule.derivative(x, f)]);
            slope
        }
        /// The partials of a rule, of each lane as if it stood alone.
        #[doc(hidden)]
        #[inline(always)]
        fn slopes<B: Binary>(rule: B, x: Self, y: Self, f: Self) -> [Self; 2] {
            $crate::number::apart([x, y, f], |[x, y, f]| rule.partials(x, y, f))
        }
    };
}
