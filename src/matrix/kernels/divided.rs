//! Divided differences of rules of one variable, accurate for close and equal points too.

use num_traits::Float;

use crate::duals::{Dual, TaylorDyn};
use crate::number::{BaseFloat, Real};
use crate::rules::Unary;

/// The highest order of the derivatives of a rule that are used.
pub(crate) const HIGHEST: usize = 4;

/// The derivative of this order in multiples of a unit of the argument: `uᵏ·f⁽ᵏ⁾(x)`.
pub(crate) fn derivative<U: Unary, F: BaseFloat + Float>(rule: U, order: usize, x: F, unit: F) -> F {
    match order {
        0 => rule.value(x),
        1 => Dual::new(x, unit).lift1(rule).tangent(),
        _ => {
            let factorial = (1..=order).product::<usize>() as f64;
            series(rule, x, unit, order).coefficients()[order - 1] * F::from_double(factorial)
        }
    }
}

/// The power series of `t ↦ f(x + ut)`: it divides by successive powers of the point, so that with a unit of its size none
/// leaves the range. One type of series for all orders: each takes a compiler seconds.
fn series<U: Unary, F: BaseFloat + Float>(rule: U, x: F, unit: F, order: usize) -> TaylorDyn<F, TERMS> {
    let step = TaylorDyn::variable(F::from_double(0.0), order).expect("at most all terms");
    (step * unit + x).lift1(rule)
}

/// A number with an estimate of its error.
pub(crate) type Estimate<F> = (F, F);

/// `uᵏ·f[x₀, …, xₖ]` of ascending points, the difference of `t ↦ f(ut)` at `xᵢ/u`: with a unit of the size of the
/// points it is in the range wherever `f` is.
pub(crate) fn divided<U: Unary, F: BaseFloat + Float>(
    rule: U,
    points: &[F],
    unit: F,
    wanted: Accuracy,
    expansions: &mut Expansions<F>,
) -> Estimate<F> {
    let k = points.len() - 1;
    refined(rule, points, unit, wanted, expansions, |expansions| {
        let mut without = |points: &[F]| divided(rule, points, unit, Accuracy::OfParts, expansions);
        [without(&points[..k]), without(&points[1..])]
    })
}

/// The error, in roundings, with which a quotient of shorter differences is taken.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Accuracy {
    /// At most 16 roundings.
    OfResults,
    /// At most 4: for first differences, of which further quotients are formed.
    OfParts,
}

/// Power series about ascending points, each with the terms needed so far, and one about another point.
pub(crate) struct Expansions<F> {
    about: Vec<(F, Option<TaylorDyn<F, TERMS>>)>,
    other: (F, Option<TaylorDyn<F, TERMS>>),
}

impl<F: BaseFloat + Float> Expansions<F> {
    pub(crate) fn about(points: &[F]) -> Self {
        Expansions { about: points.iter().map(|&x| (x, None)).collect(), other: (<F as Float>::nan(), None) }
    }
    /// The series about the middle of an interval, or about a point near its middle, which serves many intervals.
    fn within(&mut self, first: F, last: F) -> &mut (F, Option<TaylorDyn<F, TERMS>>) {
        let middle = (first + last) * F::from_double(0.5);
        let after = self.about.partition_point(|&(x, _)| x < middle);
        let is_near = |i: &usize| Float::abs(self.about[*i].0 - middle) * F::from_double(8.0) <= last - first;
        let near = (after.saturating_sub(1)..self.about.len().min(after + 1)).find(is_near);
        if let Some(i) = near {
            return &mut self.about[i];
        }
        if self.other.0 != middle {
            self.other = (middle, None);
        }
        &mut self.other
    }
}

