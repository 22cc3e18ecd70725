//! The writer of MJCF.

mod cables;

use super::tree::{Hinge, Node, Tree, axis_of, sprung_ball, start};
use super::{Exported, OPEN, escaped, numbers, vector, wxyz};
use cables::{Reels, range};
use std::fmt::Write;
use taut::math::{Mat3, Pose, Quat, Vec3};
use taut::{BodyKind, Frame, Joint, JointId, JointKind, JointState, Limits, Motor, Spring};
use taut_scenes::SceneError;
use taut_scenes::file::{Body, Material, SceneFile, Shape};

/// How firmly equalities, limits and dry friction hold in MuJoCo: the stiffest that it allows at its own step of 2 ms (`solref`), and 1e-4 of
/// what would move them is left (`solimp`, MuJoCo's bound). With its defaults accelerations of linkages are off by 10 to 30 %, and
/// a crane on its brakes comes down by metres in 2 s (by 2 mm with these).
const FIRM: &str = concat!(
    "  <default>\n    <equality solref=\"0.004 1\" solimp=\"0.9999 0.9999 0.001\"/>\n",
    "    <joint solreflimit=\"0.004 1\" solimplimit=\"0.9999 0.9999 0.001\" solreffriction=\"0.004 1\" solimpfriction=\"0.9999 0.9999 0.001\"/>\n",
    "    <tendon solreflimit=\"0.004 1\" solimplimit=\"0.9999 0.9999 0.001\" solreffriction=\"0.004 1\" solimpfriction=\"0.9999 0.9999 0.001\"/>\n  </default>\n"
);

/// The scene as an MJCF model.
pub fn mjcf(file: &SceneFile) -> Result<Exported, SceneError> {
    let scene = file.build()?;
    let tree = Tree::new(file, &scene.world)?;
    let mut w = Writer::new(file, &tree);
    w.children(None, 2);
    w.scenery();
    w.others();
    w.cables();
    if !file.drives.is_empty() {
        w.out.note("drives are left out: motors keep their first targets");
    }
    super::soft_bodies(file, &mut w.out);
    w.pairs();
    let mut text = String::from("<mujoco");
    if let Some(name) = &file.name {
        let _ = write!(text, " model=\"{}\"", escaped(name));
    }
    text.push_str(">\n  <compiler angle=\"radian\" autolimits=\"true\"/>\n");
    let gravity = numbers(&file.gravity);
    let _ = writeln!(text, "  <option gravity=\"{gravity}\" integrator=\"implicitfast\"/>");
    let holds = ["limited=", "frictionloss="].map(|what| w.bodies.contains(what));
    if !w.equality.is_empty() || !w.tendons.is_empty() || holds.contains(&true) {
        text.push_str(FIRM);
    }
    for (tag, lines) in [
        ("asset", &w.assets),
        ("worldbody", &w.bodies),
        ("contact", &w.contact),
        ("tendon", &w.tendons),
        ("equality", &w.equality),
        ("actuator", &w.actuators),
    ] {
        if !lines.is_empty() {
            let _ = write!(text, "  <{tag}>\n{lines}  </{tag}>\n");
        }
    }
    let moving = w.velocities.iter().any(|v| *v != 0.0);
    if moving || w.turned || w.controls.iter().any(|c| *c != 0.0) {
        let mut key = String::from("    <key name=\"start\"");
        if w.turned {
            let _ = write!(key, " qpos=\"{}\"", numbers(&w.positions));
        }
        if moving {
            let _ = write!(key, " qvel=\"{}\"", numbers(&w.velocities));
        }
        if !w.controls.is_empty() {
            let _ = write!(key, " ctrl=\"{}\"", numbers(&w.controls));
        }
        let _ = write!(text, "  <keyframe>\n{key}/>\n  </keyframe>\n");
    }
    text.push_str("</mujoco>\n");
    w.out.text = text;
    Ok(w.out)
}

struct Writer<'a> {
    file: &'a SceneFile,
    tree: &'a Tree<'a>,
    assets: String,
    meshes: usize,
    bodies: String,
    contact: String,
    tendons: String,
    equality: String,
    actuators: String,
    controls: Vec<f64>,
    velocities: Vec<f64>,
    /// Coordinates at the start, and whether a ball joint is not at its reference there.
    positions: Vec<f64>,
    turned: bool,
    /// Sites to be written with their bodies; none: the world.
    sites: Vec<(Option<String>, String)>,
    reels: Reels,
    out: Exported,
}

