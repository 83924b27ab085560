//! Files of the NIST Statistical Reference Datasets (StRD) for nonlinear regression, as published.
//!
//! A file has a header of fixed layout (model, two sets of starting values, certified results) and the data, response
//! first, at the end. All facts about a data set are read from its file.

use super::data::{Certified, Dataset, Decimal, Observation};
use super::failure::{Failure, Result, counted, failure};
use super::formula::{self, Columns};

/// Public-domain files of NIST/ITL, compiled into the program.
pub const EMBEDDED: [(&str, &str); 13] = [
    ("Misra1a", include_str!("../data/nist/Misra1a.dat")),
    ("Chwirut2", include_str!("../data/nist/Chwirut2.dat")),
    ("DanWood", include_str!("../data/nist/DanWood.dat")),
    ("Gauss1", include_str!("../data/nist/Gauss1.dat")),
    ("Lanczos1", include_str!("../data/nist/Lanczos1.dat")),
    ("Misra1d", include_str!("../data/nist/Misra1d.dat")),
    ("Kirby2", include_str!("../data/nist/Kirby2.dat")),
    ("ENSO", include_str!("../data/nist/ENSO.dat")),
    ("BoxBOD", include_str!("../data/nist/BoxBOD.dat")),
    ("Eckerle4", include_str!("../data/nist/Eckerle4.dat")),
    ("MGH09", include_str!("../data/nist/MGH09.dat")),
    ("Rat42", include_str!("../data/nist/Rat42.dat")),
    ("Thurber", include_str!("../data/nist/Thurber.dat")),
];

/// An embedded data set by its name, in any case.
pub fn embedded(name: &str) -> Option<Result<Dataset>> {
    let (name, text) = EMBEDDED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(parse(name, text))
}

/// Whether a text is a file of NIST StRD.
pub fn recognizes(text: &str) -> bool {
    text.lines().take(5).any(|line| line.contains("NIST/ITL StRD"))
}

pub fn parse(name: &str, text: &str) -> Result<Dataset> {
    let lines: Vec<&str> = text.lines().collect();
    let find = |label: &str, from: usize| {
        Some(from + lines[from..].iter().position(|line| line.starts_with(label))?)
    };
    let Some(model) = find("Model:", 0) else {
        return failure("no model in this StRD file");
    };
    // Before the model, `Data:` describes the variables; after it, `Data:` is the heading of the table.
    let Some(table) = find("Data:", model) else {
        return failure("no table of data in this StRD file");
    };
    let description = find("Data:", 0).unwrap_or(0).min(model);
    let parameters = parameters(&lines)?;
    let columns = columns(lines[table])?;
    let observations = observations(&lines, table + 1, columns.predictors.len())?;
    let count = number_after(&lines, "Number of Observations:");
    if count.is_some_and(|count| count != observations.len() as f64) {
        let (found, promised) = (counted(observations.len(), "line"), count.unwrap_or(0.0));
        return failure(format!("{found} of data where the header promises {promised}"));
    }
    let column = |k: usize| parameters.iter().map(|row| row[k]).collect();
    let describe = |name: &str| label(&lines[description..model], name);
    Ok(Dataset {
        name: lines.iter().find_map(|line| dataset_name(line)).unwrap_or(name).to_string(),
        predictor_label: columns.predictors.iter().map(|name| describe(name)).collect::<Vec<_>>().join(", "),
        response_label: describe(&columns.response),
        columns,
        observations,
        model: equation(&lines[model..]),
        starts: vec![column(0), column(1)],
        certified: Some(Certified {
            estimates: column(2),
            std_errors: column(3),
            rss: number_after(&lines, "Residual Sum of Squares:"),
        }),
    })
}

fn dataset_name(line: &str) -> Option<&str> {
    line.strip_prefix("Dataset Name:")?.split_whitespace().next()
}

fn number_after(lines: &[&str], label: &str) -> Option<f64> {
    lines.iter().find_map(|line| line.trim_start().strip_prefix(label)?.trim().parse().ok())
}

