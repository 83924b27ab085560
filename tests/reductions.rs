//! Values of sums, which equal the float's own, to the sign of zero; products with any number of zeros, and with
//! factors whose partial products leave the range of the float.
//!
//! Factors are small integers times powers of two, so that derivatives, which are products of the other factors, follow
//! from sums of exponents.

#[allow(dead_code)] // each test takes a part
#[macro_use]
mod support {
    #[macro_use]
    mod numbers;
    pub mod compare;
    pub mod routes;
}

use num_complex::Complex;
use support::compare::{Findings, same_bits};
use support::routes::{Program, Route, axes, chosen, slices, units};
use wengert::programs::Traced;
use wengert::{BaseFloat, ComplexVar, Dual, Real, Tape, forward, gradient, matrix, reduce, reverse};

/// `m·2ᵉ`
type Factor = (i64, i32);

/// The value of a factor or of a product: exact, rounded once where it is subnormal.
fn float((m, mut e): Factor, limit: i32) -> f64 {
    let mut x = m as f64;
    while e != 0 && x != 0.0 && x.is_finite() {
        let step = e.clamp(-limit, limit);
        // One rounding: a subnormal result becomes subnormal in the last step.
        x *= 2f64.powi(step);
        e -= step;
    }
    x
}

fn product_of(factors: impl Iterator<Item = Factor>) -> Factor {
    factors.fold((1, 0), |a, b| (a.0 * b.0, a.1 + b.1))
}

/// Sets of factors, with zeros, whose exponents reach to the ends of the float's range.
fn cases(reach: i32) -> Vec<Vec<Factor>> {
    let mut state = 12345_u64;
    let mut random = |below: i32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % below as u64) as i32
    };
    let mut case = |n: i32| {
        let size = [1, reach / 8, reach, reach][random(4) as usize];
        let zeros = random(4);
        let factor = |k: i32| {
            let m = if k < zeros - 1 { 0 } else { i64::from([-3, -1, 1, 3, 5][random(5) as usize]) };
            (m, random(2 * size + 1) - size)
        };
        let mut factors: Vec<Factor> = (0..n).map(factor).collect();
        let by = random(n) as usize;
        factors.rotate_left(by);
        factors
    };
    (0..300).map(|k| case(1 + k % 7)).collect()
}

/// The ways to a product.
struct Product(usize);
const WAYS: [&str; 3] = ["reduce", "by iterator", "matrix"];
impl<F: BaseFloat> Program<F> for Product {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        vec![match self.0 {
            0 => reduce::product(x),
            1 => x.iter().product(),
            _ => matrix::product(&nalgebra::DVector::from_column_slice(x)),
        }]
    }
}

fn hold<R: Route>(route: &str, reach: i32, found: &mut Findings) {
    for factors in cases(reach) {
        let x: Vec<R::Base> = factors.iter().map(|&x| R::Base::from_double(float(x, reach))).collect();
        let plain = x.iter().fold(R::Base::from_double(1.0), |a, &b| a * b);
        for (way, name) in WAYS.iter().enumerate() {
            for axes in axes(x.len(), R::ORDER, R::ONE_DIRECTION) {
                let got = R::run(&Product(way), &x, &slices(&units(x.len(), &axes)));
                found.check(got[0].to_double().to_bits() == plain.to_double().to_bits(), || {
                    format!("{route} {name} {factors:?}: value {:e}, in order {plain:e}", got[0])
                });
                for (set, &got) in got.iter().enumerate().skip(1) {
                    let along = chosen(&axes, set);
                    let twice = (1..along.len()).any(|k| along[..k].contains(&along[k]));
                    let others = (0..x.len()).filter(|i| !along.contains(i)).map(|i| factors[i]);
                    let want = if twice { 0.0 } else { float(product_of(others), reach) };
                    let want = R::Base::from_double(want).to_double();
                    found.check(got.to_double() == want, || {
                        format!("{route} {name} {factors:?} along {along:?}: {got:e}, want {want:e}")
                    });
                }
            }
        }
    }
}

#[test]
fn products_of_any_size_have_exact_derivatives() {
    let mut found = Findings::default();
    every_number!([kinds taped] hold(1000, &mut found));
    every_number!([single] hold(120, &mut found));
    found.report(400_000);
}

