//! All methods of `f64` in std: under the attribute each has the bits of std and a derivative, or is refused.

/// A method that returns a float, at all pairs of these arguments.
macro_rules! floats {
    ($(|$x:ident, $y:ident| $call:expr;)*) => {
        $({
            let plain = |$x: f64, $y: f64| -> f64 { $call };
            #[wengert::generic]
            fn ported($x: f64, $y: f64) -> f64 {
                $call
            }
            for x in ARGUMENTS {
                for y in ARGUMENTS {
                    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                    let dual = ported(wengert::Dual::new(x, 1.0), wengert::Dual::new(y, 0.0)).value();
                    let (of, at) = (plain(x, y), ported(x, y));
                    let text = format!("{} at {x:e}, {y:e}: {of:?} {at:?} {dual:?}", stringify!($call));
                    assert!(same(of, at) && same(of, dual), "{text}");
                }
            }
        })*
    };
}

const ARGUMENTS: [f64; 23] = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -2.5,
    3.5,
    0.3,
    1e-3,
    7.0,
    -11.25,
    1e16,
    1e300,
    -f64::MAX,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    -1e-310,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

#[test]
fn methods_that_return_floats() {
    floats! {
        |x, _y| x.floor(); |x, _y| x.ceil(); |x, _y| x.round(); |x, _y| x.round_ties_even(); |x, _y| x.trunc();
        |x, _y| x.fract(); |x, y| x.mul_add(y, 0.5); |x, y| x.mul_add(2.0, y); |x, y| x.div_euclid(y);
        |x, y| x.rem_euclid(y); |x, _y| x.powi(3); |x, _y| x.powi(-2); |x, y| x.powf(y); |x, y| 2.0_f64.powf(y + x);
        |x, _y| x.sqrt(); |x, _y| x.exp(); |x, _y| x.exp2(); |x, _y| x.ln(); |x, y| x.log(y); |x, _y| x.log(3.0);
        |x, _y| x.log2(); |x, _y| x.log10(); |x, _y| x.cbrt(); |x, y| x.hypot(y); |x, _y| x.sin(); |x, _y| x.cos();
        |x, _y| x.tan(); |x, _y| x.asin(); |x, _y| x.acos(); |x, _y| x.atan(); |x, y| x.atan2(y);
        |x, _y| 1.0_f64.atan2(x); |x, _y| x.sin_cos().0; |x, _y| x.sin_cos().1; |x, _y| x.exp_m1();
        |x, _y| x.ln_1p(); |x, _y| x.sinh(); |x, _y| x.cosh(); |x, _y| x.tanh(); |x, _y| x.asinh();
        |x, _y| x.acosh(); |x, _y| x.atanh(); |x, _y| x.recip(); |x, _y| x.to_degrees(); |x, _y| x.to_radians();
        |x, y| x.max(y); |x, y| x.min(y); |x, _y| x.max(0.25); |x, y| x.midpoint(y); |x, _y| x.midpoint(0.25);
        |x, y| f64::midpoint(y, x); |x, y| x.clamp(y.min(2.0), 2.0); |x, _y| 0.5_f64.clamp(-1.0, x.max(-1.0)); |x, _y| x.abs();
        |x, _y| x.signum(); |x, y| x.copysign(y); |x, y| x.clamp(-1.0, 1.0) * y; |x, y| f64::hypot(x, y) - f64::abs(y);
        |x, y| f64::mul_add(x, y, f64::EPSILON); |_x, y| f64::from_bits(4_614_253_070_214_989_087) * y;
        |x, _y| x * f64::from_le_bytes([0, 0, 0, 0, 0, 0, 240, 63]);
        |x, _y| x + f64::from_be_bytes([63, 240, 0, 0, 0, 0, 0, 0]);
        |x, _y| x - f64::from_ne_bytes(0.1_f64.to_ne_bytes());
    }
}

/// A method that returns no float: at these arguments, plain and under the attribute.
macro_rules! others {
    ($(|$x:ident, $y:ident| $call:expr => $Of:ty;)*) => {
        $({
            let plain = |$x: f64, $y: f64| -> $Of { $call };
            #[wengert::generic]
            fn ported($x: f64, $y: f64) -> $Of {
                $call
            }
            for x in ARGUMENTS {
                for y in ARGUMENTS.into_iter().chain([-f64::NAN]) {
                    let dual = ported(wengert::Dual::new(x, 1.0), wengert::Dual::new(y, 0.0));
                    let all = (plain(x, y), ported(x, y), dual);
                    assert!(all.0 == all.1 && all.0 == all.2, "{} at {x:e}, {y:e}: {all:?}", stringify!($call));
                }
            }
        })*
    };
}

