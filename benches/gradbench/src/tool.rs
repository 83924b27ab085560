//! Tools of GradBench: functions of this process, or other processes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use gradbench::Evals;
use serde_json::{Value, json};

/// A tool, and where it runs.
pub struct Tool {
    pub name: String,
    at: Place,
}

enum Place {
    Inside(Evals),
    Process { child: Child, input: Option<ChildStdin>, output: BufReader<ChildStdout> },
}

impl Tool {
    pub fn inside(name: &str, evals: Evals) -> Self {
        Tool { name: name.into(), at: Place::Inside(evals) }
    }
    /// Starts a process, which tells its name and version.
    pub fn process(command: &mut Command) -> Result<Self, String> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| error.to_string())?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut tool = Tool { name: String::new(), at: Place::Process { child, input, output } };
        let answer = tool.send(&json!({ "id": 0, "kind": "start" }))?;
        tool.name = answer["tool"].as_str().ok_or("no name")?.into();
        Ok(tool)
    }
    /// Compiles the C++ tool with the file of a library and starts it.
    pub fn cpp(folder: &Path, library: &str, flags: &[&str], links: &[&str]) -> Result<Self, String> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp");
        let program = folder.join(format!("tool-{library}"));
        let built = Command::new("g++")
            .args(CPP_FLAGS)
            .args(flags)
            .arg("-include")
            .arg(source.join(format!("{library}.hpp")))
            .arg(source.join("tool.cpp"))
            .arg("-o")
            .arg(&program)
            .args(links)
            .output()
            .map_err(|error| format!("g++: {error}"))?;
        if built.status.success() {
            Tool::process(&mut Command::new(program))
        } else {
            let errors = String::from_utf8_lossy(&built.stderr);
            let first = errors.lines().find(|line| line.contains("error")).unwrap_or("no error stated");
            Err(first.into())
        }
    }
    fn send(&mut self, message: &Value) -> Result<Value, String> {
        let line = message.to_string();
        let answer = match &mut self.at {
            Place::Inside(evals) => return Ok(gradbench::answer_by(evals, &self.name, &line)),
            Place::Process { input, output, .. } => {
                let input = input.as_mut().ok_or("no input")?;
                writeln!(input, "{line}").and_then(|()| input.flush()).map_err(|error| error.to_string())?;
                let mut answer = String::new();
                output.read_line(&mut answer).map_err(|error| error.to_string())?;
                answer
            }
        };
        serde_json::from_str(&answer).map_err(|error| format!("{answer:?} is no answer: {error}"))
    }
    /// The output of a function, and the least time of its runs in nanoseconds.
    pub fn call(&mut self, module: &str, function: &str, input: &Value) -> Result<(Value, f64), String> {
        let message =
            json!({ "id": 1, "kind": "evaluate", "module": module, "function": function, "input": input });
        let mut answer = self.send(&message)?;
        if answer["success"] != true {
            return Err(answer["error"].as_str().unwrap_or("no reason").into());
        }
        let timings = answer["timings"].as_array().ok_or("no timings")?;
        let runs = timings.iter().filter(|t| t["name"] == "evaluate");
        let least = runs.filter_map(|t| t["nanoseconds"].as_f64()).fold(f64::INFINITY, f64::min);
        Ok((answer["output"].take(), least))
    }
}

impl Drop for Tool {
    /// The end of its input ends a process.
    fn drop(&mut self) {
        if let Place::Process { child, input, .. } = &mut self.at {
            drop(input.take());
            let _ = child.wait();
        }
    }
}

pub const CPP_FLAGS: [&str; 2] = ["-std=c++17", "-O3"];
