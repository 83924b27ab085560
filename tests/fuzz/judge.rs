//! What holds an expression at a point: values bit for bit, derivatives within an error bound that is derived.
//!
//! The bound follows the chain rule. With `p` the partials of a step and `h` its second ones, `Σ|p|·…` along the paths
//! gives what roundings of the partials and of the products can come to. A partial is taken to be as accurate as its
//! conditioning admits, `|δp| ≤ C·ε·(|p| + Σ|h||v|)`; beside the truth, errors of the values before it move it too.
//!
//! Where a value or a partial is not finite, or sums along the paths leave the range of numbers, the documents of
//! `forward` and `reverse` list what differs between the modes. There, NaN against a number is admitted between them, and
//! nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};

use num_complex::Complex;
use wengert::{ComplexVar, Dual, Dual2, DualN, HyperDual, Number, Tape, Var};

use super::exact::{difference, precise};
use super::expression::{Expression, N, Op, Step, literal};

/// Roundings that a partial of a row, and of a matrix function, may have beside its conditioning.
const ROUNDINGS: [f64; 2] = [16.0, 256.0];
/// What an underflow loses.
const TINY: f64 = 64.0 * 5e-324;

/// Functions that have no derivative where values coincide or vanish, which is an error of numbers with derivatives only.
const REFUSING: [&str; 5] =
    ["symmetric_sqrt(", "eigenvalues(", "singular_values(", "spectral_norm(", "nuclear_norm("];

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
}

/// Error bounds of the derivatives.
struct Bounds {
    /// Whether all is finite on the way.
    finite: bool,
    /// Whether a function has no derivative there and says so.
    refused: bool,
    /// Whether a step jumps, which differences may step over.
    jumps: bool,
    /// Whether second derivatives of its matrices are well conditioned.
    calm: bool,
    /// `Σ|p…p|` along all paths, for each variable.
    paths: [f64; N],
    /// Of derivatives, between modes and beside the truth.
    modes: [f64; N],
    truth: [f64; N],
    /// Of the value.
    value: f64,
    /// How far each variable may go until a step turns.
    reach: [f64; N],
    /// The sums of paths for second derivatives.
    second: [[f64; N]; N],
}

#[derive(Clone, Copy, Default)]
struct Node {
    paths: [f64; N],
    modes: [f64; N],
    truth: [f64; N],
    value: f64,
    second: [[f64; N]; N],
}

