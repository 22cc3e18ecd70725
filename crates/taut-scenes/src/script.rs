//! The drives of a scene, resolved: what changes at the start of each frame.
//!
//! A frame goes from t to t + dt. Velocities and forces are the means over it, so
//! that positions and momenta are right at its end. Positions are those at its end,
//! where the motor's spring is evaluated. Its damper resists the speed against
//! the target: with the target put ahead by its rate times damping/stiffness,
//! k(q − target) + d q̇ becomes k(q − target) + d(q̇ − rate). A jump has no rate.

use crate::build::{find_body, find_cable, find_joint};
use crate::change::Changes;
use crate::error::SceneError;
use crate::file::{BodyDrive, Coordinate, Drive, ForceDrive, MotorDrive, SceneFile, WinchDrive};
use crate::hands::{Hands, Lever};
use std::ops::{Add, Mul, Sub};
use taut::math::{Quat, Vec3};
use taut::{BodyId, BodyKind, CableId, Error, JointId, JointKind, Motor, Winch, World};

/// What a scene's drives do.
#[derive(Debug, Default)]
pub(crate) struct Script {
    scripted: Vec<Action>,
    /// What is driven by hand: later than all else.
    pub(crate) hands: Hands,
    /// Those of the drives and of hands.
    pub(crate) changes: Changes,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Motor { joint: JointId, angle: bool, keys: Vec<(f64, f64)>, from: f64 },
    Velocity { body: BodyId, linear: Vec<(f64, Vec3)>, angular: Vec<(f64, Vec3)> },
    Force { body: BodyId, force: Vec<(f64, Vec3)>, torque: Vec<(f64, Vec3)>, local: bool },
    Release { joint: JointId, time: f64 },
    Winch { cable: CableId, keys: Vec<(f64, f64)>, from: f64 },
}

impl Action {
    /// The motor or winch that it moves.
    pub(crate) fn lever(&self) -> Option<Lever> {
        match *self {
            Action::Motor { joint, angle, .. } => Some(Lever::Motor { joint, angle }),
            Action::Winch { cable, .. } => Some(Lever::Winch { cable }),
            _ => None,
        }
    }

    /// The keys of a motor or winch.
    pub(crate) fn keys(&self) -> &[(f64, f64)] {
        match self {
            Action::Motor { keys, .. } | Action::Winch { keys, .. } => keys,
            _ => &[],
        }
    }

    pub(crate) fn keys_mut(&mut self) -> Option<&mut Vec<(f64, f64)>> {
        match self {
            Action::Motor { keys, .. } | Action::Winch { keys, .. } => Some(keys),
            _ => None,
        }
    }

    /// Whether it holds at a time, or will from a later one on.
    pub(crate) fn since(&self, t: f64) -> bool {
        match *self {
            Action::Motor { from, .. } | Action::Winch { from, .. } => t >= from,
            _ => true,
        }
    }
}

impl Script {
    pub(crate) fn new(file: &SceneFile, world: &World) -> Result<Self, SceneError> {
        let actions = file.drives.iter().enumerate();
        let actions = actions.filter_map(|(i, drive)| action(drive, i, world).transpose());
        let (scripted, changes) = (actions.collect::<Result<_, _>>()?, Changes::new(file, &[])?);
        Ok(Script { scripted, hands: Hands::default(), changes })
    }

    /// The drives of what the world still has.
    pub(crate) fn of_known(file: &SceneFile, world: &World) -> Self {
        let known = |(i, drive): (usize, &Drive)| action(drive, i, world).ok().flatten();
        let scripted = file.drives.iter().enumerate().filter_map(known).collect();
        let changes = Changes::new(file, &[]).unwrap_or_default();
        Script { scripted, hands: Hands::default(), changes }
    }

    /// Adds the last drive of a file.
    pub(crate) fn add_last(&mut self, file: &SceneFile, world: &World) -> Result<(), SceneError> {
        let Some((drive, before)) = file.drives.split_last() else { return Ok(()) };
        self.scripted.extend(action(drive, before.len(), world)?);
        if matches!(drive, Drive::Change(_)) {
            let time = world.time();
            self.changes = Changes::new(file, &self.hands.changes)?;
            self.changes.skip(time);
        }
        Ok(())
    }

    /// All that is done, in order.
    pub(crate) fn actions(&self) -> impl Iterator<Item = &Action> {
        self.scripted.iter().chain(self.hands.levers.iter().map(|hand| &hand.action))
    }

