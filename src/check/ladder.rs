//! A function along a line, and its derivative by central differences over a range of steps.
//!
//! `D(h) = (f(x + hẋ) − f(x − hẋ))/2h` has the error `O(h²)` and the rounding error `O(eps/h)`; two neighbours give
//! `E = (100·D(h/10) − D(h))/99` with the error `O(h⁴)`. If two neighbouring `E` agree to rounding, or ten times
//! better than the previous two, their difference is the uncertainty; otherwise the differences do not converge and
//! are ignored. Steps over which the function oscillates, as values within the step show, are ignored too.

use num_complex::Complex;

/// A component of a result, real or complex; a complex one is judged by its modulus.
pub(super) type C = Complex<f64>;

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
pub(super) type Line<'a> = &'a dyn Fn(f64) -> Option<Vec<C>>;

/// One step and the values on both sides.
struct Step<Y> {
    h: f64,
    above: Y,
    below: Y,
}

/// The function along the line.
pub(super) struct Samples {
    pub(super) value: Vec<C>,
    steps: Vec<Option<Step<Vec<C>>>>,
    /// Steps for remainders, with the values there.
    ahead: Vec<(f64, Vec<C>)>,
    /// For each step, equidistant values from below to above.
    within: Vec<Vec<Vec<C>>>,
    /// For each step, the values on both sides, moved outwards by the smallest step.
    nudged: Vec<Option<[Vec<C>; 2]>>,
}

