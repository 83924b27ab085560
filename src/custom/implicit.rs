//! Results that are defined by equations: their derivative is that of the equations, whatever found the result.

use nalgebra::{DMatrix, DVector, Dyn};

use super::on_real;
use crate::error::AdError;
use crate::forward::DualN;
use crate::linear_map::LinearMap;
use crate::matrix::Lu;
use crate::number::{Machine, Number, Real};
use crate::primitive::Primitive;

/// Equations `g(x, y) = 0` that define `y`, as many as unknowns.
///
/// ```
/// use wengert::{AdError, Real, derivative, second_derivative, primitive::{root, Equations}};
/// /// y² = x, by Heron's iteration.
/// #[derive(Clone)]
/// struct Heron;
/// impl Equations for Heron {
///     fn name(&self) -> &'static str { "heron" }
///     fn solution(&self, x: &[f64]) -> Result<Vec<f64>, AdError> {
///         let mut y = x[0];
///         for _ in 0..60 { y = 0.5 * (y + x[0] / y) }
///         Ok(vec![y])
///     }
///     fn residual<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> Vec<T> { vec![y[0] * y[0] - x[0]] }
/// }
/// assert_eq!(derivative(|x| root(&Heron, &[x]).unwrap()[0], 4.0), 0.25);
/// assert_eq!(second_derivative(|x| root(&Heron, &[x]).unwrap()[0], 4.0), -1.0 / 32.0);
/// ```
pub trait Equations: Clone + 'static {
    /// The name, for messages.
    fn name(&self) -> &'static str;
    /// The unknowns, found by any means.
    fn solution(&self, x: &[f64]) -> Result<Vec<f64>, AdError>;
    /// `g(x, y)`.
    fn residual<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> Vec<T>;
}

/// The root `y(x)` of equations, with `g_y ẏ = −g_x ẋ` and `x̄ = −g_xᵀ g_y⁻ᵀ ȳ` (implicit function theorem): the
/// Jacobians by forward mode, one factorisation, no derivative of the iteration that found the root.
///
/// # Errors
/// What the solution reports; `Singular` if `g_y` is, `Shape` if there are not as many equations as unknowns.
pub fn root<S: Real<Base = f64>, E: Equations>(equations: &E, x: &[S]) -> Result<Vec<S>, AdError> {
    S::lift_primitive(&Root(equations.clone()), &[x])
}

#[derive(Clone)]
struct Root<E>(E);

/// Lanes of the Jacobians.
const LANES: usize = 8;

impl<P: Machine<Base = f64>, E: Equations> Primitive<P> for Root<E> {
    type Map<T: Number<Primal = P, Base = f64>> = Implicit<T>;
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn value(&self, x: &[&[P]]) -> Result<Vec<P>, AdError> {
        on_real(self.0.name(), x, |x| self.0.solution(x[0]))
    }
    fn linearize<T: Number<Primal = P, Base = f64>>(
        &self,
        x: Vec<Vec<T>>,
        y: &[T],
    ) -> Result<Implicit<T>, AdError> {
        let [x, y] = [&x[0][..], y].map(|z| z.iter().map(|z| z.re()).collect::<Vec<T::Re>>());
        let by_y = self.jacobian(&y, |y| self.0.residual(&constants(&x), y))?;
        AdError::check_len(self.0.name(), "residual", y.len(), by_y.nrows())?;
        let by_x = self.jacobian(&x, |x| self.0.residual(x, &constants(&y)))?;
        let factors = Lu::new(&by_y).map_err(|_| AdError::Singular { op: self.0.name() })?;
        Ok(Implicit { name: self.0.name(), factors, by_x, rows: y.len() })
    }
}

fn constants<T: Number>(x: &[T]) -> Vec<DualN<T, LANES>> {
    x.iter().map(|&x| DualN::constant(x)).collect()
}

impl<E: Equations> Root<E> {
    /// The derivatives of the residual with respect to `z`, a few columns at a time.
    fn jacobian<T: Real>(
        &self,
        z: &[T],
        residual: impl Fn(&[DualN<T, LANES>]) -> Vec<DualN<T, LANES>>,
    ) -> Result<DMatrix<T>, AdError> {
        let mut seeded = constants(z);
        let mut columns: Vec<Vec<T>> = Vec::with_capacity(z.len());
        for first in (0..z.len()).step_by(LANES) {
            let chunk = first..z.len().min(first + LANES);
            chunk.clone().for_each(|i| seeded[i] = DualN::variable(z[i], i - first));
            let rows = residual(&seeded);
            columns.extend(chunk.clone().map(|i| rows.iter().map(|r| r.tangents()[i - first]).collect()));
            chunk.for_each(|i| seeded[i] = DualN::constant(z[i]));
        }
        let rows = columns.first().map_or(0, Vec::len);
        Ok(DMatrix::from_vec(rows, z.len(), columns.concat()))
    }
}

/// The derivative of a root: factors of `g_y`, and `g_x`.
pub struct Implicit<T: Number> {
    name: &'static str,
    factors: Lu<T::Re, Dyn>,
    by_x: DMatrix<T::Re>,
    rows: usize,
}

