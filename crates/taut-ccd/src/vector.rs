//! Three numbers, and what is done with them.

pub(crate) type Vec3 = [f64; 3];

pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a + s b
pub(crate) fn along(a: Vec3, s: f64, b: Vec3) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

pub(crate) fn scale(a: Vec3, s: f64) -> Vec3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

/// The largest component, in absolute value.
pub(crate) fn largest(a: Vec3) -> f64 {
    a[0].abs().max(a[1].abs()).max(a[2].abs())
}

/// Of length 1, to rounding; `None` where the length is 0 or not a number.
pub(crate) fn unit(a: Vec3) -> Option<Vec3> {
    let size = largest(a);
    if !(size > 0.0 && size < f64::INFINITY) {
        return None;
    }
    let a = scale(a, 1.0 / size);
    let result = scale(a, 1.0 / norm(a));
    result.iter().all(|x| x.is_finite()).then_some(result)
}
