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

/// `uᵏ·f[x₀, …, xₖ]` of ascending points, which is the difference of `t ↦ f(ut)` at `xᵢ/u`: with a unit of the size of the
/// points it is in the range wherever `f` is.
pub(crate) fn divided<U: Unary, F: BaseFloat + Float>(rule: U, points: &[F], unit: F) -> F {
    estimate(rule, 0, points, unit).0
}

/// The divided difference of the derivative of this order, with an estimate of its error.
///
/// `(f[x₁, …] − f[…, xₖ₋₁])/(xₖ − x₀)` where that is accurate; for close points the power series about their middle; and
/// otherwise the Hermite–Genocchi integral, `∫₀¹ sᵏ⁻¹ f′[x₀ + s(x₁ − x₀), …, x₀ + s(xₖ − x₀)] ds`, by quadrature
/// (N. J. Higham, Functions of Matrices, B.16).
fn estimate<U: Unary, F: BaseFloat + Float>(rule: U, order: usize, points: &[F], unit: F) -> (F, F) {
    let (k, eps) = (points.len() - 1, <F as Float>::epsilon());
    let (first, last) = (points[0], points[k]);
    if k == 0 || first == last {
        let factorial = (1..=k).fold(1.0, |product, i| product * i as f64);
        let x = derivative(rule, order + k, first, unit) / F::from_double(factorial);
        // A value below the normal floats has no digits left.
        return (x, eps * (Float::abs(x) + F::min_positive_value()));
    }
    let ((upper, of_upper), (lower, of_lower)) =
        (estimate(rule, order, &points[1..], unit), estimate(rule, order, &points[..k], unit));
    let width = (last - first) / unit;
    let quotient = (upper - lower) / width;
    let noise = (of_upper + of_lower) / width + eps * Float::abs(quotient);
    let accurate = |x: F, noise: F| noise <= F::from_double(16.0) * eps * Float::abs(x);
    if accurate(quotient, noise) {
        return (quotient, noise);
    }
    // A series does not show a kink between its middle and a point; the quotient does.
    let (series, error) = by_series(rule, order, points, unit);
    if accurate(series, error) && Float::abs(series - quotient) <= F::from_double(4.0) * noise {
        return (series, error);
    }
    let (integral, error) = integrate(|s| {
        let inner: Vec<F> = points[1..].iter().map(|&x| first + s * (x - first)).collect();
        Float::powi(s, k as i32 - 1) * estimate(rule, order + 1, &inner, unit).0
    });
    if error < noise { (integral, error) } else { (quotient, noise) }
}

/// Terms of the power series: enough where points are nearer to their middle than a third of the way to a singularity.
const TERMS: usize = 32;

/// `Σₘ cₖ₊ₘ hₘ(x₀ − c, …, xₖ − c)`, with the coefficients of the power series about the middle `c` and the sums `hₘ` of all
/// products of `m` factors (C. de Boor, Divided Differences, Surveys in Approximation Theory 1, 2005).
fn by_series<U: Unary, F: BaseFloat + Float>(rule: U, order: usize, points: &[F], unit: F) -> (F, F) {
    let (k, zero, half) = (points.len() - 1, F::from_double(0.0), F::from_double(0.5));
    let middle = (points[0] + points[k]) * half;
    let series = series(rule, middle, unit, TERMS);
    let mut products = [zero; TERMS + 1];
    products[0] = F::from_double(1.0);
    for &x in points {
        (1..=TERMS).for_each(|m| products[m] += (x - middle) / unit * products[m - 1]);
    }
    // (k + m + order)!/(k + m)! of the derivative's coefficients.
    let falling = |j: usize| (j + 1..=j + order).fold(1.0, |product, i| product * i as f64);
    let term =
        |m: usize| series.coefficients()[k + m + order - 1] * F::from_double(falling(k + m)) * products[m];
    let (mut sum, mut sizes, mut last) = (zero, zero, zero);
    for m in (0..=TERMS - k - order).rev() {
        let x = term(m);
        last = if m + 2 > TERMS - k - order { last + Float::abs(x) } else { last };
        (sum, sizes) = (sum + x, sizes + Float::abs(x));
    }
    (sum, last + F::from_double(4.0) * <F as Float>::epsilon() * sizes)
}

/// Nodes in (0, 1] and weights of the 15-point Gauss–Kronrod quadrature. Every second node, including the last, is a
/// node of the 7-point Gauss quadrature, with the weight that follows.
const NODES: [(f64, f64, f64); 8] = [
    (0.9914553711208126, 0.022935322010529224, 0.0),
    (0.9491079123427585, 0.06309209262997856, 0.1294849661688697),
    (0.8648644233597691, 0.10479001032225019, 0.0),
    (0.7415311855993945, 0.14065325971552592, 0.27970539148927664),
    (0.5860872354676911, 0.1690047266392679, 0.0),
    (0.4058451513773972, 0.19035057806478542, 0.3818300505051189),
    (0.20778495500789848, 0.20443294007529889, 0.0),
    (0.0, 0.20948214108472782, 0.4179591836734694),
];

/// `∫₀¹ g(s) ds` with an estimate of its error. The difference `d` of the two quadratures estimates the error of the
/// coarser one; the error of the finer one scales as its power 23/14, here times 1.5.
fn integrate<F: BaseFloat + Float>(g: impl Fn(F) -> F) -> (F, F) {
    let half = F::from_double(0.5);
    let (mut fine, mut coarse) = (F::from_double(0.0), F::from_double(0.0));
    for (node, weight, coarse_weight) in NODES {
        let node = F::from_double(node) * half;
        let sum = if node == F::from_double(0.0) { g(half) } else { g(half - node) + g(half + node) };
        fine += sum * F::from_double(weight) * half;
        coarse += sum * F::from_double(coarse_weight) * half;
    }
    let relative = Float::min(Float::abs(fine - coarse) / Float::abs(fine), F::from_double(1.0));
    let rounding = <F as Float>::epsilon() * F::from_double(4.0);
    (fine, Float::abs(fine) * (relative * Float::sqrt(relative) + rounding))
}

#[cfg(test)]
#[test]
fn quadrature_is_exact_for_polynomials() {
    for n in 0..22 {
        let (got, want) = (integrate(|s: f64| s.powi(n)).0, 1.0 / f64::from(n + 1));
        assert!((got - want).abs() <= 1e-15 * want, "{got:e} {want:e}");
    }
}
