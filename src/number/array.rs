//! Arrays of functions of the index.

#[cfg(not(debug_assertions))]
pub(crate) use core::array::from_fn;

/// [`core::array::from_fn`] for a function as an object: an unoptimised build compiles its inner functions once for a type of
/// items, not once for each function.
#[cfg(debug_assertions)]
pub(crate) fn from_fn<T, const N: usize, F: FnMut(usize) -> T>(mut f: F) -> [T; N] {
    let f: &mut dyn FnMut(usize) -> T = &mut f;
    core::array::from_fn(f)
}
