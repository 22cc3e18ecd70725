//! An elevator with counterweight and traction sheave.
//!
//! Source: the traction elevator: nothing but friction, T₁/T₂ ≤ e^(μθ), holds the ropes on the
//! driven sheave. What happens: the car rises, stops, and goes down again; at 12 s the brake is
//! put on at full speed, and the ropes slip on the sheave as far as the car's momentum takes them.

use super::Entry;
use super::parts::machine::ramp;
use crate::file::{Body, Cable, Drive, Joint, Motor, SceneFile, Shape, Station};
use std::f64::consts::FRAC_PI_2;

pub(super) const ENTRY: Entry = Entry {
    name: "elevator",
    aliases: &[],
    summary: "A traction sheave moves a car and its counterweight by friction.",
    source: "the traction elevator, by the law of Euler and Eytelwein",
    size_of: "elevators",
    default_size: 1,
    small_size: 1,
    build,
};

const RADIUS: f64 = 0.4;
const HEIGHT: f64 = 22.0;
const CAR: f64 = 1400.0;
const COUNTERWEIGHT: f64 = 1100.0;
const FRICTION: f64 = 0.15;

/// `size` elevators side by side.
pub fn build(size: usize) -> SceneFile {
    let notes = "Car 1400 kg, counterweight 1100 kg, sheave of 0.4 m and 200 kg, friction 0.15 over \
                 half a turn; up to 5 s, down from 7 s, braked at 12 s.";
    let mut scene = ENTRY.scene(notes, &[]);
    for i in 0..size {
        let y = 3.0 * i as f64;
        let [sheave, car, counter] = ["sheave", "car", "counterweight"].map(|n| format!("{n}{i}"));
        let wheel = Body::new(&sheave).shape(Shape::cylinder(0.1, RADIUS)).mass(200.0).ghost();
        scene.add(wheel.at([0.0, y, HEIGHT]).turned([1.0, 0.0, 0.0], FRAC_PI_2));
        let cabin = Body::new(&car).shape(Shape::cuboid([0.8, 0.8, 1.1])).mass(CAR).ghost();
        scene.add(cabin.at([-RADIUS - 0.6, y, 2.0]));
        let weight = Body::new(&counter).shape(Shape::cuboid([0.15, 0.6, 0.9])).mass(COUNTERWEIGHT);
        scene.add(weight.ghost().at([RADIUS, y, HEIGHT - 6.0]));
        // Wheels are turned so that their z is −y of the world.
        let motor = Motor::velocity(0.0, 1e5);
        let axle = Joint::hinge("world", &sheave).axis_a([0.0, 1.0, 0.0]).anchor_b([0.0; 3]);
        scene.join(axle.motor(motor).named(format!("drive{i}")));
        for body in [&car, &counter] {
            let rail = Joint::slider("world", body).axis_a([0.0, 0.0, 1.0]).anchor_b([0.0; 3]);
            scene.join(rail.named(format!("rail of {body}")));
        }
        let via = vec![
            Station::point(&car, [0.6, 0.0, 1.2]),
            Station::pulley(&sheave, [0.0; 3], [0.0, 0.0, -1.0], RADIUS).friction(FRICTION),
            Station::point(&counter, [0.0, 0.0, 0.9]),
        ];
        scene.string(Cable::new(format!("ropes{i}"), via));
        let mut keys = ramp(0.0, 5.0, 1.5 / RADIUS);
        keys.extend([(7.0, 0.0), (8.0, -2.0 / RADIUS), (12.0, -2.0 / RADIUS), (12.0, 0.0)]);
        scene.drives.push(Drive::motor(format!("drive{i}"), keys));
    }
    scene
}
