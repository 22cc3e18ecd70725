//! Methods that approach the answer through the inside of the box.
//!
//! `ipm.rs` is the third rung of the ladder (`pivoting/ladder.rs`), `lcp_ipm.rs` what `auto` takes first where A is not
//! symmetric or pivoting gets stuck.

pub mod ipm;
pub mod lcp_ipm;
mod side;

pub(crate) use ipm::{Attempt, Interior, Progress};