/// The divided difference by two shorter ones, without the last point and without the first.
///
/// `(f[x₁, …] − f[…, xₖ₋₁])/(xₖ − x₀)` where that is accurate, otherwise the better of it and a power series about the
/// middle of the points.
pub(crate) fn refined<U: Unary, F: BaseFloat + Float>(
    rule: U,
    points: &[F],
    unit: F,
    wanted: Accuracy,
    expansions: &mut Expansions<F>,
    shorter: impl FnOnce(&mut Expansions<F>) -> [Estimate<F>; 2],
) -> Estimate<F> {
    let (k, eps) = (points.len() - 1, <F as Float>::epsilon());
    let (first, last) = (points[0], points[k]);
    if k == 0 || first == last {
        let factorial = (1..=k).fold(1.0, |product, i| product * i as f64);
        let x = derivative(rule, k, first, unit) / F::from_double(factorial);
        // A value below the normal floats has no digits left.
        return (x, eps * (Float::abs(x) + F::min_positive_value()));
    }
    let [(lower, of_lower), (upper, of_upper)] = shorter(expansions);
    let width = (last - first) / unit;
    let quotient = (upper - lower) / width;
    let noise = (of_upper + of_lower) / width + eps * Float::abs(quotient);
    if is_accurate((quotient, noise), if wanted == Accuracy::OfParts { 4.0 } else { 16.0 }) {
        return (quotient, noise);
    }
    // A series does not show a kink between its middle and a point; the quotient does.
    let series = by_series(rule, points, unit, expansions);
    let agree = Float::abs(series.0 - quotient) <= F::from_double(4.0) * noise;
    if series.1 < noise && agree { series } else { (quotient, noise) }
}

/// Terms of the power series: enough where points are nearer to their middle than half of the way to a singularity.
const TERMS: usize = 64;
/// Terms that show how many are needed.
const FEW_TERMS: usize = 12;

/// By the power series about the middle, with as many terms as the last ones show to be needed.
fn by_series<U: Unary, F: BaseFloat + Float>(
    rule: U,
    points: &[F],
    unit: F,
    expansions: &mut Expansions<F>,
) -> Estimate<F> {
    let (center, known) = expansions.within(points[0], points[points.len() - 1]);
    let terms = known.get_or_insert_with(|| series(rule, *center, unit, FEW_TERMS));
    let mut sum = of_series(terms, *center, points, unit);
    let aim = (<F as Float>::epsilon() * F::from_double(4.0)).to_double();
    // The terms left out fall like a power of the number of terms, or faster, as for an exponential.
    let rest = (sum.left_out / Float::abs(sum.value)).to_double();
    if terms.order() < TERMS && rest > aim {
        let needed = terms.order() as f64 * aim.ln() / rest.min(0.9).ln();
        let more = (1.25 * needed) as usize + 2;
        *terms = series(rule, *center, unit, more.min(TERMS));
        sum = of_series(terms, *center, points, unit);
    }
    (sum.value, sum.left_out + sum.rounding)
}

/// A sum of the first terms of a series.
struct SeriesSum<F> {
    value: F,
    /// The size of the last terms, of which the next ones are multiples less than 1.
    left_out: F,
    rounding: F,
}

/// `Σₘ cₖ₊ₘ hₘ(x₀ − c, …, xₖ − c)`, with the coefficients of the power series about `c` and the sums `hₘ` of all
/// products of `m` factors (C. de Boor, Divided Differences, Surveys in Approximation Theory 1, 2005).
fn of_series<F: BaseFloat + Float>(
    series: &TaylorDyn<F, TERMS>,
    center: F,
    points: &[F],
    unit: F,
) -> SeriesSum<F> {
    let (k, zero, one) = (points.len() - 1, F::from_double(0.0), F::from_double(1.0));
    let (mut steps, mut sums) = ([zero; HIGHEST + 1], [one; HIGHEST + 1]);
    steps.iter_mut().zip(points).for_each(|(step, &x)| *step = (x - center) / unit);
    let count = series.order() - k + 1;
    let mut terms = [zero; TERMS];
    for (term, &c) in terms.iter_mut().zip(&series.coefficients()[k - 1..]) {
        *term = c * sums[k];
        // The sums of products of one factor more, for the first points, the first two, ….
        let mut of_fewer = zero;
        for (sum, &step) in sums[..=k].iter_mut().zip(&steps) {
            *sum = step * *sum + of_fewer;
            of_fewer = *sum;
        }
    }
    let left_out = terms[count - 2..count].iter().fold(zero, |sum, &x| sum + Float::abs(x));
    let (mut value, mut sizes) = (zero, zero);
    for &x in terms[..count].iter().rev() {
        (value, sizes) = (value + x, sizes + Float::abs(x));
    }
    SeriesSum { value, left_out, rounding: F::from_double(4.0) * <F as Float>::epsilon() * sizes }
}

/// Whether the error is at most this number of roundings.
fn is_accurate<F: BaseFloat + Float>((x, error): Estimate<F>, roundings: f64) -> bool {
    error <= F::from_double(roundings) * <F as Float>::epsilon() * Float::abs(x)
}
