//! A field sampled on a grid that is fine near the surface alone, trilinear between its points.
//!
//! *Two levels*: corners of blocks of [`BLOCK`]³ cells everywhere; all points of the blocks that come nearer to the surface than
//! [`BAND`] cells. Where a fine block borders on a coarse one, its points on the border take the coarse interpolation, so
//! that the field is continuous; signs are exact at all points.
//!
//! *Accuracy*: within the band exact distances at the grid points; between them off by up to the cell's diagonal near sharp
//! edges, by its square over the radius where the surface is smooth. Features thinner than a cell vanish. Beyond the
//! band the same with blocks in place of cells. *Beyond the grid*: the value at its nearest point and the distance from there.
//! *Cost*: building asks for the distance of every point, beginning with the triangles nearest to its neighbours. Memory grows
//! with the surface, 1/cell², until blocks are many. A sample takes 8 numbers.
//!
//! Reference: Andrews22 2.3.3.

use crate::Error;
use crate::field::{Field, Sample};
use crate::surface::Surface;
use crate::vector::{Vec3, along, cross, dot, norm, scale, sub, unit};

/// Largest count of numbers that a grid stores: a gigabyte.
pub const MAX_SAMPLES: usize = 1 << 27;

/// Cells along the side of a block.
const BLOCK: usize = 4;
/// Points of a block along a side, and in all.
const SIDE: usize = BLOCK + 1;
const POINTS: usize = SIDE * SIDE * SIDE;
/// Half the width of the band in which the grid is fine, in cells.
const BAND: f64 = 1.0;
/// Cells left around the solid.
const BORDER: f64 = 2.0;
/// Number of a block that has no points of its own.
const COARSE: u32 = u32::MAX;

/// A sampled field.
#[derive(Debug, Clone)]
pub struct Grid {
    origin: Vec3,
    cell: f64,
    /// Along each axis.
    blocks: [usize; 3],
    /// The field at the corners of blocks.
    corners: Vec<f64>,
    /// Of each block where its points are in `values`, in units of [`POINTS`].
    fine: Vec<u32>,
    values: Vec<f64>,
    lipschitz: f64,
}

impl Grid {
    /// Samples the field of a surface with `cells` cells along its longest side, and a border of at least two.
    pub fn new(surface: &Surface, cells: usize) -> Result<Self, Error> {
        if cells < 2 {
            let value = cells as f64;
            return Err(Error::Number { name: "cells", value, range: "at least 2" });
        }
        let [lo, hi] = surface.bounds();
        let longest = (0..3).map(|k| hi[k] - lo[k]).fold(0.0, f64::max);
        Self::with_cell(surface, longest / cells as f64)
    }

    /// Samples the field of a surface with cells of a given size, in metres.
    pub fn with_cell(surface: &Surface, cell: f64) -> Result<Self, Error> {
        if !(cell > 0.0 && cell < 1e75) {
            return Err(Error::Number { name: "cell", value: cell, range: "positive" });
        }
        let [lo, hi] = surface.bounds();
        // Not as integers: these may overflow.
        let sizes = [0, 1, 2]
            .map(|k| (((hi[k] - lo[k]) / cell).ceil() + 2.0 * BORDER).max(1.0) / BLOCK as f64);
        let sizes = sizes.map(f64::ceil);
        let points = sizes.map(|n| n * BLOCK as f64 + 1.0);
        let too_large = Error::TooLarge(points[0], points[1], points[2]);
        let coarse: f64 = sizes.iter().map(|n| n + 1.0).product();
        // A plane has no more than √2 of its area in a cell.
        let least = coarse + area(surface) / (std::f64::consts::SQRT_2 * cell * cell);
        if least.is_nan() || least > MAX_SAMPLES as f64 {
            return Err(too_large);
        }
        let blocks = sizes.map(|n| n as usize);
        let middle = scale(along(lo, 1.0, hi), 0.5);
        let origin = [0, 1, 2].map(|k| middle[k] - 0.5 * cell * (blocks[k] * BLOCK) as f64);
        let mut grid = Self {
            origin,
            cell,
            blocks,
            corners: Vec::new(),
            fine: Vec::new(),
            values: Vec::new(),
            lipschitz: 1.0,
        };
        grid.fill_corners(surface);
        let count = grid.find_band(surface);
        if grid.corners.len() + count * POINTS > MAX_SAMPLES {
            return Err(too_large);
        }
        grid.fill_band(surface, count);
        grid.stitch();
        grid.lipschitz = grid.steepest().hypot(1.0);
        Ok(grid)
    }

    /// A grid point's place.
    fn place(&self, at: [usize; 3]) -> Vec3 {
        [0, 1, 2].map(|k| self.origin[k] + self.cell * at[k] as f64)
    }

    fn corner(&self, at: [usize; 3]) -> usize {
        let [nx, ny, _] = self.blocks;
        (at[2] * (ny + 1) + at[1]) * (nx + 1) + at[0]
    }

