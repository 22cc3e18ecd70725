//! The figures of docs/bench/substructuring.md: tables beside those of
//! Peiret19, partitions, scaling.
//!
//! `cargo run --release -p taut-scenes --example substructuring -- PART...`,
//! where a part is `scenes`, `sizes`, `scaling`, `nested`, `cost`, `auto`, or one of these
//! with the scenes whose names begin so: `scaling=bridge`. Tables come with their
//! names, by which `cargo xtask benchmarks substructuring` puts them in place.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod nested;

use std::collections::HashMap;
use std::time::Instant;

use cpu_time::ThreadTime;
use taut::lcp::reference::Baseline;
use taut::lcp::solver::solve;
use taut::lcp::splitting::schur_bpp::{SchurBpp, Settings};
use taut::lcp::splitting::{Partition, Work};
use taut::lcp::{
    Iterate, Judge, Law, Multibody, Operator, Problem, Report, RowState, Solver, SolverConfig,
    Status, Stop,
};

type Failure = Box<dyn std::error::Error>;

/// A scene, the frames skipped and measured, and Peiret19's figures: mean
/// coupling iterations, share at the limit in %, best speed-up over Eigen-BPP.
const SCENES: [(&str, usize, usize, [&str; 3]); 8] = [
    ("tower", 240, 60, ["5.8", "39.2", "3.9"]),
    ("spinner", 60, 30, ["2.1", "0", "16.2"]),
    ("chain", 150, 60, ["4.4", "1.9", "4.7"]),
    ("chain-drop", 30, 10, ["3.2", "2.1", "5.4"]),
    ("rocks", 60, 20, ["6.3", "10.2", "3.2"]),
    ("net-truck:3", 60, 30, ["2.6", "0", "21.1"]),
    ("tandem-cranes", 0, 60, ["2.4", "0.2", "13.9"]),
    ("bridge", 5, 15, ["1", "", ""]),
];
const REPEATS: usize = 2;
/// What answers may differ by, relative to the largest |b|: a thousand times
/// the tolerance, since λ is worse conditioned than w.
const DOUBT: f64 = 1e-6;

struct Frame {
    problem: Problem,
    keys: Vec<u64>,
}

/// What a solver took: the least time of each frame, and the first report.
#[derive(Default)]
struct Record {
    seconds: Vec<f64>,
    reports: Vec<Report>,
    answers: Vec<Iterate>,
}

fn main() -> Result<(), Failure> {
    for part in std::env::args().skip(1) {
        let (part, only) = part.split_once('=').unwrap_or((&part, ""));
        match part {
            "scenes" => scenes(only)?,
            "sizes" => sizes(only)?,
            "scaling" => scaling(only)?,
            "nested" => nested::measure(only)?,
            "cost" => cost()?,
            "auto" => auto(only)?,
            other => return Err(format!("unknown part {other}").into()),
        }
    }
    Ok(())
}

/// Prints a table under its name.
fn table(name: &str, head: &str, rows: &[String]) {
    println!("begin {name}\n{head}\n{}", "|---".repeat(head.matches('|').count() - 1) + "|");
    rows.iter().for_each(|row| println!("{row}"));
    println!("end {name}");
}

/// The problems of a scene, frame by frame.
fn frames(given: &str, skip: usize, count: usize) -> Result<Vec<Frame>, Failure> {
    let (name, size) = given.split_once(':').unwrap_or((given, ""));
    let mut scene = taut_scenes::builtin::find(name)?.file(size.parse().ok()).build()?;
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let mut frames = Vec::new();
    for k in 0..skip + count {
        let _ = scene.step()?;
        if k >= skip {
            let (problem, keys) = (scene.world.problem()?, scene.world.problem_keys());
            frames.push(Frame { problem, keys });
        }
    }
    Ok(frames)
}

/// The start from the answer to the frame before, as in `taut bench`.
fn carried(old: &Iterate, frame: &Frame, before: &HashMap<u64, usize>) -> Iterate {
    if old.lambda.is_empty() {
        return Iterate::default();
    }
    let place = |key: &u64| before.get(key).copied();
    let impulse = |key| place(key).map_or(0.0, |i| old.lambda[i]);
    let mut start = Iterate::from_lambda(frame.keys.iter().map(impulse).collect());
    if old.set.len() == old.lambda.len() {
        let rows = frame.keys.iter().zip(&frame.problem.laws).zip(&frame.problem.b);
        start.set = rows
            .map(|((key, law), &b)| {
                let closes = !matches!(law, Law::Box { .. } if b >= 0.0);
                let new = if closes { RowState::Free } else { RowState::Lower };
                place(key).map_or(new, |i| old.set[i])
            })
            .collect();
    }
    start
}

