//! The partials of rules as operations: formulas of the table, recorded symbolically, without values.

use std::array::from_fn;
use std::mem::replace;
use std::sync::Arc;

use super::builder::Builder;
use super::nested::too_high;
use super::op::Op;
use super::rules::{BinaryRule, RuleEntry, RuleObject, UnaryRule, kinds};
use super::traced::{OpenTrace, Trace, Traced, common, is_symbolic, with};
use crate::error::AdError;
use crate::rules::differentiated::{BinaryVisitor, HIGHEST, UnaryVisitor};
use crate::rules::{self, Binary, Unary};

/// A program to which residuals are added.
pub(super) struct Partials {
    open: OpenTrace,
    /// Rules whose formulas branch on values.
    value_dependent: Vec<bool>,
}

impl Partials {
    pub(super) fn new(builder: Builder) -> Self {
        Partials { open: OpenTrace::new(builder, true), value_dependent: Vec::new() }
    }
    pub(super) fn finish(self) -> Builder {
        self.open.close()
    }
    fn build<R>(&self, f: impl FnOnce(&mut Builder) -> R) -> R {
        with(self.open.0, |trace| f(&mut trace.builder))
    }
    pub(super) fn push(&self, op: Op) -> u32 {
        self.build(|builder| builder.push(op))
    }
    fn number(&self, node: u32) -> Traced {
        let constant = self.build(|builder| builder.as_constant(node));
        constant.map_or(Traced::at(f64::NAN, node, self.open.0), Traced::constant)
    }
    /// The reciprocal of the divisor `y`, NaN where the quotient `q` is.
    pub(super) fn reciprocal(&self, q: u32, y: u32) -> u32 {
        let rule = self.build(|builder| builder.rules.of(UnaryRule(rules::Recip), [0; 2]));
        let d = self.push(Op::Unary { rule, x: y });
        self.push(Op::PropagateNan { f: q, d })
    }
    pub(super) fn entry<R>(&self, rule: u32, of: impl FnOnce(&RuleEntry) -> R) -> R {
        self.build(|builder| of(&builder.rules.all[rule as usize]))
    }
    /// This number where `f` is a number, else NaN.
    pub(super) fn where_number(&self, f: u32, number: f64) -> u32 {
        let d = self.build(|builder| builder.constant(number));
        self.push(Op::PropagateNan { f, d })
    }
    /// The partials of a rule's result `f` that are wanted; none where it is zero everywhere.
    pub(super) fn slopes(
        &mut self,
        rule: u32,
        [x, y]: [u32; 2],
        f: u32,
        wanted: [bool; 2],
    ) -> Result<[Option<u32>; 2], AdError> {
        let RuleEntry { rule: object, orders: [m, n], .. } = self.entry(rule, RuleEntry::clone);
        let known = self.value_dependent.get(rule as usize).copied().unwrap_or(false);
        if m + n == 0 && !known {
            let [a, b, value] = [x, y, f].map(|node| self.number(node));
            if let Some(partials) = formula(self.open.0, &|| object.emit(a, b, value)) {
                let lawful = |i: usize| {
                    let is_zero = |d: &u32| self.build(|builder| builder.as_constant(*d)) == Some(0.0);
                    let d = Some(partials[i]).filter(|d| wanted[i] && !is_zero(d))?;
                    Some(if object.nan_safe() { d } else { self.push(Op::PropagateNan { f, d }) })
                };
                return Ok([lawful(0), lawful(1)]);
            }
            let len = self.value_dependent.len().max(rule as usize + 1);
            self.value_dependent.resize(len, false);
            self.value_dependent[rule as usize] = true;
        }
        if m + n > 0 && kinds![Max, Min, WithSign].contains(&object.kind()) {
            // Piecewise constant.
            return Ok(wanted.map(|wanted| wanted.then(|| self.where_number(f, 0.0))));
        }
        if m + n == HIGHEST {
            return Err(too_high(object.name()));
        }
        let partial = |i: usize, orders: [u8; 2]| {
            wanted[i].then(|| self.build(|builder| builder.push_rule(&object, orders, [x, y])))
        };
        Ok([partial(0, [m + 1, n]), partial(1, [m, n + 1])])
    }
}

impl Builder {
    /// Appends a derivative of a rule, which ignores the operands that it does not have.
    fn push_rule(&mut self, rule: &Arc<dyn RuleObject>, orders: [u8; 2], operands: [u32; 2]) -> u32 {
        let number = self.rules.add(RuleEntry::new(rule.clone(), orders));
        self.push(Op::of_rule(number, &operands[..rule.arity()]))
    }
}

