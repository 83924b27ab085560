//! Data sets: the input of a fit, from any source, and the reading of CSV.

use std::path::Path;

use super::exact::Exact;
use super::failure::{Failure, Result, counted, failure, quoted};
use super::formula::Columns;
use super::nist;

/// A number of the data with its decimal digits: `f64` rounds them.
#[derive(Clone, Debug)]
pub struct Decimal {
    pub value: f64,
    pub digits: String,
}

impl Decimal {
    pub fn parse(text: &str) -> Result<Decimal> {
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Decimal { value, digits: text.to_string() }),
            Ok(_) => failure(format!("{} is not a finite number", quoted(text))),
            Err(_) => failure(format!("{} is not a number", quoted(text))),
        }
    }

    /// The number that was written, beyond the digits of `f64`.
    pub fn exact(&self) -> Exact {
        self.digits.parse().unwrap_or_else(|_| Exact::from(self.value))
    }
}

#[derive(Clone, Debug)]
pub struct Observation {
    pub predictors: Vec<Decimal>,
    pub response: Decimal,
    /// Line of the file, from one.
    pub line: usize,
}

/// The results that NIST certifies.
#[derive(Clone, Debug)]
pub struct Certified {
    pub estimates: Vec<f64>,
    pub std_errors: Vec<f64>,
    pub rss: Option<f64>,
}

/// A set of data, with the model, the starting values and the results that its file contains.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub name: String,
    pub columns: Columns,
    /// The labels of the axes, for the plot.
    pub predictor_label: String,
    pub response_label: String,
    pub observations: Vec<Observation>,
    pub model: Option<String>,
    /// Sets of starting values: two in a file of NIST, none in CSV.
    pub starts: Vec<Vec<f64>>,
    pub certified: Option<Certified>,
}

/// Reads a file of NIST StRD or CSV. The content tells the formats apart.
pub fn read(path: &Path) -> Result<Dataset> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| Failure::new(format!("cannot read {shown}: {error}")))?;
    let Ok(text) = String::from_utf8(bytes) else {
        return failure(format!("{shown}: not a text file in UTF-8"));
    };
    let name = path.file_stem().map_or("data".into(), |stem| stem.to_string_lossy().into_owned());
    parse(&name, &text).map_err(|error| error.at(shown))
}

/// Reads the text of a file of NIST StRD or CSV.
pub fn parse(name: &str, text: &str) -> Result<Dataset> {
    let text = text.trim_start_matches('\u{feff}');
    if nist::recognizes(text) { nist::parse(name, text) } else { parse_csv(name, text) }
}

fn parse_csv(name: &str, text: &str) -> Result<Dataset> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut header: Option<Vec<String>> = None;
    let mut observations: Vec<Observation> = Vec::new();
    let mut width = 0;
    for record in reader.records() {
        let record = record.map_err(|error| Failure::new(error.to_string()))?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        let line = line(text, &record);
        if width == 0 {
            width = record.len();
            // A first line that is not all numbers names the columns.
            if record.iter().any(|field| field.parse::<f64>().is_err()) {
                header = Some(column_names(&record).map_err(|error| error.at(format!("line {line}")))?);
                continue;
            }
        }
        observations
            .push(observation(&record, width, line).map_err(|error| error.at(format!("line {line}")))?);
    }
    if observations.is_empty() {
        return failure("the file holds no data");
    }
    Ok(csv_dataset(name, header, width, observations))
}

fn csv_dataset(
    name: &str,
    header: Option<Vec<String>>,
    width: usize,
    observations: Vec<Observation>,
) -> Dataset {
    let mut predictors = header.unwrap_or_else(|| {
        let names = (1..width).map(|k| if width == 2 { "x".to_string() } else { format!("x{k}") });
        names.chain(["y".to_string()]).collect()
    });
    let response = predictors.pop().unwrap_or_default();
    Dataset {
        name: name.to_string(),
        predictor_label: predictors.join(", "),
        response_label: response.clone(),
        columns: Columns { predictors, response },
        observations,
        model: None,
        starts: Vec::new(),
        certified: None,
    }
}

/// The line of a record. The reader reports where it started, which is before empty lines and comments.
fn line(text: &str, record: &csv::StringRecord) -> usize {
    let Some(position) = record.position() else { return 0 };
    let rest = text.get(position.byte() as usize..).unwrap_or_default();
    let skipped = rest.lines().take_while(|line| line.is_empty() || line.starts_with('#')).count();
    position.line() as usize + skipped
}

/// Semicolons and tabs separate columns where the first line of data has no comma.
fn delimiter(text: &str) -> u8 {
    let first =
        text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or_default();
    [b',', b';', b'\t'].into_iter().find(|&d| first.as_bytes().contains(&d)).unwrap_or(b',')
}

fn column_names(record: &csv::StringRecord) -> Result<Vec<String>> {
    let names: Vec<String> = record.iter().map(str::to_string).collect();
    for (k, name) in names.iter().enumerate() {
        if name.is_empty() {
            return failure(format!("column {} has no name", k + 1));
        }
        if names[..k].contains(name) {
            return failure(format!("two columns are named {}", quoted(name)));
        }
    }
    Ok(names)
}

fn observation(record: &csv::StringRecord, width: usize, line: usize) -> Result<Observation> {
    if record.len() != width {
        return failure(format!("{} where {width} are expected", counted(record.len(), "value")));
    }
    let mut predictors = record.iter().map(Decimal::parse).collect::<Result<Vec<_>>>()?;
    match predictors.pop() {
        Some(response) if !predictors.is_empty() => Ok(Observation { predictors, response, line }),
        _ => failure("a predictor and a response are needed"),
    }
}
