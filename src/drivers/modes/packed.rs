//! Forward mode of second order with packed numbers: gradient and Hessian in one evaluation.

use std::ops::Range;

use super::second_order::{SecondPass, SecondSink};
use crate::drivers::mode::{Changed, Directional, Mode, SeedVectors, Seeds};
use crate::duals::Dual2;
use crate::error::AdError;
use crate::number::Real;

/// Second derivatives in forward mode at [`Dual2<T, N, M>`], `M = N(N+1)/2`: one evaluation for a Hessian of up to
/// `N` inputs, or for its products with vectors.
///
/// For `n > N` inputs a Hessian takes one evaluation for each pair of groups of `⌊N/2⌋` inputs. `B` products take
/// `⌈B/w⌉·⌈n/(N − w)⌉` evaluations with `w = min(B, ⌊N/2⌋)`. For several inputs `Packed<1, 1>` is
/// [`AdError::Unsupported`].
/// ```
/// use wengert::{Packed, prepare};
/// let (mut g, mut h) = ([0.0; 2], [0.0; 4]);
/// let mut hessian = prepare::hessian(Packed::<2, 3>, &[0.0; 2]);
/// assert_eq!(hessian.of(|x| x[0] * x[0] * x[1]).at(&[2.0, 3.0], &mut g, &mut h)?, 12.0);
/// assert_eq!((g, h), ([12.0, 4.0], [6.0, 4.0, 4.0, 0.0]));
/// // Five inputs, four at a time: three pairs of the groups {0, 1}, {2, 3} and {4}.
/// let (mut h, mut evaluations) = ([0.0; 25], 0);
/// let mut hessian = prepare::hessian(Packed::<4, 10>, &[0.0; 5]);
/// let f = |x: &[wengert::Dual2<f64, 4, 10>]| {
///     evaluations += 1;
///     x[0] * x[4]
/// };
/// hessian.of(f).at(&[1.0; 5], &mut (), &mut h)?;
/// assert_eq!((h[4], h[20], evaluations), (1.0, 1.0, 3));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed<const N: usize, const M: usize>;

impl<const N: usize, const M: usize> Mode for Packed<N, M> {
    type Number<T: Real> = Dual2<T, N, M>;
    type Scratch<T: Real> = ();
}

/// Two groups of directions in one number: units first, then lanes.
struct Groups<'a, L> {
    units: Range<usize>,
    along: &'a L,
    lanes: Range<usize>,
}

impl<T: Real, L: SeedVectors<T>, const N: usize, const M: usize> Seeds<T, Dual2<T, N, M>> for Groups<'_, L> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn constant(&self, x: T) -> Dual2<T, N, M> {
        Dual2::constant(x)
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn direction(&self, i: usize, x: T) -> Dual2<T, N, M> {
        let (units, lanes) = (self.units.len(), self.lanes.len());
        let seed = |k: usize| {
            if k < units {
                T::lit(if self.units.start + k == i { 1.0 } else { 0.0 })
            } else if k - units < lanes {
                self.along.component(self.lanes.start + k - units, i)
            } else {
                T::lit(0.0)
            }
        };
        Dual2::from_fn(x, seed, |_, _| T::lit(0.0))
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn value(&self, y: Dual2<T, N, M>) -> T {
        y.value()
    }
}

impl<const N: usize, const M: usize> SecondPass for Packed<N, M> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second<T, Y, F, L, S>(&self, (): &mut (), f: &mut F, along: &L, sink: &mut S) -> Result<(), AdError>
    where
        T: Real,
        Y: ?Sized,
        F: Directional<T, Dual2<T, N, M>, Out = Y>,
        L: SeedVectors<T>,
        S: SecondSink<T, Dual2<T, N, M>, Y>,
    {
        let (n, mut started) = (f.directions(), false);
        let all = along.lanes(n);
        let mut run = |groups: Groups<'_, L>| {
            f.along(&groups, Changed::All, |y, row| {
                if !started {
                    sink.start(y, row.len(), &Dual2::value)?;
                    started = true;
                }
                groups.show(n, row, sink);
                Ok(())
            })
        };
        if n <= N || all.is_empty() {
            // Without directions there is one evaluation too, for the value.
            let mut units = (0..n.max(1)).step_by(N).map(|i| i..n.min(i + N));
            return units.try_for_each(|units| run(Groups { units, along, lanes: 0..0 }));
        }
        // Two groups in a number: of units for all pairs of units, else of units and lanes.
        let width = if L::UNITS { N / 2 } else { (N / 2).min(all.len()) };
        let rest = if L::UNITS { width } else { N - width };
        if width == 0 {
            return Err(AdError::Unsupported { op: "Packed<N, M> with N < 2", rule: "several inputs" });
        }
        for lanes in all.clone().step_by(width).map(|k| k..all.end.min(k + width)) {
            let units = (0..n).step_by(rest).map(|i| i..n.min(i + rest));
            for units in units.filter(|units| !L::UNITS || units.end <= lanes.start) {
                run(Groups { units, along, lanes: lanes.clone() })?;
            }
        }
        Ok(())
    }
}

impl<L> Groups<'_, L> {
    /// Passes the results of an evaluation to the sink: `row` holds a number for each output.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn show<T, Y, S, const N: usize, const M: usize>(&self, n: usize, row: &[Dual2<T, N, M>], sink: &mut S)
    where
        T: Real,
        Y: ?Sized,
        L: SeedVectors<T>,
        S: SecondSink<T, Dual2<T, N, M>, Y>,
    {
        let m = row.len();
        if L::UNITS && self.lanes.is_empty() && self.units == (0..n) {
            // The usual case, without groups: the number has all that is wanted.
            let split = |i: usize| if m == 1 { (0, i) } else { (i % m, i / m) };
            sink.first(0..n * m, |i| {
                let (output, input) = split(i);
                row[output].entry(input)
            });
            return sink.second(0..n, 0..n * m, |i, k| {
                let (output, input) = split(i);
                row[output].second_entry(input, k)
            });
        }
        // Each group with its first direction in the number.
        let (units, lanes) = ((self.units.clone(), 0), (self.lanes.clone(), self.units.len()));
        let inputs = if L::UNITS { [units.clone(), lanes.clone()] } else { [units.clone(), (0..0, 0)] };
        let along = if L::UNITS { [units, lanes.clone()] } else { [(0..0, 0), lanes] };
        for (inputs, place) in inputs {
            let numbers = inputs.start * m..inputs.end * m;
            let split = |i: usize| if m == 1 { (0, place + i) } else { (i % m, place + i / m) };
            sink.first(numbers.clone(), |i| {
                let (output, input) = split(i);
                row[output].entry(input)
            });
            if !L::UNITS && self.lanes.is_empty() && self.units == (0..n) {
                // The number has the whole Hessian.
                sink.second(self.along.lanes(n), numbers.clone(), |i, k| {
                    let (output, input) = split(i);
                    let term = |j| row[output].second_entry(input, j).strong_both(self.along.component(k, j));
                    (0..n).map(term).fold(T::lit(0.0), |sum, term| sum + term)
                });
                continue;
            }
            for (lanes, to) in along.clone() {
                sink.second(lanes, numbers.clone(), |i, k| {
                    let (output, input) = split(i);
                    row[output].second_entry(input, to + k)
                });
            }
        }
    }
}
