//! The programs of a row's derivatives.

use std::collections::BTreeMap;

use super::super::builder::{BuildOptions, Builder};
use super::super::exec::Sharing;
use super::super::linear::{NonzeroEntry, SymbolicTangent};
use super::super::op::{Code, Op};
use super::super::program::Program;
use super::super::rewrite::Rewritten;
use super::super::rules::UnaryRule;
use super::super::trace::trace;
use super::super::traced::Traced;
use super::slopes::{Partial, Slope, Slopes};
use super::split::RowSplit;
use crate::error::AdError;
use crate::rules;

/// The kinds of results of a term: residuals, then the value that they add to the sum, then for a robust loss
/// `ρ′` and the factors of its correction, `1 − α` and `α/s`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TermResults {
    pub(crate) residuals: usize,
    pub(crate) is_robust: bool,
}

impl TermResults {
    /// The cotangents of the results for the value. For squares `½r²` they are the residuals themselves, for `½ρ(r²)`
    /// the residuals times `ρ′`.
    fn seeds(self, builder: &mut Builder, results: &[u32]) -> Vec<SymbolicTangent> {
        let mut seeds = vec![None; results.len()];
        let m = self.residuals;
        if m == 0 {
            seeds[0] = Some(builder.constant(1.0));
        }
        for i in 0..m {
            let weighted = || Op::Mul(results[i], results[m + 1]);
            seeds[i] = Some(if self.is_robust { builder.push(weighted()) } else { results[i] });
        }
        seeds
    }
}

/// The program of the value only.
pub(crate) fn value(split: &RowSplit, results: TermResults) -> Program {
    split.row.with_outputs(vec![split.row.code.outputs[results.residuals]])
}

/// The value; its derivatives by the active inputs.
pub(crate) fn gradient(split: &RowSplit, results: TermResults) -> Result<Program, AdError> {
    let values = &split.row.code.outputs;
    let value = &values[results.residuals..=results.residuals];
    split.row.weighted_gradient(split.active(), value, |builder| results.seeds(builder, values))
}

/// The value and its derivatives, and the tangents of the derivatives along tangents of all inputs, which follow these.
pub(crate) fn hvp(split: &RowSplit, results: TermResults) -> Result<Program, AdError> {
    let gradient = gradient(split, results)?;
    let mut at = gradient.linearize_wrt(&gradient.first_inputs(split.active()))?;
    at.linear.outputs.remove(0); // the tangent of the value
    at.to_program()
}

/// Results that are numbers of a row times numbers that all rows share, so that only the numbers of the row are added:
/// `Σ x·s = (Σ x)·s`. If the products leave the range, the sums or the products of the sums do, except where infinite
/// products of both signs would give NaN.
#[derive(Default)]
pub(crate) struct SharedFactors {
    pub(crate) factors: Vec<SharedFactor>,
    /// The number of sums. They are further totals and results; before them the numbers `s` of all factors are results.
    pub(crate) sums: usize,
}

/// A total, the number of its sum, whether it has the opposite sign, and how many numbers multiply it.
pub(crate) struct SharedFactor {
    pub(crate) total: u32,
    pub(crate) sum: u32,
    pub(crate) minus: bool,
    pub(crate) count: usize,
}

