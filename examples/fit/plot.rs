//! The picture: data, fitted curve with its uncertainty, and residuals, as SVG by the crate `plotters`.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::data::Dataset;
use super::failure::{Failure, Result};
use super::fit::Fit;

const SIZE: (i32, i32) = (960, 680);
/// `plotters` rounds to whole pixels, which shows in a curve: the picture is drawn in eighths of a pixel.
const ZOOM: i32 = 8;
const INK: RGBColor = RGBColor(40, 44, 52);
const FAINT: RGBColor = RGBColor(226, 229, 233);
const POINTS: RGBColor = RGBColor(31, 78, 140);
const CURVE: RGBColor = RGBColor(214, 73, 51);
/// The curve is drawn through this many points.
const STEPS: usize = 400;
/// More points than this are drawn smaller.
const MANY: usize = 100;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The plot of a fit, as the text of an SVG file.
pub fn svg(data: &Dataset, fit: &Fit) -> Result<String> {
    let mut text = String::new();
    draw(&mut text, data, fit).map_err(|error| Failure::new(format!("the plot fails: {error}")))?;
    // The size it is shown at; the coordinates stay as they are.
    let (width, height) = SIZE;
    let large = format!("width=\"{}\" height=\"{}\"", width * ZOOM, height * ZOOM);
    Ok(text.replacen(&large, &format!("width=\"{width}\" height=\"{height}\""), 1))
}

fn draw(text: &mut String, data: &Dataset, fit: &Fit) -> Drawn {
    let size = ((SIZE.0 * ZOOM) as u32, (SIZE.1 * ZOOM) as u32);
    let root = SVGBackend::with_string(text, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(80 * ZOOM);
    let (main, residuals) = body.split_vertically(396 * ZOOM);
    draw_head(&head, data, fit)?;
    if data.columns.predictors.len() == 1 {
        draw_curve(&main, data, fit)?;
    } else {
        draw_agreement(&main, data, fit)?;
    }
    draw_residuals(&residuals, data, fit)?;
    root.present()?;
    Ok(())
}

/// Name, formula, and a legend to the right of the name.
fn draw_head(area: &Area, data: &Dataset, fit: &Fit) -> Drawn {
    let font = |family: &'static str, size: i32| (family, size * ZOOM).into_font().color(&INK);
    let (left, top) = (28 * ZOOM, 16 * ZOOM);
    area.draw(&Text::new(data.name.clone(), (left, top), font("sans-serif", 24)))?;
    let formula = format!("{} = {}", fit.response_name(data), fit.formula().text);
    // As large as fits the width, down to what is legible.
    let size = (1800 / formula.chars().count().max(1) as i32).clamp(9, 14);
    let formula: String = formula.chars().take(165).collect();
    area.draw(&Text::new(formula, (left, 52 * ZOOM), font("monospace", size)))?;

    let several = data.columns.predictors.len() > 1;
    let row = 26 * ZOOM;
    let label =
        |text: &str, x: i32| Text::new(text.to_string(), (x * ZOOM, row - 5 * ZOOM), font("sans-serif", 13));
    let (points, start) = match thinning(fit.observed.len()) {
        1 => ("data".to_string(), 540),
        step => (format!("data, one of {step}"), 470),
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
    )?;
    // Few points are seen on top of the curve; many would hide it.
    let many = positions.len() > MANY;
    if many {
        draw_points(&mut chart, &positions, &fit.observed)?;
    }
    // Where the model has no value (a pole, say) the curve is interrupted.
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

/// With several predictors: what was observed against what the model says.
fn draw_agreement(area: &Area, data: &Dataset, fit: &Fit) -> Drawn {
    let range = padded(fit.fitted.iter().chain(&fit.observed).copied(), 0.05);
    let x_range = padded(fit.fitted.iter().copied(), 0.05);
    let (start, end) = (x_range.start.max(range.start), x_range.end.min(range.end));
    let mut chart = chart(area, x_range, range, "", &response_label(data, fit))?;
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
    let mut chart = chart(area, x_range, -1.2 * largest..1.2 * largest, &x_label, "residuals")?;
    chart.draw_series(LineSeries::new([(start, 0.0), (end, 0.0)], line(CURVE, 1)))?;
    let stem = |(&x, &r): (&f64, &f64)| PathElement::new([(x, 0.0), (x, r)], line(POINTS.mix(0.4), 1));
    chart.draw_series(positions.iter().zip(&fit.residuals).step_by(thinning(positions.len())).map(stem))?;
    draw_points(&mut chart, &positions, &fit.residuals)
}

/// Axes with a faint grid.
fn chart<'a, 'b>(
    area: &Area<'b>,
    x: Range<f64>,
    y: Range<f64>,
    x_label: &str,
    y_label: &str,
) -> Drawn<Chart<'a, 'b>> {
    let (x_number, y_number) = (number_format(&x), number_format(&y));
    let text = |size: i32| ("sans-serif", size * ZOOM).into_font().color(&INK);
    let mut chart = ChartBuilder::on(area)
        .margin_right(28 * ZOOM)
        .margin_left(12 * ZOOM)
        .margin_bottom(8 * ZOOM)
        .x_label_area_size(if x_label.is_empty() { 24 * ZOOM } else { 46 * ZOOM })
        .y_label_area_size(78 * ZOOM)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .bold_line_style(line(FAINT, 1))
        .light_line_style(TRANSPARENT)
        .axis_style(line(INK.mix(0.5), 1))
        .set_all_tick_mark_size(5 * ZOOM)
        .label_style(text(13))
        .axis_desc_style(text(15))
        .x_labels(9)
        .y_labels(if y_label == "residuals" { 5 } else { 8 })
        .x_label_formatter(&x_number)
        .y_label_formatter(&y_number)
        .x_desc(x_label)
        .y_desc(y_label)
        .draw()?;
    Ok(chart)
}

fn draw_points(chart: &mut Chart, xs: &[f64], ys: &[f64]) -> Drawn {
    let radius = if xs.len() > MANY { 2 * ZOOM } else { 3 * ZOOM };
    let point = |(&x, &y): (&f64, &f64)| Circle::new((x, y), radius, POINTS.mix(0.75).filled());
    chart.draw_series(xs.iter().zip(ys).step_by(thinning(xs.len())).map(point))?;
    Ok(())
}

/// Of very many points, one in so many is drawn.
fn thinning(points: usize) -> usize {
    const MOST: usize = 5000;
    points.div_ceil(MOST)
}

fn line(color: impl Color, width: i32) -> ShapeStyle {
    color.stroke_width((width * ZOOM) as u32)
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

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// The range of values with some air at its ends; never empty.
fn padded(values: impl Iterator<Item = f64>, share: f64) -> Range<f64> {
    let (low, high) = extent(values);
    let size = low.abs().max(high.abs());
    let air = if high - low > 1e-9 * size { share * (high - low) } else { 0.1 * size.max(1e-300) };
    low - air..high + air
}

/// Numbers on an axis: as many decimals as its length needs, powers of ten for the very large and small.
fn number_format(range: &Range<f64>) -> impl Fn(&f64) -> String + use<> {
    let largest = range.start.abs().max(range.end.abs());
    let length = range.end - range.start;
    move |value: &f64| {
        if !(1e-3..1e6).contains(&largest) {
            return if *value == 0.0 { "0".to_string() } else { format!("{value:.1e}") };
        }
        let decimals = (2.0 - (length / 2.0).log10()).ceil().clamp(0.0, 12.0) as usize;
        let text = format!("{value:.decimals$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        if text == "-0" { "0".to_string() } else { text.to_string() }
    }
}
