//! The elements of pictures: axes with a faint grid, points, lines, as SVG by the crate `plotters`.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::failure::{Failure, Result};

/// `plotters` rounds to whole pixels, which shows in a curve: the picture is drawn in eighths of a pixel.
pub const ZOOM: i32 = 8;
pub const INK: RGBColor = RGBColor(40, 44, 52);
pub const FAINT: RGBColor = RGBColor(226, 229, 233);
pub const POINTS: RGBColor = RGBColor(31, 78, 140);
pub const CURVE: RGBColor = RGBColor(214, 73, 51);
/// More points than this are drawn smaller.
pub const MANY: usize = 100;

pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
pub type Drawn<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The text of an SVG file of this size in pixels.
pub fn svg(size: (i32, i32), draw: impl FnOnce(&Area) -> Drawn) -> Result<String> {
    let mut text = String::new();
    picture(&mut text, size, draw).map_err(|error| Failure::new(format!("the plot fails: {error}")))?;
    // The size at which it is shown. The coordinates do not change.
    let (width, height) = size;
    let large = format!("width=\"{}\" height=\"{}\"", width * ZOOM, height * ZOOM);
    Ok(text.replacen(&large, &format!("width=\"{width}\" height=\"{height}\""), 1))
}

fn picture(text: &mut String, size: (i32, i32), draw: impl FnOnce(&Area) -> Drawn) -> Drawn {
    let size = ((size.0 * ZOOM) as u32, (size.1 * ZOOM) as u32);
    let root = SVGBackend::with_string(text, size).into_drawing_area();
    root.fill(&WHITE)?;
    draw(&root)?;
    root.present()?;
    Ok(())
}

/// Axes with a faint grid, and about `y_numbers` numbers on the vertical one.
pub fn chart<'a, 'b>(
    area: &Area<'b>,
    x: Range<f64>,
    y: Range<f64>,
    x_label: &str,
    y_label: &str,
    y_numbers: usize,
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
        .y_labels(y_numbers)
        .x_label_formatter(&x_number)
        .y_label_formatter(&y_number)
        .x_desc(x_label)
        .y_desc(y_label)
        .draw()?;
    Ok(chart)
}

pub fn draw_points(chart: &mut Chart, xs: &[f64], ys: &[f64]) -> Drawn {
    let radius = if xs.len() > MANY { 2 * ZOOM } else { 3 * ZOOM };
    let point = |(&x, &y): (&f64, &f64)| Circle::new((x, y), radius, POINTS.mix(0.75).filled());
    chart.draw_series(xs.iter().zip(ys).step_by(thinning(xs.len())).map(point))?;
    Ok(())
}

/// The step between the points that are drawn: of very many points only every `n`th is drawn.
pub fn thinning(points: usize) -> usize {
    const MOST: usize = 5000;
    points.div_ceil(MOST)
}

pub fn line(color: impl Color, width: i32) -> ShapeStyle {
    color.stroke_width((width * ZOOM) as u32)
}

pub fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// The range of values with some air at its ends; never empty.
pub fn padded(values: impl Iterator<Item = f64>, share: f64) -> Range<f64> {
    let (low, high) = extent(values);
    let size = low.abs().max(high.abs());
    let air = if high - low > 1e-9 * size { share * (high - low) } else { 0.1 * size.max(1e-300) };
    low - air..high + air
}

/// Numbers on an axis, with the number of decimals that its length needs. The very large and small are powers of ten.
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
