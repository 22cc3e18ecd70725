//! Draws what laws of friction do: where blocks go that start from one point in 24 directions, and
//! the friction that each direction meets, per normal force.
//!
//! `cargo run --release -p taut --example friction_pictures > docs/friction.svg`

#![allow(clippy::print_stdout, reason = "this is a command for people")]

use std::f64::consts::{FRAC_PI_4, TAU};
use std::fmt::Write as _;

use taut::math::{Quat, Vec3};
use taut::{Anisotropy, Body, Error, FrictionMode, Material, Shape, World};

const H: f64 = 1.0 / 240.0;
const SPEED: f64 = 3.0;
/// Pixels a metre, pixels of a coefficient of one, size of a panel.
const SCALE: f64 = 38.0;
const FORCE: f64 = 70.0;
const SIZE: f64 = 250.0;

struct Panel {
    title: &'static str,
    friction: FrictionMode,
    plane: Material,
    block: Material,
    turned: f64,
}

fn plain(friction: f64) -> Material {
    Material { friction, ..Material::default() }
}

fn with(friction: f64, anisotropy: Anisotropy) -> Material {
    Material { friction, anisotropy: Some(anisotropy), ..Material::default() }
}

fn panels() -> [Panel; 6] {
    let boxes = FrictionMode::Iterated { max_passes: 10, tolerance: 1e-6, required: false };
    let cone = FrictionMode::Cone;
    let grain = Anisotropy::Elliptic { direction: Vec3::X, along: 0.2, across: 0.7 };
    // A pair has the geometric mean, here with one.
    let alone = Anisotropy::Elliptic { direction: Vec3::X, along: 0.04, across: 0.49 };
    let scales =
        Anisotropy::Tensor { direction: Vec3::X, forward: 0.15, backward: 0.75, sideways: 0.45 };
    let panel =
        |title, friction, plane, block, turned| Panel { title, friction, plane, block, turned };
    [
        panel("cone, μ = 0.4", cone, plain(0.4), plain(0.4), 0.0),
        panel("box along x and y, μ = 0.4", boxes, with(0.4, same(0.16)), plain(1.0), 0.0),
        panel("ellipse, 0.2 along x, 0.7 along y", cone, with(0.5, alone), plain(1.0), 0.0),
        panel("matchsticks at 45°", cone, with(0.45, grain), with(0.45, grain), FRAC_PI_4),
        panel("matchsticks at 90°", cone, with(0.45, grain), with(0.45, grain), 2.0 * FRAC_PI_4),
        panel("tensor: 0.15 to +x, 0.75 to −x, 0.45", cone, with(0.5, scales), tensor_mate(), 0.0),
    ]
}

/// The same in all directions, but with axes that stay.
fn same(mu: f64) -> Anisotropy {
    Anisotropy::Elliptic { direction: Vec3::X, along: mu, across: mu }
}

/// The tensor of a pair is the mean of both: this one is the same as that of the plane, seen from
/// the other side.
fn tensor_mate() -> Material {
    with(
        0.5,
        Anisotropy::Tensor { direction: -Vec3::X, forward: 0.15, backward: 0.75, sideways: 0.45 },
    )
}

/// The way of a block that starts at an angle, and its first deceleration over g.
fn way(panel: &Panel, angle: f64, steps: usize) -> Result<(Vec<Vec3>, Vec3), Error> {
    let mut world = World::new();
    world.settings_mut().friction = panel.friction;
    let plane = Body::fixed("plane").shape(Shape::HalfSpace { normal: Vec3::Z });
    world.add_body(plane.material(panel.plane))?;
    let velocity = SPEED * Vec3::new(angle.cos(), angle.sin(), 0.0);
    let shape = Shape::Box { half_extents: Vec3::new(0.1, 0.1, 0.002) };
    let block = Body::dynamic("block").shape(shape).mass(1.0).position(0.002 * Vec3::Z);
    let block = block.orientation(Quat::from_rotation_z(panel.turned)).velocity(velocity);
    let block = world.add_body(block.material(panel.block))?;
    let mut points = vec![Vec3::ZERO];
    let mut force = Vec3::ZERO;
    for n in 0..steps {
        let _ = world.step(H)?;
        let body = world.body(block)?;
        if n == 0 {
            force = (body.velocity() - velocity) / (9.81 * H);
        }
        points.push(body.position());
        if body.velocity().length() < 1e-3 {
            break;
        }
    }
    Ok((points, force))
}

fn draw(panel: &Panel, left: f64, top: f64) -> Result<String, Error> {
    let mut svg = String::new();
    let (cx, cy) = (left + 0.5 * SIZE, top + 0.5 * SIZE);
    let mut limit = String::new();
    for k in 0..=72 {
        let (_, f) = way(panel, f64::from(k) * TAU / 72.0, 1)?;
        let _ = write!(limit, "{:.1},{:.1} ", cx + FORCE * f.x, cy - FORCE * f.y);
    }
    let _ = writeln!(
        svg,
        "<polyline points=\"{limit}\" fill=\"#f4d9a8\" stroke=\"#c58b2a\" fill-opacity=\"0.6\"/>"
    );
    for k in 0..24 {
        let (points, _) = way(panel, f64::from(k) * TAU / 24.0, 2400)?;
        let mut line = String::new();
        for p in points.iter().step_by(8).chain(points.last()) {
            let _ = write!(line, "{:.1},{:.1} ", cx + SCALE * p.x, cy - SCALE * p.y);
        }
        let _ = writeln!(svg, "<polyline points=\"{line}\" fill=\"none\" stroke=\"#2b5d8c\"/>");
        if let Some(p) = points.last() {
            let (x, y) = (cx + SCALE * p.x, cy - SCALE * p.y);
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\" fill=\"#2b5d8c\"/>");
        }
    }
    let y = top + SIZE + 14.0;
    let _ =
        writeln!(svg, "<text x=\"{cx}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", panel.title);
    Ok(svg)
}

fn main() -> Result<(), Error> {
    let (columns, high) = (3, SIZE + 24.0);
    let mut body = String::new();
    for (k, panel) in panels().iter().enumerate() {
        body += &draw(panel, (k % columns) as f64 * SIZE, (k / columns) as f64 * high)?;
    }
    let (width, height) = (columns as f64 * SIZE, 2.0 * high);
    println!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>"
    );
    Ok(())
}
