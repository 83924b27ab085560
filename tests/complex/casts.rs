//! Conversions between base floats: values, tangents and cotangents are rounded at each step.

use num_complex::Complex;
use wengert::reverse::cast_through;
use wengert::{ComplexVar, Dual, Dual2, DualN, HyperDual, Number, Tape, Var, complex, gradient, hvp};

#[test]
fn every_step_rounds_value_and_tangent() {
    let x = Dual::variable(0.1_f64);
    let single: Dual<f32> = x.cast();
    assert_eq!((single.value(), single.tangent()), (0.1, 1.0));
    let y = single * single;
    assert_eq!((y.value(), y.tangent()), (0.1f32 * 0.1f32, 0.2f32));
    let double: Dual<f64> = y.cast();
    assert_eq!((double.value(), double.tangent()), (f64::from(y.value()), f64::from(0.2f32)));
    let rounded = Dual::new(1.0, 0.1_f64).cast::<Dual<f32>>().cast::<Dual<f64>>();
    assert_eq!(rounded.tangent(), f64::from(0.1f32));
}

#[test]
fn every_component_of_every_type() {
    let up = f64::from(0.1f32);
    let n = DualN::new(0.1, [0.1, -0.1]).cast::<DualN<f32, 2>>().cast::<DualN<f64, 2>>();
    assert_eq!((n.value(), n.tangents()), (up, [up, -up]));
    let h = HyperDual::new(0.1, 0.1, 0.1, 0.1).cast::<HyperDual<f32>>().cast::<HyperDual<f64>>();
    assert_eq!((h.value(), h.e1(), h.e2(), h.e12()), (up, up, up, up));
    let d = Dual2::<f64, 2, 3>::from_fn(0.1, |_| 0.1, |_, _| 0.1);
    let d: Dual2<f64, 2, 3> = d.cast::<Dual2<f32, 2, 3>>().cast();
    assert_eq!((d.gradient(), d.second(1, 0)), ([up, up], up));
    let nested = Dual::new(Dual::new(0.1, 0.1), Dual::new(0.1, 0.1)).cast::<Dual<Dual<f32>>>();
    assert_eq!(nested.tangent().tangent(), 0.1f32);
}

/// Complex to real takes the real part of the tangent too; real to complex adds a zero.
#[test]
fn complex_and_real() {
    let z = Dual::new(Complex::new(0.1, 2.0), Complex::new(0.1, 5.0));
    let x: Dual<f32> = z.cast();
    assert_eq!((x.value(), x.tangent()), (0.1, 0.1));
    let w: Dual<Complex<f64>> = x.cast();
    assert_eq!(
        (w.value(), w.tangent()),
        (Complex::new(f64::from(0.1f32), 0.0), Complex::new(f64::from(0.1f32), 0.0))
    );
    let apart = Complex::new(Dual::new(0.1, 1.0), Dual::new(0.2, 3.0));
    let apart: Complex<Dual<f32>> = wengert::CastFrom::cast_from(apart);
    assert_eq!((apart.im.value(), apart.im.tangent()), (0.2, 3.0));
    // The transposes: the cotangent of a real part is real, and the cotangent of a real number is the real part.
    let i = Complex::new(0.0, 1.0);
    assert_eq!(complex::vjp(|z| complex::real(*z), &i, &2.0), Complex::new(2.0, 0.0));
    assert_eq!(
        wengert::vjp(|x: &[Var<f64>]| complex::imag(wengert::ComplexVar::from(x[0]) * i), &[3.0], &1.0),
        [1.0]
    );
}

fn square(x: &[Var<f32>]) -> Vec<Var<f32>> {
    vec![x[0] * x[0], x[0] * 3.0]
}

#[test]
fn cotangents_are_rounded_on_their_way_back() {
    let tape = Tape::new();
    let x = tape.variable(0.1_f64);
    let y = cast_through(square, &[x]);
    assert_eq!((y[0].value(), y[1].value()), (f64::from(0.1f32 * 0.1f32), f64::from(0.1f32 * 3.0)));
    assert_eq!(tape.cotangents(y[0]).of(x), f64::from(0.2f32));
    assert_eq!(tape.cotangents_of(&[(y[0], 0.1)]).of(x), f64::from(0.1f32 * 0.2f32));
    assert_eq!(tape.cotangents_of(&[(y[0], 1.0), (y[1], 1.0)]).of(x), f64::from(0.2f32 + 3.0));
    // Up and down again.
    let up = |x: &[Var<f64>]| vec![x[0] * x[0]];
    let g = gradient(|x: &[Var<f32>]| cast_through(up, x)[0], &[0.1f32]);
    assert_eq!(g, [(2.0 * f64::from(0.1f32)) as f32]);
}

/// The sweep over tangents of a segment, and segments in segments.
#[test]
fn casts_nest() {
    let f = |x: &[Var<Dual<f64>>]| cast_through(|x: &[Var<Dual<f32>>]| vec![x[0] * x[0] * x[0]], x)[0] * x[0];
    // d²/dx² x⁴ at 0.5: every number is exact in single precision
    assert_eq!(hvp(f, &[0.5], &[1.0]), [3.0]);
    let twice = |x: &[Var<f64>]| {
        let inner = |x: &[Var<f32>]| cast_through(|x: &[Var<f64>]| vec![x[0].sin()], x);
        cast_through(inner, x)[0]
    };
    assert_eq!(gradient(twice, &[0.1]), [f64::from(f64::from(0.1f32).cos() as f32)]);
}

