//! A scene as a forest of bodies.

use std::collections::BTreeMap;
use taut::math::{Pose, Quat, Vec3};
use taut::{BodyId, BodyKind, BodyState, Frame, JointId, JointKind, JointState, Spring, World};
use taut_scenes::SceneError;
use taut_scenes::file::{Body, SceneFile};

/// A body, and the joint that it hangs on.
pub(super) struct Node<'a> {
    pub(super) body: &'a BodyState,
    /// What it looks like and collides with; the ground has none.
    pub(super) file: Option<&'a Body>,
    /// Its parent among the nodes; none: the world.
    pub(super) parent: Option<usize>,
    /// The joint to it; none: it moves freely, or not at all.
    pub(super) joint: Option<Hinge<'a>>,
}

/// A joint of the tree, seen from the child.
pub(super) struct Hinge<'a> {
    pub(super) state: &'a JointState,
    /// Its coordinates at the start: travel \[m\] and angle \[rad\].
    pub(super) travel: f64,
    pub(super) angle: f64,
    pub(super) velocity: f64,
    pub(super) angle_velocity: f64,
    /// How the child turns against its parent, in the frame of the child \[rad/s\].
    pub(super) spin: Vec3,
    /// Anchor and axis in the frame of the child; coordinates count by this axis.
    pub(super) anchor: Vec3,
    pub(super) axis: Vec3,
    /// Of the child alone: its mass \[kg\], and its moment of inertia about the axis \[kg·m²\].
    pub(super) mass: f64,
    pub(super) moment: f64,
    /// The axis of the other side, in the frame of the child.
    pub(super) other_axis: Vec3,
}

pub(super) struct Tree<'a> {
    pub(super) world: &'a World,
    /// Parents before children.
    pub(super) nodes: Vec<Node<'a>>,
    /// Joints that are not part of the tree.
    pub(super) others: Vec<(JointId, &'a JointState)>,
}

/// Whether a joint can hang a body on another.
fn hangs(kind: &JointKind) -> bool {
    use JointKind::{Ball, Cylindrical, Hinge, Slider, Universal, Weld};
    let plain = matches!(kind, Ball { .. } | Hinge | Slider | Cylindrical | Universal | Weld);
    plain || sprung_ball(kind).is_some()
}

/// The spring of a compliant joint that is a ball joint with a spring about all axes.
pub(super) fn sprung_ball(kind: &JointKind) -> Option<Spring> {
    let JointKind::Compliant { linear, angular: [x, y, z] } = kind else { return None };
    let held = linear.iter().all(|s| s.stiffness.is_infinite());
    (held && x == y && y == z && x.stiffness.is_finite()).then_some(*x)
}

/// The body is there and moves by forces.
fn dynamic(world: &World, id: BodyId) -> Option<&BodyState> {
    world.body(id).ok().filter(|b| b.kind() == BodyKind::Dynamic)
}

impl<'a> Tree<'a> {
    pub(super) fn new(file: &'a SceneFile, world: &'a World) -> Result<Self, SceneError> {
        let files: BTreeMap<&str, &Body> =
            file.bodies.iter().map(|b| (b.name.as_str(), b)).collect();
        let mut tree = Tree { world, nodes: Vec::new(), others: Vec::new() };
        let mut index: BTreeMap<BodyId, usize> = BTreeMap::new();
        let node = |id: BodyId, parent, joint| {
            let body = world.body(id).ok()?;
            Some(Node { body, file: files.get(body.name()).copied(), parent, joint })
        };
        let mut used = Vec::new();
        let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
        // What does not move counts as the world, and so does what hangs on it.
        for &id in ids.iter().filter(|&&id| dynamic(world, id).is_none()) {
            index.insert(id, tree.nodes.len());
            tree.nodes.extend(node(id, None, None));
        }
        let fixed = tree.nodes.len();
        loop {
            // The first joint, in their order, from what is there to what is not.
            let next = world.joints().find_map(|(id, state)| {
                if !hangs(&state.definition().kind) || used.contains(&id) {
                    return None;
                }
                let (a, b) = (state.definition().a, state.definition().b);
                let there = |f: Frame| match f {
                    Frame::World => Some(None),
                    Frame::Body(id) => index.get(&id).map(|&i| (i >= fixed).then_some(i)),
                };
                let absent = |f: Frame| f.body().filter(|id| !index.contains_key(id));
                match (there(a), absent(b), there(b), absent(a)) {
                    (Some(parent), Some(child), ..) => Some((id, state, parent, child, false)),
                    (_, _, Some(parent), Some(child)) => Some((id, state, parent, child, true)),
                    _ => None,
                }
            });
            let (child, parent, joint) = if let Some((id, state, parent, child, turned)) = next {
                used.push(id);
                (child, parent, Some(hinge(world, id, state, turned)?))
            } else {
                let Some(&root) = ids.iter().find(|id| !index.contains_key(id)) else { break };
                (root, None, None)
            };
            index.insert(child, tree.nodes.len());
            tree.nodes.extend(node(child, parent, joint));
        }
        tree.others = world.joints().filter(|(id, _)| !used.contains(id)).collect();
        Ok(tree)
    }

