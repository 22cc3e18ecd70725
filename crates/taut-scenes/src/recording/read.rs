//! Reading a recording, trusting nothing.

use super::{
    DETAILS, FRAMES, Frame, HEADER, Header, MAGIC, PARTITION, Recording, SKINS, SNAPSHOT, TENSIONS,
    block, details, skin,
};
use crate::error::SceneError;
use crate::scene::Scene;
use flate2::read::DeflateDecoder;
use std::io::Read;

/// Chunks that unpack to more are refused: a few bytes may ask for much.
const MAX_BYTES: u64 = 1 << 30;

impl Recording {
    /// Reads a recording; errors name the byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SceneError> {
        let error = |at: usize, message: &str| SceneError::new(format!("byte {at}"), message);
        let Some(mut rest) = bytes.strip_prefix(MAGIC) else {
            return Err(error(0, "not a recording of version 2"));
        };
        let mut header: Option<Header> = None;
        let (mut frames, mut snapshots) = (Vec::new(), Vec::new());
        let mut partitions: Vec<(usize, Vec<u32>)> = Vec::new();
        while let Some((&tag, after)) = rest.split_first() {
            let at = bytes.len() - rest.len();
            let content = packed(after).ok_or_else(|| error(at, "the recording ends too early"))?;
            rest = content.1;
            let content = || unpack(content.0).ok_or_else(|| error(at, "a damaged chunk"));
            match (tag, &header) {
                (HEADER, None) => {
                    let read = serde_json::from_slice(&content()?);
                    header = Some(read.map_err(|e| error(at, &format!("header: {e}")))?);
                }
                (FRAMES, Some(header)) => {
                    let block = block::decode(&content()?, header.bodies.len());
                    frames.extend(block.ok_or_else(|| error(at, "damaged frames"))?);
                }
                (SNAPSHOT, Some(_)) if !frames.is_empty() => {
                    snapshots.push((frames.len() - 1, content()?));
                }
                (PARTITION, Some(header)) => {
                    let read = partition(&content()?, header.bodies.len());
                    partitions.push(read.ok_or_else(|| error(at, "a damaged partition"))?);
                }
                (TENSIONS, Some(_)) => {
                    let read = tensions(&content()?, &mut frames);
                    read.ok_or_else(|| error(at, "damaged tensions"))?;
                }
                (DETAILS, Some(_)) => {
                    let read = forces(&content()?, &mut frames);
                    read.ok_or_else(|| error(at, "damaged forces"))?;
                }
                (SKINS, Some(_)) => {
                    let read = skin::decode(&content()?, &mut frames);
                    read.ok_or_else(|| error(at, "damaged surfaces"))?;
                }
                (HEADER | FRAMES | SNAPSHOT | PARTITION | TENSIONS | DETAILS | SKINS, _) => {
                    return Err(error(at, "a misplaced chunk"));
                }
                _ => {}
            }
        }
        let header = header.ok_or_else(|| error(8, "the recording ends too early"))?;
        for (k, (first, of)) in partitions.iter().enumerate() {
            let end = partitions.get(k + 1).map_or(frames.len(), |next| next.0.min(frames.len()));
            let frames = frames.get_mut(*first..end).unwrap_or_default();
            frames.iter_mut().for_each(|frame| frame.subsystems.clone_from(of));
        }
        Ok(Recording { header, frames, snapshots })
    }

    /// The scene as it was at its last snapshot, and the frame of that; it
    /// continues as the original would.
    pub fn resume(&self) -> Result<(Scene, usize), SceneError> {
        let Some((frame, bytes)) = self.snapshots.last() else {
            return Err(SceneError::new("", "the recording holds no snapshot to continue from"));
        };
        let mut scene = Scene::restore(&self.header.scene, bytes)?;
        if let Ok(mut start) = self.header.scene.build() {
            // Surfaces stay drawn back as they were at its start.
            scene.barriers = start.begin_barriers().is_ok().then_some(start.barriers).flatten();
        }
        if scene.bodies.len() != self.header.bodies.len() {
            return Err(SceneError::new("", "snapshot: it does not fit the scene"));
        }
        Ok((scene, *frame))
    }
}

/// The frame from which on bodies are in these subsystems.
fn partition(bytes: &[u8], bodies: usize) -> Option<(usize, Vec<u32>)> {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
    let first = words.next()? as usize;
    let of: Vec<u32> = words.collect();
    (rest.is_empty() && (of.is_empty() || of.len() == bodies)).then_some((first, of))
}

/// Tensions of frames that came before.
fn tensions(bytes: &[u8], frames: &mut [Frame]) -> Option<()> {
    let (words, rest) = bytes.as_chunks::<4>();
    let [first, spans, values @ ..] = words else { return None };
    let [first, spans] = [first, spans].map(|word| u32::from_le_bytes(*word) as usize);
    let frames = frames.get_mut(first..)?;
    if !rest.is_empty() || spans == 0 || values.len() != spans.checked_mul(frames.len())? {
        return None;
    }
    for (frame, values) in frames.iter_mut().zip(values.chunks_exact(spans)) {
        frame.tensions = values.iter().map(|v| f32::from_le_bytes(*v)).collect();
    }
    Some(())
}

/// Details of frames that came before.
fn forces(bytes: &[u8], frames: &mut [Frame]) -> Option<()> {
    let (first, mut rest) = bytes.split_first_chunk::<4>()?;
    for frame in frames.get_mut(u32::from_le_bytes(*first) as usize..)? {
        let (words, after) = packed(rest)?;
        (frame.details, rest) = (details::join(words), after);
        if words.len() % 4 != 0 {
            return None;
        }
    }
    rest.is_empty().then_some(())
}

/// A length and as many bytes, and what follows.
fn packed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    DeflateDecoder::new(packed).take(MAX_BYTES + 1).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= MAX_BYTES).then_some(content)
}
