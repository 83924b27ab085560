//! Reads the table of matrix functions: one JSON object per line, matrices as arrays of rows, complex ones as
//! `{"re": …, "im": …}`.

use nalgebra::{Complex, DMatrix};
use serde_json::Value;

use super::programs::Entries;

/// One line of the table.
pub struct Row(Value);

impl Row {
    pub fn all() -> Vec<Row> {
        let lines = include_str!("../data/oracles/linalg.jsonl").lines();
        lines.map(|line| Row(serde_json::from_str(line).expect("a record"))).collect()
    }
    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_else(|| panic!("no {key}"))
    }
    pub fn id(&self) -> &str {
        self.text("id")
    }
    pub fn op(&self) -> &str {
        self.text("op")
    }
    pub fn class(&self) -> &str {
        self.text("cls")
    }
    pub fn is_real(&self) -> bool {
        self.text("field") == "real"
    }
    /// A number of the row; `None` without the key and where it is infinite.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.0.get(key).and_then(Value::as_f64)
    }
    /// A list of numbers of the row.
    pub fn list(&self, key: &str) -> Vec<f64> {
        self.0[key].as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
    }
    /// Whether the input is perturbed symmetrically.
    pub fn is_symmetric(&self, input: &str) -> bool {
        self.0.get("sym").and_then(Value::as_array).is_some_and(|s| s.iter().any(|name| name == input))
    }
    /// The names in a block (`in`, `out`, `vjp`, …), in order.
    pub fn names(&self, block: &str) -> Vec<&str> {
        self.0[block].as_object().expect("a block").keys().map(String::as_str).collect()
    }
    /// One matrix of a block.
    pub fn matrix(&self, block: &str, name: &str) -> Option<Entries> {
        let value = self.0.get(block)?.get(name)?;
        Some(match value.get("re") {
            Some(re) => {
                let (re, im) = (parts(re), parts(&value["im"]));
                re.zip_map(&im, Complex::new)
            }
            None => parts(value).map(Complex::from),
        })
    }
    /// All matrices of a block, in order.
    pub fn matrices(&self, block: &str) -> Vec<Entries> {
        self.names(block).iter().map(|name| self.matrix(block, name).expect("a matrix")).collect()
    }
}

fn parts(rows: &Value) -> DMatrix<f64> {
    let rows: Vec<&Vec<Value>> = rows.as_array().expect("rows").iter().filter_map(Value::as_array).collect();
    let entry = |i: usize, j: usize| rows[i][j].as_f64().expect("a number");
    DMatrix::from_fn(rows.len(), rows[0].len(), entry)
}
