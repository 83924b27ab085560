//! Confused perturbations, found in builds with debug assertions.
//!
//! An inner derivative at a plain point has the number type of the outer one, `Dual<f64>`, or a type that contains it, as the
//! `Var<Dual<f64>>` of a Hessian. If its function depends on an outer number, tangents of both are added up. Where a driver runs
//! within another one of such a type, its function is first evaluated at constants: a result that is no constant has tangents
//! from outside.

use std::any::{TypeId, type_name};
use std::cell::Cell;

use crate::error::AdError;
use crate::number::{Number, Real};
use crate::tapes::Var;

/// Levels that are compared: more would allocate.
const MOST: usize = 8;

type Levels = [Option<TypeId>; MOST];

thread_local! {
    /// The number types at which functions are being differentiated, the outermost first. None during a check, so that
    /// the levels within are not checked too.
    static LEVELS: Cell<Option<Levels>> = const { Cell::new(Some([None; MOST])) };
}

/// One more level, until it is dropped.
pub(super) struct Level {
    outer: Option<Levels>,
}

impl Drop for Level {
    fn drop(&mut self) {
        LEVELS.set(self.outer);
    }
}

/// Begins to differentiate a function at numbers `N` over a point of type `T`. `at_constants` shows the results at constants.
///
/// # Panics
/// If a result has tangents.
pub(super) fn enter<T: Real, N: Real>(
    op: &'static str,
    at_constants: impl FnOnce(&mut dyn FnMut(N)) -> Result<(), AdError>,
) -> Result<Level, AdError> {
    let level = Level { outer: LEVELS.get() };
    let Some(mut levels) = level.outer else { return Ok(level) };
    if is_confusable::<T, N>(&levels) {
        LEVELS.set(None);
        let _back = Level { outer: level.outer };
        at_constants(&mut |y| {
            assert!(
                is_constant::<T, N>(y),
                "{op}: the function depends on a number of an outer derivative, whose type is that of this one, or within it, \
                 `{}`. Give this one a point of the outer type, as `Dual::constant(2.0)` for `2.0`",
                type_name::<N>()
            );
        })?;
    }
    if let Some(place) = levels.iter().position(Option::is_none) {
        levels[place] = Some(TypeId::of::<N>());
    }
    LEVELS.set(Some(levels));
    Ok(level)
}

/// Whether `N`, or a number within it above `T`, is the type of a level.
fn is_confusable<T: Real, N: Number>(levels: &Levels) -> bool {
    // Questions to traced numbers would be guards of the program.
    if N::TRACES || N::ORDER <= T::ORDER {
        return false;
    }
    // Tapes report variables of others themselves.
    let number = TypeId::of::<N>();
    let is_level = levels.contains(&Some(number)) && number != TypeId::of::<Var<N::Part>>();
    is_level || is_confusable::<T, N::Part>(levels)
}

/// Whether all tangents above `T` are zero, or not finite.
fn is_constant<T: Real, N: Number>(y: N) -> bool {
    if N::ORDER <= T::ORDER {
        return true;
    }
    y.fold_parts(is_constant::<T, N::Part>, |all, t| all & (!t.all_finite() | t.is_exactly_zero()))
}
