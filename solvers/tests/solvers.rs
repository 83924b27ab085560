//! Each adapter in the crate that it is for, on problems whose solutions are known.

#[path = "../../tests/problems/models.rs"]
mod models;

mod solvers {
    mod densities;
    mod equations;
    mod minima;
}

use serde_json::Value;

/// A file of the reference data of `tests/problems.rs`.
fn read(name: &str) -> Value {
    let path = format!("{}/../tests/data/problems/{name}.json", env!("CARGO_MANIFEST_DIR"));
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
