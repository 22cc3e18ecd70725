//! Cables, as `{"via": [{"body": "world", "point": [0, 0, 5]}, {"body": "load", "point": [0, 0, 0]}]}`.

use super::is_default;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cable without mass, through stations in their order: at most as long as it is, it pulls
/// where its way would be longer, and hangs slack elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cable {
    /// Its name, unique among the cables. Default "cable" and its index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it goes through, two stations at least. At an end a point is an attachment and a pulley
    /// a drum; in between they are a ring and a sheave.
    pub via: Vec<Station>,
    /// Whether it runs on from the last station to the first: a belt. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub closed: bool,
    /// Rest length in m, with what is wound on drums. Default: just taut at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Axial stiffness EA in N. Default: it does not stretch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Axial damping in N·s: force per rate of strain. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub damping: f64,
    /// Tension in N beyond which it breaks. Default: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_tension: Option<f64>,
    /// Mass in kg/m. Default: none. A cable with mass needs `points` and becomes a chain of them when the scene is read:
    /// bodies called by its name and ".p0", ".p1" …, and cables without mass between, called by its name and ".0", ".1" ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Points that its mass is lumped into. They are fixed to the cable and do not run over pulleys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<usize>,
    /// Pays it out and takes it in at the station that is named first. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winch: Option<Winch>,
    /// Bodies that it lies on where they are in its way: it looks for them by itself. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<Around>,
}

/// A body that a cable lies on where it is in its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Around {
    /// Name of a body with convex shapes; "*" stands for all bodies that have some and that the cable is not fixed to.
    pub body: String,
    /// Coefficient of friction between cable and body. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub friction: f64,
    /// Direction from which the cable was put onto it at the start, as [0, 0, 1] for one that hangs over a beam on both sides. Default: it lies on
    /// it only where its straight line would cut it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<[f64; 3]>,
}

/// A place that a cable goes through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// Name of the body, or "world".
    pub body: String,
    /// The point, or the centre of the pulley, in the frame of the body, in m. Default: its origin.
    #[serde(default, skip_serializing_if = "is_default")]
    pub point: [f64; 3],
    /// The wheel, if it is one. Default: a point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pulley: Option<Pulley>,
    /// The other end of the edge, in m, if the station is one that begins at `point`: the cable lies on it, crosses it where its
    /// way is the shortest, lifts off and touches again. It turns about the direction of the edge by the rule of the right hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<[f64; 3]>,
    /// Coefficient of friction between cable and station, which is not an end. Default 0: it slides freely, and a
    /// pulley does not turn with it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub friction: f64,
    /// Whether the cable never slips on it; in place of `friction`. Default false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub grips: bool,
}

/// A circle that a cable wraps around.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pulley {
    /// Axis in the frame of the body, of any length but zero. The cable turns about it by the rule
    /// of the right hand on its way from the first station to the last.
    pub axis: [f64; 3],
    /// Radius at the centre line of the cable, in m.
    pub radius: f64,
    /// Full turns beyond the least wrap; of a drum, turns that are wound on it. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub turns: f64,
    /// By how much the radius of a drum grows with each turn on it, in m: the diameter of the cable over the turns that lie side
    /// by side in a layer. Default 0: one layer.
    #[serde(default, skip_serializing_if = "is_default")]
    pub growth: f64,
}

/// Pays a cable out and takes it in, at the station that is named first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Winch {
    /// Rate of the rest length in m/s: positive pays out. Default 0; drives change it.
    pub speed: f64,
    /// Tension in N at the winch, the first station, beyond which it slips. Default: unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
    /// Length in m of a span to a body that may move at which it takes in no more. Default: a hundredth of the cable's
    /// length at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
}

impl Station {
    /// A point of a body.
    pub fn point(body: impl Into<String>, point: [f64; 3]) -> Self {
        Station { body: body.into(), point, pulley: None, edge: None, friction: 0.0, grips: false }
    }

    /// A pulley on a body.
    pub fn pulley(body: impl Into<String>, centre: [f64; 3], axis: [f64; 3], radius: f64) -> Self {
        let pulley = Some(Pulley { axis, radius, turns: 0.0, growth: 0.0 });
        Station { pulley, ..Station::point(body, centre) }
    }

    /// An edge of a body between two points.
    pub fn edge(body: impl Into<String>, from: [f64; 3], to: [f64; 3]) -> Self {
        Station { edge: Some(to), ..Station::point(body, from) }
    }

    /// Sets the coefficient of friction.
    pub fn friction(self, friction: f64) -> Self {
        Station { friction, ..self }
    }

    /// Lets the cable never slip on it.
    pub fn grips(self) -> Self {
        Station { grips: true, ..self }
    }

    /// Sets the turns of its pulley.
    pub fn turns(mut self, turns: f64) -> Self {
        if let Some(pulley) = &mut self.pulley {
            pulley.turns = turns;
        }
        self
    }
}

impl Cable {
    /// A cable of this name through these stations.
    pub fn new(name: impl Into<String>, via: Vec<Station>) -> Self {
        Cable { name: Some(name.into()), via, ..Cable::default() }
    }
}
