//! Roots of equations given as a closure.

use nalgebra::DMatrix;

use crate::duals::Dual;
use crate::error::AdError;
use crate::lift::constants;
use crate::matrix;
use crate::number::{BaseFloat, Real};

const NAME: &str = "implicit_root";

/// The root `y(x)` of the equations `g(x, y) = 0`, given as a closure. `solution` is its value, found by any method
/// at the values of `x`. The derivatives follow from the equations, `ẏ = −g_y⁻¹ g_x ẋ` and so on, at the number types
/// of this crate and to the order that the type carries.
///
/// The closure takes duals over the caller's numbers, and returns an array or a vector with one equation for each
/// unknown. It may capture other numbers of the caller; their derivatives are included.
///
/// `g_y` is computed from values only, with one evaluation for each unknown. Then Newton's iteration
/// `y ← y − g_y⁻¹ g(x, y)` at the caller's numbers, starting from the constant solution, gains one order of
/// derivatives with each step; its first step is the implicit function theorem. On a tape the operations of the
/// equations are recorded once for each order. For many unknowns use [`root`](crate::primitive::root), which records
/// one block for any equations.
///
/// # Errors
/// With derivatives: `Singular` if `g_y` is singular, `NotANumber` if `g_y` or the solution is NaN although `x` is
/// finite, `Shape` if the numbers of equations and unknowns differ. `Unsupported` at traced numbers and at number
/// types of other crates: the solution is found outside of a program, so a replay could not find another one. For
/// these use [`root`](crate::primitive::root), which solves again.
///
/// Without derivatives the solution is returned unchanged. The crate does not check that it satisfies the equations.
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
    if S::TRACES {
        return Err(AdError::Unsupported {
            op: NAME,
            rule: "numbers whose order is not known, such as traced ones: `root` solves again where a program is replayed",
        });
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
    let x = constants(x.to_vec());
    for _ in 0..S::ORDER {
        let g = evaluate(&x, &constants(y.clone()))?;
        for (i, &found) in solution.iter().enumerate() {
            let step = g.as_ref().iter().enumerate().map(|(j, g)| g.value() * inverse[(i, j)]);
            y[i] = (y[i] - S::total(step)).with_innermost(S::base(found).innermost());
        }
    }
    Ok(y)
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
    let (values, mut seeded) = (constants(values), constants(y.to_vec()));
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
        return Err(not_a_number("derivative with respect to the unknowns", None));
    }
    matrix::inverse(&by_y).map_err(|_| AdError::Singular { op: NAME })
}
