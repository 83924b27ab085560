//! The programs of one branch of a term.

use super::eager::TracedTerm;
use super::layout::SumLayout;
use super::request::Derivative;
use crate::error::AdError;
use crate::programs::rows::{
    CallMemory, Lines, RowDerivatives, RowForm, RowSplit, Segment, SharedFactors, SharedNumbers, Sharing,
    Slopes, TermResults, at_rows, at_rows_with, curvature, gradient, hvp, jacobian, second_order, split,
    value,
};
use crate::programs::{Executable, GuardCondition, Program, Traced, trace};

/// A branch of the term, with the programs of the rows that take it.
pub(super) struct Branch {
    program: Program,
    pub(super) results: TermResults,
    /// Whether a value that depends on parameters has left the program of a row: it is then right at one point only.
    pub(super) is_pinned: bool,
    /// With linear forms, and without the conventions at singular points. If a result is not finite, the other
    /// programs are used.
    fast: Programs,
    exact: Option<Programs>,
}

/// The parts of a program, and their derivatives.
pub(super) struct Programs {
    pub(super) split: RowSplit,
    pub(super) results: TermResults,
    is_exact: bool,
    /// The indices of the shared values among the shared parameters, if all shared values are parameters.
    pub(super) picked: Option<Vec<u32>>,
    pub(super) shared: Executable,
    /// The coefficients of forms: in columns of the table, and in derived ones.
    pub(super) forms: [Vec<Segment>; 2],
    /// The derived columns, block after block.
    pub(super) derived: Lines,
    pub(super) rows: [Option<Executable>; 6],
    /// The totals that are a shared number times a sum over the rows, for each of `rows`.
    pub(super) factors: [SharedFactors; 6],
    pub(super) shared_vjp: Option<Executable>,
    pub(super) shared_jvp: Option<Executable>,
    pub(super) shared_hvp: Option<Executable>,
    /// Partials of the shared values, and the coefficients of their forms as in `forms`.
    pub(super) slopes: Option<(Slopes, Executable, [Vec<Segment>; 2])>,
    /// Second derivatives of the shared values, with rows and columns.
    pub(super) curvature: Option<(Executable, Vec<(u32, u32)>)>,
    /// Pairs of inner inputs with second derivatives.
    pub(super) pairs: Vec<(u32, u32)>,
}

impl Branch {
    /// The branch that a term takes at a point and a row of data.
    pub(super) fn of(term: &TracedTerm<'_>, layout: &SumLayout, point: &[f64]) -> Result<Self, AdError> {
        let mut results = TermResults { residuals: 0, is_robust: false };
        let recorded = |z: &[Traced]| {
            let mut out = Vec::new();
            results = term(&z[..layout.places], &z[layout.places..], &mut out);
            out
        };
        let program = trace(recorded, point);
        let fast = Programs::of(&program, results, layout, false);
        let is_pinned = fast.is_pinned();
        Ok(Branch { program, results, is_pinned, fast, exact: None })
    }
    pub(super) fn programs(&self, exact: bool) -> &Programs {
        match &self.exact {
            Some(programs) if exact => programs,
            _ => &self.fast,
        }
    }
    /// Makes the programs that a derivative needs.
    pub(super) fn demand(
        &mut self,
        layout: &SumLayout,
        derivative: Derivative,
        exact: bool,
    ) -> Result<(), AdError> {
        if !exact {
            return self.fast.demand(layout, derivative);
        }
        let make = || Programs::of(&self.program, self.results, layout, true);
        self.exact.get_or_insert_with(make).demand(layout, derivative)
    }
}

