//! Confused perturbations, found in builds with debug assertions.
//!
//! An inner derivative at a plain point has the number type of the outer one, `Dual<f64>`. If its function depends on an outer
//! number, tangents of both are added up. Where a driver runs within another one of the same number type, its function is first
//! evaluated at constants: a result that is no constant has tangents from outside.

use std::any::{TypeId, type_name};
use std::cell::Cell;

use crate::error::AdError;
use crate::number::{Number, Real};

/// Levels that are compared: more would allocate.
const MOST: usize = 8;

thread_local! {
    /// The number types at which functions are being differentiated, the outermost first.
    static LEVELS: Cell<[Option<TypeId>; MOST]> = const { Cell::new([None; MOST]) };
}

/// One function that is being differentiated: its place among the levels.
pub(super) struct Level(Option<usize>);

impl Level {
    fn set(&self, level: Option<TypeId>) {
        let mut levels = LEVELS.get();
        self.0.into_iter().for_each(|place| levels[place] = level);
        LEVELS.set(levels);
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        self.set(None);
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
    // Tapes report variables of others themselves, but not their duals; differences have no tangents.
    let has_own_tangents = N::ORDER > T::ORDER && !N::RECORDS && !N::TRACES;
    let is_inner = has_own_tangents && LEVELS.get().contains(&Some(TypeId::of::<N>()));
    if is_inner {
        at_constants(&mut |y| {
            let is_confused = y.fold_parts(|_| false, |any, t| any | (t.all_finite() & !t.is_exactly_zero()));
            assert!(
                !is_confused,
                "{op}: the function depends on a number of an outer derivative, whose type is that of this one, `{}`. Give \
                 this one a point of that type, as `Dual::constant(2.0)` for `2.0`",
                type_name::<N>()
            );
        })?;
    }
    let level = Level(LEVELS.get().iter().position(Option::is_none));
    level.set(Some(TypeId::of::<N>()));
    Ok(level)
}
