//! Sums of exponentials: their logarithm, and the shares of the terms.

use crate::error::demand_len;
use crate::number::{AsNumber, BaseFloat, Property, Real};

/// `ln Σ e^{xᵢ}`, shifted by the largest element to avoid overflow; `ẏ = Σ softmaxᵢ·ẋᵢ`. As in
/// [`logaddexp`](Real::logaddexp), an element of −∞ with a finite tangent contributes exactly 0, even if all elements
/// are −∞; with an infinite tangent, as of `ln x` at 0, the derivative is lost. A single element of +∞ has the derivative
/// 1; with several the derivative is NaN. If an element is NaN, all except −∞ have the derivative NaN. The value of an
/// empty slice is −∞.
///
/// ```
/// use wengert::{Dual, reduce};
/// let y = reduce::logsumexp(&[Dual::variable(1000.0), Dual::constant(1000.0)]);
/// assert_eq!((y.value(), y.tangent()), (1000.6931471805599, 0.5));
/// let masked = Dual::variable(f64::NEG_INFINITY);
/// assert_eq!(reduce::logsumexp(&[masked, masked]).tangent(), 0.0);
/// assert_eq!(reduce::logsumexp(&[Dual::variable(f64::INFINITY), masked]).tangent(), 1.0);
/// ```
#[track_caller]
pub fn logsumexp<T: Real>(x: &[T]) -> T {
    T::demand_one_tape_within(&[x]);
    let largest = Largest::of(x);
    // One guard for all elements.
    let has_infinite = match T::TRACES {
        true => super::largest(x).is_some_and(is_most),
        false => is_most(largest.value),
    };
    if has_infinite {
        // Finite elements have the derivative NaN where the value is, and none where it is infinite.
        let is_nan = x.iter().any(|x| x.has(Property::Nan));
        let least = <T::Base as num_traits::Float>::neg_infinity();
        let deciding = x.iter().copied().filter(|x| if is_nan { *x != least } else { is_most(*x) });
        let start = T::lit(if is_nan { f64::NAN } else { f64::NEG_INFINITY });
        return deciding.fold(start, |sum, x| sum.logaddexp(x));
    }
    if x.is_empty() {
        return T::lit(f64::NEG_INFINITY);
    }
    let shift = largest.shift();
    if T::ORDER >= 2 {
        let sums = ExponentialSums::of(x, shift);
        return moved(sums.either(|| sums.close(), || sums.wide()), shift);
    }
    // Derivatives of first order do not cancel: one sum of all elements, where the largest one is less by 1.
    let one = T::Base::from_double(1.0);
    let sum = if T::TRACES {
        let mut most = x[0];
        T::total(x[1..].iter().map(Some).chain([None]).map(|next| {
            let Some(&x) = next else { return moved(most, -shift).exp() - one };
            let [less, more] = ordered([most, x], [most, x]);
            most = more;
            moved(less, -shift).exp()
        }))
    } else {
        let mut is_left = true;
        T::total(x.iter().map(|&x| {
            let term = moved(x, -shift).exp();
            let is_largest = is_left && x == largest.value;
            is_left &= !is_largest;
            if is_largest { term - one } else { term }
        }))
    };
    moved(sum.ln_1p(), shift)
}

/// Writes `e^{xᵢ}/Σ e^{xⱼ}` to `out`, shifted by the largest element to avoid overflow. A single element of +∞ has the
/// share 1, all others 0, and their derivatives are 0. If several elements are +∞, their shares are NaN, as are all if an
/// element is NaN or if all are −∞; so are the derivatives of these shares. A traced program has these values, but not
/// these derivatives.
///
/// # Panics
/// If the lengths differ.
///
/// ```
/// use wengert::{Dual, reduce};
/// let mut p = [Dual::constant(0.0); 2];
/// reduce::softmax_into(&[Dual::variable(1000.0), Dual::constant(1000.0)], &mut p);
/// assert_eq!((p[0].value(), p[0].tangent(), p[1].tangent()), (0.5, 0.25, -0.25));
/// ```
#[track_caller]
pub fn softmax_into<T: Real>(x: &[T], out: &mut [T]) {
    T::demand_one_tape(&[x]);
    demand_len("softmax", "result buffer", x.len(), out.len());
    if x.is_empty() {
        return;
    }
    let largest = Largest::of(x);
    if largest.is_infinite() {
        return write_at_infinity(x, out, T::lit(1.0), |_| T::lit(0.0));
    }
    let shift = largest.shift();
    for (out, &x) in out.iter_mut().zip(x) {
        *out = moved(x, -shift).exp();
    }
    let mut at_out = largest;
    let [mut most, mut top] = [x[0], out[0]];
    let rest = T::total(x[1..].iter().zip(&out[1..]).map(|(&x, &e)| {
        let ([less, more], own) = (ordered([most, x], [top, e]), ordered([most, x], [most, x])[1]);
        (most, top) = (own, more);
        less
    }));
    // The share of the largest element is computed from its difference to 1: the derivative `p − p²` would cancel.
    let (total, share) = (rest + top, (ratio(rest, top) + T::Base::from_double(1.0)).recip());
    for (out, &x) in out.iter_mut().zip(x) {
        let other = if is_nothing(*out, total) { *out } else { *out / total };
        *out = at_out.choose(x, share, other);
    }
}

