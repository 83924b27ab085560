//! Least squares: a polynomial is to have the sign of its argument.

use serde::Deserialize;
use wengert::sums::Sum;

use crate::{Answer, Evaluation, Result};

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    n: usize,
}

impl Input {
    /// Places and their signs.
    fn rows(&self) -> Vec<[f64; 2]> {
        let sign = |t: f64| if t == 0.0 { 0.0 } else { t.signum() };
        let place = |i: usize| -1.0 + 2.0 * i as f64 / (self.n - 1) as f64;
        (0..self.n).map(place).map(|t| [t, sign(t)]).collect()
    }
}

/// `½(s − Σ xⱼtʲ)²`.
#[wengert::generic]
fn term(x: &[f64], row: &[f64]) -> f64 {
    let (t, mut power, mut rest) = (row[0], 1.0, row[1]);
    for x in x {
        rest -= x * power;
        power *= t;
    }
    0.5 * rest * rest
}

pub fn primal(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let rows = call.prepare(|| input.rows());
    call.evaluate(|| Ok(rows.iter().map(|row| term(&input.x, row)).sum::<f64>()))
}

pub fn gradient(mut call: Evaluation) -> Result<Answer> {
    let input: Input = call.read()?;
    let m = input.x.len();
    let mut sum = call.prepare(|| Sum::new(m, input.rows(), term))?;
    let mut g = vec![0.0; m];
    call.evaluate(|| {
        sum.gradient(&input.x, &mut g)?;
        Ok(g.clone())
    })
}
