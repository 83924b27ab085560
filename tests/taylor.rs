//! Truncated power series: against nested duals, closed forms, and the conventions at every order.

#[path = "support/panics.rs"]
mod panics;
#[path = "support/random.rs"]
mod random;
mod taylor {
    mod bent;
    mod coefficients;
    mod cost;
    mod counted;
    mod few;
    mod ode;
    mod powers;
    mod primitives;
    mod requests;
}

use num_complex::Complex;
use wengert::programs::trace;
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::series::{derivatives, directional, directional_gradient, mixed, taylor, tensor};
use wengert::{AdError, BaseFloat, Dual, Number, Real, Taylor, TaylorDyn, Var, gradient};

/// The distance in units of the last digit of the larger one; zero for two of the same kind.
fn eps_between(got: f64, want: f64) -> f64 {
    if got == want || got.is_nan() && want.is_nan() {
        0.0
    } else {
        (got - want).abs() / want.abs() / f64::EPSILON
    }
}

/// Nested duals, whose levels all have one direction.
trait Tower: Real<Base = f64> {
    /// A curve by its derivatives.
    fn curve(d: &[f64]) -> Self;
    /// The derivatives of orders 0, 1, …
    fn orders(self) -> Vec<f64>;
}
impl Tower for f64 {
    fn curve(d: &[f64]) -> f64 {
        d[0]
    }
    fn orders(self) -> Vec<f64> {
        vec![self]
    }
}
impl<T: Tower> Tower for Dual<T> {
    fn curve(d: &[f64]) -> Self {
        Dual::new(T::curve(d), T::curve(&d[1..]))
    }
    fn orders(self) -> Vec<f64> {
        let mut orders = self.value().orders();
        orders.extend(self.tangent().orders().pop());
        orders
    }
}
type D4 = Dual<Dual<Dual<Dual<f64>>>>;
type D8 = Dual<Dual<Dual<Dual<D4>>>>;

/// A function of one or two variables at any number.
trait Function {
    fn at<T: Real<Base = f64>>(&self, x: T, y: T) -> T;
}
struct OfUnary<U>(U);
impl<U: Unary> Function for OfUnary<U> {
    fn at<T: Real<Base = f64>>(&self, x: T, _: T) -> T {
        x.lift1(self.0)
    }
}
struct OfBinary<B>(B);
impl<B: Binary> Function for OfBinary<B> {
    fn at<T: Real<Base = f64>>(&self, x: T, y: T) -> T {
        x.lift2(y, self.0)
    }
}

/// The derivatives along two curves, from coefficients of orders `0..=9`, by nested duals.
fn nested<T: Tower>(f: &impl Function, x: &[f64; 10], y: &[f64; 10]) -> Vec<f64> {
    f.at(T::curve(&by_factorials(x)), T::curve(&by_factorials(y))).orders()
}

fn by_factorials(c: &[f64; 10]) -> Vec<f64> {
    let factorials = (0..10).scan(1.0, |f, k| {
        *f *= if k == 0 { 1.0 } else { f64::from(k) };
        Some(*f)
    });
    c.iter().zip(factorials).map(|(c, f)| c * f).collect()
}

/// On a thread with room for deep nests of calls without optimisation.
fn with_room(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1 << 28).spawn(run).unwrap().join().unwrap();
}

fn series<const K: usize>(c: &[f64; 10]) -> Taylor<f64, K> {
    Taylor::new(c[0], std::array::from_fn(|k| c.get(k + 1).copied().unwrap_or(0.0)))
}

const T: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// Curves by their coefficients: a line, a bent one, and ones that miss orders.
const CURVES: [[f64; 9]; 4] = [
    T,
    [-0.5, 0.25, 0.125, -0.1, 0.05, 0.02, -0.01, 0.03, 0.01],
    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0],
];

fn curve(x: f64, rest: [f64; 9]) -> [f64; 10] {
    std::array::from_fn(|k| if k == 0 { x } else { rest[k - 1] })
}

