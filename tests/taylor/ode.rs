//! Differential equations by Taylor series.

use wengert::series::{ode_order, ode_step};
use wengert::{AdError, Dual, Real, TaylorDyn};

use crate::panics::text_of;

type Series<T> = TaylorDyn<T, 30>;

/// From `y` at 0 to `end`.
fn solve<T: Real<Base = f64>>(
    mut f: impl FnMut(Series<T>, &[Series<T>]) -> Vec<Series<T>>,
    y: &[T],
    end: f64,
    tolerance: f64,
) -> (Vec<T>, usize) {
    let (mut t, mut y, mut steps) = (0.0, y.to_vec(), 0);
    while t < end {
        let size = y.iter().fold(0.0, |m: f64, y| m.max(y.primal().abs()));
        let step = ode_step(&mut f, T::lit(t), &y, ode_order(tolerance), tolerance * size).unwrap();
        assert!(step.length() > 0.0);
        let h = step.length().min(end - t);
        y = step.at(h);
        t = if h < end - t { t + h } else { end };
        steps += 1;
    }
    (y, steps)
}

#[test]
fn solutions_in_closed_form() {
    for tolerance in [1e-6, 1e-10, 1e-16] {
        let close = |what: &str, got: &[f64], want: &[f64], steps: usize| {
            for (g, w) in got.iter().zip(want) {
                let limit = 10.0 * tolerance + 1e-14;
                assert!((g - w).abs() < limit * (1.0 + w.abs()), "{what} {tolerance:e}: {got:?} {want:?}");
            }
            assert!(steps < 200, "{what}: {steps} steps");
        };
        let (y, steps) = solve(|_, y| vec![y[1], -y[0]], &[0.0, 1.0], 5.0, tolerance);
        close("oscillator", &y, &[5f64.sin(), 5f64.cos()], steps);
        // Only coefficients of each third order.
        let (y, steps) = solve(|t, y| vec![t * t * 3.0 * y[0]], &[1.0], 1.5, tolerance);
        close("e^(t³)", &y, &[1.5f64.powi(3).exp()], steps);
        let (y, steps) = solve(|_, y| vec![y[0] * y[0]], &[1.0], 0.9, tolerance);
        close("1/(1 − t)", &y, &[10.0], steps);
        let (y, steps) = solve(|t, y| vec![-y[0] + t.sin()], &[1.0], 3.0, tolerance);
        close("forced", &y, &[1.5 * (-3f64).exp() + 0.5 * (3f64.sin() - 3f64.cos())], steps);
    }
    // A polynomial is one step; nothing else is.
    let step = ode_step::<f64, 20>(|t, _| vec![t * 3.0 * t], 1.0, &[1.0], 20, 1e-16).unwrap();
    assert_eq!((step.length(), step.at(2.0)), (f64::INFINITY, vec![27.0]));
    // At rest: a step without end, at which the solution still is the start.
    let step = ode_step::<f64, 24>(|_, y| vec![y[0] * (1.0 - y[0])], 0.0, &[1.0], 20, 1e-12).unwrap();
    assert_eq!(
        (step.length(), step.at(step.length()), step.at(1e300)),
        (f64::INFINITY, vec![1.0], vec![1.0])
    );
    // Between the ends, and along a change of the start.
    let step =
        ode_step::<Dual<f64>, 24>(|_, y| vec![y[0] * y[0]], 0.0.into(), &[Dual::variable(1.0)], 20, 1e-16);
    let h = step.as_ref().unwrap().length() / 2.0;
    let y = step.unwrap().at(h)[0];
    assert!((y.value() - 1.0 / (1.0 - h)).abs() < 1e-15 && (y.tangent() - (1.0 - h).powi(-2)).abs() < 1e-15);
    // One precision lower.
    let step = ode_step::<f32, 12>(|_, y| vec![y[0]], 0.0, &[1.0], 9, 1e-7).unwrap();
    assert!((step.at(step.length())[0] - step.length().exp()).abs() < 1e-6 && step.length() > 0.4);
}

#[test]
fn what_is_no_step_is_named() {
    let step = |order: usize, f: fn(f64) -> f64| {
        ode_step::<f64, 8>(|_, y| vec![y[0].ln() * f(1.0)], 0.0, &[0.0], order, 1e-8).unwrap_err()
    };
    assert_eq!(step(9, |x| x), AdError::TooMany { op: "ode_step", what: "orders", most: 8, got: Some(9) });
    assert_eq!(step(1, |x| x), AdError::TooFew { op: "ode_step", what: "orders", least: 2, got: 1 });
    assert!(matches!(step(4, |x| x), AdError::NotANumber { result: Some(0), .. }));
    let wrong = ode_step::<f64, 8>(|_, y| y.to_vec().repeat(2), 0.0, &[1.0], 4, 1e-8).unwrap_err();
    assert_eq!(wrong.to_string(), "ode_step: the list of slopes has length 2, expected 1");
    let short = |t: TaylorDyn<f64, 8>| TaylorDyn::new(&[t.value()]).unwrap();
    let wrong = ode_step(|t, _| vec![short(t)], 0.0, &[1.0], 4, 1e-8).unwrap_err();
    assert_eq!(wrong, AdError::TooFew { op: "ode_step", what: "orders of a slope", least: 1, got: 0 });
    let wrong = std::panic::catch_unwind(|| ode_step::<f64, 8>(|_, y| y.to_vec(), 0.0, &[1.0], 4, -1.0));
    let text = *wrong.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("tolerance of -1"), "{text}");
}

#[test]
fn tolerances_are_positive() {
    for tolerance in [0.0, -0.0, -1e-9, f64::NAN] {
        let wanted = format!("a tolerance of {tolerance:?}, which is not positive");
        assert_eq!(text_of(|| ode_order(tolerance)), format!("ode_order: {wanted}"));
        let step = || ode_step::<f64, 4>(|_, y| vec![y[0]], 0.0, &[1.0], 2, tolerance);
        assert_eq!(text_of(step), format!("ode_step: {wanted}"));
    }
}
