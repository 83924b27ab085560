//! The records of `composite.jsonl` against every number type.

use serde_json::Value;
use wengert::{Dual2, DualN};

use super::compare::{EPS, Findings, same_bits};
use super::composites::{Composite, numbers, rows};
use super::limits;
use super::routes::{Program, Route, slices, units};

/// A function at a point with all its derivatives.
pub struct Record<'a>(pub &'a Value);

/// The largest magnitude of a list.
fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// The last `m` entries: the derivative along all directions.
fn highest(derivatives: Vec<f64>, m: usize) -> Vec<f64> {
    derivatives[derivatives.len() - m..].to_vec()
}

/// The outputs' derivative along all the axes.
fn along<R: Route<Base = f64>>(program: &Composite, x: &[f64], axes: &[usize], m: usize) -> Vec<f64> {
    highest(R::run(program, x, &slices(&units(x.len(), axes))), m)
}

impl<'a> Record<'a> {
    fn list(&self, key: &str) -> Vec<f64> {
        numbers(&self.0[key])
    }
    fn matrix(&self, key: &str) -> Vec<f64> {
        rows(&self.0[key]).concat()
    }
    fn has(&self, key: &str) -> bool {
        self.0.get(key).is_some()
    }
    fn program(&self) -> Composite<'a> {
        Composite { name: self.0["fn"].as_str().expect("a name"), data: &self.0["data"] }
    }
    /// Compares the results for `key` with the expected ones, in the norm of the largest entry; `kind` names the
    /// error that the reference reached.
    fn check(&self, what: (&str, &str), kind: &str, got: &[f64], want: &[f64], found: &mut Findings) {
        let difference: Vec<f64> = got.iter().zip(want).map(|(g, w)| g - w).collect();
        let (distance, scale) = (largest(&difference), largest(want));
        let reference = self.0["f64_err"][kind].as_f64().expect("the error of a reference");
        let hessian = if self.has("hess") { largest(&self.matrix("hess")) } else { 0.0 };
        let limit = match scale {
            0.0 => limits::composite_zero(hessian),
            _ => limits::composite(reference) * EPS * scale,
        };
        let complete = got.len() == want.len() && got.iter().all(|g| g.is_finite());
        found.check(complete && distance <= limit, || {
            let (id, error) = (&self.0["id"], distance / scale / EPS);
            format!("{id} {what:?}: got {got:?}, want {want:?}, {error:.3} eps, reference {reference:e}")
        });
    }
}

/// All that the type can give: value, directional derivatives, Jacobian, Hessian, and products with them.
pub fn record<R: Route<Base = f64>>(route: &str, record: &Record, found: &mut Findings) {
    let (program, x, v, f) = (record.program(), record.list("x"), record.list("v"), record.list("f"));
    let m = f.len();
    let got = R::run(&program, &x, &vec![&v[..]; R::ORDER]);
    let plain = program.call::<f64>(&x);
    let same = plain.iter().zip(&got).all(|(a, b)| same_bits(*a, *b));
    found.check(same, || format!("{} {route}: the value is not f64's", record.0["id"]));
    record.check((route, "f"), "f", &got[..m], &f, found);
    record.check((route, "jvp"), "jvp", &got[m..2 * m], &record.list("jvp"), found);
    let order = R::ORDER.min(3);
    let (key, kind) = [("jvp", "jvp"), ("d2_vv", "d2"), ("d3_vvv", "d3")][order - 1];
    record.check((route, key), kind, &highest(got[..m << order].to_vec(), m), &record.list(key), found);
    if R::ORDER == 1 {
        jacobian::<R>(route, record, &program, &x, found);
    }
    if R::ORDER == 2 && !R::ONE_DIRECTION && record.has("hess") {
        hessian::<R>(route, record, &program, &x, found);
    }
    if record.has("greeks") {
        greeks::<R>(route, record, &program, &x, found);
    }
}

/// The Jacobian column by column, and `uᵀJ`.
fn jacobian<R>(route: &str, record: &Record, program: &Composite, x: &[f64], found: &mut Findings)
where
    R: Route<Base = f64>,
{
    let (u, m) = (record.list("u"), record.list("f").len());
    let columns: Vec<_> = (0..x.len()).map(|i| along::<R>(program, x, &[i], m)).collect();
    let got: Vec<f64> = (0..m).flat_map(|o| columns.iter().map(move |c| c[o])).collect();
    record.check((route, "jac"), "jac", &got, &record.matrix("jac"), found);
    let product: Vec<f64> = columns.iter().map(|c| c.iter().zip(&u).map(|(c, u)| c * u).sum()).collect();
    record.check((route, "vjp"), "jac", &product, &record.list("vjp"), found);
}