/// Solves all frames in turn, on so many threads. Times are CPU times on one
/// thread and wall times on several.
fn run(
    solver: &mut dyn Solver,
    frames: &[Frame],
    threads: usize,
    record: &mut Record,
    mut seen: impl FnMut(&Report),
) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let (mut judge, mut iterate, mut before) =
        (Judge::default(), Iterate::default(), HashMap::new());
    let first = record.reports.is_empty();
    for (k, frame) in frames.iter().enumerate() {
        iterate = carried(&iterate, frame, &before);
        let stop = Stop::default();
        let mut go = || {
            let (wall, cpu) = (Instant::now(), ThreadTime::now());
            let report =
                solve(&mut *solver, &frame.problem, &stop, &mut iterate, &mut judge, &mut ());
            (report, if threads > 1 { wall.elapsed() } else { cpu.elapsed() })
        };
        let (report, time) = if threads > 1 { pool.install(go) } else { go() };
        let report = report?;
        seen(&report);
        if first {
            record.reports.push(report);
            record.seconds.push(f64::INFINITY);
            record.answers.push(iterate.clone());
        }
        record.seconds[k] = record.seconds[k].min(time.as_secs_f64());
        before = frame.keys.iter().enumerate().map(|(i, key)| (*key, i)).collect();
    }
    Ok(())
}

fn measured(config: &SolverConfig, frames: &[Frame], repeats: usize) -> Result<Record, Failure> {
    let mut record = Record::default();
    for _ in 0..repeats {
        run(config.build()?.as_mut(), frames, 1, &mut record, |_| {})?;
    }
    Ok(record)
}

impl Record {
    /// Subsystems of the last frame.
    fn parts(&self) -> u32 {
        let of = self.answers.last().and_then(|a| a.subsystems.iter().max());
        of.map_or(0, |m| m + 1)
    }

    /// Mean ms, the cold first frame left out.
    fn ms(&self) -> f64 {
        mean(self.seconds[1..].iter().map(|s| 1e3 * s))
    }

    fn share(&self, what: impl Fn(&Report) -> bool) -> f64 {
        100.0 * mean(self.reports.iter().map(|r| f64::from(u8::from(what(r)))))
    }

    /// Steps solved by coupling within these numbers of iterations, in %.
    fn coupled(&self, from: usize, to: usize) -> f64 {
        self.share(|r| !r.counts.fell_back && (from..=to).contains(&r.counts.iterations))
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = values.fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + v));
    if n > 0.0 { sum / n } else { f64::NAN }
}

const TIMES: &str = "| scene | baseline | `bpp` | `schur_bpp` | `schur_pgs_sm` | `fbic` | `fbic` not converged | speed-up of `bpp` | of `schur_bpp` | of `schur_pgs_sm` | Peiret19, best, six cores | `bpp` / `schur_bpp` | `auto` takes |";
const ITERATIONS: &str = "| scene | Peiret19 mean | mean | 1 | 2 | 3 to 5 | 6 to 10 | more | Peiret19 at the limit % | at 10 or more % | fell back % | not converged % | energy error | difference | index sets that differ |";

/// Peiret19 tables 2 and 3.
fn scenes(only: &str) -> Result<(), Failure> {
    let (mut times, mut iterations) = (Vec::new(), Vec::new());
    for (name, skip, count, paper) in SCENES.into_iter().filter(|s| s.0.starts_with(only)) {
        eprintln!("{name}");
        let frames = frames(name, skip, count)?;
        let mut baseline = Record::default();
        run(&mut Baseline::default(), &frames, 1, &mut baseline, |_| {})?;
        let bpp = measured(&SolverConfig::named("bpp")?, &frames, REPEATS)?;
        let schur = measured(&SolverConfig::named("schur_bpp")?, &frames, REPEATS)?;
        times.push(time(name, &frames, [&baseline, &bpp, &schur], paper[2])?);
        iterations.push(coupling(name, &frames, [&bpp, &schur], paper));
    }
    table("substructuring-times", TIMES, &times);
    table("substructuring-iterations", ITERATIONS, &iterations);
    Ok(())
}

