//! Gradients in reverse mode, beside the function alone.

use ad_trait::AD;
use ad_trait::reverse_ad::adr::{GlobalComputationGraph, adr};
use num_traits::Float;
use wengert::sums::{InForms, InLanes, Sum, Terms};

use crate::ad_trait_functions as ad;
use crate::table::Table;
use crate::workloads::{reverse as float, sums};

/// A function ℝⁿ → ℝ for numbers with `Float`, and for those of ad_trait.
trait Workload {
    fn float<T: Float>(&self, x: &[T]) -> T;
    fn ad<T: AD>(&self, x: &[T]) -> T;
}

/// Implements [`Workload`] by a function of the same name for both traits, with the same further arguments.
macro_rules! workload {
    ($type:ident $(($field:ty))?, $name:ident, |$self:ident| ($($argument:expr)?)) => {
        struct $type $(($field))?;
        impl Workload for $type {
            fn float<T: Float>(&$self, x: &[T]) -> T {
                float::$name(x $(, $argument)?)
            }
            fn ad<T: AD>(&$self, x: &[T]) -> T {
                ad::$name(x $(, $argument)?)
            }
        }
    };
}

workload!(Rosenbrock, rosenbrock, |self| ());
workload!(Mixture(Vec<[f64; 3]>), mixture, |self| (&self.0));
workload!(Logistic((Vec<f64>, Vec<f64>)), logistic, |self| (&self.0));
workload!(LotkaVolterra(usize), lotka_volterra, |self| (self.0));
workload!(Elimination(usize), eliminate, |self| (self.0));

/// The tables of all reverse workloads.
pub fn tables() -> impl Iterator<Item = String> {
    let rosenbrock = [2, 100, 10_000].into_iter().map(|n| {
        let (x, mut want) = (float::valley(n), vec![0.0; n]);
        float::rosenbrock_hand(&x, &mut want);
        gradient(&format!("Gradient of Rosenbrock's function, n = {n}"), &Rosenbrock, &x, want, &[])
    });
    let others = [
        || {
            let (p, points) = float::mixture_data(1000);
            let terms = sums::Mixture { points: points.clone() };
            let title = "Gradient of a mixture of Gaussians, 35 parameters, 1000 points";
            of_sum(title, &Mixture(points), &p, &[("wengert `Sum`, in lanes", &InLanes(&terms))])
        },
        || {
            let (w, data) = (vec![0.1; 50], float::logistic_data(10_000));
            let terms = sums::Logistic { rows: data.0.clone(), labels: data.1.clone(), columns: 50 };
            let (lanes, forms) = (InLanes(&terms), InForms(&terms));
            let title = "Gradient of a logistic regression, 10⁴ × 50";
            let ways: [(_, &dyn Gradient); 2] =
                [("wengert `Sum`, in lanes", &lanes), ("wengert `Sum`, by linear forms", &forms)];
            of_sum(title, &Logistic(data), &w, &ways)
        },
        || {
            let x = float::POPULATION;
            forward("Gradient of Lotka–Volterra, 1000 Runge–Kutta steps, 6 inputs", &LotkaVolterra(1000), &x)
        },
        || forward("Gradient of elimination 50 × 50, 2550 inputs", &Elimination(50), &float::system(50)),
    ];
    rosenbrock.chain(others.into_iter().map(|table: fn() -> String| table()))
}

/// The table of a workload that has no gradient by hand: forward mode gives what to expect.
fn forward(title: &str, f: &impl Workload, x: &[f64]) -> String {
    of_sum(title, f, x, &[])
}

/// The same, with ways of the crate to the gradient of a sum.
fn of_sum(title: &str, f: &impl Workload, x: &[f64], ways: &[(&'static str, &dyn Gradient)]) -> String {
    gradient(title, f, x, wengert::forward::gradient(|x: &[_]| f.float(x), x), ways)
}

/// A sum over data.
trait Gradient {
    /// What works out its gradient.
    fn prepared(&self, parameters: usize) -> Box<dyn FnMut(&[f64], &mut [f64]) + '_>;
}
impl<F: Terms + Sync> Gradient for F {
    fn prepared(&self, parameters: usize) -> Box<dyn FnMut(&[f64], &mut [f64]) + '_> {
        let mut sum = Sum::new(self, parameters).expect("rows that fit");
        Box::new(move |x, g| _ = sum.gradient(x, g).expect("a gradient"))
    }
}

/// The table of a workload.
fn gradient(
    title: &str,
    f: &impl Workload,
    x: &[f64],
    want: Vec<f64>,
    ways: &[(&'static str, &dyn Gradient)],
) -> String {
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
    for (name, sum) in ways {
        let mut gradient = sum.prepared(x.len());
        table = table.case(name, move |x, out| gradient(x, out));
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
