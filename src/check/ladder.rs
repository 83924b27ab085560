//! A stated derivative beside central differences over a ladder of steps, and what these are worth.
//!
//! `D(h) = (f(x + hẋ) − f(x − hẋ))/2h` is off by `O(h²)` and by rounding `O(eps/h)`; two neighbours make
//! `E = (100·D(h/10) − D(h))/99`, off by `O(h⁴)`. Where two neighbouring `E` agree as well as rounding lets them, or
//! ten times better than the two before, their distance is the uncertainty; elsewhere the differences do not converge
//! and say nothing. So a function that is saturated, chaotic at the scale of the steps or has a kink is
//! not confirmed.
//!
//! Every part of the result is judged by itself, in its own size: a small one is not hidden by a large one beside it.

use super::report::{Probe, Verdict};

/// The number of steps, each a tenth of the one before.
const STEPS: usize = 7;
/// The first step for differences, and for Taylor remainders, in units of the direction.
const FIRST: f64 = 1e-2;
const FIRST_REMAINDER: f64 = 1e-1;
/// Values that scatter by more of their size are no smooth function with rounding: it may oscillate.
const NOISY: f64 = 1e-9;
/// Values within one step, from which their errors are seen.
const WITHIN: i32 = 8;
/// A difference that is not known better than this tells nothing.
const RESOLUTION: f64 = 1e-5;
/// How many uncertainties a derivative may be off.
const SAFETY: f64 = 10.0;
/// Rounding of a function value, in eps of its size.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// What is smaller than this beside another part of one result may be that one's rounding.
pub(super) const BESIDE: f64 = 64.0 * f64::EPSILON;
/// How well a derivative must agree with what is exact.
pub(super) const EXACT: f64 = 1e-10;

/// The values of a function along a line at `h`, if there are any and the point can be represented.
pub(super) type Line<'a> = &'a dyn Fn(f64) -> Option<Vec<f64>>;

/// What is known of a derivative besides the function, and how it is to be judged.
pub(super) struct Terms {
    /// The largest step, in units of the direction.
    pub(super) largest: f64,
    /// A relative distance from the differences that is accepted, and one from a reference.
    pub(super) tolerance: f64,
    pub(super) exact: f64,
    /// Whether the values are first derivatives themselves: beside them a second derivative may be zero up to rounding.
    pub(super) second_order: bool,
    /// The exact derivative, with the size of the terms that it is a sum of.
    pub(super) reference: Option<Vec<[f64; 2]>>,
    /// The derivative by a complex step, which confirms but does not refute: complex functions may cancel.
    pub(super) complex_step: Option<Vec<f64>>,
    /// Whether a complex step confirms where differences tell nothing.
    pub(super) complex_decides: bool,
}

/// One step and the values on both sides.
struct Step {
    h: f64,
    above: Vec<f64>,
    below: Vec<f64>,
}

/// The function along the line.
struct Samples {
    value: Vec<f64>,
    steps: Vec<Option<Step>>,
    /// Steps for remainders, with the values there.
    ahead: Vec<(f64, Vec<f64>)>,
    /// For each step, values in equal distances from below to above.
    within: Vec<Vec<Vec<f64>>>,
}

impl Samples {
    fn of(along: Line, largest: f64) -> Option<Samples> {
        let value = along(0.0)?;
        let ladder = |first: f64| (0..STEPS as i32).map(move |k| first.min(largest) * 0.1f64.powi(k));
        let step = |h: f64| Some(Step { h, above: along(h)?, below: along(-h)? });
        let ahead = |h: f64| Some((h, along(h)?));
        let place = |k: i32| f64::from(2 * k - WITHIN + 1) / f64::from(WITHIN - 1);
        let within = |h: f64| (0..WITHIN).filter_map(|k| along(h * place(k))).collect();
        Some(Samples {
            value,
            steps: ladder(FIRST).map(step).collect(),
            ahead: ladder(FIRST_REMAINDER).filter_map(ahead).collect(),
            within: ladder(FIRST).map(within).collect(),
        })
    }
    /// One part of the result. A function may have fewer results elsewhere.
    fn part(&self, i: usize) -> Part {
        let finite = |y: &[f64]| y.get(i).copied().filter(|y| y.is_finite());
        let step = |s: &Option<Step>| {
            let s = s.as_ref()?;
            Some([s.h, finite(&s.above)?, finite(&s.below)?])
        };
        Part {
            value: self.value.get(i).copied().unwrap_or(f64::NAN),
            steps: self.steps.iter().map(step).collect(),
            ahead: self.ahead.iter().filter_map(|(h, y)| Some([*h, finite(y)?])).collect(),
            noise: self
                .within
                .iter()
                .map(|y| noise(&y.iter().filter_map(|y| finite(y)).collect::<Vec<_>>()))
                .collect(),
        }
    }
}

