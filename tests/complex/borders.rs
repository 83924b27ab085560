//! Second derivatives of complex functions near the ends of the range: a tape beneath duals gives the derivatives of
//! nested duals.

use num_complex::{Complex, Complex64};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{ComplexVar, Dual, Number, Tape};

use crate::support::compare::{EPS, Findings};

const SIZES: [f64; 9] = [5e-324, 1e-310, 1e-160, 1e-30, 0.3, 1.0, 3.0, 1e160, 1e300];

fn points() -> impl Iterator<Item = Complex64> {
    let signed = || SIZES.into_iter().flat_map(|x| [x, -x]);
    signed().flat_map(move |re| signed().map(move |im| Complex::new(re, im)))
}

/// The tangents of the variables at these positions are 1.
fn unit(is_one: bool) -> Complex64 {
    Complex::new(f64::from(u8::from(is_one)), 0.0)
}

/// A finite derivative by nested duals, and its copy by a tape: `dy` is the cotangents of the real part.
fn compare(want: Complex64, dy: [f64; 2], found: &mut Findings, what: impl Fn() -> String) {
    if want.is_finite() {
        let got = Complex::new(dy[0], -dy[1]);
        let near = (got - want).l1_norm() <= 64.0 * EPS * want.l1_norm().max(f64::MIN_POSITIVE);
        found.check(near, || format!("{}: {got:e}, by nested duals {want:e}", what()));
    }
}

struct Functions(Findings);

impl RuleVisitor for Functions {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        for z in points() {
            let want = Dual::variable(Dual::variable(z)).lift_holomorphic(rule).tangent().tangent();
            let tape = Tape::new();
            let x = ComplexVar::new(tape.variable(z.re), tape.variable(z.im));
            let dy = tape.cotangents(Dual::variable(x).lift_holomorphic(rule).tangent().re());
            let name = <H as Holomorphic>::NAME;
            compare(want, [dy.of(x.re()), dy.of(x.im())], &mut self.0, || format!("{name} at {z:e}"));
        }
    }
    fn unary<U: Unary>(&mut self, _: U, _: [f64; 2]) {}
    fn binary<B: Binary>(&mut self, _: B, _: [[f64; 2]; 2]) {}
}

#[test]
fn second_derivatives_of_complex_functions_near_the_ends_of_the_range() {
    let mut functions = Functions(Findings::default());
    visit_rules(&mut functions);
    functions.0.report(5000);
}

#[test]
fn second_derivatives_of_complex_powers_near_the_ends_of_the_range() {
    let mut found = Findings::default();
    let exponents = [[0.3, 0.2], [1.5, 0.0], [1e-310, 0.0], [-1.0, 1e-200], [0.0, 3.0], [1e-5, 2.0]];
    for z in points() {
        for w in exponents.map(|[re, im]| Complex::new(re, im)) {
            for axes in [[0, 0], [0, 1], [1, 0], [1, 1]] {
                let at = |i: usize| {
                    let value = Dual::new([z, w][i], unit(axes[0] == i));
                    Dual::new(value, Dual::constant(unit(axes[1] == i)))
                };
                let want = Number::powc(at(0), at(1)).tangent().tangent();
                let tape = Tape::new();
                let x = [z, w].map(|z| ComplexVar::new(tape.variable(z.re), tape.variable(z.im)));
                let at = |i: usize| Dual::new(x[i], ComplexVar::constant(unit(axes[1] == i)));
                let dy = tape.cotangents(Number::powc(at(0), at(1)).tangent().re());
                let x = x[axes[0]];
                let what = || format!("{z:e}^{w:e} along {axes:?}");
                compare(want, [dy.of(x.re()), dy.of(x.im())], &mut found, what);
            }
        }
    }
    found.report(3000);
}
