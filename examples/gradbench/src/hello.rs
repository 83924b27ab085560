//! A square and its derivative.

use crate::{Answer, Evaluation, Result};

#[wengert::generic]
fn model(x: f64) -> f64 {
    x * x
}

pub fn square(mut call: Evaluation) -> Result<Answer> {
    let x: f64 = call.read()?;
    call.evaluate(|| Ok(model(x)))
}

pub fn double(mut call: Evaluation) -> Result<Answer> {
    let x: f64 = call.read()?;
    call.evaluate(|| Ok(wengert::derivative(model, x)))
}