/// The error of values in equal distances, as third differences show it (Hamming; Moré and Wild 2011): more than their
/// rounding where they are differences of larger numbers.
fn noise(y: &[f64]) -> f64 {
    let thirds: Vec<f64> = y.windows(4).map(|y| (y[3] - y[0] - 3.0 * (y[2] - y[1])).powi(2)).collect();
    (thirds.iter().sum::<f64>() / (20.0 * thirds.len().max(1) as f64)).sqrt()
}

/// One part of the result along the line.
struct Part {
    value: f64,
    /// A step, and the values above and below.
    steps: Vec<Option<[f64; 3]>>,
    ahead: Vec<[f64; 2]>,
    /// The error of the values, as each step shows it.
    noise: Vec<f64>,
}

/// A derivative along the line, as far as differences can tell.
struct Estimate {
    slope: f64,
    uncertainty: f64,
    /// The larger of the two steps that it was made of, and how fast the function varies over it.
    step: f64,
    variation: f64,
}

impl Part {
    /// The best of the extrapolated differences.
    fn estimate(&self) -> Option<Estimate> {
        let difference = |&[h, above, below]: &[f64; 3]| {
            let slope = (above - below) / (2.0 * h);
            // The argument is rounded too: by eps of its size, which is the direction's.
            (slope, ROUNDING * (above.abs().max(below.abs()) + slope.abs()) / h)
        };
        let differences: Vec<_> = self.steps.iter().map(|s| s.as_ref().map(difference)).collect();
        let extrapolated = |pair: &[Option<(f64, f64)>]| {
            let ((far, _), (near, rounding)) = (pair[0]?, pair[1]?);
            Some((near + (near - far) / 99.0, rounding))
        };
        let extrapolated: Vec<_> = differences.windows(2).map(extrapolated).collect();
        let apart = |k: usize| Some((extrapolated[k]?.0 - extrapolated[k + 1]?.0).abs());
        let mut best: Option<Estimate> = None;
        let (mut last, mut grown) = (f64::NAN, 0.0_f64);
        for k in 0..extrapolated.len() - 1 {
            let (Some(apart), Some((slope, rounding))) = (apart(k), extrapolated[k + 1]) else { continue };
            let (Some([near, ..]), Some([step, above, below])) = (self.steps[k + 2], self.steps[k + 1])
            else {
                continue;
            };
            let noise = self.noise[k + 2..].iter().fold(0.0, |most: f64, n| most.max(*n));
            let small = noise <= NOISY * above.abs().max(below.abs());
            let errors = if small { rounding.max(2.0 * noise / near) } else { rounding };
            let converged = apart <= errors || apart <= 0.1 * last;
            let uncertainty = apart.max(rounding).max(2.0 * noise.max(grown) / near);
            // A distance that has just grown with smaller steps was an error of the values.
            grown = if apart > last { apart * near } else { 0.0 };
            last = apart;
            if converged && best.as_ref().is_none_or(|b| uncertainty < b.uncertainty) {
                let variation = (above - self.value).abs().max((below - self.value).abs()) / step;
                best = Some(Estimate { slope, uncertainty, step, variation });
            }
        }
        best
    }
    /// Steps and Taylor remainders.
    fn remainders(&self, claim: f64) -> Vec<[f64; 2]> {
        let remainder = |&[h, y]: &[f64; 2]| [h, (y - (self.value + h * claim)).abs()];
        self.ahead.iter().map(remainder).collect()
    }
    /// The orders between neighbouring remainders that stand above rounding, from large steps to small ones.
    fn orders(&self, remainders: &[[f64; 2]], claim: f64, largest: f64) -> Vec<f64> {
        let rounding = 5.0 * ROUNDING * (self.value.abs() + claim.abs());
        let above = |r: &&[f64; 2]| r[0] <= largest && r[1] > 10.0 * rounding && r[1].is_finite();
        let usable: Vec<&[f64; 2]> = remainders.iter().filter(above).collect();
        usable.windows(2).map(|r| (r[0][1] / r[1][1]).ln() / (r[0][0] / r[1][0]).ln()).collect()
    }
    /// Holds a claimed derivative to the differences.
    fn probe(&self, claim: f64, tolerance: f64) -> Probe {
        let remainders = self.remainders(claim);
        let mut probe = Probe::open("", "the differences do not converge");
        probe.taylor_order = self.orders(&remainders, claim, f64::INFINITY).last().copied();
        probe.remainders = remainders;
        if !self.value.is_finite() {
            probe.reason = "the function's value is not finite";
        } else if let Some(estimate) = self.estimate() {
            judge(&mut probe, claim, &estimate, tolerance);
            let orders = self.orders(&probe.remainders, claim, 110.0 * estimate.step);
            let kink = !orders.is_empty() && orders.iter().all(|&order| order < 1.5);
            if probe.verdict == Verdict::Right && kink {
                (probe.verdict, probe.reason) =
                    (Verdict::Inconclusive, "a kink: the remainder is of first order");
            }
        }
        probe
    }
}

