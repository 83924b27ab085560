//! Gradients through long loops with few states kept.

use super::forms::expect;
use super::schedule::split;
use crate::error::AdError;
use crate::number::{BaseFloat, Number, Real};
use crate::tapes::{Tape, Var};

/// The gradient of a loss of the last state of a loop, and the cost of finding it. [`loop_gradient`] has an example.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoopGradient<T> {
    /// The loss.
    pub value: T,
    /// The derivative with respect to the first state.
    pub state: Vec<T>,
    /// The derivative with respect to the parameters.
    pub parameters: Vec<T>,
    /// The number of steps.
    pub steps: usize,
    /// The number of evaluations of steps, recorded or not.
    pub evaluations: usize,
    /// The largest number of states that were kept at the same time.
    pub kept: usize,
}

/// The gradient of `loss(s_N, p)` where `s_{k+1} = step(k, s_k, p)` for `k < N = steps`, keeping at most
/// `checkpoints` states: binomial checkpointing.
///
/// `step(k, state, parameters, next)` fills `next`, which has the state's length and holds NaN before. With c
/// checkpoints and at most r evaluations of each step, `(c + r)!/(c!·r!)` steps can be reversed. The schedule takes
/// the least r and the least total number of evaluations (A. Griewank and A. Walther, ACM TOMS 26 (2000), 19–45). One
/// step is on the tape at a time. Without steps only the loss is differentiated. Keep no number from one call of a
/// closure to the next: the first run is at constants, so a number from it has no derivative.
///
/// # Panics
/// If `checkpoints` is 0, or `step` leaves a number of `next` unchanged or uses an active variable that is neither
/// state nor parameter.
///
/// ```
/// use wengert::{Var, reverse};
/// // Growth by 1 % a thousand times: s_N = s₀(1 + p)^N.
/// let grow = |_: usize, s: &[Var<f64>], p: &[Var<f64>], next: &mut [Var<f64>]| {
///     next[0] = s[0] + s[0] * p[0];
/// };
/// let g = reverse::loop_gradient(grow, |s, _| s[0], &[2.0], &[0.01], 1000, 10);
/// let power = 1.01f64.powi(1000);
/// assert!((g.state[0] / power - 1.0).abs() < 1e-12);
/// assert!((g.parameters[0] / (2000.0 * power / 1.01) - 1.0).abs() < 1e-12);
/// assert!(g.kept <= 10 && g.evaluations < 5000);
/// ```
#[track_caller]
pub fn loop_gradient<T: Real>(
    step: impl Fn(usize, &[Var<T>], &[Var<T>], &mut [Var<T>]),
    loss: impl FnOnce(&[Var<T>], &[Var<T>]) -> Var<T>,
    state: &[T],
    parameters: &[T],
    steps: usize,
    checkpoints: usize,
) -> LoopGradient<T> {
    expect(LoopRun::new("loop_gradient", step, state, parameters, checkpoints)).reverse(loss, steps)
}

/// As [`loop_gradient`], for a loop that ends when `done(k, s_k)` is true.
///
/// The length is not known beforehand. States are kept at equal distances; when there is no room for more, every other
/// state is given up. The gaps are then reversed as loops of known length.
///
/// # Panics
/// As [`loop_gradient`].
///
/// ```
/// use wengert::{Var, reverse};
/// // Newton's iteration for √p, until it stands still: ds/dp = 1/(2√p).
/// let newton = |_: usize, s: &[Var<f64>], p: &[Var<f64>], next: &mut [Var<f64>]| {
///     next[0] = (s[0] + p[0] / s[0]) / 2.0;
/// };
/// let done = |_, s: &[f64]| (s[0] * s[0] - 2.0).abs() < 1e-15;
/// let g = reverse::loop_gradient_until(newton, done, |s, _| s[0], &[1.0], &[2.0], 2);
/// assert!((g.value - 2f64.sqrt()).abs() < 1e-15);
/// assert!((g.parameters[0] - 0.125f64.sqrt()).abs() < 1e-15);
/// ```
#[track_caller]
pub fn loop_gradient_until<T: Real>(
    step: impl Fn(usize, &[Var<T>], &[Var<T>], &mut [Var<T>]),
    mut done: impl FnMut(usize, &[T]) -> bool,
    loss: impl FnOnce(&[Var<T>], &[Var<T>]) -> Var<T>,
    state: &[T],
    parameters: &[T],
    checkpoints: usize,
) -> LoopGradient<T> {
    let mut run = expect(LoopRun::new("loop_gradient_until", step, state, parameters, checkpoints));
    let (mut k, mut distance, mut current) = (0, 1, state.to_vec());
    while !done(k, &current) {
        run.advance(&mut current, k, k + 1);
        k += 1;
        if k.is_multiple_of(distance) {
            if run.stack.len() == checkpoints {
                distance *= 2;
                run.stack.retain(|(at, _)| at.is_multiple_of(distance));
            }
            if run.stack.len() < checkpoints && k.is_multiple_of(distance) {
                run.keep(k, current.clone());
            }
        }
    }
    run.reverse(loss, k)
}

/// The content of `next` before a step: a NaN that no arithmetic makes of other numbers.
fn unfilled<T: Real>() -> Var<T> {
    Var::lit(f64::from_bits(0x7ff9_5a5a_4000_0000))
}

