//! Confused perturbations, found in builds with debug assertions.
//!
//! An inner derivative at a plain point has the number type of the outer one, `Dual<f64>`. If its function depends on an outer
//! number, tangents of both are added up. Where a driver runs within another one of the same number type, its function is first
//! evaluated at constants: a result that is no constant has tangents from outside.

use std::any::{TypeId, type_name};
use std::cell::RefCell;

use crate::error::AdError;
use crate::number::{Number, Real};

thread_local! {
    /// The number types at which functions are being differentiated, the innermost last.
    static LEVELS: RefCell<Vec<TypeId>> = const { RefCell::new(Vec::new()) };
}

/// One function that is being differentiated.
pub(super) struct Level;

impl Drop for Level {
    fn drop(&mut self) {
        LEVELS.with_borrow_mut(|levels| levels.pop());
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
    // Tapes report variables of others themselves; differences have no tangents.
    let has_own_tangents = N::ORDER > T::ORDER && !N::RECORDS && !N::TRACES;
    let is_inner = has_own_tangents && LEVELS.with_borrow(|levels| levels.contains(&TypeId::of::<N>()));
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
    LEVELS.with_borrow_mut(|levels| levels.push(TypeId::of::<N>()));
    Ok(Level)
}
