//! Rules of one and two variables, and functions of one with their derivative.

use super::Check;
use super::judge::{EXACT, Terms, probe};
use super::ladder::{C, Line};
use super::parts::same_bits;
use super::report::{Probe, Report, Verdict, short};
use super::single;
use crate::duals::{Dual, HyperDual};
use crate::number::Real;
use crate::rules::{Binary, Unary};

/// The complex step relative to the argument: its square is negligible, its product with derivatives is not.
pub(super) const COMPLEX_STEP: f64 = 1e-100;
/// The accepted relative difference from differences, in addition to their own uncertainty.
const TOLERANCE: f64 = 1e-7;
/// Differences with a smaller uncertainty need no other step sizes.
const RESOLVED: f64 = 1e-8;
/// The number of periods from zero beyond which the smallest steps exceed a period.
const COARSE: f64 = 1e12;
/// Steps of smaller arguments underflow.
pub(super) const SMALLEST: f64 = 1e-307;
/// The factor of the step of the other argument, for comparisons near a point.
const OTHERWISE: f64 = 0.8;
/// The accepted relative difference of two ways to compute a second derivative.
const ROUTES: f64 = 1e-9;

/// The sizes of steps to try: the size of the argument, and 1 for small arguments.
pub(super) fn sizes(size: f64) -> Vec<f64> {
    match size {
        size if size < SMALLEST => vec![1.0],
        size if size < 1.0 => vec![size, 1.0],
        size => vec![size],
    }
}

/// An argument moved by a step in units of `size`, if it is off by no more than the rounding that is counted with.
pub(super) fn moved(x: C, step: C, size: f64) -> Option<C> {
    let moved = x + step;
    let lost = ((moved - x) - step).norm() > 2.0 * f64::EPSILON * size;
    (!lost).then_some(moved)
}

/// The derivative along the real line of a function that may take complex numbers.
pub(super) fn complex_step(f: impl Fn(C) -> Option<C>, x: f64) -> Option<f64> {
    let h = COMPLEX_STEP * if x == 0.0 { 1.0 } else { x.abs() };
    let step = f(C::new(x, h))?.im / h;
    Some(step).filter(|s| s.is_finite())
}

/// Other evidence on a derivative of one variable besides its function.
#[derive(Default)]
struct Known {
    /// The partials of the reference: that in the variable, zero in others.
    reference: Option<Vec<f64>>,
    complex_step: Option<f64>,
    complex_decides: bool,
    second_order: bool,
    /// Another argument, which may be a period.
    other: Option<f64>,
}

impl Known {
    /// Nothing is known of a second derivative.
    fn second(other: Option<f64>) -> Known {
        Known { second_order: true, other, ..Known::default() }
    }
}

