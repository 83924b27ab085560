//! The cost of loading a program, counted: linear in the number of rules and files.

use std::cell::Cell;
use std::fmt;

use serde_json::{Value, json};
use wengert::programs::{KnownRules, Program, Saved, Traced, trace};
use wengert::rules::Unary;
use wengert::{BaseFloat, Real};

use crate::allocations::{allocations, bytes};
use crate::hostile::{asks, op};

const COUNTS: [usize; 3] = [500, 1000, 2000];

fn saved(file: Value) -> Saved {
    serde_json::from_value(file).unwrap()
}

/// A chain of rules of the table, all different.
fn rules(n: usize) -> Saved {
    let chain = (0..n).map(|i| op("unary", &[i as u64], i as u64));
    let operations: Vec<Value> = std::iter::once(op("input", &[], 0)).chain(chain).collect();
    let unary: Vec<Value> = (0..n).map(|i| json!([format!("PowConst({i}.5)"), 0])).collect();
    saved(json!({
        "format": "wengert program", "version": 4, "inputs": 1, "results": [n],
        "operations": operations, "guards": [], "files": [], "unary": unary, "binary": [],
    }))
}

/// A guard in each of many files.
fn files(n: usize) -> Saved {
    let guards: Vec<Value> = (0..n).map(|i| json!([1, asks("less", &[0, 0]), 0, [i, i + 1, 1]])).collect();
    let files: Vec<Value> = (0..n).map(|i| json!(format!("src/a_file_with_a_long_name_{i:05}.rs"))).collect();
    saved(json!({
        "format": "wengert program", "version": 4, "inputs": 1, "results": [0],
        "operations": [op("input", &[], 0)], "guards": guards, "files": files, "unary": [], "binary": [],
    }))
}

/// Holds that a count grows with the number of things, and no faster.
#[track_caller]
fn linear(what: &str, count: impl Fn(usize) -> usize) {
    let counts = COUNTS.map(count);
    for (k, pair) in counts.windows(2).enumerate() {
        assert!(pair[1] > COUNTS[k], "{what} counts nothing: {counts:?}");
        // Twice as much, and the cost of a table that grows once.
        assert!(pair[1] * 10 <= pair[0] * 23 + 1000, "{what}: {counts:?} for {COUNTS:?}");
    }
}

#[test]
fn loading_and_saving_grow_with_the_file() {
    let known = KnownRules::new();
    for (what, file) in [("rules", rules as fn(usize) -> Saved), ("files", files)] {
        let made = |n: usize| (file(n), file(n).program(&known).unwrap());
        linear(&format!("loading {what}"), |n| allocations(|| drop(file(n).program(&known).unwrap())));
        linear(&format!("bytes of {what}"), |n| {
            let file = file(n);
            bytes(|| drop(file.program(&known).unwrap())) as usize
        });
        linear(&format!("saving {what}"), |n| {
            let (file, program) = made(n);
            allocations(|| assert_eq!(program.save().unwrap(), file))
        });
    }
}

thread_local! {
    static SHOWN: Cell<usize> = const { Cell::new(0) };
}

/// A user's rule that counts how often its text is read.
#[derive(Clone, Copy)]
struct Counted(u32);

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SHOWN.set(SHOWN.get() + 1);
        write!(f, "Counted({})", self.0)
    }
}

impl Unary for Counted {
    const NAME: &'static str = "counted";
    fn value<F: BaseFloat>(self, x: F) -> F {
        x + F::from_double(f64::from(self.0))
    }
    fn derivative<T: Real>(self, _: T, _: T) -> T {
        T::lit(1.0)
    }
}

fn shown(f: impl FnOnce()) -> usize {
    SHOWN.set(0);
    f();
    SHOWN.get()
}

/// Rules of users are compared by their bits, and found by their texts: no text is compared with all others.
#[test]
fn texts_are_asked_for_as_often_as_there_are_rules() {
    let program = |n: usize| -> Program {
        trace(|x: &[Traced]| (0..n as u32).fold(x[0], |y, k| y.lift1(Counted(k))), &[1.0])
    };
    let known = |n: usize| (0..n as u32).fold(KnownRules::new(), |known, k| known.with_unary(Counted(k)));
    assert_eq!(shown(|| drop(program(1000))), 0, "tracing needs no text");
    for n in [500, 1000] {
        let program = program(n);
        let saving = shown(|| drop(program.save().unwrap()));
        assert!((n..=4 * n).contains(&saving), "{saving} texts to save {n} rules");
        let knowing = shown(|| drop(known(n)));
        assert!((n..=2 * n).contains(&knowing), "{knowing} texts for {n} known rules");
        let (saved, known) = (program.save().unwrap(), known(n));
        let loading = shown(|| drop(saved.program(&known).unwrap()));
        assert!(loading <= 2 * n, "{loading} texts to load {n} rules");
        let again = saved.program(&known).unwrap();
        assert_eq!(again.run(&[0.5]).unwrap(), program.run(&[0.5]).unwrap());
        let gradient = shown(|| drop(program.gradient().unwrap()));
        assert!(gradient <= 2 * n, "{gradient} texts for a gradient of {n} rules");
    }
}
