//! Every rule of the table as an operation: traced at one point, replayed at the others bit for bit, and programs of
//! derivatives compared with the oracle tables.

use crate::support::compare::{Findings, relative, same_bits};
use crate::support::conventions::Convention;
use crate::support::tables::{Row, Table};
use crate::support::{functions, limits, routes};
use routes::Program as _;
use wengert::programs::{Program, Traced, trace};

const D: [&str; 5] = ["d0", "d1", "d2", "d3", "d4"];
const COND: [&str; 5] = ["cond0", "cond1", "cond2", "cond3", "cond4"];

/// A function and its derivatives to order four, as programs.
fn derivatives(f: impl Fn(Traced) -> Traced, x: f64) -> [Program; 5] {
    let value = trace(|x: &[Traced]| f(x[0]), &[x]);
    let first = value.gradient().unwrap();
    let second = first.gradient().unwrap();
    let third = second.gradient().unwrap();
    let fourth = third.gradient().unwrap();
    [value, first, second, third, fourth]
}

/// Rows of one function of one variable: the program is recorded at the first row.
fn univariate(
    table: &'static str,
    expected: usize,
    traced: impl Fn(Row, Traced) -> Traced,
    plain: impl Fn(Row, f64) -> f64,
    key: impl Fn(Row) -> String,
    parameter: impl Fn(Row) -> f64,
) {
    let (mut found, table) = (Findings::default(), Table::parse(table));
    let mut programs: std::collections::HashMap<String, [Program; 5]> = Default::default();
    for row in table.rows() {
        let x = row.number("x");
        let programs = programs.entry(key(row)).or_insert_with(|| derivatives(|t| traced(row, t), x));
        let (id, want, cond) = (row.text("id"), row.columns(&D), row.columns(&COND));
        for order in 0..5 {
            let got = match programs[order].run(&[x]) {
                Ok(got) => got[0],
                Err(error) => {
                    found.check(false, || format!("{id} d{order}: {error}"));
                    continue;
                }
            };
            if order == 0 {
                let plain = plain(row, x);
                found.check(same_bits(got, plain), || format!("{id} at {x}: {got:e}, at f64 {plain:e}"));
                continue;
            }
            let strict = limits::with_parameters(row.text("fn"), parameter(row), order, &cond);
            let beyond = limits::BEYOND.iter().find(|row| (row.0, row.1) == (id, order));
            let error = relative(got, want[order], want[order]);
            found.check(error <= beyond.map_or(strict, |row| row.2), || {
                let want = want[order];
                format!("{id} x={x} d{order}: got {got:e}, want {want:e}, {error:.3} eps, cond {cond:?}")
            });
        }
    }
    found.report(expected);
}

#[test]
fn functions_of_one_variable() {
    for (table, expected) in [
        (include_str!("../data/oracles/unary.csv"), 3000),
        (include_str!("../data/oracles/special.csv"), 700),
    ] {
        univariate(
            table,
            expected,
            |row, x| functions::unary(row.text("fn"), x),
            |row, x| functions::unary(row.text("fn"), x),
            |row| row.text("fn").into(),
            |row| row.number("x"),
        );
    }
}

#[test]
fn powers_and_distributions() {
    univariate(
        include_str!("../data/oracles/pow.csv"),
        800,
        |row, x| functions::power(row.text("fn"), x, row.number("n")),
        |row, x| functions::power(row.text("fn"), x, row.number("n")),
        |row| format!("{} {}", row.text("fn"), row.text("n")),
        |row| row.number("n"),
    );
    let parameters = |row: Row| if row.text("n").is_empty() { vec![] } else { row.list("n") };
    univariate(
        include_str!("../data/oracles/distributions.csv"),
        8000,
        |row, x| functions::distribution(row.text("fn"), x, &parameters(row)),
        |row, x| functions::distribution(row.text("fn"), x, &parameters(row)),
        |row| format!("{} {}", row.text("fn"), row.text("n")),
        |row| row.number("x"),
    );
}

#[test]
fn functions_of_two_variables() {
    let (mut found, table) = (Findings::default(), Table::parse(include_str!("../data/oracles/binary.csv")));
    let mut programs: std::collections::HashMap<&str, [Program; 3]> = Default::default();
    for row in table.rows() {
        let (id, name, x) = (row.text("id"), row.text("fn"), row.columns(&["x", "y"]));
        let [value, first, second] = programs.entry(name).or_insert_with(|| {
            let value = trace(|x: &[Traced]| functions::binary(name, x[0], x[1]), &x);
            let first = value.gradient().unwrap();
            let second = first.jacobian().unwrap();
            [value, first, second]
        });
        let plain = functions::binary(name, x[0], x[1]);
        match value.run(&x) {
            Ok(got) => found.check(same_bits(got[0], plain), || format!("{id}: {} {plain}", got[0])),
            Err(error) => found.check(false, || format!("{id}: {error}")),
        }
        for (program, columns) in [(&*first, &["fx", "fy"][..]), (&*second, &["fxx", "fxy", "fxy", "fyy"])] {
            let want = row.columns(columns);
            let (order, block) =
                (want.len().ilog2() as usize, want.iter().fold(0.0, |m: f64, e| m.max(e.abs())));
            let Ok(got) = program.run(&x) else { continue };
            for ((got, want), entry) in got.into_iter().zip(want).zip(columns) {
                let of_block = want == 0.0 || limits::CANCELLING.contains(&(id, entry));
                let mixed = *entry == "fxy" && limits::POLES.contains(&name);
                let error = relative(got, want, if of_block || mixed { block } else { want });
                let overflows = limits::OVERFLOWING.iter().any(|r| r.0 == id && order >= r.1);
                let lost = overflows && got.is_nan() && block.is_infinite();
                let limit = limits::binary(order, want) * limits::exponential(name, row.text("class"), plain);
                found.check(lost || error <= limit, || {
                    format!("{id} at {x:?} {entry}: got {got:e}, want {want:e}, {error:.3} eps")
                });
            }
        }
    }
    found.report(1337);
}

#[test]
fn conventions_at_kinks_and_singular_points() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("../data/oracles/conventions.csv")).rows() {
        let (id, x, f) = (row.text("id"), row.list("args"), Convention(row.text("fn")));
        let alternatives = match (row.text("seed003"), row.text("best")) {
            ("-", "skip") => continue,
            ("-", best) => vec![best],
            (seed, _) => seed.split('|').collect(),
        };
        let at = trace(|x: &[Traced]| f.call(x)[0], &x).linearize().unwrap();
        let (jvp, vjp) = (at.to_program().unwrap(), at.transpose().to_program().unwrap());
        let back = vjp.run(&[&x[..], &[1.0]].concat()).unwrap();
        for axis in 0..x.len() {
            let unit: Vec<f64> = (0..x.len()).map(|i| if i == axis { 1.0 } else { 0.0 }).collect();
            let forward = jvp.run(&[&x[..], &unit].concat()).unwrap();
            let want = |list: &str| list.split(';').nth(axis).and_then(|c| c.parse().ok()).expect("a number");
            for (way, got) in [("forward", forward[1]), ("back", back[1 + axis])] {
                let fits = |list: &&str| relative(got, want(list), want(list)) <= limits::unary(1, &[]);
                found.check(alternatives.iter().any(fits), || {
                    let name = row.text("fn");
                    format!("{id} {name} {way} at {x:?} along {axis}: got {got:e}, want {alternatives:?}")
                });
            }
        }
    }
    found.report(338);
}
