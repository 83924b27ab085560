//! Rules of one and two variables, real and complex.

use num_complex::Complex;

use super::Check;
use super::parts::{C, same_bits};
use super::report::{Report, VALUES_DIFFER, short};
use super::single;
use super::subject::{COMPLEX_STEP, PartialEntries, ProbeLine, Subject, longest, sizes};
use crate::duals::{Dual, HyperDual};
use crate::number::{BaseFloat, Number, Real};
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary};

/// The accepted relative difference of two ways to compute a second derivative.
const ROUTES: f64 = 1e-9;
/// The directions in which a number is moved.
const AXES: [(C, &str); 2] = [(ONE, " along 1"), (C::new(0.0, 1.0), " along i")];
const ONE: C = C::new(1.0, 0.0);
/// Directions for comparisons near a point: of real arguments, and of complex ones, off the axes.
const ASIDE: [C; 2] = [ONE, C::new(0.8, 0.0)];
const ASIDE_COMPLEX: [C; 2] = [C::new(0.8, 0.6), C::new(0.6, -0.8)];

/// A rule at arguments with two directions each: the value, the derivative along the first directions, and the
/// derivative of that along the second.
type Jet<'a> = &'a dyn Fn(&[[C; 3]]) -> [C; 3];
/// The value of a rule at complex numbers.
type AtComplex<'a> = &'a dyn Fn(&[C]) -> Option<C>;

/// A rule of one or two numbers. A real one takes the real parts. Checks are compiled once, for all rules.
struct RuleSubject<'a> {
    name: &'static str,
    arguments: usize,
    is_real: bool,
    value: &'a dyn Fn(&[C]) -> C,
    /// At `f64`, and at `f32`.
    double: Jet<'a>,
    single: Jet<'a>,
    /// A real rule at complex numbers, and whether complex steps decide.
    complex: Option<(AtComplex<'a>, bool)>,
    /// A second derivative in two ways, and the size of their terms.
    routes: &'a dyn Fn(&[C]) -> Option<[f64; 3]>,
}

/// A real number with two directions.
fn hyper<F: BaseFloat>(numbers: [C; 3]) -> HyperDual<F> {
    let [x, dx, dy] = numbers.map(|x| F::from_double(x.re));
    HyperDual::new(x, dx, dy, F::from_double(0.0))
}
fn of_hyper<F: BaseFloat>(y: HyperDual<F>) -> [C; 3] {
    [y.value(), y.e1(), y.e12()].map(|y| C::from(y.to_double()))
}

/// A complex number with two directions.
fn nested<F: BaseFloat>(numbers: [C; 3]) -> Dual<Dual<Complex<F>>>
where
    Complex<F>: Number<Primal = Complex<F>>,
{
    let [z, dz, dw] = numbers.map(|x| Complex::new(F::from_double(x.re), F::from_double(x.im)));
    Dual::new(Dual::new(z, dz), Dual::constant(dw))
}
fn of_nested<F: BaseFloat>(y: Dual<Dual<Complex<F>>>) -> [C; 3]
where
    Complex<F>: Number<Primal = Complex<F>>,
{
    let parts = [y.value().value(), y.value().tangent(), y.tangent().tangent()];
    parts.map(|x| C::new(x.re.to_double(), x.im.to_double()))
}

