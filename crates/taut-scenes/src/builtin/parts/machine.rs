//! A machine of many parts: names with a prefix, places relative to an
//! origin, parts that do not collide with one another.

use super::strand::frame;
use crate::file::{Body, Control, Drive, Joint, JointType, Key, Motor, SceneFile, Shape, Spring};
use std::f64::consts::FRAC_PI_2;
use taut::math::Vec3;

/// A machine that is being put together.
pub(in crate::builtin) struct Machine<'a> {
    /// The scene it is part of.
    pub(in crate::builtin) scene: &'a mut SceneFile,
    /// The names of its parts start with this.
    pub(in crate::builtin) prefix: String,
    /// Its origin in the world.
    pub(in crate::builtin) origin: Vec3,
    /// The collision group of its parts.
    pub(in crate::builtin) group: u32,
}

impl<'a> Machine<'a> {
    /// The machine on the i-th of several lanes along x, this far apart [m].
    /// The parts of the first have no prefix.
    pub(in crate::builtin) fn on_lane(scene: &'a mut SceneFile, i: usize, apart: f64) -> Self {
        let prefix = if i == 0 { String::new() } else { format!("{i}-") };
        let origin = Vec3::new(0.0, apart * i as f64, 0.0);
        Machine { scene, prefix, origin, group: 1 << (i % 32) }
    }

    /// The full name of a part.
    pub(in crate::builtin) fn name(&self, part: &str) -> String {
        format!("{}{part}", self.prefix)
    }

    /// Adds parts and makes them a partition.
    pub(in crate::builtin) fn section(&mut self, add: impl FnOnce(&mut Self)) {
        let first = self.scene.bodies.len();
        add(self);
        let names = self.scene.bodies[first..].iter().map(|body| body.name.clone()).collect();
        super::add_partition(self.scene, names);
    }

    /// A part at a place relative to the origin; not yet added.
    pub(in crate::builtin) fn part(
        &self,
        part: &str,
        mass: f64,
        shape: Shape,
        at: impl Into<Vec3>,
    ) -> Body {
        let body = Body::new(self.name(part)).mass(mass).shape(shape);
        body.at(self.origin + at.into()).groups(self.group, !self.group)
    }

    /// Adds a box with these half extents.
    pub(in crate::builtin) fn block(
        &mut self,
        part: &str,
        mass: f64,
        half: [f64; 3],
        at: [f64; 3],
    ) {
        let body = self.part(part, mass, Shape::cuboid(half), at);
        self.scene.add(body);
    }

    /// Adds a small part inside the machine that touches nothing.
    pub(in crate::builtin) fn inner(&mut self, part: &str, mass: f64, half: f64, at: [f64; 3]) {
        let body = self.part(part, mass, Shape::cuboid([half; 3]), at);
        self.scene.add(body.ghost());
    }

    /// A joint between two parts at the origin of b, about or along an axis
    /// of a; not yet added. It has the name of b.
    pub(in crate::builtin) fn joint(
        &self,
        kind: JointType,
        a: &str,
        b: &str,
        axis: impl Into<[f64; 3]>,
    ) -> Joint {
        let b = self.name(b);
        Joint::between(kind, self.name(a), &b).named(b).axis_a(axis)
    }

    /// Adds a weld.
    pub(in crate::builtin) fn weld(&mut self, a: &str, b: &str) {
        let joint = Joint::weld(self.name(a), self.name(b));
        self.scene.join(joint);
    }

    /// Adds rubber mounts of this stiffness [N/m] between two parts.
    pub(in crate::builtin) fn mount(&mut self, a: &str, b: &str, stiffness: f64) {
        let mut joint = self.joint(JointType::Compliant, a, b, Vec3::Z);
        let spring = Spring::new(stiffness, 0.02 * stiffness);
        joint.linear = Some([spring; 3]);
        joint.angular = Some([spring; 3]);
        self.scene.join(joint);
    }

    /// Adds a wheel or drum, its axle along y, on a hinge that may have a
    /// motor.
    pub(in crate::builtin) fn wheel(
        &mut self,
        part: &str,
        on: &str,
        mass: f64,
        [half_width, radius]: [f64; 2],
        at: impl Into<Vec3>,
        motor: Option<Motor>,
    ) {
        let body = self.part(part, mass, Shape::cylinder(half_width, radius), at);
        self.scene.add(body.turned(Vec3::X, FRAC_PI_2));
        let hinge = self.joint(JointType::Hinge, on, part, Vec3::Y);
        self.scene.join(Joint { motor, ..hinge });
    }

