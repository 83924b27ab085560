//! The printed results: tables for people, JSON for programs.

use serde_json::{Value, json};

use super::data::{Certified, Dataset};
use super::failure::counted;
use super::fit::Fit;
use super::table::aligned;

/// Results are certified to eleven digits; agreement beyond that cannot be seen.
const CERTIFIED_DIGITS: f64 = 11.0;

/// How many significant digits two numbers share: −log₁₀ of the relative difference.
pub fn digits(value: f64, certified: f64) -> f64 {
    let relative = if certified == 0.0 { value.abs() } else { ((value - certified) / certified).abs() };
    if relative.is_nan() { 0.0 } else { (-relative.log10()).clamp(0.0, CERTIFIED_DIGITS) }
}

/// The least digits of agreement in the estimates, in the standard errors, and in the residual sum of squares. `None`
/// if nothing is certified.
pub fn agreement(data: &Dataset, fit: &Fit) -> Option<[f64; 3]> {
    let certified = certified(data, fit)?;
    let least = |values: &[f64], certified: &[f64]| {
        let agreements = values.iter().zip(certified).map(|(&value, &certified)| digits(value, certified));
        agreements.fold(CERTIFIED_DIGITS, f64::min)
    };
    Some([
        least(&fit.estimates, &certified.estimates),
        fit.std_errors.as_ref().map_or(0.0, |errors| least(errors, &certified.std_errors)),
        certified.rss.map_or(0.0, |rss| digits(fit.rss, rss)),
    ])
}

/// The certified results of this fit, if there are any: a formula of the user's may have other parameters than the
/// file's.
fn certified<'a>(data: &'a Dataset, fit: &Fit) -> Option<&'a Certified> {
    data.certified.as_ref().filter(|certified| certified.estimates.len() == fit.estimates.len())
}

/// The full report on one fit.
pub fn report(data: &Dataset, fit: &Fit, start: &[f64]) -> String {
    let start: Vec<String> = start.iter().map(f64::to_string).collect();
    let table = match certified(data, fit) {
        Some(certified) => certified_table(fit, certified),
        None => plain_table(fit),
    };
    let deviation = fit.sigma().map_or("not defined without degrees of freedom".to_string(), |sigma| {
        format!("{} in units of {}", scientific(sigma), fit.response_name(data))
    });
    format!(
        "{name}: {response} = {formula}\n{labels}\n{table}\n\
         residual standard deviation {deviation}\n\
         {n}, {p}, {dof} of freedom; {iterations} from {start}\n",
        name = data.name,
        response = fit.response_name(data),
        formula = fit.formula().text,
        labels = labels(data),
        n = counted(fit.observed.len(), "observation"),
        p = counted(fit.estimates.len(), "parameter"),
        dof = counted(fit.degrees_of_freedom, "degree"),
        iterations = counted(fit.iterations, "iteration"),
        start = start.join(", "),
    )
}

/// The descriptions of the variables, if the file has them.
fn labels(data: &Dataset) -> String {
    let labels = [&data.response_label, &data.predictor_label].map(String::as_str);
    let described: Vec<&str> = labels.into_iter().filter(|label| label.contains(": ")).collect();
    if described.is_empty() { String::new() } else { format!("{}\n", described.join(", ")) }
}

fn certified_table(fit: &Fit, certified: &Certified) -> String {
    let mut rows =
        vec![["", "estimate", "certified", "digits", "std. error", "certified", "digits"].map(String::from)];
    for (k, (&estimate, &certain)) in fit.estimates.iter().zip(&certified.estimates).enumerate() {
        let [error, certain_error, error_digits] = match &fit.std_errors {
            Some(errors) => compare(errors[k], certified.std_errors[k]),
            None => ["–".to_string(), scientific(certified.std_errors[k]), "–".to_string()],
        };
        let [estimate, certain, digits] = compare(estimate, certain);
        rows.push([parameter(k), estimate, certain, digits, error, certain_error, error_digits]);
    }
    let [rss, certain, digits] = match certified.rss {
        Some(certain) => compare(fit.rss, certain),
        None => [scientific(fit.rss), String::new(), String::new()],
    };
    rows.push([
        "residual sum of squares".into(),
        rss,
        certain,
        digits,
        String::new(),
        String::new(),
        String::new(),
    ]);
    aligned(&rows)
}

fn plain_table(fit: &Fit) -> String {
    let mut rows = vec![["", "estimate", "std. error", "relative"].map(String::from)];
    for (k, &estimate) in fit.estimates.iter().enumerate() {
        let [error, relative] = match &fit.std_errors {
            Some(errors) => [scientific(errors[k]), format!("{:.2} %", 100.0 * (errors[k] / estimate).abs())],
            None => ["–", "–"].map(String::from),
        };
        rows.push([parameter(k), scientific(estimate), error, relative]);
    }
    rows.push(["residual sum of squares".into(), scientific(fit.rss), String::new(), String::new()]);
    aligned(&rows)
}

fn parameter(k: usize) -> String {
    format!("b{}", k + 1)
}

fn compare(value: f64, certified: f64) -> [String; 3] {
    [scientific(value), scientific(certified), format!("{:.1}", digits(value, certified))]
}

/// One line for each fit, the end of `--all`.
pub fn summary(fits: &[(Dataset, Fit)]) -> String {
    let mut rows = vec![
        ["", "observations", "parameters", "iterations", "estimates", "std. errors", "RSS"].map(String::from),
    ];
    for (data, fit) in fits {
        let [estimates, errors, rss] =
            agreement(data, fit).map_or(["–"; 3].map(String::from), |a| a.map(|d| format!("{d:.1}")));
        let counts = [fit.observed.len(), fit.estimates.len(), fit.iterations].map(|count| count.to_string());
        let [observations, parameters, iterations] = counts;
        rows.push([data.name.clone(), observations, parameters, iterations, estimates, errors, rss]);
    }
    format!("Least digits of agreement with the certified values\n\n{}", aligned(&rows))
}

/// The meaning of the columns of digits.
pub fn legend() -> &'static str {
    "digits: significant digits shared with the certified value of 11 digits, -log10 of the relative difference\n"
}

/// The fit as an object; with a name where it is one of many.
pub fn json(data: &Dataset, fit: &Fit, named: bool) -> Value {
    let parameter = |(k, estimate): (usize, &f64)| {
        json!({
            "name": parameter(k),
            "estimate": estimate,
            "std_error": fit.std_errors.as_ref().map(|errors| errors[k]),
        })
    };
    let parameters: Vec<Value> = fit.estimates.iter().enumerate().map(parameter).collect();
    let (rss, iterations) = (fit.rss, fit.iterations);
    if named {
        json!({ "dataset": data.name, "parameters": parameters, "rss": rss, "iterations": iterations })
    } else {
        json!({ "parameters": parameters, "rss": rss, "iterations": iterations })
    }
}

/// A number in the manner of NIST, `2.3894212918E+02`.
fn scientific(value: f64) -> String {
    let text = format!("{value:.10E}");
    match text.split_once('E').map(|(mantissa, exponent)| (mantissa, exponent.parse::<i32>())) {
        Some((mantissa, Ok(exponent))) => format!("{mantissa}E{exponent:+03}"),
        _ => text,
    }
}
