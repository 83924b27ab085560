//! Functions at every number type: what the modes make of them.

use super::Check;
use super::ladder::{Line, probe};
use super::parts::same_bits;
use super::report::{Probe, Report};
use super::rule::sizes;
use super::sample::Sample;
use crate::drivers::VectorFunction;
use crate::forward::Dual;
use crate::number::Real;
use crate::reverse::{Tape, Var};

/// How far the modes may be apart, relative to the size of the inner products.
const MODES: f64 = 1e-10;
/// Derivatives smaller than this beside the values may be all rounding.
const CANCELLED: f64 = 1e-4;

fn results<T: Real<Base = f64>, F: VectorFunction>(f: &F, x: &[T]) -> Vec<T> {
    let mut y = vec![T::lit(0.0); f.outputs(x.len())];
    f.call(x, &mut y);
    y
}

/// The point moved along a direction by `h`, with that as its tangent.
fn moved(x: &[f64], dx: &[f64], h: f64) -> Vec<Dual<f64>> {
    x.iter().zip(dx).map(|(x, dx)| Dual::new(x + h * dx, *dx)).collect()
}

impl Check {
    /// As [`check::function`](super::function), with these settings.
    pub fn function<F: VectorFunction>(&self, f: &F, x: &[f64]) -> Report {
        let mut report = Report::new("function");
        if !self.is_finite_at(&mut report, x) {
            return report;
        }
        let most = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let mut sample = Sample::new();
        let random: Vec<f64> = sample.numbers(x.len());
        let along = |size: f64| -> Vec<f64> {
            let scaled = |(r, x): (&f64, &f64)| r * if size < most { x.abs().max(1e-3 * size) } else { size };
            random.iter().zip(x).map(scaled).collect()
        };
        let direction = along(most);
        let y = results(f, &moved(x, &direction, 0.0));
        let values: Vec<f64> = y.iter().map(|y| y.value()).collect();
        report
            .demand(same_bits(&values, &results(f, x)), || "numbers with tangents give other values".into());
        let first = |x: &[Dual<f64>]| results(f, x).iter().map(|y| y.tangent()).collect::<Vec<_>>();
        let second = |dx: &[f64]| -> Vec<f64> {
            let x: Vec<_> =
                moved(x, dx, 0.0).iter().map(|x| Dual::new(*x, Dual::constant(x.tangent()))).collect();
            results(f, &x).iter().map(|y| y.tangent().tangent()).collect()
        };
        let line = |what: &str,
                    claim: &dyn Fn(&[f64]) -> Vec<f64>,
                    of: &dyn Fn(&[Dual<f64>]) -> Vec<f64>|
         -> Probe {
            self.first_conclusive(&sizes(most), |size| {
                let dx = along(size);
                let along: Line =
                    &|h| Some(of(&moved(x, &dx, h))).filter(|y| y.iter().all(|y| y.is_finite()));
                probe(what, along, &claim(&dx), &self.terms(size))
            })
        };
        let value = |x: &[Dual<f64>]| results(f, &x.iter().map(|x| x.value()).collect::<Vec<_>>());
        report.probes.push(line("first derivative", &|dx| first(&moved(x, dx, 0.0)), &value));
        report.probes.push(line("second derivative", &second, &first));
        let tangents: Vec<f64> = y.iter().map(|y| y.tangent()).collect();
        modes(&mut report, f, x, &direction, [&values, &tangents], &mut sample);
        report
    }
}

/// `⟨w, Jẋ⟩` by forward mode beside `⟨Jᵀw, ẋ⟩` by reverse mode.
fn modes<F: VectorFunction>(
    report: &mut Report,
    f: &F,
    x: &[f64],
    dx: &[f64],
    [values, dy]: [&[f64]; 2],
    sample: &mut Sample,
) {
    let w: Vec<f64> = sample.numbers(dy.len());
    let tape = Tape::new();
    let inputs: Vec<Var<f64>> = tape.variables(x);
    let y = results(f, &inputs);
    let seeds: Vec<(Var<f64>, f64)> = y.into_iter().zip(w.iter().copied()).collect();
    let sums = tape.cotangents_of(&seeds).of_all(&inputs);
    let [there, back] = [[&w[..], dy], [&sums[..], dx]].map(|[a, b]| {
        let terms = a.iter().zip(b).map(|(a, b)| a * b);
        terms.fold((0.0, f64::MIN_POSITIVE), |(sum, size), t| (sum + t, size + t.abs()))
    });
    // Derivatives that cancel are known up to rounding of the values only.
    let floor: f64 = w.iter().zip(values).map(|(w, y)| (w * y).abs()).sum::<f64>() * CANCELLED;
    let gap = (there.0 - back.0).abs() / there.1.max(back.1).max(floor);
    report.adjoint = Some(gap);
    report.demand(gap <= MODES, || format!("forward and reverse mode are apart by {gap:.1e}"));
}
