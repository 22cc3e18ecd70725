//! Soft bodies in the step of their island.
//!
//! **Problem**: implicit Euler for soft bodies (`taut_soft`), (M + hB + h²K) u = M uᵗ + h(f − ∇E) + J_sᵀλ, the semi-implicit step
//! for the rigid ones, and all rows of the island at once: joints, cables, contacts, contacts of soft bodies, nodes fixed to bodies.
//! **Update**: the dual form. A soft body's velocities are eliminated by its own factor:
//! A = J M̃⁻¹ Jᵀ + C + Σ J_s (M + hB + h²K)⁻¹ J_sᵀ (Andrews22 4.3.3, W_A of 4.3.4), dense, with laws and b as ever. So friction,
//! bounds of cables and passes are those of rigid islands. Contacts that the answer turns out to lack are added, and elastic forces
//! linearized again about the answer while that leaves too much of the equation.
//! Bodies turn by the midpoint rule within it (`taut_soft`, `turn`), and attached nodes end where the body that turns has its points.
//! Where nothing is near, a soft body takes the midpoint rule, which keeps energy and momenta.
//! **Cost**: a factorization of each soft body per linearization, and m² numbers and about m³/3 products per pivoting or Newton step
//! for the m rows of the island.
//! **Fails** where elements invert so far that M + hB + h²K̂ is no longer finite: the body stays, and the step is not converged.
//! **Reference**: Andrews22 4.2, 4.3.

use super::contacts::push_rate;
use super::friction::ConeLaw;
use super::{IslandSolver, Scene, Stage, Twist, elastic};
use crate::integrate::turn;
use crate::islands::Island;
use crate::lcp::{Dense, Law, Multibody, Operator, Problem, RowState};
use crate::math::Vec3;
use crate::softs::{Motions, Other, Patch, Touch, When, find, find_own, tangents};
use std::sync::MutexGuard;
use taut_soft::Integrator;

/// Rounds of adding contacts that the answer lacks.
const ROUNDS: usize = 6;
/// Linearizations of elastic forces in a step as a rule. (A rod whose end swings down
/// with a bob takes five in 24 of 120 steps.)
const LINEARIZATIONS: usize = 4;
/// And at most, where those left more than `SETTLED`.
const MOST_LINEARIZATIONS: usize = 12;
/// Answers that turns follow; then they stay, so that the rest is Newton's method. (Where soft cubes strike one another, with strains of 0.3, turns that followed
/// to the end left 1e-5 after 8 linearizations: 7 of 60 frames of `jelly-stack`.)
const TURNS: usize = 3;
/// Residual of the equation of a soft body, relative to its largest term, at which relinearizing stops early. (Four cubes on one another, `jelly-stack`: from 3e-3 by a factor of 50 each time, down to about 1e-6,
/// where cones that are solved to 1e-8 leave impulses of 80 contacts open.)
const LEFT: f64 = 1e-7;
/// The same from the last linearization of the rule on: what is left above it does not count as settled.
const SETTLED: f64 = 1e-5;
/// Products of factorizations of the problem in a step after which it is left as it is, not settled: about a second. (`tyre` takes 3e7 a frame, 23 factorizations of
/// 154 rows; `jelly-stack` 1e10 where it lands, and was left unsettled at 4e9; a cube of 6³ cells that 20 t crush has 513 rows.)
const MOST_WORK: f64 = 2e10;
/// Newton steps of the midpoint rule.
const NEWTON: usize = 30;

type Elastic<'a> = MutexGuard<'a, taut_soft::SoftBody>;

/// Entries of a row on one soft body of the island: its place in the island, freedoms and values.
type Entries = (usize, Vec<(u32, f64)>);

