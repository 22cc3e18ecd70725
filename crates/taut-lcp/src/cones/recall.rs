//! The start's states once more: one Cholesky factorization where nothing slips.
//!
//! **Problem**: cones that stick or are open, boxes between or at their bounds, joints: as long as
//! all of them stay so, the problem is a symmetric linear system, the face of a box problem.
//! **Update**: rows that are free by the start (sticking cones, joints, boxes inside) are solved
//! for w = 0; the judge says whether that is the answer.
//! **Cost**: one factorization, as block pivoting takes for what rests; half of one LU, and
//! nothing is condensed. **Fails** where anything changes its state: then it is not the answer.

use crate::free_solve::FreeSolve;
use crate::report::Backend;
use crate::residual::verdict;
use crate::{Law, Operator, Problem, RowState};

/// Friction this near to its bound, relative to it, slips.
const SLIPS: f64 = 1e-6;
/// Corrections with the factor at most; the last digits would add up from step to step.
const CORRECTIONS: usize = 3;
/// Share of the tolerance down to which they lead.
const FINE: f64 = 1e-3;
/// A free row without compliance gets this share of its diagonal.
const SHIFT: f64 = 1e-10;

pub(super) struct Recall {
    free: FreeSolve,
    set: Vec<RowState>,
    shift: Vec<f64>,
    r: Vec<f64>,
    dx: Vec<f64>,
    lambda: Vec<f64>,
    w: Vec<f64>,
    diagonal: Vec<f64>,
    scratch: Vec<f64>,
}

impl Default for Recall {
    fn default() -> Self {
        Recall {
            free: FreeSolve::new(None),
            set: Vec::new(),
            shift: Vec::new(),
            r: Vec::new(),
            dx: Vec::new(),
            lambda: Vec::new(),
            w: Vec::new(),
            diagonal: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl Recall {
    /// Solves with the states of λ, whose velocities are w; `true`: λ is the answer now. Also
    /// returns the factorizations.
    pub fn run(
        &mut self,
        problem: &Problem,
        tolerance: f64,
        lambda: &mut [f64],
        w: &[f64],
    ) -> (bool, usize) {
        let Operator::Multibody(a) = &problem.operator else { return (false, 0) };
        if !self.find_states(problem, lambda) {
            return (false, 0);
        }
        let m = problem.rows();
        self.diagonal.clear();
        self.diagonal.resize(m, 0.0);
        a.diagonal(&mut self.diagonal);
        self.shift.clear();
        let least = self.diagonal.iter().zip(a.compliance());
        self.shift.extend(least.map(|(d, c)| (SHIFT * d - c).max(0.0)));
        for (to, from) in [(&mut self.lambda, &*lambda), (&mut self.w, w), (&mut self.dx, w)] {
            to.clear();
            to.extend_from_slice(from);
        }
        self.r.clear();
        self.r.resize(m, 0.0);
        self.free.prepare(problem);
        if self.free.factor(problem, &self.set, &self.shift).is_err() {
            return (false, 1);
        }
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            for i in 0..m {
                self.r[i] = if self.set[i] == RowState::Free { -self.w[i] } else { 0.0 };
            }
            self.free.solve(problem, &self.r, &mut self.dx);
            self.lambda.iter_mut().zip(&self.dx).for_each(|(l, dx)| *l += dx);
            if !self.is_within(problem) {
                return (false, 1);
            }
            problem.operator.apply(&self.lambda, &mut self.w, &mut self.scratch);
            self.w.iter_mut().zip(&problem.b).for_each(|(w, b)| *w += b);
            let judged = verdict(problem, &self.lambda, &self.w, &self.diagonal);
            let residual = judged.relative_residual;
            if residual <= FINE * tolerance || residual.is_nan() || residual >= 0.5 * last {
                last = last.min(residual);
                break;
            }
            last = residual;
        }
        if last > tolerance {
            return (false, 1);
        }
        lambda.copy_from_slice(&self.lambda);
        (true, 1)
    }

    /// The form of its last factorization.
    pub fn backend(&self) -> Backend {
        self.free.backend()
    }

    /// The states of the start; `false` where some cone slips, or none is closed.
    fn find_states(&mut self, problem: &Problem, lambda: &[f64]) -> bool {
        self.set.clear();
        let mut sticks = false;
        for (i, law) in problem.laws_by_row() {
            if let Law::Cone { mu, .. } = *law {
                let closed = lambda[i] > 0.0;
                if closed && !is_inside(&lambda[i..i + 3], mu) {
                    return false;
                }
                sticks |= closed;
                // (A tangent without friction holds nothing.)
                for holds in [true, mu[0] > 0.0, mu[1] > 0.0] {
                    let free = closed && holds;
                    self.set.push(if free { RowState::Free } else { RowState::Lower });
                }
                continue;
            }
            let (lo, hi) = law.bounds();
            self.set.push(match lambda[i] {
                l if l <= lo => RowState::Lower,
                l if l >= hi => RowState::Upper,
                _ => RowState::Free,
            });
        }
        sticks && self.set.len() == problem.rows()
    }

    /// Whether impulses are still within their bounds.
    fn is_within(&self, problem: &Problem) -> bool {
        problem.laws_by_row().all(|(i, law)| {
            let (lo, hi) = law.bounds();
            let l = self.lambda[i];
            match *law {
                Law::Cone { mu, .. } if self.set[i] == RowState::Free => {
                    l >= 0.0 && is_inside(&self.lambda[i..i + 3], mu)
                }
                _ => l >= lo && l <= hi,
            }
        })
    }
}

/// Whether friction is below its bound.
fn is_inside(lambda: &[f64], mu: [f64; 2]) -> bool {
    let part = |l: f64, mu: f64| if l == 0.0 { 0.0 } else { l / mu };
    let (t1, t2) = (part(lambda[1], mu[0]), part(lambda[2], mu[1]));
    t1 * t1 + t2 * t2 <= ((1.0 - SLIPS) * lambda[0]).powi(2)
}
