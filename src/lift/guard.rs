//! Checks user-defined rules for NaN. A rule that returns NaN for finite numbers is reported, with the index of the
//! result (forward) or of the argument (reverse).

use num_traits::Float;

use super::{
    Apply, Direction, Extension, Passive, Primitive, Series, TangentLanes, Transpose, by_derivative, lane_of,
    tangents_in, views_of_some, views_of_some_mut, zeros_of_some,
};
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::{BaseFloat, Number, PrimalNumber, Real};

/// A primitive whose derivatives are checked for NaN. The rules of this crate are not checked.
#[derive(Clone)]
pub(crate) struct NanChecked<R>(pub(crate) R);

impl<P: PrimalNumber, R: Primitive<P> + Passive> Primitive<P> for NanChecked<R> {
    type Map<T: Extension<P>> = NanCheckedMap<R::Map<T>>;
    const HELD: usize = R::HELD;
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        self.0.value(x)
    }
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, y: &[T]) -> Result<Self::Map<T>, AdError> {
        let (lengths, lost) = finite(&x, y);
        let map = self.0.linearize(x, y)?;
        if lost.is_some() {
            let (op, result) = (self.0.name(), lost);
            return Err(AdError::NotANumber { op, rule: "value", argument: None, x: None, result });
        }
        Ok(NanCheckedMap { map, name: self.0.name(), lengths })
    }
    fn supports(&self, direction: Direction) -> bool {
        self.0.supports(direction)
    }
    fn tangents<S: TangentLanes<Primal = P, Base = P::Base>>(
        &self,
        guarded: &Self::Map<S::Part>,
        x: &[&[S]],
        active: &[bool],
        y: Vec<S::Part>,
    ) -> Vec<S> {
        let y = self.0.tangents(&guarded.map, x, active, y);
        if guarded.lengths.is_some() && y.iter().copied().any(has_nan) {
            for lane in 0..S::LANES {
                let tangents = tangents_in(lane, x, active);
                guarded.look_at_tangents(&views_of_some(&tangents), &lane_of(&y, lane));
            }
        }
        y
    }
    /// The series of the rule; if it has NaN, it is computed again by checked derivatives.
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        guarded: &Self::Map<S::Part>,
        x: &[&[S]],
        y: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let found = self.0.series(&guarded.map, x, y.clone(), n)?;
        if guarded.lengths.is_some() && found.iter().copied().any(has_nan) {
            return by_derivative(self, guarded, x, y, n);
        }
        Ok(found)
    }
}

/// The lengths of the groups if all numbers are finite, and the first result that is NaN where the arguments are finite.
#[allow(clippy::type_complexity)]
fn finite<T: Number>(x: &[Vec<T>], y: &[T]) -> (Option<Box<[usize]>>, Option<usize>) {
    if !x.iter().flatten().all(|x| x.all_finite()) {
        return (None, None);
    }
    let lengths = y.iter().all(|y| y.all_finite()).then(|| x.iter().map(Vec::len).collect());
    (lengths, y.iter().position(|y| has_nan(y.innermost())))
}

/// The derivative of a primitive, checked for NaN.
///
/// # Panics
/// In either direction, if the result is NaN although the argument, the results and the tangents or cotangents are
/// finite, and is NaN again with zeros among these replaced by ones. The second test excludes a zero times an
/// infinite partial, which is not a fault of the rule. The message is the text of [`AdError::NotANumber`].
/// ```
/// use std::panic::{AssertUnwindSafe, catch_unwind};
/// use wengert::{LinearMap, primitive::{from_jvp, linearize}};
/// let square = |x: &[&[f64]]| vec![x[0][0] * x[0][0]];
/// let good = from_jvp("square", 1, square, |x, dx| vec![2.0 * x[0][0] * dx[0][0]]);
/// let (_, map) = linearize(&good, &[&[3.0]])?;
/// let mut dy = [0.0];
/// map.apply(&[Some(&[1.0])], &mut dy);
/// assert_eq!(dy, [6.0]);
///
/// let bad = from_jvp("square", 1, square, |_, _| vec![f64::NAN]);
/// let (_, map) = linearize(&bad, &[&[3.0]])?;
/// let apply = || map.apply(&[Some(&[1.0])], &mut [0.0]);
/// let panic = catch_unwind(AssertUnwindSafe(apply)).unwrap_err();
/// let message = "square: its jvp is NaN in result 0, although all its inputs are finite";
/// assert_eq!(panic.downcast_ref::<String>().unwrap(), message);
/// # Ok::<(), wengert::AdError>(())
/// ```
pub struct NanCheckedMap<M> {
    map: M,
    name: &'static str,
    /// The lengths of the groups, if argument and results are finite.
    lengths: Option<Box<[usize]>>,
}

