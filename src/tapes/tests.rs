//! Tests of private parts: the table of open tapes, maps as blocks, clean buffers.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use super::place::Place;
use super::record::Record;
use super::recording::record_map;
use super::slots::{self, Opened};
use super::{Tape, Var, pages};
use crate::duals::Dual;
use crate::linear_map::LinearMap;
use crate::number::{Number, Real};

/// `(a·x, b·y, Σx)` of two groups, with counters of its calls.
struct Scaling {
    factors: [f64; 2],
    wanted: Rc<Cell<[usize; 2]>>,
    calls: Rc<Cell<usize>>,
}

impl<T: Real<Base = f64>> LinearMap<T> for Scaling {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        out.fill(T::lit(0.0));
        for (group, tangents) in tangents.iter().enumerate() {
            for (i, &t) in tangents.iter().flat_map(|t| t.iter()).enumerate() {
                out[2 * group + i] += t * self.factors[group];
                out[4] += if group == 0 { t } else { T::lit(0.0) };
            }
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        self.calls.set(self.calls.get() + 1);
        for (group, out) in out.iter_mut().enumerate() {
            let Some(out) = out else { continue };
            let mut wanted = self.wanted.get();
            wanted[group] += 1;
            self.wanted.set(wanted);
            for (i, x) in out.iter_mut().enumerate() {
                *x += cotangent[2 * group + i] * self.factors[group];
                *x += if group == 0 { cotangent[4] } else { T::lit(0.0) };
            }
        }
    }
    fn name(&self) -> &'static str {
        "a \"scaling\""
    }
}

type Counters = (Rc<Cell<[usize; 2]>>, Rc<Cell<usize>>);

/// The map's results at two groups of two, and its counters.
fn scaling<T: Real<Base = f64>>(x: &[Var<T>], y: &[Var<T>]) -> (Vec<Var<T>>, Counters) {
    let (wanted, calls) = (Rc::new(Cell::new([0; 2])), Rc::new(Cell::new(0)));
    let value = |i: usize| match i {
        0 | 1 => x[i].value() * 2.0,
        2 | 3 => y[i - 2].value() * 3.0,
        _ => x[0].value() + x[1].value(),
    };
    let values: Vec<T> = (0..5).map(value).collect();
    let map = Scaling { factors: [2.0, 3.0], wanted: wanted.clone(), calls: calls.clone() };
    (record_map(&[x, y], &values, || Box::new(map)), (wanted, calls))
}

fn pushed(tape: &Tape<f64>, tangents: &[f64], results: &[Var<f64>]) -> Vec<f64> {
    let mut out = vec![f64::NAN; results.len()];
    tape.push(0, tangents, results, &mut out);
    out
}

#[test]
fn a_map_of_two_groups() {
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0, 3.0, 4.0]);
    // A run, and a scattered group: a slope of −1, a constant.
    let (y, (wanted, calls)) = scaling(&x[..2], &[-x[2], Var::constant(4.0)]);
    let z = y[0] * y[2] + y[4] * 10.0 + y[3];
    assert_eq!(z.value(), 2.0 * -9.0 + 30.0 + 12.0);
    // z = 2x₀·(−3x₂) + 10(x₀ + x₁) + 12
    assert_eq!(tape.cotangents(z).of_all(&x), [-18.0 + 10.0, 10.0, -6.0, 0.0]);
    assert_eq!((wanted.get(), calls.get()), ([1, 1], 1));
    assert_eq!(pushed(&tape, &[1.0, 0.0, 1.0, 5.0], &[z, y[1], Var::constant(1.0)]), [-8.0 - 6.0, 0.0, 0.0]);
    assert!(tape.to_dot().contains("label=\"a \\\"scaling\\\"\""));
    assert_eq!(tape.stats().blocks, 1);
}

