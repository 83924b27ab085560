//! The criterion for an expression at a point: values bit for bit, derivatives within an error bound that is derived.
//!
//! Where a value or a partial is not finite, or sums along the paths leave the range of numbers, the documents of
//! `forward` and `reverse` list the differences between the modes. There, NaN against a number is admitted between
//! them, and nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};

use num_complex::Complex;
use wengert::{ComplexVar, Dual, Dual2, DualN, HyperDual, Number, Tape, Var};

use super::bounds::{Bounds, TINY, bounds};
use super::exact::{difference, precise};
use super::expression::{Expression, N, Step, literal};

/// How many comparisons of each kind were made.
#[derive(Default, Clone, Copy, Debug)]
pub struct Counts {
    pub expressions: usize,
    pub values: usize,
    pub bounded: usize,
    pub unbounded: usize,
    pub second: usize,
    pub precise: usize,
    pub differences: usize,
    pub complex: usize,
    pub complex_differences: usize,
}

/// A number type with its results: value, gradient, second derivatives if it has them.
struct Answer<M> {
    by: &'static str,
    value: M,
    gradient: [M; N],
    second: Option<[[M; N]; N]>,
}

/// A number type that runs once for each axis.
fn by_axis<M: Copy>(by: &'static str, of: impl Fn(usize) -> (M, M)) -> Answer<M> {
    let parts: [(M, M); N] = std::array::from_fn(of);
    Answer { by, value: parts[0].0, gradient: parts.map(|p| p.1), second: None }
}

/// A number type that runs once for each pair of axes: value, first, first, mixed.
fn by_pair<M: Copy>(by: &'static str, of: impl Fn(usize, usize) -> [M; 3]) -> Answer<M> {
    let parts: [[[M; 3]; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| of(i, j)));
    let gradient = std::array::from_fn(|i| parts[i][0][1]);
    Answer { by, value: parts[0][0][0], gradient, second: Some(parts.map(|row| row.map(|p| p[2]))) }
}

/// Forward numbers over a primal number, real or complex.
macro_rules! forward {
    ($M:ty, $expression:ident, $x:ident, $call:ident) => {{
        let [zero, one] = [0.0, 1.0].map(<$M>::lit);
        let unit = |i: usize, k: usize| if i == k { one } else { zero };
        let at = |k: usize| $x[k];
        let many: DualN<$M, N> = $expression.$call(std::array::from_fn(|k| DualN::variable(at(k), k)));
        let two: Dual2<$M, N, 6> = $expression.$call(std::array::from_fn(|k| Dual2::variable(at(k), k)));
        let second = std::array::from_fn(|i| std::array::from_fn(|j| two.second(i, j)));
        vec![
            by_axis("Dual", |i| {
                let y = $expression.$call(std::array::from_fn(|k| Dual::new(at(k), unit(i, k))));
                (y.value(), y.tangent())
            }),
            Answer { by: "DualN", value: many.value(), gradient: many.tangents(), second: None },
            Answer { by: "Dual2", value: two.value(), gradient: two.gradient(), second: Some(second) },
            by_pair("HyperDual", |i, j| {
                let y = $expression
                    .$call(std::array::from_fn(|k| HyperDual::new(at(k), unit(i, k), unit(j, k), zero)));
                [y.value(), y.e1(), y.e12()]
            }),
            by_pair("Dual<Dual>", |i, j| {
                let y = $expression.$call(std::array::from_fn(|k| {
                    Dual::new(Dual::new(at(k), unit(i, k)), Dual::constant(unit(j, k)))
                }));
                [y.value().value(), y.value().tangent(), y.tangent().tangent()]
            }),
        ]
    }};
}

fn real_answers(expression: &Expression, x: [f64; N]) -> Vec<Answer<f64>> {
    let mut answers = forward!(f64, expression, x, call);
    let tape = Tape::new();
    let inputs: [Var<f64>; N] = x.map(|x| tape.variable(x));
    let y = expression.call(inputs);
    let cotangents = tape.cotangents(y);
    let gradient = inputs.map(|x| cotangents.of(x));
    answers.push(Answer { by: "Var", value: y.value(), gradient, second: None });
    let mixed = |j: usize| {
        let tape = Tape::new();
        let inputs: [Var<Dual<f64>>; N] =
            std::array::from_fn(|k| tape.variable(Dual::new(x[k], f64::from(u8::from(j == k)))));
        let y = expression.call(inputs);
        let cotangents = tape.cotangents(y);
        (y.value().value(), inputs.map(|x| cotangents.of(x)))
    };
    let columns: [_; N] = std::array::from_fn(mixed);
    answers.push(by_pair("Var<Dual>", |i, j| {
        let (value, column) = &columns[j];
        [*value, column[i].value(), column[i].tangent()]
    }));
    answers
}

