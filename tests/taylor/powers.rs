//! Powers of series that start small: as accurate as repeated products, relative to the powers of absolute
//! coefficients.

use fastrand::Rng;
use num_complex::Complex;
use wengert::series::{derivatives, tensor};
use wengert::{Dual, Number, Taylor, TaylorDyn};

pub const K: usize = 30;
pub type Series = Taylor<f64, K>;

/// Repeated products, and the products of absolute coefficients, which grow beyond 40 factors as their rounding does.
fn products(x: Series, n: usize) -> [Series; 2] {
    let size = Taylor::new(x.value().abs(), x.coefficients().map(f64::abs));
    let [want, size] = [x, size].map(|x| (1..n).fold(x, |y, _| y * x));
    [want, size * (n as f64 / 40.0).max(1.0)]
}

/// Within `16·(k + 1)` eps of `size` at each order `k`.
fn near(what: &str, got: &[f64], [want, size]: [Series; 2]) {
    assert_eq!(got.len(), K + 1);
    for (k, &got) in got.iter().enumerate() {
        let limit = 16.0 * (k + 1) as f64 * f64::EPSILON * size.coefficient(k) + f64::MIN_POSITIVE;
        let error = (got - want.coefficient(k)).abs();
        assert!(error <= limit, "{what} order {k}: {got:e}, want {:e}, error {error:e}", want.coefficient(k));
    }
}

fn all(x: Series) -> Vec<f64> {
    (0..=K).map(|k| x.coefficient(k)).collect()
}

/// The coefficients of a function at a series whose order is known at run time.
fn at_dynamic(x: Series, f: impl Fn(TaylorDyn<f64, K>) -> TaylorDyn<f64, K>) -> Vec<f64> {
    let y = f(TaylorDyn::new(&all(x)).unwrap());
    [&[y.value()], y.coefficients()].concat()
}

/// Bent series whose leading coefficient goes down to 1e-300.
pub fn curves() -> Vec<Series> {
    let mut random = Rng::with_seed(24);
    let leading = [1.0, 0.5, 0.1, -0.1, 0.01, 1e-5, 1e-10, -1e-20, 1e-50, 1e-150, 1e-300, 0.0];
    let rest = |random: &mut Rng| std::array::from_fn(|_| 2.0 * random.f64() - 1.0);
    leading.into_iter().flat_map(|x| [x, x]).map(|x| Taylor::new(x, rest(&mut random))).collect()
}

#[test]
fn whole_powers_are_as_accurate_as_products() {
    crate::with_room(whole_powers);
}
fn whole_powers() {
    for x in curves() {
        for n in [1, 2, 3, 4, 5, 7, 10, 20, 28, 29, 30, 31, 40, 63, 64, 65, 100] {
            let (want, c) = (products(x, n), n as f64);
            let what = format!("{:e} to the {n}", x.value());
            near(&what, &all(x.powi(n as i32)), want);
            near(&what, &all(x.powf_const(c)), want);
            near(&what, &all(x.powf(Series::from(c))), want);
            near(&what, &at_dynamic(x, |x| x.powi(n as i32)), want);
            // The tangent along 1 + t is the tangent of x^n: n·x^(n−1)·(1 + t).
            let slope = Series::variable(1.0);
            let lower = if n == 1 { [Taylor::from(1.0); 2] } else { products(x, n - 1) };
            let tangent = lower.map(|y| y * slope * c);
            near(&what, &all(Dual::new(x, slope).powi(n as i32).tangent()), tangent);
            let nested = Taylor::<Dual<f64>, K>::new(
                Dual::new(x.value(), 1.0),
                std::array::from_fn(|k| Dual::new(x.coefficients()[k], slope.coefficients()[k])),
            );
            let y = nested.powi(n as i32);
            let tangents: Vec<f64> = (0..=K).map(|k| y.coefficient(k).tangent()).collect();
            near(&what, &tangents, tangent);
            let complex = |c: f64| Complex::new(0.0, c);
            let z = Taylor::<Complex<f64>, K>::new(complex(x.value()), x.coefficients().map(complex));
            let y = z.powi(n as i32);
            let turn = Complex::new(0.0, 1.0).powi(-(n as i32));
            let back: Vec<f64> = (0..=K).map(|k| (y.coefficient(k) * turn).re).collect();
            near(&what, &back, want);
            // Away from the point of the float's own formula, which divides.
            let y = Dual::new(z, Taylor::from(complex(1.0) * complex(-1.0))).powf_const(c).tangent();
            let turn = Complex::new(0.0, 1.0).powi(1 - n as i32);
            let back: Vec<f64> = (0..=K).map(|k| (y.coefficient(k) * turn).re).collect();
            near(&what, &back, lower.map(|y| y * c));
        }
    }
}

