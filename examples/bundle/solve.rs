//! The adjustment itself: L-BFGS by the crate `argmin`, gradients in reverse mode.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State, TerminationReason};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use indicatif::{ProgressBar, ProgressStyle};

use super::camera::{self, Camera};
use super::failure::{Failure, Result};
use super::scene::Scene;

/// L-BFGS remembers so many steps.
const MEMORY: usize = 20;
/// It stops where a step lowers the loss by less than this share of what the noise will leave.
const TOLERANCE: f64 = 2e-6;

type Iterate = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// Where the solver arrived.
pub struct Solution {
    pub parameters: Vec<f64>,
    /// The loss at the start and after every iteration.
    pub losses: Vec<f64>,
    /// How many gradients that took.
    pub gradients: u64,
    /// Why it stopped.
    pub reason: &'static str,
}

/// `f(p)` and `∇f(p)`: one evaluation on a tape and one sweep back, whatever the number of parameters.
pub fn loss_and_gradient(scene: &Scene, parameters: &[f64], gradient: &mut [f64]) -> f64 {
    wengert::gradient_into(|p| scene.loss(p), parameters, gradient)
}

/// Minimises the loss from the scene's first guess.
pub fn solve(scene: &Scene, iterations: u64) -> Result<Solution> {
    let losses = Arc::new(Mutex::new(vec![scene.loss(&scene.start)]));
    let problem = Scaled { scene, scales: scales(scene), last: RefCell::default() };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_cost(TOLERANCE * scene.expected_loss());
    let outcome = solver.and_then(|solver| {
        Executor::new(&problem, solver)
            .configure(|state| state.param(vec![0.0; scene.start.len()]).max_iters(iterations))
            .add_observer(Progress::new(iterations, losses.clone()), ObserverMode::Always)
            .run()
    });
    let outcome = outcome.map_err(|error| Failure::new(format!("the solver fails: {error}")))?;
    let best =
        outcome.state.get_best_param().ok_or_else(|| Failure::new("the solver returns no parameters"))?;
    let losses = losses.lock().map_err(|_| Failure::new("the record of losses is lost"))?.clone();
    Ok(Solution {
        parameters: problem.parameters(best),
        losses,
        gradients: problem.last.borrow().number,
        reason: match outcome.state.get_termination_reason() {
            Some(TerminationReason::SolverConverged) => "converged",
            Some(TerminationReason::MaxItersReached) => "stopped by the limit of iterations",
            _ => "stopped",
        },
    })
}

/// The problem in the variables `u = S·(p − p₀)`: a radian, a pixel and a metre become comparable.
struct Scaled<'s> {
    scene: &'s Scene,
    scales: Vec<f64>,
    /// `argmin` asks for the loss, the gradient, and after its line search for the gradient of the same point again.
    last: RefCell<Evaluation>,
}

#[derive(Default)]
struct Evaluation {
    at: Vec<f64>,
    loss: f64,
    gradient: Vec<f64>,
    /// How many there were.
    number: u64,
}

impl Scaled<'_> {
    fn parameters(&self, u: &[f64]) -> Vec<f64> {
        let start = self.scene.start.iter();
        start.zip(u).zip(&self.scales).map(|((p, u), s)| p + u / s).collect()
    }

    /// What `read` takes from the evaluation at `u`, which is the last one or a new one.
    fn at<R>(&self, u: &[f64], read: impl FnOnce(&Evaluation) -> R) -> R {
        let mut last = self.last.borrow_mut();
        if last.at != u {
            let mut gradient = vec![0.0; u.len()];
            let loss = loss_and_gradient(self.scene, &self.parameters(u), &mut gradient);
            gradient.iter_mut().zip(&self.scales).for_each(|(g, s)| *g /= s);
            *last = Evaluation { at: u.to_vec(), loss, gradient, number: last.number + 1 };
        }
        read(&last)
    }
}

impl CostFunction for &Scaled<'_> {
    type Param = Vec<f64>;
    type Output = f64;
    fn cost(&self, u: &Vec<f64>) -> std::result::Result<f64, Error> {
        Ok(self.at(u, |evaluation| evaluation.loss))
    }
}

impl Gradient for &Scaled<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;
    fn gradient(&self, u: &Vec<f64>) -> std::result::Result<Vec<f64>, Error> {
        Ok(self.at(u, |evaluation| evaluation.gradient.clone()))
    }
}

/// The norms of the columns of the Jacobian of all residuals at the start: how many pixels a unit of each parameter
/// moves. Each residual depends on one camera and one point, so its Jacobian is 2 × 12: a matter for forward mode,
/// of the same function.
fn scales(scene: &Scene) -> Vec<f64> {
    const ALL: usize = camera::PARAMETERS + 3;
    let mut squares = vec![0.0; scene.start.len()];
    for seen in &scene.observations {
        let (eye, point) = (scene.camera(&scene.start, seen.camera), scene.point(&scene.start, seen.point));
        let both: [f64; ALL] =
            std::array::from_fn(|i| if i < eye.len() { eye[i] } else { point[i - eye.len()] });
        let jacobian = wengert::jacobian(
            |p| {
                let (eye, point) =
                    (std::array::from_fn(|i| p[i]), std::array::from_fn(|i| p[camera::PARAMETERS + i]));
                camera::residual(&Camera::new(&eye), &point, seen.pixel)
            },
            &both,
        );
        let first = [camera::PARAMETERS * seen.camera, camera::PARAMETERS * scene.cameras + 3 * seen.point];
        for (i, column) in jacobian.column_iter().enumerate() {
            let at = if i < eye.len() { first[0] + i } else { first[1] + i - eye.len() };
            squares[at] += column.norm_squared();
        }
    }
    // A point that no camera sees stays where it is, at any scale.
    squares.iter().map(|&s: &f64| if s > 0.0 { s.sqrt() } else { 1.0 }).collect()
}

/// Keeps the losses, and shows how far the solver is (on a terminal only).
struct Progress {
    bar: ProgressBar,
    losses: Arc<Mutex<Vec<f64>>>,
}

impl Progress {
    fn new(iterations: u64, losses: Arc<Mutex<Vec<f64>>>) -> Progress {
        let bar = ProgressBar::new(iterations);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {pos}/{len} iterations, {msg} (at most {eta} left)")
        {
            bar.set_style(style);
        }
        Progress { bar, losses }
    }
}

impl Observe<Iterate> for Progress {
    fn observe_iter(&mut self, state: &Iterate, _: &KV) -> std::result::Result<(), Error> {
        self.bar.set_message(format!("loss {:.1} px²", state.get_cost()));
        self.bar.inc(1);
        if let Ok(mut losses) = self.losses.lock() {
            losses.push(state.get_cost());
        }
        Ok(())
    }

    fn observe_final(&mut self, _: &Iterate) -> std::result::Result<(), Error> {
        self.bar.finish_and_clear();
        Ok(())
    }
}
