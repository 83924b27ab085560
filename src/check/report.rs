//! Reports of checks.

use std::fmt::{self, Display, Formatter};

use crate::error::AdError;
use crate::number::Number;

/// The verdict of a check.
/// ```
/// use wengert::check::{self, Verdict};
/// assert_eq!(check::derivative(|x| x * x, |x| 2.0 * x, 3.0).verdict(), Verdict::Right);
/// assert_eq!(check::derivative(|x| x * x, |x| 3.0 * x, 3.0).verdict(), Verdict::Wrong);
/// // A kink: no derivative agrees with the differences.
/// let kink = check::derivative(f64::abs, f64::signum, 0.0);
/// assert_eq!(kink.verdict(), Verdict::Inconclusive);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// All comparisons agree, and they were accurate enough to decide.
    Right,
    /// A comparison disagrees by more than its own uncertainty.
    Wrong,
    /// The comparisons cannot decide: a saturated function, an argument too coarse for steps, a kink, the end of a
    /// domain.
    #[default]
    Inconclusive,
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Inconclusive => "inconclusive",
        })
    }
}

/// The fault of values that depend on the number type.
pub(super) const VALUES_DIFFER: &str = "the values at numbers with tangents differ";

/// A number of an argument, short.
pub(super) fn short(x: f64) -> String {
    let (plain, exponent) = (format!("{x}"), format!("{x:e}"));
    if plain.len() <= exponent.len().max(8) { plain } else { exponent }
}

/// A comparison of one derivative with differences of its function.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Probe {
    /// Which derivative.
    pub what: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub reason: &'static str,
    /// The order `log R(h)/log h` of the Taylor remainder `R(h) = |f(x + hẋ) − f(x) − h·ẏ|` at the smallest steps where it exceeds
    /// rounding: 2 for a right derivative, 1 for a wrong one and at a kink, `None` for a linear function.
    pub taylor_order: Option<f64>,
    /// Steps `h` and remainders `R(h)`, for a direction `ẋ` of the size of `x`.
    pub remainders: Vec<[f64; 2]>,
    /// The difference from the best extrapolated central difference, relative to the size of the derivative.
    pub difference: f64,
    /// The uncertainty of that central difference, relative in the same way.
    pub resolution: f64,
    /// The relative difference from the complex step `Im f(x + ih)/h`, if the function takes complex numbers: the
    /// largest of all components.
    pub complex_step: Option<f64>,
    /// The relative difference from the reference, if there is one: the largest of all components.
    pub reference: Option<f64>,
    /// The index of the component of the result, real or complex, that this comparison is about: the worst one. Each
    /// is judged relative to its own size.
    pub part: usize,
    /// Whether the differences and the stated derivative are all exactly zero, or, of a second derivative, zero up to
    /// the rounding of the first.
    pub(super) vacuous: bool,
    /// Whether a part of the result has a derivative of zero although the function varies: a wrong factor shows only
    /// elsewhere.
    pub(super) stationary: bool,
    /// The size of the direction in which another point is to be checked.
    pub(super) beside: Option<f64>,
}

impl Probe {
    /// A derivative without any evidence.
    pub(super) fn open(what: &str, reason: &'static str) -> Probe {
        let (difference, resolution) = (f64::NAN, f64::INFINITY);
        Probe { what: what.into(), reason, difference, resolution, ..Probe::default() }
    }
}

impl Display for Probe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.what, self.verdict, self.reason)?;
        if self.part > 0 {
            write!(f, " in part {}", self.part)?;
        }
        f.write_str("; ")?;
        write!(f, "difference {:.1e} resolved to {:.1e}", self.difference, self.resolution)?;
        if let Some(order) = self.taylor_order {
            write!(f, ", Taylor order {order:.2}")?;
        }
        for (name, error) in [("complex step", self.complex_step), ("reference", self.reference)] {
            if let Some(error) = error {
                write!(f, ", {name} {error:.1e}")?;
            }
        }
        Ok(())
    }
}

/// Keeps the largest gap; NaN stays.
pub(super) fn keep_largest(most: &mut Option<f64>, gap: f64) {
    *most = Some(most.map_or(gap, |most| if gap <= most { most } else { gap }));
}

