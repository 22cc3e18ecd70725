//! Methods that go through the rows one by one: cheap iterations, linear
//! convergence, no factorization.
//!
//! The default runs `rows.rs` alone, for the first sweeps of the ladder (`pivoting/ladder.rs`). `following.rs` is what an engine
//! calls where an accuracy is asked for. The methods themselves run on request.

mod conjugate;
mod fixed_point;
pub mod following;
pub mod jacobi;
pub mod nncg;
pub mod pgs;
pub mod psor;
mod rows;

pub(crate) use rows::{Rows, Sweep};