fn time(
    name: &str,
    frames: &[Frame],
    [baseline, bpp, schur]: [&Record; 3],
    paper: &str,
) -> Result<String, Failure> {
    let sweeps = measured(&SolverConfig::named("schur_pgs_sm")?, frames, 1)?;
    let fbic = measured(&SolverConfig::named("fbic")?, frames, 1)?;
    let auto = measured(&SolverConfig::named("auto")?, frames, 1)?;
    // Speed-up over the frames that the baseline solved.
    let solved: Vec<usize> =
        (1..frames.len()).filter(|&k| baseline.reports[k].status == Status::Converged).collect();
    let sum = |r: &Record| solved.iter().map(|&k| r.seconds[k]).sum::<f64>();
    let number = |x: f64, digits: usize| {
        if x.is_finite() { format!("{x:.digits$}") } else { String::new() }
    };
    let speedup = |r: &Record| number(sum(baseline) / sum(r), 1);
    let taken = auto.share(|r| r.choice.method == "schur_bpp");
    let taken = match taken {
        0.0 => "`bpp`".into(),
        100.0 => "`schur_bpp`".into(),
        share => format!("`schur_bpp` in {share:.0} %"),
    };
    Ok(format!(
        "| {name} | {} | {:.2} | {:.2} | {:.2} | {:.1} | {:.0} % | {} | {} | {} | {paper} | {:.2} | {taken} |",
        number(1e3 * sum(baseline) / solved.len() as f64, 2),
        bpp.ms(),
        schur.ms(),
        sweeps.ms(),
        fbic.ms(),
        fbic.share(|r| r.status != Status::Converged),
        speedup(bpp),
        speedup(schur),
        speedup(&sweeps),
        bpp.ms() / schur.ms()
    ))
}

fn coupling(name: &str, frames: &[Frame], [bpp, schur]: [&Record; 2], paper: [&str; 3]) -> String {
    let coupled = schur.reports.iter().filter(|r| !r.counts.fell_back);
    let iterations = mean(coupled.map(|r| r.counts.iterations as f64));
    let iterations =
        if iterations.is_finite() { format!("{iterations:.1}") } else { String::new() };
    let energy = schur.reports.iter().map(|r| r.verdict.energy_error).fold(0.0, f64::max);
    let pairs = || schur.answers.iter().zip(&bpp.answers);
    let apart = pairs().flat_map(|(a, b)| a.w.iter().zip(&b.w)).map(|(a, b)| (a - b).abs());
    let sets: usize =
        frames.iter().zip(pairs()).map(|(f, (a, b))| differing(&f.problem, a, b)).sum();
    format!(
        "| {name} | {} | {iterations} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {} | {:.0} | {:.1} | {:.0} | {energy:.0e} | {:.0e} | {sets} |",
        paper[0],
        schur.coupled(0, 1),
        schur.coupled(2, 2),
        schur.coupled(3, 5),
        schur.coupled(6, 10),
        schur.coupled(11, usize::MAX),
        paper[1],
        schur.coupled(10, usize::MAX) + schur.share(|r| r.counts.fell_back),
        schur.share(|r| r.counts.fell_back),
        schur.share(|r| r.status != Status::Converged),
        apart.fold(0.0, f64::max)
    )
}

/// Rows whose state differs between two answers though both put it beyond
/// doubt: w in the one, or the distance to the bound in the other, is above
/// what the tolerance leaves open.
fn differing(problem: &Problem, a: &Iterate, b: &Iterate) -> usize {
    let mut diagonal = vec![0.0; problem.rows()];
    problem.operator.diagonal(&mut diagonal);
    let tolerance = DOUBT * problem.scale();
    let is_clear = |(i, law): &(usize, &Law), x: &Iterate| {
        let (lo, hi) = law.bounds();
        let inside = (x.lambda[*i] - lo).min(hi - x.lambda[*i]);
        hi > lo && x.w[*i].abs().max(diagonal[*i] * inside) > tolerance
    };
    let differs =
        |row: &(usize, &Law)| a.set[row.0] != b.set[row.0] && is_clear(row, a) && is_clear(row, b);
    problem.laws_by_row().filter(differs).count()
}

