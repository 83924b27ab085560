//! The example `gaussian_process`, run in this process: derivatives by several ways, the maximum, the posterior, its
//! output and its errors.
#![cfg(feature = "nalgebra")]

#[allow(dead_code)]
#[path = "../examples/gaussian_process/main.rs"]
mod example;

use std::ffi::OsString;
use std::path::PathBuf;

use example::data;
use example::maximum::maximize;
use example::model::{Model, Part};
use example::report::Gradients;

/// The text that the program prints, or its error.
fn run<const N: usize>(arguments: [&str; N]) -> Result<String, String> {
    let mut out = Vec::new();
    let outcome = example::run(arguments.map(OsString::from), &mut out);
    let text = String::from_utf8(out).expect("the program prints UTF-8");
    outcome.map(|()| text).map_err(|error| error.to_string())
}

/// A file for one test, in cargo's directory for test files.
fn file(name: &str, contents: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).unwrap();
    path.to_str().unwrap().to_string()
}

/// The embedded series with the process of the default run.
fn enso() -> Model {
    Model::new(data::series(None).unwrap(), Some(12.0), true)
}

/// The model of the first six years: quick without optimisation.
fn six_years() -> Model {
    let mut series = data::series(None).unwrap();
    series.x.truncate(72);
    series.y.truncate(72);
    Model::new(series, Some(12.0), true)
}