type C32 = Complex<f32>;
type C64 = Complex<f64>;

fn down(z: C64) -> C32 {
    Complex::new(z.re as f32, z.im as f32)
}
fn up(z: C32) -> C64 {
    Complex::new(z.re.into(), z.im.into())
}

/// `z³` between two casts: value and tangent, or cotangent, are rounded on the way in, computed in single precision, and
/// widened on the way out.
#[test]
fn complex_numbers_there_and_back() {
    let (z, v) = (C64::new(0.1, -0.7), C64::new(0.3, 0.9));
    let (value, tangent) = complex::value_and_jvp(|z: &Dual<C32>| *z * *z * *z, &down(z), &down(v));
    assert!(up(tangent) != complex::jvp(|z| *z * *z * *z, &z, &v), "the rounding shows");
    // Forward, both layouts.
    let w: Dual<C32> = Dual::new(z, v).cast();
    let w: Dual<C64> = (w * w * w).cast();
    assert_eq!((w.value(), w.tangent()), (up(value), up(tangent)));
    let apart = Complex::new(Dual::new(z.re, v.re), Dual::new(z.im, v.im));
    let w: Complex<Dual<f32>> = wengert::CastFrom::cast_from(apart);
    let w: Complex<Dual<f64>> = wengert::CastFrom::cast_from(w * w * w);
    assert_eq!((w.re.value(), w.im.value()), (up(value).re, up(value).im));
    assert_eq!((w.re.tangent(), w.im.tangent()), (up(tangent).re, up(tangent).im));

    // Reverse, both layouts.
    let want = up(complex::vjp(|z| *z * *z * *z, &down(z), &down(v)));
    let cube = |z: &[ComplexVar<f32>]| vec![z[0] * z[0] * z[0]];
    let (value, got) = complex::value_and_vjp(|z| cast_through(cube, z), &[z], &[v]);
    assert_eq!((value[0], got), (up(complex::value_and_vjp(|z| *z * *z * *z, &down(z), &down(v)).0), [want]));
    let cube = |z: &[Complex<Var<f32>>]| vec![z[0] * z[0] * z[0]];
    let got: [C64; 1] = wengert::vjp(|z: &[Complex<Var<f64>>]| cast_through(cube, z), &[z], &[v]);
    let inner = wengert::vjp(|z: &Complex<Var<f32>>| *z * *z * *z, &down(z), &down(v));
    assert_eq!(got, [up(inner)]);
    // The opposite direction: a segment in double precision.
    let cube = |z: &[ComplexVar<f64>]| vec![z[0] * z[0] * z[0]];
    let got = complex::vjp(|z| cast_through(cube, z), &[down(z)], &[down(v)]);
    assert_eq!(got, [down(complex::vjp(|z| *z * *z * *z, &up(down(z)), &up(down(v))))]);
}

/// Results of another kind than the arguments, several of each, and second order.
#[test]
fn complex_segments_of_any_form() {
    let (z, w) = ([C64::new(3.0, 4.0), C64::new(0.5, -1.0)], C64::new(0.1, 0.2));
    let length = |z: &[ComplexVar<f32>]| vec![complex::abs(z[0]), complex::norm_sqr(z[1])];
    let got = complex::vjp(|z| cast_through(length, z), &z, &[0.1, 1.0]);
    let unit = |x: f32| f64::from(0.1f32 * x);
    assert_eq!(got, [C64::new(unit(0.6), unit(0.8)), C64::new(1.0, -2.0)]);
    let both = |z: &[ComplexVar<f32>]| vec![z[1], z[0] * z[1]];
    let got = complex::vjp(|z| cast_through(both, z), &z, &[w, C64::new(0.0, 0.0)]);
    assert_eq!(got, [C64::new(0.0, 0.0), up(down(w))]);
    let of_real = |x: &[Var<f32>]| vec![ComplexVar::new(x[0], x[1]) * Complex::i()];
    let im = |x: &[Var<f64>]| cast_through(of_real, x)[0].im();
    let (value, slopes) = wengert::value_and_gradient(im, &[0.1, 2.0]);
    assert_eq!((value, slopes), (f64::from(0.1f32), [1.0, 0.0]));
    // d²|z|⁴ along 1 at z = ½: 12·¼ = 3 in single precision.
    let fourth = |z: &[ComplexVar<Dual<f32>>]| vec![complex::norm_sqr(z[0]) * complex::norm_sqr(z[0])];
    let f = |x: &[Var<Dual<f64>>]| cast_through(fourth, &[ComplexVar::new(x[0], x[1])])[0];
    assert_eq!(hvp(f, &[0.5, 0.0], &[1.0, 0.0]), [3.0, 0.0]);
}

#[test]
fn constants_and_dead_ends() {
    let tape = Tape::new();
    let x = tape.variable(0.5_f64);
    let y = cast_through(|x: &[Var<f32>]| vec![Var::constant(2.0), x[0]], &[x]);
    assert_eq!((tape.cotangents(y[0]).of(x), tape.cotangents(y[1]).of(x)), (0.0, 1.0));
    let other = Tape::new();
    let stranger = other.variable(1.0f32);
    let stray = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        cast_through(|_: &[Var<f32>]| vec![stranger], &[x])
    }));
    assert!(stray.is_err());
    // A conversion to an integer or a base float detaches.
    assert_eq!(num_traits::ToPrimitive::to_i32(&Dual::variable(2.5)), Some(2));
    assert_eq!(Number::innermost(Dual::variable(2.5)), 2.5);
}
