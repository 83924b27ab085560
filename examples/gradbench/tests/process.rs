//! The tool as a process: messages and responses, line by line.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[test]
fn the_process_lives_on_after_faults() {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_gradbench"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = tool.stdin.take().unwrap();
    input.write_all(b"{\"id\": 0, \"kind\": \"start\"}\n\xff\xfe{\n\n").unwrap();
    let call = |id: u32, module: &str| json!({ "id": id, "kind": "evaluate", "module": module, "function": "square", "input": 3.0 });
    writeln!(input, "{}\n{}", call(1, "nothing"), call(2, "hello")).unwrap();
    drop(input);
    let output = tool.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0], json!({ "id": 0, "tool": "wengert" }));
    for fault in &answers[1..4] {
        assert!(fault["success"] == false && !fault["error"].as_str().unwrap().is_empty(), "{fault}");
    }
    assert_eq!(
        (&answers[3]["id"], &answers[4]["id"], &answers[4]["output"]),
        (&json!(1), &json!(2), &json!(9.0))
    );
    assert_eq!(answers.len(), 5);
}
