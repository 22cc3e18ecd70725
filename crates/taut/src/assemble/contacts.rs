//! Rows of contacts: non-penetration, two of friction, and where the
//! material asks for them torsion and rolling (Andrews22 1.4, 1.5, 1.10.1).
//!
//! **Normal**: an open gap φ > 0 is anticipated, w = ẋₙ + φ/h ≥ 0
//! (Andrews22 eq. 12): the body arrives, and neither sinks in nor bounces
//! off. A penetration is corrected by a share γ, w = ẋₙ + γφ/h ≥ 0.
//!
//! Bounces come before (`impact`).
//!
//! **Friction**: |λ_t| ≤ μλₙ is a disc, the rows are a box. The first tangent
//! follows the load, so that the box touches the disc where it matters: the
//! direction of the free tangential velocity, else that of the last friction
//! force; `friction` turns it where the answer lies outside the disc. Where friction
//! depends on the direction (`scene::anisotropy`), it follows the surface instead.
//!
//! **Torsion** belongs to the cone of its contact, (λ₁/μ₁)² + (λ₂/μ₂)² + (λ_τ/μ_τ)² ≤ λₙ²
//! (Coulomb and Contensou: what spins slides with less force), where friction is a cone, else it
//! is a box of its own. **Rolling** is a box always: in the same cone what rolls would have to
//! slip, too, as soon as friction drives or brakes it.

use super::friction::ConeLaw;
use super::{IslandSolver, NOTHING, Scene, Stage, Twist, row6};
use crate::contact::Contact;
use crate::lcp::{Law, RowState};
use crate::math::Vec3;
use crate::settings::FrictionMode;

/// Compliance of friction relative to that of rigid rows. The friction of
/// several points on one body may be in equilibrium with itself; the larger
/// compliance keeps such stress at zero, and costs a creep of 1e-7 times the
/// speed that friction takes away in a step.
const FRICTION_FACTOR: f64 = 100.0;

/// Friction this near to its bound, as a share of it, starts there: rounding.
const AT_BOUND: f64 = 1e-9;

/// Where the rows of a contact are.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactRows {
    /// Row of the normal.
    pub(super) normal: usize,
    /// First row of the two tangents, if there is friction.
    pub(super) tangent: Option<usize>,
    pub(super) torsion: Option<usize>,
    /// First of the two rolling rows.
    pub(super) rolling: Option<usize>,
}

impl ContactRows {
    fn new(normal: usize) -> Self {
        ContactRows { normal, tangent: None, torsion: None, rolling: None }
    }
}

const UNILATERAL: Law = Law::Box { lo: 0.0, hi: f64::INFINITY };

/// How a contact lies in a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactFrame {
    /// Jacobian of the normal.
    pub(super) normal: Parts,
    /// Arms of the tangents on a and b.
    pub(super) arms: [Vec3; 2],
    /// The normal that tangents are turned across, if it is not that of the start.
    pub(super) across: Option<Vec3>,
}

impl ContactFrame {
    #[inline]
    pub(super) fn at_start(scene: &Scene, c: &Contact) -> Self {
        let arm = |slot: u32, p: Vec3| scene.bodies.at(slot).map_or(Vec3::ZERO, |b| p - b.x);
        let [a, b] = c.points();
        let arms = [arm(c.a, a), arm(c.b, b)];
        ContactFrame { normal: parts(&arms, c.normal), arms, across: None }
    }

    #[inline(always)]
    fn tangent(&self, t: Vec3) -> Parts {
        let turned = self.across.and_then(|n| (t - n * n.dot(t)).try_normalize());
        parts(&self.arms, turned.unwrap_or(t))
    }
}

/// The two bodies of a contact.
struct Sides {
    /// Those of the island, in their order; `first` is the side (0 for a) of the first of them.
    bodies: [u32; 2],
    first: usize,
    count: usize,
    /// By side: whether it is of the island, and its free velocity.
    own: [bool; 2],
    twists: [Twist; 2],
}

impl Sides {
    /// A Jacobian on the bodies of the island (and where that is only one, something behind it).
    #[inline(always)]
    fn values(&self, parts: &Parts) -> [[f64; 6]; 2] {
        let [one, other] = [parts[self.first], parts[self.first ^ 1]];
        [row6(one.0, one.1), row6(other.0, other.1)]
    }

