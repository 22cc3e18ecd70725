//! The ladder that always ends: pivoting, interior point, pivoting, descent.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**: block pivoting from the warm start, or where there is none from
//! the index set that a few sweeps of projected Gauss-Seidel point to; rows that
//! turn each other around are decided together (`condensed.rs`). When it
//! wanders still, an interior-point method, from the start given and some more
//! sweeps, finds a set near the right one, and pivoting goes on from there; if
//! that wanders too a monotone active-set method ends it.
//! **Cost** and **failures**: those of the rungs, see their files.

use super::Monotone;
use super::bpp::{Pivoting, Settings};
use super::face::Face;
use super::proximal::{self, Inner};
use crate::interior::{Interior, Progress};
use crate::sweeps::Rows;
use crate::{Iterate, Outcome, Probe, Problem, Status, Stop};

/// Sweeps before the first pivot of a cold start. Each costs a small part of a
/// factorization and puts most rows into their final state.
const SWEEPS: usize = 20;
/// Sweeps before the interior point, which then starts nearer to the answer.
const SWEEPS_INSIDE: usize = 10;

/// All rungs and what they share.
pub(crate) struct Ladder {
    max_iterations: usize,
    /// Skips the first rung.
    interior_first: bool,
    pub(super) face: Face,
    rows: Rows,
    pivoting: Pivoting,
    interior: Interior,
    monotone: Monotone,
    /// λ before the first pivot.
    start: Vec<f64>,
}

impl Ladder {
    pub fn new(settings: &Settings, interior_first: bool) -> Self {
        Ladder {
            max_iterations: settings.max_iterations,
            interior_first,
            face: Face::new(settings.backend, settings.adaptive.as_ref()),
            rows: Rows::default(),
            pivoting: Pivoting::new(settings),
            interior: Interior::default(),
            monotone: Monotone::default(),
            start: Vec::new(),
        }
    }

    pub fn prepare(&mut self, problem: &Problem) {
        self.face.prepare(problem);
        // Room for the later rungs, so that falling back allocates nothing.
        let m = problem.rows();
        self.rows.prepare(problem);
        self.interior.prepare(m);
        self.start.clear();
        self.start.reserve(m);
        self.pivoting.start.clear();
        self.pivoting.start.lambda.reserve(m);
        self.pivoting.start.set.reserve(m);
        self.pivoting.prepare(problem, &mut self.face);
    }

    /// Multiplications of a factorization with all rows.
    pub fn work(&self) -> f64 {
        self.face.free_solve.work().0
    }

    pub fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        if iterate.set.len() != problem.rows() && !self.interior_first {
            self.rows.sweep_both_ways(problem, &mut iterate.lambda, SWEEPS);
        }
        self.interior.may_stop_early = true;
        self.interior.from_afar = false;
        let outcome = self.climb(problem, stop, iterate, probe, self.interior_first);
        let failed = matches!(outcome.status, Status::Stalled | Status::Cycling | Status::Singular);
        if !(failed && (self.interior_first || outcome.counts.fell_back)) {
            return outcome;
        }
        // An index set tried too early can leave a centre from which there is
        // no way on, and so can a start too near to the bounds. Once more, in
        // no hurry, from far inside and from the first rung.
        self.interior.may_stop_early = false;
        self.interior.from_afar = true;
        for (i, l) in iterate.lambda.iter_mut().enumerate() {
            *l = 0.0_f64.clamp(self.face.lo[i], self.face.hi[i]);
        }
        iterate.set.clear();
        self.rows.sweep_both_ways(problem, &mut iterate.lambda, SWEEPS);
        let limit = stop.max_iterations.unwrap_or(self.max_iterations);
        let left = limit.saturating_sub(outcome.counts.iterations);
        let stop = Stop { max_iterations: Some(left), ..*stop };
        let mut second = self.climb(problem, &stop, iterate, probe, false);
        second.counts.add(&outcome.counts);
        second
    }

    fn climb(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
        interior_first: bool,
    ) -> Outcome {
        self.face.start(problem, stop, self.max_iterations, iterate);
        self.start.clone_from(&iterate.lambda);
        let Ladder { face, rows, pivoting, interior, monotone, start, .. } = self;
        let mut first = true;
        proximal::run(face, problem, stop, iterate, probe, &mut |face, problem, iterate, probe| {
            let first = std::mem::take(&mut first);
            if !interior_first {
                let end = pivoting.run(face, problem, iterate, probe, false);
                if end != Inner::Failed(Status::Cycling) {
                    return end;
                }
                face.counts.fell_back = true;
                face.harden();
                rows.sweep_both_ways(problem, start, SWEEPS_INSIDE);
                iterate.lambda.clone_from(start);
            } else if !first {
                return crossover(pivoting, monotone, face, problem, iterate, probe);
            }
            interior.start(face, problem, &mut iterate.lambda);
            while interior.run(face, problem, iterate, probe) == Progress::Settled {
                pivoting.start.lambda.clone_from(&iterate.lambda);
                let end = pivoting.run(face, problem, iterate, probe, true);
                if end == Inner::Solved {
                    return end;
                }
                iterate.lambda.clone_from(&pivoting.start.lambda);
            }
            crossover(pivoting, monotone, face, problem, iterate, probe)
        })
    }
}

/// From the interior point in `iterate` and the index set in `face` to the
/// exact answer. The last rung always descends.
fn crossover(
    pivoting: &mut Pivoting,
    monotone: &mut Monotone,
    face: &mut Face,
    problem: &Problem,
    iterate: &mut Iterate,
    probe: &mut dyn Probe,
) -> Inner {
    let mut start = std::mem::take(&mut pivoting.start);
    start.lambda.clone_from(&iterate.lambda);
    start.set.clone_from(&face.set);
    let mut end = pivoting.run(face, problem, iterate, probe, false);
    while end == Inner::Failed(Status::Cycling) && face.is_shifted() && face.raise_shift() {
        iterate.lambda.clone_from(&start.lambda);
        face.set.clone_from(&start.set);
        end = pivoting.run(face, problem, iterate, probe, false);
    }
    if end == Inner::Failed(Status::Cycling) {
        iterate.lambda.clone_from(&start.lambda);
        end = monotone.run(face, problem, iterate);
    }
    if end != Inner::Solved {
        // The interior point itself may be good enough for the judge.
        iterate.lambda.clone_from(&start.lambda);
    }
    pivoting.start = start;
    end
}
