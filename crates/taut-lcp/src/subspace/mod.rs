//! Methods that minimize over a subspace of free rows, without factors.

pub mod pgcg;
