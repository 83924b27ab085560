//! Sums over data, `Σᵢ f(p, dᵢ)`: losses, likelihoods, least squares.
//!
//! | | terms are | gives |
//! |---|---|---|
//! | [`sum_over`] | a closure `(p, d)` over a slice, an iterator, a range | one number, in any function, mode and operator |
//! | [`Sum`] | a closure `(p, d)` over the rows of a [`Table`] | gradients, products with Hessians, dense and sparse Hessians |
//! | [`LeastSquares`] | such a closure that returns residuals | `½Σr²` with gradients, sparse Jacobians, dense and sparse `JᵀJ`; robust losses |
//!
//! [`Sum`] and [`LeastSquares`] trace the term once and run its program over the rows.
//!
//! ```
//! use wengert::sums::LeastSquares;
//! // y ≈ a·e^(−bt).
//! let data = [[0.0, 2.0], [1.0, 1.0], [2.0, 0.5]];
//! let mut decay = LeastSquares::new(2, &data, |p, d| p[0] * (-p[1] * d[0]).exp() - d[1])?;
//! let mut g = [0.0; 2];
//! assert!(decay.gradient(&[2.0, 2f64.ln()], &mut g)? < 1e-30);
//! println!("{}", decay.report());
//! # Ok::<(), wengert::AdError>(())
//! ```
//!
//! Rows that are spread over processes or machines are added as [`PartialSum`]s. The guide has a
//! [page](crate::guide::sums) on sums.

mod alone;
mod branch;
mod chart;
mod class;
mod classify;
mod eager;
mod finish;
mod layout;
mod loss;
mod out;
mod part;
mod partial;
#[macro_use]
mod parts;
mod points;
mod report;
mod request;
mod run;
mod second;
#[cfg(feature = "sparse")]
mod sparse;
mod squares;
mod sum;
mod table;
mod targets;
mod term;

pub use super::sum_over::sum_over;
pub use loss::{Cauchy, Huber, Loss, Squared};
pub use partial::PartialSum;
pub use points::{Parameters, Precision};
pub use report::{PartReport, SumReport};
pub use squares::LeastSquares;
pub use sum::Sum;
pub use table::Table;
