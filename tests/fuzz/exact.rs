//! Derivatives to compare with: by numbers of 192 bits if they have the functions, else by differences of `f64`.

use num_complex::Complex;

use super::expression::{Expression, N, Op, ROWS, Step};
use super::operations::{ORDERED, PLAIN};
use super::precise::Exact;

/// Beyond this, high precision would have to reduce arguments at length.
const FAR: f64 = 1e6;

/// `Σ cₖuᵏ` for k = 1 to 10.
fn series(u: Exact, c: impl Fn(i32) -> Exact) -> Exact {
    (1..=10).rev().fold(Exact::from(0.0), |sum, k| (sum + c(k)) * u.clone())
}

/// `ln(1 + u)`: the sum `1 + u` would lose most of the 192 bits of a small `u`.
fn ln_1p(u: Exact) -> Exact {
    let (one, exact) = (Exact::from(1.0), Exact::from);
    let sign = |k: i32| exact(if k % 2 == 0 { -1.0 } else { 1.0 });
    if u.to_f64().abs() < 1e-6 { series(u, |k| sign(k) / exact(k.into())) } else { (u + one).ln() }
}

/// `eᵘ − 1`, likewise.
fn exp_m1(u: Exact) -> Exact {
    let factorial = |k: i32| (1..=k).fold(1.0, |product, i| product * f64::from(i));
    let one = Exact::from(1.0);
    if u.to_f64().abs() < 1e-6 {
        series(u, |k| one.clone() / Exact::from(factorial(k)))
    } else {
        u.exp() - one
    }
}

/// `ln(1 + eˣ)`.
fn softplus(x: Exact) -> Exact {
    if x.to_f64() > 0.0 { x.clone() + ln_1p((-x).exp()) } else { ln_1p(x.exp()) }
}

/// The sign and the modulus.
fn sign(x: Exact) -> (Exact, Exact) {
    (Exact::from(if x.to_f64() < 0.0 { -1.0 } else { 1.0 }), x.abs())
}

/// The step in high precision, if it exists there.
fn step(step: &Step, [a, b, c, d]: [Exact; 4]) -> Option<Exact> {
    let exact = Exact::from;
    let (k, one, half) = (exact(step.k), exact(1.0), exact(0.5));
    let near = |x: &Exact| x.to_f64().abs() < FAR;
    let positive = |x: &Exact| x.to_f64() > 0.0;
    let power = |x: Exact, y: Exact| (positive(&x) && near(&y)).then(|| (y * x.ln()).exp());
    let y = match step.op {
        Op::Row(row) => {
            let row = ROWS.with(|rows| rows[row].name);
            if !near(&a) && row != "recip" && row != "square" || row == "powf" || row == "powc" {
                return power(a, b).filter(|_| row == "powf" || row == "powc");
            }
            match row {
                "recip" => one / a,
                "square" => a.clone() * a,
                "sqrt" => a.sqrt(),
                "cbrt" => a.cbrt(),
                "exp" => a.exp(),
                "exp_m1" => exp_m1(a),
                "ln" => a.ln(),
                "log2" => a.log2(),
                "log10" => a.log10(),
                "ln_1p" => ln_1p(a),
                "sin" => a.sin(),
                "cos" => a.cos(),
                "tan" => a.tan(),
                "asin" => a.asin(),
                "acos" => a.acos(),
                "atan" => a.atan(),
                "sinh" => a.sinh(),
                "cosh" => a.cosh(),
                "tanh" => a.tanh(),
                "sech2" => (one / a.cosh()).powf(exact(2.0)),
                "asinh" => {
                    let (sign, a) = sign(a);
                    let square = a.clone() * a.clone();
                    sign * ln_1p(a + square.clone() / (one.clone() + (square + one).sqrt()))
                }
                "acosh" => {
                    let above = a - one;
                    ln_1p(above.clone() + (above.clone() * (above + exact(2.0))).sqrt())
                }
                "atanh" => {
                    let (sign, a) = sign(a);
                    sign * half * ln_1p(exact(2.0) * a.clone() / (one - a))
                }
                "sinc" => a.clone().sin() / a,
                "sinhc" => a.clone().sinh() / a,
                "sigmoid" => one.clone() / (one + (-a).exp()),
                "softplus" => softplus(a),
                "entr" => -(a.clone() * a.ln()),
                "gaussian" => (-(a.clone() * a)).exp(),
                "logaddexp" => {
                    let (more, less) = if a.to_f64() > b.to_f64() { (a, b) } else { (b, a) };
                    more.clone() + softplus(less - more)
                }
                "xlogy" => a * b.ln(),
                "hypot" => (a.clone() * a + b.clone() * b).sqrt(),
                "atan2" if positive(&b) => (a / b).atan(),
                _ => return None,
            }
        }
        Op::Plain(i) => match PLAIN[i] {
            "a + b" => a + b,
            "a - b" => a - b,
            "a * b" => a * b,
            "a / b" => a / b,
            "-a" => -a,
            "a + k" => a + k,
            "a - k" => a - k,
            "a * k" => a * k,
            "a / k" => a / k,
            "T::lit(k) - a" => k - a,
            "T::lit(k) / a" => k / a,
            "a * b + c * d" | "reduce::dot(&[a, b], &[c, d])" => {
                let cross = PLAIN[i] != "a * b + c * d";
                if cross { a * c + b * d } else { a * b + c * d }
            }
            "a.powi(k as i32)" if step.k.abs() < 64.0 => a.powf(exact(step.k.trunc())),
            "a.powf(T::lit(k))" => return power(a, k),
            "a.powf(b)" => return power(a, b),
            "reduce::sum(&[a, b, c])" => a + b + c,
            "reduce::product(&[a, b, c, d])" => a * b * c * d,
            _ => return None,
        },
        Op::Ordered(i) => match ORDERED[i] {
            "a.mul_add(b, c)" => a * b + c,
            "reduce::norm_squared(&[a, b])" => a.clone() * a + b.clone() * b,
            "reduce::norm(&[a, b, c])" => (a.clone() * a + b.clone() * b + c.clone() * c).sqrt(),
            "a.atan2(k)" if step.k > 0.0 => (a / k).atan(),
            _ => return None,
        },
        Op::OfMatrices(_) | Op::OfAnyMatrices(_) => {
            let det = a.clone() * d.clone() - b.clone() * c.clone();
            let text = step.text().split_whitespace().collect::<Vec<_>>().join(" ");
            if text.starts_with("matrix::det(&two(") {
                det
            } else if text.contains("matrix::inverse(&two(") {
                (a - b) / det
            } else if text.contains("matrix::solve(&two(") {
                // By Cramer's rule.
                (d - b * k) / det
            } else {
                return None;
            }
        }
    };
    Some(y)
}

