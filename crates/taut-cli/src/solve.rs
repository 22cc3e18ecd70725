//! `taut solve`: one problem, one solver, one judged answer.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use cpu_time::ProcessTime;
use serde::Serialize;
use taut_lcp::io::matrix_market;
use taut_lcp::polyhedral::Polyhedral;
use taut_lcp::{Backend, Iterate, Problem, Report, Session, Softening, SolverConfig, Status, Stop};

use crate::failure::Failure;
use crate::{Ended, input, output};

/// What the statuses mean, at the end of the help.
const STATUSES: &str = "\
The problem: find lo <= x <= hi such that w = A x + b has w >= 0 where x = lo, w <= 0 where x = hi, and w = 0 between; \
on the rows of a cone, Coulomb's law.

Status, the exit status being 0 for Converged and 1 else:
  Converged       the relative natural residual is within the tolerance
  Infeasible      there is no answer; a direction that proves it is in --json as \"certificate\"
  Ray             Lemke's path went to infinity, which proves nothing for this matrix
  IterationLimit  out of iterations
  Stalled         no further progress at this precision
  LocalMinimum    the merit function has a minimum here, and it is no answer
  NonDescent      no direction lowers the merit function
  Diverged        iterates or residuals grow without end
  Cycling         an index set came back
  Singular        a linear system of the method could not be solved
  NonFinite       NaN or infinity turned up
The natural residual, laws.json and the certificate are defined in docs/SOLVERS.md.";

/// What to solve, and how.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
pub struct Args {
    /// A folder with A.mtx, b.mtx, lo.mtx and hi.mtx (and laws.json, which names the rows that are
    /// cones), an FCLIB file (.hdf5), or a generated problem such as multibody:100 (`taut list` shows them).
    problem: PathBuf,
    /// Solver; `taut list` shows them all.
    #[arg(long, default_value = "auto")]
    solver: String,
    /// Relative natural residual to reach, at least 0: how far the row that is farthest off is from its
    /// law, divided by max|b|.
    #[arg(long, default_value = "1e-9", value_parser = tolerance, allow_negative_numbers = true)]
    tol: f64,
    /// Iteration limit [default: the solver's own].
    #[arg(long)]
    max_iterations: Option<usize>,
    /// Turn Coulomb's cones into polyhedra of so many directions first, 3 to 64.
    #[arg(long, value_name = "K")]
    polyhedral: Option<usize>,
    /// Solve so often, each time with a new solver from a cold start, and report
    /// the least times: what a solve costs once the process is warm.
    #[arg(long, value_name = "N", default_value_t = NonZero::<u32>::MIN)]
    repeats: NonZero<u32>,
    /// Write the impulses to this Matrix Market file.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print one JSON document; with the status Infeasible it has the proof.
    #[arg(long)]
    json: bool,
}

/// A tolerance of the command line.
pub fn tolerance(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|t| t.is_finite() && *t >= 0.0);
    value.ok_or_else(|| "expected a finite number, at least 0".into())
}

/// The fields of the JSON document. Figures that are not finite become null.
#[derive(Serialize)]
struct Answer {
    problem: String,
    rows: usize,
    form: &'static str,
    solver: &'static str,
    status: Status,
    iterations: usize,
    inner_iterations: usize,
    factorizations: usize,
    pivots: usize,
    fell_back: bool,
    backend: Option<Backend>,
    /// What did the work, and why.
    choice: String,
    natural_residual: f64,
    relative_residual: f64,
    worst_row: usize,
    energy_error: f64,
    energy_error_mean: f64,
    energy_error_sum: f64,
    bound_violation: f64,
    friction_gap: f64,
    /// Compliance that was added to cones, and the residual with it.
    softening: Option<Softening>,
    tol: f64,
    /// Number of solves; the times below are the least of them.
    repeats: u32,
    /// CPU time of checks, prepare, run and judge; reading excluded.
    solve_seconds: f64,
    wall_seconds: f64,
    /// CPU time of the first solve, which finds caches and memory cold.
    first_seconds: f64,
    out: Option<String>,
    /// Of an infeasible problem: the direction that proves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Vec<f64>>,
}