/// `ln N(y; m, K)` by elimination without square roots, `K = LDLᵀ`, from the covariance in the units of the data:
/// mean, noise, amplitude, length, period, amplitude of the season.
fn ln_likelihood(x: &[f64], y: &[f64], values: &[f64]) -> f64 {
    let &[mean, noise, a, length, p, s] = values else { panic!("six hyperparameters") };
    let tau = std::f64::consts::TAU;
    let covariance = |i: usize, j: usize| {
        let d = x[i] - x[j];
        let wave = a * a * (-d * d / (2.0 * length * length)).exp() * (tau * d / p).cos();
        wave + s * s * (tau * d / 12.0).cos() + if i == j { noise * noise } else { 0.0 }
    };
    let n = x.len();
    let mut k: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| covariance(i, j)).collect()).collect();
    let mut r: Vec<f64> = y.iter().map(|y| y - mean).collect();
    let mut sum = n as f64 * tau.ln();
    for j in 0..n {
        sum += k[j][j].ln() + r[j] * r[j] / k[j][j];
        let (pivots, r_j) = (k[j].clone(), r[j]);
        for (row, r) in k.iter_mut().zip(&mut r).skip(j + 1) {
            let factor = row[j] / pivots[j];
            *r -= factor * r_j;
            row.iter_mut().zip(&pivots).skip(j).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    -0.5 * sum
}

#[test]
fn the_data_are_those_of_the_file() {
    let series = data::series(None).unwrap();
    assert_eq!(series.x, (1..=168).map(f64::from).collect::<Vec<_>>());
    assert_eq!((series.y[0], series.y[167]), (12.9, 14.8));
}

#[test]
fn likelihood_and_gradient_by_other_ways() {
    let model = enso();
    for values in [[10.0, 2.0, 2.0, 20.0, 44.0, 2.0], [12.0, 1.0, 3.0, 5.0, 30.0, 0.5]] {
        let theta = model.variables(&values);
        let expected = ln_likelihood(&model.series.x, &model.series.y, &values);
        let ln_p = model.ln_likelihood(&theta).unwrap();
        assert!((ln_p / expected - 1.0).abs() < 1e-13, "{ln_p} for {expected}");
        let [forward, differences] = Gradients::new(&model, &theta).gaps();
        assert!(forward < 1e-12 && differences < 1e-8, "{forward:e}, {differences:e}");
    }
}

#[test]
fn the_hessian_by_other_ways() {
    let model = six_years();
    let theta = model.variables(&[10.0, 2.0, 2.0, 20.0, 44.0, 2.0]);
    let hessian = wengert::hessian(|t: &[_]| model.loss(t), &theta[..]);
    let forward = wengert::forward::hessian(|t: &[_]| model.loss(t), &theta[..]);
    assert!((&hessian - forward).amax() < 1e-11 * hessian.amax());
    for j in 0..theta.len() {
        let gradient = |h: f64| {
            let mut at = theta.clone();
            at[j] += h;
            nalgebra::DVector::from_vec(wengert::gradient(|t: &[_]| model.loss(t), &at[..]))
        };
        let differences = (gradient(1e-5) - gradient(-1e-5)) / 2e-5;
        assert!((hessian.column(j) - differences).amax() < 1e-7 * hessian.amax(), "{j}");
    }
}

#[test]
fn the_maximum_from_two_sides() {
    let model = six_years();
    let from = |values: &[f64]| maximize(&model, &model.variables(values)).unwrap();
    let (a, b) = (from(&model.guess(Some(44.0))), from(&[12.0, 1.0, 3.0, 5.0, 30.0, 0.5]));
    assert!((a.ln_likelihood - b.ln_likelihood).abs() < 1e-10);
    let deviations = a.covariance.diagonal().map(f64::sqrt);
    for i in 0..a.theta.len() {
        assert!((a.theta[i] - b.theta[i]).abs() < 4e-6 * deviations[i], "{i}");
        // On the parabola of the standard errors: by half of them, with the others at their best, ln p falls by ⅛.
        let moved = |side: f64| {
            let shift = a.covariance.column(i) * (side / deviations[i]);
            let theta: Vec<f64> = a.theta.iter().zip(&shift).map(|(t, s)| t + s).collect();
            ln_likelihood(&model.series.x, &model.series.y, &model.values(&theta))
        };
        let top = ln_likelihood(&model.series.x, &model.series.y, &model.values(&a.theta));
        let fall = |side: f64| top - moved(side);
        assert!((0.05..0.25).contains(&fall(0.5)) && (0.05..0.25).contains(&fall(-0.5)), "{i}");
        let (near, h) = ((fall(1e-2) + fall(-1e-2)) / 2.0, 1e-2);
        assert!((near / (0.5 * h * h) - 1.0).abs() < 1e-2, "{i}: {near:e}");
    }
}

#[test]
fn the_posterior_meets_the_data_where_there_is_no_noise() {
    let model = enso();
    let theta = model.variables(&[10.0, 1e-3, 3.0, 1.0, 44.0, 1.0]);
    let (x, y) = (&model.series.x, &model.series.y);
    for ((mean, deviation), y) in model.posterior(&theta, Part::Whole, x).unwrap().iter().zip(y) {
        assert!((mean - y).abs() < 1e-4 && *deviation < 2e-3, "{mean} ± {deviation} for {y}");
    }
    // Far away, the prior: the mean, and the deviation of the part.
    let far = model.posterior(&theta, Part::Unseasonal, &[1e4]).unwrap();
    assert!((far[0].0 - 10.0).abs() < 1e-9 && (far[0].1 - 3.0).abs() < 1e-9);
}

#[test]
fn the_report_and_the_plot() {
    let plot = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("process.svg");
    let path = plot.to_str().unwrap();
    // A sine with a pattern instead of noise.
    let row = |i: u32| format!("{i},{}\n", (f64::from(i) / 4.0).sin() + 0.1 * f64::from(i * i % 7) - 0.2);
    let csv = file("sine.csv", &format!("time,height\n{}", (0..40).map(row).collect::<String>()));
    let text = run([&csv, "--plot", path]).unwrap();
    for expected in [
        "sine, 40 points, 4 hyperparameters",
        "k(τ) = a²·exp(−τ²/2ℓ²), noise σ²",
        "largest gap, relative",
        "time of the gradient",
        "noise σ",
        "std. error",
        "of BFGS and",
        &format!("plot: {path}"),
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let svg = std::fs::read_to_string(&plot).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("time") && svg.contains("height") && svg.contains("standard deviations"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let help = run(["--help"]).unwrap();
    for option in ["--season", "--wave", "--start", "--plot"] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn errors_are_one_line() {
    let few = file("few.csv", "1,2\n2,3\n");
    let words = file("words.csv", "x,y\n1,2\n2,two\n");
    let wide = file("wide.csv", "1,2,3\n");
    let constant = file("constant.csv", &(0..20).map(|i| format!("{i},3\n")).collect::<String>());
    let line = file("straight.csv", &(0..20).map(|i| format!("{i},{i}\n")).collect::<String>());
    let errors = [
        (run(["no/such/file.csv"]), "cannot read no/such/file.csv"),
        (run([&few]), "2 points, at least 8 are needed"),
        (run([&words]), "row 3: `two` is not a number"),
        (run([&wide]), "3 values, where a position and a value are expected"),
        (run([&constant]), "column y does not vary"),
        (run([&line]), "data without noise"),
        (
            run(["--start", "10,1e-12,2,1e9,44,2"]),
            "at the start: cholesky: the matrix is not positive definite",
        ),
        (run(["--start", "1,2"]), "2 numbers, the hyperparameters are mean, noise σ"),
        (run(["--start", "10,2,2,20,-44,2"]), "period p is positive, -44 is not"),
        (run(["--wave", "0"]), "a period is positive"),
        (run(["--season", "inf"]), "`inf` is not a finite number"),
        (run(["--what"]), "--help lists the options"),
    ];
    for (result, expected) in errors {
        let error = result.unwrap_err();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}
