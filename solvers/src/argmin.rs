//! Problems of argmin 0.11.

use std::marker::PhantomData;

use ::argmin::core::{CostFunction, Error, Gradient, Hessian, Jacobian, Operator};
use nalgebra::DMatrix;
use wengert::{Function, VectorFunction};

/// A function object as a problem of argmin.
///
/// A [`Function`] has argmin's `CostFunction`, `Gradient` and `Hessian`, a [`VectorFunction`] its `Operator` and
/// `Jacobian`. Points are `Vec<f64>` and matrices `Vec<Vec<f64>>`, by rows; [`with_nalgebra`](Problem::with_nalgebra)
/// takes nalgebra's types, which solvers that invert a matrix need.
///
/// ```
/// use argmin::core::{Executor, State};
/// use argmin::solver::trustregion::{Steihaug, TrustRegion};
/// use wengert::function;
/// use wengert_solvers::argmin::Problem;
///
/// let valley = function!(|x| {
///     x.windows(2)
///         .map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2))
///         .sum()
/// });
/// let run = Executor::new(Problem::new(valley), TrustRegion::new(Steihaug::new()))
///     .configure(|state| state.param(vec![-1.2; 4]).max_iters(60))
///     .run()?;
/// assert!(run.state().get_best_param().unwrap().iter().all(|x| (x - 1.0).abs() < 1e-9));
/// # Ok::<(), argmin::core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Problem<F, V = Vec<f64>> {
    f: F,
    vectors: PhantomData<fn() -> V>,
}

impl<F> Problem<F> {
    /// The problem over `Vec<f64>`.
    pub fn new(f: F) -> Self {
        Problem { f, vectors: PhantomData }
    }
}

#[cfg(feature = "nalgebra-0_34")]
impl<F> Problem<F, nalgebra_0_34::DVector<f64>> {
    /// The problem over `DVector<f64>` and `DMatrix<f64>` of nalgebra 0.34, the latest that argmin knows.
    ///
    /// ```
    /// use argmin::core::{Executor, State};
    /// use argmin::solver::gaussnewton::GaussNewton;
    /// use nalgebra_0_34::DVector; // argmin's
    /// use wengert::function;
    /// use wengert_solvers::argmin::Problem;
    ///
    /// let residuals = function!(|x, r: [_; 2]| {
    ///     (r[0], r[1]) = (10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]);
    /// });
    /// let run = Executor::new(Problem::with_nalgebra(residuals), GaussNewton::new())
    ///     .configure(|state| state.param(DVector::from_vec(vec![-1.2, 1.0])).max_iters(10))
    ///     .run()?;
    /// assert_eq!(run.state().get_best_param().unwrap().as_slice(), [1.0, 1.0]);
    /// # Ok::<(), argmin::core::Error>(())
    /// ```
    pub fn with_nalgebra(f: F) -> Self {
        Problem { f, vectors: PhantomData }
    }
}

/// Vectors of a solver, with its matrices.
pub trait Vector {
    /// The matrices beside these vectors.
    type Matrix;
    /// The entries.
    fn entries(&self) -> &[f64];
    /// A vector of entries.
    fn of_entries(entries: Vec<f64>) -> Self;
    /// A matrix of this crate as one of the solver.
    fn matrix(m: DMatrix<f64>) -> Self::Matrix;
}

impl Vector for Vec<f64> {
    type Matrix = Vec<Vec<f64>>;
    fn entries(&self) -> &[f64] {
        self
    }
    fn of_entries(entries: Vec<f64>) -> Self {
        entries
    }
    fn matrix(m: DMatrix<f64>) -> Vec<Vec<f64>> {
        m.row_iter().map(|row| row.iter().copied().collect()).collect()
    }
}

#[cfg(feature = "nalgebra-0_34")]
impl Vector for nalgebra_0_34::DVector<f64> {
    type Matrix = nalgebra_0_34::DMatrix<f64>;
    fn entries(&self) -> &[f64] {
        self.as_slice()
    }
    fn of_entries(entries: Vec<f64>) -> Self {
        Self::from_vec(entries)
    }
    fn matrix(m: DMatrix<f64>) -> nalgebra_0_34::DMatrix<f64> {
        crate::to_0_34(m)
    }
}

impl<F: Function, V: Vector> CostFunction for Problem<F, V> {
    type Param = V;
    type Output = f64;
    fn cost(&self, x: &V) -> Result<f64, Error> {
        Ok(self.f.call(x.entries()))
    }
}

impl<F: Function, V: Vector> Gradient for Problem<F, V> {
    type Param = V;
    type Gradient = V;
    fn gradient(&self, x: &V) -> Result<V, Error> {
        Ok(V::of_entries(self.f.gradient(x.entries())))
    }
}

impl<F: Function, V: Vector> Hessian for Problem<F, V> {
    type Param = V;
    type Hessian = V::Matrix;
    fn hessian(&self, x: &V) -> Result<V::Matrix, Error> {
        Ok(V::matrix(self.f.hessian(x.entries())))
    }
}

impl<F: VectorFunction, V: Vector> Operator for Problem<F, V> {
    type Param = V;
    type Output = V;
    fn apply(&self, x: &V) -> Result<V, Error> {
        Ok(V::of_entries(crate::values(&self.f, x.entries())))
    }
}

impl<F: VectorFunction, V: Vector> Jacobian for Problem<F, V> {
    type Param = V;
    type Jacobian = V::Matrix;
    fn jacobian(&self, x: &V) -> Result<V::Matrix, Error> {
        Ok(V::matrix(self.f.jacobian(x.entries())))
    }
}
