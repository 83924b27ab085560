//! Every row at series that start small.

use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Real, Taylor};

use super::powers::{K, Series, curves};

/// Every row at bent curves is the composition of the row along a straight line with the curve. It is compared with
/// the composition of absolute coefficients.
#[derive(Default)]
struct Bent(Vec<String>, usize);
impl RuleVisitor for Bent {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        for x in curves() {
            let (got, line) = (x.lift1(rule), Series::variable(x.value()).lift1(rule));
            let composed = |of: fn(f64) -> f64| {
                let u = Taylor::new(0.0, x.coefficients().map(of));
                (0..=K).rev().fold(Series::from(0.0), |sum, k| sum * u + of(line.coefficient(k)))
            };
            let (want, size) = (composed(|c| c), composed(f64::abs));
            for k in 1..=K {
                let limit = 64.0 * (k + 1) as f64 * f64::EPSILON * size.coefficient(k) + f64::MIN_POSITIVE;
                let error = (got.coefficient(k) - want.coefficient(k)).abs();
                self.1 += 1;
                if error > limit || error.is_nan() && limit < 1e290 {
                    let (got, want) = (got.coefficient(k), want.coefficient(k));
                    let times = error / limit;
                    let what = (U::NAME, x.value());
                    self.0.push(format!(
                        "{what:?} order {k}: {got:e}, want {want:e}, {times:e} times the limit"
                    ));
                    break;
                }
            }
        }
    }
    fn binary<B: Binary>(&mut self, _: B, _: [[f64; 2]; 2]) {}
}

#[test]
fn every_row_keeps_its_digits_on_bent_curves() {
    let mut found = Bent::default();
    visit_rules(&mut found);
    assert!(found.1 > 20_000, "{} comparisons", found.1);
    assert!(found.0.is_empty(), "{} of {}:\n{}", found.0.len(), found.1, found.0.join("\n"));
}
