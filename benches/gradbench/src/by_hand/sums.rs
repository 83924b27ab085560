//! Sums over points, and the expansion of a determinant.

use gradbench::{Answer, Evaluation, Result};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Mixture {
    d: usize,
    k: usize,
    m: f64,
    gamma: f64,
    x: Vec<Vec<f64>>,
    alpha: Vec<f64>,
    mu: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
}

/// The weights `exp(xᵢ)/Σ exp(xⱼ)` in place of `x`.
fn softmax(x: &mut [f64]) {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for x in x.iter_mut() {
        *x = (*x - largest).exp();
        sum += *x;
    }
    x.iter_mut().for_each(|x| *x /= sum);
}

/// With `y = Q(x − μ)` and the weight `w` of a component: `w`, `w Qᵀy`, `w (1 − y∘e^q∘(x − μ))`, `−w yᵢ(xⱼ − μⱼ)`.
pub fn mixture(mut call: Evaluation) -> Result<Answer> {
    let input: Mixture = call.read()?;
    let Mixture { d, k, m, gamma, x, alpha, mu, q, l } = &input;
    let (d, k, below) = (*d, *k, d * (d - 1) / 2);
    let (mut apart, mut y, mut weights) = (vec![0.0; k * d], vec![0.0; k * d], vec![0.0; k]);
    let (mut d_alpha, mut d_mu) = (vec![0.0; k], vec![vec![0.0; d]; k]);
    let (mut d_q, mut d_l) = (vec![vec![0.0; d]; k], vec![vec![0.0; below]; k]);
    call.evaluate(|| {
        let scales: Vec<Vec<f64>> = q.iter().map(|q| q.iter().map(|q| q.exp()).collect()).collect();
        let totals: Vec<f64> = q.iter().map(|q| q.iter().sum()).collect();
        weights.copy_from_slice(alpha);
        softmax(&mut weights);
        for (d, w) in d_alpha.iter_mut().zip(&weights) {
            *d = -(x.len() as f64) * w;
        }
        for c in 0..k {
            for j in 0..d {
                d_mu[c][j] = 0.0;
                d_q[c][j] = m - gamma * gamma * scales[c][j] * scales[c][j];
            }
            for (d, l) in d_l[c].iter_mut().zip(&l[c]) {
                *d = -gamma * gamma * l;
            }
        }
        for x in x {
            for c in 0..k {
                let (apart, y) = (&mut apart[c * d..][..d], &mut y[c * d..][..d]);
                for j in 0..d {
                    apart[j] = x[j] - mu[c][j];
                    y[j] = scales[c][j] * apart[j];
                }
                let mut rest = &l[c][..];
                for j in 0..d {
                    let (column, others) = rest.split_at(d - 1 - j);
                    y[j + 1..].iter_mut().zip(column).for_each(|(y, l)| *y += l * apart[j]);
                    rest = others;
                }
                weights[c] = alpha[c] + totals[c] - 0.5 * y.iter().map(|y| y * y).sum::<f64>();
            }
            softmax(&mut weights);
            for c in 0..k {
                let (w, apart, y) = (weights[c], &apart[c * d..][..d], &y[c * d..][..d]);
                d_alpha[c] += w;
                let (mut rest, mut d_rest) = (&l[c][..], &mut d_l[c][..]);
                for j in 0..d {
                    let (column, others) = rest.split_at(d - 1 - j);
                    let (d_column, d_others) = d_rest.split_at_mut(d - 1 - j);
                    let product = column.iter().zip(&y[j + 1..]).map(|(l, y)| l * y).sum::<f64>();
                    d_mu[c][j] += w * (scales[c][j] * y[j] + product);
                    d_q[c][j] += w * (1.0 - y[j] * scales[c][j] * apart[j]);
                    let by = w * apart[j];
                    d_column.iter_mut().zip(&y[j + 1..]).for_each(|(d, y)| *d -= by * y);
                    (rest, d_rest) = (others, d_others);
                }
            }
        }
        Ok(json!({ "alpha": d_alpha, "mu": d_mu, "q": d_q, "l": d_l }))
    })
}

