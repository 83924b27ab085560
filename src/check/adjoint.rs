//! Comparison of the two directions of a linear map.

use std::collections::BTreeMap;

use super::Check;
use super::judge::HUGE;
use super::parts::{largest, largest_distance, parts, parts_of, same_bits};
use super::report::{Report, keep_largest};
use super::sample::{Sample, shaken};
use super::subject::ArgumentGroups;
use crate::linear_map::LinearMap;
use crate::number::Number;

/// The accepted error of inner products and linear combinations, relative to the sum of the sizes of their terms, in
/// addition to rounding.
pub(super) const APART: f64 = 1e-10;
/// The accepted error in units of the rounding, which is the change for a change in the last place of the arguments.
pub(super) const SAFETY: f64 = 64.0;
/// The number of samples of tangents and cotangents.
const SAMPLES: usize = 3;
/// Numbers within this number of binary digits are compared together.
const ALIKE: i32 = 8;

/// Tangents and cotangents of the caller's choice.
pub(super) type Draw<'a, T> = &'a mut dyn FnMut(&mut Sample, usize) -> Vec<T>;

impl Check {
    /// Like [`check::adjoint`](super::adjoint()), with this tolerance.
    ///
    /// # Panics
    /// If a longest step or a reference is set: they do not apply to a linear map.
    #[track_caller]
    pub fn adjoint<T: Number, M: LinearMap<T>>(&self, map: &M, inputs: &[usize], outputs: usize) -> Report {
        self.refuse_steps("adjoint");
        let mut report = Report::new(map.name());
        let groups = ArgumentGroups::new(inputs.iter().copied());
        self.adjoint_into(&mut report, map, &groups, outputs, &mut |sample, n| sample.numbers(n));
        report
    }
    pub(super) fn adjoint_into<T: Number>(
        &self,
        report: &mut Report,
        map: &dyn LinearMap<T>,
        groups: &ArgumentGroups,
        outputs: usize,
        draw: Draw<T>,
    ) {
        let mut sample = Sample::new();
        let mut trial = |groups: ArgumentGroups| {
            let dx = groups.only(&draw(&mut sample, groups.total()));
            Trial { groups, dx, w: draw(&mut sample, outputs) }
        };
        let all: Vec<Trial<T>> = (0..SAMPLES).map(|_| trial(groups.clone())).collect();
        let alone: Vec<Trial<T>> = groups.alone().into_iter().map(trial).collect();
        let limit = self.limit(APART);
        let (dy, sums) = all[0].compare(report, map, limit);
        // Results and cotangents of each size alone, so that large ones do not hide small ones.
        let rows = alike(&dy).into_iter().map(|rows| Trial { w: only(&all[0].w, &rows), ..all[0].clone() });
        let columns = alike(&sums).into_iter();
        let columns = columns.map(|columns| Trial { dx: only(&all[0].dx, &columns), ..all[0].clone() });
        for trial in all[1..].iter().cloned().chain(alone).chain(rows).chain(columns) {
            trial.compare(report, map, limit);
        }
    }
}

/// Tangents and cotangents. Tangents of groups that take no part are zero.
#[derive(Clone)]
struct Trial<T> {
    groups: ArgumentGroups,
    dx: Vec<T>,
    w: Vec<T>,
}

/// The numbers at these places, and zeros.
fn only<T: Number>(x: &[T], places: &[usize]) -> Vec<T> {
    (0..x.len()).map(|i| if places.contains(&i) { x[i] } else { T::lit(0.0) }).collect()
}

/// Groups of indices by the size of the numbers, if the sizes differ; without zeros.
fn alike<T: Number>(x: &[T]) -> Vec<Vec<usize>> {
    let exponent = |x: T| {
        let most = largest(parts(x).into_iter().map(f64::abs));
        (most > 0.0 && most.is_finite()).then(|| most.log2().floor() as i32 / ALIKE)
    };
    let mut by_size: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (i, size) in x.iter().enumerate().filter_map(|(i, &x)| Some((i, exponent(x)?))) {
        by_size.entry(size).or_default().push(i);
    }
    if by_size.len() > 1 { by_size.into_values().collect() } else { vec![] }
}

