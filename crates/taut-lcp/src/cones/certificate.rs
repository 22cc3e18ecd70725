//! The proof that a problem with cones has no solution.
//!
//! A direction d along which no law stops λ, with Ad = 0 and bᵀd < 0; `proof.rs` says why that is one.
//!
//! Two directions are tried. The answer of a slightly softer problem, which grows without end as
//! the compliance falls: its growth is d where the problem is convex, but for what lies outside the null space of A, which
//! is subtracted. And, for Coulomb's law, the
//! certificate of the same problem without friction, from block pivoting: without tangents d is
//! one of both problems or of none. **Cost**: a solve with boxes, where all else has failed.
//! Problems without symmetry get none.

use crate::free_solve::{Breakdown, FreeSolve};
use crate::pivoting::bpp::{Bpp, Settings};
use crate::pivoting::certificate::ATTEMPTS;
use crate::pivoting::face::constants::SHIFT;
use crate::proof::Proof;
use crate::residual::length;
use crate::solver::solve;
use crate::{Error, Iterate, Judge, Law, Operator, Problem, RowState, Sparse, Status, Stop};

/// Looks for a certificate, and leaves it in the iterate, whose λ may be the answer of a softer
/// problem.
pub(super) fn find(problem: &Problem, softened: bool, iterate: &mut Iterate) -> bool {
    if !problem.has_cones() || !problem.operator.is_symmetric() {
        return false;
    }
    let Ok(without) = frictionless(problem) else { return false };
    let Iterate { lambda, certificate, .. } = iterate;
    certificate.clear();
    if softened {
        certificate.extend_from_slice(lambda);
        for _ in 0..ATTEMPTS {
            keep_open(problem, certificate);
            if proves(problem, certificate) {
                return true;
            }
            if polish(&without, certificate).is_err() {
                break;
            }
        }
    }
    certificate.clear();
    let mut answer = Iterate::default();
    let stop = Stop::default();
    let mut bpp = Bpp::new(Settings::default());
    let report = solve(&mut bpp, &without, &stop, &mut answer, &mut Judge::default(), &mut ());
    if report.is_ok_and(|r| r.status == Status::Infeasible) && proves(problem, &answer.certificate)
    {
        certificate.extend_from_slice(&answer.certificate);
        return true;
    }
    false
}

/// Subtracts from d what lies outside the null space of A.
fn polish(problem: &Problem, d: &mut [f64]) -> Result<(), Breakdown> {
    let m = problem.rows();
    let state = |d: &f64| if *d == 0.0 { RowState::Lower } else { RowState::Free };
    let set: Vec<RowState> = d.iter().map(state).collect();
    let (mut ad, mut step, mut shift) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    problem.operator.diagonal(&mut shift);
    shift.iter_mut().for_each(|a| *a = if *a > 0.0 { SHIFT * *a } else { SHIFT });
    let mut free = FreeSolve::new(None);
    free.prepare(problem);
    free.factor(problem, &set, &shift)?;
    for _ in 0..2 {
        problem.operator.apply_twofold(d, &[], &mut ad, &mut Vec::new());
        free.solve(problem, &ad, &mut step);
        d.iter_mut().zip(&step).for_each(|(d, s)| *d -= s);
    }
    Ok(())
}

/// Drops what a law stops, and scales to a length of one.
fn keep_open(problem: &Problem, d: &mut [f64]) {
    for (i, law) in problem.laws_by_row() {
        let rows = i..i + law.rows();
        if !law.is_cone() {
            let (lo, hi) = law.bounds();
            let closed = lo.is_finite() && hi.is_finite();
            if closed || d[i] < 0.0 && lo.is_finite() || d[i] > 0.0 && hi.is_finite() {
                d[i] = 0.0;
            }
            continue;
        }
        d[i] = d[i].max(0.0);
        match law.coefficients() {
            Some((mu, true)) => {
                let part = |(l, mu): (&f64, &f64)| if *mu > 0.0 { l / mu } else { 0.0 };
                let mut y = [0.0; crate::MOST_TANGENTS];
                y.iter_mut().zip(d[i + 1..].iter().zip(mu).map(part)).for_each(|(y, x)| *y = x);
                let size = length(&y);
                let shrink = if size > d[i] { d[i] / size } else { 1.0 };
                (0..mu.len()).for_each(|k| d[i + 1 + k] = shrink * mu[k] * y[k]);
            }
            _ => d[rows].iter_mut().skip(1).for_each(|d| *d = 0.0),
        }
    }
    let size = d.iter().fold(0.0_f64, |s, d| s.max(d.abs()));
    if size > 0.0 && size.is_finite() {
        d.iter_mut().for_each(|d| *d /= size);
    }
}

/// Whether no solution exists because of d.
fn proves(problem: &Problem, d: &[f64]) -> bool {
    let (mut y, mut diagonal) = (vec![0.0; d.len()], vec![0.0; d.len()]);
    problem.operator.diagonal(&mut diagonal);
    Proof::of(problem, &diagonal, d, &mut y, &mut Vec::new()).holds()
}

/// The problem with the normals of its cones alone.
fn frictionless(problem: &Problem) -> Result<Problem, Error> {
    let mut laws = Vec::with_capacity(problem.rows());
    for law in &problem.laws {
        let (lo, hi) = law.bounds();
        laws.push(if *law == Law::Bilateral { *law } else { Law::Box { lo, hi } });
        laws.extend((1..law.rows()).map(|_| Law::Box { lo: 0.0, hi: 0.0 }));
    }
    let operator = match &problem.operator {
        Operator::General(a) => {
            let mut lower = Vec::with_capacity(a.entries());
            for i in 0..a.rows() {
                let (columns, values) = a.row(i);
                let row = columns.iter().zip(values).map(|(&j, &v)| (i, j as usize, v));
                lower.extend(row.filter(|(i, j, _)| j <= i));
            }
            Operator::Sparse(Sparse::from_lower_triplets(a.rows(), &lower)?)
        }
        operator => operator.clone(),
    };
    Problem::new(operator, problem.b.clone(), laws)
}
