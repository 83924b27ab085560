//! The memory of runs.

use std::cell::RefCell;

use super::rows::Lines;

/// The memory of runs, which is kept between them. It serves any program.
/// ```
/// use wengert::programs::{Workspace, trace};
/// let square = trace(|x| x[0] * x[0], &[2.0]);
/// let product = trace(|x| x[0] * x[1], &[2.0, 3.0]);
/// let (mut memory, mut y) = (Workspace::default(), [0.0]);
/// square.ready().run_into(&mut memory, &[3.0], &mut y)?;
/// assert_eq!(y, [9.0]);
/// product.ready().run_into(&mut memory, &[4.0, 5.0], &mut y)?;
/// assert_eq!(y, [20.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
#[derive(Default)]
pub struct Workspace {
    /// A number for each slot.
    pub(super) one: Vec<[f64; 1]>,
    /// Numbers of several points for each slot.
    pub(super) several: Lines<LANES>,
}

thread_local! {
    /// The memory of [`Program::run_into`](super::Program::run_into) and its kin.
    static MEMORY: RefCell<Workspace> = RefCell::default();
}

/// Runs with the memory of the thread. It is moved out of the cell, because a user's rule may run another program.
pub(super) fn with_memory<R>(run: impl FnOnce(&mut Workspace) -> R) -> R {
    let mut memory = MEMORY.take();
    let done = run(&mut memory);
    MEMORY.set(memory);
    done
}

/// The number of points that run together.
pub(super) const LANES: usize = 8;
