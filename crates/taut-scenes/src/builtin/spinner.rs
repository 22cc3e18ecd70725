//! A spinning ball winds up the cables it hangs on.
//!
//! Source: Peiret19 section 7.1 "cable spinner", tables 2 and 3; Ho22 section
//! 6.1.3, table 6.1: eight flexible cables suspend a plate of 10 kg and a
//! ball of 2500 kg; their links of 0.1 kg are joined by six-degree joints,
//! nearly inextensible, that allow bending and torsion. The cables intertwine
//! tightly. Mass ratio 25,000:1, 2,920 rows at most, condition number 1e6; of
//! the interface 3.9e7. Semantic partitions of 36 to 48 bodies.
//! Here 2,060 rows of joints, about 3,100 when the cables are wound up.
//!
//! | | value | |
//! |---|---|---|
//! | cables, masses | 8; 10, 2500, 0.1 kg | source |
//! | links | 48 above the plate, 36 below | from the size of the partitions |
//! | arrangement | 4 cables from the ceiling to the corners of the plate, 4 on to the ball | chosen |
//! | link | 5 cm long, 20 mm thick | chosen: 2 kg/m, a steel rope |
//! | corners | 0.15 m from the axis | chosen |
//! | stiffness of a joint | 3e7 N/m, 2 N·m/rad bend and twist | chosen: 0.03 % stretch under the load |
//! | plate, ball | 0.4 × 0.4 × 0.02 m, radius 0.42 m | chosen: steel ball |
//! | spin | 8 rad/s | chosen: the cables make more than a turn before it comes back |
//! | friction | 0.2 | chosen: greased rope |

use super::Entry;
use super::parts::add_partition;
use super::parts::strand::{Cable, Coupling, Section, Strand, straight};
use crate::file::{Body, Material, SceneFile, Shape};
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "spinner",
    aliases: &["cable-spinner"],
    summary: "A heavy spinning ball winds up the eight cables it hangs on, and unwinds them.",
    source: "Ho22 6.1.3; Peiret19 7.1 (cable spinner)",
    size_of: "links of an upper cable",
    default_size: 48,
    small_size: 12,
    build,
};

const LINK: f64 = 0.05;
const LINK_MASS: f64 = 0.1;
const LINK_RADIUS: f64 = 0.01;
const CABLE: Cable = Cable { stretch: 3e7, bend: 2.0, twist: 2.0, damping_time: 0.01 };
const CORNER: f64 = 0.15;
const PLATE: [f64; 3] = [0.2, 0.2, 0.01];
const PLATE_MASS: f64 = 10.0;
const BALL_RADIUS: f64 = 0.42;
const BALL_MASS: f64 = 2500.0;
const SPIN: f64 = 8.0;

/// `size` links in each of the upper cables, three quarters as many in the
/// lower ones, from the ceiling at z = 0.
pub fn build(size: usize) -> SceneFile {
    let notes = "Four cables above the plate, four below; the ball starts with 8 rad/s.";
    let figures = [("mass_ratio", 25_000.0), ("rows", 2920.0), ("condition", 1e6)];
    let mut scene = ENTRY.scene(notes, &figures);
    scene.material("default", Material::friction(0.2));
    let (upper, lower) = (size.max(1), (3 * size).div_ceil(4).max(1));
    let plate = -LINK * upper as f64;
    let below = plate - 2.0 * PLATE[2];
    let ball = below - LINK * lower as f64;
    scene.add(Body::new("plate").shape(Shape::cuboid(PLATE)).mass(PLATE_MASS).at([
        0.0,
        0.0,
        plate - PLATE[2],
    ]));
    let body = Body::new("ball").shape(Shape::ball(BALL_RADIUS)).mass(BALL_MASS);
    let centre = ball - (BALL_RADIUS * BALL_RADIUS - CORNER * CORNER).sqrt();
    scene.add(body.at([0.0, 0.0, centre]).angular_velocity([0.0, 0.0, SPIN]));
    for i in 0..4 {
        cable(&mut scene, i, [0.0, plate], upper, ["world", "plate"]);
        cable(&mut scene, 4 + i, [below, ball], lower, ["plate", "ball"]);
    }
    scene
}

/// One cable, straight down; it does not collide with itself. The plate
/// belongs to the first partition, the ball to the fifth.
fn cable(scene: &mut SceneFile, number: usize, z: [f64; 2], links: usize, ends: [&str; 2]) {
    let strand = Strand {
        prefix: format!("cable{number}-"),
        mass: LINK_MASS,
        section: Section::Round(LINK_RADIUS),
        coupling: Coupling::Cable(CABLE),
        groups: Some((1 << number, !(1 << number))),
        material: None,
    };
    let corner = [Vec3::X, Vec3::Y, Vec3::NEG_X, Vec3::NEG_Y][number % 4] * CORNER;
    let points = straight(corner + Vec3::Z * z[0], corner + Vec3::Z * z[1], links);
    let mut members = strand.lay(scene, &points, Vec3::Y, ends.map(Some));
    match number {
        0 => members.push("plate".into()),
        4 => members.push("ball".into()),
        _ => {}
    }
    add_partition(scene, members);
}
