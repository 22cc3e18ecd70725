//! What the step keeps: energy, closed joints, second order. Prints a table.
//!
//! `cargo run --release -p taut --example step_study -- [NAME PART] [cone]`
//!
//! Lost and gained are shares of the largest kinetic energy; stretch is the sum of all gaps over
//! the length, in any frame; parts are steps a frame was divided into.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use taut::math::{Quat, Vec3};
use taut::{Body, Error, Frame, FrictionMode, Joint, Material, Shape, World};

const H: f64 = 1.0 / 60.0;
const SECONDS: f64 = 10.0;

type Built = Result<World, Error>;

fn bar(name: String, half: f64, mass: f64) -> Body {
    let shape = Shape::Box { half_extents: Vec3::new(half, 0.1 * half, 0.1 * half) };
    Body::dynamic(name).shape(shape).mass(mass).collides(false)
}

/// Links along x, hung from the origin, and a cube of 0.5 m at the end where there is a load.
fn chain(links: usize, length: f64, link: f64, load: f64) -> Built {
    let mut world = World::new();
    let mut last = (Frame::World, Vec3::ZERO);
    let mut x = 0.0;
    let count = links + usize::from(load > 0.0);
    for i in 0..count {
        let body = if i < links {
            bar(format!("link{i}"), 0.5 * length, link)
        } else {
            let shape = Shape::Box { half_extents: Vec3::splat(0.25) };
            Body::dynamic("load").shape(shape).mass(load).collides(false)
        };
        let half = if i < links { 0.5 * length } else { 0.25 };
        let body = world.add_body(body.position(Vec3::X * (x + half)))?;
        let joint = Joint::ball(format!("joint{i}"), last.0, body).anchor_a(last.1);
        world.add_joint(joint.anchor_b(Vec3::X * -half))?;
        last = (body.into(), Vec3::X * half);
        x += 2.0 * half;
    }
    Ok(world)
}

/// A bar from one point of the plane y = 0 to another.
fn strut(world: &mut World, name: &str, from: Vec3, to: Vec3, mass: f64) -> Result<Frame, Error> {
    let turn = Quat::from_rotation_arc(Vec3::X, (to - from).normalize());
    let body = bar(name.into(), 0.5 * from.distance(to), mass);
    Ok(world.add_body(body.position(0.5 * (from + to)).orientation(turn))?.into())
}

fn hinge(world: &mut World, name: &str, a: Frame, b: Frame, half: f64) -> Result<(), Error> {
    let joint = Joint::hinge(name, a, b).anchor_b(Vec3::X * half).axis_b(Vec3::Y);
    world.add_joint(joint).map(|_| ())
}

/// Crank, coupler and rocker without a motor, let go with the crank at an angle.
fn four_bar(speed: f64) -> Built {
    let mut world = World::new();
    let (a, d) = (Vec3::ZERO, Vec3::X * 0.6);
    let b = Vec3::new(0.0, 0.0, 0.2);
    // 0.6 from b, 0.5 from d.
    let (across, reach) = (d - b, (d - b).length());
    let along = (reach * reach + 0.36 - 0.25) / (2.0 * reach);
    let up = Vec3::new(-across.z, 0.0, across.x) / reach;
    let c = b + across * (along / reach) + up * (0.36 - along * along).sqrt();
    let crank = strut(&mut world, "crank", a, b, 0.8)?;
    let coupler = strut(&mut world, "coupler", b, c, 2.4)?;
    let rocker = strut(&mut world, "rocker", d, c, 2.0)?;
    hinge(&mut world, "A", Frame::World, crank, -0.1)?;
    hinge(&mut world, "B", crank, coupler, -0.3)?;
    hinge(&mut world, "C", coupler, rocker, 0.25)?;
    hinge(&mut world, "D", Frame::World, rocker, -0.25)?;
    kick(&mut world, crank, speed)
}

