//! Confused perturbations.
//!
//! An inner derivative at a plain point has the number type of the outer one, `Dual<f64>`, or a type that contains it, as the
//! `Var<Dual<f64>>` of a Hessian. If its function depends on an outer number, tangents of both are added up. Where a driver runs
//! within another one of such a type, its function is first evaluated at constants: a result that is no constant has tangents
//! from outside.

use std::any::{Any, type_name};
use std::cell::Cell;

use crate::error::AdError;
use crate::number::{Number, Real};

thread_local! {
    /// The number types at which functions are being differentiated, each as its [`mark`].
    static LEVELS: Cell<u64> = const { Cell::new(0) };
}

/// During a check: the levels within are not checked too.
const CHECKING: u64 = 1 << 63;

/// The bit of a number type. Types may share one: then a function is evaluated at constants in vain.
const fn mark<N: Number>() -> u64 {
    1 << ((N::ORDER.wrapping_mul(17).wrapping_add(size_of::<N>() / 4)) % 63)
}

/// The levels outside, set again when it is dropped.
pub(super) struct Level {
    outer: u64,
}

impl Drop for Level {
    #[inline]
    fn drop(&mut self) {
        LEVELS.set(self.outer);
    }
}

/// Begins to differentiate at numbers `N` over a point of type `T`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn enter<T: Real, N: Real>() -> Option<Level> {
    let marks = const { marks::<T, N>() };
    if marks == 0 {
        return None;
    }
    let outer = LEVELS.get();
    LEVELS.set(outer | marks);
    Some(Level { outer })
}

/// Before a function is differentiated at numbers `N` over a point of type `T`; `at_constants` shows its results there.
///
/// # Errors
/// [`AdError::Confusion`] if a level of a number within `N` is open, and a result has tangents.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn check<T: Real, N: Real>(
    op: &'static str,
    at_constants: impl FnOnce(&mut dyn FnMut(N)),
) -> Result<(), AdError> {
    let marks = const { marks::<T, N>() };
    let outer = if marks == 0 { 0 } else { LEVELS.get() };
    if outer & marks == 0 || outer & CHECKING != 0 {
        return Ok(());
    }
    run_check::<T, N>(op, at_constants, Level { outer })
}

#[cold]
#[inline(never)]
fn run_check<T: Real, N: Real>(
    op: &'static str,
    at_constants: impl FnOnce(&mut dyn FnMut(N)),
    _back: Level,
) -> Result<(), AdError> {
    LEVELS.set(CHECKING);
    let mut are_constant = true;
    at_constants(&mut |y| are_constant &= is_constant::<T, N>(y));
    if are_constant { Ok(()) } else { Err(AdError::Confusion { op, number: type_name::<N>() }) }
}

/// The types of numbers with tangents above `T`: `N`, and each within it. A tape reports variables of others itself.
const fn marks<T: Real, N: Number>() -> u64 {
    // Questions to traced numbers would be guards of the program.
    if N::TRACES || N::ORDER <= T::ORDER {
        return 0;
    }
    let is_tape = N::RECORDS && !N::Part::RECORDS;
    marks::<T, N::Part>() | if is_tape { 0 } else { mark::<N>() }
}

/// A number without tangents above `T`.
pub(super) fn constant<T: Real, N: Number>(x: T) -> N {
    let same = (&x as &dyn Any).downcast_ref();
    same.copied().unwrap_or_else(|| N::of_part(constant::<T, N::Part>(x)))
}

/// Whether all tangents above `T` are zero, or not finite.
fn is_constant<T: Real, N: Number>(y: N) -> bool {
    if N::ORDER <= T::ORDER {
        return true;
    }
    y.fold_parts(is_constant::<T, N::Part>, |all, t| all & (!t.all_finite() | t.is_exactly_zero()))
}
