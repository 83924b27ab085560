//! Sums over data, `Σᵢ f(p, dᵢ)`: losses, likelihoods, least squares.
//!
//! | | terms are | gives |
//! |---|---|---|
//! | [`sum_over`] | a closure `(p, d)` over a slice, an iterator, a range | one number, in any function, mode and operator |
//! | [`rows::Sum`], [`rows::LeastSquares`] | a closure `(p, d)` over the rows of a table | the same, and `½Σr²` |
//! | [`Sum`] | [`Terms`], which state what they read | gradients, products with Hessians, dense and sparse Hessians |
//! | [`LeastSquares`] | [`Terms`] that are residuals | gradients, sparse Jacobians, dense and sparse `JᵀJ`; robust losses |
//!
//! Terms that are [`Alike`] run eight at a time; those that read [`LinearForms`] of the parameters, as in regressions, are
//! differentiated by these few numbers.
//!
//! The guide has a [page](crate::guide::sums) on them.

mod alike;
mod alone;
mod blocks;
mod chart;
mod engine;
mod forward;
mod in_forms;
mod jobs;
mod kept;
mod linear;
mod loss;
mod normal;
mod over;
mod points;
mod read;
mod reverse;
pub mod rows;
mod second;
#[cfg(feature = "sparse")]
mod sparse;
mod squares;
mod sum;
mod terms;
mod wide;
mod work;

pub use crate::duals::Batch;
pub use alike::{Alike, InLanes};
pub use in_forms::InForms;
pub use linear::{LinearForms, Row};
pub use loss::{Cauchy, Huber, Loss, Squared};
pub use over::sum_over;
pub use points::{Parameters, Precision};
pub use squares::LeastSquares;
pub use sum::Sum;
pub use terms::Terms;
