//! Comparison of the two directions of a linear map.

use super::Check;
use super::judge::HUGE;
use super::parts::{parts, parts_of, same_bits};
use super::report::{Report, keep_largest};
use super::sample::{Sample, shaken};
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
        self.adjoint_into(&mut report, map, inputs, outputs, &mut |sample, n| sample.numbers(n));
        report
    }
    pub(super) fn adjoint_into<T: Number, M: LinearMap<T>>(
        &self,
        report: &mut Report,
        map: &M,
        inputs: &[usize],
        outputs: usize,
        draw: Draw<T>,
    ) {
        let mut sample = Sample::new();
        let mut trial = |active: Vec<bool>| Trial {
            dx: inputs.iter().map(|&n| draw(&mut sample, n)).collect(),
            w: draw(&mut sample, outputs),
            active,
        };
        let all: Vec<Trial<T>> = (0..SAMPLES).map(|_| trial(vec![true; inputs.len()])).collect();
        let groups = if inputs.len() > 1 { 0..inputs.len() } else { 0..0 };
        let alone: Vec<Trial<T>> =
            groups.map(|g| trial((0..inputs.len()).map(|i| i == g).collect())).collect();
        let limit = self.limit(APART);
        let (dy, sums) = all[0].compare(report, map, limit);
        let small = all[0].of_rows(&dy).into_iter().chain(all[0].of_columns(&sums));
        let small: Vec<Trial<T>> = small.collect();
        for trial in all[1..].iter().chain(&alone).chain(&small) {
            trial.compare(report, map, limit);
        }
    }
}

/// Tangents, cotangents, and which groups take part.
#[derive(Clone)]
struct Trial<T> {
    dx: Vec<Vec<T>>,
    w: Vec<T>,
    active: Vec<bool>,
}

/// Groups of indices by the size of the numbers, if the sizes differ; without zeros.
fn alike<T: Number>(x: &[T]) -> Vec<Vec<usize>> {
    let exponent = |x: T| {
        let most = parts(x).into_iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        (most > 0.0 && most.is_finite()).then(|| most.log2().floor() as i32 / ALIKE)
    };
    let sizes: Vec<Option<i32>> = x.iter().map(|&x| exponent(x)).collect();
    let mut distinct: Vec<i32> = sizes.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let places = |&size: &i32| (0..x.len()).filter(|&i| sizes[i] == Some(size)).collect();
    if distinct.len() > 1 { distinct.iter().map(places).collect() } else { vec![] }
}

