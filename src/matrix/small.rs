//! Algorithms in the arithmetic of the numbers themselves: for small matrices, where taking values and tangents
//! apart costs more than it saves, and for what has no derivative as a whole (the determinant where it is zero).

use nalgebra::{DMatrix, DefaultAllocator, Dim, OMatrix, allocator::Allocator};
use num_traits::Float;

use super::pivots::{SAFE, are_significant, is_pivot, is_safe};
use super::{Entry, Op};
use crate::error::AdError;
use crate::number::{BaseFloat, Real, wide::is_moderate_float};

/// The largest number of rows that is done in the arithmetic of the numbers themselves.
pub(super) const SMALL: usize = 6;

/// Systems up to this size are solved in the numbers' own arithmetic by numbers of one tangent.
pub(super) const MOST_UNKNOWNS: usize = 12;
/// Determinants up to this size are formed in the arithmetic of numbers of one tangent.
const MOST_ROWS: usize = 24;

/// Whether numbers are machine numbers or such with one tangent, whose own arithmetic is the cheapest way through
/// algorithms of some size.
pub(super) const fn has_one_tangent<S: Entry>() -> bool {
    !S::RECORDS && size_of::<S>() <= 2 * size_of::<S::Primal>()
}

/// Whether systems of n unknowns are solved in the numbers' own arithmetic.
pub(super) const fn is_small<S: Entry>(n: usize) -> bool {
    n <= SMALL || n <= MOST_UNKNOWNS && has_one_tangent::<S>()
}

/// Whether powers of a number of this size, as derivatives to the third order of closed forms have them, are far from the
/// ends of the range of the float.
pub(super) fn is_moderate<F: BaseFloat + Float>(size: F) -> bool {
    let root = |x: F| Float::sqrt(Float::sqrt(x));
    let limit = root(root(F::max_value()));
    Float::recip(limit) < size && size < limit
}

/// `PA = LU` by partial pivoting, packed: U, and L below the diagonal.
#[derive(Clone, Debug)]
pub(super) struct SmallLu<S, D: Dim>
where
    S: Entry,
    DefaultAllocator: Allocator<D, D>,
{
    packed: OMatrix<S, D, D>,
    /// The rows that were exchanged at each step.
    exchanged: [usize; MOST_UNKNOWNS],
}

