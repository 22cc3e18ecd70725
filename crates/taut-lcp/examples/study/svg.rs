//! Curves and matrices as pictures.

use std::fmt::Write as _;
use taut_lcp::{Operator, Problem};

/// A name, and points.
pub type Curve = (String, Vec<(f64, f64)>);

const COLOURS: [&str; 7] =
    ["#2d7dd2", "#e6731e", "#1ea064", "#b95fcd", "#d74141", "#009baa", "#a07d28"];

/// A scale of a plot.
#[derive(Clone, Copy, PartialEq)]
pub enum Scale {
    Linear,
    Log,
}

impl Scale {
    fn place(self, v: f64) -> f64 {
        if self == Scale::Log { v.log10() } else { v }
    }

    fn shows(self, v: f64) -> bool {
        v.is_finite() && (v > 0.0 || self == Scale::Linear)
    }

    /// Round numbers between two places: 1, 2 or 5 times a power of ten apart, or (`Log`) themselves.
    fn ticks(self, from: f64, to: f64) -> Vec<f64> {
        let round = (-3..9).flat_map(|e| [1.0, 2.0, 5.0].map(|k| k * 10_f64.powi(e)));
        if self == Scale::Log {
            return round.filter(|v| (from..=to).contains(&v.log10())).collect();
        }
        let step = round.into_iter().find(|s| (to - from) / s <= 6.0).unwrap_or(1.0);
        let first = (from / step).ceil();
        (0..8).map(|k| (first + f64::from(k)) * step).filter(|v| *v <= to).collect()
    }

    fn words(self, place: f64) -> String {
        if self == Scale::Log { format!("1e{place:.0}") } else { format!("{place:.0}") }
    }
}

/// Curves with fewer points have dots.
const FEW: usize = 40;

/// Curves with their names.
pub fn plot(curves: &[Curve], names: [&str; 2], scales: [Scale; 2]) -> String {
    let [sx, sy] = scales;
    let shown = |p: &&(f64, f64)| sx.shows(p.0) && sy.shows(p.1);
    let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let all = curves.iter().flat_map(|c| &c.1).filter(shown).map(of);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
    };
    let (x0, x1) = range(&|p| sx.place(p.0));
    let (y0, y1) = range(&|p| sy.place(p.1));
    let y0 = if sy == Scale::Linear { 0.0 } else { y0.floor() };
    let y1 = y1.ceil().max(y0 + 1.0);
    let height = |place: f64| 250.0 - 230.0 * (place - y0) / (y1 - y0);
    let at = |p: &(f64, f64)| {
        let x = 60.0 + 380.0 * (sx.place(p.0) - x0) / (x1 - x0).max(1e-9);
        (x, height(sy.place(p.1)))
    };
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 300\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"640\" height=\"300\" fill=\"white\"/>\n",
    );
    let step = ((y1 - y0) / 6.0).ceil().max(1.0);
    let mut place = y0;
    while place <= y1 {
        let y = height(place);
        let words = sy.words(place);
        let _ = writeln!(
            svg,
            "<path d=\"M60 {y:.1}H440\" stroke=\"#ddd\"/><text x=\"52\" y=\"{:.1}\" text-anchor=\"end\">{words}</text>",
            y + 4.0
        );
        place += step;
    }
    for v in sx.ticks(x0, x1) {
        let x = 60.0 + 380.0 * (sx.place(v) - x0) / (x1 - x0).max(1e-9);
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} 250v4\" stroke=\"#888\"/><text x=\"{x:.1}\" y=\"268\" text-anchor=\"middle\">{v}</text>"
        );
    }
    let [x_name, y_name] = names;
    let _ = writeln!(
        svg,
        "<text x=\"250\" y=\"290\" text-anchor=\"middle\">{x_name}</text><text x=\"14\" y=\"135\" text-anchor=\"middle\" transform=\"rotate(-90 14 135)\">{y_name}</text>"
    );
    for (k, (label, points)) in curves.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let places: Vec<_> = points.iter().filter(shown).map(at).collect();
        let text: Vec<_> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let y = 30 + 20 * k;
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/><path d=\"M455 {}h20\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"480\" y=\"{y}\">{label}</text>",
            text.join(" "),
            y - 4
        );
        for (x, y) in places.iter().filter(|_| places.len() < FEW) {
            let _ =
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{colour}\"/>");
        }
    }
    svg + "</svg>\n"
}

/// A dot for every entry of A.
pub fn pattern(p: &Problem) -> String {
    let n = p.rows();
    let mut path = String::new();
    let mut dot = |i: usize, j: usize| {
        let _ = write!(path, "M{j} {i}h1");
    };
    for i in 0..n {
        match &p.operator {
            Operator::Dense(a) => (0..n).filter(|&j| a.get(i, j) != 0.0).for_each(|j| dot(i, j)),
            Operator::Sparse(a) => a.row(i).0.iter().for_each(|&j| dot(i, j as usize)),
            _ => {}
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" viewBox=\"0 -1 {n} {n}\"><rect y=\"-1\" width=\"{n}\" height=\"{n}\" fill=\"white\"/><path d=\"{path}\" stroke=\"#2d7dd2\" stroke-width=\"1\"/></svg>\n"
    )
}
