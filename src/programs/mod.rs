//! Traced programs: a function recorded once as a list of operations, and then run, transformed and compiled.
//!
//! [`trace`] runs a function at [`Traced`] numbers and returns a [`Program`]: operations of the rule table, rules of
//! users, and primitives (matrix functions, for example) as single operations.
//!
//! ```
//! use wengert::programs::trace;
//! let program = trace(|x| (x[0] * x[1]).sin() + x[0] * x[1], &[2.0, 3.0]);
//! assert_eq!(program.operations(), 3); // x₀x₁, its sine, their sum
//! assert_eq!(program.run(&[0.5, 1.0])?, [0.5f64.sin() + 0.5]);
//! # Ok::<(), wengert::AdError>(())
//! ```
//!
//! # Branches
//!
//! A program has no branches: it takes the branches of the function at the point of the trace. Each comparison, and
//! each primal number that leaves the program (`primal`, `value`, `as usize`), is a *guard*. A replay whose guard
//! fails returns [`AdError::BranchChanged`](crate::AdError::BranchChanged) with the condition, the recorded outcome
//! and the source line. `max`, `min`, `abs`, `clamp`, `abs_sub` and `copysign` keep both sides and have no guard.
//!
//! The operations themselves are hidden in this documentation: they may change in any version.

mod builder;
mod calls;
mod complex;
mod derivatives;
mod display;
mod exec;
mod fast_path;
mod linear;
mod linear_calls;
mod linearize;
#[cfg(test)]
pub(crate) use exec::forced;
mod misuse;
mod nested;
mod number;
mod op;
mod partials;
mod passes;
mod primitives;
mod program;
mod replay;
mod rewrite;
pub(crate) mod rows;
mod rules;
mod strong_zeros;
mod trace;
mod traced;
mod value_tracking;
mod workspace;

#[cfg(feature = "jit")]
mod jit;
#[cfg(feature = "serde")]
mod saved;
mod source;
mod std_functions;

pub use complex::TracedComplex;
pub use exec::Executable;
pub use linear::LinearMapProgram;
pub use linearize::{LinearizationId, LinearizedProgram};
pub use passes::Passes;
pub use program::Program;
pub use replay::Replay;
pub use trace::{trace, trace_unoptimized};
pub use traced::Traced;
pub use workspace::Workspace;

// The inside: the parts of a program (`op.rs`), for tests and for tools of one version of this crate.
#[doc(hidden)]
pub use self::{
    calls::{Call, CallKind, Shared},
    linear::{LinearOp, ZeroProduct},
    op::{Code, Guard, GuardCondition, Op, Relation, evaluate},
    rules::{RuleEntry, RuleObject, Rules},
    strong_zeros::{propagate_nan, strong_div, strong_mul, strong_mul_either},
};
#[doc(hidden)]
pub use crate::number::Property;

#[cfg(feature = "jit")]
pub use jit::{Compiled, MACHINE_CODE_LIMIT};
#[cfg(feature = "serde")]
pub use saved::{KnownRules, Saved};
pub use source::Source;
