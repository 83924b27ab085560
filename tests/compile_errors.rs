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
const MISTAKES: [(&str, Advice); 43] = [
    // A function over `f64`.
    ("fn a() { gradient(|x| slices(x), &[1.0, 2.0]); }", Guide("expected &[f64], found &[Var<{float}>]")),
    ("fn b() { gradient(slices, &[1.0, 2.0]); }", Guide("to return Var<_>, but it returns f64")),
    ("fn c() { derivative(f64::sin, 1.0); }", Guide("type mismatch in function arguments")),
    ("fn d() { slices_of::<i32>(&[1]); }", Message("write functions to be differentiated as `fn f<T: Real")),
    ("fn dd() { gradient(|x| slices(x), &[1.0_f64, 2.0]); }", Guide("call Into::into on this expression")),
    // Literals and data without a type.
    ("fn ea() { derivative(|x| (1.0 + x).sqrt(), 2.0); }", Guide("type annotations needed")),
    ("fn eb() { gradient(|x| (1.0 - x[0]).powi(2), &[2.0]); }", Guide("cannot infer type")),
    (
        "fn ec() { let ts = [0.0, 1.0]; gradient(|p| (ts[1] * p[0]).exp(), &[2.0]); }",
        Guide("type annotations needed"),
    ),
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
    ("fn fa() { derivative(|x| product(2.0, x), 1.0); }", Guide("expected f64, found Dual<{float}>")),
    (
        "#[generic] trait Loss { fn at(&self, x: f64) -> f64; } #[generic] impl Loss for Plain { fn at(&self, x: f64) -> f64 { x } }",
        Guide("method at has 1 type parameter but its trait declaration has 0"),
    ),
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
    ("fn ga() { let f = function!(|x| x[0]); f(&[1.0]); }", Guide("expected function, found ")),
    ("fn gb() { let f = function!(|x| x[0]); gradient(f, &[1.0]); }", Guide("expected a FnOnce(&_) closure")),
    (
        "fn gc() { let f = function!(|x| x[0]); prepare::gradient(Reverse, &[1.0]).of(f); }",
        Guide("__WengertFunction"),
    ),
    (
        "fn gd() { let f = |x: &[_]| x[0] * x[0]; gradient(f, &[1.0]); hessian(f, &[1.0]); }",
        Guide("to return Var<DualN<_, 8>>, but it returns Var<{float}>"),
    ),
    ("const HA: Dual<f64> = Dual::constant(2.0);", Guide("cannot call non-const associated function")),
    (
        "fn hb(a: Dual<f64>, b: Dual<f64>) { approx::assert_abs_diff_eq!(a, b, epsilon = 1e-9); }",
        Guide("as AbsDiffEq>::Epsilon == {float}"),
    ),
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
    ("fn ta() { gradient(|&[a, b]| a * b, &[1.0, 2.0]); }", Guide("refutable pattern in closure argument")),
    ("fn tb() { gradient(|[a, b]| *a * *b, &[1.0, 2.0]); }", Guide("refutable pattern in closure argument")),
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
    fn function_of<F: Function>(_: F) {} #[generic] fn product(x: f64, y: f64) -> f64 { x * y }\n";

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

/// The library of another crate that this library of the crate links: code that uses both compiles.
fn linked(library: &Path, name: &str, both: &str) -> PathBuf {
    let is_it = |path: &PathBuf| {
        errors_beside(&[("wengert", library), (name, path)], &format!("probe_{name}"), both).is_empty()
    };
    built(name).into_iter().find(is_it).expect("a library that the crate links")
}

#[test]
fn first_mistakes_are_explained() {
    let text = NAMES.to_string() + &MISTAKES.map(|(code, _)| code.to_string()).join("\n");
    let library = library();
    let complex = "pub fn z(z: num_complex::Complex<f64>) { wengert::complex::exp(z); }";
    let num_complex = linked(&library, "num_complex", complex);
    let close =
        "pub fn z(x: wengert::Dual<f64>) { approx::assert_abs_diff_eq!(x, x, epsilon = 1e-9.into()); }";
    let approx = linked(&library, "approx", close);
    let crates = [("wengert", &*library), ("num_complex", &*num_complex), ("approx", &*approx)];
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

/// The corrections that the guide gives for these mistakes.
const CORRECTIONS: &str = "#![allow(unused)] use wengert::*;
    #[generic] fn product(x: f64, y: f64) -> f64 { x * y }
    #[generic] fn scaled(#[data] k: f64, x: f64) -> f64 { k * x }
    #[generic] trait Loss { fn at(&self, x: f64) -> f64; }
    struct Square;
    #[generic] impl Loss<f64> for Square { fn at(&self, x: f64) -> f64 { x * x } }
    const TWO: Dual<f64> = Dual::new(2.0, 0.0);
    fn f() {
        derivative(|x| (1.0 + x).sqrt(), 2.0_f64);
        let ts = [0.0_f64, 1.0];
        gradient(|p| (ts[1] * p[0]).exp(), &[2.0]);
        derivative(|x| product(Dual::constant(2.0), x) + product(2.0.into(), x) + scaled(2.0, x), 1.0);
        let f = function!(|x| x[0] * x[1]);
        let x = [1.0, 2.0];
        f.call(&x);
        gradient(|x| f.call(x), &x);
        hessian(|x| f.call(x), &x);
        prepare::gradient(Reverse, &x).of_object(&f).at(&x, &mut [0.0; 2]).unwrap();
        gradient(|x| { let [a, b] = *x else { unreachable!() }; product(a, b) }, &x);
        gradient(|&(a, b)| product(a, b), &(1.0, 2.0));
        gradient(|(a, b)| product(*a, *b), &(1.0, 2.0));
        derivative(|x| Square.at(x) * TWO, 1.0);
    }";

#[test]
fn corrections_compile() {
    let said = errors(&library(), "corrections", CORRECTIONS);
    assert!(said.is_empty(), "{said}");
}
