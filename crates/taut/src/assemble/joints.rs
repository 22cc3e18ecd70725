//! Rows of joints.

use super::geometric::{self, Loaded};
use super::{IslandSolver, Scene, Twist, smoothing};
use crate::integrate::turn;
use crate::islands::Island;
use crate::lcp::{Law, RowState};
use crate::math::{Pose, Quat, Vec3};
use crate::scene::joint::{
    Coupling, Frame, Geometry, Joint, JointState, PARTS, Row, RowSink, Side,
};
use crate::settings::GeometricStiffness;
use crate::slots::{JointId, Slots};
use crate::{BodyId, BodyState};

/// Where the frames of a joint are.
pub(crate) fn geometry(joint: &Joint, bodies: &Slots<BodyState>) -> Geometry {
    geometry_at(joint, bodies, |_, b| (b.x, b.q))
}

/// Where the frames of a joint are after bodies move on for the time h with
/// the velocities that `twist` says.
pub(super) fn geometry_after(
    h: f64,
    joint: &Joint,
    bodies: &Slots<BodyState>,
    twist: impl Fn(BodyId, &BodyState) -> Twist,
) -> Geometry {
    geometry_at(joint, bodies, |id, b| {
        let (v, w) = twist(id, b);
        (b.x + v * h, turn(b, w, h).0)
    })
}

/// Where the frames of a joint are with bodies at the given centres and orientations.
pub(super) fn geometry_at(
    joint: &Joint,
    bodies: &Slots<BodyState>,
    at: impl Fn(BodyId, &BodyState) -> (Vec3, Quat),
) -> Geometry {
    let place = |frame: Frame, anchor: Option<Vec3>, basis: Option<Quat>| {
        let body = frame.body().and_then(|id| Some((id, bodies.get(id.index, id.generation)?)));
        let pose_after = |(id, b): (BodyId, &BodyState)| {
            let (x, q) = at(id, b);
            (Pose::from_parts(x - q * b.centre, q), x)
        };
        let (pose, centre) = body.map_or((Pose::IDENTITY, Vec3::ZERO), pose_after);
        let p = pose.transform_point(anchor.unwrap_or(Vec3::ZERO));
        let q = pose.rotation * basis.unwrap_or(Quat::IDENTITY);
        Side::new(frame.body(), p, p - centre, q)
    };
    let a = place(joint.a, joint.anchor_a, joint.basis_a);
    let b = place(joint.b, joint.anchor_b, joint.basis_b);
    Geometry::new(a, b)
}

/// The bodies a joint acts on: its own, or those of the joints it couples.
pub(crate) fn joint_bodies(joint: &Joint, joints: &Slots<JointState>) -> [Option<BodyId>; PARTS] {
    let own = |j: &Joint| [j.a.body(), j.b.body()];
    let of = |id: JointId| joints.get(id.index, id.generation).map_or([None; 2], |j| own(&j.joint));
    let mut bodies = [None; PARTS];
    let Some(coupling) = joint.kind.coupling() else {
        bodies[..2].copy_from_slice(&own(joint));
        return bodies;
    };
    for body in coupling.joints().flat_map(of).flatten() {
        if let Some(place) = bodies.iter_mut().find(|b| b.is_none_or(|b| b == body)) {
            *place = Some(body);
        }
    }
    bodies
}

impl IslandSolver {
    /// Frames of all joints, and their forces in the last step.
    pub(super) fn find_frames(&mut self, scene: &Scene, island: &Island) {
        self.joint_geometry.clear();
        self.joint_forces.clear();
        for &slot in &island.joints {
            let Some(state) = scene.joints.at(slot) else { continue };
            self.joint_geometry.push(geometry(&state.joint, scene.bodies));
            self.joint_forces.push(state.reaction.force);
        }
    }

