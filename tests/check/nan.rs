//! The origin of a NaN.

use num_complex::Complex64;
use wengert::check::{self, Checked, FirstNan, watch};
use wengert::primitive::{Closures, call, from_jvp};
use wengert::{Dual, DualN, HyperDual, Number, Real, Var, assert_dual_eq};

type C = Checked<Dual<f64>>;

fn var(x: f64) -> C {
    Checked::new(Dual::variable(x))
}

/// The line of a marker in this file.
fn line_of(marker: &str) -> u32 {
    let text = include_str!("nan.rs");
    let at = |l: &&str| l.contains(&format!("// {marker}")) && !l.contains("line_of");
    text.lines().take_while(|l| !at(l)).count() as u32 + 1
}

fn found(f: impl FnOnce() -> C) -> FirstNan {
    let (y, nan) = watch(f);
    assert!(check::parts(y).iter().any(|p| p.is_nan()), "{y}");
    nan.expect("a NaN")
}

fn at(nan: &FirstNan, marker: &str) {
    assert!(nan.location.file().ends_with("nan.rs"), "{nan}");
    assert_eq!(nan.location.line(), line_of(marker), "{nan}");
}

fn generic<T: Real<Base = f64>>(x: T) -> T {
    let r = (x + 1.0).ln().sqrt();
    let s = r * r; // in generic code
    s + 2.0
}

fn float<T: num_traits::Float>(x: T) -> T {
    num_traits::Float::ln(x) // by num_traits
}

fn field<T: nalgebra::RealField>(x: T) -> T {
    x.acos() // by nalgebra
}

#[test]
fn the_first_nan_has_a_name_and_a_place() {
    let nan = found(|| generic(var(0.0)));
    assert_eq!((nan.rule, nan.operation), ("mul", 4));
    at(&nan, "in generic code");
    let nan = found(|| float(var(-1.0)));
    assert_eq!((nan.rule, &nan.operands[..]), ("ln", &["-1 + 1ε".to_string()][..]));
    at(&nan, "by num_traits");
    let nan = found(|| field(var(2.0)));
    assert_eq!(nan.rule, "acos");
    at(&nan, "by nalgebra");
    let nan = found(|| {
        let x = var(0.0);
        let y = x.sqrt() * 2.0;
        let y = (y - y).exp() + 1.0; // ∞ − ∞
        y.sin() * x.cos() // passes NaN on, and is not the first
    });
    assert_eq!((nan.rule, nan.operation), ("sub", 3));
    at(&nan, "∞ − ∞");
    let nan = found(|| var(-1.0).powf(0.5)); // inherent
    at(&nan, "inherent");
    let nan = found(|| var(-2.0).powf(var(1.5))); // active exponent
    assert_eq!(nan.rule, "powf");
    at(&nan, "active exponent");
    let nan = found(|| Real::hypot(var(f64::NAN.max(f64::INFINITY)) - f64::INFINITY, 1.0)); // constant
    assert_eq!(nan.rule, "operation with a constant");
    at(&nan, "constant");
}

