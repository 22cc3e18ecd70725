//! A coiled chain drops onto an inclined plane and slides off it.
//!
//! Source: Peiret19 section 7.1 "chain drop", tables 2 and 3: 250 links of
//! 0.25 kg with universal joints are dropped onto an inclined plane; friction
//! is low enough that the chain slowly slides off. Condition number of the
//! interface 2.7e4. Semantic partitions of 16 bodies (table 2; the text says
//! 32). The source gives no row count; here 1000 rows of joints and two
//! contacts per link on the plane make 2500.
//!
//! | | value | |
//! |---|---|---|
//! | links, mass | 250, 0.25 kg | source |
//! | link | 0.1 m long, 24 mm thick, round | chosen: 2.5 kg/m |
//! | start | flat spiral from radius 0.3 m, turns 0.1 m apart, 0.3 m above the plane | chosen |
//! | plane | 20°, its lower edge 2.5 m from the spiral's centre | chosen |
//! | friction | 0.33; tan 20° is 0.364 | chosen: it gathers speed at 0.3 m/s² |
//! | ground | 2.5 m below the centre, friction 0.5 | chosen |

use super::Entry;
use super::parts::partition;
use super::parts::strand::{Coupling, Section, Strand};
use crate::file::{Body, Ground, Material, SceneFile, Shape};
use std::f64::consts::TAU;
use taut::math::{Quat, Vec3};

pub(super) const ENTRY: Entry = Entry {
    name: "chain-drop",
    aliases: &[],
    summary: "A coiled chain drops onto an inclined plane and slowly slides off it.",
    source: "Peiret19 7.1 (chain drop)",
    size_of: "links",
    default_size: 250,
    small_size: 40,
    build,
};

const LINK: f64 = 0.1;
const LINK_MASS: f64 = 0.25;
const LINK_RADIUS: f64 = 0.012;
const INNER_RADIUS: f64 = 0.3;
const TURN_DISTANCE: f64 = 0.1;
const HEIGHT: f64 = 0.3;
/// Slope of the plane [rad].
const SLOPE: f64 = 0.349;
const FRICTION: f64 = 0.33;
/// From the point below the spiral's centre to the lower edge [m].
const EDGE: f64 = 2.5;
const PLANE_HALF: [f64; 3] = [3.0, 2.5, 0.05];
const GROUND: f64 = -2.5;

/// `size` links, spiralling outwards. The plane falls towards +x.
pub fn build(size: usize) -> SceneFile {
    let notes = "A flat spiral falls 0.3 m onto a slope of 20 degrees with friction 0.33.";
    let mut scene = ENTRY.scene(notes, &[("interface_condition", 2.7e4)]);
    scene.material("default", Material::friction(FRICTION));
    scene.material("ground", Material::friction(0.5 * 0.5 / FRICTION));
    scene.ground = Some(Ground { height: GROUND, material: Some("ground".into()) });
    let tilt = Quat::from_scaled_axis(Vec3::Y * SLOPE);
    let plane = Body::fixed("plane").shape(Shape::cuboid(PLANE_HALF)).oriented(tilt);
    scene.add(plane.at(tilt * Vec3::new(EDGE - PLANE_HALF[0], 0.0, -PLANE_HALF[2])));
    let strand = Strand {
        prefix: "link".into(),
        mass: LINK_MASS,
        section: Section::Round(LINK_RADIUS),
        coupling: Coupling::Universal,
        groups: None,
        material: None,
    };
    let points: Vec<Vec3> =
        spiral(size).into_iter().map(|p| tilt * (p + Vec3::Z * HEIGHT)).collect();
    let names = strand.lay(&mut scene, &points, tilt * Vec3::Z, [None, None]);
    partition(&mut scene, &names, 16);
    scene
}

/// `links` + 1 points, a link's length apart, on a spiral in the xy plane.
fn spiral(links: usize) -> Vec<Vec3> {
    let growth = TURN_DISTANCE / TAU;
    let point = |angle: f64| {
        let r = INNER_RADIUS + growth * angle;
        Vec3::new(r * angle.cos(), r * angle.sin(), 0.0)
    };
    let mut angle = 0.0;
    let mut points = vec![point(0.0)];
    for _ in 0..links {
        let last = point(angle);
        let mut step = LINK / (INNER_RADIUS + growth * angle);
        // The chord is nearly proportional to the angle: few corrections.
        for _ in 0..20 {
            step *= LINK / point(angle + step).distance(last);
        }
        angle += step;
        points.push(point(angle));
    }
    points
}
