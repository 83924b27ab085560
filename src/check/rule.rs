//! Rules of one and two variables, and functions of one with their derivative.

use num_complex::Complex;

use super::Check;
use super::ladder::{Line, Terms, probe};
use super::parts::same_bits;
use super::report::{Probe, Report, Verdict};
use crate::forward::{Dual, HyperDual};
use crate::number::{Number, Real};
use crate::rules::{Binary, Holomorphic, Unary};

/// The step of complex steps, relative to the argument: its square is nothing, its product with derivatives is not.
const COMPLEX_STEP: f64 = 1e-100;
/// How well two routes to a second derivative must agree.
const ROUTES: f64 = 1e-9;

/// The sizes of steps to try: that of the argument, and one for small arguments.
pub(super) fn sizes(size: f64) -> Vec<f64> {
    match size {
        0.0 => vec![1.0],
        size if size < 1.0 => vec![size, 1.0],
        size => vec![size],
    }
}

/// The value on a line through `x`, where the step is not lost in the rounding of the argument.
fn at(f: &impl Fn(f64) -> f64, x: f64, step: f64) -> Option<Vec<f64>> {
    let moved = x + step;
    let lost = ((moved - x) - step).abs() > 1e-4 * step.abs();
    let value = (!lost).then(|| f(moved)).filter(|y| y.is_finite())?;
    Some(vec![value])
}

