//! Sums of exponentials: their logarithm, and the shares of the terms.

use crate::error::AdError;
use crate::number::{BaseFloat, Property, Real};

/// `ln Σ e^{xᵢ}`, shifted by the largest element to avoid overflow; `ẏ = Σ softmaxᵢ·ẋᵢ`. As in
/// [`logaddexp`](Real::logaddexp), an element of −∞ and its tangent contribute exactly 0, even if all elements are
/// −∞. A single element of +∞ has the derivative 1; with several the derivative is NaN. The value of an empty slice
/// is −∞.
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
    let is_infinite = |x: &T| *x == <T::Base as num_traits::Float>::infinity();
    if let Some(largest) = T::largest_of(x) {
        if is_infinite(&largest) {
            let deciding = x.iter().copied().filter(|x| is_infinite(x) || x.has(Property::Nan));
            return deciding.fold(T::lit(f64::NEG_INFINITY), |sum, x| sum.logaddexp(x));
        }
    } else {
        if x.iter().any(is_infinite) {
            let deciding =
                x.iter().copied().filter(|x| is_infinite(x) || num_traits::Float::is_nan(x.primal()));
            return deciding.fold(T::lit(f64::NEG_INFINITY), |sum, x| sum.logaddexp(x));
        }
    }
    if x.is_empty() {
        return T::lit(f64::NEG_INFINITY);
    }
    let largest = Largest::of(x);
    let shift = largest.shift();
    if T::ORDER >= 2 {
        return moved(log_sums(x, largest)[0], shift);
    }
    // Derivatives of first order do not cancel: one sum of all.
    let mut place = largest;
    let terms = x.iter().map(|&x| moved(x, -shift).exp() - place.choose(x, T::lit(1.0), T::lit(0.0)));
    moved(T::total(terms).ln_1p(), shift)
}

/// Writes `e^{xᵢ}/Σ e^{xⱼ}` to `out`, shifted by the largest element to avoid overflow.
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
    if let Err(error) = AdError::check_len("softmax", "result buffer", x.len(), out.len()) {
        panic!("{error}");
    }
    let largest = Largest::of(x);
    let shift = largest.shift();
    for (out, &x) in out.iter_mut().zip(x) {
        *out = moved(x, -shift).exp();
    }
    let (zero, [mut at_top, mut at_rest, mut at_out]) = (T::lit(0.0), [largest; 3]);
    let top = T::total(x.iter().zip(&*out).map(|(&x, &e)| at_top.choose(x, e, zero)));
    let rest = T::total(x.iter().zip(&*out).map(|(&x, &e)| at_rest.choose(x, zero, e)));
    // The share of the largest element by what is missing to 1: the derivative `p − p²` would cancel.
    let (total, share) = (rest + top, (rest * top.recip() + T::Base::from_double(1.0)).recip());
    for (out, &x) in out.iter_mut().zip(x) {
        *out = at_out.choose(x, share, *out / total);
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
/// above the others keeps its digits, in derivatives too.
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
    if let Err(error) = AdError::check_len("log_softmax", "result buffer", x.len(), out.len()) {
        panic!("{error}");
    }
    let mut largest = Largest::of(x);
    let (shift, [log, own]) = (largest.shift(), log_sums(x, largest));
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

/// `ln Σ e^{xᵢ − shift}`, and `largest − ln Σ e^{xᵢ}`. The terms of second derivatives, `p − p²`, would cancel where the
/// share `p` of the largest element is near 1: there the logarithm is that of 1 and what the others add.
fn log_sums<T: Real>(x: &[T], largest: Largest<T>) -> [T; 2] {
    let (shift, zero, [mut at_lead, mut at_rest]) = (largest.shift(), T::lit(0.0), [largest; 2]);
    let lead = T::total(x.iter().map(|&x| at_lead.choose(x, moved(x, -shift), zero)));
    let rest = T::total(x.iter().map(|&x| at_rest.choose(x, zero, moved(x, -shift).exp())));
    let top = lead.exp();
    let close = || {
        let more = (rest * top.recip()).ln_1p();
        [lead + more, -more]
    };
    let wide = || {
        let sum = (rest + (top - T::Base::from_double(1.0))).ln_1p();
        [sum, lead - sum]
    };
    if T::TRACED {
        let (close, wide) = (close(), wide());
        return [0, 1].map(|k| T::select_less(rest, top, close[k], wide[k]));
    }
    if rest < top { close() } else { wide() }
}

/// The place of the largest element, without a branch in a trace: the first one of several that tie.
#[derive(Clone, Copy)]
struct Largest<T> {
    /// The largest value, a constant.
    value: T,
    /// The largest value among the elements so far.
    before: T,
}

impl<T: Real> Largest<T> {
    /// NaN loses.
    fn of(x: &[T]) -> Self {
        let larger = |a: Option<T::Base>, b| match a {
            Some(a) if a >= b => Some(a),
            _ => Some(b),
        };
        let nan = <T::Base as num_traits::Float>::nan();
        let value = match T::largest_of(x) {
            Some(largest) => largest.detach(),
            None if T::TRACED => T::base(nan),
            None => T::base(x.iter().map(|x| x.primal()).fold(None, larger).unwrap_or(nan)),
        };
        Largest { value, before: T::base(nan) }
    }
    /// The value if it is finite, else 0: a shift that leaves infinities and NaN to the arithmetic.
    fn shift(&self) -> T {
        let most = T::base(<T::Base as num_traits::Float>::max_value());
        T::select_less_or_equal(self.value.abs(), most, self.value, T::lit(0.0)).detach()
    }
    /// `own` if the next element is the largest one, otherwise `other`; elements come in order.
    fn choose(&mut self, x: T, own: T, other: T) -> T {
        let x = x.detach();
        let chosen = T::select_less_or_equal(self.value, x, own, other);
        let chosen = T::select_less_or_equal(x, self.before, other, chosen);
        self.before = T::select_less_or_equal(x, self.before, self.before, x);
        chosen
    }
}

/// `x + c` for a constant.
#[inline(always)]
fn moved<T: Real>(x: T, c: T) -> T {
    if !T::TRACED { x + c.primal() } else { x + c }
}
