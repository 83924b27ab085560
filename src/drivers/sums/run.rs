//! Runs rows in blocks of sixteen. The sums of their results are formed one piece after another, in a fixed order.

use std::cell::RefCell;

use super::branch::Programs;
use super::layout::{LayoutPiece, SumLayout};
use super::out::{JobOutput, Sums};
use super::request::{Derivative, Request, RequestedDirection};
use super::second::{Held, add_held, add_pairs, add_row_squares, keep};
use crate::pool;
use crate::programs::rows::{
    CallMemory, LANES, Line, Lines, NO_SLOT, Segment, SharedFactor, SharedNumbers, Totals, add_forms,
    add_lines, add_products, four_sums, gather,
};

/// Values and derivatives that all rows of a run share.
#[derive(Clone, Copy)]
pub(super) struct Hoisted<'h> {
    pub(super) values: &'h [f64],
    pub(super) tangents: &'h [f64],
    pub(super) slopes: &'h [f64],
}

/// Memory that a thread uses again.
#[derive(Default)]
pub(super) struct RowMemory {
    numbers: Lines,
    sums: Lines,
    scalars: Vec<f64>,
    totals: Vec<f64>,
    columns: Lines,
    vectors: Lines,
    held: Vec<Held>,
    places: Vec<[u32; LANES]>,
    pairs: Vec<(u32, u32)>,
    pub(super) calls: CallMemory,
    pub(super) one: Vec<[f64; 1]>,
    /// A point, and results, of the programs that run once per run of rows.
    pub(super) point: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    pub(super) square: Vec<f64>,
}

impl RowMemory {
    pub(super) fn with<Y>(f: impl FnOnce(&mut RowMemory) -> Y) -> Y {
        let kept = pool::take::<RefCell<RowMemory>>().unwrap_or_default();
        let y = f(&mut kept.borrow_mut());
        pool::give(kept);
        y
    }
}

/// With more results than this, lines of results and lines of sums exceed the second-level cache. The results of each
/// block are then added over its lanes, and the sums are single numbers.
const LONG: usize = 8192;

/// Rows of a piece: all, or the rows of a list.
pub(super) type Rows<'l> = Option<&'l [u16]>;

