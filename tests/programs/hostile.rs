//! Saved programs that somebody has changed: a program that runs equally in every way, or an error.

use std::process::Command;

use fastrand::Rng;
use serde_json::{Value, json};
use wengert::AdError;
use wengert::programs::{KnownRules, Program, Saved, Traced, Workspace, trace};

use crate::definition::is_defined;
use crate::random;

type Results = Result<Vec<f64>, AdError>;

/// A program of the rules of the table.
pub(super) fn program(saved: &Saved) -> Result<Program, String> {
    saved.program(&KnownRules::new()).map_err(|e| e.to_string())
}

fn load(value: Value) -> Result<Program, String> {
    let saved: Saved = serde_json::from_value(value).map_err(|e| e.to_string())?;
    program(&saved)
}

/// An operation in a file, with its rule or the bits of its constant.
pub(super) fn op(name: &str, x: &[u64], more: u64) -> Value {
    match name {
        "input" | "constant" => json!({ name: more }),
        "neg" | "detach" => json!({ name: x[0] }),
        "unary" => json!({ name: { "rule": more, "x": x[0] } }),
        "binary" => json!({ name: { "rule": more, "x": x[0], "y": x[1] } }),
        "less" | "less_or_equal" | "equal" => {
            json!({ "compare": { "relation": name, "x": x[0], "y": x[1] } })
        }
        "select" => json!({ name: { "condition": x[0], "x": x[1], "y": x[2] } }),
        "propagate_nan" => json!({ name: { "f": x[0], "d": x[1] } }),
        "strong_mul" | "strong_mul_either" => json!({ name: { "d": x[0], "t": x[1] } }),
        "strong_div" => json!({ name: { "t": x[0], "y": x[1], "r": x[2] } }),
        _ => json!({ name: x }),
    }
}

/// A comparison in a file.
pub(super) fn asks(name: &str, x: &[u64]) -> Value {
    match *x {
        [x] if name == "value" => json!({ name: x }),
        [x] => json!({ "has": [name, x] }),
        [x, y] if name == "order" => json!({ name: [x, y] }),
        _ => json!({ "compare": [name, x[0], x[1]] }),
    }
}

/// A program of one input, followed by these operations; the result is the last one.
fn file(operations: &[Value]) -> Value {
    let operations = [&[op("input", &[], 0)], operations].concat();
    json!({
        "format": "wengert program", "version": 4, "inputs": 1, "results": [operations.len() - 1],
        "operations": operations, "guards": [], "files": ["a.rs"], "unary": [], "binary": [],
    })
}

/// The file with a guard at the end.
fn guarded(mut file: Value, question: Value, answer: i64) -> Value {
    let count = file["operations"].as_array().unwrap().len();
    file["guards"] = json!([[count, question, answer, [0, 1, 1]]]);
    file
}

pub(super) fn is_alike(a: &Results, b: &Results) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            let same = |x: &f64, y: &f64| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y))
        }
        (a, b) => a == b,
    }
}

/// All ways to run a program at a point.
#[track_caller]
fn agrees(program: &Program, x: &[f64]) -> Results {
    let want = program.run(x);
    assert!(is_defined(program, x, &want), "{want:?} at {x:?}\n{program}");
    for points in [1, 9] {
        let mut y = vec![0.5; points * program.outputs()];
        let got = program.ready().run_batch(&mut Workspace::default(), &x.repeat(points), &mut y);
        if x.is_empty() || program.outputs() == 0 {
            continue;
        }
        let results: Vec<Results> = match got {
            Err(AdError::Points { failed }) => failed.into_iter().map(|(_, e)| Err(e)).collect(),
            done => y.chunks(program.outputs()).map(|y| done.clone().map(|()| y.to_vec())).collect(),
        };
        assert_eq!(results.len(), points, "a batch: {results:?}\n{program}");
        for got in results {
            assert!(is_alike(&got, &want), "a batch: {got:?}, not {want:?}\n{program}");
        }
    }
    #[cfg(feature = "jit")]
    {
        let got = program.compile().unwrap().run(x);
        assert!(is_alike(&got, &want), "machine code at {x:?}: {got:?}, not {want:?}\n{program}");
    }
    want
}

