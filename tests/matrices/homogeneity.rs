//! Functions of matrices at every scale: inputs multiplied by powers of two, which is exact, multiply the results and
//! their derivatives by powers of two, until these leave the range of the float.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fastrand::Rng;
use nalgebra::Complex;

use super::curves::{Found, Way, ways};
use super::functions::{Function, Sizes};
use super::programs::Entries;
use super::scaling::{Law, laws};
use crate::random::{Part, is_scan};

/// A function, its inputs, a direction and cotangents of the results.
struct Point {
    function: Function,
    x: Vec<Entries>,
    dx: Vec<Entries>,
    /// The results.
    y: Vec<Entries>,
    cot: Vec<Entries>,
}

impl Point {
    fn new(function: Function, s: Sizes, complex: bool) -> Point {
        let mut random = Rng::with_seed(24 + s.m as u64 + 100 * s.n as u64);
        let inputs = function.inputs(s);
        // Singles, which are the same at both floats.
        let single = |x: Entries| x.map(|x| Complex::new(f64::from(x.re as f32), f64::from(x.im as f32)));
        let x: Vec<Entries> = inputs.iter().map(|i| single(i.value(&mut random, complex))).collect();
        let dx = inputs.iter().map(|i| single(i.direction(&mut random, complex))).collect();
        let y = match complex {
            true => function.at::<Complex<f64>>(&x),
            false => function.at::<f64>(&x.iter().map(|x| x.map(|x| x.re)).collect::<Vec<_>>()),
        };
        let mut part = |yes: bool| if yes { 2.0 * random.f64() - 1.0 } else { 0.0 };
        let mut weights = |y: &Entries| single(y.map(|_| Complex::new(part(true), part(complex))));
        let y: Vec<Entries> = y.expect("a value").into_iter().map(|(_, y)| y).collect();
        let cot = y.iter().map(&mut weights).collect();
        Point { function, x, dx, y, cot }
    }
}

/// `x·2^e`.
fn scaled(x: &Entries, e: i32) -> Entries {
    x.map(|x| Complex::new(libm_scale(x.re, e), libm_scale(x.im, e)))
}

fn libm_scale(x: f64, mut e: i32) -> f64 {
    let mut x = x;
    while e != 0 {
        let step = e.clamp(-900, 900);
        x *= 2f64.powi(step);
        e -= step;
    }
    x
}

/// The exponent of the largest entry.
fn exponent(x: &Entries) -> Option<i32> {
    let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.re.abs()).max(x.im.abs()));
    (largest > 0.0).then(|| largest.log2().floor() as i32)
}

/// The ends of the range of a float: normal numbers with a few digits to spare.
#[derive(Clone, Copy)]
struct Range {
    least: i32,
    most: i32,
    /// The middle half, in which all numbers beside a matrix near 1 must be.
    middle: i32,
    /// The relative error that is allowed.
    limit: f64,
}

impl Range {
    fn holds(self, x: &Entries, e: i32) -> bool {
        exponent(x).is_none_or(|own| (self.least..=self.most).contains(&(own + e)))
    }
}

/// Failures, by function, method and law.
struct Findings {
    failed: BTreeMap<String, Vec<String>>,
    compared: usize,
    part: Part,
}

impl Findings {
    fn add(&mut self, what: String, detail: String) {
        self.failed.entry(what).or_default().push(detail);
    }
    /// A block against the one at scale 1.
    fn compare(
        &mut self,
        range: Range,
        what: &str,
        detail: &dyn Fn() -> String,
        (want, got): (&Entries, &Entries),
        e: i32,
    ) {
        let Some(own) = exponent(want) else { return };
        if own + e < range.least {
            return;
        }
        self.compared += 1;
        if own + e > range.most {
            // Two octaves of doubt at the end of the range.
            let wrong = |(w, g): (&Complex<f64>, &Complex<f64>)| {
                let beyond = |w: f64| w != 0.0 && w.abs().log2() + f64::from(e) > f64::from(range.most + 16);
                (beyond(w.re) && g.re.is_finite()) || (beyond(w.im) && g.im.is_finite())
            };
            if want.iter().zip(got).any(wrong) {
                self.add(format!("{what}, beyond the range"), format!("{}: {got}", detail()));
            }
            return;
        }
        let distance = (scaled(got, -e) - want).norm();
        let holds = distance <= range.limit * want.norm();
        if !holds {
            self.add(
                what.to_string(),
                format!("{}: {:.1e} of {:.1e}·2^{e}", detail(), distance, want.norm()),
            );
        }
    }
}

