//! Runge and Kutta's method on a chain of equations.

use serde::Deserialize;
use wengert::{AdError, prepare::recorded};

use crate::{Answer, Evaluation, Result};

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    s: usize,
}

/// `y₀′ = x₀`, `yᵢ′ = xᵢ·yᵢ₋₁` from 0, at time 2.
#[wengert::generic]
fn solve(x: &[f64], steps: usize) -> Vec<f64> {
    let slopes = |y: &[f64]| -> Vec<f64> {
        (0..x.len()).map(|i| if i == 0 { x[0] } else { x[i] * y[i - 1] }).collect()
    };
    let ahead = |y: &[f64], k: &[f64], #[data] h: f64| -> Vec<f64> {
        y.iter().zip(k).map(|(y, k)| y + k * h).collect()
    };
    #[data]
    let h = 2.0 / steps as f64;
    let mut y = vec![0.0; x.len()];
    for _ in 0..steps {
        let k1 = slopes(&y);
        let k2 = slopes(&ahead(&y, &k1, h / 2.0));
        let k3 = slopes(&ahead(&y, &k2, h / 2.0));
        let k4 = slopes(&ahead(&y, &k3, h));
        for i in 0..x.len() {
            y[i] += (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) * (h / 6.0);
        }
    }
    y
}

pub fn primal(mut call: Evaluation) -> Result<Answer> {
    let Input { x, s } = call.read()?;
    call.evaluate(|| Ok(solve(&x, s)))
}

pub fn gradient(mut call: Evaluation) -> Result<Answer> {
    let Input { x, s } = call.read()?;
    let last = x.len().checked_sub(1).ok_or("no equations")?;
    let mut g = vec![0.0; x.len()];
    // The first call records the steps, which are the same at all points.
    let mut gradient = call.prepare(|| {
        let mut gradient = recorded::gradient(|x| solve(x, s)[last], &x[..]).compiled();
        gradient.at(&x, &mut g[..])?;
        Ok::<_, AdError>(gradient)
    })?;
    call.evaluate(|| {
        gradient.at(&x, &mut g[..])?;
        Ok(g.clone())
    })
}