/// Rosenbrock's valley is a polynomial of order four: its derivative there is 24 everywhere.
#[test]
fn powers_that_end() {
    assert_eq!(Taylor::new(1e-20, [1.0, 1.0, 1.0]).powi(1).coefficients(), [1.0; 3]);
    let valley = |x: &[Taylor<f64, 4>]| (x[1] - x[0] * x[0]).powi(2) + (-x[0] + 1.0).powi(2) * 0.01;
    for x in [[0.5, 0.25], [1.0 + 1e-12, 1.0], [0.3, 0.09], [-0.7, 0.49]] {
        let t = tensor::<f64, 4>(valley, &x).unwrap();
        assert!((t.at([0, 0, 0, 0]) - 24.0).abs() < 1e-9, "{x:?}: {}", t.at([0, 0, 0, 0]));
    }
    let by = |power: fn(Taylor<f64, 8>) -> Taylor<f64, 8>| -> [f64; 8] {
        derivatives(|t: Taylor<f64, 8>| power(t.sin() + t * t), 1e-5)
    };
    let (got, want) = (by(|x| x.powi(3)), by(|x| x * x * x));
    assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 1e-10 * w.abs().max(1e3)), "{got:?} {want:?}");
}

/// Coefficients of single precision are as near as their precision.
#[test]
fn whole_powers_of_single_precision() {
    let mut compared = 0;
    for x in curves().into_iter().filter(|x| x.value().abs() > 1e-6) {
        let single = Taylor::<f32, K>::new(x.value() as f32, x.coefficients().map(|c| c as f32));
        let x = Series::new(f64::from(single.value()), single.coefficients().map(f64::from));
        for n in [2, 3, 7, 30, 64] {
            let [want, size] = products(x, n);
            let c = Taylor::from(n as f32);
            for got in [single.powi(n as i32), single.powf_const(n as f64), single.powf(c)] {
                for k in (0..=K).filter(|&k| size.coefficient(k) < 1e35) {
                    let limit = 16.0 * (k + 1) as f64 * f64::from(f32::EPSILON) * size.coefficient(k);
                    let (got, want) = (f64::from(got.coefficient(k)), want.coefficient(k));
                    let is_near = (got - want).abs() <= limit + f64::from(f32::MIN_POSITIVE);
                    assert!(is_near, "{:e} to the {n} order {k}: {got:e}, want {want:e}", x.value());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 3000, "{compared} comparisons");
}

/// The density of the gamma distribution by products and the exponential, of whole shapes.
#[test]
fn densities_of_whole_shapes_are_as_accurate_as_products() {
    for x in curves().into_iter().filter(|x| x.value() >= 0.0) {
        for a in [1, 2, 3, 5, 10, 30] {
            let factorial: f64 = (1..a).map(|k| k as f64).product();
            let [power, size] = if a == 1 { [Taylor::from(1.0); 2] } else { products(x, a - 1) };
            let absolute = Taylor::new(x.value().abs(), x.coefficients().map(f64::abs));
            let want = [power * (-x).exp() / factorial, size * absolute.exp() / factorial * 4.0];
            let what = format!("gamma_pdf({a}) at {:e}", x.value());
            near(&what, &all(x.gamma_pdf(a as f64)), want);
            // The tangent along `move`: (a − 1 − x)·xᵃ⁻²·e⁻ˣ·move.
            let slope = Series::variable(1.0);
            let lower = match a {
                1 => [-(-x).exp() * slope, absolute.exp() * slope * 4.0],
                _ => {
                    let [power, size] = if a == 2 { [Taylor::from(1.0); 2] } else { products(x, a - 2) };
                    let rest = -x + (a - 1) as f64;
                    let bound = absolute + (a - 1) as f64;
                    [
                        power * rest * (-x).exp() * slope / factorial,
                        size * bound * absolute.exp() * slope / factorial * 4.0,
                    ]
                }
            };
            let both = |c: f64, d: f64| Dual::new(c, d);
            let inner = Taylor::<Dual<f64>, K>::new(
                both(x.value(), 1.0),
                std::array::from_fn(|k| both(x.coefficients()[k], slope.coefficients()[k])),
            );
            let y = inner.gamma_pdf(a as f64);
            near(&what, &(0..=K).map(|k| y.coefficient(k).value()).collect::<Vec<_>>(), want);
            near(&what, &(0..=K).map(|k| y.coefficient(k).tangent()).collect::<Vec<_>>(), lower);
            let y = Dual::new(x, slope).gamma_pdf(a as f64);
            near(&what, &all(y.value()), want);
            near(&what, &all(y.tangent()), lower);
            near(&what, &at_dynamic(x, |x| x.gamma_pdf(a as f64)), want);
            // a·(a + 1)·xᵃ⁻¹·(1 − x) is the density for [a, 2].
            let (c, z) = ((a * (a + 1)) as f64, if x.value() > 0.9 { x * 0.5 } else { x });
            let [power, size] = if a == 1 { [Taylor::from(1.0); 2] } else { products(z, a - 1) };
            let absolute = Taylor::new(z.value().abs(), z.coefficients().map(f64::abs));
            let want = [power * (-z + 1.0) * c, size * (absolute + 1.0) * c * 4.0];
            let what = format!("beta_pdf([{a}, 2]) at {:e}", z.value());
            near(&what, &all(z.beta_pdf([a as f64, 2.0])), want);
            near(&what, &at_dynamic(z, |z| z.beta_pdf([a as f64, 2.0])), want);
            near(&what, &all(Dual::new(z, Series::from(0.0)).beta_pdf([a as f64, 2.0]).value()), want);
            // The distribution is the polynomial xᵃ·((a + 1) − a·x), and the density is its derivative.
            let [power, size] = products(z, a);
            let want = [
                power * (z * -(a as f64) + (a + 1) as f64),
                size * (absolute * a as f64 + (a + 1) as f64) * 4.0,
            ];
            let what = format!("beta_i([{a}, 2]) at {:e}", z.value());
            near(&what, &all(z.beta_i([a as f64, 2.0])), want);
            near(&what, &at_dynamic(z, |z| z.beta_i([a as f64, 2.0])), want);
        }
    }
}

/// Powers that end quickly, where a formula that calls itself twice for each order would not.
#[test]
fn values_that_vanish_take_no_longer() {
    crate::with_room(vanishing);
}
fn vanishing() {
    let t = Series::variable(0.0);
    // t²⁹/29!·(1 − t)
    let y = t.gamma_pdf(30.0);
    let least = 1.0 / (1..30).map(f64::from).product::<f64>();
    assert!((0..29).all(|k| y.coefficient(k) == 0.0));
    assert!(
        (y.coefficient(29) / least - 1.0).abs() < 1e-13 && (y.coefficient(30) / least + 1.0).abs() < 1e-13
    );
    for at in [0.0, 1e-20, 1e-300, 0.01] {
        let y = Series::variable(at).beta_i([300.0, 2.0]);
        assert!(y.coefficients().iter().all(|c| c.is_finite()));
        assert!(Series::variable(at).gamma_p(2.5).coefficient(1).is_finite());
    }
    // t^(6 + t) = t⁶ + t⁷ ln t + …, at 0 and where a power of the leading coefficient underflows.
    let power = |at: f64, c: f64| Series::variable(at).powf(Series::variable(c));
    let y = power(0.0, 6.0);
    assert!((1..6).all(|k| y.coefficient(k) == 0.0));
    assert_eq!((y.coefficient(6), y.coefficient(7)), (1.0, f64::NEG_INFINITY));
    let y = power(0.0, 6.5);
    assert!((1..7).all(|k| y.coefficient(k) == 0.0) && y.coefficient(7) == f64::INFINITY);
    // (x + t)^(6 + t) = … + t⁶ + t⁷·(ln x + 1 + ½ + … + ⅙) + … for small x.
    for at in [5e-324, 1e-310, 1e-160, 1e-20] {
        let y = power(at, 6.0);
        assert!((y.coefficient(6) - 1.0).abs() < 1e-13, "{at:e}: {y:?}");
        let next = y.coefficient(7) - (at.ln() + 2.45);
        assert!(at < 1e-160 || next.abs() < 1e-11, "{at:e}: {next:e}");
        assert!((1..30).all(|k| power(at, 29.5).coefficient(k).is_finite()));
    }
    assert_eq!(power(1e300, -2.5).coefficients(), [0.0; K]);
    for c in [29.5, 300.0, 1e200] {
        let y = power(0.0, c);
        assert!((0..=K.min(c as usize)).all(|k| y.coefficient(k) == 0.0), "{c}: {y:?}");
    }
    assert_eq!(power(5e-324, -1.0).coefficient(1), f64::NEG_INFINITY);
    assert_eq!(Taylor::<f64, 2>::from(1.0).exp_base(0.0).coefficients(), [0.0; 2]);
}

#[test]
fn directions_of_another_length_name_both() {
    let t = tensor::<f64, 2>(|x| x[0] * x[1], &[1.0, 2.0]).unwrap();
    for v in [&[1.0][..], &[1.0; 3]] {
        let wrong = std::panic::catch_unwind(|| t.along(v)).unwrap_err();
        let text = *wrong.downcast::<String>().unwrap();
        assert!(text.contains(&format!("length {}", v.len())) && text.contains("2 variables"), "{text}");
    }
}

/// `x·f′ = (y′·x·ln x + y·x′)·f` for `f = x^y`, relative to the sums of absolute terms.
#[test]
fn powers_with_two_series_satisfy_their_equation() {
    let mut random = Rng::with_seed(9);
    for at in [2.0, 0.5, 1e-2, 1e-5, 1e-10] {
        for c in [0.0, 0.5, 1.0, 2.0, 3.0, 7.0, 12.5, 30.0, -1.5] {
            let mut rest = || std::array::from_fn(|_| 2.0 * random.f64() - 1.0);
            let (x, y) = (Series::new(at, rest()), Series::new(c, rest()));
            let f = x.powf(y);
            assert_eq!(f.value(), at.powf(c));
            let slope = |s: Series| {
                Series::new(s.coefficient(1), std::array::from_fn(|k| (k + 2) as f64 * s.coefficient(k + 2)))
            };
            let absolute = |s: Series| Taylor::new(s.value().abs(), s.coefficients().map(f64::abs));
            let sides = |of: &dyn Fn(Series) -> Series, ln: Series| {
                let [x, y, f, dx, dy, df] = [x, y, f, slope(x), slope(y), slope(f)].map(of);
                [x * df, dy * (x * of(ln)) * f, y * dx * f]
            };
            let (sides, sizes) = (sides(&|s| s, x.ln()), sides(&absolute, absolute(x.ln())));
            for k in 0..K {
                let [left, first, second] = sides.map(|s| s.coefficient(k));
                let size: f64 = sizes.iter().map(|s| s.coefficient(k)).sum();
                let (error, limit) =
                    ((left - first - second).abs(), 64.0 * (k + 2) as f64 * f64::EPSILON * size);
                assert!(error <= limit + 1e-300, "{at:e} to the {c}, order {k}: {error:e}, {limit:e}");
            }
        }
    }
}

/// The densities at interior points, where powers that end are multiplied by powers that do not.
#[test]
fn densities_between_the_ends() {
    let mut random = Rng::with_seed(3);
    for at in [0.9, 0.5, 0.3, 0.05] {
        for [a, b] in [[12, 12], [13, 3], [3, 13], [5, 40], [25, 25], [2, 2]] {
            let x = Series::new(at, std::array::from_fn(|_| 2.0 * random.f64() - 1.0));
            let y = -x + 1.0;
            let [low, high] = [products(x, a - 1), products(y, b - 1)];
            let f = x.beta_pdf([a as f64, b as f64]);
            let s = f.value() / (low[0] * high[0]).value();
            near(
                &format!("beta_pdf([{a}, {b}]) at {at}"),
                &all(f),
                [low[0] * high[0] * s, low[1] * high[1] * s * 64.0],
            );
        }
    }
    for at in [9.0, 11.0, 30.0] {
        for a in [2, 5, 12] {
            let x = Series::new(at, std::array::from_fn(|_| 20.0 * random.f64() - 10.0));
            let absolute = Taylor::new(0.0, x.coefficients().map(f64::abs));
            let [power, size] = products(x, a - 1);
            let f = x.gamma_pdf(a as f64);
            let decay = Taylor::new(0.0, (-x).coefficients()).exp();
            let s = f.value() / power.value();
            near(
                &format!("gamma_pdf({a}) at {at}"),
                &all(f),
                [power * decay * s, size * absolute.exp() * s * 64.0],
            );
        }
    }
}
