//! Functions recorded as programs.

use std::borrow::Borrow;

use super::builder::BuildOptions;
use super::misuse;
use super::primitives;
use super::program::Program;
use super::traced::{OpenTrace, Traced, common, is_open, with};
use crate::error::AdError;
use crate::lift::{Operation, OperationNumber};
use crate::space::{Components, components};

/// Records the operations of `f` at the point `x`, as a program of the components of the point and of the result.
///
/// Equal operations occur once, and operations of constants are folded. The function runs once, at the values of `x`.
/// Its comparisons become guards: the program is right wherever they have the same outcomes, and returns
/// [`AdError::BranchChanged`](crate::AdError::BranchChanged) elsewhere. As for every driver, arrays come as slices: a
/// closure for the point `&[0.0; 17]` is `|x: &[Traced]| …`.
///
/// # Panics
/// If a number of another trace, or of one that has ended, is used or returned.
///
/// ```
/// use wengert::programs::trace;
/// let program = trace(|(a, v)| [*a * v[0], v[1].exp()], &(2.0, vec![3.0, 4.0]));
/// assert_eq!(program.run(&[3.0, 5.0, 0.0])?, [15.0, 1.0]);
///
/// let root = trace(|x| if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }, &[4.0]);
/// assert_eq!(root.run(&[9.0])?, [3.0]);
/// assert!(root.run(&[-9.0]).unwrap_err().to_string().contains("lt = true at"));
/// # Ok::<(), wengert::AdError>(())
/// ```
#[track_caller]
pub fn trace<X, O>(f: impl FnOnce(&X::Arg<Traced>) -> O, x: &X) -> Program
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
{
    recorded(f, x, BuildOptions::EXACT)
}

/// [`trace`] without merging equal operations and folding constants: the input of [`Program::optimized`].
///
/// # Panics
/// As [`trace`].
///
/// ```
/// use wengert::programs::trace_unoptimized;
/// let program = trace_unoptimized(|x| (x[0] + x[0] * 1.0) + (x[0] + x[0] * 1.0), &[2.0]);
/// assert_eq!(program.operations(), 5);
/// ```
#[track_caller]
pub fn trace_unoptimized<X, O>(f: impl FnOnce(&X::Arg<Traced>) -> O, x: &X) -> Program
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
{
    recorded(f, x, BuildOptions::NONE)
}

impl Program {
    /// Runs the program within a function that is traced: its operations become part of the trace.
    ///
    /// # Errors
    /// As [`run`](Program::run).
    ///
    /// # Panics
    /// If the numbers belong to different traces, or to a trace that has ended.
    ///
    /// ```
    /// use wengert::programs::{Traced, trace};
    /// let square = trace(|x| x[0] * x[0], &[2.0]);
    /// let program = trace(|x: &[Traced]| square.call(x).unwrap()[0] + 1.0, &[2.0]);
    /// assert_eq!(program.run(&[3.0])?, [10.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    #[track_caller]
    pub fn call(&self, x: &[Traced]) -> Result<Vec<Traced>, AdError> {
        let values = match self.run(&x.iter().map(|x| x.value).collect::<Vec<_>>()) {
            // Another number of inputs is an error at each point.
            Err(error) if x.len() != self.inputs() => return Err(error),
            Err(_) => return primitives::record(Failing(self.clone()), &[x]),
            Ok(values) => values,
        };
        let Some(number) = common(x) else {
            return Ok(values.into_iter().map(Traced::constant).collect());
        };
        let places = with(number, |trace| {
            let inputs: Vec<u32> = x.iter().map(|x| x.node_in(&mut trace.builder)).collect();
            trace.builder.append_program(self, inputs, |_| true)
        });
        let outputs = self.code.outputs.iter().zip(values);
        Ok(outputs.map(|(&y, value)| Traced::at(value, places[y as usize], number)).collect())
    }
}

/// A program that fails at the point of a trace. It has no results, but a replay must fail too.
struct Failing(Program);

impl Operation<f64> for Failing {
    fn name(&self) -> &'static str {
        "program"
    }
    fn call<S: OperationNumber<f64>>(&self, x: &[&[S]]) -> Result<Vec<S>, AdError> {
        let y = self.0.run(&x[0].iter().map(|x| x.primal_value()).collect::<Vec<_>>())?;
        Ok(y.into_iter().map(S::from_primal).collect())
    }
}

#[track_caller]
fn recorded<X, O>(f: impl FnOnce(&X::Arg<Traced>) -> O, x: &X, care: BuildOptions) -> Program
where
    X: Components<f64> + ?Sized,
    O: Components<Traced>,
{
    let open = OpenTrace::of_inputs(x.count(), care);
    let mut nodes = 0..;
    let number = open.0;
    let point = x.map(&mut |x| Traced::at(x, nodes.next().expect("endless"), number));
    let y = f(point.borrow());
    finished(open, &components(&y))
}

/// The program of these results.
#[track_caller]
fn finished(open: OpenTrace, results: &[Traced]) -> Program {
    let mut outputs = Vec::with_capacity(results.len());
    for y in results {
        if !y.is_passive() && y.trace != open.0 {
            if is_open(y.trace) {
                misuse::foreign_result(y.trace, open.0)
            }
            misuse::not_open(y.trace)
        }
        outputs.push(with(open.0, |trace| y.node_in(&mut trace.builder)));
    }
    let mut program = Program::of(open.close(), outputs);
    let alive = program.alive();
    program.calls.iter_mut().for_each(|call| call.decides |= !alive[call.at as usize]);
    program
}
