//! Matrices whose rows and columns have very different sizes. A similar matrix `D⁻¹AD`, D a diagonal matrix of powers of two,
//! has the results of A up to powers of two.

use nalgebra::DMatrix;
use num_complex::Complex64;
use wengert::matrix::{self, Entry};
use wengert::{AdError, Dual, Real, gradient, hessian};

fn close(what: &str, got: f64, expected: f64, size: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance * size, "{what}: {got:e} instead of {expected:e}");
}

/// A filter in controllable form: its poles at each frequency are known.
#[test]
fn companions_have_the_poles_of_their_filter() -> Result<(), AdError> {
    fn butterworth<T: Real<Base = f64>>(w: T) -> DMatrix<T> {
        let c = [1.0, 2.613125929752753, 3.414213562373095, 2.613125929752753];
        DMatrix::from_fn(4, 4, |i, j| match i {
            3 => w.powi(4 - j as i32) * -c[j],
            _ => T::lit(f64::from(u8::from(j == i + 1))),
        })
    }
    let poles = [-7.0, 7.0, -5.0, 5.0].map(|k| Complex64::cis(std::f64::consts::PI / 8.0 * k));
    for w in [1.0_f64, 1e2, 1e4, 6.3e6, 1e40, 1e-30] {
        let values = matrix::eigenvalues(&butterworth(w))?;
        let tangents = matrix::eigenvalues(&butterworth(Dual::variable(w)))?;
        for ((value, tangent), pole) in values.iter().zip(&tangents).zip(poles) {
            close("Re λ", value.re, pole.re * w, w, 1e-14);
            close("Im λ", value.im, pole.im * w, w, 1e-14);
            close("Re λ′", tangent.re.tangent(), pole.re, 1.0, 1e-13);
            close("Im λ′", tangent.im.tangent(), pole.im, 1.0, 1e-13);
        }
        let last = |w: f64| gradient(|w| matrix::eigenvalues(&butterworth(w[0])).unwrap()[3].im, &[w])[0];
        close("Im λ′ on a tape", last(w), poles[3].im, 1.0, 1e-13);
        let h = hessian(|w| matrix::eigenvalues(&butterworth(w[0])).unwrap()[0].re, &[w]);
        close("λ is linear", h[0] * w, 0.0, 1.0, 1e-12);
        if (1e-20..1e20).contains(&w) {
            // From the system of Kronecker products, solved with 60 digits.
            let q = DMatrix::from_fn(4, 4, |i, j| if i == 3 && j == 3 { -1.0 } else { 0.0 });
            let x = matrix::lyapunov(&butterworth(w), &q)?[(0, 0)] * w.powi(7);
            close("covariance", x, 0.3266407412190942, 1.0, 1e-14);
        }
        // From the power series with 60 digits.
        let e = matrix::expm(&(butterworth(w) / w))?[(0, 0)];
        close("expm", e, 0.9758610969518244, 1.0, 1e-14);
    }
    Ok(())
}

fn number(i: usize, j: usize, seed: usize) -> f64 {
    ((7 * i + 3 * j * j + i * j + 11 * seed) as f64).sin()
}

/// Long chains, which rounds over the rows would balance one row further each.
#[test]
fn bands_are_balanced() -> Result<(), AdError> {
    for (n, by) in [(10, 20), (20, 10), (20, 20), (40, 10), (40, 20), (80, 10)] {
        let band = |i: usize, j: usize| if i.abs_diff(j) <= 1 { number(i, j, 1) } else { 0.0 };
        let graded = DMatrix::from_fn(n, n, |i, j| band(i, j) * 2f64.powi(by * (j as i32 - i as i32)));
        let values = matrix::eigenvalues(&graded)?;
        let expected = matrix::eigenvalues(&DMatrix::from_fn(n, n, band))?;
        for (value, expected) in values.iter().zip(&expected) {
            close("λ of a band", (value - expected).norm(), 0.0, 1.0, 1e-11);
        }
    }
    Ok(())
}