/// Runs rows of a piece. Rows that take another branch are listed in `out.failed`; the sums are then not written.
#[allow(clippy::too_many_arguments)]
pub(super) fn run_rows(
    layout: &SumLayout,
    programs: &Programs,
    request: &Request<'_>,
    hoisted: Hoisted<'_>,
    (number, piece): (u32, &LayoutPiece),
    branch: u32,
    rows: Rows<'_>,
    memory: &mut RowMemory,
    out: &mut JobOutput,
) {
    let (of_row, row) = (&programs.split, programs.row(request.derivative));
    let RowMemory {
        numbers,
        sums,
        scalars,
        totals,
        columns: gathered,
        vectors,
        held,
        places: of_list,
        pairs,
        calls,
        ..
    } = memory;
    let (derivative, width) = (request.derivative, layout.width);
    let active = of_row.active();
    let (forms, own) = (of_row.direct.len(), of_row.direct.len() + of_row.forms.len());
    let behind = of_row.row.inputs();
    let outputs = &row.outputs[..];
    let at = Sums::of(programs, derivative);
    let numbers = numbers.at_least(row.slots());
    let adds_forms = !of_row.forms.is_empty();
    let is_long =
        matches!(derivative, Derivative::Gradient | Derivative::Hvp) && !adds_forms && outputs.len() > LONG;
    let sums = sums.at_least(if is_long { 0 } else { at.len });
    // Adding −0 changes no number, not even −0.
    sums.fill([-0.0; LANES]);
    totals.clear();
    let parts = if is_long { 1 } else { 4 };
    // Second derivatives are sums of lines only.
    totals.resize(parts * if is_long { at.len } else { at.second }, -0.0);
    held.resize_with(held.len().max(programs.pairs.len()), Held::default);
    pairs.clear();
    let has_gradient = derivative.has_gradient();
    if has_gradient {
        pairs.extend(of_row.direct.iter().enumerate().map(|(i, h)| (at.values as u32 + h, outputs[1 + i])));
    }
    let tangents = 1 + active;
    if derivative == Derivative::Hvp {
        pairs.extend(
            of_row.direct.iter().enumerate().map(|(i, h)| (at.tangents as u32 + h, outputs[tangents + i])),
        );
    }
    let factors = &programs.factors[derivative as usize];
    let (of_rows, added) = outputs.split_at(outputs.len() - factors.sums);
    let shared: usize = factors.factors.iter().map(|factor| factor.count).sum();
    let mut shared = of_rows[of_rows.len() - shared..].iter();
    pairs.extend((at.second as u32..).zip(added).map(|(sum, &y)| (sum, y)));
    pairs.retain(|&(_, output)| output != NO_SLOT && !row.is_zero(output)); // the others are totals, or zero
    pairs.push((0, outputs[0]));
    let slopes = programs.slopes.as_ref().filter(|_| derivative.reads_slopes());
    row.prepare(numbers);
    scalars.clear();
    scalars.extend(of_row.direct.iter().map(|&h| hoisted.values[h as usize]));
    if derivative == Derivative::Hvp {
        scalars.extend(of_row.direct.iter().map(|&h| hoisted.tangents[h as usize]));
    } else if let Some((slopes, ..)) = slopes {
        scalars.extend(slopes.read.iter().map(|&k| hoisted.slopes[k as usize]));
    }
    for (&scalar, input) in scalars.iter().zip((0..forms).chain(behind..)) {
        if row.in_slots[input] {
            numbers[input] = [scalar; LANES];
        }
    }
    let derived_count = of_row.derived.outputs();
    let gathered = gathered.at_least(width + derived_count);
    let (all_columns, all_derived) = (layout.all_columns.get(), programs.derived.get());
    let count = rows.map_or(piece.rows as usize, <[u16]>::len);
    let failures = out.failed.len();
    for block in 0..count.div_ceil(LANES) {
        let some = (count - LANES * block).min(LANES);
        let number_of = |lane: usize| match rows {
            None => (LANES * block + lane.min(some - 1)) as u16,
            Some(list) => list[LANES * block + lane.min(some - 1)],
        };
        let (columns, derived, places): (&[Line], &[Line], &[[u32; LANES]]) = match rows {
            None => {
                let block = piece.first_block as usize + block;
                (
                    &all_columns[block * width..][..width],
                    &all_derived[block * derived_count..][..derived_count],
                    layout.own_places(block),
                )
            }
            Some(_) => {
                let mut at = [0; LANES];
                for (lane, at) in at.iter_mut().enumerate() {
                    *at = LANES * piece.first_block as usize + usize::from(number_of(lane));
                }
                of_list.resize(layout.own.len(), [0; LANES]);
                let (raw, more) = gathered.split_at_mut(width);
                pick(raw, all_columns, &at);
                pick(more, all_derived, &at);
                pick(of_list, &layout.all_own_places, &at);
                (&raw[..], &more[..], &of_list[..])
            }
        };
        let column = |c: u32| match (c as usize).checked_sub(width) {
            None => &columns[c as usize],
            Some(c) => &derived[c],
        };
        for (f, form) in of_row.forms.iter().enumerate() {
            numbers[forms + f] = form.offset.map_or([0.0; LANES], |c| *column(c));
        }
        let add_both = |to: &mut [Line], factors: &[f64], of: &[Vec<Segment>; 2]| {
            for (columns, segments) in [columns, derived].into_iter().zip(of) {
                if !segments.is_empty() {
                    add_forms(to, factors, columns, segments);
                }
            }
        };
        add_both(&mut numbers[forms..own], hoisted.values, &programs.forms);
        gather(&mut numbers[own..active], request.p, places);
        for (k, &c) in of_row.columns.iter().enumerate() {
            numbers[active + k] = *column(c);
        }
        if let Some((slopes, _, of_forms)) = slopes {
            let (_, more) = numbers[behind..].split_at_mut(slopes.read.len());
            let (of_columns, z) = more.split_at_mut(slopes.columns.len());
            of_columns.iter_mut().zip(&slopes.columns).for_each(|(slot, &c)| *slot = *column(c));
            let z = &mut z[..slopes.forms.len()];
            z.fill([0.0; LANES]);
            add_both(z, hoisted.slopes, of_forms);
        }
        if derivative == Derivative::Hvp {
            let of_forms = &mut numbers[behind + forms..behind + own];
            of_forms.fill([0.0; LANES]);
            add_both(of_forms, hoisted.tangents, &programs.forms);
            let tangents = &mut numbers[behind + own..behind + active];
            match request.direction {
                RequestedDirection::Along(v) => gather(tangents, v, places),
                RequestedDirection::Place(j) => {
                    for (to, &place) in tangents.iter_mut().zip(&layout.own) {
                        *to = [f64::from(place == j); LANES];
                    }
                }
            }
        }
        let row_number = |lane: usize| piece.first_row + u32::from(number_of(lane));
        let of_values = Totals { numbers: &mut totals[parts * at.values..], parts };
        let of_all = SharedNumbers { scalars, totals: of_values, points: some };
        let mut failed = row.run_slots(numbers, calls, of_all) & ((1 << some) - 1);
        while failed != 0 {
            out.failed.push((number, number_of(failed.trailing_zeros() as usize)));
            failed &= failed - 1;
        }
        if out.failed.len() > failures {
            continue;
        }
        if some < LANES {
            let in_slots = outputs.iter().filter(|&&y| y != NO_SLOT);
            in_slots.for_each(|&y| numbers[y as usize][some..].fill(-0.0));
        }
        if is_long {
            let totals = &mut Totals { numbers: totals, parts };
            pairs.iter().for_each(|&(to, from)| totals.add(to as usize, four_sums(&numbers[from as usize])));
        } else {
            add_lines(sums, numbers, pairs);
        }
        if has_gradient {
            for (list, columns) in programs.forms.iter().zip([columns, derived]) {
                for s in list {
                    let columns = &columns[s.column as usize..][..s.len as usize];
                    let mut add = |at: usize, output: usize| {
                        let to = &mut sums[at + s.h as usize..][..s.len as usize];
                        add_products(to, &numbers[outputs[output + s.form as usize] as usize], columns);
                    };
                    add(at.values, 1 + forms);
                    if derivative == Derivative::Hvp {
                        add(at.tangents, tangents + forms);
                    }
                }
            }
            out.places.extend_from_slice(places);
            out.own.extend(outputs[1 + own..1 + active].iter().map(|&y| numbers[y as usize]));
            if derivative == Derivative::Hvp {
                let own = &outputs[tangents + own..tangents + active];
                match request.direction {
                    RequestedDirection::Along(_) => {
                        out.own_tangents.extend(own.iter().map(|&y| numbers[y as usize]))
                    }
                    RequestedDirection::Place(_) => keep(out, some, row_number, numbers, own),
                }
            }
        }
        let more = &outputs[if has_gradient { 1 + active } else { 1 }..];
        match derivative {
            Derivative::Hessian => {
                let second = &mut sums[at.second..];
                add_pairs(programs, second, numbers, more, column, (vectors, held));
                keep(out, some, row_number, numbers, &more[programs.pairs.len()..]);
            }
            Derivative::Squares => {
                let m = programs.results.residuals;
                let to = &mut sums[at.second..];
                add_row_squares(layout, to, numbers, m, &more[m..], vectors, (out, some), row_number);
            }
            Derivative::Jacobian => keep(out, some, row_number, numbers, more),
            _ => {}
        }
    }
    if derivative == Derivative::Hessian {
        add_held(programs, &mut sums[at.second..], held);
    }
    if out.failed.len() == failures {
        out.heads.push((number, branch, out.sums.len()));
        let total = |k: usize| {
            let line = sums.get(k).map_or(-0.0, |line| line.iter().sum());
            totals.get(parts * k..parts * (k + 1)).map_or(-0.0, |parts| parts.iter().sum()) + line
        };
        let start = out.sums.len();
        out.sums.extend((0..at.len).map(total));
        let sums = &mut out.sums[start..];
        for &SharedFactor { total, sum, minus, count } in &factors.factors {
            let numbers = shared.by_ref().take(count).map(|&s| numbers[s as usize][0]);
            let product = numbers.fold(sums[at.second + sum as usize], |product, s| product * s);
            sums[at.values + total as usize] += if minus { -product } else { product };
        }
    }
}

