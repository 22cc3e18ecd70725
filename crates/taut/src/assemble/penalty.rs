//! Contacts that are springs and dampers (Andrews22 5.1).
//!
//! **Problem**: the semi-implicit step with the force f = max(0, s f(φ) − d φ̇) at each contact, f the law of the surface
//! (`scene::penalty`), s its share on the way out, and friction by a spring to an anchor on the other body, at most μf.
//!
//! **Implicit**: φ and φ̇ are those of the end of the step. Linearized about a gap φₖ, with the slope k there, the row
//! w = ẋₙ + Cλ + C h (k(φ − φₖ) − f(φₖ)) ≥ 0, C = 1/(h²k + hd), is a contact that gives way; tangents have C = 1/(h²k_t) and
//! C h k_t ξ, ξ the stretch of the anchor's spring, within Coulomb's cone. Linear laws are one solve. For others φₖ follows the force
//! that was found, φₖ ← f⁻¹(λ/h): that comes from the shallow side and converges like Newton's method on the inverse of f, which
//! is concave, so that exponentials do not overshoot. **Explicit**: φ and φ̇ are those of the start, and rows are boxes with no width, lo = hi = h f.
//!
//! **On the way out** (share s below 1) the force is s f(φ), on the way in f(φ), and where neither goes on, anything between: friction along the normal, so to speak. Implicit
//! steps decide by the motion at their end: solved as at the start; what turned around in the step is solved for the other way; what turned around again stays where it is
//! ([`Way::Held`]). Decided by the start alone, what rests went to and fro between both laws, and gained energy at each turn. s f is the slope of s E(φ), which is what
//! the ledger has; the rest is lost on the way in. Explicit steps decide by the start.
//!
//! The anchor needs no memory: the force that it had says how far its spring is stretched, ξ = −f_t/k_t. It turns with the first body.
//! Where the force is at its limit, that is where the anchor was dragged to (eq. 276 and 277). For that, friction has no damper: with one, what rests
//! on a turning table crept outwards by 2 mm/s.
//!
//! **Cost**: implicit as complementarity, a few times over for nonlinear laws; explicit no contact row is solved for.
//! **Fails**: bodies sink in by mg/k, and pass through what is thinner than they sink; explicit springs blow up where h√(k/m) > 2.

use super::contacts::ContactFrame;
use super::{IslandSolver, Scene, Stage, balance};
use crate::contact::Contact;
use crate::islands::Island;
use crate::lcp::{Law, Operator};
use crate::math::Vec3;
use crate::scene::Penalty;

/// Solves at most for nonlinear laws. (Exponentials of 0.1 mm that stop a ball of 1 m/s take 5.)
const ROUNDS: usize = 40;
/// Forces this near to those of the law, as a share of the largest, are found.
const NEAR: f64 = 1e-9;
/// Nonlinear laws are linearized at least this deep \[m\], where a power has a slope.
const SHALLOW: f64 = 1e-7;

/// Compliance of a contact that is held where it is, as a share of its spring's.
const HELD: f64 = 1e-6;

/// Which way a contact goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    In,
    Out,
    /// With a force between both.
    Held,
}

/// The spring of a contact in the step at hand.
#[derive(Clone, Copy, Debug)]
struct ContactSpring {
    law: Penalty,
    /// Which way it goes in this step.
    way: Way,
    /// Whether it was solved for the other way, too.
    turned: bool,
    /// φₖ, about which it is linearized.
    about: f64,
    compliance: f64,
    /// What b has of it.
    bias: f64,
    /// How far the anchor's spring is stretched \[m\].
    stretch: Vec3,
}

impl ContactSpring {
    /// Factor on its force.
    fn share(&self) -> f64 {
        match self.way {
            Way::In => 1.0,
            Way::Out => self.law.share,
            Way::Held => 0.5 * (1.0 + self.law.share),
        }
    }

    /// Force of the law about which it is linearized, and its slope.
    fn tangent(&self) -> (f64, f64) {
        match self.law.law {
            crate::PenaltyLaw::Linear => (-self.law.stiffness * self.about, self.law.stiffness),
            _ => self.law.force(self.about),
        }
    }

    /// C and what is added to b, of a normal at the gap φ in a step of h.
    fn row(&self, gap: f64, h: f64) -> (f64, f64) {
        let (force, slope) = self.tangent();
        let (force, slope) = (self.share() * force, self.share() * slope);
        if self.way == Way::Held {
            let compliance = HELD / (h * h * slope + h * self.law.damping);
            return (compliance, -compliance * h * self.share() * self.law.force(gap).0);
        }
        let compliance = 1.0 / (h * h * slope + h * self.law.damping);
        (compliance, compliance * h * (slope * (gap - self.about) - force))
    }
}

/// Springs of an island.
#[derive(Debug, Default)]
pub(super) struct ContactSprings(Vec<ContactSpring>);