impl<'a> Writer<'a> {
    fn new(file: &'a SceneFile, tree: &'a Tree<'a>) -> Self {
        let mut writer = Writer {
            file,
            tree,
            assets: String::new(),
            meshes: 0,
            bodies: String::new(),
            contact: String::new(),
            tendons: String::new(),
            equality: String::new(),
            actuators: String::new(),
            controls: Vec::new(),
            velocities: Vec::new(),
            positions: Vec::new(),
            turned: false,
            sites: Vec::new(),
            reels: Reels::find(file),
            out: Exported::default(),
        };
        writer.find_sites();
        writer
    }

    /// Points that distances and cables run through, and frames that loops hold together.
    fn find_sites(&mut self) {
        for (_, state) in &self.tree.others {
            let joint = state.definition();
            let sides = [
                ("a", joint.a, joint.anchor_a, joint.axis_a, joint.basis_a),
                ("b", joint.b, joint.anchor_b, joint.axis_b, joint.basis_b),
            ];
            for (side, frame, anchor, axis, basis) in sides {
                let (body, at) = (self.body_name(frame), anchor.unwrap_or_default());
                let name = format!("{}.{side}", joint.name);
                match joint.kind {
                    JointKind::Distance { .. } | JointKind::Ball { .. } | JointKind::Universal => {
                        self.site(body, &name, at, None);
                    }
                    JointKind::Weld => self.site(body, &name, at, basis),
                    JointKind::Hinge => {
                        // Two points of the axis.
                        let along = axis_of(axis, basis) * 0.1;
                        self.site(body.clone(), &format!("{name}1"), at, None);
                        self.site(body, &format!("{name}2"), at + along, None);
                    }
                    _ => {}
                }
            }
        }
        self.find_cable_sites();
    }

    fn site(&mut self, body: Option<String>, name: &str, at: Vec3, turn: Option<Quat>) {
        let (name, at) = (escaped(name), vector(at));
        let turn = turn.map_or(String::new(), |q| format!(" quat=\"{}\"", wxyz(q)));
        let line = format!("<site name=\"{name}\" pos=\"{at}\"{turn} size=\"0.001\"/>");
        self.sites.push((body, line));
    }

    fn body_name(&self, frame: Frame) -> Option<String> {
        let body = frame.body().and_then(|id| self.tree.world.body(id).ok());
        body.map(|b| b.name().to_string())
    }

    fn children(&mut self, parent: Option<usize>, depth: usize) {
        if parent.is_none() {
            self.write_sites(None, depth);
        }
        let of: Vec<usize> =
            (0..self.tree.nodes.len()).filter(|&i| self.tree.nodes[i].parent == parent).collect();
        for i in of {
            self.body(i, depth);
        }
    }

    fn write_sites(&mut self, body: Option<&str>, depth: usize) {
        let pad = "  ".repeat(depth);
        for (on, line) in &self.sites {
            if on.as_deref() == body {
                let _ = writeln!(self.bodies, "{pad}{line}");
            }
        }
    }

    fn body(&mut self, i: usize, depth: usize) {
        let tree = self.tree;
        let node = &tree.nodes[i];
        let (pad, name) = ("  ".repeat(depth), node.body.name());
        if self.reels.is_body(name) {
            return;
        }
        let (pose, turn) = at_rest(tree, i);
        let _ = write!(
            self.bodies,
            "{pad}<body name=\"{}\" pos=\"{}\" quat=\"{}\"",
            escaped(name),
            vector(pose.translation),
            wxyz(pose.rotation)
        );
        let scale = node.body.definition().gravity_scale;
        if scale != 1.0 {
            let _ = write!(self.bodies, " gravcomp=\"{}\"", 1.0 - scale);
        }
        self.bodies.push_str(">\n");
        match node.body.kind() {
            BodyKind::Dynamic => self.moving(node, turn, depth + 1),
            BodyKind::Kinematic => {
                self.out.note(format!("body '{name}' is kinematic: it stands still"))
            }
            BodyKind::Fixed => {}
        }
        self.write_sites(Some(name), depth + 1);
        match node.file {
            Some(file) => self.shapes(file, depth + 1),
            None => {
                // The ground.
                let mu = self.file.ground.as_ref().and_then(|g| g.material.clone());
                let surface = self.surface(mu.as_deref());
                let _ =
                    writeln!(self.bodies, "{pad}  <geom type=\"plane\" size=\"0 0 1\"{surface}/>");
            }
        }
        self.children(Some(i), depth + 1);
        let _ = writeln!(self.bodies, "{pad}</body>");
    }

