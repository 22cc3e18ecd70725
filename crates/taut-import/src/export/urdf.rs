//! The writer of URDF.
//!
//! The frame of a link lies at its joint, as URDF wants it: the frame of the body, moved to the anchor.

use super::mjcf::{placed, rgba};
use super::tree::{Hinge, Node, Tree, start};
use super::{Exported, OPEN, escaped, numbers, vector};
use std::fmt::Write;
use taut::math::{Mat3, Pose, Quat, Vec3};
use taut::{BodyKind, JointKind, Limits, Motor};
use taut_scenes::SceneError;
use taut_scenes::file::{SceneFile, Shape};

/// The scene as a URDF. Refuses scenes that are no tree; `stem` begins the names of its mesh files.
pub fn urdf(file: &SceneFile, stem: &str) -> Result<Exported, SceneError> {
    let scene = file.build()?;
    let tree = Tree::new(file, &scene.world)?;
    let mut w = Writer { tree: &tree, stem, out: Exported::default() };
    w.refuse(file)?;
    let mut text = format!("<robot name=\"{}\">\n", escaped(file.name.as_deref().unwrap_or(stem)));
    text.push_str("  <link name=\"world\"/>\n");
    for i in 0..tree.nodes.len() {
        w.link(i, &mut text);
        w.joint(i, &mut text)?;
    }
    text.push_str("</robot>\n");
    w.out.text = text;
    Ok(w.out)
}

struct Writer<'a> {
    tree: &'a Tree<'a>,
    stem: &'a str,
    out: Exported,
}

fn wrong(place: &str, message: String) -> SceneError {
    SceneError { file: None, place: place.into(), message }
}

