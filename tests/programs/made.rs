//! Saved programs made from nothing: operations of any kind, rules and guards; valid ones run equally in every way, and
//! invalid ones are refused.

use fastrand::Rng;
use serde_json::{Value, json};
use wengert::programs::{Program, Saved};

use crate::hostile::{Sources, asks, is_alike, op, point, program};
use crate::random;

/// Operations with the number of their operands.
const OPERATIONS: [(&str, usize); 18] = [
    ("add", 2),
    ("sub", 2),
    ("mul", 2),
    ("div", 2),
    ("neg", 1),
    ("less", 2),
    ("less_or_equal", 2),
    ("equal", 2),
    ("select", 3),
    ("strong_mul_either", 2),
    ("strong_mul", 2),
    ("strong_div", 3),
    ("propagate_nan", 2),
    ("mul_add", 3),
    ("unary", 1),
    ("binary", 2),
    ("detach", 1),
    ("constant", 0),
];

const UNARY: [(&str, u8); 14] = [
    ("Sin", 0),
    ("Ln", 0),
    ("Sqrt", 0),
    ("Powi(65)", 0),
    ("Abs", 0),
    ("Recip", 0),
    ("PowConst(0.5)", 0),
    ("Floor", 0),
    ("Tanh", 1),
    ("Abs", 1),
    ("Sqrt", 1),
    ("Atanh", 2),
    ("PowConst(2.5)", 3),
    ("Sin", 4),
];

const BINARY: [(&str, [u8; 2]); 13] = [
    ("Max", [0, 0]),
    ("Min", [0, 0]),
    ("Hypot", [0, 0]),
    ("Atan2", [0, 0]),
    ("Log", [0, 0]),
    ("RemEuclid", [0, 0]),
    ("DivEuclid", [0, 0]),
    ("Powf", [0, 0]),
    ("Rem", [0, 0]),
    ("Xlogy", [0, 0]),
    ("Max", [1, 0]),
    ("Hypot", [0, 1]),
    ("Powf", [1, 1]),
];

/// Guard conditions with the number of their operands.
const QUESTIONS: [(&str, usize); 14] = [
    ("less", 2),
    ("less_or_equal", 2),
    ("equal", 2),
    ("order", 2),
    ("value", 1),
    ("zero", 1),
    ("one", 1),
    ("nan", 1),
    ("finite", 1),
    ("infinite", 1),
    ("normal", 1),
    ("subnormal", 1),
    ("positive", 1),
    ("negative", 1),
];

fn one_of<T: Copy>(all: &[T], random: &mut Rng) -> T {
    all[random.usize(..all.len())]
}

/// The data of a file; an error if it is none.
fn saved(file: &Value) -> Result<Saved, String> {
    serde_json::from_value(file.clone()).map_err(|e| e.to_string())
}

/// A valid file, and a point.
fn made(random: &mut Rng) -> (Value, Vec<f64>) {
    let (inputs, count) = (random.u64(1..4), random.u64(1..60));
    let all = inputs + count;
    let operations: Vec<Value> = (0..all)
        .map(|i| {
            if i < inputs {
                return op("input", &[], i);
            }
            let (name, operands) = one_of(&OPERATIONS, random);
            // Near operands, so that operations depend on each other.
            let operands: Vec<u64> = (0..operands).map(|_| random.u64(i.saturating_sub(4)..i)).collect();
            let constants = [0.0, -0.0, 1.0, -1.0, random.f64(), f64::INFINITY, f64::NAN, 1e300];
            let more = match name {
                "constant" => one_of(&constants, random).to_bits(),
                "unary" => random.u64(..UNARY.len() as u64),
                "binary" => random.u64(..BINARY.len() as u64),
                _ => 0,
            };
            op(name, &operands, more)
        })
        .collect();
    let mut positions: Vec<u64> = (0..random.u64(..5)).map(|_| random.u64(1..=all)).collect();
    positions.sort_unstable();
    let guards: Vec<Value> = positions
        .iter()
        .map(|&position| {
            let (name, operands) = one_of(&QUESTIONS, random);
            let operands: Vec<u64> =
                (0..operands).map(|_| random.u64(position.saturating_sub(9)..position)).collect();
            json!([position, asks(name, &operands), 0, [random.u8(..2), position, 1]])
        })
        .collect();
    let results: Vec<u64> = (0..random.u64(1..4)).map(|_| random.u64(..all)).collect();
    let mut file = json!({
        "format": "wengert program", "version": 4, "inputs": inputs, "results": results,
        "operations": operations, "guards": guards, "files": ["a.rs", "b.rs"], "unary": UNARY, "binary": BINARY,
    });
    let x = point(inputs as usize, random);
    answer(&mut file, &x, random);
    (file, x)
}

