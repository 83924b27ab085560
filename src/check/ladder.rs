//! A stated derivative beside central differences over a ladder of steps, and what these are worth.
//!
//! `D(h) = (f(x + hẋ) − f(x − hẋ))/2h` is off by `O(h²)` and by rounding `O(eps/h)`; two neighbours make
//! `E = (100·D(h/10) − D(h))/99`, off by `O(h⁴)`. Where two neighbouring `E` agree as well as rounding lets them, or
//! ten times better than the two before, their distance is the uncertainty; elsewhere the differences do not converge
//! and say nothing. So a function that is saturated, chaotic at the scale of the steps or has a kink is never
//! confirmed by chance.

use super::report::{Probe, Verdict};

/// The number of steps, each a tenth of the one before.
const STEPS: usize = 7;
/// The first step for differences, and for Taylor remainders, in units of the direction.
const FIRST: f64 = 1e-2;
const FIRST_REMAINDER: f64 = 1e-1;
/// A difference that is not known better than this tells nothing.
const RESOLUTION: f64 = 1e-5;
/// How many uncertainties a derivative may be off.
const SAFETY: f64 = 10.0;
/// Rounding of a function value, in eps of its size.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// How well a derivative must agree with an exact reference.
const EXACT: f64 = 1e-10;

/// The values of a function along a line at `h`, if they are finite and the point can be represented.
pub(super) type Line<'a> = &'a dyn Fn(f64) -> Option<Vec<f64>>;

/// What is known of a derivative besides the function, and how it is to be judged.
pub(super) struct Terms {
    /// The largest step, in units of the direction.
    pub(super) largest: f64,
    /// A relative distance that is accepted.
    pub(super) tolerance: f64,
    /// The exact derivative.
    pub(super) reference: Option<Vec<f64>>,
    /// The derivative by a complex step, which confirms but does not refute: complex functions may cancel.
    pub(super) complex_step: Option<Vec<f64>>,
}

/// The derivative along the line, as far as differences can tell.
struct Estimate {
    slope: Vec<f64>,
    uncertainty: f64,
    /// The larger of the two steps that it was made of.
    step: f64,
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    let each = x.iter().zip(y).map(|(x, y)| (x - y).abs());
    each.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) })
}

/// The central difference at a step, and its rounding error.
fn difference(along: Line, h: f64) -> Option<(Vec<f64>, f64)> {
    let (above, below) = (along(h)?, along(-h)?);
    let slope: Vec<f64> = above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)).collect();
    // The argument is rounded too: by eps of its size, which is the direction's.
    let rounding = ROUNDING * (largest(&above).max(largest(&below)) + largest(&slope)) / h;
    Some((slope, rounding))
}

/// The best of the extrapolated differences.
fn estimate(along: Line, first: f64) -> Option<Estimate> {
    let step = |k: usize| first * 0.1f64.powi(k as i32);
    let differences: Vec<_> = (0..STEPS).map(|k| difference(along, step(k))).collect();
    let extrapolated = |pair: &[Option<(Vec<f64>, f64)>]| {
        let ((far, _), (near, rounding)) = (pair[0].as_ref()?, pair[1].as_ref()?);
        let slope: Vec<f64> = far.iter().zip(near).map(|(f, n)| n + (n - f) / 99.0).collect();
        Some((slope, *rounding))
    };
    let extrapolated: Vec<_> = differences.windows(2).map(extrapolated).collect();
    let mut best: Option<Estimate> = None;
    let mut last = f64::NAN;
    for (k, pair) in extrapolated.windows(2).enumerate() {
        let (Some((before, _)), Some((slope, rounding))) = (&pair[0], &pair[1]) else { continue };
        let apart = distance(before, slope);
        let converged = apart <= *rounding || apart <= 0.1 * last;
        last = apart;
        let uncertainty = apart.max(*rounding);
        if converged && best.as_ref().is_none_or(|b| uncertainty < b.uncertainty) {
            best = Some(Estimate { slope: slope.clone(), uncertainty, step: step(k + 1) });
        }
    }
    best
}

