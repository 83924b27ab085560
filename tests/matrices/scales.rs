//! Points at which a function of matrices is easily wrong: one component underflows, overflows or vanishes.

use nalgebra::{Const, DMatrix, Matrix1, OMatrix, Scalar, matrix, vector};

use wengert::matrix::{cholesky, det, expm, inverse, lstsq, qr, sign_ln_det, solve, svd, sylvester};
use wengert::{AdError, BaseFloat, Dual, Number, forward, gradient};

#[test]
fn the_sign_of_a_determinant_survives_its_underflow() {
    let mut a = DMatrix::from_diagonal_element(400, 400, 0.1);
    a[(7, 7)] = -0.1;
    let (sign, ln): (f64, f64) = sign_ln_det(&a).unwrap();
    assert_eq!(sign, -1.0);
    assert!((ln - 400.0 * 0.1f64.ln()).abs() < 1e-10);
}

/// `y² − x²` at (0, 1e200) is beyond the range, its derivatives are not.
#[test]
fn a_determinant_beyond_the_range_has_derivatives_within_it() {
    fn f<T: Number<Base = f64>>(v: &[T]) -> T {
        det(&matrix![v[1], v[0]; v[0], v[1]])
    }
    let x = [0.0, 1e200];
    assert_eq!(gradient(f, &x), [0.0, 2e200]);
    assert_eq!(forward::gradient(f, &x), [0.0, 2e200]);
    assert_eq!(gradient(|v| det(&matrix![v[0], v[0]; v[0], v[0]]), &[1e200]), [0.0]);
}

/// Entries so far from 1 that products of them are no numbers, or zero; up to three rows the determinant too.
#[test]
fn determinants_have_the_same_derivatives_in_both_modes_at_every_scale() {
    for n in [2, 3, 4, 5, 7, 9, 30] {
        for (large, small) in [(1e200, 1e-200), (1e200, 1.0), (1e-200, 1e-200), (1e200, 0.0), (1e90, 1e-150)]
        {
            if n > 3 && large * small < 1e-300 {
                continue;
            }
            let rest = 2f64.powi(n as i32 - 2);
            let expected = [small * rest, large * rest];
            for reversed in [false, true] {
                let place = |k: usize| if reversed { n - 1 - k } else { k };
                let mut a = DMatrix::from_diagonal_element(n, n, 2.0);
                (a[(place(0), place(0))], a[(place(1), place(1))]) = (large, small);
                let by_tape: DMatrix<f64> = gradient(|a: &DMatrix<_>| det(a), &a);
                let by_lanes: DMatrix<f64> = forward::gradient(|a: &DMatrix<_>| det(a), &a);
                for (mode, found) in [("reverse", by_tape), ("forward", by_lanes)] {
                    let case = format!("{n} rows, {large:e} and {small:e}, {mode}");
                    for (k, want) in expected.into_iter().enumerate() {
                        let got = found[(place(k), place(k))];
                        assert!((got - want).abs() <= 1e-14 * want.abs(), "{case}: {got:e}, not {want:e}");
                    }
                    assert_eq!(found[(0, 1)], 0.0, "{case}");
                }
            }
        }
    }
}

/// Rows that are multiples of each other, of sizes from a random search.
#[test]
fn singular_determinants_of_any_size_have_derivatives_in_both_modes() {
    for v in [[1e200, 0.0], [0.0, 1e200], [1e-200, 1e-200], [1e200, 1e-200], [1e200, 1e200], [5e237, 5e237]] {
        let a = matrix![v[0], v[1]; v[0], v[1]];
        let want = matrix![a[(1, 1)], -a[(1, 0)]; -a[(0, 1)], a[(0, 0)]];
        assert_eq!(gradient(|a: &nalgebra::Matrix2<_>| det(a), &a), want, "{v:?}");
        assert_eq!(forward::gradient(|a: &nalgebra::Matrix2<_>| det(a), &a), want, "{v:?}");
    }
}

#[test]
fn a_factor_that_is_zero_in_its_value_alone_keeps_its_tangents() {
    let constant = |x: f64| Dual::<f64>::constant(x);
    let pair = |x: f64, t: f64| Dual::new(Matrix1::new(constant(x)), Matrix1::new(constant(t)));
    let mut z: Dual<Matrix1<Dual<f64>>> = pair(4.0, 2.0);
    let beta: Dual<Dual<f64>> = Dual::constant(Dual::new(0.0, 1.0));
    z.gemm_into(Dual::constant(constant(1.0)), &pair(3.0, 0.0), &pair(5.0, 0.0), beta);
    assert_eq!((z.value()[0].value(), z.value()[0].tangent()), (15.0, 4.0));
    assert_eq!((z.tangent()[0].value(), z.tangent()[0].tangent()), (0.0, 2.0));
}

