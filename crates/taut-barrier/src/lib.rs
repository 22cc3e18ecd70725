//! Contact without intersection: barriers, incremental potentials, friction as a potential; and penalty springs.
//!
//! A [`System`] has rigid bodies (as affine ones), soft, fixed and kinematic ones, with surfaces of triangles. A step is the minimum of one
//! function, found by Newton steps that stop before anything touches: whatever the parameters, nothing ever intersects. What it costs: contacts
//! act at a distance below d̂, what should stick creeps below ε_v, and motion is damped. The exact engine (`taut`) is the other school.
//!
//! | module | what |
//! |---|---|
//! | [`distance`] | point and triangle, edge and edge: squared distance, gradient, Hessian |
//! | [`barrier`](mod@barrier) | the clamped logarithm, and layers of quadratic penalties |
//! | [`stencil`] | the barrier of four corners, with the mollifier of parallel edges |
//! | [`friction`] | lagged, smoothed friction |
//! | `plane` | half-spaces, exactly: [`System::add_half_spaces`] |
//! | `part` | how long a part of a step may be |
//! | `inside` | whether a body starts within another one |
//! | `joint` | joints as linear constraints: [`System::join_points`], [`System::join_line`] |
//! | [`exact`] | whether an edge and a triangle meet, without rounding |
//! | [`penalty`] | springs and dampers instead |
//!
//! Meshes that are open, not manifold or have triangles without area are errors, and so are bodies that intersect at the start. Lengths are in metres,
//! forces in newtons. Reference: Andrews22 5.

pub mod barrier;
mod body;
mod contacts;
pub mod distance;
mod error;
pub mod exact;
pub mod friction;
mod inside;
mod joint;
mod matrix;
mod mesh;
mod part;
pub mod penalty;
mod plane;
mod psd;
pub mod scenes;
mod shapes;
pub mod stencil;
mod step;
mod system;
mod vector;

pub use contacts::{Intersection, Near};
pub use error::Error;
pub use mesh::{Mesh, Moments};
pub use plane::HalfSpace;
pub use step::{Progress, Status, StepReport};
pub use system::{BodyId, Settings, System, Told, Weight};
pub use taut_ccd::Kind;
pub use vector::{Mat3, Vec3};

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