    /// Jv of the bodies of the island, and of the others.
    #[inline(always)]
    fn rates(&self, parts: &Parts) -> (f64, f64) {
        let rate = |side: usize| {
            let (linear, angular) = parts[side];
            let (v, w) = self.twists[side];
            linear.dot(v) + angular.dot(w)
        };
        match self.own {
            [true, true] => (rate(0) + rate(1), 0.0),
            [true, false] => (rate(0), rate(1)),
            [false, true] => (rate(1), rate(0)),
            [false, false] => (0.0, rate(0) + rate(1)),
        }
    }
}

impl IslandSolver {
    pub(super) fn push_contacts(&mut self, scene: &Scene, stage: Stage) {
        self.contact_rows.clear();
        let cone = self.cone(scene, stage);
        let mut contacts = std::mem::take(&mut self.contacts);
        // The points of a patch follow one another, and act on the same bodies.
        for patch in contacts.chunk_by_mut(|c, d| (c.a, c.b) == (d.a, d.b)) {
            let sides = self.sides(scene, &patch[0]);
            for contact in patch {
                let i = self.contact_rows.len();
                let mut rows = self.push_point(scene, contact, &sides, cone);
                if contact.has_torsion() || contact.has_rolling() {
                    self.push_waiting(&sides);
                }
                let normal = rows.normal;
                let in_cone = cone.is_some() && self.contact_bias[i].is_some();
                if has_wide_cone(scene, contact) && in_cone && rows.tangent.is_some() {
                    rows.torsion = Some(self.push_torsion(scene, contact));
                } else if contact.has_torsion() {
                    rows.torsion = Some(self.problem.b.len());
                    let mu = contact.material.torsional_friction;
                    self.push_turning(scene, contact, (normal, mu), contact.normal);
                }
                if contact.has_rolling() {
                    rows.rolling = Some(self.problem.b.len());
                    let mu = contact.material.rolling_friction;
                    contact.axes = self.rolling_axes(scene, contact);
                    for e in contact.axes {
                        self.push_turning(scene, contact, (normal, mu), e);
                    }
                }
                self.contact_rows.push(rows);
            }
            self.push_waiting(&sides);
        }
        self.contacts = contacts;
    }

    /// Hands the rows that wait to the operator, those of the points of a patch at once. (On `boxes` that is one call where
    /// there were four.)
    fn push_waiting(&mut self, sides: &Sides) {
        let (values, rows) = (std::mem::take(&mut self.waiting), self.problem.b.len());
        if let Some(m) = self.multibody()
            && m.rows() < rows
            && let Err(e) = m.push_rows(&sides.bodies[..sides.count], &values)
        {
            // Rows without bodies keep their place, so that those after them are found.
            (m.rows()..rows).for_each(|_| drop(m.push_row(&[], 0.0)));
            self.report.refuse(e);
        }
        self.waiting = values;
        self.waiting.clear();
    }

    /// How contacts lie in a stage, and what they ask of their normals.
    pub(super) fn find_biases(&mut self, scene: &Scene, stage: Stage) {
        let mut biases = std::mem::take(&mut self.contact_bias);
        let mut frames = std::mem::take(&mut self.contact_frames);
        biases.clear();
        frames.clear();
        let springs = scene.settings.contact.penalty();
        for (k, c) in self.contacts.iter().enumerate() {
            if let Some((explicit, _)) = springs {
                biases.push((!explicit).then_some(0.0));
                frames.push(ContactFrame::at_start(scene, c));
                continue;
            }
            if stage == Stage::Velocities {
                biases.push(self.closed(k).then_some(-self.impacts.late(k)));
                frames.push(self.end_frame(scene, k));
                continue;
            }
            frames.push(ContactFrame::at_start(scene, c));
            biases.push(match (stage, frames.last_mut()) {
                (Stage::Positions, Some(frame)) => {
                    let remainder = self.take_mean_frame(scene, k, frame);
                    let shift = self.impacts.gap_shift(scene, c);
                    let shift = if self.has_place(k) { 0.0 } else { shift };
                    Some(self.gap_bias(scene, c.gap) + (remainder + shift) / scene.h)
                }
                (Stage::Unrepaired, _) => Some(self.gap_bias(scene, c.gap.max(0.0))),
                (Stage::Impact, _) => self.impacts.biases()[k],
                _ => Some(self.gap_bias(scene, c.gap)),
            });
        }
        self.contact_bias = biases;
        self.contact_frames = frames;
    }

