//! Comparison of two structures part by part, without their numbers.

use std::cell::RefCell;

use super::Components;
use crate::error::AdError;
use crate::number::Real;

/// The part that states the variant of an enum: no container is that long.
#[doc(hidden)]
pub fn variant(place: usize) -> (usize, usize) {
    (usize::MAX - place, 0)
}

thread_local! {
    /// A buffer, so that comparisons allocate nothing.
    static EXPECTED: RefCell<Outline> = const { RefCell::new(Outline { parts: Vec::new(), dimension: 0 }) };
}

/// Whether a part states the number of parts that follow.
fn is_container(part: (usize, usize)) -> bool {
    part.1 == 0 && isize::try_from(part.0).is_ok()
}

/// Rows and columns of the parts in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outline {
    parts: Vec<(usize, usize)>,
    /// The dimension of the space of tangents.
    dimension: usize,
}

impl Outline {
    pub(crate) fn of<T: Real, L, X: Components<T, L> + ?Sized>(x: &X) -> Self {
        let mut outline = Outline::default();
        outline.refill(x);
        outline
    }
    /// Becomes the outline of `x`; memory is used again.
    pub(crate) fn refill<T: Real, L, X: Components<T, L> + ?Sized>(&mut self, x: &X) {
        self.parts.clear();
        x.outline(&mut |part| self.parts.push(part));
        self.dimension = self.parts.iter().map(|(rows, columns)| rows * columns).sum();
    }
    /// The dimension of the space of tangents.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }
    /// Whether `x` has this outline.
    #[inline]
    pub(crate) fn fits<T: Real, L, X: Components<T, L> + ?Sized>(&self, x: &X) -> bool {
        let (mut parts, mut fits) = (self.parts.iter(), true);
        x.outline(&mut |part| fits &= parts.next() == Some(&part));
        fits && parts.next().is_none()
    }
    /// `Ok` if the tangents of `x` have this structure.
    #[inline]
    pub(crate) fn check<T: Real, L, X: Components<T, L> + ?Sized>(
        &self,
        op: &'static str,
        what: &'static str,
        x: &X,
    ) -> Result<(), AdError> {
        if self.fits(x) { Ok(()) } else { Err(self.mismatch(op, what, &Outline::of(x))) }
    }
    /// The first part that differs.
    #[cold]
    fn mismatch(&self, op: &'static str, what: &'static str, got: &Outline) -> AdError {
        let (expected, got) = (&self.parts, &got.parts);
        let pairs = expected.iter().zip(got);
        let Some((part, (&e, &g))) = pairs.enumerate().find(|(_, (e, g))| e != g) else {
            return AdError::Structure { op, what, part: expected.len().min(got.len()) };
        };
        let sizes = if is_container(e) && is_container(g) {
            AdError::check_len(op, what, e.0, g.0)
        } else if e.1 > 0 && g.1 > 0 {
            AdError::check_dimensions(op, what, e, g)
        } else {
            Ok(())
        };
        sizes.err().unwrap_or(AdError::Structure { op, what, part })
    }
}

/// The dimension of the space of tangents.
pub(crate) fn dimension<T: Real, L, X: Components<T, L> + ?Sized>(x: &X) -> usize {
    let mut sum = 0;
    x.outline(&mut |(rows, columns)| sum += rows * columns);
    sum
}

/// The part for contiguous numbers.
#[inline]
pub(crate) fn only_part<T: Real, L, X: Components<T, L> + ?Sized>(x: &X) -> (usize, usize) {
    let mut only = (0, 0);
    x.outline(&mut |part| only = part);
    only
}

/// `Ok` if the tangents of `x` and `y` have the same structure.
#[inline]
pub(crate) fn check<T, S, L, X, Y>(op: &'static str, what: &'static str, x: &X, y: &Y) -> Result<(), AdError>
where
    T: Real,
    S: Real,
    X: Components<T, L> + ?Sized,
    Y: Components<S, L> + ?Sized,
{
    if x.contiguous().is_some() && y.contiguous().is_some() {
        return AdError::check_dimensions(op, what, only_part(x), only_part(y));
    }
    let mut expected = EXPECTED.try_with(RefCell::take).unwrap_or_default();
    expected.refill(x);
    let verdict = expected.check(op, what, y);
    let _ = EXPECTED.try_with(|kept| kept.replace(expected));
    verdict
}
