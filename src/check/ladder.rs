//! A function along a line, and its derivative by central differences over a range of steps.
//!
//! `D(h) = (f(x + hẋ) − f(x − hẋ))/2h` has the error `O(h²)` and the rounding error `O(eps/h)`; two neighbours give
//! `E = (100·D(h/10) − D(h))/99` with the error `O(h⁴)`. If two neighbouring `E` agree to rounding, or ten times
//! better than the previous two, their difference is the uncertainty; otherwise the differences do not converge and
//! are ignored. Steps over which the function oscillates, as values within the step show, are ignored too.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::parts::{C, largest};

/// The number of steps, each a tenth of the previous one: the last ones are near the rounding of the argument.
const STEPS: usize = 12;
/// The first step for differences, and for Taylor remainders, in units of the direction. The step for differences is
/// not a round number, because periods often are.
pub(super) const FIRST: f64 = 0.010_731_377_019_384_57;
const FIRST_REMAINDER: f64 = 1e-1;
/// Steps for Taylor remainders.
const REMAINDERS: usize = 7;
/// If values scatter by more than this, relative to their size, the function may oscillate.
const NOISY: f64 = 1e-8;
/// If values scatter by more than this, relative to their change over a step, the function is not smooth there.
const SCATTERED: f64 = 0.1;
/// From this step on third differences of smooth functions are rounding.
const SMOOTH: usize = 3;
/// The steps from here on are the smallest ones.
const FINE: usize = 6;
/// Values within one step, from which their errors are estimated.
const WITHIN: i32 = 8;
/// Floats from here on are whole numbers.
const WHOLE: f64 = 1.0 / f64::EPSILON;
/// Rounding of a function value, in eps of its size, and of a subnormal value.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
const SUBNORMAL: f64 = 2e-323;

/// The values of a function along a line at `h`, if they exist and the point is representable.
pub(super) type FunctionOnLine<'a> = &'a dyn Fn(f64) -> Option<Vec<C>>;

/// The values of a function along a line. Each is computed once, for all components.
pub(super) struct LineValues<'a> {
    along: FunctionOnLine<'a>,
    known: RefCell<BTreeMap<u64, Option<Vec<C>>>>,
}

impl<'a> LineValues<'a> {
    pub(super) fn of(along: FunctionOnLine<'a>) -> Self {
        LineValues { along, known: RefCell::default() }
    }
    /// A component; NaN where the function has fewer results.
    pub(super) fn at(&self, h: f64, component: usize) -> Option<C> {
        let mut known = self.known.borrow_mut();
        let y = known.entry(h.to_bits()).or_insert_with(|| (self.along)(h)).as_ref()?;
        Some(y.get(component).copied().unwrap_or(C::new(f64::NAN, 0.0)))
    }
}

/// The error of equidistant values, estimated by third differences (Hamming; Moré and Wild 2011): larger than
/// rounding if the values are differences of larger numbers.
fn noise(y: &[C]) -> f64 {
    let thirds = y.windows(4).map(|y| (y[3] - y[0] - (y[2] - y[1]) * 3.0).norm());
    // A third difference has 20 times the variance of a value; the mean of its size is 0.8 of its deviation.
    thirds.sum::<f64>() / (0.8 * 20f64.sqrt() * y.len().saturating_sub(3).max(1) as f64)
}

/// The smallest distance between different ones of the values.
fn smallest_gap(y: &[C]) -> f64 {
    let distances = y.windows(2).map(|y| (y[1] - y[0]).norm());
    distances.filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min)
}

/// The function around a point, over one step.
struct Step {
    h: f64,
    /// The values above and below.
    ends: Option<[C; 2]>,
    /// Whether they are the same a little further out.
    stand: Option<[bool; 2]>,
    /// Of equidistant values: the smallest distance between different ones, their error, and their spread.
    gap: f64,
    noise: f64,
    spread: f64,
}

/// One part of the result along the line.
pub(super) struct LineComponent {
    pub(super) value: C,
    steps: Vec<Step>,
    /// Steps for remainders, with the values there.
    ahead: Vec<(f64, C)>,
    /// Whether the function is not finite nearby.
    pub(super) has_holes: bool,
}

/// A derivative along the line, estimated by differences.
pub(super) struct Estimate {
    pub(super) slope: C,
    pub(super) uncertainty: f64,
    /// How fast the function varies over the steps.
    pub(super) variation: f64,
    /// The difference of the derivatives on both sides, if it does not shrink with the steps.
    pub(super) kink: Option<f64>,
}

