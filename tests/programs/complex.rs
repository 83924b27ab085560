//! Complex numbers inside a traced function.

use nalgebra::DMatrix;
use wengert::matrix as m;
use wengert::programs::{KnownRules, Traced, trace};
use wengert::sums::{LeastSquares, Sum};
use wengert::{AdError, AsNumber, Dual, Number, Real, Scalar};

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
fn angles_and_directions_replay_at_other_points() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> [T; 2] {
        let z = T::Complex::from_parts(x[0], x[1]);
        [wengert::complex::arg(z), wengert::complex::unit(z).re()]
    }
    let program = trace(|x: &[Traced]| f(x), &AT[..2]);
    for x in [[0.3, -0.7], [-0.6, 0.9], [1e-200, 2e-200], [1.5e308, 1.5e308], [5e-324, 5e-324], [0.0, -2.0]] {
        assert_eq!(program.run(&x).unwrap(), f(&x), "{x:?}");
    }
    assert!(program.run(&[0.0, 0.0]).unwrap()[1].is_nan());
    // The derivative along z, which is tiny.
    let gradient = trace(|x: &[Traced]| f(x)[1], &AT[..2]).gradient().unwrap();
    for x in [[1.0, 1e-9], [1e4, 1e-4], [0.3, -0.7]] {
        let (got, want) = (gradient.run(&x).unwrap(), wengert::gradient(|x| f(x)[1], &x));
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= 4.0 * f64::EPSILON * want.abs(), "{x:?}: {got:e}, {want:e}");
        }
    }
}

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

/// Sums of the parts of the results of each function of complex matrices, by its number.
fn of_matrix<T: Real<Base = f64>>(which: usize, n: usize, x: &[T]) -> Result<T, AdError> {
    let z = |k: usize, scale: f64| T::Complex::from_parts(x[k % x.len()], x[(k + 1) % x.len()]) * scale;
    let entry = |i: usize, j: usize| {
        let diagonal = if i == j { T::Complex::lit(2.0 + i as f64) } else { T::Complex::lit(0.0) };
        z(i + 2 * j, 0.2 / (1 + i + j) as f64) + diagonal
    };
    let square = DMatrix::<T::Complex>::from_fn(n, n, entry);
    let tall = DMatrix::<T::Complex>::from_fn(n + 2, n, entry);
    let sides = DMatrix::<T::Complex>::from_fn(n, 2, |i, j| z(i * j + 1, 0.3));
    let long = DMatrix::<T::Complex>::from_fn(n + 2, 1, |i, _| z(i, 0.7));
    let hermitian = m::matmul_hn(&tall, &tall);
    let weighted = |y: &DMatrix<T::Complex>| {
        let weights = (1..).map(|k| T::Complex::from_parts(T::lit(1.0 / k as f64), T::lit(0.3)));
        T::Complex::inner_product(y.iter().copied().zip(weights)).im() + y[0].re()
    };
    let real = |y: &[T]| y.iter().zip(1..).fold(T::lit(0.0), |sum, (&y, k)| sum + y / f64::from(k));
    let lu = m::Lu::new(&square)?;
    Ok(match which {
        0 => weighted(&m::solve(&square, &sides)?),
        1 => weighted(&lu.solve_adjoint(&sides)) + lu.ln_abs_det() + lu.det().im(),
        2 => weighted(&m::matmul(&tall, &square)),
        3 => weighted(&m::inverse(&square)?),
        4 => m::det(&square).im(),
        5 => m::ln_abs_det(&square)? + m::sign_ln_det(&square)?.0.im(),
        6 => weighted(&m::cholesky(&hermitian)?) + m::Cholesky::new(&hermitian)?.ln_det(),
        7 => weighted(&m::qr(&tall)?.0) + weighted(&m::qr(&tall)?.1),
        8 => weighted(&m::lstsq(&tall, &long)?) + weighted(&m::pinv(&tall)?),
        9 => real(m::singular_values(&tall)?.as_slice()) + m::spectral_norm(&tall)? + m::nuclear_norm(&tall)?,
        10 => real(m::symmetric_eigenvalues(&hermitian)?.as_slice()),
        11 => real(m::symmetric_eigen(&hermitian)?.eigenvalues.as_slice()),
        12 => weighted(&m::symmetric_function(&hermitian, wengert::rules::Ln)?),
        13 => weighted(&m::expm(&square)?),
        14 => weighted(&m::sylvester(&square, &hermitian, &square)?),
        15 => weighted(&m::normalize(&tall)?) + m::norm(&tall),
        16 => {
            let values = m::eigenvalues(&square)?;
            let parts: Vec<T> = values.iter().flat_map(|z| [z.real_part(), z.imaginary_part()]).collect();
            real(&parts)
        }
        17 => {
            let m::Svd { u, singular_values, v_t } = m::svd(&tall)?;
            // The vectors up to their phases: the product.
            let scaled = DMatrix::from_fn(n, n, |i, j| v_t[(i, j)] * T::Complex::from_re(singular_values[i]));
            weighted(&m::matmul(&u, &scaled))
        }
        18 => weighted(&m::kron(&square, &sides)),
        19 => {
            let of_real = square.map(|z| z.re() - z.im());
            let m::Eigen { eigenvalues, eigenvectors } = m::eigen(&of_real)?;
            weighted(&eigenvectors.map(|z| z.as_number())) + eigenvalues[0].real_part()
        }
        _ => unreachable!(),
    })
}

