//! A model fitted to data: residuals and Jacobians for the solver, and the statistics of the result.

use nalgebra::{DMatrix, DVector};
use wengert::forward::value_and_jacobian;
use wengert::{DualN, Number};

use super::data::{Dataset, Decimal};
use super::exact::Exact;
use super::failure::{Failure, Result, counted, failure};
use super::formula::{Compiled, Formula};
use super::levenberg::{self, LeastSquares, Linearization, Minimum, ScaledQr, column_norms};

/// The number that Jacobians are taken with: eight columns at a time.
type Lanes = DualN<f64, 8>;

/// A fitted model.
pub struct Fit {
    pub estimates: Vec<f64>,
    /// Absent if the number of parameters equals the number of observations: nothing is left to estimate errors from.
    pub std_errors: Option<Vec<f64>>,
    /// Residual sum of squares.
    pub rss: f64,
    pub degrees_of_freedom: usize,
    pub iterations: usize,
    /// For each observation: the response, or its logarithm if the model has one on the left.
    pub observed: Vec<f64>,
    /// The values of the model.
    pub fitted: Vec<f64>,
    /// Observed less fitted.
    pub residuals: Vec<f64>,
    /// A matrix C such that gᵀ C Cᵀ g is the variance of a value with gradient g.
    spread: DMatrix<f64>,
    model: Model,
}

/// A formula in the number types that a fit takes.
struct Model {
    formula: Formula,
    value: Compiled<f64>,
    derivative: Compiled<Lanes>,
}

/// The model next to the data.
struct Residuals<'a> {
    model: &'a Model,
    predictors: Vec<Vec<f64>>,
    response: DVector<f64>,
    /// The residuals in longer numbers, once they are too small for `f64`.
    exact: Option<ExactResiduals>,
}

/// The model next to the decimal digits of the data.
struct ExactResiduals {
    value: Compiled<Exact>,
    predictors: Vec<Vec<Exact>>,
    response: Vec<Exact>,
}

impl Model {
    fn new(formula: Formula) -> Result<Model> {
        Ok(Model { value: formula.compile()?, derivative: formula.compile()?, formula })
    }

    /// The model at many points, and the derivatives of all these values in the parameters.
    fn value_and_jacobian(&self, b: &[f64], points: &[Vec<f64>]) -> (Vec<f64>, DMatrix<f64>) {
        let constant = |x: &f64| Lanes::lit(*x);
        let points: Vec<Vec<Lanes>> =
            points.iter().map(|point| point.iter().map(constant).collect()).collect();
        let undefined = Lanes::lit(f64::NAN);
        value_and_jacobian(
            |b: &[Lanes]| -> Vec<Lanes> {
                points.iter().map(|x| self.derivative.value(b, x, undefined)).collect()
            },
            b,
        )
    }
}

impl LeastSquares for Residuals<'_> {
    fn residuals(&self, b: &DVector<f64>) -> Option<DVector<f64>> {
        let value = |x: &Vec<f64>| self.model.value.value(b.as_slice(), x, f64::NAN);
        let values = DVector::from_iterator(self.predictors.len(), self.predictors.iter().map(value));
        let residuals = values - &self.response;
        residuals.norm_squared().is_finite().then_some(residuals)
    }

    fn linearize(&self, b: &DVector<f64>) -> Option<Linearization> {
        let (values, jacobian) = self.model.value_and_jacobian(b.as_slice(), &self.predictors);
        let residuals = match &self.exact {
            Some(exact) => exact.residuals(b),
            None => DVector::from_vec(values) - &self.response,
        };
        let finite = residuals.norm_squared().is_finite() && jacobian.norm_squared().is_finite();
        finite.then_some(Linearization { residuals, jacobian })
    }

    fn magnitude(&self) -> f64 {
        self.response.norm()
    }
}

impl ExactResiduals {
    fn new(data: &Dataset, formula: &Formula) -> Result<ExactResiduals> {
        let predictors = data.observations.iter().map(|o| o.predictors.iter().map(Decimal::exact).collect());
        let response = data.observations.iter().map(|o| o.response.exact());
        Ok(ExactResiduals {
            value: formula.compile()?,
            predictors: predictors.collect(),
            response: response.map(|y| if formula.log_response { y.ln() } else { y }).collect(),
        })
    }

    /// Residuals of full precision in `f64`, at parameters that are `f64`.
    fn residuals(&self, b: &DVector<f64>) -> DVector<f64> {
        let b: Vec<Exact> = b.iter().map(|&b| Exact::from(b)).collect();
        let value = |x: &Vec<Exact>| self.value.value(&b, x, Exact::from(f64::NAN));
        let residuals =
            self.predictors.iter().zip(&self.response).map(|(x, y)| (value(x) - y.clone()).to_f64());
        DVector::from_iterator(self.response.len(), residuals)
    }
}

