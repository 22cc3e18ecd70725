//! Pictures of particles, seen along z.

use std::fmt::Write;

/// Width of a panel in points, and the gap between panels.
const WIDTH: f64 = 150.0;
const GAP: f64 = 14.0;
/// Room for the words above a panel.
const HEAD: f64 = 18.0;

/// Words above a panel, and the particles in it.
pub type Panel = (String, Vec<[f64; 3]>);

/// Rows of panels, each with words above it and particles within a box of the given sides \[m\].
pub fn picture(rows: &[Vec<Panel>], size: [f64; 3], dot: f64) -> String {
    let scale = WIDTH / size[0];
    let height = size[1] * scale;
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let (w, h) = (GAP + columns * (WIDTH + GAP), GAP + rows.len() as f64 * (height + HEAD + GAP));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.0} {h:.0}\" width=\"{w:.0}\" height=\"{h:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (r, row) in rows.iter().enumerate() {
        for (c, (words, particles)) in row.iter().enumerate() {
            let left = GAP + c as f64 * (WIDTH + GAP);
            let top = GAP + HEAD + r as f64 * (height + HEAD + GAP);
            let _ = writeln!(
                svg,
                "<text x=\"{left:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"11\">{words}</text>",
                top - 5.0
            );
            let mut dots = String::new();
            for x in particles {
                // A dot is a line of no length with round ends.
                let (x, y) = (left + scale * x[0], top + height - scale * x[1]);
                let _ = write!(dots, "M{x:.1} {y:.1}h0");
            }
            let _ = writeln!(
                svg,
                "<path d=\"{dots}\" stroke=\"#2a6fb0\" stroke-width=\"{:.2}\" stroke-linecap=\"round\"/>\n\
                 <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{WIDTH:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"black\"/>",
                dot * scale
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}
