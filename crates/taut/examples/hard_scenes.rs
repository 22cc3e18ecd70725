//! Measures the hard scenes: what the engine reaches, and what a frame costs.
//!
//! `cargo run --release -p taut --example hard_scenes -- chain 60`
#![allow(clippy::print_stdout)]

use taut::math::Vec3;
use taut::{Body, BodyId, Error, Frame, Joint, Material, Shape, World};

const H: f64 = 1.0 / 60.0;

fn cube(half: f64) -> Shape {
    Shape::Box { half_extents: Vec3::splat(half) }
}

fn ground(world: &mut World) -> Result<BodyId, Error> {
    world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))
}

/// Links along x with a load at the end, hung from the origin.
fn chain(links: usize, link: f64, load: f64) -> Result<World, Error> {
    let mut world = World::new();
    let shape = Shape::Box { half_extents: Vec3::new(0.05, 0.01, 0.01) };
    let mut last = Frame::World;
    for i in 0..=links {
        let (name, mass, shape) = if i < links {
            (format!("link{i}"), link, shape.clone())
        } else {
            ("load".into(), load, cube(0.25))
        };
        let half = if i < links { 0.05 } else { 0.25 };
        let x = 0.1 * i as f64 + half;
        let body = Body::dynamic(name).position(Vec3::X * x).shape(shape).mass(mass);
        let body = world.add_body(body.collides(false))?;
        let anchor_a = if i == 0 { Vec3::ZERO } else { Vec3::X * 0.05 };
        let joint = Joint::ball(format!("j{i}"), last, body).anchor_a(anchor_a);
        world.add_joint(joint.anchor_b(Vec3::X * -half))?;
        last = body.into();
    }
    Ok(world)
}

fn stack() -> Result<World, Error> {
    let mut world = World::new();
    ground(&mut world)?;
    for i in 0..10 {
        let mass = 1000_f64.powf(f64::from(i) / 9.0);
        let body = Body::dynamic(format!("box{i}")).shape(cube(0.5)).mass(mass);
        world.add_body(body.position(Vec3::Z * (0.5 + f64::from(i))))?;
    }
    Ok(world)
}

fn tower() -> Result<World, Error> {
    let mut world = World::new();
    ground(&mut world)?;
    for layer in 0..40 {
        for k in 0..4 {
            let side = -0.9 + 0.6 * f64::from(k);
            let z = 0.1 + 0.2 * f64::from(layer);
            let (half, at) = if layer % 2 == 0 {
                (Vec3::new(1.0, 0.1, 0.1), Vec3::new(0.0, side, z))
            } else {
                (Vec3::new(0.1, 1.0, 0.1), Vec3::new(side, 0.0, z))
            };
            let body = Body::dynamic(format!("log{layer}-{k}")).position(at).mass(50.0);
            world.add_body(body.shape(Shape::Box { half_extents: half }))?;
        }
    }
    let half_extents = Vec3::new(1.0, 1.0, 0.5);
    let top = Body::dynamic("top").position(Vec3::Z * 8.5).mass(2500.0);
    world.add_body(top.shape(Shape::Box { half_extents }))?;
    Ok(world)
}

fn wall() -> Result<World, Error> {
    let mut world = World::new();
    ground(&mut world)?;
    for row in 0..10 {
        for k in 0..10 {
            let shift = if row % 2 == 0 { 0.0 } else { 0.25 };
            let x = -2.25 + 0.5 * f64::from(k) + shift;
            let at = Vec3::new(x, 0.0, 0.125 + 0.25 * f64::from(row));
            let body = Body::dynamic(format!("brick{row}-{k}")).position(at).mass(2.5);
            let half_extents = Vec3::new(0.25, 0.125, 0.125);
            world.add_body(body.shape(Shape::Box { half_extents }))?;
        }
    }
    let ball = Body::dynamic("ball").position(Vec3::new(0.1, -2.0, 1.2)).mass(10.0);
    let ball = ball.shape(Shape::Ball { radius: 0.25 }).velocity(Vec3::Y * 10.0);
    world.add_body(ball.material(Material::default()))?;
    Ok(world)
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(',').filter_map(|n| n.parse().ok()).collect()
}

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let scene = args.get(1).map_or("chain", String::as_str);
    let seconds: f64 = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(10.0);
    let mut world = match scene {
        "chain" => chain(100, 0.25, 500.0)?,
        "chain25k" => chain(100, 0.1, 2500.0)?,
        "stack" => stack()?,
        "tower" => tower()?,
        "wall" => wall()?,
        other => match numbers(other)[..] {
            [links, link, load] => chain(links as usize, link, load)?,
            _ => {
                println!("chain, chain25k, stack, tower, wall or LINKS,KG,KG");
                return Ok(());
            }
        },
    };
    if let Some(solver) = args.get(3) {
        world.settings_mut().solver = taut::lcp::SolverConfig::named(solver)?;
        if !world.settings().solver.takes_cones() {
            world.settings_mut().friction = taut::FrictionMode::BOX;
        }
    }
    if let Some(alpha) = std::env::var("ALPHA").ok().and_then(|s| s.parse().ok()) {
        world.settings_mut().geometric_stiffness = Some(taut::GeometricStiffness { alpha });
    }
    if std::env::var("GEOMETRIC").is_ok_and(|s| s == "off") {
        world.settings_mut().geometric_stiffness = None;
    }
    if let Some(n) = std::env::var("HALVINGS").ok().and_then(|s| s.parse().ok()) {
        world.settings_mut().max_halvings = n;
    }
    if let Some(n) = std::env::var("SUBSTEPS").ok().and_then(|s| s.parse().ok()) {
        world.settings_mut().substeps = n;
    }
    if let Some(n) = std::env::var("TOLERANCE").ok().and_then(|s| s.parse().ok()) {
        world.settings_mut().joint_tolerance = n;
    }
    if let Some(c) = std::env::var("COMPLIANCE").ok().and_then(|s| s.parse().ok()) {
        world.settings_mut().compliance = c;
    }
    measure(&mut world, seconds)
}