impl IslandSolver {
    /// The step of an island whose contacts are springs.
    pub(super) fn run_penalty(&mut self, scene: &Scene, island: &Island, explicit: bool) {
        (self.push, self.closing) = (1.0, balance::Closing::Full);
        (self.misplaced, self.yields) = (false, false);
        self.forget_first_stage();
        self.start_without_impacts(scene, island);
        self.take_springs(scene);
        let anchored =
            |s: &ContactSpring| 0.5 * s.law.anchor_stiffness() * s.stretch.length_squared();
        let springs = self.contacts.iter().zip(&self.springs.0);
        let start: f64 = springs.map(|(c, s)| s.law.energy(c.gap) + anchored(s)).sum();
        self.report.energy.elastic += start;
        self.arrivals.clear();
        self.find_geometric(scene, island);
        self.push_rows(scene, island, Stage::Step);
        self.solve_with_friction(scene, island, Stage::Step, usize::MAX);
        if !explicit {
            self.follow(scene, island);
        }
        self.answer(scene, island);
        let end = |(c, s): (&Contact, &ContactSpring)| {
            let gap = c.gap + scene.h * self.rate_after(scene, c, c.normal);
            s.law.energy(gap) + 0.5 * c.friction.length_squared() / s.law.anchor_stiffness()
        };
        self.report.springs = self.contacts.iter().zip(&self.springs.0).map(end).sum();
    }

    /// What each contact is like at the start of the step.
    fn take_springs(&mut self, scene: &Scene) {
        let Some((_, settings)) = scene.settings.contact.penalty() else { return };
        self.springs.0.clear();
        for c in &self.contacts {
            let law = c.material.penalty.unwrap_or(settings);
            let rate = rate_at_start(scene, c).dot(c.normal);
            let is_out = c.gap < 0.0 && rate > 0.0 && law.share < 1.0;
            let way = if is_out { Way::Out } else { Way::In };
            let about = match law.law {
                crate::PenaltyLaw::Linear => c.gap,
                _ => (c.gap + scene.h * rate).min(c.gap).min(-SHALLOW),
            };
            let stretch = stretch(scene, c, &law);
            let (compliance, bias, turned) = (0.0, 0.0, false);
            let spring = ContactSpring { law, way, turned, about, compliance, bias, stretch };
            self.springs.0.push(spring);
        }
    }

    /// Rows of contacts as springs, once they are pushed.
    pub(super) fn pose_springs(&mut self, scene: &Scene, explicit: bool) {
        self.forget_anchors();
        for k in 0..self.contacts.len() {
            self.springs.0[k].bias = 0.0;
            if explicit {
                self.give_forces(scene, k);
            } else {
                self.pose_normal(scene, k);
                self.pose_anchor(scene, k);
            }
        }
    }

    fn pose_normal(&mut self, scene: &Scene, k: usize) {
        let row = self.contact_rows[k].normal;
        let spring = &mut self.springs.0[k];
        let (compliance, bias) = spring.row(self.contacts[k].gap, scene.h);
        self.problem.b[row] += bias - spring.bias;
        (spring.compliance, spring.bias) = (compliance, bias);
        if let Operator::Multibody(m) = &mut self.problem.operator {
            m.set_compliance(row, compliance);
        }
    }

    /// Friction of a spring to the anchor.
    fn pose_anchor(&mut self, scene: &Scene, k: usize) {
        let (c, ContactSpring { law, stretch, .. }) = (&self.contacts[k], &self.springs.0[k]);
        let Some(first) = self.contact_rows[k].tangent else { return };
        let (h, stiffness) = (scene.h, law.anchor_stiffness());
        let compliance = 1.0 / (h * h * stiffness);
        let Operator::Multibody(m) = &mut self.problem.operator else { return };
        for (row, t) in (first..).zip(c.tangents) {
            m.set_compliance(row, compliance);
            // (C h k is 1/h.)
            self.problem.b[row] += compliance * h * stiffness * stretch.dot(t);
        }
    }

    /// Forces of the start of the step, as boxes with no width.
    fn give_forces(&mut self, scene: &Scene, k: usize) {
        let (c, spring) = (&self.contacts[k], &self.springs.0[k]);
        let (law, slip) = (&spring.law, rate_at_start(scene, c) + c.belt);
        let force = spring.share() * law.force(c.gap).0;
        let damped = if force > 0.0 { force - law.damping * slip.dot(c.normal) } else { 0.0 };
        let normal = damped.max(0.0);
        let across = slip - c.normal * c.normal.dot(slip);
        let stretch = spring.stretch + scene.h * across;
        let rows = self.contact_rows[k];
        let mut give = |row: usize, force: f64| {
            let impulse = scene.h * force;
            self.problem.laws[row] = Law::Box { lo: impulse, hi: impulse };
            self.iterate.lambda[row] = impulse;
        };
        give(rows.normal, normal);
        if let Some(first) = rows.tangent {
            let pulls = [0, 1].map(|i| -law.anchor_stiffness() * stretch.dot(c.tangents[i]));
            // The ellipse of both coefficients.
            let [mu1, mu2] = c.grip.mu.map(|mu| (mu * normal).max(f64::MIN_POSITIVE));
            let load = (pulls[0] / mu1).hypot(pulls[1] / mu2).max(1.0);
            (0..2).for_each(|i| give(first + i, pulls[i] / load));
        }
    }

