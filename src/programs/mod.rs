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
//! each primal number that leaves the program (`primal`, `value`, `as usize`), is a [`Guard`]. A replay whose guard
//! fails returns [`AdError::BranchChanged`](crate::AdError::BranchChanged) with the condition, the recorded outcome
//! and the source line. `max`, `min`, `abs`, `clamp`, `abs_sub` and `copysign` keep both sides and have no guard.
//!
//! # The representation
//!
//! [`Program::code`] is a list of [`Op`]s in SSA form. The number of an operation is its index in the list, and
//! denotes its value; operands are numbers of earlier operations. The inputs are the first operations, in order;
//! constants are operations too. [`Code::outputs`] are the results. A program of [`trace`] has no two equal
//! operations.
//!
//! - An [`Op::Unary`] or [`Op::Binary`] refers to an entry of [`Rules`]: a rule of the table or of a user, and the
//!   order of the derivative, 0 for the function itself. A derivative is an entry if its formula chooses by values;
//!   other derivatives are operations as well. Rules are equal if they have one type and the same bits.
//! - An [`Op::Call`] refers to a [`Call`] of [`Program::calls`]: a function of many numbers or a derivative of it, its
//!   groups of operands, and its number of results, which are the [`Op::Part`]s that follow.
//!   [`Program::run_call`] runs it. [`Code`] is plain data, which threads may share; calls are not.
//! - [`Op::Strong`], [`Op::Both`], [`Op::Over`] and [`Op::Partial`] occur in derivatives, for the conventions at
//!   singular points. Without exact zeros, NaN and infinities they are `d·t`, `d·t`, `t·r` and `d`.
//!   [`Program::plain`] has these plain forms, for code that computes again where a result is not finite.
//! - [`Guard::before`] is the index of the first operation after the guard. [`evaluate`] is the meaning of each
//!   operation.

mod builder;
mod calls;
mod code;
mod derivatives;
mod display;
mod evaluate;
mod identity;
mod late;
mod laws;
mod linear;
mod linear_calls;
mod linearize;
mod machine;
mod misuse;
mod nested;
mod number;
mod op;
mod passes;
mod plain;
mod primitives;
mod program;
mod rebuild;
mod replay;
mod residuals;
pub(crate) mod rows;
mod rules;
mod run;
mod signs;
mod trace;
mod traced;
mod traces;
mod workspace;

mod direct;
#[cfg(feature = "jit")]
mod jit;
#[cfg(feature = "serde")]
mod saved;
mod source;

pub use crate::number::Property;
pub use calls::{Call, CallKind, Shared};
pub use code::Code;
pub use evaluate::evaluate;
pub use laws::{both, over, partial, strong};
pub use linear::{Law, LinearMapProgram, LinearOp};
pub use linearize::{LinearizedProgram, PassId};
pub use machine::Executable;
pub use op::{Guard, Op, Question, Relation};
pub use passes::Passes;
pub use program::Program;
pub use replay::Replay;
pub use rules::{BinaryEntry, BinaryRule, Rules, UnaryEntry, UnaryRule};
pub use trace::{trace, trace_as_written};
pub use traced::Traced;
pub use workspace::Workspace;

#[cfg(feature = "jit")]
pub use jit::{Compiled, MACHINE_CODE_LIMIT};
#[cfg(feature = "serde")]
pub use saved::{KnownRules, Saved};
pub use source::Source;
