//! A cache of factors and of functions on spectra: a run of a program computes them once for a matrix, even if several
//! operations and derivatives need them.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::sync::Arc;

use crate::error::AdError;
use crate::matrix::entry::Entry;
use crate::number::{BaseFloat, Number, Real};
use crate::rules::identity;

/// The number of matrices whose factors are kept; an older one is factorised again.
const MOST: usize = 32;

/// The factors of a matrix.
struct Found {
    kind: &'static str,
    /// The bits of the entries, and of a rule: a matrix with other bits is another matrix.
    entries: Vec<u64>,
    rows: usize,
    factors: Arc<dyn Any + Send + Sync>,
}

/// The factors that a run has computed.
#[cfg(feature = "programs")]
#[derive(Default)]
pub(crate) struct Kept(Vec<Found>);

thread_local! {
    /// The cache of the current run.
    static HELD: RefCell<Option<Vec<Found>>> = const { RefCell::new(None) };
}

#[cfg(feature = "programs")]
impl Kept {
    /// Runs `run` with this cache, which it may add to.
    pub(crate) fn during<R>(&mut self, run: impl FnOnce() -> R) -> R {
        /// Restores the previous cache, after a panic too.
        struct CacheScope<'a>(&'a mut Vec<Found>, Option<Vec<Found>>);
        impl Drop for CacheScope<'_> {
            fn drop(&mut self) {
                *self.0 = HELD.replace(self.1.take()).unwrap_or_default();
            }
        }
        let outer = HELD.replace(Some(std::mem::take(&mut self.0)));
        let _back = CacheScope(&mut self.0, outer);
        run()
    }
    /// Forgets them.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The factors of a matrix; `kind` names the algorithm. In a run of a program they come from the cache if they are
/// there.
pub(crate) fn once<S: Entry, F: Send + Sync + 'static>(
    kind: &'static str,
    rows: usize,
    a: &[S],
    factorise: impl FnOnce() -> Result<Arc<F>, AdError>,
) -> Result<Arc<F>, AdError> {
    once_by(kind, &(), rows, a, factorise)
}

/// As [`once`], of a matrix and a rule.
pub(crate) fn once_by<R: Copy, S: Entry, F: Send + Sync + 'static>(
    kind: &'static str,
    rule: &R,
    rows: usize,
    a: &[S],
    compute: impl FnOnce() -> Result<Arc<F>, AdError>,
) -> Result<Arc<F>, AdError> {
    let has_identity = size_of::<R>() == 0 || identity::READS;
    if TypeId::of::<S::Primal>() != TypeId::of::<f64>() || !has_identity || HELD.with_borrow(Option::is_none)
    {
        return compute();
    }
    let mut entries = bits(a);
    entries.extend(identity::bits(rule).iter().map(|&byte| u64::from(byte)));
    if let Some(found) = found::<F>(kind, rows, &entries) {
        return Ok(found);
    }
    let factors = compute()?;
    keep(Found { kind, entries, rows, factors: factors.clone() });
    Ok(factors)
}

#[inline]
fn bits<S: Entry>(a: &[S]) -> Vec<u64> {
    a.iter().map(|a| Number::re(a.primal_value()).primal().to_double().to_bits()).collect()
}

#[inline]
fn found<F: Send + Sync + 'static>(kind: &str, rows: usize, entries: &[u64]) -> Option<Arc<F>> {
    let is_it = |found: &Found| found.kind == kind && found.rows == rows && found.entries == entries;
    let factors = |found: &Found| if is_it(found) { found.factors.clone().downcast().ok() } else { None };
    HELD.with_borrow(|held| held.iter().flatten().rev().find_map(factors))
}

#[inline]
fn keep(found: Found) {
    HELD.with_borrow_mut(|held| {
        let Some(held) = held else { return };
        if held.len() == MOST {
            held.remove(0);
        }
        held.push(found);
    });
}
