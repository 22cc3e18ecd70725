//! Means over a step that is done in parts: substeps, and halves of what a step cannot follow.
//!
//! What the next part starts from are the forces of the last part; what callers read are means over the whole step, so that a
//! force times the step is the impulse that acted.

use std::ops::{Add, Mul, Sub};

/// What share a part has in the step up to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(f64);

impl Share {
    /// Of a part of length h after `before`, both in seconds.
    pub(crate) fn new(before: f64, h: f64) -> Self {
        Share(if before > 0.0 { h / (before + h) } else { 1.0 })
    }

    /// The mean up to the end of the part, from that up to its start. The first part's is its own, to the bit.
    pub(crate) fn mean<T>(self, before: T, now: T) -> T
    where
        T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
    {
        if self.0 >= 1.0 { now } else { before + (now - before) * self.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_weigh_by_their_length() {
        let parts = [(0.5, 4.0), (0.25, -8.0), (0.25, 16.0)];
        let (mut before, mut mean) = (0.0, 99.0);
        for (h, force) in parts {
            mean = Share::new(before, h).mean(mean, force);
            before += h;
        }
        assert_eq!(mean, 0.5 * 4.0 - 0.25 * 8.0 + 0.25 * 16.0);
    }
}
