//! Functions of many numbers in linear map programs.

use std::panic::Location;
use std::sync::Arc;

use super::builder::Builder;
use super::calls::{Call, CallKind};
use super::linear::{LinearMapProgram, LinearOp, SymbolicTangent};
use super::nested::AnyFunction;
use crate::error::AdError;
use crate::lift::Direction;

/// A derivative of a function, linear in one of its operands; the other operands are residuals.
#[derive(Clone)]
pub(super) struct LinearCall {
    of: Arc<dyn AnyFunction>,
    /// The argument.
    x: Vec<Vec<u32>>,
    /// Directions, group by group.
    fixed: Vec<Vec<Vec<u32>>>,
    form: Form,
    results: usize,
    location: &'static Location<'static>,
}

#[derive(Clone)]
enum Form {
    /// `Dᵏf(x)[fixed…, v]` for the operand `v`.
    Forward { v: Vec<Vec<SymbolicTangent>> },
    /// `Dᵏf(x)[fixed…, ·]ᵀw` for the operand `w`.
    Back { w: Vec<SymbolicTangent>, wanted: Vec<bool> },
    /// `Dᵏf(x)[fixed…, v, ·]ᵀw` for the operand `v`.
    Between { v: Vec<Vec<SymbolicTangent>>, w: Vec<u32>, wanted: Vec<bool> },
}

impl Form {
    fn operands(&self) -> Vec<SymbolicTangent> {
        match self {
            Form::Forward { v } | Form::Between { v, .. } => v.concat(),
            Form::Back { w, .. } => w.clone(),
        }
    }
}

/// The groups that have any component.
fn present(v: &[Vec<SymbolicTangent>]) -> Vec<bool> {
    v.iter().map(|group| group.iter().any(Option::is_some)).collect()
}

impl LinearCall {
    /// The components of the wanted groups.
    fn count(&self, wanted: &[bool]) -> usize {
        self.x.iter().zip(wanted).map(|(x, &wanted)| if wanted { x.len() } else { 0 }).sum()
    }
    /// The operands, group by group, one for each component; `numbers` has them in order.
    fn groups(&self, wanted: &[bool], numbers: &[SymbolicTangent]) -> Vec<Vec<SymbolicTangent>> {
        let mut rest = numbers.iter().copied();
        let group = |(x, &wanted): (&Vec<u32>, &bool)| {
            if wanted { rest.by_ref().take(x.len()).collect() } else { vec![None; x.len()] }
        };
        self.x.iter().zip(wanted).map(group).collect()
    }
    /// This call with other numbers for its residuals.
    pub(super) fn at(&self, places: &[u32]) -> LinearCall {
        let all = |group: &Vec<u32>| group.iter().map(|&x| places[x as usize]).collect::<Vec<u32>>();
        let mut moved = self.clone();
        moved.x = self.x.iter().map(all).collect();
        moved.fixed = self.fixed.iter().map(|v| v.iter().map(all).collect()).collect();
        if let Form::Between { w, .. } = &mut moved.form {
            *w = all(w);
        }
        moved
    }
    /// The call in the other direction, applied to cotangents of its results.
    fn transposed(&self, results: &[SymbolicTangent]) -> LinearCall {
        let (form, count) = match &self.form {
            Form::Forward { v } => {
                let wanted = present(v);
                let count = self.count(&wanted);
                (Form::Back { w: results.to_vec(), wanted }, count)
            }
            Form::Back { w, wanted } => (Form::Forward { v: self.groups(wanted, results) }, w.len()),
            Form::Between { v, w, wanted } => {
                let back = present(v);
                let count = self.count(&back);
                let v = self.groups(wanted, results);
                (Form::Between { v, w: w.clone(), wanted: back }, count)
            }
        };
        LinearCall { form, results: count, ..self.clone() }
    }
    /// The operands that the results of the transposed call are cotangents of, in their order.
    fn receivers(&self) -> Vec<SymbolicTangent> {
        match &self.form {
            Form::Forward { v } | Form::Between { v, .. } => {
                let present = present(v);
                v.iter().zip(present).filter(|(_, present)| *present).flat_map(|(v, _)| v.clone()).collect()
            }
            Form::Back { w, .. } => w.clone(),
        }
    }
}

