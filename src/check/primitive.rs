//! Primitives at a point.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Check;
use super::adjoint::product;
use super::ladder::FIRST;
use super::lines::moved;
use super::parts::{C, as_complex, of_complex, parts_of, same_bits};
use super::report::{Report, VALUES_DIFFER, Verdict};
use super::sample::Sample;
use super::subject::{ArgumentGroups, PartialEntries, ProbeLine, Subject, longest};
use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::{Direction, Primitive, views};
use crate::linear_map::LinearMap;
use crate::number::{Number, PrimalNumber};

/// The fault of a map that a call elsewhere changes.
const CHANGED: &str = "a later call at another point changed a map";
/// The largest number of components of the argument that are replaced by NaN, one at a time.
const PLANTED: usize = 32;

type MapObject<T> = Box<dyn LinearMap<T>>;

/// A primitive as an object: its checks are compiled once for all primitives.
trait PrimitiveObject<P> {
    fn supports(&self, direction: Direction) -> bool;
    fn demand(&self, direction: Direction) -> Result<(), AdError>;
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError>;
    fn map(&self, x: Vec<Vec<P>>, y: &[P]) -> Result<MapObject<P>, AdError>;
    fn nested_value(&self, x: &[&[Dual<P>]]) -> Result<Vec<Dual<P>>, AdError>;
    fn nested_map(&self, x: Vec<Vec<Dual<P>>>, y: &[Dual<P>]) -> Result<MapObject<Dual<P>>, AdError>;
}

impl<P: PrimalNumber, R: Primitive<P>> PrimitiveObject<P> for R {
    fn supports(&self, direction: Direction) -> bool {
        Primitive::supports(self, direction)
    }
    fn demand(&self, direction: Direction) -> Result<(), AdError> {
        direction.demand(self)
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        Primitive::value(self, x)
    }
    fn map(&self, x: Vec<Vec<P>>, y: &[P]) -> Result<MapObject<P>, AdError> {
        Ok(Box::new(self.linearize(x, y)?))
    }
    fn nested_value(&self, x: &[&[Dual<P>]]) -> Result<Vec<Dual<P>>, AdError> {
        Dual::lift_primitive(self, x)
    }
    fn nested_map(&self, x: Vec<Vec<Dual<P>>>, y: &[Dual<P>]) -> Result<MapObject<Dual<P>>, AdError> {
        Ok(Box::new(self.linearize(x, y)?))
    }
}

/// A primitive, and the point with its value.
struct PrimitiveAt<'a, P> {
    rule: &'a dyn PrimitiveObject<P>,
    groups: ArgumentGroups,
    x: Vec<P>,
    y: Vec<P>,
}

impl Check {
    /// Like [`check::primitive`](super::primitive), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
    #[track_caller]
    pub fn primitive<P: PrimalNumber<Base = f64>, R: Primitive<P>>(&self, rule: &R, x: &[&[P]]) -> Report {
        self.primitive_object(Report::new(rule.name()), rule, x)
    }
    #[track_caller]
    fn primitive_object<P: PrimalNumber<Base = f64>>(
        &self,
        mut report: Report,
        rule: &dyn PrimitiveObject<P>,
        x: &[&[P]],
    ) -> Report {
        if !report.is_finite_at(x) {
            return report;
        }
        let Some(y) = report.take("value", rule.value(x)) else { return report };
        report.note_non_finite(y.iter().map(|y| y.all_finite()));
        let at =
            PrimitiveAt { rule, groups: ArgumentGroups::new(x.iter().map(|x| x.len())), x: x.concat(), y };
        if !at.runs(&mut report) {
            return report;
        }
        at.value_again(&mut report);
        at.call_elsewhere(self, &mut report);
        let point = as_complex(&at.x);
        let subject = Subject {
            derivative: &|x, along| match along {
                [] => Ok(as_complex(&rule.value(&at.groups.split(&of_complex(x)))?)),
                [dx] => at.first(x, dx),
                [dx, dy, ..] => at.second(x, dx, dy),
            },
            complex_step: &|_, _| None,
            entries: if P::REAL { PartialEntries::Real } else { PartialEntries::Parts },
        };
        self.compare_lines(&mut report, &subject, &point, &at.first_lines(&point));
        at.transposed(self, &mut report);
        at.second_order(self, &mut report, &subject);
        let aside = |size: f64| at.groups.direction::<P>(&mut Sample::new(), &point, size);
        self.look_beside(&mut report, &point, &aside, &|check, report, x| {
            check.compare_lines(report, &subject, x, &at.first_lines(x));
        });
        at.plant(&mut report);
        let untouched = same_bits(&parts_of(&x.concat()), &parts_of(&at.x));
        report.demand(untouched, || "the arguments have changed".into());
        report
    }
}

