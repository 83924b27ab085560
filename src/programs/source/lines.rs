//! Operations as lines of source code.

use super::rules::Helpers;
use crate::error::AdError;
use crate::number::Property;
use crate::programs::op::{Code, Guard, GuardCondition, Op, Relation, bits};
use crate::programs::program::Program;

/// The uses of each operation that results and guards depend on: as a number, and as the condition of a choice.
fn uses(code: &Code) -> Vec<[u32; 2]> {
    let mut uses = vec![[0; 2]; code.ops.len()];
    code.outputs.iter().for_each(|&y| uses[y as usize][0] += 1);
    let guards = code.guards.iter();
    guards.flat_map(|g| g.condition.operands()).for_each(|x| uses[x as usize][0] += 2);
    for i in (0..code.ops.len()).rev().filter(|&i| !is_atom(code.ops[i])) {
        if uses[i] == [0, 0] {
            continue;
        }
        let condition = matches!(code.ops[i], Op::Select { .. });
        for (k, x) in code.ops[i].operands().enumerate() {
            // An operation that another line uses has a line of its own.
            uses[x as usize][usize::from(condition && k == 0)] += 2;
        }
    }
    uses
}

/// The number of operations that results and guards depend on.
pub(super) fn live(program: &Program) -> usize {
    let code = program.code();
    uses(code).iter().zip(&code.ops).filter(|(uses, op)| **uses != [0, 0] && !is_atom(**op)).count()
}

/// Whether a result or a guard depends on one of these inputs.
pub(super) fn reads(program: &Program, is_input: impl Fn(u32) -> bool) -> bool {
    let code = program.code();
    let reads = |op: &Op| matches!(*op, Op::Input(i) if is_input(i));
    uses(code).iter().zip(&code.ops).any(|(uses, op)| *uses != [0, 0] && reads(op))
}

/// Source code in the making.
pub(super) struct SourceLines<'a, N> {
    pub(super) text: String,
    code: &'a Code,
    uses: Vec<[u32; 2]>,
    indent: &'a str,
    input: N,
}

