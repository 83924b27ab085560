//! The messages of `#[generic]` and the derive for code that they do not translate: the first words, at the user's
//! tokens.
use super::{errors, library};

/// One mistake on each line: the code with `«` where the error is, and the error's text.
const NOT_TRANSLATED: [(&str, &str); 52] = [
    ("#[generic] fn «a(x: i32) -> i32 { x }", "there is no `f64` in the header or the signature"),
    ("#[generic] «const fn b(x: f64) -> f64 { 2.0 * x }", "a `const fn` cannot compute with numbers"),
    ("#[generic] «async fn c(x: f64) -> f64 { x }", "does not translate `async fn`"),
    (
        "#[generic] fn d(x: f64) -> f64 { match x { «0.0 => 1.0, y => y } }",
        "a number is not matched with a literal: write a comparison, `x if x == 0.0 => …`",
    ),
    ("#[generic] fn e(x: f64) -> f64 { match x { «-1.0..=1.0 => 1.0, y => y } }", "not matched with a range"),
    ("#[generic] fn f(x: f64) -> bool { matches!(x, «0.0) }", "a number is not matched with a literal"),
    (
        "#[generic] fn cc(x: &[f64]) -> f64 { *x.first().unwrap_or(«&0.0) }",
        "does not live long enough: write `.copied().unwrap_or(…)`",
    ),
    (
        "#[generic] fn g(x: f64) -> f64 { «mine!(x, 2.0) }",
        "does not know what `mine!` makes of these numbers",
    ),
    (
        "#[generic] fn h(x: f64) -> f32 { «x.sqrt() as f32 }",
        "integers come from its value, `x.primal() as usize`",
    ),
    (
        "#[generic(RealField)] fn ha(x: f64) -> usize { «x as usize }",
        "value, `x.as_number().primal() as usize`",
    ),
    ("#[generic(Float)] fn hb(x: f64) -> usize { «x as usize }", "value, `x.to_f64().unwrap() as usize`"),
    ("#[generic(Number)] fn hc(x: f64) -> usize { «x as usize }", "its value, `x.re().primal() as usize`"),
    ("#[generic] mod i { struct «f64; }", "a type of the name `f64` hides the float"),
    ("#[generic] mod i { enum «f64 { A } }", "a type of the name `f64` hides the float"),
    (
        "#[generic] mod i { use std::{vec, string::String as «f64}; }",
        "a type of the name `f64` hides the float",
    ),
    (
        "#[generic] mod j { struct V { x: f64 } impl std::ops::Mul<V> for «f64 { type Output = V; } }",
        "cannot implement a trait for `f64` itself",
    ),
    ("#[generic(«Complex)] fn k(x: f64) -> f64 { x }", "`#[generic]` takes no argument, or one of: `f32`"),
    ("#[generic] «static L: f64 = 1.0;", "`#[generic]` stands on functions, structs, enums"),
    (
        "#[generic] mod m { macro_rules! «twice { ($x:expr) => { 2.0 * $x } } }",
        "does not look into `macro_rules!`",
    ),
    (
        "type Alias = f64; #[generic] fn «n(x: Alias) -> Alias { 2.0 * x }",
        "an alias of it from elsewhere is not seen",
    ),
    (
        "#[generic] mod na { use std::sync::atomic::AtomicUsize; struct C { n: AtomicUsize, k: f64 } \
            static S: «C = C { n: AtomicUsize::new(0), k: 1.0 }; }",
        "keeps no changes of `AtomicUsize`: pass a `&mut` argument instead",
    ),
    (
        "#[generic] mod nd { use super::Map as Store; enum K { A(f64), B(Option<Store<u8, f64>>) } static S: «[K; 1] = [K::B(None)]; }",
        "keeps no changes of `Map`: pass",
    ),
    (
        "#[generic] mod nh { struct V(f64); impl std::ops::AddAssign for V { fn add_assign(&mut self, o: V) {} } \
            fn f(x: f64) { super::place()[i(x)] «+= i(x); } fn i(x: f64) -> usize { 0 } }",
        "whether the value or the place comes first depends on their type",
    ),
    (
        "#[generic] fn nf(x: f64) -> u64 { x.«to_bits() }",
        "has no `to_bits`, its value has: `x.primal().to_bits()`",
    ),
    ("#[generic] fn ng(x: f64) -> f64 { f64::«next_up(x) }", "a number has no `next_up`, its value has"),
    (
        "#[generic] mod nb { struct C { k: f64 } static «mut S: C = C { k: 1.0 }; }",
        "it keeps no changes: pass",
    ),
    (
        "#[generic] mod nc { «thread_local! { static K: f64 = 1.0; } fn f(x: f64) -> f64 { x } }",
        "does not look into `thread_local!`: move it out",
    ),
    ("#[generic] fn o(x: f64) -> f64 { let y = «async { 1.0 }; x }", "does not translate `async` blocks"),
    ("#[derive(Differentiable)] enum «P { A(f64) }", "needs a parameter for its numbers: `enum P<T>`"),
    ("#[derive(Differentiable)] struct Q<«A, B> { a: A, b: B }", "which of these parameters is the number?"),
    (
        "#[derive(Differentiable)] #[differentiable(«tangents = X)] struct R<A> { a: A }",
        "takes `tangent = Name`",
    ),
    (
        "#[derive(Differentiable)] struct Ra<T> { a: T, «#[differentiable(skip)] b: T }",
        "options stand at the type; a field that",
    ),
    ("#[derive(Differentiable)] struct S<A: «Clone> { a: A }", "bound it by `Real`"),
    ("#[derive(Differentiable)] struct T<«'a, A> { a: A, #[data] b: &'a [f64] }", "a point borrows nothing"),
    ("#[derive(Differentiable)] struct Ua<T> { a: T, #[data] b: «Vec<T> }", "data remain as they are where"),
    ("#[derive(Differentiable)] struct Ub<T: Real, D> { a: T, b: «Vec<D> }", "mark plain data `#[data]`"),
    ("#[derive(Differentiable)] enum Uc<T: Real, D> { A(T), B([T; 2], «D) }", "`D` is not the parameter"),
    ("#[derive(Differentiable)] struct «U { #[data] a: f64 }", "there are no numbers in it"),
    (
        "fn v(k: f64) { function!(|x| «k * x[0]); }",
        "captures the variables that its closure names with their types, as data that do not change: `|x, #[data] k: f64|",
    ),
    (
        "fn w(k: f64) { function!(|x, y: [_; 1]| y[0] = x[0].max(«k)); }",
        "`function!` captures the variables that",
    ),
    ("fn x(k: f64) { function!(«[k: f64] |x| k * x[0]); }", "`function!` captures the variables that"),
    (
        "fn xa() { function!(|x, «#[data] [a, b]: [f64; 2]| x[0]); }",
        "`function!` captures the variables that",
    ),
    ("fn xb() { function!(|x, «#[data] mut k: f64| x[0]); }", "`function!` captures the variables that"),
    ("fn xc() { function!(|x, «#[data] k: &mut f64| x[0]); }", "as data that do not change"),
    ("fn xd() { function!(|x, «#[data] k| x[0]); }", "`function!` captures the variables that"),
    ("fn xe() { function!(|x, «k: f64| x[0]); }", "states its size: write `function!(|x| …)` for one result"),
    ("fn xf() { function!(|x, #[data] «x: f64| x[0]); }", "`x` is the name of another argument, too"),
    ("fn y() { function!(«move |x| x[0]); }", "`function!` captures the variables that"),
    ("fn z() { function!(|x: «&[T]| x[0]); }", "is a slice of numbers: `|x| …` or `|x: &[f64]| …`"),
    (
        "fn cc() { function!(|x| -> «[f64; 3] { [x[0], x[0]] }); }",
        "the number of results is that of the array",
    ),
    ("fn aa() { function!(|x, «y| y[0] = x[0]); }", "a function that fills a buffer states its size"),
    (
        "fn bb() { function!(«|| 1.0); }",
        "write `function!(|x| …)` for one result, `function!(|x| [a, b])` for two",
    ),
];

