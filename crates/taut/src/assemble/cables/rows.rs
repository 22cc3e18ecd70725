//! Rows of cables: lengths, changes of tension, and their gradients.

use super::springs::{SegmentSpring, factors, main_factor};
use super::{CableWork, Part, Scratch, follows};
use crate::assemble::energy_momentum::half_tangent;
use crate::assemble::joints::correction;
use crate::assemble::{IslandSolver, NOTHING, Scene, Stage, row6, unresolved};
use crate::cables::path::Span;
use crate::cables::{CableState, capstan, is_at_limit};
use crate::islands::Island;
use crate::lcp::{Law, RowState};
use crate::math::Vec3;

/// A cable is taut where its slack is less than this \[m\].
const TAUT: f64 = 1e-9;
// What half and twice of these change: docs/decisions/step-constants.md.

/// Lengths have converged where Newton changes them by this share of the cable's size, times the
/// ratio to what joints ask for (`CLOSED`).
const SHARPER: f64 = 30000.0;
/// Share of a cable's length that its row may give way by: half of what Newton asks for (`SHARPER`).
const GIVES: f64 = 5e-11;
/// Share that it may be off by to make up for its compliance.
const CONTRADICTION: f64 = 1e-4;
/// Below this a vibration is resolved, and left alone.
const RESOLVED: f64 = 1e-9;

/// What the row of a length says.
struct Length {
    law: Law,
    /// `None`: as rigid rows have it.
    compliance: Option<f64>,
    bias: f64,
    /// Speed at which its winch pays out \[m/s\].
    given: f64,
    /// How far Newton is from its end: converged below one.
    missed: f64,
}

impl IslandSolver {
    /// The row of the length. Returns how far Newton is from its end, converged below one.
    pub(super) fn push_length(
        &mut self,
        scene: &Scene,
        state: &CableState,
        work: &mut CableWork,
        stage: Stage,
        memory: Scratch,
    ) -> f64 {
        let (parts, located) = memory;
        let main: Vec<f64> = (0..state.cable.spans())
            .map(|i| capstan::main_factor(&state.cable, &work.start, i))
            .collect();
        self.gradient(scene, work, stage, |i| -main[i], parts);
        let stretches = state.cable.stretches();
        let mut row = match stage {
            Stage::Impact => impact_length(scene, state, work),
            Stage::Velocities => self.velocity_length(scene, state, work),
            _ if stretches => self.spring_length(scene, state, work, stage, parts),
            Stage::Positions => self.position_length(scene, state, work, parts),
            Stage::Unrepaired | Stage::Step | Stage::Repair => {
                let phi = state.length - work.start.length;
                let bias = match stage {
                    Stage::Unrepaired => phi.max(0.0) / scene.h,
                    _ if phi > 0.0 => phi / scene.h,
                    _ => correction(scene, phi),
                };
                Length { bias, ..pulling(scene, state, work) }
            }
        };
        // Between fixed things there is nothing to pull.
        if parts.iter().all(|p| scene.local[p.0 as usize] == u32::MAX) {
            row.law = NOTHING;
        }
        if row.compliance.is_none() {
            let soft = stage == Stage::Velocities && stretches;
            let factor = if soft { softness(scene, work.unresolved) } else { 1.0 };
            self.rigid.push((self.problem.b.len(), factor));
        }
        work.rubs = row.law != NOTHING || main.contains(&0.0);
        work.given = row.given;
        let start = started(row.law, work.impulses[0], state.memory.first());
        work.blocks = None;
        if row.compliance.is_some() && work.springs.len() > 1 {
            work.blocks = Some(self.push_springs(scene, state, work));
        }
        self.locate_springs(work, |j| main_factor(work, state, j), located);
        let numbers = (row.compliance.unwrap_or(0.0), row.bias, row.given);
        self.push_wide(scene, parts, located, numbers, (row.law, start));
        row.missed
    }

