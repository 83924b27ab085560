//! Builds a program: finds equal operations, and folds constants where that is exact.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::calls::Call;
use super::misuse;
use super::op::{Code, Guard, GuardCondition, Op, evaluate};
use super::rules::{Mixing, Rules};
use crate::error::SourceLine;

type Seen<K, V> = HashMap<K, V, BuildHasherDefault<Mixing>>;

/// Options for appending operations.
#[derive(Clone, Copy, Default)]
pub(super) struct BuildOptions {
    /// Equal operations occur once.
    pub(super) cse: bool,
    /// Operations of constants, and operations with neutral elements, are folded.
    pub(super) constant_folding: bool,
    /// `x·0` is 0, `x − x` is 0, and so on.
    pub(super) fast_math: bool,
    /// No derivative will be taken: drops `Detach`, and replaces integer powers up to 64 by products.
    pub(super) values_only: bool,
}

impl BuildOptions {
    pub(super) const NONE: BuildOptions =
        BuildOptions { cse: false, constant_folding: false, fast_math: false, values_only: false };
    pub(super) const EXACT: BuildOptions =
        BuildOptions { cse: true, constant_folding: true, ..BuildOptions::NONE };
    pub(super) const PLAIN: BuildOptions = BuildOptions { values_only: true, ..BuildOptions::EXACT };
}

/// Powers up to this one are products.
const GREATEST_POWER: u32 = 64;

#[derive(Default)]
pub(super) struct Builder {
    pub(super) ops: Vec<Op>,
    pub(super) rules: Rules,
    pub(super) calls: Vec<Call>,
    pub(super) guards: Vec<Guard>,
    pub(super) inputs: u32,
    options: BuildOptions,
    seen: Seen<u128, u32>,
    guarded: Seen<GuardCondition, i64>,
    /// Whether the sign of each operation's value is known to be plus (or the value NaN).
    pub(super) positive: Vec<bool>,
}

