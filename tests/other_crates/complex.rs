//! Complex numbers in both layouts: `Complex<T>` of num-complex and rustfft with a number as the part, and
//! `Dual<Complex<f64>>` in code for nalgebra's `ComplexField`.

use super::derivatives::Case;
use nalgebra::{ComplexField, Matrix2, RealField, Vector2};
use num_complex::{Complex, Complex64};
use num_traits::{Float, FloatConst};
use rustfft::{FftNum, FftPlanner};
use std::f64::consts::TAU;
use wengert::{Dual, HyperDual};

/// The squared modulus of the discrete Fourier transform of real data.
fn power_spectrum<T: FftNum>(x: &[T]) -> Vec<T> {
    let mut z: Vec<Complex<T>> = x.iter().map(|&x| Complex::new(x, T::zero())).collect();
    FftPlanner::new().plan_fft_forward(x.len()).process(&mut z);
    z.iter().map(|z| z.re * z.re + z.im * z.im).collect()
}

/// The transform by its definition; angles are reduced in integers.
fn fourier(x: &[f64]) -> Vec<Complex64> {
    let n = x.len();
    let turn = |m: usize| Complex64::cis(-TAU * (m % n) as f64 / n as f64);
    (0..n).map(|k| x.iter().enumerate().map(|(j, &x)| turn(j * k) * x).sum()).collect()
}

/// With `X` and `V` the transforms of data and direction, `P = |X|²`: `Ṗ = 2 Re X̄V`, `P̈ = 2|V|²`. The
/// lengths run through butterflies, mixed radices, Rader's and Bluestein's algorithms; an error grows as log
/// n relative to the largest entry. The planner instantiates all of them for a type, which takes seconds: two
/// types are enough.
#[test]
fn spectra() {
    for n in [8, 12, 17, 64, 101] {
        let wave = |i: usize, m: usize| ((i * i * m + 3 * i) % 32) as f64 / 16.0 - 1.0;
        let (x, v): (Vec<_>, Vec<_>) = (0..n).map(|i| (wave(i, 7), wave(i, 5))).unzip();
        let (fx, fv) = (fourier(&x), fourier(&v));
        let first: Vec<f64> = fx.iter().zip(&fv).map(|(x, v)| 2.0 * (x.conj() * v).re).collect();
        let second: Vec<f64> = fv.iter().map(|v| 2.0 * v.norm_sqr()).collect();
        let largest = |p: &[f64]| p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        let scales = [largest(&first), largest(&second)];
        let case = Case::new("rustfft power", &x, &v).first(first, 16.0).second(second, 16.0);
        let case = case.scales(scales);
        check_each! { (case power_spectrum) "Dual" Dual<f64>; "HyperDual" HyperDual<f64>; }
    }
}

/// Elementary functions that num-complex writes in terms of real ones, at `x[0] + x[1]·i`.
fn elementary<T: Float + FloatConst>(x: &[T]) -> Vec<T> {
    let z = Complex::new(x[0], x[1]);
    let two = Complex::new(T::one() + T::one(), T::zero());
    let all = [z.exp(), z.ln(), z.sin(), z.tanh(), z.sqrt(), z.powi(-3), z.inv(), z.atan(), two.powc(z)];
    all.iter().flat_map(|w| [w.re, w.im]).chain([z.norm(), z.arg()]).collect()
}

/// `[f′, f″]` of the functions above, in complex arithmetic; |z| and arg z follow as real functions along
/// `v`.
fn elementary_derivatives(z: Complex64, v: Complex64) -> [Vec<f64>; 2] {
    let (one, ln2) = (Complex64::from(1.0), 2f64.ln());
    let (root, sech2, square) = (z.sqrt(), (z.cosh() * z.cosh()).inv(), one + z * z);
    let holomorphic = [
        [z.exp(), z.exp()],
        [z.inv(), -z.powi(-2)],
        [z.cos(), -z.sin()],
        [sech2, -2.0 * z.tanh() * sech2],
        [0.5 / root, -0.25 / (root * z)],
        [-3.0 * z.powi(-4), 12.0 * z.powi(-5)],
        [-z.powi(-2), 2.0 * z.powi(-3)],
        [square.inv(), -2.0 * z / (square * square)],
        [(z * ln2).exp() * ln2, (z * ln2).exp() * ln2 * ln2],
    ];
    let polar = v / z; // ż/z = ṙ/r + iφ̇, and its derivative is −(ż/z)²
    let bend = -polar * polar;
    let r = z.norm();
    let first =
        holomorphic.iter().map(|d| d[0] * v).flat_map(|w| [w.re, w.im]).chain([r * polar.re, polar.im]);
    let second = holomorphic.iter().map(|d| d[1] * v * v).flat_map(|w| [w.re, w.im]);
    [first.collect(), second.chain([r * (bend.re + polar.re * polar.re), bend.im]).collect()]
}

