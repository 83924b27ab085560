//! Whether two structures agree: compared part by part, numbers aside.

use super::Components;
use crate::error::AdError;
use crate::number::Real;

/// The part that says which variant of an enum follows: no container is so long.
#[doc(hidden)]
pub fn variant(place: usize) -> (usize, usize) {
    (usize::MAX - place, 0)
}

/// Whether a part says how many parts follow.
fn is_container(part: (usize, usize)) -> bool {
    part.1 == 0 && isize::try_from(part.0).is_ok()
}

/// Rows and columns of the parts in order; nothing is allocated for a single part.
struct Outline {
    first: Option<(usize, usize)>,
    others: Vec<(usize, usize)>,
}

impl Outline {
    fn of<T: Real, L, X: Components<T, L> + ?Sized>(x: &X) -> Self {
        let (mut first, mut others) = (None, Vec::new());
        x.outline(&mut |part| {
            if first.is_none() {
                first = Some(part);
            } else {
                others.push(part);
            }
        });
        Outline { first, others }
    }
    fn parts(&self) -> impl Iterator<Item = (usize, usize)> {
        self.first.into_iter().chain(self.others.iter().copied())
    }
}

/// The dimension of the space of tangents.
pub(crate) fn dimension<T: Real, L, X: Components<T, L> + ?Sized>(x: &X) -> usize {
    let mut sum = 0;
    x.outline(&mut |(rows, columns)| sum += rows * columns);
    sum
}

/// The part of numbers that lie side by side.
#[inline]
fn only_part<T: Real, L, X: Components<T, L> + ?Sized>(x: &X) -> (usize, usize) {
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
    let (expected, got) = (Outline::of(x), Outline::of(y));
    let mut pairs = expected.parts().zip(got.parts()).enumerate();
    match pairs.find(|(_, (e, g))| e != g) {
        Some((_, (e, g))) if is_container(e) && is_container(g) => AdError::check_len(op, what, e.0, g.0),
        Some((_, (e, g))) if e.1 > 0 && g.1 > 0 => AdError::check_dimensions(op, what, e, g),
        Some((part, _)) => Err(AdError::Structure { op, what, part }),
        None => {
            let (e, g) = (expected.parts().count(), got.parts().count());
            if e == g { Ok(()) } else { Err(AdError::Structure { op, what, part: e.min(g) }) }
        }
    }
}
