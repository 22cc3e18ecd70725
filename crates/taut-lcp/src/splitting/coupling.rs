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
//! **Fails**: the paper's iteration cycles, and it stops with an inconsistent
//! answer. Here a step that goes too far is shortened (see `search`) and the
//! next one damped, which ends cycling, and where pivoting wanders within a
//! subsystem its ladder finds the answer. What is not solved within the limit,
//! or wanders or starts far off in most subsystems at once, is solved once as a whole, starting
//! from the best sets seen; and what takes many times the multiplications of the
//! whole, because most rows act between subsystems, at once.

use super::interface::{Interface, Method};
use super::partition::{Partition, UNBOUNDED};
use super::pivots;
use super::subsystem::{Feel, Subsystem, TurnEnd};
use super::tree::{Between, Tree};
use super::work::Work;
use crate::operator::mix_all;
use crate::parallel::for_each;
use crate::pivoting::bpp::ROOM;
use crate::pivoting::face::constants::FIXED_WIDTH;
use crate::pivoting::ladder::Rung;
use crate::pivoting::{Components, bpp};
use crate::sweeps::Rows;
use crate::{
    Counts, Iterate, Multibody, Operator, Outcome, Probe, Problem, RowState, Status, Stop,
};

// By trial on the scenes of docs/bench/substructuring.md, but where a source is named. Of these the
// golden counts notice OVERSHOOT (0.5: one iteration more on `pile`) and SWEEPS (10: other counts on
// `heap` and `pile`); ten times RELIEF or LEAST_DAMPING, WANDERING 0.9 and LEAST_WORK 0 change
// none of them: those serve chains on the ground (docs/decisions/coupling-chain-drop.md).

// What half and twice of these change: docs/decisions/solver-constants.md.

/// How many times more multiplications than the whole coupling may take: what
/// eight cores can make good.
const OUTWEIGHS: f64 = 8.0;
/// How many multiplications coupling may take in any case.
const LEAST_WORK: f64 = 2e6;
/// Sweeps before a cold start, as in the ladder of `bpp`.
const SWEEPS: usize = 20;
/// Slope of the function of λ_Γ whose gradient is w_Γ, along a step of λ_Γ: what it may be above zero at the end of the
/// step, as a share of what it was below zero at the start.
const OVERSHOOT: f64 = 0.2;
/// Factorizations per subsystem after which the global solve is cheaper: about
/// what that takes where pivoting wanders.
const MAX_FACTORIZATIONS: usize = 60;
/// Turns that memory is set aside for, at most; and those that are not counted
/// as iterations: the start, refinements, the last search.
const MAX_TURNS: usize = 1000;
const EXTRA_TURNS: usize = 8 + MAX_HALVINGS;
/// Tries to find a better end.
const MAX_HALVINGS: usize = 12;
/// Share of subsystems that may wander at once, or start far off.
const WANDERING: f64 = 0.7;
/// Damping of S relative to diag A, the least there is.
const LEAST_DAMPING: f64 = 1e-10;
/// What is left of it after a full step.
const RELIEF: f64 = 1e-2;

/// What the methods choose.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub partition: Partition,
    pub max_iterations: usize,
    pub feel: Feel,
    pub method: Method,
    /// Whether one global solve ends what does not converge.
    pub falls_back: bool,
    /// Whether the interface is one cluster, whatever its size.
    pub is_flat: bool,
}