    /// Adds a gear between the joints of two parts.
    pub(in crate::builtin) fn gear(&mut self, first: &str, second: &str, ratio: f64) {
        let joint = Joint::gear(self.name(first), self.name(second), ratio);
        self.scene.join(joint);
    }

    /// Adds a differential between the joints of three parts.
    pub(in crate::builtin) fn differential(&mut self, cage: &str, first: &str, second: &str) {
        let [cage, first, second] = [cage, first, second].map(|part| self.name(part));
        self.scene.join(Joint::differential(cage, first, second));
    }

    /// Moves the target of the motor of a part's joint.
    pub(in crate::builtin) fn drive(&mut self, part: &str, keys: Vec<Key>) {
        let drive = Drive::motor(self.name(part), keys);
        self.scene.drives.push(drive);
    }

    /// Keys that move the motors of parts' joints, not yet added.
    pub(in crate::builtin) fn control(
        &self,
        name: &str,
        keys: [&str; 2],
        parts: &[&str],
        range: [f64; 2],
    ) -> Control {
        let joints = parts.iter().map(|part| self.name(part)).collect();
        Control::new(name, keys, joints, range)
    }

    /// Adds a square beam between two points in a plane y = const; not
    /// joined. Its z goes from the first to the second.
    pub(in crate::builtin) fn beam(
        &mut self,
        part: &str,
        mass: f64,
        half_width: f64,
        [from, to]: [Vec3; 2],
    ) {
        let along = to - from;
        let shape = Shape::cuboid([half_width, half_width, 0.5 * along.length()]);
        let body = self.part(part, mass, shape, from.lerp(to, 0.5));
        self.scene.add(body.oriented(frame(along, Vec3::Y)));
    }

    /// Adds a beam that is hinged to `on` at its first point, about y.
    pub(in crate::builtin) fn arm(
        &mut self,
        part: &str,
        on: &str,
        mass: f64,
        half_width: f64,
        points: [Vec3; 2],
    ) {
        self.beam(part, mass, half_width, points);
        let half = 0.5 * points[0].distance(points[1]);
        let hinge = self.joint(JointType::Hinge, on, part, Vec3::Y);
        self.scene.join(hinge.anchor_b([0.0, 0.0, -half]));
    }

    /// Adds a hydraulic cylinder from a point of one part to a point of
    /// another (in the machine's coordinates), hinged to the first about
    /// `axis`, whose motor drives its extension. Its parts are
    /// `{name}-barrel` and `{name}-piston`; the joint with the motor has the
    /// name of the piston.
    pub(in crate::builtin) fn cylinder(
        &mut self,
        name: &str,
        masses: [f64; 2],
        [(a, from), (b, to)]: [(&str, Vec3); 2],
        axis: Vec3,
        motor: Motor,
    ) {
        let (barrel, piston) = (format!("{name}-barrel"), format!("{name}-piston"));
        let along = to - from;
        // Each reaches over 60 % of the way.
        let half = 0.3 * along.length();
        let turn = frame(along, axis);
        for (part, mass, at) in [(&barrel, masses[0], 0.3), (&piston, masses[1], 0.7)] {
            let shape = Shape::cylinder(half, 0.08 * half);
            let body = self.part(part, mass, shape, from + along * at).oriented(turn);
            self.scene.add(body.ghost());
        }
        let foot = self.joint(JointType::Hinge, a, &barrel, axis);
        let slide = self.joint(JointType::Slider, &barrel, &piston, Vec3::Z).motor(motor);
        let head = Joint::ball(self.name(b), self.name(&piston));
        self.scene.join(foot.anchor_b([0.0, 0.0, -half]));
        self.scene.join(slide);
        self.scene.join(head.anchor_b([0.0, 0.0, half]));
    }
}

/// Keys of a speed that rises within half a second from 0 at a time, and is 0
/// again at another.
pub(in crate::builtin) fn ramp(from: f64, to: f64, speed: f64) -> Vec<Key> {
    vec![(from, 0.0), (from + 0.5, speed), (to - 0.5, speed), (to, 0.0)]
}
