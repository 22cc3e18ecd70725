//! Contacts, joints, cables, steps as rows of structured arrays: bytes that Python views with a type whose
//! fields stand here, all of 8 bytes, so that nothing is packed.

use std::collections::HashMap;
use taut::math::Vec3;
use taut::{BodyId, ContactState, RayHit, StepReport, World};

/// Fields of a step: numbers, then counts.
pub const STEP_FLOATS: [&str; 20] = [
    "time",
    "kinetic_energy",
    "potential_energy",
    "elastic_energy",
    "work",
    "energy_gain",
    "energy_taken",
    "energy_mended",
    "energy_tolerance",
    "residual",
    "relative_residual",
    "energy_error",
    "friction_gap",
    "contact_compliance",
    "max_penetration",
    "mean_penetration",
    "max_joint_gap",
    "max_over_length",
    "solve_seconds",
    "step_seconds",
];

/// See [`STEP_FLOATS`].
pub const STEP_COUNTS: [&str; 14] = [
    "parts",
    "islands",
    "swept_islands",
    "sleeping_islands",
    "held_bodies",
    "held_steps",
    "contacts",
    "rows",
    "iterations",
    "factorizations",
    "passes",
    "unconverged_islands",
    "torn",
    "event_count",
];

/// The numbers of a step, in the order of [`STEP_FLOATS`].
pub fn step_floats(r: &StepReport) -> [f64; STEP_FLOATS.len()] {
    [
        r.time,
        r.kinetic_energy,
        r.potential_energy,
        r.elastic_energy,
        r.work,
        r.energy_gain,
        r.energy_taken,
        r.energy_mended,
        r.energy_tolerance,
        r.residual,
        r.relative_residual,
        r.energy_error,
        r.friction_gap,
        r.contact_compliance,
        r.max_penetration,
        r.mean_penetration,
        r.max_joint_gap,
        r.max_over_length,
        r.timings.solve,
        r.timings.total,
    ]
}

/// The counts of a step, in the order of [`STEP_COUNTS`].
pub fn step_counts(r: &StepReport) -> [i64; STEP_COUNTS.len()] {
    [
        r.parts,
        r.islands,
        r.swept_islands,
        r.sleeping_islands,
        r.held_bodies,
        r.held_steps(),
        r.contacts,
        r.rows,
        r.iterations,
        r.factorizations,
        r.passes,
        r.unconverged_islands,
        usize::from(r.is_torn()),
        r.events.len(),
    ]
    .map(|n| n as i64)
}

/// A row of bytes in the making.
#[derive(Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    fn float(&mut self, x: f64) {
        self.0.extend_from_slice(&x.to_ne_bytes());
    }

    fn vector(&mut self, v: Vec3) {
        [v.x, v.y, v.z].iter().for_each(|&x| self.float(x));
    }

    fn integer(&mut self, i: i64) {
        self.0.extend_from_slice(&i.to_ne_bytes());
    }

    /// A step.
    pub fn step(&mut self, report: &StepReport) {
        step_floats(report).iter().for_each(|&x| self.float(x));
        step_counts(report).iter().for_each(|&i| self.integer(i));
    }
}

/// Places of bodies in the arrays; −1: not among them (the ground).
pub struct Places(HashMap<BodyId, i64>);

impl Places {
    /// Of these bodies.
    pub fn new(bodies: &[BodyId]) -> Self {
        Places(bodies.iter().copied().zip(0..).collect())
    }

    /// Of one.
    pub fn of(&self, id: BodyId) -> i64 {
        self.0.get(&id).copied().unwrap_or(-1)
    }
}

/// Fields: a, b, state (integers), gap, normal_force, friction_coefficient, point, normal,
/// friction, torque, slip (vectors).
pub fn contacts(world: &World, places: &Places) -> Vec<u8> {
    let mut out = Bytes::default();
    for c in world.contacts() {
        out.integer(places.of(c.a));
        out.integer(places.of(c.b));
        out.integer(match c.state {
            ContactState::Open => 0,
            ContactState::Sticking => 1,
            ContactState::Sliding => 2,
            _ => 3, // (of a later engine)
        });
        [c.gap, c.normal_force, c.friction_coefficient].iter().for_each(|&x| out.float(x));
        [c.point, c.normal, c.friction, c.torque, c.slip].iter().for_each(|&v| out.vector(v));
    }
    out.0
}

/// Fields: a, b (integers), position, velocity, angle, motor_force, force, torque, anchor_a,
/// anchor_b (vectors).
pub fn joints(world: &World, places: &Places) -> Vec<u8> {
    let mut out = Bytes::default();
    for (id, joint) in world.joints() {
        let definition = joint.definition();
        let place = |frame: taut::Frame| frame.body().map_or(-1, |b| places.of(b));
        out.integer(place(definition.a));
        out.integer(place(definition.b));
        out.float(world.joint_position(id).unwrap_or(f64::NAN));
        out.float(world.joint_velocity(id).unwrap_or(f64::NAN));
        out.float(joint.angle());
        out.float(joint.motor_force());
        let reaction = joint.reaction();
        let (a, b) = world.joint_anchors(id).unwrap_or_default();
        [reaction.force, reaction.torque, a, b].iter().for_each(|&v| out.vector(v));
    }
    out.0
}

/// Fields: spans, taut (integers), tension, length, way, slack, stretch, winch_speed.
pub fn cables(world: &World) -> Vec<u8> {
    let mut out = Bytes::default();
    for (_, cable) in world.cables() {
        out.integer(cable.tensions().len() as i64);
        out.integer(i64::from(cable.is_taut()));
        let winch = cable.definition().winch.map_or(f64::NAN, |w| w.speed);
        let (length, way) = (cable.length(), cable.way());
        [cable.tension(), length, way, cable.slack(), cable.stretch(), winch]
            .iter()
            .for_each(|&x| out.float(x));
    }
    out.0
}

/// Fields: body (integer; −2: nothing was hit), distance, point, normal (vectors).
pub fn hits(hits: &[Option<RayHit>], places: &Places) -> Vec<u8> {
    let mut out = Bytes::default();
    for hit in hits {
        out.integer(hit.map_or(-2, |h| places.of(h.body)));
        out.float(hit.map_or(f64::INFINITY, |h| h.distance));
        let none = Vec3::splat(f64::NAN);
        out.vector(hit.map_or(none, |h| h.point));
        out.vector(hit.map_or(none, |h| h.normal));
    }
    out.0
}
