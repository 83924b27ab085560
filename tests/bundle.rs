//! The example `bundle`, run in this process: rotations, gradients by both modes, a small scene, its errors.
#![cfg(feature = "nalgebra")]

#[allow(dead_code)]
#[path = "../examples/bundle/main.rs"]
mod example;

use std::ffi::OsString;
use std::path::PathBuf;

use example::camera::rotation;
use example::scene::Scene;
use example::{align, solve};
use wengert::{Real, forward, jvp, second_derivative};

/// What the program prints, or its error.
fn run<const N: usize>(arguments: [&str; N]) -> Result<String, String> {
    let mut out = Vec::new();
    let outcome = example::run(arguments.map(OsString::from), &mut out);
    let text = String::from_utf8(out).expect("the program prints UTF-8");
    outcome.map(|()| text).map_err(|error| error.to_string())
}

fn turned<T: Real<Base = f64>>(r: [T; 3], x: [f64; 3]) -> [T; 3] {
    rotation(r).map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} for {b}");
    }
}

const X: [f64; 3] = [0.3, -1.2, 0.7];

#[test]
fn rotations_keep_lengths_and_angles() {
    for r in [[0.0; 3], [1e-300, 0.0, 0.0], [1e-9, -2e-9, 3e-9], [0.3, -0.2, 0.1], [0.0, 3.1, 0.5]] {
        let back = r.map(|r: f64| -r);
        close(&turned(back, turned(r, X)), &X, 1e-14);
        close(&turned(r, r), &r, 1e-14);
    }
    // A quarter turn about z.
    close(&turned([0.0, 0.0, std::f64::consts::FRAC_PI_2], [1.0, 0.0, 0.0]), &[0.0, 1.0, 0.0], 1e-15);
}

#[test]
fn rotations_differentiate_at_zero() {
    // R(tω)·x has the velocity ω × x at t = 0, and the acceleration ω × (ω × x).
    let omega = [0.5, -0.25, 2.0];
    let velocity = cross(omega, X);
    assert_eq!(jvp(|r: &[_]| turned([r[0], r[1], r[2]], X), &[0.0; 3], &omega), velocity);
    for (i, acceleration) in cross(omega, velocity).into_iter().enumerate() {
        let reverse = wengert::gradient(|r| turned([r[0], r[1], r[2]], X)[i], &[0.0; 3]);
        close(&[reverse.iter().zip(omega).map(|(g, w)| g * w).sum()], &[velocity[i]], 1e-15);
        close(&[second_derivative(|t| turned(omega.map(|w| t * w), X)[i], 0.0)], &[acceleration], 1e-15);
    }
}

#[test]
fn both_modes_agree_on_the_loss() {
    let scene = Scene::generate(4, 50, 7);
    let mut reverse = vec![0.0; scene.start.len()];
    let loss = solve::loss_and_gradient(&scene, &scene.start, &mut reverse);
    assert_eq!(loss, scene.loss(&scene.start));
    let forward = forward::gradient(|p| scene.loss(p), &scene.start[..]);
    let largest = forward.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    let scaled = |g: &[f64]| g.iter().map(|g| g / largest).collect::<Vec<_>>();
    close(&scaled(&reverse), &scaled(&forward), 1e-13);
}

#[test]
fn a_scene_is_recovered_down_to_the_noise() {
    let scene = Scene::generate(5, 60, 3);
    assert_eq!(scene.camera(&scene.start, 0)[..3], [0.0; 3], "the first camera starts without rotation");
    let solution = solve::solve(&scene, 1000).unwrap();
    assert_eq!(solution.reason, "converged");
    assert!(solution.losses.is_sorted_by(|a, b| a >= b));
    let (end, expected) = (scene.loss(&solution.parameters), scene.expected_loss());
    assert!((0.7..1.3).contains(&(end / expected)), "{end} for {expected}");
    let distance = |p: &[f64]| align::distance(scene.coordinates(p), scene.coordinates(&scene.truth));
    assert!(distance(&solution.parameters) < distance(&scene.start) / 10.0);
}

#[test]
fn alignment_removes_a_similarity_and_nothing_else() {
    let points = [[0.0, 0.1, 0.2], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.5, 0.5, 3.0]];
    let moved = points.map(|p| turned([0.4, 2.0, -1.0], p).map(|c| 1.7 * c + 5.0));
    assert!(align::distance(&points, &moved) < 1e-14);
    let mirrored = points.map(|[x, y, z]| [x, y, -z]);
    assert!(align::distance(&points, &mirrored) > 0.1);
}

#[test]
fn the_report_and_the_plot() {
    let plot = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bundle.svg");
    let path = plot.to_str().unwrap();
    let text = run(["--cameras", "4", "--points", "50", "--iterations", "20", "--plot", path]).unwrap();
    for expected in [
        "4 cameras, 50 points, 186 parameters",
        "200 observations",
        "time of loss and gradient",
        "reprojection error, rms, px",
        "20 iterations",
        "stopped by the limit of iterations",
        &format!("plot: {path}"),
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let svg = std::fs::read_to_string(&plot).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("loss ½·Σ r² (px²)") && svg.contains("iteration of L-BFGS") && svg.contains("10⁴"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let help = run(["--help"]).unwrap();
    for option in ["--cameras", "--points", "--iterations", "--seed", "--plot"] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn errors_are_one_line() {
    let small =
        ["--cameras", "3", "--points", "50", "--iterations", "1", "--plot", "no/such/directory/plot.svg"];
    let errors = [
        (run(small), "cannot write no/such/directory/plot.svg"),
        (run(["--cameras", "2"]), "--cameras: a whole number from 3 to 1000, not `2`"),
        (run(["--points", "many"]), "not `many`"),
        (run(["--iterations"]), "missing argument"),
        (run(["--what"]), "--help lists the options"),
        (run(["file"]), "--help lists the options"),
    ];
    for (result, expected) in errors {
        let error = result.unwrap_err();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}