#[derive(Default)]
struct AgainstNested(Vec<String>, usize);
impl AgainstNested {
    fn compare(&mut self, name: &str, f: &impl Function, x: &[f64; 10], y: &[f64; 10]) {
        let want = nested::<D8>(f, x, y);
        let got = f.at(series::<9>(x), series::<9>(y));
        let derivatives = got.derivatives();
        assert_eq!(got.value().to_bits(), want[0].to_bits(), "{name}: value");
        for k in 1..=8 {
            // The change by rounding the argument by an eps, and the derivatives before.
            let next = derivatives[k].abs() * x[0].abs().max(y[0].abs());
            let scale = want[k].abs() + next + derivatives[k - 1].abs();
            let error = (derivatives[k - 1] - want[k]).abs() / scale / f64::EPSILON;
            self.1 += 1;
            if !(error <= 400.0
                || derivatives[k - 1] == want[k]
                || got.coefficients()[k - 1].is_nan() && want[k].is_nan())
            {
                self.0.push(format!(
                    "{name} at {x:?} {y:?} order {k}: {:e}, nested {:e}, {error} eps",
                    derivatives[k - 1],
                    want[k]
                ));
            }
        }
    }
}
impl RuleVisitor for AgainstNested {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, [lo, hi]: [f64; 2]) {
        for s in [0.13, 0.5, 0.77] {
            for rest in CURVES {
                let x = curve(lo + s * (hi - lo), rest);
                self.compare(U::NAME, &OfUnary(rule), &x, &[0.0; 10]);
            }
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, [[a, b], [c, d]]: [[f64; 2]; 2]) {
        for (s, t) in [(0.2, 0.7), (0.6, 0.35)] {
            for (u, v) in [(CURVES[0], CURVES[1]), (CURVES[1], CURVES[0]), (CURVES[2], CURVES[3])] {
                let (x, y) = (curve(a + s * (b - a), u), curve(c + t * (d - c), v));
                self.compare(B::NAME, &OfBinary(rule), &x, &y);
            }
        }
    }
}

#[test]
fn every_rule_is_what_nested_duals_give_to_order_eight() {
    with_room(|| {
        let mut found = AgainstNested::default();
        visit_rules(&mut found);
        assert!(found.1 > 6000, "{} comparisons", found.1);
        assert!(found.0.is_empty(), "{} of {}:\n{}", found.0.len(), found.1, found.0.join("\n"));
    });
}

