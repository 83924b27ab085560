//! Machine code gives the results of the interpreter, bit for bit.

use wengert::programs::{Compiled, MACHINE_CODE_LIMIT, Program, Traced, trace};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{BaseFloat, Dual, Number, Real};

/// Values at which functions do something special.
const EDGES: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.3,
    -0.3,
    2.0,
    -2.0,
    2.5,
    -2.5,
    700.0,
    -700.0,
    1e300,
    -1e300,
    1e-300,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e10,
];

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }).collect()
}

/// Compiles a program, which must be possible. A point alone and together with another one has the interpreter's
/// results.
#[track_caller]
fn agrees(program: &Program, points: &[Vec<f64>]) {
    let compiled = program.compile().unwrap();
    assert!(compiled.is_machine_code());
    for (i, x) in points.iter().enumerate() {
        let want = program.run(x);
        let got = compiled.run(x);
        match (&want, &got) {
            (Ok(want), Ok(got)) => assert_eq!(bits(want), bits(got), "{x:?}: {want:?}, machine code {got:?}"),
            _ => assert_eq!(want, got, "{x:?}"),
        }
        agrees_in_pairs(program, &compiled, x, &points[(i + 1) % points.len()]);
    }
}

#[track_caller]
fn agrees_in_pairs(program: &Program, compiled: &Compiled, x: &[f64], y: &[f64]) {
    let pair: Vec<[f64; 2]> = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
    let mut out = vec![[7.0; 2]; program.outputs()];
    let done = compiled.run_pairs(&pair, &mut out);
    if let (Ok(a), Ok(b)) = (program.run(x), program.run(y)) {
        done.unwrap();
        let got = [0, 1].map(|lane| bits(&out.iter().map(|y| y[lane]).collect::<Vec<_>>()));
        assert_eq!([bits(&a), bits(&b)], got, "{x:?} and {y:?}");
    } else {
        assert!(done.is_err(), "{x:?} and {y:?}");
        assert!(out.iter().all(|y| *y == [7.0; 2]), "written in spite of an error");
    }
}

/// Each rule with its derivative at edges and ordinary points.
struct Each;

fn points_of_one() -> Vec<Vec<f64>> {
    EDGES.iter().map(|&x| vec![x]).collect()
}

fn points_of_two() -> Vec<Vec<f64>> {
    (0..EDGES.len() * 3).map(|i| vec![EDGES[i % 22], EDGES[(i * 7 + i / 22) % 22]]).collect()
}

impl Each {
    fn one<U: Unary>(rule: U) {
        let points = points_of_one();
        agrees(&trace(|x| x[0].lift1(rule), &[0.7]), &points);
        let slope = |x: &[Traced]| Dual::variable(x[0]).lift1(rule).tangent();
        agrees(&trace(slope, &[0.7]), &points);
    }
}

impl RuleVisitor for Each {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        Each::one(rule);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        Each::one(rule);
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        let points = points_of_two();
        agrees(&trace(|x| x[0].lift2(x[1], rule), &[0.7, 0.6]), &points);
        let slope = |x: &[Traced]| Dual::variable(x[0]).lift2(Dual::constant(x[1]), rule).tangent();
        agrees(&trace(slope, &[0.7, 0.6]), &points);
    }
}

#[test]
fn every_rule_and_its_derivative() {
    visit_rules(&mut Each);
}

#[test]
fn every_kind_of_operation() {
    let f = |x: &[Traced]| {
        let (a, b) = (Dual::variable(x[0]), Dual::new(x[1], x[0]));
        let mixed = a / b + b.recip() * a.sqrt() + (a * b).mul_add(a, b) - a.detach();
        [
            mixed.value(),
            mixed.tangent(),
            x[0].mul_add(x[1], x[0]),
            Real::clamp(x[0], x[1], 5.0 + x[1].abs()),
            x[0].copysign(2.0),
            x[0],
            Traced::constant(3.5),
            x[0].strong_both(x[1]),
            x[0].strong_mul(x[1]),
        ]
    };
    let pairs =
        (0..EDGES.len()).flat_map(|i| (0..5).map(move |j| vec![EDGES[i], EDGES[(3 * i + 5 * j) % 22]]));
    agrees(&trace(f, &[0.4, 0.9]), &pairs.collect::<Vec<_>>());
}

