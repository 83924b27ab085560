//! Sums over data, as functions and as sums over the rows of a table.

use wengert::programs::Traced;
use wengert::sums::{Sum, Table};
use wengert::{Real, reduce};

/// Gaussians with diagonal covariances: 5 weights, 15 means, 15 logarithms of deviations.
pub struct Mixture {
    pub points: Vec<[f64; 3]>,
}

/// The parts that all points share: means, reciprocal deviations, offsets.
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
    pub fn sum(&self) -> Sum<'static> {
        let term = |p: &[Traced], x: &[Traced]| Self::term(&Self::parts(p), x);
        Sum::new(Self::PARAMETERS, &self.points, term).expect("few rows")
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
    /// The rows, each followed by its label.
    pub fn sum(&self) -> Sum<'static> {
        let (n, rows) = (self.columns, self.rows.chunks(self.columns).zip(&self.labels));
        let data: Vec<f64> = rows.flat_map(|(x, &y)| [x, &[y]].concat()).collect();
        let term = move |w: &[Traced], d: &[Traced]| {
            let t = reduce::dot(&d[..n], w);
            t.softplus() - t * d[n]
        };
        Sum::new(n, Table::new(data, n + 1).expect("whole rows"), term).expect("few rows")
    }
}

/// A network 10-64-64-1 with `tanh`, and the squares of its errors.
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
    pub fn sum(&self) -> Sum<'static> {
        let term = |w: &[Traced], x: &[Traced]| Self::term(w, x);
        Sum::new(Self::PARAMETERS, &self.inputs, term).expect("few rows")
    }
}

/// The logarithm of a likelihood of Gaussians with full covariances, as GradBench has it: `k` weights, means, logarithms of
/// diagonals and entries below them.
pub struct FullMixture {
    pub dimension: usize,
    pub count: usize,
    pub points: Vec<f64>,
}

impl FullMixture {
    pub fn parameters(&self) -> usize {
        self.count * (1 + 2 * self.dimension + self.dimension * (self.dimension - 1) / 2)
    }
    pub fn term<T: Real<Base = f64>>(d: usize, k: usize, p: &[T], x: &[T]) -> T {
        let (weights, rest) = p.split_at(k);
        let (means, rest) = rest.split_at(k * d);
        let (logs, lower) = rest.split_at(k * d);
        let below = d * (d - 1) / 2;
        let of = |j: usize| {
            let (mean, log, lower) =
                (&means[d * j..][..d], &logs[d * j..][..d], &lower[below * j..][..below]);
            let apart: Vec<T> = x.iter().zip(mean).map(|(&x, &m)| x - m).collect();
            let mut start = 0;
            let mut squares = Vec::with_capacity(d);
            for i in 0..d {
                let row = reduce::affine(&lower[start..start + i], &apart[..i], log[i].exp() * apart[i]);
                squares.push(row);
                start += i;
            }
            weights[j] + reduce::sum(log) - reduce::norm_squared(&squares) * 0.5
        };
        reduce::logsumexp(&(0..k).map(of).collect::<Vec<T>>())
    }
    pub fn whole<T: Real<Base = f64>>(&self, p: &[T]) -> T {
        let (d, k) = (self.dimension, self.count);
        let row = |x: &[f64]| Self::term(d, k, p, &x.iter().map(|&x| T::lit(x)).collect::<Vec<T>>());
        self.points.chunks(d).map(row).sum()
    }
    pub fn sum(&self) -> Sum<'static> {
        let (d, k) = (self.dimension, self.count);
        let term = move |p: &[Traced], x: &[Traced]| Self::term(d, k, p, x);
        let table = Table::new(self.points.clone(), d).expect("whole rows");
        Sum::new(self.parameters(), table, term).expect("few rows")
    }
}
