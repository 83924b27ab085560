//! Checks of generic functions in both modes.

use num_complex::Complex;

use super::Check;
use super::judge::{BESIDE, HUGE, probe};
use super::ladder::Line;
use super::parts::{as_complex, same_bits};
use super::report::{Probe, Report, Verdict, keep_largest};
use super::rule::{SMALLEST, sizes};
use super::sample::{Sample, some};
use super::subject::COMPLEX_STEP;
use crate::drivers::VectorFunction;
use crate::duals::Dual;
use crate::number::Scalar;
use crate::tapes::{Tape, Var};

/// The accepted difference of the modes, relative to the size of the inner products.
const MODES: f64 = 1e-10;
/// Longer directions may overflow.
const LONGEST: f64 = 1e307;
/// Derivatives that are smaller than this relative to the values may be rounding only.
const CANCELLED: f64 = 1e-4;

fn results<T: Scalar, F: VectorFunction>(f: &F, x: &[T]) -> Vec<T> {
    let mut y = vec![T::lit(0.0); f.outputs(x.len())];
    f.call(x, &mut y);
    y
}

/// The point moved along a direction by `h`, with that as its tangent.
fn moved(x: &[f64], dx: &[f64], h: f64) -> Vec<Dual<f64>> {
    // Minus zero stays.
    let moved = |x: f64, step: f64| if step == 0.0 { x } else { x + step };
    x.iter().zip(dx).map(|(x, dx)| Dual::new(moved(*x, h * dx), *dx)).collect()
}

/// The results of a function at complex numbers.
type AtComplex<'a> = &'a dyn Fn(&[Complex<f64>]) -> Vec<Complex<f64>>;

