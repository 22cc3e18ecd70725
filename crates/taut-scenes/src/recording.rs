//! Recordings: what a run looked like, for replay.
//!
//! All numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `TAUTREC1` |
//! | 4 | length n of the header (u32) |
//! | n | header: JSON `{"bodies": [names], "scene": SCENE FILE}` |
//!
//! then chunks to the end of the file: a tag (1 byte), the length of the
//! content (u32), the content. Readers skip tags they do not know.
//!
//! The first frame is the start, before any step.
//!
//! | tag | content |
//! |---|---|
//! | `F` | a frame: time (f64), then x, y, z, qw, qx, qy, qz (f32) per body |
//! | `S` | the world after the frame before it: [`taut::World::snapshot`] |
//!
//! Snapshots stand after the first frame and every 120 frames from there.

use crate::error::SceneError;
use crate::file::SceneFile;
use crate::scene::Scene;
use serde::{Deserialize, Serialize};
use std::io::{Result, Write};

const MAGIC: &[u8; 8] = b"TAUTREC1";
const FRAME: u8 = b'F';
const SNAPSHOT: u8 = b'S';
const SNAPSHOT_EVERY: usize = 120;

#[derive(Serialize, Deserialize)]
struct Header {
    bodies: Vec<String>,
    scene: SceneFile,
}

/// Writes a recording while a scene runs.
#[derive(Debug)]
pub struct Recorder<W: Write> {
    out: W,
    chunk: Vec<u8>,
    frames: usize,
}

impl<W: Write> Recorder<W> {
    /// Writes the header.
    pub fn new(mut out: W, file: &SceneFile, scene: &Scene) -> Result<Self> {
        let name = |id| scene.world.body(id).map(|b| b.name().to_string());
        let bodies = scene.bodies.iter().filter_map(|&id| name(id).ok()).collect();
        let header = serde_json::to_vec(&Header { bodies, scene: file.clone() })?;
        out.write_all(MAGIC)?;
        out.write_all(&length(header.len())?)?;
        out.write_all(&header)?;
        Ok(Recorder { out, chunk: Vec::new(), frames: 0 })
    }

    /// Adds the scene as it is now.
    pub fn frame(&mut self, scene: &Scene) -> Result<()> {
        self.chunk.clear();
        self.chunk.extend(scene.world.time().to_le_bytes());
        for &id in &scene.bodies {
            let Ok(body) = scene.world.body(id) else { continue };
            let (x, q) = (body.position(), body.orientation());
            for value in [x.x, x.y, x.z, q.w, q.x, q.y, q.z] {
                self.chunk.extend((value as f32).to_le_bytes());
            }
        }
        write_chunk(&mut self.out, FRAME, &self.chunk)?;
        if self.frames.is_multiple_of(SNAPSHOT_EVERY) {
            write_chunk(&mut self.out, SNAPSHOT, &scene.world.snapshot())?;
        }
        self.frames += 1;
        Ok(())
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

fn write_chunk(out: &mut impl Write, tag: u8, content: &[u8]) -> Result<()> {
    out.write_all(&[tag])?;
    out.write_all(&length(content.len())?)?;
    out.write_all(content)
}

fn length(n: usize) -> Result<[u8; 4]> {
    let n = u32::try_from(n);
    n.map(u32::to_le_bytes).map_err(|_| std::io::Error::other("more than 4 GiB in one chunk"))
}

/// A recording in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The scene that ran.
    pub scene: SceneFile,
    /// Names of the bodies, in the order of the poses.
    pub bodies: Vec<String>,
    /// The frames.
    pub frames: Vec<Frame>,
    /// Indices of frames, and the world as it was then, for
    /// [`taut::World::restore`].
    pub snapshots: Vec<(usize, Vec<u8>)>,
}

/// One frame of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time in s after the step.
    pub time: f64,
    /// x, y, z, qw, qx, qy, qz of each body.
    pub poses: Vec<[f32; 7]>,
}

impl Recording {
    /// Reads a recording; errors name the byte.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, SceneError> {
        let at = |rest: &[u8]| format!("byte {}", bytes.len() - rest.len());
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(SceneError::new("byte 0", "not a recording of version 1"));
        };
        let cut = |rest: &[u8]| SceneError::new(at(rest), "the recording ends too early");
        let (header, mut rest) = content(rest).ok_or_else(|| cut(rest))?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|e| SceneError::new("byte 12", format!("header: {e}")))?;
        let (mut frames, mut snapshots) = (Vec::new(), Vec::new());
        while let Some((&tag, after)) = rest.split_first() {
            let (chunk, next) = content(after).ok_or_else(|| cut(after))?;
            if tag == FRAME {
                let frame = frame(chunk, header.bodies.len());
                frames.push(frame.ok_or_else(|| SceneError::new(at(after), "bad frame length"))?);
            }
            if tag == SNAPSHOT {
                snapshots.push((frames.len().saturating_sub(1), chunk.to_vec()));
            }
            rest = next;
        }
        Ok(Recording { scene: header.scene, bodies: header.bodies, frames, snapshots })
    }
}

/// A length and as many bytes, and what follows.
fn content(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

fn frame(chunk: &[u8], bodies: usize) -> Option<Frame> {
    let (time, rest) = chunk.split_first_chunk::<8>()?;
    if rest.len() != 28 * bodies {
        return None;
    }
    let value = |p: &[u8], i: usize| {
        p[4 * i..].first_chunk::<4>().map_or(f32::NAN, |b| f32::from_le_bytes(*b))
    };
    let pose = |p: &[u8]| std::array::from_fn(|i| value(p, i));
    let poses = rest.chunks_exact(28).map(pose).collect();
    Some(Frame { time: f64::from_le_bytes(*time), poses })
}
