//! Similar curves of many subjects, fitted together by Newton's iteration with a sparse Hessian.
//!
//! ```text
//! cargo run --release --example mixed_effects
//! ```
//!
//! A drug decays in each of 500 subjects: the data are `a·e^(−bt)` with noise. The logarithms of `a` and `b` are a
//! common mean plus a normal deviation for each subject, so few measurements of a subject are enough. The example
//! minimises minus the logarithm of the joint density of data, subjects and mean. There are 1002 parameters; a row
//! reads two.

use nalgebra::DVector;
use nalgebra_sparse::factorization::CscCholesky;
use wengert::sums::{Sum, Table};

const SUBJECTS: usize = 500;
const TIMES: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
/// The common mean of the logarithms, and the deviations of a subject from it.
const MEAN: [f64; 2] = [1.5, -0.7];
const SPREAD: [f64; 2] = [0.3, 0.2];
/// The noise of a measurement.
const NOISE: f64 = 0.1;

/// Time and concentration of each measurement, and its subject. They are in the order of time: the rows of a subject
/// do not follow each other.
fn measure() -> (Vec<[f64; 2]>, Vec<usize>) {
    let mut random = fastrand::Rng::with_seed(1);
    let mut normal = || {
        let (u, v) = (1.0 - random.f64(), random.f64());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    };
    let subjects: Vec<[f64; 2]> =
        (0..SUBJECTS).map(|_| [0, 1].map(|k| MEAN[k] + SPREAD[k] * normal())).collect();
    let (mut rows, mut of) = (Vec::new(), Vec::new());
    for t in TIMES {
        for (subject, [a, b]) in subjects.iter().enumerate() {
            rows.push([t, (a - b.exp() * t).exp() + NOISE * normal()]);
            of.push(subject);
        }
    }
    (rows, of)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (rows, of) = measure();
    let n = 2 * SUBJECTS + 2;
    // Measurements read ln a and ln b of their subject.
    let table = Table::from(&rows).reading(|i| [2 * of[i], 2 * of[i] + 1]);
    let data = Sum::new(n, table, |p, d| {
        ((p[0] - p[1].exp() * d[0]).exp() - d[1]).square() * (0.5 / (NOISE * NOISE))
    })?;
    // Subjects read theirs and the mean.
    let subjects = Table::without_data(SUBJECTS).reading(|i| [2 * i, 2 * i + 1, n - 2, n - 1]);
    let prior = Sum::new(n, subjects, |p, _| {
        let z = [0, 1].map(|k| (p[k] - p[2 + k]) / SPREAD[k]);
        (z[0].square() + z[1].square()) * 0.5
    })?;
    let mut loss = data + prior;
    println!("{} measurements of {SUBJECTS} subjects, {n} parameters", rows.len());
    let (mut p, mut gradient) = (DVector::zeros(n), DVector::zeros(n));
    for iteration in 0..50 {
        let (value, hessian) = loss.sparse_hessian(&p, &mut gradient)?;
        println!("{iteration:3}  loss {value:14.6}  slope {:9.2e}", gradient.norm());
        if gradient.norm() < 1e-8 {
            break;
        }
        // More on the diagonal where the Hessian is not positive.
        let mut damped = hessian.clone();
        let mut damping = 0.0;
        let factor = loop {
            if let Ok(factor) = CscCholesky::factor(&damped) {
                break factor;
            }
            damping = if damping == 0.0 { 1.0 } else { damping * 4.0 };
            damped = hessian + &(nalgebra_sparse::CscMatrix::identity(n) * damping);
        };
        let step = factor.solve(&gradient);
        let mut share = 1.0;
        while loss.value(&(&p - step.column(0) * share))? > value + 1e-9 && share > 1e-6 {
            share *= 0.5;
        }
        p -= step.column(0) * share;
    }
    println!("{}", loss.report());
    println!("mean of ln a {:.4} (true {}), of ln b {:.4} (true {})", p[n - 2], MEAN[0], p[n - 1], MEAN[1]);
    assert!((p[n - 2] - MEAN[0]).abs() < 0.05 && (p[n - 1] - MEAN[1]).abs() < 0.05);
    Ok(())
}
