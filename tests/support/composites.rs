//! The functions of `composite.jsonl`, each written once for every number type.

use serde_json::Value;
use std::f64::consts::{E, SQRT_2, TAU};
use wengert::Real;

use super::routes::Program;

/// A composite function with its data.
pub struct Composite<'a> {
    pub name: &'a str,
    pub data: &'a Value,
}

/// The numbers of a JSON array.
pub fn numbers(value: &Value) -> Vec<f64> {
    let number = |v: &Value| v.as_f64().unwrap_or_else(|| panic!("{v} is not a number"));
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list")).iter().map(number).collect()
}

/// The rows of a JSON matrix.
pub fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a matrix")).iter().map(numbers).collect()
}

impl Composite<'_> {
    fn count(&self, key: &str) -> usize {
        self.data[key].as_u64().expect("a count") as usize
    }
    fn number(&self, key: &str) -> f64 {
        self.data[key].as_f64().expect("a number")
    }
}

impl Program for Composite<'_> {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        match self.name {
            "lorenz_rk4" => lorenz_rk4(x, self.number("h"), self.count("steps")),
            "mandelbrot" => mandelbrot(x, self.count("iters")),
            "spherical" => spherical(x),
            _ => vec![self.scalar(x)],
        }
    }
}

impl Composite<'_> {
    fn scalar<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        match self.name {
            "rosenbrock" => rosenbrock(x),
            "beale" => beale(x),
            "powell_singular" => powell_singular(x),
            "wood" => wood(x),
            "helical_valley" => helical_valley(x),
            "brown_dennis" => brown_dennis(x),
            "logistic" => logistic(x, &rows(&self.data["X"]), &numbers(&self.data["y"]), self.number("l2")),
            "logsumexp" => logsumexp(x),
            "lennard_jones" => lennard_jones(x),
            "mlp" => mlp(x, &rows(&self.data["X"]), &numbers(&self.data["y"])),
            "black_scholes" => black_scholes(x),
            "kepler" => kepler(x, self.count("iters")),
            "mandelbrot_abs2" => mandelbrot(x, self.count("iters")).into_iter().map(T::square).sum(),
            "speelpenning" => x.iter().product(),
            "himmelblau" => himmelblau(x),
            "ackley" => ackley(x),
            "gmm" => gmm(x, &rows(&self.data["X"])),
            "seed_example" => (x[0].sin() + x[0] * x[0]).exp(),
            "quot_chain" => quot_chain(x),
            "softmax_ce" => logsumexp(x) - x[self.count("label")],
            name => panic!("no function {name}"),
        }
    }
}

fn rosenbrock<T: Real<Base = f64>>(x: &[T]) -> T {
    let valley = |w: &[T]| (w[1] - w[0] * w[0]).square() * 100.0 + (-w[0] + 1.0).square();
    x.windows(2).map(valley).sum()
}

fn beale<T: Real<Base = f64>>(x: &[T]) -> T {
    let residual = |(i, y): (i32, f64)| (-x[0] * (-x[1].powi(i) + 1.0) + y).square();
    [(1, 1.5), (2, 2.25), (3, 2.625)].into_iter().map(residual).sum()
}

fn powell_singular<T: Real<Base = f64>>(x: &[T]) -> T {
    (x[0] + x[1] * 10.0).square()
        + (x[2] - x[3]).square() * 5.0
        + (x[1] - x[2] * 2.0).powi(4)
        + (x[0] - x[3]).powi(4) * 10.0
}

fn wood<T: Real<Base = f64>>(x: &[T]) -> T {
    let (a, b) = (x[1] - 1.0, x[3] - 1.0);
    (x[1] - x[0] * x[0]).square() * 100.0
        + (-x[0] + 1.0).square()
        + (x[3] - x[2] * x[2]).square() * 90.0
        + (-x[2] + 1.0).square()
        + (a * a + b * b) * 10.1
        + a * b * 19.8
}

fn helical_valley<T: Real<Base = f64>>(x: &[T]) -> T {
    let theta = x[1].atan2(x[0]) / TAU;
    let radius = x[0].hypot(x[1]);
    ((x[2] - theta * 10.0).square() + (radius - 1.0).square()) * 100.0 + x[2].square()
}

fn brown_dennis<T: Real<Base = f64>>(x: &[T]) -> T {
    let residual = |i: i32| {
        let t = f64::from(i) / 5.0;
        let (a, b) = (x[0] + x[1] * t - t.exp(), x[2] + x[3] * t.sin() - t.cos());
        (a * a + b * b).square()
    };
    (1..=20).map(residual).sum()
}

fn dot<T: Real<Base = f64>>(x: &[T], constants: &[f64]) -> T {
    x.iter().zip(constants).map(|(&x, &c)| x * c).sum()
}

fn logistic<T: Real<Base = f64>>(w: &[T], inputs: &[Vec<f64>], labels: &[f64], l2: f64) -> T {
    let loss = |(x, &y): (&Vec<f64>, &f64)| (dot(w, x) * -y).softplus();
    let mean = inputs.iter().zip(labels).map(loss).sum::<T>() / labels.len() as f64;
    mean + w.iter().map(|w| *w * *w).sum::<T>() * (l2 / 2.0)
}

fn logsumexp<T: Real<Base = f64>>(x: &[T]) -> T {
    let largest = x.iter().fold(f64::NEG_INFINITY, |m, x| m.max(x.primal()));
    x.iter().map(|x| (*x - largest).exp()).sum::<T>().ln() + largest
}

