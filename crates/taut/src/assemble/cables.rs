//! Rows of cables.
//!
//! A cable has a row for its length, φ = L − Σl − Σrθ ≥ 0, with the mean tension for its
//! multiplier, and a row for each change of tension (`cables::capstan`), which is a slip. Both are
//! sums over spans, on any number of bodies. A winch changes L at a given rate, which is to
//! the row what a kinematic body is to others.
//!
//! **Positions.** The gradient is the mean of those at both ends of the step; for spans between points
//! (d + d⁺)/(l + l⁺), which is exact: (d⁺ − d)·(d + d⁺)/(l + l⁺) = l⁺ − l. What else the length at the
//! end differs by enters b, Newton iterates. A cable that gives pulls with its mean stretch,
//! so that ½kφ² is kept; where the step cannot resolve how it vibrates (h²kA far beyond 1, A the
//! mobility of its row), with that of the end, and the second stage takes what it rings by: it acts
//! there with a compliance that falls from infinity to nothing. A cable that was slack pulls
//! with the stretch of the end, for the mean would create ½kφ².
//!
//! **Transverse stiffness.** A span under the tension T holds its ends sideways by T/l: part of the
//! block of each body, as geometric stiffness is for joints, or light blocks between
//! heavy loads would keep Newton from converging.

use super::energy_momentum::half_tangent;
use super::joints::correction;
use super::{IslandSolver, NOTHING, Scene, Stage, geometric, row6};
use crate::cables::path::{Span, Way};
use crate::cables::{CableState, at_present, capstan};
use crate::islands::Island;
use crate::lcp::{Law, RowState};
use crate::math::{Mat3, Pose, Vec3};
use crate::scene::joint::Frame;

/// A cable is taut where its slack is less than this \[m\].
const TAUT: f64 = 1e-9;
/// Lengths have converged where Newton changes them by this share of the cable's size, times the
/// ratio to what joints ask for (`CLOSED`).
const SHARPER: f64 = 3000.0;
/// Passes in which the bounds of friction follow the tensions, and what they may miss by, relative
/// to the largest tension.
const PASSES: usize = 40;
const SETTLED: f64 = 1e-11;
const UNSETTLED: f64 = 1e-6;
/// Below this a vibration is resolved, and left alone.
const RESOLVED: f64 = 1e-9;

/// Part of a row on the body in a slot: linear and angular.
type Part = (u32, Vec3, Vec3);
/// Memory for the parts of a row, by slot and by place in the island.
type Scratch<'a> = (&'a mut Vec<Part>, &'a mut Vec<(u32, [f64; 6])>);

/// A cable of an island on its way through the step.
#[derive(Debug, Default)]
pub(crate) struct CableWork {
    slot: u32,
    start: Way,
    end: Way,
    /// First row.
    row: usize,
    rows: usize,
    /// Impulses of the rows by the last solve of a stage that moves, or by the last step.
    impulses: Vec<f64>,
    /// Tensions of its spans by these.
    tensions: Vec<f64>,
    /// How the end misses what the last gradient said \[m\].
    remainder: f64,
    /// How far the step fails to resolve its vibration: 0 to 1.
    unresolved: f64,
    /// Change of its rest length in the step \[m\].
    paid: f64,
    /// Whether friction acts in the present stage.
    rubs: bool,
    /// Whether it pulled in the last step.
    was_taut: bool,
}

impl CableWork {
    fn place(&mut self, state: &CableState, pose: impl Fn(Frame) -> (Option<u32>, Vec3, Pose)) {
        self.start.place(&state.cable, pose);
        self.start.find(&state.cable, &state.wraps, &state.touches, state.anchors);
    }
}