    fn block(&self, at: [usize; 3]) -> usize {
        let [nx, ny, _] = self.blocks;
        (at[2] * ny + at[1]) * nx + at[0]
    }

    /// All blocks, x fastest.
    fn all_blocks(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        positions(self.blocks)
    }

    fn fill_corners(&mut self, surface: &Surface) {
        let [nx, ny, nz] = self.blocks.map(|n| n + 1);
        let mut asked = Asked::new(surface, [nx, ny]);
        self.corners.reserve_exact(nx * ny * nz);
        for at in positions([nx, ny, nz]) {
            let p = self.place(at.map(|i| i * BLOCK));
            self.corners.push(asked.distance(p, at));
        }
    }

    /// Numbers the blocks that come near to the surface; how many they are.
    fn find_band(&mut self, surface: &Surface) -> usize {
        let mut count = 0;
        let mut near = Vec::new();
        let half = 0.5 * self.cell * BLOCK as f64;
        for at in self.all_blocks() {
            let middle = along(self.place(at.map(|i| i * BLOCK)), half, [1.0; 3]);
            let reach = half + BAND * self.cell;
            near.clear();
            surface.triangles_in(
                along(middle, -reach, [1.0; 3]),
                along(middle, reach, [1.0; 3]),
                &mut near,
            );
            let meets = near.iter().any(|&i| {
                // The box meets the plane, too.
                let [a, b, c] = surface.corners(i);
                let n = cross(sub(b, a), sub(c, a));
                dot(n, sub(middle, a)).abs() <= reach * (n[0].abs() + n[1].abs() + n[2].abs())
            });
            self.fine.push(if meets { count } else { COARSE });
            count += u32::from(meets);
        }
        count as usize
    }

    /// Points that a block before has are taken from there.
    fn fill_band(&mut self, surface: &Surface, count: usize) {
        self.values.reserve_exact(count * POINTS);
        let mut asked = Asked::new(surface, [SIDE, SIDE]);
        for at in self.all_blocks() {
            if self.fine[self.block(at)] == COARSE {
                continue;
            }
            let before = [0, 1, 2].map(|k| {
                let mut other = at;
                other[k] = at[k].checked_sub(1)?;
                let fine = self.fine[self.block(other)];
                (fine != COARSE).then_some(fine as usize * POINTS)
            });
            for p in positions([SIDE; 3]) {
                let shared = (0..3).find_map(|k| {
                    let mut q = p;
                    q[k] = BLOCK;
                    before[k].filter(|_| p[k] == 0).map(|start| self.values[start + local(q)])
                });
                let value = shared.unwrap_or_else(|| {
                    let g = [0, 1, 2].map(|k| at[k] * BLOCK + p[k]);
                    asked.distance(self.place(g), p)
                });
                self.values.push(value);
            }
        }
    }

    /// Points on the border of a coarse block get its value there.
    fn stitch(&mut self) {
        for at in self.all_blocks() {
            let fine = self.fine[self.block(at)];
            if fine == COARSE {
                continue;
            }
            for p in positions([SIDE; 3]) {
                // The blocks that have this point.
                let others = p.map(|i| match i {
                    0 => [-1, 0],
                    BLOCK => [0, 1],
                    _ => [0, 0],
                });
                let coarse = positions([2; 3]).find_map(|d| {
                    let mut other = [0; 3];
                    for k in 0..3 {
                        other[k] = at[k].checked_add_signed(others[k][d[k]])?;
                    }
                    let there = (0..3).all(|k| other[k] < self.blocks[k]);
                    (there && self.fine[self.block(other)] == COARSE).then_some(other)
                });
                if let Some(other) = coarse {
                    let share = [0, 1, 2]
                        .map(|k| (at[k] * BLOCK + p[k] - other[k] * BLOCK) as f64 / BLOCK as f64);
                    self.values[fine as usize * POINTS + local(p)] =
                        interpolate(self.coarse(other), share).0;
                }
            }
        }
    }

    /// The values at the corners of a block, x fastest.
    fn coarse(&self, at: [usize; 3]) -> [f64; 8] {
        let [nx, ny, _] = self.blocks.map(|n| n + 1);
        let i = self.corner(at);
        let at = |d: usize| i + (d & 1) + nx * (d >> 1 & 1) + nx * ny * (d >> 2);
        [0, 1, 2, 3, 4, 5, 6, 7].map(|d| self.corners[at(d)])
    }

    /// The values at the corners of a cell of a fine block, x fastest.
    fn cell_values(&self, fine: u32, at: [usize; 3]) -> [f64; 8] {
        let i = fine as usize * POINTS + local(at);
        [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|d: usize| self.values[i + (d & 1) + SIDE * (d >> 1 & 1) + SIDE * SIDE * (d >> 2)])
    }

