//! The functions of `conventions.csv`, each written once for every number type.

use wengert::{Real, reduce};

use super::functions;
use super::routes::Program;

/// A function at a kink, a boundary or a singular point.
pub struct Convention<'a>(pub &'a str);

impl Program for Convention<'_> {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![branches(self.0, x).or_else(|| reductions(self.0, x)).unwrap_or_else(|| elementary(self.0, x))]
    }
}

/// Code that branches on its argument.
fn branches<T: Real<Base = f64>>(name: &str, x: &[T]) -> Option<T> {
    let a = x[0];
    let safe = if a == 0.0 { T::lit(1.0) } else { a };
    Some(match name {
        "leaky_relu" => {
            if a >= 0.0 {
                a
            } else {
                a * 0.1
            }
        }
        "double_where_sqrt" => {
            if a > 0.0 {
                safe.sqrt()
            } else {
                T::lit(0.0)
            }
        }
        "double_where_log" => {
            if a > 0.0 {
                safe.ln()
            } else {
                T::lit(0.0)
            }
        }
        "double_where_div" => {
            if a == 0.0 {
                T::lit(1.0)
            } else {
                safe.sin() / safe
            }
        }
        "where_eq" => {
            if a == x[1] {
                a
            } else {
                x[1]
            }
        }
        "topk1" => x.iter().copied().reduce(|best, x| if x > best { x } else { best })?,
        "argmax_gather" => {
            let first =
                (0..x.len()).rev().fold(x.len() - 1, |best, i| if x[i] >= x[best] { i } else { best });
            x[first]
        }
        _ => return None,
    })
}

/// Functions of one vector.
fn reductions<T: Real<Base = f64>>(name: &str, x: &[T]) -> Option<T> {
    Some(match name {
        "max_n" => reduce::max(x).expect("elements"),
        "min_n" => reduce::min(x).expect("elements"),
        "prod" => reduce::product(x),
        "norm2" => reduce::norm(x),
        "logsumexp" => reduce::logsumexp(x),
        "dist" => (x[0] - x[1]).square().sqrt(),
        "max3_nested" => x[0].max(x[1]).max(x[2]),
        _ => return None,
    })
}

fn elementary<T: Real<Base = f64>>(name: &str, x: &[T]) -> T {
    let constant = |prefix: &str| name.strip_prefix(prefix).and_then(|c| c.parse::<f64>().ok());
    if let Some(c) = constant("powf_const") {
        return x[0].powf(c);
    }
    if let Some(n) = constant("powi") {
        return x[0].powi(n as i32);
    }
    match (name, x) {
        ("sign", &[x]) => x.sign(),
        ("relu_max0", &[x]) => x.max(0.0),
        ("relu6", &[x]) => x.clamp(0.0, 6.0),
        ("jnp_clip", &[x, lo, hi]) => x.max(lo).min(hi),
        ("sqrt_of_square", &[x]) => (x * x).sqrt(),
        ("entr", &[x]) => x.entr(),
        ("exp_base0", &[x]) => T::lit(0.0).powf(x),
        ("exp_base_neg", &[x]) => T::lit(-2.0).powf(x),
        ("naive_sigmoid", &[x]) => x.exp() / (x.exp() + 1.0),
        ("rem_by_zero", &[x, y]) => x % y,
        (
            "max" | "min" | "copysign" | "clamp" | "abs" | "floor" | "ceil" | "round" | "trunc" | "fract"
            | "rem",
            x,
        ) => functions::piecewise(name, x),
        (_, &[x]) => functions::unary(name, x),
        (_, &[x, y]) => functions::binary(name, x, y),
        _ => panic!("no function {name} of {} arguments", x.len()),
    }
}
