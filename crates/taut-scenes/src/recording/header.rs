//! What a replay must know of a scene beyond its file.

use crate::file::SceneFile;
use crate::scene::Scene;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use taut::math::{Mat3, Vec3};
use taut::{BodyId, BodyState, Frame, JointId, JointState, World};

/// The scene, and what follows from it when it is built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The scene that ran.
    pub scene: SceneFile,
    /// The bodies, in the order of the poses.
    pub bodies: Vec<BodyInfo>,
    /// The joints, in the order of the world.
    pub joints: Vec<JointInfo>,
    /// The surfaces of soft bodies, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skins: Vec<Skin>,
}

/// The surface of a soft body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// Its nodes.
    pub nodes: u32,
    /// Triangles between them, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// Its mass in kg; 0 for those that forces do not move.
    pub mass: f64,
    /// Its centre of mass in its own frame, in m.
    #[serde(default)]
    pub centre: [f32; 3],
    /// Its moments xx, yy, zz, yz, xz, xy of inertia about that, in kg·m²; 0 in recordings that
    /// lack them.
    #[serde(default)]
    pub inertia: [f32; 6],
}

/// A joint. Bodies are indices into those of the header; `None` is the world
/// (and the ground), whose frame is that of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointInfo {
    /// Its name.
    pub name: String,
    /// Its type, as in scene files.
    pub kind: String,
    /// First body.
    pub a: Option<u32>,
    /// Second body.
    pub b: Option<u32>,
    /// Anchor in the frame of a.
    pub anchor_a: [f64; 3],
    /// Anchor in the frame of b.
    pub anchor_b: [f64; 3],
    /// Axis in the frame of a.
    pub axis: [f64; 3],
}

impl Header {
    /// The header of a scene at its start, and the ids of its joints in the
    /// order of `joints`.
    pub fn new(file: &SceneFile, scene: &Scene) -> (Self, Vec<JointId>) {
        let world = &scene.world;
        let bodies = scene.bodies.iter().filter_map(|id| world.body(*id).ok().map(body)).collect();
        let index: HashMap<BodyId, u32> = scene.bodies.iter().copied().zip(0..).collect();
        let (ids, joints) =
            world.joints().map(|(id, j)| (id, joint(world, (id, j), &index))).unzip();
        let skins = super::skin::surfaces(scene);
        (Header { scene: file.clone(), bodies, joints, skins }, ids)
    }
}

fn body(body: &BodyState) -> BodyInfo {
    let back = body.orientation().inverse();
    let centre = back * (body.centre_of_mass() - body.position());
    let turn = Mat3::from_quat(back);
    let own = turn * body.inertia() * turn.transpose();
    let (x, y, z) = (own.x_axis, own.y_axis, own.z_axis);
    BodyInfo {
        name: body.name().into(),
        mass: body.mass(),
        centre: centre.to_array().map(|x| x as f32),
        inertia: [x.x, y.y, z.z, y.z, x.z, x.y].map(|x| x as f32),
    }
}

fn joint(
    world: &World,
    (id, state): (JointId, &JointState),
    index: &HashMap<BodyId, u32>,
) -> JointInfo {
    let joint = state.definition();
    let body = |frame: Frame| frame.body().and_then(|b| index.get(&b).copied());
    let anchors = world.joint_anchors(id).unwrap_or_default();
    let local = |frame: Frame, given: Option<Vec3>, anchor: Vec3| match body(frame) {
        Some(_) => given.unwrap_or_default(),
        None => anchor,
    };
    JointInfo {
        name: joint.name.clone(),
        kind: joint.kind.name().into(),
        a: body(joint.a),
        b: body(joint.b),
        anchor_a: local(joint.a, joint.anchor_a, anchors.0).into(),
        anchor_b: local(joint.b, joint.anchor_b, anchors.1).into(),
        axis: joint.axis_a.unwrap_or(Vec3::Z).into(),
    }
}
