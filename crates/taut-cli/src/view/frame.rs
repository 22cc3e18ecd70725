//! Frames as bytes, little-endian, made to be read in place by typed arrays.
//!
//! | type | what |
//! |---|---|
//! | u32 | 1 |
//! | u32 × 3 | generation of the scene, number of the frame, of the newest frame |
//! | f32 × 2 | time \[s\], 0 |
//! | f32 × 15 | figures |
//! | u32, f32 × 9 | grabbed body or −1; point in its frame, target, force |
//! | u32 | bodies n |
//! | f32 × 3n | positions |
//! | i16 × 4n | orientations w, x, y, z times 32767 |
//! | u32 | spans of all cables s |
//! | f32 × s | their tensions, NaN for cables that are gone |
//! | u32 | motors and winches m |
//! | f32 × m | their targets, NaN for those that are gone |
//! | u32 | nodes of surfaces of soft bodies k |
//! | f32 × 4k | their places, and von Mises' stress \[Pa\] |
//! | u32 | 1 if details follow, else 0 |
//!
//! Details: f32 × 6n velocities; i32 × n islands or −1; i32 × n the first body of
//! the subsystem that the solver put it in, or −1; u32 contacts c;
//! c × (u32 a, u32 b, u32 state, f32 × 3 point, f32 × 3 force on b, f32 gap);
//! u32 joints j; j × (f32 × 3 force on b, f32 × 3 torque, f32 motor), NaN for
//! joints that are gone. Bodies that are not in the list are −1.

use taut::ContactState;
use taut_scenes::recording::{Frame, NONE};

use super::grab::Held;
use super::simulation::Simulation;

const KIND: u32 = 1;

/// A frame that is kept.
#[derive(Debug)]
pub struct Kept {
    pub frame: Frame,
    pub held: Option<Held>,
    /// Targets of motors and winches; none in recordings.
    pub targets: Vec<f32>,
    /// Empty where there are none.
    pub details: Vec<u8>,
}

impl Kept {
    /// About how much memory it takes.
    pub fn size(&self) -> usize {
        28 * self.frame.poses.len()
            + 16 * self.frame.skins.len()
            + 4 * (self.frame.subsystems.len() + self.frame.tensions.len() + self.targets.len())
            + self.details.len()
            + 200
    }
}

/// The message of a frame, up to the word that says whether details follow.
pub fn base(kept: &Kept, generation: u32, number: u32, newest: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(20 * kept.frame.poses.len() + 160);
    for word in [KIND, generation, number, newest] {
        out.extend(word.to_le_bytes());
    }
    put(&mut out, &[kept.frame.time as f32, 0.0]);
    put(&mut out, &kept.frame.figures);
    let held = kept.held.unwrap_or(Held { body: NONE, ..Held::default() });
    out.extend(held.body.to_le_bytes());
    put(&mut out, &held.point);
    put(&mut out, &held.target);
    put(&mut out, &held.force);
    out.extend((kept.frame.poses.len() as u32).to_le_bytes());
    kept.frame.poses.iter().for_each(|pose| put(&mut out, &pose[..3]));
    for pose in &kept.frame.poses {
        for x in &pose[3..] {
            out.extend(((x * 32767.0).round() as i16).to_le_bytes());
        }
    }
    out.extend((kept.frame.tensions.len() as u32).to_le_bytes());
    put(&mut out, &kept.frame.tensions);
    out.extend((kept.targets.len() as u32).to_le_bytes());
    put(&mut out, &kept.targets);
    out.extend((kept.frame.skins.len() as u32).to_le_bytes());
    put(&mut out, kept.frame.skins.as_flattened());
    out
}

fn put(out: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|x| out.extend(x.to_le_bytes()));
}

fn put_vector(out: &mut Vec<u8>, v: taut::math::Vec3) {
    put(out, &[v.x as f32, v.y as f32, v.z as f32]);
}

/// Velocities, islands, contacts and joint forces of the last step.
pub fn details(simulation: &Simulation) -> Vec<u8> {
    let (world, bodies) = (&simulation.scene.world, &simulation.scene.bodies);
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
        let first = world.subsystem(id).map_or(NONE, |first| simulation.index(first));
        out.extend(first.to_le_bytes());
    }
    out.extend((world.contacts().count() as u32).to_le_bytes());
    for c in world.contacts() {
        let state: u32 = match c.state {
            ContactState::Open => 0,
            ContactState::Sticking => 1,
            ContactState::Sliding => 2,
        };
        for word in [simulation.index(c.a), simulation.index(c.b), state] {
            out.extend(word.to_le_bytes());
        }
        put_vector(&mut out, c.point);
        put_vector(&mut out, c.force());
        put(&mut out, &[c.gap as f32]);
    }
    out.extend((simulation.joints.len() as u32).to_le_bytes());
    for &id in &simulation.joints {
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