    /// Joint and inertia.
    fn moving(&mut self, node: &Node, turn: Quat, depth: usize) {
        let pad = "  ".repeat(depth);
        let pose = node.body.pose();
        match &node.joint {
            Some(hinge) => self.joint(hinge, turn, depth),
            None if node.parent.is_none() => {
                let _ = writeln!(self.bodies, "{pad}<freejoint/>");
                let own = node.body.velocity_at(pose.translation);
                let turn = pose.rotation.inverse() * node.body.angular_velocity();
                self.velocities.extend(own.to_array().into_iter().chain(turn.to_array()));
                let q = pose.rotation.normalize();
                self.positions.extend(pose.translation.to_array());
                self.positions.extend([q.w, q.x, q.y, q.z]);
            }
            None => {}
        }
        let centre = pose.inverse() * node.body.centre_of_mass();
        let r = Mat3::from_quat(pose.rotation);
        let m = r.transpose() * node.body.inertia() * r;
        let full = [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.x_axis.z, m.y_axis.z];
        let _ = writeln!(
            self.bodies,
            "{pad}<inertial pos=\"{}\" mass=\"{}\" fullinertia=\"{}\"/>",
            vector(centre),
            node.body.mass(),
            numbers(&full)
        );
    }

    fn joint(&mut self, hinge: &Hinge, turn: Quat, depth: usize) {
        let joint = hinge.state.definition();
        let name = &joint.name;
        for (what, is) in [
            (
                "springs of its rows",
                joint.linear_spring.is_some() || joint.angular_spring.is_some(),
            ),
            ("breaking", joint.break_force.is_finite() || joint.break_torque.is_finite()),
            ("cone", matches!(joint.kind, JointKind::Ball { cone: Some(_) })),
        ] {
            if is {
                self.out.note(format!("joint '{name}': {what}: left out"));
            }
        }
        let (angle, travel) = (joint.angle_limits, joint.travel_limits);
        match joint.kind {
            JointKind::Hinge => {
                let state = [hinge.angle, hinge.angle_velocity];
                self.one(hinge, depth, ("hinge", "", hinge.axis), angle, state);
            }
            JointKind::Slider => {
                let state = [hinge.travel, hinge.velocity];
                self.one(hinge, depth, ("slide", "", hinge.axis), travel, state);
            }
            JointKind::Cylindrical => {
                let state = [hinge.travel, hinge.velocity];
                self.one(hinge, depth, ("slide", "", hinge.axis), travel, state);
                let state = [hinge.angle, hinge.angle_velocity];
                self.one(hinge, depth, ("hinge", ".angle", hinge.axis), angle, state);
            }
            JointKind::Universal => {
                for (suffix, axis) in [("", hinge.other_axis), (".second", hinge.axis)] {
                    let state = [0.0, axis.dot(hinge.spin)];
                    self.one(hinge, depth, ("hinge", suffix, axis), None, state);
                }
            }
            JointKind::Ball { .. } | JointKind::Compliant { .. } => {
                let pad = "  ".repeat(depth);
                let (at, name) = (vector(hinge.anchor), escaped(name));
                let Spring { stiffness, damping } = sprung_ball(&joint.kind).unwrap_or_default();
                let spring = match stiffness > 0.0 || damping > 0.0 {
                    true => format!(" stiffness=\"{stiffness}\" damping=\"{damping}\""),
                    false => String::new(),
                };
                let _ = writeln!(
                    self.bodies,
                    "{pad}<joint name=\"{name}\" type=\"ball\" pos=\"{at}\"{spring}/>"
                );
                self.velocities.extend(hinge.spin.to_array());
                self.positions.extend([turn.w, turn.x, turn.y, turn.z]);
                self.turned |= turn != Quat::IDENTITY;
            }
            _ => {}
        }
    }

