//! Mode against mode: forward numbers, the tape swept back, and the tape swept forward give the same derivatives at
//! zeros, kinks, poles, infinities and NaN, for every row of the table, for compositions of two, and for reductions.
//!
//! The oracle tables verify forward mode; this file only compares.

#[path = "support/random.rs"]
mod random;
#[allow(dead_code)] // each test takes a part
mod support {
    pub mod compare;
    pub mod routes;
}

use random::Part;
use support::compare::Findings;
use support::routes::{Program, Route, units};
use wengert::rules::{Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{Dual, Dual2, DualN, HyperDual, Number, Real, Var, linearize, reduce};

const INF: f64 = f64::INFINITY;

/// Zeros, kinks, ends of domains, poles, and numbers that overflow after them.
const POINTS: [f64; 17] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    3.0,
    -2.0,
    1e200,
    -1e200,
    1e-200,
    -1e-300,
    1e300,
    INF,
    -INF,
    f64::NAN,
];

type First = Dual<f64>;
type Second = Dual<Dual<f64>>;
type Mixed = Var<Dual<f64>>;

/// A row of one variable as functions of the numbers that are compared.
struct Row {
    name: String,
    forward: Box<dyn Fn(First) -> First>,
    twice: Box<dyn Fn(Second) -> Second>,
    reverse: Box<dyn Fn(Var<f64>) -> Var<f64>>,
    forward_over_reverse: Box<dyn Fn(Mixed) -> Mixed>,
}

/// Every row of one variable, and functions that are rows in all but name.
#[derive(Default)]
struct Rows(Vec<Row>);

impl Rows {
    fn add<U: Unary>(&mut self, rule: U) {
        self.0.push(Row {
            name: format!("{rule:?}"),
            forward: Box::new(move |x| x.lift1(rule)),
            twice: Box::new(move |x| x.lift1(rule)),
            reverse: Box::new(move |x| x.lift1(rule)),
            forward_over_reverse: Box::new(move |x| x.lift1(rule)),
        });
    }
    fn all() -> Vec<Row> {
        let mut rows = Rows::default();
        visit_rules(&mut rows);
        for c in [0.0, 0.5, 1.0, 1.5, 2.0, -1.0] {
            rows.add(wengert::rules::PowConst(c));
        }
        rows.0
    }
}

impl RuleVisitor for Rows {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        self.add(rule);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        self.add(rule);
    }
    fn binary<B: Binary>(&mut self, _: B, _: [[f64; 2]; 2]) {}
}

/// Equal up to the roundings that the order of products makes; NaN for NaN.
fn same(a: f64, b: f64) -> bool {
    // Infinity is near only itself.
    let size = if a.is_finite() && b.is_finite() { a.abs().max(b.abs()) } else { 0.0 };
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 16.0 * f64::EPSILON * size + 1e-307
}

fn all_same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| same(a, b))
}

/// Whether a tape's component is allowed next to the component of forward mode: equal, or 0 for NaN where a partial
/// of exactly zero comes after an infinite or undefined one. There forward mode forms `0·∞`, but a tape's cotangent
/// is zero and stays zero.
fn agrees(tape: f64, forward: f64, flat_after_steep: bool) -> bool {
    same(tape, forward) || flat_after_steep && tape == 0.0 && forward.is_nan()
}

/// Whether the partial of a power has left the range, or lost digits. A sweep multiplies by it; forward mode by its
/// factors (tests/borders/far.rs compares with closed forms).
fn is_far(outer: &Row, partial: f64) -> bool {
    let is_power = ["Recip", "Powi", "PowConst"].iter().any(|name| outer.name.starts_with(name));
    is_power && !(1e-292..=f64::MAX).contains(&partial.abs())
}

