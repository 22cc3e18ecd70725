//! How the built-in scenes look: paint, tyres, wood, steel. What collides is
//! in the scenes themselves; nothing here influences the motion.
//!
//! A body is dressed by its name, without the prefix of its machine and the
//! number at its end, and by its shape.

mod machines;
mod parts;
mod scenery;

use crate::file::{Body, Camera, Finish, SceneFile, Shape, Visual};
use parts::{
    cab, cone, corners, crate_of, cuboid, ended, lattice, link, painted, person, ship, tub, wheel,
};
use taut::math::{Quat, Vec3};

const DARK: &str = "#33383e";
const YELLOW: &str = "#f0b429";

/// Dresses a scene.
pub(super) fn dress(scene: &mut SceneFile) {
    let name = scene.name.clone().unwrap_or_default();
    let most = scene.bodies.iter().filter_map(|b| b.mass).fold(1e-9, f64::max);
    for (i, body) in scene.bodies.iter_mut().enumerate() {
        if body.colour.is_none() && body.finish.is_none() && body.visual.is_empty() {
            let given = std::mem::replace(body, Body::new(""));
            *body = clothe(given, &name, i, most);
        }
    }
    scene.scenery = scenery::scenery(&name, scene);
    scene.camera = camera(&name, scene);
}

/// Where to look from, where that is not where all of it is seen.
fn camera(name: &str, scene: &SceneFile) -> Option<Camera> {
    let long = scene.bodies.iter().map(|b| b.position[0]).fold(1.0, f64::max);
    let (eye, target) = match name {
        "bridge" => ([0.28 * long, -long, 0.34 * long], [0.5 * long, 0.0, 0.0]),
        "vehicle" => ([-8.0, -11.0, 5.0], [1.0, 0.0, 1.0]),
        "forklift" => ([-3.6, -5.8, 2.8], [0.7, 0.0, 0.9]),
        "domino" => ([-2.2, -3.4, 1.9], [2.0, 0.0, 0.3]),
        "incline" => ([7.0, -9.5, 2.5], [1.5, 0.0, -0.6]),
        "offshore" | "offshore-cable" => ([40.0, 36.0, 20.0], [4.0, -5.0, 8.0]),
        "winch" => ([4.5, -6.0, 2.8], [1.2, 0.0, 0.8]),
        "rocks" => ([5.0, -13.0, 6.0], [-1.5, 0.0, 0.8]),
        "chain-drop" => ([8.0, -8.4, 2.6], [0.1, 0.0, -0.7]),
        "tower-crane" => ([38.0, -52.0, 26.0], [7.0, 0.0, 17.0]),
        "mobile-crane" | "mobile-crane-cable" => ([19.5, -27.5, 10.0], [1.5, 0.0, 7.5]),
        "net-truck" => ([8.2, -11.2, 3.8], [0.0, 0.0, -1.1]),
        "hook" => ([1.1, -1.8, 0.55], [0.0, 0.0, -0.12]),
        "gears" => ([0.35, -0.75, 0.6], [0.12, 0.0, -0.02]),
        "belt-drive" => ([0.3, -3.6, 1.9], [0.8, 0.0, 0.85]),
        "soft-press" => ([0.7, -0.8, 0.45], [0.0, 0.0, 0.12]),
        "soft-gripper" => ([0.6, -2.5, 1.0], [0.0, 0.0, 0.55]),
        "jelly-stack" => ([2.6, -2.9, 1.5], [0.0, 0.0, 0.6]),
        "tyre" => ([2.6, -3.4, 1.6], [1.2, 0.0, 0.6]),
        "beam-bridge" => ([1.5, -5.0, 2.6], [0.0, 0.0, 0.9]),
        _ => return None,
    };
    let follow = match name {
        "vehicle" => Some("hull".into()),
        "forklift" => Some("chassis".into()),
        _ => None,
    };
    Some(Camera { eye, target, follow })
}

