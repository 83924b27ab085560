//! Random programs of table rules: straight-line code over two variables, with each argument brought into the
//! interval where its rule is well conditioned.

use quickcheck::{Arbitrary, Gen};
use wengert::Real;
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};

use super::routes::Program;

/// Rules with jumps or kinks inside their interval: right almost everywhere, but differences do not see that.
const BROKEN: [&str; 11] =
    ["floor", "ceil", "round", "trunc", "fract", "abs", "signum", "sign", "rem", "rem_euclid", "div_euclid"];

/// One line: a rule, by its number among the smooth rules, of two of the values before it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    rule: usize,
    operands: [usize; 2],
}

/// A program of two variables; its output is the last value.
#[derive(Clone, Debug)]
pub struct RandomProgram(Vec<Step>);

/// A number in −2..2.
#[derive(Clone, Copy, Debug)]
pub struct Small(pub f64);

impl Arbitrary for Small {
    fn arbitrary(g: &mut Gen) -> Self {
        Small(f64::from(i32::arbitrary(g)) / f64::from(1 << 30))
    }
}

impl Arbitrary for RandomProgram {
    fn arbitrary(g: &mut Gen) -> Self {
        let below = |n: usize, g: &mut Gen| usize::arbitrary(g) % n;
        let rules = smooth_rules();
        let length = 1 + below(4, g);
        let step = |k| Step { rule: below(rules, g), operands: [below(2 + k, g), below(2 + k, g)] };
        RandomProgram((0..length).map(step).collect())
    }
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let shorter = self.0[..self.0.len() - 1].to_vec();
        if shorter.is_empty() {
            quickcheck::empty_shrinker()
        } else {
            Box::new(std::iter::once(RandomProgram(shorter)))
        }
    }
}

impl Program for RandomProgram {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let mut values = x.to_vec();
        for step in &self.0 {
            let operands = step.operands.map(|k| values[k]);
            values.push(apply(step.rule, operands));
        }
        vec![values[values.len() - 1]]
    }
}

/// Applies the rule with the given number to operands in its domain.
struct Apply<T> {
    rule: usize,
    seen: usize,
    operands: [T; 2],
    result: Option<T>,
}

impl<T: Real<Base = f64>> Apply<T> {
    /// Whether this is the chosen rule. Counts the smooth rules.
    fn chosen(&mut self, name: &str) -> bool {
        let smooth = !BROKEN.contains(&name);
        self.seen += usize::from(smooth);
        smooth && self.seen == self.rule + 1
    }
}

/// `x` squeezed into the interval.
fn into_interval<T: Real<Base = f64>>(x: T, [lo, hi]: [f64; 2]) -> T {
    x.sigmoid() * (hi - lo) + lo
}

impl<T: Real<Base = f64>> RuleVisitor for Apply<T> {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        if self.chosen(H::NAME) {
            self.result = Some(into_interval(self.operands[0], on).lift_holomorphic(rule));
        }
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        if self.chosen(U::NAME) {
            self.result = Some(into_interval(self.operands[0], on).lift1(rule));
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        if self.chosen(B::NAME) {
            let [x, y] = self.operands;
            self.result = Some(into_interval(x, on[0]).lift2(into_interval(y, on[1]), rule));
        }
    }
}

fn apply<T: Real<Base = f64>>(rule: usize, operands: [T; 2]) -> T {
    let mut apply = Apply { rule, seen: 0, operands, result: None };
    visit_rules(&mut apply);
    apply.result.expect("a rule of the table")
}

/// How many rules of the table are smooth.
fn smooth_rules() -> usize {
    let mut apply = Apply { rule: usize::MAX - 1, seen: 0, operands: [0.0, 0.0], result: None };
    visit_rules(&mut apply);
    apply.seen
}
