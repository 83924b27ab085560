//! Machine code frees all its memory. The test has its own process, because the process is measured.
#![cfg(all(feature = "jit", target_os = "linux"))]

use wengert::programs::{Traced, trace};

/// The pages of this process that are in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn compiled_and_dropped_leaves_nothing() {
    let sum = |x: &[Traced]| (0..200).fold(x[0], |sum, k| sum * x[1] + f64::from(k));
    let program = trace(sum, &[1.0, 0.5]);
    let mut out = [0.0];
    let mut turn = || program.compile().unwrap().run_into(&[1.0, 0.5], &mut out).unwrap();
    (0..20).for_each(|_| turn());
    let before = resident();
    (0..200).for_each(|_| turn());
    let grown = resident().saturating_sub(before);
    assert!(grown < 100, "{grown} pages more");
}
