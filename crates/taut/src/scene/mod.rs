//! What a world consists of: bodies with colliders and materials, joints.

mod anisotropy;
mod body;
mod body_state;
mod collider;
pub(crate) mod joint;
mod material;
mod pairs;
mod path;
mod penalty;

pub use anisotropy::{Anisotropy, Cell, Texture};
pub(crate) use anisotropy::{Grip, Side};
pub use body::{Body, BodyKind};
pub use body_state::BodyState;
pub(crate) use body_state::{Arrival, Start};
pub use collider::{Collider, DEFAULT_DENSITY};
pub use material::Material;
pub(crate) use pairs::Pairs;
pub(crate) use path::Path;
pub use penalty::{Penalty, PenaltyLaw};