/// Memory of cables.
#[derive(Debug, Default)]
pub(crate) struct CableWorks {
    list: Vec<CableWork>,
    count: usize,
    parts: Vec<Part>,
    located: Vec<(u32, [f64; 6])>,
    mixing: capstan::Mixing,
    /// Rows whose friction alone would hold a slack cable, and the impulse at which it does.
    ceilings: Vec<(usize, f64)>,
    /// Rows at a bound in the last pass: row and side.
    bound: Vec<(usize, bool)>,
}

impl CableWorks {
    pub(super) fn active(&self) -> &[CableWork] {
        &self.list[..self.count]
    }

    /// Slot and number of each row.
    pub(super) fn keys(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.active().iter().flat_map(|c| (0..c.rows).map(|row| (c.slot, row)))
    }

    fn active_mut(&mut self) -> &mut [CableWork] {
        &mut self.list[..self.count]
    }
}

impl IslandSolver {
    /// The ways of cables at the start of the step.
    pub(super) fn take_cables(&mut self, scene: &Scene, island: &Island) {
        self.cables.count = island.cables.len();
        while self.cables.list.len() < self.cables.count {
            self.cables.list.push(CableWork::default());
        }
        for (work, &slot) in self.cables.active_mut().iter_mut().zip(&island.cables) {
            let Some(state) = scene.cables.at(slot) else { continue };
            work.slot = slot;
            work.place(state, at_present(scene.bodies));
            work.end.clone_from(&work.start);
            work.rows = state.cable.rows();
            work.impulses.clear();
            let remembered = |i: usize| state.memory.get(i).map_or(0.0, |m| scene.h * m.0);
            work.impulses.extend((0..work.rows).map(remembered));
            // The mean tension is that of the new lengths.
            work.impulses[0] = scene.h * capstan::mean(&work.start, &state.tensions);
            work.tensions.clear();
            work.tensions.extend(state.tensions.iter().map(|t| scene.h * t));
            work.was_taut = state.memory.first().is_some_and(|m| m.0 > 0.0);
            (work.remainder, work.unresolved) = (0.0, 0.0);
            work.paid = state
                .cable
                .winch
                .map_or(0.0, |w| scene.h * (w.speed + scene.late * w.acceleration));
        }
    }

    /// Number of rows of cables, which stand behind those of joints.
    pub(super) fn cable_rows(&self) -> usize {
        self.cables.active().iter().map(|c| c.rows).sum()
    }

    /// Where cables go at the end of the step.
    pub(super) fn move_cables(&mut self, scene: &Scene, island: &Island) {
        let mut cables = std::mem::take(&mut self.cables);
        for (work, &slot) in cables.active_mut().iter_mut().zip(&island.cables) {
            let Some(state) = scene.cables.at(slot) else { continue };
            let pose = |frame: Frame| {
                let body = frame
                    .body()
                    .and_then(|id| Some((id, scene.bodies.get(id.index, id.generation)?)));
                let Some((id, b)) = body else { return (None, Vec3::ZERO, Pose::IDENTITY) };
                let (x, q) = self.end_pose(scene, id, b);
                (Some(id.index), x, Pose::from_parts(x - q * b.centre, q))
            };
            work.end.place(&state.cable, pose);
            let expected: Vec<f64> = (0..state.wraps.len())
                .map(|k| state.wraps[k] + self.wound(scene, state, &work.start, k))
                .collect();
            work.end.find(&state.cable, &expected, &state.touches, state.anchors);
        }
        self.cables = cables;
    }

    /// What a drum winds up in the step by the mean rate of its body \[rad\].
    fn wound(&self, scene: &Scene, state: &CableState, way: &Way, k: usize) -> f64 {
        let (Some(slot), Some(circle)) = (way.nodes[k].slot, way.nodes[k].circle) else {
            return 0.0;
        };
        if !state.cable.is_end(k) {
            return 0.0;
        }
        let turn = scene.h * self.mean_of(scene, slot).1.dot(circle.axis);
        if k == 0 { -turn } else { turn }
    }

