//! An executable at many points: eight at a time, on several threads.

use std::array::from_fn;
use std::ops::Range;

use super::super::calls::Shared;
use super::super::program::Program;
use super::super::workspace::{LANES, Workspace, with_memory};
use super::{Executable, Failure, SharedNumbers};
use crate::error::AdError;

impl Program {
    /// The results at many points, eight at a time: [`Executable::run_batch`] of this program's executable.
    ///
    /// # Errors
    /// As [`Executable::run_batch`].
    ///
    /// ```
    /// use wengert::programs::trace;
    /// let (product, mut y) = (trace(|x| x[0] * x[1], &[2.0, 3.0]), [0.0; 3]);
    /// product.run_batch(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut y)?;
    /// assert_eq!(y, [2.0, 12.0, 30.0]);
    /// # Ok::<(), wengert::AdError>(())
    /// ```
    pub fn run_batch(&self, points: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        with_memory(|memory| self.ready().run_batch(memory, points, out))
    }
}

impl Executable {
    /// Writes the results at many points. Points are consecutive rows of `points`, and results consecutive rows of
    /// `out`.
    ///
    /// Eight points run at a time; with the feature `rayon`, and if the program calls no primitives, on all threads
    /// of its pool. Results do not depend on this, bit for bit.
    ///
    /// # Errors
    /// [`AdError::Shape`] if `points` and `out` are not equally many rows of the program's inputs and outputs.
    /// [`AdError::Points`] if the program fails at some points: it lists these points and their errors. The results
    /// at all other points are then written, and the results at these points are NaN.
    ///
    /// ```
    /// use wengert::{AdError, programs::{Workspace, trace}};
    /// let root = trace(|x| if x[0] > 0.0 { x[0].sqrt() } else { x[0] }, &[4.0]);
    /// let (executable, mut y) = (root.ready(), [0.0; 3]);
    /// let memory = &mut Workspace::default();
    /// executable.run_batch(memory, &[1.0, 4.0, 9.0], &mut y)?;
    /// assert_eq!(y, [1.0, 2.0, 3.0]);
    ///
    /// let failed = executable.run_batch(memory, &[1.0, -4.0, 9.0], &mut y).unwrap_err();
    /// let AdError::Points { failed } = failed else { panic!("{failed}") };
    /// assert_eq!((failed.len(), failed[0].0), (1, 1)); // one, the second point
    /// assert!(y[0] == 1.0 && y[1].is_nan() && y[2] == 3.0);
    /// # Ok::<(), AdError>(())
    /// ```
    pub fn run_batch(&self, memory: &mut Workspace, points: &[f64], out: &mut [f64]) -> Result<(), AdError> {
        let (n, m) = (self.inputs, self.outputs.len());
        let rows = points.len().checked_div(n).unwrap_or(out.len() / m.max(1));
        if points.len() != rows * n {
            return Err(AdError::PartialRow {
                op: "program",
                what: "list of points",
                width: n,
                got: points.len(),
            });
        }
        AdError::check_len("program", "list of results", rows * m, out.len())?;
        let mut failed = self.run_rows(memory, rows, points, out);
        failed.extend(self.run_carefully(memory, &failed, points, out));
        failed.sort_by_key(|(row, _)| *row);
        if failed.is_empty() { Ok(()) } else { Err(AdError::Points { failed }) }
    }
    /// If products are plain: runs the points again at which a result is not finite.
    fn run_carefully(
        &self,
        memory: &mut Workspace,
        failed: &[(usize, AdError)],
        x: &[f64],
        out: &mut [f64],
    ) -> Vec<(usize, AdError)> {
        let (n, m) = (self.inputs, self.outputs.len());
        let Some(careful) = self.careful.as_ref().filter(|_| m > 0) else { return Vec::new() };
        let has_failed = |row: &usize| failed.binary_search_by_key(row, |(row, _)| *row).is_ok();
        let is_finite = |row: &usize| out[row * m..][..m].iter().all(|y| y.is_finite());
        let rows: Vec<usize> = (0..out.len() / m).filter(|row| !is_finite(row) && !has_failed(row)).collect();
        let points: Vec<f64> = rows.iter().flat_map(|row| &x[row * n..][..n]).copied().collect();
        let mut results = vec![0.0; rows.len() * m];
        let failed = careful.executable().run_rows(memory, rows.len(), &points, &mut results);
        for (row, results) in rows.iter().zip(results.chunks(m)) {
            out[row * m..][..m].copy_from_slice(results);
        }
        failed.into_iter().map(|(row, error)| (rows[row], error)).collect()
    }
    /// Runs all points, on threads if that pays; the errors in the order of the points.
    fn run_rows(
        &self,
        memory: &mut Workspace,
        rows: usize,
        points: &[f64],
        out: &mut [f64],
    ) -> Vec<(usize, AdError)> {
        let one_thread = |memory: &mut Workspace, out: &mut [f64]| {
            let mut shared: [Shared; LANES] = Default::default();
            self.run_some(memory, 0..rows, points, out, &mut shared)
        };
        #[cfg(feature = "rayon")]
        let pays = self.calls.is_empty() && !self.outputs.is_empty() && rows > TASK;
        #[cfg(feature = "rayon")]
        let mut failed = match pays && rayon::current_num_threads() > 1 {
            true => self.run_on_threads(points, out),
            false => one_thread(memory, out),
        };
        #[cfg(not(feature = "rayon"))]
        let mut failed = one_thread(memory, out);
        failed.sort_by_key(|(row, _)| *row);
        failed.into_iter().map(|(row, failure)| (row, self.named(failure))).collect()
    }
    /// Runs some of the points; `out` are the results of these.
    fn run_some(
        &self,
        memory: &mut Workspace,
        rows: Range<usize>,
        x: &[f64],
        out: &mut [f64],
        shared: &mut [Shared],
    ) -> Vec<(usize, Failure)> {
        let (n, m) = (self.inputs, self.outputs.len());
        let numbers = memory.several.at_least(self.slots);
        self.prepare(numbers);
        let mut failed = Vec::new();
        for from in rows.clone().step_by(LANES) {
            let some = (rows.end - from).min(LANES);
            // Lanes without a point repeat the last one.
            for (i, slot) in numbers[..n].iter_mut().enumerate() {
                *slot = from_fn(|lane| x[(from + lane.min(some - 1)) * n + i]);
            }
            let failures = self.run(numbers, shared, SharedNumbers::default());
            for lane in 0..some {
                let row = &mut out[(from - rows.start + lane) * m..][..m];
                let has_failed = failures.has(lane);
                let result = |&y: &u32| if has_failed { f64::NAN } else { numbers[y as usize][lane] };
                row.iter_mut().zip(&self.outputs).for_each(|(out, y)| *out = result(y));
            }
            let of_points = failures.list.into_iter().filter(|&(lane, _)| lane < some);
            failed.extend(of_points.map(|(lane, failure)| (from + lane, failure)));
        }
        failed
    }
    /// Runs all points on the threads of the pool; no operation is a call.
    #[cfg(feature = "rayon")]
    fn run_on_threads(&self, x: &[f64], out: &mut [f64]) -> Vec<(usize, Failure)> {
        use rayon::prelude::*;
        let m = self.outputs.len();
        let task = |memory: &mut Workspace, (k, out): (usize, &mut [f64])| {
            let rows = k * TASK..k * TASK + out.len() / m;
            self.run_some(memory, rows, x, out, &mut [])
        };
        let tasks = out.par_chunks_mut(TASK * m).enumerate();
        let failed: Vec<Vec<(usize, Failure)>> = tasks.map_init(Workspace::default, task).collect();
        failed.into_iter().flatten().collect()
    }
}

/// Points of a task for a thread.
#[cfg(feature = "rayon")]
const TASK: usize = 8 * LANES;

/// For a caller that writes and reads the numbers directly in their slots.
impl Executable {
    /// Whether a slot holds the constant zero.
    pub(crate) fn is_zero(&self, slot: u32) -> bool {
        let place = (slot as usize).checked_sub(self.inputs);
        place.and_then(|place| self.constants.get(place)) == Some(&0.0)
    }
    /// Runs on the inputs in their slots. A bit for each point that takes another branch, or at which a primitive fails.
    pub(crate) fn run_slots<const N: usize>(
        &self,
        numbers: &mut [[f64; N]],
        shared: &mut [Shared],
        of_all: SharedNumbers<'_>,
    ) -> u32 {
        self.run(numbers, shared, of_all).lanes
    }
}
