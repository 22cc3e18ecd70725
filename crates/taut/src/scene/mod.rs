//! What a world consists of: bodies with colliders and materials, joints.

mod body;
mod body_state;
mod collider;
pub(crate) mod joint;
mod material;
mod path;

pub use body::{Body, BodyKind};
pub(crate) use body_state::Arrival;
pub use body_state::BodyState;
pub use collider::{Collider, DEFAULT_DENSITY};
pub use material::Material;
pub(crate) use path::Path;