impl<T: Number> Trial<T> {
    /// A trial for the results of each size, so that large ones do not hide small ones.
    fn of_rows(&self, dy: &[T]) -> Vec<Trial<T>> {
        let only = |rows: &Vec<usize>| {
            let mut w = vec![T::lit(0.0); self.w.len()];
            rows.iter().for_each(|&i| w[i] = self.w[i]);
            Trial { w, ..self.clone() }
        };
        alike(dy).iter().map(only).collect()
    }
    /// A trial for the cotangents of each size.
    fn of_columns(&self, sums: &[Vec<T>]) -> Vec<Trial<T>> {
        let places: Vec<(usize, usize)> =
            sums.iter().enumerate().flat_map(|(g, s)| (0..s.len()).map(move |i| (g, i))).collect();
        let only = |columns: &Vec<usize>| {
            let mut dx: Vec<Vec<T>> = self.dx.iter().map(|d| vec![T::lit(0.0); d.len()]).collect();
            columns.iter().map(|&c| places[c]).for_each(|(g, i)| dx[g][i] = self.dx[g][i]);
            Trial { dx, ..self.clone() }
        };
        alike(&sums.concat()).iter().map(only).collect()
    }
    /// Compares the inner products, and returns the results of both directions.
    fn compare<M: LinearMap<T>>(&self, report: &mut Report, map: &M, limit: f64) -> (Vec<T>, Vec<Vec<T>>) {
        let dy = self.forwards(report, map);
        let sums = self.backwards(report, map);
        let strange = report.note_non_finite(dy.iter().map(|y| y.all_finite()));
        let open = strange && !sums.iter().flatten().all(|s| s.all_finite());
        if open {
            return (dy, sums);
        }
        let (there, size) = product(&self.w, &dy);
        let (flat, dx) = (sums.concat(), self.active_dx().concat());
        let (back, other) = product(&flat, &dx);
        let scale = size.max(other).max(f64::MIN_POSITIVE);
        let rounding = self.rounding(map, &dy, &flat);
        let apart = there.iter().zip(&back).map(|(a, b)| (a - b).abs());
        let apart = apart.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) });
        let finite = !strange && scale.is_finite();
        if !finite && parts_of(&dy).iter().chain(&parts_of(&flat)).any(|p| p.is_finite() && p.abs() > HUGE) {
            return (dy, sums); // too large for floats on one side or in between
        }
        let gap = if finite { (apart - SAFETY * rounding).max(0.0) / scale } else { f64::INFINITY };
        keep_largest(&mut report.adjoint, gap);
        report.demand(gap <= limit, || {
            format!("the transpose is not the adjoint, {}: inner products differ by {gap:.1e}", self.groups())
        });
        (dy, sums)
    }
    /// The active groups, in words.
    fn groups(&self) -> String {
        let alone = self.active.iter().position(|&a| a).filter(|_| self.active.contains(&false));
        alone.map_or("of all groups".into(), |group| format!("of group {group} alone"))
    }
    fn active_dx(&self) -> Vec<Vec<T>> {
        let zero = |d: &Vec<T>| vec![T::lit(0.0); d.len()];
        self.dx.iter().zip(&self.active).map(|(d, &a)| if a { d.clone() } else { zero(d) }).collect()
    }
    /// The rounding errors of the inner products.
    fn rounding<M: LinearMap<T>>(&self, map: &M, dy: &[T], sums: &[T]) -> f64 {
        let shaken = Trial {
            dx: self.dx.iter().map(|d| shaken(d)).collect(),
            w: shaken(&self.w),
            active: self.active.clone(),
        };
        let change = |x: &[T], y: &[T]| -> Vec<T> { x.iter().zip(y).map(|(&x, &y)| x - y).collect() };
        let [there, back] = [
            product(&self.w, &change(&shaken.apply(map, 0.0), dy)).1,
            product(&change(&shaken.transpose(map, 0.0).concat(), sums), &self.active_dx().concat()).1,
        ];
        if (there + back).is_finite() { there + back } else { 0.0 }
    }
    fn apply<M: LinearMap<T>>(&self, map: &M, fill: f64) -> Vec<T> {
        let views: Vec<Option<&[T]>> =
            self.dx.iter().zip(&self.active).map(|(d, &a)| a.then_some(&d[..])).collect();
        let mut dy = vec![T::lit(fill); self.w.len()];
        map.apply(&views, &mut dy);
        dy
    }
    fn transpose<M: LinearMap<T>>(&self, map: &M, fill: f64) -> Vec<Vec<T>> {
        let mut sums: Vec<Vec<T>> = self.dx.iter().map(|d| vec![T::lit(fill); d.len()]).collect();
        let wanted = sums.iter_mut().zip(&self.active).map(|(s, &a)| a.then_some(&mut s[..]));
        map.transpose(&self.w, &mut wanted.collect::<Vec<_>>());
        sums
    }
    /// `Jẋ` of the active groups.
    fn forwards<M: LinearMap<T>>(&self, report: &mut Report, map: &M) -> Vec<T> {
        let [dy, again] = [0.0, f64::NAN].map(|fill| self.apply(map, fill));
        report.demand(same_bits(&parts_of(&dy), &parts_of(&again)), || {
            "two applications differ: apply must overwrite the result and be repeatable".into()
        });
        dy
    }
    /// `Jᴴȳ` of the active groups; zeros for the others.
    fn backwards<M: LinearMap<T>>(&self, report: &mut Report, map: &M) -> Vec<Vec<T>> {
        let [sums, again] = [0.0, 1.0].map(|fill| self.transpose(map, fill));
        for group in (0..sums.len()).filter(|&g| self.active[g]) {
            let one = |s: &T| parts(*s + T::lit(1.0));
            let expected: Vec<f64> = sums[group].iter().flat_map(one).collect();
            let got = parts_of(&again[group]);
            let size = expected.iter().filter(|e| e.is_finite()).fold(1.0, |m: f64, e| m.max(e.abs()));
            let same =
                |(e, g): (&f64, &f64)| e == g || (e - g).abs() <= APART * size || e.is_nan() && g.is_nan();
            report.demand(expected.iter().zip(&got).all(same), || {
                format!("the transpose does not add to the cotangents of group {group}, or is not repeatable")
            });
        }
        sums
    }
}

/// The parts of `Re Σ āᵢbᵢ`, and the largest sum of the sizes of their terms.
fn product<T: Number>(a: &[T], b: &[T]) -> (Vec<f64>, f64) {
    let mut sum = parts(T::lit(0.0).re());
    let mut sizes = vec![0.0; sum.len()];
    for (&a, &b) in a.iter().zip(b) {
        for (i, term) in parts((a.conj() * b).re()).into_iter().enumerate() {
            sum[i] += term;
            sizes[i] += term.abs();
        }
    }
    let size = sizes.into_iter().fold(0.0, f64::max);
    (sum, size)
}
