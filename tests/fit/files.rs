//! CSV and files of NIST: all their forms, and the errors of bad ones.

use crate::example::data;
use crate::example::formula::Formula;
use crate::{LINE, estimates, file, json, run};

#[test]
fn csv_in_all_its_forms() {
    let [model, start] = ["b1 + b2*x", "1,1"];
    let expected = run([&file("plain.csv", LINE), "--model", model, "--start", start, "--json"]).unwrap();
    // The line through the four points, by hand.
    let line = estimates(&json(&expected));
    assert!((line[0] - 0.15).abs() < 1e-12 && (line[1] - 1.94).abs() < 1e-12, "{line:?}");
    let forms = [
        ("no-header", LINE.trim_start_matches("x,y\n").to_string()),
        ("crlf", LINE.replace('\n', "\r\n")),
        ("semicolons", LINE.replace(',', ";")),
        ("tabs", LINE.replace(',', "\t")),
        ("spaces", LINE.replace(',', " , ")),
        ("mark", format!("\u{feff}{LINE}")),
        ("comment", format!("# four points\n{LINE}\n")),
        ("quoted", LINE.replace("x,y", "\"x\",\"y\"")),
    ];
    for (name, contents) in forms {
        let path = file(&format!("{name}.csv"), contents);
        assert_eq!(
            run([&path, "--model", model, "--start", start, "--json"]).as_ref(),
            Ok(&expected),
            "{name}"
        );
    }
    // A column by its name, or by its position if no formula could contain its name.
    let path = file("named.csv", LINE.replace("x,y", "time,volume"));
    for model in ["b1 + b2*time", "b1 + b2*x", "b1 + b2*x1", "volume = b1 + b2*time"] {
        assert_eq!(
            run([&path, "--model", model, "--start", start, "--json"]).as_ref(),
            Ok(&expected),
            "{model}"
        );
    }
    let swapped = file("swapped.csv", "x2,x1,y\n0,1,2.1\n5,2,3.9\n1,3,6.2\n7,4,7.8\n");
    assert_eq!(run([&swapped, "--model", "b1 + b2*x1", "--start", start, "--json"]), Ok(expected));
}

#[test]
fn two_predictors_and_a_logarithm() {
    // log y = 1 + 2 u − 3 v + noise; the noise is orthogonal to all three columns.
    let points = [(0.0, 0.0, 1e-3), (1.0, 0.0, -1e-3), (0.0, 1.0, -1e-3), (1.0, 1.0, 1e-3)];
    let rows = points
        .map(|(u, v, noise): (f64, f64, f64)| format!("{u},{v},{}", (1.0 + 2.0 * u - 3.0 * v + noise).exp()));
    for (header, model) in [("", "log[y] = b1+b2*x1+b3*x2"), ("u,v,w\n", "ln(w) = b1 + b2*u + b3*v")] {
        let path = file("logarithm.csv", format!("{header}{}\n", rows.join("\n")));
        let result = json(&run([&path, "--model", model, "--start", "0,0,0", "--json"]).unwrap());
        for (estimate, expected) in estimates(&result).into_iter().zip([1.0, 2.0, -3.0]) {
            assert!((estimate - expected).abs() < 1e-12, "{estimate} for {expected}");
        }
        assert!((result["rss"].as_f64().unwrap() - 4e-6).abs() < 1e-15);
    }
}