impl<P: PrimalNumber<Base = f64>> PrimitiveAt<'_, P> {
    fn owned<T: Clone>(&self, x: &[T]) -> Vec<Vec<T>> {
        self.groups.split(x).into_iter().map(<[T]>::to_vec).collect()
    }
    fn value(&self, x: &[P]) -> Result<Vec<P>, AdError> {
        self.rule.value(&self.groups.split(x))
    }
    fn map(&self, x: &[P], y: &[P]) -> Result<MapObject<P>, AdError> {
        self.rule.map(self.owned(x), y)
    }
    /// The map at numbers with tangents, and the number of its results.
    fn nested_map(&self, x: &[C], dx: &[C]) -> Result<(MapObject<Dual<P>>, usize), AdError> {
        let pairs = of_complex(x).into_iter().zip(of_complex(dx));
        let x = self.owned(&pairs.map(|(x, dx)| Dual::new(x, dx)).collect::<Vec<Dual<P>>>());
        let y = self.rule.nested_value(&views(&x))?;
        Ok((self.rule.nested_map(x, &y)?, y.len()))
    }
    /// Whether the derivative at the point runs. A panic is a fault, for example a wrong number of tangents.
    fn runs(&self, report: &mut Report) -> bool {
        let run =
            || self.map(&self.x, &self.y).is_ok_and(|map| !self.derivatives(&*map, self.y.len()).is_empty());
        let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return true };
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text =
            text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a value that is no text");
        report.demand(false, || format!("the derivative panics: {text}"));
        false
    }
    /// `Jẋ`, by the direction that the primitive has.
    fn first(&self, x: &[C], dx: &[C]) -> Result<Vec<C>, AdError> {
        let (x, dx) = (of_complex::<P>(x), of_complex::<P>(dx));
        let y = self.value(&x)?;
        let map = self.map(&x, &y)?;
        let is_active = |dx: &[P]| dx.is_empty() || dx.iter().any(|dx| !dx.is_exactly_zero());
        let active = self.groups.split(&dx).into_iter().map(is_active).collect();
        let groups = ArgumentGroups { active, ..self.groups.clone() };
        if self.rule.supports(Direction::Jvp) {
            return Ok(as_complex(&groups.apply(&*map, &dx, vec![P::lit(f64::NAN); y.len()])));
        }
        self.rule.demand(Direction::Vjp)?;
        // `Re⟨Jᴴe, ẋ⟩ + i·Re⟨Jᴴ(ie), ẋ⟩` for each result.
        let along = |row: usize, axis: C| {
            let mut w = vec![C::default(); y.len()];
            w[row] = axis;
            product(&groups.transpose(&*map, &of_complex(&w), vec![P::lit(0.0); dx.len()]), &dx).0[0]
        };
        let i = C::new(0.0, 1.0);
        let row = |row| C::new(along(row, 1.0.into()), if P::REAL { 0.0 } else { along(row, i) });
        Ok((0..y.len()).map(row).collect())
    }
    /// The derivative of `J(x)ẋ` along `dy`.
    fn second(&self, x: &[C], dx: &[C], dy: &[C]) -> Result<Vec<C>, AdError> {
        let (map, rows) = self.nested_map(x, dy)?;
        let dx: Vec<Dual<P>> = of_complex(dx).into_iter().map(Dual::constant).collect();
        let dy = self.groups.apply(&*map, &dx, vec![Dual::constant(P::lit(0.0)); rows]);
        Ok(as_complex(&dy.iter().map(|d| d.tangent()).collect::<Vec<P>>()))
    }
    /// Checks that the value is the same a second time, and as the value of numbers with tangents.
    fn value_again(&self, report: &mut Report) {
        let same = |y: &[P]| same_bits(&parts_of(y), &parts_of(&self.y));
        let again = self.value(&self.x);
        report.demand(again.is_ok_and(|y| same(&y)), || "two calls give different values".into());
        if !self.rule.supports(Direction::Jvp) {
            return;
        }
        let active: Vec<Dual<P>> = self.x.iter().map(|&x| Dual::variable(x)).collect();
        // Without the guard of calls: NaN is a fault like others.
        let y = self.rule.nested_value(&self.groups.split(&active));
        if let Some(y) = report.take("derivative", y) {
            let values: Vec<P> = y.iter().map(|y| y.value()).collect();
            report.demand(same(&values), || VALUES_DIFFER.into());
        }
    }
    /// Checks that a call elsewhere changes nothing here: no map, because on a tape many calls precede the sweep, and
    /// no later result.
    fn call_elsewhere(&self, check: &Check, report: &mut Report) {
        let seen = |x: &[P], y: &[P]| {
            let map = self.map(x, y).ok()?;
            let derivatives = self.derivatives(&*map, y.len());
            Some((map, derivatives))
        };
        let Some((map, before)) = seen(&self.x, &self.y) else { return };
        let point = as_complex(&self.x);
        let dx = self.groups.direction::<P>(&mut Sample::new(), &point, 0.0);
        let step = FIRST.min(check.max_step / longest(&dx).max(f64::MIN_POSITIVE));
        let Some(there) = moved(&point, &dx, step) else { return };
        let there: Vec<P> = of_complex(&there);
        if let Ok(y) = self.value(&there) {
            let unchanged = || same_bits(&before, &self.derivatives(&*map, self.y.len()));
            report.demand(unchanged(), || CHANGED.into());
            let _ = seen(&there, &y);
            report.demand(unchanged(), || CHANGED.into());
            let again = self.value(&self.x).unwrap_or_default();
            let same = same_bits(&parts_of(&again), &parts_of(&self.y))
                && seen(&self.x, &again).is_some_and(|(_, after)| same_bits(&before, &after));
            report.demand(same, || "a call at another point changed the result".into());
        }
    }
    /// Tangents and cotangents of samples, as far as the primitive has them.
    fn derivatives(&self, map: &dyn LinearMap<P>, rows: usize) -> Vec<f64> {
        let mut sample = Sample::new();
        let (dx, w): (Vec<P>, Vec<P>) = (sample.numbers(self.x.len()), sample.numbers(rows));
        let (mut seen, zeros) = (Vec::new(), |n: usize| vec![P::lit(0.0); n]);
        if self.rule.supports(Direction::Jvp) {
            seen.extend(self.groups.apply(map, &dx, zeros(rows)));
        }
        if self.rule.supports(Direction::Vjp) {
            seen.extend(self.groups.transpose(map, &w, zeros(dx.len())));
        }
        parts_of(&seen)
    }
    /// Lines along each group separately, and along all groups together twice.
    fn first_lines(&self, x: &[C]) -> Vec<ProbeLine> {
        let named = |(group, alone): (usize, ArgumentGroups)| (format!("group {group}"), alone);
        let together = ["everything", "everything else"].map(|what| (what.into(), self.groups.clone()));
        let choices = self.groups.alone().into_iter().enumerate().map(named).chain(together);
        let mut sample = Sample::new();
        choices
            .map(|(along, of)| of.line::<P>(&format!("derivative along {along}"), &mut sample, x))
            .collect()
    }
    /// Compares the two directions.
    fn transposed(&self, check: &Check, report: &mut Report) {
        // All probes at this point are of tangents.
        let agree = !report.probes.is_empty() && report.probes.iter().all(|p| p.verdict == Verdict::Right);
        let has_both = [Direction::Jvp, Direction::Vjp].iter().all(|&d| self.rule.supports(d));
        // An error is a doubt already.
        if let (true, Ok(map)) = (has_both, self.map(&self.x, &self.y)) {
            let before = report.faults.len();
            let draw = &mut |sample: &mut Sample, n| sample.numbers(n);
            check.adjoint_into(report, &*map, &self.groups, self.y.len(), draw);
            if agree {
                report.blame_cotangents(before);
            }
        }
    }
    /// The derivative of `J(x)ẋ` along another direction, where the primitive has one; and the two directions of the
    /// map over numbers with tangents.
    fn second_order(&self, check: &Check, report: &mut Report, subject: &Subject) {
        // Where there is no value, a formula may give derivatives all the same.
        if !self.rule.supports(Direction::Jvp) || !self.y.iter().any(|y| y.all_finite()) {
            return;
        }
        let (point, mut sample) = (as_complex(&self.x), Sample::new());
        let dx = self.groups.direction::<P>(&mut sample, &point, 0.0);
        let line = self.groups.line::<P>("second derivative", &mut sample, &point);
        let before = report.probes.len();
        check.compare_lines(report, subject, &point, &[ProbeLine { fixed: vec![dx.clone()], ..line }]);
        if report.probes.len() > before
            && self.rule.supports(Direction::Vjp)
            && let Ok((map, rows)) = self.nested_map(&point, &dx)
        {
            let one = |sample: &mut Sample| Dual::new(sample.number(), sample.number());
            let draw = &mut |sample: &mut Sample, n| (0..n).map(|_| one(sample)).collect();
            check.adjoint_into(report, &*map, &self.groups, rows, draw);
        }
    }
    /// Replaces each number by NaN, which is lost if the results are finite.
    fn plant(&self, report: &mut Report) {
        for (i, place) in self.groups.places().enumerate().take(PLANTED) {
            let mut x = self.x.clone();
            x[i] = P::lit(f64::NAN);
            // A panic counts as a reaction too: nothing is lost.
            let y = catch_unwind(AssertUnwindSafe(|| self.value(&x)));
            if let Ok(Ok(y)) = y
                && !y.is_empty()
                && y.iter().all(|y| y.all_finite())
            {
                report.lost_nan.push(place);
            }
        }
    }
}
