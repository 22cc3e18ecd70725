//! Motors that are driven by hand while a scene runs.
//!
//! What a hand does is kept as keys of a drive that takes over from the script
//! at a time ([`MotorDrive::from`]), and acts through the script. So a scene
//! file with these drives repeats the run to the last bit.

use crate::build::{find_cable, find_joint};
use crate::change::Changes;
use crate::file::{Change, Control, Coordinate, Drive, MotorDrive, SceneFile, WinchDrive};
use crate::scene::Scene;
use crate::script::{Action, before};
use taut::{CableId, JointId, JointKind, Motor, World};

/// A motor or a winch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lever {
    /// A motor: of the angle of a hinge or cylindrical joint, else of the travel.
    Motor {
        /// Its joint.
        joint: JointId,
        /// Whether it is that of the angle.
        angle: bool,
    },
    /// The winch of a cable.
    Winch {
        /// The cable.
        cable: CableId,
    },
}

/// A lever that a hand took over.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    pub(crate) action: Action,
    lever: Lever,
    goal: f64,
    /// Change of the target per second.
    rate: f64,
}

/// What hands did until a moment: goes with a snapshot of the world.
#[derive(Clone, Debug, Default)]
pub struct Hands {
    pub(crate) levers: Vec<Hand>,
    /// Of gravity and friction.
    pub(crate) changes: Vec<Change>,
}

impl Hands {
    /// About how much memory it takes, in bytes.
    pub fn size(&self) -> usize {
        let keys = self.levers.iter().map(|hand| 64 + 16 * hand.action.keys().len()).sum::<usize>();
        keys + 128 * self.changes.len()
    }
}

impl Lever {
    /// All that a world has, joints first.
    pub fn all(world: &World) -> Vec<Lever> {
        let mut levers = Vec::new();
        for (joint, state) in world.joints() {
            let j = state.definition();
            let travel = j.travel_motor.map(|_| Lever::Motor { joint, angle: false });
            let angle = j.angle_motor.map(|_| Lever::Motor { joint, angle: true });
            levers.extend(travel.into_iter().chain(angle));
        }
        let winches = world.cables().filter(|(_, c)| c.definition().winch.is_some());
        levers.extend(winches.map(|(cable, _)| Lever::Winch { cable }));
        levers
    }

    /// The motor, unless it is a winch or gone.
    pub fn motor(self, world: &World) -> Option<Motor> {
        let Lever::Motor { joint, angle } = self else { return None };
        let joint = world.joint(joint).ok()?.definition();
        if angle { joint.angle_motor } else { joint.travel_motor }
    }

    /// The target: a velocity, position or force; `None` if it is gone.
    pub fn target(self, world: &World) -> Option<f64> {
        match self {
            Lever::Motor { .. } => Some(match self.motor(world)? {
                Motor::Velocity { target, .. } | Motor::Position { target, .. } => target,
                Motor::Force { force } | Motor::Affine { force, .. } => force,
                _ => return None,
            }),
            Lever::Winch { cable } => {
                world.cable(cable).ok()?.definition().winch.map(|winch| winch.speed)
            }
        }
    }
}

/// The levers of a control, or the field that is wrong and what to say.
pub(crate) fn levers(control: &Control, world: &World) -> Result<Vec<Lever>, (String, String)> {
    let mut levers = Vec::new();
    for (i, name) in control.joints.iter().enumerate() {
        let field = format!("joints[{i}]");
        let joint = find_joint(world, name).map_err(|m| (field.clone(), m))?;
        let hinge = world.joint(joint).is_ok_and(|j| j.definition().kind == JointKind::Hinge);
        let lever = Lever::Motor { joint, angle: hinge };
        if lever.motor(world).is_none() {
            return Err((field, format!("the joint '{name}' has no 'motor'")));
        }
        levers.push(lever);
    }
    for (i, name) in control.cables.iter().enumerate() {
        let field = format!("cables[{i}]");
        let cable = find_cable(world, name).map_err(|m| (field.clone(), m))?;
        let lever = Lever::Winch { cable };
        if lever.target(world).is_none() {
            return Err((field, format!("the cable '{name}' has no 'winch'")));
        }
        levers.push(lever);
    }
    if levers.is_empty() {
        return Err(("joints".into(), "expected a joint or a cable".into()));
    }
    Ok(levers)
}

impl Scene {
    /// Moves one of the scene's controls: −1 and 1 are its ends, 0 lets it go.
    /// The first touch takes all controlled motors over from the script.
    pub fn control(&mut self, file: &SceneFile, index: usize, deflection: f64) {
        let Some(control) = file.controls.get(index) else { return };
        self.take_over(file);
        let d = deflection.clamp(-1.0, 1.0);
        let end = if d > 0.0 { control.range[1] } else { control.range[0] };
        for lever in levers(control, &self.world).unwrap_or_default() {
            let now = self.now(lever);
            let (goal, rate) = match (d == 0.0, control.stays) {
                (true, _) => (control.rest(now), control.rate),
                (false, true) => (end, control.rate * d.abs()),
                (false, false) => (end * d.abs(), control.rate),
            };
            self.hold(lever, goal, rate);
        }
    }

