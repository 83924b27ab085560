//! Primitives, recorded as one operation each.

use std::panic::Location;
use std::sync::Arc;

use super::calls::{Call, CallKind};
use super::nested::AnyFunction;
use super::traced::{Traced, common, with};
use crate::error::AdError;
use crate::lift::{Operation, map_groups, views};

/// Records a function with its results. If it fails, a replay must fail too.
#[track_caller]
pub(super) fn record<F: Operation<f64>>(function: F, x: &[&[Traced]]) -> Result<Vec<Traced>, AdError> {
    let trace = common(&x.concat());
    let y = function.call::<f64>(&views(&values_in(x)));
    let Some(trace) = trace else { return Ok(constants(&y?)) };
    record_call(Arc::new(function), x, trace, y)
}

fn values_in(x: &[&[Traced]]) -> Vec<Vec<f64>> {
    map_groups(x, |x| x.value)
}

fn constants(y: &[f64]) -> Vec<Traced> {
    y.iter().copied().map(Traced::constant).collect()
}

#[track_caller]
fn record_call(
    function: Arc<dyn AnyFunction>,
    x: &[&[Traced]],
    trace: u32,
    y: Result<Vec<f64>, AdError>,
) -> Result<Vec<Traced>, AdError> {
    let location = Location::caller();
    let results = y.as_ref().map_or(0, Vec::len) as u32;
    let first = with(trace, |trace| {
        let builder = &mut trace.builder;
        let groups = x.iter().map(|group| group.iter().map(|x| x.node_in(builder)).collect()).collect();
        let (arguments, fails, kind) = (x.len(), y.is_err(), CallKind::Value);
        let (at, map, decides) = (0, None, fails);
        builder.call(Call { function, kind, groups, arguments, results, fails, at, map, decides, location })
    });
    let y = y?.into_iter().zip(first..);
    Ok(y.map(|(value, node)| Traced::at(value, node, trace)).collect())
}
