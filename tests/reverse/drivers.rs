//! The drivers of reverse mode against those of forward mode, at many sizes and shapes.

use crate::panics::text_of;
use nalgebra::{DMatrix, Vector3, dmatrix};
use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert::{
    Function, Real, Reverse, Tape, Var, VectorFunction, filling, forward, gradient, linearize, prepare,
    reverse, value_and_gradient, value_and_vjp, vjp,
};

/// A function that couples neighbours, at every number type.
struct Chain;
impl Function for Chain {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        x.windows(2).map(|w| (w[0] * w[1]).sin() + w[0] * w[0]).sum::<T>() + 1.0
    }
}

/// `m` outputs of `n` inputs.
struct Mixed(usize);
impl VectorFunction for Mixed {
    fn outputs(&self, _: usize) -> usize {
        self.0
    }
    fn call<T: Real<Base = f64>>(&self, x: &[T], y: &mut [T]) {
        for (k, y) in y.iter_mut().enumerate() {
            *y = x.iter().enumerate().map(|(i, x)| (*x * (1.0 + (i + k) as f64 * 0.1)).sin()).sum();
        }
    }
}

fn point(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.3 + (i as f64 * 0.7).sin()).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-14 * (1.0 + b.abs()), "{a} {b}");
    }
}

#[test]
fn gradients_of_every_size() {
    for n in (0..20).chain([31, 32, 33, 1000]) {
        let x = point(n);
        let (y, g) = value_and_gradient(|x: &[Var<f64>]| Chain.call(x), &x[..]);
        let (z, h) = forward::value_and_gradient(|x: &[_]| Chain.call(x), &x[..]);
        assert_eq!(y, z);
        close(&g, &h);
        close(&Chain.gradient(&x), &h);
    }
}

#[test]
fn jacobians_of_every_number_of_rows() {
    for (m, n) in (0..20).map(|m| (m, 5)).chain([(3, 0), (0, 0), (1, 40), (7, 40), (40, 40)]) {
        let x = point(n);
        let f = |x: &[Var<f64>], y: &mut [Var<f64>]| Mixed(m).call(x, y);
        let (y, j) = reverse::value_and_jacobian(filling(m, f), &x[..]);
        let f = |x: &[wengert::DualN<f64, 8>], y: &mut [wengert::DualN<f64, 8>]| Mixed(m).call(x, y);
        let (z, k) = forward::value_and_jacobian(filling(m, f), &x[..]);
        assert_eq!((j.shape(), y), ((m, n), z));
        close(j.as_slice(), k.as_slice());
        close(Mixed(m).jacobian(&x).as_slice(), k.as_slice());
    }
}

#[test]
fn hessians_and_products_of_every_size() {
    for n in [0, 1, 7, 8, 9, 16, 17, 33] {
        let x = point(n);
        let want = forward::hessian(|x: &[_]| Chain.call(x), &x[..]);
        close(reverse::hessian(|x: &[_]| Chain.call(x), &x[..]).as_slice(), want.as_slice());
        close(Chain.hessian(&x).as_slice(), want.as_slice());
        let v = point(n);
        let product = &want * DMatrix::from_column_slice(n, 1, &v);
        close(&reverse::hvp(|x: &[_]| Chain.call(x), &x[..], &v[..]), product.as_slice());
    }
}

#[test]
fn shapes() {
    let x = Vector3::new(1.0, 2.0, 2.0);
    assert_eq!(gradient(|x| x.norm(), &x), x / 3.0);
    let m = dmatrix![1.0, 2.0; 3.0, 4.0];
    let g = gradient(|m| m.determinant(), &m);
    assert_eq!(g, dmatrix![4.0, -3.0; -2.0, 1.0]);
    let (y, dx) = value_and_vjp(|x| x * Var::constant(2.0), &x, &Vector3::new(1.0, 0.0, -1.0));
    assert_eq!((y, dx), (x * 2.0, Vector3::new(2.0, 0.0, -2.0)));
    assert_eq!(gradient(|x: &Var<f64>| x.sin(), &0.5), 0.5f64.cos());
    assert_eq!(gradient(|x| x[0] * x[1], &vec![2.0f32, 3.0]), [3.0f32, 2.0]);
}

#[test]
fn results_that_depend_on_nothing() {
    assert_eq!(gradient(|_: &[Var<f64>]| Var::constant(7.0), &[1.0, 2.0]), [0.0; 2]);
    assert_eq!(gradient(|x: &[Var<f64>]| x[0].detach() * x[1], &[2.0, 3.0]), [0.0, 2.0]);
    assert_eq!(vjp(|x: &[Var<f64>]| [x[1], Var::constant(1.0)], &[1.0, 2.0], &[3.0, 4.0]), [0.0, 3.0]);
    let nothing: [f64; 0] = gradient(|_: &[Var<f64>]| Var::constant(7.0), &[0.0_f64; 0]);
    assert!(nothing.is_empty());
    let same = vjp(|x: &[Var<f64>]| [x[0], x[0], x[1]], &[1.0, 2.0], &[1.0, 10.0, 100.0]);
    assert_eq!(same, [11.0, 100.0]);
}

#[test]
fn fan_out_adds_and_nothing_accumulates_between_calls() {
    let f = |x: &[Var<f64>]| (x[0] + x[0]) * x[0];
    for _ in 0..3 {
        assert_eq!(gradient(f, &[3.0]), [12.0]);
    }
    let diamond = |x: &[Var<f64>]| (x[0] * x[1]).exp() + (x[0] * x[1]).exp();
    assert_eq!(gradient(diamond, &[0.0, 1.0]), [2.0, 0.0]);
    let mut g = [5.0];
    wengert::gradient_into(f, &[3.0], &mut g);
    wengert::gradient_into(f, &[3.0], &mut g);
    assert_eq!(g, [12.0]);
}