/// Factors turned by quarters in the plane, in both modes.
#[test]
fn complex_products_of_any_size_have_exact_derivatives() {
    let mut found = Findings::default();
    for (k, factors) in cases(1000).into_iter().enumerate() {
        let turn = |quarters: usize, x: f64| {
            [Complex::new(x, 0.0), Complex::new(0.0, x), Complex::new(-x, 0.0), Complex::new(0.0, -x)]
                [quarters % 4]
        };
        let quarters = |i: usize| (k + i * i) % 4;
        let x: Vec<Complex<f64>> =
            factors.iter().enumerate().map(|(i, &x)| turn(quarters(i), float(x, 1000))).collect();
        let tape = Tape::new();
        let z: Vec<ComplexVar<f64>> =
            x.iter().map(|z| ComplexVar::new(tape.variable(z.re), tape.variable(z.im))).collect();
        let y: ComplexVar<f64> = z.iter().product();
        for (i, z) in z.iter().enumerate() {
            let others = || (0..x.len()).filter(|&j| j != i);
            let size = float(product_of(others().map(|j| factors[j])), 1000);
            let want = turn(others().map(quarters).sum(), size);
            let point: Vec<_> = (0..x.len())
                .map(|j| Dual::new(x[j], Complex::from(if i == j { 1.0 } else { 0.0 })))
                .collect();
            let forward = point.iter().product::<Dual<_>>().tangent();
            // The derivative of the real part in the real part, and in the imaginary one.
            let cotangents = tape.cotangents(y.re());
            let back = Complex::new(cotangents.of(z.re()), -cotangents.of(z.im()));
            for (mode, got) in [("forward", forward), ("reverse", back)] {
                found.check(got == want, || format!("{mode} {x:?} in {i}: {got}, want {want}"));
            }
        }
    }
    found.report(2_000);
}

/// A function that is a sum, or contains one.
struct Sum(usize);
const SUMS: [&str; 12] = [
    "sum",
    "by iterator",
    "mean",
    "dot",
    "linear combination",
    "norm squared",
    "norm",
    "logsumexp",
    "softmax",
    "matrix",
    "rows",
    "trace",
];
impl Program for Sum {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        let column = || nalgebra::DVector::from_column_slice(x);
        match self.0 {
            0 => vec![reduce::sum(x)],
            1 => vec![x.iter().sum(), x.iter().copied().sum()],
            2 => reduce::mean(x).into_iter().collect(),
            3 => vec![reduce::dot(x, &vec![T::lit(1.0); x.len()])],
            4 => vec![reduce::linear_combination(&vec![1.0; x.len()], x)],
            5 => vec![reduce::norm_squared(x)],
            6 => vec![reduce::norm(x)],
            7 => vec![reduce::logsumexp(x)],
            8 => reduce::softmax(x),
            9 => vec![matrix::sum(&column())],
            10 => matrix::row_sum(&column()).iter().copied().collect(),
            _ => vec![matrix::trace(&nalgebra::DMatrix::from_diagonal(&column()))],
        }
    }
}

/// Sums whose value is a zero of either sign, or not a number.
const ZEROS: [&[f64]; 9] = [
    &[],
    &[-0.0],
    &[-0.0, -0.0],
    &[0.0],
    &[0.0, -0.0],
    &[-0.0, 0.0],
    &[1.0, -1.0],
    &[-0.0, -0.0, -0.0, -0.0, -0.0, -0.0],
    &[-0.0, 2.0],
];

fn hold_sums<R: Route<Base = f64>>(route: &str, found: &mut Findings) {
    for (k, name) in SUMS.iter().enumerate() {
        for x in ZEROS {
            let want = Sum(k).call::<f64>(x);
            let zeros = vec![0.0; x.len()];
            let got = R::run(&Sum(k), x, &vec![&zeros[..]; R::ORDER]);
            for (got, want) in got.iter().zip(&want) {
                found.check(same_bits(*got, *want), || {
                    format!("{route} {name} {x:?}: {got:?}, at f64 {want:?}")
                });
            }
        }
    }
}

