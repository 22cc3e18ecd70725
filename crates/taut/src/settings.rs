//! How a world is stepped. Each setting is written once, in the list below: what it does, its type and
//! its default. Of the list are made [`Settings`], what files may say of them ([`GivenSettings`]), and
//! their bytes in snapshots. Ranges are checked by [`Settings::validate`] before use.

use crate::Error;
use crate::error::check;
use crate::lcp::{SolverConfig, Stop};
use crate::scene::Penalty;
use crate::snapshot::{Reader, Store};
use serde::{Deserialize, Serialize};

/// The law of friction: Coulomb's cone, or a box and where its bounds ±μλₙ come from.
///
/// Files and the command know it by the same names, in small letters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum FrictionMode {
    /// Coulomb's law: friction as large as μλₙ, against the slip. Solvers that take no cones
    /// are refused.
    Cone,
    /// The same cone with the associated law, a convex problem: what slides opens at
    /// μ times its slip.
    Ccp,
    /// Boxes: `iterated` with at most 10 passes to 1e-6, not required.
    Box,
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
        /// Friction gap to reach, relative to max|b|; see `StepReport::friction_gap`.
        tolerance: f64,
        /// Whether a step beyond the tolerance counts as unconverged. If not,
        /// passes also end when they no longer help. Default false.
        #[serde(default)]
        required: bool,
    },
}

impl FrictionMode {
    /// [`FrictionMode::Box`]: the friction of solvers that take no cones.
    pub const BOX: FrictionMode = FrictionMode::Box;
}

/// One word: `cone`, `ccp`, `box`, `last_step`, `frictionless_pass`, `polyhedral:8`. `iterated`, which
/// has more to say, is only written so.
///
/// ```
/// use taut::FrictionMode;
/// let mode: FrictionMode = "polyhedral:12".parse()?;
/// assert_eq!(mode, FrictionMode::Polyhedral { directions: 12 });
/// assert_eq!(mode.to_string(), "polyhedral:12");
/// assert!("polyhedral:2".parse::<FrictionMode>().is_err());
/// # Ok::<(), taut::Error>(())
/// ```
impl std::fmt::Display for FrictionMode {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            FrictionMode::Cone => f.write_str("cone"),
            FrictionMode::Ccp => f.write_str("ccp"),
            FrictionMode::Box => f.write_str("box"),
            FrictionMode::Polyhedral { directions } => write!(f, "polyhedral:{directions}"),
            FrictionMode::LastStep => f.write_str("last_step"),
            FrictionMode::FrictionlessPass => f.write_str("frictionless_pass"),
            FrictionMode::Iterated { .. } => f.write_str("iterated"),
        }
    }
}

impl std::str::FromStr for FrictionMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        use FrictionMode::*;
        if let Some(mode) =
            [Cone, Ccp, Box, LastStep, FrictionlessPass].into_iter().find(|m| m.to_string() == text)
        {
            return Ok(mode);
        }
        let directions = text.strip_prefix("polyhedral:").and_then(|k| k.parse().ok());
        match directions.filter(|k| crate::lcp::polyhedral::DIRECTIONS.contains(k)) {
            Some(directions) => Ok(Polyhedral { directions }),
            None => {
                let expected = "cone, ccp, box, last_step, frictionless_pass, \
                                or polyhedral:K with K from 3 to 64";
                Err(Error::Value { name: "friction", value: text.into(), expected })
            }
        }
    }
}

/// What keeps bodies apart.
///
/// Files and the command know it by the same names, in small letters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ContactModel {
    /// Forces are unknowns: gap ≥ 0, force ≥ 0, one of them 0. Exact.
    Complementarity,
    /// Springs and dampers push out what is inside (Andrews22 5.1), by the semi-implicit step. Materials may have springs of their
    /// own; restitution is not used.
    Penalty {
        /// Whether forces are those of the start of the step, which is cheap, and blows up where h√(k/m) > 2. If not, they
        /// are those of its end: stable at any stiffness, and damped. Default false.
        #[serde(default)]
        explicit: bool,
        /// Springs of surfaces that do not say theirs.
        #[serde(default)]
        material: Penalty,
    },
    /// A potential that grows without bound as a gap closes (Andrews22 5.3): nothing ever intersects. Worlds do not step by it
    /// themselves; `taut run` does, by the crate `taut-barrier`.
    Barrier {
        /// Barriers act below this distance, in m, from 1e-9 to 1e3. Default 1e-3.
        #[serde(default = "thousandth")]
        d_hat: f64,
        /// Below this speed, in m/s, from 1e-9 to 1e3, friction grows with speed, so that what should stick creeps. Default 1e-3.
        #[serde(default = "thousandth")]
        eps_v: f64,
    },
}

fn thousandth() -> f64 {
    1e-3
}

