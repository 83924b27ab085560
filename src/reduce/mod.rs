//! Reductions of slices: sums, products, norms, `ln Σ eˣ`, extrema.
//!
//! These functions are correct where written-out code is not: a product with zeros, a norm at the origin,
//! exponentials that overflow, ties of an extremum. `Iterator::sum` and `Iterator::product` are equivalent to [`sum`]
//! and [`product`]. All sums start with the same zero, see [`sum`].

mod exponentials;

use crate::error::{AdError, demand_len};
use crate::number::{AsNumber, BaseFloat, Number, Real, power_of_two};
pub use exponentials::*;

/// `Σ xᵢ`; `ẏ = Σ ẋᵢ`. The value is that of `Iterator::sum` of the innermost number: a sum of −0 is −0, and so is the
/// empty sum, as in std (num-complex starts with +0).
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::new(1.0, 1.0), Dual::new(2.0, 10.0), Dual::new(3.0, 100.0)];
/// assert_eq!(reduce::sum(&x).tangent(), 111.0);
/// ```
#[track_caller]
pub fn sum<T: Number>(x: &[T]) -> T {
    T::demand_one_tape_within(&[x]);
    T::sum_of(x)
}

/// `Σ xᵢ/n`; `ẏ = Σ ẋᵢ/n`.
///
/// # Errors
/// [`AdError::EmptyInput`] if `x` is empty.
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::new(1.0, 3.0), Dual::new(2.0, 0.0), Dual::new(4.0, -6.0)];
/// assert_eq!(reduce::mean(&x).unwrap().tangent(), -1.0);
/// ```
#[track_caller]
pub fn mean<T: Number>(x: &[T]) -> Result<T, AdError> {
    if x.is_empty() {
        return Err(AdError::EmptyInput { op: "mean" });
    }
    Ok(sum(x) / T::Base::from_double(x.len() as f64))
}

/// `Π xᵢ`; `ẏ = Σᵢ ẋᵢ Π_{j≠i} xⱼ` without divisions, so zeros among the factors are exact, in higher orders too. The
/// empty product is 1.
///
/// The value is multiplied in order and overflows as it does with floats. Derivatives are computed with separate
/// exponents if a partial product leaves the range of the float, so they overflow or underflow only if their own
/// values do. Infinite and NaN factors are multiplied as floats.
///
/// ```
/// use wengert::{Dual, gradient, reduce};
/// let x = [Dual::new(2.0, 1.0), Dual::new(0.0, 10.0), Dual::new(3.0, 100.0)];
/// assert_eq!((reduce::product(&x).value(), reduce::product(&x).tangent()), (0.0, 60.0));
/// let p = 2f64.powi(700);
/// assert_eq!(gradient(|x| reduce::product(x), &[1.0 / p, 1.0 / p, p, p])[..2], [p, p]);
/// ```
#[track_caller]
pub fn product<T: Number>(x: &[T]) -> T {
    T::demand_one_tape_within(&[x]);
    T::multiplied(x.iter().copied())
}

/// `Σ xᵢyᵢ`; `ẏ = Σ (ẋᵢyᵢ + xᵢẏᵢ)`; complex numbers are not conjugated.
///
/// # Panics
/// If the lengths differ.
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::variable(2.0), Dual::constant(3.0)];
/// let y = [Dual::constant(4.0), Dual::constant(5.0)];
/// assert_eq!((reduce::dot(&x, &y).value(), reduce::dot(&x, &y).tangent()), (23.0, 4.0));
/// ```
#[track_caller]
pub fn dot<T: Number>(x: &[T], y: &[T]) -> T {
    demand_len("dot", "second operand", x.len(), y.len());
    T::demand_one_tape_within(&[x, y]);
    T::dot(x, y)
}

/// `Σ wᵢxᵢ + b`: a neuron, or a row of a linear model. On a tape it is one block from 9 terms on. The
/// results of such a layer are contiguous, which makes the blocks of the next layer small.
///
/// # Panics
/// If the lengths differ.
///
/// ```
/// use wengert::{Var, gradient, reduce::affine};
/// // p = (w₀, w₁, b) at x = (3, 4)
/// let x = [3.0, 4.0].map(Var::constant);
/// let neuron = |p: &[Var<f64>]| affine(&p[..2], &x, p[2]);
/// assert_eq!(gradient(neuron, &[0.5, 0.25, 1.0]), [3.0, 4.0, 1.0]);
/// ```
#[track_caller]
pub fn affine<T: Number>(w: &[T], x: &[T], b: T) -> T {
    demand_len("affine", "second operand", w.len(), x.len());
    T::demand_one_tape_within(&[w, x, &[b]]);
    T::affine(w, x, b)
}