impl<T: Number> Trial<T> {
    /// Compares the inner products, and returns the results of both directions.
    fn compare(&self, report: &mut Report, map: &dyn LinearMap<T>, limit: f64) -> (Vec<T>, Vec<T>) {
        let (dy, sums) = (self.forwards(report, map), self.backwards(report, map));
        let strange = report.note_non_finite(dy.iter().map(|y| y.all_finite()));
        if strange && !sums.iter().all(|s| s.all_finite()) {
            return (dy, sums);
        }
        let [(there, size), (back, other)] = [product(&self.w, &dy), product(&sums, &self.dx)];
        let scale = size.max(other).max(f64::MIN_POSITIVE);
        let apart = largest_distance(&there, &back);
        let finite = !strange && scale.is_finite();
        if !finite && parts_of(&dy).iter().chain(&parts_of(&sums)).any(|p| p.is_finite() && p.abs() > HUGE) {
            return (dy, sums); // too large for floats on one side or in between
        }
        let rounding = SAFETY * self.rounding(map, &dy, &sums);
        let gap = if finite { (apart - rounding).max(0.0) / scale } else { f64::INFINITY };
        keep_largest(&mut report.adjoint, gap);
        report.demand(gap <= limit, || {
            let alone =
                self.groups.active.iter().position(|&a| a).filter(|_| self.groups.active.contains(&false));
            let which = alone.map_or("of all groups".into(), |group| format!("of group {group} alone"));
            format!("the transpose is not the adjoint, {which}: inner products differ by {gap:.1e}")
        });
        (dy, sums)
    }
    /// The rounding errors of the inner products.
    fn rounding(&self, map: &dyn LinearMap<T>, dy: &[T], sums: &[T]) -> f64 {
        let shaken = Trial { dx: shaken(&self.dx), w: shaken(&self.w), ..self.clone() };
        let change = |x: &[T], y: &[T]| -> Vec<T> { x.iter().zip(y).map(|(&x, &y)| x - y).collect() };
        let there = product(&self.w, &change(&shaken.apply(map, 0.0), dy)).1;
        let back = product(&change(&shaken.transpose(map, 0.0), sums), &self.dx).1;
        if (there + back).is_finite() { there + back } else { 0.0 }
    }
    fn apply(&self, map: &dyn LinearMap<T>, fill: f64) -> Vec<T> {
        self.groups.apply(map, &self.dx, vec![T::lit(fill); self.w.len()])
    }
    fn transpose(&self, map: &dyn LinearMap<T>, fill: f64) -> Vec<T> {
        self.groups.transpose(map, &self.w, vec![T::lit(fill); self.dx.len()])
    }
    /// `Jẋ` of the active groups.
    fn forwards(&self, report: &mut Report, map: &dyn LinearMap<T>) -> Vec<T> {
        let [dy, again] = [0.0, f64::NAN].map(|fill| self.apply(map, fill));
        report.demand(same_bits(&parts_of(&dy), &parts_of(&again)), || {
            "two applications differ: apply must overwrite the result and be repeatable".into()
        });
        dy
    }
    /// `Jᴴȳ` of the active groups; zeros for the others.
    fn backwards(&self, report: &mut Report, map: &dyn LinearMap<T>) -> Vec<T> {
        let [sums, again] = [0.0, 1.0].map(|fill| self.transpose(map, fill));
        let [by_group, again] = [&sums, &again].map(|sums| self.groups.split(sums));
        for group in (0..by_group.len()).filter(|&g| self.groups.active[g]) {
            let expected: Vec<f64> = by_group[group].iter().flat_map(|s| parts(*s + T::lit(1.0))).collect();
            let size = largest(expected.iter().map(|e| e.abs()).filter(|e| e.is_finite())).max(1.0);
            let same =
                |(e, g): (&f64, &f64)| e == g || (e - g).abs() <= APART * size || e.is_nan() && g.is_nan();
            report.demand(expected.iter().zip(&parts_of(again[group])).all(same), || {
                format!("the transpose does not add to the cotangents of group {group}, or is not repeatable")
            });
        }
        sums
    }
}

/// The parts of `Re Σ āᵢbᵢ`, and the largest sum of the sizes of their terms.
pub(super) fn product<T: Number>(a: &[T], b: &[T]) -> (Vec<f64>, f64) {
    let mut sum = parts(T::lit(0.0).re());
    let mut sizes = vec![0.0; sum.len()];
    for (&a, &b) in a.iter().zip(b) {
        for (i, term) in parts((a.conj() * b).re()).into_iter().enumerate() {
            sum[i] += term;
            sizes[i] += term.abs();
        }
    }
    (sum, largest(sizes.into_iter()))
}
