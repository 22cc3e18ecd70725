//! Contacts of two convex parts: normal, features, clipping.

use super::axis::{Axes, Axis, Couple, Origin};
use super::box_box;
use super::clip::{Candidate, Clipper};
use super::convex::{Convex, Core};
use super::feature::{Feature, face};
use super::triangle::Triangle;
use crate::math::Vec3;

// What half and twice of these change: docs/decisions/step-constants.md.

/// Vertices this share of the size outside the other feature still count.
const INSIDE: f64 = 1e-5;
/// Along a general direction, only points this share of the size above the
/// nearest ones belong to the contact: the faces are tilted against it.
const NEAREST_BAND: f64 = 0.02;

/// Two faces that overlap in a strip narrower than this share of their widths
/// do not rest on one another: they graze.
const SLIVER: f64 = 1e-3;

/// Buffers for one pair of convex parts.
#[derive(Debug, Default)]
pub(crate) struct Narrow {
    feature_a: Feature,
    feature_b: Feature,
    clipper: Clipper,
    /// The contacts found, on the surfaces, in the frame of A.
    pub(crate) candidates: Vec<Candidate>,
    /// Whether the last pair had no contact because its faces only graze.
    pub(crate) grazing: bool,
    /// Let triangles have any contact normal on their outer side.
    pub(crate) lenient: bool,
    /// Set when a shape overlaps a triangle without contact, as the normals
    /// the triangle allows lead past it.
    pub(crate) lost: bool,
}

impl Narrow {
    /// Finds the contacts with gaps up to `margin`, and their normal in the
    /// frame of A. None if there are none.
    pub(crate) fn contact(&mut self, couple: &Couple, margin: f64) -> Option<Vec3> {
        self.grazing = false;
        if let Some((t, back)) = is_behind(couple) {
            let inside = t.solid && couple.separation(back) <= 0.0;
            self.lost |= inside;
            if !(inside && self.lenient) {
                return None;
            }
        }
        let Axes { best, second } = match (&couple.a.core, &couple.b.core) {
            (Core::Box { half: a }, Core::Box { half: b }) => {
                box_box::axes(*a, *b, &couple.pose, margin)?
            }
            _ => couple.axes(margin)?,
        };
        let tries = [Some(best), second];
        let found = tries.into_iter().flatten().find_map(|axis| self.attempt(couple, axis, margin));
        if let Some(n) = found {
            return (!self.grazing).then_some(n);
        }
        if best.separation > 0.0 {
            return None;
        }
        if is_triangle(couple) && !self.lenient {
            self.lost = true;
            return None;
        }
        // No axis separates the shapes, yet their features do not overlap
        // along the best ones: rare, but a contact must not be lost.
        let axis = couple.nearest().filter(|axis| axis.separation <= 0.0)?;
        self.attempt(couple, axis, margin)
    }

    fn attempt(&mut self, couple: &Couple, axis: Axis, margin: f64) -> Option<Vec3> {
        let axis = restrict(couple, axis, self.lenient);
        let near = axis.separation <= margin;
        (near && self.generate(couple, &axis, margin)).then_some(axis.normal)
    }

