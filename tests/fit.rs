//! The example `fit`, run in this process: certified results, formulas, files good and bad, and its output.
#![cfg(feature = "nalgebra")]

#[allow(dead_code)]
#[path = "../examples/fit/main.rs"]
mod example;

#[path = "fit/files.rs"]
mod files;
#[path = "fit/formulas.rs"]
mod formulas;
#[path = "fit/output.rs"]
mod output;

use std::ffi::OsString;
use std::path::PathBuf;

use example::nist;
use serde_json::Value;

/// The text that the program prints, or its error.
fn run<const N: usize>(arguments: [&str; N]) -> Result<String, String> {
    let mut out = Vec::new();
    let outcome = example::run(arguments.map(OsString::from), &mut out);
    let text = String::from_utf8(out).expect("the program prints UTF-8");
    outcome.map(|()| text).map_err(|error| error.to_string())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// A file for one test, in cargo's directory for test files.
fn file(name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).unwrap();
    path.to_str().unwrap().to_string()
}

fn estimates(result: &Value) -> Vec<f64> {
    result["parameters"].as_array().unwrap().iter().map(|p| p["estimate"].as_f64().unwrap()).collect()
}

fn digits(value: f64, certified: f64) -> f64 {
    -((value - certified) / certified).abs().max(1e-16).log10()
}

const LINE: &str = "x,y\n1,2.1\n2,3.9\n3,6.2\n4,7.8\n";

/// Certified estimates, standard errors and sum of squares, read here and not by the code under test.
fn certified(text: &str) -> (Vec<[f64; 2]>, f64) {
    let numbers =
        |line: &str| -> Vec<f64> { line.split_whitespace().filter_map(|word| word.parse().ok()).collect() };
    let row = |line: &str| match numbers(line.split_once('=')?.1)[..] {
        [_, _, estimate, error] if line.trim_start().starts_with('b') => Some([estimate, error]),
        _ => None,
    };
    let rss = text.lines().find(|line| line.starts_with("Residual Sum of Squares:")).unwrap();
    (text.lines().filter_map(row).collect(), numbers(rss)[0])
}

#[test]
fn certified_results_from_both_starts() {
    assert_eq!(nist::EMBEDDED.len(), 13);
    for (name, text) in nist::EMBEDDED {
        let (parameters, rss) = certified(text);
        assert!(parameters.len() >= 2, "{name}");
        for start in ["1", "2"] {
            let result =
                json(&run([name, "--from", start, "--json"]).unwrap_or_else(|e| panic!("{name}: {e}")));
            assert_eq!(result["parameters"].as_array().unwrap().len(), parameters.len(), "{name}");
            for (k, [estimate, error]) in parameters.iter().enumerate() {
                let parameter = &result["parameters"][k];
                assert_eq!(parameter["name"], format!("b{}", k + 1));
                for (key, certified) in [("estimate", *estimate), ("std_error", *error)] {
                    let value = parameter[key].as_f64().unwrap();
                    assert!(
                        digits(value, certified) >= 9.0,
                        "{name} from {start}: {key} {value} for {certified}"
                    );
                }
            }
            let value = result["rss"].as_f64().unwrap();
            assert!(digits(value, rss) >= 9.0, "{name} from {start}: rss {value} for {rss}");
            assert!(result["iterations"].as_u64().unwrap() > 1, "{name}");
        }
    }
}

#[test]
fn the_near_start_is_the_default() {
    assert_eq!(run(["Eckerle4", "--json"]), run(["eckerle4", "--from", "2", "--json"]));
    assert_ne!(run(["Eckerle4", "--json"]), run(["Eckerle4", "--from", "1", "--json"]));
    assert_eq!(
        run(["Eckerle4", "--from", "1", "--json"]),
        run(["Eckerle4", "--start", "1,10,500", "--json"])
    );
    assert_eq!(run(["--json"]), run(["Misra1a", "--json"]));
}
