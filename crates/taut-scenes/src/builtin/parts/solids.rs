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
        Shape::Sdf { vertices: self.vertices, triangles: self.triangles }
    }
}

/// A round bar of `radius` along points: a ring if closed, else with flat ends. `side` is never along it. Flats, not edges,
/// face across it and along `side`.
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
            let (s, c) = (TAU * (k as f64 + 0.5) / around as f64).sin_cos();
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

/// A disc with an outline (counter-clockwise, every point seen from the origin), from −half to +half along z.
pub(in super::super) fn extruded(outline: &[[f64; 2]], half: f64) -> Shape {
    let mut rings = Rings::new(outline.len());
    // Points in the middle, too: those at the ends may be beyond the ends of what it meets.
    for z in [-half, 0.0, half] {
        rings.ring(outline.iter().map(|p| Vec3::new(p[0], p[1], z)));
    }
    rings.wall(0, 1);
    rings.wall(1, 2);
    rings.cap(0, Vec3::new(0.0, 0.0, -half), false);
    rings.cap(2, Vec3::new(0.0, 0.0, half), true);
    rings.shape()
}

/// A right-handed thread about z: its radius is a cosine of the height over the turn.
#[derive(Clone, Copy)]
pub(in super::super) struct Thread {
    pub(in super::super) radius: f64,
    pub(in super::super) depth: f64,
    pub(in super::super) pitch: f64,
}

/// Points around, and rings per turn.
const AROUND: usize = 36;
const PER_TURN: f64 = 12.0;

impl Thread {
    /// A ring of the thread at a height.
    fn ring(&self, z: f64, wider: f64) -> impl Iterator<Item = Vec3> {
        let Self { radius, depth, pitch } = *self;
        (0..AROUND).map(move |k| {
            let angle = TAU * k as f64 / AROUND as f64;
            let r = radius + wider + 0.5 * depth * (TAU * z / pitch - angle).cos();
            Vec3::new(r * angle.cos(), r * angle.sin(), z)
        })
    }

    /// A bolt from z = 0 upwards.
    pub(in super::super) fn bolt(&self, length: f64) -> Shape {
        let mut rings = Rings::new(AROUND);
        let count = (length / self.pitch * PER_TURN).ceil() as usize;
        for i in 0..=count {
            rings.ring(self.ring(length * i as f64 / count as f64, 0.0));
        }
        for i in 1..=count {
            rings.wall(i - 1, i);
        }
        rings.cap(0, Vec3::ZERO, false);
        rings.cap(count, Vec3::Z * length, true);
        rings.shape()
    }

    /// A nut from z = 0 to its height, wider than the bolt by `play`.
    pub(in super::super) fn nut(&self, height: f64, outer: f64, play: f64) -> Shape {
        let mut rings = Rings::new(AROUND);
        let count = (height / self.pitch * PER_TURN).ceil() as usize;
        let z = |i: usize| height * i as f64 / count as f64;
        for i in 0..=count {
            rings.ring(self.ring(z(i), play));
        }
        let outside = |z: f64| {
            (0..AROUND).map(move |k| {
                let (s, c) = (TAU * k as f64 / AROUND as f64).sin_cos();
                Vec3::new(outer * c, outer * s, z)
            })
        };
        let low = rings.ring(outside(0.0));
        let high = rings.ring(outside(height));
        rings.wall(low, high);
        rings.wall(high, count);
        rings.wall(0, low);
        // Inside the walls face the axis; turned around, so that their diagonals run along the thread, as the bolt's do.
        let outside = rings.triangles.len();
        for i in 1..=count {
            rings.wall(i - 1, i);
        }
        rings.triangles[outside..].iter_mut().for_each(|t| t.swap(0, 1));
        rings.shape()
    }
}

/// The outline of a spur gear with involute flanks at 20°, its teeth thinner by `play` at the pitch circle; a tooth is
/// in the middle of the x axis.
pub(in super::super) fn gear(teeth: usize, module: f64, play: f64) -> Vec<[f64; 2]> {
    const FLANK: usize = 6;
    let pitch = 0.5 * module * teeth as f64;
    let pressure = 20.0_f64.to_radians();
    let base = pitch * pressure.cos();
    let (tip, root) = (pitch + module, pitch - 1.25 * module);
    let involute = |r: f64| {
        let angle = (base / r).min(1.0).acos();
        angle.tan() - angle
    };
    // Half the tooth's angle at a radius; below the base circle it widens a little.
    let half = |r: f64| {
        let foot = 0.01 * (base - r).max(0.0) / base;
        0.25 * TAU / teeth as f64 - 0.5 * play / pitch + involute(pitch) - involute(r.max(base))
            + foot
    };
    let mut outline = Vec::new();
    for tooth in 0..teeth {
        let middle = TAU * tooth as f64 / teeth as f64;
        let radii = (0..=FLANK).map(|i| root + (tip - root) * i as f64 / FLANK as f64);
        let mut push = |r: f64, angle: f64| outline.push([r * angle.cos(), r * angle.sin()]);
        radii.clone().for_each(|r| push(r, middle - half(r)));
        radii.rev().for_each(|r| push(r, middle + half(r)));
    }
    outline
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
