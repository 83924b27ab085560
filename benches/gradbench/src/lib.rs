//! The evals of GradBench by hand, and by tools of other languages.

pub mod by_hand;
pub mod picture;
pub mod table;
pub mod tool;

use serde_json::Value;

/// How far apart two outputs are, relative to the largest entry of an array; an error if they differ in shape.
pub fn difference(expected: &Value, got: &Value) -> Result<f64, String> {
    if let (Value::Object(a), Value::Object(b)) = (expected, got) {
        if !a.keys().eq(b.keys()) {
            return Err(format!("{:?} for {:?}", b.keys(), a.keys()));
        }
        let mut parts = a.values().zip(b.values()).map(|(a, b)| difference(a, b));
        return parts.try_fold(0.0, |most, part| Ok(f64::max(most, part?)));
    }
    let (mut largest, mut apart) = (0.0, 0.0);
    entries(expected, got, &mut |a, b| {
        largest = f64::max(largest, a.abs());
        apart = f64::max(apart, (a - b).abs());
    })?;
    Ok(if apart == 0.0 { 0.0 } else { apart / largest })
}

/// Visits the numbers of two arrays of one shape.
fn entries(expected: &Value, got: &Value, visit: &mut dyn FnMut(f64, f64)) -> Result<(), String> {
    match (expected, got) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| entries(a, b, visit))
        }
        (Value::Number(a), Value::Number(b)) => {
            visit(a.as_f64().ok_or("a number")?, b.as_f64().ok_or("a number")?);
            Ok(())
        }
        (Value::Array(a), Value::Array(b)) => Err(format!("{} entries for {}", b.len(), a.len())),
        _ => Err("another kind of value".into()),
    }
}