/// `f′(z)·v` and `f″(z)·v²` for holomorphic functions; errors are relative to the largest of the results,
/// which lie between 0.1 and 10.
#[test]
fn complex_of_numbers() {
    for (z, v) in
        [(Complex64::new(0.75, -0.5), Complex64::new(1.0, 0.5)), (Complex64::new(-0.5, 1.25), Complex64::i())]
    {
        let [first, second] = elementary_derivatives(z, v);
        let case =
            Case::new("num-complex", &[z.re, z.im], &[v.re, v.im]).first(first, 16.0).second(second, 16.0);
        every_type!(elementary, case.scales([2.0, 8.0]));
    }
}

/// Holomorphic code for any complex field: functions, a linear system, a determinant.
fn over_complex_field<T: ComplexField + Copy>(z: T) -> Vec<T> {
    let one = T::one();
    let a = Matrix2::new(z, one, -one, z * z);
    let b = Vector2::new(one, z);
    let y = a.lu().solve(&b).unwrap();
    vec![z.exp() * z.sin(), z.sqrt(), z.powi(3), y[0], y[1], a.determinant()]
}

/// The derivatives by hand: `y = (z² − z, z² + 1)/(z³ + 1)`.
fn over_complex_field_derivatives(z: Complex64) -> Vec<Complex64> {
    let (n, d) = ([z * z - z, z * z + 1.0], z * z * z + 1.0);
    let quotient = |n: Complex64, dn: Complex64| (dn - n / d * (3.0 * z * z)) / d;
    vec![
        z.exp() * (z.sin() + z.cos()),
        0.5 / z.sqrt(),
        3.0 * z * z,
        quotient(n[0], 2.0 * z - 1.0),
        quotient(n[1], 2.0 * z),
        3.0 * z * z,
    ]
}

/// A dual with complex parts is a `ComplexField` whose real field is `Dual<f64>`; the derivative is the
/// complex one.
#[test]
fn numbers_of_complex() {
    let z = Complex64::new(0.75, -0.5);
    let (got, value) = (over_complex_field(Dual::variable(z)), over_complex_field(z));
    let second = over_complex_field(HyperDual::variable(z));
    for (i, want) in over_complex_field_derivatives(z).into_iter().enumerate() {
        assert!((got[i].value() - value[i]).norm() <= 4.0 * f64::EPSILON * value[i].norm(), "value {i}");
        assert!(
            (got[i].tangent() - want).norm() <= 16.0 * f64::EPSILON * want.norm(),
            "{i}: {} {want}",
            got[i]
        );
        assert_eq!(second[i].e1(), second[i].e2());
        assert!(
            (second[i].e1() - want).norm() <= 16.0 * f64::EPSILON * want.norm(),
            "{i}: {} {want}",
            second[i]
        );
    }
    assert!((second[2].e12() - 6.0 * z).norm() <= 8.0 * f64::EPSILON * 6.0 * z.norm());
}

/// The code with the layers exchanged: at `Complex<T>`.
fn over_complex_numbers<T: RealField + Copy>(x: &[T]) -> Vec<T> {
    over_complex_field(Complex::new(x[0], x[1])).iter().flat_map(|w| [w.re, w.im]).collect()
}

/// Both layouts give `f′(z)·v`.
#[test]
fn layouts_agree() {
    let (z, v) = (Complex64::new(0.75, -0.5), Complex64::new(0.5, -1.0));
    let first = over_complex_field_derivatives(z).into_iter().flat_map(|d| [(d * v).re, (d * v).im]);
    let case = Case::new("Complex in nalgebra", &[z.re, z.im], &[v.re, v.im]).first(first, 16.0);
    every_type!(over_complex_numbers, case.scales([2.0, 0.0]));
}

/// `d|z| = Re(z̄ż)/|z|`, `d arg z = Im(ż/z)` and `d(|z|² + 1) = 2 Re(z̄ż)`: real outputs of a complex variable,
/// as `Dual<f64>`; the conjugate of a variable has the conjugate tangent.
#[test]
fn real_field_of_complex() {
    fn real_parts<T: ComplexField + Copy>(z: T) -> ([T::RealField; 3], T) {
        ([z.modulus(), z.argument(), Vector2::new(z, T::one()).norm_squared()], z.conjugate())
    }
    let (z, v) = (Complex64::new(3.0, 4.0), Complex64::new(1.0, 2.0));
    let ([r, angle, square], conjugate): ([Dual<f64>; 3], _) = real_parts(Dual::new(z, v));
    assert_eq!((r.value(), angle.value(), square.value()), (5.0, z.arg(), 26.0));
    assert!((r.tangent() - 2.2).abs() < 4.0 * f64::EPSILON && (angle.tangent() - 0.08).abs() < f64::EPSILON);
    assert_eq!((square.tangent(), conjugate.value(), conjugate.tangent()), (22.0, z.conj(), v.conj()));
}
