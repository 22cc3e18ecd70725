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
    /// Towards the front, from which the vertices run counter-clockwise. Only
    /// the front holds bodies.
    pub(crate) normal: Vec3,
    /// Whether what is behind is inside, and to be pushed out.
    pub(crate) solid: bool,
    pub(crate) vertex_ids: [u32; 3],
    pub(crate) edge_ids: [u32; 3],
    /// Largest angle between a contact normal and the face normal, towards
    /// edge `i` (from vertex `i` to vertex `i + 1`); negative for a hollow.
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

    /// Midway between the normals of the faces on either side of edge `i`; of a border, that of the face.
    pub(crate) fn ridge(&self, i: usize) -> Vec3 {
        if !self.edge_limits[i].is_finite() {
            return self.normal;
        }
        let outward = self.edge_direction(i).cross(self.normal);
        let (s, c) = (0.5 * self.edge_limits[i]).sin_cos();
        c * self.normal + s * outward
    }

    /// Of a line p + s d, p given from a point of edge `i`: the range of s in which it is behind the planes of both faces at the edge.
    pub(crate) fn behind(&self, i: usize, p: Vec3, d: Vec3) -> [f64; 2] {
        let outward = self.edge_direction(i).cross(self.normal);
        let limit = if self.edge_limits[i].is_finite() { self.edge_limits[i] } else { 0.0 };
        let (sin, cos) = limit.sin_cos();
        let mut range = [f64::NEG_INFINITY, f64::INFINITY];
        for n in [self.normal, cos * self.normal + sin * outward] {
            let (height, slope) = (n.dot(p), n.dot(d));
            let s = -height / slope;
            if slope > 0.0 {
                range[1] = range[1].min(s);
            } else if slope < 0.0 {
                range[0] = range[0].max(s);
            }
        }
        range
    }

    /// Whether edge `i` lies inside a flat patch.
    pub(crate) fn is_inner_edge(&self, i: usize) -> bool {
        self.edge_limits[i].abs() < FLAT_ANGLE
    }

    /// Height of a point above the plane of the triangle, on its front.
    pub(crate) fn height(&self, p: Vec3) -> f64 {
        (p - self.vertices[0]).dot(self.normal)
    }

    /// Whether `n` points to the front, where there may be contacts.
    pub(crate) fn is_outside(&self, n: Vec3) -> bool {
        n.dot(self.normal) >= -ANGLE_SLACK
    }

    /// Whether a body that sticks in a fold may be pushed along `n`: anywhere out
    /// of a solid, but only well to the front of an open mesh.
    pub(crate) fn lets_out(&self, n: Vec3) -> bool {
        self.is_outside(n) && (self.solid || n.dot(self.normal) >= 0.5)
    }

    /// Whether a contact may have the normal `n` (pointing away from the
    /// triangle).
    pub(crate) fn allows(&self, n: Vec3) -> bool {
        let height = n.dot(self.normal);
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
            lean <= 0.0 || lean.atan2(height) <= self.edge_limits[i].max(0.0) + ANGLE_SLACK
        })
    }
}