impl SharedFactors {
    /// Replaces these results of a program by zero, and appends the numbers `s` and `x`. A number `x` that only one
    /// result has stays in it.
    pub(crate) fn take(program: &mut Program, sharing: &mut Sharing, totals: u32) -> Self {
        let Code { ops, outputs, .. } = &program.code;
        let mut is_shared = vec![false; ops.len()];
        for (v, op) in ops.iter().enumerate() {
            is_shared[v] = match *op {
                Op::Input(i) => sharing.scalars[i as usize].is_some(),
                Op::Call(_) | Op::CallResult(_) => false,
                _ => op.operands().all(|x| is_shared[x as usize]),
            };
        }
        // The row's number, and the shared ones, of a product.
        let split = |mut x: u32| {
            let (mut shared, mut minus) = (Vec::new(), false);
            loop {
                (x, minus) = match ops[x as usize] {
                    Op::Neg(a) => (a, !minus),
                    Op::Mul(a, b) if is_shared[a as usize] || is_shared[b as usize] => {
                        let (s, a) = if is_shared[b as usize] { (b, a) } else { (a, b) };
                        shared.push(s);
                        (a, minus)
                    }
                    _ => return (x, shared, minus),
                }
            }
        };
        let mut results_with = BTreeMap::<u32, Vec<_>>::new();
        for (k, (&y, &total)) in outputs.iter().zip(&sharing.totals).enumerate() {
            let (Some(total), (x, shared, minus)) = (total, split(y)) else { continue };
            if !shared.is_empty() && !is_shared[x as usize] {
                results_with.entry(x).or_default().push((k, total, shared, minus));
            }
        }
        results_with.retain(|_, results| results.len() > 1);
        let mut taken = SharedFactors::default();
        if results_with.is_empty() {
            return taken;
        }
        let mut rewritten = Rewritten::of(program, 0, BuildOptions::PLAIN);
        let (zero, mut outputs) = (rewritten.builder.constant(0.0), rewritten.outputs(program));
        for (sum, results) in (0..).zip(results_with.values()) {
            for &(k, total, ref shared, minus) in results {
                outputs[k] = zero;
                // In the order of the products.
                outputs.extend(shared.iter().rev().map(|&s| rewritten.places[s as usize]));
                taken.factors.push(SharedFactor { total, sum, minus, count: shared.len() });
            }
        }
        sharing.totals.resize(outputs.len(), None);
        taken.sums = results_with.len();
        outputs.extend(results_with.keys().map(|&x| rewritten.places[x as usize]));
        sharing.totals.extend((totals..).take(taken.sums).map(Some));
        *program = rewritten.finish(outputs);
        taken
    }
}

/// Derivatives of a row with respect to its parameters.
pub(crate) struct RowDerivatives {
    pub(crate) program: Program,
    pub(crate) slopes: Slopes,
    /// The second derivatives among the results: pairs of direct inputs or forms (which have the numbers after the direct inputs), the second number not above
    /// the first.
    pub(crate) pairs: Vec<(u32, u32)>,
}

/// A product that is zero where a factor is zero, even if the other one is infinite.
fn strong(d: u32, t: u32) -> Op {
    Op::StrongMulEither { d, t }
}

/// A program of a row with further inputs for partials.
struct ByParameters<'s> {
    split: &'s RowSplit,
    rewritten: Rewritten,
    slopes: Slopes,
    /// For each direct input and each form: its derivatives with respect to the shared parameters.
    of_shared: Vec<Vec<(u32, u32)>>,
}

impl<'s> ByParameters<'s> {
    fn new(split: &'s RowSplit, program: &Program) -> Result<Self, AdError> {
        let mut slopes = Slopes::of(split)?;
        let of_inputs = std::mem::take(&mut slopes.of_inputs);
        let Slopes { read, columns, forms, .. } = &slopes;
        let first = program.inputs() as u32;
        let [columns_at, forms_at] =
            [read.len(), read.len() + columns.len()].map(|count| first + count as u32);
        let more = read.len() + columns.len() + forms.len();
        let mut rewritten = Rewritten::of(program, more, BuildOptions::EXACT);
        let at = |list: &[u32], x: u32| list.iter().position(|&y| y == x).expect("it is among them") as u32;
        let mut input = |partial: Partial| {
            let builder = &mut rewritten.builder;
            let summands = match partial {
                Partial::Form(form) => return forms_at + form,
                Partial::Sum(summands) => summands,
            };
            let mut sum = None;
            for (slope, column) in summands {
                let mut value = match slope {
                    Slope::Constant(c) => builder.constant(c),
                    Slope::Result(k) => first + at(read, k),
                };
                if let Some(column) = column {
                    value = builder.push(strong(value, columns_at + at(columns, column)));
                }
                sum = Some(sum.map_or(value, |sum| builder.push(Op::Add(sum, value))));
            }
            sum.expect("there is a summand")
        };
        let mut of_shared = Vec::new();
        for partials in of_inputs {
            of_shared.push(partials.into_iter().map(|(parameter, of)| (parameter, input(of))).collect());
        }
        Ok(ByParameters { split, rewritten, slopes, of_shared })
    }
    /// Turns derivatives with respect to the active inputs into derivatives with respect to the shared parameters,
    /// then to the row's own.
    fn by_parameters(&mut self, of_inputs: &[SymbolicTangent]) -> Vec<SymbolicTangent> {
        let shared = self.split.shared.inputs();
        let mut sums = vec![None; shared];
        for (entry, slopes) in of_inputs.iter().zip(&self.of_shared) {
            let Some(entry) = *entry else { continue };
            for &(parameter, slope) in slopes {
                let builder = &mut self.rewritten.builder;
                let term = builder.push(strong(entry, slope));
                let sum = &mut sums[parameter as usize];
                *sum = Some(sum.map_or(term, |sum| builder.push(Op::Add(sum, term))));
            }
        }
        sums.extend(&of_inputs[self.of_shared.len()..]);
        sums
    }
}