/// Soft bodies of an island, and their rows.
#[derive(Default)]
pub(crate) struct SoftWorks {
    /// Velocities without and with the impulses of rows, by soft body of the island.
    free: Vec<Vec<Vec3>>,
    u: Vec<Vec<Vec3>>,
    /// Whether bodies have velocities of an answer, from which rows may know how far they turn.
    answered: bool,
    /// Which soft bodies turn by the midpoint rule.
    turns: Vec<bool>,
    /// Where nodes and velocities are after the step.
    pub(crate) arrivals: Vec<(Vec<Vec3>, Vec<Vec3>)>,
    /// Contacts, by key.
    pub(crate) touches: Vec<Touch>,
    /// Forces on attached nodes, by soft body and attachment \[N\].
    pub(crate) pulls: Vec<Vec3>,
    /// The first row of soft bodies, and their entries.
    first: usize,
    rows: Vec<Vec<Entries>>,
    /// Σ J_s A_s⁻¹ J_sᵀ of these rows.
    w: Vec<f64>,
    /// Compliances of these rows, and the impulses about which they give way.
    gives: Vec<(f64, f64)>,
    /// Whether the rows at hand are those of a step with soft bodies.
    posed: bool,
    /// The problem with it, where there are soft bodies.
    pub(super) whole: Option<Problem>,
    /// Deepest penetration of a soft body at the end \[m\].
    pub(crate) deepest: f64,
}

impl SoftWorks {
    /// Whether the problem at hand has rows of soft bodies, or may.
    pub(super) fn is_posed(&self) -> bool {
        self.posed
    }

    /// How fast rows give way at most, by the impulses of the answer \[m/s\].
    pub(super) fn gave(&self, lambda: &[f64]) -> f64 {
        let own = lambda.get(self.first..).unwrap_or(&[]);
        let gave = self.gives.iter().zip(own).map(|((c, start), l)| (c * (l - start)).abs());
        if self.posed { gave.fold(0.0, f64::max) } else { 0.0 }
    }

    /// Forgets the problem: the next one is without soft bodies.
    pub(super) fn unpose(&mut self) {
        (self.posed, self.whole) = (false, None);
    }
}

impl IslandSolver {
    /// The step of an island with soft bodies.
    pub(super) fn run_soft(&mut self, scene: &Scene, island: &Island) {
        self.arrivals.clear();
        self.begin_soft(scene, island);
        if self.fly(scene, island) {
            self.velocities.clear();
            return;
        }
        let softs = island.softs.iter().filter_map(|&s| scene.softs.at(s));
        let mut elastic: Vec<Elastic> = softs.map(|s| s.lock()).collect();
        self.find_geometric(scene, island);
        for time in 0..MOST_LINEARIZATIONS {
            if !self.linearize(scene, island, &mut elastic, time == 0) {
                break;
            }
            if time == 0 {
                self.soft.u.clone_from(&self.soft.free);
                self.find_touches(scene, island, When::Start);
            }
            let mut lacks = true;
            for _ in 0..ROUNDS {
                self.push_rows(scene, island, Stage::Step);
                self.find_inverse(&mut elastic);
                self.solve_with_friction(scene, island, Stage::Step, usize::MAX);
                self.find_velocities(island);
                self.respond(&mut elastic);
                self.note_forces(scene, island);
                lacks = !self.report.is_broken() && self.find_touches(scene, island, When::End);
                if !lacks || self.is_spent() {
                    break;
                }
            }
            let left = self.left(scene, &mut elastic, time < TURNS);
            self.soft.answered = true;
            let unsettled = match (left <= SETTLED, lacks) {
                (false, _) => Some("elastic forces"),
                (true, true) => Some("contacts"),
                (true, false) => None,
            };
            self.report.given_up =
                unsettled.map(|what| format!("{what} of soft bodies did not settle"));
            let enough = if time + 1 < LINEARIZATIONS { LEFT } else { SETTLED };
            if self.report.is_broken() || self.is_spent() || left <= enough {
                break;
            }
        }
        self.answer(scene, island);
        self.add_impacts();
        self.arrive(scene, island, &elastic);
    }

    /// Whether the step has taken all the work that it may.
    fn is_spent(&self) -> bool {
        let rows = self.problem.b.len() as f64;
        self.report.factorizations as f64 * rows.powi(3) / 3.0 > MOST_WORK
    }

