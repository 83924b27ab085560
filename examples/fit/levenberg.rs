//! Nonlinear least squares: Levenberg–Marquardt as a trust region (Moré 1978), with an undamped Gauss–Newton
//! finish.
//!
//! Every linear step is a QR decomposition of the Jacobian; JᵀJ is never formed, it would square the
//! condition number. Steps are measured in the norms of the columns of the Jacobian, so that the units of the
//! parameters do not matter.

use nalgebra::{DMatrix, DVector};

use super::failure::{Result, counted, failure};

/// Residuals r(b) and their Jacobian at one point.
#[derive(Clone, Debug)]
pub struct Linearization {
    pub residuals: DVector<f64>,
    pub jacobian: DMatrix<f64>,
}

/// The problem to make ‖r(b)‖² least. Where the model overflows or is undefined, there is no value: `None`.
pub trait LeastSquares {
    fn residuals(&self, b: &DVector<f64>) -> Option<DVector<f64>>;
    fn linearize(&self, b: &DVector<f64>) -> Option<Linearization>;
    /// The norm of the data, next to which a step is small or large.
    fn magnitude(&self) -> f64;
}

/// The end of a descent.
#[derive(Clone, Debug)]
pub struct Minimum {
    pub b: DVector<f64>,
    pub linearization: Linearization,
    /// How many Jacobians it took to get here.
    pub iterations: usize,
}

/// The first trust region is as large as the parameters.
const FIRST_RADIUS: f64 = 1.0;
const MOST_ITERATIONS: usize = 1000;
/// A minimum has its residuals orthogonal to the tangent plane to this degree (Bates and Watts 1981), or
/// moves by no more than this next to the data: residuals that are rounding errors are orthogonal to nothing.
const ORTHOGONAL: f64 = 1e-7;
const STILL: f64 = 1e-11;

/// Minimizes from a starting point, or explains why no minimum can be reached from there.
pub fn minimize(problem: &impl LeastSquares, start: &DVector<f64>) -> Result<Minimum> {
    let Some(linearization) = problem.linearize(start) else {
        return failure("the model is undefined or overflows at the starting values");
    };
    let mut point = Minimum { b: start.clone(), linearization, iterations: 1 };
    let mut tolerance = 1e-6;
    loop {
        let arrived = descend(problem, &mut point, tolerance);
        polish(problem, &mut point);
        if !arrived || tolerance < f64::EPSILON || is_minimum(problem, &point) {
            break;
        }
        // The undamped steps do not contract here yet: damped steps follow, to a closer tolerance.
        tolerance *= 1e-4;
    }
    let rank = ScaledQr::new(&point.linearization, column_norms(&point.linearization.jacobian)).rank();
    let (p, iterations) = (start.len(), counted(point.iterations, "iteration"));
    if rank < p {
        let complaint = format!("the Jacobian has rank {rank} of {p} where it ends");
        return failure(format!("the fit does not converge: {complaint}, after {iterations}"));
    }
    if !is_minimum(problem, &point) {
        return failure(format!("the fit does not converge: no minimum in reach after {iterations}"));
    }
    Ok(point)
}

/// Damped steps until one predicts a relative gain below `tolerance`; false if that is not reached.
fn descend(problem: &impl LeastSquares, point: &mut Minimum, tolerance: f64) -> bool {
    let mut scale = column_norms(&point.linearization.jacobian);
    let mut qr = ScaledQr::new(&point.linearization, scale.clone());
    let mut rss = point.linearization.residuals.norm_squared();
    let size = point.b.component_mul(&scale).norm();
    let mut radius = FIRST_RADIUS * if size > 0.0 { size } else { problem.magnitude() };
    for _ in point.iterations..MOST_ITERATIONS {
        let Some(step) = qr.step_within(radius) else { return false };
        let length = step.scaled.norm();
        if step.gain <= tolerance * rss {
            return true;
        }
        if length <= f64::EPSILON * point.b.component_mul(&scale).norm() {
            return false;
        }
        let b = &point.b + step.scaled.component_div(&scale);
        let new_rss = problem.residuals(&b).map_or(f64::INFINITY, |residuals| residuals.norm_squared());
        let ratio = (rss - new_rss) / step.gain;
        if ratio < 0.25 {
            radius = 0.25 * radius.min(length);
        } else if ratio > 0.75 {
            radius = radius.max(2.0 * length);
        }
        if ratio > 1e-4
            && let Some(linearization) = problem.linearize(&b)
        {
            *point = Minimum { b, linearization, iterations: point.iterations + 1 };
            rss = new_rss;
            // Scales only grow: this keeps a parameter whose column fades from running away.
            scale = scale.sup(&column_norms(&point.linearization.jacobian));
            qr = ScaledQr::new(&point.linearization, scale.clone());
        }
    }
    false
}

