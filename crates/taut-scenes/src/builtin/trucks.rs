//! Four trucks fall onto a net of cables.
//!
//! Source: Ho22 section 6.1.5, table 6.1: four trucks of 8000 kg, each of 22
//! bodies and more than 120 constraints, fall onto a net of very stiff cables
//! of 5 kg/m, each of 48 to 65 bodies and more than 280 constraints. Mass
//! ratio 8,000:1, 5,650 rows at most, condition number 1e10. `net-truck` is
//! Peiret19's scene with one truck and a lighter net. Here 6,200 rows of
//! joints, and contacts.
//!
//! | | value | |
//! |---|---|---|
//! | trucks | 4 of 8000 kg; see `parts/truck.rs` | source |
//! | cables | 5 kg/m; links of 1 kg, 0.2 m | source (density, mass ratio) |
//! | links of a cable | 65 along the trucks, 48 across | source |
//! | number of cables | 8 and 8, clamped (ball joints) where they cross | chosen: 5520 rows |
//! | thickness | 32 mm | chosen: a steel rope of 5 kg/m |
//! | stiffness of a joint | 2e8 N/m, 150 N·m/rad | chosen: 4e7 N, 30 N·m² |
//! | fall | 0.5 m until the wheels touch | chosen |
//! | ground | 5 m below | chosen: to see what the net does not catch |
//! | friction | 0.5 | chosen |

use super::Entry;
use super::parts::net::Net;
use super::parts::strand::Cable;
use super::parts::truck;
use crate::file::{Ground, SceneFile};
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "trucks",
    aliases: &[],
    summary: "Four dump trucks fall onto a net of stiff cables, which catches them.",
    source: "Ho22 6.1.5",
    size_of: "trucks",
    default_size: 4,
    small_size: 1,
    build,
};

const LINK: f64 = 0.2;
const LINK_MASS: f64 = 1.0;
const RADIUS: f64 = 0.016;
const CABLE: Cable = Cable { stretch: 2e8, bend: 150.0, twist: 150.0, damping_time: 0.01 };
/// Share of the net for one truck, in links.
const CELL: [f64; 2] = [32.5, 24.0];
const CABLES_PER_TRUCK: usize = 4;
const FALL: f64 = 0.5;

/// `size` trucks in a block that is nearly square, over the net.
pub fn build(size: usize) -> SceneFile {
    let notes = "The net is 13 x 9.6 m, of 8 by 8 cables; the trucks start 0.5 m above it.";
    let figures = [("mass_ratio", truck::MASS / LINK_MASS), ("rows", 5650.0), ("condition", 1e10)];
    let mut scene = ENTRY.scene(notes, &figures);
    scene.ground = Some(Ground { height: -5.0, material: None });
    let columns = (size as f64).sqrt().ceil().max(1.0) as usize;
    let rows = size.div_ceil(columns).max(1);
    let links = [CELL[0] * columns as f64, CELL[1] * rows as f64].map(|n| n as usize);
    let cables = [CABLES_PER_TRUCK * rows, CABLES_PER_TRUCK * columns];
    let net = Net { link: LINK, mass: LINK_MASS, radius: RADIUS, cable: CABLE, links, cables };
    net.lay(&mut scene);
    for i in 0..size {
        let x = LINK * CELL[0] * ((i % columns) as f64 - 0.5 * (columns as f64 - 1.0));
        let y = LINK * CELL[1] * ((i / columns) as f64 - 0.5 * (rows as f64 - 1.0));
        truck::add(&mut scene, i, Vec3::new(x, y, RADIUS + FALL));
    }
    scene
}
