//! Slopes to hold derivatives to: by numbers of 192 bits where they have the functions, else by differences of `f64`.

use super::expression::{Expression, N, OF_MATRICES, ORDERED, Op, PLAIN, ROWS, Step};
use super::precise::Exact;

/// Beyond this, high precision would have to reduce arguments at length.
const FAR: f64 = 1e6;

/// The step in high precision, of those that it has.
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
            // One plus little leaves little of 192 bits.
            if matches!(row, "exp_m1" | "ln_1p" | "asinh" | "atanh") && a.to_f64().abs() < 1e-9 {
                return None;
            }
            match row {
                "recip" => one / a,
                "square" => a.clone() * a,
                "sqrt" => a.sqrt(),
                "cbrt" => a.cbrt(),
                "exp" => a.exp(),
                "exp_m1" => a.exp() - one,
                "ln" => a.ln(),
                "log2" => a.log2(),
                "log10" => a.log10(),
                "ln_1p" => (a + one).ln(),
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
                "asinh" => (a.clone() + (a.clone() * a + one).sqrt()).ln(),
                "acosh" => (a.clone() + (a.clone() * a - one).sqrt()).ln(),
                "atanh" => half * ((one.clone() + a.clone()) / (one - a)).ln(),
                "sinc" => a.clone().sin() / a,
                "sinhc" => a.clone().sinh() / a,
                "sigmoid" => one.clone() / (one + (-a).exp()),
                "softplus" => (one + a.exp()).ln(),
                "entr" => -(a.clone() * a.ln()),
                "gaussian" => (-(a.clone() * a)).exp(),
                "logaddexp" => (a.exp() + b.exp()).ln(),
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
        Op::OfMatrices(i) => {
            let det = a.clone() * d.clone() - b.clone() * c.clone();
            let text = OF_MATRICES[i].split_whitespace().collect::<Vec<_>>().join(" ");
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

/// `∂/∂xᵢ` by central differences of 2⁻⁶⁰ in 192 bits, which is exact to `f64` unless two steps differ, or the roundings of
/// the value, whose size in `f64` beside the slope is `noise`, are seen.
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
    if noise * 2f64.powi(53 - 192) > h * 2f64.powi(-60) || h > reach * 2f64.powi(-40) {
        return None;
    }
    let (near, far) = (slope(h)?, slope(2.0 * h)?);
    ((near - far).abs() <= f64::EPSILON / 4.0 * near.abs()).then_some(near)
}

/// `∂/∂xᵢ` by differences in `f64` with a bound of its error, where they converge. `noise` is the error of a value,
/// `reach` a length over which the slope hardly turns.
pub fn difference(
    expression: &Expression,
    x: [f64; N],
    i: usize,
    noise: f64,
    reach: f64,
) -> Option<[f64; 2]> {
    let at = |t: f64| {
        let mut x = x;
        x[i] += t;
        (expression.call(x), x[i])
    };
    let value = expression.call(x);
    let sides = |h: f64| {
        let ((above, right), (below, left)) = (at(h), at(-h));
        let (right, left) = (right - x[i], x[i] - left);
        [(above - value) / right, (value - below) / left, (above - below) / (right + left)]
    };
    let h = (x[i].abs().max(1e-3) * 2f64.powi(-8)).min(reach);
    let [[up, down, d1], [_, _, d2], [up4, down4, d4]] = [h, h / 2.0, h / 4.0].map(sides);
    let (coarse, fine) = ((4.0 * d2 - d1) / 3.0, (4.0 * d4 - d2) / 3.0);
    let noise = 8.0 * noise / h + f64::EPSILON * d4.abs();
    // At a kink the slopes of the two sides stay apart.
    let smooth = (up4 - down4).abs() <= 0.5 * (up - down).abs() + 4.0 * noise;
    let error = (fine - coarse).abs() + noise;
    (smooth && error <= 1e-4 * fine.abs()).then_some([fine, error])
}