#[test]
fn wrong_data_are_errors() {
    let cases: [(&str, &[u8], &str); 15] = [
        ("empty", b"", "holds no data"),
        ("header", b"x,y\n", "holds no data"),
        ("binary", b"\xff\xfe\x00", "not a text file in UTF-8"),
        ("word", b"x,y\n1,2\n2,abc\n3,4\n", "line 3: `abc` is not a number"),
        ("nan", b"x,y\n1,2\n2,NaN\n", "line 3: `NaN` is not a finite number"),
        ("huge-exponent", b"1,2\n2,1e400\n", "line 2: `1e400` is not a finite number"),
        ("ragged", b"# c\nx,y\n1,2\n\n # no comment, no number\n", "line 5: `# no comment` is not a number"),
        ("wide", b"x,y\n\n1,2\n  \n\n#\n\n2,3,4\n", "line 8: 3 values where 2 are expected"),
        ("twice", b"x,x,y\n1,2,3\n", "line 1: two columns are named `x`"),
        ("nameless", b"x,,y\n1,2,3\n", "line 1: column 2 has no name"),
        ("one-column", b"1\n2\n3\n", "line 1: a predictor and a response are needed"),
        ("too-few", b"x,y\n1,2\n", "1 observation cannot determine 2 parameters"),
        ("zero", b"1,0\n2,0\n3,0\n", "zero throughout"),
        ("overflow", b"1,1e300\n2,2e300\n3,3e300\n", "rescale"),
        ("underflow", b"1,1e-300\n2,2e-300\n3,3e-300\n", "rescale"),
    ];
    for (name, contents, expected) in cases {
        let path = file(&format!("{name}.csv"), contents);
        let error = run([&path, "--model", "b1+b2*x", "--start", "1,1", "--json"]).unwrap_err();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!error.contains('\n'), "{name}: {error}");
    }
    let model = ["--model", "b1+b2*x", "--start", "1,1"];
    for unreadable in [env!("CARGO_TARGET_TMPDIR"), "no/such/file.csv"] {
        let error = run([unreadable, model[0], model[1], model[2], model[3]]).unwrap_err();
        assert!(error.starts_with("cannot read"), "{error}");
    }
    let path = file("negative.csv", "x,y\n1,1\n2,-2\n3,3\n");
    let error = run([&path, "--model", "log[y] = b1+b2*x", "--start", "1,1"]).unwrap_err();
    assert!(error.contains("line 3: the response -2 has no logarithm"), "{error}");
}

/// A file as NIST writes it, with the head of one problem.
fn strd(description: &str, model: &str, rows: &[&str], table: &str) -> String {
    let rows: String = rows.iter().enumerate().map(|(k, row)| format!("  b{} = {row}\n", k + 1)).collect();
    format!(
        "NIST/ITL StRD\nDataset Name:  Test              (Test.dat)\n\n\
         File Format:   ASCII\n               Data              (lines 61 to 64)\n\n\
         Data:          {description}\n               4 Observations\n\n\
         Model:         Miscellaneous Class\n               2 Parameters (b1 and b2)\n\n{model}\n\n\n\
         {space}Starting values                  Certified Values\n\n\
         {space}Start 1     Start 2           Parameter     Standard Deviation\n{rows}\n\
         Residual Sum of Squares:                    1.0E+00\n\
         Number of Observations:                            4\n\n\n{table}",
        space = " ".repeat(10),
    )
}

const ROWS: [&str; 2] = ["1  2  3.0E+00  4.0E-01", "5  6  7.0E+00  8.0E-01"];
const TABLE: &str = "Data:   y   x\n  1.0E0  1\n  2.0E0  2\n  3.5E0  3\n  4.0E0  4\n";

#[test]
fn models_of_the_other_problems_can_be_read() {
    let models = [
        ("y = b1 * (b2+x)**(-1/b3)  +  e", "b1 * (b2+x)**(-1/b3)"),
        ("y = b1 * (1-(1+2*b2*x)**(-.5))  +  e", "b1 * (1-(1+2*b2*x)**(-.5))"),
        ("y = exp[-b1*x]/(b2+b3*x)  +  e", "exp[-b1*x]/(b2+b3*x)"),
        ("y = b1 / ((1+exp[b2-b3*x])**(1/b4))  +  e", "b1 / ((1+exp[b2-b3*x])**(1/b4))"),
        (
            "y = (b1+b2*x+b3*x**2) /\n                   (1+b4*x+b5*x**2)  +  e",
            "(b1+b2*x+b3*x**2) / (1+b4*x+b5*x**2)",
        ),
        (
            "pi = 3.141592653589793238462643383279E0\n       y =  b1 - b2*x - arctan[b3/(x-b4)]/pi  +  e",
            "b1 - b2*x - arctan[b3/(x-b4)]/pi",
        ),
    ];
    for (model, expected) in models {
        let text = strd("1 Response  (y = volume)", &format!("               {model}"), &ROWS, TABLE);
        let data = data::parse("test", &text).unwrap();
        let formula = Formula::parse(data.model.as_deref().unwrap(), &data.columns).unwrap();
        assert_eq!(formula.text, expected);
        formula.compile::<f64>().unwrap();
    }
}