/// Steps and Taylor remainders, and up to which size these are rounding.
fn remainders(along: Line, value: &[f64], claim: &[f64], first: f64) -> Vec<([f64; 2], f64)> {
    let remainder = |k: i32| {
        let h = first * 0.1f64.powi(k);
        let moved = along(h)?;
        let linear: Vec<f64> = value.iter().zip(claim).map(|(v, c)| v + h * c).collect();
        let rounding = 5.0 * ROUNDING * (largest(value) + largest(claim));
        Some(([h, distance(&moved, &linear)], rounding))
    };
    (0..STEPS as i32).filter_map(remainder).collect()
}

/// The orders between neighbouring remainders that stand above rounding, from large steps to small ones.
fn orders(remainders: &[([f64; 2], f64)], largest: f64) -> Vec<f64> {
    let above =
        |(r, rounding): &&([f64; 2], f64)| r[0] <= largest && r[1] > 10.0 * rounding && r[1].is_finite();
    let usable: Vec<[f64; 2]> = remainders.iter().filter(above).map(|r| r.0).collect();
    usable.windows(2).map(|r| (r[0][1] / r[1][1]).ln() / (r[0][0] / r[1][0]).ln()).collect()
}

/// Holds a claimed derivative to the function along a line.
pub(super) fn probe(what: impl Into<String>, along: Line, claim: &[f64], terms: &Terms) -> Probe {
    let first = FIRST.min(terms.largest);
    let value = along(0.0);
    let estimate = value.as_ref().and_then(|_| estimate(along, first));
    let first_remainder = FIRST_REMAINDER.min(terms.largest);
    let remainders = value.as_ref().map_or(vec![], |v| remainders(along, v, claim, first_remainder));
    let relative = |to: &Vec<f64>| {
        let scale = largest(to).max(f64::MIN_POSITIVE);
        if claim == to { 0.0 } else { distance(claim, to) / scale }
    };
    let mut probe = Probe {
        what: what.into(),
        verdict: Verdict::Inconclusive,
        reason: "the differences do not converge",
        taylor_order: orders(&remainders, f64::INFINITY).last().copied(),
        remainders: remainders.iter().map(|r| r.0).collect(),
        difference: f64::NAN,
        resolution: f64::INFINITY,
        complex_step: terms.complex_step.as_ref().map(relative),
        reference: terms.reference.as_ref().map(relative),
        vacuous: false,
    };
    if let (Some(estimate), Some(value)) = (&estimate, &value) {
        // How fast the function varies over these steps: what a derivative near zero is measured by.
        let h = estimate.step;
        let variation = [h, -h].into_iter().filter_map(along).map(|v| distance(&v, value) / h);
        let scale = variation.fold(largest(&estimate.slope), f64::max);
        judge(&mut probe, claim, estimate, scale, terms.tolerance);
        let orders = orders(&remainders, 110.0 * estimate.step);
        let kink = !orders.is_empty() && orders.iter().all(|&order| order < 1.5);
        if probe.verdict == Verdict::Right && kink {
            (probe.verdict, probe.reason) =
                (Verdict::Inconclusive, "a kink: the remainder is of first order");
        }
    }
    decide(&mut probe, claim);
    probe
}

/// The verdict by differences.
fn judge(probe: &mut Probe, claim: &[f64], estimate: &Estimate, scale: f64, tolerance: f64) {
    let gap = distance(claim, &estimate.slope);
    let allowed = SAFETY * estimate.uncertainty + tolerance * largest(&estimate.slope);
    probe.resolution = if scale == 0.0 { f64::INFINITY } else { estimate.uncertainty / scale };
    probe.difference = if gap == 0.0 { 0.0 } else { gap / scale };
    probe.vacuous = scale == 0.0 && gap == 0.0;
    (probe.verdict, probe.reason) = if !claim.iter().all(|c| c.is_finite()) {
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

/// The verdict by what is exact: a reference decides, a complex step confirms what is open.
fn decide(probe: &mut Probe, claim: &[f64]) {
    if let Some(error) = probe.reference {
        (probe.verdict, probe.reason) = match error <= EXACT {
            true => (Verdict::Right, "it is the reference"),
            false => (Verdict::Wrong, "it is not the reference"),
        };
    } else if probe.verdict == Verdict::Inconclusive
        && probe.complex_step.is_some_and(|e| e <= EXACT)
        && largest(claim) > 0.0
    {
        (probe.verdict, probe.reason) = (Verdict::Right, "it is the complex step");
    }
}
