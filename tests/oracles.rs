//! Every row of the oracle tables through every number type.
//!
//! The tables (`tests/data/oracles`) hold derivatives to full precision; the tests state functions and points
//! only. The tolerances stand in [`limits`] and in the README of the tables, and nowhere else.

mod support {
    pub mod compare;
    pub mod functions;
    pub mod routes;
    pub mod tables;
}

use support::compare::{Findings, error, same_bits};
use support::functions;
use support::routes::{Program, Route};
use support::tables::{Row, Table};
use wengert::{Dual, Dual2, DualN, HyperDual, Real};

/// Calls `$run::<N>($args)` for every number type that the tables are read with: a new type is one line here.
macro_rules! every_route {
    ($run:ident($($arg:expr),*)) => {
        $run::<Dual<f64>>("Dual", $($arg),*);
        $run::<DualN<f64, 4>>("DualN", $($arg),*);
        $run::<HyperDual<f64>>("HyperDual", $($arg),*);
        $run::<Dual<Dual<f64>>>("Dual<Dual>", $($arg),*);
        $run::<Dual2<f64, 1, 1>>("Dual2<1>", $($arg),*);
        $run::<Dual2<f64, 2, 3>>("Dual2<2>", $($arg),*);
        $run::<DualN<DualN<f64, 4>, 4>>("DualN<DualN>", $($arg),*);
        $run::<Dual<Dual<Dual<f64>>>>("Dual<Dual<Dual>>", $($arg),*);
        $run::<Dual<HyperDual<f64>>>("Dual<HyperDual>", $($arg),*);
        $run::<HyperDual<Dual<f64>>>("HyperDual<Dual>", $($arg),*);
        $run::<Dual<Dual2<f64, 2, 3>>>("Dual<Dual2>", $($arg),*);
        $run::<Dual2<Dual<f64>, 2, 3>>("Dual2<Dual>", $($arg),*);
    };
}

/// The limit of an error in eps by order and conditioning (`cond[k] = |x f⁽ᵏ⁺¹⁾/f⁽ᵏ⁾|`).
mod limits {
    /// Functions of one variable, all classes.
    pub fn unary(order: usize, cond: &[f64]) -> f64 {
        match order {
            0 => 2.0,
            1 => 4.0,
            2 => 8.0,
            3 => 16.0,
            _ => 32.0 * (1.0 + cond[3]),
        }
    }
    /// Powers: the same, but std's own `powi` squares repeatedly and loses |n| eps.
    pub fn power(name: &str, n: f64, order: usize, cond: &[f64]) -> f64 {
        if (name, order) == ("powi", 0) { n.abs().max(2.0) } else { unary(order, cond) }
    }
    /// Functions of two variables, of the entry or, where the entry cancels, of the largest one in its block.
    pub fn binary(order: usize) -> f64 {
        match order {
            0 => 2.0,
            1 => 4.0,
            2 => 16.0,
            _ => 32.0,
        }
    }
}

/// Whether the row's value is checked against the table: std's `acosh` near 1 and `atanh` near −1 lose up to
/// 1e13 eps; the primal is std's all the same.
fn accurate_in_std(name: &str) -> bool {
    !matches!(name, "acosh" | "atanh")
}

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

const D: [&str; 5] = ["d0", "d1", "d2", "d3", "d4"];
const COND: [&str; 5] = ["cond0", "cond1", "cond2", "cond3", "cond4"];

/// One row of one variable: the derivatives along each set of unit directions. `args` are the arguments of the
/// function as std takes them.
fn univariate<R: Route>(route: &str, row: Row, program: &impl Program, args: &[f64], found: &mut Findings) {
    let (name, want, cond) = (row.text("fn"), row.columns(&D), row.columns(&COND));
    let along = vec![&[1.0][..]; R::ORDER];
    let got = R::run(program, &args[..1], &along);
    for (set, &got) in got.iter().enumerate() {
        let order = set.count_ones() as usize;
        let (want, limit) = (want[order], limits::unary(order, &cond));
        let error = error(got, want, want.abs());
        found.check(error <= limit || order == 0 && !accurate_in_std(name), || {
            let (id, class) = (row.text("id"), row.text("class"));
            format!("{id} {class} x={args:?} {route} d{order}: got {got:e}, want {want:e}, {error:.3} eps, cond {cond:?}")
        });
    }
    primal(route, row, args, got[0], found);
}