/// `Σ wᵢxᵢ` with constant weights; `ẏ = Σ wᵢẋᵢ`.
///
/// # Panics
/// If the lengths differ.
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::new(1.0, 1.0), Dual::new(2.0, 10.0)];
/// let y = reduce::linear_combination(&[3.0, -0.5], &x);
/// assert_eq!((y.value(), y.tangent()), (2.0, -2.0));
/// ```
#[track_caller]
pub fn linear_combination<T: Number>(weights: &[T::Base], x: &[T]) -> T {
    demand_len("linear_combination", "list of weights", x.len(), weights.len());
    T::demand_one_tape_within(&[x]);
    T::weighted_sum(weights, x)
}

/// `Σ xᵢ²`; `ẏ = 2Σ xᵢẋᵢ`, exact at 0. For an empty slice the zero of [`sum`].
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::variable(3.0), Dual::constant(4.0)];
/// assert_eq!(reduce::norm_squared(&x).tangent(), 6.0);
/// ```
#[track_caller]
pub fn norm_squared<T: Real>(x: &[T]) -> T {
    T::demand_one_tape_within(&[x]);
    T::dot(x, x)
}

/// `√(Σ xᵢ²)`; `ẏ = Σ xᵢẋᵢ/y`, without overflow or underflow of value or derivative. At the origin the derivative is
/// 0, the subgradient of least norm, in higher orders too. A single infinite element has the derivative ±1.
///
/// If the squares may leave the range of the float, elements are combined in order with [`hypot`](Real::hypot),
/// whose conventions for infinities and NaN apply.
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::variable(3e200_f64), Dual::constant(4e200)];
/// assert!((reduce::norm(&x).tangent() - 0.6).abs() < 1e-15);
/// assert_eq!(reduce::norm(&[Dual::variable(0.0), Dual::constant(0.0)]).tangent(), 0.0);
/// ```
#[track_caller]
pub fn norm<T: Real>(x: &[T]) -> T {
    T::demand_one_tape_within(&[x]);
    if let Some(y) = T::norm_of(x) {
        return y;
    }
    if T::TRACES {
        return by_hypot(x, |x| x);
    }
    let base = T::Base::from_double;
    let largest = x.iter().map(|x| x.magnitude()).fold(base(0.0), |a, b| if b > a { b } else { a });
    // √(max/n), and far enough from 1 to leave room for the reciprocals of second derivatives.
    let sum = <T::Base as num_traits::Float>::max_value() / base(x.len().max(1) as f64);
    let most = Real::min(base(1e18), Number::sqrt(sum));
    if largest > base(1e-18) && largest < most {
        let is_far = largest < base(1.0 / 65536.0) || largest > base(65536.0);
        let root = if is_far { far_root(x, largest) } else { norm_squared(x).sqrt() };
        let leading = if T::ORDER >= 2 { leading(x).filter(Leading::leads) } else { None };
        leading.map_or(root, |lead| beside(x, lead, root))
    } else {
        let y = by_hypot(x, |x| x);
        let is_finite = |x: &T| num_traits::Float::is_finite(x.magnitude());
        if is_finite(&y) || !x.iter().all(is_finite) { y } else { by_scaled_hypot(x) }
    }
}

/// `√Σ xᵢ²` where tangents and cotangents of the sum may leave the range and the root's do not. The first derivative is `Σ
/// uᵢẋᵢ` with numbers `u = x/y`. On a tape of numbers with tangents one factor of each square is divided by a power of two
/// near the largest size: then cotangents of the sum and of the root have one size.
#[track_caller]
fn far_root<T: Real>(x: &[T], largest: T::Base) -> T {
    if T::ORDER == 1 {
        let primals = || x.iter().map(|x| x.primal());
        let y = Number::sqrt(T::Base::inner_product(primals().zip(primals())));
        let terms = T::inner_product(x.iter().map(|&x| (x, T::base(x.primal() / y))));
        return terms.with_innermost(T::base(y).innermost());
    }
    if !T::RECORDS {
        return norm_squared(x).sqrt();
    }
    let power = libm::ilogb(largest.to_double());
    let [by, back] = [-power, power].map(power_of_two::<T::Base>);
    (T::inner_product(x.iter().map(|&x| (x * by, x))) * back).sqrt()
}

/// The norm of the elements, as `read` gives them, by `hypot`, which is smooth if it starts with the largest element. After
/// that element it takes from each pair of an element and the largest one before it the smaller.
#[track_caller]
pub(crate) fn by_hypot<T: Real>(x: &[T], read: impl Fn(T) -> T) -> T {
    let Some((&first, rest)) = x.split_first() else { return T::lit(0.0) };
    let first = read(first);
    let by_size = |a: T, b: T| ordered([a.abs(), b.abs()], [a, b]);
    let largest = rest.iter().fold(first, |most, &x| by_size(most, read(x))[1]);
    let (mut norm, mut most) = (T::lit(0.0).hypot(largest), first);
    // A loop: closures have no `track_caller`.
    for &x in rest {
        let [less, more] = by_size(most, read(x));
        (norm, most) = (norm.hypot(less), more);
    }
    norm
}