    /// Geometric stiffness by the joint forces of the last solve.
    pub(super) fn update_geometric(&mut self, scene: &Scene, island: &Island) {
        self.take_forces(scene.h, island);
        self.find_geometric(scene, island);
    }

    /// Joint forces of the last solve, whose impulses acted for the time h.
    pub(super) fn take_forces(&mut self, h: f64, island: &Island) {
        let mut forces = std::mem::take(&mut self.joint_forces);
        let mut memory = std::mem::take(&mut self.memory);
        forces.clear();
        self.for_each_joint(h, island, &mut memory, |_, [reaction, _], _, _| {
            forces.push(reaction.force);
        });
        (self.joint_forces, self.memory) = (forces, memory);
    }

    /// Geometric stiffness by the joint forces at hand.
    pub(super) fn find_geometric(&mut self, scene: &Scene, island: &Island) {
        let turning = self.start.iter().map(|&(_, w)| Loaded::turning(w));
        self.geometric.clear();
        self.geometric.extend(turning);
        self.smoother.clear();
        if scene.settings.geometric_stiffness == GeometricStiffness::Off {
            return;
        }
        for (g, &force) in self.joint_geometry.iter().zip(&self.joint_forces) {
            for (side, force) in [(&g.a, -force), (&g.b, force)] {
                let local = side.body.map_or(u32::MAX, |id| scene.local[id.index()]);
                if let Some(sum) = self.geometric.get_mut(local as usize) {
                    sum.stiffness += geometric::of_force(scene.h, force, side.r);
                }
            }
            if let (Some(a), Some(b)) = (end(scene, &g.a), end(scene, &g.b)) {
                self.smoother.couple(scene.h, force.length(), a, b);
            }
        }
        for (sum, &slot) in self.geometric.iter_mut().zip(&island.bodies) {
            if let Some(body) = scene.bodies.at(slot) {
                sum.finish(body.inertia());
            }
        }
        self.smoother.smooth(&mut self.geometric);
    }

    pub(super) fn push_joints(&mut self, scene: &Scene, island: &Island) {
        for (k, &slot) in island.joints.iter().enumerate() {
            let Some(state) = scene.joints.at(slot) else { continue };
            self.find_rows(scene, k, state);
            let rows = std::mem::take(&mut self.sink.rows);
            for row in &rows {
                self.push_joint_row(scene, slot, state, row);
            }
            self.sink.rows = rows;
        }
    }

    /// Fills `sink` with the rows of a joint at the start of the step.
    pub(super) fn find_rows(&mut self, scene: &Scene, k: usize, state: &JointState) {
        self.sink.rows.clear();
        self.ahead.rows.clear();
        self.sink.h = scene.h;
        if let Some(coupling) = state.joint.kind.coupling() {
            push_coupled(scene, &state.joint, &coupling, &mut self.sink);
            return;
        }
        let body = |frame: Frame| frame.body().and_then(|id| scene.bodies.at(id.index));
        let twist = |frame| body(frame).map_or((Vec3::ZERO, Vec3::ZERO), |b| (b.v, b.w));
        self.sink.twists[..2].copy_from_slice(&[twist(state.joint.a), twist(state.joint.b)]);
        (self.ahead.h, self.ahead.twists) = (scene.h, self.sink.twists);
        state.joint.rows(&self.joint_geometry[k], state.angle, &mut self.sink);
        for row in &mut self.sink.rows {
            row.target += scene.late * row.acceleration;
        }
        self.bound_motors(scene, k, state);
    }

    /// Appends the rows of all joints at the start of the step, each with a law, a
    /// compliance and a bias.
    pub(super) fn push_start_rows(
        &mut self,
        scene: &Scene,
        island: &Island,
        how: impl Fn(&Row) -> (Law, (Option<f64>, f64)),
    ) {
        for (k, &slot) in island.joints.iter().enumerate() {
            let Some(state) = scene.joints.at(slot) else { continue };
            self.find_rows(scene, k, state);
            for i in 0..self.sink.rows.len() {
                let row = self.sink.rows[i];
                let (law, terms) = how(&row);
                self.add_row(scene, slot, &row, terms, law);
            }
        }
    }

