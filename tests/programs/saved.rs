//! Programs saved and read again; data that are not a program are an error with the reason.

use serde_json::Value;
use wengert::Real;
use wengert::programs::{KnownRules, Program, Saved, Traced, trace};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};

fn again(program: &Program) -> Program {
    let text = serde_json::to_string(&program.save().unwrap()).unwrap();
    let saved: Saved = serde_json::from_str(&text).unwrap();
    saved.program(&KnownRules::new()).unwrap()
}

#[track_caller]
fn same(program: &Program, x: &[f64]) {
    let again = again(program);
    assert_eq!(again.to_string(), program.to_string());
    let bits = |y: Vec<f64>| y.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(again.run(x).ok().map(bits), program.run(x).ok().map(bits));
}

struct Each(usize);

impl RuleVisitor for Each {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, [lo, _]: [f64; 2]) {
        let program = trace(|x| x[0].lift1(rule), &[lo]);
        same(&program, &[lo]);
        same(&program.gradient().unwrap(), &[lo]);
        self.0 += 1;
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        let x = on.map(|[lo, _]| lo);
        let program = trace(|x| x[0].lift2(x[1], rule), &x);
        same(&program, &x);
        same(&program.hessian().unwrap(), &x);
        self.0 += 1;
    }
}

#[test]
fn every_rule_of_the_table() {
    let mut each = Each(0);
    visit_rules(&mut each);
    assert!(each.0 > 80, "{}", each.0);
}

#[test]
fn guards_choices_and_numbers_that_json_lacks() {
    let line = line!() + 2;
    let f = |x: &[Traced]| {
        let y = if x[0] < x[1] && !x[0].is_nan() && x[1].partial_cmp(&x[0]).is_some() { x[0] } else { x[1] };
        let held = y.clamp(-0.25, x[1]).abs() * f64::NAN + f64::INFINITY;
        [held, y.mul_add(x[1], x[0]) - 0.1 + x[0].detach() / x[1], x[0] * x[1].primal()]
    };
    let program = trace(f, &[1.0, 2.0]);
    same(&program, &[1.0, 2.0]);
    same(&program, &[3.0, 2.0]);
    same(&program.jacobian().unwrap(), &[1.0, 2.0]);
    let read = program.save().unwrap().program(&KnownRules::new()).unwrap();
    let error = read.run(&[3.0, 2.0]).unwrap_err();
    assert_eq!(error, program.run(&[3.0, 2.0]).unwrap_err());
    assert!(error.to_string().contains(&format!("saved.rs:{line}:")), "{error}");
}

/// A file may hold any bits of a NaN that left.
#[test]
fn values_that_left_as_nan() {
    let program = trace(|x| if x[0].primal().is_nan() { x[1] } else { -x[1] }, &[-f64::NAN, 1.0]);
    let mut value = serde_json::to_value(program.save().unwrap()).unwrap();
    assert_eq!(value["guards"][0][2], f64::NAN.to_bits() as i64);
    value["guards"][0][2] = ((-f64::NAN).to_bits() as i64).into();
    let read = serde_json::from_value::<Saved>(value).unwrap().program(&KnownRules::new()).unwrap();
    for nan in [f64::NAN, -f64::NAN] {
        assert_eq!(read.run(&[nan, 2.0]).unwrap(), [2.0]);
    }
}

/// A rule that gives NaN of one sign and of the other is one rule.
#[test]
fn rules_that_were_recorded_at_nan() {
    let all = |x: &[Traced]| {
        let powers = |x: Traced| [x.powi(3), x.powi(-1), x.powf(2.5), x.copysign(-2.0), x.polygamma(2)];
        [powers(x[0]), powers(-x[0]), powers(x[0] * x[1]), powers(x[1] - x[0])].concat()
    };
    let record = |start: f64| trace(all, &[start, f64::INFINITY]);
    for start in [f64::NAN, -f64::NAN, f64::INFINITY] {
        assert_eq!(record(start).code().rules.all.len(), record(2.0).code().rules.all.len(), "{start}");
        same(&record(start), &[0.5, 0.25]);
    }
}

/// The error for a saved program that has been changed.
#[track_caller]
fn error_of(change: impl Fn(&mut Value)) -> String {
    let f = |x: &[Traced]| if x[0] < x[1] { x[0].powi(3) * 2.0 } else { x[0].hypot(x[1]) };
    let mut value = serde_json::to_value(trace(f, &[1.0, 2.0]).save().unwrap()).unwrap();
    change(&mut value);
    match serde_json::from_value::<Saved>(value) {
        Ok(saved) => saved.program(&KnownRules::new()).err().expect("an error").to_string(),
        Err(e) => e.to_string(),
    }
}