    /// The length of a cable that stretches: the sum of its springs.
    fn spring_length(
        &mut self,
        scene: &Scene,
        state: &CableState,
        work: &mut CableWork,
        stage: Stage,
        parts: &[Part],
    ) -> Length {
        let row = pulling(scene, state, work);
        if stage == Stage::Positions {
            let own = |(j, s): (usize, &SegmentSpring)| main_factor(work, state, j) * s.rest();
            let rest: f64 = work.springs.iter().enumerate().map(own).sum();
            work.unresolved = self.unresolved_by(scene, state.cable.stiffness / rest, parts);
            self.find_unresolved_changes(scene, state, work);
        }
        let missed = self.find_springs(
            scene,
            state,
            work,
            stage,
            (&mut Vec::new(), resolution(state, work)),
        );
        let own = |(j, s): (usize, &SegmentSpring)| main_factor(work, state, j) * s.bias;
        let bias = work.springs.iter().enumerate().map(own).sum();
        let compliance = if work.springs.len() == 1 { work.springs[0].compliance } else { 0.0 };
        let law = if stage == Stage::Repair { NOTHING } else { row.law };
        Length { law, compliance: Some(compliance), bias, missed, ..row }
    }

    /// The length at the end of the step of a cable that does not stretch.
    fn position_length(
        &self,
        scene: &Scene,
        state: &CableState,
        work: &CableWork,
        parts: &[Part],
    ) -> Length {
        let (h, row) = (scene.h, pulling(scene, state, work));
        let phi = state.length - work.start.length;
        let ahead = state.length + work.paid - work.end.length;
        let rate = self.rate_of(scene, parts) + row.given;
        let remainder = ahead - phi - h * rate;
        let wanted = if phi > 0.0 { 0.0 } else { phi - h * correction(scene, phi) };
        let bias = (phi + remainder - wanted) / h;
        let off = ahead - wanted;
        let impulse = work.impulses.first().copied().unwrap_or(0.0);
        let most = row.law.bounds().1;
        let slips = is_at_limit(impulse, most) || state.jams(work.start.length);
        let missed = if slips { 0.0 } else { (-off).max(0.0) / resolution(state, work) };
        Length { bias, missed, ..row }
    }

    /// The rate of the length at the end of the step.
    fn velocity_length(&self, scene: &Scene, state: &CableState, work: &CableWork) -> Length {
        let mut row = pulling(scene, state, work);
        let stretches = state.cable.stretches();
        let (speed, acceleration) = winch_motion(scene, state, work);
        row.given = speed + (scene.late + 0.5 * scene.h) * acceleration;
        if !stretches && row.given < 0.0 {
            // What follows no more has no speed that would do.
            row.given = row.given.max(-follows(scene, &work.end) / scene.h);
        }
        let first = self.first_impulse(work.row);
        let most = row.law.bounds().1;
        let slips = most.is_finite() && is_at_limit(first, most);
        if first == 0.0 {
            row.law = NOTHING;
        } else if slips || stretches && work.unresolved <= RESOLVED {
            // A winch that slips pulls with its force.
            row.law = Law::Box { lo: first, hi: first };
        }
        row
    }

    /// Takes the compliance of rigid rows out of lengths: they give way to changes of tension alone, so that Newton
    /// closes them, where they would give way by more than it asks for. (A gram between cables under ten tonnes gave way by 30 µm, and steps were halved for it.) Lengths
    /// that contradict one another by more than a share stay apart.
    pub(in crate::assemble) fn stiffen_cables(
        &mut self,
        scene: &Scene,
        island: &Island,
        relative: f64,
    ) {
        self.stiffen_stops(relative);
        for (work, &slot) in self.cables.active().iter().zip(&island.cables) {
            let rigid = scene.cables.at(slot).filter(|s| !s.cable.stretches());
            let (Some(state), Some(impulse)) = (rigid, work.impulses.first()) else { continue };
            let gives = relative * self.diagonal[work.row] * impulse.max(0.0);
            let length = state.length / scene.h;
            if gives > GIVES * length {
                self.problem.b[work.row] -= gives.min(CONTRADICTION * length);
            }
        }
    }

