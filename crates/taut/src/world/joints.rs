//! Adding, finding, changing and removing joints.

use super::World;
use super::warnings::misaligned;
use crate::Error;
use crate::assemble::{geometry, joint_bodies};
use crate::math::{Pose, Quat, Vec3};
use crate::scene::Start;
use crate::scene::joint::{Coupling, Frame, Joint, JointKind, JointState, PARTS, Part, Row, Side};
use crate::slots::{BodyId, JointId};
use std::f64::consts::FRAC_PI_3;

const WHAT: &str = "joint";

/// Axes that are to coincide may start this far apart \[rad\].
const MOST_APART: f64 = FRAC_PI_3;

impl World {
    /// Adds a joint. Refuses names that are taken, bodies that do not exist,
    /// a body joined to itself, axes that point against one another, and
    /// values that make no sense. A joint that is open is closed by the steps;
    /// [`World::start_warnings`] names it.
    pub fn add_joint(&mut self, joint: Joint) -> Result<JointId, Error> {
        if self.joint_names.contains_key(&joint.name) {
            return Err(Error::DuplicateName { name: joint.name, what: WHAT });
        }
        let joint = self.resolve(joint)?;
        self.check_axes(&joint)?;
        let name = joint.name.clone();
        for id in joint_bodies(&joint, &self.joints).into_iter().flatten() {
            self.body_mut(id)?.placed = Start::Placed;
        }
        let mut state = JointState::new(joint);
        state.angle = geometry(&state.joint, &self.bodies).angle();
        let id = JointId::of_slot(self.joints.insert(state));
        self.joint_names.insert(name, id);
        self.list_jointed();
        self.wake_all();
        Ok(id)
    }

    /// A joint.
    pub fn joint(&self, id: JointId) -> Result<&JointState, Error> {
        self.joints.get(id.index, id.generation).ok_or(Error::UnknownId { what: WHAT })
    }

    /// The joint of that name.
    pub fn joint_named(&self, name: &str) -> Option<JointId> {
        self.joint_names.get(name).copied()
    }

