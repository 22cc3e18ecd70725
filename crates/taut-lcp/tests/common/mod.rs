//! What the tests share: running a registry entry, and looking at answers.
#![allow(dead_code)] // each test binary uses a part

use taut_lcp::{Error, Iterate, Operator, Problem, Report, Session, SolverConfig, Stop};

pub const INF: f64 = f64::INFINITY;

/// Solves from a cold start with the default settings of that name.
pub fn run(name: &str, problem: &Problem, stop: &Stop) -> Result<(Report, Iterate), Error> {
    run_config(&SolverConfig::named(name)?, problem, stop)
}

/// Solves from a cold start.
pub fn run_config(
    config: &SolverConfig,
    problem: &Problem,
    stop: &Stop,
) -> Result<(Report, Iterate), Error> {
    let mut session = Session::new(config)?.stop(*stop);
    let report = *session.solve(problem)?.report();
    Ok((report, session.into_iterate()))
}

pub fn diagonal(problem: &Problem) -> Vec<f64> {
    let mut d = vec![0.0; problem.rows()];
    problem.operator.diagonal(&mut d);
    d
}

pub fn apply(operator: &Operator, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    operator.apply(x, &mut out, &mut Vec::new());
    out
}

/// Checks the proof that no solution exists: Ad = 0, bᵀd < 0, no bound stops d.
pub fn check_certificate(problem: &Problem, d: &[f64]) -> Result<(), String> {
    if d.len() != problem.rows() {
        return Err(format!("{} entries, not {}", d.len(), problem.rows()));
    }
    let size = d.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    if !(size.is_finite() && size > 0.0) {
        return Err(format!("direction {d:?}"));
    }
    for (i, law) in problem.laws_by_row() {
        let (lo, hi) = law.bounds();
        let stopped = if d[i] > 0.0 { hi < INF } else { d[i] < 0.0 && lo > -INF };
        if stopped && d[i].abs() > 1e-9 * size {
            return Err(format!("a bound stops row {i} of {d:?}"));
        }
    }
    // With d as above every solution has 0 ≤ wᵀd = λᵀAd + bᵀd, so it is at
    // least −bᵀd/|Ad| long: the proof is as good as that is large, in units
    // where the diagonal of A is one, against the natural length |b|.
    let bd: f64 = problem.b.iter().zip(d).map(|(b, d)| b * d).sum();
    let root = diagonal(problem).into_iter().map(|a| if a > 0.0 { a.sqrt() } else { 1.0 });
    let root: Vec<f64> = root.collect();
    let ad = apply(&problem.operator, d);
    let ad: f64 = ad.iter().zip(&root).map(|(x, r)| (x / r).abs()).sum();
    let b = problem.b.iter().zip(&root).fold(0.0_f64, |s, (b, r)| s.max((b / r).abs()));
    if -bd <= 1e6 * ad * b {
        return Err(format!("b·d = {bd:e}, |Ad| = {ad:e}, |b| = {b:e}"));
    }
    Ok(())
}

/// Largest |x − y|, each row multiplied by its scale.
pub fn distance(x: &[f64], y: &[f64], scale: impl Fn(usize) -> f64) -> f64 {
    let terms = x.iter().zip(y).enumerate().map(|(i, (x, y))| scale(i) * (x - y).abs());
    terms.fold(0.0, |s, d| if d.is_nan() { INF } else { f64::max(s, d) })
}
