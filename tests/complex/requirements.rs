//! The requirements on complex numbers by their numbers (E20 to E26, E28, D31), in both layouts and both modes; and
//! the results of num-complex's own functions instead.

use num_complex::{Complex, Complex64};
use wengert::complex::{self, derivative, gradient, jvp, value_and_gradient, value_and_vjp, vjp, wirtinger};
use wengert::{
    ComplexVar, Dual, Dual2, DualN, ForwardChunk, HyperDual, Number, Real, Reverse, SecondOrder, Tape,
    Taylor, Var,
};

fn c(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

const ONE: Complex64 = Complex64::new(1.0, 0.0);
const I: Complex64 = Complex64::new(0.0, 1.0);

#[track_caller]
fn near(got: Complex64, want: Complex64) {
    assert!((got - want).norm() <= 8.0 * f64::EPSILON * want.norm(), "got {got}, want {want}");
}

/// The tangent of a function in the layout of num-complex.
fn apart(f: impl Fn(Complex<Dual<f64>>) -> Complex<Dual<f64>>, z: Complex64, dz: Complex64) -> Complex64 {
    let w = f(Complex::new(Dual::new(z.re, dz.re), Dual::new(z.im, dz.im)));
    c(w.re.tangent(), w.im.tangent())
}

/// The cotangent of a function in the layout of num-complex.
fn pulled(f: impl Fn(Complex<Var<f64>>) -> Complex<Var<f64>>, z: Complex64, w: Complex64) -> Complex64 {
    let tape = Tape::new();
    let z = Complex::new(tape.variable(z.re), tape.variable(z.im));
    let y = f(z);
    let bar = tape.cotangents_of(&[(y.re, w.re), (y.im, w.im)]);
    c(bar.of(z.re), bar.of(z.im))
}

/// A10: complex constants by reference, on either side.
#[test]
fn references_to_constants() {
    macro_rules! forms {
        ($z:expr, $c:expr, $derivatives:expr) => {{
            let (z, c) = ($z, $c);
            let same = |got, want| assert_eq!($derivatives(got), $derivatives(want));
            forms!(@op z, c, same; + +=, - -=, * *=, / /=, % %=);
        }};
        (@op $z:ident, $c:ident, $same:ident; $($op:tt $assign:tt),*) => {$(
            $same($z $op &$c, $z $op $c);
            $same(&$z $op &$c, $z $op $c);
            $same(&$c $op $z, $c $op $z);
            $same(&$c $op &$z, $c $op $z);
            let mut sum = $z;
            sum $assign &$c;
            $same(sum, $z $op $c);
        )*};
    }
    // The text of a number has all its components.
    macro_rules! at_numbers {
        ($($N:ty: $c:expr, $z:expr;)*) => {$( forms!($z, $c, |z: $N| format!("{z:?}")); )*};
    }
    let (w, k) = (c(0.3, 0.7), c(0.5, -2.0));
    let (v, l) = (Complex::new(0.3_f32, 0.7), Complex::new(0.5_f32, -2.0));
    at_numbers! {
        Dual<Complex64>: k, Dual::new(w, c(1.0, 0.5));
        Dual<Complex<f32>>: l, Dual::new(v, l);
        DualN<Complex64, 2>: k, DualN::new(w, [I, ONE]);
        Dual2<Complex64, 1, 1>: k, Dual2::variable(w, 0);
        HyperDual<Complex64>: k, HyperDual::new(w, I, ONE, k);
        Taylor<Complex64, 3>: k, Taylor::new(w, [I, ONE, k]);
        Dual<Dual<Complex64>>: k, Dual::new(Dual::new(w, I), Dual::new(ONE, k));
    }
    let tape = Tape::new();
    let [re, im] = [0.3, 0.7].map(|x| tape.variable(x));
    let parts = |w: ComplexVar<f64>| [w.re(), w.im()].map(|w| tape.cotangents(w).of_all(&[re, im]));
    forms!(ComplexVar::new(re, im), k, |w: ComplexVar<f64>| (w.value(), parts(w)));
}

/// E20: `f′(z)·ż`, no conjugate.
#[test]
fn tangents_of_holomorphic_functions() {
    let (z, dz) = (c(0.4, -0.2), c(0.3, 0.7));
    let (exp, sin) = (c(0.6460921278876525, 0.9345473240062466), c(0.22698035731431906, 0.6812017696228438));
    near(jvp(|z| z.exp(), &z, &dz), exp);
    near(jvp(|z| z.sin(), &z, &dz), sin);
    near(apart(complex::exp, z, dz), exp);
    near(apart(complex::sin, z, dz), sin);
}

/// E21: `ȳ·conj(f′(z))`.
#[test]
fn cotangents_of_holomorphic_functions() {
    let (z, w) = (c(0.4, -0.2), c(1.0, -2.0));
    let (exp, sin) = (c(2.054847154844196, -2.627795237968714), c(0.782735835166598, -1.9574913321162113));
    near(vjp(|z| z.exp(), &z, &w), exp);
    near(vjp(|z| z.sin(), &z, &w), sin);
    near(pulled(complex::exp, z, w), exp);
    near(pulled(complex::sin, z, w), sin);
    near(vjp(|z| z * z, &c(1.0, 1.0), &ONE), c(2.0, -2.0));
    near(vjp(|z| z.powi(2), &c(1.0, 1.0), &ONE), c(2.0, -2.0));
    near(vjp(|z| z.ln(), &c(3.0, 4.0), &ONE), c(0.12, 0.16));
    near(pulled(complex::ln, c(3.0, 4.0), ONE), c(0.12, 0.16));
}

/// E22: coefficients are conjugated in the transpose only.
#[test]
fn coefficients() {
    let (z, dz) = ([c(1.0, 2.0), c(-3.0, 0.5)], [c(0.5, -1.0), c(-2.0, 1.5)]);
    near(jvp(|z| z[0] * z[1], &z, &dz), c(-6.0, 0.75));
    near(vjp(|z| z * c(2.0, 1.0), &c(0.3, 0.4), &ONE), c(2.0, -1.0));
    near(vjp(|z| c(2.0, 1.0) * *z, &c(0.3, 0.4), &ONE), c(2.0, -1.0));
    let [z, w] = vjp(|z| z[0] / z[1], &[c(1.0, 2.0), c(3.0, -1.0)], &ONE);
    near(z, c(0.3, -0.1));
    near(w, c(0.04, 0.22));
}

/// E23 and D31: real-linear maps, and the gradient of a real function.
#[test]
fn functions_that_are_not_holomorphic() {
    let (z, t) = (c(2.0, -3.0), c(1.0, 1.0));
    assert_eq!(jvp(|z| z.conj(), &z, &t), c(1.0, -1.0));
    assert_eq!(vjp(|z| z.conj(), &z, &t), c(1.0, -1.0));
    assert_eq!(gradient(|z| (z * z.conj()).re(), &c(1.0, 2.0)), c(2.0, 4.0));
    assert_eq!(gradient(|z| complex::norm_sqr(*z), &c(1.0, 1.0)), c(2.0, 2.0));
    // The first derivative by z*, the second by z: ȳ·conj(∂f/∂z) + conj(ȳ)·∂f/∂z*.
    let f = |z: DualN<Complex64, 2>| z * z * z.conj();
    let (by_z, by_conj) = wirtinger(f, z);
    near(by_z, 2.0 * z * z.conj());
    near(by_conj, z * z);
    near(vjp(|z| z * z * z.conj(), &z, &t), t * by_z.conj() + t.conj() * by_conj);
    near(jvp(|z| *z * *z * z.conj(), &z, &t), by_z * t + by_conj * t.conj());
}

/// E24 and E25: the modulus, and the sign, which has no derivative.
#[test]
fn modulus_and_sign() {
    let z = c(3.0, 4.0);
    assert!((jvp(|z| complex::abs(*z), &z, &c(1.0, 2.0)) - 2.2).abs() < 1e-15);
    near(vjp(|z| complex::abs(*z), &z, &2.0), c(1.2, 1.6));
    let zero = c(0.0, 0.0);
    assert_eq!(jvp(|z| complex::abs(*z), &zero, &c(1.0, 2.0)), 0.0);
    assert_eq!(value_and_gradient(|z| complex::abs(*z), &zero), (0.0, zero));
    let tape = Tape::new();
    let apart = Complex::new(tape.variable(0.0), tape.variable(0.0));
    let bar = tape.cotangents(complex::abs(apart));
    assert_eq!((bar.of(apart.re), bar.of(apart.im)), (0.0, 0.0));
    for (z, sign) in [(z, c(0.6, 0.8)), (zero, zero)] {
        assert_eq!(value_and_vjp(|z| complex::sign(*z), &z, &c(1.0, 1.0)), (sign, zero));
        assert_eq!(jvp(|z| complex::sign(*z), &z, &ONE), zero);
    }
    assert_eq!((Dual::variable(0.0).signum().value(), Dual::variable(0.0).signum().tangent()), (1.0, 0.0));
}

/// E26: parts, angle, conjugate, squared modulus, polar form.
#[test]
fn parts() {
    let z = c(3.0, 4.0);
    assert_eq!(vjp(|z| z.re(), &z, &1.5), c(1.5, 0.0));
    assert_eq!(vjp(|z| z.im(), &z, &1.5), c(0.0, 1.5));
    near(vjp(|z| complex::arg(*z), &z, &1.0), c(-0.16, 0.12));
    near(vjp(|z| complex::norm_sqr(*z), &z, &1.5), 3.0 * z);
    // A constant or an inactive direction is no danger at the origin; an active one has no angle.
    assert_eq!(complex::arg(Dual::constant(c(0.0, 0.0))).tangent(), 0.0);
    assert!(complex::arg(Dual::variable(c(0.0, 0.0))).tangent().is_nan());
    let tape = Tape::new();
    let (r, angle) = (tape.variable(2.0), tape.variable(0.5));
    let z: ComplexVar<f64> = complex::from_polar(r, angle);
    let bar = tape.cotangents_of(&[(z.re(), 1.0), (z.im(), -1.0)]);
    near(c(bar.of(r), bar.of(angle)), c(0.5f64.cos() - 0.5f64.sin(), -2.0 * (0.5f64.sin() + 0.5f64.cos())));
    assert_eq!(Complex::<Var<f64>>::from(z).re.value(), 2.0 * 0.5f64.cos());
}

/// `|z|·arg z` at 0, where the modes differ as the guide describes: NaN where tangents are pushed through the
/// product, 0 where a tape is swept, in gradients and in Hessians.
#[test]
fn a_zero_factor_beside_an_angle_that_is_not_defined() {
    let zero = c(0.0, 0.0);
    assert!(jvp(|z| complex::abs(*z) * complex::arg(*z), &zero, &ONE).is_nan());
    assert_eq!(value_and_gradient(|z| complex::abs(*z) * complex::arg(*z), &zero), (0.0, zero));
    assert_eq!(vjp(|z| complex::abs(*z) * complex::arg(*z), &zero, &2.0), zero);
    let mut forward = complex::prepare::gradient(ForwardChunk::<2>, &zero);
    let mut g = zero;
    forward.of(|z| complex::abs(*z) * complex::arg(*z)).at(&zero, &mut g).unwrap();
    assert!(g.re.is_nan() && g.im.is_nan(), "{g}");
    let mut hessian = complex::prepare::hessian(SecondOrder(ForwardChunk::<2>, Reverse), &zero);
    let mut h = [f64::NAN; 4];
    hessian.of(|z| complex::abs(*z) * complex::arg(*z)).at(&zero, &mut g, &mut h).unwrap();
    assert_eq!((g, h), (zero, [0.0; 4]));
    // By the parts, and as a program.
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        x[0].hypot(x[1]) * x[1].atan2(x[0])
    }
    let x = [0.0_f64, 0.0];
    assert!(wengert::forward::gradient(|x: &[_]| f(x), &x).iter().all(|g| g.is_nan()));
    assert_eq!(wengert::gradient(f, &x), x);
    assert_eq!(wengert::hessian(f, &x), nalgebra::Matrix2::zeros());
    let program = wengert::programs::trace(|x: &[wengert::programs::Traced]| f(x), &x);
    assert_eq!(program.gradient().unwrap().run(&x).unwrap(), x);
    assert_eq!(program.hessian().unwrap().run(&x).unwrap(), [0.0; 4]);
    assert!(program.jvp().unwrap().run(&[0.0, 0.0, 1.0, 0.0]).unwrap()[1].is_nan());
}

