//! Reverse mode: nestings, drivers, blocks, misuse, threads, checkpoints, large tapes.
#![cfg(feature = "nalgebra")]

#[path = "support/panics.rs"]
mod panics;
mod reverse {
    pub mod blocks;
    pub mod checkpoints;
    pub mod drivers;
    pub mod maps;
    pub mod misuse;
    pub mod nesting;
    pub mod own_number;
    pub mod scale;
}