/// The result of a check of a rule, a primitive or a map.
/// ```
/// use wengert::check::{self, Verdict};
/// let report = check::derivative(|x| x * x, |x| 3.0 * x, 2.0); // 2x is right
/// assert_eq!((report.verdict(), report.passed()), (Verdict::Wrong, false));
/// // The remainder falls like h, not like h².
/// assert!((report.taylor_order().unwrap() - 1.0).abs() < 0.01);
/// assert_eq!(report.probes[0].verdict, Verdict::Wrong);
/// assert!(report.to_string().starts_with("function: wrong"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The name of the checked object.
    pub name: String,
    /// Comparisons of derivatives with differences; the first is for the rule itself.
    pub probes: Vec<Probe>,
    /// The largest `|⟨ȳ, Jẋ⟩ − ⟨Jᴴȳ, ẋ⟩|`, relative to the size of the products.
    pub adjoint: Option<f64>,
    /// The largest `|f(αx + βy) − αf(x) − βf(y)|`, relative to the size of the terms.
    pub linearity: Option<f64>,
    /// Group and index of arguments that are NaN or infinite; derivatives cannot be checked there.
    pub non_finite: Vec<(usize, usize)>,
    /// Indices of results that are NaN or infinite, in value or derivative, at finite arguments. They do not count as
    /// agreement.
    pub non_finite_results: Vec<usize>,
    /// Group and index of arguments for which NaN gives finite results. This may be intended (as in `max`); otherwise
    /// the NaN is lost.
    pub lost_nan: Vec<(usize, usize)>,
    /// Definite faults.
    pub faults: Vec<String>,
    /// Reasons why the check could not decide.
    pub doubts: Vec<String>,
    /// The number of comparisons besides the probes.
    pub compared: usize,
}

