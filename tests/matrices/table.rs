//! Every row of the table of matrix functions through every number type, with matrices of dynamic and static size.
//!
//! The table (`tests/data/oracles/linalg.jsonl`) holds values, tangents of first and second order and cotangents to
//! full precision. The tolerances are in `support/limits.rs`.

use nalgebra::Complex;
use wengert::matrix::Entry;
use wengert::{Dual, Dual2, DualN, HyperDual, Var};

use super::judge::Judge;
use super::operations::{Bordered, Dynamic, Static};
use super::programs::Program;
use super::routes::{self, PrimalNumber, Recorded, Route};
use super::rows::Row;

fn along<P: PrimalNumber, S: Route<P>>(route: &str, judge: &mut Judge, program: &impl Program) {
    let found = routes::forward::<P, S>(program, &judge.x, &judge.dx);
    judge.derivatives(route, found);
}

fn back<S: Recorded<f64>>(route: &str, judge: &mut Judge, program: &impl Program) {
    let found = routes::reverse::<S>(program, &judge.x, &judge.cot);
    judge.cotangents(route, found);
}

/// Values, and tangents of first and second order, at numbers over `P`.
fn forward<P: PrimalNumber>(judge: &mut Judge, program: &impl Program)
where
    Dual<P>: Route<P>,
    DualN<P, 3>: Route<P>,
    Dual<Dual<P>>: Route<P>,
    HyperDual<P>: Route<P>,
    Dual2<P, 1, 1>: Route<P>,
{
    let values = routes::values::<P>(program, &judge.x);
    judge.derivatives("machine", values);
    along::<P, Dual<P>>("Dual", judge, program);
    along::<P, DualN<P, 3>>("DualN", judge, program);
    along::<P, Dual<Dual<P>>>("Dual<Dual>", judge, program);
    along::<P, HyperDual<P>>("HyperDual", judge, program);
    along::<P, Dual2<P, 1, 1>>("Dual2", judge, program);
}

/// Cotangents, and second orders with a tape inside, outside and twice; `V`, `W`, `U` and `D` are entries over `Var`,
/// `Var<Dual>`, `Var<Var>` and `Dual<Var>`.
fn reverse<V, W, U, D>(judge: &mut Judge, program: &impl Program)
where
    V: Recorded<f64>,
    W: Recorded<Dual<f64>>,
    U: Recorded<Var<f64>>,
    D: Entry<Base = f64, Re = Dual<Var<f64>>>,
{
    back::<V>("Var", judge, program);
    let (x, dx, cot) = (&judge.x, &judge.dx, &judge.cot);
    let over_reverse = routes::forward_over_reverse::<W>(program, x, dx, cot);
    let twice = routes::reverse_over_reverse::<U>(program, x, dx, cot);
    let over_forward = routes::reverse_over_forward::<D>(program, x, dx, cot);
    judge.second_order("Var<Dual>", over_reverse.clone().map(|[_, dg]| dg));
    judge.cotangents("Var<Dual>", over_reverse.map(|[g, _]| g));
    judge.second_order("Var<Var>", twice);
    judge.second_order("Dual<Var>", over_forward);
}

fn dynamic(row: &Row, judge: &mut Judge) {
    let program = &Dynamic(row);
    if row.is_real() {
        forward::<f64>(judge, program);
        reverse::<Var<f64>, Var<Dual<f64>>, Var<Var<f64>>, Dual<Var<f64>>>(judge, program);
    } else {
        forward::<Complex<f64>>(judge, program);
        along::<_, Complex<Dual<f64>>>("Complex<Dual>", judge, program);
        reverse::<Complex<Var<_>>, Complex<Var<Dual<_>>>, Complex<Var<Var<_>>>, Complex<Dual<Var<_>>>>(
            judge, program,
        );
        judge.adjoint(program);
    }
}

/// Static sizes take the same rules: one type of each kind.
fn fixed(row: &Row, judge: &mut Judge) {
    let program = &Static(row);
    if !row.is_real() {
        along::<Complex<f64>, Dual<Complex<f64>>>("static Dual", judge, program);
        return;
    }
    along::<f64, Dual<f64>>("static Dual", judge, program);
    along::<f64, Dual<Dual<f64>>>("static Dual<Dual>", judge, program);
    back::<Var<f64>>("static Var", judge, program);
}

/// Beyond the sizes at which functions work entry by entry.
fn large(row: &Row, judge: &mut Judge) {
    let program = &Bordered(row);
    if !row.is_real() {
        along::<Complex<f64>, Dual<Complex<f64>>>("large Dual", judge, program);
        along::<Complex<f64>, Dual<Dual<Complex<f64>>>>("large Dual<Dual>", judge, program);
        back::<Complex<Var<f64>>>("large Var", judge, program);
        return;
    }
    along::<f64, DualN<f64, 3>>("large DualN", judge, program);
    along::<f64, Dual<Dual<f64>>>("large Dual<Dual>", judge, program);
    back::<Var<f64>>("large Var", judge, program);
    let (x, dx, cot) = (&judge.x, &judge.dx, &judge.cot);
    let over_reverse = routes::forward_over_reverse::<Var<Dual<f64>>>(program, x, dx, cot);
    judge.second_order("large Var<Dual>", over_reverse.map(|[_, dg]| dg));
}

#[test]
fn every_row() {
    let rows = Row::all();
    let mut judge = Judge::default();
    for row in &rows {
        judge.take(row);
        dynamic(row, &mut judge);
        if Static::fits(row) {
            fixed(row, &mut judge);
        }
        if Bordered::fits(row) {
            large(row, &mut judge);
        }
    }
    assert_eq!(rows.len(), 178);
    judge.report(&rows, 14000);
}