/// Answers the guards of a file: most of them as the point does.
fn answer(file: &mut Value, x: &[f64], random: &mut Rng) {
    let guarded = program(&saved(file).unwrap()).unwrap();
    let mut all = file.clone();
    all["guards"] = json!([]);
    all["results"] = (0..guarded.code().ops.len()).collect();
    let values = program(&saved(&all).unwrap()).unwrap().run(x).unwrap();
    for (guard, row) in guarded.code().guards.iter().zip(file["guards"].as_array_mut().unwrap()) {
        let answer = guard.condition.outcome(|x| values[x as usize]);
        // A file has no answer for the sign of NaN.
        let may_be = answer != 2 || row[1].get("order").is_some();
        if may_be && random.u8(..3) > 0 {
            row[2] = json!(answer);
        }
    }
}

/// A number of an operation, however it is written.
fn operand<'v>(value: &'v mut Value, random: &mut Rng) -> Option<&'v mut Value> {
    let inside = value.as_object_mut()?.values_mut().next()?;
    match inside {
        Value::Number(_) => Some(inside),
        Value::Array(all) => {
            let k = random.usize(..all.len());
            all.get_mut(k)
        }
        _ => {
            let names = ["x", "y", "f", "d", "t", "r", "condition"];
            let names: Vec<_> = names.iter().filter(|name| inside.get(name).is_some()).collect();
            inside.get_mut(one_of(&names, random))
        }
    }
}

/// Faults that a file may have.
const FAULTS: u64 = 23;

