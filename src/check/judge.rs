//! The comparison of a claimed derivative with differences.
//!
//! Each part of the result is judged relative to its own size, so a large one does not hide a small one.

use super::ladder::{Estimate, FIRST, FunctionOnLine, LineComponent, LineValues};
use super::parts::{C, largest};
use super::report::{Probe, Verdict};

/// A difference with a larger uncertainty is ignored.
const RESOLUTION: f64 = 1e-5;
/// The accepted error of a derivative, in units of the uncertainty.
const SAFETY: f64 = 10.0;
/// A part that is smaller than this relative to another part of the result may be the other's rounding.
pub(super) const BESIDE: f64 = 64.0 * f64::EPSILON;
/// The accepted relative error of a derivative compared with an exact one.
pub(super) const EXACT: f64 = 1e-10;
/// A difference quotient that is smaller than this relative to the derivative may come from a bounded function.
const BOUNDED: f64 = 1e-3;
/// Larger numbers may have overflowed in parts.
pub(super) const HUGE: f64 = 1e300;

/// Other evidence on a derivative besides the function, and how to judge it.
pub(super) struct Evidence {
    /// The largest step, in units of the direction.
    pub(super) largest: f64,
    /// The size of steps that was chosen.
    pub(super) nominal: f64,
    /// The size of the direction, by which first derivatives are multiplied, and the factor of this derivative.
    pub(super) size: f64,
    pub(super) unit: f64,
    /// The accepted error of a derivative if partials, or their intermediate results, underflow.
    pub(super) underflow: f64,
    /// Whether the last place of the argument may be longer than the period of the function.
    pub(super) coarse: bool,
    /// The accepted relative errors compared with differences and with a reference.
    pub(super) tolerance: f64,
    pub(super) exact: f64,
    /// Whether the values are first derivatives: relative to them a second derivative may be zero to rounding.
    pub(super) second_order: bool,
    /// The exact derivative, with the size of the terms in its sum.
    pub(super) reference: Option<Vec<(C, f64)>>,
    /// The derivative by a complex step, and whether it decides where differences cannot. It can confirm but not
    /// refute, because complex functions may cancel.
    pub(super) complex_step: Option<(Vec<f64>, bool)>,
}

impl Evidence {
    /// Whether partials of this derivative are too large for floats.
    fn overflows(&self, slope: C) -> bool {
        let most = slope.norm().max(slope.norm() / self.unit);
        most.is_nan() || most > HUGE
    }
}

/// Compares a claimed derivative with the differences.
fn compare(part: &LineComponent, claim: C, evidence: &Evidence) -> Probe {
    let mut probe = Probe::open("", "the differences do not converge");
    probe.remainders = part.remainders(claim);
    probe.taylor_order = part.order(&probe.remainders, claim);
    if !part.value.is_finite() {
        probe.reason = "what is differentiated is not finite here";
    } else if let Some(estimate) = part.estimate() {
        judge(&mut probe, part, claim, &estimate, evidence);
    }
    probe
}

/// The verdict by differences.
fn judge(probe: &mut Probe, part: &LineComponent, claim: C, estimate: &Estimate, evidence: &Evidence) {
    let (slope, is_finite) = (estimate.slope.norm(), claim.is_finite());
    let uncertainty = estimate.uncertainty + evidence.underflow;
    let gap = (claim - estimate.slope).norm();
    let allowed = SAFETY * uncertainty + evidence.tolerance * slope;
    let is_off = gap > allowed;
    // A derivative near zero is measured by the variation of the function.
    let scale = slope.max(estimate.variation);
    let is_tiny = gap <= allowed && scale.max(claim.norm()) <= evidence.underflow;
    let is_kink = estimate.kink.is_some_and(|apart| !is_finite || gap <= 0.55 * apart);
    let is_coarse = evidence.coarse && (!is_finite || slope < BOUNDED * claim.norm());
    let overflows = !is_finite && evidence.overflows(estimate.slope);
    let is_finer = is_off && part.is_finer(claim, estimate.slope);
    let has_stairs = is_off && claim == C::default() && part.is_whole(evidence.coarse);
    let is_hidden = uncertainty > RESOLUTION * scale;
    let open = Verdict::Inconclusive;
    // The first reason that holds decides.
    let reasons = [
        (is_kink, open, "a kink: the slopes on the two sides differ"),
        (is_coarse, open, "the argument is too coarse for steps"),
        (!is_finite && part.has_holes, open, "the function is not finite nearby"),
        (overflows, open, "it is too large for floats"),
        (is_finer, open, "smaller steps give another slope"),
        (has_stairs, open, "the function may be piecewise constant"),
        (!is_finite, Verdict::Wrong, "it is not finite where the function is smooth"),
        (is_off, Verdict::Wrong, "it is not the limit of the differences"),
        (scale == 0.0, open, "the function does not vary over the steps"),
        (is_tiny, open, "it is too small for floats"),
        (is_hidden, open, "rounding hides the differences"),
    ];
    let right = (true, Verdict::Right, "it is the limit of the differences");
    (_, probe.verdict, probe.reason) = reasons.into_iter().find(|(holds, ..)| *holds).unwrap_or(right);
    probe.resolution = if scale == 0.0 { f64::INFINITY } else { uncertainty / scale };
    probe.difference = if gap == 0.0 { 0.0 } else { gap / scale };
    // A step that disappears when it is added to the value shows no derivative.
    let absorbed = evidence.size * FIRST.min(evidence.largest) <= f64::EPSILON * part.value.norm();
    probe.vacuous = (scale == 0.0 && gap == 0.0 || is_tiny) && !absorbed;
    let is_unseen = probe.verdict == open && gap <= allowed && evidence.second_order;
    if is_unseen && claim.norm() <= BESIDE * part.value.norm() {
        (probe.vacuous, probe.reason) = (true, "it is zero up to the rounding of the first derivative");
    }
    probe.stationary = probe.verdict == Verdict::Right && uncertainty > RESOLUTION * slope;
    probe.beside = (gap <= allowed).then_some(evidence.nominal);
}

