//! Sparse Jacobians and Hessians of a prepared pattern, compared with echidna's drivers of a recorded tape.

use std::ops::{Add, Mul, Sub};

use echidna::BReverse;
use echidna::sparse::{JacobianSparsityPattern, SparsityPattern, column_coloring, greedy_coloring};
use wengert::{Function, Real, VectorFunction, sparse};

use crate::table::Table;

/// Tables at 10⁴ and 10⁵ variables.
pub fn tables() -> impl Iterator<Item = String> {
    [10_000, 100_000].into_iter().flat_map(|n| {
        let random = places(n);
        [
            banded(n),
            hessian("arrowhead", n, Energy::Arrow),
            hessian("Laplacian on a grid", n, Energy::Grid((n as f64).sqrt() as usize)),
            hessian("n random pairs", n, Energy::Pairs(random)),
        ]
    })
}

/// Pairs that are the same in each run.
fn places(n: usize) -> Vec<[usize; 2]> {
    let mut state = 1_u64;
    let mut place = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    (0..n).map(|_| [place(), place()]).collect()
}

fn point(n: usize) -> Vec<f64> {
    (0..n).map(|i| (1.7 * i as f64).sin()).collect()
}

/// The sum of functions of two variables.
enum Energy {
    Arrow,
    Grid(usize),
    Pairs(Vec<[usize; 2]>),
}

/// The operations that the numbers of both crates have.
trait Scalar: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn cosine(self) -> Self;
}

impl<T: Real<Base = f64>> Scalar for Ours<T> {
    fn cosine(self) -> Self {
        Ours(self.0.cos())
    }
}

impl Scalar for BReverse<f64> {
    fn cosine(self) -> Self {
        num_traits::Float::cos(self)
    }
}

/// A number of wengert.
#[derive(Clone, Copy)]
struct Ours<T>(T);

macro_rules! operators {
    ($($Op:ident $op:ident)*) => {$(
        impl<T: Real> $Op for Ours<T> {
            type Output = Self;
            fn $op(self, y: Self) -> Self {
                Ours($Op::$op(self.0, y.0))
            }
        }
    )*};
}
operators!(Add add Sub sub Mul mul);

/// The sum of some terms.
fn sum<T: Scalar>(terms: impl Iterator<Item = T>) -> T {
    terms.reduce(|a, b| a + b).expect("a term")
}

impl Energy {
    fn value<T: Scalar>(&self, x: impl Fn(usize) -> T, n: usize) -> T {
        let pair = |i: usize, j: usize| {
            let d = x(i) - x(j);
            d * d * x(i).cosine()
        };
        match self {
            Energy::Arrow => sum((1..n).map(|i| pair(i, 0))),
            Energy::Grid(side) => {
                let edges = (0..n).flat_map(|i| {
                    let right = (i % side + 1 < *side && i + 1 < n).then_some((i, i + 1));
                    let below = (i + side < n).then_some((i, i + side));
                    right.into_iter().chain(below)
                });
                sum(edges.map(|(i, j)| pair(i, j)))
            }
            Energy::Pairs(pairs) => sum(pairs.iter().map(|&[i, j]| pair(i, j))),
        }
    }
}

/// The largest number of variables for echidna's search for a pattern: beyond it the search needs more memory than
/// there is, one bit for each variable of each operation. Echidna then receives our pattern.
const MOST: usize = 10_000;

struct Of<'a>(&'a Energy);
impl Function for Of<'_> {
    fn call<T: wengert::Scalar>(&self, x: &[T]) -> T {
        self.0.value(|i| Ours(x[i]), x.len()).0
    }
}