/// Peiret19 table 4.
fn sizes(only: &str) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for name in ["tower", "rocks"].into_iter().filter(|name| name.starts_with(only)) {
        let (skip, count) = if name == "tower" { (240, 30) } else { (60, 10) };
        let frames = frames(name, skip, count)?;
        let kinds = |bodies| [Partition::MinimumDegree { bodies }, Partition::Nested { bodies }];
        for partition in [8, 16, 32, 64].into_iter().flat_map(kinds) {
            let settings = Settings { partition, ..Settings::default() };
            let record = measured(&SolverConfig::SchurBpp(settings), &frames, 2)?;
            let of = partition.assign(&frames[0].problem);
            rows.push(format!(
                "| {name} | {partition:?} | {} | {} of {} | {:.2} | {:.1} | {:.0} |",
                of.iter().max().map_or(0, |m| m + 1),
                interface(&frames[0].problem, &of),
                frames[0].problem.rows(),
                record.ms(),
                mean(record.reports.iter().map(|r| r.counts.iterations as f64)),
                record.share(|r| r.counts.fell_back)
            ));
        }
    }
    let head = "| scene | partition | subsystems | interface | ms | iterations | fell back |";
    table("substructuring-sizes", head, &rows);
    Ok(())
}

const SCALING: &str = "| scene | rows | subsystems | `bpp` ms | `schur_bpp` ms, 1 thread | 2 | 4 | `bpp` / `schur_bpp` on 2 | counted gain on 2 | 4 | 8 | 16 |";

/// Wall time on 1, 2 and 4 threads, and what the counts say of more.
fn scaling(only: &str) -> Result<(), Failure> {
    let scenes = [
        ("net-truck:5", 60, 8),
        ("net-truck:8", 40, 6),
        ("spinner", 60, 10),
        ("spinner:96", 60, 6),
        ("tandem-cranes", 20, 20),
        ("tandem-cranes:96", 20, 10),
        ("bridge:64", 5, 8),
        ("bridge:128", 5, 8),
        ("bridge:256", 5, 8),
        ("bridge:500", 5, 8),
    ];
    let mut rows = Vec::new();
    for (name, skip, count) in scenes.into_iter().filter(|s| s.0.starts_with(only)) {
        let frames = frames(name, skip, count)?;
        eprintln!("{name}");
        let (mut best, mut wall): (Record, [Record; 3]) = Default::default();
        let mut work: Vec<Work> = Vec::new();
        let mut parts = 0;
        for _ in 0..8 {
            run(SolverConfig::named("bpp")?.build()?.as_mut(), &frames, 1, &mut best, |_| {})?;
            for (threads, record) in [1, 2, 4].into_iter().zip(&mut wall) {
                let mut solver = SchurBpp::new(Settings::default());
                run(&mut solver, &frames, threads, record, |_| {})?;
                work.push(solver.work().clone());
                parts = record.parts();
            }
        }
        let path = |threads: usize| {
            let total: f64 = work.iter().map(Work::total).sum();
            total / work.iter().map(|w| w.critical_path(threads)).sum::<f64>()
        };
        rows.push(format!(
            "| {name} | {} | {parts} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |",
            frames[0].problem.rows(),
            best.ms(),
            wall[0].ms(),
            wall[1].ms(),
            wall[2].ms(),
            best.ms() / wall[1].ms(),
            path(2),
            path(4),
            path(8),
            path(16)
        ));
    }
    table("substructuring-scaling", SCALING, &rows);
    Ok(())
}

/// Rows on several subsystems.
fn interface(problem: &Problem, of: &[u32]) -> usize {
    let Operator::Multibody(a) = &problem.operator else { return 0 };
    let cut = |i: &usize| a.row(*i).0.windows(2).any(|b| of[b[0] as usize] != of[b[1] as usize]);
    (0..a.rows()).filter(cut).count()
}

