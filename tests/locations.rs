//! Where misuse of a tape is reported: at the line of the user, not at one of this crate.
#![cfg(feature = "std")]

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, Location, catch_unwind};

use wengert::{ComplexVar, Dual, Dual2, DualN, HyperDual, Number, Real, Tape, Var, complex, reduce, reverse};

thread_local! {
    static SEEN: Cell<Option<(&'static str, u32)>> = const { Cell::new(None) };
    static ELSEWHERE: Cell<Vec<String>> = const { Cell::new(Vec::new()) };
}

/// Notes the locations of panics instead of printing them.
fn watch() {
    panic::set_hook(Box::new(|info| {
        let leaked = |l: &Location<'_>| (&*l.file().to_string().leak(), l.line());
        SEEN.set(info.location().map(leaked));
    }));
}

/// Runs code that must panic in the line of this call.
#[track_caller]
fn here<R>(what: &str, f: impl FnOnce() -> R) {
    let line = Location::caller().line();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(f()))).is_err(), "{what}: no panic");
    let (file, at) = SEEN.take().expect("a place");
    if (file.ends_with("locations.rs"), at) != (true, line) {
        ELSEWHERE.set([ELSEWHERE.take(), vec![format!("{what} (line {line}): {file}:{at}")]].concat());
    }
}

/// The operations in which two numbers of different tapes can be combined, for any number.
macro_rules! operators {
    ($name:literal, $x:ident, $y:ident) => {
        here(concat!($name, " + "), || $x + $y);
        here(concat!($name, " - "), || $x - $y);
        here(concat!($name, " * "), || $x * $y);
        here(concat!($name, " / "), || $x / $y);
        here(concat!($name, " % "), || $x % $y);
        here(concat!($name, " & "), || &$x * &$y);
        here(concat!($name, " &r"), || $x - &$y);
        here(concat!($name, " +="), || {
            let mut z = $x;
            z += $y;
            z
        });
        here(concat!($name, " *="), || {
            let mut z = $x;
            z *= &$y;
            z
        });
        here(concat!($name, " powf"), || $x.powf($y));
        here(concat!($name, " powc"), || $x.powc($y));
        here(concat!($name, " mul_add"), || $x.mul_add($y, 1.0));
        here(concat!($name, " Number::powf"), || Number::powf($x, $y));
        here(concat!($name, " MulAdd"), || num_traits::MulAdd::mul_add($x, $y, $y));
        here(concat!($name, " Pow"), || num_traits::Pow::pow($x, $y));
    };
}

/// Functions of two real numbers.
macro_rules! functions {
    ($name:literal, $x:ident, $y:ident) => {
        operators!($name, $x, $y);
        here(concat!($name, " atan2"), || $x.atan2($y));
        here(concat!($name, " hypot"), || $x.hypot($y));
        here(concat!($name, " log"), || $x.log($y));
        here(concat!($name, " Real::xlogy"), || Real::xlogy($x, $y));
        here(concat!($name, " max"), || $x.max($x).max($y));
        here(concat!($name, " abs_sub"), || ($x + 1.0).abs_sub($y));
        here(concat!($name, " Float::hypot"), || num_traits::Float::hypot($x, $y));
        here(concat!($name, " Float::mul_add"), || num_traits::Float::mul_add($x, $y, $y));
        here(concat!($name, " Euclid"), || num_traits::Euclid::rem_euclid(&$x, &$y));
        here(concat!($name, " Signed"), || num_traits::Signed::abs_sub(&($x + 1.0), &$y));
    };
}

/// A user's own function over any real number, and the line of its operation.
fn generic<T: Real>(x: T, y: T) -> T {
    x + y.hypot(x)
}
const GENERIC: u32 = line!() - 2;