    /// All joints, in a fixed order.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, &JointState)> {
        self.joints.iter().map(|(id, j)| (JointId::of_slot(id), j))
    }

    /// Removes a joint, and the gears, differentials and tendons on it.
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), Error> {
        let state = self.joints.remove(id.index, id.generation);
        let state = state.ok_or(Error::UnknownId { what: WHAT })?;
        self.joint_names.remove(state.name());
        let on_it = |j: &JointState| {
            j.joint.kind.coupling().is_some_and(|couples| couples.joints().any(|on| on == id))
        };
        let couplings: Vec<_> = self.joints().filter(|(_, j)| on_it(j)).map(|(id, _)| id).collect();
        for coupling in couplings {
            self.remove_joint(coupling)?;
        }
        self.list_jointed();
        self.wake_all();
        Ok(())
    }

    /// Changes a joint's definition: motor, limits, springs, anything. Its
    /// warm start stays.
    ///
    /// ```
    /// # use taut::{Body, Frame, Joint, Motor, World};
    /// # let mut world = World::new();
    /// # let b = world.add_body(Body::dynamic("b").mass(1.0).box_inertia([1.0; 3]))?;
    /// # let hinge = world.add_joint(Joint::hinge("h", Frame::World, b))?;
    /// world.edit_joint(hinge, |j| j.angle_motor = Some(Motor::velocity(3.0, 10.0)))?;
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn edit_joint(
        &mut self,
        id: JointId,
        change: impl FnOnce(&mut Joint),
    ) -> Result<(), Error> {
        let old = self.joint(id)?;
        let old_name = old.name().to_string();
        let mut joint = old.joint.clone();
        let axes = (joint.axis_a, joint.axis_b);
        change(&mut joint);
        if (joint.axis_a, joint.axis_b) != axes {
            (joint.basis_a, joint.basis_b) = (None, None);
        }
        if joint.name != old_name && self.joint_names.contains_key(&joint.name) {
            return Err(Error::DuplicateName { name: joint.name, what: WHAT });
        }
        let turned = (joint.axis_a, joint.axis_b) != axes;
        let joint = self.resolve(joint)?;
        if turned {
            self.check_axes(&joint)?;
        }
        self.joint_names.remove(&old_name);
        self.joint_names.insert(joint.name.clone(), id);
        if let Some(state) = self.joints.get_mut(id.index, id.generation) {
            state.joint = joint;
        }
        self.list_jointed();
        self.wake_all();
        Ok(())
    }

    /// Angle \[rad\] of a hinge (counting turns), travel \[m\] of a slider or
    /// cylindrical joint, length \[m\] of a distance joint, sum of a tendon, else 0.
    pub fn joint_position(&self, id: JointId) -> Result<f64, Error> {
        let state = self.joint(id)?;
        let g = geometry(&state.joint, &self.bodies);
        Ok(match state.joint.kind {
            JointKind::Hinge => state.angle,
            JointKind::Slider | JointKind::Cylindrical => g.travel(),
            JointKind::Distance { .. } => g.d.length(),
            JointKind::Tendon { ref terms } => {
                let of = |&(id, factor): &(JointId, f64)| Ok(factor * self.joint_position(id)?);
                terms.iter().map(of).sum::<Result<f64, Error>>()?
            }
            _ => 0.0,
        })
    }

    /// Rate of [`World::joint_position`] \[rad/s or m/s\].
    ///
    /// ```
    /// # use taut::{Body, Frame, Joint, World, math::Vec3};
    /// # let mut world = World::new();
    /// let wheel = Body::dynamic("wheel").mass(1.0).box_inertia([1.0; 3]);
    /// let wheel = world.add_body(wheel.angular_velocity(Vec3::Z * 3.0))?;
    /// let axle = world.add_joint(Joint::hinge("axle", Frame::World, wheel))?;
    /// assert_eq!(world.joint_velocity(axle)?, 3.0);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn joint_velocity(&self, id: JointId) -> Result<f64, Error> {
        let state = self.joint(id)?;
        Ok(match state.joint.kind {
            JointKind::Hinge => self.joint_angle_velocity(id)?,
            JointKind::Slider | JointKind::Cylindrical | JointKind::Distance { .. } => {
                let g = geometry(&state.joint, &self.bodies);
                let e = match state.joint.kind {
                    JointKind::Distance { .. } => g.d.normalize_or_zero(),
                    _ => g.a.z(),
                };
                let row = Row::along(0, &g, e);
                row.parts.iter().flatten().map(|part| self.rate_of(part)).sum()
            }
            JointKind::Tendon { ref terms } => {
                let of = |&(id, factor): &(JointId, f64)| Ok(factor * self.joint_velocity(id)?);
                terms.iter().map(of).sum::<Result<f64, Error>>()?
            }
            _ => 0.0,
        })
    }

    /// Rate of [`JointState::angle`] \[rad/s\] (hinge, cylindrical); else 0.
    pub fn joint_angle_velocity(&self, id: JointId) -> Result<f64, Error> {
        let state = self.joint(id)?;
        if !state.joint.counts_turns() {
            return Ok(0.0);
        }
        let g = geometry(&state.joint, &self.bodies);
        let rate = |side: &Side| side.body.and_then(|id| self.body(id).ok()).map(|b| b.w);
        Ok(g.angle_rate(rate(&g.a).unwrap_or_default(), rate(&g.b).unwrap_or_default()))
    }

    fn rate_of(&self, part: &Part) -> f64 {
        let body = self.body(part.body).ok();
        body.map_or(0.0, |b| part.linear.dot(b.v) + part.angular.dot(b.w))
    }

    /// The two anchors in world coordinates.
    pub fn joint_anchors(&self, id: JointId) -> Result<(Vec3, Vec3), Error> {
        let g = geometry(&self.joint(id)?.joint, &self.bodies);
        Ok((g.a.p, g.b.p))
    }

    /// Fills in what a definition leaves open, and checks it.
    fn resolve(&self, mut joint: Joint) -> Result<Joint, Error> {
        check(&joint)?;
        if let Some(coupling) = joint.kind.coupling() {
            return self.resolve_coupling(joint, coupling);
        }
        let (a, b) = (self.frame_pose(&joint, joint.a)?, self.frame_pose(&joint, joint.b)?);
        if joint.a == joint.b {
            return Err(Error::joint(&joint.name, "connects a body with itself"));
        }
        if matches!(joint.kind, JointKind::Distance { .. }) {
            own_anchors(&mut joint)?;
        }
        resolve_anchors(&mut joint, &a, &b);
        resolve_axes(&mut joint, &a, &b);
        Ok(joint)
    }

    /// Refuses axes of the two sides that are far from what the joint keeps
    /// them at: beyond [`MOST_APART`] its rows do not lead back, or lead to
    /// axes that point against one another.
    fn check_axes(&self, joint: &Joint) -> Result<(), Error> {
        let apart = misaligned(joint, &geometry(joint, &self.bodies));
        if apart <= MOST_APART {
            return Ok(());
        }
        let universal = joint.kind == JointKind::Universal;
        let wanted = if universal { "being perpendicular" } else { "one another" };
        let degrees = apart.to_degrees();
        let reason = format!("its axes are {degrees:.0}° from {wanted}; turn one of them around");
        Err(Error::joint(&joint.name, reason))
    }

    fn frame_pose(&self, joint: &Joint, frame: Frame) -> Result<Pose, Error> {
        match frame {
            Frame::World => Ok(Pose::IDENTITY),
            Frame::Body(id) => match self.body(id) {
                Ok(body) => Ok(body.pose()),
                Err(e) => Err(Error::joint(&joint.name, e.to_string())),
            },
        }
    }

    fn resolve_coupling(&self, mut joint: Joint, coupling: Coupling) -> Result<Joint, Error> {
        let mut sum = 0.0;
        for (i, (id, factor)) in coupling.terms.into_iter().flatten().enumerate() {
            let of = self.joint(id).map_err(|e| Error::joint(&joint.name, e.to_string()))?;
            if !matches!(of.joint.kind, JointKind::Hinge | JointKind::Slider) {
                let kind = of.joint.kind.name();
                let reason = format!("couples hinges and sliders, but '{}' is a {kind}", of.name());
                return Err(Error::joint(&joint.name, reason));
            }
            if coupling.joints().skip(i + 1).any(|other| other == id) {
                return Err(Error::joint(&joint.name, "couples a joint with itself"));
            }
            sum += coupling.term(i, factor, self.joint_position(id)?).0;
        }
        let terms = if let JointKind::Tendon { terms } = &joint.kind { terms.len() } else { 1 };
        let mut bodies: Vec<BodyId> = Vec::new();
        for state in coupling.joints().filter_map(|id| self.joint(id).ok()) {
            for body in [state.joint.a, state.joint.b].into_iter().filter_map(Frame::body) {
                if !bodies.contains(&body) {
                    bodies.push(body);
                }
            }
        }
        if terms == 0 || terms > PARTS || bodies.len() > PARTS {
            let most = format!("couples one to {PARTS} joints on {PARTS} bodies at most");
            let reason = format!("{most}, but has {terms} on {}", bodies.len());
            return Err(Error::joint(&joint.name, reason));
        }
        joint.kind.set_offset(coupling.offset.unwrap_or(sum));
        Ok(joint)
    }

    pub(crate) fn list_jointed(&mut self) {
        let pair = |j: &JointState| {
            let (a, b) = (j.joint.a.body()?.index, j.joint.b.body()?.index);
            (!j.joint.collide).then_some((a.min(b), a.max(b)))
        };
        self.jointed = self.joints.iter().filter_map(|(_, j)| pair(j)).collect();
        self.jointed.extend(self.ignored.iter().map(|(a, b)| (a.index, b.index)));
        self.jointed.sort_unstable();
        self.jointed.dedup();
    }
}

