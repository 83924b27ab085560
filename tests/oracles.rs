//! Every row of the oracle tables through every number type.
//!
//! The tables (`tests/data/oracles`) hold derivatives to full precision; the tests state only functions and points.
//! The tolerances are in `support/limits.rs`.

#[allow(dead_code)] // each test takes a part
#[macro_use]
mod support {
    #[macro_use]
    mod numbers;
    pub mod compare;
    pub mod composites;
    pub mod conventions;
    pub mod functions;
    pub mod limits;
    pub mod records;
    pub mod routes;
    pub mod tables;
}

use support::compare::{Findings, relative, same_bits};
use support::conventions::Convention;
use support::records::{Record, one_pass, record};
use support::routes::{Program, Route, axes, chosen, slices, units};
use support::tables::{Row, Table};
use support::{functions, limits};
use wengert::{BaseFloat, Dual, Dual2, HyperDual, Real, Taylor, Var};

type FourthOrder = Dual<Dual<Dual<Dual<f64>>>>;

struct Unary(&'static str);
impl Program for Unary {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![functions::unary(self.0, x[0])]
    }
}

struct Power(&'static str, f64);
impl Program for Power {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![functions::power(self.0, x[0], self.1)]
    }
}

struct Distribution(&'static str, Vec<f64>);
impl Distribution {
    fn of(row: Row) -> Self {
        let parameters = if row.text("n").is_empty() { vec![] } else { row.list("n") };
        Self(row.text("fn"), parameters)
    }
}
impl<F: BaseFloat> Program<F> for Distribution {
    fn call<T: Real<Base = F>>(&self, x: &[T]) -> Vec<T> {
        vec![functions::distribution(self.0, x[0], &self.1)]
    }
}

struct Binary(&'static str);
impl Program for Binary {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![functions::binary(self.0, x[0], x[1])]
    }
}

struct Piecewise(&'static str);
impl Program for Piecewise {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![functions::piecewise(self.0, x)]
    }
}

/// The derivatives along the axes; entry `s` along the axes whose bits are set in `s`.
fn along<R: Route<Base = f64>>(program: &impl Program, x: &[f64], axes: &[usize]) -> Vec<f64> {
    R::run(program, x, &slices(&units(x.len(), axes)))
}

/// The primal is the value of std, bit for bit, and the value of the same code at `f64`.
fn primal(route: &str, row: Row, program: &impl Program, args: &[f64], got: f64, found: &mut Findings) {
    let plain = program.call::<f64>(args)[0];
    let std = functions::standard(row.text("fn"), args).unwrap_or(plain);
    found.check(same_bits(got, std) && same_bits(plain, std), || {
        format!("{} {route} at {args:?}: value {got:e}, at f64 {plain:e}, std's {std:e}", row.text("id"))
    });
}

const D: [&str; 5] = ["d0", "d1", "d2", "d3", "d4"];
const COND: [&str; 5] = ["cond0", "cond1", "cond2", "cond3", "cond4"];

/// One row of one variable: the derivatives along each set of unit directions. `args` are the arguments of the
/// function as std takes them, the variable first.
fn univariate<R>(route: &str, row: Row, program: &impl Program, args: &[f64], found: &mut Findings)
where
    R: Route<Base = f64>,
{
    let (id, name, want, cond) = (row.text("id"), row.text("fn"), row.columns(&D), row.columns(&COND));
    let got = R::run(program, &args[..1], &vec![&[1.0][..]; R::ORDER]);
    for (set, &got) in got.iter().enumerate() {
        let order = set.count_ones() as usize;
        let strict = limits::with_parameters(name, args[args.len() - 1], order, &cond);
        let beyond = limits::BEYOND.iter().find(|row| (row.0, row.1) == (id, order));
        let error = relative(got, want[order], want[order]);
        let exempt = order == 0 && !limits::accurate_in_std(name);
        found.check(exempt || error <= beyond.map_or(strict, |row| row.2), || {
            let (class, want) = (row.text("class"), want[order]);
            format!("{id} {class} x={args:?} {route} d{order}: got {got:e}, want {want:e}, {error:.3} eps, cond {cond:?}")
        });
    }
    primal(route, row, program, args, got[0], found);
}

fn unary_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    univariate::<R>(route, row, &Unary(row.text("fn")), &[row.number("x")], found);
}

