//! Every rule of the table at the edges of the number line, through every number type; the edge table of other
//! crates' failures; and typical traps for users.
//!
//! No derivative is stated here. The types must agree with `Dual` (first order) and `Dual<Dual>` (second order), which the
//! oracle tables verify, and follow the conventions for zeros and NaN.

#![allow(clippy::type_complexity)] // functions as fields, written out

#[allow(dead_code, clippy::approx_constant, clippy::excessive_precision)] // each test takes a part; tables have rounded numbers
#[macro_use]
mod support {
    #[macro_use]
    mod numbers;
    pub mod compare;
    pub mod expressions;
    mod requirements;
    pub mod routes;
    pub mod subjects;
    pub mod tables;
}

#[path = "support/random.rs"]
mod random;

#[path = "borders/densities.rs"]
mod densities;
#[path = "borders/far.rs"]
mod far;
#[path = "borders/hessians.rs"]
mod hessians;
#[path = "borders/powers.rs"]
mod powers;
#[cfg(feature = "macros")]
#[path = "borders/substitutes.rs"]
mod substitutes;
#[path = "borders/zero_factors.rs"]
mod zero_factors;

use std::marker::PhantomData;

use random::Part;
use support::compare::{EPS, Findings};
use support::expressions::{EXPRESSIONS, Expression};
use support::routes::{Program, Route, axes, chosen, slices, units};
use support::subjects::{
    CHOOSING, Complexified, DIVISIONS, Division, INNER, METHODS, Method, One, PLAIN, Two,
};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{BaseFloat, Dual, HyperDual, Real, reduce};

/// Whether the float is f64.
fn is_wide<F: BaseFloat>() -> bool {
    F::from_double(1e300).to_double() == 1e300
}

/// The edge arguments; 1e±300 is beyond `f32`, whose own edges are 1e±30.
fn edges<F: BaseFloat>() -> Vec<F> {
    let huge: f64 = if is_wide::<F>() { 1e300 } else { 1e30 };
    let finite = [0.0, 1.0, 0.5, 2.0, huge, huge.recip(), f64::INFINITY];
    let signed = finite.iter().flat_map(|&x| [x, -x]);
    signed.chain([f64::NAN]).map(F::from_double).collect()
}

/// NaN for NaN, and equal up to `limit` eps of the float type, relative to the larger of `b` and `block`.
fn agree<F: BaseFloat>(a: F, b: F, limit: f64, block: f64) -> bool {
    let (eps, tiny) = match is_wide::<F>() {
        true => (EPS, f64::MIN_POSITIVE),
        false => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)),
    };
    let (a, b) = (a.to_double(), b.to_double());
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= limit * eps * block.max(b.abs()).max(tiny)
}

/// A rule at the float and at simple duals. A trait of it compiles to fewer functions than a closure for each method.
trait Plain<F> {
    fn value(&self, x: &[F]) -> F;
    fn first(&self, x: &[F], along: &[&[F]]) -> Vec<F>;
    fn second(&self, x: &[F], along: &[&[F]]) -> Vec<F>;
}
impl<F: BaseFloat + Route<Base = F>, P: Program<F>> Plain<F> for P {
    fn value(&self, x: &[F]) -> F {
        self.call::<F>(x)[0]
    }
    fn first(&self, x: &[F], along: &[&[F]]) -> Vec<F> {
        Dual::<F>::run(self, x, along)
    }
    fn second(&self, x: &[F], along: &[&[F]]) -> Vec<F> {
        Dual::<Dual<F>>::run(self, x, along)
    }
}

/// A rule at a number type.
trait Derived<F> {
    fn derivatives(&self, x: &[F], along: &[&[F]]) -> Vec<F>;
}
struct At<'a, R, P>(&'a P, PhantomData<R>);
impl<R: Route, P: Program<R::Base>> Derived<R::Base> for At<'_, R, P> {
    fn derivatives(&self, x: &[R::Base], along: &[&[R::Base]]) -> Vec<R::Base> {
        R::run(self.0, x, along)
    }
}

