//! The conditioning of a row, which sets its limit, from the row's own matrices.

use nalgebra::{Complex, DMatrix};

use super::programs::Entries;
use super::rows::Row;
use crate::support::limits::Conditioning;

pub fn of(row: &Row) -> Conditioning {
    let a = &row.matrices("in")[0];
    let kappa = match row.op() {
        // No system is solved.
        "trace" | "dot" | "kron" | "norm_fro" | "norm_nuclear" | "norm_spectral" | "spec_exp" => 1.0,
        op if op.starts_with("matmul") => 1.0,
        // A singular matrix has a determinant all the same, by products of its entries.
        "det" if row.class() == "singular" => 1.0,
        "matpow" if row.number("k").is_some_and(|k| k >= 0.0) => 1.0,
        // |A| is the condition number of the exponential of a normal matrix.
        "expm" => a.norm().max(1.0),
        "lyapunov" => condition(&sum_of(a, &a.transpose())),
        "sylvester" => condition(&sum_of(a, &row.matrices("in")[1])),
        "tri_solve_unit_lower" | "tri_solve_unit_upper" => {
            let mut unit = triangle(row.op(), a);
            unit.fill_diagonal(Complex::from(1.0));
            condition(&unit)
        }
        op if op.starts_with("tri_solve") => condition(&triangle(op, a)),
        _ => row.number("cond").unwrap_or_else(|| condition(a)),
    };
    let gap = row.number("gap").unwrap_or_else(|| eigenvalue_gap(row));
    Conditioning { kappa, norm: a.norm(), gap }
}

/// `σ_max/σ_min`.
fn condition(a: &Entries) -> f64 {
    let values = a.clone().singular_values();
    values.max() / values.min()
}

fn triangle(op: &str, a: &Entries) -> Entries {
    if op.contains("lower") { a.lower_triangle() } else { a.upper_triangle() }
}

/// `I⊗A + Bᵀ⊗I`, the operator `X ↦ AX + XB`.
fn sum_of(a: &Entries, b: &Entries) -> Entries {
    let identity = |n| DMatrix::identity(n, n);
    identity(b.nrows()).kronecker(a) + b.transpose().kronecker(&identity(a.nrows()))
}

/// The least distance between two of the expected eigenvalues; 1 where the row has none, or one.
fn eigenvalue_gap(row: &Row) -> f64 {
    let Some(values) = row.matrix("out", "lambda") else { return 1.0 };
    let pairs = (0..values.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (values[i] - values[j]).norm()).reduce(f64::min).unwrap_or(1.0)
}
