//! Identities of every function, at random matrices of all sizes: `⟨ȳ, Jẋ⟩ = ⟨Jᴴȳ, ẋ⟩` (tangents by `Dual` against
//! cotangents by `Var`), tangents against differences, second orders of both modes, linearity, and constants that
//! have no derivative.

use fastrand::Rng;
use nalgebra::Complex;
use quickcheck::{Arbitrary, Gen, Testable};
use wengert::matrix::Entry;
use wengert::{Dual, DualN, Tape, Var};

use super::functions::{Function, Input, Sizes};
use super::programs::{Entries, Program};
use super::routes::{self, Derivatives};
use crate::random::check_from;

fn check<P: Testable>(tests: u64, property: P) {
    check_from(1966, tests, property);
}

/// Sizes near the one at which functions switch algorithms, a few larger ones, and the seed of the entries.
#[derive(Clone, Copy, Debug)]
struct Case {
    sizes: Sizes,
    seed: u64,
}

impl Arbitrary for Case {
    fn arbitrary(g: &mut Gen) -> Self {
        let mut size = || match usize::arbitrary(g) % 16 {
            large @ 12..16 => [7, 10, 13, 20][large - 12],
            small => 1 + small % 9,
        };
        let sizes = Sizes { m: size(), k: size(), n: size() };
        Case { sizes, seed: u64::arbitrary(g) }
    }
}

