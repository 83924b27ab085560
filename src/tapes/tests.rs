//! Tests of private parts: the table of open tapes, clean buffers, memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::place::Place;
use super::record::Record;
use super::slots::{self, Opened};
use super::{Tape, Var, checkpoint, pages};

#[test]
fn the_sweep_leaves_its_buffer_clean() {
    let tape = Tape::new();
    let x = tape.variables(&[0.5, 1.5, 2.5]);
    let a = checkpoint(|x| vec![x[0] * x[1], x[1].sin()], &x[..2]);
    let y = a.iter().copied().sum::<Var<f64>>() * x[0] + (x[1] / x[2]).sqrt();
    let clean = |record: &mut Record<f64>, _: &mut usize| record.adjoints.iter().all(|&a| a == 0.0);
    for _ in 0..2 {
        tape.cotangents(y);
        assert!(slots::with(y.tape(), clean));
        tape.pull([(y, [1.0; 5])].into_iter(), |_: &[[f64; 5]]| ());
        assert!(slots::with(y.tape(), clean));
        tape.cotangents(y * f64::NAN);
        assert!(slots::with(y.tape(), clean));
    }
}

#[test]
fn rooms_grow_and_tapes_reopen() {
    let record = Rc::new(std::cell::RefCell::new(Record::<f64>::new()));
    for round in 0..3 {
        let opened = Opened::new(record.clone(), 2);
        let place = Place::new(opened.tape, 0);
        for k in 2..1100 {
            assert_eq!(slots::push(place, [1.0, k as f64], [0, 1]).node(), k, "round {round}");
            if [256, 512, 700].contains(&k) {
                // Another tape in between, and a panic while the record is in hand.
                let other = Opened::new(Rc::new(std::cell::RefCell::new(Record::<f64>::new())), 2);
                slots::push(Place::new(other.tape, 0), [7.0; 2], [0, 1]);
                assert!(catch_unwind(AssertUnwindSafe(|| opened.with(|_, _| panic!("within")))).is_err());
            }
        }
        opened.with(|record, len| {
            assert_eq!(*len, 1100);
            assert!((2..1100).all(|k| record.nodes[k].partials == [1.0, k as f64]));
        });
        assert!(slots::is_open(opened.tape));
        let tape = opened.tape;
        let (closed, len) = opened.close();
        assert!(len == 1100 && !slots::is_open(tape));
        assert!(catch_unwind(|| slots::push(place, [1.0; 2], [0, 1])).is_err());
        assert!(catch_unwind(|| slots::with(tape, |_: &mut Record<f64>, _| ())).is_err());
        closed.borrow_mut().clear(len);
    }
}

#[test]
fn nodes_and_edges_are_counted_by_32_bits() {
    let tape = Tape::new();
    let x = tape.variable(1.0);
    let full = |record: &mut Record<f64>, _: &mut usize| record.make_room(u32::MAX as usize, 1);
    let panic = catch_unwind(|| slots::with(x.tape(), full)).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("4294967295 nodes and cannot take 1 more"));
    assert_eq!(tape.cotangents(x * x).of(x), 2.0);
}

#[test]
fn large_pages_keep_contents() {
    let mut numbers: Vec<u64> = Vec::with_capacity(1 << 20);
    pages::prefer_large(&numbers);
    numbers.extend(0..1 << 20);
    pages::prefer_large(&numbers);
    numbers.reserve_exact(1 << 20);
    pages::prefer_large(&numbers);
    assert!(numbers.iter().zip(0..1 << 20).all(|(number, want)| *number == want) && numbers.len() == 1 << 20);
    // Advice for a part of a mapping splits it, and it could not grow in place any more.
    #[cfg(target_os = "linux")]
    {
        let (start, bytes) = (numbers.as_ptr().addr(), numbers.capacity() * size_of::<u64>());
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let range = |line: &str| {
            let mut ends = line.split(' ').next()?.split('-').map(|end| usize::from_str_radix(end, 16).ok());
            Some(ends.next()??..ends.next()??)
        };
        let own = maps.lines().filter_map(range).find(|range| range.contains(&start)).unwrap();
        assert!(own.end >= start + bytes, "{own:x?} of {start:x} and {bytes} bytes");
    }
}

#[test]
fn large_tapes_keep_memory_that_uses_before_needed() {
    let (first, gib) = (0, 1 << 30);
    let frees = super::record::is_unwanted;
    // Without a limit: a first large use, the next ones of a series, and one after small ones.
    assert!(frees(gib + 1, first, usize::MAX));
    assert!(!frees(gib, first, usize::MAX));
    assert!(!frees(3 * gib, 2 * gib, usize::MAX) && !frees(4 * gib, gib, usize::MAX));
    assert!(frees(4 * gib + 8, gib, usize::MAX));
    // A limit holds whatever the use.
    assert!(frees(1001, 1001, 1000) && !frees(1000, first, 1000));
    assert!(frees(3 * gib, 3 * gib, 2 * gib) && !frees(2 * gib, first, 2 * gib));
}
