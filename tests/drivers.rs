//! The drivers: any number of variables, every kind of point, buffers, errors, allocations.

#![cfg(all(feature = "nalgebra", feature = "macros"))] // points, Jacobians and Hessians of all kinds: what is left without has its doctests

use std::cell::Cell;

use nalgebra::{DMatrix, DVector, Vector3, dmatrix, matrix, vector};
use num_complex::Complex64;
use wengert::{ComplexVar, Dual, Dual2, DualN, Function, Real, Var, VectorFunction};
use wengert::{
    Forward, ForwardChunk, Reverse, SecondOrder, complex, filling, forward, function, prepare, reduce,
};
use wengert::{derivative, derivative_into, hvp, jacobian, jvp, second_derivative, value_and_jvp};

mod support {
    pub mod panics;
}

use support::panics::text_of;

#[path = "support/allocations.rs"]
mod allocations;

use allocations::allocations;

/// `Σ k·xₖ·xₖ₊₁ + Σ xₖ³`: gradient and Hessian have closed forms for any n.
fn chain<T: Real<Base = f64>>(x: &[T]) -> T {
    let pairs = x.windows(2).enumerate().map(|(k, w)| w[0] * w[1] * (k + 1) as f64).sum::<T>();
    pairs + x.iter().map(|&x| x * x * x).sum::<T>()
}

fn chain_gradient(x: &[f64]) -> Vec<f64> {
    let at = |k: usize| x.get(k).copied().unwrap_or(0.0);
    let before = |k: usize| if k > 0 { k as f64 * x[k - 1] } else { 0.0 };
    (0..x.len()).map(|k| before(k) + (k + 1) as f64 * at(k + 1) + 3.0 * x[k] * x[k]).collect()
}

fn chain_hessian(x: &[f64]) -> DMatrix<f64> {
    DMatrix::from_fn(x.len(), x.len(), |i, j| match i.abs_diff(j) {
        0 => 6.0 * x[i],
        1 => (i.min(j) + 1) as f64,
        _ => 0.0,
    })
}

fn points() -> impl Iterator<Item = Vec<f64>> {
    let sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17, 24, 31, 33, 40];
    sizes.into_iter().map(|n| (0..n).map(|k| 0.5 + 0.25 * (k % 7) as f64).collect())
}

fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    got.iter().zip(want).for_each(|(g, w)| assert!((g - w).abs() <= 1e-13 * (1.0 + w.abs()), "{g} {w}"));
}

#[test]
fn gradients_and_hessians_of_any_number_of_variables() {
    let object = function!(|x| chain(x));
    for x in points() {
        let (want, hessian) = (chain_gradient(&x), chain_hessian(&x));
        let (value, gradient) = forward::value_and_gradient(|x: &[DualN<f64, 8>]| chain(x), &x);
        assert_eq!(value, chain(&x));
        close(&gradient, &want);
        let (value, gradient) = object.value_and_gradient(&x);
        assert_eq!(value, chain(&x));
        close(&gradient, &want);

        let (value, gradient, h) = forward::value_gradient_and_hessian(|x: &[Dual2<_, 8, 36>]| chain(x), &x);
        assert_eq!(value, chain(&x));
        close(&gradient, &want);
        close(h.as_slice(), hessian.as_slice());
        let (value, gradient, h) = object.value_gradient_and_hessian(&x);
        assert_eq!(value, chain(&x));
        close(&gradient, &want);
        close(h.as_slice(), hessian.as_slice());

        let v: Vec<f64> = (0..x.len()).map(|k| 1.0 - 0.1 * k as f64).collect();
        let product = &hessian * DVector::from_vec(v.clone());
        close(&forward::hvp(|x: &[DualN<Dual<f64>, 8>]| chain(x), &x, &v), product.as_slice());
        close(&hvp(|x| object.call(x), &x, &v), product.as_slice());
        let slope: f64 = want.iter().zip(&v).map(|(g, v)| g * v).sum();
        close(&[jvp(|x| object.call(x), &x, &v)], &[slope]);
    }
}