    fn one(
        &mut self,
        hinge: &Hinge,
        depth: usize,
        (kind, suffix, axis): (&str, &str, Vec3),
        limits: Option<Limits>,
        [start, velocity]: [f64; 2],
    ) {
        let joint = hinge.state.definition();
        let pad = "  ".repeat(depth);
        let name = escaped(&format!("{}{suffix}", joint.name));
        let (at, axis) = (vector(hinge.anchor), vector(axis));
        let mut line =
            format!("{pad}<joint name=\"{name}\" type=\"{kind}\" pos=\"{at}\" axis=\"{axis}\"");
        if start != 0.0 {
            let _ = write!(line, " ref=\"{start}\"");
        }
        match limits {
            // Equal bounds are no range.
            Some(l) if l.min == l.max => {
                let _ = writeln!(
                    self.equality,
                    "    <joint name=\"{name}.held\" joint1=\"{name}\" polycoef=\"{} 0 0 0 0\"/>",
                    l.min - start
                );
            }
            Some(l) => {
                let _ = write!(line, " {}", range([l.min, l.max]));
            }
            None => {}
        }
        let turns = kind == "hinge";
        let motor = if turns { joint.angle_motor } else { joint.travel_motor };
        let (own, brake) = (suffix.is_empty(), brake(motor));
        if let (Some(f), false) = (brake, joint.passive.is_some() && own) {
            let _ = write!(line, " frictionloss=\"{f}\"");
        }
        if let Some(p) = joint.passive.filter(|_| own) {
            let (a, d, f) = (p.armature, p.damping, p.friction + brake.unwrap_or(0.0));
            let _ = write!(line, " armature=\"{a}\" damping=\"{d}\" frictionloss=\"{f}\"");
            let _ = write!(line, " stiffness=\"{}\" springref=\"{}\"", p.stiffness, p.rest);
        }
        let _ = writeln!(self.bodies, "{line}/>");
        self.velocities.push(velocity);
        self.positions.push(start);
        if let Some(motor) = motor {
            let moved = if turns { hinge.moment } else { hinge.mass };
            self.motor(&format!("joint=\"{name}\""), &name, motor, moved);
        }
    }

    /// An actuator on what has at least this mass or moment of inertia.
    fn motor(&mut self, target: &str, name: &str, motor: Motor, moved: f64) {
        let limit = |force: f64| match force.is_finite() {
            true => format!(" forcerange=\"{} {force}\"", -force),
            false => String::new(),
        };
        let (line, control) = match motor {
            Motor::Position { target: q, stiffness: k, damping: d, max_force } => {
                let gains =
                    format!("gainprm=\"{k}\" biastype=\"affine\" biasprm=\"0 {} {}\"", -k, -d);
                (format!("<general name=\"{name}\" {target} {gains}{}/>", limit(max_force)), q)
            }
            Motor::Velocity { target: 0.0, .. } => {
                let message = "a motor that stands becomes dry friction of its force";
                return self.out.note(format!("'{name}': {message}"));
            }
            Motor::Velocity { target: v, max_force, .. } => {
                // Ten times what brings that alone to its speed within a step of 2 ms: in loops more moves. (With this the crank of
                // `four-bar` is 0.03 rad late after a turn, with a tenth 0.24 rad; a piston under a boom rings from about 100 times on.)
                let kv = 5e3 * moved;
                let message = "a motor that holds its speed becomes one that pulls to it";
                self.out.note(format!("'{name}': {message}: kv = {kv}"));
                let limit = limit(max_force);
                (format!("<velocity name=\"{name}\" {target} kv=\"{kv}\"{limit}/>"), v)
            }
            Motor::Force { force } => (format!("<motor name=\"{name}\" {target}/>"), force),
            Motor::Affine { force, stiffness: k, damping: d, min_force, max_force } => {
                let bias = format!("biastype=\"affine\" biasprm=\"0 {} {}\"", -k, -d);
                let range = match (min_force, max_force) {
                    (f64::NEG_INFINITY, f64::INFINITY) => String::new(),
                    (min, max) => {
                        format!(" forcerange=\"{} {}\"", min.max(-OPEN), max.min(OPEN))
                    }
                };
                (format!("<general name=\"{name}\" {target} {bias}{range}/>"), force)
            }
            _ => return,
        };
        let _ = writeln!(self.actuators, "    {line}");
        self.controls.push(control);
    }