/// A rule at a number type, and at simple duals for comparison.
struct Subject<'a, F> {
    name: String,
    order: usize,
    one_direction: bool,
    plain: &'a dyn Plain<F>,
    at: &'a dyn Derived<F>,
}

/// Holds the rule to the laws at each point, and to strong zeros after functions of infinite derivative at 0. The
/// programs are the rule after each of `INNER`.
fn hold<R: Route>(
    route: &str,
    name: &str,
    programs: &[impl Program<R::Base>; 4],
    points: &[Vec<R::Base>],
    found: &mut Findings,
) {
    let [a, b, c, d] = programs;
    let at = |program| At::<R, _>(program, PhantomData);
    let all: [(&dyn Plain<R::Base>, &dyn Derived<R::Base>); 4] =
        [(a, &at(a)), (b, &at(b)), (c, &at(c)), (d, &at(d))];
    hold_all((route, name), (R::ORDER, R::ONE_DIRECTION), all, points, found);
}

/// The part that depends on the float only.
fn hold_all<F: BaseFloat>(
    (route, name): (&str, &str),
    (order, one_direction): (usize, bool),
    programs: [(&dyn Plain<F>, &dyn Derived<F>); 4],
    points: &[Vec<F>],
    found: &mut Findings,
) {
    for (k, (plain, at)) in programs.into_iter().enumerate() {
        let name_of_program = format!("{name} {route}{}", ["", " after sqrt", " after cbrt", " after ln"][k]);
        let subject = Subject { name: name_of_program, order, one_direction, plain, at };
        for x in points.iter().filter(|x| k == 0 || x[0].to_double().to_bits() == 0) {
            if k == 0 {
                subject.agrees(x, found);
            }
            if !PLAIN.contains(&name) {
                subject.keeps_zeros(x, found);
            }
        }
    }
}