/// Reads, solves, writes, reports.
pub fn run(args: &Args) -> Result<Ended, Failure> {
    let config = SolverConfig::named(&args.solver)?;
    config.build()?; // Refused before a large file is read.
    let mut problem = input::read(&args.problem)?;
    if let Some(directions) = args.polyhedral {
        problem = Polyhedral::new(&problem, directions)?.problem().clone();
    }
    let (mut report, mut iterate, mut times) = solve_once(args, &config, &problem)?;
    for _ in 1..args.repeats.get() {
        let again;
        (report, iterate, again) = solve_once(args, &config, &problem)?;
        times.cpu = times.cpu.min(again.cpu);
        times.wall = times.wall.min(again.wall);
    }
    if let Some(path) = &args.out {
        matrix_market::write_vector(path, &iterate.lambda).map_err(|e| {
            Failure::new(e.to_string(), "--out needs a file in a folder that can be written to")
        })?;
    }
    let answer = answer(args, &problem, &report, iterate, &times);
    if args.json {
        output::json(&answer)?;
    } else {
        output::text(&table(&answer))?;
    }
    Ok(if report.status == Status::Converged { Ended::Done } else { Ended::Unconverged })
}

/// Seconds of solves: the first, and the least.
struct Times {
    first: f64,
    cpu: f64,
    wall: f64,
}

/// One solve from a cold start, with a solver that has seen nothing.
fn solve_once(
    args: &Args,
    config: &SolverConfig,
    problem: &Problem,
) -> Result<(Report, Iterate, Times), Failure> {
    let stop = Stop { tolerance: args.tol, max_iterations: args.max_iterations };
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let mut session = Session::new(config)?.stop(stop);
    let report = *session.solve(problem)?.report();
    let (cpu, wall) = (cpu.elapsed().as_secs_f64(), wall.elapsed().as_secs_f64());
    Ok((report, session.into_iterate(), Times { first: cpu, cpu, wall }))
}

fn answer(
    args: &Args,
    problem: &Problem,
    report: &Report,
    iterate: Iterate,
    times: &Times,
) -> Answer {
    let (counts, verdict) = (&report.counts, &report.verdict);
    Answer {
        problem: args.problem.display().to_string(),
        rows: problem.rows(),
        form: problem.operator.form(),
        solver: report.solver,
        status: report.status,
        iterations: counts.iterations,
        inner_iterations: counts.inner,
        factorizations: counts.factorizations,
        pivots: counts.pivots,
        fell_back: counts.fell_back,
        backend: report.choice.backend,
        choice: report.choice.to_string(),
        natural_residual: verdict.natural_residual,
        relative_residual: verdict.relative_residual,
        worst_row: verdict.worst_row,
        energy_error: verdict.energy_error,
        energy_error_mean: verdict.energy_error_mean,
        energy_error_sum: verdict.energy_error_sum,
        bound_violation: verdict.bound_violation,
        friction_gap: verdict.friction_gap,
        softening: report.softening,
        tol: args.tol,
        repeats: args.repeats.get(),
        solve_seconds: times.cpu,
        wall_seconds: times.wall,
        first_seconds: times.first,
        out: args.out.as_ref().map(|p| p.display().to_string()),
        certificate: (report.status == Status::Infeasible).then_some(iterate.certificate),
    }
}

fn table(a: &Answer) -> String {
    let mut lines = vec![
        ("problem", format!("{} ({} rows, {})", a.problem, a.rows, a.form)),
        ("solver", format!("{} -> {}", a.solver, a.choice)),
        ("status", format!("{:?}", a.status)),
        ("iterations", a.iterations.to_string()),
    ];
    if a.factorizations > 0 {
        lines.push(("factorizations", a.factorizations.to_string()));
    }
    lines.extend([
        ("natural residual", format!("{:.2e} m/s", a.natural_residual)),
        ("relative residual", format!("{:.2e} (tolerance {:e})", a.relative_residual, a.tol)),
        ("energy error", format!("{:.2e} J", a.energy_error)),
        ("CPU time", seconds(a.solve_seconds)),
        ("wall time", seconds(a.wall_seconds)),
    ]);
    if let Some(s) = &a.softening {
        let text =
            format!("{:.0e} of the diagonal (residual {:.2e})", s.compliance, s.relative_residual);
        lines.push(("solved with compliance", text));
    }
    if a.certificate.is_some() {
        lines.push(("proof", "a direction that --json shows as \"certificate\"".into()));
    }
    if let Some(path) = &a.out {
        lines.push(("written to", path.clone()));
    }
    let width = lines.iter().map(|l| l.0.len()).max().unwrap_or(0);
    lines.iter().map(|(name, value)| format!("{name:width$}  {value}\n")).collect()
}

/// A time with three digits and a fitting unit.
fn seconds(s: f64) -> String {
    match s {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.1 => format!("{:.0} ms", 1e3 * s),
        s if s >= 1e-3 => format!("{:.2} ms", 1e3 * s),
        s => format!("{:.0} us", 1e6 * s),
    }
}
