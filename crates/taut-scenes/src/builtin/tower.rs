//! A tower of logs carries a block until a ball rolls into it.
//!
//! Source: Peiret19 section 7.1 "log tower", tables 2 to 4; Ho22 section
//! 6.1.2, table 6.1: 160 logs of 50 kg, stacked vertically, a block of
//! 2500 kg dropped on top. The stack is stable until a rolling ball collides
//! with its base, then collapses completely. Mass ratio 50:1, 1,300 rows at
//! most, condition number 1e8; of the interface 2.2e6. Partitions of at most
//! 16 bodies by minimum degree, anew in each step: none are named here.
//! Scaled to 256 logs in figures 11 and 13. Here about 1,270 rows at most.
//!
//! | | value | |
//! |---|---|---|
//! | logs, mass | 160, 50 kg | source |
//! | block | 2500 kg | source |
//! | arrangement | 2 round logs a layer, crosswise | chosen: one contact per crossing makes 990 rows at rest, near the source's; flat-sided or more logs a layer have several times as many |
//! | log | 2 m long, 0.2 m thick | chosen: 800 kg/m³, wood |
//! | distance of the logs of a layer | 1.6 m | chosen |
//! | block | 2 × 2 × 0.25 m, dropped 5 cm | chosen: concrete, overhangs the logs it lies on |
//! | ball | 2500 kg, radius 0.6 m, 5 m/s, hits after 5 s | chosen: granite, not heavier than the block |
//! | friction | 0.6 | chosen |

use super::Entry;
use crate::file::{Body, Ground, Material, SceneFile, Shape};
use std::f64::consts::FRAC_PI_2;

pub(super) const ENTRY: Entry = Entry {
    name: "tower",
    aliases: &["log-tower"],
    summary: "A tower of logs carries a heavy block until a ball rolls into its base.",
    source: "Ho22 6.1.2; Peiret19 7.1 (log tower)",
    size_of: "logs",
    default_size: 160,
    small_size: 24,
    build,
};

const LOG_MASS: f64 = 50.0;
const LOG_RADIUS: f64 = 0.1;
const LOG_HALF: f64 = 1.0;
/// Half the distance of the two logs of a layer.
const APART: f64 = 0.8;
const BLOCK: [f64; 3] = [1.0, 1.0, 0.125];
const BLOCK_MASS: f64 = 2500.0;
const DROP: f64 = 0.05;
const BALL_RADIUS: f64 = 0.6;
const BALL_MASS: f64 = 2500.0;
const BALL_SPEED: f64 = 5.0;
const HIT: f64 = 5.0;

/// `size` logs, two a layer.
pub fn build(size: usize) -> SceneFile {
    let notes = "Round logs of 2 m, crosswise, two a layer. Partitions change in each step.";
    let figures = [("mass_ratio", 50.0), ("rows", 1300.0), ("condition", 1e8)];
    let mut scene = ENTRY.scene(notes, &figures);
    scene.ground = Some(Ground::default());
    scene.material("default", Material::friction(0.6));
    let log = Shape::cylinder(LOG_HALF, LOG_RADIUS);
    for i in 0..size {
        let (layer, side) = (i / 2, if i % 2 == 0 { -APART } else { APART });
        let z = LOG_RADIUS * (2 * layer + 1) as f64;
        let body = Body::new(format!("log{i}")).shape(log.clone()).mass(LOG_MASS);
        scene.add(match layer % 2 {
            0 => body.at([side, 0.0, z]).turned([1.0, 0.0, 0.0], FRAC_PI_2),
            _ => body.at([0.0, side, z]).turned([0.0, 1.0, 0.0], FRAC_PI_2),
        });
    }
    let top = 2.0 * LOG_RADIUS * size.div_ceil(2) as f64;
    let block = Body::new("block").shape(Shape::cuboid(BLOCK)).mass(BLOCK_MASS);
    scene.add(block.at([0.0, 0.0, top + DROP + BLOCK[2]]));
    let start = -(APART + LOG_RADIUS + BALL_RADIUS + BALL_SPEED * HIT);
    let ball = Body::new("ball").shape(Shape::ball(BALL_RADIUS)).mass(BALL_MASS);
    let ball = ball.at([start, 0.0, BALL_RADIUS]).velocity([BALL_SPEED, 0.0, 0.0]);
    scene.add(ball.angular_velocity([0.0, BALL_SPEED / BALL_RADIUS, 0.0]));
    scene
}
