//! Linear maps: their two directions, and linearity.

use super::Check;
use super::adjoint::{APART, SAFETY};
use super::parts::{has_nan, largest_distance, parts};
use super::report::{Report, keep_largest};
use super::sample::{Sample, shaken};
use super::subject::ArgumentGroups;
use crate::linear_map::LinearMap;
use crate::number::Number;

/// Checks that the two directions of a map are adjoint: `⟨ȳ, Jẋ⟩ = ⟨Jᴴȳ, ẋ⟩` with `⟨a, b⟩ = Re Σ āᵢbᵢ`, for each
/// group and for all groups together. Also checks that `apply` overwrites and `apply_transpose_add` adds. `inputs` are
/// the lengths of the groups.
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
///     fn apply_transpose_add(&self, y: &[Complex64], x: &mut [Option<&mut [Complex64]>]) {
///         let i = Complex64::i();
///         x[0].as_mut().unwrap()[0] += if self.conjugated { i.conj() } else { i } * y[0]
///     }
/// }
/// check::adjoint(&Turn { conjugated: true }, &[1], 1).assert_ok();
/// let report = check::adjoint(&Turn { conjugated: false }, &[1], 1);
/// assert_eq!(report.verdict(), Verdict::Wrong);
/// ```
pub fn adjoint<T: Number, M: LinearMap<T>>(map: &M, inputs: &[usize], outputs: usize) -> Report {
    Check::new().adjoint(map, inputs, outputs)
}

/// Checks that a map is linear: `J(αẋ + βẏ) = αJẋ + βJẏ` for real α and β. A map of complex numbers need only be
/// linear over the real numbers, as conjugation is.
/// ```
/// use wengert::{LinearMap, check::{self, Verdict}};
/// /// y = 2x + shift.
/// struct Affine { shift: f64 }
/// impl LinearMap<f64> for Affine {
///     fn apply(&self, x: &[Option<&[f64]>], y: &mut [f64]) {
///         y[0] = x[0].map_or(0.0, |x| 2.0 * x[0]) + self.shift
///     }
///     fn apply_transpose_add(&self, y: &[f64], x: &mut [Option<&mut [f64]>]) {
///         if let Some(x) = &mut x[0] { x[0] += 2.0 * y[0] }
///     }
/// }
/// check::linear(&Affine { shift: 0.0 }, &[1], 1).assert_ok();
/// let report = check::linear(&Affine { shift: 1.0 }, &[1], 1);
/// assert_eq!(report.verdict(), Verdict::Wrong);
/// ```
pub fn linear<T: Number, M: LinearMap<T>>(map: &M, inputs: &[usize], outputs: usize) -> Report {
    Check::new().linear(map, inputs, outputs)
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
    Check::new().linear_function(f, n)
}

impl Check {
    /// Like [`check::linear`](super::linear), with this tolerance.
    ///
    /// # Panics
    /// If a longest step or a reference is set: they do not apply to a linear map.
    #[track_caller]
    pub fn linear<T: Number, M: LinearMap<T>>(&self, map: &M, inputs: &[usize], outputs: usize) -> Report {
        self.refuse_steps("linear");
        let groups = ArgumentGroups::new(inputs.iter().copied());
        let apply = |x: &[T]| groups.apply(map, x, vec![T::lit(0.0); outputs]);
        self.linearity(map.name(), groups.total(), apply)
    }
    /// Like [`check::linear_function`](super::linear_function), with this tolerance.
    ///
    /// # Panics
    /// As for [`linear`](Check::linear).
    #[track_caller]
    pub fn linear_function<T: Number>(&self, f: impl Fn(&[T]) -> Vec<T>, n: usize) -> Report {
        self.refuse_steps("linear_function");
        self.linearity("function", n, f)
    }
    fn linearity<T: Number>(&self, name: &str, n: usize, f: impl Fn(&[T]) -> Vec<T>) -> Report {
        let mut report = Report::new(name);
        let mut sample = Sample::new();
        // The last pair has another size.
        for [a, b] in [[0.75, -1.25], [-0.5, 0.25], [1.0, 2.0], [4096.0, -0.5]] {
            let [x, y]: [Vec<T>; 2] = [sample.numbers(n), sample.numbers(n)];
            let (fx, fy, got) = (f(&x), f(&y), f(&combined(a, &x, b, &y)));
            let nearby = [&x, &y].map(|x| f(&shaken(x)));
            let numbers = [&fx, &fy, &got, &nearby[0], &nearby[1]].map(|y| y.len());
            report.demand(numbers == [fx.len(); 5], || "the number of results varies".into());
            let shared = numbers.into_iter().min().unwrap_or(0);
            let want = combined(a, &fx, b, &fy);
            let is_finite = |i: usize| [&fx, &fy, &got, &want].iter().all(|y| y[i].all_finite());
            report.note_non_finite((0..shared).map(is_finite));
            let gap = |i: usize| {
                let rounding = distance(fx[i], nearby[0][i], a).max(distance(fy[i], nearby[1][i], b));
                let rounding = if rounding.is_finite() { rounding } else { 0.0 };
                let none = T::lit(0.0);
                let size = distance(fx[i], none, a).max(distance(fy[i], none, b)).max(f64::MIN_POSITIVE);
                (distance(got[i], want[i], 1.0) - SAFETY * rounding).max(0.0) / size
            };
            for i in (0..shared).filter(|i| !is_open(want[*i], got[*i])) {
                let gap = if has_nan(got[i]) { f64::INFINITY } else { gap(i) };
                keep_largest(&mut report.linearity, gap);
                report.demand(gap <= self.limit(APART), || {
                    format!("not linear: result {i} of f({a}x + {b}y) is off by {gap:.1e}")
                });
            }
        }
        report
    }
}

fn combined<T: Number>(a: f64, x: &[T], b: f64, y: &[T]) -> Vec<T> {
    x.iter().zip(y).map(|(&x, &y)| x * T::lit(a) + y * T::lit(b)).collect()
}

/// The largest part of `(x − y)·by`; infinite if it is NaN.
fn distance<T: Number>(x: T, y: T, by: f64) -> f64 {
    largest_distance(&parts(x), &parts(y)) * by.abs()
}

/// Whether infinities leave the result undetermined. A linear map does not return NaN for finite numbers.
fn is_open<T: Number>(want: T, got: T) -> bool {
    !want.all_finite() && !got.all_finite() && !has_nan(got)
}
