//! Compares the responses with the responses of other implementations.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

/// The numbers of each array of a response, of any number of dimensions, and its shape.
fn arrays(value: &Value, all: &mut Vec<Vec<f64>>) -> Value {
    match value {
        Value::Object(fields) => {
            // By name: a feature of serde_json decides about the order of fields.
            let fields: BTreeMap<_, _> = fields.iter().collect();
            let shape = |(name, v): (&String, &Value)| (name.clone(), arrays(v, all));
            Value::Object(fields.into_iter().map(shape).collect())
        }
        array => {
            let mut numbers = vec![];
            let shape = flattened(array, &mut numbers);
            all.push(numbers);
            shape
        }
    }
}

fn flattened(value: &Value, all: &mut Vec<f64>) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| flattened(item, all)).collect(),
        number => {
            all.push(number.as_f64().expect("a number"));
            Value::Null
        }
    }
}

/// Each array has its shape, and its entries are within `tolerance` of its largest one.
fn hold(got: &Value, want: &Value, tolerance: f64, what: &str) {
    let (mut a, mut b) = (vec![], vec![]);
    assert_eq!(arrays(got, &mut a), arrays(want, &mut b), "{what}");
    for (a, b) in a.iter().zip(&b) {
        let largest = b.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (a, b) in a.iter().zip(b) {
            assert!(a.is_finite() && (a - b).abs() <= tolerance * largest, "{what}: {a} for {b}");
        }
    }
}

fn transcript(eval: &str, tolerance: f64) {
    let path = format!("{}/tests/data/{eval}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let mut answers = 0;
    for line in fs::read_to_string(path).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (message, want) = (&line["message"], &line["response"]);
        let got = gradbench::answer(&message.to_string());
        assert_eq!(got["id"], want["id"]);
        if message["kind"] == "evaluate" {
            assert_eq!(got["success"], true, "{got}");
            let what = format!("{eval} {} {}", message["function"], message["description"]);
            hold(&got["output"], &want["output"], tolerance, &what);
            let timings = got["timings"].as_array().unwrap();
            assert!(timings.iter().any(|t| t["name"] == "evaluate" && t["nanoseconds"].is_u64()));
            answers += 1;
        }
    }
    assert!(answers >= 4, "{eval}: {answers} answers");
}

macro_rules! transcripts {
    ($($eval:ident $tolerance:literal;)*) => {
        $(
            #[test]
            fn $eval() {
                transcript(stringify!($eval), $tolerance);
            }
        )*
    };
}

transcripts! {
    hello 1e-15;
    gmm 1e-10;
    kmeans 1e-10;
    lse 1e-10;
    llsq 1e-10;
    det 1e-10;
    ode 1e-10;
    saddle 1e-8;
}