    /// The rows of all cables for a stage. Returns how far lengths miss their targets.
    pub(super) fn push_cables(&mut self, scene: &Scene, island: &Island, stage: Stage) -> f64 {
        let mut cables = std::mem::take(&mut self.cables);
        let mut missed = 0.0_f64;
        let mut parts = std::mem::take(&mut cables.parts);
        let mut located = std::mem::take(&mut cables.located);
        for (work, &slot) in cables.active_mut().iter_mut().zip(&island.cables) {
            let Some(state) = scene.cables.at(slot) else { continue };
            work.row = self.problem.b.len();
            let off = self.push_length(scene, state, work, stage, (&mut parts, &mut located));
            missed = missed.max(off);
            self.push_changes(scene, state, work, stage, (&mut parts, &mut located));
        }
        (cables.parts, cables.located) = (parts, located);
        self.cables = cables;
        missed
    }

    /// The row of the length.
    fn push_length(
        &mut self,
        scene: &Scene,
        state: &CableState,
        work: &mut CableWork,
        stage: Stage,
        memory: Scratch,
    ) -> f64 {
        let (parts, located) = memory;
        self.gradient(scene, work, stage, |_| -1.0, parts);
        let h = scene.h;
        let phi = state.length - work.start.length;
        let gives = state.cable.stretches();
        let most = state.cable.winch.map_or(f64::INFINITY, |w| h * w.max_force);
        let pulls = Law::Box { lo: 0.0, hi: most };
        let winch = state.cable.winch.map_or((0.0, 0.0), |w| (w.speed, w.acceleration));
        let (mut law, mut compliance, mut bias, mut missed) = (pulls, None, 0.0, 0.0);
        let mut given = work.paid / h;
        let (stiffness, damping) = state.spring();
        let impulse = work.impulses.first().copied().unwrap_or(0.0);
        match stage {
            Stage::Impact => {
                given = winch.0;
                if gives || phi > TAUT {
                    law = NOTHING;
                }
            }
            Stage::Step | Stage::Held | Stage::Repair if gives => {
                let sum = h * stiffness + damping;
                compliance = Some(1.0 / (h * sum));
                bias = stiffness * phi / sum;
                if stage == Stage::Repair {
                    law = NOTHING;
                }
            }
            Stage::Held => bias = phi.max(0.0) / h,
            Stage::Step | Stage::Repair => {
                bias = if phi > 0.0 { phi / h } else { correction(scene, phi) };
            }
            Stage::Positions => {
                let ahead = state.length + work.paid - work.end.length;
                let rate = self.rate_of(scene, parts) + given;
                let remainder = ahead - phi - h * rate;
                let size = work.start.length.max(state.length) / SHARPER;
                if gives {
                    work.unresolved = self.unresolved_by(scene, stiffness, parts);
                    let slack = phi > 0.0;
                    let share = if slack { 1.0 } else { 0.5 + 0.5 * work.unresolved };
                    let d = if slack { 0.0 } else { damping };
                    let sum = share * h * stiffness + d;
                    compliance = Some(1.0 / (h * sum));
                    bias = (stiffness * (phi + share * remainder) + d * remainder / h) / sum;
                    if impulse > 0.0 || ahead < 0.0 {
                        missed = (remainder - work.remainder).abs() / size;
                    }
                } else {
                    let wanted = if phi > 0.0 { 0.0 } else { phi - h * correction(scene, phi) };
                    bias = (phi + remainder - wanted) / h;
                    let off = ahead - wanted;
                    let slips = impulse >= most;
                    missed = if slips { 0.0 } else { (-off).max(0.0) / size };
                }
                work.remainder = remainder;
            }
            Stage::Velocities => {
                given = winch.0 + (scene.late + 0.5 * h) * winch.1;
                let first = self.first_impulse(work.row);
                if first == 0.0 {
                    law = NOTHING;
                } else if gives && work.unresolved <= RESOLVED {
                    law = Law::Box { lo: first, hi: first };
                }
            }
        }
        if compliance.is_none() {
            let soft = stage == Stage::Velocities && gives && scene.settings.compliance > 0.0;
            let s = work.unresolved.max(RESOLVED);
            let factor = if soft { (1.0 - s) / (s * scene.settings.compliance) } else { 1.0 };
            self.rigid.push((self.problem.b.len(), factor.max(1.0)));
        }
        work.rubs = law != NOTHING;
        let start = started(law, work.impulses[0], state.memory.first());
        self.push_wide(
            scene,
            parts,
            located,
            (compliance.unwrap_or(0.0), bias, given),
            (law, start),
        );
        missed
    }