    /// What is added to the normal velocity so that the gap closes, and no more. What has sunk in
    /// is pushed out as far as there is energy for it (`balance`).
    fn gap_bias(&self, scene: &Scene, gap: f64) -> f64 {
        if gap > 0.0 { gap / scene.h } else { self.push * push_rate(scene, gap) }
    }

    /// Normal and tangents of a contact; their Jacobians wait.
    fn push_point(
        &mut self,
        scene: &Scene,
        c: &mut Contact,
        sides: &Sides,
        cone: Option<ConeLaw>,
    ) -> ContactRows {
        let (normal, k) = (self.problem.b.len(), self.contact_rows.len());
        let bias = self.contact_bias[k];
        if c.tangents[0] == Vec3::ZERO {
            c.tangents = tangents(c, self.free_velocity(scene, c));
            if c.grip.axis != Vec3::ZERO {
                c.grip.follow(c.tangents[0], c.normal, cone.is_some());
                c.take_axes();
            }
        }
        let frame = &self.contact_frames[k];
        let [t1, t2] = c.tangents;
        let parts = [frame.normal, frame.tangent(t1), frame.tangent(t2)];
        let asked = self.push_part(sides, &parts[0], bias.unwrap_or(0.0), 0.0);
        let has_friction = c.grip.most() > 0.0;
        if has_friction {
            self.push_part(sides, &parts[1], 0.0, t1.dot(c.belt));
            self.push_part(sides, &parts[2], 0.0, t2.dot(c.belt));
        }
        let lambda = if bias.is_some() { scene.h * c.normal_force } else { 0.0 };
        let pushed = lambda > 0.0 || bias.is_some() && !c.warm && asked < 0.0;
        let state = if pushed { RowState::Free } else { RowState::Lower };
        let law = if bias.is_some() { UNILATERAL } else { NOTHING };
        let mut found = ContactRows::new(normal);
        if !has_friction {
            self.rigid.push((normal, 1.0));
            self.iterate.lambda.push(lambda);
            self.iterate.set.push(state);
            self.problem.laws.push(law);
            return found;
        }
        found.tangent = Some(normal + 1);
        let [mu1, mu2] = c.grip.mu;
        match cone.filter(|_| bias.is_some()) {
            Some(cone) => {
                let (mu, associated) = ([mu1, mu2], cone == ConeLaw::Associated);
                self.problem.laws.push(if has_wide_cone(scene, c) {
                    Law::cone(&[mu1, mu2, c.material.torsional_friction], associated)
                } else {
                    Law::Cone { mu, associated }
                });
            }
            None => {
                let friction = |mu: f64| Law::FrictionBox { normal, mu, bound: mu * lambda };
                self.problem.laws.extend([law, friction(mu1), friction(mu2)]);
            }
        }
        let start = |t: Vec3, mu: f64| box_start(scene.h * c.friction.dot(t), mu * lambda);
        let (one, other) = (start(t1, mu1), start(t2, mu2));
        let tangents = [(normal + 1, FRICTION_FACTOR), (normal + 2, FRICTION_FACTOR)];
        self.rigid.extend([(normal, 1.0), tangents[0], tangents[1]]);
        self.iterate.lambda.extend([lambda, one.0, other.0]);
        self.iterate.set.extend([state, one.1, other.1]);
        found
    }

    /// The Jacobian of a row, which waits, and its b: Jv of the free velocities, and what is given. Returns b.
    #[inline(always)]
    fn push_part(&mut self, sides: &Sides, parts: &Parts, bias: f64, belt: f64) -> f64 {
        let [one, other] = sides.values(parts);
        self.waiting.push(one);
        if sides.count == 2 {
            self.waiting.push(other);
        }
        let (free, foreign) = sides.rates(parts);
        let foreign = foreign + belt;
        self.foreign.push(foreign);
        let b = free + foreign + bias;
        self.problem.b.push(b);
        b
    }