    fn begin_soft(&mut self, scene: &Scene, island: &Island) {
        let soft = &mut self.soft;
        let states = || island.softs.iter().filter_map(|&s| scene.softs.at(s));
        soft.u.clear();
        soft.u.extend(states().map(|s| vec![Vec3::ZERO; s.x.len()]));
        soft.free.clone_from(&soft.u);
        soft.touches.clear();
        soft.pulls.clear();
        soft.pulls.extend(states().flat_map(|s| s.attachments.iter().map(|a| a.force)));
        soft.unpose();
        soft.answered = false;
        soft.turns.clear();
        soft.turns.extend(states().map(|s| s.turns_freely(scene.bodies)));
        soft.deepest = 0.0;
        soft.arrivals.clear();
    }

    /// The midpoint rule, for a soft body that nothing is near to; false where there is something, or Newton does not converge.
    fn fly(&mut self, scene: &Scene, island: &Island) -> bool {
        let ([slot], true) = (island.softs.as_slice(), island.bodies.is_empty()) else {
            return false;
        };
        let (Some(state), Some(near)) = (scene.softs.at(*slot), scene.near.get(*slot as usize))
        else {
            return false;
        };
        if !near.colliders.is_empty() || !near.softs.is_empty() || !state.attachments.is_empty() {
            return false;
        }
        let mut elastic = state.lock();
        let rule = Integrator::Midpoint { iterations: NEWTON };
        let moved = elastic.step(scene.h, scene.gravity.to_array(), rule);
        let mut found = moved.is_ok_and(|progress| progress.converged && progress.inverted == 0);
        let vectors = |of: &[[f64; 3]]| of.iter().map(|x| Vec3::from(*x)).collect::<Vec<_>>();
        let arrival = (vectors(elastic.positions()), vectors(elastic.velocities()));
        if found {
            let rate = |(x, y): (&Vec3, &Vec3)| (*y - *x) / scene.h;
            self.soft.u = vec![state.x.iter().zip(&arrival.0).map(rate).collect()];
            let (velocity, mut own) = (|slot| self.velocity_of(scene, slot, When::End), Vec::new());
            let (softs, u) = (&island.softs[..], &self.soft.u[..]);
            let motions = Motions { when: When::End, softs, u, velocity: &velocity };
            find_own(scene, &motions, &[], *slot, &mut own);
            found = own.is_empty();
        }
        // Nothing moves before all islands have their answers.
        elastic.positions_mut().iter_mut().zip(&state.x).for_each(|(to, x)| *to = x.to_array());
        elastic.velocities_mut().iter_mut().zip(&state.v).for_each(|(to, v)| *to = v.to_array());
        if found {
            self.problem.b.clear();
            self.problem.laws.clear();
            self.soft.arrivals.push(arrival);
        }
        found
    }

    /// Elastic forces about the velocities at hand; false where that fails.
    fn linearize(
        &mut self,
        scene: &Scene,
        island: &Island,
        elastic: &mut [Elastic],
        first: bool,
    ) -> bool {
        for (k, soft) in elastic.iter_mut().enumerate() {
            let u: Vec<[f64; 3]> = self.soft.u[k].iter().map(|u| u.to_array()).collect();
            let start = match (first, self.soft.turns[k]) {
                (true, true) => soft.free_turn(scene.h),
                (true, false) => vec![[0.0; 3]; u.len()],
                (false, _) => u,
            };
            if first {
                soft.forget_turn();
                if self.soft.turns[k] {
                    soft.turn_with(scene.h, &start);
                }
            }
            let result = soft.linearize(scene.h, scene.gravity.to_array(), &start, first);
            let finite = |u: &Vec<[f64; 3]>| u.iter().flatten().all(|x| x.is_finite());
            match result.map(|u| (finite(&u), u)) {
                Ok((true, u)) => {
                    self.soft.free[k].clear();
                    self.soft.free[k].extend(u.iter().map(|u| Vec3::from(*u)));
                }
                Ok(_) => self.refuse(scene, island, k, "its velocities are not finite"),
                Err(e) => self.refuse(scene, island, k, &e.to_string()),
            }
        }
        !self.report.is_refused()
    }

