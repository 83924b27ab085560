//! Error bounds of derivatives, by the chain rule.
//!
//! With `p` the partials of a step and `h` its second partials, `Σ|p|·…` along the paths bounds the effect of
//! roundings of the partials and of the products. A partial is assumed to be as accurate as its conditioning admits,
//! `|δp| ≤ C·ε·(|p| + Σ|h||v|)`; relative to the truth, errors of the values before it move it too.

use wengert::{Dual2, Number};

use super::expression::{Expression, N, Op, Step};

/// The roundings that a partial of a row, and of a matrix function, may have in addition to its conditioning.
const ROUNDINGS: [f64; 2] = [16.0, 256.0];
/// The error of an underflow.
pub const TINY: f64 = 64.0 * 5e-324;

/// Functions that have no derivative where values coincide or vanish, which is an error of numbers with derivatives only.
const REFUSING: [&str; 5] =
    ["symmetric_sqrt(", "eigenvalues(", "singular_values(", "spectral_norm(", "nuclear_norm("];

/// Error bounds of the derivatives.
pub struct Bounds {
    /// Whether all intermediate results are finite.
    pub finite: bool,
    /// Whether a function has no derivative there and returns the error.
    pub refused: bool,
    /// Whether second derivatives of its matrices are well conditioned.
    pub calm: bool,
    /// `Σ|p…p|` along all paths, for each variable.
    pub paths: [f64; N],
    /// The bounds of derivatives, between modes and against the truth.
    pub modes: [f64; N],
    pub truth: [f64; N],
    /// The bound of the value.
    pub value: f64,
    /// How far each variable may move until a step turns, or reaches a kink.
    pub reach: [f64; N],
    /// The sums of paths for second derivatives.
    pub second: [[f64; N]; N],
}

#[derive(Clone, Copy, Default)]
struct Node {
    paths: [f64; N],
    modes: [f64; N],
    truth: [f64; N],
    value: f64,
    second: [[f64; N]; N],
}

pub fn bounds<M: Number<Base = f64, Primal = M>>(
    expression: &Expression,
    x: [M; N],
    apply: impl Fn(&Step, [Dual2<M, 4, 10>; 4]) -> Dual2<M, 4, 10>,
    clear: impl Fn(&Step, [M; 4]) -> f64,
) -> Bounds {
    let mut values = x.to_vec();
    let mut nodes: Vec<Node> = (0..N).map(|_| Node::default()).collect();
    (0..N).for_each(|i| nodes[i].paths[i] = 1.0);
    let mut partials = Vec::new();
    let (mut refused, mut calm) = (false, true);
    let mut reach = [f64::INFINITY; N];
    let (mut finite, mut lost) = (x.iter().all(|x| x.magnitude() < 1e280), [0.0; N]);
    for step in &expression.0 {
        let seeded = |j: usize| Dual2::variable(values[step.of[j]], j);
        let y = apply(step, [seeded(0), seeded(1), seeded(2), seeded(3)]);
        let p = y.gradient().map(|p| p.magnitude());
        let of_matrices = step.of_matrices();
        refused |= y.value().magnitude().is_nan() && REFUSING.iter().any(|f| step.text().contains(f));
        let size = step.of.map(|i| values[i].magnitude());
        let largest = |v: &[f64; 4]| v.iter().fold(0.0, |m: f64, &x| m.max(x));
        let row = matches!(step.op, Op::Row(_));
        // A matrix has its constants as entries, too.
        let constants = if of_matrices { step.k.abs().max(1.0) } else { 0.0 };
        let even = size.iter().all(|&x| x == 0.0 || x > 1e-3 * largest(&size))
            && (1e-3..1e3).contains(&largest(&size));
        let unit = !step.text().contains("two(") || step.text().contains("lit");
        let sized = size.into_iter().chain(unit.then_some(constants)).filter(|&x| x > 0.0);
        // The inverse of a matrix may be as large as the inverse of its smallest entry.
        let smallest = sized.clone().fold(f64::INFINITY, f64::min);
        let size = if row { size } else { [largest(&size).max(constants); 4] };
        // The whole of a matrix takes part in the roundings of each entry.
        let scale = largest(&size).max(f64::MIN_POSITIVE);
        let noise =
            (largest(&p) + y.value().magnitude() / scale) / scale + if row { 0.0 } else { largest(&p) };
        calm &= even || !of_matrices;
        let h = |j, l| y.second(j, l).magnitude();
        // The product in a definite matrix is added to the identity, and rounded to its own size.
        let squared = if step.text().contains("definite") { 1.0 + size[0].powi(2) } else { 1.0 };
        // Roundings of a matrix are absolute errors in the exponents of its exponential.
        let exponents =
            if step.text().contains("exp(") || step.text().contains("expm(") { 1.0 + size[0] } else { 1.0 };
        // The rest of a column after a projection is rounded to the largest entry. The derivative of one entry of the
        // result does not show the size of this entry.
        let beside =
            if step.text().contains("tall(") { largest(&size) / smallest.min(largest(&size)) } else { 1.0 };
        let eps = ROUNDINGS[usize::from(of_matrices)]
            * f64::EPSILON
            * squared
            * beside
            * if of_matrices { exponents } else { 1.0 };
        finite &= eps < 1.0;
        // A matrix of entries of very different sizes may be conditioned in any way.
        finite &= !of_matrices || sized.clone().all(|x| sized.clone().all(|y| x < 1e4 * y));
        let mut node = Node { value: eps * y.value().magnitude(), ..Node::default() };
        // Next to 1, f64's own acosh has few digits, and so has atanh next to −1.
        let near_one = step.text().contains("Acosh") && size[0] < 1.5;
        if near_one || step.text().contains("Atanh") && size[0] > 0.5 {
            node.value = f64::INFINITY;
        }
        for j in 0..4 {
            let before = nodes[step.of[j]];
            let norm = match step.text() {
                // Shares of one have derivatives with the roundings of one, not of the rest of one.
                text if text.contains("softmax") => p[j] + y.value().magnitude(),
                _ if of_matrices => largest(&p) + (y.value().magnitude() + 1.0) / smallest,
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
                    // A number that underflows here may be large again after later steps; the judge allows 10⁻⁶ of
                    // all.
                    node.second[i][m] += 1e6 * TINY
                        + p[j] * before.second[i][m]
                        + before.paths[i] * (0..4).map(other).sum::<f64>();
                }
            }
        }
        (0..N).for_each(|i| lost[i] += TINY * node.paths[i]);
        let clear = clear(step, step.of.map(|i| values[i]));
        for (i, reach) in reach.iter_mut().enumerate() {
            let along = |j: usize| nodes[step.of[j]].paths[i];
            let turn: f64 = (0..16).map(|jl| h(jl / 4, jl % 4) * along(jl / 4) * along(jl % 4)).sum();
            *reach = reach.min(0.05 * node.paths[i] / turn);
            let moved: f64 = step.reads().map(|k| nodes[k].paths[i]).sum();
            if moved > 0.0 {
                *reach = reach.min(0.25 * clear / moved);
            }
        }
        let all = p.iter().chain(&node.paths);
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
        calm,
        paths: last.paths,
        modes,
        truth,
        value: last.value,
        reach,
        second: last.second,
    }
}
