//! Methods to learn from and to test with: simple, exact, slow. No default runs
//! them, but for `enumerate` as the very last resort on small problems (`auto.rs`).

pub mod dantzig;
pub mod enumerate;
pub mod murty;
