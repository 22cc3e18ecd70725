//! Two fingers with soft pads lift a heavy box.
//!
//! Coulomb's law: the box hangs on two pads, so it holds while 2 μ F is at least m (g + a).

use super::Entry;
use crate::file::{
    Attached, Body, Drive, Ground, Joint, Material, Motor, Region, SceneFile, Shape, SoftBody,
    SoftMesh,
};

pub(super) const ENTRY: Entry = Entry {
    name: "soft-gripper",
    aliases: &[],
    summary: "Rigid fingers with soft pads grip a box and lift it by friction.",
    source: "Coulomb's law: 2 mu F carries the box",
    size_of: "grippers",
    default_size: 1,
    small_size: 1,
    build,
};

const MASS: f64 = 20.0;
const FRICTION: f64 = 0.8;
/// Half the width of the box, thickness of a pad.
const HALF: f64 = 0.15;
const PAD: f64 = 0.05;

/// Cells along the sides of a pad.
const CELLS: usize = 3;

/// `size` grippers side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Box of 20 kg, friction 0.8, 200 N on each finger; 123 N would hold it at rest.";
    let mut scene = ENTRY.scene(notes, &[("least_force", MASS * 9.81 / (2.0 * FRICTION))]);
    scene.duration = 8.0;
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(FRICTION));
    for i in 0..size {
        add_gripper(&mut scene, i);
    }
    scene
}

fn add_gripper(scene: &mut SceneFile, i: usize) {
    let y = 0.8 * i as f64;
    let (cargo, carriage, lift) = (format!("box{i}"), format!("carriage{i}"), format!("lift{i}"));
    let body = Body::new(&cargo).shape(Shape::cuboid([HALF; 3])).mass(MASS);
    scene.add(body.at([0.0, y, HALF]));
    let body = Body::new(&carriage).shape(Shape::cuboid([0.35, 0.08, 0.04])).mass(20.0).ghost();
    scene.add(body.at([0.0, y, 0.6]));
    let rail = Joint::slider("world", &carriage).axis_a([0.0, 0.0, 1.0]).anchor_b([0.0; 3]);
    scene.join(rail.motor(Motor::velocity(0.0, 1e5)).named(&lift));
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        let finger = format!("{name}{i}");
        let inner = HALF + PAD + 0.005;
        let body = Body::new(&finger).shape(Shape::cuboid([0.02, 0.1, 0.25])).mass(2.0);
        scene.add(body.at([side * (inner + 0.02), y, 0.33]));
        let rail = Joint::slider(&carriage, &finger).axis_a([side, 0.0, 0.0]).anchor_b([0.0; 3]);
        scene.join(rail.motor(Motor::force(-200.0)).named(format!("grip {finger}")));
        let (from, at) = (if side < 0.0 { -inner } else { HALF + 0.005 }, side * inner);
        let within = Region { min: [at - 0.001, y - 1.0, 0.0], max: [at + 0.001, y + 1.0, 1.0] };
        let mesh = SoftMesh::Block { size: [PAD, 0.16, 0.16], cells: [1, CELLS, CELLS] };
        scene.soften(SoftBody {
            position: [from, y - 0.08, 0.1],
            young: 2e5,
            density: Some(500.0),
            damping: [0.0, 0.01],
            attached: vec![Attached { body: finger.clone(), within }],
            ..SoftBody::new(format!("pad {finger}"), mesh)
        });
    }
    let keys = vec![(0.0, 0.0), (1.0, 0.0), (1.5, 0.2), (4.0, 0.2), (4.5, 0.0)];
    scene.drives.push(Drive::motor(lift, keys));
}