impl Programs {
    /// Whether a value that depends on parameters has left the program of a row: it is then right at one point only. An
    /// integer is a choice of branches, as a comparison is.
    fn is_pinned(&self) -> bool {
        let (row, active) = (&self.split.row, self.split.active());
        let is_column = |v: u32| (active..row.inputs()).contains(&(v as usize));
        let leaves = |c: GuardCondition| matches!(c, GuardCondition::Value(v) if !is_column(v));
        let mut left =
            row.code().guards.iter().map(|guard| guard.condition).filter(|&c| leaves(c)).peekable();
        left.peek().is_some() && {
            let integers = row.integers();
            left.any(|c| c.operands().any(|v| !integers[v as usize]))
        }
    }
    fn of(program: &Program, results: TermResults, layout: &SumLayout, is_exact: bool) -> Self {
        let mut of_row = split(program, &layout.is_shared, layout.width, !is_exact);
        if !is_exact && !coefficients_are_safe(&of_row, layout) {
            of_row = split(program, &layout.is_shared, layout.width, false);
        }
        let derived = derived_columns(&of_row.derived, layout);
        Programs {
            results,
            is_exact,
            picked: of_row.picked(),
            shared: at_rows(&of_row.shared),
            forms: segments(&of_row.forms, layout.width as u32),
            derived,
            split: of_row,
            rows: [const { None }; 6],
            factors: Default::default(),
            shared_vjp: None,
            shared_jvp: None,
            shared_hvp: None,
            slopes: None,
            curvature: None,
            pairs: Vec::new(),
        }
    }
    /// The program of a derivative at rows: without the conventions at singular points, if it need not be exact and the
    /// results can show afterwards where they would matter.
    fn row_program(&mut self, mut program: Program, derivative: Derivative) -> Executable {
        let plain = if self.is_exact { None } else { program.without_strong_zeros() };
        program = plain.or_else(|| program.with_products()).unwrap_or(program);
        let mut sharing = self.sharing(&program, derivative);
        if !self.is_exact && matches!(derivative, Derivative::Gradient | Derivative::Hvp) {
            let kinds = if derivative == Derivative::Hvp { 2 } else { 1 };
            let totals = kinds * self.split.shared.outputs() as u32;
            self.factors[derivative as usize] = SharedFactors::take(&mut program, &mut sharing, totals);
        }
        at_rows_with(&program, &sharing)
    }
    /// The inputs that rows share: the shared values that they read directly, then the tangents or partials of these.
    /// Totals are the derivatives by all shared values, then the tangents of these.
    fn sharing(&self, program: &Program, derivative: Derivative) -> Sharing {
        let (of_row, behind) = (&self.split, self.split.row.inputs());
        let direct = of_row.direct.len();
        let mut sharing =
            Sharing { scalars: vec![None; program.inputs()], totals: vec![None; program.outputs()] };
        let more = match &self.slopes {
            Some((slopes, ..)) if derivative.reads_slopes() => slopes.read.len(),
            _ if derivative == Derivative::Hvp => direct,
            _ => 0,
        };
        for (number, i) in (0..direct).chain(behind..behind + more).enumerate() {
            sharing.scalars[i] = Some(number as u32);
        }
        if derivative.has_gradient() {
            let tangents = 1 + of_row.active();
            for (i, &h) in of_row.direct.iter().enumerate() {
                sharing.totals[1 + i] = Some(h);
                if derivative == Derivative::Hvp {
                    sharing.totals[tangents + i] = Some(of_row.shared.outputs() as u32 + h);
                }
            }
        }
        sharing
    }
    fn demand(&mut self, layout: &SumLayout, derivative: Derivative) -> Result<(), AdError> {
        if self.rows[derivative as usize].is_some() {
            return Ok(());
        }
        let (of_row, results) = (&self.split, self.results);
        let is_picked = self.picked.is_some();
        if derivative.has_gradient() && self.shared_vjp.is_none() && !is_picked {
            self.shared_vjp = Some(at_rows(&of_row.shared.vjp()?));
        }
        let program = match derivative {
            Derivative::Value => value(of_row, results),
            Derivative::Gradient => gradient(of_row, results)?,
            Derivative::Hvp => {
                if !is_picked {
                    self.shared_jvp = Some(at_rows(&of_row.shared.jvp()?));
                    self.shared_hvp = Some(at_rows(&of_row.shared.vjp()?.jvp()?));
                }
                hvp(of_row, results)?
            }
            Derivative::Hessian => {
                let second = second_order(of_row, results)?;
                if !is_picked {
                    let (program, places) = curvature(of_row)?;
                    self.curvature = Some((at_rows(&program), places));
                }
                self.with_slopes(layout, second)
            }
            Derivative::Squares | Derivative::Jacobian => {
                // Squares are of shared parameters before own ones.
                let place = |j: &usize| layout.shared.iter().chain(&layout.own).position(|i| i == j);
                let columns = (derivative == Derivative::Jacobian)
                    .then(|| layout.ascending.iter().filter_map(place).collect());
                let rows = jacobian(of_row, results, columns)?;
                self.with_slopes(layout, rows)
            }
        };
        self.rows[derivative as usize] = Some(self.row_program(program, derivative));
        Ok(())
    }
    /// The program of derivatives that read the partials of shared values.
    fn with_slopes(&mut self, layout: &SumLayout, rows: RowDerivatives) -> Program {
        let RowDerivatives { program, slopes, pairs } = rows;
        let forms = segments(&slopes.forms, layout.width as u32);
        self.pairs = pairs;
        let executable = at_rows(&slopes.program);
        self.slopes = Some((slopes, executable, forms));
        program
    }
    pub(super) fn row(&self, derivative: Derivative) -> &Executable {
        self.rows[derivative as usize].as_ref().expect("it has been demanded")
    }
}

