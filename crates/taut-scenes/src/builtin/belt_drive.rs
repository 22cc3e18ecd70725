//! A belt takes the torque of a motor to a flywheel, and slips where that is too much.
//!
//! Source: the belt drive: 2τ(e^(μθ) − 1)/(e^(μθ) + 1) is the most that an elastic belt under the
//! pretension τ carries. What happens: the motor wheel comes to speed within a second, the belt slips
//! until the flywheel has caught up; an idler without friction presses on the slack side.

use super::Entry;
use super::parts::machine::ramp;
use crate::file::{Body, Cable, Drive, Joint, Motor, SceneFile, Shape, Station};
use std::f64::consts::FRAC_PI_2;

pub(super) const ENTRY: Entry = Entry {
    name: "belt-drive",
    aliases: &["belt"],
    summary: "A belt drives a flywheel and slips while it starts.",
    source: "the belt drive, by the law of Euler and Eytelwein",
    size_of: "drives",
    default_size: 1,
    small_size: 1,
    build,
};

const RADII: [f64; 2] = [0.2, 0.5];
const DISTANCE: f64 = 1.6;

/// `size` drives side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Wheels of 0.2 m, 10 kg and 0.5 m, 80 kg, 1.6 m apart; belt of EA = 1e5 N with a strain \
                 of 0.001, friction 0.3.";
    let mut scene = ENTRY.scene(notes, &[]);
    scene.duration = 10.0;
    for i in 0..size {
        let y = 0.8 * i as f64;
        let name = |n: &str| format!("{n}{i}");
        let wheels = [("driver", 0.0, RADII[0], 10.0), ("flywheel", DISTANCE, RADII[1], 80.0)];
        for (wheel, x, radius, mass) in wheels {
            let body =
                Body::new(name(wheel)).shape(Shape::cylinder(0.06, radius)).mass(mass).ghost();
            scene.add(body.at([x, y, 1.0]).turned([1.0, 0.0, 0.0], FRAC_PI_2));
            let axle =
                Joint::hinge("world", name(wheel)).axis_a([0.0, 1.0, 0.0]).anchor_b([0.0; 3]);
            let motor = Motor::velocity(0.0, 200.0);
            let driven = wheel == "driver";
            scene.join(if driven { axle.motor(motor) } else { axle }.named(name(wheel)));
        }
        let via = vec![
            Station::pulley(name("driver"), [0.0; 3], [0.0, 0.0, -1.0], RADII[0]).friction(0.3),
            Station::pulley(name("flywheel"), [0.0; 3], [0.0, 0.0, -1.0], RADII[1]).friction(0.3),
        ];
        let lean = ((RADII[1] - RADII[0]) / DISTANCE).asin();
        let straight = (DISTANCE.powi(2) - (RADII[1] - RADII[0]).powi(2)).sqrt();
        let sum = RADII[0] + RADII[1];
        let way = 2.0 * straight + std::f64::consts::PI * sum + 2.0 * (RADII[1] - RADII[0]) * lean;
        let belt = Cable::new(name("belt"), via);
        let length = Some(way / 1.001);
        scene.string(Cable { closed: true, length, stiffness: Some(1e5), damping: 100.0, ..belt });
        scene.drives.push(Drive::motor(name("driver"), ramp(0.2, 8.0, 40.0)));
    }
    scene
}
