//! What a user says about a body.

use super::{Collider, DEFAULT_DENSITY, Material};
use crate::collide::Groups;
use crate::math::{Mat3, Pose, Quat, Vec3};
use crate::shape::Shape;

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// By forces.
    Dynamic,
    /// As its velocity says, whatever pushes it.
    Kinematic,
    /// Not at all.
    Fixed,
}

impl BodyKind {
    /// The name of the kind, as in scene files.
    pub fn name(self) -> &'static str {
        match self {
            BodyKind::Dynamic => "dynamic",
            BodyKind::Kinematic => "kinematic",
            BodyKind::Fixed => "fixed",
        }
    }
}

/// A body, ready to be added to a world.
///
/// ```
/// use taut::{Body, Material, Shape, World, math::Vec3};
/// let mut world = World::new();
/// let crate_ = Body::dynamic("crate")
///     .position(Vec3::new(0.0, 0.0, 2.0))
///     .shape(Shape::Box { half_extents: Vec3::splat(0.5) })
///     .mass(20.0)
///     .material(Material { friction: 0.4, ..Material::default() });
/// let id = world.add_body(crate_)?;
/// assert_eq!(world.body(id)?.mass(), 20.0);
/// # Ok::<(), taut::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a body does nothing until it is added to a world"]
pub struct Body {
    /// Its name, unique among the bodies of a world.
    pub name: String,
    /// How it moves.
    pub kind: BodyKind,
    /// Pose of the body's frame (its origin need not be the centre of mass).
    pub pose: Pose,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity in world coordinates \[rad/s\].
    pub angular_velocity: Vec3,
    /// Its shapes.
    pub colliders: Vec<Collider>,
    /// Surface of the shapes that do not say theirs; `None`: the default one.
    pub material: Option<Material>,
    /// Density of the shapes that do not say theirs \[kg/m³\]; `None`: 1000.
    pub density: Option<f64>,
    /// Whether its shapes collide with anything. Default true.
    pub collides: bool,
    /// What its shapes collide with: they are in groups and accept groups only as far as both this
    /// and [`Collider::groups()`] say so. Default everything.
    pub groups: Groups,
    /// Velocity of its surface against the body, in the body's frame \[m/s\]: a conveyor
    /// belt, a crawler track. What touches it feels the part along the surface, through friction.
    /// Default 0.
    pub surface_velocity: Vec3,
    /// Mass \[kg\]; `None`: from shapes and densities.
    pub mass: Option<f64>,
    /// Centre of mass in the body's frame; `None`: from the shapes.
    pub centre_of_mass: Option<Vec3>,
    /// Inertia about the centre of mass, along the axes of the body's frame
    /// \[kg·m²\]; `None`: from the shapes, scaled to the mass.
    pub inertia: Option<Mat3>,
    /// Factor on gravity. Default 1.
    pub gravity_scale: f64,
    /// Its part of a machine, for solvers that split a system into subsystems;
    /// `None`: they choose. Answers do not depend on it. Default `None`.
    pub subsystem: Option<u32>,
}

impl Body {
    fn new(name: impl Into<String>, kind: BodyKind) -> Self {
        Body {
            name: name.into(),
            kind,
            pose: Pose::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            colliders: Vec::new(),
            material: None,
            density: None,
            collides: true,
            groups: Groups::ALL,
            surface_velocity: Vec3::ZERO,
            mass: None,
            centre_of_mass: None,
            inertia: None,
            gravity_scale: 1.0,
            subsystem: None,
        }
    }

    /// A body that moves by forces.
    pub fn dynamic(name: impl Into<String>) -> Self {
        Self::new(name, BodyKind::Dynamic)
    }

    /// A body that does not move.
    pub fn fixed(name: impl Into<String>) -> Self {
        Self::new(name, BodyKind::Fixed)
    }

    /// A body that moves with its velocity, whatever pushes it.
    pub fn kinematic(name: impl Into<String>) -> Self {
        Self::new(name, BodyKind::Kinematic)
    }

    /// Position of the body's origin \[m\].
    pub fn position(mut self, position: Vec3) -> Self {
        self.pose.translation = position;
        self
    }

