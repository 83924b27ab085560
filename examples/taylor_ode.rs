//! Differential equations by Taylor series: Kepler's orbit of eccentricity 0.9 over a hundred periods.
//!
//! ```text
//! cargo run --release --example taylor_ode                     # tables
//! cargo run --release --example taylor_ode -- --plot orbit.svg # and the orbit with its error
//! ```
//!
//! The right side of `y′ = f(y)` is one function over `T: Real` (`motion`). At [`TaylorDyn`], series whose order is
//! chosen at run time, [`ode_step`] makes the Taylor series of the solution from it. Order and step follow from the
//! tolerance. Between the steps the series is the solution. Over `Dual<f64>` the same code also solves the
//! variational equations.

#[allow(dead_code)] // it serves other examples too
#[path = "fit/axes.rs"]
mod axes;
#[allow(dead_code)]
#[path = "fit/failure.rs"]
mod failure;

use std::f64::consts::PI;

use plotters::prelude::*;
use wengert::series::{OdeStep, ode_order, ode_step};
use wengert::{Dual, Number, Real, TaylorDyn};

/// The highest order, which belongs to a tolerance of 1e-19.
const MOST: usize = 24;

/// A planet around a mass at the origin: position and velocity.
fn motion<T: Real<Base = f64>>([x, y, u, v]: [T; 4]) -> [T; 4] {
    let pull = Number::powf(x * x + y * y, -1.5);
    [u, v, -x * pull, -y * pull]
}

fn energy([x, y, u, v]: [f64; 4]) -> f64 {
    (u * u + v * v) / 2.0 - 1.0 / x.hypot(y)
}

/// At the near end of an orbit of this eccentricity, with semiaxis 1 and period 2π.
fn nearest(eccentricity: f64) -> [f64; 4] {
    [1.0 - eccentricity, 0.0, 0.0, ((1.0 + eccentricity) / (1.0 - eccentricity)).sqrt()]
}

/// From 0 to `end`. The rounding error of each sum is added at the next step. `show` receives every step with its
/// start and its length.
fn integrate<T: Real<Base = f64>>(
    mut y: [T; 4],
    end: f64,
    tolerance: f64,
    mut show: impl FnMut(f64, f64, &OdeStep<T, MOST>),
) -> [T; 4] {
    let (mut t, mut lost) = (0.0, [T::lit(0.0); 4]);
    while t < end {
        let absolute = tolerance * y.iter().fold(0.0, |m: f64, y| m.max(y.primal().abs()));
        let f = |_, y: &[TaylorDyn<T, MOST>]| motion([y[0], y[1], y[2], y[3]]).to_vec();
        let step = ode_step(f, T::lit(t), &y, order(tolerance), absolute).expect("no collision");
        let h = step.length().min(end - t);
        show(t, h, &step);
        for ((y, lost), add) in y.iter_mut().zip(&mut lost).zip(step.increment(h)) {
            let add = add + *lost;
            let sum = *y + add;
            (*lost, *y) = (add - (sum - *y), sum);
        }
        t = if h < end - t { t + h } else { end };
    }
    y
}

fn order(tolerance: f64) -> usize {
    ode_order(tolerance).min(MOST)
}

/// The distance from where a whole number of periods ends.
fn miss(y: [f64; 4], want: [f64; 4]) -> f64 {
    y.iter().zip(want).fold(0.0, |m: f64, (y, w)| m.max((y - w).abs()))
}

/// An integration of one period: steps, evaluations of `f`, and the error at the end.
struct Run {
    steps: usize,
    evaluations: usize,
    error: f64,
}

/// A name, and the integration to a tolerance: none if it gives up.
type Method<'a> = (&'a str, &'a dyn Fn(f64) -> Option<Run>);

const PERIOD: f64 = 2.0 * PI;

fn by_series(tolerance: f64) -> Option<Run> {
    let (start, mut steps) = (nearest(0.9), 0);
    let y = integrate(start, PERIOD, tolerance, |_, _, _| steps += 1);
    Some(Run { steps, evaluations: steps * order(tolerance), error: miss(y, start) })
}

struct Kepler;

impl ode_solvers::System<f64, ode_solvers::Vector4<f64>> for Kepler {
    fn system(&self, _: f64, y: &ode_solvers::Vector4<f64>, slope: &mut ode_solvers::Vector4<f64>) {
        *slope = motion([y[0], y[1], y[2], y[3]]).into();
    }
}

/// By a method of Dormand and Prince, as the crate `ode_solvers` has it.
macro_rules! by_runge_kutta {
    ($Method:ident) => {
        |tolerance: f64| {
            let start = nearest(0.9);
            let mut method =
                ode_solvers::$Method::new(Kepler, 0.0, PERIOD, 0.0, start.into(), tolerance, tolerance);
            method.set_output(ode_solvers::OutputType::Sparse);
            let stats = method.integrate().ok()?;
            let y = method.y_out().last()?;
            Some(Run {
                steps: (stats.accepted_steps + stats.rejected_steps) as usize,
                evaluations: stats.num_eval as usize,
                error: miss([y[0], y[1], y[2], y[3]], start),
            })
        }
    };
}

