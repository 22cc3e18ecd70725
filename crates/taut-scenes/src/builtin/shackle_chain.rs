//! A chain of real links carries a load: nothing but contact holds it together.
//!
//! | | value | |
//! |---|---|---|
//! | links | bar 20 mm thick, 60 mm long and 26 mm wide inside, steel | chosen: near DIN 766 |
//! | load | 1000 kg, a ball joint in the last link | chosen |
//! | friction | 0.3 | chosen |

use super::Entry;
use super::parts::solids::{bar, stadium};
use crate::file::{Body, Joint, Material, SceneFile, Shape};
use std::f64::consts::PI;
use taut::math::Vec3;

pub(super) const ENTRY: Entry = Entry {
    name: "shackle-chain",
    aliases: &["link-chain"],
    summary: "A chain of real links, meshes that hold one another by contact, carries a tonne.",
    source: "Andrews22 2.3",
    size_of: "links",
    default_size: 30,
    small_size: 4,
    build,
};

const BAR: f64 = 0.01;
const INSIDE: [f64; 2] = [0.06, 0.026];
const LOAD: f64 = 1000.0;

/// Pieces of a bend, and flats around the bar. Links rest on flats of 3 mm, each on a wider one of the other's bend: with
/// a corner or an edge in the middle a chain under load rocks on them.
const BEND: usize = 9;
const AROUND: usize = 20;

/// `size` links, the first of them fixed, and the load.
pub fn build(size: usize) -> SceneFile {
    let mut scene = ENTRY.scene("The first link is fixed; every second one is turned by 90°.", &[]);
    scene.duration = 60.0;
    scene.material("default", Material::friction(0.3));
    let radius = 0.5 * INSIDE[1] + BAR;
    let straight = INSIDE[0] - INSIDE[1];
    let link = bar(&stadium(straight, radius, BEND), true, BAR, Vec3::Y, AROUND);
    // Between the flats that touch.
    let flat = radius - BAR * (PI / AROUND as f64).cos();
    let pitch = straight + 2.0 * flat * (0.5 * PI / BEND as f64).cos();
    for i in 0..size {
        let name = format!("link{i}");
        let body = if i == 0 { Body::fixed(&name) } else { Body::new(&name).density(7850.0) };
        let turn = if i.is_multiple_of(2) { 0.0 } else { 0.5 * PI };
        let at = [0.0, 0.0, -pitch * i as f64];
        scene.add(body.shape(link.clone()).at(at).turned([0.0, 0.0, 1.0], turn));
    }
    let last = -pitch * (size as f64 - 0.5);
    let load = Body::new("load").shape(Shape::cuboid([0.25; 3])).mass(LOAD);
    scene.add(load.at([0.0, 0.0, last - 0.35]).ghost());
    let hang = Joint::ball(format!("link{}", size - 1), "load").named("eye");
    scene.join(hang.anchor_b([0.0, 0.0, 0.35]));
    scene
}