/// At zeros, kinks, ends of domains, and outside: the same zeros, infinities and NaN as nested duals, to order four.
#[derive(Default)]
struct AtEdges(Vec<String>, usize);
impl AtEdges {
    fn compare(&mut self, name: &str, f: &impl Function, x: &[f64; 10], y: &[f64; 10]) {
        let want = nested::<D4>(f, x, y);
        self.compare_orders(name, f, [x, y], &want, &f.at(series::<4>(x), series::<4>(y)).derivatives());
        self.compare_orders(name, f, [x, y], &want, &f.at(series::<3>(x), series::<3>(y)).derivatives());
        self.compare_orders(name, f, [x, y], &want, &f.at(series::<2>(x), series::<2>(y)).derivatives());
    }
    fn compare_orders(
        &mut self,
        name: &str,
        f: &impl Function,
        [x, y]: [&[f64; 10]; 2],
        want_to: &[f64],
        got: &[f64],
    ) {
        for (k, (&got, &want)) in got.iter().zip(&want_to[1..]).enumerate() {
            self.1 += 1;
            let want =
                if name.starts_with("pow") { power_beside_zero(x, y, k + 1).unwrap_or(want) } else { want };
            // A coefficient that depends on only zero coefficients is zero. Nested duals give NaN for some of these,
            // and for terms after them.
            let reached = reached(x, k + 1) || reached(y, k + 1);
            let same = if !reached {
                got == 0.0
            } else if want.is_nan() && !got.is_nan() {
                // Nested duals may give NaN from the third order on. The derivative close by then tells the sign of an
                // infinite number, or that it is zero; outside the domain it is NaN.
                let near = [x[0] + 1e-6, x[0] - 1e-6, x[0].clamp(-20.0, 20.0)];
                let near = near.map(|x0| nested::<D4>(f, &curve(x0, x[1..].try_into().unwrap()), y));
                let zero = near.iter().any(|d| d[k + 1] == 0.0 || d[k + 1].is_nan());
                let sign = near.iter().any(|d| d[0].is_finite() && d[k + 1].signum() == got.signum());
                k >= 2 && (got == 0.0 && zero || got.is_infinite() && sign)
            } else {
                // The rounding of the derivatives before counts, and of a subnormal coefficient.
                let before = want_to[..=k].iter().fold(want.abs(), |size, d| size.max(d.abs()));
                let coefficient = (1..=k + 1).map(|k| k as f64).product::<f64>() * 8.0 * 5e-324;
                got == want
                    || got.is_nan() && want.is_nan()
                    || (got - want).abs() <= 64.0 * f64::EPSILON * before + coefficient
            };
            if !same {
                self.0.push(format!(
                    "{name} at {:e} {:?} {:e} {:?} order {}: {got:e}, nested {want:e}",
                    x[0],
                    &x[1..4],
                    y[0],
                    &y[1..4],
                    k + 1
                ));
            }
        }
    }
}
/// Fourth derivatives of powers whose base is so small that nested duals overflow, along the curves of the test: of `(x +
/// t²)^(1 + t)`, and of `√x·xᵗ`.
fn power_beside_zero(x: &[f64; 10], y: &[f64; 10], order: usize) -> Option<f64> {
    let l = x[0].ln();
    match (*x == curve(1e-310, CURVES[2]), *x == curve(1e-310, [0.0; 9]), order) {
        (true, _, 4) if *y == curve(1.0, T) => Some(24.0 * (l + l * l / 2.0 + x[0] * l.powi(4) / 24.0)),
        (_, true, 4) if *y == curve(0.5, T) => Some(x[0].sqrt() * l.powi(4)),
        _ => None,
    }
}
/// Whether the order is a sum of orders of nonzero coefficients.
fn reached(c: &[f64; 10], order: usize) -> bool {
    (1..=order).any(|k| c[k] != 0.0 && (k == order || reached(c, order - k)))
}

