//! The reverse workloads for ad_trait, which has no `num_traits::Float`: the operations of
//! `benches/workloads/reverse.rs`, in their order.

use ad_trait::AD;

/// Components and dimensions of the mixture.
const K: usize = 5;
const D: usize = 3;

/// Rosenbrock's function of n variables.
pub fn rosenbrock<T: AD>(x: &[T]) -> T {
    let (one, hundred) = (T::constant(1.0), T::constant(100.0));
    let mut s = T::constant(0.0);
    for w in x.windows(2) {
        let a = w[1] - w[0] * w[0];
        let b = one - w[0];
        s += hundred * a * a + b * b;
    }
    s
}

/// The log-likelihood of a mixture of Gaussians.
pub fn mixture<T: AD>(p: &[T], points: &[[f64; D]]) -> T {
    let (weights, rest) = p.split_at(K);
    let (means, log_sds) = rest.split_at(K * D);
    let inverse: Vec<T> = log_sds.iter().map(|&s| exp(-s)).collect();
    let offset: Vec<T> =
        (0..K).map(|k| log_sds[k * D..(k + 1) * D].iter().fold(weights[k], |sum, &s| sum - s)).collect();
    let half = T::constant(0.5);
    let mut total = T::constant(0.0);
    for x in points {
        let mut terms = [T::constant(0.0); K];
        for k in 0..K {
            let mut square = T::constant(0.0);
            for d in 0..D {
                let z = (T::constant(x[d]) - means[k * D + d]) * inverse[k * D + d];
                square += z * z;
            }
            terms[k] = offset[k] - half * square;
        }
        total += logsumexp(&terms);
    }
    total - T::constant(points.len() as f64) * logsumexp(weights)
}

/// The negative log-likelihood of a logistic regression.
pub fn logistic<T: AD>(w: &[T], (rows, labels): &(Vec<f64>, Vec<f64>)) -> T {
    let ln_1p = |x: T| ad_trait::nalgebra::ComplexField::ln_1p(x);
    let mut total = T::constant(0.0);
    for (row, &y) in rows.chunks_exact(w.len()).zip(labels) {
        let mut t = T::constant(0.0);
        for (&x, &w) in row.iter().zip(w) {
            t += T::constant(x) * w;
        }
        let softplus = if t > T::constant(0.0) { t + ln_1p(exp(-t)) } else { ln_1p(exp(t)) };
        total += softplus - T::constant(y) * t;
    }
    total
}

fn exp<T: AD>(x: T) -> T {
    ad_trait::nalgebra::ComplexField::exp(x)
}

fn logsumexp<T: AD>(x: &[T]) -> T {
    let largest = x.iter().fold(x[0], |m, &x| if x > m { x } else { m });
    let mut sum = T::constant(0.0);
    for &x in x {
        sum += exp(x - largest);
    }
    ad_trait::nalgebra::ComplexField::ln(sum) + largest
}

/// Predators and prey by Runge and Kutta.
pub fn lotka_volterra<T: AD>(x: &[T], steps: usize) -> T {
    let (mut u, mut v) = (x[0], x[1]);
    let slope = |u: T, v: T| (x[2] * u - x[3] * u * v, x[4] * u * v - x[5] * v);
    let [h, half, two, sixth] = [0.01, 0.005, 2.0, 0.01 / 6.0].map(T::constant);
    for _ in 0..steps {
        let (a, b) = slope(u, v);
        let (c, d) = slope(u + half * a, v + half * b);
        let (e, f) = slope(u + half * c, v + half * d);
        let (g, i) = slope(u + h * e, v + h * f);
        u += sixth * (a + two * (c + e) + g);
        v += sixth * (b + two * (d + f) + i);
    }
    u + two * v
}

/// The sum of the solution of a linear system by elimination.
pub fn eliminate<T: AD>(data: &[T], n: usize) -> T {
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
    let mut sum = T::constant(0.0);
    for i in (0..n).rev() {
        let mut x = b[i];
        for j in i + 1..n {
            x -= a[i * n + j] * b[j];
        }
        b[i] = x / a[i * n + i];
        sum += b[i];
    }
    sum
}
