//! Functions that go through time: their states are kept, and the derivatives go back.

use gradbench::{Answer, Evaluation, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Chain {
    x: Vec<f64>,
    s: usize,
}

/// The slope at `y` of the equations `y₀′ = x₀`, `yᵢ′ = xᵢ·yᵢ₋₁`.
fn slope(x: &[f64], y: &[f64], k: &mut [f64]) {
    k[0] = x[0];
    for i in 1..x.len() {
        k[i] = x[i] * y[i - 1];
    }
}

/// The cotangents of `x` and of `y` from the cotangent `k` of the slope at `y`.
fn pull(x: &[f64], y: &[f64], k: &[f64], dx: &mut [f64], dy: &mut [f64]) {
    dx[0] += k[0];
    for i in 1..x.len() {
        dx[i] += k[i] * y[i - 1];
        dy[i - 1] = k[i] * x[i];
    }
    dy[x.len() - 1] = 0.0;
}

/// The gradient of the last variable after all steps of Runge and Kutta's method.
pub fn chain(mut call: Evaluation) -> Result<Answer> {
    let Chain { x, s } = call.read()?;
    let n = x.len();
    let h = 2.0 / s as f64;
    let weights = [h / 6.0, h / 3.0, h / 3.0, h / 6.0];
    let parts = [0.0, h / 2.0, h / 2.0, h];
    // The four points of each step at which slopes are taken.
    let mut points = vec![0.0; 4 * n * s];
    let (mut k, mut y, mut dy, mut dk, mut back) =
        (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    call.evaluate(|| {
        y.fill(0.0);
        for step in points.chunks_exact_mut(4 * n) {
            step[..n].copy_from_slice(&y);
            for stage in 0..4 {
                let (before, after) = step.split_at_mut((stage + 1) * n);
                slope(&x, &before[stage * n..], &mut k);
                if stage < 3 {
                    for i in 0..n {
                        after[i] = before[i] + parts[stage + 1] * k[i];
                    }
                }
                y.iter_mut().zip(&k).for_each(|(y, k)| *y += weights[stage] * k);
            }
        }
        let mut dx = vec![0.0; n];
        dy.fill(0.0);
        dy[n - 1] = 1.0;
        for step in points.chunks_exact(4 * n).rev() {
            back.fill(0.0);
            let out = dy.clone();
            for stage in (0..4).rev() {
                let next = if stage < 3 { parts[stage + 1] } else { 0.0 };
                for i in 0..n {
                    dk[i] = weights[stage] * out[i] + next * back[i];
                }
                pull(&x, &step[stage * n..][..n], &dk, &mut dx, &mut back);
                dy.iter_mut().zip(&back).for_each(|(d, b)| *d += b);
            }
        }
        Ok(dx)
    })
}

#[derive(Deserialize)]
struct Network {
    main_params: Vec<Vec<f64>>,
    extra_params: Vec<Vec<f64>>,
    state: Vec<Vec<f64>>,
    sequence: Vec<Vec<f64>>,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The numbers of a layer at one step that its derivative needs, for each character.
#[derive(Clone, Copy, Default)]
struct Unit {
    input: f64,
    hidden: f64,
    cell: f64,
    forget: f64,
    ingate: f64,
    outgate: f64,
    change: f64,
    squashed: f64,
}

/// The gradient of the loss in the parameters of the layers and of the input and output.
pub fn network(mut call: Evaluation) -> Result<Answer> {
    let Network { main_params: main, extra_params: extra, state, sequence } = call.read()?;
    let (layers, b, steps) = (state.len() / 2, extra[0].len(), sequence.len() - 1);
    let scale = -1.0 / (steps * b) as f64;
    let mut units = vec![Unit::default(); steps * layers * b];
    let mut errors = vec![0.0; steps * b];
    call.evaluate(|| {
        let mut state = state.clone();
        let mut output = vec![0.0; b];
        for t in 0..steps {
            for j in 0..b {
                output[j] = sequence[t][j] * extra[0][j];
            }
            for layer in 0..layers {
                let (w, bias) = (&main[2 * layer], &main[2 * layer + 1]);
                for j in 0..b {
                    let (input, hidden, cell) = (output[j], state[2 * layer][j], state[2 * layer + 1][j]);
                    let forget = sigmoid(input * w[j] + bias[j]);
                    let ingate = sigmoid(hidden * w[b + j] + bias[b + j]);
                    let outgate = sigmoid(input * w[2 * b + j] + bias[2 * b + j]);
                    let change = (hidden * w[3 * b + j] + bias[3 * b + j]).tanh();
                    let next = cell * forget + ingate * change;
                    let squashed = next.tanh();
                    output[j] = outgate * squashed;
                    (state[2 * layer][j], state[2 * layer + 1][j]) = (output[j], next);
                    units[(t * layers + layer) * b + j] =
                        Unit { input, hidden, cell, forget, ingate, outgate, change, squashed };
                }
            }
            // The cotangent of the prediction.
            let predicted: Vec<f64> = (0..b).map(|j| (output[j] * extra[1][j] + extra[2][j]).exp()).collect();
            let sum = 2.0 + predicted.iter().sum::<f64>();
            let weight = sequence[t + 1].iter().sum::<f64>() / sum;
            for j in 0..b {
                errors[t * b + j] = scale * (sequence[t + 1][j] - weight * predicted[j]);
            }
        }
        let mut g = vec![0.0; (8 * layers + 3) * b];
        let (g_main, g_extra) = g.split_at_mut(8 * layers * b);
        let (mut d_hidden, mut d_cell) = (vec![0.0; layers * b], vec![0.0; layers * b]);
        let mut d_output = vec![0.0; b];
        for t in (0..steps).rev() {
            let last = &units[(t * layers + layers - 1) * b..][..b];
            for j in 0..b {
                let error = errors[t * b + j];
                g_extra[b + j] += error * last[j].outgate * last[j].squashed;
                g_extra[2 * b + j] += error;
                d_output[j] = error * extra[1][j];
            }
            for layer in (0..layers).rev() {
                let (w, g) = (&main[2 * layer], &mut g_main[8 * b * layer..][..8 * b]);
                for j in 0..b {
                    let u = units[(t * layers + layer) * b + j];
                    let at = layer * b + j;
                    let d = d_output[j] + d_hidden[at];
                    let d_next = d_cell[at] + d * u.outgate * (1.0 - u.squashed * u.squashed);
                    let gates = [
                        d_next * u.cell * u.forget * (1.0 - u.forget),
                        d_next * u.change * u.ingate * (1.0 - u.ingate),
                        d * u.squashed * u.outgate * (1.0 - u.outgate),
                        d_next * u.ingate * (1.0 - u.change * u.change),
                    ];
                    let from = [u.input, u.hidden, u.input, u.hidden];
                    for k in 0..4 {
                        g[k * b + j] += gates[k] * from[k];
                        g[(4 + k) * b + j] += gates[k];
                    }
                    d_cell[at] = d_next * u.forget;
                    d_hidden[at] = gates[1] * w[b + j] + gates[3] * w[3 * b + j];
                    d_output[j] = gates[0] * w[j] + gates[2] * w[2 * b + j];
                }
            }
            for j in 0..b {
                g_extra[j] += d_output[j] * sequence[t][j];
            }
        }
        Ok(g)
    })
}
