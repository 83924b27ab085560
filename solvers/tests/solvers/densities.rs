//! Eight schools: a hierarchical model by Hamiltonian sampling, against its moments by quadrature and against published
//! figures.

use nuts_rs::rand::{SeedableRng, rngs::ChaCha8Rng};
use nuts_rs::{
    Chain, CpuLogpFunc, CpuMath, DiagNutsSettings, HashMapConfig, HashMapValue, LogpError, Sampler,
    SamplerWaitResult, Settings,
};
use std::sync::Arc;
use std::time::Duration;
use wengert::Scalar;
use wengert_solvers::nuts::LogDensity;

/// The effect of coaching in eight schools, and its standard error (Rubin 1981).
const EFFECT: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
const ERROR: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];

/// The mean `μ ~ N(0, 5²)`, the spread `τ ~ Cauchy⁺(0, 5)` of the schools, and their effects `θ = μ + τη`, `η ~ N(0, 1)`;
/// a point is `(μ, ln τ, η)`.
struct Schools;

#[wengert::generic]
impl Schools {
    fn call(&self, z: &[f64]) -> f64 {
        let (mean, spread) = (z[0], z[1].exp());
        let mut density = z[1] - (mean / 5.0).powi(2) / 2.0 - (spread / 5.0).powi(2).ln_1p();
        for (j, eta) in z[2..].iter().enumerate() {
            let effect = mean + spread * eta;
            density -= (eta * eta + ((EFFECT[j] - effect) / ERROR[j]).powi(2)) / 2.0;
        }
        density
    }
}

/// Means of `μ`, `τ` and the eight `θ`.
type Means = [f64; 10];

/// The exact means: given `τ`, all else is normal and integrates in closed form; the trapezium rule in `ln τ` converges
/// geometrically.
fn exact() -> Means {
    let (mut total, mut sums) = (0.0, [0.0; 10]);
    for i in 0..=600 {
        let log_spread = -16.0 + 0.05 * f64::from(i);
        let spread = log_spread.exp();
        let (mut precision, mut weighted, mut squares, mut logs) = (1.0 / 25.0, 0.0, 0.0, 0.0);
        for (y, s) in EFFECT.iter().zip(ERROR) {
            let variance = s * s + spread * spread;
            precision += 1.0 / variance;
            weighted += y / variance;
            squares += y * y / variance;
            logs += variance.ln();
        }
        let mean = weighted / precision;
        let log_density = log_spread
            - (spread / 5.0).powi(2).ln_1p()
            - 0.5 * (logs + precision.ln() + squares - weighted * mean);
        let weight = (log_density + 22.0).exp();
        total += weight;
        sums[0] += weight * mean;
        sums[1] += weight * spread;
        for j in 0..8 {
            let share = spread * spread / (spread * spread + ERROR[j] * ERROR[j]);
            sums[2 + j] += weight * (mean + share * (EFFECT[j] - mean));
        }
    }
    sums.map(|sum| sum / total)
}

/// Means of the reference draws of posteriordb, `eight_schools-eight_schools_noncentered`, with their standard errors.
const PUBLISHED: [(f64, f64); 10] = [
    (4.4105, 0.0330),
    (3.6021, 0.0319),
    (6.1505, 0.0557),
    (4.9396, 0.0462),
    (3.9059, 0.0542),
    (4.7960, 0.0475),
    (3.6144, 0.0461),
    (4.0511, 0.0485),
    (6.3172, 0.0499),
    (4.8840, 0.0543),
];

#[test]
fn eight_schools() {
    let exact = exact();
    for (exact, (published, error)) in exact.iter().zip(PUBLISHED) {
        assert!((exact - published).abs() < 3.0 * error, "{exact}, published {published} ± {error}");
    }
    // Four chains, each in ten batches: the spread of the batches' means is the error of the mean.
    let settings = DiagNutsSettings { num_tune: 400, ..Default::default() };
    let (mut batches, mut diverging): (Vec<Means>, usize) = (Vec::new(), 0);
    for seed in 0..4 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let math = CpuMath::new(LogDensity::new(10, Schools));
        let mut chain = settings.new_chain(seed, math, &mut random).unwrap();
        chain.set_position(&[0.1; 10]).unwrap();
        (0..400).for_each(|_| drop(chain.draw().unwrap()));
        for _ in 0..10 {
            let mut sums = [0.0; 10];
            for _ in 0..150 {
                let (z, progress) = chain.draw().unwrap();
                diverging += usize::from(progress.diverging);
                let spread = z[1].exp();
                sums[0] += z[0];
                sums[1] += spread;
                (0..8).for_each(|j| sums[2 + j] += z[0] + spread * z[2 + j]);
            }
            batches.push(sums.map(|sum| sum / 150.0));
        }
    }
    assert!(diverging < batches.len(), "{diverging} divergences");
    let n = batches.len() as f64;
    for (i, exact) in exact.iter().enumerate() {
        let mean = batches.iter().map(|b| b[i]).sum::<f64>() / n;
        let variance = batches.iter().map(|b| (b[i] - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let error = (variance / n).sqrt();
        assert!(error < 0.2, "mean {i} has an error of {error}");
        assert!((mean - exact).abs() < 4.0 * error, "mean {i}: {mean} ± {error}, exact {exact}");
    }
}

/// `x ~ Gamma(2, 1)`, whose log density has no value below zero.
struct Gamma;
impl wengert::Function for Gamma {
    fn call<T: Scalar>(&self, x: &[T]) -> T {
        x[0].ln() - x[0]
    }
}

/// A point without a density is a divergence with a reason, not the end of the run.
#[test]
fn outside_of_the_domain() {
    let mut density = LogDensity::new(1, Gamma);
    let mut gradient = [0.0];
    let error = density.logp(&[-1.0], &mut gradient).unwrap_err();
    assert!(error.is_recoverable() && error.value.is_nan() && error.position == [-1.0]);
    assert_eq!(
        error.to_string(),
        "the log density or its gradient is not finite: the value is NaN at [-1.0]"
    );
    assert_eq!(density.logp(&[2.0], &mut gradient).unwrap(), 2f64.ln() - 2.0);
    assert_eq!(gradient, [-0.5]);
}

/// Two chains on two threads, which share the function.
#[test]
fn chains() {
    let settings =
        DiagNutsSettings { num_chains: 2, num_tune: 200, num_draws: 300, seed: 7, ..Default::default() };
    let density = Arc::new(LogDensity::new(10, Schools));
    let sampler = Sampler::new(density, settings, HashMapConfig::new(), 2, None).unwrap();
    let SamplerWaitResult::Trace(chains) = sampler.wait_timeout(Duration::from_secs(300)) else {
        panic!("the sampler has not finished");
    };
    assert_eq!(chains.len(), 2);
    let starts = chains.iter().map(|chain| {
        let HashMapValue::F64(draws) = &chain.draws["value"] else { panic!("draws of numbers") };
        assert_eq!(draws.len(), 10 * 500); // with those of the warm-up
        assert!(draws.iter().all(|x| x.is_finite()));
        draws[0]
    });
    let starts: Vec<f64> = starts.collect();
    assert_ne!(starts[0], starts[1]);
}
