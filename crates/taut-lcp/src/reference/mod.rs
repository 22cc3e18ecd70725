//! Yardsticks: what the cost of solvers is compared with.
//!
//! - [`Baseline`]: a refactoring pivoting solver as the literature has it;
//! - [`Oracle`]: one factorization for the index set of the answer, which
//!   nobody knows beforehand;
//! - [`Factors`]: one matrix, factored by taut's Cholesky and by faer's;
//! - [`condition_number`]: how ill-conditioned a problem is.
//!
//! None of them is in the [`registry`](crate::registry): they are for
//! measuring, not for use.

mod baseline;
mod condition;
mod factors;
mod oracle;

pub use crate::free_solve::Updates;
pub use baseline::{Baseline, MAX_PIVOTS};
pub use condition::condition_number;
pub use factors::Factors;
pub use oracle::Oracle;
