//! The meaning of formulas, and the errors of formulas without meaning.

use crate::example::exact::Exact;
use crate::example::formula::{Columns, Formula};
use crate::{LINE, file, run};

#[test]
fn formulas_have_the_usual_meaning() {
    let columns = Columns { predictors: vec!["x".into(), "time".into()], response: "y".into() };
    let (b, x, time) = ([1.25f64, 0.75], 0.6f64, 2.0f64);
    let [b1, b2] = b;
    let cases: &[(&str, f64)] = &[
        ("b1 - x^2", b1 - x * x),
        ("-x^2 + b1", -(x * x) + b1),
        ("(-x)**2 * b1", x * x * b1),
        ("b1 * 2^-1", b1 * 0.5),
        ("b1 + 2^3^2", b1 + 512.0),
        ("b1 + 2**-x**2", b1 + 2f64.powf(-(x * x))),
        ("b1 + -x**-time", b1 - x.powf(-time)),
        ("b1 + --x", b1 + x),
        ("b1 - +x", b1 - x),
        ("b1 - 1 + 2", b1 + 1.0),
        ("b1 / 4 / 2 * 8", b1),
        ("b1 - x - time - 3", b1 - x - time - 3.0),
        ("b1*1e-3 + 2.5E+2 + .5 + 3.", b1 * 1e-3 + 253.5),
        ("b1*exp[-b2*x]/time", b1 * (-b2 * x).exp() / time),
        ("exp(b1)^sin(x)^time", b1.exp().powf(x.sin().powf(time))),
        ("log(b1) + ln(b1) + log10(x) + log2(x)", 2.0 * b1.ln() + x.log10() + x.log2()),
        ("sqrt(b1) + cbrt(x) + abs(-x)", b1.sqrt() + x.cbrt() + x),
        ("sin(b1) + cos(x) + tan(x)", b1.sin() + x.cos() + x.tan()),
        ("arctan[b1] + atan(x) + arcsin(x) + acos(x)", b1.atan() + x.atan() + x.asin() + x.acos()),
        ("sinh(b1) + cosh(x) + tanh(x)", b1.sinh() + x.cosh() + x.tanh()),
        ("b1*cos(2*pi*x)", b1 * (2.0 * std::f64::consts::PI * x).cos()),
        ("y = b1*x", b1 * x),
    ];
    for (text, expected) in cases {
        let formula = Formula::parse(text, &columns).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(!formula.log_response);
        let used = &b[..formula.parameters];
        let value = formula.compile::<f64>().unwrap().value(used, &[x, time], f64::NAN);
        assert!((value - expected).abs() <= 1e-14 * expected.abs(), "{text} = {value}, not {expected}");
        let exactly = |values: &[f64]| values.iter().map(|&v| Exact::from(v)).collect::<Vec<_>>();
        let exact = formula.compile::<Exact>().unwrap();
        let value = exact.value(&exactly(used), &exactly(&[x, time]), Exact::from(f64::NAN)).to_f64();
        assert!(
            (value - expected).abs() <= 1e-14 * expected.abs(),
            "{text} = {value} in 192 bits, not {expected}"
        );
    }
    assert!(Formula::parse("log[y] = b1*x", &columns).unwrap().log_response);
}

#[test]
fn powers_of_exact_results_end() {
    // Correct rounding of these would never stop.
    let value = |text: &str| text.parse::<Exact>().unwrap();
    assert_eq!(value("4").powf(value("0.5")).to_f64(), 2.0);
    assert_eq!(value("-1.5").powf(value("3")).to_f64(), -3.375);
    assert_eq!(value("2").powf(value("-2")).to_f64(), 0.25);
    assert!(value("-8").powf(value("0.5")).to_f64().is_nan());
    assert!((value("0.1") * value("10") - value("1")).to_f64().abs() < 1e-50);
}

#[test]
fn both_signs_of_a_power_are_one() {
    let [file_model, hat] = ["b1*x**b2", "b1*x^b2"].map(|model| run(["DanWood", "--model", model, "--json"]));
    assert_eq!(file_model, hat);
    assert_eq!(file_model, run(["DanWood", "--json"]));
}

#[test]
fn wrong_formulas_are_errors() {
    let path = file("formulas.csv", LINE);
    let cases = [
        ("", "the formula is empty"),
        ("b1*foo(x)", "unknown function `foo`"),
        ("b1*z", "unknown name `z`"),
        ("b1*x2", "unknown name `x2`"),
        ("b1*sin x", "unknown name `sin`"),
        ("b01*x", "unknown name `b01`"),
        ("b1 + b3*x", "b3 but no b2"),
        ("x", "no parameters"),
        ("b1*", "missing at the end"),
        ("b1**", "missing at the end"),
        ("^b1", "missing before `^` at character 1"),
        ("b1*sin()", "missing before `)`"),
        ("b1 x", "an operator is missing before `x` at character 4"),
        ("b1*2 (x)", "an operator is missing before `(`"),
        ("b1*(x", "`(` at character 4 of the formula is not closed"),
        ("b1*x)", "no bracket was opened for `)`"),
        ("b1*[x)", "no bracket was opened for `)`"),
        ("b1*$x", "character 4 of the formula, `$`"),
        ("b1*é", "character 4 of the formula, `é`"),
        ("b1*1e999", "`1e999` in the formula is not a number in range"),
        ("b1*1.2.3", "an operator is missing before `.3`"),
        ("q = b1*x", "the left side of the formula is `q`"),
        ("y = b1 = x", "more than one `=`"),
        ("b1*x^(1/0)", "undefined or overflows at the starting values"),
        ("b1*log(-x)", "undefined or overflows at the starting values"),
        ("b1*exp(exp(x*100))", "undefined or overflows at the starting values"),
    ];
    for (model, expected) in cases {
        let error = run([&path, "--model", model, "--start", "1", "--json"]).unwrap_err();
        assert!(error.contains(expected), "{model}: {error}");
        assert!(!error.contains('\n'), "{model}: {error}");
    }
    let deep = format!("b1*{}x{}", "(".repeat(50_000), ")".repeat(50_000));
    let error = run([&path, "--model", &deep, "--start", "1"]).unwrap_err();
    assert!(error.contains("longer than"), "{error}");
}
