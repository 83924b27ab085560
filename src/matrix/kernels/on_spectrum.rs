//! A function on the eigenvalues of a matrix of primal numbers, with its divided differences.

use std::sync::{Arc, OnceLock};

use nalgebra::DMatrix;
use num_traits::Float;

use crate::error::AdError;
use crate::matrix::kernels::balance::{exponent, largest_size, limit, unit};
use crate::matrix::kernels::divided::{
    Accuracy, Estimate, Expansions, HIGHEST, derivative, divided, refined,
};
use crate::matrix::kernels::spectrum::Spectrum;
use crate::number::{BaseFloat, PrimalNumber, power_of_two};
use crate::rules::Unary;

/// A function on the eigenvalues of a matrix of primal numbers.
pub(crate) struct OnSpectrum<U, P: PrimalNumber> {
    pub(crate) rule: U,
    pub(crate) vectors: DMatrix<P>,
    pub(crate) points: Vec<P::Base>,
    /// For each order the exponent of a power of two: 0, except far from the middle of the range.
    units: [i32; HIGHEST + 1],
    /// For each order from the first on the differences `uᵏ·f[…]` at all ascending places.
    differences: [OnceLock<Vec<Estimate<P::Base>>>; HIGHEST],
    /// Differences of first order, for quotients of them.
    slopes: OnceLock<Vec<Estimate<P::Base>>>,
    /// The binomials `C(i + k, k + 1)`, which number ascending places.
    numbers: OnceLock<Vec<[usize; HIGHEST + 1]>>,
}

/// The exponent of a unit `u` for which `uᵏ·f⁽ᵏ⁾` is in the range at the most points. The points' own unit is right where
/// the function is a power of its argument. Near 0 most functions have a scale of their own, which is 1. An exponential of
/// 0 and of a large negative number has both: a unit as large as the range permits.
fn unit_of_order<U: Unary, F: BaseFloat + Float>(rule: U, order: usize, points: &[F], own: i32) -> i32 {
    if own == 0 || order == 0 {
        return own;
    }
    let derivatives = |unit: i32| points.iter().map(move |&x| derivative(rule, order, x, power_of_two(unit)));
    let in_range = |unit: i32| derivatives(unit).filter(|&d| Float::is_normal(d)).count();
    let largest = derivatives(0).filter_map(|d| exponent(d.to_double())).max().unwrap_or(0);
    // Room for the products with the directions, and for their sums.
    let room = 40.min(limit::<F>() / 5);
    let most = (limit::<F>() - room - largest) / order as i32;
    let better = |best: (i32, usize), unit: i32| match in_range(unit) {
        count if count > best.1 => (unit, count),
        _ => best,
    };
    [own.min(most), 0].into_iter().fold((own, in_range(own)), better).0
}

