//! Penalty contact: forces that grow with penetration (Andrews22 5.1).
//!
//! Gap φ, negative where bodies overlap; rate φ̇. Forces push apart, so they are never negative:
//!
//! | law | force | from |
//! |---|---|---|
//! | [`Law::Spring`] | max(0, −kφ − bφ̇) where φ < 0 | eq. 270 and 273, with the max they lack |
//! | [`Law::Exponential`] | (c/ε) exp(−φ/ε), at any distance | eq. 280; 281 lost c and has the sign reversed |
//! | [`Law::Power`] | k max(0, −φ)ᵖ | eq. 286, which attracts for even p as printed |
//!
//! [`receding`] makes springs weaker on the way out (eq. 279 and 282): their ε is a share of energy, so restitution is √ε, not ε as the text has
//! it. [`Anchor`] is friction by a spring to a point of the other body (eq. 276 and 277), [`viscous`] friction of a speed (eq. 288).
//!
//! [`Mass`] moves a point against a plane by these. *Explicit* steps are cheap and blow up where h > 2/√(k/m) (semi-implicit Euler on an undamped spring).
//! *Implicit* ones minimize ½m|x − x̃|² + h²E, and are stable at any stiffness, but lose energy.

use crate::Error;
use crate::error::number;
use crate::vector::{Vec3, add, along, norm, scale, sub};

/// How a force grows with penetration.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Law {
    /// Stiffness k \[N/m\] and damping b \[N·s/m\].
    Spring {
        /// k
        stiffness: f64,
        /// b
        damping: f64,
    },
    /// Energy c \[J\] at φ = 0 and length ε \[m\] in which it falls to 1/e.
    Exponential {
        /// c
        energy: f64,
        /// ε
        length: f64,
    },
    /// k \[N/mᵖ\] and the power p ≥ 1.
    Power {
        /// k
        stiffness: f64,
        /// p
        power: f64,
    },
}

impl Law {
    /// Refuses numbers that are not positive.
    pub fn check(&self) -> Result<(), Error> {
        let positive = |x: f64| x > 0.0;
        match *self {
            Law::Spring { stiffness, damping } => {
                number("stiffness", stiffness, "more than 0 N/m", positive)?;
                number("damping", damping, "at least 0 N·s/m", |b| b >= 0.0)?;
            }
            Law::Exponential { energy, length } => {
                number("energy", energy, "more than 0 J", positive)?;
                number("length", length, "more than 0 m", positive)?;
            }
            Law::Power { stiffness, power } => {
                number("stiffness", stiffness, "more than 0", positive)?;
                number("power", power, "at least 1", |p| p >= 1.0)?;
            }
        }
        Ok(())
    }

    /// The force that pushes apart \[N\].
    pub fn force(&self, gap: f64, rate: f64) -> f64 {
        match *self {
            Law::Spring { .. } if gap >= 0.0 => 0.0,
            Law::Spring { stiffness, damping } => (-stiffness * gap - damping * rate).max(0.0),
            Law::Exponential { energy, length } => energy / length * (-gap / length).exp(),
            Law::Power { stiffness, power } => stiffness * (-gap).max(0.0).powf(power),
        }
    }

    /// The energy whose slope by the gap is minus the force, damping aside \[J\].
    pub fn energy(&self, gap: f64) -> f64 {
        let depth = (-gap).max(0.0);
        match *self {
            Law::Spring { stiffness, .. } => 0.5 * stiffness * depth * depth,
            Law::Exponential { energy, length } => energy * (-gap / length).exp(),
            Law::Power { stiffness, power } => stiffness / (power + 1.0) * depth.powf(power + 1.0),
        }
    }

    /// Minus the slope of the force by the gap, damping aside \[N/m\].
    pub fn slope(&self, gap: f64) -> f64 {
        let depth = (-gap).max(0.0);
        match *self {
            Law::Spring { .. } if gap >= 0.0 => 0.0,
            Law::Spring { stiffness, .. } => stiffness,
            Law::Exponential { energy, length } => {
                energy / (length * length) * (-gap / length).exp()
            }
            Law::Power { .. } if gap >= 0.0 => 0.0,
            Law::Power { stiffness, power } => stiffness * power * depth.powf(power - 1.0),
        }
    }
}