/// `∂/∂x` and `∂/∂y` of `outer(inner(x) + inner(y))` in forward mode, swept back and swept forward.
fn hold(found: &mut Findings, outer: &Row, inner: &Row, [x, y]: [f64; 2]) {
    let forward = |x, y| (outer.forward)((inner.forward)(x) + (inner.forward)(y));
    let want = [
        forward(Dual::variable(x), Dual::constant(y)).tangent(),
        forward(Dual::constant(x), Dual::variable(y)).tangent(),
    ];
    let [a, b] = [x, y].map(|x| (inner.forward)(Dual::variable(x)));
    let partial = (outer.forward)(Dual::variable(a.value() + b.value())).tangent();
    let lost = [a, b].map(|inner| partial == 0.0 && !inner.tangent().is_finite());
    let far = is_far(outer, partial);
    let reverse = |x: &[Var<f64>]| (outer.reverse)((inner.reverse)(x[0]) + (inner.reverse)(x[1]));
    let at = linearize(reverse, &[x, y]);
    for (how, got) in
        [("back", at.vjp(&1.0).unwrap()), ("forth", [[1.0, 0.0], [0.0, 1.0]].map(|v| at.jvp(&v).unwrap()))]
    {
        found.check((0..2).all(|i| agrees(got[i], want[i], lost[i]) || far && want[i].is_finite()), || {
            let (outer, inner) = (&outer.name, &inner.name);
            format!("{outer}({inner}(x) + {inner}(y)) at {x:e}, {y:e} swept {how}: {got:?}, forward {want:?}")
        });
    }
}

/// `∂²/∂x∂x` and `∂²/∂x∂y` of `outer(inner(x) + inner(y))` by nested duals and by a tape of duals.
fn hold_twice(found: &mut Findings, outer: &Row, inner: &Row, [x, y]: [f64; 2]) {
    let nested = |along: [f64; 2]| {
        let x = Dual::new(Dual::variable(x), Dual::constant(along[0]));
        let y = Dual::new(Dual::constant(y), Dual::constant(along[1]));
        (outer.twice)((inner.twice)(x) + (inner.twice)(y)).tangent().tangent()
    };
    let want = [nested([1.0, 0.0]), nested([0.0, 1.0])];
    let point = [Dual::variable(x), Dual::constant(y)];
    let tape = |x: &[Var<Dual<f64>>]| {
        (outer.forward_over_reverse)((inner.forward_over_reverse)(x[0]) + (inner.forward_over_reverse)(x[1]))
    };
    let got = wengert::reverse::gradient(tape, &point).map(|g| g.tangent());
    let variable = |x| Dual::new(Dual::variable(x), Dual::constant(1.0));
    let [a, b] = [x, y].map(|x| (inner.twice)(variable(x)));
    let partial = (outer.forward)(Dual::variable(a.value().value() + b.value().value())).tangent();
    let lost = partial == 0.0 && ![a, b].iter().all(|inner| inner.tangent().all_finite());
    let agrees = |(got, want): (&f64, &f64)| {
        same(*got, *want)
            || lost && want.is_nan() && !got.is_nan()
            || is_far(outer, partial) && !want.is_nan()
    };
    found.check(got.iter().zip(&want).all(agrees), || {
        let (outer, inner) = (&outer.name, &inner.name);
        format!("{outer}({inner}(x) + {inner}(y)) at {x:e}, {y:e} swept twice: {got:?}, forward {want:?}")
    });
}

#[test]
fn modes_agree_on_second_derivatives_of_sums() {
    let (rows, mut found) = (Rows::all(), Findings::default());
    for outer in &rows {
        for inner in &rows {
            for x in POINTS {
                [0.0, 1.0, x].iter().for_each(|&y| hold_twice(&mut found, outer, inner, [x, y]));
            }
        }
    }
    found.report(195_000);
}

#[test]
fn modes_agree_on_sums_of_two_rows() {
    let (rows, mut found) = (Rows::all(), Findings::default());
    for outer in &rows {
        for inner in &rows {
            for x in POINTS {
                [0.0, 1.0, x].iter().for_each(|&y| hold(&mut found, outer, inner, [x, y]));
            }
        }
    }
    found.report(390_000);
}