fn quiet<R>(run: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// Each group separately, and all.
fn choices(groups: usize) -> Vec<Vec<bool>> {
    let alone = (0..groups).map(|i| (0..groups).map(|j| i == j).collect::<Vec<_>>());
    let mut all = vec![vec![true; groups]];
    all.extend(alone.filter(|_| groups > 1));
    all
}

fn chosen(x: &[Entries], chosen: &[bool], exponents: &[i32], e: i32) -> Vec<Option<Entries>> {
    let one = |((x, &yes), own): ((&Entries, &bool), &i32)| yes.then(|| scaled(x, own + e));
    x.iter().zip(chosen).zip(exponents).map(one).collect()
}

/// The scales of the direction and the cotangents, in addition to the scales of the inputs and results.
fn factors(exponents: &[i32]) -> Vec<i32> {
    let mut all = vec![0];
    all.extend(exponents);
    all.sort_unstable();
    all.dedup();
    all
}

/// The scales that take blocks, by the exponents of entries and scales, to the ends of the range. Sums of a hundred terms
/// fit, which for a small block may have the size of the point, 1.
fn to_the_ends(range: Range, blocks: &[(i32, i32)]) -> Vec<i32> {
    let most = blocks.iter().map(|(own, e)| range.most - 7 - own.max(&0) - e).min();
    let least = blocks.iter().map(|(own, e)| range.least - own - e).max();
    most.into_iter().chain(least).collect()
}

/// A point, a way to its derivatives, and the groups that have directions or weights.
struct Trial<'a> {
    point: &'a Point,
    range: Range,
    way: Way,
    choice: Vec<bool>,
    of_x: Vec<bool>,
    of_y: Vec<bool>,
    /// The derivatives at scale 1.
    want: Vec<Vec<Entries>>,
    what: String,
}

/// A law at a power of two: the exponents of inputs and results, and the inputs.
struct Scale<'a> {
    law: &'a Law,
    k: i32,
    e_x: Vec<i32>,
    e_y: Vec<i32>,
    x: Vec<Entries>,
}

