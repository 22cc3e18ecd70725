//! Rigid bodies beside soft ones: mass, pose, velocity, and a signed distance field for a shape.

use taut_sdf::{Ball, Cuboid, Field, Sample};

use crate::Error;
use crate::error::number;
use crate::matrix::{
    IDENTITY, Mat3, Vec3, along, apply, apply_transposed, compose, cross, dot, inverse, mul, norm,
    scale, sub,
};

/// Everything below a plane through the origin: the ground, with the normal up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// Of length 1, out of the solid.
    pub normal: Vec3,
}

impl Field for HalfSpace {
    fn sample(&self, point: Vec3) -> Sample {
        Sample { distance: dot(point, self.normal), gradient: self.normal }
    }
}

/// A rigid body. Fixed ones keep their velocity, whatever pushes.
pub struct RigidBody {
    shape: Box<dyn Field + Send + Sync>,
    /// Points that faces of soft bodies must not let in, in its own axes.
    corners: Vec<Vec3>,
    /// 0 for fixed bodies.
    inverse_mass: f64,
    /// About its centre, in its own axes.
    inertia: Mat3,
    friction: f64,
    position: Vec3,
    rotation: Mat3,
    velocity: [f64; 6],
}

impl RigidBody {
    /// A body of this mass \[kg\] and inertia about its centre \[kg·m²\], positive definite, with its shape around the
    /// origin.
    pub fn new(
        shape: impl Field + Send + Sync + 'static,
        mass: f64,
        inertia: Mat3,
    ) -> Result<Self, Error> {
        number("mass", mass, "more than 0 kg", |m| m > 0.0)?;
        let (values, _) = crate::matrix::eigen(inertia);
        for value in values {
            number("a principal moment of inertia", value, "more than 0 kg·m²", |i| i > 0.0)?;
        }
        Ok(RigidBody { inverse_mass: 1.0 / mass, inertia, ..Self::fixed(shape) })
    }

    /// A body that nothing moves.
    pub fn fixed(shape: impl Field + Send + Sync + 'static) -> Self {
        RigidBody {
            shape: Box::new(shape),
            corners: Vec::new(),
            inverse_mass: 0.0,
            inertia: IDENTITY,
            friction: 0.0,
            position: [0.0; 3],
            rotation: IDENTITY,
            velocity: [0.0; 6],
        }
    }

    /// The ground: all below z = 0.
    pub fn ground() -> Self {
        Self::fixed(HalfSpace { normal: [0.0, 0.0, 1.0] })
    }

    /// A box with these half edge lengths \[m\], of equal density.
    pub fn cuboid(half: Vec3, mass: f64) -> Result<Self, Error> {
        let square = |a: usize, b: usize| mass / 3.0 * (half[a] * half[a] + half[b] * half[b]);
        let inertia = compose(&IDENTITY, [square(1, 2), square(0, 2), square(0, 1)], &IDENTITY);
        let corner = |k: usize| [0, 1, 2].map(|a| if k >> a & 1 == 1 { half[a] } else { -half[a] });
        Ok(Self::new(Cuboid { half_extents: half }, mass, inertia)?
            .with_corners((0..8).map(corner).collect()))
    }

    /// A ball of equal density.
    pub fn ball(radius: f64, mass: f64) -> Result<Self, Error> {
        let inertia = compose(&IDENTITY, [0.4 * mass * radius * radius; 3], &IDENTITY);
        Self::new(Ball { centre: [0.0; 3], radius }, mass, inertia)
    }

    /// Points of its surface, in its own axes, that stay out of the faces of soft bodies: sharp features that may be finer than a soft
    /// body's mesh. Boxes have their eight corners.
    #[must_use]
    pub fn with_corners(mut self, corners: Vec<Vec3>) -> Self {
        self.corners = corners;
        self
    }

    /// Its centre is put there \[m\].
    #[must_use]
    pub fn at(mut self, position: Vec3) -> Self {
        self.position = position;
        self
    }

    /// Its coefficient of friction with soft bodies, at least 0. 0 is the default.
    pub fn with_friction(mut self, mu: f64) -> Result<Self, Error> {
        self.friction = number("friction", mu, "at least 0", |mu| mu >= 0.0)?;
        Ok(self)
    }

    /// Linear \[m/s\] and angular velocity \[rad/s\].
    #[must_use]
    pub fn moving(mut self, velocity: [f64; 6]) -> Self {
        self.velocity = velocity;
        self
    }

