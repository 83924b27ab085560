//! Complex numbers inside a traced function.

use wengert::programs::{Traced, trace};
use wengert::sums::{LeastSquares, Sum};
use wengert::{AdError, Dual, Number, Real, Scalar};

/// Each function of one complex number that the rule table has, and some of two, by its number.
fn function<Z: Number<Base = f64>>(which: usize, z: Z, w: Z) -> Option<Z> {
    Some(match which {
        0 => z * w,
        1 => z / w,
        2 => z + w * 2.0 - Z::lit(0.5) / z,
        3 => z.recip(),
        4 => z.sqrt(),
        5 => z.cbrt(),
        6 => z.exp(),
        7 => z.exp2(),
        8 => z.exp_m1(),
        9 => z.ln(),
        10 => z.log2(),
        11 => z.log10(),
        12 => z.ln_1p(),
        13 => z.sin() + z.cos(),
        14 => z.tan(),
        15 => z.asin() * z.acos(),
        16 => z.atan(),
        17 => z.sinh() - z.cosh(),
        18 => z.tanh(),
        19 => z.asinh(),
        20 => z.acosh() + z.atanh(),
        21 => z.powi(3) + z.powi(-2),
        22 => z.powf(2.5),
        23 => z.powc(w),
        24 => z.square() * w.conj(),
        25 => z.sinc() + z.sinhc(),
        26 => z.mul_add(w, z),
        27 => Z::total([z, w, z * w].into_iter()) * Z::multiplied([z, w].into_iter()),
        _ => return None,
    })
}

fn parts<T: Real<Base = f64>>(which: usize, x: &[T]) -> [T; 3] {
    let (z, w) = (T::Complex::from_parts(x[0], x[1]), T::Complex::from_parts(x[2], x[3]));
    let y = function(which, z, w).expect("a function");
    [y.re(), y.im(), y.modulus()]
}

const AT: [f64; 4] = [0.3, -0.7, 1.2, 0.4];
/// Another point, in other quadrants.
const ELSEWHERE: [f64; 4] = [-0.6, 0.9, 0.5, -1.1];

#[test]
fn complex_functions_are_those_of_other_numbers() {
    let functions = (0..).take_while(|&k| {
        function(k, num_complex::Complex::new(0.3, 0.4), num_complex::Complex::i()).is_some()
    });
    for which in functions {
        let program = trace(|x: &[Traced]| parts(which, x), &AT);
        let derivatives = program.jacobian().unwrap();
        for x in [AT, ELSEWHERE] {
            assert_eq!(program.run(&x).unwrap(), parts(which, &x), "{which} at {x:?}");
            let want = wengert::jacobian(|x| parts(which, x), &x);
            let found = derivatives.run(&x).unwrap();
            for (k, found) in found.iter().enumerate() {
                let want = want[(k / 4, k % 4)];
                assert!(
                    (found - want).abs() <= 4e-14 * want.abs().max(1.0),
                    "{which} at {x:?}, {k}: {found} {want}"
                );
            }
            for part in 0..3 {
                let one =
                    trace(|x: &[Traced]| parts(which, x)[part], &AT).hessian().unwrap().run(&x).unwrap();
                let want = wengert::hessian(|x: &[_]| parts(which, x)[part], &x[..]);
                for (found, want) in one.iter().zip(want.iter()) {
                    let size = want.abs().max(1.0);
                    assert!((found - want).abs() <= 2e-13 * size, "{which} at {x:?}, {part}: {found} {want}");
                }
            }
        }
    }
}

fn impedance<T: Scalar>(x: &[T]) -> T {
    T::Complex::from_parts(x[0], x[1] * x[2] - 1.0 / (x[1] * x[3])).modulus()
}

