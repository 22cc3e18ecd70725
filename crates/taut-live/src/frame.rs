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
//! Details are those of [`taut_scenes::recording::details`].

use taut_scenes::recording::{Frame, NONE};

use crate::grab::Held;

const KIND: u32 = 1;

/// A frame that is kept.
#[derive(Debug)]
pub struct Kept {
    pub frame: Frame,
    pub held: Option<Held>,
    /// Targets of motors and winches; none in recordings.
    pub targets: Vec<f32>,
}

impl Kept {
    /// About how much memory it takes.
    pub fn size(&self) -> usize {
        28 * self.frame.poses.len()
            + 16 * self.frame.skins.len()
            + 4 * (self.frame.subsystems.len() + self.frame.tensions.len() + self.targets.len())
            + self.frame.details.len()
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
