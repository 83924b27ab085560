//! A program allocates nothing after the first run, in every way to run it.

use wengert::programs::{Program, Traced, Workspace, trace};
use wengert::{AdError, Real};

use crate::allocations::allocations;

/// A sum over data, and a branch.
fn f<T: Real<Base = f64>>(x: &[T]) -> T {
    let sum = (0..100).fold(x[0], |s, k| s + (x[0] * (f64::from(k) + 0.5) + x[1]).sin() * x[1]);
    if x[0] > x[1] { sum + x[0].ln() } else { sum }
}

fn programs() -> [Program; 3] {
    let program = trace(|x: &[Traced]| f(x), &[2.0, 1.0]);
    let gradient = program.value_and_gradient().unwrap();
    [gradient.value_and_jacobian().unwrap(), program, gradient]
}

#[test]
fn runs_allocate_nothing_after_the_first() {
    for program in programs() {
        let mut y = vec![0.0; program.outputs()];
        let mut run = |x: &[f64]| {
            let mut result = Ok(());
            let count = allocations(|| result = program.run_into(x, &mut y));
            (count, result.is_ok())
        };
        assert!(run(&[2.0, 1.0]).0 > 0, "the first run makes the program ready");
        assert_eq!(run(&[3.0, 1.5]), (0, true));
        assert_eq!(run(&[2.5, 0.5]), (0, true));
    }
}

#[test]
fn batches_allocate_nothing_after_the_first() {
    for program in programs() {
        let (executable, mut memory) = (program.ready(), Workspace::default());
        // Few enough for one thread.
        let x: Vec<f64> = (0..20).flat_map(|i| [2.0 + 0.1 * f64::from(i), 1.0]).collect();
        let mut y = vec![0.0; 20 * program.outputs()];
        executable.run_batch(&mut memory, &x, &mut y).unwrap();
        assert_eq!(allocations(|| executable.run_batch(&mut memory, &x, &mut y).unwrap()), 0);
        let (one, out) = (&x[..2], &mut vec![0.0; program.outputs()][..]);
        executable.run_into(&mut memory, one, out).unwrap();
        assert_eq!(allocations(|| executable.run_into(&mut memory, one, out).unwrap()), 0);
    }
}

#[test]
fn a_branch_that_changes_is_what_allocates() -> Result<(), AdError> {
    let program = trace(|x: &[Traced]| f(x), &[2.0, 1.0]);
    let mut y = [0.0];
    program.run_into(&[2.0, 1.0], &mut y)?;
    let count = allocations(|| assert!(program.run_into(&[1.0, 2.0], &mut y).is_err()));
    assert!(count > 0, "the error has a text, so the count counts");
    Ok(())
}

#[cfg(feature = "jit")]
#[test]
fn machine_code_allocates_nothing_after_the_first() {
    for program in programs() {
        let code = program.compile().unwrap();
        let (mut y, mut pairs) = (vec![0.0; program.outputs()], vec![[0.0; 2]; program.outputs()]);
        let mut run = |x: [f64; 2]| {
            allocations(|| {
                code.run_into(&x, &mut y).unwrap();
                code.run_pairs(&[[x[0]; 2], [x[1]; 2]], &mut pairs).unwrap();
            })
        };
        assert!(code.is_machine_code() && run([2.0, 1.0]) > 0);
        assert_eq!(run([3.0, 1.5]), 0);
    }
}
