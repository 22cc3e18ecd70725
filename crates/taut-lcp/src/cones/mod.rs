//! Methods for problems with Coulomb cones, mixed with joints and boxes.
//!
//! A contact pushes and never pulls, and its friction is at most μ times as large as that push, in
//! any direction: the impulses (n, t1, t2) lie in a cone. What slides has the largest friction,
//! against the slip. There is nothing to minimize in that (the associated law, which there is, lets what
//! slides lift off), so it is solved as equations.
//!
//! - The problem: `model.rs` scales it so that every cone is |x_t| ≤ xₙ, and `lorentz.rs` has the geometry of that cone.
//! - The default, [`cone_newton`]: `recall.rs` (nothing changed: one Cholesky factorization), `condensed.rs` (joints
//!   eliminated), `stages.rs` (what is tried in which order): `polish.rs` (Newton steps from a near point) and
//!   `interior.rs` (from no point at all: the interior point that is [`cone_ipm`] alone); `certificate.rs` where there is no solution.
//! - The linear systems of both, Q + PÃ with small blocks Q and P: `system.rs`, in the form of `dual_form.rs`
//!   (entries of A), `primal_form.rs` (bodies) or `dense_form.rs` (condensed).
//! - One contact or a few at a time: [`bgs`], [`prox_gs`], [`prox_jacobi`], [`cone_admm`], on `blocks.rs`, `local.rs`, `boxed.rs`, `large.rs`.
//! - Two discs, friction and rolling: `rolling.rs` makes two cones of them.
//!
//! Which to take: `cone_newton`; the others to compare with, to teach, or where a rough answer at once will do.
//! In `on_request/`, what the default never runs unless `cone_newton` gets stuck: `ncp_newton.rs`, `cone_admm.rs`, `prox_gs.rs` (with `prox.rs`), and
//! `bgs.rs` (on few contacts), with what these stand on: `blocks.rs`, `local.rs`, `boxed.rs`, `large.rs`. Only on request: `prox_jacobi.rs`.

mod certificate;
mod condensed;
pub mod cone_ipm;
pub mod cone_newton;
mod dense_form;
mod dual_form;
mod interior;
mod lorentz;
mod model;
mod polish;
mod primal_form;
mod recall;
mod rolling;
mod stages;
mod system;

// What the default does not run, unless it gets stuck: a folder of its own.
#[path = "on_request/bgs.rs"]
pub mod bgs;
#[path = "on_request/blocks.rs"]
mod blocks;
#[path = "on_request/boxed.rs"]
mod boxed;
#[path = "on_request/cone_admm.rs"]
pub mod cone_admm;
#[path = "on_request/large.rs"]
mod large;
#[path = "on_request/local.rs"]
mod local;
#[path = "on_request/ncp_newton.rs"]
pub mod ncp_newton;
#[path = "on_request/prox.rs"]
mod prox;
#[path = "on_request/prox_gs.rs"]
pub mod prox_gs;
#[path = "on_request/prox_jacobi.rs"]
pub mod prox_jacobi;
