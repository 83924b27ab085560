//! The cost of series: the operations that a tape records when the coefficients are variables of it, and the operations
//! of a float that counts them.

use wengert::rules::*;
use wengert::{Real, Tape, Taylor, TaylorDyn, Var};

use super::counted::{Counted, operations};
use crate::random::Part;
use crate::with_room;

/// Rows that are composed from derivatives at a point on a bent curve. No recurrence of theirs is both short and
/// stable. The recurrence of a differential equation also has solutions that outgrow the function (`1/x`, `Y₁`,
/// `e^(x²)`), and the functions of the gamma family satisfy none. Horner's scheme takes `K³/6` products, that of
/// increments in two variables `2K³/3`.
const COMPOSED: [&str; 18] = [
    "sinc",
    "sinc_slope",
    "sinhc",
    "cosc",
    "coshc",
    "exprel_derivative",
    "erfcx",
    "erfcx_derivative",
    "ln_norm_cdf",
    "ln_norm_cdf_derivative",
    "gamma",
    "ln_gamma",
    "polygamma",
    "bessel_j",
    "sph_j",
    "beta",
    "ln_beta",
    "polygamma_increment",
];

/// Rows of a variable shape: derivatives in it follow one another, each with a series of the density's, up to order 32.
const SHAPED: [&str; 4] = ["gamma_p", "gamma_q", "gamma_p_derivative", "gamma_pdf"];

type Series<const K: usize> = Taylor<Var<f64>, K>;

/// Nodes that `f` records at order `K`.
fn nodes<const K: usize>(x: [f64; 2], bent: bool, f: OfSeries<K>) -> f64 {
    let tape = Tape::new();
    let curve = |x: f64| {
        let rest = |k: usize| match (k, bent) {
            (0, _) | (_, true) => tape.variable(0.5 / (k + 1) as f64),
            _ => Var::from(0.0),
        };
        Series::<K>::new(tape.variable(x), std::array::from_fn(rest))
    };
    let (x, y) = (curve(x[0]), curve(x[1]));
    let before = tape.stats().nodes;
    std::hint::black_box(f(x, y));
    (tape.stats().nodes - before) as f64
}

#[derive(Default)]
struct Costs(Vec<String>, usize);
/// A function of two series.
type OfSeries<'a, const K: usize> = &'a dyn Fn(Series<K>, Series<K>) -> Series<K>;

impl Costs {
    fn count(&mut self, name: &str, x: [f64; 2], few: OfSeries<16>, many: OfSeries<32>) {
        self.compare(name, [false, true].map(|bent| [nodes(x, bent, few), nodes(x, bent, many)]));
    }
    fn compare(&mut self, name: &str, counts: [[f64; 2]; 2]) {
        self.1 += 1;
        for ([few, many], bent) in counts.into_iter().zip([false, true]) {
            // Four times as many, and the part that is linear in the order counts for less.
            let quadratic = many <= 4.5 * few + 200.0;
            println!("{name} {bent}: {few} {many}, by K²/2 {:.1} {:.1}", few / 128.0, many / 512.0);
            if !SHAPED.contains(&name) && quadratic == (bent && COMPOSED.contains(&name)) {
                self.0.push(format!("{name}, bent {bent}: {few} at order 16, {many} at order 32"));
            }
        }
    }
}
impl RuleVisitor for Costs {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, [lo, hi]: [f64; 2]) {
        let x = [lo + 0.4 * (hi - lo), 0.0];
        self.count(U::NAME, x, &|x, _| x.lift1(rule), &|x, _| x.lift1(rule));
    }
    fn binary<B: Binary>(&mut self, rule: B, [[a, b], [c, d]]: [[f64; 2]; 2]) {
        let x = [a + 0.4 * (b - a), c + 0.6 * (d - c)];
        self.count(B::NAME, x, &|x, y| x.lift2(y, rule), &|x, y| x.lift2(y, rule));
    }
}

/// Whether orders 8, 16 and 32 take more than the third power of the order. Paths for numbers near the ends of the range
/// begin at some order, so orders 8 and 16 count as if they took some multiple of the third power.
fn exceeds_third_power(count: &dyn Fn(usize) -> Option<u64>) -> bool {
    let [Some(few), Some(some), Some(many)] = [8, 16, 32].map(count) else { return true };
    many > 81 * few.max(20 * 8_u64.pow(3)) || many > 9 * some.max(8 * 16_u64.pow(3))
}

/// Whether orders 8 and 16 take more than the fourth power of the order.
fn exceeds_fourth_power(count: &dyn Fn(usize) -> Option<u64>) -> bool {
    let [Some(few), Some(some)] = [8, 16].map(count) else { return true };
    some > 24 * few.max(20 * 8_u64.pow(3))
}

