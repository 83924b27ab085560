//! Converts second derivatives with respect to shared values to second derivatives with respect to shared parameters.

use super::branch::Programs;
use super::out::{inner_len, pair_len};

/// The lower triangle of a square, row after row.
pub(super) fn triangle<'m>(square: &[f64], n: usize, memory: &'m mut Vec<f64>) -> &'m [f64] {
    memory.clear();
    memory.extend((0..n).flat_map(|a| &square[a * n..=a * n + a]));
    memory
}

/// `LᵀAL` of the sums `A` of pairs and the partials `L` of shared values; the lower triangle.
pub(super) fn congruence(programs: &Programs, sums: &[f64], slopes: &[f64], square: &mut [f64], n: usize) {
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