    /// The rows of the changes of tension.
    pub(super) fn push_changes(
        &mut self,
        scene: &Scene,
        state: &CableState,
        work: &mut CableWork,
        stage: Stage,
        memory: Scratch,
    ) {
        if work.rows == 1 {
            return;
        }
        let (parts, located) = memory;
        work.rubs &= stage != Stage::Repair;
        let changes: Vec<_> = capstan::changes(&state.cable, &work.start, &work.end).collect();
        let velocities = stage == Stage::Velocities;
        work.held.clear();
        let mut tensions = std::mem::take(&mut work.tensions);
        capstan::tensions(&state.cable, &work.start, &work.impulses, &mut tensions);
        for (j, change) in changes.iter().enumerate() {
            self.gradient(scene, work, stage, |span| -change.factor(span), parts);
            let (lo, hi) = capstan::bounds(change, capstan::sides(change, &tensions), 0.0);
            let fixed = parts.iter().all(|p| scene.local[p.0 as usize] == u32::MAX);
            let acts = if change.apart { stage != Stage::Repair && !fixed } else { work.rubs };
            let mut law = if acts { Law::Box { lo, hi } } else { NOTHING };
            let (mut bias, gives) = (0.0, work.blocks.is_some());
            let s = work.unresolved_changes[j];
            let soft = velocities && state.cable.stretches();
            if gives {
                let own = |(i, s): (usize, &SegmentSpring)| factors(work, change, i) * s.bias;
                bias = work.springs.iter().enumerate().map(own).sum();
            } else {
                let factor = if soft { softness(scene, s) } else { 1.0 };
                self.rigid.push((self.problem.b.len(), factor));
            }
            // What pulls at nothing that may move follows from the rest (`capstan::keep_dead`).
            let dead = fixed && !state.cable.stretches();
            work.held.push(dead || soft && s <= RESOLVED);
            let first = self.first_impulse(self.problem.b.len());
            if dead {
                law = NOTHING;
            } else if work.held[j] && acts {
                law = Law::Box { lo: first, hi: first };
            } else if soft && change.apart && first == 0.0 {
                law = NOTHING;
            }
            let start = started(law, work.impulses[1 + j], state.memory.get(1 + j));
            // What a winch pays out comes into the first span, as long as it holds.
            let most = state.cable.winch.map_or(f64::INFINITY, |w| scene.h * w.max_force);
            let holds = !is_at_limit(tensions[0], most);
            let given = if holds { change.factor(0) * work.given } else { 0.0 };
            self.locate_springs(work, |i| factors(work, change, i), located);
            self.push_wide(scene, parts, located, (0.0, bias, given), (law, start));
        }
        work.tensions = tensions;
        work.rubs &= work.held.contains(&false); // Or forces are those of the first stage.
    }

    /// Σ weight·∂span, by slot: at the start of the step, at its end, or the mean of both.
    pub(super) fn gradient(
        &self,
        scene: &Scene,
        work: &CableWork,
        stage: Stage,
        weight: impl Fn(usize) -> f64,
        parts: &mut Vec<Part>,
    ) {
        parts.clear();
        let mut add = |slot: Option<u32>, factor: f64, (linear, angular): (Vec3, Vec3)| {
            let Some(slot) = slot else { return };
            match parts.iter_mut().find(|p| p.0 == slot) {
                Some(part) => {
                    part.1 += linear * factor;
                    part.2 += angular * factor;
                }
                None => parts.push((slot, linear * factor, angular * factor)),
            }
        };
        let turn = |slot: Option<u32>| {
            slot.map_or(1.0, |s| half_tangent(scene.h * self.mean_of(scene, s).1.length()))
        };
        for (i, (start, end)) in work.start.spans.iter().zip(&work.end.spans).enumerate() {
            let w = weight(i);
            if w == 0.0 || work.stopped[i] {
                continue;
            }
            let same = start.slots == end.slots && start.fixed == end.fixed && end.length > 0.0;
            for side in 0..2 {
                match stage {
                    Stage::Positions if same => {
                        let mean = mean_gradient(start, end, side, turn(start.slots[side]));
                        add(start.slots[side], w, mean);
                    }
                    Stage::Positions => {
                        add(start.slots[side], 0.5 * w, start.on[side]);
                        add(end.slots[side], 0.5 * w, end.on[side]);
                    }
                    Stage::Velocities => add(end.slots[side], w, end.on[side]),
                    _ => add(start.slots[side], w, start.on[side]),
                }
            }
        }
        parts.sort_unstable_by_key(|p| p.0);
    }