#[test]
fn guards_of_every_kind() {
    let points: Vec<Vec<f64>> =
        (0..22 * 5).map(|i| vec![EDGES[i % 22], EDGES[(i * 3 + i / 22) % 22]]).collect();
    let points = [points, vec![vec![-f64::NAN, 1.0], vec![f64::NAN, -1.0]]].concat();
    type Ask = fn(&[Traced]) -> bool;
    let questions: [Ask; 14] = [
        |x| x[0] < x[1],
        |x| x[0] <= x[1],
        |x| x[0] == x[1],
        |x| x[0].partial_cmp(&x[1]).is_none(),
        |x| x[0].is_nan(),
        |x| x[0].is_finite(),
        |x| x[0].is_infinite(),
        |x| x[0].is_sign_positive(),
        |x| x[0].is_sign_negative(),
        |x| num_traits::Zero::is_zero(&x[0]),
        |x| num_traits::One::is_one(&x[0]),
        |x| num_traits::Float::is_normal(x[0]),
        |x| x[0].primal() > 0.7,
        |x| (x[0] * -x[1]).primal() > 0.7,
    ];
    for ask in questions {
        for start in points.iter().step_by(4) {
            let program = trace(|x| if ask(x) { x[0] * x[1] } else { x[0] - x[1] }, start);
            assert!(!program.code().guards.is_empty());
            agrees(&program, &points);
        }
    }
}

/// Lotka and Volterra's equations by Euler's method: `steps` of 8 operations.
fn steps(x: &[Traced], steps: usize) -> [Traced; 2] {
    let (mut u, mut v) = (x[0], x[1]);
    for _ in 0..steps {
        (u, v) = (u + (x[2] * u - u * v) * 0.01, v + (u * v - v * x[2].sin()) * 0.01);
    }
    [u, v]
}

#[test]
fn long_programs_are_cut_into_functions() {
    let point = vec![1.0, 0.5, 0.9];
    let program = trace(|x: &[Traced]| steps(x, 300), &point[..]);
    assert!(program.operations() > 2100);
    agrees(&program, &[point.clone(), vec![0.5, 2.0, 1.1]]);
    let with_guard = trace(
        |x: &[Traced]| {
            let [u, v] = steps(x, 400);
            if u > v { [u, v] } else { [v, u] }
        },
        &point[..],
    );
    agrees(&with_guard, &[point, vec![0.5, 2.0, 1.1], vec![2.0, 0.1, 0.2]]);
}

#[test]
fn what_is_too_large_is_interpreted() {
    let program = trace(|x: &[Traced]| steps(x, MACHINE_CODE_LIMIT / 6), &[1.0, 0.5, 0.9]);
    assert!(program.operations() > MACHINE_CODE_LIMIT);
    let compiled = program.compile().unwrap();
    assert!(!compiled.is_machine_code());
    let point = [1.1, 0.4, 0.8];
    assert_eq!(compiled.run(&point), program.run(&point));
    agrees_in_pairs(&program, &compiled, &point, &[1.0, 0.6, 0.7]);
}

#[test]
fn empty_points_and_constant_results() {
    agrees(&trace(|_: &[Traced]| Traced::constant(2.0), &[0.0; 0]), &[vec![]]);
    agrees(&trace(|x: &[Traced]| [x[1], x[0], x[1]], &[0.0; 2]), &[vec![3.0, 4.0]]);
    agrees(&trace(|_: &[Traced]| Vec::<Traced>::new(), &[0.0; 2]), &[vec![3.0, 4.0]]);
}

#[test]
fn wrong_lengths_are_errors() {
    let compiled = trace(|x| x[0] + x[1], &[1.0, 2.0]).compile().unwrap();
    let e = compiled.run(&[1.0]).unwrap_err().to_string();
    assert_eq!(e, "compiled program: the point has length 1, expected 2");
    let e = compiled.run_into(&[1.0, 2.0], &mut []).unwrap_err().to_string();
    assert_eq!(e, "compiled program: the result has length 0, expected 1");
    assert!(compiled.run_pairs(&[[1.0; 2]; 3], &mut [[0.0; 2]]).is_err());
}

/// Panics below 0.
#[derive(Clone, Copy, Debug)]
struct Brittle;
impl Unary for Brittle {
    const NAME: &'static str = "brittle";
    fn value<F: BaseFloat>(self, x: F) -> F {
        assert!(x.to_double() >= 0.0, "below zero");
        x * x
    }
    fn derivative<T: Real>(self, x: T, _: T) -> T {
        x + x
    }
}

