//! The rows of a sum in memory: sorted into runs that share parameters, each run cut into blocks of sixteen.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use super::table::Table;
use crate::error::AdError;
use crate::programs::rows::{LANES, Line, Lines};

/// The largest number of rows of a piece. Sums are formed one piece after another, in a fixed order.
const PIECE: usize = 64 * LANES;

/// The owner of entries of a matrix.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    Run(usize),
    Row(usize),
}

/// Consecutive rows of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayoutPiece {
    pub(super) run: u32,
    pub(super) first_row: u32,
    pub(super) rows: u32,
    pub(super) first_block: u32,
}

impl LayoutPiece {
    pub(super) fn blocks(&self) -> usize {
        (self.rows as usize).div_ceil(LANES)
    }
}

/// The rows of a sum, in the order of evaluation.
pub(super) struct SumLayout {
    pub(super) width: usize,
    pub(super) count: usize,
    /// The parameters that each row reads; one list if all rows read the same.
    reads: Vec<u32>,
    /// How many a row reads.
    pub(super) places: usize,
    /// Which of them are the same within a run.
    pub(super) is_shared: Vec<bool>,
    pub(super) shared: Vec<usize>,
    pub(super) own: Vec<usize>,
    /// The user's number of each row; empty if it is the same.
    order: Vec<u32>,
    /// The columns of the data, block after block.
    pub(super) all_columns: Lines,
    /// The row's own parameters, block after block.
    pub(super) all_own_places: Vec<[u32; LANES]>,
    /// The first row of each run: rows of a run share the values of some parameters.
    pub(super) runs: Vec<u32>,
    pub(super) pieces: Vec<LayoutPiece>,
    /// Pieces that are evaluated together.
    pub(super) jobs: Vec<Range<usize>>,
    /// Whether no row reads a parameter twice.
    pub(super) is_distinct: bool,
    /// The indices of a row's list, by the parameters of the first row: the columns of a Jacobian.
    pub(super) ascending: Vec<usize>,
}

/// The group of each key, where equal keys are one group, and the number of groups. Groups are numbered in the order of
/// their first keys. `None` if there are more than `most`.
fn grouped<K: Eq + Hash>(keys: impl Iterator<Item = K>, most: usize) -> Option<(Vec<u32>, usize)> {
    let mut numbers = HashMap::new();
    let mut groups = Vec::new();
    for key in keys {
        let next = numbers.len() as u32;
        groups.push(*numbers.entry(key).or_insert(next));
        if numbers.len() > most {
            return None;
        }
    }
    Some((groups, numbers.len()))
}

/// The parameters that each row reads, row after row, and how many a row reads. The result is one list if the table
/// has none.
fn lists<'t>(
    op: &'static str,
    parameters: usize,
    table: &'t Table<'_>,
) -> Result<(Cow<'t, [u32]>, usize), AdError> {
    let all = index(op, "parameters", parameters)?;
    let Some(reads) = &table.reads else { return Ok(((0..all).collect(), parameters)) };
    if let Some((row, other)) = reads.other {
        AdError::check_len(op, "list of parameters", reads.of_row, other).map_err(|e| e.in_row(row))?;
    }
    if let Some(at) = reads.places.iter().position(|&place| place >= all) {
        let least = (reads.places[at] as usize).saturating_add(1);
        let few = AdError::TooFew { op, what: "parameters", least, got: parameters };
        return Err(few.in_row(at / reads.of_row));
    }
    Ok((Cow::Borrowed(&reads.places), reads.of_row))
}

/// Which parameters change so seldom from row to row that runs of rows share them, and the run of each row.
///
/// The parameters that take the fewest values come first. A parameter is shared if the number of runs is then no
/// larger than the number of blocks.
fn runs(reads: &[u32], places: usize, count: usize) -> (Vec<bool>, Vec<u32>) {
    let most = (count / LANES).max(1);
    let of = |j: usize| (0..count).map(move |row| reads[row * places + j]);
    let values: Vec<Option<usize>> = (0..places).map(|j| Some(grouped(of(j), most)?.1)).collect();
    let mut seldom: Vec<usize> = (0..places).filter(|&j| values[j].is_some()).collect();
    seldom.sort_by_key(|&j| values[j]);
    let (mut is_shared, mut groups) = (vec![false; places], vec![0; count]);
    for j in seldom {
        if let Some((joint, _)) = grouped(groups.iter().copied().zip(of(j)), most) {
            (groups, is_shared[j]) = (joint, true);
        }
    }
    (is_shared, groups)
}

/// The first row of each group, and at the end the number of rows; and the order that sorts the rows, empty if they are
/// sorted.
fn sorted(groups: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let last = groups.iter().max().map_or(0, |&last| last as usize + 1);
    let mut starts = vec![0_u32; last + 1];
    groups.iter().for_each(|&group| starts[group as usize + 1] += 1);
    (0..last).for_each(|group| starts[group + 1] += starts[group]);
    if groups.is_sorted() {
        return (starts, Vec::new());
    }
    let (mut next, mut order) = (starts.clone(), vec![0; groups.len()]);
    for (row, &group) in (0..).zip(groups) {
        order[next[group as usize] as usize] = row;
        next[group as usize] += 1;
    }
    (starts, order)
}

