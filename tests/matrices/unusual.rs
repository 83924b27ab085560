//! Entries at the ends of the range of numbers and beyond: every function returns a value or an error without a
//! panic, and the value is the same at every number type, bit for bit.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::time::Duration;

use fastrand::Rng;
use nalgebra::{Complex, DMatrix};
use wengert::matrix::{self, Entry};
use wengert::{AdError, Dual, Real, Var};

use super::active::Active;
use super::functions::{Function, Input, Sizes};
use super::programs::{Outputs, Program};
use crate::random::Part;

/// Long enough for a busy computer; a longer run has no end.
const PATIENCE: Duration = Duration::from_secs(20);

const SPECIAL: [f64; 13] = [
    1e308,
    -1e308,
    f64::MAX,
    1e200,
    1e-200,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    0.0,
    1.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Matrices of one special number, of this number and ones, and mixtures.
fn entries(input: Input, kind: usize, seed: u64) -> DMatrix<f64> {
    let (rows, columns) = input.shape();
    let mut random = Rng::with_seed(seed);
    let mut a = match SPECIAL.get(kind) {
        Some(&x) => DMatrix::from_element(rows, columns, x),
        None => DMatrix::from_fn(rows, columns, |_, _| match kind % 4 {
            0 => SPECIAL[random.usize(..10)],
            1 => SPECIAL[random.usize(..SPECIAL.len())],
            2 => [1e308, 5e-324, 0.5, -1e308][random.usize(..4)] * random.f64(),
            _ => 2.0 * random.f64() - 1.0,
        }),
    };
    if kind % 4 == 3 && kind >= SPECIAL.len() && !a.is_empty() {
        let place = random.usize(..a.len());
        a[place] = SPECIAL[random.usize(..SPECIAL.len())];
    }
    if input.is_symmetric() { DMatrix::from_fn(rows, columns, |i, j| a[(i.max(j), i.min(j))]) } else { a }
}
const KINDS: usize = 33;

/// The values of results.
fn values<R: Real<Base = f64>>(y: Result<Outputs<R>, AdError>) -> Result<Vec<f64>, AdError> {
    let parts = |z: &Complex<R>| [z.re.primal(), z.im.primal()];
    y.map(|y| y.iter().flat_map(|(_, y)| y.iter().flat_map(parts).collect::<Vec<_>>()).collect())
}

/// Values or an error, or the text of a panic.
type Found = Result<Result<Vec<f64>, AdError>, String>;

/// The values of a function at a number type, or the text of its panic.
fn call<S: Entry<Base = f64>>(function: Function, x: &[DMatrix<f64>], make: impl Fn(f64, usize) -> S) -> Found
where
    S::Re: Real<Base = f64>,
{
    let place = std::cell::Cell::new(0);
    let next = |x: f64| {
        place.set(place.get() + 1);
        make(x, place.get())
    };
    let x: Vec<DMatrix<S>> = x.iter().map(|x| x.map(next)).collect();
    catch_unwind(AssertUnwindSafe(|| values(function.call(&x)))).map_err(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        text.or(payload.downcast_ref::<&str>().map(|x| x.to_string())).unwrap_or_default()
    })
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| if x.is_nan() { f64::NAN } else { *x }.to_bits()).collect()
}

macro_rules! calls {
    (($function:ident, $x:ident) $($name:literal $N:ty;)+) => {
        [$(($name, <$N>::IS_REAL, call::<$N>($function, $x, with_tangent))),+]
    };
}

/// The number at an index. Complex numbers have an imaginary part at every second index.
fn with_tangent<S: Active>(x: f64, i: usize) -> S {
    S::active(Complex::new(x, if i.is_multiple_of(2) { 0.5 * x } else { 0.0 }), (i as f64).sin())
}