    /// Where a node is in its parent.
    pub(super) fn pose(&self, i: usize) -> Pose {
        let own = self.nodes[i].body.pose();
        self.nodes[i].parent.map_or(own, |p| self.nodes[p].body.pose().inv_mul(&own))
    }
}

fn hinge<'a>(
    world: &World,
    id: JointId,
    state: &'a JointState,
    turned: bool,
) -> Result<Hinge<'a>, SceneError> {
    let wrong = |e: taut::Error| SceneError {
        file: None,
        place: state.name().into(),
        message: e.to_string(),
    };
    let joint = state.definition();
    let pose = |frame: Frame| {
        let body = frame.body().and_then(|id| world.body(id).ok());
        body.map_or(Pose::IDENTITY, BodyState::pose)
    };
    let (child, parent) = if turned { (joint.a, joint.b) } else { (joint.b, joint.a) };
    let anchor = if turned { joint.anchor_a } else { joint.anchor_b };
    let axes = [(joint.axis_a, joint.basis_a), (joint.axis_b, joint.basis_b)];
    let [axis_a, axis_b] = axes.map(|(axis, basis)| axis_of(axis, basis));
    let axes = if turned { [axis_a, axis_b] } else { [axis_b, axis_a] };
    // Seen from the other side a joint turns the other way.
    let sign = if turned { -1.0 } else { 1.0 };
    let axis = axes[0] * sign;
    let other = pose(parent).rotation * axes[1] * sign;
    let turning = |frame: Frame| {
        let body = frame.body().and_then(|id| world.body(id).ok());
        body.map_or(Vec3::ZERO, BodyState::angular_velocity)
    };
    let (mut mass, mut moment) = (0.0, 0.0);
    if let Some(body) = child.body().and_then(|id| world.body(id).ok()) {
        let (n, arm) = (
            pose(child).rotation * axis,
            body.centre_of_mass() - pose(child) * anchor.unwrap_or_default(),
        );
        mass = body.mass();
        moment = n.dot(body.inertia() * n) + mass * arm.cross(n).length_squared();
    }
    let position = start(world, id);
    let (travel, angle) = match joint.kind {
        JointKind::Hinge => (0.0, position),
        JointKind::Cylindrical => (position, whole(state.angle())),
        _ => (position, 0.0),
    };
    Ok(Hinge {
        state,
        travel,
        angle,
        spin: pose(child).rotation.inverse() * (turning(child) - turning(parent)),
        velocity: world.joint_velocity(id).map_err(wrong)?,
        angle_velocity: world.joint_angle_velocity(id).map_err(wrong)?,
        anchor: anchor.unwrap_or_default(),
        axis,
        mass,
        moment,
        other_axis: pose(child).rotation.inverse() * other,
    })
}

/// The axis of a side: z of its frame, which is what holds; as it was given where that is the same.
pub(super) fn axis_of(axis: Option<Vec3>, basis: Option<Quat>) -> Vec3 {
    let axis = axis.map(Vec3::normalize_or_zero);
    let Some(z) = basis.map(|q| q * Vec3::Z) else { return axis.unwrap_or(Vec3::Z) };
    axis.filter(|axis| axis.distance(z) < 1e-12).unwrap_or(z)
}

/// The coordinate of a hinge or slider at the start.
pub(super) fn start(world: &World, id: JointId) -> f64 {
    whole(world.joint_position(id).unwrap_or(0.0))
}

/// What is 0 but for rounding is 0.
fn whole(x: f64) -> f64 {
    if x.abs() < 1e-12 { 0.0 } else { x }
}
