//! Methods to learn from and to test with: simple, exact, slow. No default runs
//! them.

pub mod dantzig;
pub mod enumerate;
pub mod murty;
