//! The evals of GradBench (gradben.ch): plain models under `#[generic]`, derivatives by the
//! functions of wengert that a user finds first.

pub mod ba;
pub mod cases;
pub mod descent;
pub mod det;
pub mod gmm;
pub mod hello;
pub mod ht;
pub mod kmeans;
pub mod llsq;
pub mod lse;
pub mod lstm;
pub mod ode;
pub mod particle;
mod protocol;
pub mod saddle;

pub use protocol::{Answer, Evaluation, Result, answer, answer_by, length};

/// The functions of an eval by name.
pub type Functions = &'static [(&'static str, fn(Evaluation) -> Result<Answer>)];

/// Evals by name.
pub type Evals = &'static [(&'static str, Functions)];

/// The evals and their functions.
pub const EVALS: Evals = &[
    ("hello", &[("square", hello::square), ("double", hello::double)]),
    ("gmm", &[("objective", gmm::objective), ("jacobian", gmm::jacobian)]),
    ("ba", &[("objective", ba::objective), ("jacobian", ba::jacobian)]),
    ("ht", &[("objective", ht::objective), ("jacobian", ht::jacobian)]),
    ("kmeans", &[("cost", kmeans::cost), ("dir", kmeans::dir)]),
    ("lse", &[("primal", lse::primal), ("gradient", lse::gradient)]),
    ("llsq", &[("primal", llsq::primal), ("gradient", llsq::gradient)]),
    ("det", &[("primal", det::primal), ("gradient", det::gradient)]),
    ("lstm", &[("objective", lstm::objective), ("jacobian", lstm::jacobian)]),
    ("ode", &[("primal", ode::primal), ("gradient", ode::gradient)]),
    ("particle", &[("ff", particle::ff), ("fr", particle::fr), ("rf", particle::rf), ("rr", particle::rr)]),
    ("saddle", &[("ff", saddle::ff), ("fr", saddle::fr), ("rf", saddle::rf), ("rr", saddle::rr)]),
];
