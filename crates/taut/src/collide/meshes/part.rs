//! Solids that overlap deeply.
//!
//! Problem: corners and ridges deep in a solid are near to several of its faces, and contacts of these contradict one another:
//! stars that were inside one another locked.
//!
//! Method: one contact that makes the common part smaller at the greatest rate (F. Faure and others 2010, *Volume contact constraints
//! at arbitrary resolution*). Moving B along n changes its volume V by −n·∫ n_A dA over the surface of A that is in B, which is
//! minus that integral with A and B exchanged. So n is the direction of the integral, S its length, and V / S the depth: of crossed
//! beams, that of their overlap; of tips a third of it. The point is the middle of the surface of the common part. The fields say what is inside: triangles are
//! cut in four, largest first, until they are on one side or the budget is used up. Of solids one of which is all inside the
//! other the integral is 0; these go the way that is shortest for the middle of the inner one.
//!
//! Cost: a value of a field for each triangle near the other solid, and at most [`VALUES`] more for each side.

use super::{Meshes, Side};
use crate::collide::feature::{face, vertex};
use crate::collide::{Bend, ContactKey, ContactPoint};
use crate::math::{Pose, Vec3};
use std::collections::VecDeque;
use taut_sdf::{Field, Surface};

/// Values looked at beyond one a triangle.
const VALUES: usize = 2000;
/// Cosine of normals that agree.
const ALIKE: f64 = 0.95;
/// The integral of normals is 0 below this share of the area.
const CLOSED: f64 = 1e-3;

/// Integrals over the surface of the common part, in the world.
#[derive(Default)]
struct Common {
    /// Of normals, those of A counted up and those of B down; and of all, which is 0 but for what was not looked at.
    out: Vec3,
    open: Vec3,
    area: f64,
    /// Of places.
    moment: Vec3,
    /// Of places times normals: three times the volume.
    flux: f64,
    /// Whether all of the surfaces of A and of B was inside the other.
    whole: [bool; 2],
}

impl Meshes {
    /// Replaces the contacts of solids that overlap by one that makes the common part smaller.
    pub(super) fn part(&mut self, sides: &[Side; 2]) {
        let [a, b] = sides;
        let (Some(of_a), Some(of_b)) = (&a.mesh.surface, &b.mesh.surface) else { return };
        let origin = 0.5 * (a.pose.translation + b.pose.translation);
        let mut common = Common::default();
        common.whole[0] = common.add(a, (b, of_b), origin, 1.0);
        common.whole[1] = common.add(b, (a, of_a), origin, -1.0);
        if common.area == 0.0 {
            return;
        }
        let at = common.moment / common.area;
        let length = common.out.length();
        let volume = ((common.flux - (at - origin).dot(common.open)) / 3.0).abs();
        let (normal, depth) = if length > CLOSED * common.area {
            // Of tips that is less than what features say that agree with it.
            let normal = common.out / length;
            let agree = self.contacts.iter().filter(|(_, n)| n.dot(normal) > ALIKE);
            (normal, agree.map(|(p, _)| -p.gap).fold(volume / length, f64::max))
        } else {
            let (inner, outer, field, sign) =
                if common.whole[0] { (a, b, of_b, -1.0) } else { (b, a, of_a, 1.0) };
            let count = inner.mesh.vertices.len() as f64;
            let middle = inner.mesh.vertices.iter().copied().sum::<Vec3>() / count;
            let local = outer.pose.inverse_transform_point(inner.pose.transform_point(middle));
            let s = field.sample(local.to_array());
            (sign * outer.pose.transform_vector(s.gradient.into()), s.distance.abs() + inner.size)
        };
        if !(normal.is_finite() && depth > 0.0 && depth.is_finite()) {
            return;
        }
        let feature =
            ContactKey { sub_a: 0, sub_b: 0, feature_a: vertex(1 << 29), feature_b: face(0) };
        let point = ContactPoint {
            point_a: at + 0.5 * depth * normal,
            point_b: at - 0.5 * depth * normal,
            gap: -depth,
            feature,
            bend: Some(Bend { edges: [Vec3::ZERO; 2], rounds: [Some(0.0); 2] }),
        };
        self.contacts.clear();
        self.contacts.push((point, normal));
    }
}

impl Common {
    /// Adds the surface of a side that is in the field of the other one; whether that is all of it.
    fn add(
        &mut self,
        side: &Side,
        (other, field): (&Side, &Surface),
        origin: Vec3,
        sign: f64,
    ) -> bool {
        let to_field: Pose = other.pose.inv_mul(&side.pose);
        let [lo, hi] = field.bounds().map(Vec3::from);
        let mut queue: VecDeque<([Vec3; 3], Vec3)> = VecDeque::new();
        let mut whole = true;
        for (t, ball) in side.mesh.triangles.iter().zip(&side.mesh.balls) {
            let centre = to_field.transform_point(ball.0);
            if centre.distance_squared(centre.clamp(lo, hi)) <= ball.1 * ball.1 {
                let corners = t.vertices.map(|p| to_field.transform_point(p));
                queue.push_back((corners, to_field.transform_vector(t.normal)));
            } else {
                whole = false;
            }
        }
        let mut left = queue.len() + VALUES;
        while let Some((corners, normal)) = queue.pop_front() {
            let [a, b, c] = corners;
            let centre = (a + b + c) / 3.0;
            let radius = corners.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
            let distance = field.distance(centre.to_array());
            left = left.saturating_sub(1);
            if distance.abs() < radius && left > queue.len() {
                let (ab, bc, ca) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
                queue.extend(
                    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]].map(|t| (t, normal)),
                );
                continue;
            }
            if distance >= 0.0 {
                whole = false;
                continue;
            }
            let area = 0.5 * (b - a).cross(c - a).length();
            let out = other.pose.transform_vector(normal);
            let at = other.pose.transform_point(centre);
            self.out += sign * area * out;
            self.open += area * out;
            self.area += area;
            self.moment += area * at;
            self.flux += area * (at - origin).dot(out);
        }
        whole
    }
}
