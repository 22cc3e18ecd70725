//! Solvers side by side on single problems, each from a cold start.

use std::path::Path;

use cpu_time::ProcessTime;
use serde::Serialize;
use taut_lcp::solver::solve;
use taut_lcp::{Error, History, Iterate, Judge, Problem, Status, Stop};

use super::solver::Chosen;
use crate::failure::Failure;
use crate::{Ended, input, output};

/// One solver on one problem.
#[derive(Serialize)]
struct Line {
    problem: String,
    rows: usize,
    solver: String,
    tol: f64,
    /// `None`: refused, for this reason.
    status: Option<Status>,
    refused: Option<String>,
    iterations: usize,
    factorizations: usize,
    relative_residual: f64,
    /// CPU seconds, preparation and judgement included.
    seconds: f64,
    /// Iteration, and the relative residual after it.
    history: Vec<(usize, f64)>,
}

/// Measures, prints.
pub fn run(names: &[String], solvers: &[Chosen], tol: f64, json: bool) -> Result<Ended, Failure> {
    let mut lines = Vec::new();
    for name in names {
        let problem = input::read(Path::new(name))?;
        for chosen in solvers {
            lines.push(line(name, &problem, chosen, tol)?);
        }
    }
    let good = lines.iter().all(|l| l.status == Some(Status::Converged));
    if json {
        output::json(&lines)?;
    } else {
        output::text(&table(&lines, tol))?;
    }
    Ok(if good { Ended::Done } else { Ended::Unconverged })
}

fn line(name: &str, problem: &Problem, chosen: &Chosen, tol: f64) -> Result<Line, Failure> {
    let mut solver = chosen.config.build()?;
    let (mut iterate, mut judge, mut history) =
        (Iterate::default(), Judge::default(), History::default());
    let stop = Stop { tolerance: tol, ..Default::default() };
    let start = ProcessTime::now();
    let result = solve(solver.as_mut(), problem, &stop, &mut iterate, &mut judge, &mut history);
    let seconds = start.elapsed().as_secs_f64();
    let mut line = Line {
        problem: name.into(),
        rows: problem.rows(),
        solver: chosen.label.clone(),
        tol,
        status: None,
        refused: None,
        iterations: 0,
        factorizations: 0,
        relative_residual: f64::INFINITY,
        seconds,
        history: history.0.iter().map(|&(k, r)| (k, r / problem.scale())).collect(),
    };
    match result {
        Ok(report) => {
            line.status = Some(report.status);
            line.iterations = report.counts.iterations;
            line.factorizations = report.counts.factorizations;
            line.relative_residual = report.verdict.relative_residual;
        }
        Err(Error::Refused { reason, .. }) => line.refused = Some(reason),
        Err(e) => return Err(e.into()),
    }
    Ok(line)
}

fn table(lines: &[Line], tol: f64) -> String {
    let mut text = format!(
        "relative residual to reach: {tol:e}\n\
         problem                  rows  solver             status          iterations  residual     CPU ms\n"
    );
    for l in lines {
        let status = l.status.map_or("refused".into(), |s| format!("{s:?}"));
        text += &format!(
            "{:<22} {:>6}  {:<17}  {status:<14} {:>11}  {:>8.1e} {:>10.2}\n",
            l.problem,
            l.rows,
            l.solver,
            l.iterations,
            l.relative_residual,
            1e3 * l.seconds
        );
        if let Some(reason) = &l.refused {
            text += &format!("    {reason}\n");
        }
    }
    text
}
