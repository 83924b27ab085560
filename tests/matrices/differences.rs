//! Divided differences of functions on eigenvalues, the entries of derivatives at diagonal matrices, keep their digits.

use nalgebra::{DMatrix, Matrix2, Matrix3, Vector3};
use wengert::matrix::symmetric_function;
use wengert::rules::{Abs, Atan, Exp, Ln, Powi, Recip, Softplus, Sqrt, Tanh, Unary};
use wengert::{Dual, HyperDual};

#[track_caller]
fn close(got: f64, want: f64, limit: f64) {
    assert!((got - want).abs() <= limit * want.abs(), "{got:e} {want:e}");
}

/// `f[x, y]`.
fn first<U: Unary>(rule: U, [x, y]: [f64; 2]) -> f64 {
    let along = Dual::variable(0.0);
    let a = Matrix2::new(Dual::constant(x), along, along, Dual::constant(y));
    symmetric_function(&a, rule).unwrap()[(0, 1)].tangent()
}

/// `f[x, y, z]`: the first direction is between the first two eigenvalues, the second one between the last two.
fn second<U: Unary>(rule: U, points: [f64; 3]) -> f64 {
    let mut a = Matrix3::from_diagonal(&Vector3::from(points.map(HyperDual::constant)));
    for (i, direction) in [[1.0, 0.0], [0.0, 1.0]].into_iter().enumerate() {
        let along = HyperDual::new(0.0, direction[0], direction[1], 0.0);
        (a[(i, i + 1)], a[(i + 1, i)]) = (along, along);
    }
    symmetric_function(&a, rule).unwrap()[(0, 2)].e12()
}

#[test]
fn differences_see_kinks() {
    for [x, y] in [[-1.0, 1.0 + 1e-4], [-1e-9, 1.0001e-9], [-3.0, 3.0], [-2.0, 1.0]] {
        close(first(Abs, [x, y]), (y + x) / (y - x), 1e-15);
    }
}

#[test]
fn differences_keep_their_digits_at_any_distance() {
    for gap in [0.0, 1e-16, 1e-12, 1e-8, 1e-5, 1e-3, 0.01, 0.1, 0.3, 0.6, 1.0, 2.0, 5.0, 50.0] {
        for x in [1e-3, 0.3, 1.0, 7.0] {
            let [y, z] = [x + x * gap, x + x * gap * 1.7];
            close(first(Sqrt, [x, y]), 1.0 / (x.sqrt() + y.sqrt()), 4e-15);
            let h = 0.5 * (y - x);
            let sinhc = if h == 0.0 { 1.0 } else { h.sinh() / h };
            close(first(Exp, [x, y]) / (0.5 * (x + y)).exp(), sinhc, 4e-15);
            // Second order: 1/(xyz) and −1/((√x+√y)(√y+√z)(√x+√z)).
            close(second(Recip, [x, y, z]), 1.0 / (x * y * z), 2e-14);
            let [a, b, c] = [x, y, z].map(f64::sqrt);
            close(second(Sqrt, [x, y, z]), -1.0 / ((a + b) * (b + c) * (a + c)), 2e-14);
            close(second(Powi(3), [x, y, z]), x + y + z, 2e-14);
        }
    }
}

/// In the tails of a function, where its values are equal to many digits, and between many points, which share series.
#[test]
fn differences_in_tails_keep_their_digits() {
    let n = 14;
    for [middle, spread] in [[0.0, 4.0], [5.0, 2.0], [-7.0, 3.0], [9.0, 1.0]] {
        // Unevenly spaced, two of them close.
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin() + 1e-5 * i as f64).collect();
        let mut x: Vec<f64> = x.iter().map(|x| middle + spread * x).collect();
        x[3] = x[7] + 1e-9;
        x.sort_by(f64::total_cmp);
        let value = |i, j| if i == j { x[i] } else { 0.0 };
        let f =
            symmetric_function(&DMatrix::from_fn(n, n, |i, j| Dual::new(value(i, j), 1.0)), Tanh).unwrap();
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let h = x[i] - x[j];
            close(f[(i, j)].tangent(), h.sinh() / h / (x[i].cosh() * x[j].cosh()), 1e-14);
        }
    }
}

/// Second differences between many points share series too. Entries of the second derivative along a matrix of ones are
/// `2 Σⱼ f[i, j, l]`, of `1/x` `2 Σⱼ 1/(xᵢxⱼxₗ)`.
#[test]
fn second_differences_between_many_points_keep_their_digits() {
    let n = 12;
    let mut x: Vec<f64> = (0..n).map(|i| 1.5 + (i as f64 * 1.7).sin()).collect();
    x.sort_by(f64::total_cmp);
    let at = |i, j| HyperDual::new(if i == j { x[i] } else { 0.0 }, 1.0, 1.0, 0.0);
    let f = symmetric_function(&DMatrix::from_fn(n, n, at), Recip).unwrap();
    for (i, l) in (0..n).flat_map(|i| (0..n).map(move |l| (i, l))) {
        let want: f64 = x.iter().map(|xj| 2.0 / (x[i] * xj * x[l])).sum();
        close(f[(i, l)].e12(), want, 4e-14);
    }
}

/// Points too far apart for a short series and too near for quotients, by 60 digits.
#[test]
fn differences_between_series_and_quotients_keep_their_digits() {
    fn check<U: Unary>(rule: U, rows: &[([f64; 3], f64)]) {
        for &(points, want) in rows {
            close(second(rule, points), want, 4e-15);
        }
    }
    check(
        Tanh,
        &[
            ([0.125, 0.5, 0.75], -0.3337235746026548),
            ([-0.75, -0.5, 1.25], 0.028336637521879923),
            ([0.25, 1.0, 3.5], -0.18285143427914896),
        ],
    );
    check(
        Atan,
        &[
            ([0.25, 0.75, 1.5], -0.27572379098195804),
            ([-3.0, -2.5, -1.0], 0.07620810604597178),
            ([0.5, 2.0, 8.0], -0.049660262682646505),
        ],
    );
    check(Exp, &[([-3.0, -2.75, -1.5], 0.04719911186533553), ([0.5, 1.0, 4.0], 4.329762367441114)]);
    check(Softplus, &[([-0.75, 0.0, 1.5], 0.11724851808376781), ([1.0, 3.0, 4.5], 0.030660218139659492)]);
    check(
        Ln,
        &[
            ([0.125, 0.25, 0.75], -5.3567245874293485),
            ([1.0, 1.5, 5.0], -0.11673449660222962),
            ([0.5, 3.0, 3.5], -0.1361341426789018),
        ],
    );
    check(
        Sqrt,
        &[
            ([1.75, 1.875, 3.5], -0.035895313362287275),
            ([1.75, 6.75, 7.0], -0.012255183298877243),
            ([0.5, 0.75, 4.0], -0.08193120857644161),
        ],
    );
}
