//! Gradients of programs that were traced once, compared with echidna's recorded tape.

use echidna::BReverse;
use wengert::Var;
use wengert::programs::{Traced, trace};

use crate::table::Table;
use crate::workloads::reverse::{
    POPULATION, lotka_volterra, mixture, mixture_data, rosenbrock, rosenbrock_hand, valley,
};

/// The workloads that the Python script next to this package times too.
pub fn tables() -> impl Iterator<Item = String> {
    let tables: [fn() -> String; 3] = [
        || {
            let table = "Rosenbrock's function of 100 variables";
            gradient(
                table,
                &valley(100),
                Some(rosenbrock_hand),
                rosenbrock,
                rosenbrock,
                rosenbrock,
                rosenbrock,
            )
        },
        || {
            let table = "Lotka–Volterra, 100 Runge–Kutta steps, 6 inputs";
            let f = |x: &[f64]| lotka_volterra(x, 100);
            let tape = |x: &[BReverse<f64>]| lotka_volterra(x, 100);
            gradient(
                table,
                &POPULATION,
                None,
                f,
                |x| lotka_volterra(x, 100),
                |x| lotka_volterra(x, 100),
                tape,
            )
        },
        || {
            let (p, points) = mixture_data(1000);
            let table = "a mixture of Gaussians, 35 parameters, 1000 points";
            gradient(
                table,
                &p,
                None,
                |p| mixture(p, &points),
                |p| mixture(p, &points),
                |p| mixture(p, &points),
                |p| mixture(p, &points),
            )
        },
    ];
    tables.into_iter().map(|table| table())
}

/// A function at the numbers of each method.
fn gradient(
    title: &str,
    x: &[f64],
    hand: Option<fn(&[f64], &mut [f64]) -> f64>,
    primal: impl Fn(&[f64]) -> f64,
    active: impl Fn(&[Var<f64>]) -> Var<f64>,
    traced: impl Fn(&[Traced]) -> Traced,
    recorded: impl Fn(&[BReverse<f64>]) -> BReverse<f64>,
) -> String {
    let mut want = vec![0.0; x.len()];
    wengert::gradient_into(&active, x, &mut want);
    let program = trace(|x: &[Traced]| traced(x), x).gradient().expect("all rules have derivatives");
    let compiled = program.compile().expect("a program");
    let (mut tape, _) = echidna::record(|x| recorded(x), x);
    let mut adjoints = Vec::new();
    // The script in Python shows the same sum.
    let sum: f64 = want.iter().zip(1..).map(|(g, i)| g * f64::from(i)).sum();
    let title = format!("Gradient of {title}, recorded once (Σ i·gᵢ = {sum:.12e})");
    let mut table = Table::new(title, x, want).primal(primal);
    if let Some(hand) = hand {
        table = table.case("hand", move |x, out: &mut Vec<f64>| _ = hand(x, out));
    }
    table = table.case("wengert, replay", |x, out| {
        program.run_into(x, out).expect("the same branches");
    });
    if compiled.is_machine_code() {
        table = table.case("wengert, machine code", |x, out| {
            compiled.run_into(x, out).expect("the same branches");
        });
    }
    table
        .case("wengert, recorded each time", |x, out| {
            wengert::gradient_into(&active, x, out);
        })
        .case("echidna, replay of a recorded tape", |x, out| *out = tape.gradient_with_buf(x, &mut adjoints))
        .run()
}
