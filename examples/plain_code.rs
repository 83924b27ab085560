//! Plain `f64` code under an attribute, fitted to a data set.
//!
//! ```text
//! cargo run --release --example plain_code
//! ```
//!
//! The velocity of an enzyme's reaction saturates with the concentration of the substrate,
//! `v = V·c/(K + c)`. The measurements (Puromycin, treated cells; Bates and Watts, 1988) are
//! data: they stay `f64`, and only the parameters carry derivatives.

use nalgebra::{DVector, Matrix2, Vector2};
use wengert::{gradient, value_and_jacobian};

/// Without the attribute this module is ordinary code, which computes the same bits.
#[wengert::generic]
mod kinetics {
    #[derive(Clone, Copy, Debug, wengert::Differentiable)]
    pub struct Enzyme {
        pub limit: f64,
        pub half: f64,
    }

    impl Enzyme {
        pub fn velocity(&self, #[data] concentration: f64) -> f64 {
            self.limit * concentration / (self.half + concentration)
        }
        pub fn residuals(&self, #[data] rows: &[[f64; 2]]) -> Vec<f64> {
            rows.iter().map(|&[c, v]| (self.velocity(c) - v) / 10.0).collect()
        }
    }
}
use kinetics::Enzyme;

const MEASURED: [[f64; 2]; 12] = [
    [0.02, 76.0],
    [0.02, 47.0],
    [0.06, 97.0],
    [0.06, 107.0],
    [0.11, 123.0],
    [0.11, 139.0],
    [0.22, 159.0],
    [0.22, 152.0],
    [0.56, 191.0],
    [0.56, 201.0],
    [1.10, 207.0],
    [1.10, 200.0],
];

fn main() {
    let mut enzyme = Enzyme { limit: 200.0, half: 0.1 };
    // Gauss and Newton's method.
    for step in 0..12 {
        let (r, j) = value_and_jacobian(|e: &Enzyme<_>| e.residuals(&MEASURED), &enzyme);
        let (r, jt) = (DVector::from(r), j.transpose());
        let normal = Matrix2::from_iterator((&jt * &j).iter().copied());
        let right = Vector2::from_iterator((&jt * &r).iter().copied());
        let change = normal.lu().solve(&right).expect("two parameters that differ in effect");
        println!("{step}  V = {:.4}  K = {:.6}  ‖r‖ = {:.6}", enzyme.limit, enzyme.half, r.norm());
        enzyme.limit -= change[0];
        enzyme.half -= change[1];
    }
    let sum = |e: &Enzyme<_>| e.residuals(&MEASURED).iter().map(|r| r * r).sum();
    let slope: Enzyme = gradient(sum, &enzyme);
    println!("the gradient of the sum of squares: {slope:?}");
    assert!((enzyme.limit - 212.6837).abs() < 1e-3 && (enzyme.half - 0.0641213).abs() < 1e-6);
    assert!(slope.limit.abs() < 1e-9 && slope.half.abs() < 1e-5);
}
