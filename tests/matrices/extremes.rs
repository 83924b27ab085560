//! Rows of extreme sizes, vectors of infinite length, equal entries where the largest decides, and the sign of a
//! determinant.

use fastrand::Rng;
use nalgebra::{Complex, DMatrix, DVector, Matrix1, dmatrix, dvector, matrix as fixed, vector};
use wengert::matrix::{self, Lu, det, normalize, sign_ln_det, svd};
use wengert::{AdError, Dual, DualN, HyperDual, Number, Tape, gradient, hessian};

fn random(rng: &mut Rng, n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |i, j| 2.0 * rng.f64() - 1.0 + if i == j { 2.0 } else { 0.0 })
}

/// Row scales whose product is 1: huge and tiny ones in turn.
fn scales(n: usize) -> Vec<f64> {
    let huge = 2f64.powi(399); // 1e120
    (0..n).map(|i| if i + 1 == n && n % 2 == 1 { 1.0 } else { [huge, huge.recip()][i % 2] }).collect()
}

fn near(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= 1e-11 * want.abs(), "{what}: {got:e} instead of {want:e}");
}

/// `det(DB) = det D·det B`, and so its derivative, however the rows or columns are scaled.
#[test]
fn determinants_of_badly_scaled_matrices() {
    let mut rng = Rng::with_seed(120);
    for n in (1..=12).chain([16, 20]) {
        let (b, db) = (random(&mut rng, n), random(&mut rng, n));
        let pairs = |d: &dyn Fn(usize, usize) -> f64| {
            DMatrix::from_fn(n, n, |i, j| Dual::new(b[(i, j)] * d(i, j), db[(i, j)] * d(i, j)))
        };
        let want = det(&pairs(&|_, _| 1.0));
        let s = scales(n);
        for (name, a) in [("rows", pairs(&|i, _| s[i])), ("columns", pairs(&|_, j| s[j]))] {
            let got = det(&a);
            near(got.value(), want.value(), &format!("value, {n} {name}"));
            near(got.tangent(), want.tangent(), &format!("tangent, {n} {name}"));
            near(det(&a.map(|a| a.value())), want.value(), &format!("plain, {n} {name}"));
        }
    }
}

/// One cofactor after the other, by both modes: `∂det/∂aᵢⱼ` has the size of all other rows.
#[test]
fn cofactors_of_badly_scaled_matrices() {
    let mut rng = Rng::with_seed(121);
    for n in [2, 3, 4, 6, 7, 9] {
        let (b, s) = (random(&mut rng, n), scales(n));
        let scaled = DMatrix::from_fn(n, n, |i, j| b[(i, j)] * s[i]);
        let cofactor = |i: usize, j: usize| {
            let minor = b.clone().remove_row(i).remove_column(j);
            if (i + j).is_multiple_of(2) { minor.determinant() } else { -minor.determinant() }
        };
        let tape = Tape::new();
        let variables = scaled.map(|a| tape.variable(a));
        let bars = tape.cotangents(det(&variables));
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            // The other rows' scales have the product 1/sᵢ.
            let want = if n == 1 { 1.0 } else { cofactor(i, j) / s[i] };
            near(bars.of(variables[(i, j)]), want, &format!("cotangent {i} {j} of {n}"));
            let one = DMatrix::from_fn(n, n, |p, q| {
                if (p, q) == (i, j) { Dual::variable(scaled[(p, q)]) } else { Dual::constant(scaled[(p, q)]) }
            });
            near(det(&one).tangent(), want, &format!("tangent {i} {j} of {n}"));
        }
    }
}