fn complex_answers(expression: &Expression, z: [Complex<f64>; N]) -> Vec<Answer<Complex<f64>>> {
    type C = Complex<f64>;
    let mut answers = forward!(C, expression, z, call_complex);
    answers.push(by_axis("Dual along i", |i| {
        let unit = |k| if i == k { C::i() } else { C::lit(0.0) };
        let y = expression.call_complex(std::array::from_fn(|k| Dual::new(z[k], unit(k))));
        (y.value(), y.tangent() * -C::i())
    }));
    let tape = Tape::new();
    let inputs = z.map(|z| ComplexVar::new(tape.variable(z.re), tape.variable(z.im)));
    let w = expression.call_complex(inputs);
    let cotangents = tape.cotangents(w.re());
    let gradient = inputs.map(|z| C::new(cotangents.of(z.re()), -cotangents.of(z.im())));
    let value = C::new(w.re().value(), w.im().value());
    answers.push(Answer { by: "ComplexVar", value, gradient, second: None });
    answers
}

fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn reverse(by: &str) -> bool {
    by.contains("Var")
}

/// Fails with a message unless the condition holds.
macro_rules! hold {
    ($condition:expr, $($message:tt)*) => {
        let holds: bool = $condition;
        if !holds {
            return Err(format!($($message)*));
        }
    };
}

fn judge_real(expression: &Expression, x: [f64; N], counts: &mut Counts) -> Result<(), String> {
    let value = expression.call(x);
    let bounds = bounds(expression, x, Step::apply, Step::clear);
    if bounds.refused {
        return Ok(());
    }
    let answers = real_answers(expression, x);
    let first = answers[0].gradient;
    let of_matrices = expression.0.iter().any(Step::of_matrices);
    // Beyond six rows a single tangent is carried through elimination, several are found from the factors.
    let rounded_alike = !expression.0.iter().any(|step| step.text().contains("seven("));
    for answer in &answers {
        counts.values += 1;
        hold!(same_bits(value, answer.value), "value: f64 {value:e}, {} {:e}", answer.by, answer.value);
        for (i, want) in first.into_iter().enumerate() {
            let got = answer.gradient[i];
            let (by, bound) = (answer.by, bounds.modes[i]);
            if bounds.finite && bound.is_finite() {
                counts.bounded += 1;
                let close = (got - want).abs() <= bound;
                hold!(close, "∂/∂v{i}: Dual {want:e}, {by} {got:e}, bound {bound:e}");
            } else {
                counts.unbounded += 1;
                let number = by == "DualN" && rounded_alike;
                // Products of matrices with an infinite lane are multiplied as floats are, and underflow as they do.
                let infinite = of_matrices && answer.gradient.iter().any(|x| !x.is_finite());
                let close = got == want || infinite && (got - want).abs() < f64::MIN_POSITIVE;
                hold!(
                    !number || close || got.is_nan() && want.is_nan(),
                    "∂/∂v{i}: Dual {want:e}, {by} {got:e}"
                );
            }
        }
    }
    hold_second(&bounds, &answers, counts)?;
    for i in (0..N).filter(|&i| bounds.finite && bounds.truth[i] < 1e-3 * bounds.paths[i]) {
        let (got, bound) = (first[i], bounds.truth[i]);
        let reach = bounds.reach[i];
        if let Some(slope) = precise(expression, x, i, (bounds.value + TINY) / bounds.paths[i], reach) {
            counts.precise += 1;
            let close = (got - slope).abs() <= bound;
            hold!(close, "∂/∂v{i}: Dual {got:e}, in 192 bits {slope:e}, bound {bound:e}");
        } else {
            let at = |t: f64| {
                let mut moved = x;
                moved[i] += t;
                (expression.call(moved).into(), moved[i] - x[i])
            };
            if let Some((slope, error)) = difference(at, x[i].abs(), bounds.value + TINY, reach) {
                counts.differences += 1;
                let close = (slope - got).norm() <= 16.0 * error + bound;
                hold!(close, "∂/∂v{i}: Dual {got:e}, slope {:e} ± {error:e}", slope.re);
            }
        }
    }
    Ok(())
}