/// A crank of 0.2 m, a rod of 0.6 m and a slider of 3 kg on a rail.
fn slider_crank(speed: f64) -> Built {
    let mut world = World::new();
    let pin = Vec3::new(0.0, 0.0, 0.2);
    let end = Vec3::X * (0.36_f64 - 0.04).sqrt();
    let crank = strut(&mut world, "crank", Vec3::ZERO, pin, 0.8)?;
    let rod = strut(&mut world, "rod", pin, end, 2.4)?;
    let block = bar("block".into(), 0.1, 3.0).position(end);
    let block = world.add_body(block)?;
    hinge(&mut world, "A", Frame::World, crank, -0.1)?;
    hinge(&mut world, "B", crank, rod, -0.3)?;
    let joint = Joint::ball("C", rod, block).anchor_a(Vec3::X * 0.3);
    world.add_joint(joint)?;
    world.add_joint(Joint::slider("rail", Frame::World, block).axis_a(Vec3::X))?;
    kick(&mut world, crank, speed)
}

/// Gives a body a rate about y; its joints carry the others along in the first step.
fn kick(world: &mut World, body: Frame, speed: f64) -> Built {
    if let (Some(id), true) = (body.body(), speed != 0.0) {
        let x = world.body(id).map_or(Vec3::ZERO, |b| b.centre_of_mass());
        let w = Vec3::Y * speed;
        world.set_velocity(id, w.cross(x), w)?;
    }
    std::mem::replace(world, World::new()).step_once()
}

trait StepOnce {
    fn step_once(self) -> Built;
}

impl StepOnce for World {
    /// A step of a microsecond, after which velocities agree with joints.
    fn step_once(mut self) -> Built {
        let _ = self.step(1e-6)?;
        Ok(self)
    }
}

/// A cart on a rail and a spring of ωh.
fn spring(rate: f64) -> Built {
    let mut world = World::new();
    let cart = world.add_body(bar("cart".into(), 0.1, 2.0))?;
    world.add_joint(Joint::slider("rail", Frame::World, cart).axis_a(Vec3::X))?;
    let stiffness = 2.0 * (rate / H).powi(2);
    let pull = Joint::rod("spring", Frame::World, cart, 1.0).anchor_a(Vec3::X * -1.0);
    world.add_joint(pull.anchor_b(Vec3::ZERO).linear_spring(stiffness, 0.0))?;
    world.set_velocity(cart, Vec3::X, Vec3::ZERO)?;
    Ok(world)
}

struct Measured {
    lost: f64,
    gained: f64,
    allowed: f64,
    stretch: f64,
    parts: f64,
    torn: usize,
    ms: f64,
}

fn measure(world: &mut World, h: f64, length: f64, seconds: f64) -> Result<Measured, Error> {
    let start = world.energy();
    let (mut most, mut stretch, mut parts, mut torn) = (0.0_f64, 0.0_f64, 0, 0);
    let (mut gained, mut allowed) = (0.0_f64, f64::INFINITY);
    let steps = (seconds / h).round() as usize;
    let clock = Instant::now();
    for _ in 0..steps {
        let report = world.step(h)?;
        most = most.max(report.kinetic_energy);
        if report.energy_gain > gained {
            (gained, allowed) = (report.energy_gain, report.energy_tolerance);
        }
        parts += report.parts;
        torn += usize::from(report.is_torn() || !report.converged());
        let gaps = world.joints().filter_map(|(id, _)| world.joint_anchors(id).ok());
        // Sliders and springs have anchors apart.
        let gap: f64 = gaps.map(|(a, b)| a.distance(b)).filter(|d| *d < 0.05).sum();
        stretch = stretch.max(gap / length);
    }
    let ms = 1e3 * clock.elapsed().as_secs_f64() / steps as f64;
    let lost = (start - world.energy()) / most;
    let parts = parts as f64 / steps as f64;
    Ok(Measured { lost, gained: gained / most, allowed: allowed / most, stretch, parts, torn, ms })
}

/// Boxes on a turntable at a share of the rate at which they would slip: how far they move
/// outward in a minute, relative to their radius.
fn turntable(share: f64, cone: bool) -> Result<f64, Error> {
    let mut world = World::new();
    if cone {
        world.settings_mut().friction = FrictionMode::Cone;
    }
    let material = Material { friction: 0.5, ..Material::default() };
    let rate = (share * 0.5 * 9.81_f64).sqrt();
    let disc = Shape::Cylinder { half_height: 0.1, radius: 2.0 };
    let disc = Body::kinematic("disc").shape(disc).material(material);
    let disc = world.add_body(disc.position(Vec3::Z * -0.1))?;
    world.set_velocity(disc, Vec3::ZERO, Vec3::Z * rate)?;
    let shape = Shape::Box { half_extents: Vec3::splat(0.1) };
    let body = Body::dynamic("box").shape(shape).mass(1.0).material(material);
    let body = body.position(Vec3::new(1.0, 0.0, 0.1)).velocity(Vec3::Y * rate);
    let id = world.add_body(body.angular_velocity(Vec3::Z * rate))?;
    for _ in 0..3600 {
        let _ = world.step(H)?;
    }
    let x = world.body(id).map_or(Vec3::ZERO, |b| b.centre_of_mass());
    Ok(x.x.hypot(x.y) - 1.0)
}

