//! Third derivatives through tapes: every rule of the table, the divisions and the methods, at ordinary points and at
//! the ends of domains and of the range. They must agree with `Dual<Dual<Dual>>`, which has no tape.

#[allow(dead_code)] // each test takes a part
mod support {
    pub mod compare;
    pub mod routes;
    pub mod subjects;
}

use support::compare::{EPS, Findings};
use support::routes::{Program, Route, axes, slices, units};
use support::subjects::{DIVISIONS, Division, Inner, METHODS, Method, One, PLAIN, Two};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Dual, Dual2, HyperDual, Var};

/// The ends of the range, zeros, and numbers at which many functions have an end or a turn.
const EDGES: [f64; 13] =
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e-300, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// Points of a box, and all edges.
fn points(on: &[[f64; 2]]) -> Vec<Vec<f64>> {
    let inside = [0.07, 0.31, 0.5, 0.86].into_iter().enumerate();
    let at = |(k, s): (usize, f64)| {
        let share = |i: usize| if (k + i).is_multiple_of(2) { s } else { 1.0 - 0.9 * s };
        on.iter().enumerate().map(|(i, [lo, hi])| lo + share(i) * (hi - lo)).collect()
    };
    let edges: Vec<Vec<f64>> = match on.len() {
        1 => EDGES.map(|x| vec![x]).to_vec(),
        _ => EDGES.into_iter().flat_map(|x| EDGES.map(|y| vec![x, y])).collect(),
    };
    inside.map(at).chain(edges).collect()
}

/// The third derivatives along axes, in every order of them.
fn thirds<R: Route<Base = f64>>(program: &impl Program<f64>, x: &[f64]) -> Vec<f64> {
    let mut found = Vec::new();
    // A loop: iterators would be compiled for each program.
    for axes in axes(x.len(), 3, false) {
        found.push(R::run(program, x, &slices(&units(x.len(), &axes)))[7]);
    }
    found
}

/// Whether a derivative is one of those without a tape.
fn agrees(got: f64, [want, other]: [f64; 2], block: f64) -> bool {
    let near = |want: f64| {
        // Infinite derivatives are ±∞ or NaN from the third order on.
        let large = |d: f64| !d.is_finite() || d.abs() > 1e300;
        let beyond = large(got) && large(want) && !(got.is_finite() && want.is_finite());
        beyond || (got - want).abs() <= 64.0 * EPS * block
    };
    near(want) || near(other)
}

/// Products with 0 on a tape that are 0·∞ without one: zero where the truth is zero or no number.
fn vanishes(name: &str, x: &[f64], axes: &[usize]) -> bool {
    let along = |axis: usize| axes.iter().filter(|a| **a == axis).count();
    let odd_in_a_zero = (0..2).any(|axis| x[axis] == 0.0 && along(axis) % 2 == 1);
    match name {
        "hypot" => odd_in_a_zero,
        "atan2" => !odd_in_a_zero && x.contains(&0.0),
        "log" => x[1].is_infinite(),
        // Along the other argument, at a pole.
        "beta" => (0..2).any(|axis| x[axis] == 0.0 && along(axis) == 0),
        // Of negative bases, through three tapes, first along the base.
        "powf" | "powc" => (x[0].is_nan() || x[0] <= 0.0) && *axes == [0, 1, 1],
        _ => false,
    }
}

fn compare(name: &str, program: &impl Program<f64>, points: &[Vec<f64>], found: &mut Findings) {
    for x in points {
        let simple = thirds::<Dual<Dual<Dual<f64>>>>(program, x);
        let all = axes(x.len(), 3, false);
        let block =
            simple.iter().map(|w| w.abs()).filter(|w| w.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
        let mut compare = |route: &str, got: Vec<f64>, want: &[f64]| {
            for (k, ((&got, &want), &other)) in got.iter().zip(want).zip(&simple).enumerate() {
                // A tape forms products from the result on: of a logarithm to a base of 1e-300 they leave the range
                // near the range's end, and the derivative is infinite.
                let leaves = name == "log" && x[1] == 1e-300 && got.is_infinite() && want.abs() > 1e290;
                let is_zero = got == 0.0 && want.is_nan() && vanishes(name, x, &all[k]);
                found.check(leaves || is_zero || agrees(got, [want, other], block), || {
                    format!("{name}, {route} at {x:?}, {k}: {got:e}, without a tape {want:e}, {other:e}")
                });
            }
        };
        compare("Dual<Dual<Var>>", thirds::<Dual<Dual<Var<f64>>>>(program, x), &simple);
        compare("Dual<Var<Dual>>", thirds::<Dual<Var<Dual<f64>>>>(program, x), &simple);
        compare("Var<Dual<Dual>>", thirds::<Var<Dual<Dual<f64>>>>(program, x), &simple);
        compare("Var<Var<Var>>", thirds::<Var<Var<Var<f64>>>>(program, x), &simple);
        let over = thirds::<Dual2<Dual<f64>, 2, 3>>(program, x);
        compare("Dual2<Var>", thirds::<Dual2<Var<f64>, 2, 3>>(program, x), &over);
        let over = thirds::<HyperDual<Dual<f64>>>(program, x);
        compare("HyperDual<Var>", thirds::<HyperDual<Var<f64>>>(program, x), &over);
        let within = thirds::<Dual<Dual2<f64, 2, 3>>>(program, x);
        compare("Var<Dual2>", thirds::<Var<Dual2<f64, 2, 3>>>(program, x), &within);
    }
}

#[derive(Default)]
struct Rules(Findings);

impl RuleVisitor for Rules {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, on: [f64; 2]) {
        self.unary(rule, on);
    }
    fn unary<U: Unary>(&mut self, rule: U, on: [f64; 2]) {
        compare(U::NAME, &One(rule, Inner::Itself), &points(&[on]), &mut self.0);
    }
    fn binary<B: Binary>(&mut self, rule: B, on: [[f64; 2]; 2]) {
        compare(B::NAME, &Two(rule, Inner::Itself), &points(&on), &mut self.0);
    }
}

#[test]
fn rules_have_the_same_third_derivatives_through_tapes() {
    let mut rules = Rules::default();
    visit_rules(&mut rules);
    rules.0.report(10_000);
}

/// The third derivatives of a small distance, which grow with the square of its reciprocal, leave the range.
#[test]
fn third_derivatives_beyond_the_range_are_no_finite_numbers() {
    let program = Two(wengert::rules::Hypot, Inner::Itself);
    for way in [thirds::<Dual<Dual<Dual<f64>>>>, thirds::<Var<Var<Var<f64>>>>] {
        let found = way(&program, &[3e-200, 4e-200]);
        assert!(found.iter().all(|d| !d.is_finite()), "{found:?}");
    }
}

#[test]
fn divisions_and_methods_have_the_same_third_derivatives_through_tapes() {
    let mut found = Findings::default();
    for (k, (name, arguments)) in DIVISIONS.into_iter().enumerate() {
        compare(
            name,
            &Division(k, Inner::Itself),
            &points(&[[0.3, 2.5], [0.4, 1.7]][..arguments]),
            &mut found,
        );
    }
    for (k, (name, arguments)) in METHODS.into_iter().enumerate().filter(|(_, m)| !PLAIN.contains(&m.0)) {
        compare(name, &Method(k, Inner::Itself), &points(&[[0.3, 2.5], [0.4, 1.7]][..arguments]), &mut found);
    }
    found.report(10_000);
}
