//! Writes the Jacobian of an arm, the gradient of a controller's cost, and a step of a predictive controller as Rust
//! source code. For the tests it also writes each function of wengert's table and its derivative, and for the
//! benchmark derivatives that are also timed by hand.

use std::error::Error;
use std::path::Path;

use wengert::Real;
use wengert::programs::{Program, Source, Traced, trace};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};

#[path = "../../benches/workloads/mod.rs"]
mod workloads;

include!("shared/arm.rs");
include!("shared/control.rs");
include!("shared/mpc.rs");

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=shared");
    println!("cargo::rerun-if-changed=../../benches/workloads");
    let out = std::env::var("OUT_DIR")?;

    let arm = trace(|q: &[Traced]| pose(q), &[0.3; 7][..]);
    let (entries, places) = arm.sparse_jacobian()?;
    let jacobian = Source::new("arm_jacobian").with_libm().with_places(&places).write(&entries)?;

    let controller = trace(|x: &[Traced]| cost(x), &[0.1; 4 + HORIZON][..]);
    let gradient = Source::new("cost_and_gradient").with_libm().write(&controller.value_and_gradient()?)?;

    let step = trace(|x: &[Traced]| plan(x), &[0.1; 2 + PERIODS][..]);
    let plan = Source::new("plan").with_libm().write(&step)?;

    std::fs::write(Path::new(&out).join("generated.rs"), format!("{jacobian}\n{gradient}\n{plan}"))?;
    let mut rules = Rules::default();
    visit_rules(&mut rules);
    let table = format!(
        "const UNARY: &[(&str, [F1; 3])] = &[{}];\nconst BINARY: &[(&str, F2, G2, H2)] = &[{}];\n",
        rules.unary, rules.binary
    );
    let mut timed = String::new();
    for derivative in workloads::derivatives::derivatives() {
        timed += &Source::new(derivative.name).write(&derivative.program)?;
    }
    std::fs::write(Path::new(&out).join("timed.rs"), timed)?;
    std::fs::write(Path::new(&out).join("rules.rs"), rules.text + &table)?;
    Ok(())
}

/// All rules of which there is source code, with tables of their names.
#[derive(Default)]
struct Rules {
    text: String,
    unary: String,
    binary: String,
}

impl Rules {
    /// The names of a value, its derivatives and its second derivatives as source code, or nothing where there is none: a
    /// parameter may be infinite.
    fn write(&mut self, name: &str, value: Program) -> Option<String> {
        let slope = value.gradient().expect("every rule has one");
        let second = slope.jacobian().expect("every rule has one");
        let mut names = String::new();
        for (kind, program) in [("value", value), ("slope_of", slope), ("second_of", second)] {
            let name = format!("{name}_{kind}");
            self.text += &Source::new(&name).with_libm().write(&program).ok()?;
            names += &(name + ", ");
        }
        Some(names)
    }
    fn one<U: Unary>(&mut self, rule: U, at: f64) {
        if let Some(names) = self.write(U::NAME, trace(|x| x[0].lift1(rule), &[at])) {
            self.unary += &format!("(\"{}\", [{names}]), ", U::NAME);
        }
    }
}

impl RuleVisitor for Rules {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.one(rule, on[0]);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        self.one(rule, on[0]);
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        let program = trace(|x| x[0].lift2(x[1], rule), &on.map(|[lo, _]| lo));
        if let Some(names) = self.write(B::NAME, program) {
            self.binary += &format!("(\"{}\", {names}), ", B::NAME);
        }
    }
}
