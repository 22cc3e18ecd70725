//! Stations for the solids that a cable finds in its way: one for each between each two stations that were named.
//!
//! Which of them comes first along the cable changes as bodies move. Those that it does not touch are put, between steps, where they are nearest to it: into
//! the span between two that it touches, and there in the order in which they lie along it. Nothing of the way changes by that.

use super::path::{Way, away, nearest};
use super::solid::Solid;
use super::{Cable, CableState, Obstacle, Station};
use crate::math::Vec3;
use crate::scene::BodyState;
use crate::scene::joint::Frame;
use crate::slots::{BodyId, Slots};

/// More stations than a step should look at: each solid is one between each two that were named.
const MOST: usize = 2000;

impl Cable {
    /// The cable with a station for each solid of the bodies around which it may lie.
    pub(crate) fn with_solids(mut self, bodies: &Slots<BodyState>) -> Result<Cable, String> {
        self.stations.retain(|s| s.solid.is_none());
        self.solids.0.clear();
        if self.around.is_empty() {
            return Ok(self);
        }
        let mut found = Vec::new();
        for (i, obstacle) in self.around.iter().enumerate() {
            let (id, friction) = (obstacle.body, obstacle.friction);
            let Some(body) = bodies.get(id.index, id.generation) else {
                return Err(format!("around {i}: there is no such body"));
            };
            let name = &body.body.name;
            if friction.is_nan() || friction < 0.0 {
                return Err(format!("around '{name}': friction {friction} must be at least 0"));
            }
            if obstacle.side.is_some_and(|s| !s.is_finite() || s.try_normalize().is_none()) {
                return Err(format!("around '{name}': its side has no direction"));
            }
            if self.around[..i].iter().any(|o| o.body == id) {
                return Err(format!("around '{name}': it is named twice"));
            }
            let before = self.solids.0.len();
            for collider in &body.body.colliders {
                let parts = Solid::of(&collider.shape, collider.pose);
                self.solids.0.extend(parts.map_err(|e| format!("around '{name}': {e}"))?);
            }
            if self.solids.0.len() == before {
                return Err(format!(
                    "around '{name}': it has no box, ball, cylinder, capsule, cone or hull to lie on"
                ));
            }
            let own = before as u32..self.solids.0.len() as u32;
            found.extend(own.map(|solid| (Frame::Body(id), friction, solid)));
        }
        let named = std::mem::take(&mut self.stations);
        let gaps = if self.closed { named.len() } else { named.len().saturating_sub(1) };
        if gaps * found.len() > MOST {
            let (solids, most) = (found.len(), MOST);
            return Err(format!("{solids} shapes around {gaps} spans are more than {most}"));
        }
        for (k, station) in named.into_iter().enumerate() {
            self.stations.push(station);
            for &(frame, friction, solid) in found.iter().filter(|_| k < gaps) {
                let centre = self.solids.0[solid as usize].centre;
                let solid = Some(solid);
                self.stations.push(Station { friction, solid, ..Station::point(frame, centre) });
            }
        }
        Ok(self)
    }
}

impl CableState {
    /// Lines past solids onto which the cable is put from a side, as if it came from there.
    pub(super) fn sides(&self, way: &Way) -> Vec<Option<[Vec3; 2]>> {
        let come = |(k, line): (usize, Option<[Vec3; 2]>)| {
            let (solid, body) = (self.cable.solid(k)?, self.cable.stations[k].frame.body()?);
            let obstacle = self.cable.around.iter().find(|o| o.body == body)?;
            let up = way.lying[k].pose.rotation.inverse() * obstacle.side?.try_normalize()?;
            let ends = line?;
            let below = ends.map(|p| (solid.centre - p).dot(up).max(0.0));
            let far = 2.0 * solid.size + below[0].max(below[1]);
            Some(ends.map(|p| p + up * far))
        };
        way.lines(&self.cable).enumerate().map(come).collect()
    }

    /// The first body that the cable was to lie on from a side, does not touch, and passes on the other side of its middle.
    pub(crate) fn off_side(&self, way: &Way) -> Option<BodyId> {
        let lines: Vec<_> = way.lines(&self.cable).collect();
        let is_off = |o: &&Obstacle| {
            let Some(side) = o.side.and_then(|s| s.try_normalize()) else { return false };
            let beyond = |k: usize| {
                let (Some(solid), Some([p, q])) = (self.cable.solid(k), lines[k]) else {
                    return false;
                };
                let up = way.lying[k].pose.rotation.inverse() * side;
                (nearest(solid.centre, p, q) - solid.centre).dot(up) < -solid.rounding()
            };
            let own = |k: &usize| {
                let station = &self.cable.stations[*k];
                station.solid.is_some() && station.frame.body() == Some(o.body)
            };
            (0..lines.len()).filter(own).all(beyond)
        };
        self.cable.around.iter().find(is_off).map(|o| o.body)
    }