/// A force, weaker by `share` where bodies overlap and move apart. Restitution is √share.
pub fn receding(force: f64, gap: f64, rate: f64, share: f64) -> f64 {
    if gap < 0.0 && rate > 0.0 { share * force } else { force }
}

/// Friction by a spring between a point of one body and a point of the other, in whose frame it is fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Anchor {
    /// Where, in the frame of the other body.
    pub point: Vec3,
    /// Stiffness \[N/m\].
    pub stiffness: f64,
}

impl Anchor {
    /// The force on the body whose contact point is at p, both in the plane of contact. Where it would be more than `limit` (μ times the normal
    /// force) the anchor is dragged along until it is that.
    pub fn force(&mut self, p: Vec3, limit: f64) -> Vec3 {
        let way = sub(self.point, p);
        let length = norm(way);
        if self.stiffness * length > limit {
            self.point = along(p, limit / (self.stiffness * length), way);
        }
        scale(sub(self.point, p), self.stiffness)
    }
}

/// Friction that grows with the speed of sliding at k_f \[N·s/m\] up to `limit`.
pub fn viscous(velocity: Vec3, rate: f64, limit: f64) -> Vec3 {
    let speed = norm(velocity);
    scale(velocity, -if rate * speed < limit { rate } else { limit / speed })
}

/// A point mass over the plane z = 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mass {
    /// \[kg\]
    pub mass: f64,
    /// \[m\]
    pub position: Vec3,
    /// \[m/s\]
    pub velocity: Vec3,
    /// Normal force of the last step \[N\].
    pub normal: f64,
}

impl Mass {
    /// At rest.
    pub fn new(mass: f64, position: Vec3) -> Result<Self, Error> {
        number("mass", mass, "more than 0 kg", |m| m > 0.0)?;
        Ok(Self { mass, position, velocity: [0.0; 3], normal: 0.0 })
    }

    /// Forces as they are, then velocity, then position. `share` is that of [`receding`].
    pub fn step_explicit(&mut self, h: f64, gravity: Vec3, law: &Law, share: f64) {
        let (gap, rate) = (self.position[2], self.velocity[2]);
        self.normal = receding(law.force(gap, rate), gap, rate, share);
        let push = [0.0, 0.0, self.normal / self.mass];
        self.velocity = along(self.velocity, h, add(gravity, push));
        self.position = along(self.position, h, self.velocity);
    }

    /// Along z the least ½m(z − z̃)² + h²E(z) + (h b/2)(z − zᵗ)², by Newton's method kept within a bracket; across, free.
    pub fn step_implicit(&mut self, h: f64, gravity: Vec3, law: &Law) {
        let start = self.position;
        let free = along(along(start, h, self.velocity), h * h, gravity);
        let excess = |z: f64| self.mass * (z - free[2]) - h * h * law.force(z, (z - start[2]) / h);
        // The force pushes up: the answer is not below where it would fall. Above, force falls with z.
        let (mut low, mut high) = (free[2], free[2]);
        let mut reach =
            1e-12 + (h * h * law.force(free[2], (free[2] - start[2]) / h) / self.mass).min(1.0);
        while excess(high) < 0.0 && reach < 1e300 {
            high = free[2] + reach;
            reach *= 2.0;
        }
        let damping = if let Law::Spring { damping, .. } = law { *damping } else { 0.0 };
        let mut z = high;
        for _ in 0..200 {
            let value = excess(z);
            if value > 0.0 {
                high = z
            } else {
                low = z
            }
            let slope = self.mass + h * h * law.slope(z) + if z < 0.0 { h * damping } else { 0.0 };
            let newton = z - value / slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if next == z || high - low <= 1e-16 * (high.abs() + low.abs()) {
                break;
            }
            z = next;
        }
        self.normal = (self.mass * (z - free[2]) / (h * h)).max(0.0);
        self.position = [free[0], free[1], z];
        self.velocity = scale(sub(self.position, start), 1.0 / h);
    }

    /// Friction by an anchor, after the normal force is known: velocity across the normal changes at once.
    pub fn drag(&mut self, h: f64, anchor: &mut Anchor, friction: f64) {
        let flat = [self.position[0], self.position[1], 0.0];
        let force = anchor.force(flat, friction * self.normal);
        self.velocity = along(self.velocity, h / self.mass, force);
    }
}
