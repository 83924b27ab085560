//! The numbers in nalgebra 0.33's own functions, and wengert's functions of its matrices.

use nalgebra::{RealField, Vector2, matrix, vector};
use nalgebra_sparse::CsrMatrix;
use wengert::{Var, function, gradient, hessian, jacobian, programs, sparse};

/// The length of a vector, by nalgebra's traits alone.
fn length<T: RealField + Copy>(v: &Vector2<T>) -> T {
    v.norm_squared().sqrt()
}

/// The traits of num-traits, on which this package does not depend.
#[wengert::generic(Float)]
fn decay(t: f64) -> f64 {
    let mut sum = 1.0;
    sum += (-t).exp() * 2.0;
    sum
}

fn main() {
    assert_eq!(gradient(|t| decay(*t), &0.0), -2.0);
    let g = gradient(|v| length(v), &vector![3.0, 4.0]);
    assert!((g - vector![0.6, 0.8]).amax() < 1e-15);
    let j = jacobian(|x| vector![x[0] * x[1], x[0]], &vector![2.0, 3.0]);
    assert_eq!(j, matrix![3.0, 2.0; 1.0, 0.0]);
    // x = A⁻¹b of a matrix with one parameter.
    let solved = |t: &[Var<f64>]| {
        let a = matrix![t[0], 1.0.into(); 1.0.into(), 3.0.into()];
        wengert::matrix::solve(&a, &vector![1.0.into(), 0.0.into()]).unwrap()[0]
    };
    // x₀ = 3/(3t − 1)
    assert!((gradient(solved, &[2.0])[0] + 9.0 / 25.0).abs() < 1e-15);
    assert_eq!(hessian(|x| x[0] * x[1].powi(2), &[2.0, 3.0]), matrix![0.0, 6.0; 6.0, 4.0]);
    let program = programs::trace(|x: &[programs::Traced]| x[0].sin() * x[1], &[1.0, 2.0]);
    assert_eq!(program.gradient().unwrap().run(&[0.0, 2.0]).unwrap(), [2.0, 0.0]);
    let f = function!(|x, y: [_; 2]| {
        y[0] = x[0] * x[1];
        y[1] = x[2] * 2.0;
    });
    let mut sparse = sparse::Jacobian::new(&f, &[1.0; 3]).unwrap();
    let mut j: CsrMatrix<f64> = sparse.zeros();
    sparse.of_object(&f).at(&[2.0, 3.0, 4.0], &mut (), &mut j).unwrap();
    assert_eq!(j.values(), [3.0, 2.0, 2.0]);
    println!("nalgebra 0.33 has the derivatives");
}