    fn shapes(&mut self, body: &Body, depth: usize) {
        if body.surface_velocity != [0.0; 3] {
            self.out.note(format!("body '{}': the velocity of its surface is left out", body.name));
        }
        let plain = body.shape.iter().map(|s| (s, Pose::IDENTITY, None, None));
        let own = body.colliders.iter().map(|c| {
            (&c.shape, placed(c.position, c.orientation), c.material.as_deref(), c.collision_groups)
        });
        let all: Vec<_> = plain.chain(own).collect();
        for (shape, pose, material, groups) in all {
            let groups = groups.or(body.collision_groups);
            let mut more = self.surface(material.or(body.material.as_deref()));
            if !body.collides {
                more.push_str(" contype=\"0\" conaffinity=\"0\"");
            } else if let Some(g) = groups {
                let bits = |x: u32| if x == u32::MAX { 1 } else { x & 0x7fff_ffff };
                let (own, met) = (bits(g.membership), bits(g.mask));
                let _ = write!(more, " contype=\"{own}\" conaffinity=\"{met}\"");
            }
            if !body.visual.is_empty() {
                more.push_str(" group=\"3\"");
            } else if let Some(c) = &body.colour {
                let _ = write!(more, " rgba=\"{}\"", rgba(c));
            }
            self.geom(shape, pose, &more, depth);
        }
        for v in &body.visual {
            let colour = v.colour.as_ref().or(body.colour.as_ref());
            self.seen(&v.shape, placed(v.position, v.orientation), colour, depth);
        }
    }

    fn scenery(&mut self) {
        for v in &self.file.scenery {
            self.seen(&v.shape, placed(v.position, v.orientation), v.colour.as_ref(), 2);
        }
    }

    fn seen(&mut self, shape: &Shape, pose: Pose, colour: Option<&String>, depth: usize) {
        let colour = colour.map(|c| format!(" rgba=\"{}\"", rgba(c))).unwrap_or_default();
        let more = format!(" contype=\"0\" conaffinity=\"0\" group=\"2\" mass=\"0\"{colour}");
        self.geom(shape, pose, &more, depth);
    }

    fn surface(&mut self, name: Option<&str>) -> String {
        let name = name.unwrap_or(taut_scenes::file::DEFAULT_MATERIAL);
        let plain = Material::default();
        let m = self.file.materials.get(name).unwrap_or(&plain);
        let condim = match (m.friction, m.torsional_friction, m.rolling_friction) {
            (_, _, r) if r > 0.0 => 6,
            (_, t, _) if t > 0.0 => 4,
            (mu, ..) if mu > 0.0 => 3,
            _ => 1,
        };
        let (restitution, anisotropy) = (m.restitution > 0.0, m.anisotropy.is_some());
        let friction = numbers(&[m.friction, m.torsional_friction, m.rolling_friction]);
        if restitution || anisotropy {
            self.out.note(format!("material '{name}': restitution and directions are left out"));
        }
        format!(" friction=\"{friction}\" condim=\"{condim}\"")
    }

    /// Pairs of surfaces that rub otherwise than with the larger one of both's coefficients.
    fn pairs(&mut self) {
        let plain = Material::default();
        let of = |name: &String| {
            let m = self.file.materials.get(name).unwrap_or(&plain);
            [m.friction, m.torsional_friction, m.rolling_friction]
        };
        for pair in &self.file.pairs {
            let ([a, b], t) = (&pair.materials, &pair.together);
            let (x, y) = (of(a), of(b));
            let larger = [x[0].max(y[0]), x[1].max(y[1]), x[2].max(y[2])];
            let own = [t.friction, t.torsional_friction, t.rolling_friction];
            if own != larger || t.restitution > 0.0 || t.anisotropy.is_some() {
                self.out.note(format!(
                    "the pair of materials '{a}' and '{b}' is left out: they rub with friction {}, not {}",
                    larger[0], own[0]
                ));
            }
        }
    }

