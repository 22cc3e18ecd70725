//! A chain with a heavy box wraps around a rod.
//!
//! Source: Peiret19 section 7.1 "chain wrap", tables 2 and 3; Ho22 section
//! 6.1.4, table 6.1: 100 links of 0.25 kg with universal joints, the last
//! coupled to a box of 500 kg; many friction rows slide when the chain is
//! wrapped fully around the rod. Mass ratio 2,000:1, 1,480 rows at most,
//! condition number 1e8; of the interface 5.6e4. Semantic partitions of 16
//! bodies (table 2; the text says 12). Here 404 rows of joints, about 980 in
//! all once 4 turns lie on the rod: fewer than the source's, whose whole chain
//! wraps; of this one a bit less than half can.
//!
//! | | value | |
//! |---|---|---|
//! | links, masses | 100; 0.25, 500 kg | source |
//! | link | 0.1 × 0.03 × 0.03 m | chosen: 2.5 kg/m, a lifting chain |
//! | box | 0.4 m | chosen: steel |
//! | how it wraps | held at its other end, starts level, swings down against the rod and around it | chosen |
//! | rod | 0.55 of the chain below its end, radius 0.15 m | chosen: nearly half of the chain wraps |
//! | start | turns at 0.6 √(g/length) about its end, 0.6 rad/s | chosen: from 0.5 on a pendulum goes around this rod |
//! | drift | sideways with 0.12 √(g/length) | chosen: the chain passes itself, its turns lie side by side |
//! | collisions | all, but for box and chain | chosen: the box would strike the chain above the rod |
//! | friction | 0.3 | chosen |

use super::Entry;
use super::parts::partition;
use super::parts::strand::{Coupling, Section, Strand, straight};
use crate::file::{Body, Kind, Material, SceneFile, Shape};
use std::f64::consts::FRAC_PI_2;
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "chain",
    aliases: &["chain-wrap"],
    summary: "A chain with a heavy box swings against a rod and wraps around it.",
    source: "Ho22 6.1.4; Peiret19 7.1 (chain wrap)",
    size_of: "links",
    default_size: 100,
    small_size: 40,
    build,
};

const LINK: f64 = 0.1;
const LINK_MASS: f64 = 0.25;
const LINK_HALF_WIDTH: f64 = 0.015;
const BOX_HALF: f64 = 0.2;
const BOX_MASS: f64 = 500.0;
/// Collision groups.
const LINKS: u32 = 1;
const BOX: u32 = 2;
const ROD_RADIUS: f64 = 0.15;
/// Of the rod below the chain's end, over its length.
const ROD_DEPTH: f64 = 0.55;
/// Initial rates down and sideways, over √(g/length).
const RATE: f64 = 0.6;
const DRIFT: f64 = 0.12;

/// `size` links along x from the origin, then the box.
pub fn build(size: usize) -> SceneFile {
    let notes = "Swings down from level; the rod is 0.55 of the chain below its end.";
    let figures = [("mass_ratio", 2000.0), ("rows", 1480.0), ("condition", 1e8)];
    let mut scene = ENTRY.scene(notes, &figures);
    scene.material("default", Material::friction(0.3));
    let length = LINK * size as f64;
    let centre = Vec3::new(-ROD_RADIUS - LINK_HALF_WIDTH, 0.0, -ROD_DEPTH * length);
    let rod = Body::fixed("rod").shape(Shape::cylinder(1.0, ROD_RADIUS));
    scene.add(rod.at(centre).turned([1.0, 0.0, 0.0], FRAC_PI_2));
    let body = Body::new("box").shape(Shape::cuboid([BOX_HALF; 3])).mass(BOX_MASS);
    scene.add(body.at([length + BOX_HALF, 0.0, 0.0]).groups(BOX, !LINKS));
    let strand = Strand {
        prefix: "link".into(),
        mass: LINK_MASS,
        section: Section::Square(LINK_HALF_WIDTH),
        coupling: Coupling::Universal,
        groups: Some((LINKS, !BOX)),
        material: None,
    };
    let points = straight(Vec3::ZERO, Vec3::X * length, size);
    let mut names = strand.lay(&mut scene, &points, Vec3::Y, [Some("world"), Some("box")]);
    let rate = Vec3::new(0.0, RATE, DRIFT) * (9.81 / length.max(LINK)).sqrt();
    for body in scene.bodies.iter_mut().filter(|body| body.kind == Kind::Dynamic) {
        body.velocity = rate.cross(body.position.into()).into();
        body.angular_velocity = rate.into();
    }
    names.push("box".into());
    partition(&mut scene, &names, 16);
    scene
}