fn power_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    let (name, n) = (row.text("fn"), row.number("n"));
    univariate::<R>(route, row, &Power(name, n), &[row.number("x"), n], found);
}

fn distribution_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    univariate::<R>(route, row, &Distribution::of(row), &[row.number("x")], found);
}

/// The same functions at `f32`, compared with their derivatives at `f64`, where all of them are in its range.
fn distribution_row_single<R: Route<Base = f32>>(route: &str, row: Row, found: &mut Findings) {
    let (program, x, cond) = (Distribution::of(row), row.number("x") as f32, row.columns(&COND));
    let got = R::run(&program, &[x], &vec![&[1.0][..]; R::ORDER]);
    let want = Dual::<Dual<Dual<f64>>>::run(&program, &[f64::from(x)], &[&[1.0], &[1.0], &[1.0]]);
    if want.iter().any(|w| !(1e-30..1e30).contains(&w.abs())) {
        return;
    }
    for (set, &got) in got.iter().enumerate() {
        let order = set.count_ones() as usize;
        let (want, limit) = (want[(1 << order) - 1], limits::unary(order, &cond) * (1.0 + cond[order]));
        let error = relative(f64::from(got), want, want) * (f64::EPSILON / f64::from(f32::EPSILON));
        found.check(error <= limit, || {
            format!(
                "{} {route} x={x} d{order}: got {got:e}, want {want:e}, {error:.3} eps, cond {cond:?}",
                row.text("id")
            )
        });
    }
}

const F: [&[&str]; 4] = [&["f"], &["fx", "fy"], &["fxx", "fxy", "fyy"], &["fxxx", "fxxy", "fxyy", "fyyy"]];

/// One row of two variables: all mixed derivatives.
fn binary_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    let (id, program, x) = (row.text("id"), Binary(row.text("fn")), row.columns(&["x", "y"]));
    let blocks = F.map(|block| row.columns(block));
    for axes in axes(2, R::ORDER, R::ONE_DIRECTION) {
        let got = along::<R>(&program, &x, &axes);
        for (set, &got) in got.iter().enumerate() {
            let chosen = chosen(&axes, set);
            let (order, in_y) = (chosen.len(), chosen.iter().sum::<usize>());
            if order >= blocks.len() {
                continue; // the table ends before
            }
            let (want, entry) = (blocks[order][in_y], F[order][in_y]);
            let block = blocks[order].iter().fold(0.0, |m: f64, e| m.max(e.abs()));
            let mixed = in_y > 0 && in_y < order && limits::POLES.contains(&row.text("fn"));
            let of_block = want == 0.0 || mixed || limits::CANCELLING.contains(&(id, entry));
            let error = relative(got, want, if of_block { block } else { want });
            let named = |of: &str| of.is_empty() || of == route;
            let overflows = limits::OVERFLOWING.iter().any(|r| r.0 == id && order >= r.1 && named(r.2));
            let lost = overflows && got.is_nan() && block.is_infinite();
            let name = row.text("fn");
            let limit = limits::binary(order, want)
                * match limits::SHAPED.contains(&name) {
                    true => 1.0 + row.list("cond")[order * (order + 1) / 2 + in_y],
                    false => limits::exponential(name, row.text("class"), blocks[0][0]),
                };
            found.check(lost || error <= limit, || {
                let (class, x) = (row.text("class"), format!("{:e};{:e}", x[0], x[1]));
                format!("{id} {class} x=[{x}] {route} {entry}: got {got:e}, want {want:e}, {error:.3} eps, block {block:e}")
            });
        }
        primal(route, row, &program, &x, got[0], found);
    }
}

