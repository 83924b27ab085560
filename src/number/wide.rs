//! Products whose partial products overflow or underflow.
//!
//! The product of `[1e-200, 1e-200, 1e200, 1e200]` has the derivative 1e-200 in its last factor, but the product of
//! the first two underflows. Here a number is a sum of parts, each of which is a number times a power of a large
//! radix (its level), so that the components of each part have moderate size. Powers of two are exact, so a product
//! of parts has the bits of the number's own operator.

#[cfg(feature = "std")]
mod recorded;

use num_traits::Float;
#[cfg(feature = "std")]
pub(crate) use recorded::products_of_others;

use super::{BaseFloat, Number};

/// The number of levels, three times the range of the float. Smaller components are lost: a component that is smaller
/// than another one by this much is zero or subnormal in the result, if the other one is in range.
const LEVELS: usize = 6;
/// A float is at most this number of levels from the middle one.
const REACH: i32 = 2;
/// Beyond this number of levels there are no floats.
const OUTSIDE: i32 = 5;

/// Powers of two: the radix, near the root of the largest float, its reciprocal, and the root of either, between which
/// a component is moderate.
struct Radix<F> {
    up: F,
    down: F,
    most: F,
    least: F,
}

impl<F: BaseFloat + Float> Radix<F> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new() -> Self {
        let e = if size_of::<F>() == size_of::<f64>() { 512 } else { 64 };
        let [up, down, most, least] =
            [e, -e, e / 2, -e / 2].map(|e: i64| F::from_double(f64::from_bits(((1023 + e) as u64) << 52)));
        Radix { up, down, most, least }
    }
}

/// Whether the float is zero, or moderate: the product of two moderate floats neither overflows nor loses digits.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_moderate_float<F: BaseFloat + Float>(c: F) -> bool {
    is_moderate_size(Float::abs(c)) | (c == F::from_double(0.0))
}

/// Whether a size is moderate, and not zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_moderate_size<F: BaseFloat + Float>(size: F) -> bool {
    let Radix { most, least, .. } = Radix::new();
    (size >= least) & (size < most)
}

/// Whether no component can leave the range of the float in a product with another moderate number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn is_moderate<T: Number>(x: T) -> bool {
    let moderate = |c| if is_moderate_float(c) { T::Base::from_double(0.0) } else { Float::nan() };
    !Float::is_nan(x.map_components(moderate).component_sum())
}

/// A finite number with components of any size.
#[derive(Clone, Copy)]
struct WideNumber<T> {
    /// Powers of the radix, and their coefficients.
    parts: [(i32, T); LEVELS],
    len: usize,
}

impl<T: Number> WideNumber<T> {
    fn zero() -> Self {
        WideNumber { parts: [(0, T::lit(0.0)); LEVELS], len: 0 }
    }
    fn of(x: T) -> Self {
        let mut wide = Self::zero();
        wide.add_components(0, x);
        wide
    }
    /// Adds a number at a level; components that are large or small there go to other levels.
    fn add_components(&mut self, level: i32, x: T) {
        for d in -REACH..=REACH {
            let part = x.map_components(|c| at_level(c, d));
            if !part.is_exactly_zero() {
                self.add(level + d, part);
            }
        }
    }
    fn add(&mut self, level: i32, part: T) {
        let parts = &mut self.parts[..self.len];
        if let Some(own) = parts.iter_mut().find(|own| own.0 == level) {
            own.1 += part;
        } else if self.len < LEVELS {
            self.parts[self.len] = (level, part);
            self.len += 1;
        } else if let Some(lowest) = parts.iter_mut().min_by_key(|own| own.0).filter(|own| own.0 < level) {
            *lowest = (level, part);
        }
    }
    fn times(&self, x: &Self) -> Self {
        let mut product = Self::zero();
        for &(i, a) in &self.parts[..self.len] {
            x.parts[..x.len].iter().for_each(|&(j, b)| product.add_components(i + j, a * b));
        }
        product
    }
    /// The number; components out of range become infinite or zero.
    fn narrow(&self) -> T {
        let Radix { up, down, .. } = Radix::<T::Base>::new();
        let scaled = |&(level, part): &(i32, T)| {
            let by = if level < 0 { down } else { up };
            (0..level.abs().min(OUTSIDE)).fold(part, |part, _| part * by)
        };
        self.parts[..self.len].iter().map(scaled).reduce(|a, b| a + b).unwrap_or(T::lit(0.0))
    }
}

/// The finite component `c` divided by the radix to the power `d` where that makes it moderate, else 0.
fn at_level<F: BaseFloat + Float>(c: F, d: i32) -> F {
    let (radix, mut level, mut scaled) = (Radix::<F>::new(), 0, c);
    while Float::abs(scaled) >= radix.most {
        (level, scaled) = (level + 1, scaled * radix.down);
    }
    while Float::abs(scaled) < radix.least && c != F::from_double(0.0) {
        (level, scaled) = (level - 1, scaled * radix.up);
    }
    if level == d { scaled } else { F::from_double(0.0) }
}

/// `Π xᵢ` in order: plainly while all components are moderate.
#[inline]
#[track_caller]
pub(crate) fn product<T: Number>(mut items: impl Iterator<Item = T>) -> T {
    #[cfg(feature = "std")]
    if T::RECORDS && !T::TRACES {
        return recorded::recorded_product(items);
    }
    // Not 1, whose tangent times an infinite factor is NaN.
    let Some(mut product) = items.next() else { return T::lit(1.0) };
    while let Some(x) = items.next() {
        // In a trace factor by factor: a derivative may overflow where a partial product does.
        let stays_float = T::PLAIN || T::TRACES || is_moderate(product) && is_moderate(x);
        if !stays_float {
            return product_from(product, core::iter::once(x).chain(items));
        }
        product *= x;
    }
    product
}

/// The product `start·Π xᵢ`, with the value multiplied in order as floats are. Components that depend on an infinite
/// or NaN factor have the result of the plain operator, separately for each direction.
#[cold]
#[inline(never)]
fn product_from<T: Number>(start: T, items: impl Iterator<Item = T>) -> T {
    let zero = T::Base::from_double(0.0);
    let finite = |x: T| WideNumber::of(x.map_components(|c| if Float::is_finite(c) { c } else { zero }));
    let reached =
        |x: T| x.map_components(|c| if Float::is_finite(c) { zero } else { Float::nan() }) + T::lit(1.0);
    let (mut value, mut wide) = (start.innermost(), finite(start));
    // From the first factor that is not finite: the plain product, and NaN in the components that a non-finite factor
    // reaches.
    let mut plain = (!start.all_finite()).then(|| (start, reached(start)));
    for x in items {
        value *= x.innermost();
        if !x.all_finite() || plain.is_some() {
            let (product, before) = plain.unwrap_or_else(|| (wide.narrow(), T::lit(1.0)));
            plain = Some((product * x, before * reached(x)));
        }
        wide = wide.times(&finite(x));
    }
    let wide = wide.narrow();
    let product = plain.map_or(wide, |(plain, reached)| {
        let finite = wide.zip_components(reached, |c, by| if Float::is_nan(by) { zero } else { c });
        finite + plain.zip_components(reached, |c, by| if Float::is_nan(by) { c } else { zero })
    });
    product.with_innermost(value)
}
