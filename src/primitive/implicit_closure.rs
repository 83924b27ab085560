//! Roots of equations that are a closure.

use nalgebra::DMatrix;

use crate::duals::Dual;
use crate::error::AdError;
use crate::matrix;
use crate::number::{BaseFloat, Real};

const NAME: &str = "implicit_root";

/// The root `y(x)` of the equations `g(x, y) = 0`, given as a closure, whose value is known: `solution`, found by any
/// means at the values of `x`. Its derivatives are those of the equations, `ẏ = −g_y⁻¹ g_x ẋ` and so on, at every number
/// type of this crate and to every order that the type carries.
///
/// The closure takes duals over the caller's numbers, and gives an array or a vector with as many equations as unknowns.
/// It may use other numbers of the caller as well; their derivatives count.
///
/// `g_y` is taken from values alone, one evaluation for each unknown. Then `y ← y − g_y⁻¹ g(x, y)`, at the caller's
/// numbers and from the constant solution on, gains one order of derivatives with each step (Newton's iteration; the
/// implicit function theorem is its first step). On a tape the equations are recorded as they stand, once for each order.
/// [`root`](crate::primitive::root) is for many unknowns and for equations that have a name: it records one step, whatever
/// the equations are.
///
/// # Errors
/// With derivatives: `Singular` if `g_y` is, `NotANumber` if it, or the solution, is NaN where `x` is finite, `Shape` if
/// there are not as many equations as unknowns, `Unsupported` at a number type of another crate. Numbers without
/// derivatives get the solution as it is. That it solves the equations is taken on trust.
///
/// ```
/// use wengert::{Real, derivative, gradient, primitive::implicit_root, second_derivative};
/// /// Kepler's equation E − e·sin E = M.
/// fn anomaly<T: Real<Base = f64>>(mean: T, e: T) -> T {
///     let (m, k) = (mean.primal(), e.primal());
///     let newton = |y: f64| y - (y - k * y.sin() - m) / (1.0 - k * y.cos());
///     let found = (0..20).fold(m, |y, _| newton(y));
///     let y = implicit_root(|x, y| [y[0] - x[1] * y[0].sin() - x[0]], &[found], &[mean, e]);
///     y.unwrap()[0]
/// }
/// let y: f64 = anomaly(1.0, 0.3);
/// let (sin, r) = (y.sin(), 1.0 - 0.3 * y.cos());
/// let g = gradient(|x| anomaly(x[0], x[1]), &[1.0, 0.3]); // reverse mode
/// assert!((g[0] - 1.0 / r).abs() < 1e-15 && (g[1] - sin / r).abs() < 1e-15);
/// let slope = derivative(|m| anomaly(m, 0.3.into()), 1.0); // forward mode
/// assert!((slope - 1.0 / r).abs() < 1e-15);
/// let second = second_derivative(|m| anomaly(m, 0.3.into()), 1.0);
/// assert!((second + 0.3 * sin / r.powi(3)).abs() < 1e-15);
/// ```
#[track_caller]
pub fn implicit_root<S: Real, G: AsRef<[Dual<S>]>>(
    residual: impl Fn(&[Dual<S>], &[Dual<S>]) -> G,
    solution: &[S::Base],
    x: &[S],
) -> Result<Vec<S>, AdError> {
    if S::ORDER == usize::MAX {
        return Err(AdError::Unsupported { op: NAME, rule: "this number type" });
    }
    let mut y: Vec<S> = solution.iter().map(|&y| S::base(y)).collect();
    if S::ORDER == 0 || y.is_empty() {
        return Ok(y);
    }
    if let Some(result) = solution.iter().position(|y| y.to_double().is_nan())
        && x.iter().all(|x| x.all_finite())
    {
        return Err(not_a_number("solution", Some(result)));
    }
    let evaluate = |x: &[Dual<S>], y: &[Dual<S>]| {
        let g = residual(x, y);
        AdError::check_len(NAME, "residual", y.len(), g.as_ref().len()).map(|()| g)
    };
    let inverse = inverse_by_unknowns(evaluate, &y, x)?;
    let x = constants(x);
    for _ in 0..S::ORDER {
        let g = evaluate(&x, &constants(&y))?;
        for (i, &found) in solution.iter().enumerate() {
            let step = g.as_ref().iter().enumerate().map(|(j, g)| g.value() * inverse[(i, j)]);
            y[i] = (y[i] - S::total(step)).with_innermost(S::base(found).innermost());
        }
    }
    Ok(y)
}

fn constants<S: Real>(x: &[S]) -> Vec<Dual<S>> {
    x.iter().map(|&x| Dual::constant(x)).collect()
}

fn not_a_number(rule: &'static str, result: Option<usize>) -> AdError {
    AdError::NotANumber { op: NAME, rule, argument: None, x: None, result }
}

/// `g_y⁻¹` by values, column by column of `g_y`: all numbers are constants, so nothing is recorded.
#[track_caller]
fn inverse_by_unknowns<S: Real, G: AsRef<[Dual<S>]>>(
    evaluate: impl Fn(&[Dual<S>], &[Dual<S>]) -> Result<G, AdError>,
    y: &[S],
    x: &[S],
) -> Result<DMatrix<S::Base>, AdError> {
    let values: Vec<S> = x.iter().map(|x| x.detach()).collect();
    let (values, mut seeded) = (constants(&values), constants(y));
    let mut by_y = DMatrix::from_element(y.len(), y.len(), S::Base::from_double(0.0));
    for (j, &unknown) in y.iter().enumerate() {
        seeded[j] = Dual::variable(unknown);
        for (i, g) in evaluate(&values, &seeded)?.as_ref().iter().enumerate() {
            by_y[(i, j)] = g.tangent().primal();
        }
        seeded[j] = Dual::constant(unknown);
    }
    let is_nan = by_y.iter().any(|g| g.to_double().is_nan());
    if is_nan && x.iter().chain(y).all(|x| x.all_finite()) {
        return Err(not_a_number("derivative by the unknowns", None));
    }
    matrix::inverse(&by_y).map_err(|_| AdError::Singular { op: NAME })
}
