//! Derivatives of opaque code by differences.

use num_complex::Complex;

use super::closures::Closures;
use crate::number::Passive;
use crate::primitive::views;

/// A primitive for code that nothing is known of: tangents by central differences of fourth order, cotangents by
/// one for each argument of the groups that are wanted. Second derivatives get `Unsupported`.
///
/// `ẏ = (8(f₁ − f₋₁) − (f₂ − f₋₂))/12h` with `fₖ = f(x + khẋ)`, and `h` such that the argument that moves most moves
/// by `eps^⅕` of its size, of 1 at zero (Abramowitz and Stegun 25.3.6): four calls of the function. Where these five
/// points show that `f` bends within the step, or that rounding spoils its differences, shorter or longer steps are
/// tried, four calls each, up to thirteen of them. No step takes an argument to another sign, or to zero.
///
/// The error of a smooth function that is exact to its last digits is a few times `(eps·(|f/ẏ| + |x|)/l)^⅘` of `ẏ`
/// for an argument that moves by 1, `l` being the length over which `f` changes shape (1 for `sin x`), but at most
/// `|x|` (1 at zero). That is eleven digits and more where `f`, `ẏ·x` and `ẏ·l` are of one size, at arguments of
/// any size; eight for `sin x` at 10⁶, or `1 + x` at 10⁻⁶. Where several arguments move, the one that moves most for
/// its size decides the step.
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
    f: impl Fn(&[&[f64]]) -> Vec<f64> + Clone + Passive + 'static,
) -> Closures {
    let along = {
        let f = f.clone();
        move |x: &[&[f64]], dx: &[&[f64]]| difference(&f, x, dx)
    };
    let jvp = along.clone();
    Closures::selective(name, arity, f, jvp, move |x, dy, wanted| by_components(x, dy, wanted, &along))
}

/// A primitive for code that runs on complex numbers as well, and is holomorphic: `ẏ = Im f(x + ihẋ)/h`, exact to
/// rounding (Squire and Trapp, SIAM Review 40, 1998). One call for tangents, for cotangents one for each argument of
/// the groups that are wanted. Second derivatives get `Unsupported`.
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
    f: impl Fn(&[&[Complex<f64>]]) -> Vec<Complex<f64>> + Clone + Passive + 'static,
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
    Closures::selective(name, arity, value, jvp, move |x, dy, wanted| by_components(x, dy, wanted, &along))
}

/// A step whose square is nothing beside one, and whose product with derivatives does not vanish.
const STEP: f64 = 1e-100;

/// The first step of differences relative to the argument, `eps^⅕`; the factors by which it is shortened and
/// lengthened, and how often.
const FIRST: f64 = 7.4e-4;
const SHORTER: (f64, usize) = (0.125, 10);
const LONGER: (f64, usize) = (6.0, 3);

/// A slope is good enough when it is this sure.
const SETTLED: f64 = 1e-10;

/// A slope with estimates of its errors.
#[derive(Clone, Copy)]
struct Slope {
    slope: f64,
    /// By what the points leave unsaid of the function between them.
    bend: f64,
    /// By rounding of the function and its arguments.
    noise: f64,
}

impl Slope {
    /// By the values at `−2h, −h, h, 2h`, where a step is `share` of the argument.
    fn of([far_below, below, above, far_above]: [f64; 4], h: f64, share: f64) -> Slope {
        let coarse = (above - below) / (2.0 * h);
        let slope = (8.0 * (above - below) - (far_above - far_below)) / (12.0 * h);
        // The error of the coarse one is about (h/l)²/6 of the slope, that of the fine one (h/l)⁴/30.
        let apart = (slope - coarse).abs();
        let bend = apart.min(1.2 * apart * apart / slope.abs());
        let most = below.abs().max(above.abs());
        let same = below == above && far_below == far_above && below == far_below;
        let noise = if same { 0.0 } else { f64::EPSILON * (most / h + slope.abs() / share) };
        Slope { slope, bend, noise }
    }
    fn is_settled(&self) -> bool {
        self.bend + self.noise <= SETTLED * self.slope.abs()
    }
    /// Whether a shorter step may do better; also where the values are not finite.
    fn bends(&self) -> bool {
        !self.is_settled() && (self.bend > self.noise || self.bend.is_nan() || self.noise.is_nan())
    }
    fn or_better(&mut self, other: Slope) {
        let (own, others) = (self.bend + self.noise, other.bend + other.noise);
        if others < own || own.is_nan() {
            *self = other;
        }
    }
}

/// The derivative along `dx` by five points.
fn difference(f: &impl Fn(&[&[f64]]) -> Vec<f64>, x: &[&[f64]], dx: &[&[f64]]) -> Vec<f64> {
    let pairs = || x.iter().zip(dx).flat_map(|(x, dx)| x.iter().zip(*dx));
    let size = |x: f64| if x == 0.0 { 1.0 } else { x.abs() };
    let relative = pairs().fold(0.0, |most: f64, (&x, dx)| most.max(dx.abs() / size(x)));
    if relative == 0.0 || !relative.is_finite() {
        return vec![if relative == 0.0 { 0.0 } else { f64::NAN }; f(x).len()];
    }
    let slopes = |share: f64| -> Vec<Slope> {
        let h = share / relative;
        let at = |k: f64| {
            let moved = |(x, dx): (&&[f64], &&[f64])| -> Vec<f64> {
                x.iter().zip(*dx).map(|(x, dx)| x + k * h * dx).collect()
            };
            f(&views(&x.iter().zip(dx).map(moved).collect::<Vec<_>>()))
        };
        let y = [-2.0, -1.0, 1.0, 2.0].map(at);
        (0..y[0].len()).map(|i| Slope::of([0, 1, 2, 3].map(|k| y[k][i]), h, share)).collect()
    };
    let mut best = slopes(FIRST);
    let mut search = |(factor, times): (f64, usize), is_called_for: fn(&Slope) -> bool| {
        let mut share = FIRST;
        for _ in 0..times {
            if !best.iter().any(is_called_for) {
                return;
            }
            share *= factor;
            best.iter_mut().zip(slopes(share)).for_each(|(best, slope)| best.or_better(slope));
        }
    };
    search(SHORTER, Slope::bends);
    search(LONGER, |slope| !slope.is_settled() && !slope.bends());
    best.iter().map(|slope| slope.slope).collect()
}

/// Cotangents of the groups that are wanted by a derivative along each of their arguments.
fn by_components(
    x: &[&[f64]],
    dy: &[f64],
    wanted: &[bool],
    along: &impl Fn(&[&[f64]], &[&[f64]]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    let mut directions: Vec<Vec<f64>> = x.iter().map(|x| vec![0.0; x.len()]).collect();
    let mut cotangents = directions.clone();
    for group in (0..x.len()).filter(|&group| wanted[group]) {
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
