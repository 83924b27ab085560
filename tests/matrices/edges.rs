//! Edges of single functions: dependent columns, repeated eigenvalues, overflow, badly scaled matrices.

use nalgebra::{Complex, DMatrix, Matrix1, Matrix2, matrix};
use wengert::matrix::*;
use wengert::rules::{Exp, Ln, PowConst, Powi, Recip, Sin, Unary};
use wengert::{AdError, BaseFloat, Dual, Taylor, Var};

#[test]
fn dependent_columns_are_singular_and_have_a_pseudo_inverse() {
    let (a, b) = (matrix![1.0, 2.0; 2.0, 4.0; 3.0, 6.0], matrix![1.0; 0.0; 0.0]);
    assert_eq!(lstsq(&a, &b), Err(AdError::Singular { op: "lstsq" }));
    assert_eq!(lstsq(&a.transpose(), &matrix![1.0; 0.0]), Err(AdError::Singular { op: "lstsq" }));
    assert!(lstsq(&(a + matrix![0.0, 0.0; 0.0, 1e-8; 0.0, 0.0]), &b).is_ok());
    // Along matrices of rank one: (xyᵀ)⁺ = yxᵀ/(|x|²|y|²), here with x = (1, 2, 3)(1 + t), y = (1, 2).
    let line = pinv(&a.map(|a| Dual::new(a, a))).unwrap();
    assert!((line.map(|y| y.value()) - a.transpose() / 70.0).norm() < 1e-15);
    assert!((line.map(|y| y.tangent()) + a.transpose() / 70.0).norm() < 1e-15);
}

/// `A = UΣVᵀ`, with orthonormal vectors, and the other functions of singular values.
fn demand_svd<S, R>(a: &DMatrix<S>, noise: f64)
where
    S: Entry<Re = R> + nalgebra::ComplexField<RealField = R>,
    R: BaseFloat + nalgebra::RealField,
{
    let size = |m: &DMatrix<S>| m.norm().to_double();
    let unit = noise * size(a);
    let Svd { u, singular_values, v_t } = svd(a).unwrap();
    let scaled = DMatrix::from_fn(u.nrows(), u.ncols(), |i, j| u[(i, j)].scale(singular_values[j]));
    assert!(size(&(scaled * &v_t - a)) <= unit, "{a}");
    for (w, adjoint) in [(&u, u.adjoint()), (&v_t.adjoint(), v_t.clone())] {
        assert!(size(&(adjoint * w - DMatrix::identity(w.ncols(), w.ncols()))) < 2.0 * noise, "{a}");
    }
    let values = wengert::matrix::singular_values(a).unwrap();
    assert!((values[0].to_double() - spectral_norm(a).unwrap().to_double()).abs() <= unit);
    let sum: f64 = values.iter().map(|s| s.to_double()).sum();
    assert!((sum - nuclear_norm(a).unwrap().to_double()).abs() <= 4.0 * unit);
    pinv(a).unwrap();
}

#[test]
fn small_matrices_with_dependent_rows_have_singular_values() {
    let mut random = fastrand::Rng::with_seed(7);
    for (n, m) in (1..=8).flat_map(|n| [(n, n), (n + 2, n), (n, n + 1)]) {
        for k in 0..60 {
            let mut next = || random.f64() * 2.0 - 1.0;
            let [re, im] = [0, 1].map(|_| {
                let mut a = DMatrix::from_fn(n, m, |_, _| next());
                match k % 6 {
                    0 => a.row_mut(n - 1).fill(0.0),
                    1 => a.column_mut(0).fill(0.0),
                    2 => (0..m).for_each(|j| a[(n - 1, j)] = 2.0 * a[(0, j)]),
                    3 => (0..n).for_each(|i| a[(i, m - 1)] = -3.0 * a[(i, 0)]),
                    4 => a = a.column(0) * a.row(n - 1),
                    _ => a = a.map(|x| (3.0 * x).round()),
                }
                a
            });
            demand_svd(&re, 2e-14);
            demand_svd(&re.map(|x| x as f32), 1e-5);
            demand_svd(&re.zip_map(&im, Complex::new), 2e-14);
        }
    }
    // The columns are of very different sizes, and one is in the span of others.
    let graded = matrix![1.0, 1e-170, 0.5; 1.0, 2e-170, 0.25; 0.3, 3e-170, 0.9];
    demand_svd(&DMatrix::from_iterator(3, 3, graded.iter().copied()), 2e-14);
    // Two small columns, neither orthogonal nor equal.
    let golden = 0.5 + 1.25f64.sqrt();
    let small = |s: f64| DMatrix::from_row_slice(3, 3, &[1.0, 0.0, 0.0, 0.0, s, s, 0.0, 0.0, s]);
    for (s, values) in [
        (1e-147, wengert::matrix::singular_values(&small(1e-147)).unwrap()),
        (1e-16, wengert::matrix::singular_values(&small(1e-16).map(|x| x as f32)).unwrap().map(f64::from)),
    ] {
        assert!((values[1] / (golden * s) - 1.0).abs() < 1e-6, "{values}");
        assert!((values[2] / ((golden - 1.0) * s) - 1.0).abs() < 1e-6, "{values}");
    }
    // Many rows, and columns of equal length that are nearly orthogonal.
    for (rows, apart) in [(2000, 1e-4), (100_000, 0.01)] {
        let tall = DMatrix::from_fn(rows, 2, |i, j| match (j, i % 2) {
            (0, _) => 1.0,
            (_, 0) => 1.0 + apart,
            _ => -1.0 + apart,
        });
        let exact = wengert::matrix::singular_values(&tall).unwrap();
        let Svd { u, singular_values, .. } = svd(&tall.map(|x| x as f32)).unwrap();
        assert!(u.column(0).dot(&u.column(1)).abs() < 1e-6);
        assert!((singular_values[0] / exact[0] as f32 - 1.0).abs() < 1e-4, "{singular_values} {exact}");
        demand_svd(&tall, f64::EPSILON * rows as f64);
    }
}

