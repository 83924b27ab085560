//! Orthogonal factors of real square matrices whose last column is nearly in the span of the others. The last column of Q
//! is orthogonal to the others, so it does not depend on the last column of the matrix but for its sign: a well-conditioned
//! matrix with the same other columns has the same Q, with derivatives of all orders.

use nalgebra::{DMatrix, Matrix1, Matrix2};
use wengert::matrix::{RealEntry, qr};
use wengert::{Dual, Taylor, Var, gradient, hvp};

fn value(i: usize, j: usize) -> f64 {
    ((1 + i * 5 + j * 3) as f64).sin() + if i == j { 2.0 } else { 0.0 }
}

/// A component of tangents without zeros and symmetries.
fn tangent(order: usize, i: usize, j: usize) -> f64 {
    ((2 + 3 * i + 7 * j) as f64 * (0.3 + 0.4 * order as f64)).cos()
}

/// The largest difference between Q of the matrix with these entries, but where the value of the last column is `near` times
/// itself plus a combination of the others, and Q of a well-conditioned matrix with the same other columns.
fn difference<T: RealEntry>(
    n: usize,
    near: f64,
    x: impl Fn(usize, usize) -> T,
    components: impl Fn(T) -> Vec<f64>,
) -> f64 {
    let combined =
        |i| (0..n - 1).map(|j| value(i, j) * (0.3 + j as f64)).sum::<f64>() + near * value(i, n - 1);
    let last = |i| x(i, n - 1) + T::constant(combined(i) - value(i, n - 1));
    let q = |last: &dyn Fn(usize) -> T| {
        qr(&DMatrix::from_fn(n, n, |i, j| if j + 1 < n { x(i, j) } else { last(i) })).unwrap().0
    };
    let [q, expected] = [q(&last), q(&|i| T::constant(value(i, n - 1)))].map(|q| q.map(&components));
    let mut most = 0.0_f64;
    for j in 0..n {
        let (q, expected) = (q.column(j), expected.column(j));
        let sign = q.iter().zip(&expected).map(|(a, b)| a[0] * b[0]).sum::<f64>().signum();
        for (a, b) in q.iter().zip(&expected) {
            let differences = a.iter().zip(b).map(|(a, b)| (a * sign - b).abs());
            most = differences.fold(most, |most, x| if most.is_nan() || x <= most { most } else { x });
        }
    }
    most
}

#[test]
fn the_last_column_of_q_has_all_digits_in_forward_numbers() {
    for n in [2, 3, 6, 7, 13] {
        for near in [0.5, 1e-2, 2e-3, 1e-6, 1e-9, 1e-12] {
            let demand = |kind: &str, difference: f64| {
                assert!(difference < 1e-12, "{kind}, {n} rows, {near}: {difference:e}");
            };
            let dual = |i, j| Dual::new(value(i, j), tangent(0, i, j));
            demand("Dual", difference(n, near, dual, |x| vec![x.value(), x.tangent()]));
            let nested = |i, j| Dual::new(dual(i, j), Dual::new(tangent(1, i, j), tangent(2, i, j)));
            let of_dual = |x: Dual<f64>| [x.value(), x.tangent()];
            demand(
                "Dual<Dual>",
                difference(n, near, nested, |x| [x.value(), x.tangent()].map(of_dual).concat()),
            );
            let series =
                |i, j| Taylor::<f64, 3>::new(value(i, j), [0, 1, 2].map(|order| tangent(order, i, j)));
            demand("Taylor", difference(n, near, series, |x| (0..4).map(|k| x.coefficient(k)).collect()));
        }
    }
}

#[test]
fn the_last_column_of_q_has_all_digits_in_reverse_mode() {
    for near in [1e-2, 2e-3, 1e-6, 1e-9, 1e-12] {
        let a = Matrix2::new(1.0, 0.6, 0.5, 0.3 + near);
        // f = −y/√(x² + y²) of the first column (x, y), and its tangent (0.3, −0.7).
        let (x, y, r) = (1.0, 0.5, 1.25_f64.sqrt());
        let first = [x * y / r.powi(3), -x * x / r.powi(3)];
        let [xx, xy, yy] = [y * (y * y - 2.0 * x * x), x * (x * x - 2.0 * y * y), 3.0 * x * x * y];
        let second = [0.3 * xx - 0.7 * xy, 0.3 * xy - 0.7 * yy].map(|h| h / r.powi(5));
        let v = Matrix2::new(0.3, 0.2, -0.7, 0.9);
        let g = gradient(|x: &Matrix2<Var<f64>>| qr(x).unwrap().0[(0, 1)], &a);
        let hv = hvp(|x: &Matrix2<Var<Dual<f64>>>| qr(x).unwrap().0[(0, 1)], &a, &v);
        assert!((g - Matrix2::new(first[0], 0.0, first[1], 0.0)).norm() < 1e-13, "{near}: {g}");
        assert!(
            (hv - Matrix2::new(second[0], 0.0, second[1], 0.0)).norm() < 1e-12,
            "{near}: {hv} {second:?}"
        );
    }
}

#[test]
fn both_factors_of_a_number_have_their_cotangents_at_every_size() {
    for x in [1e-300, 1e-17, 1.0, -1e-9, 1e200] {
        let weighted = |x: &Matrix1<Var<f64>>| {
            let (q, r) = qr(x).unwrap();
            q[0] * 0.3 + r[0] * 0.7
        };
        assert_eq!(gradient(weighted, &Matrix1::new(x))[0], 0.7 * f64::signum(x), "{x:e}");
    }
}
