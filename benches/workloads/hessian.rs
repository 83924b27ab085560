//! Gradient and Hessian of functions of ten variables.
#![allow(clippy::needless_range_loop)] // formulas with indices are read with indices

use wengert::{Dual2, DualN, HyperDual, Real};

/// `Σ sin(xᵢ)·exp(xᵢ₊₁/2) + ln(1 + Σ xᵢ²)`, indices around the circle: dense by its second part.
#[inline]
pub fn f<T: Real<Base = f64>>(x: &[T; 10]) -> T {
    let (mut sum, mut squares) = (T::lit(0.0), T::lit(1.0));
    for i in 0..10 {
        sum += x[i].sin() * (x[(i + 1) % 10] * 0.5).exp();
        squares += x[i].square();
    }
    sum + squares.ln()
}

/// Value, gradient and Hessian (row by row) by hand.
#[inline]
pub fn hand(x: &[f64; 10], out: &mut [f64; 111]) {
    let (mut sin, mut cos, mut exp) = ([0.0; 10], [0.0; 10], [0.0; 10]);
    let (mut value, mut squares) = (0.0, 1.0);
    for i in 0..10 {
        (sin[i], cos[i]) = x[i].sin_cos();
        exp[i] = (x[i] * 0.5).exp();
        squares += x[i] * x[i];
    }
    let (two, four) = (2.0 / squares, 4.0 / (squares * squares));
    let (gradient, hessian) = out[1..].split_at_mut(10);
    for i in 0..10 {
        let (next, before) = ((i + 1) % 10, (i + 9) % 10);
        value += sin[i] * exp[next];
        gradient[i] = cos[i] * exp[next] + 0.5 * sin[before] * exp[i] + two * x[i];
        for j in 0..10 {
            hessian[10 * i + j] = -four * x[i] * x[j];
        }
        hessian[10 * i + i] += -sin[i] * exp[next] + 0.25 * sin[before] * exp[i] + two;
        hessian[10 * i + next] += 0.5 * cos[i] * exp[next];
        hessian[10 * i + before] += 0.5 * cos[before] * exp[i];
    }
    out[0] = value + squares.ln();
}

/// By the packed symmetric type, in one evaluation.
#[inline]
pub fn packed(x: &[f64; 10], out: &mut [f64; 111]) {
    let q: [Dual2<f64, 10, 55>; 10] = std::array::from_fn(|i| Dual2::variable(x[i], i));
    let y = f(&q);
    out[0] = y.value();
    out[1..11].copy_from_slice(&y.gradient());
    for i in 0..10 {
        for j in 0..10 {
            out[11 + 10 * i + j] = y.second(i, j);
        }
    }
}

/// By 55 hyper-dual evaluations, as crates without a symmetric type do it.
#[inline]
pub fn hyper(x: &[f64; 10], out: &mut [f64; 111]) {
    for i in 0..10 {
        for j in 0..=i {
            let q: [HyperDual<f64>; 10] =
                std::array::from_fn(|k| HyperDual::new(x[k], f64::from(k == i), f64::from(k == j), 0.0));
            let y = f(&q);
            (out[0], out[1 + i]) = (y.value(), y.e1());
            (out[11 + 10 * i + j], out[11 + 10 * j + i]) = (y.e12(), y.e12());
        }
    }
}

/// By ten directions over ten directions.
#[inline]
pub fn square(x: &[f64; 10], out: &mut [f64; 111]) {
    type Pair = DualN<DualN<f64, 10>, 10>;
    let q: [Pair; 10] = std::array::from_fn(|i| Pair::variable(DualN::variable(x[i], i), i));
    let y = f(&q);
    out[0] = y.value().value();
    out[1..11].copy_from_slice(&y.value().tangents());
    for (row, lane) in out[11..].chunks_exact_mut(10).zip(y.tangents()) {
        row.copy_from_slice(&lane.tangents());
    }
}

