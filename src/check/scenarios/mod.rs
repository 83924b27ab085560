//! Scenarios for modes: each operator of a mode, at points of each kind, prepared and called twice.

/// Scenarios by rows: a name, two buffers, the values and the contents of the buffers that are wanted, and the call.
macro_rules! rows {
    ($run:ident $name:expr; $($what:literal: ($a:expr, $b:expr) [$($want:expr),*], |$y:pat_param, $p:pat_param, $q:pat_param| $call:expr;)*) => {
        $($run.twice(&$name($what), $a, $b, [$($want),*], &mut |$y, $p, $q| $call);)*
    };
}

mod functions;
#[cfg(feature = "nalgebra")]
mod matrices;
mod operators;

use std::fmt;

use functions::CALLS;

use crate::drivers::mode::Mode;
use crate::error::AdError;
use crate::space::{Components, flatten};

/// A test suite for modes of differentiation, your own and this crate's.
///
/// It combines operators (including batches) with kinds of points (numbers, sequences, tuples, structs, enums,
/// rotations, matrices, no numbers at all) and of buffers (contiguous, structured). It asserts that values and
/// derivatives are right, that inputs are unchanged, that the contents of buffers do not matter, and that the second
/// call evaluates the function as often as the first and does not allocate.
///
/// ```
/// use wengert::{FiniteDifference, Reverse, check::Scenarios};
/// Scenarios::new().first_order(Reverse).assert();
/// Scenarios::new().tolerance(1e-6).first_order(FiniteDifference::default()).assert();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scenarios {
    tolerance: f64,
    allocations: Option<fn() -> usize>,
}

impl Default for Scenarios {
    fn default() -> Self {
        Self::new()
    }
}

impl Scenarios {
    /// The default settings: derivatives within `1e-12` of the closed form, allocations not counted.
    pub fn new() -> Self {
        Scenarios { tolerance: 1e-12, allocations: None }
    }
    /// Sets the accepted difference from the closed form, relative to `1 + |derivative|`.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Scenarios { tolerance, ..self }
    }
    /// Sets a function that returns the number of allocations so far, for example from a counting allocator.
    pub fn allocations(self, count: fn() -> usize) -> Self {
        Scenarios { allocations: Some(count), ..self }
    }
}

/// The result of scenarios.
/// ```
/// use wengert::{Reverse, check::Scenarios};
/// let outcome = Scenarios::new().first_order(Reverse);
/// assert!(outcome.assertions > 0 && outcome.failures.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "an outcome says nothing unless it is looked at: `.assert()`"]
pub struct Outcome {
    /// The number of assertions.
    pub assertions: usize,
    /// The failed assertions, by scenario.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Panics if an assertion failed.
    ///
    /// # Panics
    /// With all failures.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.failures.is_empty(), "{self}");
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} assertions failed", self.failures.len(), self.assertions)?;
        self.failures.iter().take(20).try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

/// The number type of a mode.
type Number<M> = <M as Mode>::Number<f64>;

/// An operator that writes to two values and two buffers.
type Call<'c, A, B> = &'c mut dyn FnMut(&mut [f64; 2], &mut A, &mut B) -> Result<(), AdError>;

struct ScenarioRun {
    settings: Scenarios,
    outcome: Outcome,
}

impl ScenarioRun {
    fn new(settings: Scenarios) -> Self {
        ScenarioRun { settings, outcome: Outcome::default() }
    }
    fn add(&mut self, outcome: Outcome) {
        self.outcome.assertions += outcome.assertions;
        self.outcome.failures.extend(outcome.failures);
    }
    fn hold(&mut self, holds: bool, text: impl FnOnce() -> String) {
        self.outcome.assertions += 1;
        if !holds {
            self.outcome.failures.push(text());
        }
    }
    fn near(&mut self, what: &str, part: &str, got: &[f64], want: &[f64]) {
        let most = self.settings.tolerance;
        let near = |(g, w): (&f64, &f64)| (g - w).abs() <= most * (1.0 + w.abs());
        let all = got.len() == want.len() && got.iter().zip(want).all(near);
        self.hold(all, || format!("{what}: {part} {got:?}, expected {want:?}"));
    }
    /// Calls an operator twice and compares its two values and two buffers with `want`; as many values as `want` has,
    /// and no buffer where it is empty. The second call evaluates the function as often as the first, and allocates
    /// nothing. Compiled once for all functions.
    fn twice<A, B>(&mut self, what: &str, a: &mut A, b: &mut B, want: [&[f64]; 3], call: Call<'_, A, B>)
    where
        A: Components<f64> + ?Sized,
        B: Components<f64> + ?Sized,
    {
        let count = self.settings.allocations.unwrap_or(|| 0);
        let evaluations = ["first", "second"].map(|which| {
            let (what, mut y) = (format!("{what}, {which} call"), [f64::NAN; 2]);
            a.visit_mut(&mut |x| *x = f64::NAN);
            b.visit_mut(&mut |x| *x = f64::NAN);
            let before = (CALLS.get(), count());
            let result = call(&mut y, a, b);
            let (calls, allocated) = (CALLS.get() - before.0, count() - before.1);
            self.hold(which == "first" || allocated == 0, || format!("{what}: {allocated} allocations"));
            self.hold(result.is_ok(), || format!("{what}: {}", result.unwrap_err()));
            self.near(&what, "value", &y[..want[0].len()], want[0]);
            let (a, b) = (flatten(a), flatten(b));
            for (part, got, want) in [("first buffer", a, want[1]), ("second buffer", b, want[2])] {
                if !want.is_empty() {
                    self.near(&what, part, &got, want);
                }
            }
            calls
        });
        let [first, second] = evaluations;
        self.hold(first == second, || format!("{what}: {first} evaluations, then {second}"));
    }
}
