//! A function that is recorded at each new combination of branches, and replayed otherwise.

use std::marker::PhantomData;

#[cfg(feature = "jit")]
use super::jit::Compiled;
use super::program::Program;
use super::trace::trace;
use super::traced::Traced;
use super::workspace::Workspace;
use crate::error::AdError;
use crate::space::{Components, Outline};

/// The number of programs that are kept, one for each combination of branches.
const KEPT: usize = 8;

/// A function with a derivative of its program: recorded at the first point, replayed at others, and recorded again
/// where it takes another branch. The last eight programs are kept.
///
/// The function is owned, because a program is right only for the function that it was recorded from: captured
/// numbers are constants of it, and must not change. Plain values of the point (fields marked `#[data]`, integers,
/// texts) are compared at each call, and a change records again. They are compared by `==`, floats by their bits, and
/// shared values (`Rc`, `Arc`) by their addresses; a value without `==` is always a change.
///
/// ```
/// use wengert::programs::{Program, Replay, Traced};
/// let f = |x: &[Traced]| if x[0] > 0.0 { x[0] * x[1] } else { x[1].exp() };
/// let (mut gradient, mut g) = (Replay::new(f, Program::gradient), [0.0; 2]);
/// gradient.at(&[2.0, 3.0], &mut g)?;
/// gradient.at(&[4.0, 5.0], &mut g)?; // replayed
/// assert_eq!((g, gradient.recordings()), ([5.0, 4.0], 1));
/// gradient.at(&[-1.0, 0.0], &mut g)?; // another branch
/// assert_eq!((g, gradient.recordings()), ([0.0, 1.0], 2));
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct Replay<X: Components<f64> + ?Sized, F, D> {
    f: F,
    derive: D,
    /// The last one used comes first.
    recordings: Vec<Recording<X::With<f64>>>,
    #[cfg(feature = "jit")]
    compiles: bool,
    memory: Workspace,
    point: Vec<f64>,
    results: Vec<f64>,
    count: usize,
    change: Option<AdError>,
    of: PhantomData<fn(&X)>,
}

/// A program, with the point where it was recorded for its structure and its plain values.
struct Recording<P> {
    outline: Outline,
    place: P,
    program: Program,
    #[cfg(feature = "jit")]
    compiled: Option<Compiled>,
}

impl<P> Recording<P> {
    fn run_into(&self, memory: &mut Workspace, x: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        #[cfg(feature = "jit")]
        if let Some(compiled) = &self.compiled {
            return compiled.run_into(x, out);
        }
        self.program.ready().run_into(memory, x, out)
    }
}

