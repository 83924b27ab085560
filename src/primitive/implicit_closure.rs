//! Roots of equations given as a closure.

use nalgebra::{Const, DefaultAllocator, Dim, Dyn, OMatrix, allocator::Allocator};

use crate::duals::Dual;
use crate::error::AdError;
use crate::matrix;
use crate::number::{BaseFloat, Real};

const NAME: &str = "implicit_root";
/// Up to this many arguments, and unknowns, are copied to the stack.
const FEW: usize = 4;

/// The root `y(x)` of the equations `g(x, y) = 0`, given as a closure. `solution` is its value, found by any method
/// at the values of `x`. The derivatives follow from the equations, `ẏ = −g_y⁻¹ g_x ẋ` and so on, at the number types
/// of this crate and to the order that the type carries.
///
/// The closure takes duals over the caller's numbers, and returns an array or a vector with one equation for each
/// unknown. It may capture other numbers of the caller; their derivatives are included.
///
/// `g_y` is computed from values only, with one evaluation for each unknown. Then Newton's iteration
/// `y ← y − g_y⁻¹ g(x, y)` at the caller's numbers, starting from the constant solution, gains one order of
/// derivatives with each step; its first step is the implicit function theorem, and takes the last evaluation for
/// `g_y`. On a tape it does not: there the operations of the equations are recorded once for each order. For many
/// unknowns use [`root`](crate::primitive::root), which records one block for any equations.
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
///     let y = implicit_root(|x, y| [y[0] - x[1] * y[0].sin() - x[0]], &[mean, e], &[found]);
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
    x: &[S],
    solution: &[S::Base],
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
    let constant = Dual::constant(S::lit(0.0));
    let (mut few_x, mut few_y, mut many) = ([constant; FEW], [constant; FEW], (Vec::new(), Vec::new()));
    let (at_x, at_y) = (room(&mut few_x, &mut many.0, x.len()), room(&mut few_y, &mut many.1, y.len()));
    let zero = S::Base::from_double(0.0);
    let (mut few, mut many) = ([zero; FEW * FEW], Vec::new());
    let inverse = room(&mut few, &mut many, y.len() * y.len());
    // `g_y` by values, column by column, at constants, so that nothing is recorded. The evaluation of the last column at
    // `x` itself is the first step too. Returns it, and whether a number is NaN.
    let mut columns = |is_shared: bool| {
        set(at_x, x.iter().map(|x| x.detach()));
        set(at_y, y.iter().copied());
        let mut first = None;
        for (j, column) in inverse.chunks_exact_mut(y.len()).enumerate() {
            let is_first = is_shared && j + 1 == y.len();
            if is_first {
                set(at_x, x.iter().copied());
            }
            at_y[j] = Dual::variable(y[j]);
            let g = evaluate(at_x, at_y)?;
            column.iter_mut().zip(g.as_ref()).for_each(|(slot, g)| *slot = g.tangent().primal());
            at_y[j] = Dual::constant(y[j]);
            first = is_first.then_some(g);
        }
        Ok((first, inverse.iter().any(|g| g.to_double().is_nan())))
    };
    let (mut first, mut is_nan) = columns(!S::RECORDS)?;
    if is_nan && first.is_some() {
        // Perhaps by a tangent of `x` times infinity, where the zero tangent of a constant is a strong zero.
        (first, is_nan) = columns(false)?;
    }
    if is_nan && x.iter().chain(&y).all(|x| x.all_finite()) {
        return Err(not_a_number("derivative with respect to the unknowns", None));
    }
    invert(y.len(), inverse).map_err(|_| AdError::Singular { op: NAME })?;
    set(at_x, x.iter().copied());
    for _ in 0..S::ORDER {
        let g = match first.take() {
            Some(g) => g,
            None => {
                set(at_y, y.iter().copied());
                evaluate(at_x, at_y)?
            }
        };
        for (i, &found) in solution.iter().enumerate() {
            let row = inverse[i..].iter().step_by(solution.len());
            let step = g.as_ref().iter().zip(row).map(|(g, &inverse)| g.value() * inverse);
            y[i] = (y[i] - S::total(step)).with_innermost(S::base(found).innermost());
        }
    }
    Ok(y)
}

fn not_a_number(rule: &'static str, result: Option<usize>) -> AdError {
    AdError::NotANumber { op: NAME, rule, argument: None, x: None, result }
}

/// Room for this many numbers: on the stack for few.
fn room<'a, T: Copy>(few: &'a mut [T], many: &'a mut Vec<T>, len: usize) -> &'a mut [T] {
    if len <= few.len() {
        return &mut few[..len];
    }
    many.resize(len, few[0]);
    many
}

fn set<S: Real>(slots: &mut [Dual<S>], values: impl Iterator<Item = S>) {
    slots.iter_mut().zip(values).for_each(|(slot, value)| *slot = Dual::constant(value));
}

/// Inverts a matrix of n rows in place: up to four rows without memory of the heap.
fn invert<B: BaseFloat>(n: usize, a: &mut [B]) -> Result<(), AdError> {
    fn of_size<B: BaseFloat, D: Dim>(n: D, a: &mut [B]) -> Result<(), AdError>
    where
        DefaultAllocator: Allocator<D, D>,
    {
        let inverse = matrix::inverse(&OMatrix::from_column_slice_generic(n, n, a))?;
        a.copy_from_slice(inverse.as_slice());
        Ok(())
    }
    match n {
        1 => of_size(Const::<1>, a),
        2 => of_size(Const::<2>, a),
        3 => of_size(Const::<3>, a),
        4 => of_size(Const::<4>, a),
        _ => of_size(Dyn(n), a),
    }
}
