//! Algorithms without derivatives: arithmetic on primal numbers, and for small matrices on any numbers.

pub(crate) mod balance;
pub(crate) mod bidiagonal;
#[cfg(feature = "faer")]
pub(crate) mod by_faer;
pub(crate) mod cholesky;
pub(crate) mod divided;
pub(crate) mod eigen;
pub(crate) mod factors;
pub(crate) mod gemm;
pub(crate) mod jacobi;
pub(crate) mod kept;
pub(crate) mod on_spectrum;
pub(crate) mod pivots;
pub(crate) mod qr;
pub(crate) mod quotient;
pub(crate) mod schur;
pub(crate) mod small;
pub(crate) mod spectrum;
pub(crate) mod substitution;
pub(crate) mod svd;
pub(crate) mod sylvester;