#[test]
fn methods_that_return_something_else() {
    others! {
        |x, _y| x.is_nan() => bool; |x, _y| x.is_infinite() => bool; |x, _y| x.is_finite() => bool;
        |x, _y| x.is_subnormal() => bool; |x, _y| x.is_normal() => bool; |x, _y| x.is_sign_positive() => bool;
        |_x, y| y.is_sign_negative() => bool; |x, _y| x.classify() => std::num::FpCategory;
        |x, y| x.total_cmp(&y) => std::cmp::Ordering; |x, y| f64::total_cmp(&y, &x) => std::cmp::Ordering;
        |x, y| x.partial_cmp(&y) => Option<std::cmp::Ordering>; |x, y| x == y && x >= y => bool;
        |x, _y| x as i32 => i32; |x, _y| x as u8 => u8; |x, y| (x > y, x.lt(&y)) => (bool, bool);
        |x, _y| 0.0 * x == 0.0 && f64::DIGITS == 15 => bool; |_x, _y| f64::MAX_EXP + f64::MIN_10_EXP => i32;
        |x, y| format!("{:e} {:E} {:.3e}", x, y, 2.0 * x) => String;
    }
}

/// The shapes of these functions are data, whatever they are.
#[test]
fn shapes_are_plain_numbers() {
    use wengert::{Real, Scalar};
    /// A method of the user with the name of a function.
    struct Own<T> {
        factor: T,
    }
    impl<T: Scalar> Own<T> {
        fn gamma_p(&self, x: T) -> T {
            self.factor * x
        }
    }
    #[wengert::generic]
    fn own(x: f64) -> f64 {
        let own = Own { factor: x };
        own.gamma_p(2.5) + Real::gamma_p(x, 2.5)
    }
    assert_eq!(own(2.0_f64), 5.0 + 2.0.gamma_p(2.5));
    #[wengert::generic]
    fn ported(x: f64, #[data] shape: f64) -> f64 {
        let upper = 2.0 * x.gamma_q(2.5) + x.gamma_p(shape + 1.0);
        upper + x.gamma_pdf(shape) + (x / 10.0).beta_i([2.0, shape]) + (x / 10.0).beta_pdf([2.0, 3.0])
    }
    let x = 1.5_f64;
    let value = 2.0 * x.gamma_q(2.5) + x.gamma_p(4.0) + x.gamma_pdf(3.0);
    let value = value + 0.15.beta_i([2.0, 3.0]) + 0.15.beta_pdf([2.0, 3.0]);
    assert_eq!(ported(x, 3.0), value);
    let by_differences = (ported(x + 1e-6, 3.0) - ported(x - 1e-6, 3.0)) / 2e-6;
    assert!((wengert::derivative(|x| ported(x, 3.0), x) - by_differences).abs() < 1e-8);
}

/// Methods that read the bits of a value, which tests/compile_errors/plain_code.rs refuses.
const REFUSED: &str =
    " to_bits to_be_bytes to_le_bytes to_ne_bytes next_up next_down to_int_unchecked abs_sub ";

/// The documentation of the toolchain, if it is installed, lists the stable methods.
#[test]
fn no_method_is_missing() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let root = std::process::Command::new(rustc).args(["--print", "sysroot"]).output().unwrap().stdout;
    let path =
        String::from_utf8(root).unwrap().trim().to_string() + "/share/doc/rust/html/std/primitive.f64.html";
    let Ok(page) = std::fs::read_to_string(path) else { return };
    let page = page.split("id=\"trait-implementations\"").next().unwrap();
    let stable = page.split("id=\"method.").skip(1).filter(|text| !text.contains("This is a nightly-only"));
    let names: Vec<&str> = stable.map(|text| text.split('"').next().unwrap()).collect();
    assert!(names.len() >= 66, "{names:?}");
    let tests = include_str!("methods.rs");
    for name in names {
        let is_called = tests.contains(&format!(".{name}(")) || tests.contains(&format!("::{name}("));
        assert!(is_called || REFUSED.contains(&format!(" {name} ")), "{name}");
    }
}