/// The norm by `hypot` where it exceeds the range of the float, and its derivatives do not.
#[track_caller]
pub(crate) fn by_scaled_hypot<T: Real>(x: &[T]) -> T {
    let power = 1 + libm::ilogb(x.len() as f64);
    let [by, back] = [-power, power].map(power_of_two::<T::Base>);
    by_hypot(x, |x| x * by) * back
}

/// The element of the largest size.
#[derive(Clone, Copy)]
pub(crate) struct Leading<F> {
    /// Its index.
    pub place: usize,
    /// The sum of the squares of the others, in units of its own square.
    pub others: F,
}

impl<F: BaseFloat> Leading<F> {
    /// Whether its square is larger than the sum of the squares of the others.
    fn leads(&self) -> bool {
        self.others < F::from_double(1.0)
    }
}

/// The element of the largest size; NaN loses.
pub(crate) fn leading<T: Real>(x: &[T]) -> Option<Leading<T::Base>> {
    let size = |k: usize| x[k].magnitude();
    let larger = |a, b| if size(b) > size(a) || num_traits::Float::is_nan(size(a)) { b } else { a };
    let place = (0..x.len()).reduce(larger)?;
    let parts = (0..x.len()).filter(|&k| k != place).map(|k| size(k) / size(place));
    Some(Leading { place, others: parts.fold(T::Base::from_double(0.0), |sum, part| sum + part * part) })
}

/// The entries of `x/y` for `y = ‖x‖`. For the leading element the derivative `(1 − uₖ²)/y` would cancel where `uₖ`
/// is near 1. It is computed as `±(1 − r/(y(y + |xₖ|)))`, where `r` is the sum of the squares of the others.
#[cfg(all(feature = "nalgebra", feature = "std"))]
pub(crate) fn direction<T: Real>(x: &[T], y: T) -> impl Fn(usize) -> T {
    let lead = if T::PLAIN || T::TRACES { None } else { leading(x) };
    let lead = lead.filter(|lead| lead.leads());
    move |k| {
        let plain = x[k] / y;
        let Some(lead) = lead.filter(|lead| lead.place == k) else { return plain };
        let (by, others) = squares_of_others(x, lead);
        let part = -(others / (y * by) / (y + x[k].abs())) + T::Base::from_double(1.0);
        let signed = if plain.primal() < T::Base::from_double(0.0) { -part } else { part };
        signed.with_innermost(plain.innermost())
    }
}

/// `|xₖ| + r/(|xₖ| + y)` for the leading element `xₖ`, the sum `r` of the squares of the others, and the root `y` of
/// the sum of all squares. Along `xₖ` the second derivative of `y`, `(1 − uₖ²)/y` with `u = x/y`, would cancel where
/// `uₖ` is near 1.
#[track_caller]
fn beside<T: Real>(x: &[T], lead: Leading<T::Base>, y: T) -> T {
    let (most, (by, others)) = (x[lead.place].abs(), squares_of_others(x, lead));
    (most + others / ((most + y) * by)).with_innermost(y.innermost())
}

/// A power of two near the reciprocal of the leading element, and the sum of the squares of the others times this
/// factor: small squares would underflow.
fn squares_of_others<T: Real>(x: &[T], lead: Leading<T::Base>) -> (T::Base, T) {
    let size = x[lead.place].magnitude().to_double();
    let by = T::Base::from_double(libm::scalbn(1.0, -libm::ilogb(size)));
    let others = x.iter().enumerate().filter(|(k, _)| *k != lead.place);
    (by, T::inner_product(others.map(|(_, &x)| (x, x * by))))
}

/// The largest element. If `k` elements tie, each has the derivative `1/k`. NaN elements lose.
///
/// # Errors
/// [`AdError::EmptyInput`] if `x` is empty.
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::variable(1.0), Dual::constant(1.0), Dual::constant(0.0)];
/// assert_eq!(reduce::max(&x).unwrap().tangent(), 0.5);
/// ```
#[track_caller]
pub fn max<T: Real>(x: &[T]) -> Result<T, AdError> {
    extremum("max", x, true)
}

/// The smallest element; ties and NaN as for [`max`].
///
/// # Errors
/// [`AdError::EmptyInput`] if `x` is empty.
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [Dual::variable(1.0), Dual::constant(1.0), Dual::constant(1.0)];
/// assert_eq!(reduce::min(&x).unwrap().tangent(), 1.0 / 3.0);
/// ```
#[track_caller]
pub fn min<T: Real>(x: &[T]) -> Result<T, AdError> {
    extremum("min", x, false)
}

