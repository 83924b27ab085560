//! Gradients in reverse mode, compared with the function only.

use ad_trait::AD;
use ad_trait::reverse_ad::adr::{GlobalComputationGraph, adr};
use num_traits::Float;
use wengert::sums::Sum;

use crate::ad_trait_functions as ad;
use crate::large;
use crate::scene::Scene;
use crate::table::Table;
use crate::workloads::{by_hand, reverse as float, sums};

/// A function ℝⁿ → ℝ for numbers with `Float`, and for the numbers of ad_trait.
trait Workload {
    fn float<T: Float>(&self, x: &[T]) -> T;
    fn ad<T: AD>(&self, x: &[T]) -> T;
}

/// Implements [`Workload`] by a function of the same name for both traits, with the same further arguments.
macro_rules! workload {
    ($type:ident $(($field:ty))?, $name:ident, |$self:ident| ($($argument:expr)?)) => {
        workload!($type $(($field))?, float::$name, ad::$name, |$self| ($($argument)?));
    };
    ($type:ident $(($field:ty))?, $float:path, $ad:path, |$self:ident| ($($argument:expr)?)) => {
        struct $type $(($field))?;
        impl Workload for $type {
            fn float<T: Float>(&$self, x: &[T]) -> T {
                $float(x $(, $argument)?)
            }
            fn ad<T: AD>(&$self, x: &[T]) -> T {
                $ad(x $(, $argument)?)
            }
        }
    };
}

workload!(Rosenbrock, rosenbrock, |self| ());
workload!(Mixture(Vec<[f64; 3]>), mixture, |self| (&self.0));
workload!(Logistic((Vec<f64>, Vec<f64>)), logistic, |self| (&self.0));
workload!(Network(Vec<[f64; 10]>), large::float::network, large::ad::network, |self| (&self.0));
workload!(Bundle(Scene), large::float::bundle, large::ad::bundle, |self| (&self.0));
workload!(LotkaVolterra(usize), lotka_volterra, |self| (self.0));
workload!(Elimination(usize), eliminate, |self| (self.0));

/// The tables of all reverse workloads.
pub fn tables() -> impl Iterator<Item = String> {
    let rosenbrock = [2, 100, 10_000].into_iter().map(|n| {
        let (x, mut want) = (float::valley(n), vec![0.0; n]);
        float::rosenbrock_hand(&x, &mut want);
        gradient(&format!("Gradient of Rosenbrock's function, n = {n}"), &Rosenbrock, &x, want, Vec::new())
    });
    let others = [
        of_mixture,
        of_logistic,
        of_network,
        of_bundle,
        || {
            let x = float::POPULATION;
            forward("Gradient of Lotka–Volterra, 1000 Runge–Kutta steps, 6 inputs", &LotkaVolterra(1000), &x)
        },
        || forward("Gradient of elimination 50 × 50, 2550 inputs", &Elimination(50), &float::system(50)),
    ];
    rosenbrock.chain(others.into_iter().map(|table: fn() -> String| table()))
}

/// The table of a workload without a gradient by hand: forward mode gives the expected result.
fn forward(title: &str, f: &impl Workload, x: &[f64]) -> String {
    gradient(title, f, x, wengert::forward::gradient(|x: &[_]| f.float(x), x), Vec::new())
}

/// A method to compute the gradient at a point.
type Way<'a> = (&'static str, Box<dyn FnMut(&[f64], &mut [f64]) + 'a>);

