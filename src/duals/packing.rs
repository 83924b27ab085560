//! How `Dual2` packs the lower triangle of a symmetric matrix.
//!
//! The matrix is stored by rows, each with an even number of columns; the last entries of even rows, `(0, 0), (2, 2),
//! …`, follow after all rows. So each row starts at an even index, and its loop runs over pairs.

/// The start of row `i`: the number of entries in the pairs of all previous rows.
#[cfg_attr(not(debug_assertions), inline(always))]
const fn row_start(i: usize) -> usize {
    (i / 2) * 2 * (i.div_ceil(2))
}

/// The index of the entry of row `i` and column `j`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) const fn place<const N: usize>(i: usize, j: usize) -> usize {
    let (i, j) = if j <= i { (i, j) } else { (j, i) };
    if i == j && i % 2 == 0 { row_start(N) + i / 2 } else { row_start(i) + j }
}

/// The packed matrix of a function of packed index, row and column; `anything` is the initial value.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn fill<T: Copy, const N: usize, const M: usize>(
    anything: T,
    h: impl Fn(usize, usize, usize) -> T,
) -> [T; M] {
    let mut hessian = [anything; M];
    let mut row = |i: usize| {
        for j in 0..i.div_ceil(2) * 2 {
            hessian[row_start(i) + j] = h(row_start(i) + j, i, j);
        }
    };
    // Literal rows have loops of known length, without a remainder.
    macro_rules! rows {
        ($($i:literal)*) => { $(if $i < N { row($i) })* };
    }
    rows!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    (16..N).for_each(row);
    for i in 0..N.div_ceil(2) {
        hessian[row_start(N) + i] = h(row_start(N) + i, 2 * i, 2 * i);
    }
    hessian
}