/// Right-hand sides that balancing takes out of the range, and solutions whose large entries are exact without balancing.
#[test]
fn solutions_keep_range_and_digits() -> Result<(), AdError> {
    // `AX + XAᵀ = −I` by its scaling law: X₃₃ = 0.1352990… w⁵ is not in reach of the balanced right-hand side.
    for w in [1e40_f64, 1e60] {
        let c = [1.0, 2.613125929752753, 3.414213562373095, 2.613125929752753];
        let a = DMatrix::from_fn(4, 4, |i, j| match i {
            3 => -c[j] * w.powi(4 - j as i32),
            _ => f64::from(u8::from(j == i + 1)),
        });
        let x = matrix::lyapunov(&a, &-DMatrix::<f64>::identity(4, 4))?;
        assert!(x.iter().all(|x| x.is_finite()), "{x}");
        close("X₃₃", x[(3, 3)] / w.powi(5), 0.135_299_0, 1.0, 1e-7);
    }
    for (a, q) in [
        (
            [-10.111953830970853, 7.924774618297591e-08, 72248.99306039179, -10.315656033347668],
            [0.877438, 0.787769, 0.701190, -0.395873],
        ),
        ([1.0, 1e10, 1e-20, 1.0], [1.0, 3.0, 2.0, 4.0]),
    ] {
        let (a, q) = (DMatrix::from_row_slice(2, 2, &a), DMatrix::from_row_slice(2, 2, &q));
        let x = matrix::lyapunov(&a, &q)?;
        // Each entry of the residual is small beside the terms of its sum.
        let residual = &a * &x + &x * a.transpose() - &q;
        let terms = a.abs() * x.abs() + x.abs() * a.transpose().abs() + q.abs();
        assert!(residual.zip_map(&terms, |r, t| r.abs() / t).amax() < 1e-15, "{residual}{terms}");
    }
    Ok(())
}

/// A trace at a balanced point follows the matrix to others, which are balanced anew.
#[test]
fn programs_balance_at_each_point() -> Result<(), AdError> {
    use wengert::programs::{Traced, trace};
    fn outputs<T: Real<Base = f64> + Entry<Number = T, Re = T>>(w: &[T]) -> Vec<T> {
        let a = DMatrix::from_fn(3, 3, |i, j| match i {
            2 => w[0].powi(3 - j as i32) * -[1.0, 2.0, 2.5][j],
            _ => T::lit(f64::from(u8::from(j == i + 1))),
        });
        let q = DMatrix::from_fn(3, 3, |i, j| T::lit(number(i, j, 1)));
        let e = matrix::expm(&(&a * w[0].recip())).unwrap();
        let x = matrix::lyapunov(&a, &q).unwrap();
        let values = matrix::eigenvalues(&a).unwrap();
        e.iter().chain(&x).copied().chain(values.iter().map(|z| z.real_part())).collect()
    }
    for traced_at in [1.0, 1e4] {
        let program = trace(|w: &[Traced]| outputs(w), &[traced_at]);
        let jacobian = program.jacobian()?;
        for w in [1.0, 2e3, 1e6] {
            assert_eq!(program.run(&[w])?, outputs(&[w]), "traced at {traced_at}, run at {w}");
            let expected: Vec<f64> = outputs(&[Dual::variable(w)]).iter().map(|y| y.tangent()).collect();
            for (got, expected) in jacobian.run(&[w])?.iter().zip(&expected) {
                close("slope", *got, *expected, expected.abs(), 1e-12);
            }
        }
    }
    Ok(())
}