/// Gives a file a fault. A part of the message of its error, or `""` for an error of the reader.
fn spoil(file: &mut Value, fault: u64, random: &mut Rng) -> &'static str {
    let count = |file: &Value, what: &str| file[what].as_array().unwrap().len() as u64;
    let inputs = file["inputs"].as_u64().unwrap();
    let all = count(file, "operations");
    let beyond = one_of(&[0, 1, 100, u64::from(u32::MAX) - all], random) + all;
    let at = random.u64(inputs..all);
    let guard =
        |position: u64, question: Value, answer: i64| json!([[position, question, answer, [0, 1, 1]]]);
    match fault {
        0 => {
            let (name, operands) = OPERATIONS[random.usize(..OPERATIONS.len() - 1)];
            file["operations"][at as usize] = op(name, &vec![0; operands], 0);
            if let Some(x) = operand(&mut file["operations"][at as usize], random) {
                *x = json!(one_of(&[at, at + 1, beyond], random));
            }
            "not computed before"
        }
        1 => {
            file["results"] = json!([0, beyond]);
            "a result is operation"
        }
        2 => {
            file["inputs"] = json!(inputs - 1);
            "inputs is Input("
        }
        3 => {
            file["inputs"] = json!(one_of(&[inputs + 1, all + 1, beyond.max(all + 1)], random));
            "inputs"
        }
        4 => {
            file["operations"][at as usize] = op("input", &[], one_of(&[0, at, beyond], random));
            "inputs is Input("
        }
        5 => {
            file["operations"][at as usize] = op("unary", &[0], UNARY.len() as u64 + beyond % 1000);
            "has rule"
        }
        6 => {
            file["operations"][at as usize] = op("binary", &[0, 0], BINARY.len() as u64 + beyond % 1000);
            "has rule"
        }
        7 => {
            let names = [
                "Sine",
                "sin",
                "",
                "Powi",
                "Powi(x)",
                "Powi(3",
                "PowConst(2)",
                "BetaI([1.0])",
                "Max",
                "Sin\n",
            ];
            file["unary"][3] = json!([one_of(&names, random), 0]);
            "is not known"
        }
        8 => {
            let names = ["max", "Sin", "", "PolygammaIncrement(-1)", "Max()", "Max "];
            file["binary"][3] = json!([one_of(&names, random), [0, 0]]);
            "is not known"
        }
        9 => {
            file["unary"][0][1] = json!(one_of(&[5, 6, 255], random));
            "is a derivative of order"
        }
        10 => {
            file["binary"][0][1] = json!(one_of(&[[5, 0], [2, 3], [255, 255], [0, 5]], random));
            "is a derivative of order"
        }
        11 => {
            file["guards"] = guard(one_of(&[all + 1, beyond.max(all + 1)], random), asks("nan", &[0]), 0);
            "asks for what is not computed before"
        }
        12 => {
            let (name, operands) = one_of(&QUESTIONS, random);
            let mut operands = vec![0; operands];
            let k = random.usize(..operands.len());
            operands[k] = one_of(&[at, beyond], random);
            file["guards"] = guard(at, asks(name, &operands), 0);
            "asks for what is not computed before"
        }
        13 => {
            let guards = [guard(at + 1, asks("nan", &[0]), 0), guard(at, asks("nan", &[0]), 0)];
            file["guards"] = json!([guards[0][0], guards[1][0]]);
            "asks for what is not computed before"
        }
        14 => {
            let (name, operands) = one_of(&QUESTIONS, random);
            let name = if name == "value" { "order" } else { name };
            let operands = if name == "order" { 2 } else { operands };
            let answer = one_of(&[3, -2, i64::MAX, i64::MIN], random);
            file["guards"] = guard(at, asks(name, &vec![0; operands]), answer);
            "has the outcome"
        }
        15 => {
            file["guards"] = guard(at, asks("nan", &[0]), 0);
            file["guards"][0][3][0] = json!(one_of(&[2, u32::MAX], random));
            "is of file"
        }
        16 => {
            file["version"] = json!(one_of(&[0, 3, 5, u32::MAX], random));
            "its version is"
        }
        17 => {
            file["format"] = json!(one_of(&["", "wengert", "wengert program "], random));
            "its format is"
        }
        18 => {
            file["files"][0] = json!(one_of(&["a\n", "\0", "\u{85}"], random));
            "control character"
        }
        19 => {
            // Calls are not saved.
            let none =
                [json!({ "call": 0 }), json!({ "call_result": 0 }), json!({ "pow": [0, 0] }), json!("add")];
            file["operations"][at as usize] = none[random.usize(..none.len())].clone();
            ""
        }
        20 => {
            let counts = [
                json!({ "add": [0] }),
                json!({ "add": [0, 0, 0] }),
                json!({ "neg": [] }),
                json!({ "neg": -1 }),
            ];
            file["operations"][at as usize] = counts[random.usize(..counts.len())].clone();
            ""
        }
        21 => {
            let fields = file.as_object_mut().unwrap();
            let name = fields.keys().nth(random.usize(..fields.len())).unwrap().clone();
            fields.remove(&name);
            ""
        }
        _ => {
            let (name, what) =
                one_of(&[("unary", "order"), ("binary", "orders"), ("guards", "a place")], random);
            file[name] = json!([[what]]);
            ""
        }
    }
}

/// The binary form of a file is read to an equal program with the same results.
fn binary_is_equal(saved: &Saved, of_json: &Program, x: &[f64]) {
    let bytes = postcard::to_stdvec(saved).unwrap();
    let read: Saved = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(&read, saved);
    let again = program(&read).unwrap();
    assert_eq!(again.to_string(), of_json.to_string());
    assert_eq!(again.code().ops, of_json.code().ops);
    assert!(is_alike(&again.run(x), &of_json.run(x)), "{again}");
    // Both programs are saved as the same bytes.
    let [once, twice] = [of_json.save().unwrap(), again.save().unwrap()];
    assert_eq!(once, twice);
    assert_eq!(postcard::to_stdvec(&once).unwrap(), postcard::to_stdvec(&twice).unwrap());
}

#[test]
fn made_files() {
    let (mut random, mut sources) = (random::numbers(25), Sources::at_most(40));
    for _ in 0..random::cases(250) {
        let (file, x) = made(&mut random);
        let saved = saved(&file).unwrap();
        let program = program(&saved).unwrap();
        binary_is_equal(&saved, &program, &x);
        sources.runs(&program, x);
    }
    let compared = sources.check("made");
    assert!(compared.iter().all(|&count| count >= 3), "{compared:?}");
}

