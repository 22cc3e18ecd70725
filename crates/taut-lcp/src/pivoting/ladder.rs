//! The ladder that always ends: methods in order, each for what those before it
//! leave.
//!
//! **Problem**: boxed rows, A symmetric positive semidefinite.
//! **Update**, rung after rung until one succeeds:
//!
//! 1. *Sweeps* of projected Gauss-Seidel guess an index set, where the start
//!    brings none.
//! 2. *Pivoting* in blocks from that set (`bpp.rs`). Rows that turn each other
//!    around are decided together (`condensed.rs`).
//! 3. The *interior point* (`ipm.rs`), from the start and some more sweeps. As soon
//!    as the index set that its points suggest has settled, pivoting tries it
//!    briefly.
//! 4. *Crossover*: pivoting from the set of the last interior point, with larger
//!    and larger shifts.
//! 5. The *monotone* active-set method (`monotone.rs`), whose energy falls in every
//!    step.
//!
//! If all that stalls, the ladder is climbed once more, from zero and without haste.
//! **Cost** and **failures**: those of the rungs, see their files.

use super::bpp::{Effort, Exit, Pivoting, Settings};
use super::face::Face;
use super::monotone::Monotone;
use super::proximal::{self, Inner, Round};
use crate::interior::{Attempt, Interior, Progress};
use crate::sweeps::Rows;
use crate::{Iterate, Outcome, Probe, Problem, Status, Stop};

/// Sweeps before the first pivot of a cold start. Each costs a small part of a
/// factorization and puts most rows into their final state. With ten, `wanderers` of
/// the golden counts take 7 % more factorizations and a quarter more pivots; see also
/// docs/SOLVERS.md.
const SWEEPS: usize = 20;
/// Sweeps before the interior point, which then starts nearer to the answer. Without
/// them 14 lines of the golden counts change, the sums by less than 2 %.
const SWEEPS_INSIDE: usize = 10;

/// Where a ladder begins. (The methods of `Rungs` are the rungs, each of which calls the next one.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rung {
    /// With pivoting, and sweeps before it on a cold start.
    Pivoting,
    /// With the interior point.
    Interior,
}

/// All rungs and what they share.
pub(crate) struct Ladder {
    max_iterations: usize,
    lowest: Rung,
    pub(super) face: Face,
    rungs: Rungs,
}

struct Rungs {
    sweeps: Rows,
    pivoting: Pivoting,
    interior: Interior,
    monotone: Monotone,
    /// λ before the first pivot.
    start: Vec<f64>,
    /// The interior point from which pivots began.
    inside: Iterate,
}

impl Ladder {
    pub fn new(settings: &Settings, lowest: Rung) -> Self {
        Ladder {
            max_iterations: settings.max_iterations,
            lowest,
            face: Face::new(settings.backend, settings.adaptive.as_ref()),
            rungs: Rungs {
                sweeps: Rows::default(),
                pivoting: Pivoting::new(settings),
                interior: Interior::default(),
                monotone: Monotone::default(),
                start: Vec::new(),
                inside: Iterate::default(),
            },
        }
    }

    pub fn prepare(&mut self, problem: &Problem) {
        self.face.prepare(problem);
        // Room for the later rungs, so that falling back allocates nothing.
        let (m, rungs) = (problem.rows(), &mut self.rungs);
        rungs.sweeps.prepare(problem);
        rungs.interior.prepare(m);
        rungs.start.clear();
        rungs.start.reserve(m);
        rungs.inside.clear();
        rungs.inside.lambda.reserve(m);
        rungs.inside.set.reserve(m);
        rungs.pivoting.prepare(problem, &mut self.face);
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
        if iterate.set.len() != problem.rows() && self.lowest == Rung::Pivoting {
            self.rungs.sweeps.sweep_both_ways(problem, &mut iterate.lambda, SWEEPS);
        }
        self.rungs.interior.attempt = Attempt::First;
        let outcome = self.climb(self.lowest, problem, stop, iterate, probe);
        let failed = matches!(outcome.status, Status::Stalled | Status::Cycling | Status::Singular);
        let was_inside = self.lowest == Rung::Interior || outcome.counts.fell_back;
        if !(failed && was_inside) {
            return outcome;
        }
        // An index set tried too early can leave a centre from which there is
        // no way on, and so can a start too near to the bounds. Once more, in
        // no hurry, from far inside and from the first rung.
        self.rungs.interior.attempt = Attempt::Second;
        for (i, l) in iterate.lambda.iter_mut().enumerate() {
            *l = 0.0_f64.clamp(self.face.lo[i], self.face.hi[i]);
        }
        iterate.set.clear();
        self.rungs.sweeps.sweep_both_ways(problem, &mut iterate.lambda, SWEEPS);
        let limit = stop.max_iterations.unwrap_or(self.max_iterations);
        let left = limit.saturating_sub(outcome.counts.iterations);
        let stop = Stop { max_iterations: Some(left), ..*stop };
        let mut second = self.climb(Rung::Pivoting, problem, &stop, iterate, probe);
        second.counts.add(&outcome.counts);
        second
    }

    /// Climbs once for every centre of the proximal iterations.
    fn climb(
        &mut self,
        lowest: Rung,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        self.face.start(problem, stop, self.max_iterations, iterate);
        self.rungs.start.clone_from(&iterate.lambda);
        let Ladder { face, rungs, .. } = self;
        let mut is_first = true;
        let round = Round { face, problem, iterate, probe };
        proximal::run(round, stop, &mut |round| {
            let is_first = std::mem::take(&mut is_first);
            match lowest {
                Rung::Pivoting => rungs.pivot(round),
                Rung::Interior if is_first => rungs.go_inside(round),
                Rung::Interior => rungs.cross_over(round),
            }
        })
    }
}