fn hessian(name: &str, n: usize, energy: Energy) -> String {
    let x = point(n);
    let f = Of(&energy);
    let mut stars = sparse::Hessian::new(&f, &x).expect("a pattern");
    let mut acyclic = sparse::Hessian::by_substitution(&f, &x).expect("a pattern");
    let lower = |h: &nalgebra_sparse::CscMatrix<f64>, out: &mut Vec<f64>| {
        out.clear();
        out.extend(h.triplet_iter().filter(|(i, j, _)| i >= j).map(|(_, _, h)| *h));
    };
    let [mut g, mut of_less] = [(); 2].map(|()| vec![0.0; n]);
    let [mut of_stars, mut of_acyclic] = [(); 2].map(|()| stars.zeros());
    let mut want = Vec::new();
    stars.of_object(&f).at(&x, &mut g, &mut of_stars).expect("the pattern");
    lower(&of_stars, &mut want);
    let [lanes, fewer] = [stars.lanes(), acyclic.lanes()];
    let mut title = format!("Hessian of {n} variables, {name}: {lanes} lanes, by substitution {fewer}");
    // Its colouring of an arrowhead has a list of all variables for each.
    let theirs = (n <= MOST || !matches!(energy, Energy::Arrow)).then(|| {
        let (tape, _) = echidna::record(|x: &[BReverse<f64>]| energy.value(|i| x[i], x.len()), &x);
        let pattern = if n > MOST { given(stars.pattern()) } else { tape.detect_sparsity() };
        let (colours, count) = greedy_coloring(&pattern);
        title += &format!(", echidna {count} colours");
        // The lower triangle, in the order of echidna's rows.
        let mut places: Vec<usize> = (0..pattern.nnz()).collect();
        places.sort_by_key(|&k| (pattern.cols[k], pattern.rows[k]));
        move |x: &[f64], out: &mut Vec<f64>| {
            let (_, _, h) = tape.sparse_hessian_with_pattern(x, &pattern, &colours, count);
            out.clear();
            out.extend(places.iter().map(|&k| h[k]));
        }
    });
    let table = Table::new(title, &x[..], want)
        .primal(|x| energy.value(|i| Ours(x[i]), n).0)
        .case("wengert `sparse::Hessian::at`", |x, out: &mut Vec<f64>| {
            stars.of_object(&f).at(x, &mut g, &mut of_stars).expect("the pattern");
            lower(&of_stars, out);
        })
        .case("wengert, by substitution", |x, out| {
            acyclic.of_object(&f).at(x, &mut of_less, &mut of_acyclic).expect("the pattern");
            lower(&of_acyclic, out);
        });
    match theirs {
        Some(theirs) => table.case("echidna `sparse_hessian_with_pattern`", theirs).run(),
        None => table.run(),
    }
}

/// The lower triangle row by row: of a symmetric pattern, the columns up to the diagonal.
fn given(ours: &nalgebra_sparse::pattern::SparsityPattern) -> SparsityPattern {
    let entries = || ours.entries().filter(|(i, j)| i >= j);
    SparsityPattern {
        dim: ours.major_dim(),
        rows: entries().map(|(i, _)| i as u32).collect(),
        cols: entries().map(|(_, j)| j as u32).collect(),
    }
}

/// `rᵢ = Σ_{|i−j|≤2} (xᵢ − xⱼ)²·cos xᵢ`.
fn band<T: Scalar>(x: impl Fn(usize) -> T, n: usize, i: usize) -> T {
    sum((i.saturating_sub(2)..(i + 3).min(n)).map(|j| {
        let d = x(i) - x(j);
        d * d * x(i).cosine()
    }))
}

struct Band;
impl VectorFunction for Band {
    fn outputs(&self, n: usize) -> usize {
        n
    }
    fn call<T: wengert::Scalar>(&self, x: &[T], r: &mut [T]) {
        let n = x.len();
        (0..n).for_each(|i| r[i] = band(|j| Ours(x[j]), n, i).0);
    }
}

fn banded(n: usize) -> String {
    let x = point(n);
    let f = Band;
    let mut ours = sparse::Jacobian::new(&f, &x).expect("a pattern");
    let record = |x: &[BReverse<f64>]| (0..n).map(|i| band(|j| x[j], n, i)).collect();
    let (mut tape, _) = echidna::record_multi(record, &x);
    let pattern = if n > MOST {
        let entries = ours.pattern().entries();
        let (rows, cols) = entries.map(|(i, j)| (i as u32, j as u32)).unzip();
        JacobianSparsityPattern { num_outputs: n, num_inputs: n, rows, cols }
    } else {
        tape.detect_jacobian_sparsity()
    };
    let (colours, count) = column_coloring(&pattern);
    let mut places: Vec<usize> = (0..pattern.rows.len()).collect();
    places.sort_by_key(|&k| (pattern.rows[k], pattern.cols[k]));
    let (mut y, mut j) = (vec![0.0; n], ours.zeros());
    ours.of_object(&f).at(&x, &mut y, &mut j).expect("the pattern");
    let want = j.values().to_vec();
    let title =
        format!("Jacobian of {n} variables, 5 diagonals: {:?} lanes, echidna {count} colours", ours.lanes());
    Table::new(title, &x[..], want)
        .primal(|x| (0..n).map(|i| band(|j| Ours(x[j]), n, i).0).sum())
        .case("wengert `sparse::Jacobian::at`", |x, out: &mut Vec<f64>| {
            ours.of_object(&f).at(x, &mut y, &mut j).expect("the pattern");
            out.copy_from_slice(j.values());
        })
        .case("echidna `sparse_jacobian_with_pattern`", |x, out| {
            let (_, j) = tape.sparse_jacobian_with_pattern(x, &pattern, &colours, count, true);
            out.clear();
            out.extend(places.iter().map(|&k| j[k]));
        })
        .run()
}
