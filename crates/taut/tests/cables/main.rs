//! Cables against closed forms.

mod belts;
mod brakes;
mod edges;
mod forms;
mod friction;
mod hostile;
mod mass;
mod mistakes;
mod obstacles;
mod random;
mod scenes;
mod springs;
mod stops;
mod winches;
mod world;

use std::f64::consts::{FRAC_PI_2, PI};
use taut::math::{Quat, Vec3};
use taut::{
    Body, BodyId, Cable, CableId, Error, Event, Frame, Joint, Motor, Shape, Station, Winch, World,
};

const G: f64 = 9.81;

const H: f64 = 1.0 / 60.0;

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

/// A point mass, as good as one.
fn load(world: &mut World, name: &str, mass: f64, at: Vec3) -> BodyId {
    let body = Body::dynamic(name).mass(mass).box_inertia([0.1; 3]).position(at);
    world.add_body(body.collides(false)).unwrap()
}

/// A ring of this mass on a cable, with another one to ten tonnes that swing.
fn ring_under_ten_tonnes(mass: f64) -> World {
    let mut world = World::new();
    let ring = load(&mut world, "ring", mass, v(0.0, 0.0, -1.0));
    let heavy = load(&mut world, "heavy", 1e4, v(0.0, 0.0, -3.0));
    for (name, from, to) in [
        ("upper", Frame::World, Frame::Body(ring)),
        ("lower", Frame::Body(ring), Frame::Body(heavy)),
    ] {
        let cable = Cable::new(name)
            .via(Station::point(from, Vec3::ZERO))
            .via(Station::point(to, Vec3::ZERO));
        world.add_cable(cable).unwrap();
    }
    world.set_velocity(heavy, Vec3::X * 0.5, Vec3::ZERO).unwrap();
    world
}

/// A wheel of this moment of inertia on an axle along y, fixed to the world.
fn wheel(world: &mut World, name: &str, at: Vec3, mass: f64, radius: f64) -> BodyId {
    let shape = Shape::Cylinder { half_height: 0.05, radius };
    let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::Y);
    let body = Body::dynamic(name).mass(mass).shape(shape).position(at).orientation(turn);
    let id = world.add_body(body.collides(false)).unwrap();
    let joint = Joint::hinge(format!("axle of {name}"), Frame::World, id);
    world.add_joint(joint.anchor_b(Vec3::ZERO).axis_a(Vec3::Y)).unwrap();
    id
}

/// The axis of such a wheel in its own frame, for a cable that passes it in this sense about y.
const AXLE: Vec3 = Vec3::Z;

fn run(world: &mut World, steps: usize, h: f64) {
    for _ in 0..steps {
        let report = world.step(h).unwrap();
        assert!(report.converged(), "{:?} {:?}", report.status, report.refusals);
        assert!(!report.gained_energy(), "gained {} J", report.energy_gain);
    }
}

fn height(world: &World, id: BodyId) -> f64 {
    world.body(id).unwrap().position().z
}

fn tension(world: &World, id: CableId) -> f64 {
    world.cable(id).unwrap().tension()
}