/// `e^{xᵢ}/Σ e^{xⱼ}` as a new vector, see [`softmax_into`].
///
/// ```
/// let p: Vec<f64> = wengert::reduce::softmax(&[1.0, 2.0, 3.0]);
/// assert!((p[2] - 0.6652409557748219).abs() < 1e-15);
/// ```
#[track_caller]
#[cfg(feature = "std")]
pub fn softmax<T: Real>(x: &[T]) -> Vec<T> {
    let mut out = vec![T::lit(0.0); x.len()];
    softmax_into(x, &mut out);
    out
}

/// Writes `xᵢ − ln Σ e^{xⱼ}` to `out`, the logarithms of [`softmax_into`]: `ẏᵢ = ẋᵢ − Σ softmaxⱼ·ẋⱼ`. An element far
/// above the others keeps its digits, in derivatives too. Infinite elements are as in [`softmax_into`] and
/// [`logsumexp`].
///
/// # Panics
/// If the lengths differ.
///
/// ```
/// use wengert::{Dual, reduce};
/// let mut l = [Dual::constant(0.0); 2];
/// reduce::log_softmax_into(&[Dual::variable(0.0), Dual::constant(-50.0)], &mut l);
/// assert_eq!((l[0].value(), l[0].tangent()), (-(-50f64).exp(), (-50f64).exp()));
/// assert_eq!((l[1].value(), l[1].tangent()), (-50.0, -1.0));
/// ```
#[track_caller]
pub fn log_softmax_into<T: Real>(x: &[T], out: &mut [T]) {
    T::demand_one_tape(&[x]);
    demand_len("log_softmax", "result buffer", x.len(), out.len());
    if x.is_empty() {
        return;
    }
    let mut largest = Largest::of(x);
    if largest.is_infinite() {
        let log = logsumexp(x);
        return write_at_infinity(x, out, T::lit(-0.0), |x| x - log);
    }
    let shift = largest.shift();
    let sums = ExponentialSums::of(x, shift);
    let log = sums.either(|| sums.close(), || sums.wide());
    let own = sums.either(|| -sums.more(), || sums.lead - sums.wide());
    for (out, &x) in out.iter_mut().zip(x) {
        *out = largest.choose(x, own, moved(x, -shift) - log);
    }
}

/// `xᵢ − ln Σ e^{xⱼ}` as a new vector, see [`log_softmax_into`].
///
/// ```
/// let l: Vec<f64> = wengert::reduce::log_softmax(&[1.0, 2.0, 3.0]);
/// assert!((l[2] - 0.6652409557748219f64.ln()).abs() < 1e-15);
/// ```
#[track_caller]
#[cfg(feature = "std")]
pub fn log_softmax<T: Real>(x: &[T]) -> Vec<T> {
    let mut out = vec![T::lit(0.0); x.len()];
    log_softmax_into(x, &mut out);
    out
}

/// Whether an element is +∞.
fn is_most<T: Real>(x: T) -> bool {
    x == <T::Base as num_traits::Float>::infinity()
}

/// Writes shares, or their logarithms, where the largest element is infinite: `one` for a single +∞, `other` of the others.
#[cold]
#[track_caller]
fn write_at_infinity<T: Real>(x: &[T], out: &mut [T], one: T, other: impl Fn(T) -> T) {
    let count = x.iter().filter(|x| is_most(**x)).count();
    // NaN in the directions in which an element is active: outside of the domain of the logarithm.
    let nan = (-T::total(x.iter().copied()).abs()).ln();
    let is_nan = count == 0 || x.iter().any(|x| x.has(Property::Nan));
    for (out, &x) in out.iter_mut().zip(x) {
        *out = match (is_nan, is_most(x)) {
            (false, false) => other(x),
            (false, true) if count == 1 => one,
            _ => nan,
        };
    }
}

