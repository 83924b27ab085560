//! Second derivatives of complex functions near the ends of the range: a tape beneath duals gives the derivatives of
//! nested duals.

use num_complex::{Complex, Complex64};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{ComplexVar, Dual, Dual2, DualN, HyperDual, Number, Tape, Taylor, TaylorDyn};

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

/// Derivatives on the axes, where the sign of a zero is a side of a cut, at every number.
struct Sides(Findings);

impl RuleVisitor for Sides {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        let signed = |x: f64| [x, -x];
        let sizes = [0.3, 0.999, 1.7, 5.0, 400.0, 1e8, 1e150];
        let far = sizes.into_iter().flat_map(signed).flat_map(|x| signed(0.0).map(|zero| (x, zero)));
        for z in far.flat_map(|(x, zero)| [Complex::new(x, zero), Complex::new(zero, x)]) {
            let one = unit(true);
            let nested = Dual::variable(Dual::variable(z)).lift_holomorphic(rule);
            let want = [nested.value().tangent(), nested.tangent().tangent()];
            let series = Taylor::<_, 2>::variable(z).lift_holomorphic(rule).derivatives();
            let dynamic = TaylorDyn::<_, 2>::variable(z, 2).unwrap().lift_holomorphic(rule);
            let dynamic = [dynamic.coefficients()[0], dynamic.coefficients()[1] * 2.0];
            let hyper = HyperDual::new(z, one, one, unit(false)).lift_holomorphic(rule);
            let lanes = DualN::<_, 1>::variable(z, 0).lift_holomorphic(rule).tangents()[0];
            let square = Dual2::<_, 1, 1>::from_fn(z, |_| one, |_, _| unit(false)).lift_holomorphic(rule);
            let square = [square.gradient()[0], square.second(0, 0)];
            for (number, got) in [
                ("Taylor", series),
                ("TaylorDyn", dynamic),
                ("HyperDual", [hyper.e1(), hyper.e12()]),
                ("DualN", [lanes, want[1]]),
                ("Dual2", square),
            ] {
                for (order, (got, want)) in got.into_iter().zip(want).enumerate() {
                    let near = (got - want).l1_norm() <= 1e3 * EPS * want.l1_norm().max(1e-300);
                    self.0.check(near || !want.is_finite(), || {
                        let name = <H as Holomorphic>::NAME;
                        format!("{name} at {z:e}, {number}, order {}: {got:e}, by duals {want:e}", order + 1)
                    });
                }
            }
        }
    }
    fn unary<U: Unary>(&mut self, _: U, _: [f64; 2]) {}
    fn binary<B: Binary>(&mut self, _: B, _: [[f64; 2]; 2]) {}
}

#[test]
fn derivatives_are_those_of_a_side_of_a_cut_at_every_number() {
    let mut sides = Sides(Findings::default());
    visit_rules(&mut sides);
    sides.0.report(5000);
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

/// `z^z`, whose second derivative is `1/z` beside small terms.
#[test]
fn an_exponent_that_goes_to_zero_with_its_base() {
    for z in [Complex::new(1e-155, 0.0), Complex::new(1e-155, -1e-155), Complex::new(1e-200, 3e-210)] {
        let x = Dual::variable(Dual::variable(z));
        let [first, second] = [x.powc(x).tangent().value(), x.powc(x).tangent().tangent()];
        assert!((first / (z.ln() + 1.0) - 1.0).norm() < 1e-15, "{z:e}: {first}");
        assert!((second * z - 1.0).norm() < 1e-15, "{z:e}: {second:e}");
    }
}
