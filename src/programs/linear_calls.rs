//! Functions of many numbers in linear map programs.

use super::builder::Builder;
use super::calls::{Call, CallKind};
use super::linear::{LinearMapProgram, LinearOp, SymbolicTangent};
use crate::error::AdError;
use crate::lift::Direction;

/// A derivative of a function as a map of one of its operands, a direction or the weight.
#[derive(Clone)]
pub(super) struct LinearCall {
    /// The call, with residuals as operands, and without the operand of the map.
    call: Call,
    /// The operand of the map, group by group: the last direction, or the weight.
    operand: Vec<Vec<SymbolicTangent>>,
    is_weight: bool,
}

/// Whether a group has any component.
fn is_present(group: &[SymbolicTangent]) -> bool {
    group.iter().any(Option::is_some)
}

impl LinearCall {
    /// The call in the other direction, applied to cotangents of its results.
    fn transposed(&self, results: &[SymbolicTangent]) -> LinearCall {
        let present = || self.operand.iter().map(|group| is_present(group)).collect();
        // The cotangents of the wanted groups are a direction.
        let direction = |wanted: &[bool]| {
            let mut rest = results.iter().copied();
            let group = |(x, &wanted): (&Vec<u32>, &bool)| {
                if wanted { rest.by_ref().take(x.len()).collect() } else { vec![None; x.len()] }
            };
            self.call.argument().iter().zip(wanted).map(group).collect()
        };
        let (kind, operand, is_weight) = match &self.call.kind {
            CallKind::Cotangent { order, wanted } if self.is_weight => {
                (CallKind::Tangent { order: *order }, direction(wanted), false)
            }
            CallKind::Cotangent { order, wanted } => {
                (CallKind::Cotangent { order: *order, wanted: present() }, direction(wanted), false)
            }
            CallKind::Tangent { order } => {
                (CallKind::Cotangent { order: *order, wanted: present() }, vec![results.to_vec()], true)
            }
            CallKind::Value => unreachable!("a map is a derivative"),
        };
        let call = Call { kind, results: self.receivers().count() as u32, ..self.call.clone() };
        LinearCall { call, operand, is_weight }
    }
    /// The operands that the results of the transposed call are cotangents of, in their order.
    pub(super) fn receivers(&self) -> impl Iterator<Item = SymbolicTangent> {
        self.operand.iter().filter(|group| is_present(group)).flatten().copied()
    }
    /// Appends the call to a program with these residuals and tangents; returns the first result.
    pub(super) fn lower(
        &self,
        into: &mut Builder,
        place: impl Fn(u32) -> u32,
        at: &[SymbolicTangent],
    ) -> Option<u32> {
        let of = |t: &SymbolicTangent| t.and_then(|t| at[t as usize]);
        let group = |group: &Vec<SymbolicTangent>| -> Vec<u32> {
            if group.iter().all(|t| of(t).is_none()) {
                return Vec::new();
            }
            group.iter().map(|t| of(t).unwrap_or_else(|| into.constant(0.0))).collect()
        };
        let operand: Vec<Vec<u32>> = self.operand.iter().map(group).collect();
        if operand.iter().all(Vec::is_empty) {
            return None;
        }
        let mut call = self.call.map_operands(place);
        // A direction precedes the weight.
        let has_weight = !self.is_weight && matches!(call.kind, CallKind::Cotangent { .. });
        let place = call.groups.len() - usize::from(has_weight);
        call.groups.splice(place..place, operand);
        Some(into.call(call))
    }
}

impl LinearMapProgram {
    /// Appends a call; its results, or nothing if it has no operand.
    fn call(&mut self, linear: LinearCall) -> Vec<SymbolicTangent> {
        let results = linear.call.results;
        if !linear.operand.iter().any(|group| is_present(group)) {
            return vec![None; results as usize];
        }
        self.calls.push(linear);
        self.push(LinearOp::Call(self.calls.len() as u32 - 1));
        (0..results).map(|i| self.push(LinearOp::CallResult(i))).collect()
    }
    /// The tangents of the results of a call, from the tangents of its operands.
    pub(super) fn tangents_of_call(
        &mut self,
        call: &Call,
        tangent: impl Fn(u32) -> SymbolicTangent,
    ) -> Vec<SymbolicTangent> {
        let (x, count) = (call.argument(), call.directions());
        let tangents = |groups: &[Vec<u32>]| -> Vec<Vec<SymbolicTangent>> {
            groups.iter().map(|group| group.iter().map(|&x| tangent(x)).collect()).collect()
        };
        let call = Call { fails: false, decides: false, ..call.clone() };
        let (mut in_order, order) = (call.clone(), count + 1);
        in_order.kind = match &call.kind {
            CallKind::Cotangent { wanted, .. } => {
                CallKind::Cotangent { order: order + 1, wanted: wanted.clone() }
            }
            _ => CallKind::Tangent { order },
        };
        let mut maps = vec![LinearCall { call: in_order, operand: tangents(x), is_weight: false }];
        for j in 1..=count {
            let mut others = call.clone();
            let direction: Vec<Vec<u32>> = others.groups.drain(j * x.len()..(j + 1) * x.len()).collect();
            let mut operand = tangents(&direction);
            operand.iter_mut().zip(x).for_each(|(v, x)| v.resize(x.len(), None));
            maps.push(LinearCall { call: others, operand, is_weight: false });
        }
        if let CallKind::Cotangent { .. } = call.kind {
            let mut others = call.clone();
            let operand = tangents(&[others.groups.pop().expect("a weight")]);
            maps.push(LinearCall { call: others, operand, is_weight: true });
        }
        let mut sums = vec![None; call.results as usize];
        for map in maps {
            for (sum, part) in sums.iter_mut().zip(self.call(map)) {
                *sum = self.add(*sum, part);
            }
        }
        sums
    }
    /// The transpose of call `k`, at operation `i`.
    pub(super) fn transpose_call(&mut self, call: &LinearCall, i: usize, sums: &mut [SymbolicTangent]) {
        let results = &sums[i + 1..=i + call.call.results as usize];
        if results.iter().all(Option::is_none) {
            return;
        }
        let parts = self.call(call.transposed(results));
        for (to, part) in call.receivers().zip(parts) {
            if let Some(to) = to {
                sums[to as usize] = self.add(sums[to as usize], part);
            }
        }
    }
    /// An error unless the functions have the rules that the calls need.
    pub(super) fn demand_rules(&self) -> Result<(), AdError> {
        for LinearCall { call, .. } in &self.calls {
            let (direction, rule) = match call.kind {
                CallKind::Cotangent { .. } => (Direction::Vjp, "vjp"),
                _ => (Direction::Jvp, "jvp"),
            };
            if !call.function.supports(direction) {
                return Err(AdError::Unsupported { op: call.function.name(), rule });
            }
        }
        Ok(())
    }
}