    /// Puts the rows of a contact's new tangents in the place of the old ones, with the impulses
    /// that its friction has along them. All else of the problem stays.
    pub(super) fn turn_rows(&mut self, scene: &Scene, (k, c): (usize, &Contact), stage: Stage) {
        let Some(first) = self.contact_rows[k].tangent else { return };
        let (_, bound) = self.problem.laws[first].bounds();
        let sides = self.sides(scene, c);
        for (i, t) in (first..).zip(c.tangents) {
            let parts = self.contact_frames[k].tangent(t);
            let (values, (free, foreign)) = (sides.values(&parts), sides.rates(&parts));
            let foreign = foreign + t.dot(c.belt);
            let (start, state) = box_start(scene.h * c.friction.dot(t), bound);
            let taken = self.take_back_tangent(scene, k, i, t, stage);
            let relative = scene.settings.compliance;
            let Some(m) = self.multibody() else { return };
            // The bodies are those of the old row: it cannot be refused.
            if m.set_row(i, &values[..sides.count]).is_ok() {
                m.set_compliance(i, 0.0);
                let diagonal = m.diagonal_entry(i);
                let compliance = FRICTION_FACTOR * relative * diagonal;
                m.set_compliance(i, compliance);
                self.diagonal[i] = diagonal;
                self.problem.b[i] = free + foreign - compliance * taken;
                self.foreign[i] = foreign;
                self.iterate.lambda[i] = start;
                self.iterate.set[i] = state;
            }
        }
    }

    /// The bodies of a contact in the island, and how both sides move freely.
    fn sides(&self, scene: &Scene, c: &Contact) -> Sides {
        let [a, b] = [c.a, c.b].map(|slot| scene.local[slot as usize]);
        let free = |local: u32, slot: u32| match self.v_free.get(local as usize) {
            Some(&twist) => (true, twist),
            None => {
                let still = (Vec3::ZERO, Vec3::ZERO);
                (false, scene.bodies.at(slot).map_or(still, |b| b.given(self.foreign_time)))
            }
        };
        let twists = [free(a, c.a), free(b, c.b)];
        let own = twists.map(|t| t.0);
        let (bodies, first) = if !own[0] || own[1] && b < a { ([b, a], 1) } else { ([a, b], 0) };
        let count = usize::from(own[0]) + usize::from(own[1]);
        Sides { bodies, first, count, own, twists: twists.map(|t| t.1) }
    }

    /// The row of torsion within the cone of its contact.
    fn push_torsion(&mut self, scene: &Scene, c: &Contact) -> usize {
        let row = self.problem.b.len();
        self.rigid.push((row, FRICTION_FACTOR));
        let parts = [(c.a, Vec3::ZERO, -c.normal), (c.b, Vec3::ZERO, c.normal)];
        let start = (scene.h * c.torque.dot(c.normal), RowState::Free);
        self.push_row::<2>(scene, parts.into_iter(), (0.0, 0.0, 0.0), None, start);
        row
    }

    /// A row that resists relative rotation about e.
    fn push_turning(&mut self, scene: &Scene, c: &Contact, (normal, mu): (usize, f64), e: Vec3) {
        self.rigid.push((self.problem.b.len(), FRICTION_FACTOR));
        let bound = mu * self.iterate.lambda[normal];
        let law = Law::FrictionBox { normal, mu, bound };
        let start = box_start(scene.h * c.torque.dot(e), bound);
        let parts = [(c.a, Vec3::ZERO, -e), (c.b, Vec3::ZERO, e)];
        self.push_row::<2>(scene, parts.into_iter(), (0.0, 0.0, 0.0), Some(law), start);
    }

    /// First axis along the free rolling, so that the box of its two rows is
    /// exact for it.
    fn rolling_axes(&self, scene: &Scene, c: &Contact) -> [Vec3; 2] {
        let at = |slot: u32| {
            let free = self.v_free.get(scene.local[slot as usize] as usize);
            free.map(|f| f.1).or_else(|| scene.bodies.at(slot).map(|b| b.w)).unwrap_or(Vec3::ZERO)
        };
        let rate = at(c.b) - at(c.a);
        let rolling = rate - c.normal * c.normal.dot(rate);
        if rolling.length() > 1e-9 * (1.0 + rate.length()) {
            let e = rolling.normalize();
            [e, c.normal.cross(e)]
        } else {
            c.tangents
        }
    }

