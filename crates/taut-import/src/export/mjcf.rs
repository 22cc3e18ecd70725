//! The writer of MJCF.

use super::tree::{Hinge, Node, Tree, sprung_ball};
use super::{Exported, escaped, numbers, vector, wxyz};
use std::fmt::Write;
use taut::math::{Mat3, Pose, Quat, Vec3};
use taut::{BodyKind, Frame, Joint, JointKind, JointState, Limits, Motor, Spring};
use taut_scenes::SceneError;
use taut_scenes::file::{Body, Material, SceneFile, Shape};

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
    let mut text = String::from("<mujoco");
    if let Some(name) = &file.name {
        let _ = write!(text, " model=\"{}\"", escaped(name));
    }
    text.push_str(">\n  <compiler angle=\"radian\" autolimits=\"true\"/>\n");
    let gravity = numbers(&file.gravity);
    let _ = writeln!(text, "  <option gravity=\"{gravity}\" integrator=\"implicitfast\"/>");
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
    if moving || w.controls.iter().any(|c| *c != 0.0) {
        let mut key = String::from("    <key name=\"start\"");
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
    /// Sites to be written with their bodies; none: the world.
    sites: Vec<(Option<String>, String)>,
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
            sites: Vec::new(),
            out: Exported::default(),
        };
        writer.find_sites();
        writer
    }

    /// Points that distances and cables run through.
    fn find_sites(&mut self) {
        for (_, state) in &self.tree.others {
            let joint = state.definition();
            if !matches!(joint.kind, JointKind::Distance { .. }) {
                continue;
            }
            for (side, frame, anchor) in
                [("a", joint.a, joint.anchor_a), ("b", joint.b, joint.anchor_b)]
            {
                let name = format!("{}.{side}", joint.name);
                self.site(self.body_name(frame), &name, anchor.unwrap_or_default());
            }
        }
        for (k, cable) in self.file.cables.iter().enumerate() {
            for (i, station) in cable.via.iter().enumerate() {
                let body = (station.body != "world").then(|| station.body.clone());
                self.site(body, &cable_site(cable.name.as_deref(), k, i), station.point.into());
            }
        }
    }

    fn site(&mut self, body: Option<String>, name: &str, at: Vec3) {
        let line =
            format!("<site name=\"{}\" pos=\"{}\" size=\"0.001\"/>", escaped(name), vector(at));
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
        let pose = tree.pose(i);
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
            BodyKind::Dynamic => self.moving(node, depth + 1),
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
    fn moving(&mut self, node: &Node, depth: usize) {
        let pad = "  ".repeat(depth);
        let pose = node.body.pose();
        match &node.joint {
            Some(hinge) => self.joint(hinge, depth),
            None if node.parent.is_none() => {
                let _ = writeln!(self.bodies, "{pad}<freejoint/>");
                let own = node.body.velocity_at(pose.translation);
                let turn = pose.rotation.inverse() * node.body.angular_velocity();
                self.velocities.extend(own.to_array().into_iter().chain(turn.to_array()));
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

    fn joint(&mut self, hinge: &Hinge, depth: usize) {
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
            JointKind::Hinge => self.one(hinge, depth, ("hinge", "", hinge.axis), angle),
            JointKind::Slider => self.one(hinge, depth, ("slide", "", hinge.axis), travel),
            JointKind::Cylindrical => {
                self.one(hinge, depth, ("slide", "", hinge.axis), travel);
                self.one(hinge, depth, ("hinge", ".angle", hinge.axis), angle);
            }
            JointKind::Universal => {
                self.one(hinge, depth, ("hinge", "", hinge.other_axis), None);
                self.one(hinge, depth, ("hinge", ".second", hinge.axis), None);
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
                self.velocities.extend([0.0; 3]);
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
    ) {
        let joint = hinge.state.definition();
        let pad = "  ".repeat(depth);
        let name = escaped(&format!("{}{suffix}", joint.name));
        let (at, axis) = (vector(hinge.anchor), vector(axis));
        let mut line =
            format!("{pad}<joint name=\"{name}\" type=\"{kind}\" pos=\"{at}\" axis=\"{axis}\"");
        if let Some(l) = limits {
            let open = 1e10;
            let (min, max) = (l.min.max(-open), l.max.min(open));
            // Equal bounds are no range.
            let slack = if min == max { 1e-9 } else { 0.0 };
            let _ = write!(line, " limited=\"true\" range=\"{min} {}\"", max + slack);
        }
        let own = suffix.is_empty();
        if let Some(p) = joint.passive.filter(|_| own) {
            let (a, d, f) = (p.armature, p.damping, p.friction);
            let _ = write!(line, " armature=\"{a}\" damping=\"{d}\" frictionloss=\"{f}\"");
            let _ = write!(line, " stiffness=\"{}\" springref=\"{}\"", p.stiffness, p.rest);
        }
        let _ = writeln!(self.bodies, "{line}/>");
        let turns = kind == "hinge";
        self.velocities.push(if turns { hinge.angle_velocity } else { hinge.velocity });
        let motor = if turns { joint.angle_motor } else { joint.travel_motor };
        if let Some(motor) = motor {
            self.motor(&format!("joint=\"{name}\""), &name, motor);
        }
    }

    fn motor(&mut self, target: &str, name: &str, motor: Motor) {
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
            Motor::Velocity { target: v, max_force, .. } => {
                self.out.note(format!(
                    "'{name}': a motor that holds its speed becomes one of kv = 1000"
                ));
                (format!("<velocity name=\"{name}\" {target} kv=\"1000\"{}/>", limit(max_force)), v)
            }
            Motor::Force { force } => (format!("<motor name=\"{name}\" {target}/>"), force),
            _ => return,
        };
        let _ = writeln!(self.actuators, "    {line}");
        self.controls.push(control);
    }

    fn shapes(&mut self, body: &Body, depth: usize) {
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
            if !joint.collide {
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
        let (bodies, flipped) = self.bodies_of(joint);
        let anchor = if flipped { joint.anchor_b } else { joint.anchor_a }.unwrap_or_default();
        match &joint.kind {
            JointKind::Ball { .. } | JointKind::Universal => {
                if joint.kind == JointKind::Universal {
                    self.out
                        .note(format!("joint '{name}' closes a loop: only its anchors are held"));
                }
                self.connect(&name, &bodies, anchor);
            }
            JointKind::Hinge => {
                // Two points of the axis.
                let axis = if flipped { joint.axis_b } else { joint.axis_a }.unwrap_or(Vec3::Z);
                self.connect(&format!("{name}.1"), &bodies, anchor);
                self.connect(&format!("{name}.2"), &bodies, anchor + axis * 0.1);
                if joint.angle_limits.is_some() || joint.angle_motor.is_some() {
                    self.out.note(format!(
                        "joint '{name}' closes a loop: its limits and motor are left out"
                    ));
                }
            }
            JointKind::Weld => {
                let _ = writeln!(self.equality, "    <weld name=\"{name}\" {bodies}/>");
            }
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

    /// The bodies of an equality, and whether the joint's second one comes first: without body 2, that is the world.
    fn bodies_of(&self, joint: &Joint) -> (String, bool) {
        let (a, b) = (self.body_name(joint.a), self.body_name(joint.b));
        let flipped = a.is_none();
        let (first, second) = if flipped { (b, None) } else { (a, b) };
        let first = escaped(&first.unwrap_or_default());
        let second = second.map(|s| format!(" body2=\"{}\"", escaped(&s))).unwrap_or_default();
        (format!("body1=\"{first}\"{second}"), flipped)
    }

    /// Holds a point of two bodies together.
    fn connect(&mut self, name: &str, bodies: &str, anchor: Vec3) {
        let at = vector(anchor);
        let _ = writeln!(self.equality, "    <connect name=\"{name}\" {bodies} anchor=\"{at}\"/>");
    }

    /// Joints that couple the coordinates of others.
    fn coupling(&mut self, joint: &Joint, name: &str) {
        let named = |id| self.tree.world.joint(id).map_or(String::new(), |j| escaped(j.name()));
        match &joint.kind {
            JointKind::Gear { first, second, ratio, curve, offset } => {
                let c = [offset.unwrap_or(0.0), *ratio, curve[0], curve[1], curve[2]];
                let (first, second, c) = (named(*first), named(*second), numbers(&c));
                let _ = writeln!(
                    self.equality,
                    "    <joint name=\"{name}\" joint1=\"{first}\" joint2=\"{second}\" polycoef=\"{c}\"/>"
                );
            }
            JointKind::Differential { cage, first, second, offset } => {
                let terms = [(named(*first), 1.0), (named(*second), 1.0), (named(*cage), -2.0)];
                let _ = writeln!(self.tendons, "    <fixed name=\"{name}\">{}</fixed>", of(&terms));
                let c = offset.unwrap_or(0.0);
                let _ = writeln!(
                    self.equality,
                    "    <tendon name=\"{name}.equality\" tendon1=\"{name}\" polycoef=\"{c} 0 0 0 0\"/>"
                );
            }
            JointKind::Tendon { terms } => {
                let terms: Vec<_> =
                    terms.iter().map(|(id, factor)| (named(*id), *factor)).collect();
                self.tendon(joint, name, &of(&terms));
            }
            _ => {}
        }
    }

    fn tendon(&mut self, joint: &Joint, name: &str, terms: &str) {
        let mut more = String::new();
        if let Some(l) = joint.angle_limits {
            let max = if l.min == l.max { l.max + 1e-9 } else { l.max };
            let _ = write!(more, " limited=\"true\" range=\"{} {max}\"", l.min);
        }
        if let Some(p) = joint.passive {
            let _ = write!(more, " damping=\"{}\" frictionloss=\"{}\"", p.damping, p.friction);
        }
        let _ = writeln!(self.tendons, "    <fixed name=\"{name}\"{more}>{terms}</fixed>");
        if let Some(motor) = joint.angle_motor {
            self.motor(&format!("tendon=\"{name}\""), name, motor);
        }
    }

    fn cables(&mut self) {
        for (k, cable) in self.file.cables.iter().enumerate() {
            let name = cable.name.clone().unwrap_or_else(|| format!("cable{k}"));
            let round = cable.via.iter().any(|s| s.pulley.is_some() || s.edge.is_some());
            if round || cable.closed || cable.winch.is_some() || cable.mass.is_some() {
                let what = "pulleys, edges, belts, winches and mass";
                self.out.note(format!("cable '{name}' is left out: cables with {what} are"));
                continue;
            }
            let found = self.tree.world.cable_named(&name);
            let length =
                found.and_then(|id| self.tree.world.cable(id).ok()).map_or(0.0, |c| c.length());
            let law = match cable.stiffness {
                Some(ea) => format!(
                    "stiffness=\"{}\" damping=\"{}\" springlength=\"0 {length}\"",
                    ea / length,
                    cable.damping / length
                ),
                None => format!("limited=\"true\" range=\"0 {length}\""),
            };
            let site = |i| {
                format!("<site site=\"{}\"/>", escaped(&cable_site(cable.name.as_deref(), k, i)))
            };
            let way: String = (0..cable.via.len()).map(site).collect();
            let name = escaped(&name);
            let _ = writeln!(self.tendons, "    <spatial name=\"{name}\" {law}>{way}</spatial>");
        }
    }
}

fn of(terms: &[(String, f64)]) -> String {
    let word =
        |(name, factor): &(String, f64)| format!("<joint joint=\"{name}\" coef=\"{factor}\"/>");
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
