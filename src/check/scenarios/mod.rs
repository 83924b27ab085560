//! Scenarios for modes: each operator of a mode, on points and functions of each kind, prepared and called
//! repeatedly.

mod first;
mod functions;
#[cfg(feature = "nalgebra")]
mod matrices;
mod second;

use std::fmt;

use functions::{CALLS, Counted};

use crate::drivers::mode::{Pass, SecondPass};
use crate::drivers::{Function, VectorFunction, prepare};
use crate::error::AdError;
use crate::number::Real;
use crate::number::Scalar;
use crate::space::{Components, SelfTangent, flatten};

/// A test suite for modes of differentiation, your own and this crate's.
///
/// It combines operators (including batches) with kinds of points (numbers, sequences, tuples, structs, enums,
/// rotations, no numbers at all), kinds of functions (closures, closures with a cache, functions that fill a buffer,
/// both, function objects), kinds of buffers (contiguous, structured) and calls (the first of a prepared operator,
/// the second, those after `reprepare` and back). It asserts that values and derivatives are right, that inputs are
/// unchanged, that the contents of caches and buffers do not matter, that wrong sizes are errors, and that the second
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
    /// The scenarios of first order at your point, which `kind` names in messages.
    pub fn first_order_at<M: Pass, X>(&self, mode: M, kind: &str, x: &X) -> Outcome
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        let mut run = ScenarioRun::new(*self);
        run.first_at(&mode, kind, x);
        run.outcome
    }
    /// The scenarios of second order at your point, which `kind` names in messages. On a group second derivatives are
    /// not compared.
    pub fn second_order_at<M: SecondPass, X>(&self, mode: M, kind: &str, x: &X) -> Outcome
    where
        X: Components<f64, Tangent: Components<f64> + SelfTangent> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        let mut run = ScenarioRun::new(*self);
        run.second_at(&mode, kind, x);
        run.outcome
    }
    /// The scenarios of your function at `x`, against a reference mode: values, gradients and Hessians by `mode` and
    /// `reference` agree in two calls, and the second call takes as many evaluations and does not allocate.
    pub fn of_function<M, R>(&self, f: &impl Function, x: &[f64], mode: M, reference: R) -> Outcome
    where
        M: SecondPass<Number<f64>: Scalar>,
        R: SecondPass<Number<f64>: Scalar>,
    {
        let (mut run, n) = (ScenarioRun::new(*self), x.len());
        let (mut g, mut h) = (vec![0.0; n], vec![0.0; n * n]);
        let y = prepare::hessian(reference, x).of_object(f).at(x, &mut g, &mut h);
        run.result("function of yours, reference", y.clone().map(drop));
        let (mut a, mut b, y) = (g.clone(), h.clone(), y.unwrap_or(f64::NAN));
        let mut hessian = prepare::hessian(mode, x);
        run.twice("function of yours, hessian", &mut a, &mut b, [&[y], &g, &h], &mut |y, g, h| {
            hessian.of_object(&Counted(f)).at(x, g, h).map(|value| y[0] = value)
        });
        run.outcome
    }
    /// Like [`of_function`](Scenarios::of_function), for values and Jacobians of a function with several results.
    pub fn of_vector_function<M, R>(
        &self,
        f: &impl VectorFunction,
        x: &[f64],
        mode: M,
        reference: R,
    ) -> Outcome
    where
        M: Pass<Number<f64>: Scalar>,
        R: Pass<Number<f64>: Scalar>,
    {
        let (mut run, m) = (ScenarioRun::new(*self), f.outputs(x.len()));
        let (mut y, mut j) = (vec![0.0; m], vec![0.0; m * x.len()]);
        let result = prepare::jacobian(reference, x).filling(m).of_object(f).at(x, &mut y, &mut j);
        run.result("function of yours, reference", result);
        let (mut a, mut b) = (y.clone(), j.clone());
        let mut jacobian = prepare::jacobian(mode, x).filling(m);
        run.twice("function of yours, jacobian", &mut a, &mut b, [&[], &y, &j], &mut |_, y, j| {
            jacobian.of_object(&Counted(f)).at(x, y, j)
        });
        run.outcome
    }
}

/// The result of scenarios.
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
    fn hold(&mut self, holds: bool, text: impl FnOnce() -> String) {
        self.outcome.assertions += 1;
        if !holds {
            self.outcome.failures.push(text());
        }
    }
    fn result(&mut self, what: &str, result: Result<(), AdError>) {
        self.hold(result.is_ok(), || format!("{what}: {}", result.unwrap_err()));
    }
    fn refused<R>(&mut self, what: &str, result: Result<R, AdError>) {
        self.hold(result.is_err(), || format!("{what} is taken"));
    }
    fn near(&mut self, what: &str, part: &str, got: &[f64], want: &[f64]) {
        let most = self.settings.tolerance;
        let near = |(g, w): (&f64, &f64)| (g - w).abs() <= most * (1.0 + w.abs());
        let all = got.len() == want.len() && got.iter().zip(want).all(near);
        self.hold(all, || format!("{what}: {part} {got:?}, expected {want:?}"));
    }
    /// Calls an operator and compares its two values and two buffers with `want`. Only as many values as `want` has
    /// are compared; an empty slice in `want` skips a buffer. Returns the number of evaluations.
    fn once<A, B>(
        &mut self,
        what: &str,
        may_allocate: bool,
        (a, b): (&mut A, &mut B),
        want: [&[f64]; 3],
        call: Call<'_, A, B>,
    ) -> usize
    where
        A: Components<f64> + ?Sized,
        B: Components<f64> + ?Sized,
    {
        let mut y = [f64::NAN; 2];
        a.visit_mut(&mut |x| *x = f64::NAN);
        b.visit_mut(&mut |x| *x = f64::NAN);
        let count = self.settings.allocations.unwrap_or(|| 0);
        let before = (CALLS.get(), count());
        let result = call(&mut y, a, b);
        let after = (CALLS.get(), count());
        let allocated = after.1 - before.1;
        self.hold(may_allocate || allocated == 0, || format!("{what}: {allocated} allocations"));
        self.result(what, result);
        self.near(what, "value", &y[..want[0].len()], want[0]);
        for (part, got, want) in
            [("first buffer", flatten(a), want[1]), ("second buffer", flatten(b), want[2])]
        {
            if !want.is_empty() {
                self.near(what, part, &got, want);
            }
        }
        after.0 - before.0
    }
    /// As `once`, twice: the second call evaluates the function as often as the first, and allocates nothing. Compiled
    /// once for all functions.
    fn twice<A, B>(&mut self, what: &str, a: &mut A, b: &mut B, want: [&[f64]; 3], call: Call<'_, A, B>)
    where
        A: Components<f64> + ?Sized,
        B: Components<f64> + ?Sized,
    {
        let first = self.once(&format!("{what}, first call"), true, (a, b), want, call);
        let second = self.once(&format!("{what}, second call"), false, (a, b), want, call);
        self.hold(first == second, || format!("{what}: {first} evaluations, then {second}"));
    }
}

/// A number that is halved if its memory has not been reset.
fn if_reset<N: Real<Base = f64>>(memory: N, x: N) -> N {
    if memory.primal().is_nan() { x } else { x * 0.5 }
}
