//! A shape on a body: where it sits, what it is made of, what it meets.

use super::Material;
use crate::collide::Groups;
use crate::math::{Pose, Vec3};
use crate::shape::Shape;

/// Density of shapes that do not say theirs: water, 1000 kg/m³.
pub const DEFAULT_DENSITY: f64 = 1000.0;

/// A shape attached to a body.
///
/// ```
/// use taut::{Collider, Material, Shape, math::Vec3};
/// let head = Collider::new(Shape::Ball { radius: 0.1 })
///     .at(Vec3::new(0.0, 0.0, 0.5))
///     .density(7800.0)
///     .material(Material { friction: 0.2, ..Material::default() });
/// assert_eq!(head.density, Some(7800.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a collider does nothing until it is added to a body"]
pub struct Collider {
    /// The geometry.
    pub shape: Shape,
    /// Pose of the shape in the body's frame.
    pub pose: Pose,
    /// The surface; `None`: the body's.
    pub material: Option<Material>,
    /// Density \[kg/m³\]; 0: the shape adds nothing to the mass. `None`: the body's.
    pub density: Option<f64>,
    /// What it collides with.
    pub groups: Groups,
}

impl Collider {
    /// A shape at the body's origin, of the body's material and density.
    pub fn new(shape: Shape) -> Self {
        Collider { shape, pose: Pose::IDENTITY, material: None, density: None, groups: Groups::ALL }
    }

    /// Moves it to a position in the body's frame.
    pub fn at(mut self, position: Vec3) -> Self {
        self.pose.translation = position;
        self
    }

    /// Gives it a pose in the body's frame.
    pub fn pose(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// Sets the surface.
    pub fn material(mut self, material: Material) -> Self {
        self.material = Some(material);
        self
    }

    /// Sets the density \[kg/m³\].
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }

    /// Sets what it collides with.
    pub fn groups(mut self, groups: Groups) -> Self {
        self.groups = groups;
        self
    }
}
