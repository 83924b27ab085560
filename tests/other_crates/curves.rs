//! Curves: bspline (`Float`), easer (`Float + FloatConst`), interp (`Num + PartialOrd`), polynomial (`Zero +
//! Mul`, `Div`, `Neg`), with the derivatives that textbooks give for them.

use super::derivatives::Case;
use bspline::BSpline;
use easer::functions::{Back, Bounce, Circ, Easing, Elastic, Expo, Quint, Sine};
use interp::{InterpMode, interp};
use num_traits::{Float, FloatConst, Num};
use polynomial::Polynomial;
use std::f64::consts::{FRAC_PI_2, LN_2, PI};
use std::ops::{Div, Neg, Sub};

const KNOTS: [f64; 10] = [0.0, 0.0, 0.0, 0.0, 0.5, 1.25, 2.0, 2.0, 2.0, 2.0];

/// A cubic spline on [`KNOTS`]: the parameter and six control points.
fn cubic_spline<T: Float>(x: &[T]) -> Vec<T> {
    let knots = KNOTS.map(|k| T::from(k).unwrap());
    vec![BSpline::new(3, x[1..].to_vec(), knots.to_vec()).point(x[0])]
}

/// The control points and knots of a spline's derivative: `p·(Pᵢ₊₁ − Pᵢ)/(uᵢ₊ₚ₊₁ − uᵢ₊₁)`.
fn hodograph(degree: usize, points: &[f64], knots: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let span = |i: usize| (knots[i + degree + 1] - knots[i + 1]) / degree as f64;
    let points = points.windows(2).enumerate().map(|(i, p)| (p[1] - p[0]) / span(i)).collect();
    (points, knots[1..knots.len() - 1].to_vec())
}

