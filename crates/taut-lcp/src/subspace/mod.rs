//! Methods that alternate between parts: cheap steps and the subspace of the rows
//! inside their bounds, or normal impulses and friction. No default runs them.

pub mod pgs_sm;
pub mod staggering;