impl<F: BaseFloat> Subject<'_, F> {
    /// The value is the float's own. The derivatives equal the derivatives of simple duals, and are NaN if the value is
    /// NaN.
    fn agrees(&self, x: &[F], found: &mut Findings) {
        let (name, value) = (&self.name, self.plain.value(x));
        for axes in axes(x.len(), self.order, self.one_direction) {
            let got = self.at.derivatives(x, &slices(&units(x.len(), &axes)));
            found.check(same(got[0], value), || {
                format!("{name} at {x:?}: value {:e}, std's {value:e}", got[0])
            });
            for (set, &got) in got.iter().enumerate().skip(1) {
                let chosen = chosen(&axes, set);
                let plain = CHOOSING.iter().chain(&PLAIN).any(|plain| name.starts_with(plain));
                let beside_nan = !is_nan(value) || is_nan(got) || plain;
                found.check(beside_nan, || format!("{name} at {x:?} along {chosen:?}: {got:e} beside NaN"));
                let (want, limit) = match chosen.len() {
                    1 => ([self.plain.first(x, &slices(&units(x.len(), &chosen)))[1]; 2], 4.0),
                    2 => (self.second(x, &chosen, found), 16.0),
                    _ => continue,
                };
                // In a third-order type the third derivatives of powers overflow with opposite signs first.
                let power = name.starts_with("powf ") || name.starts_with("powc ");
                if power && (self.order, chosen.len()) == (3, 2) && chosen[0] == chosen[1] && is_nan(got) {
                    continue;
                }
                // The two modes differ by nature where a factor of a plain product is infinite: forward mode
                // multiplies the other's tangent of zero by it; a tape has no zero tangents, and the partial is
                // the factor itself.
                let product = PLAIN.iter().any(|plain| name.starts_with(plain)) && name.contains("Var");
                if product && x.iter().any(|x| !x.to_double().is_finite()) && is_nan(want[0]) {
                    continue;
                }
                let block = self.block(x, chosen.len());
                found.check(want.iter().any(|&want| agree(got, want, limit, block)), || {
                    format!("{name} at {x:?} along {chosen:?}: got {got:e}, simple duals {want:?}")
                });
            }
        }
    }
    /// The second derivative by nested duals, which is the same in both orders of nesting.
    fn second(&self, x: &[F], axes: &[usize], found: &mut Findings) -> [F; 2] {
        let orders = [[axes[0], axes[1]], [axes[1], axes[0]]];
        let [a, b] = orders.map(|axes| self.plain.second(x, &slices(&units(x.len(), &axes)))[3]);
        let (name, block) = (&self.name, self.block(x, 2));
        // The mixed derivative of this one is a difference of numbers that overflow, and 0 or not by the last digit.
        let overflows = |t: F| !t.to_double().is_finite();
        let lost =
            name.starts_with("atan2 ") && x[0].to_double().abs() == x[1].to_double().abs() && block == 0.0;
        let lost = lost && (overflows(a) || overflows(b));
        found.check(lost || agree(a, b, 16.0, block), || {
            format!("{name} at {x:?} along {axes:?}: {a:e}, in the other order {b:e}")
        });
        if lost { [a, b] } else { [a; 2] }
    }
    /// The largest derivative of an order, which differences that cancel are measured by.
    fn block(&self, x: &[F], order: usize) -> f64 {
        let size = |axes: Vec<usize>| {
            let along = units(x.len(), &axes);
            let along = slices(&along);
            let all = if order == 1 { self.plain.first(x, &along) } else { self.plain.second(x, &along) };
            all[all.len() - 1].to_double().abs()
        };
        axes(x.len(), order, false).into_iter().map(size).filter(|s| s.is_finite()).fold(0.0, f64::max)
    }
    /// Tangents that are exactly zero stay exactly zero, whatever the other directions do.
    fn keeps_zeros(&self, x: &[F], found: &mut Findings) {
        let [zero, one] = [0.0, 1.0].map(|c| vec![F::from_double(c); x.len()]);
        let choices = if self.one_direction { 1 } else { 1_usize << self.order };
        for active in 0..choices {
            let direction = |k| if active >> k & 1 == 1 { &one[..] } else { &zero[..] };
            let along: Vec<&[F]> = (0..self.order).map(direction).collect();
            for (set, &got) in self.at.derivatives(x, &along).iter().enumerate().skip(1) {
                let holds = set & !active == 0 || got.to_double() == 0.0;
                let name = &self.name;
                found.check(holds, || {
                    format!("{name} at {x:?}: active {active:b}, tangent {set:b} is {got:e}")
                });
            }
        }
    }
}

fn same<F: BaseFloat>(a: F, b: F) -> bool {
    let (a, b) = (a.to_double(), b.to_double());
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn is_nan<F: BaseFloat>(x: F) -> bool {
    x.to_double().is_nan()
}

/// Holds every rule that it receives to the laws.
struct Laws(Findings, Part);

impl RuleVisitor for Laws {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        let programs = &INNER.map(|i| Complexified(rule, i));
        hold::<Dual<f64>>("Dual (complex)", H::NAME, programs, &singles(), &mut self.0);
        hold::<HyperDual<f64>>("HyperDual (complex)", H::NAME, programs, &singles(), &mut self.0);
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, _on: [f64; 2]) {
        let programs = &INNER.map(|i| One(rule, i));
        every_number!([kinds third] hold(U::NAME, programs, &singles(), &mut self.0));
        every_number!([single] hold(U::NAME, programs, &singles(), &mut self.0));
    }
    fn binary<B: Binary>(&mut self, rule: B, _on: [[f64; 2]; 2]) {
        let programs = &INNER.map(|i| Two(rule, i));
        every_number!([kinds third] hold(B::NAME, programs, &self.1.of(pairs()), &mut self.0));
        every_number!([single] hold(B::NAME, programs, &self.1.of(pairs()), &mut self.0));
    }
}

fn points<F: BaseFloat>(arguments: usize) -> Vec<Vec<F>> {
    if arguments == 1 { singles() } else { pairs() }
}

fn singles<F: BaseFloat>() -> Vec<Vec<F>> {
    edges().into_iter().map(|x| vec![x]).collect()
}

