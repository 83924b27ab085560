//! Primitives and other linear maps on a tape.

use super::operand::{NOWHERE, Operand};
use super::place::Place;
use super::record::MapBlock;
use super::slots;
use super::var::Var;
use crate::error::AdError;
use crate::lift::{Direction, Primitive, constants, values_of, views};
use crate::linear_map::LinearMap;
use crate::number::Real;
use crate::pool;

/// Records the results of a linear map of groups of variables: `values` become new variables, whose cotangents the
/// transpose of the map propagates. Constant groups are inactive; without an active group the results are constants.
#[track_caller]
pub(crate) fn record_map<T: Real>(
    groups: &[&[Var<T>]],
    values: &[T],
    map: impl FnOnce() -> Box<dyn LinearMap<T>>,
) -> Vec<Var<T>> {
    let Some(tape) = tape_of(groups) else { return values.iter().map(|&v| Var::constant(v)).collect() };
    let (operands, _) = Operand::read_all(groups, tape, groups.len());
    let map = map();
    record_block(
        tape,
        values,
        MapBlock { name: map.name(), operands, outputs: values.len(), map, applies: true },
    )
}

/// The tape of the first active variable.
pub(super) fn tape_of<T: Real>(groups: &[&[Var<T>]]) -> Option<u32> {
    groups.iter().flat_map(|g| g.iter()).find(|v| !v.is_passive()).map(Var::tape)
}

/// Records a map, and returns its results.
#[track_caller]
pub(super) fn record_block<T: Real>(tape: u32, values: &[T], block: MapBlock<T>) -> Vec<Var<T>> {
    let first = slots::with(tape, |record, len| record.add_map(len, block));
    values.iter().zip(first..).map(|(&v, node)| Var::at(v, Place::new(tape, node))).collect()
}

/// A primitive on a tape: its derivative is recorded as one map.
#[track_caller]
pub(super) fn record_primitive<T: Real, R: Primitive<T::Primal>>(
    rule: &R,
    x: &[&[Var<T>]],
) -> Result<Vec<Var<T>>, AdError> {
    let Some(tape) = tape_of(x) else {
        return Ok(constants(T::lift_primitive(rule, &views(&values_of(x, R::HELD, Var::value)))?));
    };
    pool::keep_freed(x.iter().map(|group| group.len()).sum());
    let (operands, values) = Operand::read_all(x, tape, if T::PLAIN { R::HELD } else { 0 });
    let y = T::lift_primitive(rule, &views(&values))?;
    Direction::Vjp.demand(rule)?;
    let map = Box::new(rule.linearize(values, &y)?);
    let applies = rule.supports(Direction::Jvp);
    Ok(record_block(tape, &y, MapBlock { name: rule.name(), operands, outputs: y.len(), map, applies }))
}

impl<T: Real> Operand<T> {
    /// The forms of groups, and their values without the first `held` groups.
    #[track_caller]
    pub(super) fn read_all(groups: &[&[Var<T>]], tape: u32, held: usize) -> (Vec<Self>, Vec<Vec<T>>) {
        let (mut operands, mut values) = (Vec::with_capacity(groups.len()), Vec::with_capacity(groups.len()));
        for (i, group) in groups.iter().enumerate() {
            let (operand, value) = match i < held {
                true => (Self::read(group, tape, |_| ()).0, Vec::new()),
                false => Self::read(group, tape, |x| x.value()),
            };
            operands.push(operand);
            values.push(value);
        }
        (operands, values)
    }
    /// The kind of the operand, and a part of every variable, in one pass where that is possible. The variables
    /// belong to `tape` or are constants.
    #[track_caller]
    pub(super) fn read<V>(
        variables: &[Var<T>],
        tape: u32,
        part: impl Fn(&Var<T>) -> V + Copy,
    ) -> (Self, Vec<V>) {
        let parts = || variables.iter().map(part).collect();
        let Some(first) = variables.first() else { return (Operand::Passive, Vec::new()) };
        if !first.is_passive() && first.is_fresh() {
            first.demand(tape);
            // Without a branch for each variable.
            let mut in_row = true;
            let read = |(i, v): (usize, &Var<T>)| {
                in_row &= (v.place == first.place.after(i)) & v.is_fresh();
                part(v)
            };
            let parts = variables.iter().enumerate().map(read).collect();
            let run = Operand::Run { first: first.node(), len: variables.len() as u32 };
            return (if in_row { run } else { Self::scattered(variables, tape) }, parts);
        }
        if variables.iter().all(Var::is_passive) {
            return (Operand::Passive, parts());
        }
        (Self::scattered(variables, tape), parts())
    }
    #[track_caller]
    fn scattered(variables: &[Var<T>], tape: u32) -> Self {
        for v in variables {
            v.demand(tape);
        }
        let edge = |v: &Var<T>| if v.is_passive() { (T::lit(0.0), NOWHERE) } else { (v.slope, v.node()) };
        Operand::Scattered(variables.iter().map(edge).collect())
    }
}
