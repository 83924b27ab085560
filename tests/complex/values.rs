//! Values of complex numbers with derivatives equal those of complex primal numbers, bit for bit.

use num_complex::{Complex, Complex64};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{ComplexVar, Dual, Number, Tape, complex};

/// Every pair of parts: ordinary, tiny, huge, signed zeros, infinite.
fn numbers() -> Vec<Complex64> {
    let parts = [0.3, -1.7, 4.0, 25.0, 0.0, -0.0, 1e-170, -1e170, f64::INFINITY, 5e-324];
    parts.iter().flat_map(|&re| parts.map(|im| Complex::new(re, im))).collect()
}

fn bits(z: Complex64) -> [u64; 2] {
    // One NaN is as good as another.
    [z.re, z.im].map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() })
}

#[derive(Default)]
struct Values {
    rules: usize,
    different: Vec<String>,
}

impl Values {
    fn compare(&mut self, name: &str, z: impl std::fmt::Debug, got: Complex64, want: Complex64) {
        if bits(got) != bits(want) {
            self.different.push(format!("{name} at {z:?}: {got:?}, not {want:?}"));
        }
    }
    /// A function of one number in both modes, against its value.
    fn one(
        &mut self,
        name: &str,
        recorded: impl Fn(ComplexVar<f64>) -> ComplexVar<f64>,
        dual: impl Fn(Dual<Complex64>) -> Dual<Complex64>,
        value: impl Fn(Complex64) -> Complex64,
    ) {
        let tape = Tape::new();
        for z in numbers() {
            let active = ComplexVar::new(tape.variable(z.re), tape.variable(z.im));
            self.compare(name, z, recorded(active).value(), value(z));
            self.compare(name, z, recorded(ComplexVar::constant(z)).value(), value(z));
            self.compare(name, z, dual(Dual::variable(z)).value(), value(z));
        }
    }
}

impl RuleVisitor for Values {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        self.rules += 1;
        let value = |z| rule.value_complex(z);
        self.one(H::NAME, |z| z.lift_holomorphic(rule), |z| z.lift_holomorphic(rule), value);
    }
    fn unary<U: Unary>(&mut self, _: U, _: [f64; 2]) {}
    fn binary<B: Binary>(&mut self, _: B, _: [[f64; 2]; 2]) {}
}

#[test]
fn functions_have_the_values_of_machine_numbers() {
    let mut found = Values::default();
    visit_rules(&mut found);
    found.one("neg", |z| -z, |z| -z, |z| -z);
    found.one("conj", Number::conj, Number::conj, |z| z.conj());
    found.one("3z", |z| z * 3.0, |z| z * 3.0, |z| z * 3.0);
    found.one("3·z", |z| 3.0 * z, |z| 3.0 * z, |z| 3.0 * z);
    found.one("z/3", |z| z / 3.0, |z| z / 3.0, |z| z / 3.0);
    found.one("z+3", |z| z + 3.0, |z| z + 3.0, |z| z + 3.0);
    found.one("powf", |z| complex::powf(z, 2.5), |z| complex::powf(z, 2.5), |z| complex::powf(z, 2.5));
    found.one("unit", complex::unit, complex::unit, complex::unit);
    found.one("sign", complex::sign, complex::sign, complex::sign);
    found.one("log", |z| complex::log(z, 2.5), |z| complex::log(z, 2.5), |z| complex::log(z, 2.5));
    let parts = |re, im| Complex64::new(re, im);
    let size = |z| parts(complex::abs(z), complex::arg(z));
    found.one(
        "abs, arg",
        |z| ComplexVar::new(complex::abs(z), complex::arg(z)),
        |z| Dual::constant(parts(complex::abs(z).value(), complex::arg(z).value())),
        |z| parts(z.norm(), z.arg()),
    );
    assert_eq!(bits(size(parts(3.0, 4.0))), bits(parts(5.0, 4f64.atan2(3.0))));
    assert!(found.rules > 30 && found.different.is_empty(), "{}", found.different.join("\n"));
}