impl RuleSubject<'_> {
    /// The value, the derivative along `dx`, and the derivative of that along `dy`.
    fn jet(&self, x: &[C], dx: &[C], dy: &[C]) -> [C; 3] {
        (self.double)(&with_directions(x, dx, dy))
    }
    /// The unit vector of an argument, times a number.
    fn unit(&self, place: usize, by: C) -> Vec<C> {
        (0..self.arguments).map(|i| if i == place { by } else { C::default() }).collect()
    }
    /// The parts of numbers: real rules have real parts only.
    fn parts(&self, x: &[C]) -> Vec<f64> {
        x.iter().flat_map(|x| [x.re, x.im].into_iter().take(if self.is_real { 1 } else { 2 })).collect()
    }
    /// Which argument is moved.
    fn argument(&self, place: usize) -> &'static str {
        if self.arguments == 1 { "" } else { [" in the first", " in the second"][place] }
    }
    /// The name and the arguments.
    fn title(&self, x: &[C]) -> String {
        let sign = |x: f64| if x.is_sign_negative() { "-" } else { "+" };
        let number = |z: &C| match self.is_real {
            true => short(z.re),
            false => format!("{}{}{}i", short(z.re), sign(z.im), short(z.im.abs())),
        };
        let numbers = x.iter().map(number).collect::<Vec<_>>().join(", ");
        let numbers = if self.arguments == 1 { numbers } else { format!("({numbers})") };
        format!("{} at {numbers}", self.name)
    }
    /// The value, or a derivative along one or two directions. The rule runs with directions of length 1.
    fn derivative(&self, x: &[C], along: &[&[C]]) -> C {
        let unit = |k: usize| -> Vec<C> {
            let dx = along.get(k).map(|dx| dx.iter().map(|d| d / longest(dx)).collect());
            dx.unwrap_or_else(|| vec![C::default(); x.len()])
        };
        let (dx, dy) = (unit(0), unit(1));
        let slope = match along {
            [] => (self.value)(x),
            [_] => self.jet(x, &dx, &dy)[1],
            _ => {
                let [slope, turned] = [self.jet(x, &dx, &dy), self.jet(x, &dy, &dx)].map(|y| y[2]);
                if self.is_real && !turned.is_finite() { turned } else { slope }
            }
        };
        along.iter().fold(slope, |slope, dx| slope * longest(dx))
    }
    /// The derivative along one argument by a complex step, and whether it decides.
    fn complex_step(&self, x: &[C], dx: &[C]) -> Option<(Vec<f64>, bool)> {
        let (f, decides) = self.complex?;
        let place = dx.iter().position(|dx| *dx != C::default())?;
        let h = COMPLEX_STEP * if x[place].re == 0.0 { 1.0 } else { x[place].re.abs() };
        let mut z = x.to_vec();
        z[place] = C::new(x[place].re, h);
        let partial = f(&z)?.im / h;
        partial.is_finite().then(|| (vec![partial * longest(dx)], decides))
    }
    /// Compares the rule at `f32` and `f64` along each of its arguments.
    fn compare_floats(&self, report: &mut Report, reach: f64, x: &[C]) {
        for place in 0..x.len() {
            let along = self.unit(place, ONE);
            let both = |moved: C| {
                // Both see the nearest single of the other argument.
                let at = |i: usize| if i == place { moved } else { single::nearest(x[i]) };
                let at: Vec<C> = (0..x.len()).map(at).collect();
                [self.single, self.double].map(|jet| jet(&with_directions(&at, &along, &along)))
            };
            single::compare(report, reach, self.argument(place), x[place], &both);
        }
    }
    /// Lines of first derivatives along each axis of each argument, then lines of second derivatives.
    fn lines(&self, x: &[C]) -> Vec<ProbeLine> {
        let (axes, mut lines) = (if self.is_real { &AXES[..1] } else { &AXES }, Vec::new());
        for (place, (axis, along)) in (0..x.len()).flat_map(|place| axes.iter().map(move |a| (place, a))) {
            let what = format!("{}{}", self.argument(place), if self.is_real { "" } else { along });
            let directions = sizes(x[place].norm()).into_iter();
            let directions: Vec<_> = directions.map(|size| (size, self.unit(place, axis * size))).collect();
            // The other argument may be a period.
            let period = |other: f64| other.min(x[place].norm_sqr() / other);
            let period = if x.len() == 2 { period(x[1 - place].norm()) } else { 1.0 };
            let mut line = |what: String, fixed| {
                lines.push(ProbeLine { what, directions: directions.clone(), fixed, period });
            };
            line(format!("first derivative{what}"), vec![]);
            // Of real rules the mixed derivative once, by the partial of the second argument.
            for other in if self.is_real { place } else { 0 }..x.len() {
                let mixed = if other == place { "" } else { " and the other" };
                line(format!("second derivative{what}{mixed}"), vec![self.unit(other, ONE)]);
            }
        }
        lines.sort_by_key(|line| line.fixed.len());
        lines
    }
}

/// Arguments with two directions each.
fn with_directions(x: &[C], dx: &[C], dy: &[C]) -> Vec<[C; 3]> {
    (0..x.len()).map(|i| [x[i], dx[i], dy[i]]).collect()
}