impl ContactModel {
    /// Whether forces are explicit, and the springs of surfaces that do not say theirs.
    pub(crate) fn penalty(&self) -> Option<(bool, Penalty)> {
        match *self {
            ContactModel::Penalty { explicit, material } => Some((explicit, material)),
            _ => None,
        }
    }

    fn check(&self) -> Result<(), Error> {
        match self {
            ContactModel::Complementarity => Ok(()),
            ContactModel::Penalty { material, .. } => material.check(),
            ContactModel::Barrier { d_hat, eps_v } => {
                let within =
                    |name, x: f64| check(name, x, (1e-9..=1e3).contains(&x), "from 1e-9 to 1e3");
                within("contact.barrier.d_hat", *d_hat)?;
                within("contact.barrier.eps_v", *eps_v)
            }
        }
    }
}

const CONTACT: &str = "complementarity, penalty, barrier, or one of the last two with values, such as \
                       penalty:explicit,stiffness=1e5,damping=10,share=0.25,anchor=1e5,exponent=1.5,length=1e-3 or \
                       barrier:d_hat=1e-3,eps_v=1e-3";

/// One word and, after a colon, values: `complementarity`, `penalty`, `penalty:explicit,stiffness=1e6`,
/// `barrier:d_hat=1e-4`.
///
/// ```
/// use taut::ContactModel;
/// let model: ContactModel = "barrier:d_hat=1e-4".parse()?;
/// assert_eq!(model, ContactModel::Barrier { d_hat: 1e-4, eps_v: 1e-3 });
/// assert!("barrier:d_hat=0".parse::<ContactModel>().is_err());
/// # Ok::<(), taut::Error>(())
/// ```
impl std::str::FromStr for ContactModel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        use crate::scene::PenaltyLaw;
        let wrong = || Error::Value { name: "contact", value: text.into(), expected: CONTACT };
        let (name, values) = text.split_once(':').unwrap_or((text, ""));
        let mut model = match name {
            "complementarity" if !text.contains(':') => return Ok(ContactModel::Complementarity),
            "penalty" => ContactModel::Penalty { explicit: false, material: Penalty::default() },
            "barrier" => ContactModel::Barrier { d_hat: thousandth(), eps_v: thousandth() },
            _ => return Err(wrong()),
        };
        let mut seen = Vec::new();
        for part in values.split(',').filter(|part| !part.is_empty()) {
            let wrong = || Error::Value { name: "contact", value: part.into(), expected: CONTACT };
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            if seen.contains(&key) {
                let expected = "every value once";
                return Err(Error::Value { name: "contact", value: part.into(), expected });
            }
            seen.push(key);
            let number = value.parse::<f64>();
            match (&mut model, key, number) {
                (ContactModel::Penalty { explicit, .. }, "explicit", _) => {
                    *explicit = match value {
                        "" | "true" => true,
                        "false" => false,
                        _ => return Err(wrong()),
                    };
                }
                (ContactModel::Penalty { material: m, .. }, _, Ok(x)) => match key {
                    "stiffness" => m.stiffness = x,
                    "damping" => m.damping = x,
                    "share" => m.share = x,
                    "anchor" => m.anchor = Some(x),
                    "exponent" => m.law = PenaltyLaw::Power { exponent: x },
                    "length" => m.law = PenaltyLaw::Exponential { length: x },
                    _ => return Err(wrong()),
                },
                (ContactModel::Barrier { d_hat, .. }, "d_hat", Ok(x)) => *d_hat = x,
                (ContactModel::Barrier { eps_v, .. }, "eps_v", Ok(x)) => *eps_v = x,
                _ => return Err(wrong()),
            }
        }
        model.check()?;
        Ok(model)
    }
}

impl std::fmt::Display for ContactModel {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            ContactModel::Complementarity => "complementarity",
            ContactModel::Penalty { .. } => "penalty",
            ContactModel::Barrier { .. } => "barrier",
        })
    }
}

/// The time stepping scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GeometricStiffness {
    /// None.
    Off,
    /// How far it lets forces turn with the bodies, 0 to 1: 0 damps most, 1
    /// least, but lets heavily loaded chains break in the end.
    Alpha(f64),
}

/// When quiet islands stop being simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Sleeping {
    /// Speed below which a body is quiet in m/s.
    pub speed: f64,
    /// Angular speed below which it is quiet in rad/s.
    pub angular_speed: f64,
    /// How long all bodies of an island must be quiet in s.
    pub delay: f64,
}

impl Default for Sleeping {
    fn default() -> Self {
        Sleeping { speed: 1e-3, angular_speed: 1e-3, delay: 0.5 }
    }
}

