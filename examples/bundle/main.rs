//! Bundle adjustment: the positions of cameras and points from the pictures of the cameras, by sparse least squares.
//!
//! ```text
//! cargo run --release --example bundle              # 10 032 parameters, 51 200 residuals
//! cargo run --release --example bundle -- FILE      # Bundle Adjustment in the Large
//! cargo run --release --example bundle -- --help
//! ```
//!
//! The residuals are one function over `T: Real<Base = f64>` (`camera.rs`). Each reads one camera and one
//! point ([`LeastSquares`] in `scene.rs`). The crate gives the sparse Jacobian, the gradient and the normal
//! equations for an iteration of Levenberg and Marquardt (`solve.rs`). The scene is synthetic: the loss must
//! fall to the noise of the measurements.
//!
//! [`LeastSquares`]: wengert::sums::LeastSquares

// Public, as `run` is, for `tests/bundle.rs`, which includes this file.
pub mod align;
pub mod arguments;
pub mod bal;
pub mod camera;
#[path = "../fit/failure.rs"]
pub mod failure;
#[path = "../fit/output.rs"]
pub mod output;
pub mod plot;
pub mod scene;
pub mod solve;

use std::ffi::OsString;
use std::hint::black_box;
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use arguments::Arguments;
use failure::{Result, counted};
use output::{exit, plot_path, print, save};
use scene::{NOISE, Scene};
use solve::Solution;

fn main() -> ExitCode {
    exit(run(std::env::args_os().skip(1), &mut std::io::stdout().lock()))
}

/// The program as a function: its text goes to `out`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut impl Write) -> Result<()> {
    let arguments = Arguments::parse(arguments)?;
    if arguments.help {
        return print(out, &arguments::help());
    }
    let scene = match &arguments.file {
        Some(file) => bal::read(file)?,
        None => Scene::generate(arguments.cameras, arguments.points, arguments.seed),
    };
    print(out, &format!("{}\n", problem(&scene)))?;
    let begin = Instant::now();
    let solution = solve::solve(&scene, arguments.iterations)?;
    let taken = begin.elapsed();
    print(out, &format!("{}\n", timing(&scene)?))?;
    print(out, &report(&scene, &solution, taken))?;

    let path = plot_path(arguments.plot, "bundle", "loss.svg")?;
    let title = format!("{}, {}", sizes(&scene), counted(2 * scene.observations.len(), "residual"));
    let svg = plot::svg(&solution.losses, scene.expected_loss(), &title)?;
    save(&path, &svg)?;
    print(out, &format!("plot: {}\n", path.display()))
}

fn sizes(scene: &Scene) -> String {
    let (cameras, points) = (counted(scene.cameras, "camera"), counted(scene.points, "point"));
    format!("{cameras}, {points}, {}", counted(scene.start.len(), "parameter"))
}

fn problem(scene: &Scene) -> String {
    let noise = if scene.truth.is_some() { format!(", with noise of {NOISE} px") } else { String::new() };
    let observations = counted(scene.observations.len(), "observation");
    format!("Bundle adjustment: {}\n{observations} of two residuals each{noise}\n", sizes(scene))
}

/// The cost of derivatives, compared with the cost of the loss.
fn timing(scene: &Scene) -> Result<String> {
    let p = &scene.start[..];
    let mut gradient = vec![0.0; p.len()];
    let [mut slopes, mut rows, mut blocks] = [scene.squares()?, scene.squares()?, scene.squares()?];
    let mut gradient_too = vec![0.0; p.len()];
    let times = bursts([
        &mut || _ = black_box(scene.loss(black_box(p))),
        &mut || _ = black_box(slopes.gradient(black_box(p), &mut gradient)),
        &mut || _ = black_box(rows.jacobian(black_box(p)).map(|(residuals, _)| residuals.len())),
        &mut || {
            let both = blocks.sparse_normal_equations(black_box(p), &mut gradient_too);
            _ = black_box(both.map(|(value, _)| value));
        },
    ]);
    let names = ["loss", "loss and gradient", "residuals and Jacobian", "JᵀJ and gradient"];
    let row = |(name, time): (&str, f64)| {
        format!("time of {name:24}{:10.3} ms {:6.1} losses\n", 1e3 * time, time / times[0])
    };
    let differences = 1e3 * times[0] * (1 + p.len()) as f64;
    let note = format!("differences would take {differences:.0} ms for a gradient\n");
    Ok(names.into_iter().zip(times).map(row).chain([note]).collect())
}

/// The best time of one call of each, in seconds. They are timed in turns, in bursts of equal length, so that other
/// work of the computer slows all of them alike.
fn bursts<const N: usize>(mut cases: [&mut dyn FnMut(); N]) -> [f64; N] {
    const ROUNDS: usize = 12;
    const BURST: f64 = 6e-3;
    let mut best = [f64::INFINITY; N];
    for round in 0..=ROUNDS {
        for (case, best) in cases.iter_mut().zip(&mut best) {
            // The first round shows how many calls make a burst.
            let calls = if round == 0 { 1 } else { (BURST / *best).ceil() as u32 };
            let begin = Instant::now();
            (0..calls).for_each(|_| case());
            let time = begin.elapsed().as_secs_f64() / f64::from(calls);
            *best = best.min(time.max(1e-9));
        }
    }
    best
}

fn report(scene: &Scene, solution: &Solution, taken: Duration) -> String {
    let row = |name: &str, unit: &str, before: f64, after: f64, decimals: usize| {
        format!("{:29}{before:14.decimals$}{after:14.decimals$}\n", format!("{name}, {unit}"))
    };
    let (start, end) = (&scene.start[..], &solution.parameters[..]);
    let distance = |p: &[f64], truth| align::distance(scene.coordinates(p), scene.coordinates(truth));
    let mut text = format!("{:29}{:>14}{:>14}\n", "", "start", "end");
    text += &row("loss ½·Σ r²", "px²", scene.loss(start), scene.loss(end), 1);
    let errors = [start, end].map(|p| scene.reprojection_error(p));
    text += &row("reprojection error, rms", "px", errors[0], errors[1], 4);
    if let Some(truth) = &scene.truth {
        text += &row("points to truth, rms", "m", distance(start, truth), distance(end, truth), 4);
    }
    if let Some(expected) = scene.expected_loss() {
        text += &format!("\nloss expected from the noise: {expected:.1} px²");
    }
    text += &format!(
        "\n{} with {} in {:.2} s, {}\n",
        counted(solution.losses.len() - 1, "iteration"),
        counted(solution.systems, "linear system"),
        taken.as_secs_f64(),
        solution.reason
    );
    text
}