/// A rule of two variables after a function of each.
struct Joined<B>(B, usize);

const BEFORE: [&str; 6] = ["x", "√", "∛", "ln", "square", "recip"];

impl<B: Binary> Program for Joined<B> {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let before = |x: T| [x, x.sqrt(), x.cbrt(), x.ln(), x.square(), x.recip()][self.1];
        vec![before(x[0]).lift2(before(x[1]), self.0)]
    }
}

/// A reduction, also after and before functions of infinite derivative.
struct Reduction(usize);

macro_rules! reductions {
    ($($name:literal $(at $finite:ident points)?: |$x:ident| $e:expr;)*) => {
        /// Names, and whether only finite points are tested. A plain product of an infinite factor with the other's
        /// tangent of zero is NaN in forward mode; a tape has no such tangents. An infinite tangent before a function
        /// that is flat there is NaN too.
        const REDUCTIONS: &[(&str, bool)] = &[$(($name, stringify!($($finite)?).len() > 0)),*];
        impl Program for Reduction {
            fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
                let list: &[fn(&[T]) -> T] = &[$(|$x| $e),*];
                vec![list[self.0](&[x[0], x[1], x[0], T::lit(1.0), x[1]])]
            }
        }
    };
}

reductions! {
    "sum": |x| reduce::sum(x);
    "√sum": |x| reduce::sum(x).sqrt();
    "sum of √": |x| x.iter().map(|x| x.sqrt()).sum();
    "mean": |x| reduce::mean(x).unwrap().cbrt();
    "product" at finite points: |x| reduce::product(x);
    "√product" at finite points: |x| reduce::product(&x[..2]).sqrt();
    "product of ∛" at finite points: |x| x.iter().map(|x| x.cbrt()).product();
    "dot" at finite points: |x| reduce::dot(x, x);
    "√dot" at finite points: |x| reduce::dot(&x[..2], &x[..2]).sqrt();
    "√Σx²" at finite points: |x| x.iter().take(2).map(|&x| x * x).sum::<T>().sqrt();
    "√(x² + y²)" at finite points: |x| (x[0] * x[0] + x[1] * x[1]).sqrt();
    "tanh √(x² + y²)" at finite points: |x| (x[0] * x[0] + x[1] * x[1]).sqrt().tanh();
    "∛(x² + y²)" at finite points: |x| (x[0].square() + x[1].square()).cbrt();
    "norm_squared" at finite points: |x| reduce::norm_squared(x).ln();
    "√norm_squared" at finite points: |x| reduce::norm_squared(&x[..2]).sqrt();
    "norm": |x| reduce::norm(&x[..2]);
    "norm of √": |x| reduce::norm(&[x[0].sqrt(), x[1].sqrt()]);
    "√norm" at finite points: |x| reduce::norm(&x[..2]).sqrt();
    "linear_combination" at finite points: |x| reduce::linear_combination(&[0.5, 2.0, 1.0, 3.0, 4.0], x).sqrt();
    "logsumexp": |x| reduce::logsumexp(x);
    "logsumexp of ln": |x| reduce::logsumexp(&[x[0].ln(), x[1].ln()]);
    "softmax" at finite points: |x| reduce::softmax(x)[0];
    "√softmax" at finite points: |x| reduce::softmax(x)[1].sqrt();
    "max": |x| reduce::max(x).unwrap().sqrt();
    "min": |x| reduce::min(x).unwrap().cbrt();
}

