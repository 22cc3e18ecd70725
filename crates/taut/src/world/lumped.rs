//! Cables with mass: points along their spans, with cables without mass between them.
//!
//! Problem: a cable of 500 m hangs by its own weight, which one row does not have. Method: the free length of
//! the cable is divided into as many parts as there are points, each point in the middle of its part with all of its mass, so that
//! the ends carry the whole weight. What is between two points is a cable of its own, through the stations that
//! lie there: rows stay short, and the problem is that of a chain. A single span that is longer than the distance of
//! its ends starts as it hangs: the forces (H, V) at its first end decide where each point is, and
//! Newton finds those that lead to the other end, from the closed form of the catenary.
//!
//! Where Newton does not arrive points start on the straight line and fall from
//! there. Fails where points would have to run over pulleys: they are fixed to the cable, and a winch takes in the first part
//! alone. Cost: a body and a row a point. Error: of second order in 1/points.
//!
//! Reference: Irvine 1981, Cable structures (catenary).

use super::World;
use crate::Error;
use crate::cables::{Cable, Station};
use crate::math::Vec3;
use crate::scene::Body;
use crate::slots::{BodyId, CableId};

/// Newton's iterations on the forces at an end.
const ITERATIONS: usize = 100;
/// What the other end may miss by, relative to the length: Newton's last digits.
const ARRIVED: f64 = 1e-12;
/// What is still an answer where no step leads nearer: a cable of a kilometre misses by a micrometre.
const NEAR_ENOUGH: f64 = 1e-9;
/// A step that must be shorter than this share of Newton's leads nowhere.
const SHORTEST: f64 = 1e-6;

/// A place on a cable with points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CablePlace {
    /// A station of the definition.
    Station(usize),
    /// A point with mass.
    Point(usize),
}

/// More points than a world of them could hold.
const MOST_POINTS: usize = 100_000;

/// How a cable is divided, see [`World::divide_cable`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DividedCable {
    /// Mass \[kg\] and position of each point.
    pub points: Vec<(f64, Vec3)>,
    /// What each part goes through, and its rest length \[m\].
    pub parts: Vec<(Vec<CablePlace>, f64)>,
}

impl World {
    /// Adds a cable with mass: `points` bodies, called by its name and ".p0", ".p1" …, and cables without mass between them,
    /// called by its name and ".0", ".1" …, which are returned. A winch takes in the first of them. Where one of them is refused, a name
    /// that is taken, nothing stays.
    ///
    /// ```
    /// use taut::{Cable, Frame, Station, World, math::Vec3};
    /// let mut world = World::new();
    /// let pole = |x: f64| Station::point(Frame::World, Vec3::new(x, 0.0, 0.0));
    /// let line = Cable::new("line").via(pole(0.0)).via(pole(100.0)).length(101.0);
    /// let parts = world.add_cable_with_mass(line, 2.0, 50)?;
    /// world.step(0.01)?;
    /// let vertical = 0.5 * 101.0 * 2.0 * 9.81;
    /// assert!(world.cable(parts[0])?.tension() > vertical);
    /// # Ok::<(), taut::Error>(())
    /// ```
    pub fn add_cable_with_mass(
        &mut self,
        cable: Cable,
        mass_per_length: f64,
        points: usize,
    ) -> Result<Vec<CableId>, Error> {
        let divided = self.divide_cable(&cable, mass_per_length, points)?;
        let (mut bodies, mut parts) = (Vec::new(), Vec::new());
        if let Err(e) = self.add_divided(&cable, &divided, &mut bodies, &mut parts) {
            for id in parts {
                self.remove_cable(id)?;
            }
            for id in bodies {
                self.remove_body(id)?;
            }
            return Err(e);
        }
        Ok(parts)
    }

    /// Adds points and parts of a cable, up to the first that is refused.
    fn add_divided(
        &mut self,
        cable: &Cable,
        divided: &DividedCable,
        bodies: &mut Vec<BodyId>,
        parts: &mut Vec<CableId>,
    ) -> Result<(), Error> {
        let name = &cable.name;
        for (k, &(mass, at)) in divided.points.iter().enumerate() {
            let body = Body::dynamic(format!("{name}.p{k}")).mass(mass).position(at);
            bodies.push(self.add_body(body.box_inertia([POINT; 3]).collides(false))?);
        }
        for (k, (places, length)) in divided.parts.iter().enumerate() {
            let mut part = Cable {
                name: format!("{name}.{k}"),
                stations: Vec::new(),
                length: Some(*length),
                winch: cable.winch.filter(|_| k == 0),
                ..cable.clone()
            };
            for place in places {
                part = part.via(match *place {
                    CablePlace::Station(i) => cable.stations[i],
                    CablePlace::Point(i) => Station::point(bodies[i], Vec3::ZERO),
                });
            }
            parts.push(self.add_cable(part)?);
        }
        Ok(())
    }

