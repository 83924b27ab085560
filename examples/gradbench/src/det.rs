//! The determinant by expansion along rows.

use serde::Deserialize;
use wengert::{Reverse, prepare};

use crate::{Answer, Evaluation, Result, protocol};

#[derive(Deserialize)]
struct Input {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
}

/// The determinant of the last rows and these columns; `columns` comes back as it was.
#[wengert::generic]
fn minor(a: &[f64], columns: &mut Vec<usize>) -> f64 {
    let (width, order) = (a.len().isqrt(), columns.len());
    if order == 1 {
        return a[a.len() - width + columns[0]];
    }
    let row = &a[(width - order) * width..][..width];
    let mut sum = 0.0;
    for k in 0..order {
        let column = columns.remove(k);
        let part = row[column] * minor(a, columns);
        columns.insert(k, column);
        if k % 2 == 0 {
            sum += part;
        } else {
            sum -= part;
        }
    }
    sum
}

fn read(call: &mut Evaluation) -> Result<(Vec<f64>, Vec<usize>)> {
    let Input { a, ell } = call.read()?;
    protocol::length("A", a.len(), ell.max(1) * ell)?;
    Ok((a, (0..ell).collect()))
}

pub fn primal(mut call: Evaluation) -> Result<Answer> {
    let (a, mut columns) = read(&mut call)?;
    call.evaluate(|| Ok(minor(&a, &mut columns)))
}

pub fn gradient(mut call: Evaluation) -> Result<Answer> {
    let (a, mut columns) = read(&mut call)?;
    let mut gradient = call.prepare(|| prepare::gradient(Reverse, &a[..]));
    let mut g = vec![0.0; a.len()];
    call.evaluate(|| {
        gradient.of(|a| minor(a, &mut columns)).at(&a, &mut g[..])?;
        Ok(g.clone())
    })
}