/// `∂/∂x`, `∂/∂y` in forward mode, in lanes, swept back, and swept forward; second derivatives along each axis.
fn hold_program(found: &mut Findings, name: &str, program: &impl Program, x: &[f64; 2]) {
    // Terms of second derivatives cancel: to the last digit where the squares of roots do, at extreme sizes.
    let ordinary = x.iter().all(|x| *x == 0.0 || (1e-100..1e100).contains(&x.abs()));
    let near = |a: f64, b: f64| match ordinary {
        true => (a - b).abs() <= 1e-12 * a.abs(),
        false => a.is_finite() == b.is_finite(),
    };
    let mut compare = |how: &str, got: &[f64], want: &[f64]| {
        let twice = how.starts_with("twice") && got.len() == want.len();
        let close = all_same(got, want) || twice && got.iter().zip(want).all(|(&a, &b)| near(a, b));
        found.check(close, || format!("{name} at {x:?} swept {how}: {got:?}, forward {want:?}"));
    };
    let axes = units(2, &[0, 1]);
    let first = |run: &dyn Fn(&[f64]) -> f64| [run(&axes[0]), run(&axes[1])];
    let want = first(&|v| Dual::<f64>::run(program, x, &[v])[1]);
    compare("in lanes", &first(&|v| DualN::<f64, 4>::run(program, x, &[v])[1]), &want);
    compare("back", &first(&|v| Var::<f64>::run(program, x, &[v])[1]), &want);
    let at = linearize(|x: &[Var<f64>]| program.call(x)[0], x);
    compare("forth", &[[1.0, 0.0], [0.0, 1.0]].map(|v| at.jvp(&v).unwrap()), &want);
    for v in &axes {
        let along = [&v[..]; 2];
        let want = Dual::<Dual<f64>>::run(program, x, &along)[3];
        compare("twice", &[Var::<Dual<f64>>::run(program, x, &along)[3]], &[want]);
        compare("twice at once", &[HyperDual::<f64>::run(program, x, &along)[3]], &[want]);
    }
}

#[test]
fn modes_agree_on_reductions() {
    let mut found = Findings::default();
    for (i, (name, finite)) in REDUCTIONS.iter().enumerate() {
        let points = POINTS.iter().flat_map(|&x| POINTS.map(|y| [x, y]));
        for x in points.filter(|x| !finite || x.iter().all(|x| x.is_finite())) {
            hold_program(&mut found, name, &Reduction(i), &x);
        }
    }
    found.report(40_000);
}

/// Holds every rule of two variables.
#[derive(Default)]
struct Pairs(Findings);

impl RuleVisitor for Pairs {
    fn holomorphic<H: Holomorphic>(&mut self, _: H, _: [f64; 2]) {}
    fn unary<U: Unary>(&mut self, _: U, _: [f64; 2]) {}
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        for (i, before) in BEFORE.iter().enumerate() {
            for (x, y) in POINTS.iter().flat_map(|&x| POINTS.map(|y| (x, y))) {
                hold_program(&mut self.0, &format!("{} of {before}", B::NAME), &Joined(rule, i), &[x, y]);
            }
        }
    }
}

#[test]
fn modes_agree_on_rows_of_two_variables() {
    let mut pairs = Pairs::default();
    visit_rules(&mut pairs);
    pairs.0.report(150_000);
}

/// Holds second-order numbers to nested duals.
struct Extremes(Findings, Part);

/// Sizes at which squares and reciprocals of squares leave the range of the float, and cubes.
const SIZES: [f64; 19] = [
    1e-300, 1e-250, 1e-210, 1e-200, 1e-160, 1e-154, 1e-110, 1e-100, 1e-60, 1.0, 1e60, 1e100, 1e110, 1e154,
    1e160, 1e200, 1e210, 1e250, 1e300,
];