/// The faults of a function at these entries.
fn faults(function: Function, x: &[DMatrix<f64>]) -> Vec<String> {
    super::active::forget();
    let listed = for_each_number!(entries calls (function, x));
    // In two parts, and without tangents.
    let further = [
        ("constant Dual", true, call(function, x, |x, _| Dual::constant(x))),
        ("Complex<Dual>", false, call::<Complex<Dual<f64>>>(function, x, with_tangent)),
        ("Complex<Var>", false, call::<Complex<Var<f64>>>(function, x, with_tangent)),
    ];
    let (real, complex): (Vec<_>, Vec<_>) = listed.into_iter().chain(further).partition(|(_, real, _)| *real);
    [real, complex].iter().flat_map(|found| differences(found)).collect()
}

/// Panics, and values that differ from the values of the first number type.
fn differences(found: &[(&str, bool, Found)]) -> Vec<String> {
    let (first, _, own) = &found[0];
    let fault = |(name, _, y): &(&str, bool, Found)| match (own, y) {
        (_, Err(panic)) => Some(format!("{name} panics: {panic}")),
        (Ok(Ok(own)), Ok(Ok(y))) if bits(own) != bits(y) => {
            Some(format!("{name} has {y:?}, {first} {own:?}"))
        }
        (Ok(Err(e)), Ok(Ok(y))) => Some(format!("{name} has {y:?}, {first} the error {e}")),
        _ => None,
    };
    found.iter().filter_map(fault).collect()
}

/// Runs all cases of a function in a thread. Returns the faults, or the case that does not end.
fn run<C: Debug + Clone + Send + 'static>(
    cases: Vec<C>,
    check: impl Fn(&C) -> Vec<String> + Send + 'static,
) -> Vec<String> {
    let (send, receive) = channel();
    let all = cases.clone();
    std::thread::spawn(move || {
        for case in cases {
            if send.send(check(&case)).is_err() {
                return;
            }
        }
    });
    let mut found = Vec::new();
    for case in all {
        match receive.recv_timeout(PATIENCE) {
            Ok(faults) => found.extend(faults.into_iter().map(|fault| format!("{case:?}: {fault}"))),
            Err(e) => {
                found.push(format!("{case:?}: {e}"));
                break;
            }
        }
    }
    found
}

