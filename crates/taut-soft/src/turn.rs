//! How a soft body turns in a step of implicit Euler.
//!
//! **Problem**: x⁺ = x + h u with forces at x⁺ brakes what turns at ω: chords are no arcs, forces at the end of an arc have a moment about
//! its start, and (ω h)² of the angular momentum is lost in every step.
//! **Update**: u is a mean velocity, and the rigid motion in it, of rate ω about the centre of mass, is that of the midpoint rule:
//! Q = (1 − W/2)⁻¹(1 + W/2), W = \[hω\]×, which lengthens nothing. With H² = Q and r = x − c
//!
//! M (u + Γ − v) = h (f − ∇E(x + h u − (Q − H) r) − βK (u − ω × r̄)) + Jᵀλ,  v⁺ = u + Γ + η × r⁺,
//! Γ = h/2 (ω × (ω × r̄) + ω̇ × r̄),  I ω̇ = −ω × I ω (a free body's),
//!
//! so elastic forces are those of the shape at the end, as it lies in the middle of the turn, damping knows of deformation alone, and
//! half of what turns velocities acts after the middle. η gives what the angular momentum still lacks: it is then kept but for the moments of f and
//! Jᵀλ about the middles of the ways of nodes. What is not turning is implicit Euler, which dissipates. Q, H and Γ are those of the last
//! linearization. Without turning this is implicit Euler to the bit.
//! **Not for** small strains, which do not know of turns, bodies that are held at more than one node, and bodies that something leads round: their
//! centres move by implicit Euler.
//! **Reference**: Simo and Tarnow 1992 for the midpoint; the rest is a deviation from Andrews22 4.2.

use crate::body::moved;
use crate::matrix::{Mat3, Vec3, along, apply, cross, determinant, dot, inverse, scale, sub};
use crate::{Model, SoftBody};

/// Share of ω̇ that counts. (With all of it a block that tumbles gained 5e-4 of its energy in 120 steps, without it lost 16 %.)
const TUMBLE: f64 = 0.98;

/// The turn of a step: what it adds to the shape at the end, to velocities after the middle, and its own velocities.
pub(crate) struct Turn {
    pub(crate) offset: Vec<Vec3>,
    pub(crate) gain: Vec<Vec3>,
    pub(crate) rigid: Vec<Vec3>,
}

/// Velocity of the centre, rate, and places as seen from it.
struct Motion {
    centre: Vec3,
    velocity: Vec3,
    rate: Vec3,
    /// ω̇ of a rigid body on which no torque acts.
    change: Vec3,
    arms: Vec<Vec3>,
}

impl SoftBody {
    /// Takes the body's turn in a step of h from these mean velocities, for [`SoftBody::linearize`] and [`SoftBody::residual`].
    pub fn turn_with(&mut self, h: f64, u: &[Vec3]) {
        let Some(motion) = self.motion(&moved(self.positions(), 0.5 * h, u), u) else {
            self.turn = None;
            return;
        };
        let Motion { velocity, rate, change, arms, centre } = motion;
        let start = along(centre, -0.5 * h, velocity);
        let offset = |x: &Vec3| {
            let r = sub(*x, start);
            let [half, whole] = [0.5, 1.0].map(|share| turned(scale(rate, h), share, r));
            sub(half, whole)
        };
        let gain = |r: &Vec3| {
            let bent = along(cross(rate, cross(rate, *r)), 1.0, cross(change, *r));
            scale(bent, 0.5 * h)
        };
        self.turn = Some(Turn {
            offset: self.positions().iter().map(offset).collect(),
            gain: arms.iter().map(gain).collect(),
            rigid: arms.iter().map(|r| along(velocity, 1.0, cross(rate, *r))).collect(),
        });
    }

    /// Forgets the turn: the next step is plain implicit Euler, until [`SoftBody::turn_with`].
    pub fn forget_turn(&mut self) {
        self.turn = None;
    }

    /// Mean velocities of a step of h in which the body turns on as it does: where to begin. Zero where it has no turn.
    pub fn free_turn(&self, h: f64) -> Vec<Vec3> {
        match self.motion(self.positions(), self.velocities()) {
            Some(m) => m.arms.iter().map(|r| chord(&m, h, *r)).collect(),
            None => vec![[0.0; 3]; self.positions().len()],
        }
    }

    /// The present velocities, their rigid part as the mean of a step of h.
    pub(crate) fn mean_velocities(&self, h: f64) -> Vec<Vec3> {
        let Some(m) = self.motion(self.positions(), self.velocities()) else {
            return self.velocities().to_vec();
        };
        let mean = |(v, r): (&Vec3, &Vec3)| {
            let rigid = along(m.velocity, 1.0, cross(m.rate, *r));
            along(chord(&m, h, *r), 1.0, sub(*v, rigid))
        };
        self.velocities().iter().zip(&m.arms).map(mean).collect()
    }

