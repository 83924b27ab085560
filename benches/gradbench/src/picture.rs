//! The picture: a row for each case, a mark for each tool, on a logarithmic axis.

use std::error::Error;

use plotters::prelude::*;

use crate::table::Row;

const SIZE: (i32, i32) = (900, 600);
/// `plotters` rounds to whole pixels: the picture is drawn in eighths of a pixel.
const ZOOM: i32 = 8;
const INK: RGBColor = RGBColor(40, 44, 52);
const FAINT: RGBColor = RGBColor(226, 229, 233);
/// wengert has the strongest of these.
const COLOURS: [RGBColor; 6] = [
    RGBColor(90, 98, 110),
    RGBColor(214, 73, 51),
    RGBColor(31, 78, 140),
    RGBColor(150, 90, 170),
    RGBColor(120, 160, 90),
    RGBColor(200, 150, 40),
];

/// The text of an SVG file.
pub fn svg(names: &[String], rows: &[Row]) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    draw(&mut text, names, rows)?;
    // The size at which it is shown. The coordinates do not change.
    let large = format!("width=\"{}\" height=\"{}\"", SIZE.0 * ZOOM, SIZE.1 * ZOOM);
    Ok(text.replacen(&large, &format!("width=\"{}\" height=\"{}\"", SIZE.0, SIZE.1), 1))
}

fn draw(text: &mut String, names: &[String], rows: &[Row]) -> Result<(), Box<dyn Error>> {
    let size = ((SIZE.0 * ZOOM) as u32, (SIZE.1 * ZOOM) as u32);
    let root = SVGBackend::with_string(text, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(84 * ZOOM);
    let font = |size: i32| ("sans-serif", size * ZOOM).into_font().color(&INK);
    let title = "GradBench: time of the derivative ÷ time of the function";
    head.draw(&Text::new(title, (24 * ZOOM, 12 * ZOOM), font(22)))?;
    for (k, name) in names.iter().enumerate() {
        let x = (32 + 142 * k as i32) * ZOOM;
        head.draw(&mark(k, (x, 59 * ZOOM)))?;
        head.draw(&Text::new(name.clone(), (x + 12 * ZOOM, 54 * ZOOM), font(15)))?;
    }
    let all = || rows.iter().flat_map(|row| row.ratios.iter().flatten());
    let low = all().copied().fold(0.5, f64::min) / 1.25;
    let high = all().copied().fold(10.0, f64::max) * 1.25;
    let mut chart = ChartBuilder::on(&body)
        .margin_right(28 * ZOOM)
        .margin_bottom(10 * ZOOM)
        .margin_left(290 * ZOOM)
        .x_label_area_size(48 * ZOOM)
        .build_cartesian_2d((low..high).log_scale(), 0.0..rows.len() as f64)?;
    let number = |x: &f64| if *x < 1.0 { format!("{x:.1}") } else { format!("{x:.0}") };
    let decades = (high.log10().floor() - low.log10().ceil()) as usize + 1;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .x_labels(decades)
        .x_label_formatter(&number)
        .bold_line_style(FAINT.stroke_width(2 * ZOOM as u32))
        .light_line_style(FAINT.stroke_width(ZOOM as u32))
        .axis_style(INK.mix(0.5).stroke_width(ZOOM as u32))
        .set_all_tick_mark_size(5 * ZOOM)
        .label_style(font(14))
        .axis_desc_style(font(15))
        .x_desc("÷ the function in C++ or Rust, whichever is faster (logarithmic; left is faster)")
        .draw()?;
    for (k, row) in rows.iter().enumerate() {
        let y = rows.len() as f64 - 0.5 - k as f64;
        chart.draw_series(LineSeries::new([(low, y), (high, y)], FAINT.stroke_width(ZOOM as u32)))?;
        let (_, at) = chart.backend_coord(&(low, y));
        let label = |text: &str, x: i32, size: i32| {
            Text::new(text.to_string(), (x * ZOOM, at - size * ZOOM * 4 / 10), font(size))
        };
        root.draw(&label(row.eval, 24, 15))?;
        root.draw(&label(row.size, 84, 13))?;
        // wengert is drawn last.
        for tool in (0..names.len()).filter(|tool| *tool != 1).chain([1]) {
            if let Some(ratio) = row.ratios[tool] {
                root.draw(&mark(tool, chart.backend_coord(&(ratio, y))))?;
            }
        }
    }
    root.present()?;
    Ok(())
}

/// The mark of a tool: a circle, larger for wengert.
fn mark(tool: usize, at: (i32, i32)) -> Circle<(i32, i32), i32> {
    let radius = if tool == 1 { 7 } else { 5 };
    Circle::new(at, radius * ZOOM, COLOURS[tool].filled())
}