impl Rungs {
    /// Rung 2, pivoting from the index set in the face; where it wanders, sweeps and rung 3.
    fn pivot(&mut self, round: &mut Round<'_>) -> Inner {
        let exit = self.pivoting.run(round, Effort::Full);
        if !exit.wanders() {
            return exit.into();
        }
        round.face.counts.fell_back = true;
        round.face.harden();
        self.sweeps.sweep_both_ways(round.problem, &mut self.start, SWEEPS_INSIDE);
        round.iterate.lambda.clone_from(&self.start);
        self.go_inside(round)
    }

    /// Rung 3, the interior point, with brief pivoting on the sets that it suggests; then rung 4.
    fn go_inside(&mut self, round: &mut Round<'_>) -> Inner {
        self.interior.start(round.face, round.problem, &mut round.iterate.lambda);
        while self.interior.run(round) == Progress::Settled {
            self.inside.lambda.clone_from(&round.iterate.lambda);
            if self.pivoting.run(round, Effort::Brief) == Exit::Solved {
                return Inner::Solved;
            }
            round.iterate.lambda.clone_from(&self.inside.lambda);
        }
        self.cross_over(round)
    }

    /// Rung 4, from the interior point in the iterate and the index set in the face.
    fn cross_over(&mut self, round: &mut Round<'_>) -> Inner {
        self.inside.lambda.clone_from(&round.iterate.lambda);
        self.inside.set.clone_from(&round.face.set);
        let mut exit = self.pivoting.run(round, Effort::Full);
        while exit.wanders() && round.face.is_shifted() && round.face.raise_shift() {
            round.iterate.lambda.clone_from(&self.inside.lambda);
            round.face.set.clone_from(&self.inside.set);
            exit = self.pivoting.run(round, Effort::Full);
        }
        let end = if exit.wanders() { self.descend(round) } else { exit.into() };
        if end != Inner::Solved {
            // The interior point itself may be good enough for the judge.
            round.iterate.lambda.clone_from(&self.inside.lambda);
        }
        end
    }

    /// Rung 5, the monotone method from the interior point that is kept.
    fn descend(&mut self, round: &mut Round<'_>) -> Inner {
        round.iterate.lambda.clone_from(&self.inside.lambda);
        self.monotone.run(round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{BoxedKind, MultibodyOptions, multibody, random_boxed};
    use crate::residual::Judge;

    /// Every rung from where it would begin, on a pile whose compliance makes A
    /// definite: each ends with the answer by itself.
    #[test]
    fn each_rung_solves_what_it_is_given() {
        type Climb = fn(&mut Rungs, &mut Round<'_>) -> Inner;
        let all: [(&str, Climb); 3] = [
            ("interior", |rungs, round| rungs.go_inside(round)),
            ("crossover", |rungs, round| rungs.cross_over(round)),
            ("monotone", |rungs, round| {
                rungs.inside.lambda.clone_from(&round.iterate.lambda);
                rungs.descend(round)
            }),
        ];
        let options = MultibodyOptions { links: 5, pile: 12, mass_ratio: 1e2, compliance: 1e-6 };
        let problem = multibody(&options, 3).expect("valid");
        let mut ladder = Ladder::new(&Settings::default(), Rung::Pivoting);
        for (name, climb) in all {
            ladder.prepare(&problem);
            let mut iterate = Iterate::from_lambda(vec![0.0; problem.rows()]);
            iterate.w.resize(problem.rows(), 0.0);
            ladder.face.start(&problem, &Stop::default(), 2000, &iterate);
            let (face, probe) = (&mut ladder.face, &mut ());
            let mut round = Round { face, problem: &problem, iterate: &mut iterate, probe };
            assert_eq!(climb(&mut ladder.rungs, &mut round), Inner::Solved, "{name}");
            let verdict = Judge::default().verdict(&problem, &iterate.lambda);
            assert!(verdict.converged(1e-9), "{name}: {verdict:?}");
        }
    }

    /// Wherever it begins, the ladder ends with the same w.
    #[test]
    fn both_ladders_agree_on_singular_problems() {
        for seed in 0..40 {
            let problem = random_boxed(10, BoxedKind::Semidefinite, seed).expect("valid");
            let [a, b] = [Rung::Pivoting, Rung::Interior].map(|lowest| {
                let mut ladder = Ladder::new(&Settings::default(), lowest);
                let mut iterate = Iterate::from_lambda(vec![0.0; 10]);
                iterate.w.resize(10, 0.0);
                ladder.prepare(&problem);
                let outcome = ladder.run(&problem, &Stop::default(), &mut iterate, &mut ());
                let mut judge = Judge::default();
                let _ = judge.verdict(&problem, &iterate.lambda);
                (outcome.status, judge.velocities().to_vec())
            });
            assert_eq!(a.0, b.0, "seed {seed}");
            if a.0 == Status::Converged {
                let apart = a.1.iter().zip(&b.1).fold(0.0_f64, |d, (a, b)| d.max((a - b).abs()));
                assert!(apart < 1e-5 * problem.scale(), "seed {seed}: {apart:e}");
            }
        }
    }
}
