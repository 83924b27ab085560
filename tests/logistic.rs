//! The example `logistic`, run in this process: derivatives compared with the whole sum, weights, files, errors.
#![cfg(all(feature = "std", feature = "nalgebra"))]

#[allow(dead_code)]
#[path = "../examples/logistic/main.rs"]
mod example;

use std::ffi::OsString;
use std::path::PathBuf;

use example::data::{self, Data};
use example::model::{objective, plain_objective};

/// The text that the program prints, or its error.
fn run<const N: usize>(arguments: [&str; N]) -> Result<String, String> {
    let mut out = Vec::new();
    let outcome = example::run(arguments.map(OsString::from), &mut out);
    let text = String::from_utf8(out).expect("the program prints UTF-8");
    outcome.map(|()| text).map_err(|error| error.to_string())
}

#[test]
fn derivatives_are_those_of_the_plain_sum() {
    let data = Data::generate(600, 4, 1);
    let w = [0.1, -0.2, 0.3, 0.05, 0.7];
    let (mut sum, mut g, mut h) = (objective(&data).unwrap(), [0.0; 5], [0.0; 25]);
    let value = sum.hessian(&w, &mut g, &mut h).unwrap();
    assert!((value - plain_objective(&data, &w)).abs() <= 1e-13 * value);
    // By hand: g = Σ (σ(z) − y)·x + w, H = Σ σ(1 − σ)·xxᵀ + 1.
    let (mut of_hand, mut curvature) = (w, [0.0; 25]);
    (0..5).for_each(|i| curvature[6 * i] = 1.0);
    for row in data.numbers.chunks(6) {
        let z: f64 = row.iter().zip(&w).map(|(x, w)| x * w).sum();
        let s = 1.0 / (1.0 + (-z).exp());
        for i in 0..5 {
            of_hand[i] += (s - row[5]) * row[i];
            (0..5).for_each(|j| curvature[5 * i + j] += s * (1.0 - s) * row[i] * row[j]);
        }
    }
    for (a, b) in g.iter().chain(&h).zip(of_hand.iter().chain(&curvature)) {
        assert!((a - b).abs() <= 1e-11, "{a} {b}");
    }
}

#[test]
fn the_weights_are_found() {
    let text = run(["--rows", "20000", "--columns", "3"]).unwrap();
    for expected in ["20000 rows of 3 columns", "time of the plain sum", "converged in", "standard error"] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let number = |after: &str| -> f64 {
        let rest = text.split(after).nth(1).unwrap().split([',', '\n']).next().unwrap();
        rest.trim().parse().unwrap()
    };
    let (error, deviation) = (number("at most "), number("standard error "));
    assert!(error < 4.0 * deviation && deviation < 0.05, "{error} {deviation}");
}

#[test]
fn files_are_read() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rows.csv");
    let rows = (0..50).map(|i| format!("{},{}\n", i % 7, u8::from(i % 7 > 3 || i == 2)));
    std::fs::write(&path, format!("x,label\n{}", rows.collect::<String>())).unwrap();
    let text = run([path.to_str().unwrap()]).unwrap();
    assert!(text.contains("50 rows of 1 column\n") && text.contains("converged"), "{text}");
    for (text, expected) in [
        ("x,y\n", "there are no rows"),
        ("x,y\n1,2\n", "row 1, column 2: 0 or 1 expected, not `2`"),
        ("x,y\n1,0\nnan,1\n", "row 2, column 1: a number expected, not `nan`"),
        ("x,y\n1,0\n1,1,1\n", "record 2"),
    ] {
        let error = data::parse(text.as_bytes()).err().unwrap().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn errors_are_one_line() {
    let errors = [
        (run(["--rows", "0"]), "--rows: a whole number from 1 to"),
        (run(["no_such_file"]), "cannot read no_such_file"),
        (run(["--what"]), "--help lists the options"),
    ];
    for (result, expected) in errors {
        let error = result.unwrap_err();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    assert!(run(["--help"]).unwrap().contains("--columns"));
}
