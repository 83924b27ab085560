//! The forms in which users state the rules of primitives.

mod closures;
mod complex_step;
mod differences;
#[cfg(feature = "nalgebra")]
mod implicit;
#[cfg(feature = "nalgebra")]
mod implicit_closure;
mod in_place;
#[cfg(feature = "nalgebra")]
mod limits;
#[cfg(doctest)]
mod refused;
mod rule;
mod slopes;

pub use closures::{Closures, from_both, from_jvp, from_vjp};
pub use complex_step::with_complex_step;
pub use differences::with_finite_differences;
#[cfg(feature = "nalgebra")]
pub use implicit::{Equations, root};
#[cfg(feature = "nalgebra")]
pub use implicit_closure::implicit_root;
pub use in_place::{Overwritten, overwrite};
#[cfg(feature = "nalgebra")]
pub use limits::{Iteration, Objective, argmin, fixed_point};
pub use rule::{Rule, Stated};

use crate::error::AdError;
use crate::number::{BaseFloat, Machine, Number, Real};
use crate::primitive::views;

/// A function of real machine numbers at machine numbers that are real by type; `F` is what the function takes.
fn on_real<P: Machine, F: BaseFloat>(
    op: &'static str,
    x: &[&[P]],
    f: impl FnOnce(&[&[F]]) -> Result<Vec<F>, AdError>,
) -> Result<Vec<P>, AdError> {
    if !P::REAL {
        return Err(AdError::Unsupported { op, rule: "complex numbers" });
    }
    let x: Vec<Vec<F>> = x.iter().map(|x| machine(x)).collect();
    Ok(f(&views(&x))?.into_iter().map(|y| P::lit(y.to_double())).collect())
}

/// Values, rounded to the machine float that a function takes.
fn machine<T: Number, F: BaseFloat>(x: &[T]) -> Vec<F> {
    x.iter().map(|x| F::from_double(x.re().primal().to_double())).collect()
}

/// The number of each group.
fn lengths<T>(x: &[&[T]]) -> Vec<usize> {
    x.iter().map(|x| x.len()).collect()
}

/// A direction that a recorded rule does not have (a tape that is run forwards).
fn unsupported(op: &'static str, rule: &'static str) -> ! {
    panic!("{}", AdError::Unsupported { op, rule })
}

/// Panics unless code of users gave as many numbers as it should.
fn demand_len(op: &'static str, what: &'static str, expected: usize, got: usize) {
    if let Err(e) = AdError::check_len(op, what, expected, got) {
        panic!("{e}");
    }
}

/// Real numbers as numbers that are known to be real.
fn real<T: Number>(x: &[T]) -> Vec<T::Re> {
    x.iter().map(|x| x.re()).collect()
}
