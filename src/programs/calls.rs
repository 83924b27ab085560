//! Functions of many numbers as operations of a program.

use std::panic::Location;
use std::sync::Arc;

use super::nested::{AnyFunction, Map};
use crate::error::AdError;
use crate::lift::Direction;

/// The derivative of its function `f` that a call computes, from groups of operands. The groups of the argument `x`
/// come first; then, for derivatives, as many groups for each direction `v`, where an empty group has no tangent;
/// then a weight `w`.
#[derive(Clone, Debug, PartialEq)]
pub enum CallKind {
    /// `f(x)`.
    Value,
    /// `Dᵏf(x)[v₁, …, vₖ]`.
    Tangent {
        /// k, 1 to 4.
        order: usize,
    },
    /// `Dᵏf(x)[v₁, …, vₖ₋₁, ·]ᵀw`, the wanted groups in order.
    Cotangent {
        /// k, 1 to 4.
        order: usize,
        /// The groups of the argument whose components are results.
        wanted: Vec<bool>,
    },
}

/// An operation of many numbers.
#[derive(Clone)]
pub struct Call {
    pub(super) function: Arc<dyn AnyFunction>,
    /// The derivative of the function.
    pub kind: CallKind,
    /// The operands, group by group.
    pub groups: Vec<Vec<u32>>,
    /// The number of groups of the argument.
    pub arguments: usize,
    /// The number of results.
    pub results: u32,
    /// Whether it returned an error, which the traced code may have handled: then it must do so again.
    pub fails: bool,
    /// The number of its operation.
    pub(super) at: u32,
    /// The number of the linear map that it shares with other calls.
    pub(super) map: Option<usize>,
    /// Whether it stays although no result needs it: where it was traced, nothing but its success or failure counted.
    pub(super) decides: bool,
    /// The source line.
    pub location: &'static Location<'static>,
}

impl Call {
    /// The operation's name.
    pub fn name(&self) -> String {
        let name = self.function.name();
        match &self.kind {
            CallKind::Value => name.to_string(),
            CallKind::Tangent { order } => format!("{name} tangent {order}"),
            CallKind::Cotangent { order, .. } => format!("{name} cotangent {order}"),
        }
    }
    /// The operands of the argument.
    pub(super) fn argument(&self) -> &[Vec<u32>] {
        &self.groups[..self.arguments]
    }
    /// The number of directions.
    pub(super) fn directions(&self) -> usize {
        match self.kind {
            CallKind::Value => 0,
            CallKind::Tangent { order } => order,
            CallKind::Cotangent { order, .. } => order - 1,
        }
    }
    /// This call with other operands.
    pub(super) fn map_operands(&self, to: impl Fn(u32) -> u32) -> Call {
        let group = |group: &Vec<u32>| group.iter().map(|&x| to(x)).collect();
        Call { groups: self.groups.iter().map(group).collect(), ..self.clone() }
    }
    /// Whether it is the value or a first derivative, which share the factors of one linearization.
    fn is_first(&self) -> bool {
        match self.kind {
            CallKind::Value => true,
            CallKind::Tangent { order } | CallKind::Cotangent { order, .. } => order == 1,
        }
    }
}

/// Finds the calls that share a linear map: of one function at one argument, if one of them is a derivative.
pub(super) fn share_maps(calls: &mut [Call]) {
    let same = |a: &Call, b: &Call| {
        a.is_first() && b.is_first() && Arc::ptr_eq(&a.function, &b.function) && a.argument() == b.argument()
    };
    calls.iter_mut().for_each(|call| call.map = None);
    let mut count = 0;
    for k in 0..calls.len() {
        let call = &calls[k];
        let pulls = call.function.supports(Direction::Vjp);
        if call.kind == CallKind::Value || !call.is_first() || !pulls || call.map.is_some() {
            continue;
        }
        let sharing = |&i: &usize| same(&calls[k], &calls[i]) && !calls[i].fails;
        let sharing: Vec<usize> = (0..calls.len()).filter(sharing).collect();
        sharing.into_iter().for_each(|i| calls[i].map = Some(count));
        count += 1;
    }
}

