//! Contacts of two convex parts: normal, features, clipping.

use super::axis::{Axes, Axis, Couple, Origin};
use super::box_box;
use super::clip::{Candidate, Clipper};
use super::convex::Core;
use super::feature::{Feature, face};
use crate::math::Vec3;

/// Vertices this share of the size outside the other feature still count.
const INSIDE: f64 = 1e-5;
/// Along a general direction, only points this share of the size above the
/// nearest ones belong to the contact: the faces are tilted against it.
const NEAREST_BAND: f64 = 0.02;

/// Buffers for one pair of convex parts.
#[derive(Debug, Default)]
pub(crate) struct Narrow {
    feature_a: Feature,
    feature_b: Feature,
    clipper: Clipper,
    /// The contacts found, on the surfaces, in the frame of A.
    pub(crate) candidates: Vec<Candidate>,
}

impl Narrow {
    /// Finds the contacts with gaps up to `margin`, and their normal in the
    /// frame of A. None if there are none.
    pub(crate) fn contact(&mut self, couple: &Couple, margin: f64) -> Option<Vec3> {
        let Axes { best, second } = match (&couple.a.core, &couple.b.core) {
            (Core::Box { half: a }, Core::Box { half: b }) => {
                box_box::axes(*a, *b, &couple.pose, margin)?
            }
            _ => couple.axes(margin)?,
        };
        let mut attempt = |axis: Axis| {
            let axis = restrict(couple, axis);
            let near = axis.separation <= margin;
            (near && self.generate(couple, &axis, margin)).then_some(axis.normal)
        };
        let tries = [Some(best), second];
        let found = tries.into_iter().flatten().find_map(&mut attempt);
        if found.is_some() || best.separation > 0.0 || is_triangle(couple) {
            return found;
        }
        // No axis separates the shapes, yet their features do not overlap
        // along the best ones: rare, but a contact must not be lost.
        couple
            .nearest()
            .filter(|axis| axis.separation <= 0.0)
            .and_then(attempt)
    }

    fn generate(&mut self, couple: &Couple, axis: &Axis, margin: f64) -> bool {
        self.candidates.clear();
        self.select_features(couple, axis);
        let tolerance = INSIDE * couple.size();
        self.clipper.clip(
            &self.feature_a,
            &self.feature_b,
            axis.normal,
            tolerance,
            &mut self.candidates,
        );
        let radii = couple.a.radius + couple.b.radius;
        let mut limit = margin;
        if let Origin::Nearest(a, b) = axis.origin {
            limit = limit.min(axis.separation + NEAREST_BAND * couple.size());
            if self.candidates.is_empty() {
                self.candidates.push(Candidate {
                    a,
                    b,
                    gap: (b - a).dot(axis.normal),
                    feature_a: face(0),
                    feature_b: face(0),
                });
            }
        }
        for c in &mut self.candidates {
            c.a += couple.a.radius * axis.normal;
            c.b -= couple.b.radius * axis.normal;
            c.gap -= radii;
        }
        self.candidates.retain(|c| c.gap <= limit);
        !self.candidates.is_empty()
    }

    fn select_features(&mut self, couple: &Couple, axis: &Axis) {
        let n = axis.normal;
        let m = couple.pose.inverse_transform_vector(-n);
        if let Origin::Edges(i, j) = axis.origin {
            self.feature_a.set_support_edge(couple.a, n, i);
            self.feature_b.set_support_edge(couple.b, m, j);
        } else {
            self.feature_a.set_support(couple.a, n);
            self.feature_b.set_support(couple.b, m);
        }
        self.feature_b.transform(&couple.pose);
    }
}

fn is_triangle(couple: &Couple) -> bool {
    let is_one = |core: &Core| matches!(core, Core::Triangle(_));
    is_one(&couple.a.core) || is_one(&couple.b.core)
}

/// Replaces a normal that a triangle does not allow by its face normal.
fn restrict(couple: &Couple, axis: Axis) -> Axis {
    let mut axis = axis;
    if let Core::Triangle(t) = &couple.a.core
        && !t.allows(axis.normal)
    {
        axis = face_axis(couple, t.facing(axis.normal));
    }
    if let Core::Triangle(t) = &couple.b.core {
        let m = couple.pose.inverse_transform_vector(-axis.normal);
        if !t.allows(m) {
            axis = face_axis(couple, -couple.pose.transform_vector(t.facing(m)));
        }
    }
    axis
}

fn face_axis(couple: &Couple, normal: Vec3) -> Axis {
    Axis {
        normal,
        separation: couple.separation(normal),
        origin: Origin::Face,
    }
}