impl Report {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Report { name: name.into(), ..Report::default() }
    }
    /// Records a comparison; `what` describes the fault if it fails.
    pub(super) fn demand(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.compared += 1;
        if !holds {
            self.note_fault(what());
        }
    }
    /// The result, or a doubt that there is none.
    pub(super) fn take<T>(&mut self, what: &str, result: Result<T, AdError>) -> Option<T> {
        let doubt = |error| self.doubts.push(format!("no {what} at the point: {error}"));
        result.map_err(doubt).ok()
    }
    /// Whether the point is finite; otherwise the report lists where it is not, and is inconclusive.
    pub(super) fn is_finite_at<T: Number>(&mut self, x: &[&[T]]) -> bool {
        for (group, x) in x.iter().enumerate() {
            self.non_finite.extend((0..x.len()).filter(|&i| !x[i].all_finite()).map(|i| (group, i)));
        }
        let finite = self.non_finite.is_empty();
        if !finite {
            self.doubts.push("differences are undefined because the argument is not finite".into());
        }
        finite
    }
    /// Records a fault once, even if another sample or another point shows it with other numbers.
    fn note_fault(&mut self, fault: String) {
        let is_same = |other: &String| other.split(" by ").next() == fault.split(" by ").next();
        if !self.faults.iter().any(is_same) {
            self.faults.push(fault);
        }
    }
    /// Adds to the faults of the two directions, from this fault on, that the cotangents are wrong, because tangents
    /// agree with differences.
    pub(super) fn blame_cotangents(&mut self, from: usize) {
        let of_both = |fault: &&mut String| fault.starts_with("the transpose is not the adjoint");
        for fault in self.faults[from..].iter_mut().filter(of_both) {
            fault.push_str("; tangents agree with differences, so the cotangents are wrong");
        }
    }
    /// The size of the direction in which another point is to be checked.
    pub(super) fn beside(&self) -> Option<f64> {
        let largest = self.probes.iter().filter_map(|p| p.beside).reduce(f64::max);
        largest.filter(|_| self.verdict() != Verdict::Wrong)
    }
    /// Adds the results at a point near this one. After the last such point, a derivative of zero without evidence
    /// elsewhere is inconclusive.
    pub(super) fn take_beside(&mut self, other: &Report, last: bool) {
        for i in 0..self.probes.len().min(other.probes.len()) {
            let (here, there) = (&mut self.probes[i], &other.probes[i]);
            if there.verdict == Verdict::Right {
                (here.stationary, here.beside) = (false, None);
            } else if last && here.stationary {
                here.verdict = Verdict::Inconclusive;
                here.reason = "it is zero, and the comparison near the point is inconclusive";
            }
            if there.verdict == Verdict::Wrong {
                let what = format!("{} near the point", there.what);
                self.probes.push(Probe { what, ..there.clone() });
            }
        }
        if self.faults.is_empty() {
            other.faults.iter().for_each(|fault| self.note_fault(format!("near the point: {fault}")));
        }
    }
    /// Records the indices of results that are not finite; returns whether there are any.
    pub(super) fn note_non_finite(&mut self, y: impl IntoIterator<Item = bool>) -> bool {
        let finite = y.into_iter().enumerate();
        let strange: Vec<usize> = finite.filter(|(_, finite)| !finite).map(|(i, _)| i).collect();
        let any = !strange.is_empty();
        self.non_finite_results.extend(strange);
        self.non_finite_results.sort_unstable();
        self.non_finite_results.dedup();
        any
    }
    /// The overall verdict: wrong if a comparison is wrong, right if there are comparisons and all are right.
    pub fn verdict(&self) -> Verdict {
        let any = |v: Verdict| self.probes.iter().any(|p| p.verdict == v);
        // If other evidence exists, a derivative of zero of a constant function is no reason to doubt; neither is a
        // second derivative, if a reference decided on the first.
        let seen = any(Verdict::Right);
        let decided = self.probes.first().is_some_and(|p| p.reference.is_some());
        let open = |p: &Probe| p.verdict == Verdict::Inconclusive && !(decided || seen && p.vacuous);
        if !self.faults.is_empty() || any(Verdict::Wrong) {
            Verdict::Wrong
        } else if !self.doubts.is_empty()
            || !self.non_finite_results.is_empty()
            || self.probes.iter().any(open)
            || self.probes.is_empty() && self.compared == 0
        {
            Verdict::Inconclusive
        } else {
            Verdict::Right
        }
    }
    /// Whether the verdict is [`Verdict::Right`].
    pub fn passed(&self) -> bool {
        self.verdict() == Verdict::Right
    }
    /// Asserts that the verdict is [`Verdict::Right`].
    ///
    /// # Panics
    /// If it is not, with the full report.
    #[track_caller]
    pub fn assert_ok(&self) {
        assert!(self.passed(), "{self}");
    }
    /// The order of the first probe's Taylor remainder.
    pub fn taylor_order(&self) -> Option<f64> {
        self.probes.first().and_then(|p| p.taylor_order)
    }
    /// The largest difference of a probe from its central difference; NaN if none could be compared.
    pub fn difference(&self) -> f64 {
        let larger = |most: f64, d: f64| if most.is_nan() || most > d { most } else { d };
        self.probes.iter().map(|p| p.difference).reduce(larger).unwrap_or(f64::NAN)
    }
    /// The largest difference of a probe from its complex step.
    pub fn complex_step(&self) -> Option<f64> {
        self.probes.iter().filter_map(|p| p.complex_step).reduce(f64::max)
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.verdict())?;
        for fault in &self.faults {
            write!(f, "\n  fault: {fault}")?;
        }
        for doubt in &self.doubts {
            write!(f, "\n  doubt: {doubt}")?;
        }
        for probe in &self.probes {
            write!(f, "\n  {probe}")?;
        }
        for (name, gap) in [("adjoint", self.adjoint), ("linearity", self.linearity)] {
            if let Some(gap) = gap {
                write!(f, "\n  {name}: gap {gap:.1e}")?;
            }
        }
        if !self.non_finite_results.is_empty() {
            write!(f, "\n  results not finite at {:?}", self.non_finite_results)?;
        }
        for (name, places) in [("not finite", &self.non_finite), ("NaN is lost", &self.lost_nan)] {
            if !places.is_empty() {
                write!(f, "\n  {name} at (group, place) {places:?}")?;
            }
        }
        Ok(())
    }
}