fn pairs<F: BaseFloat>() -> Vec<Vec<F>> {
    edges().into_iter().flat_map(|x| edges().into_iter().map(move |y| vec![x, y])).collect()
}

#[test]
fn every_rule_of_the_table_keeps_the_laws() {
    let mut laws = Laws(Findings::default(), Part::one_in(3));
    visit_rules(&mut laws);
    laws.0.report(1_060_000);
}

#[test]
fn divisions_keep_the_laws() {
    let mut found = Findings::default();
    for (k, (name, arguments)) in DIVISIONS.into_iter().enumerate() {
        let programs = &INNER.map(|i| Division(k, i));
        every_number!([kinds third] hold(name, programs, &points(arguments), &mut found));
        every_number!([single] hold(name, programs, &points(arguments), &mut found));
    }
    found.report(196_000);
}

#[test]
fn methods_keep_the_laws() {
    let mut found = Findings::default();
    for (k, (name, arguments)) in METHODS.into_iter().enumerate() {
        let programs = &INNER.map(|i| Method(k, i));
        every_number!([kinds third] hold(name, programs, &points(arguments), &mut found));
        every_number!([single] hold(name, programs, &points(arguments), &mut found));
    }
    found.report(629_000);
}

/// Functions that begin at 0 have the derivatives of +0 at −0 too: both are the same end of their domain.
#[test]
fn one_sided_functions_ignore_the_sign_of_zero() {
    type H = HyperDual<f64>;
    let one_sided: [(&str, fn(H) -> H); 9] = [
        ("sqrt", |x| x.sqrt()),
        ("powf", |x| x.powf(0.5)),
        ("ln", |x| x.ln()),
        ("log2", |x| x.log2()),
        ("log10", |x| x.log10()),
        ("log", |x| x.log(2.0)),
        ("entr", |x| x.entr()),
        ("xlogy", |x| H::constant(3.0).xlogy(x)),
        ("active powf", |x| x.powf(HyperDual::new(0.5, 1.0, 0.0, 0.0))),
    ];
    for (name, f) in one_sided {
        let [plus, minus] = [0.0, -0.0].map(|x| f(HyperDual::variable(x)));
        let parts = |y: H| [y.e1(), y.e2(), y.e12()];
        for (a, b) in parts(plus).into_iter().zip(parts(minus)) {
            assert!(a == b || a.is_nan() && b.is_nan(), "{name}: {plus} at 0, {minus} at −0");
        }
    }
}

/// Any integer is a parameter: functions of huge order are 0 where they underflow, and return quickly.
#[test]
fn orders_have_no_end() {
    for n in [u32::MAX, u32::MAX - 1, 1 << 31, (1 << 31) - 1, 200_000_000, 1_000_001] {
        for x in [0.0, -0.0, 1.5, -1.5, 1000.0, f64::INFINITY, f64::NEG_INFINITY] {
            for y in [Dual::variable(x).bessel_j(n), Dual::variable(x).sph_j(n)] {
                assert_eq!((y.value(), y.tangent()), (0.0, 0.0), "order {n} at {x}");
            }
        }
        let beyond = Dual::variable(1.5f64).polygamma(n);
        assert!(beyond.value().is_nan() && beyond.tangent().is_nan());
        // In range of the argument, but beyond the orders that are computed.
        assert!(Dual::variable(1e300f64).bessel_j(n).is_nan());
    }
    assert!(Dual::variable(1.5f64).polygamma(127).tangent().is_finite());
    type Family = fn(Dual<f64>, u32) -> Dual<f64>;
    let families: [(Family, u32); 5] = [
        (|x, n| x.erfcx_derivative(n), 128),
        (|x, n| x.ln_norm_cdf_derivative(n), 64),
        (|x, n| x.polygamma_increment(0.5, n), 128),
        (|x, n| x.exprel_derivative(n), 128),
        (|a, n| Dual::constant(2.5).gamma_p_derivative(a, n), 32),
    ];
    for (family, last) in families {
        let at = |n| family(Dual::variable(1.5), n);
        assert!(at(last - 1).tangent().is_finite() && at(last).value().is_finite());
        assert!(at(last).tangent().is_nan() && [last + 1, u32::MAX].iter().all(|&n| at(n).is_nan()));
    }
}

