//! How long derivatives take, in units of the function itself at `f64`.
//!
//! ```text
//! cargo run --release -p gradbench --bin ratios
//! ```

use gradbench::cases::{Case, cases};
use serde_json::{Value, json};

/// The least time of a call, in microseconds; preparation is apart.
fn least(eval: &str, function: &str, input: &Value) -> f64 {
    let message =
        json!({ "id": 0, "kind": "evaluate", "module": eval, "function": function, "input": input });
    let answer = gradbench::answer(&message.to_string());
    assert_eq!(answer["success"], true, "{eval} {function}: {}", answer["error"]);
    let timings = answer["timings"].as_array().expect("timings");
    let times = timings.iter().filter(|t| t["name"] == "evaluate").filter_map(|t| t["nanoseconds"].as_f64());
    times.fold(f64::INFINITY, f64::min) / 1000.0
}

fn main() {
    let only = std::env::args().nth(1);
    println!("| eval | size | function, µs | derivative, µs | ratio |\n|---|---|---|---|---|");
    for Case { eval, size, primal, derivative, mut input } in cases() {
        if only.as_ref().is_some_and(|only| only != eval) {
            continue;
        }
        input["min_runs"] = json!(3);
        input["min_seconds"] = json!(0.3);
        let mut times = [f64::INFINITY; 2];
        for _ in 0..3 {
            for (time, function) in times.iter_mut().zip([primal, derivative]) {
                *time = time.min(least(eval, function, &input));
            }
        }
        let ratio = times[1] / times[0];
        println!("| {eval} | {size} | {:.1} | {:.1} | {ratio:.2} |", times[0], times[1]);
    }
}
