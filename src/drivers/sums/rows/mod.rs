//! Sums over rows of data by the program of one term: the term is a closure, and nothing else is stated.
//!
//! [`Sum`] adds up what the term returns, [`LeastSquares`] half the squares. The data are a [`Table`].
//!
//! ```
//! use wengert::sums::rows::LeastSquares;
//! // y ≈ a·e^(−bt).
//! let data = [[0.0, 2.0], [1.0, 1.0], [2.0, 0.5]];
//! let mut decay = LeastSquares::new(2, &data, |p, d| p[0] * (-p[1] * d[0]).exp() - d[1])?;
//! let mut g = [0.0; 2];
//! assert!(decay.gradient(&[2.0, 2f64.ln()], &mut g)? < 1e-30);
//! println!("{}", decay.report());
//! # Ok::<(), wengert::AdError>(())
//! ```

mod branch;
mod class;
mod classify;
mod congruence;
mod finish;
mod layout;
#[cfg(feature = "sparse")]
mod matrices;
mod out;
mod part;
mod report;
mod request;
mod run;
mod second;
mod squares;
mod sum;
mod table;
mod target;
mod targets;

pub use report::{PartReport, Report};
pub use squares::LeastSquares;
pub use sum::Sum;
pub use table::Table;
