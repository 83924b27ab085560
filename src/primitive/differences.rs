//! Derivatives of opaque code by differences.

use super::closures::Closures;
use super::demand_len;
use super::slopes::slopes;
use crate::lift::views;
use crate::number::Passive;

/// A primitive for code that nothing is known of: tangents by central differences of fourth order, cotangents by
/// one for each argument of the groups that are wanted. Second derivatives get `Unsupported`, as do nested numbers
/// that need none.
///
/// `ẏ = (8(f₁ − f₋₁) − (f₂ − f₋₂))/12h` with `fₖ = f(x + khẋ)`, and `h` such that the argument that moves most moves
/// by `eps^⅕` of its size, of 1 at zero (Abramowitz and Stegun 25.3.6), and the same for `2h`: six calls of the
/// function beside `x`, and one there. Where these points show that `f` bends within the step, or that its values have
/// errors, shorter or longer steps are tried, six calls each, up to thirteen of them; one longer step where `f` does
/// not move at all. No step takes an argument to another sign, or to zero: the longest take it a third of the way.
///
/// The error of a smooth function is a few times `(η(|f/ẏ| + |x|)/l)^⅘` of `ẏ` for an argument that moves by 1, `η`
/// being eps where values are exact to their last digits, and `l` the length over which `f` changes shape (1 for
/// `sin x`), but at most `|x|` (1 at zero). That is eleven digits and more where `f`, `ẏ·x` and `ẏ·l` are of one size, at
/// arguments of any size; eight for `sin x` at 10⁶, or `1 + x` at 10⁻⁶. Where several arguments move, the one that
/// moves most for its size decides the step.
///
/// Code that is less exact (over f32, of rounded values, of iterations that stop early) has an `η` of its own, the
/// error of its values relative to them; it shows where slopes of different steps disagree. Mostly the error of the
/// slope is within ten times the same, now and then forty times; a tenth of the slope where the values are so coarse that
/// a thousandth of the argument moves them by less than their unit. Code that has one value up to a tenth of the
/// argument to both sides has the slope 0, as has code beside a kink where it is constant.
///
/// # Panics
/// If the function gives another number of results at points beside `x`, with the name and both numbers.
///
/// ```
/// use wengert::{AdError, Dual, gradient, primitive::{call, with_finite_differences}};
/// let sum = |x: &[f64]| 7.0 * x.iter().map(|x| x * x).sum::<f64>();
/// let f = with_finite_differences("opaque", 1, move |x| vec![sum(x[0])]);
/// let g = gradient(|x| call(&f, &[x]).unwrap()[0], &[3.0_f64, 5.0]);
/// assert!((g[0] - 42.0).abs() < 1e-9 && (g[1] - 70.0).abs() < 1e-9);
/// let nested = call(&f, &[&[Dual::variable(Dual::variable(3.0))]]).unwrap_err();
/// assert_eq!(nested, AdError::Unsupported { op: "opaque", rule: "second order" });
/// ```
pub fn with_finite_differences(
    name: &'static str,
    arity: usize,
    f: impl Fn(&[&[f64]]) -> Vec<f64> + Clone + Passive + 'static,
) -> Closures {
    let (value, ahead) = (f.clone(), f.clone());
    let jvp = move |x: &[&[f64]], dx: &[&[f64]]| difference(name, &ahead, x, dx, &ahead(x));
    let vjp = move |x: &[&[f64]], dy: &[f64], wanted: &[bool]| {
        let here = f(x);
        by_components(name, x, dy, wanted, |dx| difference(name, &f, x, dx, &here))
    };
    Closures::selective(name, arity, value, jvp, vjp)
}

/// The derivative along `dx` by differences, where the results are known.
fn difference(
    name: &'static str,
    f: &impl Fn(&[&[f64]]) -> Vec<f64>,
    x: &[&[f64]],
    dx: &[&[f64]],
    here: &[f64],
) -> Vec<f64> {
    let pairs = || x.iter().zip(dx).flat_map(|(x, dx)| x.iter().zip(*dx));
    let size = |x: f64| if x == 0.0 { 1.0 } else { x.abs() };
    let relative = pairs().fold(0.0, |most: f64, (&x, dx)| most.max(dx.abs() / size(x)));
    if relative == 0.0 || !relative.is_finite() {
        return vec![if relative == 0.0 { 0.0 } else { f64::NAN }; here.len()];
    }
    slopes(here, |share| {
        let h = share / relative;
        let at = |k: f64| {
            let moved = |(x, dx): (&&[f64], &&[f64])| -> Vec<f64> {
                x.iter().zip(*dx).map(|(x, dx)| x + k * h * dx).collect()
            };
            let y = f(&views(&x.iter().zip(dx).map(moved).collect::<Vec<_>>()));
            demand_len(name, "list of results at a point beside the argument", here.len(), y.len());
            y
        };
        (h, [-4.0, -2.0, -1.0, 1.0, 2.0, 4.0].map(at))
    })
}

/// Cotangents of the groups that are wanted by a derivative along each of their arguments.
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
            demand_len(name, "list of results at a point beside the argument", dy.len(), column.len());
            let terms = column.iter().zip(dy).filter(|(_, dy)| **dy != 0.0);
            cotangents[group][i] = terms.map(|(c, dy)| c * dy).sum();
            directions[group][i] = 0.0;
        }
    }
    cotangents
}
