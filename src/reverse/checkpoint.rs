//! A segment that is not recorded but run again in the sweep: time for memory.

use super::tape::{Tape, record_map};
use super::var::Var;
use crate::linear_map::LinearMap;
use crate::number::Real;

/// Evaluates `f` at `x` without recording it; the backward sweep runs it again on a tape of its own.
///
/// The tape holds one block with the values of `x` instead of every operation within. Segments nest. All active
/// variables that `f` uses must come through `x`.
///
/// # Panics
/// If the results depend on an active variable that `f` captured: pass it in `x`.
///
/// ```
/// use wengert::{Var, gradient, reverse::checkpoint};
/// let f = |x: &[Var<f64>]| {
///     let long = |x: &[Var<f64>]| vec![(0..1000).fold(x[0], |y, _| y + (x[0] * y).sin() * 1e-3)];
///     checkpoint(long, x)[0] * x[1]
/// };
/// let plain = |x: &[Var<f64>]| (0..1000).fold(x[0], |y, _| y + (x[0] * y).sin() * 1e-3) * x[1];
/// assert_eq!(gradient(f, &[0.5, 2.0]), gradient(plain, &[0.5, 2.0]));
/// ```
pub fn checkpoint<T: Real>(f: impl Fn(&[Var<T>]) -> Vec<Var<T>> + 'static, x: &[Var<T>]) -> Vec<Var<T>> {
    let values: Vec<T> = x.iter().map(|x| x.value()).collect();
    let constants: Vec<Var<T>> = values.iter().map(|&v| Var::constant(v)).collect();
    let results: Vec<T> = f(&constants).iter().map(Var::checked_constant).collect();
    record_map(&[x], &results, || Box::new(Segment { f, values }))
}

/// A function with the point at which it is to be run again.
struct Segment<T, F> {
    f: F,
    values: Vec<T>,
}

impl<T: Real, F: Fn(&[Var<T>]) -> Vec<Var<T>> + 'static> LinearMap<T> for Segment<T, F> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let tape = Tape::new();
        let x = tape.variables(&self.values);
        let y = (self.f)(&x);
        match tangents[0] {
            Some(tangents) => out.copy_from_slice(&tape.push(0, tangents, &y)),
            None => out.fill(T::lit(0.0)),
        }
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(out) = &mut out[0] else { return };
        let tape = Tape::new();
        let y = (self.f)(&tape.variables(&self.values));
        let seeds = y.iter().zip(cotangent).map(|(&y, &w)| (y, [w]));
        tape.pull(seeds, |cotangents| out.iter_mut().zip(cotangents).for_each(|(x, [c])| *x += *c));
    }
    fn name(&self) -> &'static str {
        "checkpoint"
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.values[..]) + size_of::<F>()
    }
}
