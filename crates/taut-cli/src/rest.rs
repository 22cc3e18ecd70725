//! How still bodies are that rest: jitter as a number.
//!
//! A free body rests in a frame if its speed stays below [`SPEED`] from
//! [`DELAY`] before it to [`DELAY`] after it: what begins or ends to move does
//! not rest. Its acceleration is the change of its velocity over a frame, by the time
//! of the frame. Perfect rest has none; a body that trembles by 0.1 mm from
//! frame to frame at 60 Hz has 0.4 m/s².

use std::collections::{BTreeMap, VecDeque};

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
    /// How many accelerations had each size.
    counts: BTreeMap<i32, usize>,
    max: f64,
}

/// Sizes are told apart by a twentieth of a decade; nothing is below 1e-15.
fn size(a: f64) -> i32 {
    (20.0 * a.max(1e-15).log10()).floor() as i32
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
    /// Half of the accelerations, over bodies and frames at rest, are below
    /// this, to 12 %; m/s².
    pub median_acceleration: Option<f64>,
    /// 95 % are below this, to 12 %; m/s².
    pub p95_acceleration: Option<f64>,
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
            *self.counts.entry(size(a)).or_default() += 1;
            self.max = self.max.max(a);
        }
    }

    /// All figures.
    pub fn figures(&self) -> RestFigures {
        RestFigures {
            bodies: self.bodies.iter().filter(|b| b.has_rested).count(),
            median_acceleration: self.quantile(0.5),
            p95_acceleration: self.quantile(0.95),
            max_acceleration: (!self.counts.is_empty()).then_some(self.max),
        }
    }

    /// This share of the accelerations is below what is returned.
    fn quantile(&self, share: f64) -> Option<f64> {
        let all: usize = self.counts.values().sum();
        let mut below = 0;
        let enough = |entry: &(&i32, &usize)| {
            below += entry.1;
            below as f64 >= share * all as f64
        };
        let (&size, _) = self.counts.iter().find(enough)?;
        Some(10f64.powf(f64::from(size + 1) / 20.0).min(self.max))
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
        let all = [figures.median_acceleration, figures.p95_acceleration, figures.max_acceleration];
        assert!(all.iter().all(|a| (a.unwrap_or(0.0) - 0.6).abs() < 1e-9), "{all:?}");
        Ok(())
    }
}
