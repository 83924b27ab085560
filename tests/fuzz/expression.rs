//! Random expressions: straight-line code of three variables over the rows of the table, operators, powers,
//! selections, reductions and functions of small matrices.

use std::collections::BTreeSet;
use std::fmt::Write;

use fastrand::Rng;
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Number, Real};

use super::operations::{
    MATRICES, OF_ANY_MATRICES, OF_MATRICES, ORDERED, PLAIN, of_any_matrices, of_matrices, ordered, plain,
};

/// The number of variables.
pub const N: usize = 3;

/// The function of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Row(usize),
    Plain(usize),
    Ordered(usize),
    OfMatrices(usize),
    OfAnyMatrices(usize),
}

/// An operation on four of the values before it.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub op: Op,
    pub of: [usize; 4],
    pub k: f64,
}

/// A row of the table: its name, its text, whether it is holomorphic.
#[derive(Clone, Debug)]
pub struct Row {
    pub name: &'static str,
    text: String,
    pub holomorphic: bool,
}

/// Collects the rows.
struct Rows(Vec<Row>);

impl RuleVisitor for Rows {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        let text = format!("a.lift_holomorphic(rules::{rule:?})");
        self.0.push(Row { name: H::NAME, text, holomorphic: true });
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        let text = format!("a.lift1(rules::{rule:?})");
        self.0.push(Row { name: U::NAME, text, holomorphic: false });
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        let text = format!("a.lift2(b, rules::{rule:?})");
        self.0.push(Row { name: B::NAME, text, holomorphic: false });
    }
}

thread_local! {
    pub static ROWS: &'static [Row] = {
        let mut rows = Rows(Vec::new());
        visit_rules(&mut rows);
        rows.0.leak()
    };
}

/// Applies the row with the given number.
struct Apply<T> {
    countdown: usize,
    operands: [T; 4],
    result: Option<T>,
}

impl<T> Apply<T> {
    fn row(operands: [T; 4], row: usize) -> T
    where
        Self: RuleVisitor,
    {
        let mut apply = Apply { countdown: row + 1, operands, result: None };
        visit_rules(&mut apply);
        apply.result.expect("a row of the table")
    }
    fn chosen(&mut self) -> bool {
        self.countdown = self.countdown.wrapping_sub(1);
        self.countdown == 0
    }
}

impl<T: Real> RuleVisitor for Apply<T> {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        if self.chosen() {
            self.result = Some(self.operands[0].lift_holomorphic(rule));
        }
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        if self.chosen() {
            self.result = Some(self.operands[0].lift1(rule));
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        if self.chosen() {
            self.result = Some(self.operands[0].lift2(self.operands[1], rule));
        }
    }
}

/// [`Apply`] for numbers without order, where holomorphic rows are all there is.
struct Holomorphically<T>(Apply<T>);

impl<T: Number> RuleVisitor for Holomorphically<T> {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        if self.0.chosen() {
            self.0.result = Some(self.0.operands[0].lift_holomorphic(rule));
        }
    }
    fn unary<U: Unary>(&mut self, _: U, _: [f64; 2]) {
        self.0.chosen();
    }
    fn binary<B: Binary>(&mut self, _: B, _: [[f64; 2]; 2]) {
        self.0.chosen();
    }
}

impl Step {
    pub fn apply<T: Real<Base = f64>>(&self, operands: [T; 4]) -> T {
        match self.op {
            Op::Row(row) => Apply::row(operands, row),
            Op::Plain(index) => plain(index, operands, self.k),
            Op::Ordered(index) => ordered(index, operands, self.k),
            Op::OfMatrices(index) => of_matrices(index, operands, self.k),
            Op::OfAnyMatrices(index) => of_any_matrices(index, operands, self.k),
        }
    }
    /// The step on numbers that may be complex. A function that is not holomorphic gives NaN.
    pub fn apply_complex<T: Number<Base = f64>>(&self, operands: [T; 4]) -> T {
        match self.op {
            Op::Row(row) => {
                let mut apply = Holomorphically(Apply { countdown: row + 1, operands, result: None });
                visit_rules(&mut apply);
                apply.0.result.unwrap_or(T::lit(f64::NAN))
            }
            Op::Plain(index) => plain(index, operands, self.k),
            Op::OfAnyMatrices(index) => of_any_matrices(index, operands, self.k),
            _ => T::lit(f64::NAN),
        }
    }
    pub fn holomorphic(&self) -> bool {
        match self.op {
            Op::Row(row) => ROWS.with(|rows| rows[row].holomorphic),
            Op::Plain(_) | Op::OfAnyMatrices(_) => true,
            _ => false,
        }
    }
    pub fn of_matrices(&self) -> bool {
        matches!(self.op, Op::OfMatrices(_) | Op::OfAnyMatrices(_))
    }
    /// The text of the step, in terms of `a`, `b`, `c`, `d` and `k`.
    pub fn text(&self) -> &'static str {
        match self.op {
            Op::Row(row) => ROWS.with(|rows| &*rows[row].text),
            Op::Plain(index) => PLAIN[index],
            Op::Ordered(index) => ORDERED[index],
            Op::OfMatrices(index) => OF_MATRICES[index],
            Op::OfAnyMatrices(index) => OF_ANY_MATRICES[index],
        }
    }
}

