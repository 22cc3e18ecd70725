//! The pressure that leaves no divergence, and at walls pushes or is zero.
//!
//! **Unknowns**: p of each cell with liquid (p = 0 in the others, at the free surface), π of each wall
//! face of such a cell. **Rows**, in 1/s, with k = dt/(ρ dx²):
//! - cell: w = ∇·u⁺ = ∇·u + k Σ (p − p_neighbour) = 0
//! - wall: w = u⁺·n/dx = u·n/dx + k(π − p); 0 ≤ π ⊥ w ≥ 0, or w = 0 where walls hold.
//!
//! A is symmetric, a Laplacian with p = 0 in the air, so that block pivoting with conjugate
//! gradients on the free rows serves (`bpp_pcg`). Deviation from Erleben13 4.2, which has p ≥ 0 in all
//! cells and lets cells at walls take up divergence: here only walls have bounds, and no cell has any.

use crate::Error;
use crate::grid::Grid;
use taut_lcp::{Law, Operator, Problem, Session, Sparse, Status};

/// What walls do to the liquid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wall {
    /// They push: 0 ≤ π ⊥ u·n ≥ 0.
    #[default]
    Separating,
    /// They push and pull: u·n = 0.
    Sticking,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Solved {
    pub rows: usize,
    pub iterations: usize,
    pub inner: usize,
}

/// What is left of the divergence, at most \[1/s\].
const DIVERGENCE: f64 = 1e-7;

const NONE: u32 = u32::MAX;

/// A face between liquid and wall: its axis and index, the row of its cell, and where the wall is.
type WallFace = (usize, usize, usize, f64);

/// Makes u free of divergence; `liquid` says which cells have liquid.
pub(crate) fn project(
    grid: &Grid,
    liquid: &[bool],
    u: &mut [Vec<f64>; 3],
    wall: Wall,
    (dt, density): (f64, f64),
    session: &mut Option<Session>,
) -> Result<Solved, Error> {
    let wet = liquid.iter().enumerate().filter(|(_, wet)| **wet);
    let cells: Vec<usize> = wet.map(|(cell, _)| cell).collect();
    if cells.is_empty() {
        return Ok(Solved::default());
    }
    let k = dt / (density * grid.dx * grid.dx);
    let (problem, walls) = assemble(grid, &cells, u, wall, k)?;
    let relative = (DIVERGENCE / problem.scale()).clamp(1e-12, 1e-6);
    let Some(taken) = session.take() else { return Ok(Solved::default()) };
    let session = session.insert(taken.tolerance(relative));
    session.start_cold();
    let answer = session.solve(&problem)?;
    let (report, rows) = (answer.report(), problem.rows());
    if answer.status() != Status::Converged {
        let residual = report.verdict.relative_residual;
        return Err(Error::Unsolved { rows, status: answer.status(), residual });
    }
    push(grid, &cells, &walls, answer.lambda(), k * grid.dx, u);
    let counts = report.counts;
    Ok(Solved { rows, iterations: counts.iterations, inner: counts.inner })
}

/// Rows of cells, then those of walls, with k the entry between neighbours.
fn assemble(
    grid: &Grid,
    cells: &[usize],
    u: &[Vec<f64>; 3],
    wall: Wall,
    k: f64,
) -> Result<(Problem, Vec<WallFace>), Error> {
    let mut row_of = vec![NONE; grid.cells()];
    cells.iter().enumerate().for_each(|(row, &cell)| row_of[cell] = row as u32);
    let mut laws = vec![Law::Bilateral; cells.len()];
    let mut b = vec![0.0; cells.len()];
    let (mut lower, mut diagonal) = (Vec::new(), vec![0.0; cells.len()]);
    let mut walls = Vec::new();
    for (row, &cell) in cells.iter().enumerate() {
        let at = grid.place(cell);
        for (axis, up) in (0..grid.axes).flat_map(|axis| [(axis, 0), (axis, 1)]) {
            let mut face = at;
            face[axis] += up;
            let face = grid.face(axis, face);
            let outward = if up == 1 { 1.0 } else { -1.0 };
            let is_wall = at[axis] + up == 0 || at[axis] + up == grid.n[axis];
            diagonal[row] += k;
            if is_wall {
                let own = laws.len();
                laws.push(match wall {
                    Wall::Separating => Law::Box { lo: 0.0, hi: f64::INFINITY },
                    Wall::Sticking => Law::Bilateral,
                });
                lower.push((own, row, -k));
                diagonal.push(k);
                b.push(-outward * u[axis][face] / grid.dx);
                walls.push((axis, face, row, outward));
            } else {
                let mut next = at;
                next[axis] = if up == 1 { at[axis] + 1 } else { at[axis] - 1 };
                let other = row_of[grid.cell(next)];
                if other != NONE && (other as usize) < row {
                    lower.push((row, other as usize, -k));
                }
            }
            b[row] += outward * u[axis][face] / grid.dx;
        }
    }
    lower.extend(diagonal.iter().enumerate().map(|(i, d)| (i, i, *d)));
    let operator = Operator::Sparse(Sparse::from_lower_triplets(laws.len(), &lower)?);
    Ok((Problem::new(operator, b, laws)?, walls))
}

/// u⁺ = u − (dt/ρ) ∇p on faces of liquid.
fn push(
    grid: &Grid,
    cells: &[usize],
    walls: &[WallFace],
    p: &[f64],
    push: f64,
    u: &mut [Vec<f64>; 3],
) {
    for (row, &cell) in cells.iter().enumerate() {
        let at = grid.place(cell);
        for axis in 0..grid.axes {
            let mut above = at;
            above[axis] += 1;
            if at[axis] > 0 {
                u[axis][grid.face(axis, at)] -= push * p[row];
            }
            if above[axis] < grid.n[axis] {
                u[axis][grid.face(axis, above)] += push * p[row];
            }
        }
    }
    for (own, &(axis, face, row, outward)) in (cells.len()..).zip(walls) {
        u[axis][face] += outward * push * (p[row] - p[own]);
    }
}

/// Largest |∇·u| of cells with liquid \[1/s\].
pub(crate) fn divergence(grid: &Grid, liquid: &[bool], u: &[Vec<f64>; 3]) -> f64 {
    let mut worst = 0.0_f64;
    for (cell, _) in liquid.iter().enumerate().filter(|(_, wet)| **wet) {
        let at = grid.place(cell);
        let flow = |axis: usize| {
            let mut above = at;
            above[axis] += 1;
            u[axis][grid.face(axis, above)] - u[axis][grid.face(axis, at)]
        };
        worst = worst.max(((0..grid.axes).map(flow).sum::<f64>() / grid.dx).abs());
    }
    worst
}
