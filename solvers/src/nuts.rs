//! Log densities of nuts-rs 0.19.

use std::collections::HashMap;
use std::sync::Arc;

use nuts_rs::rand::{Rng, RngExt};
use nuts_rs::{CpuLogpFunc, CpuMath, CpuMathError, HasDims, InitPositionError, LogpError, Model};
use wengert::Function;

/// The logarithm of a density, up to a constant, of unconstrained variables.
///
/// `CpuMath::new(density)` samples on one thread. The density is a `Model` too, for `nuts_rs::Sampler` with many chains:
/// they share the function and start at uniform points of `[−2, 2]ⁿ`. A value or a derivative that is not finite is a
/// divergence, at which the sampler turns round.
///
/// ```
/// use nuts_rs::rand::{SeedableRng, rngs::ChaCha8Rng};
/// use nuts_rs::{Chain, CpuMath, DiagNutsSettings, Settings};
/// use wengert::function;
/// use wengert_solvers::nuts::LogDensity;
///
/// let normal = function!(|x| -0.5 * (x[0] - 3.0).powi(2) - 0.5 * x[1] * x[1]);
/// let settings = DiagNutsSettings { num_tune: 200, ..Default::default() };
/// let mut random = ChaCha8Rng::seed_from_u64(1);
/// let mut chain = settings.new_chain(0, CpuMath::new(LogDensity::new(2, normal)), &mut random)?;
/// chain.set_position(&[1.0, 1.0])?;
/// let mut sum = 0.0;
/// for draw in 0..1200 {
///     let (x, _) = chain.draw()?;
///     sum += if draw < 200 { 0.0 } else { x[0] };
/// }
/// assert!((sum / 1000.0 - 3.0).abs() < 0.2);
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Debug)]
pub struct LogDensity<F> {
    f: Arc<F>,
    dimensions: usize,
}

impl<F> LogDensity<F> {
    /// The density of `dimensions` variables whose logarithm is `f`.
    pub fn new(dimensions: usize, f: F) -> Self {
        LogDensity { f: Arc::new(f), dimensions }
    }
}

impl<F> Clone for LogDensity<F> {
    fn clone(&self) -> Self {
        LogDensity { f: self.f.clone(), dimensions: self.dimensions }
    }
}

/// A log density or a derivative of it that is not finite.
#[derive(Clone, Debug, PartialEq)]
pub struct NotFinite {
    /// The log density.
    pub value: f64,
    /// The point.
    pub position: Vec<f64>,
}

impl std::fmt::Display for NotFinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let NotFinite { value, position } = self;
        write!(f, "the log density or its gradient is not finite: the value is {value} at {position:?}")
    }
}

impl std::error::Error for NotFinite {}

impl LogpError for NotFinite {
    fn is_recoverable(&self) -> bool {
        true
    }
}

impl<F> HasDims for LogDensity<F> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        ["unconstrained_parameter", "dim"].map(|name| (name.to_string(), self.dimensions as u64)).into()
    }
}

impl<F: Function> CpuLogpFunc for LogDensity<F> {
    type LogpError = NotFinite;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;
    fn dim(&self) -> usize {
        self.dimensions
    }
    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, NotFinite> {
        let value = self.f.gradient_into(position, gradient);
        if value.is_finite() && gradient.iter().all(|g| g.is_finite()) {
            Ok(value)
        } else {
            Err(NotFinite { value, position: position.to_vec() })
        }
    }
    fn expand_vector<R: Rng + ?Sized>(
        &mut self,
        _: &mut R,
        position: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(position.to_vec())
    }
}

impl<F: Function + Send + Sync + 'static> Model for LogDensity<F> {
    type Math = CpuMath<Self>;
    fn math<R: Rng + ?Sized>(self: Arc<Self>, _: &mut R) -> anyhow::Result<CpuMath<Self>> {
        Ok(CpuMath::new((*self).clone()))
    }
    fn init_position<R: Rng + ?Sized>(
        &self,
        random: &mut R,
        _: u64,
        position: &mut [f64],
    ) -> Result<(), InitPositionError> {
        position.fill_with(|| random.random_range(-2.0..2.0));
        Ok(())
    }
}