/// `√x₀` has an infinite derivative at 0; x₁ never appears in it.
#[test]
fn inactive_directions_of_hessians_stay_zero_at_singular_points() {
    fn f<T: Real<Base = f64>>(x: &[T]) -> T {
        x[0].sqrt().exp() / 2.0 + x[1] * x[1]
    }
    let (x, object) = ([0.0, 1.0], function!(|x| f(x)));
    let all = [
        forward::hessian(|x: &[Dual2<f64, 8, 36>]| f(x), &x[..]),
        object.hessian(&x[..]),
        forward::hessian(|x| f(x.as_slice()), &DVector::from_row_slice(&x)),
    ];
    for h in all {
        assert_eq!([h[(0, 1)], h[(1, 0)], h[(1, 1)]], [0.0, 0.0, 2.0], "{h}");
        assert!(!h[(0, 0)].is_finite());
    }
    for product in [hvp(|x| object.call(x), &x[..], &[1.0, 0.0]), forward::hvp(f, &x[..], &[1.0, 0.0])] {
        assert_eq!(product[1], 0.0);
    }
    assert_eq!(forward::hvp(f, &x[..], &[0.0, 1.0]), [0.0, 2.0]);
}

#[test]
fn a_thousand_variables() {
    let x: Vec<f64> = (0..1000).map(|k| 0.5 + 0.25 * (k % 7) as f64).collect();
    close(&forward::gradient(|x: &[DualN<f64, 8>]| chain(x), &x), &chain_gradient(&x));
    close(&function!(|x| chain(x)).gradient(&x), &chain_gradient(&x));
}

#[test]
fn jacobians_of_any_number_of_variables() {
    fn f<T: Real<Base = f64>>(x: &[T], y: &mut [T]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = x.iter().enumerate().map(|(j, &x)| x * x * (1 + i * j) as f64).sum();
        }
    }
    for x in points() {
        let want = DMatrix::from_fn(3, x.len(), |i, j| 2.0 * x[j] * (1 + i * j) as f64);
        let closure = |x: &[DualN<f64, 8>]| {
            let mut y = vec![DualN::constant(f64::NAN); 3];
            f(x, &mut y);
            y
        };
        close(jacobian(closure, &x).as_slice(), want.as_slice());
        let (y, filled) = forward::value_and_jacobian(filling::<DualN<f64, 8>, [_]>(3, f), &x);
        close(filled.as_slice(), want.as_slice());
        let object = function!(|x, y: [_; 3]| f(x, y));
        let (values, of_object) = object.value_and_jacobian(&x);
        close(of_object.as_slice(), want.as_slice());
        assert_eq!(y, values);
        let (v, mut y, mut dy) = (vec![1.0; x.len()], [0.0; 3], [0.0; 3]);
        prepare::jvp(Forward, &x).filling(3).of_object(&object).at(&x, &v, &mut y, &mut dy).unwrap();
        close(&dy, (&want * DVector::from_vec(v)).as_slice());
    }
    // No results, and neither variables nor results.
    assert_eq!(jacobian(|_| Vec::<DualN<f64, 8>>::new(), &[1.0, 2.0][..]).shape(), (0, 2));
    assert_eq!(jacobian(|_| Vec::<DualN<f64, 8>>::new(), &[0.0; 0][..]).shape(), (0, 0));
}

