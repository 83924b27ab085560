//! Scenarios for modes: each operator of a mode, on points and functions of each kind, kept and called again.

mod functions;

use std::fmt;

use functions::{CALLS, Chain, Expected, chain, direction, pair};

use crate::drivers::mode::{Mode, Pass, SecondPass};
use crate::drivers::{Function, prepare};
use crate::error::AdError;
use crate::number::Real;
use crate::space::{Components, Flat, flatten};

/// A suite of scenarios for modes of differentiation: for yours and for this crate's.
///
/// It crosses operators with kinds of points (numbers, arrays, slices, `Vec`, tuples, nested sequences, no numbers at
/// all), kinds of functions (closures, closures with a cache, functions that fill a buffer, both, function objects) and
/// calls (the first of a prepared operator, the second, one after `reprepare` and back). Asserted are the values, that
/// inputs stay as they are, that what caches and buffers hold does not matter, that the second call evaluates the
/// function as often as the first and allocates nothing.
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
    /// Derivatives within `1e-12` of the closed form; allocations are not counted.
    pub fn new() -> Self {
        Scenarios { tolerance: 1e-12, allocations: None }
    }
    /// How far derivatives may be from the closed form, relative to `1 + |derivative|`.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Scenarios { tolerance, ..self }
    }
    /// Counts allocations by a function that says how many there have been, such as the reading of a counting allocator.
    pub fn allocations(self, count: fn() -> usize) -> Self {
        Scenarios { allocations: Some(count), ..self }
    }
    /// All scenarios of first order.
    pub fn first_order<M: Pass>(&self, mode: M) -> Outcome {
        let mut run = Run::new(*self);
        run.first_at(&mode, "array", &[0.5, -1.25, 2.0]);
        run.first_at(&mode, "slice", &[0.5, -1.25, 2.0][..]);
        run.first_at(&mode, "Vec", &vec![0.5; 11]);
        run.first_at(&mode, "no numbers", &[0.0; 0]);
        run.first_at(&mode, "tuple", &(0.5, vec![-1.25, 2.0], [Some(1.5)]));
        run.first_at(&mode, "nested sequences", &vec![vec![0.5, 2.0], vec![], vec![-1.25]]);
        run.first_of_objects(&mode, &[0.5, -1.25, 2.0, 0.75]);
        run.curves(&mode, 0.42);
        run.outcome
    }
    /// All scenarios of second order.
    pub fn second_order<M: SecondPass>(&self, mode: M) -> Outcome {
        let mut run = Run::new(*self);
        run.second_at(&mode, "array", &[0.5, -1.25, 2.0]);
        run.second_at(&mode, "slice", &[0.5, -1.25, 2.0][..]);
        run.second_at(&mode, "Vec", &vec![0.5; 11]);
        run.second_at(&mode, "no numbers", &[0.0; 0]);
        run.second_at(&mode, "tuple", &(0.5, vec![-1.25, 2.0], [Some(1.5)]));
        run.second_of_objects(&mode, &[0.5, -1.25, 2.0, 0.75]);
        run.outcome
    }
    /// The scenarios of first order at a point of yours, which `kind` names in messages.
    pub fn first_order_at<M: Pass, X>(&self, mode: M, kind: &str, x: &X) -> Outcome
    where
        X: Components<f64, Tangent: Components<f64> + Flat> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        let mut run = Run::new(*self);
        run.first_at(&mode, kind, x);
        run.outcome
    }
    /// The scenarios of second order at a point of yours, which `kind` names in messages.
    pub fn second_order_at<M: SecondPass, X>(&self, mode: M, kind: &str, x: &X) -> Outcome
    where
        X: Components<f64, Tangent: Components<f64> + Flat> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        let mut run = Run::new(*self);
        run.second_at(&mode, kind, x);
        run.outcome
    }
    /// The scenarios of a function of yours at `x`, against a reference mode: gradient and Hessian by `mode` and by
    /// `reference` agree, twice.
    pub fn of_function<M, R>(&self, f: &impl Function, x: &[f64], mode: M, reference: R) -> Outcome
    where
        M: SecondPass,
        R: SecondPass,
    {
        let (mut run, n) = (Run::new(*self), x.len());
        let (mut g, mut h) = (vec![0.0; n], vec![0.0; n * n]);
        let y = prepare::hessian(reference, x).of_object(f).at(x, &mut g, &mut h[..]);
        let mut hessian = prepare::hessian(mode, x);
        run.twice("function of yours, hessian", |run, what| {
            let (mut gradient, mut out) = (vec![f64::NAN; n], vec![f64::NAN; n * n]);
            let value = hessian.of_object(f).at(x, &mut gradient, &mut out[..]);
            run.result(what, value.clone().map(drop));
            run.near(what, "value", &[value.unwrap_or(f64::NAN)], &[y.clone().unwrap_or(f64::NAN)]);
            run.near(what, "gradient", &gradient, &g);
            run.near(what, "Hessian", &out, &h);
        });
        run.outcome
    }
}

