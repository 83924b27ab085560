//! The logarithm of a sum of exponentials.

use serde::Deserialize;
use wengert::{Reverse, prepare, reduce};

use crate::{Answer, Evaluation, Result};

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
}

pub fn primal(mut call: Evaluation) -> Result<Answer> {
    let Input { x } = call.read()?;
    call.evaluate(|| Ok(reduce::logsumexp(&x)))
}

pub fn gradient(mut call: Evaluation) -> Result<Answer> {
    let Input { x } = call.read()?;
    let mut gradient = call.prepare(|| prepare::gradient(Reverse, &x[..]));
    let mut g = vec![0.0; x.len()];
    call.evaluate(|| {
        gradient.of(|x| reduce::logsumexp(x)).at(&x, &mut g[..])?;
        Ok(g.clone())
    })
}
