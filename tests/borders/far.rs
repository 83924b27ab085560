//! Partials beyond the range of the float, or so small that they lose digits, whose products with tangents are in it.

use super::support::routes::{Program, Route, slices, units};
use num_complex::Complex;
use wengert::programs::{Traced, trace};
use wengert::{BaseFloat, Dual, Dual2, DualN, HyperDual, Real, Taylor, Var, complex};

/// `(sx)ᵖ` with a power of two `s`, near 1.
#[derive(Clone, Copy, Debug)]
enum Power {
    Recip,
    Powi(i32),
    Powf(f64),
}

#[derive(Clone, Copy, Debug)]
struct Scaled(Power, f64);

impl<F: BaseFloat> Program<F> for Scaled {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        let x = x[0] * F::from_double(self.1);
        vec![match self.0 {
            Power::Recip => x.recip(),
            Power::Powi(n) => x.powi(n),
            Power::Powf(c) => x.powf_const(c),
        }]
    }
}

/// The derivatives along one axis, all of one order.
fn along_axis<R: Route>(f: &impl Program<R::Base>, x: f64) -> Vec<f64> {
    let all = R::run(f, &[R::Base::from_double(x)], &slices(&units(1, &vec![0; R::ORDER])));
    (0..=R::ORDER).map(|order| all[(1 << order) - 1].to_double()).collect()
}

macro_rules! each_route {
    ($check:ident $arguments:tt) => { each_route!(f64: $check $arguments) };
    ($F:ident: $check:ident $arguments:tt) => {
        $check::<Dual<$F>> $arguments;
        $check::<DualN<$F, 4>> $arguments;
        $check::<Var<$F>> $arguments;
        $check::<HyperDual<$F>> $arguments;
        $check::<Dual2<$F, 1, 1>> $arguments;
        $check::<Dual2<$F, 2, 3>> $arguments;
        $check::<Dual<Dual<$F>>> $arguments;
        $check::<Dual<DualN<$F, 4>>> $arguments;
        $check::<Var<Dual<$F>>> $arguments;
        $check::<Taylor<$F, 2>> $arguments;
    };
}

fn powers_agree<R: Route>(f: Scaled, exponent: f64, digits: f64) {
    let value = Program::<f64>::call(&f, &[1.0])[0];
    let want = [value, exponent * value, exponent * (exponent - 1.0) * value];
    for (got, want) in along_axis::<R>(&f, 1.0).iter().zip(want) {
        let route = std::any::type_name::<R>();
        assert!((got - want).abs() <= digits * want.abs(), "{f:?}, {route}: {got:e} for {want:e}");
    }
}

#[test]
fn powers_of_far_arguments_keep_their_derivatives() {
    for (power, exponent, log_scales) in [
        (Power::Recip, -1.0, [-960, -600, 530, 600, 960]),
        (Power::Powi(-1), -1.0, [-960, -600, 530, 600, 960]),
        (Power::Powi(-2), -2.0, [-480, -400, 350, 400, 480]),
        (Power::Powi(-3), -3.0, [-320, -300, 250, 300, 320]),
        (Power::Powf(-1.0), -1.0, [-960, -600, 530, 600, 960]),
        (Power::Powf(-0.5), -0.5, [-960, -800, 700, 800, 960]),
        (Power::Powf(-1.5), -1.5, [-600, -500, 450, 500, 600]),
    ] {
        for k in log_scales {
            let f = Scaled(power, 2f64.powi(k));
            each_route!(powers_agree(f, exponent, 1e-15));
            if !matches!(power, Power::Powf(c) if c % 1.0 != 0.0) {
                let f = Scaled(power, -2f64.powi(k));
                each_route!(powers_agree(f, exponent, 1e-15));
            }
        }
    }
}

#[test]
fn powers_of_far_single_arguments_keep_their_derivatives() {
    for (power, exponent) in [(Power::Recip, -1.0), (Power::Powi(-1), -1.0), (Power::Powf(-0.75), -0.75)] {
        for k in [-90, -70, 70, 90] {
            each_route!(f32: powers_agree(Scaled(power, 2f64.powi(k)), exponent, 5e-7));
        }
    }
}

#[test]
fn reciprocals_of_far_complex_numbers_keep_their_derivatives() {
    let z = Complex::new(1.0, 1.0);
    for scale in [1e160, 1e-160, 1e200] {
        let slope: Complex<f64> = complex::derivative(|z: Dual<Complex<f64>>| (z * scale).recip(), z);
        let want = Complex::new(0.0, 0.5 / scale); // −1/z²
        assert!((slope - want).norm() <= 1e-15 * want.norm(), "{slope}");
    }
}

/// Functions of one variable, whose logarithms take arguments at which their second derivatives leave the range.
#[derive(Clone, Copy, Debug)]
enum Composed {
    Softplus,
    SoftplusByLn,
    LogDensity,
    LogDistribution,
    LnExp,
    Log2Exp,
    Log3Exp,
    ReciprocalExp,
    Asinh,
}

