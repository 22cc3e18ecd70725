//! Joints, and which field belongs to which type.

use super::place::Place;
use super::{find_body, find_joint};
use crate::error::SceneError;
use crate::file::{Joint, JointType, Limits, Motor, Passive, SceneFile, Spring};
use std::collections::BTreeMap;
use taut::math::{Pose, Vec3};
use taut::{Frame, JointId, JointKind, World};

/// All joints, those that couple others last.
pub(super) fn add_all(file: &SceneFile, world: &mut World) -> Result<(), SceneError> {
    let mut places = BTreeMap::new();
    let (couplings, others): (Vec<_>, Vec<_>) =
        file.joints.iter().enumerate().partition(|(_, j)| couples(j.joint_type));
    for (i, joint) in others.into_iter().chain(couplings) {
        let place = Place::new("").item("joints", i);
        let name = joint.name.clone().unwrap_or_else(|| format!("joint{i}"));
        if name.is_empty() {
            return Err(place.field("name").error("expected a name, found an empty string"));
        }
        if let Some(other) = places.insert(name.clone(), i) {
            let message = format!("the name '{name}' is taken by joints[{other}]");
            return Err(place.field("name").error(message));
        }
        add(joint, name, &place, world)?;
    }
    Ok(())
}

/// Adds the last joint of a file, which has a name; all others are there.
pub(crate) fn add_last(file: &SceneFile, world: &mut World) -> Result<JointId, SceneError> {
    let place = Place::new("").item("joints", file.joints.len() - 1);
    let named = file.joints.last().and_then(|joint| Some((joint, joint.name.clone()?)));
    let (joint, name) = named.ok_or_else(|| place.field("name").error("missing"))?;
    if name.is_empty() {
        return Err(place.field("name").error("expected a name, found an empty string"));
    }
    add(joint, name, &place, world)
}

fn add(
    joint: &Joint,
    name: String,
    place: &Place,
    world: &mut World,
) -> Result<JointId, SceneError> {
    check_fields(joint, place)?;
    let joint = build(joint, name, world, place)?;
    world.add_joint(joint).map_err(|e| place.engine(e))
}

fn couples(joint_type: JointType) -> bool {
    matches!(joint_type, JointType::Gear | JointType::Differential | JointType::Tendon)
}

fn build(
    joint: &Joint,
    name: String,
    world: &World,
    place: &Place,
) -> Result<taut::Joint, SceneError> {
    if couples(joint.joint_type) {
        return coupling(joint, name, world, place);
    }
    let (a, b) = (frame(&joint.a, "a", world, place)?, frame(&joint.b, "b", world, place)?);
    let mut built = taut::Joint::ball(name, a, b);
    if let Some(p) = joint.anchor_a {
        built.anchor_a = Some(place.vector("anchor_a", p)?);
    }
    if let Some(p) = joint.anchor_b {
        built.anchor_b = Some(place.vector("anchor_b", p)?);
    }
    if let Some(v) = joint.axis_a {
        built.axis_a = Some(place.direction("axis_a", v)?);
    }
    if let Some(v) = joint.axis_b {
        built.axis_b = Some(place.direction("axis_b", v)?);
    }
    if let Some(q) = joint.basis_a {
        built.basis_a = Some(place.rotation("basis_a", q)?);
    }
    if let Some(q) = joint.basis_b {
        built.basis_b = Some(place.rotation("basis_b", q)?);
    }
    built.kind = kind(joint, &built, world, place)?;
    coordinates(joint, &mut built, place)?;
    built.passive = passive(joint.passive, place)?;
    built.linear_spring = spring(joint.linear_spring, "linear_spring", place)?;
    built.angular_spring = spring(joint.angular_spring, "angular_spring", place)?;
    built.break_force = threshold(joint.break_force, "break_force", place)?;
    built.break_torque = threshold(joint.break_torque, "break_torque", place)?;
    built.collide = joint.collides;
    Ok(built)
}

