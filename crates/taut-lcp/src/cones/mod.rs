//! Methods for exact Coulomb cones, alone or among joints and boxes.

pub mod cone_ipm;
pub mod cone_newton;
mod dual_form;
mod interior;
mod lorentz;
mod model;
mod polish;
mod primal_form;
mod system;
