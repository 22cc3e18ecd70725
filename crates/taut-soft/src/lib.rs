//! Soft bodies of tetrahedra.
//!
//! A [`Mesh`] of a [`Material`] is a [`Solid`]: energy, forces, stiffness and mass. A [`SoftBody`] is a solid that moves.
//! A [`System`] has soft and rigid bodies that touch, in one exact problem with friction.
//!
//! ```
//! use taut_soft::{Integrator, Mass, Material, Mesh, Model, SoftBody, Solid};
//!
//! // A rubber beam, held at one end.
//! let mesh = Mesh::beam(0.5, [0.05; 2], 10)?;
//! let rubber = Material::new(Model::Corotational, 1e6, 0.45)?;
//! let mut beam = SoftBody::new(Solid::new(mesh, rubber, 1100.0, Mass::Lumped)?)?.damped(0.0, 0.01)?;
//! for node in 0..beam.positions().len() {
//!     if beam.positions()[node][0] == 0.0 {
//!         beam.pin(node)?;
//!     }
//! }
//! for _ in 0..10 {
//!     let step = beam.step(1.0 / 60.0, [0.0, 0.0, -9.81], Integrator::ImplicitEuler { iterations: 20 })?;
//!     assert!(step.converged);
//! }
//! assert!(beam.positions().iter().any(|x| x[2] < -0.05));
//! # Ok::<(), taut_soft::Error>(())
//! ```
//!
//! # A tour
//!
//! 1. **A mesh.** [`Mesh::block`], [`Mesh::cylinder`], [`Mesh::tube`], [`Mesh::from_gmsh`], or [`Mesh::filled`] from a closed surface;
//!    [`Mesh::quadratic`] for thin parts.
//! 2. **A solid.** [`Material`] of a [`Model`] (linear, corotational, stable neo-Hookean) and a density make a [`Solid`]: [`energy`](Solid::energy),
//!    [`gradient`](Solid::gradient), [`stiffness`](Solid::stiffness), [`stresses`](Solid::stresses), [`frequencies`](SoftBody::frequencies).
//! 3. **A body that moves.** [`SoftBody`], [`damped`](SoftBody::damped), [`pinned`](SoftBody::pin); [`SoftBody::step`] by an [`Integrator`],
//!    [`SoftBody::settle`] to where it rests. Their [`Progress`] says whether it converged.
//! 4. **Contact.** A [`System`] of soft bodies and [`RigidBody`]s ([`attach`](System::attach) holds nodes): [`System::step`] solves contacts and friction by a
//!    [`Method`], the exact ones by default, and [`SystemReport`] says how it went. [`System::contacts`] has the impulses.
//!
//! A rubber cube that falls onto the ground:
//!
//! ```
//! use taut_soft::{Mass, Material, Mesh, Model, RigidBody, SoftBody, Solid, System};
//!
//! let rubber = Material::new(Model::Corotational, 1e5, 0.4)?;
//! let cube = Mesh::block([0.1; 3], [2; 3])?.moved([0.0, 0.0, 0.01]);
//! let mut system = System::new([0.0, 0.0, -9.81])?;
//! system.add_soft(SoftBody::new(Solid::new(cube, rubber, 1000.0, Mass::Lumped)?)?.damped(0.0, 0.02)?);
//! system.add_rigid(RigidBody::ground().with_friction(0.5)?);
//! for _ in 0..60 {
//!     let report = system.step(1.0 / 120.0)?;
//!     assert!(report.penetration < 1e-3);
//! }
//! // It carries its kilogram.
//! let force: f64 = system.contacts().iter().map(|c| c.impulse[2] * 120.0).sum();
//! assert!((force - 9.81).abs() < 0.5, "{force} N");
//! # Ok::<(), taut_soft::Error>(())
//! ```
//!
//! In worlds with joints and cables they are [`taut::SoftBody`](https://docs.rs/taut/latest/taut/struct.SoftBody.html). What they cost:
//! [docs/SOFT.md](https://github.com/taut-physics/taut/blob/main/docs/SOFT.md).
//!
//! Lengths are in metres, forces in newtons, stresses in pascals. Meshes with inverted or degenerate elements, holes and
//! overlaps, materials without stiffness or with ν = 0.5 are errors. Reference: Andrews22 1.4.2 and 4.

mod approximate;
mod body;
mod element;
mod error;
mod face;
mod filled;
mod gmsh;
mod material;
mod matrix;
mod mesh;
mod method;
mod modes;
mod primal;
mod rigid;
mod shapes;
mod solid;
mod system;
mod turn;

pub use body::{Integrator, Progress, SoftBody};
pub use error::Error;
pub use material::{Material, Model};
pub use matrix::{Mat3, Vec3};
pub use mesh::Mesh;
pub use method::Method;
pub use modes::MOST_MODES;
pub use rigid::{HalfSpace, RigidBody};
pub use solid::{Mass, Solid};
pub use system::{Contact, System, SystemReport};

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