/// The name of a part, without the prefix of its machine and its number.
fn base(name: &str) -> &str {
    let rest = match name.split_once('-') {
        Some((first, rest)) if first.chars().last().is_some_and(|c| c.is_ascii_digit()) => rest,
        _ => name,
    };
    let rest = if rest.chars().all(|c| c.is_ascii_digit()) { name } else { rest };
    rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-')
}

/// The paint of the machines of a scene.
fn paint(scene: &str) -> &'static str {
    match scene {
        "forklift" => "#ef7d1a",
        "vehicle" => "#7c8450",
        "forwarder" => "#3f8a45",
        "trucks" | "net-truck" => "#d9482b",
        "tandem-cranes" => "#c8372d",
        _ => YELLOW,
    }
}

/// One of a few shades, by number.
fn shade<'a>(shades: &[&'a str], i: usize) -> &'a str {
    shades[(i * 7 + i / 3) % shades.len()]
}

fn clothe(body: Body, scene: &str, i: usize, most: f64) -> Body {
    let (name, paint) = (body.name.clone(), paint(scene));
    let name = base(&name);
    let machine = ["forklift", "vehicle", "forwarder", "trucks", "net-truck", "tandem-cranes"];
    let crane = ["mobile-crane", "mobile-crane-cable", "offshore", "offshore-cable", "tower-crane"];
    let clad = |body: Body, parts: Vec<Visual>| Body { visual: parts, ..body };
    if let Some(parts) = machines::looks(scene, name, &body) {
        return clad(body, parts);
    }
    match body.shape.clone() {
        Some(Shape::Cylinder { half_height, radius }) if is_wheel(name) => {
            clad(body, wheel(half_height, radius))
        }
        Some(Shape::Cylinder { half_height, radius }) if name == "log" => {
            let colours = [shade(&["#7a5632", "#6d4b2b", "#85603a"], i), "#d8b27d"];
            clad(body, ended(half_height, radius, colours, 0.88, Finish::Wood))
        }
        Some(Shape::Cylinder { half_height, radius }) if name == "pipe" => {
            let colours = ["#b4b0a7", "#3d3c3a"];
            clad(body, ended(half_height, radius, colours, 0.8, Finish::Concrete))
        }
        Some(Shape::Cone { half_height, radius }) => clad(body, cone(half_height, radius)),
        Some(Shape::Box { half_extents }) => match special(name, scene, half_extents, paint) {
            Some(parts) => clad(body, parts),
            None if is_link(scene, name) => {
                let [x, y, _] = half_extents;
                let (axis, reach) = if x > y { (Vec3::X, x) } else { (Vec3::Z, half_extents[2]) };
                clad(body, link(axis, reach, 0.2 * reach, i % 2 == 1))
            }
            None => {
                boxy(body, name, scene, i, most, machine.contains(&scene) || crane.contains(&scene))
            }
        },
        Some(Shape::Capsule { half_length, radius }) if is_link(scene, name) => {
            clad(body, link(Vec3::Z, half_length, 0.55 * radius, i % 2 == 1))
        }
        _ => plain(body, name, paint),
    }
}

fn is_wheel(name: &str) -> bool {
    ["wheel", "front-", "rear-"].iter().any(|start| name.starts_with(start))
}

fn is_link(scene: &str, name: &str) -> bool {
    name == "link" && ["chain", "loaded-chain", "catenary", "chain-drop", "winch"].contains(&scene)
}

