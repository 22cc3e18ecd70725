//! Methods that go through the rows one by one: cheap iterations, linear
//! convergence, no factorization.

pub mod pgs;
mod rows;

pub(crate) use rows::Rows;