fn lennard_jones<T: Real<Base = f64>>(x: &[T]) -> T {
    let atoms: Vec<&[T]> = x.chunks(3).collect();
    let mut energy = T::lit(0.0);
    for (i, a) in atoms.iter().enumerate() {
        for b in &atoms[..i] {
            let r2 = a.iter().zip(*b).map(|(&p, &q)| (p - q).square()).sum::<T>();
            let s6 = r2.powi(-3);
            energy += (s6 * s6 - s6) * 4.0;
        }
    }
    energy
}

/// Two inputs, three hidden units (tanh), one output.
fn mlp<T: Real<Base = f64>>(p: &[T], inputs: &[Vec<f64>], targets: &[f64]) -> T {
    let (first, rest) = p.split_at(6);
    let (bias, second) = rest.split_at(3);
    let error = |(x, &y): (&Vec<f64>, &f64)| {
        let hidden = |k: usize| (dot(&first[2 * k..2 * k + 2], x) + bias[k]).tanh();
        let output = (0..3).map(|k| second[k] * hidden(k)).sum::<T>() + second[3];
        (output - y).square()
    };
    inputs.iter().zip(targets).map(error).sum::<T>() / targets.len() as f64
}

/// The European call (spot, strike, maturity, rate, volatility).
fn black_scholes<T: Real<Base = f64>>(x: &[T]) -> T {
    let [s, k, t, r, v] = [x[0], x[1], x[2], x[3], x[4]];
    let normal = |d: T| (-d / SQRT_2).erfc() * 0.5;
    let spread = v * t.sqrt();
    let d1 = ((s / k).ln() + (r + v * v * 0.5) * t) / spread;
    s * normal(d1) - k * (-r * t).exp() * normal(d1 - spread)
}

fn kepler<T: Real<Base = f64>>(x: &[T], iterations: usize) -> T {
    let (e, m) = (x[0], x[1]);
    let newton = |a: T| a - (a - e * a.sin() - m) / (-e * a.cos() + 1.0);
    (0..iterations).fold(m + e * m.sin(), |a, _| newton(a))
}

fn lorenz_rk4<T: Real<Base = f64>>(x: &[T], h: f64, steps: usize) -> Vec<T> {
    let (sigma, rho, beta) = (x[3], x[4], x[5]);
    let slope = |[x, y, z]: [T; 3]| [sigma * (y - x), x * (rho - z) - y, x * y - beta * z];
    let step = |s: [T; 3], d: [T; 3], h: f64| std::array::from_fn(|i| s[i] + d[i] * h);
    let mut state = [x[0], x[1], x[2]];
    for _ in 0..steps {
        let a = slope(state);
        let b = slope(step(state, a, h / 2.0));
        let c = slope(step(state, b, h / 2.0));
        let d = slope(step(state, c, h));
        state = std::array::from_fn(|i| state[i] + (a[i] + b[i] * 2.0 + c[i] * 2.0 + d[i]) * (h / 6.0));
    }
    state.to_vec()
}

fn mandelbrot<T: Real<Base = f64>>(c: &[T], iterations: usize) -> Vec<T> {
    let mut z = vec![T::lit(0.0); 2];
    for _ in 0..iterations {
        z = vec![z[0] * z[0] - z[1] * z[1] + c[0], z[0] * z[1] * 2.0 + c[1]];
    }
    z
}

fn spherical<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
    let ((st, ct), (sp, cp)) = (x[1].sin_cos(), x[2].sin_cos());
    vec![x[0] * st * cp, x[0] * st * sp, x[0] * ct]
}

fn himmelblau<T: Real<Base = f64>>(x: &[T]) -> T {
    (x[0] * x[0] + x[1] - 11.0).square() + (x[0] + x[1] * x[1] - 7.0).square()
}

fn ackley<T: Real<Base = f64>>(x: &[T]) -> T {
    let n = x.len() as f64;
    let spread = (x.iter().map(|x| *x * *x).sum::<T>() / n).sqrt();
    let waves = x.iter().map(|x| (*x * TAU).cos()).sum::<T>() / n;
    (spread * -0.2).exp() * -20.0 - waves.exp() + (20.0 + E)
}

/// Two isotropic components in the plane: weights as logits, means, log standard deviations.
fn gmm<T: Real<Base = f64>>(p: &[T], points: &[Vec<f64>]) -> T {
    let total = logsumexp(&p[..2]);
    let component = |k: usize, x: &[f64]| {
        let (mean, log_sd) = (&p[2 + 2 * k..4 + 2 * k], p[6 + k]);
        let square = mean.iter().zip(x).map(|(&m, &x)| (m - x).square()).sum::<T>();
        p[k] - total - log_sd * 2.0 - square * (log_sd * -2.0).exp() * 0.5
    };
    let likelihood = points.iter().map(|x| logsumexp(&[component(0, x), component(1, x)])).sum::<T>();
    -likelihood + points.len() as f64 * TAU.ln()
}

fn quot_chain<T: Real<Base = f64>>(x: &[T]) -> T {
    let (a, b, c) = (x[0], x[1], x[2]);
    (a * b).exp() / (c * c + 1.0) + (a * a + 1.0).ln() * (b * b + 1.0).sqrt() - (a * b * c).sin()
}