#[test]
fn every_kind_of_point() {
    let array: [f64; 2] = forward::gradient(|x| x[0] * x[1], &[2.0, 3.0]);
    let slice: Vec<f64> = forward::gradient(|x| x[0] * x[1], &[2.0, 3.0][..]);
    let vec: Vec<f64> = forward::gradient(|x| x[0] * x[1], &vec![2.0, 3.0]);
    let fixed = forward::gradient(|x| x[0] * x[1], &vector![2.0, 3.0]);
    let dynamic = forward::gradient(|x| x[0] * x[1], &DVector::from_vec(vec![2.0, 3.0]));
    assert_eq!((array, slice, vec), ([3.0, 2.0], vec![3.0, 2.0], vec![3.0, 2.0]));
    assert_eq!((fixed, dynamic), (vector![3.0, 2.0], DVector::from_vec(vec![3.0, 2.0])));
    assert_eq!(forward::gradient(|x| *x * *x, &3.0), 6.0);
    let of_matrix = forward::gradient(|m| m.determinant(), &dmatrix![1.0, 2.0; 3.0, 4.0]);
    assert_eq!(of_matrix, dmatrix![4.0, -3.0; -2.0, 1.0]);
    // det′ is the adjugate's transpose; a Hessian of a matrix is by its columns.
    let of_static = forward::gradient(|m| m.determinant(), &matrix![1.0, 2.0; 3.0, 4.0]);
    assert_eq!(of_static, matrix![4.0, -3.0; -2.0, 1.0]);
    let of_rows: nalgebra::RowVector3<f64> = forward::gradient(|r| r[0] * r[2], &matrix![2.0, 3.0, 5.0]);
    assert_eq!(of_rows, matrix![5.0, 0.0, 2.0]);
    let h = forward::hessian(|m| m.determinant(), &matrix![1.0, 2.0; 3.0, 4.0]);
    assert_eq!((h[(0, 3)], h[(1, 2)], h[(0, 0)]), (1.0, -1.0, 0.0));
    let j: nalgebra::SMatrix<f64, 6, 6> = jacobian(|m| m.transpose(), &nalgebra::Matrix2x3::zeros());
    assert_eq!((j[(1, 2)], j.sum()), (1.0, 6.0));
    let single: [f32; 2] = forward::gradient(|x| x[0] * x[1], &[2.0f32, 3.0]);
    assert_eq!(single, [3.0f32, 2.0]);
    // Vectors of numbers run nalgebra's own code; sizes stay static.
    let j = jacobian(
        |v| v.cross(&Vector3::new(1.0, 2.0, 3.0).map(DualN::constant)),
        &Vector3::new(4.0, 5.0, 6.0),
    );
    assert_eq!(j, matrix![0.0, 3.0, -2.0; -3.0, 0.0, 1.0; 2.0, -1.0, 0.0]);
    let h = forward::hessian(|v| v.norm_squared(), &Vector3::new(4.0, 5.0, 6.0));
    assert_eq!(h, matrix![2.0, 0.0, 0.0; 0.0, 2.0, 0.0; 0.0, 0.0, 2.0]);
}

#[test]
fn derivatives_of_one_variable() {
    assert_eq!(derivative(|x| x.sin(), 0.42), 0.42f64.cos());
    assert_eq!(second_derivative(|x| x.sin(), 0.42), -0.42f64.sin());
    assert_eq!(derivative(|t| vec![t, t * t], 3.0), vec![1.0, 6.0]);
    assert_eq!(derivative(|t| vector![t, t * t], 3.0), vector![1.0, 6.0]);
    assert_eq!(second_derivative(|t| [t, t * t], 3.0), [0.0, 2.0]);
    // Drivers nest: the outer variable is a constant of the inner derivative.
    assert_eq!(derivative(|x| derivative(|y| y * y * y, x), 2.0), 12.0);
    assert_eq!(derivative(|x| x * derivative(|y| y + x, x), 1.0), 1.0);
    assert_eq!(derivative(|x| derivative(|_| Dual::constant(x), x), 1.0), 0.0);
    let (y, dy) = value_and_jvp(|x| [x[0] * x[1], x[0].sin()], &[2.0, 3.0], &[1.0, -1.0]);
    assert_eq!((y, dy), ([6.0, 2f64.sin()], [1.0, 2f64.cos()]));
}