/// A form of call, by the comment on its line.
type Call = (&'static str, fn(C) -> C);

#[test]
#[allow(clippy::eq_op, clippy::op_ref)] // every operator there is, on one number
fn every_way_of_calling_knows_its_line() {
    let zero = var(0.0);
    let cases: [Call; 8] = [
        ("operator", |x| x / x),    // operator
        ("reference", |x| &x / &x), // reference
        ("assigned", |mut x| {
            x /= x; // assigned
            x
        }),
        ("scaled", |x| x.sqrt() * 0.0),                    // scaled
        ("real trait", |x| Real::atan2(x, x)),             // real trait
        ("number trait", |x| Number::ln(x - 1.0)),         // number trait
        ("power", |x| num_traits::Pow::pow(x - 1.0, 0.5)), // power
        ("remainder", |x| x % x),                          // remainder
    ];
    for (marker, f) in cases {
        at(&found(|| f(zero)), marker);
    }
}

#[test]
fn numbers_are_what_they_are_without() {
    fn f<T: Real<Base = f64>>(x: T, y: T) -> T {
        let z = [x, y, x * y].into_iter().sum::<T>() / (y + 3.0) - x.atan2(y);
        (z * z + 1.0).sqrt().max(x) % 2.5 + x.powi(3).recip() * 2.0 + y.powf(x)
            - x.clamp(0.0, 1.0) * y.mul_add(x, y)
    }
    let (x, y) = (Dual::new(0.7, 1.0), Dual::new(1.3, -0.5));
    let (got, nan) = watch(|| f(Checked::new(x), Checked::new(y)).get());
    assert!(nan.is_none());
    assert_dual_eq!(got, f(x, y));
    let (x, y) = (DualN::<f64, 2>::variable(0.7, 0), DualN::variable(1.3, 1));
    assert_dual_eq!(f(Checked::new(x), Checked::new(y)).get(), f(x, y));
    let (x, y) = (HyperDual::variable(0.7), HyperDual::constant(1.3));
    assert_dual_eq!(f(Checked::new(x), Checked::new(y)).get(), f(x, y));
    let (x, y) = (Dual::variable(Checked::new(0.7)), Dual::constant(Checked::new(1.3))); // inside
    assert_eq!(f(x, y).tangent().get(), f(Dual::variable(0.7), Dual::constant(1.3)).tangent());
    let z = Dual::variable(Complex64::new(0.3, 0.4));
    assert_dual_eq!((Checked::new(z).sin() / Checked::new(z)).get(), z.sin() / z);
}

/// Infinities are no NaN, exactly zero tangents stay, and a NaN that was there before is nobody's.
#[test]
fn what_is_no_new_nan_is_not_reported() {
    let (_, nan) = watch(|| {
        let _ = var(0.0).recip() + var(1.0).sqrt();
        let _ = Checked::new(Dual::constant(0.0)).ln();
        let _ = var(f64::NAN).sin() * 2.0;
        let _ = var(1e308) * var(1e308);
    });
    assert!(nan.is_none(), "{nan:?}");
}

#[test]
fn reports_are_kept_for_the_thread() {
    assert!(check::first_nan().is_none());
    let _ = var(-1.0).ln() + var(-1.0).sqrt();
    let _ = std::thread::spawn(|| assert!(check::first_nan().is_none())).join();
    let (_, inner) = watch(|| var(2.0).acos());
    assert_eq!(inner.unwrap().operation, 1);
    let nan = check::first_nan().unwrap();
    assert_eq!((nan.rule, nan.operation), ("ln", 1));
    let text = nan.to_string();
    assert!(text.starts_with("rule `ln` produced NaN from x = -1 + 1ε at operation #1 ("), "{text}");
    assert!(text.contains("nan.rs:"), "{text}");
    assert!(check::first_nan().is_none());
}

fn broken() -> Closures {
    from_jvp(
        "broken",
        1,
        |x| vec![x[0][0], x[0][0]],
        |x, dx| vec![dx[0][0], (x[0][0] - 1.0).sqrt() * dx[0][0]],
    )
}

#[test]
fn primitives_and_sums_are_looked_at() {
    // Finite arguments: the primitive itself is a panic; NaN from an infinite argument is found here.
    let (_, nan) = watch(|| call(&broken(), &[&[var(f64::NEG_INFINITY)]]).unwrap()[0]);
    assert_eq!(nan.unwrap().rule, "broken");
    let nan = found(|| [var(1.0), var(f64::INFINITY), var(f64::NEG_INFINITY)].into_iter().sum());
    assert_eq!((nan.rule, nan.operands.len()), ("sum", 3));
    let (_, nan) = watch(|| {
        let tape = wengert::Tape::new();
        let x: Checked<Var<f64>> = Checked::new(tape.variable(0.0));
        x.sqrt() * x.sqrt()
    });
    assert_eq!(nan.unwrap().rule, "mul");
}
