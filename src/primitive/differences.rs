//! Derivatives of opaque code by finite differences.

use super::closures::Closures;
use super::slopes::{FIRST, SteppedSlope, slopes};
use crate::error::demand_len;
use crate::lift::views;
use crate::number::Passive;

/// A primitive for code without a known derivative. A tangent is a central difference of fourth order; a cotangent
/// takes one such difference for each argument of the active groups. It supports first-order numbers; others return
/// `Unsupported`.
///
/// `ẏ = (8(f₁ − f₋₁) − (f₂ − f₋₂))/12h` with `fₖ = f(x + khẋ)` (Abramowitz and Stegun 25.3.6), and likewise for `2h`:
/// six calls of the function near `x`, and one at `x`. The step `h` moves the argument with the largest relative
/// change by `eps^⅕` of its size, or of 1 at zero. If these points show that `f` bends within the step, or that its
/// values have errors, shorter or longer steps are tried: up to thirteen, with six calls each, and one longer step if
/// `f` does not change at all. No step changes the sign of an argument or makes it zero.
///
/// Arguments below 0.01 may need still longer steps, as in `1 + x`. If digits are missing there, also of a constant
/// result, the search is repeated with one-sided steps away from zero that are as long as for the argument 1. So `f` may
/// be called at arguments up to ⅓ larger. A derivative from these steps is taken if it agrees with the other one, has
/// more digits, and an error of at most 10⁻⁶.
///
/// For a smooth function and an argument that moves by 1, the relative error of `ẏ` is a few times `(η(|f/ẏ| +
/// |x|)/l)^⅘`. Here `η` is the relative error of the values, eps if they are accurate to rounding, and `l` is the
/// length over which `f` changes shape (1 for `sin x`), at most `max(|x|, 1)`. This gives eleven digits or more
/// if `f`, `ẏ·x` and `ẏ·l` have similar size, at arguments of any size; eight digits for `sin x` at 10⁶.
/// One-sided steps cost up to two digits. If several arguments move, the one with the largest relative change determines the step.
///
/// If an argument is so near the largest float that the first step leaves the range, it is moved to the other side
/// only, which costs up to two digits.
///
/// Less accurate code (over f32, of rounded values, of iterations that stop early) has a larger `η`; derivatives from
/// different steps that disagree reveal it. The error of the derivative is then usually within ten times the formula,
/// occasionally forty times. It is a tenth of the derivative if the values are so coarse that a thousandth of the
/// argument (or of 1) changes them by less than their unit. The derivative is 0 if the code has the same value up to a
/// tenth of the argument to both sides (and, near zero, is not smooth farther out), or at a kink if the code is constant
/// on one side of it.
///
/// # Panics
/// If the function returns another number of results at points near `x`. The message has the name and both numbers.
///
/// ```
/// use wengert::{AdError, Dual, gradient, primitive::{call, from_finite_differences}};
/// let sum = |x: &[f64]| 7.0 * x.iter().map(|x| x * x).sum::<f64>();
/// let f = from_finite_differences("opaque", 1, move |x| vec![sum(x[0])]);
/// let g = gradient(|x| call(&f, &[x]).unwrap()[0], &[3.0_f64, 5.0]);
/// assert!((g[0] - 42.0).abs() < 1e-9 && (g[1] - 70.0).abs() < 1e-9);
/// let nested = call(&f, &[&[Dual::variable(Dual::variable(3.0))]]).unwrap_err();
/// assert_eq!(nested, AdError::Unsupported { op: "opaque", rule: "second order" });
/// ```
pub fn from_finite_differences(
    name: &'static str,
    arity: usize,
    f: impl Fn(&[&[f64]]) -> Vec<f64> + Clone + Passive + Send + Sync + 'static,
) -> Closures {
    let (value, ahead) = (f.clone(), f.clone());
    let jvp = move |x: &[&[f64]], dx: &[&[f64]]| OpaqueLine { name, f: &ahead, x, dx }.difference(&ahead(x));
    let vjp = move |x: &[&[f64]], dy: &[f64], wanted: &[bool]| {
        let here = f(x);
        by_components(name, x, dy, wanted, |dx| OpaqueLine { name, f: &f, x, dx }.difference(&here))
    };
    Closures::selective(name, arity, value, jvp, vjp)
}

/// An opaque function at a point, along a direction.
struct OpaqueLine<'a, F> {
    name: &'static str,
    f: &'a F,
    x: &'a [&'a [f64]],
    dx: &'a [&'a [f64]],
}