#[test]
fn what_buffers_hold_before_does_not_matter() {
    let (mut y, mut j) = ([f64::NAN; 2], DMatrix::from_element(2, 2, f64::NAN));
    // The function reads its own buffer before writing: it must see NaN, not the last chunk's results.
    let f = |x: &[DualN<f64, 8>], y: &mut [DualN<f64, 8>]| {
        assert!(y.iter().all(|y| y.is_nan()));
        (y[0], y[1]) = (x[0] * x[1], x[0]);
    };
    let mut jacobian = prepare::jacobian(ForwardChunk::<8>, &[0.0; 2]).filling(2);
    for _ in 0..2 {
        jacobian.of(f).at(&[2.0, 3.0], &mut y, &mut j).unwrap();
        assert_eq!((y, &j), ([6.0, 2.0], &dmatrix![3.0, 2.0; 1.0, 0.0]));
    }
    let (mut y, mut dy) = ([f64::NAN], [f64::NAN]);
    let mut jvp = prepare::jvp(Forward, &[0.0; 2]).filling(1);
    jvp.of(|x, y| y[0] = x[0] * x[1]).at(&[2.0, 3.0], &[1.0, 0.0], &mut y, &mut dy).unwrap();
    assert_eq!((y, dy), ([6.0], [3.0]));
    let mut g = [f64::NAN; 2];
    forward::gradient_into(|x| x[0] * x[1], &[2.0, 3.0], &mut g);
    assert_eq!(g, [3.0, 2.0]);
}

#[test]
fn wrong_lengths_are_named() {
    let f = |x: &[DualN<f64, 8>]| x[0];
    let text = text_of(|| forward::gradient_into(f, &[1.0, 2.0], &mut [0.0; 3]));
    assert_eq!(text, "gradient: the gradient buffer has length 3, expected 2");
    let text = text_of(|| jvp(|x| x[0], &[1.0, 2.0], &[1.0]));
    assert_eq!(text, "jvp: the tangent has length 1, expected 2");
    let (mut g, mut h) = ([7.0; 2], DMatrix::from_element(2, 3, 7.0));
    let text = text_of(|| forward::value_gradient_and_hessian_into(|x| x[0], &[1.0, 2.0], &mut g, &mut h));
    assert_eq!(text, "hessian: the buffer is 2 × 3, expected 2 × 2");
    let text = text_of(|| forward::hvp_into(|x| x[0], &[1.0, 2.0], &[1.0], &mut g));
    assert_eq!(text, "hvp: the tangent has length 1, expected 2");
    let mut j = DMatrix::from_element(3, 2, 7.0);
    let text = text_of(|| forward::jacobian_into(|x| [x[0], x[1]], &[1.0, 2.0], &mut j));
    assert_eq!(text, "jacobian: the buffer is 3 × 2, expected 2 × 2");
    assert!(g.iter().chain(&h).chain(&j).all(|&x| x == 7.0), "nothing is written beside an error");
    let object = function!(|x, y: [_; 2]| (y[0], y[1]) = (x[0], x[0]));
    let text = text_of(|| object.value_and_jacobian_into(&[1.0], &mut [0.0], &mut DMatrix::zeros(2, 1)));
    assert_eq!(text, "jacobian: the value buffer has length 1, expected 2");
}

/// A body may be a block of one expression, arguments may have types, and names of items are no captures.
#[test]
#[deny(unused_braces)]
fn functions_are_closures_in_plain_code() {
    const BY: f64 = 3.0;
    fn double<T: Real<Base = f64>>(x: &T) -> T {
        *x * 2.0
    }
    let f = function!(|x: &[f64]| { BY * x.iter().map(double).sum::<f64>() });
    assert_eq!(f.gradient(&[2.0]), [6.0]);
    let g = function!(|x: &[f64], y: &mut [f64; 1]| { y[0] = BY * x[0] });
    assert_eq!(g.jacobian(&[2.0]), dmatrix![3.0]);
}

