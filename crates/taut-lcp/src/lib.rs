//! Complementarity problems of frictional contact and their solvers.
//!
//! Find impulses λ and velocities w = Aλ + b such that every row obeys its
//! [`Law`]: a joint (w = 0), a box (lo ≤ λ ≤ hi), a friction box, a Coulomb
//! cone. State a [`Problem`], open a [`Session`] with a method of the
//! [`registry`], call [`Session::solve`]; the [`Judge`] says how good the answer
//! is, whatever the method claims.
//!
//! ```
//! use taut_lcp::{Dense, Operator, Problem, Session, Status};
//!
//! // Two contacts, A symmetric positive definite.
//! let a = Operator::Dense(Dense::from_rows(2, vec![2.0, 1.0, 1.0, 2.0])?);
//! let problem = Problem::boxed(a, vec![-1.0, 1.0], &[0.0; 2], &[f64::INFINITY; 2])?;
//! let mut session = Session::named("auto")?;
//! let answer = session.solve(&problem)?;
//! assert_eq!(answer.status(), Status::Converged);
//! assert_eq!(answer.lambda(), [0.5, 0.0]);
//! # Ok::<(), taut_lcp::Error>(())
//! ```
//!
//! A caller that keeps solver, judge and iterates apart, as the engine does with
//! many problems at a time, calls [`solver::solve`].

pub mod auto;
mod block_cholesky;
pub mod cones;
mod error;
pub(crate) mod free_solve;
pub mod generate;
pub mod interior;
pub mod io;
mod iterate;
mod law;
mod linalg;
pub mod matrix_free;
pub mod newton;
mod operator;
mod parallel;
pub mod pivoting;
pub mod polyhedral;
mod problem;
mod proof;
pub mod reference;
pub mod registry;
mod report;
pub mod residual;
mod rounding;
mod session;
pub mod solver;
pub mod splitting;
pub mod subspace;
pub mod sweeps;
pub mod teaching;

pub use block_cholesky::BlockCholesky;
pub use error::Error;
pub use free_solve::pcg::PcgSettings;
pub use iterate::{Iterate, RowState};
pub use law::{Law, MOST_TANGENTS};
pub use operator::{Block3, Block6, Dense, General, Multibody, Operator, Row6, Sparse};
pub use problem::Problem;
pub use registry::SolverConfig;
pub use report::{Backend, Choice, Counts, History, Outcome, Probe, Report, Softening, Status};
pub use residual::{Judge, Verdict};
pub use session::{Answer, Session};
pub use solver::{Solver, Stop};
