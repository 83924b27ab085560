//! The forward workloads for the numbers of peers: the operations of `benches/workloads`, in their order.

use ad_trait::AD;
use ad_trait::differentiable_function::DifferentiableFunctionTrait;

use crate::number::Number;

/// `exp(sin x + x²)·ln(1 + x²)/√x`.
#[inline]
pub fn scalar<T: Number>(x: T) -> T {
    let (s, r) = (x * x, x.sqrt());
    (x.sin() + s).exp() * s.plus(1.0).ln() / r
}

/// Denavit–Hartenberg constants of the arm's joints: `(cos α, sin α, a, d)`.
const JOINTS: [[f64; 4]; 7] = [
    [0.0, -1.0, 0.0, 0.34],
    [0.0, 1.0, 0.02, 0.0],
    [0.0, 1.0, -0.03, 0.40],
    [0.0, -1.0, 0.05, 0.01],
    [0.0, -1.0, 0.0, 0.40],
    [0.0, 1.0, 0.08, 0.0],
    [0.8, 0.6, 0.01, 0.126],
];

/// The pose of the arm.
#[inline]
pub fn pose<T: Number>(q: &[T], out: &mut [T]) {
    let (o, i) = (T::lit(0.0), T::lit(1.0));
    let (mut x, mut y, mut z, mut p) = ([i, o, o], [o, i, o], [o, o, i], [o, o, o]);
    for (q, [ca, sa, a, d]) in q.iter().zip(JOINTS) {
        let (s, c) = q.sin_cos();
        for k in 0..3 {
            let (u, v) = (x[k] * c + y[k] * s, y[k] * c - x[k] * s);
            p[k] = p[k] + u.times(a) + z[k].times(d);
            (x[k], y[k], z[k]) = (u, v.times(ca) + z[k].times(sa), z[k].times(ca) - v.times(sa));
        }
    }
    out[..3].copy_from_slice(&x);
    out[3..6].copy_from_slice(&y);
    out[6..9].copy_from_slice(&z);
    out[9..].copy_from_slice(&p);
}

/// `Σ sin(xᵢ)·exp(xᵢ₊₁/2) + ln(1 + Σ xᵢ²)`, indices around the circle.
#[inline]
pub fn circle<T: Number>(x: &[T]) -> T {
    let (mut sum, mut squares) = (T::lit(0.0), T::lit(1.0));
    for i in 0..10 {
        sum = sum + x[i].sin() * x[(i + 1) % 10].times(0.5).exp();
        squares = squares + x[i] * x[i];
    }
    sum + squares.ln()
}

/// [`pose`] for the drivers of ad_trait.
pub struct Pose;

impl<T: AD + Number> DifferentiableFunctionTrait<T> for Pose {
    const NAME: &'static str = "pose";
    fn call(&self, q: &[T], _: bool) -> Vec<T> {
        let mut out = vec![T::lit(0.0); 12];
        pose(q, &mut out);
        out
    }
    fn num_inputs(&self) -> usize {
        7
    }
    fn num_outputs(&self) -> usize {
        12
    }
}

/// [`circle`] for the drivers of ad_trait.
pub struct Circle;

impl<T: AD + Number> DifferentiableFunctionTrait<T> for Circle {
    const NAME: &'static str = "circle";
    fn call(&self, x: &[T], _: bool) -> Vec<T> {
        vec![circle(x)]
    }
    fn num_inputs(&self) -> usize {
        10
    }
    fn num_outputs(&self) -> usize {
        1
    }
}