/// A program; its value is the last step's.
#[derive(Clone, Debug)]
pub struct Expression(pub Vec<Step>);

impl Expression {
    /// All values: the variables, then the steps'.
    pub fn values<T: Copy>(&self, x: [T; N], apply: impl Fn(&Step, [T; 4]) -> T) -> Vec<T> {
        let mut values = x.to_vec();
        for step in &self.0 {
            values.push(apply(step, step.of.map(|i| values[i])));
        }
        values
    }
    pub fn call<T: Real<Base = f64>>(&self, x: [T; N]) -> T {
        self.values(x, Step::apply)[N + self.0.len() - 1]
    }
    pub fn call_complex<T: Number<Base = f64>>(&self, x: [T; N]) -> T {
        self.values(x, Step::apply_complex)[N + self.0.len() - 1]
    }

    /// One to six steps. Steps that leave the numbers at `x` are mostly tried again.
    pub fn random(rng: &mut Rng, x: [f64; N], holomorphic: bool) -> Self {
        let mut expression = Expression(Vec::new());
        let mut values = x.to_vec();
        for _ in 0..rng.usize(1..=6) {
            for attempt in 0.. {
                let step = Step::random(rng, values.len(), holomorphic);
                let value = step.apply(step.of.map(|i| values[i]));
                let tame = value.abs() < 1e8 && value.abs() > 1e-8 || value == 0.0;
                if tame || attempt > 20 || value.is_finite() && rng.u8(..8) == 0 || rng.u8(..40) == 0 {
                    values.push(value);
                    expression.0.push(step);
                    break;
                }
            }
        }
        expression
    }

    /// Without the steps that the last one does not use.
    fn pruned(&self) -> Self {
        let mut used: BTreeSet<usize> = (0..N).chain([N + self.0.len() - 1]).collect();
        for (i, step) in self.0.iter().enumerate().rev() {
            if used.contains(&(N + i)) {
                used.extend(step.reads());
            }
        }
        // Operands that a step does not read may have any index.
        let place = |i: usize| used.range(..i).count() * usize::from(used.contains(&i));
        let kept = self.0.iter().enumerate().filter(|(i, _)| used.contains(&(N + i)));
        Expression(kept.map(|(_, step)| Step { of: step.of.map(place), ..*step }).collect())
    }

    /// Smaller expressions and points: truncated, with a variable instead of a step, with rounder numbers.
    pub fn smaller(&self, x: [f64; N]) -> Vec<(Self, [f64; N])> {
        let values = self.values(x, Step::apply);
        let mut smaller: Vec<_> = (1..self.0.len()).map(|n| (Expression(self.0[..n].to_vec()), x)).collect();
        for (step, variable) in (0..self.0.len() - 1).flat_map(|s| (0..N).map(move |v| (s, v))) {
            let (mut expression, mut x) = (self.clone(), x);
            x[variable] = values[N + step];
            for later in &mut expression.0 {
                later.of = later.of.map(|i| if i == N + step { variable } else { i });
            }
            smaller.push((expression, x));
        }
        smaller.retain_mut(|(expression, _)| {
            *expression = expression.pruned();
            expression.0.len() < self.0.len()
        });
        for variable in 0..N {
            smaller.extend(rounder(x[variable]).map(|value| {
                let mut x = x;
                x[variable] = value;
                (self.clone(), x)
            }));
        }
        for step in 0..self.0.len() {
            smaller.extend(rounder(self.0[step].k).map(|k| {
                let mut expression = self.clone();
                expression.0[step].k = k;
                (expression, x)
            }));
        }
        smaller
    }