    /// Lets forces follow the laws, for the way that contacts go.
    fn follow(&mut self, scene: &Scene, island: &Island) {
        self.follow_laws(scene, island);
        // Each turns around twice at most.
        for _ in 0..ROUNDS {
            if !self.turn_around(scene) {
                return;
            }
            self.solve_once(scene, island);
            self.follow_laws(scene, island);
        }
        self.report.given_up =
            Some(format!("which way contacts go was not found in {ROUNDS} solves"));
    }

    /// Lets contacts that went the other way follow its law; whether there are some.
    fn turn_around(&mut self, scene: &Scene) -> bool {
        let mut found = false;
        for k in 0..self.contacts.len() {
            let spring = self.springs.0[k];
            if spring.law.share >= 1.0 || spring.way == Way::Held || self.contacts[k].gap >= 0.0 {
                continue;
            }
            let rate = self.spring_rate(k);
            let goes_on = if spring.way == Way::In { rate <= 0.0 } else { rate >= 0.0 };
            if !goes_on {
                let other = if spring.way == Way::In { Way::Out } else { Way::In };
                self.springs.0[k].way = if spring.turned { Way::Held } else { other };
                self.springs.0[k].turned = true;
                self.pose_normal(scene, k);
                found = true;
            }
        }
        found
    }

    /// φ̇ at the end of the step, as it was solved for.
    fn spring_rate(&self, k: usize) -> f64 {
        let (row, spring) = (self.contact_rows[k].normal, &self.springs.0[k]);
        let of = |v: &[f64]| v.get(row).copied().unwrap_or(0.0);
        of(&self.iterate.w) - spring.compliance * of(&self.iterate.lambda) - spring.bias
    }

    /// Lets nonlinear laws be linearized about the forces found, until these are those of the laws.
    fn follow_laws(&mut self, scene: &Scene, island: &Island) {
        if self.springs.0.iter().all(|s| s.law.law == crate::PenaltyLaw::Linear) {
            return;
        }
        for _ in 0..ROUNDS {
            if self.report.is_broken() || self.iterate.w.len() != self.problem.b.len() {
                return;
            }
            let (mut most, mut off) = (0.0_f64, 0.0_f64);
            for k in 0..self.contacts.len() {
                // The spring's force as it is linearized, not what is left of λ without the damper: where that is strong, rounding of λ/h is more than NEAR.
                let gap = self.contacts[k].gap + scene.h * self.spring_rate(k);
                let spring = &mut self.springs.0[k];
                if spring.way == Way::Held {
                    continue;
                }
                let (force, slope) = spring.tangent();
                let pushed = force + slope * (spring.about - gap);
                let wanted = spring.law.force(gap).0;
                most = most.max(wanted).max(pushed);
                off = off.max((wanted - pushed.max(0.0)).abs());
                // Where the tangent has no force left, the law still has a little: from there on by the gap.
                let is_free = pushed <= 0.0;
                let inverse = if is_free { gap } else { spring.law.gap(pushed) };
                let is_exponential =
                    matches!(spring.law.law, crate::PenaltyLaw::Exponential { .. });
                spring.about = if is_exponential { inverse } else { inverse.min(-SHALLOW) };
            }
            if off <= NEAR * most {
                return;
            }
            (0..self.contacts.len()).for_each(|k| self.pose_normal(scene, k));
            self.solve_once(scene, island);
        }
        self.report.given_up =
            Some(format!("springs of contacts were not found in {ROUNDS} solves"));
    }

    /// Relative velocity of a contact along e after the step.
    fn rate_after(&self, scene: &Scene, c: &Contact, e: Vec3) -> f64 {
        let frame = ContactFrame::at_start(scene, c);
        let twist = |slot: u32| {
            let own = self.velocities.get(scene.local[slot as usize] as usize).copied();
            let given = || scene.bodies.at(slot).map(|b| b.given(0.5 * scene.h));
            own.or_else(given).unwrap_or((Vec3::ZERO, Vec3::ZERO))
        };
        let at = |slot: u32, side: usize| {
            let (v, w) = twist(slot);
            v + w.cross(frame.arms[side])
        };
        e.dot(at(c.b, 1) - at(c.a, 0))
    }
}

/// Velocity of b's point against a's at the start of the step.
fn rate_at_start(scene: &Scene, c: &Contact) -> Vec3 {
    let at = |slot: u32, p: Vec3| {
        let Some(body) = scene.bodies.at(slot) else { return Vec3::ZERO };
        let (v, w) = body.given(0.0);
        v + w.cross(p - body.x)
    };
    let [a, b] = c.points();
    at(c.b, b) - at(c.a, a)
}

/// How far the anchor's spring is stretched across the normal.
fn stretch(scene: &Scene, c: &Contact, law: &Penalty) -> Vec3 {
    if !c.warm || c.normal_force <= 0.0 {
        return Vec3::ZERO;
    }
    let back = -c.friction / law.anchor_stiffness();
    let turned = scene.bodies.at(c.a).map_or(Vec3::ZERO, |a| a.given(0.0).1 * scene.h);
    let back = back + turned.cross(back);
    back - c.normal * c.normal.dot(back)
}