    /// The parts of a row on the blocks of its cable's segments.
    fn locate_springs(
        &self,
        work: &CableWork,
        factor: impl Fn(usize) -> f64,
        located: &mut Vec<(u32, [f64; 6])>,
    ) {
        located.clear();
        let Some(first) = work.blocks else { return };
        for (n, six) in work.springs.chunks(6).enumerate() {
            let mut row = [0.0; 6];
            for (i, x) in row.iter_mut().enumerate().take(six.len()) {
                *x = factor(6 * n + i);
            }
            located.push((first + n as u32, row));
        }
    }

    /// Jv̄ of the mean velocities.
    pub(super) fn rate_of(&self, scene: &Scene, parts: &[Part]) -> f64 {
        let of = |&(slot, linear, angular): &Part| {
            let (v, w) = self.mean_of(scene, slot);
            linear.dot(v) + angular.dot(w)
        };
        parts.iter().map(of).sum()
    }

    /// How far a step fails to resolve a vibration with this stiffness: 0 to 1.
    fn unresolved_by(&self, scene: &Scene, stiffness: f64, parts: &[Part]) -> f64 {
        let a = self.mobility(scene, parts);
        unresolved(scene.h * scene.h * stiffness * a)
    }

    /// The same of what moves between the segments at each change of tension: Σ a²c is the compliance that it sees.
    fn find_unresolved_changes(&self, scene: &Scene, state: &CableState, work: &mut CableWork) {
        if work.springs.len() < 2 {
            return;
        }
        let mut parts = Vec::new();
        let changes: Vec<_> = capstan::changes(&state.cable, &work.start, &work.end).collect();
        for (i, change) in changes.iter().enumerate() {
            let of = |(j, s): (usize, &SegmentSpring)| factors(work, change, j).powi(2) * s.rest();
            let gives: f64 = work.springs.iter().enumerate().map(of).sum();
            self.gradient(scene, work, Stage::Positions, |span| -change.factor(span), &mut parts);
            let stiffness = state.cable.stiffness / gives;
            work.unresolved_changes[i] =
                if gives > 0.0 { self.unresolved_by(scene, stiffness, &parts) } else { 0.0 };
        }
    }

    /// J M⁻¹ Jᵀ of a row.
    pub(super) fn mobility(&self, scene: &Scene, parts: &[Part]) -> f64 {
        let of = |&(slot, linear, angular): &Part| {
            let moves = scene.local[slot as usize] != u32::MAX;
            scene.bodies.at(slot).filter(|_| moves).map_or(0.0, |b| {
                linear.length_squared() / b.mass + angular.dot(b.inverse_inertia_at(b.q) * angular)
            })
        };
        parts.iter().map(of).sum()
    }

