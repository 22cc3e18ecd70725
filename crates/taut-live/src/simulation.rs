//! A scene that runs, as frames.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use taut::math::Vec3;
use taut::{JointId, Motor, World};
use taut_scenes::file::SceneFile;
use taut_scenes::recording::{Figures, Frame, Header, Recording, details, figures};
use taut_scenes::{Hands, Lever, Scene, SceneError};

use crate::frame::Kept;
use crate::grab::{self, Input};

/// What a session was started with.
pub enum Origin {
    /// A scene, and the threads to use.
    Scene(Box<SceneFile>, usize),
    /// A recording, which is played as it is.
    Recording(Box<Recording>),
}

/// A scene and what is needed to show it.
pub struct Simulation {
    pub scene: Scene,
    pub header: Header,
    /// Ids of the header's joints.
    pub joints: Vec<JointId>,
    /// What can be driven.
    levers: Vec<Lever>,
}

/// All of a moment.
pub struct Moment {
    world: Vec<u8>,
    dt: f64,
    hands: Hands,
}

impl Moment {
    pub fn size(&self) -> usize {
        self.world.len() + self.hands.size()
    }
}

impl Simulation {
    pub fn new(file: &SceneFile, threads: usize) -> Result<Self, SceneError> {
        let mut scene = file.build()?;
        scene.world.settings_mut().threads = threads;
        let (header, joints) = Header::new(file, &scene);
        let levers = Lever::all(&scene.world);
        Ok(Simulation { scene, header, joints, levers })
    }

    /// The start, before any step.
    pub fn start(&self) -> Kept {
        Kept { frame: self.seen(None), held: None, targets: self.targets() }
    }

    /// Advances by one frame.
    pub fn step(&mut self) -> Result<Kept, taut::Error> {
        let report = self.scene.step()?;
        let frame = self.seen(Some(figures(&report, self.scene.dt)));
        let held = grab::held(&self.scene.world, &self.scene.bodies);
        Ok(Kept { frame, held, targets: self.targets() })
    }

    /// The scene as it is now, with its forces.
    fn seen(&self, figures: Option<Figures>) -> Frame {
        Frame { details: details(&self.scene, &self.joints), ..Frame::of(&self.scene, figures) }
    }

    pub fn apply(&mut self, input: Input) -> Result<(), taut::Error> {
        let (scene, file) = (&mut self.scene, &self.header.scene);
        match input {
            Input::Control { control, deflection } if deflection.is_finite() => {
                scene.control(file, control as usize, deflection);
            }
            Input::Drive { lever, target } => {
                if let Some(&lever) = self.levers.get(lever as usize) {
                    scene.drive(file, lever, target);
                }
            }
            Input::LetGo => scene.let_go(file),
            _ => grab::apply(&mut scene.world, &scene.bodies, input)?,
        }
        Ok(())
    }

    /// Targets of all that can be driven, NaN for what is gone.
    fn targets(&self) -> Vec<f32> {
        let target = |lever: &Lever| lever.target(&self.scene.world).map_or(f32::NAN, |x| x as f32);
        self.levers.iter().map(target).collect()
    }

    /// What can be driven, for pages.
    pub fn levers(&self) -> Vec<Value> {
        let world = &self.scene.world;
        let describe = |&lever: &Lever| {
            let kind = match lever.motor(world) {
                Some(Motor::Velocity { .. }) => "velocity",
                Some(Motor::Position { .. }) => "position",
                Some(_) => "force",
                None => "winch",
            };
            let (name, angle) = match lever {
                Lever::Motor { joint, angle } => {
                    (world.joint(joint).map_or("", |j| j.name()), angle)
                }
                Lever::Winch { cable } => (world.cable(cable).map_or("", |c| c.name()), false),
            };
            let controls = self.scene.controls_of(&self.header.scene, lever);
            json!({"name": name, "angle": angle, "kind": kind, "controls": controls})
        };
        self.levers.iter().map(describe).collect()
    }

    /// Limits of joints, for pages.
    pub fn limits(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for (_, joint) in self.scene.world.joints() {
            let joint = joint.definition();
            for (angle, limits) in [(false, joint.travel_limits), (true, joint.angle_limits)] {
                let Some(limits) = limits else { continue };
                let range = [limits.min, limits.max];
                all.push(json!({"joint": joint.name, "angle": angle, "range": range}));
            }
        }
        all
    }

    /// Sets limits of a joint.
    pub fn limit(&mut self, name: &str, angle: bool, range: [f64; 2]) -> Result<(), String> {
        let [min, max] = range;
        if !(min.is_finite() && max.is_finite() && min < max) {
            return Err(format!("limits of {name}: expected the lower one first"));
        }
        let world = &mut self.scene.world;
        let joint = taut_scenes::find_joint(world, name)?;
        let change = |j: &mut taut::Joint| {
            let limits = if angle { &mut j.angle_limits } else { &mut j.travel_limits };
            if limits.is_some() {
                *limits = Some(taut::Limits { min, max });
            }
        };
        world.edit_joint(joint, change).map_err(|e| e.to_string())
    }

    /// Sets the friction of a surface.
    pub fn friction(&mut self, material: &str, friction: f64) -> Result<(), String> {
        let changed = self.scene.change_friction(&self.header.scene, material, friction);
        changed.map_err(|e| e.to_string())
    }

    /// Surfaces and their friction, for pages.
    pub fn frictions(&self) -> BTreeMap<String, f64> {
        self.scene.frictions(&self.header.scene)
    }

    /// Sets gravity.
    pub fn gravity(&mut self, gravity: Vec3) -> Result<(), String> {
        self.scene.change_gravity(&self.header.scene, gravity).map_err(|e| e.to_string())
    }

    /// The scene to start over with: gravity and friction are as they were set.
    pub fn renewed(&self) -> SceneFile {
        let mut file = self.header.scene.clone();
        self.scene.keep_changes(&mut file);
        file
    }

    /// The header, with what hands drove in its scene.
    pub fn driven(&self) -> Header {
        let mut header = self.header.clone();
        header.scene.drives.extend(self.scene.driven());
        header
    }

    pub fn moment(&self) -> Moment {
        let (world, hands) = (self.scene.world.snapshot(), self.scene.hands());
        Moment { world, dt: self.scene.dt, hands }
    }

    pub fn restore(&mut self, moment: &Moment) -> Result<(), taut::Error> {
        self.scene.world = World::restore(&moment.world)?;
        self.scene.dt = moment.dt;
        self.scene.set_hands(&self.header.scene, moment.hands.clone());
        Ok(())
    }
}
