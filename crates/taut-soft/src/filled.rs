//! A closed surface, filled with tetrahedra.
//!
//! **Problem**: bodies come as surfaces, elasticity needs tetrahedra inside.
//! **Update**: a grid of cells of six tetrahedra each; grid points nearer to the surface than a fifth of a cell move onto it, and tetrahedra that
//! it crosses are cut, what is inside in turn into tetrahedra (isosurface stuffing, Labelle and Shewchuk 2007). Deviation: on a
//! cubic grid, and diagonals of what is cut begin at the least node (Dompierre and others 1999), so that neighbours fit whatever they are.
//! **Cost**: a distance for each grid point, and some more where the surface passes.
//! **Limits**: nodes of the surface lie on it, edges and corners between them are cut off, by less than a cell: so is some volume. Parts thinner than a cell
//! vanish; where nothing is left, that is an error. What is open, inside out or cuts itself is one, too.

use std::collections::HashMap;

use taut_sdf::{Field, Surface};

use crate::error::number;
use crate::matrix::{Vec3, along, cross, dot, norm, scale, sub};
use crate::shapes::kuhn;
use crate::{Error, Mesh};

/// Grid points this near to the surface move onto it, in cells. (Tetrahedra of the grid are 0.7 cells high: two corners that move towards
/// each other by that much leave them a third.)
const NEAR: f64 = 0.2;
/// Steps to where an edge meets the surface.
const STEPS: usize = 30;
/// Grid points at most.
const MOST: f64 = 4e6;
/// Ways along edges of the grid.
const EDGES: [[i64; 3]; 7] =
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]];

impl Mesh {
    /// Fills a closed surface, triangles counter-clockwise seen from outside, with linear tetrahedra of about this size \[m\].
    ///
    /// ```
    /// use taut_soft::Mesh;
    /// let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(f64::from)).collect();
    /// let sides = [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], [0, 4, 6],
    ///     [0, 6, 2], [1, 3, 7], [1, 7, 5]];
    /// let cube = Mesh::filled(corners, sides.to_vec(), 0.25)?;
    /// assert!((cube.volume() - 1.0).abs() < 0.05);
    /// # Ok::<(), taut_soft::Error>(())
    /// ```
    pub fn filled(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>, cell: f64) -> Result<Self, Error> {
        number("size of tetrahedra", cell, "more than 0 m", |c| c > 0.0)?;
        let surface =
            Surface::new(vertices, triangles).map_err(|e| Error::Surface(e.to_string()))?;
        let mut grid = Grid::new(&surface, cell)?;
        grid.snap(&surface);
        let mut elements = Vec::new();
        for e in kuhn(grid.cells, |p| grid.index(p) as u32) {
            grid.cut(&surface, e, &mut elements);
        }
        if elements.is_empty() {
            return Err(Error::Thin(cell));
        }
        compact(&grid.nodes, &elements)
    }
}

/// Grid points, and points on edges between them.
struct Grid {
    cells: [usize; 3],
    cell: f64,
    nodes: Vec<Vec3>,
    /// Distances from the surface, negative inside.
    distances: Vec<f64>,
    cuts: HashMap<[u32; 2], u32>,
}