#[test]
fn every_function_comes_to_an_end_with_the_same_value_at_every_number_type() {
    let (mut found, mut part) = (Vec::new(), Part::one_in(3));
    for &function in Function::ALL {
        let sizes = [(1, 1, 1), (2, 2, 2), (3, 2, 2), (3, 3, 3), (2, 3, 5), (8, 2, 7)];
        let cases = sizes.into_iter().flat_map(|s| (0..KINDS).map(move |kind| (function.0, s, kind)));
        let cases = part.of(cases);
        found.extend(run(cases, move |&(_, (m, k, n), kind)| {
            let inputs = function.inputs(Sizes { m, k, n });
            let x: Vec<_> = inputs
                .iter()
                .enumerate()
                .map(|(i, &input)| entries(input, kind, (kind * 10 + i) as u64))
                .collect();
            faults(function, &x)
        }));
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
}

/// Random entries, the 2 × 2 closed forms and their neighbours.
#[test]
fn values_of_random_matrices_are_the_same_at_every_number_type() {
    let mut found = Vec::new();
    for &function in Function::ALL {
        let sizes = [((1, 1, 1), 4), ((2, 2, 2), 100), ((3, 3, 3), 30), ((2, 3, 4), 10), ((7, 6, 8), 3)];
        let cases: Vec<_> = sizes.into_iter().map(|(sizes, count)| (function.0, sizes, count)).collect();
        found.extend(run(cases, move |&(_, (m, k, n), count)| {
            let mut random = Rng::with_seed(count as u64);
            let all = |_| {
                let inputs = function.inputs(Sizes { m, k, n });
                let kind = random.usize(..3);
                let x: Vec<_> = inputs
                    .iter()
                    .map(|input| {
                        let a = input.value(&mut random, false).map(|x| x.re);
                        // Unchanged, without the part that makes it well-conditioned, of a few digits.
                        match kind {
                            1 if input.is_symmetric() => a.map(f64::fract),
                            1 => a.map(|_| 2.0 * random.f64() - 1.0),
                            2 => a.map(|x| (x * 4.0).round()),
                            _ => a,
                        }
                    })
                    .collect();
                faults(function, &x)
            };
            (0..count).flat_map(all).take(1).collect()
        }));
    }
    assert!(found.is_empty(), "{} faults:\n{}", found.len(), found.join("\n"));
}

/// The result at a matrix of extreme entries is the result at a common size, times that size: multiplication by a
/// power of two rounds nothing.
#[test]
fn decompositions_of_extreme_sizes_are_those_of_moderate_ones() {
    let mut random = Rng::with_seed(77);
    for n in [1, 2, 3, 4, 5, 7] {
        let a = DMatrix::from_fn(n, n, |_, _| 2.0 * random.f64() - 1.0);
        let (b, c) = (a.map(|x| 1.5 - x), a.map(|x| x * x));
        for exponent in [-1000, -600, 600, 1000] {
            let size = 2f64.powi(exponent);
            let large = |a: &DMatrix<f64>| a * size;
            let complex = |a: &DMatrix<f64>| {
                a.map_with_location(|i, j, x| Complex::new(x, x * (i + 2 * j) as f64 / 16.0))
            };
            let what = format!("{n} rows, 2^{exponent}");
            let same = |x: Complex<f64>, y: Complex<f64>| {
                assert!((x - y * size).norm() <= 1e-13 * size, "{what}: {x} {y}")
            };
            for (x, y) in
                matrix::eigenvalues(&large(&a)).unwrap().iter().zip(matrix::eigenvalues(&a).unwrap().iter())
            {
                same(*x, *y);
            }
            let [z, w] = [&large(&a), &a].map(|a| matrix::eigenvalues(&complex(a)).unwrap());
            z.iter().zip(w.iter()).for_each(|(x, y)| same(*x, *y));
            let [v, w] = [&large(&a), &a].map(|a| matrix::eigen(a).unwrap().eigenvectors);
            assert!((v - w).norm() < 1e-11, "{what}");
            let [x, y] = [&large(&a), &a].map(|a| matrix::symmetric_eigen(a).unwrap());
            assert_eq!(x.eigenvalues, y.eigenvalues * size, "{what}");
            assert_eq!(x.eigenvectors, y.eigenvectors, "{what}");
            let [x, y] = [&large(&a), &a].map(|a| matrix::symmetric_eigenvalues(&complex(a)).unwrap());
            assert_eq!(x, y * size, "{what}");
            // AX + XB = C where all of it is of one size.
            let x = matrix::sylvester(&large(&a), &large(&b), &large(&c)).unwrap();
            let y = matrix::sylvester(&a, &b, &c).unwrap();
            assert!((&x - &y).norm() <= 1e-13 * y.norm(), "{what}: {x} {y}");
            let far = matrix::sylvester(&a, &b, &large(&c)).unwrap();
            assert!((&far - &y * size).norm() <= 1e-13 * (&y * size).norm(), "{what}: {far} {y}");
            let active = large(&a).map(Dual::variable);
            assert!(
                matrix::eigenvalues(&active).unwrap().iter().all(|x| x.re.tangent().is_finite()),
                "{what}"
            );
        }
    }
    // A determinant that is zero though its products overflow; and values at the end of the range.
    for large in [1e100, 1e200, 1e308, f64::MAX] {
        for n in [2, 3, 4, 6, 7, 9] {
            assert_eq!(matrix::det(&DMatrix::from_element(n, n, large)), 0.0, "{large:e} {n}");
        }
        assert_eq!(matrix::symmetric_eigenvalues(&DMatrix::from_element(1, 1, large)).unwrap()[0], large);
        assert_eq!(matrix::eigenvalues(&DMatrix::from_element(1, 1, large)).unwrap()[0].re, large);
    }
}
