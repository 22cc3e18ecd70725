//! Rows of cables.
//!
//! A cable has a row for its length, φ = L − Σl − Σrθ ≥ 0, with the mean tension for its
//! multiplier, and a row for each change of tension (`cables::capstan`), which is a slip. Both are
//! sums over spans, on any number of bodies. A winch changes L at a given rate, which is to
//! the row what a kinematic body is to others.
//!
//! **Positions.** The gradient is the mean of those at both ends of the step; for spans between points
//! (d + d⁺)/(l + l⁺), which is exact: (d⁺ − d)·(d + d⁺)/(l + l⁺) = l⁺ − l. What else the length at the
//! end differs by enters b, Newton iterates. A cable that gives pulls with the mean force of its springs (`springs`),
//! so that ½kφ² is kept, also where it becomes taut or slack; where the step cannot resolve how it vibrates (h²kA far beyond 1, A the
//! mobility of its row), with that of the end, and the second stage takes what it rings by: it acts
//! there with a compliance that falls from infinity to nothing. A step in which such a cable snaps taut is halved, where
//! shorter ones resolve it.
//!
//! **Transverse stiffness.** A span under the tension T holds its ends sideways by T/l: part of the
//! block of each body, as geometric stiffness is for joints, or light blocks between
//! heavy loads would keep Newton from converging.

//!
//! | file | does |
//! |---|---|
//! | `mod` | a cable's way through the step |
//! | `rows` | rows, laws, b |
//! | `springs` | cables that stretch |
//! | `following` | bounds of friction that follow the tensions |
//! | `stops` | what is drawn up to its guide |
//! | `balance` | energy, stiffness, and what others ask of cables |

mod balance;
mod following;
mod rows;
mod springs;
mod stops;

use super::{IslandSolver, Scene, Stage};
use crate::cables::path::{Span, Way};
use crate::cables::{CableState, at_present, capstan};
use crate::islands::Island;
use crate::lcp::RowState;
use crate::math::{Pose, Vec3};
use crate::scene::joint::{Frame, JointKind};
pub(super) use stops::Stops;

// What half and twice of these change: docs/decisions/step-constants.md.

/// A cable is tight where its slack is less than this share of its length.
const TIGHT: f64 = 1e-9;

/// A winch that moves a body slower than this share of its own speed stops: the cable is straight.
const STRAIGHT: f64 = 0.05;

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
    /// Faces of solids that it goes over at the start, and lines past those that it does not touch.
    faces: Vec<Vec<u32>>,
    came: Vec<Option<[Vec3; 2]>>,
    /// First row.
    row: usize,
    rows: usize,
    /// Impulses of the rows by the last solve of a stage that moves, or by the last step.
    impulses: Vec<f64>,
    /// Tensions of its spans by these.
    tensions: Vec<f64>,
    /// Segments of a cable that stretches, that of each span, how far pulleys turn, and rest lengths of spans at the start.
    springs: Vec<springs::SegmentSpring>,
    of: Vec<usize>,
    turned: Vec<f64>,
    marks: Vec<crate::cables::segments::Mark>,
    rests: Vec<f64>,
    /// Number of the first block of its springs in the present stage, if they need any.
    blocks: Option<u32>,
    /// How far the step fails to resolve its vibration: 0 to 1; and those in which tensions change at stations that rub.
    unresolved: f64,
    unresolved_changes: Vec<f64>,
    /// Rows of changes that keep the impulse of the first stage in the second.
    held: Vec<bool>,
    /// Tensions of spans that acted on velocities, of a cable whose rest lengths pass by others \[N\].
    acting: Vec<f64>,
    /// Change of its rest length in the step \[m\], and whether the winch wanted more.
    paid: f64,
    stops: bool,
    /// Rate of the rest length in the present stage \[m/s\].
    given: f64,
    /// Whether friction acts in the present stage.
    rubs: bool,
    /// Whether it pulled in the last step, and whether it is taut at the start of this one.
    was_taut: bool,
    is_tight: bool,
    /// Spans that have a stop (`stops`).
    stopped: Vec<bool>,
}

