//! One plot as inline SVG, without title and legend: the page has those.

use plotters::prelude::*;

use crate::failure::Failure;

/// Small, so that its letters stay readable when a phone shrinks it.
const SIZE: (u32, u32) = (440, 260);
/// Stands for the colour of the page's text and becomes `currentColor`.
const INK: RGBColor = RGBColor(1, 2, 3);
const INK_CODE: &str = "#010203";
/// Values of nothing have to be somewhere on a logarithmic axis.
const FLOOR: f64 = 1e-32;

/// How a line looks.
#[derive(Clone, Copy)]
pub enum Look {
    /// Dashed grey.
    Baseline,
    /// Dotted, in the colour of text.
    Oracle,
    /// Solid, in the colour of that index.
    Solver(usize),
    /// Solid, in the colour of text.
    Plain,
}

/// Colours that stand out on white and on black.
const COLOURS: [RGBColor; 7] = [
    RGBColor(45, 125, 210),
    RGBColor(230, 115, 30),
    RGBColor(30, 160, 100),
    RGBColor(185, 95, 205),
    RGBColor(215, 65, 65),
    RGBColor(0, 155, 170),
    RGBColor(160, 125, 40),
];

impl Look {
    fn colour(self) -> RGBColor {
        match self {
            Look::Baseline => RGBColor(135, 135, 135),
            Look::Oracle | Look::Plain => INK,
            Look::Solver(i) => COLOURS[i % COLOURS.len()],
        }
    }

    /// The colour in CSS.
    pub fn css(self) -> String {
        match (self, self.colour()) {
            (Look::Oracle | Look::Plain, _) => "currentColor".into(),
            (_, RGBColor(r, g, b)) => format!("rgb({r},{g},{b})"),
        }
    }

    /// The border style in CSS that looks like the line.
    pub fn border(self) -> &'static str {
        match self {
            Look::Baseline => "dashed",
            Look::Oracle => "dotted",
            Look::Solver(_) | Look::Plain => "solid",
        }
    }
}

/// Points (frame, value) that belong together.
pub struct Line {
    pub look: Look,
    pub points: Vec<(f64, f64)>,
}

/// Which values get equal room.
#[derive(Clone, Copy, PartialEq)]
pub enum Scale {
    /// From zero on.
    Linear,
    /// Equal ratios.
    Logarithmic,
}

/// An SVG of the lines; `what` describes it to those who cannot see it.
pub fn svg(lines: &[Line], scale: Scale, what: &str) -> Result<String, Failure> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let drawn = draw(&area, lines, scale);
        drawn.map_err(|e| Failure::new(format!("a plot: {e}"), "this is a bug of taut"))?;
    }
    // As wide as its place, and named.
    let size = format!("<svg width=\"{}\" height=\"{}\"", SIZE.0, SIZE.1);
    let named = format!("<svg role=\"img\" aria-label=\"{what}\"");
    Ok(text.replacen(&size, &named, 1).replace(INK_CODE, "currentColor"))
}

type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw(area: &Area, lines: &[Line], scale: Scale) -> Drawn {
    let (first, last) = range(lines, |p| p.0);
    let (low, high) = range(lines, |p| p.1);
    // Exponents on a linear axis: plotters puts too few numbers on its own
    // logarithmic one.
    let place = |y: f64| match scale {
        Scale::Linear => y,
        Scale::Logarithmic => y.max(FLOOR).log10(),
    };
    let y = match scale {
        Scale::Linear => 0.0..1.05 * high.max(1.0),
        Scale::Logarithmic => place(low).floor()..place(high).max(place(low).floor() + 1.0) + 0.1,
    };
    let label = |y: &f64| match scale {
        Scale::Linear => format!("{y:.0}"),
        Scale::Logarithmic if (y - y.round()).abs() > 1e-9 => String::new(),
        Scale::Logarithmic => power(*y),
    };
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(16)
        .x_label_area_size(24)
        .y_label_area_size(48)
        .build_cartesian_2d(first..last.max(first + 1.0), y)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(INK.mix(0.15))
        .axis_style(INK.mix(0.5))
        .label_style(("sans-serif", 12).into_font().color(&INK))
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|v| format!("{v:.0}"))
        .y_label_formatter(&label)
        .draw()?;
    for line in lines {
        let style = line.look.colour().stroke_width(2);
        let points = line.points.iter().map(|&(x, y)| (x, place(y)));
        // A line of one point has no length.
        if line.points.len() == 1 {
            let dot = |p| Circle::new(p, 3, line.look.colour().filled());
            chart.draw_series(points.clone().map(dot))?;
        }
        match line.look {
            Look::Baseline => chart.draw_series(DashedLineSeries::new(points, 6, 4, style))?,
            Look::Oracle => chart.draw_series(DashedLineSeries::new(points, 2, 3, style))?,
            Look::Solver(_) | Look::Plain => chart.draw_series(LineSeries::new(points, style))?,
        };
    }
    area.present()?;
    Ok(())
}

/// Least and largest of a coordinate over all points; zeros count for neither.
fn range(lines: &[Line], of: fn(&(f64, f64)) -> f64) -> (f64, f64) {
    let values = lines.iter().flat_map(|l| &l.points).map(of);
    let positive = values.filter(|v| v.is_finite() && *v > 0.0);
    let found = positive.fold((f64::INFINITY, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    if found.0.is_finite() { found } else { (1.0, 1.0) }
}

/// 0.01, 1, 100 for an exponent, and powers of ten beyond.
fn power(exponent: f64) -> String {
    match exponent.round() as i32 {
        e if (-3..=5).contains(&e) => format!("{}", 10_f64.powi(e)),
        e => format!("1e{e}"),
    }
}
