//! Values of complex numbers with derivatives are those of the complex machine numbers, bit for bit.

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
    found.one("powf", |z| complex::powf(z, 2.5), |z| complex::powf(z, 2.5), |z| z.powf(2.5));
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
            found.compare("powc", (z, w), complex::powc(active(z), active(w)).value(), z.powc(w));
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

/// Where num-complex's own functions are exact or nearly so they are taken; the others are this crate's.
#[test]
fn most_functions_are_those_of_num_complex() {
    let mut found = Values::default();
    macro_rules! same {
        ($($f:ident)*) => {$(
            for z in numbers() {
                found.compare(stringify!($f), z, complex::$f(z), Complex::$f(z));
            }
        )*};
    }
    same!(exp exp2 ln log2 log10 sqrt cbrt sin cos sinh cosh acosh);
    assert!(found.different.is_empty(), "{}", found.different.join("\n"));
    // 1/z: |z|² underflows there.
    let z = Complex64::new(1e-200, 1e-200);
    assert!(!z.inv().is_finite() && complex::recip(z) == Complex::new(5e199, -5e199));
}