#[test]
fn sums_have_the_zero_of_the_float() {
    let mut found = Findings::default();
    for x in ZEROS {
        let (own, ours) = (x.iter().sum::<f64>(), [0, 1, 3, 4, 9].map(|k| Sum(k).call::<f64>(x)[0]));
        found.check(ours.iter().all(|&y| same_bits(y, own)), || format!("{x:?}: {ours:?}, std {own:?}"));
    }
    every_number!([kinds taped third nested] hold_sums(&mut found));
    found.report(1000);
}

/// Sums of complex numbers begin where num-complex's do, in both layouts and both modes.
#[test]
fn complex_sums_have_the_zeros_of_num_complex() {
    let bits = |z: Complex<f64>| (z.re.to_bits(), z.im.to_bits());
    for x in ZEROS
        .iter()
        .flat_map(|re| [0.0, -0.0].map(|im| re.iter().map(|&re| Complex::new(re, im)).collect::<Vec<_>>()))
    {
        let want = bits(x.iter().sum());
        let dual: Vec<_> = x.iter().map(|&z| Dual::constant(z)).collect();
        let tape = Tape::new();
        let on_tape: Vec<ComplexVar<f64>> =
            x.iter().map(|z| ComplexVar::new(tape.variable(z.re), tape.variable(z.im))).collect();
        let got = [
            reduce::sum(&x),
            reduce::sum(&dual).value(),
            dual.iter().sum::<Dual<_>>().value(),
            reduce::sum(&on_tape).value(),
            on_tape.iter().sum::<ComplexVar<_>>().value(),
        ];
        assert!(got.iter().all(|&z| bits(z) == want), "{x:?}: {got:?}");
    }
}

#[test]
fn a_direction_that_is_not_finite_leaves_the_others_as_they_are() {
    type D = wengert::DualN<f64, 3>;
    let x = [
        D::new(1.0, [0.0, 2.0, f64::NAN]),
        D::new(-1e200, [0.0, 0.0, 1.0]),
        D::new(-1e200, [0.0; 3]),
        D::new(1e-300, [0.0, 0.0, f64::INFINITY]),
    ];
    let y = reduce::product(&x);
    for (lane, &got) in y.tangents().iter().enumerate() {
        let alone = x.map(|x| Dual::new(x.value(), x.tangents()[lane]));
        let want = reduce::product(&alone).tangent();
        assert!(got == want || got.is_nan() && want.is_nan(), "{lane}: {got:e}, alone {want:e}");
        assert_eq!(got.is_nan(), lane == 2);
    }
    assert_eq!(y.tangents()[1] / 2e100, 1.0);
    // Nothing is multiplied by a 1 that nobody wrote.
    let infinite = [f64::INFINITY];
    let along = Dual::variable(f64::INFINITY);
    assert_eq!([reduce::product(&[along]), [along].into_iter().product()].map(|y| y.tangent()), [1.0; 2]);
    assert_eq!(wengert::gradient(|x| reduce::product(x), &infinite), [1.0]);
    let tape = Tape::new();
    let [re, im] = [f64::INFINITY, 0.0].map(|x| tape.variable(x));
    let (z, two) = (ComplexVar::new(re, im), ComplexVar::constant(Complex::new(2.0, 0.0)));
    for y in [reduce::product(&[z]), reduce::product(&[z, two])] {
        assert_eq!(
            (y.value().re, tape.cotangents(wengert::complex::real(y)).of(re) >= 1.0),
            (f64::INFINITY, true)
        );
    }
}

/// The norm, and the entries of the unit vector.
struct Length;
impl<F: BaseFloat> Program<F> for Length {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        let unit = matrix::normalize(&nalgebra::DVector::from_column_slice(x)).unwrap();
        std::iter::once(reduce::norm(x)).chain(unit.iter().copied()).collect()
    }
}

/// Vectors with a leading element, without one, with zeros, and far from 1.
const VECTORS: [&[f64]; 13] = [
    &[1.0, 1e-9],
    &[1e-3, -1.0, 1e-5],
    &[1.0, 0.0],
    &[0.0, 0.0, -2.5, 1e-12],
    &[3.0, 4.0],
    &[1.0, 1.0, 1.0, 1.0, 1.0],
    &[1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 2e-2],
    &[1e-14, 1e-7],
    &[0.0, 1e17, 1e9],
    &[1e9, 10.0, 0.0],
    &[0.0, 1e30, 1e22],
    &[1e-25, 3e-26, 0.0],
    &[2.0, 1e-15, 1.9],
];