impl SumLayout {
    /// The rows of a table, sorted into runs. All parameters are shared if all rows read the same, or if there is one row.
    pub(super) fn new(op: &'static str, parameters: usize, table: &Table<'_>) -> Result<Self, AdError> {
        let (count, width) = (table.count(), table.width());
        let (reads, places) = lists(op, parameters, table)?;
        index(op, "rows", count)?;
        let is_one_list = table.reads.is_none() && count != 1;
        let (is_shared, groups) = if is_one_list || count <= 1 {
            (vec![true; places], vec![0; count])
        } else {
            runs(&reads, places, count)
        };
        let (starts, order) = sorted(&groups);
        let [shared, own] =
            [true, false].map(|shared| (0..places).filter(|&j| is_shared[j] == shared).collect());
        let mut layout = SumLayout {
            width,
            count,
            places,
            is_shared,
            shared,
            own,
            order,
            reads: Vec::new(),
            all_columns: Lines::default(),
            all_own_places: Vec::new(),
            runs: Vec::new(),
            pieces: Vec::new(),
            jobs: Vec::new(),
            is_distinct: true,
            ascending: (0..places).collect(),
        };
        layout.cut(&starts);
        layout.fill(table, &reads, is_one_list);
        Ok(layout)
    }
    /// Runs, pieces and jobs of rows from each start on.
    fn cut(&mut self, starts: &[u32]) {
        let (mut block, mut rows_of_job) = (0, usize::MAX);
        for (run, bounds) in (0..).zip(starts.windows(2)) {
            self.runs.push(bounds[0]);
            for first_row in (bounds[0]..bounds[1]).step_by(PIECE) {
                let rows = (bounds[1] - first_row).min(PIECE as u32);
                let piece = LayoutPiece { run, first_row, rows, first_block: block };
                block += piece.blocks() as u32;
                let (at, rows) = (self.pieces.len(), LANES * piece.blocks());
                if rows_of_job.saturating_add(rows) > PIECE {
                    self.jobs.push(at..at);
                    rows_of_job = 0;
                }
                rows_of_job += rows;
                self.jobs.last_mut().expect("it has been pushed").end = at + 1;
                self.pieces.push(piece);
            }
        }
    }
    fn fill(&mut self, table: &Table<'_>, reads: &[u32], is_one_list: bool) {
        let blocks = self.blocks();
        let mut columns = Lines::zeros(blocks * self.width);
        let mut own_places = Vec::with_capacity(blocks * self.own.len());
        let list = |row: usize| if is_one_list { reads } else { &reads[row * self.places..][..self.places] };
        for piece in &self.pieces {
            for b in 0..piece.blocks() {
                let last = piece.rows as usize - 1;
                let rows: [usize; LANES] = std::array::from_fn(|lane| {
                    self.row(piece.first_row as usize + (LANES * b + lane).min(last))
                });
                let start = (piece.first_block as usize + b) * self.width;
                for (c, line) in columns.get_mut()[start..start + self.width].iter_mut().enumerate() {
                    *line = rows.map(|row| table.get(row, c));
                }
                own_places.extend(self.own.iter().map(|&j| rows.map(|row| list(row)[j])));
            }
        }
        if is_one_list {
            self.reads = reads.to_vec();
        } else {
            self.reads = (0..self.count).flat_map(|row| list(self.row(row)).iter().copied()).collect();
        }
        let repeats =
            |list: &[u32]| list.len() > LONG || (0..list.len()).any(|l| list[..l].contains(&list[l]));
        self.is_distinct = is_one_list || !self.reads.chunks(self.places.max(1)).any(repeats);
        (self.all_columns, self.all_own_places) = (columns, own_places);
        if self.count > 0 {
            let first = self.reads(0).to_vec();
            self.ascending.sort_by_key(|&j| first[j]);
        }
    }
    /// The user's number of a row.
    pub(super) fn row(&self, row: usize) -> usize {
        self.order.get(row).map_or(row, |&row| row as usize)
    }
    /// The parameters that a row reads.
    pub(super) fn reads(&self, row: usize) -> &[u32] {
        if self.reads.len() == self.places {
            &self.reads
        } else {
            &self.reads[row * self.places..][..self.places]
        }
    }
    /// The parameters of a run's or a row's entries: the indices that pair with all of the second list, and this list.
    pub(super) fn lists(&self, of: Owner) -> (&[usize], &[usize]) {
        match of {
            Owner::Run(_) => (&[], &self.shared),
            Owner::Row(_) => (&self.shared, &self.own),
        }
    }
    /// The columns of a block.
    pub(super) fn columns(&self, block: usize) -> &[Line] {
        &self.all_columns.get()[block * self.width..][..self.width]
    }
    /// The own parameters of a block's rows.
    pub(super) fn own_places(&self, block: usize) -> &[[u32; LANES]] {
        &self.all_own_places[block * self.own.len()..][..self.own.len()]
    }
    /// The shared parameters of a run.
    pub(super) fn shared_places(&self, run: usize) -> impl Iterator<Item = u32> + '_ {
        let reads = self.reads(self.runs[run] as usize);
        self.shared.iter().map(move |&j| reads[j])
    }
    /// The blocks of all pieces.
    pub(super) fn blocks(&self) -> usize {
        self.pieces.last().map_or(0, |last| last.first_block as usize + last.blocks())
    }
    /// The data of a row of a piece.
    pub(super) fn row_data(&self, piece: &LayoutPiece, row: usize) -> impl Iterator<Item = f64> + '_ {
        let columns = self.columns(piece.first_block as usize + row / LANES);
        columns.iter().map(move |line| line[row % LANES])
    }
}

/// Longer lists are not searched for repeated parameters; they are treated as if they had some.
const LONG: usize = 64;

/// The number as an index; an error if there are more of these than indices.
pub(super) fn index(op: &'static str, what: &'static str, count: usize) -> Result<u32, AdError> {
    u32::try_from(count).map_err(|_| AdError::TooMany { op, what, most: u32::MAX as usize, got: Some(count) })
}
