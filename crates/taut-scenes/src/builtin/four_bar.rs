//! Crank, coupler and rocker.

use super::Entry;
use crate::file::{Body, Joint, Motor, SceneFile, Shape};

pub(super) const ENTRY: Entry = Entry {
    name: "four-bar",
    aliases: &[],
    summary: "A motor turns a crank; coupler and rocker follow.",
    source: "the planar four-bar linkage, with spatial hinges: three rows are redundant",
    size_of: "linkages",
    default_size: 1,
    small_size: 1,
    build,
};

const BASE: f64 = 0.6;
const CRANK: f64 = 0.2;
const COUPLER: f64 = 0.6;
const ROCKER: f64 = 0.5;
const DENSITY: f64 = 4.0;
/// One turn per second.
const SPEED: f64 = std::f64::consts::TAU;

/// `size` linkages side by side, in the x-z plane, hinges along y. The crank
/// starts upright and turns once a second.
pub fn build(size: usize) -> SceneFile {
    let notes = "Base 0.6, crank 0.2, coupler 0.6, rocker 0.5 m; bars of 4 kg/m; the motor holds \
                 one turn per second with at most 200 N m.";
    let mut scene = ENTRY.scene(notes, &[]);
    for i in 0..size {
        linkage(&mut scene, i);
    }
    scene
}

fn linkage(scene: &mut SceneFile, i: usize) {
    let y = i as f64;
    let (a, d) = ([0.0, 0.0], [BASE, 0.0]);
    let b = [0.0, CRANK];
    let c = meet(b, COUPLER, d, ROCKER);
    let names = ["crank", "coupler", "rocker"].map(|name| format!("{name}{i}"));
    for (name, [from, to]) in names.iter().zip([[a, b], [b, c], [d, c]]) {
        let (dx, dz) = (to[0] - from[0], to[1] - from[1]);
        let half = 0.5 * dx.hypot(dz);
        let bar = Body::new(name).shape(Shape::cuboid([half, 0.015, 0.015])).ghost();
        let at = [from[0] + 0.5 * dx, y, from[1] + 0.5 * dz];
        scene.add(bar.mass(DENSITY * 2.0 * half).at(at).turned([0.0, 1.0, 0.0], -dz.atan2(dx)));
    }
    let [crank, coupler, rocker] = names;
    // Positive about y turns z towards x.
    let hinge = |a: &str, b: &str, half: f64| {
        Joint::hinge(a, b).anchor_b([half, 0.0, 0.0]).axis_b([0.0, 1.0, 0.0])
    };
    let motor = Motor::velocity(SPEED, 200.0);
    scene.join(hinge("world", &crank, -0.5 * CRANK).motor(motor).named(format!("drive{i}")));
    scene.join(hinge(&crank, &coupler, -0.5 * COUPLER));
    scene.join(hinge(&coupler, &rocker, 0.5 * ROCKER));
    scene.join(hinge("world", &rocker, -0.5 * ROCKER));
}

/// The upper point at distance r from p and s from q.
fn meet(p: [f64; 2], r: f64, q: [f64; 2], s: f64) -> [f64; 2] {
    let (dx, dz) = (q[0] - p[0], q[1] - p[1]);
    let d = dx.hypot(dz);
    let along = (d * d + r * r - s * s) / (2.0 * d);
    let across = (r * r - along * along).max(0.0).sqrt();
    let (ex, ez) = (dx / d, dz / d);
    [p[0] + along * ex - across * ez, p[1] + along * ez + across * ex]
}
