//! How a scene is stepped. What is not given has the engine's default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Name of the solver, as `taut list` shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Relative residual that counts as converged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Iteration limit of the solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<usize>,
    /// Islands that sweeps bring to this relative residual for less work are not solved exactly.
    /// Default: all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// With `accuracy`: most multiplications of a step. A step that takes more is not converged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<u64>,
    /// Parts a frame is divided into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<usize>,
    /// The law of friction. Default: the cone; boxes with a solver that takes no cones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<Friction>,
    /// The time stepping scheme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrator: Option<Integrator>,
    /// The geometric stiffness of joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geometric_stiffness: Option<GeometricStiffness>,
    /// Compliance of rigid rows, relative to the diagonal, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f64>,
    /// Share of a joint's position error that a step corrects, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint_correction: Option<f64>,
    /// Share of a penetration that a step corrects, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_correction: Option<f64>,
    /// Corrections take at least this long, in s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction_time: Option<f64>,
    /// Corrections are not faster than this, in m/s and rad/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_correction_speed: Option<f64>,
    /// Contacts are looked for this far, in m, beyond the reach of the speeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_margin: Option<f64>,
    /// Impacts slower than this, in m/s, do not bounce.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution_threshold: Option<f64>,
    /// A step that opens a joint by more than this share of its arms is
    /// done again in two halves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint_tolerance: Option<f64>,
    /// How often a step may be halved; 0: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_halvings: Option<usize>,
    /// After a step, joints that are still open are closed by moving bodies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position_projection: Option<bool>,
    /// Lets quiet islands sleep. Default: they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleeping: Option<Sleeping>,
}

/// The law of friction. Default: the cone; boxes with a solver that takes no cones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Friction {
    /// Coulomb's cone, exactly.
    Cone,
    /// The cone with the associated law: what slides opens.
    Ccp,
    /// Boxes: `iterated` with at most 10 passes to 1e-6, not required.
    Box,
    /// The cone as a polyhedron, a linear complementarity problem without symmetry.
    Polyhedral {
        /// Directions a contact, 3 to 64.
        directions: usize,
    },
    /// Normal impulses of the last step: one solve.
    LastStep,
    /// Normal impulses of a first solve without friction: two solves.
    FrictionlessPass,
    /// Solves again until bounds and answer agree.
    Iterated {
        /// Most solves in a step.
        max_passes: usize,
        /// Largest disagreement, relative to the right-hand side.
        tolerance: f64,
        /// Whether a step beyond the tolerance counts as unconverged.
        /// Default false.
        #[serde(default)]
        required: bool,
    },
}

/// The time stepping scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Integrator {
    /// Energy and momentum are kept and joints closed where nothing jumps;
    /// what has contacts takes the semi-implicit step.
    EnergyMomentum,
    /// New velocities first, then positions with them.
    SemiImplicitEuler,
    /// Half a step of motion, forces and contacts there, half a step of
    /// motion.
    MoreauMidpoint,
}

/// The geometric stiffness of joints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GeometricStiffness {
    /// None.
    Off,
    /// How far it lets forces turn with the bodies, 0 to 1: 0 damps most, 1
    /// least.
    Alpha(f64),
}

/// When quiet islands stop being simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sleeping {
    /// Speed in m/s below which a body is quiet.
    pub speed: f64,
    /// Angular speed in rad/s below which it is quiet.
    pub angular_speed: f64,
    /// How long, in s, all bodies of an island must be quiet.
    pub delay: f64,
}

impl Default for Sleeping {
    fn default() -> Self {
        let taut::Sleeping { speed, angular_speed, delay } = taut::Sleeping::default();
        Sleeping { speed, angular_speed, delay }
    }
}