/// A function at random inputs, with directions and cotangents of its results.
struct Point {
    function: Function,
    complex: bool,
    x: Vec<Entries>,
    dx: Vec<Entries>,
    cot: Vec<(&'static str, Entries)>,
    random: Rng,
}

impl Point {
    fn new(function: Function, case: Case, complex: bool) -> Point {
        let mut random = Rng::with_seed(case.seed);
        let inputs = function.inputs(case.sizes);
        let x: Vec<Entries> = inputs.iter().map(|input| input.value(&mut random, complex)).collect();
        let dx = inputs.iter().map(|input| input.direction(&mut random, complex)).collect();
        let y = match complex {
            true => routes::values::<Complex<f64>>(&function, &x),
            false => routes::values::<f64>(&function, &x),
        };
        let y = y.unwrap_or_else(|e| panic!("{function:?} {case:?}: {e}"));
        let mut part = |is_there: bool| if is_there { 2.0 * random.f64() - 1.0 } else { 0.0 };
        let mut weights = |y: &Entries| y.map(|_| Complex::new(part(true), part(complex)));
        let cot = y.iter().map(|(name, _, y)| (*name, weights(y))).collect();
        Point { function, complex, x, dx, cot, random }
    }
    fn another_direction(&mut self, case: Case) -> Vec<Entries> {
        let inputs = self.function.inputs(case.sizes);
        inputs.iter().map(|input| input.direction(&mut self.random, self.complex)).collect()
    }
    fn forward<S: routes::Route<f64>>(&self, x: &[Entries], dx: &[Entries]) -> Derivatives {
        routes::forward::<f64, S>(&self.function, x, dx).expect("a value")
    }
    /// The derivatives of one order.
    fn order(&self, found: &Derivatives, order: usize) -> Vec<Entries> {
        let names = self.cot.iter().map(|(name, _)| *name);
        let of =
            |name| found.iter().find(|(n, o, _)| (*n, *o) == (name, order)).expect("a derivative").2.clone();
        names.map(of).collect()
    }
    fn tangents(&self, dx: &[Entries]) -> Vec<Entries> {
        self.order(&self.forward::<Dual<f64>>(&self.x, dx), 1)
    }
    fn cotangents(&self) -> Vec<Entries> {
        self.cot.iter().map(|(_, c)| c.clone()).collect()
    }
}

/// `Re⟨a, b⟩`, and the size to which its rounding is relative.
fn inner(a: &[Entries], b: &[Entries]) -> (f64, f64) {
    let one = |(a, b): (&Entries, &Entries)| (a.dotc(b).re, a.norm() * b.norm());
    a.iter().zip(b).map(one).fold((0.0, 0.0), |s, t| (s.0 + t.0, s.1 + t.1))
}

fn distance(a: &[Entries], b: &[Entries]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt()
}

fn norm(a: &[Entries]) -> f64 {
    a.iter().map(Entries::norm_squared).sum::<f64>().sqrt()
}

fn combined(s: f64, a: &[Entries], t: f64, b: &[Entries]) -> Vec<Entries> {
    a.iter().zip(b).map(|(a, b)| a * Complex::from(s) + b * Complex::from(t)).collect()
}

/// Runs every function at the case. The failure names the function.
fn all(case: Case, holds: impl Fn(Point) -> bool) -> bool {
    of_kind(case, false, holds)
}

/// Runs every function at the case, with real or with complex matrices.
fn of_kind(case: Case, complex: bool, holds: impl Fn(Point) -> bool) -> bool {
    let fails = |f: &&Function| !holds(Point::new(**f, case, complex));
    let failed: Vec<_> = Function::ALL.iter().filter(fails).collect();
    if !failed.is_empty() {
        println!("{failed:?} at {case:?}");
    }
    failed.is_empty()
}

#[test]
fn transposes_are_adjoint_to_tangents() {
    fn property(case: Case) -> bool {
        all(case, |p| {
            let (forth, scale) = inner(&p.cotangents(), &p.tangents(&p.dx));
            let back = routes::reverse::<Var<f64>>(&p.function, &p.x, &p.cot).expect("a value");
            let (back, other) = inner(&back, &p.dx);
            (forth - back).abs() <= 1e-13 * (scale + other)
        })
    }
    check(60, property as fn(Case) -> bool);
}

/// The transposes of functions of complex matrices.
#[test]
fn complex_transposes_are_adjoint_to_tangents() {
    fn property(case: Case) -> bool {
        of_kind(case, true, |p| {
            let found = routes::forward::<Complex<f64>, Dual<Complex<f64>>>(&p.function, &p.x, &p.dx);
            let (forth, scale) = inner(&p.cotangents(), &p.order(&found.expect("a value"), 1));
            let back = routes::reverse::<Complex<Var<f64>>>(&p.function, &p.x, &p.cot).expect("a value");
            let (back, other) = inner(&back, &p.dx);
            (forth - back).abs() <= 1e-13 * (scale + other)
        })
    }
    check(30, property as fn(Case) -> bool);
}

/// The same of pseudo-inverses among matrices of lower rank, and of exponentials by every degree.
#[test]
fn transposes_of_special_matrices_are_adjoint_to_tangents() {
    /// The function at the matrix, with tangents and cotangents along random directions.
    macro_rules! check {
        ($random:expr, $a:expr, $f:path) => {{
            let (a, random): (Entries, &mut Rng) = ($a, &mut $random);
            let mut direction = |y: (usize, usize)| Input::Any(y.0, y.1).value(random, true);
            let e = direction(a.shape());
            let dual =
                |a: Complex<f64>, e: Complex<f64>| Complex::new(Dual::new(a.re, e.re), Dual::new(a.im, e.im));
            let y = $f(&a.zip_map(&e, dual)).unwrap();
            let cot = direction(y.shape());
            let forth: f64 =
                y.iter().zip(&cot).map(|(y, c)| y.re.tangent() * c.re + y.im.tangent() * c.im).sum();
            let tape = Tape::new();
            let x = a.map(|a| Complex::new(tape.variable(a.re), tape.variable(a.im)));
            let y = $f(&x).unwrap();
            let seeds: Vec<_> = y.iter().zip(&cot).flat_map(|(y, c)| [(y.re, c.re), (y.im, c.im)]).collect();
            let found = tape.cotangents_of(&seeds);
            let back: f64 =
                x.iter().zip(&e).map(|(x, e)| found.of(x.re) * e.re + found.of(x.im) * e.im).sum();
            assert!(
                (forth - back).abs() <= 1e-11 * forth.abs().max(1.0),
                "{}: {forth} {back}",
                stringify!($f)
            );
        }};
    }
    let mut random = Rng::with_seed(1966);
    for (m, n, rank) in [(5, 3, 2), (2, 4, 1), (9, 8, 4), (8, 9, 8)] {
        let left = Input::Spread(m, rank).value(&mut random, true);
        let a = left * Input::Spread(rank, n).value(&mut random, true);
        check!(random, a, wengert::matrix::pinv);
    }
    for (n, size) in [4, 9].into_iter().flat_map(|n| [1e-3, 0.1, 0.5, 1.5, 4.0, 20.0].map(|size| (n, size))) {
        let a = Input::Any(n, n).value(&mut random, true);
        check!(random, &a * Complex::from(size / a.norm()), wengert::matrix::expm);
    }
}

/// `⟨ẋ, d/dt x̄⟩ = ⟨ȳ, ÿ⟩`: two sweeps of one kind and one of each have the same second derivative.
#[test]
fn second_orders_agree() {
    fn property(case: Case) -> bool {
        all(case, |p| {
            let nested = p.forward::<Dual<Dual<f64>>>(&p.x, &p.dx);
            let (want, scale) = inner(&p.cotangents(), &p.order(&nested, 2));
            // A second derivative that is zero, as of `qr` of one row, is rounded beside the first.
            let scale = scale + norm(&p.cotangents()) * norm(&p.order(&nested, 1));
            let found = [
                routes::forward_over_reverse::<Var<Dual<f64>>>(&p.function, &p.x, &p.dx, &p.cot)
                    .map(|g| g[1].clone()),
                routes::reverse_over_reverse::<Var<Var<f64>>>(&p.function, &p.x, &p.dx, &p.cot),
                routes::reverse_over_forward::<Dual<Var<f64>>>(&p.function, &p.x, &p.dx, &p.cot),
            ]
            .map(|g| g.expect("a value"));
            let [a, b, c] = &found;
            let same = |b| distance(a, b) <= 1e-12 * (norm(a) + norm(b) + scale);
            let (got, other) = inner(a, &p.dx);
            (got - want).abs() <= 1e-12 * (scale + other) && same(b) && same(c)
        })
    }
    check(12, property as fn(Case) -> bool);
}

/// `J` and `d²F` against differences of fourth order.
#[test]
fn tangents_are_slopes() {
    fn property(case: Case) -> bool {
        all(case, |p| {
            let at = |t: f64| {
                let x = combined(1.0, &p.x, t, &p.dx);
                p.order(&p.forward::<Dual<f64>>(&x, &p.dx), 0)
            };
            let central = |h: f64| combined(0.5 / h, &at(h), -0.5 / h, &at(-h));
            let h = 1e-3;
            let slope = combined(4.0 / 3.0, &central(h), -1.0 / 3.0, &central(2.0 * h));
            let here = p.forward::<Dual<f64>>(&p.x, &p.dx);
            let (values, tangents) = (p.order(&here, 0), p.order(&here, 1));
            distance(&slope, &tangents) <= 1e-8 * (norm(&tangents) + norm(&values))
        })
    }
    check(20, property as fn(Case) -> bool);
}

/// `J(au + bw) = a·Ju + b·Jw`, `J·0 = 0` exactly, and lanes that are independent of each other.
#[test]
fn tangents_are_linear() {
    fn property(case: Case) -> bool {
        all(case, |mut p| {
            let (a, b, w) = (0.75, -1.25, p.another_direction(case));
            let (whole, own) = (p.tangents(&combined(a, &p.dx, b, &w)), p.tangents(&p.dx));
            let parts = combined(a, &own, b, &p.tangents(&w));
            let nothing = p.tangents(&combined(0.0, &p.dx, 0.0, &w));
            let lanes = p.forward::<DualN<f64, 3>>(&p.x, &p.dx);
            let near = |x: &[Entries], y: &[Entries]| distance(x, y) <= 1e-12 * (norm(x) + norm(y));
            near(&whole, &parts) && norm(&nothing) == 0.0 && near(&p.order(&lanes, 1), &own)
        })
    }
    check(30, property as fn(Case) -> bool);
}

/// Operands that are constants do not change the cotangents of the others; if all are constants, nothing is recorded.
#[test]
fn constants_take_no_part() {
    fn property(case: Case) -> bool {
        all(case, |p| {
            let whole = routes::reverse::<Var<f64>>(&p.function, &p.x, &p.cot).expect("a value");
            let alone = |active: usize| gradient_of_one(&p, active);
            let same = |i: usize| {
                let (g, want) = (alone(i), &whole[i..=i]);
                distance(&g, want) <= 1e-13 * (norm(&whole) + norm(&g))
            };
            let constants: Vec<_> = p.x.iter().map(|x| x.map(|x| Var::constant(x.re))).collect();
            let tape = Tape::<f64>::new();
            let passive = p.function.call(&constants).is_ok() && tape.stats().nodes == 0;
            passive && (0..p.x.len()).all(same)
        })
    }
    check(20, property as fn(Case) -> bool);
}

/// The cotangent of one input, the others being constants.
fn gradient_of_one(p: &Point, active: usize) -> Vec<Entries> {
    let tape = Tape::new();
    let input = |(i, x): (usize, &Entries)| {
        x.map(|x| if i == active { tape.variable(x.re) } else { <Var<f64> as Entry>::constant(x.re) })
    };
    let x: Vec<_> = p.x.iter().enumerate().map(input).collect();
    let y = p.function.call(&x).expect("a value");
    let entries = y.iter().zip(&p.cot).flat_map(|((_, y), (_, c))| y.iter().zip(c));
    let pairs: Vec<_> = entries.map(|(y, c)| (y.re, c.re)).collect();
    let cotangents = tape.cotangents_of(&pairs);
    vec![x[active].map(|x| Complex::from(cotangents.of(x)))]
}