fn bounds<M: Number<Base = f64, Primal = M>>(
    expression: &Expression,
    x: [M; N],
    apply: impl Fn(&Step, [Dual2<M, 4, 10>; 4]) -> Dual2<M, 4, 10>,
) -> Bounds {
    let mut values = x.to_vec();
    let mut nodes: Vec<Node> = (0..N).map(|_| Node::default()).collect();
    (0..N).for_each(|i| nodes[i].paths[i] = 1.0);
    let mut partials = Vec::new();
    let (mut refused, mut jumps, mut calm) = (false, false, true);
    let mut reach = [f64::INFINITY; N];
    let (mut finite, mut lost) = (x.iter().all(|x| x.magnitude() < 1e280), [0.0; N]);
    for step in &expression.0 {
        let seeded = |j: usize| Dual2::variable(values[step.of[j]], j);
        let y = apply(step, [seeded(0), seeded(1), seeded(2), seeded(3)]);
        let p = y.gradient().map(|p| p.magnitude());
        let of_matrices = matches!(step.op, Op::OfMatrices(_));
        refused |= y.value().magnitude().is_nan() && REFUSING.iter().any(|f| step.text().contains(f));
        jumps |= step.jumps();
        let size = step.of.map(|i| values[i].magnitude());
        let largest = |v: &[f64; 4]| v.iter().fold(0.0, |m: f64, &x| m.max(x));
        let row = matches!(step.op, Op::Row(_));
        // A matrix has its constants beside its operands.
        let constants = if of_matrices { step.k.abs().max(1.0) } else { 0.0 };
        let even = size.iter().all(|&x| x == 0.0 || x > 1e-3 * largest(&size))
            && (1e-3..1e3).contains(&largest(&size));
        let unit = !step.text().contains("two(") || step.text().contains("lit");
        let sized = size.into_iter().chain(unit.then_some(constants)).filter(|&x| x > 0.0);
        let size = if row { size } else { [largest(&size).max(constants); 4] };
        // The whole of a matrix takes part in the roundings of each entry.
        let scale = largest(&size).max(f64::MIN_POSITIVE);
        let noise =
            (largest(&p) + y.value().magnitude() / scale) / scale + if row { 0.0 } else { largest(&p) };
        calm &= even || !of_matrices;
        let h = |j, l| y.second(j, l).magnitude();
        // The product in a definite matrix is rounded to its own size, beside the identity.
        let squared = if step.text().contains("definite") { 1.0 + size[0].powi(2) } else { 1.0 };
        let eps = ROUNDINGS[usize::from(of_matrices)] * f64::EPSILON * squared;
        // A matrix of entries of very different sizes may be conditioned in any way.
        finite &= !of_matrices || sized.clone().all(|x| sized.clone().all(|y| x < 1e4 * y));
        let mut node = Node { value: eps * y.value().magnitude(), ..Node::default() };
        // Next to 1, f64's own acosh has few digits, and so has atanh next to −1.
        if step.text().contains("Acosh") || step.text().contains("Atanh") {
            node.value = f64::INFINITY;
        }
        for j in 0..4 {
            let before = nodes[step.of[j]];
            let norm = match step.text() {
                // Shares of one keep their slopes to roundings of one, not of what is left of one.
                text if text.contains("softmax") => p[j] + y.value().magnitude(),
                _ if of_matrices => largest(&p) + (y.value().magnitude() + 1.0) / size[j],
                _ => p[j],
            };
            let turn = (0..4).map(|l| h(j, l) * size[l]).sum::<f64>();
            let moved = (0..4).map(|l| h(j, l) * nodes[step.of[l]].value).sum::<f64>();
            let partial = eps * (norm + turn) + TINY;
            node.value += p[j] * before.value + if row { 0.0 } else { eps * p[j].max(norm) * size[j] };
            for i in 0..N {
                node.paths[i] += p[j] * before.paths[i];
                node.modes[i] += p[j] * (before.modes[i] + TINY) + partial * before.paths[i] + TINY;
                node.truth[i] +=
                    p[j] * (before.truth[i] + TINY) + (partial + 2.0 * moved) * before.paths[i] + TINY;
                for m in 0..N {
                    let other = |l: usize| (h(j, l) + noise) * nodes[step.of[l]].paths[m];
                    node.second[i][m] +=
                        p[j] * before.second[i][m] + before.paths[i] * (0..4).map(other).sum::<f64>();
                }
            }
        }
        (0..N).for_each(|i| lost[i] += TINY * node.paths[i]);
        for (i, reach) in reach.iter_mut().enumerate() {
            let along = |j: usize| nodes[step.of[j]].paths[i];
            let turn: f64 = (0..16).map(|jl| h(jl / 4, jl % 4) * along(jl / 4) * along(jl % 4)).sum();
            *reach = reach.min(0.05 * node.paths[i] / turn);
        }
        let all = p.iter().chain(&node.paths).chain([&node.value]);
        finite &= y.value().magnitude() < 1e280 && all.into_iter().all(|&x| x < 1e280);
        partials.push(p);
        nodes.push(node);
        values.push(y.value());
    }
    let mut adjoints = vec![0.0; values.len()];
    adjoints[values.len() - 1] = 1.0;
    for (k, step) in expression.0.iter().enumerate().rev() {
        for j in 0..4 {
            adjoints[step.of[j]] += partials[k][j] * adjoints[N + k];
        }
    }
    finite &= adjoints.iter().all(|&a| a < 1e280);
    let last = nodes[nodes.len() - 1];
    let with =
        |bound: [f64; N]| std::array::from_fn(|i| bound[i] + 8.0 * f64::EPSILON * last.paths[i] + lost[i]);
    let (modes, truth) = (with(last.modes), with(last.truth));
    Bounds {
        finite,
        refused,
        jumps,
        calm,
        paths: last.paths,
        modes,
        truth,
        value: last.value,
        reach,
        second: last.second,
    }
}

/// A number type with what it says: value, gradient, second derivatives if it has them.
struct Answer<M> {
    by: &'static str,
    value: M,
    gradient: [M; N],
    second: Option<[[M; N]; N]>,
}

/// A number type that is asked once for each axis.
fn by_axis<M: Copy>(by: &'static str, of: impl Fn(usize) -> (M, M)) -> Answer<M> {
    let parts: [(M, M); N] = std::array::from_fn(of);
    Answer { by, value: parts[0].0, gradient: parts.map(|p| p.1), second: None }
}

/// A number type that is asked once for each pair of axes: value, first, first, mixed.
fn by_pair<M: Copy>(by: &'static str, of: impl Fn(usize, usize) -> [M; 3]) -> Answer<M> {
    let parts: [[[M; 3]; N]; N] = std::array::from_fn(|i| std::array::from_fn(|j| of(i, j)));
    let gradient = std::array::from_fn(|i| parts[i][0][1]);
    Answer { by, value: parts[0][0][0], gradient, second: Some(parts.map(|row| row.map(|p| p[2]))) }
}

/// Forward numbers over a machine number, real or complex.
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
    let bounds = bounds(expression, x, Step::apply);
    if bounds.refused {
        return Ok(());
    }
    let answers = real_answers(expression, x);
    let first = answers[0].gradient;
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
                let number = !reverse(by) && by == "DualN";
                hold!(
                    !number || got == want || got.is_nan() && want.is_nan(),
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
        } else if !bounds.jumps
            && let Some([slope, error]) = difference(expression, x, i, bounds.value + TINY, reach)
        {
            counts.differences += 1;
            let close = (got - slope).abs() <= 16.0 * error + bound;
            hold!(close, "∂/∂v{i}: Dual {got:e}, slope {slope:e} ± {error:e}");
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
    let bounds = bounds(expression, z, Step::apply_complex);
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
    Ok(())
}

/// Everything that is asked of an expression at a point. A panic is a failure.
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
