//! Converts the sums over a run's rows to derivatives with respect to the parameters that the rows share.

use super::branch::Programs;
use super::layout::Owner;
use super::out::{Sums, inner_len, pair_len};
use super::part::{SharedValues, SumPart};
use super::request::{Derivative, Request, RequestedDirection, Target};
use super::run::RowMemory;
use crate::error::AdError;

impl SumPart<'_> {
    /// Adds the sums over the rows of a run to the derivatives of their shared parameters.
    pub(super) fn finish(
        &self,
        k: usize,
        request: &Request<'_>,
        target: &mut impl Target,
        memory: &mut RowMemory,
    ) -> Result<(), AdError> {
        let SharedValues { run, branch, slopes, totals, end, .. } = self.shared[k];
        let programs = self.branches[branch as usize].programs(request.exact);
        let (count, at) = (programs.split.shared.outputs(), Sums::of(programs, request.derivative));
        let (slopes, totals) = (&self.numbers[slopes..totals], &self.numbers[totals..end]);
        if !request.derivative.has_gradient() {
            return Ok(());
        }
        let (places, of_run) = (|| self.layout.shared_places(run as usize), Owner::Run(run as usize));
        let (l, is_hvp) = (self.layout.shared.len(), request.derivative == Derivative::Hvp);
        let cotangents = &totals[at.values..at.values + count];
        let tangents = if is_hvp { &totals[at.tangents..at.tangents + count] } else { &[] };
        let RowMemory { calls, one, point, scratch, square, .. } = memory;
        point.clear();
        point.extend(places().map(|i| request.p[i as usize]));
        point.extend_from_slice(cotangents);
        // Derivatives by the shared parameters, and their tangents.
        let (gradient, products);
        match (&programs.picked, is_hvp) {
            (Some(picked), _) => {
                scratch.clear();
                scratch.resize(2 * l, 0.0);
                let (first, second) = scratch.split_at_mut(l);
                picked.iter().zip(cotangents).for_each(|(&i, &x)| first[i as usize] += x);
                picked.iter().zip(tangents).for_each(|(&i, &x)| second[i as usize] += x);
                (gradient, products) = (&*first, &*second);
            }
            (None, true) => {
                let hvp = programs.shared_hvp.as_ref().expect("it has been demanded");
                let moved = self.layout.shared.iter().zip(places());
                point.extend(moved.map(|(&j, i)| request.direction.tangent(j, i)));
                point.extend_from_slice(tangents);
                scratch.resize(2 * (count + l), 0.0);
                hvp.run_one(one, calls, point, scratch)?;
                (gradient, products) = (&scratch[count..count + l], &scratch[2 * count + l..]);
            }
            (None, false) => {
                let vjp = programs.shared_vjp.as_ref().expect("it has been demanded");
                scratch.resize(count + l, 0.0);
                vjp.run_one(one, calls, point, scratch)?;
                (gradient, products) = (&scratch[count..], &[][..]);
            }
        }
        places().zip(gradient).for_each(|(place, &x)| target.gradient(place, x));
        if is_hvp {
            match request.direction {
                RequestedDirection::Along(_) => {
                    places().zip(products).for_each(|(i, &x)| target.tangent(i, x))
                }
                RequestedDirection::Place(_) => target.entries(&self.layout, of_run, &products[..l]),
            }
        } else if request.derivative == Derivative::Hessian {
            square.clear();
            square.resize(l * l, 0.0);
            congruence(programs, &totals[at.second..], slopes, square, l);
            if let Some((curvature, entries)) = &programs.curvature {
                scratch.resize(entries.len(), 0.0);
                curvature.run_one(one, calls, point, scratch)?;
                entries
                    .iter()
                    .zip(&*scratch)
                    .for_each(|(&(a, b), x)| square[a as usize * l + b as usize] += x);
            }
            target.entries(&self.layout, of_run, triangle(square, l, scratch));
        } else if request.derivative == Derivative::Squares {
            target.entries(&self.layout, of_run, triangle(&totals[at.second..], l, scratch));
        }
        Ok(())
    }
}

/// The lower triangle of a square, row after row.
fn triangle<'m>(square: &[f64], n: usize, memory: &'m mut Vec<f64>) -> &'m [f64] {
    memory.clear();
    memory.extend((0..n).flat_map(|a| &square[a * n..=a * n + a]));
    memory
}

/// `LᵀAL` of the sums `A` of pairs and the partials `L` of shared values; the lower triangle.
fn congruence(programs: &Programs, sums: &[f64], slopes: &[f64], square: &mut [f64], n: usize) {
    let of_row = &programs.split;
    let of_run = &programs.slopes.as_ref().expect("they have been demanded").0;
    // Shared value `a` of an inner input.
    let value = |i: u32, a: usize| match (i as usize).checked_sub(of_row.direct.len()) {
        None => of_row.direct[i as usize],
        Some(form) => of_row.forms[form].entries[a].0,
    };
    // A zero adds nothing, even with an infinite partial.
    let mut add = |g: u32, h: u32, x: f64| {
        if x == 0.0 {
            return;
        }
        for (a, left) in of_run.of_value(g, slopes).filter(|(_, left)| *left != 0.0) {
            for (b, right) in of_run.of_value(h, slopes) {
                if a >= b && right != 0.0 {
                    square[a * n + b] += left * x * right;
                }
            }
        }
    };
    let mut start = 0;
    for &(i, j) in &programs.pairs {
        let (rows, columns) = (inner_len(programs, i), inner_len(programs, j));
        let entries = &sums[start..start + pair_len(programs, (i, j))];
        start += entries.len();
        for (a, b) in (0..rows).flat_map(|a| (0..columns).map(move |b| (a, b))) {
            let (g, h) = (value(i, a), value(j, b));
            let entry = |a: usize, b: usize| entries[a * columns + b];
            if i != j {
                add(g, h, entry(a, b));
                add(h, g, entry(a, b));
            } else {
                add(g, h, entry(a.max(b), a.min(b)));
            }
        }
    }
}
