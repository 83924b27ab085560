//! Primitives, recorded as one operation each.

use std::panic::Location;
use std::sync::Arc;

use super::calls::{Call, CallKind};
use super::traced::{Traced, common, with};
use crate::error::AdError;
use crate::lift::{Operation, views};

/// Records a function with its results. If it fails, a replay must fail too.
#[track_caller]
pub(super) fn record<F: Operation>(function: F, x: &[&[Traced]]) -> Result<Vec<Traced>, AdError> {
    let location = Location::caller();
    let mut any = Traced::constant(0.0);
    for &x in x.iter().flat_map(|group| group.iter()) {
        any = Traced::at(0.0, 0, common(any, x).unwrap_or(0));
    }
    let values: Vec<Vec<f64>> = x.iter().map(|group| group.iter().map(|x| x.value).collect()).collect();
    let y = function.call::<f64>(&views(&values));
    if any.is_passive() {
        return Ok(y?.into_iter().map(Traced::constant).collect());
    }
    let results = y.as_ref().map_or(0, Vec::len) as u32;
    let first = with(any.trace, |trace| {
        let builder = &mut trace.builder;
        let groups = x.iter().map(|group| group.iter().map(|x| x.node_in(builder)).collect()).collect();
        let (arguments, fails) = (x.len(), y.is_err());
        let function = Arc::new(function);
        builder.call(Call {
            function,
            kind: CallKind::Value,
            groups,
            arguments,
            results,
            fails,
            decides: fails,
            location,
        })
    });
    let y = y?.into_iter().zip(first..);
    Ok(y.map(|(value, node)| Traced::at(value, node, any.trace)).collect())
}
