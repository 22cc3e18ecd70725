//! Sensors: what a robot would measure, read from a world between steps.
//!
//! | sensor | numbers | frame |
//! |---|---|---|
//! | accelerometer | proper acceleration v̇ − g of a point, its mean over the last step \[m/s²\] | its own |
//! | gyro | angular velocity \[rad/s\] | its own |
//! | force and torque | what a joint exerts on its b, about its anchor, the mean over the last step \[N, N·m\] | that of b |
//! | joint | position and rate of its coordinate \[rad or m, and per s\] | |
//! | contact | sum of the normal forces on a body \[N\] | |
//! | range | distance along z to the first other body \[m\]; infinite where there is none | its own |
//!
//! They are ideal: without noise, delay or bias, which a controller may add.

use crate::math::{Pose, Vec3};
use crate::{BodyId, Error, JointId, World};

/// What is measured, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sensor {
    /// Proper acceleration of a point of a body.
    Accelerometer {
        /// The body.
        body: BodyId,
        /// The frame of the sensor in that of the body.
        pose: Pose,
    },
    /// Angular velocity of a body.
    Gyro {
        /// The body.
        body: BodyId,
        /// The frame of the sensor in that of the body.
        pose: Pose,
    },
    /// Force and torque of a joint on its b.
    ForceTorque {
        /// The joint.
        joint: JointId,
    },
    /// Position and rate of a joint's coordinate.
    Joint {
        /// The joint.
        joint: JointId,
    },
    /// Sum of the normal forces on a body.
    Contact {
        /// The body.
        body: BodyId,
    },
    /// Distance along z to the first other body.
    Range {
        /// The body that it is fixed to.
        body: BodyId,
        /// The frame of the sensor in that of the body.
        pose: Pose,
        /// How far it sees \[m\].
        max: f64,
    },
}

/// A sensor with a name and what it read last.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    sensor: Sensor,
    values: Vec<f64>,
    /// Velocity of its point at the last reading \[m/s\].
    velocity: Option<Vec3>,
}

/// Named sensors of one world.
///
/// ```
/// use taut::math::{Pose, Vec3};
/// use taut::{Body, Sensor, Sensors, World};
/// let mut world = World::new();
/// let body = Body::dynamic("drone").mass(1.0).box_inertia([0.1; 3]);
/// let body = world.add_body(body.angular_velocity(Vec3::Z * 2.0))?;
/// let mut sensors = Sensors::default();
/// sensors.add("imu", Sensor::Accelerometer { body, pose: Pose::IDENTITY });
/// sensors.add("gyro", Sensor::Gyro { body, pose: Pose::IDENTITY });
/// sensors.read(&world)?;
/// for _ in 0..10 {
///     world.step(0.01)?;
///     sensors.read(&world)?;
/// }
/// // In free fall nothing is felt.
/// assert!(sensors.values("imu").unwrap().iter().all(|a| a.abs() < 1e-9));
/// assert!((sensors.values("gyro").unwrap()[2] - 2.0).abs() < 1e-12);
/// # Ok::<(), taut::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sensors {
    all: Vec<Named>,
    /// Time of the last reading \[s\].
    time: Option<f64>,
}

impl Sensors {
    /// Adds a sensor; one of the same name is replaced.
    pub fn add(&mut self, name: impl Into<String>, sensor: Sensor) {
        let name = name.into();
        self.all.retain(|s| s.name != name);
        self.all.push(Named { name, sensor, values: Vec::new(), velocity: None });
    }

    /// Names and sensors, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Sensor)> {
        self.all.iter().map(|s| (s.name.as_str(), &s.sensor))
    }

    /// What the sensor of that name read last; none if there is no such sensor. Before the first reading nothing.
    pub fn values(&self, name: &str) -> Option<&[f64]> {
        self.all.iter().find(|s| s.name == name).map(|s| s.values.as_slice())
    }

    /// Reads all sensors. Accelerometers compare velocities with those of the reading before, so read after each step; at
    /// the first reading they take bodies to be at rest. Errors if a body or joint is gone.
    pub fn read(&mut self, world: &World) -> Result<(), Error> {
        let time = world.time();
        let passed = self.time.map_or(0.0, |last| time - last);
        self.time = Some(time);
        for sensor in &mut self.all {
            sensor.values.clear();
            sensor.read(world, passed)?;
        }
        Ok(())
    }
}

impl Named {
    fn read(&mut self, world: &World, passed: f64) -> Result<(), Error> {
        match self.sensor {
            Sensor::Accelerometer { body, pose } => {
                let body = world.body(body)?;
                let frame = body.pose() * pose;
                let velocity = body.velocity_at(frame.translation);
                let change = velocity - self.velocity.replace(velocity).unwrap_or(velocity);
                let rate = if passed > 0.0 { change / passed } else { Vec3::ZERO };
                let own = frame.rotation.inverse() * (rate - world.gravity());
                self.values.extend(own.to_array());
            }
            Sensor::Gyro { body, pose } => {
                let body = world.body(body)?;
                let own = (body.pose() * pose).rotation.inverse() * body.angular_velocity();
                self.values.extend(own.to_array());
            }
            Sensor::ForceTorque { joint } => {
                let state = world.joint(joint)?;
                let (reaction, b) = (state.reaction(), state.definition().b.body());
                let turn = match b {
                    Some(id) => world.body(id)?.orientation().inverse(),
                    None => crate::math::Quat::IDENTITY,
                };
                self.values.extend((turn * reaction.force).to_array());
                self.values.extend((turn * reaction.torque).to_array());
            }
            Sensor::Joint { joint } => {
                self.values.extend([world.joint_position(joint)?, world.joint_velocity(joint)?]);
            }
            Sensor::Contact { body } => {
                world.body(body)?;
                self.values.push(world.contacts_of(body).map(|c| c.normal_force).sum());
            }
            Sensor::Range { body, pose, max } => {
                let frame = world.body(body)?.pose() * pose;
                let (from, along) = (frame.translation, frame.rotation * Vec3::Z);
                let ahead = world.distance_ahead(body, from, along, max);
                self.values.push(ahead.unwrap_or(f64::INFINITY));
            }
        }
        Ok(())
    }
}