    /// Sets the target of a motor or winch from now on: at once, or as fast as its control lets it.
    pub fn drive(&mut self, file: &SceneFile, lever: Lever, target: f64) {
        let of = |c: &&Control| levers(c, &self.world).is_ok_and(|all| all.contains(&lever));
        let rate = file.controls.iter().find(of).map(|control| control.rate);
        if rate.is_some() {
            self.take_over(file);
        }
        self.hold(lever, target, rate.unwrap_or(f64::INFINITY));
    }

    /// The controls that move a lever, as indices.
    pub fn controls_of(&self, file: &SceneFile, lever: Lever) -> Vec<usize> {
        let of = |c: &Control| levers(c, &self.world).is_ok_and(|all| all.contains(&lever));
        (0..file.controls.len()).filter(|&i| of(&file.controls[i])).collect()
    }

    /// Lets go of all controls.
    pub fn let_go(&mut self, file: &SceneFile) {
        if !self.script.hands.levers.is_empty() {
            (0..file.controls.len()).for_each(|i| self.control(file, i, 0.0));
        }
    }

    /// What hands did so far, as drives for a scene file.
    pub fn driven(&self) -> Vec<Drive> {
        let Hands { levers, changes } = &self.script.hands;
        let changes = changes.iter().cloned().map(Drive::Change);
        levers.iter().filter_map(|hand| hand.drive(&self.world)).chain(changes).collect()
    }

    /// What hands did until now.
    pub fn hands(&self) -> Hands {
        self.script.hands.clone()
    }

    /// Puts back what hands did until a moment; the world is as it was then.
    pub fn set_hands(&mut self, file: &SceneFile, hands: Hands) {
        // They were accepted before.
        self.script.changes = Changes::new(file, &hands.changes).unwrap_or_default();
        self.script.changes.skip(self.world.time() - 0.5 * self.dt);
        self.script.hands = hands;
    }

    /// Takes all controlled motors, unless that was done.
    fn take_over(&mut self, file: &SceneFile) {
        for control in &file.controls {
            for lever in levers(control, &self.world).unwrap_or_default() {
                if !self.script.hands.levers.iter().any(|hand| hand.lever == lever) {
                    let now = self.now(lever);
                    self.hold(lever, control.rest(now), control.rate);
                }
            }
        }
    }

    /// The target now, as hands or the script have it.
    fn now(&self, lever: Lever) -> f64 {
        let t = self.world.time();
        let of = |action: &&Action| action.lever() == Some(lever) && action.since(t);
        let last = self.script.actions().filter(of).last();
        match last {
            Some(action) => before(action.keys(), t).0,
            None => lever.target(&self.world).unwrap_or_default(),
        }
    }

    fn hold(&mut self, lever: Lever, goal: f64, rate: f64) {
        if !goal.is_finite() || lever.target(&self.world).is_none() {
            return;
        }
        if let Some(hand) = self.script.hands.levers.iter_mut().find(|hand| hand.lever == lever) {
            (hand.goal, hand.rate) = (goal, rate);
            return;
        }
        let from = self.world.time();
        let keys = vec![(from, self.now(lever))];
        let action = match lever {
            Lever::Motor { joint, angle } => Action::Motor { joint, angle, keys, from },
            Lever::Winch { cable } => Action::Winch { cable, keys, from },
        };
        self.script.hands.levers.push(Hand { action, lever, goal, rate });
    }
}

impl Hand {
    /// Adds the keys of a frame.
    pub(crate) fn reach(&mut self, (start, end): (f64, f64)) {
        let (goal, most) = (self.goal, self.rate * (end - start));
        let Some(keys) = self.action.keys_mut() else { return };
        let Some(&(last, now)) = keys.last() else { return };
        // Times are sums of steps: a frame may begin a hair before the last one ended.
        let start = start.max(last);
        let (from, to) = match most.is_finite() {
            true => (now, now + (goal - now).clamp(-most, most)),
            false => (goal, goal),
        };
        push(keys, (start, from));
        push(keys, (end.max(start), to));
    }

    fn drive(&self, world: &World) -> Option<Drive> {
        match &self.action {
            Action::Motor { joint, angle, keys, from } => {
                let joint = world.joint(*joint).ok()?;
                let both = joint.definition().kind == JointKind::Cylindrical;
                let coordinate = if *angle && both { Coordinate::Angle } else { Coordinate::Main };
                let (joint, keys) = (joint.name().to_string(), keys.clone());
                Some(Drive::Motor(MotorDrive { joint, coordinate, keys, from: Some(*from) }))
            }
            Action::Winch { cable, keys, from } => {
                let cable = world.cable(*cable).ok()?.name().to_string();
                Some(Drive::Winch(WinchDrive { cable, keys: keys.clone(), from: Some(*from) }))
            }
            _ => None,
        }
    }
}

/// Adds a key; where nothing changes the ends suffice.
fn push(keys: &mut Vec<(f64, f64)>, key: (f64, f64)) {
    match keys[..] {
        [.., last] if last == key => {}
        [.., a, b] if a.1 == b.1 && b.1 == key.1 => {
            if let Some(last) = keys.last_mut() {
                last.0 = key.0;
            }
        }
        _ => keys.push(key),
    }
}
