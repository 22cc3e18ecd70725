//! The iteration between interface and subsystems.
//!
//! **Problem**: boxed rows on bodies, A = J M⁻¹ Jᵀ + C.
//! **Update** (Peiret19 alg. 1): S_Γ from the index sets of the subsystems;
//! solve the interface for λ_Γ; solve every subsystem for that λ_Γ, in
//! parallel; repeat until the rows of the interface obey their laws with the
//! velocities that the subsystems really have. Then all rows do, and λ is the
//! answer of the whole. Deviations: z comes from velocities instead of eq. 25
//! (see `interface`), so that further iterations refine the answer; and what
//! is tested is the law, not whether index sets changed, since sets that
//! changed without effect on the interface need no further iteration.
//! **Cost** per iteration: one solve of the interface, and of each subsystem;
//! factorizations only in subsystems whose free set changed.
//! **Fails** where index sets come back or no progress is made. The paper
//! stops with an inconsistent answer there; here one global solve starts from
//! the best sets seen.

use super::for_each;
use super::interface::{Interface, Method};
use super::partition::Partition;
use super::subsystem::{Feel, Subsystem};
use crate::operator::mix;
use crate::pivoting::{Components, bpp};
use crate::sweeps::{Rows, Sweep};
use crate::{
    Counts, Iterate, Multibody, Operator, Outcome, Probe, Problem, RowState, Status, Stop,
};

/// Sweeps before a cold start, as in the ladder of `bpp`.
const SWEEPS: usize = 20;

/// What the methods choose.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub partition: Partition,
    pub max_iterations: usize,
    pub feel: Feel,
    pub method: Method,
    /// Whether one global solve ends what does not converge.
    pub falls_back: bool,
}

/// Subsystems, interface, and the solver of the whole.
pub(super) struct Coupling {
    choice: Choice,
    parts: Vec<Subsystem>,
    interface: Interface,
    whole: Components,
    is_whole: bool,
    pattern: Option<u64>,
    /// Place of each body within its subsystem.
    local: Vec<u32>,
    sweeps: Rows,
    seen: Vec<u64>,
    best: Iterate,
}

/// How the iteration went.
enum End {
    Solved,
    Failed(Status),
}

impl Coupling {
    pub fn new(choice: Choice) -> Self {
        let settings = bpp::Settings::default();
        Coupling {
            choice,
            parts: Vec::new(),
            interface: Interface::new(choice.method, &settings),
            whole: Components::new(&settings, false),
            is_whole: true,
            pattern: None,
            local: Vec::new(),
            sweeps: Rows::default(),
            seen: Vec::new(),
            best: Iterate::default(),
        }
    }

    pub fn prepare(&mut self, problem: &Problem) {
        self.is_whole = true;
        if let Operator::Multibody(a) = &problem.operator {
            self.divide(a);
            let Coupling { parts, interface, local, .. } = self;
            if parts.len() > 1 {
                let rows = &interface.rows;
                for_each(parts, |part| part.fill(problem, a, rows, local));
                interface.fill(problem, a, parts);
                self.is_whole = parts.iter().any(Subsystem::needs_shift);
            }
        }
        if self.is_whole {
            self.whole.prepare(problem);
        }
    }

    /// Bodies and rows of the subsystems, if the structure is new.
    fn divide(&mut self, a: &Multibody) {
        let names = (0..a.body_count()).map(|b| a.subsystem(b).map_or(0, |s| 1 + u64::from(s)));
        let pattern = names.fold(a.pattern_hash(), mix);
        if self.pattern == Some(pattern) {
            return;
        }
        self.pattern = Some(pattern);
        let of = self.choice.partition.assign(a);
        let count = of.iter().max().map_or(0, |&s| s as usize + 1);
        self.parts.resize_with(count, || Subsystem::new(&bpp::Settings::default()));
        for part in &mut self.parts {
            part.bodies.clear();
            part.rows.clear();
            part.gamma.clear();
        }
        self.local.clear();
        for (b, &s) in of.iter().enumerate() {
            let bodies = &mut self.parts[s as usize].bodies;
            self.local.push(bodies.len() as u32);
            bodies.push(b as u32);
        }
        self.interface.rows.clear();
        for i in 0..a.rows() {
            let bodies = a.row(i).0;
            let first = bodies.first().map_or(0, |&b| of[b as usize]);
            if bodies.iter().all(|&b| of[b as usize] == first) {
                // A row without bodies may stand anywhere.
                if let Some(part) = self.parts.get_mut(first as usize) {
                    part.rows.push(i as u32);
                }
                continue;
            }
            let g = self.interface.rows.len() as u32;
            self.interface.rows.push(i as u32);
            for &b in bodies {
                let gamma = &mut self.parts[of[b as usize] as usize].gamma;
                if gamma.last() != Some(&g) {
                    gamma.push(g);
                }
            }
        }
    }

