//! Every row at series that start small.

use std::collections::HashMap;

use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Real, Taylor};

use super::powers::{K, Series, curves};

/// The order of series of two variables.
const M: usize = 6;
type Short = Taylor<f64, M>;

/// Every row at bent curves is the composition of the row along a straight line with the curve. It is compared with
/// the composition of absolute coefficients.
#[derive(Default)]
struct Bent {
    failed: Vec<String>,
    /// Comparisons within a finite limit, of rules of one variable and of two.
    compared: [usize; 2],
}
impl RuleVisitor for Bent {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        let mut lines = HashMap::new();
        for x in curves() {
            let got = x.lift1(rule);
            let line =
                *lines.entry(x.value().to_bits()).or_insert_with(|| Series::variable(x.value()).lift1(rule));
            let composed = |of: fn(f64) -> f64| {
                let u = Taylor::new(0.0, x.coefficients().map(of));
                (0..=K).rev().fold(Series::from(0.0), |sum, k| sum * u + of(line.coefficient(k)))
            };
            self.compare((U::NAME, x.value(), 0.0), got, composed(|c| c), composed(f64::abs));
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        self.two(B::NAME, |x, y| x.lift2(y, rule), |x, y| x.lift2(y, rule));
    }
}

impl Bent {
    /// `got` against `want`, relative to `size`.
    fn compare<const N: usize>(
        &mut self,
        what: (&str, f64, f64),
        got: Taylor<f64, N>,
        want: Taylor<f64, N>,
        size: Taylor<f64, N>,
    ) {
        for k in 1..=N {
            let limit = 64.0 * (k + 1) as f64 * f64::EPSILON * size.coefficient(k) + f64::MIN_POSITIVE;
            let error = (got.coefficient(k) - want.coefficient(k)).abs();
            self.compared[usize::from(N == M)] += usize::from(limit < 1e290);
            if error > limit || error.is_nan() && limit < 1e290 {
                let (got, want) = (got.coefficient(k), want.coefficient(k));
                let times = error / limit;
                self.failed
                    .push(format!("{what:?} order {k}: {got:e}, want {want:e}, {times:e} times the limit"));
                break;
            }
        }
    }
    /// A function of two variables at two bent curves is the composition of its series in both variables with the
    /// curves.
    fn two(
        &mut self,
        name: &str,
        at_curves: impl Fn(Short, Short) -> Short,
        at_lines: impl Fn(Taylor<Short, M>, Taylor<Short, M>) -> Taylor<Short, M>,
    ) {
        let short = |x: &Series| Short::new(x.value(), std::array::from_fn(|k| x.coefficients()[k]));
        let curves: Vec<Short> = curves().iter().map(short).collect();
        let moved = |by: f64| curves.iter().rev().step_by(7).map(move |&y| y + by);
        let others: Vec<Short> = moved(0.0).chain(moved(0.75)).chain(moved(2.0)).collect();
        let pairs = curves.iter().flat_map(|&x| others.iter().flat_map(move |&y| [[x, y], [y, x]]));
        // Many curves pass through one point: its series is computed once.
        let mut at_points = HashMap::new();
        for [x, y] in pairs {
            let lines = at_points.entry([x, y].map(|z| z.value().to_bits())).or_insert_with(|| {
                at_lines(
                    Taylor::variable(Short::from(x.value())),
                    Taylor::constant(Short::variable(y.value())),
                )
            });
            let composed = |of: fn(f64) -> f64| {
                let [u, v] = [x, y].map(|z| Taylor::new(0.0, z.coefficients().map(of)));
                (0..=M).rev().fold(Short::from(0.0), |sum, i| {
                    let of_u = lines.coefficient(i);
                    let inner =
                        (0..=M - i).rev().fold(Short::from(0.0), |s, j| s * v + of(of_u.coefficient(j)));
                    sum * u + inner
                })
            };
            let what = (name, x.value(), y.value());
            self.compare(what, at_curves(x, y), composed(|c| c), composed(f64::abs));
        }
    }
}

#[test]
fn every_row_keeps_its_digits_on_bent_curves() {
    let mut found = Bent::default();
    visit_rules(&mut found);
    found.two("quotient", |x, y| x / y, |x, y| x / y);
    found.two("product", |x, y| x * y, |x, y| x * y);
    let Bent { failed, compared } = found;
    println!("{compared:?} comparisons");
    assert!(compared.iter().all(|&count| count > 20_000), "{compared:?} comparisons");
    assert!(failed.is_empty(), "{} of {compared:?}:\n{}", failed.len(), failed.join("\n"));
}