/// Ordinary points, zeros, ends of domains and of the range.
const POINTS: [f64; 17] = [
    0.0,
    -0.0,
    5e-324,
    1e-300,
    1e-20,
    -1e-20,
    0.3,
    -0.75,
    1.0,
    2.5,
    30.0,
    700.0,
    1e160,
    -1e300,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

type OfCounted = TaylorDyn<Counted, 32>;

/// A line, a curve, a curve without odd orders, and a constant.
fn coefficient(curve: usize, k: usize) -> f64 {
    [if k == 1 { 1.0 } else { 0.0 }, 0.5 / k as f64, if k == 2 { 1.0 } else { 0.0 }, 0.0][curve]
}

fn counted(x: f64, curve: usize, order: usize) -> OfCounted {
    let at = |k: usize| Counted(if k == 0 { x } else { coefficient(curve, k) });
    TaylorDyn::new(&(0..=order).map(at).collect::<Vec<_>>()).unwrap()
}

/// Points and curves of a rule of one variable and of two; functions of their own are compiled once for all rules.
fn points_of_one() -> Vec<(f64, usize)> {
    POINTS.into_iter().flat_map(|x| [0, 1, 2].map(|curve| (x, curve))).collect()
}

fn points_of_two() -> Vec<(f64, f64, [usize; 2])> {
    let pairs = POINTS.into_iter().flat_map(|x| POINTS.map(|y| (x, y)));
    pairs.flat_map(|(x, y)| [[0, 3], [3, 0], [1, 1], [2, 0]].map(|curves| (x, y, curves))).collect()
}

/// The rows of a variable shape, or the others: which exceed their power of the order.
struct Growth {
    of_shaped: bool,
    found: Vec<String>,
    counts: usize,
    part: Part,
}
impl Growth {
    fn of_table(of_shaped: bool) -> Self {
        let mut growth = Growth {
            of_shaped,
            found: Vec::new(),
            counts: 0,
            part: Part::one_in(if of_shaped { 6 } else { 3 }),
        };
        visit_rules(&mut growth);
        growth
    }
    fn note(&mut self, name: &str, what: &dyn Fn() -> String, count: &dyn Fn(usize) -> Option<u64>) {
        if SHAPED.contains(&name) != self.of_shaped {
            return;
        }
        self.counts += 1;
        let exceeds = if self.of_shaped { exceeds_fourth_power(count) } else { exceeds_third_power(count) };
        if exceeds {
            self.found.push(format!("{}: {:?}", what(), [8, 16, 32].map(count)));
        }
    }
    fn finish(self, least: usize) {
        let Growth { found, counts, .. } = self;
        assert!(counts > least, "{counts} counts");
        assert!(found.is_empty(), "{} of {counts} counts:\n{}", found.len(), found.join("\n"));
    }
    fn one<U: Unary>(&mut self, rule: U) {
        for (x, curve) in points_of_one() {
            let count = |n| {
                let x = counted(x, curve, n);
                operations(&|| _ = std::hint::black_box(x.lift1(rule)))
            };
            self.note(U::NAME, &|| format!("{rule:?} at {x:e}, curve {curve}"), &count);
        }
    }
    fn two<B: Binary>(&mut self, rule: B) {
        for (x, y, curves) in self.part.of(points_of_two()) {
            let count = |n| {
                let (x, y) = (counted(x, curves[0], n), counted(y, curves[1], n));
                operations(&|| _ = std::hint::black_box(x.lift2(y, rule)))
            };
            self.note(B::NAME, &|| format!("{rule:?} at {x:e}, {y:e}, curves {curves:?}"), &count);
        }
    }
}
impl RuleVisitor for Growth {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        self.one(rule);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        self.one(rule);
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        self.two(rule);
    }
}

/// Rows of a variable shape may take the fourth power of the order.
#[test]
fn rows_of_a_variable_shape_take_at_most_the_fourth_power_of_the_order() {
    with_room(|| Growth::of_table(true).finish(700));
}

/// No other row takes twice as long for each order more, wherever its value is 0, underflows or overflows.
#[test]
fn every_row_takes_at_most_the_third_power_of_the_order() {
    with_room(|| {
        let mut found = Growth::of_table(false);
        for a in [0.0, 0.5, 1.0, 3.0, 30.0, 200.0] {
            found.one(GammaPdfConst(a));
            found.one(GammaPConst(a));
            found.one(GammaQConst(a));
            for b in [0.5, 1.0, 30.5, 300.0] {
                found.one(BetaPdf([a, b]));
                found.one(BetaI([a, b]));
            }
        }
        [-300.0, -1.0, 0.5, 2.0, 30.0, 30.5, 1e20, f64::INFINITY]
            .into_iter()
            .for_each(|c| found.one(PowConst(c)));
        [i32::MIN, -5, 0, 1, 30, 1000].into_iter().for_each(|n| found.one(Powi(n)));
        for n in [0, 5, 127] {
            found.one(BesselJ(n));
            found.one(SphericalBesselJ(n));
            found.one(Polygamma(n));
            found.one(ErfcxDerivative(n));
            found.one(LnNormCdfDerivative(n));
            found.two(PolygammaIncrement(n));
        }
        found.finish(15_800);
    });
}

#[test]
fn every_row_takes_the_square_of_the_order() {
    with_room(|| {
        let mut found = Costs::default();
        visit_rules(&mut found);
        assert!(found.1 > 70, "{} rows", found.1);
        assert!(found.0.is_empty(), "{} rows:\n{}", found.0.len(), found.0.join("\n"));
    });
}
