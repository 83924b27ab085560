//! The partials of rules as operations: formulas of the table, recorded symbolically, without values.

use std::any::TypeId;
use std::mem::replace;
use std::sync::Arc;

use super::builder::Builder;
use super::nested::too_high;
use super::op::Op;
use super::rules::{BinaryEntry, BinaryRule, UnaryEntry, UnaryRule};
use super::traced::{OpenTrace, Trace, Traced, common, is_symbolic, with};
use crate::error::AdError;
use crate::rules::{self, Binary, Unary};

/// The highest order of a derivative that is not an operation of others.
const ORDERS: u8 = 4;

/// A program to which residuals are added.
pub(super) struct Partials {
    open: OpenTrace,
    /// Rules whose formulas branch on values.
    value_dependent: [Vec<bool>; 2],
}

impl Partials {
    pub(super) fn new(builder: Builder) -> Self {
        Partials { open: OpenTrace::new(builder, true), value_dependent: [Vec::new(), Vec::new()] }
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
        let rule = self.build(|builder| builder.rules.of_unary(rules::Recip));
        let d = self.push(Op::Unary { rule, x: y });
        self.push(Op::PropagateNan { f: q, d })
    }
    /// Whether the operation is `1/x` itself, no derivative of it.
    pub(super) fn is_reciprocal(&self, rule: u32) -> bool {
        self.build(|builder| {
            let entry = &builder.rules.unary[rule as usize];
            entry.order == 0 && entry.rule.kind() == TypeId::of::<rules::Recip>()
        })
    }
    /// 1 where `f` is a number, else NaN.
    pub(super) fn is_number(&self, f: u32) -> u32 {
        let d = self.build(|builder| builder.constant(1.0));
        self.push(Op::PropagateNan { f, d })
    }
    /// The derivative of a piecewise constant `f`: NaN where `f` is.
    fn zero_of(&self, f: u32) -> u32 {
        let d = self.build(|builder| builder.constant(0.0));
        self.push(Op::PropagateNan { f, d })
    }
    /// Whether a partial is not the constant 0.
    fn unless_zero(&self, d: u32) -> Option<u32> {
        (self.build(|builder| builder.as_constant(d)) != Some(0.0)).then_some(d)
    }
    /// The derivative of a rule's result `f` at `x`; none if it is zero everywhere.
    pub(super) fn slope(&mut self, rule: u32, x: u32, f: u32) -> Result<Option<u32>, AdError> {
        let entry = self.build(|builder| builder.rules.unary[rule as usize].clone());
        let known = self.value_dependent[0].get(rule as usize).copied().unwrap_or(false);
        if entry.order == 0 && !known {
            let (x, value) = (self.number(x), self.number(f));
            if let Some([d]) = formula(self.open.0, || [entry.rule.emit(x, value)]) {
                let Some(d) = self.unless_zero(d) else { return Ok(None) };
                let d = if entry.rule.nan_safe() { d } else { self.push(Op::PropagateNan { f, d }) };
                return Ok(Some(d));
            }
            mark(&mut self.value_dependent[0], rule);
        }
        if entry.order > 0 && entry.rule.kind() == TypeId::of::<rules::WithSign>() {
            return Ok(Some(self.zero_of(f)));
        }
        if entry.order == ORDERS {
            return Err(too_high(entry.rule.name()));
        }
        let next = UnaryEntry { order: entry.order + 1, rule: entry.rule };
        let rule = self.build(|builder| builder.rules.add_unary(next));
        Ok(Some(self.push(Op::Unary { rule, x })))
    }
    /// The type of a rule of two variables.
    pub(super) fn kind_of_binary(&self, rule: u32) -> TypeId {
        self.build(|builder| builder.rules.binary[rule as usize].rule.kind())
    }
    /// The partials of a rule's result `f` that are wanted.
    pub(super) fn partials(
        &mut self,
        rule: u32,
        [x, y]: [u32; 2],
        f: u32,
        wanted: [bool; 2],
    ) -> Result<[Option<u32>; 2], AdError> {
        let entry = self.build(|builder| builder.rules.binary[rule as usize].clone());
        let known = self.value_dependent[1].get(rule as usize).copied().unwrap_or(false);
        if entry.orders == [0, 0] && !known {
            let [a, b, value] = [x, y, f].map(|node| self.number(node));
            if let Some(partials) = formula(self.open.0, || entry.rule.emit(a, b, value)) {
                let lawful = |i: usize| {
                    let d = self.unless_zero(partials[i]).filter(|_| wanted[i])?;
                    Some(self.push(Op::PropagateNan { f, d }))
                };
                return Ok([lawful(0), lawful(1)]);
            }
            mark(&mut self.value_dependent[1], rule);
        }
        let [m, n] = entry.orders;
        if m + n > 0 && is_extremum(entry.rule.kind()) {
            return Ok(wanted.map(|wanted| wanted.then(|| self.zero_of(f))));
        }
        if m + n == ORDERS {
            return Err(too_high(entry.rule.name()));
        }
        let next = [[m + 1, n], [m, n + 1]];
        let partial = |i: usize| {
            let rule = BinaryEntry { orders: next[i], rule: entry.rule.clone() };
            let rule = self.build(|builder| builder.rules.add_binary(rule));
            wanted[i].then(|| self.push(Op::Binary { rule, x, y }))
        };
        Ok([partial(0), partial(1)])
    }
}

