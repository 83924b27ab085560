//! Functions of matrices with tangents and cotangents, compared with the same functions on `f64` and with nalgebra's
//! algorithms on matrices of duals: `cargo bench --bench matrix`, for chosen workloads `cargo bench --bench matrix --
//! solve`.

#[path = "workloads/filter.rs"]
mod filter;
mod workloads;

use std::hint::black_box;

use nalgebra::{DMatrix, OMatrix};
use wengert::{AdError, Dual, DualN, Real, Tape, matrix};
use workloads::timing::{Case, compare};

/// Numbers in [−1, 1) without a pattern, the same in every run.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.f64() * 2.0 - 1.0).collect()
}

/// A well-conditioned n × n matrix.
fn regular(n: usize) -> DMatrix<f64> {
    DMatrix::from_vec(n, n, numbers(n * n, 1)) + DMatrix::identity(n, n) * (n as f64).sqrt() * 2.0
}

/// A positive definite n × n matrix.
fn definite(n: usize) -> DMatrix<f64> {
    let a = DMatrix::from_vec(n, n, numbers(n * n, 1));
    &a * a.transpose() + DMatrix::identity(n, n)
}

fn dual(a: &DMatrix<f64>) -> DMatrix<Dual<f64>> {
    a.zip_map(&DMatrix::from_vec(a.nrows(), a.ncols(), numbers(a.len(), 2)), Dual::new)
}

fn lanes(a: &DMatrix<f64>) -> DMatrix<DualN<f64, 8>> {
    let tangents = numbers(a.len() * 8, 2);
    let lane = |i: usize| std::array::from_fn(|l| tangents[8 * i + l]);
    DMatrix::from_iterator(a.nrows(), a.ncols(), a.iter().enumerate().map(|(i, &x)| DualN::new(x, lane(i))))
}

/// A function of matrices at every number type.
trait Function {
    fn call<T: Real<Base = f64>>(&self, x: &[DMatrix<T>]) -> Result<DMatrix<T>, AdError>;
    /// nalgebra's own algorithm.
    fn elementwise<T: Real<Base = f64> + nalgebra::RealField>(&self, x: &[DMatrix<T>]) -> DMatrix<T>;
    /// The function on pairs of matrices, if it has that form.
    fn pairs(&self, x: &[Dual<DMatrix<f64>>]) -> Option<Dual<DMatrix<f64>>>;
}

/// The matrices as variables of a tape, the function, and one sweep back.
fn sweep(f: &impl Function, x: &[DMatrix<f64>], computed: bool, tape: &mut Tape<f64>, cotangent: &[f64]) {
    tape.clear();
    let shaped = |x: &DMatrix<f64>| {
        let mut variables = tape.variables(x.as_slice());
        if computed {
            variables.iter_mut().for_each(|v| *v *= 3.0);
        }
        DMatrix::from_vec(x.nrows(), x.ncols(), variables)
    };
    let x: Vec<_> = x.iter().map(shaped).collect();
    let y = f.call(&x).unwrap();
    let results: Vec<_> = y.as_slice().iter().copied().zip(cotangent.iter().copied()).collect();
    black_box(tape.cotangents_of(&results));
}

fn workload(name: &str, f: &impl Function, x: &[DMatrix<f64>]) {
    let (one, eight): (Vec<_>, Vec<_>) = x.iter().map(|x| (dual(x), lanes(x))).unzip();
    let pairs: Vec<_> = one.iter().map(Dual::unzip).collect();
    let results = f.call(x).unwrap().len();
    let cotangent = numbers(results, 3);
    let (mut inputs, mut computed) = (Tape::new(), Tape::new());
    let mut cases: Vec<Case<'_>> = vec![
        ("f64", Box::new(|| _ = black_box(f.call(black_box(x))))),
        ("f64, nalgebra", Box::new(|| _ = black_box(f.elementwise(black_box(x))))),
        ("one tangent", Box::new(|| _ = black_box(f.call(black_box(&one))))),
        ("one tangent, nalgebra on duals", Box::new(|| _ = black_box(f.elementwise(black_box(&one))))),
        ("eight tangents", Box::new(|| _ = black_box(f.call(black_box(&eight))))),
        ("cotangents of inputs", Box::new(|| sweep(f, black_box(x), false, &mut inputs, &cotangent))),
        (
            "cotangents of computed entries",
            Box::new(|| sweep(f, black_box(x), true, &mut computed, &cotangent)),
        ),
    ];
    if f.pairs(&pairs).is_some() {
        cases.push(("one tangent, pair of matrices", Box::new(|| _ = black_box(f.pairs(black_box(&pairs))))));
    }
    compare(name, &mut cases);
}