/// One row with breaks: exact values and partials. Second and higher derivatives are zero, except for the product in
/// `mul_add`.
fn piecewise_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    let (id, name, x) = (row.text("id"), row.text("fn"), row.list("args"));
    let (value, partials) = (row.number("value"), row.list("partials"));
    for axes in axes(x.len(), R::ORDER, R::ONE_DIRECTION) {
        let got = along::<R>(&Piecewise(name), &x, &axes);
        for (set, &got) in got.iter().enumerate() {
            let want = match chosen(&axes, set)[..] {
                [] => value,
                [axis] => partials[axis],
                [0, 1] | [1, 0] if name == "mul_add" => 1.0,
                _ => 0.0,
            };
            found
                .check(got == want, || format!("{id} {route} at {x:?} {axes:?}: got {got:e}, want {want:e}"));
        }
        primal(route, row, &Piecewise(name), &x, got[0], found);
    }
}

/// A row at a kink or a singular point: basis tangents with exact zeros for the others. The result must be one of the
/// alternatives of the seed text's contract, or else the recommended value.
fn convention_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    let (id, x, program) = (row.text("id"), row.list("args"), Convention(row.text("fn")));
    let alternatives = match (row.text("seed003"), row.text("best")) {
        ("-", "skip") => vec![],
        ("-", best) => vec![best],
        (seed, _) => seed.split('|').collect(),
    };
    for axes in axes(x.len(), R::ORDER, R::ONE_DIRECTION) {
        let derivatives = along::<R>(&program, &x, &axes);
        for (bit, &axis) in axes.iter().enumerate() {
            let got = derivatives[1 << bit];
            let want = |list: &str| list.split(';').nth(axis).and_then(|c| c.parse().ok()).expect("a number");
            let fits = |list: &&str| relative(got, want(list), want(list)) <= limits::unary(1, &[]);
            found.check(alternatives.is_empty() || alternatives.iter().any(fits), || {
                let name = row.text("fn");
                format!("{id} {name} {route} at {x:?} along {axis}: got {got:e}, want {alternatives:?}")
            });
        }
        primal(route, row, &program, &x, derivatives[0], found);
    }
}

#[test]
fn unary() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/unary.csv")).rows() {
        every_number!([kinds taped third nested series] unary_row(row, &mut found));
        unary_row::<FourthOrder>("Dual^4", row, &mut found);
    }
    found.report(78_000);
}

#[test]
fn special() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/special.csv")).rows() {
        every_number!([kinds taped third nested series] unary_row(row, &mut found));
        unary_row::<FourthOrder>("Dual^4", row, &mut found);
    }
    found.report(19_000);
}

/// The three derivatives on a grid, and next to their zeros, up to a distance of 1e-8.
fn dense_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    let (name, x) = (row.text("fn"), row.number("x"));
    let (want, cond) = (row.columns(&["d1", "d2", "d3"]), row.columns(&["c1", "c2", "c3"]));
    let got = R::run(&Unary(name), &[x], &vec![&[1.0][..]; R::ORDER]);
    for (set, &got) in got.iter().enumerate().skip(1) {
        let order = set.count_ones() as usize;
        let (want, cond) = (want[order - 1], cond[order - 1]);
        let error = relative(got, want, want);
        found.check(error <= limits::dense(name, order, x, cond), || {
            format!(
                "{name} at {x} {route} d{order}: got {got:e}, want {want:e}, {error:.3} eps, cond {cond:e}"
            )
        });
    }
}

#[test]
fn dense() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/dense.csv")).rows() {
        dense_row::<Dual<Dual<Dual<f64>>>>("Dual<Dual<Dual>>", row, &mut found);
        dense_row::<Dual<HyperDual<f64>>>("Dual<HyperDual>", row, &mut found);
        dense_row::<Dual2<Dual<f64>, 1, 1>>("Dual2<Dual>", row, &mut found);
        dense_row::<Var<HyperDual<f64>>>("Var<HyperDual>", row, &mut found);
        dense_row::<Taylor<f64, 3>>("Taylor", row, &mut found);
        dense_row::<Taylor<Dual<f64>, 2>>("Taylor<Dual>", row, &mut found);
    }
    found.report(68_000);
}

