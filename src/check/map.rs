//! Linear maps: the two directions beside each other, and linearity.

use super::parts::{parts, parts_of, same_bits};
use super::report::Report;
use super::sample::Sample;
use crate::linear_map::LinearMap;
use crate::number::Number;

/// How far inner products and linear combinations may be off by rounding, relative to the sum of their terms' sizes.
const ROUNDING: f64 = 1e-10;
/// How many samples of tangents and cotangents are tried.
const SAMPLES: usize = 3;

/// Checks that the two directions of a map belong together: `⟨ȳ, Jẋ⟩ = ⟨Jᴴȳ, ẋ⟩` with `⟨a, b⟩ = Re Σ āᵢbᵢ`, for all
/// groups together and each alone; that `apply` overwrites and `transpose` accumulates. `inputs` are the lengths of
/// the groups.
///
/// ```
/// use wengert::{LinearMap, check::{self, Verdict}};
/// use num_complex::Complex64;
/// /// y = ix, whose transpose is multiplication by −i.
/// struct Turn { conjugated: bool }
/// impl LinearMap<Complex64> for Turn {
///     fn apply(&self, x: &[Option<&[Complex64]>], y: &mut [Complex64]) {
///         y[0] = Complex64::i() * x[0].unwrap()[0]
///     }
///     fn transpose(&self, y: &[Complex64], x: &mut [Option<&mut [Complex64]>]) {
///         let i = Complex64::i();
///         x[0].as_mut().unwrap()[0] += if self.conjugated { i.conj() } else { i } * y[0]
///     }
/// }
/// check::adjoint(&Turn { conjugated: true }, &[1], 1).assert_ok();
/// assert_eq!(check::adjoint(&Turn { conjugated: false }, &[1], 1).verdict(), Verdict::Wrong);
/// ```
pub fn adjoint<T: Number, M: LinearMap<T>>(map: &M, inputs: &[usize], outputs: usize) -> Report {
    let mut report = Report::new(map.name());
    adjoint_into(&mut report, map, inputs, outputs, &mut |sample, n| sample.numbers(n));
    report
}

/// As [`adjoint`], with tangents and cotangents of the caller's choice.
pub(super) fn adjoint_into<T: Number, M: LinearMap<T>>(
    report: &mut Report,
    map: &M,
    inputs: &[usize],
    outputs: usize,
    draw: &mut dyn FnMut(&mut Sample, usize) -> Vec<T>,
) {
    let mut sample = Sample::new();
    let all = vec![true; inputs.len()];
    let alone = (0..inputs.len()).map(|g| (0..inputs.len()).map(|i| i == g).collect());
    let alone: Vec<Vec<bool>> = if inputs.len() > 1 { alone.collect() } else { vec![] };
    for active in std::iter::repeat_n(all, SAMPLES).chain(alone) {
        let dx: Vec<Vec<T>> = inputs.iter().map(|&n| draw(&mut sample, n)).collect();
        let w = draw(&mut sample, outputs);
        let dy = forwards(report, map, &dx, &active, outputs);
        let sums = backwards(report, map, &w, &dx, &active);
        let (there, size) = product(&w, &dy);
        let (mut back, mut other) = (vec![0.0; there.len()], 0.0);
        for group in (0..dx.len()).filter(|&g| active[g]) {
            let (part, size) = product(&sums[group], &dx[group]);
            back.iter_mut().zip(part).for_each(|(b, p)| *b += p);
            other += size;
        }
        let scale = size.max(other).max(f64::MIN_POSITIVE);
        let apart = there.iter().zip(&back).map(|(a, b)| (a - b).abs() / scale);
        let gap = apart.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) });
        report.adjoint = Some(report.adjoint.map_or(gap, |most| if gap <= most { most } else { gap }));
        report.demand(gap <= ROUNDING, || {
            format!("the transpose is not the adjoint: inner products apart by {gap:.1e}, groups {active:?}")
        });
    }
}

/// `Jẋ` of the active groups.
fn forwards<T: Number, M: LinearMap<T>>(
    report: &mut Report,
    map: &M,
    dx: &[Vec<T>],
    active: &[bool],
    outputs: usize,
) -> Vec<T> {
    let views: Vec<Option<&[T]>> = dx.iter().zip(active).map(|(d, &a)| a.then_some(&d[..])).collect();
    let [mut dy, mut again] = [T::lit(0.0), T::lit(f64::NAN)].map(|fill| vec![fill; outputs]);
    map.apply(&views, &mut dy);
    map.apply(&views, &mut again);
    report.demand(same_bits(&parts_of(&dy), &parts_of(&again)), || {
        "two applications differ: apply must overwrite the result and repeat itself".into()
    });
    dy
}

