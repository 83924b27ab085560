//! Where misuse of a tape is reported: at the line of the user, not at one of this crate.
#![cfg(feature = "std")]

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, Location, catch_unwind};

#[cfg(feature = "nalgebra")]
use matrices::functions::{Function, Sizes};
#[cfg(feature = "nalgebra")]
use nalgebra::{Complex, DMatrix};
use wengert::check::Check;
#[cfg(feature = "nalgebra")]
use wengert::jacobian;
#[cfg(feature = "nalgebra")]
use wengert::matrix::Entry;
use wengert::rules::{self, Binary, Holomorphic, RuleVisitor, Unary, visit_rules};
use wengert::{
    AdError, ComplexVar, Dual, Dual2, DualN, HyperDual, Number, Real, Tape, Taylor, TaylorDyn, Var,
};
use wengert::{
    complex, derivative, forward, hvp, jvp, primitive, reduce, reverse, second_derivative,
    series::derivatives, third_derivative,
};

#[cfg(feature = "nalgebra")]
#[allow(dead_code)] // the functions and their inputs
mod matrices {
    pub mod functions;
    pub mod programs;
}

thread_local! {
    static SEEN: Cell<Option<(&'static str, u32)>> = const { Cell::new(None) };
    static ELSEWHERE: Cell<Vec<String>> = const { Cell::new(Vec::new()) };
}

/// Records the location of each panic, and prints panics other than misuse.
fn watch() {
    panic::set_hook(Box::new(|info| {
        let leaked = |l: &Location<'_>| (&*l.file().to_string().leak(), l.line());
        SEEN.set(info.location().map(leaked));
        let text = info.to_string();
        if !text.lines().any(|line| line.starts_with("wengert: ")) {
            eprintln!("{text}");
        }
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

/// Functions of slices of any numbers.
fn totals<T: Number<Base = f64>>(x: T, y: T) {
    let of = std::any::type_name::<T>();
    here(of, || reduce::sum(&[x, y]));
    here(of, || reduce::sum(&[x, y, x, y, x, y, x, y]));
    here(of, || reduce::mean(&[x, y]));
    here(of, || reduce::product(&[x, y]));
    here(of, || reduce::dot(&[x, x], &[x, y]));
    here(of, || reduce::affine(&[x, x], &[x, x], y));
    here(of, || reduce::linear_combination(&[1.0, 2.0], &[x, y]));
}

/// Functions of slices of real numbers.
fn reductions<T: Real<Base = f64>>(x: T, y: T) {
    totals(x, y);
    let of = std::any::type_name::<T>();
    here(of, || reduce::norm(&[x, y]));
    here(of, || reduce::norm(&[x * 1e200, y * 1e200]));
    here(of, || reduce::norm_squared(&[x, y]));
    here(of, || reduce::logsumexp(&[x, y]));
    here(of, || reduce::softmax(&[x, y]));
    here(of, || reduce::log_softmax(&[x, y]));
    here(of, || reduce::max(&[x, y]));
    here(of, || reduce::min(&[x, y]));
}

/// All rows of the table at two numbers that hold variables in their tangents, which each row combines.
struct Rows<T>(T, T);
impl<T: Real> RuleVisitor for Rows<T> {
    fn holomorphic<H: Holomorphic>(&mut self, rule: H, _: [f64; 2]) {
        here(H::NAME, || self.0.lift_holomorphic(rule));
    }
    fn unary<U: Unary>(&mut self, rule: U, _: [f64; 2]) {
        here(U::NAME, || self.0.lift1(rule));
    }
    fn binary<B: Binary>(&mut self, rule: B, _: [[f64; 2]; 2]) {
        here(B::NAME, || self.0.lift2(self.1, rule));
    }
}

/// Sums and products of iterators are reported in std.
fn folds<T: Real>(name: &str, x: T, y: T) {
    let folds: [fn([T; 2]) -> T; 2] = [|x| x.iter().copied().sum(), |x| x.iter().copied().product()];
    for fold in folds {
        assert!(catch_unwind(AssertUnwindSafe(|| fold([x, y]))).is_err(), "{name}: no panic");
        let (file, line) = SEEN.take().expect("a place");
        assert!(file.ends_with("iterator.rs"), "{name}: {file}:{line}");
    }
}

/// Numbers of forward mode whose tangents are variables: elementary functions, operators with numbers of the same type and
/// of their parts, primitives.
fn tangents(x: Var<f64>, y: Var<f64>) {
    macro_rules! numbers {
        ($($name:literal |$x:ident, $y:ident| $a:expr;)*) => {$({
            let make = |$x: Var<f64>, $y: Var<f64>| $a;
            let (a, b) = (make(x, y), make(y, x));
            visit_rules(&mut Rows(a, b));
            functions!($name, a, b);
            primitives($name, a, b);
            here(concat!($name, " sin_cos"), || a.sin_cos());
            let outer = Dual::new(Dual::constant(a), Dual::constant(a));
            let part = Dual::constant(b);
            here(concat!($name, " by part"), || outer * part);
            here(concat!($name, " by part /"), || outer / part);
            let outer = DualN::<_, 1>::new(DualN::<_, 1>::constant(a), [DualN::constant(a)]);
            let part = DualN::constant(b);
            here(concat!($name, " by part"), || outer * part);
            folds($name, a, b);
        })*};
    }
    let c = Var::constant(0.5);
    numbers! {
        "Dual" |x, y| Dual::new(x, y);
        "Dual, tangent only" |x, y| Dual::new(Dual::new(c, x), Dual::new(c, y));
        "DualN" |x, y| DualN::<_, 2>::new(c, [x, y]);
        "Dual2" |x, y| Dual2::<_, 1, 1>::from_fn(c, |_| x, |_, _| y);
        "HyperDual" |x, y| HyperDual::new(c, x, c, y);
        "Taylor" |x, y| Taylor::<_, 3>::new(x, [y, x, y]);
        "Taylor, tangents only" |x, y| Taylor::<_, 2>::new(c, [x, y]);
        "TaylorDyn" |x, y| TaylorDyn::<_, 3>::new(&[x, y, x]).unwrap();
        "series of duals" |x, y| Taylor::<_, 1>::new(Dual::new(x, c), [Dual::new(c, y)]);
    }
}

/// The root of y² = x₀x₁, as equations, iteration and objective.
#[cfg(feature = "nalgebra")]
#[derive(Clone)]
struct Mean;
#[cfg(feature = "nalgebra")]
impl primitive::Equations for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn solution(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        Ok(vec![(x[0][0] * x[0][1]).abs().sqrt()])
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![y[0] * y[0] - x[0][0] * x[0][1]]
    }
}
#[cfg(feature = "nalgebra")]
impl primitive::Iteration for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn limit(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        primitive::Equations::solution(self, x)
    }
    fn step<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        vec![(y[0] + x[0][0] * x[0][1] / y[0]) * 0.5]
    }
}
#[cfg(feature = "nalgebra")]
impl primitive::Objective for Mean {
    fn name(&self) -> &'static str {
        "mean"
    }
    fn minimiser(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
        primitive::Equations::solution(self, x)
    }
    fn value<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> T {
        y[0].powi(3) / 3.0 - x[0][0] * x[0][1] * y[0]
    }
}

fn primitives<T: Real<Base = f64>>(name: &str, x: T, y: T) {
    let square = primitive::from_jvp_and_vjp(
        "square",
        1,
        |x| x[0].iter().map(|x| x * x).collect(),
        |x, dx| x[0].iter().zip(dx[0]).map(|(x, dx)| 2.0 * x * dx).collect(),
        |x, dy| vec![x[0].iter().zip(dy).map(|(x, dy)| 2.0 * x * dy).collect()],
    );
    here(name, || primitive::call(&square, &[&[x, y]]));
    here(name, || primitive::overwrite(&square, &mut [x, y]));
    let long = primitive::from_jvp("long", 1, |x| x[0].to_vec(), |_, _| vec![0.0; 9]);
    let nan = primitive::from_jvp("nan", 1, |x| x[0].to_vec(), |x, _| vec![f64::NAN; x[0].len()]);
    for rule in [long, nan] {
        here("tangents of a rule", || primitive::call(&rule, &[&[Dual::variable(1.0)]]));
        let lanes = DualN::<f64, 2>::variable(1.0, 0);
        here("tangents of a rule in lanes", || primitive::call(&rule, &[&[lanes]]));
    }
    #[cfg(feature = "nalgebra")]
    {
        here(name, || primitive::root(&Mean, &[&[x, y]]));
        here(name, || primitive::fixed_point(&Mean, &[&[x, y]]));
        here(name, || primitive::argmin(&Mean, &[&[x, y]]));
    }
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

    tangents(x, y);
    primitives("Var", x, y);
    here("cast", || reverse::cast_through(|x: &[Var<f32>]| vec![x[0] * x[1]], &[x, y]));
    reductions(x, y);
    reductions(Dual::variable(x), Dual::variable(y));
    reductions(DualN::<_, 2>::variable(x, 0), DualN::variable(y, 1));
    totals(a, b);
    totals(Dual::variable(a), Dual::constant(b));
    here("complex::powc", || complex::powc(a, b));
    here("checkpoint", || reverse::checkpoint(|x| vec![x[0] * x[1]], &[x, y]));

    #[cfg(feature = "nalgebra")]
    {
        use nalgebra::{Quaternion, Rotation3, UnitQuaternion, Vector3, Vector6};
        use wengert::matrix;
        let (w, v) = (&Vector3::new(x, y, x), &Vector6::new(x, y, x, y, x, y));
        let o = Var::constant(0.0);
        let q = &UnitQuaternion::new_unchecked(Quaternion::new(x, y, o, o));
        let r = &Rotation3::from_matrix_unchecked(nalgebra::Matrix3::new(x, y, o, o, x, o, o, o, x));
        let motion =
            &nalgebra::Isometry3 { rotation: *q, translation: nalgebra::Translation3 { vector: *w } };
        here("vee", || matrix::vee(r.matrix()));
        here("so3_exp", || matrix::so3_exp(w));
        here("so3_log", || matrix::so3_log(r));
        here("so3_left_jacobian", || matrix::so3_left_jacobian(w));
        here("so3_left_jacobian_inverse", || matrix::so3_left_jacobian_inverse(w));
        here("se3_exp", || matrix::se3_exp(v));
        here("se3_log", || matrix::se3_log(motion));
        here("quaternion_from_scaled_axis", || matrix::quaternion_from_scaled_axis(w));
        here("quaternion_to_scaled_axis", || matrix::quaternion_to_scaled_axis(q));
        here("normalize_quaternion", || matrix::normalize_quaternion(q));
        here("quaternion_from_rotation", || matrix::quaternion_from_rotation(r));
        here("quaternion_to_rotation", || matrix::quaternion_to_rotation(q));
        here("quaternion_pow", || matrix::quaternion_pow(q, x));
        here("angle_between", || matrix::angle_between(w, &Vector3::new(y, x, x)));
        here("slerp", || matrix::slerp(q, q, x));
        here("rotation_angle", || matrix::rotation_angle(r));
        here("quaternion_angle", || matrix::quaternion_angle(q));
    }
    let _ = catch_unwind(AssertUnwindSafe(|| generic(x, y)));
    let (file, line) = SEEN.take().unwrap();
    assert!(file.ends_with("locations.rs") && line == GENERIC, "{file}:{line}");
}

/// The functions of matrices and the inputs for which a call did not panic, or panicked elsewhere than in the list of
/// functions. `make` turns the numbers of the inputs, which are counted, into entries that may not be used together.
#[cfg(feature = "nalgebra")]
fn matrix_functions<S: Entry<Base = f64>>(
    what: &str,
    make: impl Fn(usize, Complex<f64>) -> S,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (m, k, n) in [(2, 1, 1), (3, 2, 2), (3, 3, 3), (4, 2, 4), (5, 3, 6), (9, 8, 12), (30, 3, 30)] {
        // The closures of a user panic where they are.
        let closures = ["map", "broadcast_row", "broadcast_column", "broadcast_scalar"];
        for function in Function::ALL.iter().filter(|f| !closures.contains(&f.0)) {
            let mut random = fastrand::Rng::with_seed(7);
            let inputs = function.inputs(Sizes { m, k, n });
            let mut count = 0;
            let x: Vec<DMatrix<S>> = inputs
                .iter()
                .map(|input| {
                    input.value(&mut random, !S::IS_REAL).map(|x| {
                        count += 1;
                        make(count, x)
                    })
                })
                .collect();
            // A single number is combined with no other.
            let alone = count == 1 || n == 1 && function.0 == "column_sum" || function.0 == "trace" && n == 1;
            SEEN.take();
            let panics = catch_unwind(AssertUnwindSafe(|| drop(function.at(&x)))).is_err();
            match SEEN.take() {
                _ if !panics && alone => {}
                Some((file, _)) if file.ends_with("functions.rs") => {}
                at => wrong.push(format!("{what}: {} at {m}, {k}, {n}: {at:?}", function.0)),
            }
        }
    }
    wrong
}

/// References of a wrong length, in every check that takes one.
fn references() {
    let check = || Check::new().reference([1.0; 5]);
    let f = wengert::function!(|x, y: [_; 1]| y[0] = x[0] * x[1]);
    let p = primitive::from_jvp("p", 1, |x| vec![x[0][0]], |_, dx| vec![dx[0][0]]);
    let z = num_complex::Complex64::new(0.5, 0.25);
    here("reference of a rule", || check().rule(rules::Exp, 0.5));
    here("reference of a rule of two numbers", || check().binary(rules::Hypot, 3.0, 4.0));
    here("reference of a holomorphic rule", || check().holomorphic(rules::Exp, z));
    here("reference of a holomorphic rule of two numbers", || check().holomorphic_binary(rules::Powc, z, z));
    here("reference of a stated derivative", || check().derivative(f64::exp, f64::exp, 0.5));
    here("reference of a function", || check().function(&f, &[2.0, 3.0]));
    here("reference of an analytic function", || check().analytic(&f, |z| vec![z[0] * z[1]], &[2.0, 3.0]));
    here("reference of a primitive", || check().primitive(&p, &[&[2.0]]));
    here("reference of a linear map", || check().linear_function(|x: &[f64]| x.to_vec(), 1));
    let none = wengert::function!(|x, y: [_; 1]| y[0] = x.iter().copied().sum());
    here("reference of a function without inputs", || check().function(&none, &[]));
}

/// Fails with the panics that were reported elsewhere.
#[track_caller]
fn nothing_elsewhere() {
    let elsewhere = ELSEWHERE.take();
    assert!(elsewhere.is_empty(), "{} reported elsewhere: {elsewhere:#?}", elsewhere.len());
}

/// Inner derivatives at plain points, and lanes that are none.
#[cfg(feature = "nalgebra")]
fn levels() {
    here("derivative", || derivative(|x| x * derivative(|y| x * y, 2.0), 3.0));
    here("second", || second_derivative(|x| x * second_derivative(|y| x * y * y, 2.0), 3.0));
    here("jvp", || jvp(|x| x[0] * jvp(|y| x[0] * y[0], &[2.0], &[1.0]), &[3.0], &[1.0]));
    here("jacobian", || jacobian(|x| [x[0] * jacobian(|y| [x[0] * y[0]], &[2.0])[0]], &[3.0]));
    here("gradient", || forward::gradient(|x| x[0] * forward::gradient(|y| x[0] * y[0], &[2.0])[0], &[3.0]));
    here("hvp", || derivative(|x| x * hvp(|y| y[0].powi(3) * Var::constant(x), &[2.0], &[1.0])[0], 3.0));
    here("series", || derivatives::<f64, 2>(|x| x * derivatives::<f64, 2>(|y| x * y, 2.0)[0], 3.0));
    here("third", || third_derivative(|x| x * third_derivative(|y| x * y * y, 2.0), 3.0));
    let bend = |x: Dual2<f64, 8, 36>| move |y: &[Dual2<f64, 8, 36>]| x * y[0] * y[0];
    here("hessian", || forward::hessian(|x| x[0] * forward::hessian(bend(x[0]), &[2.0])[0], &[3.0]));
    let z = Complex::new(1.0, 2.0);
    here("complex", || complex::derivative(|x| x * complex::derivative(|y| x * y, z), z));
    here("wirtinger", || complex::wirtinger(|x| x * complex::wirtinger(|y| x * y, z).0, z));
    here("DualN", || DualN::<f64, 3>::variable(1.0, 3));
    here("Dual2", || Dual2::<f64, 2, 3>::variable(1.0, 2));
    here("second of Dual2", || Dual2::<f64, 2, 3>::constant(1.0).second(0, 2));
}

/// All in one test: the hook that notes locations belongs to the process.
#[test]
fn misuse_is_reported_at_the_line_of_the_user() {
    let (one, other) = (Tape::new(), Tape::new());
    let (x, y): (Var<f64>, Var<f64>) = (one.variable(2.0), other.variable(2.0));
    let second = one.variable(2.0);
    watch();
    everything(x, y);
    references();
    here("checkpoint that captures", || reverse::checkpoint(move |_| vec![y], &[x]));
    here("cotangents", || one.cotangents(y));
    here("cotangents_of", || one.cotangents_of(&[(x, 1.0), (y, 1.0)]));
    #[cfg(feature = "nalgebra")]
    levels();
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

    #[cfg(feature = "nalgebra")]
    {
        use nalgebra::{DMatrix, DVector, RowDVector};
        let (a, row, column) = (DMatrix::<f64>::zeros(2, 3), RowDVector::zeros(2), DVector::zeros(3));
        here("a row of another length", || wengert::matrix::broadcast_row(&a, &row, |a, _| a));
        here("a column of another length", || wengert::matrix::broadcast_column(&a, &column, |a, _| a));
        nothing_elsewhere();
    }
    #[cfg(feature = "nalgebra")]
    let of_matrices = |what: &str| {
        let name = |kind| format!("{what}, {kind}");
        let of = |i: usize| if i == 1 { x } else { y };
        let real = |i: usize, z: Complex<f64>| of(i).with_innermost(z.re);
        let both = |i: usize, z| ComplexVar::new(of(i), of(i + 1)).with_innermost(z);
        [
            matrix_functions(&name("Var"), real),
            matrix_functions(&name("Dual"), |i, z| Dual::constant(real(i, z))),
            matrix_functions(&name("ComplexVar"), both),
            matrix_functions(&name("Complex"), |i, z| Complex::<Var<f64>>::from_number(both(i, z))),
        ]
        .concat()
    };
    #[cfg(feature = "nalgebra")]
    let wrong = of_matrices("two tapes");

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
    #[cfg(feature = "nalgebra")]
    let wrong = [wrong, of_matrices("closed")].concat();
    let _ = panic::take_hook();
    nothing_elsewhere();
    #[cfg(feature = "nalgebra")]
    assert!(wrong.is_empty(), "{} of matrices: {wrong:#?}", wrong.len());
}
