//! What is kept to scrub back to, within bounds: frames, moments to continue
//! from, and what hands did between them.
//!
//! Beyond the bound the details of the oldest frames go first, then all but
//! every second, fourth, … of the frames but the newest, so that the whole run
//! stays reachable. Moments are thinned likewise; those between them are
//! simulated again.

use std::sync::Arc;

use crate::frame::Kept;
use crate::grab::Input;
use crate::simulation::Moment;
use taut_scenes::recording::Frame;

/// A page of a browser is ended beyond a few hundred megabytes on phones.
const FRAME_BYTES: usize = if cfg!(target_family = "wasm") { 96 << 20 } else { 512 << 20 };
const MOMENT_BYTES: usize = FRAME_BYTES / 2;

/// Frames by number, ascending; the first is always there. Cheap to copy.
#[derive(Clone)]
pub struct History {
    frames: Vec<(u32, Arc<Kept>)>,
    moments: Vec<(u32, Arc<Moment>)>,
    /// Inputs, by the number of the frame they follow.
    inputs: Vec<(u32, Input)>,
    /// Distance of old frames that are kept.
    stride: u32,
    frame_bytes: usize,
    bounds: (usize, usize),
}

impl Default for History {
    fn default() -> Self {
        History::within(FRAME_BYTES, MOMENT_BYTES)
    }
}

impl History {
    fn within(frames: usize, moments: usize) -> Self {
        History {
            frames: Vec::new(),
            moments: Vec::new(),
            inputs: Vec::new(),
            stride: 1,
            frame_bytes: 0,
            bounds: (frames, moments),
        }
    }

    pub fn frames(&self) -> &[(u32, Arc<Kept>)] {
        &self.frames
    }

    /// Number of the newest frame.
    pub fn newest(&self) -> u32 {
        self.frames.last().map_or(0, |f| f.0)
    }

    /// The frame of that number, or the last one kept before it.
    pub fn at(&self, number: u32) -> Option<&(u32, Arc<Kept>)> {
        let after = self.frames.partition_point(|f| f.0 <= number);
        self.frames.get(after.saturating_sub(1))
    }

    /// The first frame kept after that number.
    pub fn after(&self, number: u32) -> Option<&(u32, Arc<Kept>)> {
        self.frames.get(self.frames.partition_point(|f| f.0 <= number))
    }

    pub fn push(&mut self, number: u32, kept: Kept) {
        self.frame_bytes += kept.size();
        self.frames.push((number, Arc::new(kept)));
        if self.frame_bytes > self.bounds.0 {
            self.thin_frames();
        }
    }

    pub fn push_moment(&mut self, number: u32, moment: Moment) {
        if self.moments.last().is_some_and(|m| m.0 == number) {
            self.moments.pop();
        }
        self.moments.push((number, Arc::new(moment)));
        if self.moments.iter().map(|m| m.1.size()).sum::<usize>() > self.bounds.1 {
            let mut i = 0;
            self.moments.retain(|_| {
                i += 1;
                i % 2 == 1
            });
        }
    }

    /// Keeps an input; of several drags after one frame only the last acts.
    pub fn push_input(&mut self, number: u32, input: Input) {
        if let (Some(last), Input::Drag(_)) = (self.inputs.last_mut(), input)
            && matches!(last, (n, Input::Drag(_)) if *n == number)
        {
            *last = (number, input);
            return;
        }
        self.inputs.push((number, input));
    }

    /// The last moment at or before a frame.
    pub fn moment(&self, number: u32) -> Option<&(u32, Arc<Moment>)> {
        self.moments.iter().rev().find(|m| m.0 <= number)
    }

    /// The inputs that followed a frame.
    pub fn inputs(&self, number: u32) -> impl Iterator<Item = Input> {
        let from = self.inputs.partition_point(|i| i.0 < number);
        self.inputs[from..].iter().take_while(move |i| i.0 == number).map(|i| i.1)
    }

    /// Whether hands did something that the file of the scene does not say.
    pub fn pulled(&self) -> bool {
        self.inputs.iter().any(|i| matches!(i.1, Input::Grab { .. }))
    }