/// Rows `bK = start1 start2 certified sd`.
fn parameters(lines: &[&str]) -> Result<Vec<[f64; 4]>> {
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some((name, numbers)) = line.split_once('=') else { continue };
        let Some(k) = formula::index(name.trim(), "b") else { continue };
        let at_line = |error: Failure| error.at(format!("line {}", i + 1));
        let values: Vec<f64> = numbers
            .split_whitespace()
            .map(|text| Ok(Decimal::parse(text)?.value))
            .collect::<Result<_>>()
            .map_err(at_line)?;
        let found = counted(values.len(), "value");
        match <[f64; 4]>::try_from(values) {
            Ok(row) if k == rows.len() => rows.push(row),
            Ok(_) => {
                let (found, expected) = (k + 1, rows.len() + 1);
                return failure(format!("line {}: b{found} where b{expected} is expected", i + 1));
            }
            Err(_) => {
                let expected = "two starts, the certified value and its standard deviation";
                return failure(format!("line {}: {found} where {expected} are expected", i + 1));
            }
        }
    }
    if rows.is_empty() {
        return failure("no starting values in this StRD file: it is not a nonlinear regression");
    }
    Ok(rows)
}

/// The heading of the data, `Data: y x1 x2`.
fn columns(heading: &str) -> Result<Columns> {
    let mut names = heading.split_whitespace().skip(1).map(str::to_string);
    match (names.next(), names.collect::<Vec<_>>()) {
        (Some(response), predictors) if !predictors.is_empty() => Ok(Columns { predictors, response }),
        _ => failure("the heading of the data names no response and predictor"),
    }
}

fn observations(lines: &[&str], start: usize, predictors: usize) -> Result<Vec<Observation>> {
    let mut observations = Vec::new();
    for (i, text) in lines.iter().enumerate().skip(start).filter(|(_, text)| !text.trim().is_empty()) {
        let line = i + 1;
        let values: Result<Vec<Decimal>> = text.split_whitespace().map(Decimal::parse).collect();
        let mut values = values.map_err(|error| error.at(format!("line {line}")))?.into_iter();
        match (values.next(), values.collect::<Vec<_>>()) {
            (Some(response), rest) if rest.len() == predictors => {
                observations.push(Observation { predictors: rest, response, line });
            }
            (_, rest) => {
                let found = rest.len() + 1;
                return failure(format!("line {line}: {found} values where {} are expected", predictors + 1));
            }
        }
    }
    if observations.is_empty() {
        return failure("the file holds no data");
    }
    Ok(observations)
}

/// The description's words for a variable, `(y = volume)`, with its name in front.
fn label<'a>(description: &[&'a str], name: &str) -> String {
    let inside = |line: &&'a str| line.split_once('(')?.1.split(')').next();
    let explanations = description.iter().filter_map(inside).flat_map(|inside| inside.split(';'));
    let mut meanings = explanations.filter_map(|explanation| explanation.split_once('='));
    match meanings.find(|(variable, _)| variable.trim() == name) {
        Some((_, meaning)) => format!("{name}: {}", meaning.trim()),
        None => name.to_string(),
    }
}

/// The equation below `Model:`, which may take several lines, without its error term. Definitions of constants (`pi =
/// 3.14…` in Roszman1) have lines of their own and are left out.
fn equation(model: &[&str]) -> Option<String> {
    let mut equation = String::new();
    let lines = model.iter().skip(1).map(|line| line.trim()).take_while(|line| !line.starts_with("Starting"));
    for line in lines.filter(|line| !line.starts_with("pi ")) {
        if line.contains('=') || (!equation.is_empty() && !line.is_empty()) {
            equation.push_str(line);
            equation.push(' ');
        }
    }
    let equation = equation.trim_end();
    let model = equation.strip_suffix('e').map(str::trim_end).and_then(|rest| rest.strip_suffix('+'))?;
    Some(model.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Names of the embedded data sets, for the help text.
pub fn names() -> String {
    EMBEDDED.map(|(name, _)| name).join(" ")
}
