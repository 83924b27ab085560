//! Logistic regression, block by block.

use fastrand::Rng;
use wengert::sums::{PartialSum, Sum, Table};
use wengert::{AdError, reduce};

/// Rows that are generated, cut into blocks.
#[derive(Clone)]
pub struct Problem {
    pub rows: usize,
    pub columns: usize,
    pub blocks: usize,
}

/// Minus the logarithm of the likelihood of a row `(x, y)`: `ln(1 + eᶻ) − y·z` with `z = wᵀx`.
#[wengert::generic]
fn term(w: &[f64], row: &[f64]) -> f64 {
    let z = reduce::dot(&row[..w.len()], w);
    z.softplus() - z * row[w.len()]
}

impl Problem {
    /// The number of weights: a constant, and one for each column.
    pub fn weights(&self) -> usize {
        self.columns + 1
    }
    /// The numbers that a block sends: the value, the gradient, and the lower triangle of the Hessian with its
    /// diagonal.
    pub fn numbers(&self) -> usize {
        let n = self.weights();
        1 + n + n * (n + 1) / 2
    }
    /// The sum over the rows of a block.
    pub fn block(&self, block: usize) -> Result<Sum<'static>, AdError> {
        let rows = block * self.rows / self.blocks..(block + 1) * self.rows / self.blocks;
        let mut numbers = Vec::with_capacity(rows.len() * (self.columns + 2));
        for row in rows {
            // The rows do not depend on the cut.
            let mut random = Rng::with_seed((row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let first = numbers.len();
            numbers.push(1.0);
            numbers.extend((0..self.columns).map(|_| 2.0 * random.f64() - 1.0));
            let truth = (0..).map(|k| (1.7 * k as f64).sin());
            let z = numbers[first..].iter().zip(truth).map(|(x, w)| x * w).sum::<f64>();
            numbers.push(f64::from(random.f64() < 1.0 / (1.0 + (-z).exp())));
        }
        Sum::new(self.weights(), Table::new(numbers, self.columns + 2)?, term)
    }
    /// Value, gradient and Hessian of a block.
    pub fn partial(&self, block: usize, sum: &mut Sum<'_>, w: &[f64]) -> Result<PartialSum, AdError> {
        let n = w.len();
        let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
        let mut numbers = vec![sum.hessian(w, &mut gradient, &mut hessian)?];
        numbers.extend(gradient);
        (0..n).for_each(|j| numbers.extend(&hessian[j * n + j..(j + 1) * n]));
        Ok(PartialSum { block, blocks: self.blocks, numbers })
    }
}