    /// The expression as Rust.
    pub fn text(&self) -> String {
        let mut text = "use wengert::{AdError, Number, Real, matrix, reduce, rules};\n".to_string();
        if self.0.iter().any(Step::of_matrices) {
            let _ = writeln!(text, "use nalgebra::*;\n{MATRICES}");
        }
        text += "#[allow(unused_variables)]\nfn f<T: Real<Base = f64>>([v0, v1, v2]: [T; 3]) -> T {\n";
        for (i, step) in self.0.iter().enumerate() {
            let ([a, b, c, d], k) = (step.of, literal(step.k));
            let _ = writeln!(text, "    let ([a, b, c, d], k) = ([v{a}, v{b}, v{c}, v{d}], {k});");
            let _ = writeln!(text, "    let v{} = {};", N + i, step.text());
        }
        let _ = writeln!(text, "    v{}\n}}", N - 1 + self.0.len());
        text
    }
}

impl Step {
    fn random(rng: &mut Rng, values: usize, holomorphic: bool) -> Self {
        let rows = ROWS.with(|rows| rows.len());
        // Later values more often: long chains.
        let operand = |rng: &mut Rng| rng.usize(..values).max(rng.usize(..values));
        let k = if rng.bool() { f64::from(rng.i8(-3..6)) } else { number(rng) };
        loop {
            let op = match rng.u8(..10) {
                0..4 => Op::Row(rng.usize(..rows)),
                4..7 => Op::Plain(rng.usize(..PLAIN.len())),
                7 | 8 => Op::Ordered(rng.usize(..ORDERED.len())),
                _ => {
                    let any = OF_ANY_MATRICES.len();
                    let index = rng.usize(..any + OF_MATRICES.len());
                    if index < any { Op::OfAnyMatrices(index) } else { Op::OfMatrices(index - any) }
                }
            };
            let step = Step { op, of: std::array::from_fn(|_| operand(rng)), k };
            if !holomorphic || step.holomorphic() {
                return step;
            }
        }
    }
    /// The values that it reads.
    pub fn reads(&self) -> impl Iterator<Item = usize> {
        let text = self.text();
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let names = ["a", "b", "c", "d"].into_iter().zip(self.of);
        names.filter(move |(name, _)| words.contains(name)).map(|(_, i)| i)
    }
}

/// Numbers of few digits near `x`, roundest first.
fn rounder(x: f64) -> impl Iterator<Item = f64> {
    let digits = |n: i32| (x * 10f64.powi(n)).round() / 10f64.powi(n);
    let all = [0.0, 1.0, 2.0, digits(0), digits(1), digits(2), digits(4)];
    let simpler = all.iter().position(|&y| y.to_bits() == x.to_bits()).unwrap_or(all.len());
    all.into_iter().take(simpler)
}

/// A variable or a constant: mostly of size 1, also zeros, units, tiny and huge ones.
pub fn number(rng: &mut Rng) -> f64 {
    const SPECIAL: [f64; 16] = [
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -2.0, 1e200, -1e200, 1e-200, -1e-300, 1e300, 5e-324, 1e16,
    ];
    match rng.u8(..20) {
        0..3 => SPECIAL[rng.usize(..SPECIAL.len())],
        3 => (rng.f64() * 2.0 - 1.0) * 10f64.powi(rng.i32(-300..300)),
        4 => 1.0 + (rng.f64() - 0.5) * 10f64.powi(-rng.i32(0..15)),
        5 | 6 => (rng.f64() * 2.0 - 1.0) * 10f64.powi(rng.i32(-8..5)),
        _ => rng.f64() * 4.0 - 2.0,
    }
}

/// A number as Rust reads it.
pub fn literal(x: f64) -> String {
    match (x.is_nan(), x.is_infinite()) {
        (true, _) => "f64::NAN".into(),
        (_, true) => format!("{}f64::INFINITY", if x < 0.0 { "-" } else { "" }),
        _ => format!("{x:?}"),
    }
}
