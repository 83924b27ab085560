//! The distance of operands from a kink, a jump or a branch cut of a step: differences must not step over it.

use num_complex::Complex;

use super::expression::{Op, ROWS, Step};

impl Step {
    /// The name of the row, or the text.
    fn name(&self) -> &'static str {
        match self.op {
            Op::Row(row) => ROWS.with(|rows| rows[row].name),
            _ => self.text(),
        }
    }

    /// How far the operands may move without a kink or a jump, other than at poles and ends of the domain; 0 on one.
    pub fn clear(&self, [a, b, c, d]: [f64; 4]) -> f64 {
        let to = |y: f64| (a - y).abs();
        let of_quotient = |y: f64| {
            let rest = (a % y).abs();
            rest.min(y.abs() - rest) / (1.0 + (a / y).abs())
        };
        let largest = [a, b, c, d].into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let spread = || to(b).min(to(c)).min((b - c).abs());
        let cut = |x: f64| if x < 0.0 { a.abs() } else { f64::INFINITY };
        let name = self.name();
        match name {
            "abs" | "signum" | "sign" | "with_sign" => a.abs(),
            "floor" | "ceil" | "trunc" | "fract" => to(a.round()),
            "round" => 0.5 - to(a.round()),
            "max" | "min" | "a.max(b)" | "a.min(b)" | "a.abs_sub(b)" => to(b),
            "rem" | "rem_euclid" | "div_euclid" | "a % b" => of_quotient(b),
            "a % k" => of_quotient(self.k),
            "a.max(k)" => to(self.k),
            "a.clamp(-k.abs(), k.abs())" => (a.abs() - self.k.abs()).abs(),
            "a.copysign(b)" => a.abs().min(b.abs()),
            "atan2" => cut(b),
            "a.atan2(k)" => cut(self.k),
            _ if name.starts_with("if ") => to(b),
            _ if name.contains("reduce::max") || name.contains("reduce::min") => spread(),
            // The least singular value is |ad − bc| over the other one.
            _ if name.contains("nuclear_norm") || name.contains("singular_values") => {
                (a * d - b * c).abs() / (4.0 * largest)
            }
            // Here two of them become real.
            _ if name.contains("::eigenvalues") => ((a - d).powi(2) + 4.0 * b * c).abs() / (8.0 * largest),
            // It jumps where the rank does.
            _ if name.contains("pinv") => 0.0,
            _ => f64::INFINITY,
        }
    }

    /// The distance for complex operands, with branch cuts, which are all on the axes.
    pub fn clear_complex(&self, operands: [Complex<f64>; 4]) -> f64 {
        const CUT: [&str; 15] = [
            "sqrt",
            "cbrt",
            "ln",
            "log2",
            "log10",
            "ln_1p",
            "asin",
            "acos",
            "atan",
            "asinh",
            "acosh",
            "atanh",
            "powf_const",
            "a.powf(T::lit(k))",
            "a.powf(b)",
        ];
        let [re, im] = [operands.map(|z| z.re), operands.map(|z| z.im)];
        let on_axes = if CUT.contains(&self.name()) { re[0].abs().min(im[0].abs()) } else { f64::INFINITY };
        match self.op {
            Op::Row(_) => self.clear(re).min(self.clear(im)).min(on_axes),
            _ => on_axes,
        }
    }
}
