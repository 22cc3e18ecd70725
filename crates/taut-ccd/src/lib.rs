//! Continuous collision detection: when do a vertex and a triangle, or two edges, first touch while
//! their corners move along straight lines?
//!
//! | method | misses | time | when to use it |
//! |---|---|---|---|
//! | [`tight_inclusion`] | never | never late | the default |
//! | [`additive`] | never | never late, early by a tenth of the distance or less | line searches, where early is fine |
//! | [`multivariate`] | rarely | to rounding | where the time itself is wanted |
//! | [`cubic`] | coplanar motions, grazing contacts | to rounding | comparisons |
//!
//! ```
//! use taut_ccd::{Options, Query, tight_inclusion};
//!
//! // A vertex falls through a triangle that stands still.
//! let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let query = Query::vertex_face([[0.25, 0.25, 1.0], [0.25, 0.25, -3.0]], [face, face]);
//! let impact = tight_inclusion::first_contact(&query, &Options::default())?;
//! let time = impact.expect("it passes through").time;
//! assert!(time <= 0.25 && time > 0.249_999);
//! # Ok::<(), taut_ccd::Error>(())
//! ```
//!
//! # A tour
//!
//! 1. **A question.** [`Query::vertex_face`] or [`Query::edge_edge`]: corners at the start and at the end of the motion.
//! 2. **What counts.** [`Options`]: a distance that already is contact ([`min_separation`](Options::min_separation); of the methods that never miss), the part of the motion, tolerance and the most checks.
//! 3. **A method.** A function of each module ([`tight_inclusion::first_contact`], …), or one by its name: [`Method`].
//! 4. **The answer.** [`Impact`] has the time, and whether the search was [settled](Impact::settled) or stopped early, at a time that is safe all the same.
//!
//! Two edges that cross, by every method:
//!
//! ```
//! use taut_ccd::{Method, Options, Query};
//!
//! let resting = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
//! let query = Query::edge_edge(
//!     [resting, resting],
//!     [[[0.0, -1.0, 1.0], [0.0, 1.0, 1.0]], [[0.0, -1.0, -1.0], [0.0, 1.0, -1.0]]],
//! );
//! let options = Options::default();
//! for method in Method::ALL {
//!     let Some(impact) = method.first_contact(&query, &options)? else {
//!         panic!("{} misses it", method.name());
//!     };
//!     assert!(impact.time <= 0.5 + 1e-9 && impact.time > 0.4, "{}: {}", method.name(), impact.time);
//! }
//! # Ok::<(), taut_ccd::Error>(())
//! ```
//!
//! All methods answer `Ok(None)` for "no contact", and return [`Error`] for coordinates that are not
//! finite and for options out of range. None panics. Reference: Andrews22 2.2.

pub mod additive;
mod closest;
pub mod cubic;
mod error;
mod method;
pub mod multivariate;
mod options;
mod patch;
mod query;
pub mod tight_inclusion;
mod vector;

pub use error::Error;
pub use method::Method;
pub use options::Options;
pub use query::{Impact, Kind, Query};

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
