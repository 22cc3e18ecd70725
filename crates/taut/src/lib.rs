//! Rigid multibody dynamics with joints and frictional contact, solved
//! exactly.
//!
//! Bodies, joints and contacts of one step form a mixed linear
//! complementarity problem per island, which [`lcp`] solves; nothing is
//! iterated to "good enough" by default, so heavy loads on light links and
//! tall stacks simply hold.
//!
//! ```
//! use taut::{Body, Frame, Joint, Shape, World, math::Vec3};
//!
//! let mut world = World::new();
//! world.add_body(Body::fixed("ground").shape(Shape::HalfSpace { normal: Vec3::Z }))?;
//! let bob = world.add_body(
//!     Body::dynamic("bob")
//!         .position(Vec3::new(1.0, 0.0, 2.0))
//!         .shape(Shape::Ball { radius: 0.1 })
//!         .mass(5.0),
//! )?;
//! world.add_joint(Joint::ball("pivot", Frame::World, bob).anchor_a(Vec3::new(0.0, 0.0, 2.0)))?;
//! for _ in 0..60 {
//!     let report = world.step(1.0 / 60.0)?;
//!     assert!(report.converged());
//! }
//! assert!(world.body(bob)?.position().z < 2.0);
//! # Ok::<(), taut::Error>(())
//! ```
//!
//! Units are SI; z is up; quaternions are written (w, x, y, z) in files.
//!
//! **What may grow.** What the engine returns (reports, states, hits) and [`Settings`] are `#[non_exhaustive]`: read their
//! fields, and expect more of them. What you write yourself is not: [`Body`], [`Joint`], [`Cable`], [`SoftBody`]
//! are made by their functions, and [`Material`] by `Material { friction: 0.4, ..Material::default() }`, so that new
//! fields break neither.

mod assemble;
mod cables;
pub mod collide;
mod contact;
mod eigen;
mod elliptic;
mod error;
mod free_rotation;
mod integrate;
mod islands;
pub mod math;
mod mean;
mod report;
mod scene;
mod sensor;
mod settings;
pub mod shape;
mod slots;
mod snapshot;
mod softs;
mod step;
mod surface;
mod world;

pub use cables::{Cable, CableState, Pulley, Station, Winch};
pub use collide::Groups;
pub use error::Error;
pub use math::{Mat3, Pose, Quat, Vec3};
pub use report::{Event, StepReport, Timings};
pub use scene::joint::{
    Frame, Joint, JointKind, JointState, Limits, Motor, Passive, Reaction, Spring,
};
pub use scene::{
    Anisotropy, Body, BodyKind, BodyState, Cell, Collider, DEFAULT_DENSITY, Material, Texture,
};
pub use sensor::{Sensor, Sensors};
pub use settings::{
    FrictionMode, GeometricStiffness, GivenSettings, Integrator, Settings, Sleeping,
};
pub use shape::Shape;
pub use slots::{BodyId, CableId, JointId, SoftBodyId, SurfaceId, TextureId};
pub use softs::{SoftBody, SoftBodyState};
pub use taut_lcp as lcp;
pub use taut_soft as soft;
pub use world::{
    CableLine, CablePlace, ContactState, ContactView, DividedCable, MotorHandle, RayHit,
    SoftContact, StartWarning, World,
};