#[test]
fn complex_numbers_in_sums_recorded_operators_and_nested_numbers() {
    let x = [3.0, 2.0, 1.5, 0.25];
    let (want, slopes) = (impedance(&x), wengert::gradient(impedance, &x));
    let close = |got: &[f64], want: &[f64]| {
        got.iter()
            .zip(want)
            .for_each(|(a, b)| assert!((a - b).abs() < 1e-14 * b.abs().max(1.0), "{got:?} {want:?}"));
    };
    let mut g = [0.0; 4];
    let mut sum =
        Sum::new(4, &[[1.0], [2.0]][..], |x: &[Traced], row: &[Traced]| impedance(x) * row[0]).unwrap();
    let value = sum.gradient(&x, &mut g).unwrap();
    close(&[value], &[3.0 * want]);
    close(&g, &slopes.map(|g| 3.0 * g));
    let phase = |x: &[Traced], row: &[Traced]| {
        let z = <Traced as Real>::Complex::from_parts(x[0], x[1] * row[0]).exp().sqrt();
        [z.re(), z.im()]
    };
    let mut squares = LeastSquares::new(2, &[[1.0], [2.0]][..], phase).unwrap();
    let (r, j) = squares.jacobian(&[0.4, 0.7]).unwrap();
    let (a, b) = (f64::exp(0.2), [0.35, 0.7]);
    close(r, &[a * b[0].cos(), a * b[0].sin(), a * b[1].cos(), a * b[1].sin()]);
    close(&j.values()[..2], &[0.5 * a * b[0].cos(), -0.5 * a * b[0].sin()]);
    // Constants on both sides.
    macro_rules! mixed {
        ($z:expr) => {{
            let (z, c) = ($z, num_complex::Complex::new(0.5, -2.0));
            2.0 * z + 1.0 / z - (3.0 - z) * 0.5 + c * z / c - (c - z) / 4.0
        }};
    }
    let program = trace(
        |x: &[Traced]| {
            let y = mixed!(<Traced as Real>::Complex::from_parts(x[0], x[1]));
            [y.re(), y.im()]
        },
        &x[..2],
    );
    let y: num_complex::Complex<f64> = mixed!(num_complex::Complex::new(3.0, 2.0));
    close(&program.run(&x[..2]).unwrap(), &[y.re, y.im]);
    // A derivative inside the trace.
    let inner = trace(
        |x: &[Traced]| {
            wengert::derivative(
                |t| impedance(&[t, Dual::constant(x[1]), Dual::constant(x[2]), Dual::constant(x[3])]),
                x[0],
            )
        },
        &x,
    );
    close(&inner.run(&x).unwrap(), &slopes[..1]);
}

/// Small systems run in this arithmetic: their pivots bind the program to its point. Larger ones are refused.
#[test]
fn complex_matrices_in_a_trace() {
    use nalgebra::{DMatrix, DVector};
    fn first<T: Real<Base = f64>>(n: usize, x: &[T]) -> Result<T, AdError> {
        let entry = |i, j| if i == j { T::Complex::from_parts(x[0], x[1]) } else { T::Complex::lit(0.1) };
        let a = DMatrix::<T::Complex>::from_fn(n, n, entry);
        wengert::matrix::solve(&a, &DVector::from_element(n, T::Complex::lit(1.0))).map(|x| x[0].im())
    }
    let program = trace(|x: &[Traced]| first(3, x).unwrap(), &[2.0, 1.0]).gradient().unwrap();
    let want = wengert::gradient(|x| first(3, x).unwrap(), &[2.0, 1.0]);
    let found = program.run(&[2.0, 1.0]).unwrap();
    found.iter().zip(&want).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{found:?} {want:?}"));
    assert!(matches!(program.run(&[2.5, -1.0]), Err(AdError::BranchChanged { .. })));
    let refused =
        std::panic::catch_unwind(|| trace(|x: &[Traced]| first(40, x).unwrap(), &[2.0, 1.0]).operations());
    let message = *refused.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("solve has no rule for complex numbers in a trace"), "{message}");
}
