//! A net of cables, clamped to one another where they cross.

use super::add_partition;
use super::strand::{Cable, Coupling, Section, Strand, straight};
use crate::file::{Joint, SceneFile};
use taut::math::Vec3;

/// Collision group of all cables of a net: they do not collide with one
/// another.
const GROUP: u32 = 1;

/// A net before it is laid. Pairs are along x and along y.
pub(in crate::builtin) struct Net {
    /// Length of a link [m].
    pub(in crate::builtin) link: f64,
    /// Mass of a link [kg].
    pub(in crate::builtin) mass: f64,
    /// Radius of a cable [m].
    pub(in crate::builtin) radius: f64,
    /// Stiffness of its joints.
    pub(in crate::builtin) cable: Cable,
    /// Links of a cable.
    pub(in crate::builtin) links: [usize; 2],
    /// Number of cables.
    pub(in crate::builtin) cables: [usize; 2],
}

impl Net {
    /// Lays the net, centred at the origin in the plane z = 0, its edges
    /// fixed to the world. Each cable is a partition.
    pub(in crate::builtin) fn lay(&self, scene: &mut SceneFile) {
        for direction in 0..2 {
            for i in 0..self.cables[direction] {
                self.cable(scene, direction, i);
            }
        }
        for i in 0..self.cables[0] {
            for j in 0..self.cables[1] {
                let a = format!("x{i}-{}", self.crossing(0, j));
                let b = format!("y{j}-{}", self.crossing(1, i));
                scene.join(Joint::ball(a, b));
            }
        }
    }

    /// The link of a cable in that direction at which the i-th cable of the
    /// other direction crosses it.
    fn crossing(&self, direction: usize, i: usize) -> usize {
        (i + 1) * self.links[direction] / (self.cables[1 - direction] + 1)
    }

    /// Where, along that direction, the i-th cable of the other one is [m].
    fn place(&self, direction: usize, i: usize) -> f64 {
        let centre = 0.5 * self.links[direction] as f64;
        self.link * (self.crossing(direction, i) as f64 + 0.5 - centre)
    }

    fn cable(&self, scene: &mut SceneFile, direction: usize, i: usize) {
        let (along, across) = if direction == 0 { (Vec3::X, Vec3::Y) } else { (Vec3::Y, Vec3::X) };
        let strand = Strand {
            prefix: format!("{}{i}-", if direction == 0 { 'x' } else { 'y' }),
            mass: self.mass,
            section: Section::Round(self.radius),
            coupling: Coupling::Cable(self.cable),
            groups: Some((GROUP, !GROUP)),
            material: None,
        };
        let half = 0.5 * self.link * self.links[direction] as f64 * along;
        let middle = self.place(1 - direction, i) * across;
        let points = straight(middle - half, middle + half, self.links[direction]);
        let names = strand.lay(scene, &points, Vec3::Z, [Some("world"); 2]);
        add_partition(scene, names);
    }
}
