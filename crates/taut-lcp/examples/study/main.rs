//! Erleben13's and Andrews22's experiments on this library: figures as SVG files, and the
//! page docs/METHODS.md. `cargo xtask study` runs it; arguments are the folder `docs`, and the line that says where and
//! at which commit this is.
#![allow(clippy::print_stdout, reason = "this is a command for people")]

mod svg;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use svg::{Curve, Scale, pattern, plot};
use taut_lcp::cones::bgs;
use taut_lcp::generate::{
    MultibodyOptions, WallOptions, contact, fluid, multibody, random_pd, random_psd, wall,
};
use taut_lcp::newton::{fischer_newton, min_map_newton};
use taut_lcp::polyhedral::Polyhedral;
use taut_lcp::solver::solve;
use taut_lcp::sweeps::psor;
use taut_lcp::{
    Error, History, Iterate, Judge, Multibody, Operator, Problem, Report, SolverConfig, Status,
    Stop,
};

const HISTORY: [&str; 2] = ["iterations", "relative residual"];
const FALLING: [Scale; 2] = [Scale::Linear, Scale::Log];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
type Make = fn(usize, u64) -> Result<Problem, Error>;
/// File, sizes, generator, methods.
type Kind<'a> = (&'a str, &'a [usize], Make, &'a [&'a str]);

fn main() -> Outcome<()> {
    let docs = std::env::args().nth(1).unwrap_or_else(|| "docs".into());
    let dir = Path::new(&docs).join("study");
    fs::create_dir_all(&dir)?;
    let mut page = fs::read_to_string(Path::new(&docs).join("study/head.md"))
        .map_err(|e| format!("{docs}/study/head.md, the head of the page: {e}"))?;
    if let Some(stamp) = std::env::args().nth(2) {
        writeln!(page, "<!-- begin stamp -->\n{}\n<!-- end stamp -->\n", stamp.trim())?;
    }
    erleben(&dir, &mut page)?;
    andrews(&dir, &mut page)?;
    classes(&mut page)?;
    fs::write(Path::new(&docs).join("METHODS.md"), page)?;
    println!("written: {docs}/METHODS.md and the figures in {docs}/study");
    Ok(())
}

/// A solve, with the residual of every iteration.
fn trace(config: &SolverConfig, p: &Problem, stop: &Stop) -> Result<(Report, History, f64), Error> {
    let mut solver = config.build()?;
    let (mut iterate, mut judge, mut history) =
        (Iterate::default(), Judge::default(), History::default());
    let start = cpu_time::ProcessTime::now();
    let report = solve(solver.as_mut(), p, stop, &mut iterate, &mut judge, &mut history)?;
    Ok((report, history, start.elapsed().as_secs_f64()))
}

fn curve(label: &str, config: &SolverConfig, p: &Problem, limit: usize) -> Result<Curve, Error> {
    let stop = Stop { tolerance: 1e-9, max_iterations: Some(limit) };
    let (report, history, _) = trace(config, p, &stop)?;
    let start = Judge::default().verdict(p, &vec![0.0; p.rows()]).natural_residual;
    // (Some methods end with a step that they do not tell of.)
    let end = (report.counts.iterations, report.verdict.natural_residual);
    let end = Some(end).filter(|_| report.status == Status::Converged);
    let all = [(0, start)].into_iter().chain(history.0.iter().copied()).chain(end);
    let points = all.map(|(k, r)| (k as f64, (r / p.scale()).max(1e-17)));
    Ok((label.into(), points.collect()))
}

fn named(names: &[&str]) -> Result<Vec<(String, SolverConfig)>, Error> {
    names.iter().map(|n| Ok((n.to_string(), SolverConfig::named(n)?))).collect()
}

fn figure(
    dir: &Path,
    page: &mut String,
    file: &str,
    caption: &str,
    configs: &[(String, SolverConfig)],
    p: &Problem,
    limit: usize,
) -> Outcome<()> {
    let curves: Result<Vec<_>, _> =
        configs.iter().map(|(label, c)| curve(label, c, p, limit)).collect();
    fs::write(dir.join(file), plot(&curves?, HISTORY, FALLING))?;
    writeln!(page, "![{caption}](study/{file})\n\n*{caption}*\n")?;
    Ok(())
}

fn erleben(dir: &Path, page: &mut String) -> Outcome<()> {
    writeln!(page, "## Erleben13\n")?;
    let (tank, heap, small) = (fluid(10, 1)?, contact(50, 1)?, contact(30, 1)?);
    fs::write(dir.join("e1a.svg"), pattern(&fluid(6, 1)?))?;
    fs::write(dir.join("e1b.svg"), pattern(&contact(30, 1)?))?;
    writeln!(
        page,
        "![Fluid](study/e1a.svg) ![Contact](study/e1b.svg)\n\n*Figure 1: entries of a fluid matrix (216 rows) and of a contact matrix.*\n"
    )?;
    let fluid_methods =
        named(&["pgs", "psor", "min_map_newton", "fischer_newton", "nncg", "lcp_ipm"])?;
    let caption = "Figure 2 (a): a fluid of 1,000 cells. Linear convergence of sweeps, quadratic of Newton's methods, as in the paper.";
    figure(dir, page, "e2a.svg", caption, &fluid_methods, &tank, 120)?;
    let methods = named(&["min_map_newton", "fischer_newton", "lcp_ipm", "bgs"])?;
    let caption = "Figure 2 (b): a contact LCP of 300 variables. In the paper minimum-map Newton fails; with a raised diagonal it arrives.";
    figure(dir, page, "e2b.svg", caption, &methods, &heap, 60)?;
    use fischer_newton::Kink;
    let kinks = [
        ("perturbation", Kink::Perturbation),
        ("zero", Kink::Zero),
        ("random", Kink::Random { seed: 1 }),
        ("approximation", Kink::Approximation),
    ];
    let kinks = kinks.map(|(label, kink)| {
        let s = fischer_newton::Settings { kink, ..Default::default() };
        (label.to_string(), SolverConfig::FischerNewton(s))
    });
    let caption = "Figure 3 (a): slopes at the kink, fluid of 1,000 cells.";
    figure(dir, page, "e3a.svg", caption, &kinks, &tank, 60)?;
    let caption = "Figure 3 (b): slopes at the kink, contact LCP of 180 variables.";
    figure(dir, page, "e3b.svg", caption, &kinks, &small, 60)?;
    let relaxed = [0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8].map(|relaxation| {
        let s = psor::Settings { relaxation, ..Default::default() };
        (format!("{relaxation}"), SolverConfig::Psor(s))
    });
    let caption = "Figure 4: PSOR on the fluid. The paper finds 1.4 best on its random matrices; on this tank, which is worse conditioned, 1.8 is the best of those tried.";
    figure(dir, page, "e4.svg", caption, &relaxed, &tank, 100)?;
    timings(dir, page)?;
    warm_starts(dir, page)?;
    robustness(page)?;
    Ok(())
}

/// Figure 5: seconds by size.
fn timings(dir: &Path, page: &mut String) -> Outcome<()> {
    let kinds: [Kind; 2] = [
        (
            "e5a.svg",
            &[4, 6, 8, 10, 12],
            fluid,
            &["pgs", "psor", "nncg", "min_map_newton", "fischer_newton", "lcp_ipm", "lemke"],
        ),
        ("e5b.svg", &[10, 20, 40, 80, 120], contact, &["fischer_newton", "lcp_ipm", "lemke"]),
    ];
    let mut growth = Vec::new();
    for (file, sizes, make, names) in kinds {
        let mut curves = Vec::new();
        for (label, config) in named(names)? {
            let mut points = Vec::new();
            for &size in sizes {
                let p = make(size, 1)?;
                let stop = Stop { tolerance: 1e-6, ..Default::default() };
                let times = (0..3).map(|_| trace(&config, &p, &stop).map(|t| t.2));
                let times = times.collect::<Result<Vec<_>, _>>()?;
                let least = times.into_iter().fold(f64::INFINITY, f64::min);
                points.push((p.rows() as f64, least));
            }
            curves.push((label, points));
        }
        fs::write(dir.join(file), plot(&curves, ["variables", "seconds"], [Scale::Log; 2]))?;
        for (label, points) in &curves {
            growth.push((file, label.clone(), exponent(points)));
        }
        let what = if file == "e5a.svg" { "fluid" } else { "contact" };
        writeln!(
            page,
            "![Time, {what}](study/{file})\n\n*Figure 5, {what}: CPU seconds to a relative residual of 1e-6 by variables (least of three). The paper measures ten iterations in Matlab and finds Lemke's cubic growth, too.*\n"
        )?;
    }
    table_3(page, &growth)
}

/// p of time = c nᵖ, from the smallest to the largest size.
fn exponent(points: &[(f64, f64)]) -> f64 {
    match (points.first(), points.last()) {
        (Some(a), Some(b)) => (b.1 / a.1).ln() / (b.0 / a.0).ln(),
        _ => f64::NAN,
    }
}

/// Table 3: the paper's properties, and how the time to the answer grew in figure 5.
fn table_3(page: &mut String, growth: &[(&str, String, f64)]) -> Outcome<()> {
    writeln!(
        page,
        "Table 3: properties as the paper has them (cost of an iteration, or of all pivots, by direct methods on dense matrices), and p of the measured time nᵖ to the answer in figure 5. Sparse factors make the difference. What the paper calls globally convergent is so up to local minima of the merit.\n\n| method | A | cost | rate | globally convergent | fluid | contact |\n|---|---|---|---|---|---|---|"
    )?;
    for (name, matrix, cost, rate, global) in [
        (
            "pgs",
            "symmetric semidefinite (as a splitting: nonzero diagonal)",
            "n",
            "linear",
            "yes (no)",
        ),
        ("psor", "symmetric semidefinite", "n", "linear", "yes"),
        ("lemke", "P-matrix", "2ⁿ", "-", "-"),
        ("min_map_newton", "any", "n³", "quadratic", "yes"),
        ("fischer_newton", "any", "n³", "quadratic", "yes"),
        ("lcp_ipm", "not in the paper", "-", "-", "-"),
        ("nncg", "not in the paper", "-", "-", "-"),
    ] {
        let of = |file: &str| {
            let found = growth.iter().find(|g| g.0 == file && g.1 == name);
            found.map_or("-".into(), |g| format!("{:.1}", g.2))
        };
        let (fluid, contact) = (of("e5a.svg"), of("e5b.svg"));
        writeln!(
            page,
            "| `{name}` | {matrix} | {cost} | {rate} | {global} | {fluid} | {contact} |"
        )?;
    }
    writeln!(page)?;
    Ok(())
}

/// Figure 6: Newton with ten sweeps before it.
fn warm_starts(dir: &Path, page: &mut String) -> Outcome<()> {
    let mut curves = Vec::new();
    for sweeps in [0, 10] {
        let m = min_map_newton::Settings { sweeps, ..Default::default() };
        let f = fischer_newton::Settings { sweeps, ..Default::default() };
        let with = if sweeps == 0 { "without" } else { "with" };
        for (name, config) in [
            ("min map", SolverConfig::MinMapNewton(m)),
            ("Fischer", SolverConfig::FischerNewton(f)),
        ] {
            let mut counts = Vec::new();
            for seed in 0..100 {
                let stop = Stop { tolerance: 1e-2, max_iterations: Some(30) };
                counts.push(trace(&config, &random_pd(100, seed)?, &stop)?.0.counts.iterations);
            }
            let points = counts.iter().enumerate().map(|(k, c)| (k as f64, *c as f64));
            curves.push((format!("{name} {with} sweeps"), points.collect()));
        }
    }
    fs::write(dir.join("e6.svg"), plot(&curves, ["problem", "iterations"], [Scale::Linear; 2]))?;
    writeln!(
        page,
        "![Warm starts](study/e6.svg)\n\n*Figure 6: iterations on 100 dense problems of 100 variables (relative residual 1e-2), without and with ten sweeps first. The paper: at most half.*\n"
    )?;
    Ok(())
}

/// Tables 1 and 2, and zero eigenvalues.
fn robustness(page: &mut String) -> Outcome<()> {
    writeln!(
        page,
        "Tables 1 and 2: 100 problems each. The paper stops at a merit of 1e-3 (absolute); here the natural residual is 1e-3 of max|b| on fluids, which leaves about such a merit, and 1e-6 on contacts, whose degenerate rows would let 1e-3 pass far from the answer. Other figures and tables of this page say their own: the papers have one each, too.\n"
    )?;
    writeln!(
        page,
        "| problem | method | solved | mean | min | max | the paper's mean (min to max), solved |\n|---|---|---|---|---|---|---|"
    )?;
    let rows: [(&str, &str, &str); 8] = [
        ("fluid", "fischer_newton", "5.00 (5 to 5), 100"),
        ("fluid", "min_map_newton", "4.07 (3 to 5), 100"),
        ("fluid", "pgs", "49.38 (9 to 83), 100"),
        ("fluid", "psor", "25.29 (16 to 35), 100"),
        ("fluid", "lcp_ipm", "-"),
        ("contact", "fischer_newton", "14.54 (9 to 26), 100"),
        ("contact", "min_map_newton", "0 (all end in non-descent)"),
        ("contact", "lcp_ipm", "-"),
    ];
    for (kind, name, paper) in rows {
        let tolerance = if kind == "fluid" { 1e-3 } else { 1e-6 };
        let stop = Stop { tolerance, ..Default::default() };
        let config = SolverConfig::named(name)?;
        let mut counts = Vec::new();
        for seed in 0..100 {
            let p = if kind == "fluid" { fluid(10, seed)? } else { contact(30, seed)? };
            let (report, ..) = trace(&config, &p, &stop)?;
            if report.status == Status::Converged {
                counts.push(report.counts.iterations);
            }
        }
        let n = counts.len().max(1) as f64;
        let mean = counts.iter().sum::<usize>() as f64 / n;
        let (min, max) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
        writeln!(
            page,
            "| {kind} | `{name}` | {} | {mean:.2} | {min} | {max} | {paper} |",
            counts.len()
        )?;
    }
    writeln!(
        page,
        "\nShares of zero eigenvalues (dense, 50 rows, 20 problems each, relative residual 1e-6): how the methods end. In the paper both Newton methods end in local minima or non-descent as the share grows, since their matrices become singular. Here they do not: where that happens the diagonal is raised by 1e-10 to 0.1 of its size, as little as gives a descent (`newton/descent.rs`), which is a regular system for every semidefinite A; and b is such that an answer exists, as in the paper.\n"
    )?;
    writeln!(
        page,
        "| share | `min_map_newton` | `fischer_newton` | `lcp_ipm` | `pgs` |\n|---|---|---|---|---|"
    )?;
    for tenths in [0, 2, 4, 6, 8] {
        write!(page, "| 0.{tenths} |")?;
        for (_, config) in named(&["min_map_newton", "fischer_newton", "lcp_ipm", "pgs"])? {
            let mut ends: Vec<(String, usize)> = Vec::new();
            for seed in 0..20 {
                let p = random_psd(50, f64::from(tenths) / 10.0, seed)?;
                let stop = Stop { tolerance: 1e-6, max_iterations: None };
                let end = format!("{:?}", trace(&config, &p, &stop)?.0.status);
                match ends.iter_mut().find(|e| e.0 == end) {
                    Some(e) => e.1 += 1,
                    None => ends.push((end, 1)),
                }
            }
            let ends: Vec<_> = ends.iter().map(|(s, n)| format!("{s} {n}")).collect();
            write!(page, " {} |", ends.join(", "))?;
        }
        writeln!(page)?;
    }
    writeln!(page)?;
    Ok(())
}

fn andrews(dir: &Path, page: &mut String) -> Outcome<()> {
    writeln!(page, "## Andrews22\n")?;
    permutations(dir, page)?;
    orders(dir, page)?;
    let walls = [1, 2, 4, 6, 8].map(|layers| {
        let bricks = wall(&WallOptions { layers, ..Default::default() })?;
        let label = format!("{layers} layer{}", if layers == 1 { "" } else { "s" });
        curve(&label, &SolverConfig::named("bgs")?, &bricks, 400)
    });
    let walls = walls.into_iter().collect::<Result<Vec<_>, _>>()?;
    fs::write(dir.join("a20.svg"), plot(&walls, HISTORY, FALLING))?;
    let caption = "Figure 20, in kind: blocked Gauss-Seidel, a block a contact, on walls with exact cones. As in the paper: linear, with a rate that varies much. (Two layers come to a stand at 4e-9: contacts are redundant, A is singular, and impulses drift along its null space by the same 4e-9 N·s in every sweep, at the same velocities; after 10,000 sweeps they have moved by 2e-5 and the residual is what it was.)";
    writeln!(page, "![{caption}](study/a20.svg)\n\n*{caption}*\n")?;
    let options = MultibodyOptions { links: 20, pile: 6, mass_ratio: 100.0, compliance: 1e-7 };
    let chain = multibody(&options, 2)?;
    let caption =
        "Figure 21, in kind: PGS and PGS-SM, a chain of 20 links (mass ratio 100) and a pile.";
    figure(dir, page, "a21.svg", caption, &named(&["pgs", "pgs_sm"])?, &chain, 400)?;
    let caption = "Figure 22, in kind: PGS and NNCG on the same (an iteration of NNCG is three passes over A).";
    figure(dir, page, "a22.svg", caption, &named(&["pgs", "psor", "nncg"])?, &chain, 1000)?;
    Ok(())
}

/// Figure 16: sweeps for every order of the eight contacts of two boxes, one on the other.
fn permutations(dir: &Path, page: &mut String) -> Outcome<()> {
    let pgs = SolverConfig::named("pgs")?;
    let stop = Stop { tolerance: 1e-4, ..Default::default() };
    let mut counts: Vec<usize> = Vec::new();
    let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
    loop {
        let (report, ..) = trace(&pgs, &two_boxes(&order)?, &stop)?;
        if report.status != Status::Converged {
            return Err(format!("two boxes, order {order:?}: {:?}", report.status).into());
        }
        counts.push(report.counts.iterations);
        // The next permutation.
        let Some(k) = (0..7).rev().find(|&k| order[k] < order[k + 1]) else { break };
        let swap = (k + 1..8).rev().find(|&j| order[j] > order[k]).unwrap_or(k + 1);
        order.swap(k, swap);
        order[k + 1..].reverse();
    }
    let (least, most) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
    let share = |k: usize| {
        let n = counts.iter().filter(|c| **c == k).count();
        (k as f64, 100.0 * n as f64 / counts.len() as f64)
    };
    let shares: Vec<_> = (*least..=*most).map(share).filter(|s| s.1 > 0.0).collect();
    let curves = [("all orders".to_string(), shares)];
    fs::write(
        dir.join("a16.svg"),
        plot(&curves, ["sweeps", "percent of orders"], [Scale::Linear; 2]),
    )?;
    let caption = format!(
        "Figure 16: PGS on two boxes, one on the other, with all {} orders of their eight contacts: from {least} to {most} sweeps to a relative residual of 1e-4. The paper: the best order takes less than half of the worst.",
        counts.len()
    );
    writeln!(page, "![{caption}](study/a16.svg)\n\n*{caption}*\n")?;
    Ok(())
}

/// Two cubes of 1 kg and 1 m, one on the other on the ground: normal rows at four corners each, in this order.
fn two_boxes(order: &[usize; 8]) -> Outcome<Problem> {
    let mut a = Multibody::default();
    for _ in 0..2 {
        let inertia = [1.0, 1.0, 1.0, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 6.0];
        let row = |i: usize| std::array::from_fn(|j| if i == j { inertia[i] } else { 0.0 });
        a.push_body(std::array::from_fn(row))?;
    }
    let mut b = Vec::new();
    for &contact in order {
        let (body, corner) = ((contact / 4) as u32, contact % 4);
        let x = if corner % 2 == 0 { -0.5 } else { 0.5 };
        let y = if corner / 2 == 0 { -0.5 } else { 0.5 };
        // n, and r × n with n = (0, 0, 1).
        let upper = (body, [0.0, 0.0, 1.0, y, -x, 0.0]);
        let lower = (body.wrapping_sub(1), [0.0, 0.0, -1.0, -y, x, 0.0]);
        if body == 0 {
            a.push_row(&[upper], 0.0)?
        } else {
            a.push_row(&[lower, upper], 0.0)?
        };
        // Gravity of a step of 1/60 s; between the boxes it is the same for both.
        b.push(if body == 0 { -9.81 / 60.0 } else { 0.0 });
    }
    Ok(Problem::boxed(Operator::Multibody(a), b, &[0.0; 8], &[f64::INFINITY; 8])?)
}

/// Figure 17: heuristics for the order within a sweep.
fn orders(dir: &Path, page: &mut String) -> Outcome<()> {
    let options = MultibodyOptions { links: 0, pile: 12, mass_ratio: 10.0, compliance: 0.0 };
    let pile = multibody(&options, 1)?;
    let following = pile.clone().following();
    use bgs::Order;
    use psor::Direction;
    let mut curves = Vec::new();
    for (label, direction) in [
        ("forward", Direction::Forward),
        ("backward", Direction::Backward),
        ("symmetric", Direction::Symmetric),
    ] {
        let s = psor::Settings { relaxation: 1.0, direction, ..Default::default() };
        curves.push(curve(label, &SolverConfig::Psor(s), &following, 400)?);
    }
    for (label, order) in [
        ("blocks, from the ground", Order::Layers),
        ("blocks, by residual", Order::Residual),
        ("blocks, random", Order::Random { seed: 1 }),
    ] {
        let s = bgs::Settings { order, ..Default::default() };
        curves.push(curve(label, &SolverConfig::Bgs(s), &pile, 400)?);
    }
    fs::write(dir.join("a17.svg"), plot(&curves, HISTORY, FALLING))?;
    let caption = "Figure 17, in kind: orders within a sweep on a pile of 12 bodies: PGS row by row with bounds that follow the normal impulses, and blocked Gauss-Seidel contact by contact with frozen ones. In the paper the greedy order (by residual) does not fall monotonically, either. The plateau at 1e-2: contacts are redundant, and the friction of one (row 50) grows by the same 9e-4 N·s in every sweep until it meets its bound; only then the residual falls, to 1e-3 after 800 sweeps and 1e-9 after some 6,000.";
    writeln!(page, "![{caption}](study/a17.svg)\n\n*{caption}*\n")?;
    Ok(())
}

/// Every method on a few classes: status, iterations, milliseconds.
fn classes(page: &mut String) -> Outcome<()> {
    let options = MultibodyOptions { links: 10, pile: 20, mass_ratio: 1000.0, compliance: 1e-8 };
    let bodies = multibody(&options, 1)?;
    let cones = wall(&WallOptions { layers: 5, ..Default::default() })?;
    let polyhedral = Polyhedral::new(&cones, 4)?.problem().clone();
    let following = bodies.clone().following();
    let problems = [
        ("fluid, 1,000 rows", fluid(10, 1)?),
        ("dense definite, 100", random_pd(100, 1)?),
        ("dense semidefinite, 60", random_psd(60, 0.5, 1)?),
        ("chain and pile, mass ratio 1,000", bodies),
        ("the same, bounds that follow", following),
        ("wall, exact cones", cones),
        ("wall, polyhedral", polyhedral),
        ("contact LCP, 180", contact(30, 1)?),
    ];
    writeln!(
        page,
        "## Every method on every class\n\nRelative residual 1e-8, cold, default settings but for a limit of 20,000 iterations; iterations and milliseconds of CPU on the machine that wrote this page. A dash: refused. `!`: not solved. (`murty` and `dantzig` pivot row by row and are for small problems: they are shown up to 200 rows. `enumerate` takes 12 rows at most.)\n"
    )?;
    write!(page, "| method |")?;
    problems.iter().try_for_each(|(name, p)| write!(page, " {name} ({} rows) |", p.rows()))?;
    write!(page, "\n|---|")?;
    problems.iter().try_for_each(|_| write!(page, "---|"))?;
    writeln!(page)?;
    for entry in taut_lcp::registry::ENTRIES {
        if entry.name == "enumerate" {
            continue;
        }
        write!(page, "| `{}` |", entry.name)?;
        for (_, p) in &problems {
            if ["murty", "dantzig"].contains(&entry.name) && p.rows() > 200 {
                write!(page, " |")?; // they are for small problems
                continue;
            }
            let stop = Stop { tolerance: 1e-8, max_iterations: Some(20_000) };
            match trace(&SolverConfig::named(entry.name)?, p, &stop) {
                Ok((r, _, seconds)) => {
                    let mark = if r.status == Status::Converged { "" } else { " !" };
                    write!(page, " {}, {:.1} ms{mark} |", r.counts.iterations, 1e3 * seconds)?;
                }
                Err(_) => write!(page, " - |")?,
            }
        }
        writeln!(page)?;
    }
    Ok(())
}