/// The derivative of `‖x‖` along axes from `u = x/‖x‖`: `uᵢ`, `(δᵢⱼ − uᵢuⱼ)/y`,
/// `−(δᵢⱼuₖ + δᵢₖuⱼ + δⱼₖuᵢ − 3uᵢuⱼuₖ)/y²`, with `1 − uᵢ²` as the squares of the others.
fn slope_of_length(x: &[f64], along: &[usize]) -> f64 {
    let y = x.iter().fold(0.0, |y: f64, &x| y.hypot(x));
    let u = |i: usize| x[i] / y;
    let others = |i: usize| (0..x.len()).filter(|&k| k != i).map(|k| u(k) * u(k)).sum::<f64>();
    match *along {
        [] => y,
        [i] => u(i),
        [i, j] if i == j => others(i) / y,
        [i, j] => -u(i) * u(j) / y,
        [i, j, k] if i == j && j == k => -3.0 * u(i) * others(i) / y / y,
        [i, j, k] if i == j => -u(k) * (1.0 - 3.0 * u(i) * u(i)) / y / y,
        [i, j, k] if i == k => slope_of_length(x, &[i, k, j]),
        [i, j, k] if j == k => slope_of_length(x, &[j, k, i]),
        [i, j, k] => 3.0 * u(i) * u(j) * u(k) / y / y,
        _ => unreachable!("to third order"),
    }
}

fn hold_lengths<R: Route>(route: &str, found: &mut Findings) {
    let (eps, least) = match size_of::<R::Base>() {
        8 => (f64::EPSILON, f64::MIN_POSITIVE),
        _ => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)),
    };
    for x in VECTORS {
        let point: Vec<R::Base> = x.iter().map(|&x| R::Base::from_double(x)).collect();
        let x: Vec<f64> = point.iter().map(|x| x.to_double()).collect();
        let m = 1 + x.len();
        for axes in axes(x.len(), R::ORDER, R::ONE_DIRECTION) {
            let got = R::run(&Length, &point, &slices(&units(x.len(), &axes)));
            for set in 0..1 << R::ORDER {
                let along = chosen(&axes, set);
                // The entries of the unit vector are the first derivatives; for long vectors they would be next to
                // the least float32.
                let m = if size_of::<R::Base>() == 4 && x.iter().any(|x| x.abs() > 1e12) { 1 } else { m };
                for k in 0..if along.len() < 3 { m } else { 1 } {
                    let of: Vec<usize> = along.iter().copied().chain((k > 0).then(|| k - 1)).collect();
                    let (got, want) = (got[set * (1 + x.len()) + k].to_double(), slope_of_length(&x, &of));
                    let size = if want.abs() < least { least } else { want.abs() };
                    let beyond = !R::Base::from_double(want).to_double().is_finite() && !got.is_finite();
                    found.check(beyond || (got - want).abs() <= 64.0 * eps * size, || {
                        format!("{route} {x:?} {k} along {along:?}: {got:e}, want {want:e}")
                    });
                }
            }
        }
    }
}

#[test]
fn norms_have_their_digits_to_third_order() {
    let mut found = Findings::default();
    every_number!([kinds taped third] hold_lengths(&mut found));
    every_number!([single] hold_lengths(&mut found));
    found.report(1000);
}