    fn push_joint_row(&mut self, scene: &Scene, slot: u32, state: &JointState, row: &Row) {
        let moves = |id: BodyId| scene.local[id.index()] != u32::MAX;
        if !row.parts.iter().flatten().any(|p| moves(p.body)) {
            return;
        }
        if row.spring.is_some_and(|s| s.stiffness == 0.0 && s.damping == 0.0) {
            return; // neither pulls nor damps
        }
        let h = scene.h;
        let (compliance, bias) = stabilization(scene, row);
        let law = if row.lo == f64::NEG_INFINITY && row.hi == f64::INFINITY {
            Law::Bilateral
        } else {
            Law::Box { lo: h * row.lo, hi: h * row.hi }
        };
        let start = state.remembered(row.tag).map_or_else(
            || (0.0, if row.lo == 0.0 { RowState::Lower } else { RowState::Free }),
            |m| (h * m.force, m.state),
        );
        if compliance.is_none() {
            self.rigid.push((self.problem.b.len(), 1.0));
        }
        let parts = row.parts.iter().flatten().map(|p| (p.body.index, p.linear, p.angular));
        self.push_row::<6>(scene, parts, (compliance.unwrap_or(0.0), bias, 0.0), Some(law), start);
        self.joint_rows.push((slot, *row));
    }
}

/// A side of a joint for the smoothing of rates; `None` if it does not move.
fn end(scene: &Scene, side: &Side) -> Option<smoothing::End> {
    let id = side.body?;
    let local = scene.local[id.index()];
    let body = scene.bodies.get(id.index, id.generation).filter(|_| local != u32::MAX)?;
    let r = side.r.length();
    Some((local as usize, 1.0 / (1.0 / body.mass + r * r / body.mean_inertia()), r))
}

/// Compliance (`None`: the world's relative one) and the terms of b that do
/// not depend on velocities.
pub(super) fn stabilization(scene: &Scene, row: &Row) -> (Option<f64>, f64) {
    let h = scene.h;
    match row.spring {
        _ if row.inertia > 0.0 => (Some(1.0 / row.inertia), -row.target),
        Some(spring) if spring.stiffness.is_finite() => {
            let (k, d) = (spring.stiffness, spring.damping);
            let sum = h * k + d;
            (Some(1.0 / (h * sum)), k * (row.phi + row.curvature) / sum - row.target)
        }
        _ => {
            // An open limit (φ > 0) is anticipated in full; errors are
            // corrected by the chosen share, not faster than allowed.
            let open = row.lo == 0.0 && row.phi > 0.0;
            let rate = if open { row.phi / h } else { correction(scene, row.phi) };
            (None, rate + row.curvature / h - row.target)
        }
    }
}

/// The speed at which a position error φ is corrected.
pub(super) fn correction(scene: &Scene, phi: f64) -> f64 {
    let s = scene.settings;
    let v = s.max_correction_speed;
    (s.joint_correction * phi / scene.h.max(s.correction_time)).clamp(-v, v)
}

/// Appends the rows of a joint that couples others.
pub(super) fn push_coupled(scene: &Scene, joint: &Joint, coupling: &Coupling, out: &mut RowSink) {
    let row = coupling.row(None, |id| {
        let state = scene.joints.get(id.index, id.generation)?;
        Some((&state.joint, geometry(&state.joint, scene.bodies), state.angle))
    });
    let Some(row) = row else { return };
    for (part, twist) in row.parts.iter().zip(&mut out.twists) {
        let body = part.and_then(|p| scene.bodies.at(p.body.index));
        *twist = body.map_or((Vec3::ZERO, Vec3::ZERO), |b| (b.v, b.w));
    }
    joint.coupled_rows(row, out);
}
