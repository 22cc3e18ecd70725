//! Friction and rolling, each with a disc of its own ([`Law::RollingCone`]), as two cones of
//! three rows.
//!
//! **Problem**: |λ_t| ≤ μλₙ and |λ_r| ≤ ρλₙ: the intersection of two cones, which is no
//! second-order cone, so that the methods of this folder do not know it.
//! **Update**: the normal is written twice, λₙ = (n + n′)/2, with a joint that keeps both equal:
//! (n, t1, t2) and (n′, r1, r2) are Coulomb cones, w_n = uₙ/2 + κs, w_n′ = uₙ/2 − κs and
//! w_s = κ(n′ − n) = 0. The multiplier s shares uₙ among both, as the dual of an intersection is
//! the sum of the duals, so the laws say the same. Its terms are skew: A keeps a semidefinite
//! symmetric part. The method at hand solves that problem, the judge the one that was posed.
//! **Cost**: seven rows a contact in place of five, and A entry by entry.
//! **Fails** where the method fails. Memory is asked for in every solve.
//! **Reference**: Acary and Bourrier 2021, Coulomb friction with rolling resistance as a cone
//! complementarity problem.

use super::model::LEAST_KAPPA;
use crate::free_solve::Dual;
use crate::residual::Judge;
use crate::solver::settle;
use crate::{
    Error, General, Iterate, Law, Operator, Outcome, Probe, Problem, Solver, Status, Stop,
};

/// Rows that one rolling contact becomes.
const LIFTED: usize = 7;
/// The two cones are solved to this share of the tolerance, then to the square of it: what both
/// normals differ by counts in the problem as posed, too.
const SHARE: f64 = 0.1;
const ATTEMPTS: i32 = 3;

/// Whether some contact has rolling with a disc of its own.
pub(super) fn rolls(problem: &Problem) -> bool {
    problem.laws.iter().any(|law| matches!(law, Law::RollingCone { .. }))
}

/// Refuses them.
pub(super) fn refuse(solver: &'static str, problem: &Problem) -> Result<(), Error> {
    match problem.laws_by_row().find(|(_, law)| matches!(law, Law::RollingCone { .. })) {
        Some((row, _)) => {
            let reason = format!(
                "row {row} begins a rolling contact; cone_newton, cone_ipm and bgs are for those"
            );
            Err(Error::Refused { solver, reason })
        }
        None => Ok(()),
    }
}

/// Solves the problem by the two cones of each rolling contact.
pub(super) fn run(
    solver: &mut dyn Solver,
    problem: &Problem,
    stop: &Stop,
    iterate: &mut Iterate,
    probe: &mut dyn Probe,
) -> Outcome {
    let lifted = match Lifted::new(problem) {
        Ok(lifted) => lifted,
        Err(_) => return Outcome::new(Status::NonFinite, Default::default()),
    };
    let mut inner = Iterate::from_lambda(lifted.lift(&iterate.lambda));
    let mut counts = crate::Counts::default();
    let mut judge = Judge::default();
    let mut tolerance = stop.tolerance;
    let mut outcome = Outcome::new(Status::Stalled, counts);
    for _ in 0..ATTEMPTS {
        tolerance *= SHARE;
        let verdict = judge.verdict(&lifted.problem, &inner.lambda);
        inner.w.clear();
        inner.w.extend_from_slice(judge.velocities());
        let left = Stop { tolerance, ..stop.after(counts.iterations) };
        if !verdict.converged(tolerance) {
            if left.max_iterations == Some(0) {
                outcome.status = Status::IterationLimit;
                break;
            }
            solver.prepare(&lifted.problem);
            outcome = solver.run(&lifted.problem, &left, &mut inner, probe);
            counts.add(&outcome.counts);
        }
        lifted.lower(&inner.lambda, &mut iterate.lambda);
        if judge.verdict(problem, &iterate.lambda).converged(stop.tolerance) {
            outcome.status = Status::Converged;
            break;
        }
        if outcome.status != Status::Converged {
            break;
        }
    }
    iterate.set.clear();
    settle(problem, iterate);
    Outcome { counts, ..outcome }
}

/// The problem with two cones a rolling contact.
struct Lifted {
    problem: Problem,
    /// Per row of the problem as posed: the one or two rows that it became, and how much of
    /// theirs it is.
    rows: Vec<[(usize, f64); 2]>,
    /// A is divided by it, impulses are multiplied: then w_s is a velocity like all w.
    unit: f64,
}

