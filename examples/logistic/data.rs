//! The data: generated, or from a file.

use std::fs::File;
use std::path::Path;

use fastrand::Rng;
use indicatif::ProgressBar;

use super::failure::{Failure, Result, failure, quoted};

/// Rows of numbers, each with a label.
pub struct Data {
    pub columns: usize,
    /// Row by row: 1, the numbers, and the label, which is 0 or 1.
    pub numbers: Vec<f64>,
    /// The weights that generated the labels, the constant first.
    pub truth: Option<Vec<f64>>,
}

impl Data {
    pub fn rows(&self) -> usize {
        self.numbers.len() / (self.columns + 2)
    }
    /// The weights of a model: a constant, and one for each column.
    pub fn weights(&self) -> usize {
        self.columns + 1
    }
    /// Uniform numbers from −1 to 1, with labels by weights that are drawn as well.
    pub fn generate(rows: usize, columns: usize, seed: u64) -> Data {
        let mut random = Rng::with_seed(seed);
        let mut uniform = || 2.0 * random.f64() - 1.0;
        let truth: Vec<f64> = (0..=columns).map(|_| uniform()).collect();
        let mut numbers = Vec::with_capacity(rows * (columns + 2));
        for _ in 0..rows {
            let start = numbers.len();
            numbers.push(1.0);
            numbers.extend((0..columns).map(|_| uniform()));
            let t = numbers[start..].iter().zip(&truth).map(|(x, w)| x * w).sum::<f64>();
            let draw = 0.5 * (uniform() + 1.0);
            numbers.push(f64::from(draw < 1.0 / (1.0 + (-t).exp())));
        }
        Data { columns, numbers, truth: Some(truth) }
    }
}

/// Reads comma-separated values with a header, the label in the last column.
pub fn read(path: &Path) -> Result<Data> {
    let file =
        File::open(path).map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let size = file.metadata().map_or(0, |m| m.len());
    let progress = ProgressBar::new(size);
    let data = parse(progress.wrap_read(file)).map_err(|error| error.at(path.display()));
    progress.finish_and_clear();
    data
}

/// The data of a text.
pub fn parse(text: impl std::io::Read) -> Result<Data> {
    let (mut numbers, mut columns) = (Vec::new(), 0);
    // Rows of unequal lengths are errors of the reader.
    for (i, record) in csv::Reader::from_reader(text).records().enumerate() {
        let record = record.map_err(|error| Failure::new(error.to_string()))?;
        columns = record.len().saturating_sub(1);
        numbers.push(1.0);
        for (j, text) in record.iter().enumerate() {
            let place = || format!("row {}, column {}", i + 1, j + 1);
            match text.trim().parse::<f64>() {
                Ok(label) if j == columns && (label == 0.0 || label == 1.0) => numbers.push(label),
                Ok(x) if j < columns && x.is_finite() => numbers.push(x),
                _ => {
                    let expected = if j == columns { "0 or 1" } else { "a number" };
                    return failure(format!("{}: {expected} expected, not {}", place(), quoted(text)));
                }
            }
        }
    }
    if numbers.is_empty() {
        return failure("there are no rows");
    }
    Ok(Data { columns, numbers, truth: None })
}
