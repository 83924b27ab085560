//! The process: covariance, marginal likelihood and posterior, each written once for every number.

use nalgebra::{DMatrix, DVector};
use std::f64::consts::TAU;

use wengert::matrix::{Cholesky, gaussian_log_density};
use wengert::{AdError, Real};

use super::data::Series;

/// A series, and the model of the covariance of its values:
///
/// `k(τ) = a²·exp(−τ²/2ℓ²)·cos(2πτ/p) + s²·cos(2πτ/P)`, and `σ²` more for the same measurement,
///
/// where the first term has its cosine only with a wave, and the second term is present only with a season.
pub struct Model {
    pub series: Series,
    /// The period P that is known.
    pub season: Option<f64>,
    /// Whether there is a period p to be found.
    pub wave: bool,
    /// Mean and standard deviation of the data, the units of the mean.
    moments: (f64, f64),
}

/// The hyperparameters in the units of the data; of the absent ones, nothing.
#[derive(Clone, Copy, Debug)]
pub struct Hyperparameters<T> {
    pub mean: T,
    pub noise: T,
    pub amplitude: T,
    pub length: T,
    pub period: Option<T>,
    pub season: Option<T>,
}

/// The part of the process that a prediction shows.
#[derive(Clone, Copy, PartialEq)]
pub enum Part {
    Whole,
    /// Without the season.
    Unseasonal,
}

impl Model {
    pub fn new(series: Series, season: Option<f64>, wave: bool) -> Model {
        let moments = series.moments();
        Model { series, season, wave, moments }
    }

    /// The names of the hyperparameters in their order.
    pub fn names(&self) -> Vec<&'static str> {
        let always = ["mean", "noise σ", "amplitude a", "length ℓ"];
        let wave = self.wave.then_some("period p");
        always.into_iter().chain(wave).chain(self.season.map(|_| "season s")).collect()
    }

    /// The first guess: the most likely of some lengths and shares of the noise in the variance. The likelihood has
    /// several maxima, that where all is noise among them.
    pub fn guess(&self, period: Option<f64>) -> Vec<f64> {
        let (mean, deviation) = self.moments;
        let candidate = |length: f64, noise: f64| {
            let parts = if self.season.is_some() { 2.0 } else { 1.0 };
            let part = deviation * ((1.0 - noise) / parts).sqrt();
            let season = self.season.map(|_| part);
            [mean, deviation * noise.sqrt(), part, length].into_iter().chain(period).chain(season).collect()
        };
        let lengths = (1..=7).map(|k| self.series.span() / 2f64.powi(k));
        let candidates = lengths.flat_map(|length| [0.5, 0.05, 0.005].map(|noise| candidate(length, noise)));
        let loss = |values: &Vec<f64>| self.loss(&self.variables(values));
        candidates.min_by(|a, b| loss(a).total_cmp(&loss(b))).unwrap_or_default()
    }

    /// The variables θ of the search, which may take any value: the mean in standard deviations of the data from
    /// their mean, and the logarithms of the others.
    pub fn variables(&self, values: &[f64]) -> Vec<f64> {
        let (mean, deviation) = self.moments;
        let variable = |(i, &v): (usize, &f64)| if i == 0 { (v - mean) / deviation } else { v.ln() };
        values.iter().enumerate().map(variable).collect()
    }

    /// The inverse of [`variables`](Model::variables).
    pub fn values<T: Real<Base = f64>>(&self, theta: &[T]) -> Vec<T> {
        let (mean, deviation) = self.moments;
        let value = |(i, &t): (usize, &T)| if i == 0 { t * deviation + mean } else { t.exp() };
        theta.iter().enumerate().map(value).collect()
    }

    pub fn hyperparameters<T: Real<Base = f64>>(&self, theta: &[T]) -> Hyperparameters<T> {
        let values = self.values(theta);
        let (period, season) = (self.wave.then(|| values[4]), self.season.map(|_| values[values.len() - 1]));
        Hyperparameters {
            mean: values[0],
            noise: values[1],
            amplitude: values[2],
            length: values[3],
            period,
            season,
        }
    }

    /// The covariance of two values of a part at the distance τ, without noise.
    fn kernel<T: Real<Base = f64>>(&self, h: &Hyperparameters<T>, part: Part) -> impl Fn(f64) -> T + use<T> {
        let (variance, curvature) = (h.amplitude.powi(2), h.length.powi(2).recip() * -0.5);
        let frequency = h.period.map(|p| p.recip() * TAU);
        let season = h.season.filter(|_| part == Part::Whole).map(|s| s.powi(2)).zip(self.season);
        move |tau: f64| {
            let smooth = variance * (curvature * tau.powi(2)).exp();
            let wave = frequency.map_or(smooth, |w| smooth * (w * tau).cos());
            season.map_or(wave, |(variance, period)| wave + variance * (TAU * tau / period).cos())
        }
    }

    /// The covariances of the data. Only their lower triangle is read, and only this is computed.
    fn covariance<T: Real<Base = f64>>(&self, h: &Hyperparameters<T>) -> DMatrix<T> {
        let (x, kernel, noise) = (&self.series.x, self.kernel(h, Part::Whole), h.noise.powi(2));
        DMatrix::from_fn(x.len(), x.len(), |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => T::lit(0.0),
            std::cmp::Ordering::Equal => kernel(0.0) + noise,
            std::cmp::Ordering::Greater => kernel(x[i] - x[j]),
        })
    }

    /// The logarithm of the marginal likelihood, `ln p(y | θ) = ln N(y; m, K(θ))`.
    pub fn ln_likelihood<T: Real<Base = f64>>(&self, theta: &[T]) -> Result<T, AdError> {
        let h = self.hyperparameters(theta);
        let y = DVector::from_fn(self.series.y.len(), |i, _| T::lit(self.series.y[i]));
        let mean = DVector::from_element(y.len(), h.mean);
        gaussian_log_density(&y, &mean, &self.covariance(&h))
    }

    /// The function to minimise: the negative logarithm, infinite where the covariance is not positive definite in
    /// `f64`.
    pub fn loss<T: Real<Base = f64>>(&self, theta: &[T]) -> T {
        self.ln_likelihood(theta).map_or(T::lit(f64::INFINITY), |l| -l)
    }

    /// Mean and standard deviation of a part of the process at other positions, given the data:
    /// `m + k*ᵀK⁻¹(y − m)` and `k** − k*ᵀK⁻¹k*`.
    pub fn posterior(&self, theta: &[f64], part: Part, at: &[f64]) -> Result<Vec<(f64, f64)>, AdError> {
        let h = self.hyperparameters(theta);
        let factors = Cholesky::new(&self.covariance(&h))?;
        let x = &self.series.x;
        let kernel = self.kernel(&h, part);
        let across = DMatrix::from_fn(x.len(), at.len(), |i, j| kernel(x[i] - at[j]));
        let deviations = DVector::from_fn(x.len(), |i, _| self.series.y[i] - h.mean);
        let means = across.tr_mul(&factors.solve(&deviations)).add_scalar(h.mean);
        let explained = factors.solve(&across);
        let variance = |j: usize| (kernel(0.0) - across.column(j).dot(&explained.column(j))).max(0.0);
        Ok((0..at.len()).map(|j| (means[j], variance(j).sqrt())).collect())
    }
}