impl Check {
    /// Like [`check::rule`](super::rule), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
    #[track_caller]
    pub fn rule<U: Unary>(&self, rule: U, x: f64) -> Report {
        self.one_real(rule, x, false)
    }
    #[track_caller]
    fn one_real<U: Unary>(&self, rule: U, x: f64, complex_decides: bool) -> Report {
        let routes = |x: &[C]| {
            let (y, nested) = (HyperDual::variable(x[0].re), Dual::variable(Dual::variable(x[0].re)));
            let (y, nested) = (y.lift1(rule), nested.lift1(rule));
            Some([nested.tangent().tangent(), y.e12(), y.e1()])
        };
        let subject = RuleSubject {
            name: U::NAME,
            arguments: 1,
            is_real: true,
            value: &|x| rule.value(x[0].re).into(),
            double: &|x| of_hyper(hyper::<f64>(x[0]).lift1(rule)),
            single: &|x| of_hyper(hyper::<f32>(x[0]).lift1(rule)),
            complex: Some((&|z| rule.at_complex(z[0]), complex_decides)),
            routes: &routes,
        };
        self.subject(&subject, &[x.into()])
    }
    /// Like [`check::binary`](super::binary), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
    #[track_caller]
    pub fn binary<B: Binary>(&self, rule: B, x: f64, y: f64) -> Report {
        let double: Jet = &|x| of_hyper(hyper::<f64>(x[0]).lift2(hyper(x[1]), rule));
        // The mixed one, in both orders. One that is not finite is judged by differences.
        let routes = |x: &[C]| {
            let second = |first: [f64; 2], second: [f64; 2]| {
                double(&[0, 1].map(|i| [x[i], first[i].into(), second[i].into()]))[2].re
            };
            let (ex, ey) = ([1.0, 0.0], [0.0, 1.0]);
            let (a, b) = (second(ex, ey), second(ey, ex));
            let size = a.abs().max(second(ex, ex).abs()).max(second(ey, ey).abs());
            (a.is_finite() && b.is_finite()).then_some([a, b, size])
        };
        let subject = RuleSubject {
            name: B::NAME,
            arguments: 2,
            is_real: true,
            value: &|x| rule.value(x[0].re, x[1].re).into(),
            double,
            single: &|x| of_hyper(hyper::<f32>(x[0]).lift2(hyper(x[1]), rule)),
            complex: Some((&|z| rule.at_complex(z[0], z[1]), false)),
            routes: &routes,
        };
        self.subject(&subject, &[x.into(), y.into()])
    }
    /// Like [`check::holomorphic`](super::holomorphic), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
    #[track_caller]
    pub fn holomorphic<H: Holomorphic>(&self, rule: H, z: C) -> Report {
        if z.im == 0.0 {
            return self.one_real(rule, z.re, true);
        }
        let subject = RuleSubject {
            name: <H as Holomorphic>::NAME,
            arguments: 1,
            is_real: false,
            value: &|z| rule.value_complex(z[0]),
            double: &|z| of_nested(nested::<f64>(z[0]).lift_holomorphic(rule)),
            single: &|z| of_nested(nested::<f32>(z[0]).lift_holomorphic(rule)),
            complex: None,
            routes: &|_| None,
        };
        self.subject(&subject, &[z])
    }
    /// Like [`check::holomorphic_binary`](super::holomorphic_binary), with these settings.
    ///
    /// # Panics
    /// If there is a [reference](Check::reference) with a wrong number of entries.
    #[track_caller]
    pub fn holomorphic_binary<H: HolomorphicBinary>(&self, rule: H, z: C, w: C) -> Report {
        let subject = RuleSubject {
            name: H::NAME,
            arguments: 2,
            is_real: false,
            value: &|z| rule.value_complex(z[0], z[1]),
            double: &|z| of_nested(nested::<f64>(z[0]).lift_holomorphic2(nested(z[1]), rule)),
            single: &|z| of_nested(nested::<f32>(z[0]).lift_holomorphic2(nested(z[1]), rule)),
            complex: None,
            routes: &|_| None,
        };
        self.subject(&subject, &[z, w])
    }
    /// A rule at a point, near it, and at `f32`.
    #[track_caller]
    fn subject(&self, rule: &RuleSubject, x: &[C]) -> Report {
        let mut report = Report::new(rule.title(x));
        self.subject_at(&mut report, rule, x);
        let axes = if rule.is_real { ASIDE } else { ASIDE_COMPLEX };
        let aside = |size: f64| axes[..rule.arguments].iter().map(|axis| axis * size).collect();
        self.look_beside(&mut report, x, &aside, &|check, report, x| check.subject_at(report, rule, x));
        rule.compare_floats(&mut report, self.max_step, x);
        report
    }
    #[track_caller]
    fn subject_at(&self, report: &mut Report, rule: &RuleSubject, x: &[C]) {
        if !report.is_finite_at(&[&rule.parts(x)]) {
            return;
        }
        let axes: Vec<Vec<C>> = (0..x.len()).map(|i| rule.unit(i, ONE)).collect();
        let (value, of_numbers) = ((rule.value)(x), rule.jet(x, &axes[0], &axes[0])[0]);
        let slopes: Vec<C> = axes.iter().map(|axis| rule.derivative(x, &[axis])).collect();
        self.note_slopes(report, value, &slopes);
        report.demand(same_bits(&rule.parts(&[value]), &rule.parts(&[of_numbers])), || VALUES_DIFFER.into());
        if let Some([a, b, size]) = (rule.routes)(x) {
            let limit = self.limit(ROUTES) * b.abs().max(size.abs()) + f64::MIN_POSITIVE;
            let is_close = a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= limit;
            report.demand(is_close, || {
                format!("the second derivative is {} in one way, {} in another", short(b), short(a))
            });
        }
        let subject = Subject {
            derivative: &|x, along| Ok(vec![rule.derivative(x, along)]),
            complex_step: &|x, dx| rule.complex_step(x, dx),
            entries: if rule.is_real { PartialEntries::Real } else { PartialEntries::Holomorphic },
        };
        self.compare_lines(report, &subject, x, &rule.lines(x));
    }
    /// Records a result that is not finite, or, without a reference, derivatives that are not finite.
    pub(super) fn note_slopes(&self, report: &mut Report, value: C, slopes: &[C]) {
        let known = self.reference.is_some() || slopes.iter().all(|d| d.is_finite());
        report.note_non_finite([value.is_finite() && known]);
    }
}
