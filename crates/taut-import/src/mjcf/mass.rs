//! The mass matrix of all joints at the reference, for what actuators move: m = 1/(J M⁻¹ Jᵀ) of a coordinate J·q̇.

use super::Model;
use crate::machine::{Kind, Link};
use taut::math::{Mat3, Pose, Vec3};

/// A velocity of a link per rate of a joint: linear at a point of the world, and angular.
#[derive(Clone, Copy, Debug)]
struct Dof {
    link: usize,
    /// Which of the link's motions, and the axis of those that have three.
    motion: Option<usize>,
    axis: Vec3,
    /// A point of the axis; none: it slides.
    point: Option<Vec3>,
    armature: f64,
}

/// M = LLᵀ.
#[derive(Clone, Debug)]
pub(super) struct Masses {
    dofs: Vec<Dof>,
    factor: Vec<Vec<f64>>,
}

impl Model<'_> {
    /// The masses at the reference; none if some joint moves nothing.
    pub(super) fn masses(&self) -> Option<Masses> {
        let links = &self.machine.links;
        let mut world: Vec<Pose> = Vec::new();
        let mut dofs = Vec::new();
        for (i, link) in links.iter().enumerate() {
            let pose = link.parent.map_or(Pose::IDENTITY, |p| world[p]) * link.pose;
            world.push(pose);
            add_dofs(link, i, &pose, &mut dofs);
        }
        let n = dofs.len();
        let mut m = vec![vec![0.0; n]; n];
        for (k, dof) in dofs.iter().enumerate() {
            m[k][k] = dof.armature;
        }
        for (i, link) in links.iter().enumerate() {
            let Some(own) = &link.inertia else { continue };
            let own = own.moved(&world[i]);
            // The velocities of this link: those of its joints and of all links above.
            let mut moves: Vec<(usize, Vec3, Vec3)> = Vec::new();
            let mut above = Some(i);
            while let Some(a) = above {
                let start = dofs.partition_point(|d| d.link < a);
                for (k, d) in dofs.iter().enumerate().skip(start).take_while(|(_, d)| d.link == a) {
                    moves.push(match d.point {
                        Some(p) => (k, d.axis.cross(own.centre - p), d.axis),
                        None => (k, d.axis, Vec3::ZERO),
                    });
                }
                above = links[a].parent;
            }
            for &(a, v, w) in &moves {
                let (p, l): (Vec3, Vec3) = (v * own.mass, own.matrix * w);
                moves.iter().for_each(|&(b, u, o)| m[a][b] += p.dot(u) + l.dot(o));
            }
        }
        Some(Masses { dofs, factor: cholesky(m)? })
    }
}

impl Masses {
    /// The mass that a sum of joint coordinates moves, each a motion of a link with a factor; none if it moves nothing.
    pub(super) fn of(&self, terms: &[(usize, usize, f64)]) -> Option<f64> {
        let n = self.dofs.len();
        let mut x = vec![0.0; n];
        for &(link, motion, factor) in terms {
            let k = self.dofs.iter().position(|d| d.link == link && d.motion == Some(motion))?;
            x[k] += factor;
        }
        // |L⁻¹Jᵀ|² = J M⁻¹ Jᵀ.
        for i in 0..n {
            let known: f64 = (0..i).map(|k| self.factor[i][k] * x[k]).sum();
            x[i] = (x[i] - known) / self.factor[i][i];
        }
        let inverse: f64 = x.iter().map(|y| y * y).sum();
        (inverse > 0.0).then(|| 1.0 / inverse)
    }
}

fn add_dofs(link: &Link, i: usize, pose: &Pose, dofs: &mut Vec<Dof>) {
    let axes = Mat3::from_quat(pose.rotation);
    let axes = [axes.x_axis, axes.y_axis, axes.z_axis];
    if link.free {
        for point in [None, Some(pose.translation)] {
            let dof = |axis| Dof { link: i, motion: None, axis, point, armature: 0.0 };
            dofs.extend(axes.map(dof));
        }
    }
    for (k, motion) in link.motions.iter().enumerate() {
        let armature = motion.passive.armature;
        let anchor = Some(*pose * motion.anchor);
        let dof = |axis, point| Dof { link: i, motion: Some(k), axis, point, armature };
        match motion.kind {
            Kind::Hinge => dofs.push(dof(pose.rotation * motion.axis, anchor)),
            Kind::Slider => dofs.push(dof(pose.rotation * motion.axis, None)),
            Kind::Ball(_) => dofs.extend(axes.map(|axis| dof(axis, anchor))),
        }
    }
}

fn cholesky(mut m: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    for j in 0..m.len() {
        for i in j..m.len() {
            let known: f64 = (0..j).map(|k| m[i][k] * m[j][k]).sum();
            let rest = m[i][j] - known;
            if i == j && (rest.is_nan() || rest <= 0.0) {
                return None;
            }
            m[i][j] = if i == j { rest.sqrt() } else { rest / m[j][j] };
        }
    }
    Some(m)
}
