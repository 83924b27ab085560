//! Fixed points and minimisers, as roots of the equations that they satisfy.

use super::implicit::{Equations, LANES, constants_in_lanes, root};
use crate::duals::DualN;
use crate::error::AdError;
use crate::lift::views;
use crate::number::{BaseFloat, Passive, Real};

/// An iteration `y ← f(x, y)` whose fixed point is the result.
///
/// ```
/// use wengert::{AdError, Real, derivative, primitive::{fixed_point, Iteration}};
/// /// y = cos(x·y)
/// #[derive(Clone)]
/// struct Cosine;
/// impl Iteration for Cosine {
///     fn name(&self) -> &'static str { "cosine" }
///     fn limit(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
///         Ok(vec![(0..200).fold(0.5, |y, _| (x[0][0] * y).cos())])
///     }
///     fn step<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
///         vec![(x[0][0] * y[0]).cos()]
///     }
/// }
/// let d = derivative(|x| fixed_point(&Cosine, &[&[x]]).unwrap()[0], 1.0);
/// let y = 0.739_085_133_215_160_6_f64;
/// assert!((d + y * y.sin() / (1.0 + y.sin())).abs() < 1e-15);
/// ```
pub trait Iteration<F: BaseFloat = f64>: Clone + Passive + Send + Sync + 'static {
    /// The name, for messages.
    fn name(&self) -> &'static str;
    /// The number of groups of arguments, if it is fixed: another number is then an error.
    fn arity(&self) -> Option<usize> {
        None
    }
    /// Checks the lengths of the groups, before anything is computed; see [`Rule::check`](super::Rule::check).
    ///
    /// # Errors
    /// If a length is wrong, usually from [`AdError::check_len`].
    fn check(&self, _lengths: &[usize]) -> Result<(), AdError> {
        Ok(())
    }
    /// The fixed point, found by any method.
    ///
    /// # Errors
    /// If the iteration does not converge, as [`AdError::NoConvergence`]; [`fixed_point`] returns the error.
    fn limit(&self, x: &[&[F]]) -> Result<Vec<F>, AdError>;
    /// `f(x, y)`, as many numbers as `y` has.
    fn step<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> Vec<T>;
}

/// The fixed point `y(x)` of an iteration: the [`root`] of `y − f(x, y)`, so `(I − f_y)ẏ = f_x ẋ`. [`Iteration`] has an
/// example.
///
/// # Errors
/// The errors of the check and the limit; `Singular` if `I − f_y` is singular, `Shape` if the lengths of a step and the
/// limit differ.
///
/// # Panics
/// As for [`root`].
#[track_caller]
pub fn fixed_point<S: Real, I: Iteration<S::Base>>(iteration: &I, x: &[&[S]]) -> Result<Vec<S>, AdError> {
    root(&Fixed(iteration.clone()), x)
}

#[derive(Clone)]
struct Fixed<I>(I);

impl<F: BaseFloat, I: Iteration<F>> Equations<F> for Fixed<I> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn arity(&self) -> Option<usize> {
        self.0.arity()
    }
    fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
        self.0.check(lengths)
    }
    fn solution(&self, x: &[&[F]]) -> Result<Vec<F>, AdError> {
        self.0.limit(x)
    }
    fn residual<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        let mut f = self.0.step(x, y);
        // A step of another length is returned unchanged, so that the check of lengths finds it.
        if f.len() == y.len() {
            f.iter_mut().zip(y).for_each(|(f, &y)| *f = y - *f);
        }
        f
    }
}

/// An objective `φ(x, y)` of parameters `x` whose minimiser over `y` is the result.
///
/// ```
/// use wengert::{AdError, Real, gradient, primitive::{argmin, Objective}};
/// /// (y − x₀)² + x₁·y²: y = x₀/(1 + x₁).
/// #[derive(Clone)]
/// struct Ridge;
/// impl Objective for Ridge {
///     fn name(&self) -> &'static str { "ridge" }
///     fn minimiser(&self, x: &[&[f64]]) -> Result<Vec<f64>, AdError> {
///         Ok(vec![x[0][0] / (1.0 + x[0][1])])
///     }
///     fn value<T: Real<Base = f64>>(&self, x: &[&[T]], y: &[T]) -> T {
///         (y[0] - x[0][0]).powi(2) + x[0][1] * y[0].powi(2)
///     }
/// }
/// assert_eq!(gradient(|x| argmin(&Ridge, &[x]).unwrap()[0], &[2.0, 3.0]), [0.25, -0.125]);
/// ```
pub trait Objective<F: BaseFloat = f64>: Clone + Passive + Send + Sync + 'static {
    /// The name, for messages.
    fn name(&self) -> &'static str;
    /// The number of groups of arguments, if it is fixed: another number is then an error.
    fn arity(&self) -> Option<usize> {
        None
    }
    /// Checks the lengths of the groups, before anything is computed; see [`Rule::check`](super::Rule::check).
    ///
    /// # Errors
    /// If a length is wrong, usually from [`AdError::check_len`].
    fn check(&self, _lengths: &[usize]) -> Result<(), AdError> {
        Ok(())
    }
    /// The minimiser, found by any method.
    ///
    /// # Errors
    /// If none is found, for example [`AdError::NoConvergence`]; [`argmin`] returns the error.
    fn minimiser(&self, x: &[&[F]]) -> Result<Vec<F>, AdError>;
    /// The objective `φ(x, y)`, to be minimised over `y`.
    fn value<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> T;
}

/// The minimiser `y(x)` of an objective `φ`: the [`root`] of `φ_y`, so `φ_yy ẏ = −φ_yx ẋ`. [`Objective`] has an
/// example.
///
/// # Errors
/// The errors of the check and the minimiser; `Singular` if `φ_yy` is singular.
///
/// # Panics
/// As for [`root`].
#[track_caller]
pub fn argmin<S: Real, O: Objective<S::Base>>(objective: &O, x: &[&[S]]) -> Result<Vec<S>, AdError> {
    root(&Stationary(objective.clone()), x)
}

#[derive(Clone)]
struct Stationary<O>(O);

impl<F: BaseFloat, O: Objective<F>> Equations<F> for Stationary<O> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn arity(&self) -> Option<usize> {
        self.0.arity()
    }
    fn check(&self, lengths: &[usize]) -> Result<(), AdError> {
        self.0.check(lengths)
    }
    fn solution(&self, x: &[&[F]]) -> Result<Vec<F>, AdError> {
        self.0.minimiser(x)
    }
    fn residual<T: Real<Base = F>>(&self, x: &[&[T]], y: &[T]) -> Vec<T> {
        let x: Vec<_> = x.iter().map(|x| constants_in_lanes(x)).collect();
        let mut seeded = constants_in_lanes(y);
        let mut gradient = Vec::with_capacity(y.len());
        for first in (0..y.len()).step_by(LANES) {
            let chunk = first..y.len().min(first + LANES);
            chunk.clone().for_each(|i| seeded[i] = DualN::variable(y[i], i - first));
            gradient.extend_from_slice(&self.0.value(&views(&x), &seeded).tangents()[..chunk.len()]);
            chunk.for_each(|i| seeded[i] = DualN::constant(y[i]));
        }
        gradient
    }
}
