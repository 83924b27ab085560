//! The derivatives of the evals, written by hand.

mod bundle;
mod hand;
mod sums;
mod time;

use gradbench::Evals;

/// The evals that are differentiated by hand.
pub const BY_HAND: Evals = &[
    ("gmm", &[("jacobian", sums::mixture)]),
    ("ba", &[("jacobian", bundle::jacobian)]),
    ("ht", &[("jacobian", hand::jacobian)]),
    ("kmeans", &[("dir", sums::clusters)]),
    ("lse", &[("gradient", sums::logsumexp)]),
    ("llsq", &[("gradient", sums::polynomial)]),
    ("det", &[("gradient", sums::determinant)]),
    ("lstm", &[("jacobian", time::network)]),
    ("ode", &[("gradient", time::chain)]),
];