/// Makes of one list the settings, what files say of them, and their bytes.
macro_rules! settings {
    (
        $(#[$about:meta])*
        in files { $($(#[doc = $doc:literal])* $name:ident: $type:ty = $default:expr;)* }
        elsewhere { $($(#[doc = $doc_:literal])* $name_:ident: $type_:ty = $default_:expr;)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct Settings {
            $($(#[doc = $doc])* pub $name: $type,)*
            $($(#[doc = $doc_])* pub $name_: $type_,)*
        }

        impl Default for Settings {
            fn default() -> Self {
                Settings { $($name: $default,)* $($name_: $default_,)* }
            }
        }

        impl Store for Settings {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$name.put(out);)*
                $(self.$name_.put(out);)*
            }
            fn get(from: &mut Reader) -> Result<Self, Error> {
                Ok(Settings { $($name: Store::get(from)?,)* $($name_: Store::get(from)?,)* })
            }
        }

        /// Settings as a file gives them: what it leaves out stays as it is.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields, default)]
        pub struct GivenSettings {
            /// Name of the solver, as `taut list` shows it.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub solver: Option<String>,
            $(
                $(#[doc = $doc])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $name: Option<$type>,
            )*
        }

        impl GivenSettings {
            /// Changes what is given. The solver must be known; everything else is left to
            /// [`Settings::validate`].
            ///
            /// ```
            /// let given = taut::GivenSettings { substeps: Some(4), ..Default::default() };
            /// let mut settings = taut::Settings::default();
            /// given.apply(&mut settings)?;
            /// assert_eq!(settings.substeps, 4);
            /// # Ok::<(), taut::Error>(())
            /// ```
            pub fn apply(&self, to: &mut Settings) -> Result<(), Error> {
                if let Some(name) = &self.solver {
                    to.solver = SolverConfig::named(name)?;
                }
                $(if let Some(value) = &self.$name {
                    to.$name = value.clone();
                })*
                // (Nobody asked for cones where the solver takes none.)
                if self.friction.is_none() && self.solver.is_some() && !to.solver.takes_cones() {
                    to.friction = FrictionMode::Box;
                }
                Ok(())
            }
        }
    };
}

settings! {
    /// Settings of a world.
    ///
    /// ```
    /// let mut world = taut::World::new();
    /// world.settings_mut().substeps = 4;
    /// world.settings_mut().solver = taut::lcp::SolverConfig::named("pgs")?;
    /// world.settings_mut().friction = taut::FrictionMode::Box; // pgs takes no cones
    /// # Ok::<(), taut::Error>(())
    /// ```
    in files {
        /// Relative residual that counts as converged. Default 1e-9.
        tolerance: f64 = 1e-9;
        /// Iteration limit of the solver. Default: its own.
        max_iterations: Option<usize> = None;
        /// Islands whose warm-started sweeps reach this relative residual for less work than
        /// factorizations take are left to them; 1e-3 is a change of acceleration by 1 cm/s² where
        /// gravity acts. The judge decides, and `StepReport::swept_islands` says how many there were.
        /// Default: all islands are solved exactly.
        accuracy: Option<f64> = None;
        /// With `accuracy`: most multiplications of a step, divided among its islands by their rows, for
        /// those who must never miss a frame; results stay the same on every machine. With it nothing
        /// is factored. An island that does not reach the accuracy moves all the same, and the step
        /// is not converged. Default: no limit.
        work: Option<u64> = None;
        /// Parts a step is divided into, at most 1000. Default 1.
        substeps: usize = 1;
        /// What keeps bodies apart. Default: complementarity, exact.
        contact: ContactModel = ContactModel::Complementarity;
        /// The law of friction. Default: the cone; boxes where a solver is named that takes no cones.
        friction: FrictionMode = FrictionMode::Cone;
        /// The time stepping scheme. Default: energy and momentum kept where nothing jumps.
        integrator: Integrator = Integrator::EnergyMomentum;
        /// The geometric stiffness of joints. Default α = 0.9.
        geometric_stiffness: GeometricStiffness = GeometricStiffness::Alpha(0.9);
        /// Compliance of rigid rows, relative to (J M⁻¹ Jᵀ)ᵢᵢ, 0 to 1. Default 1e-9.
        compliance: f64 = 1e-9;
        /// Share of a joint's position error that a step corrects, 0 to 1. Default 1.
        joint_correction: f64 = 1.0;
        /// Share of a penetration that a step corrects, 0 to 1. Default 0.2.
        contact_correction: f64 = 0.2;
        /// Corrections take at least this long, in s, however short the step: a
        /// correction moves a mass m by φ with the energy ½m(φ/time)². Default
        /// 1/60; 0: as long as the step.
        correction_time: f64 = 1.0 / 60.0;
        /// Corrections are not faster than this, in m/s and rad/s. Default 1.
        max_correction_speed: f64 = 1.0;
        /// Contacts are looked for this far, in m, beyond the reach of the speeds. Default 1e-3.
        contact_margin: f64 = 1e-3;
        /// Impacts slower than this, in m/s, do not bounce. Default 0.05.
        restitution_threshold: f64 = 0.05;
        /// A step that opens some joint by more than this share of its arms,
        /// because bodies turn too far in it, is taken back and done in two halves, up to
        /// `max_halvings` times over. Default 0.005.
        joint_tolerance: f64 = 5e-3;
        /// How often a step may be halved, after eight times only where bodies with joints
        /// turn by more than 0.3 rad in a part. Default 11; 0: never.
        max_halvings: usize = 11;
        /// After the step, joints that are still open are closed by moving bodies,
        /// velocities untouched, as far as one linear solve does. Contacts and
        /// springs have no part in it. Default off: steps correct joints anyway,
        /// see `joint_correction`.
        position_projection: bool = false;
        /// After the step, bodies that overlap are moved apart, velocities untouched, in up to this
        /// many rounds of a linear complementarity problem; joints have their part and stay
        /// closed. What that lifts gains energy. Default 0: steps correct a share of overlaps
        /// anyway, see `contact_correction`.
        contact_projection: usize = 0;
        /// Lets quiet islands sleep. Default: they do not.
        sleeping: Option<Sleeping> = None;
    }
    elsewhere {
        /// The complementarity solver. Default: `auto`, exact.
        solver: SolverConfig = default_solver();
        /// Threads for islands; results do not depend on it. Default 1.
        threads: usize = 1;
    }
}

/// More parts of a step are a slip: a thousand at 60 steps a second follow what turns 4000 times a second by half a radian
/// each, and more would keep a caller waiting without a word.
const MAX_SUBSTEPS: usize = 1000;

pub(crate) fn default_solver() -> SolverConfig {
    SolverConfig::Auto(Default::default())
}

impl Settings {
    /// When the solver stops.
    pub fn stop(&self) -> Stop {
        Stop { tolerance: self.tolerance, max_iterations: self.max_iterations }
    }

    /// Whether every setting is in its range; the error names the one that is not.
    pub fn validate(&self) -> Result<(), Error> {
        let share = |name, x| check(name, x, (0.0..=1.0).contains(&x), "a number from 0 to 1");
        let size =
            |name, x: f64| check(name, x, x.is_finite() && x >= 0.0, "a number of at least 0");
        let count = |name, n: usize| check(name, n as f64, n >= 1, "at least 1");
        let parts = self.substeps;
        let fits = (1..=MAX_SUBSTEPS).contains(&parts);
        check("substeps", parts as f64, fits, "at least 1 and at most 1000")?;
        count("threads", self.threads)?;
        size("tolerance", self.tolerance)?;
        let c = self.compliance;
        check("compliance", c, (0.0..1.0).contains(&c), "a number from 0 to 1, and not 1")?;
        self.contact.check()?;
        share("joint_correction", self.joint_correction)?;
        share("contact_correction", self.contact_correction)?;
        size("correction_time", self.correction_time)?;
        let v = self.max_correction_speed; // infinite: no limit
        check("max_correction_speed", v, v >= 0.0, "a number of at least 0")?;
        size("contact_margin", self.contact_margin)?;
        size("restitution_threshold", self.restitution_threshold)?;
        let rounds = self.contact_projection;
        check("contact_projection", rounds as f64, rounds <= 100, "at most 100")?;
        let t = self.joint_tolerance;
        check("joint_tolerance", t, t > 0.0, "a positive number")?;
        if let GeometricStiffness::Alpha(alpha) = self.geometric_stiffness {
            share("geometric_stiffness.alpha", alpha)?;
        }
        if let Some(a) = self.accuracy {
            check("accuracy", a, a > 0.0 && a < 1.0, "a number between 0 and 1")?;
        }
        if let Some(work) = self.work {
            check("work", work as f64, work >= 1, "at least 1")?;
            let beside = "an accuracy beside it";
            check("work", work as f64, self.accuracy.is_some(), beside)?;
        }
        if let FrictionMode::Iterated { max_passes, tolerance, .. } = self.friction {
            count("friction.iterated.max_passes", max_passes)?;
            size("friction.iterated.tolerance", tolerance)?;
        }
        if let FrictionMode::Polyhedral { directions: k } = self.friction {
            let fits = crate::lcp::polyhedral::DIRECTIONS.contains(&k);
            check("friction.polyhedral.directions", k as f64, fits, "a number from 3 to 64")?;
        }
        if let Some(Sleeping { speed, angular_speed, delay }) = self.sleeping {
            size("sleeping.speed", speed)?;
            size("sleeping.angular_speed", angular_speed)?;
            let fits = delay.is_finite() && delay > 0.0;
            check("sleeping.delay", delay, fits, "a number above 0")?;
        }
        Ok(())
    }
}
