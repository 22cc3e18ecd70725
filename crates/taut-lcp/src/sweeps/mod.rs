//! Methods that go through the rows one by one: cheap iterations, linear
//! convergence, no factorization.
//!
//! The default runs `rows.rs` alone, for the first sweeps of the ladder (`pivoting/ladder.rs`). In `on_request/`: `following.rs`, which an engine
//! calls where an accuracy is asked for, and the methods themselves.

mod rows;

// What the default does not run, unless it gets stuck: a folder of its own.
#[path = "on_request/conjugate.rs"]
mod conjugate;
#[path = "on_request/fixed_point.rs"]
mod fixed_point;
#[path = "on_request/following.rs"]
pub mod following;
#[path = "on_request/jacobi.rs"]
pub mod jacobi;
#[path = "on_request/nncg.rs"]
pub mod nncg;
#[path = "on_request/pgs.rs"]
pub mod pgs;
#[path = "on_request/psor.rs"]
pub mod psor;

pub(crate) use rows::{Rows, Sweep};
