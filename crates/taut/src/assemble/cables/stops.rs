//! Where a point of a cable is drawn up to its guide: there it stops.
//!
//! Problem: the length l = |d| of a span between two points has no gradient at d = 0. An end that is drawn to its ring flies past it
//! within a step, its span turns around, and no Newton finds where it ends. (A load of 100 kg that drew 0.1 kg through a
//! ring lengthened its cable by metres.)
//!
//! Law: at d = 0 the force of the cable on the end may have any direction, and is no larger than its tension T. That is the limit
//! of the law of a span, for |u| ≤ 1 is the subdifferential of |d|. So the end is held at its guide, d = 0, by three rows
//! with the force f, and the length of the cable is that of its other spans, as long as |f| ≤ T. Beyond, it goes on: what is heavier
//! than what draws it flies past its ring.
//!
//! Method: a step in whose course a taut span turns by a right angle or more is halved. Where it may not be halved any more the span gets a stop,
//! and is tried again; one whose stop holds by more than T is done without. A span of no length at the start has a stop at first. Where no
//! part of a step is short enough for Newton, since an end whips around its ring in less (0.1 kg that draw up 100 kg do so at
//! 20,000 rad/s), the end is caught by its guide, and loses its motion.
//!
//! Cost: nothing where no span comes near; else a Newton for each change.

use super::rows::resolution;
use super::{CableWork, CableWorks, Part};
use crate::assemble::energy_momentum::half_tangent;
use crate::assemble::{IslandSolver, NOTHING, Scene, Stage};
use crate::cables::path::Span;
use crate::islands::Island;
use crate::lcp::{Law, RowState};
use crate::math::Vec3;

/// A span whose ends move against one another by this share of its length in the shortest part of a step cannot be followed.
const FAST: f64 = 0.3;
/// A span that is shorter than this share of its cable has no length: a hundred times what Newton leaves of it.
const GONE: f64 = 1e-8;
/// A stop may hold by more than the tension by this share: rounding.
const ROUNDING: f64 = 1e-9;

/// A span whose ends are at one place, or will be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// The cable, in the order of the island, and the span.
    cable: usize,
    span: usize,
    /// Whether it has no length at the start.
    gone: bool,
    /// Whether it holds whatever it takes.
    catches: bool,
    /// Whether it holds; one that has let go does not hold again in this step.
    holds: bool,
    /// Its first row of three.
    row: usize,
    impulse: Vec3,
}

/// What a step says about its stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assemble) enum Stops {
    /// They are as they should be.
    Kept,
    /// Some were set or let go: the step is to be tried again.
    Changed,
    /// A span turns around: shorter steps may follow it.
    TooLong,
}

impl CableWorks {
    /// Tells each cable which of its spans are stopped.
    pub(super) fn mark_stops(&mut self) {
        for work in self.active_mut() {
            work.stopped.clear();
            work.stopped.resize(work.start.spans.len(), false);
        }
        for stop in self.stops.iter().filter(|s| s.holds) {
            if let Some(work) = self.list.get_mut(stop.cable) {
                work.stopped[stop.span] = true;
            }
        }
    }
}

impl IslandSolver {
    /// Forgets the stops of the last step.
    pub(in crate::assemble) fn clear_stops(&mut self) {
        self.cables.stops.clear();
    }

    /// Stops of spans that have no length at the start.
    pub(in crate::assemble) fn find_stops(&mut self, scene: &Scene, island: &Island) {
        let mut stops = Vec::new();
        self.for_each_short(scene, island, |cable, span, s, size| {
            if s.length <= GONE * size {
                stops.push(Stop { gone: true, ..Stop::new(cable, span) });
            }
        });
        self.cables.stops = stops;
        self.cables.mark_stops();
    }

