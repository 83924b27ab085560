//! Derivatives of all orders at one point, of functions whose derivatives are functions of the same family.

use num_traits::Float;

use super::below;
use crate::number::{BaseFloat, Number, Real};
use crate::rules::Literal;

/// `f⁽ᵏ⁾ = fₙ₊ₖ` of a family whose members are derivatives of each other.
pub(in crate::rules) fn climb<D>(n: u32, out: &mut [D], f: impl Fn(u32) -> D) {
    for (k, out) in (1..).zip(out) {
        *out = f(n.saturating_add(k));
    }
}

/// Up to this order [`ladder`] gives derivatives, and NaN beyond.
const LADDER: usize = 64;

/// The derivatives of `fₙ` in a family with `fₘ′ = a·fₘ₋₁ − b·fₘ₊₁`, `[a, b] = steps(m)` and `a = 0` for `m = 0`: those
/// of `fₙ₋ₖ, …, fₙ₊ₖ` from the next lower ones.
pub(in crate::rules) fn ladder<T: Real>(
    n: u32,
    out: &mut [T],
    steps: impl Fn(u32) -> [f64; 2],
    f: impl Fn(u32) -> T,
) {
    let (known, rest) = out.split_at_mut(out.len().min(LADDER));
    rest.fill(T::lit(f64::NAN));
    let order = known.len();
    // `all[i]` belongs to `fₘ` with `m = n + i − order`.
    let (mut all, first) = ([T::lit(0.0); 2 * LADDER + 1], order.saturating_sub(n as usize));
    let index = |i: usize| (n - order.min(n as usize) as u32).saturating_add((i - first) as u32);
    (first..=2 * order).for_each(|i| all[i] = f(index(i)));
    for (k, out) in (1..).zip(known) {
        let mut below = if k > first { all[k - 1] } else { T::lit(0.0) };
        for i in first.max(k)..=2 * order - k {
            let ([a, b], own) = (steps(index(i)), all[i]);
            all[i] = below.times(a) - all[i + 1].times(b);
            below = own;
        }
        *out = all[order];
    }
}

/// The derivatives from order `1 + skipped` on of `f = g/x`, where `g, g′` are the pair and `g″ = sign·g`, by
/// `x·f⁽ᵏ⁾ + k·f⁽ᵏ⁻¹⁾ = g⁽ᵏ⁾`: upwards for `k ≤ |x|`, downwards above (from zero, far enough up) if `f` is `regular`
/// at 0. Either way an error shrinks.
pub(in crate::rules) fn cardinal<T: Number>(
    [x, f]: [T; 2],
    out: &mut [T],
    g: [T; 2],
    sign: f64,
    (regular, skipped): (bool, usize),
) {
    let (size, re) = (x.magnitude().to_double(), x.re().primal().to_double());
    let (last, side) = (out.len() + skipped, if re < 0.0 { -1.0 } else { 1.0 });
    let mut write = |k: usize, value: T| {
        if let Some(slot) = k.checked_sub(1 + skipped).and_then(|k| out.get_mut(k)) {
            *slot = value;
        }
    };
    let signed = |k: usize| if k % 4 > 1 { sign } else { 1.0 };
    if Float::is_infinite(size) {
        (1..=last).for_each(|k| {
            write(k, if sign < 0.0 { T::lit(0.0) } else { f.times(if k % 2 == 0 { 1.0 } else { side }) })
        });
        return;
    }
    let turn = if regular { if below(x, 1e9) { last.min(size as usize) } else { last } } else { last };
    // `g⁽ᵏ⁾/x`, which for hyperbolic functions far out is `±f`, where `g` may be infinite.
    let quotient = match sign > 0.0 && Float::abs(re) > 20.0 {
        true => [f, f.times(side)],
        false => g.map(|g| g / x),
    };
    let mut upwards = f;
    for k in 1..=turn {
        upwards = quotient[k % 2].times(signed(k)) - (upwards / x).times(k as f64);
        write(k, upwards);
    }
    let mut downwards = T::lit(0.0);
    for k in (turn + 2..=2 * last + 30).rev() {
        downwards = (g[k % 2].times(signed(k)) - x * downwards).times(1.0 / k as f64);
        write(k - 1, downwards);
    }
}