fn frame(
    name: &Option<String>,
    field: &str,
    world: &World,
    place: &Place,
) -> Result<Frame, SceneError> {
    let at = place.field(field);
    match name.as_deref() {
        None => Err(at.error("missing; expected the name of a body, or \"world\"")),
        Some("world") => Ok(Frame::World),
        Some(name) => find_body(world, name).map(Frame::Body).map_err(|m| at.error(m)),
    }
}

fn kind(
    joint: &Joint,
    built: &taut::Joint,
    world: &World,
    place: &Place,
) -> Result<JointKind, SceneError> {
    Ok(match joint.joint_type {
        JointType::Ball => {
            if let Some(cone) = joint.cone {
                place.not_negative("cone", cone)?;
            }
            JointKind::Ball { cone: joint.cone }
        }
        JointType::Hinge => JointKind::Hinge,
        JointType::Slider => JointKind::Slider,
        JointType::Cylindrical => JointKind::Cylindrical,
        JointType::Universal => JointKind::Universal,
        JointType::Weld => JointKind::Weld,
        JointType::Distance => distance(joint, built, world, place)?,
        JointType::Compliant => JointKind::Compliant {
            linear: springs(joint.linear, "linear", place)?,
            angular: springs(joint.angular, "angular", place)?,
        },
        JointType::Gear | JointType::Differential | JointType::Tendon => {
            return Err(place.field("type").error("joins joints, not bodies"));
        }
    })
}

fn distance(
    joint: &Joint,
    built: &taut::Joint,
    world: &World,
    place: &Place,
) -> Result<JointKind, SceneError> {
    for (name, value) in [("length", joint.length), ("min", joint.min), ("max", joint.max)] {
        if let Some(x) = value {
            place.not_negative(name, x)?;
        }
    }
    let (min, max) = match (joint.length, joint.min, joint.max) {
        (Some(length), None, None) => (length, length),
        (None, None, None) => {
            let point = |frame: Frame, anchor: Option<Vec3>| {
                let body = frame.body().and_then(|id| world.body(id).ok());
                let pose = body.map_or(Pose::IDENTITY, |b| b.pose());
                pose.transform_point(anchor.unwrap_or_default())
            };
            let (a, b) = (point(built.a, built.anchor_a), point(built.b, built.anchor_b));
            (a.distance(b), a.distance(b))
        }
        (None, min, max) => (min.unwrap_or(0.0), max.unwrap_or(f64::INFINITY)),
        _ => return Err(place.field("length").error("stands in place of 'min' and 'max'")),
    };
    ordered(min, max, "max", place)?;
    Ok(JointKind::Distance { min, max })
}

fn coupling(
    joint: &Joint,
    name: String,
    world: &World,
    place: &Place,
) -> Result<taut::Joint, SceneError> {
    let find = |name: &Option<String>, field: &str| {
        let at = place.field(field);
        let name = name.as_deref().ok_or_else(|| at.error("missing; expected the name of a joint"));
        find_joint(world, name?).map_err(|m| at.error(m))
    };
    if joint.joint_type == JointType::Tendon {
        return tendon(joint, name, world, place);
    }
    let (first, second) = (find(&joint.first, "first")?, find(&joint.second, "second")?);
    if joint.joint_type == JointType::Differential {
        let cage = find(&joint.cage, "cage")?;
        return Ok(taut::Joint::differential(name, cage, first, second));
    }
    let Some(ratio) = joint.ratio else {
        return Err(place.field("ratio").error("missing; expected a number"));
    };
    place.number("ratio", ratio)?;
    let curve = joint.curve.unwrap_or_default();
    place.vector("curve", curve)?;
    if let Some(offset) = joint.offset {
        place.number("offset", offset)?;
    }
    let mut built = taut::Joint::gear(name, first, second, ratio);
    built.kind = JointKind::Gear { first, second, ratio, curve, offset: joint.offset };
    Ok(built)
}