/// The derivatives of a spline with respect to its parameter are the splines of its hodographs. A spline is linear in
/// its control points. If they move along `v`, it changes by the spline of `v`, and by 1 if all of them move by 1.
#[test]
fn splines() {
    let points = [1.0, -0.5, 2.0, 3.5, -1.0, 0.25];
    let moved = [0.0, 1.0, -2.0, 0.5, 3.0, -1.0, 0.25];
    for t in [0.125, 0.75, 1.5] {
        let x: Vec<f64> = [t].into_iter().chain(points).collect();
        let (first, knots) = hodograph(3, &points, &KNOTS);
        let (second, knots2) = hodograph(2, &first, &knots);
        let (first, second) =
            (BSpline::new(2, first, knots).point(t), BSpline::new(1, second, knots2).point(t));
        let along_t = Case::new("bspline t", &x, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        every_type!(cubic_spline, along_t.first([first], 8.0).second([second], 16.0));
        let unity = Case::new("bspline unity", &x, &[0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        every_type!(cubic_spline, unity.first([1.0], 2.0).second([0.0], 0.0));
        let along_points = Case::new("bspline points", &x, &moved);
        let want = BSpline::new(3, moved[1..].to_vec(), KNOTS.to_vec()).point(t);
        every_type!(cubic_spline, along_points.first([want], 4.0).second([0.0], 0.0));
    }
}

/// Six easings at `(t, b, c, d)`, in one form.
macro_rules! easings {
    ($($name:ident)*) => {$(
        fn $name<T: Float + FloatConst>(x: &[T]) -> Vec<T> {
            let (t, b, c, d) = (x[0], x[1], x[2], x[3]);
            vec![
                Sine::$name(t, b, c, d),
                Circ::$name(t, b, c, d),
                Expo::$name(t, b, c, d),
                Elastic::$name(t, b, c, d),
                Back::$name(t, b, c, d),
                Quint::$name(t, b, c, d),
            ]
        }
    )*};
}
easings!(ease_in ease_out);

/// First and second derivative of the easings in `t`, for `c = d = 1`.
fn easing_derivatives(t: f64) -> [[f64; 6]; 2] {
    let (root, k) = ((1.0 - t * t).sqrt(), 10.0 * LN_2);
    let g = (k * (t - 1.0)).exp();
    // Elastic: −2^(10(t−1))·sin θ with θ = (t − 1 − p/4)·w, period p = 0.3.
    let (w, s) = (2.0 * PI / 0.3, 1.70158);
    let (sin, cos) = ((t - 1.0) * w - FRAC_PI_2).sin_cos();
    let first = [
        FRAC_PI_2 * (FRAC_PI_2 * t).sin(),
        t / root,
        k * g,
        -g * (k * sin + w * cos),
        3.0 * (s + 1.0) * t * t - 2.0 * s * t,
        5.0 * t.powi(4),
    ];
    let second = [
        FRAC_PI_2 * FRAC_PI_2 * (FRAC_PI_2 * t).cos(),
        root.powi(-3),
        k * k * g,
        -g * ((k * k - w * w) * sin + 2.0 * k * w * cos),
        6.0 * (s + 1.0) * t - 2.0 * s,
        20.0 * t.powi(3),
    ];
    [first, second]
}

/// Easings in closed form, and `out(t) = 2b + c − in(d − t)`. The elastic one turns its phase θ, up to 21,
/// into an error of that many eps.
#[test]
fn easings() {
    for t in [0.375, 0.6875] {
        let (at, v) = ([t, 0.5, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]);
        let [first, second] = easing_derivatives(t);
        every_type!(ease_in, Case::new("easer in", &at, &v).first(first, 32.0).second(second, 32.0));
        let [first, second] = easing_derivatives(1.0 - t);
        let second = second.map(|s| -s);
        every_type!(ease_out, Case::new("easer out", &at, &v).first(first, 32.0).second(second, 32.0));
    }
}

fn bounce<T: Float>(x: &[T]) -> Vec<T> {
    vec![Bounce::ease_out(x[0], T::zero(), x[1], T::one())]
}

/// A bounce is four parabolas `121/16·(t − t₀)²`, scaled by the second argument: the branch taken counts.
#[test]
fn bounces() {
    for (t, start) in [(0.25, 0.0), (0.5, 1.5 / 2.75), (0.75, 2.25 / 2.75), (0.9375, 2.625 / 2.75)] {
        let a = 121.0 / 16.0;
        let case = Case::new("easer bounce", &[t, 3.0], &[1.0, 0.0]);
        let case = case.first([6.0 * a * (t - start)], 4.0).second([6.0 * a], 2.0);
        every_type!(bounce, case.scales([6.0 * a, 0.0])); // t − t₀ cancels
    }
}

/// Four points, and where to interpolate between them.
fn interpolated<T: Num + PartialOrd + Copy>(x: &[T]) -> Vec<T> {
    let mode = InterpMode::default();
    vec![interp(&x[0..4], &x[4..8], x[8], &mode)]
}

/// `y(x) = yᵢ + s·(x − xᵢ)`. The derivative along x is `s`, the derivatives along the ordinates are the weights, and
/// the derivative along a knot is `−s` times its weight. All numbers are short binary fractions, so all results are
/// exact.
#[test]
fn interpolation() {
    let at = [0.0, 1.0, 3.0, 4.0, 2.0, -1.0, 5.0, 0.5, 1.5];
    let (slope, weight) = (3.0, 0.25); // between the second and the third point
    let unit = |i: usize, d: f64| std::array::from_fn::<f64, 9, _>(|j| if i == j { d } else { 0.0 });
    for (i, want) in [
        (0, 0.0),
        (1, -slope * (1.0 - weight)),
        (2, -slope * weight),
        (4, 0.0),
        (5, 1.0 - weight),
        (6, weight),
        (7, 0.0),
        (8, slope),
    ] {
        every_type!(interpolated, Case::new("interp", &at, &unit(i, 1.0)).first([want], 0.0));
    }
}

/// The polynomial with the coefficients `x[1..]` at `x[0]`.
fn horner<T: Num + Clone>(x: &[T]) -> Vec<T> {
    vec![Polynomial::new(x[1..].to_vec()).eval(x[0].clone())]
}

/// The polynomial through (0, y₀), (1, y₁), (2, y₂) at `x[0]`.
fn lagrange<T: Num + Clone + Neg<Output = T> + Div<Output = T> + Sub<Output = T>>(x: &[T]) -> Vec<T> {
    let nodes = [T::zero(), T::one(), T::one() + T::one()];
    vec![Polynomial::lagrange(&nodes, &x[1..]).unwrap().eval(x[0].clone())]
}

/// Small integers: every result is exact.
#[test]
fn polynomials() {
    // 2 − 3x + 5x² + 7x³ at −2: p′ = −3 + 10x + 21x², p″ = 10 + 42x.
    let at = [-2.0, 2.0, -3.0, 5.0, 7.0];
    let along_x = Case::new("polynomial x", &at, &[1.0, 0.0, 0.0, 0.0, 0.0]);
    every_type!(horner, along_x.first([61.0], 0.0).second([-74.0], 0.0));
    let along_c = Case::new("polynomial coefficients", &at, &[0.0, 1.0, 10.0, 100.0, 1000.0]);
    every_type!(horner, along_c.first([1.0 - 20.0 + 400.0 - 8000.0], 0.0).second([0.0], 0.0));
    // Both together: 2 Σ i·vᵢ·xⁱ⁻¹ is added to p″.
    let both = Case::new("polynomial mixed", &at, &[1.0, 0.0, 0.0, 3.0, 0.0]);
    every_type!(horner, both.first([61.0 + 12.0], 0.0).second([-74.0 + 2.0 * 3.0 * -4.0], 0.0));
    // Through (0, 1), (1, 3), (2, 9): 1 + 2x²; along (0, 1, 0) its change is x(2 − x).
    let fit = Case::new("polynomial lagrange", &[4.0, 1.0, 3.0, 9.0], &[1.0, 0.0, 1.0, 0.0]);
    every_type!(lagrange, fit.first([16.0 - 8.0], 0.0).second([4.0 + 2.0 * (2.0 - 8.0)], 0.0));
}
