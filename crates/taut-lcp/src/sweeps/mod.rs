//! Methods that go through the rows one by one: cheap iterations, linear
//! convergence, no factorization.

mod conjugate;
mod fixed_point;
pub mod following;
pub mod jacobi;
pub mod nncg;
pub mod pgs;
pub mod psor;
mod rows;

pub(crate) use rows::{Rows, Sweep};
