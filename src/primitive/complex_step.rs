//! Derivatives of opaque holomorphic code by a complex step.

use num_complex::Complex;

use super::closures::Closures;
use super::differences::by_components;
use crate::lift::views;
use crate::number::Passive;

/// A primitive for code that also runs on complex numbers, is holomorphic, and is real on the real axis:
/// `ẏ = Im f(x + ihẋ)/h`, exact to rounding (Squire and Trapp, SIAM Review 40, 1998). A tangent takes one call, a
/// cotangent one call for each argument of the active groups. It supports first-order numbers; others return
/// `Unsupported`.
///
/// The step moves the argument with the largest relative change by `10⁻²⁰` of its size, or by `10⁻¹⁰⁰` at zero.
/// Intermediate values below `10⁻³⁰⁸` are lost: a derivative is zero where `10⁻²⁰·xẏ` is that small, as for `x³` at
/// `10⁻¹²⁰`. Code with absolute values, real parts or comparisons is not holomorphic, and gets a wrong derivative.
/// Where the function is not real, as the square root of a negative number, the value is NaN and a derivative returns
/// [`AdError::NotANumber`](crate::AdError::NotANumber).
///
/// ```
/// use wengert::{gradient, primitive::{call, from_complex_step}};
/// let f = from_complex_step("opaque", 1, |x| vec![x[0][0].sin() * x[0][1]]);
/// let g = gradient(|x| call(&f, &[x]).unwrap()[0], &[0.5_f64, 2.0]);
/// assert!((g[0] - 2.0 * 0.5f64.cos()).abs() < 1e-15 && (g[1] - 0.5f64.sin()).abs() < 1e-15);
/// ```
pub fn from_complex_step(
    name: &'static str,
    arity: usize,
    f: impl Fn(&[&[Complex<f64>]]) -> Vec<Complex<f64>> + Clone + Passive + Send + Sync + 'static,
) -> Closures {
    let (value, ahead) = (f.clone(), f.clone());
    let value = move |x: &[&[f64]]| {
        let real = |x: &&[f64]| x.iter().map(|&x| Complex::new(x, 0.0)).collect();
        value(&views(&x.iter().map(real).collect::<Vec<_>>())).into_iter().map(real_part).collect()
    };
    let vjp = move |x: &[&[f64]], dy: &[f64], wanted: &[bool]| {
        by_components(name, x, dy, wanted, |dx| along(&f, x, dx))
    };
    Closures::selective(name, arity, value, move |x, dx| along(&ahead, x, dx), vjp)
}

/// The real part of a number that is real to rounding; NaN otherwise. An infinite result may have a NaN imaginary
/// part.
fn real_part(y: Complex<f64>) -> f64 {
    if y.im.abs() > f64::EPSILON.sqrt() * y.re.abs() { f64::NAN } else { y.re }
}

/// The step relative to the argument, whose square is negligible, and the assumed size of zero.
const STEP: f64 = 1e-20;
const ZERO: f64 = 1e-80;

/// The power of two next below a positive number.
fn power_of_two(x: f64) -> f64 {
    x.log2().floor().exp2()
}

fn along(f: &impl Fn(&[&[Complex<f64>]]) -> Vec<Complex<f64>>, x: &[&[f64]], dx: &[&[f64]]) -> Vec<f64> {
    let tangents = || dx.iter().flat_map(|dx| dx.iter());
    let largest = tangents().fold(0.0, |a: f64, b| a.max(b.abs()));
    let moved = |unit: f64, h: f64| {
        let group = |(x, dx): (&&[f64], &&[f64])| -> Vec<Complex<f64>> {
            x.iter().zip(*dx).map(|(&x, &dx)| Complex::new(x, dx / unit * h)).collect()
        };
        f(&views(&x.iter().zip(dx).map(group).collect::<Vec<_>>()))
    };
    if largest == 0.0 || !tangents().all(|dx| dx.is_finite()) {
        let results = moved(1.0, 0.0).len();
        return vec![if tangents().all(|dx| *dx == 0.0) { 0.0 } else { f64::NAN }; results];
    }
    // By powers of two, so that nothing is rounded: tangents are scaled to size 1 first, whatever their size.
    let unit = power_of_two(largest);
    let size = |x: f64| if x == 0.0 { ZERO } else { x.abs() };
    let room = |(x, dx): (&f64, &f64)| if *dx == 0.0 { f64::INFINITY } else { size(*x) / (dx / unit).abs() };
    let pairs = x.iter().zip(dx).flat_map(|(x, dx)| x.iter().zip(*dx));
    let h =
        power_of_two(STEP * pairs.map(room).fold(f64::MAX, f64::min)).max(f64::MIN_POSITIVE * f64::EPSILON);
    moved(unit, h).iter().map(|y| y.im / h * unit).collect()
}