impl<S: Entry, D: Dim> SmallLu<S, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    /// The factors, of a system that is small. None beside a pivot so far from 1 that a power of its reciprocal, which
    /// derivatives have, is no float.
    ///
    /// # Errors
    /// `Singular` if a pivot is none.
    #[inline]
    pub(super) fn new(op: &'static str, a: &OMatrix<S, D, D>) -> Result<Option<Self>, AdError> {
        let n = a.nrows();
        if !is_small::<S>(n) {
            return Ok(None);
        }
        let lu = Self::eliminate(a).ok_or(AdError::Singular { op })?;
        let moderate = S::PLAIN || lu.pivots().fold(true, |all, pivot| all & is_moderate_float(pivot.size()));
        Ok(moderate.then_some(lu))
    }
    #[inline]
    fn eliminate(a: &OMatrix<S, D, D>) -> Option<Self> {
        let (mut lu, n) = (a.clone(), a.nrows());
        let mut exchanged = [0; MOST_UNKNOWNS];
        for k in 0..n {
            let pivot = (k + 1..n).fold(k, |p, i| if lu[(i, k)].size() > lu[(p, k)].size() { i } else { p });
            exchanged[k] = pivot;
            lu.swap_rows(k, pivot);
            if !is_pivot(lu[(k, k)].size()) {
                return None;
            }
            let reciprocal = S::constant(1.0) / lu[(k, k)];
            for i in k + 1..n {
                let l = lu[(i, k)] * reciprocal;
                lu[(i, k)] = l;
                for j in k + 1..n {
                    let u = lu[(k, j)];
                    lu[(i, j)] -= l * u;
                }
            }
        }
        are_significant(lu.as_slice(), n).then_some(SmallLu { packed: lu, exchanged })
    }
    /// Solves `op(A)·X = B` in place, in the order of operations of [`Triangle`](super::substitution::Triangle).
    #[inline]
    pub(super) fn solve<C: Dim>(&self, op: Op, x: &mut OMatrix<S, D, C>)
    where
        DefaultAllocator: Allocator<D, C>,
    {
        let (lu, n) = (&self.packed, self.packed.nrows());
        let exchanges = || self.exchanged[..n].iter().enumerate();
        // As there, numbers are conjugated and not the factors: signs of zero are the same then.
        let conjugate = |x: &mut OMatrix<S, D, C>| {
            if op.conjugates() && !S::IS_REAL {
                x.apply(|x| *x = x.conjugated());
            }
        };
        conjugate(x);
        if !op.transposes() {
            exchanges().for_each(|(k, &p)| x.swap_rows(k, p));
        }
        for c in 0..x.ncols() {
            if op.transposes() {
                for i in 0..n {
                    let s = (0..i).fold(x[(i, c)], |s, k| s - lu[(k, i)] * x[(k, c)]);
                    x[(i, c)] = s / lu[(i, i)];
                }
                for i in (0..n).rev() {
                    x[(i, c)] = (i + 1..n).fold(x[(i, c)], |s, k| s - lu[(k, i)] * x[(k, c)]);
                }
            } else {
                for i in 0..n {
                    x[(i, c)] = (0..i).fold(x[(i, c)], |s, k| s - lu[(i, k)] * x[(k, c)]);
                }
                for i in (0..n).rev() {
                    let s = (i + 1..n).rev().fold(x[(i, c)], |s, k| s - lu[(i, k)] * x[(k, c)]);
                    x[(i, c)] = s / lu[(i, i)];
                }
            }
        }
        if op.transposes() {
            exchanges().rev().for_each(|(k, &p)| x.swap_rows(k, p));
        }
        conjugate(x);
    }
    /// The diagonal of U.
    pub(super) fn pivots(&self) -> impl Iterator<Item = S> + '_ {
        (0..self.packed.nrows()).map(|i| self.packed[(i, i)])
    }
    /// The sign of the permutation.
    pub(super) fn sign(&self) -> f64 {
        let moved = |(k, &p): (usize, &usize)| k != p;
        let n = self.packed.nrows();
        if self.exchanged[..n].iter().enumerate().filter(|&x| moved(x)).count() % 2 == 0 { 1.0 } else { -1.0 }
    }
}

/// The determinant as the product of the pivots of elimination with partial pivoting, which carries a tangent along;
/// none of a large matrix, or where a pivot is so small that it may be nothing but rounding.
pub(super) fn det_by_pivots<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Option<S>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    if n > MOST_ROWS {
        return None;
    }
    let mut a = a.clone();
    let a = a.as_mut_slice();
    let (mut det, mut least, mut largest) =
        (S::constant(1.0), S::Base::infinity(), S::Base::from_double(0.0));
    for k in 0..n {
        let (left, right) = a.split_at_mut((k + 1) * n);
        let column = &mut left[k * n..];
        let mut pivot = (k, column[k].size());
        for (i, x) in column.iter().enumerate().skip(k + 1) {
            if x.size() > pivot.1 {
                pivot = (i, x.size());
            }
        }
        if !is_pivot(pivot.1) {
            return None;
        }
        (least, largest) = (Float::min(least, pivot.1), Float::max(largest, pivot.1));
        if pivot.0 != k {
            column.swap(k, pivot.0);
            right.chunks_exact_mut(n).for_each(|column| column.swap(k, pivot.0));
            det = -det;
        }
        let (own, l) = column[k..].split_first_mut().expect("a row");
        det *= *own;
        let reciprocal = S::constant(1.0) / *own;
        l.iter_mut().for_each(|l| *l *= reciprocal);
        for column in right.chunks_exact_mut(n) {
            let (&mut u, below) = column[k..].split_first_mut().expect("a row");
            below.iter_mut().zip(&*l).for_each(|(x, &l)| *x -= l * u);
        }
    }
    // Rows and columns are balanced: pivots of one size are no rounding beside their columns either.
    let of_one_size = least * S::Base::from_double(SAFE) > largest;
    (of_one_size || (1..n).all(|k| is_safe(a, n, k))).then_some(det)
}