/// The anchors of a distance joint do not coincide: one that is not given is
/// the origin of its body. Of the world no point is meant more than others: there
/// a rope ends where its other end is, and the end of a rod must be given.
fn own_anchors(joint: &mut Joint) -> Result<(), Error> {
    let rope = matches!(joint.kind, JointKind::Distance { min: 0.0, .. });
    let a = ("anchor_a", joint.a, &mut joint.anchor_a);
    for (field, frame, anchor) in [a, ("anchor_b", joint.b, &mut joint.anchor_b)] {
        if frame != Frame::World {
            anchor.get_or_insert(Vec3::ZERO);
        } else if anchor.is_none() && !rope {
            let reason = format!("a distance from the world needs {field}, a point of it");
            return Err(Error::joint(&joint.name, reason));
        }
    }
    Ok(())
}

fn resolve_anchors(joint: &mut Joint, a: &Pose, b: &Pose) {
    let (anchor_a, anchor_b) = match (joint.anchor_a, joint.anchor_b) {
        (Some(p), Some(q)) => (p, q),
        (Some(p), None) => (p, b.inverse_transform_point(a.transform_point(p))),
        (None, q) => {
            let q = q.unwrap_or(Vec3::ZERO);
            (a.inverse_transform_point(b.transform_point(q)), q)
        }
    };
    (joint.anchor_a, joint.anchor_b) = (Some(anchor_a), Some(anchor_b));
}

