//! What a scene file holds. The types are the format: their field names are
//! those of the JSON, and the published schema is generated from them.
//!
//! Everything optional has a default; lengths in m, masses in kg, times in s,
//! angles in rad, z up. Orientations are quaternions (w, x, y, z).
//!
//! ```
//! use taut_scenes::file::{Body, Ground, SceneFile, Shape};
//! let scene = SceneFile {
//!     ground: Some(Ground::default()),
//!     bodies: vec![Body::new("crate").shape(Shape::cuboid([0.5, 0.5, 0.5])).at([0.0, 0.0, 0.5])],
//!     ..SceneFile::default()
//! };
//! assert_eq!(scene.version, 1);
//! ```

mod anisotropy;
mod body;
mod cable;
mod control;
mod drive;
mod joint;
mod shape;
mod soft_body;
mod unique;
mod visual;

pub use anisotropy::Anisotropy;
pub use body::{Body, Collider, CollisionGroups, Kind};
pub use cable::{Around, Cable, Pulley, Station, Winch};
pub use control::Control;
pub use drive::{
    BodyDrive, Change, Coordinate, Drive, ForceDrive, Key, MotorDrive, Release, VectorKey,
    WinchDrive,
};
pub use joint::{Joint, JointType, Limits, Motor, Passive, Spring, Term};
pub use shape::{Part, Shape};
pub use soft_body::{Attached, Region, SoftBody, SoftMesh, SoftModel};
pub use taut::GivenSettings as Settings;
pub use visual::{Camera, Finish, Visual};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that this library reads and writes.
pub const VERSION: u32 = 1;

/// The name of the material of whatever names none.
pub const DEFAULT_MATERIAL: &str = "default";

/// The quaternion (w, x, y, z) of no rotation.
pub const UPRIGHT: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// A scene: bodies, joints, cables, how to step them and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Name of the scene. Default: the name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where the scene comes from and what it shows.
    #[serde(default, skip_serializing_if = "is_default")]
    pub meta: Meta,
    /// Gravity in m/s². Default (0, 0, −9.81).
    #[serde(default = "earth")]
    pub gravity: [f64; 3],
    /// Time step in s, one per frame, at most 1. Default 1/60.
    #[serde(default = "sixtieth")]
    pub dt: f64,
    /// How long the scene runs unless told otherwise, in s. Default 10.
    #[serde(default = "ten")]
    pub duration: f64,
    /// How it is stepped.
    #[serde(default, skip_serializing_if = "is_default")]
    pub settings: Settings,
    /// Surfaces by name. One named "default" is that of all who name none.
    #[serde(default, deserialize_with = "unique::keys")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub materials: BTreeMap<String, Material>,
    /// Pairs of surfaces that have more to say than both alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<Pair>,
    /// A fixed horizontal plane, body "ground". Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ground: Option<Ground>,
    /// The bodies.
    #[serde(default)]
    pub bodies: Vec<Body>,
    /// The joints between them, and between them and the world.
    #[serde(default)]
    pub joints: Vec<Joint>,
    /// The cables that go through them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cables: Vec<Cable>,
    /// The soft bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub soft_bodies: Vec<SoftBody>,
    /// Named lists of bodies: partitions for substructuring, selections for
    /// viewers.
    #[serde(default, deserialize_with = "unique::keys")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Vec<String>>,
    /// What changes while the scene runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<Drive>,
    /// How it is driven by hand, where somebody watches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controls: Vec<Control>,
    /// What stands around, in world coordinates: seen, and nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenery: Vec<Visual>,
    /// Where a viewer looks from at the start. Default: it shows everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub camera: Option<Camera>,
}

/// Where a scene comes from. Nothing here influences the motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Meta {
    /// What happens in it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The publication and section it follows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What the source leaves open and what was chosen.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// Figures the source gives, such as "rows" or "mass_ratio".
    #[serde(deserialize_with = "unique::keys")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub statistics: BTreeMap<String, f64>,
}

