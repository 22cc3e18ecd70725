//! Methods that alternate: sweeps find the rows at their bounds, linear algebra
//! solves for the others.

pub mod pgs_sm;
