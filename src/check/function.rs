//! Functions of several variables in both modes, and of one variable with a stated derivative.

use num_complex::Complex;

use super::Check;
use super::adjoint::product;
use super::judge::{BESIDE, HUGE};
use super::parts::{C, as_complex, largest, of_complex, same_bits};
use super::report::{Report, VALUES_DIFFER, Verdict, keep_largest};
use super::sample::{Sample, some};
use super::subject::{ArgumentGroups, COMPLEX_STEP, PartialEntries, ProbeLine, Subject, longest, sizes};
use crate::drivers::VectorFunction;
use crate::duals::Dual;
use crate::number::Scalar;
use crate::tapes::{Tape, Var};

/// The accepted difference of the modes, relative to the size of the inner products.
const MODES: f64 = 1e-10;
/// Derivatives that are smaller than this relative to the values may be rounding only.
const CANCELLED: f64 = 1e-4;

trait AtNumber<T> {
    fn at(&self, x: &[T]) -> Vec<T>;
}

impl<T: Scalar, F: VectorFunction> AtNumber<T> for F {
    fn at(&self, x: &[T]) -> Vec<T> {
        let mut y = vec![T::lit(0.0); self.outputs(x.len())];
        self.call(x, &mut y);
        y
    }
}

/// A function at the numbers that a check takes: the check itself is compiled once for all functions.
trait AtNumbers: AtNumber<f64> + AtNumber<Dual<f64>> + AtNumber<Dual<Dual<f64>>> + AtNumber<Var<f64>> {}
impl<F: VectorFunction> AtNumbers for F {}

/// The point with a tangent.
fn with_tangent(x: &[C], dx: &[C]) -> Vec<Dual<f64>> {
    x.iter().zip(dx).map(|(x, dx)| Dual::new(x.re, dx.re)).collect()
}

/// The results of a function at complex numbers.
type AtComplex<'a> = &'a dyn Fn(&[C]) -> Vec<C>;

