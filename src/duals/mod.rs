//! The numbers of forward mode.

#[macro_use]
mod parts;
#[macro_use]
mod sums;

mod complex;
mod constants;
mod display;
mod dual;
mod dual2;
mod dual_n;
mod hyper;
mod lanes_stay;
mod packing;
#[allow(clippy::needless_range_loop)] // recurrences speak of orders
mod taylor;
#[cfg(test)]
pub(crate) mod trial;

pub use dual::Dual;
pub use dual_n::DualN;
pub use dual2::Dual2;
pub use hyper::HyperDual;
pub use taylor::{Taylor, TaylorDyn};

use crate::number::{Number, Real};
use crate::rules::{Binary, Holomorphic, HolomorphicBinary, Unary, boundary};

/// Second derivatives, of rules of real and of complex numbers.
macro_rules! second_derivatives {
    ($Number:ident $Unary:ident $second:ident, $Binary:ident $partials:ident) => {
        /// `f″` of a rule: by its row, or by differentiating its `f′`.
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $second<T: $Number, U: $Unary>(rule: U, x: T, f: T, d: T) -> T {
            match rule.second(x, f, d) {
                Some(dd) => dd,
                None => rule.derivative(Dual::variable(x), Dual::new(f, d)).tangent(),
            }
        }
        /// The two first and three second partials `[∂x, ∂y]`, `[∂xx, ∂xy, ∂yy]`, by differentiating the first.
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn $partials<T: $Number, B: $Binary>(rule: B, x: T, y: T, f: T) -> ([T; 2], [T; 3]) {
            let d = rule.partials(x, y, f);
            let along_x = rule.partials(Dual::variable(x), Dual::constant(y), Dual::new(f, d[0]));
            let along_y = rule.partials(Dual::constant(x), Dual::variable(y), Dual::new(f, d[1]));
            let mixed = mixed(along_x[1].tangent(), along_y[0].tangent());
            (d, [along_x[0].tangent(), mixed, along_y[1].tangent()])
        }
    };
}
second_derivatives!(Real Unary second, Binary second_partials);
second_derivatives!(Number Holomorphic second_holomorphic, HolomorphicBinary second_partials_holomorphic);

/// Whether first and second derivatives of `f` at `x`, as computed, keep digits and conventions in products with tangents.
/// `scaled` is the sum of the products of `f″` and the tangents.
#[cfg_attr(not(debug_assertions), inline(always))]
fn products_are_exact<T: Number>([x, f]: [T; 2], [d, dd]: [T; 2], scaled: T) -> bool {
    // Closures would keep the numbers in memory. A zero and its derivative may have underflowed, except at zero.
    let exact = boundary::is_exact(d) && boundary::is_exact(dd)
        || boundary::are_moderate([x, f, d])
            && !(d.is_exactly_zero() && f.is_exactly_zero() && !x.is_exactly_zero());
    exact & boundary::finite(f, d) & boundary::finite(f, scaled)
}

/// As [`products_are_exact`], for partials of `f` at `x` and `y` whose sum with the tangents is `sum`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn products_are_exact2<T: Number>([x, y, f]: [T; 3], sum: T) -> bool {
    boundary::are_moderate([x, y, f]) && sum.all_finite()
}

/// `∂xy` from `∂y(∂x)` and `∂x(∂y)`: infinite if either is, as at the end of a domain, where a formula that holds one
/// operand constant may have another limit (`x^y` at x = 0, y = 1).
#[cfg_attr(not(debug_assertions), inline(always))]
fn mixed<T: Number>(x_after_y: T, y_after_x: T) -> T {
    if y_after_x.all_finite() { x_after_y } else { y_after_x }
}

/// The sum of the numbers, finite only if each is. Four partial sums run in parallel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn total<T: Number, const N: usize>(x: &[T; N]) -> T {
    let mut sums = [T::lit(0.0); 4];
    for i in 0..N {
        sums[i % 4] += x[i];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