fn measure(world: &mut World, seconds: f64) -> Result<(), Error> {
    let frames = (seconds / H).round() as usize;
    let top = world.bodies().map(|(id, _)| id).last();
    let start = top.map(|t| world.body(t).map(|b| b.position())).transpose()?;
    let length = 0.1 * world.joints().count() as f64 + 0.15;
    let scale: f64 = world.bodies().map(|(_, b)| b.mass() * 9.81 * length).sum();
    let (mut stretch, mut gain, mut loss) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut depth, mut mean, mut unconverged, mut passes) = (0.0_f64, 0.0_f64, 0, 0);
    let mut parts = 0;
    let mut first = None;
    let mut t = taut::Timings::default();
    for frame in 1..=frames {
        let r = world.step(H)?;
        let e0 = *first.get_or_insert(r.energy());
        let s: f64 = world
            .joints()
            .filter_map(|(id, _)| world.joint_anchors(id).ok())
            .map(|(a, b)| a.distance(b))
            .sum();
        stretch = stretch.max(s / length.max(0.1));
        gain = gain.max(r.energy() - e0);
        if r.time <= 10.0 {
            loss = loss.max(e0 - r.energy());
        }
        depth = depth.max(r.max_penetration);
        mean = mean.max(r.mean_penetration);
        if !r.converged() {
            unconverged += 1;
            if unconverged < 10 {
                println!(
                    "  frame {frame}: {:?} residual {:.1e} friction gap {:.1e} passes {} contacts {}",
                    r.status, r.relative_residual, r.friction_gap, r.passes, r.contacts
                );
            }
        }
        passes += r.passes;
        parts += r.parts;
        t.collide += r.timings.collide;
        t.assemble += r.timings.assemble;
        t.solve += r.timings.solve;
        t.total += r.timings.total;
        if frame % (frames / 10).max(1) == 0 {
            println!(
                "{frame:5} rows {:5} contacts {:5} iterations {:3} fact {:3} passes {:2} gap {:.1e} energy {:+.2}% stretch {:.4}%",
                r.rows,
                r.contacts,
                r.iterations,
                r.factorizations,
                r.passes,
                r.max_joint_gap,
                100.0 * (r.energy() - e0) / scale,
                100.0 * stretch
            );
        }
    }
    let n = frames as f64 / 1e3;
    let moved = match (top, start) {
        (Some(t), Some(s)) => world.body(t)?.position().distance(s),
        _ => 0.0,
    };
    println!("parts/frame {:.3}", parts as f64 / frames as f64);
    println!(
        "stretch {:.4}%  gain {:.2}%  loss(10 s) {:.2}%",
        100.0 * stretch,
        100.0 * gain / scale,
        100.0 * loss / scale
    );
    println!(
        "penetration max {depth:.2e} mean {mean:.2e}  top moved {moved:.2e}  unconverged {unconverged}"
    );
    println!(
        "ms/frame total {:.3}: collide {:.3} assemble {:.3} solve {:.3}; passes/frame {:.2}",
        t.total / n,
        t.collide / n,
        t.assemble / n,
        t.solve / n,
        passes as f64 / frames as f64
    );
    Ok(())
}