/// Takes undamped steps, for the last digits, to the point where they are shortest. Near the minimum the residuals
/// are flat, and only the length of the steps still shows progress. The lengths may alternate on their way down. The
/// steps end when they have not become shorter for a while, or when the residuals grow.
pub fn polish(problem: &impl LeastSquares, point: &mut Minimum) {
    /// The largest relative change of a sum of squares that counts as rounding and not as growth.
    const ROUNDING: f64 = 1e-10;
    const PATIENCE: usize = 3;
    const MOST: usize = 500;
    let rss = |point: &Minimum| point.linearization.residuals.norm_squared();
    let newton = |point: &Minimum| {
        let qr = ScaledQr::new(&point.linearization, column_norms(&point.linearization.jacobian));
        let step = qr.undamped()?;
        Some((step.norm(), step.component_div(&qr.scale)))
    };
    let Some((mut shortest, mut step)) = newton(point) else { return };
    let mut current = point.clone();
    let mut patience = PATIENCE;
    for _ in 0..MOST {
        let b = &current.b + &step;
        let Some(linearization) = problem.linearize(&b) else { return };
        current = Minimum { b, linearization, iterations: current.iterations + 1 };
        let Some((length, next)) = newton(&current) else { return };
        if rss(&current) > rss(point) * (1.0 + ROUNDING) {
            return;
        }
        patience -= 1;
        if length < shortest {
            *point = current.clone();
            (shortest, patience) = (length, PATIENCE);
        } else if patience == 0 {
            return;
        }
        step = next;
    }
}

fn is_minimum(problem: &impl LeastSquares, point: &Minimum) -> bool {
    let qr = ScaledQr::new(&point.linearization, column_norms(&point.linearization.jacobian));
    let Some(step) = qr.undamped() else { return false };
    let size = point.b.component_mul(&qr.scale).norm().max(problem.magnitude());
    qr.projected.norm() <= ORTHOGONAL * point.linearization.residuals.norm() || step.norm() <= STILL * size
}

/// Norms of the columns; 1 for a column of zeros, which has no scale.
pub fn column_norms(jacobian: &DMatrix<f64>) -> DVector<f64> {
    let norms = jacobian.column_iter().map(|column| column.norm());
    DVector::from_iterator(jacobian.ncols(), norms.map(|norm| if norm > 0.0 { norm } else { 1.0 }))
}

/// A step in scaled parameters `D δ`, and the decrease of ‖r‖² that the linearization predicts for it.
struct Step {
    scaled: DVector<f64>,
    gain: f64,
}

/// `J D⁻¹ = Q R`, where `D` scales the parameters.
pub struct ScaledQr {
    pub scale: DVector<f64>,
    pub r: DMatrix<f64>,
    /// The part of the residuals in the tangent plane, which an undamped step removes: the top of `Qᵀ r`.
    projected: DVector<f64>,
    /// The sum of squares of the other part.
    pub remainder: f64,
}

