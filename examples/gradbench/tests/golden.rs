//! Compares the responses with the responses of other implementations.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

/// All numbers of a response, array by array, and its shape with zeros for numbers.
fn arrays(value: &Value, all: &mut Vec<Vec<f64>>) -> Value {
    match value {
        Value::Object(fields) => {
            // By name: a feature of serde_json decides about the order of fields.
            let fields: BTreeMap<_, _> = fields.iter().collect();
            let shape = |(name, v): (&String, &Value)| (name.clone(), arrays(v, all));
            Value::Object(fields.into_iter().map(shape).collect())
        }
        Value::Array(items) if items.iter().any(|item| !item.is_number()) => {
            Value::Array(items.iter().map(|item| arrays(item, all)).collect())
        }
        Value::Array(items) => {
            all.push(items.iter().map(|x| x.as_f64().unwrap()).collect());
            Value::from(items.len())
        }
        number => {
            all.push(vec![number.as_f64().expect("a number")]);
            Value::from(0)
        }
    }
}

/// Each array has its shape, and its entries are within `tolerance` of the largest one of the whole response.
fn hold(got: &Value, want: &Value, tolerance: f64, what: &str) {
    let (mut a, mut b) = (vec![], vec![]);
    assert_eq!(arrays(got, &mut a), arrays(want, &mut b), "{what}");
    let largest = b.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!(a.is_finite() && (a - b).abs() <= tolerance * largest, "{what}: {a} for {b}");
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
