//! Sweeps whose friction follows its normal impulses: the cheap way to a few digits.
//!
//! **Problem**: a multibody system with joints, boxes, friction boxes and Coulomb cones that are
//! not associated.
//! **Update**, row after row: λᵢ ← clamp(λᵢ − wᵢ/Aᵢᵢ, loᵢ, hiᵢ) with wᵢ of the newest λ. The bounds of a friction box are ±μλₙ of the newest normal impulse, so that
//! no passes over friction are needed; they are written into the problem at the end. The
//! tangents of a cone are projected onto the disc of radius μλₙ. A point that no row changes obeys
//! Coulomb's law. After each sweep λ goes on along a conjugate direction, as in `nncg` without energy
//! (`conjugate.rs`). (On a pile of 288 boxes, from nothing, 1e-3 takes 182 and 226 sweeps
//! so, 287 and 320 without; forward and backward in turn it takes 500 and more.)
//! **Cost** per sweep: 24 multiplications for each body of a row, counted. Sweeps end when the
//! judge calls the answer converged, and are given up as soon as their trend says that it takes
//! more of them than an exact solve is worth, or when the work allowed is done.
//! **Fails** where the trend is slow: chains, tall stacks, large mass ratios. An exact method takes
//! over from where the sweeps ended.
//! **Reference**: Erleben13 5.2; Andrews22 3.2.2.

use super::Rows;
use super::conjugate::Conjugate;
use crate::clock::Instant;
use crate::report::Counts;
use crate::solver::settle;
use crate::{Choice, Error, Iterate, Judge, Law, Operator, Problem, Report, Status, Verdict};

/// Sweeps before the trend is asked.
const FIRST: usize = 12;
/// Sweeps over which the trend is measured.
const TREND: usize = 8;
/// Factorizations that a warm exact solve is taken for, and about how many multiplications one takes on
/// the graph of n bodies in a pile: these times n² and n. By trial: 25 factorizations of a pile of
/// 255 bodies took as long as 500 sweeps.
const FACTORIZATIONS: f64 = 3.0;
const SQUARE: f64 = 36.0;
const LINEAR: f64 = 2000.0;
/// Most sweeps, however large the island.
const MOST: f64 = 240.0;
/// The largest change in a sweep from which on the judge is asked, relative to the tolerance.
const SMALL: f64 = 0.5;

/// The method with its memory.
#[derive(Clone, Debug, Default)]
pub struct Following {
    rows: Rows,
    conjugate: Conjugate,
}

/// What sweeps may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Relative natural residual to reach.
    pub tolerance: f64,
    /// Most multiplications; `None`: as many as an exact solve is worth.
    pub work: Option<u64>,
}

/// How sweeps ended.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[must_use = "the report says whether the sweeps got there"]
pub struct Swept {
    /// The judge's view. `IterationLimit`: not within the tolerance.
    pub report: Report,
    /// Multiplications done.
    pub work: u64,
}

