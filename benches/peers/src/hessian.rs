//! Value, gradient and Hessian of a function of ten variables: by a loop over numbers, and by drivers.

use ad_trait::differentiable_function::{HessianAD, HessianAD_FOR, HessianMethodTrait};
use nalgebra::{DMatrix, SVector};
use wengert::{Function, Real};

use crate::functions::{Circle, circle};
use crate::number::Number;
use crate::table::Table;
use crate::workloads::hessian;

const POINT: [f64; 10] = [0.3, 0.5, 0.7, 0.2, 0.9, 0.4, 0.6, 0.8, 0.1, 0.35];

/// Value, gradient, Hessian by rows.
type Results = [f64; 111];

/// The tables of the workload.
pub fn tables() -> impl Iterator<Item = String> {
    [numbers, drivers].into_iter().map(|table| table())
}

fn table<'a>(title: &str) -> Table<'a, &'a [f64; 10], Results> {
    let mut want = [0.0; 111];
    hessian::hand(&POINT, &mut want);
    Table::new(title, &POINT, want).case("hand", hessian::hand)
}

fn numbers() -> String {
    table("Value, gradient, Hessian of Σ sin(xᵢ)·exp(xᵢ₊₁/2) + ln(1 + Σ xᵢ²), n = 10, loop over numbers")
        .case("wengert `Dual2<f64, 10, 55>`", hessian::packed)
        .case("wengert `DualN<DualN<f64, 10>, 10>`", hessian::square)
        .case("wengert, 55 × `HyperDual<f64>`", hessian::hyper)
        .case("echidna `DualVec<DualVec<f64, 10>, 10>`", |x, out| {
            use echidna::DualVec;
            let x: [DualVec<DualVec<f64, 10>, 10>; 10] =
                std::array::from_fn(|i| DualVec::with_tangent(DualVec::with_tangent(x[i], i), i));
            let y = circle(&x);
            out[0] = y.re.re;
            out[1..11].copy_from_slice(&y.re.eps);
            for (row, lane) in out[11..].chunks_exact_mut(10).zip(y.eps) {
                row.copy_from_slice(&lane.eps);
            }
        })
        .case("num-dual, 55 × `HyperDual64`", |x, out| {
            let lift = |x, e1, e2| num_dual::HyperDual64::new(x, e1, e2, 0.0);
            pairs(x, lift, |y| [y.re, y.eps1, y.eps1eps2], out);
        })
        .case("autodiff, 55 × `F<F1, F1>`", |x, out| {
            use autodiff::{F, F1};
            let lift = |x, e1, e2| F::new(F1::new(x, e1), F1::new(e2, 0.0));
            pairs(x, lift, |y| [y.x.x, y.x.dx, y.dx.dx], out);
        })
        .run()
}

/// One evaluation for each pair of variables, given how to make a number and to read its value, its first derivative
/// and its mixed second one.
#[inline(always)]
fn pairs<T: Number>(
    x: &[f64; 10],
    lift: impl Fn(f64, f64, f64) -> T,
    parts: impl Fn(T) -> [f64; 3],
    out: &mut Results,
) {
    for i in 0..10 {
        for j in 0..=i {
            let x: [T; 10] = std::array::from_fn(|k| lift(x[k], f64::from(k == i), f64::from(k == j)));
            let [value, first, second] = parts(circle(&x));
            (out[0], out[1 + i]) = (value, first);
            (out[11 + 10 * i + j], out[11 + 10 * j + i]) = (second, second);
        }
    }
}

/// The function for wengert's drivers.
struct Ten;

impl Function for Ten {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> T {
        hessian::f(x.try_into().expect("ten variables"))
    }
}

fn drivers() -> String {
    let (mut g, mut h) = ([0.0; 10], DMatrix::zeros(10, 10));
    let (tape, _) = echidna::record(circle, &POINT);
    table("Value, gradient, Hessian of the same, by a driver")
        .case("wengert `Function::value_gradient_and_hessian_into`", move |x, out| {
            let y = Ten.value_gradient_and_hessian_into(x, &mut g, &mut h);
            write(y, &g, h.as_slice(), out);
        })
        .case("wengert `value_gradient_and_hessian`, forward over reverse", |x, out| {
            let (y, g, h) = wengert::value_gradient_and_hessian(|x| Ten.call(x), x);
            write(y, &g, h.as_slice(), out);
        })
        .case("echidna `hessian_vec::<10>`", |x, out| {
            let (y, g, h) = echidna::hessian_vec::<_, 10>(circle, x);
            write(y, &g, &h.concat(), out);
        })
        .case("echidna `hessian_vec::<10>` of a recorded tape", move |x, out| {
            let (y, g, h) = tape.hessian_vec::<10>(x);
            write(y, &g, &h.concat(), out);
        })
        .case("num-dual `hessian`", |x, out| {
            let f = |x: SVector<num_dual::Dual2SVec64<10>, 10>| circle(x.as_slice());
            let (y, g, h) = num_dual::hessian(f, &SVector::from(*x));
            write(y, g.as_slice(), h.as_slice(), out);
        })
        .case("ad_trait `HessianAD<10>`", |x, out| {
            let (y, g, h) = HessianAD::<10>::new().hessian(x, &Circle);
            write(y[0], g.as_slice(), h[0].as_slice(), out);
        })
        .case("ad_trait `HessianAD_FOR<10>`", |x, out| {
            let (y, g, h) = HessianAD_FOR::<10>::new().hessian(x, &Circle);
            write(y[0], g.as_slice(), h[0].as_slice(), out);
        })
        .run()
}

fn write(value: f64, gradient: &[f64], hessian: &[f64], out: &mut Results) {
    out[0] = value;
    out[1..11].copy_from_slice(gradient);
    out[11..].copy_from_slice(hessian);
}