impl Extremes {
    fn hold(&mut self, name: &str, program: &impl Program, x: &[f64], along: [&[f64]; 2]) {
        if !self.1.takes() {
            return;
        }
        // Where tangents are of very different sizes, one order of nesting may lose what the other keeps.
        let [s, t] = along;
        let nested = |s, t| Dual::<Dual<f64>>::run(program, x, &[s, t]);
        let (want, mut other) = (nested(s, t), nested(t, s));
        other.swap(1, 2);
        // A mixed derivative may be a difference of terms as large as the pure ones.
        let size = nested(s, s)[3].abs().sqrt() * nested(t, t)[3].abs().sqrt();
        let cancelled = |got: &[f64]| {
            all_same(&got[..3], &want[..3]) && (got[3] - want[3]).abs() <= 16.0 * f64::EPSILON * size
        };
        let got = [HyperDual::<f64>::run(program, x, &along), Dual2::<f64, 2, 3>::run(program, x, &along)];
        for (got, number) in got.iter().zip(["HyperDual", "Dual2"]) {
            self.0.check(all_same(got, &want) || all_same(got, &other) || s != t && cancelled(got), || {
                format!("{name} {number} at {x:?} along {along:?}: {got:?}, nested {want:?}")
            });
        }
    }
    fn hold_unary<U: Unary>(&mut self, rule: U) {
        for x in SIZES.iter().flat_map(|&x| [x, -x]) {
            for seeds in [
                [1.0, 1.0],
                [1e-100, 1e-100],
                [1e-200, 1e-10],
                [1e20, 1e-20],
                [1e80, 1e120],
                [x, x],
                [x, 0.0],
            ] {
                let [s, t] = seeds;
                self.hold(&format!("{rule:?}"), &Alone(rule), &[x], [&[s], &[t]]);
            }
        }
    }
}

struct Alone<U>(U);
impl<U: Unary> Program for Alone<U> {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![x[0].lift1(self.0)]
    }
}

impl RuleVisitor for Extremes {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        self.hold_unary(rule);
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        self.hold_unary(rule);
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        // Where both are equal, the mixed derivative of the angle is a difference of equal terms.
        for (x, y) in SIZES.iter().flat_map(|&x| SIZES.map(|y| (x, 3.0 * y))) {
            for [s, t] in [[1.0, 1.0], [1e-100, 1e-100], [1e20, 1e-20]] {
                let [along_x, along_y] = [[s, 0.0], [0.0, t]];
                for along in [[&along_x[..], &along_x[..]], [&along_x, &along_y], [&along_y, &along_y]] {
                    self.hold(&format!("{rule:?}"), &Joined(rule, 0), &[x, y], along);
                }
            }
        }
    }
}

#[test]
fn second_order_numbers_agree_at_extreme_sizes() {
    let mut extremes = Extremes(Findings::default(), Part::one_in(3));
    visit_rules(&mut extremes);
    for c in [0.5, 1.5, -0.5, -2.0] {
        extremes.hold_unary(wengert::rules::PowConst(c));
    }
    extremes.0.report(56_000);
}

/// The differences that the documentation of the modes lists, and nothing else at these points.
#[test]
fn modes_differ_where_they_say() {
    struct Listed(usize);
    impl Program for Listed {
        fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
            vec![match self.0 {
                0 => x[0] * T::lit(INF) + x[1],
                1 => x[0].recip() * x[1],
                2 => (x[0].ln() + x[1].ln()).tanh(),
                _ => (x[0] + x[1] - x[0]).sqrt(),
            }]
        }
    }
    let gradient = |run: &dyn Fn(&[f64]) -> f64| units(2, &[0, 1]).iter().map(|v| run(v)).collect::<Vec<_>>();
    let both = |k: usize, x: [f64; 2]| {
        let forward = gradient(&|v| Dual::<f64>::run(&Listed(k), &x, &[v])[1]);
        (forward, gradient(&|v| Var::<f64>::run(&Listed(k), &x, &[v])[1]))
    };
    let same_or = |k, x, forward: [f64; 2], tape: [f64; 2]| {
        let (f, t) = both(k, x);
        assert!(all_same(&f, &forward) && all_same(&t, &tape), "{k}: forward {f:?}, tape {t:?}");
    };
    let nan = f64::NAN;
    same_or(0, [1.0, 2.0], [INF, nan], [INF, 1.0]);
    same_or(1, [0.0, 2.0], [nan, INF], [-INF, INF]);
    same_or(2, [0.0, 1.0], [nan, 0.0], [0.0, 0.0]);
    same_or(3, [2.0, 0.0], [0.0, INF], [nan, INF]);
}

