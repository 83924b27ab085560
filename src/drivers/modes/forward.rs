//! Forward mode: tangents pushed through the function, one or several in each evaluation.

use std::ops::Range;

use crate::drivers::mode::{Changed, Directional, Mode, Pass, SeedVectors, Seeds, Sink};
use crate::duals::{Dual, DualN};
use crate::error::AdError;
use crate::lift::TangentLanes;
use crate::number::Real;

/// Forward mode with one tangent in each evaluation, at [`Dual<T>`].
/// ```
/// use wengert::{Forward, prepare};
/// let mut dy = [0.0];
/// let mut jvp = prepare::jvp(Forward, &[0.0; 2]);
/// jvp.of(|x| x[0] * x[1]).at(&[2.0, 3.0], &[1.0, 10.0], &mut (), &mut dy)?;
/// assert_eq!(dy, [23.0]); // 1·3 + 2·10
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forward;

/// Forward mode with `N` tangents in each evaluation, at [`DualN<T, N>`]. A call with `N = 0` does not build.
/// ```
/// use wengert::{ForwardChunk, prepare};
/// let (mut g, mut evaluations) = ([0.0; 3], 0);
/// let mut gradient = prepare::gradient(ForwardChunk::<2>, &[0.0; 3]);
/// let f = |x: &[wengert::DualN<f64, 2>]| {
///     evaluations += 1;
///     x[0] * x[1] * x[2]
/// };
/// assert_eq!(gradient.of(f).at(&[2.0, 3.0, 5.0], &mut g)?, 30.0);
/// assert_eq!((g, evaluations), ([15.0, 10.0, 6.0], 2)); // ⌈3/2⌉
/// # Ok::<(), wengert::AdError>(())
/// ```
/// ```compile_fail
/// let mut gradient = wengert::prepare::gradient(wengert::ForwardChunk::<0>, &[0.0; 2]);
/// let _ = gradient.of(|x| x[0] * x[1]).at(&[2.0, 3.0], &mut [0.0; 2]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForwardChunk<const N: usize>;

impl Mode for Forward {
    type Number<T: Real> = Dual<T>;
    type Scratch<T: Real> = ();
}

impl<const N: usize> Mode for ForwardChunk<N> {
    type Number<T: Real> = DualN<T, N>;
    type Scratch<T: Real> = ();
}

/// A number with the tangents of a chunk of lanes.
trait Seeded<T: Real>: TangentLanes<Part = T> + Real {
    /// With the components `i` of the lanes.
    fn seeded(x: T, along: &impl SeedVectors<T>, chunk: &Range<usize>, i: usize) -> Self;
}

impl<T: Real> Seeded<T> for Dual<T> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn seeded(x: T, along: &impl SeedVectors<T>, chunk: &Range<usize>, i: usize) -> Self {
        Dual::new(x, if chunk.is_empty() { T::lit(0.0) } else { along.component(chunk.start, i) })
    }
}

impl<T: Real, const N: usize> Seeded<T> for DualN<T, N> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn seeded(x: T, along: &impl SeedVectors<T>, chunk: &Range<usize>, i: usize) -> Self {
        DualN::new(x, along.seed(chunk.start, chunk.end, i))
    }
}

/// The lanes of one evaluation.
struct Chunk<'a, L> {
    along: &'a L,
    lanes: Range<usize>,
}

impl<T: Real, N: Seeded<T>, L: SeedVectors<T>> Seeds<T, N> for Chunk<'_, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(&self, x: T) -> N {
        N::of_part(x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn direction(&self, i: usize, x: T) -> N {
        N::seeded(x, self.along, &self.lanes, i)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, y: N) -> T {
        y.value_part()
    }
}

macro_rules! pushes {
    ([$($g:tt)*] $Mode:ty) => {
        impl<$($g)*> Pass for $Mode {
            const PULLS: bool = false;
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn push<T, Y, F, S>(
                &self,
                (): &mut (),
                f: &mut F,
                along: &impl SeedVectors<T>,
                sink: &mut S,
            ) -> Result<(), AdError>
            where
                T: Real,
                Y: ?Sized,
                F: Directional<T, Self::Number<T>, Out = Y>,
                S: Sink<T, Self::Number<T>, Y>,
            {
                push(f, along, sink)
            }
        }
    };
}
pushes!([] Forward);
pushes!([const N: usize] ForwardChunk<N>);

/// The tangent of result `i` in lane `k`: one closure type for all functions and sinks.
#[cfg_attr(not(debug_assertions), inline(always))]
fn tangents<T: Real, N: Seeded<T>>(row: &[N]) -> impl Fn(usize, usize) -> T {
    |i, k| row[i].lane(k)
}

/// An evaluation for each chunk of lanes; without lanes there is one too, for the value.
#[cfg_attr(not(debug_assertions), inline(always))]
fn push<T, N, Y, F, S, L>(f: &mut F, along: &L, sink: &mut S) -> Result<(), AdError>
where
    L: SeedVectors<T>,
    T: Real,
    N: Seeded<T>,
    Y: ?Sized,
    F: Directional<T, N, Out = Y>,
    S: Sink<T, N, Y>,
{
    const { assert!(N::LANES > 0, "forward mode needs at least one lane") };
    let all = along.lanes(f.directions());
    let (mut changed, mut start) = (Changed::All, all.start);
    loop {
        let lanes = start..all.end.min(start + N::LANES);
        let seeds = Chunk { along, lanes: lanes.clone() };
        f.along(&seeds, changed, |y, row| {
            if lanes.start == all.start {
                sink.start(y, row.len(), &N::value_part)?;
            }
            sink.take(lanes.clone(), 0..row.len(), tangents(row));
            Ok(())
        })?;
        if lanes.end >= all.end {
            return Ok(());
        }
        start = lanes.end;
        let next = start..all.end.min(start + N::LANES);
        changed = if L::UNITS { Changed::Only([lanes, next]) } else { Changed::All };
    }
}
