//! Programs as text and as drawings.

use std::fmt;

use super::op::{GuardCondition, Op};
use super::program::Program;

/// `f`, `f′`, `f⁗`.
fn primed(name: &str, order: u8) -> String {
    let primes = ["", "′", "″", "‴", "⁗"];
    format!("{name}{}", primes[usize::from(order).min(4)])
}

impl Program {
    /// An operand: an input, a constant, or the number of an operation.
    fn operand(&self, x: u32) -> String {
        match self.code.ops[x as usize] {
            Op::Input(i) => format!("x{i}"),
            Op::Constant(c) => format!("{c:?}"),
            _ => format!("v{x}"),
        }
    }
    /// The name of an operation, as in a drawing, and its operands.
    fn named(&self, op: Op) -> (String, Vec<u32>) {
        let name = match op {
            Op::Unary { rule, .. } | Op::Binary { rule, .. } => {
                let entry = &self.code.rules.all[rule as usize];
                let name = with_parameter(entry.rule.name(), &entry.rule.text());
                match (entry.rule.arity(), entry.orders) {
                    (1, [order, _]) => primed(&name, order),
                    (_, [0, 0]) => name,
                    (_, [m, n]) => format!("∂{m}{n} {name}"),
                }
            }
            Op::Compare { relation, .. } => relation.sign().into(),
            Op::Call(k) => {
                let call = &self.calls[k as usize];
                return (call.name(), call.groups.concat());
            }
            Op::CallResult(i) => return (format!("part {i}"), Vec::new()),
            Op::Input(i) => return (format!("x{i}"), Vec::new()),
            Op::Constant(c) => return (format!("{c:?}"), Vec::new()),
            _ => op.name().to_string(),
        };
        (name, op.operands().collect())
    }
    fn line(&self, op: Op) -> String {
        let (name, operands) = self.named(op);
        let operands: Vec<String> = operands.into_iter().map(|x| self.operand(x)).collect();
        match op {
            Op::Add(..) | Op::Sub(..) | Op::Mul(..) | Op::Div(..) | Op::Compare { .. } => {
                format!("{} {name} {}", operands[0], operands[1])
            }
            Op::Neg(_) => format!("−{}", operands[0]),
            _ => format!("{name}({})", operands.join(", ")),
        }
    }
    fn condition(&self, condition: GuardCondition) -> String {
        let of = |x: u32| self.operand(x);
        match condition {
            GuardCondition::Compare(relation, x, y) => format!("{} {} {}", of(x), relation.sign(), of(y)),
            GuardCondition::Order(x, y) => format!("order of {} and {}", of(x), of(y)),
            GuardCondition::Has(property, x) => format!("{}({})", property.name(), of(x)),
            GuardCondition::Value(x) => format!("value of {}", of(x)),
        }
    }
    /// The program as a drawing in the language of Graphviz: an edge from each operand.
    ///
    /// ```
    /// let program = wengert::programs::trace(|x| x[0] * x[1], &[2.0, 3.0]);
    /// assert!(program.to_dot().contains("v0 -> v2;"));
    /// ```
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph program {\n    rankdir=BT;\n");
        let mut add = |line: String| {
            text.push_str("    ");
            text.push_str(&line);
            text.push('\n');
        };
        let mut call = 0;
        for (i, &op) in self.code.ops.iter().enumerate() {
            let (name, operands) = self.named(op);
            let shape = if matches!(op, Op::Input(_) | Op::Constant(_)) { "plaintext" } else { "box" };
            add(format!("v{i} [label={name:?}, shape={shape}];"));
            operands.iter().for_each(|x| add(format!("v{x} -> v{i};")));
            match op {
                Op::Call(_) => call = i,
                Op::CallResult(_) => add(format!("v{call} -> v{i};")),
                _ => {}
            }
        }
        for (i, y) in self.code.outputs.iter().enumerate() {
            add(format!("y{i} [shape=plaintext]; v{y} -> y{i};"));
        }
        text.push_str("}\n");
        text
    }
}

/// `powi(3)` of the name `powi` and the text `Powi(3)`.
fn with_parameter(name: &str, text: &str) -> String {
    text.find(['(', '{']).map_or(name.to_string(), |at| format!("{name}{}", text[at..].trim_start()))
}

impl fmt::Display for Program {
    /// A line for each operation and each guard.
    ///
    /// ```
    /// let program = wengert::programs::trace(|x| (x[0] * x[1]).sin() + 1.0, &[2.0, 3.0]);
    /// let text = program.to_string();
    /// assert_eq!(text, "inputs: 2\nv2 = x0 · x1\nv3 = sin(v2)\nv5 = v3 + 1.0\nresults: v5\n");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "inputs: {}", self.inputs())?;
        let mut guards = self.code.guards.iter().peekable();
        for i in 0..=self.code.ops.len() {
            while let Some(guard) = guards.next_if(|guard| guard.position as usize <= i) {
                let changed = guard.changed();
                writeln!(f, "guard {}: {}", self.condition(guard.condition), brief(&changed))?;
            }
            match self.code.ops.get(i) {
                None | Some(Op::Input(_) | Op::Constant(_)) => {}
                Some(Op::CallResult(index)) => writeln!(f, "v{i} = result {index}")?,
                Some(&op) => writeln!(f, "v{i} = {}", self.line(op))?,
            }
        }
        let results: Vec<String> = self.code.outputs.iter().map(|&y| self.operand(y)).collect();
        writeln!(f, "results: {}", results.join(", "))
    }
}

/// The recorded outcome and its source line.
fn brief(error: &crate::AdError) -> String {
    match error {
        crate::AdError::BranchChanged { recorded, location, .. } => format!("{recorded} ({location})"),
        other => other.to_string(),
    }
}