    fn geom(&mut self, shape: &Shape, pose: Pose, more: &str, depth: usize) {
        let place =
            format!("pos=\"{}\" quat=\"{}\"", vector(pose.translation), wxyz(pose.rotation));
        let kind = match shape {
            Shape::Ball { radius } => format!("type=\"sphere\" size=\"{radius}\""),
            Shape::Box { half_extents } => {
                format!("type=\"box\" size=\"{}\"", numbers(half_extents))
            }
            Shape::Capsule { half_length, radius } => {
                format!("type=\"capsule\" size=\"{radius} {half_length}\"")
            }
            Shape::Cylinder { half_height, radius } => {
                format!("type=\"cylinder\" size=\"{radius} {half_height}\"")
            }
            Shape::HalfSpace { normal } => {
                let up =
                    Quat::from_rotation_arc(Vec3::Z, Vec3::from(*normal).normalize_or(Vec3::Z));
                let turned = pose * Pose::from_parts(Vec3::ZERO, up);
                let at = format!(
                    "pos=\"{}\" quat=\"{}\"",
                    vector(pose.translation),
                    wxyz(turned.rotation)
                );
                let pad = "  ".repeat(depth);
                let _ =
                    writeln!(self.bodies, "{pad}<geom type=\"plane\" size=\"0 0 1\" {at}{more}/>");
                return;
            }
            Shape::Compound { parts } => {
                for part in parts {
                    self.geom(
                        &part.shape,
                        pose * placed(part.position, part.orientation),
                        more,
                        depth,
                    );
                }
                return;
            }
            Shape::ConvexHull { points } => self.mesh(points, &[]),
            Shape::TriMesh { vertices, triangles } => {
                if !more.contains("mass=\"0\"") {
                    self.out.note("triangle meshes that collide are convex in MuJoCo");
                }
                self.mesh(vertices, triangles)
            }
            Shape::Sdf { vertices, triangles } => {
                self.out.note("solids with hollows that collide are convex in MuJoCo");
                self.mesh(vertices, triangles)
            }
            Shape::Cone { .. } | Shape::HeightField { .. } => {
                self.out.note("cones and height fields are left out");
                return;
            }
        };
        let pad = "  ".repeat(depth);
        let _ = writeln!(self.bodies, "{pad}<geom {kind} {place}{more}/>");
    }

