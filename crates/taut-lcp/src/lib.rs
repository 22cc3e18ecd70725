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
//! # A tour
//!
//! 1. **The operator** A. [`Operator`] takes it [`Dense`], [`Sparse`] (symmetric, or [`General`]), or [`Multibody`]: masses, Jacobian and
//!    compliance kept apart, so that A = J M⁻¹ Jᵀ + C is never formed unless a method is better off with it.
//! 2. **The laws.** One [`Law`] per row, or per block of rows. [`Problem::boxed`] is the short way where all are boxes; a [`Problem`] may mix all of them.
//! 3. **The method.** [`Session::named`] takes a name of the [`registry`] (`ALGORITHMS.md` is that list as a table), [`SolverConfig`] has its settings. `auto`
//!    picks an exact one by the structure of the problem, and says why ([`Report::choice`]).
//! 4. **The answer.** [`Answer`] has λ, w and a [`Status`]; its [`Report`] has residuals, counts and times. [`Status::Converged`] means that the
//!    [`Judge`] found the laws kept to the tolerance ([`residual`] says in which norm), not that a method was content. [`Status::Infeasible`] comes with a proof.
//! 5. **Again.** The next [`Session::solve`] starts from the last answer, and keeps what it knows of the structure: stacks at rest cost one check.
//!
//! | module | methods | for |
//! |---|---|---|
//! | [`mod@auto`] | the default | not having to choose |
//! | [`pivoting`] | block principal pivoting, Lemke | exact answers of boxes and joints, warm starts |
//! | [`interior`] | interior points | degenerate problems, A that is not symmetric |
//! | [`cones`] | Newton, interior point, proximal and splitting methods | Coulomb's cones |
//! | [`newton`] | Fischer–Burmeister, minimum map | A that is not symmetric |
//! | [`splitting`] | Schur complements of subsystems | machines with named parts, several threads |
//! | [`sweeps`] | Gauss–Seidel, Jacobi, nonlinear conjugate gradients | a rough answer at once |
//! | [`subspace`], [`matrix_free`] | minimization on faces, conjugate gradients | comparisons, little memory |
//! | [`teaching`] | Dantzig, Murty, enumeration | to learn from, to test with |
//!
//! With Coulomb's cone, the friction of one contact that sticks:
//!
//! ```
//! use taut_lcp::{Dense, Law, Operator, Problem, Session, Status};
//!
//! let eye = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]; // normal and two tangents
//! let operator = Operator::Dense(Dense::from_rows(3, eye)?);
//! let problem = Problem::new(operator, vec![-1.0, 0.3, 0.0], vec![Law::cone(&[0.5, 0.5], false)])?;
//! let mut session = Session::named("auto")?;
//! let answer = session.solve(&problem)?;
//! assert_eq!(answer.status(), Status::Converged);
//! assert!((answer.lambda()[1] + 0.3).abs() < 1e-9, "it stops what slides");
//! # Ok::<(), taut_lcp::Error>(())
//! ```
//!
//! Mistakes of the caller are [`Error`]s that name the row; numbers that do not work out are a [`Status`]. Nothing panics on input. Problems come from files
//! too ([`io`]: Matrix Market, FCLIB with the feature `hdf5`), or from generators ([`generate`]).
//!
//! A caller that keeps solver, judge and iterates apart, as the engine does with
//! many problems at a time, calls [`solver::solve`].
//!
//! **What may grow.** What a solve returns ([`Report`], [`Iterate`], [`Status`]) and the kinds of what you pass in ([`Law`],
//! [`SolverConfig`]) are `#[non_exhaustive]`: read their fields, match with a rest, and expect more of them. What you write yourself or take apart is not: [`Operator`],
//! [`Problem`] and [`Stop`], and the settings of a method, by `Settings { max_iterations: 50, ..Settings::default() }`, so that new fields break neither.
//!
//! Features, all off by default: `serde`, `hdf5`, `parallel`. More: [which solver when](https://github.com/taut-physics/taut/blob/main/docs/METHODS.md), [how the exact ones
//! work](https://github.com/taut-physics/taut/blob/main/docs/SOLVERS.md), [a simulator in 200 lines](https://github.com/taut-physics/taut/blob/main/docs/SIMULATOR.md).

pub mod auto;
mod block_cholesky;
#[doc(hidden)]
pub mod clock;
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

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