/// The recorded formula of a trace, or `None` if it branches on values: its numbers have no values.
fn formula<const N: usize>(number: u32, form: impl FnOnce() -> [Traced; N]) -> Option<[u32; N]> {
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

/// A number of a trace whose value is not known.
pub(super) fn unknown(x: Traced) -> Traced {
    if x.is_passive() { x } else { Traced::at(f64::NAN, x.node, x.trace) }
}

/// `f′` of a rule in a function that is traced. A formula that branches on values becomes one operation, so that its
/// branches do not become guards.
#[track_caller]
pub(super) fn slope<U: Unary>(rule: U, x: Traced, f: Traced) -> Traced {
    if x.is_passive() || is_symbolic(x.trace) {
        return rule.derivative(x, f);
    }
    let value = rule.derivative(x.value, f.value);
    let formed = formula(x.trace, || [rule.derivative(unknown(x), unknown(f))]);
    let [node] = formed.unwrap_or_else(|| push_slope(Arc::new(rule), x));
    Traced::at(value, node, x.trace)
}

/// The derivative of a rule as one operation.
#[track_caller]
fn push_slope(rule: Arc<dyn UnaryRule>, x: Traced) -> [u32; 1] {
    with(x.trace, |trace| {
        let rule = trace.builder.rules.add_unary(UnaryEntry { rule, order: 1 });
        [trace.builder.push(Op::Unary { rule, x: x.node })]
    })
}

/// The partials of a rule of two variables, as [`slope`].
#[track_caller]
pub(super) fn slopes<B: Binary>(rule: B, x: Traced, y: Traced, f: Traced) -> [Traced; 2] {
    let values = || rule.partials(x.value, y.value, f.value);
    slopes_at(rule, [x, y], values, || rule.partials(unknown(x), unknown(y), unknown(f)))
        .unwrap_or_else(|| rule.partials(x, y, f))
}

/// The partials from their values, and from the formula at numbers whose values are not known; none in a trace whose
/// numbers have no values.
#[track_caller]
pub(super) fn slopes_at<B: BinaryRule + 'static>(
    rule: B,
    [x, y]: [Traced; 2],
    values: impl FnOnce() -> [f64; 2],
    form: impl FnOnce() -> [Traced; 2],
) -> Option<[Traced; 2]> {
    let number = common(&[x, y]).filter(|&number| !is_symbolic(number))?;
    let (values, formed) = (values(), formula(number, form));
    let [a, b] = formed.unwrap_or_else(|| push_slopes(Arc::new(rule), x, y, number));
    Some([Traced::at(values[0], a, number), Traced::at(values[1], b, number)])
}

/// The partials of a rule as one operation each.
#[track_caller]
fn push_slopes(rule: Arc<dyn BinaryRule>, x: Traced, y: Traced, number: u32) -> [u32; 2] {
    with(number, |trace| {
        let builder = &mut trace.builder;
        let (x, y) = (x.node_in(builder), y.node_in(builder));
        [[1, 0], [0, 1]].map(|orders| {
            let rule = builder.rules.add_binary(BinaryEntry { orders, rule: rule.clone() });
            builder.push(Op::Binary { rule, x, y })
        })
    })
}

/// Whether the rule takes the larger or the smaller of two numbers.
pub(super) fn is_extremum(kind: TypeId) -> bool {
    [TypeId::of::<rules::Max>(), TypeId::of::<rules::Min>()].contains(&kind)
}

fn mark(value_dependent: &mut Vec<bool>, rule: u32) {
    let len = value_dependent.len().max(rule as usize + 1);
    value_dependent.resize(len, false);
    value_dependent[rule as usize] = true;
}
