//! Bounces: what velocities become where bodies with restitution meet, before the
//! step moves anything.
//!
//! A contact that would close in this step bounces if it approaches faster than
//! the threshold. Impacts go from contact to contact: only contacts that approach
//! take part in a round, so that a row of touching balls passes the blow on to the last
//! one. A round has two solves (Poisson's hypothesis):
//!
//! 1. compression: the smallest change of velocities after which nothing approaches,
//!    with friction, joints held; its impulses are p;
//! 2. expansion: e·p at the contacts that bounce; friction, joints and contacts without
//!    restitution react.
//!
//! Compression is a projection and loses energy. Expansion gives back no more than
//! that: where friction or joints make e·p give more, its share is cut. With e = 1
//! and no friction a round is a reflection and keeps the energy.
//!
//! A heavy body on a light one that lies on the ground would need hundreds of rounds. So
//! the last round takes in all that touches at once.
//!
//! **Heights.** The body still moves by the gap φ before it touches. With g the approaching
//! acceleration, ½ẋ² + gφ is conserved, and e² of it shall be left:
//! ẋ⁺² = e²(ẋ² + 2gφ) − 2gφ. A body too slow for that, or one that meets the surface
//! because it turns, lands first, and leaves it at the end of the step (the second stage of
//! `energy_momentum`).
//!
//! **Times.** Velocities change at the start of the step, bodies that meet in flight at t = φ/|ẋ|
//! later. Until then they go on as before, so that they end at −tΔv from where the new velocities
//! take them, and the next impact of such a body happens on that line (two balls that touch, and of which the first one meets
//! another, changed places with that in a step): the centre of mass and the angular momentum of the two stay what they were. (A glancing
//! blow turned two balls without friction.) Bodies that touch something fixed are left
//! where they are: their heights are right as said above.
//!
//! Cost: two solves per round. When it fails (a solve that does not converge), the
//! rounds end, contacts close without a bounce, and the step counts as unconverged.
//!
//! References: Smith et al. 2012, Reflections on simultaneous impact; Glocker 2001
//! (Poisson's hypothesis in complementarity form).

use super::energy_momentum::Moved;
use super::{IslandSolver, NOTHING, Scene, Stage, Twist};
use crate::BodyState;
use crate::collide::Kind;
use crate::contact::Contact;
use crate::islands::Island;
use crate::lcp::Law;
use crate::math::{Quat, Vec3};
use crate::scene::joint::Row;
use crate::settings::Integrator;
use crate::surface::Place;

/// Rounds there may be, whatever the number of bodies.
const MOST_ROUNDS: usize = 40;
/// Passes over friction in a compression.
const PASSES: usize = 4;
/// Gaps up to this count as closed \[m\].
const TOUCH: f64 = 1e-6;
/// Gap at which a contact has closed \[m\], and iterations to find when.
const MET: f64 = 1e-12;
const MOST_MEETINGS: usize = 12;
/// Approach that is taken for rounding, relative to the fastest body.
const ROUNDING: f64 = 1e-12;

/// What the impacts of a step did; the memory is reused.
#[derive(Debug, Default)]
pub(super) struct Impacts {
    /// What is added to normal velocities in this round; none: no part in it.
    bias: Vec<Option<f64>>,
    /// Restitution in this round.
    restitution: Vec<f64>,
    /// Normal velocities at the end of the step of contacts that do not leave at once.
    late: Vec<f64>,
    /// Impulses of each contact so far, as forces over the step.
    contacts: Vec<Contact>,
    /// Impulses of the rows of cables so far.
    cables: Vec<f64>,
    /// Impulses of the joint rows so far: slot, tag, impulse.
    joints: Vec<(u32, u8, f64)>,
    before: Vec<Twist>,
    /// Contacts with the forces of the last step.
    saved: Vec<Contact>,
    /// When contacts meet in this round \[s\], and how far bodies end from where their velocities
    /// take them \[m\]; empty where bodies stay.
    times: Vec<f64>,
    shifts: Vec<Vec3>,
}

impl Impacts {
    pub(super) fn biases(&self) -> &[Option<f64>] {
        &self.bias
    }

