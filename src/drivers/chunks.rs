//! Seeding a point chunk by chunk.

use std::borrow::Borrow;
use std::ops::Range;

use super::shape::Shape;
use crate::number::Real;

/// Shows `visit` the point once for each chunk of at most `lanes` of the directions: there `seed(i, lane)`,
/// elsewhere `rest(i)`. One allocation for all chunks; without directions the point is visited once.
pub(super) fn for_each_chunk<X: Shape + ?Sized, S: Real>(
    x: &X,
    directions: Range<usize>,
    lanes: usize,
    rest: impl Fn(usize) -> S,
    seed: impl Fn(usize, usize) -> S,
    mut visit: impl FnMut(&X::Arg<S>, Range<usize>),
) {
    let mut point = x.same_shape(&rest);
    let next = |start: usize| start..directions.end.min(start + lanes);
    let mut chunk = next(directions.start);
    loop {
        for i in chunk.clone() {
            point.scalars_mut()[i] = seed(i, i - chunk.start);
        }
        visit(point.borrow(), chunk.clone());
        for i in chunk.clone() {
            point.scalars_mut()[i] = rest(i);
        }
        if chunk.end == directions.end {
            return;
        }
        chunk = next(chunk.end);
    }
}
