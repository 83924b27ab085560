//! Rules far from the middle of the range, by way of multiples near it: Δ and Σ multiply each argument and each result
//! by a power of two, which is exact.
//!
//! ```text
//! value      Y = Σ·f(ΔX)
//! tangent    Ẏ = Σ·f′(ΔX)·ΔẊ
//! cotangent  X̄ = Δ·f′(ΔX)ᴴ·ΣȲ
//! ```
//!
//! Tangents and cotangents have scales of their own, and the maps are linear: they are divided by a power of two near
//! their size, by which the image is multiplied. So no intermediate result leaves the range unless the derivative does.

use std::sync::Arc;

use crate::error::AdError;
use crate::lift::{
    Apply, Direction, Extension, Primitive, Series, Transpose, views, views_of_some, views_of_some_mut,
    zeros_of_some,
};
use crate::linear_map::LinearMap;
use crate::matrix::entry::Entry;
use crate::matrix::kernels::balance::{middle, scaled, unit_of};
use crate::matrix::rules::add;
use crate::number::{Number, PrimalNumber};

/// The exponents of powers of two: they bring the arguments of a rule near 1, group by group, and its results then back
/// from there.
#[derive(Clone)]
pub(crate) struct Scales {
    pub(crate) of_x: Arc<[Vec<i32>]>,
    pub(crate) of_y: Arc<[i32]>,
}

impl Scales {
    pub(crate) fn new<const N: usize>(of_x: [Vec<i32>; N], of_y: Vec<i32>) -> Self {
        Scales { of_x: of_x.into(), of_y: of_y.into() }
    }
    /// Of a matrix with this number of entries that is divided by a power of two, in all groups, and runs of results that are
    /// multiplied by powers of it. `None` if it is not divided.
    #[inline]
    pub(crate) fn of_matrix(power: i32, entries: usize, results: &[(usize, i32)]) -> Option<Self> {
        let of_y = || results.iter().flat_map(|&(len, degree)| vec![degree * power; len]).collect();
        (power != 0).then(|| Scales::new([vec![-power; entries], vec![-power; entries]], of_y()))
    }
    /// Of a system whose matrices are divided by a power of two, the right-hand side by its own. `None` if the matrices are
    /// not divided.
    pub(crate) fn of_system<S: Entry>(power: i32, matrices: &[&[S]], b: &[S]) -> Option<Self> {
        let of_b = if power == 0 { 0 } else { middle(b.iter()) };
        let of_x = matrices.iter().map(|a| vec![-power; a.len()]).chain([vec![-of_b; b.len()]]);
        (power != 0).then(|| Scales { of_x: of_x.collect(), of_y: vec![of_b - power; b.len()].into() })
    }
    /// These after a change of variables that multiplies entries of each argument and each result by powers of two.
    pub(crate) fn after<const N: usize>(scales: Option<Self>, of_x: [Vec<i32>; N], of_y: Vec<i32>) -> Self {
        let mut changed = Scales::new(of_x, of_y);
        if let Some(scales) = scales {
            let groups = changed.of_x.iter().zip(&*scales.of_x);
            let of_x = groups.map(|(x, powers)| x.iter().zip(powers).map(|(x, power)| x + power).collect());
            changed.of_x = of_x.collect();
            changed.of_y = changed.of_y.iter().zip(&*scales.of_y).map(|(y, power)| y + power).collect();
        }
        changed
    }
    /// The arguments near 1.
    fn near_one<T: Number>(&self, x: &[impl AsRef<[T]>]) -> Vec<Vec<T>> {
        x.iter().zip(&*self.of_x).map(|(x, powers)| times_powers(x.as_ref(), powers, 0)).collect()
    }
    /// `Σ·map(ΔẊ)`.
    fn apply<T: Number>(&self, map: Apply<'_, T>, tangents: &[Option<&[T]>], out: &mut [T]) {
        let given = tangents.iter().zip(&*self.of_x);
        let active = given.clone().filter_map(|(t, powers)| Some(((*t)?, &powers[..])));
        let own = unit_of(active.flat_map(|(t, powers)| t.iter().zip(powers)));
        let near_one: Vec<Option<Vec<T>>> =
            given.map(|(t, powers)| t.map(|t| times_powers(t, powers, -own))).collect();
        map(&views_of_some(&near_one), out);
        out.iter_mut().zip(&*self.of_y).for_each(|(y, power)| *y = scaled(*y, power + own));
    }
    /// `Δ·mapᴴ(ΣȲ)`.
    fn transpose<T: Number>(&self, map: Transpose<'_, T>, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let own = unit_of(cotangent.iter().zip(&*self.of_y));
        let mut near_one = zeros_of_some(out);
        map(&times_powers(cotangent, &self.of_y, -own), &mut views_of_some_mut(&mut near_one));
        for ((out, x), powers) in out.iter_mut().zip(near_one).zip(&*self.of_x) {
            if let Some((out, x)) = out.as_mut().zip(x) {
                add(out, &times_powers(&x, powers, own));
            }
        }
    }
}