    /// The velocity that a contact leaves with after it has landed in this step.
    pub(super) fn late(&self, k: usize) -> f64 {
        self.late.get(k).copied().unwrap_or(0.0)
    }

    /// How far a body of the island ends from where its velocity takes it \[m\].
    pub(super) fn shift(&self, k: usize) -> Vec3 {
        self.shifts.get(k).copied().unwrap_or(Vec3::ZERO)
    }

    /// What that does to the gap of a contact \[m\].
    pub(super) fn gap_shift(&self, scene: &Scene, c: &Contact) -> f64 {
        let of = |slot: u32| self.shift(scene.local[slot as usize] as usize);
        if self.shifts.is_empty() { 0.0 } else { c.normal.dot(of(c.b) - of(c.a)) }
    }
}

impl IslandSolver {
    /// Whether there were bounces in the step.
    pub(crate) fn has_bounced(&self) -> bool {
        !self.impacts.contacts.is_empty()
    }

    /// Velocities at the start of the step, after the bounces in it.
    pub(super) fn run_impacts(&mut self, scene: &Scene, island: &Island) {
        self.start_without_impacts(scene, island);
        if !self.contacts.iter().any(|c| c.material.restitution > 0.0) {
            return;
        }
        self.bounce_in_rounds(scene, island);
    }

    /// Velocities at the start of the step, without any bounce.
    pub(super) fn start_without_impacts(&mut self, scene: &Scene, island: &Island) {
        self.start.clear();
        let velocity = |&slot: &u32| scene.bodies.at(slot).map_or_else(zero, |b| (b.v, b.w));
        self.start.extend(island.bodies.iter().map(velocity));
        self.impacts.contacts.clear();
        self.impacts.joints.clear();
        self.impacts.cables.clear();
        self.impacts.late.clear();
        self.impacts.shifts.clear();
    }

    fn bounce_in_rounds(&mut self, scene: &Scene, island: &Island) {
        let alike =
            |&slot: &u32| scene.bodies.at(slot).is_some_and(|b| b.body.gravity_scale == 1.0);
        let flies = island.is_loose() && !self.is_tied(scene) && island.bodies.iter().all(alike);
        if flies && scene.settings.integrator == Integrator::EnergyMomentum {
            self.impacts.shifts.resize(island.bodies.len(), Vec3::ZERO);
        }
        let rounds = (2 * island.bodies.len() + 6).min(MOST_ROUNDS);
        let mut saved = std::mem::take(&mut self.impacts.saved);
        saved.clone_from(&self.contacts);
        self.meet(scene);
        for round in 1..=rounds {
            if !self.find_bounces(scene, round == rounds) {
                break;
            }
            if !self.bounce(scene, island) {
                self.report.bounce_failed = true;
                break;
            }
        }
        std::mem::swap(&mut self.contacts, &mut saved);
        self.impacts.saved = saved;
        self.find_late(scene);
    }

    /// Lets round contacts that will close in this step have the normals and arms that they have
    /// then: a ball that comes in at a slant has gone on until it touches.
    fn meet(&mut self, scene: &Scene) {
        let mut contacts = std::mem::take(&mut self.contacts);
        for c in contacts.iter_mut().filter(|c| c.material.restitution > 0.0 && c.gap > TOUCH) {
            if let Some((place, centres)) = self.meeting(scene, c) {
                let x = |slot: u32| scene.bodies.at(slot).map_or(Vec3::ZERO, |b| b.x);
                let a = x(c.a) + place.point - centres[0];
                let b = x(c.b) + place.point - centres[1];
                (c.normal, c.gap) = (place.normal, place.normal.dot(b - a));
                (c.point, c.aside) = (0.5 * (a + b), b - a);
            }
        }
        self.contacts = contacts;
    }

