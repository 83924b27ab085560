//! How often a check is mistaken: all rules at hard points, in all forms that are checked.
//!
//! A false alarm is a right rule called wrong, a false pass a wrong one called right. `cargo test --test check scan
//! -- --nocapture` prints the numbers. The variable `SCAN` selects all points, and multiplies the usual number of
//! [`planted`](super::planted) errors: `SCAN=200 cargo test --release --test check -- --nocapture scan planted`.
//! `SCAN_REPORTS` names a folder for the reports of mistakes.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use num_complex::Complex64;
use wengert::check::{self, Report, Verdict};
use wengert::primitive::{PrimalNumber, Primitive};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{AdError, Dual, LinearMap, Number, Real, VectorFunction};

use crate::random::Part;

/// Zeros, ends of ranges and domains, poles, points where functions turn, whole and half numbers, and arguments larger
/// than any period; all with both signs.
pub const HARD: [f64; 78] = [
    0.0,
    5e-324,
    1e-310,
    2.3e-308,
    1e-300,
    1e-210,
    1e-200,
    1e-160,
    1e-150,
    1e-100,
    1e-50,
    1e-30,
    1e-16,
    1e-12,
    1e-8,
    1e-6,
    1e-4,
    1e-3,
    0.01,
    0.1,
    0.25,
    0.5,
    0.56714329,
    0.75,
    0.9,
    0.999,
    0.999999,
    0.999999999999,
    1.0,
    1.000000000001,
    1.0000001,
    1.001,
    1.2,
    1.25,
    1.4616321449683622,
    1.5,
    FRAC_PI_2,
    1.99999,
    2.0,
    2.5,
    3.0,
    PI,
    3.5,
    4.493409457909064,
    4.71238898038469,
    5.3,
    7.5,
    10.0,
    15.0,
    19.5,
    20.0,
    26.5,
    27.2,
    37.0,
    40.0,
    100.0,
    170.5,
    171.7,
    300.0,
    700.0,
    709.5,
    710.2,
    745.0,
    1000.0,
    12345.678,
    1e5,
    2.5e6,
    1e7,
    1e9,
    12345678912.3,
    1e12,
    1e15,
    3.3e15,
    1e17,
    1e30,
    1e100,
    1e154,
    1e200,
];
const FAR: [f64; 3] = [1e300, 1.2e308, f64::MAX];

fn hard() -> impl Iterator<Item = f64> {
    HARD.into_iter().chain(FAR).flat_map(|x| [x, -x])
}

/// Counts of verdicts, and the reports that are mistaken.
#[derive(Default)]
pub struct Count {
    of: BTreeMap<&'static str, usize>,
    mistaken: Vec<String>,
}

impl Count {
    pub fn add(&mut self, kind: &'static str, mistaken: Option<String>) {
        *self.of.entry(kind).or_default() += 1;
        self.mistaken.extend(mistaken);
    }
    /// The verdict of something that is right.
    pub fn of_right(&mut self, what: impl FnOnce() -> String, report: &Report) {
        match report.verdict() {
            Verdict::Right => self.add("right", None),
            Verdict::Inconclusive => self.add("inconclusive", None),
            Verdict::Wrong => self.add("FALSE ALARM", Some(format!("{}: {report}", what()))),
        }
    }
    /// The verdict of something that is wrong.
    pub fn of_wrong(&mut self, what: &str, report: &Report) {
        match report.verdict() {
            Verdict::Wrong => self.add("wrong", None),
            Verdict::Inconclusive => self.add("inconclusive", None),
            Verdict::Right => self.add("FALSE PASS", Some(format!("{what}: {report}"))),
        }
    }
    pub fn finish(self, what: &str) {
        println!("{what}: {:?}", self.of);
        if let Ok(folder) = std::env::var("SCAN_REPORTS") {
            std::fs::write(format!("{folder}/{what}.txt"), self.mistaken.join("\n")).unwrap();
        }
        let n = self.mistaken.len();
        assert_eq!(n, 0, "{what}: {n} mistaken, for example {}", self.mistaken[n / 2]);
    }
}

