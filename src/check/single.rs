//! Comparison of rules at `f32` and `f64`.

use super::ladder::C;
use super::report::{Report, short};
use super::subject::{RuleSubject, unit};

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

/// Compares a function of one argument at `f32` and `f64`, at the point and elsewhere, where there is room.
fn hold(report: &mut Report, reach: f64, what: &str, x: C, [single, double]: [&dyn Fn(C) -> Jet; 2]) {
    for step in
        ELSEWHERE.map(|step| step * x.norm().max(1.0)).into_iter().filter(|step| 1.01 * *step <= reach)
    {
        let at = x + step;
        if !fits(at, ROOM) {
            continue;
        }
        let size = if at.norm() == 0.0 { 1.0 } else { at.norm() };
        let nearby = NEARBY.map(|step| at + size * step.clamp(-reach / size, reach / size));
        let Some(apart) =
            nearby.map(|x| differences(x, single, double)).into_iter().collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        for (i, name) in NAMES.into_iter().enumerate() {
            report.demand(!apart.iter().all(|a| a[i].kind == Agreement::Apart), || {
                let (got, want) = (short(apart[0][i].got.re), short(apart[0][i].want.re));
                format!("the {name}{what} at f32 is {got}, at f64 {want}")
            });
            let doubt = format!("rounding at f32 hides the {name}{what}");
            if apart.iter().all(|a| a[i].kind != Agreement::Near)
                && apart.iter().any(|a| a[i].kind == Agreement::Hidden)
                && !report.doubts.contains(&doubt)
            {
                report.doubts.push(doubt);
            }
        }
    }
}

/// How a result at `f32` compares with that at `f64`.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    Near,
    /// They differ by no more than rounding at `f32`, as its values nearby show it.
    Hidden,
    Apart,
}

#[derive(Clone, Copy)]
struct FloatPair {
    got: C,
    want: C,
    kind: Agreement,
}

/// The differences of a value and its derivatives at `f32` and `f64`; none where there is no room.
fn differences(x: C, single: &dyn Fn(C) -> Jet, double: &dyn Fn(C) -> Jet) -> Option<[FloatPair; 3]> {
    let x = nearest(x);
    let (got, want) = (single(x), double(x));
    if !want.into_iter().all(|y| fits(y, ROOM_OF_RESULTS)) {
        return None;
    }
    let size = if x.norm() == 0.0 { 1.0 } else { x.norm() };
    let [f, d, second] = want.map(|y| y.norm());
    let made_of = [f + size * d, f / size + d + size * second, f / (size * size) + d / size + second];
    let gaps = [0, 1, 2].map(|i| (got[i] - want[i]).norm());
    let allowed =
        [0, 1, 2].map(|i| APART * want[i].norm() + ROUNDINGS * f64::from(f32::EPSILON) * made_of[i]);
    let far = [0, 1, 2].map(|i| gaps[i].is_nan() || gaps[i] > allowed[i]);
    let rounding = if far.contains(&true) { rounding(x, size, single, double) } else { [0.0; 3] };
    Some([0, 1, 2].map(|i| {
        let kind = match far[i] {
            false => Agreement::Near,
            true if gaps[i] <= allowed[i] + SAFETY * rounding[i] => Agreement::Hidden,
            true => Agreement::Apart,
        };
        FloatPair { got: got[i], want: want[i], kind }
    }))
}

/// The rounding of results at `f32`: the change of the results at `f64` for a rounding of the argument, and the
/// scatter of the differences of the two types around the point. A fault of a rule changes as little as its results
/// do.
fn rounding(x: C, size: f64, single: &dyn Fn(C) -> Jet, double: &dyn Fn(C) -> Jet) -> [f64; 3] {
    let gap = |x: C| {
        let (got, want) = (single(x), double(x));
        [0, 1, 2].map(|i| got[i] - want[i])
    };
    let (here, want, single_here) = (gap(x), double(x), single(x)[0]);
    let mut most = [0.0_f64; 3];
    for (k, radius) in AROUND.into_iter().enumerate() {
        let around = WITHIN.map(|place| nearest(x + size * radius * place));
        for i in 0..3 {
            let changed = around.iter().fold(0.0, |m: f64, &x| m.max((double(x)[i] - want[i]).norm()));
            if k > 0 && changed > CHANGED * want[i].norm() {
                continue;
            }
            let lost = ROUNDINGS * f64::from(f32::EPSILON) * want[0].norm();
            if i == 0 && changed > lost && around.iter().all(|&x| single(x)[0] == single_here) {
                return [f64::INFINITY; 3]; // the argument does not reach the value
            }
            let scatter = around.iter().fold(0.0, |m: f64, &x| m.max((gap(x)[i] - here[i]).norm()));
            most[i] = most[i].max(scatter).max(if k == 0 { changed } else { 0.0 });
        }
    }
    most
}

/// The number at `f32`.
fn nearest(x: C) -> C {
    C::new(f64::from(x.re as f32), f64::from(x.im as f32))
}

/// Compares a rule along each of its arguments.
pub(super) fn compare(report: &mut Report, reach: f64, rule: &dyn RuleSubject, x: [C; 2]) {
    for place in 0..rule.arguments() {
        let what = if rule.arguments() == 1 { "" } else { [" in the first", " in the second"][place] };
        // Both see the nearest single of the other argument.
        let at = |moved: C| [0, 1].map(|i| if i == place { moved } else { nearest(x[i]) });
        let along = unit(place, C::new(1.0, 0.0));
        let single = |x: C| rule.single_jet(at(x), along, along);
        let double = |x: C| rule.jet(at(x), along, along);
        hold(report, reach, what, x[place], [&single, &double]);
    }
}