/// The verdict by differences.
fn judge(probe: &mut Probe, claim: f64, estimate: &Estimate, tolerance: f64) {
    let gap = (claim - estimate.slope).abs();
    let allowed = SAFETY * estimate.uncertainty + tolerance * estimate.slope.abs();
    // A derivative near zero is measured by how fast the function varies over the steps.
    let scale = estimate.slope.abs().max(estimate.variation);
    probe.resolution = if scale == 0.0 { f64::INFINITY } else { estimate.uncertainty / scale };
    probe.difference = if gap == 0.0 { 0.0 } else { gap / scale };
    probe.vacuous = scale == 0.0 && gap == 0.0;
    (probe.verdict, probe.reason) = if !claim.is_finite() {
        (Verdict::Wrong, "it is not finite where the function is smooth")
    } else if gap > allowed {
        (Verdict::Wrong, "it is not the limit of the differences")
    } else if scale == 0.0 {
        (Verdict::Inconclusive, "the function does not vary over the steps")
    } else if estimate.uncertainty > RESOLUTION * scale {
        (Verdict::Inconclusive, "rounding hides the differences")
    } else {
        (Verdict::Right, "it is the limit of the differences")
    };
}

/// The distance from what is known, relative to a size; 0 where equal.
fn relative(claim: f64, to: f64, size: f64) -> f64 {
    let apart = (claim - to).abs() / size.max(f64::MIN_POSITIVE);
    if claim == to {
        0.0
    } else if apart.is_nan() {
        f64::INFINITY
    } else {
        apart
    }
}

/// The verdict by what is exact: a reference decides, a complex step confirms what is open.
fn decide(probe: &mut Probe, claim: f64, terms: &Terms) {
    if let Some(error) = probe.reference {
        (probe.verdict, probe.reason) = match error <= terms.exact {
            true => (Verdict::Right, "it is the reference"),
            false => (Verdict::Wrong, "it is not the reference"),
        };
    } else if probe.verdict == Verdict::Inconclusive
        && terms.complex_decides
        && probe.complex_step.is_some_and(|e| e <= EXACT)
        && claim != 0.0
    {
        (probe.verdict, probe.reason) = (Verdict::Right, "it is the complex step");
    }
}

/// What a part of the result tells, beside others: nothing where it neither varies nor is said to, little where it is
/// rounding of others.
fn weight(probe: &Probe, is_rounding: bool) -> i32 {
    match probe.verdict {
        Verdict::Inconclusive if probe.vacuous => 0,
        Verdict::Inconclusive if is_rounding => 1,
        Verdict::Right => 2,
        Verdict::Inconclusive => 3,
        Verdict::Wrong => 4,
    }
}

/// Holds a claimed derivative to the function along a line. The verdict is that of the worst part of the result.
pub(super) fn probe(what: &str, along: Line, claim: &[f64], terms: &Terms) -> Probe {
    let Some(samples) = Samples::of(along, terms.largest) else {
        return Probe::open(what, "the function has no value here");
    };
    let most = |y: &[f64]| y.iter().filter(|y| y.is_finite()).fold(0.0, |m: f64, y| m.max(y.abs()));
    let beside = [&samples.value, claim].map(|y| BESIDE * most(y));
    let one = |(i, &claim): (usize, &f64)| {
        let part = samples.part(i);
        let mut probe = part.probe(claim, terms.tolerance);
        probe.part = i;
        probe.reference = terms.reference.as_ref().map(|r| relative(claim, r[i][0], r[i][1]));
        probe.complex_step = terms.complex_step.as_ref().map(|c| relative(claim, c[i], c[i].abs()));
        if probe.difference == f64::INFINITY && claim.abs() <= beside[1] {
            (probe.verdict, probe.vacuous) = (Verdict::Inconclusive, true);
            probe.reason = "the function does not vary over the steps, and it is rounding of others";
        }
        let hidden = probe.verdict == Verdict::Inconclusive && !probe.difference.is_nan();
        if terms.second_order && hidden && claim.abs() <= BESIDE * part.value.abs() {
            (probe.vacuous, probe.reason) = (true, "it is zero up to the rounding of the first derivative");
        }
        decide(&mut probe, claim, terms);
        (weight(&probe, part.value.abs() < beside[0] && claim.abs() <= beside[1]), probe)
    };
    let parts: Vec<(i32, Probe)> = claim.iter().enumerate().map(one).collect();
    let largest = |of: fn(&Probe) -> Option<f64>| parts.iter().filter_map(|(_, p)| of(p)).reduce(f64::max);
    let [reference, complex_step] = [largest(|p| p.reference), largest(|p| p.complex_step)];
    let order = parts.iter().filter_map(|(_, p)| p.taylor_order).reduce(f64::min);
    let is_worse = |a: &(i32, Probe), b: &(i32, Probe)| (a.0, a.1.difference) > (b.0, b.1.difference);
    let Some((_, worst)) = parts.into_iter().reduce(|a, b| if is_worse(&b, &a) { b } else { a }) else {
        return Probe::open(what, "the function has no results");
    };
    let taylor_order = worst.taylor_order.or(order);
    Probe { what: what.into(), taylor_order, reference, complex_step, ..worst }
}
