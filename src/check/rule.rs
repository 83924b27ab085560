//! Rules of one and two variables, real and complex, and functions of one with their derivative.

use super::Check;
use super::judge::{EXACT, Evidence, probe};
use super::ladder::{C, Line};
use super::parts::same_bits;
use super::report::{Probe, Report, Verdict, short};
use super::single;
use super::subject::{OneComplex, OneReal, RuleSubject, TwoComplex, TwoReal, unit};
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};

/// The accepted relative difference from differences, in addition to their own uncertainty.
const TOLERANCE: f64 = 1e-7;
/// Differences with a smaller uncertainty need no other step sizes.
const RESOLVED: f64 = 1e-8;
/// The number of periods from zero beyond which the smallest steps exceed a period.
const COARSE: f64 = 1e12;
/// Steps of smaller arguments underflow.
pub(super) const SMALLEST: f64 = 1e-307;
/// The accepted relative difference of two ways to compute a second derivative.
const ROUTES: f64 = 1e-9;
/// The directions in which a number is moved.
const AXES: [(C, &str); 2] = [(ONE, " along 1"), (C::new(0.0, 1.0), " along i")];
const ONE: C = C::new(1.0, 0.0);
/// Directions for comparisons near a point: of real arguments, and of complex ones, off the axes.
const ASIDE: [C; 2] = [ONE, C::new(0.8, 0.0)];
const ASIDE_COMPLEX: [C; 2] = [C::new(0.8, 0.6), C::new(0.6, -0.8)];

/// The sizes of steps to try: the size of the argument, and 1 for small arguments.
pub(super) fn sizes(size: f64) -> Vec<f64> {
    match size {
        size if size < SMALLEST => vec![1.0],
        size if size < 1.0 => vec![size, 1.0],
        size => vec![size],
    }
}

/// An argument moved by a step in units of `size`, if it is off by no more than the rounding that is counted with.
fn moved(x: C, step: C, size: f64) -> Option<C> {
    let moved = x + step;
    let lost = ((moved - x) - step).norm() > 2.0 * f64::EPSILON * size;
    (!lost).then_some(moved)
}

/// A claim that is compared with differences along a line of an argument.
#[derive(Default)]
struct Claim {
    what: String,
    slope: C,
    /// The point, and the direction.
    at: C,
    axis: C,
    reference: Option<(C, f64)>,
    complex_step: Option<f64>,
    complex_decides: bool,
    second_order: bool,
    /// The size of another argument, which may be a period.
    other: Option<f64>,
}

