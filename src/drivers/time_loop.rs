//! Gradients through long loops with few states kept.

use super::forms::expect;
use super::schedule::split;
use crate::error::AdError;
use crate::number::{BaseFloat, Number, Real};
use crate::tapes::{Tape, TapeMemory, Var};

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
                run.retain(|at| at.is_multiple_of(distance));
            }
            if run.stack.len() < checkpoints && k.is_multiple_of(distance) {
                run.keep(k, &current);
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

/// A loop that is being reversed. All steps use the same memory.
struct LoopRun<T: Real, F> {
    op: &'static str,
    step: F,
    /// The numbers of a step: constants, or inputs of its tape while it is recorded.
    parameters: Vec<Var<T>>,
    point: Vec<Var<T>>,
    next: Vec<Var<T>>,
    memory: TapeMemory<T>,
    /// The steps whose states are kept, and all these states in a row.
    stack: Vec<usize>,
    states: Vec<T>,
    checkpoints: usize,
    /// The derivatives with respect to the state and the parameters so far, and the cost.
    result: LoopGradient<T>,
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
        let (point, next, parameters) = (constants(state), constants(state), constants(parameters));
        let (memory, stack, states) = (TapeMemory::default(), vec![0], state.to_vec());
        let zeros = |count: usize| vec![T::lit(0.0); count];
        let (value, state, sums) = (T::lit(0.0), zeros(point.len()), zeros(parameters.len()));
        let result = LoopGradient { value, state, parameters: sums, steps: 0, evaluations: 0, kept: 1 };
        Ok(LoopRun { op, step, parameters, point, next, memory, stack, states, checkpoints, result })
    }
    fn keep(&mut self, k: usize, state: &[T]) {
        self.stack.push(k);
        self.states.extend_from_slice(state);
        self.result.kept = self.result.kept.max(self.stack.len());
    }
    /// Keeps only the states of these steps.
    fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        let (stack, n, mut numbers) = (&self.stack, self.point.len(), 0..);
        self.states.retain(|_| numbers.next().is_some_and(|i: usize| stays(stack[i / n])));
        self.stack.retain(|&k| stays(k));
    }
    /// Steps `from..to` without recording.
    #[track_caller]
    fn advance(&mut self, state: &mut [T], from: usize, to: usize) {
        self.parameters.iter_mut().for_each(|p| *p = Var::constant(p.value()));
        for k in from..to {
            self.point.iter_mut().zip(&*state).for_each(|(x, &v)| *x = Var::constant(v));
            self.next.fill(unfilled());
            (self.step)(k, &self.point, &self.parameters, &mut self.next);
            demand_filled(self.op, k, &self.next);
            for (state, next) in state.iter_mut().zip(&self.next) {
                *state = next.checked_constant();
            }
        }
        self.result.evaluations += to - from;
    }
    /// Runs back from the end.
    #[track_caller]
    fn reverse(mut self, loss: impl FnOnce(&[Var<T>], &[Var<T>]) -> Var<T>, steps: usize) -> LoopGradient<T> {
        let (mut loss, mut end, n) = (Some(loss), steps, self.point.len());
        let (mut current, mut above) = (self.states[..n].to_vec(), self.result.state.clone());
        if steps == 0 {
            self.pull(0, 0, &current, &mut above, &mut loss);
        }
        while let Some(&start) = self.stack.last() {
            if start == end {
                self.stack.pop();
                self.states.truncate(self.stack.len() * n);
                continue;
            }
            current.copy_from_slice(&self.states[(self.stack.len() - 1) * n..]);
            let (length, free) = (end - start, self.checkpoints - self.stack.len());
            if free > 0 && length > 1 {
                let middle = start + split(length, free + 1);
                self.advance(&mut current, start, middle);
                self.keep(middle, &current);
                continue;
            }
            self.advance(&mut current, start, end - 1);
            self.pull(end - 1, 1, &current, &mut above, &mut loss);
            end -= 1;
        }
        LoopGradient { steps, ..self.result }
    }
    /// Propagates the cotangents of the state back over `count` (0 or 1) steps from `k` on; the loss is part of the
    /// last step. `above` is memory for them.
    #[track_caller]
    fn pull(
        &mut self,
        k: usize,
        count: usize,
        current: &[T],
        above: &mut [T],
        loss: &mut Option<impl FnOnce(&[Var<T>], &[Var<T>]) -> Var<T>>,
    ) {
        let n = current.len();
        let tape = Tape::within(&mut self.memory, n + self.parameters.len());
        self.point.iter_mut().zip(current).enumerate().for_each(|(i, (x, &v))| *x = tape.input(v, i));
        self.parameters.iter_mut().zip(n..).for_each(|(p, i)| *p = tape.input(p.value(), i));
        self.next.copy_from_slice(&self.point);
        if count > 0 {
            self.next.fill(unfilled());
            (self.step)(k, &self.point, &self.parameters, &mut self.next);
            demand_filled(self.op, k, &self.next);
            self.result.evaluations += 1;
        }
        let LoopGradient { value, state, parameters, .. } = &mut self.result;
        above.copy_from_slice(state);
        let read = |cotangents: &[[T; 1]]| {
            state.iter_mut().zip(cotangents).for_each(|(slot, [c])| *slot = *c);
            parameters.iter_mut().zip(&cotangents[n..]).for_each(|(slot, [c])| *slot += *c);
        };
        if let Some(loss) = loss.take() {
            let y = loss(&self.next, &self.parameters);
            *value = y.value();
            tape.pull_last(&mut self.memory, &y, [T::lit(1.0)], read);
        } else {
            tape.pull(self.next.iter().zip(&*above).map(|(&y, &w)| (y, [w])), read);
            tape.leave(&mut self.memory);
        }
    }
}
