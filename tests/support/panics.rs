//! The texts of panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The text of the panic of `f`.
#[track_caller]
pub fn text_of<R>(f: impl FnOnce() -> R) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).map(drop).expect_err("it panics");
    *panic.downcast::<String>().expect("a formatted text")
}
