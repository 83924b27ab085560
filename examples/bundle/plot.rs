//! The picture: the loss by iteration on a logarithmic scale, as SVG by the crate `plotters`.

use std::error::Error;

use plotters::prelude::*;

use super::failure::{Failure, Result};

const SIZE: (i32, i32) = (960, 560);
/// `plotters` rounds to whole pixels, which shows in a curve: the picture is drawn in eighths of a pixel.
const ZOOM: i32 = 8;
/// Losses beyond are drawn at these, whose ratio is a float.
const LEAST: f64 = 1e-12;
const LARGEST: f64 = 1e280;
/// Curves of more iterations have no points.
const MARKED: usize = 50;
const INK: RGBColor = RGBColor(40, 44, 52);
const FAINT: RGBColor = RGBColor(226, 229, 233);
const CURVE: RGBColor = RGBColor(31, 78, 140);
const FLOOR: RGBColor = RGBColor(214, 73, 51);

/// The curve of the loss, and the loss expected from the noise if that is known, as the text of an SVG file.
pub fn svg(losses: &[f64], floor: Option<f64>, title: &str) -> Result<String> {
    let mut text = String::new();
    draw(&mut text, losses, floor, title)
        .map_err(|error| Failure::new(format!("the plot fails: {error}")))?;
    // The size at which it is shown. The coordinates do not change.
    let (width, height) = SIZE;
    let large = format!("width=\"{}\" height=\"{}\"", width * ZOOM, height * ZOOM);
    Ok(text.replacen(&large, &format!("width=\"{width}\" height=\"{height}\""), 1))
}

fn draw(
    text: &mut String,
    losses: &[f64],
    floor: Option<f64>,
    title: &str,
) -> std::result::Result<(), Box<dyn Error>> {
    let root =
        SVGBackend::with_string(text, ((SIZE.0 * ZOOM) as u32, (SIZE.1 * ZOOM) as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(72 * ZOOM);
    let font = |size: i32| ("sans-serif", size * ZOOM).into_font().color(&INK);
    head.draw(&Text::new(
        "Bundle adjustment: the loss by iteration".to_string(),
        (28 * ZOOM, 14 * ZOOM),
        font(24),
    ))?;
    head.draw(&Text::new(title.to_string(), (28 * ZOOM, 46 * ZOOM), font(14)))?;

    // Some margin below and above. The labels are at the decades between.
    let height = |loss: f64| if loss.is_nan() { LARGEST } else { loss.clamp(LEAST, LARGEST) };
    let all = || losses.iter().copied().chain(floor).map(height);
    let (low, high) = (all().fold(LARGEST, f64::min) / 2.0, all().fold(LEAST, f64::max) * 2.0);
    let decades = (high.log10().floor() - low.log10().ceil()).max(0.0) as usize + 1;
    // Iterations are whole, and so are their labels.
    let last = losses.len().saturating_sub(1).max(1) as i32;
    let mut chart = ChartBuilder::on(&body)
        .margin_right(28 * ZOOM)
        .margin_bottom(12 * ZOOM)
        .margin_left(16 * ZOOM)
        .x_label_area_size(48 * ZOOM)
        .y_label_area_size(72 * ZOOM)
        .build_cartesian_2d(0..last, (low..high).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(line(FAINT, 1))
        .light_line_style(TRANSPARENT)
        .axis_style(line(INK.mix(0.5), 1))
        .set_all_tick_mark_size(5 * ZOOM)
        .label_style(font(13))
        .axis_desc_style(font(15))
        .x_labels(11)
        .y_labels(decades)
        .y_label_formatter(&|y| power_of_ten(y.log10().round() as i32))
        .x_desc("iteration of Levenberg and Marquardt")
        .y_desc("loss ½·Σ r² (px²)")
        .draw()?;
    if let Some(floor) = floor {
        let ends = [(0, height(floor)), (last, height(floor))];
        chart.draw_series(DashedLineSeries::new(ends, 8 * ZOOM, 6 * ZOOM, line(FLOOR, 2)))?;
    }
    let curve = losses.iter().enumerate().map(|(i, &loss)| (i as i32, height(loss)));
    chart.draw_series(LineSeries::new(curve.clone(), line(CURVE, 2)))?;
    if losses.len() <= MARKED {
        chart.draw_series(curve.map(|at| Circle::new(at, 4 * ZOOM, CURVE.filled())))?;
    }

    let row = 53 * ZOOM;
    let entries = [(656, CURVE, "loss"), (750, FLOOR, "expected from the noise")];
    for (x, colour, label) in entries.into_iter().take(1 + usize::from(floor.is_some())) {
        head.draw(&PathElement::new([(x * ZOOM, row), ((x + 26) * ZOOM, row)], line(colour, 2)))?;
        head.draw(&Text::new(label.to_string(), ((x + 34) * ZOOM, row - 7 * ZOOM), font(14)))?;
    }
    root.present()?;
    Ok(())
}

fn line(colour: impl Color, width: i32) -> ShapeStyle {
    colour.stroke_width((width * ZOOM) as u32)
}

fn power_of_ten(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.unsigned_abs().to_string();
    let digits = digits.bytes().map(|digit| DIGITS[usize::from(digit - b'0')]);
    let sign = if exponent < 0 { "⁻" } else { "" };
    format!("10{sign}{}", digits.collect::<String>())
}