/// A cache for the calls of a run: a linearization for each function at one point, the factors of each matrix.
#[derive(Default)]
pub struct Shared {
    maps: Vec<Option<Map>>,
    #[cfg(feature = "nalgebra")]
    factors: crate::matrix::Kept,
}

impl Shared {
    /// Clears the cache of another run, for these calls.
    pub fn start(&mut self, calls: &[Call]) {
        let count = calls.iter().filter_map(|call| call.map).max().map_or(0, |last| last + 1);
        self.maps.clear();
        self.maps.resize_with(count, || None);
        #[cfg(feature = "nalgebra")]
        self.factors.clear();
    }
    /// The results of a call at operands; none if the traced code got an error here, and gets one again. Calls run in
    /// their order, after [`start`](Shared::start).
    ///
    /// # Errors
    /// The errors of the function, and [`AdError::BranchChanged`] if it failed when it was traced and does not now.
    pub fn run(&mut self, call: &Call, of: impl Fn(u32) -> f64) -> Result<Vec<f64>, AdError> {
        let kept = call.map.map(|map| &mut self.maps[map]);
        #[cfg(feature = "nalgebra")]
        let y = self.factors.during(|| run(call, kept, of));
        #[cfg(not(feature = "nalgebra"))]
        let y = run(call, kept, of);
        let op = call.function.name();
        if call.fails {
            let (recorded, location) = ("an error".to_string(), call.location.into());
            return y.map_or(Ok(Vec::new()), |_| Err(AdError::BranchChanged { op, recorded, location }));
        }
        let y = y?;
        AdError::check_len(op, "result", call.results as usize, y.len())?;
        Ok(y)
    }
}

/// The results of a call. `kept` is the cache of its map.
fn run(call: &Call, kept: Option<&mut Option<Map>>, of: impl Fn(u32) -> f64) -> Result<Vec<f64>, AdError> {
    let gather = |group: &Vec<u32>| group.iter().map(|&x| of(x)).collect::<Vec<f64>>();
    let groups: Vec<Vec<f64>> = call.groups.iter().map(gather).collect();
    let views: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
    let (x, rest) = views.split_at(call.arguments);
    if let Some(kept) = kept {
        return run_shared(call, kept, x, rest);
    }
    let directions = |order: usize| -> Vec<&[&[f64]]> {
        (0..order).map(|k| &rest[k * call.arguments..(k + 1) * call.arguments]).collect()
    };
    match &call.kind {
        CallKind::Value => call.function.value(x),
        CallKind::Tangent { order } => call.function.tangent(x, &directions(*order)),
        CallKind::Cotangent { order, wanted } => {
            let weight = rest.last().expect("a weight");
            call.function.cotangent(x, &directions(order - 1), weight, wanted)
        }
    }
}

fn run_shared(
    call: &Call,
    kept: &mut Option<Map>,
    x: &[&[f64]],
    rest: &[&[f64]],
) -> Result<Vec<f64>, AdError> {
    let value = match kept {
        Some(_) if call.kind != CallKind::Value => Vec::new(),
        _ => {
            let (value, map) = call.function.value_and_map(x)?;
            *kept = Some(map);
            value
        }
    };
    let map = kept.as_ref().expect("it has been formed");
    let lengths = x.iter().map(|x| x.len());
    match &call.kind {
        CallKind::Value => Ok(value),
        CallKind::Tangent { .. } => {
            let padded = |(v, len): (&&[f64], usize)| {
                let mut v = v.to_vec();
                v.resize(len, 0.0);
                v
            };
            let tangent: Vec<f64> = rest.iter().zip(lengths).flat_map(padded).collect();
            let mut out = vec![0.0; call.results as usize];
            map.apply(&[Some(&tangent)], &mut out);
            Ok(out)
        }
        CallKind::Cotangent { wanted, .. } => {
            let mut all = vec![0.0; lengths.clone().sum()];
            map.apply_transpose_add(rest[0], &mut [Some(&mut all)]);
            let mut rest = &all[..];
            let mut out = Vec::with_capacity(call.results as usize);
            for (len, wanted) in lengths.zip(wanted) {
                let (group, behind) = rest.split_at(len);
                rest = behind;
                out.extend_from_slice(if *wanted { group } else { &[] });
            }
            Ok(out)
        }
    }
}