impl Check {
    /// The settings for a line in units of `size`, for derivatives in those units.
    pub(super) fn terms(&self, size: f64) -> Terms {
        Terms {
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
    pub(super) fn first_conclusive(&self, sizes: &[f64], at: impl Fn(f64) -> Probe) -> Probe {
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
    pub(super) fn look_beside(&self, report: &mut Report, at: impl Fn(&Check, f64, f64) -> Report) {
        for side in [1.0, -1.0] {
            let Some((size, step)) = report.beside() else { return };
            let there = at(&self.beside(step * size), side * step, size);
            report.take_beside(&there, side < 0.0);
        }
    }
    /// Compares `df` with the differences of `f` at `x`.
    fn line(&self, what: &str, f: impl Fn(f64) -> f64, df: f64, x: f64, known: Known) -> Probe {
        self.first_conclusive(&sizes(x.abs()), |size| {
            let along: Line = &|h| Some(vec![f(moved(x.into(), C::from(h * size), size)?.re).into()]);
            let along_unit = known.reference.as_ref().and_then(|unit| self.reference_along(1, false, unit));
            let mut terms = self.terms(size);
            terms.reference =
                along_unit.map(|of| of.into_iter().map(|(d, s)| (d * size, s * size)).collect());
            terms.complex_step = known.complex_step.map(|d| vec![d * size]);
            terms.complex_decides = known.complex_decides;
            if known.second_order {
                // Intermediate results of formulas are divided by the argument more than once.
                (terms.second_order, terms.underflow) = (true, f64::MIN_POSITIVE * size.max(size.recip()));
            }
            let period = |other: f64| other.abs().min(x * x / other.abs());
            terms.coarse |= known.other.is_some_and(|other| size >= COARSE * period(other));
            probe(what, along, &[(df * size).into()], &terms)
        })
    }
    /// Like [`check::stated`](super::stated), with these settings.
    #[track_caller]
    pub fn stated(&self, f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, x: f64) -> Report {
        let mut report = Report::new("function");
        if self.is_finite_at(&mut report, &[x]) {
            self.note_slopes(&mut report, f(x).is_finite(), &[df(x)]);
            report.demand(same_bits(&[f(x), df(x)], &[f(x), df(x)]), || "two calls differ".into());
            let line = |check: &Check, x: f64, reference: Option<Vec<f64>>| {
                check.line("derivative", &f, df(x), x, Known { reference, ..Known::default() })
            };
            report.probes.push(line(self, x, Some(vec![1.0])));
            // The derivative may be stated for this point only. If it is zero, that is too little evidence.
            let elsewhere = |check: &Check, x: f64| {
                let mut probe = line(check, x, None);
                if probe.verdict == Verdict::Wrong {
                    probe.verdict = Verdict::Inconclusive;
                }
                Report { probes: vec![probe], ..Report::default() }
            };
            self.look_beside(&mut report, |check, h, size| elsewhere(check, x + h * size));
        }
        report
    }
    /// Like [`check::rule`](super::rule), with these settings.
    #[track_caller]
    pub fn rule<U: Unary>(&self, rule: U, x: f64) -> Report {
        self.unary(rule, x, false)
    }
    #[track_caller]
    pub(super) fn unary<U: Unary>(&self, rule: U, x: f64, complex_decides: bool) -> Report {
        let mut report = self.unary_at(rule, x, complex_decides);
        self.look_beside(&mut report, |check, h, size| check.unary_at(rule, x + h * size, complex_decides));
        single::unary((&mut report, self.max_step), rule, x);
        report
    }
    #[track_caller]
    fn unary_at<U: Unary>(&self, rule: U, x: f64, complex_decides: bool) -> Report {
        let mut report = Report::new(format!("{} at {}", U::NAME, short(x)));
        if !self.is_finite_at(&mut report, &[x]) {
            return report;
        }
        let second = |x: f64| HyperDual::variable(x).lift1(rule);
        let y = second(x);
        self.note_slopes(&mut report, y.value().is_finite(), &[y.e1()]);
        report.demand(same_bits(&[y.value()], &[rule.value(x)]), || {
            "the value differs from that of the function".into()
        });
        let complex_step = complex_step(|z| rule.at_complex(z), x);
        let known = Known { reference: Some(vec![1.0]), complex_step, complex_decides, ..Known::default() };
        report.probes.push(self.line("first derivative", |x| rule.value(x), y.e1(), x, known));
        let first = |x: f64| Dual::variable(x).lift1(rule).tangent();
        report.probes.push(self.line("second derivative", first, y.e12(), x, Known::second(None)));
        let nested = Dual::variable(Dual::variable(x)).lift1(rule).tangent().tangent();
        report.demand(self.close(nested, y.e12(), y.e1()), || {
            format!(
                "the second derivative is {}, the derivative of the first is {}",
                short(y.e12()),
                short(nested)
            )
        });
        report
    }
    /// Like [`check::binary`](super::binary), with these settings.
    #[track_caller]
    pub fn binary<B: Binary>(&self, rule: B, x: f64, y: f64) -> Report {
        let mut report = self.binary_at(rule, x, y);
        self.look_beside(&mut report, |check, h, size| {
            check.binary_at(rule, x + h * size, y + OTHERWISE * h * size)
        });
        single::binary((&mut report, self.max_step), rule, x, y);
        report
    }
    #[track_caller]
    fn binary_at<B: Binary>(&self, rule: B, x: f64, y: f64) -> Report {
        let mut report = Report::new(format!("{} at ({}, {})", B::NAME, short(x), short(y)));
        if !self.is_finite_at(&mut report, &[x, y]) {
            return report;
        }
        let partials = |x: f64, y: f64| {
            let along_x = Dual::variable(x).lift2(Dual::constant(y), rule);
            let along_y = Dual::constant(x).lift2(Dual::variable(y), rule);
            [along_x.tangent(), along_y.tangent()]
        };
        let [dx, dy] = partials(x, y);
        self.note_slopes(&mut report, rule.value(x, y).is_finite(), &[dx, dy]);
        let (of_x, of_y) = (|x: f64| rule.value(x, y), |y: f64| rule.value(x, y));
        let steps = [
            complex_step(|z| rule.at_complex(z, y.into()), x),
            complex_step(|z| rule.at_complex(x.into(), z), y),
        ];
        let known = |place: usize| Known {
            reference: Some([[1.0, 0.0], [0.0, 1.0]][place].to_vec()),
            complex_step: steps[place],
            other: Some([y, x][place]),
            ..Known::default()
        };
        report.probes.push(self.line("derivative in the first", of_x, dx, x, known(0)));
        report.probes.push(self.line("derivative in the second", of_y, dy, y, known(1)));
        self.mixed(&mut report, rule, [x, y], partials);
        report
    }
    /// The second derivatives of a rule of two variables.
    fn mixed<B: Binary>(
        &self,
        report: &mut Report,
        rule: B,
        [x, y]: [f64; 2],
        partials: impl Fn(f64, f64) -> [f64; 2],
    ) {
        let second = |a: [f64; 2], b: [f64; 2]| {
            HyperDual::new(x, a[0], b[0], 0.0).lift2(HyperDual::new(y, a[1], b[1], 0.0), rule).e12()
        };
        let [ex, ey] = [[1.0, 0.0], [0.0, 1.0]];
        let (xx, yy, orders) = (second(ex, ex), second(ey, ey), [second(ex, ey), second(ey, ex)]);
        let size = [xx, orders[0], yy].iter().fold(0.0, |m: f64, d| m.max(d.abs()));
        // Derivatives that are not finite are judged by differences.
        let finite = orders.iter().all(|d| d.is_finite());
        report.demand(!finite || self.close(orders[0], orders[1], size), || {
            format!("the mixed derivatives are {} and {}", short(orders[0]), short(orders[1]))
        });
        let xy = if orders[0].is_finite() { orders[1] } else { orders[0] };
        let beside = |other: f64| Known::second(Some(other));
        let probes = [
            self.line("second derivative in the first", |x| partials(x, y)[0], xx, x, beside(y)),
            self.line("mixed derivative", |x| partials(x, y)[1], xy, x, beside(y)),
            self.line("second derivative in the second", |y| partials(x, y)[1], yy, y, beside(x)),
        ];
        report.probes.extend(probes);
    }
    /// Records a result that is not finite, or, without a reference, derivatives that are not finite.
    pub(super) fn note_slopes(&self, report: &mut Report, finite: bool, slopes: &[f64]) {
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