#[test]
fn a_panic_of_a_rule_goes_through() {
    let compiled = trace(|x| x[0].lift1(Brittle) + 1.0, &[2.0]).compile().unwrap();
    assert_eq!(compiled.run(&[3.0]).unwrap(), [10.0]);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compiled.run(&[-1.0]))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"below zero"));
    assert_eq!(compiled.run(&[2.0]).unwrap(), [5.0]);
}

#[test]
fn threads_share_machine_code() {
    let compiled = trace(|x| (x[0] * x[1]).sin(), &[2.0, 1.0]).compile().unwrap();
    std::thread::scope(|scope| {
        for k in 0..4 {
            let compiled = &compiled;
            scope.spawn(move || {
                let x = f64::from(k);
                assert_eq!(compiled.run(&[x, 0.5]).unwrap(), [(x * 0.5).sin()]);
            });
        }
    });
}

#[cfg(feature = "nalgebra")]
#[test]
fn primitives_are_refused_by_name() {
    use wengert::matrix;
    let f = |x: &nalgebra::DMatrix<Traced>| matrix::inverse(x).unwrap();
    let program = trace(f, &nalgebra::DMatrix::<f64>::identity(5, 5));
    if program.calls().is_empty() {
        return; // small ones are recorded element by element
    }
    let e = program.compile().err().unwrap().to_string();
    assert!(e.ends_with("has no rule for machine code"), "{e}");
}

#[test]
fn complex_functions_of_one_number_run_and_powers_are_refused_by_name() {
    use num_complex::Complex;
    let z = |x: &[Traced]| Complex::new(x[0], x[1]);
    let sin = trace(|x| wengert::complex::sin(z(x)).re, &[1.0, 2.0]);
    agrees(&sin.hessian().unwrap(), &[vec![0.5, -1.0], vec![0.0, 0.0], vec![f64::INFINITY, 1.0]]);
    let power = trace(|x| wengert::complex::powc(z(x), z(x)).re, &[1.0, 2.0]);
    let e = power.compile().err().unwrap().to_string();
    assert!(e.starts_with("powc is a call here, of a complex function"), "{e}");
}

#[test]
fn results_that_are_not_finite_are_computed_with_care() {
    let f = |x: &[Traced]| (x[0] * x[0] + x[1] * x[1]).sqrt() + x[0] / (x[1] - 2.0);
    let points =
        [[0.0, 0.0], [3.0, 4.0], [f64::INFINITY, 0.0], [-0.0, 2.0], [f64::NAN, 1.0], [1e-310, 1e-310]];
    let gradient = trace(f, &[3.0, 4.0]).gradient().unwrap();
    assert!(gradient.run(&[0.0, 0.0]).unwrap().iter().all(|g| g.is_finite()));
    agrees(&gradient, &points.map(|x| x.to_vec()));
}

/// Sums that choose by comparisons of their own and of others.
#[test]
fn comparisons_that_choose_more_than_once() {
    for seed in 0..12 {
        let mut random = fastrand::Rng::with_seed(seed);
        let lengths = [(); 3].map(|()| random.usize(3..40));
        let data: Vec<f64> = (0..40).map(|_| random.f64()).collect();
        let f = |x: &[Traced]| {
            let (mut sums, less) = ([x[0] * 0.0; 3], <Traced as Real>::select_lt);
            for &t in &data[..lengths[0]] {
                sums[0] += less(x[0], t.into(), x[1] * t, x[2]);
            }
            for &t in &data[..lengths[1]] {
                let u = less(x[1], t.into(), x[0], x[2] * t);
                sums[1] += less(x[0], t.into(), u, x[1] * t) * u;
            }
            for &t in &data[..lengths[2]] {
                let u = less(x[2] * t, x[0], x[1], x[0] * t);
                sums[2] += less(u, x[1] * t, less(x[0], t.into(), u, x[2]), x[0]);
            }
            sums
        };
        let points: Vec<Vec<f64>> = (0..4).map(|_| (0..3).map(|_| random.f64()).collect()).collect();
        let program = trace(f, &points[0]);
        agrees(&program, &points);
        agrees(&program.jacobian().unwrap(), &points);
    }
}