/// A struct for a function: by the rules, and by nalgebra.
macro_rules! functions {
    ($($F:ident |$x:ident| $rule:expr, $elementwise:expr, $pairs:expr;)*) => {$(
        struct $F;
        impl Function for $F {
            fn call<T: Real<Base = f64>>(&self, $x: &[DMatrix<T>]) -> Result<DMatrix<T>, AdError> {
                Ok($rule)
            }
            fn elementwise<T: Real<Base = f64> + nalgebra::RealField>(&self, $x: &[DMatrix<T>]) -> DMatrix<T> {
                $elementwise
            }
            #[allow(unused_variables)] // of functions without this form
            fn pairs(&self, $x: &[Dual<DMatrix<f64>>]) -> Option<Dual<DMatrix<f64>>> {
                $pairs
            }
        }
    )*};
}
functions! {
    Solve |x| matrix::solve(&x[0], &x[1])?, x[0].clone().lu().solve(&x[1]).unwrap(), x[0].solve(&x[1]).ok();
    Product |x| matrix::matmul(&x[0], &x[1]), &x[0] * &x[1], Some(&x[0] * &x[1]);
    Inverse |x| matrix::inverse(&x[0])?, x[0].clone().try_inverse().unwrap(), None;
    Factor |x| matrix::cholesky(&x[0])?, x[0].clone().cholesky().unwrap().l(), None;
    Exponential |x| matrix::expm(&x[0])?, x[0].exp(), None;
    Determinant |x| one(matrix::det(&x[0])), one(x[0].determinant()), None;
    Eigen |x| {
        let e = matrix::symmetric_eigen(&x[0])?;
        joined(&e.eigenvectors, e.eigenvalues.as_slice())
    }, {
        let e = x[0].clone().symmetric_eigen();
        joined(&e.eigenvectors, e.eigenvalues.as_slice())
    }, None;
    Singular |x| {
        let s = matrix::svd(&x[0])?;
        joined(&s.u, [s.v_t.as_slice(), s.singular_values.as_slice()].concat().as_slice())
    }, {
        let s = x[0].clone().svd(true, true);
        joined(&s.u.unwrap(), [s.v_t.unwrap().as_slice(), s.singular_values.as_slice()].concat().as_slice())
    }, None;
}

/// Several results in one column.
fn joined<T: Real>(first: &DMatrix<T>, rest: &[T]) -> DMatrix<T> {
    DMatrix::from_vec(first.len() + rest.len(), 1, [first.as_slice(), rest].concat())
}

fn one<T: Real>(x: T) -> DMatrix<T> {
    OMatrix::from_element_generic(nalgebra::Dyn(1), nalgebra::Dyn(1), x)
}

fn main() {
    let chosen = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let wanted = |name: &String| chosen.as_ref().is_none_or(|c| name.contains(c.as_str()));
    for n in [2, 3, 4, 6, 8, 12, 25, 50, 100, 200] {
        let vector = || DMatrix::from_vec(n, 1, numbers(n, 5));
        let run = |name: &str| Some(format!("{name}, n = {n}")).filter(wanted);
        run("solve").inspect(|name| workload(name, &Solve, &[regular(n), vector()]));
        run("product").inspect(|name| workload(name, &Product, &[regular(n), definite(n)]));
        run("inverse").inspect(|name| workload(name, &Inverse, &[regular(n)]));
        run("cholesky").inspect(|name| workload(name, &Factor, &[definite(n)]));
        run("exponential").inspect(|name| workload(name, &Exponential, &[regular(n)]));
        run("determinant").inspect(|name| workload(name, &Determinant, &[regular(n)]));
        run("eigenvectors").inspect(|name| workload(name, &Eigen, &[definite(n)]));
        run("singular vectors").inspect(|name| workload(name, &Singular, &[regular(n)]));
    }
    if wanted(&"filter of two states".to_string()) {
        filter::run();
    }
    // The degree of the approximant depends on the norm.
    for (n, norm) in [4, 10, 50].into_iter().flat_map(|n| [(n, 1.0), (n, 20.0)]) {
        let a = regular(n);
        let a = &a * (norm / a.column_iter().map(|c| c.lp_norm(1)).fold(0.0, f64::max));
        let name = Some(format!("exponential of norm {norm}, n = {n}")).filter(wanted);
        name.inspect(|name| workload(name, &Exponential, &[a]));
    }
}