    /// How [`World::add_cable_with_mass`] divides a cable of this mass \[kg/m\]. Refuses belts, and what
    /// [`World::add_cable`] refuses, but for cables that go through no body.
    pub fn divide_cable(
        &self,
        cable: &Cable,
        mass_per_length: f64,
        points: usize,
    ) -> Result<DividedCable, Error> {
        let fail = |reason: String| Err(Error::cable(&cable.name, reason));
        if !(mass_per_length > 0.0 && mass_per_length.is_finite()) {
            return fail(format!("{mass_per_length} kg/m must be finite and positive"));
        }
        if points == 0 || cable.closed {
            return fail("mass needs one point at least, and a cable that is not closed".into());
        }
        if !cable.around.is_empty() {
            return fail("a cable with mass does not look for bodies in its way".into());
        }
        if points > MOST_POINTS {
            return fail(format!("{points} points are more than {MOST_POINTS}"));
        }
        let state = self.resolve_unheld(cable.clone())?;
        let way = state.way_now(&self.bodies);
        let free: f64 = way.spans.iter().map(|s| s.length).sum();
        let slack = (state.length - state.way).max(0.0);
        let spans = cable.spans();
        // Rest length of what is free in each span, and the points that it gets.
        let stretched = if state.length < state.way { state.length / state.way } else { 1.0 };
        let rest: Vec<f64> =
            way.spans.iter().map(|s| s.length * (stretched + slack / free)).collect();
        let all: f64 = rest.iter().sum();
        let counts = shares(&rest, points);
        let mut divided = DividedCable::default();
        let arc = |k: usize| {
            let wrap = way.wraps[k].max(0.0);
            let arc = way.nodes[k].circle.map_or(0.0, |c| c.wound(wrap));
            if way.touches[k] { stretched * arc } else { 0.0 }
        };
        let (mut places, mut length) = (vec![CablePlace::Station(0)], arc(0));
        for k in 0..spans {
            let n = counts[k];
            let part = if n == 0 { rest[k] } else { rest[k] / n as f64 };
            let mass = mass_per_length * all / points as f64;
            let [from, to] = way.spans[k].ends;
            let load = (mass, cable.stiffness);
            let at = self.hang(from, to, part, n, load);
            length += 0.5 * part;
            for &x in &at {
                places.push(CablePlace::Point(divided.points.len()));
                let next = vec![CablePlace::Point(divided.points.len())];
                divided.parts.push((std::mem::replace(&mut places, next), length));
                divided.points.push((mass, x));
                length = part;
            }
            // Half a part behind the last point; a whole one where there is none.
            length -= if n == 0 { -0.5 * part } else { 0.5 * part };
            places.push(CablePlace::Station(k + 1));
            length += arc(k + 1);
        }
        divided.parts.push((places, length));
        Ok(divided)
    }

    /// Where n points with parts of this rest length around them hang between two places.
    fn hang(&self, from: Vec3, to: Vec3, part: f64, n: usize, load: (f64, f64)) -> Vec<Vec3> {
        let (d, rest) = (to - from, part * n as f64);
        let line = |i: usize| from + d * ((i as f64 + 0.5) / n as f64);
        let straight = || (0..n).map(line).collect();
        let g = self.gravity.length();
        let up = -self.gravity.normalize_or_zero();
        let flat = d - up * d.dot(up);
        let (dx, dz) = (flat.length(), d.dot(up));
        if n == 0 || rest <= d.length() * (1.0 + 1e-9) || g == 0.0 {
            return straight();
        }
        let along = flat.normalize_or_zero();
        match shoot((dx, dz), part, n, (load.0 * g, load.1)) {
            Some(points) => points.iter().map(|&(x, z)| from + along * x + up * z).collect(),
            None => straight(),
        }
    }
}

/// Size of a point for its moment of inertia, which nothing turns \[m\].
const POINT: f64 = 0.1;

/// Points for parts of these lengths: as near to their shares as whole numbers come.
fn shares(lengths: &[f64], points: usize) -> Vec<usize> {
    let all: f64 = lengths.iter().sum();
    let (mut sum, mut given) = (0.0, 0);
    let next = |l: &f64| {
        sum += l;
        let until = (points as f64 * sum / all).round() as usize;
        let own = until - given;
        given = until;
        own
    };
    lengths.iter().map(next).collect()
}

