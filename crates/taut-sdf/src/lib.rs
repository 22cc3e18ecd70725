//! Signed distance fields: how far is a point from a solid, inside or outside, and which way is out?
//!
//! | field | from | distance |
//! |---|---|---|
//! | [`Surface`] | a closed mesh | exact, by a tree over its triangles |
//! | [`Grid`] | a surface, sampled | trilinear between grid points: fast, and rounds corners by a cell; the engine does without |
//! | [`Ball`], [`Cuboid`], [`Torus`] | formulas | exact |
//!
//! ```
//! use taut_sdf::{Ball, Field, face_minimum};
//!
//! let ball = Ball { centre: [0.0; 3], radius: 1.0 };
//! assert_eq!(ball.sample([3.0, 0.0, 0.0]).distance, 2.0);
//! // The point of a triangle that is nearest to the ball, or deepest in it: not one of its corners.
//! let triangle = [[-4.0, -4.0, 1.5], [4.0, -4.0, 1.5], [0.0, 8.0, 1.5]];
//! let nearest = face_minimum(&ball, triangle, 1e-3, 100_000);
//! assert!((nearest.distance - 0.5).abs() <= 1e-3 && nearest.at_least <= 0.5);
//! ```
//!
//! # A tour
//!
//! 1. **A field.** Anything that implements [`Field`]: a [`Sample`] has the distance and the way out. The table above has those that are here.
//! 2. **A mesh.** [`Surface::new`] takes vertices and triangles, and refuses what has no inside. [`Surface::nearest`] finds the nearest point;
//!    [`Grid::new`] samples it where speed matters more than edges.
//! 3. **Searches.** [`face_minimum`] finds the least value on a triangle, with a bound on what it may have missed ([`Minimum::at_least`]).
//! 4. **Contacts** of a mesh with a field, each where its [`Placement`] puts it: [`vertex_contacts`] (fast, misses faces), [`face_contacts`] (certain).
//! 5. **Pairs.** [`Bvh`] is a tree of [`Bounds`]: what is near a point, which boxes of two moving bodies meet.
//!
//! How deep a tetrahedron stands in a ball that reaches through its face:
//!
//! ```
//! use taut_sdf::{Ball, Placement, Surface, face_contacts, vertex_contacts};
//!
//! let corners = vec![[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
//! let solid = Surface::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
//! let ball = Ball { centre: [1.0, 1.0, -0.9], radius: 1.0 };
//! let (here, there) = (&Placement::IDENTITY, &Placement::IDENTITY);
//! assert!(vertex_contacts((&ball, here), (&solid, there), 0.0).is_empty());
//! let deepest = face_contacts((&ball, here), (&solid, there), 0.0, 1e-6);
//! let depth = deepest.iter().map(|c| -c.gap).fold(0.0, f64::max);
//! assert!((depth - 0.1).abs() < 1e-6, "{depth} m");
//! # Ok::<(), taut_sdf::Error>(())
//! ```
//!
//! The engine's `sdf` shapes and rounded solids are made of these.
//!
//! Distances are in metres, positive outside. Meshes that are open, non-manifold, inside out or that cut
//! themselves, triangles without area and grids that do not fit in memory are errors. Reference:
//! Andrews22 2.3.

mod analytic;
mod bvh;
mod check;
mod contacts;
mod error;
mod face;
mod field;
mod grid;
mod surface;
mod triangle;
pub mod vector;

pub use analytic::{Ball, Cuboid, Torus};
pub use bvh::{Bounds, Bvh, MovedBoxes, Passing};
pub use contacts::{Contact, Placement, face_contacts, vertex_contacts};
pub use error::Error;
pub use face::{Minimum, face_minimum};
pub use field::{Field, Sample};
pub use grid::{Grid, MAX_SAMPLES};
pub use surface::{Nearest, Surface};
pub use vector::Vec3;

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
