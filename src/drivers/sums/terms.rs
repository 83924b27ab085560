//! The terms of a sum as an object that runs at every number type.

use super::linear::TakeForms;
use crate::number::Real;

/// The terms of a sum over data, each a function of a few of the parameters, which it states.
///
/// Terms stand in groups. A group may have a part that its terms share, like the rotation of a camera for all that the
/// camera saw: it is worked out once, in [`group`](Terms::group), which returns the terms. What a function reads are the
/// inputs that were stated, and nothing else of the parameters, so no derivative can be missed. A term that uses a number
/// which another term left behind, in a `Cell` for example, panics: the first terms of every 256 are looked at, once.
///
/// A term has one result or several; [`Sum`](super::Sum) adds all of them, [`LeastSquares`](super::LeastSquares) adds
/// their squares. A pair `(a, b)` of such objects has the terms of both: a regulariser is another term.
///
/// ```
/// use wengert::{Real, sums::{LeastSquares, Terms}};
/// /// `y ≈ a·e^(−bt)`.
/// struct Decay { data: Vec<[f64; 2]> }
/// impl Terms for Decay {
///     fn count(&self, _group: usize) -> usize { self.data.len() }
///     fn inputs(&self, _: usize, _: usize, out: &mut Vec<usize>) { out.extend([0, 1]) }
///     fn group<T: Real<Base = f64>>(
///         &self, _: usize, _: &[T],
///     ) -> impl Fn(usize, &[T], &mut [T]) {
///         |i, p, r| {
///             let [t, y] = self.data[i];
///             r[0] = p[0] * (-p[1] * t).exp() - y;
///         }
///     }
/// }
/// /// `b ≈ 1`, as one more residual.
/// struct Prior;
/// impl Terms for Prior {
///     fn count(&self, _group: usize) -> usize { 1 }
///     fn inputs(&self, _: usize, _: usize, out: &mut Vec<usize>) { out.push(1) }
///     fn group<T: Real<Base = f64>>(
///         &self, _: usize, _: &[T],
///     ) -> impl Fn(usize, &[T], &mut [T]) {
///         |_, p, r| r[0] = (p[0] - 1.0) * 0.1
///     }
/// }
/// let data = vec![[0.0, 2.0], [1.0, 1.0], [2.0, 0.5]];
/// let terms = (Decay { data }, Prior);
/// let mut g = [0.0; 2];
/// let value = LeastSquares::new(&terms, 2)?.gradient(&[2.0, 1.0], &mut g)?;
/// assert!(value > 0.0 && g[1] > 0.0);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub trait Terms: Sync {
    /// How many groups there are.
    fn groups(&self) -> usize {
        1
    }
    /// How many terms the group has.
    fn count(&self, group: usize) -> usize;
    /// How many results the term has.
    fn results(&self, group: usize, term: usize) -> usize {
        let _ = (group, term);
        1
    }
    /// Appends the places of the parameters that the shared part of the group reads.
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        let _ = (group, out);
    }
    /// Appends the places of the parameters that the term reads by itself.
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        let _ = (group, term, out);
    }
    /// The terms of a group, from its shared inputs. The function takes the number of a term in the group, the term's own
    /// inputs, and a buffer for its results, which holds NaN.
    fn group<T: Real<Base = f64>>(&self, group: usize, shared: &[T]) -> impl Fn(usize, &[T], &mut [T]);
    /// Whether the terms of the group are [`Alike`](super::Alike); then these are their data and their function.
    #[doc(hidden)]
    fn is_alike(&self, group: usize) -> bool {
        let _ = group;
        false
    }
    #[doc(hidden)]
    fn data(&self, group: usize, term: usize, out: &mut Vec<f64>) {
        let _ = (group, term, out);
    }
    #[doc(hidden)]
    #[allow(clippy::type_complexity)]
    fn alike<T: Real<Base = f64>>(
        &self,
        group: usize,
        shared: &[T],
    ) -> Option<impl Fn(&[T], &[T], &mut [T])> {
        let _ = (group, shared);
        None::<fn(&[T], &[T], &mut [T])>
    }
    /// Hands over the group's linear forms, if its terms are functions of such.
    #[doc(hidden)]
    fn with_forms(&self, group: usize, take: &mut impl TakeForms) {
        let _ = (group, take);
    }
}