/// The methods of function objects, their results and their errors.
#[test]
fn methods_of_functions() {
    let x = [2.0, 3.0];
    let f = function!(|x| x[0] * x[1] * x[1]);
    let (value, g, h) = f.value_gradient_and_hessian(&x);
    assert_eq!((value, g, h), (18.0, [9.0, 12.0], matrix![0.0, 6.0; 6.0, 4.0]));
    assert_eq!((f.hessian(&x), f.gradient(&x)), (h, g));
    // Of a slice or a `Vec`, results of its size.
    let (of_slice, of_vec) = (f.gradient(&x[..]), f.value_gradient_and_hessian(&x.to_vec()));
    assert_eq!((of_slice, of_vec), (g.to_vec(), (18.0, g.to_vec(), dmatrix![0.0, 6.0; 6.0, 4.0])));
    let (mut gradient, mut matrix) = ([0.0; 2], DMatrix::zeros(2, 2));
    let y = f.value_gradient_and_hessian_into(&x, &mut gradient, &mut matrix);
    assert_eq!((y, gradient, &matrix), (18.0, g, &dmatrix![0.0, 6.0; 6.0, 4.0]));

    let text = text_of(|| f.gradient_into(&x, &mut []));
    assert_eq!(text, "gradient: the gradient buffer has length 0, expected 2");
    let text = text_of(|| f.value_gradient_and_hessian_into(&x, &mut gradient, &mut DMatrix::zeros(2, 3)));
    assert_eq!(text, "hessian: the buffer is 2 × 3, expected 2 × 2");
}

/// Lanes fit the number of variables: one evaluation where one is enough.
#[test]
fn methods_evaluate_as_rarely_as_they_can() {
    thread_local!(static CALLS: Cell<usize> = const { Cell::new(0) });
    thread_local!(static SIZE: Cell<usize> = const { Cell::new(0) });
    fn counted<T: Real<Base = f64>>(x: &[T]) -> T {
        CALLS.set(CALLS.get() + 1);
        SIZE.set(size_of::<T>());
        x.iter().map(|&x| x * x).sum()
    }
    let (f, g) = (function!(|x| counted(x)), function!(|x, y: [_; 40]| y.fill(counted(x))));
    for n in 0..40 {
        let x = vec![1.0; n];
        let passes = |run: &dyn Fn()| {
            run();
            CALLS.take()
        };
        assert_eq!(passes(&|| _ = f.gradient(&x)), 1, "gradient of {n}");
        assert_eq!(passes(&|| _ = f.hessian(&x)), n.div_ceil(12).max(1), "Hessian of {n}");
        if matches!(n, 13..=16) {
            assert_eq!(SIZE.get(), size_of::<Var<DualN<f64, 8>>>(), "eight lanes for {n}");
        }
        assert_eq!(passes(&|| _ = g.jacobian(&x)), n.div_ceil(16).max(1), "Jacobian of {n}");
    }
}

/// A matrix is not its transpose, though both have the same number of entries.
#[test]
fn directions_have_the_shape_of_their_point() {
    let (a, t) = (DMatrix::from_element(2, 3, 1.0), DMatrix::from_element(3, 2, 1.0));
    let text = text_of(|| jvp(|m: &DMatrix<Dual<f64>>| m[(0, 1)], &a, &t));
    assert_eq!(text, "jvp: the tangent is 3 × 2, expected 2 × 3");
    assert_eq!(jvp(|m: &DMatrix<Dual<f64>>| m[(0, 1)], &a, &a), 1.0);
    let text = text_of(|| forward::hvp(|m| m[(0, 1)], &a, &t));
    assert_eq!(text, "hvp: the tangent is 3 × 2, expected 2 × 3");
    let mut prepared = prepare::hvp(SecondOrder(Forward, ForwardChunk::<8>), &a);
    let error = prepared.of(|m| m[(0, 1)]).at(&a, &t, &mut [0.0; 6], &mut [0.0; 6]).unwrap_err();
    assert_eq!(error.to_string(), "hvp: the tangent is 3 × 2, expected 2 × 3");
    // Columns of any kind are one shape.
    assert_eq!(jvp(|x| x[0], &vector![1.0, 2.0], &[3.0, 4.0]), 3.0);
}

