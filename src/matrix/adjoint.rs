//! Tangents and cotangents of a rule beside each other: `⟨ȳ, Jẋ⟩ = ⟨Jᵀȳ, ẋ⟩`, for tests.

use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Machine, Number};
use crate::primitive::Primitive;

/// Numbers in [−1, 1] without a pattern.
pub(super) fn numbers<P: Machine>(count: usize, seed: f64) -> Vec<P> {
    let i = if P::REAL { P::lit(0.0) } else { Number::sqrt(P::lit(-1.0)) };
    let wave = |k: usize, by: f64| P::lit((by * ((k + 1) * (k + 1)) as f64 * (1.0 + seed)).sin());
    (0..count).map(|k| wave(k, 12.9898) + wave(k, 78.233) * i).collect()
}

fn real<P: Machine>(x: P) -> f64 {
    crate::number::Real::primal(Number::re(x)).to_double()
}

/// `Re Σ conj(x)y`.
fn product<P: Machine>(x: &[P], y: &[P]) -> f64 {
    let terms = x.iter().zip(y).map(|(&x, &y)| real(Number::conj(x) * y));
    terms.sum()
}

/// Panics if the transpose of a rule's derivative is not the transpose of its derivative.
pub(super) fn check<P: Machine>(rule: &impl Primitive<P>, x: &[&[P]]) {
    let y = rule.value(x).unwrap();
    let map = rule.linearize::<P>(x.iter().map(|x| x.to_vec()).collect(), &y).unwrap();
    let tangents: Vec<Vec<P>> = x.iter().enumerate().map(|(g, x)| numbers(x.len(), 0.1 + g as f64)).collect();
    let mut dy = vec![P::lit(0.0); y.len()];
    map.apply(&tangents.iter().map(|t| Some(&t[..])).collect::<Vec<_>>(), &mut dy);
    let cotangent = numbers(y.len(), 0.5);
    let mut bars: Vec<Vec<P>> = x.iter().map(|x| vec![P::lit(0.0); x.len()]).collect();
    map.transpose(&cotangent, &mut bars.iter_mut().map(|b| Some(&mut b[..])).collect::<Vec<_>>());
    let forward = product(&cotangent, &dy);
    let reverse: f64 = bars.iter().zip(&tangents).map(|(b, t)| product(b, t)).sum();
    assert!(
        (forward - reverse).abs() <= 1e-12 * forward.abs().max(1.0),
        "{}: {forward} {reverse}",
        rule.name()
    );
}
