//! Methods for problems with Coulomb cones, mixed with joints and boxes.

pub mod bgs;
mod blocks;
mod boxed;
mod condensed;
pub mod cone_admm;
pub mod cone_ipm;
pub mod cone_newton;
mod dense_form;
mod dual_form;
mod interior;
mod large;
mod local;
mod lorentz;
mod model;
pub mod ncp_newton;
mod polish;
mod primal_form;
mod prox;
pub mod prox_gs;
pub mod prox_jacobi;
mod recall;
mod stages;
mod system;
