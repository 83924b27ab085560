//! Logarithms of sums of exponentials, and shares of them, to second order, compared with closed forms of their
//! shares.

use wengert::{Dual, Real, forward, gradient, hessian, programs::trace, reduce, series::tensor};

type Second = Dual<Dual<f64>>;

/// `pᵢ` with full relative accuracy, and `1 − pᵢ`.
fn shares(x: &[f64]) -> Vec<[f64; 2]> {
    let inverse = |i: usize| {
        let others: f64 = (0..x.len()).filter(|&j| j != i).map(|j| (x[j] - x[i]).exp()).sum();
        [1.0 / (1.0 + others), others / (1.0 + others)]
    };
    (0..x.len()).map(inverse).collect()
}

const POINTS: [&[f64]; 9] = [
    &[0.0, 30.0],
    &[0.0, 40.0],
    &[300.0, 0.0],
    &[0.0, 30.0, 60.0],
    &[1.0, 1.0, -40.0],
    &[0.3, -0.7, 1.9, 1.9],
    &[0.5; 40],
    &[2.0, -35.0, -36.0, 1.25],
    &[-500.0, -450.0],
];

fn along(x: &[f64], i: usize, j: usize) -> Vec<Second> {
    let one = |own: bool| if own { 1.0 } else { 0.0 };
    let part = |k: usize| Dual::new(Dual::new(x[k], one(k == i)), Dual::constant(one(k == j)));
    (0..x.len()).map(part).collect()
}

#[track_caller]
fn close(what: &str, got: f64, want: f64) {
    let error = (got - want).abs();
    assert!(error <= 16.0 * f64::EPSILON * want.abs(), "{what}: {got:e}, want {want:e}");
}

#[test]
fn second_derivatives_have_their_digits() {
    for x in POINTS {
        let p = shares(x);
        let second = |i: usize, j: usize| if i == j { p[i][0] * p[i][1] } else { -p[i][0] * p[j][0] };
        let program = trace(|x: &[wengert::programs::Traced]| reduce::logsumexp(x), x);
        let by_program = program.gradient().unwrap().jacobian().unwrap().run(x).unwrap();
        for i in 0..x.len() {
            for j in 0..x.len() {
                let y = along(x, i, j);
                let whole = reduce::logsumexp(&y);
                close(&format!("{x:?} {i} {j}"), whole.tangent().tangent(), second(i, j));
                assert_eq!(whole.value().value().to_bits(), reduce::logsumexp(x).to_bits());
                close(&format!("program {x:?} {i} {j}"), by_program[i + x.len() * j], second(i, j));
                // ∂pₖ/∂xᵢ and ∂ ln pₖ/∂xᵢ.
                let (shares, logs) = (reduce::softmax(&y), reduce::log_softmax(&y));
                close(&format!("softmax {x:?} {i} {j}"), shares[j].value().tangent(), second(i, j));
                let slope = if i == j { p[j][1] } else { -p[i][0] };
                close(&format!("log {x:?} {i} {j}"), logs[j].value().tangent(), slope);
                let last = x.len() - 1;
                close(&format!("log {x:?} {i} {j}"), logs[last].tangent().tangent(), -second(i, j));
            }
        }
        let reverse = hessian(f_of, x);
        for i in 0..x.len() {
            for j in 0..x.len() {
                close(&format!("hessian {x:?} {i} {j}"), reverse[(i, j)], second(i, j));
            }
        }
    }
}

/// The second derivatives of a share, and of the logarithm of one, by tapes, by numbers without a tape, by series and by
/// programs.
#[test]
fn second_derivatives_of_shares_have_their_digits_in_all_modes() {
    fn share<T: Real<Base = f64>>(x: &[T]) -> T {
        reduce::softmax(x)[x.len() - 1]
    }
    fn log_share<T: Real<Base = f64>>(x: &[T]) -> T {
        reduce::log_softmax(x)[x.len() - 1]
    }
    for x in POINTS.into_iter().filter(|x| x.len() < 10) {
        let (p, n) = (shares(x), x.len());
        let second = |i: usize, j: usize| if i == j { p[i][0] * p[i][1] } else { -p[i][0] * p[j][0] };
        macro_rules! check {
            ($f:ident, $want:expr) => {
                let program = trace(|x: &[_]| $f(x), x).gradient().unwrap().jacobian().unwrap();
                let by_program = program.run(x).unwrap();
                let by_tensor = tensor::<f64, 2>($f, x).unwrap();
                let (reverse, without) = (hessian($f, x), forward::hessian($f, x));
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let want = $want(i, j);
                    let by_tapes = gradient(|y| gradient($f, y)[i], x)[j];
                    let of_program = by_program[i + n * j];
                    let ways = [
                        ("program", of_program),
                        ("reverse", reverse[(i, j)]),
                        ("forward", without[(i, j)]),
                        ("two tapes", by_tapes),
                    ];
                    // Mixed entries of a tensor are differences of others.
                    let of_series = (i == j).then(|| ("series", by_tensor.at([i, i])));
                    for (way, got) in ways.into_iter().chain(of_series) {
                        close(&format!("{} by {way} {x:?} {i} {j}", stringify!($f)), got, want);
                    }
                }
            };
        }
        check!(share, |i, j| cumulant(&p, [i, j, n - 1]));
        check!(log_share, |i, j| -second(i, j));
    }
}

