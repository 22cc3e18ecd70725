//! Both kinds of query in one form (Andrews22 eq. 102 and 103): the features touch where
//!
//! F(t, u, v) = r(t) − u a(t) − v b(t) = 0
//!
//! with r, a, b linear in time; u and v in [0, 1], and for a triangle u + v ≤ 1. Only differences of
//! corners enter. So rounding is relative to the size of the features and their distance, not to where
//! in the world they are (Wang et al. 2021 bounds it by the cube of the largest coordinate).

use crate::query::{Kind, Query};
use crate::vector::{Vec3, along, largest, sub};

/// r, a, b at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patch {
    pub r: Vec3,
    pub a: Vec3,
    pub b: Vec3,
    pub triangle: bool,
}

impl Patch {
    /// F(u, v)
    pub fn at(&self, u: f64, v: f64) -> Vec3 {
        along(along(self.r, -u, self.a), -v, self.b)
    }

    /// Corners of the patch; a triangle has the first three.
    pub fn corners(&self) -> ([Vec3; 4], usize) {
        let p = sub(self.r, self.a);
        ([self.r, p, sub(self.r, self.b), sub(p, self.b)], if self.triangle { 3 } else { 4 })
    }

    /// Bounds how far each component of F, however it is computed here, is from exact: each of the
    /// three terms passes through at most 9 roundings (see the count in `tight_inclusion.rs`).
    pub fn rounding(&self) -> f64 {
        9.0 * UNIT * (largest(self.r) + largest(self.a) + largest(self.b)) + f64::MIN_POSITIVE
    }
}

/// Half the distance from 1 to the next number: the relative error of one rounding. A little larger,
/// for products of such errors.
pub(crate) const UNIT: f64 = 1.2e-16;

/// r, a, b at the start, and at the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion {
    pub start: Patch,
    pub end: Patch,
}

impl Motion {
    pub fn new(query: &Query) -> Self {
        let patch = |x: &[Vec3; 4]| match query.kind {
            Kind::VertexFace => {
                Patch { r: sub(x[0], x[1]), a: sub(x[2], x[1]), b: sub(x[3], x[1]), triangle: true }
            }
            Kind::EdgeEdge => Patch {
                r: sub(x[0], x[2]),
                a: sub(x[0], x[1]),
                b: sub(x[3], x[2]),
                triangle: false,
            },
        };
        Self { start: patch(&query.start), end: patch(&query.end) }
    }

    pub fn at(&self, t: f64) -> Patch {
        let lerp = |p: Vec3, q: Vec3| along(p, t, sub(q, p));
        Patch {
            r: lerp(self.start.r, self.end.r),
            a: lerp(self.start.a, self.end.a),
            b: lerp(self.start.b, self.end.b),
            triangle: self.start.triangle,
        }
    }

    /// What r, a and b change over the whole motion: F's derivative by time is a patch, too.
    pub fn rate(&self) -> Patch {
        Patch {
            r: sub(self.end.r, self.start.r),
            a: sub(self.end.a, self.start.a),
            b: sub(self.end.b, self.start.b),
            triangle: self.start.triangle,
        }
    }
}