    /// Where a contact of points and lines closes, and the centres of its bodies then, if it does in
    /// this step at the velocities that bodies have. (Newton's method; gaps are nearly linear.)
    fn meeting(&self, scene: &Scene, c: &Contact) -> Option<(Place, [Vec3; 2])> {
        let surface = c.surface.as_ref().filter(|s| !s.kinds.contains(&Kind::Face))?;
        let (a, b) = (scene.bodies.at(c.a)?, scene.bodies.at(c.b)?);
        let mut t = 0.0;
        for _ in 0..MOST_MEETINGS {
            let moved = |body: &BodyState| {
                let turn = Quat::from_scaled_axis(body.w * t);
                let (x, q) = (body.x + body.v * t, turn * body.q);
                (x, Moved::new((body.x, body.q), (x, q)))
            };
            let ((xa, moved_a), (xb, moved_b)) = (moved(a), moved(b));
            let place = surface.at(&moved_a, &moved_b)?;
            if place.gap.abs() <= MET {
                return Some((place, [xa, xb]));
            }
            let at = |body: &BodyState, x: Vec3| body.v + body.w.cross(place.point - x);
            let rate = place.normal.dot(at(b, xb) - at(a, xa));
            t -= place.gap / rate;
            if !(rate < 0.0 && (0.0..=scene.h).contains(&t)) {
                return None;
            }
        }
        None
    }

    /// Contacts that still approach leave the surface after they have landed, if they do in
    /// this step.
    fn find_late(&mut self, scene: &Scene) {
        let mut late = std::mem::take(&mut self.impacts.late);
        late.clear();
        for c in &self.contacts {
            let (rate, g) = self.approach(scene, c);
            let fast = rate < -scene.settings.restitution_threshold;
            let speed = (rate * rate + 2.0 * g * c.gap.max(0.0)).max(0.0).sqrt();
            late.push(if fast { c.material.restitution * speed } else { 0.0 });
        }
        self.impacts.late = late;
    }

    /// Which contacts take part in a round; true if some of them bounces.
    fn find_bounces(&mut self, scene: &Scene, all: bool) -> bool {
        let mut bias = std::mem::take(&mut self.impacts.bias);
        let mut restitution = std::mem::take(&mut self.impacts.restitution);
        bias.clear();
        restitution.clear();
        let mut times = std::mem::take(&mut self.impacts.times);
        times.clear();
        let fastest = self.start.iter().map(|t| t.0.length()).fold(0.0, f64::max);
        let h = scene.h;
        for c in &self.contacts {
            let (rate, g) = self.approach(scene, c);
            // Bodies that meet in flight were elsewhere before.
            let at_start = c.gap + self.impacts.gap_shift(scene, c);
            let gap = at_start.max(0.0);
            let closes = at_start + h * (rate - 0.5 * g * h) < TOUCH;
            let fast = closes && rate < -scene.settings.restitution_threshold;
            let e = if fast { rebound(c.material.restitution, rate, g, gap) } else { 0.0 };
            let pushed = rate < -gap / h - ROUNDING * fastest || all && c.gap <= TOUCH;
            bias.push(match (e > 0.0, pushed) {
                (true, _) => Some(0.0),
                (false, true) => Some(gap / h),
                _ => None,
            });
            restitution.push(e);
            times.push(if e > 0.0 { (-gap / rate).min(h) } else { 0.0 });
        }
        self.impacts.times = times;
        let some = restitution.iter().any(|&e| e > 0.0);
        (self.impacts.bias, self.impacts.restitution) = (bias, restitution);
        some
    }

    /// Normal velocity of b against a, and the acceleration at which they approach.
    fn approach(&self, scene: &Scene, c: &Contact) -> (f64, f64) {
        let at = |slot: u32, point: Vec3| {
            let Some(body) = scene.bodies.at(slot) else { return zero() };
            let r = point - body.x;
            let Some(&(v, w)) = self.start.get(scene.local[slot as usize] as usize) else {
                return (body.v + body.w.cross(r), Vec3::ZERO);
            };
            let fall = body.body.gravity_scale * scene.gravity + body.force / body.mass;
            (v + w.cross(r), fall)
        };
        let [a, b] = c.points();
        let (a, b) = (at(c.a, a), at(c.b, b));
        (c.normal.dot(b.0 - a.0), -c.normal.dot(b.1 - a.1))
    }

