//! Long tapes: no recursion, memory in proportion, and none allocated again for the same work.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use wengert::{Tape, Var, gradient_into};

struct Counting;
thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }
}
#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn ten_million_nodes_on_a_small_stack() {
    let run = || {
        const N: usize = 10_000_000;
        let tape = Tape::new();
        let (x, y) = (tape.variable(1.0), tape.variable(1e-7));
        let z = (0..N).fold(x, |z, _| z + y);
        assert_eq!(tape.stats().nodes, N + 2);
        assert_eq!(tape.stats().bytes / (N + 2), 24, "one node of two partials and two parents");
        let dz = tape.cotangents(z);
        assert_eq!((dz.of(x), dz.of(y)), (1.0, N as f64));
    };
    let small = std::thread::Builder::new().stack_size(256 << 10);
    small.spawn(run).unwrap().join().unwrap();
}

#[test]
fn inputs_among_operations_are_found_quickly() {
    // Quadratic lookup would take minutes.
    let tape = Tape::new();
    let mut y = Var::constant(0.0);
    let x: Vec<Var<f64>> =
        (0..100_000).map(|i| tape.variable(f64::from(i))).inspect(|x| y = *x * *x + y).collect();
    let dy = tape.cotangents(y).of_all(&x);
    assert!(dy.iter().enumerate().all(|(i, d)| *d == 2.0 * i as f64));
    assert!(tape.stats().reserve >= tape.stats().nodes * 8, "the sweep's buffer is counted");
}

#[test]
fn the_second_gradient_allocates_nothing() {
    let f = |x: &[Var<f64>]| {
        let s = x.windows(2).fold(x[0], |s, w| s + (w[0] * w[1]).sin());
        s + x.iter().copied().sum::<Var<f64>>()
    };
    let (x, mut g) = ([0.5; 64], [0.0; 64]);
    gradient_into(f, &x, &mut g);
    let before = ALLOCATIONS.get();
    for _ in 0..10 {
        gradient_into(f, &x, &mut g);
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
}