/// Every recording operation, with two variables that may not be combined or may not be used here.
fn everything(x: Var<f64>, y: Var<f64>) {
    functions!("Var", x, y);
    let (a, b) = (Dual::variable(x), Dual::variable(y));
    functions!("Dual", a, b);
    let (a, b) = (DualN::<_, 2>::variable(x, 0), DualN::<_, 2>::variable(y, 1));
    functions!("DualN", a, b);
    let (a, b) = (HyperDual::constant(x), HyperDual::constant(y));
    functions!("HyperDual", a, b);
    let (a, b) = (Dual2::<_, 1, 1>::constant(x), Dual2::<_, 1, 1>::constant(y));
    functions!("Dual2", a, b);
    let (a, b) = (ComplexVar::new(x, x), ComplexVar::new(y, y));
    operators!("ComplexVar", a, b);

    here("sum", || reduce::sum(&[x, y]));
    here("long sum", || reduce::sum(&[x, y, x, y, x, y, x, y]));
    here("mean", || reduce::mean(&[x, y]));
    here("product", || reduce::product(&[x, y]));
    here("dot", || reduce::dot(&[x, x], &[x, y]));
    here("norm", || reduce::norm(&[x, y]));
    here("norm_squared", || reduce::norm_squared(&[x, y]));
    here("logsumexp", || reduce::logsumexp(&[x, y]));
    here("combination", || reduce::linear_combination(&[1.0, 2.0], &[x, y]));
    here("complex::powc", || complex::powc(a, b));
    here("checkpoint", || reverse::checkpoint(|x| vec![x[0] * x[1]], &[x, y]));

    #[cfg(feature = "nalgebra")]
    {
        use nalgebra::DMatrix;
        use wengert::matrix;
        let filled =
            |x: Var<f64>| DMatrix::from_fn(30, 30, |i, j| if i == j { x } else { Var::constant(0.0) });
        let mixed = &DMatrix::from_fn(30, 30, |i, j| match (i, j) {
            (0, 1) => y,
            _ if i == j => x,
            _ => Var::constant(0.0),
        });
        let (a, b) = (&filled(x), &filled(y));
        here("matmul", || matrix::matmul(a, b));
        here("gemm", || matrix::gemm(x, a, b, x, a));
        here("solve", || matrix::solve(a, b));
        here("det", || matrix::det(mixed));
        here("inverse", || matrix::inverse(mixed));
        here("qr", || matrix::qr(mixed));
        here("svd", || matrix::singular_values(mixed));
        here("expm", || matrix::expm(mixed));
        here("symmetric_eigen", || matrix::symmetric_eigenvalues(mixed));
        here("cholesky", || matrix::cholesky(mixed));
        here("kron", || matrix::kron(a, b));
        here("lstsq", || matrix::lstsq(a, b));
    }
    let _ = catch_unwind(AssertUnwindSafe(|| generic(x, y)));
    let (file, line) = SEEN.take().unwrap();
    assert!(file.ends_with("locations.rs") && line == GENERIC, "{file}:{line}");
}

/// Fails with the panics that were reported elsewhere.
#[track_caller]
fn nothing_elsewhere() {
    let elsewhere = ELSEWHERE.take();
    assert!(elsewhere.is_empty(), "{} reported elsewhere: {elsewhere:#?}", elsewhere.len());
}

/// All in one test: the hook that notes locations belongs to the process.
#[test]
fn misuse_is_reported_at_the_line_of_the_user() {
    let (one, other) = (Tape::new(), Tape::new());
    let (x, y): (Var<f64>, Var<f64>) = (one.variable(2.0), other.variable(2.0));
    let second = one.variable(2.0);
    watch();
    everything(x, y);
    here("checkpoint that captures", || reverse::checkpoint(move |_| vec![y], &[x]));
    here("cotangents", || one.cotangents(y));
    here("cotangents_of", || one.cotangents_of(&[(x, 1.0), (y, 1.0)]));
    nothing_elsewhere();

    // Two variables of one tape, on another thread.
    let on_thread = move || {
        everything(x, second);
        let own = Tape::new();
        let z = own.variable(1.0);
        here("foreign and own", || x * z);
        here("own and foreign", || z + x);
        here("cotangents of a foreign variable", || own.cotangents(x));
        nothing_elsewhere();
    };
    std::thread::spawn(on_thread).join().unwrap();

    // After the end of their tape, with another tape open and with none.
    drop((one, other));
    let (again, closed) = (Tape::new(), x);
    let w = again.variable(1.0);
    here("closed", || w * closed);
    here("closed alone", || closed * y);
    here("closed sum", || reduce::sum(&[closed, closed * 2.0, y]));
    here("closed long sum", || reduce::sum(&[closed; 3]) + y);
    everything(x, second);
    drop(again);
    everything(x, second);
    let _ = panic::take_hook();
    nothing_elsewhere();
}