/// Panics if a step has left a number unchanged. In a program this test would be a guard.
#[track_caller]
fn demand_filled<T: Real>(op: &str, k: usize, next: &[Var<T>]) {
    let bits = |x: Var<T>| x.primal().to_double().to_bits();
    let is_left = |x: &Var<T>| x.is_nan() && bits(*x) == bits(unfilled());
    if !T::TRACES
        && let Some(i) = next.iter().position(is_left)
    {
        panic!("{op}: step {k} has not filled number {i} of `next`, which has {}", next.len());
    }
}

/// A loop that is being reversed.
struct LoopRun<T, F> {
    op: &'static str,
    step: F,
    parameters: Vec<Var<T>>,
    /// Buffers of constants for steps that are not recorded.
    point: Vec<Var<T>>,
    next: Vec<Var<T>>,
    /// The states kept, with the step that each belongs to.
    stack: Vec<(usize, Vec<T>)>,
    checkpoints: usize,
    evaluations: usize,
    kept: usize,
}

impl<T: Real, F: Fn(usize, &[Var<T>], &[Var<T>], &mut [Var<T>])> LoopRun<T, F> {
    fn new(
        op: &'static str,
        step: F,
        state: &[T],
        parameters: &[T],
        checkpoints: usize,
    ) -> Result<Self, AdError> {
        if checkpoints == 0 {
            return Err(AdError::TooFew { op, what: "checkpoints", least: 1, got: 0 });
        }
        let constants = |x: &[T]| x.iter().map(|&x| Var::constant(x)).collect::<Vec<_>>();
        let (point, next) = (constants(state), constants(state));
        let (stack, parameters) = (vec![(0, state.to_vec())], constants(parameters));
        Ok(LoopRun { op, step, parameters, point, next, stack, checkpoints, evaluations: 0, kept: 1 })
    }
    fn keep(&mut self, k: usize, state: Vec<T>) {
        self.stack.push((k, state));
        self.kept = self.kept.max(self.stack.len());
    }
    /// Steps `from..to` without recording.
    #[track_caller]
    fn advance(&mut self, state: &mut [T], from: usize, to: usize) {
        for k in from..to {
            self.point.iter_mut().zip(&*state).for_each(|(x, &v)| *x = Var::constant(v));
            self.next.fill(unfilled());
            (self.step)(k, &self.point, &self.parameters, &mut self.next);
            demand_filled(self.op, k, &self.next);
            for (state, next) in state.iter_mut().zip(&self.next) {
                *state = next.checked_constant();
            }
        }
        self.evaluations += to - from;
    }
    /// Runs back from the end.
    #[track_caller]
    fn reverse(
        &mut self,
        loss: impl FnOnce(&[Var<T>], &[Var<T>]) -> Var<T>,
        steps: usize,
    ) -> LoopGradient<T> {
        let (mut loss, mut value) = (Some(loss), T::lit(0.0));
        let mut state = vec![T::lit(0.0); self.point.len()];
        let mut parameters = vec![T::lit(0.0); self.parameters.len()];
        if steps == 0 {
            value = self.pull(0, 0, &self.stack[0].1.clone(), &mut loss, &mut state, &mut parameters);
        }
        let mut end = steps;
        while let Some((start, first)) = self.stack.last() {
            let (start, free) = (*start, self.checkpoints - self.stack.len());
            if start == end {
                self.stack.pop();
                continue;
            }
            let length = end - start;
            let mut current = first.clone();
            if free > 0 && length > 1 {
                let middle = start + split(length, free + 1);
                self.advance(&mut current, start, middle);
                self.keep(middle, current);
                continue;
            }
            self.advance(&mut current, start, end - 1);
            let y = self.pull(end - 1, 1, &current, &mut loss, &mut state, &mut parameters);
            if end == steps {
                value = y;
            }
            end -= 1;
        }
        let (evaluations, kept) = (self.evaluations, self.kept);
        LoopGradient { value, state, parameters, steps, evaluations, kept }
    }
    /// Propagates the cotangents of the state back over `count` (0 or 1) steps from `k` on; the loss is part of the
    /// last step.
    #[track_caller]
    fn pull(
        &mut self,
        k: usize,
        count: usize,
        current: &[T],
        loss: &mut Option<impl FnOnce(&[Var<T>], &[Var<T>]) -> Var<T>>,
        state: &mut [T],
        parameters: &mut [T],
    ) -> T {
        let tape = Tape::new();
        let (s, n) = (tape.variables(current), current.len());
        let values: Vec<T> = self.parameters.iter().map(|p| p.value()).collect();
        let p = tape.variables(&values);
        let mut next = s.clone();
        if count > 0 {
            next.fill(unfilled());
            (self.step)(k, &s, &p, &mut next);
            demand_filled(self.op, k, &next);
            self.evaluations += 1;
        }
        let mut read = |cotangents: &[[T; 1]], state: &mut [T]| {
            state.iter_mut().zip(cotangents).for_each(|(slot, [c])| *slot = *c);
            parameters.iter_mut().zip(&cotangents[n..]).for_each(|(slot, [c])| *slot += *c);
        };
        if let Some(loss) = loss.take() {
            let y = loss(&next, &p);
            tape.pull([(y, [T::lit(1.0)])].into_iter(), |c| read(c, state));
            return y.value();
        }
        let above = state.to_vec();
        tape.pull(next.iter().zip(&above).map(|(&y, &w)| (y, [w])), |c| read(c, state));
        T::lit(0.0)
    }
}