/// The results of source code, compiled with optimisation, and whether a guard failed.
fn compiled(name: &str, all: &[(String, Vec<f64>, usize, bool)]) -> Vec<(bool, Vec<f64>)> {
    let folder = std::env::temp_dir().join(format!("wengert-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut text, mut main) = (String::new(), String::new());
    for (k, (source, x, outputs, guards)) in all.iter().enumerate() {
        text += &format!("mod m{k} {{\n{source}\n}}\n");
        let x: Vec<String> = x.iter().map(|x| format!("f64::from_bits({})", x.to_bits())).collect();
        let is_ok = if *guards { "r.is_ok()" } else { "r == ()" };
        main +=
            &format!("let mut y = [0.0; {outputs}];\nlet x = std::hint::black_box([{}]);\n", x.join(", "));
        main += &format!("let r = m{k}::f(&x, &mut y);\nprint!(\"{{}}\", {is_ok});\n");
        main += "y.iter().for_each(|y: &f64| print!(\" {}\", y.to_bits()));\nprintln!();\n";
    }
    let (file, binary) = (folder.join("main.rs"), folder.join("main"));
    std::fs::write(&file, format!("{text}fn main() {{\n{main}}}\n")).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-O", "-Awarnings", "-o"]).arg(&binary).arg(&file);
    let done = rustc.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let printed = String::from_utf8(Command::new(&binary).output().unwrap().stdout).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let number = |word: &str| f64::from_bits(word.parse().unwrap());
    let read = |line: &str| {
        let mut words = line.split(' ');
        (words.next() == Some("true"), words.map(number).collect())
    };
    printed.lines().map(read).collect()
}

#[test]
fn inputs_beyond_the_inputs_are_refused() {
    let e = load(file(&[op("input", &[], 1), op("add", &[0, 1], 0)])).err().unwrap();
    assert_eq!(e, "saved program: operation 1 of 1 inputs is Input(1)");
    let mut none = file(&[]);
    none["inputs"] = json!(0);
    assert!(load(none).is_err());
}

#[test]
fn answers_are_those_of_their_questions() {
    let one = || file(&[op("constant", &[], 0)]);
    let questions =
        [("less", 2), ("less_or_equal", 2), ("equal", 2), ("order", 2), ("nan", 1), ("positive", 1)];
    for (name, operands) in questions {
        let question = asks(name, &(0..operands).collect::<Vec<_>>());
        let allowed = if name == "order" { -1..=2 } else { 0..=1 };
        for answer in [i64::MIN, -2, -1, 0, 1, 2, 3, 5, i64::MAX - 1, i64::MAX] {
            let program = load(guarded(one(), question.clone(), answer));
            assert_eq!(program.is_ok(), allowed.contains(&answer), "{name} {answer}");
            let Ok(program) = program else { continue };
            for x in [-1.0, 0.0, 1.0, f64::NAN] {
                let _ = agrees(&program, &[x]);
            }
        }
    }
}

/// Guards at lines that are chosen so that the numbers of two comparisons are equal.
#[test]
fn two_questions_are_never_one() {
    // Locations for which a mixture of the bits of location and comparison, without the rest, is equal.
    let places = [[0, 1, 1], [0, 203544992_u32, 1240648875_u32]];
    let mut operations = vec![];
    let mut guards = vec![];
    let mut at = 0;
    for k in 0..40u32 {
        operations.push(op("mul", &[at, 0], 0));
        at += 1;
        let name = if k % 2 == 0 { "nan" } else { "infinite" };
        guards.push(json!([at + 1, asks(name, &[at]), 0, places[k as usize % 2]]));
    }
    let mut file = file(&operations);
    file["guards"] = json!(guards);
    let program = load(file).unwrap();
    for x in [0.5, 2.0, 1e300, f64::NAN, f64::INFINITY] {
        let _ = agrees(&program, &[x]);
    }
}

#[test]
fn names_of_files_do_not_become_code() {
    let named = |name: &str| {
        let mut file = guarded(file(&[op("constant", &[], 0)]), asks("less", &[0, 1]), 1);
        file["files"] = json!([name]);
        load(file)
    };
    for name in ["a.rs\nconst INJECTED: () = ();\n", "a\rb", "a\u{85}b", "\u{1b}[2J", "\0"] {
        assert!(named(name).err().unwrap().contains("control character"), "{name:?}");
    }
    for name in ["<script>", "[x](javascript:y)", "`a`", "\u{202e}a", "\u{2028}", " at b with c = d"] {
        let text = named(name).unwrap().to_rust("f").unwrap();
        let line = text.lines().find(|line| line.starts_with("/// - 0: ")).unwrap();
        assert!(line.starts_with("/// - 0: lt = true at ") && line.ends_with(":1"), "{line}");
        assert!(line.is_ascii() && !line.contains(['<', '[', '`']), "{line}");
    }
    let mut unknown = file(&[]);
    unknown["unary"] = json!([["A\u{1b}\n", 0]]);
    let e = load(unknown).err().unwrap();
    assert_eq!(e, "saved program: the rule A\\u{1b}\\n is not known");
}

/// Laws with only constants, powers, derivatives of rules with NaN: source code that compiles and gives the same
/// bits.
#[test]
fn source_code_is_the_same_to_the_bit() {
    let mut all = vec![];
    let mut add = |program: Program, x: &[f64]| {
        let source = program.to_rust("f").unwrap();
        all.push((source, x.to_vec(), program.outputs(), !program.code().guards.is_empty(), program));
    };
    for name in ["strong_mul", "strong_mul_either"] {
        let constants = [op("constant", &[], 0), op("constant", &[], f64::INFINITY.to_bits())];
        add(load(file(&[&constants[..], &[op(name, &[1, 2], 0)]].concat())).unwrap(), &[2.0]);
        add(load(file(&[&constants[..], &[op(name, &[2, 1], 0)]].concat())).unwrap(), &[2.0]);
    }
    for n in [2, 3, 63, 64, 65, 100, 1000, -1, -3, -1000, i32::MAX, i32::MIN] {
        let x: Vec<f64> = (0..40).map(|k| 0.99 + 5e-4 * f64::from(k)).collect();
        let powers = |x: &[Traced]| x.iter().map(|x| x.powi(n)).collect::<Vec<_>>();
        add(trace(powers, &x[..]), &x);
    }
    let x: Vec<f64> = (0..400).map(|k| 0.5 + 5e-3 * f64::from(k)).collect();
    for c in [2.0, 0.5, -0.5, -1.0, 3.0, 10.0] {
        for k in 0..4 {
            let x = &x[100 * k..][..100];
            add(trace(|x: &[Traced]| x.iter().map(|x| x.powf_const(c)).collect::<Vec<_>>(), x), x);
            if c > 0.0 {
                add(trace(|x: &[Traced]| x.iter().map(|x| x.exp_base(c)).collect::<Vec<_>>(), x), x);
            }
        }
    }
    let mut slope = file(&[op("unary", &[0], 0)]);
    slope["unary"] = json!([["ExpBase(-1.0)", 1]]);
    add(load(slope).unwrap(), &[2.0]);
    let sources: Vec<_> = all.iter().map(|(s, x, m, g, _)| (s.clone(), x.clone(), *m, *g)).collect();
    for ((ok, got), (source, x, _, _, program)) in compiled("bits", &sources).into_iter().zip(&all) {
        let want = program.run(x);
        assert_eq!(ok, want.is_ok());
        let unequal =
            || got.iter().zip(want.as_ref().unwrap()).position(|(a, b)| a.to_bits() != b.to_bits() && a == a);
        assert!(
            is_alike(&Ok(got.clone()), &want),
            "{:?} of\n{}",
            unequal(),
            &source[..source.len().min(500)]
        );
    }
}

/// A word of a file that is changed: numbers near others, names of other operations.
fn change(value: &mut Value, random: &mut Rng) {
    match value {
        Value::Array(all) if !all.is_empty() => {
            let (k, other) = (random.usize(..all.len()), random.usize(..all.len()));
            match random.u8(..20) {
                0 => drop(all.remove(k)),
                1 => all.insert(k, all[other].clone()),
                2 => all.swap(k, other),
                _ => change(&mut all[k], random),
            }
        }
        Value::Object(fields) => {
            let k = random.usize(..fields.len());
            if fields.len() == 1 && random.u8(..4) == 0 {
                // An operation with another name.
                let value = fields.values().next().unwrap().clone();
                let mut name = json!("");
                change(&mut name, random);
                fields.clear();
                fields.insert(name.as_str().unwrap().to_string(), value);
                return;
            }
            change(fields.values_mut().nth(k).unwrap(), random);
        }
        Value::Number(_) => {
            let numbers = [0, 1, 2, 3, 5, 8, 100, i64::from(u32::MAX), i64::MAX, -1, i64::MIN];
            *value = match random.u8(..4) {
                0 => json!(numbers[random.usize(..numbers.len())]),
                1 => json!(random.f64().to_bits()),
                _ => json!(value.as_i64().unwrap_or(7).wrapping_add(random.i64(-2..=2))),
            };
        }
        Value::String(text) => {
            let names = [
                "add",
                "sub",
                "mul",
                "div",
                "neg",
                "less",
                "less_or_equal",
                "compare",
                "strong_mul_either",
                "strong_mul",
                "propagate_nan",
                "strong_div",
                "select",
                "detach",
                "mul_add",
                "unary",
                "binary",
                "call",
                "part",
                "input",
                "constant",
                "nan",
                "value",
                "order",
                "Sin",
                "Powi(-3)",
                "Powi(1000)",
                "ExpBase(-1.0)",
                "PowConst(NaN)",
                "BesselJ(7)",
                "Polygamma(4000000000)",
                "BetaI([1e300, NaN])",
                "Max",
                "Rem",
                "a\nb",
                "",
            ];
            *text = names[random.usize(..names.len())].to_string();
        }
        _ => {}
    }
}

/// Files to be changed.
fn files() -> Vec<Saved> {
    let f = |x: &[Traced]| if x[0] < x[1] { x[0].powi(3).tanh() * 2.0 } else { x[0].hypot(x[1]) };
    let sum = |x: &[Traced]| (0..20).fold(x[0], |s, k| s + (x[1] * f64::from(k)).max(s * 0.5).sin() / x[0]);
    let asked = |x: &[Traced]| {
        (0..20).fold(x[0], |s, _| if s.is_nan() || s.partial_cmp(&x[1]).is_none() { x[1] } else { s * x[1] })
    };
    let start = [1.0, 2.0];
    let (f, sum, asked) = (trace(f, &start), trace(sum, &start), trace(asked, &start));
    let slopes = [f.value_and_gradient().unwrap(), sum.gradient().unwrap(), f.hessian().unwrap()];
    [f, sum, asked].iter().chain(&slopes).map(|program| program.save().unwrap()).collect()
}

/// Values of inputs.
pub(super) fn point(inputs: usize, random: &mut Rng) -> Vec<f64> {
    let values = [0.5, 2.0, 0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300];
    (0..inputs).map(|_| values[random.usize(..values.len())]).collect()
}

/// Programs whose source code is compiled, with their points.
pub(super) struct Sources {
    all: Vec<(String, Vec<f64>, Program)>,
    most: u64,
}

impl Sources {
    /// At most this many, times `SCAN`.
    pub(super) fn at_most(usual: u64) -> Self {
        Sources { all: vec![], most: random::cases(usual) }
    }
    /// A program runs in every way alike. If it is written as source code, the source is kept.
    pub(super) fn runs(&mut self, program: &Program, x: Vec<f64>) {
        let _ = agrees(program, &x);
        let again = program.save().unwrap().program(&KnownRules::new()).unwrap();
        assert_eq!(again.to_string(), program.to_string());
        // Some functions call the crate, which is not found here.
        let source = program.to_rust("f").ok().filter(|source| !source.contains("wengert::"));
        if let Some(source) = source
            && self.all.len() < self.most as usize
        {
            self.all.push((source, x, program.clone()));
        }
    }
    /// The sources compile, and give the results of the programs or refuse as they do. The number of programs that
    /// refuse, and of the others.
    pub(super) fn check(&self, name: &str) -> [usize; 2] {
        let mut counts = [0; 2];
        for some in self.all.chunks(100) {
            let sources: Vec<_> = some
                .iter()
                .map(|(s, x, p)| (s.clone(), x.clone(), p.outputs(), !p.code().guards.is_empty()))
                .collect();
            let results = compiled(name, &sources);
            assert_eq!(results.len(), some.len());
            for ((ok, got), (source, x, program)) in results.into_iter().zip(some) {
                let want = program.run(x);
                assert_eq!(ok, want.is_ok(), "{x:?}\n{source}");
                counts[usize::from(ok)] += 1;
                for (got, want) in got.iter().zip(want.unwrap_or_default()) {
                    let close = (got - want).abs() <= 1e-12 * want.abs() || got.to_bits() == want.to_bits();
                    assert!(
                        close || got == &want || got.is_nan() && want.is_nan(),
                        "{got} not {want} at {x:?}\n{source}"
                    );
                }
            }
        }
        counts
    }
}

/// Changed files, as JSON and in a binary format. `SCAN=100` changes a hundred times as many.
#[test]
fn changed_files() {
    let mut random = random::numbers(24);
    let (files, mut counts, mut sources) = (files(), [0; 2], Sources::at_most(60));
    for case in 0..random::cases(600) {
        let saved = &files[random.usize(..files.len())];
        let changed: Result<Saved, String> = if case % 2 == 0 {
            let mut value = serde_json::to_value(saved).unwrap();
            (0..random.usize(1..4)).for_each(|_| change(&mut value, &mut random));
            serde_json::from_value(value).map_err(|e| e.to_string())
        } else {
            let mut bytes = postcard::to_stdvec(saved).unwrap();
            for _ in 0..random.usize(1..4) {
                let k = random.usize(..bytes.len());
                bytes[k] ^= 1 << random.u8(..8);
            }
            postcard::from_bytes(&bytes).map_err(|e| e.to_string())
        };
        let program = changed.and_then(|saved| program(&saved));
        counts[usize::from(program.is_ok())] += 1;
        if let Ok(program) = program {
            sources.runs(&program, point(program.inputs(), &mut random));
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    let compared = sources.check("changed");
    assert!(compared.iter().all(|&count| count >= 5), "{compared:?}");
}