/// A surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Material {
    /// Coefficient of friction, at least 0. A pair has the geometric mean,
    /// unless `pairs` says otherwise.
    /// Default 0.5.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1. A pair has the larger one.
    /// Default 0.
    pub restitution: f64,
    /// Largest torque about the normal per normal force, in m. A pair has the
    /// larger one. Default 0: none.
    pub torsional_friction: f64,
    /// Largest rolling torque per normal force, in m. A pair has the larger
    /// one. Default 0: none.
    pub rolling_friction: f64,
    /// How friction depends on the direction. Default: not at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anisotropy: Option<Anisotropy>,
    /// How it pushes back where contacts are springs (`settings.contact`). Of a pair the softer
    /// one decides. Default: as the settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<taut::Penalty>,
}

/// What two surfaces have together, in place of means and maxima of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The names of two materials, or twice the same.
    pub materials: [String; 2],
    /// What they have together; directions of `anisotropy` are those of bodies of the first, and
    /// its coefficients hold as they stand.
    pub together: Material,
}

/// A fixed horizontal plane, solid below.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ground {
    /// Its height z in m. Default 0.
    pub height: f64,
    /// Its surface. Default "default".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
}

impl Default for SceneFile {
    fn default() -> Self {
        SceneFile {
            version: VERSION,
            name: None,
            meta: Meta::default(),
            gravity: earth(),
            dt: sixtieth(),
            duration: ten(),
            settings: Settings::default(),
            materials: BTreeMap::new(),
            pairs: Vec::new(),
            ground: None,
            bodies: Vec::new(),
            joints: Vec::new(),
            cables: Vec::new(),
            soft_bodies: Vec::new(),
            groups: BTreeMap::new(),
            drives: Vec::new(),
            controls: Vec::new(),
            scenery: Vec::new(),
            camera: None,
        }
    }
}

impl SceneFile {
    /// Frames in the scene's duration.
    pub fn frames(&self) -> usize {
        (self.duration / self.dt).round() as usize
    }

    /// Adds a body.
    pub fn add(&mut self, body: Body) -> &mut Self {
        self.bodies.push(body);
        self
    }

    /// Adds a joint.
    pub fn join(&mut self, joint: Joint) -> &mut Self {
        self.joints.push(joint);
        self
    }

    /// Adds a cable.
    pub fn string(&mut self, cable: Cable) -> &mut Self {
        self.cables.push(cable);
        self
    }

    /// Adds a soft body.
    pub fn soften(&mut self, soft: SoftBody) -> &mut Self {
        self.soft_bodies.push(soft);
        self
    }

    /// Adds what two surfaces have together.
    pub fn pair(&mut self, a: &str, b: &str, together: Material) -> &mut Self {
        self.pairs.push(Pair { materials: [a.into(), b.into()], together });
        self
    }

    /// Adds a surface, or replaces the one of that name.
    pub fn material(&mut self, name: &str, material: Material) -> &mut Self {
        self.materials.insert(name.into(), material);
        self
    }
}

impl Default for Material {
    fn default() -> Self {
        let taut::Material { friction, restitution, torsional_friction, rolling_friction, .. } =
            taut::Material::default();
        Material {
            friction,
            restitution,
            torsional_friction,
            rolling_friction,
            anisotropy: None,
            penalty: None,
        }
    }
}

impl Material {
    /// A surface with this coefficient of friction that does not bounce.
    pub fn friction(friction: f64) -> Self {
        Material { friction, ..Material::default() }
    }
}

/// The quaternion (w, x, y, z) of a rotation.
pub fn wxyz(q: taut::math::Quat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

fn earth() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

fn sixtieth() -> f64 {
    1.0 / 60.0
}

fn ten() -> f64 {
    10.0
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_true(value: &bool) -> bool {
    *value
}

fn yes() -> bool {
    true
}