impl Following {
    /// Sweeps from `iterate`, whose λ must have the problem's length. `None` for problems that it
    /// cannot take. The frozen bounds of friction boxes become μλₙ of the answer.
    pub fn solve(
        &mut self,
        problem: &mut Problem,
        effort: &Effort,
        iterate: &mut Iterate,
        judge: &mut Judge,
    ) -> Result<Option<Swept>, Error> {
        if !takes(problem) || iterate.lambda.len() != problem.rows() {
            return Ok(None);
        }
        problem.validate()?;
        let t0 = Instant::now();
        let warm = iterate.lambda.iter().any(|&l| l != 0.0);
        let Operator::Multibody(a) = &problem.operator else { return Ok(None) };
        iterate.lambda.iter_mut().filter(|l| !l.is_finite()).for_each(|l| *l = 0.0);
        let parts = self.rows.start_following(problem, a, &iterate.lambda);
        self.conjugate.start(&iterate.lambda, &self.rows.velocity);
        let t1 = Instant::now();
        let per_sweep = 24 * parts.max(1) as u64;
        let n = a.body_count() as f64;
        let exact = FACTORIZATIONS * (SQUARE * n * n + LINEAR * n) / per_sweep as f64;
        let most = effort.work.map_or(exact.min(MOST) as usize, |work| (work / per_sweep) as usize);
        let (sweeps, verdict) = self.run(problem, effort, most, &mut iterate.lambda, judge);
        let verdict = verdict.unwrap_or_else(|| {
            problem.update_friction_bounds(&iterate.lambda);
            judge.verdict(problem, &iterate.lambda)
        });
        iterate.w.clear();
        iterate.w.extend_from_slice(judge.velocities());
        iterate.set.clear();
        settle(problem, iterate);
        let counts = Counts { iterations: sweeps, ..Counts::default() };
        let status = if verdict.converged(effort.tolerance) {
            Status::Converged
        } else if verdict.natural_residual.is_finite() {
            Status::IterationLimit
        } else {
            Status::NonFinite
        };
        let report = Report {
            solver: "sweeps",
            status,
            counts,
            choice: Choice {
                method: "sweeps",
                backend: None,
                why: "within the accuracy asked for",
                rows: problem.rows(),
                dofs: Some(self.rows.velocity.len()),
                warm,
                done: false,
                counts,
            },
            verdict,
            softening: None,
            prepare_seconds: (t1 - t0).as_secs_f64(),
            run_seconds: t1.elapsed().as_secs_f64(),
        };
        Ok(Some(Swept { report, work: per_sweep * sweeps as u64 }))
    }

    /// Sweeps until the judge is content, the trend is slow or there were `most` of them; returns how many, and
    /// what the judge said if it is content.
    fn run(
        &mut self,
        problem: &mut Problem,
        effort: &Effort,
        most: usize,
        lambda: &mut [f64],
        judge: &mut Judge,
    ) -> (usize, Option<Verdict>) {
        let small = SMALL * effort.tolerance * problem.scale();
        let mut trend = [f64::INFINITY; TREND];
        for sweeps in 1..=most {
            let change = self.sweep(problem, lambda);
            if !change.is_finite() {
                return (sweeps, None);
            }
            if change <= small && sweeps > 1 {
                problem.update_friction_bounds(lambda);
                let verdict = judge.verdict(problem, lambda);
                if verdict.converged(effort.tolerance) {
                    return (sweeps, Some(verdict));
                }
            }
            let before = std::mem::replace(&mut trend[sweeps % TREND], change);
            let asked = effort.work.is_none() && sweeps >= FIRST;
            if asked && is_slow(change, before, small, most - sweeps) {
                return (sweeps, None);
            }
            if sweeps < most {
                let Rows { velocity, diagonal, .. } = &mut self.rows;
                self.conjugate.go_on(lambda, velocity, diagonal);
            }
        }
        (most, None)
    }

    /// One sweep; returns the largest Aᵢᵢ|Δλᵢ|.
    fn sweep(&mut self, problem: &Problem, lambda: &mut [f64]) -> f64 {
        self.conjugate.begin(lambda, &self.rows.velocity);
        let mut change = 0.0_f64;
        for (i, law) in problem.laws_by_row() {
            change = change.max(self.rows.step(problem, lambda, i));
            if let Law::Cone { mu, .. } = *law {
                change = change.max(self.project_tangents(problem, lambda, i, mu));
            }
        }
        change
    }

    /// Brings the tangents of the cone whose normal is row i onto the disc.
    fn project_tangents(
        &mut self,
        problem: &Problem,
        lambda: &mut [f64],
        i: usize,
        mu: [f64; 2],
    ) -> f64 {
        let rows = &mut self.rows;
        let d = rows.diagonal[i + 1].max(rows.diagonal[i + 2]);
        let step = if d > 0.0 { 1.0 / d } else { 0.0 };
        let [x, y] = [i + 1, i + 2].map(|i| lambda[i] - step * rows.w(problem, lambda, i));
        let reach = (x / mu[0]).hypot(y / mu[1]);
        let share = if reach > lambda[i] { lambda[i] / reach } else { 1.0 };
        let first = rows.set(problem, lambda, i + 1, share * x);
        first.max(rows.set(problem, lambda, i + 2, share * y))
    }
}