impl<X, O, F, D> Replay<X, F, D>
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
    F: FnMut(&X::Arg<Traced>) -> O,
    D: FnMut(&Program) -> Result<Program, AdError>,
{
    /// A function, and the derivative of its program: `Program::gradient`, `Program::jvp`, `|p| Ok(p.clone())`, …
    pub fn new(f: F, derive: D) -> Self {
        Replay {
            f,
            derive,
            recordings: Vec::new(),
            #[cfg(feature = "jit")]
            compiles: false,
            memory: Workspace::default(),
            point: Vec::new(),
            results: Vec::new(),
            count: 0,
            change: None,
            of: PhantomData,
        }
    }
    /// Runs its recordings as machine code, see [`Program::compile`]. Compiling takes far longer than a
    /// run, so it pays for a function that is called very often. Programs that call primitives or functions of matrices
    /// stay in the interpreter. At most eight recordings are kept; another branch is compiled again.
    ///
    /// ```
    /// use wengert::programs::{Program, Replay, Traced};
    /// let mut gradient = Replay::new(|x: &[Traced]| x[0] * x[1], Program::gradient).compiled();
    /// let mut g = [0.0; 2];
    /// gradient.at(&[2.0, 3.0], &mut g)?;
    /// assert_eq!(g, [3.0, 2.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[cfg(feature = "jit")]
    pub fn compiled(mut self) -> Self {
        self.compiles = true;
        self.recordings.clear();
        self
    }
    /// The number of recordings.
    ///
    /// If it is nearly the number of calls, the programs save nothing: each point takes other branches, and
    /// [`last_change`](Replay::last_change) names one. Often a number has left the function: look tables up by
    /// `x.floor().primal() as usize` instead of `x.primal() as usize`, and choose by
    /// [`Real::select_lt`](crate::Real::select_lt) instead of `if`, which needs no guard. If plain values of the point
    /// differ each time, or more than eight combinations of branches alternate, use another mode.
    pub fn recordings(&self) -> usize {
        self.count
    }
    /// Why the last recording was needed: the guard that failed in the program that was used before, with its source
    /// line. `None` if there was no such program for this structure and these plain values.
    ///
    /// ```
    /// use wengert::programs::{Program, Replay, Traced};
    /// let table = [1.0, 3.0];
    /// let f = |x: &[Traced]| x[0] * table[x[0].primal() as usize]; // without `floor`
    /// let (mut gradient, mut g) = (Replay::new(f, Program::gradient), [0.0]);
    /// for k in 0..10 {
    ///     gradient.at(&[f64::from(k) * 0.1], &mut g)?;
    /// }
    /// assert_eq!(gradient.recordings(), 10); // at each call
    /// assert!(gradient.last_change().unwrap().to_string().contains("value = 0.8"));
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn last_change(&self) -> Option<&AdError> {
        self.change.as_ref()
    }
    /// The program that was used last.
    pub fn program(&self) -> Option<&Program> {
        self.recordings.first().map(|recording| &recording.program)
    }
    /// The results of the program at `x`, recorded if no kept program is right there.
    ///
    /// # Errors
    /// The errors of the derivative, [`AdError::Shape`] if `out` does not fit, and the errors of primitives.
    pub fn at(&mut self, x: &X, out: &mut [f64]) -> Result<(), AdError> {
        self.along(x, &[], out)
    }
    /// [`at`](Replay::at) for a program with more inputs after the point: tangents of a `jvp`, cotangents of a `vjp`.
    ///
    /// # Errors
    /// As [`at`](Replay::at).
    ///
    /// ```
    /// use wengert::programs::{Program, Replay, Traced};
    /// let (mut jvp, mut y) = (Replay::new(|x: &[Traced]| x[0] * x[1], Program::jvp), [0.0; 2]);
    /// jvp.along(&[2.0, 3.0], &[1.0, 0.0], &mut y)?;
    /// assert_eq!(y, [6.0, 3.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn along(&mut self, x: &X, more: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        let results = self.results(x, |point| point.extend_from_slice(more))?;
        AdError::check_len("program", "result", results.len(), out.len())?;
        out.copy_from_slice(results);
        Ok(())
    }
    /// The results at `x` followed by the inputs `more`. Nothing is allocated if a kept program is right and has run
    /// before.
    pub(crate) fn results(&mut self, x: &X, more: impl FnOnce(&mut Vec<f64>)) -> Result<&[f64], AdError> {
        self.point.clear();
        x.visit(&mut |x| self.point.push(x));
        more(&mut self.point);
        let mut change = None;
        for k in 0..self.recordings.len() {
            let recording = &self.recordings[k];
            let (program, outline) = (&recording.program, &recording.outline);
            // A point with another structure or other plain values belongs to another function.
            if program.inputs() != self.point.len() || !outline.fits(x) || !x.has_plain_of(&recording.place) {
                continue;
            }
            self.results.resize(program.outputs(), 0.0);
            // A failure means another branch, or an error that the function may handle.
            match recording.run_into(&mut self.memory, &self.point, &mut self.results) {
                Ok(()) => {
                    self.recordings[..=k].rotate_right(1);
                    return Ok(&self.results);
                }
                Err(error) => change = change.or(Some(error)),
            }
        }
        self.change = change;
        let program = (self.derive)(&trace(&mut self.f, x))?;
        self.count += 1;
        self.recordings.truncate(KEPT - 1);
        self.results.resize(program.outputs(), 0.0);
        let recording = Recording {
            outline: Outline::of(x),
            place: x.map(&mut |x| x),
            #[cfg(feature = "jit")]
            compiled: self.compiles.then(|| program.compile().ok()).flatten(),
            program,
        };
        let ran = recording.run_into(&mut self.memory, &self.point, &mut self.results);
        self.recordings.insert(0, recording);
        ran.map(|()| &self.results[..])
    }
}

#[cfg(all(test, feature = "nalgebra"))]
mod tests {
    use super::*;
    use crate::matrix::of_factors::{asked, factorisations};

    #[test]
    fn one_factorisation_serves_all_that_a_run_asks_of_a_matrix() {
        let program = trace(|x: &[Traced]| asked(x), &[1.0, 0.5, 0.25]);
        let gradient = program.value_and_gradient().unwrap();
        let x = [0.5, 0.75, -0.5, 1.0, 0.0, 2.0];
        for program in [&program, &gradient, &gradient.jvp().unwrap(), &program.hessian().unwrap()] {
            let at = &x[..program.inputs()];
            assert_eq!(factorisations(|| drop(program.run(at).unwrap())), 2);
            let (mut memory, mut out) = (Workspace::default(), vec![0.0; program.outputs()]);
            assert_eq!(factorisations(|| program.ready().run_into(&mut memory, at, &mut out).unwrap()), 2);
        }
    }
}

#[cfg(all(test, feature = "jit"))]
mod machine_code_tests {
    use super::*;

    #[test]
    fn each_recording_is_compiled() {
        let f = |x: &[Traced]| if x[0] > 0.0 { x[0] } else { x[0] * x[0] };
        let mut gradient = Replay::<[f64], _, _>::new(f, Program::gradient).compiled();
        [1.0, -1.0, 2.0].iter().for_each(|&x| gradient.at(&[x], &mut [0.0]).unwrap());
        let is_compiled =
            |r: &Recording<Vec<f64>>| r.compiled.as_ref().is_some_and(Compiled::is_machine_code);
        assert_eq!(gradient.recordings.iter().filter(|&r| is_compiled(r)).count(), 2);
    }
}
