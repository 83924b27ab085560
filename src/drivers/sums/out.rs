//! The results of a job.

use super::branch::Programs;
use super::request::Derivative;
use crate::error::AdError;
use crate::programs::rows::{LANES, Line};

/// The offsets of a piece's sums. The value is the first.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    /// Derivatives by the shared values, and their tangents.
    pub(super) values: usize,
    pub(super) tangents: usize,
    /// Second derivatives, products of rows, or the sums that several totals have as a factor.
    pub(super) second: usize,
    pub(super) len: usize,
}

impl Sums {
    pub(super) fn of(programs: &Programs, derivative: Derivative) -> Self {
        let count = programs.split.shared.outputs();
        let values = 1;
        let tangents = values + if derivative.has_gradient() { count } else { 0 };
        let second = tangents + if derivative == Derivative::Hvp { count } else { 0 };
        let more = match derivative {
            Derivative::Hessian => programs.pairs.iter().map(|&pair| pair_len(programs, pair)).sum(),
            Derivative::Squares => programs.split.shared.inputs().pow(2),
            _ => programs.factors[derivative as usize].sums,
        };
        Sums { values, tangents, second, len: second + more }
    }
}

/// The number of shared values in an inner input of a row.
pub(super) fn inner_len(programs: &Programs, i: u32) -> usize {
    match (i as usize).checked_sub(programs.split.direct.len()) {
        None => 1,
        Some(form) => programs.split.forms[form].entries.len(),
    }
}

/// The numbers for a pair of inner inputs.
pub(super) fn pair_len(programs: &Programs, (i, j): (u32, u32)) -> usize {
    inner_len(programs, i) * inner_len(programs, j)
}

/// The results of a job: sums of its pieces, and numbers of its rows.
#[derive(Default)]
pub(super) struct JobOutput {
    /// Piece and branch, and the beginning of their sums.
    pub(super) heads: Vec<(u32, u32, usize)>,
    pub(super) sums: Vec<f64>,
    /// Derivatives with respect to the rows' own parameters, and their tangents.
    pub(super) places: Vec<[u32; LANES]>,
    pub(super) own: Vec<Line>,
    pub(super) own_tangents: Vec<Line>,
    /// Rows, and the entries that are kept of each row.
    pub(super) rows: Vec<u32>,
    pub(super) entries: Vec<f64>,
    /// The value of rows without a program, and derivatives and tangents of parameters.
    pub(super) value: f64,
    pub(super) loose: Vec<(u32, [f64; 2])>,
    /// Runs, and the entries of shared parameters that rows without a program add.
    pub(super) runs: Vec<u32>,
    pub(super) of_runs: Vec<f64>,
    /// Rows that take another branch: piece, and row in it.
    pub(super) failed: Vec<(u32, u16)>,
    pub(super) error: Option<AdError>,
}

impl JobOutput {
    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.sums.clear();
        self.places.clear();
        self.own.clear();
        self.own_tangents.clear();
        self.rows.clear();
        self.entries.clear();
        self.value = -0.0; // adding it changes no number, not even −0
        self.loose.clear();
        self.runs.clear();
        self.of_runs.clear();
        self.failed.clear();
        self.error = None;
    }
}