/// Fits a formula to data, from one start.
pub fn fit(data: &Dataset, formula: Formula, start: &[f64]) -> Result<Fit> {
    let (n, p) = (data.observations.len(), formula.parameters);
    if start.len() != p {
        return failure(format!(
            "{} for {}",
            counted(start.len(), "starting value"),
            counted(p, "parameter")
        ));
    }
    if n < p {
        return failure(format!(
            "{} cannot determine {}",
            counted(n, "observation"),
            counted(p, "parameter")
        ));
    }
    let model = Model::new(formula)?;
    let predictors =
        data.observations.iter().map(|o| o.predictors.iter().map(|x| x.value).collect()).collect();
    let response = response(data, model.formula.log_response)?;
    let mut problem = Residuals { model: &model, predictors, response, exact: None };
    let mut minimum = levenberg::minimize(&problem, &DVector::from_column_slice(start))?;
    if minimum.linearization.residuals.norm() < RESOLVED * problem.magnitude() && n <= MOST_EXACT {
        problem.exact = Some(ExactResiduals::new(data, &model.formula)?);
        if let Some(linearization) = problem.linearize(&minimum.b) {
            minimum.linearization = linearization;
            levenberg::polish(&problem, &mut minimum);
        }
    }
    let response = problem.response;
    statistics(minimum, response, model)
}

/// Residuals smaller than this next to the data have lost more than four of their digits to rounding in
/// `f64`, and standard errors with them: the last steps are then taken in longer numbers.
const RESOLVED: f64 = 1e-4;
/// Beyond this many observations the longer numbers would keep the user waiting.
const MOST_EXACT: usize = 20_000;

fn statistics(minimum: Minimum, response: DVector<f64>, model: Model) -> Result<Fit> {
    let Minimum { b, linearization, iterations } = minimum;
    let (n, p) = linearization.jacobian.shape();
    let degrees_of_freedom = n - p;
    let qr = ScaledQr::new(&linearization, column_norms(&linearization.jacobian));
    // The sum at the minimum. The estimates are its coordinates, rounded; this rounding moves the residuals of
    // Lanczos1 in the seventh digit.
    let rss = qr.remainder;
    // (JᵀJ)⁻¹ = C Cᵀ with C = D⁻¹ R⁻¹, so the variances are the squared norms of the rows of σ C.
    let mut spread = qr.inverse().ok_or_else(|| Failure::new("the Jacobian is singular at the estimate"))?;
    let sigma = if degrees_of_freedom > 0 { (rss / degrees_of_freedom as f64).sqrt() } else { 0.0 };
    for (mut row, d) in spread.row_iter_mut().zip(qr.scale.iter()) {
        row *= sigma / d;
    }
    let std_errors: Vec<f64> = spread.row_iter().map(|row| row.norm()).collect();
    Ok(Fit {
        estimates: b.as_slice().to_vec(),
        std_errors: (degrees_of_freedom > 0).then_some(std_errors),
        rss,
        degrees_of_freedom,
        iterations,
        fitted: (&linearization.residuals + &response).as_slice().to_vec(),
        residuals: (-&linearization.residuals).as_slice().to_vec(),
        observed: response.as_slice().to_vec(),
        spread,
        model,
    })
}

/// The response as the model takes it.
fn response(data: &Dataset, logarithm: bool) -> Result<DVector<f64>> {
    let mut response = Vec::with_capacity(data.observations.len());
    for observation in &data.observations {
        let y = observation.response.value;
        if logarithm && y <= 0.0 {
            return failure(format!("line {}: the response {y} has no logarithm", observation.line));
        }
        response.push(if logarithm { y.ln() } else { y });
    }
    let response = DVector::from_vec(response);
    match response.amax() {
        0.0 => failure("the response is zero throughout"),
        // The squares of these numbers overflow or vanish.
        size if !(1e-140..1e140).contains(&size) => {
            failure(format!("the response is of size {size:.0e}: rescale it"))
        }
        _ => Ok(response),
    }
}

impl Fit {
    pub fn formula(&self) -> &Formula {
        &self.model.formula
    }

    /// The left side of the model.
    pub fn response_name(&self, data: &Dataset) -> String {
        let name = &data.columns.response;
        if self.model.formula.log_response { format!("log[{name}]") } else { name.clone() }
    }

    /// The residual standard deviation.
    pub fn sigma(&self) -> Option<f64> {
        (self.degrees_of_freedom > 0).then(|| (self.rss / self.degrees_of_freedom as f64).sqrt())
    }

    /// Values of the fitted model at points, each with its standard error.
    pub fn predict(&self, points: &[Vec<f64>]) -> Vec<(f64, f64)> {
        let (values, jacobian) = self.model.value_and_jacobian(&self.estimates, points);
        let errors = jacobian * &self.spread;
        values.into_iter().zip(errors.row_iter()).map(|(value, error)| (value, error.norm())).collect()
    }
}
