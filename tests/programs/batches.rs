//! The same program at many points: rows equal single runs, and points that fail are named.

use wengert::programs::{Program, Traced, Workspace, trace};
use wengert::{AdError, Real};

use crate::support::definition::is_defined;

/// `Σ sin(x₀·k)·x₁ + ln x₀`, with a branch.
fn f<T: Real<Base = f64>>(x: &[T]) -> [T; 2] {
    let sum = (0..30).fold(x[0], |s, k| s + (x[0] * (f64::from(k) + 0.5)).sin() * x[1]);
    [if x[0] > x[1] { sum + x[0].ln() } else { sum }, sum]
}

fn program() -> Program {
    trace(|x: &[Traced]| f(x), &[2.0, 1.0])
}

/// This number of points at which the program takes its branch.
fn points(n: usize) -> Vec<f64> {
    (0..n).flat_map(|i| [2.0 + (i as f64).sin() * 0.5, 1.0 + 0.25 * (i as f64 * 0.3).cos()]).collect()
}

#[test]
fn rows_are_the_results_of_single_points() {
    let (program, mut memory) = (program(), Workspace::default());
    for n in [0, 1, 2, 7, 8, 9, 64, 65, 1000] {
        let (x, mut y) = (points(n), vec![-1.0; 2 * n]);
        program.ready().run_batch(&mut memory, &x, &mut y).unwrap();
        for (x, y) in x.chunks(2).zip(y.chunks(2)) {
            assert_eq!(y, f(x), "{n} points, {x:?}");
        }
    }
}

#[test]
fn points_of_other_branches_are_named_and_the_others_complete() {
    for n in [3, 20, 500] {
        let (mut x, mut y) = (points(n), vec![0.0; 2 * n]);
        let odd = [1, n / 2, n - 1];
        odd.iter().for_each(|&i| x[2 * i] = 0.5);
        x[0] = f64::NAN; // (NaN compares as in recorded code: x₀ > x₁ was true)
        let error = program().run_batch(&x, &mut y).unwrap_err();
        assert!(
            error.to_string().starts_with("point 0: the program was recorded with lt = true at"),
            "{error}"
        );
        let AdError::Points { failed } = error else { panic!("{error}") };
        let mut named: Vec<usize> = [0].into_iter().chain(odd).collect();
        named.dedup();
        assert_eq!(failed.iter().map(|f| f.0).collect::<Vec<_>>(), named);
        for (point, error) in &failed {
            assert_eq!(*error, program().run(&x[2 * point..][..2]).unwrap_err());
        }
        for (i, (x, y)) in x.chunks(2).zip(y.chunks(2)).enumerate() {
            match named.contains(&i) {
                true => assert!(y.iter().all(|y| y.is_nan()), "{i}"),
                false => assert_eq!(y, f(x), "{i}"),
            }
        }
    }
}

#[test]
fn guards_are_asked_at_each_point() {
    let steps = |x: &[Traced]| (0..50).fold(x[0], |y, _| if y > 0.0 { y * 0.9 - x[1] } else { y + 1.5 });
    let on = |x: &[f64]| (0..50).fold(x[0], |y, _| if y > 0.0 { y * 0.9 - x[1] } else { y + 1.5 });
    let program = trace(steps, &[1.0, 0.1]);
    let x: Vec<f64> = (0..100).flat_map(|i| [1.0 + f64::from(i) * 0.01, 0.1]).collect();
    let mut y = vec![0.0; 100];
    let failed = match program.run_batch(&x, &mut y) {
        Err(AdError::Points { failed }) => failed,
        other => panic!("{other:?}"),
    };
    for (i, (x, y)) in x.chunks(2).zip(&y).enumerate() {
        match (program.run(x), failed.iter().find(|f| f.0 == i)) {
            (Ok(want), None) => assert_eq!((want[0], *y), (on(x), on(x))),
            (Err(want), Some((_, got))) => assert!(want == *got && y.is_nan()),
            (want, got) => panic!("{i}: {got:?} instead of {want:?}"),
        }
    }
    assert!(failed.len() < 99 && !failed.is_empty(), "{}", failed.len());
}

/// Executables have plain products. Points where these give NaN run again with the laws at singular points.
#[test]
fn singular_points_follow_their_laws_among_others() {
    let distance = trace(|x: &[Traced]| (x[0] * x[0] + x[1] * x[1]).sqrt(), &[3.0, 4.0]);
    let gradient = distance.gradient().unwrap();
    for n in [1, 8, 30, 200] {
        let mut x: Vec<f64> = (0..2 * n).map(|i| 1.0 + (i as f64).sin()).collect();
        for i in [0, n / 2, n - 1] {
            x[2 * i..][..2].fill(0.0);
        }
        let mut y = vec![1.0; 2 * n];
        gradient.run_batch(&x, &mut y).unwrap();
        for (x, y) in x.chunks(2).zip(y.chunks(2)) {
            let size = x[0].hypot(x[1]);
            assert!(size != 0.0 || y == [0.0; 2], "the gradient at 0: {y:?}");
            let alone = gradient.run(x).unwrap();
            assert_eq!(y, alone);
            assert!(is_defined(&gradient, x, &Ok(alone)), "{x:?}");
        }
    }
}

#[test]
fn shapes_are_checked() {
    let error = |x: &[f64], y: &mut [f64]| program().run_batch(x, y).unwrap_err().to_string();
    assert_eq!(
        error(&[1.0; 3], &mut [0.0; 2]),
        "program: the list of points has length 3, expected a multiple of 2"
    );
    assert_eq!(error(&[1.0; 4], &mut [0.0; 2]), "program: the list of results has length 2, expected 4");
    // Without inputs the results decide how many points there are.
    let constant = trace(|_: &[Traced]| Traced::constant(3.0), &[0.0; 0]);
    let mut y = [0.0; 5];
    constant.run_batch(&[], &mut y).unwrap();
    assert_eq!(y, [3.0; 5]);
}

#[cfg(feature = "rayon")]
#[test]
fn threads_do_not_change_results() {
    let mut x = points(3000);
    x[2 * 777] = 0.0;
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut y = vec![0.0; 6000];
        let error = pool.install(|| program().run_batch(&x, &mut y).unwrap_err());
        (error, y.into_iter().map(f64::to_bits).collect::<Vec<_>>())
    };
    let one = run(1);
    assert!(matches!(&one.0, AdError::Points { failed } if failed.len() == 1 && failed[0].0 == 777));
    for threads in [2, 3, 7] {
        assert!(run(threads) == one, "{threads}");
    }
}

#[cfg(feature = "nalgebra")]
#[test]
fn primitives_run_point_by_point() {
    use nalgebra::{Matrix2, Vector2};
    macro_rules! solved {
        ($x:expr) => {{
            let x = $x;
            let a = Matrix2::new(x[0], x[0] * 0.0 + 1.0, x[0] * 0.0 + 2.0, x[1]);
            let y = wengert::matrix::solve(&a, &Vector2::new(x[1], x[0])).expect("regular");
            y[0] * y[1]
        }};
    }
    let program = trace(|x: &[Traced]| solved!(x), &[3.0, 4.0]);
    let (x, mut y) = ([3.0, 4.0, 2.0, 1.0, 5.0, -1.0, 1.0, 7.0], [0.0; 4]);
    // The second matrix is singular.
    let error = program.run_batch(&x, &mut y).unwrap_err();
    assert!(matches!(&error, AdError::Points { failed } if failed.len() == 1 && failed[0].0 == 1), "{error}");
    for i in [0, 2, 3] {
        assert_eq!(y[i], solved!(&x[2 * i..][..2]));
    }
}
