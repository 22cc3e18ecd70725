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
