//! A scene that runs, as frames.

use std::collections::HashMap;

use taut::{BodyId, JointId, World};
use taut_scenes::file::SceneFile;
use taut_scenes::recording::{Frame, Header, NONE, Recording, figures};
use taut_scenes::{Scene, SceneError};

use super::frame::{self, Kept};
use super::grab::{self, Input};

/// What `taut view` was started with.
pub enum Origin {
    /// A scene, and the threads to use.
    Scene(Box<SceneFile>, usize),
    Recording(Box<Recording>),
}

/// A scene and what is needed to show it.
pub struct Simulation {
    pub scene: Scene,
    pub header: Header,
    /// Ids of the header's joints.
    pub joints: Vec<JointId>,
    index: HashMap<BodyId, u32>,
}

/// All of a moment.
pub struct Moment {
    world: Vec<u8>,
    dt: f64,
}

impl Moment {
    pub fn size(&self) -> usize {
        self.world.len()
    }
}

impl Simulation {
    pub fn new(file: &SceneFile, threads: usize) -> Result<Self, SceneError> {
        let mut scene = file.build()?;
        scene.world.settings_mut().threads = threads;
        let (header, joints) = Header::new(file, &scene);
        let index = scene.bodies.iter().copied().zip(0..).collect();
        Ok(Simulation { scene, header, joints, index })
    }

    /// Number of a body in the list, or [`NONE`].
    pub fn index(&self, id: BodyId) -> u32 {
        self.index.get(&id).copied().unwrap_or(NONE)
    }

    /// The start, before any step.
    pub fn start(&self) -> Kept {
        let frame = Frame::of(&self.scene, None);
        Kept { frame, held: None, details: frame::details(self) }
    }

    /// Advances by one frame.
    pub fn step(&mut self) -> Result<Kept, taut::Error> {
        let report = self.scene.step()?;
        let frame = Frame::of(&self.scene, Some(figures(&report, self.scene.dt)));
        let held = grab::held(&self.scene.world, &self.scene.bodies);
        Ok(Kept { frame, held, details: frame::details(self) })
    }

    pub fn apply(&mut self, input: Input) -> Result<(), taut::Error> {
        grab::apply(&mut self.scene.world, &self.scene.bodies, input)
    }

    pub fn moment(&self) -> Moment {
        Moment { world: self.scene.world.snapshot(), dt: self.scene.dt }
    }

    pub fn restore(&mut self, moment: &Moment) -> Result<(), taut::Error> {
        self.scene.world = World::restore(&moment.world)?;
        self.scene.dt = moment.dt;
        Ok(())
    }
}
