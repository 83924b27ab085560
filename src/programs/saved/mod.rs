//! Programs saved and read again, by serde.

mod registry;

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::op::{Code, Guard, GuardCondition, Op, bits};
use super::program::Program;
use super::rules::{RuleEntry, Rules};
use crate::error::{AdError, SourceLine};
use crate::source_line::FileName;
pub use registry::KnownRules;

/// The version of the format that is written, and the only one that is read.
const VERSION: u32 = 4;

/// A program as data that serde writes and reads.
///
/// Numbers are kept by their bits; rules by their `Debug` text and the order of the derivative. Data are checked when
/// they are read: [`program`](Saved::program) returns an error for another version, for unknown rules, and for data
/// that are not a program.
///
/// ```
/// use wengert::programs::{KnownRules, Saved, trace};
/// let program = trace(|x| (x[0] * x[1]).tanh().powi(3), &[2.0, 3.0]);
/// let text = serde_json::to_string(&program.save()?)?;
/// let read: Saved = serde_json::from_str(&text)?;
/// let again = read.program(&KnownRules::new())?;
/// assert_eq!(again.run(&[0.5, 1.0])?, program.run(&[0.5, 1.0])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    format: String,
    version: u32,
    inputs: u32,
    operations: Vec<Op>,
    results: Vec<u32>,
    /// The index of the first operation after a guard, its condition, the recorded outcome, and its source: a file, a
    /// line and a column.
    guards: Vec<(u32, GuardCondition, i64, [u32; 3])>,
    files: Vec<String>,
    unary: Vec<(String, u8)>,
    binary: Vec<(String, [u8; 2])>,
}

/// The error for data that are not a saved program.
fn wrong(reason: String) -> AdError {
    AdError::Saved { reason }
}

impl Program {
    /// The program as data to be written: see [`Saved`].
    ///
    /// # Errors
    /// [`AdError::Unsupported`] if the program calls a primitive; [`AdError::Saved`] if a user's rule has the `Debug` text
    /// of another rule of the program or of one of the table.
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let saved = trace(|x| x[0] + 0.5, &[2.0]).save()?;
    /// assert!(serde_json::to_string(&saved)?.contains(r#"{"add":[0,1]}"#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self) -> Result<Saved, AdError> {
        if let Some(call) = self.calls().first() {
            return Err(AdError::Unsupported { op: call.function.name(), rule: "saving" });
        }
        let code = self.code();
        registry::demand_distinct(&code.rules)?;
        let (mut files, mut numbers) = (Vec::new(), HashMap::new());
        let mut place = |at: &SourceLine| {
            let file = *numbers.entry(at.file().to_string()).or_insert_with_key(|file| {
                files.push(file.clone());
                files.len() as u32 - 1
            });
            [file, at.line(), at.column()]
        };
        let guards = code.guards.iter();
        let guards = guards.map(|g| (g.position, g.condition, g.expected, place(&g.location)));
        let guards = guards.collect();
        // Rules of one and of two variables have numbers of their own.
        let (mut counts, mut operations) = ([0; 3], code.ops.clone());
        let next = |entry: &RuleEntry| {
            counts[entry.rule.arity()] += 1;
            counts[entry.rule.arity()] - 1
        };
        let numbers: Vec<u32> = code.rules.all.iter().map(next).collect();
        operations.iter_mut().filter_map(Op::rule_mut).for_each(|rule| *rule = numbers[*rule as usize]);
        Ok(Saved {
            format: "wengert program".to_string(),
            version: VERSION,
            inputs: code.inputs,
            operations,
            results: code.outputs.clone(),
            guards,
            files,
            unary: code.rules.of_arity(1).map(|entry| (entry.rule.text(), entry.orders[0])).collect(),
            binary: code.rules.of_arity(2).map(|entry| (entry.rule.text(), entry.orders)).collect(),
        })
    }
}