/// The determinant by elimination with complete pivoting as far as there are pivots worth the name; what is left is
/// a block of (nearly) zeros whose determinant is formed without division. So it has its derivatives of every order
/// where the matrix is singular, of any rank.
pub(super) fn det<S: Entry, D: Dim>(mut a: OMatrix<S, D, D>) -> S
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    let mut det = S::constant(1.0);
    let mut largest = S::Base::from_double(0.0);
    for k in 0..n {
        let places = (k..n).flat_map(|j| (k..n).map(move |i| (i, j)));
        let size = |&(i, j): &(usize, usize)| a[(i, j)].size();
        let better = |best, place| if size(&place) > size(&best) { place } else { best };
        let (i, j) = places.fold((k, k), better);
        let pivot = a[(i, j)].size();
        if Float::is_finite(pivot) {
            largest = Float::max(largest, pivot);
        }
        let noise = <S::Base as Float>::epsilon() * S::Base::from_double((4 * n) as f64) * largest;
        if n - k <= 3 || pivot <= noise {
            return det * divisionless_det(n - k, |i, j| a[(k + i, k + j)]);
        }
        for (moved, of) in [(i, k), (j, k)] {
            if moved != of {
                det = -det;
            }
        }
        a.swap_rows(i, k);
        a.swap_columns(j, k);
        det *= a[(k, k)];
        let reciprocal = S::constant(1.0) / a[(k, k)];
        for i in k + 1..n {
            let l = a[(i, k)] * reciprocal;
            for j in k + 1..n {
                let u = a[(k, j)];
                a[(i, j)] -= l * u;
            }
        }
    }
    det
}

/// The determinant by products and sums alone: cofactors of up to three rows, beyond in `O(n⁴)` operations by R. S.
/// Bird, A simple division-free algorithm for computing determinants, Inf. Process. Lett. 111 (2011).
fn divisionless_det<S: Entry>(n: usize, a: impl Fn(usize, usize) -> S) -> S {
    let minor = |i: usize, j: usize| a(1, i) * a(2, j) - a(1, j) * a(2, i);
    match n {
        0 => return S::constant(1.0),
        1 => return a(0, 0),
        2 => return a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0),
        3 => return a(0, 0) * minor(1, 2) - a(0, 1) * minor(0, 2) + a(0, 2) * minor(0, 1),
        _ => {}
    }
    let a = DMatrix::from_fn(n, n, a);
    let mut f = a.clone();
    for _ in 1..n {
        // μ(F): the part above the diagonal, and on it the negated sums of what follows there.
        let mut below = S::constant(0.0);
        let mut mu = f.clone();
        for i in (0..n).rev() {
            mu[(i, i)] = -below;
            below += f[(i, i)];
            (0..i).for_each(|j| mu[(i, j)] = S::constant(0.0));
        }
        let entry = |i, j| S::sum_of_products((i..n).map(|k| (mu[(i, k)], a[(k, j)])));
        f = DMatrix::from_fn(n, n, entry);
    }
    if n.is_multiple_of(2) { -f[(0, 0)] } else { f[(0, 0)] }
}