impl<U: Unary, P: PrimalNumber> OnSpectrum<U, P> {
    /// An eigenvalue that is zero to rounding, and at which f has no value, counts as zero.
    pub(crate) fn new(rule: U, spectrum: &Spectrum<P>) -> Result<Arc<Self>, AdError> {
        let point = |&x: &P::Base| {
            let is_zero = Float::abs(x) <= spectrum.resolution();
            if is_zero && Float::is_nan(rule.value(x)) { P::Base::from_double(0.0) } else { x }
        };
        let points: Vec<_> = spectrum.values.iter().map(point).collect();
        let largest = largest_size(&points);
        let own =
            if largest == P::Base::from_double(0.0) { None } else { exponent(unit(largest).to_double()) };
        let units = std::array::from_fn(|order| unit_of_order(rule, order, &points, own.unwrap_or(0)));
        let (differences, slopes, numbers) = Default::default();
        let f = OnSpectrum {
            rule,
            vectors: spectrum.vectors.clone(),
            points,
            units,
            differences,
            slopes,
            numbers,
        };
        f.is_finite(0).map(|()| Arc::new(f))
    }
    /// The exponent of the unit of differences of this order.
    pub(crate) fn unit(&self, order: usize) -> i32 {
        self.units[order.min(HIGHEST)]
    }
    /// The difference at ascending places, by two of the next lower order if these have the same unit.
    fn divided(
        &self,
        places: &[usize],
        wanted: Accuracy,
        expansions: &mut Expansions<P::Base>,
    ) -> Estimate<P::Base> {
        let order = places.len() - 1;
        let (rule, unit) = (self.rule, power_of_two(self.unit(order)));
        let mut points = [P::Base::from_double(0.0); HIGHEST + 1];
        points.iter_mut().zip(places).for_each(|(point, &i)| *point = self.points[i]);
        let points = &points[..=order];
        if order == 1 || self.unit(order - 1) != self.unit(order) {
            return divided(rule, points, unit, wanted, expansions);
        }
        let all = match order {
            2 => self.slopes.get_or_init(|| self.all(1, Accuracy::OfParts)),
            _ => self.of_order(order - 1),
        };
        let without = |places: &[usize]| all[self.number(places)];
        let shorter = |_: &mut _| [without(&places[..order]), without(&places[1..])];
        refined(rule, points, unit, wanted, expansions, shorter)
    }
    /// An error if the derivative of this order is not finite at an eigenvalue.
    pub(crate) fn is_finite(&self, order: usize) -> Result<(), AdError> {
        if order > HIGHEST {
            return Err(AdError::Unsupported { op: U::NAME, rule: "a derivative of so high an order" });
        }
        let unit = power_of_two(self.unit(order));
        let infinite = |&x: &P::Base| !Float::is_finite(derivative(self.rule, order, x, unit));
        let place = self.points.iter().position(infinite);
        place.map_or(Ok(()), |place| {
            let eigenvalue = self.points[place].to_double();
            Err(AdError::Domain { op: U::NAME, place, eigenvalue, order })
        })
    }
    /// The difference at these places, in any order.
    fn at(&self, path: &[usize]) -> P::Base {
        let all = self.of_order(path.len() - 1);
        // Without a sort: derivatives of large matrices spend their time here.
        match *path {
            [i, j] => {
                let (low, high) = (i.min(j), i.max(j));
                return all[high * (high + 1) / 2 + low].0;
            }
            [i, j, l] => {
                let (low, high) = (i.min(j).min(l), i.max(j).max(l));
                let middle = i + j + l - low - high;
                return all[high * (high + 1) * (high + 2) / 6 + middle * (middle + 1) / 2 + low].0;
            }
            _ => (),
        }
        let mut places = [0; HIGHEST + 1];
        let places = &mut places[..path.len()];
        places.copy_from_slice(path);
        places.sort_unstable();
        all[self.number(places)].0
    }
    /// The number of ascending places.
    fn number(&self, places: &[usize]) -> usize {
        let binomial = |i: usize, k: usize| (0..=k).fold(1, |c: usize, j| c.wrapping_mul(i + j) / (j + 1));
        let row = |i| std::array::from_fn(|k| binomial(i, k));
        let numbers = self.numbers.get_or_init(|| (0..self.points.len()).map(row).collect());
        places.iter().enumerate().map(|(k, &i)| numbers[i][k]).sum()
    }
    fn of_order(&self, order: usize) -> &[Estimate<P::Base>] {
        self.differences[order - 1].get_or_init(|| self.all(order, Accuracy::OfResults))
    }
    /// The differences of an order at all ascending places, by their [`number`](Self::number). Places with the same first and
    /// last place follow each other: they share a power series.
    fn all(&self, order: usize, wanted: Accuracy) -> Vec<Estimate<P::Base>> {
        let (n, zero) = (self.points.len(), P::Base::from_double(0.0));
        let count = self.number(&vec![n - 1; order + 1]) + 1;
        let mut all = vec![(zero, zero); count];
        let mut expansions = Expansions::about(&self.points);
        for (first, last) in (0..n).flat_map(|last| (0..=last).map(move |first| (first, last))) {
            let mut places = [first; HIGHEST + 1];
            places[order] = last;
            loop {
                let places = &mut places[..=order];
                all[self.number(places)] = self.divided(places, wanted, &mut expansions);
                let Some(next) = (1..order).find(|&k| places[k] < places[k + 1]) else { break };
                places[next] += 1;
                places[1..next].fill(first);
            }
        }
        all
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
