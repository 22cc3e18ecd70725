//! Measures the hard scenes: what the engine reaches, and what a frame costs.
//!
//! `cargo run --release -p taut --example hard_scenes -- chain 60`, or `table 60` for all of them as a
//! table, which `cargo xtask benchmarks hard_scenes` puts in place.
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

/// What a name stands for, or LINKS,KG,KG.
fn named(scene: &str) -> Result<Option<World>, Error> {
    Ok(Some(match scene {
        "chain" => chain(100, 0.25, 500.0)?,
        "chain25k" => chain(100, 0.1, 2500.0)?,
        "stack" => stack()?,
        "tower" => tower()?,
        "wall" => wall()?,
        other => match numbers(other)[..] {
            [links, link, load] => chain(links as usize, link, load)?,
            _ => return Ok(None),
        },
    }))
}

/// Scenes of the table, and the most seconds each is run for.
const TABLE: [(&str, &str, f64); 8] = [
    ("chain of 100 × 0.25 kg, 500 kg load, horizontal start", "chain", 60.0),
    ("chain of 100 × 0.1 kg, 2500 kg load", "chain25k", 60.0),
    ("chain of 100 × 0.1 kg, 4000 kg load", "100,0.1,4000", 20.0),
    ("chain of 50 × 0.25 kg, 500 kg load", "50,0.25,500", 20.0),
    ("chain of 24 × 5.5 g, 1444 kg load (262,000:1)", "24,0.0055,1444", 20.0),
    ("stack of 10 boxes, 1 kg at the bottom to 1000 kg on top", "stack", 60.0),
    ("static tower, 160 logs and 2500 kg, about 2500 contacts", "tower", 60.0),
    ("wall of 10 × 10 bricks hit by 10 kg at 10 m/s", "wall", 10.0),
];

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let scene = args.get(1).map_or("chain", String::as_str);
    let seconds: f64 = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(10.0);
    if scene == "table" {
        return table(seconds);
    }
    let Some(mut world) = named(scene)? else {
        println!("chain, chain25k, stack, tower, wall, LINKS,KG,KG or table");
        return Ok(());
    };
    if let Some(solver) = args.get(3) {
        world.settings_mut().solver = taut::lcp::SolverConfig::named(solver)?;
        if !world.settings().solver.takes_cones() {
            world.settings_mut().friction = taut::FrictionMode::Box;
        }
    }
    let f = measure(&mut world, seconds, true)?;
    println!("parts/frame {:.3}, passes/frame {:.2}", f.parts, f.passes);
    println!("stretch {:.4}%  gain {:.2}%  loss(10 s) {:.2}%", f.stretch, f.gain, f.loss);
    println!(
        "penetration max {:.2e} mean {:.2e}  top moved {:.2e}  unconverged {}",
        f.depth, f.mean_depth, f.moved, f.unconverged
    );
    println!("ms/frame total {:.3}, of which the solver {:.3}", f.ms, f.solve_ms);
    Ok(())
}

fn table(most: f64) -> Result<(), Error> {
    println!("begin hard-scenes");
    println!(
        "| scene | seconds | stretch % | energy gain % | loss in 10 s % | penetration, m | last body \
         moved, m | not converged | ms per frame |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (title, name, seconds) in TABLE {
        let Some(mut world) = named(name)? else { continue };
        let seconds = seconds.min(most);
        let f = measure(&mut world, seconds, false)?;
        let (stretch, gain, loss) = match world.joints().count() {
            0 => Default::default(),
            _ => (format!("{:.3}", f.stretch), format!("{:.2}", f.gain), format!("{:.1}", f.loss)),
        };
        println!(
            "| {title} | {seconds:.0} | {stretch} | {gain} | {loss} | {:.0e} | {:.0e} | {} | {:.2} |",
            f.depth, f.moved, f.unconverged, f.ms
        );
    }
    println!("end hard-scenes");
    Ok(())
}

/// What a run was like. Shares in %, of the weight times the length.
#[derive(Default)]
struct Figures {
    stretch: f64,
    gain: f64,
    loss: f64,
    depth: f64,
    mean_depth: f64,
    /// Of the last body \[m\].
    moved: f64,
    unconverged: usize,
    parts: f64,
    passes: f64,
    ms: f64,
    solve_ms: f64,
}

fn measure(world: &mut World, seconds: f64, talk: bool) -> Result<Figures, Error> {
    let frames = (seconds / H).round() as usize;
    let top = world.bodies().map(|(id, _)| id).last();
    let start = top.map(|t| world.body(t).map(|b| b.position())).transpose()?;
    let length = 0.1 * world.joints().count() as f64 + 0.15;
    let scale: f64 = world.bodies().map(|(_, b)| b.mass() * 9.81 * length).sum();
    let (mut f, mut first) = (Figures::default(), None);
    for frame in 1..=frames {
        let r = world.step(H)?;
        let e0 = *first.get_or_insert(r.energy());
        let anchors = world.joints().filter_map(|(id, _)| world.joint_anchors(id).ok());
        let open: f64 = anchors.map(|(a, b)| a.distance(b)).sum();
        f.stretch = f.stretch.max(100.0 * open / length.max(0.1));
        f.gain = f.gain.max(100.0 * (r.energy() - e0) / scale);
        if r.time <= 10.0 {
            f.loss = f.loss.max(100.0 * (e0 - r.energy()) / scale);
        }
        f.depth = f.depth.max(r.max_penetration);
        f.mean_depth = f.mean_depth.max(r.mean_penetration);
        f.unconverged += usize::from(!r.converged());
        f.passes += r.passes as f64 / frames as f64;
        f.parts += r.parts as f64 / frames as f64;
        f.ms += 1e3 * r.timings.total / frames as f64;
        f.solve_ms += 1e3 * r.timings.solve / frames as f64;
        if talk && frame % (frames / 10).max(1) == 0 {
            println!(
                "{frame:5} rows {:5} contacts {:5} iterations {:3} passes {:2} gap {:.1e} energy {:+.2}%",
                r.rows,
                r.contacts,
                r.iterations,
                r.passes,
                r.max_joint_gap,
                100.0 * (r.energy() - e0) / scale,
            );
        }
    }
    if let (Some(t), Some(s)) = (top, start) {
        f.moved = world.body(t)?.position().distance(s);
    }
    Ok(f)
}
