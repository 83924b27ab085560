//! The negative log-likelihood of a track of positions by a Kalman filter of two states, in three parameters: with `*` of
//! nalgebra, with `matrix::matmul`, and in scalars.

use std::hint::black_box;

use nalgebra::{Matrix2, RowVector2, Vector2};
use wengert::matrix::{RealEntry, matmul};
use wengert::{Function as _, forward, function, generic, gradient};

use crate::workloads::check;
use crate::workloads::timing::{Case, compare};

/// The filter with this product, for matrices of the shapes that it multiplies.
macro_rules! filter {
    ($name:ident, $product:ident) => {
        fn $name<T: RealEntry<Base = f64>>(p: &[T], track: &[f64]) -> T {
            let (one, zero) = (T::one(), T::zero());
            let f = Matrix2::new(one, one, zero, p[2]);
            let noise = Matrix2::new(zero, zero, zero, p[0]);
            let h = RowVector2::new(one, zero);
            let (ft, ht) = (f.transpose(), h.transpose());
            let (mut x, mut c) = (Vector2::new(zero, zero), Matrix2::new(one, zero, zero, one));
            let mut loss = zero;
            for &y in track {
                x = $product!(f, x);
                c = $product!($product!(f, c), ft) + noise;
                let ch = $product!(c, ht);
                let s = $product!(h, ch)[0] + p[1];
                let k = ch / s;
                let e = $product!(h, x)[0] - T::constant(y);
                x -= k * e;
                c -= $product!(k, ch.transpose());
                loss += s.ln() + e * e / s;
            }
            loss
        }
    };
}
macro_rules! operator {
    ($a:expr, $b:expr) => {
        $a * $b
    };
}
macro_rules! primitive {
    ($a:expr, $b:expr) => {
        matmul(&$a, &$b)
    };
}
filter!(by_operators, operator);
filter!(by_matmul, primitive);

/// The covariance is `[[a, b], [b, c]]`.
#[generic]
fn by_scalars(p: &[f64], #[data] track: &[f64]) -> f64 {
    let (mut x, mut v) = (0.0, 0.0);
    let (mut a, mut b, mut c) = (1.0, 0.0, 1.0);
    let mut loss = 0.0;
    for &y in track {
        x += v;
        v *= p[2];
        a += 2.0 * b + c;
        b = (b + c) * p[2];
        c = c * p[2] * p[2] + p[0];
        let (s, e) = (a + p[1], x - y);
        loss += s.ln() + e * e / s;
        let (k, l) = (a / s, b / s);
        x -= k * e;
        v -= l * e;
        c -= l * b;
        b -= k * b;
        a -= k * a;
    }
    loss
}

pub fn run() {
    let track: Vec<f64> =
        (0..500).map(|k| (f64::from(k) * 0.05).sin() + 0.1 * (f64::from(k * 37 % 17) - 8.0)).collect();
    let (y, p) = (&track[..], [0.01, 0.5, 0.97]);
    let f = function!(|p, #[data] y: &[f64]| by_scalars(p, y));
    let want = f.gradient(&p);
    check("by operators", &gradient(|p| by_operators(p, y), &p), &want);
    check("by matmul", &gradient(|p| by_matmul(p, y), &p), &want);
    macro_rules! case {
        ($name:literal, $call:expr) => {{
            let case: Case<'_> = ($name, Box::new(|| _ = black_box($call)));
            case
        }};
    }
    let x = || black_box(&p);
    let mut cases = [
        case!("f64, scalars", by_scalars(x(), y)),
        case!("tape, `*`", gradient(|p| by_operators(p, y), x())),
        case!("tape, matmul", gradient(|p| by_matmul(p, y), x())),
        case!("tape, scalars", gradient(|p| by_scalars(p, y), x())),
        case!("lanes, `*`", forward::gradient(|p| by_operators(p, y), x())),
        case!("lanes, matmul", forward::gradient(|p| by_matmul(p, y), x())),
        case!("lanes, scalars", forward::gradient(|p| by_scalars(p, y), x())),
        case!("function!, scalars", f.gradient(x())),
    ];
    compare("filter of two states", &mut cases);
}
