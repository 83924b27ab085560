//! Generated source code: compiled without this crate, it computes what the program computes. Code of functions that std lacks
//! calls this crate: the package `examples/generated` compiles it.

use std::path::PathBuf;
use std::process::Command;

use wengert::programs::{Program, Source, Traced, trace};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{AdError, BaseFloat, Number, Real};

/// A separate folder for each test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wengert-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A function of a program in a compiled crate, called at points.
struct Written {
    name: String,
    text: String,
    program: Program,
    points: Vec<Vec<f64>>,
    tolerance: f64,
}

/// Compiles all functions, and compares their results with the results of the programs.
#[track_caller]
fn agree(test: &str, all: &[Written]) {
    let folder = folder(test);
    let file = folder.join("generated.rs");
    let mut text: String = all.iter().map(|w| w.text.clone() + "\n").collect();
    std::fs::write(&file, text.trim_end().to_string() + "\n").unwrap();
    let format = Command::new("rustfmt").args(["--edition", "2024", "--check"]).arg(&file).output().unwrap();
    assert!(format.status.success(), "{}", String::from_utf8_lossy(&format.stdout));
    text += "fn main() {\n";
    for w in all {
        let result = if w.program.code().guards.is_empty() { "Ok::<(), usize>(())" } else { "r" };
        let (n, m, name) = (w.program.inputs(), w.program.outputs(), &w.name);
        let points: Vec<Vec<u64>> =
            w.points.iter().map(|x| x.iter().map(|x| x.to_bits()).collect()).collect();
        text += &format!("    const OF_{name}: &[[u64; {n}]] = &{points:?};\n    for x in OF_{name} {{\n");
        text += &format!("        let mut y = [0.0; {m}];\n");
        text += &format!("        let r = {name}(&x.map(f64::from_bits), &mut y);\n");
        text += &format!("        print(&y, {result}.is_ok(), stringify!({name}));\n    }}\n");
    }
    text += "}\nfn print(y: &[f64], ok: bool, name: &str) {\n    print!(\"{name} {ok}\");\n";
    text += "    y.iter().for_each(|y| print!(\" {}\", y.to_bits()));\n    println!();\n}\n";
    std::fs::write(&file, &text).unwrap();
    let binary = folder.join("generated");
    run(Command::new("rustc").args(["--edition", "2024", "-Awarnings", "-o"]).arg(&binary).arg(&file));
    let printed = run(&mut Command::new(&binary));
    let mut lines = printed.lines();
    for w in all {
        for x in &w.points {
            compare(w, x, lines.next().unwrap());
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[track_caller]
fn compare(w: &Written, x: &[f64], line: &str) {
    let mut words = line.split(' ').skip(1);
    let ok = words.next() == Some("true");
    let got: Vec<f64> = words.map(|word| f64::from_bits(word.parse().unwrap())).collect();
    let want = w.program.run(x);
    assert_eq!(want.is_ok(), ok, "{} at {x:?}", w.name);
    for (got, want) in got.iter().zip(want.unwrap_or_default()) {
        let error = (got - want).abs() / want.abs().max(1e-300);
        let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() || *got == want;
        assert!(same || error <= w.tolerance, "{} at {x:?}: {got:e}, not {want:e}", w.name);
    }
}

/// The rules that have no source code, with their reasons, the functions of the others, and the names of functions that call
/// this crate.
#[derive(Default)]
struct Each {
    written: Vec<Written>,
    refused: Vec<String>,
    dependent: Vec<String>,
}

impl Each {
    fn add(&mut self, name: String, program: Result<Program, AdError>, points: Vec<Vec<f64>>) {
        let text = program.and_then(|program| Ok((program.to_rust(&name)?, program)));
        match text {
            Ok((text, _)) if text.contains("wengert::") => self.dependent.push(name),
            Ok((text, program)) => {
                self.written.push(Written { name, text, program, points, tolerance: 1e-13 })
            }
            Err(e) => self.refused.push(format!("{name}: {e}")),
        }
    }
    fn one<U: Unary>(&mut self, rule: U, [lo, hi]: [f64; 2]) {
        let points = points_of_one(lo, hi);
        let program = trace(|x| x[0].lift1(rule), &[lo]);
        self.add(format!("value_{}", U::NAME), Ok(program.clone()), points.clone());
        self.add(format!("slope_{}", U::NAME), program.gradient(), points);
    }
}

fn points_of_one(lo: f64, hi: f64) -> Vec<Vec<f64>> {
    let between = (0..=8).map(|k| lo + (hi - lo) * f64::from(k) / 8.0);
    let more = [0.0, -0.0, 1.0, -1.0, 0.45, 0.65, 0.71, 30.0, 1e12, 1e-12];
    between.chain(more).map(|x| vec![x]).collect()
}

fn points_of_two([x, y]: [[f64; 2]; 2]) -> Vec<Vec<f64>> {
    let at = |[lo, hi]: [f64; 2], k: i32| lo + (hi - lo) * f64::from(k % 8) / 8.0;
    let between = (0..16).map(|k| [at(x, k), at(y, 3 * k)]);
    between.chain([[1.0, 1.0], [0.0, 0.0], [2.0, -1.0]]).map(|x| x.to_vec()).collect()
}

impl RuleVisitor for Each {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.one(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        self.one(rule, on);
    }
    fn binary<B: Binary>(&mut self, rule: B, [[a, b], [c, d]]: [[f64; 2]; 2]) {
        let points = points_of_two([[a, b], [c, d]]);
        let program = trace(|x| x[0].lift2(x[1], rule), &[a, c]);
        self.add(format!("value_{}", B::NAME), Ok(program.clone()), points.clone());
        self.add(format!("slope_{}", B::NAME), program.gradient(), points);
    }
}

#[test]
fn rules_and_their_derivatives() {
    let mut each = Each::default();
    visit_rules(&mut each);
    agree("rules", &each.written);
    let calls_crate = |name: &str| each.dependent.iter().any(|other| other == name);
    for name in [
        "value_gamma",
        "value_erf",
        "value_polygamma",
        "value_beta_i",
        "slope_sinc",
        "slope_hypot",
        "slope_atan2",
    ] {
        assert!(calls_crate(name), "{name}: {:#?}", each.dependent);
    }
    for name in [
        "value_tanh",
        "slope_atan",
        "slope_asinh",
        "slope_sqrt",
        "slope_abs",
        "slope_powf_const",
        "slope_tanh",
        "slope_sigmoid",
    ] {
        assert!(each.written.iter().any(|written| written.name == name), "{name}");
    }
    // New rows may call the crate; the others stay written, and none is refused.
    assert!(each.written.len() >= 96 && each.refused.is_empty(), "{:#?} {:#?}", each.refused, each.dependent);
}

#[test]
fn guards_laws_and_choices() {
    let points: Vec<Vec<f64>> =
        [-1.0, 0.0, -0.0, 0.5, 2.0, f64::NAN, f64::INFINITY].map(|x| vec![x, 1.0 - x]).to_vec();
    let branch = |x: &[Traced]| {
        let y = if x[0] < 0.75 { x[0] * x[1] } else { x[0] / x[1] };
        let z = if !x[1].is_sign_negative() && !(x[1] == x[0]) { y.max(x[1]) } else { y };
        [z.abs().sqrt() / x[0], x[0].clamp(0.0, 1.0), x[0].mul_add(x[1], y), x[0], Traced::constant(-2.0)]
    };
    let program = trace(branch, &[0.5, 0.5]);
    let left = trace(|x| if x[0].primal().is_nan() { x[1] } else { x[0] }, &[-f64::NAN, 1.0]);
    let signs = trace(|x| if x[0].is_sign_negative() { x[1] } else { x[0] }, &[-1.0, 1.0]);
    let all: Vec<Written> = [
        ("plain", program.clone()),
        ("slopes", program.jacobian().unwrap()),
        ("left", left),
        ("signs", signs),
    ]
    .map(|(name, program)| {
        let text = program.to_rust(name).unwrap();
        Written { name: name.to_string(), text, program, points: points.clone(), tolerance: 1e-15 }
    })
    .into();
    assert!(all[0].text.contains("///\n/// - 0: lt = true at tests/programs/source.rs:"), "{}", all[0].text);
    assert!(all[0].text.contains("-> Result<(), usize> {"));
    agree("guards", &all);
}

#[test]
fn long_names_and_tables_are_formatted() {
    let program = trace(|x: &[Traced]| x.iter().map(|x| x.exp()).collect::<Vec<_>>(), &[0.5; 30][..]);
    let (entries, places) = program.sparse_jacobian().unwrap();
    let name = "a_name_that_is_so_long_that_the_signature_of_the_function_takes_more_than_a_line";
    let text = Source::new(name).with_places(&places).write(&entries).unwrap();
    let points = vec![(0..30).map(|k| f64::from(k) * 0.1).collect()];
    agree("long", &[Written { name: name.to_string(), text, program: entries, points, tolerance: 1e-15 }]);
}

/// A user's rule with the name of one of the table.
#[derive(Clone, Copy, Debug)]
struct Own;
impl Unary for Own {
    const NAME: &'static str = "sech2";
    fn value<F: BaseFloat>(self, x: F) -> F {
        x
    }
    fn derivative<T: Real>(self, _: T, _: T) -> T {
        T::lit(1.0)
    }
}

#[test]
fn what_has_no_source_code_is_an_error_by_name() {
    let e = trace(|x| x[0].lift1(Own), &[2.0]).to_rust("f").unwrap_err();
    assert_eq!(e, AdError::Unsupported { op: "sech2", rule: "source code" });
    // A function that std lacks is a call of this crate, with its parameters, if Rust can write them.
    let gamma = trace(|x| x[0].gamma() + x[0].polygamma(2), &[2.0]);
    for text in [gamma.to_rust("f").unwrap(), Source::new("f").with_libm().write(&gamma).unwrap()] {
        assert!(text.contains("wengert::rules::Unary::value(wengert::rules::Gamma, x)"), "{text}");
        assert!(text.contains("= polygamma_2(x[0]);"), "{text}");
    }
    let e = trace(|x| x[0].beta_i([f64::NAN, 1.0]), &[0.5]).to_rust("f").unwrap_err();
    assert_eq!(e, AdError::Unsupported { op: "beta_i", rule: "source code" });
    let complex = |x: &[Traced]| <Traced as Real>::Complex::from_parts(x[0], x[1]).exp().re();
    let e = trace(complex, &[0.5, 1.0]).to_rust("f").unwrap_err();
    assert_eq!(e.to_string(), "exp has no rule for source code of complex numbers");
    let e = Source::new("f").with_places(&[(0, 0), (1, 1)]).write(&gamma).unwrap_err();
    assert_eq!(e.to_string(), "to_rust: the list of places has length 2, expected 1");
    let panic = std::panic::catch_unwind(|| trace(|x| x[0] + 1.0, &[2.0]).to_rust("No name"));
    assert!(panic.is_err());
}

/// Machine code has the bits of `run`.
#[track_caller]
fn machine_code_agrees(program: &Program, points: &[Vec<f64>]) {
    #[cfg(feature = "jit")]
    let compiled = program.compile().unwrap();
    #[cfg(feature = "jit")]
    for x in points {
        let bits = |y: Result<Vec<f64>, AdError>| {
            y.map(|y| y.iter().map(|y| if y.is_nan() { u64::MAX } else { y.to_bits() }).collect::<Vec<_>>())
        };
        assert_eq!(bits(compiled.run(x)), bits(program.run(x)), "at {x:?}\n{program}");
    }
    let _ = (program, points);
}

/// The second and third derivatives of functions that select one of several numbers, some of them curved.
#[test]
fn hessians_of_choices() {
    type F = fn(&[Traced]) -> Traced;
    let all: [(&str, F); 7] = [
        ("largest", |x| (x[0] * x[1]).max(x[1].sin() + x[0])),
        ("smallest", |x| (x[0] * x[1]).min(x[1] * x[1] * x[0]).exp()),
        ("limited", |x| (x[0] * x[0]).clamp(x[1], x[1] * x[1] + 3.0) * x[0]),
        ("modulus", |x| (x[0] * x[1] - x[0]).abs() * x[1]),
        ("positive", |x| (x[0] * x[1]).abs_sub(x[0] * x[0])),
        ("signed", |x| (x[0] * x[0] * x[0]).copysign(x[1]) * x[0]),
        ("nested", |x| x[0].max(x[1] * x[0]).min(x[1].max(0.0) * 2.0).sqrt()),
    ];
    const AT: [f64; 8] = [0.0, -0.0, 1.0, 0.5, -2.0, 3.5, f64::INFINITY, f64::NAN];
    let points: Vec<Vec<f64>> = AT.iter().flat_map(|&x| AT.iter().map(move |&y| vec![x, y])).collect();
    let mut written = Vec::new();
    for (name, f) in all {
        let hessian = trace(f, &[0.5, 0.25]).hessian().unwrap();
        for (order, program) in [("second", hessian.clone()), ("third", hessian.jacobian().unwrap())] {
            machine_code_agrees(&program, &points);
            let name = format!("{name}_{order}");
            let text = program.to_rust(&name).unwrap();
            written.push(Written { name, text, program, points: points.clone(), tolerance: 0.0 });
        }
    }
    agree("choices", &written);
    // By numbers of another kind, where it is smooth.
    for (name, f) in all {
        let program = trace(f, &[0.5, 0.25]).hessian().unwrap();
        for x in [[0.5, 0.25], [1.5, 0.75], [0.75, 3.5]] {
            let Ok(got) = program.run(&x) else { continue };
            let want = trace(|x: &[Traced]| wengert::forward::gradient(|y| by_name(name, y), x), &x);
            let want = want.jacobian().unwrap().run(&x).unwrap();
            for (got, want) in got.iter().zip(want) {
                assert!((got - want).abs() <= 1e-14 * (1.0 + want.abs()), "{name} at {x:?}: {got}, {want}");
            }
        }
    }
}

/// The functions at any number.
fn by_name<T: Real<Base = f64>>(name: &str, x: &[T]) -> T {
    match name {
        "largest" => Real::max(x[0] * x[1], Number::sin(x[1]) + x[0]),
        "smallest" => Number::exp(Real::min(x[0] * x[1], x[1] * x[1] * x[0])),
        "limited" => Real::clamp(x[0] * x[0], x[1], x[1] * x[1] + 3.0) * x[0],
        "modulus" => Real::abs(x[0] * x[1] - x[0]) * x[1],
        "positive" => Real::abs_sub(x[0] * x[1], x[0] * x[0]),
        "signed" => Real::copysign(x[0] * x[0] * x[0], x[1]) * x[0],
        _ => Number::sqrt(Real::min(Real::max(x[0], x[1] * x[0]), Real::max(x[1], 0.0) * 2.0)),
    }
}

/// Powers with whole exponents are the same products everywhere.
#[test]
fn powers_have_the_bits_of_run() {
    let mut exponents: Vec<i32> = (-9..=66).collect();
    exponents.extend([127, 128, 1000, 4097, 65535, 1_000_003, i32::MAX]);
    exponents.extend([-63, -64, -65, -128, -1000, -65535, i32::MIN, i32::MIN + 1]);
    let mut points: Vec<Vec<f64>> =
        [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.1, -0.7, 1.1, -1.7, 1e300, 1e-300].map(|x| vec![x]).to_vec();
    points.extend((-20..20).map(|k| vec![1.0 + f64::from(k) * 3e-4]));
    points.extend((1..20).map(|k| vec![1.0 + f64::from(k) * 1.7e-9]));
    points.extend([f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324].map(|x| vec![x]));
    let mut written = Vec::new();
    for n in exponents {
        let power = trace(|x| Number::powi(x[0], n), &[1.5]);
        // The results of the function itself.
        for x in &points {
            let (got, want) = (power.run(x).unwrap()[0], x[0].powi(std::hint::black_box(n)));
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{x:?} to the {n}");
        }
        let many = power.jacobian().unwrap();
        for (what, program) in [("value", power), ("slope", many)] {
            machine_code_agrees(&program, &points);
            let name = format!("{what}_{}", n.to_string().replace('-', "minus_"));
            let text = program.to_rust(&name).unwrap();
            written.push(Written { name, text, program, points: points.clone(), tolerance: 0.0 });
        }
    }
    agree("powers", &written);
}