/// All results at `D⁻¹AD`, with the powers of two taken back: these are functions of A that do not depend on D.
fn results<T: Real<Base = f64> + Entry<Number = T, Re = T>>(
    a: &DMatrix<T>,
    d: &[i32],
) -> Vec<(&'static str, T)> {
    let n = a.nrows();
    let power = |by: i32| T::lit(2f64.powi(by));
    let a = DMatrix::from_fn(n, n, |i, j| a[(i, j)] * power(d[j] - d[i]));
    let b = DMatrix::from_fn(3, 3, |i, j| T::lit(number(i, j, 5) + if i == j { 4.0 } else { 0.0 }));
    let c = DMatrix::from_fn(n, 3, |i, j| T::lit(number(i, j, 6)) * power(-d[i]));
    let q = DMatrix::from_fn(n, n, |i, j| T::lit(number(i, j, 7)) * power(-d[i] - d[j]));
    let mut all = Vec::new();
    let values = matrix::eigenvalues(&a).unwrap();
    all.extend(values.iter().flat_map(|z| [z.real_part(), z.imaginary_part()]).map(|x| ("eigenvalues", x)));
    let pairs = matrix::eigen(&a).unwrap();
    all.extend(
        pairs.eigenvalues.iter().flat_map(|z| [z.real_part(), z.imaginary_part()]).map(|x| ("eigen", x)),
    );
    for v in pairs.eigenvectors.column_iter() {
        let norm = v.iter().fold(T::lit(0.0), |s, z| s + z.real_part().powi(2) + z.imaginary_part().powi(2));
        all.push(("norm", norm));
        let of_a = |k: usize| [v[k].real_part() * power(d[k]), v[k].imaginary_part() * power(d[k])];
        let [re, im] = of_a(0);
        // Quotients of entries have no gauge.
        all.extend((1..n).flat_map(|k| {
            let ([x, y], over) = (of_a(k), re * re + im * im);
            [("vector", (x * re + y * im) / over), ("vector", (y * re - x * im) / over)]
        }));
    }
    let scaled = |name, x: &DMatrix<T>, by: &dyn Fn(usize, usize) -> i32| {
        let of = |(k, &x): (usize, &T)| (name, x * power(by(k % n, k / n)));
        x.iter().enumerate().map(of).collect::<Vec<_>>()
    };
    all.extend(scaled("expm", &matrix::expm(&a).unwrap(), &|i, j| d[i] - d[j]));
    all.extend(scaled("sylvester", &matrix::sylvester(&a, &b, &c).unwrap(), &|i, _| d[i]));
    let transposed = matrix::sylvester(&b, &a.transpose(), &c.transpose()).unwrap().transpose();
    all.extend(scaled("sylvester of B", &transposed, &|i, _| d[i]));
    all.extend(scaled("lyapunov", &matrix::lyapunov(&a, &q).unwrap(), &|i, j| d[i] + d[j]));
    all
}

#[test]
fn similar_matrices_have_the_derivatives_of_the_matrix() {
    for n in [2, 3, 5] {
        let a = DMatrix::from_fn(n, n, |i, j| number(i, j, n) - if i == j { 3.0 } else { 0.0 });
        let [u, v] = [1, 2].map(|seed| DMatrix::from_fn(n, n, |i, j| number(i, j, 20 + seed)));
        let point = DMatrix::from_fn(n, n, |i, j| {
            let outer = Dual::new(a[(i, j)], u[(i, j)]);
            Dual::new(outer, Dual::constant(v[(i, j)]))
        });
        let parts = |x: &Dual<Dual<f64>>| {
            [x.value().value(), x.value().tangent(), x.tangent().value(), x.tangent().tangent()]
        };
        let none = vec![0; n];
        let expected = results(&point, &none);
        let sum = |d: &[i32]| {
            let weighted = |(k, (_, y)): (usize, (&str, _))| y * number(k, 1, 9);
            gradient(|a: &DMatrix<_>| results(a, d).into_iter().enumerate().map(weighted).sum(), &a)
        };
        let expected_gradient = sum(&none);
        let graded = |by: i32| (0..n as i32).map(|i| by * i).collect::<Vec<_>>();
        for d in [graded(13), graded(-40), graded(3), (0..n as i32).map(|i| 37 * i * i % 61 - 30).collect()] {
            for ((name, got), (_, expected)) in results(&point, &d).iter().zip(&expected) {
                for (order, (got, expected)) in parts(got).into_iter().zip(parts(expected)).enumerate() {
                    close(
                        &format!("{name} {order}, {n} rows"),
                        got,
                        expected,
                        expected.abs().max(1.0),
                        1e-11,
                    );
                }
            }
            let size = expected_gradient.amax();
            sum(&d).iter().zip(&expected_gradient).for_each(|(g, e)| close("gradient", *g, *e, size, 1e-11));
        }
    }
}
