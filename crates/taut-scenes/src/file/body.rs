//! A body and its shapes.

use super::{Finish, Shape, UPRIGHT, Visual, is_default, is_true, wxyz, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use taut::math::{Quat, Vec3};

/// How a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// By forces.
    #[default]
    Dynamic,
    /// As its velocity says, whatever pushes it.
    Kinematic,
    /// Not at all.
    Fixed,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its name, unique among the bodies; not "world".
    pub name: String,
    /// How it moves. Default "dynamic".
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: Kind,
    /// Mass in kg. Default: from shapes and densities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Density in kg/m³ of the shapes that do not say theirs. Default 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Moments of inertia (xx, yy, zz) about the centre of mass, along the
    /// body's axes, in kg·m². Default: from the shapes, scaled to the mass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[f64; 3]>,
    /// The other entries (xy, yz, zx) of the inertia matrix, in kg·m².
    /// Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia_products: Option<[f64; 3]>,
    /// Centre of mass in the body's frame, in m. Default: from the shapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre_of_mass: Option<[f64; 3]>,
    /// The shape, at the body's origin. Several shapes: see `colliders`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// Further shapes, each with a place of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<Collider>,
    /// Surface of the shapes that do not say theirs. Default "default".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Position of the body's origin in m. Default (0, 0, 0).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation (w, x, y, z). Default (1, 0, 0, 0).
    #[serde(default = "upright")]
    pub orientation: [f64; 4],
    /// Velocity of the centre of mass in m/s. Default (0, 0, 0).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity in world coordinates, in rad/s. Default (0, 0, 0).
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Velocity of its surface against the body, in the body's frame, in m/s: a conveyor belt.
    /// Default (0, 0, 0).
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub surface_velocity: [f64; 3],
    /// Factor on gravity. Default 1.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub gravity_scale: f64,
    /// Whether it collides at all. Default true.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub collides: bool,
    /// What its shapes collide with, unless they say so themselves.
    /// Default: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision_groups: Option<CollisionGroups>,
    /// Its colour, "#rrggbb". Default: viewers choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<String>,
    /// What it looks like it is made of. Default: viewers choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Finish>,
    /// What is seen in place of its shapes. It neither collides nor has mass.
    /// Default: the shapes themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visual: Vec<Visual>,
}

/// A shape on a body, with a place of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Collider {
    /// The shape.
    pub shape: Shape,
    /// Position of its origin in the body's frame, in m. Default (0, 0, 0).
    #[serde(default)]
    pub position: [f64; 3],
    /// Orientation (w, x, y, z) in the body's frame. Default (1, 0, 0, 0).
    #[serde(default = "upright")]
    pub orientation: [f64; 4],
    /// Surface. Default: the body's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Density in kg/m³; 0: adds nothing to the mass. Default: the body's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// What it collides with. Default: as the body says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision_groups: Option<CollisionGroups>,
}

/// Two shapes collide if each is in a group that the other's mask has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CollisionGroups {
    /// The groups it is in, one bit each. Default all: 4294967295.
    pub membership: u32,
    /// The groups it collides with. Default all: 4294967295.
    pub mask: u32,
}

impl Default for CollisionGroups {
    fn default() -> Self {
        CollisionGroups { membership: u32::MAX, mask: u32::MAX }
    }
}

impl Body {
    /// A dynamic body at the origin, without shape.
    pub fn new(name: impl Into<String>) -> Self {
        Body {
            name: name.into(),
            kind: Kind::Dynamic,
            mass: None,
            density: None,
            inertia: None,
            inertia_products: None,
            centre_of_mass: None,
            shape: None,
            colliders: Vec::new(),
            material: None,
            position: [0.0; 3],
            orientation: UPRIGHT,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            surface_velocity: [0.0; 3],
            gravity_scale: 1.0,
            collides: true,
            collision_groups: None,
            colour: None,
            finish: None,
            visual: Vec::new(),
        }
    }