    /// Its centre \[m\].
    pub fn position(&self) -> Vec3 {
        self.position
    }

    /// From its axes to the world's.
    pub fn rotation(&self) -> Mat3 {
        self.rotation
    }

    /// Linear \[m/s\] and angular velocity \[rad/s\].
    pub fn velocity(&self) -> [f64; 6] {
        self.velocity
    }

    /// Changes its velocity.
    pub fn set_velocity(&mut self, velocity: [f64; 6]) {
        self.velocity = velocity;
    }

    /// Its coefficient of friction.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    pub(crate) fn corners(&self) -> &[Vec3] {
        &self.corners
    }

    pub(crate) fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.position
            .iter()
            .chain(&self.velocity)
            .chain(self.corners.iter().flatten())
            .all(|x| x.is_finite())
    }

    /// Distance and normal of a point in the world.
    pub(crate) fn sample(&self, x: Vec3) -> Sample {
        let s = self.shape.sample(apply_transposed(&self.rotation, sub(x, self.position)));
        Sample { distance: s.distance, gradient: apply(&self.rotation, s.gradient) }
    }

    /// Where a point of the body is.
    pub(crate) fn place(&self, local: Vec3) -> Vec3 {
        along(self.position, 1.0, apply(&self.rotation, local))
    }

    pub(crate) fn local(&self, x: Vec3) -> Vec3 {
        apply_transposed(&self.rotation, sub(x, self.position))
    }

    /// The row of a unit impulse d at a point in the world.
    pub(crate) fn row(&self, x: Vec3, d: Vec3) -> [f64; 6] {
        let turn = cross(sub(x, self.position), d);
        [d[0], d[1], d[2], turn[0], turn[1], turn[2]]
    }

    fn world_inertia(&self) -> Mat3 {
        compose_with(&self.rotation, &self.inertia)
    }

    /// Mass and inertia about its centre, in the world's axes.
    pub(crate) fn masses(&self) -> [Mat3; 2] {
        let mass = std::array::from_fn(|i| IDENTITY[i].map(|e| e / self.inverse_mass));
        [mass, self.world_inertia()]
    }

    /// M⁻¹ j
    pub(crate) fn respond(&self, j: &[f64; 6]) -> [f64; 6] {
        if self.is_fixed() {
            return [0.0; 6];
        }
        let v = scale([j[0], j[1], j[2]], self.inverse_mass);
        let w = apply(&inverse(&self.world_inertia()), [j[3], j[4], j[5]]);
        [v[0], v[1], v[2], w[0], w[1], w[2]]
    }

    /// Velocity after h seconds of gravity alone.
    pub(crate) fn free_velocity(&self, h: f64, gravity: Vec3) -> [f64; 6] {
        let mut v = self.velocity;
        if !self.is_fixed() {
            (0..3).for_each(|k| v[k] += h * gravity[k]);
        }
        v
    }

    /// Moves on with this velocity. Angular momentum is kept while the axes turn.
    pub(crate) fn advance(&mut self, h: f64, v: [f64; 6]) {
        let spin = [v[3], v[4], v[5]];
        let momentum = apply(&self.world_inertia(), spin);
        self.position = along(self.position, h, [v[0], v[1], v[2]]);
        self.rotation = orthonormal(&mul(&turn(scale(spin, h)), &self.rotation));
        self.velocity = v;
        if !self.is_fixed() {
            let spin = apply(&inverse(&self.world_inertia()), momentum);
            self.velocity[3..].copy_from_slice(&spin);
        }
    }
}

/// R a Rᵀ
fn compose_with(r: &Mat3, a: &Mat3) -> Mat3 {
    let ra = mul(r, a);
    mul(&ra, &crate::matrix::transpose(r))
}

/// The rotation by a vector (Rodrigues).
fn turn(by: Vec3) -> Mat3 {
    let angle = norm(by);
    if angle == 0.0 {
        return IDENTITY;
    }
    let n = scale(by, 1.0 / angle);
    let (s, c) = angle.sin_cos();
    let cross_rows = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
    std::array::from_fn(|i| {
        std::array::from_fn(|j| c * IDENTITY[i][j] + s * cross_rows[i][j] + (1.0 - c) * n[i] * n[j])
    })
}

/// A rotation again, after rounding.
fn orthonormal(r: &Mat3) -> Mat3 {
    let x = scale(r[0], 1.0 / norm(r[0]));
    let y = along(r[1], -dot(x, r[1]), x);
    let y = scale(y, 1.0 / norm(y));
    [x, y, cross(x, y)]
}