    /// Calls `f` with each span between two points, one of which moves, of cables that do not stretch, and with the cable's length.
    fn for_each_short(
        &self,
        scene: &Scene,
        island: &Island,
        mut f: impl FnMut(usize, usize, &Span, f64),
    ) {
        let moves = |s: &Option<u32>| s.is_some_and(|s| scene.local[s as usize] != u32::MAX);
        for (cable, (work, &slot)) in self.cables.active().iter().zip(&island.cables).enumerate() {
            let Some(state) = scene.cables.at(slot).filter(|s| !s.cable.stretches()) else {
                continue;
            };
            let changes =
                |span: &Span| span.slots[0] != span.slots[1] && span.slots.iter().any(moves);
            let spans = work.start.spans.iter().enumerate().filter(|(_, s)| changes(s));
            // The one span that changes has the length of the rest of the cable.
            if spans.clone().count() < 2 {
                continue;
            }
            for (i, span) in spans.filter(|(_, s)| s.fixed == [true; 2]) {
                f(cable, i, span, state.length);
            }
        }
    }

    /// What the answer of the first stage, if it was `found`, says about stops.
    pub(in crate::assemble) fn review_stops(
        &mut self,
        scene: &Scene,
        island: &Island,
        found: bool,
    ) -> Stops {
        if island.cables.is_empty() {
            return Stops::Kept;
        }
        let mut changed = found && self.let_go_of_stops();
        let mut turned = Vec::new();
        self.for_each_short(scene, island, |cable, i, span, _| {
            let known = |s: &Stop| (s.cable, s.span) == (cable, i);
            let work = &self.cables.list[cable];
            let d = span.ends[1] - span.ends[0];
            let end = work.end.spans.get(i).filter(|end| end.slots == span.slots);
            let ends_behind = end.is_some_and(|end| d.dot(end.ends[1] - end.ends[0]) <= 0.0);
            let pulls = work.tensions.get(i).is_some_and(|&t| t > 0.0);
            let is_fast = || scene.h * self.parting(scene, span).length() > FAST * span.length;
            let turns = if found { pulls && ends_behind } else { is_fast() };
            if turns && !self.cables.stops.iter().any(known) {
                turned.push(Stop { catches: !found, ..Stop::new(cable, i) });
            }
        });
        if !turned.is_empty() && scene.may_halve {
            return Stops::TooLong;
        }
        changed |= !turned.is_empty();
        self.cables.stops.extend(turned);
        if changed { Stops::Changed } else { Stops::Kept }
    }

    /// Lets go what stops hold by more than the tension; true if there is such a stop.
    fn let_go_of_stops(&mut self) -> bool {
        let CableWorks { stops, list, .. } = &mut self.cables;
        let mut any = false;
        for stop in stops.iter_mut().filter(|s| s.holds && !s.catches) {
            let tension = list[stop.cable].tensions.get(stop.span).copied().unwrap_or(0.0);
            stop.holds = stop.impulse.length() <= tension.max(0.0) * (1.0 + ROUNDING);
            any |= !stop.holds;
        }
        any
    }

    /// How fast the ends of a span part, by the velocities of the start.
    fn parting(&self, scene: &Scene, span: &Span) -> Vec3 {
        let velocity = |side: usize| {
            let body = span.slots[side].and_then(|s| scene.bodies.at(s));
            body.map_or(Vec3::ZERO, |b| b.v + b.w.cross(span.arms[side]))
        };
        velocity(1) - velocity(0)
    }

    /// Number of rows of joints, of cables, and of stops, which stand behind them.
    pub(in crate::assemble) fn tied_rows(&self) -> usize {
        let stops = 3 * self.cables.stops.iter().filter(|s| s.holds).count();
        self.joint_rows.len() + self.cable_rows() + stops
    }

    /// Whether row i is one of a stop that held at the start.
    pub(in crate::assemble) fn is_held_by_stop(&self, i: usize) -> bool {
        let own = |s: &Stop| s.holds && s.gone && (s.row..s.row + 3).contains(&i);
        self.cables.stops.iter().any(own)
    }

