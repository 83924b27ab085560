//! Polar factors where singular values are equal, where the vectors have no derivative.

use nalgebra::{Complex, DMatrix, Matrix2, matrix};
use wengert::matrix::{ln_abs_det, matmul, matmul_hn, nuclear_norm, polar, symmetric_function, trace};
use wengert::rules::{Ln, PowConst};
use wengert::{AdError, Dual, HyperDual, Taylor, hessian};

use super::routes::{PrimalNumber, Route};

type Third = Dual<Dual<Dual<f64>>>;

fn third(x: f64, dx: f64) -> Third {
    Dual::new(Dual::new(Dual::new(x, dx), Dual::constant(dx)), Dual::constant(Dual::constant(dx)))
}
fn orders(y: Third) -> [f64; 4] {
    let (value, tangent) = (y.value(), y.tangent());
    [value.value().value(), tangent.value().value(), tangent.tangent().value(), tangent.tangent().tangent()]
}

#[test]
fn a_shear_from_rest_turns_a_body() {
    // sin atan(t/2) and the stretch beside the diagonal, which is the same; cos atan(t/2).
    let a = matrix![third(1.0, 0.0), third(0.0, 1.0); third(0.0, 0.0), third(1.0, 0.0)];
    let (u, p) = polar(&a).unwrap();
    for (y, want) in [
        (u[(0, 1)], [0.0, 0.5, 0.0, -0.375]),
        (u[(1, 1)], [1.0, 0.0, -0.25, 0.0]),
        (p[(0, 1)], [0.0, 0.5, 0.0, -0.375]),
    ] {
        assert!(orders(y).iter().zip(want).all(|(y, w)| (y - w).abs() < 1e-15), "{y:?}");
    }
    let t = Taylor::<f64, 3>::variable(0.0);
    let series = polar(&matrix![Taylor::constant(1.0), t; Taylor::constant(0.0), Taylor::constant(1.0)]);
    let sine = series.unwrap().0[(0, 1)].derivatives();
    assert!(sine.iter().zip([0.5, 0.0, -0.375]).all(|(y, w)| (y - w).abs() < 1e-15), "{sine:?}");
}

/// The energy ‖F − U‖² of a body at rest, by tapes: its Hessian is twice the projection on symmetric matrices.
#[test]
fn the_energy_of_a_body_at_rest_has_a_hessian() {
    let at_rest = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let h = hessian(
        |f| {
            let f = nalgebra::Matrix3::from_row_slice(f);
            let d = f - polar(&f).unwrap().0;
            d.iter().map(|&d| d * d).sum()
        },
        &at_rest,
    );
    let want = DMatrix::from_fn(9, 9, |i, j| {
        let turned = i % 3 * 3 + i / 3;
        f64::from(u8::from(i == j) + u8::from(turned == j))
    });
    assert!((DMatrix::from_fn(9, 9, |i, j| h[(i, j)]) - want).norm() < 1e-14, "{h:?}");
}

/// `Q + t·E` with orthonormal columns in `Q`, or rows, beside `A(AᴴA)^(−½)`.
fn beside_inverse_root<P: PrimalNumber, S: Route<P>>(rows: usize, columns: usize) {
    let mut random = fastrand::Rng::with_seed(3);
    let mut next = || Complex::new(random.f64(), if P::REAL { 0.0 } else { random.f64() });
    let a = DMatrix::from_fn(rows, columns, |i, j| {
        let q = f64::from(u8::from(i == (2 * j + 1) % rows));
        S::seed(P::lit(q), P::of(next()))
    });
    let gram = matmul_hn(&a, &a);
    let root = |power| symmetric_function(&gram, PowConst(power)).unwrap();
    let tall = polar(&a).unwrap();
    let adjoint = |m: DMatrix<S>| m.transpose().map(|x| x.conjugated());
    let wide = polar(&adjoint(a.clone())).unwrap().0;
    let wanted = matmul(&a, &root(-0.5));
    for (got, want) in [(tall.0, &wanted), (adjoint(wide), &wanted), (tall.1, &root(0.5))] {
        for (got, want) in got.iter().zip(want.iter()) {
            for part in [|x: &S| x.real_part(), |x: &S| x.imaginary_part()] {
                for ((order, got), (_, want)) in S::parts(part(got)).into_iter().zip(S::parts(part(want))) {
                    assert!((got - want).abs() < 1e-13, "{rows} × {columns}, order {order}: {got} {want}");
                }
            }
        }
    }
}

#[test]
fn equal_singular_values_have_all_derivatives() {
    macro_rules! at {
        ($($N:ident),*) => {$(
            for (rows, columns) in [(1, 1), (3, 1), (3, 3), (5, 3), (9, 7)] {
                beside_inverse_root::<f64, $N<f64>>(rows, columns);
                beside_inverse_root::<Complex<f64>, $N<Complex<f64>>>(rows, columns);
            }
        )*};
    }
    type Nested<P> = Dual<Dual<P>>;
    at!(Dual, HyperDual, Nested);
}