/// By mpmath at 50 digits.
#[test]
fn special_functions_at_half_integers_and_subnormal_arguments() {
    // The quotient of the first term of the density overflows before the density does.
    assert!((1e-310.gamma_pdf(0.1) / 1.051_137_006_111_786_8e278 - 1.0).abs() < 1e-14);
    // The terms of all integers cancel for even orders.
    for (n, x, want) in [
        (10, -170.5, -1.697_203_276_151_894_2e-17),
        (8, -170.5, -6.893_140_000_829_398e-15),
        (2, -3.5, -0.061_556_821_321_027_695),
    ] {
        assert!((Real::polygamma(x, n) / want - 1.0_f64).abs() < EPS, "polygamma({n}) at {x}");
    }
    // Rounded right only if the rounding errors of x + 1, x + 2, … are put back.
    for (n, x, want) in [
        (1, 7.287_162_776_999_996, 0.147_072_426_765_508_97),
        (2, 2.253_638_631_999_997_3, -0.302_562_416_039_845_8),
        (2, 4.227_391_750_999_993, -0.070_731_746_159_696_2),
        (2, 5.567_048_289_999_998, -0.038_577_450_220_485_754),
    ] {
        assert_eq!(Real::polygamma(x, n), want, "polygamma({n}) at {x}");
    }
}

/// By mpmath at 60 digits, at 2 and 5, relative to the largest value over x.
#[test]
fn derivatives_in_a_shape_keep_the_digits_that_are_stated() {
    for (n, want, largest, limit) in [
        (4, [-0.120_713_561_400_718_66, 0.029_470_076_092_373_316], 0.22, 4e-15),
        (8, [-0.183_100_152_832_854_33, 0.043_888_921_309_768_878], 5.78, 1e-14),
        (16, [-49.516_780_791_665_38, -0.238_890_843_311_683_83], 146_528.0, 1e-11),
    ] {
        for (x, want) in [2.0, 5.0].into_iter().zip(want) {
            let got: f64 = Real::gamma_p_derivative(x, 2.5, n);
            assert!((got - want).abs() < limit * largest, "order {n} at {x}: {got:e}, {want:e}");
        }
    }
}

