//! Comparison of rules at `f32` and `f64`.

use super::parts::{C, largest};
use super::report::{Report, short};

/// The accepted difference, relative to each result, and in units of the rounding of its terms.
const APART: f64 = 1e-3;
const ROUNDINGS: f64 = 64.0;
/// Sizes of arguments and of results that leave room for squares and products at `f32`.
const ROOM: f64 = 1e6;
const ROOM_OF_RESULTS: f64 = 1e12;
/// Other points to compare at: a difference at a single point may be a step of the function.
const NEARBY: [f64; 3] = [0.0, 1e-3, -1e-3];

/// Distances, relative to the argument, over which rounding at `f32` is estimated; and the points within each.
const AROUND: [f64; 5] = [2e-6, 1e-5, 1e-4, 1e-3, 1e-2];
const WITHIN: [f64; 8] = [-1.0, -0.71, -0.43, -0.19, 0.23, 0.47, 0.67, 0.97];
/// The larger distances count as long as the results change by no more than this, relative to their sizes.
const CHANGED: f64 = 0.1;
/// The accepted difference, in units of the estimated rounding.
const SAFETY: f64 = 4.0;

/// Rounding hides a fault at zeros of a derivative: the distance to other points, in units of the argument or of one.
const ELSEWHERE: [f64; 2] = [0.0, 0.1];
/// A value, its derivative and the second one.
type Jet = [C; 3];
const NAMES: [&str; 3] = ["value", "derivative", "second derivative"];

/// Whether each part is zero, or within the given room.
fn fits(x: C, room: f64) -> bool {
    [x.re, x.im].iter().all(|part| *part == 0.0 || (room.recip()..=room).contains(&part.abs()))
}

/// A function of one argument at `f32` and `f64`.
type AtBoth<'a> = &'a dyn Fn(C) -> [Jet; 2];

/// Compares a function of one argument at `f32` and `f64`, at the point and elsewhere, where there is room.
pub(super) fn compare(report: &mut Report, reach: f64, what: &str, x: C, both: AtBoth) {
    let steps = ELSEWHERE.map(|step| step * x.norm().max(1.0)).into_iter();
    for at in steps.filter(|step| 1.01 * *step <= reach).map(|step| x + step).filter(|at| fits(*at, ROOM)) {
        let size = size_of(at);
        let nearby = NEARBY.map(|step| at + size * step.clamp(-reach / size, reach / size)).into_iter();
        let Some(found) = nearby.map(|x| agreements(x, both)).collect::<Option<Vec<_>>>() else { continue };
        let [got, want] = both(nearest(at));
        for (i, name) in NAMES.into_iter().enumerate() {
            let is = |kind| move |found: &[Agreement; 3]| found[i] == kind;
            report.demand(!found.iter().all(is(Agreement::Apart)), || {
                format!("the {name}{what} at f32 is {}, at f64 {}", short(got[i].re), short(want[i].re))
            });
            let doubt = format!("rounding at f32 hides the {name}{what}");
            let is_hidden = !found.iter().any(is(Agreement::Near)) && found.iter().any(is(Agreement::Hidden));
            if is_hidden && !report.doubts.contains(&doubt) {
                report.doubts.push(doubt);
            }
        }
    }
}

/// The size of an argument; 1 for zero.
fn size_of(x: C) -> f64 {
    if x.norm() == 0.0 { 1.0 } else { x.norm() }
}

/// How a result at `f32` compares with that at `f64`.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    Near,
    /// They differ by no more than rounding at `f32`, as its values nearby show it.
    Hidden,
    Apart,
}

/// How a value and its derivatives at `f32` and `f64` compare; `None` where there is no room.
fn agreements(x: C, both: AtBoth) -> Option<[Agreement; 3]> {
    let x = nearest(x);
    let [got, want] = both(x);
    if !want.into_iter().all(|y| fits(y, ROOM_OF_RESULTS)) {
        return None;
    }
    let size = size_of(x);
    let [f, d, second] = want.map(|y| y.norm());
    let made_of = [f + size * d, f / size + d + size * second, f / (size * size) + d / size + second];
    let gap = |i: usize| (got[i] - want[i]).norm();
    let allowed = |i: usize| APART * want[i].norm() + ROUNDINGS * f64::from(f32::EPSILON) * made_of[i];
    let is_far = [0, 1, 2].map(|i| gap(i).is_nan() || gap(i) > allowed(i));
    let rounding = if is_far.contains(&true) { rounding(x, both) } else { [0.0; 3] };
    Some([0, 1, 2].map(|i| match is_far[i] {
        false => Agreement::Near,
        true if gap(i) <= allowed(i) + SAFETY * rounding[i] => Agreement::Hidden,
        true => Agreement::Apart,
    }))
}

/// The rounding of results at `f32`: the change of the results at `f64` for a rounding of the argument, and the
/// scatter of the differences of the two types around the point. A fault of a rule changes as little as its results
/// do.
fn rounding(x: C, both: AtBoth) -> [f64; 3] {
    let [got, want] = both(x);
    let mut most = [0.0_f64; 3];
    for (k, radius) in AROUND.into_iter().enumerate() {
        let around = WITHIN.map(|place| both(nearest(x + size_of(x) * radius * place)));
        for i in 0..3 {
            let changed = largest(around.iter().map(|[_, near]| (near[i] - want[i]).norm()));
            if k > 0 && changed > CHANGED * want[i].norm() {
                continue;
            }
            let lost = ROUNDINGS * f64::from(f32::EPSILON) * want[0].norm();
            if i == 0 && changed > lost && around.iter().all(|[near, _]| near[0] == got[0]) {
                return [f64::INFINITY; 3]; // the argument does not reach the value
            }
            let apart = |[single, double]: &[Jet; 2]| single[i] - double[i];
            let scatter = largest(around.iter().map(|near| (apart(near) - (got[i] - want[i])).norm()));
            most[i] = most[i].max(scatter).max(if k == 0 { changed } else { 0.0 });
        }
    }
    most
}

/// The number at `f32`.
pub(super) fn nearest(x: C) -> C {
    C::new(f64::from(x.re as f32), f64::from(x.im as f32))
}
