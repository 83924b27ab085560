//! The Jacobian of a seven-joint arm, ℝ⁷ → ℝ¹²: by a loop over numbers of seven directions, and by drivers.

use ad_trait::differentiable_function::{DerivativeMethodTrait, ForwardADMulti};
use ad_trait::forward_ad::adfn::adfn;
use nalgebra::{DMatrix, SVector};
use wengert::VectorFunction;

use crate::functions::{Pose, pose};
use crate::number::Number;
use crate::table::Table;
use crate::workloads::arm;

const POINT: [f64; 7] = [0.3, -0.8, 1.1, 0.6, -1.4, 0.9, 0.2];

/// A Jacobian by columns.
type Columns = [f64; 84];

/// The tables of the workload.
pub fn tables() -> impl Iterator<Item = String> {
    [numbers, drivers].into_iter().map(|table| table())
}

fn table<'a>(title: &str) -> Table<'a, &'a [f64; 7], Columns> {
    let mut want = [0.0; 84];
    arm::hand(&POINT, &mut want);
    Table::new(title, &POINT, want)
        .case("hand, geometric", arm::hand)
        .case("hand, tangent by tangent", arm::hand_tangents)
}

fn numbers() -> String {
    table("Jacobian of a seven-joint arm, 12 × 7, loop over numbers")
        .case("wengert `DualN<f64, 8>`", arm::lanes::<8>)
        .case("wengert `DualN<f64, 7>`", arm::lanes::<7>)
        .case("echidna `DualVec<f64, 8>`", |q, out| {
            columns(q, echidna::DualVec::<f64, 8>::with_tangent, |y, j| y.eps[j], out);
        })
        .case("echidna `DualVec<f64, 7>`", |q, out| {
            columns(q, echidna::DualVec::<f64, 7>::with_tangent, |y, j| y.eps[j], out);
        })
        .case("num-dual `DualSVec64<7>`", |q, out| {
            let lift = |q, i| {
                let mut q = num_dual::DualSVec64::<7>::from_re(q);
                q.eps = num_dual::Derivative::derivative_generic(nalgebra::Const, nalgebra::Const, i);
                q
            };
            columns(q, lift, |y, j| y.eps.0.map_or(0.0, |eps| eps[j]), out);
        })
        .case("ad_trait `adfn<7>`", |q, out| {
            let lift = |q, i| adfn::new(q, std::array::from_fn::<_, 7, _>(|j| f64::from(i == j)));
            columns(q, lift, |y, j| y.tangent()[j], out);
        })
        .case("hyperdual `Hyperdual<f64, 8>`", |q, out| {
            let lift = |q, i| {
                let mut q = hyperdual::Hyperdual::<f64, 8>::from_real(q);
                q[i + 1] = 1.0;
                q
            };
            columns(q, lift, |y, j| y[j + 1], out);
        })
        .case("autodiff, 7 × `F1`", |q, out| {
            for (j, column) in out.chunks_exact_mut(12).enumerate() {
                let q: [autodiff::F1; 7] =
                    std::array::from_fn(|i| autodiff::F1::new(q[i], f64::from(i == j)));
                let mut y = [autodiff::F1::cst(0.0); 12];
                pose(&q, &mut y);
                for (slot, y) in column.iter_mut().zip(y) {
                    *slot = y.deriv();
                }
            }
        })
        .run()
}

/// All columns from one evaluation, given how to make a variable and to read its directions.
#[inline(always)]
fn columns<T: Number>(
    q: &[f64; 7],
    lift: impl Fn(f64, usize) -> T,
    tangent: impl Fn(&T, usize) -> f64,
    out: &mut Columns,
) {
    let q: [T; 7] = std::array::from_fn(|i| lift(q[i], i));
    let mut y = [T::lit(0.0); 12];
    pose(&q, &mut y);
    for (j, column) in out.chunks_exact_mut(12).enumerate() {
        for (slot, y) in column.iter_mut().zip(&y) {
            *slot = tangent(y, j);
        }
    }
}

fn drivers() -> String {
    let (mut y, mut jacobian) = (vec![0.0; 12], DMatrix::zeros(12, 7));
    table("Jacobian of a seven-joint arm, 12 × 7, by a driver")
        .case("wengert `VectorFunction::value_and_jacobian_into`", move |q, out| {
            arm::Pose.value_and_jacobian_into(q, &mut y, &mut jacobian);
            out.copy_from_slice(jacobian.as_slice());
        })
        .case("wengert `VectorFunction::value_and_jacobian`", |q, out| {
            out.copy_from_slice(arm::Pose.value_and_jacobian(q).1.as_slice());
        })
        .case("echidna `jacobian`", |q, out| {
            let pose = |q: &[echidna::Dual<f64>]| {
                let mut y = vec![echidna::Dual::constant(0.0); 12];
                pose(q, &mut y);
                y
            };
            for (i, row) in echidna::jacobian(pose, q).1.iter().enumerate() {
                for (j, entry) in row.iter().enumerate() {
                    out[12 * j + i] = *entry;
                }
            }
        })
        .case("num-dual `jacobian`", |q, out| {
            let pose = |q: SVector<num_dual::DualSVec64<7>, 7>| {
                let mut y = SVector::<_, 12>::repeat(num_dual::DualSVec64::lit(0.0));
                pose(q.as_slice(), y.as_mut_slice());
                y
            };
            out.copy_from_slice(num_dual::jacobian(pose, &SVector::from(*q)).1.as_slice());
        })
        .case("ad_trait `ForwardADMulti<adfn<7>>`", |q, out| {
            out.copy_from_slice(ForwardADMulti::<adfn<7>>::new().derivative(q, &Pose).1.as_slice());
        })
        .run()
}