    /// A body that does not move.
    pub fn fixed(name: impl Into<String>) -> Self {
        Body { kind: Kind::Fixed, ..Body::new(name) }
    }

    /// A body that moves with its velocity, whatever pushes it.
    pub fn kinematic(name: impl Into<String>) -> Self {
        Body { kind: Kind::Kinematic, ..Body::new(name) }
    }

    /// Sets the mass in kg.
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = Some(mass);
        self
    }

    /// Sets the density in kg/m³.
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }

    /// Sets the moments of inertia (xx, yy, zz) in kg·m².
    pub fn inertia(mut self, inertia: impl Into<[f64; 3]>) -> Self {
        self.inertia = Some(inertia.into());
        self
    }

    /// Sets the shape at the body's origin.
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = Some(shape);
        self
    }

    /// Adds a shape with a place of its own.
    pub fn collider(mut self, collider: Collider) -> Self {
        self.colliders.push(collider);
        self
    }

    /// Names the surface.
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Sets the position in m.
    pub fn at(mut self, position: impl Into<[f64; 3]>) -> Self {
        self.position = position.into();
        self
    }

    /// Sets the orientation.
    pub fn oriented(mut self, q: Quat) -> Self {
        self.orientation = wxyz(q);
        self
    }

    /// Turns it about an axis (of any length) by an angle in rad.
    pub fn turned(self, axis: impl Into<[f64; 3]>, angle: f64) -> Self {
        let axis = Vec3::from(axis.into()).normalize_or_zero();
        self.oriented(Quat::from_scaled_axis(axis * angle))
    }

    /// Sets the velocity in m/s.
    pub fn velocity(mut self, velocity: impl Into<[f64; 3]>) -> Self {
        self.velocity = velocity.into();
        self
    }

    /// Sets the angular velocity in rad/s.
    pub fn angular_velocity(mut self, velocity: impl Into<[f64; 3]>) -> Self {
        self.angular_velocity = velocity.into();
        self
    }

    /// Lets it collide with nothing.
    pub fn ghost(mut self) -> Self {
        self.collides = false;
        self
    }

    /// Lets its surface run, in the body's frame: a conveyor belt.
    pub fn surface_velocity(mut self, velocity: impl Into<[f64; 3]>) -> Self {
        self.surface_velocity = velocity.into();
        self
    }

    /// Sets its colour, "#rrggbb".
    pub fn colour(mut self, colour: impl Into<String>) -> Self {
        self.colour = Some(colour.into());
        self
    }

    /// Sets what it looks like it is made of.
    pub fn finish(mut self, finish: Finish) -> Self {
        self.finish = Some(finish);
        self
    }

    /// Adds a shape that is seen in place of those that collide.
    pub fn visual(mut self, visual: Visual) -> Self {
        self.visual.push(visual);
        self
    }

    /// Sets the groups it is in and those it collides with.
    pub fn groups(mut self, membership: u32, mask: u32) -> Self {
        self.collision_groups = Some(CollisionGroups { membership, mask });
        self
    }
}

impl Collider {
    /// A shape at the body's origin.
    pub fn new(shape: Shape) -> Self {
        Collider {
            shape,
            position: [0.0; 3],
            orientation: UPRIGHT,
            material: None,
            density: None,
            collision_groups: None,
        }
    }

    /// Sets the position in the body's frame, in m.
    pub fn at(mut self, position: impl Into<[f64; 3]>) -> Self {
        self.position = position.into();
        self
    }

    /// Sets the orientation in the body's frame.
    pub fn oriented(mut self, q: Quat) -> Self {
        self.orientation = wxyz(q);
        self
    }

    /// Names the surface.
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Sets the density in kg/m³.
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }
}

fn upright() -> [f64; 4] {
    UPRIGHT
}

fn one() -> f64 {
    1.0
}

fn is_one(x: &f64) -> bool {
    *x == 1.0
}