/// Subsystems, interface, and the solver of the whole.
pub(super) struct Coupling {
    pub choice: Choice,
    parts: Vec<Subsystem>,
    interface: Interface,
    whole: Components,
    is_whole: bool,
    pattern: Option<u64>,
    /// Place of each body within its subsystem.
    local: Vec<u32>,
    sweeps: Rows,
    seen: Vec<u64>,
    /// λ_Γ and w_Γ before a step, where it went, and the share of it taken.
    from: Iterate,
    to: Vec<f64>,
    reach: f64,
    /// Rows of subsystems that changed their state in the last turn.
    pivots: usize,
    best: Iterate,
    of: Vec<u32>,
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
            interface: Interface::new(choice.method, choice.feel),
            whole: Components::new(&settings, Rung::Pivoting),
            is_whole: true,
            pattern: None,
            local: Vec::new(),
            sweeps: Rows::default(),
            seen: Vec::new(),
            from: Iterate::default(),
            to: Vec::new(),
            reach: 1.0,
            pivots: 0,
            best: Iterate::default(),
            of: Vec::new(),
        }
    }

    pub fn prepare(&mut self, problem: &Problem) {
        self.is_whole = true;
        if let Operator::Multibody(a) = &problem.operator {
            let tree = self.divide(problem, a);
            let new = tree.is_some();
            let Coupling { parts, interface, local, .. } = self;
            if parts.len() > 1 {
                let rows = &interface.rows;
                for_each(parts, |part| part.fill((problem, a), rows, local, new));
                interface.fill((problem, a), parts, tree.as_ref());
                self.is_whole = parts.iter().any(Subsystem::needs_shift);
                // Room for what a usual solve notes.
                self.seen.clear();
                self.seen.reserve(ROOM);
                let turns = self.choice.max_iterations.min(MAX_TURNS) + EXTRA_TURNS;
                interface.reserve(turns, parts.len());
                let (m, n) = (problem.rows(), interface.len());
                let Iterate { lambda, w, set, certificate, subsystems } = &mut self.best;
                for v in [lambda, w, certificate] {
                    v.reserve(m.saturating_sub(v.len()));
                }
                set.reserve(m.saturating_sub(set.len()));
                subsystems.reserve(self.of.len().saturating_sub(subsystems.len()));
                let Iterate { lambda, w, .. } = &mut self.from;
                for v in [lambda, w, &mut self.to] {
                    v.reserve(n.saturating_sub(v.len()));
                }
            }
        }
        if self.is_whole {
            self.whole.prepare(problem);
        }
    }

    /// Bodies and rows of the subsystems, and how they are clustered, if the
    /// structure is new.
    fn divide(&mut self, problem: &Problem, a: &Multibody) -> Option<Tree> {
        let names = (0..a.body_count()).map(|b| a.subsystem(b).map_or(0, |s| 1 + u64::from(s)));
        let joints = problem.laws.iter().map(|law| u64::from(law.bounds() == UNBOUNDED));
        let pattern = mix_all(a.pattern_hash(), names.chain(joints));
        if self.pattern == Some(pattern) {
            return None;
        }
        self.pattern = Some(pattern);
        self.of = self.choice.partition.assign(problem);
        let of = &self.of;
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
        let mut between = Between::default();
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
            self.interface.rows.push(i as u32);
            between.push(bodies.iter().map(|&b| of[b as usize]));
        }
        Some(self.connect(&between))
    }

    /// Brings the rows of the interface, which act on these subsystems, into the
    /// order of the tree.
    fn connect(&mut self, between: &Between) -> Tree {
        let mut tree = Tree::new(self.parts.len(), between, self.choice.is_flat);
        let rows = std::mem::take(&mut self.interface.rows);
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&k| tree.of_row[k]);
        tree.of_row.sort_unstable();
        for (g, &k) in order.iter().enumerate() {
            self.interface.rows.push(rows[k]);
            between.of(k).iter().for_each(|&s| self.parts[s as usize].gamma.push(g as u32));
        }
        tree
    }

    /// Levels of clusters of the last solve, none if that was of the whole.
    pub fn levels(&self) -> usize {
        if self.is_whole { 0 } else { self.interface.levels() }
    }

    /// What the last solve multiplied.
    pub fn work(&self) -> &Work {
        &self.interface.work
    }

    pub fn run(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        iterate: &mut Iterate,
        probe: &mut dyn Probe,
    ) -> Outcome {
        let outcome = self.solve(problem, stop, iterate, probe);
        iterate.subsystems.clear();
        if !self.is_whole {
            iterate.subsystems.extend_from_slice(&self.of);
        }
        outcome
    }

    fn solve(
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
            self.sweeps.sweep_both_ways(problem, &mut iterate.lambda, SWEEPS);
        }
        self.interface.start(iterate, FIXED_WIDTH * stop.tolerance * problem.scale());
        if self.choice.falls_back && !self.choice.is_flat && self.outweighs(problem) {
            self.is_whole = true;
            let outcome = self.whole.run(problem, stop, iterate, probe);
            return Outcome { why: "the interface outweighs the whole", ..outcome };
        }
        let mut counts = Counts::default();
        self.best.lambda.clone_from(&iterate.lambda);
        self.best.set.clone_from(&iterate.set);
        let end = self.iterate(problem, stop, iterate, probe, &mut counts);
        counts.factorizations += self.interface.factorizations;
        match end {
            End::Solved => {
                iterate.set.resize(problem.rows(), RowState::Free);
                self.give(iterate);
                Outcome::new(Status::Converged, counts)
            }
            End::Failed(status) if !self.choice.falls_back => {
                let status = if status == Status::Cycling { Status::Stalled } else { status };
                iterate.set.resize(problem.rows(), RowState::Free);
                self.give(iterate);
                Outcome::new(status, counts)
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

    /// Whether columns and interface, with the rows free that are free at the
    /// start, take so much that the whole takes far less. Only where they take far
    /// more than the factors of the subsystems is the whole analysed to know.
    fn outweighs(&mut self, problem: &Problem) -> bool {
        let Coupling { parts, interface, whole, .. } = self;
        let (mut factors, mut rest) = (0.0, interface.expected());
        for part in parts {
            let (factor, columns) = part.expected(&interface.set);
            factors += factor;
            rest += columns;
        }
        if rest <= (OUTWEIGHS * factors).max(LEAST_WORK) {
            return false;
        }
        whole.prepare(problem);
        factors + rest > OUTWEIGHS * whole.work()
    }

    fn iterate(
        &mut self,
        problem: &Problem,
        stop: &Stop,
        start: &Iterate,
        probe: &mut dyn Probe,
        counts: &mut Counts,
    ) -> End {
        let scale = problem.scale();
        let tolerance = 0.5 * stop.tolerance * scale;
        let limit = stop.max_iterations.unwrap_or(self.choice.max_iterations);
        let newton = self.choice.feel == Feel::Effective;
        self.begin(start, stop, scale, counts);
        if newton && self.is_hopeless() {
            return End::Failed(Status::Cycling);
        }
        let (mut least, mut last, mut refined) = (f64::INFINITY, f64::INFINITY, 0);
        loop {
            let before = self.interface.pivots;
            if !self.solve_interface(1e-2 * tolerance) || !self.turn(counts) {
                return End::Failed(Status::Cycling);
            }
            if newton && counts.iterations > 1 && !self.search(1e-2 * tolerance, counts) {
                return End::Failed(Status::Cycling);
            }
            let moved = self.interface.pivots - before + self.pivots;
            counts.pivots += moved;
            let residual = self.interface.residual();
            probe.iteration(counts.iterations, residual);
            let out = counts.iterations >= limit
                || counts.factorizations > MAX_FACTORIZATIONS * self.parts.len();
            let damping = self.interface.damping;
            let exact = damping == 0.0 && self.reach == 1.0;
            if newton && moved == 0 && counts.iterations > 1 && exact {
                // The sets stand, what is left is rounding: no iteration of its own.
                counts.iterations -= 1;
                counts.inner += 1;
                refined += 1;
            }
            if residual <= 1e-2 * tolerance {
                return End::Solved;
            }
            let stalls = refined > 0 && (residual > 0.25 * last || refined > 4);
            if stalls || out {
                let status = if out { Status::IterationLimit } else { Status::Stalled };
                return if residual <= tolerance { End::Solved } else { End::Failed(status) };
            }
            last = residual;
            if newton {
                self.damp(moved);
            }
            if residual < least {
                least = residual;
                self.best.set.resize(problem.rows(), RowState::Free);
                self.parts.iter().for_each(|part| part.give(&mut self.best));
                self.interface.give(&mut self.best);
            }
        }
    }

    /// The start: index sets as they come, no pivots yet.
    fn begin(&mut self, start: &Iterate, stop: &Stop, scale: f64, counts: &mut Counts) {
        let Coupling { parts, interface, choice, .. } = self;
        let (lambda, wanted) = (&interface.lambda, &interface.wanted);
        let warm = start.set.len() == start.lambda.len();
        let stays = |&g: &u32| {
            let i = interface.rows[g as usize] as usize;
            lambda[g as usize] == start.lambda[i]
        };
        for_each(parts, |part| {
            // Sweeps of a cold start leave w behind.
            let knows_w = warm && part.gamma.iter().all(stays);
            part.start(start, lambda, (stop, scale), knows_w);
            part.feel(choice.feel, wanted);
        });
        interface.measure(parts);
        (self.pivots, self.reach) = (0, 1.0);
        interface.work.round(parts.iter().map(|p| p.outcome.work));
        counts.factorizations += parts.iter().map(|p| p.outcome.factorizations).sum::<usize>();
    }

    /// Whether many rows are wrong within most subsystems, and joints alone connect
    /// them, as in a chain that falls to the ground: then coupling takes many
    /// iterations, and the whole no more than a few of them would.
    fn is_hopeless(&self) -> bool {
        let far = self.parts.iter().filter(|part| part.outcome.is_far).count();
        far as f64 > WANDERING * self.parts.len() as f64 && !self.interface.has_bounds()
    }

    /// λ_Γ from the subsystems as they are. Says whether it was found.
    fn solve_interface(&mut self, tolerance: f64) -> bool {
        let Coupling { parts, interface, seen, from, .. } = self;
        if parts.iter().any(|p| p.outcome.end != TurnEnd::Solved) {
            return false;
        }
        from.lambda.clone_from(&interface.lambda);
        from.w.clone_from(&interface.w);
        let solved = pivots::solve(interface, parts, seen, tolerance);
        interface.clamp();
        solved
    }

    /// Every subsystem for the λ_Γ at hand, in parallel. Says whether all were
    /// solved: where pivoting wanders in most of them and joints alone connect
    /// them, as in a chain that lies on the ground, one interior point for the
    /// whole takes less.
    fn turn(&mut self, counts: &mut Counts) -> bool {
        let Coupling { parts, interface, choice, .. } = self;
        let (lambda, wanted) = (&interface.lambda, &interface.wanted);
        for_each(parts, |part| {
            part.turn(lambda);
            if part.outcome.end != TurnEnd::Wandered {
                part.feel(choice.feel, wanted);
            }
        });
        let wandered = parts.iter().filter(|p| p.outcome.end == TurnEnd::Wandered).count();
        let most = WANDERING * parts.len() as f64;
        if wandered > 0 && (wandered as f64 <= most || interface.has_bounds()) {
            for_each(parts, |part| {
                if part.outcome.end == TurnEnd::Wandered {
                    part.climb();
                    part.feel(choice.feel, wanted);
                }
            });
        }
        interface.measure(parts);
        self.pivots = parts.iter().map(|p| p.outcome.pivots).sum::<usize>();
        counts.iterations += 1;
        interface.work.round(parts.iter().map(|p| p.outcome.work));
        counts.factorizations += parts.iter().map(|p| p.outcome.factorizations).sum::<usize>();
        parts.iter().all(|p| p.outcome.end == TurnEnd::Solved)
    }

    /// Damping for the next iteration. Where the contacts of a subsystem let
    /// go, S is next to nothing and a step of Newton's method out of all
    /// proportion: so much that shortening it stops all other rows, too.
    fn damp(&mut self, moved: usize) {
        let old = self.interface.damping;
        let new = match self.reach {
            reach if reach < 1.0 => (old.max(LEAST_DAMPING) / reach).min(1.0),
            _ if moved == 0 => 0.0,
            _ => RELIEF * old,
        };
        self.interface.damp(if new < LEAST_DAMPING { 0.0 } else { new });
    }

    /// Goes back where λ_Γ went too far. With the subsystems solved, w_Γ is the
    /// gradient of a convex function of λ_Γ, piecewise quadratic, and S its
    /// Hessian: the iteration is Newton's method, which overshoots where S
    /// changes on the way, and cycles. Its slope along the step must not end
    /// up positive by more than a share of what it was.
    fn search(&mut self, tolerance: f64, counts: &mut Counts) -> bool {
        let slope = |x: &Interface, from: &Iterate, to: &[f64], w: &[f64]| -> f64 {
            (0..x.len()).map(|g| w[g] * (to[g] - from.lambda[g])).sum()
        };
        self.to.clone_from(&self.interface.lambda);
        self.reach = 1.0;
        let first = slope(&self.interface, &self.from, &self.to, &self.from.w);
        let (mut low, mut high) = ((0.0, first), (1.0, 0.0));
        for _ in 0..MAX_HALVINGS {
            let now = slope(&self.interface, &self.from, &self.to, &self.interface.w);
            // Far enough: at the full step, past a part of the slope, or half
            // way to where it is positive.
            let far = high.0 == 1.0 || now >= -0.9 * first.abs() || high.0 <= 2.0 * self.reach;
            if now <= OVERSHOOT * first.abs() && far {
                return true;
            }
            if self.interface.residual() <= tolerance || first >= 0.0 {
                return true;
            }
            if now > 0.0 {
                high = (self.reach, now);
            } else {
                low = (self.reach, now);
            }
            let secant = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let margin = 0.1 * (high.0 - low.0);
            self.reach = secant.clamp(low.0 + margin, high.0 - margin);
            for g in 0..self.to.len() {
                let start = self.from.lambda[g];
                self.interface.lambda[g] = start + self.reach * (self.to[g] - start);
            }
            if !self.turn(counts) {
                return false;
            }
        }
        false
    }

    fn give(&self, iterate: &mut Iterate) {
        self.parts.iter().for_each(|part| part.give(iterate));
        self.interface.give(iterate);
    }
}
