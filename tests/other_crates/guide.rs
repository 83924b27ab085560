//! The examples of the guide with other crates, as tests.

#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/solvers.md")]
struct SolversAndOtherCrates;