impl<M> NanCheckedMap<M> {
    /// Panics if the rule is to blame for NaN among tangents of results.
    #[cold]
    #[track_caller]
    fn look_at_tangents<T: Number>(&self, tangents: &[Option<&[T]>], out: &[T])
    where
        M: LinearMap<T>,
    {
        let Some(lengths) = &self.lengths else { return };
        if let Some(result) = lost_result(&|x, y| self.map.apply(x, y), lengths, tangents, out) {
            let (op, result) = (self.name, Some(result));
            panic!("{}", AdError::NotANumber { op, rule: "jvp", argument: None, x: None, result })
        }
    }
    /// Panics if the rule is to blame for NaN among cotangents of arguments.
    #[cold]
    fn look_at_cotangents<T: Number>(&self, cotangent: &[T], out: &[Option<&mut [T]>])
    where
        M: LinearMap<T>,
    {
        if let Some((group, i)) = lost_argument(&|w, x| self.map.apply_transpose_add(w, x), cotangent, out) {
            let (op, argument) = (self.name, Some((group, i)));
            let x = self.map.argument(group, i).filter(|_| T::REAL).map(|x| x.re().primal().to_double());
            panic!("{}", AdError::NotANumber { op, rule: "vjp", argument, x, result: None })
        }
    }
}

/// The result that is NaN although the tangents are finite, and is NaN again with ones in place of their zeros.
fn lost_result<T: Number>(
    apply: Apply<'_, T>,
    lengths: &[usize],
    tangents: &[Option<&[T]>],
    out: &[T],
) -> Option<usize> {
    if !out.iter().copied().any(has_nan)
        || !tangents.iter().flatten().flat_map(|t| t.iter()).all(|t| t.all_finite())
    {
        return None;
    }
    let full = |(t, &len): (&Option<&[T]>, &usize)| t.map_or(vec![T::lit(1.0); len], without_zeros);
    let full: Vec<_> = tangents.iter().zip(lengths).map(full).collect();
    let mut again = vec![T::lit(0.0); out.len()];
    apply(&full.iter().map(|t| Some(&t[..])).collect::<Vec<_>>(), &mut again);
    (0..out.len()).find(|&i| has_nan(out[i]) && has_nan(again[i]))
}

/// The argument whose cotangent is NaN although the cotangents of the results are finite, and is NaN again with ones in
/// place of their zeros.
fn lost_argument<T: Number>(
    transpose: Transpose<'_, T>,
    cotangent: &[T],
    out: &[Option<&mut [T]>],
) -> Option<(usize, usize)> {
    if !cotangent.iter().all(|w| w.all_finite()) {
        return None;
    }
    let sums = |cotangent: &[T]| {
        let mut sums = zeros_of_some(out);
        transpose(cotangent, &mut views_of_some_mut(&mut sums));
        sums
    };
    // `out` may have held NaN before.
    let (once, again) = (sums(cotangent), sums(&without_zeros(cotangent)));
    once.iter().zip(&again).enumerate().find_map(|(group, (once, again))| {
        let mut pairs = once.iter().flatten().zip(again.iter().flatten());
        Some((group, pairs.position(|(&once, &again)| has_nan(once) && has_nan(again))?))
    })
}

/// Whether a component is NaN.
pub(crate) fn has_nan<T: Number>(x: T) -> bool {
    // The sum of all components is NaN for infinities of both signs, too.
    let mut found = false;
    if Float::is_nan(x.component_sum()) {
        x.visit(&mut |part| found |= part.is_nan());
    }
    found
}

fn any_nan<T: Number>(groups: &[Option<&mut [T]>]) -> bool {
    groups.iter().flatten().flat_map(|group| group.iter()).any(|&x| has_nan(x))
}

/// Ones in place of zeros.
fn without_zeros<T: Number>(given: &[T]) -> Vec<T> {
    given.iter().map(|&t| if t.is_exactly_zero() { T::lit(1.0) } else { t }).collect()
}

impl<T: Number, M: LinearMap<T>> LinearMap<T> for NanCheckedMap<M> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        self.map.apply(tangents, out);
        if self.lengths.is_some() && out.iter().copied().any(has_nan) {
            self.look_at_tangents(tangents, out);
        }
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        self.map.apply_transpose_add(cotangent, out);
        if self.lengths.is_some() && any_nan(out) {
            self.look_at_cotangents(cotangent, out);
        }
    }
    fn argument(&self, group: usize, index: usize) -> Option<T> {
        self.map.argument(group, index)
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn bytes(&self) -> usize {
        self.map.bytes() + self.lengths.as_ref().map_or(0, |lengths| size_of_val(&lengths[..]))
    }
}