#[test]
fn what_is_no_program_is_an_error_by_name() {
    type Case = (fn(&mut Value), &'static str);
    let cases: [Case; 19] = [
        (|v| v["version"] = 1.into(), "saved program: its version is 1, this crate reads 4"),
        (|v| v["format"] = "sum".into(), "saved program: its format is \"sum\""),
        (|v| v["unary"][0][0] = "Powi(x)".into(), "saved program: the rule Powi(x) is not known"),
        (|v| v["unary"][0][0] = "Powi(+5)".into(), "saved program: the rule Powi(+5) is not known"),
        (
            |v| v["unary"][0][0] = "ExpBase(1e999)".into(),
            "saved program: the rule ExpBase(1e999) is not known",
        ),
        (|v| v["unary"][0][0] = "Cube".into(), "saved program: the rule Cube is not known"),
        (|v| v["unary"][0][1] = 5.into(), "saved program: rule 0 is a derivative of order 5"),
        (
            |v| v["operations"][2]["unary"]["x"] = 2.into(),
            "saved program: operation 2 has the operand 2, which is not computed before",
        ),
        (|v| v["operations"][2]["unary"]["rule"] = 1.into(), "saved program: operation 2 has rule 1 of 1"),
        (|v| v["operations"][1]["input"] = 0.into(), "saved program: operation 1 of 2 inputs is Input(0)"),
        (|v| v["inputs"] = 3.into(), "saved program: operation 2 of 3 inputs is Unary { rule: 0, x: 0 }"),
        (|v| v["inputs"] = 9.into(), "saved program: operation 2 of 9 inputs is Unary { rule: 0, x: 0 }"),
        (|v| v["operations"][2] = serde_json::json!({ "cube": 0 }), "unknown variant `cube`"),
        (|v| v["operations"][2] = serde_json::json!({ "call": 0 }), "unknown variant `call`"),
        (|v| v["operations"][2] = serde_json::json!({ "add": [0] }), "invalid length 1"),
        (|v| v["results"][0] = 77.into(), "saved program: a result is operation 77 of 5"),
        (
            |v| v["guards"][0][0] = 1.into(),
            "saved program: guard 0 asks for what is not computed before operation 1",
        ),
        (|v| v["guards"][0][3][0] = 1.into(), "saved program: guard 0 is of file 1 of 1"),
        (|v| _ = v.as_object_mut().unwrap().remove("results"), "missing field `results`"),
    ];
    for (change, expected) in cases {
        assert!(error_of(change).starts_with(expected), "{}, not {expected}", error_of(change));
    }
    let text = serde_json::to_string(&trace(|x| x[0].sin(), &[1.0]).save().unwrap()).unwrap();
    for end in 0..text.len() {
        assert!(serde_json::from_str::<Saved>(&text[..end]).is_err(), "{end} of {} bytes", text.len());
    }
}

/// Pieces would be searched at thousands of points, each in time of the order: beyond one the code calls this crate.
#[test]
fn derivatives_of_bessel_functions_are_pieces_up_to_an_order() {
    let source = |rule: &str| {
        let mut saved = serde_json::to_value(trace(|x| x[0].sph_j(2), &[1.0]).save().unwrap()).unwrap();
        saved["unary"] = serde_json::json!([[rule, 1]]);
        let saved: Saved = serde_json::from_value(saved).unwrap();
        saved.program(&KnownRules::new()).unwrap().to_rust("f").unwrap()
    };
    let is_whole = |rule: &str| {
        source(rule).contains(&format!("lift1(wengert::Dual::variable(x), wengert::rules::{rule})"))
    };
    assert!(is_whole("SphericalBesselJ(300000)"));
    assert!(is_whole("BesselJ(1001)"));
    assert!(!is_whole("BesselJ(1000)"));
}

/// A binary format, which names no fields: the same program, errors for every truncation, and no panic for any changed
/// byte: an error, or a program that runs.
#[test]
fn a_binary_format() {
    let f = |x: &[Traced]| if x[0] < x[1] { x[0].powi(3).tanh() * 2.0 } else { x[0].hypot(x[1]) };
    let program = trace(f, &[1.0, 2.0]).value_and_gradient().unwrap();
    let bytes = postcard::to_stdvec(&program.save().unwrap()).unwrap();
    let read: Saved = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read, program.save().unwrap());
    let again = read.program(&KnownRules::new()).unwrap();
    assert_eq!(again.run(&[0.5, 1.0]).unwrap(), program.run(&[0.5, 1.0]).unwrap());
    assert_eq!(again.run(&[2.0, 1.0]).unwrap_err(), program.run(&[2.0, 1.0]).unwrap_err());
    for end in 0..bytes.len() {
        assert!(postcard::from_bytes::<Saved>(&bytes[..end]).is_err(), "{end} of {} bytes", bytes.len());
    }
    let (mut refused, mut named) = (0, 0);
    for i in 0..bytes.len() {
        for change in [1, 0x10, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[i] ^= change;
            let Ok(saved) = postcard::from_bytes::<Saved>(&changed) else {
                refused += 1;
                continue;
            };
            match saved.program(&KnownRules::new()) {
                Ok(program) => drop(program.run(&[0.5, 1.0])),
                Err(error) => {
                    assert!(matches!(error, wengert::AdError::Saved { .. }), "{error}");
                    named += 1;
                }
            }
        }
    }
    assert!(refused > 100 && named > 100, "{refused} {named}");
    // Another version, and a rule of nobody: by name, as in a text format.
    let mut other = serde_json::to_value(&read).unwrap();
    other["version"] = 7.into();
    let bytes = postcard::to_stdvec(&serde_json::from_value::<Saved>(other).unwrap()).unwrap();
    let error = postcard::from_bytes::<Saved>(&bytes).unwrap().program(&KnownRules::new()).err().unwrap();
    assert_eq!(error.to_string(), "saved program: its version is 7, this crate reads 4");
}