    /// One round; false if a solve failed.
    fn bounce(&mut self, scene: &Scene, island: &Island) -> bool {
        self.push_rows(scene, island, Stage::Impact);
        self.solve_with_friction(scene, island, Stage::Impact, PASSES);
        if !self.usable(scene) {
            return false;
        }
        let energy = self.kinetic(scene, island, &self.start);
        self.find_velocities(island);
        self.contact_forces(scene.h);
        self.add_impulses(1.0);
        self.add_shifts(scene, 1.0);
        let mut before = std::mem::take(&mut self.impacts.before);
        before.clone_from(&self.velocities);
        self.start.clone_from(&self.velocities);
        self.expand();
        self.solve_once(scene, island);
        // Nothing approaches any more: b is rounding, and no residual is small beside it.
        if self.iterate.lambda.iter().all(|l| l.is_finite()) && !self.report.is_refused() {
            self.v_free.clone_from(&before);
            self.find_velocities(island);
            self.contact_forces(scene.h);
            let share = self.share(scene, island, energy, &before);
            self.add_impulses(share);
            self.add_shifts(scene, share);
            for (k, start) in self.start.iter_mut().enumerate() {
                let ((v, w), (v1, w1)) = (before[k], self.velocities[k]);
                *start = (v + share * (v1 - v), w + share * (w1 - w));
            }
        }
        self.impacts.before = before;
        true
    }

    fn usable(&self, scene: &Scene) -> bool {
        // Redundant joints may leave a last digit: velocities need not be exact to 1e-9 here.
        let enough = scene.settings.accuracy.map_or(1e-6, |a| a.max(1e-6));
        let limited = self.allowed.is_some();
        let close =
            (limited || self.report.relative_residual <= enough) && !self.report.is_refused();
        close && self.iterate.lambda.iter().all(|l| l.is_finite())
    }

    /// From the problem of compression to that of expansion.
    fn expand(&mut self) {
        self.problem.b.clone_from(&self.iterate.w);
        for (k, rows) in self.contact_rows.iter().enumerate() {
            let e = self.impacts.restitution[k];
            if e > 0.0 {
                let p = e * self.iterate.lambda[rows.normal].max(0.0);
                self.problem.laws[rows.normal] = Law::Box { lo: p, hi: p };
            }
        }
        let fixed = |law: &Law| match *law {
            Law::Box { lo, hi } if lo == hi => lo,
            _ => 0.0,
        };
        for i in 0..self.problem.laws.len() {
            if let Law::FrictionBox { normal, mu, .. } = self.problem.laws[i] {
                let bound = mu * fixed(&self.problem.laws[normal]);
                self.problem.laws[i] = Law::FrictionBox { normal, mu, bound };
            }
            let p = fixed(&self.problem.laws[i]);
            self.iterate.lambda[i] = p;
        }
    }

    /// How much of the expansion may be given, so that the round creates no energy
    /// beyond the work of kinematic bodies.
    fn share(&self, scene: &Scene, island: &Island, energy: f64, before: &[Twist]) -> f64 {
        let driven = self.foreign.iter().any(|&f| f != 0.0);
        let compressed = self.kinetic(scene, island, before);
        let full = self.kinetic(scene, island, &self.velocities);
        if driven || full <= energy {
            return 1.0;
        }
        // T(s) = T(0) + s·slope + s²·square is above `energy` at s = 1.
        let square = self.kinetic_of(scene, island, |k| {
            let ((v, w), (v1, w1)) = (before[k], self.velocities[k]);
            (v1 - v, w1 - w)
        });
        let slope = full - compressed - square;
        let room = (energy - compressed).max(0.0);
        let root = (slope * slope + 4.0 * square * room).max(0.0).sqrt();
        (2.0 * room / (slope + root)).clamp(0.0, 1.0)
    }

    fn kinetic(&self, scene: &Scene, island: &Island, velocities: &[Twist]) -> f64 {
        self.kinetic_of(scene, island, |k| velocities[k])
    }

    fn kinetic_of(&self, scene: &Scene, island: &Island, at: impl Fn(usize) -> Twist) -> f64 {
        let of = |(k, &slot): (usize, &u32)| {
            let ((v, w), body) = (at(k), scene.bodies.at(slot));
            body.map_or(0.0, |b| 0.5 * (b.mass * v.length_squared() + w.dot(b.inertia() * w)))
        };
        island.bodies.iter().enumerate().map(of).sum()
    }