/// From the factors, as from the matrix: pivots whose products leave the range of numbers on the way, in either order.
#[test]
fn determinants_from_factors_of_pivots_of_all_sizes() {
    for n in [4, 6, 8, 12, 14] {
        for first in [1e200, 1e-200] {
            let size = |i: usize| if i < n / 2 { first } else { 1.0 / first };
            let a = DMatrix::from_fn(n, n, |i, j| if i == j { 3.0 * size(i) } else { 0.0 });
            let da = DMatrix::from_fn(n, n, |i, j| {
                (1.0 + (i + 2 * j) as f64) * if i == j { size(i) } else { 0.0 }
            });
            let dual = a.zip_map(&da, Dual::new);
            let (got, want) = (Lu::new(&dual).unwrap().det(), det(&dual));
            near(got.value(), want.value(), "value");
            near(got.tangent(), want.tangent(), "tangent");
            near(Lu::new(&a).unwrap().det(), 3f64.powi(n as i32), "plain");
            let lanes = dual.map(|x| DualN::<f64, 3>::new(x.value(), [x.tangent(), 0.0, 1.0]));
            near(Lu::new(&lanes).unwrap().det().tangents()[0], want.tangent(), "lanes");
            let tape = Tape::new();
            let variables = a.map(|a| tape.variable(a));
            let bars = tape.cotangents(Lu::new(&variables).unwrap().det());
            for i in 0..n {
                near(bars.of(variables[(i, i)]), want.value() / a[(i, i)], "cotangent");
            }
        }
    }
    // One that is beyond the range itself.
    let huge = DMatrix::from_diagonal_element(4, 4, 1e100);
    assert_eq!((Lu::new(&huge).unwrap().det(), det(&huge)), (f64::INFINITY, f64::INFINITY));
}

/// The sign: constant for real matrices; of complex ones `ṡ = i·Im tr(A⁻¹Ȧ)·s`, and `s·exp(ln|det|)` is the determinant,
/// with two derivatives.
#[test]
fn signs_of_determinants_have_derivatives() {
    let mut rng = Rng::with_seed(8);
    for n in [1, 2, 3, 4, 6, 7, 9] {
        let (a, da) = (random(&mut rng, n), random(&mut rng, n));
        let (sign, ln) = sign_ln_det(&a.zip_map(&da, Dual::new)).unwrap();
        assert_eq!((sign.value().abs(), sign.tangent()), (1.0, 0.0));
        let trace = (a.clone().try_inverse().unwrap() * &da).trace();
        assert!((ln.tangent() - trace).abs() < 1e-12 * trace.abs().max(1.0), "{n}");

        let (im, dim) = (random(&mut rng, n), random(&mut rng, n));
        let [z, dz] = [a.zip_map(&im, Complex::new), da.zip_map(&dim, Complex::new)];
        let nested = |z, dz| Dual::new(Dual::new(z, dz), Dual::constant(dz));
        let (sign, ln) = sign_ln_det(&z.zip_map(&dz, nested)).unwrap();
        let trace = (z.clone().try_inverse().unwrap() * &dz).trace();
        let want = Complex::new(0.0, trace.im) * sign.value().value();
        assert!((sign.value().tangent() - want).norm() < 1e-12 * want.norm().max(1.0), "{n}");
        let product = sign * Dual::<Dual<Complex<f64>>>::from_re(Number::exp(ln));
        let whole = det(&z.zip_map(&dz, nested));
        let size = whole.value().value().norm();
        for (x, y) in [
            (product.value().value(), whole.value().value()),
            (product.value().tangent(), whole.value().tangent()),
            (product.tangent().tangent(), whole.tangent().tangent()),
        ] {
            assert!((x - y).norm() < 1e-11 * (y.norm() + size), "{n}: {x} {y}");
        }
    }
    // The cotangent of a real sign is zero.
    let tape = Tape::new();
    let x = dmatrix![1.0, 2.0; 3.0, 4.0].map(|x| tape.variable(x));
    let bars = tape.cotangents(sign_ln_det(&x).unwrap().0);
    assert_eq!(bars.of_all(x.as_slice()), [0.0; 4]);
}

/// The determinant of one number is the number.
#[test]
fn the_determinant_of_an_infinite_number_has_the_derivative_1() {
    let det = det(&Matrix1::new(Dual::new(f64::INFINITY, 1.0)));
    assert_eq!((det.value(), det.tangent()), (f64::INFINITY, 1.0));
}

/// Lengths beyond the largest number are lengths all the same; a vector with an infinite entry has no direction.
#[test]
fn vectors_of_infinite_length() {
    for scale in [1e-320, 1e-200, 1.0, 1e200, 1.7e308] {
        let u = normalize(&vector![scale, -scale]).unwrap();
        let want = 0.5f64.sqrt();
        assert!((u - vector![want, -want]).norm() < 1e-15, "{scale:e}: {u}");
    }
    let long = [1.7e308, -1.7e308];
    let active =
        DVector::from_iterator(2, long.iter().map(|&x| Dual::new(x, x * [1.0, 0.0][usize::from(x < 0.0)])));
    let u = normalize(&active).unwrap();
    let want = 0.25 * 2f64.sqrt();
    assert!((u[0].tangent() - want).abs() < 1e-14 && (u[1].tangent() - want).abs() < 1e-14, "{u}");
    for strange in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let plain = normalize(&dvector![1.0, strange]);
        assert_eq!(plain, Err(AdError::NoDirection { op: "normalize" }), "{strange}");
        assert!(normalize(&vector![Dual::variable(1.0), Dual::variable(strange)]).is_err());
        assert!(normalize(&vector![Complex::new(0.0, strange), Complex::new(1.0, 0.0)]).is_err());
    }
}

