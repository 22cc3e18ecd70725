//! How a machine is driven by hand: which keys move which motors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One lever of a machine: two keys, and the motors that they move.
///
/// Targets go to an end of the range while its key is held, no faster than the
/// rate. What was driven is kept as drives. Whoever touches a control takes all
/// controlled motors over from the script.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// What it does, such as "steer".
    pub name: String,
    /// The keys that go to the upper and to the lower end of the range: a letter, a
    /// digit, "up", "down", "left" or "right". Several controls may share them.
    pub keys: [String; 2],
    /// Joints whose `motor` it moves, all alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<String>,
    /// Cables whose winches it moves, all alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cables: Vec<String>,
    /// The least and the largest target, in the unit of the motors.
    pub range: [f64; 2],
    /// How fast the target changes at most, per second.
    pub rate: f64,
    /// Whether the target stays when both keys are let go. Default: it goes back to 0.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub stays: bool,
}

impl Control {
    /// A control of motors of joints whose targets go back to 0.
    pub fn new(name: &str, keys: [&str; 2], joints: Vec<String>, range: [f64; 2]) -> Self {
        let (name, keys, cables) = (name.into(), keys.map(Into::into), Vec::new());
        Control { name, keys, joints, cables, range, rate: range[1] - range[0], stays: false }
    }

    /// Sets how fast the target changes at most, per second.
    pub fn rate(mut self, rate: f64) -> Self {
        self.rate = rate;
        self
    }

    /// Makes the target stay when the keys are let go.
    pub fn staying(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Where the target goes when nothing is pressed.
    pub(crate) fn rest(&self, now: f64) -> f64 {
        if self.stays { now } else { 0f64.clamp(self.range[0], self.range[1]) }
    }
}