/// E28: the functions of num-complex at `Complex<Dual>`, and the functions of this crate.
#[test]
fn functions_of_num_complex() {
    type C = Complex<Dual<f64>>;
    // Where the imaginary part is zero its tangent is passed on unchanged: √(4 + it), ∛(8 + it).
    near(apart(C::sqrt, c(4.0, 0.0), I), I);
    near(apart(complex::sqrt, c(4.0, 0.0), I), 0.25 * I);
    near(derivative(|z| z.sqrt(), c(4.0, 0.0)), 0.25 * ONE);
    near(apart(C::cbrt, c(8.0, 0.0), I), I);
    near(apart(complex::cbrt, c(8.0, 0.0), I), I / 12.0);
    near(derivative(|z| z.cbrt(), c(8.0, 0.0)), ONE / 12.0);
    near(pulled(Complex::<Var<f64>>::sqrt, c(4.0, 0.0), I), I);
    near(pulled(complex::sqrt, c(4.0, 0.0), I), 0.25 * I);
    // Where the real part is zero its tangent is dropped: √(4i + t).
    assert_eq!(apart(C::sqrt, c(0.0, 4.0), ONE), c(0.0, 0.0));
    near(apart(complex::sqrt, c(0.0, 4.0), ONE), 0.5 / (4.0 * I).sqrt());
    // The same holds for functions that are built on roots, on the real axis.
    let right = I / 0.75f64.sqrt();
    assert!((apart(C::asin, c(0.5, 0.0), I) - right).norm() > 0.1);
    near(apart(complex::asin, c(0.5, 0.0), I), right);
    assert!((apart(C::acos, c(0.5, 0.0), I) + right).norm() > 0.1);
    near(apart(complex::acos, c(0.5, 0.0), I), -right);
    assert!((apart(C::acosh, c(2.0, 0.0), I) - I / 3f64.sqrt()).norm() > 0.1);
    near(apart(complex::acosh, c(2.0, 0.0), I), I / 3f64.sqrt());
    // Powers go through the angle, which zero has not.
    assert!(apart(|z| z.powf(Dual::constant(2.0)), c(0.0, 0.0), ONE).is_nan());
    assert_eq!(apart(|z| complex::powf(z, 2.0), c(0.0, 0.0), ONE), c(0.0, 0.0));
    // d²/dt² e^(it) = −1 at t = 0
    let angle = HyperDual::variable(0.0);
    let z = complex::exp(Complex::new(HyperDual::constant(0.0), angle));
    assert_eq!((z.re.e12(), z.im.e12()), (-1.0, 0.0));
    let z = HyperDual::<Complex64>::new(c(0.0, 0.0), I, I, c(0.0, 0.0)).exp();
    assert_eq!(z.e12(), c(-1.0, 0.0));
}

