//! The comparison of a claimed derivative with differences.
//!
//! Each part of the result is judged relative to its own size, so a large one does not hide a small one.

use super::ladder::{C, Estimate, FIRST, Line, LineComponent, Samples};
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
    /// The size of the direction, by which partials are multiplied.
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
    /// The derivative by a complex step. It can confirm but not refute, because complex functions may cancel.
    pub(super) complex_step: Option<Vec<f64>>,
    /// Whether a complex step decides where differences cannot.
    pub(super) complex_decides: bool,
}

impl Evidence {
    /// Whether partials of this derivative are too large for floats.
    fn overflows(&self, slope: C) -> bool {
        let most = slope.norm().max(slope.norm() / self.unit);
        most.is_nan() || most > HUGE
    }
}

/// Compares a claimed derivative with the differences.
fn hold(part: &LineComponent, claim: C, terms: &Evidence) -> Probe {
    let mut probe = Probe::open("", "the differences do not converge");
    probe.remainders = part.remainders(claim);
    probe.taylor_order = part.order(&probe.remainders, claim);
    if !part.value.is_finite() {
        probe.reason = "the function's value is not finite";
    } else if let Some(estimate) = part.estimate() {
        judge(&mut probe, part, claim, &estimate, terms);
    }
    probe
}

/// A claim and its estimate.
struct Gap {
    /// Their difference, and the accepted difference.
    gap: f64,
    allowed: f64,
    /// The uncertainty of the estimate, including underflow.
    uncertainty: f64,
    /// How fast the function varies: a derivative near zero is measured by that.
    scale: f64,
    /// Whether all of it is too small for floats.
    tiny: bool,
}

impl Gap {
    fn of(claim: C, estimate: &Estimate, terms: &Evidence) -> Gap {
        let slope = estimate.slope.norm();
        let uncertainty = estimate.uncertainty + terms.underflow;
        let gap = (claim - estimate.slope).norm();
        let allowed = SAFETY * uncertainty + terms.tolerance * slope;
        let scale = slope.max(estimate.variation);
        let tiny = gap <= allowed && scale.max(claim.norm()) <= terms.underflow;
        Gap { gap, allowed, uncertainty, scale, tiny }
    }
    /// The reason why a claim cannot be judged although it disagrees with the differences.
    fn excuse(
        &self,
        part: &LineComponent,
        claim: C,
        estimate: &Estimate,
        terms: &Evidence,
    ) -> Option<&'static str> {
        let slope = estimate.slope.norm();
        if estimate.kink.is_some_and(|apart| !claim.is_finite() || self.gap <= 0.55 * apart) {
            Some("a kink: the slopes on the two sides differ")
        } else if terms.coarse && (!claim.is_finite() || slope < BOUNDED * claim.norm()) {
            Some("the argument is too coarse for steps")
        } else if !claim.is_finite() && part.has_holes {
            Some("the function is not finite nearby")
        } else if !claim.is_finite() && terms.overflows(estimate.slope) {
            Some("it is too large for floats")
        } else if self.gap > self.allowed && part.is_finer(claim, estimate.slope) {
            Some("smaller steps give another slope")
        } else if self.gap > self.allowed && claim == C::default() && part.is_whole(terms.coarse) {
            Some("the function may be piecewise constant")
        } else {
            None
        }
    }
    /// The verdict if there is no such reason.
    fn verdict(&self, claim: C) -> (Verdict, &'static str) {
        if !claim.is_finite() {
            (Verdict::Wrong, "it is not finite where the function is smooth")
        } else if self.gap > self.allowed {
            (Verdict::Wrong, "it is not the limit of the differences")
        } else if self.scale == 0.0 {
            (Verdict::Inconclusive, "the function does not vary over the steps")
        } else if self.tiny {
            (Verdict::Inconclusive, "it is too small for floats")
        } else if self.uncertainty > RESOLUTION * self.scale {
            (Verdict::Inconclusive, "rounding hides the differences")
        } else {
            (Verdict::Right, "it is the limit of the differences")
        }
    }
}

/// The verdict by differences.
fn judge(probe: &mut Probe, part: &LineComponent, claim: C, estimate: &Estimate, terms: &Evidence) {
    let beside = Gap::of(claim, estimate, terms);
    let Gap { gap, allowed, uncertainty, scale, tiny } = beside;
    probe.resolution = if scale == 0.0 { f64::INFINITY } else { uncertainty / scale };
    probe.difference = if gap == 0.0 { 0.0 } else { gap / scale };
    let excuse = beside.excuse(part, claim, estimate, terms);
    (probe.verdict, probe.reason) =
        excuse.map_or_else(|| beside.verdict(claim), |reason| (Verdict::Inconclusive, reason));
    // A step that disappears when it is added to the value shows no derivative.
    let absorbed = terms.size * FIRST.min(terms.largest) <= f64::EPSILON * part.value.norm();
    probe.vacuous = (scale == 0.0 && gap == 0.0 || tiny) && !absorbed;
    let hidden = probe.verdict == Verdict::Inconclusive && gap <= allowed && terms.second_order;
    if hidden && claim.norm() <= BESIDE * part.value.norm() {
        (probe.vacuous, probe.reason) = (true, "it is zero up to the rounding of the first derivative");
    }
    probe.stationary = probe.verdict == Verdict::Right && uncertainty > RESOLUTION * estimate.slope.norm();
    probe.beside = (gap <= allowed).then_some((terms.size, 0.7 * FIRST.min(terms.largest)));
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
fn decide(probe: &mut Probe, claim: C, terms: &Evidence) {
    if let Some(error) = probe.reference {
        (probe.verdict, probe.reason) = match error <= terms.exact {
            true => (Verdict::Right, "it agrees with the reference"),
            false => (Verdict::Wrong, "it differs from the reference"),
        };
    } else if probe.verdict == Verdict::Inconclusive
        && terms.complex_decides
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
pub(super) fn probe(what: &str, along: Line, claim: &[C], terms: &Evidence) -> Probe {
    let Some(samples) = Samples::of(along, terms.largest) else {
        return Probe::open(what, "the function has no value here");
    };
    let most = |y: &[C]| y.iter().filter(|y| y.is_finite()).fold(0.0, |m: f64, y| m.max(y.norm()));
    let beside = [&samples.value, claim].map(|y| BESIDE * most(y));
    let one = |(i, &claim): (usize, &C)| {
        let part = samples.part(i);
        let mut probe = hold(&part, claim, terms);
        probe.part = i;
        probe.reference = terms.reference.as_ref().map(|r| relative(claim, r[i].0, r[i].1));
        probe.complex_step = terms.complex_step.as_ref().map(|c| relative(claim, c[i].into(), c[i].abs()));
        if probe.difference == f64::INFINITY && claim.norm() <= beside[1] {
            (probe.verdict, probe.vacuous) = (Verdict::Inconclusive, true);
            probe.reason =
                "the function does not vary over the steps, and the derivative may be rounding of others";
        }
        decide(&mut probe, claim, terms);
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