/// What scenarios have found.
#[derive(Clone, Debug, Default)]
#[must_use = "a outcome says nothing unless it is looked at: `.assert()`"]
pub struct Outcome {
    /// How many assertions were made.
    pub assertions: usize,
    /// Those that failed, by scenario.
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

struct Run {
    settings: Scenarios,
    outcome: Outcome,
}

impl Run {
    fn new(settings: Scenarios) -> Self {
        Run { settings, outcome: Outcome::default() }
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
    fn near(&mut self, what: &str, part: &str, got: &[f64], want: &[f64]) {
        let most = self.settings.tolerance;
        let near = |(g, w): (&f64, &f64)| (g - w).abs() <= most * (1.0 + w.abs());
        let all = got.len() == want.len() && got.iter().zip(want).all(near);
        self.hold(all, || format!("{what}: {part} {got:?}, expected {want:?}"));
    }
    /// Runs a scenario twice: the second time it calls the function as often, and what it measures allocates nothing.
    fn twice(&mut self, what: &str, mut scenario: impl FnMut(&mut Self, &str)) {
        let calls = |run: &mut Self, scenario: &mut dyn FnMut(&mut Self, &str), what: &str| {
            let before = CALLS.get();
            scenario(run, what);
            CALLS.get() - before
        };
        let first = calls(self, &mut scenario, &format!("{what}, first call"));
        let second = calls(self, &mut scenario, &format!("{what}, second call"));
        self.hold(first == second, || format!("{what}: {first} evaluations, then {second}"));
    }
    /// What a call returns, and whether it allocated; only a second call is held to nothing.
    fn measured<R>(&mut self, what: &str, call: impl FnOnce() -> R) -> R {
        let Some(count) = self.settings.allocations else { return call() };
        let before = count();
        let result = call();
        let allocated = count() - before;
        let free = allocated == 0 || !what.ends_with("second call");
        self.hold(free, || format!("{what}: {allocated} allocations"));
        result
    }

    fn first_at<M: Pass, X>(&mut self, mode: &M, kind: &str, x: &X)
    where
        X: Components<f64, Tangent: Components<f64> + Flat> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        type N<M> = <M as Mode>::Number<f64>;
        let c = flatten(x);
        let (n, expected) = (c.len(), Expected::at(&c));
        let values = expected.values;
        let (v, w) = (direction(n), [0.5, -2.0]);
        let mut next = v.iter().copied();
        let tangent = x.tangent_from(&mut || next.next().unwrap_or(0.0));
        let rows = |w: [f64; 2]| -> Vec<f64> {
            (0..n).map(|j| expected.jacobian[2 * j] * w[0] + expected.jacobian[2 * j + 1] * w[1]).collect()
        };
        let pushed = [0, 1].map(|i| (0..n).map(|j| expected.jacobian[2 * j + i] * v[j]).sum::<f64>());

        let name = |op: &str| format!("{op} at {kind}");
        let (mut y, mut g, mut j, mut dy) =
            ([f64::NAN; 2], vec![f64::NAN; n], vec![f64::NAN; 2 * n], [f64::NAN; 2]);
        let mut gradient = prepare::gradient(mode.clone(), x);
        self.twice(&name("gradient"), |run, what| {
            g.fill(f64::NAN);
            let y = run.measured(what, || gradient.of(chain).at(x, &mut g[..]));
            run.result(what, y.clone().map(drop));
            run.near(what, "value", &[y.unwrap_or(f64::NAN)], &values[..1]);
            run.near(what, "gradient", &g, &expected.gradient);
        });
        let short = gradient.of(chain::<N<M>, _>).at(x, &mut vec![7.0; n + 1][..]);
        self.hold(short.is_err(), || format!("{}: a long buffer is taken", name("gradient")));
        // A cache that is read before it is written would make NaN; one that is not reset would double.
        let mut cached = prepare::gradient(mode.clone(), x).with_cache(&[0.0; 1]);
        self.twice(&name("gradient with a cache"), |run, what| {
            let f = |x: &X::Arg<N<M>>, cache: &mut [N<M>]| {
                let stale = cache[0].primal().is_nan();
                cache[0] = chain(x);
                if stale { cache[0] } else { cache[0] * 0.5 }
            };
            let y = run.measured(what, || cached.of(f).at(x, &mut g[..]));
            run.near(what, "value", &[y.unwrap_or(f64::NAN)], &values[..1]);
            run.near(what, "gradient", &g, &expected.gradient);
        });
        let mut jacobian = prepare::jacobian(mode.clone(), x);
        self.twice(&name("jacobian"), |run, what| {
            j.fill(f64::NAN);
            let result = run.measured(what, || jacobian.of(pair).at(x, &mut y, &mut j[..]));
            run.result(what, result);
            run.near(what, "value", &y, &values);
            run.near(what, "Jacobian", &j, &expected.jacobian);
        });
        let mut filling = prepare::jacobian(mode.clone(), x).filling(2);
        self.twice(&name("jacobian of a filled buffer"), |run, what| {
            let f = |x: &X::Arg<N<M>>, y: &mut [N<M>]| y.copy_from_slice(&pair(x));
            let result = run.measured(what, || filling.of(f).at(x, &mut y, &mut j[..]));
            run.result(what, result);
            run.near(what, "Jacobian", &j, &expected.jacobian);
        });
        let mut both = prepare::jacobian(mode.clone(), x).filling(2).with_cache(&(0.0, vec![0.0; 2]));
        self.twice(&name("jacobian of a filled buffer with a cache"), |run, what| {
            let f = |x: &X::Arg<N<M>>, y: &mut [N<M>], cache: &mut (N<M>, Vec<N<M>>)| {
                cache.1.copy_from_slice(&pair(x));
                y.copy_from_slice(&cache.1);
            };
            let result = run.measured(what, || both.of(f).at(x, &mut y, &mut j[..]));
            run.result(what, result);
            run.near(what, "Jacobian", &j, &expected.jacobian);
        });
        let mut jvp = prepare::jvp(mode.clone(), x);
        self.twice(&name("jvp"), |run, what| {
            let result = run.measured(what, || jvp.of(pair).at(x, &tangent, &mut y, &mut dy));
            run.result(what, result);
            run.near(what, "product", &dy, &pushed);
        });
        let tangents = [direction(n), vec![0.0; n]];
        let mut many = [f64::NAN; 4];
        let mut structured = tangents.iter().map(|v| {
            let mut next = v.iter().copied();
            x.tangent_from(&mut || next.next().unwrap_or(0.0))
        });
        let batch = [structured.next(), structured.next()].map(|v| v.expect("two"));
        self.twice(&name("jvp of a batch"), |run, what| {
            let result = run.measured(what, || jvp.of(pair).batch(x, &batch, &mut y, &mut many));
            run.result(what, result);
            run.near(what, "products", &many, &[pushed[0], pushed[1], 0.0, 0.0]);
        });
        let mut vjp = prepare::vjp(mode.clone(), x);
        self.twice(&name("vjp"), |run, what| {
            let result = run.measured(what, || vjp.of(pair).at(x, &w, &mut y, &mut g[..]));
            run.result(what, result);
            run.near(what, "product", &g, &rows(w));
        });
        self.twice(&name("vjp of a batch"), |run, what| {
            let result = run.measured(what, || vjp.of(pair).batch(x, &[w, [1.0, 0.0]], &mut y, &mut j[..]));
            run.result(what, result);
            run.near(what, "products", &j, &[rows(w), rows([1.0, 0.0])].concat());
        });
        self.hold(flatten(x) == c && flatten(&tangent) == v, || format!("{kind}: an input has changed"));
    }
    fn first_of_objects<M: Pass>(&mut self, mode: &M, x: &[f64]) {
        let (n, expected) = (x.len(), Expected::at(x));
        let (mut y, mut g, mut j) = ([f64::NAN; 2], vec![f64::NAN; n], vec![f64::NAN; 2 * n]);
        let mut gradient = prepare::gradient(mode.clone(), x);
        self.twice("gradient of an object", |run, what| {
            let result = run.measured(what, || gradient.of_object(&Chain).at(x, &mut g[..]));
            run.result(what, result.map(drop));
            run.near(what, "gradient", &g, &expected.gradient);
        });
        let mut jacobian = prepare::jacobian(mode.clone(), x).filling(2);
        self.twice("jacobian of an object", |run, what| {
            let result = run.measured(what, || jacobian.of_object(&Chain).at(x, &mut y, &mut j[..]));
            run.result(what, result);
            run.near(what, "Jacobian", &j, &expected.jacobian);
        });
        // Another size and back.
        let (longer, shorter) = ([0.5; 9], [0.25; 1]);
        for x in [&longer[..], &shorter[..], x] {
            gradient.reprepare(x);
            let mut g = vec![f64::NAN; x.len()];
            self.twice("gradient after reprepare", |run, what| {
                let result = run.measured(what, || gradient.of_object(&Chain).at(x, &mut g[..]));
                run.result(what, result.map(drop));
                run.near(what, "gradient", &g, &Expected::at(x).gradient);
            });
            let refused = gradient.of_object(&Chain).at(&[0.0; 3], &mut [7.0; 3]);
            self.hold(matches!(refused, Err(AdError::Prepared { .. })), || {
                "another size is taken".to_string()
            });
        }
    }
    fn curves<M: Pass>(&mut self, mode: &M, t: f64) {
        let (mut y, mut dy) = ([f64::NAN; 2], [f64::NAN; 2]);
        let mut derivative = prepare::derivative(mode.clone(), &t);
        self.twice("derivative", |run, what| {
            let curve = |t: &M::Number<f64>| {
                CALLS.set(CALLS.get() + 1);
                (*t * *t * 3.0, vec![*t; 1])
            };
            let result = derivative.of(curve).at(t, &mut y, &mut dy);
            run.result(what, result);
            run.near(what, "value", &y, &[3.0 * t * t, t]);
            run.near(what, "derivative", &dy, &[6.0 * t, 1.0]);
        });
    }
    fn second_at<M: SecondPass, X>(&mut self, mode: &M, kind: &str, x: &X)
    where
        X: Components<f64, Tangent: Components<f64> + Flat> + ?Sized,
        X::Arg<M::Number<f64>>: Components<M::Number<f64>>,
    {
        let c = flatten(x);
        let (n, expected) = (c.len(), Expected::at(&c));
        let v = direction(n);
        let mut next = v.iter().copied();
        let tangent = x.tangent_from(&mut || next.next().unwrap_or(0.0));
        let name = |op: &str| format!("{op} at {kind}");
        let (mut g, mut h, mut hv) = (vec![f64::NAN; n], vec![f64::NAN; n * n], vec![f64::NAN; n]);
        let mut hessian = prepare::hessian(mode.clone(), x);
        self.twice(&name("hessian"), |run, what| {
            g.fill(f64::NAN);
            h.fill(f64::NAN);
            let y = run.measured(what, || hessian.of(chain).at(x, &mut g[..], &mut h[..]));
            run.result(what, y.clone().map(drop));
            run.near(what, "value", &[y.unwrap_or(f64::NAN)], &expected.values[..1]);
            run.near(what, "gradient", &g, &expected.gradient);
            run.near(what, "Hessian", &h, &expected.hessian);
        });
        let mut hvp = prepare::hvp(mode.clone(), x).with_cache(&0.0);
        self.twice(&name("hvp with a cache"), |run, what| {
            let f = |x: &X::Arg<M::Number<f64>>, cache: &mut M::Number<f64>| {
                *cache = chain(x);
                *cache
            };
            let y = run.measured(what, || hvp.of(f).at(x, &tangent, &mut g[..], &mut hv[..]));
            run.result(what, y.map(drop));
            run.near(what, "gradient", &g, &expected.gradient);
            run.near(what, "product", &hv, &expected.product(&v));
        });
        self.hold(flatten(x) == c && flatten(&tangent) == v, || format!("{kind}: an input has changed"));
    }
    fn second_of_objects<M: SecondPass>(&mut self, mode: &M, x: &[f64]) {
        let (n, expected) = (x.len(), Expected::at(x));
        let (mut g, mut h) = (vec![f64::NAN; n], vec![f64::NAN; n * n]);
        let mut hessian = prepare::hessian(mode.clone(), x);
        self.twice("hessian of an object", |run, what| {
            let result = run.measured(what, || hessian.of_object(&Chain).at(x, &mut g[..], &mut h[..]));
            run.result(what, result.map(drop));
            run.near(what, "Hessian", &h, &expected.hessian);
        });
    }
}
