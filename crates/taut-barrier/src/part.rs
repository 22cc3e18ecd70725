//! How long a part of a step may be.
//!
//! **Problem**: collisions are looked for along Newton's path, not along that of the bodies. Where bodies move against one another by more than
//! their size in a step, Newton finds its way around: they pass one another, and nothing has touched. **Update**: a step is done in parts, in none of
//! which two bodies whose ways meet move against one another by more than half of the thickness of the thinner one. Parts are halves of halves of what is left,
//! so that bodies far from one another still go far. Half-spaces have no other side and need no parts. **Cost**: comparing boxes; 1 part where nothing is fast.
//! **Fails**: a part is at least 1/1024 of the step; if that is too long the step says so ([`crate::Status::Unresolved`]).

use taut_sdf::Bounds;

use crate::system::System;
use crate::vector::{Vec3, add, norm, scale, sub};

/// The share of the thinner body's thickness.
const SHARE: f64 = 0.5;
/// A step is halved so often at most.
const HALVES: i32 = 10;

/// A body on its way.
struct Way {
    start: Bounds,
    end: Bounds,
    mean: Vec3,
    /// How much more than the mean a vertex moves.
    spread: f64,
}

impl Way {
    fn of(start: &[Vec3], end: &[Vec3], reach: f64) -> Self {
        let loose = |points: &[Vec3]| {
            let b = Bounds::of(points);
            Bounds { lo: b.lo.map(|x| x - reach), hi: b.hi.map(|x| x + reach) }
        };
        let moves = || start.iter().zip(end).map(|(&a, &b)| sub(b, a));
        let mean = scale(moves().fold([0.0; 3], add), 1.0 / start.len().max(1) as f64);
        let spread = moves().map(|d| norm(sub(d, mean))).fold(0.0, f64::max);
        Self { start: loose(start), end: loose(end), mean, spread }
    }

    /// A box around a share of it: no vertex is outside of what lies between both boxes.
    fn swept(&self, share: f64) -> Bounds {
        let between = |a: f64, b: f64| (1.0 - share) * a + share * b;
        let (s, e) = (&self.start, &self.end);
        Bounds {
            lo: std::array::from_fn(|k| s.lo[k].min(between(s.lo[k], e.lo[k]))),
            hi: std::array::from_fn(|k| s.hi[k].max(between(s.hi[k], e.hi[k]))),
        }
    }
}

impl System {
    /// The next part of a step of h \[s\] of which `left` are left, and whether it is short enough.
    pub(crate) fn part(&self, left: f64, h: f64) -> (f64, bool) {
        let (mut start, mut end) = (Vec::new(), Vec::new());
        self.place_all(&self.q, &mut start);
        self.place_all(&self.predicted(left), &mut end);
        let reach = 0.5 * self.settings.reach;
        let ways: Vec<Way> = self
            .bodies
            .iter()
            .map(|b| {
                let range = b.first_vertex..b.first_vertex + b.vertices;
                Way::of(&start[range.clone()], &end[range], reach)
            })
            .collect();
        let least = h / 2.0_f64.powi(HALVES);
        let (mut share, mut is_short) = (1.0_f64, true);
        for a in 0..ways.len() {
            for b in a..ways.len() {
                let limit = SHARE * self.bodies[a].thickness.min(self.bodies[b].thickness);
                let (x, y) = (&ways[a], &ways[b]);
                let apart = norm(sub(x.mean, y.mean)) + x.spread + y.spread;
                if apart * share <= limit || !self.may_touch(a as u32, b as u32) {
                    continue;
                }
                while apart * share > limit && x.swept(share).meets(&y.swept(share)) {
                    if 0.5 * share * left < least * (1.0 - 1e-9) {
                        is_short = false;
                        break;
                    }
                    share *= 0.5;
                }
            }
        }
        (share * left, is_short)
    }
}