    /// Puts stations of solids that the cable does not touch where they are nearest to it; whether anything changed.
    pub(crate) fn arrange(&mut self, way: &Way) -> bool {
        let count = self.cable.stations.len();
        let solid = |k: usize| self.cable.stations[k].solid.is_some();
        if self.cable.solids.0.len() < 2 {
            return false;
        }
        let mut order: Vec<usize> = Vec::with_capacity(count);
        let mut k = 0;
        while k < count {
            order.push(k);
            let run = k + 1..(k + 1..count).take_while(|&i| solid(i)).last().map_or(k, |i| i) + 1;
            order.extend(self.arranged(way, k, run.clone()));
            k = run.end;
        }
        let changed = order.iter().enumerate().any(|(i, &k)| i != k);
        if changed {
            self.permute(&order);
        }
        changed
    }

    /// The order of a run of solids behind station k.
    fn arranged(&self, way: &Way, k: usize, run: std::ops::Range<usize>) -> Vec<usize> {
        // Spans of the run that there are: those of stations that the cable touches.
        let first = if way.touches[k] { Some(k) } else { way.last_before(k) };
        let spans: Vec<usize> =
            first.into_iter().chain(run.clone().filter(|&i| way.touches[i])).collect();
        let mut keys: Vec<(usize, f64, usize)> = Vec::new();
        for i in run {
            if let Some(own) = spans.iter().skip(1).position(|&s| s == i) {
                keys.push((own + 1, f64::NEG_INFINITY, i));
                continue;
            }
            let centre = self.cable.solid(i).map_or(Vec3::ZERO, |s| s.centre);
            let c = way.lying[i].pose.transform_point(centre);
            let near = |(n, &s): (usize, &usize)| {
                let [p, q] = way.spans[s].ends;
                let t = (c - p).dot(q - p) / (q - p).length_squared().max(f64::MIN_POSITIVE);
                (away(c, p, q), n, t)
            };
            let best = spans.iter().enumerate().map(near).min_by(|a, b| a.0.total_cmp(&b.0));
            let (_, n, t) = best.unwrap_or((0.0, 0, 0.0));
            keys.push((n, t, i));
        }
        keys.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        keys.into_iter().map(|key| key.2).collect()
    }

    /// Puts stations, and all that is known of them, into another order. (Each field is named: one that is forgotten here would stay with
    /// another station.)
    fn permute(&mut self, order: &[usize]) {
        fn by<T: Clone>(order: &[usize], list: &mut Vec<T>) {
            debug_assert_eq!(list.len(), order.len());
            *list = order.iter().filter_map(|&k| list.get(k).cloned()).collect();
        }
        self.permute_rows(order);
        let CableState {
            cable,
            // Of stations.
            wraps,
            touches,
            angles,
            turned,
            marks,
            left,
            faces,
            came,
            // Of spans.
            rests,
            tensions,
            acting,
            means,
            // Of rows, above.
            memory: _,
            // Of the whole cable, and of its ends, which stay.
            length: _,
            anchors: _,
            way: _,
            paid: _,
            before: _,
            stop: _,
            stopped: _,
            pulled: _,
        } = self;
        by(order, &mut cable.stations);
        by(order, wraps);
        by(order, touches);
        by(order, angles);
        by(order, turned);
        by(order, marks);
        by(order, left);
        by(order, faces);
        if came.len() == order.len() {
            by(order, came);
        } else {
            came.clear(); // (a snapshot need not have them)
        }
        // Of spans: that of a station which the cable does not touch is no other than the one before it.
        for list in [tensions, acting, means] {
            let old = list.clone();
            let mut last = old.first().copied().unwrap_or(0.0);
            for (i, t) in list.iter_mut().enumerate() {
                last = if touches[i] { old[order[i]] } else { last };
                *t = last;
            }
        }
        // (None where the cable has no segments.)
        if !rests.is_empty() {
            by(&order[..cable.spans()], rests);
        }
    }

    /// The same of its rows: the length, and each station at which it rubs.
    fn permute_rows(&mut self, order: &[usize]) {
        let rubbing: Vec<usize> = self.cable.rubbing().collect();
        let row = |k: usize| rubbing.iter().position(|&r| r == k).map(|j| 1 + j);
        if self.memory.len() == 1 + rubbing.len() {
            let old = self.memory.clone();
            let rows = order.iter().filter_map(|&k| row(k)).map(|i| old[i]);
            self.memory = std::iter::once(old[0]).chain(rows).collect();
        }
    }
}