impl Grid {
    fn new(surface: &Surface, cell: f64) -> Result<Self, Error> {
        let [lo, hi] = surface.bounds();
        let counts = [0, 1, 2].map(|a| ((hi[a] - lo[a]) / cell).ceil() + 1.0);
        let total = counts.iter().map(|n| n + 1.0).product();
        number("number of grid points in a surface", total, "at most 4 million", |n| n <= MOST)?;
        // Half of what is over stands out on both sides.
        let first = [0, 1, 2].map(|a| 0.5 * (lo[a] + hi[a] - counts[a] * cell));
        let cells = counts.map(|n| n as usize);
        let (mut nodes, mut distances) = (Vec::new(), Vec::new());
        for i in 0..=cells[0] {
            for j in 0..=cells[1] {
                for k in 0..=cells[2] {
                    let p = [i, j, k].map(|n| n as f64 * cell);
                    let p = along(p, 1.0, first);
                    distances.push(surface.sample(p).distance);
                    nodes.push(p);
                }
            }
        }
        Ok(Grid { cells, cell, nodes, distances, cuts: HashMap::new() })
    }

    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * (self.cells[1] + 1) + j) * (self.cells[2] + 1) + k
    }

    /// Moves grid points that are near to the surface onto it, along an edge.
    fn snap(&mut self, surface: &Surface) {
        let steps = EDGES.iter().flat_map(|e| [*e, e.map(|x| -x)]);
        let steps: Vec<[i64; 3]> = steps.collect();
        for i in 0..=self.cells[0] {
            for j in 0..=self.cells[1] {
                for k in 0..=self.cells[2] {
                    let at = [i, j, k];
                    let beside = |e: &[i64; 3]| {
                        let p = [0, 1, 2].map(|a| at[a] as i64 + e[a]);
                        let inside = (0..3).all(|a| p[a] >= 0 && p[a] <= self.cells[a] as i64);
                        inside.then(|| self.index(p.map(|x| x as usize)))
                    };
                    let node = self.index(at);
                    let moves = steps.iter().filter_map(beside).filter_map(|other| {
                        let p = self.crossing(surface, node, other)?;
                        Some((norm(sub(p, self.nodes[node])), p))
                    });
                    let nearest = moves.min_by(|a, b| a.0.total_cmp(&b.0));
                    if let Some((_, p)) = nearest.filter(|m| m.0 < NEAR * self.cell) {
                        (self.nodes[node], self.distances[node]) = (p, 0.0);
                    }
                }
            }
        }
    }

    /// Where the surface crosses an edge; none if both ends are on one side.
    fn crossing(&self, surface: &Surface, i: usize, j: usize) -> Option<Vec3> {
        let (mut a, mut b) = (self.nodes[i], self.nodes[j]);
        let (mut at_a, mut at_b) = (self.distances[i], self.distances[j]);
        if at_a * at_b >= 0.0 {
            return None;
        }
        for _ in 0..STEPS {
            // Between halving and the secant, so that both ends come in.
            let share = (at_a / (at_a - at_b)).clamp(0.1, 0.9);
            let p = along(a, share, sub(b, a));
            let at = surface.sample(p).distance;
            if at.abs() < 1e-12 * self.cell {
                return Some(p);
            }
            if at * at_a > 0.0 { (a, at_a) = (p, at) } else { (b, at_b) = (p, at) }
        }
        Some(scale(along(a, 1.0, b), 0.5))
    }

    fn cut_node(&mut self, surface: &Surface, i: u32, j: u32) -> u32 {
        let key = [i.min(j), i.max(j)];
        if let Some(&node) = self.cuts.get(&key) {
            return node;
        }
        let p = self.crossing(surface, key[0] as usize, key[1] as usize);
        let node = self.nodes.len() as u32;
        self.nodes.push(p.unwrap_or(self.nodes[i as usize]));
        self.cuts.insert(key, node);
        node
    }

    /// What is inside of a tetrahedron of the grid.
    fn cut(&mut self, surface: &Surface, e: [u32; 4], out: &mut Vec<[u32; 4]>) {
        let of = |wanted: fn(f64) -> bool| -> Vec<u32> {
            e.into_iter().filter(|&n| wanted(self.distances[n as usize])).collect()
        };
        let (inside, on, outside) = (of(|d| d < 0.0), of(|d| d == 0.0), of(|d| d > 0.0));
        let mut at = |i: u32, j: u32| self.cut_node(surface, i, j);
        let parts = match (&inside[..], &outside[..]) {
            ([], _) => return,
            (_, []) => vec![e],
            (&[p], _) => {
                let mut part = vec![p];
                part.extend(&on);
                part.extend(outside.iter().map(|&n| at(p, n)));
                vec![[part[0], part[1], part[2], part[3]]]
            }
            (&[p, q], &[m, n]) => prism([p, at(p, m), at(p, n), q, at(q, m), at(q, n)]),
            (&[p, q], &[n]) => pyramid([p, q, at(q, n), at(p, n)], on[0]),
            (&[p, q, r], &[n]) => prism([p, q, r, at(p, n), at(q, n), at(r, n)]),
            _ => return,
        };
        for mut part in parts {
            let [a, b, c, d] = part.map(|n| self.nodes[n as usize]);
            if dot(cross(sub(b, a), sub(c, a)), sub(d, a)) < 0.0 {
                part.swap(2, 3);
            }
            out.push(part);
        }
    }
}

/// Three tetrahedra of a prism, whose vertices i and i + 3 are joined: diagonals begin at the least vertex of each side.
fn prism(v: [u32; 6]) -> Vec<[u32; 4]> {
    const TURNED: [[usize; 6]; 6] = [
        [0, 1, 2, 3, 4, 5],
        [1, 2, 0, 4, 5, 3],
        [2, 0, 1, 5, 3, 4],
        [3, 5, 4, 0, 2, 1],
        [4, 3, 5, 1, 0, 2],
        [5, 4, 3, 2, 1, 0],
    ];
    let least = (0..6).min_by_key(|&k| v[k]).unwrap_or(0);
    let p = TURNED[least].map(|k| v[k]);
    if p[1].min(p[5]) < p[2].min(p[4]) {
        vec![[p[0], p[1], p[2], p[5]], [p[0], p[1], p[5], p[4]], [p[0], p[4], p[5], p[3]]]
    } else {
        vec![[p[0], p[1], p[2], p[4]], [p[0], p[4], p[2], p[5]], [p[0], p[4], p[5], p[3]]]
    }
}

/// Two tetrahedra of a pyramid.
fn pyramid([a, b, c, d]: [u32; 4], top: u32) -> Vec<[u32; 4]> {
    if a.min(c) < b.min(d) {
        vec![[a, b, c, top], [a, c, d, top]]
    } else {
        vec![[b, c, d, top], [b, d, a, top]]
    }
}

/// A mesh of the nodes that elements have.
fn compact(nodes: &[Vec3], elements: &[[u32; 4]]) -> Result<Mesh, Error> {
    let mut numbers = vec![u32::MAX; nodes.len()];
    let mut kept = Vec::new();
    let mut number = |n: u32| {
        if numbers[n as usize] == u32::MAX {
            numbers[n as usize] = kept.len() as u32;
            kept.push(nodes[n as usize]);
        }
        numbers[n as usize]
    };
    let elements: Vec<[u32; 4]> = elements.iter().map(|e| e.map(&mut number)).collect();
    Mesh::linear(kept, &elements)
}
