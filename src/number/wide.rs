//! Products whose partial products overflow or underflow.
//!
//! The product of `[1e-200, 1e-200, 1e200, 1e200]` has the derivative 1e-200 in its last factor, but the product of
//! the first two underflows. Here a number is a sum of parts, each of which is a number times a power of a large
//! radix (its level), so that the components of each part have moderate size. Powers of two are exact, so a product
//! of parts has the bits of the number's own operator.

use num_traits::Float;

#[cfg(feature = "std")]
use super::PrimalNumber;
use super::{BaseFloat, Number};
#[cfg(feature = "std")]
use crate::{
    error::AdError,
    lift::{Extension, Primitive},
    linear_map::LinearMap,
};

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
    #[inline(always)]
    fn new() -> Self {
        let e = if size_of::<F>() == size_of::<f64>() { 512 } else { 64 };
        let [up, down, most, least] =
            [e, -e, e / 2, -e / 2].map(|e: i64| F::from_double(f64::from_bits(((1023 + e) as u64) << 52)));
        Radix { up, down, most, least }
    }
}

/// Whether the float is zero, or moderate: the product of two moderate floats neither overflows nor loses digits.
#[inline(always)]
pub(crate) fn is_moderate_float<F: BaseFloat + Float>(c: F) -> bool {
    is_moderate_size(Float::abs(c)) | (c == F::from_double(0.0))
}

/// Whether a size is moderate, and not zero.
#[inline(always)]
pub(crate) fn is_moderate_size<F: BaseFloat + Float>(size: F) -> bool {
    let Radix { most, least, .. } = Radix::new();
    (size >= least) & (size < most)
}

/// Whether no component can leave the range of the float in a product with another moderate number.
#[inline(always)]
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
        return recorded_product(items);
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

/// Whether the products of the factors before and after each factor can be multiplied: they are moderate, or normal floats.
#[cfg(feature = "std")]
fn has_room<T: Number>(x: &[T]) -> bool {
    let fits = |mut factors: &mut dyn Iterator<Item = &T>| {
        let (mut product, mut is_zero) = (T::lit(1.0), false);
        (&mut factors).all(|&x| {
            let is_float = T::PLAIN && T::REAL;
            let fits = if is_float {
                product.magnitude().is_normal()
            } else {
                is_moderate(product) && is_moderate(x)
            };
            let fits = fits || is_float && is_zero;
            is_zero |= x.is_zero();
            product *= x;
            fits
        })
    };
    fits(&mut x.iter()) && fits(&mut x.iter().rev())
}

/// Writes `Π_{j≠i} xⱼ` for all i, from products of the preceding and following factors, without divisions: exact with
/// any number of zeros.
#[cfg(feature = "std")]
pub(crate) fn products_of_others<T: Number>(x: &[T], others: &mut [T]) {
    if !T::TRACES && x.iter().all(|x| x.all_finite()) && !has_room(x) {
        return others.copy_from_slice(&wide_products_of_others(x));
    }
    // Not from 1 on, whose product with an infinite complex number is NaN.
    let follow = |product: &mut Option<T>, x: T| product.replace(product.map_or(x, |product| product * x));
    let (mut before, mut behind) = (None, None);
    for (others, &x) in others.iter_mut().zip(x) {
        *others = follow(&mut before, x).unwrap_or(T::lit(1.0));
    }
    for (i, &x) in x.iter().enumerate().rev() {
        if let Some(behind) = follow(&mut behind, x) {
            others[i] = if i == 0 { behind } else { others[i] * behind };
        }
    }
}

#[cfg(feature = "std")]
#[cold]
fn wide_products_of_others<T: Number>(x: &[T]) -> Vec<T> {
    if T::RECORDS {
        // The cotangents of parts would leave the range again: each product is a step of its own.
        let others = |i: usize| [&x[..i], &x[i + 1..]].concat();
        return (0..x.len()).map(|i| one_step(OneStep { in_order: false }, &others(i))).collect();
    }
    let x: Vec<WideNumber<T>> = x.iter().map(|&x| WideNumber::of(x)).collect();
    let follow =
        |product: &mut WideNumber<T>, x: &WideNumber<T>| std::mem::replace(product, product.times(x));
    let one = WideNumber::of(T::lit(1.0));
    let mut others: Vec<WideNumber<T>> = x.iter().scan(one, |product, x| Some(follow(product, x))).collect();
    let mut behind = one;
    for (others, x) in others.iter_mut().zip(&x).rev() {
        *others = others.times(&follow(&mut behind, x));
    }
    others.iter().map(WideNumber::narrow).collect()
}

/// The product as one block, for numbers with tangents on a tape.
#[cfg(feature = "std")]
#[derive(Clone)]
struct OneStep {
    /// Whether the value is multiplied in order as floats are, including infinities.
    in_order: bool,
}

/// `Π_{j≠i} xⱼ`, the derivative of the product.
#[cfg(feature = "std")]
struct Others<T>(Vec<T>);

#[cfg(feature = "std")]
impl<P: PrimalNumber> Primitive<P> for OneStep {
    type Map<T: Extension<P>> = Others<T>;
    fn name(&self) -> &'static str {
        "product"
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let items = x[0].iter().copied();
        let finite = items.clone().all(|x| x.all_finite());
        Ok(vec![match self.in_order || !finite {
            true => P::multiplied(items),
            false => items
                .fold(WideNumber::of(P::lit(1.0)), |product, x| product.times(&WideNumber::of(x)))
                .narrow(),
        }])
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let mut others = vec![T::lit(1.0); x[0].len()];
        products_of_others(&x[0], &mut others);
        Ok(Others(others))
    }
}

#[cfg(feature = "std")]
impl<T: Number> LinearMap<T> for Others<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let terms = self.0.iter().zip(tangents[0].into_iter().flatten()).map(|(p, &t)| p.strong_mul(t));
        out[0] = T::total(terms);
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let groups = out.iter_mut().flatten();
        groups
            .flat_map(|group| group.iter_mut().zip(&self.0))
            .for_each(|(x, p)| *x += p.conj().strong_mul(cotangent[0]));
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

/// The product of numbers with tangents on a tape, where cotangents of partial products could overflow or underflow.
#[cfg(feature = "std")]
#[track_caller]
fn recorded_product<T: Number>(items: impl Iterator<Item = T>) -> T {
    let items: Vec<_> = items.collect();
    T::demand_recordable(&[&items]);
    one_step(OneStep { in_order: true }, &items)
}

#[cfg(feature = "std")]
#[track_caller]
fn one_step<T: Number>(rule: OneStep, x: &[T]) -> T {
    T::lift_primitive(&rule, &[x]).expect("a product has a rule")[0]
}
