//! A sum over data as one operation of any number.

use std::borrow::Borrow;
use std::cell::RefCell;

use crate::number::{Addends, Real};
use crate::pool::{self, Spare};
use crate::space::Components;

/// `Σ f(p, d)` over data: a slice, an iterator, a range of indices. The value is bit for bit that of the loop.
///
/// In reverse mode the terms are recorded a few at a time on a short tape, which is swept and reused. So the memory
/// depends on `p` and some terms, however much data there is, and the tape stays in the processor's caches. The
/// function that holds the sum gets one value with an edge for each number in `p`. It may use the value in any mode
/// and operator: gradients, products with Hessians, Hessians. The exception is a tape inside a number of forward
/// mode, `Dual<Var<f64>>`: there all terms are recorded.
///
/// Compute values that all terms share before the sum, and pass them in `p`, which may have any
/// [structure](crate::space). Everything that derivatives flow through must come in `p`.
///
/// # Panics
/// If a term depends on an active variable that it captured: pass it in `p`.
///
/// ```
/// use wengert::{gradient, hessian, sums::sum_over};
/// // Logistic regression with a prior.
/// let data = [([1.0, 0.5], 1.0), ([1.0, -2.0], 0.0), ([1.0, 1.5], 1.0)];
/// let g = gradient(
///     |w| {
///         let loss = sum_over(w, &data, |w, (x, y)| {
///             let t = w[0] * x[0] + w[1] * x[1];
///             t.softplus() - t * *y
///         });
///         loss + (w[0] * w[0] + w[1] * w[1]) * 0.1
///     },
///     &[0.0; 2],
/// );
/// assert_eq!(g, [-0.5, -2.0]);
///
/// // A shared part, the normalised weights, and indices for data.
/// let x = [0.3, -0.2, 0.9];
/// let mixture = |p: &[wengert::Var<f64>]| {
///     let norm = p[0].exp() + p[1].exp();
///     let shared = (p[0].exp() / norm, p[1].exp() / norm, p[2]);
///     sum_over(&shared, 0..3, |&(a, b, m), i| {
///         ((-(m - x[i]).powi(2)).exp() * a + (-(m + x[i]).powi(2)).exp() * b).ln()
///     })
/// };
/// assert!(gradient(mixture, &[0.0, 0.0, 0.5])[0] != 0.0);
/// ```
#[track_caller]
pub fn sum_over<N, X, D>(p: &X, data: D, mut term: impl FnMut(&X::Arg<N>, D::Item) -> N) -> N
where
    N: Real,
    X: Components<N> + ?Sized,
    D: IntoIterator,
{
    let kept = pool::take::<RefCell<Option<X::With<N>>>>().unwrap_or_default();
    let mut inputs = Spare::new();
    let row = inputs.clear(p.count());
    p.visit(&mut |x| row.push(x));
    let sum = {
        let point = &mut *kept.borrow_mut();
        place(p, point, row);
        let data = data.into_iter();
        N::sum_of_terms(row, &mut TermIterator { p, point, data, term: &mut term })
    };
    pool::give(kept);
    sum
}

/// The remaining terms of a sum.
struct TermIterator<'a, N: Real, X: Components<N> + ?Sized, D, F> {
    p: &'a X,
    /// The point that terms see.
    point: &'a mut Option<X::With<N>>,
    data: D,
    term: F,
}

/// The structure of `p` with these numbers.
fn place<N: Real, X: Components<N> + ?Sized>(p: &X, point: &mut Option<X::With<N>>, numbers: &[N]) {
    let mut numbers = numbers.iter().copied();
    let mut next = |_| numbers.next().expect("as many as there are components");
    match point {
        Some(point) if X::FLAT => p.seed_over(&|x| x, &mut next, point),
        _ => *point = Some(p.map(&mut next)),
    }
}

impl<N, X, D, F> Addends<N> for TermIterator<'_, N, X, D, F>
where
    N: Real,
    X: Components<N> + ?Sized,
    D: Iterator,
    F: FnMut(&X::Arg<N>, D::Item) -> N,
{
    fn move_to(&mut self, inputs: &[N]) {
        place(self.p, self.point, inputs);
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next_term(&mut self) -> Option<N> {
        let point = self.point.as_ref()?;
        Some((self.term)(point.borrow(), self.data.next()?))
    }
}