    /// Appends a row on any number of bodies, and on what is located already.
    pub(super) fn push_wide(
        &mut self,
        scene: &Scene,
        parts: &[Part],
        located: &mut Vec<(u32, [f64; 6])>,
        (compliance, bias, given): (f64, f64, f64),
        (law, start): (Law, (f64, RowState)),
    ) {
        let (mut free, mut foreign) = (0.0, given);
        for &(slot, linear, angular) in parts {
            let local = scene.local[slot as usize];
            if let Some(&(v, w)) = self.v_free.get(local as usize) {
                located.push((local, row6(linear, angular)));
                free += linear.dot(v) + angular.dot(w);
            } else if let Some(body) = scene.bodies.at(slot) {
                let (v, w) = body.given(self.foreign_time);
                foreign += linear.dot(v) + angular.dot(w);
            }
        }
        located.sort_unstable_by_key(|p| p.0);
        if let Some(m) = self.multibody()
            && let Err(e) = m.push_row(located, compliance)
        {
            let _ = m.push_row(&[], compliance);
            self.report.refuse(e);
        }
        self.problem.b.push(bias + free + foreign);
        self.foreign.push(foreign);
        self.problem.laws.push(law);
        self.iterate.lambda.push(start.0);
        self.iterate.set.push(start.1);
    }
}

/// The rate of the length at the start of the step, where things collide.
fn impact_length(scene: &Scene, state: &CableState, work: &CableWork) -> Length {
    let mut row = pulling(scene, state, work);
    row.given = winch_motion(scene, state, work).0;
    if state.cable.stretches() || state.length - work.start.length > TAUT {
        row.law = NOTHING;
    }
    row
}

/// Factor of the compliance of a rigid row for one in the second stage whose vibration is unresolved by this share: from
/// infinity, where the forces of the first stage stay, to one.
fn softness(scene: &Scene, unresolved: f64) -> f64 {
    let s = unresolved.max(RESOLVED);
    let compliance = scene.settings.compliance;
    if compliance > 0.0 { ((1.0 - s) / (s * compliance)).max(1.0) } else { 1.0 }
}

/// A row of a length that may pull, as far as its winch holds.
fn pulling(scene: &Scene, state: &CableState, work: &CableWork) -> Length {
    let law = Law::Box { lo: 0.0, hi: strongest(scene, state, work) };
    Length { law, compliance: None, bias: 0.0, given: work.paid / scene.h, missed: 0.0 }
}

/// Speed and acceleration at which a winch pays out; one that stops has paid what it has.
fn winch_motion(scene: &Scene, state: &CableState, work: &CableWork) -> (f64, f64) {
    let runs = state.cable.winch.filter(|_| !work.stops);
    runs.map_or((work.paid / scene.h, 0.0), |w| (w.speed, w.acceleration))
}

/// Length that Newton may miss by \[m\].
pub(super) fn resolution(state: &CableState, work: &CableWork) -> f64 {
    work.start.length.max(state.length) / SHARPER
}

/// Mean gradient of a span on one side.
fn mean_gradient(start: &Span, end: &Span, side: usize, turn: f64) -> (Vec3, Vec3) {
    if start.fixed == [true; 2] {
        let d = |s: &Span| s.ends[1] - s.ends[0];
        let u = (d(start) + d(end)) / (start.length + end.length);
        let linear = if side == 0 { -u } else { u };
        let arm = (start.arms[side] + end.arms[side]) * (0.5 * turn);
        return (linear, arm.cross(linear));
    }
    let linear = 0.5 * (start.on[side].0 + end.on[side].0);
    let angular = 0.5 * (start.on[side].1 + end.on[side].1);
    (linear, if start.fixed[side] { angular * turn } else { angular })
}

/// The most that the mean tension may be for what a winch holds at its end, as an impulse.
fn strongest(scene: &Scene, state: &CableState, work: &CableWork) -> f64 {
    let Some(winch) = state.cable.winch else { return f64::INFINITY };
    let beyond = capstan::beyond_first(&state.cable, &work.start, &work.impulses);
    (scene.h * winch.max_force + beyond).max(0.0)
}

/// Where a row starts.
fn started(law: Law, impulse: f64, memory: Option<&(f64, RowState)>) -> (f64, RowState) {
    let (lo, hi) = law.bounds();
    match memory {
        Some((_, state)) if law != NOTHING => (impulse.clamp(lo, hi), *state),
        _ if lo < 0.0 && hi > 0.0 => (0.0, RowState::Free),
        _ => (if lo == hi { lo } else { 0.0 }, RowState::Lower),
    }
}
