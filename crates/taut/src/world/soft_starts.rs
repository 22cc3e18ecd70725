//! Soft bodies that start inside others, and nodes that start against what they are attached to.

use super::World;
use super::warnings::{LENGTH, SHARE, StartWarning};
use crate::math::{Pose, Vec3};
use crate::shape::Geometry;
use crate::softs::{SoftBodyState, place, weights};
use std::collections::BTreeMap;

/// Differences of velocity up to this are no mistake \[m/s\].
const SPEED: f64 = 0.1;

impl World {
    /// What is odd about soft bodies at the start.
    pub(super) fn soft_starts(&self) -> Vec<StartWarning> {
        let all: Vec<&SoftBodyState> = self.softs.iter().map(|(_, soft)| soft).collect();
        let mut warnings = Vec::new();
        for (k, soft) in all.iter().enumerate() {
            let allowed = LENGTH.min(SHARE * soft.size());
            let mut found: Vec<(String, f64)> = self.rigid_around(soft).into_iter().collect();
            let may = |other: &&&SoftBodyState| other.body.groups.interact(soft.body.groups);
            let pairs = all[k + 1..].iter().filter(may);
            found.extend(pairs.map(|o| (o.name().to_string(), depth(soft, o).max(depth(o, soft)))));
            let deep = found.into_iter().filter(|(_, depth)| *depth > allowed);
            let name = || soft.name().to_string();
            warnings.extend(deep.map(|(other, depth)| StartWarning::SoftOverlap {
                soft: name(),
                other,
                depth,
            }));
            let torn = self.against(soft).into_iter().filter(|(_, speed)| *speed > SPEED);
            warnings.extend(torn.map(|(body, speed)| StartWarning::TornSoft {
                soft: name(),
                body,
                speed,
            }));
        }
        warnings
    }

    /// How deep a soft body is in rigid ones, by name: its nodes, and middles of shapes within it.
    fn rigid_around(&self, soft: &SoftBodyState) -> BTreeMap<String, f64> {
        let mut deepest = BTreeMap::new();
        let around = soft.aabb();
        for collider in self.colliders.entries.iter().flatten() {
            let meets = collider.groups.interact(soft.body.groups);
            let Some(body) = self.bodies.at(collider.body) else { continue };
            if !meets || soft.is_attached(collider.body) {
                continue;
            }
            let shape = &collider.shape;
            let frame = Pose::from_parts(body.x, body.q) * collider.local_pose;
            let local = |x: &Vec3| frame.inverse_transform_point(*x);
            let reach = soft.size();
            let nodes = soft.skin.iter().map(|&n| &soft.x[n as usize]);
            let of_node = |x| place(shape, local(x), reach).map_or(0.0, |(d, _)| -d);
            let mut depth = nodes.map(of_node).fold(0.0, f64::max);
            if !matches!(*shape.geometry, Geometry::HalfSpace(_) | Geometry::Mesh(_)) {
                let own = shape.shape.compute_aabb(&(frame * shape.pose));
                let middle = 0.5 * (own.mins + own.maxs);
                if around.contains_local_point(middle) {
                    depth = depth.max(within(soft, middle));
                }
            }
            let most: &mut f64 = deepest.entry(body.name().to_string()).or_insert(0.0);
            *most = most.max(depth);
        }
        deepest
    }

    /// How fast nodes start against the bodies that they are attached to, by name \[m/s\].
    fn against(&self, soft: &SoftBodyState) -> BTreeMap<String, f64> {
        let mut fastest = BTreeMap::new();
        for a in &soft.attachments {
            let Some(body) = self.bodies.at(a.body.index) else { continue };
            let (v, w) = if body.is_dynamic() { (body.v, body.w) } else { body.given(0.0) };
            let speed = (soft.v[a.node as usize] - v - w.cross(body.q * a.local)).length();
            let most: &mut f64 = fastest.entry(body.name().to_string()).or_insert(0.0);
            *most = most.max(speed);
        }
        fastest
    }
}

/// How deep the deepest node of a soft body is in another one.
fn depth(of: &SoftBodyState, other: &SoftBodyState) -> f64 {
    let around = other.aabb();
    let nodes = of.skin.iter().map(|&n| of.x[n as usize]);
    let near = nodes.filter(|x| around.contains_local_point(*x));
    near.map(|x| within(other, x)).fold(0.0, f64::max)
}

/// How far it is from a point within a soft body to its surface; 0 outside.
fn within(soft: &SoftBodyState, p: Vec3) -> f64 {
    let volume = |[a, b, c, d]: [Vec3; 4]| (b - a).cross(c - a).dot(d - a);
    let holds = |e: &[u32]| {
        let corners = [0, 1, 2, 3].map(|k| soft.x[e[k] as usize]);
        let whole = volume(corners);
        (0..4).all(|k| {
            let mut part = corners;
            part[k] = p;
            volume(part) * whole >= 0.0
        })
    };
    if !soft.mesh().elements().any(holds) {
        return 0.0;
    }
    let distance = |t: &[u32; 3]| {
        let corners = t.map(|n| soft.x[n as usize]);
        let w = weights(p, &corners);
        (p - corners[0] * w[0] - corners[1] * w[1] - corners[2] * w[2]).length()
    };
    soft.triangles.iter().map(distance).fold(f64::INFINITY, f64::min)
}