/// The power of each column for each of its entries.
#[inline]
pub(crate) fn each(columns: &[i32], rows: usize) -> Vec<i32> {
    columns.iter().flat_map(|&power| vec![power; rows]).collect()
}

/// Entries times `2^(power + own)`.
pub(crate) fn times_powers<S: Entry>(x: &[S], powers: &[i32], own: i32) -> Vec<S> {
    x.iter().zip(powers).map(|(&x, power)| scaled(x, power + own)).collect()
}

/// `Σ·f(Δ·)` for a rule f that holds the values of its arguments near 1.
#[derive(Clone)]
struct Scaled<R> {
    rule: R,
    scales: Scales,
}

impl<P: PrimalNumber, R: Primitive<P>> Primitive<P> for Scaled<R> {
    type Map<T: Extension<P>> = ScaledDerivative<T, R::Map<T>>;
    const HELD: usize = R::HELD;
    fn name(&self) -> &'static str {
        self.rule.name()
    }
    fn supports(&self, direction: Direction) -> bool {
        self.rule.supports(direction)
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        let y = self.rule.value(&views(&self.scales.near_one(x)))?;
        Ok(times_powers(&y, &self.scales.of_y, 0))
    }
    /// The results near 1 are computed again: those given may have left the range.
    fn linearize<T: Extension<P>>(&self, x: Vec<Vec<T>>, _: &[T]) -> Result<Self::Map<T>, AdError> {
        let x = self.scales.near_one(&x);
        let y = T::lift_primitive(&self.rule, &views(&x))?;
        Ok(ScaledDerivative { map: self.rule.linearize(x, &y)?, y, scales: self.scales.clone() })
    }
    fn series<S: Series<Primal = P, Base = P::Base>>(
        &self,
        near_one: &Self::Map<S::Part>,
        x: &[&[S]],
        _: Vec<S::Part>,
        n: usize,
    ) -> Result<Vec<S>, AdError> {
        let x = self.scales.near_one(x);
        let y = self.rule.series(&near_one.map, &views(&x), near_one.y.clone(), n)?;
        Ok(times_powers(&y, &self.scales.of_y, 0))
    }
}

/// The derivative of a scaled rule.
struct ScaledDerivative<T, M> {
    map: M,
    /// The results near 1.
    y: Vec<T>,
    scales: Scales,
}

impl<T: Number, M: LinearMap<T>> LinearMap<T> for ScaledDerivative<T, M> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        self.scales.apply(&|tangents, out| self.map.apply(tangents, out), tangents, out);
    }
    fn apply_transpose_add(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        self.scales.transpose(&|cotangent, out| self.map.apply_transpose_add(cotangent, out), cotangent, out);
    }
    fn name(&self) -> &'static str {
        self.map.name()
    }
    fn bytes(&self) -> usize {
        self.map.bytes() + size_of_val(&self.y[..])
    }
}

/// The results of a rule, which holds the values of its arguments near 1 if they have powers.
#[track_caller]
pub(crate) fn lift<S: Entry, R: Primitive<S::Primal>>(
    rule: R,
    scales: Option<Scales>,
    x: &[&[S]],
) -> Result<Vec<S>, AdError> {
    match scales {
        None => S::lift(&rule, x),
        Some(scales) => S::lift(&Scaled { rule, scales }, x),
    }
}