/// The recorded formula of a trace, or `None` if it branches on values: its numbers have no values.
fn formula<const N: usize>(number: u32, form: &dyn Fn() -> [Traced; N]) -> Option<[u32; N]> {
    let start = |trace: &mut Trace| {
        (trace.builder.mark(), replace(&mut trace.symbolic, true), replace(&mut trace.value_was_read, false))
    };
    let (before, symbolic, value_was_read) = with(number, start);
    let formed = form();
    with(number, |trace| {
        trace.symbolic = symbolic;
        if replace(&mut trace.value_was_read, value_was_read) {
            trace.builder.undo(before);
            return None;
        }
        Some(formed.map(|d| d.node_in(&mut trace.builder)))
    })
}

/// Whether a formula at numbers whose values are not known branches on values.
#[track_caller]
pub(super) fn chooses<const N: usize>(x: [Traced; N], form: &dyn Fn() -> [Traced; 0]) -> bool {
    let number = common(&x).filter(|&number| !is_symbolic(number));
    number.is_some_and(|number| formula(number, form).is_none())
}

/// A number of a trace whose value is not known.
pub(super) fn unknown(x: Traced) -> Traced {
    if x.is_passive() { x } else { Traced::at(f64::NAN, x.node, x.trace) }
}

/// `f′` of a rule in a function that is traced. A formula that branches on values becomes one operation, so that its
/// branches do not become guards.
#[track_caller]
pub(super) fn slope<U: Unary>(rule: U, x: Traced, f: Traced) -> Traced {
    rule.visit(RuleSlopes { x: [x], f })[0]
}

/// The partials of a rule of two variables, as [`slope`].
#[track_caller]
pub(super) fn slopes<B: Binary>(rule: B, x: Traced, y: Traced, f: Traced) -> [Traced; 2] {
    rule.visit(RuleSlopes { x: [x, y], f })
}

/// The derivatives of rules at these numbers, with the result `f`.
struct RuleSlopes<const N: usize> {
    x: [Traced; N],
    f: Traced,
}

impl UnaryVisitor for RuleSlopes<1> {
    type Out = [Traced; 1];
    #[track_caller]
    fn visit<U: Unary>(self, rule: U, order: u8) -> [Traced; 1] {
        let ([x], f) = (self.x, self.f);
        if order > 0 {
            return [Traced::of_rule([x], UnaryRule(rule), [order + 1, 0])];
        }
        let values = || [rule.derivative(x.value, f.value)];
        let form = || [rule.derivative(unknown(x), unknown(f))];
        match slopes_at(UnaryRule(rule), [x], &values, &form) {
            Some(slopes) => slopes,
            None => [rule.derivative(x, f)],
        }
    }
}

impl BinaryVisitor for RuleSlopes<2> {
    type Out = [Traced; 2];
    #[track_caller]
    fn visit<B: Binary>(self, rule: B, [m, n]: [u8; 2]) -> [Traced; 2] {
        let ([x, y], f) = (self.x, self.f);
        if m + n > 0 {
            let first = Traced::of_rule([x, y], BinaryRule(rule), [m + 1, n]);
            return [first, Traced::of_rule([x, y], BinaryRule(rule), [m, n + 1])];
        }
        let values = || rule.partials(x.value, y.value, f.value);
        let form = || rule.partials(unknown(x), unknown(y), unknown(f));
        match slopes_at(BinaryRule(rule), [x, y], &values, &form) {
            Some(slopes) => slopes,
            None => rule.partials(x, y, f),
        }
    }
}

/// The partials from their values, and from the formula at numbers whose values are not known; none in a trace whose
/// numbers have no values.
#[track_caller]
pub(super) fn slopes_at<const N: usize>(
    rule: impl RuleObject + 'static,
    x: [Traced; N],
    values: &dyn Fn() -> [f64; N],
    form: &dyn Fn() -> [Traced; N],
) -> Option<[Traced; N]> {
    let (number, values, formed) = values_and_formula(&x, values, form)?;
    let nodes = match formed {
        Some(nodes) => nodes,
        None => push_slopes(Arc::new(rule), x, number),
    };
    Some(traced(values, nodes, number))
}

/// The number of the trace, the values, and the nodes of the formula if there is one.
type ValuesAndFormula<const N: usize> = (u32, [f64; N], Option<[u32; N]>);

fn values_and_formula<const N: usize>(
    x: &[Traced],
    values: &dyn Fn() -> [f64; N],
    form: &dyn Fn() -> [Traced; N],
) -> Option<ValuesAndFormula<N>> {
    let number = common(x).filter(|&number| !is_symbolic(number))?;
    Some((number, values(), formula(number, form)))
}

fn traced<const N: usize>(values: [f64; N], nodes: [u32; N], number: u32) -> [Traced; N] {
    from_fn(|i| Traced::at(values[i], nodes[i], number))
}

/// The partials of a rule as one operation each.
#[track_caller]
fn push_slopes<const N: usize>(rule: Arc<dyn RuleObject>, x: [Traced; N], number: u32) -> [u32; N] {
    with(number, |trace| {
        let builder = &mut trace.builder;
        let x = x.map(|x| x.node_in(builder));
        from_fn(|i| builder.push_rule(&rule, [[1, 0], [0, 1]][i], [x[0], x[N - 1]]))
    })
}