    /// The rows of the changes of tension.
    fn push_changes(
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
        let mut tensions = std::mem::take(&mut work.tensions);
        capstan::tensions(&state.cable, &work.start, &work.impulses, &mut tensions);
        for (j, change) in changes.iter().enumerate() {
            self.gradient(scene, work, stage, |span| -change.factor(span), parts);
            let (lo, hi) = capstan::bounds(change, capstan::sides(change, &tensions), 0.0);
            let law = if work.rubs { Law::Box { lo, hi } } else { NOTHING };
            self.rigid.push((self.problem.b.len(), 1.0));
            let start = started(law, work.impulses[1 + j], state.memory.get(1 + j));
            self.push_wide(scene, parts, located, (0.0, 0.0, 0.0), (law, start));
        }
        work.tensions = tensions;
    }

    /// Σ weight·∂span, by slot: at the start of the step, at its end, or the mean of both.
    fn gradient(
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
            if w == 0.0 {
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

    /// Jv̄ of the mean velocities.
    fn rate_of(&self, scene: &Scene, parts: &[Part]) -> f64 {
        let of = |&(slot, linear, angular): &Part| {
            let (v, w) = self.mean_of(scene, slot);
            linear.dot(v) + angular.dot(w)
        };
        parts.iter().map(of).sum()
    }

    /// How far a step fails to resolve a vibration with this stiffness: 0 to 1.
    fn unresolved_by(&self, scene: &Scene, stiffness: f64, parts: &[Part]) -> f64 {
        let mobility = |&(slot, linear, angular): &Part| {
            let moves = scene.local[slot as usize] != u32::MAX;
            scene.bodies.at(slot).filter(|_| moves).map_or(0.0, |b| {
                linear.length_squared() / b.mass + angular.dot(b.inverse_inertia_at(b.q) * angular)
            })
        };
        let a: f64 = parts.iter().map(mobility).sum();
        let fourth = (scene.h * scene.h * stiffness * a).powi(4).min(1e12);
        fourth / (1.0 + fourth)
    }

    /// Appends a row on any number of bodies.
    fn push_wide(
        &mut self,
        scene: &Scene,
        parts: &[Part],
        located: &mut Vec<(u32, [f64; 6])>,
        (compliance, bias, given): (f64, f64, f64),
        (law, start): (Law, (f64, RowState)),
    ) {
        located.clear();
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
            self.report.refused = Some(e.to_string());
        }
        self.problem.b.push(bias + free + foreign);
        self.foreign.push(foreign);
        self.problem.laws.push(law);
        self.iterate.lambda.push(start.0);
        self.iterate.set.push(start.1);
    }

    /// Remembers the impulses of the last solve.
    pub(super) fn take_tensions(&mut self, scene: &Scene, island: &Island) {
        for (work, &slot) in self.cables.active_mut().iter_mut().zip(&island.cables) {
            let Some(state) = scene.cables.at(slot) else { continue };
            let rows = work.row..work.row + work.rows;
            work.impulses.clear();
            work.impulses.extend_from_slice(&self.iterate.lambda[rows]);
            capstan::tensions(&state.cable, &work.start, &work.impulses, &mut work.tensions);
        }
    }

    /// Lets the bounds of friction follow the tensions of the answer just found; true if it has to be
    /// found anew.
    pub(super) fn follow_tensions(&mut self, scene: &Scene, island: &Island, pass: usize) -> bool {
        let rubs = |work: &CableWork| work.rubs && work.rows > 1;
        if !self.cables.active().iter().any(rubs) || self.report.is_broken() {
            return false;
        }
        let mut cables = std::mem::take(&mut self.cables);
        if pass == 0 {
            cables.mixing.restart();
            cables.bound.clear();
            cables.ceilings.clear();
        }
        let (mut worst, mut gap) = (0.0_f64, 0.0_f64);
        let (mut now, mut x, mut g) = (Vec::new(), Vec::new(), Vec::new());
        let mut free = Vec::new();
        let list = &mut cables.list[..cables.count];
        let stuck = self.report.status.is_some_and(|s| s != crate::lcp::Status::Converged);
        for (work, &slot) in list.iter_mut().zip(&island.cables).filter(|(w, _)| rubs(w)) {
            let Some(state) = scene.cables.at(slot) else { continue };
            let rows = work.row..work.row + work.rows;
            let lambda = &self.iterate.lambda[rows];
            capstan::tensions(&state.cable, &work.start, lambda, &mut work.tensions);
            let most = work.tensions.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            for (j, change) in capstan::changes(&state.cable, &work.start, &work.end).enumerate() {
                let (row, f) = (work.row + 1 + j, lambda[1 + j]);
                let (lo, hi) = self.problem.laws[row].bounds();
                let side = match f {
                    f if f >= hi && hi > 0.0 => 1.0,
                    f if f <= lo && lo < 0.0 => -1.0,
                    _ => 0.0,
                };
                let sides = capstan::sides(&change, &work.tensions);
                let mut fits = capstan::bounds(&change, sides, side);
                // A slack cable does not rub. Where it pulls again without friction, the answer lies
                // between: the least friction that left it slack is halved.
                let known = cables.ceilings.iter_mut().find(|c| c.0 == row);
                if lambda[0] <= 0.0 {
                    let most = f.abs();
                    fits = match &known {
                        Some(_) => (-0.5 * most, 0.5 * most),
                        None => (0.0, 0.0),
                    };
                    match known {
                        Some(ceiling) => ceiling.1 = ceiling.1.min(most),
                        None if most > 0.0 => cables.ceilings.push((row, most)),
                        None => {}
                    }
                } else if let Some((_, ceiling)) = known {
                    let cap = 0.5 * (f.abs() + *ceiling);
                    fits = (fits.0.max(-cap), fits.1.min(cap));
                }
                let off = match side {
                    1.0 => (fits.1 - hi).abs(),
                    -1.0 => (fits.0 - lo).abs(),
                    _ => (f - fits.1).max(fits.0 - f).max(0.0),
                };
                // A side without room says nothing yet.
                let shut = |room: f64| if room > SETTLED * most { most } else { 0.0 };
                let off = match side == 0.0 {
                    true if hi <= 0.0 && f >= hi => off.max(shut(fits.1)),
                    true if lo >= 0.0 && f <= lo => off.max(shut(-fits.0)),
                    _ => off,
                };
                worst = worst.max(off / most);
                gap = gap.max(off * self.diagonal.get(row).copied().unwrap_or(0.0));
                if side == 0.0 {
                    free.push((row, fits));
                } else {
                    now.push((row, side > 0.0));
                    x.push(if side > 0.0 { hi } else { lo });
                    g.push(if side > 0.0 { fits.1 } else { fits.0 });
                    free.push((row, fits));
                }
            }
        }
        let settled = worst <= SETTLED;
        if settled || pass >= PASSES || stuck {
            self.report.friction_gap =
                self.report.friction_gap.max(if settled { 0.0 } else { gap });
            self.report.missed |= worst > UNSETTLED;
        } else {
            if now != cables.bound {
                cables.mixing.restart();
            }
            cables.mixing.mix(&x, &mut g);
            for (row, (lo, hi)) in free {
                self.problem.laws[row] = Law::Box { lo, hi };
            }
            for (&(row, upper), g) in now.iter().zip(&g) {
                let (lo, hi) = self.problem.laws[row].bounds();
                let (lo, hi) = if upper {
                    (lo.min(*g).min(0.0), g.max(0.0))
                } else {
                    (g.min(0.0), hi.max(0.0))
                };
                self.problem.laws[row] = Law::Box { lo, hi };
                self.iterate.lambda[row] = if upper { hi } else { lo };
            }
            for work in cables.list[..cables.count].iter().filter(|w| rubs(w)) {
                for row in work.row + 1..work.row + work.rows {
                    let (lo, hi) = self.problem.laws[row].bounds();
                    let lambda = &mut self.iterate.lambda[row];
                    *lambda = lambda.clamp(lo, hi);
                }
            }
            cables.bound = now;
        }
        self.cables = cables;
        !settled && pass < PASSES && !stuck
    }

    /// Adds what spans under tension do to the bodies at their ends when these turn or move.
    pub(super) fn add_cable_stiffness(&mut self, scene: &Scene) {
        let half = 0.5 * scene.h;
        let cables = std::mem::take(&mut self.cables);
        for work in cables.active() {
            for (span, impulse) in work.end.spans.iter().zip(&work.tensions) {
                let tension = impulse / scene.h;
                let own = span.slots[0].is_some() && span.slots[0] == span.slots[1];
                if tension <= 0.0 || span.length <= 0.0 || own {
                    continue;
                }
                let u = span.direction();
                let outer = Mat3::from_cols(u * u.x, u * u.y, u * u.z);
                let across = (Mat3::IDENTITY - outer) * (half * half * tension / span.length);
                for (side, force) in [(0, u * tension), (1, -u * tension)] {
                    let local = span.slots[side].map_or(u32::MAX, |s| scene.local[s as usize]);
                    let Some(sum) = self.geometric.get_mut(local as usize) else { continue };
                    if span.fixed[side] {
                        let arm = span.arms[side];
                        sum.stiffness += geometric::along_arm(half, force, arm);
                        let skew = Mat3::from_cols(
                            Vec3::new(0.0, arm.z, -arm.y),
                            Vec3::new(-arm.z, 0.0, arm.x),
                            Vec3::new(arm.y, -arm.x, 0.0),
                        );
                        sum.stiffness += skew.transpose() * across * skew;
                    }
                    sum.across += across;
                    sum.near = sum.near.max(1.0 / span.length);
                }
            }
        }
        self.cables = cables;
    }

    /// Potential energy of cables that give at the end of the step.
    pub(super) fn elastic_at_end(&self, scene: &Scene, island: &Island) -> f64 {
        let of = |(work, &slot): (&CableWork, &u32)| {
            let Some(state) = scene.cables.at(slot) else { return 0.0 };
            state.elastic(state.length + work.paid, work.end.length)
        };
        self.cables.active().iter().zip(&island.cables).map(of).sum()
    }

    /// Energy that a winch takes in with stretched cable, beside the work of its tension.
    pub(super) fn work_of_winches(&self, scene: &Scene, island: &Island) -> f64 {
        let of = |(work, &slot): (&CableWork, &u32)| {
            let Some(state) = scene.cables.at(slot).filter(|s| s.cable.stretches()) else {
                return 0.0;
            };
            let end = work.end.length;
            let before = state.elastic(state.length, end);
            let after = state.elastic(state.length + work.paid, end);
            let tension = work.impulses.first().copied().unwrap_or(0.0) / scene.h;
            after - before + tension * work.paid
        };
        self.cables.active().iter().zip(&island.cables).map(of).sum()
    }

    /// Whether a cable is far longer than it should be.
    pub(super) fn cables_torn(&self, scene: &Scene, island: &Island, share: f64) -> bool {
        self.cables.active().iter().zip(&island.cables).any(|(work, &slot)| {
            let rigid = scene.cables.at(slot).filter(|s| !s.cable.stretches());
            rigid.is_some_and(|s| work.start.length - s.length > share * s.length)
        })
    }

    /// Whether a cable is fixed to something that is not of the island.
    pub(super) fn cables_hold(&self, scene: &Scene) -> bool {
        let outside = |slot: Option<u32>| slot.is_none_or(|s| scene.local[s as usize] == u32::MAX);
        self.cables.active().iter().any(|c| c.start.nodes.iter().any(|n| outside(n.slot)))
    }

    /// Whether row i of the problem is one of a cable that has been taut and does not slip.
    pub(super) fn is_steady(&self, i: usize) -> bool {
        let own = self.cables.active().iter().find(|c| (c.row..c.row + c.rows).contains(&i));
        let Some(work) = own else { return false };
        let (lo, hi) = self.problem.laws[i].bounds();
        let lambda = self.iterate.lambda[i];
        let slips = lambda <= lo || lambda >= hi;
        work.was_taut && (!slips || lo == hi) && work.paid == 0.0
    }

    /// The fastest rate at which taut cables are stretched at the start, with the velocities of
    /// bodies in it.
    pub(super) fn cable_kick(&mut self, scene: &Scene, island: &Island) -> (f64, f64) {
        let mut cables = std::mem::take(&mut self.cables);
        let mut parts = std::mem::take(&mut cables.parts);
        let (mut most, mut gross) = (0.0_f64, 0.0_f64);
        for (work, &slot) in cables.active().iter().zip(&island.cables) {
            let rigid = scene.cables.at(slot).filter(|s| !s.cable.stretches());
            let Some(state) = rigid.filter(|_| work.tensions.iter().any(|&t| t > 0.0)) else {
                continue;
            };
            self.gradient(scene, work, Stage::Step, |_| -1.0, &mut parts);
            let mut rate = work.paid / scene.h
                + correction(scene, (state.length - work.start.length).min(0.0));
            for &(slot, linear, angular) in &parts {
                let body = scene.bodies.at(slot);
                let still = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| (b.v, b.w));
                let start = self.start.get(scene.local[slot as usize] as usize).copied();
                let (v, w) = start.unwrap_or(still);
                let (v, w) = (linear.dot(v), angular.dot(w));
                rate += v + w;
                gross = gross.max(v.abs()).max(w.abs());
            }
            most = most.max(-rate);
        }
        cables.parts = parts;
        self.cables = cables;
        (most, gross)
    }

    /// Calls `f` with slot, way, forces and states of the rows, and what a winch paid out of every
    /// cable of the island.
    pub(crate) fn for_each_cable(
        &self,
        h: f64,
        island: &Island,
        mut f: impl FnMut(u32, &Way, &[f64], &[RowState], f64),
    ) {
        for (work, &slot) in self.cables.active().iter().zip(&island.cables) {
            let rows = work.row..work.row + work.rows;
            let (Some(lambda), Some(set)) =
                (self.iterate.lambda.get(rows.clone()), self.iterate.set.get(rows))
            else {
                continue;
            };
            let forces: Vec<f64> = lambda.iter().map(|l| l / h).collect();
            f(slot, &work.start, &forces, set, work.paid);
        }
    }
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

/// Where a row starts.
fn started(law: Law, impulse: f64, memory: Option<&(f64, RowState)>) -> (f64, RowState) {
    let (lo, hi) = law.bounds();
    match memory {
        Some((_, state)) if law != NOTHING => (impulse.clamp(lo, hi), *state),
        _ if lo < 0.0 && hi > 0.0 => (0.0, RowState::Free),
        _ => (if lo == hi { lo } else { 0.0 }, RowState::Lower),
    }
}
