//! Free collisions conserve momentum and angular momentum to rounding.
mod scenes;
#[allow(dead_code)] // other tests use the rest
mod splitmix;

use scenes::*;
use splitmix::Random;
use taut::math::{Quat, Vec3};
use taut::{Body, Material, Shape, World};

#[test]
fn collisions_conserve_momentum() {
    let material = Material { restitution: 0.7, friction: 0.4, ..Material::default() };
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let shapes = [
        (Shape::Ball { radius: 0.3 }, 1.0),
        (cuboid(0.3, 0.2, 0.4), 20.0),
        (Shape::Capsule { half_length: 0.3, radius: 0.2 }, 0.05),
        (Shape::Cylinder { half_height: 0.3, radius: 0.2 }, 5.0),
    ];
    for (i, (shape, mass)) in shapes.into_iter().enumerate() {
        let angle = 1.7 * i as f64;
        let at = Vec3::new(angle.cos(), angle.sin(), 0.1 * i as f64) * 1.5;
        let body = Body::dynamic(format!("body{i}")).shape(shape).mass(mass).material(material);
        let body =
            body.position(at).velocity(-2.0 * at).angular_velocity(Vec3::new(1.0, angle, 0.3));
        world.add_body(body.orientation(Quat::from_rotation_x(angle))).expect("body");
    }
    let mut first: Option<(Vec3, Vec3)> = None;
    let mut contacts = 0;
    for _ in 0..240 {
        let r = step(&mut world, H);
        contacts += r.contacts;
        let (p, l) = *first.get_or_insert((r.momentum, r.angular_momentum));
        assert!(r.momentum.distance(p) < 1e-11 * 100.0, "{} {p}", r.momentum);
        assert!(r.angular_momentum.distance(l) < 1e-11 * 100.0, "{} {l}", r.angular_momentum);
    }
    assert!(contacts > 0, "nothing met");
}

/// Two equal balls, e = 1: they exchange velocities.
#[test]
fn elastic_balls_exchange_velocities() {
    let material = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).expect("finite");
    let ball = |name: &str, x: f64| {
        let body = Body::dynamic(name).shape(Shape::Ball { radius: 0.1 });
        body.material(material).position(Vec3::X * x)
    };
    let a = world.add_body(ball("a", 0.0).velocity(Vec3::X * 3.0)).expect("a");
    let b = world.add_body(ball("b", 1.0)).expect("b");
    for _ in 0..60 {
        step(&mut world, H);
    }
    let v = |id| world.body(id).expect("ball").velocity();
    assert!(v(a).length() < 1e-8 && v(b).distance(Vec3::X * 3.0) < 1e-8, "{} {}", v(a), v(b));
}

/// Boxes that spin and meet at 100 to 300 m/s, many times their size in a step, without restitution: where one is held at the
/// other, both momenta stay. (Held pairs lost half of their turning.)
#[test]
fn fast_boxes_in_flight_keep_angular_momentum() {
    let mut random = Random(24);
    let mut met = 0;
    for i in 0..40 {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("finite");
        let speed = [100.0, 150.0, 300.0][i % 3];
        for (name, side, density) in [("a", -1.0, 1000.0), ("b", 1.0, 3000.0)] {
            let mut vector = |most: f64| Vec3::from_array([0; 3].map(|_| random.real(-most, most)));
            let (turn, rate, aside) = (vector(3.0), vector(300.0), vector(0.01));
            let at = Vec3::new(3.05 * side, aside.y, aside.z);
            let body = Body::dynamic(name).shape(cuboid(0.03, 0.02, 0.01)).density(density);
            let body = body.position(at).orientation(Quat::from_scaled_axis(turn));
            let body = body.velocity(-0.5 * speed * side * Vec3::X).angular_velocity(rate);
            world.add_body(body.material(friction(0.3))).expect("body");
        }
        let mut first: Option<(Vec3, Vec3)> = None;
        for _ in 0..6 {
            let r = step(&mut world, H);
            let (p, l) = *first.get_or_insert((r.momentum, r.angular_momentum));
            let fine = 1e-9 * (p.length() + l.length());
            assert!(r.momentum.distance(p) < fine, "{i}: {} {p}", r.momentum);
            assert!(r.angular_momentum.distance(l) < fine, "{i}: {} {l}", r.angular_momentum);
            assert!(!r.gained_energy(), "{i}: gained {} J", r.energy_gain);
        }
        let v = world.bodies().next().expect("a").1.velocity();
        met += usize::from(v.distance(0.5 * speed * Vec3::X) > 1.0);
    }
    assert!(met > 20, "{met} of 40 met");
}
