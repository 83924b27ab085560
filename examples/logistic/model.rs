//! The likelihood and the prior, each written once for every number.

use wengert::sums::{Alike, Terms};
use wengert::{Real, reduce};

use super::data::Data;

/// Minus the logarithm of the likelihood of a row: `ln(1 + eᵗ) − y·t` with `t = wᵀx`.
#[inline]
fn term<T: Real<Base = f64>>(t: T, y: T) -> T {
    t.softplus() - t * y
}

/// What is minimised, as one would write it without derivatives.
pub fn objective<T: Real<Base = f64>>(data: &Data, w: &[T]) -> T {
    let rows = (0..data.rows()).map(|i| data.term(w, i));
    rows.sum::<T>() + Prior::of(data).value(w)
}

impl Data {
    #[inline]
    fn term<T: Real<Base = f64>>(&self, w: &[T], i: usize) -> T {
        term(reduce::linear_combination(self.row(i), &w[1..]) + w[0], T::lit(self.labels[i]))
    }
}

/// The likelihood: every term reads all weights. For the Hessian, in which data are best plain numbers.
impl Terms for Data {
    fn count(&self, _: usize) -> usize {
        self.rows()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..self.weights());
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        move |i, _, out| out[0] = self.term(w, i)
    }
}

/// The likelihood for the gradient: all terms are one function of their data, so that eight run at once.
impl Alike for Data {
    fn count(&self, _: usize) -> usize {
        self.rows()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..self.weights());
    }
    fn data(&self, _: usize, i: usize, out: &mut Vec<f64>) {
        out.extend_from_slice(self.row(i));
        out.push(self.labels[i]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        move |_, data, out| {
            let (y, x) = data.split_last().expect("a label, and the row");
            out[0] = term(reduce::dot(x, &w[1..]) + w[0], *y);
        }
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
