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
//! # A tour
//!
//! 1. **[`World`]** holds everything; ids ([`BodyId`], [`JointId`], …) name what is in it, and so do the names one gives.
//! 2. **Bodies.** [`Body::dynamic`], [`Body::fixed`], [`Body::kinematic`] with [`Shape`]s (balls to meshes, [`Collider`]s where they are several) and a
//!    [`Material`]: friction (also anisotropic and rolling), restitution. [`Groups`] say what collides with what.
//! 3. **Joints.** [`Joint::ball`], [`hinge`](Joint::hinge), [`slider`](Joint::slider), [`weld`](Joint::weld), [`rope`](Joint::rope), [`gear`](Joint::gear), … between bodies or
//!    [`Frame::World`]; with [`limits`](Joint::limits), a [`Motor`], [`Passive`] forces, a force at which they [break](Joint::breaks_at). [`World::motor`] gives the handle to drive one.
//! 4. **Cables** over pulleys and winches ([`Cable`], [`Pulley`], [`Winch`]), and **soft bodies** ([`SoftBody`]) are part of the same problem.
//! 5. **A step.** [`World::step`] advances by 1/60 s or what you like, and returns a [`StepReport`]: whether it converged, energy,
//!    penetration, events, [`Timings`]. What did not work out is in there; nothing fails silently.
//! 6. **Forces.** [`JointState::reaction`], [`CableState`], [`World::contacts`] and [`World::contacts_of`] have those of the step; [`Sensors`] read them as a robot would.
//! 7. **Questions.** [`World::ray_cast`], [`World::shape_cast`], [`World::overlaps`].
//! 8. **[`Settings`]**: the solver ([`lcp::SolverConfig`]; the default is exact), [`FrictionMode`], [`Sleeping`], substeps, threads. Results do not depend on the number of threads.
//! 9. **[`World::snapshot`]** and [`World::restore`]: the whole world as bytes, which goes on to the same bits. [`World::problem`] is the complementarity problem itself.
//!
//! A door on a motor, and what its hinge carries:
//!
//! ```
//! use taut::{Body, Frame, Joint, Motor, Shape, World, math::Vec3};
//!
//! let mut world = World::new();
//! let door = world.add_body(
//!     Body::dynamic("door")
//!         .position(Vec3::new(0.5, 0.0, 1.0))
//!         .shape(Shape::Box { half_extents: Vec3::new(0.5, 0.02, 1.0) })
//!         .mass(20.0),
//! )?;
//! let hinge = world.add_joint(
//!     Joint::hinge("hinge", Frame::World, door)
//!         .anchor_a(Vec3::new(0.0, 0.0, 1.0))
//!         .axis_a(Vec3::Z)
//!         .motor(Motor::Velocity { target: 1.0, max_force: 100.0, acceleration: 0.0 }),
//! )?;
//! for _ in 0..60 {
//!     assert!(world.step(1.0 / 60.0)?.converged());
//! }
//! assert!((world.joint_velocity(hinge)? - 1.0).abs() < 1e-6);
//! let carried = world.joint(hinge)?.reaction().force.z.abs();
//! assert!((carried - 20.0 * 9.81).abs() < 0.1, "{carried} N");
//! # Ok::<(), taut::Error>(())
//! ```
//!
//! Around it: `taut-scenes` (scenes as JSON files, many built in), `taut-import` (URDF, MJCF, SDFormat), `taut-live` and `taut-cli` (watch, pull and drive in a
//! browser). Why the step is as it is: [docs/STEP.md](https://github.com/taut-physics/taut/blob/main/docs/STEP.md).
//!
//! **What may grow.** What the engine returns (reports, states, hits) and [`Settings`] are `#[non_exhaustive]`: read their
//! fields, and expect more of them. What you write yourself is not: [`Body`], [`Joint`], [`Cable`], [`SoftBody`]
//! are made by their functions, [`Material`] and [`Penalty`] by `Material { friction: 0.4, ..Material::default() }`, so that new
//! fields break neither.

mod assemble;
mod cables;
/// Collision detection apart from a world, for tests: no promise is made of it.
#[doc(hidden)]
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

pub use cables::{Cable, CableState, Obstacle, Pulley, Station, Winch};
pub use collide::Groups;
pub use error::Error;
pub use math::{Mat3, Pose, Quat, Vec3};
pub use report::{Event, Hold, Inverted, StepReport, Timings};
pub use scene::joint::{
    Frame, Joint, JointKind, JointState, Limits, Motor, Passive, Reaction, Spring,
};
pub use scene::{
    Anisotropy, Body, BodyKind, BodyState, Cell, Collider, DEFAULT_DENSITY, Material, Penalty,
    PenaltyLaw, Texture,
};
pub use sensor::{Sensor, Sensors};
pub use settings::{
    ContactModel, FrictionMode, GeometricStiffness, GivenSettings, Integrator, Settings, Sleeping,
};
pub use shape::Shape;
pub use slots::{BodyId, CableId, JointId, SoftBodyId, SurfaceId, TextureId};
pub use softs::{SoftBody, SoftBodyState};
pub use taut_lcp as lcp;
pub use taut_soft as soft;
pub use world::{
    CableLine, CablePlace, ContactState, ContactView, DividedCable, ExplicitLimit, MotorHandle,
    RayHit, SoftContact, StartWarning, ToldBody, ToldEnergy, ToldSoft, World,
};

/// Its examples are run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
