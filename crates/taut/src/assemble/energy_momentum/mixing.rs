//! Anderson's mixing of Newton's iterates.
//!
//! **Problem**: Newton on mean velocities lacks what is not semidefinite of its matrix: how normals and
//! points of contacts turn under load, how friction follows. It then converges linearly, monotonously or to and fro.
//! **Update**: with f = G(v̄) − v̄ what an iteration changes, and ΔV, ΔF the last two differences of v̄
//! and f, v̄ ← v̄ + f − (ΔV + ΔF)γ, where γ makes |f − ΔFγ| least. Turns alone count
//! there, as in what Newton ends by. (With one difference this is Aitken's factor.)
//! **Cost**: a few dot products. **Fails** where contacts come and go between iterates: what led away is forgotten.
//! **Reference**: Anderson 1965; Walker and Ni 2011.
//!
//! Measured on 90 frames of `spinner`, factorizations and CPU ms a frame, one run each on a busy machine: steps shortened where
//! they alternate 67 and 81; mixed from the first iteration on, by two differences, 48.6 and 66. One, three or five
//! differences take 47 to 50. Boxes of friction lose by it: 60 frames of `net-truck` take 110 for 86, with cones 43 for 56.

use crate::assemble::Twist;
use crate::math::Vec3;

/// Differences that are mixed.
const DEPTH: usize = 2;
/// Where there are joints the first iterations are Newton's alone: far from the answer it converges fast, and what they say
/// of one another leads astray (two jointed rods at 100 rad/s that hit a wall opened by 1.8 mm; from three on they do not,
/// and 60 frames of `spinner` take 35 factorizations each, for 37).
const PLAIN: usize = 3;
/// Least share of a step that is taken where steps are shortened.
const LEAST: f64 = 0.2;
/// Shares of differences beyond which they say nothing.
const FAR: f64 = 10.0;

/// A body: v̄ and f of the last iteration, and their differences, the newest first.
#[derive(Clone, Copy, Debug)]
struct Track {
    v: Twist,
    f: Twist,
    steps: [(Twist, Twist); DEPTH],
}

/// Iterates of one step.
#[derive(Debug, Default)]
pub(super) struct Mixing {
    bodies: Vec<Track>,
    /// Differences that there are.
    count: usize,
    /// Iterations so far, those that are not mixed, and the least change.
    taken: usize,
    plain: usize,
    least: f64,
    /// Share of the last step that was taken, where steps are shortened.
    share: f64,
}

impl Mixing {
    /// Forgets all iterates.
    pub(super) fn clear(&mut self, has_joints: bool) {
        self.plain = if has_joints { PLAIN } else { 1 };
        self.bodies.clear();
        self.count = 0;
        self.taken = 0;
        self.share = 1.0;
        self.least = f64::INFINITY;
    }

    /// Takes v̄ and G(v̄), body by body, and the largest change of a turn.
    pub(super) fn take(&mut self, change: f64, now: impl Iterator<Item = (Twist, Twist)>) {
        for (k, (v, g)) in now.enumerate() {
            let f = minus(g, v);
            if let Some(body) = self.bodies.get_mut(k) {
                body.steps = [(minus(v, body.v), minus(f, body.f)), body.steps[0]];
                (body.v, body.f) = (v, f);
            } else {
                let none = (Vec3::ZERO, Vec3::ZERO);
                self.bodies.push(Track { v, f, steps: [(none, none); DEPTH] });
            }
        }
        // What leads away is forgotten. (At twice the least change, 60 frames of `net-truck` take 86 factorizations
        // each, so 43; plain steps 56.)
        self.taken += 1;
        let away = self.taken <= self.plain || change > self.least;
        self.count = if away { 0 } else { DEPTH.min(self.count + 1) };
        self.least = self.least.min(change);
    }

    /// γ; zero where the differences say nothing.
    pub(super) fn weights(&self) -> [f64; DEPTH] {
        let [mut pp, mut pq, mut qq, mut pf, mut qf] = [0.0; 5];
        for body in &self.bodies {
            let ([p, q], f) = (body.steps.map(|(_, df)| df.1), body.f.1);
            pp += p.dot(p);
            pq += p.dot(q);
            qq += q.dot(q);
            pf += p.dot(f);
            qf += q.dot(f);
        }
        let one = [pf / pp, 0.0];
        let det = pp * qq - pq * pq;
        let two = [(pf * qq - pq * qf) / det, (pp * qf - pq * pf) / det];
        // (Differences that are nearly parallel are one.)
        let is_sound = det > 1e-6 * pp * qq;
        let gamma = match self.count {
            2 if is_sound => two,
            0 => [0.0; DEPTH],
            _ => one,
        };
        if gamma.iter().all(|g| g.abs() <= FAR) { gamma } else { [0.0; DEPTH] }
    }

    /// Instead of mixing: the share of the step to take, less than one where steps alternate (Aitken's
    /// factor). For islands with cables: one of twenty random ones created 31 J where differences were mixed, and
    /// 0.7 J so.
    pub(super) fn shorten(&mut self) -> f64 {
        let turns = self.bodies.iter().map(|b| (b.f.1, b.f.1 - b.steps[0].1.1));
        let (along, square) = turns.fold((0.0, 0.0), |(along, square), (now, before)| {
            (along + now.dot(before), square + before.length_squared())
        });
        if self.taken > 1 && square > 0.0 {
            self.share = (self.share / (1.0 - along / square).max(0.1)).clamp(LEAST, 1.0);
        }
        self.share
    }

    /// A share of the step of a body.
    pub(super) fn part(&self, body: usize, share: f64) -> Twist {
        let Track { v, f, .. } = &self.bodies[body];
        (v.0 + f.0 * share, v.1 + f.1 * share)
    }

    /// The next v̄ of a body.
    pub(super) fn next(&self, body: usize, gamma: &[f64; DEPTH]) -> Twist {
        let Track { v, f, steps } = &self.bodies[body];
        let mut next = (v.0 + f.0, v.1 + f.1);
        for ((dv, df), g) in steps.iter().zip(gamma) {
            next.0 -= (dv.0 + df.0) * *g;
            next.1 -= (dv.1 + df.1) * *g;
        }
        next
    }
}

fn minus(a: Twist, b: Twist) -> Twist {
    (a.0 - b.0, a.1 - b.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two slow directions, one to and fro: exact two iterations after the plain ones, which leave a sixth.
    #[test]
    fn two_slow_directions_are_followed() {
        let still = (Vec3::ZERO, Vec3::ZERO);
        let map = |v: Twist| (v.0, Vec3::new(0.7 * v.1.x + 0.3, 2.0 - 0.6 * v.1.y, 0.0));
        let mut mixing = Mixing::default();
        mixing.clear(true);
        let mut v = still;
        for _ in 0..PLAIN + 2 {
            let g = map(v);
            let change = (g.1 - v.1).length();
            mixing.take(change, [(v, g)].into_iter());
            v = mixing.next(0, &mixing.weights());
        }
        assert!((v.1 - Vec3::new(1.0, 1.25, 0.0)).length() < 1e-12, "{v:?}");
    }
}
