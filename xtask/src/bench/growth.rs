//! Time and memory of a solve over the number of rows, which the example `scale` of `taut-scenes`
//! measures; figures drawn by `bench/scale_plot.py`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Tables, lines_of, markdown, number};
use crate::{root, run};

/// Scenes, the frame measured, and their sizes. (`rocks` with 7,680 rocks, 119,454 rows, took 10 s a
/// solve, and minutes to get there.)
const GROWTH: &[(&str, &str, &[&str])] = &[
    ("loaded-chain", "2", &["100", "300", "1000", "3000", "5000"]),
    ("static-tower", "2", &["10", "20", "40", "80", "160", "320"]),
    ("net-truck", "2", &["4", "8", "16", "32", "64"]),
    ("rocks", "120", &["120", "405", "960", "1920"]),
];

/// The same for direct solvers beside conjugate gradients, and the solvers.
const SCALE: &[(&str, &str, &[&str], &[&str])] = &[
    ("boxes", "20", &["100", "833"], &["bpp", "ipm", "bpp_pcg", "pgcg"]),
    ("rocks", "120", &["120", "405"], &["bpp", "ipm", "pgcg"]),
];

/// What the example says of one solve.
struct Line {
    solver: String,
    rows: f64,
    seconds: f64,
    inner: f64,
    bytes: f64,
    text: String,
}

/// Measures scenes of growing size with `bpp`.
pub fn measure_all(quick: bool) -> Result<Tables, String> {
    let mut csv = String::new();
    let mut cells = Vec::new();
    for (scene, frame, sizes) in GROWTH {
        let mut lines = Vec::new();
        for size in if quick { &sizes[..2] } else { sizes } {
            lines.extend(measure(scene, size, if quick { "2" } else { frame }, &["bpp"])?);
        }
        lines.iter().for_each(|line| csv += &format!("{}\n", line.text));
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
        let bytes = lines.iter().map(|l| l.bytes).fold(0.0, f64::max);
        cells.push(vec![
            (*scene).to_string(),
            number(&first.rows.into()),
            number(&last.rows.into()),
            format!("{:.4}", first.seconds),
            format!("{:.4}", last.seconds),
            format!("{:.2}", exponent(&lines)),
            number(&bytes.into()),
        ]);
    }
    draw("growth", &csv, quick)?;
    let head =
        ["scene", "rows: least", "most", "s: least", "most", "exponent", "bytes per row, most"];
    Ok(vec![("growth".into(), markdown(&head, &cells))])
}

/// Direct solvers and conjugate gradients.
pub fn measure_scale(quick: bool) -> Result<String, String> {
    let mut csv = String::new();
    let mut cells = Vec::new();
    for (scene, frame, sizes, solvers) in SCALE {
        for size in if quick { &sizes[..1] } else { sizes } {
            let lines = measure(scene, size, if quick { "2" } else { frame }, solvers)?;
            lines.iter().for_each(|line| csv += &format!("{}\n", line.text));
            let of = |name: &str| lines.iter().find(|line| line.solver == name);
            let seconds =
                |name: &str| of(name).map_or(String::new(), |l| format!("{:.4}", l.seconds));
            let bytes = |name: &str| of(name).map_or(String::new(), |l| number(&l.bytes.into()));
            let rows = lines.first().map_or(0.0, |l| l.rows);
            let mut row = vec![(*scene).to_string(), number(&rows.into())];
            row.extend(["bpp", "ipm", "bpp_pcg", "pgcg"].map(seconds));
            row.push(of("pgcg").map_or(String::new(), |l| number(&l.inner.into())));
            row.extend(["bpp", "pgcg"].map(bytes));
            cells.push(row);
        }
    }
    draw("scale", &csv, quick)?;
    let head = [
        "scene",
        "rows",
        "`bpp` s",
        "`ipm` s",
        "`bpp_pcg` s",
        "`pgcg` s",
        "`pgcg` inner",
        "bytes per row: `bpp`",
        "`pgcg`",
    ];
    Ok(markdown(&head, &cells))
}

fn measure(scene: &str, size: &str, frame: &str, solvers: &[&str]) -> Result<Vec<Line>, String> {
    println!("  {scene}, size {size}");
    let args = [&[scene, size, frame][..], solvers].concat();
    lines_of("scale", &args)?.iter().map(|text| read(text)).collect()
}

/// A line of the example: see there.
fn read(text: &str) -> Result<Line, String> {
    let cells: Vec<&str> = text.split(',').collect();
    let cell = |k: usize| cells.get(k).copied().unwrap_or("");
    let number = |k: usize| cell(k).parse().map_err(|e| format!("{text}: {e}"));
    Ok(Line {
        solver: cell(5).into(),
        rows: number(2)?,
        seconds: number(7)?,
        inner: number(9)?,
        bytes: number(12)?,
        text: text.into(),
    })
}

/// Slope of the straight line through the logarithms of rows and seconds.
fn exponent(lines: &[Line]) -> f64 {
    let points: Vec<(f64, f64)> = lines.iter().map(|l| (l.rows.ln(), l.seconds.ln())).collect();
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let along: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    along / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// Writes what was measured, and its figure.
fn draw(name: &str, csv: &str, quick: bool) -> Result<(), String> {
    let folder: PathBuf = root().join(if quick { "target/bench" } else { "bench" });
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let (data, figure) = (folder.join(name).with_extension("csv"), folder.join(name));
    fs::write(&data, csv).map_err(|e| format!("{}: {e}", data.display()))?;
    let plot = root().join("bench/scale_plot.py");
    run(Command::new("python3").arg(plot).arg(data).arg(figure.with_extension("svg")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_slopes() {
        let line = |rows: f64, seconds: f64| {
            read(&format!("wall,1,{rows},1,1,bpp,1,{seconds},1,2,Converged,1e-9,7"))
                .expect("a line")
        };
        let lines = [line(10.0, 1e-3), line(100.0, 1e-3 * 10_f64.powf(1.5)), line(1e3, 1.0)];
        assert!((exponent(&lines) - 1.5).abs() < 1e-12);
        assert_eq!((lines[0].inner, lines[0].bytes), (2.0, 7.0));
        assert!(read("wall,1,x").is_err());
    }
}
