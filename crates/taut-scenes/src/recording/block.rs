//! Frames as few bytes.
//!
//! A block of n frames with b bodies: n (u32); n times (f64); for each figure
//! n values (f32); then for each body and each of x, y, z, qw, qx, qy, qz a
//! column of n whole numbers: the value over [`QUANTA`], less twice the one
//! before, plus the one before that (missing ones count as 0). Smooth motion
//! leaves small numbers, rest leaves zeros. Numbers are zigzagged (0, −1, 1,
//! −2, …) and written in groups of seven bits, low ones first, the top bit
//! set on all but the last byte.
//!
//! q and −q are the same rotation; the sign is that which is nearer to the
//! frame before.

use super::{FIGURES, Figures, Frame};

/// Steps of position \[m\] and quaternion to which poses are rounded.
pub(super) const QUANTA: [f64; 2] = [1.0 / 131_072.0, 1.0 / 65_536.0];

impl Frame {
    /// Rounds poses to this many steps, so that they take fewer bytes.
    pub fn coarsen(&mut self, steps: u16) {
        for pose in &mut self.poses {
            for (part, x) in pose.iter_mut().enumerate() {
                let step = f64::from(steps) * QUANTA[usize::from(part >= 3)];
                *x = ((f64::from(*x) / step).round() * step) as f32;
            }
        }
    }
}

pub(super) const MAX_FRAMES: usize = 120;

pub(super) fn encode(frames: &mut [Frame]) -> Vec<u8> {
    let mut out = (frames.len() as u32).to_le_bytes().to_vec();
    frames.iter().for_each(|f| out.extend(f.time.to_le_bytes()));
    for k in 0..FIGURES.len() {
        frames.iter().for_each(|f| out.extend(f.figures[k].to_le_bytes()));
    }
    let bodies = frames.first().map_or(0, |f| f.poses.len());
    for body in 0..bodies {
        align(frames, body);
        for part in 0..7 {
            let quantum = QUANTA[usize::from(part >= 3)];
            let mut before = [0_i64; 2];
            for frame in &*frames {
                // The cast takes NaN to 0 and clamps the rest.
                let value = (f64::from(frame.poses[body][part]) / quantum).round() as i64;
                let value = value.clamp(-(1 << 60), 1 << 60);
                put(&mut out, value - 2 * before[0] + before[1]);
                before = [value, before[0]];
            }
        }
    }
    out
}

/// Gives the quaternions of a body the sign nearer to the frame before.
fn align(frames: &mut [Frame], body: usize) {
    for i in 1..frames.len() {
        let last = frames[i - 1].poses[body];
        let pose = &mut frames[i].poses[body];
        let dot: f32 = (3..7).map(|k| last[k] * pose[k]).sum();
        if dot < 0.0 {
            pose[3..].iter_mut().for_each(|x| *x = -*x);
        }
    }
}

fn put(out: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// The frames of a block; `None` if it is damaged.
pub(super) fn decode(mut bytes: &[u8], bodies: usize) -> Option<Vec<Frame>> {
    let input = &mut bytes;
    let n = u32::from_le_bytes(take(input)?) as usize;
    // At least a byte for each number, which bounds what is asked for here.
    if n > MAX_FRAMES || bodies.checked_mul(7 * n)? > input.len() {
        return None;
    }
    let times: Option<Vec<f64>> = (0..n).map(|_| take(input).map(f64::from_le_bytes)).collect();
    let mut frames: Vec<Frame> = times?.into_iter().map(|time| empty(time, bodies)).collect();
    for k in 0..FIGURES.len() {
        for frame in &mut frames {
            frame.figures[k] = f32::from_le_bytes(take(input)?);
        }
    }
    for body in 0..bodies {
        for part in 0..7 {
            let quantum = QUANTA[usize::from(part >= 3)];
            let mut before = [0_i64; 2];
            for frame in &mut frames {
                let value = number(input)?.wrapping_add(before[0].wrapping_mul(2));
                let value = value.wrapping_sub(before[1]);
                frame.poses[body][part] = (value as f64 * quantum) as f32;
                before = [value, before[0]];
            }
        }
    }
    input.is_empty().then_some(frames)
}

fn empty(time: f64, bodies: usize) -> Frame {
    let figures: Figures = [f32::NAN; FIGURES.len()];
    Frame {
        time,
        figures,
        poses: vec![[0.0; 7]; bodies],
        subsystems: Vec::new(),
        tensions: Vec::new(),
        details: Vec::new(),
        skins: Vec::new(),
    }
}

fn take<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = input.split_first_chunk::<N>()?;
    *input = rest;
    Some(*first)
}

fn number(input: &mut &[u8]) -> Option<i64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let [byte] = take(input)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((value >> 1) as i64 ^ -((value & 1) as i64));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, -1, 63, -64, 64, i64::from(i32::MAX), 1 << 61, -(1 << 61)] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            assert_eq!(number(&mut &bytes[..]), Some(value));
        }
        assert_eq!(number(&mut &[0x80; 20][..]), None);
    }

    #[test]
    fn frames_come_back_rounded() {
        let pose = |t: f32| [t, -2.5 * t * t, 1e3, (0.1 * t).cos(), (0.1 * t).sin(), 0.0, 0.0];
        let frame = |i: usize| {
            let figures = [i as f32; FIGURES.len()];
            let poses = vec![pose(i as f32 / 60.0); 2];
            Frame {
                time: i as f64 / 60.0,
                figures,
                poses,
                subsystems: Vec::new(),
                tensions: Vec::new(),
                details: Vec::new(),
                skins: Vec::new(),
            }
        };
        let frames: Vec<Frame> = (0..MAX_FRAMES).map(frame).collect();
        let bytes = encode(&mut frames.clone());
        let read = decode(&bytes, 2).expect("a block");
        for (a, b) in frames.iter().zip(&read) {
            assert_eq!((a.time, a.figures), (b.time, b.figures));
            let gaps = a.poses.iter().flatten().zip(b.poses.iter().flatten());
            assert!(gaps.map(|(x, y)| (x - y).abs()).fold(0.0, f32::max) < 7e-5);
        }
        for damaged in [&bytes[..bytes.len() - 1], &bytes[1..], &[0xff; 40], &[]] {
            assert_eq!(decode(damaged, 2), None);
        }
        assert!(decode(&bytes, 1 << 60).is_none() && decode(&bytes, 3).is_none());
    }
}
