//! The cost of series, counted by the operations that a tape records when the coefficients are variables of it.

use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Real, Tape, Taylor, Var};

use crate::with_room;

/// Rows that are composed from derivatives at a point on a bent curve. No recurrence of theirs is both short and
/// stable. The recurrence of a differential equation also has solutions that outgrow the function (`1/x`, `Y₁`,
/// `e^(x²)`), and the functions of the gamma family satisfy none. Horner's scheme takes `K³/6` products; the last
/// three grow about as `K⁴`, for want of a scheme in two variables.
const COMPOSED: [&str; 17] = [
    "sinc",
    "sinc_slope",
    "sinhc",
    "cosc",
    "coshc",
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

type Series<const K: usize> = Taylor<Var<f64>, K>;

/// Nodes that `f` records at order `K`.
fn nodes<const K: usize>(x: [f64; 2], bent: bool, f: impl Fn(Series<K>, Series<K>) -> Series<K>) -> f64 {
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
impl Costs {
    fn compare(&mut self, name: &str, counts: [[f64; 2]; 2]) {
        self.1 += 1;
        for ([few, many], bent) in counts.into_iter().zip([false, true]) {
            // Four times as many, and the part that is linear in the order counts for less.
            let quadratic = many <= 4.5 * few + 200.0;
            println!("{name} {bent}: {few} {many}, by K²/2 {:.1} {:.1}", few / 128.0, many / 512.0);
            if quadratic == (bent && COMPOSED.contains(&name)) {
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
        let count =
            |bent| [nodes::<16>(x, bent, |x, _| x.lift1(rule)), nodes::<32>(x, bent, |x, _| x.lift1(rule))];
        self.compare(U::NAME, [false, true].map(count));
    }
    fn binary<B: Binary>(&mut self, rule: B, [[a, b], [c, d]]: [[f64; 2]; 2]) {
        let x = [a + 0.4 * (b - a), c + 0.6 * (d - c)];
        let count = |bent| {
            [nodes::<16>(x, bent, |x, y| x.lift2(y, rule)), nodes::<32>(x, bent, |x, y| x.lift2(y, rule))]
        };
        self.compare(B::NAME, [false, true].map(count));
    }
}

/// Ends of domains and of the range, where formulas are composed of others that begin at 0 again.
const ENDS: [f64; 6] = [0.0, 5e-324, 1e-300, 1.0, -1.0, 30.0];
struct AtEnds(Vec<String>, usize);
impl AtEnds {
    fn compare(&mut self, name: &str, at: [f64; 2], [few, many]: [f64; 2]) {
        self.1 += 1;
        // Twice the order: 25 to 28 times as many for beta, hypot and atan2. Twice for each order more would be 256 times.
        if many > 32.0 * few || many > 300_000.0 {
            self.0.push(format!("{name} at {at:?}: {few} at order 8, {many} at order 16"));
        }
    }
}
impl RuleVisitor for AtEnds {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        for x in ENDS.map(|x| [x, 0.0]) {
            let count =
                [nodes::<8>(x, true, |x, _| x.lift1(rule)), nodes::<16>(x, true, |x, _| x.lift1(rule))];
            self.compare(U::NAME, x, count);
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        for x in ENDS.into_iter().flat_map(|x| ENDS.map(|y| [x, y])) {
            let count =
                [nodes::<8>(x, true, |x, y| x.lift2(y, rule)), nodes::<16>(x, true, |x, y| x.lift2(y, rule))];
            self.compare(B::NAME, x, count);
        }
    }
}

/// No row takes twice as long for each order more where its value is 0, underflows or overflows.
#[test]
fn ends_take_a_power_of_the_order() {
    with_room(|| {
        let mut found = AtEnds(Vec::new(), 0);
        visit_rules(&mut found);
        assert!(found.1 > 800, "{} counts", found.1);
        assert!(found.0.is_empty(), "{} counts:\n{}", found.0.len(), found.0.join("\n"));
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
