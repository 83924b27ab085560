//! Problems with published solutions: derivatives at given points, and the conditions that hold at a solution. The models
//! are plain code under the attribute; the numbers are in `tests/data/problems`.
#![cfg(feature = "macros")]

mod problems {
    mod arm;
    mod call;
    mod clusters;
    mod constraints;
    mod least_squares;
    mod models;
    mod sensitivities;
}

use serde_json::Value;

/// A file of reference data.
fn read(name: &str) -> Value {
    let path = format!("{}/tests/data/problems/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file of reference data")).expect("JSON")
}

/// Numbers and decimal strings, of arrays in arrays too, in a row.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        Value::String(text) => vec![text.parse().unwrap_or_else(|_| panic!("{text} is no number"))],
        number => vec![number.as_f64().expect("a number")],
    }
}

/// The largest error relative to the largest entry.
fn error(got: &[f64], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    assert!(got.iter().all(|g| g.is_finite()), "{got:?}");
    let largest = |of: &mut dyn Iterator<Item = f64>| of.fold(0.0, |m: f64, x| m.max(x.abs()));
    let error = largest(&mut got.iter().zip(want).map(|(g, w)| g - w));
    if error == 0.0 { 0.0 } else { error / largest(&mut want.iter().copied()) }
}
