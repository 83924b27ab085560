//! A function that is recorded where it has not been yet, and replayed elsewhere.

use std::marker::PhantomData;

use super::program::Program;
use super::trace::trace;
use super::traced::Traced;
use super::workspace::Workspace;
use crate::error::AdError;
use crate::space::{Components, Outline};

/// The number of programs that are kept, for as many combinations of branches.
const KEPT: usize = 8;

/// A function with a derivative of its program: recorded at the first point, replayed at others, and recorded again
/// where it takes another branch. The last eight programs are kept.
///
/// The function is owned, because a program is right for the function that it was recorded from alone: captured numbers
/// are constants of it, and must not change.
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
pub struct Replay<X: ?Sized, F, D> {
    f: F,
    derive: D,
    /// With the structure of the point; the last one used stands first.
    programs: Vec<(Outline, Program)>,
    memory: Workspace,
    point: Vec<f64>,
    results: Vec<f64>,
    recordings: usize,
    of: PhantomData<fn(&X)>,
}

impl<X, O, F, D> Replay<X, F, D>
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
    F: FnMut(&X::Arg<Traced>) -> O,
    D: FnMut(&Program) -> Result<Program, AdError>,
{
    /// A function, and what is made of its program: `Program::gradient`, `Program::jvp`, `|p| Ok(p.clone())`, …
    pub fn new(f: F, derive: D) -> Self {
        Replay {
            f,
            derive,
            programs: Vec::new(),
            memory: Workspace::default(),
            point: Vec::new(),
            results: Vec::new(),
            recordings: 0,
            of: PhantomData,
        }
    }
    /// How often the function has been recorded.
    pub fn recordings(&self) -> usize {
        self.recordings
    }
    /// The program that was used last.
    pub fn program(&self) -> Option<&Program> {
        self.programs.first().map(|(_, program)| program)
    }
    /// The results of the program at `x`, recorded if no kept program is right there.
    ///
    /// # Errors
    /// Those of the derivative, [`AdError::Shape`] if `out` does not fit, and the errors of primitives.
    pub fn at(&mut self, x: &X, out: &mut [f64]) -> Result<(), AdError> {
        self.along(x, &[], out)
    }
    /// [`at`](Replay::at) of a program with more inputs behind the point: tangents of a `jvp`, cotangents of a `vjp`.
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
    /// The results at `x` and what is put behind it. Nothing is allocated where a kept program is right and has run before.
    pub(crate) fn results(&mut self, x: &X, more: impl FnOnce(&mut Vec<f64>)) -> Result<&[f64], AdError> {
        self.point.clear();
        x.visit(&mut |x| self.point.push(x));
        more(&mut self.point);
        for k in 0..self.programs.len() {
            let (outline, program) = &self.programs[k];
            // Another structure is another function of as many numbers.
            if program.inputs() != self.point.len() || !outline.fits(x) {
                continue;
            }
            self.results.resize(program.outputs(), 0.0);
            // What fails is another branch, or a failure that the function may handle.
            if program.run_into(&mut self.memory, &self.point, &mut self.results).is_ok() {
                self.programs[..=k].rotate_right(1);
                return Ok(&self.results);
            }
        }
        let program = (self.derive)(&trace(&mut self.f, x))?;
        self.recordings += 1;
        self.programs.truncate(KEPT - 1);
        self.results.resize(program.outputs(), 0.0);
        let ran = program.run_into(&mut self.memory, &self.point, &mut self.results);
        self.programs.insert(0, (Outline::of(x), program));
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
            assert_eq!(factorisations(|| program.run_into(&mut memory, at, &mut out).unwrap()), 2);
        }
    }
}