/// Mistakes that the compiler finds in the code that the attribute makes, each with one error.
const FOUND_LATER: [(&str, &str); 31] = [
    ("#[generic] fn a(x: f64) { plain(«x); }", "expected `f64`, found type parameter `T`"),
    ("#[generic] fn b(x: f64) { plain(«0.5); }", "expected `f64`, found type parameter `T`"),
    ("#[generic] fn c(x: f64) { other::square(«x); }", "expected `f64`, found type parameter `T`"),
    (
        "#[generic] fn d(x: f64) -> usize { let y = same(x); «y as usize }",
        "non-primitive cast: `T` as `usize`",
    ),
    ("#[generic] fn g(x: f64) -> f64 { x «+ \"a\" }", "cannot add `&str` to `T`"),
    ("#[generic] fn h(x: f64) -> f64 { x.«frobnicate() }", "no method named `frobnicate`"),
    (
        "#[generic] fn i(x: f64) -> f64 { let y: usize = «1.0; x }",
        "expected `usize`, found type parameter `T`",
    ),
    (
        "fn j<T: Real<Base = f64>>(x: T) -> T { square(«x) }",
        "`T` is not a real number of wengert over `f64` with constants on both sides of operators",
    ),
    ("type Alias = f64; #[generic] fn k(x: f64) -> Alias { «x }", "expected `f64`, found type parameter `T`"),
    ("#[generic] fn m(x: f64, v: Matrix) { let h = same(x); h «* v; }", "cannot multiply `T` by"),
    // A method of another type with the name of a known one: the product is taken for number · vector.
    (
        "#[generic(vectors)] mod ma { struct S { a: f64 } impl S { fn turn(&self) -> f64 { self.a } } \
            fn f(s: f64, b: super::Bare) -> f64 { let r = b.turn(); «r * super::same(s) } }",
        "the trait bound `Matrix: Borrow<T>` is not satisfied",
    ),
    // Two matrices, of which the left one is taken for a number: they are not swapped.
    (
        "#[generic(vectors)] mod mb { struct S { a: f64 } impl S { fn turn(&self) -> f64 { self.a } } \
            fn f(s: f64, b: super::Bare, m: super::Matrix) { let r = b.turn(); «r * m; } }",
        "the trait bound `Matrix: Borrow<T>` is not satisfied",
    ),
    ("#[derive(Differentiable)] struct N<T> { a: T, b: «Map<u8, T> }", "cannot be a part of this point"),
    ("#[derive(Differentiable)] struct O<T> { a: T, #[data] b: «Bare }", "cannot be cloned"),
    ("#[derive(Differentiable)] struct P<T> { a: T, r: «Rotation<T> }", "cannot be a part of this point"),
    ("#[derive(Differentiable)] enum Q<T> { A(T), B(«Bare) }", "cannot be a part of this point"),
    ("#[derive(Differentiable)] struct Aa { a: f64, b: «Bare }", "`Bare` cannot be a part of this point"),
    ("#[derive(Differentiable)] struct Ab(f64, «Vec<Bare>);", "`Vec<Bare>` cannot be a part of this point"),
    (
        "#[derive(Differentiable)] struct Ac { a: f64, b: «std::time::Duration }",
        "plain data are marked `#[data]`",
    ),
    ("#[derive(Differentiable)] struct Ad { a: f64, b: «&'static [f64] }", "cannot be a part of this point"),
    ("#[derive(Differentiable)] struct Ae { a: f64, b: «f32 }", "`f32` cannot be a part of this point"),
    (
        "#[derive(Differentiable)] struct Af { a: f64, b: «Box<dyn Fn(f64)> }",
        "cannot be a part of this point",
    ),
    ("#[derive(Differentiable)] struct Ag { a: f64, b: «Rotation<f64> }", "name the tangent"),
    ("#[derive(Differentiable)] struct Ah { a: f64, #[data] b: «Bare }", "cannot be cloned"),
    ("#[derive(Differentiable)] struct Ai<T> { a: T, b: «f64 }", "`f64` cannot be a part of this point"),
    ("#[derive(Differentiable)] struct Aj<T> { a: T, b: «Option<Bare> }", "cannot be a part of this point"),
    (
        "#[derive(Differentiable)] #[differentiable(tangent = Am)] struct Al<T> { a: T, b: «Rotation<T> }",
        "cannot be a part of this point",
    ),
    (
        "#[derive(Differentiable)] #[differentiable(tangent = Ao)] struct An<T> { a: T, b: «Bare }",
        "`Bare` cannot be a part of this point",
    ),
    (
        "#[derive(Differentiable)] #[differentiable(complex)] struct Ap<T> { a: T, b: «f64 }",
        "`f64` cannot be a part of this point",
    ),
    (
        "#[derive(Differentiable)] struct Ar<const N: usize> { a: f64, b: [[«Bare; N]; 2] }",
        "cannot be a part",
    ),
    ("#[derive(Differentiable)] struct Aq<const N: usize> { a: [f64; N], b: «Bare }", "cannot be a part of"),
];