impl Check {
    /// Like [`check::derivative`](super::derivative), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
    #[track_caller]
    pub fn derivative(&self, f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, x: f64) -> Report {
        self.stated(&f, &df, x)
    }
    #[track_caller]
    fn stated(&self, f: &dyn Fn(f64) -> f64, df: &dyn Fn(f64) -> f64, x: f64) -> Report {
        let mut report = Report::new("function");
        if !report.is_finite_at(&[&[x]]) {
            return report;
        }
        self.note_slopes(&mut report, f(x).into(), &[df(x).into()]);
        report.demand(same_bits(&[f(x), df(x)], &[f(x), df(x)]), || "two calls differ".into());
        let subject = Subject {
            derivative: &|x, along| {
                Ok(vec![along.first().map_or_else(|| f(x[0].re), |dx| df(x[0].re) * dx[0].re).into()])
            },
            complex_step: &|_, _| None,
            entries: PartialEntries::Real,
        };
        let along = |size: f64| vec![C::from(size)];
        let line = |x: &[C]| {
            let directions = sizes(longest(x)).into_iter().map(|size| (size, along(size))).collect();
            ProbeLine { what: "derivative".into(), directions, fixed: vec![], period: 1.0 }
        };
        let point = [x.into()];
        self.compare_lines(&mut report, &subject, &point, &[line(&point)]);
        // The derivative may be stated for this point only. If it is zero, that is too little evidence.
        self.look_beside(&mut report, &point, &along, &|check, report, x| {
            check.compare_lines(report, &subject, x, &[line(x)]);
            let wrong = report.probes.iter_mut().filter(|p| p.verdict == Verdict::Wrong);
            wrong.for_each(|p| p.verdict = Verdict::Inconclusive);
        });
        report
    }
    /// Like [`check::function`](super::function), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
    #[track_caller]
    pub fn function<F: VectorFunction>(&self, f: &F, x: &[f64]) -> Report {
        self.modes(f, x, None)
    }
    /// Like [`check::analytic`](super::analytic), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
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
    fn modes(&self, f: &dyn AtNumbers, x: &[f64], complex: Option<AtComplex>) -> Report {
        let mut report = Report::new("function");
        if !report.is_finite_at(&[x]) {
            return report;
        }
        let subject = Subject {
            derivative: &|x, along| {
                Ok(match along {
                    [] => as_complex(&f.at(&of_complex::<f64>(x))),
                    [dx] => f.at(&with_tangent(x, dx)).iter().map(|y| y.tangent().into()).collect(),
                    [dx, dy, ..] => {
                        let x = with_tangent(x, dy).into_iter().zip(*dx);
                        let x: Vec<_> = x.map(|(x, dx)| Dual::new(x, Dual::constant(dx.re))).collect();
                        f.at(&x).iter().map(|y| y.tangent().tangent().into()).collect()
                    }
                })
            },
            complex_step: &|x, dx| {
                let z: Vec<_> = x.iter().zip(dx).map(|(x, dx)| C::new(x.re, COMPLEX_STEP * dx.re)).collect();
                Some((complex?(&z).iter().map(|w| w.im / COMPLEX_STEP).collect(), true))
            },
            entries: PartialEntries::Real,
        };
        let (point, groups) = (as_complex(x), ArgumentGroups::new([x.len()]));
        let line = |x: &[C], what: &str| groups.line::<f64>(what, &mut Sample::new(), x);
        let first = line(&point, "first derivative");
        let dx = first.directions[0].1.clone();
        let y = f.at(&with_tangent(&point, &dx));
        let values: Vec<f64> = y.iter().map(|y| y.value()).collect();
        report.note_non_finite(y.iter().map(|y| y.value().is_finite() && y.tangent().is_finite()));
        report.demand(same_bits(&values, &f.at(x)), || VALUES_DIFFER.into());
        let second = ProbeLine { fixed: vec![dx.clone()], ..line(&point, "second derivative") };
        self.compare_lines(&mut report, &subject, &point, &[first, second]);
        let aside = |size: f64| groups.direction::<f64>(&mut Sample::new(), &point, size);
        self.look_beside(&mut report, &point, &aside, &|check, report, x| {
            check.compare_lines(report, &subject, x, &[line(x, "first derivative")]);
        });
        let tangents: Vec<f64> = y.iter().map(|y| y.tangent()).collect();
        self.beside_reverse(&mut report, f, x, &of_complex(&dx), &values, &tangents);
        report
    }
    /// Compares `⟨w, Jẋ⟩` by forward mode with `⟨Jᵀw, ẋ⟩` by reverse mode, for each result and for all together.
    fn beside_reverse(
        &self,
        report: &mut Report,
        f: &dyn AtNumbers,
        x: &[f64],
        dx: &[f64],
        values: &[f64],
        dy: &[f64],
    ) {
        let tape = Tape::new();
        let inputs: Vec<Var<f64>> = tape.variables(x);
        let y = f.at(&inputs);
        let rows = dy.len();
        let w: Vec<f64> = Sample::new().numbers(rows);
        let most = largest(values.iter().filter(|y| y.is_finite()).map(|y| y.abs()));
        let longest = largest(dx.iter().map(|x| x.abs()));
        for active in some(rows).map(|row| row..row + 1).chain(std::iter::once(0..rows)) {
            let seeds: Vec<(Var<f64>, f64)> = active.clone().map(|i| (y[i], w[i])).collect();
            let sums = tape.cotangents_of(&seeds).of_all(&inputs);
            let dy = &dy[active.clone()];
            let [(there, size), (back, other)] =
                [product(&w[active.clone()], dy), product(&sums, dx)].map(|(sum, size)| (sum[0], size));
            // Derivatives that cancel are accurate only up to rounding of the values, or of the other values.
            let known = |i: usize| if values[i].abs() < BESIDE * most { most } else { values[i] };
            let floor: f64 = active.clone().map(|i| (w[i] * known(i)).abs()).sum::<f64>() * CANCELLED;
            if !there.is_finite() && !back.is_finite() || dy.iter().any(|y| y.abs() > HUGE) {
                continue; // noted by its values, or too large for floats on one side
            }
            let finite = [there, back].into_iter().filter(|x| x.is_finite());
            let product = largest(finite.map(f64::abs));
            let floats = f64::MIN_POSITIVE / f64::EPSILON..=f64::MAX;
            if product > 0.0 && !floats.contains(&(product / longest)) {
                continue; // the cotangents are too small or too large for floats
            }
            let gap = (there - back).abs() / size.max(other).max(floor).max(f64::MIN_POSITIVE);
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