/// Boxes that stand for something of another form.
fn special(name: &str, scene: &str, half: [f64; 3], paint: &str) -> Option<Vec<Visual>> {
    let [x, y, z] = half;
    Some(match (scene, name) {
        (_, "cab") | ("cable-car", "gondola") | ("elevator", "car") => cab(half, paint),
        ("vehicle", "turret") => cab(half, paint),
        (_, "bed") => tub(half, paint, "#7b6650"),
        (_, "driver") => person(x),
        (_, "crate") | ("soft-gripper", "box") => crate_of(half),
        (_, "ship") => ship(half),
        (_, "engine") if scene.contains("truck") => vec![
            painted(half, [0.0; 3], paint),
            cuboid([0.02, 0.8 * y, 0.7 * z], [x, 0.0, -0.05 * z], "#23272b", Finish::Matt),
        ],
        ("tandem-cranes", "boom")
        | ("tower-crane", "mast")
        | ("cable-car", "tower-a" | "tower-b") => lattice(half, paint),
        ("forklift", "mast" | "inner") => rails(half),
        ("forklift", "guard") => guard(half, paint),
        ("forklift", "chassis") => vec![
            painted(half, [0.0; 3], paint),
            painted([0.32 * x, 1.02 * y, 1.05 * z], [-0.7 * x, 0.0, 0.02 * z], DARK),
            cuboid([0.24, 0.24, 0.07], [0.03, 0.0, z + 0.05], "#1f2226", Finish::Rubber),
            cuboid([0.04, 0.4, 0.2], [x - 0.04, 0.0, z + 0.15], DARK, Finish::Paint),
        ],
        ("vehicle", "hull") => {
            let nose = |x: f64, z: f64| [[x, y, z], [x, -y, z]];
            let outline = [
                nose(-x, z),
                nose(-x, -z),
                nose(0.72 * x, z),
                nose(x, 0.1 * z),
                nose(0.85 * x, -z),
            ];
            let hull = Visual::new(Shape::ConvexHull { points: outline.concat() });
            vec![
                hull.colour(paint).finish(Finish::Paint),
                cuboid([0.02, 0.75 * y, 0.12], [0.86 * x, 0.0, 0.62 * z], "#1d2a36", Finish::Glass)
                    .oriented(Quat::from_rotation_y(-0.85)),
            ]
        }
        _ => return None,
    })
}

/// Two upright rails with bars between them.
fn rails([x, y, z]: [f64; 3]) -> Vec<Visual> {
    let steel = |half, at| cuboid(half, at, "#3c4249", Finish::Metal);
    let mut parts: Vec<_> =
        [1.0, -1.0].map(|side| steel([x, 0.14 * y, z], [0.0, side * 0.86 * y, 0.0])).into();
    parts.extend([-0.95, 0.95].map(|at| steel([x, y, 0.05 * z], [0.0, 0.0, at * z])));
    parts
}

/// A roof of bars on four pillars that reach down to the chassis.
fn guard([x, y, z]: [f64; 3], paint: &str) -> Vec<Visual> {
    let mut parts = Vec::new();
    for (sx, sy) in corners() {
        parts.push(painted([0.03, 0.03, 0.6], [sx * (x - 0.03), sy * (y - 0.03), -0.6], paint));
    }
    for side in [1.0, -1.0] {
        parts.push(painted([x, 0.035, z], [0.0, side * (y - 0.035), 0.0], paint));
        parts.push(painted([0.035, y, z], [side * (x - 0.035), 0.0, 0.0], paint));
    }
    parts.extend(
        (-2..=2).map(|i| painted([0.02, y, 0.6 * z], [0.2 * f64::from(i), 0.0, 0.0], paint)),
    );
    parts
}

