//! Sums over data as terms: in lanes, each alone, and by linear forms.

use wengert::sums::{Alike, LinearForms, Row, Terms};
use wengert::{Real, reduce};

/// Gaussians with diagonal covariances: 5 weights, 15 means, 15 logarithms of deviations.
pub struct Mixture {
    pub points: Vec<[f64; 3]>,
}

/// What all points share: means, reciprocal deviations, offsets.
pub type Parts<T> = (Vec<T>, (Vec<T>, Vec<T>));

impl Mixture {
    pub const PARAMETERS: usize = 35;
    pub fn parts<T: Real<Base = f64>>(p: &[T]) -> Parts<T> {
        let (weights, rest) = p.split_at(5);
        let (means, deviations) = rest.split_at(15);
        let norm = reduce::logsumexp(weights);
        let offset =
            |k: usize| deviations[3 * k..3 * k + 3].iter().fold(weights[k] - norm, |sum, &s| sum - s);
        (means.to_vec(), (deviations.iter().map(|s| (-*s).exp()).collect(), (0..5).map(offset).collect()))
    }
    #[inline]
    pub fn term<T: Real<Base = f64>>((means, (inverse, offset)): &Parts<T>, x: &[T]) -> T {
        let terms: [T; 5] = std::array::from_fn(|k| {
            let z = |d: usize| (means[3 * k + d] - x[d]) * inverse[3 * k + d];
            let [a, b, c] = [z(0), z(1), z(2)];
            offset[k] - (a * a + b * b + c * c) * 0.5
        });
        reduce::logsumexp(&terms)
    }
    /// The term of a point of constants.
    pub fn at<T: Real<Base = f64>>(parts: &Parts<T>, x: &[f64; 3]) -> T {
        Self::term(parts, &x.map(T::lit))
    }
    pub fn whole<T: Real<Base = f64>>(&self, p: &[T]) -> T {
        let parts = Self::parts(p);
        self.points.iter().map(|x| Self::at(&parts, x)).sum()
    }
}

impl Alike for Mixture {
    fn count(&self, _: usize) -> usize {
        self.points.len()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..Self::PARAMETERS);
    }
    fn data(&self, _: usize, i: usize, out: &mut Vec<f64>) {
        out.extend(self.points[i]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, p: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        let parts = Self::parts(p);
        move |_, x, out| out[0] = Self::term(&parts, x)
    }
}

/// Logistic regression.
pub struct Logistic {
    pub rows: Vec<f64>,
    pub labels: Vec<f64>,
    pub columns: usize,
}

impl Logistic {
    #[inline]
    pub fn term<T: Real<Base = f64>>(&self, w: &[T], i: usize) -> T {
        let row = &self.rows[self.columns * i..][..self.columns];
        let t = reduce::linear_combination(row, w);
        t.softplus() - t * self.labels[i]
    }
    pub fn whole<T: Real<Base = f64>>(&self, w: &[T]) -> T {
        (0..self.labels.len()).map(|i| self.term(w, i)).sum()
    }
}

impl Alike for Logistic {
    fn count(&self, _: usize) -> usize {
        self.labels.len()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..self.columns);
    }
    fn data(&self, _: usize, i: usize, out: &mut Vec<f64>) {
        out.extend_from_slice(&self.rows[self.columns * i..][..self.columns]);
        out.push(self.labels[i]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        move |_, d, out| {
            let t = reduce::dot(&d[..w.len()], w);
            out[0] = t.softplus() - t * d[w.len()];
        }
    }
}

/// Without their linear forms, each row alone.
impl Terms for Logistic {
    fn count(&self, _: usize) -> usize {
        self.labels.len()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..self.columns);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        move |i, _, out| out[0] = self.term(w, i)
    }
}

impl LinearForms for Logistic {
    fn count(&self) -> usize {
        self.labels.len()
    }
    fn places(&self, _: usize) -> std::ops::Range<usize> {
        0..self.columns
    }
    fn row(&self, i: usize, _: usize) -> Row<'_> {
        Row::Dense(&self.rows[self.columns * i..][..self.columns])
    }
    fn data(&self, i: usize, out: &mut Vec<f64>) {
        out.push(self.labels[i]);
    }
    fn term<T: Real<Base = f64>>(&self, z: &[T], d: &[T], out: &mut [T]) {
        out[0] = z[0].softplus() - z[0] * d[0];
    }
}

/// A network 10-64-64-1 with `tanh`, and squares of what it misses.
pub struct Network {
    pub inputs: Vec<[f64; 10]>,
}

impl Network {
    pub const PARAMETERS: usize = 64 * 11 + 64 * 65 + 65;
    #[inline]
    pub fn term<T: Real<Base = f64>>(w: &[T], x: &[T]) -> T {
        let (first, rest) = w.split_at(64 * 11);
        let (second, last) = rest.split_at(64 * 65);
        let a: [T; 64] = std::array::from_fn(|i| {
            let row = &first[11 * i..11 * i + 11];
            reduce::affine(x, &row[..10], row[10]).tanh()
        });
        let b: [T; 64] = std::array::from_fn(|i| {
            let row = &second[65 * i..65 * i + 65];
            reduce::affine(&row[..64], &a, row[64]).tanh()
        });
        (reduce::affine(&last[..64], &b, last[64]) - x[0] * x[1]).powi(2)
    }
    pub fn at<T: Real<Base = f64>>(w: &[T], x: &[f64; 10]) -> T {
        Self::term(w, &x.map(T::lit))
    }
    pub fn whole<T: Real<Base = f64>>(&self, w: &[T]) -> T {
        self.inputs.iter().map(|x| Self::at(w, x)).sum()
    }
}

impl Alike for Network {
    fn count(&self, _: usize) -> usize {
        self.inputs.len()
    }
    fn shared_inputs(&self, _: usize, out: &mut Vec<usize>) {
        out.extend(0..Self::PARAMETERS);
    }
    fn data(&self, _: usize, i: usize, out: &mut Vec<f64>) {
        out.extend(self.inputs[i]);
    }
    fn group<T: Real<Base = f64>>(&self, _: usize, w: &[T]) -> impl Fn(&[T], &[T], &mut [T]) {
        move |_, x, out| out[0] = Self::term(w, x)
    }
}