#[test]
fn operators_have_the_values_of_machine_numbers() {
    let (mut found, tape) = (Values::default(), Tape::new());
    let active = |z: Complex64| ComplexVar::new(tape.variable(z.re), tape.variable(z.im));
    for z in numbers() {
        for w in numbers() {
            macro_rules! operators {
                ($($op:tt)*) => {$(
                    found.compare(stringify!($op), (z, w), (active(z) $op active(w)).value(), z $op w);
                    found.compare(stringify!($op), (z, w), (active(z) $op w).value(), z $op w);
                    let dual = Dual::variable(z) $op Dual::variable(w);
                    found.compare(stringify!($op), (z, w), dual.value(), z $op w);
                )*};
            }
            operators!(+ - * /);
            let powc = |z: Complex64, w| complex::powc(z, w);
            found.compare("powc", (z, w), complex::powc(active(z), active(w)).value(), powc(z, w));
            let dual = complex::powc(Dual::variable(z), Dual::variable(w));
            found.compare("powc", (z, w), dual.value(), powc(z, w));
        }
    }
    let all = numbers();
    let sum = all[..40].iter().map(|&z| active(z)).sum::<ComplexVar<f64>>();
    found.compare("sum", "", sum.value(), all[..40].iter().sum());
    assert!(found.different.is_empty(), "{} {}", found.different.len(), found.different[..20].join("\n"));
}

/// A real constant in front is the complex number `c + 0i`: num-complex has other signs of zeros there, no other value.
#[test]
fn constants_in_front_are_complex_numbers() {
    let tape = Tape::new();
    for z in numbers().into_iter().filter(|z| z.is_finite()) {
        let active = ComplexVar::new(tape.variable(z.re), tape.variable(z.im));
        assert_eq!((3.0 - active).value(), 3.0 - z);
        let (got, want) = ((3.0 / active).value(), 3.0 / z);
        assert!(got == want || got.is_nan() && want.is_nan(), "{z}: {got} {want}");
    }
    let z = ComplexVar::<f64>::constant(Complex::new(1.0, 0.0));
    assert_eq!(bits((3.0 - z).value()), bits(Complex::new(2.0, -0.0)));
    assert_eq!(bits(3.0 - Complex::new(1.0, 0.0)), bits(Complex::new(2.0, 0.0)));
}

/// `f(conj z) = conj f(z)`, and `f(−z) = −f(z)` of odd functions, bit for bit where there are cuts. A signed zero
/// marks the side of a cut, and each fact of one side holds on the other. Elsewhere the sign of a zero is the sign of
/// a sum.
#[test]
fn signed_zeros_are_sides() {
    let mut found = Values::default();
    let finite = numbers().into_iter().filter(|z| z.re.is_finite() && z.im.is_finite());
    let unsigned = |z: Complex64| z + Complex::new(0.0, 0.0);
    for z in finite.filter(|z| *z != Complex::new(0.0, 0.0)) {
        macro_rules! symmetric {
            ($sign:ident: $($f:ident)*) => {$(
                found.compare(stringify!($f), z, $sign(complex::$f(z.conj())), $sign(complex::$f(z).conj()));
            )*};
        }
        macro_rules! odd {
            ($($f:ident)*) => {$( found.compare(stringify!($f), z, complex::$f(-z), -complex::$f(z)); )*};
        }
        let signed = |z: Complex64| z;
        symmetric!(signed: exp exp2 ln ln_1p log2 log10 sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh
            atanh recip unit);
        symmetric!(unsigned: exp_m1 square sinc sinc_slope sinhc cosc coshc sech2);
        odd!(sin tan asin atan sinh tanh asinh atanh recip unit);
        for c in [2.5, -0.5, 3.0] {
            let powers = [z.conj(), z].map(|z| complex::powf(z, c));
            found.compare("powf", z, unsigned(powers[0]), unsigned(powers[1].conj()));
            found.compare("exp_base", z, complex::exp_base(z.conj(), 2.5), complex::exp_base(z, 2.5).conj());
            found.compare("log", z, complex::log(z.conj(), 2.5), complex::log(z, 2.5).conj());
        }
        for n in [-70, -2, 3, 4, 7] {
            let powers = [z.conj(), z].map(|z| complex::powi(z, n));
            found.compare("powi", z, unsigned(powers[0]), unsigned(powers[1].conj()));
        }
    }
    assert!(found.different.is_empty(), "{} {}", found.different.len(), found.different.join("\n"));
}

