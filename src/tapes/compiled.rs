//! Code for tapes of `f64` that this crate compiles once: the parts of sweeps that are long or rare. For all other
//! numbers users' crates compile it.

use std::any::Any;
use std::marker::PhantomData;

use super::blame::Blame;
use super::record::{Record, Seed};
use crate::number::Real;

/// Sweeps of `K` lanes over numbers `T`.
struct Sweeps<T, const K: usize>(PhantomData<T>);

impl<T: Real, const K: usize> Sweeps<T, K> {
    /// Whether they are compiled here.
    const COMPILED: bool = T::IS_F64 && matches!(K, 1 | 2 | 4 | 8);
}

impl<T: Real> Record<T> {
    /// [`sweep_down`](Record::sweep_down), compiled in this crate where it can be.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[allow(clippy::ptr_arg)] // a slice is no `dyn Any`
    pub(super) fn sweep<const K: usize, const CAREFUL: bool>(
        &self,
        adjoints: &mut Vec<T>,
        len: usize,
        above: usize,
    ) {
        if Sweeps::<T, K>::COMPILED {
            if !CAREFUL && self.blocks.is_empty() {
                let adjoints = lanes_of::<T, K>(adjoints, len);
                return self.plain_back::<K, false>(adjoints, self.first_inputs..above);
            }
            return sweep_down(self, adjoints, len, above, K, CAREFUL);
        }
        self.sweep_down::<K, CAREFUL>(lanes_of(adjoints, len), self.first_inputs..above);
    }
}

/// The cotangents of `len` nodes, `K` for each.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn lanes_of<T, const K: usize>(adjoints: &mut [T], len: usize) -> &mut [[T; K]] {
    &mut adjoints.as_chunks_mut().0[..len]
}

/// The expectation on the `dyn Any` arguments.
const KNOWN: &str = "a tape of f64";

/// [`Record::sweep_down`] for `f64`: `adjoints` is a `Vec<f64>` with at least `len` times `lanes` numbers.
fn sweep_down(
    record: &dyn Any,
    adjoints: &mut dyn Any,
    len: usize,
    above: usize,
    lanes: usize,
    careful: bool,
) {
    let record = record.downcast_ref::<Record<f64>>().expect(KNOWN);
    let adjoints = adjoints.downcast_mut::<Vec<f64>>().expect(KNOWN);
    let nodes = record.first_inputs..above;
    macro_rules! sweep {
        ($($K:literal)*) => {
            match (lanes, careful) {
                $(
                    ($K, false) => record.sweep_down::<$K, false>(&mut adjoints.as_chunks_mut().0[..len], nodes),
                    ($K, true) => record.sweep_down::<$K, true>(&mut adjoints.as_chunks_mut().0[..len], nodes),
                )*
                _ => unreachable!("other numbers of lanes are compiled where they are used"),
            }
        };
    }
    sweep!(1 2 4 8);
}

/// [`Record::blame`] for `f64`: `seeds` is a vector of them.
pub(super) fn blame(record: &dyn Any, len: usize, seeds: &dyn Any) -> Option<Blame> {
    let record = record.downcast_ref::<Record<f64>>().expect(KNOWN);
    record.blame(len, seeds.downcast_ref::<Vec<Seed<f64, 1>>>().expect(KNOWN))
}
