//! A liquid as particles that carry velocities, and a grid that makes them incompressible (FLIP).
//!
//! **Step**: velocities of particles to faces, gravity, pressure (`pressure.rs`), changes of the faces
//! back to the particles, motion through the field by the midpoint rule.
//! **Reference**: Bridson 2008; Zhu and Bridson 2005.

use crate::Error;
use crate::grid::Grid;
use crate::pressure::{Solved, Wall, divergence, project};
use taut_lcp::Session;

/// Share of the change that particles take (the rest is the field itself, which damps). Customary.
const FLIP: f64 = 0.95;
/// Layers of faces around the liquid that get a velocity, for particles on their way.
const LAYERS: usize = 2;
/// Particles keep this share of a cell away from walls.
const MARGIN: f64 = 1e-3;
/// A box and what is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Cells along x, y, z; one along z: flat.
    pub cells: [usize; 3],
    /// Side of a cell \[m\].
    pub cell: f64,
    /// Density \[kg/m³\].
    pub density: f64,
    /// Particles along each side of a cell.
    pub particles: usize,
    /// What walls do.
    pub wall: Wall,
    /// The method of the pressure, by its name in the registry of `taut-lcp`.
    pub solver: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cells: [32, 32, 1],
            cell: 1.0 / 32.0,
            density: 1000.0,
            particles: 2,
            wall: Wall::Separating,
            solver: "bpp_pcg",
        }
    }
}

impl Options {
    fn check(&self) -> Result<(), Error> {
        let bad = |name, value: String, expected| Err(Error::Option { name, value, expected });
        let cells = self.cells.iter().try_fold(1_usize, |n, &c| n.checked_mul(c));
        if cells.is_none_or(|n| n == 0 || n > 1 << 24) {
            return bad(
                "cells",
                format!("{:?}", self.cells),
                "at least 1 each, at most 2²⁴ in all",
            );
        }
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !positive(self.cell) {
            return bad("cell", self.cell.to_string(), "above 0");
        }
        if !positive(self.density) {
            return bad("density", self.density.to_string(), "above 0");
        }
        if !(1..=8).contains(&self.particles) {
            return bad("particles", self.particles.to_string(), "1 to 8");
        }
        Ok(())
    }
}

/// How a step went.
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "a step may not have converged"]
#[non_exhaustive]
pub struct Report {
    /// Largest divergence in cells with liquid \[1/s\].
    pub divergence: f64,
    /// Rows of the pressure problem: cells with liquid, and their wall faces.
    pub rows: usize,
    /// Iterations of the method, and those within.
    pub iterations: usize,
    /// Iterations of conjugate gradients.
    pub inner: usize,
}

/// The liquid.
pub struct Liquid {
    grid: Grid,
    options: Options,
    /// (Taken out for a solve alone.)
    session: Option<Session>,
    /// Acceleration of all that is in the box \[m/s²\].
    pub gravity: [f64; 3],
    x: Vec<[f64; 3]>,
    v: Vec<[f64; 3]>,
    u: [Vec<f64>; 3],
    before: [Vec<f64>; 3],
    weight: [Vec<f64>; 3],
    liquid: Vec<bool>,
}

impl Liquid {
    /// A box with liquid wherever `is_in` says, for points in shares of the box.
    pub fn new(options: &Options, is_in: impl Fn([f64; 3]) -> bool) -> Result<Self, Error> {
        options.check()?;
        let axes = if options.cells[2] == 1 { 2 } else { 3 };
        let grid = Grid { n: options.cells, axes, dx: options.cell };
        let count = options.particles;
        let mut x = Vec::new();
        for cell in 0..grid.cells() {
            let at = grid.place(cell);
            for k in 0..count.pow(axes as u32) {
                let part = [k % count, k / count % count, k / (count * count)];
                let side = |k: usize| (part[k] as f64 + 0.5) / count as f64;
                let s: [f64; 3] =
                    std::array::from_fn(|k| at[k] as f64 + if k < axes { side(k) } else { 0.5 });
                if is_in(std::array::from_fn(|k| s[k] / grid.n[k] as f64)) {
                    x.push(s.map(|s| s * grid.dx));
                }
            }
        }
        let faces = |k: usize| vec![0.0; if k < axes { grid.faces(k) } else { 0 }];
        let field = || [faces(0), faces(1), faces(2)];
        Ok(Liquid {
            grid,
            session: Some(Session::named(options.solver)?),
            options: options.clone(),
            gravity: [0.0, -9.81, 0.0],
            v: vec![[0.0; 3]; x.len()],
            x,
            u: field(),
            before: field(),
            weight: field(),
            liquid: vec![false; grid.cells()],
        })
    }

    /// Where the particles are \[m\].
    pub fn particles(&self) -> &[[f64; 3]] {
        &self.x
    }

    /// How fast they are \[m/s\].
    pub fn velocities(&self) -> &[[f64; 3]] {
        &self.v
    }

    /// Sides of the box \[m\].
    pub fn size(&self) -> [f64; 3] {
        self.grid.n.map(|n| n as f64 * self.grid.dx)
    }

    /// The least y of all particles \[m\]; the height of the box if there are none.
    pub fn lowest(&self) -> f64 {
        self.x.iter().fold(self.size()[1], |m, x| m.min(x[1]))
    }

    /// The largest y of all particles \[m\]; 0 if there are none.
    pub fn highest(&self) -> f64 {
        self.x.iter().fold(0.0, |m, x| m.max(x[1]))
    }