/// The primal is what std gives, bit for bit.
fn primal(route: &str, row: Row, args: &[f64], got: f64, found: &mut Findings) {
    if let Some(want) = functions::standard(row.text("fn"), args) {
        let id = row.text("id");
        found.check(same_bits(got, want), || format!("{id} {route} at {args:?}: value {got:e} is not std's {want:e}"));
    }
}

fn unary_row<R: Route>(route: &str, row: Row, found: &mut Findings) {
    univariate::<R>(route, row, &Unary(row.text("fn")), &[row.number("x")], found);
}

struct Binary(&'static str);
impl Program for Binary {
    fn call<T: Real<Base = f64>>(&self, x: &[T]) -> Vec<T> {
        vec![functions::binary(self.0, x[0], x[1])]
    }
}

const F: [&[&str]; 4] = [&["f"], &["fx", "fy"], &["fxx", "fxy", "fyy"], &["fxxx", "fxxy", "fxyy", "fyyy"]];

/// One row of two variables: all mixed derivatives, along every choice of axes for the type's directions.
fn binary_row<R: Route>(route: &str, row: Row, found: &mut Findings) {
    let (name, x, blocks) = (row.text("fn"), row.columns(&["x", "y"]), F.map(|block| row.columns(block)));
    for axes in 0..1_usize << R::ORDER {
        if R::ONE_DIRECTION && axes.count_ones() as usize % R::ORDER != 0 {
            continue;
        }
        let along: Vec<&[f64]> =
            (0..R::ORDER).map(|k| if axes >> k & 1 == 0 { &[1.0, 0.0][..] } else { &[0.0, 1.0] }).collect();
        let got = R::run(&Binary(name), &x, &along);
        for (set, &got) in got.iter().enumerate() {
            entry(route, row, set, axes, got, &blocks, found);
        }
        primal(route, row, &x, got[0], found);
    }
}

/// One mixed derivative: along the directions in `set`, of which those in `axes` are along y.
fn entry(route: &str, row: Row, set: usize, axes: usize, got: f64, blocks: &[Vec<f64>], found: &mut Findings) {
    let (order, in_y) = (set.count_ones() as usize, (axes & set).count_ones() as usize);
    let want = blocks[order][in_y];
    let block = blocks[order].iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    let (strict, error) = (error(got, want, block), error(got, want, block));
    found.check(error <= limits::binary(order), || {
        let (id, class) = (row.text("id"), row.text("class"));
        let (x, y, name) = (row.number("x"), row.number("y"), F[order][in_y]);
        format!("{id} {class} x=[{x}; {y}] {route} {name}: got {got:e}, want {want:e}, {strict:.3} eps, block {block:e}, {:.3}", (got-want).abs()/block/f64::EPSILON)
    });
}

fn power_row<R: Route>(route: &str, row: Row, found: &mut Findings) {
    let (name, n) = (row.text("fn"), row.number("n"));
    univariate::<R>(route, row, &Power(name, n), &[row.number("x"), n], found);
}

#[test]
fn unary() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/unary.csv")).rows() {
        every_route!(unary_row(row, &mut found));
        unary_row::<Dual<Dual<Dual<Dual<f64>>>>>("Dual^4", row, &mut found);
    }
    found.report(0);
}

#[test]
fn special() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/special.csv")).rows() {
        every_route!(unary_row(row, &mut found));
        unary_row::<Dual<Dual<Dual<Dual<f64>>>>>("Dual^4", row, &mut found);
    }
    found.report(0);
}

#[test]
fn powers() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/pow.csv")).rows() {
        every_route!(power_row(row, &mut found));
        power_row::<Dual<Dual<Dual<Dual<f64>>>>>("Dual^4", row, &mut found);
    }
    found.report(0);
}

#[test]
fn binary() {
    let mut found = Findings::default();
    for row in Table::parse(include_str!("data/oracles/binary.csv")).rows() {
        every_route!(binary_row(row, &mut found));
    }
    found.report(0);
}