impl Check {
    /// Like [`check::function`](super::function), with these settings.
    #[track_caller]
    pub fn function<F: VectorFunction>(&self, f: &F, x: &[f64]) -> Report {
        self.modes(f, x, None)
    }
    /// Like [`check::analytic`](super::analytic), with these settings.
    #[track_caller]
    pub fn analytic<F: VectorFunction>(
        &self,
        f: &F,
        complex: impl Fn(&[Complex<f64>]) -> Vec<Complex<f64>>,
        x: &[f64],
    ) -> Report {
        self.modes(f, x, Some(&complex))
    }
    #[track_caller]
    fn modes<F: VectorFunction>(&self, f: &F, x: &[f64], complex: Option<AtComplex>) -> Report {
        let mut report = Report::new("function");
        if !self.is_finite_at(&mut report, x) {
            return report;
        }
        let most = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let mut sample = Sample::new();
        let random: Vec<f64> = sample.numbers(x.len());
        let along = |size: f64| -> Vec<f64> {
            let long = |x: f64| if size < most { x.abs().max(1e-3 * size) } else { size };
            let scaled = |(r, x): (&f64, &f64)| r * long(*x).min(LONGEST);
            random.iter().zip(x).map(scaled).collect()
        };
        let direction = along(if most < SMALLEST { 1.0 } else { most });
        let y = results(f, &moved(x, &direction, 0.0));
        let values: Vec<f64> = y.iter().map(|y| y.value()).collect();
        report.note_non_finite(y.iter().map(|y| y.value().is_finite() && y.tangent().is_finite()));
        report.demand(same_bits(&values, &results(f, x)), || {
            "the values at numbers with tangents differ".into()
        });
        self.lines(&mut report, f, x, &along, complex, true);
        self.look_beside(&mut report, &|check, h, size| {
            let mut report = Report::default();
            let x: Vec<f64> = x.iter().zip(along(size)).map(|(x, dx)| x + h * dx).collect();
            check.lines(&mut report, f, &x, &along, complex, false);
            report
        });
        let tangents: Vec<f64> = y.iter().map(|y| y.tangent()).collect();
        self.beside_reverse(&mut report, f, x, &direction, &values, &tangents);
        report
    }
    /// First and second derivative along a direction, against differences.
    fn lines<F: VectorFunction>(
        &self,
        report: &mut Report,
        f: &F,
        x: &[f64],
        along: &dyn Fn(f64) -> Vec<f64>,
        complex: Option<AtComplex>,
        with_second: bool,
    ) {
        let most = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let first = |x: &[Dual<f64>]| results(f, x).iter().map(|y| y.tangent()).collect::<Vec<_>>();
        let second = |dx: &[f64]| -> Vec<f64> {
            let x: Vec<_> =
                moved(x, dx, 0.0).iter().map(|x| Dual::new(*x, Dual::constant(x.tangent()))).collect();
            results(f, &x).iter().map(|y| y.tangent().tangent()).collect()
        };
        let value = |x: &[Dual<f64>]| results(f, &x.iter().map(|x| x.value()).collect::<Vec<_>>());
        let line = |of: &dyn Fn(&[Dual<f64>]) -> Vec<f64>, what: &str, second_order: bool| -> Probe {
            self.first_conclusive(&sizes(most), &|size| {
                let dx = along(size);
                let along: Line = &|h| Some(as_complex(&of(&moved(x, &dx, h))));
                let mut terms = self.terms(size);
                if second_order {
                    (terms.second_order, terms.unit) = (true, size * size);
                    terms.underflow *= size;
                    return probe(what, along, &as_complex(&second(&dx)), &terms);
                }
                let claim = as_complex(&first(&moved(x, &dx, 0.0)));
                terms.reference = self.reference_along(claim.len(), false, &dx);
                terms.complex_step = complex.map(|f| steps(f, x, &dx));
                terms.complex_decides = true;
                probe(what, along, &claim, &terms)
            })
        };
        report.probes.push(line(&value, "first derivative", false));
        if with_second {
            report.probes.push(line(&first, "second derivative", true));
        }
    }
    /// Compares `⟨w, Jẋ⟩` by forward mode with `⟨Jᵀw, ẋ⟩` by reverse mode, for each result and for all together.
    fn beside_reverse<F: VectorFunction>(
        &self,
        report: &mut Report,
        f: &F,
        x: &[f64],
        dx: &[f64],
        values: &[f64],
        dy: &[f64],
    ) {
        let tape = Tape::new();
        let inputs: Vec<Var<f64>> = tape.variables(x);
        let y = results(f, &inputs);
        let rows = dy.len();
        let w: Vec<f64> = Sample::new().numbers(rows);
        let most = values.iter().filter(|y| y.is_finite()).fold(0.0, |m: f64, y| m.max(y.abs()));
        for active in some(rows).map(|row| row..row + 1).chain(std::iter::once(0..rows)) {
            let seeds: Vec<(Var<f64>, f64)> = active.clone().map(|i| (y[i], w[i])).collect();
            let sums = tape.cotangents_of(&seeds).of_all(&inputs);
            let [there, back] = [[&w[active.clone()], &dy[active.clone()]], [&sums[..], dx]].map(|[a, b]| {
                let terms = a.iter().zip(b).map(|(a, b)| a * b);
                terms.fold((0.0, f64::MIN_POSITIVE), |(sum, size), t| (sum + t, size + t.abs()))
            });
            // Derivatives that cancel are accurate only up to rounding of the values, or of the other values.
            let known = |i: usize| if values[i].abs() < BESIDE * most { most } else { values[i] };
            let floor: f64 = active.clone().map(|i| (w[i] * known(i)).abs()).sum::<f64>() * CANCELLED;
            let beyond = |y: &f64| !y.is_nan() && y.abs() > HUGE;
            if !there.0.is_finite() && !back.0.is_finite() || dy[active.clone()].iter().any(beyond) {
                continue; // noted by its values, or too large for floats on one side
            }
            let gap = (there.0 - back.0).abs() / there.1.max(back.1).max(floor);
            keep_largest(&mut report.adjoint, gap);
            let agree = report.probes.first().is_some_and(|p| p.verdict == Verdict::Right);
            report.demand(gap <= self.limit(MODES), || {
                let which = if agree {
                    "; forward mode agrees with differences, so reverse mode is wrong"
                } else {
                    ""
                };
                format!("forward and reverse mode differ by {gap:.1e} in results {active:?}{which}")
            });
        }
    }
}

/// The derivatives along a direction by complex steps; NaN where a result has none.
fn steps(f: AtComplex, x: &[f64], dx: &[f64]) -> Vec<f64> {
    let z: Vec<_> = x.iter().zip(dx).map(|(x, dx)| Complex::new(*x, COMPLEX_STEP * dx)).collect();
    f(&z).iter().map(|w| w.im / COMPLEX_STEP).collect()
}
