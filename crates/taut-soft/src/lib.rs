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
