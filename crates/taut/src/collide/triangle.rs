//! One triangle of a mesh, knowing what lies beyond its edges.
//!
//! A convex body that slides over a flat mesh touches the edges between its
//! triangles; contacts whose normals come from those edges would stop it.
//! Each edge therefore carries the largest angle a contact normal may turn
//! away from the face towards it: the dihedral angle for a ridge, zero for a
//! flat or hollow edge, unlimited for a border. A normal outside that range
//! is replaced by the face normal.

use crate::math::Vec3;

/// A triangle with the data of its neighbourhood.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    pub(crate) vertices: [Vec3; 3],
    pub(crate) normal: Vec3,
    /// True if only the side of the normal is outside.
    pub(crate) one_sided: bool,
    pub(crate) vertex_ids: [u32; 3],
    pub(crate) edge_ids: [u32; 3],
    /// Largest angle between a contact normal and the face normal, towards
    /// edge `i` (from vertex `i` to vertex `i + 1`).
    pub(crate) edge_limits: [f64; 3],
}

/// Two faces whose normals differ by less than this angle are one plane.
pub(crate) const FLAT_ANGLE: f64 = 1e-6;

/// Slack of the angle test, above the rounding error of a normal.
const ANGLE_SLACK: f64 = 1e-7;

impl Triangle {
    pub(crate) fn centre(&self) -> Vec3 {
        let [a, b, c] = self.vertices;
        (a + b + c) / 3.0
    }

    pub(crate) fn size(&self) -> f64 {
        let c = self.centre();
        self.vertices.iter().map(|v| v.distance(c)).fold(0.0, f64::max)
    }

    pub(crate) fn edge_direction(&self, i: usize) -> Vec3 {
        (self.vertices[(i + 1) % 3] - self.vertices[i]).normalize_or_zero()
    }

    pub(crate) fn support(&self, d: Vec3) -> Vec3 {
        let [a, b, c] = self.vertices;
        let (da, db, dc) = (a.dot(d), b.dot(d), c.dot(d));
        if da >= db && da >= dc {
            a
        } else if db >= dc {
            b
        } else {
            c
        }
    }

    /// Whether edge `i` lies inside a flat patch.
    pub(crate) fn is_inner_edge(&self, i: usize) -> bool {
        self.edge_limits[i].abs() < FLAT_ANGLE
    }

    /// The face normal on the side towards which `direction` points.
    pub(crate) fn facing(&self, direction: Vec3) -> Vec3 {
        if self.one_sided || self.normal.dot(direction) >= 0.0 { self.normal } else { -self.normal }
    }

    /// Whether `n` points to a side on which there may be contacts.
    pub(crate) fn is_outside(&self, n: Vec3) -> bool {
        !self.one_sided || n.dot(self.normal) >= -ANGLE_SLACK
    }

    /// Whether a contact may have the normal `n` (pointing away from the
    /// triangle).
    pub(crate) fn allows(&self, n: Vec3) -> bool {
        let up = self.facing(n);
        let height = n.dot(up);
        if !self.is_outside(n) {
            return false;
        }
        let reach = self.support(n).dot(n) - 1e-6 * self.size();
        let touches = |v: Vec3| v.dot(n) >= reach;
        (0..3).all(|i| {
            let (a, b) = (self.vertices[i], self.vertices[(i + 1) % 3]);
            if !touches(a) && !touches(b) {
                return true;
            }
            let outward = (b - a).cross(self.normal).normalize_or_zero();
            let lean = n.dot(outward);
            lean <= 0.0 || lean.atan2(height) <= self.limit(i, up) + ANGLE_SLACK
        })
    }

    /// The limit of edge `i` as seen from the side `up`. From behind, a ridge
    /// is hollow and a hollow edge a ridge; limits are stored with their sign.
    fn limit(&self, i: usize, up: Vec3) -> f64 {
        let limit = self.edge_limits[i];
        if limit.is_infinite() || up == self.normal { limit.max(0.0) } else { (-limit).max(0.0) }
    }
}
