//! A scene that runs.

use crate::barrier::Barriers;
use crate::build::Surfaces;
use crate::script::Script;
use std::collections::BTreeMap;
use taut::{BodyId, CableId, Error, SoftBodyId, StepReport, World};

/// A world, its step, and what changes while it runs.
#[derive(Debug)]
pub struct Scene {
    /// The world.
    pub world: World,
    /// Time step in s, one per frame.
    pub dt: f64,
    /// Frames the scene runs unless told otherwise.
    pub frames: usize,
    /// The bodies of the file, in its order (the ground is not among them).
    pub bodies: Vec<BodyId>,
    /// The cables, in the order of the file, and how many spans each has.
    pub cables: Vec<(CableId, usize)>,
    /// The soft bodies, in the order of the file.
    pub softs: Vec<SoftBodyId>,
    /// Named lists of bodies.
    pub groups: BTreeMap<String, Vec<BodyId>>,
    /// Its bodies as those of the barrier stepper, once that has begun (`"contact": {"barrier": …}`).
    pub(crate) barriers: Option<Barriers>,
    pub(crate) script: Script,
    /// Surfaces by name, once needed again.
    pub(crate) surfaces: Option<Surfaces>,
}

impl Scene {
    /// Begins the barrier stepper where the scene's contact model is that: errors that the first step would have come here.
    pub fn begin_barriers(&mut self) -> Result<Option<&Barriers>, Error> {
        if matches!(self.world.settings().contact, taut::ContactModel::Barrier { .. }) {
            self.barriers = Some(match self.barriers.take() {
                Some(begun) => begun.renewed(&self.world)?,
                None => Barriers::new(&self.world)?,
            });
        }
        Ok(self.barriers.as_ref())
    }

    /// What is likely a mistake in how the scene starts ([`World::start_warnings`]), steps in which explicit springs blow up, and what barriers are slow at.
    pub fn start_warnings(&self) -> Vec<String> {
        let mut said = match &self.barriers {
            // What touches is no mistake there, but said in other words.
            Some(barriers) => barriers.warnings(),
            None => self.world.start_warnings().iter().map(ToString::to_string).collect(),
        };
        let h = self.dt / self.world.settings().substeps as f64;
        if let Some(limit) = self.world.explicit_limit().filter(|limit| h > limit.step) {
            let on = if limit.points == 1 { "one point" } else { "four corners" };
            said.push(format!(
                "explicit springs of {:.1e} N/m blow up under '{}' on {on} where steps are longer than {:.2e} s, and these are {h:.2e} s: take a smaller dt, \
                 more substeps, softer springs or implicit ones",
                limit.stiffness, limit.body, limit.step
            ));
        }
        said
    }

    /// The barrier stepper, once it has begun.
    pub fn barriers(&self) -> Option<&Barriers> {
        self.barriers.as_ref()
    }

    /// Follows the script and advances by one frame.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        self.step_by(self.dt)
    }
}
