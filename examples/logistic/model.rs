//! The likelihood and the prior, each written once for every number.

use std::ops::Range;

use wengert::sums::{LinearForms, Row, Terms};
use wengert::{Real, reduce};

use super::data::Data;

/// Minus the logarithm of the likelihood of a row: `ln(1 + eᶻ) − y·z` with `z = wᵀx`.
#[inline]
fn term<T: Real<Base = f64>>(z: T, y: T) -> T {
    z.softplus() - z * y
}

/// What is minimised, as one would write it without derivatives.
pub fn objective<T: Real<Base = f64>>(data: &Data, w: &[T]) -> T {
    let of_row = |i| term(reduce::linear_combination(data.row(i), w), T::lit(data.labels[i]));
    (0..data.rows()).map(of_row).sum::<T>() + Prior::of(data).value(w)
}

/// The likelihood: every term is a function of one linear form of the weights.
impl LinearForms for Data {
    fn count(&self) -> usize {
        self.rows()
    }
    fn places(&self, _: usize) -> Range<usize> {
        0..self.weights()
    }
    #[inline]
    fn row(&self, term: usize, _: usize) -> Row<'_> {
        Row::Dense(self.row(term))
    }
    fn data(&self, term: usize, out: &mut Vec<f64>) {
        out.push(self.labels[term]);
    }
    fn term<T: Real<Base = f64>>(&self, z: &[T], data: &[T], out: &mut [T]) {
        out[0] = term(z[0], data[0]);
    }
}

/// `½ Σ w²`: the weights are not far from zero, so there is a minimum also where the data can be told apart.
pub struct Prior {
    weights: usize,
}

impl Prior {
    pub fn of(data: &Data) -> Prior {
        Prior { weights: data.weights() }
    }
    fn value<T: Real<Base = f64>>(&self, w: &[T]) -> T {
        reduce::norm_squared(w) * 0.5
    }
}

impl Terms for Prior {
    fn count(&self, _: usize) -> usize {
        1
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..self.weights);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        move |_, _, out| out[0] = self.value(w)
    }
}
