//! Bundle adjustment: the places of cameras and points from what the cameras saw, by gradients in reverse mode.
//!
//! ```text
//! cargo run --release --example bundle                  # 10 032 parameters, 51 200 residuals: table and plot
//! cargo run --release --example bundle -- --points 10000
//! cargo run --release --example bundle -- --help
//! ```
//!
//! What it shows of the crate: a loss of ten thousand parameters is one function over `T: Real<Base = f64>`
//! (`camera.rs`, `scene.rs`). At `f64` it is the loss; at [`Var`], its gradient by one evaluation and one sweep
//! back, which feeds an optimiser that knows nothing of derivatives (`solve.rs`); and one residual at [`DualN`] is
//! the small Jacobian that scales the parameters. The scene is synthetic, so that the truth is known: the loss must
//! fall to what the noise in the measurements leaves.
//!
//! [`Var`]: wengert::Var
//! [`DualN`]: wengert::DualN

// Public, as `run` is, for `tests/bundle.rs`, which includes this file.
pub mod align;
pub mod arguments;
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

/// The program, without its process: what it prints goes to `out`.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut impl Write) -> Result<()> {
    let arguments = Arguments::parse(arguments)?;
    if arguments.help {
        return print(out, &arguments::help());
    }
    let scene = Scene::generate(arguments.cameras, arguments.points, arguments.seed);
    print(out, &format!("{}\n{}\n", problem(&scene), timing(&scene)))?;
    let begin = Instant::now();
    let solution = solve::solve(&scene, arguments.iterations)?;
    print(out, &report(&scene, &solution, begin.elapsed()))?;

    let path = plot_path(arguments.plot, "bundle", "loss.svg")?;
    let title = format!("{}, {}", sizes(&scene), counted(2 * scene.observations.len(), "residual"));
    let svg = plot::svg(&solution.losses, scene.expected_loss(), &title)?;
    save(&path, &svg)?;
    print(out, &format!("plot: {}\n", path.display()))
}

fn sizes(scene: &Scene) -> String {
    let (cameras, points) = (counted(scene.cameras, "camera"), counted(scene.points, "point"));
    format!("{cameras}, {points}, {}", counted(scene.truth.len(), "parameter"))
}

fn problem(scene: &Scene) -> String {
    format!(
        "Bundle adjustment: {}\n{} of two residuals each, with noise of {NOISE} px\n",
        sizes(scene),
        counted(scene.observations.len(), "observation")
    )
}

/// The cost of a gradient beside that of the loss; the best of several runs each, taken in turns.
fn timing(scene: &Scene) -> String {
    const RUNS: usize = 15;
    let mut gradient = vec![0.0; scene.start.len()];
    let (mut loss, mut both) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        loss = loss.min(time(|| scene.loss(black_box(&scene.start))));
        both = both.min(time(|| solve::loss_and_gradient(scene, black_box(&scene.start), &mut gradient)));
    }
    let (loss, both) = (1e3 * loss.as_secs_f64(), 1e3 * both.as_secs_f64());
    let differences = loss * (1 + scene.start.len()) as f64;
    format!(
        "time of the loss             {loss:10.3} ms\n\
         time of loss and gradient    {both:10.3} ms   {:.1} losses; differences would take {differences:.0} ms\n",
        both / loss
    )
}

fn time<R>(f: impl FnOnce() -> R) -> Duration {
    let begin = Instant::now();
    black_box(f());
    begin.elapsed()
}

fn report(scene: &Scene, solution: &Solution, taken: Duration) -> String {
    let row = |name: &str, unit: &str, before: f64, after: f64, decimals: usize| {
        format!("{:29}{before:14.decimals$}{after:14.decimals$}\n", format!("{name}, {unit}"))
    };
    let distance = |p: &[f64]| align::distance(scene.coordinates(p), scene.coordinates(&scene.truth));
    let (start, end) = (&scene.start[..], &solution.parameters[..]);
    [
        format!("{:29}{:>14}{:>14}\n", "", "start", "end"),
        row("loss ½·Σ r²", "px²", scene.loss(start), scene.loss(end), 1),
        row(
            "reprojection error, rms",
            "px",
            scene.reprojection_error(start),
            scene.reprojection_error(end),
            4,
        ),
        row("points to truth, rms", "m", distance(start), distance(end), 4),
        format!("\nloss expected from the noise: {:.1} px²\n", scene.expected_loss()),
        format!(
            "{} with {} in {:.1} s, {}\n",
            counted(solution.losses.len() - 1, "iteration"),
            counted(solution.gradients as usize, "gradient"),
            taken.as_secs_f64(),
            solution.reason
        ),
    ]
    .concat()
}