/// The work of each method for a given error, with the first tolerance, from large to small, that reaches it.
fn methods() {
    println!("\none period of eccentricity 0.9: what an error takes\n");
    println!("   error  method               tolerance   steps  evaluations     found      ms");
    let methods: [Method; 3] = [
        ("Taylor series", &by_series),
        ("Runge-Kutta, order 8", &by_runge_kutta!(Dop853)),
        ("Runge-Kutta, order 5", &by_runge_kutta!(Dopri5)),
    ];
    for wanted in [1e-6, 1e-9, 1e-12] {
        for (name, method) in methods {
            let tolerances = (8..=34).map(|k| 10f64.powf(-f64::from(k) / 2.0));
            let found = tolerances
                .map(|t| (t, method(t)))
                .find(|(_, run)| run.as_ref().is_some_and(|run| run.error <= wanted));
            let Some((tolerance, _)) = found else {
                println!("  {wanted:6.0e}  {name:20}  not reached");
                continue;
            };
            let now = std::time::Instant::now();
            let Some(Run { steps, evaluations, error }) = method(tolerance) else { continue };
            let ms = now.elapsed().as_secs_f64() * 1e3;
            println!(
                "  {wanted:6.0e}  {name:20} {tolerance:9.0e}  {steps:6} {evaluations:12}  {error:8.1e}  {ms:6.1}"
            );
        }
    }
}

/// The effect of a change in the first velocity after one period, compared with differences.
fn variations() {
    let at = |change: f64| {
        let [x, y, u, v] = nearest(0.9);
        integrate([x, y, u, v + change], 2.0 * PI, 1e-16, |_, _, _| ())
    };
    let [x, y, u, v] = nearest(0.9);
    let active = [Dual::constant(x), Dual::constant(y), Dual::constant(u), Dual::variable(v)];
    let exact = integrate(active, 2.0 * PI, 1e-16, |_, _, _| ()).map(Dual::tangent);
    let (h, mut worst) = (1e-6, 0.0_f64);
    let (up, down) = (at(h), at(-h));
    println!("\nthe derivative of the state after one period in the first velocity\n");
    println!("  over dual numbers     by differences");
    let size = exact.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    for i in 0..4 {
        let difference = (up[i] - down[i]) / (2.0 * h);
        worst = worst.max((difference - exact[i]).abs() / size);
        println!("  {:17.9}  {difference:17.9}", exact[i]);
    }
    assert!(worst < 1e-5, "the variational equations are off by {worst:e}");
}

/// Places between steps, by the series; and the change of the energy after each period.
struct Flight {
    orbit: Vec<(f64, f64)>,
    energy: Vec<(f64, f64)>,
    steps: usize,
    end: [f64; 4],
}

fn fly(periods: usize) -> Flight {
    let start = nearest(0.9);
    let (mut orbit, mut change, mut steps) = (Vec::new(), Vec::new(), 0);
    let end = integrate(start, periods as f64 * 2.0 * PI, 1e-16, |t, h, step| {
        let state: [f64; 4] = std::array::from_fn(|i| step.solution()[i].value());
        change.push((t / (2.0 * PI), (energy(state) - energy(start)) / energy(start)));
        if t < 2.0 * PI {
            orbit.extend((0..8).map(|k| step.at(f64::from(k) / 8.0 * h)).map(|y| (y[0], y[1])));
        }
        steps += 1;
    });
    Flight { orbit, energy: change, steps, end }
}

/// The orbit of the first period, and the relative error of the energy.
fn plot(flight: &Flight) -> failure::Result<String> {
    use axes::{INK, ZOOM};
    axes::svg((960, 760), |root| {
        let (head, body) = root.split_vertically(72 * ZOOM);
        let font = |size: i32| ("sans-serif", size * ZOOM).into_font().color(&INK);
        let title = "Kepler's orbit of eccentricity 0.9".to_string();
        head.draw(&Text::new(title, (28 * ZOOM, 14 * ZOOM), font(24)))?;
        let run = format!(
            "100 periods in {} steps of Taylor series of order {}; the orbit is the first period, around the mass at 0",
            flight.steps,
            order(1e-16)
        );
        head.draw(&Text::new(run, (28 * ZOOM, 46 * ZOOM), font(14)))?;
        let (orbit, error) = body.split_vertically(384 * ZOOM);
        let mut chart = axes::chart(&orbit, -2.2..0.4, -0.55..0.55, "x (semiaxes)", "y (semiaxes)", 5)?;
        chart.draw_series(LineSeries::new(flight.orbit.iter().copied(), axes::line(axes::CURVE, 2)))?;
        axes::draw_points(&mut chart, &[0.0], &[0.0])?;
        let scaled: Vec<(f64, f64)> = flight.energy.iter().map(|&(t, e)| (t, e * 1e15)).collect();
        let range = axes::padded(scaled.iter().map(|p| p.1), 0.1);
        let mut chart = axes::chart(
            &error,
            0.0..100.0,
            range,
            "time (periods)",
            "error of the energy · 10¹⁵, relative",
            5,
        )?;
        chart.draw_series(LineSeries::new(scaled, axes::line(axes::POINTS, 1)))?;
        Ok(())
    })
}

fn main() -> failure::Result<()> {
    let (now, start) = (std::time::Instant::now(), nearest(0.9));
    let flight = fly(100);
    let worst = flight.energy.iter().fold(0.0, |m: f64, (_, e)| m.max(e.abs()));
    println!("a hundred periods of eccentricity 0.9 at order {}", order(1e-16));
    println!("  {} steps, {:.2} s", flight.steps, now.elapsed().as_secs_f64());
    println!(
        "  relative error of the energy at most {worst:.1e}, of the place at the end {:.1e}",
        miss(flight.end, start)
    );
    assert!(worst < 1e-13, "the energy is lost");
    methods();
    variations();
    let mut arguments = std::env::args().skip(1);
    if let (Some("--plot"), Some(path)) = (arguments.next().as_deref(), arguments.next()) {
        let failed = |error| failure::Failure::new(format!("{path}: {error}"));
        std::fs::write(&path, plot(&flight)?).map_err(failed)?;
        println!("\n{path}");
    }
    Ok(())
}
