//! Scaling of rows and columns to similar size by powers of two, which is exact.

use std::borrow::Cow;

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use crate::matrix::entry::Entry;
use crate::matrix::sizes::MOST_DET_ROWS;
use crate::number::{BaseFloat, Number, power_of_two};

/// Rows and columns whose largest entries are within this number of binary digits are not scaled.
const ALIKE: i32 = 8;

/// Exponents for which the power of two and its reciprocal are finite and normal.
pub(crate) const fn limit<F: BaseFloat + Float>() -> i32 {
    if size_of::<F>() == 8 { 1020 } else { 124 }
}

/// The binary exponent; zeros, infinities and NaN have none.
pub(crate) fn exponent(x: f64) -> Option<i32> {
    let biased = (x.to_bits() >> 52) as i32 & 0x7ff;
    (x != 0.0 && biased < 0x7ff).then_some(biased - 1023)
}

/// `x·2^exponent`, part by part: complex products lose signs of zeros, and infinities.
pub(crate) fn scaled<S: Entry>(mut x: S, mut exponent: i32) -> S {
    while exponent != 0 {
        let step = exponent.clamp(-limit::<S::Base>(), limit::<S::Base>());
        let factor = 2f64.powi(step);
        x = match S::IS_REAL {
            true => x * S::constant(factor),
            false => {
                let factor = <S::Re as Number>::lit(factor);
                S::of_parts(x.real_part() * factor, x.imaginary_part() * factor)
            }
        };
        exponent -= step;
    }
    x
}

/// The size of the largest entry, by the values; NaN does not count.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn largest_size<'a, S: Entry>(a: impl IntoIterator<Item = &'a S>) -> S::Base {
    a.into_iter().fold(S::Base::from_double(0.0), |largest, x| Float::max(largest, x.size()))
}

/// The binary exponent of the largest entry, by the values.
pub(crate) fn largest_exponent<S: Entry>(a: &[S]) -> Option<i32> {
    exponent(a.iter().fold(0.0, |most: f64, x| most.max(x.size().to_double())))
}

/// The binary exponent of the largest entry, by the values; 0 if no fourth power of it leaves the range.
pub(crate) fn magnitude<S: Entry>(a: &[S]) -> i32 {
    largest_exponent(a).filter(|e| 4 * e.abs() > limit::<S::Base>()).unwrap_or(0)
}

/// The binary exponent halfway between the least and the largest entry that is not zero, by the values: divided by this
/// power of two, no entry is lost. 0 if no fourth power of it leaves the range, or the entries fill half of the range.
pub(crate) fn middle<'a, S: Entry>(a: impl Iterator<Item = &'a S>) -> i32 {
    let (zero, limit) = (S::Base::from_double(0.0), limit::<S::Base>());
    let (mut least, mut most) = (i32::MAX, i32::MIN);
    for size in a.map(|x| x.size()) {
        if size != zero {
            let exponent = exponent(size.to_double()).unwrap_or(i32::MAX);
            (least, most) = (least.min(exponent), most.max(exponent));
        }
    }
    let is_narrow = most < i32::MAX && most.saturating_sub(least) <= limit;
    let middle = if is_narrow { (least + most) / 2 } else { 0 };
    if 4 * middle.abs() > limit { middle } else { 0 }
}

/// The exponent of a power of two by which tangents times powers of two are divided, by all parts: halfway between the
/// least and the largest, if the largest is then far enough from the end of the range for sums of products.
pub(crate) fn unit_of<'a, T: Number>(tangents: impl Iterator<Item = (&'a T, &'a i32)>) -> i32 {
    let (mut least, mut most) = (i32::MAX, i32::MIN);
    for (x, power) in tangents {
        x.visit(&mut |part| {
            if let Some(e) = exponent(part) {
                (least, most) = (least.min(e + power), most.max(e + power));
            }
        });
    }
    if least > most { 0 } else { i32::midpoint(least, most).max(most - limit::<T::Base>() / 4 * 3) }
}

/// The entries divided by an even power of two near their size, and the exponent. Derivatives contain powers of a matrix
/// and of its inverse, which then stay in range. The exponent is 0 if fourth powers are in range.
#[inline]
pub(crate) fn near_one<S: Entry>(a: &[S]) -> (Cow<'_, [S]>, i32) {
    match middle(a.iter()) & !1 {
        0 => (Cow::Borrowed(a), 0),
        power => (a.iter().map(|&a| scaled(a, -power)).collect(), power),
    }
}

/// The power of two by which a matrix is divided so that fourth powers of its entries neither overflow nor underflow,
/// from the largest size of an entry: 1 if they are in range, the least normal number for zero.
#[inline]
pub(crate) fn unit<F: BaseFloat + Float>(largest: F) -> F {
    match exponent(Float::min(largest, F::max_value()).to_double()) {
        Some(e) if 4 * e.abs() > limit::<F>() => power_of_two(e),
        None if largest == F::from_double(0.0) => F::min_positive_value(),
        _ => F::from_double(1.0),
    }
}

