//! A series through a function whose derivatives at the point are known.

use num_traits::Float;

use super::Taylor;
use super::kernels::{convolved, is_straight, part, times};
use crate::number::Number;

/// `f(x₀ + u) = Σ hₖuᵏ` by Horner's scheme, from `f⁽ᵏ⁾ = k!·hₖ`. Each step has one order more.
pub(super) fn composed<T: Number, const K: usize, const STRONG: bool>(
    x: &Taylor<T, K>,
    f: T,
    mut h: [T; K],
    n: usize,
) -> Taylor<T, K> {
    let mut scale = part::<T>(1);
    for k in 0..n {
        scale *= part::<T>(k + 1);
        h[k] *= scale;
    }
    if is_straight(&x.rest[..n]) {
        return straight::<T, K, STRONG>(x, f, h, n);
    }
    let mut sum = Taylor { value: h[n - 1], rest: [T::lit(0.0); K] };
    for k in (0..n).rev() {
        let next = convolved::<T, K, STRONG>(&sum, &x.rest[..n - k], n - k);
        sum = Taylor { value: if k == 0 { f } else { h[k - 1] }, rest: next };
    }
    sum
}

/// Along a straight line, `u = x₁t`.
fn straight<T: Number, const K: usize, const STRONG: bool>(
    x: &Taylor<T, K>,
    f: T,
    mut h: [T; K],
    n: usize,
) -> Taylor<T, K> {
    let (mut power, step) = (T::lit(1.0), x.rest[0]);
    let least = <T::Base as Float>::min_positive_value();
    for k in 0..n {
        power *= step;
        // A power out of the range would hide a large or small derivative.
        let is_far = power.magnitude() < least || !power.magnitude().is_finite();
        h[k] = if is_far && !step.is_exactly_zero() {
            (0..=k).fold(h[k], |h, _| times::<T, STRONG>(h, step, false))
        } else {
            times::<T, STRONG>(h[k], power, false)
        };
    }
    h[n..].fill(T::lit(0.0));
    Taylor { value: f, rest: h }
}
