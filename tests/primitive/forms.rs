//! Rules by formulas and by closures, compared with the same function written out, at every number type.

use num_complex::Complex64;
use wengert::primitive::{
    Direction, FromRule, Rule, call, from_complex_step, from_finite_differences, from_jvp, from_jvp_and_vjp,
    from_vjp, linearize,
};
use wengert::{AdError, Dual, DualN, LinearMap, Real, Var};

use crate::support::compare::EPS;
use crate::support::routes::{Program, Route};

/// Compares a program with another one along random-looking directions, to `limit` eps of the largest derivative of
/// each order.
pub fn agree<R: Route<Base = f64>>(
    route: &str,
    got: &impl Program,
    want: &impl Program,
    x: &[f64],
    limit: f64,
) {
    let along = |k: usize| -> Vec<f64> {
        let of = if R::ONE_DIRECTION { 0 } else { k };
        (0..x.len()).map(|i| ((i * 7 + of * 3) % 5) as f64 * 0.5 - 0.75).collect()
    };
    let along: Vec<Vec<f64>> = (0..R::ORDER).map(along).collect();
    let along: Vec<&[f64]> = along.iter().map(|v| &v[..]).collect();
    let (got, want) = (R::run(got, x, &along), R::run(want, x, &along));
    assert_eq!(got.len(), want.len());
    let m = want.len() >> R::ORDER;
    for (k, (got, set)) in got.iter().zip(&want).enumerate() {
        let block = &want[k / m * m..k / m * m + m];
        let scale = block.iter().fold(1e-300, |most: f64, w| most.max(w.abs()));
        let error = (got - set).abs() / scale / EPS;
        assert!(
            error <= limit,
            "{route}, set {:b}, output {}: {got} instead of {set} ({error:.1} eps)",
            k / m,
            k % m
        );
    }
}

/// [`agree`] at every number type, nested in each other in both directions.
macro_rules! every_type {
    ($got:expr, $want:expr, $x:expr, $limit:expr) => {{
        use $crate::primitive::forms::agree;
        every_number!([kinds taped third nested] agree(&$got, &$want, $x, $limit));
    }};
}
pub(crate) use every_type;

/// `y = c·Ba, a·a` of `a` (3), `B` (2 × 3, by columns), `c` (1).
#[derive(Clone)]
pub struct Scaled;

impl Rule for Scaled {
    fn name(&self) -> &'static str {
        "scaled"
    }
    fn arity(&self) -> usize {
        3
    }
    fn supports(&self, _: Direction) -> bool {
        true
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(written_out(x))
    }
    fn jvp<T: Real<Base = f64>>(&self, x: &[&[T]], _y: &[T], dx: &[Option<&[T]>], dy: &mut [T]) {
        let (a, b, c) = (x[0], x[1], x[2][0]);
        for i in 0..2 {
            for j in 0..3 {
                dx[0].iter().for_each(|da| dy[i] += c * b[2 * j + i] * da[j]);
                dx[1].iter().for_each(|db| dy[i] += c * db[2 * j + i] * a[j]);
                dx[2].iter().for_each(|dc| dy[i] += dc[0] * b[2 * j + i] * a[j]);
            }
        }
        dx[0].iter().for_each(|da| (0..3).for_each(|j| dy[2] += a[j] * da[j] * 2.0));
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _y: &[T], w: &[T], dx: &mut [Option<&mut [T]>]) {
        let (a, b, c) = (x[0], x[1], x[2][0]);
        for j in 0..3 {
            for i in 0..2 {
                dx[0].iter_mut().for_each(|da| da[j] += c * b[2 * j + i] * w[i]);
                dx[1].iter_mut().for_each(|db| db[2 * j + i] += c * a[j] * w[i]);
                dx[2].iter_mut().for_each(|dc| dc[0] += b[2 * j + i] * a[j] * w[i]);
            }
            dx[0].iter_mut().for_each(|da| da[j] += a[j] * w[2] * 2.0);
        }
    }
}

pub fn written_out<T: Real<Base = f64>>(x: &[&[T]]) -> Vec<T> {
    let (a, b, c) = (x[0], x[1], x[2][0]);
    let row = |i: usize| (0..3).map(|j| b[2 * j + i] * a[j]).fold(T::lit(0.0), |s, t| s + t);
    vec![c * row(0), c * row(1), a[0] * a[0] + a[1] * a[1] + a[2] * a[2]]
}

fn groups<T>(x: &[T]) -> [&[T]; 3] {
    [&x[..3], &x[3..9], &x[9..]]
}

