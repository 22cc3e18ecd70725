//! How a world is stepped. One documented default each; checked before use.

use crate::Error;
use crate::error::check;
use crate::lcp::{SolverConfig, Stop};

/// The law of friction: Coulomb's cone, or a box and where its bounds ±μλₙ come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrictionMode {
    /// Coulomb's law: friction as large as μλₙ, against the slip. Solvers that take no cones
    /// are refused.
    Cone,
    /// The same cone with the associated law, a convex problem: what slides opens at
    /// μ times its slip.
    Ccp,
    /// The cone as a polyhedron: friction in so many directions, a linear complementarity
    /// problem without symmetry; for comparison, and much slower.
    Polyhedral {
        /// Directions a contact, 3 to 64.
        directions: usize,
    },
    /// Normal impulses of the last step; new contacts have none: one solve.
    LastStep,
    /// Normal impulses of a first solve without friction: two solves.
    FrictionlessPass,
    /// Solves again, bounds and directions updated, until both agree with the
    /// answer: one solve where nothing changes, a few where it does.
    Iterated {
        /// Most solves in a step.
        max_passes: usize,
        /// Friction gap to reach, relative to max|b|; see
        /// [`StepReport::friction_gap`](crate::StepReport::friction_gap).
        tolerance: f64,
        /// Whether a step beyond the tolerance counts as unconverged. If not,
        /// passes also end when they no longer help.
        required: bool,
    },
}

impl FrictionMode {
    /// Boxes whose bounds are iterated, at most 10 passes to 1e-6, not required: the friction of
    /// solvers that take no cones, and older scenes.
    pub const BOX: FrictionMode =
        FrictionMode::Iterated { max_passes: 10, tolerance: 1e-6, required: false };
}

/// The time stepping scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrator {
    /// Energy and momentum are kept and joints closed where nothing jumps;
    /// what cannot be followed so takes the semi-implicit step, or parts of it.
    EnergyMomentum,
    /// New velocities first, then positions with them (Andrews22 1.2).
    SemiImplicitEuler,
    /// Half a step of motion, forces and contacts there, half a step of
    /// motion (Moreau's midpoint, Andrews22 3.4.5).
    MoreauMidpoint,
}

/// The implicit geometric stiffness of joints; see `assemble::geometric`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeometricStiffness {
    /// How far the term lets forces turn with the bodies: 0 damps most, 1
    /// least, but lets heavily loaded chains break in the end.
    pub alpha: f64,
}

/// When quiet islands stop being simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleeping {
    /// Speed below which a body is quiet \[m/s\].
    pub speed: f64,
    /// Angular speed below which it is quiet \[rad/s\].
    pub angular_speed: f64,
    /// How long all bodies of an island must be quiet \[s\].
    pub delay: f64,
}

impl Default for Sleeping {
    fn default() -> Self {
        Sleeping { speed: 1e-3, angular_speed: 1e-3, delay: 0.5 }
    }
}

/// How exact the answers of a step are, where not to the last digit.
///
/// Islands whose warm-started sweeps reach the tolerance for less work than factorizations take are
/// left to them; all others are solved exactly. The judge decides, and
/// [`StepReport::swept_islands`](crate::StepReport::swept_islands) says how many there were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Relative residual to reach: 1e-3 is a change of acceleration by 1 cm/s² where gravity
    /// acts.
    pub tolerance: f64,
    /// Most multiplications of a step, divided among its islands by their rows, for those who must
    /// never miss a frame: results stay the same on every machine. With it nothing is
    /// factored. An island that does not reach the tolerance moves all the same, and the step is
    /// not converged. `None`: no limit.
    pub work: Option<u64>,
}

