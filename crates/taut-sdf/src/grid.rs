//! A field sampled on a regular grid, trilinear between its points.
//!
//! *Accuracy*: exact distances at the grid points; between them off by up to the cell's diagonal near sharp
//! edges, by its square over the radius where the surface is smooth. Features thinner than a cell vanish.
//! *Beyond the grid*: the value at its nearest point and the distance from there.
//! *Cost*: building asks for the distance of every point, beginning with the triangles nearest to its neighbours.
//! A sample takes 8 numbers.
//!
//! Reference: Andrews22 2.3.3.

use crate::Error;
use crate::field::{Field, Sample};
use crate::surface::Surface;
use crate::vector::{Vec3, along, norm, scale, sub, unit};

/// Largest number of grid points: a gigabyte.
pub const MAX_SAMPLES: usize = 1 << 27;

/// Cells left around the solid.
const BORDER: f64 = 2.0;

/// A sampled field.
#[derive(Debug, Clone)]
pub struct Grid {
    origin: Vec3,
    cell: f64,
    counts: [usize; 3],
    values: Vec<f64>,
    lipschitz: f64,
}

impl Grid {
    /// Samples the field of a surface with `cells` cells along its longest side, and a border of two.
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
        let sizes = [0, 1, 2].map(|k| ((hi[k] - lo[k]) / cell).ceil() + 2.0 * BORDER + 1.0);
        // Not as integers: these may overflow.
        if sizes.iter().product::<f64>().is_nan()
            || sizes.iter().product::<f64>() > MAX_SAMPLES as f64
        {
            return Err(Error::TooLarge(sizes[0], sizes[1], sizes[2]));
        }
        let counts = sizes.map(|n| n as usize);
        let middle = scale(along(lo, 1.0, hi), 0.5);
        let origin = [0, 1, 2].map(|k| middle[k] - 0.5 * cell * (counts[k] - 1) as f64);
        let mut grid = Self { origin, cell, counts, values: Vec::new(), lipschitz: 1.0 };
        grid.fill(surface);
        grid.lipschitz =
            (0..grid.values.len()).map(|i| grid.slope(i)).fold(1.0, f64::max).hypot(1.0);
        Ok(grid)
    }

    /// Row by row; the triangles nearest to a point's neighbours are near to it, too.
    fn fill(&mut self, surface: &Surface) {
        let [nx, ny, nz] = self.counts;
        self.values.reserve_exact(nx * ny * nz);
        // The nearest triangles of the last layer, and of this one as far as it is known.
        let mut nearest = vec![0; nx * ny];
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let i = y * nx + x;
                    let hints =
                        [nearest[i], nearest[i.saturating_sub(1)], nearest[i.saturating_sub(nx)]];
                    let p = [x, y, z];
                    let p = [0, 1, 2].map(|k| self.origin[k] + self.cell * p[k] as f64);
                    let near = surface.search(p, f64::INFINITY, hints);
                    self.values.push(near.map_or(f64::INFINITY, |n| n.sample.distance));
                    nearest[i] = near.map_or(0, |n| n.place);
                }
            }
        }
    }

    /// The steepest gradient of the interpolation at a grid point: of the eight cells that meet there the steepest
    /// differences along each axis. In a cell the gradient's norm is greatest at a corner.
    fn slope(&self, i: usize) -> f64 {
        let [nx, ny, _] = self.counts;
        let strides = [1, nx, nx * ny];
        let at = [i % nx, i / nx % ny, i / (nx * ny)];
        let mut sum = 0.0;
        for k in 0..3 {
            let mut most = 0.0_f64;
            if at[k] > 0 {
                most = most.max((self.values[i] - self.values[i - strides[k]]).abs());
            }
            if at[k] + 1 < self.counts[k] {
                most = most.max((self.values[i + strides[k]] - self.values[i]).abs());
            }
            sum += most * most;
        }
        sum.sqrt() / self.cell
    }

    /// Edge length of a cell.
    pub fn cell(&self) -> f64 {
        self.cell
    }

    /// Number of grid points along each axis.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }
}

impl Field for Grid {
    fn sample(&self, point: Vec3) -> Sample {
        let [nx, ny, _] = self.counts;
        let mut index = [0_usize; 3];
        let mut share = [0.0; 3];
        let mut inside = point;
        for k in 0..3 {
            let last = (self.counts[k] - 1) as f64;
            // NaN becomes 0.
            let x = ((point[k] - self.origin[k]) / self.cell).max(0.0).min(last);
            inside[k] = if x > 0.0 && x < last { point[k] } else { self.origin[k] + x * self.cell };
            index[k] = (x as usize).min(self.counts[k] - 2);
            share[k] = x - index[k] as f64;
        }
        let i = (index[2] * ny + index[1]) * nx + index[0];
        let v = |dx: usize, dy: usize, dz: usize| self.values[i + dx + nx * (dy + ny * dz)];
        let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
        let [x, y, z] = share;
        // Along x, then y, then z; with the differences along the way.
        let edge = |dy, dz| (mix(v(0, dy, dz), v(1, dy, dz), x), v(1, dy, dz) - v(0, dy, dz));
        let (e00, e10, e01, e11) = (edge(0, 0), edge(1, 0), edge(0, 1), edge(1, 1));
        let (low, high) = (mix(e00.0, e10.0, y), mix(e01.0, e11.0, y));
        let gradient = [
            mix(mix(e00.1, e10.1, y), mix(e01.1, e11.1, y), z),
            mix(e10.0 - e00.0, e11.0 - e01.0, z),
            high - low,
        ];
        let distance = mix(low, high, z);
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