/// Arguments that are results, and results that are used further: the rule in the middle of a program.
struct Around<const BY_RULE: bool>;

impl<const BY_RULE: bool> Program for Around<BY_RULE> {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let x: Vec<T> = x.iter().map(|x| x.sin() + *x).collect();
        let y =
            if BY_RULE { call(&FromRule(Scaled), &groups(&x)).unwrap() } else { written_out(&groups(&x)) };
        let z = if BY_RULE {
            call(&FromRule(Scaled), &[&y, &x[3..9], &y[1..2]]).unwrap()
        } else {
            written_out(&[&y, &x[3..9], &y[1..2]])
        };
        vec![y[0] * y[1] - z[2], z[0].tanh(), z[1] / y[2]]
    }
}

const POINT: [f64; 10] = [0.5, -0.25, 1.0, 0.3, 0.75, -0.6, 0.2, 0.1, -0.4, 1.25];

#[test]
fn rules_by_formulas_serve_every_number_type() {
    every_type!(Around::<true>, Around::<false>, &POINT, 200.0);
}

/// Functions by closures: first order at every type that has no second.
#[derive(Clone, Copy)]
enum Form {
    WrittenOut,
    Jvp,
    Vjp,
    Both,
    Differences,
    ComplexStep,
}

/// `y = x₀₀·sin x₁₀, x₀₁ + x₁₀²` of two groups.
impl Program for Form {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let value = |x: &[&[f64]]| vec![x[0][0] * x[1][0].sin(), x[0][1] + x[1][0] * x[1][0]];
        let jvp = |x: &[&[f64]], dx: &[&[f64]]| {
            let (s, c) = x[1][0].sin_cos();
            vec![dx[0][0] * s + x[0][0] * c * dx[1][0], dx[0][1] + 2.0 * x[1][0] * dx[1][0]]
        };
        let vjp = |x: &[&[f64]], w: &[f64]| {
            let (s, c) = x[1][0].sin_cos();
            vec![vec![w[0] * s, w[1]], vec![x[0][0] * c * w[0] + 2.0 * x[1][0] * w[1]]]
        };
        let groups = [&x[..2], &x[2..]];
        match self {
            Form::WrittenOut => vec![x[0] * x[2].sin(), x[1] + x[2] * x[2]],
            Form::Jvp => call(&from_jvp("form", 2, value, jvp), &groups).unwrap(),
            Form::Vjp => call(&from_vjp("form", 2, value, vjp), &groups).unwrap(),
            Form::Both => call(&from_jvp_and_vjp("form", 2, value, jvp, vjp), &groups).unwrap(),
            Form::Differences => call(&from_finite_differences("form", 2, value), &groups).unwrap(),
            Form::ComplexStep => {
                let complex = |x: &[&[Complex64]]| vec![x[0][0] * x[1][0].sin(), x[0][1] + x[1][0] * x[1][0]];
                call(&from_complex_step("form", 2, complex), &groups).unwrap()
            }
        }
    }
}

#[test]
fn closures_serve_the_directions_they_have() {
    let x = [1.5, -0.7, 0.4];
    for (form, limit) in
        [(Form::Jvp, 8.0), (Form::Both, 8.0), (Form::Differences, 1e5), (Form::ComplexStep, 8.0)]
    {
        agree::<Dual<f64>>("Dual", &form, &Form::WrittenOut, &x, limit);
        agree::<DualN<f64, 4>>("DualN", &form, &Form::WrittenOut, &x, limit);
    }
    for (form, limit) in
        [(Form::Vjp, 8.0), (Form::Both, 8.0), (Form::Differences, 1e5), (Form::ComplexStep, 8.0)]
    {
        agree::<Var<f64>>("Var", &form, &Form::WrittenOut, &x, limit);
    }
}

/// Opaque code of different sizes: steps are relative to the arguments and to the direction.
#[test]
fn differences_of_opaque_code_keep_eleven_digits() {
    for size in [1.0, 1e3, 1e6] {
        let cube = |x: &[&[f64]]| vec![x[0].iter().map(|x| x * x * x).sum::<f64>()];
        let f = from_finite_differences("cube", 1, cube);
        let x = [size, -0.5 * size];
        for scale in [1e-12, 1.0, 1e12] {
            let along = [Dual::new(x[0], scale), Dual::new(x[1], -2.0 * scale)];
            let got = call(&f, &[&along]).unwrap()[0].tangent();
            let want = (3.0 * x[0] * x[0] - 6.0 * x[1] * x[1]) * scale;
            assert!((got - want).abs() < 1e-10 * want.abs(), "{size} {scale}: {got} {want}");
        }
    }
    // Seven times the sum of squares, inside of an outer function.
    let f = from_finite_differences("opaque", 1, |x| vec![7.0 * x[0].iter().map(|x| x * x).sum::<f64>()]);
    let g = wengert::gradient(|x| call(&f, &[x]).unwrap()[0].sqrt(), &[3.0, 5.0]);
    let root = (7.0f64 * 34.0).sqrt();
    assert!((g[0] - 21.0 / root).abs() < 1e-9 && (g[1] - 35.0 / root).abs() < 1e-9, "{g:?}");
}