    /// Velocities at the end of the step with mean velocities u and these impulses on nodes.
    pub fn end_velocities(
        &self,
        h: f64,
        gravity: Vec3,
        u: &[Vec3],
        impulses: &[Vec3],
    ) -> Vec<Vec3> {
        let Some(turn) = &self.turn else { return u.to_vec() };
        let mut end: Vec<Vec3> =
            u.iter().zip(&turn.gain).map(|(u, g)| along(*u, 1.0, *g)).collect();
        let places = moved(self.positions(), h, u);
        let Some(Motion { centre, arms, .. }) = self.motion(&places, &end) else {
            return end;
        };
        // About the centre at the end: moments of what pushed, and of momenta.
        let force = self.external(gravity);
        let (mut before, mut after) = (vec![[0.0; 3]; u.len()], vec![[0.0; 3]; u.len()]);
        self.solid.add_mass(1.0, self.velocities(), &mut before);
        self.solid.add_mass(1.0, &end, &mut after);
        let mut slowed = vec![[0.0; 3]; u.len()];
        self.solid.add_mass(h * self.damping[0], u, &mut slowed);
        let mut lack = [0.0; 3];
        let mut missing = [0.0; 3];
        for k in 0..u.len() {
            let (x, push) = (self.positions()[k], along(impulses[k], h, force[k]));
            let middle = sub(along(x, 0.5 * h, u[k]), centre);
            lack = along(lack, 1.0, cross(sub(x, centre), before[k]));
            lack = along(lack, 1.0, cross(middle, sub(push, slowed[k])));
            lack = along(lack, -1.0, cross(arms[k], after[k]));
            missing =
                along(missing, 1.0, sub(along(before[k], 1.0, sub(push, slowed[k])), after[k]));
        }
        let Some(rate) = self.rate(&arms, lack) else { return end };
        // The turn at hand is that of the answer, the one that it was found with that before it.
        let drift = match self.pivot() {
            Some(None) => scale(missing, 1.0 / self.total_mass()),
            _ => [0.0; 3],
        };
        for (v, r) in end.iter_mut().zip(&arms) {
            *v = along(along(*v, 1.0, drift), 1.0, cross(rate, *r));
        }
        self.clear_pinned(&mut end);
        end
    }

    /// The rigid part of velocities v at places x: about the centre of mass, or the one node that is held.
    fn motion(&self, x: &[Vec3], v: &[Vec3]) -> Option<Motion> {
        let held = self.pivot()?;
        let mut momenta = vec![[0.0; 3]; x.len()];
        self.solid.add_mass(1.0, v, &mut momenta);
        let (centre, velocity) = match held {
            Some(node) => (x[node], [0.0; 3]),
            None => {
                let mut weighted = vec![[0.0; 3]; x.len()];
                self.solid.add_mass(1.0, &vec![[1.0; 3]; x.len()], &mut weighted);
                let mass: f64 = weighted.iter().map(|w| w[0]).sum();
                let sum = weighted.iter().zip(x).fold([0.0; 3], |s, (w, x)| along(s, w[0], *x));
                let all = momenta.iter().fold([0.0; 3], |s, p| along(s, 1.0, *p));
                (scale(sum, 1.0 / mass), scale(all, 1.0 / mass))
            }
        };
        let arms: Vec<Vec3> = x.iter().map(|x| sub(*x, centre)).collect();
        let spin =
            arms.iter().zip(&momenta).fold([0.0; 3], |s, (r, p)| along(s, 1.0, cross(*r, *p)));
        let rate = self.rate(&arms, spin)?;
        let change = scale(self.rate(&arms, cross(spin, rate))?, TUMBLE);
        let is_finite = rate.iter().chain(&change).all(|w| w.is_finite());
        is_finite.then_some(Motion { centre, velocity, rate, change, arms })
    }

    /// The rate that has this angular momentum.
    fn rate(&self, arms: &[Vec3], spin: Vec3) -> Option<Vec3> {
        let mut moments = vec![[0.0; 3]; arms.len()];
        self.solid.add_mass(1.0, arms, &mut moments);
        let mut inertia: Mat3 = [[0.0; 3]; 3];
        for (r, m) in arms.iter().zip(&moments) {
            let trace = dot(*r, *m);
            for (i, row) in inertia.iter_mut().enumerate() {
                row.iter_mut().zip(m).for_each(|(entry, m)| *entry -= r[i] * m);
                row[i] += trace;
            }
        }
        (determinant(&inertia) > 0.0).then(|| apply(&inverse(&inertia), spin))
    }

    fn total_mass(&self) -> f64 {
        let mut all = vec![[0.0; 3]; self.positions().len()];
        self.solid.add_mass(1.0, &vec![[1.0; 3]; all.len()], &mut all);
        all.iter().map(|m| m[0]).sum()
    }

    /// What it may turn about: nothing held, one node; none where it cannot, or does not know of turns.
    fn pivot(&self) -> Option<Option<usize>> {
        if self.solid.material().model() == Model::Linear {
            return None;
        }
        let held = |node: &usize| (0..3).any(|axis| self.is_pinned(*node, axis));
        let mut all = (0..self.positions().len()).filter(held);
        match (all.next(), all.next()) {
            (None, _) => Some(None),
            (Some(node), None) => {
                (0..3).all(|axis| self.is_pinned(node, axis)).then_some(Some(node))
            }
            _ => None,
        }
    }
}

/// The mean velocity of a point at r from the centre that turns on for h.
fn chord(m: &Motion, h: f64, r: Vec3) -> Vec3 {
    along(m.velocity, 1.0 / h, sub(turned(scale(m.rate, h), 1.0, r), r))
}

/// r turned by a share of the turn by w of the midpoint rule, whose angle has the tangent |w|/2 at its half.
fn turned(w: Vec3, share: f64, r: Vec3) -> Vec3 {
    let length = dot(w, w).sqrt();
    if length == 0.0 {
        return r;
    }
    let (sin, cos) = (2.0 * share * (0.5 * length).atan()).sin_cos();
    let across = cross(w, r);
    // 1 − cos without cancellation.
    let drop = sin * sin / (1.0 + cos);
    let drop = if cos < 0.0 { 1.0 - cos } else { drop };
    along(along(r, sin / length, across), drop / (length * length), cross(w, across))
}