fn tendon(
    joint: &Joint,
    name: String,
    world: &World,
    place: &Place,
) -> Result<taut::Joint, SceneError> {
    let mut terms = Vec::new();
    for (i, term) in joint.terms.iter().flatten().enumerate() {
        let at = place.item("terms", i);
        let id = find_joint(world, &term.joint).map_err(|m| at.field("joint").error(m))?;
        at.number("factor", term.factor)?;
        terms.push((id, term.factor));
    }
    let mut built = taut::Joint::tendon(name, terms);
    coordinates(joint, &mut built, place)?;
    built.passive = passive(joint.passive, place)?;
    Ok(built)
}

fn coordinates(joint: &Joint, built: &mut taut::Joint, place: &Place) -> Result<(), SceneError> {
    let main = limits(joint.limits, "limits", place)?;
    let angle = limits(joint.angle_limits, "angle_limits", place)?;
    let main_motor = motor(joint.motor, "motor", place)?;
    let angle_motor = motor(joint.angle_motor, "angle_motor", place)?;
    match joint.joint_type {
        JointType::Slider | JointType::Cylindrical => {
            (built.travel_limits, built.travel_motor) = (main, main_motor);
            (built.angle_limits, built.angle_motor) = (angle, angle_motor);
        }
        _ => (built.angle_limits, built.angle_motor) = (main, main_motor),
    }
    Ok(())
}

fn limits(
    limits: Option<Limits>,
    field: &str,
    place: &Place,
) -> Result<Option<taut::Limits>, SceneError> {
    let Some(Limits { min, max }) = limits else { return Ok(None) };
    let at = place.field(field);
    let (min, max) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
    ordered(min, max, "max", &at)?;
    Ok(Some(taut::Limits { min, max }))
}

fn ordered(min: f64, max: f64, field: &str, place: &Place) -> Result<(), SceneError> {
    if min <= max {
        return Ok(());
    }
    Err(place.field(field).error(format!("expected at least min = {min}, found {max}")))
}

pub(crate) fn motor(
    motor: Option<Motor>,
    field: &str,
    place: &Place,
) -> Result<Option<taut::Motor>, SceneError> {
    let at = place.field(field);
    Ok(match motor {
        None => None,
        Some(Motor::Velocity { target, max_force }) => {
            let at = at.field("velocity");
            at.number("target", target)?;
            let max_force = threshold(max_force, "max_force", &at)?;
            Some(taut::Motor::velocity(target, max_force))
        }
        Some(Motor::Position { target, stiffness, damping, max_force }) => {
            let at = at.field("position");
            at.number("target", target)?;
            at.not_negative("stiffness", stiffness)?;
            at.not_negative("damping", damping)?;
            let max_force = threshold(max_force, "max_force", &at)?;
            Some(taut::Motor::position(target, stiffness, damping, max_force))
        }
        Some(Motor::Force { force }) => {
            at.field("force").number("force", force)?;
            Some(taut::Motor::force(force))
        }
        Some(Motor::Affine { force, stiffness, damping, min_force, max_force }) => {
            let at = at.field("affine");
            at.number("force", force)?;
            at.not_negative("stiffness", stiffness)?;
            at.not_negative("damping", damping)?;
            min_force.map_or(Ok(()), |x| at.number("min_force", x))?;
            max_force.map_or(Ok(()), |x| at.number("max_force", x))?;
            let min = min_force.unwrap_or(f64::NEG_INFINITY);
            let max = max_force.unwrap_or(f64::INFINITY);
            if min > max {
                let message = format!("expected at least min_force = {min}, found {max}");
                return Err(at.field("max_force").error(message));
            }
            Some(taut::Motor::affine(force, [stiffness, damping], [min, max]))
        }
    })
}

fn passive(passive: Option<Passive>, place: &Place) -> Result<Option<taut::Passive>, SceneError> {
    let Some(Passive { armature, damping, friction, stiffness, rest }) = passive else {
        return Ok(None);
    };
    let at = place.field("passive");
    at.not_negative("armature", armature)?;
    at.not_negative("damping", damping)?;
    at.not_negative("friction", friction)?;
    at.not_negative("stiffness", stiffness)?;
    at.number("rest", rest)?;
    Ok(Some(taut::Passive { armature, damping, friction, stiffness, rest }))
}

