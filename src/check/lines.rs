//! Comparisons of derivatives with differences along lines.

use super::Check;
use super::judge::{BESIDE, EXACT, Evidence, probe};
use super::ladder::FIRST;
use super::parts::{C, largest};
use super::report::{Probe, Report, Verdict};
use super::subject::{PartialEntries, ProbeLine, Subject, longest};
use crate::error::AdError;

/// The accepted relative difference from differences, in addition to their own uncertainty.
const TOLERANCE: f64 = 1e-7;
/// Differences with a smaller uncertainty need no other step sizes.
const RESOLVED: f64 = 1e-8;
/// The number of periods from zero beyond which the smallest steps exceed a period.
const COARSE: f64 = 1e12;

/// The point moved by `h` along a direction; `None` if a step is lost in rounding. Minus zero stays.
pub(super) fn moved(x: &[C], dx: &[C], h: f64) -> Option<Vec<C>> {
    let one = |(&x, &dx): (&C, &C)| {
        let step = dx * h;
        let moved = if step == C::default() { x } else { x + step };
        let lost = ((moved - x) - step).norm() > 2.0 * f64::EPSILON * dx.norm();
        (!lost).then_some(moved)
    };
    x.iter().zip(dx).map(one).collect()
}

impl Check {
    /// Compares the derivatives along lines with differences.
    #[track_caller]
    pub(super) fn compare_lines(&self, report: &mut Report, subject: &Subject, x: &[C], lines: &[ProbeLine]) {
        for line in lines {
            let (probe, is_first) = (self.compare_line(subject, x, line), line.fixed.is_empty());
            if !is_first && matches!(probe, Err(AdError::Unsupported { .. })) {
                return;
            }
            let what = if is_first { "derivative" } else { "second derivative" };
            let Some(probe) = report.take(what, probe) else { return };
            report.probes.push(probe);
        }
    }
    /// The most certain comparison of several step sizes.
    #[track_caller]
    fn compare_line(&self, subject: &Subject, x: &[C], line: &ProbeLine) -> Result<Probe, AdError> {
        let fixed: Vec<&[C]> = line.fixed.iter().map(Vec::as_slice).collect();
        let mut best: Option<Probe> = None;
        for (size, dx) in &line.directions {
            let claim = (subject.derivative)(x, &[&fixed[..], &[dx]].concat())?;
            let along = |h: f64| (subject.derivative)(&moved(x, dx, h)?, &fixed).ok();
            let mut evidence = self.evidence(line, *size, longest(dx).max(f64::MIN_POSITIVE));
            if fixed.is_empty() {
                evidence.reference = self.reference_along(claim.len(), subject.entries, dx);
                evidence.complex_step = (subject.complex_step)(x, dx);
            }
            let probe = probe(&line.what, &along, &claim, &evidence);
            let probe = match best {
                None => probe,
                Some(best) => more_certain(best, probe),
            };
            if is_settled(&probe) {
                return Ok(probe);
            }
            best = Some(probe);
        }
        Ok(best.unwrap_or_default())
    }
    /// The settings for a line, in a direction of this length.
    fn evidence(&self, line: &ProbeLine, nominal: f64, size: f64) -> Evidence {
        let fixed = line.fixed.iter().map(|fixed| longest(fixed).max(f64::MIN_POSITIVE)).next();
        Evidence {
            largest: self.max_step / size,
            nominal,
            size,
            unit: size * fixed.unwrap_or(1.0),
            // Formulas of second order divide the direction by the argument.
            underflow: f64::MIN_POSITIVE * fixed.map_or(size, |fixed| fixed * size.max(fixed / size)),
            coarse: size >= COARSE * line.period.min(1.0),
            tolerance: self.tolerance.unwrap_or(TOLERANCE),
            exact: self.limit(EXACT),
            second_order: fixed.is_some(),
            reference: None,
            complex_step: None,
        }
    }
    /// Runs the same check near the point, in the direction `aside` of a size: a derivative may be right where it or
    /// the function is zero, and a second derivative may match the first although neither matches the values.
    pub(super) fn look_beside(
        &self,
        report: &mut Report,
        x: &[C],
        aside: &dyn Fn(f64) -> Vec<C>,
        at: &dyn Fn(&Check, &mut Report, &[C]),
    ) {
        for side in [1.0, -1.0] {
            let Some(size) = report.beside() else { return };
            let dx = aside(size);
            let step = 0.7 * FIRST.min(self.max_step / longest(&dx));
            let there: Vec<C> = x.iter().zip(&dx).map(|(x, dx)| x + dx * (side * step)).collect();
            // The other steps end where those at the point end.
            let max_step = self.max_step - step * longest(&dx);
            let (check, mut other) = (Check { max_step, reference: None, ..self.clone() }, Report::default());
            at(&check, &mut other, &there);
            report.take_beside(&other, side < 0.0);
        }
    }
    /// The derivative along `ẋ` by the reference, with the sizes of its terms.
    #[track_caller]
    fn reference_along(&self, results: usize, entries: PartialEntries, dx: &[C]) -> Option<Vec<(C, f64)>> {
        let jacobian = self.reference.as_ref()?;
        let [down, across] = match entries {
            PartialEntries::Real => [1, 1],
            PartialEntries::Holomorphic => [1, 2],
            PartialEntries::Parts => [2, 2],
        };
        let (rows, columns, got) = (down * results, across * dx.len(), jacobian.len());
        if got != rows * columns {
            panic!(
                "check: the reference has {got} numbers, expected {rows}×{columns}, the partials of each result"
            );
        }
        let along = |result: usize| {
            // A row times a direction, and the size of the terms.
            let times = |i: usize, turn: fn(&C) -> C| {
                let dx = dx.iter().map(turn).flat_map(|d| [d.re, d.im].into_iter().take(across));
                let row = &jacobian[(down * result + i) * columns..][..columns];
                let terms = row.iter().zip(dx).map(|(j, dx)| j * dx);
                terms.fold([0.0, 0.0], |[sum, size], term| [sum + term, size + term.abs()])
            };
            let [re, im] = match entries {
                PartialEntries::Real => [times(0, |d| *d), [0.0; 2]],
                PartialEntries::Holomorphic => [times(0, |d| d.conj()), times(0, |d| C::new(d.im, d.re))],
                PartialEntries::Parts => [times(0, |d| *d), times(1, |d| *d)],
            };
            (C::new(re[0], im[0]), re[1].hypot(im[1]))
        };
        let mut along: Vec<(C, f64)> = (0..results).map(along).collect();
        // Where the reference is exactly zero, it has no digits for the rounding of the other results.
        let most = largest(along.iter().map(|d| d.1));
        along.iter_mut().filter(|d| d.1 == 0.0).for_each(|d| d.1 = BESIDE / EXACT * most);
        Some(along)
    }
}

/// Whether steps of another size add nothing to a comparison.
fn is_settled(probe: &Probe) -> bool {
    match probe.verdict {
        // Where nothing varies over small steps, larger ones may show stairs.
        Verdict::Wrong => probe.difference != f64::INFINITY,
        Verdict::Right => probe.resolution <= RESOLVED,
        Verdict::Inconclusive => false,
    }
}

/// The more certain of two comparisons of a derivative, by small steps and by large ones.
fn more_certain(mut small: Probe, large: Probe) -> Probe {
    if small.verdict == Verdict::Wrong {
        if large.verdict != Verdict::Wrong && large.difference.is_finite() {
            small.verdict = Verdict::Inconclusive;
            small.reason = "the function does not vary over small steps, but over larger ones";
        }
        return small;
    }
    let is_better = match [&small, &large].map(|p| p.verdict == Verdict::Inconclusive) {
        [true, true] => small.vacuous && !large.vacuous,
        [is_open, other_is_open] => !other_is_open && (is_open || large.resolution < small.resolution),
    };
    if is_better { large } else { small }
}
