//! Structured meshes: blocks, beams, cylinders and tubes.
//!
//! Every cell of a grid is cut into six tetrahedra around its diagonal (Kuhn 1960), the same in all cells, so that
//! neighbours fit. Around a cylinder's axis cells are wedges, of three.

use std::f64::consts::TAU;

use crate::error::number;
use crate::{Error, Mesh};

impl Mesh {
    /// A block with one corner at the origin: its size \[m\] and the number of cells along each axis.
    pub fn block(size: [f64; 3], cells: [usize; 3]) -> Result<Self, Error> {
        for length in size {
            number("size of a block", length, "more than 0 m", |x| x > 0.0)?;
        }
        let points = counted(cells, [1; 3])?;
        let index = |p: [usize; 3]| ((p[0] * points[1] + p[1]) * points[2] + p[2]) as u32;
        let mut nodes = Vec::with_capacity(points.iter().product());
        for i in 0..points[0] {
            for j in 0..points[1] {
                for k in 0..points[2] {
                    let at = |a: usize, n: usize| size[a] * n as f64 / cells[a] as f64;
                    nodes.push([at(0, i), at(1, j), at(2, k)]);
                }
            }
        }
        Self::linear(nodes, &kuhn(cells, index))
    }

    /// A beam along x of quadratic elements, one cell across: length and sides \[m\], number of cells along it.
    pub fn beam(length: f64, sides: [f64; 2], cells: usize) -> Result<Self, Error> {
        Self::block([length, sides[0], sides[1]], [cells, 1, 1])?.quadratic()
    }

    /// A cylinder around z, its lower end at z = 0: radius and height \[m\]; cells along the radius, around, and along z.
    pub fn cylinder(radius: f64, height: f64, cells: [usize; 3]) -> Result<Self, Error> {
        Self::tube([0.0, radius], height, cells)
    }

    /// A tube around z, its lower end at z = 0: inner and outer radius and height \[m\]; cells along the radius, around,
    /// and along z. An inner radius of 0 makes a cylinder.
    pub fn tube(radii: [f64; 2], height: f64, cells: [usize; 3]) -> Result<Self, Error> {
        number("inner radius", radii[0], "at least 0 m", |r| r >= 0.0)?;
        number("outer radius", radii[1], "more than the inner radius", |r| r > radii[0])?;
        number("height", height, "more than 0 m", |x| x > 0.0)?;
        let points = counted(cells, [1, 3, 1])?;
        let [rings, around, layers] = [points[0], cells[1], points[2]];
        let is_solid = radii[0] == 0.0;
        // Per layer: ring by ring; the axis is a ring of one node.
        let first_ring = if is_solid { 1 } else { around };
        let per_layer = first_ring + (rings - 1) * around;
        let index = |[r, t, z]: [usize; 3]| {
            let on_ring = if r == 0 {
                if is_solid { 0 } else { t % around }
            } else {
                first_ring + (r - 1) * around + t % around
            };
            (z * per_layer + on_ring) as u32
        };
        let mut nodes = Vec::with_capacity(per_layer * layers);
        for z in 0..layers {
            for r in 0..rings {
                let radius = radii[0] + (radii[1] - radii[0]) * r as f64 / cells[0] as f64;
                for t in 0..if r == 0 { first_ring } else { around } {
                    let (sin, cos) = (TAU * t as f64 / around as f64).sin_cos();
                    nodes.push([radius * cos, radius * sin, height * z as f64 / cells[2] as f64]);
                }
            }
        }
        Self::linear(nodes, &kuhn(cells, index))
    }
}

/// Points along each axis of a grid.
fn counted(cells: [usize; 3], least: [usize; 3]) -> Result<[usize; 3], Error> {
    for (n, least) in cells.into_iter().zip(least) {
        let name = "number of cells";
        number(name, n as f64, "at least 1 along and 3 around, and at most 1000", |_| {
            n >= least && n <= 1000
        })?;
    }
    let total = cells.iter().product::<usize>();
    number("number of cells", total as f64, "at most 1 million", |n| n <= 1e6)?;
    Ok(cells.map(|n| n + 1))
}

/// The tetrahedra of a grid, without those that have a node twice.
pub(crate) fn kuhn(cells: [usize; 3], index: impl Fn([usize; 3]) -> u32) -> Vec<[u32; 4]> {
    // Orders in which a path along the axes leads from a cell's first corner to its last; odd ones are wound back.
    const PATHS: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 2], [1, 0], [2, 1]];
    let mut elements = Vec::with_capacity(6 * cells.iter().product::<usize>());
    for i in 0..cells[0] {
        for j in 0..cells[1] {
            for k in 0..cells[2] {
                for (p, path) in PATHS.iter().enumerate() {
                    let mut at = [i, j, k];
                    let mut e = [index(at); 4];
                    for (step, &axis) in path.iter().enumerate() {
                        at[axis] += 1;
                        e[step + 1] = index(at);
                    }
                    e[3] = index([i + 1, j + 1, k + 1]);
                    if p >= 3 {
                        e.swap(2, 3);
                    }
                    if (0..4).all(|a| !e[..a].contains(&e[a])) {
                        elements.push(e);
                    }
                }
            }
        }
    }
    elements
}
