//! Rows without a program: a value leaves the program, or branches are too many.
//!
//! These rows run on short tapes, many rows on one, which is swept once for all of them. A closure at traced numbers is
//! traced again at each such row and each call.

use super::eager::{Eager, Retraced, TermAt};
use super::layout::LayoutPiece;
use super::loss::Correction;
use super::out::JobOutput;
use super::part::SumPart;
use super::request::{Derivative, Request, RequestedDirection};
use crate::duals::Dual;
use crate::error::AdError;
use crate::number::{Number, Real};
use crate::tapes::{ChunkLimit, Tape, Var};

/// Rows of a piece, and their term.
struct AloneRows<'r, 'a> {
    part: &'r SumPart<'a>,
    term: &'r dyn Eager,
    piece: LayoutPiece,
    rows: &'r [u16],
    p: &'r [f64],
}

/// Rows on one tape. Its first inputs are parameters that the rows share.
struct Taped<'t, T: Real> {
    tape: Tape<T>,
    rows: &'t [u16],
    /// The first node of each row's own inputs.
    firsts: Vec<usize>,
    /// The results of the rows, row after row.
    results: Vec<Var<T>>,
}

impl SumPart<'_> {
    /// Runs rows of a piece by themselves.
    #[cold]
    pub(super) fn run_alone(
        &self,
        number: usize,
        rows: &[u16],
        request: &Request<'_>,
        out: &mut JobOutput,
    ) -> Result<(), AdError> {
        let (places, residuals) = (self.layout.places, self.branches[0].results.residuals);
        let retraced = Retraced { term: &*self.term.traced, places, residuals };
        let term = self.term.eager.as_deref().unwrap_or(&retraced);
        let rows = AloneRows { part: self, term, piece: self.layout.pieces[number], rows, p: request.p };
        match (request.derivative, request.direction) {
            (Derivative::Value, _) => rows.value(out),
            (Derivative::Gradient, _) => rows.gradient(out),
            (Derivative::Hvp, RequestedDirection::Along(v)) => rows.along(v, out),
            (Derivative::Hvp, RequestedDirection::Place(place)) => rows.column(place, out),
            (Derivative::Hessian, _) => rows.hessian(out),
            (Derivative::Squares, _) => rows.jacobian(true, out),
            (Derivative::Jacobian, _) => rows.jacobian(false, out),
        }
    }
    fn correction(&self, r: &[f64]) -> Correction {
        match &self.term.loss {
            Some(loss) => loss(r),
            None => {
                let value = r.iter().map(|r| r * r).sum::<f64>() / 2.0;
                Correction { value, slope: 1.0, root: 1.0, by: 0.0 }
            }
        }
    }
    /// The value of rows with these results, and the weight of each result in the gradient.
    fn weighted(&self, results: &[f64]) -> (f64, Vec<f64>) {
        let (mut weights, m) = (vec![1.0; results.len()], self.branches[0].results.residuals);
        if m == 0 {
            return (results.iter().sum(), weights);
        }
        let mut sum = 0.0;
        for (r, weights) in results.chunks(m).zip(weights.chunks_mut(m)) {
            let Correction { value, slope, .. } = self.correction(r);
            sum += value;
            weights.iter_mut().zip(r).for_each(|(w, r)| *w = slope * r);
        }
        (sum, weights)
    }
}