    /// A mesh of its own; MuJoCo moves meshes to their centre and back.
    fn mesh(&mut self, vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> String {
        let name = format!("mesh{}", self.meshes);
        self.meshes += 1;
        let list = vertices.iter().map(|v| numbers(v)).collect::<Vec<_>>().join("  ");
        let _ =
            write!(self.assets, "    <mesh name=\"{name}\" inertia=\"shell\" vertex=\"{list}\"");
        if !triangles.is_empty() {
            let word = |t: &[u32; 3]| format!("{} {} {}", t[0], t[1], t[2]);
            let list = triangles.iter().map(word).collect::<Vec<_>>().join("  ");
            let _ = write!(self.assets, " face=\"{list}\"");
        }
        self.assets.push_str("/>\n");
        format!("type=\"mesh\" mesh=\"{name}\"")
    }

    /// Joints that are not part of the tree.
    fn others(&mut self) {
        for (_, state) in &self.tree.others {
            self.other(state);
        }
        for (_, state) in self.tree.world.joints() {
            let joint = state.definition();
            let names = [joint.a, joint.b].map(|f| self.body_name(f));
            let [Some(a), Some(b)] = names else { continue };
            let reel = self.reels.is_body(&a) || self.reels.is_body(&b);
            if !joint.collide && !reel {
                let _ = writeln!(
                    self.contact,
                    "    <exclude body1=\"{}\" body2=\"{}\"/>",
                    escaped(&a),
                    escaped(&b)
                );
            }
        }
    }

    fn other(&mut self, state: &JointState) {
        let joint = state.definition();
        let name = escaped(&joint.name);
        match &joint.kind {
            JointKind::Ball { .. } | JointKind::Universal => {
                if joint.kind == JointKind::Universal {
                    self.out
                        .note(format!("joint '{name}' closes a loop: only its anchors are held"));
                }
                self.equal("connect", &name, &name, "");
            }
            JointKind::Hinge => {
                for end in ["1", "2"] {
                    self.equal("connect", &format!("{name}.{end}"), &name, end);
                }
                if joint.angle_limits.is_some() || joint.angle_motor.is_some() {
                    self.out.note(format!(
                        "joint '{name}' closes a loop: its limits and motor are left out"
                    ));
                }
            }
            JointKind::Weld => self.equal("weld", &name, &name, ""),
            JointKind::Distance { min, max } => {
                let max = if max.is_finite() { *max } else { 1e10 };
                let _ = writeln!(
                    self.tendons,
                    "    <spatial name=\"{name}\" limited=\"true\" range=\"{min} {}\"><site site=\"{name}.a\"/><site site=\"{name}.b\"/></spatial>",
                    if *min == max { max + 1e-9 } else { max }
                );
            }
            JointKind::Gear { .. } | JointKind::Differential { .. } | JointKind::Tendon { .. } => {
                self.coupling(joint, &name);
            }
            JointKind::Compliant { linear, angular } => {
                if linear.iter().chain(angular).any(|s| s.stiffness > 0.0 || s.damping > 0.0) {
                    self.out
                        .note(format!("joint '{name}': springs in six directions are left out"));
                }
            }
            kind => {
                let kind = kind.name();
                self.out.note(format!("joint '{name}': a {kind} that closes a loop is left out"));
            }
        }
    }

    /// Holds the sites of a joint's two sides together: as they are, not as bodies happen to start.
    fn equal(&mut self, tag: &str, name: &str, joint: &str, end: &str) {
        let _ = writeln!(
            self.equality,
            "    <{tag} name=\"{name}\" site1=\"{joint}.a{end}\" site2=\"{joint}.b{end}\"/>"
        );
    }

    /// Joints that couple the coordinates of others.
    fn coupling(&mut self, joint: &Joint, name: &str) {
        let named = |id| self.tree.world.joint(id).map_or(String::new(), |j| escaped(j.name()));
        let raw = |id| self.tree.world.joint(id).map_or(String::new(), |j| j.name().to_string());
        let at = |id| start(self.tree.world, id);
        let ids = coupled(&joint.kind);
        let loops = |id: &JointId| self.tree.others.iter().any(|(other, _)| other == id);
        if let Some(id) = ids.iter().find(|id| loops(id)) {
            let other = named(*id);
            self.out.note(format!(
                "joint '{name}' is left out: it couples '{other}', which closes a loop"
            ));
            return;
        }
        match &joint.kind {
            JointKind::Gear { first, second, ratio, curve, offset } => {
                // Both are counted from where they start.
                let c = [offset.unwrap_or(0.0), *ratio, curve[0], curve[1], curve[2]];
                let mut c = about(c, at(*second));
                c[0] -= at(*first);
                let (first, second, c) = (named(*first), named(*second), numbers(&c));
                let _ = writeln!(
                    self.equality,
                    "    <joint name=\"{name}\" joint1=\"{first}\" joint2=\"{second}\" polycoef=\"{c}\"/>"
                );
            }
            JointKind::Differential { cage, first, second, offset } => {
                let terms = [(raw(*first), 1.0), (raw(*second), 1.0), (raw(*cage), -2.0)];
                let _ = writeln!(self.tendons, "    <fixed name=\"{name}\">{}</fixed>", of(&terms));
                let c = offset.unwrap_or(0.0) - (at(*first) + at(*second) - 2.0 * at(*cage));
                let _ = writeln!(
                    self.equality,
                    "    <tendon name=\"{name}.equality\" tendon1=\"{name}\" polycoef=\"{c} 0 0 0 0\"/>"
                );
            }
            JointKind::Tendon { terms } => {
                let length = terms.iter().map(|(id, factor)| factor * at(*id)).sum();
                let terms: Vec<_> = terms.iter().map(|(id, factor)| (raw(*id), *factor)).collect();
                self.tendon(joint, name, &terms, length);
            }
            _ => {}
        }
    }

    fn tendon(&mut self, joint: &Joint, name: &str, terms: &[(String, f64)], length: f64) {
        let (tag, way, shift) = match self.branches(terms) {
            // What it is long at the start, when the coordinates of its reels are 0.
            Some(Ok((way, own))) => ("spatial", way, own),
            Some(Err(why)) => {
                return self.out.note(format!("joint '{name}' is left out: {why}"));
            }
            None => ("fixed", of(terms), 0.0),
        };
        let mut more = String::new();
        match joint.angle_limits {
            Some(l) if l.min == l.max => {
                let c = l.min - length;
                let _ = writeln!(
                    self.equality,
                    "    <tendon name=\"{name}.held\" tendon1=\"{name}\" polycoef=\"{c} 0 0 0 0\"/>"
                );
            }
            Some(l) => {
                let least = if tag == "spatial" { 0.0 } else { f64::NEG_INFINITY };
                let _ = write!(more, " {}", range([(l.min + shift).max(least), l.max + shift]));
            }
            None => {}
        }
        let brake = brake(joint.angle_motor);
        let mut p = joint.passive.unwrap_or_default();
        if p.armature > 0.0 && way.contains("<geom") {
            p.armature = 0.0;
            let message = "MuJoCo has no armature of tendons that wrap around something: left out";
            self.out.note(format!("joint '{name}': {message}"));
        }
        if joint.passive.is_some() || brake.is_some() {
            let (a, d, f) = (p.armature, p.damping, p.friction + brake.unwrap_or(0.0));
            let _ = write!(more, " armature=\"{a}\" damping=\"{d}\" frictionloss=\"{f}\"");
        }
        let _ = writeln!(self.tendons, "    <{tag} name=\"{name}\"{more}>{way}</{tag}>");
        if let Some(motor) = joint.angle_motor {
            let motor = shifted(motor, shift);
            self.motor(&format!("tendon=\"{name}\""), name, motor, 1.0);
        }
    }
}

/// The largest force of a motor that holds still: it is dry friction.
fn brake(motor: Option<Motor>) -> Option<f64> {
    match motor {
        Some(Motor::Velocity { target: 0.0, max_force, .. }) => Some(max_force.min(OPEN)),
        _ => None,
    }
}

/// A motor on a coordinate that is larger by a constant.
fn shifted(motor: Motor, by: f64) -> Motor {
    match motor {
        Motor::Position { target, stiffness, damping, max_force } => {
            Motor::position(target + by, stiffness, damping, max_force)
        }
        Motor::Affine { force, stiffness, damping, min_force, max_force } => {
            Motor::affine(force + stiffness * by, [stiffness, damping], [min_force, max_force])
        }
        other => other,
    }
}

/// Where a node is in its parent, and how it is turned against that at the start: the spring of a ball joint rests
/// where its frames coincide, and in MJCF where the body is written.
fn at_rest(tree: &Tree, i: usize) -> (Pose, Quat) {
    let pose = tree.pose(i);
    let hinge = tree.nodes[i].joint.as_ref();
    let spring = hinge.and_then(|h| sprung_ball(&h.state.definition().kind));
    let (Some(hinge), true) = (hinge, spring.is_some_and(|s| s.stiffness > 0.0)) else {
        return (pose, Quat::IDENTITY);
    };
    let joint = hinge.state.definition();
    let own = |frame: Frame| match frame.body() {
        Some(id) => tree.world.body(id).map_or(Quat::IDENTITY, |b| b.pose().rotation),
        None => Quat::IDENTITY,
    };
    let a = own(joint.a) * joint.basis_a.unwrap_or_default();
    let b = own(joint.b) * joint.basis_b.unwrap_or_default();
    // From where frame b should be to where it is, in the child's axes; seen from the child, if that is a, the other way.
    let child = tree.nodes[i].body.pose().rotation;
    let away = if joint.b.body().is_some_and(|id| tree.nodes[i].body.name() == name_of(tree, id)) {
        b * a.inverse()
    } else {
        a * b.inverse()
    };
    let turn = (child.inverse() * away * child).normalize();
    let anchor = hinge.anchor;
    let back = Pose::from_parts(anchor - turn.inverse() * anchor, turn.inverse());
    (pose * back, if turn.w.abs() >= 1.0 { Quat::IDENTITY } else { turn })
}

fn name_of(tree: &Tree, id: taut::BodyId) -> String {
    tree.world.body(id).map_or(String::new(), |b| b.name().to_string())
}

/// The joints whose coordinates a joint couples.
fn coupled(kind: &JointKind) -> Vec<JointId> {
    match kind {
        JointKind::Gear { first, second, .. } => vec![*first, *second],
        JointKind::Differential { cage, first, second, .. } => vec![*cage, *first, *second],
        JointKind::Tendon { terms } => terms.iter().map(|(id, _)| *id).collect(),
        _ => Vec::new(),
    }
}

/// The coefficients of a polynomial about another point.
fn about(mut c: [f64; 5], x: f64) -> [f64; 5] {
    for i in 0..4 {
        for j in (i..4).rev() {
            c[j] += x * c[j + 1];
        }
    }
    c
}

fn of(terms: &[(String, f64)]) -> String {
    let word = |(name, factor): &(String, f64)| {
        format!("<joint joint=\"{}\" coef=\"{factor}\"/>", escaped(name))
    };
    terms.iter().map(word).collect()
}

fn cable_site(name: Option<&str>, k: usize, i: usize) -> String {
    name.map_or_else(|| format!("cable{k}.{i}"), |n| format!("{n}.{i}"))
}

pub(super) fn placed(position: [f64; 3], [w, x, y, z]: [f64; 4]) -> Pose {
    Pose::from_parts(position.into(), Quat::from_xyzw(x, y, z, w).normalize())
}

/// "#rrggbb" as numbers from 0 to 1.
pub(super) fn rgba(colour: &str) -> String {
    let byte = |i: usize| {
        let digits = colour.get(1 + 2 * i..3 + 2 * i).unwrap_or("80");
        f64::from(u8::from_str_radix(digits, 16).unwrap_or(128)) / 255.0
    };
    let short = |x: f64| (x * 1e4).round() / 1e4;
    numbers(&[short(byte(0)), short(byte(1)), short(byte(2)), 1.0])
}