impl LineComponent {
    /// The component of a function with this value, by steps up to the largest one.
    pub(super) fn of(value: C, at: impl Fn(f64) -> Option<C>, largest_step: f64) -> LineComponent {
        let ladder =
            |first: f64, n: usize| (0..n as i32).map(move |k| first.min(largest_step) * 0.1f64.powi(k));
        let finite = |h: f64| at(h).filter(|y| y.is_finite());
        let ends = |h: f64| Some([finite(h)?, finite(-h)?]);
        let nudge = FIRST.min(largest_step) * 0.1f64.powi(STEPS as i32 - 1);
        let mut has_holes = false;
        let step = |h: f64| {
            let place = |k: i32| f64::from(2 * k - WITHIN + 1) / f64::from(WITHIN - 1);
            let mut y: Vec<C> = (0..WITHIN).filter_map(|k| at(h * place(k))).collect();
            has_holes |= y.iter().any(|y| !y.is_finite());
            y.retain(|y| y.is_finite());
            let is_same = |([a, b], [far_a, far_b]): ([C; 2], [C; 2])| [a == far_a, b == far_b];
            Step {
                h,
                ends: ends(h),
                stand: ends(h).zip(ends(h + nudge)).map(is_same),
                gap: smallest_gap(&y),
                noise: noise(&y),
                spread: largest(y.iter().map(|z| (z - y[0]).norm())),
            }
        };
        let steps = ladder(FIRST, STEPS).map(step).collect();
        let ahead = ladder(FIRST_REMAINDER, REMAINDERS).filter_map(|h| Some((h, finite(h)?))).collect();
        LineComponent { value, steps, ahead, has_holes }
    }
    /// A central difference and its rounding. The argument is rounded too, by eps of its size, which is the size of
    /// the direction.
    fn difference(&self, k: usize) -> Option<(C, f64)> {
        let Step { h, ends: Some([above, below]), .. } = self.steps[k] else { return None };
        let slope = (above - below) / (2.0 * h);
        let errors = ROUNDING * (above.norm().max(below.norm()) + slope.norm()) + SUBNORMAL;
        Some((slope, errors / h))
    }
    /// Whether the function does not oscillate within the step.
    fn is_resolved(&self, k: usize) -> bool {
        let Step { noise, spread, .. } = self.steps[k];
        noise <= (NOISY * self.value.norm()).max(SCATTERED * spread)
    }
    /// The height of the stairs, if the function is constant around the point and around most others where it has
    /// other values: its values, or its argument, are rounded to that. Zero for other functions.
    fn stair(&self) -> f64 {
        let varies = |k: &usize| self.steps[*k].spread > 0.0;
        let Some(finest) = (0..STEPS).rev().find(varies).filter(|k| k + 1 < STEPS) else { return 0.0 };
        let sides = (0..=finest).filter_map(|k| self.steps[k].stand).flatten();
        let (mut all, mut stand) = (0, 0);
        sides.for_each(|stands| (all, stand) = (all + 1, stand + usize::from(stands)));
        let height = self.steps.iter().map(|step| step.gap).fold(f64::INFINITY, f64::min);
        if 4 * stand > 3 * all { height } else { 0.0 }
    }
    /// The best of the extrapolated differences.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        let extrapolated = |k: usize| {
            let ((far, _), (near, rounding)) = (self.difference(k)?, self.difference(k + 1)?);
            Some((near + (near - far) / 99.0, rounding))
        };
        let mut best: Option<(usize, C, f64)> = None;
        let (mut last, mut grown) = (f64::NAN, 0.0_f64);
        let (stair, noise) = (self.stair(), |k: usize| self.steps[k].noise);
        for k in 0..STEPS - 2 {
            let resolved = (k..k + 3).all(|k| self.is_resolved(k));
            let Step { h, ends, .. } = self.steps[k + 2];
            let (true, Some((before, _)), Some((slope, rounding)), Some([above, below])) =
                (resolved, extrapolated(k), extrapolated(k + 1), ends)
            else {
                (last, grown) = (f64::NAN, 0.0);
                continue;
            };
            let apart = (before - slope).norm();
            let size = above.norm().max(below.norm());
            // Values that are rounded to a multiple of something show no error over the smallest steps.
            let stuck = noise(k + 1) == 0.0 && noise(k + 2) == 0.0;
            let known = |j: usize| j >= k + 2 || stuck && j >= SMOOTH && noise(j) <= NOISY * size;
            let most = largest((0..STEPS).filter(|&j| known(j)).map(noise));
            let errors = if most <= NOISY * size { rounding.max(2.0 * most / h) } else { rounding };
            let converged = apart <= errors || apart <= 0.1 * last;
            let uncertainty = apart.max(rounding).max(2.0 * most.max(grown).max(stair) / h);
            // A distance that has just grown with smaller steps was an error of the values.
            grown = if apart > last { apart * h } else { 0.0 };
            last = apart;
            if converged && best.is_none_or(|(.., least)| uncertainty < least) {
                best = Some((k + 1, slope, uncertainty));
            }
        }
        let (k, slope, uncertainty) = best?;
        let uncertainty = uncertainty.max(self.hidden_slope());
        Some(Estimate { slope, uncertainty, variation: self.variation(k)?, kink: self.kink(k) })
    }
    /// How fast the function varies over a step.
    fn variation(&self, k: usize) -> Option<f64> {
        let change = |y: C| (y - self.value).norm();
        Some(largest(self.steps[k].ends?.map(change).into_iter()) / self.steps[k].h)
    }
    /// The difference of the derivatives on both sides of the point, if it does not shrink with the steps.
    fn kink(&self, k: usize) -> Option<f64> {
        let bend = |k: usize| {
            let Step { h, ends: Some([above, below]), .. } = self.steps[k] else { return None };
            Some((above - self.value * 2.0 + below).norm() / h)
        };
        let (far, near) = (bend(k)?, bend(k + 1)?);
        let noise = self.steps[k + 1..].iter().map(|step| step.noise).fold(f64::INFINITY, f64::min);
        let errors = self.difference(k + 1)?.1.max(noise / self.steps[k + 1].h);
        // If the difference grows, there is no derivative on any side.
        let apart = if near > 2.0 * far { f64::INFINITY } else { near };
        (near > 0.5 * far && near > 10.0 * errors || !near.is_finite()).then_some(apart)
    }
    /// Whether the smallest steps give another derivative, which may be the claimed one. Then the function has
    /// pieces, or a period, shorter than the steps that gave the estimate.
    pub(super) fn is_finer(&self, claim: C, slope: C) -> bool {
        let smallest: Vec<(C, f64)> = (0..STEPS).rev().filter_map(|k| self.difference(k)).take(2).collect();
        let may_be = |of: C| move |&(d, rounding): &(C, f64)| (d - of).norm() <= 10.0 * rounding;
        smallest.iter().all(may_be(claim)) && !smallest.iter().all(may_be(slope))
    }
    /// The derivative of apparent noise that is smooth over the smallest steps.
    fn hidden_slope(&self) -> f64 {
        let Some(last) = (FINE..STEPS).rev().find(|&k| self.steps[k].ends.is_some()) else { return 0.0 };
        let noise = self.steps[FINE..last].iter().map(|step| step.noise);
        let noise = noise.filter(|n| *n <= NOISY * self.value.norm());
        // Noise that shrinks with the steps is a kink.
        let level = noise.clone().zip(noise.skip(1)).filter(|(far, near)| *far <= 3.0 * *near);
        let rough = largest(level.map(|(_, near)| near));
        let Step { noise, h, .. } = self.steps[last];
        let smooth = noise > 0.0 && rough > 30.0 * noise.max(ROUNDING * self.value.norm());
        if smooth { rough / h } else { 0.0 }
    }
    /// Whether all values are whole numbers although floats of their size need not be: the function may be piecewise
    /// constant.
    pub(super) fn is_whole(&self, coarse: bool) -> bool {
        let whole = |y: C| y.re.fract() == 0.0 && y.im.fract() == 0.0 && (coarse || y.norm() < WHOLE);
        whole(self.value) && self.steps.iter().filter_map(|step| step.ends).flatten().all(whole)
    }
    /// Steps and Taylor remainders.
    pub(super) fn remainders(&self, claim: C) -> Vec<[f64; 2]> {
        let remainder = |&(h, y): &(f64, C)| [h, (y - (self.value + claim * h)).norm()];
        self.ahead.iter().map(remainder).collect()
    }
    /// The order between the last remainders that exceed rounding.
    pub(super) fn order(&self, remainders: &[[f64; 2]], claim: C) -> Option<f64> {
        let rounding = 50.0 * ROUNDING * (self.value.norm() + claim.norm());
        let usable = remainders.iter().filter(|r| r[1] > rounding && r[1].is_finite());
        let usable: Vec<&[f64; 2]> = usable.collect();
        let order = |r: &[&[f64; 2]]| (r[0][1] / r[1][1]).ln() / (r[0][0] / r[1][0]).ln();
        usable.windows(2).next_back().map(order)
    }
}