impl Builder {
    pub(super) fn new(inputs: usize, options: BuildOptions) -> Self {
        let mut builder = Builder { options, ..Self::default() };
        builder.add_inputs(inputs);
        builder
    }
    /// Reserves memory for more operations.
    pub(super) fn reserve(&mut self, operations: usize) {
        self.ops.reserve(operations);
        self.positive.reserve(operations);
        if self.options.cse {
            self.seen.reserve(operations);
        }
    }
    fn add_inputs(&mut self, inputs: usize) {
        if inputs >= u32::MAX as usize {
            misuse::too_long();
        }
        self.inputs = inputs as u32;
        self.ops.extend((0..inputs as u32).map(Op::Input));
        self.positive.resize(inputs, false);
    }
    pub(super) fn constant(&mut self, x: f64) -> u32 {
        self.append(Op::Constant(x))
    }
    /// The number of an operation, if it is a constant.
    #[inline]
    pub(super) fn as_constant(&self, x: u32) -> Option<f64> {
        if let Op::Constant(c) = self.ops[x as usize] { Some(c) } else { None }
    }
    /// Appends an operation, or finds an equal or folded one.
    pub(super) fn push(&mut self, op: Op) -> u32 {
        let options = self.options;
        if options.constant_folding
            && let Some(folded) = self.folded(op)
        {
            return folded;
        }
        if options.values_only
            && let Some(folded) = self.folded_plain(op)
        {
            return folded;
        }
        if options.fast_math
            && let Some(folded) = self.folded_fast(op)
        {
            return folded;
        }
        self.append(op)
    }
    fn append(&mut self, op: Op) -> u32 {
        let next = self.ops.len() as u32;
        // Constants occur once even if operations are not shared.
        if self.options.cse || matches!(op, Op::Constant(_)) {
            match self.seen.entry(op.key()) {
                std::collections::hash_map::Entry::Occupied(found) => return *found.get(),
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(next);
                }
            }
        }
        self.append_alone(op)
    }
    fn append_alone(&mut self, op: Op) -> u32 {
        if self.ops.len() >= u32::MAX as usize - 1 {
            misuse::too_long();
        }
        // Only folding reads signs.
        let positive = self.options.constant_folding && self.sign_bit_is_clear(op);
        self.positive.push(positive);
        self.ops.push(op);
        self.ops.len() as u32 - 1
    }
    /// The folded form of an operation, without changing a bit: an operation of constants, or with a neutral element.
    fn folded(&mut self, op: Op) -> Option<u32> {
        let is = |x: u32, c: f64| self.as_constant(x).is_some_and(|x| x.to_bits() == c.to_bits());
        let known = |x: u32| self.as_constant(x);
        match op {
            Op::Input(_) | Op::Constant(_) | Op::Call(_) | Op::CallResult(_) => None,
            _ if op.operands().all(|x| known(x).is_some()) => {
                let value = evaluate(op, &self.rules, |x| known(x).expect("a constant"));
                Some(self.constant(value))
            }
            // −0 is neutral; +0 makes +0 of −0.
            Op::Add(x, y) if is(y, -0.0) => Some(x),
            Op::Add(x, y) if is(x, -0.0) => Some(y),
            Op::Add(x, y) if is(y, 0.0) && self.positive[x as usize] => Some(x),
            Op::Add(x, y) if is(x, 0.0) && self.positive[y as usize] => Some(y),
            Op::Sub(x, y) if is(y, 0.0) => Some(x),
            Op::Mul(x, y) | Op::Div(x, y) if is(y, 1.0) => Some(x),
            Op::Mul(x, y) if is(x, 1.0) => Some(y),
            Op::Mul(x, y) | Op::Div(x, y) if is(y, -1.0) => Some(self.push(Op::Neg(x))),
            Op::Mul(x, y) if is(x, -1.0) => Some(self.push(Op::Neg(y))),
            Op::Select { x, y, .. } if x == y => Some(x),
            Op::Select { condition, x, y } => known(condition).map(|c| if c != 0.0 { x } else { y }),
            Op::PropagateNan { f, d }
                if known(f).is_some_and(|f| !f.is_nan()) || self.covers_nan_of(f, d) =>
            {
                Some(d)
            }
            Op::StrongMul { d, t } if is(t, 1.0) => Some(d),
            _ => self.folded_signs(op),
        }
    }
    /// Moves negations out of products and quotients, `(−x)·y → −(x·y)`, so that sums absorb them, `a + (−b) → a −
    /// b`.
    fn folded_signs(&mut self, op: Op) -> Option<u32> {
        let negated = |x: u32| if let Op::Neg(x) = self.ops[x as usize] { Some(x) } else { None };
        let positive = match op {
            Op::Neg(x) => return negated(x),
            // For two different numbers it would change the sign of a zero sum.
            Op::Add(x, y) if x == y => Op::Add(negated(x)?, negated(x)?),
            Op::Add(x, y) => {
                let difference = negated(y).map(|y| (x, y)).or(negated(x).map(|x| (y, x)));
                return difference.map(|(x, y)| self.push(Op::Sub(x, y)));
            }
            Op::Sub(x, y) => return negated(y).map(|y| self.push(Op::Add(x, y))),
            Op::Mul(x, y) => match [(x, y), (y, x)].map(|(x, y)| (negated(x), self.as_constant(y), y)) {
                [(Some(x), Some(c), _), _] | [_, (Some(x), Some(c), _)] => {
                    let c = self.constant(-c);
                    return Some(self.push(Op::Mul(x, c)));
                }
                [(Some(x), _, y), _] | [_, (Some(x), _, y)] => Op::Mul(x, y),
                _ => return None,
            },
            Op::Div(x, y) => match (negated(x), negated(y)) {
                (Some(x), _) => Op::Div(x, y),
                (_, Some(y)) => Op::Div(x, y),
                _ => return None,
            },
            _ => return None,
        };
        let positive = self.push(positive);
        Some(self.push(Op::Neg(positive)))
    }
    /// The folded form of an operation if no derivative is formed.
    fn folded_plain(&mut self, op: Op) -> Option<u32> {
        match op {
            Op::Detach(x) => Some(x),
            Op::Unary { rule, x } => {
                let power = self.rules.all[rule as usize].power()?;
                (power.unsigned_abs() <= GREATEST_POWER).then(|| self.products(x, power))
            }
            _ => None,
        }
    }
    /// `xⁿ` as `f64::powi` computes it: by squares.
    fn products(&mut self, mut x: u32, n: i32) -> u32 {
        let (mut left, mut power) = (n.unsigned_abs(), None);
        while left > 0 {
            if left % 2 == 1 {
                power = Some(power.map_or(x, |power| self.push(Op::Mul(power, x))));
            }
            left /= 2;
            if left > 0 {
                x = self.push(Op::Mul(x, x));
            }
        }
        let one = self.constant(1.0);
        let power = power.unwrap_or(one);
        if n < 0 { self.push(Op::Div(one, power)) } else { power }
    }
    /// The folded form of an operation if no value is infinite or NaN.
    fn folded_fast(&mut self, op: Op) -> Option<u32> {
        let is_zero = |x: u32| self.as_constant(x) == Some(0.0);
        match op {
            Op::Mul(x, y) if is_zero(x) || is_zero(y) => Some(self.constant(0.0)),
            Op::Div(x, _) if is_zero(x) => Some(self.constant(0.0)),
            Op::Sub(x, y) if x == y => Some(self.constant(0.0)),
            Op::Add(x, y) if is_zero(y) => Some(x),
            Op::Add(x, y) if is_zero(x) => Some(y),
            Op::Sub(x, y) if is_zero(y) => Some(x),
            Op::PropagateNan { d, .. } => Some(d),
            Op::StrongMul { d, t } | Op::StrongMulEither { d, t } => Some(self.push(Op::Mul(d, t))),
            Op::StrongDiv { t, r, .. } => Some(self.push(Op::Mul(t, r))),
            _ => None,
        }
    }
    /// Records a guard: a condition and its outcome.
    pub(super) fn record_guard(&mut self, condition: GuardCondition, expected: i64, location: SourceLine) {
        if self.options.cse && self.guarded.insert(condition, expected) == Some(expected) {
            return; // a repeated guard
        }
        self.guards.push(Guard { position: self.ops.len() as u32, condition, expected, location });
    }
    /// Records a guard of a program whose operations have these places.
    pub(super) fn copy_guard(&mut self, guard: &Guard, places: &[u32]) {
        let condition = guard.condition.map_operands(|x| places[x as usize]);
        self.record_guard(condition, guard.expected, guard.location.clone());
    }
    /// Appends a call; returns the number of its first result.
    pub(super) fn call(&mut self, mut call: Call) -> u32 {
        let (number, results) = (self.calls.len() as u32, call.results);
        call.at = self.ops.len() as u32;
        self.calls.push(call);
        self.append_alone(Op::Call(number));
        let first = self.ops.len() as u32;
        for i in 0..results {
            self.append_alone(Op::CallResult(i));
        }
        first
    }
    /// The operations of a program, under their numbers.
    pub(super) fn continue_from(&mut self, code: &Code, calls: &[Call]) {
        self.rules.clone_from(&code.rules);
        self.ops.clear();
        self.positive.clear();
        self.reserve(2 * code.ops.len());
        for &op in &code.ops {
            self.append_alone(op);
        }
        self.guards.clone_from(&code.guards);
        self.calls = calls.to_vec();
        for (i, op) in code.ops.iter().enumerate().skip(self.inputs as usize) {
            if !matches!(op, Op::Call(_) | Op::CallResult(_)) {
                self.seen.entry(op.key()).or_insert(i as u32);
            }
        }
        self.guarded.extend(code.guards.iter().map(|guard| (guard.condition, guard.expected)));
    }
    /// How far the program is.
    pub(super) fn mark(&self) -> [usize; 2] {
        [self.ops.len(), self.guards.len()]
    }
    /// Removes operations and guards that were appended since the mark. There must be no calls among them.
    pub(super) fn undo(&mut self, [ops, guards]: [usize; 2]) {
        self.positive.truncate(ops);
        for (i, op) in self.ops.drain(ops..).enumerate() {
            if self.seen.get(&op.key()) == Some(&((ops + i) as u32)) {
                self.seen.remove(&op.key());
            }
        }
        for guard in self.guards.drain(guards..) {
            self.guarded.remove(&guard.condition);
        }
    }
}