/// Each is one operation from some size on, and follows its matrix to other points.
#[test]
fn complex_matrices_in_a_trace() {
    const AT: [f64; 3] = [0.8, -0.5, 1.1];
    const ELSEWHERE: [f64; 3] = [0.3, 0.9, -0.7];
    for which in 0..20 {
        for n in [1, 2, 3, 7, 13] {
            let program = trace(|x: &[Traced]| of_matrix(which, n, x).unwrap(), &AT);
            let gradient = program.gradient().unwrap();
            for x in [AT, ELSEWHERE] {
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-11 * b.abs().max(1.0);
                let (want, slopes) = wengert::value_and_gradient(|x| of_matrix(which, n, x).unwrap(), &x);
                let value = program.run(&x).unwrap()[0];
                assert!(close(value, want), "{which} of {n} rows at {x:?}: {value} {want}");
                let found = gradient.run(&x).unwrap();
                assert!(
                    found.iter().zip(&slopes).all(|(&a, &b)| close(a, b)),
                    "{which} of {n} rows at {x:?}: {found:?} {slopes:?}"
                );
            }
        }
    }
    // Errors of a replay name the function; constants are computed.
    let program = trace(|x: &[Traced]| of_matrix(0, 7, x).unwrap(), &AT);
    let error = program.run(&[f64::NAN, 1.0, 1.0]).unwrap_err();
    assert!(matches!(error, AdError::NotFinite { .. } | AdError::Singular { .. }), "{error}");
    let constant = trace(|x: &[Traced]| x[0] * of_matrix(0, 7, &AT.map(Traced::from)).unwrap(), &[1.0]);
    assert_eq!(constant.run(&[1.0]).unwrap(), [of_matrix(0, 7, &AT).unwrap()]);
}

/// At zeros, on branch cuts and far out the eager modes have the same derivatives, or neither derivative is finite.
#[test]
fn parts_of_complex_functions_at_special_points() {
    let special = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-160, 1e160, -800.0];
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for which in (3..=22).filter(|&which| which != 21) {
        let derivatives = trace(|x: &[Traced]| parts(which, x), &AT).jacobian().unwrap();
        // As it was saved and read again.
        let derivatives = derivatives.save().unwrap().program(&KnownRules::new()).unwrap();
        for (re, im) in special.iter().flat_map(|&re| special.map(|im| (re, im))) {
            let x = [re, im, 1.2, 0.4];
            let want = wengert::jacobian(|x| parts(which, x), &x);
            let Ok(found) = derivatives.run(&x) else { continue };
            for (k, found) in found.iter().enumerate().take(8) {
                let want = want[(k / 4, k % 4)];
                compared += 1;
                let same = (found - want).abs() <= 1e-12 * want.abs().max(1.0);
                let out_of_range = !found.is_finite() && !want.is_finite();
                if !same && found.to_bits() != want.to_bits() && !out_of_range {
                    wrong.push(format!("{which} at {re:e} {im:e}i, {k}: {found:e} {want:e}"));
                }
            }
        }
    }
    assert!(compared > 9_000, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A derivative inside a trace, also of a formula that branches on values, is right at other points.
#[test]
fn inner_derivatives_of_complex_functions_replay_elsewhere() {
    fn inner<T: Real<Base = f64>>(which: usize, x: &[T]) -> T {
        let rest = |i: usize| Dual::constant(x[i]);
        wengert::derivative(|t: Dual<T>| parts(which, &[t, rest(1), rest(2), rest(3)])[0], x[0])
    }
    for which in 3..=22 {
        let program = trace(|x: &[Traced]| inner(which, x), &AT);
        assert_eq!(program.run(&AT).unwrap(), [inner(which, &AT)], "{which}");
        let (found, want) = (program.run(&ELSEWHERE).unwrap()[0], inner(which, &ELSEWHERE));
        assert!((found - want).abs() <= 1e-14 * want.abs().max(1.0), "{which}: {found} {want}");
        let slopes = program.gradient().unwrap().run(&ELSEWHERE).unwrap();
        for (found, want) in slopes.iter().zip(wengert::gradient(|x| inner(which, x), &ELSEWHERE)) {
            assert!((found - want).abs() <= 2e-13 * want.abs().max(1.0), "{which}: {found} {want}");
        }
    }
}