impl CableWork {
    fn place(&mut self, state: &CableState, pose: impl Fn(Frame) -> (Option<u32>, Vec3, Pose)) {
        self.start.place(&state.cable, pose);
        self.start.recall(&state.faces, &[]);
        self.start.find(&state.cable, &state.wraps, &state.touches, state.anchors);
    }

    /// Finds the spans at both ends of a cable that does not stretch between stations that stand in the world, until the last such station that it
    /// touches; and those of them that pull at nothing that may move.
    fn find_still(&mut self, scene: &Scene, island: &Island, state: &CableState) {
        let way = &mut self.start;
        (way.still, way.dead) = ([0; 2], [0; 2]);
        let spans = state.cable.spans();
        if state.cable.stretches() || state.cable.closed || state.cable.rows() == 1 {
            return;
        }
        let held = |slot: Option<u32>| slot.is_none_or(|s| is_held(scene, s));
        let stands =
            |slot: Option<u32>| held(slot) || slot.is_some_and(|s| is_on_axle(scene, island, s));
        let idle = |w: crate::cables::Winch| {
            w.max_force == f64::INFINITY && (w.speed, w.acceleration) == (0.0, 0.0)
        };
        let count = |side: usize, holds: &dyn Fn(Option<u32>) -> bool| {
            let station = |i: usize| if side == 0 { i } else { spans - i };
            if side == 0 && !state.cable.winch.is_none_or(idle) {
                return 0;
            }
            let first = (0..=spans).find(|&i| !holds(way.nodes[station(i)].slot));
            let last = first.map_or(0, |i| i.saturating_sub(1));
            (1..=last).rev().find(|&i| way.touches[station(i)]).unwrap_or(0)
        };
        let still = [count(0, &stands), count(1, &stands)];
        let dead = [count(0, &held), count(1, &held)];
        (way.still, way.dead) = (still, dead);
    }
}

/// Whether a body is of no island, and does not move.
fn is_held(scene: &Scene, slot: u32) -> bool {
    let still = |v: Vec3, w: Vec3| v == Vec3::ZERO && w == Vec3::ZERO;
    scene.local[slot as usize] == u32::MAX && scene.bodies.at(slot).is_some_and(|b| still(b.v, b.w))
}