#[test]
fn inactive_groups_and_unseeded_results_do_no_work() {
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0]);
    let (y, (wanted, calls)) = scaling(&[Var::constant(1.0), Var::constant(2.0)], &x);
    assert_eq!(tape.cotangents(y[3] + x[0]).of_all(&x), [1.0, 3.0]);
    assert_eq!((wanted.get(), calls.get()), ([0, 1], 1));
    assert_eq!(tape.cotangents(x[0] * x[1]).of_all(&x), [2.0, 1.0]);
    assert_eq!(calls.get(), 1, "no result of the map has a cotangent");
    assert_eq!(pushed(&tape, &[1.0, 1.0], &y), [0.0, 0.0, 3.0, 3.0, 0.0]);
    // Several lanes of which some are zero.
    let lanes = [(y[2], [1.0, 0.0, 2.0]), (y[3], [0.0, 0.0, 1.0])];
    let got = tape.pull(lanes.into_iter(), |c: &[[f64; 3]]| [c[0], c[1]]);
    assert_eq!((got, calls.get()), ([[3.0, 0.0, 6.0], [0.0, 0.0, 3.0]], 3));
    let (none, _) = scaling(&[Var::<f64>::constant(1.0); 2], &[Var::constant(1.0); 2]);
    assert!(none.iter().all(Var::is_passive));
}

#[test]
fn a_map_over_duals() {
    let tape = Tape::new();
    let x = tape.variables(&[Dual::new(1.0, 1.0), Dual::new(2.0, 0.5)]);
    let (y, _) = scaling(&x, &x);
    let z = y[0] * y[3]; // 6·x₀x₁
    let dz = tape.cotangents(z);
    assert_eq!((dz.of(x[0]).value(), dz.of(x[0]).tangent()), (12.0, 3.0));
    assert_eq!((dz.of(x[1]).value(), dz.of(x[1]).tangent()), (6.0, 6.0));
}

/// A rule that uses the tape which is being swept.
struct Intruder(Var<f64>, Var<f64>);
impl LinearMap<f64> for Intruder {
    fn apply(&self, _: &[Option<&[f64]>], _: &mut [f64]) {}
    fn apply_transpose_add(&self, _: &[f64], _: &mut [Option<&mut [f64]>]) {
        let _ = self.0 * self.1;
    }
}

#[test]
fn a_tape_in_its_own_sweep() {
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0]);
    let y = record_map(&[&x[..]], &[3.0], || Box::new(Intruder(x[0], x[1])));
    let panic = catch_unwind(AssertUnwindSafe(|| tape.cotangents(y[0]))).unwrap_err();
    assert!(panic.downcast_ref::<&str>().unwrap().contains("while it is being swept"));
    assert_eq!(tape.cotangents(x[0] * x[1]).of_all(&x), [2.0, 1.0]);
}

#[test]
fn the_sweep_leaves_its_buffer_clean() {
    let tape = Tape::new();
    let x = tape.variables(&[0.5, 1.5, 2.5]);
    let (a, _) = scaling(&x[..2], &x[1..]);
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
fn rests_of_numbers_that_share_a_slot() {
    // Threads that end give back their unused numbers: here one each, 4096 apart, all for one slot.
    for _ in 0..40 {
        let use_up = || (0..4095).for_each(|_| drop(Tape::<Dual<f32>>::new()));
        std::thread::spawn(use_up).join().unwrap();
    }
    let run = || {
        let tapes: Vec<Tape<Dual<f32>>> = (0..40).map(|_| Tape::new()).collect();
        tapes.iter().for_each(|t| assert_eq!(t.stats().nodes, 0));
    };
    std::thread::spawn(run).join().unwrap();
}

#[test]
fn constants_of_an_active_type_take_nothing() {
    let tape = Tape::new();
    let x = tape.variable(3.0);
    let c: Var<f64> = Var::lit(5.0);
    for _ in 0..3 {
        assert_eq!(tape.cotangents(x * c).of(x), 5.0);
    }
    assert_eq!(tape.stats().nodes, 1);
}

#[test]
fn a_cleared_tape_keeps_what_its_last_uses_needed() {
    let mut tape = Tape::new();
    let mut record = |nodes: usize| {
        tape.clear();
        let (x, y) = (tape.variable(1.0), tape.variable(1.0));
        let z = (0..nodes).fold(y, |z, _| z * x);
        assert_eq!(tape.cotangents(z).of(x), nodes as f64);
        tape.stats().reserve + tape.stats().bytes
    };
    let large = record(1 << 20);
    assert!(large > 32 << 20, "{large}");
    // A small use in between forgets nothing, and a large one finds its room.
    record(10);
    assert_eq!(record(1 << 20), large);
    (0..20).for_each(|_| assert!(record(10) > 0));
    assert!(record(10) < large / 4, "{} of {large}", record(10));
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