/// Boxes as they are, with paint or of a material.
fn boxy(body: Body, name: &str, scene: &str, i: usize, most: f64, machine: bool) -> Body {
    let wood = ["#b98a55", "#a97b48", "#c59a66", "#9f7442"];
    let mass = body.mass.unwrap_or(0.0);
    match (scene, name) {
        ("wall", "brick") => body
            .colour(shade(&["#a5533c", "#9a4934", "#b06148", "#8f4631"], i))
            .finish(Finish::Matt),
        ("bridge", "plank") | (_, "log") => body.colour(shade(&wood, i)).finish(Finish::Wood),
        ("heavy-stack", _) => {
            // The heavier, the darker.
            let light = (205.0 - 150.0 * (mass.max(1.0).ln() / most.max(2.0).ln())) as u8;
            body.colour(format!("#{light:02x}{light:02x}{:02x}", light.saturating_add(8)))
                .finish(Finish::Metal)
        }
        ("boxes" | "box-stack", _) => {
            body.colour(shade(&["#c79a62", "#bd8f58", "#cfa670"], i)).finish(Finish::Matt)
        }
        ("incline", _) => {
            // From ice to rubber.
            let colours = [
                "#bfe3f2", "#8fc4dd", "#c59a66", "#b98a55", "#9a9a96", "#7d7a76", "#c8372d",
                "#33383e",
            ];
            body.colour(colours[(i + colours.len() - 1) % colours.len()]).finish(Finish::Paint)
        }
        ("vehicle", "stair") | (_, "stand" | "block-l" | "block-r") => {
            body.finish(Finish::Concrete)
        }
        ("chain-drop", "plane") => body.colour("#b98a55").finish(Finish::Wood),
        ("soft-gripper", "left" | "right") => body.colour(YELLOW).finish(Finish::Paint),
        (_, "telescope") => body.colour("#e9ebec").finish(Finish::Paint),
        ("vehicle", "bump") => body.colour("#e0a526").finish(Finish::Paint),
        (_, "load" | "block" | "counterweight" | "module") => {
            body.colour("#5b6570").finish(Finish::Paint)
        }
        ("tandem-cranes", "frame-l" | "frame-r") | (_, "fork-l" | "fork-r" | "carriage") => {
            body.colour(DARK).finish(Finish::Metal)
        }
        (_, "chassis") => body.colour(DARK).finish(Finish::Paint),
        _ if machine && (!body.collides || mass < 60.0) => {
            body.colour("#4a5058").finish(Finish::Metal)
        }
        _ if machine => body.colour(paint(scene)).finish(Finish::Paint),
        _ => body.finish(Finish::Metal),
    }
}

/// Everything else.
fn plain(body: Body, name: &str, paint: &str) -> Body {
    let fixed_terrain = matches!(body.shape, Some(Shape::HeightField { .. }));
    match name {
        _ if fixed_terrain => body.colour("#8b8c62").finish(Finish::Matt),
        "rock" => {
            let grey = shade(
                &["#8f8b84", "#827d75", "#9b978f", "#77736d"],
                body.name.len() + body.name.bytes().map(usize::from).sum::<usize>(),
            );
            body.colour(grey).finish(Finish::Concrete)
        }
        "nut" | "gear" => body.colour("#c9a24b").finish(Finish::Metal),
        "boom" | "jib" | "trolley" | "turntable" | "frame" | "grapple" | "claw-a" | "claw-b" => {
            body.colour(paint).finish(Finish::Paint)
        }
        _ if name.ends_with("barrel") => body.colour(DARK).finish(Finish::Paint),
        _ => body.finish(Finish::Metal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::SCENES;

    #[test]
    fn names_without_prefix_and_number() {
        for (name, part) in [
            ("truck3-wheel-fl", "wheel-fl"),
            ("1-cab", "cab"),
            ("crane0-boom12", "boom"),
            ("cable7", "cable"),
            ("log3-2", "log"),
            ("box10-4", "box"),
            ("tower-a0", "tower-a"),
            ("hull", "hull"),
        ] {
            assert_eq!(base(name), part, "{name}");
        }
    }

    /// Clothes change nothing but clothes, and all of them can be built.
    #[test]
    fn every_scene_is_dressed_and_nothing_else() {
        for entry in SCENES {
            let bare = (entry.build)(entry.small_size);
            let dressed = entry.file(Some(entry.small_size));
            assert!(dressed.build().is_ok(), "{}", entry.name);
            let clothed =
                |b: &&Body| b.colour.is_some() || b.finish.is_some() || !b.visual.is_empty();
            assert_eq!(
                dressed.bodies.iter().filter(clothed).count(),
                bare.bodies.len(),
                "{}",
                entry.name
            );
            let mut naked = dressed.clone();
            (naked.scenery, naked.camera) = (Vec::new(), None);
            for body in &mut naked.bodies {
                (body.colour, body.finish, body.visual) = (None, None, Vec::new());
            }
            assert_eq!(naked, bare, "{}", entry.name);
        }
    }
}