    /// Whether hands did anything.
    pub fn touched(&self) -> bool {
        self.inputs.iter().any(|i| !matches!(i.1, Input::Release | Input::LetGo))
    }

    /// About how much memory the frames after a number take.
    pub fn bytes_after(&self, number: u32) -> usize {
        self.frames.iter().filter(|f| f.0 > number).map(|f| f.1.size()).sum()
    }

    /// Forgets all that followed a frame.
    pub fn truncate(&mut self, number: u32) {
        self.frames.retain(|f| f.0 <= number);
        self.moments.retain(|m| m.0 <= number);
        self.inputs.retain(|i| i.0 < number);
        self.frame_bytes = self.frames.iter().map(|f| f.1.size()).sum();
    }

    fn thin_frames(&mut self) {
        let quarter = self.frames.len() / 4;
        let detailed = |f: &(u32, Arc<Kept>)| !f.1.frame.details.is_empty();
        let first = self.frames.iter().position(detailed).unwrap_or(self.frames.len());
        if first < self.frames.len() / 2 {
            for (_, kept) in &mut self.frames[first..first + quarter] {
                let frame = Frame { details: Vec::new(), ..kept.frame.clone() };
                *kept = Arc::new(Kept { frame, held: kept.held, targets: kept.targets.clone() });
            }
        } else {
            self.drop_frames();
        }
        self.frame_bytes = self.frames.iter().map(|f| f.1.size()).sum();
    }

    /// Of all but the newest quarter keeps every `stride`-th frame, so that
    /// what is kept lies evenly however long the run.
    fn drop_frames(&mut self) {
        let before = self.frames.len();
        let Some(recent) = self.frames.get(before - before / 4).map(|f| f.0) else { return };
        while self.frames.len() > before - before / 8 && self.stride < 1 << 30 {
            let stride = self.stride;
            self.frames.retain(|f| f.0 >= recent || f.0.is_multiple_of(stride));
            if self.frames.len() > before - before / 8 {
                self.stride *= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut::math::Vec3;

    fn kept() -> Kept {
        let frame = Frame {
            time: 0.0,
            figures: [0.0; 15],
            poses: vec![[0.0; 7]; 10],
            subsystems: Vec::new(),
            tensions: Vec::new(),
            details: vec![0; 1000],
            skins: Vec::new(),
        };
        Kept { frame, held: None, targets: Vec::new() }
    }

    #[test]
    fn memory_is_bounded_and_the_whole_run_stays_reachable() {
        let bound = 200_000;
        let mut history = History::within(bound, 0);
        for number in 0..5000 {
            history.push(number, kept());
            assert!(history.frame_bytes <= bound + kept().size(), "{number}");
        }
        assert_eq!((history.frames[0].0, history.newest()), (0, 4999));
        assert!(!history.frames.last().expect("a frame").1.frame.details.is_empty());
        let gaps = history.frames.windows(2).map(|w| w[1].0 - w[0].0);
        assert!(gaps.max() < Some(100), "no part of the run is lost");
        assert_eq!(history.at(0).map(|f| f.0), Some(0));
        assert_eq!(history.at(u32::MAX).map(|f| f.0), Some(4999));
        assert!(history.after(4999).is_none() && history.after(100).is_some_and(|f| f.0 > 100));
    }

    #[test]
    fn inputs_and_truncation() {
        let mut history = History::default();
        (0..10).for_each(|number| history.push(number, kept()));
        let drag = |x: f64| Input::Drag(Vec3::X * x);
        history.push_input(3, Input::Grab { body: 0, point: Vec3::ZERO, target: Vec3::ZERO });
        history.push_input(3, drag(1.0));
        history.push_input(3, drag(2.0));
        history.push_input(4, drag(3.0));
        assert_eq!(history.inputs(3).skip(1).collect::<Vec<_>>(), [drag(2.0)]);
        history.truncate(4);
        assert_eq!((history.newest(), history.inputs(4).count()), (4, 0));
    }
}
