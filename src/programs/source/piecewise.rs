//! Derivatives whose formulas choose by values, as piecewise functions.
//!
//! The formula is traced at many points. For one variable, the pieces are intervals: if neighbours have different operations,
//! the boundary is found by bisection of the floats between them. For two variables, the choices must be comparisons that the
//! trace shows.

use std::fmt::Write as _;

use super::lines::{SourceLines, is_atom, literal};
use super::rules::Helpers;
use crate::error::AdError;
use crate::programs::op::GuardCondition;
use crate::programs::program::Program;
use crate::programs::rules::{BinaryEntry, UnaryEntry};
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
        |p: &Program| p.code().rules.unary.iter().map(|e| (e.rule.text(), e.order)).collect::<Vec<_>>();
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
fn pieces(entry: &UnaryEntry) -> Option<Vec<Piece>> {
    let at = |x: f64| trace(|v| entry.rule.emit(v[0], v[1]), &[x, entry.rule.value(x)]);
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
    entry: &UnaryEntry,
    function: &str,
    helpers: &mut Helpers,
) -> Result<Option<String>, AdError> {
    let value = UnaryEntry { order: 0, rule: entry.rule.clone() };
    let is_simple = entry.order == 1 && is_quick(&entry.rule.text());
    let Some(pieces) = is_simple.then(|| pieces(&value)).flatten() else { return Ok(None) };
    let uses_value = pieces.iter().any(|piece| reads(&piece.program, 1));
    let mut text = format!("fn {function}(x: f64) -> f64 {{\n");
    if !entry.rule.nan_safe() || uses_value {
        let _ = writeln!(text, "    let f = {};", helpers.unary(&value, "x")?);
    }
    if !entry.rule.nan_safe() {
        text += "    if f64::is_nan(f) {\n        return f64::NAN;\n    }\n";
    }
    for (k, piece) in pieces.iter().enumerate() {
        let test = pieces.get(k + 1).map(|next| before(next.first));
        text += &branch(&piece.program, test, &["x", "f"], helpers)?;
    }
    Ok(Some(text + "}\n"))
}

/// A piece after its test, or the last piece.
fn branch(
    program: &Program,
    test: Option<String>,
    names: &[&str],
    helpers: &mut Helpers,
) -> Result<String, AdError> {
    match test {
        Some(test) => {
            Ok(format!("    if {test} {{\n{}    }}\n", body(program, "        return ", names, helpers)?))
        }
        None => body(program, "    ", names, helpers),
    }
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
fn body(program: &Program, indent: &str, names: &[&str], helpers: &mut Helpers) -> Result<String, AdError> {
    let (spaces, word) = indent.split_at(indent.len() - indent.trim_start().len());
    let mut lines = SourceLines::without_guards(program, spaces, |k| names[k as usize].to_string());
    for i in 0..program.code().ops.len() {
        lines.operation(i, helpers)?;
    }
    lines.result(word, program.code().outputs[0], helpers)?;
    Ok(lines.text)
}

/// Whether a program reads an input.
fn reads(program: &Program, input: u32) -> bool {
    let code = program.code();
    code.outputs.contains(&input) || code.ops.iter().any(|op| op.operands().any(|x| x == input))
}

/// Points of the plane: of each side of the comparisons that formulas of the table make.
fn grid() -> impl Iterator<Item = [f64; 2]> {
    const VALUES: [f64; 9] = [0.0, 0.5, 1.0, 2.5, 40.0, 1e10, 1e300, 1e-300, f64::INFINITY];
    let values = || VALUES.into_iter().flat_map(|x| [x, -x]);
    values().flat_map(move |x| values().map(move |y| [x, y]))
}

/// The function of a partial of two variables; none for a second one, and where the formula depends on more than the
/// arguments and the value.
pub(super) fn partial(
    entry: &BinaryEntry,
    function: &str,
    helpers: &mut Helpers,
) -> Result<Option<String>, AdError> {
    if entry.orders.iter().sum::<u8>() > 1 {
        return Ok(None);
    }
    let value = BinaryEntry { orders: [0, 0], rule: entry.rule.clone() };
    let mut ways: Vec<Program> = Vec::new();
    for [x, y] in grid() {
        let which = usize::from(entry.orders[1] == 1);
        let way = trace(|v| entry.rule.emit(v[0], v[1], v[2])[which], &[x, y, value.value(x, y)]);
        let outcomes =
            |p: &Program| p.code().guards.iter().map(|g| (g.condition, g.expected)).collect::<Vec<_>>();
        if outcomes(&way).iter().any(|(condition, _)| !reads_arguments(&way, *condition)) {
            return Ok(None);
        }
        if ways.iter().all(|other| outcomes(other) != outcomes(&way)) {
            ways.push(way);
        }
    }
    let names = ["x", "y", "f"];
    let mut text = format!(
        "fn {function}(x: f64, y: f64) -> f64 {{\n    let f = {};\n",
        helpers.binary(&value, ["x", "y"])?
    );
    text += "    if f64::is_nan(f) {\n        return f64::NAN;\n    }\n";
    for (k, way) in ways.iter().enumerate() {
        let lines = SourceLines::without_guards(way, "", |k| names[k as usize].to_string());
        let tests = way.code().guards.iter().map(|g| lines.test(g.condition, g.expected, true));
        let test = tests.collect::<Vec<_>>().join(" && ");
        let test = (k + 1 < ways.len()).then_some(test);
        text += &branch(way, test, &names, helpers)?;
    }
    Ok(Some(text + "}\n"))
}

/// Whether a condition depends only on the arguments, the value and constants, and not on digits.
fn reads_arguments(program: &Program, condition: GuardCondition) -> bool {
    let is_at_hand = |x: u32| is_atom(program.code().ops[x as usize]);
    !matches!(condition, GuardCondition::Value(_)) && condition.operands().all(is_at_hand)
}
