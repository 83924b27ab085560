//! The printed results: the problem, the derivatives checked and timed, the hyperparameters.

use std::hint::black_box;
use std::time::{Duration, Instant};

use wengert::forward;

use super::failure::counted;
use super::maximum::Maximum;
use super::model::Model;
use super::table::aligned;

/// Half the width of an interval that holds 95 % of a normal distribution, in standard deviations.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The covariance as a formula.
pub fn covariance(model: &Model) -> String {
    let wave = if model.wave { "·cos(2πτ/p)" } else { "" };
    let season = model.season.map_or(String::new(), |period| format!(" + s²·cos(2πτ/{period})"));
    format!("k(τ) = a²·exp(−τ²/2ℓ²){wave}{season}, noise σ²")
}

pub fn problem(model: &Model) -> String {
    let (points, hyperparameters) = (model.series.x.len(), model.names().len());
    format!(
        "Gaussian process: {}, {}, {}\n{}\n",
        model.series.name,
        counted(points, "point"),
        counted(hyperparameters, "hyperparameter"),
        covariance(model)
    )
}

/// Gradients of `ln p` at one point, by three ways.
pub struct Gradients {
    pub reverse: Vec<f64>,
    pub forward: Vec<f64>,
    pub differences: Vec<f64>,
}

impl Gradients {
    pub fn new(model: &Model, theta: &[f64]) -> Gradients {
        let negative = |g: Vec<f64>| g.into_iter().map(|g| -g).collect();
        Gradients {
            reverse: negative(wengert::gradient(|t: &[_]| model.loss(t), theta)),
            forward: negative(forward::gradient(|t: &[_]| model.loss(t), theta)),
            differences: negative(central_differences(|t| model.loss(t), theta)),
        }
    }

    /// The largest distance of the others from the gradient in reverse mode, relative to its largest component.
    pub fn gaps(&self) -> [f64; 2] {
        let largest = self.reverse.iter().fold(f64::MIN_POSITIVE, |a, g| a.max(g.abs()));
        [&self.forward, &self.differences].map(|other| {
            let gaps = self.reverse.iter().zip(other).map(|(a, b)| (a - b).abs() / largest);
            gaps.fold(0.0, f64::max)
        })
    }
}

/// `(f(x + h) − f(x − h))/2h` for each variable, with an error of order h² and one of order ε/h.
fn central_differences(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> Vec<f64> {
    let h = f64::EPSILON.cbrt();
    let mut at = x.to_vec();
    let mut difference = |i: usize| {
        let mut side = |h: f64| {
            at[i] = x[i] + h;
            (f(&at), at[i])
        };
        let ((above, right), (below, left)) = (side(h), side(-h));
        at[i] = x[i];
        (above - below) / (right - left)
    };
    (0..x.len()).map(&mut difference).collect()
}

/// The gradient at the start by three methods, and the cost of derivatives.
pub fn checks(model: &Model, theta: &[f64]) -> String {
    let gradients = Gradients::new(model, theta);
    let mut rows =
        vec![["gradient of ln p at the start", "reverse", "forward", "differences"].map(String::from)];
    for (i, name) in model.names().into_iter().enumerate() {
        let name = if i == 0 { name.to_string() } else { format!("ln {name}") };
        let [a, b, c] = [&gradients.reverse, &gradients.forward, &gradients.differences].map(|g| g[i]);
        rows.push([name, format!("{a:.12}"), format!("{b:.12}"), format!("{c:.12}")]);
    }
    let [forward, differences] = gradients.gaps();
    rows.push([
        "largest gap, relative".into(),
        String::new(),
        exponential(forward),
        exponential(differences),
    ]);
    format!("{}\n{}", aligned(&rows), timing(model, theta))
}

/// The cost of derivatives, compared with the cost of the likelihood; the best of several runs each, taken in turns.
fn timing(model: &Model, theta: &[f64]) -> String {
    const RUNS: usize = 5;
    const ENOUGH: Duration = Duration::from_secs(2);
    let mut best = [Duration::MAX; 3];
    let begin = Instant::now();
    for _ in 0..RUNS {
        let times = [
            time(|| model.loss(black_box(theta))),
            time(|| wengert::gradient(|t: &[_]| model.loss(t), black_box(theta))),
            time(|| wengert::hessian(|t: &[_]| model.loss(t), black_box(theta))),
        ];
        best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
        if begin.elapsed() > ENOUGH {
            break;
        }
    }
    let names = ["likelihood", "gradient", "gradient and Hessian"];
    let row = |(name, time): (&str, Duration)| {
        let ratio = time.as_secs_f64() / best[0].as_secs_f64();
        let name = format!("time of the {name}");
        [name, format!("{:.3} ms", 1e3 * time.as_secs_f64()), format!("{ratio:.1} likelihoods")]
    };
    let rows: Vec<_> = names.into_iter().zip(best).map(row).collect();
    aligned(&rows)
}

fn time<R>(f: impl FnOnce() -> R) -> Duration {
    let begin = Instant::now();
    black_box(f());
    begin.elapsed()
}

/// The hyperparameters with their uncertainty: estimates of logarithms are normal for long series, which gives
/// factors up and down.
pub fn maximum(model: &Model, start: &[f64], maximum: &Maximum) -> String {
    let mut rows = vec![["", "start", "maximum", "std. error", "95 % from", "to"].map(String::from)];
    let deviations = maximum.covariance.diagonal().map(f64::sqrt);
    let at = |i: usize, shift: f64| {
        let mut theta = maximum.theta.clone();
        theta[i] += shift;
        model.values(&theta)[i]
    };
    for (i, name) in model.names().into_iter().enumerate() {
        // v̇ for θ̇ = the standard error: to first order the standard error of the value.
        let error = wengert::derivative(|shift| model.values(&shifted(&maximum.theta, i, shift))[i], 0.0);
        let [low, high] = [-NORMAL_95, NORMAL_95].map(|k| at(i, k * deviations[i]));
        let numbers = [start[i], at(i, 0.0), error * deviations[i], low, high].map(|v| format!("{v:.4}"));
        let [start, value, error, low, high] = numbers;
        rows.push([name.to_string(), start, value, error, low, high]);
    }
    format!(
        "{}\nln p = {:.6} after {} of BFGS and {} of Newton's, largest component of the gradient {}\n",
        aligned(&rows),
        maximum.ln_likelihood,
        counted(maximum.iterations as usize, "iteration"),
        counted(maximum.steps, "step"),
        exponential(maximum.gradient)
    )
}

/// The point as constants, except for a shift in one variable.
fn shifted<T: wengert::Real<Base = f64>>(theta: &[f64], i: usize, shift: T) -> Vec<T> {
    let mut moved: Vec<T> = theta.iter().map(|&t| T::lit(t)).collect();
    moved[i] += shift;
    moved
}

fn exponential(value: f64) -> String {
    format!("{value:.1e}")
}
