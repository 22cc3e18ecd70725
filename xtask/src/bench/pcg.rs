//! Conjugate gradients: Ho22's figures beside our own, which `taut bench` measures.

use serde_json::Value;

use super::{Tables, growth, markdown, measure, number, share};

/// A scene, the frames measured, and Ho22's outer iterations, largest errors
/// and times (tables 6.2 to 6.4) of BPP, BPP+PCG and PGCG.
struct Scene {
    name: &'static str,
    skip: usize,
    frames: usize,
    outer: [&'static str; 3],
    error: [&'static str; 3],
    ms: [f64; 3],
}

const SCENES: &[Scene] = &[
    Scene {
        name: "boxes",
        skip: 20,
        frames: 5,
        outer: ["1.6", "1.6", "1.5"],
        error: ["2.3e-11", "2.3e-11", "9.7e-23"],
        ms: [68.0, 22.0, 27.0],
    },
    Scene {
        name: "tower",
        skip: 250,
        frames: 5,
        outer: ["40.9", "40.9", "31.7"],
        error: ["2.8e-17", "1.9e-11", "7.6e-12"],
        ms: [35.0, 67.0, 160.0],
    },
    Scene {
        name: "spinner",
        skip: 60,
        frames: 1,
        outer: ["9.6", "9.6", "9.5"],
        error: ["2.7e-22", "6.3e-14", "6.0e-14"],
        ms: [5.3, 1.3, 1.0],
    },
    Scene {
        name: "chain",
        skip: 240,
        frames: 3,
        outer: ["68.0", "68.0", "17.2"],
        error: ["3.5e-20", "1.2e-13", "1.1e-13"],
        ms: [510.0, 1100.0, 1400.0],
    },
    Scene {
        name: "trucks:1",
        skip: 60,
        frames: 2,
        outer: ["47.6", "47.6", "7.8"],
        error: ["1.4e-13", "8.6e-11", "9.3e-11"],
        ms: [980.0, 9300.0, 5100.0],
    },
    Scene {
        name: "rocks",
        skip: 60,
        frames: 4,
        outer: ["17.5", "17.5", "64.4"],
        error: ["6.4e-19", "9.4e-17", "2.4e-16"],
        ms: [630.0, 20_000.0, 50_000.0],
    },
    Scene {
        name: "wall",
        skip: 50,
        frames: 3,
        outer: ["1,900", "1,300", "32.9"],
        error: ["1.8e10", "1.8e10", "1.1e-11"],
        ms: [4700.0, 54_000.0, 600.0],
    },
    Scene {
        name: "wall",
        skip: 60,
        frames: 3,
        outer: ["1,900", "1,300", "32.9"],
        error: ["1.8e10", "1.8e10", "1.1e-11"],
        ms: [4700.0, 54_000.0, 600.0],
    },
];

/// What stands in the table, how it is asked for, and which of Ho22's three
/// methods it is.
const METHODS: &[(&str, &str, Option<usize>)] = &[
    ("`bpp`", "bpp", None),
    ("BPP alone, direct", "bpp_pcg:patience=100:max_iterations=300:backend=Dual", Some(0)),
    ("`bpp_pcg`", "bpp_pcg:patience=100:max_iterations=300", Some(1)),
    ("`pgcg`", "pgcg", Some(2)),
    ("`bpp_pcg`, Ho22's settings", "bpp_pcg:ho22:max_iterations=300", Some(1)),
    ("`pgcg`, Ho22's settings", "pgcg:ho22:max_iterations=300", Some(2)),
];

const METHODS_HEAD: &[&str] = &[
    "scene",
    "method",
    "Ho22 outer",
    "outer",
    "Ho22 error J",
    "error J",
    "inner",
    "imaginary columns",
    "ms",
    "Ho22 ms / its BPP",
    "ms / `bpp`",
    "failed",
];

/// Preconditioners, on `chain`.
const PRECONDITIONERS: &[&str] = &[
    "jacobi",
    "block_jacobi",
    "ic0_shift",
    "partial_shift",
    "imaginary_ic0",
    "ict:pcg.precondition.drop_tolerance=1e-3",
    "ict:pcg.precondition.drop_tolerance=1e-5:pcg.precondition.fill=200",
];

/// Scenes of Ho22 table 6.5 with its outer iterations for no limit, 10 and 5.
const REGULARIZED: &[(&str, usize, usize, [&str; 3])] = &[
    ("chain", 240, 3, ["68.0", "17.5", "14.8"]),
    ("trucks:1", 60, 2, ["47.6", "28.2", "19.6"]),
    ("rocks", 60, 3, ["17.5", "16.5", "17.1"]),
];

/// Measures all; of a share only the first scenes.
pub fn measure_all(quick: bool) -> Result<Tables, String> {
    Ok(vec![
        ("pcg".into(), methods(quick)?),
        ("precondition".into(), preconditioners(quick)?),
        ("adaptive".into(), adaptive(quick)?),
        ("scale".into(), growth::measure_scale(quick)?),
    ])
}

/// The first of a list, or all.
fn some<T>(list: &[T], quick: bool) -> &[T] {
    if quick { &list[..1] } else { list }
}

fn figures(scene: &str, skip: usize, frames: usize, solvers: &[&str]) -> Result<Value, String> {
    println!("{scene}: {} solvers, frames {} to {}", solvers.len(), skip + 1, skip + frames);
    measure(scene, skip, frames, &solvers.join(","))
}

fn failed(figures: &Value) -> String {
    format!("{:.0} %", 100.0 * figures["share_not_converged"].as_f64().unwrap_or(1.0))
}

fn percent(value: &Value) -> String {
    value.as_f64().map_or(String::new(), |x| format!("{:.1} %", 100.0 * x))
}

fn error(figures: &Value) -> String {
    figures["max_energy_error"].as_f64().map_or(String::new(), |e| format!("{e:.0e}"))
}

fn methods(quick: bool) -> Result<String, String> {
    let mut rows = Vec::new();
    for s in some(SCENES, quick) {
        let solvers: Vec<&str> = METHODS.iter().map(|m| m.1).collect();
        let (skip, frames) = share(quick, s.skip, s.frames);
        let v = figures(s.name, skip, frames, &solvers)?;
        let time = |k: usize| v["solvers"][k]["solve_ms"]["mean"].as_f64().unwrap_or(0.0);
        for (k, (title, _, source)) in METHODS.iter().enumerate() {
            let f = &v["solvers"][k];
            let [outer, theirs] = match source {
                Some(i) => [s.outer[*i], s.error[*i]],
                None => ["", ""],
            };
            let ratio = source.map_or(String::new(), |i| number(&(s.ms[i] / s.ms[0]).into()));
            rows.push(vec![
                format!("{}, from frame {}", s.name.replace(':', ", size "), s.skip + 1),
                (*title).into(),
                outer.into(),
                number(&f["outer_iterations"]),
                theirs.into(),
                error(f),
                number(&f["inner_iterations"]),
                percent(&f["imaginary_columns"]),
                number(&f["solve_ms"]["mean"]),
                ratio,
                number(&(time(k) / time(0)).into()),
                failed(f),
            ]);
        }
    }
    Ok(markdown(METHODS_HEAD, &rows))
}

fn preconditioners(quick: bool) -> Result<String, String> {
    let titles = ["preconditioner", "`bpp_pcg` inner", "ms", "`pgcg` outer", "inner", "ms"];
    let mut rows = Vec::new();
    for kind in some(PRECONDITIONERS, quick) {
        let solvers = [
            format!("bpp_pcg:pcg.precondition.kind={kind}"),
            format!("pgcg:pcg.precondition.kind={kind}"),
        ];
        let (skip, frames) = share(quick, 240, 2);
        let v = figures("chain", skip, frames, &[&solvers[0], &solvers[1]])?;
        let (b, p) = (&v["solvers"][0], &v["solvers"][1]);
        let title = kind.replace("pcg.precondition.", "").replace(':', ", ");
        rows.push(vec![
            title,
            number(&b["inner_iterations"]),
            number(&b["solve_ms"]["mean"]),
            number(&p["outer_iterations"]),
            number(&p["inner_iterations"]),
            number(&p["solve_ms"]["mean"]),
        ]);
    }
    Ok(markdown(&titles, &rows))
}

fn adaptive(quick: bool) -> Result<String, String> {
    let titles =
        ["scene", "pivot limit", "Ho22 outer", "outer", "fewer", "steps not solved", "error J"];
    let mut rows = Vec::new();
    let base = "bpp_pcg:patience=300:max_iterations=300";
    for (scene, skip, frames, outer) in some(REGULARIZED, quick) {
        let (skip, frames) = share(quick, *skip, *frames);
        let soft = |limit: usize| format!("{base}:adaptive.pivot_limit={limit}:adaptive.keep=true");
        let solvers = [base.to_string(), soft(10), soft(5)];
        let solvers: Vec<&str> = solvers.iter().map(String::as_str).collect();
        let v = figures(scene, skip, frames, &solvers)?;
        let mean = |k: usize| v["solvers"][k]["outer_iterations"].as_f64().unwrap_or(0.0);
        for (k, limit) in ["none", "10", "5"].iter().enumerate() {
            let f = &v["solvers"][k];
            rows.push(vec![
                scene.replace(':', ", size "),
                (*limit).into(),
                outer[k].into(),
                number(&f["outer_iterations"]),
                format!("{:.1} ×", mean(0) / mean(k)),
                failed(f),
                error(f),
            ]);
        }
    }
    Ok(markdown(&titles, &rows))
}