/// Where several entries are the largest, the first of them is real and positive, also with derivatives.
#[test]
fn ties_in_the_phases_of_singular_vectors() {
    let a = fixed![3.0_f64, 1.0; 1.0, 3.0]; // U = [1, ±1]/√2
    let da = fixed![0.3, -0.7; 0.2, 0.5];
    for sign in [1.0, -1.0] {
        let tied = (a * sign).zip_map(&da, Dual::new);
        let found = svd(&tied).unwrap();
        let dynamic = svd(&DMatrix::from_iterator(2, 2, tied.iter().copied())).unwrap();
        for i in 0..2 {
            assert!(found.u[(0, i)].value() > 0.0, "{sign}: {}", found.u);
            assert!((found.u[(0, i)] - dynamic.u[(0, i)]).value().abs() < 1e-15);
        }
        let s = DMatrix::from_diagonal(&DVector::from_column_slice(found.singular_values.as_slice()));
        let again = matrix::matmul(&matrix::matmul(&dynamic.u, &s), &dynamic.v_t);
        let residual =
            (again - DMatrix::from_iterator(2, 2, tied.iter().copied())).map(|x| x.tangent()).norm();
        assert!(residual < 1e-14, "{residual:e}");
    }
    // Complex ties: the first entry stays real, in value and tangent.
    let i = Complex::new(0.0_f64, 1.0);
    let z = fixed![Complex::from(3.0), i; -i, Complex::from(3.0)];
    let dz = da.map(|x| Complex::new(x, 0.4 - x));
    let found = svd(&z.zip_map(&dz, Dual::new)).unwrap();
    for k in 0..2 {
        let first = found.u[(0, k)];
        assert!(first.value().re > 0.0 && first.value().im.abs() < 1e-15, "{first}");
        assert!(first.tangent().im.abs() < 1e-14, "{first}");
    }
}

/// `broadcast_scalar` at every scalar: the cotangent of the number is the sum over all entries.
#[test]
fn numbers_against_entries_at_every_scalar() {
    fn total<S: matrix::Entry>(a: [f64; 3], b: S) -> S {
        matrix::sum(&matrix::broadcast_scalar(&vector![a[0], a[1], a[2]].map(S::constant), b, |a, b| {
            a * b * b
        }))
    }
    let a = [1.0, 2.0, 4.0]; // 7b²
    assert_eq!(gradient(|b| total(a, b[0]), &[3.0]), [42.0]);
    assert_eq!(gradient(|b| total(a, b[0]), &[3.0f32]), [42.0]);
    assert_eq!(hessian(|b| total(a, b[0]), &[3.0])[(0, 0)], 14.0);
    assert_eq!(total(a, Dual::variable(3.0f32)).tangent(), 42.0);
    assert_eq!(total(a, DualN::<f64, 2>::variable(3.0, 1)).tangents(), [0.0, 42.0]);
    assert_eq!(total(a, HyperDual::variable(3.0)).e12(), 14.0);
    let z = Complex::new(1.0, 2.0);
    assert_eq!(total(a, Dual::variable(z)).tangent(), z * 14.0);
    assert_eq!(total(a, Complex::new(Dual::variable(1.0), Dual::constant(2.0))).im.tangent(), 28.0);
    let tape = Tape::new();
    let b = Complex::new(tape.variable(1.0), tape.variable(2.0));
    let bars = tape.cotangents(total(a, b).im); // 28·re·im/2
    assert_eq!((bars.of(b.re), bars.of(b.im)), (28.0, 14.0));
}

