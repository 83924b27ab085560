//! Random functions whose derivatives are computed without rounding: numbers are small multiples of powers of two, and
//! elementary functions are taken where they and their derivatives are. So results may be compared directly.
#![allow(dead_code)] // each test takes a part

use wengert::{Real, reduce};

/// The operation of a step, and the earlier values that it takes, counted from the last one.
pub type Step = (u8, u8, u8, u8);

/// The largest number that further steps use.
const LARGEST: f64 = 64.0;

/// The results of the last two of at most twelve steps.
pub fn function<T: Real<Base = f64>>(steps: &[Step], x: &[T]) -> Vec<T> {
    let mut values = x.to_vec();
    for &(code, a, b, c) in steps.iter().take(12) {
        let of = |i: u8| values[values.len() - 1 - usize::from(i) % values.len()];
        let y = step(code, [of(a), of(b), of(c)], b);
        values.push(if y.primal().abs() <= LARGEST { y } else { of(a) - of(b) });
    }
    values.split_off(values.len() - 2)
}

fn step<T: Real<Base = f64>>(code: u8, [x, y, z]: [T; 3], k: u8) -> T {
    match code % 30 {
        0 => x + y,
        1 => x - y,
        2 | 3 => x * y,
        4 => -x,
        5 => x.mul_add(y, z),
        6 => x.powi(i32::from(k % 4)),
        7 => x.max(y),
        8 => x.min(y),
        9 => x.abs() + z,
        10 => x.copysign(y),
        11 => Real::select_lt(x, y, y, z),
        12 => Real::select_le(x, y, z * y, x),
        13 if x > y => x * z,
        13 => y - z,
        14 => x.detach() + y,
        15 => z * x.primal() + y,
        16 => x * (f64::from(k % 9) - 4.0),
        17 => x / [0.5, -2.0, 4.0][usize::from(k % 3)],
        18 => Real::clamp(x, -2.0, 3.0) * y,
        19 => x.abs_sub(y) - z,
        20 => reduced(k, [x, y, z]),
        21 if y.primal() != 0.0 => x % y + z,
        21 => x.fract() + y * x.floor(),
        22 if is_power_of_two(y) => x / y,
        22 if is_power_of_two(x) => x.recip() - y,
        22 => Real::clamp(x, y.min(z), y.max(z)),
        23 => x.powf(T::lit(f64::from(k % 4))) * z,
        24 | 25 => around(k, x) + y,
        26 => (x - x.detach() + 1.0).powf(y) * z,
        27 => (x - x.detach()).atan2(y - y.detach() + 2.0),
        28 => (x - x.detach() + 4.0).hypot(y - y.detach()) - z,
        _ => (0..k % 8).fold(x, |s, i| s - y * f64::from(i % 3)),
    }
}

fn is_power_of_two<T: Real<Base = f64>>(x: T) -> bool {
    [0.5, 1.0, 2.0, 4.0].contains(&x.primal().abs())
}

fn reduced<T: Real<Base = f64>>(k: u8, x: [T; 3]) -> T {
    match k % 6 {
        0 => x.into_iter().sum(),
        1 => reduce::product(&x),
        2 => reduce::dot(&x, &[x[1], x[0], x[0]]),
        3 => reduce::linear_combination(&[2.0, -1.0, 0.5], &x),
        4 => reduce::norm_squared(&x),
        _ => reduce::max(&[x[0], x[1]]).unwrap(),
    }
}

/// An elementary function whose first three derivatives are round at a point, applied to a value near that point.
fn around<T: Real<Base = f64>>(k: u8, x: T) -> T {
    let t = x - x.detach();
    match k % 18 {
        0 => t.exp(),
        1 => t.sin(),
        2 => t.cos(),
        3 => t.tanh(),
        4 => (t + 1.0).ln(),
        5 => (t + 4.0).sqrt(),
        6 => t.atan(),
        7 => t.sinh(),
        8 => t.cosh(),
        9 => t.asin(),
        10 => t.ln_1p(),
        11 => t.exp_m1(),
        12 => t.asinh(),
        13 => t.atanh(),
        14 => t.tan(),
        15 => (t + 2.0).recip(),
        16 => t.sigmoid(),
        _ => (t + 1.0).powf(2.5),
    }
}