/// A largest force; none: unlimited.
fn threshold(value: Option<f64>, field: &str, place: &Place) -> Result<f64, SceneError> {
    let Some(x) = value else { return Ok(f64::INFINITY) };
    place.not_negative(field, x)?;
    Ok(x)
}

fn spring(
    spring: Option<Spring>,
    field: &str,
    place: &Place,
) -> Result<Option<taut::Spring>, SceneError> {
    let Some(Spring { stiffness, damping }) = spring else { return Ok(None) };
    let at = place.field(field);
    at.not_negative("damping", damping)?;
    Ok(Some(taut::Spring { stiffness: threshold(stiffness, "stiffness", &at)?, damping }))
}

fn springs(
    springs: Option<[Spring; 3]>,
    field: &str,
    place: &Place,
) -> Result<[taut::Spring; 3], SceneError> {
    let mut built = [taut::Spring::RIGID; 3];
    for (i, s) in springs.into_iter().flatten().enumerate() {
        built[i] = spring(Some(s), &format!("{field}[{i}]"), place)?.unwrap_or(built[i]);
    }
    Ok(built)
}

/// Refuses fields that another type has, and the joint's own does not.
fn check_fields(j: &Joint, place: &Place) -> Result<(), SceneError> {
    use JointType::{
        Ball, Compliant, Cylindrical, Differential, Distance, Gear, Hinge, Slider, Tendon,
    };
    let t = j.joint_type;
    let coupling = couples(t);
    let driven = [Hinge, Slider, Cylindrical, Tendon].contains(&t);
    let fields = [
        ("a", j.a.is_some(), !coupling),
        ("b", j.b.is_some(), !coupling),
        ("anchor_a", j.anchor_a.is_some(), !coupling),
        ("anchor_b", j.anchor_b.is_some(), !coupling),
        ("axis_a", j.axis_a.is_some(), !coupling && t != Distance),
        ("axis_b", j.axis_b.is_some(), !coupling && t != Distance),
        ("basis_a", j.basis_a.is_some(), !coupling && t != Distance),
        ("basis_b", j.basis_b.is_some(), !coupling && t != Distance),
        ("cone", j.cone.is_some(), t == Ball),
        ("limits", j.limits.is_some(), driven),
        ("motor", j.motor.is_some(), driven),
        ("passive", j.passive.is_some(), [Hinge, Slider, Tendon].contains(&t)),
        ("angle_limits", j.angle_limits.is_some(), t == Cylindrical),
        ("angle_motor", j.angle_motor.is_some(), t == Cylindrical),
        ("length", j.length.is_some(), t == Distance),
        ("min", j.min.is_some(), t == Distance),
        ("max", j.max.is_some(), t == Distance),
        ("linear", j.linear.is_some(), t == Compliant),
        ("angular", j.angular.is_some(), t == Compliant),
        ("cage", j.cage.is_some(), t == Differential),
        ("first", j.first.is_some(), coupling && t != Tendon),
        ("second", j.second.is_some(), coupling && t != Tendon),
        ("ratio", j.ratio.is_some(), t == Gear),
        ("curve", j.curve.is_some(), t == Gear),
        ("offset", j.offset.is_some(), t == Gear),
        ("terms", j.terms.is_some(), t == Tendon),
        ("linear_spring", j.linear_spring.is_some(), !coupling && t != Compliant),
        (
            "angular_spring",
            j.angular_spring.is_some(),
            !coupling && ![Compliant, Distance].contains(&t),
        ),
    ];
    match fields.iter().find(|(_, given, allowed)| *given && !allowed) {
        Some((name, ..)) => {
            let kind = format!("{t:?}").to_lowercase();
            Err(place.field(name).error(format!("a {kind} joint has no '{name}'")))
        }
        None => Ok(()),
    }
}