#[test]
fn powers_at_the_ends_of_the_exponents() {
    let half_turn = matrix![-1.0, 0.0; 0.0, -1.0];
    assert_eq!(matrix_power(&half_turn, i32::MIN), Ok(Matrix2::identity()));
    assert_eq!(matrix_power(&half_turn, i32::MAX), Ok(half_turn));
    assert_eq!(matrix_power(&(half_turn * 0.0), 0), Ok(Matrix2::identity()));
    assert_eq!(matrix_power(&(half_turn * 0.0), -1), Err(AdError::Singular { op: "matrix_power" }));
}

#[test]
fn opposite_eigenvalues_are_an_error() {
    let a = nalgebra::matrix![1.0, 5.0; 0.0, -2.0];
    assert_eq!(sylvester(&a, &-a, &a), Err(AdError::Singular { op: "sylvester" }));
    assert_eq!(lyapunov(&(a * 0.0), &a), Err(AdError::Singular { op: "lyapunov" }));
}

/// A matrix with the same tangent at three levels.
fn three_times(a: Matrix2<f64>, e: Matrix2<f64>) -> Matrix2<Dual<Dual<Dual<f64>>>> {
    a.zip_map(&e, |x, t| {
        let first = Dual::new(Dual::new(x, t), Dual::constant(t));
        Dual::new(first, Dual::new(Dual::constant(t), Dual::constant(0.0)))
    })
}

/// The derivatives of order 1 to 3 of a function of a matrix along a direction.
fn along<U: Unary>(rule: U, a: Matrix2<f64>, e: Matrix2<f64>) -> [Matrix2<f64>; 3] {
    let y = symmetric_function(&three_times(a, e), rule).unwrap();
    let (first, second) = (y.map(|y| y.value().value().tangent()), y.map(|y| y.value().tangent().tangent()));
    [first, second, y.map(|y| y.tangent().tangent().tangent())]
}

fn near(what: &str, got: [Matrix2<f64>; 3], want: [Matrix2<f64>; 3]) {
    for (order, (got, want)) in (1..).zip(got.iter().zip(&want)) {
        let error = (got - want).amax();
        assert!(error <= 4e-15 * want.amax(), "{what}, order {order}:{got}{want}");
    }
}

/// Near the zero matrix, a function has nearly its derivatives at zero.
#[test]
fn functions_of_tiny_matrices_keep_their_derivatives() {
    let (e, b) = (matrix![0.5, -0.4; -0.4, 0.1], matrix![1.0, 0.25; 0.25, -2.0]);
    for size in [1e-70, 1e-100, 1e-150, 1e-200, 1e-290] {
        let a = b * size;
        near(&format!("exp at {size}"), along(Exp, a, e), [e, e * e, e * e * e]);
        // The derivatives of A².
        near(&format!("square at {size}"), along(Powi(2), a, e), [a * e + e * a, e * e * 2.0, e * 0.0]);
        // The derivatives of A − A³/6.
        let second = (b * e * e + e * b * e + e * e * b) * (-size / 3.0);
        near(&format!("sin at {size}"), along(Sin, a, e), [e, second, -e * e * e]);
    }
}