impl Saved {
    /// The program, with the rules of the table and the registered rules.
    ///
    /// A guard that fails names the line of the source that was traced.
    ///
    /// A saved program may come from anywhere. Its operations, guards and texts are checked, and the result is a
    /// program or an error. Source code escapes its texts. A program has fewer than 2²⁹ operations; derivatives of
    /// its rules are of order 4 at most; the names of its files have no control characters.
    ///
    /// # Errors
    /// [`AdError::Saved`] with the reason: another format or version, an unknown rule, an operand that is not
    /// computed before, and so on.
    pub fn program(&self, known: &KnownRules) -> Result<Program, AdError> {
        if self.format != "wengert program" {
            return Err(wrong(format!("its format is {:?}", self.format)));
        }
        if self.version != VERSION {
            return Err(wrong(format!("its version is {}, this crate reads {VERSION}", self.version)));
        }
        self.check_operations()?;
        let mut ops = self.operations.clone();
        let rules = self.read_rules(known, &mut ops)?;
        let guards = self.read_guards(ops.len())?;
        let is_there = |&&y: &&u32| y as usize >= ops.len();
        if let Some(y) = self.results.iter().find(is_there) {
            return Err(wrong(format!("a result is operation {y} of {}", ops.len())));
        }
        let outputs = self.results.clone();
        Ok(Program::new(Code { inputs: self.inputs, ops, outputs, guards, rules }, Vec::new()))
    }
    fn check_operations(&self) -> Result<(), AdError> {
        let all = self.operations.len();
        // Slots have offsets of 32 bits, in bytes.
        if all >= 1 << 29 {
            return Err(wrong(format!("it has {all} operations")));
        }
        for (i, &op) in self.operations.iter().enumerate() {
            if let Some(x) = op.operands().find(|&x| x as usize >= i) {
                return Err(wrong(format!(
                    "operation {i} has the operand {x}, which is not computed before"
                )));
            }
            let place = if let Op::Input(k) = op { Some(k as usize) } else { None };
            if place != Some(i).filter(|&i| i < self.inputs as usize) {
                return Err(wrong(format!("operation {i} of {} inputs is {op:?}", self.inputs)));
            }
            let count = match op {
                Op::Unary { rule, .. } => Some((rule, self.unary.len())),
                Op::Binary { rule, .. } => Some((rule, self.binary.len())),
                _ => None,
            };
            if let Some((rule, count)) = count.filter(|&(rule, count)| rule as usize >= count) {
                return Err(wrong(format!("operation {i} has rule {rule} of {count}")));
            }
        }
        if all < self.inputs as usize {
            return Err(wrong(format!("it has {} inputs and {all} operations", self.inputs)));
        }
        Ok(())
    }
    /// The rules; operations get their numbers. Two rules of a file may become one: a text shows each NaN alike.
    fn read_rules(&self, known: &KnownRules, ops: &mut [Op]) -> Result<Rules, AdError> {
        let (mut rules, mut numbers) = (Rules::default(), Vec::new());
        let unary = self.unary.iter().map(|(text, order)| (1, text, [*order, 0]));
        let binary = self.binary.iter().map(|(text, orders)| (2, text, *orders));
        for (i, (arity, text, orders)) in unary.enumerate().chain(binary.enumerate()) {
            let rule = known.find(arity, text)?;
            let order = orders[0].saturating_add(orders[1]);
            if order > 4 {
                return Err(wrong(format!("rule {i} is a derivative of order {order}")));
            }
            numbers.push(rules.add(RuleEntry::new(rule, orders)));
        }
        for op in ops {
            match op {
                Op::Unary { rule, .. } => *rule = numbers[*rule as usize],
                Op::Binary { rule, .. } => *rule = numbers[self.unary.len() + *rule as usize],
                _ => {}
            }
        }
        Ok(rules)
    }
    fn read_guards(&self, ops: usize) -> Result<Vec<Guard>, AdError> {
        if let Some(file) = self.files.iter().find(|file| file.contains(char::is_control)) {
            return Err(wrong(format!("the name of a file has a control character: {file:?}")));
        }
        let files: Vec<Arc<str>> = self.files.iter().map(|file| Arc::from(&**file)).collect();
        let mut guards: Vec<Guard> = Vec::with_capacity(self.guards.len());
        for (i, (before, condition, expected, [file, row, column])) in self.guards.iter().enumerate() {
            let in_order =
                guards.last().is_none_or(|last| last.position <= *before) && *before as usize <= ops;
            if !in_order || condition.operands().any(|x| x >= *before) {
                return Err(wrong(format!(
                    "guard {i} asks for what is not computed before operation {before}"
                )));
            }
            if !condition.admits(*expected) {
                return Err(wrong(format!("guard {i} has the outcome {expected} of {condition:?}")));
            }
            let Some(file) = files.get(*file as usize) else {
                return Err(wrong(format!("guard {i} is of file {file} of {}", files.len())));
            };
            let location = SourceLine { file: FileName::Saved(file.clone()), line: *row, column: *column };
            let expected = match condition {
                GuardCondition::Value(_) => bits(f64::from_bits(*expected as u64)),
                _ => *expected,
            };
            guards.push(Guard { position: *before, condition: *condition, expected, location });
        }
        Ok(guards)
    }
}