/// `Jᴴȳ` of the active groups; zeros for the others.
fn backwards<T: Number, M: LinearMap<T>>(
    report: &mut Report,
    map: &M,
    w: &[T],
    dx: &[Vec<T>],
    active: &[bool],
) -> Vec<Vec<T>> {
    let [sums, again] = [0.0, 1.0].map(|fill| {
        let mut sums: Vec<Vec<T>> = dx.iter().map(|d| vec![T::lit(fill); d.len()]).collect();
        let wanted = sums.iter_mut().zip(active).map(|(s, &a)| a.then_some(&mut s[..]));
        map.transpose(w, &mut wanted.collect::<Vec<_>>());
        sums
    });
    for (group, &active) in active.iter().enumerate() {
        let one = |s: &T| parts(*s + T::lit(if active { 1.0 } else { 0.0 }));
        let expected: Vec<f64> = sums[group].iter().flat_map(one).collect();
        let got = parts_of(&again[group]);
        let size = expected.iter().fold(1.0, |m: f64, e| m.max(e.abs()));
        let added = expected.iter().zip(&got).all(|(e, g)| (e - g).abs() <= ROUNDING * size || e.is_nan());
        report.demand(added || !active, || {
            format!(
                "the transpose does not add to the cotangents of group {group}, or does not repeat itself"
            )
        });
    }
    sums
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

/// Checks that a map is linear: `J(αẋ + βẏ) = αJẋ + βJẏ` for real α and β. (A map of complex numbers need only be
/// linear over the real numbers: conjugation is.)
pub fn linear<T: Number, M: LinearMap<T>>(map: &M, inputs: &[usize], outputs: usize) -> Report {
    let apply = |x: &[Vec<T>]| {
        let mut y = vec![T::lit(0.0); outputs];
        map.apply(&x.iter().map(|x| Some(&x[..])).collect::<Vec<_>>(), &mut y);
        y
    };
    linearity(map.name(), inputs, apply)
}

/// Checks that a function of `n` numbers is linear.
///
/// ```
/// use wengert::check::{self, Verdict};
/// check::linear_function(|x: &[f64]| vec![x[0] - 2.0 * x[1], x[1]], 2).assert_ok();
/// let shifted = |x: &[f64]| vec![x[0] + 1.0];
/// assert_eq!(check::linear_function(shifted, 1).verdict(), Verdict::Wrong);
/// ```
pub fn linear_function<T: Number>(f: impl Fn(&[T]) -> Vec<T>, n: usize) -> Report {
    linearity("function", &[n], |x| f(&x[0]))
}

fn linearity<T: Number>(name: &str, inputs: &[usize], f: impl Fn(&[Vec<T>]) -> Vec<T>) -> Report {
    let mut report = Report::new(name);
    let mut sample = Sample::new();
    // The last pair looks at another size.
    for [a, b] in [[0.75, -1.25], [-0.5, 0.25], [1.0, 2.0], [4096.0, -0.5]] {
        let [x, y]: [Vec<Vec<T>>; 2] = [sample.groups(inputs), sample.groups(inputs)];
        let combine = |x: &[T], y: &[T]| -> Vec<T> {
            x.iter().zip(y).map(|(&x, &y)| x * T::lit(a) + y * T::lit(b)).collect()
        };
        let together: Vec<Vec<T>> = x.iter().zip(&y).map(|(x, y)| combine(x, y)).collect();
        let (fx, fy) = (f(&x), f(&y));
        let (got, want) = (parts_of(&f(&together)), parts_of(&combine(&fx, &fy)));
        let size = |f: &[T], c: f64| parts_of(f).iter().fold(0.0, |m: f64, p| m.max((p * c).abs()));
        let scale = size(&fx, a).max(size(&fy, b)).max(f64::MIN_POSITIVE);
        let apart = got.iter().zip(&want).map(|(g, w)| (g - w).abs() / scale);
        let gap = apart.fold(0.0, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) });
        report.linearity = Some(report.linearity.map_or(gap, |most| if gap <= most { most } else { gap }));
        report.demand(got.len() == want.len() && gap <= ROUNDING, || {
            format!("not linear: f({a}x + {b}y) is off by {gap:.1e}")
        });
    }
    report
}