impl ScaledQr {
    pub fn new(linearization: &Linearization, scale: DVector<f64>) -> ScaledQr {
        let mut scaled = linearization.jacobian.clone();
        for (mut column, d) in scaled.column_iter_mut().zip(scale.iter()) {
            column /= *d;
        }
        let qr = scaled.qr();
        let mut rotated = linearization.residuals.clone();
        qr.q_tr_mul(&mut rotated);
        let (n, p) = linearization.jacobian.shape();
        let projected = rotated.rows(0, p).into_owned();
        ScaledQr { r: qr.r(), projected, remainder: rotated.rows(p, n - p).norm_squared(), scale }
    }

    /// How many directions of the parameters the data determine, up to rounding.
    pub fn rank(&self) -> usize {
        let values = self.r.singular_values();
        values
            .iter()
            .filter(|&&value| value > 10.0 * f64::EPSILON * values.len() as f64 * values.max())
            .count()
    }

    /// `R⁻¹`, if it exists in the numbers at hand.
    pub fn inverse(&self) -> Option<DMatrix<f64>> {
        let mut inverse = DMatrix::identity(self.r.nrows(), self.r.ncols());
        let solved = self.r.solve_upper_triangular_mut(&mut inverse);
        (solved && inverse.iter().all(|x| x.is_finite())).then_some(inverse)
    }

    /// The step to the minimum of the linearization: least ‖r + J δ‖.
    fn undamped(&self) -> Option<DVector<f64>> {
        let mut step = -&self.projected;
        let solved = self.r.solve_upper_triangular_mut(&mut step);
        (solved && step.iter().all(|x| x.is_finite())).then_some(step)
    }

    /// The least ‖r + J δ‖² + λ‖D δ‖² by QR of `R` on top of `√λ I`, with the triangle of that decomposition.
    fn damped(&self, lambda: f64) -> Option<(DVector<f64>, DMatrix<f64>)> {
        let p = self.scale.len();
        let mut stacked = DMatrix::zeros(2 * p, p);
        stacked.rows_mut(0, p).copy_from(&self.r);
        stacked.rows_mut(p, p).fill_diagonal(lambda.sqrt());
        let qr = stacked.qr();
        let mut right = DVector::zeros(2 * p);
        right.rows_mut(0, p).copy_from(&-&self.projected);
        qr.q_tr_mul(&mut right);
        let mut step = right.rows(0, p).into_owned();
        let r = qr.r();
        let solved = r.solve_upper_triangular_mut(&mut step);
        (solved && step.iter().all(|x| x.is_finite())).then_some((step, r))
    }

    /// The step of least ‖r + J δ‖ among the steps of length ‖D δ‖ ≤ `radius`, up to a tenth.
    ///
    /// On the boundary it is the damped step whose λ solves ‖D δ(λ)‖ = radius: Newton's iteration on the
    /// reciprocal of the length, which is almost linear in λ, between bounds.
    fn step_within(&self, radius: f64) -> Option<Step> {
        if let Some(step) = self.undamped().filter(|step| step.norm() <= 1.1 * radius) {
            return Some(self.step(step, 0.0));
        }
        let (mut lower, mut upper) = (0.0, self.r.tr_mul(&self.projected).norm() / radius);
        let mut lambda = 1e-3 * upper;
        for _ in 0..100 {
            let (step, r) = self.damped(lambda)?;
            let excess = step.norm() / radius - 1.0;
            if excess.abs() <= 0.1 {
                return Some(self.step(step, lambda));
            }
            if excess > 0.0 {
                lower = lambda;
            } else {
                upper = lambda;
            }
            let mut slope = step.clone();
            if !r.tr_solve_upper_triangular_mut(&mut slope) {
                return None;
            }
            lambda += excess * step.norm_squared() / slope.norm_squared();
            if !(lower < lambda && lambda < upper) {
                lambda = (1e-3 * upper).max((lower * upper).sqrt());
            }
        }
        self.damped(lambda).map(|(step, _)| self.step(step, lambda))
    }

    fn step(&self, scaled: DVector<f64>, lambda: f64) -> Step {
        // ‖r‖² − ‖r + J δ‖² without the cancellation.
        let gain = (&self.r * &scaled).norm_squared() + 2.0 * lambda * scaled.norm_squared();
        Step { scaled, gain }
    }
}