/// A row or a column with all entries.
fn dense(entries: &[NonzeroEntry], len: usize) -> Vec<SymbolicTangent> {
    let mut all = vec![None; len];
    entries.iter().for_each(|&(i, entry)| all[i as usize] = Some(entry));
    all
}

/// Second derivatives of a row. The results are the value and the gradient; the second derivatives of `pairs`; then for
/// each of the row's own parameters the second derivatives with the shared parameters, and with own parameters up to
/// itself.
pub(crate) fn second_order(split: &RowSplit, results: TermResults) -> Result<RowDerivatives, AdError> {
    let (gradient, active) = (gradient(split, results)?, split.active());
    let at = gradient.linearize_wrt(&gradient.first_inputs(active))?;
    at.linear.demand_rules()?;
    let mut by = ByParameters::new(split, &at.program)?;
    let mut outputs = by.rewritten.outputs(&at.program);
    let columns = by.rewritten.columns(&at.linear, active);
    // The matrix is symmetric: entry (i, j) is row i of column j; the first result is the value.
    let columns: Vec<_> = columns.iter().map(|column| dense(column, 1 + active)).collect();
    let entry = |i: usize, j: usize| columns[i.min(j)][1 + i.max(j)];
    let inner = split.direct.len() + split.forms.len();
    let (mut pairs, own) = (Vec::new(), active - inner);
    for (i, j) in (0..inner).flat_map(|i| (0..=i).map(move |j| (i, j))) {
        if let Some(entry) = entry(i, j) {
            pairs.push((i as u32, j as u32));
            outputs.push(entry);
        }
    }
    let zero = by.rewritten.builder.constant(0.0);
    for a in 0..own {
        let of_inputs: Vec<SymbolicTangent> = (0..=inner + a).map(|j| entry(inner + a, j)).collect();
        outputs.extend(by.by_parameters(&of_inputs).into_iter().map(|t| t.unwrap_or(zero)));
    }
    let ByParameters { rewritten, slopes, .. } = by;
    Ok(RowDerivatives { program: rewritten.finish(outputs), slopes, pairs })
}

/// `Σ hᵢ·∇²hᵢ` of the shared values, from the shared parameters and a weight for each value: the entries of the lower
/// triangle that are not identically zero, with their rows and columns.
pub(crate) fn curvature(split: &RowSplit) -> Result<(Program, Vec<(u32, u32)>), AdError> {
    let (parameters, values) = (split.shared.inputs(), split.shared.outputs() as u32);
    let back = split.shared.vjp()?;
    let at = back.linearize_wrt(&back.first_inputs(parameters))?;
    at.linear.demand_rules()?;
    let mut rewritten = Rewritten::of(&at.program, 0, BuildOptions::EXACT);
    let columns = (0..).zip(rewritten.columns(&at.linear, parameters));
    let lower = |(b, column): (u32, Vec<NonzeroEntry>)| {
        let entry = move |(y, entry): NonzeroEntry| Some(((y.checked_sub(values)?, b), entry));
        column.into_iter().filter_map(entry).filter(|&((a, b), _)| a >= b)
    };
    let mut entries: Vec<_> = columns.flat_map(lower).collect();
    entries.sort_unstable_by_key(|&(place, _)| place);
    let (places, outputs) = entries.into_iter().unzip();
    Ok((rewritten.finish(outputs), places))
}