#[derive(Deserialize)]
struct Clusters {
    points: Vec<Vec<f64>>,
    centroids: Vec<Vec<f64>>,
}

/// The gradient `2 Σ (C − x)` over the second derivative `2 · (number of points)`.
pub fn clusters(mut call: Evaluation) -> Result<Answer> {
    let Clusters { points, centroids } = call.read()?;
    let d = centroids.first().ok_or("no centroids")?.len();
    let flat: Vec<f64> = points.concat();
    call.evaluate(|| {
        let (mut gradient, mut curvature) = (vec![vec![0.0; d]; centroids.len()], vec![0.0; centroids.len()]);
        for x in flat.chunks_exact(d) {
            let (mut nearest, mut least) = (0, f64::INFINITY);
            for (c, centroid) in centroids.iter().enumerate() {
                let distance = centroid.iter().zip(x).map(|(c, x)| (c - x) * (c - x)).sum::<f64>();
                if distance < least {
                    (nearest, least) = (c, distance);
                }
            }
            curvature[nearest] += 2.0;
            let both = centroids[nearest].iter().zip(x);
            gradient[nearest].iter_mut().zip(both).for_each(|(g, (c, x))| *g += 2.0 * (c - x));
        }
        for (g, h) in gradient.iter_mut().zip(&curvature) {
            g.iter_mut().for_each(|g| *g /= h);
        }
        Ok(gradient)
    })
}

#[derive(Deserialize)]
struct List {
    x: Vec<f64>,
}

pub fn logsumexp(mut call: Evaluation) -> Result<Answer> {
    let List { x } = call.read()?;
    call.evaluate(|| {
        let mut g = x.clone();
        softmax(&mut g);
        Ok(g)
    })
}

#[derive(Deserialize)]
struct Polynomial {
    x: Vec<f64>,
    n: usize,
}

/// `−Σ rᵢ tᵢʲ` with the residual `r = s − Σ xⱼ tʲ`.
pub fn polynomial(mut call: Evaluation) -> Result<Answer> {
    let Polynomial { x, n } = call.read()?;
    let mut powers = vec![0.0; x.len()];
    call.evaluate(|| {
        let mut g = vec![0.0; x.len()];
        for i in 0..n {
            let t = -1.0 + 2.0 * i as f64 / (n - 1) as f64;
            let (mut power, mut residual) = (1.0, if t == 0.0 { 0.0 } else { t.signum() });
            for (x, kept) in x.iter().zip(&mut powers) {
                *kept = power;
                residual -= x * power;
                power *= t;
            }
            g.iter_mut().zip(&powers).for_each(|(g, power)| *g -= residual * power);
        }
        Ok(g)
    })
}

#[derive(Deserialize)]
struct Matrix {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
}

/// The determinant of the last rows and these columns; its gradient times `weight` is added to `g`.
fn expand(a: &[f64], columns: &mut Vec<usize>, weight: f64, g: &mut [f64]) -> f64 {
    let (width, order) = (a.len().isqrt(), columns.len());
    let row = (width - order) * width;
    if order == 1 {
        g[row + columns[0]] += weight;
        return a[row + columns[0]];
    }
    let (mut sum, mut sign) = (0.0, 1.0);
    for k in 0..order {
        let column = columns.remove(k);
        let minor = expand(a, columns, weight * sign * a[row + column], g);
        columns.insert(k, column);
        g[row + column] += weight * sign * minor;
        sum += sign * a[row + column] * minor;
        sign = -sign;
    }
    sum
}

pub fn determinant(mut call: Evaluation) -> Result<Answer> {
    let Matrix { a, ell } = call.read()?;
    let mut columns: Vec<usize> = (0..ell).collect();
    call.evaluate(|| {
        let mut g = vec![0.0; a.len()];
        expand(&a, &mut columns, 1.0, &mut g);
        Ok(g)
    })
}
