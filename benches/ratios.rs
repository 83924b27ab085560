//! Forward mode compared with hand-written derivatives, in one process: `cargo bench --bench ratios`.
//!
//! Results are compared with the hand-written ones first.

mod workloads;

use std::hint::black_box;
use wengert::VectorFunction;
use workloads::timing::{Case, compare};
use workloads::{arm, camera, check, hessian, scalar};

/// A case that fills a buffer of `N` results from a point, after a check of its results.
fn filling<'a, X: Copy + 'a, const N: usize>(
    name: &'a str,
    x: X,
    want: &[f64],
    mut f: impl FnMut(&X, &mut [f64; N]) + 'a,
) -> Case<'a> {
    let mut out = [0.0; N];
    f(&x, &mut out);
    check(name, &out, want);
    (name, Box::new(move || f(black_box(&x), black_box(&mut out))))
}

fn main() {
    let x = 1.3;
    check("scalar", &scalar::dual(x), &scalar::hand(x));
    compare(
        "f′ of exp(sin x + x²)·ln(1 + x²)/√x",
        &mut [
            ("hand", Box::new(|| _ = black_box(scalar::hand(black_box(x))))),
            ("Dual<f64>", Box::new(|| _ = black_box(scalar::dual(black_box(x))))),
        ],
    );

    let q = [0.3, -0.8, 1.1, 0.6, -1.4, 0.9, 0.2];
    let mut want = [0.0; 84];
    arm::hand(&q, &mut want);
    let (mut y, mut j) = (vec![0.0; 12], nalgebra::DMatrix::zeros(12, 7));
    compare(
        "Jacobian of a seven-joint arm, 12 × 7",
        &mut [
            filling("hand, geometric", q, &want, arm::hand),
            filling("hand, tangent by tangent", q, &want, arm::hand_tangents),
            filling("hand, all lanes", q, &want, arm::hand_dense),
            filling("DualN<f64, 8>, raw loop", q, &want, arm::lanes::<8>),
            filling("DualN<f64, 7>, raw loop", q, &want, arm::lanes::<7>),
            filling("VectorFunction::jacobian_into", q, &want, |q, out: &mut [f64; 84]| {
                arm::Pose.value_and_jacobian_into(q, &mut y, &mut j);
                out.copy_from_slice(j.as_slice());
            }),
        ],
    );

    let x = [0.1, -0.2, 0.3, 0.5, 0.4, -6.0, 1.2, 0.05, -0.03, 0.01, -0.002, 0.7, -0.4, 0.9, 0.8];
    let mut want = [0.0; 32];
    camera::hand(&x, &mut want);
    compare(
        "Jacobian of a bundle-adjustment residual, 2 × 15",
        &mut [filling("hand", x, &want, camera::hand), filling("DualN<f64, 16>", x, &want, camera::lanes)],
    );

    let x = [0.3, 0.5, 0.7, 0.2, 0.9, 0.4, 0.6, 0.8, 0.1, 0.35];
    let mut want = [0.0; 111];
    hessian::hand(&x, &mut want);
    compare(
        "value, gradient, Hessian of Σ sin(xᵢ)·exp(xᵢ₊₁/2) + ln(1 + Σ xᵢ²), n = 10",
        &mut [
            filling("hand", x, &want, hessian::hand),
            filling("Dual2<f64, 10, 55>", x, &want, hessian::packed),
            filling("DualN<DualN<f64, 10>, 10>", x, &want, hessian::square),
            filling("55 × HyperDual<f64>", x, &want, hessian::hyper),
        ],
    );
    hessian::helmholtz_hand(&x, &mut want);
    compare(
        "value, gradient, Hessian of the Helmholtz energy, n = 10",
        &mut [
            filling("hand", x, &want, hessian::helmholtz_hand),
            filling("Dual2<f64, 10, 55>", x, &want, hessian::helmholtz_packed),
            filling("55 × HyperDual<f64>", x, &want, hessian::helmholtz_hyper),
        ],
    );
}
