//! Functions of many variables, written once for every number type that has `num_traits::Float`.

use num_traits::Float;

fn lit<T: Float>(x: f64) -> T {
    T::from(x).expect("a float")
}

/// Rosenbrock's function of n variables.
pub fn rosenbrock<T: Float>(x: &[T]) -> T {
    let (one, hundred) = (lit::<T>(1.0), lit::<T>(100.0));
    let mut s = lit::<T>(0.0);
    for w in x.windows(2) {
        let a = w[1] - w[0] * w[0];
        let b = one - w[0];
        s = s + (hundred * a * a + b * b);
    }
    s
}

/// A point for [`rosenbrock`].
pub fn valley(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.5 + 0.4 * (i as f64 * 0.7).sin()).collect()
}

/// The gradient of Rosenbrock's function by hand, in one pass.
pub fn rosenbrock_hand(x: &[f64], g: &mut [f64]) -> f64 {
    let mut s = 0.0;
    g.fill(0.0);
    for i in 0..x.len() - 1 {
        let a = x[i + 1] - x[i] * x[i];
        let b = 1.0 - x[i];
        s += 100.0 * a * a + b * b;
        g[i] -= 400.0 * a * x[i] + 2.0 * b;
        g[i + 1] += 200.0 * a;
    }
    s
}

/// Components and dimensions of the mixture: 5 weights, 15 means, 15 log standard deviations.
const K: usize = 5;
const D: usize = 3;
pub const MIXTURE: usize = K * (1 + 2 * D);

/// The log-likelihood of a mixture of Gaussians with diagonal covariance, up to a constant.
pub fn mixture<T: Float>(p: &[T], points: &[[f64; D]]) -> T {
    let (weights, rest) = p.split_at(K);
    let (means, log_sds) = rest.split_at(K * D);
    let inverse: Vec<T> = log_sds.iter().map(|&s| (-s).exp()).collect();
    let offset: Vec<T> =
        (0..K).map(|k| log_sds[k * D..(k + 1) * D].iter().fold(weights[k], |sum, &s| sum - s)).collect();
    let half = lit::<T>(0.5);
    let mut total = lit::<T>(0.0);
    for x in points {
        let mut terms = [lit::<T>(0.0); K];
        for k in 0..K {
            let mut square = lit::<T>(0.0);
            for d in 0..D {
                let z = (lit::<T>(x[d]) - means[k * D + d]) * inverse[k * D + d];
                square = square + z * z;
            }
            terms[k] = offset[k] - half * square;
        }
        total = total + logsumexp(&terms);
    }
    total - lit::<T>(points.len() as f64) * logsumexp(weights)
}

/// The negative log-likelihood of a logistic regression, `Σ ln(1 + eᵗ) − yt` with `t = x·w`.
pub fn logistic<T: Float>(w: &[T], (rows, labels): &(Vec<f64>, Vec<f64>)) -> T {
    let mut total = lit::<T>(0.0);
    for (row, &y) in rows.chunks_exact(w.len()).zip(labels) {
        let mut t = lit::<T>(0.0);
        for (&x, &w) in row.iter().zip(w) {
            t = t + lit::<T>(x) * w;
        }
        let softplus = if t > lit(0.0) { t + (-t).exp().ln_1p() } else { t.exp().ln_1p() };
        total = total + (softplus - lit::<T>(y) * t);
    }
    total
}

/// Rows of 50 and labels for [`logistic`].
pub fn logistic_data(n: usize) -> (Vec<f64>, Vec<f64>) {
    let rows = (0..50 * n).map(|i| (1.7 * i as f64 + 0.3 * (i as f64).sqrt()).sin()).collect();
    (rows, (0..n).map(|i| f64::from(i % 3 == 0)).collect())
}

fn logsumexp<T: Float>(x: &[T]) -> T {
    let largest = x.iter().fold(x[0], |m, &x| if x > m { x } else { m });
    let mut sum = lit::<T>(0.0);
    for &x in x {
        sum = sum + (x - largest).exp();
    }
    sum.ln() + largest
}

/// Parameters and points for [`mixture`].
pub fn mixture_data(n: usize) -> (Vec<f64>, Vec<[f64; D]>) {
    let p = (0..MIXTURE).map(|i| 0.3 * (i as f64 * 1.3).sin()).collect();
    let points = (0..n).map(|i| std::array::from_fn(|d| (i as f64 * 0.37 + d as f64).sin() * 1.5)).collect();
    (p, points)
}

/// Predators and prey by Runge and Kutta: start and rates in, a weighted sum of the final state out.
pub fn lotka_volterra<T: Float>(x: &[T], steps: usize) -> T {
    let (mut u, mut v) = (x[0], x[1]);
    let slope = |u: T, v: T| (x[2] * u - x[3] * u * v, x[4] * u * v - x[5] * v);
    let (h, half, two, sixth) = (lit::<T>(0.01), lit::<T>(0.005), lit::<T>(2.0), lit::<T>(0.01 / 6.0));
    for _ in 0..steps {
        let (a, b) = slope(u, v);
        let (c, d) = slope(u + half * a, v + half * b);
        let (e, f) = slope(u + half * c, v + half * d);
        let (g, i) = slope(u + h * e, v + h * f);
        u = u + sixth * (a + two * (c + e) + g);
        v = v + sixth * (b + two * (d + f) + i);
    }
    u + two * v
}

/// A start and rates for [`lotka_volterra`].
pub const POPULATION: [f64; 6] = [1.0, 0.5, 1.1, 0.4, 0.1, 0.4];

/// The sum of the solution of a linear system by elimination, elementwise: matrix by rows, then the right side.
pub fn eliminate<T: Float>(data: &[T], n: usize) -> T {
    let (mut a, mut b) = (data[..n * n].to_vec(), data[n * n..].to_vec());
    for k in 0..n {
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for j in k + 1..n {
                a[i * n + j] = a[i * n + j] - factor * a[k * n + j];
            }
            b[i] = b[i] - factor * b[k];
        }
    }
    substitute(&a, b, n)
}

/// [`eliminate`] with `mul_add`.
pub fn eliminate_fused<T: Float>(data: &[T], n: usize) -> T {
    let (mut a, mut b) = (data[..n * n].to_vec(), data[n * n..].to_vec());
    for k in 0..n {
        for i in k + 1..n {
            let factor = -(a[i * n + k] / a[k * n + k]);
            for j in k + 1..n {
                a[i * n + j] = factor.mul_add(a[k * n + j], a[i * n + j]);
            }
            b[i] = factor.mul_add(b[k], b[i]);
        }
    }
    substitute(&a, b, n)
}

fn substitute<T: Float>(a: &[T], mut b: Vec<T>, n: usize) -> T {
    let mut sum = lit::<T>(0.0);
    for i in (0..n).rev() {
        let mut x = b[i];
        for j in i + 1..n {
            x = x - a[i * n + j] * b[j];
        }
        b[i] = x / a[i * n + i];
        sum = sum + b[i];
    }
    sum
}

/// A diagonally dominant system for [`eliminate`].
pub fn system(n: usize) -> Vec<f64> {
    let entry =
        |k: usize| ((k * k) as f64 * 0.13).sin() + if k.is_multiple_of(n + 1) { n as f64 } else { 0.0 };
    (0..n * n).map(entry).chain((0..n).map(|i| 1.0 + i as f64 / n as f64)).collect()
}