#[test]
fn linearized_functions_apply_to_many_vectors() {
    let x = point(5);
    let at = linearize(
        |x: &[Var<f64>]| {
            let mut y = vec![Var::constant(0.0); 12];
            Mixed(12).call(x, &mut y);
            y
        },
        &x[..],
    );
    let j = Mixed(12).jacobian(&x);
    close(at.jacobian().as_slice(), j.as_slice());
    for k in 0..12 {
        let unit: Vec<f64> = (0..12).map(|i| f64::from(i == k)).collect();
        close(&at.vjp(&unit).unwrap(), j.row(k).transpose().as_slice());
    }
    let v = point(5);
    close(&at.jvp(&v).unwrap(), (&j * DMatrix::from_column_slice(5, 1, &v)).as_slice());
    assert_eq!(at.value().len(), 12);
    assert_eq!(at.tape().stats().nodes, 5 + 12 * 4); // each row a sum of five terms
    assert_eq!(
        at.vjp_into(&[1.0], &mut [0.0; 5]).unwrap_err().to_string(),
        "vjp: the cotangent has length 1, expected 12"
    );
    assert_eq!(at.jvp(&[1.0]).unwrap_err().to_string(), "jvp: the tangent has length 1, expected 5");
}

#[test]
fn function_objects_have_both_modes() {
    let (x, w) = (point(5), point(3));
    let j = Mixed(3).jacobian(&x);
    let want = j.transpose() * DMatrix::from_column_slice(3, 1, &w);
    let filled = |x: &[Var<f64>], y: &mut [Var<f64>]| Mixed(3).call(x, y);
    close(&vjp(filling(3, filled), &x[..], &w[..]), want.as_slice());
    let at = linearize(filling(3, filled), &x[..]);
    close(&at.vjp(&w).unwrap(), want.as_slice());
    let mut out = DMatrix::zeros(3, 5);
    at.jacobian_into(&mut out).unwrap();
    close(out.as_slice(), j.as_slice());
    let (mut y, mut dy) = ([0.0; 3], [0.0; 3]);
    at.jvp_into(&x, &mut dy).unwrap();
    close(&dy, (&j * DMatrix::from_column_slice(5, 1, &x)).as_slice());
    let mut dx = [0.0; 5];
    y.copy_from_slice(&reverse::vjp_into(filling(3, filled), &x[..], &w[..], &mut dx));
    close(&dx, want.as_slice());
    assert_eq!(&y[..], &at.value()[..]);
    let e = at.jacobian_into(&mut DMatrix::zeros(5, 3)).unwrap_err();
    assert_eq!(e.to_string(), "jacobian: the buffer is 5 × 3, expected 3 × 5");
    assert!(at.jvp_into(&x, &mut [0.0]).is_err() && at.jvp_into(&[1.0], &mut dy).is_err());
    assert!(catch_unwind(|| vjp(filling(3, filled), &[1.0][..], &[1.0][..])).is_err());
}

#[test]
fn derivatives_with_respect_to_any_inputs() {
    let tape = Tape::new();
    let x = tape.variables(&[1.0, 2.0]);
    let late = x[0] * x[1];
    let z = tape.variable(3.0);
    let y = late * z;
    let dy = tape.cotangents(y);
    assert_eq!((dy.of(z), dy.of(x[1]), dy.of_all(&x)), (2.0, 3.0, vec![6.0, 3.0]));
    let two = tape.cotangents_of(&[(y, 1.0), (late, 10.0), (Var::constant(1.0), 5.0)]);
    assert_eq!(two.of_all(&[x[0], x[1], z]), [26.0, 13.0, 2.0]);
    for wrong in [y, x[0] * 2.0, Var::constant(1.0), Tape::new().variable(1.0)] {
        assert!(catch_unwind(AssertUnwindSafe(|| dy.of(wrong))).is_err(), "{wrong:?}");
    }
}

#[test]
fn wrong_lengths_are_errors_before_any_work() {
    let never = |_: &[Var<f64>]| -> Var<f64> { panic!("called") };
    let text = text_of(|| reverse::gradient_into(never, &[1.0, 2.0], &mut [0.0; 3]));
    assert_eq!(text, "gradient: the gradient buffer has length 3, expected 2");
    let mut prepared = prepare::gradient(Reverse, &[0.0; 2]);
    assert!(prepared.of(never).at(&[1.0, 2.0], &mut [0.0; 3]).is_err());
    let never = |_: &[Var<wengert::Dual<f64>>]| -> Var<wengert::Dual<f64>> { panic!("called") };
    let (mut g, mut h) = ([0.0; 2], [0.0; 2]);
    let run = || reverse::value_gradient_and_hvp_into(never, &[1.0, 2.0], &[1.0], &mut g, &mut h);
    let text = text_of(run);
    assert_eq!(text, "hvp: the tangent has length 1, expected 2");
    let text = text_of(|| reverse::hvp_into(never, &[1.0, 2.0], &[1.0, 0.0], &mut [0.0; 3]));
    assert_eq!(text, "hvp: the product buffer has length 3, expected 2");
    let (mut y, mut j) = ([9.0; 2], DMatrix::from_element(3, 2, 9.0));
    let mut jacobian = prepare::jacobian(Reverse, &[0.0; 2]);
    assert!(jacobian.of(|x| [x[0], x[1]]).at(&[1.0, 2.0], &mut y, &mut j).is_err());
    assert!(jacobian.of(|x| x[0]).at(&[1.0, 2.0], &mut y, &mut dmatrix![9.0, 9.0]).is_err());
    assert!(y.iter().chain(j.iter()).all(|&e| e == 9.0), "nothing is written");
}
