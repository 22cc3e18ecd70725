//! The world: what users talk to.

mod bodies;
mod cables;
mod colliders;
mod forces;
mod joints;
mod lumped;
mod motors;
mod problem;
mod query;
mod soft_starts;
mod softs;
mod springs;
mod told;
mod warnings;

pub use cables::CableLine;
pub(crate) use colliders::ColliderTable;
pub use lumped::{CablePlace, DividedCable};
pub use motors::MotorHandle;
pub use query::{ContactState, ContactView, RayHit};
pub use softs::SoftContact;
pub use springs::ExplicitLimit;
pub use told::{ToldBody, ToldEnergy, ToldSoft};
pub use warnings::StartWarning;
pub(crate) use warnings::misaligned;

use crate::assemble::{IslandSolver, Projection, joint_bodies};
use crate::cables::CableState;
use crate::collide::{CollisionPipeline, Manifold, Motion};
use crate::contact::Contact;
use crate::islands::Islands;
use crate::lcp::SolverConfig;
use crate::math::Vec3;
use crate::report::StepReport;
use crate::scene::joint::{JointState, RowSink};
use crate::scene::{BodyState, Pairs, Texture};
use crate::settings::Settings;
use crate::slots::{BodyId, CableId, JointId, Slots, SoftBodyId, new_world};
use crate::softs::{Near, SoftBodyState};
use crate::step::{Holds, Ledger, Missed, PushOut, Redo, Saved};
use std::collections::BTreeMap;

/// Bodies, joints and contacts, and the time they have reached.
///
/// ```
/// use taut::{Body, Shape, World, math::Vec3};
/// let mut world = World::new();
/// let ball = Body::dynamic("ball").shape(Shape::Ball { radius: 0.1 });
/// let ball = world.add_body(ball.position(Vec3::Z))?;
/// world.step(0.01)?;
/// assert!((world.body(ball)?.velocity().z + 0.0981).abs() < 1e-12);
/// # Ok::<(), taut::Error>(())
/// ```
pub struct World {
    pub(crate) gravity: Vec3,
    pub(crate) time: f64,
    pub(crate) settings: Settings,
    pub(crate) bodies: Slots<BodyState>,
    pub(crate) joints: Slots<JointState>,
    pub(crate) cables: Slots<CableState>,
    pub(crate) softs: Slots<SoftBodyState>,
    pub(crate) body_names: BTreeMap<String, BodyId>,
    pub(crate) joint_names: BTreeMap<String, JointId>,
    pub(crate) cable_names: BTreeMap<String, CableId>,
    pub(crate) soft_names: BTreeMap<String, SoftBodyId>,
    pub(crate) colliders: ColliderTable,
    pub(crate) textures: Vec<Texture>,
    pub(crate) pairs: Pairs,
    /// Contacts of the last step with their forces, sorted by key.
    pub(crate) contacts: Vec<Contact>,
    /// Those that earlier parts of the last step had and its last one had not, with what they did in `mean`.
    pub(crate) gone: Vec<Contact>,
    /// Pairs of bodies that pressed on one another in the last step.
    pub(crate) touching: Vec<(BodyId, BodyId)>,
    /// Pairs of bodies that were told to ignore one another, sorted.
    pub(crate) ignored: Vec<(BodyId, BodyId)>,
    /// Pairs of slots that do not collide, because of those or of a joint; sorted.
    pub(crate) jointed: Vec<(u32, u32)>,
    /// Energy that the steps created.
    pub(crate) ledger: Ledger,
    pub(crate) work: Workspace,
}