impl Program for Composed {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let x = x[0];
        vec![match self {
            Composed::Softplus => x.exp().ln_1p(),
            Composed::SoftplusByLn => (x.exp() + 1.0).ln(),
            Composed::LogDensity => x.norm_pdf().ln(),
            Composed::LogDistribution => (-x).norm_cdf().ln(),
            Composed::LnExp => x.exp().ln(),
            Composed::Log2Exp => x.exp().log2(),
            Composed::Log3Exp => x.exp().log(T::lit(3.0)),
            Composed::ReciprocalExp => x.exp().recip(),
            Composed::Asinh => x.exp().asinh(),
        }]
    }
}

/// The size of the terms of the second derivative, which is the difference of two.
fn size(f: Composed, [first, second]: [f64; 2]) -> f64 {
    if let Composed::ReciprocalExp = f { second.abs() } else { first * first }
}

fn composed_agree<R: Route<Base = f64>>(f: Composed, x: f64, want: [f64; 2]) {
    let (route, sizes) = (std::any::type_name::<R>(), [want[0].abs(), size(f, want)]);
    for ((got, want), size) in along_axis::<R>(&f, x)[1..].iter().zip(want).zip(sizes) {
        assert!((got - want).abs() <= 2e-15 * size, "{f:?} at {x}, {route}: {got:e} for {want:e}");
    }
}

#[test]
fn logarithms_of_far_intermediates_keep_their_second_derivatives() {
    let (ln_2, ln_3) = (2f64.ln(), 3f64.ln());
    // The derivatives of `ln Φ(−x)` are `−h` and `−h·(h − x)` with `h = φ(x)/Φ(−x)`, by mpmath.
    let hazard = [-28.035623753469082, -0.9987341489455646];
    for (f, x, want) in [
        (Composed::Softplus, 400.0, [1.0, 0.0]),
        (Composed::SoftplusByLn, 400.0, [1.0, 0.0]),
        (Composed::LogDensity, 28.0, [-28.0, -1.0]),
        (Composed::LogDistribution, 28.0, hazard),
        (Composed::LnExp, 360.0, [1.0, 0.0]),
        (Composed::LnExp, 373.0, [1.0, 0.0]),
        (Composed::LnExp, -400.0, [1.0, 0.0]),
        (Composed::Log2Exp, 400.0, [1.0 / ln_2, 0.0]),
        (Composed::Log3Exp, 400.0, [1.0 / ln_3, 0.0]),
        (Composed::ReciprocalExp, -400.0, [-(400f64.exp()), 400f64.exp()]),
        (Composed::ReciprocalExp, 400.0, [-((-400f64).exp()), (-400f64).exp()]),
        (Composed::Asinh, 400.0, [1.0, 0.0]),
    ] {
        each_route!(composed_agree(f, x, want));
        // Programs differ here: `asinh′` is one operation, `log` is a quotient, and a gradient starts at the result.
        if !matches!(f, Composed::ReciprocalExp | Composed::Asinh | Composed::Log3Exp) {
            let program = trace(|x: &[Traced]| f.call(x)[0], &[x]);
            let got = program.hessian().unwrap().run(&[x]).unwrap()[0];
            assert!((got - want[1]).abs() <= 2e-15 * size(f, want), "{f:?} at {x}, program: {got:e}");
        }
    }
}

/// `sinh(x)/x` and `cosh(x)/x`.
#[derive(Clone, Copy, Debug)]
enum Cardinal {
    Sinhc,
    Coshc,
}

impl Program for Cardinal {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![if let Cardinal::Sinhc = self { x[0].sinhc() } else { x[0].coshc() }]
    }
}

fn cardinals_are_infinite<R: Route<Base = f64>>(f: Cardinal, x: f64) {
    let (route, even) = (std::any::type_name::<R>(), if let Cardinal::Sinhc = f { 0 } else { 1 });
    for (order, got) in along_axis::<R>(&f, x).into_iter().enumerate() {
        let want = if (order + even) % 2 == 0 { f64::INFINITY } else { f64::INFINITY.copysign(x) };
        assert_eq!(got, want, "{f:?} at {x:e}, order {order}, {route}");
    }
}

/// Derivatives beyond the range are infinite.
#[test]
fn hyperbolic_cardinals_beyond_the_range_have_infinite_derivatives() {
    for x in [720.0, 1e3, 1e17, 1e200, 1e308] {
        for x in [x, -x] {
            each_route!(cardinals_are_infinite(Cardinal::Sinhc, x));
            each_route!(cardinals_are_infinite(Cardinal::Coshc, x));
        }
    }
}

