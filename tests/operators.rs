//! Modes: the scenarios of `check` for each, faults that they must find, and the list of free functions.
#![cfg(all(feature = "std", feature = "nalgebra"))]

use nalgebra::DMatrix;
use wengert::check::Scenarios;
use wengert::{FiniteDifference, Forward, ForwardChunk, Function, Packed, Reverse, SecondOrder, prepare};

#[path = "operators/faults.rs"]
mod faults;
#[cfg(feature = "macros")]
#[path = "operators/few_variables.rs"]
mod few_variables;
#[path = "operators/free.rs"]
mod free;
#[path = "operators/kept_complex.rs"]
mod kept_complex;
#[cfg(feature = "macros")]
#[path = "operators/results.rs"]
mod results;
#[path = "operators/series.rs"]
mod series;
#[path = "operators/styles.rs"]
mod styles;

#[path = "support/allocations.rs"]
mod allocations;

fn scenarios() -> Scenarios {
    Scenarios::new().allocations(allocations::so_far)
}

#[test]
fn modes_of_first_order() {
    scenarios().first_order(ForwardChunk::<2>).assert();
    scenarios().first_order(Reverse).assert();
    scenarios().tolerance(1e-7).first_order(FiniteDifference::default()).assert();
    // Modes of a kind differ at one point, if anywhere.
    let x = vec![0.5; 11];
    let outcome = scenarios().first_order_at(Forward, "Vec", &x);
    assert!(outcome.assertions > 50);
    outcome.assert();
    scenarios().first_order_at(ForwardChunk::<1>, "Vec", &x).assert();
    scenarios().first_order_at(ForwardChunk::<8>, "Vec", &x).assert();
    scenarios().first_order_at(Reverse, "number", &1.5).assert();
    scenarios().first_order_at(Forward, "complex number", &num_complex::Complex::new(0.5, -1.5)).assert();
}

#[test]
fn modes_of_second_order() {
    let differences = FiniteDifference::default();
    scenarios().second_order(Packed::<2, 3>).assert();
    scenarios().second_order(SecondOrder(Forward, Reverse)).assert();
    scenarios().tolerance(1e-7).second_order(SecondOrder(differences, Reverse)).assert();
    let x = vec![0.5; 11];
    scenarios().second_order_at(Packed::<8, 36>, "Vec", &x).assert();
    scenarios().second_order_at(Packed::<16, 136>, "Vec", &x).assert();
    scenarios().second_order_at(SecondOrder(ForwardChunk::<8>, Reverse), "Vec", &x).assert();
    scenarios().second_order_at(SecondOrder(Forward, Forward), "Vec", &x).assert();
    scenarios().second_order_at(SecondOrder(Forward, ForwardChunk::<4>), "Vec", &x).assert();
    scenarios().second_order_at(SecondOrder(Reverse, Forward), "Vec", &x).assert();
    scenarios().second_order_at(SecondOrder(Reverse, ForwardChunk::<2>), "Vec", &x).assert();
    scenarios().second_order_at(SecondOrder(Reverse, Reverse), "Vec", &x).assert();
    scenarios().tolerance(1e-7).second_order_at(SecondOrder(Forward, differences), "Vec", &x).assert();
}

/// A prepared operator stores the structure of the point, not only its size.
#[test]
fn structures_are_prepared() {
    let mut gradient = prepare::gradient(Reverse, &(1.0, vec![2.0, 3.0]));
    let (f, mut g) = (|x: &(wengert::Var<f64>, Vec<wengert::Var<f64>>)| x.0 * x.1[0], [7.0; 3]);
    let error = gradient.of(f).at(&(1.0, vec![2.0, 3.0, 4.0]), &mut [7.0; 4]).unwrap_err();
    let text = "gradient: prepared for other sizes: point prepared 3, given 4 (does not fit); \
                gradient buffer prepared 3, given 4 (does not fit)";
    assert_eq!(error.to_string(), text);
    assert_eq!(gradient.of(f).at(&(5.0, vec![2.0, 3.0]), &mut g), Ok(10.0));
    assert_eq!(g, [2.0, 5.0, 0.0]);
    let mut nested = prepare::gradient(Reverse, &vec![vec![1.0, 2.0], vec![3.0]]);
    let error = nested.of(|x| x[0][0]).at(&vec![vec![1.0], vec![2.0, 3.0]], &mut g).unwrap_err();
    assert_eq!(error.to_string(), "gradient: the point has length 1, expected 2");
}

/// Hessians of vector functions, by nesting: the third component of a cumulative product.
#[test]
fn tensors_by_nesting() {
    let cumulative =
        |x: &[wengert::DualN<wengert::DualN<f64, 8>, 8>]| [x[0], x[0] * x[1], x[0] * x[1] * x[2]];
    let all = wengert::jacobian(|x| wengert::jacobian(cumulative, &[x[0], x[1], x[2]]), &[1.0, 2.0, 3.0]);
    // Entry (i, j) of the inner Jacobian is row i + 3j: row 2 + 3j belongs to the third component.
    let third = DMatrix::from_fn(3, 3, |i, j| all[(2 + 3 * i, j)]);
    assert_eq!(third, nalgebra::dmatrix![0.0, 3.0, 2.0; 3.0, 0.0, 1.0; 2.0, 1.0, 0.0]);
}

/// The methods of a function and an operator of each mode agree, however many variables.
#[test]
fn any_number_of_variables() {
    struct Waves;
    impl Function for Waves {
        fn call<T: wengert::Scalar>(&self, x: &[T]) -> T {
            x.windows(2).map(|w| (w[0] * w[1]).sin()).sum::<T>() + x.iter().map(|x| x.powi(3)).sum::<T>()
        }
    }
    let f = Waves;
    for n in 0..=40 {
        let x: Vec<f64> = (0..n).map(|k| 0.5 + 0.1 * k as f64).collect();
        let (mut a, mut b, mut c) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let y = f.gradient_into(&x, &mut a);
        assert_eq!(prepare::gradient(Reverse, &x).of_object(&f).at(&x, &mut b), Ok(y));
        assert_eq!(prepare::gradient(ForwardChunk::<12>, &x).of_object(&f).at(&x, &mut c), Ok(y));
        let near =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-13 * (1.0 + b.abs()));
        assert!(near(&a, &b) && near(&a, &c), "{n}: {a:?} {b:?} {c:?}");
    }
}
