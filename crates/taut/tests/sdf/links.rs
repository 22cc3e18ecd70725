//! Links that are hooked into one another stay so, whatever pulls at them.

use super::shapes::{solid, tube};
use super::splitmix::Random;
use std::f64::consts::PI;
use taut::math::{Quat, Vec3};
use taut::{Body, BodyId, Joint, Material, World};

const H: f64 = 1.0 / 60.0;

/// A square frame: half its width in the middle of the bar, and half the bar.
fn frame(half: f64, bar: f64) -> taut::Shape {
    let square = |a: f64| [[a, a], [-a, a], [-a, -a], [a, -a]];
    solid(tube(&square(half - bar), &square(half + bar), -bar, bar))
}

/// Frames hooked into one another along x, the first fixed, and a load on a rope at the last.
fn chain(count: usize, half: f64, bar: f64, load: f64) -> (World, Vec<BodyId>) {
    let mut world = World::new();
    let material = Material { friction: 0.3, ..Material::default() };
    let pitch = 2.0 * half - 2.5 * bar;
    let mut links = Vec::new();
    for i in 0..count {
        let name = format!("link{i}");
        let body = if i == 0 { Body::fixed(name) } else { Body::dynamic(name) };
        let turn = if i % 2 == 0 { Quat::IDENTITY } else { Quat::from_rotation_x(0.5 * PI) };
        let body = body.shape(frame(half, bar)).density(7850.0).material(material);
        let at = Vec3::X * pitch * i as f64;
        links.push(world.add_body(body.position(at).orientation(turn)).expect("link"));
    }
    let rope = 2.0 * half;
    let at = Vec3::X * (pitch * (count - 1) as f64 + rope);
    let ball = Body::dynamic("load").mass(load).box_inertia([0.06; 3]).position(at);
    let load = world.add_body(ball).expect("load");
    world.add_joint(Joint::rope("rope", links[count - 1], load, rope)).expect("rope");
    (world, links)
}

fn longest(world: &World, links: &[BodyId]) -> f64 {
    let at = |id: BodyId| world.body(id).expect("link").position();
    links.windows(2).map(|p| at(p[0]).distance(at(p[1]))).fold(0.0, f64::max)
}

/// A chain of frames falls from a level start and is pulled taut by its load. (Links sank by less than the margin in each step, and
/// where they were held drifted on with the load: they passed through one another.)
#[test]
fn frames_on_a_rope_stay_hooked() {
    for (count, half, bar, load) in
        [(5, 0.1, 0.004, 50.0), (6, 0.05, 0.005, 5.0), (5, 0.08, 0.01, 100.0)]
    {
        let (mut world, links) = chain(count, half, bar, load);
        let mut deepest = 0.0_f64;
        for _ in 0..150 {
            let report = world.step(H).expect("a step");
            assert!(report.converged());
            assert_eq!(report.sunk_pair, None, "{load} kg");
            assert!(!report.gained_energy(), "{load} kg: gained {} J", report.energy_gain);
            deepest = deepest.max(report.max_penetration);
        }
        let far = longest(&world, &links);
        // By their corners.
        assert!(far < 2.0 * 2.0_f64.sqrt() * half, "{load} kg: links are {far} m apart");
        assert!(deepest < 2.5e-3, "{load} kg: {deepest} m deep");
    }
}

/// Where steps may not be halved they do pass, and it is said.
#[test]
fn links_that_pass_are_named() {
    let (mut world, links) = chain(5, 0.1, 0.004, 50.0);
    world.settings_mut().max_halvings = 0;
    let mut named = None;
    for _ in 0..120 {
        named = named.or(world.step(H).expect("a step").sunk_pair);
    }
    assert!(longest(&world, &links) > 0.3, "nothing passed: the test says nothing");
    let pair = named.expect("named");
    assert!(pair.iter().all(|name| name.starts_with("link")), "{pair:?}");
}

/// Solids with hollows that spin and meet in flight at up to 300 m/s, without restitution, keep both momenta.
#[test]
fn fast_solids_in_flight_keep_angular_momentum() {
    let mut random = Random(10);
    let mut met = 0;
    for i in 0..12 {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).expect("finite");
        let speed = [50.0, 100.0, 300.0][i % 3];
        for (name, side, density) in [("a", -1.0, 1000.0), ("b", 1.0, 3000.0)] {
            let mut vector = |most: f64| Vec3::from_array([0; 3].map(|_| random.real(-most, most)));
            let (turn, rate, aside) = (vector(3.0), vector(300.0), vector(0.01));
            let body = Body::dynamic(name).shape(frame(0.02, 0.005)).density(density);
            let body = body.position(Vec3::new(0.02 * speed * side, aside.y, aside.z));
            let body = body.orientation(Quat::from_scaled_axis(turn));
            let body = body.velocity(-0.5 * speed * side * Vec3::X).angular_velocity(rate);
            world.add_body(body).expect("body");
        }
        let mut first: Option<(Vec3, Vec3)> = None;
        for _ in 0..5 {
            let r = world.step(H).expect("a step");
            let (p, l) = *first.get_or_insert((r.momentum, r.angular_momentum));
            let fine = 1e-9 * (p.length() + l.length());
            assert!(r.momentum.distance(p) < fine, "{i}: {} {p}", r.momentum);
            assert!(r.angular_momentum.distance(l) < fine, "{i}: {} {l}", r.angular_momentum);
            assert!(!r.gained_energy(), "{i}: gained {} J", r.energy_gain);
        }
        let v = world.bodies().next().expect("a").1.velocity();
        met += usize::from(v.distance(0.5 * speed * Vec3::X) > 1.0);
    }
    assert!(met > 4, "{met} of 12 met");
}
