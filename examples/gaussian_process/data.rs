//! The series: the embedded one, or a file of the user's.

use std::path::Path;

use super::arguments::number;
use super::failure::{Failure, Result, counted, failure};

/// Monthly differences of atmospheric pressure between Easter Island and Darwin: a file of NIST, unchanged, whose
/// header tells its origin and a fit by sums of cosines.
const ENSO: &str = include_str!("../data/nist/ENSO.dat");
/// Fewer points than this cannot determine six hyperparameters.
const LEAST: usize = 8;
/// More take minutes: the Hessian costs some hundred factorisations of n³/6 products.
const MOST: usize = 500;

/// Values y observed at positions x, in the order of the positions.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub labels: [String; 2],
    pub x: Vec<f64>,
    pub y: Vec<f64>,
}

/// The file, or the embedded series.
pub fn series(file: Option<&Path>) -> Result<Series> {
    let Some(path) = file else { return enso() };
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| Failure::new(format!("cannot read {shown}: {error}")))?;
    let Ok(text) = String::from_utf8(bytes) else {
        return failure(format!("{shown}: not a text file in UTF-8"));
    };
    let name = path.file_stem().map_or("data".into(), |stem| stem.to_string_lossy().into_owned());
    csv(name, &text).map_err(|error| error.at(shown))
}

/// The data are at the end of the file, `y` before `x`.
fn enso() -> Result<Series> {
    let data = ENSO.lines().skip_while(|line| !line.starts_with("Data:   y")).skip(1);
    let pair = |line: &str| match line.split_whitespace().map(number).collect::<Result<Vec<_>>>()?[..] {
        [y, x] => Ok((x, y)),
        _ => failure("the embedded data are pairs"),
    };
    let points = data.map(pair).collect::<Result<_>>()?;
    Series::new("ENSO".into(), ["months", "pressure difference (unit not stated)"].map(String::from), points)
}

/// Two columns; a first line that is not all numbers names them.
fn csv(name: String, text: &str) -> Result<Series> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let (mut labels, mut points) = (["x", "y"].map(String::from), Vec::new());
    for (row, record) in reader.records().enumerate() {
        let record = record.map_err(|error| Failure::new(error.to_string()))?;
        let at = |error: Failure| error.at(format!("row {}", row + 1));
        let [x, y] = record.iter().collect::<Vec<_>>()[..] else {
            let found = counted(record.len(), "value");
            return failure(format!("{found}, where a position and a value are expected")).map_err(at);
        };
        if row == 0 && (number(x).is_err() || number(y).is_err()) {
            labels = [x, y].map(String::from);
            continue;
        }
        points.push((number(x).map_err(at)?, number(y).map_err(at)?));
    }
    Series::new(name, labels, points)
}

impl Series {
    fn new(name: String, labels: [String; 2], mut points: Vec<(f64, f64)>) -> Result<Series> {
        let given = counted(points.len(), "point");
        if points.len() < LEAST {
            return failure(format!("{given}, at least {LEAST} are needed"));
        }
        if points.len() > MOST {
            return failure(format!("{given}, at most {MOST} can be taken: every pair has its covariance"));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let series = Series { name, labels, x, y };
        for (values, label) in [(&series.x, &series.labels[0]), (&series.y, &series.labels[1])] {
            let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(l, h), &v| (l.min(v), h.max(v)));
            // Squares of distances must neither vanish nor overflow.
            if !(1e-100..1e100).contains(&(high - low)) {
                return failure(format!(
                    "column {label} does not vary in the range of numbers that can be squared"
                ));
            }
        }
        Ok(series)
    }

    /// From the first position to the last.
    pub fn span(&self) -> f64 {
        self.x[self.x.len() - 1] - self.x[0]
    }

    /// Mean and standard deviation of the values.
    pub fn moments(&self) -> (f64, f64) {
        let n = self.y.len() as f64;
        let mean = self.y.iter().sum::<f64>() / n;
        (mean, (self.y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt())
    }
}
