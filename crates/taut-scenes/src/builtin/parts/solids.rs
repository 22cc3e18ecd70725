//! Surfaces of solids that are not convex, for shapes `sdf`.

use crate::file::Shape;
use std::f64::consts::{PI, TAU};
use taut::math::Vec3;

/// Rings of points, one after the other, with the same number each.
struct Rings {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    around: usize,
}

impl Rings {
    fn new(around: usize) -> Self {
        Self { vertices: Vec::new(), triangles: Vec::new(), around }
    }

    /// Adds a ring and returns its number.
    fn ring(&mut self, points: impl Iterator<Item = Vec3>) -> usize {
        self.vertices.extend(points.map(|p| p.to_array()));
        self.vertices.len() / self.around - 1
    }

    /// The wall from ring `i` to ring `j`: seen from outside, rings run counter-clockwise about the way there.
    fn wall(&mut self, i: usize, j: usize) {
        let at = |ring: usize, k: usize| (ring * self.around + k % self.around) as u32;
        for k in 0..self.around {
            let (a, b, c, d) = (at(i, k), at(i, k + 1), at(j, k + 1), at(j, k));
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }

    /// Closes ring `i` with a fan around a point; `up`: seen from the side it runs counter-clockwise.
    fn cap(&mut self, i: usize, centre: Vec3, up: bool) {
        let apex = self.vertices.len() as u32;
        self.vertices.push(centre.to_array());
        for k in 0..self.around {
            let (a, b) =
                ((i * self.around + k) as u32, (i * self.around + (k + 1) % self.around) as u32);
            self.triangles.push(if up { [a, b, apex] } else { [b, a, apex] });
        }
    }

    fn shape(self) -> Shape {
        Shape::Sdf { vertices: self.vertices, triangles: self.triangles, cells: None }
    }
}

/// A round bar of `radius` along points: a ring if closed, else with flat ends. `side` is never along it.
pub(in super::super) fn bar(
    points: &[Vec3],
    closed: bool,
    radius: f64,
    side: Vec3,
    around: usize,
) -> Shape {
    let n = points.len();
    let mut rings = Rings::new(around);
    for i in 0..n {
        let (before, after) = match closed {
            true => (points[(i + n - 1) % n], points[(i + 1) % n]),
            false => (points[i.saturating_sub(1)], points[(i + 1).min(n - 1)]),
        };
        let along = (after - before).normalize();
        let u = side.cross(along).normalize();
        let v = along.cross(u);
        rings.ring((0..around).map(|k| {
            let (s, c) = (TAU * k as f64 / around as f64).sin_cos();
            points[i] + radius * (c * u + s * v)
        }));
    }
    for i in 1..n {
        rings.wall(i - 1, i);
    }
    if closed {
        rings.wall(n - 1, 0);
    } else {
        rings.cap(0, points[0], false);
        rings.cap(n - 1, points[n - 1], true);
    }
    rings.shape()
}

/// The middle of a chain link's bar in the x-z plane, long along z: two half circles, counter-clockwise seen along −y.
pub(in super::super) fn stadium(straight: f64, radius: f64, steps: usize) -> Vec<Vec3> {
    let mut points = Vec::new();
    for (sign, start) in [(1.0, 0.0), (-1.0, PI)] {
        for i in 0..=steps {
            let (s, c) = (start + PI * i as f64 / steps as f64).sin_cos();
            points.push(Vec3::new(radius * c, 0.0, radius * s + 0.5 * sign * straight));
        }
        // Down or up the straight side, in pieces as long as those of the bend.
        let pieces = (straight * steps as f64 / (PI * radius)).ceil() as usize;
        for i in 1..pieces {
            let z = sign * straight * (0.5 - i as f64 / pieces as f64);
            points.push(Vec3::new(-sign * radius, 0.0, z));
        }
    }
    points
}