/// `Σ ln σᵢ = ln|det A|`, with all derivatives where singular values are equal or far apart. The eigenvalues of `AᵀA` lose half of
/// the digits.
#[test]
fn sums_over_singular_values_by_the_symmetric_factor() {
    let turn = |angle: f64| matrix![angle.cos(), -angle.sin(); angle.sin(), angle.cos()];
    for [s, t] in [[1.0, 1.0], [1.0, 1.0 + 1e-9], [1e5, 1e-5], [3.0, -3.0]] {
        let f = turn(0.4) * matrix![s, 0.0; 0.0, t] * turn(-1.3);
        let (e, g) = (matrix![0.3, -1.0; 0.5, 0.7] * s, matrix![-0.2, 0.4; 1.1, 0.6] * s);
        let x = Matrix2::from_fn(|i, j| HyperDual::new(f[(i, j)], e[(i, j)], g[(i, j)], 0.0));
        let sum = trace(&symmetric_function(&polar(&x).unwrap().1, Ln).unwrap());
        let want = ln_abs_det(&x).unwrap();
        for (got, want) in [(sum.e1(), want.e1()), (sum.e2(), want.e2()), (sum.e12(), want.e12())] {
            let condition = (s / t).abs();
            assert!((got / want - 1.0).abs() < 1e-14 * condition, "{s} {t}: {got} {want}");
        }
    }
}

#[test]
fn far_from_one_and_of_low_rank() {
    for scale in [1e-200, 1e200] {
        let a = matrix![3.0, 1.0; -1.0, 3.0] * scale;
        let (u, p) = polar(&a.map(|a| Dual::new(a, a))).unwrap();
        let want = matrix![3.0, 1.0; -1.0, 3.0] / 10f64.sqrt();
        assert!((u.map(|u| u.value()) - want).norm() < 1e-15);
        assert!(u.map(|u| u.tangent()).norm() < 1e-15);
        assert!((p.map(|p| p.tangent() / scale) - Matrix2::identity() * 10f64.sqrt()).norm() < 1e-14);
    }
    let low = matrix![1.0, 2.0; 2.0, 4.0];
    let (u, p) = polar(&low).unwrap();
    assert!((u * p - low).norm() < 1e-14 && (u.transpose() * u - Matrix2::identity()).norm() < 1e-14);
    assert_eq!(polar(&low.map(Dual::variable)).unwrap_err(), AdError::Singular { op: "polar" });
    assert_eq!(polar(&(low * f64::NAN)).unwrap_err(), AdError::NotFinite { op: "polar" });
    assert_eq!(polar(&DMatrix::<f64>::zeros(0, 3)).unwrap().1, DMatrix::zeros(3, 3));
}

/// Two values that are equal, and the nuclear norm, whose gradient is the polar factor.
#[test]
fn the_nuclear_norm_has_a_third_derivative_where_values_are_equal() {
    // |I + tE|₁ = √((2 + 3t)² + t²) for E = [[1, 1], [0, 2]].
    let a = matrix![third(1.0, 1.0), third(0.0, 1.0); third(0.0, 0.0), third(1.0, 2.0)];
    let y = orders(nuclear_norm(&a).unwrap());
    assert!(y.iter().zip([2.0, 3.0, 0.5, -2.25]).all(|(y, w)| (y - w).abs() < 1e-14), "{y:?}");
}

/// A small singular value, by the closed form for `A = QΣRᵀ` of two rows: `U̇ = QΩRᵀ`, `Ω₁₀ = (m₁₀ − m₀₁)/(σ₀ + σ₁)` with
/// `M = QᵀȦR`.
#[test]
fn a_small_singular_value_keeps_all_digits() {
    let turn = |c: f64, s: f64| matrix![c, -s; s, c];
    let (q, r) = (turn(0.6, 0.8), turn(5.0 / 13.0, 12.0 / 13.0));
    let da = matrix![0.3, -1.1; 0.7, 0.4];
    for small in [1e-3, 1e-6, 1e-8, 1e-12] {
        let a = q * matrix![1.0, 0.0; 0.0, small] * r.transpose();
        let m = q.transpose() * da * r;
        let w = (m[(1, 0)] - m[(0, 1)]) / (1.0 + small);
        let want = q * matrix![0.0, -w; w, 0.0] * r.transpose();
        let of = |y: Dual<f64>| y.tangent();
        let dynamic = DMatrix::from_iterator(2, 2, a.iter().zip(da.iter()).map(|(&a, &d)| Dual::new(a, d)));
        let got = polar(&dynamic).unwrap().0.map(of);
        assert!((got - want).norm() < 4e-15, "{small:e}");
        // ⟨U̇, Ȧ⟩ is the second derivative of the nuclear norm.
        let nested = a.zip_map(&da, |a, d| Dual::new(Dual::new(a, d), Dual::constant(d)));
        let second = nuclear_norm(&nested).unwrap().tangent().tangent();
        assert!((second - want.dot(&da)).abs() < 4e-15, "{small:e}: {second} {}", want.dot(&da));
    }
    let largest = polar(&matrix![1e308_f64]).unwrap();
    assert_eq!((largest.0[0], largest.1[0]), (1.0, 1e308));
}