/// One function of a complex number, written once, in every layout and mode.
fn generic<T: Number>(z: T) -> T {
    (z * z + T::lit(1.0)).sqrt() * z.conj() / z.exp() + z.sin() * T::lit(0.5)
}

#[test]
fn one_function_for_all() {
    let (z, dz, w) = (c(0.7, -0.4), c(0.3, 1.1), c(-0.6, 0.2));
    let forward = jvp(|z| generic(*z), &z, &dz);
    let (value, bar) = value_and_vjp(|z| generic(*z), &z, &w);
    near(value, generic(z));
    let product = |a: Complex64, b: Complex64| (a.conj() * b).re;
    assert!((product(w, forward) - product(bar, dz)).abs() < 1e-15);
    // Reverse over reverse and forward over reverse give one second derivative, here along 1 and 1.
    let real_gradient = |z: &ComplexVar<Dual<f64>>| generic(*z).re();
    let point = Dual::new(z, ONE);
    let second = gradient(real_gradient, &point).tangent();
    let outer = gradient(|z: &ComplexVar<f64>| gradient(|z| generic(*z).re(), z).re(), &z);
    assert!((outer.re - second.re).abs() < 1e-14 && second.re != 0.0, "{outer} {second}");
    let hyper = generic(HyperDual::variable(z)).e12();
    assert!((hyper.re - second.re).abs() < 1e-14, "{hyper} {second}");
}

