//! Primitives at a point.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Check;
use super::judge::probe;
use super::ladder::{FIRST, Line};
use super::parts::{as_complex, parts_of, same_bits};
use super::report::{Probe, Report, Verdict};
use super::rule::SMALLEST;
use super::sample::Sample;
use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::{Direction, Primitive, views};
use crate::linear_map::LinearMap;
use crate::number::{Machine, Number};

/// The fault of a map that a call elsewhere changes.
const CHANGED: &str = "a later call at another point changed a map";
/// The largest number of components of the argument that are replaced by NaN, one at a time.
const PLANTED: usize = 32;

/// A primitive at a point.
struct Subject<'a, P, R> {
    rule: &'a R,
    x: &'a [&'a [P]],
    y: Vec<P>,
}

impl Check {
    /// Like [`check::primitive`](super::primitive), with these settings.
    #[track_caller]
    pub fn primitive<P: Machine<Base = f64>, R: Primitive<P>>(&self, rule: &R, x: &[&[P]]) -> Report {
        let mut report = Report::new(rule.name());
        for (group, x) in x.iter().enumerate() {
            let strange = (0..x.len()).filter(|&i| !x[i].all_finite()).map(|i| (group, i));
            report.non_finite.extend(strange);
        }
        let y = match rule.value(x) {
            Ok(y) => y,
            Err(error) => {
                report.doubts.push(format!("no value at the point: {error}"));
                return report;
            }
        };
        if !report.non_finite.is_empty() {
            report.doubts.push("differences are undefined because the argument is not finite".into());
            return report;
        }
        report.note_non_finite(y.iter().map(|y| y.all_finite()));
        let before: Vec<Vec<f64>> = x.iter().map(|x| parts_of(x)).collect();
        let subject = Subject { rule, x, y };
        subject.value_again(&mut report);
        subject.call_elsewhere(self, &mut report);
        subject.first_order(self, &mut report);
        subject.transposed(self, &mut report);
        subject.second_order(self, &mut report);
        self.look_beside(&mut report, &|check, h, size| subject.beside(check, h, size));
        subject.plant(&mut report);
        let untouched = x.iter().zip(&before).all(|(x, b)| same_bits(&parts_of(x), b));
        report.demand(untouched, || "the arguments have changed".into());
        report
    }
}

