//! Velocities, contacts and forces of a frame, as few words: made to be read in place by typed
//! arrays, little-endian.
//!
//! With n bodies: f32 × 6n velocities; i32 × n islands or −1; i32 × n the first body of the
//! subsystem that the solver put it in, or −1; u32 contacts c; c × (u32 a, u32 b, u32 state,
//! f32 × 3 point, f32 × 3 force on b, f32 gap); u32 joints j; j × (f32 × 3 force on b, f32 × 3
//! torque, f32 motor), NaN for joints that are gone. Bodies that are not in the list are −1.

use super::NONE;
use crate::scene::Scene;
use std::collections::HashMap;
use taut::math::Vec3;
use taut::{BodyId, ContactState, JointId};

/// Those of the last step; `joints` are the ids that came with the header.
pub fn details(scene: &Scene, joints: &[JointId]) -> Vec<u8> {
    let (world, bodies) = (&scene.world, &scene.bodies);
    let index: HashMap<BodyId, u32> = bodies.iter().copied().zip(0..).collect();
    let place = |id: BodyId| index.get(&id).copied().unwrap_or(NONE);
    let mut out = Vec::new();
    for &id in bodies {
        let body = world.body(id).ok();
        put_vector(&mut out, body.map(|b| b.velocity()).unwrap_or_default());
        put_vector(&mut out, body.map(|b| b.angular_velocity()).unwrap_or_default());
    }
    for &id in bodies {
        let island = world.island(id).and_then(|i| i32::try_from(i).ok()).unwrap_or(-1);
        out.extend(island.to_le_bytes());
    }
    for &id in bodies {
        out.extend(world.subsystem(id).map_or(NONE, place).to_le_bytes());
    }
    out.extend((world.contacts().count() as u32).to_le_bytes());
    for c in world.contacts() {
        let state: u32 = match c.state {
            ContactState::Open => 0,
            ContactState::Sticking => 1,
            ContactState::Sliding => 2,
            _ => 3, // (of a later engine)
        };
        for word in [place(c.a), place(c.b), state] {
            out.extend(word.to_le_bytes());
        }
        put_vector(&mut out, c.point);
        put_vector(&mut out, c.force());
        put(&mut out, &[c.gap as f32]);
    }
    out.extend((joints.len() as u32).to_le_bytes());
    for &id in joints {
        let Ok(joint) = world.joint(id) else {
            put(&mut out, &[f32::NAN; 7]);
            continue;
        };
        let reaction = joint.reaction();
        put_vector(&mut out, reaction.force);
        put_vector(&mut out, reaction.torque);
        put(&mut out, &[joint.motor_force() as f32]);
    }
    out
}

fn put(out: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|x| out.extend(x.to_le_bytes()));
}

fn put_vector(out: &mut Vec<u8>, v: Vec3) {
    put(out, &[v.x as f32, v.y as f32, v.z as f32]);
}

/// First bytes of all words, then second ones, and so on: equal ones are packed well.
pub(super) fn split(words: &[u8]) -> Vec<u8> {
    let words = words.as_chunks::<4>().0;
    (0..4).flat_map(|k| words.iter().map(move |word| word[k])).collect()
}

/// Words again.
pub(super) fn join(bytes: &[u8]) -> Vec<u8> {
    let n = bytes.len() / 4;
    (0..n).flat_map(|i| (0..4).map(move |k| bytes[k * n + i])).collect()
}
