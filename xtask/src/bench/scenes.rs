//! Scenes of the literature: figures of the sources beside our own, which `taut bench` measures.

use serde_json::{Value, json};

use super::{Tables, estimate, measure, number, share as part, table, taut};

/// A scene, how much of it is measured, and what its sources say. Where a
/// source has no figure: an empty text.
struct Scene {
    name: &'static str,
    skip: usize,
    frames: usize,
    /// Mass ratio, rows, condition number: Ho22 table 6.1.
    ho22: [&'static str; 3],
    /// Mean outer iterations of BPP+PCG, PGCG, BPP: table 6.2. With adaptive
    /// regularization, pivot limit 10: table 6.5.
    outer: [&'static str; 4],
    /// Largest error in J of the same three: table 6.3.
    error: [&'static str; 3],
    /// Mean ms of the same three: table 6.4.
    ms: [&'static str; 3],
    /// Mean ms of Eigen-BPP, PGS and the faster Schur solver (on many
    /// threads): Peiret19 table 3.
    peiret: [&'static str; 3],
}

const NONE: Scene = Scene {
    name: "",
    skip: 0,
    frames: 0,
    ho22: [""; 3],
    outer: [""; 4],
    error: [""; 3],
    ms: [""; 3],
    peiret: [""; 3],
};

const SCENES: &[Scene] = &[
    Scene {
        name: "boxes",
        frames: 40,
        ho22: ["", "12,000", "1e8"],
        outer: ["1.6", "1.5", "1.6", ""],
        error: ["2.3e-11", "9.7e-23", "2.3e-11"],
        ms: ["22", "27", "68"],
        ..NONE
    },
    Scene {
        name: "tower",
        skip: 240,
        frames: 60,
        ho22: ["50", "1,300", "1e8"],
        outer: ["40.9", "31.7", "40.9", ""],
        error: ["1.9e-11", "7.6e-12", "2.8e-17"],
        ms: ["67", "160", "35"],
        peiret: ["203", "302", "51.4"],
    },
    Scene {
        name: "spinner",
        skip: 60,
        frames: 60,
        ho22: ["25,000", "2,920", "1e6"],
        outer: ["9.6", "9.5", "9.6", ""],
        error: ["6.3e-14", "6.0e-14", "2.7e-22"],
        ms: ["1.3", "1.0", "5.3"],
        peiret: ["141", "229", "8.7"],
    },
    Scene {
        name: "chain",
        frames: 200,
        ho22: ["2,000", "1,480", "1e8"],
        outer: ["68.0", "17.2", "68.0", "17.5"],
        error: ["1.2e-13", "1.1e-13", "3.5e-20"],
        ms: ["1,100", "1,400", "510"],
        peiret: ["54.6", "199", "11.6"],
        ..NONE
    },
    Scene {
        name: "trucks:1",
        skip: 60,
        frames: 20,
        ho22: ["8,000", "5,650", "1e10"],
        outer: ["47.6", "7.8", "47.6", "28.2"],
        error: ["8.6e-11", "9.3e-11", "1.4e-13"],
        ms: ["9,300", "5,100", "980"],
        ..NONE
    },
    Scene {
        name: "rocks",
        skip: 60,
        frames: 40,
        ho22: ["250", "1,800", "1e9"],
        outer: ["17.5", "64.4", "17.5", "16.5"],
        error: ["9.4e-17", "2.4e-16", "6.4e-19"],
        ms: ["20,000", "50,000", "630"],
        peiret: ["312", "284", "98.6"],
    },
    Scene {
        name: "wall",
        frames: 100,
        ho22: ["4", "1,006", "1e9"],
        outer: ["1,300", "32.9", "1,900", ""],
        error: ["1.8e10", "1.1e-11", "1.8e10"],
        ms: ["54,000", "600", "4,700"],
        ..NONE
    },
    Scene { name: "chain-drop", skip: 30, frames: 40, peiret: ["46.9", "151", "8.7"], ..NONE },
    Scene { name: "net-truck:3", skip: 60, frames: 30, peiret: ["252", "802", "11.9"], ..NONE },
    Scene { name: "tandem-cranes", frames: 60, peiret: ["181", "223", "12.9"], ..NONE },
    Scene { name: "bridge", frames: 60, ..NONE },
    Scene { name: "loaded-chain", frames: 100, ..NONE },
    Scene { name: "heavy-stack", frames: 100, ..NONE },
    Scene { name: "static-tower", frames: 20, ..NONE },
];

/// Measures all scenes.
pub fn measure_all(quick: bool) -> Result<Tables, String> {
    let mut measured = Vec::new();
    for scene in SCENES {
        let (skip, frames) = part(quick, scene.skip, scene.frames);
        println!("  {}: frames {} to {}", scene.name, skip + 1, skip + frames);
        measured.push((scene, measure(scene.name, skip, frames, "bpp,ipm")?));
    }
    let mut runs = Vec::new();
    for name in RUNS {
        println!("  {name}: {RUN_FRAMES} frames");
        let frames = if quick { 3 } else { RUN_FRAMES }.to_string();
        runs.push((name, taut(&["run", name, "--json", "--frames", &frames])?));
    }
    Ok(vec![
        ("steps".into(), table(STEPS, &runs, steps)),
        ("scenes".into(), table(SIZES, &measured, sizes)),
        ("iterations".into(), table(ITERATIONS, &measured, iterations)),
        ("errors".into(), table(ERRORS, &measured, errors)),
        ("times".into(), table(TIMES, &measured, times)),
    ])
}

/// Scenes of the literature at the size of their source, by `taut run`.
const RUNS: &[&str] = &[
    "boxes",
    "tower",
    "spinner",
    "chain",
    "trucks",
    "rocks",
    "wall",
    "chain-drop",
    "net-truck",
    "tandem-cranes",
    "bridge",
];
const RUN_FRAMES: usize = 120;

const STEPS: &[&str] = &[
    "scene",
    "rows, most",
    "not converged",
    "softened",
    "penetration, mm",
    "joint gap, mm",
    "halved",
    "torn",
    "CPU ms per step",
    "95 %",
];

fn steps(name: &&str, v: &Value) -> Vec<String> {
    let mm = |x: &Value| number(&json!(1e3 * x.as_f64().unwrap_or(0.0)));
    let mut cells = vec![(*name).to_string(), number(&v["max_rows"])];
    cells.extend(["unconverged_steps", "softened_steps"].map(|what| v[what].to_string()));
    cells.extend(["max_penetration", "max_joint_gap"].map(|what| mm(&v[what])));
    cells.extend(["halved_steps", "torn_steps"].map(|what| v[what].to_string()));
    cells.extend(["mean", "p95"].map(|what| number(&v["cpu_ms"][what])));
    cells
}

const SIZES: &[&str] = &[
    "scene",
    "frames measured",
    "mass ratio: Ho22",
    "taut",
    "rows: Ho22",
    "taut, most",
    "condition: Ho22",
    "taut, largest",
];

fn sizes(scene: &Scene, v: &Value) -> Vec<String> {
    let frames = format!("{} to {}", scene.skip + 1, scene.skip + scene.frames);
    let [ratio, rows, condition] = scene.ho22.map(String::from);
    let own = [&v["mass_ratio"], &v["max_rows"]].map(number);
    let estimate = estimate(&v["condition"]);
    let [own_ratio, own_rows] = own;
    vec![name(scene), frames, ratio, own_ratio, rows, own_rows, condition, estimate]
}

const ITERATIONS: &[&str] = &[
    "scene",
    "Ho22 BPP",
    "BPP+PCG",
    "PGCG",
    "BPP+PCG, regularized",
    "baseline",
    "baseline failed",
    "`bpp`",
    "factorizations",
    "failed",
    "`ipm`",
    "failed",
];

fn iterations(scene: &Scene, v: &Value) -> Vec<String> {
    let [pcg, pgcg, bpp, regularized] = scene.outer.map(String::from);
    let (own, ipm) = (&v["solvers"][0], &v["solvers"][1]);
    let mut cells = vec![name(scene), bpp, pcg, pgcg, regularized];
    cells.extend([mean(&v["baseline"], "outer_iterations"), share(&v["baseline"])]);
    cells.extend([mean(own, "outer_iterations"), mean(own, "factorizations"), share(own)]);
    cells.extend([mean(ipm, "outer_iterations"), share(ipm)]);
    cells
}

const ERRORS: &[&str] =
    &["scene", "Ho22 BPP", "BPP+PCG", "PGCG", "baseline, solved steps", "`bpp`", "`ipm`"];

fn errors(scene: &Scene, v: &Value) -> Vec<String> {
    let [pcg, pgcg, bpp] = scene.error.map(String::from);
    let worst = |m: &Value| match m["max_energy_error"].as_f64() {
        Some(e) if solved(m) => format!("{e:.0e}"),
        _ => "".into(),
    };
    let own = [&v["baseline"], &v["solvers"][0], &v["solvers"][1]].map(worst);
    [&[name(scene), bpp, pcg, pgcg][..], &own].concat()
}

const TIMES: &[&str] = &[
    "scene",
    "Ho22 BPP",
    "Ho22 best PCG",
    "Peiret19 Eigen-BPP",
    "Peiret19 PGS",
    "Peiret19 best Schur",
    "baseline",
    "oracle",
    "`bpp`",
    "95 %",
    "worst",
    "/baseline",
    "/oracle",
    "`ipm`",
    "/baseline",
    "/oracle",
];

fn times(scene: &Scene, v: &Value) -> Vec<String> {
    let [eigen, pgs, schur] = scene.peiret.map(String::from);
    let digits = |t: &str| t.replace(',', "").parse::<f64>().unwrap_or(f64::INFINITY);
    let best = if digits(scene.ms[0]) < digits(scene.ms[1]) { scene.ms[0] } else { scene.ms[1] };
    let mut cells = vec![name(scene), scene.ms[2].into(), best.into(), eigen, pgs, schur];
    let time = |m: &Value, what: &str| number(&m["solve_ms"][what]);
    let (own, ipm) = (&v["solvers"][0], &v["solvers"][1]);
    let baseline = if solved(&v["baseline"]) { time(&v["baseline"], "mean") } else { "".into() };
    cells.extend([baseline, time(&v["oracle"], "mean")]);
    cells.extend(["mean", "p95", "worst"].map(|what| time(own, what)));
    cells.extend([&own["ratio_to_baseline"], &own["ratio_to_oracle"]].map(number));
    cells.push(time(ipm, "mean"));
    cells.extend([&ipm["ratio_to_baseline"], &ipm["ratio_to_oracle"]].map(number));
    cells
}

/// NAME:SIZE as "NAME, size SIZE".
fn name(scene: &Scene) -> String {
    scene.name.replace(':', ", size ")
}

/// Whether a method solved anything.
fn solved(method: &Value) -> bool {
    method["solve_ms"]["worst"].as_f64().is_some_and(|t| t > 0.0)
}

fn mean(method: &Value, what: &str) -> String {
    if solved(method) { number(&method[what]) } else { String::new() }
}

fn share(method: &Value) -> String {
    format!("{:.0} %", 100.0 * method["share_not_converged"].as_f64().unwrap_or(1.0))
}