/// An exponential of 0 and of a large negative number has both scales.
#[test]
fn exponentials_of_far_eigenvalues_keep_their_derivatives() {
    for size in [1e80_f64, 1e160, 1e249, 1e300] {
        let a = matrix![0.0, 0.0; 0.0, -size];
        let e = matrix![0.5, size.sqrt(); size.sqrt(), 0.25];
        // f[0, −h] = 1/h, f[0, 0, −h] = 1/h, f[0, −h, −h] = 1/h².
        let corner = e[(0, 0)].powi(2) + 2.0 * e[(0, 1)].powi(2) / size;
        let beside = 2.0 * e[(0, 1)] * e[(0, 0)] / size;
        let below = 2.0 * e[(0, 1)].powi(2) / size / size;
        let [first, second, _] = along(Exp, a, e);
        let near =
            |got: f64, want: f64| assert!((got - want).abs() <= 1e-14 * want.abs(), "{size}: {got} {want}");
        near(first[(0, 0)], e[(0, 0)]);
        near(first[(0, 1)], e[(0, 1)] / size);
        near(second[(0, 0)], corner);
        near(second[(0, 1)], beside + 2.0 * e[(0, 1)] * e[(1, 1)] / size / size);
        near(second[(1, 1)], below);
    }
}

/// Both in single precision, whose range is shorter.
#[test]
fn functions_of_single_precision_keep_their_second_derivatives() {
    let second = |a: Matrix2<f32>, e: Matrix2<f32>| {
        let x = a.zip_map(&e, |x, t| Dual::new(Dual::new(x, t), Dual::constant(t)));
        symmetric_exp(&x).unwrap().map(|y| y.tangent().tangent())
    };
    let e = matrix![0.5, -0.4; -0.4, 0.1];
    for size in [1e-12, 1e-20, 1e-30] {
        let got = second(matrix![1.0, 0.25; 0.25, -2.0] * size, e);
        assert!((got - e * e).amax() <= 1e-6, "{size}:{got}");
    }
    for size in [1e12_f32, 1e20, 1e30] {
        let e = matrix![0.5, size.sqrt(); size.sqrt(), 0.25];
        let got = second(matrix![0.0, 0.0; 0.0, -size], e);
        let near =
            |got: f32, want: f32| assert!((got - want).abs() <= 4e-6 * want.abs(), "{size}: {got} {want}");
        near(got[(0, 0)], 0.25 + 2.0);
        near(got[(1, 1)], 2.0 / size);
    }
}

#[test]
fn repeated_eigenvalues_keep_their_derivatives_to_the_third_order() {
    let e = matrix![0.5, -0.4; -0.4, 0.1];
    let [_, _, third] = along(Exp, Matrix2::identity(), e);
    assert!((third - e * e * e * 1f64.exp()).norm() < 1e-15);
}

#[test]
fn edges_of_the_domain_are_errors_where_a_derivative_is_asked_for() {
    let a = matrix![1.0, 1.0; 1.0, 1.0];
    assert!((symmetric_sqrt(&a).unwrap() * 2f64.sqrt() - a).norm() < 1e-15);
    let error = |op, eigenvalue, order| Some(AdError::Domain { op, place: 0, eigenvalue, order });
    assert_eq!(symmetric_sqrt(&a.map(Dual::variable)).err(), error("sqrt", 0.0, 1));
    assert_eq!(symmetric_function(&a, Ln).err(), error("ln", 0.0, 0));
    assert_eq!(symmetric_sqrt(&-a).err(), error("sqrt", -2.0, 0));
    // x^1.5 has one derivative at zero.
    assert!(symmetric_function(&a.map(Dual::variable), PowConst(1.5)).is_ok());
    let twice = a.map(|x| Dual::variable(Dual::variable(x)));
    assert_eq!(symmetric_function(&twice, PowConst(1.5)).err(), error("powf_const", 0.0, 2));
    let text =
        "sqrt of a matrix: the derivative of order 1 at the eigenvalue -2e0 (number 0) is not a finite float";
    assert_eq!(error("sqrt", -2.0, 1).unwrap().to_string(), text);
    // The value is 1e200, its derivative −1e400: infinite, but not along small directions.
    let small = matrix![1e-200, 0.0; 0.0, 1e-200];
    for (length, slope) in [(1.0, f64::NEG_INFINITY), (1e-200, -1e200), (1e-210, -1e190)] {
        let y = symmetric_function(&small.map(|x| Dual::new(x, if x == 0.0 { 0.0 } else { length })), Recip);
        let (y, near) = (y.unwrap(), |got: f64| got == slope || (got / slope - 1.0).abs() < 1e-15);
        assert!(y[(0, 0)].value() == 1e200 && near(y[(0, 0)].tangent()) && near(y[(1, 1)].tangent()), "{y}");
    }
}

