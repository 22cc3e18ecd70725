//! Complementarity problems of frictional contact and their solvers.
//!
//! Find impulses λ and velocities w = Aλ + b such that every row obeys its
//! [`Law`]: a joint (w = 0), a box (lo ≤ λ ≤ hi), a friction box, a Coulomb
//! cone. State a [`Problem`], choose a method from the [`registry`], call
//! [`solve`]; the [`Judge`] says how good the answer is, whatever the method
//! claims.
//!
//! ```
//! use taut_lcp::{Dense, Iterate, Judge, Operator, Problem, SolverConfig, Status, Stop, solve};
//!
//! // Two contacts, A symmetric positive definite.
//! let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
//! let problem = Problem::boxed(a, vec![-1.0, 1.0], &[0.0; 2], &[f64::INFINITY; 2])?;
//! let mut solver = SolverConfig::named("pgs")?.build()?;
//! let mut iterate = Iterate::default(); // cold start
//! let report = solve(
//!     solver.as_mut(),
//!     &problem,
//!     &Stop::default(),
//!     &mut iterate,
//!     &mut Judge::default(),
//!     &mut (),
//! )?;
//! assert_eq!(report.status, Status::Converged);
//! # Ok::<(), taut_lcp::Error>(())
//! ```

pub mod auto;
mod error;
pub(crate) mod free_solve;
pub mod generate;
pub mod interior;
pub mod io;
mod iterate;
mod law;
mod linalg;
mod operator;
mod parallel;
pub mod pivoting;
pub mod precondition;
mod problem;
pub mod reference;
pub mod registry;
mod report;
pub mod residual;
pub mod solver;
pub mod splitting;
pub mod subspace;
pub mod sweeps;

pub use error::Error;
pub use free_solve::pcg::PcgSettings;
pub use iterate::{Iterate, RowState};
pub use law::Law;
pub use operator::{Block6, Dense, Multibody, Operator, Row6, Sparse};
pub use problem::Problem;
pub use registry::SolverConfig;
pub use report::{Backend, Choice, Counts, History, Outcome, Probe, Report, Status};
pub use residual::{Judge, Verdict};
pub use solver::{Solver, Stop, solve};
