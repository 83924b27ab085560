//! The example `bundle`, run in this process: rotations, sums compared with whole derivatives, a small scene, files,
//! errors.
#![cfg(feature = "sparse")]

#[allow(dead_code)]
#[path = "../examples/bundle/main.rs"]
mod example;

use std::ffi::OsString;
use std::path::PathBuf;

use example::camera::rotation;
use example::scene::{Observation, Scene};
use example::{align, bal, plot, solve};
use nalgebra::{DMatrix, DVector};
use wengert::{Real, forward, jvp, second_derivative};

/// The text that the program prints, or its error.
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
fn sums_are_the_derivatives_of_the_whole() {
    let scene = Scene::generate(4, 50, 7);
    let p = &scene.start[..];
    let mut squares = scene.squares().unwrap();
    let scaled = |g: &[f64], by: &[f64]| {
        let largest = by.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        g.iter().map(|g| g / largest).collect::<Vec<_>>()
    };
    let mut gradient = vec![0.0; p.len()];
    let loss = squares.gradient(p, &mut gradient).unwrap();
    close(&[loss], &[scene.loss(p)], 1e-14);
    for whole in [forward::gradient(|p| scene.loss(p), p), wengert::gradient(|p| scene.loss(p), p)] {
        close(&scaled(&gradient, &whole), &scaled(&whole, &whole), 1e-13);
    }
    let whole = forward::jacobian(|p: &[_]| scene.residuals(p), p);
    let (residuals, jacobian) = squares.jacobian(p).unwrap();
    close(residuals, &scene.residuals(p), 1e-13);
    assert_eq!(jacobian.nnz(), 12 * residuals.len());
    let jacobian = DMatrix::from(jacobian);
    close(&scaled(jacobian.as_slice(), whole.as_slice()), &scaled(whole.as_slice(), whole.as_slice()), 1e-13);
    let (_, normal) = squares.sparse_normal_equations(p, &mut gradient).unwrap();
    let (normal, product) = (DMatrix::from(normal), whole.transpose() * &whole);
    close(
        &scaled(normal.as_slice(), product.as_slice()),
        &scaled(product.as_slice(), product.as_slice()),
        1e-13,
    );
    let product = whole.transpose() * DVector::from_vec(scene.residuals(p));
    close(&scaled(&gradient, product.as_slice()), &scaled(product.as_slice(), product.as_slice()), 1e-13);
}

#[test]
fn a_scene_is_recovered_down_to_the_noise() {
    let scene = Scene::generate(5, 60, 3);
    assert_eq!(scene.camera(&scene.start, 0)[..3], [0.0; 3], "the first camera starts without rotation");
    let solution = solve::solve(&scene, 100).unwrap();
    assert_eq!(solution.reason, "converged");
    assert!(solution.losses.len() < 40, "{} iterations", solution.losses.len());
    assert!(solution.losses.is_sorted_by(|a, b| a >= b));
    let (end, expected) = (scene.loss(&solution.parameters), scene.expected_loss().unwrap());
    assert!((0.7..1.3).contains(&(end / expected)), "{end} for {expected}");
    let truth = scene.truth.as_ref().unwrap();
    let distance = |p: &[f64]| align::distance(scene.coordinates(p), scene.coordinates(truth));
    assert!(distance(&solution.parameters) < distance(&scene.start) / 10.0);
}

/// A scene as a file has it: pixels with the other sign, cameras before points.
fn as_text(scene: &Scene) -> String {
    let mut text = format!("{} {} {}\n", scene.cameras, scene.points, scene.observations.len());
    // In the order of the points, as files are.
    let mut observations: Vec<&Observation> = scene.observations.iter().collect();
    observations.sort_by_key(|seen| seen.point);
    for Observation { camera, point, pixel: [x, y] } in observations {
        text += &format!("{camera} {point} {:e} {:e}\n", -x, -y);
    }
    let (points, cameras) = scene.start.split_at(3 * scene.points);
    text + &[cameras, points].concat().iter().map(|x| format!("{x:e}\n")).collect::<String>()
}