/// `ln x²`, `1/x²`, the logarithm of Student's kernel and `(x²)^(−3/2)` have third derivatives `4/x³`, `−24/x⁵`, `−8/x³` and
/// `−60/x⁶`, where those of the functions of `x²` are not in the range.
#[test]
fn functions_of_far_squares_keep_their_third_derivatives() {
    fn third<T: Real<Base = f64>>(which: usize, x: T) -> T {
        match which {
            0 => (x * x).ln(),
            1 => (x * x).recip(),
            2 => (x * x / 3.0 + 1.0).ln() * -2.0,
            _ => (x * x).powf_const(-1.5),
        }
    }
    type D3 = Dual<Dual<Dual<f64>>>;
    let far = [(0, 1e70), (0, 1e100), (0, 1e-70), (0, 1e-100), (1, 1e55), (1, 1e60), (2, 1e70), (2, 1e100)];
    let powers = [(3, 1e45), (3, 1e50), (3, 1e-45), (3, 1e-50)];
    for (which, x) in far.into_iter().chain(powers) {
        let cube = x * x * x;
        let want = [4.0 / cube, -24.0 / cube / x / x, -8.0 / cube, -60.0 / cube / cube][which];
        let close = |got: f64, way: &str| {
            assert!((got / want - 1.0).abs() < 1e-13, "{which} at {x:e}, {way}: {got:e} for {want:e}");
        };
        let nested: D3 = third(which, Dual::variable(Dual::variable(Dual::variable(x))));
        close(nested.tangent().tangent().tangent(), "duals");
        let (v, one, zero) = (Dual::variable(x), Dual::constant(1.0), Dual::constant(0.0));
        close(third(which, HyperDual::new(v, one, one, zero)).e12().tangent(), "hyper-duals");
        let lanes = third(which, DualN::<Dual<Dual<f64>>, 2>::variable(Dual::variable(Dual::variable(x)), 1));
        close(lanes.tangents()[1].tangent().tangent(), "lanes");
        close(wengert::series::derivatives::<f64, 3>(|x| third(which, x), x)[2], "series");
        let point = [Dual::variable(Dual::variable(x))];
        let tape: [Dual<Dual<f64>>; 1] = wengert::gradient(|x| third(which, x[0]), &point);
        close(tape[0].tangent().tangent(), "tape");
    }
}

const POINTS: [f64; 10] = [1e-200, -1e-160, 1e200, -1e160, 5e-324, 1e103, -1e103, 0.7, 0.0, f64::INFINITY];

/// Lanes of far powers equal `Dual` to the sign of zero, with few lanes and with many.
#[test]
fn far_lanes_are_duals() {
    fn agree<const N: usize>(f: fn(DualN<f64, N>) -> DualN<f64, N>, of_dual: fn(Dual<f64>) -> Dual<f64>) {
        let finite = [0.0, -0.0, 1.0, -3e-200, 1e200, 1e-300, 1e100, -1e308, 5e-324];
        let other = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(|t| [t; 9]);
        let all = [finite].into_iter().chain(other);
        for (tangents, x) in all.flat_map(|tangents| POINTS.map(|x| (tangents, x))) {
            let lanes = f(DualN::new(x, std::array::from_fn(|lane| tangents[lane % 9]))).tangents();
            for (lane, got) in lanes.into_iter().enumerate() {
                let want = of_dual(Dual::new(x, tangents[lane % 9])).tangent();
                let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
                // Products that underflow may be zeros of either sign.
                let near = (got - want).abs() <= 4.0 * f64::EPSILON * want.abs() && tangents[lane % 9] != 0.0;
                // The exception that `DualN` states.
                let stays = N > 8 && tangents[lane % 9].is_infinite() && got.is_infinite() && want.is_nan();
                assert!(
                    same || near || stays,
                    "{got:e} for {want:e} at {x:e}, tangent {:e}",
                    tangents[lane % 9]
                );
            }
        }
    }
    macro_rules! functions {
        ($($f:expr),*) => {$(
            agree::<8>($f, $f);
            agree::<16>($f, $f);
        )*};
    }
    functions!(
        |x| x.recip(),
        |x| x.powi(-3),
        |x| x.powi(5),
        |x| x.powf_const(-2.5),
        |x| x.powf_const(3.5),
        |x| x.exp()
    );
}

/// Complex lanes equal `Dual` where a part of a tangent is infinite.
#[test]
fn complex_lanes_with_infinite_parts_are_duals() {
    let same = |a: Complex<f64>, b: Complex<f64>| {
        [(a.re, b.re), (a.im, b.im)].iter().all(|(a, b)| a == b || a.is_nan() && b.is_nan())
    };
    macro_rules! agree {
        ($($f:ident $arguments:tt at $z:expr;)*) => {$(
            let want = Dual::variable($z).$f $arguments.tangent();
            let lanes = DualN::<_, 16>::variable($z, 3).$f $arguments.tangents();
            assert!(same(lanes[3], want), "{}: {} for {want}", stringify!($f), lanes[3]);
            assert!(lanes.iter().enumerate().all(|(k, t)| k == 3 || *t == Complex::new(0.0, 0.0)));
        )*};
    }
    agree! {
        powi(3) at Complex::new(1.0, 1e200);
        exp() at Complex::new(710.0, 1.0);
        exp() at Complex::new(710.0, 0.0);
        recip() at Complex::new(1e-200, 1e-200);
    }
}