fn sum(mut sum: Sum<'static>) -> Way<'static> {
    ("wengert `Sum`", Box::new(move |x, g| _ = sum.gradient(x, g).expect("a gradient")))
}

fn of_mixture() -> String {
    let (p, points) = float::mixture_data(1000);
    let terms = sums::Mixture { points: points.clone() };
    let by_hand: Way<'_> = ("by hand", Box::new(|p, g| _ = by_hand::mixture(&terms.points, p, g)));
    let ways = vec![sum(terms.sum()), by_hand];
    let title = "Gradient of a mixture of Gaussians, 35 parameters, 1000 points";
    of_sum(title, &Mixture(points), &p, ways)
}

fn of_logistic() -> String {
    let (w, data) = (vec![0.1; 50], float::logistic_data(10_000));
    let terms = sums::Logistic { rows: data.0.clone(), labels: data.1.clone(), columns: 50 };
    let by_hand =
        |w: &[f64], g: &mut [f64]| _ = by_hand::logistic(&terms.rows, &terms.labels, w, g, |_, _| ());
    let ways = vec![
        sum(terms.sum()),
        ("by hand", Box::new(by_hand)),
    ];
    of_sum("Gradient of a logistic regression, 10⁴ × 50", &Logistic(data), &w, ways)
}

fn of_network() -> String {
    let inputs: Vec<[f64; 10]> = numbers(2560, 1.0).as_chunks().0.to_vec();
    let (w, terms) = (numbers(sums::Network::PARAMETERS, 0.2), sums::Network { inputs: inputs.clone() });
    let by_hand: Way<'_> = ("by hand", Box::new(|w, g| _ = by_hand::network(&terms.inputs, w, g)));
    let ways = vec![sum(terms.sum()), by_hand];
    of_sum("Gradient of a network 10-64-64-1, 256 inputs, 4929 weights", &Network(inputs), &w, ways)
}

fn of_bundle() -> String {
    let [scene, terms] = [(); 2].map(|()| Scene::turned(48, 3200, 1));
    let p = terms.start.clone();
    let mut squares = terms.squares().expect("parameters that there are");
    let ways: Vec<Way<'_>> = vec![
        (
            "wengert `LeastSquares`",
            Box::new(move |p, g| _ = squares.gradient(p, g).expect("a gradient")),
        ),
        ("by hand", Box::new(|p, g| _ = by_hand::bundle(&terms, p, g))),
    ];
    let title =
        format!("Gradient of a bundle, {} parameters, {} observations", p.len(), terms.observations.len());
    of_sum(&title, &Bundle(scene), &p, ways)
}

fn numbers(n: usize, scale: f64) -> Vec<f64> {
    (0..n).map(|i| scale * (1.7 * i as f64 + 0.3 * (i as f64).sqrt()).sin()).collect()
}

/// The table of a sum: its gradient by hand, the last method, gives the expected result.
fn of_sum(title: &str, f: &impl Workload, x: &[f64], mut ways: Vec<Way<'_>>) -> String {
    let mut want = vec![0.0; x.len()];
    ways.last_mut().expect("the way by hand").1(x, &mut want);
    gradient(title, f, x, want, ways)
}

/// The table of a workload.
fn gradient(title: &str, f: &impl Workload, x: &[f64], want: Vec<f64>, ways: Vec<Way<'_>>) -> String {
    let (mut tape, _) = echidna::record(|x| f.float(x), x);
    let mut adjoints = Vec::new();
    let mut table =
        Table::new(title, x, want).primal(|x| f.float(x)).case("wengert `gradient_into`", |x, out| {
            wengert::gradient_into(|x: &[_]| f.float(x), x, out);
        });
    if x.len() == 2 {
        table = table.case("wengert `gradient_into`, point in an array", |x, out| {
            let x: &[f64; 2] = x.try_into().expect("two variables");
            wengert::gradient_into(|x: &[_]| f.float(x), x, out);
        });
    }
    for (name, mut gradient) in ways {
        table = table.case(name, move |x, out: &mut Vec<f64>| gradient(x, out));
    }
    table
        .case("echidna `grad`", |x, out| *out = echidna::grad(|x| f.float(x), x))
        .case("echidna, record and sweep", |x, out| {
            *out = echidna::record(|x| f.float(x), x).0.reverse_seeded(&[1.0]);
        })
        .case("echidna, replay of a recorded tape", move |x, out| {
            *out = tape.gradient_with_buf(x, &mut adjoints);
        })
        .case("ad_trait `adr`", |x, out| {
            GlobalComputationGraph::get().reset();
            let x: Vec<adr> = x.iter().map(|&x| adr::new_variable(x, false)).collect();
            let cotangents = f.ad(&x).get_backwards_mode_grad();
            for (slot, x) in out.iter_mut().zip(&x) {
                *slot = cotangents.wrt(x);
            }
        })
        .run()
}
