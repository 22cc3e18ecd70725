//! The vector types of the public interface.
//!
//! They are glam's double-precision types, as re-exported by the geometry
//! library, so that no value is converted on its way to a collision query.

/// A vector or point in space.
pub type Vec3 = parry3d_f64::math::Vec3;
/// A vector in a plane.
pub type Vec2 = parry3d_f64::math::Vec2;
/// A 3×3 matrix, stored by columns.
pub type Mat3 = parry3d_f64::math::Mat3;
/// A unit quaternion.
pub type Quat = parry3d_f64::math::Rotation;
/// A rotation followed by a translation.
pub type Pose = parry3d_f64::math::Pose;