/// Whether products of n numbers of this size neither overflow nor underflow.
fn has_powers<F: BaseFloat + Float>(size: F, n: usize) -> bool {
    exponent(size.to_double()).is_none_or(|e| (e.unsigned_abs() as usize + 1) * n <= limit::<F>() as usize)
}

/// The least and the largest size of the nonzero entries, four entries at a time, so that the compiler vectorises the
/// comparisons.
#[cfg_attr(not(debug_assertions), inline(always))]
fn extent<S: Entry>(a: &[S]) -> (S::Base, S::Base) {
    let (zero, infinity) = (S::Base::from_double(0.0), S::Base::infinity());
    let (mut least, mut largest) = ([infinity; 4], [zero; 4]);
    let mut see = |lane: usize, x: &S| {
        let size = x.size();
        let nonzero = if size > zero { size } else { infinity };
        least[lane] = if nonzero < least[lane] { nonzero } else { least[lane] };
        largest[lane] = if size > largest[lane] { size } else { largest[lane] };
    };
    let (fours, rest) = a.as_chunks::<4>();
    fours.iter().for_each(|four| four.iter().enumerate().for_each(|(lane, x)| see(lane, x)));
    rest.iter().for_each(|x| see(0, x));
    (least.into_iter().fold(infinity, Float::min), largest.into_iter().fold(zero, Float::max))
}

/// Whether the largest entries of the n rows and columns have similar size, whose n-th power neither overflows nor
/// underflows. Takes one pass.
fn are_alike<S: Entry>(a: &[S], n: usize) -> bool {
    if n <= MOST_DET_ROWS {
        // In most small matrices all entries have similar size, and no sizes of rows are needed.
        let (least, largest) = extent(a);
        if least * S::Base::from_double(f64::from(1 << (ALIKE - 1))) > largest {
            return has_powers(largest, n);
        }
    }
    let mut rows = vec![S::Base::from_double(0.0); n];
    let column = |column: &[S]| {
        let mut largest = S::Base::from_double(0.0);
        for (row, x) in rows.iter_mut().zip(column) {
            let size = x.size();
            *row = if size > *row { size } else { *row };
            largest = if size > largest { size } else { largest };
        }
        largest
    };
    let columns: Vec<S::Base> = a.chunks_exact(n.max(1)).map(column).collect();
    let alike = |sizes: &[S::Base]| {
        let exponents = || sizes.iter().map(|size| exponent(size.to_double()).unwrap_or(0));
        exponents().max().zip(exponents().min()).is_none_or(|(most, least)| most - least <= ALIKE)
    };
    alike(&rows) && alike(&columns) && rows.iter().all(|&size| has_powers(size, n))
}

/// Scales a square matrix as [`Balanced::new`]; the exponent for its determinant.
fn balance<S: Entry>(a: &mut [S], n: usize) -> i32 {
    let sizes: Vec<Option<i32>> = a.iter().map(|x| exponent(x.size().to_double())).collect();
    let (rows, columns) = exponents(&sizes, n);
    let exponent = rows.iter().chain(&columns).sum::<i32>();
    // The determinant may be up to n! times the product of the sizes, and far below it.
    let most = limit::<S::Base>();
    let mean = exponent.clamp(-most / 2, most - most / 8) / n.max(1) as i32;
    for (j, column) in a.chunks_exact_mut(n.max(1)).enumerate() {
        for (x, row) in column.iter_mut().zip(&rows) {
            *x = scaled(scaled(*x, mean - row), -columns[j]);
        }
    }
    exponent - mean * n as i32
}

/// The largest exponent of each row, and then of each column of the scaled rows.
#[inline]
fn exponents(sizes: &[Option<i32>], n: usize) -> (Vec<i32>, Vec<i32>) {
    let row = |i: usize| (0..n).filter_map(|j| sizes[j * n + i]).max().unwrap_or(0);
    let rows: Vec<i32> = (0..n).map(row).collect();
    let column = |j: usize| (0..n).filter_map(|i| Some(sizes[j * n + i]? - rows[i])).max().unwrap_or(0);
    let columns = (0..n).map(column).collect();
    (rows, columns)
}

/// The least number of binary digits by which a similar matrix must be smaller off the diagonal.
const GAIN: i32 = 4;
/// Rounds over all rows without success in search of a similar matrix.
const ROUNDS: usize = 4;
/// The exponent of zero.
const NEVER: i32 = i32::MIN / 2;