/// A function whose second evaluation has fewer results than its first.
#[test]
fn results_that_change_their_length_are_an_error() {
    let mut calls = 0;
    let f = |x: &[DualN<f64, 8>]| {
        calls += 1;
        vec![x[0]; 3 - calls]
    };
    let mut j = DMatrix::from_element(2, 9, 7.0);
    let text = text_of(|| forward::jacobian_into(f, &[1.0; 9], &mut j));
    assert_eq!(text, "jacobian: the result of a later evaluation has length 1, expected 2");
    assert_eq!((j[(0, 0)], j[(0, 8)]), (1.0, 7.0), "the first chunk is written, as documented");
}

#[test]
#[should_panic(expected = "jvp: the tangent has length 3, expected 2")]
fn a_wrong_tangent_panics() {
    jvp(|x| x[0], &[1.0, 2.0], &[1.0, 0.0, 0.0]);
}

#[test]
#[should_panic(expected = "derivative: the derivative buffer has length 1, expected 2")]
fn a_wrong_buffer_panics() {
    derivative_into(|t| [t, t], 1.0, &mut [0.0]);
}

#[test]
fn chunks_do_not_allocate() {
    let (x, y) = ([1.0; 8], [1.0; 80]);
    let (mut gx, mut gy) = ([0.0; 8], [0.0; 80]);
    let f = |x: &[DualN<f64, 8>]| chain(x);
    assert_eq!(
        allocations(|| _ = forward::gradient_into(f, &x, &mut gx)),
        0,
        "an array of variables, one chunk"
    );
    assert_eq!(allocations(|| _ = forward::gradient_into(f, &y, &mut gy)), 0, "an array, ten chunks");
    for first in [true, false] {
        let one = allocations(|| _ = forward::gradient_into(f, &x[..], &mut gx));
        let ten = allocations(|| _ = forward::gradient_into(f, &y[..], &mut gy));
        let object = allocations(|| _ = function!(|x| chain(x)).gradient_into(&y, &mut gy));
        assert!(first || (one, ten, object) == (0, 0, 0), "memory is the thread's: {one} {ten} {object}");
    }
}

/// On arrays complex drivers allocate nothing, once the pool has a tape that is long enough.
#[test]
fn complex_results_do_not_allocate() {
    let (z, mut dz) = ([Complex64::new(1.0, 2.0); 4], [Complex64::ZERO; 4]);
    let mut jvp = || allocations(|| _ = complex::jvp_into(|z| [z[0] * z[1]], &z, &z, &mut dz[..1]));
    jvp(); // the thread's memory is made
    assert_eq!(jvp(), 0);
    let length = |z: &[ComplexVar<f64>]| complex::norm_sqr(z[0] * z[1]) + complex::norm_sqr(z[2] - z[3]);
    let pair = |z: &[ComplexVar<f64>]| [z[0] * z[1], z[2] * z[3]];
    for expected in [None, Some(0)] {
        let gradient = allocations(|| _ = complex::gradient_into(length, &z, &mut dz));
        let cotangent = allocations(|| _ = complex::vjp_into(pair, &z, &[Complex64::ONE; 2], &mut dz));
        expected.into_iter().for_each(|n| assert_eq!((gradient, cotangent), (n, n)));
    }
    assert_eq!(dz, [z[0].conj(); 4]);
}

