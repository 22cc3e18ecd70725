//! The machines of Lefebvre20 in BENCHMARKS.md: its figures beside our own,
//! over their whole 20 s.

use serde_json::{Value, json};

use crate::Outcome;
use crate::benchmarks::{estimate, number, table, taut, write_tables};

struct Machine {
    name: &'static str,
    /// Mass ratio, rows, condition number: table 2.2.
    sizes: [&'static str; 3],
    /// Mean ms of BPP, and of BPP with downdates and skyline: table 2.3.
    ms: [&'static str; 2],
}

const MACHINES: &[Machine] = &[
    Machine { name: "forklift", sizes: ["2,700", "300", "1e8"], ms: ["1.2", "0.8"] },
    Machine { name: "mobile-crane", sizes: ["6,300", "430", "1e9"], ms: ["12.4", "3.4"] },
    Machine { name: "vehicle", sizes: ["20,000", "260", "1e19"], ms: ["3.0", "2.1"] },
    Machine { name: "offshore", sizes: ["4,400,000", "350", "1e9"], ms: ["6.7", "2.9"] },
    Machine { name: "forwarder", sizes: ["6,500", "250", "1e11"], ms: ["3.1", "2.0"] },
    Machine { name: "winch", sizes: ["400", "370", "1e8"], ms: ["2.0", "1.6"] },
];

/// Measures all machines and rewrites their tables.
pub fn write() -> Outcome {
    let mut measured = Vec::new();
    for machine in MACHINES {
        println!("{}: 20 s", machine.name);
        let run = taut(&["run", machine.name, "--json"])?;
        let frames = run["frames"].to_string();
        let solvers = ["bench", "--json", "--solvers", "bpp", "--frames", &frames, "--scenes"];
        let bench = taut(&[&solvers[..], &[machine.name]].concat())?["scenes"][0].clone();
        measured.push((machine, json!({ "run": run, "bench": bench })));
    }
    write_tables(&[
        ("machines", table(SIZES, &measured, sizes)),
        ("machine-steps", table(STEPS, &measured, steps)),
    ])
}

const SIZES: &[&str] = &[
    "scene",
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
    let mut cells = vec![machine.name.into(), ratio, own_ratio, rows, own_rows];
    cells.extend([condition, own_condition, machine.ms[0].into(), machine.ms[1].into()]);
    cells.extend([number(&baseline["solve_ms"]["mean"]), format!("{failed:.0} %")]);
    cells.extend([number(&bpp["solve_ms"]["mean"]), number(&bpp["ratio_to_baseline"])]);
    cells
}

const STEPS: &[&str] = &[
    "scene",
    "CPU ms per step",
    "step ms: mean",
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
    let mut cells = vec![machine.name.into(), thousand(&run["cpu_seconds_per_frame"])];
    cells.extend(["mean", "p95", "worst"].map(|what| number(&run["step_ms"][what])));
    cells.push(run["unconverged_steps"].to_string());
    cells.extend([thousand(&run["max_penetration"]), thousand(&run["max_joint_gap"])]);
    let rest = &run["resting"];
    cells.push(rest["bodies"].to_string());
    let figures = ["median_acceleration", "p95_acceleration", "max_acceleration"];
    cells.extend(figures.map(|figure| power(&rest[figure])));
    cells
}