/// Values that C99 (annex G) prescribes on cuts and at poles; the real part first, the sign of zeros too.
#[test]
fn cuts_and_poles_are_those_of_c99() {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (mut found, inf) = (Values::default(), f64::INFINITY);
    let mut is = |name: &str, got: fn(Complex64) -> Complex64, z: [f64; 2], want: [f64; 2]| {
        let [z, want] = [z, want].map(|[re, im]| Complex::new(re, im));
        found.compare(name, z, got(z), want);
        found.compare(name, z.conj(), got(z.conj()), want.conj());
    };
    is("ln", complex::ln, [-0.0, 0.0], [-inf, PI]);
    is("ln", complex::ln, [0.0, 0.0], [-inf, 0.0]);
    is("ln", complex::ln, [-1.0, 0.0], [0.0, PI]);
    is("ln", complex::ln, [-inf, 1.0], [inf, PI]);
    is("sqrt", complex::sqrt, [-0.0, 0.0], [0.0, 0.0]);
    is("sqrt", complex::sqrt, [-4.0, 0.0], [0.0, 2.0]);
    is("sqrt", complex::sqrt, [1.0, inf], [inf, inf]);
    is("sqrt", complex::sqrt, [-inf, 1.0], [0.0, inf]);
    is("sqrt", complex::sqrt, [inf, 1.0], [inf, 0.0]);
    is("acos", complex::acos, [0.0, 0.0], [FRAC_PI_2, -0.0]);
    is("acosh", complex::acosh, [-0.0, 0.0], [0.0, FRAC_PI_2]);
    is("acosh", complex::acosh, [-1.0, 0.0], [0.0, PI]);
    is("asinh", complex::asinh, [0.0, 0.0], [0.0, 0.0]);
    is("atanh", complex::atanh, [0.0, 0.0], [0.0, 0.0]);
    is("atanh", complex::atanh, [1.0, 0.0], [inf, 0.0]);
    is("exp", complex::exp, [0.0, 0.0], [1.0, 0.0]);
    is("exp", complex::exp, [800.0, 0.0], [inf, 0.0]);
    is("cosh", complex::cosh, [0.0, 0.0], [1.0, 0.0]);
    is("sinh", complex::sinh, [800.0, 0.0], [inf, 0.0]);
    is("tanh", complex::tanh, [inf, 1.0], [1.0, 0.0]);
    assert!(found.different.is_empty(), "{}", found.different.join("\n"));
}

/// The statements of the documentation about num-complex.
#[test]
fn num_complex_loses_digits() {
    let z = Complex64::new(1.0, 1e-8);
    assert!(z.ln().re == 0.0 && (complex::ln(z).re / 5e-17 - 1.0).abs() < 1e-15);
    let z = Complex64::new(1e-200, 1e-200);
    assert!(!z.inv().is_finite() && complex::recip(z) == Complex::new(5e199, -5e199));
    let z = Complex64::new(0.3, 800.0);
    assert!(z.tan().is_nan() && complex::tan(z) == Complex::new(0.0, 1.0));
}

/// A quotient by a real number is a quotient by parts, also where one of the parts is not a number.
#[test]
fn quotients_by_real_numbers_keep_their_values() {
    let parts = [0.0, 1.0, f64::INFINITY, f64::NAN];
    for (re, im) in parts.into_iter().flat_map(|re| parts.map(|im| (re, im))) {
        for c in [0.0, 2.0, f64::INFINITY] {
            let (z, w) = (Complex64::new(re, im), wengert::Dual::variable(Complex64::new(re, im)) / c);
            assert_eq!(format!("{}", w.value()), format!("{}", z / c), "({z})/{c}");
        }
    }
}

/// `scale` and `unscale` have the bits of num-complex's operators, also of zero parts; derivatives in both modes.
#[test]
fn scaled_numbers_have_the_bits_of_num_complex() {
    use wengert::complex::{scale, unscale};
    let parts = [0.0, -0.0, 4.0, -1.5, 1e200, -1e-200];
    for (re, im) in parts.into_iter().flat_map(|re| parts.map(|im| (re, im))) {
        for x in [-1.0, 2.0, 1e160, -1e-160] {
            let z = Complex::new(re, im);
            let bits = |z: Complex<f64>| [z.re.to_bits(), z.im.to_bits()];
            assert_eq!(bits(scale(z, x)), bits(z * x));
            assert_eq!(bits(unscale(z, x)), bits(z / x));
            let (dual, dx) = (Dual::constant(z), Dual::variable(x));
            assert_eq!(bits(scale(dual, dx).value()), bits(z * x));
            assert_eq!(scale(dual, dx).tangent(), z, "{z} {x}");
        }
    }
    fn quotient<T: wengert::Real<Base = f64>>(x: &[T]) -> T {
        unscale(scale(T::Complex::from_parts(x[0], x[1]), x[2]), x[3]).im()
    }
    let x = [1.0, 3.0, 2e200, 4e200];
    let (tape, lanes) = (wengert::gradient(quotient, &x), wengert::forward::gradient(quotient, &x));
    for g in [tape, lanes] {
        let want: [f64; 4] = [0.0, 0.5, 3.0 / 4e200, -1.5 / 4e200];
        assert!(g.iter().zip(want).all(|(g, want)| (g - want).abs() <= 1e-15 * want.abs()), "{g:?}");
    }
}
