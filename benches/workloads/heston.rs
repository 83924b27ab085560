//! The price of a call in Heston's model by A. Lewis's integral, which needs complex numbers inside a real function.

use std::f64::consts::PI;

use num_complex::Complex;
use num_traits::Float;
use wengert::{Number, Real};

/// Variance, speed and level of its reversion, its volatility, correlation.
pub const PARAMETERS: [f64; 5] = [0.0175, 1.5768, 0.0398, 0.5751, -0.5711];

const YEARS: f64 = 1.0;
const SPOT: f64 = 100.0;
const STRIKE: f64 = 100.0;
const POINTS: usize = 1000;
const STEP: f64 = 0.1;

fn nodes() -> impl Iterator<Item = f64> {
    (0..POINTS).map(|k| (k as f64 + 0.5) * STEP)
}

/// By the complex numbers of this crate.
pub fn price<T: Real<Base = f64>>(p: &[T]) -> T {
    let [variance, speed, level, volatility, correlation] = [p[0], p[1], p[2], p[3], p[4]];
    let complex = T::Complex::from_re;
    let square = volatility * volatility;
    let slope = complex(correlation * volatility);
    let weight = complex(speed * level / square);
    let (speed, square, variance) = (complex(speed), complex(square), complex(variance));
    let x = (SPOT / STRIKE).ln();
    let mut sum = T::lit(0.0);
    for u in nodes() {
        let s = T::Complex::from_parts(T::lit(0.5), T::lit(u));
        let b = speed - slope * s;
        let d = (b * b + square * (s - s * s)).sqrt();
        let g = (b - d) / (b + d);
        let e = (d * -YEARS).exp();
        let q = -(g * e) + 1.0;
        let c = ((b - d) * YEARS - (q / (-g + 1.0)).ln() * 2.0) * weight;
        let h = (b - d) / square * (-e + 1.0) / q;
        let transform = (c + h * variance + s * x).exp();
        sum += transform.re() / (u * u + 0.25);
    }
    -sum * (STRIKE * STEP / PI) + SPOT
}

/// By num-complex's functions.
pub fn by_num_complex<T: Float>(p: &[T]) -> T {
    let [variance, speed, level, volatility, correlation] = [p[0], p[1], p[2], p[3], p[4]];
    let real = |x: f64| T::from(x).expect("a float");
    let (one, two) = (real(1.0), real(2.0));
    let square = volatility * volatility;
    let slope = correlation * volatility;
    let weight = speed * level / square;
    let x = real((SPOT / STRIKE).ln());
    let mut sum = real(0.0);
    for u in nodes() {
        let s = Complex::new(real(0.5), real(u));
        let b = -s * slope + speed;
        let d = (b * b + (s - s * s) * square).sqrt();
        let g = (b - d) / (b + d);
        let e = (d * real(-YEARS)).exp();
        let q = -(g * e) + one;
        let c = ((b - d) * real(YEARS) - (q / (-g + one)).ln() * two) * weight;
        let h = (b - d) / square * (-e + one) / q;
        let transform = (c + h * variance + s * x).exp();
        sum = sum + transform.re / real(u * u + 0.25);
    }
    -sum * real(STRIKE * STEP / PI) + real(SPOT)
}
