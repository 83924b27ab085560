//! Programs, rules and factors on several threads: they are `Send` and `Sync` where their parts are.
#![cfg(all(feature = "std", feature = "nalgebra"))]

use nalgebra::{Complex, DMatrix, DVector, Dyn};
use wengert::matrix::{Cholesky, Lu, Qr};
use wengert::primitive::{
    Closures, Rule, call, from_finite_differences, from_jvp, from_jvp_and_vjp, from_vjp,
};
use wengert::programs::{Executable, Program, Workspace, trace};
use wengert::{Dual, Real, gradient};

const fn shared<T: Send + Sync>() {}

const _: () = {
    shared::<Closures>();
    shared::<Program>();
    shared::<Executable>();
    shared::<Workspace>();
    shared::<wengert::AdError>();
    shared::<Lu<f64, Dyn>>();
    shared::<Lu<Dual<f32>, Dyn>>();
    shared::<Cholesky<Complex<f64>, Dyn>>();
    shared::<Qr<f64, Dyn, Dyn>>();
};

const fn rules_are_shared<R: Rule>() {
    shared::<R>();
}

/// An object made from a closure is shared if the closure is.
fn is_shared<T: Send + Sync>(_: &T) {}

/// Runs the work on four threads, or by rayon.
fn in_parallel<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        (0..count).into_par_iter().map(&work).collect()
    }
    #[cfg(not(feature = "rayon"))]
    std::thread::scope(|scope| {
        let jobs: Vec<_> =
            (0..count).map(|i| (i, &work)).map(|(i, work)| scope.spawn(move || work(i))).collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    })
}

fn point(i: usize) -> Vec<f64> {
    (0..3).map(|j| 1.0 + 0.1 * (i * 3 + j) as f64).collect()
}

#[test]
fn a_parallel_loop_uses_rules_and_programs_by_reference() {
    let product = || {
        from_jvp_and_vjp(
            "product",
            2,
            |x| vec![x[0][0] * x[1][0]],
            |x, dx| vec![dx[0][0] * x[1][0] + x[0][0] * dx[1][0]],
            |x, w| vec![vec![x[1][0] * w[0]], vec![x[0][0] * w[0]]],
        )
    };
    let rules = [
        product(),
        from_vjp(
            "v",
            2,
            |x| vec![x[0][0] * x[1][0]],
            |x, w| vec![vec![x[1][0] * w[0]], vec![x[0][0] * w[0]]],
        ),
        product().with_lengths(&[1, 1]),
    ];
    let found = in_parallel(32, |i| {
        let one =
            |rule: &Closures| gradient(|x| call(rule, &[&x[..1], &x[1..2]]).unwrap()[0] * x[2], &point(i));
        rules.iter().map(one).collect::<Vec<_>>()
    });
    for (i, found) in found.iter().enumerate() {
        let want = gradient(|x| x[0] * x[1] * x[2], &point(i));
        assert!(found.iter().all(|g| g.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-14)), "{i}");
    }
    let slow = from_finite_differences("cube", 1, |x| vec![x[0][0].powi(3)]);
    let forward = from_jvp("square", 1, |x| vec![x[0][0] * x[0][0]], |x, dx| vec![2.0 * x[0][0] * dx[0][0]]);
    let slopes = in_parallel(4, |i| {
        let x = Dual::variable(1.0 + i as f64);
        [&slow, &forward].map(|rule| call(rule, &[&[x]]).unwrap()[0].tangent())
    });
    for (i, [cubic, square]) in slopes.into_iter().enumerate() {
        let x = 1.0 + i as f64;
        assert!((cubic - 3.0 * x * x).abs() < 1e-8 && square == 2.0 * x);
    }
    // A program that calls a rule and factorises a matrix, with its gradient.
    let rule = product();
    let f = trace(
        |x: &[wengert::programs::Traced]| {
            let y = call(&rule, &[&x[..1], &x[1..2]]).unwrap()[0];
            let a = DMatrix::from_fn(3, 3, |i, j| if i == j { x[i] + 4.0 } else { y });
            wengert::matrix::solve(&a, &DVector::from_fn(3, |i, _| x[i])).unwrap()[0]
        },
        &point(0),
    );
    let df = f.gradient().unwrap();
    is_shared(&wengert::prepare::recorded::gradient(|x| x[0] * x[1], &[0.0; 2]));
    let alone: Vec<_> = (0..32).map(|i| (f.run(&point(i)).unwrap(), df.run(&point(i)).unwrap())).collect();
    let together = in_parallel(32, |i| {
        let mut y = [0.0; 3];
        df.run_into(&point(i), &mut y).unwrap();
        (f.run(&point(i)).unwrap(), y.to_vec())
    });
    assert_eq!(alone, together);
}

#[test]
fn a_parallel_loop_solves_with_shared_factors() {
    let a = DMatrix::from_fn(13, 13, |i, j| if i == j { 9.0 } else { 1.0 / (1.0 + (i + 2 * j) as f64) });
    let symmetric = &a + a.transpose();
    let (lu, cholesky, qr) = (Lu::new(&a).unwrap(), Cholesky::new(&symmetric).unwrap(), Qr::new(&a).unwrap());
    let worst = in_parallel(32, |i| {
        let b = DVector::from_fn(13, |row, _| (row * (i + 1)) as f64 * 0.1);
        let residuals =
            [&a * lu.solve(&b) - &b, &symmetric * cholesky.solve(&b) - &b, &a * qr.solve(&b) - &b];
        residuals.iter().map(|r| r.norm()).fold(0.0, f64::max)
    });
    assert!(worst.into_iter().all(|r| r < 1e-11));
}

/// A rule of a user, over any number.
#[derive(Clone)]
struct Cube;

impl Rule for Cube {
    fn name(&self) -> &'static str {
        "cube"
    }
    fn arity(&self) -> usize {
        1
    }
    fn supports(&self, _: wengert::primitive::Direction) -> bool {
        true
    }
    fn value(&self, x: &[&[f64]]) -> Result<Vec<f64>, wengert::AdError> {
        Ok(vec![x[0][0].powi(3)])
    }
    fn vjp<T: Real<Base = f64>>(&self, x: &[&[T]], _: &[T], dy: &[T], dx: &mut [Option<&mut [T]>]) {
        if let Some(dx) = &mut dx[0] {
            dx[0] += x[0][0] * x[0][0] * 3.0 * dy[0];
        }
    }
}

const _: () = rules_are_shared::<Cube>();