impl<F: Fn(&[&[f64]]) -> Vec<f64>> OpaqueLine<'_, F> {
    /// The derivative along `dx` by differences, where the results are known.
    fn difference(&self, here: &[f64]) -> Vec<f64> {
        let relative = self.relative(0.0);
        if relative == 0.0 || !relative.is_finite() {
            return vec![if relative == 0.0 { 0.0 } else { f64::NAN }; here.len()];
        }
        // An argument near the largest float has room on one side only.
        let over = |k: f64| {
            let h = 4.0 * FIRST / relative;
            self.pairs().any(|(x, dx)| x.is_finite() && !(x + k * h * dx).is_finite())
        };
        let slopes = match (over(1.0), over(-1.0)) {
            (false, false) => slopes(here, |share| {
                let h = share / relative;
                (h, [-4.0, -2.0, -1.0, 1.0, 2.0, 4.0].map(|k| self.near(k * h, here.len())))
            }),
            (true, false) => self.one_sided(here, -1.0, relative),
            (false, true) => self.one_sided(here, 1.0, relative),
            (true, true) => return self.by_sides(here),
        };
        // Arguments near zero have room away from it, for steps so much longer that the poorer formula pays.
        let side = if self.relative(1.0) <= self.relative(-1.0) { 1.0 } else { -1.0 };
        let outwards = self.relative(side);
        if 100.0 * outwards > relative || !slopes.iter().any(SteppedSlope::is_rough) {
            return slopes.iter().map(|slope| slope.slope).collect();
        }
        let others = self.one_sided(here, side, outwards);
        slopes.iter().zip(others).map(|(slope, other)| slope.or(other).slope).collect()
    }
    /// Each argument with its tangent.
    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> {
        self.x.iter().zip(self.dx).flat_map(|(x, dx)| x.iter().copied().zip(dx.iter().copied()))
    }
    /// The largest change of an argument relative to its size, 1 at zero. If all steps are to one side, the size is at
    /// least 1 for arguments that move away from zero.
    fn relative(&self, side: f64) -> f64 {
        let size = |x: f64, dx: f64| match x.abs() {
            0.0 => 1.0,
            size if x.signum() == side * dx.signum() => size.max(1.0),
            size => size,
        };
        self.pairs().fold(0.0, |most, (x, dx)| most.max(dx.abs() / size(x, dx)))
    }
    /// The derivative by points on one side, `side` times the direction. Values on the other side come from the
    /// polynomial of fourth order, for which the formula is exact. They are in units in which they do not overflow.
    fn one_sided(&self, here: &[f64], side: f64, relative: f64) -> Vec<SteppedSlope> {
        const UNIT: f64 = 1024.0;
        let small: Vec<f64> = here.iter().map(|y| y / UNIT).collect();
        let mut slopes = slopes(&small, |share| {
            let h = share / relative;
            let at = |k: f64| self.near(k * side * h, here.len());
            let [one, two, three, four] =
                [1.0, 2.0, 3.0, 4.0].map(|k| at(k).iter().map(|y| y / UNIT).collect::<Vec<_>>());
            let by = |w: [f64; 5]| -> Vec<f64> {
                let terms = |i: usize| [small[i], one[i], two[i], three[i], four[i]];
                (0..small.len()).map(|i| terms(i).iter().zip(w).map(|(y, w)| w * y).sum()).collect()
            };
            let behind = [
                by([70.0, -224.0, 280.0, -160.0, 35.0]),
                by([15.0, -40.0, 45.0, -24.0, 5.0]),
                by([5.0, -10.0, 10.0, -5.0, 1.0]),
            ];
            let [far, middle, near] = behind;
            (h, [far, middle, near, one, two, four])
        });
        slopes.iter_mut().for_each(|at| at.slope *= side * UNIT);
        slopes
    }
    /// The derivative along a direction that leads out of the range both ways: the sum of those along its two parts.
    fn by_sides(&self, here: &[f64]) -> Vec<f64> {
        let part = |outwards: bool| -> Vec<f64> {
            let keep = |(x, dx): (&f64, &f64)| if (x * dx > 0.0) == outwards { *dx } else { 0.0 };
            let dx: Vec<Vec<f64>> =
                self.x.iter().zip(self.dx).map(|(x, dx)| x.iter().zip(*dx).map(keep).collect()).collect();
            OpaqueLine { name: self.name, f: self.f, x: self.x, dx: &views(&dx) }.difference(here)
        };
        part(true).iter().zip(part(false)).map(|(a, b)| a + b).collect()
    }
    /// The results at the argument moved by `h` in a direction.
    fn near(&self, h: f64, results: usize) -> Vec<f64> {
        let OpaqueLine { name, f, x, dx } = *self;
        let moved =
            |(x, dx): (&&[f64], &&[f64])| x.iter().zip(*dx).map(|(x, dx)| x + h * dx).collect::<Vec<_>>();
        let y = f(&views(&x.iter().zip(dx).map(moved).collect::<Vec<_>>()));
        demand_len(name, "list of results near the argument", results, y.len());
        y
    }
}

/// Cotangents of the active groups by a derivative along each of their arguments.
pub(super) fn by_components(
    name: &'static str,
    x: &[&[f64]],
    dy: &[f64],
    wanted: &[bool],
    along: impl Fn(&[&[f64]]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    let mut directions: Vec<Vec<f64>> = x.iter().map(|x| vec![0.0; x.len()]).collect();
    let mut cotangents = directions.clone();
    for group in (0..x.len()).filter(|&group| wanted[group]) {
        for i in 0..x[group].len() {
            directions[group][i] = 1.0;
            let column = along(&views(&directions));
            demand_len(name, "list of results near the argument", dy.len(), column.len());
            let terms = column.iter().zip(dy).filter(|(_, dy)| **dy != 0.0);
            cotangents[group][i] = terms.map(|(c, dy)| c * dy).sum();
            directions[group][i] = 0.0;
        }
    }
    cotangents
}
