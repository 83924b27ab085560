//! A network of LSTM layers that predicts the next character.

use serde::Deserialize;
use wengert::{Reverse, prepare};

use crate::{Answer, Evaluation, Result, protocol};

#[derive(Deserialize)]
struct Input {
    main_params: Vec<Vec<f64>>,
    extra_params: Vec<Vec<f64>>,
    state: Vec<Vec<f64>>,
    sequence: Vec<Vec<f64>>,
}

#[wengert::generic]
pub mod model {
    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }
    /// The loss. The parameters are the parameters of the layers (weights, then biases of four gates each), then
    /// three rows for the input and the output.
    pub fn loss(p: &[f64], #[data] state: &[Vec<f64>], #[data] sequence: &[Vec<f64>]) -> f64 {
        let b = sequence[0].len();
        let (layers, extra) = p.split_at(p.len() - 3 * b);
        let mut state: Vec<Vec<f64>> =
            state.iter().map(|row| row.iter().map(|s| *s as f64).collect()).collect();
        let mut total = 0.0;
        for t in 0..sequence.len() - 1 {
            let mut input: Vec<f64> = (0..b).map(|j| extra[j] * sequence[t][j]).collect();
            for (layer, both) in layers.chunks_exact(8 * b).zip(state.chunks_exact_mut(2)) {
                let (w, bias) = layer.split_at(4 * b);
                for j in 0..b {
                    let (h, c) = (both[0][j], both[1][j]);
                    let forget = sigmoid(input[j] * w[j] + bias[j]);
                    let ingate = sigmoid(h * w[b + j] + bias[b + j]);
                    let outgate = sigmoid(input[j] * w[2 * b + j] + bias[2 * b + j]);
                    let change = (h * w[3 * b + j] + bias[3 * b + j]).tanh();
                    let c = c * forget + ingate * change;
                    input[j] = outgate * c.tanh();
                    both[0][j] = input[j];
                    both[1][j] = c;
                }
            }
            let predicted: Vec<f64> = (0..b).map(|j| input[j] * extra[b + j] + extra[2 * b + j]).collect();
            let all = (2.0 + predicted.iter().map(|y| y.exp()).sum::<f64>()).ln();
            for j in 0..b {
                total += (predicted[j] - all) * sequence[t + 1][j];
            }
        }
        -total / ((sequence.len() - 1) * b) as f64
    }
}

impl Input {
    fn flat(&self) -> Result<Vec<f64>> {
        let b = self.sequence.first().ok_or("no sequence")?.len();
        if self.sequence.len() < 2 {
            return Err("a sequence of at least two is needed".into());
        }
        protocol::length("main_params", self.main_params.len(), self.state.len())?;
        protocol::length("extra_params", self.extra_params.len(), 3)?;
        for (name, rows, width) in [
            ("main_params", &self.main_params, 4 * b),
            ("extra_params", &self.extra_params, b),
            ("state", &self.state, b),
            ("sequence", &self.sequence, b),
        ] {
            rows.iter().try_for_each(|row| protocol::length(name, row.len(), width))?;
        }
        Ok([self.main_params.concat(), self.extra_params.concat()].concat())
    }
}

pub fn objective(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let p = input.flat()?;
    call.evaluate(|| Ok(model::loss(&p, &input.state, &input.sequence)))
}

pub fn jacobian(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let p = input.flat()?;
    let mut gradient = call.prepare(|| prepare::gradient(Reverse, &p[..]));
    let mut g = vec![0.0; p.len()];
    call.evaluate(|| {
        gradient.of(|p| model::loss(p, &input.state, &input.sequence)).at(&p, &mut g[..])?;
        Ok(g.clone())
    })
}
