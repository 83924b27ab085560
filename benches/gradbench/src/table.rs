//! Measures the cases by all tools.

use gradbench::cases::Case;
use serde_json::json;

use crate::difference;
use crate::tool::Tool;

/// The most that outputs may differ, of the largest entry.
const TOLERANCE: f64 = 1e-10;

/// The times of a case: the function by the faster language, and each tool's derivative in units of it.
pub struct Row {
    pub eval: &'static str,
    pub size: &'static str,
    /// Nanoseconds.
    pub primal: f64,
    pub language: &'static str,
    pub ratios: Vec<Option<f64>>,
}

/// Times a case: the functions in Rust and C++, and the derivatives by all tools, `rounds` times in turn. A tool that
/// cannot run the case has no ratio; a tool with another output is an error.
pub fn measure(
    case: Case,
    primals: &mut [(&'static str, &mut Tool)],
    tools: &mut [Tool],
    rounds: usize,
) -> Result<Row, String> {
    let Case { eval, size, primal, derivative, mut input } = case;
    input["min_runs"] = json!(1);
    let mut expected = [None, None];
    let mut check = |which: usize, tool: &str, output: serde_json::Value| {
        let expected = expected[which].get_or_insert_with(|| output.clone());
        match difference(expected, &output) {
            Ok(apart) if apart <= TOLERANCE => Ok(()),
            Ok(apart) => Err(format!("{eval}, {size}: {tool} differs by {apart:e}")),
            Err(error) => Err(format!("{eval}, {size}: {tool} has {error}")),
        }
    };
    let mut functions = vec![f64::INFINITY; primals.len()];
    let mut times: Vec<Option<f64>> = vec![Some(f64::INFINITY); tools.len()];
    for round in 0..rounds {
        // The first round checks the outputs.
        input["min_seconds"] = json!(if round == 0 { 0.0 } else { 0.3 });
        for (time, (_, tool)) in functions.iter_mut().zip(&mut *primals) {
            let (output, least) = tool.call(eval, primal, &input)?;
            check(0, &tool.name, output)?;
            *time = time.min(least);
        }
        for (time, tool) in times.iter_mut().zip(&mut *tools) {
            let Some(before) = *time else { continue };
            *time = match tool.call(eval, derivative, &input) {
                Ok((output, least)) => {
                    check(1, &tool.name, output)?;
                    Some(before.min(least))
                }
                Err(error) => {
                    eprintln!("{eval}, {size}: not by {}: {error}", tool.name);
                    None
                }
            };
        }
    }
    let faster = if functions[1] < functions[0] { 1 } else { 0 };
    let ratios = times.iter().map(|time| time.map(|time| time / functions[faster])).collect();
    Ok(Row { eval, size, primal: functions[faster], language: primals[faster].0, ratios })
}

/// The rows as a table of Markdown.
pub fn markdown(names: &[String], rows: &[Row]) -> String {
    let mut text = format!("| eval | size | function, µs | {} |\n", names.join(" | "));
    text += &format!("|---|---|---|{}\n", "---|".repeat(names.len()));
    for row in rows {
        let ratios: Vec<String> = row.ratios.iter().map(|ratio| ratio.map_or("–".into(), digits)).collect();
        let Row { eval, size, primal, language, .. } = row;
        text += &format!(
            "| {eval} | {size} | {} ({language}) | {} |\n",
            digits(primal / 1000.0),
            ratios.join(" | ")
        );
    }
    text
}

/// Of each case the ratios of wengert, by hand, and of the fastest other tool, which is bold if it is faster than wengert.
pub fn summary(names: &[String], rows: &[Row]) -> String {
    let mut text =
        String::from("| eval | size | wengert | by hand | fastest other tool |\n|---|---|---|---|---|\n");
    for Row { eval, size, ratios, .. } in rows {
        let cell = |tool: usize| ratios[tool].map_or("–".into(), digits);
        let others = (2..names.len()).filter_map(|tool| Some((ratios[tool]?, &names[tool])));
        let fastest = others.min_by(|a, b| a.0.total_cmp(&b.0)).map_or("–".into(), |(ratio, name)| {
            let bold = if ratios[1].is_some_and(|ours| ratio < ours) { "**" } else { "" };
            format!("{bold}{}{bold} ({name})", digits(ratio))
        });
        text += &format!("| {eval} | {size} | {} | {} | {fastest} |\n", cell(1), cell(0));
    }
    text
}

/// Three digits, or all before the point.
fn digits(x: f64) -> String {
    let places = (2 - x.abs().max(1.0).log10().floor() as i32).max(0) as usize;
    format!("{x:.places$}")
}