/// The third cumulants of the shares: `κᵢᵢᵢ = pᵢ(1 − pᵢ)(1 − 2pᵢ)`, `κᵢᵢⱼ = −pᵢpⱼ(1 − 2pᵢ)`, `κᵢⱼₖ = 2pᵢpⱼpₖ`, which are the third
/// derivatives of the logarithm of the sum and the second ones of shares.
fn cumulant(p: &[[f64; 2]], [i, j, k]: [usize; 3]) -> f64 {
    match () {
        () if i == j && j == k => p[i][0] * p[i][1] * (p[i][1] - p[i][0]),
        () if i == j => -p[i][0] * p[k][0] * (p[i][1] - p[i][0]),
        () if i == k => cumulant(p, [i, k, j]),
        () if j == k => cumulant(p, [j, k, i]),
        () => 2.0 * p[i][0] * p[j][0] * p[k][0],
    }
}

#[test]
fn third_derivatives_have_their_digits() {
    for x in POINTS.into_iter().filter(|x| x.len() < 10) {
        let p = shares(x);
        for i in 0..x.len() {
            for j in 0..x.len() {
                for k in 0..x.len() {
                    let one = |own: bool| if own { 1.0 } else { 0.0 };
                    let part =
                        |(l, z): (usize, Second)| Dual::new(z, Second::constant(Dual::constant(one(l == k))));
                    let y: Vec<Dual<Second>> = along(x, i, j).into_iter().enumerate().map(part).collect();
                    let want = cumulant(&p, [i, j, k]);
                    let got = reduce::logsumexp(&y).tangent().tangent().tangent();
                    close(&format!("{x:?} {i} {j} {k}"), got, want);
                    let (shares, logs) = (reduce::softmax(&along(x, i, j)), reduce::log_softmax(&y));
                    close(&format!("softmax {x:?} {i} {j} {k}"), shares[k].tangent().tangent(), want);
                    let got = logs[x.len() - 1].tangent().tangent().tangent();
                    close(&format!("log {x:?} {i} {j} {k}"), got, -want);
                }
            }
        }
    }
}

/// The largest element at each place of rows of several lengths, among NaN too.
#[test]
fn the_largest_element_may_be_anywhere() {
    for (n, at) in (1..10).flat_map(|n| (0..n).map(move |at| (n, at))) {
        let mut x: Vec<f64> = (0..n).map(|i| 700.0 + (i as f64).sin()).collect();
        for (largest, want) in [(800.0, 800.0), (f64::INFINITY, f64::INFINITY), (f64::NAN, f64::NAN)] {
            x[at] = largest;
            let y = reduce::logsumexp(&x);
            assert!(y == want || y.is_nan() && want.is_nan(), "{x:?}: {y}");
            let share = reduce::softmax(&x)[at];
            assert!(share == 1.0 || !largest.is_finite(), "{x:?}: {share}");
        }
    }
}

fn f_of<T: Real<Base = f64>>(x: &[T]) -> T {
    reduce::logsumexp(x)
}

#[test]
fn values_next_to_the_largest_element_have_their_digits() {
    let tiny = (-50f64).exp();
    assert_eq!(reduce::logsumexp(&[0.0, -50.0]), tiny);
    assert_eq!(reduce::log_softmax(&[0.0, -50.0]), [-tiny, -50.0]);
}

/// The derivatives of all rows of three elements, infinities and NaN among them.
#[test]
fn elements_beside_infinity_and_nan() {
    let some = [0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0];
    for i in 0..125 {
        let x = [some[i % 5], some[i / 5 % 5], some[i / 25]];
        let infinite = x.iter().filter(|x| **x == f64::INFINITY).count();
        let of = |x_i: f64| match infinite {
            _ if x_i == f64::NEG_INFINITY => 0.0,
            _ if x.iter().any(|x| x.is_nan()) => f64::NAN,
            0 => x_i.exp() / x.iter().map(|x| x.exp()).sum::<f64>(),
            1 => f64::from(x_i == f64::INFINITY),
            _ if x_i == f64::INFINITY => f64::NAN,
            _ => 0.0,
        };
        let program = trace(|x: &[_]| f_of(x), &x).gradient().and_then(|g| g.run(&x)).expect("a gradient");
        let tape: [f64; 3] = gradient(f_of, &x);
        let dual: [f64; 3] = forward::gradient(f_of, &x);
        for (way, got) in [("tape", &tape[..]), ("duals", &dual[..]), ("program", &program[..])] {
            for (got, want) in got.iter().zip(x.map(of)) {
                let same = (got - want).abs() <= 1e-15 || got.is_nan() && want.is_nan();
                assert!(same, "{way} {x:?}: {got}, want {want}");
            }
        }
    }
}

/// A program has the values of the functions at other points, with infinities and NaN among them.
#[cfg(feature = "programs")]
#[test]
fn programs_have_these_values() {
    use wengert::programs::{Traced, trace};
    let ends = [f64::NEG_INFINITY, -1e308, -1e3, -0.5, 1.0, 800.0, 1e19, f64::INFINITY, f64::NAN];
    fn all<T: Real<Base = f64>>(x: &[T]) -> Vec<T> {
        [reduce::softmax(x), reduce::log_softmax(x)].concat()
    }
    let programs = [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0]].map(|at| trace(|x: &[Traced]| all(x), &at));
    for k in 0..ends.len().pow(3) {
        let x = [k, k / 9, k / 81].map(|k| ends[k % 9]);
        for program in &programs {
            let (got, want) = (program.run(&x).unwrap(), all(&x));
            let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(got.iter().zip(&want).all(same), "{x:?}: {got:?} {want:?}");
        }
    }
}
