//! Second derivatives by shared values as those by shared parameters.

use super::branch::Programs;
use super::out::{inner_len, pair_len};

/// The lower triangle of a square, row after row.
pub(super) fn triangle(square: &[f64], n: usize) -> Vec<f64> {
    (0..n).flat_map(|a| square[a * n..=a * n + a].iter().copied()).collect()
}

/// `LᵀAL` of the sums `A` of pairs and the slopes `L` of shared values; the lower triangle.
pub(super) fn congruence(programs: &Programs, sums: &[f64], slopes: &[f64], square: &mut [f64], n: usize) {
    let of_row = &programs.split;
    let of_run = &programs.slopes.as_ref().expect("they have been demanded").0;
    let values = |i: u32| -> Vec<u32> {
        match (i as usize).checked_sub(of_row.direct.len()) {
            None => vec![of_row.direct[i as usize]],
            Some(form) => of_row.forms[form].entries.iter().map(|&(h, _)| h).collect(),
        }
    };
    let mut add = |g: u32, h: u32, x: f64| {
        for (a, left) in of_run.of_value(g, slopes) {
            for (b, right) in of_run.of_value(h, slopes) {
                if a >= b {
                    square[a * n + b] += left * x * right;
                }
            }
        }
    };
    let mut start = 0;
    for &(i, j) in &programs.pairs {
        let (left, right) = (values(i), values(j));
        let entries = &sums[start..start + pair_len(programs, (i, j))];
        start += entries.len();
        debug_assert_eq!(entries.len(), inner_len(programs, i) * right.len());
        for (a, &g) in left.iter().enumerate() {
            for (b, &h) in right.iter().enumerate() {
                let entry = |a: usize, b: usize| entries[a * right.len() + b];
                if i != j {
                    add(g, h, entry(a, b));
                    add(h, g, entry(a, b));
                } else {
                    add(g, h, entry(a.max(b), a.min(b)));
                }
            }
        }
    }
}
