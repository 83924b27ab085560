//! The picture: data, fitted curve with its uncertainty, and residuals, as SVG by the crate `plotters`.

use plotters::prelude::*;

use super::axes::{
    self, Area, CURVE, Drawn, INK, MANY, POINTS, ZOOM, chart, draw_points, extent, line, padded, thinning,
};
use super::data::Dataset;
use super::failure::Result;
use super::fit::Fit;

const SIZE: (i32, i32) = (960, 680);
/// The curve is drawn through this many points.
const STEPS: usize = 400;

/// The plot of a fit, as the text of an SVG file.
pub fn svg(data: &Dataset, fit: &Fit) -> Result<String> {
    axes::svg(SIZE, |root| draw(root, data, fit))
}

fn draw(root: &Area, data: &Dataset, fit: &Fit) -> Drawn {
    let (head, body) = root.split_vertically(80 * ZOOM);
    let (main, residuals) = body.split_vertically(396 * ZOOM);
    draw_head(&head, data, fit)?;
    if data.columns.predictors.len() == 1 {
        draw_curve(&main, data, fit)?;
    } else {
        draw_agreement(&main, data, fit)?;
    }
    draw_residuals(&residuals, data, fit)
}

/// Name, formula, and a legend to the right of the name.
fn draw_head(area: &Area, data: &Dataset, fit: &Fit) -> Drawn {
    let font = |family: &'static str, size: i32| (family, size * ZOOM).into_font().color(&INK);
    let (left, top) = (28 * ZOOM, 16 * ZOOM);
    area.draw(&Text::new(data.name.clone(), (left, top), font("sans-serif", 24)))?;
    let formula = format!("{} = {}", fit.response_name(data), fit.formula().text);
    // As large as the width allows, but legible.
    let size = (1800 / formula.chars().count().max(1) as i32).clamp(9, 14);
    let formula: String = formula.chars().take(165).collect();
    area.draw(&Text::new(formula, (left, 52 * ZOOM), font("monospace", size)))?;

    let several = data.columns.predictors.len() > 1;
    let row = 26 * ZOOM;
    let label =
        |text: &str, x: i32| Text::new(text.to_string(), (x * ZOOM, row - 5 * ZOOM), font("sans-serif", 13));
    let count = fit.observed.len();
    let (points, start) = match thinning(count) {
        1 => (format!("{count} observations"), 470),
        step => (format!("{count} observations, one of {step} drawn"), 326),
    };
    area.draw(&Circle::new((start * ZOOM, row), 3 * ZOOM, POINTS.mix(0.75).filled()))?;
    area.draw(&label(&points, start + 12))?;
    area.draw(&PathElement::new([(606 * ZOOM, row), (630 * ZOOM, row)], line(CURVE, 2)))?;
    area.draw(&label(if several { "observed = fitted" } else { "fitted curve" }, 638))?;
    if !several {
        let corners = [(738 * ZOOM, row - 6 * ZOOM), (762 * ZOOM, row + 6 * ZOOM)];
        area.draw(&Rectangle::new(corners, CURVE.mix(0.18).filled()))?;
        area.draw(&label("± 2 standard errors of it", 770))?;
    }
    Ok(())
}

fn draw_curve(area: &Area, data: &Dataset, fit: &Fit) -> Drawn {
    let positions = positions(data, fit);
    let (low, high) = extent(positions.iter().copied());
    let at = |i: usize| low + (high - low) * i as f64 / STEPS as f64;
    let points: Vec<Vec<f64>> = (0..=STEPS).map(|i| vec![at(i)]).collect();
    let y_range = padded(fit.observed.iter().chain(&fit.fitted).copied(), 0.08);
    let mut chart = chart(
        area,
        padded(positions.iter().copied(), 0.03),
        y_range.clone(),
        "",
        &response_label(data, fit),
        8,
    )?;
    // Few points are seen on top of the curve; many would hide it.
    let many = positions.len() > MANY;
    if many {
        draw_points(&mut chart, &positions, &fit.observed)?;
    }
    // The curve has gaps where the model has no value, at a pole for example.
    let predictions: Vec<(f64, f64, f64)> = points
        .iter()
        .zip(fit.predict(&points))
        .map(|(x, (value, error))| (x[0], value, 2.0 * error))
        .collect();
    for curve in predictions.split(|(_, value, error)| !value.is_finite() || !error.is_finite()) {
        let inside = |y: f64| y.clamp(y_range.start, y_range.end);
        let upper = curve.iter().map(|&(x, y, error)| (x, inside(y + error)));
        let lower = curve.iter().rev().map(|&(x, y, error)| (x, inside(y - error)));
        let band: Vec<(f64, f64)> = upper.chain(lower).collect();
        if band.len() > 2 {
            chart.draw_series([Polygon::new(band, CURVE.mix(0.18))])?;
            chart.draw_series(LineSeries::new(
                curve.iter().map(|&(x, y, _)| (x, inside(y))),
                line(CURVE, 2),
            ))?;
        }
    }
    if many { Ok(()) } else { draw_points(&mut chart, &positions, &fit.observed) }
}

/// With several predictors: the observed values against the values of the model.
fn draw_agreement(area: &Area, data: &Dataset, fit: &Fit) -> Drawn {
    let range = padded(fit.fitted.iter().chain(&fit.observed).copied(), 0.05);
    let x_range = padded(fit.fitted.iter().copied(), 0.05);
    let (start, end) = (x_range.start.max(range.start), x_range.end.min(range.end));
    let mut chart = chart(area, x_range, range, "", &response_label(data, fit), 8)?;
    chart.draw_series(LineSeries::new([(start, start), (end, end)], line(CURVE, 2)))?;
    draw_points(&mut chart, &fit.fitted, &fit.observed)
}

fn draw_residuals(area: &Area, data: &Dataset, fit: &Fit) -> Drawn {
    let positions = positions(data, fit);
    let (pad, x_label) = match data.columns.predictors.len() {
        1 => (0.03, data.predictor_label.clone()),
        _ => (0.05, format!("fitted {}", fit.response_name(data))),
    };
    let largest = fit.residuals.iter().fold(f64::MIN_POSITIVE, |largest, r| largest.max(r.abs()));
    let x_range = padded(positions.iter().copied(), pad);
    let (start, end) = (x_range.start, x_range.end);
    let mut chart = chart(area, x_range, -1.2 * largest..1.2 * largest, &x_label, "residuals", 5)?;
    chart.draw_series(LineSeries::new([(start, 0.0), (end, 0.0)], line(CURVE, 1)))?;
    let stem = |(&x, &r): (&f64, &f64)| PathElement::new([(x, 0.0), (x, r)], line(POINTS.mix(0.4), 1));
    chart.draw_series(positions.iter().zip(&fit.residuals).step_by(thinning(positions.len())).map(stem))?;
    draw_points(&mut chart, &positions, &fit.residuals)
}

/// The horizontal coordinate of each observation: the predictor if there is one, else the fitted value.
fn positions(data: &Dataset, fit: &Fit) -> Vec<f64> {
    match data.columns.predictors.len() {
        1 => data.observations.iter().map(|o| o.predictors[0].value).collect(),
        _ => fit.fitted.clone(),
    }
}

fn response_label(data: &Dataset, fit: &Fit) -> String {
    if fit.formula().log_response {
        format!("log[y], {}", data.response_label)
    } else {
        data.response_label.clone()
    }
}