/// The Helmholtz energy of a mixed fluid in a unit volume (a classical test of Hessian codes):
/// `Σ xᵢ ln(xᵢ/(1 − b·x)) − xᵀAx/(√8 b·x)·ln((1 + (1+√2) b·x)/(1 + (1−√2) b·x))`.
#[inline]
pub fn helmholtz<T: Real<Base = f64>>(x: &[T; 10]) -> T {
    let (mut bx, mut quadratic) = (T::lit(0.0), T::lit(0.0));
    for (i, &x) in x.iter().enumerate() {
        bx += x * b(i);
    }
    for i in 0..10 {
        let mut row = T::lit(0.0);
        for j in 0..10 {
            row += x[j] * a(i, j);
        }
        quadratic += row * x[i];
    }
    let free = (-bx + 1.0).recip();
    let mut ideal = T::lit(0.0);
    for &x in x {
        ideal += x * (x * free).ln();
    }
    let (plus, minus) = (1.0 + std::f64::consts::SQRT_2, 1.0 - std::f64::consts::SQRT_2);
    let l = ((bx * plus + 1.0) / (bx * minus + 1.0)).ln();
    ideal - quadratic / (bx * 8f64.sqrt()) * l
}

fn b(i: usize) -> f64 {
    0.01 + 0.003 * i as f64
}

fn a(i: usize, j: usize) -> f64 {
    1.0 / (1.0 + (i + j) as f64)
}

/// Value, gradient and Hessian of [`helmholtz`] by hand.
#[inline]
pub fn helmholtz_hand(x: &[f64; 10], out: &mut [f64; 111]) {
    let mut ax = [0.0; 10];
    let (mut bx, mut quadratic, mut total, mut ideal) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..10 {
        bx += b(i) * x[i];
        total += x[i];
        for j in 0..10 {
            ax[i] += a(i, j) * x[j];
        }
        quadratic += x[i] * ax[i];
    }
    let free = 1.0 / (1.0 - bx);
    let (plus, minus) = (1.0 + std::f64::consts::SQRT_2, 1.0 - std::f64::consts::SQRT_2);
    let (up, down) = (1.0 + plus * bx, 1.0 + minus * bx);
    let l = (up / down).ln();
    let (dl, ddl) = (plus / up - minus / down, (minus / down) * (minus / down) - (plus / up) * (plus / up));
    // h(s) = l(s)/(√8 s), s = b·x, and its derivatives.
    let s = bx * 8f64.sqrt();
    let h = l / s;
    let dh = (dl - h * 8f64.sqrt()) / s;
    let ddh = (ddl - 2.0 * dh * 8f64.sqrt()) / s;
    let (gradient, hessian) = out[1..].split_at_mut(10);
    for i in 0..10 {
        let log = (x[i] * free).ln();
        ideal += x[i] * log;
        gradient[i] = log + 1.0 + total * free * b(i) - 2.0 * ax[i] * h - quadratic * dh * b(i);
        for j in 0..10 {
            hessian[10 * i + j] = free * (b(i) + b(j)) + total * free * free * b(i) * b(j)
                - 2.0 * a(i, j) * h
                - 2.0 * dh * (ax[i] * b(j) + ax[j] * b(i))
                - quadratic * ddh * b(i) * b(j);
        }
        hessian[11 * i] += 1.0 / x[i];
    }
    out[0] = ideal - quadratic * h;
}

/// [`helmholtz`] by the packed symmetric type.
#[inline]
pub fn helmholtz_packed(x: &[f64; 10], out: &mut [f64; 111]) {
    let q: [Dual2<f64, 10, 55>; 10] = std::array::from_fn(|i| Dual2::variable(x[i], i));
    let y = helmholtz(&q);
    out[0] = y.value();
    out[1..11].copy_from_slice(&y.gradient());
    for i in 0..10 {
        for j in 0..10 {
            out[11 + 10 * i + j] = y.second(i, j);
        }
    }
}

/// [`helmholtz`] by 55 hyper-dual evaluations.
#[inline]
pub fn helmholtz_hyper(x: &[f64; 10], out: &mut [f64; 111]) {
    for i in 0..10 {
        for j in 0..=i {
            let q: [HyperDual<f64>; 10] =
                std::array::from_fn(|k| HyperDual::new(x[k], f64::from(k == i), f64::from(k == j), 0.0));
            let y = helmholtz(&q);
            (out[0], out[1 + i]) = (y.value(), y.e1());
            (out[11 + 10 * i + j], out[11 + 10 * j + i]) = (y.e12(), y.e12());
        }
    }
}
