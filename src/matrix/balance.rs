//! Rows and columns of one size, by powers of two: what is then computed of the matrix is exact in its scale.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use super::Entry;
use crate::number::BaseFloat;

/// Rows and columns whose largest entries are within so many binary digits stay as they are.
const ALIKE: i32 = 8;

/// Exponents that have a power of two, and its reciprocal, among the numbers.
fn limit<F: BaseFloat>() -> i32 {
    F::max_value().to_double().log2() as i32 - 4
}

/// The binary exponent; zeros, infinities and NaN have none.
fn exponent(x: f64) -> Option<i32> {
    let biased = (x.to_bits() >> 52) as i32 & 0x7ff;
    (x != 0.0 && biased < 0x7ff).then_some(biased - 1023)
}

/// `x·2^exponent`.
fn scaled<S: Entry>(mut x: S, mut exponent: i32) -> S {
    while exponent != 0 {
        let step = exponent.clamp(-limit::<S::Base>(), limit::<S::Base>());
        x *= S::constant(2f64.powi(step));
        exponent -= step;
    }
    x
}

/// A matrix, and the exponents of the powers of two that its determinant is to be multiplied by.
pub(super) struct Balanced<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D, D>,
{
    pub(super) matrix: OMatrix<S, D, D>,
    exponents: Vec<i32>,
}

impl<S: Entry, D: Dim> Balanced<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// The matrix with rows, then columns, divided by powers of two such that their largest entries are about 1; none
    /// where they are alike already.
    pub(super) fn new(a: &OMatrix<S, D, D>) -> Option<Self> {
        let n = a.nrows();
        let size = |i: usize, j: usize| exponent(a[(i, j)].size().to_double());
        let row = |i: usize| (0..n).filter_map(|j| size(i, j)).max().unwrap_or(0);
        let rows: Vec<i32> = (0..n).map(row).collect();
        let column = |j: usize| (0..n).filter_map(|i| Some(size(i, j)? - rows[i])).max().unwrap_or(0);
        let columns: Vec<i32> = (0..n).map(column).collect();
        let spread =
            |of: &[i32]| of.iter().max().zip(of.iter().min()).map_or(0, |(most, least)| most - least);
        if spread(&rows).max(spread(&columns)) <= ALIKE {
            return None;
        }
        let mut matrix = a.clone();
        for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
            matrix[(i, j)] = scaled(scaled(a[(i, j)], -rows[i]), -columns[j]);
        }
        Some(Balanced { matrix, exponents: [rows, columns].concat() })
    }
    /// The determinant of the matrix as it was, from that of this one.
    pub(super) fn unscaled(&self, det: S) -> S {
        scaled(det, self.exponents.iter().sum())
    }
}
