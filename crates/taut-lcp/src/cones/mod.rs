//! Methods for problems with Coulomb cones, mixed with bilateral and boxed rows.

pub mod bgs;
mod blocks;
mod boxed;
pub mod cone_admm;
mod local;
mod prox;
pub mod prox_gs;
pub mod prox_jacobi;
