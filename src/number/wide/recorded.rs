//! Products of many numbers as one step of a tape, and the products of all numbers but one, which are its partials.

use num_traits::Float;

use super::{WideNumber, is_moderate};
use crate::error::AdError;
use crate::lift::{Extension, Primitive};
use crate::linear_map::LinearMap;
use crate::number::{Number, PrimalNumber};

/// Whether the products of the factors before and after each factor can be multiplied: they are moderate, or normal floats.
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
#[derive(Clone)]
struct OneStep {
    /// Whether the value is multiplied in order as floats are, including infinities.
    in_order: bool,
}

/// `Π_{j≠i} xⱼ`, the derivative of the product.
struct Others<T>(Vec<T>);

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
#[track_caller]
pub(super) fn recorded_product<T: Number>(items: impl Iterator<Item = T>) -> T {
    let items: Vec<_> = items.collect();
    T::demand_recordable(&[&items]);
    one_step(OneStep { in_order: true }, &items)
}

#[track_caller]
fn one_step<T: Number>(rule: OneStep, x: &[T]) -> T {
    T::lift_primitive(&rule, &[x]).expect("a product has a rule")[0]
}