impl<T: Number> LinearMap<T> for Implicit<T> {
    fn apply(&self, tangents: &[Option<&[T]>], out: &mut [T]) {
        let dx = tangents[0].unwrap_or(&[]);
        let dx = DVector::from_iterator(dx.len(), dx.iter().map(|x| x.re()));
        let dy = self.factors.solve(&-(&self.by_x * dx));
        out.iter_mut().zip(dy.iter()).for_each(|(o, &dy)| *o = T::from_re(dy));
    }
    fn transpose(&self, cotangent: &[T], out: &mut [Option<&mut [T]>]) {
        let dy = DVector::from_iterator(self.rows, cotangent.iter().map(|y| y.re()));
        let dx = self.by_x.tr_mul(&self.factors.solve_transpose(&dy));
        for (o, &dx) in out[0].iter_mut().flat_map(|o| o.iter_mut()).zip(dx.iter()) {
            *o -= T::from_re(dx);
        }
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn bytes(&self) -> usize {
        size_of::<T>() * self.rows * (self.rows + self.by_x.ncols())
    }
}

/// An iteration `y ← f(x, y)` whose fixed point is the result.
///
/// ```
/// use wengert::{AdError, Real, derivative, primitive::{fixed_point, Iteration}};
/// /// y = cos(x·y)
/// #[derive(Clone)]
/// struct Cosine;
/// impl Iteration for Cosine {
///     fn name(&self) -> &'static str { "cosine" }
///     fn limit(&self, x: &[f64]) -> Result<Vec<f64>, AdError> {
///         Ok(vec![(0..200).fold(0.5, |y, _| (x[0] * y).cos())])
///     }
///     fn step<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> Vec<T> { vec![(x[0] * y[0]).cos()] }
/// }
/// let (d, y) = (derivative(|x| fixed_point(&Cosine, &[x]).unwrap()[0], 1.0), 0.739_085_133_215_160_6_f64);
/// assert!((d + y * y.sin() / (1.0 + y.sin())).abs() < 1e-15);
/// ```
pub trait Iteration: Clone + 'static {
    /// The name, for messages.
    fn name(&self) -> &'static str;
    /// The fixed point, found by any means.
    fn limit(&self, x: &[f64]) -> Result<Vec<f64>, AdError>;
    /// `f(x, y)`.
    fn step<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> Vec<T>;
}

/// The fixed point `y(x)` of an iteration: the [`root`] of `y − f(x, y)`, so `(I − f_y)ẏ = f_x ẋ`.
///
/// # Errors
/// What the limit reports; `Singular` if `I − f_y` is.
pub fn fixed_point<S: Real<Base = f64>, I: Iteration>(iteration: &I, x: &[S]) -> Result<Vec<S>, AdError> {
    root(&Fixed(iteration.clone()), x)
}

#[derive(Clone)]
struct Fixed<I>(I);

impl<I: Iteration> Equations for Fixed<I> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn solution(&self, x: &[f64]) -> Result<Vec<f64>, AdError> {
        self.0.limit(x)
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> Vec<T> {
        y.iter().zip(self.0.step(x, y)).map(|(&y, f)| y - f).collect()
    }
}

/// A function of parameters and variables whose minimum over the variables is the result.
///
/// ```
/// use wengert::{AdError, Real, gradient, primitive::{argmin, Objective}};
/// /// (y − x₀)² + x₁·y²: y = x₀/(1 + x₁).
/// #[derive(Clone)]
/// struct Ridge;
/// impl Objective for Ridge {
///     fn name(&self) -> &'static str { "ridge" }
///     fn minimiser(&self, x: &[f64]) -> Result<Vec<f64>, AdError> { Ok(vec![x[0] / (1.0 + x[1])]) }
///     fn value<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> T {
///         (y[0] - x[0]).powi(2) + x[1] * y[0].powi(2)
///     }
/// }
/// assert_eq!(gradient(|x| argmin(&Ridge, x).unwrap()[0], &[2.0, 3.0]), [0.25, -0.125]);
/// ```
pub trait Objective: Clone + 'static {
    /// The name, for messages.
    fn name(&self) -> &'static str;
    /// The minimiser, found by any means.
    fn minimiser(&self, x: &[f64]) -> Result<Vec<f64>, AdError>;
    /// The function that is minimised over `y`.
    fn value<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> T;
}

/// The minimiser `y(x)` of an objective `φ`: the [`root`] of `φ_y`, so `φ_yy ẏ = −φ_yx ẋ`.
///
/// # Errors
/// What the minimiser reports; `Singular` if `φ_yy` is.
pub fn argmin<S: Real<Base = f64>, O: Objective>(objective: &O, x: &[S]) -> Result<Vec<S>, AdError> {
    root(&Stationary(objective.clone()), x)
}

#[derive(Clone)]
struct Stationary<O>(O);

impl<O: Objective> Equations for Stationary<O> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn solution(&self, x: &[f64]) -> Result<Vec<f64>, AdError> {
        self.0.minimiser(x)
    }
    fn residual<T: Real<Base = f64>>(&self, x: &[T], y: &[T]) -> Vec<T> {
        let x = constants(x);
        let mut seeded = constants(y);
        let mut gradient = Vec::with_capacity(y.len());
        for first in (0..y.len()).step_by(LANES) {
            let chunk = first..y.len().min(first + LANES);
            chunk.clone().for_each(|i| seeded[i] = DualN::variable(y[i], i - first));
            gradient.extend_from_slice(&self.0.value(&x, &seeded).tangents()[..chunk.len()]);
            chunk.for_each(|i| seeded[i] = DualN::constant(y[i]));
        }
        gradient
    }
}
