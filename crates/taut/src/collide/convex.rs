//! Convex shapes as a sharp core swept by a ball.
//!
//! A ball is a point with a radius and a capsule a segment with a radius; the
//! other shapes have no radius. All contact code works on the cores, whose
//! support function is exact, and adds the radii at the end: a capsule lying
//! on a face is then a segment above a polygon, where nothing is degenerate.
//! Axes of segments, cylinders and cones are the local z axis.

use super::hull::{Hull, HullFace};
use super::triangle::Triangle;
use crate::math::{Pose, Vec3};
use parry3d_f64::shape::SupportMap;
use std::sync::Arc;

/// The sharp part of a convex shape.
#[derive(Clone, Debug)]
pub(crate) enum Core {
    Point,
    Segment { half: f64 },
    Box { half: Vec3 },
    Cylinder { half: f64, radius: f64 },
    Cone { half: f64, radius: f64 },
    Hull(Arc<Hull>),
    Triangle(Triangle),
}

/// A core, the radius of the ball that sweeps it, and a bounding radius.
#[derive(Clone, Debug)]
pub(crate) struct Convex {
    pub(crate) core: Core,
    pub(crate) radius: f64,
    /// Largest distance of a surface point from the local origin, except for
    /// triangles, where it is measured from the centroid.
    pub(crate) size: f64,
    /// Radius of a ball around the centre that lies inside; 0 for triangles.
    pub(crate) inner: f64,
}

impl Convex {
    pub(crate) fn new(core: Core, radius: f64) -> Self {
        let size = radius
            + match &core {
                Core::Point => 0.0,
                Core::Segment { half } => *half,
                Core::Box { half } => half.length(),
                Core::Cylinder { half, radius } | Core::Cone { half, radius } => {
                    half.hypot(*radius)
                }
                Core::Hull(hull) => hull.points.iter().map(|p| p.length()).fold(0.0, f64::max),
                Core::Triangle(t) => t.size(),
            };
        let inner = radius + inner_radius(&core);
        Self { core, radius, size, inner }
    }

    /// Distance of the farthest point of the core from a point that has the
    /// shape at `pose`.
    pub(crate) fn arm(&self, pose: &Pose) -> f64 {
        match &self.core {
            Core::Triangle(t) => pose.transform_point(t.centre()).length() + self.size,
            _ => pose.translation.length() + self.size - self.radius,
        }
    }

    /// A point well inside the core.
    pub(crate) fn centre(&self) -> Vec3 {
        match &self.core {
            Core::Hull(hull) => hull.centre,
            Core::Triangle(t) => t.centre(),
            _ => Vec3::ZERO,
        }
    }

    /// True when neither faces nor edges describe the whole surface.
    pub(crate) fn is_curved(&self) -> bool {
        matches!(self.core, Core::Cylinder { .. } | Core::Cone { .. })
    }

    /// Calls `f` with the outward normal of every flat face.
    pub(crate) fn for_each_face_normal(&self, mut f: impl FnMut(Vec3)) {
        match &self.core {
            Core::Point | Core::Segment { .. } => {}
            Core::Box { .. } => {
                for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                    f(axis);
                    f(-axis);
                }
            }
            Core::Cylinder { .. } => {
                f(Vec3::Z);
                f(-Vec3::Z);
            }
            Core::Cone { .. } => f(-Vec3::Z),
            Core::Hull(hull) => hull.faces.iter().for_each(|face| f(face.normal)),
            Core::Triangle(t) => f(t.normal),
        }
    }

    /// The number of directions that straight edges take.
    pub(crate) fn edge_direction_count(&self) -> usize {
        match &self.core {
            Core::Point | Core::Cone { .. } => 0,
            Core::Segment { .. } | Core::Cylinder { .. } => 1,
            Core::Box { .. } | Core::Triangle(_) => 3,
            Core::Hull(hull) => hull.directions.len(),
        }
    }

    /// The `i`-th edge direction, of unit length.
    pub(crate) fn edge_direction(&self, i: usize) -> Vec3 {
        match &self.core {
            Core::Box { .. } => [Vec3::X, Vec3::Y, Vec3::Z][i],
            Core::Hull(hull) => hull.directions[i],
            Core::Triangle(t) => t.edge_direction(i),
            _ => Vec3::Z,
        }
    }

    /// What one evaluation of the support function costs, in dot products.
    pub(crate) fn support_cost(&self) -> usize {
        match &self.core {
            Core::Hull(hull) => hull.points.len(),
            _ => 2,
        }
    }
}

/// Radius of the largest ball in a core around its centre.
fn inner_radius(core: &Core) -> f64 {
    match core {
        Core::Point | Core::Segment { .. } | Core::Triangle(_) => 0.0,
        Core::Box { half } => half.min_element(),
        Core::Cylinder { half, radius } => half.min(*radius),
        Core::Cone { half, radius } => half.min(half * radius / (2.0 * half).hypot(*radius)),
        Core::Hull(hull) => {
            let depth = |f: &HullFace| f.normal.dot(hull.points[f.loop_[0] as usize] - hull.centre);
            hull.faces.iter().map(depth).fold(f64::INFINITY, f64::min).max(0.0)
        }
    }
}

impl SupportMap for Core {
    fn local_support_point(&self, d: Vec3) -> Vec3 {
        match self {
            Core::Point => Vec3::ZERO,
            Core::Segment { half } => Vec3::new(0.0, 0.0, half.copysign(d.z)),
            Core::Box { half } => {
                Vec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z))
            }
            Core::Cylinder { half, radius } => {
                // (Not `hypot`, which took a sixth of a step of falling logs.)
                let side = (d.x * d.x + d.y * d.y).sqrt();
                let k = if side > 0.0 { radius / side } else { 0.0 };
                Vec3::new(d.x * k, d.y * k, half.copysign(d.z))
            }
            Core::Cone { half, radius } => {
                let side = (d.x * d.x + d.y * d.y).sqrt();
                // The apex wins when it reaches farther than the rim.
                if d.z * half > side * radius - d.z * half {
                    return Vec3::new(0.0, 0.0, *half);
                }
                let k = if side > 0.0 { radius / side } else { 0.0 };
                Vec3::new(d.x * k, d.y * k, -half)
            }
            Core::Hull(hull) => hull.support(d),
            Core::Triangle(t) => t.support(d),
        }
    }
}
