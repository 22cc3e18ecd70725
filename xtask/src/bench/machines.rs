//! The machines of Lefebvre20: its figures beside our own.
//! Steps are those of the whole 20 s, solves those of 2.5 s in which
//! contacts matter.

use serde_json::{Value, json};

use super::{Tables, estimate, measure, number, share, table, taut};

/// Frames in which solves are measured.
const FRAMES: usize = 150;

struct Machine {
    name: &'static str,
    /// Frames before those.
    skip: usize,
    /// Mass ratio, rows, condition number: table 2.2.
    sizes: [&'static str; 3],
    /// Mean ms of BPP, and of BPP with downdates and skyline: table 2.3.
    ms: [&'static str; 2],
}

const MACHINES: &[Machine] = &[
    Machine { name: "forklift", skip: 480, sizes: ["2,700", "300", "1e8"], ms: ["1.2", "0.8"] },
    Machine {
        name: "mobile-crane",
        skip: 100,
        sizes: ["6,300", "430", "1e9"],
        ms: ["12.4", "3.4"],
    },
    Machine { name: "vehicle", skip: 150, sizes: ["20,000", "260", "1e19"], ms: ["3.0", "2.1"] },
    Machine { name: "offshore", skip: 150, sizes: ["4,400,000", "350", "1e9"], ms: ["6.7", "2.9"] },
    Machine { name: "forwarder", skip: 240, sizes: ["6,500", "250", "1e11"], ms: ["3.1", "2.0"] },
    Machine { name: "winch", skip: 300, sizes: ["400", "370", "1e8"], ms: ["2.0", "1.6"] },
];

/// Measures all machines.
pub fn measure_all(quick: bool) -> Result<Tables, String> {
    let mut measured = Vec::new();
    for machine in MACHINES {
        println!("  {}: 20 s", machine.name);
        let mut run = vec!["run", machine.name, "--json"];
        if quick {
            run.extend(["--frames", "30"]);
        }
        let run = taut(&run)?;
        let (skip, frames) = share(quick, machine.skip, FRAMES);
        let bench = measure(machine.name, skip, frames, "bpp")?;
        measured.push((machine, json!({ "run": run, "bench": bench })));
    }
    Ok(vec![
        ("machines".into(), table(SIZES, &measured, sizes)),
        ("machine-steps".into(), table(STEPS, &measured, steps)),
    ])
}

const SIZES: &[&str] = &[
    "scene",
    "frames measured",
    "mass ratio: Lefebvre20",
    "taut",
    "rows: Lefebvre20",
    "taut, most",
    "condition: Lefebvre20",
    "taut, largest",
    "ms per solve: Lefebvre20 BPP",
    "downdates, skyline",
    "baseline",
    "failed",
    "`bpp`",
    "/baseline",
];

fn sizes(machine: &Machine, v: &Value) -> Vec<String> {
    let bench = &v["bench"];
    let [ratio, rows, condition] = machine.sizes.map(String::from);
    let [own_ratio, own_rows] = [&bench["mass_ratio"], &bench["max_rows"]].map(number);
    let (baseline, bpp) = (&bench["baseline"], &bench["solvers"][0]);
    let failed = 100.0 * baseline["share_not_converged"].as_f64().unwrap_or(1.0);
    let own_condition = estimate(&bench["condition"]);
    let frames = format!("{} to {}", machine.skip + 1, machine.skip + FRAMES);
    let mut cells = vec![machine.name.into(), frames, ratio, own_ratio, rows, own_rows];
    cells.extend([condition, own_condition, machine.ms[0].into(), machine.ms[1].into()]);
    let solved = baseline["solve_ms"]["worst"].as_f64().is_some_and(|ms| ms > 0.0);
    let ms = if solved { number(&baseline["solve_ms"]["mean"]) } else { String::new() };
    cells.extend([ms, format!("{failed:.0} %")]);
    cells.extend([number(&bpp["solve_ms"]["mean"]), number(&bpp["ratio_to_baseline"])]);
    cells
}

const STEPS: &[&str] = &[
    "scene",
    "CPU ms per step: mean",
    "95 %",
    "worst",
    "not converged",
    "penetration, mm",
    "joint gap, mm",
    "bodies that rest",
    "their acceleration, m/s²: median",
    "95 %",
    "worst",
];

fn steps(machine: &Machine, v: &Value) -> Vec<String> {
    let run = &v["run"];
    let thousand = |x: &Value| x.as_f64().map_or(String::new(), |x| number(&json!(1e3 * x)));
    let power = |x: &Value| x.as_f64().map_or(String::new(), |x| format!("{x:.0e}"));
    let mut cells = vec![machine.name.into()];
    cells.extend(["mean", "p95", "worst"].map(|what| number(&run["cpu_ms"][what])));
    cells.push(run["unconverged_steps"].to_string());
    cells.extend([thousand(&run["max_penetration"]), thousand(&run["max_joint_gap"])]);
    let rest = &run["resting"];
    cells.push(rest["bodies"].to_string());
    let figures = ["median_acceleration", "p95_acceleration", "max_acceleration"];
    cells.extend(figures.map(|figure| power(&rest[figure])));
    cells
}
