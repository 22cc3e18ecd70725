//! What changes while a scene runs: the script.
//!
//! Values are given as keys (time, value), with times that do not decrease:
//! linear between keys, constant before the first and after the last. Two
//! keys at one time make a jump, and the second holds from then on. Velocities
//! and forces are taken as their means over each frame, positions at its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A time in s and a value.
pub type Key = (f64, f64);

/// A time in s and a vector.
pub type VectorKey = (f64, [f64; 3]);

/// One line of the script, as `{"motor": {"joint": "slew", "keys": [...]}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Drive {
    /// Moves the target of a joint's motor.
    Motor(MotorDrive),
    /// Sets the velocity of a kinematic body.
    Body(BodyDrive),
    /// Pushes a body.
    Force(ForceDrive),
    /// Removes a joint.
    Release(Release),
    /// Changes the speed of a cable's winch.
    Winch(WinchDrive),
    /// Changes gravity, or the friction of surfaces.
    Change(Change),
}

/// Moves the target of a motor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotorDrive {
    /// Name of the joint, which has the motor.
    pub joint: String,
    /// Which of its motors. Default: `motor`.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub coordinate: Coordinate,
    /// Targets: velocities, positions or forces, as the motor's kind says.
    pub keys: Vec<Key>,
    /// From when on it holds, in place of drives of the same motor before it, in s. Default:
    /// always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
}

/// Which motor of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coordinate {
    /// The field `motor`.
    #[default]
    Main,
    /// The field `angle_motor` of a cylindrical joint.
    Angle,
}

/// Sets the velocity of a kinematic body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyDrive {
    /// Name of the body, which is kinematic.
    pub body: String,
    /// Velocities in m/s. Default: as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocity: Vec<VectorKey>,
    /// Angular velocities in rad/s. Default: as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub angular_velocity: Vec<VectorKey>,
}

/// Pushes a body at its centre of mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceDrive {
    /// Name of the body, which is dynamic.
    pub body: String,
    /// Forces in N. Default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub force: Vec<VectorKey>,
    /// Torques in world coordinates, in N·m. Default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub torque: Vec<VectorKey>,
    /// Forces and torques are in the frame of the body, as those of rotors. Default false.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub local: bool,
}

/// Changes the speed of a winch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WinchDrive {
    /// Name of the cable, which has the winch.
    pub cable: String,
    /// Speeds in m/s: positive pays out.
    pub keys: Vec<Key>,
    /// From when on it holds, in place of drives of the same winch before it, in s. Default:
    /// always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<f64>,
}

/// Removes a joint at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Name of the joint.
    pub joint: String,
    /// When, in s.
    pub time: f64,
}

/// Changes gravity, or the friction of surfaces, from a time on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// When, in s.
    pub time: f64,
    /// Gravity in m/s². Default: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Friction by the name of the material. Pairs that the file lists stay as they are. Default:
    /// as it is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub friction: BTreeMap<String, f64>,
}

impl Drive {
    /// Moves the target of a joint's `motor`.
    pub fn motor(joint: impl Into<String>, keys: Vec<Key>) -> Self {
        let coordinate = Coordinate::Main;
        Drive::Motor(MotorDrive { joint: joint.into(), coordinate, keys, from: None })
    }

    /// Changes the speed of a cable's winch.
    pub fn winch(cable: impl Into<String>, keys: Vec<Key>) -> Self {
        Drive::Winch(WinchDrive { cable: cable.into(), keys, from: None })
    }

    /// Removes a joint.
    pub fn release(joint: impl Into<String>, time: f64) -> Self {
        Drive::Release(Release { joint: joint.into(), time })
    }
}