/// Derivatives are linear in each direction, also where products of the directions leave the range and the derivative
/// takes them back.
#[test]
fn directions_of_functions_of_matrices_may_have_any_size() {
    let e = matrix![0.3, -1.0; -1.0, 0.7];
    for (center, power) in [(-690.0, 660), (690.0, -660)] {
        let (a, length) = (matrix![center, 0.5; 0.5, center - 1.0], 2f64.powi(power));
        let mut want = along(Exp, a, e);
        (0..3).for_each(|order| (0..=order).for_each(|_| want[order] *= length));
        near("exp", along(Exp, a, e * length), want);
    }
}

#[test]
fn a_zero_beta_leaves_nothing_of_the_added_matrix() {
    let a = DMatrix::from_element(8, 8, 1.0);
    let nan = DMatrix::from_element(8, 8, f64::NAN);
    assert_eq!(gemm(2.0, &a, &a, 0.0, &nan), &a * 16.0);
    let one = wengert::gradient(
        |b: &[Var<f64>]| {
            let constant = |x: &DMatrix<f64>| x.map(Var::constant);
            sum(&gemm(b[0], &constant(&a), &constant(&a), b[1], &constant(&nan.map(|_| 3.0))))
        },
        &[2.0, 0.0],
    );
    assert_eq!(one, [512.0, 192.0]);
}

#[test]
fn exponentials_of_badly_scaled_matrices_keep_their_digits() {
    // exp [1, b; 0, −1] has the entry b·sinh 1.
    for b in [1e-300, 1e-6, 1.0, 1e6, 1e12, 1e100, 1e200, 1e300, 1e307] {
        let y = expm(&matrix![1.0, b; 0.0, -1.0]).unwrap();
        assert!((y[(0, 1)] / b - 1f64.sinh()).abs() < 2e-15, "{b}");
        assert!((y[(0, 0)] - 1f64.exp()).abs() < 1e-14 && (y[(1, 1)] - (-1f64).exp()).abs() < 1e-14);
        let transposed = expm(&matrix![1.0, 0.0; b, -1.0]).unwrap();
        assert!((transposed[(1, 0)] / b - 1f64.sinh()).abs() < 2e-15, "{b}, transposed");
    }
    for b in [1e10_f64, 1e60, 1e100, 1e150] {
        let y = expm(&matrix![0.0, 0.0, 0.0; b, 0.0, 0.0; b, b, 0.0]).unwrap();
        let corner = b + 0.5 * b * b;
        assert!((y[(1, 0)] / b - 1.0).abs() < 1e-15 && (y[(2, 0)] / corner - 1.0).abs() < 1e-15, "{b}");
    }
}

#[test]
fn cotangents_exist_where_the_value_does() {
    type C = wengert::ComplexVar<f64>;
    for b in [1e60, 1e150, 1e163, 1e300] {
        let tape = wengert::Tape::new();
        let (x, zero) = (C::new(tape.variable(0.0), tape.variable(b)), C::from(Var::constant(0.0)));
        let y = expm(&matrix![zero, x; zero, zero]).unwrap()[(0, 1)];
        let bar = tape.cotangents(y.im()).of(x.im());
        assert!(bar == 1.0 || b > 1e150, "{b}: {bar}");
    }
}

#[test]
fn overflow_is_an_error_and_zero_is_not() {
    for large in [1000.0, 1e100, 1e308, f64::MAX] {
        let error = expm(&Matrix2::from_element(large)).unwrap_err();
        assert_eq!(error, AdError::NoConvergence { op: "expm" });
        assert_eq!(error.to_string(), "expm: the exponential, or a power on the way to it, overflows");
    }
    for lost in [f64::INFINITY, f64::NAN] {
        let error = expm(&Matrix2::from_element(lost)).unwrap_err();
        assert_eq!(error.to_string(), "expm: an entry of the matrix is infinite or NaN");
    }
    let e = matrix![1.0, 2.0; 3.0, 4.0];
    assert_eq!(expm(&e.map(|t| Dual::new(0.0, t))).unwrap().map(|y| y.tangent()), e);
}