/// The difference from a known value, relative to a size; 0 if equal.
fn relative(claim: C, to: C, size: f64) -> f64 {
    let apart = (claim - to).norm() / size.max(f64::MIN_POSITIVE);
    if claim == to {
        0.0
    } else if apart.is_nan() {
        f64::INFINITY
    } else {
        apart
    }
}

/// The verdict by exact values: a reference decides, and a complex step confirms a claim that is still undecided.
fn decide(probe: &mut Probe, claim: C, evidence: &Evidence) {
    if let Some(error) = probe.reference {
        (probe.verdict, probe.reason) = match error <= evidence.exact {
            true => (Verdict::Right, "it agrees with the reference"),
            false => (Verdict::Wrong, "it differs from the reference"),
        };
    } else if probe.verdict == Verdict::Inconclusive
        && evidence.complex_step.as_ref().is_some_and(|(_, decides)| *decides)
        && probe.complex_step.is_some_and(|e| e <= EXACT)
        && claim != C::default()
    {
        (probe.verdict, probe.reason) = (Verdict::Right, "it agrees with the complex step");
    }
}

/// The evidence of a part of the result: none if neither the part nor its claimed derivative varies, little if it is
/// rounding of other parts.
fn weight(probe: &Probe, is_rounding: bool) -> i32 {
    match probe.verdict {
        Verdict::Inconclusive if probe.vacuous => 0,
        Verdict::Inconclusive if is_rounding => 1,
        Verdict::Right => 2,
        Verdict::Inconclusive => 3,
        Verdict::Wrong => 4,
    }
}

/// Compares a claimed derivative with the function along a line. The verdict is the verdict of the worst part of the
/// result.
pub(super) fn probe(what: &str, along: FunctionOnLine, claim: &[C], evidence: &Evidence) -> Probe {
    let values = LineValues::of(along);
    let results: Option<Vec<C>> = (0..claim.len()).map(|i| values.at(0.0, i)).collect();
    let Some(results) = results else { return Probe::open(what, "the function has no value here") };
    let most = |y: &[C]| largest(y.iter().filter(|y| y.is_finite()).map(|y| y.norm()));
    let beside = [&results[..], claim].map(|y| BESIDE * most(y));
    let one = |(i, &claim): (usize, &C)| {
        let part = LineComponent::of(results[i], |h| values.at(h, i), evidence.largest);
        let mut probe = compare(&part, claim, evidence);
        probe.part = i;
        probe.reference = evidence.reference.as_ref().map(|r| relative(claim, r[i].0, r[i].1));
        probe.complex_step =
            evidence.complex_step.as_ref().map(|(c, _)| relative(claim, c[i].into(), c[i].abs()));
        if probe.difference == f64::INFINITY && claim.norm() <= beside[1] {
            (probe.verdict, probe.vacuous) = (Verdict::Inconclusive, true);
            probe.reason =
                "the function does not vary over the steps, and the derivative may be rounding of others";
        }
        decide(&mut probe, claim, evidence);
        (weight(&probe, part.value.norm() < beside[0] && claim.norm() <= beside[1]), probe)
    };
    let parts: Vec<(i32, Probe)> = claim.iter().enumerate().map(one).collect();
    let largest = |of: fn(&Probe) -> Option<f64>| parts.iter().filter_map(|(_, p)| of(p)).reduce(f64::max);
    let [reference, complex_step] = [largest(|p| p.reference), largest(|p| p.complex_step)];
    let order = parts.iter().filter_map(|(_, p)| p.taylor_order).reduce(f64::min);
    let beside = parts.iter().find_map(|(_, p)| p.beside).filter(|_| reference.is_none());
    let stationary = parts.iter().any(|(_, p)| p.stationary) && reference.is_none();
    let is_worse = |a: &(i32, Probe), b: &(i32, Probe)| (a.0, a.1.difference) > (b.0, b.1.difference);
    let Some((_, worst)) = parts.into_iter().reduce(|a, b| if is_worse(&b, &a) { b } else { a }) else {
        return Probe::open(what, "the function has no results");
    };
    let taylor_order = worst.taylor_order.or(order);
    Probe { what: what.into(), taylor_order, reference, complex_step, beside, stationary, ..worst }
}
