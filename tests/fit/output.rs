//! Reports, JSON and plots, and the errors of arguments and fits.

use std::path::PathBuf;

use serde_json::Value;

use crate::example::{data, nist};
use crate::{LINE, file, json, run};

#[test]
fn json_has_the_documented_shape() {
    let text = run(["--json"]).unwrap();
    assert!(text.starts_with(r#"{"parameters":[{"name":"b1","estimate":238.942"#), "{text}");
    assert_eq!(text.lines().count(), 1);
    let one = json(&text);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&one), ["parameters", "rss", "iterations"]);
    assert_eq!(keys(&one["parameters"][1]), ["name", "estimate", "std_error"]);

    let all = json(&run(["--all", "--json"]).unwrap());
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 13);
    for (result, (name, _)) in all.iter().zip(nist::EMBEDDED) {
        assert_eq!(keys(result), ["dataset", "parameters", "rss", "iterations"]);
        assert_eq!(result["dataset"], name);
    }
    assert_eq!(all[0]["parameters"], one["parameters"]);

    // Four points leave a cubic no degrees of freedom, and no errors to estimate.
    let path = file("cubic.csv", LINE);
    let model = "b1 + b2*x + b3*x^2 + b4*x^3";
    let cubic = json(&run([&path, "--model", model, "--start", "1,1,1,1", "--json"]).unwrap());
    assert_eq!(cubic["parameters"][0]["std_error"], Value::Null);
    assert_eq!(cubic["rss"], 0.0);
}

#[test]
fn the_report_says_what_it_is_to_say() {
    let plot = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("misra.svg");
    let text = run(["--plot", plot.to_str().unwrap()]).unwrap();
    for expected in [
        "Misra1a: y = b1*(1-exp[-b2*x])",
        "y: volume, x: pressure",
        "2.3894212918E+02   2.3894212918E+02     11.0   2.7070075241E+00   2.7070075241E+00",
        "residual sum of squares   1.2455138894E-01",
        "residual standard deviation 1.0187876330E-01 in units of y",
        "14 observations, 2 parameters, 12 degrees of freedom",
        "iterations from 250, 0.0005",
        &format!("plot: {}", plot.display()),
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let help = run(["--help"]).unwrap();
    for option in ["--model", "--start", "--from", "--all", "--plot", "--json", "Thurber"] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn plots_are_written() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plots");
    let _ = std::fs::remove_dir_all(&directory);
    let text = run(["--all", "--plot", directory.to_str().unwrap()]).unwrap();
    assert!(text.contains("Least digits of agreement"), "{text}");
    for (name, _) in nist::EMBEDDED {
        let svg = std::fs::read_to_string(directory.join(format!("{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
        assert!(svg.contains(name) && svg.contains("residuals") && svg.contains("fitted curve"), "{name}");
        let observations =
            data::parse(name, nist::EMBEDDED.iter().find(|(n, _)| *n == name).unwrap().1).unwrap();
        // Each observation twice, and one in the legend.
        let circles = 2 * observations.observations.len() + 1;
        assert_eq!(svg.matches("<circle").count(), circles, "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
    // A name from a file is no path and no markup. Without --plot the report names the path of the plot.
    let misra = nist::EMBEDDED[0].1.replace("Dataset Name:  Misra1a", "Dataset Name:  ../<a&b>");
    let text = run([&file("name.dat", misra)]).unwrap();
    let plot = PathBuf::from(text.lines().find_map(|line| line.strip_prefix("plot: ")).unwrap());
    assert!(!plot.components().any(|part| part.as_os_str() == ".."), "{}", plot.display());
    let svg = std::fs::read_to_string(&plot).unwrap();
    std::fs::remove_file(plot).unwrap();
    assert!(svg.contains("&lt;a&amp;b&gt;") && !svg.contains("<a&b>"));
}
#[test]
fn fits_that_fail_are_errors() {
    let path = file("fails.csv", LINE);
    for (model, start, expected) in [
        ("b1*x + b2*x", "1,1", "the Jacobian has rank 1 of 2"),
        ("b1*0*x", "1", "the Jacobian has rank 0 of 1"),
        ("b1*exp(b2*x) + b3", "1,1,1", "does not converge"),
        ("b1 + b2*x", "1", "1 starting value for 2 parameters"),
        ("b1 + b2*x", "1,2,3", "3 starting values for 2 parameters"),
        ("b1 + b2*x", "1e308,1e308", "overflows at the starting values"),
    ] {
        let error = run([&path, "--model", model, "--start", start, "--json"]).unwrap_err();
        assert!(error.contains(expected), "{model} from {start}: {error}");
        assert!(!error.contains('\n') && !error.contains(" 1 iterations"), "{error}");
    }
    // Starting values that the user did not give are the file's.
    let misra = file("starts.dat", nist::EMBEDDED[0].1);
    let error = run([&misra, "--model", "b1*x"]).unwrap_err();
    assert_eq!(error, "the file has 2 starting values, the model has 1 parameter: --start gives others");
}

#[test]
fn wrong_arguments_are_errors() {
    let path = file("arguments.csv", LINE);
    let errors = [
        (run([&path]), "--model gives one"),
        (run([&path, "--model", "b1*x"]), "--start gives them"),
        (run([&path, "--model", "b1*x", "--start", "a"]), "--start: `a` is not a number"),
        (run([&path, "--model", "b1*x", "--start", ""]), "--start: `` is not a number"),
        (run([&path, "--model", "b1*x", "--start", "nan"]), "not a finite number"),
        (run(["--from", "3"]), "--from is 1 or 2"),
        (run(["--from", "1", "--start", "1,2"]), "exclude each other"),
        (run(["--all", "--model", "b1*x"]), "--all fits the embedded data sets as they are"),
        (run(["--nope"]), "--nope"),
        (run(["--start"]), "--start"),
        (run([&path, &path]), "unexpected argument"),
        (run(["--plot", "no/such/directory/plot.svg"]), "cannot write"),
    ];
    for (result, expected) in errors {
        let error = result.unwrap_err();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}