/// Variables of a tape take constants, references and assignments as any number does. The code of nalgebra for
/// complex fields runs on them.
#[test]
fn a_complex_variable_is_a_number() {
    let z = c(0.7, -0.4);
    let by_operators = |z: &ComplexVar<f64>| {
        let mut w = z * 2.0 + 1.0 - I * z / c(1.0, 2.0);
        w += z;
        w *= I;
        -(3.0 / w) + (2.0 - z) * (c(1.0, 1.0) + *z) + [*z, *z].iter().sum::<ComplexVar<f64>>()
    };
    let same = |z: Dual<Complex64>| {
        let mut w = z * 2.0 + 1.0 - I * z / c(1.0, 2.0);
        w += z;
        w *= I;
        -(3.0 / w) + (2.0 - z) * (c(1.0, 1.0) + z) + [z, z].iter().sum::<Dual<Complex64>>()
    };
    near(vjp(by_operators, &z, &ONE).conj(), derivative(same, z));
    fn field<T: nalgebra::ComplexField + Copy>(z: T) -> T {
        let a = nalgebra::Matrix2::new(z, T::one(), -T::one(), z * z);
        let modulus = nalgebra::ComplexField::sqrt(z.modulus_squared());
        a.lu().solve(&nalgebra::Vector2::new(T::one(), z)).unwrap()[0] * T::from_real(modulus)
    }
    let w = c(-0.6, 0.2);
    let (bar, forward) = (vjp(|z| field(*z), &z, &w), jvp(|z| field(*z), &z, &ONE));
    assert!(((w.conj() * forward).re - bar.re).abs() < 1e-14, "{bar} {forward}");
    assert_eq!(format!("{:.1}", ComplexVar::<f64>::constant(z)), "0.7-0.4i");
}