/// Settings of a world.
///
/// ```
/// let mut world = taut::World::new();
/// world.settings_mut().substeps = 4;
/// world.settings_mut().solver = taut::lcp::SolverConfig::named("pgs")?;
/// world.settings_mut().friction = taut::FrictionMode::BOX; // pgs takes no cones
/// # Ok::<(), taut::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// Parts a step is divided into. Default 1.
    pub substeps: usize,
    /// The complementarity solver. Default: exact block pivoting.
    pub solver: SolverConfig,
    /// When the solver stops.
    pub stop: Stop,
    /// A relative tolerance at which islands are left to sweeps where these get there sooner.
    /// Default `None`: every island is solved exactly.
    pub accuracy: Option<Accuracy>,
    /// The law of friction. Default: Coulomb's cone. Solvers that take no cones need
    /// [`FrictionMode::BOX`] or another of the boxes.
    pub friction: FrictionMode,
    /// Default: energy and momentum kept where nothing jumps.
    pub integrator: Integrator,
    /// Geometric stiffness of joints; `None`: off. Default α = 0.9.
    pub geometric_stiffness: Option<GeometricStiffness>,
    /// Compliance of rigid rows, relative to (J M⁻¹ Jᵀ)ᵢᵢ. Default 1e-9.
    pub compliance: f64,
    /// Share of a joint's position error that a step corrects, 0 to 1.
    /// Default 1.
    pub joint_correction: f64,
    /// Share of a penetration that a step corrects, 0 to 1. Default 0.2.
    pub contact_correction: f64,
    /// Corrections take at least this long \[s\], however short the step: a
    /// correction moves a mass m by φ with the energy ½m(φ/time)². Default
    /// 1/60; 0: as long as the step.
    pub correction_time: f64,
    /// Corrections are not faster than this \[m/s, rad/s\]. Default 1.
    pub max_correction_speed: f64,
    /// Contacts are looked for this far beyond the reach of the speeds \[m\].
    /// Default 1e-3.
    pub contact_margin: f64,
    /// Slower impacts do not bounce \[m/s\]. Default 0.05.
    pub restitution_threshold: f64,
    /// A step that opens some joint by more than this share of its arms,
    /// because bodies turn too far in it, is taken back and done in two halves, up to
    /// [`Settings::max_halvings`] times over. Default 0.005.
    pub joint_tolerance: f64,
    /// How often a step may be halved. Default 8; 0: never.
    pub max_halvings: usize,
    /// After the step, joints that are still open are closed by moving bodies,
    /// velocities untouched, as far as one linear solve does. Contacts and
    /// springs have no part in it. Default off: steps correct joints anyway,
    /// see [`Settings::joint_correction`].
    pub position_projection: bool,
    /// Quiet islands stop being simulated. Default off.
    pub sleeping: Option<Sleeping>,
    /// Threads for islands; results do not depend on it. Default 1.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            substeps: 1,
            solver: default_solver(),
            stop: Stop::default(),
            accuracy: None,
            friction: FrictionMode::Cone,
            integrator: Integrator::EnergyMomentum,
            geometric_stiffness: Some(GeometricStiffness { alpha: 0.9 }),
            compliance: 1e-9,
            joint_correction: 1.0,
            contact_correction: 0.2,
            correction_time: 1.0 / 60.0,
            max_correction_speed: 1.0,
            contact_margin: 1e-3,
            restitution_threshold: 0.05,
            joint_tolerance: 5e-3,
            max_halvings: 8,
            position_projection: false,
            sleeping: None,
            threads: 1,
        }
    }
}

pub(crate) fn default_solver() -> SolverConfig {
    SolverConfig::Auto(Default::default())
}

impl Settings {
    /// Whether every setting is in its range.
    pub fn validate(&self) -> Result<(), Error> {
        let share = |x: f64| (0.0..=1.0).contains(&x);
        let positive = |x: f64| x.is_finite() && x >= 0.0;
        let s = self.substeps as f64;
        check("substeps", s, self.substeps >= 1, "at least 1")?;
        check("threads", self.threads as f64, self.threads >= 1, "at least 1")?;
        let c = self.compliance;
        check("compliance", c, positive(c) && c < 1.0, "between 0 and 1")?;
        let j = self.joint_correction;
        check("joint_correction", j, share(j), "between 0 and 1")?;
        let k = self.contact_correction;
        check("contact_correction", k, share(k), "between 0 and 1")?;
        let t = self.correction_time;
        check("correction_time", t, positive(t), "finite and at least 0")?;
        let v = self.max_correction_speed;
        check("max_correction_speed", v, v >= 0.0, "at least 0")?;
        let m = self.contact_margin;
        check("contact_margin", m, positive(m), "finite and at least 0")?;
        let r = self.restitution_threshold;
        check("restitution_threshold", r, positive(r), "finite and at least 0")?;
        let t = self.joint_tolerance;
        check("joint_tolerance", t, t > 0.0, "positive")?;
        if let Some(GeometricStiffness { alpha }) = self.geometric_stiffness {
            check("geometric_stiffness.alpha", alpha, share(alpha), "between 0 and 1")?;
        }
        if let Some(Accuracy { tolerance, work }) = self.accuracy {
            let fits = tolerance > 0.0 && tolerance < 1.0;
            check("accuracy", tolerance, fits, "between 0 and 1")?;
            check("work", work.unwrap_or(1) as f64, work != Some(0), "at least 1")?;
        }
        if let FrictionMode::Iterated { max_passes, tolerance, .. } = self.friction {
            check("friction.max_passes", max_passes as f64, max_passes >= 1, "at least 1")?;
            check("friction.tolerance", tolerance, tolerance >= 0.0, "at least 0")?;
        }
        Ok(())
    }
}