impl Writer<'_> {
    fn refuse(&mut self, file: &SceneFile) -> Result<(), SceneError> {
        for (_, state) in &self.tree.others {
            let joint = state.definition();
            match &joint.kind {
                JointKind::Gear { curve, .. } if *curve == [0.0; 3] => {}
                JointKind::Compliant { linear, angular }
                    if linear
                        .iter()
                        .chain(angular)
                        .all(|s| s.stiffness == 0.0 && s.damping == 0.0) =>
                {
                    self.out.note(format!(
                        "'{}': URDF cannot say that bodies do not collide",
                        joint.name
                    ));
                }
                kind => {
                    let kind = kind.name();
                    let message = format!(
                        "closes a loop or couples joints ({kind}); URDF has trees only, MJCF (.xml) has more"
                    );
                    return Err(wrong(&joint.name, message));
                }
            }
        }
        if let Some(cable) = file.cables.first() {
            let name = cable.name.as_deref().unwrap_or("cables[0]");
            return Err(wrong(name, "URDF has no cables; MJCF (.xml) has some".into()));
        }
        self.out
            .note("URDF has neither motors, materials of surfaces nor gravity: they are left out");
        super::soft_bodies(file, &mut self.out);
        let moves = |v: &[f64; 3]| *v != [0.0; 3];
        if file.bodies.iter().any(|b| moves(&b.velocity) || moves(&b.angular_velocity)) {
            self.out.note("URDF has no velocities: all bodies start at rest");
        }
        if !file.drives.is_empty() {
            self.out.note("drives are left out");
        }
        Ok(())
    }

    /// The frame of the link in that of its body.
    fn frame(node: &Node) -> Pose {
        let anchor = node.joint.as_ref().map_or(Vec3::ZERO, |j| j.anchor);
        Pose::from_parts(anchor, Quat::IDENTITY)
    }

    fn link(&mut self, i: usize, text: &mut String) {
        let node = &self.tree.nodes[i];
        let back = Self::frame(node).inverse();
        let _ = writeln!(text, "  <link name=\"{}\">", escaped(node.body.name()));
        let pose = node.body.pose();
        if node.body.kind() == BodyKind::Dynamic {
            let centre = back * (pose.inverse() * node.body.centre_of_mass());
            let r = Mat3::from_quat(pose.rotation);
            let m = r.transpose() * node.body.inertia() * r;
            let (d, p) =
                ([m.x_axis.x, m.y_axis.y, m.z_axis.z], [m.x_axis.y, m.x_axis.z, m.y_axis.z]);
            let _ = writeln!(
                text,
                "    <inertial><origin xyz=\"{}\"/><mass value=\"{}\"/><inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"{}\" ixz=\"{}\" iyz=\"{}\"/></inertial>",
                vector(centre),
                node.body.mass(),
                d[0],
                d[1],
                d[2],
                p[0],
                p[1],
                p[2]
            );
        }
        let Some(body) = node.file else {
            text.push_str("  </link>\n");
            self.out.note("the ground is left out");
            return;
        };
        let plain = body.shape.iter().map(|s| (s, Pose::IDENTITY));
        let own = body.colliders.iter().map(|c| (&c.shape, placed(c.position, c.orientation)));
        for (shape, pose) in plain.chain(own).filter(|_| body.collides) {
            self.shape("collision", shape, back * pose, None, text);
        }
        for v in &body.visual {
            let colour = v.colour.as_ref().or(body.colour.as_ref());
            self.shape("visual", &v.shape, back * placed(v.position, v.orientation), colour, text);
        }
        text.push_str("  </link>\n");
    }

    fn shape(
        &mut self,
        tag: &str,
        shape: &Shape,
        pose: Pose,
        colour: Option<&String>,
        text: &mut String,
    ) {
        let geometry = match shape {
            Shape::Ball { radius } => format!("<sphere radius=\"{radius}\"/>"),
            Shape::Box { half_extents } => {
                format!("<box size=\"{}\"/>", numbers(&half_extents.map(|x| 2.0 * x)))
            }
            Shape::Cylinder { half_height, radius } => {
                format!("<cylinder radius=\"{radius}\" length=\"{}\"/>", 2.0 * half_height)
            }
            Shape::Capsule { half_length, radius } => {
                format!("<capsule radius=\"{radius}\" length=\"{}\"/>", 2.0 * half_length)
            }
            Shape::Compound { parts } => {
                for part in parts {
                    let at = pose * placed(part.position, part.orientation);
                    self.shape(tag, &part.shape, at, colour, text);
                }
                return;
            }
            Shape::ConvexHull { points } => {
                let mesh = crate::mesh::Mesh {
                    vertices: points.iter().map(|p| Vec3::from(*p)).collect(),
                    triangles: Vec::new(),
                };
                let Some(hull) = mesh.hull() else { return };
                let vertices: Vec<[f64; 3]> = hull.vertices.iter().map(|v| v.to_array()).collect();
                self.mesh(&vertices, &hull.triangles)
            }
            Shape::TriMesh { vertices, triangles } | Shape::Sdf { vertices, triangles } => {
                self.mesh(vertices, triangles)
            }
            Shape::Cone { .. } | Shape::HeightField { .. } | Shape::HalfSpace { .. } => {
                self.out.note("cones, height fields and half-spaces are left out");
                return;
            }
        };
        let (xyz, rpy) = (vector(pose.translation), numbers(&rpy(pose.rotation)));
        let material = colour.map_or(String::new(), |c| {
            let name = escaped(c);
            format!("<material name=\"{name}\"><color rgba=\"{}\"/></material>", rgba(c))
        });
        let _ = writeln!(
            text,
            "    <{tag}><origin xyz=\"{xyz}\" rpy=\"{rpy}\"/><geometry>{geometry}</geometry>{material}</{tag}>"
        );
    }

    fn mesh(&mut self, vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> String {
        let name = format!("{}-{}.obj", self.stem, self.out.meshes.len());
        let mut obj = String::new();
        for v in vertices {
            let _ = writeln!(obj, "v {}", numbers(v));
        }
        for t in triangles {
            let _ = writeln!(obj, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
        }
        let geometry = format!("<mesh filename=\"{}\"/>", escaped(&name));
        self.out.meshes.push((name, obj));
        geometry
    }

    fn joint(&mut self, i: usize, text: &mut String) -> Result<(), SceneError> {
        let node = &self.tree.nodes[i];
        let parent = node.parent.map(|p| &self.tree.nodes[p]);
        let above = parent.map_or(Pose::IDENTITY, |p| p.body.pose() * Self::frame(p));
        let own = above.inv_mul(&(node.body.pose() * Self::frame(node)));
        let kind = match node.joint.as_ref().map(|j| &j.state.definition().kind) {
            None if node.body.kind() == BodyKind::Dynamic => "floating",
            None | Some(JointKind::Weld) => "fixed",
            Some(JointKind::Slider) => "prismatic",
            Some(JointKind::Hinge) => "continuous",
            Some(other) => {
                let name = node.joint.as_ref().map_or("", |j| j.state.name());
                let message = format!("URDF has no {} joints; MJCF (.xml) has more", other.name());
                return Err(wrong(name, message));
            }
        };
        let joint = node.joint.as_ref().map(|j| j.state.definition());
        let limits =
            joint.and_then(|j| if kind == "prismatic" { j.travel_limits } else { j.angle_limits });
        let kind = if kind == "continuous" && limits.is_some() { "revolute" } else { kind };
        let name = joint.map_or_else(|| format!("to {}", node.body.name()), |j| j.name.clone());
        let from = parent.map_or("world", |p| p.body.name());
        let _ = writeln!(
            text,
            "  <joint name=\"{}\" type=\"{kind}\"><parent link=\"{}\"/><child link=\"{}\"/><origin xyz=\"{}\" rpy=\"{}\"/>",
            escaped(&name),
            escaped(from),
            escaped(node.body.name()),
            vector(own.translation),
            numbers(&rpy(own.rotation))
        );
        if let Some(hinge) = &node.joint {
            let _ = writeln!(text, "    <axis xyz=\"{}\"/>", vector(hinge.axis));
        }
        if ["revolute", "prismatic"].contains(&kind) {
            // Joints are at 0 where links are as written. An effort or speed of 0 would be a joint that cannot move.
            let at = node.joint.as_ref().map_or(0.0, |j| j.travel + j.angle);
            let l = limits.unwrap_or(Limits { min: -OPEN, max: OPEN });
            let (min, max) = ((l.min - at).max(-OPEN), (l.max - at).min(OPEN));
            let effort = node.joint.as_ref().map_or(OPEN, effort);
            let _ = writeln!(
                text,
                "    <limit lower=\"{min}\" upper=\"{max}\" effort=\"{effort}\" velocity=\"{OPEN}\"/>"
            );
        }
        if let Some(p) = joint.and_then(|j| j.passive) {
            let (d, f) = (p.damping, p.friction);
            let _ = writeln!(text, "    <dynamics damping=\"{d}\" friction=\"{f}\"/>");
            if p.armature > 0.0 || p.stiffness > 0.0 {
                self.out.note(format!("joint '{name}': armature and springs are left out"));
            }
        }
        self.mimic(&name, text);
        text.push_str("  </joint>\n");
        Ok(())
    }

    fn mimic(&mut self, name: &str, text: &mut String) {
        for (_, state) in &self.tree.others {
            let JointKind::Gear { first, second, ratio, offset, .. } = &state.definition().kind
            else {
                continue;
            };
            let named =
                |id| self.tree.world.joint(id).map(|j| j.name().to_string()).unwrap_or_default();
            if named(*first) == name {
                let at = |id| start(self.tree.world, id);
                let offset = offset.unwrap_or(0.0) + ratio * at(*second) - at(*first);
                let other = escaped(&named(*second));
                let _ = writeln!(
                    text,
                    "    <mimic joint=\"{other}\" multiplier=\"{ratio}\" offset=\"{offset}\"/>"
                );
            }
        }
    }
}

/// The largest force or torque of a joint's motor.
fn effort(hinge: &Hinge) -> f64 {
    let joint = hinge.state.definition();
    match joint.angle_motor.or(joint.travel_motor) {
        Some(Motor::Position { max_force, .. } | Motor::Velocity { max_force, .. })
            if max_force > 0.0 =>
        {
            max_force.min(OPEN)
        }
        _ => OPEN,
    }
}

/// Roll, pitch and yaw of a rotation.
fn rpy(q: Quat) -> [f64; 3] {
    let m = Mat3::from_quat(q.normalize());
    let (sin, cos) = (-m.x_axis.z, (m.x_axis.x * m.x_axis.x + m.x_axis.y * m.x_axis.y).sqrt());
    let pitch = sin.atan2(cos);
    if cos > 1e-9 {
        return [m.y_axis.z.atan2(m.z_axis.z), pitch, m.x_axis.y.atan2(m.x_axis.x)];
    }
    // Straight up or down: only the sum or difference of roll and yaw counts.
    [(-m.z_axis.y).atan2(m.y_axis.y), pitch, 0.0]
}