    pub fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        if self.is_whole {
            return self.whole.run(problem, stop, iterate, probe);
        }
        if iterate.set.len() != problem.rows() {
            self.sweep(problem, &mut iterate.lambda);
        }
        let mut counts = Counts::default();
        self.best.lambda.clone_from(&iterate.lambda);
        self.best.set.clone_from(&iterate.set);
        let end = self.iterate(problem, stop, iterate, probe, &mut counts);
        let backend = None;
        match end {
            End::Solved => {
                iterate.set.resize(problem.rows(), RowState::Free);
                self.give(iterate);
                Outcome { backend, ..Outcome::new(Status::Converged, counts) }
            }
            End::Failed(status) if !self.choice.falls_back => {
                iterate.set.resize(problem.rows(), RowState::Free);
                self.give(iterate);
                Outcome { backend, ..Outcome::new(status, counts) }
            }
            End::Failed(_) => {
                std::mem::swap(iterate, &mut self.best);
                iterate.w.resize(problem.rows(), 0.0);
                iterate.certificate.clear();
                self.whole.prepare(problem);
                let mut outcome = self.whole.run(problem, stop, iterate, probe);
                outcome.counts.add(&counts);
                outcome.counts.fell_back = true;
                outcome
            }
        }
    }

    fn iterate(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        start: &Iterate,
        probe: &mut dyn Probe,
        counts: &mut Counts,
    ) -> End {
        let Choice { feel, max_iterations, .. } = self.choice;
        let scale = problem.scale();
        let tolerance = 0.5 * stop.tolerance * scale;
        let limit = stop.max_iterations.unwrap_or(max_iterations);
        let Coupling { parts, interface, seen, best, .. } = self;
        seen.clear();
        interface.start(start);
        let lambda = &interface.iterate.lambda;
        for_each(parts, |part| part.start(start, lambda, stop, scale, feel));
        let (mut least, mut last, mut refined) = (f64::INFINITY, f64::INFINITY, 0);
        loop {
            if parts.iter().any(|p| p.outcome.failed) {
                return End::Failed(Status::Cycling);
            }
            counts.factorizations += parts.iter().map(|p| p.outcome.factorizations).sum::<usize>();
            interface.measure(parts);
            let (solved, pivots, factorizations) = interface.solve(parts, stop, scale);
            counts.factorizations += factorizations;
            if !solved {
                return End::Failed(Status::Cycling);
            }
            let lambda = &interface.iterate.lambda;
            for_each(parts, |part| part.turn(lambda, feel));
            if parts.iter().any(|p| p.outcome.failed) {
                return End::Failed(Status::Cycling);
            }
            interface.measure(parts);
            let residual = interface.residual();
            let moved = pivots + parts.iter().map(|p| p.outcome.pivots).sum::<usize>();
            counts.pivots += moved;
            let settled = moved == 0 && counts.iterations > 0;
            counts.inner += usize::from(settled);
            counts.iterations += usize::from(!settled);
            probe.iteration(counts.iterations + counts.inner, residual);
            if residual <= 1e-2 * tolerance {
                return End::Solved;
            }
            if feel == Feel::Effective && settled {
                // The sets stand; what is left is rounding.
                refined += 1;
                if residual > 0.25 * last || refined > 4 {
                    let solved = residual <= tolerance;
                    return if solved { End::Solved } else { End::Failed(Status::Stalled) };
                }
            }
            last = residual;
            if counts.iterations + counts.inner >= limit {
                let solved = residual <= tolerance;
                return if solved { End::Solved } else { End::Failed(Status::IterationLimit) };
            }
            if residual < least {
                least = residual;
                best.set.resize(problem.rows(), RowState::Free);
                parts.iter().for_each(|part| part.give(best));
                interface.give(best);
            }
            if feel == Feel::Effective && moved > 0 {
                let hash = interface.hash(parts.iter().fold(0, |h, part| part.hash(h)));
                if seen.contains(&hash) {
                    return End::Failed(Status::Cycling);
                }
                seen.push(hash);
            }
        }
    }

    fn give(&self, iterate: &mut Iterate) {
        self.parts.iter().for_each(|part| part.give(iterate));
        self.interface.give(iterate);
    }

    /// Forward and backward in turn: puts most rows into their final state.
    fn sweep(&mut self, problem: &Problem, lambda: &mut [f64]) {
        self.sweeps.start(problem, lambda);
        for k in 0..SWEEPS {
            let mut seen = Sweep::default();
            for i in 0..lambda.len() {
                let i = if k % 2 == 0 { i } else { lambda.len() - 1 - i };
                self.sweeps.relax(problem, lambda, i, 1.0, &mut seen);
            }
        }
    }
}