#[test]
fn two_predictors_in_a_file_of_nist() {
    let description = "1 Response   ( y = dialectric breakdown strength)\n               \
                       2 Predictors (x1 = time; x2 = temperature)";
    let table =
        "Data:  y    x1    x2\n 15.00E0 1E0 180E0\n 17.00E0 1E0 225E0\n 6.5E0 8E0 275E0\n 2E0 64E0 275E0\n";
    let text = strd(description, "               log[y] = b1 - b2*x1 * exp[-b3*x2]  +  e", &ROWS, table);
    let data = data::parse("test", &text.replace('\n', "\r\n")).unwrap();
    assert_eq!(data.name, "Test");
    assert_eq!(data.predictor_label, "x1: time, x2: temperature");
    assert_eq!(data.response_label, "y: dialectric breakdown strength");
    assert_eq!(data.starts, [[1.0, 5.0], [2.0, 6.0]]);
    assert_eq!(data.observations[2].predictors.iter().map(|x| x.value).collect::<Vec<_>>(), [8.0, 275.0]);
    assert_eq!(data.observations[2].response.value, 6.5);
    assert!(Formula::parse(data.model.as_deref().unwrap(), &data.columns).unwrap().log_response);
}

#[test]
fn wrong_files_of_nist_are_errors() {
    let model = "               y = b1 + b2*x  +  e";
    let good = strd("1 Response (y)", model, &ROWS, TABLE);
    assert!(run([&file("good.dat", &good), "--json"]).is_ok());
    let bad = [
        ("row", good.replace("3.5E0  3", "3.5E0  foo"), "`foo` is not a number"),
        ("wide", good.replace("3.5E0  3", "3.5E0  3  4"), "3 values where 2 are expected"),
        ("count", good.replace("  3.5E0  3\n", ""), "3 lines of data where the header promises 4"),
        ("start", good.replace("b2 = 5", "b2 = five"), "`five` is not a number"),
        ("starts", good.replace("8.0E-01", ""), "line 20: 3 values where two starts"),
        ("order", good.replace("  b2 = 5", "  b3 = 5"), "b3 where b2 is expected"),
        (
            "linear",
            good.replace("  b1 = 1", "  c1 = 1").replace("  b2 = 5", "  c2 = 5"),
            "no starting values",
        ),
        ("table", good.replace("Data:   y   x", ""), "no table of data"),
        ("cut", good[..good.find("Model:").unwrap()].to_string(), "no model"),
        ("model", good.replace("y = b1 + b2*x", "see the text"), "--model gives one"),
        ("function", good.replace("y = b1 + b2*x", "y = b1 + foo[b2*x]"), "unknown function `foo`"),
    ];
    for (name, text, expected) in bad {
        let error = run([&file(&format!("{name}.dat"), text), "--json"]).unwrap_err();
        assert!(error.contains(expected) && !error.contains('\n'), "{name}: {error}");
    }
    // The user can replace the parts of a file that are not readable.
    let path = file("see.dat", good.replace("y = b1 + b2*x", "see the text"));
    let line = run([&path, "--model", "b1 + b2*x", "--json"]);
    assert_eq!(line, run([&file("good.dat", &good), "--json"]));
}