impl<'a, N: Fn(u32) -> String> SourceLines<'a, N> {
    pub(super) fn new(program: &'a Program, indent: &'a str, input: N) -> Self {
        let code = program.code();
        SourceLines { text: String::new(), code, uses: uses(code), indent, input }
    }
    fn line(&mut self, line: &str) {
        self.text += &format!("{}{line}\n", self.indent);
    }
    /// The operand of another operation.
    fn operand(&self, x: u32) -> String {
        match self.code.ops[x as usize] {
            Op::Input(k) => (self.input)(k),
            Op::Constant(c) => literal(c),
            _ => format!("v{x}"),
        }
    }
    /// The line of an operation; an operation that is only a result has none.
    pub(super) fn operation(&mut self, i: usize, helpers: &mut Helpers) -> Result<(), AdError> {
        let (op, [numbers, conditions]) = (self.code.ops[i], self.uses[i]);
        if is_atom(op) || numbers + conditions < 2 {
            return Ok(());
        }
        if let Op::Compare { relation, x, y } = op {
            let condition = format!("{} {} {}", self.operand(x), sign(relation), self.operand(y));
            self.line(&format!("let c{i} = {condition};"));
            if numbers > 0 {
                self.line(&format!("let v{i} = f64::from(u8::from(c{i}));"));
            }
            return Ok(());
        }
        let value = self.value(op, helpers)?;
        self.line(&format!("let v{i} = {value};"));
        Ok(())
    }
    /// The line of a result, after the text `to`.
    pub(super) fn result(&mut self, to: &str, y: u32, helpers: &mut Helpers) -> Result<(), AdError> {
        let (op, [numbers, conditions]) = (self.code.ops[y as usize], self.uses[y as usize]);
        let inline = numbers + conditions < 2 && !is_atom(op);
        let value = if inline { self.value(op, helpers)? } else { self.operand(y) };
        self.line(&format!("{to}{value}{}", if to.is_empty() { "" } else { ";" }));
        Ok(())
    }
    fn value(&self, op: Op, helpers: &mut Helpers) -> Result<String, AdError> {
        let of = |x: u32| self.operand(x);
        let call = |f: &str| format!("{f}({})", op.operands().map(of).collect::<Vec<_>>().join(", "));
        Ok(match op {
            Op::Neg(x) if of(x).starts_with('-') => format!("-({})", of(x)),
            Op::Neg(x) => format!("-{}", of(x)),
            Op::Add(x, y) => format!("{} + {}", of(x), of(y)),
            Op::Sub(x, y) => format!("{} - {}", of(x), of(y)),
            Op::Mul(x, y) => format!("{} * {}", of(x), of(y)),
            Op::Div(x, y) => format!("{} / {}", of(x), of(y)),
            Op::MulAdd(..) => call(helpers.mul_add()),
            Op::Unary { rule, .. } | Op::Binary { rule, .. } => {
                let operands: Vec<String> = op.operands().map(of).collect();
                helpers.rule(&self.code.rules.all[rule as usize], &operands)?
            }
            Op::Compare { relation, x, y } => {
                format!("f64::from(u8::from({} {} {}))", of(x), sign(relation), of(y))
            }
            Op::Select { condition, x, y } => {
                let is_bool = matches!(self.code.ops[condition as usize], Op::Compare { .. });
                let [c, test] = if is_bool { ["c", ""] } else { ["v", " != 0.0"] };
                let condition = if is_atom(self.code.ops[condition as usize]) {
                    of(condition)
                } else {
                    format!("{c}{condition}")
                };
                format!("if {condition}{test} {{ {} }} else {{ {} }}", of(x), of(y))
            }
            Op::Detach(x) => of(x),
            Op::PropagateNan { .. } => call(helpers.beside("propagate_nan")),
            Op::StrongMul { .. } => call(helpers.beside("strong_mul")),
            Op::StrongMulEither { .. } => call(helpers.beside("strong_mul_either")),
            Op::StrongDiv { .. } => call(helpers.beside("strong_div")),
            Op::Input(_) | Op::Constant(_) | Op::Call(_) | Op::CallResult(_) => unreachable!("not written"),
        })
    }
    /// Ends the function with an error if a guard fails.
    pub(super) fn guard(&mut self, number: usize, guard: &Guard) {
        let test = self.test(guard.condition, guard.expected, false);
        self.line(&format!("if {test} {{"));
        self.line(&format!("    return Err({number});"));
        self.line("}");
    }
    /// The text of a test: whether the outcome of a condition is `expected`, if `holds`; else whether it is another one.
    pub(super) fn test(&self, condition: GuardCondition, expected: i64, holds: bool) -> String {
        let of = |x: u32| self.operand(x);
        let yes = (expected == 1) == holds;
        let unless = |test: String| if yes { test } else { format!("!({test})") };
        let equal = |yes: bool| if yes { "==" } else { "!=" };
        match condition {
            GuardCondition::Compare(Relation::Equal, x, y) => format!("{} {} {}", of(x), equal(yes), of(y)),
            GuardCondition::Compare(relation, x, y) => {
                unless(format!("{} {} {}", of(x), sign(relation), of(y)))
            }
            GuardCondition::Order(x, y) => {
                let order =
                    ["Some(Ordering::Less)", "Some(Ordering::Equal)", "Some(Ordering::Greater)", "None"];
                let order = order[expected.clamp(-1, 2).wrapping_add(1) as usize]
                    .replace("Ordering", "core::cmp::Ordering");
                format!("f64::partial_cmp(&{}, &{}) {} {order}", of(x), of(y), equal(holds))
            }
            GuardCondition::Has(Property::Zero, x) => format!("{} {} 0.0", of(x), equal(yes)),
            GuardCondition::Has(Property::One, x) => format!("{} {} 1.0", of(x), equal(yes)),
            GuardCondition::Has(property, x) if property.is_sign() => {
                let sign =
                    if (property == Property::Negative) == (expected == 1) { "negative" } else { "positive" };
                let this = format!("(f64::is_sign_{sign}({0}) && !f64::is_nan({0}))", of(x));
                if holds { this } else { format!("!{this}") }
            }
            GuardCondition::Has(property, x) => {
                format!("{}f64::{}({})", if yes { "" } else { "!" }, property.name(), of(x))
            }
            GuardCondition::Value(x) if expected == bits(f64::NAN) => {
                format!("{}f64::is_nan({})", if holds { "" } else { "!" }, of(x))
            }
            GuardCondition::Value(x) => {
                format!("f64::to_bits({}) {} {}", of(x), equal(holds), expected as u64)
            }
        }
    }
}

fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Less => "<",
        Relation::LessOrEqual => "<=",
        Relation::Equal => "==",
    }
}

/// A number as source code.
pub(super) fn literal(c: f64) -> String {
    if c.is_nan() {
        "f64::NAN".to_string()
    } else if c.is_infinite() {
        if c > 0.0 { "f64::INFINITY" } else { "f64::NEG_INFINITY" }.to_string()
    } else {
        format!("{c:?}")
    }
}

/// Whether an operation is written inline wherever it is used.
pub(super) fn is_atom(op: Op) -> bool {
    matches!(op, Op::Input(_) | Op::Constant(_))
}
