//! Programs saved and read again; what is no program is an error that says why.

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
    // Source lines are not saved.
    let shown = |p: &Program| -> Vec<String> {
        p.to_string().lines().map(|line| line.split(" (").next().unwrap().to_string()).collect()
    };
    assert_eq!(shown(&again), shown(program));
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
    let f = |x: &[Traced]| {
        let y = if x[0] < x[1] && !x[0].is_nan() && x[1].partial_cmp(&x[0]).is_some() { x[0] } else { x[1] };
        let held = y.clamp(-0.25, x[1]).abs() * f64::NAN + f64::INFINITY;
        [held, y.mul_add(x[1], x[0]) - 0.1 + x[0].detach() / x[1], x[0] * x[1].primal()]
    };
    let program = trace(f, &[1.0, 2.0]);
    same(&program, &[1.0, 2.0]);
    same(&program, &[3.0, 2.0]);
    same(&program.jacobian().unwrap(), &[1.0, 2.0]);
    let line = line!() + 1;
    let read = program.save().unwrap().program(&KnownRules::new()).unwrap();
    let error = read.run(&[3.0, 2.0]).unwrap_err().to_string();
    assert!(error.contains(&format!("saved.rs:{line}:")), "{error}");
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
    let cases: [Case; 15] = [
        (|v| v["version"] = 2.into(), "saved program: its version is 2, this crate reads 1"),
        (|v| v["format"] = "sum".into(), "saved program: its format is \"sum\""),
        (|v| v["unary"][0][0] = "Powi(x)".into(), "saved program: the rule Powi(x) is not known"),
        (|v| v["unary"][0][0] = "Cube".into(), "saved program: the rule Cube is not known"),
        (|v| v["unary"][0][1] = 5.into(), "saved program: rule 0 is a derivative of order 5, or there twice"),
        (
            |v| v["operations"][2][1][0] = 2.into(),
            "saved program: operation 2 has the operand 2, which is not computed before",
        ),
        (|v| v["operations"][2][2] = 1.into(), "saved program: operation 2 has rule 1 of 1"),
        (|v| v["operations"][1][2] = 0.into(), "saved program: operation 1 of 2 inputs is \"input\""),
        (|v| v["inputs"] = 3.into(), "saved program: operation 2 of 3 inputs is \"unary\""),
        (|v| v["inputs"] = 9.into(), "saved program: operation 2 of 9 inputs is \"unary\""),
        (
            |v| v["operations"][2][0] = "cube".into(),
            "saved program: operation 2 is not known: (\"cube\", [0], 0)",
        ),
        (
            |v| v["operations"][2] = serde_json::json!(["call", [], 0]),
            "saved program: operation 2 is not known: (\"call\", [], 0)",
        ),
        (|v| v["results"][0] = 77.into(), "saved program: a result is operation 77 of 5"),
        (
            |v| v["guards"][0][0] = 1.into(),
            "saved program: guard 0 asks for what is not computed before operation 1",
        ),
        (|v| _ = v.as_object_mut().unwrap().remove("results"), "missing field `results`"),
    ];
    for (change, expected) in cases {
        assert_eq!(error_of(change), expected);
    }
    let text = serde_json::to_string(&trace(|x| x[0].sin(), &[1.0]).save().unwrap()).unwrap();
    for end in 0..text.len() {
        assert!(serde_json::from_str::<Saved>(&text[..end]).is_err(), "{end} of {} bytes", text.len());
    }
}