    fn refuse(&mut self, scene: &Scene, island: &Island, k: usize, reason: &str) {
        let name = island.softs.get(k).and_then(|&s| scene.softs.at(s)).map_or("", |s| s.name());
        self.report.refuse(format!("soft body '{name}': {reason}"));
    }

    /// Adds contacts; false if there are none to add.
    fn find_touches(&mut self, scene: &Scene, island: &Island, when: When) -> bool {
        let mut found = Vec::new();
        let velocity = |slot: u32| self.velocity_of(scene, slot, when);
        let motions = Motions { when, softs: &island.softs, u: &self.soft.u, velocity: &velocity };
        let deepest = find(scene, &motions, &self.soft.touches, &mut found);
        if when == When::End {
            self.soft.deepest = deepest;
        }
        found.retain(|touch| self.can_give_way(scene, touch));
        // What it pressed with in the last step.
        for touch in &mut found {
            let last = scene.softs.at(touch.own.soft).map_or(&[][..], |s| &s.touches);
            if let Ok(k) = last.binary_search_by_key(&touch.key(), Touch::key) {
                touch.force = last[k].force;
            }
        }
        let any = !found.is_empty();
        self.soft.touches.extend(found);
        self.soft.touches.sort_by_key(Touch::key);
        any
    }

    /// Velocities of a body: free at the start, else those of the answer.
    fn velocity_of(&self, scene: &Scene, slot: u32, when: When) -> Twist {
        let Some(body) = scene.bodies.at(slot) else { return (Vec3::ZERO, Vec3::ZERO) };
        let local = scene.local[slot as usize] as usize;
        match (when, self.start.get(local), self.velocities.get(local)) {
            (When::Start, Some(&(v, w)), _) => {
                (v + scene.gravity * (body.body.gravity_scale * scene.h), w)
            }
            (When::End, _, Some(&twist)) if local < self.start.len() => twist,
            _ => body.given(0.5 * scene.h),
        }
    }

    /// Whether one side can move: rows between what is pinned and what is fixed say nothing.
    fn can_give_way(&self, scene: &Scene, touch: &Touch) -> bool {
        let free = |patch: &Patch| {
            let Some(soft) = scene.softs.at(patch.soft) else { return false };
            (0..3).any(|k| patch.weights[k] > 0.0 && !soft.is_pinned(patch.nodes[k] as usize))
        };
        free(&touch.own)
            || match touch.other {
                Other::Body { slot, .. } => {
                    (scene.local[slot as usize] as usize) < self.start.len()
                }
                Other::Soft(patch) => free(&patch),
            }
    }

    /// Rows of contacts and of attached nodes.
    pub(super) fn push_soft(&mut self, scene: &Scene, island: &Island) {
        let cone = self.cone(scene, Stage::Step);
        self.soft.posed = true;
        self.soft.first = self.problem.b.len();
        self.soft.rows.clear();
        let touches = std::mem::take(&mut self.soft.touches);
        for touch in &touches {
            let bias =
                if touch.gap > 0.0 { touch.gap / scene.h } else { push_rate(scene, touch.gap) };
            let normal = self.problem.b.len();
            let start = touch.force.map(|f| f * scene.h);
            let state = if start[0] > 0.0 { RowState::Free } else { RowState::Lower };
            let unilateral = Law::Box { lo: 0.0, hi: f64::INFINITY };
            let mu = touch.friction;
            let law = match cone {
                Some(law) if mu > 0.0 => {
                    Law::Cone { mu: [mu; 2], associated: law == ConeLaw::Associated }
                }
                _ => unilateral,
            };
            let sides = (&touch.own, &touch.other);
            self.push_soft_row(
                scene,
                island,
                sides,
                touch.normal,
                bias,
                Some(law),
                (start[0], state),
            );
            if mu > 0.0 {
                for (t, start) in tangents(touch.normal).into_iter().zip(&start[1..]) {
                    let bound = mu * self.iterate.lambda[normal];
                    let law = cone.is_none().then_some(Law::FrictionBox { normal, mu, bound });
                    let start = super::contacts::box_start(*start, bound);
                    self.push_soft_row(scene, island, sides, t, 0.0, law, start);
                }
            }
        }
        self.soft.touches = touches;
        self.push_attachments(scene, island);
    }