/// A rule as a function of vectors.
#[derive(Clone)]
struct Lifted<U>(U);

impl<U> Unpin for Lifted<U> {}

impl<U: Unary> VectorFunction for Lifted<U> {
    fn outputs(&self, _: usize) -> usize {
        1
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        y[0] = x[0].lift1(self.0);
    }
}

/// A rule as a primitive.
impl<P: PrimalNumber<Base = f64>, H: Holomorphic> Primitive<P> for Lifted<H> {
    type Map<T: Number<Primal = P, Base = f64>> = Slope<T>;
    fn name(&self) -> &'static str {
        H::NAME
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        Ok(vec![x[0][0].lift_holomorphic(self.0)])
    }
    fn linearize<T: Number<Primal = P, Base = f64>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Slope<T>, AdError> {
        Ok(Slope(Holomorphic::derivative(self.0, x[0][0], y[0])))
    }
}

struct Slope<T>(T);

impl<T: Number> LinearMap<T> for Slope<T> {
    fn apply(&self, dx: &[Option<&[T]>], dy: &mut [T]) {
        dy[0] = dx[0].map_or(T::lit(0.0), |dx| self.0 * dx[0]);
    }
    fn apply_transpose_add(&self, w: &[T], dx: &mut [Option<&mut [T]>]) {
        dx[0].as_mut().into_iter().for_each(|dx| dx[0] += self.0.conj() * w[0]);
    }
}

fn slope<U: Unary>(rule: U, x: f64) -> f64 {
    Dual::variable(x).lift1(rule).tangent()
}

/// A rule in every form that is checked.
fn forms<U: Unary>(rule: U, x: f64) -> [Report; 3] {
    [
        check::rule(rule, x),
        check::derivative(|x| rule.value(x), |x| slope(rule, x), x),
        check::function(&Lifted(rule), &[x]),
    ]
}

struct Alarms {
    count: Count,
    numbers: Part,
    pairs: Part,
}

impl RuleVisitor for Alarms {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
        let angles = [0.0, 1e-300, 1e-20, 1e-9, 0.1, 0.7, FRAC_PI_2 - 1e-8, 1.6, 2.5, 3.1, PI - 1e-9];
        let sizes = HARD.into_iter().chain(FAR);
        let points = sizes.enumerate().flat_map(|(i, r)| {
            angles.into_iter().enumerate().map(move |(j, angle)| {
                Complex64::from_polar(r, if (i + j) % 2 == 0 { angle } else { -angle })
            })
        });
        for z in self.pairs.of(points) {
            self.count.of_right(|| format!("{} {z:e}", H::NAME), &check::holomorphic(rule, z));
            self.count.of_right(|| format!("{} {z:e}", H::NAME), &check::primitive(&Lifted(rule), &[&[z]]));
            self.count
                .of_right(|| format!("{} {z:e}", H::NAME), &check::primitive(&Lifted(rule), &[&[z.re]]));
        }
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        for x in self.numbers.of(hard()) {
            forms(rule, x)
                .iter()
                .for_each(|report| self.count.of_right(|| format!("{} {x:e}", U::NAME), report));
        }
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        let some: Vec<f64> = hard().step_by(3).collect();
        let pairs = some.iter().flat_map(|&x| some.iter().map(move |&y| (x, y)));
        let ties = some.iter().map(|&x| (x, x));
        for (x, y) in self.pairs.of(pairs.chain(ties)) {
            self.count.of_right(|| B::NAME.into(), &check::binary(rule, x, y));
        }
    }
}

#[test]
fn right_rules_at_hard_points() {
    let mut alarms = Alarms { count: Count::default(), numbers: Part::one_in(30), pairs: Part::one_in(90) };
    visit_rules(&mut alarms);
    alarms.count.finish("right rules at hard points");
}
