//! The distance of a patch from the origin, with a bound that rounding cannot break.
//!
//! The closest point found, F(u, v), bounds the distance from above. The patch is convex, so for any
//! unit vector n it lies beyond the plane at the least n·(corner): with n along F(u, v) that bounds the
//! distance from below, however badly the closest point was computed (flat triangles, parallel edges).

use crate::patch::{Patch, UNIT};
use crate::vector::{Vec3, dot, norm, unit};

/// A closest point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closest {
    pub u: f64,
    pub v: f64,
    /// F there.
    pub point: Vec3,
    /// Its direction, or zero.
    pub n: Vec3,
    /// The distance is at least this; may be negative.
    pub at_least: f64,
}

/// The point of the patch that is closest to the origin.
pub(crate) fn closest(patch: &Patch) -> Closest {
    let inside = interior(patch).map(|(u, v)| bounded(patch, u, v));
    match inside {
        // Good to half its length: the interior point is the closest one.
        Some(found) if found.at_least >= 0.5 * norm(found.point) => found,
        _ => {
            let rim = rim(patch);
            let rim = bounded(patch, rim.0, rim.1);
            match inside {
                Some(found) if found.at_least > rim.at_least => found,
                _ => rim,
            }
        }
    }
}

fn bounded(patch: &Patch, u: f64, v: f64) -> Closest {
    let point = patch.at(u, v);
    let Some(n) = unit(point) else { return Closest { u, v, point, n: [0.0; 3], at_least: 0.0 } };
    let (corners, count) = patch.corners();
    let least = corners[..count].iter().map(|&p| dot(n, p)).fold(f64::INFINITY, f64::min);
    // Three components, each off by `rounding`; n is of length 1 to a few units.
    let at_least = least - 2.0 * patch.rounding() - 8.0 * UNIT * least.abs();
    Closest { u, v, point, n, at_least }
}

/// The stationary point (Andrews22 eq. 101), if it lies in the domain.
fn interior(patch: &Patch) -> Option<(f64, f64)> {
    let (aa, ab, bb) = (dot(patch.a, patch.a), dot(patch.a, patch.b), dot(patch.b, patch.b));
    let (ra, rb) = (dot(patch.r, patch.a), dot(patch.r, patch.b));
    let det = aa * bb - ab * ab;
    let (u, v) = ((ra * bb - rb * ab) / det, (rb * aa - ra * ab) / det);
    let in_domain =
        u >= 0.0 && v >= 0.0 && if patch.triangle { u + v <= 1.0 } else { u <= 1.0 && v <= 1.0 };
    in_domain.then_some((u, v))
}

/// The closest point among the sides of the domain.
fn rim(patch: &Patch) -> (f64, f64) {
    // Each side from (u, v) in direction (du, dv).
    const TRIANGLE: [[f64; 4]; 3] =
        [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, -1.0, 1.0]];
    const SQUARE: [[f64; 4]; 4] =
        [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]];
    let sides: &[[f64; 4]] = if patch.triangle { &TRIANGLE } else { &SQUARE };
    let mut best = (0.0, 0.0);
    let mut least = f64::INFINITY;
    for &[u, v, du, dv] in sides {
        let p = patch.at(u, v);
        let e = [0, 1, 2].map(|k| du * patch.a[k] + dv * patch.b[k]);
        let s = dot(p, e) / dot(e, e);
        // NaN where the side has no length.
        let s = if s > 0.0 { s.min(1.0) } else { 0.0 };
        let (u, v) = (u + s * du, v + s * dv);
        let q = patch.at(u, v);
        let distance = dot(q, q);
        if distance < least {
            (best, least) = ((u, v), distance);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_on_thin_and_flat_patches() {
        // Patches with no area, or 1e-9 wide, above the origin: the nearest point is at distance 1.
        for width in [0.0, 1e-9] {
            for triangle in [true, false] {
                let patch = Patch {
                    r: [-0.3, 0.0, 1.0],
                    a: [1.0, 0.0, 0.0],
                    b: [-0.5, width, 0.0],
                    triangle,
                };
                let found = closest(&patch);
                assert!(found.at_least <= 1.0 && found.at_least > 1.0 - 1e-9, "{width} {found:?}");
            }
        }
    }

    #[test]
    fn nothing_is_at_distance_zero() {
        let patch = Patch { r: [0.0; 3], a: [0.0; 3], b: [0.0; 3], triangle: true };
        assert!(closest(&patch).at_least <= 0.0);
    }
}
