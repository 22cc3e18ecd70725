//! Chains and cables: links along a plane curve, each joined to the next.
//!
//! The long axis of a link is its z. Chains have universal joints, whose two
//! axes are the link's x and y: they bend and do not twist; or ball joints,
//! which do both freely. Cables have the six-degree joint: springs against
//! stretch (and shear), bend and twist.

use crate::file::{Body, Joint, JointType, SceneFile, Shape, Spring};
use taut::math::{Mat3, Quat, Vec3};

/// How links are joined.
#[derive(Clone, Copy)]
pub(in crate::builtin) enum Coupling {
    /// Universal joints.
    Universal,
    /// Ball joints.
    Ball,
    /// Springs: a cable.
    Cable(Cable),
}

/// Stiffness of one joint of a cable: that of a piece of one link's length.
#[derive(Clone, Copy)]
pub(in crate::builtin) struct Cable {
    /// Against stretch and shear [N/m].
    pub(in crate::builtin) stretch: f64,
    /// Against bending [N·m/rad].
    pub(in crate::builtin) bend: f64,
    /// Against twist [N·m/rad].
    pub(in crate::builtin) twist: f64,
    /// Time in which the dampers' forces equal those of the springs [s].
    pub(in crate::builtin) damping_time: f64,
}

/// The cross-section of a link.
#[derive(Clone, Copy)]
pub(in crate::builtin) enum Section {
    /// A square bar of this half width [m].
    Square(f64),
    /// A capsule of this radius [m].
    Round(f64),
}

/// A strand before it is laid.
#[derive(Clone)]
pub(in crate::builtin) struct Strand {
    /// Names are this and a number.
    pub(in crate::builtin) prefix: String,
    /// Mass of a link [kg].
    pub(in crate::builtin) mass: f64,
    /// Cross-section of a link.
    pub(in crate::builtin) section: Section,
    /// How links are joined.
    pub(in crate::builtin) coupling: Coupling,
    /// Collision groups and mask; `None`: collides with everything.
    pub(in crate::builtin) groups: Option<(u32, u32)>,
    /// Surface; `None`: the default one.
    pub(in crate::builtin) material: Option<&'static str>,
}

impl Strand {
    /// Lays a link between each two points of a plane curve with normal
    /// `normal`, and joins the ends to the bodies `ends` names, which must
    /// not be turned. Returns the names of the links.
    pub(in crate::builtin) fn lay(
        &self,
        scene: &mut SceneFile,
        points: &[Vec3],
        normal: Vec3,
        ends: [Option<&str>; 2],
    ) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(points.len());
        for (i, pair) in points.windows(2).enumerate() {
            let name = format!("{}{i}", self.prefix);
            let along = pair[1] - pair[0];
            let half = 0.5 * along.length();
            scene.add(self.link(&name, pair[0] + 0.5 * along, along, normal));
            let across = frame(along, normal) * Vec3::X;
            match (names.last(), ends[0]) {
                (Some(last), _) => scene.join(self.joint(last, &name, -half, Vec3::X)),
                (None, Some(end)) => scene.join(self.joint(end, &name, -half, across)),
                (None, None) => scene,
            };
            if let (Some(end), true) = (ends[1], i + 2 == points.len()) {
                scene.join(self.joint(end, &name, half, across));
            }
            names.push(name);
        }
        names
    }

    fn link(&self, name: &str, centre: Vec3, along: Vec3, normal: Vec3) -> Body {
        let half = 0.5 * along.length();
        let shape = match self.section {
            Section::Square(w) => Shape::cuboid([w, w, half]),
            Section::Round(r) => Shape::capsule((half - r).max(0.0), r),
        };
        let mut body = Body::new(name).shape(shape).mass(self.mass).at(centre);
        if let Some((membership, mask)) = self.groups {
            body = body.groups(membership, mask);
        }
        if let Some(material) = self.material {
            body = body.material(material);
        }
        body.oriented(frame(along, normal))
    }

    /// Joins `a` and the link `b` at the height z of the link. A universal
    /// joint has the axis `across` in a and y in b.
    fn joint(&self, a: &str, b: &str, z: f64, across: Vec3) -> Joint {
        match self.coupling {
            Coupling::Universal => Joint::between(JointType::Universal, a, b)
                .anchor_b([0.0, 0.0, z])
                .axis_a(across)
                .axis_b([0.0, 1.0, 0.0]),
            Coupling::Ball => Joint::ball(a, b).anchor_b([0.0, 0.0, z]),
            Coupling::Cable(cable) => cable.joint(a, b, z),
        }
    }
}

impl Cable {
    /// Joins `a` and the link `b` at the height z of the link.
    pub(in crate::builtin) fn joint(&self, a: &str, b: &str, z: f64) -> Joint {
        let spring = |k: f64| Spring::new(k, k * self.damping_time);
        let (stretch, bend) = (spring(self.stretch), spring(self.bend));
        let mut joint = Joint::between(JointType::Compliant, a, b).anchor_b([0.0, 0.0, z]);
        joint.linear = Some([stretch; 3]);
        joint.angular = Some([bend, bend, spring(self.twist)]);
        joint.axis_b([0.0, 0.0, 1.0])
    }
}

/// The rotation that takes z to `along` and y close to `normal`.
pub(in crate::builtin) fn frame(along: Vec3, normal: Vec3) -> Quat {
    let z = along.normalize_or(Vec3::Z);
    let y = normal.reject_from(z).normalize_or(z.any_orthonormal_vector());
    Quat::from_mat3(&Mat3::from_cols(y.cross(z), y, z))
}

/// `n` + 1 equidistant points from `a` to `b`.
pub(in crate::builtin) fn straight(a: Vec3, b: Vec3, n: usize) -> Vec<Vec3> {
    let n = n.max(1);
    (0..=n).map(|i| a.lerp(b, i as f64 / n as f64)).collect()
}