/// The Jacobian of a row's residuals, corrected by the robust loss: without gradient, columns in an order, or with
/// gradient, shared parameters before own ones. The results are the value; its derivatives by the active inputs, unless the
/// order of columns was given; the residuals `r̃`; the rows of `J̃`.
pub(crate) fn jacobian(
    split: &RowSplit,
    results: TermResults,
    order: Option<Vec<usize>>,
) -> Result<RowDerivatives, AdError> {
    let (active, m) = (split.active(), results.residuals);
    let (by_rows, at) = split.row.for_jacobian([m, active])?;
    let mut by = ByParameters::new(split, &at.program)?;
    let values = by.rewritten.outputs(&at.program);
    let rows = by.rewritten.rows(&at.linear, by_rows, [m, active]);
    let mut rows: Vec<Vec<SymbolicTangent>> =
        rows.iter().map(|row| by.by_parameters(&dense(row, active))).collect();
    let builder = &mut by.rewritten.builder;
    let mut outputs = vec![values[m]];
    if order.is_none() {
        // Operations that the rows have too are computed once.
        let gradient = gradient(split, results)?;
        let places = builder.append_program(&gradient, 0..gradient.code.inputs, |_| true);
        outputs = gradient.code.outputs.iter().map(|&y| places[y as usize]).collect();
    }
    let mut residuals = values[..m].to_vec();
    if results.is_robust {
        correct(builder, &mut residuals, &mut rows, [values[m + 1], values[m + 2], values[m + 3]]);
    }
    let zero = builder.constant(0.0);
    outputs.extend(residuals);
    for row in rows {
        let order = order.clone().unwrap_or_else(|| (0..row.len()).collect());
        outputs.extend(order.into_iter().map(|k| row[k].unwrap_or(zero)));
    }
    let ByParameters { rewritten, slopes, .. } = by;
    Ok(RowDerivatives { program: rewritten.finish(outputs), slopes, pairs: Vec::new() })
}

/// `r̃ = √ρ′/scale·r`, `J̃ = √ρ′·(J − by·r·rᵀJ)`, with strong zeros: a residual of zero or a flat loss stops an
/// infinite derivative.
fn correct(
    builder: &mut Builder,
    r: &mut [u32],
    rows: &mut [Vec<SymbolicTangent>],
    [slope, scale, by]: [u32; 3],
) {
    let rule = builder.rules.of(UnaryRule(rules::Sqrt), [0; 2]);
    let root = builder.push(Op::Unary { rule, x: slope });
    let is_bent = builder.as_constant(by) != Some(0.0);
    for column in 0..rows.first().map_or(0, Vec::len) {
        let mut along: SymbolicTangent = None;
        for (row, &r) in rows.iter().zip(&*r) {
            if let (Some(entry), true) = (row[column], is_bent) {
                let term = builder.push(strong(r, entry));
                along = Some(along.map_or(term, |sum| builder.push(Op::Add(sum, term))));
            }
        }
        for (row, &r) in rows.iter_mut().zip(&*r) {
            let entry = &mut row[column];
            if let Some(along) = along {
                let factor = builder.push(Op::Mul(by, r));
                let change = builder.push(strong(factor, along));
                *entry = Some(match *entry {
                    Some(entry) => builder.push(Op::Sub(entry, change)),
                    None => builder.push(Op::Neg(change)),
                });
            }
            *entry = entry.map(|entry| builder.push(strong(root, entry)));
        }
    }
    let factor = builder.push(Op::Div(root, scale));
    r.iter_mut().for_each(|r| *r = builder.push(Op::Mul(factor, *r)));
}

/// A function of one variable with its first and second derivative, within a trace. Numbers over traced ones would
/// have more requirements than the function.
#[track_caller]
pub(crate) fn with_derivatives(f: impl Fn(Traced) -> Traced, x: Traced) -> [Traced; 3] {
    let program = trace(|x: &[Traced]| f(x[0]), &[x.value]);
    let derivatives = || -> Result<[Traced; 3], AdError> {
        let first = program.value_and_gradient()?.call(&[x])?;
        let second = program.gradient()?.gradient()?.call(&[x])?;
        Ok([first[0], first[1], second[0]])
    };
    derivatives().unwrap_or_else(|error| panic!("{error}"))
}