/// Errors of the four-bar after a second, at h, h/2, h/4.
fn order() -> Result<(), Error> {
    let at = |n: usize| -> Result<Vec3, Error> {
        let mut world = four_bar(3.0)?;
        for _ in 0..n {
            let _ = world.step(1.0 / n as f64)?;
        }
        let coupler = world.bodies().find(|(_, b)| b.name() == "coupler");
        Ok(coupler.map_or(Vec3::ZERO, |(_, b)| b.centre_of_mass()))
    };
    let exact = at(15_360)?;
    let errors: Result<Vec<f64>, Error> =
        [60, 120, 240, 480].iter().map(|&n| Ok(at(n)?.distance(exact))).collect();
    let errors: Vec<String> = errors?.iter().map(|e| format!("{e:.1e}")).collect();
    println!("four-bar, errors after 1 s at 1/60 to 1/480 s: {} m", errors.join(", "));
    Ok(())
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let cone = args.iter().any(|a| a == "cone");
    let part = args.into_iter().find(|a| a != "cone").unwrap_or_default();
    let mut cases: Vec<(String, f64, f64, Built)> = Vec::new();
    for (n, l, most) in
        [(1, 1.0, 1.0), (2, 1.0, 1.0), (3, 1.0, 1.0), (1, 0.1, 5.0), (2, 0.1, 5.0), (3, 0.1, 5.0)]
    {
        cases.push((format!("pendulum {n} x {l} m"), most, n as f64 * l, chain(n, l, 1.0, 0.0)));
    }
    for (n, link, load) in [
        (10, 1.0, 100.0),
        (10, 0.25, 500.0),
        (10, 0.01, 1000.0),
        (30, 0.25, 500.0),
        (30, 1.0, 100.0),
        (100, 5.0, 500.0),
        (100, 0.25, 500.0),
        (100, 0.01, 500.0),
        (100, 0.01, 1000.0),
        (300, 0.25, 500.0),
        (1000, 0.25, 500.0),
        (1000, 0.01, 1000.0),
    ] {
        let name = format!("chain {n} x {link} kg, {load} kg");
        cases.push((name, 2.0, 0.1 * n as f64, chain(n, 0.1, link, load)));
    }
    for speed in [0.0, 5.0, 20.0] {
        cases.push((format!("four-bar {speed} rad/s"), 0.5, 1.0, four_bar(speed)));
        cases.push((format!("slider-crank {speed} rad/s"), 0.5, 1.0, slider_crank(speed)));
    }
    for rate in [0.1, 0.3, 1.0, 3.0, 10.0] {
        cases.push((format!("spring of wh = {rate}"), 1.0, 1.0, spring(rate)));
    }
    println!(
        "{:28} {:>8} {:>6} {:>9} {:>9} {:>8} {:>6} {:>5} {:>7}",
        "", "lost %", "goal", "gained", "allowed", "stretch", "parts", "torn", "ms"
    );
    for (name, goal, length, world) in cases.into_iter().filter(|c| c.0.contains(&part)) {
        let mut world = world?;
        if cone {
            world.settings_mut().friction = FrictionMode::Cone;
        }
        let m = measure(&mut world, H, length, SECONDS)?;
        println!(
            "{name:28} {:8.3} {goal:6} {:9.1e} {:9.1e} {:8.1e} {:6.2} {:5} {:7.2}",
            100.0 * m.lost,
            m.gained,
            m.allowed,
            m.stretch,
            m.parts,
            m.torn,
            m.ms
        );
    }
    if "turntable".contains(&part) {
        for share in [0.9, 0.99] {
            println!(
                "turntable at {share} of the limit: {:+.1e} m in 60 s",
                turntable(share, cone)?
            );
        }
    }
    if "order".contains(&part) {
        order()?;
    }
    Ok(())
}
