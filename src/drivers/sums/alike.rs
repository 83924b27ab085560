//! Terms that are one function of numbers, and run several at once.

use std::cell::RefCell;

use super::terms::Terms;
use crate::number::Real;
use crate::pool::Spare;

/// Terms of a sum that are one function of their inputs and data, so that several can be worked out at once, a term in each
/// lane of a [`Batch`](crate::sums::Batch): [`InLanes`] makes [`Terms`] of it.
///
/// The function is not told which term it is. So all in which terms of a group differ comes as numbers, through
/// [`inputs`](Alike::inputs) and [`data`](Alike::data), and cannot be mistaken for that of another term. Where it
/// branches on them and lanes take different branches, they are worked out one by one: all results are those of the
/// terms alone, values bit for bit, derivatives but for the order in which they are added.
///
/// ```
/// use wengert::{Real, reduce, sums::{Alike, InLanes, Sum}};
/// /// Logistic regression.
/// struct Logistic { rows: Vec<[f64; 2]>, labels: Vec<f64> }
/// impl Alike for Logistic {
///     fn count(&self, _group: usize) -> usize { self.labels.len() }
///     fn shared_inputs(&self, _group: usize, out: &mut Vec<usize>) { out.extend(0..2) }
///     fn data(&self, _group: usize, term: usize, out: &mut Vec<f64>) {
///         out.extend(self.rows[term]);
///         out.push(self.labels[term]);
///     }
///     fn group<T: Real<Base = f64>>(
///         &self, _: usize, w: &[T],
///     ) -> impl Fn(&[T], &[T], &mut [T]) {
///         |_, d, out| {
///             let t = reduce::dot(&d[..2], w);
///             out[0] = t.softplus() - t * d[2];
///         }
///     }
/// }
/// let rows = vec![[1.0, 0.5], [1.0, -2.0], [1.0, 1.5]];
/// let logistic = Logistic { rows, labels: vec![1.0, 0.0, 1.0] };
/// let mut g = [0.0; 2];
/// Sum::new(&InLanes(&logistic), 2)?.gradient(&[0.0; 2], &mut g)?;
/// assert_eq!(g, [-0.5, -2.0]);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub trait Alike: Sync {
    /// How many groups there are.
    fn groups(&self) -> usize {
        1
    }
    /// How many terms the group has.
    fn count(&self, group: usize) -> usize;
    /// How many results each term of the group has.
    fn results(&self, group: usize) -> usize {
        let _ = group;
        1
    }
    /// Appends the places of the parameters that the shared part of the group reads.
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        let _ = (group, out);
    }
    /// Appends the places of the parameters that the term reads by itself, for all terms of the group as many.
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        let _ = (group, term, out);
    }
    /// Appends the data of the term, for all terms of the group as many.
    fn data(&self, group: usize, term: usize, out: &mut Vec<f64>) {
        let _ = (group, term, out);
    }
    /// The function of a group, from its shared inputs. It takes the inputs of a term, its data, and a buffer for its
    /// results, which holds NaN.
    fn group<T: Real<Base = f64>>(&self, group: usize, shared: &[T]) -> impl Fn(&[T], &[T], &mut [T]);
}

/// The [`Terms`] of a function that runs for several of them at once.
#[derive(Debug)]
pub struct InLanes<'a, F>(
    /// The function.
    pub &'a F,
);

impl<F: Alike> Terms for InLanes<'_, F> {
    fn groups(&self) -> usize {
        self.0.groups()
    }
    fn count(&self, group: usize) -> usize {
        self.0.count(group)
    }
    fn results(&self, group: usize, _: usize) -> usize {
        self.0.results(group)
    }
    fn shared_inputs(&self, group: usize, out: &mut Vec<usize>) {
        self.0.shared_inputs(group, out);
    }
    #[inline(always)]
    fn inputs(&self, group: usize, term: usize, out: &mut Vec<usize>) {
        self.0.inputs(group, term, out);
    }
    #[inline]
    fn group<T: Real<Base = f64>>(&self, group: usize, shared: &[T]) -> impl Fn(usize, &[T], &mut [T]) {
        let function = self.0.group(group, shared);
        let mut memory = (Spare::new(), Spare::new());
        memory.0.clear(1);
        memory.1.clear(1);
        let memory = RefCell::new(memory);
        move |term, p, out| {
            let (data, numbers) = &mut *memory.borrow_mut();
            let (data, numbers) = (data.kept(), numbers.kept());
            data.clear();
            numbers.clear();
            self.0.data(group, term, data);
            numbers.extend(data.iter().map(|&d| T::lit(d)));
            function(p, numbers, out);
        }
    }
    fn is_alike(&self, _: usize) -> bool {
        true
    }
    #[inline(always)]
    fn data(&self, group: usize, term: usize, out: &mut Vec<f64>) {
        self.0.data(group, term, out);
    }
    #[inline]
    fn alike<T: Real<Base = f64>>(
        &self,
        group: usize,
        shared: &[T],
    ) -> Option<impl Fn(&[T], &[T], &mut [T])> {
        Some(self.0.group(group, shared))
    }
}