impl<P: Machine<Base = f64>, R: Primitive<P>> Subject<'_, P, R> {
    fn lengths(&self) -> Vec<usize> {
        self.x.iter().map(|x| x.len()).collect()
    }
    fn owned<T>(&self, by: impl Fn(P) -> T) -> Vec<Vec<T>> {
        self.x.iter().map(|x| x.iter().map(|&x| by(x)).collect()).collect()
    }
    /// Checks that the value is the same a second time, and as the value of numbers with tangents.
    fn value_again(&self, report: &mut Report) {
        let same = |y: &[P]| same_bits(&parts_of(y), &parts_of(&self.y));
        let again = self.rule.value(self.x);
        report.demand(again.is_ok_and(|y| same(&y)), || "two calls give different values".into());
        if !self.rule.supports(Direction::Jvp) {
            return;
        }
        let active = self.owned(Dual::variable);
        // Without the guard of calls: NaN is a fault like others.
        match Dual::lift_primitive(self.rule, &views(&active)) {
            Ok(y) => {
                let values: Vec<P> = y.iter().map(|y| y.value()).collect();
                report.demand(same(&values), || "the values at numbers with tangents differ".into());
            }
            Err(error) => report.doubts.push(format!("no derivative at the point: {error}")),
        }
    }
    /// Checks that a call elsewhere changes nothing here: no map, because on a tape many calls precede the sweep, and
    /// no later result.
    fn call_elsewhere(&self, check: &Check, report: &mut Report) {
        let seen = |x: &[&[P]], y: &[P]| {
            let map = self.rule.linearize::<P>(x.iter().map(|x| x.to_vec()).collect(), y).ok()?;
            let derivatives = self.derivatives(&map, x, y.len());
            Some((map, derivatives))
        };
        let Some((map, before)) = seen(self.x, &self.y) else { return };
        let dx = self.direction(&mut Sample::new(), &vec![true; self.x.len()], false);
        let longest = dx.iter().flatten().fold(f64::MIN_POSITIVE, |m, d| m.max(d.magnitude()));
        let there = self.moved(&dx, FIRST.min(check.max_step / longest)).unwrap_or_default();
        if let Ok(y) = self.rule.value(&views(&there)) {
            let unchanged = |map| same_bits(&before, &self.derivatives(map, self.x, self.y.len()));
            report.demand(unchanged(&map), || CHANGED.into());
            let _ = seen(&views(&there), &y);
            report.demand(unchanged(&map), || CHANGED.into());
            let again = self.rule.value(self.x).unwrap_or_default();
            let same = same_bits(&parts_of(&again), &parts_of(&self.y))
                && seen(self.x, &again).is_some_and(|(_, after)| same_bits(&before, &after));
            report.demand(same, || "a call at another point changed the result".into());
        }
    }
    /// Tangents and cotangents of samples, as far as the primitive has them.
    fn derivatives(&self, map: &R::Map<P>, x: &[&[P]], rows: usize) -> Vec<f64> {
        let mut sample = Sample::new();
        let lengths: Vec<usize> = x.iter().map(|x| x.len()).collect();
        let (dx, w): (Vec<Vec<P>>, Vec<P>) = (sample.groups(&lengths), sample.numbers(rows));
        let mut seen = Vec::new();
        if self.rule.supports(Direction::Jvp) {
            let mut dy = vec![P::lit(0.0); rows];
            map.apply(&dx.iter().map(|d| Some(&d[..])).collect::<Vec<_>>(), &mut dy);
            seen.extend(parts_of(&dy));
        }
        if self.rule.supports(Direction::Vjp) {
            let mut sums: Vec<Vec<P>> = dx.iter().map(|d| vec![P::lit(0.0); d.len()]).collect();
            map.transpose(&w, &mut sums.iter_mut().map(|s| Some(&mut s[..])).collect::<Vec<_>>());
            seen.extend(sums.iter().flat_map(|s| parts_of(s)));
        }
        seen
    }
    /// A direction of the size of the arguments, in the active groups; times `by` for small ones.
    fn direction(&self, sample: &mut Sample, active: &[bool], unit: bool) -> Vec<Vec<P>> {
        let group = |(x, &active): (&&[P], &bool)| {
            let most = x.iter().fold(0.0, |m: f64, x| m.max(x.magnitude()));
            let floor = if unit || most == 0.0 { 1.0 } else { 1e-3 * most };
            let along =
                |x: &P| sample.number::<P>() * P::lit(if active { x.magnitude().max(floor) } else { 0.0 });
            x.iter().map(along).collect()
        };
        self.x.iter().zip(active).map(group).collect()
    }
    fn is_small(&self) -> bool {
        self.x.iter().flat_map(|x| x.iter()).all(|x| x.magnitude() < 1.0)
    }
    /// The first derivatives at this point moved by `h` in a direction of that size.
    fn beside(&self, check: &Check, h: f64, size: f64) -> Report {
        let all = vec![true; self.x.len()];
        let dx = self.direction(&mut Sample::new(), &all, self.is_small() && size >= 0.5);
        let mut report = Report::default();
        let x = self.moved(&dx, h).unwrap_or_default();
        let x = views(&x);
        if let Ok(y) = self.rule.value(&x) {
            Subject { rule: self.rule, x: &x, y }.first_order(check, &mut report);
        }
        report
    }
    /// The point moved along a direction, where the step is not lost in rounding.
    fn moved(&self, dx: &[Vec<P>], h: f64) -> Option<Vec<Vec<P>>> {
        let mut lost = false;
        let mut step = |(&x, &dx): (&P, &P)| {
            let (step, moved) = (dx * P::lit(h), x + dx * P::lit(h));
            lost |= ((moved - x) - step).magnitude() > 2.0 * f64::EPSILON * dx.magnitude();
            moved
        };
        let moved = self.x.iter().zip(dx).map(|(x, dx)| x.iter().zip(dx).map(&mut step).collect()).collect();
        (!lost).then_some(moved)
    }
    /// `Jẋ` at a point, by the direction that the primitive has.
    fn tangent(&self, x: Vec<Vec<P>>, y: &[P], dx: &[Vec<P>], active: &[bool]) -> Result<Vec<P>, AdError> {
        let map = self.rule.linearize(x, y)?;
        if self.rule.supports(Direction::Jvp) {
            let mut dy = vec![P::lit(f64::NAN); y.len()];
            let dx: Vec<_> = dx.iter().zip(active).map(|(d, &a)| a.then_some(&d[..])).collect();
            map.apply(&dx, &mut dy);
            return Ok(dy);
        }
        Direction::Vjp.demand(self.rule)?;
        Ok((0..y.len()).map(|row| Self::row(&map, row, y.len(), dx, active)).collect())
    }
    /// One result of `Jẋ` by cotangents: `Re⟨Jᴴe, ẋ⟩ + i·Re⟨Jᴴ(ie), ẋ⟩`.
    fn row(map: &R::Map<P>, row: usize, rows: usize, dx: &[Vec<P>], active: &[bool]) -> P {
        let i = Number::sqrt(P::lit(-1.0));
        let axes = if P::REAL { vec![P::lit(1.0)] } else { vec![P::lit(1.0), i] };
        let mut sum = P::lit(0.0);
        for axis in axes {
            let mut w = vec![P::lit(0.0); rows];
            w[row] = axis;
            let mut sums: Vec<Vec<P>> = dx.iter().map(|d| vec![P::lit(0.0); d.len()]).collect();
            let wanted = sums.iter_mut().zip(active).map(|(s, &a)| a.then_some(&mut s[..]));
            map.transpose(&w, &mut wanted.collect::<Vec<_>>());
            let pairs = sums.iter().flatten().zip(dx.iter().flatten());
            let product = pairs.fold(P::lit(0.0), |sum, (&s, &d)| sum + Number::conj(s) * d);
            sum += axis * P::from_re(product.re());
        }
        sum
    }
    /// Each group separately, and all groups together twice.
    fn choices(&self) -> Vec<(String, Vec<bool>)> {
        let n = self.x.len();
        let alone = |g: usize| (format!("derivative along group {g}"), (0..n).map(|i| i == g).collect());
        let all = |what: &str| (format!("derivative along {what}"), vec![true; n]);
        let together = [all("everything"), all("everything else")];
        if n > 1 { (0..n).map(alone).chain(together).collect() } else { together.into() }
    }
    fn first_order(&self, check: &Check, report: &mut Report) {
        let mut sample = Sample::new();
        for (what, active) in self.choices() {
            let claim = |dx: &[Vec<P>]| self.tangent(self.owned(|x| x), &self.y, dx, &active);
            let at = |x: &[Vec<P>]| self.rule.value(&views(x)).ok();
            match self.probe((check, true), &what, &mut sample, &active, claim, at) {
                Ok(probe) => report.probes.push(probe),
                Err(error) => return report.doubts.push(format!("no derivative at the point: {error}")),
            }
        }
    }
    /// Compares the two directions.
    fn transposed(&self, check: &Check, report: &mut Report) {
        if [Direction::Jvp, Direction::Vjp].iter().all(|&d| self.rule.supports(d)) {
            match self.rule.linearize::<P>(self.owned(|x| x), &self.y) {
                Ok(map) => {
                    // All probes at this point are of tangents.
                    let agree = !report.probes.is_empty()
                        && report.probes.iter().all(|p| p.verdict == Verdict::Right);
                    let before = report.faults.len();
                    check.adjoint_into(report, &map, &self.lengths(), self.y.len(), &mut |s, n| s.numbers(n));
                    if agree {
                        report.blame_cotangents(before);
                    }
                }
                Err(error) => report.doubts.push(format!("no derivative at the point: {error}")),
            }
        }
    }
    /// Compares the claimed derivative along a direction with the differences of `at`.
    fn probe(
        &self,
        (check, of_first_order): (&Check, bool),
        what: &str,
        sample: &mut Sample,
        active: &[bool],
        claim: impl Fn(&[Vec<P>]) -> Result<Vec<P>, AdError>,
        at: impl Fn(&[Vec<P>]) -> Option<Vec<P>>,
    ) -> Result<Probe, AdError> {
        let directions = [false, true].map(|unit| self.direction(sample, active, unit));
        let claims = directions.iter().map(|dx| claim(dx)).collect::<Result<Vec<_>, _>>()?;
        let most = self.x.iter().flat_map(|x| x.iter()).fold(0.0, |m: f64, x| m.max(x.magnitude()));
        let sizes: &[f64] = if most < SMALLEST {
            &[1.0]
        } else if most < 1.0 {
            &[0.0, 1.0]
        } else {
            &[0.0]
        };
        Ok(check.first_conclusive(sizes, &|which| {
            let dx = &directions[which as usize];
            let longest = dx.iter().flatten().fold(f64::MIN_POSITIVE, |m, d| m.max(d.magnitude()));
            let along: Line = &|h| Some(as_complex(&at(&self.moved(dx, h)?)?));
            let claim = as_complex(&claims[which as usize]);
            let mut terms = check.terms(longest);
            if of_first_order {
                terms.reference = check.reference_along(claim.len(), !P::REAL, &parts_of(&dx.concat()));
            } else {
                (terms.second_order, terms.unit) = (true, longest * longest);
                terms.underflow *= longest;
            }
            probe(what, along, &claim, &terms)
        }))
    }
    /// The derivative of `J(x)ẋ` along another direction, where the primitive has one; and the two directions of the
    /// map over numbers with tangents.
    fn second_order(&self, check: &Check, report: &mut Report) {
        // Where there is no value, a formula may give derivatives all the same.
        if !self.rule.supports(Direction::Jvp) || !self.y.iter().any(|y| y.all_finite()) {
            return;
        }
        let mut sample = Sample::new();
        let active = vec![true; self.x.len()];
        let dx = self.direction(&mut sample, &active, false);
        let nested = |along: &[Vec<P>]| -> Result<(R::Map<Dual<P>>, usize), AdError> {
            let pairs = |(x, d): (&&[P], &Vec<P>)| x.iter().zip(d).map(|(&x, &d)| Dual::new(x, d)).collect();
            let x: Vec<Vec<Dual<P>>> = self.x.iter().zip(along).map(pairs).collect();
            let y = Dual::lift_primitive(self.rule, &views(&x))?;
            Ok((self.rule.linearize(x, &y)?, y.len()))
        };
        let claim = |along: &[Vec<P>]| {
            let (map, rows) = nested(along)?;
            let dx: Vec<Vec<Dual<P>>> =
                dx.iter().map(|d| d.iter().map(|&d| Dual::constant(d)).collect()).collect();
            let mut dy = vec![Dual::constant(P::lit(0.0)); rows];
            map.apply(&dx.iter().map(|d| Some(&d[..])).collect::<Vec<_>>(), &mut dy);
            Ok(dy.iter().map(|d| d.tangent()).collect())
        };
        let at = |x: &[Vec<P>]| {
            let y = self.rule.value(&views(x)).ok()?;
            self.tangent(x.to_vec(), &y, &dx, &active).ok()
        };
        match self.probe((check, false), "second derivative", &mut sample, &active, claim, at) {
            Ok(probe) => report.probes.push(probe),
            Err(AdError::Unsupported { .. }) => return,
            Err(error) => return report.doubts.push(format!("no second derivative at the point: {error}")),
        }
        if let (true, Ok((map, rows))) = (self.rule.supports(Direction::Vjp), nested(&dx)) {
            let mut draw =
                |s: &mut Sample, n: usize| (0..n).map(|_| Dual::new(s.number(), s.number())).collect();
            check.adjoint_into(report, &map, &self.lengths(), rows, &mut draw);
        }
    }
    /// Replaces each number by NaN, which is lost if the results are finite.
    fn plant(&self, report: &mut Report) {
        let places = self.x.iter().enumerate().flat_map(|(g, x)| (0..x.len()).map(move |i| (g, i)));
        for (group, i) in places.take(PLANTED) {
            let mut x = self.owned(|x| x);
            x[group][i] = P::lit(f64::NAN);
            // A panic counts as a reaction too: nothing is lost.
            let y = catch_unwind(AssertUnwindSafe(|| self.rule.value(&views(&x))));
            if let Ok(Ok(y)) = y
                && !y.is_empty()
                && y.iter().all(|y| y.all_finite())
            {
                report.lost_nan.push((group, i));
            }
        }
    }
}
