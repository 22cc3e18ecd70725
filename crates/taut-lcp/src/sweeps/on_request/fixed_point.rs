//! What all sweeps share: which problems they take, and when they stop.

use super::{Rows, Sweep};
use crate::{Counts, Error, Iterate, Operator, Outcome, Probe, Problem, Status, Stop};

/// Refuses what a sweep with relaxation `omega` need not converge on: cones,
/// negative diagonals, rows it cannot divide by, and non-symmetric matrices
/// that are not dominated by their diagonal enough for it.
pub(super) fn accept(solver: &'static str, problem: &Problem, omega: f64) -> Result<(), Error> {
    let refuse = |reason: String| Err(Error::Refused { solver, reason });
    if problem.has_cones() {
        return refuse("it has cones; sweeps handle boxed rows".into());
    }
    let symmetric = problem.operator.is_symmetric();
    for i in 0..problem.rows() {
        let Some((a, others)) = row_sums(&problem.operator, i) else { continue };
        if a < 0.0 {
            return refuse(format!("row {i} has a negative diagonal, {a}"));
        }
        if symmetric && a == 0.0 && others > 0.0 {
            return refuse(format!("row {i} has a zero diagonal, but is not a zero row"));
        }
        // Then |1 − ω| + ω·others/a < 1, a contraction in the maximum norm.
        if !symmetric && omega * others >= omega.min(2.0 - omega) * a {
            return refuse(format!(
                "A is not symmetric, and row {i} is not dominated by its diagonal"
            ));
        }
    }
    Ok(())
}

/// Aᵢᵢ and Σ|Aᵢⱼ| over j ≠ i. `None` for multibody systems, which are
/// symmetric semidefinite by construction: their zero diagonals are zero rows.
pub(super) fn row_sums(operator: &Operator, i: usize) -> Option<(f64, f64)> {
    let (a, sum) = match operator {
        Operator::Dense(a) => (a.get(i, i), a.row(i).iter().map(|x| x.abs()).sum::<f64>()),
        Operator::Sparse(a) => (a.get(i, i), a.row(i).1.iter().map(|x| x.abs()).sum()),
        Operator::General(a) => (a.get(i, i), a.row(i).1.iter().map(|x| x.abs()).sum()),
        Operator::Multibody(_) => return None,
    };
    Some((a, (sum - a.abs()).max(0.0)))
}

/// Sweeps until the exact residual is within tolerance, nothing moves any
/// more, or the limit is reached.
///
/// The residual met during a sweep costs nothing, but belongs to λ half
/// changed: when it is small enough, the exact one decides.
pub(super) fn run(
    rows: &mut Rows,
    problem: &Problem,
    stop: &Stop,
    max_iterations: usize,
    iterate: &mut Iterate,
    probe: &mut dyn Probe,
    mut sweep: impl FnMut(&mut Rows, &mut [f64]) -> Sweep,
) -> Outcome {
    let tolerance = stop.tolerance * problem.scale();
    let limit = stop.max_iterations.unwrap_or(max_iterations);
    let mut counts = Counts::default();
    rows.start(problem, &iterate.lambda);
    if hopeless_row(rows, problem, tolerance, &mut iterate.certificate) {
        return Outcome::new(Status::Infeasible, counts);
    }
    while counts.iterations < limit {
        counts.iterations += 1;
        let seen = sweep(rows, &mut iterate.lambda);
        probe.iteration(counts.iterations, seen.residual);
        if !seen.residual.is_finite() {
            return Outcome::new(Status::NonFinite, counts);
        }
        let stalled = seen.has_stalled();
        if seen.residual <= tolerance || stalled {
            if rows.residual(problem, &iterate.lambda) <= tolerance {
                return Outcome::new(Status::Converged, counts);
            }
            if stalled {
                return Outcome::new(Status::Stalled, counts);
            }
        }
    }
    Outcome::new(Status::IterationLimit, counts)
}

/// A zero row whose constant w pushes λ to an infinite bound proves that no
/// solution exists.
fn hopeless_row(rows: &Rows, problem: &Problem, tolerance: f64, proof: &mut Vec<f64>) -> bool {
    let hopeless = |i: &usize| {
        let (w, lo, hi) = (problem.b[*i], rows.lo[*i], rows.hi[*i]);
        let unbounded = if w > 0.0 { lo } else { hi }.is_infinite();
        rows.diagonal[*i] == 0.0 && w.abs() > tolerance && unbounded
    };
    let Some(i) = (0..problem.rows()).find(hopeless) else { return false };
    proof.clear();
    proof.resize(problem.rows(), 0.0);
    proof[i] = -problem.b[i].signum();
    true
}