/// D18: a product has its memory on the stack, or takes it from the pool.
#[test]
fn products_do_not_allocate() {
    for n in [3, 12, 20] {
        let x: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * f64::from(i)).collect();
        let (mut g, mut h) = (vec![0.0; x.len()], DMatrix::<f64>::zeros(x.len(), x.len()));
        let mut gradient = prepare::gradient(Reverse, &x[..]);
        let mut hessian = prepare::hessian(SecondOrder(ForwardChunk::<4>, Reverse), &x[..]);
        for call in 0..3 {
            let product = |x: &[Var<f64>]| x.iter().copied().product();
            let first = allocations(|| _ = gradient.of(product).at(&x[..], &mut g[..]));
            let second = allocations(|| _ = hessian.of(|x| reduce::product(x)).at(&x[..], &mut (), &mut h));
            assert!(call == 0 || (first, second) == (0, 0), "{n} factors, call {call}: {first} and {second}");
        }
        let all: f64 = x.iter().product();
        assert!((g[1] * x[1] / all - 1.0).abs() < 1e-14);
        assert!((h[(0, 2)] * x[0] * x[2] / all - 1.0).abs() < 1e-13);
    }
}

/// C10: products into a matrix that is there.
#[test]
fn products_into_a_matrix() {
    for n in [3, 8, 50] {
        let of = |s: f64| DMatrix::from_fn(n, n, |i, j| (s + i as f64 + 2.0 * j as f64).sin());
        let (x, y) = (Dual::new(of(0.1), of(0.2)), Dual::new(of(0.3), of(0.4)));
        let nan = || DMatrix::from_element(n, n, f64::NAN);
        let mut z = Dual::new(nan(), nan());
        assert_eq!(allocations(|| z.matmul_into(&x, &y)), 0, "{n} × {n}");
        let slope = of(0.1) * of(0.4) + of(0.2) * of(0.3);
        assert!((z.clone().value() - of(0.1) * of(0.3)).amax() < 1e-13);
        assert!((z.tangent() - slope).amax() < 1e-13);
    }
}

#[test]
fn functions_have_data() {
    struct Line {
        at: f64,
    }
    impl VectorFunction for Line {
        fn outputs(&self, n: usize) -> usize {
            n
        }
        fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
            y.iter_mut().zip(x).for_each(|(y, &x)| *y = x * self.at);
        }
    }
    assert_eq!(Line { at: 3.0 }.jacobian(&[1.0, 1.0]), dmatrix![3.0, 0.0; 0.0, 3.0]);
    struct Scaled<'a> {
        t: &'a [f64],
        scale: f64,
    }
    impl Function for Scaled<'_> {
        fn call<T: Real<Base = f64>>(&self, p: &[T]) -> T {
            self.t.iter().map(|&t| p[0] * t).sum::<T>() * self.scale
        }
    }
    let sum = Scaled { t: &[1.0, 2.0], scale: 10.0 };
    assert_eq!(sum.gradient(&[1.0]), [30.0]);
    assert_eq!(Function::gradient(&&sum, &[1.0]), [30.0]);
}

/// A function may be called twice within another derivative: its buffer is unset both times.
#[test]
fn functions_find_unset_results_inside_other_derivatives() {
    struct Reads;
    impl VectorFunction for Reads {
        fn outputs(&self, _: usize) -> usize {
            1
        }
        fn call<T: wengert::Scalar>(&self, x: &[T], y: &mut [T]) {
            y[0] = if y[0].primal().is_nan() { x[0] } else { x[0] * 100.0 };
        }
    }
    let mut outer = prepare::jacobian(ForwardChunk::<1>, &[1.0]);
    let mut inner = None;
    let function = |x: &[DualN<f64, 1>]| {
        let (y, j) = Reads.value_and_jacobian(&[1.0]);
        inner = Some((y, j[(0, 0)]));
        [x[0]]
    };
    outer.of(function).at(&[1.0], &mut [0.0], &mut DMatrix::<f64>::zeros(1, 1)).unwrap();
    assert_eq!(inner, Some((vec![1.0], 1.0)));
}
