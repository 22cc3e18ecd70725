//! How still bodies are that rest: jitter as a number.
//!
//! A free body rests in a frame if its speed stays below [`SPEED`] from
//! [`DELAY`] before it to [`DELAY`] after it: what begins or ends to move does
//! not rest. Its acceleration is the change of its velocity over a frame, by the time
//! of the frame. Perfect rest has none; a body that trembles by 0.1 mm from
//! frame to frame at 60 Hz has 0.4 m/s².

use std::collections::VecDeque;

use serde::Serialize;
use taut::math::Vec3;
use taut::{BodyKind, World};

/// Slower bodies may rest \[m/s\].
const SPEED: f64 = 0.01;
/// How long before and after a frame a body must be slow to rest in it \[s\].
const DELAY: f64 = 0.25;

/// What is known of the bodies so far, in the order of the world.
#[derive(Default)]
pub struct Rest {
    bodies: Vec<Slow>,
    squares: f64,
    samples: usize,
    max: f64,
}

#[derive(Default)]
struct Slow {
    velocity: Vec3,
    /// For how long it has been slow \[s\].
    time: f64,
    /// Accelerations of the last frames: it may yet begin to move.
    recent: VecDeque<f64>,
    has_rested: bool,
}

/// The figures. Accelerations are null if nothing rested.
#[derive(Clone, Copy, Serialize)]
pub struct RestFigures {
    /// Bodies that rested at some time.
    pub bodies: usize,
    /// Root of the mean square over bodies and frames at rest, m/s².
    pub rms_acceleration: Option<f64>,
    /// The largest, m/s².
    pub max_acceleration: Option<f64>,
}

impl Rest {
    /// Adds the state after a frame of `dt` seconds.
    pub fn add(&mut self, world: &World, dt: f64) {
        let free = world.bodies().filter(|(_, b)| b.kind() == BodyKind::Dynamic);
        for (i, (_, body)) in free.enumerate() {
            if i == self.bodies.len() {
                self.bodies.push(Slow::default());
            }
            let slow = &mut self.bodies[i];
            let change = (body.velocity() - slow.velocity).length() / dt;
            slow.velocity = body.velocity();
            if slow.velocity.length() >= SPEED {
                slow.time = 0.0;
                slow.recent.clear();
                continue;
            }
            slow.time += dt;
            if slow.time > DELAY {
                slow.recent.push_back(change);
            }
            let settled = dt * slow.recent.len() as f64 > DELAY;
            let Some(a) = slow.recent.front().copied().filter(|_| settled) else { continue };
            slow.recent.pop_front();
            slow.has_rested = true;
            self.squares += a * a;
            self.samples += 1;
            self.max = self.max.max(a);
        }
    }

    /// All figures.
    pub fn figures(&self) -> RestFigures {
        let any = self.samples > 0;
        let rms = (self.squares / self.samples.max(1) as f64).sqrt();
        RestFigures {
            bodies: self.bodies.iter().filter(|b| b.has_rested).count(),
            rms_acceleration: any.then_some(rms),
            max_acceleration: any.then_some(self.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut::Body;

    /// A body that turns back every frame and one that flies.
    #[test]
    fn trembling_is_measured_and_flight_is_not() -> Result<(), taut::Error> {
        let mut world = World::new();
        let ball = |name| Body::dynamic(name).mass(1.0).box_inertia([1.0; 3]);
        let trembles = world.add_body(ball("trembles"))?;
        let flies = world.add_body(ball("flies"))?;
        let mut rest = Rest::default();
        for i in 0..120 {
            let v = if i % 2 == 0 { 0.003 } else { -0.003 };
            world.set_velocity(trembles, Vec3::X * v, Vec3::ZERO)?;
            world.set_velocity(flies, Vec3::X * f64::from(i), Vec3::ZERO)?;
            rest.add(&world, 0.01);
        }
        let figures = rest.figures();
        assert_eq!(figures.bodies, 1);
        let of = |a: Option<f64>| (a.unwrap_or(0.0) - 0.6).abs();
        assert!(of(figures.rms_acceleration) < 1e-9 && of(figures.max_acceleration) < 1e-9);
        Ok(())
    }
}