    /// Orientation. `Quat::from_xyzw` takes w last; `Quat::from_axis_angle`
    /// is often what you want.
    pub fn orientation(mut self, orientation: Quat) -> Self {
        self.pose.rotation = orientation;
        self
    }

    /// Velocity of the centre of mass \[m/s\].
    pub fn velocity(mut self, velocity: Vec3) -> Self {
        self.velocity = velocity;
        self
    }

    /// Angular velocity in world coordinates \[rad/s\].
    pub fn angular_velocity(mut self, angular_velocity: Vec3) -> Self {
        self.angular_velocity = angular_velocity;
        self
    }

    /// Adds a shape at the body's origin.
    pub fn shape(self, shape: Shape) -> Self {
        self.collider(Collider::new(shape))
    }

    /// Adds a shape with pose, material, density and groups of its own.
    pub fn collider(mut self, collider: Collider) -> Self {
        self.colliders.push(collider);
        self
    }

    /// Sets the surface of all shapes, whenever added, that do not say theirs.
    pub fn material(mut self, material: Material) -> Self {
        self.material = Some(material);
        self
    }

    /// Sets the density \[kg/m³\] of all shapes that do not say theirs.
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }

    /// Sets the mass \[kg\]; the inertia of the shapes is scaled to it.
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = Some(mass);
        self
    }

    /// Sets the centre of mass in the body's frame \[m\].
    pub fn centre_of_mass(mut self, centre: Vec3) -> Self {
        self.centre_of_mass = Some(centre);
        self
    }

    /// Sets the inertia about the centre of mass, along the axes of the
    /// body's frame \[kg·m²\].
    pub fn inertia(mut self, inertia: Mat3) -> Self {
        self.inertia = Some(inertia);
        self
    }

    /// The inertia of a solid box with these full extents \[m\] and the mass
    /// set before (1 kg if none was), for bodies without a shape.
    pub fn box_inertia(self, extents: [f64; 3]) -> Self {
        let [x, y, z] = extents.map(|e| e * e / 12.0);
        let m = self.mass.unwrap_or(1.0);
        self.inertia(Mat3::from_diagonal(Vec3::new(y + z, z + x, x + y) * m))
    }

    /// Factor on gravity; 0 makes it float.
    pub fn gravity_scale(mut self, factor: f64) -> Self {
        self.gravity_scale = factor;
        self
    }

    /// Makes it part of a subsystem, for solvers that split the system.
    pub fn subsystem(mut self, subsystem: u32) -> Self {
        self.subsystem = Some(subsystem);
        self
    }

    /// Whether its shapes collide with anything.
    pub fn collides(mut self, collides: bool) -> Self {
        self.collides = collides;
        self
    }

    /// Sets what its shapes collide with; shapes with groups of their own may restrict it further.
    ///
    /// ```
    /// use taut::{Body, Groups, Shape};
    /// let ball = Shape::Ball { radius: 0.1 };
    /// // Of group 1; meets group 0 alone, not others of its kind.
    /// let part = Body::dynamic("part").shape(ball).groups(Groups { membership: 0b10, mask: 0b01 });
    /// assert!(!part.groups.interact(part.groups));
    /// ```
    pub fn groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }

    /// Lets its surface run, in the body's frame \[m/s\]: a conveyor belt.
    pub fn surface_velocity(mut self, velocity: Vec3) -> Self {
        self.surface_velocity = velocity;
        self
    }

    pub(crate) fn material_of(&self, collider: &Collider) -> Material {
        collider.material.or(self.material).unwrap_or_default()
    }

    pub(crate) fn density_of(&self, collider: &Collider) -> f64 {
        collider.density.or(self.density).unwrap_or(DEFAULT_DENSITY)
    }

    pub(crate) fn groups_of(&self, collider: &Collider) -> Groups {
        let (own, all) = (collider.groups, self.groups);
        if self.collides {
            Groups { membership: own.membership & all.membership, mask: own.mask & all.mask }
        } else {
            Groups::NONE
        }
    }
}