/// Axes (unit), and bases with z along them that agree at this moment.
fn resolve_axes(joint: &mut Joint, a: &Pose, b: &Pose) {
    let universal = joint.kind == JointKind::Universal;
    let world_a = joint.axis_a.map(|v| a.rotation * v.normalize());
    let world_b = joint.axis_b.map(|v| b.rotation * v.normalize());
    let (z_a, z_b) = match (world_a, world_b) {
        (Some(p), Some(q)) => (p, q),
        (Some(p), None) if universal => (p, p.any_orthonormal_vector()),
        (None, Some(q)) if universal => (q.any_orthonormal_vector(), q),
        (None, None) if universal => (a.rotation * Vec3::Z, a.rotation * Vec3::X),
        (Some(p), None) => (p, p),
        (None, Some(q)) => (q, q),
        (None, None) => (a.rotation * Vec3::Z, a.rotation * Vec3::Z),
    };
    joint.axis_a = Some(a.rotation.inverse() * z_a);
    joint.axis_b = Some(b.rotation.inverse() * z_b);
    let basis_a =
        joint.basis_a.map_or_else(|| Quat::from_rotation_arc(Vec3::Z, z_a), |q| a.rotation * q);
    let basis_b = joint.basis_b.map_or_else(
        || Quat::from_rotation_arc(basis_a * Vec3::Z, z_b) * basis_a,
        |q| b.rotation * q,
    );
    joint.basis_a = joint.basis_a.or(Some((a.rotation.inverse() * basis_a).normalize()));
    joint.basis_b = joint.basis_b.or(Some((b.rotation.inverse() * basis_b).normalize()));
}

fn check(joint: &Joint) -> Result<(), Error> {
    let fail = |reason: &str| Err(Error::joint(&joint.name, reason));
    if joint.name.is_empty() {
        return fail("the name is empty");
    }
    let anchors = [joint.anchor_a, joint.anchor_b];
    if anchors.iter().flatten().any(|p| !p.is_finite()) {
        return fail("an anchor is not finite");
    }
    let axes = [joint.axis_a, joint.axis_b];
    if axes.iter().flatten().any(|v| v.try_normalize().is_none()) {
        return fail("an axis has no direction");
    }
    let limits = [joint.travel_limits, joint.angle_limits];
    if limits.iter().flatten().any(|l| l.min.is_nan() || l.max.is_nan() || l.min > l.max) {
        return fail("limits must have min ≤ max");
    }
    if [joint.travel_motor, joint.angle_motor].iter().flatten().any(|m| !m.is_valid()) {
        return fail("the motor's target must be finite, its force and gains at least 0");
    }
    if joint.passive.is_some_and(|p| !p.is_valid()) {
        return fail("armature, damping, friction and stiffness must be at least 0");
    }
    let tendon = matches!(joint.kind, JointKind::Tendon { .. });
    if joint.passive.is_some()
        && !tendon
        && !matches!(joint.kind, JointKind::Hinge | JointKind::Slider)
    {
        return fail("passive forces are for hinges, sliders and tendons");
    }
    if tendon && joint.passive.is_some_and(|p| p.stiffness > 0.0) {
        return fail("a tendon has no passive spring; a position motor is one");
    }
    if [joint.linear_spring, joint.angular_spring].iter().flatten().any(|s| !s.is_valid()) {
        return fail("stiffness and damping must be at least 0");
    }
    if joint.break_force.is_nan() || joint.break_torque.is_nan() {
        return fail("break thresholds must be numbers");
    }
    check_kind(joint)
}

fn check_kind(joint: &Joint) -> Result<(), Error> {
    let fail = |reason: &str| Err(Error::joint(&joint.name, reason));
    match &joint.kind {
        JointKind::Distance { min, max } if !(*min >= 0.0 && min <= max && min.is_finite()) => {
            fail("distances must have 0 ≤ min ≤ max, and min finite")
        }
        JointKind::Compliant { linear, angular }
            if linear.iter().chain(angular).any(|s| !s.is_valid()) =>
        {
            fail("stiffness and damping must be at least 0")
        }
        JointKind::Gear { ratio, curve, offset, .. }
            if !(ratio.is_finite() && curve.iter().chain(offset).all(|c| c.is_finite())) =>
        {
            fail("the ratio, the curve or the offset is not finite")
        }
        JointKind::Tendon { terms } if terms.iter().any(|(_, factor)| !factor.is_finite()) => {
            fail("a factor is not finite")
        }
        JointKind::Ball { cone: Some(c) } if c.is_nan() || *c < 0.0 => {
            fail("the cone's angle must be at least 0")
        }
        _ => Ok(()),
    }
}
