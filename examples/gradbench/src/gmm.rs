//! The logarithm of the posterior density of a mixture of Gaussians with full covariances.

use serde::{Deserialize, Serialize};
use wengert::sums::{Sum, Table};
use wengert::{Real, reduce};

use crate::{Answer, Evaluation, Result, protocol};

#[derive(Deserialize)]
struct Input {
    d: usize,
    k: usize,
    x: Vec<Vec<f64>>,
    m: f64,
    gamma: f64,
    #[serde(flatten)]
    parameters: Parameters,
}

#[derive(Deserialize, Serialize)]
struct Parameters {
    alpha: Vec<f64>,
    mu: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
}

/// `ln Σ exp(αₖ + Σ qₖ − ½‖Qₖ(x − μₖ)‖²)` at a point; the parameters are `α`, then all `μ`, `q` and `l`.
#[wengert::generic]
fn log_density(p: &[f64], x: &[f64], k: usize) -> f64 {
    let d = x.len();
    let (alpha, rest) = p.split_at(k);
    let (mu, rest) = rest.split_at(k * d);
    let (q, l) = rest.split_at(k * d);
    let below = d * (d - 1) / 2;
    let component = |c: usize| -> f64 {
        let (mu, q, l) = (&mu[c * d..][..d], &q[c * d..][..d], &l[c * below..][..below]);
        let apart: Vec<f64> = x.iter().zip(mu).map(|(x, m)| x - m).collect();
        let mut y: Vec<f64> = q.iter().zip(&apart).map(|(q, a)| q.exp() * a).collect();
        let mut below = l.iter();
        for (j, a) in apart.iter().enumerate() {
            for (y, l) in y[j + 1..].iter_mut().zip(below.by_ref()) {
                *y += l * a;
            }
        }
        let squares = y.iter().map(|y| y * y).sum::<f64>();
        alpha[c] + q.iter().sum::<f64>() - 0.5 * squares
    };
    reduce::logsumexp(&(0..k).map(component).collect::<Vec<f64>>())
}

/// The terms that depend on no point, up to constants: `m Σ q − γ²/2 Σ‖Q‖² − n·lse(α)`.
#[wengert::generic]
fn prior(p: &[f64], d: usize, k: usize, #[data] (n, m, gamma): (f64, f64, f64)) -> f64 {
    let (alpha, rest) = p.split_at(k);
    let (q, l) = rest[k * d..].split_at(k * d);
    let diagonal = q.iter().map(|q| (2.0 * q).exp()).sum::<f64>();
    let lower = l.iter().map(|l| l * l).sum::<f64>();
    m * q.iter().sum::<f64>() - 0.5 * gamma * gamma * (diagonal + lower) - n * reduce::logsumexp(alpha)
}

impl Input {
    fn check(&self) -> Result<()> {
        let Parameters { alpha, mu, q, l } = &self.parameters;
        let below = self.d * (self.d.max(1) - 1) / 2;
        for (name, lists, width) in
            [("x", &self.x, self.d), ("mu", mu, self.d), ("q", q, self.d), ("l", l, below)]
        {
            lists.iter().try_for_each(|list| protocol::length(name, list.len(), width))?;
        }
        [("alpha", alpha.len()), ("mu", mu.len()), ("q", q.len()), ("l", l.len())]
            .into_iter()
            .try_for_each(|(name, len)| protocol::length(name, len, self.k))
    }
    fn flat(&self) -> Vec<f64> {
        let Parameters { alpha, mu, q, l } = &self.parameters;
        [alpha.clone(), mu.concat(), q.concat(), l.concat()].concat()
    }
    fn settings(&self) -> (f64, f64, f64) {
        (self.x.len() as f64, self.m, self.gamma)
    }
    fn constant(&self) -> f64 {
        let (n, d, k) = (self.x.len() as f64, self.d as f64, self.k as f64);
        let (nu, pi) = (d + self.m + 1.0, std::f64::consts::PI);
        let gammas = (0..self.d).map(|j| Real::ln_gamma(0.5 * (nu - j as f64))).sum::<f64>();
        let ln_gamma = 0.25 * d * (d - 1.0) * pi.ln() + gammas;
        k * (nu * d * (self.gamma / 2f64.sqrt()).ln() - ln_gamma) - 0.5 * n * d * (2.0 * pi).ln()
    }
}

pub fn objective(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    input.check()?;
    let p = input.flat();
    call.evaluate(|| {
        let points = input.x.iter().map(|x| log_density(&p, x, input.k)).sum::<f64>();
        Ok(points + prior(&p, input.d, input.k, input.settings()) + input.constant())
    })
}

pub fn jacobian(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    input.check()?;
    let (p, d, k, settings) = (input.flat(), input.d, input.k, input.settings());
    let mut g = vec![0.0; p.len()];
    let mut sum = call.prepare(|| {
        let points = Sum::new(p.len(), Table::new(input.x.concat(), d)?, |p, x| log_density(p, x, k))?;
        let prior = Sum::new(p.len(), Table::without_data(1), |p, _| prior(p, d, k, settings))?;
        let mut sum = points + prior;
        sum.gradient(&p, &mut g)?; // the first one makes the programs
        Ok::<_, wengert::AdError>(sum)
    })?;
    call.evaluate(|| {
        sum.gradient(&p, &mut g)?;
        let (alpha, rest) = g.split_at(k);
        let (mu, rest) = rest.split_at(k * d);
        let (q, l) = rest.split_at(k * d);
        let rows =
            |list: &[f64]| (0..k).map(|c| list[c * list.len() / k..][..list.len() / k].to_vec()).collect();
        Ok(Parameters { alpha: alpha.to_vec(), mu: rows(mu), q: rows(q), l: rows(l) })
    })
}
