//! Constants and references on either side of an operator, in generic code.
#![cfg(feature = "std")]
use wengert::*;
fn f<T: Scalar>(x: &[T]) -> T {
    let y: T = x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum();
    let a = 2.0 * 3.0;
    let b = 2.0 * a + 1.0;
    let n = 3;
    let k = 2 * n + 1;
    let c = k as f64 * 2.0;
    let t = [1.0, 2.0];
    let d = t.iter().zip(x).map(|(t, x)| t * x).fold(T::lit(0.0), |a, b| a + b);
    let d2 = t.iter().map(|t| (t - 1.0) * t).sum::<f64>();
    let e = x.iter().map(|v| v * v).fold(T::lit(0.0), |a, b| a + b);
    let g: T = x.iter().zip(x).map(|(v, w)| v * w).sum();
    let mut h = x.iter().fold(T::lit(0.0), |s, v| s + v * v);
    for v in x { h += v; h -= t[0]; h *= &t[1]; }
    if 1.0 < h && a < 1.0 || x.iter().any(|x| (0.0..1.0).contains(x)) { h = -h; }
    let s: T = x.iter().map(|v| v * 2.0 - &t[0]).sum();
    y * b * c + d + e + g + h + s + 1.0 / x[0] + d2
}
struct A;
impl Function for A { fn call<T: Scalar>(&self, x: &[T]) -> T { f(x) } }
#[test] fn t() {
    let _ = gradient(|x| f(x), &[1.0, 2.0]);
    println!("{:?} {}", A.gradient(&[1.0, 2.0]), A.hessian(&[1.0, 2.0]));
}