impl<'a> Trial<'a> {
    /// The derivatives at scale 1; none if they fail.
    fn new(point: &'a Point, range: Range, way: Way, choice: Vec<bool>, what: String) -> Option<Trial<'a>> {
        let (inputs, results) = (point.x.len(), point.cot.len());
        let (of_x, of_y) = match way.is_backward {
            true => (vec![way.order > 1; inputs], choice.clone()),
            false => (choice.clone(), vec![false; results]),
        };
        let mut trial = Trial { point, range, way, choice, of_x, of_y, want: Vec::new(), what };
        let (ones, zeros) = (vec![0; inputs], vec![0; results]);
        trial.want = quiet(|| trial.run(&point.x, (&ones, 0), (&zeros, 0)))?.ok()?;
        Some(trial)
    }
    /// Runs the way with a direction and weights of these exponents.
    fn run(&self, x: &[Entries], (e_x, t): (&[i32], i32), (back, w): (&[i32], i32)) -> Found {
        let dx = chosen(&self.point.dx, &self.of_x, e_x, t);
        let cot = chosen(&self.point.cot, &self.of_y, back, w);
        (self.way.run)(self.point.function, x, &dx, &cot)
    }
    /// The law at a power of two, with directions and weights of all scales.
    fn check(&self, findings: &mut Findings, law: &Law, k: i32) {
        let (point, range) = (self.point, self.range);
        let e_x: Vec<i32> = law.inputs.iter().map(|a| a * k).collect();
        let e_y: Vec<i32> = law.results.iter().map(|d| d * k).collect();
        let fits = point.x.iter().zip(&e_x).all(|(x, &e)| range.holds(x, e));
        let fit = law.is_logarithm || point.y.iter().zip(&e_y).all(|(y, &e)| range.holds(y, e));
        if !fits || !fit {
            return;
        }
        let x: Vec<Entries> = point.x.iter().zip(&e_x).map(|(x, &e)| scaled(x, e)).collect();
        let directions = factors(&e_x.iter().map(|e| -e).chain(e_y.iter().map(|e| -e)).collect::<Vec<_>>());
        let blocks = |e: &[i32], sign: i32| {
            let first = self.want[usize::from(!self.way.is_backward)].iter().zip(e);
            first.filter_map(|(x, e)| Some((exponent(x)?, sign * e))).collect::<Vec<_>>()
        };
        let weights = match self.way.is_backward {
            true => factors(&[&e_x[..], &e_y, &to_the_ends(range, &blocks(&e_x, -1))].concat()),
            false => vec![0],
        };
        let directions = match (self.way.is_backward, self.way.order) {
            (true, 1) => vec![0],
            (_, 1) => factors(&[directions, to_the_ends(range, &blocks(&e_y, 1))].concat()),
            _ => factors(&[-e_x[0]]),
        };
        let scale = Scale { law, k, e_x, e_y, x };
        for (&t, &w) in directions.iter().flat_map(|t| weights.iter().map(move |w| (t, w))) {
            if findings.part.takes() {
                self.check_at(findings, &scale, t, w);
            }
        }
    }
    /// The law with a direction of scale `t` and weights of scale `w`.
    fn check_at(&self, findings: &mut Findings, scale: &Scale, t: i32, w: i32) {
        let (point, range) = (self.point, self.range);
        let Scale { law, k, e_x, e_y, x } = scale;
        let back: Vec<i32> = e_y.iter().map(|e| -e).collect();
        // The inputs must be in the range.
        let inside = |x: &[Entries], of: &[bool], e: &[i32], more: i32| {
            (x.iter().zip(of).zip(e)).all(|((x, &yes), &e)| !yes || range.holds(x, e + more))
        };
        let given = inside(&point.dx, &self.of_x, e_x, t) && inside(&point.cot, &self.of_y, &back, w);
        // Neither a matrix near 1 nor the parts of a composition are divided: nothing is promised beyond the middle half
        // of the range.
        let is_near = *k != 0 && (law.is_composition || k.abs() <= range.most / 4);
        let is_promised = |e: i32| !is_near || e.abs() <= range.middle;
        let known = e_x.iter().flat_map(|e| [*e, e + t]).chain(back.iter().flat_map(|e| [*e, e + w]));
        if !given || !known.into_iter().all(is_promised) {
            return;
        }
        let choice = &self.choice;
        let detail =
            || format!("inputs {:?} by 2^{k}, direction 2^{t}, weights 2^{w}, {choice:?}", law.inputs);
        let got = match quiet(|| self.run(x, (e_x, t), (&back, w))) {
            Some(Ok(got)) => got,
            Some(Err(e)) => return findings.add(self.what.clone(), format!("{}: {e}", detail())),
            None => return findings.add(self.what.clone(), format!("{}: panics", detail())),
        };
        // The derivative of an order is a truth where all results' derivatives of the orders before are, and from the
        // second order on of the same order: results of a factorisation depend on one another.
        let (mut is_in, backward) = (true, self.way.is_backward);
        for (k, (want, got)) in self.want.iter().zip(&got).enumerate() {
            // Where a single derivative is out of the range, a product with weights is no truth either.
            let of_y = e_y.iter().flat_map(|y| e_x.iter().map(move |x| (y - x) + k as i32 * t));
            let is_in_range = |e: i32| (range.least..=range.most).contains(&e);
            is_in &= !backward || of_y.into_iter().all(is_in_range);
            let exponents: Vec<i32> = match backward {
                true => e_x.iter().map(|e| w - e + k as i32 * t).collect(),
                false => e_y.iter().map(|e| e + k as i32 * t).collect(),
            };
            let in_range = |i: usize| is_promised(exponents[i]) && range.holds(&want[i], exponents[i]);
            let all = (0..want.len()).all(in_range);
            is_in &= k < 2 || all;
            for (i, (want, got)) in want.iter().zip(got).enumerate() {
                if (k == 0 && !backward && law.is_logarithm) || !is_in || !is_promised(exponents[i]) {
                    continue;
                }
                let detail = || format!("{}, order {k}, {i}", detail());
                findings.compare(range, &self.what, &detail, (want, got), exponents[i]);
            }
            is_in &= all;
        }
    }
}

/// A small size of other arithmetic, and one of the rules; more of them in long runs.
const SIZES: [Sizes; 5] = [
    Sizes { m: 8, k: 2, n: 7 },
    Sizes { m: 4, k: 2, n: 3 },
    Sizes { m: 3, k: 1, n: 1 },
    Sizes { m: 2, k: 3, n: 3 },
    Sizes { m: 5, k: 2, n: 4 },
];

const DOUBLE: Range = Range { least: -1000, most: 1014, middle: 490, limit: 1e-11 };
const SINGLE: Range = Range { least: -118, most: 120, middle: 58, limit: 2e-3 };

/// Exponents of scales: the ends, a half and a third of the way to where squares leave the range, and others.
const DOUBLE_POWERS: [i32; 10] = [957, 480, 359, 664, 0, 160, 250, 520, 800, 990];
const SINGLE_POWERS: [i32; 10] = [114, 59, 53, 0, 80, 20, 30, 40, 66, 100];

#[test]
fn functions_of_real_matrices_scale_until_their_truth_leaves_the_range() {
    demand(false);
}

#[test]
fn functions_of_complex_matrices_scale_until_their_truth_leaves_the_range() {
    demand(true);
}

fn demand(complex: bool) {
    let mut findings = Findings { failed: BTreeMap::new(), compared: 0, part: Part::one_in(4) };
    let only = std::env::var("ONLY").ok();
    for &function in Function::ALL {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|only| only == function.0)) {
            continue;
        }
        for s in SIZES.into_iter().take(if is_scan() { 5 } else { 3 }) {
            let (point, laws) = (Point::new(function, s, complex), laws(function, s, complex));
            if laws.is_empty() {
                continue;
            }
            for range in [DOUBLE, SINGLE] {
                check(&mut findings, (&point, s), range, complex, &laws);
            }
        }
    }
    println!("{} comparisons", findings.compared);
    for (what, details) in &findings.failed {
        println!("{what}: {} times, first {}", details.len(), details[0].replace('\n', " "));
    }
    assert!(findings.failed.is_empty());
}