const EDGES: [f64; 12] =
    [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 1e200, 1e-310, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
impl RuleVisitor for AtEdges {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        for x in EDGES {
            for rest in CURVES.into_iter().chain([[0.0; 9]]) {
                self.compare(U::NAME, &OfUnary(rule), &curve(x, rest), &curve(0.0, [0.0; 9]));
            }
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        for x in EDGES {
            for y in EDGES {
                for (u, v) in [
                    (CURVES[0], [0.0; 9]),
                    ([0.0; 9], CURVES[0]),
                    (CURVES[0], CURVES[2]),
                    (CURVES[2], CURVES[0]),
                ] {
                    self.compare(B::NAME, &OfBinary(rule), &curve(x, u), &curve(y, v));
                }
            }
        }
    }
}

#[test]
fn edges_are_what_nested_duals_give() {
    with_room(|| {
        let mut found = AtEdges::default();
        visit_rules(&mut found);
        assert!(found.1 > 10_000, "{} comparisons", found.1);
        assert!(found.0.is_empty(), "{} of {}:\n{}", found.0.len(), found.1, found.0.join("\n"));
    });
}

/// `64 eps·(1 + cond)` of each coefficient, where `cond` measures how it moves with the point.
fn close(what: &str, got: &[f64], want: &[f64], cond: impl Fn(usize) -> f64) {
    for (k, (&got, &want)) in got.iter().zip(want).enumerate() {
        let error = eps_between(got, want);
        assert!(error <= 64.0 * (1.0 + cond(k)), "{what} order {k}: {got:e}, want {want:e}, {error} eps");
    }
}

/// The coefficients of orders 0 to 30.
fn all<const K: usize>(y: Taylor<f64, K>) -> Vec<f64> {
    (0..=K).map(|k| y.coefficient(k)).collect()
}

#[test]
fn closed_forms_to_order_thirty() {
    let x = Taylor::<f64, 30>::variable;
    let factorial = |k: u32| (1..=k).map(f64::from).product::<f64>();
    for at in [-3.0, 0.0, 0.25, 2.0] {
        let want: Vec<f64> = (0..=30).map(|k| f64::exp(at) / factorial(k)).collect();
        close("exp", &all(x(at).exp()), &want, |_| at.abs());
        // (1 − x)^−(k+1)
        let want: Vec<f64> = (0..=30).map(|k| (1.0 - at).powi(-k - 1)).collect();
        close("1/(1 − x)", &all((-x(at) + 1.0).recip()), &want, |k| {
            (k + 1) as f64 * (at / (1.0 - at)).abs()
        });
        close("1/(1 − x)", &all(1.0 / (-x(at) + 1.0)), &want, |k| (k + 1) as f64 * (at / (1.0 - at)).abs());
        let want: Vec<f64> = (0..=30)
            .map(|k| [at.sin(), at.cos(), -at.sin(), -at.cos()][k as usize % 4] / factorial(k))
            .collect();
        close("sin", &all(x(at).sin()), &want, |_| 1.0);
        close("sin of both", &all(x(at).sin_cos().0), &want, |_| 1.0);
    }
    // J₀ = Σ (−1)ᵐ(x/2)²ᵐ/m!²
    let want: Vec<f64> = (0..=30)
        .map(|k| match k % 2 {
            0 => f64::from(1 - (k / 2 % 2) as i32 * 2) / (4f64.powi(k as i32 / 2) * factorial(k / 2).powi(2)),
            _ => 0.0,
        })
        .collect();
    close("J₀ at 0", &all(x(0.0).bessel_j0()), &want, |_| 0.0);
    // About other points by that series, whose terms are alike in size for small x.
    for at in [0.5, 1.0, 2.0] {
        let about = |k: u32| -> (f64, f64) {
            let terms = (0..60u32).filter(|m| 2 * m >= k).map(|m| {
                let binomial = (0..k).map(|i| f64::from(2 * m - i) / f64::from(i + 1)).product::<f64>();
                let scale = (1..=m).map(|i| 1.0 / (4.0 * f64::from(i) * f64::from(i))).product::<f64>();
                (if m % 2 == 0 { 1.0 } else { -1.0 }) * scale * binomial * f64::powi(at, (2 * m - k) as i32)
            });
            terms.fold((0.0, 0.0), |(sum, size), t| (sum + t, size + t.abs()))
        };
        let (want, cond): (Vec<f64>, Vec<f64>) = (0..=30).map(about).map(|(w, s)| (w, s / w.abs())).unzip();
        close("J₀", &all(x(at).bessel_j0()), &want, |k| cond[k]);
    }
}

#[test]
fn order_is_chosen_at_run_time() {
    for order in 0..=30 {
        let x = TaylorDyn::<f64, 30>::variable(0.7, order).unwrap();
        let y = (x.sin() * 2.0 + x.powf(1.5) / (x + 1.0)).exp();
        let t = Taylor::<f64, 30>::variable(0.7);
        let want = (t.sin() * 2.0 + t.powf(1.5) / (t + 1.0)).exp();
        assert_eq!((y.order(), y.value()), (order, want.value()));
        close("TaylorDyn", y.coefficients(), &want.coefficients()[..order], |_| 1.0);
    }
    assert!(TaylorDyn::<f64, 4>::variable(1.0, 5).unwrap_err().to_string().contains('4'));
    assert!(TaylorDyn::<f64, 4>::new(&[]).is_err());
    assert!(TaylorDyn::<f64, 4>::new(&[0.0; 6]).is_err());
    assert!(TaylorDyn::<f64, 4>::variable(1.0, usize::MAX).is_err());
}

fn program<T: Real<Base = f64>>(x: T) -> T {
    Number::exp(Number::sin(x) + x * x)
}

/// The closing program of a sketch of dual numbers, exp(sin x + x²), at 2: its derivatives to the third.
#[test]
fn numbers_nest_in_both_directions() {
    let want = [135.5441512631054, 485.7703352918129, 1888.7679074085165, 7_885.135_019_103_918];
    let scaled = |d: &[f64]| d.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-13 * w);
    let y = program(Taylor::<f64, 3>::variable(2.0));
    assert!(y.value() == want[0] && scaled(&[&want[..1], &y.derivatives()].concat()));
    // e^{ax} to order four.
    let e = (Taylor::<f64, 4>::variable(1.3) * 0.7).exp();
    assert!((e.derivatives()[2] - 0.8521226289509921).abs() < 1e-15);
    let y = program(Taylor::<Dual<f64>, 2>::new(Dual::variable(2.0), [Dual::from(1.0), Dual::from(0.0)]));
    assert!(scaled(&[
        y.value().value(),
        y.value().tangent(),
        y.coefficients()[0].tangent(),
        2.0 * y.coefficients()[1].tangent()
    ]));
    let y = program(Dual::new(Taylor::<f64, 2>::variable(2.0), Taylor::from(1.0)));
    assert!(scaled(&[
        y.value().value(),
        y.tangent().value(),
        y.tangent().derivatives()[0],
        y.tangent().derivatives()[1]
    ]));
    let y = program(Taylor::<Taylor<f64, 1>, 2>::new(
        Taylor::variable(2.0),
        [Taylor::from(1.0), Taylor::from(0.0)],
    ));
    assert!(scaled(&[
        y.value().value(),
        y.coefficients()[0].value(),
        2.0 * y.coefficients()[1].value(),
        2.0 * y.coefficients()[1].coefficients()[0]
    ]));
    // Reverse over series, and series over variables of a tape.
    let tape = wengert::Tape::new();
    let x = tape.variable(Taylor::<f64, 2>::variable(2.0));
    let y: Var<Taylor<f64, 2>> = program(x);
    let slope = tape.cotangents(y).of(x);
    assert!(scaled(&[want[0], slope.value(), slope.derivatives()[0], slope.derivatives()[1]]));
    let third = gradient(
        |p| program(Taylor::<_, 2>::new(p[0], [Var::from(1.0), Var::from(0.0)])).derivatives()[1],
        &[2.0],
    )[0];
    assert!((third - want[3]).abs() < 1e-13 * want[3]);
    // Complex series, and one precision lower.
    let z = Complex::new(0.3, -0.4);
    let y = Taylor::<Complex<f64>, 3>::variable(z).exp();
    assert!((y.derivatives()[2] - z.exp()).norm() < 1e-15);
    let single = program32(Taylor::<f32, 3>::variable(2.0)).derivatives()[2];
    assert!((f64::from(single) - want[3]).abs() < 1e-5 * want[3]);
}

