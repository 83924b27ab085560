//! The conditions of the figures: processor, compiler, day.

use std::process::Command;

/// The heading of the results, with the known facts about the computer.
pub fn heading() -> String {
    let target = if cfg!(target_feature = "avx2") { "a target with AVX2" } else { "the default target" };
    let facts =
        [processor(), output("rustc", "--version"), output("date", "--iso-8601"), Some(target.into())];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    format!("# wengert beside other crates\n\n{}. README.md says how to read the tables.\n", facts.join(", "))
}

/// The model of the processor, if the system reports it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The one line that a command prints.
fn output(command: &str, argument: &str) -> Option<String> {
    let output = Command::new(command).arg(argument).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
