//! Cables: ways through points and around pulleys that are at most as long as the cable.
//!
//! A cable has no mass. Its way has a length that follows from the poses of the bodies (`path`);
//! what it adds to a step's problem is one row, φ = L − length ≥ 0, on all bodies that it goes through,
//! with the mean tension τ ≥ 0 for its multiplier, and one row for each station at which it rubs
//! (`capstan`). A block and tackle of eight sheaves without friction is one row. Ratios of masses
//! do not matter: there is nothing between the bodies.
//!
//! | file | does |
//! |---|---|
//! | `definition` | stations, length, stiffness, winch |
//! | `circle` | pulleys, their tangents |
//! | `span` | spans and their gradients, edges |
//! | `path` | wraps and lengths |
//! | `solid`, `over` | convex solids that a cable finds in its way, and the shortest way over them |
//! | `obstacles` | stations for these, in the order in which they lie along the cable |
//! | `path/lying` | where a cable comes to lie on solids, and lifts off |
//! | `path/ring` | edges around a body, and what cuts into it |
//! | `path/lift` | where a cable lifts off a pulley or an edge, touches it again, leaves it for good |
//! | `capstan` | tensions of spans, the law of friction and its passes |
//! | `segments` | rest lengths of what lies between stations that rub, of cables that stretch |
//! | `state` | a cable in a world, and what users read |
//!
//! `assemble::cables` makes the rows of a step of it, `world::cables` is what users call.

pub(crate) mod capstan;
mod circle;
mod definition;
mod obstacles;
mod over;
pub(crate) mod path;
pub(crate) mod segments;
pub(crate) mod solid;
mod span;
mod state;

pub(crate) use definition::Solids;
pub use definition::{Cable, Obstacle, Pulley, Station, Winch};
pub use state::CableState;
pub(crate) use state::at_present;

/// A force within this share of its limit has reached it: rounding of a solve.
const AT_LIMIT: f64 = 1e-9;

/// Whether a force has reached what a winch holds, at which it slips.
pub(crate) fn is_at_limit(force: f64, most: f64) -> bool {
    force >= most * (1.0 - AT_LIMIT)
}
