//! Poses as files write them.

use taut::math::{Mat3, Pose, Quat, Vec3};

/// Turns about fixed axes: roll about x, then pitch about y, then yaw about z \[rad\].
pub(crate) fn from_rpy([roll, pitch, yaw]: [f64; 3]) -> Quat {
    Quat::from_rotation_z(yaw) * Quat::from_rotation_y(pitch) * Quat::from_rotation_x(roll)
}

/// A quaternion (w, x, y, z) of any length but zero.
pub(crate) fn from_wxyz([w, x, y, z]: [f64; 4]) -> Option<Quat> {
    let length = (w * w + x * x + y * y + z * z).sqrt();
    (length > 1e-300 && length.is_finite())
        .then(|| Quat::from_xyzw(x / length, y / length, z / length, w / length))
}

/// A turn about an axis of any length but zero.
pub(crate) fn about(axis: Vec3, angle: f64) -> Option<Quat> {
    Some(Quat::from_axis_angle(axis.try_normalize()?, angle))
}

/// The rotation whose x is the first, whose y is the part of the second perpendicular to it.
pub(crate) fn from_xy(x: Vec3, y: Vec3) -> Option<Quat> {
    let x = x.try_normalize()?;
    let y = (y - x * x.dot(y)).try_normalize()?;
    Some(Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize())
}

/// The shortest turn that takes z to a direction.
pub(crate) fn from_z(z: Vec3) -> Option<Quat> {
    Some(Quat::from_rotation_arc(Vec3::Z, z.try_normalize()?))
}

/// The frame of a body after it turned about an axis through an anchor, both in its frame.
pub(crate) fn turned(anchor: Vec3, turn: Quat) -> Pose {
    Pose::from_parts(anchor - turn * anchor, turn)
}
