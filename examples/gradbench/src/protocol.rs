//! Messages and responses: JSON, one on each line.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{EVALS, Evals};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Deserialize)]
struct Message {
    id: Value,
    kind: String,
    #[serde(default)]
    module: String,
    #[serde(default)]
    function: String,
    #[serde(default)]
    input: Value,
}

/// How often a function runs: the least number of runs, and the least number of seconds in all.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Runs {
    min_runs: u64,
    min_seconds: f64,
}

/// The message that calls a function.
pub struct Evaluation {
    input: Value,
    runs: Runs,
    timings: Vec<Value>,
}

/// The response of a function.
pub struct Answer {
    output: Value,
    timings: Vec<Value>,
}

impl Evaluation {
    /// With an input that is called once.
    pub fn once(input: Value) -> Self {
        Evaluation { input, runs: Runs::default(), timings: vec![] }
    }
    /// The input as a type.
    pub fn read<I: DeserializeOwned>(&mut self) -> Result<I> {
        if let Value::Object(_) = self.input {
            self.runs = Runs::deserialize(&self.input)?;
        }
        Ok(serde_json::from_value(self.input.take())?)
    }
    /// Builds a value that is kept from run to run.
    pub fn prepare<S>(&mut self, build: impl FnOnce() -> S) -> S {
        let start = Instant::now();
        let state = build();
        self.note("prepare", start.elapsed());
        state
    }
    /// Runs the function as often as the input demands. The output is the output of the last run.
    pub fn evaluate<O: Serialize>(mut self, mut run: impl FnMut() -> Result<O>) -> Result<Answer> {
        let (mut runs, mut total) = (0, Duration::ZERO);
        loop {
            let start = Instant::now();
            let output = run()?;
            let time = start.elapsed();
            self.note("evaluate", time);
            (runs, total) = (runs + 1, total + time);
            if runs >= self.runs.min_runs && total.as_secs_f64() >= self.runs.min_seconds {
                let output = serde_json::to_value(output)?;
                return Ok(Answer { output: finite(output)?, timings: self.timings });
            }
        }
    }
    fn note(&mut self, name: &str, time: Duration) {
        self.timings.push(json!({ "name": name, "nanoseconds": time.as_nanos() as u64 }));
    }
}

impl Answer {
    pub fn output(&self) -> &Value {
        &self.output
    }
}

/// An error if a number is not finite: JSON cannot represent it.
fn finite(output: Value) -> Result<Value> {
    fn is_finite(value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Array(values) => values.iter().all(is_finite),
            Value::Object(values) => values.values().all(is_finite),
            _ => true,
        }
    }
    if is_finite(&output) { Ok(output) } else { Err("the result is not finite".into()) }
}

/// Checks that a list has the length that the input's other fields give it.
pub fn length(name: &str, got: usize, expected: usize) -> Result<()> {
    let error = || format!("{name} has length {got}, expected {expected}");
    if got == expected { Ok(()) } else { Err(error().into()) }
}

/// The response to a message.
pub fn answer(line: &str) -> Value {
    answer_by(EVALS, "wengert", line)
}

/// The response of a tool with other functions.
pub fn answer_by(evals: Evals, tool: &str, line: &str) -> Value {
    match serde_json::from_str(line) {
        Ok(message) => reply(evals, tool, message),
        Err(error) => json!({ "id": null, "success": false, "error": error.to_string() }),
    }
}

fn reply(evals: Evals, tool: &str, message: Message) -> Value {
    let Message { id, kind, module, function, input } = message;
    let failure = |error: String| json!({ "id": id, "success": false, "error": error });
    match kind.as_str() {
        "start" => json!({ "id": id, "tool": tool }),
        "define" => match functions(evals, &module) {
            Ok(_) => json!({ "id": id, "success": true }),
            Err(error) => failure(error.to_string()),
        },
        "evaluate" => match guarded(evals, &module, &function, input) {
            Ok(Answer { output, timings }) => {
                json!({ "id": id, "success": true, "output": output, "timings": timings })
            }
            Err(error) => failure(error.to_string()),
        },
        _ => json!({ "id": id }),
    }
}

fn functions(evals: Evals, module: &str) -> Result<crate::Functions> {
    let found = evals.iter().find(|(name, _)| *name == module);
    Ok(found.ok_or_else(|| format!("no module {module:?}"))?.1)
}

/// Calls a function; a panic is an error.
fn guarded(evals: Evals, module: &str, function: &str, input: Value) -> Result<Answer> {
    let found = functions(evals, module)?.iter().find(|(name, _)| *name == function);
    let (_, call) = found.ok_or_else(|| format!("{module} has no function {function:?}"))?;
    let text = |panic: Box<dyn Any + Send>| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic.downcast_ref::<&str>().unwrap_or(&"a panic").to_string(),
    };
    catch_unwind(AssertUnwindSafe(|| call(Evaluation::once(input)))).unwrap_or_else(|p| Err(text(p).into()))
}