/// The index of the largest element, of the first one if several tie. NaN elements lose.
///
/// In a traced program each index is a branch, so that derivatives run through the chosen element only. A sum over data
/// keeps a program for each of up to 64 branches. [`max`] has one program for all.
///
/// # Errors
/// [`AdError::EmptyInput`] if `x` is empty.
///
/// ```
/// use wengert::{Dual, reduce};
/// let x = [1.0, 3.0, 3.0, f64::NAN].map(Dual::variable);
/// assert_eq!(reduce::argmax(&x), Ok(1));
/// ```
pub fn argmax<T: Real>(x: &[T]) -> Result<usize, AdError> {
    arg_extremum("argmax", x, |a, b, yes, no| T::select_lt(b, a, yes, no))
}

/// The index of the smallest element; ties and NaN as for [`argmax`].
///
/// # Errors
/// [`AdError::EmptyInput`] if `x` is empty.
///
/// ```
/// use wengert::{Real, forward, reduce};
/// // The squared distance to the nearest of three places.
/// fn nearest<T: Real>(x: T) -> T {
///     let distances = [0.0, 1.0, 4.0].map(|place| (x - T::lit(place)).square());
///     distances[reduce::argmin(&distances).unwrap()]
/// }
/// assert_eq!(forward::derivative(|x| nearest(x), 3.0_f64), -2.0);
/// ```
pub fn argmin<T: Real>(x: &[T]) -> Result<usize, AdError> {
    arg_extremum("argmin", x, |a, b, yes, no| T::select_lt(a, b, yes, no))
}

/// The index of the first element that equals the extremum: as many outcomes as elements.
fn arg_extremum<T: Real>(
    op: &'static str,
    x: &[T],
    wins: impl Fn(T, T, T, T) -> T,
) -> Result<usize, AdError> {
    let best = x.split_first().map(|(first, rest)| best_by_choice(*first, rest, wins));
    let best = best.ok_or(AdError::EmptyInput { op })?;
    Ok(x.iter().position(|x| *x == best).unwrap_or(0))
}

#[track_caller]
fn extremum<T: Real>(op: &'static str, x: &[T], largest: bool) -> Result<T, AdError> {
    let first = *x.first().ok_or(AdError::EmptyInput { op })?;
    if T::TRACES {
        return Ok(extremum_by_choice(x, |a, b, yes, no| match largest {
            true => T::select_lt(b, a, yes, no),
            false => T::select_lt(a, b, yes, no),
        }));
    }
    let best = x[1..].iter().fold(first, |best, &x| {
        let (x_wins, best_wins) = (x.primal() > best.primal(), x.primal() < best.primal());
        let beaten = if largest { x_wins } else { best_wins } || num_traits::Float::is_nan(best.primal());
        if beaten { x } else { best }
    });
    if num_traits::Float::is_nan(best.primal()) {
        return Ok(best.abs()); // NaN in, NaN out, by the convention for values outside the domain
    }
    let ties = || x.iter().filter(|x| x.primal() == best.primal());
    let count = ties().count();
    if count < 2 {
        return Ok(best);
    }
    T::demand_one_tape(&[x]);
    let share = T::Base::from_double(count as f64);
    Ok(ties().map(|&x| x / share).sum::<T>().with_innermost(best.innermost()))
}

/// The largest element with its derivative, without a branch in a trace; ties do not matter.
pub(crate) fn largest<T: Real>(x: &[T]) -> Option<T> {
    x.iter().copied().reduce(|a, b| T::select_le(b, a, a, b))
}

/// The extremum without a branch, for functions that are traced. `wins` chooses whether `a` beats `b`.
fn extremum_by_choice<T: Real>(x: &[T], wins: impl Fn(T, T, T, T) -> T) -> T {
    let equal = |a, b, yes, no| T::select_le(a, b, T::select_le(b, a, yes, no), no);
    let [zero, one, two, infinity] = [0.0, 1.0, 2.0, f64::INFINITY].map(T::lit);
    let best = best_by_choice(x[0], &x[1..], wins);
    let count = x.iter().fold(zero, |sum, &x| sum + equal(x, best, one, zero));
    let shares = x.iter().fold(zero, |sum, &x| sum + equal(x, best, x / count, zero));
    // The value of the best one, with its sign if it is zero.
    let exact = best.detach() - (shares.detach() - shares);
    let tie = T::select_lt(best.abs(), infinity, exact, shares);
    // NaN in, NaN out, by the convention for values outside the domain.
    T::select_lt(count, one, best.abs(), T::select_lt(count, two, best, tie))
}

/// The extremum as one number, without the shares of ties; not NaN, unless all are.
fn best_by_choice<T: Real>(first: T, rest: &[T], wins: impl Fn(T, T, T, T) -> T) -> T {
    rest.iter().fold(first, |best, &x| T::select_le(best, best, wins(x, best, x, best), x))
}