fn program32<T: Real<Base = f32>>(x: T) -> T {
    Number::exp(Number::sin(x) + x * x)
}

/// Rules of users define no series: one that reads its result, one that does not, and one of two variables.
#[test]
fn rules_of_users_take_part() {
    #[derive(Clone, Copy, Debug)]
    struct Logistic;
    impl Unary for Logistic {
        const NAME: &'static str = "logistic";
        fn value<F: BaseFloat>(self, x: F) -> F {
            F::lit(1.0) / ((-x).exp() + F::lit(1.0))
        }
        fn derivative<T: Real>(self, _: T, f: T) -> T {
            f * (T::lit(1.0) - f)
        }
    }
    #[derive(Clone, Copy, Debug)]
    struct Area;
    impl Holomorphic for Area {
        const NAME: &'static str = "area";
        fn value_complex<Z: Number<Primal = Z>>(self, z: Z) -> Z {
            z.asinh()
        }
        fn derivative<T: Number>(self, x: T, _: T) -> T {
            (x * x + T::lit(1.0)).sqrt().recip()
        }
    }
    #[derive(Clone, Copy, Debug)]
    struct Growth;
    impl Binary for Growth {
        const NAME: &'static str = "growth";
        fn value<F: BaseFloat>(self, x: F, y: F) -> F {
            x * y.exp()
        }
        fn partials<T: Real>(self, _: T, y: T, f: T) -> [T; 2] {
            [y.exp(), f]
        }
    }
    let x = Taylor::<f64, 20>::new(0.4, std::array::from_fn(|k| 1.0 / (k + 1) as f64));
    let alike = |what: &str, got: Taylor<f64, 20>, want: Taylor<f64, 20>| {
        let (got, want) = (all(got), all(want));
        let largest = want.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
        close(what, &got, &want, |k| largest / want[k].abs());
    };
    alike("logistic", x.lift1(Logistic), ((-x).exp() + 1.0).recip());
    alike("area", x.lift_holomorphic(Area), x.asinh());
    let y = Taylor::variable(-0.3);
    alike("growth", x.lift2(y, Growth), x * y.exp());
}