/// All laws of a function, by every way over a float.
fn check(findings: &mut Findings, (point, s): (&Point, Sizes), range: Range, complex: bool, laws: &[Law]) {
    let (name, is_double) = (point.function.0, range.most == DOUBLE.most);
    let all = if is_double { DOUBLE_POWERS } else { SINGLE_POWERS };
    let some = match (is_scan(), s.m) {
        (true, _) => 10,
        (false, 7..) => 2,
        _ => 3,
    };
    let mut powers: Vec<i32> = all.iter().take(some).flat_map(|&k| [k, -k]).collect();
    powers.dedup();
    let float = if is_double { "f64" } else { "f32" };
    let kind = format!("{}×{} {float}{}", s.m, s.n, if complex { " complex" } else { "" });
    for way in ways(is_double, complex) {
        // The third derivative of a root of squares has the fifth power of the root's reciprocal.
        if name == "norm" && way.order > 2 && !is_double {
            continue;
        }
        let groups = if way.is_backward { point.cot.len() } else { point.x.len() };
        for choice in choices(groups) {
            let what = format!("{name} {kind} {}", way.name);
            let Some(trial) = Trial::new(point, range, way, choice, what.clone()) else {
                findings.add(what, "fails at scale 1".into());
                continue;
            };
            for (law, &k) in laws.iter().flat_map(|law| powers.iter().map(move |k| (law, k))) {
                trial.check(findings, law, if law.is_composition { k / 4 } else { k });
            }
        }
    }
}