/// The values and derivatives of distributions at the ends of their domains are the limits; outside there is nothing.
#[test]
fn distributions_have_their_limits() {
    type D = Dual<f64>;
    const INF: f64 = f64::INFINITY;
    let limits: [(&str, fn(D) -> D, f64, [f64; 2]); 37] = [
        ("erfcx", |x| x.erfcx(), INF, [0.0, 0.0]),
        ("erfcx", |x| x.erfcx(), -INF, [INF, -INF]),
        ("norm_pdf", |x| x.norm_pdf(), INF, [0.0, 0.0]),
        ("norm_cdf", |x| x.norm_cdf(), INF, [1.0, 0.0]),
        ("norm_cdf", |x| x.norm_cdf(), -INF, [0.0, 0.0]),
        ("ln_norm_cdf", |x| x.ln_norm_cdf(), INF, [0.0, 0.0]),
        ("ln_norm_cdf", |x| x.ln_norm_cdf(), -INF, [-INF, INF]),
        ("inverse_mills_ratio", |x| x.inverse_mills_ratio(), INF, [0.0, 0.0]),
        ("inverse_mills_ratio", |x| x.inverse_mills_ratio(), -INF, [INF, -1.0]),
        ("norm_quantile", |x| x.norm_quantile(), 0.0, [-INF, INF]),
        ("norm_quantile", |x| x.norm_quantile(), 1.0, [INF, INF]),
        ("exprel", |x| x.exprel(), INF, [INF, INF]),
        ("exprel", |x| x.exprel(), -INF, [0.0, 0.0]),
        ("ln_1m_exp", |x| x.ln_1m_exp(), 0.0, [-INF, -INF]),
        ("ln_1m_exp", |x| x.ln_1m_exp(), -0.0, [-INF, -INF]),
        ("ln_1m_exp", |x| x.ln_1m_exp(), -INF, [0.0, 0.0]),
        ("beta", |x| x.beta(2.0), 0.0, [INF, -INF]),
        ("beta", |x| x.beta(2.0), INF, [0.0, 0.0]),
        ("beta", |x| D::constant(2.0).beta(x), INF, [0.0, 0.0]),
        ("ln_beta", |x| x.ln_beta(2.0), 0.0, [INF, -INF]),
        ("ln_beta", |x| x.ln_beta(2.0), INF, [-INF, 0.0]),
        ("gamma_p of 1/2", |x| x.gamma_p(0.5), 0.0, [0.0, INF]),
        ("gamma_p of 1", |x| x.gamma_p(1.0), 0.0, [0.0, 1.0]),
        ("gamma_p of 2", |x| x.gamma_p(2.0), 0.0, [0.0, 0.0]),
        ("gamma_p", |x| x.gamma_p(2.0), INF, [1.0, 0.0]),
        ("gamma_p of 0", |x| x.gamma_p(0.0), 2.0, [1.0, 0.0]),
        ("gamma_q of 1", |x| x.gamma_q(1.0), 0.0, [1.0, -1.0]),
        ("gamma_q", |x| x.gamma_q(2.0), INF, [0.0, 0.0]),
        ("gamma_q of infinity", |x| x.gamma_q(INF), 2.0, [1.0, 0.0]),
        ("gamma_pdf of 1", |x| x.gamma_pdf(1.0), 0.0, [1.0, -1.0]),
        ("gamma_pdf of 2", |x| x.gamma_pdf(2.0), 0.0, [0.0, 1.0]),
        ("beta_i", |x| x.beta_i([1.0, 2.0]), 0.0, [0.0, 2.0]),
        ("beta_i", |x| x.beta_i([1.0, 2.0]), 1.0, [1.0, 0.0]),
        ("beta_i", |x| x.beta_i([2.0, 0.5]), 1.0, [1.0, INF]),
        ("beta_i of 0", |x| x.beta_i([0.0, 2.0]), 0.5, [1.0, 0.0]),
        ("beta_pdf", |x| x.beta_pdf([2.0, 2.0]), 0.0, [0.0, 6.0]),
        ("beta_pdf", |x| x.beta_pdf([2.0, 2.0]), 1.0, [0.0, -6.0]),
    ];
    for (name, f, x, want) in limits {
        let y = f(D::variable(x));
        assert_eq!([y.value(), y.tangent()], want, "{name} at {x}");
        assert_eq!(f(D::constant(x)).tangent(), 0.0, "{name} of a constant {x}");
    }
    // Parameters at the ends of the range of numbers: a share is between 0 and 1, and is computed quickly.
    for a in [1e-300, 1e-20, 1.5, 1e6, 1e20, 1e250] {
        for b in [1e-300, 1e-20, 1.5, 1e6, 1e200] {
            for x in [1e-300, 1e-200, 0.25, 1.0 - 1e-16] {
                let share = x.beta_i([a, b]);
                assert!((0.0..=1.0).contains(&share), "beta_i of [{a}, {b}] at {x}: {share}");
                assert!(x.beta_pdf([a, b]) >= 0.0, "beta_pdf of [{a}, {b}] at {x}");
            }
            let shares = [b.gamma_p(a), b.gamma_q(a)];
            assert!(
                (shares[0] + shares[1] - 1.0).abs() < EPS,
                "gamma_p and gamma_q of {a} at {b}: {shares:?}"
            );
            assert!(b.gamma_pdf(a) >= 0.0, "gamma_pdf of {a} at {b}");
        }
    }
    let outside: [fn(D) -> D; 9] = [
        |x| x.beta(2.0),
        |x| x.ln_beta(2.0),
        |x| x.polygamma_increment(2.0, 0),
        |x| x.gamma_p(2.0),
        |x| x.gamma_q(2.0),
        |x| x.gamma_pdf(2.0),
        |x| x.beta_i([2.0, 3.0]),
        |x| x.beta_pdf([2.0, 3.0]),
        |x| (-x).gamma_p(-2.0),
    ];
    for (k, f) in outside.iter().enumerate() {
        for y in [f(D::variable(-0.5)), f(D::variable(f64::NAN))] {
            assert!(y.value().is_nan() && y.tangent().is_nan(), "{k}: {y}");
        }
    }
}

