//! The report: one page of HTML that needs nothing else.

use std::io::Write;
use std::path::{Path, PathBuf};

use taut_scenes::AtomicFile;

use super::figures::{Document, SceneFigures};
use super::plot::{Line, Look, Scale, svg};
use super::table::{self, COLUMNS};
use crate::failure::Failure;

const STYLE: &str = include_str!("report.css");

/// What the columns mean, as in `taut bench --help`.
const NOTES: &str = "<p>A scene is stepped with its own solver. The problem of every frame (all \
islands, friction bounds of the last pass) is solved by each method in turn, each from its own \
answer to the frame before. <b>outer</b>, <b>inner</b> and <b>factor.</b> (factorizations) are \
means per solve; <b>energy</b> is the largest error of a row in joule; times are CPU times of one \
thread, with preparation and judgement. <b>/baseline</b> and <b>/oracle</b> are times divided by \
theirs. The <b>baseline</b> is block pivoting from all free that analyses and factors anew at \
every pivot, at most 50; steps at which it fails are left out of its means and of the ratios to \
it. The <b>oracle</b> is one factorization for the index set of the answer. <b>failed</b> counts \
steps that did not converge.</p>";

/// The file of the page, which appears when it is complete.
pub struct Report {
    file: AtomicFile,
    path: PathBuf,
}

impl Report {
    /// Opens it, so that a place that cannot be written to is found before
    /// anything is measured.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let file = AtomicFile::create(path).map_err(cannot_write(path))?;
        Ok(Report { file, path: path.into() })
    }

    pub fn write(mut self, document: &Document) -> Result<(), Failure> {
        let page = page(document)?;
        let written = self.file.write_all(page.as_bytes()).and_then(|()| self.file.commit());
        written.map_err(cannot_write(&self.path))
    }
}

fn cannot_write(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    let place = path.display().to_string();
    move |e| {
        let reason = format!("{place}: cannot be written: {e}");
        Failure::new(reason, "--report needs a file in a folder that can be written to")
    }
}

fn page(document: &Document) -> Result<String, Failure> {
    let scenes = document.scenes.iter().enumerate().map(scene).collect::<Result<String, _>>()?;
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>taut bench</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>taut bench</h1>\n\
         <p>taut {}, relative residual {:e} asked for.</p>\n{}{NOTES}\n{scenes}</body>\n</html>\n",
        document.version,
        document.tolerance,
        overview(document),
    ))
}

/// All scenes in one table.
fn overview(document: &Document) -> String {
    let mut head = String::new();
    for name in &document.solvers {
        head += &format!("<th>{name} ms</th><th>/baseline</th><th>/oracle</th><th>failed</th>");
    }
    let row = |(i, s): (usize, &SceneFigures)| {
        let name = escaped(&s.scene);
        let mut cells = format!("<th scope=\"row\"><a href=\"#scene{i}\">{name}</a></th>");
        cells += &cell(&table::thousands(s.mean_rows));
        cells += &cell(&table::thousands(s.mass_ratio));
        cells += &cell(&table::condition(s.condition));
        for (_, figures) in table::methods(s).iter().skip(2) {
            for column in [4, 7, 8, 9] {
                cells += &cell(&figures[column]);
            }
        }
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = document.scenes.iter().enumerate().map(row).collect();
    let first = "<th>scene</th><th>rows</th><th>mass ratio</th><th>condition</th>";
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr>{first}{head}</tr></thead>\n<tbody>\n{rows}\
         </tbody></table></div>\n"
    )
}

fn scene((i, s): (usize, &SceneFigures)) -> Result<String, Failure> {
    let head: String = COLUMNS.iter().map(|c| format!("<th>{c}</th>")).collect();
    let row = |(look, (name, cells)): (Look, (&str, [String; 10]))| {
        let swatch = swatch(look);
        let cells: String = cells.iter().map(|c| cell(c)).collect();
        format!("<tr><th scope=\"row\">{swatch}{name}</th>{cells}</tr>\n")
    };
    let looks = looks(s.solvers.len());
    let rows: String = looks.iter().copied().zip(table::methods(s)).map(row).collect();
    let refused = s.solvers.iter().filter_map(|f| Some((&f.solver, f.refused.as_ref()?)));
    let refused: String = refused
        .map(|(name, why)| format!("<p>{name} refused problems: {}</p>\n", escaped(why)))
        .collect();
    Ok(format!(
        "<section>\n<h2 id=\"scene{i}\">{}</h2>\n<p>{}.</p>\n<div class=\"scroll\"><table>\n\
         <thead><tr><th>method</th>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n\
         {refused}<div class=\"plots\">\n{}</div>\n</section>\n",
        escaped(&s.scene),
        escaped(&table::heading(s)),
        plots(s, &looks)?
    ))
}

/// Baseline, oracle, solvers: the order of [`table::methods`].
fn looks(solvers: usize) -> Vec<Look> {
    [Look::Baseline, Look::Oracle].into_iter().chain((0..solvers).map(Look::Solver)).collect()
}

fn plots(s: &SceneFigures, looks: &[Look]) -> Result<String, Failure> {
    let runs = || std::iter::once(&s.baseline).chain(&s.solvers);
    let solver_looks: Vec<Look> =
        looks.iter().copied().filter(|l| !matches!(l, Look::Oracle)).collect();
    let mut times = lines(s, &solver_looks, runs().map(|f| f.series.solve_ms.clone()));
    times.extend(lines(s, &[Look::Oracle], [s.oracle.series.clone()]));
    let errors = lines(s, &solver_looks, runs().map(|f| f.series.energy_error.clone()));
    let count = |i: &Option<usize>| i.map(|i| i as f64);
    let iterations = runs().map(|f| f.series.outer_iterations.iter().map(count).collect());
    let iterations = lines(s, &solver_looks, iterations);
    let rows = s.series.rows.iter().map(|r| Some(*r as f64)).collect();
    let rows = lines(s, &[Look::Plain], [rows]);
    let figure = |title: &str, lines: &[Line], scale: Scale| -> Result<String, Failure> {
        let picture = svg(lines, scale, &format!("{title}, by frame"))?;
        Ok(format!("<figure><figcaption>{title}</figcaption>{picture}</figure>\n"))
    };
    Ok([
        figure("solve time in ms", &times, Scale::Logarithmic)?,
        figure("largest energy error in J", &errors, Scale::Logarithmic)?,
        figure("outer iterations", &iterations, Scale::Logarithmic)?,
        figure("rows", &rows, Scale::Linear)?,
    ]
    .concat())
}

/// One line per list of values, which are frame by frame.
fn lines(
    s: &SceneFigures,
    looks: &[Look],
    values: impl IntoIterator<Item = Vec<Option<f64>>>,
) -> Vec<Line> {
    let line = |(values, &look): (Vec<Option<f64>>, &Look)| {
        let frames = s.series.frame.iter().map(|f| *f as f64);
        let points = frames.zip(values).filter_map(|(f, v)| Some((f, v?)));
        Line { look, points: points.filter(|p| p.1.is_finite()).collect() }
    };
    values.into_iter().zip(looks).map(line).collect()
}

fn swatch(look: Look) -> String {
    format!("<i style=\"border-top:3px {} {}\"></i>", look.border(), look.css())
}

fn cell(text: &str) -> String {
    format!("<td>{}</td>", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
