//! A gondola runs along a carrying cable and is hauled by another.
//!
//! Source: the bicable ropeway. The carrying cable goes through the two wheels of the gondola's
//! carriage, as through rings, from tower to tower; a counterweight keeps it taut, so it sags by
//! T = weight. The hauling cable has a winch. What happens: the gondola is hauled across and swings.

use super::Entry;
use super::parts::machine::ramp;
use crate::file::{Body, Cable, Drive, Ground, Joint, SceneFile, Shape, Station, Winch};

pub(super) const ENTRY: Entry = Entry {
    name: "cable-car",
    aliases: &["gondola"],
    summary: "A gondola runs along a cable that a counterweight keeps taut.",
    source: "the bicable ropeway, sizes chosen",
    size_of: "gondolas",
    default_size: 1,
    small_size: 1,
    build,
};

const SPAN: f64 = 60.0;
const HEIGHT: f64 = 25.0;
const COUNTERWEIGHT: f64 = 6000.0;

/// `size` lines side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Span 60 m, counterweight 6 t, gondola 800 kg on a hinge, hauled at 3 m/s.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.ground = Some(Ground::default());
    for i in 0..size {
        let y = 8.0 * i as f64;
        let name = |n: &str| format!("{n}{i}");
        for (tower, x) in [("tower-a", 0.0), ("tower-b", SPAN)] {
            let mast = Body::fixed(name(tower)).shape(Shape::cuboid([0.4, 0.4, 0.5 * HEIGHT]));
            scene.add(mast.at([x, y, 0.5 * HEIGHT - 0.5]).ghost());
        }
        let weight = Body::new(name("counterweight")).shape(Shape::cuboid([0.8, 0.8, 1.2]));
        scene.add(weight.mass(COUNTERWEIGHT).at([SPAN + 1.5, y, 10.0]).ghost());
        let rail = Joint::slider("world", name("counterweight")).axis_a([0.0, 0.0, 1.0]);
        scene.join(rail.anchor_b([0.0; 3]).named(name("guide")));
        let at = [8.0, y, HEIGHT - 0.8];
        let carriage = Body::new(name("carriage")).shape(Shape::cuboid([1.0, 0.1, 0.12]));
        scene.add(carriage.mass(150.0).at(at).ghost());
        let cabin = Body::new(name("gondola")).shape(Shape::cuboid([1.4, 0.9, 1.0])).mass(800.0);
        scene.add(cabin.at([at[0], y, at[2] - 3.5]).ghost());
        let hanger = Joint::hinge(name("carriage"), name("gondola")).axis_a([0.0, 1.0, 0.0]);
        scene.join(hanger.anchor_a([0.0; 3]).named(name("hanger")));
        let carrying = vec![
            Station::point("world", [0.0, y, HEIGHT]),
            Station::point(name("carriage"), [-0.8, 0.0, 0.1]),
            Station::point(name("carriage"), [0.8, 0.0, 0.1]),
            Station::pulley("world", [SPAN, y, HEIGHT - 1.5], [0.0, 1.0, 0.0], 1.5),
            Station::point(name("counterweight"), [0.0, 0.0, 1.2]),
        ];
        scene.string(Cable::new(name("carrying"), carrying));
        let hauling = vec![
            Station::point("world", [SPAN, y, HEIGHT - 1.0]),
            Station::point(name("carriage"), [1.0, 0.0, 0.0]),
        ];
        let winch = Some(Winch { max_force: Some(3e4), ..Winch::default() });
        scene.string(Cable { winch, ..Cable::new(name("hauling"), hauling) });
        scene.drives.push(Drive::winch(name("hauling"), ramp(2.0, 15.0, -3.0)));
    }
    scene
}
