//! Problems of levenberg-marquardt 0.15.

use ::levenberg_marquardt::LeastSquaresProblem;
use nalgebra_0_34::{DMatrix, DVector, Dyn, Owned};
use wengert::VectorFunction;

/// The residuals of a least squares problem, and the current parameters.
///
/// ```
/// use levenberg_marquardt::LevenbergMarquardt;
/// use wengert::generic;
/// use wengert_solvers::levenberg_marquardt::Residuals;
///
/// struct Decay { t: Vec<f64>, y: Vec<f64> }
/// #[generic]
/// impl Decay {
///     fn outputs(&self, _: usize) -> usize { self.t.len() }
///     fn call(&self, p: &[f64], r: &mut [f64]) {
///         for ((r, t), y) in r.iter_mut().zip(&self.t).zip(&self.y) {
///             *r = p[0] * (-p[1] * t).exp() - y;
///         }
///     }
/// }
/// let t: Vec<f64> = (0..20).map(|i| f64::from(i) / 4.0).collect();
/// let y = t.iter().map(|t| 2.0 * (-0.7 * t).exp()).collect();
/// let problem = Residuals::new(Decay { t, y }, &[1.0, 0.1]);
/// let (fit, report) = LevenbergMarquardt::new().minimize(problem);
/// assert!(report.termination.was_successful());
/// assert!((fit.parameters()[0] - 2.0).abs() < 1e-9 && (fit.parameters()[1] - 0.7).abs() < 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct Residuals<F> {
    f: F,
    p: DVector<f64>,
}

impl<F: VectorFunction> Residuals<F> {
    /// The residuals that `f` computes, at `start`.
    pub fn new(f: F, start: &[f64]) -> Self {
        Residuals { f, p: DVector::from_column_slice(start) }
    }
    /// The parameters: those that the solver found, after a run.
    pub fn parameters(&self) -> &[f64] {
        self.p.as_slice()
    }
}

impl<F: VectorFunction> LeastSquaresProblem<f64, Dyn, Dyn> for Residuals<F> {
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    fn set_params(&mut self, p: &DVector<f64>) {
        self.p.copy_from(p);
    }
    fn params(&self) -> DVector<f64> {
        self.p.clone()
    }
    fn residuals(&self) -> Option<DVector<f64>> {
        Some(DVector::from_vec(crate::values(&self.f, self.p.as_slice())))
    }
    fn jacobian(&self) -> Option<DMatrix<f64>> {
        Some(crate::to_0_34(self.f.jacobian(self.p.as_slice())))
    }
}
