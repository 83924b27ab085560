//! Functions of matrices at every scale: inputs multiplied by powers of two, which is exact, multiply the results and
//! their derivatives by powers of two, until these leave the range of the float.
#![cfg(all(feature = "std", feature = "nalgebra"))]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fastrand::Rng;
use nalgebra::{Complex, DMatrix};
use wengert::matrix::Entry;
use wengert::{AdError, BaseFloat, Dual, Real, Tape, Var};

use matrices::functions::{Function, Sizes};
use matrices::programs::Entries;
use random::is_scan;

#[path = "support/random.rs"]
mod random;
#[allow(dead_code)] // the functions and their inputs
mod matrices {
    pub mod functions;
    pub mod programs;
}

/// Exponents of the inputs, and the exponents of the results that follow from them.
#[derive(Clone, Debug)]
struct Law {
    inputs: Vec<i32>,
    results: Vec<i32>,
    /// Whether the result is a logarithm: only its derivatives are scaled.
    is_logarithm: bool,
}

/// The laws of a function; empty if it has none.
fn laws(function: Function, s: Sizes) -> Vec<Law> {
    let law = |(inputs, results): (&[i32], &[i32])| Law {
        inputs: inputs.to_vec(),
        results: results.to_vec(),
        is_logarithm: false,
    };
    let all = |laws: &[(&[i32], &[i32])]| laws.iter().map(|&l| law(l)).collect::<Vec<_>>();
    let logarithm =
        |inputs: &[i32], results: &[i32]| vec![Law { is_logarithm: true, ..law((inputs, results)) }];
    let (n, entries) = (s.n as i32, (s.m.min(4) * s.n.min(4)) as i32);
    let system: &[(&[i32], &[i32])] = &[
        (&[1, 0], &[-1]),
        (&[0, 1], &[1]),
        (&[1, 1], &[0]),
        (&[1, -1], &[-2]),
        (&[2, 1], &[-1]),
        (&[1, 2], &[1]),
    ];
    match function.0 {
        "matmul" | "matmul_tn" | "matmul_nt" | "matmul_tt" | "matmul_hn" | "matmul_nh" | "matmul_hh"
        | "outer" | "dot" | "dotc" | "kron" | "component_mul" => {
            all(&[(&[1, 0], &[1]), (&[0, 1], &[1]), (&[1, -1], &[0])])
        }
        "matmul_op" => all(&[(&[1, 0], &[1, 1]), (&[0, 1], &[1, 1]), (&[1, -1], &[0, 0])]),
        // Not by only α and β: tangents of both factors have a product before α multiplies it.
        "gemm" => all(&[
            (&[1, -1, 0, 0, 0], &[0]),
            (&[1, 0, -1, 0, 0], &[0]),
            (&[0, 1, -1, 1, -1], &[0]),
            (&[0, 1, 0, 0, 1], &[1]),
        ]),
        "trace"
        | "sum"
        | "sum_rows"
        | "sum_columns"
        | "mean"
        | "singular_values"
        | "norm"
        | "nuclear_norm"
        | "spectral_norm"
        | "eigenvalues"
        | "symmetric_eigenvalues" => all(&[(&[1], &[1])]),
        "solve"
        | "solve_transpose"
        | "lu_solve"
        | "lu_solve_transpose"
        | "lu_solve_adjoint"
        | "solve_lower"
        | "solve_upper"
        | "solve_lower_transpose"
        | "solve_upper_transpose"
        | "solve_lower_adjoint"
        | "solve_upper_adjoint"
        | "cholesky_solve"
        | "lstsq"
        | "lyapunov" => all(system),
        "lu_det" | "det" => all(&[(&[1], &[n])]),
        "lu_ln_abs_det" | "ln_abs_det" | "cholesky_ln_det" | "symmetric_function" => logarithm(&[1], &[0]),
        "sign_ln_det" => logarithm(&[1], &[0, 0]),
        "inverse" | "pinv" => all(&[(&[1], &[-1])]),
        "lu" => all(&[(&[1], &[0, 1])]),
        "solve_unit_lower"
        | "solve_unit_upper"
        | "solve_unit_lower_transpose"
        | "solve_unit_upper_transpose"
        | "with_row" => all(&[(&[0, 1], &[1])]),
        "with_column" => all(&[(&[1, 0], &[1])]),
        "cholesky" | "cholesky_l" | "symmetric_sqrt" => all(&[(&[2], &[1])]),
        "normalize" => all(&[(&[1], &[0])]),
        "svd" => all(&[(&[1], &[1, 0, 0])]),
        "qr" => all(&[(&[1], &[0, 1])]),
        "qr_factors" => all(&[
            (&[1, 0], &[0, 1, -1]),
            (&[0, 1], &[0, 0, 1]),
            (&[1, 1], &[0, 1, 0]),
            (&[2, 1], &[0, 2, -1]),
            (&[1, 2], &[0, 1, 1]),
        ]),
        "symmetric_eigen" | "eigen" => all(&[(&[1], &[1, 0])]),
        "matrix_power" => all(&[(&[1], &[3, -2])]),
        "sylvester" => all(&[(&[1, 1, 0], &[-1]), (&[0, 0, 1], &[1]), (&[1, 1, 1], &[0])]),
        "product" => all(&[(&[1], &[entries])]),
        // Exponentials; quotients of entries, at complex ones the operator of num-complex; and compositions: a part
        // of a composition may leave the range before the whole does.
        "expm" | "symmetric_exp" | "map" => Vec::new(),
        "component_div" | "with_scalar" | "gaussian_log_density" | "inverse_quadratic_form" => Vec::new(),
        other => panic!("{other}: say how it scales"),
    }
}

