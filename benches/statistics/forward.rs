//! Forward mode compared with hand-written derivatives, with criterion's statistics: `cargo bench -p statistics`.
//!
//! For ratios that survive a busy machine see `ratios`, which lets the cases take turns.

#[path = "../workloads/mod.rs"]
mod workloads;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use wengert::VectorFunction;
use workloads::{arm, camera, check, hessian, scalar};

fn derivative(c: &mut Criterion) {
    let x = 1.3;
    check("scalar", &scalar::dual(x), &scalar::hand(x));
    let mut group = c.benchmark_group("derivative of exp(sin x + x²)·ln(1 + x²)/√x");
    group.bench_function("hand", |b| b.iter(|| scalar::hand(black_box(x))));
    group.bench_function("Dual", |b| b.iter(|| scalar::dual(black_box(x))));
    group.finish();
}

fn jacobian(c: &mut Criterion) {
    let q = [0.3, -0.8, 1.1, 0.6, -1.4, 0.9, 0.2];
    let (mut y, mut j, mut out) = (vec![0.0; 12], nalgebra::DMatrix::zeros(12, 7), [0.0; 84]);
    let mut group = c.benchmark_group("Jacobian of a seven-joint arm");
    group.bench_function("hand, geometric", |b| b.iter(|| arm::hand(black_box(&q), black_box(&mut out))));
    group.bench_function("hand, all lanes", |b| {
        b.iter(|| arm::hand_dense(black_box(&q), black_box(&mut out)))
    });
    group.bench_function("DualN", |b| b.iter(|| arm::lanes::<8>(black_box(&q), black_box(&mut out))));
    group.bench_function("jacobian_into", |b| {
        b.iter(|| arm::Pose.value_and_jacobian_into(black_box(&q), &mut y, &mut j));
    });
    group.finish();

    let x = [0.1, -0.2, 0.3, 0.5, 0.4, -6.0, 1.2, 0.05, -0.03, 0.01, -0.002, 0.7, -0.4, 0.9, 0.8];
    let mut out = [0.0; 32];
    let mut group = c.benchmark_group("Jacobian of a bundle-adjustment residual");
    group.bench_function("hand", |b| b.iter(|| camera::hand(black_box(&x), black_box(&mut out))));
    group.bench_function("DualN", |b| b.iter(|| camera::lanes(black_box(&x), black_box(&mut out))));
    group.finish();
}

fn second_order(c: &mut Criterion) {
    let x = [0.3, 0.5, 0.7, 0.2, 0.9, 0.4, 0.6, 0.8, 0.1, 0.35];
    let mut out = [0.0; 111];
    let mut group = c.benchmark_group("Hessian, ten variables");
    group.bench_function("hand", |b| b.iter(|| hessian::hand(black_box(&x), black_box(&mut out))));
    group.bench_function("Dual2", |b| b.iter(|| hessian::packed(black_box(&x), black_box(&mut out))));
    group
        .bench_function("55 × HyperDual", |b| b.iter(|| hessian::hyper(black_box(&x), black_box(&mut out))));
    group.finish();
}

criterion_group!(forward, derivative, jacobian, second_order);
criterion_main!(forward);