const NAMES: &str = "#![allow(unused)] use wengert::{Differentiable, Real, function, generic, space::perturb}; \
    fn plain(x: f64) {} fn place() -> Vec<usize> { vec![0] } mod other { pub fn square(x: f64) -> f64 { x * x } } fn same<T>(x: T) -> T { x } \
    #[generic] fn square(x: f64) -> f64 { x * x } struct Bare; struct Matrix; impl<T> std::ops::Mul<T> for Matrix { type Output = Self; fn mul(self, _: T) -> Self { self } } \
    impl Bare { fn turn(&self) -> Matrix { Matrix } } \
    type Map<K, V> = std::collections::HashMap<K, V>; struct Rotation<T>([T; 9]);\n";

fn each_is_said_once_at_its_place(file: &str, mistakes: &[(&str, &str)]) {
    let code: Vec<String> = mistakes.iter().map(|(code, _)| code.replace('«', "")).collect();
    let said = errors(&library(), file, &(NAMES.to_string() + &code.join("\n")));
    for (k, (code, words)) in mistakes.iter().enumerate() {
        let column = code.split('«').next().unwrap().chars().count() + 1;
        let (line, place) = (format!("{file}.rs:{}:", k + 2), format!("{file}.rs:{}:{column}\n", k + 2));
        let is_of_line =
            |error: &&str| error.lines().find(|l| l.contains("-->")).is_some_and(|l| l.contains(&line));
        let about: Vec<&str> = said.split("\nerror").filter(is_of_line).collect();
        assert_eq!(about.len(), 1, "{code} has {} errors: {about:#?} {said}", about.len());
        assert!(about[0].contains(words), "{code} says no `{words}`, but{}", about[0]);
        assert!(about[0].contains(&place), "{code} is not said at column {column}, but{}", about[0]);
    }
}

#[test]
fn code_that_is_not_translated_is_told_at_its_place() {
    each_is_said_once_at_its_place("not_translated", &NOT_TRANSLATED);
}

#[test]
fn mistakes_in_translated_code_are_told_at_its_place() {
    each_is_said_once_at_its_place("found_later", &FOUND_LATER);
}
