//! The picture: the process given the data, and the same without the season, as SVG by the crate `plotters`.

use plotters::prelude::*;

use super::axes::{self, Area, CURVE, Drawn, INK, POINTS, ZOOM, chart, draw_points, line, padded};
use super::data::Series;
use super::failure::Result;

const WIDTH: i32 = 960;
const HEAD: i32 = 80;
const PANEL: i32 = 330;

/// Mean and standard deviation of the process at many positions.
pub struct Curve {
    pub label: String,
    pub x: Vec<f64>,
    pub process: Vec<(f64, f64)>,
    /// Whether the data are values of this curve and noise.
    pub observed: bool,
}

/// The curves, one above the other, as the text of an SVG file.
pub fn svg(series: &Series, curves: &[Curve], formula: &str) -> Result<String> {
    axes::svg((WIDTH, HEAD + PANEL * curves.len() as i32), |root| {
        let (head, mut body) = root.split_vertically(HEAD * ZOOM);
        draw_head(&head, &series.name, series.x.len(), formula)?;
        for (k, curve) in curves.iter().enumerate() {
            let (panel, rest) = body.split_vertically(PANEL * ZOOM);
            let x_label = if k + 1 == curves.len() { series.labels[0].as_str() } else { "" };
            draw_curve(&panel, series, curve, x_label)?;
            body = rest;
        }
        Ok(())
    })
}

/// Name, formula, and a legend to the right of the name with the number of points.
fn draw_head(area: &Area, name: &str, points: usize, formula: &str) -> Drawn {
    let font = |size: i32| ("sans-serif", size * ZOOM).into_font().color(&INK);
    let name: String = name.chars().take(40).collect();
    area.draw(&Text::new(name, (28 * ZOOM, 16 * ZOOM), font(24)))?;
    area.draw(&Text::new(formula.to_string(), (28 * ZOOM, 52 * ZOOM), font(13)))?;
    let row = 26 * ZOOM;
    let label = |text: &str, x: i32| Text::new(text.to_string(), (x * ZOOM, row - 5 * ZOOM), font(13));
    area.draw(&Circle::new((540 * ZOOM, row), 3 * ZOOM, POINTS.mix(0.75).filled()))?;
    area.draw(&label(&format!("{points} points"), 552))?;
    area.draw(&PathElement::new([(652 * ZOOM, row), (676 * ZOOM, row)], line(CURVE, 2)))?;
    area.draw(&label("mean", 684))?;
    let corners = [(742 * ZOOM, row - 6 * ZOOM), (766 * ZOOM, row + 6 * ZOOM)];
    area.draw(&Rectangle::new(corners, CURVE.mix(0.18).filled()))?;
    area.draw(&label("± 2 standard deviations", 774))?;
    Ok(())
}

fn draw_curve(area: &Area, series: &Series, curve: &Curve, x_label: &str) -> Drawn {
    let band = |sign: f64| curve.process.iter().map(move |(mean, deviation)| mean + sign * 2.0 * deviation);
    let data = series.y.iter().filter(|_| curve.observed).copied();
    let y_range = padded(band(1.0).chain(band(-1.0)).chain(data), 0.06);
    let x_range = padded(curve.x.iter().copied(), 0.02);
    let mut chart = chart(area, x_range, y_range, x_label, &curve.label, 7)?;
    let upper = curve.x.iter().copied().zip(band(1.0));
    let lower = curve.x.iter().copied().zip(band(-1.0)).rev();
    chart.draw_series([Polygon::new(upper.chain(lower).collect::<Vec<_>>(), CURVE.mix(0.18))])?;
    if curve.observed {
        draw_points(&mut chart, &series.x, &series.y)?;
    }
    let means = curve.x.iter().zip(&curve.process).map(|(&x, &(mean, _))| (x, mean));
    chart.draw_series(LineSeries::new(means, line(CURVE, 2)))?;
    Ok(())
}
