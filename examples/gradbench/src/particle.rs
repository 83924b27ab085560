//! A particle between charges: its path takes gradients, and the best position of a charge derivatives of the path.

use serde::Deserialize;
use wengert::{DualN, Real, Var, forward, reverse};

use crate::descent::minimum;
use crate::{Answer, Evaluation, Result};

#[derive(Deserialize)]
struct Input {
    w: f64,
}

/// The potential at `x` of charges at (10, 10 − w) and (10, 0).
fn potential<T: Real<Base = f64>>(x: &[T], w: T) -> T {
    let from = |height: T| (x[0] - 10.0).hypot(x[1] - height).recip();
    from(-w + 10.0) + from(T::lit(0.0))
}

/// The square of the position where the particle reaches the ground, with the gradient of the potential.
fn landing<T: Real<Base = f64>>(gradient: impl Fn(&[T; 2]) -> [T; 2]) -> T {
    let (mut x, mut v) = ([0.0, 8.0].map(T::lit), [0.75, 0.0].map(T::lit));
    loop {
        let g = gradient(&x);
        x = [x[0] + v[0] * 0.1, x[1] + v[1] * 0.1];
        if x[1] <= 0.0 {
            let place = x[0] - x[1] / v[1] * v[0];
            return place * place;
        }
        v = [v[0] - g[0] * 0.1, v[1] - g[1] * 0.1];
    }
}

/// The square of the place where the particle lands. Its gradients are taken in forward mode.
pub fn forward_path<T: Real<Base = f64>>(w: &[T]) -> T {
    let w = DualN::constant(w[0]);
    landing(|x| forward::gradient(|x| potential(x, w), x))
}

/// As [`forward_path`], in reverse mode.
pub fn reverse_path<T: Real<Base = f64>>(w: &[T]) -> T {
    let w = Var::constant(w[0]);
    landing(|x| reverse::gradient(|x| potential(x, w), x))
}

/// The functions by the modes of the outer and the inner gradient.
macro_rules! modes {
    ($($name:ident: $outer:ident, $path:ident;)*) => {$(
        pub fn $name(mut call: Evaluation) -> Result<Answer> {
            let Input { w } = call.read()?;
            call.evaluate(|| {
                let gradient = |w: &[f64]| $outer::gradient(|w| $path(w), w);
                Ok(minimum(|w| $path(w), gradient, &[w])[0])
            })
        }
    )*};
}

modes! {
    ff: forward, forward_path;
    fr: forward, reverse_path;
    rf: reverse, forward_path;
    rr: reverse, reverse_path;
}