impl Lifted {
    fn new(problem: &Problem) -> Result<Self, Error> {
        let mut diagonal = vec![0.0; problem.rows()];
        problem.operator.diagonal(&mut diagonal);
        let normals = problem.laws_by_row().filter(|(_, law)| law.is_cone());
        let unit = normals.fold(0.0_f64, |most, (row, _)| most.max(diagonal[row]));
        let unit = if unit > 0.0 && unit.is_finite() { unit } else { 1.0 };
        let (mut rows, mut laws) = (Vec::with_capacity(problem.rows()), Vec::new());
        let (mut b, mut entries, mut next) = (Vec::new(), Vec::new(), 0);
        for (row, law) in problem.laws_by_row() {
            let at = |k: usize| next + k;
            if let Law::RollingCone { mu, rolling, associated } = *law {
                // Rolling rows are brought to the size of sliding ones.
                let turn = if mu > 0.0 && rolling > 0.0 { rolling / mu } else { 1.0 };
                let second = rolling / turn;
                rows.push([(at(0), 0.5), (at(3), 0.5)]);
                for (k, share) in [(1, 1.0), (2, 1.0), (4, turn), (5, turn)] {
                    rows.push([(at(k), share), (usize::MAX, 0.0)]);
                }
                let of = &problem.b[row..row + 5];
                let normal = 0.5 * of[0];
                b.extend([normal, of[1], of[2], normal, turn * of[3], turn * of[4], 0.0]);
                laws.extend([Law::cone(&[mu, mu], associated)]);
                laws.extend([Law::cone(&[second, second], associated), Law::Bilateral]);
                let kappa = mu.max(LEAST_KAPPA);
                entries.extend([(at(0), at(6), kappa), (at(3), at(6), -kappa)]);
                entries.extend([(at(6), at(0), -kappa), (at(6), at(3), kappa)]);
                next += LIFTED;
            } else {
                let many = law.rows();
                rows.extend((0..many).map(|k| [(at(k), 1.0), (usize::MAX, 0.0)]));
                b.extend_from_slice(&problem.b[row..row + many]);
                laws.push(*law);
                next += many;
            }
        }
        for law in &mut laws {
            match law {
                Law::Box { lo, hi } => (*lo, *hi) = (unit * *lo, unit * *hi),
                Law::FrictionBox { normal, bound, .. } => {
                    (*normal, *bound) = (rows[*normal][0].0, unit * *bound);
                }
                _ => {}
            }
        }
        each_entry(problem, |i, j, value| {
            for (row, left) in parts(&rows[i]) {
                for (column, right) in parts(&rows[j]) {
                    entries.push((row, column, left * value * right / unit));
                }
            }
        })?;
        let operator = Operator::General(General::from_triplets(next, &entries)?);
        Ok(Lifted { problem: Problem::new(operator, b, laws)?, rows, unit })
    }

    fn lift(&self, lambda: &[f64]) -> Vec<f64> {
        let mut inner = vec![0.0; self.problem.rows()];
        for (of, lambda) in self.rows.iter().zip(lambda) {
            // (Both halves of a normal are as large as it is.)
            let both = of[1].0 != usize::MAX;
            for (row, share) in parts(of) {
                inner[row] = self.unit * if both { *lambda } else { lambda / share };
            }
        }
        inner
    }

    fn lower(&self, inner: &[f64], lambda: &mut [f64]) {
        for (of, lambda) in self.rows.iter().zip(lambda) {
            *lambda = parts(of).map(|(row, share)| share * inner[row] / self.unit).sum();
        }
    }
}

fn parts(of: &[(usize, f64); 2]) -> impl Iterator<Item = (usize, f64)> {
    of.iter().copied().filter(|(row, _)| *row != usize::MAX)
}

/// The entries of A, one after the other.
fn each_entry(problem: &Problem, mut see: impl FnMut(usize, usize, f64)) -> Result<(), Error> {
    let mut sparse = |a: &crate::Sparse| {
        for i in 0..a.rows() {
            let (columns, values) = a.row(i);
            columns.iter().zip(values).for_each(|(&j, &v)| see(i, j as usize, v));
        }
    };
    match &problem.operator {
        Operator::Sparse(a) => sparse(a),
        Operator::Multibody(_) => {
            let mut dual = Dual::default();
            dual.form(problem);
            dual.assemble(problem);
            let a = dual.matrix().ok_or_else(|| Error::Matrix("A could not be formed".into()))?;
            sparse(a);
        }
        Operator::Dense(a) => {
            for i in 0..a.rows() {
                let row = a.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
                row.for_each(|(j, &v)| see(i, j, v));
            }
        }
        Operator::General(a) => {
            for i in 0..a.rows() {
                let (columns, values) = a.row(i);
                columns.iter().zip(values).for_each(|(&j, &v)| see(i, j as usize, v));
            }
        }
    }
    Ok(())
}