/// Exponents `dᵢ` of `D = diag 2^dᵢ` for which the similar matrix `D⁻¹AD` is smaller off the diagonal: the largest entries of
/// its row and column `i` have similar size for each `i` (E. E. Osborne, On pre-conditioning of matrices, J. ACM 7, 1960).
/// `None` if it would not be smaller by much: then balancing may do harm (R. James, J. Langou & B. R. Lowery, On matrix
/// balancing and eigenvector computation, arXiv:1401.5766).
///
/// The search starts where entries across the diagonal have one size, as far as both are nonzero: between neighbours in a
/// band, rounds carry one digit one row further.
pub(crate) fn balancing<S: Entry>(a: &[S], n: usize) -> Option<Vec<i32>> {
    if n <= 1 {
        return None;
    }
    if n <= MOST_DET_ROWS {
        // In most small matrices all entries have similar size.
        let (least, largest) = extent(a);
        if least * S::Base::from_double(f64::from(1 << (ALIKE - 1))) > largest {
            return None;
        }
    }
    let size = |x: &S| exponent(x.size().to_double().min(f64::MAX)).unwrap_or(NEVER);
    let sizes: Vec<i32> = a.iter().map(size).collect();
    let others = |i: usize| (0..n).filter(move |&k| k != i);
    let row = |i: usize, d: &[i32]| others(i).map(|k| sizes[k * n + i] + d[k]).max().unwrap_or(NEVER) - d[i];
    let column =
        |i: usize, d: &[i32]| others(i).map(|k| sizes[i * n + k] - d[k]).max().unwrap_or(NEVER) + d[i];
    let largest = |d: &[i32]| (0..n).map(|i| row(i, d)).max().unwrap_or(NEVER);
    // By how many digits the row is larger; 0 if it or the column is zero off the diagonal.
    let excess = |i: usize, d: &[i32]| match (row(i, d), column(i, d)) {
        (row, column) if row.min(column) < NEVER / 2 => 0,
        (row, column) => row - column,
    };
    let none = vec![0; n];
    if (0..n).all(|i| excess(i, &none).abs() <= ALIKE) {
        return None;
    }
    let given = largest(&none);
    let mut d = across_diagonal(&sizes, n);
    if largest(&d) > given {
        d = none;
    }
    let (mut best, mut least, mut failures) = (d.clone(), largest(&d), 0);
    while failures < ROUNDS {
        let before = d.clone();
        for i in 0..n {
            d[i] += excess(i, &d) / 2;
        }
        match largest(&d) {
            _ if d == before => break,
            size if size < least => (best, least, failures) = (d.clone(), size, 0),
            _ => failures += 1,
        }
    }
    (least + GAIN <= given).then_some(best)
}

/// Exponents that give nonzero entries across the diagonal one size, along a tree of such pairs.
#[inline]
fn across_diagonal(sizes: &[i32], n: usize) -> Vec<i32> {
    let (mut d, mut queue) = (vec![None; n], Vec::new());
    for root in 0..n {
        if d[root].is_none() {
            d[root] = Some(0);
            queue.push(root);
        }
        while let Some(i) = queue.pop() {
            for j in 0..n {
                let (of_ij, of_ji) = (sizes[j * n + i], sizes[i * n + j]);
                if d[j].is_none() && of_ij.min(of_ji) > NEVER {
                    d[j] = d[i].map(|d: i32| d + (of_ji - of_ij) / 2);
                    queue.push(j);
                }
            }
        }
    }
    d.into_iter().flatten().collect()
}

/// The exponents `eⱼ − dᵢ` of the entries of `D⁻¹ME`.
#[inline]
pub(crate) fn between(d: &[i32], e: &[i32]) -> Vec<i32> {
    e.iter().flat_map(|e| d.iter().map(move |d| e - d)).collect()
}

/// A matrix, and the exponent of the power of two by which its determinant must be multiplied.
pub(crate) struct Balanced<S: Entry, D: Dim>
where
    DefaultAllocator: Allocator<D, D>,
{
    pub(crate) matrix: OMatrix<S, D, D>,
    exponent: i32,
}

impl<S: Entry, D: Dim> Balanced<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// The matrix with rows, then columns, divided by powers of two such that their largest entries have similar
    /// size; `None` if they already have. That size is the geometric mean of all scales, limited to the range of
    /// products of n entries. So a determinant within the range needs no further scale, whose derivative could
    /// overflow.
    pub(crate) fn new(a: &OMatrix<S, D, D>) -> Option<Self> {
        if are_alike(a.as_slice(), a.nrows()) {
            return None;
        }
        let mut matrix = a.clone();
        let exponent = balance(matrix.as_mut_slice(), a.nrows());
        Some(Balanced { matrix, exponent })
    }
    /// The determinant of the original matrix from the determinant of the scaled one.
    pub(crate) fn unscaled(&self, det: S) -> S {
        scaled(det, self.exponent)
    }
}
