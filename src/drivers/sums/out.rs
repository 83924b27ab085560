//! The results of a job.

use super::branch::Programs;
use super::request::{Derivative, Request};
use crate::error::AdError;
use crate::programs::rows::{LANES, Line};

/// Where the parts of a piece's sums begin: after the value, which is the first.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    /// Derivatives by the shared values, and their tangents.
    pub(super) values: usize,
    pub(super) tangents: usize,
    /// Second derivatives, or products of rows.
    pub(super) second: usize,
    pub(super) len: usize,
}

impl Sums {
    pub(super) fn of(programs: &Programs, request: &Request<'_>) -> Self {
        let count = programs.split.shared.outputs();
        let values = 1;
        let tangents = values + if request.derivative == Derivative::Value { 0 } else { count };
        let second = tangents + if request.derivative == Derivative::Hvp { count } else { 0 };
        let squares = match request.derivative {
            Derivative::Hessian => programs.pairs.iter().map(|&pair| pair_len(programs, pair)).sum(),
            Derivative::Jacobian if request.squares => programs.split.shared.inputs().pow(2),
            _ => 0,
        };
        Sums { values, tangents, second, len: second + squares }
    }
}

/// How many shared values an inner input of a row is made of.
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
pub(super) struct Out {
    /// Piece and branch, and where their sums begin.
    pub(super) heads: Vec<(u32, u32, usize)>,
    pub(super) sums: Vec<f64>,
    /// Derivatives by the rows' own parameters, and their tangents.
    pub(super) places: Vec<[u32; LANES]>,
    pub(super) own: Vec<Line>,
    pub(super) own_tangents: Vec<Line>,
    /// Rows, and the numbers that are kept of each.
    pub(super) rows: Vec<u32>,
    pub(super) entries: Vec<f64>,
    /// Rows by themselves: piece, place in it, results.
    pub(super) alone: Vec<(u32, u16, AtRow)>,
    /// Rows that take another branch: piece, and place in it.
    pub(super) failed: Vec<(u32, u16)>,
    pub(super) error: Option<AdError>,
}

impl Out {
    pub(super) fn clear(&mut self) {
        let Out { heads, sums, places, own, own_tangents, rows, entries, alone, failed, error } = self;
        heads.clear();
        sums.clear();
        places.clear();
        own.clear();
        own_tangents.clear();
        rows.clear();
        entries.clear();
        alone.clear();
        failed.clear();
        *error = None;
    }
}

/// What a row gives by itself.
#[derive(Default)]
pub(super) struct AtRow {
    pub(super) value: f64,
    /// By the parameters of the row's list.
    pub(super) gradient: Vec<f64>,
    pub(super) tangents: Vec<f64>,
    /// What a target takes for a run and for a row.
    pub(super) of_run: Vec<f64>,
    pub(super) of_row: Vec<f64>,
}