impl Check {
    /// The settings for a line in units of `size`, for derivatives in those units.
    pub(super) fn terms(&self, size: f64) -> Evidence {
        Evidence {
            largest: self.max_step / size,
            size,
            unit: size,
            underflow: f64::MIN_POSITIVE * size,
            coarse: size >= COARSE,
            tolerance: self.tolerance.unwrap_or(TOLERANCE),
            exact: self.limit(EXACT),
            second_order: false,
            reference: None,
            complex_step: None,
            complex_decides: false,
        }
    }
    /// The most certain probe of several step sizes.
    pub(super) fn first_conclusive(&self, sizes: &[f64], at: &dyn Fn(f64) -> Probe) -> Probe {
        let mut best = at(sizes[0]);
        for &size in &sizes[1..] {
            // Where nothing varies over small steps, larger ones may show stairs.
            let unseen = best.difference == f64::INFINITY;
            if best.verdict == Verdict::Wrong && !unseen
                || best.verdict == Verdict::Right && best.resolution <= RESOLVED
            {
                break;
            }
            let other = at(size);
            if best.verdict == Verdict::Wrong {
                if other.verdict != Verdict::Wrong && other.difference.is_finite() {
                    best.verdict = Verdict::Inconclusive;
                    best.reason = "the function does not vary over small steps, but over larger ones";
                }
                continue;
            }
            let is_open = |p: &Probe| p.verdict == Verdict::Inconclusive;
            let better = match (is_open(&best), is_open(&other)) {
                (true, true) => best.vacuous && !other.vacuous,
                (open, other_open) => !other_open && (open || other.resolution < best.resolution),
            };
            if better {
                best = other;
            }
        }
        best
    }
    /// Runs the same check near the point: a derivative may be right where it or the function is zero, and a second
    /// derivative may match the first although neither matches the values.
    pub(super) fn look_beside(&self, report: &mut Report, at: &dyn Fn(&Check, f64, f64) -> Report) {
        for side in [1.0, -1.0] {
            let Some((size, step)) = report.beside() else { return };
            let there = at(&self.beside(step * size), side * step, size);
            report.take_beside(&there, side < 0.0);
        }
    }
    /// Compares a claim with the differences of `f`.
    fn line(&self, claim: Claim, f: &dyn Fn(C) -> C) -> Probe {
        let Claim { at, axis, slope, .. } = claim;
        self.first_conclusive(&sizes(at.norm()), &|size| {
            let along: Line = &|h| Some(vec![f(moved(at, axis * (h * size), size)?)]);
            let mut terms = self.terms(size);
            terms.reference = claim.reference.map(|(d, of)| vec![(d * size, of * size)]);
            terms.complex_step = claim.complex_step.map(|d| vec![d * size]);
            (terms.complex_decides, terms.second_order) = (claim.complex_decides, claim.second_order);
            if claim.second_order {
                // Intermediate results of formulas are divided by the argument more than once.
                terms.underflow = f64::MIN_POSITIVE * size.max(size.recip());
            }
            let period = |other: f64| other.min(at.norm_sqr() / other);
            terms.coarse |= claim.other.is_some_and(|other| size >= COARSE * period(other));
            probe(&claim.what, along, &[slope * size], &terms)
        })
    }
    /// The reference of a partial times `axis`: real and imaginary part, and the size of their terms. A real rule has
    /// one number for each argument, a complex one two.
    #[track_caller]
    fn reference_of(&self, rule: &dyn RuleSubject, place: usize, axis: C) -> Option<(C, f64)> {
        let width = if rule.is_real() { 1 } else { 2 };
        let part = |turned: [f64; 2]| {
            let mut dx = vec![0.0; width * rule.arguments()];
            dx[width * place..][..width].copy_from_slice(&turned[..width]);
            self.reference_along(1, false, &dx).map(|row| row[0])
        };
        let (re, im) = (part([axis.re, -axis.im])?, part([axis.im, axis.re])?);
        Some((C::new(re.0.re, im.0.re), re.1.hypot(im.1)))
    }
    /// Like [`check::stated`](super::stated), with these settings.
    #[track_caller]
    pub fn stated(&self, f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, x: f64) -> Report {
        let mut report = Report::new("function");
        if self.is_finite_at(&mut report, &[x]) {
            self.note_slopes(&mut report, f(x).is_finite(), &[df(x)]);
            report.demand(same_bits(&[f(x), df(x)], &[f(x), df(x)]), || "two calls differ".into());
            let line = |check: &Check, x: f64, reference: Option<(C, f64)>| {
                let (what, slope, at) = ("derivative".into(), df(x).into(), x.into());
                let claim = Claim { what, slope, at, axis: ONE, reference, ..Claim::default() };
                check.line(claim, &|x| f(x.re).into())
            };
            let reference = self.reference_along(1, false, &[1.0]).map(|of| of[0]);
            report.probes.push(line(self, x, reference));
            // The derivative may be stated for this point only. If it is zero, that is too little evidence.
            let elsewhere = |check: &Check, x: f64| {
                let mut probe = line(check, x, None);
                if probe.verdict == Verdict::Wrong {
                    probe.verdict = Verdict::Inconclusive;
                }
                Report { probes: vec![probe], ..Report::default() }
            };
            self.look_beside(&mut report, &|check, h, size| elsewhere(check, x + h * size));
        }
        report
    }
    /// Like [`check::rule`](super::rule), with these settings.
    #[track_caller]
    pub fn rule<U: Unary>(&self, rule: U, x: f64) -> Report {
        self.subject(&OneReal(rule, false), [x.into(), C::default()])
    }
    /// Like [`check::binary`](super::binary), with these settings.
    #[track_caller]
    pub fn binary<B: Binary>(&self, rule: B, x: f64, y: f64) -> Report {
        self.subject(&TwoReal(rule), [x.into(), y.into()])
    }
    /// Like [`check::holomorphic`](super::holomorphic), with these settings.
    #[track_caller]
    pub fn holomorphic<H: Holomorphic>(&self, rule: H, z: C) -> Report {
        match z.im == 0.0 {
            true => self.subject(&OneReal(rule, true), [z, C::default()]),
            false => self.subject(&OneComplex(rule), [z, C::default()]),
        }
    }
    /// Like [`check::holomorphic_binary`](super::holomorphic_binary), with these settings.
    #[track_caller]
    pub fn holomorphic_binary<H: HolomorphicBinary>(&self, rule: H, z: C, w: C) -> Report {
        self.subject(&TwoComplex(rule), [z, w])
    }
    /// A rule at a point, near it, and at `f32`.
    #[track_caller]
    fn subject(&self, rule: &dyn RuleSubject, x: [C; 2]) -> Report {
        let mut report = self.subject_at(rule, x);
        let aside = if rule.is_real() { ASIDE } else { ASIDE_COMPLEX };
        self.look_beside(&mut report, &|check, h, size| {
            check.subject_at(rule, [0, 1].map(|i| x[i] + aside[i] * (h * size)))
        });
        single::compare(&mut report, self.max_step, rule, x);
        report
    }
    #[track_caller]
    fn subject_at(&self, rule: &dyn RuleSubject, x: [C; 2]) -> Report {
        let mut report = Report::new(format!("{} at {}", rule.name(), written(rule, x)));
        let width = if rule.is_real() { 1 } else { 2 };
        let parts: Vec<f64> =
            x[..rule.arguments()].iter().flat_map(|x| [x.re, x.im].into_iter().take(width)).collect();
        if !self.is_finite_at(&mut report, &parts) {
            return report;
        }
        let jet = |x: [C; 2], dx: [C; 2], dy: [C; 2]| rule.jet(x, dx, dy);
        let first: Vec<[C; 3]> =
            (0..rule.arguments()).map(|place| jet(x, unit(place, ONE), [C::default(); 2])).collect();
        let (value, of_numbers) = (rule.value(x), first[0][0]);
        self.note_slopes(
            &mut report,
            value.is_finite(),
            &first.iter().flat_map(|y| [y[1].re, y[1].im]).collect::<Vec<_>>(),
        );
        report.demand(same_bits(&[of_numbers.re, of_numbers.im], &[value.re, value.im]), || {
            "the value differs from that of the function".into()
        });
        if let Some([a, b, size]) = rule.routes(x) {
            report.demand(self.close(a, b, size), || {
                format!("the second derivative is {} in one way, {} in another", short(b), short(a))
            });
        }
        let (steps, complex_decides) = rule.complex_steps(x);
        let axes = if rule.is_real() { &AXES[..1] } else { &AXES };
        let mut seconds = Vec::new();
        for (place, &(axis, along)) in
            (0..rule.arguments()).flat_map(|place| axes.iter().map(move |axis| (place, axis)))
        {
            let (what, moves) = (named(rule, place, along), unit(place, axis));
            let at = |number: C| [0, 1].map(|i| if i == place { number } else { x[i] });
            let other = (rule.arguments() == 2).then(|| x[1 - place].norm());
            let claim =
                |what: String, slope: C| Claim { what, slope, at: x[place], axis, other, ..Claim::default() };
            let first = Claim {
                reference: self.reference_of(rule, place, axis),
                complex_step: steps[place],
                complex_decides,
                ..claim(format!("first derivative{what}"), jet(x, moves, [C::default(); 2])[1])
            };
            report.probes.push(self.line(first, &|x| rule.value(at(x))));
            // Of real rules the mixed derivative once, by the partial of the second argument.
            for other in if rule.is_real() { place } else { 0 }..rule.arguments() {
                let fixed = unit(other, ONE);
                let [second, turned] = [jet(x, fixed, moves), jet(x, moves, fixed)].map(|y| y[2]);
                let slope = if rule.is_real() && !turned.is_finite() { turned } else { second };
                let mixed = if other == place { "" } else { " and the other" };
                let second =
                    Claim { second_order: true, ..claim(format!("second derivative{what}{mixed}"), slope) };
                seconds.push(self.line(second, &|x| jet(at(x), fixed, [C::default(); 2])[1]));
            }
        }
        report.probes.extend(seconds);
        report
    }
    /// Records a result that is not finite, or, without a reference, derivatives that are not finite.
    fn note_slopes(&self, report: &mut Report, finite: bool, slopes: &[f64]) {
        let known = self.reference.is_some() || slopes.iter().all(|d| d.is_finite());
        report.note_non_finite([finite && known]);
    }
    /// Whether two ways to compute a derivative agree, relative to the results or to `size`.
    fn close(&self, a: f64, b: f64, size: f64) -> bool {
        let limit = self.limit(ROUTES) * b.abs().max(size.abs()) + f64::MIN_POSITIVE;
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= limit
    }
    /// Whether the point is finite; otherwise the report lists where it is not, and is inconclusive.
    pub(super) fn is_finite_at(&self, report: &mut Report, x: &[f64]) -> bool {
        let strange = (0..x.len()).filter(|&i| !x[i].is_finite()).map(|i| (0, i));
        report.non_finite.extend(strange);
        let finite = report.non_finite.is_empty();
        if !finite {
            report.doubts.push("differences are undefined because the argument is not finite".into());
        }
        finite
    }
}

/// The arguments in the name of a report.
fn written(rule: &dyn RuleSubject, x: [C; 2]) -> String {
    let sign = |x: f64| if x.is_sign_negative() { "-" } else { "+" };
    let number = |z: C| match rule.is_real() {
        true => short(z.re),
        false => format!("{}{}{}i", short(z.re), sign(z.im), short(z.im.abs())),
    };
    if rule.arguments() == 1 { number(x[0]) } else { format!("({}, {})", number(x[0]), number(x[1])) }
}

/// Which argument is moved along what.
fn named(rule: &dyn RuleSubject, place: usize, along: &str) -> String {
    let place = if rule.arguments() == 1 { "" } else { [" in the first", " in the second"][place] };
    format!("{place}{}", if rule.is_real() { "" } else { along })
}
