//! A function on the eigenvalues of a matrix of primal numbers, with its divided differences.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nalgebra::DMatrix;
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::kernels::balance::unit;
use crate::matrix::kernels::divided::{HIGHEST, derivative, divided};
use crate::matrix::kernels::spectrum::Spectrum;
use crate::number::{BaseFloat, PrimalNumber};
use crate::rules::Unary;

/// A function on the eigenvalues of a matrix of primal numbers.
pub(crate) struct OnSpectrum<U, P: PrimalNumber> {
    pub(crate) rule: U,
    pub(crate) vectors: DMatrix<P>,
    pub(crate) points: Vec<P::Base>,
    /// The unit of the eigenvalues, a power of two: 1, except far from the middle of the range.
    pub(crate) unit: P::Base,
    /// `u·f[λᵢ, λⱼ]`.
    pub(crate) first: OnceLock<DMatrix<P::Base>>,
    /// Differences `uᵏ·f[…]` of higher order, by ascending indices.
    pub(crate) higher: Mutex<HashMap<Vec<usize>, P::Base>>,
}

impl<U: Unary, P: PrimalNumber> OnSpectrum<U, P> {
    /// An eigenvalue that is zero to rounding, and at which f has no value, counts as zero.
    pub(crate) fn new(rule: U, spectrum: &Spectrum<P>) -> Result<Arc<Self>, AdError> {
        let point = |&x: &P::Base| {
            let is_zero = Float::abs(x) <= spectrum.resolution();
            if is_zero && Float::is_nan(rule.value(x)) { P::Base::from_double(0.0) } else { x }
        };
        let points: Vec<_> = spectrum.values.iter().map(point).collect();
        let (first, higher) = (OnceLock::new(), Mutex::default());
        let largest = points.iter().fold(P::Base::from_double(0.0), |m, &x| Float::max(m, Float::abs(x)));
        let unit =
            if largest == P::Base::from_double(0.0) { P::Base::from_double(1.0) } else { unit(largest) };
        let f = OnSpectrum { rule, vectors: spectrum.vectors.clone(), points, unit, first, higher };
        f.is_finite(0).map(|()| Arc::new(f))
    }
    /// An error if the derivative of this order is not finite at an eigenvalue.
    pub(crate) fn is_finite(&self, order: usize) -> Result<(), AdError> {
        if order > HIGHEST {
            return Err(AdError::Unsupported { op: U::NAME, rule: "a derivative of so high an order" });
        }
        let infinite = |&x: &P::Base| !Float::is_finite(derivative(self.rule, order, x, self.unit));
        let place = self.points.iter().position(infinite);
        place.map_or(Ok(()), |place| Err(AdError::Domain { op: U::NAME, place, order }))
    }
    pub(crate) fn at(&self, places: &[usize]) -> P::Base {
        let points = |places: &[usize]| places.iter().map(|&i| self.points[i]).collect::<Vec<_>>();
        let n = self.points.len();
        match *places {
            [i, j] => {
                let ascending =
                    |i: usize, j: usize| divided(self.rule, &points(&[i.min(j), i.max(j)]), self.unit);
                self.first.get_or_init(|| {
                    let mut table = DMatrix::from_fn(n, n, |i, j| {
                        if i <= j { ascending(i, j) } else { P::Base::from_double(0.0) }
                    });
                    table.fill_lower_triangle_with_upper_triangle();
                    table
                })[(i, j)]
            }
            _ => {
                let mut places = places.to_vec();
                places.sort_unstable();
                let mut higher = self.higher.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(&known) = higher.get(&places) {
                    return known;
                }
                let value = divided(self.rule, &points(&places), self.unit);
                higher.insert(places, value);
                value
            }
        }
    }
    /// Adds to `sum` all products along paths that continue `path`.
    pub(crate) fn walk(
        &self,
        path: &mut Vec<usize>,
        product: P,
        directions: &[DMatrix<P>],
        sum: &mut DMatrix<P>,
    ) {
        let (here, taken) = (path[path.len() - 1], path.len() - 1);
        let Some(direction) = directions.get(taken) else {
            sum[(path[0], here)] += product * P::base(self.at(path));
            return;
        };
        for next in 0..self.points.len() {
            path.push(next);
            self.walk(path, product * direction[(here, next)], directions, sum);
            path.pop();
        }
    }
}