/// A rule whose text does not show its data.
#[derive(Clone, Copy)]
struct Damp(f64);

impl std::fmt::Debug for Damp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Damp(..)")
    }
}

impl Unary for Damp {
    const NAME: &'static str = "damp";
    fn value<F: wengert::BaseFloat>(self, x: F) -> F {
        wengert::Number::exp(x * F::from_double(-self.0))
    }
    fn derivative<T: Real>(self, _: T, f: T) -> T {
        f * T::lit(-self.0)
    }
}

/// A user's rule with the text of one of the table.
#[derive(Clone, Copy, Debug)]
struct Sin;

impl Unary for Sin {
    const NAME: &'static str = "own_sin";
    fn value<F: wengert::BaseFloat>(self, x: F) -> F {
        x
    }
    fn derivative<T: Real>(self, _: T, _: T) -> T {
        T::lit(1.0)
    }
}

/// A text that several rules share determines none of them.
#[test]
fn rules_of_equal_text_are_refused() {
    let one = trace(|x| x[0].lift1(Damp(0.5)), &[1.0]).save().unwrap();
    let known = KnownRules::new().with_unary(Damp(0.5)).with_unary(Damp(0.5));
    assert_eq!(one.program(&known).unwrap().run(&[2.0]).unwrap(), [(-1.0f64).exp()]);
    let wanted = "saved program: the rule Damp(..) is any of several: Debug has to show which";
    for known in [known.with_unary(Damp(2.0)), KnownRules::new().with_unary(Damp(2.0)).with_unary(Damp(0.5))]
    {
        assert_eq!(one.program(&known).err().unwrap().to_string(), wanted);
    }
    let both = trace(|x| x[0].lift1(Damp(0.5)) + x[0].lift1(Damp(2.0)), &[1.0]);
    let wanted = "saved program: the rule Damp(..) is one of several: Debug has to show which";
    assert_eq!(both.save().unwrap_err().to_string(), wanted);
    let own = trace(|x| x[0].lift1(Sin), &[1.0]).save().unwrap_err().to_string();
    assert_eq!(own, "saved program: the rule Sin is one of several: Debug has to show which");
    let table = trace(|x| x[0].sin(), &[1.0]).save().unwrap();
    assert!(table.program(&KnownRules::new().with_unary(Sin)).is_err());
    assert!(table.program(&KnownRules::new()).is_ok());
}

/// Constants are compared by their bits.
#[test]
fn a_saved_program_equals_itself() {
    let of = |c: f64| trace(|x| x[0] * c, &[1.0]).save().unwrap();
    for c in [f64::NAN, 0.0, -0.0, 0.5] {
        assert_eq!(of(c), of(c));
    }
    assert_ne!(of(2.0), of(0.5));
    let [zero, minus] = [0.0, -0.0].map(of);
    assert_ne!(zero, minus);
}