#[test]
fn files_are_read() {
    let scene = Scene::generate(5, 60, 3);
    let read = bal::parse(&as_text(&scene)).unwrap();
    assert_eq!(read.start, scene.start);
    assert_eq!(read.loss(&read.start), scene.loss(&scene.start));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("problem.txt");
    std::fs::write(&path, as_text(&scene)).unwrap();
    let plot = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("problem.svg");
    let text = run([path.to_str().unwrap(), "--plot", plot.to_str().unwrap()]).unwrap();
    assert!(text.contains("5 cameras, 60 points") && text.contains("converged"), "{text}");
    assert!(!text.contains("truth") && !text.contains("noise"), "{text}");
    assert!(!std::fs::read_to_string(&plot).unwrap().contains("noise"));
    for (text, expected) in [
        ("", "the number of cameras expected at the end"),
        ("2 x", "the number of points expected, not `x`"),
        ("1 1 99999999", "more cameras, points or observations than the file can hold"),
        ("1 1 1\n0 1 2 3", "observation 0 is of camera 0 and point 1, of 1 and 1"),
        ("1 1 1\n0 0 2 nan", "a pixel is NaN"),
        ("1 1 1\n0 0 2 3\n1 2", "a parameter of a camera expected at the end"),
        ("0 0 0 1", "`1` after the last point"),
    ] {
        let error = bal::parse(text).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
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
    let text = run(["--cameras", "4", "--points", "50", "--iterations", "2", "--plot", path]).unwrap();
    for expected in [
        "4 cameras, 50 points, 186 parameters",
        "200 observations",
        "time of loss and gradient",
        "time of residuals and Jacobian",
        "reprojection error, rms, px",
        "2 iterations",
        "stopped by the limit",
        &format!("plot: {path}"),
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let svg = std::fs::read_to_string(&plot).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(
        svg.contains("loss ½·Σ r² (px²)")
            && svg.contains("iteration of Levenberg and Marquardt")
            && svg.contains("10⁴")
    );
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert_eq!(iterations(&svg), [0, 1, 2]);
    let help = run(["--help"]).unwrap();
    for option in ["--cameras", "--points", "--iterations", "--seed", "--plot"] {
        assert!(help.contains(option), "{option}");
    }
}

/// The labels of iterations, which are the whole numbers of a picture.
fn iterations(svg: &str) -> Vec<usize> {
    let mut labels: Vec<usize> = svg.lines().filter_map(|line| line.trim().parse().ok()).collect();
    labels.sort_unstable();
    labels
}

#[test]
fn iterations_of_a_picture_are_whole() {
    for count in [1, 2, 3, 4, 7, 8, 13, 40, 100, 1000] {
        let losses: Vec<f64> = (0..=count).map(|i| 1e6 * 0.5f64.powi(i)).collect();
        let labels = iterations(&plot::svg(&losses, Some(3.0), "a title").unwrap());
        assert!(labels.len() >= 2 && labels[0] == 0, "{count}: {labels:?}");
        assert!(labels.windows(2).all(|pair| pair[0] < pair[1]), "{count}: {labels:?}");
        assert!(labels.windows(3).all(|at| at[2] - at[1] == at[1] - at[0]), "{count}: {labels:?}");
    }
}

/// Losses of any size have a picture.
#[test]
fn pictures_of_any_losses() {
    let odd = [0.0, 5e-324, 1e-300, 1.0, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
    let pairs = odd.iter().flat_map(|&a| odd.iter().map(move |&b| vec![a, b]));
    for losses in pairs.chain([vec![], vec![1.0], vec![f64::NAN]]) {
        for floor in [None, Some(0.0), Some(1e-20), Some(f64::INFINITY), Some(f64::NAN)] {
            let svg = plot::svg(&losses, floor, "a title").unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{losses:?} {floor:?}");
        }
    }
}

/// A scene without a loss is an error, not a success without steps.
#[test]
fn a_loss_that_is_no_number_is_an_error() {
    // One camera without rotation at the origin, which sees one point.
    let scene = |pixel: &str, point: &str| format!("1 1 1\n0 0 {pixel}\n0 0 0\n0 0 0\n1 0 0\n{point}\n");
    let solve = |text: &str| {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no_loss.txt");
        std::fs::write(&path, text).unwrap();
        let plot = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no_loss.svg");
        run([path.to_str().unwrap(), "--plot", plot.to_str().unwrap()])
    };
    for (pixel, point, loss) in [("1 2", "0 0 0", "NaN"), ("1e200 0", "0 0 1", "inf")] {
        let error = solve(&scene(pixel, point)).unwrap_err();
        assert!(error.contains(&format!("the loss is {loss} at the start")), "{error}");
    }
    let text = solve(&scene("1e152 0", "0 0 1")).unwrap();
    assert!(text.contains("plot: "), "{text}");
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
        (run(["file"]), "cannot read file"),
        (run(["file", "file"]), "--help lists the options"),
    ];
    for (result, expected) in errors {
        let error = result.unwrap_err();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}
