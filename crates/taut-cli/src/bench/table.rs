//! The figures as text: one table a scene.

use super::figures::{Document, OracleFigures, SceneFigures, SolverFigures};

/// Titles of the columns after the name of the method.
pub const COLUMNS: [&str; 10] = [
    "outer",
    "inner",
    "factor.",
    "energy J",
    "mean ms",
    "95 % ms",
    "worst ms",
    "/baseline",
    "/oracle",
    "failed",
];

/// All scenes.
pub fn text(document: &Document) -> String {
    let mut text: Vec<String> = document.scenes.iter().map(scene).collect();
    text.push(
        "outer, inner, factor.: means per solve; energy: largest error; /baseline, /oracle: time \
         by theirs;\nfailed: steps not converged (the baseline's are left out of its means)\n"
            .into(),
    );
    text.join("\n")
}

fn scene(s: &SceneFigures) -> String {
    let mut lines = vec![format!("{}: {}\n", s.scene, heading(s))];
    let titles = COLUMNS.map(|c| format!("{c:>9}")).join(" ");
    lines.push(format!("  {:10}{titles}\n", ""));
    for (name, cells) in methods(s) {
        let cells = cells.map(|c| format!("{c:>9}")).join(" ");
        lines.push(format!("  {name:10}{cells}\n"));
    }
    for (name, why) in s.solvers.iter().filter_map(|r| Some((&r.solver, r.refused.as_ref()?))) {
        lines.push(format!("  {name} refused problems: {why}\n"));
    }
    lines.concat()
}

/// Size and condition of a scene's problems, in words.
pub fn heading(s: &SceneFigures) -> String {
    let mut words = vec![
        format!("{} frames", s.frames),
        format!("{} bodies", s.bodies),
        format!("{:.0} rows (at most {})", s.mean_rows, s.max_rows),
        format!("mass ratio {}", thousands(s.mass_ratio)),
        format!("condition number {}", condition(s.condition)),
    ];
    if s.empty_frames > 0 {
        words.push(format!("{} frames without rows", s.empty_frames));
    }
    if s.unconverged_steps > 0 {
        words.push(format!("{} STEPS NOT CONVERGED", s.unconverged_steps));
    }
    words.join(", ")
}

/// Baseline, oracle and solvers with the cells of their row.
pub fn methods(s: &SceneFigures) -> Vec<(&str, [String; 10])> {
    let mut rows = vec![("baseline", solver(&s.baseline)), ("oracle", oracle(&s.oracle))];
    rows.extend(s.solvers.iter().map(|f| (f.solver.as_str(), solver(f))));
    rows
}

fn solver(f: &SolverFigures) -> [String; 10] {
    let failed = match f.not_converged {
        0 => "0".into(),
        n => format!("{n} ({:.0} %)", 100.0 * f.share_not_converged),
    };
    // Nothing was solved: there are no means.
    if f.solve_ms.worst == 0.0 {
        let mut cells = [""; 10].map(|_| "-".to_string());
        cells[9] = failed;
        return cells;
    }
    [
        number(f.outer_iterations),
        number(f.inner_iterations),
        number(f.factorizations),
        format!("{:.0e}", f.max_energy_error),
        number(f.solve_ms.mean),
        number(f.solve_ms.p95),
        number(f.solve_ms.worst),
        f.ratio_to_baseline.map_or("-".into(), number),
        f.ratio_to_oracle.map_or("-".into(), number),
        failed,
    ]
}

fn oracle(f: &OracleFigures) -> [String; 10] {
    let none = || "-".to_string();
    let time = |t: f64| if f.solves > 0 { number(t) } else { none() };
    let (mean, p95, worst) = (f.solve_ms.mean, f.solve_ms.p95, f.solve_ms.worst);
    let ratio = f.ratio_to_baseline.map_or_else(none, number);
    let one = if f.solves > 0 { "1".into() } else { none() };
    let (zero, own) = (none(), one.clone());
    [none(), none(), one, none(), time(mean), time(p95), time(worst), ratio, own, zero]
}

/// Three digits, as short as they go.
pub fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        a if a >= 99.95 => thousands(x),
        a if a >= 9.995 => format!("{x:.1}"),
        a if a >= 0.0995 => format!("{x:.2}"),
        a if a >= 0.000_995 => format!("{x:.4}"),
        _ => format!("{x:.0e}"),
    }
}

/// A whole number with commas.
pub fn thousands(x: f64) -> String {
    let digits = format!("{x:.0}");
    let mut text = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// A condition number, in its order of magnitude.
pub fn condition(c: Option<f64>) -> String {
    match c {
        Some(c) if c.is_finite() => format!("{c:.0e}"),
        Some(_) => "infinite".into(),
        None => "unknown".into(),
    }
}
