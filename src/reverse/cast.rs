//! A segment at another precision: values are converted on the way in and out, cotangents on the way back.

use std::cell::RefCell;
use std::rc::Rc;

use super::record::Record;
use super::sweep::{Seed, inherited};
use super::tape::{Tape, record_map};
use super::var::Var;
use crate::linear_map::LinearMap;
use crate::number::{CastFrom, Real};

/// Evaluates `f` at `x` converted to another machine float, and converts its results back: a segment in single
/// precision within a computation in double precision, or the other way round.
///
/// A variable belongs to the tape of its own type, so the segment is recorded on a tape of the other type, which
/// becomes one step of the outer one. Each conversion rounds the values, and the cotangents on their way back (the
/// tangents, where the step is applied forward): the derivative is that of [`Number::cast`](crate::Number::cast) at
/// every step. All active variables that `f` uses must come through `x`.
///
/// # Panics
/// If a result belongs to another tape than the segment's.
///
/// ```
/// use wengert::{Var, gradient, reverse::cast_through};
/// let square = |x: &[Var<f32>]| vec![x[0] * x[0]];
/// let g = gradient(|x: &[Var<f64>]| cast_through(square, x)[0], &[0.1]);
/// assert_eq!(g, [f64::from(0.2f32)]);
/// // A cotangent of 0.1 is rounded before it enters, its product with 2x on the way.
/// let g = gradient(|x: &[Var<f64>]| cast_through(square, x)[0] * 0.1, &[0.1]);
/// assert_eq!(g, [f64::from(0.1f32 * 0.2f32)]);
/// ```
pub fn cast_through<U, T>(f: impl FnOnce(&[Var<U>]) -> Vec<Var<U>>, x: &[Var<T>]) -> Vec<Var<T>>
where
    U: Real + CastFrom<T>,
    T: Real + CastFrom<U>,
{
    let mut tape = Tape::new();
    let y = f(&tape.variables(&x.iter().map(|x| U::cast_from(x.value())).collect::<Vec<_>>()));
    let values: Vec<T> = y.iter().map(|y| T::cast_from(y.value())).collect();
    record_map(&[x], &values, || {
        let seeds = y.iter().map(|&y| tape.direction(y)).collect();
        let (record, nodes) = tape.take();
        Box::new(Converted { record, nodes, seeds })
    })
}

/// What a segment has recorded, and where its results lie; constants lie nowhere.
struct Converted<U: Real> {
    record: Rc<RefCell<Record<U>>>,
    nodes: usize,
    seeds: Vec<Option<Seed<U, 1>>>,
}

impl<U: Real + CastFrom<T>, T: Real + CastFrom<U>> LinearMap<T> for Converted<U> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let inputs = tangents[0].iter().flat_map(|t| t.iter()).map(|&t| U::cast_from(t));
        let all = self.record.borrow().sweep_forward(self.nodes, (0..).zip(inputs));
        for (out, seed) in out.iter_mut().zip(&self.seeds) {
            let tangent = seed.map(|(node, [slope])| slope.strong_mul(all[node as usize]));
            *out = T::cast_from(tangent.unwrap_or(U::lit(0.0)));
        }
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let Some(out) = &mut out[0] else { return };
        let weigh = |(seed, &w): (&Option<Seed<U, 1>>, &T)| {
            seed.map(|(node, [slope])| (node, [slope.strong_mul(U::cast_from(w))]))
        };
        let seeds = self.seeds.iter().zip(cotangent).filter_map(weigh);
        self.record.borrow_mut().sweep_back(self.nodes, seeds, inherited(), |cotangents| {
            out.iter_mut().zip(cotangents).for_each(|(x, &[c])| *x += T::cast_from(c));
        });
    }
    fn name(&self) -> &'static str {
        "cast"
    }
    fn bytes(&self) -> usize {
        self.record.borrow().bytes(self.nodes) + size_of_val(&self.seeds[..])
    }
}