    fn push_attachments(&mut self, scene: &Scene, island: &Island) {
        let most = scene.settings.max_correction_speed;
        let mut pull = 0;
        for (k, &slot) in island.softs.iter().enumerate() {
            let Some(soft) = scene.softs.at(slot) else { continue };
            for a in &soft.attachments {
                let force = self.soft.pulls.get(pull).copied().unwrap_or(Vec3::ZERO);
                pull += 1;
                let Some(body) = scene.bodies.at(a.body.index) else { continue };
                let when = if self.soft.answered { When::End } else { When::Start };
                let (_, rate) = self.velocity_of(scene, a.body.index, when);
                // The body turns in the step: its point moves with the middle of both arms, and what that lacks of the way is known.
                let start = body.q * a.local;
                let turned = || turn(body, rate, scene.h).0 * a.local;
                let end = if self.soft.turns[k] { turned() } else { start };
                let arm = 0.5 * (start + end);
                let known = (start - end) / scene.h + rate.cross(arm);
                let lacks = if self.soft.turns[k] { known } else { Vec3::ZERO };
                let gap = soft.x[a.node as usize] - body.x - start;
                let point = body.x + arm;
                let other = Other::Body { slot: a.body.index, collider: u32::MAX, point };
                let own = Patch::node(slot, a.node);
                for (k, d) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                    let bias = (gap[k] / scene.h).clamp(-most, most) + lacks[k];
                    let start = (force[k] * scene.h, RowState::Free);
                    let law = Some(Law::Bilateral);
                    self.push_soft_row(scene, island, (&own, &other), d, bias, law, start);
                }
            }
        }
    }

    /// A row along d: what the own side moves against the other.
    #[expect(clippy::too_many_arguments, reason = "what a row consists of")]
    fn push_soft_row(
        &mut self,
        scene: &Scene,
        island: &Island,
        (own, other): (&Patch, &Other),
        d: Vec3,
        bias: f64,
        law: Option<Law>,
        start: (f64, RowState),
    ) {
        let mut row: Vec<Entries> = Vec::new();
        let mut rate = 0.0;
        let mut add = |patch: &Patch, sign: f64, free: &[Vec<Vec3>]| {
            let Some(k) = island.softs.iter().position(|&s| s == patch.soft) else { return };
            let Some(soft) = scene.softs.at(patch.soft) else { return };
            rate += sign * d.dot(patch.mean(&free[k]));
            let at = row.iter().position(|r| r.0 == k).unwrap_or_else(|| {
                row.push((k, Vec::new()));
                row.len() - 1
            });
            for (&node, weight) in patch.nodes.iter().zip(patch.weights) {
                if weight == 0.0 || soft.is_pinned(node as usize) {
                    continue;
                }
                let value = |axis: usize| sign * weight * d[axis];
                let entries = (0..3).filter(|&axis| d[axis] != 0.0);
                row[at].1.extend(entries.map(|axis| (3 * node + axis as u32, value(axis))));
            }
        };
        add(own, 1.0, &self.soft.free);
        let mut parts = [None];
        match other {
            Other::Soft(patch) => add(patch, -1.0, &self.soft.free),
            Other::Body { slot, point, .. } => {
                let arm = scene.bodies.at(*slot).map_or(Vec3::ZERO, |b| *point - b.x);
                parts[0] = Some((*slot, -d, -arm.cross(d)));
            }
        }
        self.soft.rows.push(row);
        let given = (0.0, bias + rate, 0.0);
        self.push_row::<1>(scene, parts.into_iter().flatten(), given, law, start);
    }

    /// W of the rows of soft bodies.
    fn find_inverse(&mut self, elastic: &mut [Elastic]) {
        let soft = &mut self.soft;
        let m = soft.rows.len();
        soft.w.clear();
        soft.w.resize(m * m, 0.0);
        let mut part = Vec::new();
        for (k, body) in elastic.iter_mut().enumerate() {
            let of = |i: usize| soft.rows[i].iter().find(|r| r.0 == k).map(|r| (i, &r.1));
            let own: Vec<_> = (0..m).filter_map(of).collect();
            let n = own.len();
            part.clear();
            part.resize(n * n, 0.0);
            if let Err(e) = body.factor_mut().add_inverse(n, |a| own[a].1, &mut part) {
                self.report.refuse(e);
                return;
            }
            for (a, (i, _)) in own.iter().enumerate() {
                own.iter().enumerate().for_each(|(b, (j, _))| soft.w[i * m + j] += part[a * n + b]);
            }
        }
    }

    /// The problem of the island with its soft bodies, from that of its rigid ones, as it is posed now. Contacts give way to
    /// changes of their force, as those of rigid bodies do (`elastic`): where two surfaces meet, their nodes ask for more than the
    /// freedoms that they have. (`jelly-stack`, 60 frames: 11 steps softened and 454 ms a frame without it.)
    pub(super) fn pose_whole(&mut self, relative: f64, has_cones: bool) {
        let soft = &mut self.soft;
        let m = soft.rows.len();
        let Operator::Multibody(rigid) = &self.problem.operator else { return };
        let n = rigid.rows();
        let mut a = dense(rigid);
        for i in 0..m {
            let row = (soft.first + i) * n + soft.first;
            a[row..row + m].iter_mut().zip(&soft.w[i * m..]).for_each(|(a, w)| *a += w);
        }
        let mut b = self.problem.b.clone();
        let first = soft.first;
        let fastest = b[first..].iter().fold(0.0_f64, |most, b| most.max(b.abs()));
        // Shares of rows in order: touches, then attached nodes, which do not give way.
        let mut shares = vec![0.0; m];
        let mut row = 0;
        for touch in &soft.touches {
            let count = if touch.friction > 0.0 { 3 } else { 1 };
            if count == 3 && has_cones {
                let i = first + row;
                let share = elastic::share(fastest, a[i * n + i] * self.iterate.lambda[i]);
                shares[row] = share;
                shares[row + 1..row + 3].fill(elastic::ACROSS * share);
            }
            row += count;
        }
        soft.gives.clear();
        for (i, share) in (first..).zip(shares) {
            let (diagonal, start) = (a[i * n + i], self.iterate.lambda[i]);
            let compliance = if diagonal > 0.0 { share.max(relative) * diagonal } else { 1.0 };
            let start = if share > 0.0 { start } else { 0.0 };
            a[i * n + i] += compliance;
            b[i] -= compliance * start;
            soft.gives.push((if share > 0.0 { compliance } else { 0.0 }, start));
        }
        match Dense::from_rows(n, a) {
            Ok(a) => {
                let laws = self.problem.laws.clone();
                soft.whole = Some(Problem { operator: Operator::Dense(a), b, laws });
            }
            Err(e) => self.report.refuse(e),
        }
    }

    /// Velocities of nodes with the impulses of rows.
    fn respond(&mut self, elastic: &mut [Elastic]) {
        for (k, body) in elastic.iter_mut().enumerate() {
            let mut push = self.pushes(k);
            body.factor_mut().solve(push.as_flattened_mut());
            let free = &self.soft.free[k];
            let moved = free.iter().zip(&push).map(|(u, p)| *u + Vec3::from(*p));
            self.soft.u[k].clear();
            self.soft.u[k].extend(moved);
        }
    }

    /// Impulses on the nodes of a soft body of the island.
    fn pushes(&self, k: usize) -> Vec<[f64; 3]> {
        let mut push = vec![[0.0; 3]; self.soft.u[k].len()];
        let lambda = self.iterate.lambda.get(self.soft.first..).unwrap_or(&[]);
        for (row, lambda) in self.soft.rows.iter().zip(lambda) {
            for (i, value) in row.iter().filter(|r| r.0 == k).flat_map(|r| &r.1) {
                push.as_flattened_mut()[*i as usize] += value * lambda;
            }
        }
        push
    }

    /// What velocities leave of the equations of soft bodies, with the turn that is theirs, relative to their terms.
    fn left(&self, scene: &Scene, elastic: &mut [Elastic], turn: bool) -> f64 {
        let left = |(k, body): (usize, &mut Elastic)| {
            let u: Vec<[f64; 3]> = self.soft.u[k].iter().map(|u| u.to_array()).collect();
            if turn && self.soft.turns[k] {
                body.turn_with(scene.h, &u);
            }
            body.residual(scene.h, scene.gravity.to_array(), &u, &self.pushes(k))
        };
        // (`f64::max` would pass over what is no number.)
        elastic
            .iter_mut()
            .enumerate()
            .map(left)
            .fold(0.0, |most, l| if l > most || l.is_nan() { l } else { most })
    }

    /// Forces of contacts and attachments, for the next solve and the next step.
    fn note_forces(&mut self, scene: &Scene, island: &Island) {
        let lambda = self.iterate.lambda.get(self.soft.first..).unwrap_or(&[]);
        let mut forces = lambda.iter().map(|l| l / scene.h);
        for touch in &mut self.soft.touches {
            let count = if touch.friction > 0.0 { 3 } else { 1 };
            touch.force[..count].iter_mut().for_each(|f| *f = forces.next().unwrap_or(0.0));
        }
        for pull in &mut self.soft.pulls {
            *pull = Vec3::from([0; 3].map(|_| forces.next().unwrap_or(0.0)));
        }
        debug_assert!(forces.next().is_none(), "{} soft bodies", island.softs.len());
    }

    /// Where soft bodies are after the step. An answer that is none leaves them where they are.
    fn arrive(&mut self, scene: &Scene, island: &Island, elastic: &[Elastic]) {
        for (k, &slot) in island.softs.iter().enumerate() {
            let Some(state) = scene.softs.at(slot) else { continue };
            let u = &self.soft.u[k];
            let good = !self.report.is_refused() && u.iter().all(|u| u.is_finite());
            if !good {
                let still = vec![Vec3::ZERO; state.v.len()];
                self.soft.arrivals.push((state.x.clone(), still));
                continue;
            }
            let x = state.x.iter().zip(u).map(|(x, u)| *x + *u * scene.h).collect();
            let means: Vec<[f64; 3]> = u.iter().map(|u| u.to_array()).collect();
            let gravity = scene.gravity.to_array();
            let end = elastic[k].end_velocities(scene.h, gravity, &means, &self.pushes(k));
            let end = end.into_iter().map(Vec3::from).collect();
            self.soft.arrivals.push((x, end));
        }
    }
}

/// J M⁻¹ Jᵀ + C, row by row.
fn dense(system: &Multibody) -> Vec<f64> {
    let n = system.rows();
    let mut a = vec![0.0; n * n];
    let mut of_body: Vec<Vec<(usize, [f64; 6])>> = vec![Vec::new(); system.body_count()];
    for i in 0..n {
        let (bodies, values) = system.row(i);
        for (&body, j) in bodies.iter().zip(values) {
            let inverse = system.inverse_mass(body as usize);
            let dot = |k: usize| (0..6).map(|l| inverse[k][l] * j[l]).sum::<f64>();
            let answer: [f64; 6] = std::array::from_fn(dot);
            for &(other, given) in &of_body[body as usize] {
                let value: f64 = j.iter().zip(&given).map(|(j, g)| j * g).sum();
                a[i * n + other] += value;
                a[other * n + i] += value;
            }
            a[i * n + i] += j.iter().zip(&answer).map(|(j, g)| j * g).sum::<f64>();
            of_body[body as usize].push((i, answer));
        }
        a[i * n + i] += system.compliance()[i];
    }
    a
}
