//! Rigid multibody dynamics with joints and frictional contact.

pub mod collide;
pub mod math;
pub mod shape;