/// What partitioning costs: bodies in a cube, five contacts to each.
fn cost() -> Result<(), Failure> {
    let mut rows = Vec::new();
    for side in [10, 16] {
        let mut a = Multibody::default();
        let mut mass = [[0.0; 6]; 6];
        (0..6).for_each(|i| mass[i][i] = 1.0);
        let n = (side * side * side) as u32;
        for _ in 0..n {
            a.push_body(mass)?;
        }
        let row = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let (y, z) = (side as u32, (side * side) as u32);
        for low in 0..n {
            for high in [1, y, z, y + 1, z + y].map(|d| low + d).into_iter().filter(|h| *h < n) {
                for _ in 0..3 {
                    a.push_row(&[(low, row), (high, row)], 1e-9)?;
                }
            }
        }
        let (m, operator) = (a.rows(), Operator::Multibody(a));
        let (b, laws) = (vec![0.0; m], vec![Law::Box { lo: 0.0, hi: f64::INFINITY }; m]);
        let problem = Problem { operator, b, laws };
        for partition in [Partition::MinimumDegree { bodies: 16 }, Partition::Nested { bodies: 16 }]
        {
            let mut best = f64::INFINITY;
            for _ in 0..50 {
                let start = ThreadTime::now();
                std::hint::black_box(partition.assign(&problem));
                best = best.min(start.elapsed().as_secs_f64());
            }
            rows.push(format!("| {n} | {} | {partition:?} | {:.2} |", m / 3, 1e3 * best));
        }
    }
    table("substructuring-cost", "| bodies | contacts | partition | ms |", &rows);
    Ok(())
}

const AUTO: &str = "| scene | size | rows | `bpp` ms | `schur_bpp` ms | `auto` ms | `auto` / `bpp` | worst step | `auto` takes |";
/// Frames of a scene that are measured: the next ones after each of these.
const PLACES: [usize; 3] = [10, 60, 120];
const IN_A_ROW: usize = 6;
/// Steps that take longer are left out, and scenes that take longer to get to
/// the next place.
const LONGEST: f64 = 0.05;
const PATIENCE: f64 = 4.0;
/// Solvers take turns so often, and the least time counts.
const TURNS: usize = 3;

/// What `auto` costs where `bpp` would do, over all scenes, small and as the
/// sources have them.
fn auto(only: &str) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for entry in taut_scenes::builtin::SCENES.iter().filter(|e| e.name.starts_with(only)) {
        let mut sizes = vec![entry.small_size, entry.default_size];
        sizes.dedup();
        for size in sizes {
            eprintln!("{}:{size}", entry.name);
            if let Some(row) = against_bpp(entry.name, size)? {
                rows.push(row);
            }
        }
    }
    table("substructuring-auto", AUTO, &rows);
    Ok(())
}

/// The row of one scene, if it has steps of one island that are short enough.
fn against_bpp(name: &str, size: usize) -> Result<Option<String>, Failure> {
    let mut runs: [Record; 3] = Default::default();
    let (mut most, mut reached) = (0, 0);
    let mut scene = taut_scenes::builtin::find(name)?.file(Some(size)).build()?;
    scene.world.settings_mut().friction = taut::FrictionMode::Box;
    let start = Instant::now();
    for place in PLACES {
        let mut frames = Vec::new();
        while reached < place + IN_A_ROW && start.elapsed().as_secs_f64() < PATIENCE {
            let _ = scene.step()?;
            reached += 1;
            if reached > place {
                let (problem, keys) = (scene.world.problem()?, scene.world.problem_keys());
                most = most.max(problem.rows());
                frames.push(Frame { problem, keys });
            }
        }
        let mut here: [Record; 3] = Default::default();
        let mut solvers = Vec::new();
        for name in ["bpp", "schur_bpp", "auto"] {
            solvers.push(SolverConfig::named(name)?.build()?);
        }
        for _ in 0..TURNS {
            for (solver, record) in solvers.iter_mut().zip(&mut here) {
                run(solver.as_mut(), &frames, 1, record, |_| {})?;
            }
        }
        for (all, here) in runs.iter_mut().zip(here) {
            // The first frame is solved cold.
            all.seconds.extend(here.seconds.into_iter().skip(1));
            all.reports.extend(here.reports.into_iter().skip(1));
        }
    }
    let short: Vec<usize> =
        (0..runs[0].seconds.len()).filter(|&k| runs[0].seconds[k] < LONGEST).collect();
    if short.is_empty() || most == 0 {
        return Ok(None);
    }
    let ms = |r: &Record| 1e3 * mean(short.iter().map(|&k| r.seconds[k]));
    let [bpp, schur, auto] = &runs;
    let ratio = |&k: &usize| auto.seconds[k] / bpp.seconds[k];
    let taken = auto.share(|r| r.choice.method == "schur_bpp");
    Ok(Some(format!(
        "| {name} | {size} | {most} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} | {} |",
        ms(bpp),
        ms(schur),
        ms(auto),
        ms(auto) / ms(bpp),
        short.iter().map(ratio).fold(0.0, f64::max),
        if taken > 0.0 { format!("`schur_bpp` in {taken:.0} %") } else { "`bpp`".into() }
    )))
}