/// Drivers, programs and machine code, at the points where they were traced.
#[test]
fn hessians_of_norms_have_their_digits() {
    for x in VECTORS {
        let n = x.len();
        let f = |x: &[wengert::programs::Traced]| reduce::norm(x);
        let program = wengert::programs::trace(f, x).hessian().unwrap();
        #[cfg_attr(not(feature = "jit"), allow(unused_mut))]
        let mut all = vec![
            ("forward", wengert::forward::hessian(|x| reduce::norm(x), x).as_slice().to_vec()),
            ("reverse", wengert::reverse::hessian(|x| reduce::norm(x), x).as_slice().to_vec()),
            ("program", program.run(x).unwrap()),
        ];
        #[cfg(feature = "jit")]
        all.push(("machine code", program.compile().unwrap().run(x).unwrap()));
        for (route, got) in all {
            for i in 0..n {
                for j in 0..n {
                    let (got, want) = (got[i * n + j], slope_of_length(x, &[i, j]));
                    assert!(
                        (got - want).abs() <= 64.0 * f64::EPSILON * want.abs(),
                        "{route} {x:?} {i} {j}: {got:e}, want {want:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn indices_of_extrema() {
    let nan = f64::NAN;
    for (x, most, least) in [
        ([2.0, 3.0, 1.0, 3.0], 1, 2),
        ([0.0, -0.0, 0.0, -0.0], 0, 0),
        ([nan, 1.0, f64::INFINITY, nan], 2, 1),
        ([f64::NEG_INFINITY, nan, nan, -1.0], 3, 0),
        ([nan; 4], 0, 0),
    ] {
        let places = |x: &[f64]| [reduce::argmax(x).unwrap(), reduce::argmin(x).unwrap()];
        assert_eq!(places(&x), [most, least], "{x:?}");
        let duals = x.map(|x| Dual::variable(Dual::variable(x)));
        assert_eq!([reduce::argmax(&duals), reduce::argmin(&duals)], [Ok(most), Ok(least)], "{x:?}");
    }
    assert!(reduce::argmax::<f64>(&[]).is_err() && reduce::argmin::<f64>(&[]).is_err());
    // A program holds as long as the index does, however the other elements are ordered.
    let chosen = |x: &[wengert::programs::Traced]| x[reduce::argmax(x).unwrap()].square();
    let program = wengert::programs::trace(chosen, &[1.0, 3.0, 2.0]);
    assert_eq!(program.gradient().unwrap().run(&[2.0, 4.0, 1.0]).unwrap(), [0.0, 8.0, 0.0]);
    assert!(program.run(&[5.0, 4.0, 1.0]).is_err());
}

/// Shares of infinite elements have one derivative in all modes, and NaN has no finite one.
#[test]
fn shares_of_infinite_elements() {
    let (least, most, nan) = (f64::NEG_INFINITY, f64::INFINITY, f64::NAN);
    let masked = [least, 0.0, 1.0];
    // Columns: the derivative of each share with respect to an element.
    let all_nan = [nan; 9];
    let one_infinite = [0.0, -1.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let two_infinite = [nan, nan, 0.0, nan, nan, 0.0, nan, nan, 0.0];
    let log_two_infinite = [nan, nan, nan, nan, nan, nan, nan, nan, 1.0];
    for (x, shares, logs) in [
        ([least; 3], all_nan, all_nan),
        ([nan; 3], all_nan, all_nan),
        ([nan, most, 0.0], all_nan, all_nan),
        ([most, 0.0, 1.0], [0.0; 9], one_infinite),
        ([most, most, 0.0], two_infinite, log_two_infinite),
    ] {
        let same = |got: &[f64], want: [f64; 9], what: &str| {
            let pairs = || got.iter().zip(&want);
            assert!(pairs().all(|(g, w)| g == w || g.is_nan() && w.is_nan()), "{what} at {x:?}: {got:?}");
        };
        same(forward::jacobian(|x| reduce::softmax(x), &x).as_slice(), shares, "softmax, forward");
        same(reverse::jacobian(|x| reduce::softmax(x), &x).as_slice(), shares, "softmax, reverse");
        same(forward::jacobian(|x| reduce::log_softmax(x), &x).as_slice(), logs, "log_softmax, forward");
        same(reverse::jacobian(|x| reduce::log_softmax(x), &x).as_slice(), logs, "log_softmax, reverse");
    }
    // A masked element takes no part.
    let of_masked = reverse::jacobian(|x| reduce::softmax(x), &masked);
    assert!(of_masked.column(0).iter().chain(of_masked.row(0).iter()).all(|d| *d == 0.0), "{of_masked}");
    // A constant element brings in no NaN.
    let constant = reduce::softmax(&[Dual::constant(least); 2]);
    assert!(constant.iter().all(|p| p.value().is_nan() && p.tangent() == 0.0));
}

/// The direction is in the range where the length is not.
#[test]
fn lengths_beyond_the_range_have_their_derivatives() {
    fn holds<const N: usize>(f: impl Fn(&[Traced]) -> Traced, lanes: [f64; N], tape: Vec<f64>, x: [f64; N]) {
        let most = x.iter().fold(0.0, |most: f64, &x| most.max(x.abs()));
        let length = x.iter().map(|x| (x / most).powi(2)).sum::<f64>().sqrt();
        let program = wengert::programs::trace(f, &x).gradient().unwrap().run(&x).unwrap();
        for got in [&lanes[..], &tape, &program] {
            for (got, x) in got.iter().zip(x) {
                assert!((got - x / most / length).abs() < 1e-15, "{got} for {x:e}");
            }
        }
    }
    for x in [[1.5e308, 1.5e308], [-1.2e308, 1.7e308], [f64::MAX, 1.0]] {
        let lanes = forward::gradient(|x| x[0].hypot(x[1]), &x);
        holds(|x| x[0].hypot(x[1]), lanes, gradient(|x| x[0].hypot(x[1]), &x[..]), x);
        holds(
            |x| reduce::norm(x),
            forward::gradient(|x| reduce::norm(x), &x),
            gradient(|x| reduce::norm(x), &x[..]),
            x,
        );
        let second = Dual::variable(Dual::variable(x[0])).hypot(Dual::constant(Dual::constant(x[1])));
        assert!((second.tangent().tangent() * 1e300 - length_curvature(x)).abs() < 1e-22, "{second:?}");
    }
    let x = [1.5e308, -1.6e308, 1.7e308, 3.0];
    holds(
        |x| reduce::norm(x),
        forward::gradient(|x| reduce::norm(x), &x),
        gradient(|x| reduce::norm(x), &x[..]),
        x,
    );
    let entries = nalgebra::Matrix2::from_row_slice(&x);
    let of_matrix = gradient(|a| matrix::norm(a), &entries);
    let want = gradient(|x| reduce::norm(x), &[x[0], x[2], x[1], x[3]]);
    assert!(of_matrix.iter().zip(want).all(|(got, want)| (got - want).abs() < 1e-15), "{of_matrix}");
    // The sizes of the elements are guards: another point is another branch.
    let program = wengert::programs::trace(|x: &[Traced]| reduce::norm(x), &x).gradient().unwrap();
    assert!(program.run(&[1.0, 2.0, 3.0, 4.0]).is_err());
    let single = [3e38_f32, 3e38];
    for d in gradient(|x| x[0].hypot(x[1]), &single) {
        assert!((d - 0.5_f32.sqrt()).abs() < 1e-6);
    }
}

/// `∂²/∂x² √(x² + y²) = y²/(x² + y²)^(3/2)`, times 1e300.
fn length_curvature([x, y]: [f64; 2]) -> f64 {
    let (x, y) = (x * 1e-300, y * 1e-300);
    y * y / (x * x + y * y).powf(1.5)
}

/// The terms of second derivatives leave the range, their sum is 0.
#[test]
fn shares_of_nothing_have_no_second_derivatives() {
    fn all<T: Real<Base = f64>>(p: &[T], scale: f64) -> Vec<T> {
        let x = [p[0] * scale, p[1] * -scale];
        let mut all = vec![reduce::logsumexp(&x)];
        all.extend(reduce::softmax(&x));
        all.extend(reduce::log_softmax(&x));
        all
    }
    for scale in [1e100, 1e155, 1e300] {
        for i in 0..5 {
            let by_tape = wengert::hessian(|p| all(p, scale)[i], &[1.0, 2.0]);
            let by_lanes = wengert::forward::hessian(|p| all(p, scale)[i], &[1.0, 2.0]);
            assert!(
                by_tape == nalgebra::SMatrix::<f64, 2, 2>::zeros() && by_lanes == by_tape,
                "{i} at {scale:e}"
            );
        }
    }
    // Of one element that is no number, too.
    assert!(reduce::softmax(&[f64::NAN])[0].is_nan() && reduce::log_softmax(&[f64::NAN])[0].is_nan());
    assert!(reduce::softmax(&[f64::NAN, f64::NEG_INFINITY]).iter().all(|p| p.is_nan()));
    assert!(reduce::logsumexp(&[f64::NAN, f64::NEG_INFINITY]).is_nan());
}