/// Derivatives of systems of a few unknowns scale with the matrix by powers of two, to the ends of the range.
#[test]
fn small_systems_scale_to_the_ends_of_the_range() {
    fn slopes<T: wengert::Real<Base = f64>>(t: T, s: f64) -> [T; 3] {
        let (a, zero) =
            (fixed![2.0, 1.0, -0.5; 0.25, -1.0, 3.0; 1.5, 0.5, 1.0].map(|x: f64| T::lit(x * s)), T::lit(0.0));
        let a = a + nalgebra::Matrix3::new(t, zero, t, t, t, zero, zero, t, -t);
        let b = vector![1.0, -2.0, 0.5].map(|x| T::lit(x * s));
        let x = matrix::solve(&a, &b).unwrap();
        let y = Lu::new(&a).unwrap().solve_transpose(&b);
        [x[1], y[2], matrix::ln_abs_det(&a).unwrap()]
    }
    for e in [-900, -600, -300, 300, 500, 520, 600, 900] {
        let s = 2f64.powi(e);
        let forward = |s: f64| slopes(Dual::variable(0.25 * s), s).map(|y| y.tangent() * s);
        let reverse = |s: f64| {
            let tape = Tape::new();
            let t = tape.variable(0.25 * s);
            slopes(t, s).map(|y| tape.cotangents(y).of(t) * s)
        };
        for (far, near) in [(forward(s), forward(1.0)), (reverse(s), reverse(1.0))] {
            assert!(
                far.iter().zip(near).all(|(x, y)| (x / y - 1.0).abs() < 1e-12),
                "2^{e}: {far:?} {near:?}"
            );
        }
    }
}

/// Products have the signs of their zeros at every number type.
#[test]
fn zeros_of_products_keep_their_signs() {
    let zero = |a: f64, b: f64| matrix::matmul(&fixed![a; a], &fixed![b, b])[(0, 0)];
    for (a, b) in [(0.0, -0.0), (-0.0, 0.0), (0.0, 0.0), (-0.0, -0.0), (-1.0, 0.0)] {
        let tape = Tape::new();
        let [a1, b1] = [a, b].map(|x: f64| tape.variable(x));
        let on_tape = matrix::matmul(&fixed![a1; a1], &fixed![b1, b1])[(0, 0)].value();
        assert_eq!(f64::to_bits(on_tape), zero(a, b).to_bits(), "{a}·{b}");
    }
}

/// Complex systems scale with the matrix, to the ends of the range; so do their derivatives.
#[test]
fn complex_systems_scale_to_the_ends_of_the_range() {
    type C = Complex<f64>;
    let entry = |i: usize, j: usize| C::new([3.0, -1.0, 0.5][(i + j) % 3], (i * 2 + j) as f64 - 1.5);
    for n in [1, 2, 3, 4, 7, 14] {
        let unit =
            DMatrix::from_fn(n, n, |i, j| entry(i, j) + if i == j { C::new(4.0, 3.0) } else { C::default() });
        let inverse = matrix::inverse(&unit).unwrap();
        let (_, _, upper) = matrix::lu(&unit).unwrap();
        for e in [-1000, -700, -520, 520, 700, 1000] {
            let s = 2f64.powi(e);
            let scaled = matrix::inverse(&unit.map(|z| z * s)).unwrap().map(|z| z * s);
            assert!((scaled - &inverse).camax() < 1e-13, "{n}, 2^{e}");
            let (_, _, of_scaled) = matrix::lu(&unit.map(|z| z * s)).unwrap();
            assert!((of_scaled.map(|z| z / s) - &upper).camax() < 1e-13, "{n}, 2^{e}");
            let active = unit.map(|z| Dual::new(z * s, z * s));
            let x = matrix::solve(&active, &active.column(0).into_owned()).unwrap();
            let unit = |i: usize| if i == 0 { 1.0 } else { 0.0 };
            assert!(
                (0..n).all(|i| (x[i].value() - unit(i)).norm() + x[i].tangent().norm() < 1e-13),
                "{n}, 2^{e}"
            );
        }
    }
}

/// Logarithms and roots depend on the sign of a zero imaginary part: it is one at all number types.
#[test]
fn zeros_in_complex_determinants_have_one_sign() {
    type C = Complex<f64>;
    for (n, k) in (1..=10).flat_map(|n| (0..20).map(move |k| (n, k))) {
        let entry = |i: usize, j: usize| ((i * i * 3 + j * 5 + i * j * (k + 1) + k) % 11) as f64 - 4.0;
        let a = DMatrix::from_fn(n, n, |i, j| C::from(entry(i, j)));
        let want = matrix::det(&a).im.to_bits();
        let one = matrix::det(&a.map(Dual::constant)).value().im.to_bits();
        let many = matrix::det(&a.map(DualN::<C, 3>::constant)).value().im.to_bits();
        assert_eq!([one, many], [want; 2], "{n} rows, {k}");
    }
}
