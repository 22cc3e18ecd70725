//! Writing a recording while a scene runs.

use super::{
    DETAILS, FIGURES, FRAMES, Figures, Frame, HEADER, Header, MAGIC, NONE, PARTITION, SKINS,
    SNAPSHOT, TENSIONS, block, details, skin,
};
use crate::scene::Scene;
use flate2::{Compression, write::DeflateEncoder};
use std::collections::HashMap;
use std::io::{Error, Result, Write};

/// Frames between snapshots, a multiple of [`block::MAX_FRAMES`].
const SNAPSHOT_EVERY: usize = 600;

/// Writes a recording while a scene runs.
#[derive(Debug)]
pub struct Recorder<W: Write> {
    out: W,
    waiting: Vec<Frame>,
    frames: usize,
    /// How the system was split last.
    subsystems: Vec<u32>,
}

impl<W: Write> Recorder<W> {
    /// Writes the header.
    pub fn new(mut out: W, header: &Header) -> Result<Self> {
        out.write_all(MAGIC)?;
        chunk(&mut out, HEADER, &serde_json::to_vec(header)?)?;
        Ok(Recorder { out, waiting: Vec::new(), frames: 0, subsystems: Vec::new() })
    }

    /// Adds the scene as it is now, with the figures of the step that led to
    /// it, and now and then a snapshot.
    pub fn frame(&mut self, scene: &Scene, figures: Option<Figures>) -> Result<()> {
        self.keep(Frame::of(scene, figures), scene)
    }

    /// Adds a frame of the scene as it is now, and now and then a snapshot.
    pub fn keep(&mut self, frame: Frame, scene: &Scene) -> Result<()> {
        self.push(frame)?;
        if self.frames.is_multiple_of(SNAPSHOT_EVERY) {
            self.snapshot(&scene.world.snapshot())?;
        }
        Ok(())
    }

    /// Adds a frame that was kept.
    pub fn push(&mut self, frame: Frame) -> Result<()> {
        if frame.subsystems != self.subsystems {
            self.subsystems.clone_from(&frame.subsystems);
            let words = [self.frames as u32].into_iter().chain(self.subsystems.iter().copied());
            let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
            chunk(&mut self.out, PARTITION, &bytes)?;
        }
        self.waiting.push(frame);
        self.frames += 1;
        if self.waiting.len() == block::MAX_FRAMES { self.flush() } else { Ok(()) }
    }

    /// Adds the world after the last frame.
    pub fn snapshot(&mut self, bytes: &[u8]) -> Result<()> {
        self.flush()?;
        chunk(&mut self.out, SNAPSHOT, bytes)
    }

    fn flush(&mut self) -> Result<()> {
        if !self.waiting.is_empty() {
            chunk(&mut self.out, FRAMES, &block::encode(&mut self.waiting))?;
            let spans = self.waiting[0].tensions.len();
            if spans > 0 && self.waiting.iter().all(|f| f.tensions.len() == spans) {
                let first = self.frames - self.waiting.len();
                let mut bytes = (first as u32).to_le_bytes().to_vec();
                bytes.extend((spans as u32).to_le_bytes());
                let all = self.waiting.iter().flat_map(|f| &f.tensions);
                bytes.extend(all.flat_map(|t| t.to_le_bytes()));
                chunk(&mut self.out, TENSIONS, &bytes)?;
            }
            if self.waiting.iter().any(|f| !f.details.is_empty()) {
                let first = self.frames - self.waiting.len();
                let mut bytes = (first as u32).to_le_bytes().to_vec();
                for frame in &self.waiting {
                    bytes.extend((frame.details.len() as u32).to_le_bytes());
                    bytes.extend(details::split(&frame.details));
                }
                chunk(&mut self.out, DETAILS, &bytes)?;
            }
            if let Some(bytes) = skin::encode(&self.waiting, self.frames - self.waiting.len()) {
                chunk(&mut self.out, SKINS, &bytes)?;
            }
            self.waiting.clear();
        }
        Ok(())
    }

    /// Writes what is left, and gives back what was written to.
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        Ok(self.out)
    }
}

impl Frame {
    /// The scene as it is now.
    pub fn of(scene: &Scene, figures: Option<Figures>) -> Self {
        let bodies = scene.bodies.iter().filter_map(|&id| scene.world.body(id).ok());
        let poses = bodies.map(|body| {
            let (x, q) = (body.position(), body.orientation());
            [x.x, x.y, x.z, q.w, q.x, q.y, q.z].map(|value| value as f32)
        });
        let figures = figures.unwrap_or([f32::NAN; FIGURES.len()]);
        let (poses, subsystems) = (poses.collect(), subsystems(scene));
        let tensions = scene.cables.iter().flat_map(|&(id, spans)| match scene.world.cable(id) {
            Ok(cable) => cable.tensions().iter().map(|&t| t as f32).collect(),
            Err(_) => vec![f32::NAN; spans],
        });
        let tensions = tensions.collect();
        let (details, skins) = (Vec::new(), skin::of(scene));
        Frame { time: scene.world.time(), figures, poses, subsystems, tensions, details, skins }
    }
}

/// For each body the first one of its subsystem; empty if nothing was split.
fn subsystems(scene: &Scene) -> Vec<u32> {
    let firsts = || scene.bodies.iter().map(|&id| scene.world.subsystem(id));
    if firsts().all(|first| first.is_none()) {
        return Vec::new();
    }
    let index: HashMap<_, u32> = scene.bodies.iter().copied().zip(0..).collect();
    let place = |first: Option<_>| first.and_then(|id| index.get(&id).copied()).unwrap_or(NONE);
    firsts().map(place).collect()
}

fn chunk(out: &mut impl Write, tag: u8, content: &[u8]) -> Result<()> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    packed.write_all(content)?;
    let packed = packed.finish()?;
    let length = u32::try_from(packed.len());
    let length = length.map_err(|_| Error::other("more than 4 GiB in one chunk"))?;
    out.write_all(&[tag])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&packed)
}
