//! The functions of the oracle tables by name, each written once for every number type.

use wengert::Real;

/// A function of one variable in `unary.csv` or `special.csv`.
pub fn unary<T: Real<Base = f64>>(name: &str, x: T) -> T {
    match name {
        "recip" => x.recip(),
        "neg" => -x,
        "sqrt" => x.sqrt(),
        "cbrt" => x.cbrt(),
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "exp_m1" => x.exp_m1(),
        "ln" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "ln_1p" => x.ln_1p(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "asinh" => x.asinh(),
        "acosh" => x.acosh(),
        "atanh" => x.atanh(),
        "square" => x.square(),
        "to_degrees" => x.to_degrees(),
        "to_radians" => x.to_radians(),
        "sinc" => x.sinc(),
        "sinhc" => x.sinhc(),
        "cosc" => x.cosc(),
        "coshc" => x.coshc(),
        "sigmoid" => x.sigmoid(),
        "softplus" => x.softplus(),
        _ => special(name, x),
    }
}

fn special<T: Real<Base = f64>>(name: &str, x: T) -> T {
    match name {
        "sech2" => x.sech2(),
        "sinc_slope" => x.sinc_slope(),
        "entr" => x.entr(),
        "gaussian" => x.gaussian(),
        "exp_square" => x.exp_square(),
        "erf" => x.erf(),
        "erfc" => x.erfc(),
        "erfinv" => x.erfinv(),
        "gamma" => x.gamma(),
        "lgamma" => x.ln_gamma(),
        "digamma" => x.digamma(),
        "trigamma" => x.trigamma(),
        "bessel_j0" => x.bessel_j0(),
        "bessel_j1" => x.bessel_j1(),
        "bessel_j2" => x.bessel_j2(),
        "sph_j0" => x.sph_j0(),
        "sph_j1" => x.sph_j1(),
        "sph_j2" => x.sph_j2(),
        _ => distribution(name, x, &[]),
    }
}

/// A function of one variable in `distributions.csv`, with its parameters.
pub fn distribution<T: Real>(name: &str, x: T, parameters: &[f64]) -> T {
    match (name, parameters) {
        ("erfcx", []) => x.erfcx(),
        ("norm_pdf", []) => x.norm_pdf(),
        ("norm_cdf", []) => x.norm_cdf(),
        ("ln_norm_cdf", []) => x.ln_norm_cdf(),
        ("exprel", []) => x.exprel(),
        ("norm_quantile", []) => x.norm_quantile(),
        ("ln_1m_exp", []) => x.ln_1m_exp(),
        ("gamma_p", &[a]) => x.gamma_p_const(a),
        ("gamma_q", &[a]) => x.gamma_q_const(a),
        ("gamma_pdf", &[a]) => x.gamma_pdf_const(a),
        ("beta_i", &[a, b]) => x.beta_i([a, b]),
        ("beta_pdf", &[a, b]) => x.beta_pdf([a, b]),
        _ => panic!("no function {name} of the parameters {parameters:?}"),
    }
}

/// A power with a constant exponent in `pow.csv`.
pub fn power<T: Real<Base = f64>>(name: &str, x: T, n: f64) -> T {
    match name {
        "powi" => x.powi(n as i32),
        "powf_const" => x.powf(T::lit(n)),
        _ => panic!("no function {name}"),
    }
}

/// A function of two variables in `binary.csv`.
pub fn binary<T: Real<Base = f64>>(name: &str, x: T, y: T) -> T {
    match name {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "div" => x / y,
        "atan2" => x.atan2(y),
        "hypot" => x.hypot(y),
        "powf" => x.powf(y),
        "log_base" => x.log(y),
        "logaddexp" => x.logaddexp(y),
        "xlogy" => x.xlogy(y),
        "xlog1py" => x.xlog1py(y),
        "beta" => x.beta(y),
        "ln_beta" => x.ln_beta(y),
        "polygamma_increment" => x.polygamma_increment(y, 0),
        "gamma_p" => x.gamma_p(y),
        "gamma_q" => x.gamma_q(y),
        "gamma_pdf" => x.gamma_pdf(y),
        _ => panic!("no function {name}"),
    }
}

/// The functions with breaks in `piecewise.csv`, by the methods of the number: the methods of `Real`, or of `f64`
/// itself.
macro_rules! piecewise {
    ($name:expr, $x:expr, $others:expr) => {
        match ($name, $x) {
            ("floor", &[x]) => x.floor(),
            ("ceil", &[x]) => x.ceil(),
            ("trunc", &[x]) => x.trunc(),
            ("round", &[x]) => x.round(),
            ("fract", &[x]) => x.fract(),
            ("abs", &[x]) => x.abs(),
            ("signum", &[x]) => x.signum(),
            ("max", &[x, y]) => x.max(y),
            ("min", &[x, y]) => x.min(y),
            ("abs_sub", &[x, y]) => x.abs_sub(y),
            ("copysign", &[x, y]) => x.copysign(y),
            ("clamp", &[x, lo, hi]) => x.clamp(lo, hi),
            ("rem", &[x, y]) => x % y,
            ("rem_euclid", &[x, y]) => x.rem_euclid(y),
            ("div_euclid", &[x, y]) => x.div_euclid(y),
            ("mul_add", &[x, a, b]) => x.mul_add(a, b),
            _ => $others,
        }
    };
}

/// A function with breaks.
pub fn piecewise<T: Real<Base = f64>>(name: &str, x: &[T]) -> T {
    piecewise!(name, x, panic!("no function {name} of {} arguments", x.len()))
}

/// The functions that `f64` itself has: the primal must equal them bit for bit.
#[allow(deprecated)] // abs_sub
pub fn standard(name: &str, x: &[f64]) -> Option<f64> {
    Some(match (name, x) {
        ("recip", &[x]) => x.recip(),
        ("neg", &[x]) => -x,
        ("sqrt", &[x]) => x.sqrt(),
        ("cbrt", &[x]) => x.cbrt(),
        ("exp", &[x]) => x.exp(),
        ("exp2", &[x]) => x.exp2(),
        ("exp_m1", &[x]) => x.exp_m1(),
        ("ln", &[x]) => x.ln(),
        ("log2", &[x]) => x.log2(),
        ("log10", &[x]) => x.log10(),
        ("ln_1p", &[x]) => x.ln_1p(),
        ("sin", &[x]) => x.sin(),
        ("cos", &[x]) => x.cos(),
        ("tan", &[x]) => x.tan(),
        ("asin", &[x]) => x.asin(),
        ("acos", &[x]) => x.acos(),
        ("atan", &[x]) => x.atan(),
        ("sinh", &[x]) => x.sinh(),
        ("cosh", &[x]) => x.cosh(),
        ("tanh", &[x]) => x.tanh(),
        ("asinh", &[x]) => x.asinh(),
        ("acosh", &[x]) => x.acosh(),
        ("atanh", &[x]) => x.atanh(),
        ("square", &[x]) => x * x,
        ("to_degrees", &[x]) => x.to_degrees(),
        ("to_radians", &[x]) => x.to_radians(),
        ("powi", &[x, n]) => x.powi(n as i32),
        ("powf_const" | "powf", &[x, n]) => x.powf(n),
        ("add", &[x, y]) => x + y,
        ("sub", &[x, y]) => x - y,
        ("mul", &[x, y]) => x * y,
        ("div", &[x, y]) => x / y,
        ("atan2", &[x, y]) => x.atan2(y),
        ("hypot", &[x, y]) => x.hypot(y),
        ("log_base", &[x, y]) => x.log(y),
        _ => piecewise!(name, x, return None),
    })
}