/// Copies rows into lanes: row `i` is in lane `i mod 16` of block `⌊i/16⌋`, and each block has as many lines as `to`.
// Within `run_rows` its loop may lack registers: that took a third of the time of rows of a branch.
#[inline(never)]
fn pick<T: Copy>(to: &mut [[T; LANES]], from: &[[T; LANES]], rows: &[usize; LANES]) {
    let (of_block, numbers) = (to.len() * LANES, from.as_flattened());
    for (c, line) in to.iter_mut().enumerate() {
        for (to, row) in line.iter_mut().zip(rows) {
            *to = numbers[row / LANES * of_block + c * LANES + row % LANES];
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::number::Real;
    use crate::programs::{Traced, forced};
    use crate::sums::{LeastSquares, Sum};

    /// Forms, products, quotients, comparisons, functions in lanes and one that has no lanes; shared and own parameters.
    fn term(p: &[Traced], d: &[Traced]) -> [Traced; 2] {
        let form = p[0] * d[0] + p[1] * d[1] + p[2] * (d[0] * d[1]) + 0.5;
        let other = (form * 0.25).exp() / (p[3] * p[3] + 1.25) - (p[0] * p[2]).sin() * d[2];
        let bent = Real::max(other, form * 0.5).abs().powf(1.5) + form.atan() + form.square().ln_1p();
        let all = [form.tanh(), form.cos(), form.softplus(), form.sigmoid(), (form.square() + 0.5).ln()];
        [bent + all.into_iter().sum::<Traced>() * p[3], (p[3] - d[2]) * p[1] / (form.square() + 2.0)]
    }

    #[test]
    fn sums_have_the_same_bits_at_each_register() {
        let data: Vec<[f64; 3]> = (0..100).map(|i| [1, 2, 3].map(|k| f64::from(i * k).sin())).collect();
        let table = || crate::sums::Table::from(&data).reading(|i| [0, 1, 2, 3 + i % 7 * (i % 2)]);
        let p: Vec<f64> = (0..10).map(|i| f64::from(i).cos()).collect();
        let of_registers = forced::at_each(|| {
            let mut sum = Sum::new(10, table(), term).unwrap();
            let mut squares = LeastSquares::new(10, table(), term).unwrap();
            let [mut g, mut hv, mut r] = [[0.0; 10]; 3];
            let [mut h, mut a] = [[0.0; 100]; 2];
            let value = sum.hvp(&p, &p, &mut g, &mut hv).unwrap();
            sum.hessian(&p, &mut (), &mut h).unwrap();
            squares.normal_equations(&p, &mut r, &mut a).unwrap();
            let all = [&[value][..], &g, &hv, &r, &h, &a].concat();
            all.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        });
        assert!(of_registers.len() >= 2 && of_registers.windows(2).all(|two| two[0] == two[1]));
    }
}
