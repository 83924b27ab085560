//! Derivatives of opaque code by differences.

use num_complex::Complex;

use super::closures::{Closures, from_both};
use crate::primitive::views;

/// A primitive for code that nothing is known of: tangents by central differences of fourth order, cotangents by
/// one for each argument. About eleven digits of a smooth function; second derivatives get `Unsupported`.
///
/// `ẏ = (8(f₁ − f₋₁) − (f₂ − f₋₂))/12h` with `fₖ = f(x + khẋ)`, and `h` such that the largest component moves by
/// `eps^⅕` of its size, of 1 at zero (Abramowitz and Stegun 25.3.6).
///
/// ```
/// use wengert::{AdError, Dual, gradient, primitive::{call, with_finite_differences}};
/// let f = with_finite_differences("opaque", 1, |x| vec![7.0 * x[0].iter().map(|x| x * x).sum::<f64>()]);
/// let g = gradient(|x| call(&f, &[x]).unwrap()[0], &[3.0_f64, 5.0]);
/// assert!((g[0] - 42.0).abs() < 1e-9 && (g[1] - 70.0).abs() < 1e-9);
/// let nested = call(&f, &[&[Dual::variable(Dual::variable(3.0))]]).unwrap_err();
/// assert_eq!(nested, AdError::Unsupported { op: "opaque", rule: "second order" });
/// ```
pub fn with_finite_differences(
    name: &'static str,
    arity: usize,
    f: impl Fn(&[&[f64]]) -> Vec<f64> + Clone + 'static,
) -> Closures {
    let along = {
        let f = f.clone();
        move |x: &[&[f64]], dx: &[&[f64]]| difference(&f, x, dx)
    };
    let jvp = along.clone();
    from_both(name, arity, f, jvp, move |x, dy| by_components(x, dy, &along))
}

/// A primitive for code that runs on complex numbers as well, and is holomorphic: `ẏ = Im f(x + ihẋ)/h`, exact to
/// rounding (Squire and Trapp, SIAM Review 40, 1998). Second derivatives get `Unsupported`.
///
/// ```
/// use wengert::{gradient, primitive::{call, with_complex_step}};
/// let f = with_complex_step("opaque", 1, |x| vec![x[0][0].sin() * x[0][1]]);
/// let g = gradient(|x| call(&f, &[x]).unwrap()[0], &[0.5_f64, 2.0]);
/// assert!((g[0] - 2.0 * 0.5f64.cos()).abs() < 1e-15 && (g[1] - 0.5f64.sin()).abs() < 1e-15);
/// ```
pub fn with_complex_step(
    name: &'static str,
    arity: usize,
    f: impl Fn(&[&[Complex<f64>]]) -> Vec<Complex<f64>> + Clone + 'static,
) -> Closures {
    let at = move |x: &[&[f64]], dx: &[&[f64]], h: f64| {
        let moved = |(x, dx): (&&[f64], &&[f64])| -> Vec<Complex<f64>> {
            x.iter().zip(*dx).map(|(&x, &dx)| Complex::new(x, h * dx)).collect()
        };
        f(&views(&x.iter().zip(dx).map(moved).collect::<Vec<_>>()))
    };
    let value = {
        let at = at.clone();
        move |x: &[&[f64]]| at(x, x, 0.0).iter().map(|y| y.re).collect()
    };
    let along = move |x: &[&[f64]], dx: &[&[f64]]| {
        let largest = dx.concat().iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return vec![if largest == 0.0 { 0.0 } else { f64::NAN }; at(x, dx, 0.0).len()];
        }
        let h = STEP / largest;
        at(x, dx, h).iter().map(|y| y.im / h).collect()
    };
    let jvp = along.clone();
    from_both(name, arity, value, jvp, move |x, dy| by_components(x, dy, &along))
}

/// A step whose square is nothing beside one, and whose product with derivatives does not vanish.
const STEP: f64 = 1e-100;

/// The derivative along `dx` by five points.
fn difference(f: &impl Fn(&[&[f64]]) -> Vec<f64>, x: &[&[f64]], dx: &[&[f64]]) -> Vec<f64> {
    let pairs = || x.iter().zip(dx).flat_map(|(x, dx)| x.iter().zip(*dx));
    let size = |x: f64| if x == 0.0 { 1.0 } else { x.abs() };
    let relative = pairs().fold(0.0, |most: f64, (&x, dx)| most.max(dx.abs() / size(x)));
    if relative == 0.0 || !relative.is_finite() {
        return vec![if relative == 0.0 { 0.0 } else { f64::NAN }; f(x).len()];
    }
    let h = f64::EPSILON.powf(0.2) / relative;
    let at = |k: f64| {
        let moved = |(x, dx): (&&[f64], &&[f64])| -> Vec<f64> {
            x.iter().zip(*dx).map(|(x, dx)| x + k * h * dx).collect()
        };
        f(&views(&x.iter().zip(dx).map(moved).collect::<Vec<_>>()))
    };
    let [far_below, below, above, far_above] = [-2.0, -1.0, 1.0, 2.0].map(at);
    let slope = |i| (8.0 * (above[i] - below[i]) - (far_above[i] - far_below[i])) / (12.0 * h);
    (0..above.len()).map(slope).collect()
}

/// Cotangents by a derivative along each argument.
fn by_components(
    x: &[&[f64]],
    dy: &[f64],
    along: &impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    let mut directions: Vec<Vec<f64>> = x.iter().map(|x| vec![0.0; x.len()]).collect();
    let mut cotangents = directions.clone();
    for group in 0..x.len() {
        for i in 0..x[group].len() {
            directions[group][i] = 1.0;
            let column = along(x, &views(&directions));
            let terms = column.iter().zip(dy).filter(|(_, dy)| **dy != 0.0);
            cotangents[group][i] = terms.map(|(c, dy)| c * dy).sum();
            directions[group][i] = 0.0;
        }
    }
    cotangents
}
