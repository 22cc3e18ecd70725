//! Pieces the physics tests share.
#![allow(dead_code)]

use taut::math::Vec3;
use taut::{Body, BodyId, Frame, Joint, Material, Shape, StepReport, World};

pub const G: f64 = 9.81;
pub const H: f64 = 1.0 / 60.0;

pub fn cube(half: f64) -> Shape {
    Shape::Box { half_extents: Vec3::splat(half) }
}

pub fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { half_extents: Vec3::new(x, y, z) }
}

pub fn friction(mu: f64) -> Material {
    Material { friction: mu, ..Material::default() }
}

pub fn ground(world: &mut World, material: Material) -> BodyId {
    let body = Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(body.material(material)).expect("ground")
}

/// The report of a step that was seen to converge: nobody has to look at it again.
pub struct Converged(StepReport);

impl std::ops::Deref for Converged {
    type Target = StepReport;

    fn deref(&self) -> &StepReport {
        &self.0
    }
}

/// A step that must converge.
pub fn step(world: &mut World, h: f64) -> Converged {
    let report = world.step(h).expect("valid step");
    assert!(report.converged(), "t = {}: {:?} {:?}", report.time, report.status, report.refusals);
    Converged(report)
}

pub fn position(world: &World, id: BodyId) -> Vec3 {
    world.body(id).expect("body").position()
}

/// Links of 0.1 m along x, hung from the origin, a cube of 0.5 m at the end.
pub fn chain(links: usize, link: f64, load: f64) -> World {
    let mut world = World::new();
    let mut last = Frame::World;
    for i in 0..=links {
        let is_link = i < links;
        let half = if is_link { 0.05 } else { 0.25 };
        let shape = if is_link { cuboid(0.05, 0.01, 0.01) } else { cube(0.25) };
        let x = Vec3::X * (0.1 * i as f64 + half);
        let mass = if is_link { link } else { load };
        let body = Body::dynamic(format!("body{i}")).position(x).shape(shape).mass(mass);
        let body = world.add_body(body.collides(false)).expect("body");
        let anchor = if i == 0 { Vec3::ZERO } else { Vec3::X * 0.05 };
        let joint = Joint::ball(format!("joint{i}"), last, body).anchor_a(anchor);
        world.add_joint(joint.anchor_b(Vec3::X * -half)).expect("joint");
        last = body.into();
    }
    world
}

/// Sum of the distances of all anchors.
pub fn gaps(world: &World) -> f64 {
    let anchors = world.joints().map(|(id, _)| world.joint_anchors(id).expect("joint"));
    anchors.map(|(a, b)| a.distance(b)).sum()
}
