//! Every way to state a rule, with a captured value: it compiles with a plain number, and does not with a number that has
//! a derivative. Points and tangents that do not fit each other.

use std::ops::Range;

use super::{built, errors, errors_beside, library};

/// Names of the ways, and their code.
const FORMS: [(&str, &str); 14] = [
    (
        "value_of_jvp",
        r#"pub fn rule(a: Held) {
            wengert::primitive::from_jvp("f", 1, move |_| vec![take(a)], |_, dx| dx[0].to_vec());
        }"#,
    ),
    (
        "jvp",
        r#"pub fn rule(a: Held) {
            wengert::primitive::from_jvp("f", 1, |x| x[0].to_vec(), move |_, _| vec![take(a)]);
        }"#,
    ),
    (
        "value_of_vjp",
        r#"pub fn rule(a: Held) {
            wengert::primitive::from_vjp("f", 1, move |_| vec![take(a)], |_, w| vec![w.to_vec()]);
        }"#,
    ),
    (
        "vjp",
        r#"pub fn rule(a: Held) {
            wengert::primitive::from_vjp("f", 1, |x| x[0].to_vec(), move |_, _| vec![vec![take(a)]]);
        }"#,
    ),
    (
        "value_of_both",
        r#"pub fn rule(a: Held) {
            let value = move |_: &[&[f64]]| vec![take(a)];
            wengert::primitive::from_jvp_and_vjp("f", 1, value, |_, dx| dx[0].to_vec(), |_, w| vec![w.to_vec()]);
        }"#,
    ),
    (
        "jvp_of_both",
        r#"pub fn rule(a: Held) {
            let jvp = move |_: &[&[f64]], _: &[&[f64]]| vec![take(a)];
            wengert::primitive::from_jvp_and_vjp("f", 1, |x| x[0].to_vec(), jvp, |_, w| vec![w.to_vec()]);
        }"#,
    ),
    (
        "vjp_of_both",
        r#"pub fn rule(a: Held) {
            let vjp = move |_: &[&[f64]], _: &[f64]| vec![vec![take(a)]];
            wengert::primitive::from_jvp_and_vjp("f", 1, |x| x[0].to_vec(), |_, dx| dx[0].to_vec(), vjp);
        }"#,
    ),
    (
        "differences",
        r#"pub fn rule(a: Held) {
            wengert::primitive::from_finite_differences("f", 1, move |_| vec![take(a)]);
        }"#,
    ),
    (
        "complex_step",
        r#"pub fn rule(a: Held) {
            wengert::primitive::from_complex_step("f", 1, move |_| vec![take(a).into()]);
        }"#,
    ),
    (
        "formulas",
        r#"use wengert::{AdError, primitive::{Direction, Rule}};
        #[derive(Clone)]
        pub struct Form(Held);
        impl Rule for Form {
            fn name(&self) -> &'static str { "f" }
            fn arity(&self) -> usize { 1 }
            fn supports(&self, _: Direction) -> bool { false }
            fn value(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
        }"#,
    ),
    (
        "root",
        r#"use wengert::{AdError, Real, primitive::Equations};
        #[derive(Clone)]
        pub struct Form(Held);
        impl Equations for Form {
            fn name(&self) -> &'static str { "f" }
            fn solution(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
            fn residual<T: Real<Base = f64>>(&self, _: &[&[T]], y: &[T]) -> Vec<T> { y.to_vec() }
        }"#,
    ),
    (
        "fixed_point",
        r#"use wengert::{AdError, Real, primitive::Iteration};
        #[derive(Clone)]
        pub struct Form(Held);
        impl Iteration for Form {
            fn name(&self) -> &'static str { "f" }
            fn limit(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
            fn step<T: Real<Base = f64>>(&self, _: &[&[T]], y: &[T]) -> Vec<T> { y.to_vec() }
        }"#,
    ),
    (
        "minimum",
        r#"use wengert::{AdError, Real, primitive::Objective};
        #[derive(Clone)]
        pub struct Form(Held);
        impl Objective for Form {
            fn name(&self) -> &'static str { "f" }
            fn minimiser(&self, _: &[&[f64]]) -> Result<Vec<f64>, AdError> { Ok(vec![take(self.0)]) }
            fn value<T: Real<Base = f64>>(&self, _: &[&[T]], y: &[T]) -> T { y[0] }
        }"#,
    ),
    (
        "of_a_user",
        r#"use wengert::{AdError, LinearMap, Number, primitive::{PrimalNumber, Primitive}};
        #[derive(Clone)]
        pub struct Form(Held);
        pub struct Map;
        impl<P: PrimalNumber> Primitive<P> for Form {
            type Map<T: Number<Primal = P, Base = P::Base>> = Map;
            fn name(&self) -> &'static str { "f" }
            fn value(&self, _: &[&[P]]) -> Result<Vec<P>, AdError> { Ok(vec![P::lit(take(self.0))]) }
            fn linearize<T: Number<Primal = P, Base = P::Base>>(&self, _: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
                Ok(Map)
            }
        }
        impl<T> LinearMap<T> for Map {
            fn apply(&self, _: &[Option<&[T]>], _: &mut [T]) {}
            fn apply_transpose_add(&self, _: &[T], _: &mut [Option<&mut [T]>]) {}
        }"#,
    ),
];

/// The lines of each module.
type Modules<'a> = Vec<(&'a str, Range<usize>)>;

/// One library with a module for each piece of code, in its order.
fn modules<'a>(codes: &[(&'a str, String)]) -> (String, Modules<'a>) {
    let (mut text, mut places) = (String::from("#![allow(dead_code)]\n"), Vec::new());
    for (name, code) in codes {
        let first = text.lines().count() + 1;
        text += &format!("pub mod {name} {{\n{code}\n}}\n");
        places.push((*name, first..text.lines().count() + 1));
    }
    (text, places)
}

