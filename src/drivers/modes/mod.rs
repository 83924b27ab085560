//! The modes: a number type, its scratch, one pass each.

mod finite_difference;
mod forward;
mod packed;
mod reverse;
mod second_order;

pub use finite_difference::FiniteDifference;
pub use forward::{Forward, ForwardChunk};
pub use packed::Packed;
pub use reverse::Reverse;
pub(super) use reverse::sweeps;
pub use second_order::{SecondOrder, SecondPass, SecondSink};