/// Two variables next to zero: first and second derivatives, in each order of nesting.
fn small_row<R: Route<Base = f64>>(route: &str, row: Row, found: &mut Findings) {
    let (program, x) = (Binary(row.text("fn")), row.columns(&["x", "y"]));
    let blocks = [F[1], F[2]].map(|block| row.columns(block));
    for axes in axes(2, R::ORDER, R::ONE_DIRECTION) {
        for (set, &got) in along::<R>(&program, &x, &axes).iter().enumerate().skip(1) {
            let chosen = chosen(&axes, set);
            let want = blocks[chosen.len() - 1][chosen.iter().sum::<usize>()];
            let error = relative(got, want, want);
            // The square of the smaller partial has twice the derivative, which may overflow by itself.
            let almost = got.is_infinite() && want.abs() > f64::MAX / 4.0 && got.signum() == want.signum();
            found.check(almost || error <= limits::binary(chosen.len(), want), || {
                let (name, order) = (row.text("fn"), chosen.len());
                format!("{name} at {x:?} {route} along {chosen:?}: got {got:e}, want {want:e}, {error:.3} eps, {order}")
            });
        }
    }
}

#[test]
fn small_arguments() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/small.csv")).rows() {
        small_row::<Dual<Dual<f64>>>("Dual<Dual>", row, &mut found);
        small_row::<HyperDual<f64>>("HyperDual", row, &mut found);
        small_row::<Dual2<f64, 2, 3>>("Dual2", row, &mut found);
        small_row::<Var<Dual<f64>>>("Var<Dual>", row, &mut found);
        small_row::<Taylor<f64, 2>>("Taylor", row, &mut found);
    }
    found.report(11_000);
}

#[test]
fn distributions() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/distributions.csv")).rows() {
        every_number!([kinds taped third nested series] distribution_row(row, &mut found));
        distribution_row::<FourthOrder>("Dual^4", row, &mut found);
    }
    found.report(220_000);
}

#[test]
fn distributions_in_single_precision() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/distributions.csv")).rows() {
        distribution_row_single::<Dual<f32>>("Dual", row, &mut found);
        distribution_row_single::<HyperDual<f32>>("HyperDual", row, &mut found);
        distribution_row_single::<Dual<Dual<Dual<f32>>>>("Dual<Dual<Dual>>", row, &mut found);
        distribution_row_single::<Var<f32>>("Var", row, &mut found);
        distribution_row_single::<Taylor<f32, 3>>("Taylor", row, &mut found);
    }
    found.report(24_000);
}

#[test]
fn powers() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/pow.csv")).rows() {
        every_number!([kinds taped third nested series] power_row(row, &mut found));
        power_row::<FourthOrder>("Dual^4", row, &mut found);
    }
    found.report(23_000);
}

#[test]
fn binary() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/binary.csv")).rows() {
        every_number!([kinds taped third nested series] binary_row(row, &mut found));
    }
    found.report(85_000);
}

#[test]
fn beta() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/beta.csv")).rows() {
        every_number!([kinds taped third nested series] binary_row(row, &mut found));
    }
    found.report(46_000);
}

#[test]
fn shapes() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/shapes.csv")).rows() {
        every_number!([kinds taped third nested series] binary_row(row, &mut found));
    }
    found.report(140_000);
}

#[test]
fn piecewise() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/piecewise.csv")).rows() {
        every_number!([kinds taped third nested series] piecewise_row(row, &mut found));
    }
    found.report(29_000);
}

#[test]
fn conventions() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/conventions.csv")).rows() {
        every_number!([kinds taped third nested series] convention_row(row, &mut found));
    }
    found.report(10_000);
}

#[test]
fn composites() {
    let mut found = Findings::default();
    for line in include_str!("data/oracles/composite.jsonl").lines() {
        let value = serde_json::from_str(line).expect("a record");
        every_number!([kinds taped third nested series] record(&Record(&value), &mut found));
        one_pass(&Record(&value), &mut found);
    }
    found.report(2_600);
}
