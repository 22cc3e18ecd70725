//! What a page may ask for: one JSON document per message.

use serde::Deserialize;
use serde_json::Value;

/// A message of a page.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// A frame was drawn: another may come.
    Ready,
    /// Whether frames are to have velocities, contacts and forces.
    Details(bool),
    /// Start or stop.
    Play(bool),
    /// So many frames on or back, then stop.
    Step(i32),
    /// Show the frame of this number.
    Seek(u32),
    /// Start over.
    Reset,
    /// Simulated seconds per second.
    Speed(f64),
    /// Hold a body at a point in its frame and pull it to one in the world.
    Grab {
        /// Its number.
        body: u32,
        /// In its frame.
        point: [f64; 3],
        /// In the world.
        target: [f64; 3],
    },
    /// Pull to there instead.
    Drag([f64; 3]),
    /// Let go.
    Release,
    /// Move a control of the scene: −1 and 1 are its ends, 0 lets it go.
    Control {
        /// Its number.
        control: u32,
        /// Between its ends.
        deflection: f64,
    },
    /// Set the target of a motor or winch.
    Drive {
        /// Its number among motors and winches.
        lever: u32,
        /// A speed, place or force.
        target: f64,
    },
    /// Other limits of a joint.
    Limit {
        /// Its name.
        joint: String,
        /// Of its angle, or else of its travel.
        angle: bool,
        /// Least and most.
        range: [f64; 2],
    },
    /// Another friction of a surface.
    Friction {
        /// Its name.
        material: String,
        /// Coulomb's coefficient.
        friction: f64,
    },
    /// Go on with what was kept when something else was tried.
    Branch(u32),
    /// Another built-in scene, or with no name the one that was started with.
    Scene {
        /// As the list has it.
        name: Option<String>,
        /// How large, unless as usual.
        size: Option<usize>,
    },
    /// Another solver, or other settings of it.
    Solver(Value),
    /// Other settings of the engine.
    Settings(Value),
}

/// Reads a message.
pub fn parse(text: &str) -> Result<Command, serde_json::Error> {
    serde_json::from_str(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        for good in [
            "\"ready\"",
            "{\"play\": true}",
            "{\"step\": -1}",
            "{\"grab\": {\"body\": 1, \"point\": [0, 0, 0], \"target\": [1, 2, 3.5]}}",
            "{\"scene\": {\"name\": \"wall\"}}",
            "{\"control\": {\"control\": 0, \"deflection\": -0.5}}",
            "{\"drive\": {\"lever\": 2, \"target\": 1.5}}",
            "{\"branch\": 2}",
            "{\"solver\": {\"pgs\": {\"max_iterations\": 10}}}",
        ] {
            assert!(parse(good).is_ok(), "{good}");
        }
        for bad in ["", "{}", "{\"play\": 1}", "\"fly\"", "{\"seek\": -1}", "{\"drag\": [0, 0]}"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