/// Near zero the length over which a function changes its shape may be the argument or 1. Steps keep the sign.
#[test]
fn differences_near_zero_keep_their_digits() {
    type F = fn(f64) -> f64;
    let functions: [(&str, F, F); 5] = [
        ("exp", f64::exp, f64::exp),
        ("1 + x", |x| 1.0 + x, |_| 1.0),
        ("x²", |x| x * x, |x| 2.0 * x),
        ("√|x|", |x| x.abs().sqrt(), |x| 0.5 * x.signum() / x.abs().sqrt()),
        ("ln|x|", |x| x.abs().ln(), |x| 1.0 / x),
    ];
    for size in [1e-3, 1e-5, 1e-8, 1e-12, 1e-16, 1e-20, 1e-100, 1e-300] {
        for (x, (name, f, slope)) in [size, -size].into_iter().flat_map(|x| functions.map(|f| (x, f))) {
            let opaque = from_finite_differences("f", 1, move |at| {
                assert_eq!(at[0][0].signum(), x.signum());
                vec![f(at[0][0])]
            });
            let got = call(&opaque, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
            // The values of the square are subnormal there, and the steps of the logarithm are.
            let bound = if size > 1e-101 { 2e-11 * slope(x).abs() } else { 1e-7 * slope(x).abs() + 1e-15 };
            assert!((got - slope(x)).abs() <= bound, "{name} at {x}: {got}");
        }
    }
    // A branch or a wave farther out is no part of the derivative.
    let apart: [(f64, f64, F, f64); 4] = [
        (1e-8, 0.0, |x| (x - 1e-4).max(0.0), 0.0),
        (1e-12, 2.0, |x| 1.0 + x + 1e-6 * (1e6 * x).sin(), 1e-2),
        (1e-12, 1.1, |x| 1.0 + x + 1e-6 * (1e5 * x).sin(), 1e-2),
        (1e-13, 1.1, |x| 1.0 + x + 1e-6 * x / (x + 1e-5), 1e-2),
    ];
    for (x, want, f, bound) in apart {
        let opaque = from_finite_differences("f", 1, move |at| vec![f(at[0][0])]);
        let got = call(&opaque, &[&[Dual::variable(x)]]).unwrap()[0].tangent();
        assert!((got - want).abs() <= bound * want, "{want} at {x}: {got}");
    }
    // A state with numbers near zero moves as a whole.
    let f = from_finite_differences("f", 1, |x| vec![x[0][0].sin() * x[0][1].exp()]);
    for (small, along) in [(1e-12, 1.0), (-1e-12, 1.0), (1e-30, -1.0), (0.0, 1.0)] {
        let y = call(&f, &[&[Dual::new(0.7, 1.0), Dual::new(small, along)]]).unwrap()[0].tangent();
        assert!((y - 0.7f64.cos() - along * 0.7f64.sin()).abs() < 1e-11, "{small} {along}: {y}");
    }
}

#[test]
fn values_are_those_of_the_rule_bit_for_bit() {
    let plain = written_out(&groups(&POINT));
    let x = POINT.map(Dual::variable);
    let y = call(&FromRule(Scaled), &groups(&x)).unwrap();
    assert!(y.iter().zip(&plain).all(|(y, p)| y.value().to_bits() == p.to_bits()));
    let (y, map) = linearize(&FromRule(Scaled), &groups(&POINT)).unwrap();
    assert_eq!((y, map.name()), (plain, "scaled"));
    // Empty groups and no results.
    let nothing =
        from_jvp_and_vjp("nothing", 1, |_| vec![], |_, _| vec![], |x, _| vec![vec![0.0; x[0].len()]]);
    assert!(call(&nothing, &[&[Dual::variable(1.0)]]).unwrap().is_empty());
    assert!(call(&nothing, &[&[] as &[Dual<f64>]]).unwrap().is_empty());
}
