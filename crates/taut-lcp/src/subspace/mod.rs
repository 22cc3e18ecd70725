//! Methods that find rows at their bounds by cheap steps, and minimize over the
//! subspace of the others.

pub mod pgs_sm;
