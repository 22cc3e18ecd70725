//! Three numbers, and what is done with them.

pub use taut_sdf::Vec3;
pub(crate) use taut_sdf::vector::{along, cross, dot, norm, scale, sub};

/// A matrix of 3 × 3, row by row.
pub type Mat3 = [Vec3; 3];

pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// M v
pub(crate) fn apply(m: &Mat3, v: Vec3) -> Vec3 {
    m.map(|row| dot(row, v))
}

/// The rotation by a vector's length about it (Rodrigues).
pub(crate) fn turn(by: Vec3) -> Mat3 {
    let angle = norm(by);
    let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    if angle == 0.0 {
        return std::array::from_fn(|i| std::array::from_fn(|j| unit(i, j)));
    }
    let n = scale(by, 1.0 / angle);
    let (s, c) = angle.sin_cos();
    let skew = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
    std::array::from_fn(|i| {
        std::array::from_fn(|j| c * unit(i, j) + s * skew[i][j] + (1.0 - c) * n[i] * n[j])
    })
}