    /// The steepest gradient of the interpolation, at least 1.
    fn steepest(&self) -> f64 {
        let mut most = 1.0_f64;
        for at in self.all_blocks() {
            match self.fine[self.block(at)] {
                COARSE => most = most.max(slope(self.coarse(at)) / (self.cell * BLOCK as f64)),
                fine => {
                    for p in positions([BLOCK; 3]) {
                        most = most.max(slope(self.cell_values(fine, p)) / self.cell);
                    }
                }
            }
        }
        most
    }

    /// Edge length of a cell.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// Number of grid points along each axis.
    pub fn counts(&self) -> [usize; 3] {
        self.blocks.map(|n| n * BLOCK + 1)
    }

    /// Count of numbers stored.
    pub fn samples(&self) -> usize {
        self.corners.len() + self.values.len()
    }
}

/// Exact distances of points row by row; the triangles nearest to a point's neighbours are near to it, too.
struct Asked<'a> {
    surface: &'a Surface,
    /// The nearest triangles of the last layer, and of this one as far as it is known.
    nearest: Vec<u32>,
    width: usize,
}

impl<'a> Asked<'a> {
    fn new(surface: &'a Surface, [nx, ny]: [usize; 2]) -> Self {
        Self { surface, nearest: vec![0; nx * ny], width: nx }
    }

    fn distance(&mut self, p: Vec3, at: [usize; 3]) -> f64 {
        let i = at[1] * self.width + at[0];
        let hints = [i, i.saturating_sub(1), i.saturating_sub(self.width)];
        let near = self.surface.search(p, f64::INFINITY, hints.map(|i| self.nearest[i]));
        self.nearest[i] = near.map_or(0, |n| n.place);
        near.map_or(f64::INFINITY, |n| n.sample.distance)
    }
}

/// All positions below `counts`, x fastest.
fn positions(counts: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [nx, ny, nz] = counts;
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

/// A point of a block by its number.
fn local([x, y, z]: [usize; 3]) -> usize {
    (z * SIDE + y) * SIDE + x
}

/// The value of a cell at a share of its sides, and the differences along these.
fn interpolate(v: [f64; 8], [x, y, z]: Vec3) -> (f64, Vec3) {
    // Equal to the ends at the ends, so that neighbours agree to the bit.
    let mix = |a: f64, b: f64, t: f64| (1.0 - t) * a + t * b;
    let edges = [0, 2, 4, 6].map(|i| mix(v[i], v[i + 1], x));
    let (low, high) = (mix(edges[0], edges[1], y), mix(edges[2], edges[3], y));
    let rise = [0, 2, 4, 6].map(|i| v[i + 1] - v[i]);
    let gradient = [
        mix(mix(rise[0], rise[1], y), mix(rise[2], rise[3], y), z),
        mix(edges[1] - edges[0], edges[3] - edges[2], z),
        high - low,
    ];
    (mix(low, high, z), gradient)
}

/// The steepest gradient in a cell of side 1. Its norm is convex along each axis, so it is greatest at a corner.
fn slope(v: [f64; 8]) -> f64 {
    let at = |i: usize| {
        let rise = |bit: usize| v[i] - v[i ^ bit];
        rise(1).powi(2) + rise(2).powi(2) + rise(4).powi(2)
    };
    (0..8).map(at).fold(0.0, f64::max).sqrt()
}

fn area(surface: &Surface) -> f64 {
    let twice = |i: u32| {
        let [a, b, c] = surface.corners(i);
        norm(cross(sub(b, a), sub(c, a)))
    };
    0.5 * (0..surface.triangles().len() as u32).map(twice).sum::<f64>()
}

impl Field for Grid {
    fn sample(&self, point: Vec3) -> Sample {
        let mut index = [0_usize; 3];
        let mut share = [0.0; 3];
        let mut inside = point;
        for k in 0..3 {
            let count = self.blocks[k] * BLOCK;
            // NaN becomes 0.
            let x = ((point[k] - self.origin[k]) / self.cell).max(0.0).min(count as f64);
            let within = x > 0.0 && x < count as f64;
            inside[k] = if within { point[k] } else { self.origin[k] + x * self.cell };
            index[k] = (x as usize).min(count - 1);
            share[k] = x - index[k] as f64;
        }
        let at = index.map(|i| i / BLOCK);
        let (distance, gradient) = match self.fine[self.block(at)] {
            COARSE => {
                let wide = |k: usize| ((index[k] % BLOCK) as f64 + share[k]) / BLOCK as f64;
                interpolate(self.coarse(at), [wide(0), wide(1), wide(2)])
            }
            fine => interpolate(self.cell_values(fine, index.map(|i| i % BLOCK)), share),
        };
        let beyond = sub(point, inside);
        let far = norm(beyond);
        if far > 0.0 {
            return Sample { distance: distance + far, gradient: scale(beyond, 1.0 / far) };
        }
        Sample { distance, gradient: unit(gradient) }
    }

    fn lipschitz(&self) -> f64 {
        self.lipschitz
    }
}
