//! Contact without intersection: barriers, incremental potentials, friction as a potential; and penalty springs.
//!
//! A [`System`] has rigid bodies (as affine ones), soft, fixed and kinematic ones, with surfaces of triangles. A step is the minimum of one
//! function, found by Newton steps that stop before anything touches: whatever the parameters, nothing ever intersects. What it costs: contacts
//! act at a distance below d̂, what should stick creeps below ε_v, and motion is damped. The exact engine (`taut`) is the other school.
//!
//! # A tour
//!
//! 1. **Surfaces.** [`Mesh::new`] of triangles, or [`Mesh::block`], [`Mesh::ball`], …; [`System::add_half_spaces`] for a ground without end.
//! 2. **Bodies.** [`System::add_rigid`], [`add_soft`](System::add_soft), [`add_fixed`](System::add_fixed), [`add_kinematic`](System::add_kinematic), with friction;
//!    [`join_points`](System::join_points) and [`join_line`](System::join_line) are joints, [`push`](System::push) a force.
//! 3. **How much it gives way.** [`Settings`]: [`reach`](Settings::reach) d̂, [`creep`](Settings::creep) ε_v, the rigidity of affine bodies, tolerances.
//! 4. **A step.** [`System::step`] returns a [`StepReport`]; its [`Status`] is not always [`Converged`](Status::Converged), and says so. [`System::step_with`] shows every Newton step.
//! 5. **The judge.** [`System::intersection`] looks for two features that meet, without rounding ([`exact`]); [`System::told`] has gaps and deformations of the
//!    poses as they are written, [`System::energy`] what is kinetic and what is held.
//! 6. **The parts alone**: the modules below. [`penalty`] has the springs that others use in place of barriers.
//!
//! A cube that comes to rest on a ground, and what that costs it:
//!
//! ```
//! use taut_barrier::{Mesh, Settings, System};
//!
//! let mut system = System::new(Settings::default())?;
//! system.add_fixed("ground", &Mesh::ground(2.0)?, 0.5)?;
//! let cube = system.add_rigid("cube", &Mesh::block([0.1; 3])?.moved([0.0, 0.0, 0.101]), 1000.0, 0.5)?;
//! for _ in 0..30 {
//!     assert!(system.step(0.01)?.converged());
//! }
//! assert!(system.intersection().is_none());
//! // It floats, by less than d̂.
//! let gap = system.position(cube)?[2] - 0.1;
//! assert!(gap > 0.0 && gap < system.settings().reach, "{gap} m");
//! # Ok::<(), taut_barrier::Error>(())
//! ```
//!
//! Scenes take it by `"contact": {"barrier": {}}`. Barriers, penalties and exact contact beside one another: [docs/CONTACT.md](https://github.com/taut-physics/taut/blob/main/docs/CONTACT.md).
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