/// Of guards with one condition and different outcomes, each is kept: no point passes.
#[test]
fn guards_that_contradict_each_other_are_kept() {
    let guard = |x: f64, file: u8| json!([1, asks("value", &[0]), x.to_bits(), [file, 3, 1]]);
    // A product, so that another program runs where all numbers are finite.
    let operations = [op("input", &[], 0), op("strong_mul", &[0, 0], 0)];
    let file = json!({
        "format": "wengert program", "version": 4, "inputs": 1, "results": [1], "operations": operations,
        "guards": [guard(0.5, 0), guard(2.0, 1)], "files": ["a.rs", "b.rs"], "unary": [], "binary": [],
    });
    let program = program(&saved(&file).unwrap()).unwrap();
    for (x, line) in [(0.5, "b.rs:3:1"), (2.0, "a.rs:3:1")] {
        let e = program.run(&[x]).unwrap_err().to_string();
        assert!(e.contains(line), "{e}");
    }
}

/// The quotient is NaN at 0. It does not reach the first result, because the guard keeps the strong zero on its way: so the
/// second result must have it.
#[test]
fn a_nan_that_a_guarded_strong_zero_stops_is_not_seen_in_results() {
    let operations = [
        op("input", &[], 0),
        op("input", &[], 1),
        op("div", &[0, 0], 0),
        op("strong_div", &[1, 0, 2], 0),
        op("propagate_nan", &[2, 1], 0),
    ];
    let file = json!({
        "format": "wengert program", "version": 4, "inputs": 2, "results": [3, 4], "operations": operations,
        "guards": [[4, asks("nan", &[3]), 0, [0, 3, 1]]], "files": ["a.rs"], "unary": [], "binary": [],
    });
    let program = program(&saved(&file).unwrap()).unwrap();
    let y = program.run(&[0.0, 0.0]).unwrap();
    assert!(y[0] == 0.0 && y[1].is_nan(), "{y:?}");
}

/// Each error is the same for both forms of a file.
#[test]
fn invalid_files_are_refused() {
    let mut random = random::numbers(26);
    for k in 0..random::cases(1000) {
        let (mut file, _) = made(&mut random);
        let why = spoil(&mut file, k % FAULTS, &mut random);
        let saved = match saved(&file) {
            Ok(saved) => saved,
            Err(e) => {
                assert_eq!(why, "", "{e} instead of {why}\n{file}");
                continue;
            }
        };
        let e = program(&saved).map(|program| program.to_string()).unwrap_err();
        assert!(!why.is_empty() && e.contains(why), "{e}, not {why}\n{file}");
        let read: Saved = postcard::from_bytes(&postcard::to_stdvec(&saved).unwrap()).unwrap();
        assert_eq!(program(&read).err(), Some(e));
    }
}

/// Bytes that are no file, beginnings of files, and files with other bytes in them.
#[test]
fn bytes_are_refused_or_a_program() {
    let mut random = random::numbers(27);
    let mut read = [0; 2];
    for _ in 0..random::cases(1200) {
        let any: Vec<u8> = (0..random.usize(..200)).map(|_| random.u8(..)).collect();
        let of_any = postcard::from_bytes::<Saved>(&any).map_err(|e| e.to_string());
        assert!(of_any.and_then(|saved| program(&saved)).is_err(), "{any:?}");
        let (file, _) = made(&mut random);
        let bytes = postcard::to_stdvec(&saved(&file).unwrap()).unwrap();
        let beginning = &bytes[..random.usize(..bytes.len())];
        assert!(postcard::from_bytes::<Saved>(beginning).is_err(), "{} bytes of {bytes:?}", beginning.len());
        // Any bytes among the others; the format and the version take 17 bytes.
        let mut mixed = bytes.clone();
        let (at, count) = (random.usize(17..bytes.len()), random.usize(1..4));
        mixed.splice(at..bytes.len().min(at + count), any.into_iter().take(count));
        let mixed = postcard::from_bytes::<Saved>(&mixed).map_err(|e| e.to_string());
        read[usize::from(mixed.is_ok())] += 1;
        if let Ok(program) = mixed.and_then(|saved| program(&saved)) {
            let x = point(program.inputs(), &mut random);
            Sources::at_most(0).runs(&program, x);
        }
    }
    assert!(read.iter().all(|&count| count > 50), "{read:?}");
}