/// Orders 0 and 1, many orders, points outside of a domain and singular ones: IEEE values, and no panic.
#[test]
fn unusual_orders_and_points() {
    let y = program(Taylor::<f64, 0>::variable(2.0));
    assert_eq!(y.value(), program(2.0));
    assert_eq!((y.at(3.0), y.derivatives().len()), (program(2.0), 0));
    let y = program(Taylor::<f64, 1>::variable(2.0));
    assert_eq!(y.coefficients()[0], program(Dual::variable(2.0)).tangent());
    // Half a thousand orders: 1/k! underflows, geometric series do not.
    let y = program(Taylor::<f64, 500>::variable(0.1));
    assert!(y.coefficients()[499].is_finite());
    assert!((-Taylor::<f64, 500>::variable(0.0) + 1.0).recip().coefficients().iter().all(|&c| c == 1.0));
    // √x at 0: infinite from the first order on, with signs; ln x outside: NaN; a constant stays one.
    let root = Taylor::<f64, 4>::variable(0.0).sqrt();
    assert_eq!(root.coefficients(), [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY]);
    assert!(Taylor::<f64, 4>::variable(-1.0).ln().coefficients().iter().all(|c| c.is_nan()));
    for x in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        for y in [Taylor::<f64, 6>::from(x).ln(), Taylor::from(x).sqrt(), 1.0 / Taylor::from(x)] {
            assert_eq!(y.coefficients(), [0.0; 6]);
        }
    }
    // Kinks and ties at every order.
    let x = Taylor::<f64, 5>::new(0.0, [2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(x.abs().coefficients(), [0.0; 5]);
    assert_eq!(x.max(0.0).coefficients(), [1.0, 1.5, 2.0, 2.5, 3.0]);
    assert_eq!(x.min(Taylor::from(0.0)).coefficients(), [1.0, 1.5, 2.0, 2.5, 3.0]);
    assert_eq!(x.clamp(0.0, 1.0).coefficients(), [0.0; 5]);
    assert_eq!((x * x).sqrt().coefficients()[0], 0.0);
    assert_eq!(x.floor().coefficients(), [0.0; 5]);
}

fn field<T: Real<Base = f64>>(x: &[T]) -> T {
    Number::exp(x[0] * x[1]) * Number::sin(x[2])
        + x[0] * x[2] / (x[1] * x[1] + 1.0)
        + Number::ln(x[3]) * x[0] * x[1]
}

/// The partial along these axes, by nested duals.
fn partial(x: &[f64; 4], axes: [usize; 4]) -> [f64; 2] {
    let unit = |k: usize, axis: usize| if axis == k { 1.0 } else { 0.0 };
    let at: [D4; 4] = std::array::from_fn(|k| {
        let mut a = Dual::new(x[k], unit(k, axes[0]));
        a = Dual::new(a.value(), a.tangent());
        let b = Dual::new(a, Dual::constant(unit(k, axes[1])));
        let c = Dual::new(b, Dual::constant(Dual::constant(unit(k, axes[2]))));
        Dual::new(c, Dual::constant(Dual::constant(Dual::constant(unit(k, axes[3])))))
    });
    let y = field(&at);
    [y.value().tangent().tangent().tangent(), y.tangent().tangent().tangent().tangent()]
}

#[test]
fn tensors_and_mixed_partials_are_what_nested_duals_give() {
    let x = [0.4, -0.7, 1.1, 1.6];
    let three = tensor::<f64, 3>(field, &x).unwrap();
    let four = tensor::<f64, 4>(field, &x).unwrap();
    assert_eq!((three.entries().len(), four.entries().len()), (20, 35));
    for code in 0..256 {
        let axes: [usize; 4] = std::array::from_fn(|k| code >> (2 * k) & 3);
        let [d3, d4] = partial(&x, axes);
        let scale = four.entries().iter().fold(1.0, |m: f64, e| m.max(e.abs()));
        let (got3, got4) = (three.at([axes[0], axes[1], axes[2]]), four.at(axes));
        assert!((got3 - d3).abs() < 1e-13 * scale, "{axes:?}: {got3}, want {d3}");
        assert!((got4 - d4).abs() < 1e-12 * scale, "{axes:?}: {got4}, want {d4}");
        let orders: [usize; 4] = std::array::from_fn(|k| axes.iter().filter(|&&a| a == k).count());
        let one = mixed::<f64, 4>(field, &x, &orders).unwrap();
        assert!((one - d4).abs() < 1e-12 * scale, "{orders:?}: {one}, want {d4}");
    }
    let v = [0.5, -1.0, 2.0, 0.25];
    let d: [f64; 4] = directional(field, &x, &v);
    assert!((three.along(&v) - d[2]).abs() < 1e-12 * d[2].abs());
    assert!((four.along(&v) - d[3]).abs() < 1e-12 * d[3].abs());
    // The gradient of the second directional derivative: the third one along v again.
    let g: Vec<Taylor<f64, 3>> = directional_gradient(field, &x, &v);
    let again: f64 = g.iter().zip(v).map(|(g, v)| g.derivatives()[1] * v).sum();
    assert!((again - d[2]).abs() < 1e-12 * d[2].abs());
    let again: f64 = g.iter().zip(v).map(|(g, v)| g.derivatives()[2] * v).sum();
    assert!((again - d[3]).abs() < 1e-12 * d[3].abs());
    let y: Taylor<f64, 4> = taylor(|t| field(&[t, t, t, t]), 0.5);
    assert_eq!(y.derivatives(), derivatives(|t: Taylor<f64, 4>| field(&[t, t, t, t]), 0.5));
}

/// The free energy of a real gas in SI units: entries differ by 10¹⁰, and interpolation in these units loses half the digits.
#[test]
fn tensors_keep_their_digits_in_any_units() {
    fn energy<T: Real>(x: &[T]) -> T {
        let [temperature, volume, n] = [x[0], x[1], x[2]];
        let free = ((volume - n * T::lit(3.9e-5)) / n).ln();
        -n * temperature * free * T::lit(8.314) - n * n / volume * T::lit(0.137)
    }
    type Nested = Dual<Dual<Dual<f64>>>;
    for x in [[320.0, 5e-5, 1e-3], [2e-3, 6e7, 1e9], [1e2, 1e-9, 1e-6]] {
        let t = tensor::<f64, 3>(energy, &x).unwrap();
        // Third partials in the temperature alone, and in it and others twice, are 0.
        for axes in [[0, 1, 1], [0, 1, 2], [0, 2, 2], [1, 1, 1], [1, 1, 2], [1, 2, 2], [2, 2, 2]] {
            let at: [Nested; 3] = std::array::from_fn(|k| {
                let step = axes.map(|axis| if axis == k { 1.0 } else { 0.0 });
                let once = Dual::new(Dual::new(x[k], step[0]), Dual::constant(step[1]));
                Dual::new(once, Dual::constant(Dual::constant(step[2])))
            });
            let want = energy(&at).tangent().tangent().tangent();
            let orders: [usize; 3] = std::array::from_fn(|k| axes.iter().filter(|&&a| a == k).count());
            for got in [t.at(axes), mixed::<f64, 3>(energy, &x, &orders).unwrap()] {
                assert!((got - want).abs() < 1e-11 * want.abs(), "{axes:?} at {x:?}: {got}, want {want}");
            }
        }
    }
    // A variable near 0 is not in units of its size.
    let t = tensor::<f64, 2>(|x| x[0].sin() * x[1] + x[1] * x[1], &[1e-18, 1.0]).unwrap();
    assert!((t.at([0, 1]) - 1.0).abs() < 1e-14 && (t.at([1, 1]) - 2.0).abs() < 1e-14, "{t:?}");
    // Nor one along which the derivative of this order is 0.
    for x in [1e4, 1e6, 1e8] {
        let t = tensor::<f64, 3>(|x| x[0] * x[1] * x[1] * 0.1 + x[0] * x[0] * x[1] * 0.3, &[x, 1.0]).unwrap();
        assert!((t.at([0, 1, 1]) - 0.2).abs() < 1e-14 && (t.at([0, 0, 1]) - 0.6).abs() < 1e-14, "{x}: {t:?}");
    }
    // Units stay in the range.
    let t = tensor::<f64, 2>(|x| x[0] * x[1], &[1e200, 1.0]).unwrap();
    assert_eq!(t.entries(), [0.0, 1.0, 0.0]);
    let t = tensor::<f64, 2>(|x| x[0] * x[1] + (x[0] * 1e-160).square(), &[1e200, 1.0]).unwrap();
    assert!((t.at([0, 1]) - 1.0).abs() < 1e-14, "{t:?}");
    // While traced the units are 1, without a guard: the program serves all points.
    fn bent<T: Real<Base = f64>>(x: &[T]) -> T {
        tensor::<T, 2>(|x| x[0] * x[0] * x[1].exp(), x).unwrap().at([0, 1])
    }
    let program = trace(|x: &[_]| bent(x), &[1e6, 0.5]);
    for x in [[1e6, 0.5], [-2.0, 3.0], [1e-5, 0.0]] {
        let want = 2.0 * x[0] * x[1].exp();
        assert!((program.run(&x).unwrap()[0] - want).abs() < 1e-9 * want.abs(), "{x:?}");
    }
    // Nor does a derivative leave it: of x³ it is 6 anywhere.
    for x in [1e-150, 1e-300, 1e150, 1e100] {
        let t = tensor::<f64, 3>(|x| x[0] * x[0] * x[0] + x[1], &[x, 1.0]).unwrap();
        assert!((t.at([0; 3]) - 6.0).abs() < 1e-14, "{x}: {t:?}");
    }
}

#[test]
fn requests_that_cannot_be_met_are_errors() {
    let many = vec![0.0; 4_000_000];
    let error = tensor::<f64, 4>(|_| unreachable!("no memory"), &many).unwrap_err();
    assert_eq!(error.to_string(), format!("tensor: more than {} entries", isize::MAX as usize / 8));
    let error = tensor::<f64, 3>(|_| unreachable!("no memory"), &many).unwrap_err();
    assert!(matches!(error, AdError::TooMany { op: "tensor", got: None, .. }), "{error}");
    let f = |x: &[Taylor<f64, 3>]| x[0] * x[1];
    assert!(matches!(mixed(f, &[1.0, 2.0], &[1, 1]), Err(AdError::Arity { expected: 3, got: 2, .. })));
    assert!(matches!(mixed(f, &[1.0, 2.0], &[3]), Err(AdError::Shape { what: "list of orders", .. })));
    assert!(matches!(mixed(f, &[1.0, 2.0], &[usize::MAX, 4]), Err(AdError::Arity { .. })));
    // Nothing to differentiate, and order 0.
    assert_eq!(tensor::<f64, 3>(|_| Taylor::from(1.0), &[]).unwrap().entries(), [0.0; 0]);
    assert_eq!(tensor::<f64, 0>(|x| x[0], &[2.0]).unwrap().entries(), [2.0]);
    assert_eq!(mixed::<f64, 0>(|x| x[0], &[2.0], &[0]).unwrap(), 2.0);
    let wrong = std::panic::catch_unwind(|| directional::<f64, 2>(|x| x[0], &[1.0], &[1.0, 2.0]));
    let text = *wrong.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("directional") && text.contains('1') && text.contains('2'), "{text}");
}