    /// Goes on by `dt` seconds.
    pub fn step(&mut self, dt: f64) -> Result<Report, Error> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(Error::Option { name: "dt", value: dt.to_string(), expected: "above 0" });
        }
        if self.gravity.iter().any(|g| !g.is_finite()) {
            let value = format!("{:?}", self.gravity);
            return Err(Error::Option { name: "gravity", value, expected: "finite" });
        }
        self.fill_grid();
        let Liquid { grid, u, before, weight, .. } = self;
        for axis in 0..grid.axes {
            before[axis].copy_from_slice(&u[axis]);
            let wet = u[axis].iter_mut().zip(&weight[axis]).filter(|(_, w)| **w > 0.0);
            wet.for_each(|(u, _)| *u += dt * self.gravity[axis]);
        }
        let Options { wall, density, .. } = self.options;
        let u = &mut self.u;
        let solved = project(&self.grid, &self.liquid, u, wall, (dt, density), &mut self.session)?;
        let divergence = divergence(&self.grid, &self.liquid, &self.u);
        self.spread();
        self.drive_particles();
        self.carry(dt);
        let Solved { rows, iterations, inner } = solved;
        Ok(Report { divergence, rows, iterations, inner })
    }

    /// Which cells have liquid, and velocities of faces as the mean of particles around.
    fn fill_grid(&mut self) {
        let Liquid { grid, x, v, u, weight, liquid, .. } = self;
        liquid.fill(false);
        for (u, w) in u.iter_mut().zip(weight.iter_mut()) {
            u.fill(0.0);
            w.fill(0.0);
        }
        for (x, v) in x.iter().zip(&*v) {
            liquid[grid.cell(grid.cell_of(x))] = true;
            for axis in 0..grid.axes {
                let (u, weight) = (&mut u[axis], &mut weight[axis]);
                grid.around(axis, x, |face, w| {
                    u[face] += w * v[axis];
                    weight[face] += w;
                });
            }
        }
        for axis in 0..grid.axes {
            for (u, w) in u[axis].iter_mut().zip(&weight[axis]).filter(|(_, w)| **w > 0.0) {
                *u /= w;
            }
        }
        // Faces of cells with liquid all count, however light.
        for cell in (0..grid.cells()).filter(|&c| liquid[c]) {
            let at = grid.place(cell);
            for axis in 0..grid.axes {
                let mut above = at;
                above[axis] += 1;
                for face in [grid.face(axis, at), grid.face(axis, above)] {
                    weight[axis][face] = weight[axis][face].max(f64::MIN_POSITIVE);
                }
            }
        }
    }

    /// Velocities of faces around the liquid: means of their neighbours.
    fn spread(&mut self) {
        let Liquid { grid, u, weight, liquid, .. } = self;
        for axis in 0..grid.axes {
            let n = grid.face_counts(axis);
            let stride = [1, n[0], n[0] * n[1]];
            let place = |f: usize| [f % n[0], f / n[0] % n[1], f / (n[0] * n[1])];
            // Of faces beside liquid alone the projection knows the velocity.
            let known = &mut weight[axis];
            known.fill(0.0);
            for cell in (0..grid.cells()).filter(|&c| liquid[c]) {
                let at = grid.place(cell);
                let mut above = at;
                above[axis] += 1;
                known[grid.face(axis, at)] = 1.0;
                known[grid.face(axis, above)] = 1.0;
            }
            for layer in 1..=LAYERS {
                let mark = (layer + 1) as f64;
                for face in 0..known.len() {
                    if known[face] > 0.0 {
                        continue;
                    }
                    let (at, mut sum, mut count) = (place(face), 0.0, 0.0);
                    for k in 0..grid.axes {
                        let below = (at[k] > 0).then(|| face - stride[k]);
                        let above = (at[k] + 1 < n[k]).then(|| face + stride[k]);
                        for other in below.into_iter().chain(above) {
                            if known[other] > 0.0 && known[other] < mark {
                                sum += u[axis][other];
                                count += 1.0;
                            }
                        }
                    }
                    if count > 0.0 {
                        u[axis][face] = sum / count;
                        known[face] = mark;
                    }
                }
            }
        }
    }

    fn drive_particles(&mut self) {
        let Liquid { grid, x, v, u, before, .. } = self;
        for (x, v) in x.iter().zip(v) {
            for axis in 0..grid.axes {
                let (mut new, mut change) = (0.0, 0.0);
                grid.around(axis, x, |face, w| {
                    new += w * u[axis][face];
                    change += w * (u[axis][face] - before[axis][face]);
                });
                v[axis] = FLIP * (v[axis] + change) + (1.0 - FLIP) * new;
            }
        }
    }

    /// Particles go with the field, by the midpoint rule, and stay in the box.
    fn carry(&mut self, dt: f64) {
        let Liquid { grid, x, v, u, .. } = self;
        let field = |x: &[f64; 3]| -> [f64; 3] {
            std::array::from_fn(|axis| {
                let mut sum = 0.0;
                if axis < grid.axes {
                    grid.around(axis, x, |face, w| sum += w * u[axis][face]);
                }
                sum
            })
        };
        for (x, v) in x.iter_mut().zip(v) {
            let half = field(x);
            let middle = std::array::from_fn(|k| x[k] + 0.5 * dt * half[k]);
            let whole = field(&middle);
            for k in 0..grid.axes {
                let (least, most) = (MARGIN * grid.dx, (grid.n[k] as f64 - MARGIN) * grid.dx);
                x[k] += dt * whole[k];
                if x[k] < least {
                    (x[k], v[k]) = (least, v[k].max(0.0));
                } else if x[k] > most {
                    (x[k], v[k]) = (most, v[k].min(0.0));
                }
            }
        }
    }
}
