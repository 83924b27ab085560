//! Each function of the table, and its derivative, as source code with libm.

use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Dual, Real};

type F1 = fn(&[f64; 1], &mut [f64; 1]);
type F2 = fn(&[f64; 2], &mut [f64; 1]);
type G2 = fn(&[f64; 2], &mut [f64; 2]);
type H2 = fn(&[f64; 2], &mut [f64; 4]);
include!(concat!(env!("OUT_DIR"), "/rules.rs"));

fn close(name: &str, x: &[f64], got: f64, want: f64) {
    let same = got == want || got.is_nan() && want.is_nan();
    assert!(same || (got - want).abs() <= 2e-13 * want.abs(), "{name} at {x:?}: {got} instead of {want}");
}

/// The number of rules that have been compared.
struct Compared(usize);

impl Compared {
    fn one<U: Unary>(&mut self, rule: U, [lo, hi]: [f64; 2]) {
        let Some((name, [value, slope, second])) = UNARY.iter().find(|(name, _)| *name == U::NAME) else {
            return;
        };
        for x in (0..=16).map(|k| lo + (hi - lo) * f64::from(k) / 16.0).chain([0.0, -0.0, 0.65, 25.0, 1e11]) {
            let want = Dual::variable(Dual::variable(x)).lift1(rule);
            let [mut y, mut d, mut dd] = [[7.0]; 3];
            value(&[x], &mut y);
            slope(&[x], &mut d);
            second(&[x], &mut dd);
            close(name, &[x], y[0], want.value().value());
            close(name, &[x], d[0], want.value().tangent());
            close(name, &[x], dd[0], want.tangent().tangent());
        }
        self.0 += 1;
    }
}

impl RuleVisitor for Compared {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.one(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        self.one(rule, on);
    }
    fn binary<B: Binary>(&mut self, rule: B, [[a, b], [c, d]]: [[f64; 2]; 2]) {
        let Some((name, value, slope, second)) = BINARY.iter().find(|(name, ..)| *name == B::NAME) else {
            return;
        };
        for k in 0..16 {
            let part = |n: i32| f64::from(n % 16) / 16.0;
            let x = [a + (b - a) * part(k), c + (d - c) * part(5 * k)];
            let along = |i: usize, j: usize| {
                let unit = |at: bool| if at { 1.0 } else { 0.0 };
                let dual = |k: usize| Dual::new(Dual::new(x[k], unit(j == k)), Dual::constant(unit(i == k)));
                dual(0).lift2(dual(1), rule)
            };
            let (mut y, mut g, mut h) = ([7.0], [7.0; 2], [7.0; 4]);
            value(&x, &mut y);
            slope(&x, &mut g);
            second(&x, &mut h);
            close(name, &x, y[0], along(0, 0).value().value());
            for i in 0..2 {
                close(name, &x, g[i], along(i, 0).tangent().value());
                (0..2).for_each(|j| close(name, &x, h[2 * i + j], along(i, j).tangent().tangent()));
            }
        }
        self.0 += 1;
    }
}

#[test]
fn the_table() {
    let mut compared = Compared(0);
    visit_rules(&mut compared);
    assert_eq!(compared.0, UNARY.len() + BINARY.len());
    assert!(UNARY.len() >= 70 && BINARY.len() >= 14, "rows are missing");
}
