//! Sensors that a file names, for [`taut::Sensors`].

use crate::machine::Spot;
use taut::math::{Pose, Quat};
use taut::{Sensor, Sensors, World};

/// What a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SensorKind {
    /// Proper acceleration.
    Accelerometer,
    /// Angular velocity.
    Gyro,
    /// Force and torque of a joint.
    ForceTorque,
    /// Position and rate of a joint.
    Joint,
    /// Sum of normal forces.
    Contact,
    /// Distance along z.
    Range,
}

/// A sensor of a file, in words of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorFile {
    /// Its name.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// Name of the body that it is fixed to, or of the joint that it measures.
    pub on: String,
    /// Position in the body's frame, in m.
    pub position: [f64; 3],
    /// Orientation (w, x, y, z) in the body's frame.
    pub orientation: [f64; 4],
    /// How far it sees, in m (range).
    pub max: f64,
}

/// A sensor while a file is read.
#[derive(Clone, Debug)]
pub(crate) struct Measure {
    pub(crate) name: String,
    pub(crate) kind: SensorKind,
    /// A frame on a link, or a joint.
    pub(crate) at: Result<Spot, String>,
    pub(crate) max: f64,
}

/// The sensors of a file in a world that was built of its scene.
pub(crate) fn in_world(all: &[SensorFile], world: &World) -> Result<Sensors, taut::Error> {
    let mut sensors = Sensors::default();
    for s in all {
        let [w, x, y, z] = s.orientation;
        let pose = Pose::from_parts(s.position.into(), Quat::from_xyzw(x, y, z, w).normalize());
        let body = world.body_named(&s.on).ok_or(taut::Error::UnknownId { what: "body" });
        let joint = world.joint_named(&s.on).ok_or(taut::Error::UnknownId { what: "joint" });
        let sensor = match s.kind {
            SensorKind::Accelerometer => Sensor::Accelerometer { body: body?, pose },
            SensorKind::Gyro => Sensor::Gyro { body: body?, pose },
            SensorKind::Contact => Sensor::Contact { body: body? },
            SensorKind::Range => Sensor::Range { body: body?, pose, max: s.max },
            SensorKind::ForceTorque => Sensor::ForceTorque { joint: joint? },
            SensorKind::Joint => Sensor::Joint { joint: joint? },
        };
        sensors.add(&s.name, sensor);
    }
    Ok(sensors)
}