impl Samples {
    pub(super) fn of(along: Line, largest: f64) -> Option<Samples> {
        let value = along(0.0)?;
        let ladder = |first: f64, n: usize| (0..n as i32).map(move |k| first.min(largest) * 0.1f64.powi(k));
        let step = |h: f64| Some(Step { h, above: along(h)?, below: along(-h)? });
        let ahead = |h: f64| Some((h, along(h)?));
        let place = |k: i32| f64::from(2 * k - WITHIN + 1) / f64::from(WITHIN - 1);
        let within = |h: f64| (0..WITHIN).filter_map(|k| along(h * place(k))).collect();
        let nudge = FIRST.min(largest) * 0.1f64.powi(STEPS as i32 - 1);
        let nudged = |h: f64| Some([along(h + nudge)?, along(-h - nudge)?]);
        Some(Samples {
            value,
            nudged: ladder(FIRST, STEPS).map(nudged).collect(),
            steps: ladder(FIRST, STEPS).map(step).collect(),
            ahead: ladder(FIRST_REMAINDER, REMAINDERS).filter_map(ahead).collect(),
            within: ladder(FIRST, STEPS).map(within).collect(),
        })
    }
    /// One part of the result. A function may have fewer results elsewhere.
    pub(super) fn part(&self, i: usize) -> LineComponent {
        let finite = |y: &[C]| y.get(i).copied().filter(|y| y.is_finite());
        let step = |s: &Option<Step<Vec<C>>>| {
            let s = s.as_ref()?;
            Some(Step { h: s.h, above: finite(&s.above)?, below: finite(&s.below)? })
        };
        let finite_ones = |y: &Vec<Vec<C>>| y.iter().filter_map(|y| finite(y)).collect::<Vec<_>>();
        let within: Vec<Vec<C>> = self.within.iter().map(finite_ones).collect();
        let is_same = |k: usize| {
            let (step, [above, below]) = (self.steps[k].as_ref()?, self.nudged[k].as_ref()?);
            Some([finite(&step.above)? == finite(above)?, finite(&step.below)? == finite(below)?])
        };
        LineComponent {
            stands: (0..STEPS).map(is_same).collect(),
            gaps: within.iter().map(|y| smallest_gap(y)).collect(),
            value: self.value.get(i).copied().unwrap_or(C::new(f64::NAN, 0.0)),
            steps: self.steps.iter().map(step).collect(),
            ahead: self.ahead.iter().filter_map(|(h, y)| Some((*h, finite(y)?))).collect(),
            has_holes: within.iter().zip(&self.within).any(|(finite, all)| finite.len() < all.len()),
            noise: within.iter().map(|y| noise(y)).collect(),
            spread: within.iter().map(|y| y.iter().fold(0.0, |m: f64, z| m.max((z - y[0]).norm()))).collect(),
        }
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

/// One part of the result along the line.
pub(super) struct LineComponent {
    /// For each step, whether the values on both sides are the same a little further out.
    stands: Vec<Option<[bool; 2]>>,
    /// For each step, the smallest distance between different values within it.
    gaps: Vec<f64>,
    pub(super) value: C,
    steps: Vec<Option<Step<C>>>,
    ahead: Vec<(f64, C)>,
    /// Whether the function is not finite nearby.
    pub(super) has_holes: bool,
    /// The error of the values as estimated from each step, and their spread.
    noise: Vec<f64>,
    spread: Vec<f64>,
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
    /// A central difference and its rounding. The argument is rounded too, by eps of its size, which is the size of
    /// the direction.
    fn difference(&self, k: usize) -> Option<(C, f64)> {
        let Step { h, above, below } = self.steps[k].as_ref()?;
        let slope = (above - below) / (2.0 * h);
        let errors = ROUNDING * (above.norm().max(below.norm()) + slope.norm()) + SUBNORMAL;
        Some((slope, errors / h))
    }
    /// Whether the function does not oscillate within the step.
    fn is_resolved(&self, k: usize) -> bool {
        self.noise[k] <= (NOISY * self.value.norm()).max(SCATTERED * self.spread[k])
    }
    /// The height of the stairs, if the function is constant around the point and around most others where it has
    /// other values: its values, or its argument, are rounded to that. Zero for other functions.
    fn stair(&self) -> f64 {
        let varies = |k: &usize| self.spread[*k] > 0.0;
        let Some(finest) = (0..STEPS).rev().find(varies).filter(|k| k + 1 < STEPS) else { return 0.0 };
        let sides = (0..=finest).filter_map(|k| self.stands[k]).flatten();
        let (mut all, mut stand) = (0, 0);
        sides.for_each(|stands| (all, stand) = (all + 1, stand + usize::from(stands)));
        let height = self.gaps.iter().fold(f64::INFINITY, |least: f64, gap| least.min(*gap));
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
        let stair = self.stair();
        for k in 0..STEPS - 2 {
            let resolved = (k..k + 3).all(|k| self.is_resolved(k));
            let (true, Some((before, _)), Some((slope, rounding)), Some(step)) =
                (resolved, extrapolated(k), extrapolated(k + 1), &self.steps[k + 2])
            else {
                (last, grown) = (f64::NAN, 0.0);
                continue;
            };
            let apart = (before - slope).norm();
            let size = step.above.norm().max(step.below.norm());
            // Values that are rounded to a multiple of something show no error over the smallest steps.
            let stuck = self.noise[k + 1] == 0.0 && self.noise[k + 2] == 0.0;
            let known = |j: usize| j >= k + 2 || stuck && j >= SMOOTH && self.noise[j] <= NOISY * size;
            let noise = (0..STEPS).filter(|&j| known(j)).fold(0.0, |most: f64, j| most.max(self.noise[j]));
            let small = noise <= NOISY * size;
            let errors = if small { rounding.max(2.0 * noise / step.h) } else { rounding };
            let converged = apart <= errors || apart <= 0.1 * last;
            let uncertainty = apart.max(rounding).max(2.0 * noise.max(grown).max(stair) / step.h);
            // A distance that has just grown with smaller steps was an error of the values.
            grown = if apart > last { apart * step.h } else { 0.0 };
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
        let Step { h, above, below } = self.steps[k].as_ref()?;
        Some((above - self.value).norm().max((below - self.value).norm()) / h)
    }
    /// The difference of the derivatives on both sides of the point, if it does not shrink with the steps.
    fn kink(&self, k: usize) -> Option<f64> {
        let bend = |k: usize| {
            let Step { h, above, below } = self.steps[k].as_ref()?;
            Some((above - self.value * 2.0 + below).norm() / h)
        };
        let (far, near) = (bend(k)?, bend(k + 1)?);
        let noise = self.noise[k + 1..].iter().fold(f64::INFINITY, |least: f64, n| least.min(*n));
        let errors = self.difference(k + 1)?.1.max(noise / self.steps[k + 1].as_ref()?.h);
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
        let Some(last) = (FINE..STEPS).rev().find(|&k| self.steps[k].is_some()) else { return 0.0 };
        let noise = self.noise[FINE..last].iter().filter(|n| **n <= NOISY * self.value.norm());
        // Noise that shrinks with the steps is a kink.
        let level = noise.clone().zip(noise.skip(1)).filter(|(far, near)| **far <= 3.0 * **near);
        let rough = level.fold(0.0, |most: f64, (_, near)| most.max(*near));
        let smooth =
            self.noise[last] > 0.0 && rough > 30.0 * self.noise[last].max(ROUNDING * self.value.norm());
        self.steps[last].as_ref().filter(|_| smooth).map_or(0.0, |s| rough / s.h)
    }
    /// Whether all values are whole numbers although floats of their size need not be: the function may be piecewise
    /// constant.
    pub(super) fn is_whole(&self, coarse: bool) -> bool {
        let whole = |y: C| y.re.fract() == 0.0 && y.im.fract() == 0.0 && (coarse || y.norm() < WHOLE);
        whole(self.value) && self.steps.iter().flatten().all(|s| whole(s.above) && whole(s.below))
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
