//! Methods that alternate between finding the rows at their bounds and linear
//! algebra on the others.

pub mod pgcg;
pub mod pgs_sm;
