//! The cost of loading a program, and of what is made of it, counted: linear in the size of its file.

use std::cell::Cell;
use std::fmt;

use serde_json::{Value, json};
use wengert::programs::{KnownRules, Program, Saved, Traced, trace};
use wengert::rules::Unary;
use wengert::{BaseFloat, Real};

use crate::allocations::{allocations, bytes, bytes_in_all};
use crate::hostile::{asks, op};

const COUNTS: [usize; 3] = [500, 1000, 2000];

fn saved(file: Value) -> Saved {
    serde_json::from_value(file).unwrap()
}

/// A file of one input with these operations after it; the result is the last one.
fn file(operations: impl Iterator<Item = Value>) -> Value {
    let operations: Vec<Value> = std::iter::once(op("input", &[], 0)).chain(operations).collect();
    json!({
        "format": "wengert program", "version": 4, "inputs": 1, "results": [operations.len() - 1],
        "operations": operations, "guards": [], "files": [], "unary": [], "binary": [],
    })
}

/// A chain of rules of the table, all different.
fn rules(n: usize) -> Saved {
    let mut file = file((0..n).map(|i| op("unary", &[i as u64], i as u64)));
    file["unary"] = (0..n).map(|i| json!([format!("PowConst({i}.5)"), 0])).collect();
    saved(file)
}

/// The same of rules of two variables.
fn rules_of_two(n: usize) -> Saved {
    let mut file = file((0..n).map(|i| op("binary", &[i as u64, 0], i as u64)));
    file["binary"] = (0..n).map(|i| json!([format!("PolygammaIncrement({i})"), [0, 0]])).collect();
    saved(file)
}

/// A chain of operations of many kinds.
fn operations(n: usize) -> Saved {
    let kinds = [
        ("add", 2),
        ("mul", 2),
        ("less", 2),
        ("select", 3),
        ("div", 2),
        ("mul_add", 3),
        ("strong_mul", 2),
        ("unary", 1),
        ("binary", 2),
    ];
    // Each reads the one before.
    let one = |i: usize| match kinds[i % kinds.len()] {
        ("select", _) => op("select", &[0, i as u64, 0], 0),
        (name, count) => op(name, &[i as u64, 0, 0][..count], 0),
    };
    let mut file = file((0..n).map(one));
    (file["unary"], file["binary"]) = (json!([["Sin", 0]]), json!([["Hypot", [0, 0]]]));
    saved(file)
}

/// Different constants, and their sum.
fn constants(n: usize) -> Saved {
    let all = (0..n / 2).map(|i| op("constant", &[], (i as f64 + 0.1).to_bits()));
    // The first sum adds the input.
    let of = |i: usize| op("add", &[if i == 0 { 0 } else { n / 2 + i } as u64, i as u64 + 1], 0);
    saved(file(all.chain((0..n / 2).map(of))))
}

/// Guards of a chain, of one file.
fn guards(n: usize) -> Saved {
    let mut file = file((0..n).map(|i| op("add", &[i as u64, 0], 0)));
    let names = [("less", 2), ("nan", 1), ("order", 2), ("value", 1)];
    let guard = |i: usize| {
        let (name, count) = names[i % names.len()];
        json!([i + 1, asks(name, &vec![i as u64; count]), 0, [0, i, 1]])
    };
    file["guards"] = (0..n).map(guard).collect();
    file["files"] = json!(["a.rs"]);
    saved(file)
}

/// Many results, all of them the values of two operations.
fn results(n: usize) -> Saved {
    let mut file = file([op("mul", &[0, 0], 0)].into_iter());
    file["results"] = (0..n).map(|i| i % 2).collect();
    saved(file)
}

/// A guard in each of many files.
fn files(n: usize) -> Saved {
    let mut file = file(std::iter::empty());
    file["guards"] = (0..n).map(|i| json!([1, asks("less", &[0, 0]), 0, [i, i + 1, 1]])).collect();
    file["files"] = (0..n).map(|i| json!(format!("src/a_file_with_a_long_name_{i:05}.rs"))).collect();
    saved(file)
}

type MakeFile = fn(usize) -> Saved;

/// All kinds of files.
const FILES: [(&str, MakeFile); 7] = [
    ("rules", rules),
    ("rules of two variables", rules_of_two),
    ("operations", operations),
    ("constants", constants),
    ("guards", guards),
    ("results", results),
    ("files", files),
];

/// Holds that a count grows with the number of things, and no faster.
#[track_caller]
fn linear(what: &str, count: impl Fn(usize) -> usize) {
    grows(what, COUNTS.map(count));
}

#[track_caller]
fn grows(what: &str, counts: [usize; 3]) {
    assert!((0..3).all(|k| counts[k] > COUNTS[k]), "{what} counts nothing: {counts:?}");
    no_faster(what, counts);
}

#[track_caller]
fn no_faster(what: &str, counts: [usize; 3]) {
    for pair in counts.windows(2) {
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
        linear(&format!("saving {what}"), |n| {
            let (file, program) = made(n);
            allocations(|| assert_eq!(program.save().unwrap(), file))
        });
    }
    for (what, file) in FILES {
        linear(&format!("bytes of {what}"), |n| {
            let file = file(n);
            bytes(|| drop(file.program(&known).unwrap())) as usize
        });
    }
}

/// Loading, saving, and what is made of a program allocate as many bytes as the file has, times a number.
#[test]
fn all_that_is_made_of_a_program_grows_with_its_file() {
    let known = KnownRules::new();
    let text = |program: &Program| drop(program.to_string());
    let source = |program: &Program| drop(program.to_rust("f").unwrap());
    let ready = |program: &Program| drop(program.clone().ready().clone());
    let saving = |program: &Program| drop(program.save().unwrap());
    let vjp = |program: &Program| drop(program.vjp().unwrap());
    let jvp = |program: &Program| drop(program.jvp().unwrap());
    type Way<'w> = &'w dyn Fn(&Program);
    let ways: [(&str, Way); 6] = [
        ("the text", &text),
        ("the source", &source),
        ("the executable", &ready),
        ("saving", &saving),
        ("a vjp", &vjp),
        ("a jvp", &jvp),
    ];
    for (kind, file) in FILES {
        linear(&format!("loading {kind}"), |n| {
            let file = file(n);
            bytes_in_all(|| drop(file.program(&known).unwrap()))
        });
        let made = COUNTS.map(|n| file(n).program(&known).unwrap());
        for (name, way) in ways {
            let what = format!("{name} of {kind}");
            no_faster(&what, made.each_ref().map(|program| allocations(|| way(program))));
            grows(&what, made.each_ref().map(|program| bytes_in_all(|| way(program))));
        }
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