/// Whether the changes of sweeps, now and [`TREND`] sweeps ago, fall too slowly to be small
/// after `left` more.
fn is_slow(now: f64, before: f64, small: f64, left: usize) -> bool {
    if !before.is_finite() || now <= small {
        return false;
    }
    // Directions fall unevenly: twice the sweeps that are left may be said.
    let fall = (before / now).ln() / TREND as f64;
    fall <= 0.0 || (now / small).ln() / fall > 2.0 * left as f64
}

fn takes(problem: &Problem) -> bool {
    let known = |law: &Law| match *law {
        Law::Bilateral | Law::Box { .. } => true,
        Law::FrictionBox { .. } | Law::FollowingBox { .. } => true,
        Law::Cone { mu, associated } => !associated && mu[0] > 0.0 && mu[1] > 0.0,
        Law::WideCone { .. } | Law::RollingCone { .. } => false,
    };
    matches!(problem.operator, Operator::Multibody(_)) && problem.laws.iter().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Multibody, Session};

    /// Boxes of 1 kg on one another, each held by one normal and two tangents, pushed aside.
    fn stack(boxes: u32, cone: bool) -> Problem {
        let mut a = Multibody::default();
        let mut laws = Vec::new();
        let mut b = Vec::new();
        let unit: crate::Block6 =
            std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
        for k in 0..boxes {
            let body = a.push_body(unit).expect("definite");
            for axis in [2, 0, 1] {
                let j = |sign: f64| std::array::from_fn(|i| if i == axis { sign } else { 0.0 });
                let row = [(body.wrapping_sub(1), j(-1.0)), (body, j(1.0))];
                a.push_row(if k == 0 { &row[1..] } else { &row }, 1e-6).expect("in order");
                // Gravity, and a push to the side on the topmost.
                let top = if k + 1 == boxes && axis == 0 { 0.3 } else { 0.0 };
                b.push(if k == 0 && axis == 2 { -0.16 } else { top });
            }
            let normal = 3 * k as usize;
            if cone {
                laws.push(Law::Cone { mu: [0.5; 2], associated: false });
            } else {
                laws.push(Law::Box { lo: 0.0, hi: f64::INFINITY });
                laws.extend([Law::FrictionBox { normal, mu: 0.5, bound: 0.0 }; 2]);
            }
        }
        Problem { operator: Operator::Multibody(a), b, laws }
    }

    fn sweep(problem: &mut Problem, effort: Effort) -> (Swept, Iterate) {
        let mut iterate = Iterate::from_lambda(vec![0.0; problem.rows()]);
        let swept = Following::default()
            .solve(problem, &effort, &mut iterate, &mut Judge::default())
            .expect("valid")
            .expect("taken");
        (swept, iterate)
    }

    #[test]
    fn friction_follows_without_passes() {
        let effort = Effort { tolerance: 1e-6, work: None };
        let (swept, boxes) = sweep(&mut stack(1, false), effort);
        assert_eq!(swept.report.status, Status::Converged);
        assert!(swept.work > 0 && swept.report.verdict.friction_gap < 1e-12);
        let (swept, cones) = sweep(&mut stack(1, true), effort);
        assert_eq!(swept.report.status, Status::Converged);
        let mut session = Session::named("auto").expect("known");
        let problem = stack(1, true);
        let exact = session.solve(&problem).expect("taken").lambda().to_vec();
        for other in [&boxes.lambda, &cones.lambda] {
            let off = exact.iter().zip(other).fold(0.0_f64, |d, (a, b)| d.max((a - b).abs()));
            assert!(off < 1e-5, "{exact:?} {other:?}");
        }
    }

    #[test]
    fn what_is_slow_is_given_up_and_not_called_converged() {
        let (swept, _) = sweep(&mut stack(60, false), Effort { tolerance: 1e-6, work: None });
        assert_eq!(swept.report.status, Status::IterationLimit);
        assert!((swept.report.counts.iterations as f64) < MOST);
        // With work allowed it goes on to that, and says what it did.
        let work = Some(100_000);
        let (swept, _) = sweep(&mut stack(60, false), Effort { tolerance: 1e-6, work });
        assert_eq!(swept.report.status, Status::IterationLimit);
        assert!(swept.work <= 100_000 && swept.work > 90_000);
    }
}
