//! QR factors of small matrices in the arithmetic of the numbers, by the modified Gram–Schmidt process, applied
//! twice: Giraud, Langou, Rozložník and van den Eshof, Rounding error analysis of the classical Gram–Schmidt
//! orthogonalization process, Numer. Math. 101 (2005).
//!
//! It supplements nalgebra's reflections, with which least squares take 5.6 times as long at 2 rows, 2.4 times at 6, QR
//! 3.5 and 1.8 times; at `DualN<4>` 11 and 3.3, 9.6 and 5.9 times. It can be removed when reflections compute
//! tangents at this cost.

use nalgebra::{DefaultAllocator, Dim, OMatrix, allocator::Allocator};

use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::largest_size;
use crate::matrix::kernels::quotient::quotient;
use crate::matrix::kernels::small::is_moderate;
use crate::matrix::sizes::SMALL;
use crate::number::{BaseFloat, Number};

/// The least part of a column that is independent of the others, relative to its length. Householder reflections
/// handle other columns, and columns whose powers may overflow or underflow.
const OWN: f64 = 1e-3;

/// Whether a matrix is small enough.
pub(crate) fn fits((m, n): (usize, usize)) -> bool {
    m <= SMALL && n <= m
}

/// Overwrites the m × n matrix whose columns begin `q` by Q, and the zero matrix R. Returns false, with meaningless
/// contents, if a column violates the conditions above.
#[inline]
pub(crate) fn orthogonalise<S: Entry>(q: &mut [S], r: &mut [S], (m, n): (usize, usize)) -> bool {
    for j in 0..n {
        let (left, own) = q.split_at_mut(j * m);
        let (own, r) = (&mut own[..m], &mut r[j * n..(j + 1) * n]);
        let largest = largest_size(&*own);
        if !is_moderate(largest) {
            return false;
        }
        for _ in 0..2 {
            for (column, r) in left.chunks_exact(m).zip(&mut *r) {
                let known =
                    column.iter().zip(&*own).fold(S::constant(0.0), |s, (q, &x)| s + q.conjugated() * x);
                own.iter_mut().zip(column).for_each(|(x, &q)| *x -= q * known);
                *r += known;
            }
        }
        let square = |x: &S| {
            let (a, b) = (x.real_part(), x.imaginary_part());
            if S::IS_REAL { a * a } else { a * a + b * b }
        };
        let norm = Number::sqrt(own.iter().map(square).fold(S::Re::lit(0.0), |a, b| a + b));
        let length = S::of_real(norm);
        // Nothing that is not finite is independent.
        let independent = length.size() > largest * S::Base::from_double(OWN);
        if !independent {
            return false;
        }
        own.iter_mut().for_each(|x| *x /= length);
        r[j] = length;
    }
    true
}

/// The least-squares solutions `R⁻¹QᴴB`, in the order of operations of the rule.
#[inline]
pub(crate) fn solution<S: Entry, C: Dim, K: Dim>(
    (q, r): (&[S], &[S]),
    b: &[S],
    m: usize,
    shape: (C, K),
) -> OMatrix<S, C, K>
where
    DefaultAllocator: Allocator<C, K>,
{
    let n = shape.0.value();
    let product = |i: usize, c: usize| {
        let pairs = q[i * m..(i + 1) * m].iter().zip(&b[c * m..(c + 1) * m]);
        S::sum_of_products(pairs.map(|(q, &b)| (q.conjugated(), b)))
    };
    let mut x = OMatrix::from_fn_generic(shape.0, shape.1, product);
    for c in 0..shape.1.value() {
        for k in (0..n).rev() {
            x[(k, c)] = quotient(x[(k, c)], r[k * n + k]);
            let known = x[(k, c)];
            (0..k).for_each(|i| x[(i, c)] -= r[k * n + i] * known);
        }
    }
    x
}