/// Odd and even functions have derivatives of the other parity, and again, at any size.
#[test]
fn derivatives_have_the_parity_of_their_functions() {
    type H = HyperDual<f64>;
    type Rule = (&'static str, fn(H) -> H);
    let odd: [Rule; 17] = [
        ("recip", |x| x.recip()),
        ("cbrt", |x| x.cbrt()),
        ("sin", |x| x.sin()),
        ("tan", |x| x.tan()),
        ("asin", |x| x.asin()),
        ("atan", |x| x.atan()),
        ("sinh", |x| x.sinh()),
        ("tanh", |x| x.tanh()),
        ("asinh", |x| x.asinh()),
        ("atanh", |x| x.atanh()),
        ("cosc", |x| x.cosc()),
        ("coshc", |x| x.coshc()),
        ("erf", |x| x.erf()),
        ("erfinv", |x| x.erfinv()),
        ("bessel_j1", |x| x.bessel_j1()),
        ("sph_j1", |x| x.sph_j1()),
        ("powi", |x| x.powi(-3)),
    ];
    let even: [Rule; 11] = [
        ("square", |x| x.square()),
        ("abs", |x| x.abs()),
        ("cos", |x| x.cos()),
        ("cosh", |x| x.cosh()),
        ("sech2", |x| x.sech2()),
        ("sinc", |x| x.sinc()),
        ("sinhc", |x| x.sinhc()),
        ("gaussian", |x| x.gaussian()),
        ("bessel_j2", |x| x.bessel_j2()),
        ("sph_j2", |x| x.sph_j2()),
        ("powf", |x| x.powf(4.0)),
    ];
    for (name, f, sign) in odd.map(|(n, f)| (n, f, -1.0)).into_iter().chain(even.map(|(n, f)| (n, f, 1.0))) {
        for x in edges::<f64>() {
            let [plus, minus] = [x, -x].map(|x| f(HyperDual::variable(x)));
            let parts = [
                (plus.value(), sign * minus.value()),
                (plus.e1(), -sign * minus.e1()),
                (plus.e12(), sign * minus.e12()),
            ];
            for (a, b) in parts {
                assert!(a == b || a.is_nan() && b.is_nan(), "{name} at {x}: {plus}, at {}: {minus}", -x);
            }
            let (a, b) = parts[0];
            assert!(a.is_nan() || a.signum() == b.signum(), "{name}: {a} at {x}, {b} at {}", -x);
        }
    }
}

/// Even exponents whose predecessor is no f32: the derivative of an even power is odd.
#[test]
fn even_powers_have_odd_derivatives() {
    for n in [16777218, 33554436, 2147483392] {
        let [powi, powf] = [Dual::variable(-1.0f32).powi(n), Dual::variable(-1.0).powf(n as f32)];
        assert_eq!((powi.value(), powi.tangent()), (1.0, -n as f32));
        assert_eq!((powf.value(), powf.tangent()), (1.0, -n as f32));
    }
    assert_eq!(Dual::variable(-1.0f32).powi(16777217).tangent(), 16777217.0);
    assert_eq!(Dual::variable(-1.0f32).powi(33554435).tangent(), 33554435.0);
}

/// `norm` is `hypot` for two elements at any size, to second order, and linear in the tangent.
#[test]
fn norms_at_any_size_are_hypotenuses() {
    let sizes = [1e-310, 1e-250, 1e-30, 1e-18, 1.0, 1e17, 1e18, 1e30, 3e200, 1e308, f64::INFINITY];
    let close = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 8.0 * EPS * b.abs();
    for size in sizes {
        for tangents in [[1.0, 0.0], [0.0, 1.0], [1e-10, 0.0]] {
            let [x, y] = [0, 1].map(|i| HyperDual::new([0.7, 0.9][i] * size, tangents[i], tangents[i], 0.0));
            let (norm, hypot) = (reduce::norm(&[x, y]), x.hypot(y));
            for (a, b) in [(norm.value(), hypot.value()), (norm.e1(), hypot.e1()), (norm.e12(), hypot.e12())]
            {
                assert!(close(a, b), "{x} {y}: {norm}, {hypot}");
            }
        }
    }
    let tiny = reduce::norm(&[Dual::variable(1e-310), Dual::constant(1e-310)]).tangent();
    assert!(close(tiny, 0.5f64.sqrt()), "{tiny}");
    let tiny = reduce::norm(&[Dual::variable(1e-40f32), Dual::constant(1e-40)]).tangent();
    assert!((tiny - 0.5f32.sqrt()).abs() < 1e-6, "{tiny}");
    assert_eq!(reduce::norm(&[Dual::new(1e308, 1e-10), Dual::constant(0.0)]).tangent(), 1e-10);
    let many = reduce::norm(&vec![9e17f32; 1000]);
    assert!((many / 2.84605e19 - 1.0).abs() < 1e-4, "{many:e}");
    assert_eq!(reduce::norm(&[Dual::variable(f64::INFINITY), Dual::constant(1.0)]).tangent(), 1.0);
}

/// An angle without a direction has no derivatives of first and second order, in forward and reverse mode.
#[test]
fn the_angle_of_the_origin_has_no_derivatives() {
    let angle = |y: Dual<Dual<f64>>, x| y.atan2(x);
    let [zero, still] = [Dual::variable(Dual::variable(0.0)), Dual::constant(Dual::constant(0.0))];
    for y in [angle(zero, still), angle(still, zero), angle(zero, zero)] {
        assert!(y.tangent().value().is_nan() && y.tangent().tangent().is_nan(), "{y:?}");
    }
    assert_eq!(angle(still, still).tangent(), Dual::constant(0.0));
    let hessians: [nalgebra::Matrix2<f64>; 2] = [
        wengert::hessian(|v| v[0].atan2(v[1]), &[0.0, 0.0]),
        wengert::forward::hessian(|v| v[0].atan2(v[1]), &[0.0, 0.0]),
    ];
    assert!(hessians.iter().all(|h| h.iter().all(|x| x.is_nan())), "{hessians:?}");
    let mut second = Vec::new();
    let first = |x: &[wengert::Var<f64>]| {
        wengert::gradient(|y: &[wengert::Var<wengert::Var<f64>>]| y[0].atan2(y[1]), x)[0]
    };
    second.extend(wengert::gradient(first, &[0.0, 0.0]));
    assert!(second.iter().all(|x| x.is_nan()), "{second:?}");
}

/// The table's digits: 6 where it has 6.
fn digits(got: f64, want: f64) -> bool {
    got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= 5e-6 * want.abs() && want != 0.0
}

fn expression<R: Route<Base = f64>>(route: &str, found: &mut Findings) {
    for (index, &(name, x, value, derivative)) in EXPRESSIONS.iter().enumerate() {
        let got = R::run(&Expression(index), &[x], &vec![&[1.0][..]; R::ORDER]);
        for (order, want) in [(0, value), (1, derivative)] {
            let got = got[order];
            found.check(digits(got, want), || {
                format!("{name} {route} order {order}: got {got:e}, want {want:e}")
            });
        }
    }
}

#[test]
fn expressions_where_other_crates_fail() {
    let mut found = Findings::default();
    every_number!([kinds third] expression(&mut found));
    found.report(2 * 6 * EXPRESSIONS.len());
}
