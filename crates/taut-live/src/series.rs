//! Values of a body, joint or cable in the frames that are kept, for plots.

use crate::frame::Kept;
use taut_scenes::recording::NONE;

/// What is asked for over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Position, speed, rotation, force of all contacts.
    Body,
    /// Force, torque, motor.
    Joint,
    /// Tension, by the number of a span among those of all cables.
    Cable,
    /// Force, points that press, points that slide, least gap, between two bodies: `3-7`, or
    /// `3-world` for what is not in the list.
    Contact,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    kind: Kind,
    index: usize,
    /// The other body of a contact.
    other: u32,
}

impl Kind {
    /// The one of a number, or of two for a contact.
    pub fn subject(self, text: &str) -> Option<Subject> {
        let body = |text: &str| match text {
            "world" => Some(NONE),
            number => number.parse().ok(),
        };
        let (index, other) = match self {
            Kind::Contact => {
                let (a, b) = text.split_once('-')?;
                (body(a)? as usize, body(b)?)
            }
            _ => (text.parse().ok()?, NONE),
        };
        Some(Subject { kind: self, index, other })
    }
}

impl Subject {
    /// Its values in a frame; what a frame has not is NaN.
    pub fn values(self, kept: &Kept) -> Vec<f32> {
        let index = self.index;
        match self.kind {
            Kind::Contact => Details::new(kept).between([index as u32, self.other]),
            Kind::Cable => vec![kept.frame.tensions.get(index).copied().unwrap_or(f32::NAN)],
            Kind::Body => {
                let pose = kept.frame.poses.get(index).copied().unwrap_or([f32::NAN; 7]);
                let read = Details::new(kept);
                let speeds = [read.length(6 * index), read.length(6 * index + 3)];
                pose[..3].iter().copied().chain(speeds).chain([read.pressed(index)]).collect()
            }
            Kind::Joint => {
                let read = Details::new(kept);
                let at = read.contacts().map_or(usize::MAX / 2, |(start, n)| start + 10 * n + 1);
                let at = at + 7 * index;
                vec![read.length(at), read.length(at + 3), read.float(at + 6)]
            }
        }
    }
}

/// Words of details, read in place.
struct Details<'a> {
    bytes: &'a [u8],
    bodies: usize,
}

impl<'a> Details<'a> {
    fn new(kept: &'a Kept) -> Self {
        Details { bytes: &kept.frame.details, bodies: kept.frame.poses.len() }
    }

    fn word(&self, at: usize) -> Option<u32> {
        let from = at.checked_mul(4)?;
        let bytes = self.bytes.get(from..from.checked_add(4)?)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }

    fn float(&self, at: usize) -> f32 {
        self.word(at).map_or(f32::NAN, f32::from_bits)
    }

    fn length(&self, at: usize) -> f32 {
        (0..3).map(|k| self.float(at + k)).map(|x| x * x).sum::<f32>().sqrt()
    }

    /// Where contacts begin, and how many there are.
    fn contacts(&self) -> Option<(usize, usize)> {
        let at = 8 * self.bodies;
        Some((at + 1, self.word(at)? as usize))
    }

    /// Force between two bodies, points that press, that slide, and the least gap.
    fn between(&self, pair: [u32; 2]) -> Vec<f32> {
        let Some((start, n)) = self.contacts() else { return vec![f32::NAN; 4] };
        let (mut force, mut press, mut slide, mut gap) = ([0.0_f32; 3], 0.0, 0.0, f32::NAN);
        for at in (0..n).map(|i| start + 10 * i) {
            let [a, b, state] = [0, 1, 2].map(|k| self.word(at + k).unwrap_or(NONE));
            if [a, b] != pair && [b, a] != pair {
                continue;
            }
            force.iter_mut().zip(0..).for_each(|(sum, k)| *sum += self.float(at + 6 + k));
            press += f32::from(u8::from(state > 0));
            slide += f32::from(u8::from(state == 2));
            gap = gap.min(self.float(at + 9));
        }
        vec![force.iter().map(|x| x * x).sum::<f32>().sqrt(), press, slide, gap]
    }

    /// Sum of the forces of the contacts of a body, by amount.
    fn pressed(&self, body: usize) -> f32 {
        let Some((start, n)) = self.contacts() else { return f32::NAN };
        let mut sum = 0.0;
        for at in (0..n).map(|i| start + 10 * i) {
            if [self.word(at), self.word(at + 1)].contains(&Some(body as u32)) {
                sum += self.length(at + 6);
            }
        }
        sum
    }
}