    /// Two boxes of a floor that share an edge line, or a box sliding from
    /// one to the next: the sides meet in a strip whose height is a rounding
    /// error or the solver's tolerance. A contact there would be a ghost.
    fn is_sliver(&self, n: Vec3) -> bool {
        let across = |f: &Feature| f.normal.dot(n).abs() > 0.999;
        if !across(&self.feature_a) || !across(&self.feature_b) {
            return false;
        }
        if self.candidates.is_empty() {
            return false;
        }
        let (a, b) = (&self.feature_a.points, &self.feature_b.points);
        // Most patches are wide, which a look at each point shows. With d the distance of the farthest
        // point from the first, w the largest one from the line of both, and D ≤ 2d the greatest
        // extent, the triangle of these has the area ½dw; what is not farther than W from a line of
        // length D holds none larger than DW. So the width is at least ¼w, and that of
        // a face is at most twice the distance of its points from the first.
        let span = |points: &[Vec3]| farthest(points.iter().copied()).0;
        let (d, end) = farthest(self.candidates.iter().map(|c| c.a));
        let first = self.candidates[0].a;
        let along = end - first;
        let off = |c: &Candidate| (c.a - first).cross(along).length_squared();
        let most = self.candidates.iter().map(off).fold(0.0, f64::max);
        // w²d² against (4 · SLIVER · 2 · span · d)², and then some for rounding.
        if most > (10.0 * SLIVER * span(a).min(span(b)) * d).powi(2) {
            return false;
        }
        let faces = width(a.iter().copied()).min(width(b.iter().copied()));
        width(self.candidates.iter().map(|c| c.a)) < SLIVER * faces
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
        // Before points far above the surface are dropped: the patch of a
        // tilted box is wide, even if only its lowest edge is near.
        self.grazing = !is_triangle(couple) && self.is_sliver(axis.normal);
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
                    edges: [Vec3::ZERO; 2],
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

    /// Radii that sweep the features of the last contact, where there are such.
    pub(crate) fn rounds(&self, a: &Convex, b: &Convex) -> [Option<f64>; 2] {
        [self.feature_a.round(a), self.feature_b.round(b)]
    }

    fn select_features(&mut self, couple: &Couple, axis: &Axis) {
        let n = axis.normal;
        let m = couple.pose.inverse_transform_vector(-n);
        // A body that rocks on the ridge of a mesh needs both ends of its face
        // there, though it is an edge of it that is nearest.
        let is_one = |core: &Core| matches!(core, Core::Triangle(_));
        let rocks = is_one(&couple.a.core) != is_one(&couple.b.core);
        match axis.origin {
            Origin::Edges(i, _) if !rocks || is_one(&couple.a.core) => {
                self.feature_a.set_support_edge(couple.a, n, i);
            }
            _ => self.feature_a.set_support(couple.a, n),
        }
        match axis.origin {
            Origin::Edges(_, j) if !rocks || is_one(&couple.b.core) => {
                self.feature_b.set_support_edge(couple.b, m, j);
            }
            _ => self.feature_b.set_support(couple.b, m),
        }
        self.feature_b.transform(&couple.pose);
    }
}

/// The distance of the point that is farthest from the first, and that point.
fn farthest(points: impl Iterator<Item = Vec3> + Clone) -> (f64, Vec3) {
    let first = points.clone().next().unwrap_or(Vec3::ZERO);
    let mut far = (0.0, first);
    for p in points {
        let d = p.distance_squared(first);
        if d > far.0 {
            far = (d, p);
        }
    }
    (far.0.sqrt(), far.1)
}

/// The extent of points across their greatest extent.
fn width(points: impl Iterator<Item = Vec3> + Clone) -> f64 {
    let mut ends = (Vec3::ZERO, Vec3::ZERO, 0.0);
    for (i, p) in points.clone().enumerate() {
        for q in points.clone().take(i) {
            let d = p.distance_squared(q);
            if d > ends.2 {
                ends = (p, q, d);
            }
        }
    }
    let along = (ends.1 - ends.0).normalize_or_zero();
    let square = |p: Vec3| (p - ends.0).cross(along).length_squared();
    points.map(square).fold(0.0, f64::max).sqrt()
}

fn is_triangle(couple: &Couple) -> bool {
    let is_one = |core: &Core| matches!(core, Core::Triangle(_));
    is_one(&couple.a.core) || is_one(&couple.b.core)
}

/// The triangle that has the middle of the other shape behind it, if one does,
/// and the direction from A to B across it: whatever got there did not come
/// from the front.
pub(crate) fn is_behind<'a>(couple: &Couple<'a>) -> Option<(&'a Triangle, Vec3)> {
    let (t, height, back) = match (&couple.a.core, &couple.b.core) {
        (Core::Triangle(_), Core::Triangle(_)) => return None,
        (Core::Triangle(t), _) => {
            let centre = couple.pose.transform_point(couple.b.centre());
            (t, t.height(centre), -t.normal)
        }
        (_, Core::Triangle(t)) => {
            let centre = couple.pose.inverse_transform_point(couple.a.centre());
            (t, t.height(centre), couple.pose.transform_vector(t.normal))
        }
        _ => return None,
    };
    (height < 0.0).then_some((t, back))
}

/// Replaces a normal that a triangle does not allow by its face normal.
fn restrict(couple: &Couple, axis: Axis, lenient: bool) -> Axis {
    let allows = |t: &Triangle, n: Vec3| {
        if lenient { t.lets_out(n) } else { t.allows(n) }
    };
    let mut axis = axis;
    if let Core::Triangle(t) = &couple.a.core
        && !allows(t, axis.normal)
    {
        axis = face_axis(couple, t.normal);
    }
    if let Core::Triangle(t) = &couple.b.core {
        let m = couple.pose.inverse_transform_vector(-axis.normal);
        if !allows(t, m) {
            axis = face_axis(couple, -couple.pose.transform_vector(t.normal));
        }
    }
    axis
}

fn face_axis(couple: &Couple, normal: Vec3) -> Axis {
    Axis { normal, separation: couple.separation(normal), origin: Origin::Face }
}