/// Second derivatives agree to 2⁻²⁰ of the sums along their paths, where these are well conditioned.
fn hold_second(bounds: &Bounds, answers: &[Answer<f64>], counts: &mut Counts) -> Result<(), String> {
    let held: Vec<_> = answers.iter().filter_map(|a| a.second.map(|s| (a.by, s))).collect();
    let calm = |i: usize| {
        bounds.finite && bounds.calm && bounds.paths[i] < 1e100 && bounds.modes[i] < 1e-10 * bounds.paths[i]
    };
    for (i, j) in (0..N).flat_map(|i| (0..N).map(move |j| (i, j))).filter(|&(i, j)| calm(i) && calm(j)) {
        let size = bounds.second[i][j];
        let Some(bound) = (size < 1e280).then_some(size * 1e-6 + 1e-250) else { continue };
        let (_, first) = held[0];
        for (by, second) in &held {
            counts.second += 1;
            let (want, got) = (first[i][j], second[i][j]);
            hold!(
                (got - want).abs() <= bound,
                "∂²/∂v{i}∂v{j}: Dual2 {want:e}, {by} {got:e}, bound {bound:e}"
            );
        }
    }
    Ok(())
}

fn judge_complex(expression: &Expression, x: [f64; N], counts: &mut Counts) -> Result<(), String> {
    let z = [Complex::new(x[0], x[1]), Complex::new(x[1], x[2]), Complex::new(x[2], x[0])];
    let value = expression.call_complex(z);
    let bounds = bounds(expression, z, Step::apply_complex, Step::clear_complex);
    let answers = complex_answers(expression, z);
    for answer in &answers {
        let (by, got) = (answer.by, answer.value);
        let same = same_bits(value.re, got.re) && same_bits(value.im, got.im);
        hold!(same || !bounds.finite && reverse(by), "complex value: {value}, {by} {got}");
        for i in (0..N).filter(|&i| bounds.finite && bounds.modes[i].is_finite()) {
            counts.complex += 1;
            let (got, want, bound) = (answer.gradient[i], answers[0].gradient[i], 2.0 * bounds.modes[i]);
            hold!((got - want).norm() <= bound, "complex ∂/∂v{i}: Dual {want}, {by} {got}, bound {bound:e}");
        }
    }
    for i in (0..N).filter(|&i| bounds.finite && bounds.truth[i] < 1e-3 * bounds.paths[i]) {
        let at = |t: f64| {
            let mut moved = z;
            moved[i].re += t;
            (expression.call_complex(moved), moved[i].re - z[i].re)
        };
        // Steps are along the real axis, and rounded as its numbers are.
        let size = z[i].norm();
        if let Some((slope, error)) = difference(at, size, bounds.value + TINY, bounds.reach[i]) {
            counts.complex_differences += 1;
            let (got, bound) = (answers[0].gradient[i], 16.0 * error + 2.0 * bounds.truth[i]);
            hold!((got - slope).norm() <= bound, "complex ∂/∂v{i}: Dual {got}, slope {slope} ± {error:e}");
        }
    }
    Ok(())
}

/// Runs all tests of an expression at a point. A panic is a failure.
fn judge(expression: &Expression, x: [f64; N], counts: &mut Counts) -> Result<(), String> {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        judge_real(expression, x, counts)?;
        if expression.0.iter().all(Step::holomorphic) { judge_complex(expression, x, counts) } else { Ok(()) }
    }));
    judged.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without a message")))
    })
}

/// The `case`-th random expression of a seed; if it fails, the report with the smallest that fails.
pub fn run(seed: u64, case: u64, counts: &mut Counts) -> Result<(), String> {
    let mut rng = fastrand::Rng::with_seed(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ case);
    let mut x: [f64; N] = std::array::from_fn(|_| super::expression::number(&mut rng));
    let holomorphic = rng.u8(..5) == 0;
    let mut expression = Expression::random(&mut rng, x, holomorphic);
    counts.expressions += 1;
    let Err(mut failure) = judge(&expression, x, counts) else { return Ok(()) };
    'smaller: loop {
        for (candidate, at) in expression.smaller(x) {
            if let Err(found) = judge(&candidate, at, &mut Counts::default()) {
                (expression, x, failure) = (candidate, at, found);
                continue 'smaller;
            }
        }
        break;
    }
    let point = x.map(literal).join(", ");
    Err(format!("// seed {seed}, case {case}, at [{point}]: {failure}\n{}", expression.text()))
}
