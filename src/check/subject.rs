//! Rules, functions and primitives as functions of complex numbers, and lines through their points.

use super::parts::{C, largest};
use super::sample::Sample;
use crate::error::AdError;
use crate::linear_map::LinearMap;
use crate::number::Number;

/// Steps of smaller arguments underflow, and longer ones may overflow.
const SMALLEST: f64 = 1e-307;
const LONGEST: f64 = 1e307;
/// The size of the smallest steps of components, relative to the largest component.
const LEAST: f64 = 1e-3;
/// The complex step relative to the argument: its square is negligible, its product with derivatives is not.
pub(super) const COMPLEX_STEP: f64 = 1e-100;

/// The entries of a reference for one partial.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum PartialEntries {
    /// One real number.
    Real,
    /// The real and the imaginary part of a complex derivative.
    Holomorphic,
    /// A matrix of the real and imaginary parts of result and argument.
    Parts,
}

/// A rule, a function or a primitive, as a function of complex numbers. A real one takes and returns real parts.
pub(super) struct Subject<'a> {
    pub(super) derivative: Derivative<'a>,
    pub(super) complex_step: ComplexStep<'a>,
    pub(super) entries: PartialEntries,
}

/// The derivative along one or two directions, in turn; along none, the value.
type Derivative<'a> = &'a dyn Fn(&[C], &[&[C]]) -> Result<Vec<C>, AdError>;
/// The derivative along a direction by a complex step, and whether it decides where differences cannot.
type ComplexStep<'a> = &'a dyn Fn(&[C], &[C]) -> Option<(Vec<f64>, bool)>;

/// A line along which a derivative is compared with differences.
pub(super) struct ProbeLine {
    /// Which derivative.
    pub(super) what: String,
    /// Sizes of steps to try, and a direction of each size.
    pub(super) directions: Vec<(f64, Vec<C>)>,
    /// For a second derivative, the direction of the first.
    pub(super) fixed: Vec<Vec<C>>,
    /// The period of the function along the line, if it may be less than 1.
    pub(super) period: f64,
}

/// The sizes of steps to try: the size of the argument, and 1 for small arguments.
pub(super) fn sizes(size: f64) -> Vec<f64> {
    match size {
        size if size < SMALLEST => vec![1.0],
        size if size < 1.0 => vec![size, 1.0],
        size => vec![size],
    }
}

/// The size of the largest number.
pub(super) fn longest(x: &[C]) -> f64 {
    largest(x.iter().map(|x| x.norm()))
}

/// The lengths of the groups of an argument, and which groups take part.
#[derive(Clone)]
pub(super) struct ArgumentGroups {
    pub(super) lengths: Vec<usize>,
    pub(super) active: Vec<bool>,
}

impl ArgumentGroups {
    /// All groups take part.
    pub(super) fn new(lengths: impl IntoIterator<Item = usize>) -> ArgumentGroups {
        let lengths: Vec<usize> = lengths.into_iter().collect();
        ArgumentGroups { active: vec![true; lengths.len()], lengths }
    }
    /// Each group alone, if there are several.
    pub(super) fn alone(&self) -> Vec<ArgumentGroups> {
        let n = self.lengths.len();
        let alone = |group| ArgumentGroups { active: (0..n).map(|i| i == group).collect(), ..self.clone() };
        if n > 1 { (0..n).map(alone).collect() } else { vec![] }
    }
    /// The number of all numbers.
    pub(super) fn total(&self) -> usize {
        self.lengths.iter().sum()
    }
    /// Numbers by groups.
    pub(super) fn split<'x, T>(&self, mut x: &'x [T]) -> Vec<&'x [T]> {
        self.lengths.iter().map(|&length| x.split_off(..length).expect("numbers of all groups")).collect()
    }
    /// Group and index of each number.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        self.lengths.iter().enumerate().flat_map(|(group, &length)| (0..length).map(move |i| (group, i)))
    }
    /// The numbers of the active groups, and zeros.
    pub(super) fn only<T: Number>(&self, x: &[T]) -> Vec<T> {
        let one = |(&x, (group, _)): (&T, (usize, usize))| if self.active[group] { x } else { T::lit(0.0) };
        x.iter().zip(self.places()).map(one).collect()
    }
    /// `Jẋ` of the active groups; `dy` is overwritten.
    pub(super) fn apply<T: Number>(&self, map: &dyn LinearMap<T>, dx: &[T], mut dy: Vec<T>) -> Vec<T> {
        let dx = self.split(dx).into_iter().zip(&self.active).map(|(dx, active)| active.then_some(dx));
        map.apply(&dx.collect::<Vec<_>>(), &mut dy);
        dy
    }
    /// The active groups of `Jᴴȳ`, added to `sums`.
    pub(super) fn transpose<T: Number>(&self, map: &dyn LinearMap<T>, w: &[T], mut sums: Vec<T>) -> Vec<T> {
        let (mut rest, mut wanted) = (&mut sums[..], Vec::new());
        for (&length, active) in self.lengths.iter().zip(&self.active) {
            let group = rest.split_off_mut(..length).expect("numbers of all groups");
            wanted.push(active.then_some(group));
        }
        map.apply_transpose_add(w, &mut wanted);
        sums
    }
    /// A random direction of `P` in the active groups. Its components have the size of the numbers at the point, or
    /// `size` where that is larger than all numbers.
    pub(super) fn direction<P: Number>(&self, sample: &mut Sample, x: &[C], size: f64) -> Vec<C> {
        let mut one = |x: C, least: f64| {
            let random = if P::REAL { C::from(sample.next()) } else { sample.number() };
            random * x.norm().max(least).min(LONGEST)
        };
        let group = |group: &[C]| -> Vec<C> {
            let least = match longest(group) {
                _ if size > longest(x) => size,
                0.0 => 1.0,
                most => LEAST * most,
            };
            group.iter().map(|&x| one(x, least)).collect()
        };
        self.only(&self.split(x).into_iter().flat_map(group).collect::<Vec<C>>())
    }
    /// A line through a point in the active groups.
    pub(super) fn line<P: Number>(&self, what: &str, sample: &mut Sample, x: &[C]) -> ProbeLine {
        let sizes = sizes(longest(x)).into_iter();
        let directions = sizes.map(|size| (size, self.direction::<P>(sample, x, size))).collect();
        ProbeLine { what: what.into(), directions, fixed: vec![], period: 1.0 }
    }
}