/// The inverse of up to three rows by cofactors, where no product that enters the determinant is much larger than the
/// determinant itself, and this not much smaller than the entries allow; elimination is more accurate elsewhere.
#[inline]
pub(super) fn inverse<S: Entry, D: Dim>(a: &OMatrix<S, D, D>) -> Option<OMatrix<S, D, D>>
where
    DefaultAllocator: Allocator<D, D>,
{
    let n = a.nrows();
    if n != 2 && n != 3 {
        return None;
    }
    let size = |i: usize, j: usize| a[(i, j)].size();
    let most = match n {
        2 => size(0, 0) * size(1, 1) + size(0, 1) * size(1, 0),
        _ => {
            let minor = |i: usize, j: usize| size(1, i) * size(2, j) + size(1, j) * size(2, i);
            size(0, 0) * minor(1, 2) + size(0, 1) * minor(0, 2) + size(0, 2) * minor(0, 1)
        }
    };
    let det = divisionless_det(n, |i, j| a[(i, j)]);
    let largest = a.iter().fold(S::Base::from_double(0.0), |largest, x| Float::max(largest, x.size()));
    let usual = Float::powi(largest, n as i32) * S::Base::from_double(1e-4);
    let regular = most <= det.size() * S::Base::from_double(8.0) && det.size() > usual;
    if !(is_moderate(largest) && regular) {
        return None;
    }
    let reciprocal = S::constant(1.0) / det;
    let (rows, columns) = a.shape_generic();
    if n == 2 {
        let entries = [a[(1, 1)], -a[(1, 0)], -a[(0, 1)], a[(0, 0)]];
        return Some(OMatrix::from_iterator_generic(rows, columns, entries.map(|c| c * reciprocal)));
    }
    Some(OMatrix::from_fn_generic(rows, columns, |j, i| {
        let ((p, q), (r, s)) = (((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3));
        (a[(p, r)] * a[(q, s)] - a[(p, s)] * a[(q, r)]) * reciprocal
    }))
}

/// Eigenvalues of `[a, b; b, c]`, ascending, and the vector of the second; none where they are equal to rounding or
/// a number isn't finite.
pub(super) fn symmetric_pair<R: Real>(a: R, b: R, c: R) -> Option<[[R; 2]; 2]> {
    let (mean, half) = ((a + c) * R::lit(0.5), (a - c) * R::lit(0.5));
    let radius = Real::hypot(half, b);
    let values = [mean - radius, mean + radius];
    let largest = Float::max(values[0].magnitude(), values[1].magnitude());
    let noise = <R::Base as Float>::epsilon() * largest;
    let distinct = radius.magnitude() > noise && Float::is_finite(largest);
    // (A − λ₁)·x of the axis that keeps its digits.
    let forward = half.primal() >= R::Base::from_double(0.0);
    distinct.then(|| {
        let long = if forward { radius + half } else { radius - half };
        let length = Real::hypot(long, b);
        [values, if forward { [long / length, b / length] } else { [b / length, long / length] }]
    })
}

/// Two numbers of each of two vectors, or columns.
pub(super) type Two<R> = [[R; 2]; 2];

/// `U`, the singular values and `V`, vector by vector, of two real columns, the largest entry of each vector of U
/// positive. None where the values are close to each other or far apart, or squares may leave the range of the float.
pub(super) fn singular_pair<R: Real>([[a, b], [c, d]]: Two<R>) -> Option<(Two<R>, [R; 2], Two<R>)> {
    let float = R::Base::from_double;
    let largest = [a, b, c, d].iter().fold(float(0.0), |most, x| Float::max(most, x.magnitude()));
    if !is_moderate(largest) {
        return None;
    }
    let [[least, most], v] = symmetric_pair(a * a + b * b, a * c + b * d, c * c + d * d)?;
    let det = a * d - c * b;
    let (most, least) = (most.primal(), least.primal());
    if !(most - least > float(0.125) * most && det.magnitude() > float(1e-3) * most) {
        return None;
    }
    // Both bases turn the same way; the sign of the second value goes to its vector.
    let image = [a * v[0] + c * v[1], b * v[0] + d * v[1]];
    let first = Real::hypot(image[0], image[1]);
    let u = image.map(|x| x / first);
    let positive = det.primal() > float(0.0);
    let second = if positive { det / first } else { -det / first };
    let other = if positive { [-v[1], v[0]] } else { [v[1], -v[0]] };
    let (mut u, mut v) = ([u, [-u[1], u[0]]], [v, other]);
    for (u, v) in u.iter_mut().zip(&mut v) {
        let pivot = if u[1].magnitude() > u[0].magnitude() { u[1] } else { u[0] };
        if pivot.primal() < float(0.0) {
            (*u, *v) = (u.map(|x| -x), v.map(|x| -x));
        }
    }
    Some((u, [first, second], v))
}