/// About every norm at which another degree begins: all derivatives of `exp` are `exp`.
#[test]
fn exponentials_have_their_digits_in_every_order() {
    let about =
        [1e-300, 1e-3, 1.07e-2, 1.09e-2, 0.1, 0.199, 0.201, 0.78, 0.79, 1.77, 1.79, 4.2, 4.3, 9.0, 30.0];
    for x in about.into_iter().chain([0.0]).chain(about.map(|x| -x)) {
        let close = |got: f64, limit: f64| (got / f64::exp(x) - 1.0).abs() <= limit * (1.0 + x.abs());
        let y = expm(&Matrix1::new(Dual::variable(x))).unwrap()[0];
        // Squarings double errors.
        let first = if x.abs() < 4.25 { 4e-16 } else { 2e-15 };
        assert!(close(y.value(), first) && close(y.tangent(), 2.0 * first), "{x}: {y:?}");
        let y = expm(&Matrix1::new(Dual::variable(Dual::variable(x)))).unwrap()[0];
        assert!(close(y.tangent().tangent(), 1e-14), "{x}: {y:?}");
        let y = expm(&Matrix1::new(Taylor::<f64, 40>::variable(x))).unwrap()[0];
        let wrong = y.derivatives().into_iter().position(|y| !close(y, 1e-12));
        assert!(wrong.is_none(), "{x}: {wrong:?} of {y:?}");
    }
}

/// The largest eigenvalue is 4 at 0; the others, 1 + g and 1, are close.
fn far_beside_close<T: wengert::Scalar>(t: T, g: f64) -> nalgebra::Matrix3<T> {
    let [b, c, d] = [t * 0.7 + t * t, t * 0.4, t * 0.9];
    matrix![t + 4.0, b, c; b, t * 0.3 + (1.0 + g), d; c, d, t * -0.2 + t * t + 1.0]
}

type T4 = Taylor<f64, 4>;

/// Distances, and derivatives of order 1 to 4 of the largest eigenvalue at 0, by differences with 200 digits.
const FAR: [(f64, [f64; 4]); 3] = [
    (1e-3, [1.0, 0.4334422585306213, 2.7802264945267403, 7.394180255117952]),
    (1e-5, [1.0, 0.43333442222585183, 2.7793422622494446, 7.392813800905516]),
    (1e-7, [1.0, 0.4333333442222226, 2.7793334226222246, 7.392800138008891]),
];

/// The documentation of `matrix` says that far values keep their digits in series, and in second derivatives.
#[test]
fn values_beside_close_ones_keep_their_digits() {
    let most = |values: &[T4]| values.iter().copied().fold(values[0], |a, b| if b > a { b } else { a });
    for (g, want) in FAR {
        let a = far_beside_close(T4::variable(0.0), g);
        let general =
            |z: nalgebra::OVector<num_complex::Complex<T4>, nalgebra::U3>| most(z.map(|z| z.re).as_slice());
        let found = [
            most(symmetric_eigenvalues(&a).unwrap().as_slice()),
            most(symmetric_eigen(&a).unwrap().eigenvalues.as_slice()),
            general(eigenvalues(&a).unwrap()),
            general(eigen(&a).unwrap().eigenvalues),
            most(singular_values(&a).unwrap().as_slice()),
            most(svd(&a).unwrap().singular_values.as_slice()),
            spectral_norm(&a).unwrap(),
        ];
        for (which, y) in found.iter().enumerate() {
            for (k, (got, want)) in y.derivatives().into_iter().zip(want).enumerate() {
                assert!(
                    (got - want).abs() <= 1e-14 * want.abs().max(1.0),
                    "{g}, {which}, order {}: {got:e}",
                    k + 1
                );
            }
        }
        let duals =
            symmetric_eigen(&far_beside_close(Dual::variable(Dual::variable(0.0)), g)).unwrap().eigenvalues;
        let largest = duals.iter().fold(duals[0], |a, &b| if b > a { b } else { a });
        let second: f64 = largest.tangent().tangent();
        assert!((second - want[1]).abs() <= 2e-15, "{g}: {second:e}");
    }
}

/// All values are positive: the nuclear norm is the trace. It is smooth where values are equal.
#[test]
fn the_nuclear_norm_keeps_its_digits_at_equal_values() {
    for g in [1e-3, 1e-7, 0.0] {
        let y = nuclear_norm(&far_beside_close(T4::variable(0.0), g)).unwrap();
        for (got, want) in y.derivatives().into_iter().zip([1.1, 2.0, 0.0, 0.0]) {
            assert!((got - want).abs() <= 2e-14, "{g}: {y:?}");
        }
    }
}