/// The values of derived columns at all rows.
fn derived_columns(program: &Program, layout: &SumLayout) -> Lines {
    let (count, blocks) = (program.outputs(), layout.blocks());
    let mut derived = Lines::zeros(blocks * count);
    if count > 0 {
        let program = at_rows(program);
        let (mut numbers, mut calls) = (Lines::zeros(program.slots()), CallMemory::default());
        let numbers = numbers.get_mut();
        for (block, to) in derived.get_mut().chunks_mut(count).enumerate() {
            program.prepare(numbers);
            numbers[..layout.width].copy_from_slice(layout.columns(block));
            program.run_slots(numbers, &mut calls, SharedNumbers::default());
            to.iter_mut().zip(&program.outputs).for_each(|(to, &y)| *to = numbers[y as usize]);
        }
    }
    derived
}

/// Whether coefficients that are products of data, and their factors, have not left the range. The term itself, which
/// multiplies in another order, might stay in range.
fn coefficients_are_safe(split: &RowSplit, layout: &SumLayout) -> bool {
    let (all, count) = (derived_columns(&split.composed, layout), split.composed.outputs());
    (0..layout.blocks()).all(|block| {
        let columns = layout.columns(block);
        all.get()[block * count..][..count].iter().all(|values| {
            values.iter().enumerate().all(|(lane, x)| match x.abs() {
                0.0 => columns.iter().any(|column| column[lane] == 0.0),
                x => (1e-150..1e150).contains(&x),
            })
        })
    })
}

/// The coefficients of all forms, cut where neighbours are no longer neighbours.
fn segments(forms: &[RowForm], width: u32) -> [Vec<Segment>; 2] {
    let mut all = [Vec::<Segment>::new(), Vec::new()];
    for (form, entries) in (0..).zip(forms.iter().map(|form| &form.entries)) {
        for &(h, column) in entries {
            let is_derived = column >= width;
            let list = &mut all[usize::from(is_derived)];
            let column = if is_derived { column - width } else { column };
            match list.last_mut() {
                Some(s) if s.form == form && s.h + s.len == h && s.column + s.len == column => s.len += 1,
                _ => list.push(Segment { form, h, column, len: 1 }),
            }
        }
    }
    all
}
