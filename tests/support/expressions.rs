//! Expressions at singular and special points where other crates have failed, with the right results.

use wengert::{Real, reduce};

use super::routes::Program;

/// One expression of the table, as a program of one variable.
pub struct Expression(pub usize);

impl Program for Expression {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![evaluate(self.0, x[0])]
    }
}

/// Name, point, value and derivative of each expression; one function that evaluates them by index.
macro_rules! expressions {
    ($($name:literal: |$x:ident| $e:expr, at $at:expr => $value:expr, $derivative:expr;)*) => {
        pub const EXPRESSIONS: &[(&str, f64, f64, f64)] = &[$(($name, $at, $value, $derivative)),*];
        fn evaluate<T: Real<Base = f64>>(index: usize, x: T) -> T {
            let list: &[fn(T) -> T] = &[$(|$x| $e),*];
            list[index](x)
        }
    };
}

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

// Six digits where the table of references has six, all digits where it has all.
expressions! {
    "x^0 powi": |x| x.powi(0), at 0.0 => 1.0, 0.0;
    "x^1 powi": |x| x.powi(1), at 0.0 => 0.0, 1.0;
    "x^2 powi": |x| x.powi(2), at 0.0 => 0.0, 0.0;
    "x^3 powi": |x| x.powi(3), at 0.0 => 0.0, 0.0;
    "x^-1 powi": |x| x.powi(-1), at 0.0 => INF, -INF;
    "x^3 powi at -2": |x| x.powi(3), at -2.0 => -8.0, 12.0;
    "x^0 powf": |x| x.powf(0.0), at 0.0 => 1.0, 0.0;
    "x^1 powf": |x| x.powf(1.0), at 0.0 => 0.0, 1.0;
    "x^1.5 powf": |x| x.powf(1.5), at 0.0 => 0.0, 0.0;
    "x^2 powf": |x| x.powf(2.0), at 0.0 => 0.0, 0.0;
    "x^0.5 powf": |x| x.powf(0.5), at 0.0 => 0.0, INF;
    "x^2 powf at -3": |x| x.powf(2.0), at -3.0 => 9.0, -6.0;
    "x^3 powf at -3": |x| x.powf(3.0), at -3.0 => -27.0, 27.0;
    "x^1.5 powf at 1e-250": |x| x.powf(1.5), at 1e-250 => 0.0, 1.5e-125;
    "x^inf at 0.5": |x| x.powf(INF), at 0.5 => 0.0, 0.0;
    "x^inf at 0": |x| x.powf(INF), at 0.0 => 0.0, 0.0;
    "x^-inf at 2": |x| x.powf(-INF), at 2.0 => 0.0, 0.0;
    "x^-inf at inf": |x| x.powf(-INF), at INF => 0.0, 0.0;
    "x^(2^54) at -1": |x| x.powf(18014398509481984.0), at -1.0 => 1.0, -18014398509481984.0;
    "x^(2^54) at -2": |x| x.powf(18014398509481984.0), at -2.0 => INF, -INF;
    "x^(-2^54) at -0.5": |x| x.powf(-18014398509481984.0), at -0.5 => INF, INF;
    "sinhc at 712": |x| x.sinhc(), at 712.0 => 1.159207e306, 1.157579e306;
    "sinhc at inf": |x| x.sinhc(), at INF => INF, INF;
    "sinhc at -inf": |x| x.sinhc(), at -INF => INF, -INF;
    "coshc at -712": |x| x.coshc(), at -712.0 => -1.159207e306, 1.157579e306;
    "coshc at -inf": |x| x.coshc(), at -INF => -INF, INF;
    "cosc at inf": |x| x.cosc(), at INF => 0.0, 0.0;
    "cosc at -inf": |x| x.cosc(), at -INF => 0.0, 0.0;
    "sinc at inf": |x| x.sinc(), at INF => 0.0, 0.0;
    "2^x": |x| T::lit(2.0).powf(x), at 3.0 => 8.0, 5.545177;
    "(-2)^x": |x| T::lit(-2.0).powf(x), at 3.0 => -8.0, NAN;
    "0^x": |x| T::lit(0.0).powf(x), at 2.0 => 0.0, 0.0;
    "x^x": |x| x.powf(x), at 0.0 => 1.0, -INF;
    "sqrt": |x| x.sqrt(), at 0.0 => 0.0, INF;
    "sqrt(x)*0": |x| x.sqrt() * T::lit(0.0), at 0.0 => 0.0, NAN;
    "sqrt at -0": |x| x.sqrt(), at -0.0 => 0.0, INF;
    "x^0.5 powf at -0": |x| x.powf(0.5), at -0.0 => 0.0, INF;
    "ln at -0": |x| x.ln(), at -0.0 => -INF, INF;
    "log2 at -0": |x| x.log2(), at -0.0 => -INF, INF;
    "sqrt(x*x)": |x| (x * x).sqrt(), at 0.0 => 0.0, 0.0;
    "sqrt(const 0)+x": |x| T::lit(0.0).sqrt() + x, at 0.0 => 0.0, 1.0;
    "cbrt": |x| x.cbrt(), at 0.0 => 0.0, INF;
    "cbrt at -8": |x| x.cbrt(), at -8.0 => -2.0, 0.083333;
    "abs": |x| x.abs(), at 0.0 => 0.0, 0.0;
    "abs at -0": |x| x.abs(), at -0.0 => 0.0, 0.0;
    "signum": |x| x.signum(), at 0.0 => 1.0, 0.0;
    "signum at -2": |x| x.signum(), at -2.0 => -1.0, 0.0;
    "max(x,1)": |x| x.max(1.0), at 1.0 => 1.0, 0.5;
    "max(1,x)": |x| T::lit(1.0).max(x), at 1.0 => 1.0, 0.5;
    "min(x,1)": |x| x.min(1.0), at 1.0 => 1.0, 0.5;
    "max(x,2) at NaN": |x| x.max(2.0), at NAN => 2.0, 0.0;
    "max(x,NaN)": |x| x.max(NAN), at 2.0 => 2.0, 1.0;
    "atan2(x,0)": |x| x.atan2(0.0), at 1.0 => 1.570796, 0.0;
    "atan2(1,x)": |x| T::lit(1.0).atan2(x), at 0.0 => 1.570796, -1.0;
    "atan2(x,-1)": |x| x.atan2(-1.0), at 0.0 => 3.141593, -1.0;
    "atan2(0,x)": |x| T::lit(0.0).atan2(x), at 0.0 => 0.0, NAN;
    "atan2(1e-200,x)": |x| T::lit(1e-200).atan2(x), at 1e-200 => 0.785398, -5e199;
    "hypot(x,0)": |x| x.hypot(0.0), at 0.0 => 0.0, 0.0;
    "hypot(x,4e200)": |x| x.hypot(4e200), at 3e200 => 5e200, 0.6;
    "x % 3": |x| x % 3.0, at -4.0 => -1.0, 1.0;
    "7 % x": |x| T::lit(7.0) % x, at 3.0 => 1.0, -2.0;
    "-7 % x": |x| T::lit(-7.0) % x, at 3.0 => -1.0, 2.0;
    "mul_add(x,x,1)": |x| x.mul_add(x, 1.0), at 2.0 => 5.0, 4.0;
    "exp_m1": |x| x.exp_m1(), at 1e-10 => 1.00000000005e-10, 1.0;
    "ln_1p": |x| x.ln_1p(), at 1e-10 => 9.9999999995e-11, 1.0;
    "tanh at 800": |x| x.tanh(), at 800.0 => 1.0, 0.0;
    "tanh at 20": |x| x.tanh(), at 20.0 => 1.0, 1.6993417021166356e-17;
    "cosh": |x| x.cosh(), at 0.0 => 1.0, 0.0;
    "log10": |x| x.log10(), at 1000.0 => 3.0, 4.342944819032518e-4;
    "log(x, base 2)": |x| x.log(2.0), at 8.0 => 3.0, 0.180337;
    "log(8, base x)": |x| T::lit(8.0).log(x), at 2.0 => 3.0, -2.164043;
    "exp2": |x| x.exp2(), at 3.0 => 8.0, 5.545177;
    "asin": |x| x.asin(), at 1.0 => 1.570796, INF;
    "acosh": |x| x.acosh(), at 1.0 + 1e-12 => 1.414276e-6, 7.070754e5;
    "asinh": |x| x.asinh(), at -1e200 => -461.21, 1e-200;
    "atan": |x| x.atan(), at 1e200 => 1.570796, 0.0;
    "1/x": |x| T::lit(1.0) / x, at 1e-200 => 1e200, -INF;
    "x/1e-200": |x| x / T::lit(1e-200), at 1e-200 => 1.0, 1e200;
    "1e300/x": |x| T::lit(1e300) / x, at 1e300 => 1.0, -1e-300;
    "ln": |x| x.ln(), at 0.0 => -INF, INF;
    "ln at -1": |x| x.ln(), at -1.0 => NAN, NAN;
    "floor": |x| x.floor(), at 1.5 => 1.0, 0.0;
    "fract": |x| x.fract(), at -1.25 => -0.25, 1.0;
    "clamp(x,0,1) at 1": |x| x.clamp(0.0, 1.0), at 1.0 => 1.0, 0.0;
    "copysign(x,-1)": |x| x.copysign(-1.0), at 2.0 => -2.0, -1.0;
    "copysign(x,-0)": |x| x.copysign(-0.0), at 2.0 => -2.0, -1.0;
    "copysign(x,+0)": |x| x.copysign(0.0), at 2.0 => 2.0, 1.0;
    "clamp(x,0,1) at 2": |x| x.clamp(0.0, 1.0), at 2.0 => 1.0, 0.0;
    "(x*inf)*0": |x| (x * INF) * T::lit(0.0), at 1.0 => NAN, NAN;
    "product [x,0,3]": |x| reduce::product(&[x, T::lit(0.0), T::lit(3.0)]), at 2.0 => 0.0, 0.0;
    "product [x,2,3]": |x| reduce::product(&[x, T::lit(2.0), T::lit(3.0)]), at 0.0 => 0.0, 6.0;
    "logaddexp(x,1) at inf": |x| x.logaddexp(1.0), at INF => INF, 1.0;
    "logsumexp [x,1] at inf": |x| reduce::logsumexp(&[x, T::lit(1.0)]), at INF => INF, 1.0;
    "logsumexp [1,inf,x]": |x| reduce::logsumexp(&[T::lit(1.0), T::lit(INF), x]), at 1.0 => INF, 0.0;
    "logaddexp(x,inf) at inf": |x| x.logaddexp(INF), at INF => INF, NAN;
    "logsumexp [x,inf] at inf": |x| reduce::logsumexp(&[x, T::lit(INF)]), at INF => INF, NAN;
    "logaddexp(x,1) at -inf": |x| x.logaddexp(1.0), at -INF => 1.0, 0.0;
    "logsumexp [x,1] at -inf": |x| reduce::logsumexp(&[x, T::lit(1.0)]), at -INF => 1.0, 0.0;
    "logaddexp(x,-inf) at -inf": |x| x.logaddexp(-INF), at -INF => -INF, 0.0;
    "logsumexp [x,-inf] at -inf": |x| reduce::logsumexp(&[x, T::lit(-INF)]), at -INF => -INF, 0.0;
    "logsumexp [x] at -inf": |x| reduce::logsumexp(&[x]), at -INF => -INF, 0.0;
    "logaddexp(x,inf) at NaN": |x| x.logaddexp(INF), at NAN => NAN, NAN;
    "logsumexp [x,inf] at NaN": |x| reduce::logsumexp(&[x, T::lit(INF)]), at NAN => NAN, NAN;
    "is_zero(x-1)": |x| if (x - 1.0).is_zero() { T::lit(1.0) } else { x }, at 1.0 => 1.0, 0.0;
    "relu branch, squared": |x| if x > 0.0 { x * x } else { T::lit(0.0) }, at 0.0 => 0.0, 0.0;
}