impl Check {
    /// What the settings say of a line in units of `size`, for derivatives in those units.
    pub(super) fn terms(&self, size: f64) -> Terms {
        Terms {
            largest: self.max_step / size,
            tolerance: self.tolerance,
            reference: None,
            complex_step: None,
        }
    }
    /// The first conclusive probe by steps of several sizes, or the first.
    pub(super) fn first_conclusive(&self, sizes: &[f64], at: impl Fn(f64) -> Probe) -> Probe {
        let first = at(sizes[0]);
        if first.verdict != Verdict::Inconclusive {
            return first;
        }
        let others = sizes[1..].iter().map(|&size| at(size));
        others.into_iter().find(|p| p.verdict != Verdict::Inconclusive).unwrap_or(first)
    }
    /// Holds `df` to the differences of `f` at `x`.
    fn line(&self, what: &str, f: impl Fn(f64) -> f64, df: f64, x: f64, exact: [Option<f64>; 2]) -> Probe {
        self.first_conclusive(&sizes(x.abs()), |size| {
            let along: Line = &|h| at(&f, x, h * size);
            let [reference, complex_step] = exact.map(|d| d.map(|d| vec![d * size]));
            probe(what, along, &[df * size], &Terms { reference, complex_step, ..self.terms(size) })
        })
    }
    /// As [`check::stated`](super::stated), with these settings.
    pub fn stated(&self, f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, x: f64) -> Report {
        let mut report = Report::new("function");
        if self.is_finite_at(&mut report, &[x]) {
            report.demand(same_bits(&[f(x), df(x)], &[f(x), df(x)]), || "two calls differ".into());
            report.probes.push(self.line("derivative", &f, df(x), x, [self.reference, None]));
        }
        report
    }
    /// As [`check::rule`](super::rule), with these settings.
    pub fn rule<U: Unary>(&self, rule: U, x: f64) -> Report {
        self.unary(rule, x, None)
    }
    fn unary<U: Unary>(&self, rule: U, x: f64, complex_step: Option<f64>) -> Report {
        let mut report = Report::new(format!("{} at {x}", U::NAME));
        if !self.is_finite_at(&mut report, &[x]) {
            return report;
        }
        let second = |x: f64| HyperDual::variable(x).lift1(rule);
        let y = second(x);
        report.demand(same_bits(&[y.value()], &[rule.value(x)]), || "another value than the function".into());
        let exact = [self.reference, complex_step];
        report.probes.push(self.line("first derivative", |x| rule.value(x), y.e1(), x, exact));
        let first = |x: f64| Dual::variable(x).lift1(rule).tangent();
        report.probes.push(self.line("second derivative", first, y.e12(), x, [None; 2]));
        let nested = Dual::variable(Dual::variable(x)).lift1(rule).tangent().tangent();
        report.demand(close(nested, y.e12(), y.e1()), || {
            format!("the second derivative is {}, that of the first is {nested}", y.e12())
        });
        report
    }
    /// As [`check::holomorphic`](super::holomorphic), with these settings.
    pub fn holomorphic<H: Holomorphic>(&self, rule: H, z: Complex<f64>) -> Report {
        if z.im == 0.0 {
            let h = COMPLEX_STEP * if z.re == 0.0 { 1.0 } else { z.re.abs() };
            let step = rule.value_complex(Complex::new(z.re, h)).im / h;
            return self.unary(rule, z.re, Some(step).filter(|s| s.is_finite()));
        }
        let mut report = Report::new(format!("{} at {z}", H::NAME));
        if !self.is_finite_at(&mut report, &[z.re, z.im]) {
            return report;
        }
        for (axis, name) in [(Complex::new(1.0, 0.0), "1"), (Complex::i(), "i")] {
            let derivative = |z| Dual::new(z, axis).lift_holomorphic(rule);
            let second = Dual::new(Dual::new(z, axis), Dual::new(axis, Complex::default()));
            let second = second.lift_holomorphic(rule).tangent().tangent();
            let value = |z| rule.value_complex(z);
            let what = format!("derivative along {name}");
            report.probes.push(self.complex_line(what, &value, derivative(z).tangent(), z, axis));
            let what = format!("second derivative along {name}");
            let slope = |z| derivative(z).tangent();
            report.probes.push(self.complex_line(what, &slope, second, z, axis));
        }
        report
    }
    fn complex_line(
        &self,
        what: String,
        f: &dyn Fn(Complex<f64>) -> Complex<f64>,
        df: Complex<f64>,
        z: Complex<f64>,
        axis: Complex<f64>,
    ) -> Probe {
        self.first_conclusive(&sizes(z.norm()), |size| {
            let along: Line = &|h| {
                let w = f(z + axis * (h * size));
                (w.re.is_finite() && w.im.is_finite()).then(|| vec![w.re, w.im])
            };
            probe(what.clone(), along, &[df.re * size, df.im * size], &self.terms(size))
        })
    }
    /// As [`check::binary`](super::binary), with these settings.
    pub fn binary<B: Binary>(&self, rule: B, x: f64, y: f64) -> Report {
        let mut report = Report::new(format!("{} at ({x}, {y})", B::NAME));
        if !self.is_finite_at(&mut report, &[x, y]) {
            return report;
        }
        let partials = |x: f64, y: f64| {
            let along_x = Dual::variable(x).lift2(Dual::constant(y), rule);
            let along_y = Dual::constant(x).lift2(Dual::variable(y), rule);
            [along_x.tangent(), along_y.tangent()]
        };
        let [dx, dy] = partials(x, y);
        let (of_x, of_y) = (|x: f64| rule.value(x, y), |y: f64| rule.value(x, y));
        report.probes.push(self.line("derivative in the first", of_x, dx, x, [None; 2]));
        report.probes.push(self.line("derivative in the second", of_y, dy, y, [None; 2]));
        let [mut xx, mut xy, mut yy] = [0.0; 3];
        for (ex, ey, out) in [(1.0, 0.0, &mut xx), (0.0, 1.0, &mut yy)] {
            *out = HyperDual::new(x, ex, ex, 0.0).lift2(HyperDual::new(y, ey, ey, 0.0), rule).e12();
        }
        let mixed = |a: [f64; 2], b: [f64; 2]| {
            HyperDual::new(x, a[0], b[0], 0.0).lift2(HyperDual::new(y, a[1], b[1], 0.0), rule).e12()
        };
        let orders = [mixed([1.0, 0.0], [0.0, 1.0]), mixed([0.0, 1.0], [1.0, 0.0])];
        xy += orders[0];
        let size = [xx, xy, yy].iter().fold(0.0, |m: f64, d| m.max(d.abs()));
        report.demand(close(orders[0], orders[1], size), || format!("mixed derivatives {orders:?}"));
        let probes = [
            self.line("second derivative in the first", |x| partials(x, y)[0], xx, x, [None; 2]),
            self.line("mixed derivative", |x| partials(x, y)[1], xy, x, [None; 2]),
            self.line("second derivative in the second", |y| partials(x, y)[1], yy, y, [None; 2]),
        ];
        report.probes.extend(probes);
        report
    }
    /// Whether the point is finite; if not, the report says where not, and that nothing can be told.
    pub(super) fn is_finite_at(&self, report: &mut Report, x: &[f64]) -> bool {
        let strange = (0..x.len()).filter(|&i| !x[i].is_finite()).map(|i| (0, i));
        report.non_finite.extend(strange);
        let finite = report.non_finite.is_empty();
        if !finite {
            report.doubts.push("differences tell nothing where the argument is not finite".into());
        }
        finite
    }
}

/// Whether two numbers agree as two ways to one derivative should, relative to them or to `size`.
fn close(a: f64, b: f64, size: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= ROUTES * b.abs().max(size.abs())
}
