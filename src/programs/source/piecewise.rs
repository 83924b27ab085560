//! Derivatives of one variable whose formulas choose by values, as piecewise functions.
//!
//! The formula is traced at many points. The pieces are intervals: if neighbours have different operations, the boundary is
//! found by bisection of the floats between them.

use std::fmt::Write as _;

use super::lines::{SourceLines, literal, reads};
use super::rules::Helpers;
use crate::error::AdError;
use crate::programs::program::Program;
use crate::programs::rules::RuleEntry;
use crate::programs::trace::trace;

/// An interval on which a formula has the same operations, from its first float on.
struct Piece {
    first: f64,
    program: Program,
}

/// The index of a float in the order of floats: −∞ first, −0 before 0, ∞ last.
fn key(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { !(bits & i64::MAX) } else { bits }
}

fn of_key(key: i64) -> f64 {
    f64::from_bits(if key < 0 { (!key | i64::MIN) as u64 } else { key as u64 })
}

/// Points of every size, closer where functions bend.
fn samples() -> Vec<f64> {
    let mut samples = vec![0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::INFINITY];
    for exponent in -1021..1024 {
        let steps = if (-8..8).contains(&exponent) { 16 } else { 2 };
        let size = 2f64.powi(exponent);
        samples.extend((0..steps).map(|k| size * (1.0 + f64::from(k) / f64::from(steps))));
    }
    samples.extend(samples.clone().iter().map(|x| -x));
    samples.sort_by(f64::total_cmp);
    samples
}

fn same(a: &Program, b: &Program) -> bool {
    let rules =
        |p: &Program| p.code().rules.all.iter().map(|e| (e.rule.text(), e.orders)).collect::<Vec<_>>();
    // Compared by their keys, in which NaN is equal to itself.
    let keys = |p: &Program| p.code().ops.iter().map(|op| op.key()).collect::<Vec<_>>();
    keys(a) == keys(b) && a.code().outputs == b.code().outputs && rules(a) == rules(b)
}

/// A formula may have a piece for each float.
const MOST_PIECES: usize = 64;

/// A Bessel function takes time in proportion to its order, at each of thousands of points: beyond this order the pieces are
/// not searched.
const MOST_ORDER: u32 = 1000;

/// Whether a rule may be computed at thousands of points.
fn is_quick(rule: &str) -> bool {
    let order = rule.split_once("BesselJ(").and_then(|(_, order)| order.strip_suffix(')')?.parse().ok());
    order.is_none_or(|order: u32| order <= MOST_ORDER)
}

/// The intervals of a rule's derivative, a program of `x` and the value; none if there are too many.
fn pieces(entry: &RuleEntry) -> Option<Vec<Piece>> {
    // The boundaries of pieces are the guards, which therefore go.
    let at = |x: f64| {
        let mut program = trace(|v| entry.rule.emit(v[0], v[0], v[1])[0], &[x, entry.rule.value(x, x)]);
        program.code.guards.clear();
        program
    };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for x in samples() {
        let program = at(x);
        while pieces.last().is_none_or(|piece| !same(&piece.program, &program)) {
            let Some(piece) = pieces.last() else {
                pieces.push(Piece { first: x, program: at(x) });
                break;
            };
            let (mut low, mut high) = (key(last), key(x));
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if same(&piece.program, &at(of_key(middle))) { low = middle } else { high = middle }
            }
            last = of_key(high);
            pieces.push(Piece { first: last, program: at(last) });
            if pieces.len() > MOST_PIECES {
                return None;
            }
        }
        last = x;
    }
    Some(pieces)
}

/// The function of a derivative of one variable; none for a second derivative, and where pieces are too many.
pub(super) fn derivative(
    entry: &RuleEntry,
    function: &str,
    helpers: &mut Helpers,
) -> Result<Option<String>, AdError> {
    let value = RuleEntry::new(entry.rule.clone(), [0, 0]);
    let is_simple = entry.rule.arity() == 1 && entry.orders == [1, 0] && is_quick(&entry.rule.text());
    let Some(pieces) = is_simple.then(|| pieces(&value)).flatten() else { return Ok(None) };
    let uses_value = pieces.iter().any(|piece| reads(&piece.program, |input| input == 1));
    let mut text = format!("fn {function}(x: f64) -> f64 {{\n");
    if !entry.rule.nan_safe() || uses_value {
        let _ = writeln!(text, "    let f = {};", helpers.rule(&value, &["x".to_string()])?);
    }
    if !entry.rule.nan_safe() {
        text += "    if f64::is_nan(f) {\n        return f64::NAN;\n    }\n";
    }
    for (k, piece) in pieces.iter().enumerate() {
        text += &match pieces.get(k + 1) {
            Some(next) => {
                let returned = body(&piece.program, "        return ", helpers)?;
                format!("    if {} {{\n{returned}    }}\n", before(next.first))
            }
            None => body(&piece.program, "    ", helpers)?,
        };
    }
    Ok(Some(text + "}\n"))
}

/// Whether `x` is before a float, in the order of floats.
fn before(x: f64) -> String {
    if x == 0.0 && x.is_sign_positive() {
        "f64::is_sign_negative(x)".to_string()
    } else {
        format!("x < {}", literal(x))
    }
}

/// The operations of a piece; its result is the last line.
fn body(program: &Program, indent: &str, helpers: &mut Helpers) -> Result<String, AdError> {
    let (spaces, word) = indent.split_at(indent.len() - indent.trim_start().len());
    let mut lines = SourceLines::new(program, spaces, |k| ["x", "f"][k as usize].to_string());
    for i in 0..program.code().ops.len() {
        lines.operation(i, helpers)?;
    }
    lines.result(word, program.code().outputs[0], helpers)?;
    Ok(lines.text)
}
