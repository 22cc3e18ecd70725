//! Of many contacts of a pair those that will do.

use super::Meshes;
use crate::collide::Motion;
use crate::math::Vec3;

/// Contacts of a pair, at most. A bolt touches its nut along turns of its thread: with 12 it rocked.
const MOST: usize = 24;
/// Contacts nearer than this share of the thickness, with like normals, are one.
const SPACING: f64 = 0.05;
/// How much a turned normal counts as distance, as a share of the thickness.
const TURNED: f64 = 0.5;
/// How much a larger gap counts against distance: what is higher by a sixth of it comes later.
const HIGHER: f64 = 6.0;
/// Gaps that differ by less than this share of the thickness are equal.
const LEVEL: f64 = 1e-3;

impl Meshes {
    /// Keeps the deepest, then again and again the one that is farthest from those kept, in place and in normal, until all
    /// are near to one or much higher. Nearly equal ones are decided by their names.
    pub(super) fn thin_out(&mut self, [a, b]: [&Motion; 2], dt: f64, thick: f64) {
        let speed =
            |m: &Motion, x: Vec3| m.velocity + m.angular_velocity.cross(x - m.pose.translation);
        self.ahead.clear();
        self.ahead.extend(
            self.contacts
                .iter()
                .map(|(p, n)| p.gap + dt * n.dot(speed(b, p.point_b) - speed(a, p.point_a))),
        );
        let level = |gap: f64| (gap / (LEVEL * thick)).round();
        let count = self.contacts.len();
        let levels = self.ahead.iter().map(|&gap| level(gap));
        let lowest = (0..count).zip(levels).min_by(|(_, g), (_, h)| g.total_cmp(h));
        let Some((mut next, _)) = lowest else { return };
        let least = self.ahead[next];
        self.far.clear();
        self.far.resize(count, f64::INFINITY);
        let mut kept = Vec::new();
        loop {
            kept.push(next);
            self.far[next] = f64::NEG_INFINITY;
            let (p, n) = self.contacts[next];
            for (i, (q, m)) in self.contacts.iter().enumerate() {
                let d = p.point_a.distance(q.point_a) + TURNED * thick * n.distance(*m);
                self.far[i] = self.far[i].min(d);
            }
            let score = |i: usize| self.far[i] - HIGHER * (self.ahead[i] - least);
            let best = (0..count).max_by(|&i, &j| score(i).total_cmp(&score(j)).then(j.cmp(&i)));
            match best.filter(|&i| score(i) > SPACING * thick && kept.len() < MOST) {
                Some(i) => next = i,
                None => break,
            }
        }
        kept.sort_unstable();
        let mut at = 0;
        self.contacts.retain(|_| {
            at += 1;
            kept.binary_search(&(at - 1)).is_ok()
        });
    }
}