impl LinearMapProgram {
    /// Appends a call; its results, or nothing if it has no operand.
    fn call(&mut self, call: LinearCall) -> Vec<SymbolicTangent> {
        if call.form.operands().iter().all(Option::is_none) {
            return vec![None; call.results];
        }
        let results = call.results as u32;
        self.calls.push(call);
        self.push(LinearOp::Call(self.calls.len() as u32 - 1));
        (0..results).map(|i| self.push(LinearOp::CallResult(i))).collect()
    }
    /// The tangents of the results of a call, from the tangents of its operands.
    pub(super) fn tangents_of_call(
        &mut self,
        call: &Call,
        tangent: impl Fn(u32) -> SymbolicTangent,
    ) -> Vec<SymbolicTangent> {
        let moved = |group: &[Vec<u32>]| -> Vec<Vec<SymbolicTangent>> {
            group.iter().map(|group| group.iter().map(|&x| tangent(x)).collect()).collect()
        };
        let directions: Vec<Vec<Vec<u32>>> = call.directions().into_iter().map(<[_]>::to_vec).collect();
        let mut sums = vec![None; call.results as usize];
        let mut add = |linear: &mut Self, fixed: Vec<Vec<Vec<u32>>>, form: Form| {
            let part = linear.call(LinearCall {
                of: call.function.clone(),
                x: call.argument().to_vec(),
                fixed,
                form,
                results: call.results as usize,
                location: call.location,
            });
            for (sum, part) in sums.iter_mut().zip(part) {
                *sum = linear.add(*sum, part);
            }
        };
        let moving = |v: Vec<Vec<SymbolicTangent>>| match &call.kind {
            CallKind::Cotangent { wanted, .. } => {
                let w = call.groups.last().expect("a weight").clone();
                Form::Between { v, w, wanted: wanted.clone() }
            }
            _ => Form::Forward { v },
        };
        add(self, directions.clone(), moving(moved(call.argument())));
        for j in 0..directions.len() {
            let mut fixed = directions.clone();
            let mut v = moved(&fixed.remove(j));
            v.iter_mut().zip(call.argument()).for_each(|(v, x)| v.resize(x.len(), None));
            add(self, fixed, moving(v));
        }
        if let CallKind::Cotangent { wanted, .. } = &call.kind {
            let w = call.groups.last().expect("a weight").iter().map(|&w| tangent(w)).collect();
            add(self, directions, Form::Back { w, wanted: wanted.clone() });
        }
        sums
    }
    /// The transpose of call `k`, at operation `i`.
    pub(super) fn transpose_call(&mut self, call: &LinearCall, i: usize, sums: &mut [SymbolicTangent]) {
        let results = &sums[i + 1..=i + call.results];
        if results.iter().all(Option::is_none) {
            return;
        }
        let parts = self.call(call.transposed(results));
        for (to, part) in call.receivers().into_iter().zip(parts) {
            if let Some(to) = to {
                sums[to as usize] = self.add(sums[to as usize], part);
            }
        }
    }
    /// An error unless the functions have the rules that the calls need.
    pub(super) fn demand_rules(&self) -> Result<(), AdError> {
        for call in &self.calls {
            let (direction, rule) = match call.form {
                Form::Forward { .. } => (Direction::Jvp, "jvp"),
                Form::Back { .. } | Form::Between { .. } => (Direction::Vjp, "vjp"),
            };
            if !call.of.supports(direction) {
                return Err(AdError::Unsupported { op: call.of.name(), rule });
            }
        }
        Ok(())
    }
}

impl LinearCall {
    /// Appends the call to a program with these tangents; returns the first result.
    pub(super) fn lower(&self, into: &mut Builder, at: &[SymbolicTangent]) -> Option<u32> {
        let of = |t: &SymbolicTangent| t.and_then(|t| at[t as usize]);
        if self.form.operands().iter().all(|t| of(t).is_none()) {
            return None;
        }
        let mut filled = |group: &Vec<SymbolicTangent>| -> Vec<u32> {
            group.iter().map(|t| of(t).unwrap_or_else(|| into.constant(0.0))).collect()
        };
        let is_active = |group: &Vec<SymbolicTangent>| group.iter().any(|t| of(t).is_some());
        let mut direction = |v: &[Vec<SymbolicTangent>]| -> Vec<Vec<u32>> {
            v.iter().map(|group| if is_active(group) { filled(group) } else { Vec::new() }).collect()
        };
        let mut groups = [std::slice::from_ref(&self.x), &self.fixed[..]].concat().concat();
        let order = self.fixed.len() + 1;
        let kind = match &self.form {
            Form::Forward { v } => {
                groups.extend(direction(v));
                CallKind::Tangent { order }
            }
            Form::Back { w, wanted } => {
                groups.push(filled(w));
                CallKind::Cotangent { order, wanted: wanted.clone() }
            }
            Form::Between { v, w, wanted } => {
                groups.extend(direction(v));
                groups.push(w.clone());
                CallKind::Cotangent { order: order + 1, wanted: wanted.clone() }
            }
        };
        let (function, location) = (self.of.clone(), self.location);
        let (arguments, results) = (self.x.len(), self.results as u32);
        Some(into.call(Call {
            function,
            kind,
            groups,
            arguments,
            results,
            fails: false,
            decides: false,
            location,
        }))
    }
}