impl AloneRows<'_, '_> {
    fn row(&self, row: u16) -> usize {
        self.piece.first_row as usize + usize::from(row)
    }
    fn reads(&self, row: u16) -> &[u32] {
        self.part.layout.reads(self.row(row))
    }
    /// The error with the user's number of the row.
    #[cold]
    fn named(&self, row: u16, error: AdError) -> AdError {
        error.in_row(self.part.layout.row(self.row(row)))
    }
    /// Records rows until a tape is long enough, and shows it. `input` gives the value of the parameter at an index of
    /// the list.
    fn on_tapes<T: Real<Base = f64>>(
        &self,
        term: &(impl TermAt<Var<T>> + ?Sized),
        [shared, own]: [&[usize]; 2],
        input: impl Fn(usize, u32) -> T,
        mut show: impl FnMut(&Taped<'_, T>),
    ) -> Result<(), AdError> {
        let layout = &self.part.layout;
        let mut rest = self.rows;
        let mut z = vec![Var::constant(T::lit(0.0)); layout.places + layout.width];
        while !rest.is_empty() {
            let tape = Tape::with_inputs(shared.len());
            let reads = self.reads(rest[0]);
            (0..).zip(shared).for_each(|(node, &j)| z[j] = tape.input(input(j, reads[j]), node));
            let (mut firsts, mut results) = (Vec::new(), Vec::new());
            let mut limit = ChunkLimit::new(shared.len());
            for &row in rest {
                let reads = self.reads(row);
                let first = if own.is_empty() { 0 } else { tape.add_inputs(own.len()) as usize };
                (first..).zip(own).for_each(|(node, &j)| z[j] = tape.input(input(j, reads[j]), node));
                let data = layout.row_data(&self.piece, usize::from(row));
                z[layout.places..].iter_mut().zip(data).for_each(|(z, d)| *z = Var::constant(T::lit(d)));
                term.at(&z, &mut results).map_err(|e| self.named(row, e))?;
                firsts.push(first);
                if limit.is_full(&tape) {
                    break;
                }
            }
            let (rows, later) = rest.split_at(firsts.len());
            show(&Taped { tape, rows, firsts, results });
            rest = later;
        }
        Ok(())
    }
    fn value(&self, out: &mut JobOutput) -> Result<(), AdError> {
        let (mut z, mut results) = (Vec::new(), Vec::new());
        for &row in self.rows {
            z.clear();
            z.extend(self.reads(row).iter().map(|&i| self.p[i as usize]));
            z.extend(self.part.layout.row_data(&self.piece, usize::from(row)));
            self.term.at(&z, &mut results).map_err(|e| self.named(row, e))?;
        }
        out.value += self.part.weighted(&results).0;
        Ok(())
    }
    /// Records the rows, with shared parameters once on each tape; sweeps each tape; shows the cotangents of the shared
    /// parameters, and then of the own parameters of each row.
    fn swept<T: Real<Base = f64>>(
        &self,
        term: &(impl TermAt<Var<T>> + ?Sized),
        input: impl Fn(usize, u32) -> T,
        value: &mut f64,
        mut show: impl FnMut(Option<u16>, &[T]),
    ) -> Result<(), AdError> {
        let layout = &self.part.layout;
        self.on_tapes(term, [&layout.shared, &layout.own], input, |taped| {
            let results: Vec<f64> = taped.results.iter().map(|y| y.primal()).collect();
            let (sum, weights) = self.part.weighted(&results);
            *value += sum;
            let seeds = taped.results.iter().zip(&weights).map(|(&y, &w)| (y, [T::lit(w)]));
            taped.tape.pull(seeds, |cotangents| {
                let cotangents = cotangents.as_flattened();
                show(None, &cotangents[..layout.shared.len()]);
                let rows = if layout.own.is_empty() { &[] } else { taped.rows };
                for (&row, &first) in rows.iter().zip(&taped.firsts) {
                    show(Some(row), &cotangents[first..][..layout.own.len()]);
                }
            });
        })
    }
    fn gradient(&self, out: &mut JobOutput) -> Result<(), AdError> {
        let JobOutput { value, loose, .. } = out;
        self.swept(
            self.term,
            |_, i| self.p[i as usize],
            value,
            |row, cotangents| {
                loose.extend(self.places(row).zip(cotangents).map(|(place, &x)| (place, [x, 0.0])));
            },
        )
    }
    fn along(&self, v: &[f64], out: &mut JobOutput) -> Result<(), AdError> {
        let JobOutput { value, loose, .. } = out;
        let input = |_, i: u32| Dual::new(self.p[i as usize], v[i as usize]);
        self.swept(self.term, input, value, |row, cotangents| {
            let both = cotangents.iter().map(|x| [x.value(), x.tangent()]);
            loose.extend(self.places(row).zip(both));
        })
    }
    /// The shared parameters, or the own parameters of a row.
    fn places(&self, row: Option<u16>) -> impl Iterator<Item = u32> {
        let layout = &self.part.layout;
        let (reads, list) = match row {
            None => (self.reads(self.rows[0]), &layout.shared),
            Some(row) => (self.reads(row), &layout.own),
        };
        list.iter().map(|&j| reads[j])
    }
    /// The column of each row's own matrix for the parameter at this index of the list.
    fn column(&self, place: usize, out: &mut JobOutput) -> Result<(), AdError> {
        let JobOutput { value, rows, entries, runs, of_runs, .. } = out;
        let input = |j: usize, i: u32| Dual::new(self.p[i as usize], f64::from(u8::from(j == place)));
        self.swept(self.term, input, value, |row, cotangents| {
            let products = cotangents.iter().map(|x| x.tangent());
            match row {
                None => {
                    runs.push(self.piece.run);
                    of_runs.extend(products);
                }
                Some(row) => {
                    rows.push(self.row(row) as u32);
                    entries.extend(products);
                }
            }
        })
    }
    fn hessian(&self, out: &mut JobOutput) -> Result<(), AdError> {
        self.gradient(out)?;
        let (shared, own) = (self.part.layout.shared.len(), self.part.layout.own.len());
        let mut of_run = vec![0.0; triangle(0, shared)];
        let mut of_rows = vec![0.0; self.rows.len() * triangle(shared, own)];
        let mut products = JobOutput::default();
        for (column, &place) in self.order().iter().enumerate() {
            products.clear();
            self.column(place, &mut products)?;
            for of_tape in products.of_runs.chunks_exact(shared.max(1)) {
                (column..shared).for_each(|a| of_run[triangle(0, a) + column] += of_tape[a]);
            }
            let rows = of_rows.chunks_exact_mut(triangle(shared, own).max(1));
            for (entries, of_row) in rows.zip(products.entries.chunks_exact(own.max(1))) {
                let below = column.saturating_sub(shared)..own;
                below.for_each(|a| entries[triangle(shared, a) + column] = of_row[a]);
            }
        }
        self.keep(out, &of_run, &of_rows);
        Ok(())
    }
    /// The indices of the list in the order of a row's entries: shared parameters before own ones.
    fn order(&self) -> Vec<usize> {
        let layout = &self.part.layout;
        layout.shared.iter().chain(&layout.own).copied().collect()
    }
    /// Keeps the entries of the run, and of each row, if there are any.
    fn keep(&self, out: &mut JobOutput, of_run: &[f64], of_rows: &[f64]) {
        if !of_run.is_empty() {
            out.runs.push(self.piece.run);
            out.of_runs.extend_from_slice(of_run);
        }
        if !of_rows.is_empty() {
            out.rows.extend(self.rows.iter().map(|&row| self.row(row) as u32));
            out.entries.extend_from_slice(of_rows);
        }
    }
    /// Residuals and Jacobians, or their products. Each row has its own inputs on the tape, so the sweep of a residual
    /// gives its derivatives in all rows.
    fn jacobian(&self, squares: bool, out: &mut JobOutput) -> Result<(), AdError> {
        let (m, layout) = (self.part.branches[0].results.residuals, &self.part.layout);
        if m == 0 {
            return Ok(());
        }
        let order = if squares { self.order() } else { layout.ascending.clone() };
        let (n, shared) = (order.len(), layout.shared.len());
        let (mut of_run, mut of_rows) =
            (vec![0.0; if squares { triangle(0, shared) } else { 0 }], Vec::new());
        let input = |_, i: u32| self.p[i as usize];
        self.on_tapes::<f64>(self.term, [&[], &order], input, |taped| {
            let mut rows = vec![0.0; taped.results.len() * n];
            for i in 0..m {
                let seeds = taped.results.iter().skip(i).step_by(m).map(|&y| (y, [1.0]));
                taped.tape.pull(seeds, |cotangents| {
                    for (k, &first) in taped.firsts.iter().enumerate() {
                        rows[(k * m + i) * n..][..n].copy_from_slice(cotangents[first..][..n].as_flattened());
                    }
                });
            }
            for (k, (&row, r)) in taped.rows.iter().zip(taped.results.chunks(m)).enumerate() {
                let mut r: Vec<f64> = r.iter().map(|r| r.value()).collect();
                let gradient = self.corrected(&mut r, &mut rows[k * m * n..][..m * n], &mut out.value);
                let reads = self.reads(row);
                out.loose.extend(order.iter().zip(&gradient).map(|(&j, &x)| (reads[j], [x, 0.0])));
                let rows = || rows[k * m * n..][..m * n].chunks_exact(n.max(1));
                if squares {
                    let entry = |a: usize, b: usize| rows().map(|row| row[a] * row[b]).sum::<f64>();
                    let pairs = |a: usize| (0..=a).map(move |b| (a, b));
                    (0..shared)
                        .flat_map(pairs)
                        .zip(&mut of_run)
                        .for_each(|((a, b), sum)| *sum += entry(a, b));
                    of_rows.extend((shared..n).flat_map(pairs).map(|(a, b)| entry(a, b)));
                } else {
                    of_rows.extend_from_slice(&r);
                    of_rows.extend(rows().flatten());
                }
            }
        })?;
        self.keep(out, &of_run, &of_rows);
        Ok(())
    }
    /// Applies the loss to the residuals and Jacobian of a row; its gradient. Products have strong zeros: a residual of zero
    /// or a flat loss stops an infinite derivative.
    fn corrected(&self, r: &mut [f64], rows: &mut [f64], total: &mut f64) -> Vec<f64> {
        let n = self.part.layout.places;
        let Correction { value, slope, root, by } = self.part.correction(r);
        *total += value;
        let mut along = vec![0.0; n];
        for (r, row) in r.iter().zip(rows.chunks_exact(n.max(1))) {
            along.iter_mut().zip(row).for_each(|(sum, x)| *sum += r.strong_both(*x));
        }
        for (r, row) in r.iter().zip(rows.chunks_exact_mut(n.max(1))) {
            if by != 0.0 {
                row.iter_mut().zip(&along).for_each(|(x, along)| *x -= (by * r).strong_both(*along));
            }
            row.iter_mut().for_each(|x| *x = slope.sqrt().strong_both(*x));
        }
        r.iter_mut().for_each(|r| *r *= slope.sqrt() / root);
        along.iter_mut().for_each(|x| *x = slope.strong_both(*x));
        along
    }
}

/// The number of entries in rows of a triangle, `before + 1` in the first and one more in each.
fn triangle(before: usize, rows: usize) -> usize {
    rows * before + rows * (rows + 1) / 2
}
