//! Methods that approach the answer through the inside of the box.

pub mod ipm;
pub mod lcp_ipm;
mod side;

pub(crate) use ipm::{Attempt, Interior, Progress};