    /// Where bodies end by a share of the impulses of the last solve, which act when contacts meet.
    fn add_shifts(&mut self, scene: &Scene, share: f64) {
        if self.impacts.shifts.is_empty() {
            return;
        }
        for (c, t) in self.contacts.iter().zip(&self.impacts.times) {
            let impulse = (share * scene.h * t) * (c.normal_force * c.normal + c.friction);
            for (slot, impulse) in [(c.a, impulse), (c.b, -impulse)] {
                let shift = self.impacts.shifts.get_mut(scene.local[slot as usize] as usize);
                if let (Some(shift), Some(body)) = (shift, scene.bodies.at(slot)) {
                    *shift += impulse / body.mass;
                }
            }
        }
    }

    /// Adds a share of the impulses of the last solve to those of the step.
    fn add_impulses(&mut self, share: f64) {
        let work: f64 = self.iterate.lambda.iter().zip(&self.foreign).map(|(l, f)| l * f).sum();
        self.report.work -= share * work;
        if self.impacts.contacts.is_empty() {
            let none = |c: &Contact| Contact {
                normal_force: 0.0,
                friction: Vec3::ZERO,
                torque: Vec3::ZERO,
                ..*c
            };
            self.impacts.contacts.extend(self.contacts.iter().map(none));
        }
        for (sum, c) in self.impacts.contacts.iter_mut().zip(&self.contacts) {
            sum.normal_force += share * c.normal_force;
            sum.friction += share * c.friction;
            sum.torque += share * c.torque;
        }
        for (i, (slot, row)) in self.joint_rows.iter().enumerate() {
            self.impacts.joints.push((*slot, row.tag, share * self.iterate.lambda[i]));
        }
        let (first, count) = (self.joint_rows.len(), self.cable_rows());
        self.impacts.cables.resize(count, 0.0);
        for (sum, l) in self.impacts.cables.iter_mut().zip(&self.iterate.lambda[first..]) {
            *sum += share * l;
        }
    }

    /// Adds the impulses of the impacts to those of the step.
    pub(super) fn add_impacts(&mut self) {
        for (c, sum) in self.contacts.iter_mut().zip(&self.impacts.contacts) {
            c.normal_force += sum.normal_force;
            c.friction += sum.friction;
            c.torque += sum.torque;
        }
        for &(slot, tag, impulse) in &self.impacts.joints {
            let same = |(s, r): &(u32, Row)| *s == slot && r.tag == tag;
            if let Some(i) = self.joint_rows.iter().position(same) {
                self.iterate.lambda[i] += impulse;
            }
        }
        let first = self.joint_rows.len();
        for (k, impulse) in self.impacts.cables.iter().enumerate() {
            self.iterate.lambda[first + k] += impulse;
        }
    }

    /// Rigid rows and closed limits: what takes impulses. Springs, motors and open
    /// limits do not.
    pub(super) fn push_impact_joints(&mut self, scene: &Scene, island: &Island) {
        let law = |row: &Row| {
            let gives = row.spring.is_some_and(|s| s.stiffness.is_finite());
            if gives || !row.has_position || !row.reaction {
                NOTHING
            } else if row.lo == f64::NEG_INFINITY && row.hi == f64::INFINITY {
                Law::Bilateral
            } else if row.phi <= TOUCH {
                Law::Box { lo: 0.0, hi: f64::INFINITY }
            } else {
                NOTHING
            }
        };
        self.push_start_rows(scene, island, |row| (law(row), (None, 0.0)));
    }
}

fn zero() -> Twist {
    (Vec3::ZERO, Vec3::ZERO)
}

/// Restitution at the gap φ; see the head of this file.
fn rebound(e: f64, rate: f64, g: f64, gap: f64) -> f64 {
    let square = e * e * (rate * rate + 2.0 * g * gap) - 2.0 * g * gap;
    (square.max(0.0).sqrt() / -rate).min(1.0)
}
