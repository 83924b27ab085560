//! Segments that are run again in the sweep instead of being recorded.

use num_traits::Float;

use super::misuse;
use super::recording::record_map;
use super::sweep::inherited;
use super::tape::Tape;
use super::var::Var;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Real};

/// Evaluates `f` at `x` without recording it; the backward sweep runs it again on a separate tape. This saves memory
/// and costs one more evaluation.
///
/// The tape holds one block with the values of `x` instead of the operations of `f`. Segments nest to some hundred
/// levels; each level holds a tape while it is swept. Pass all active variables that `f` uses through `x`, and data
/// by value or `Arc`, because `f` stays on the tape. `f` must return the same results at the same point: draw random
/// numbers outside. Keep no number from one call to the next: the first run is at constants, so a number from it has no
/// derivative. [`loop_gradient`](crate::reverse::loop_gradient) takes closures that borrow.
///
/// # Panics
/// If the results depend on an active variable that `f` captured. In the sweep, if `f` returns other results than
/// before.
///
/// ```
/// use wengert::{Var, gradient, reverse::checkpoint};
/// let f = |x: &[Var<f64>]| {
///     let long = |x: &[Var<f64>]| {
///         vec![(0..1000).fold(x[0], |y, _| y + (x[0] * y).sin() * 1e-3)]
///     };
///     checkpoint(long, x)[0] * x[1]
/// };
/// let plain = |x: &[Var<f64>]| {
///     (0..1000).fold(x[0], |y, _| y + (x[0] * y).sin() * 1e-3) * x[1]
/// };
/// assert_eq!(gradient(f, &[0.5, 2.0]), gradient(plain, &[0.5, 2.0]));
/// ```
#[track_caller]
pub fn checkpoint<T: Real>(f: impl Fn(&[Var<T>]) -> Vec<Var<T>> + 'static, x: &[Var<T>]) -> Vec<Var<T>> {
    let values: Vec<T> = x.iter().map(|x| x.value()).collect();
    let constants: Vec<Var<T>> = values.iter().map(|&v| Var::constant(v)).collect();
    let y = f(&constants);
    let mut results = Vec::with_capacity(y.len());
    for y in &y {
        results.push(y.checked_constant());
    }
    // Values of a traced function must not leave it.
    let primal = |y: &T| if T::TRACES { T::Base::from_double(0.0) } else { y.primal() };
    let primals = results.iter().map(primal).collect();
    record_map(&[x], &results, || Box::new(CheckpointedCall { f, values, primals }))
}

/// A function with the point at which it will be run again, and its results there.
struct CheckpointedCall<T: Real, F> {
    f: F,
    values: Vec<T>,
    primals: Vec<T::Base>,
}

impl<T: Real, F: Fn(&[Var<T>]) -> Vec<Var<T>>> CheckpointedCall<T, F> {
    /// The segment on a tape.
    fn run_again(&self) -> (Tape<T>, Vec<Var<T>>) {
        let tape = Tape::new();
        let y = (self.f)(&tape.variables(&self.values));
        if y.len() != self.primals.len() {
            misuse::not_repeated("another number of results");
        }
        let same = |(y, p): (&Var<T>, &T::Base)| y.primal() == *p || (y.is_nan() && Float::is_nan(*p));
        if !T::TRACES && !y.iter().zip(&self.primals).all(same) {
            misuse::not_repeated("other results");
        }
        (tape, y)
    }
}

impl<T: Real, F: Fn(&[Var<T>]) -> Vec<Var<T>> + 'static> LinearMap<T> for CheckpointedCall<T, F> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let (tape, y) = self.run_again();
        match tangents[0] {
            Some(tangents) => tape.push(0, tangents, &y, out),
            None => out.fill(T::lit(0.0)),
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(out) = &mut out[0] else { return };
        let care = inherited();
        let (tape, y) = self.run_again();
        let seeds = y.iter().zip(cotangent).map(|(&y, &w)| (y, [w]));
        tape.pull_with(care, seeds, |cotangents| {
            out.iter_mut().zip(cotangents).for_each(|(x, [c])| *x += *c)
        });
    }
    fn name(&self) -> &'static str {
        "checkpoint"
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + size_of_val(&self.primals[..]) + size_of::<F>()
    }
}