/// Memory of the steps. Nothing in it outlives a step but as memory: a world without it, restored from a snapshot,
/// goes on with the same bits.
#[derive(Default)]
pub(crate) struct Workspace {
    pub(crate) pipeline: CollisionPipeline,
    pub(crate) motions: Vec<Motion>,
    pub(crate) manifolds: Vec<Manifold>,
    /// Contacts of the last step, once `collide` has found those of this one.
    pub(crate) old_contacts: Vec<Contact>,
    pub(crate) islands: Islands,
    /// What may touch soft bodies, by slot.
    pub(crate) near: Vec<Near>,
    /// By slot, the first slot of the body's subsystem, or none.
    pub(crate) subsystems: Vec<u32>,
    pub(crate) solvers: Vec<IslandSolver>,
    pub(crate) projections: Vec<Projection>,
    pub(crate) push_out: PushOut,
    pub(crate) missed: Missed,
    pub(crate) redo: Redo,
    pub(crate) solver_config: Option<SolverConfig>,
    /// Whether it takes cones.
    pub(crate) takes_cones: bool,
    pub(crate) sink: RowSink,
    /// The report of the last step, if everything slept in it.
    pub(crate) rest: Option<StepReport>,
    saved: Vec<Saved>,
    pub(crate) holds: Holds,
    /// Parts of the present step that did not converge.
    pub(crate) failed: usize,
    /// The joint that even the smallest part of the present step tore.
    pub(crate) torn_joint: Option<u32>,
    /// How far each joint, by slot, was open before the step \[m\].
    pub(crate) gaps: Vec<(u32, f64)>,
    /// Times at the start and in the middle of the step at hand \[s\].
    pub(crate) start: f64,
    pub(crate) middle: f64,
    #[cfg(feature = "parallel")]
    pub(crate) threads: Option<(usize, rayon::ThreadPool)>,
}

impl Workspace {
    /// State before the step at this depth of halving.
    pub(crate) fn saved(&mut self, halvings: usize) -> &mut Saved {
        if self.saved.len() <= halvings {
            self.saved.resize_with(halvings + 1, Saved::default);
        }
        &mut self.saved[halvings]
    }
}

impl Default for World {
    fn default() -> Self {
        let number = new_world();
        World {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            time: 0.0,
            settings: Settings::default(),
            bodies: Slots::of_world(number),
            joints: Slots::of_world(number),
            cables: Slots::of_world(number),
            softs: Slots::of_world(number),
            body_names: BTreeMap::new(),
            joint_names: BTreeMap::new(),
            cable_names: BTreeMap::new(),
            soft_names: BTreeMap::new(),
            colliders: ColliderTable::default(),
            textures: Vec::new(),
            pairs: Pairs::default(),
            contacts: Vec::new(),
            gone: Vec::new(),
            touching: Vec::new(),
            ignored: Vec::new(),
            jointed: Vec::new(),
            ledger: Ledger::default(),
            work: Workspace::default(),
        }
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("time", &self.time)
            .field("bodies", &self.body_names.len())
            .field("joints", &self.joint_names.len())
            .finish_non_exhaustive()
    }
}

impl World {
    /// An empty world with gravity (0, 0, −9.81) m/s².
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets gravity \[m/s²\]. Values that are not finite are refused.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), crate::Error> {
        let ok = gravity.is_finite();
        crate::error::check("gravity", gravity.length(), ok, "finite")?;
        self.gravity = gravity;
        self.wake_all();
        Ok(())
    }

    /// Gravity \[m/s²\].
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// Kinetic, gravitational and elastic energy at present \[J\].
    pub fn energy(&self) -> f64 {
        let World { bodies, joints, cables, softs, gravity, .. } = self;
        crate::assemble::Energy::of_world(bodies, joints, cables, softs, *gravity).total()
    }

    /// Time reached \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// How the world is stepped.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes how the world is stepped; the next step checks the values.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Wakes a body, and what touches it or is tied to it.
    pub(crate) fn wake_around(&mut self, id: BodyId) {
        let mut wake = vec![id.index];
        let tied = |j: &JointState| joint_bodies(&j.joint, &self.joints).into_iter().flatten();
        for (_, joint) in self.joints.iter().filter(|(_, j)| tied(j).any(|b| b == id)) {
            wake.extend(tied(joint).map(|b| b.index));
        }
        for (_, cable) in self.cables.iter().filter(|(_, c)| c.slots().any(|s| s == id.index)) {
            wake.extend(cable.slots());
        }
        let touching = self.contacts.iter().filter(|c| c.a == id.index || c.b == id.index);
        wake.extend(touching.flat_map(|c| [c.a, c.b]));
        for slot in wake {
            if let Some(body) = self.bodies.at_mut(slot) {
                body.wake();
            }
        }
    }

    pub(crate) fn wake_all(&mut self) {
        self.bodies.iter_mut().for_each(|(_, b)| b.wake());
        self.work.rest = None;
    }
}