/// Whether a body is welded to what does not move, or turns about an axle there.
fn is_on_axle(scene: &Scene, island: &Island, slot: u32) -> bool {
    let index = |frame: Frame| frame.body().map(|id| id.index);
    island.joints.iter().filter_map(|&j| scene.joints.at(j)).any(|state| {
        let joint = &state.joint;
        let (a, b) = (index(joint.a), index(joint.b));
        let other = if b == Some(slot) { a } else { b };
        let own = a == Some(slot) || b == Some(slot);
        own && matches!(joint.kind, JointKind::Hinge | JointKind::Weld)
            && other.is_none_or(|s| is_held(scene, s))
    })
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
    stops: Vec<stops::Stop>,
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

/// How much shorter a winch can make a way \[m\]. As a cable straightens over a body, the body must move ever faster than
/// the winch pulls; the winch stops where that is 1/g₀ times as fast (`STRAIGHT`). With g the gradient of the length and κ = Σ 1/l of
/// the spans at the body, (g² − g₀²)/2κ is left until then. (A rigid one that pulled a cable straight at 2e11 N created 362 kJ.)
fn follows(scene: &Scene, way: &Way) -> f64 {
    let slots = way.nodes.iter().filter_map(|n| n.slot);
    let moves = |s: u32| scene.local[s as usize] != u32::MAX;
    let room = |slot: u32| {
        let Some(body) = scene.bodies.at(slot) else { return 0.0 };
        let (mut linear, mut angular, mut bend) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        for span in way.spans.iter().filter(|s| s.length > 0.0) {
            for side in (0..2).filter(|&side| span.slots[side] == Some(slot)) {
                linear += span.on[side].0;
                angular += span.on[side].1;
                bend += 1.0 / span.length;
            }
        }
        let turn = body.mass * angular.dot(body.inverse_inertia_at(body.q) * angular);
        let gradient = linear.length_squared() - STRAIGHT * STRAIGHT;
        if turn > STRAIGHT { f64::INFINITY } else { gradient.max(0.0) / (2.0 * bend) }
    };
    slots.filter(|&s| moves(s)).map(room).fold(0.0, f64::max)
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
            work.find_still(scene, island, state);
            work.end.clone_from(&work.start);
            work.came.clear();
            work.came.extend(work.start.lines(&state.cable));
            work.faces.clear();
            work.faces.extend(work.start.faces().map(<[u32]>::to_vec));
            work.rows = state.cable.rows();
            work.impulses.clear();
            let remembered = |i: usize| state.memory.get(i).map_or(0.0, |m| scene.h * m.0);
            work.impulses.extend((0..work.rows).map(remembered));
            // The mean tension is that of the new lengths.
            work.impulses[0] = scene.h * capstan::mean(&state.cable, &work.start, &state.tensions);
            for (i, change) in capstan::changes(&state.cable, &work.start, &work.start).enumerate()
            {
                if change.apart {
                    work.impulses[1 + i] = scene.h * state.tensions[change.at];
                }
            }
            work.tensions.clear();
            work.tensions.extend(state.tensions.iter().map(|t| scene.h * t));
            work.was_taut = state.memory.first().is_some_and(|m| m.0 > 0.0);
            work.is_tight = state.length - work.start.length <= TIGHT * state.length;
            work.take_springs(state);
            work.unresolved = 0.0;
            work.unresolved_changes.clear();
            work.unresolved_changes.resize(work.rows - 1, 0.0);
            work.acting.clear();
            (work.paid, work.stops, work.given) = (0.0, false, 0.0);
            if let Some(winch) = state.cable.winch {
                let wanted = scene.h * (winch.speed + scene.late * winch.acceleration);
                let moves = |s: Option<u32>| s.is_some_and(|s| scene.local[s as usize] != u32::MAX);
                let changes =
                    |s: &&Span| s.slots[0] != s.slots[1] && s.slots.into_iter().any(moves);
                let spans = work.start.spans.iter().filter(changes).map(|s| s.length);
                let shortest = spans.reduce(f64::min).unwrap_or(0.0);
                let follows = follows(scene, &work.start);
                work.paid = state.permitted(wanted, work.start.length, shortest, follows);
                work.stops = work.paid != wanted;
            }
        }
        self.cables.mark_stops();
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
            work.end.recall(&work.faces, &work.came);
            for k in 0..state.wraps.len() {
                work.turned[k] = self.turn_of(scene, &work.start, k);
            }
            let expected: Vec<f64> = (0..state.wraps.len())
                .map(|k| match state.cable.is_end(k) {
                    true if k == 0 => state.wraps[k] - work.turned[k],
                    true => state.wraps[k] + work.turned[k],
                    false => state.wraps[k],
                })
                .collect();
            work.end.find(&state.cable, &expected, &state.touches, state.anchors);
            work.move_springs(state);
        }
        self.cables = cables;
    }

    /// How far the pulley of a station turns in the step by the mean rate of its body \[rad\].
    fn turn_of(&self, scene: &Scene, way: &Way, k: usize) -> f64 {
        let (Some(slot), Some(circle)) = (way.nodes[k].slot, way.nodes[k].circle) else {
            return 0.0;
        };
        scene.h * self.mean_of(scene, slot).1.dot(circle.axis)
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

    /// Calls `f` with slot, way, forces and states of the rows (and tensions that acted, where those are not theirs), and what a winch paid out (and whether it stopped) of every
    /// cable of the island.
    pub(crate) fn for_each_cable(
        &self,
        h: f64,
        island: &Island,
        mut f: impl FnMut(u32, &Way, &[f64], (&[RowState], Option<&[f64]>), (f64, bool)),
    ) {
        for (work, &slot) in self.cables.active().iter().zip(&island.cables) {
            let rows = work.row..work.row + work.rows;
            let (Some(lambda), Some(set)) =
                (self.iterate.lambda.get(rows.clone()), self.iterate.set.get(rows))
            else {
                continue;
            };
            let forces: Vec<f64> = lambda.iter().map(|l| l / h).collect();
            let acting = (!work.acting.is_empty()).then_some(&work.acting[..]);
            f(slot, &work.start, &forces, (set, acting), (work.paid, work.stops));
        }
    }
}