/// `∂/∂xᵢ` by central differences of 2⁻⁶⁰ in 192 bits. It is exact to `f64`, unless two steps differ or the roundings
/// of the value are visible; `noise` is the size of the value in `f64` relative to the derivative.
pub fn precise(expression: &Expression, x: [f64; N], i: usize, noise: f64, reach: f64) -> Option<f64> {
    let at = |t: f64| {
        let mut values = x.map(Exact::from).to_vec();
        values[i] = values[i].clone() + Exact::from(t);
        for s in &expression.0 {
            values.push(step(s, s.of.map(|k| values[k].clone()))?);
        }
        values.pop()
    };
    let slope = |h: f64| Some(((at(h)? - at(-h)?) / Exact::from(2.0 * h)).to_f64());
    let h = if x[i] == 0.0 { 1e-3 } else { x[i].abs() } * 2f64.powi(-60);
    // Some steps lose twenty of the 192 bits.
    if noise * 2f64.powi(53 - 172) > h * 2f64.powi(-60) || h > reach * 2f64.powi(-40) {
        return None;
    }
    let (near, far) = (slope(h)?, slope(2.0 * h)?);
    ((near - far).abs() <= f64::EPSILON / 4.0 * near.abs()).then_some(near)
}

/// The quotient of two steps of a [`difference`]: no ratio of small integers, lest all of them be multiples of one period.
const RATIO: f64 = 2.7;

/// The derivative by differences in `f64` with a bound of its error, where they converge. `at` gives the value at an
/// offset from an argument of modulus `size` and the offset as rounded. `noise` is the error of a value, `reach` a
/// length over which the derivative hardly turns.
pub fn difference(
    at: impl Fn(f64) -> (Complex<f64>, f64),
    size: f64,
    noise: f64,
    reach: f64,
) -> Option<(Complex<f64>, f64)> {
    let (value, _) = at(0.0);
    let sides = |h: f64| {
        let ((above, right), (below, left)) = (at(h), at(-h));
        [(above - value) / right, (below - value) / left, (above - below) / (right - left)]
    };
    let h = (size.max(1e-3) * 2f64.powi(-8)).min(reach);
    if h.is_nan() || h <= 0.0 {
        return None;
    }
    let all: [_; 4] = std::array::from_fn(|k| sides(h / RATIO.powi(k as i32)));
    let square = RATIO * RATIO;
    let [rough, coarse, fine] =
        [0, 1, 2].map(|k: usize| (all[k + 1][2] * square - all[k][2]) / (square - 1.0));
    let noise = 2.0 * RATIO.powi(3) * noise / h + f64::EPSILON * fine.norm();
    // At a kink the derivatives of the two sides stay apart.
    let gap = |k: usize| (all[k][0] - all[k][1]).norm();
    let error = (fine - coarse).norm() + noise;
    let converges = (coarse - rough).norm() <= 1e-2 * fine.norm() + noise;
    let smooth = gap(3) <= 0.5 * gap(0) + 4.0 * noise;
    (converges && smooth && error <= 1e-4 * fine.norm()).then_some((fine, error))
}
