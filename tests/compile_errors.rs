//! The most likely first mistakes of users, and the compiler's messages: this crate's advice where a trait can give
//! it, else a sentence that the guide explains. All are compiled in one run, against the library that this test
//! links.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[cfg(feature = "macros")]
#[path = "compile_errors/plain_code.rs"]
mod plain_code;
#[cfg(feature = "macros")]
#[path = "compile_errors/refused.rs"]
mod refused;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a mistake finds its advice.
enum Advice {
    /// In the message itself.
    Message(&'static str),
    /// In the guide, next to the words of the compiler.
    Guide(&'static str),
}
use Advice::{Guide, Message};

const BY_SLICE: &str =
    "pass the slice of an array or matrix of another crate, or of another version of nalgebra";
const BY_MACRO: &str = "a struct has `#[derive(Differentiable)]`";
const OWNED: &str = "use a `Vec`, an array or a matrix instead of a borrowed slice";

/// One mistake a line.
const MISTAKES: [(&str, Advice); 29] = [
    // A function over `f64`.
    ("fn a() { gradient(|x| slices(x), &[1.0, 2.0]); }", Guide("expected &[f64], found &[Var<{float}>]")),
    ("fn b() { gradient(slices, &[1.0, 2.0]); }", Guide("to return Var<_>, but it returns f64")),
    ("fn c() { derivative(f64::sin, 1.0); }", Guide("type mismatch in function arguments")),
    ("fn d() { slices_of::<i32>(&[1]); }", Message("write functions to be differentiated as `fn f<T: Real")),
    // Points that are no structures of numbers.
    ("fn e() { gradient(|p| p.a, &Plain { a: 1.0 }); }", Message(BY_MACRO)),
    ("fn f() { jacobian(|p| [p.a], &Plain { a: 1.0 }); }", Message(BY_MACRO)),
    ("fn g() { gradient(|x| x.0[0], &Array(vec![1.0])); }", Message(BY_SLICE)),
    ("fn h() { gradient(|(a, v)| *a * v[0], &(2.0, &[1.0][..])); }", Message(OWNED)),
    ("fn i() { gradient(|(a, v)| *a * v[0], &(2.0, &vec![1.0])); }", Message(OWNED)),
    ("fn j() { gradient(|x| x[0], &[1, 2]); }", Guide("expected Var<_>, found i32")),
    // Generic code.
    ("fn k<T: Real<Base = f64>>(x: T) -> T { 2.0 * x }", Guide("cannot multiply {float} by T")),
    ("fn l<T: Real<Base = f64>>(x: T) -> T { 1.0 - x }", Guide("cannot subtract T from {float}")),
    ("fn m<T: Real>(x: T) -> T { x * 2.0 }", Guide("cannot multiply T by {float}")),
    ("fn aa(n: usize) { gradient(|x| x[0] * n, &[1.0]); }", Message("a number by `n as f64`")),
    ("fn cc<T: Real<Base = f64>>(x: T, n: usize) -> T { x * n }", Guide("cannot multiply T by usize")),
    ("fn n<T: Real + Field>(x: T) -> T { x.sin() }", Guide("multiple applicable items in scope")),
    ("fn o<T: Real>(_: T) -> T { 1.0 }", Guide("expected type parameter T, found floating-point number")),
    // The wrong numbers.
    ("fn p() { entry(1_i32); }", Message("numbers are f32, f64, Dual, DualN, Dual2, HyperDual")),
    (
        "fn q(x: Dual<f64>, y: DualN<f64, 2>) { x * y; }",
        Message("convert a number of another type explicitly"),
    ),
    (
        "fn x<T: Real<Base = f64>>(x: T) { complex::exp(num_complex::Complex::new(x, x)); }",
        Message("complex numbers are of the type `T::Complex`, not `Complex<T>`"),
    ),
    // The wrong kinds of functions.
    (
        "fn y(f: &impl Function) { check::function(f, &[1.0]); }",
        Message("`function!(|x| [a, b])` has two results and `function!(|x| [a])` one"),
    ),
    ("fn z() { function_of(|x: f64| x); }", Message("a closure works at one type of numbers only")),
    // Derivatives inside generic code.
    (
        "fn r<T: Real>(x: T) { gradient(|y| y[0] - x, &[x]); }",
        Message("gradient(|y| y[0] - Var::constant(x), …)"),
    ),
    (
        "fn s<T: Real>(x: T) { forward::gradient(|y| (y[0] - x) * y[0], &[x]); }",
        Message("the bound `BaseFloat` admits `f32` and `f64` only"),
    ),
    ("fn bb() { function!(|x| other(x.to_vec())); }", Guide("expected type parameter T, found Vec<T>")),
    // The macros take these captures for names of functions.
    ("fn v(k: f64) { function!(|x| slices(x) * other(k)); }", Guide("can't capture dynamic environment")),
    ("fn w(k: f64) { #[generic] fn f(x: f64) -> f64 { x * k } }", Guide("can't capture dynamic environment")),
    // Arrays, and data of what stays on the tape.
    (
        "fn t() { gradient(|x: &[Var<f64>; 2]| x[0], &[0.0; 2]); }",
        Guide("type mismatch in closure arguments"),
    ),
    (
        "fn u(w: &[f64]) { gradient(|x| reverse::checkpoint(|y| vec![y[0] * w[0]], x)[0], &[1.0]); }",
        Guide("borrowed data escapes outside of function"),
    ),
];

/// The names that the mistakes use, in one line.
const NAMES: &str = "#![allow(unused)] use wengert::*; struct Plain { a: f64 } struct Array<T>(Vec<T>); \
    trait Field { fn sin(self) -> Self; } fn slices(x: &[f64]) -> f64 { x[0] } \
    fn slices_of<T: Real>(x: &[T]) -> T { x[0] } \
    fn entry<S: matrix::Entry>(_: S) {} fn other<T>(x: T) -> T { x } \
    fn function_of<F: Function>(_: F) {}\n";

/// The errors of the compiler for a library that uses the crate.
fn errors(library: &Path, name: &str, text: &str) -> String {
    errors_beside(&[("wengert", library)], name, text)
}

/// The errors of the compiler for a library that uses these crates.
fn errors_beside(crates: &[(&str, &Path)], name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join(format!("{name}.rs"));
    fs::write(&source, text).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compile = Command::new(rustc);
    compile.args(["--crate-type", "lib", "--edition", "2024", "--emit", "metadata"]);
    compile.arg("-L").arg(crates[0].1.parent().unwrap()).arg("--out-dir").arg(folder);
    for (name, library) in crates {
        compile.arg("--extern").arg(format!("{name}={}", library.display()));
    }
    String::from_utf8(compile.arg(source).output().expect("a compiler").stderr).unwrap()
}

/// The libraries of a crate next to this test, the newest first.
fn built(name: &str) -> Vec<PathBuf> {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let of = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    let mut built: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    built.retain(|path| of(path).starts_with(&format!("lib{name}-")) && of(path).ends_with(".rlib"));
    built.sort_by_key(|path| std::cmp::Reverse(fs::metadata(path).unwrap().modified().unwrap()));
    built
}

/// The newest library next to this test that has matrices and macros. A build script of the workspace uses another
/// one, with fewer features.
fn library() -> PathBuf {
    let whole = |path: &PathBuf| errors(path, "probe", "pub use wengert::{generic, matrix::det};").is_empty();
    built("wengert").into_iter().find(whole).expect("the library that this test links")
}

/// The library of num-complex that this library of the crate links.
fn num_complex(library: &Path) -> PathBuf {
    let text = "pub fn z(z: num_complex::Complex<f64>) { wengert::complex::exp(z); }";
    let is_it = |path: &PathBuf| {
        errors_beside(&[("wengert", library), ("num_complex", path)], "probe_complex", text).is_empty()
    };
    built("num_complex").into_iter().find(is_it).expect("the num-complex that the crate links")
}

#[test]
fn first_mistakes_are_explained() {
    let text = NAMES.to_string() + &MISTAKES.map(|(code, _)| code.to_string()).join("\n");
    let library = library();
    let crates = [("wengert", &*library), ("num_complex", &*num_complex(&library))];
    let said = errors_beside(&crates, "mistakes", &text);
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide/porting.md");
    let guide = fs::read_to_string(guide).unwrap().replace('`', "");
    for (k, (code, advice)) in MISTAKES.iter().enumerate() {
        let line = format!("mistakes.rs:{}:", k + 2);
        let about: Vec<&str> = said.split("\nerror").filter(|error| error.contains(&line)).collect();
        let about = about.join("\nerror");
        match advice {
            Message(sentence) => assert!(about.contains(sentence), "{code} says no `{sentence}`, but{about}"),
            Guide(words) => {
                assert!(about.replace('`', "").contains(words), "{code} says no `{words}`, but{about}");
                assert!(guide.contains(words), "the guide does not explain `{words}`, said of {code}");
            }
        }
    }
}
