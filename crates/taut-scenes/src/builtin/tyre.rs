//! A soft tyre on a rim rolls over a bump, under a truck's load.
//!
//! A carriage bears the load; it slides up and down on a sledge, which slides along the road. A motor in the hub turns the rim, to which
//! the inner side of the tyre is fixed: friction of the tyre drives all.

use super::Entry;
use crate::file::{
    Attached, Body, Drive, Ground, Joint, Material, Motor, Region, SceneFile, Shape, SoftBody,
    SoftMesh, wxyz,
};
use std::f64::consts::FRAC_PI_2;
use taut::math::Quat;

pub(super) const ENTRY: Entry = Entry {
    name: "tyre",
    aliases: &[],
    summary: "A soft tyre on a rim rolls over a bump under a truck's load.",
    source: "Andrews22 4: soft bodies, joints and friction in one problem",
    size_of: "tyres",
    default_size: 1,
    small_size: 1,
    build,
};

/// Radii of the tyre, and its width.
const RADII: [f64; 2] = [0.28, 0.5];
const WIDTH: f64 = 0.3;
/// Cells through the tyre, around, and across.
const CELLS: [usize; 3] = [2, 20, 1];
const LOAD: f64 = 2500.0;
const SPEED: f64 = 1.0;

/// `size` tyres side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Tyre of 0.5 m, E = 4 MPa, nu = 0.4, under 2.5 t; the hub turns at 2 rad/s; the bump is 6 cm high.";
    let mut scene = ENTRY.scene(notes, &[("load", LOAD * 9.81)]);
    scene.duration = 4.0;
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(0.9));
    for i in 0..size {
        add_tyre(&mut scene, i);
    }
    scene
}

fn add_tyre(scene: &mut SceneFile, i: usize) {
    let y = 1.2 * i as f64;
    let hub = RADII[1] + 0.002;
    let named = |part: &str| format!("{part}{i}");
    let (sledge, carriage, rim) = (named("sledge"), named("carriage"), named("rim"));
    let across = Quat::from_rotation_x(-FRAC_PI_2);
    let body = Body::new(&sledge).shape(Shape::cuboid([0.5, 0.04, 0.04])).mass(100.0).ghost();
    scene.add(body.at([0.0, y + 0.5, 1.1]));
    let rail = Joint::slider("world", &sledge).axis_a([1.0, 0.0, 0.0]).anchor_b([0.0; 3]);
    scene.join(rail.named(named("road")));
    let body = Body::new(&carriage).shape(Shape::cuboid([0.4, 0.25, 0.2])).mass(LOAD).ghost();
    scene.add(body.at([0.0, y, 1.3]));
    let rail = Joint::slider(&sledge, &carriage).axis_a([0.0, 0.0, 1.0]).anchor_b([0.0; 3]);
    scene.join(rail.named(named("guide")));
    let shape = Shape::cylinder(0.5 * WIDTH, RADII[0]);
    scene.add(Body::new(&rim).shape(shape).mass(60.0).oriented(across).at([0.0, y, hub]));
    let hinge = Joint::hinge(&carriage, &rim).axis_a([0.0, 1.0, 0.0]).anchor_b([0.0; 3]);
    scene.join(hinge.motor(Motor::velocity(0.0, 5e3)).named(named("hub")));
    // The nodes of the inner side: those of the next ring that come nearest to a diagonal are 36 degrees from an axis, and outside.
    let half = RADII[0] + 1e-3;
    let within = Region { min: [-half, y - WIDTH, hub - half], max: [half, y + WIDTH, hub + half] };
    let mesh = SoftMesh::Tube { radii: RADII, height: WIDTH, cells: CELLS };
    scene.soften(SoftBody {
        position: [0.0, y - 0.5 * WIDTH, hub],
        orientation: wxyz(across),
        young: 4e6,
        poisson: 0.4,
        density: Some(1100.0),
        damping: [0.0, 0.005],
        attached: vec![Attached { body: rim, within }],
        colour: Some("#2b2b2e".into()),
        ..SoftBody::new(named("tyre"), mesh)
    });
    let bump = Body::fixed(named("bump")).shape(Shape::cylinder(0.4, 0.1)).oriented(across);
    scene.add(bump.at([2.0, y, -0.04]));
    let turn = SPEED / RADII[1];
    let keys = vec![(0.0, 0.0), (0.5, 0.0), (1.5, turn)];
    scene.drives.push(Drive::motor(named("hub"), keys));
}