/// Hands on to what it refers to.
impl<F: Terms> Terms for &F {
    fn groups(&self) -> usize {
        F::groups(self)
    }
    fn count(&self, group: usize) -> usize {
        F::count(self, group)
    }
    fn results(&self, group: usize, term: usize) -> usize {
        F::results(self, group, term)
    }
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        F::shared_inputs(self, group, out);
    }
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        F::inputs(self, group, term, out);
    }
    fn group<T: Real<Base = f64>>(&self, group: usize, shared: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        F::group(self, group, shared)
    }
    fn is_alike(&self, group: usize) -> bool {
        F::is_alike(self, group)
    }
    fn data(&self, group: usize, term: usize, out: &mut Vec<f64>) {
        F::data(self, group, term, out);
    }
    fn alike<T: Real<Base = f64>>(
        &self,
        group: usize,
        shared: &[T],
    ) -> Option<impl Fn(&[T], &[T], &mut [T])> {
        F::alike(self, group, shared)
    }
    fn with_forms(&self, group: usize, take: &mut impl TakeForms) {
        F::with_forms(self, group, take);
    }
}

/// What the one that has the group says.
macro_rules! of_either {
    ($pair:ident, $group:ident, $f:ident => $answer:expr) => {
        match $group.checked_sub($pair.0.groups()) {
            None => {
                let $f = &$pair.0;
                $answer
            }
            Some($group) => {
                let $f = &$pair.1;
                $answer
            }
        }
    };
}

/// The terms of both.
impl<A: Terms, B: Terms> Terms for (A, B) {
    fn groups(&self) -> usize {
        self.0.groups().saturating_add(self.1.groups())
    }
    fn count(&self, group: usize) -> usize {
        of_either!(self, group, f => f.count(group))
    }
    fn results(&self, group: usize, term: usize) -> usize {
        of_either!(self, group, f => f.results(group, term))
    }
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        of_either!(self, group, f => f.shared_inputs(group, out));
    }
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        of_either!(self, group, f => f.inputs(group, term, out));
    }
    fn group<T: Real<Base = f64>>(&self, group: usize, shared: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        let (first, second) = match group.checked_sub(self.0.groups()) {
            None => (Some(self.0.group(group, shared)), None),
            Some(group) => (None, Some(self.1.group(group, shared))),
        };
        move |term, p: &[T], out: &mut [T]| {
            if let Some(f) = &first {
                f(term, p, out);
            }
            if let Some(f) = &second {
                f(term, p, out);
            }
        }
    }
    fn is_alike(&self, group: usize) -> bool {
        of_either!(self, group, f => f.is_alike(group))
    }
    fn data(&self, group: usize, term: usize, out: &mut Vec<f64>) {
        of_either!(self, group, f => f.data(group, term, out));
    }
    fn alike<T: Real<Base = f64>>(
        &self,
        group: usize,
        shared: &[T],
    ) -> Option<impl Fn(&[T], &[T], &mut [T])> {
        let (first, second) = match group.checked_sub(self.0.groups()) {
            None => (self.0.alike(group, shared), None),
            Some(group) => (None, self.1.alike(group, shared)),
        };
        (first.is_some() || second.is_some()).then_some(move |p: &[T], data: &[T], out: &mut [T]| {
            if let Some(f) = &first {
                f(p, data, out);
            }
            if let Some(f) = &second {
                f(p, data, out);
            }
        })
    }
    fn with_forms(&self, group: usize, take: &mut impl TakeForms) {
        of_either!(self, group, f => f.with_forms(group, take));
    }
}