/// The Hessian entry by entry, and its product with `v`.
fn hessian<R>(route: &str, record: &Record, program: &Composite, x: &[f64], found: &mut Findings)
where
    R: Route<Base = f64>,
{
    let (n, v) = (x.len(), record.list("v"));
    let got: Vec<f64> = (0..n * n).map(|k| along::<R>(program, x, &[k / n, k % n], 1)[0]).collect();
    record.check((route, "hess"), "hess", &got, &record.matrix("hess"), found);
    let with_v = |i| highest(R::run(program, x, &[&units(n, &[i])[0], &v]), 1)[0];
    let product: Vec<f64> = (0..n).map(with_v).collect();
    record.check((route, "hvp"), "hess", &product, &record.list("hvp"), found);
}

/// The named derivatives of an option price, by the axes (spot 0, maturity 2, rate 3, volatility 4).
const GREEKS: [(&str, &[usize]); 14] = [
    ("delta", &[0]),
    ("vega", &[4]),
    ("rho", &[3]),
    ("dC_dT", &[2]),
    ("gamma", &[0, 0]),
    ("vanna", &[0, 4]),
    ("volga", &[4, 4]),
    ("charm_dSdT", &[0, 2]),
    ("veta_dsigmadT", &[4, 2]),
    ("speed", &[0, 0, 0]),
    ("zomma", &[0, 0, 4]),
    ("color_dS2dT", &[0, 0, 2]),
    ("dSdsigma2", &[0, 4, 4]),
    ("ultima", &[4, 4, 4]),
];

fn greeks<R>(route: &str, record: &Record, program: &Composite, x: &[f64], found: &mut Findings)
where
    R: Route<Base = f64>,
{
    for (name, axes) in GREEKS {
        let needs_two = axes.iter().any(|a| *a != axes[0]);
        if axes.len() == R::ORDER && !(R::ONE_DIRECTION && needs_two) {
            let want = record.0["greeks"][name].as_f64().expect("a number");
            let kind = ["jac", "hess", "d3"][R::ORDER - 1];
            record.check((route, name), kind, &along::<R>(program, x, axes, 1), &[want], found);
        }
    }
}

/// Jacobian and Hessian from one evaluation each of the types with many directions; directions that no variable
/// has stay exactly zero.
pub fn one_pass(record: &Record, found: &mut Findings) {
    let (program, x, jac) = (record.program(), record.list("x"), record.matrix("jac"));
    let n = x.len();
    let lanes: Vec<DualN<f64, 16>> = x.iter().enumerate().map(|(i, &x)| DualN::variable(x, i)).collect();
    let packed: Vec<Dual2<f64, 13, 91>> = x.iter().enumerate().map(|(i, &x)| Dual2::variable(x, i)).collect();
    let (lanes, packed) = (program.call(&lanes), program.call(&packed));
    let first: Vec<f64> = lanes.iter().flat_map(|y| y.tangents()[..n].to_vec()).collect();
    let second: Vec<f64> = packed.iter().flat_map(|y| y.gradient()[..n].to_vec()).collect();
    record.check(("DualN<16>", "jac"), "jac", &first, &jac, found);
    record.check(("Dual2<13>", "jac"), "jac", &second, &jac, found);
    let zero = |list: &[f64]| list.iter().all(|t| *t == 0.0);
    let zero_second = |y: &Dual2<f64, 13, 91>| (n..13).all(|i| (0..13).all(|j| y.second(i, j) == 0.0));
    let unused = lanes.iter().all(|y| zero(&y.tangents()[n..]))
        && packed.iter().all(|y| zero(&y.gradient()[n..]) && zero_second(y));
    found.check(unused, || format!("{}: an unused direction is not zero", record.0["id"]));
    if record.has("hess") {
        let got: Vec<f64> = (0..n * n).map(|k| packed[0].second(k / n, k % n)).collect();
        record.check(("Dual2<13>", "hess"), "hess", &got, &record.matrix("hess"), found);
    }
}