    /// Velocity of b's surface against a's at the contact before any impulse.
    fn free_velocity(&self, scene: &Scene, c: &Contact) -> Vec3 {
        let at = |slot: u32, p: Vec3| {
            let Some(body) = scene.bodies.at(slot) else { return Vec3::ZERO };
            let free = self.v_free.get(scene.local[slot as usize] as usize);
            let (v, w) = free.copied().unwrap_or((body.v, body.w));
            v + w.cross(p - body.x)
        };
        let [a, b] = c.points();
        at(c.b, b) - at(c.a, a) + c.belt
    }
}

/// Jacobian of a contact's row on its two bodies, a before b: linear, angular.
pub(super) type Parts = [Twist; 2];

/// Jacobian of the relative velocity along e of a point at these arms.
#[inline(always)]
pub(super) fn parts(arms: &[Vec3; 2], e: Vec3) -> Parts {
    [(-e, -arms[0].cross(e)), (e, arms[1].cross(e))]
}

/// Impulse within its bounds, and the state that goes with it.
pub(super) fn box_start(lambda: f64, bound: f64) -> (f64, RowState) {
    if lambda >= bound * (1.0 - AT_BOUND) {
        (bound, RowState::Upper)
    } else if lambda <= -bound * (1.0 - AT_BOUND) {
        (-bound, RowState::Lower)
    } else {
        (lambda, RowState::Free)
    }
}

/// The speed at which a penetration is pushed out; negative.
pub(super) fn push_rate(scene: &Scene, gap: f64) -> f64 {
    let s = scene.settings;
    let rate = s.contact_correction * gap / scene.h.max(s.correction_time);
    rate.max(-s.max_correction_speed)
}

/// First tangent along the load, second completing the frame.
fn tangents(c: &Contact, relative: Vec3) -> [Vec3; 2] {
    let n = c.normal;
    let slip = relative - n * n.dot(relative);
    let push = c.friction - n * n.dot(c.friction);
    let t = if slip.length() > 1e-9 * (1.0 + relative.length()) {
        slip.normalize()
    } else if push.length() > 1e-6 * c.normal_force {
        push.normalize()
    } else {
        n.any_orthonormal_vector()
    };
    // Once more against n: small slips carry large rounding errors.
    let t = (t - n * n.dot(t)).normalize();
    [t, n.cross(t)]
}

/// Whether torsion is part of the contact's cone; polyhedra leave it a box of its own.
fn has_wide_cone(scene: &Scene, c: &Contact) -> bool {
    c.has_torsion() && !matches!(scene.settings.friction, FrictionMode::Polyhedral { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcp::SolverConfig;

    /// Rows on a body that is not there: the island says so, and rows after them are found.
    #[test]
    fn refused_rows_are_reported_and_keep_their_place() {
        let auto = SolverConfig::named("auto").and_then(|config| config.build());
        let mut island = IslandSolver::new(auto.expect("of the registry"));
        let one = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        island.multibody().expect("bodies").push_rigid_body(1.0, &one).expect("definite");
        let mut push = |bodies: [u32; 2], count: usize, rows: usize| {
            let twists = [(Vec3::ZERO, Vec3::ZERO); 2];
            let sides = Sides { bodies, first: 0, count, own: [true; 2], twists };
            island.problem.b.extend(vec![0.0; rows]);
            island.waiting.extend(vec![[1.0; 6]; rows * count]);
            island.push_waiting(&sides);
            assert!(island.waiting.is_empty());
            (island.multibody().expect("bodies").rows(), island.report.failure())
        };
        assert_eq!(push([0, 0], 1, 1), (1, None));
        let (rows, failure) = push([0, 7], 2, 3);
        assert_eq!(rows, 4);
        assert!(failure.expect("refused").contains("must exist"));
        let (rows, failure) = push([0, 0], 1, 2);
        assert_eq!(rows, 6);
        assert!(failure.is_some(), "a step with a refused row is no success");
    }
}
