//! Each function of the table, and its derivative, as source code with libm.

use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Dual, Real};

type F1 = fn(&[f64; 1], &mut [f64; 1]);
type F2 = fn(&[f64; 2], &mut [f64; 1]);
type G2 = fn(&[f64; 2], &mut [f64; 2]);
include!(concat!(env!("OUT_DIR"), "/rules.rs"));

fn close(name: &str, x: &[f64], got: f64, want: f64) {
    let same = got == want || got.is_nan() && want.is_nan();
    assert!(same || (got - want).abs() <= 2e-13 * want.abs(), "{name} at {x:?}: {got} instead of {want}");
}

/// The number of rules that have been compared.
struct Compared(usize);

impl Compared {
    fn one<U: Unary>(&mut self, rule: U, [lo, hi]: [f64; 2]) {
        let Some((name, [value, slope])) = UNARY.iter().find(|(name, _)| *name == U::NAME) else { return };
        for x in (0..=16).map(|k| lo + (hi - lo) * f64::from(k) / 16.0).chain([0.0, -0.0, 0.65, 25.0, 1e11]) {
            let (want, mut y, mut d) = (Dual::variable(x).lift1(rule), [7.0], [7.0]);
            value(&[x], &mut y);
            slope(&[x], &mut d);
            close(name, &[x], y[0], want.value());
            close(name, &[x], d[0], want.tangent());
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
        let Some((name, value, slope)) = BINARY.iter().find(|(name, ..)| *name == B::NAME) else { return };
        for k in 0..16 {
            let part = |n: i32| f64::from(n % 16) / 16.0;
            let x = [a + (b - a) * part(k), c + (d - c) * part(5 * k)];
            let along = |i: usize| {
                let dual = |j: usize| Dual::new(x[j], if i == j { 1.0 } else { 0.0 });
                dual(0).lift2(dual(1), rule)
            };
            let (mut y, mut g) = ([7.0], [7.0; 2]);
            value(&x, &mut y);
            close(name, &x, y[0], along(0).value());
            if let Some(slope) = slope {
                slope(&x, &mut g);
                (0..2).for_each(|i| close(name, &x, g[i], along(i).tangent()));
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
    assert_eq!((UNARY.len(), BINARY.len()), (67, 14));
}