/// Points with the weight w between (0, 0) and (x, z), with parts of a rest length and a stiffness: Newton on the
/// forces at the first end, from those of a catenary that does not stretch.
fn shoot((x, z): (f64, f64), part: f64, n: usize, (w, ea): (f64, f64)) -> Option<Vec<(f64, f64)>> {
    let length = part * n as f64;
    let (mut h, mut v) = catenary_force((x, z), length, w / part);
    let walk = |h: f64, v: f64| hang((h, v), part, n, (w, ea));
    let miss = |at: (f64, f64)| (at.0 - x).hypot(at.1 - z);
    let (mut at, mut j, mut points) = walk(h, v);
    for _ in 0..ITERATIONS {
        if miss(at) <= ARRIVED * length {
            return Some(points);
        }
        let det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
        let (rx, rz) = (x - at.0, z - at.1);
        let dh = (rx * j[1][1] - rz * j[0][1]) / det;
        let dv = (rz * j[0][0] - rx * j[1][0]) / det;
        let mut share = 1.0;
        let found = loop {
            let next = walk(h + share * dh, v + share * dv);
            if miss(next.0) < miss(at) {
                break Some(next);
            }
            share *= 0.5;
            if share < SHORTEST {
                break None;
            }
        };
        let Some(next) = found else { break };
        (h, v) = (h + share * dh, v + share * dv);
        (at, j, points) = next;
    }
    (miss(at) <= NEAR_ENOUGH * length).then_some(points)
}

/// Force (H, V) at the first end of a catenary of a length and a weight per length: sinh(s)/s = √(L² − z²)/x, by bisection.
fn catenary_force((x, z): (f64, f64), length: f64, per_length: f64) -> (f64, f64) {
    let wide = x.max(1e-3 * length);
    let ratio = (length * length - z * z).max(0.0).sqrt() / wide;
    let (mut low, mut high) = (1e-9_f64, 50.0_f64);
    for _ in 0..100 {
        let s = 0.5 * (low + high);
        if s.sinh() / s < ratio { low = s } else { high = s }
    }
    let s = 0.5 * (low + high);
    (per_length * wide / (2.0 * s), 0.5 * per_length * (length - z / s.tanh()))
}

/// Where a row of n points ends that hangs with the force (H, −V) at its first end, how that changes with H and V, and its
/// points: t in the span behind the j-th is (H, jw − V).
type Hanging = ((f64, f64), [[f64; 2]; 2], Vec<(f64, f64)>);

fn hang((h, v): (f64, f64), part: f64, n: usize, (w, ea): (f64, f64)) -> Hanging {
    let (mut at, mut jacobian) = ((0.0, 0.0), [[0.0; 2]; 2]);
    let mut points = Vec::with_capacity(n);
    for j in 0..=n {
        let own = if j == 0 || j == n { 0.5 * part } else { part };
        let t = (h, j as f64 * w - v);
        let size = t.0.hypot(t.1).max(1e-12 * w);
        let (ux, uz) = (t.0 / size, t.1 / size);
        let long = own * (1.0 + size / ea);
        at = (at.0 + long * ux, at.1 + long * uz);
        // d(l u)/dt = l (1 − uuᵀ)/|t| + (own/EA) uuᵀ
        let (across, along) = (long / size, own / ea);
        jacobian[0][0] += across * (1.0 - ux * ux) + along * ux * ux;
        jacobian[0][1] -= (along - across) * ux * uz;
        jacobian[1][0] += (along - across) * ux * uz;
        jacobian[1][1] -= across * (1.0 - uz * uz) + along * uz * uz;
        if j < n {
            points.push(at);
        }
    }
    (at, jacobian, points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_hang_in_balance() {
        for (x, z, length) in [
            (480.0, 0.0, 500.0),
            (300.0, 0.0, 500.0),
            (400.0, 0.0, 500.0),
            (100.0, 60.0, 117.0),
            (3.0, 0.0, 3.0001),
            (0.5, -4.0, 9.0),
        ] {
            let n = 50;
            let points = shoot((x, z), length / n as f64, n, (10.0, f64::INFINITY)).unwrap();
            assert_eq!(points.len(), n);
            // The horizontal force is the same on both sides of each point, the vertical one differs by w.
            let at = |i: usize| {
                if i == 0 {
                    (0.0, 0.0)
                } else if i > n {
                    (x, z)
                } else {
                    points[i - 1]
                }
            };
            let slope = |i: usize| (at(i + 1).1 - at(i).1) / (at(i + 1).0 - at(i).0);
            let first = slope(1) - slope(0);
            for i in 1..n {
                let step = slope(i + 1) - slope(i);
                assert!((step / first - 1.0).abs() < 1e-4, "{x} {z} {length}, {i}: {step} {first}");
            }
        }
    }

    #[test]
    fn every_point_finds_a_span() {
        assert_eq!(shares(&[1.0, 1.0], 5), [3, 2]);
        assert_eq!(shares(&[1.0, 100.0], 10), [0, 10]);
        assert_eq!(shares(&[2.0, 3.0, 5.0], 10), [2, 3, 5]);
    }
}