/// A real factor or divisor is multiplied by parts. The derivatives equal the derivatives with a complex one whose
/// imaginary part is a variable too, also where the quotient is not a number.
#[test]
fn real_factors_and_divisors() {
    let gradients = |f: fn(ComplexVar<f64>, ComplexVar<f64>) -> ComplexVar<f64>, x: f64, whole: bool| {
        let tape = Tape::new();
        let (z, x) = (ComplexVar::new(tape.variable(0.7), tape.variable(-0.4)), tape.variable(x));
        let im = if whole { tape.variable(0.0) } else { Var::constant(0.0) };
        let y = f(z, ComplexVar::new(x, im));
        let bar = tape.cotangents_of(&[(y.re(), 0.6), (y.im(), -1.3)]);
        [bar.of(z.re()), bar.of(z.im()), bar.of(x)]
    };
    for f in [|z, x| z * x, |z, x| x * z, |z, x| z / x, |z, x| x / z] {
        let [parts, whole] = [false, true].map(|whole| gradients(f, 1.7, whole));
        for (parts, whole) in parts.into_iter().zip(whole) {
            assert!((parts - whole).abs() <= 8.0 * f64::EPSILON * whole.abs(), "{parts} {whole}");
        }
    }
    let [parts, whole] = [false, true].map(|whole| gradients(|z, x| z / x, 0.0, whole));
    assert!([parts, whole].as_flattened().iter().all(|x| x.is_nan()), "{parts:?} {whole:?}");
}