    /// The rows of stops for a stage; returns how far Newton is from their end.
    pub(in crate::assemble) fn push_stops(&mut self, scene: &Scene, stage: Stage) -> f64 {
        let mut cables = std::mem::take(&mut self.cables);
        let mut missed = 0.0_f64;
        let (mut parts, mut located) = (Vec::new(), Vec::new());
        let CableWorks { stops, list, .. } = &mut cables;
        for stop in stops.iter_mut().filter(|s| s.holds) {
            let work = &list[stop.cable];
            let Some(state) = scene.cables.at(work.slot) else { continue };
            let (start, end) = (&work.start.spans[stop.span], &work.end.spans[stop.span]);
            let between = |s: &Span| s.ends[1] - s.ends[0];
            stop.row = self.problem.b.len();
            for (k, axis) in Vec3::AXES.into_iter().enumerate() {
                parts.clear();
                for (side, e) in [(0, -axis), (1, axis)] {
                    let Some(slot) = start.slots[side] else { continue };
                    let arm = match stage {
                        Stage::Positions => {
                            self.mean_arm(scene, slot, start.arms[side] + end.arms[side])
                        }
                        Stage::Velocities => end.arms[side],
                        _ => start.arms[side],
                    };
                    parts.push((slot, e, arm.cross(e)) as Part);
                }
                let (from, to) = (between(start)[k], between(end)[k]);
                let bias = match stage {
                    Stage::Positions => (to - scene.h * self.rate_of(scene, &parts)) / scene.h,
                    Stage::Step | Stage::Unrepaired => from / scene.h,
                    _ => 0.0,
                };
                let acts = match stage {
                    Stage::Impact => stop.gone,
                    Stage::Repair => false,
                    _ => true,
                };
                if stage == Stage::Positions {
                    missed = missed.max(to.abs() / resolution(state, work));
                }
                let law = if acts { Law::Bilateral } else { NOTHING };
                let start = (if acts { stop.impulse[k] } else { 0.0 }, RowState::Free);
                self.rigid.push((self.problem.b.len(), 1.0));
                located.clear();
                self.push_wide(scene, &parts, &mut located, (0.0, bias, 0.0), (law, start));
            }
        }
        self.cables = cables;
        missed
    }

    /// The arm in J̄ of a point, by the sum of those at both ends of the step (`energy_momentum`).
    fn mean_arm(&self, scene: &Scene, slot: u32, sum: Vec3) -> Vec3 {
        0.5 * half_tangent(scene.h * self.mean_of(scene, slot).1.length()) * sum
    }

    /// Remembers the impulses of the last solve.
    pub(super) fn take_stops(&mut self) {
        for stop in self.cables.stops.iter_mut().filter(|s| s.holds) {
            let of = |k: usize| self.iterate.lambda.get(stop.row + k).copied().unwrap_or(0.0);
            stop.impulse = Vec3::new(of(0), of(1), of(2));
        }
    }

    /// Takes the compliance of rigid rows out of stops: a light end would stay away from its guide.
    pub(super) fn stiffen_stops(&mut self, relative: f64) {
        for stop in self.cables.stops.iter().filter(|s| s.holds) {
            for (k, row) in (stop.row..stop.row + 3).enumerate() {
                self.problem.b[row] -= relative * self.diagonal[row] * stop.impulse[k];
            }
        }
    }

    /// A number for each row of a stop: its cable, its span and the axis.
    pub(in crate::assemble) fn stop_keys(&self) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
        let cables = &self.cables;
        let slot = |s: &Stop| cables.list.get(s.cable).map_or(0, |work: &CableWork| work.slot);
        let held = cables.stops.iter().filter(|s| s.holds);
        held.flat_map(move |s| (0..3).map(move |k| (slot(s), s.span, k)))
    }
}

impl Stop {
    fn new(cable: usize, span: usize) -> Self {
        let impulse = Vec3::ZERO;
        Stop { cable, span, gone: false, catches: false, holds: true, row: 0, impulse }
    }
}