    /// Brings the world to the script's values for the frame that begins. Joints
    /// that broke have no motor any more.
    pub(crate) fn apply(&mut self, world: &mut World, dt: f64) -> Result<(), Error> {
        let t = world.time();
        let frame = (t, t + dt);
        self.hands.levers.iter_mut().for_each(|hand| hand.reach(frame));
        // Half a frame to spare: the sum of steps is not exact.
        self.changes.make(t + 0.5 * dt, world)?;
        for action in self.actions().filter(|action| action.since(t + 0.5 * dt)) {
            match action {
                Action::Motor { joint, angle, keys, .. } => {
                    if world.joint(*joint).is_ok() {
                        let mut motor = match angle {
                            true => world.angle_motor(*joint)?,
                            false => world.motor(*joint)?,
                        };
                        let driven = motor.get()?.map(|m| driven(m, keys, frame));
                        motor.set(driven)?;
                    }
                }
                Action::Velocity { body, linear, angular } => {
                    let state = world.body(*body)?;
                    let given = |keys: &[(f64, Vec3)], now: Vec3| match keys.is_empty() {
                        true => (now, Vec3::ZERO),
                        false => means(keys, frame),
                    };
                    let (v, a) = given(linear, state.velocity());
                    let (w, alpha) = given(angular, state.angular_velocity());
                    world.move_with(*body, [v, w], [a, alpha])?;
                }
                Action::Force { body, force, torque, local } => {
                    let state = world.body(*body)?;
                    // Where its spin has it in the middle of the frame.
                    let half = Quat::from_scaled_axis(0.5 * dt * state.angular_velocity());
                    let turn = half * state.pose().rotation;
                    let turned = |v: Vec3| if *local { turn * v } else { v };
                    if !force.is_empty() {
                        world.apply_force(*body, turned(means(force, frame).0))?;
                    }
                    if !torque.is_empty() {
                        world.apply_torque(*body, turned(means(torque, frame).0))?;
                    }
                }
                Action::Winch { cable, keys, .. } => {
                    let winch = world.cable(*cable).ok().and_then(|c| c.definition().winch);
                    if let Some(winch) = winch {
                        let (speed, acceleration) = means(keys, frame);
                        world.set_winch(*cable, Winch { speed, acceleration, ..winch })?;
                    }
                }
                Action::Release { joint, time } => {
                    if t + 0.5 * dt >= *time && world.joint(*joint).is_ok() {
                        world.remove_joint(*joint)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A motor with its target for a frame.
fn driven(motor: Motor, keys: &[(f64, f64)], frame: (f64, f64)) -> Motor {
    let (mean, rate) = means(keys, frame);
    match motor {
        Motor::Velocity { max_force, .. } => {
            Motor::Velocity { target: mean, acceleration: rate, max_force }
        }
        Motor::Position { stiffness, damping, .. } => {
            // Times are sums of steps: a jump at the end is for the next frame.
            let end = before(keys, frame.1 - 1e-9 * (frame.1 - frame.0)).0;
            let ahead = if stiffness > 0.0 { damping / stiffness } else { 0.0 };
            motor.with_target(end + ahead * rate)
        }
        _ => motor.with_target(mean),
    }
}

/// A number or a vector.
pub(crate) trait Value:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self>
{
}
impl Value for f64 {}
impl Value for Vec3 {}

/// The means over a frame of the value and of its rate, exact.
fn means<T: Value>(keys: &[(f64, T)], (start, end): (f64, f64)) -> (T, T) {
    let first = keys.partition_point(|k| k.0 <= start);
    let inside = keys[first..].iter().map(|k| k.0).take_while(|&t| t < end);
    let (mut sum, mut from) = ((T::default(), T::default()), start);
    for to in inside.chain([end]) {
        // Linear in between.
        let (value, rate) = before(keys, 0.5 * (from + to));
        sum = (sum.0 + value * (to - from), sum.1 + rate * (to - from));
        from = to;
    }
    let share = 1.0 / (end - start);
    (sum.0 * share, sum.1 * share)
}

/// Value and rate of change at a time, or just before it if there is a jump:
/// linear between keys, constant outside.
pub(crate) fn before<T: Value>(keys: &[(f64, T)], t: f64) -> (T, T) {
    let next = keys.partition_point(|k| k.0 < t);
    match (next.checked_sub(1).and_then(|i| keys.get(i)), keys.get(next)) {
        (Some(a), Some(b)) => {
            let rate = (b.1 - a.1) * (1.0 / (b.0 - a.0));
            (a.1 + rate * (t - a.0), rate)
        }
        (Some(only), None) | (None, Some(only)) => (only.1, T::default()),
        (None, None) => (T::default(), T::default()),
    }
}

/// What a drive does; changes are kept elsewhere.
fn action(drive: &Drive, index: usize, world: &World) -> Result<Option<Action>, SceneError> {
    let action = match drive {
        Drive::Change(_) => return Ok(None),
        Drive::Motor(d) => motor(d, &format!("drives[{index}].motor"), world),
        Drive::Body(d) => body(d, &format!("drives[{index}].body"), world),
        Drive::Force(d) => force(d, &format!("drives[{index}].force"), world),
        Drive::Release(d) => {
            let place = format!("drives[{index}].release");
            let joint = find_joint(world, &d.joint);
            let joint = joint.map_err(|m| SceneError::new(format!("{place}.joint"), m))?;
            if !d.time.is_finite() {
                let message = format!("expected a finite number, found {}", d.time);
                return Err(SceneError::new(format!("{place}.time"), message));
            }
            Ok(Action::Release { joint, time: d.time })
        }
        Drive::Winch(d) => winch(d, &format!("drives[{index}].winch"), world),
    };
    action.map(Some)
}

fn motor(drive: &MotorDrive, place: &str, world: &World) -> Result<Action, SceneError> {
    let at = |field: &str, message: String| SceneError::new(format!("{place}.{field}"), message);
    let joint = find_joint(world, &drive.joint).map_err(|m| at("joint", m))?;
    let state = world.joint(joint).map_err(|e| at("joint", e.to_string()))?.definition();
    let hinge = state.kind == JointKind::Hinge;
    let angle = hinge || drive.coordinate == Coordinate::Angle;
    let motor = if angle { &state.angle_motor } else { &state.travel_motor };
    if motor.is_none() {
        let field = if angle && !hinge { "angle_motor" } else { "motor" };
        return Err(at("joint", format!("the joint '{}' has no '{field}'", drive.joint)));
    }
    if drive.keys.is_empty() {
        return Err(at("keys", "expected at least one key".into()));
    }
    check_keys(&drive.keys, |x| x.is_finite(), &format!("{place}.keys"))?;
    let from = since(drive.from, place)?;
    Ok(Action::Motor { joint, angle, keys: drive.keys.clone(), from })
}

fn winch(drive: &WinchDrive, place: &str, world: &World) -> Result<Action, SceneError> {
    let at = |field: &str, message: String| SceneError::new(format!("{place}.{field}"), message);
    let cable = find_cable(world, &drive.cable).map_err(|m| at("cable", m))?;
    let state = world.cable(cable).map_err(|e| at("cable", e.to_string()))?;
    if state.definition().winch.is_none() {
        return Err(at("cable", format!("the cable '{}' has no 'winch'", drive.cable)));
    }
    if drive.keys.is_empty() {
        return Err(at("keys", "expected at least one key".into()));
    }
    check_keys(&drive.keys, |x| x.is_finite(), &format!("{place}.keys"))?;
    let from = since(drive.from, place)?;
    Ok(Action::Winch { cable, keys: drive.keys.clone(), from })
}

/// When a drive begins.
fn since(from: Option<f64>, place: &str) -> Result<f64, SceneError> {
    match from {
        Some(time) if !time.is_finite() => {
            let message = format!("expected a finite time, found {time}");
            Err(SceneError::new(format!("{place}.from"), message))
        }
        given => Ok(given.unwrap_or(f64::NEG_INFINITY)),
    }
}

fn body(drive: &BodyDrive, place: &str, world: &World) -> Result<Action, SceneError> {
    let body = kinded(&drive.body, BodyKind::Kinematic, place, world)?;
    let linear = vectors(&drive.velocity, &format!("{place}.velocity"))?;
    let angular = vectors(&drive.angular_velocity, &format!("{place}.angular_velocity"))?;
    Ok(Action::Velocity { body, linear, angular })
}

fn force(drive: &ForceDrive, place: &str, world: &World) -> Result<Action, SceneError> {
    let body = kinded(&drive.body, BodyKind::Dynamic, place, world)?;
    let force = vectors(&drive.force, &format!("{place}.force"))?;
    let torque = vectors(&drive.torque, &format!("{place}.torque"))?;
    Ok(Action::Force { body, force, torque, local: drive.local })
}

fn kinded(name: &str, kind: BodyKind, place: &str, world: &World) -> Result<BodyId, SceneError> {
    let error = |m: String| SceneError::new(format!("{place}.body"), m);
    let id = find_body(world, name).map_err(error)?;
    let found = world.body(id).map_err(|e| error(e.to_string()))?.kind();
    if found == kind {
        return Ok(id);
    }
    Err(error(format!("expected a {} body, but '{name}' is {}", kind.name(), found.name())))
}

fn vectors(keys: &[(f64, [f64; 3])], place: &str) -> Result<Vec<(f64, Vec3)>, SceneError> {
    check_keys(keys, |v| v.iter().all(|x| x.is_finite()), place)?;
    Ok(keys.iter().map(|&(t, v)| (t, Vec3::from(v))).collect())
}

/// Times are finite and do not decrease, values are finite.
fn check_keys<T>(
    keys: &[(f64, T)],
    finite: impl Fn(&T) -> bool,
    place: &str,
) -> Result<(), SceneError> {
    for (i, (t, x)) in keys.iter().enumerate() {
        let error =
            |part: usize, m: String| Err(SceneError::new(format!("{place}[{i}][{part}]"), m));
        if !t.is_finite() {
            return error(0, format!("expected a finite time, found {t}"));
        }
        if i > 0 && *t < keys[i - 1].0 {
            let last = keys[i - 1].0;
            return error(0, format!("expected a time of at least {last}, found {t}"));
        }
        if !finite(x) {
            return error(1, "expected finite numbers".into());
        }
    }
    Ok(())
}