#[test]
fn pivots_without_a_reciprocal_are_no_pivots() {
    let a = matrix![1e-310, 0.0; 0.0, 1.0];
    assert_eq!(solve(&a, &vector![1.0, 1.0]), Err(AdError::Singular { op: "solve" }));
    let a = matrix![f64::NAN, 0.0; 0.0, 1.0];
    assert_eq!(solve(&a, &vector![1.0, 1.0]), Err(AdError::NotFinite { op: "solve" }));
}

#[test]
fn equations_are_singular_to_the_rounding_of_their_entries() {
    let skew = DMatrix::from_fn(5, 5, |i, j| (i as f64 - j as f64) * 0.7);
    let singular = Err(AdError::Singular { op: "sylvester" });
    assert_eq!(sylvester(&skew, &skew, &DMatrix::identity(5, 5)), singular);
    let skew = skew.map(|x| x as f32);
    assert!(sylvester(&skew, &skew, &DMatrix::identity(5, 5)).is_err());
}

#[test]
fn exponentials_of_large_nilpotent_parts_are_finite() {
    assert_eq!(expm(&matrix![0.0, 1e60; 0.0, 0.0]), Ok(matrix![1.0, 1e60; 0.0, 1.0]));
    let y = expm(&matrix![1.0f32, 1e8; 0.0, -1.0]).unwrap();
    assert!((y[(0, 1)] / 1e8 - 1.0f32.sinh()).abs() < 1e-5);
}

/// Entries of very different scales, and relative tangents.
fn scaled<F: BaseFloat, const N: usize, T>(
    a: [[f64; N]; N],
    scale: f64,
    make: impl Fn(F, F) -> T,
) -> OMatrix<T, Const<N>, Const<N>>
where
    T: Scalar,
{
    OMatrix::<T, Const<N>, Const<N>>::from_fn_generic(Const::<N>, Const::<N>, |i, j| {
        let tangent = [[1.0, 0.3, 0.1], [-0.2, 0.7, -0.5], [0.4, 0.6, 0.2]][i][j];
        make(F::from_double(a[i][j] * scale), F::from_double(tangent * scale))
    })
}

/// Second derivatives of the first entries of small closed forms, which do not depend on the scale of the matrix.
fn second_derivatives<F: BaseFloat>(scale: f64) -> Vec<f64> {
    let make = |x: F, t: F| Dual::new(Dual::new(x, t), Dual::new(t, F::from_double(0.0)));
    let second = |y: Dual<Dual<F>>, factor: f64| y.tangent().tangent().to_double() * factor;
    let a = scaled([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]], scale, make);
    let b = scaled([[2.0, 1.0], [0.5, -3.0]], scale, make);
    let (q, r) = qr(&b).unwrap();
    let x = lstsq(&b, &nalgebra::Vector2::repeat(make(F::from_double(scale), F::from_double(0.0)))).unwrap();
    vec![
        second(inverse(&a).unwrap()[(0, 0)], scale),
        second(inverse(&b).unwrap()[(0, 0)], scale),
        second(svd(&b).unwrap().u[(0, 0)], 1.0),
        second(q[(1, 0)], 1.0),
        second(r[(1, 1)], 1.0 / scale),
        second(x[0], 1.0),
    ]
}

#[test]
fn closed_forms_keep_their_derivatives_at_every_scale() {
    let expected = second_derivatives::<f64>(1.0);
    for scale in [1e-90, 1e-40, 1e-18, 1e-3, 1e3, 1e18, 1e40, 1e90] {
        for (i, (e, g)) in expected.iter().zip(second_derivatives::<f64>(scale)).enumerate() {
            assert!((e - g).abs() < 1e-12 * e.abs(), "{i} at {scale:e}: {g}, {e}");
        }
    }
    for scale in [1e-9, 1e-6, 1e-3, 1e2, 1e3, 1e6, 1e9] {
        for (i, (e, g)) in expected.iter().zip(second_derivatives::<f32>(scale)).enumerate() {
            assert!((e - g).abs() < 1e-4 * e.abs(), "{i} at {scale:e}, f32: {g}, {e}");
        }
    }
}

#[test]
fn inverses_of_entries_of_all_sizes() {
    let y = inverse(&nalgebra::Matrix3::from_diagonal(&vector![1e200_f64, 1e-300, 1e200])).unwrap();
    assert!((y[(1, 1)] / 1e300 - 1.0).abs() < 1e-15);
    let y = inverse(&nalgebra::Matrix3::from_diagonal(&vector![1e-200_f64, 1e-200, 1e300])).unwrap();
    assert!((y[(2, 2)] / 1e-300 - 1.0).abs() < 1e-15);
}

#[test]
fn infinite_pivots_are_no_factors_and_end_soon() {
    let a = matrix![f64::INFINITY, 1.0; 1.0, 1.0];
    assert_eq!(cholesky(&a), Err(AdError::NotFinite { op: "cholesky" }));
    for n in [8, 200] {
        let mut a = DMatrix::<f64>::identity(n, n);
        a[(1, 2)] = f64::INFINITY;
        assert!(!det(&a).is_finite() || det(&a) == 1.0);
    }
}
