//! A truck falls onto a web of light, stiff cables.
//!
//! Source: Peiret19 section 7.1 "net with truck", tables 2 and 3: a dump
//! truck of 8000 kg (22 bodies, more than 120 constraints) is dropped onto a
//! web of cables of high stiffness and 0.2 kg per body, each of 48 to 65
//! bodies and more than 280 constraints. Condition number of the interface
//! 2.5e12; mass ratio 40,000:1. Partitions: each cable one, the truck one.
//! The source gives no row count; `trucks` has Ho22's.
//!
//! | | value | |
//! |---|---|---|
//! | truck | 8000 kg; see `parts/truck.rs` | source |
//! | links | 0.2 kg; 65 along the truck, 48 across | source |
//! | link | 0.1 m long, 20 mm thick | chosen: 2 kg/m, a steel rope |
//! | number of cables | 8 and 8, clamped (ball joints) where they cross | chosen |
//! | stiffness of a joint | 1.5e8 N/m, 50 N·m/rad | chosen: 1.5e7 N, 5 N·m² |
//! | fall | 0.5 m until the wheels touch | chosen |
//! | ground | 5 m below | chosen: to see whether the net fails |
//! | friction | 0.5 | chosen |

use super::Entry;
use super::parts::net::Net;
use super::parts::strand::Cable;
use super::parts::truck;
use crate::file::{Ground, SceneFile};
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "net-truck",
    aliases: &[],
    summary: "A dump truck falls onto a web of light, stiff cables, which catches it.",
    source: "Peiret19 7.1 (net with truck)",
    size_of: "cables in each direction",
    default_size: 8,
    small_size: 3,
    build,
};

const LINK: f64 = 0.1;
const LINK_MASS: f64 = 0.2;
const RADIUS: f64 = 0.01;
const CABLE: Cable = Cable { stretch: 1.5e8, bend: 50.0, twist: 50.0, damping_time: 0.01 };
const LINKS: [usize; 2] = [65, 48];
const FALL: f64 = 0.5;

/// `size` cables along and `size` across.
pub fn build(size: usize) -> SceneFile {
    let notes = "The web is 6.5 x 4.8 m; the truck starts 0.5 m above it.";
    let ratio = truck::MASS / LINK_MASS;
    let figures = [("mass_ratio", ratio), ("interface_condition", 2.5e12)];
    let mut scene = ENTRY.scene(notes, &figures);
    scene.ground = Some(Ground { height: -5.0, material: None });
    let (links, cables) = (LINKS, [size; 2]);
    let net = Net { link: LINK, mass: LINK_MASS, radius: RADIUS, cable: CABLE, links, cables };
    net.lay(&mut scene);
    truck::add(&mut scene, 0, Vec3::Z * (RADIUS + FALL));
    scene
}