/// nalgebra's own norm, which branches on nothing and takes a root of a sum of squares.
#[test]
fn norms_of_nalgebra_have_derivative_zero_at_zero() {
    let norm = |x: &[Var<f64>]| nalgebra::Vector3::from_column_slice(x).norm();
    assert_eq!(wengert::reverse::gradient(norm, &[0.0; 3]), [0.0; 3]);
    let distance = |x: &[Var<f64>]| {
        (nalgebra::Vector3::from_column_slice(&x[..3]) - nalgebra::Vector3::from_column_slice(&x[3..])).norm()
    };
    assert_eq!(wengert::reverse::gradient(distance, &[1.0; 6]), [0.0; 6]);
    struct Norm;
    impl wengert::Function for Norm {
        fn call<T: wengert::Scalar>(&self, x: &[T]) -> T {
            (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt()
        }
    }
    assert_eq!(wengert::Function::gradient(&Norm, &[0.0; 3]), [0.0; 3]);
}

/// Second derivatives of `x^g(x)` at 0: of the partials of a power, one with the exponent held has another limit there.
#[test]
fn powers_with_two_active_operands_curve_alike_at_zero() {
    type Curved = Dual2<f64, 1, 1>;
    fn f<T: Real<Base = f64>>(x: T, slope: f64, at: f64) -> [T; 2] {
        let exponent = (x * slope).exp2() * at;
        [x.powf(exponent), x.powc(exponent)]
    }
    let mut found = Findings::default();
    for (slope, at) in [1.0, -0.5].into_iter().flat_map(|s| [0.5, 1.0, 1.5, 2.0, 3.0].map(|at| (s, at))) {
        let nested = f(Dual::variable(Dual::variable(0.0)), slope, at).map(|y| y.tangent().tangent());
        let curved = f(Curved::variable(0.0, 0), slope, at).map(|y| y.second(0, 0));
        let hyper = f(HyperDual::variable(0.0), slope, at).map(|y| y.e12());
        let same = all_same(&nested, &curved) && all_same(&nested, &hyper);
        found.check(same, || {
            format!("x^({at}·2^({slope}x)): {nested:?}, Dual2 {curved:?}, HyperDual {hyper:?}")
        });
    }
    found.report(10);
}

/// Powers of small numbers whose exponent is zero, or nearly: `f″` is finite though `f/x²` is not.
#[test]
fn small_numbers_to_exponents_near_zero_are_curved() {
    type Curved = Dual2<f64, 1, 1>;
    fn f<T: Real<Base = f64>>(x: T, at: f64, c: f64) -> [T; 4] {
        let moving = x - at + c;
        [x.powf(moving), x.powc(moving), x.powf(T::lit(c)), x.powf_const(c)]
    }
    let mut found = Findings::default();
    for (at, c) in [(9e-175, 0.0), (1e-200, 0.0), (1e-290, 0.0), (1e-175, 1e-200), (1e-200, -1e-250)] {
        let fixed = c * (c - 1.0) / at / at;
        let moving = fixed + 2.0 / at + at.ln().powi(2);
        let close = |got: [f64; 4]| {
            let mut pairs = got.into_iter().zip([moving, moving, fixed, fixed]);
            pairs.all(|(got, want)| (got - want).abs() <= 1e-14 * want.abs())
        };
        let nested = f(Dual::variable(Dual::variable(at)), at, c).map(|y| y.tangent().tangent());
        let curved = f(Curved::variable(at, 0), at, c).map(|y| y.second(0, 0));
        let hyper = f(HyperDual::variable(at), at, c).map(|y| y.e12());
        found.check(close(nested) && close(curved) && close(hyper), || {
            format!("x^{c} at {at}: {nested:?}, Dual2 {curved:?}, HyperDual {hyper:?}")
        });
    }
    found.report(5);
}