/// The forms, where the captured value is of this type.
fn forms(held: &str, value: &str) -> (String, Modules<'static>) {
    let head = format!("type Held = {held};\nfn take(a: Held) -> f64 {{ {value} }}\n");
    modules(&FORMS.map(|(name, code)| (name, head.clone() + code)))
}

/// Asserts that each module has errors, all with this number.
fn each_has_only(number: &str, said: &str, file: &str, modules: &Modules) {
    let errors: Vec<&str> = said.split("\n\n").filter(|text| text.starts_with("error")).collect();
    let line = |error: &str| {
        let place = error.split(&format!("{file}.rs:")).nth(1)?;
        place.split(':').next()?.parse::<usize>().ok()
    };
    for (name, lines) in modules {
        let own = errors.iter().filter(|error| line(error).is_some_and(|line| lines.contains(&line)));
        let own: Vec<_> = own.collect();
        assert!(!own.is_empty(), "{name} is not refused: {said}");
        let is_it = |error: &&&str| error.starts_with(&format!("error[{number}]"));
        assert!(own.iter().all(is_it), "{name} is refused for another reason: {own:#?}");
    }
}

#[test]
fn rules_hold_plain_numbers() {
    let said = errors(&library(), "held_f64", &forms("f64", "a").0);
    assert!(said.is_empty(), "{said}");
}

#[test]
fn rules_hold_no_numbers_with_derivatives() {
    for (file, held) in [("held_dual", "wengert::Dual<f64>"), ("held_var", "wengert::Var<f64>")] {
        let (text, modules) = forms(held, "a.value()");
        each_has_only("E0277", &errors(&library(), file, &text), file, &modules);
    }
}

/// The tangent of a point is of one type, which is another one on groups.
const TANGENTS: [(&str, &str); 7] = [
    ("precision", "pub fn f() { wengert::jvp(|x| x.sin(), &1.0_f64, &1.0_f32); }"),
    ("rotation", "pub fn f(r: nalgebra::Rotation3<f64>) { wengert::jvp(|r| r[(1, 0)], &r, &r); }"),
    (
        "result",
        "pub fn f(q: nalgebra::UnitQuaternion<f64>) {
            wengert::vjp(|(_, q): &(wengert::Var<f64>, _)| vec![*q], &(1.0, q), &vec![q]);
        }",
    ),
    (
        "pair",
        "pub fn f(r: nalgebra::Rotation2<f64>) { wengert::hvp(|r| r.0[(1, 0)], &(r, 1.0), &(r, 1.0)); }",
    ),
    ("forward", "pub fn f(q: nalgebra::UnitQuaternion<f64>) { wengert::forward::hvp(|q| q.i, &q, &q); }"),
    (
        "option",
        "pub fn f(m: nalgebra::Isometry3<f64>) { wengert::linearize(|m| Some(*m), &m).vjp(&Some(m)); }",
    ),
    (
        "derived",
        "#[derive(wengert::Differentiable)]
        #[differentiable(tangent = PoseTangent)]
        pub struct Pose<T> { r: nalgebra::Rotation3<T> }
        pub fn f(pose: Pose<f64>) { wengert::linearize(|p| p.r[(1, 0)], &pose).jvp(&pose); }",
    ),
];

#[test]
fn points_are_no_tangents_of_groups() {
    let (text, modules) = modules(&TANGENTS.map(|(name, code)| (name, code.to_string())));
    let library = library();
    let probe = "pub fn f(r: &nalgebra::Rotation3<f64>) { wengert::matrix::so3_log(r); }";
    let both = |path| [("wengert", library.clone()), ("nalgebra", path)];
    let said = |crates: &[(&str, std::path::PathBuf); 2], name: &str, text: &str| {
        errors_beside(&crates.each_ref().map(|(name, path)| (*name, &**path)), name, text)
    };
    let is_linked = |crates: &[_; 2]| said(crates, "probe_nalgebra", probe).is_empty();
    let crates = built("nalgebra").into_iter().map(both).find(is_linked).expect("the nalgebra of the crate");
    each_has_only("E0277", &said(&crates, "tangents", &text), "tangents", &modules);
}

#[test]
fn a_point_has_one_type_of_tangents() {
    let both = "pub struct P(f64);
        impl wengert::Differentiable for P { type Tangent = f64; type Owned = P; }
        impl wengert::Differentiable for P { type Tangent = f32; type Owned = P; }";
    let (text, modules) = modules(&[("both", both.to_string())]);
    each_has_only("E0119", &errors(&library(), "both_tangents", &text), "both_tangents", &modules);
}