/// Whether an exponential and its tangents are exactly zero, so that its share of a number is.
fn is_nothing<T: Real>(x: T, of: T) -> bool {
    !T::TRACES && x.is_exactly_zero() && !num_traits::Float::is_nan(of.primal())
}

/// `rest/top`. A rest that is exactly zero stays so, where second derivatives of `top` leave the range.
fn ratio<T: Real>(rest: T, top: T) -> T {
    if is_nothing(rest, top) { rest } else { rest * top.recip() }
}

/// The largest element minus the shift, its exponential, and the sum of the other exponentials.
struct ExponentialSums<T> {
    lead: T,
    top: T,
    rest: T,
}

impl<T: Real> ExponentialSums<T> {
    fn of(x: &[T], shift: T) -> Self {
        let mut largest = x[0];
        let rest = T::total(x[1..].iter().map(|&x| {
            let [less, more] = ordered([largest, x], [largest, x]);
            largest = more;
            moved(less, -shift).exp()
        }));
        let lead = moved(largest, -shift);
        ExponentialSums { lead, top: lead.exp(), rest }
    }
    /// `ln(1 + rest/top)`.
    fn more(&self) -> T {
        ratio(self.rest, self.top).ln_1p()
    }
    /// The logarithm of the sum as the logarithm of 1 plus the other terms. Where the share `p` of the largest
    /// element is near 1, the terms of second derivatives, `p − p²`, would cancel.
    fn close(&self) -> T {
        self.lead + self.more()
    }
    /// The logarithm of the sum.
    fn wide(&self) -> T {
        (self.rest + (self.top - T::Base::from_double(1.0))).ln_1p()
    }
    /// The first form if the largest exponential is more than the sum of the others.
    fn either(&self, close: impl FnOnce() -> T, wide: impl FnOnce() -> T) -> T {
        if T::TRACES {
            T::select_lt(self.rest, self.top, close(), wide())
        } else if self.rest < self.top {
            close()
        } else {
            wide()
        }
    }
}
/// Sorts the values `of_a`, `of_b` of the smaller and the larger of `a`, `b`, without a branch in a trace. In a tie
/// `a` is the larger.
pub(super) fn ordered<T: Real>([a, b]: [T; 2], [of_a, of_b]: [T; 2]) -> [T; 2] {
    [T::select_lt(a, b, of_a, of_b), T::select_lt(a, b, of_b, of_a)]
}

/// The index of the largest element, without a branch in a trace: the first one in a tie.
#[derive(Clone, Copy)]
struct Largest<T> {
    /// The largest value, a constant.
    value: T,
    /// The largest value among the elements so far.
    before: T,
}

impl<T: Real> Largest<T> {
    /// NaN is left out.
    fn of(x: &[T]) -> Self {
        let larger = |most, x| if x > most { x } else { most };
        let (nan, least) =
            (<T::Base as num_traits::Float>::nan(), <T::Base as num_traits::Float>::neg_infinity());
        let value = match T::TRACES {
            true => super::largest(x).map_or(T::base(nan), T::detach),
            // Four maxima of every fourth element do not wait for one another.
            false => {
                let (mut most, (fours, rest)) = ([least; 4], x.as_chunks::<4>());
                for four in fours {
                    most.iter_mut().zip(four).for_each(|(most, x)| *most = larger(*most, x.primal()));
                }
                T::base(most.into_iter().chain(rest.iter().map(|x| x.primal())).fold(least, larger))
            }
        };
        Largest { value, before: T::base(nan) }
    }
    /// The value, the finite number next to it, or 0 for NaN: a shift that leaves infinities and NaN to the arithmetic.
    fn shift(&self) -> T {
        let most = T::base(<T::Base as num_traits::Float>::max_value());
        let high = T::select_le(most, self.value, most, T::lit(0.0));
        let low = T::select_le(self.value, most, self.value, high);
        T::select_le(-most, low, low, -most)
    }
    /// Whether the value is infinite. A trace has no guard for it.
    fn is_infinite(&self) -> bool {
        !T::TRACES && self.value.has(Property::Infinite)
    }
    /// `own` if the next element is the largest one, otherwise `other`; elements come in order.
    fn choose(&mut self, x: T, own: T, other: T) -> T {
        let x = x.detach();
        let chosen = T::select_le(self.value, x, own, other);
        let chosen = T::select_le(x, self.before, other, chosen);
        self.before = T::select_le(x, self.before, self.before, x);
        chosen
    }
}

/// `x + c` for a constant.
#[cfg_attr(not(debug_assertions), inline(always))]
fn moved<T: Real>(x: T, c: T) -> T {
    if !T::TRACES { x + c.primal() } else { x + c }
}