/// A function, its inputs, a direction and cotangents of the results.
struct Point {
    function: Function,
    x: Vec<Entries>,
    dx: Vec<Entries>,
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
        let cot = y.expect("a value").iter().map(|(_, y)| weights(y)).collect();
        Point { function, x, dx, cot }
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

/// Derivatives along a direction, of every order that the number holds, for each result.
fn forward<R: Real, S: Entry<Re = R>>(
    point: &Point,
    x: &[Entries],
    dx: &[Option<Entries>],
    seed: impl Fn(f64, f64) -> R,
    parts: impl Fn(R) -> Vec<f64>,
) -> Result<Vec<Vec<Entries>>, AdError> {
    let seeded = |(x, dx): (&Entries, &Option<Entries>)| {
        let t = dx.clone().unwrap_or_else(|| x * Complex::from(0.0));
        x.zip_map(&t, |x, t| S::of_parts(seed(x.re, t.re), seed(x.im, t.im)))
    };
    let x: Vec<DMatrix<S>> = x.iter().zip(dx).map(seeded).collect();
    let y = point.function.at(&x)?;
    let orders = parts(seed(0.0, 0.0)).len();
    let part = |y: &DMatrix<Complex<R>>, k: usize| y.map(|y| Complex::new(parts(y.re)[k], parts(y.im)[k]));
    Ok((0..orders).map(|k| y.iter().map(|(_, y)| part(y, k)).collect()).collect())
}

/// Cotangents of the inputs, with their derivatives where the tape is one of duals.
fn reverse<T: Real, S: Entry<Re = Var<T>>>(
    point: &Point,
    x: &[Entries],
    dx: &[Option<Entries>],
    cot: &[Option<Entries>],
    seed: impl Fn(f64, f64) -> T,
    parts: impl Fn(T) -> Vec<f64>,
) -> Result<Vec<Vec<Entries>>, AdError> {
    let tape = Tape::<T>::new();
    let record = |(x, dx): (&Entries, &Option<Entries>)| {
        let t = dx.clone().unwrap_or_else(|| x * Complex::from(0.0));
        x.zip_map(&t, |x, t| [tape.variable(seed(x.re, t.re)), tape.variable(seed(x.im, t.im))])
    };
    let variables: Vec<DMatrix<[Var<T>; 2]>> = x.iter().zip(dx).map(record).collect();
    let inputs: Vec<DMatrix<S>> = variables.iter().map(|x| x.map(|[re, im]| S::of_parts(re, im))).collect();
    let y = point.function.at(&inputs)?;
    let mut pairs = Vec::new();
    for ((_, y), cot) in y.iter().zip(cot) {
        for (y, c) in y.iter().zip(cot.iter().flatten()) {
            pairs.push((y.re, T::lit(c.re)));
            pairs.push((y.im, T::lit(c.im)));
        }
    }
    let found = tape.cotangents_of(&pairs);
    let orders = parts(seed(0.0, 0.0)).len();
    let part = |x: &DMatrix<[Var<T>; 2]>, k: usize| {
        x.map(|[re, im]| {
            let im = if S::IS_REAL { 0.0 } else { parts(found.of(im))[k] };
            Complex::new(parts(found.of(re))[k], im)
        })
    };
    Ok((0..orders).map(|k| variables.iter().map(|x| part(x, k)).collect()).collect())
}

/// Computes derivatives of a function by a number type, with respect to the inputs and directions given.
type Way<'a> = &'a dyn Fn(
    &Point,
    &[Entries],
    &[Option<Entries>],
    &[Option<Entries>],
) -> Result<Vec<Vec<Entries>>, AdError>;

/// Failures, by function, method and law.
#[derive(Default)]
struct Findings {
    failed: BTreeMap<String, Vec<String>>,
    compared: usize,
}

impl Findings {
    fn add(&mut self, what: String, detail: String) {
        self.failed.entry(what).or_default().push(detail);
    }
    /// A block against the one at scale 1.
    fn compare(&mut self, range: Range, what: &str, detail: &str, (want, got): (&Entries, &Entries), e: i32) {
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
                self.add(format!("{what}, beyond the range"), format!("{detail}: {got}"));
            }
            return;
        }
        let distance = (scaled(got, -e) - want).norm();
        let holds = distance <= range.limit * want.norm();
        if !holds {
            self.add(what.to_string(), format!("{detail}: {:.1e} of {:.1e}·2^{e}", distance, want.norm()));
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

/// All laws of a function at these powers of two.
fn check(
    findings: &mut Findings,
    point: &Point,
    law: &Law,
    range: Range,
    powers: &[i32],
    kind: &str,
    ways: &[(&str, usize, Way)],
) {
    let name = point.function.0;
    // The third derivative of a root of squares has the fifth power of the root's reciprocal.
    let is_beyond = |order: usize| name == "norm" && order > 2 && range.most < DOUBLE.most;
    let ones = vec![0; point.x.len()];
    for &(route, order, way) in ways.iter().filter(|way| !is_beyond(way.1)) {
        let backward = route.starts_with("reverse");
        let groups = if backward { point.cot.len() } else { point.x.len() };
        for choice in choices(groups) {
            let none = |n: usize| vec![false; n];
            let (of_x, of_y) = match backward {
                true => {
                    (if order > 1 { vec![true; point.x.len()] } else { none(point.x.len()) }, choice.clone())
                }
                false => (choice.clone(), none(point.cot.len())),
            };
            let at_one = |e: &[i32], f: &[i32]| {
                let (dx, cot) = (chosen(&point.dx, &of_x, e, 0), chosen(&point.cot, &of_y, f, 0));
                way(point, &point.x, &dx, &cot)
            };
            let Some(Ok(want)) = quiet(|| at_one(&ones, &vec![0; point.cot.len()])) else {
                findings.add(format!("{name} {kind} {route}"), "fails at scale 1".into());
                continue;
            };
            for &k in powers {
                let e_x: Vec<i32> = law.inputs.iter().map(|a| a * k).collect();
                let e_y: Vec<i32> = law.results.iter().map(|d| d * k).collect();
                let fits = point.x.iter().zip(&e_x).all(|(x, &e)| range.holds(x, e));
                let values = point.function.at::<Complex<f64>>(&point.x).unwrap();
                let fit = law.is_logarithm || values.iter().zip(&e_y).all(|((_, y), &e)| range.holds(y, e));
                if !fits || !fit {
                    continue;
                }
                let x: Vec<Entries> = point.x.iter().zip(&e_x).map(|(x, &e)| scaled(x, e)).collect();
                let directions =
                    factors(&e_x.iter().map(|e| -e).chain(e_y.iter().map(|e| -e)).collect::<Vec<_>>());
                let blocks = |e: &[i32], sign: i32| {
                    let first = want[usize::from(!backward)].iter().zip(e);
                    first.filter_map(|(x, e)| Some((exponent(x)?, sign * e))).collect::<Vec<_>>()
                };
                let weights = match backward {
                    true => {
                        let ends = to_the_ends(range, &blocks(&e_x, -1));
                        factors(&[&e_x[..], &e_y, &ends].concat())
                    }
                    false => vec![0],
                };
                let directions = match (backward, order) {
                    (true, 1) => vec![0],
                    (_, 1) => factors(&[directions, to_the_ends(range, &blocks(&e_y, 1))].concat()),
                    _ => factors(&[-e_x[0]]),
                };
                for (&t, &w) in directions.iter().flat_map(|t| weights.iter().map(move |w| (t, w))) {
                    let back: Vec<i32> = e_y.iter().map(|e| -e).collect();
                    let (dx, cot) = (chosen(&point.dx, &of_x, &e_x, t), chosen(&point.cot, &of_y, &back, w));
                    // The inputs must be in the range.
                    let inside = |(x, (&yes, e)): (&Entries, (&bool, i32))| !yes || range.holds(x, e);
                    let given = point
                        .dx
                        .iter()
                        .zip(of_x.iter().zip(e_x.iter().map(|e| e + t)))
                        .all(|p| inside((p.0, p.1)))
                        && point
                            .cot
                            .iter()
                            .zip(of_y.iter().zip(back.iter().map(|e| e + w)))
                            .all(|p| inside((p.0, p.1)));
                    // A matrix near 1 is not divided: nothing is promised beyond the middle half of the range.
                    let is_near = k != 0 && k.abs() <= range.most / 4;
                    let is_promised = |e: i32| !is_near || e.abs() <= range.middle;
                    let known =
                        e_x.iter().flat_map(|e| [*e, e + t]).chain(back.iter().flat_map(|e| [*e, e + w]));
                    if !given || !known.into_iter().all(is_promised) {
                        continue;
                    }
                    let what = format!("{name} {kind} {route}");
                    let detail = format!(
                        "inputs {:?} by 2^{k}, direction 2^{t}, weights 2^{w}, {choice:?}",
                        law.inputs
                    );
                    let Some(got) = quiet(|| way(point, &x, &dx, &cot)) else {
                        findings.add(what, format!("{detail}: panics"));
                        continue;
                    };
                    let got = match got {
                        Ok(got) => got,
                        Err(e) => {
                            findings.add(what, format!("{detail}: {e}"));
                            continue;
                        }
                    };
                    // The derivative of an order is a truth where all results' derivatives of the orders before are, and
                    // from the second order on of the same order: results of a factorisation depend on one another.
                    let mut is_in = true;
                    for (k, (want, got)) in want.iter().zip(&got).enumerate() {
                        // Where a single derivative is out of the range, a product with weights is no truth either.
                        let of_y = e_y.iter().flat_map(|y| e_x.iter().map(move |x| (y - x) + k as i32 * t));
                        let is_in_range = |e: i32| (range.least..=range.most).contains(&e);
                        is_in &= !backward || of_y.into_iter().all(is_in_range);
                        let exponents: Vec<i32> = match backward {
                            true => e_x.iter().map(|e| w - e + k as i32 * t).collect(),
                            false => e_y.iter().map(|e| e + k as i32 * t).collect(),
                        };
                        let in_range =
                            |i: usize| is_promised(exponents[i]) && range.holds(&want[i], exponents[i]);
                        let all = (0..want.len()).all(in_range);
                        is_in &= k < 2 || all;
                        for (i, (want, got)) in want.iter().zip(got).enumerate() {
                            if (k == 0 && !backward && law.is_logarithm)
                                || !is_in
                                || !is_promised(exponents[i])
                            {
                                continue;
                            }
                            findings.compare(
                                range,
                                &what,
                                &format!("{detail}, order {k}, {i}"),
                                (want, got),
                                exponents[i],
                            );
                        }
                        is_in &= all;
                    }
                }
            }
        }
    }
}

macro_rules! ways {
    ($F:ident, $complex:expr) => {{
        type F = $F;
        type One = Dual<F>;
        type Two = Dual<Dual<F>>;
        type Three = Dual<Dual<Dual<F>>>;
        fn f(x: f64) -> F {
            F::from_double(x)
        }
        fn one(x: f64, t: f64) -> One {
            Dual::new(f(x), f(t))
        }
        fn two(x: f64, t: f64) -> Two {
            Dual::new(one(x, t), one(t, 0.0))
        }
        fn three(x: f64, t: f64) -> Three {
            Dual::new(two(x, t), Dual::new(one(t, 0.0), one(0.0, 0.0)))
        }
        let of_one = |y: One| vec![y.value().to_double(), y.tangent().to_double()];
        let of_two = |y: Two| [of_one_again(y.value()), vec![y.tangent().tangent().to_double()]].concat();
        fn of_one_again(y: One) -> Vec<f64> {
            vec![y.value().to_double(), y.tangent().to_double()]
        }
        let of_three = |y: Three| {
            let t = y.tangent().tangent();
            vec![
                y.value().value().value().to_double(),
                y.tangent().value().value().to_double(),
                t.value().to_double(),
                t.tangent().to_double(),
            ]
        };
        type Found = Result<Vec<Vec<Entries>>, AdError>;
        type Groups<'a> = &'a [Option<Entries>];
        let real: Vec<(&'static str, usize, Box<dyn Fn(&Point, &[Entries], Groups, Groups) -> Found>)> = vec![
            ("forward", 1, Box::new(move |p, x, dx, _| forward::<One, One>(p, x, dx, one, of_one))),
            ("reverse", 1, Box::new(|p, x, dx, w| {
                reverse::<F, Var<F>>(p, x, dx, w, |x, _| f(x), |x| vec![x.to_double()])
            })),
            ("forward 2", 2, Box::new(move |p, x, dx, _| forward::<Two, Two>(p, x, dx, two, of_two))),
            ("reverse 2", 2, Box::new(move |p, x, dx, w| reverse::<One, Var<One>>(p, x, dx, w, one, of_one))),
            ("forward 3", 3, Box::new(move |p, x, dx, _| forward::<Three, Three>(p, x, dx, three, of_three))),
        ];
        let complex: Vec<(&'static str, usize, Box<dyn Fn(&Point, &[Entries], Groups, Groups) -> Found>)> = vec![
            ("forward", 1, Box::new(move |p, x, dx, _| forward::<One, Dual<Complex<F>>>(p, x, dx, one, of_one))),
            ("forward parts", 1, Box::new(move |p, x, dx, _| forward::<One, Complex<One>>(p, x, dx, one, of_one))),
            ("reverse", 1, Box::new(|p, x, dx, w| {
                reverse::<F, Complex<Var<F>>>(p, x, dx, w, |x, _| f(x), |x| vec![x.to_double()])
            })),
            ("forward 2", 2, Box::new(move |p, x, dx, _| {
                forward::<Two, Dual<Dual<Complex<F>>>>(p, x, dx, two, of_two)
            })),
            ("reverse 2", 2, Box::new(move |p, x, dx, w| {
                reverse::<One, Complex<Var<One>>>(p, x, dx, w, one, of_one)
            })),
        ];
        if $complex { complex } else { real }
    }};
}

/// A small size of other arithmetic, and one of the rules; more of them in long runs.
const SIZES: [Sizes; 4] = [
    Sizes { m: 8, k: 2, n: 7 },
    Sizes { m: 4, k: 2, n: 3 },
    Sizes { m: 2, k: 3, n: 3 },
    Sizes { m: 5, k: 2, n: 4 },
];

const DOUBLE: Range = Range { least: -1000, most: 1014, middle: 490, limit: 1e-11 };
const SINGLE: Range = Range { least: -118, most: 120, middle: 58, limit: 2e-3 };

/// Exponents of scales: the ends, a half and a third of the way to where squares leave the range, and others.
const DOUBLE_POWERS: [i32; 10] = [957, 480, 664, 0, 359, 160, 250, 520, 800, 990];
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
    std::panic::set_hook(Box::new(|_| ()));
    let mut findings = Findings::default();
    let only = std::env::var("ONLY").ok();
    for &function in Function::ALL {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|only| only == function.0)) {
            continue;
        }
        for s in SIZES.into_iter().take(if is_scan() { 4 } else { 2 }) {
            let point = Point::new(function, s, complex);
            for law in laws(function, s) {
                let some = match (is_scan(), s.m) {
                    (true, _) => 10,
                    (false, 7..) => 2,
                    _ => 3,
                };
                let both = |all: &[i32]| {
                    let mut all: Vec<_> = all.iter().take(some).flat_map(|&k| [k, -k]).collect();
                    all.dedup();
                    all
                };
                let (doubles, singles) = (both(&DOUBLE_POWERS), both(&SINGLE_POWERS));
                for (float, range, powers) in [("f64", DOUBLE, &doubles), ("f32", SINGLE, &singles)] {
                    let ways = if float == "f64" { ways!(f64, complex) } else { ways!(f32, complex) };
                    let ways: Vec<(&str, usize, Way)> =
                        ways.iter().map(|w| (w.0, w.1, &*w.2 as Way)).collect();
                    let kind = format!("{float}{}", if complex { " complex" } else { "" });
                    check(
                        &mut findings,
                        &point,
                        &law,
                        range,
                        powers,
                        &format!("{}×{} {kind}", s.m, s.n),
                        &ways,
                    );
                }
            }
        }
    }
    println!("{} comparisons", findings.compared);
    for (what, details) in &findings.failed {
        println!("{what}: {} times, first {}", details.len(), details[0].replace('\n', " "));
    }
    assert!(findings.failed.is_empty());
}
