//! `argmin` over x of `max` over y of `‖x‖² − ‖y‖²`: descents within a descent that is differentiated.

use serde::Deserialize;
use wengert::{DualN, Real, Var, forward, reverse};

use crate::descent::minimum;
use crate::{Answer, Evaluation, Result};

#[derive(Deserialize)]
struct Input {
    start: [f64; 2],
}

/// `−f(x, y)`.
fn depth<T: Real<Base = f64>>(x: &[T], y: &[T]) -> T {
    y[0] * y[0] + y[1] * y[1] - (x[0] * x[0] + x[1] * x[1])
}

/// Where `f` is largest in y, by an inner gradient in forward mode.
fn forward_best<T: Real<Base = f64>>(x: &[T], start: [f64; 2]) -> Vec<T> {
    let outer = [x[0], x[1]].map(DualN::constant);
    let gradient = |y: &[T]| forward::gradient(|y| depth(&outer, y), y);
    minimum(|y| depth(x, y), gradient, &start.map(T::lit))
}

/// As [`forward_best`], in reverse mode.
fn reverse_best<T: Real<Base = f64>>(x: &[T], start: [f64; 2]) -> Vec<T> {
    let outer = [x[0], x[1]].map(Var::constant);
    let gradient = |y: &[T]| reverse::gradient(|y| depth(&outer, y), y);
    minimum(|y| depth(x, y), gradient, &start.map(T::lit))
}

/// The functions by the modes of the outer and the inner gradient.
macro_rules! modes {
    ($($name:ident: $outer:ident, $best:ident;)*) => {$(
        pub fn $name(mut call: Evaluation) -> Result<Answer> {
            let Input { start } = call.read()?;
            call.evaluate(|| {
                let gradient = |x: &[f64]| $outer::gradient(|x| -depth(x, &$best(x, start)), x);
                let x = minimum(|x| -depth(x, &$best(x, start)), gradient, &start);
                let y = $best(&x, start);
                Ok([x[0], x[1], y[0], y[1]])
            })
        }
    )*};
}

modes! {
    ff: forward, forward_best;
    fr: forward, reverse_best;
    rf: reverse, forward_best;
    rr: reverse, reverse_best;
}
