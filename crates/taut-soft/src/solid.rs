//! A mesh of an elastic material: energy, its gradient and Hessian, and mass, as functions of where the nodes are.
//!
//! Matrices are sparse, a block of 3 × 3 for every two nodes with an element in common: the lower triangle in compressed
//! columns ([`Solid::pattern`]), blocks row by row. Stiffness is sampled at one point of linear and four of quadratic
//! elements, exact for straight ones. Reference: Andrews22 1.4.2, eq. 18 to 20.

use crate::element::{gradient_of, gradients, mass_samples, stiffness_samples, values};
use crate::error::number;
use crate::material::Model;
use crate::matrix::{Mat3, Vec3, along, compose, determinant, eigen, mul, scale, transpose};
use crate::{Error, Material, Mesh};

/// How mass is spread over nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mass {
    /// A mass for each node, in proportion to the diagonal of the consistent matrix (Hinton, Rock and Zienkiewicz
    /// 1976): the total and, for linear elements, the centre are right, and none is negative.
    #[default]
    Lumped,
    /// The mass matrix of the shape functions.
    Consistent,
}

/// A point where energy is sampled.
#[derive(Clone, Debug)]
struct Point {
    /// Derivatives of shape functions by rest coordinates.
    gradients: [Vec3; 10],
    volume: f64,
}

/// A mesh with a material and a density.
#[derive(Clone, Debug)]
pub struct Solid {
    mesh: Mesh,
    material: Material,
    points: Vec<Point>,
    per_element: usize,
    col_ptr: Vec<u32>,
    row_idx: Vec<u32>,
    /// Per element and pair of its nodes, the block of the pattern; [`NONE`] above the diagonal.
    places: Vec<u32>,
    /// A number per block, times the unit matrix \[kg\].
    mass: Vec<f64>,
}

const NONE: u32 = u32::MAX;

impl Solid {
    /// A body of this density \[kg/m³\].
    pub fn new(mesh: Mesh, material: Material, density: f64, mass: Mass) -> Result<Self, Error> {
        number("density", density, "more than 0 kg/m³", |d| d > 0.0)?;
        let samples = stiffness_samples(mesh.nodes_per_element());
        let mut points = Vec::with_capacity(mesh.elements().len() * samples.len());
        for e in mesh.elements() {
            let rest = mesh.corners(e);
            for (l, w) in &samples {
                let (gradients, d) = gradients(&rest, l);
                points.push(Point { gradients, volume: w * d / 6.0 });
            }
        }
        let (col_ptr, row_idx, places) = pattern(&mesh);
        let per_element = samples.len();
        let mut solid = Solid {
            mesh,
            material,
            points,
            per_element,
            col_ptr,
            row_idx,
            places,
            mass: Vec::new(),
        };
        solid.mass = solid.masses(density, mass);
        Ok(solid)
    }

    /// Its mesh at rest.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Its material.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Compressed columns of the blocks below and on the diagonal: where columns begin, and rows.
    pub fn pattern(&self) -> (&[u32], &[u32]) {
        (&self.col_ptr, &self.row_idx)
    }

    /// The mass of each block of the pattern, to be multiplied by the unit matrix \[kg\].
    pub fn mass(&self) -> &[f64] {
        &self.mass
    }

    /// Elastic energy \[J\] with the nodes at x.
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        for (e, x) in self.placed(x) {
            for p in self.points_of(e) {
                sum += p.volume * self.material.energy(&gradient_of(&x, &p.gradients));
            }
        }
        sum
    }

    /// out = ∇E(x), minus the elastic forces \[N\].
    pub fn gradient(&self, x: &[Vec3], out: &mut [Vec3]) {
        out.fill([0.0; 3]);
        let nodes: Vec<&[u32]> = self.mesh.elements().collect();
        for (e, x) in self.placed(x) {
            for p in self.points_of(e) {
                let stress = self.material.stress(&gradient_of(&x, &p.gradients));
                add_forces(nodes[e], p, &stress, out);
            }
        }
    }

    /// The discrete gradient of Gonzalez 2000 between x and y: its product with y − x is E(y) − E(x), and its sum and its
    /// moments about the midpoints are zero, so that a step with it keeps energy and both momenta. For [`Model::Linear`] it is the
    /// gradient at the midpoint, whose moments are not zero: small strains do not know of turns.
    pub(crate) fn discrete_gradient(&self, x: &[Vec3], y: &[Vec3], out: &mut [Vec3]) {
        out.fill([0.0; 3]);
        let nodes: Vec<&[u32]> = self.mesh.elements().collect();
        for ((e, x), (_, y)) in self.placed(x).zip(self.placed(y)) {
            for p in self.points_of(e) {
                let (f, g) = (gradient_of(&x, &p.gradients), gradient_of(&y, &p.gradients));
                let middle = combine(&f, 0.5, &g, 0.5);
                let stress = if self.material.model() == Model::Linear {
                    self.material.stress(&middle)
                } else {
                    mul(&middle, &self.mean_stress(&f, &g))
                };
                add_forces(nodes[e], p, &stress, out);
            }
        }
    }

    /// The second Piola-Kirchhoff stress S with S : ΔC/2 = Δψ, C = FᵀF.
    fn mean_stress(&self, f: &Mat3, g: &Mat3) -> Mat3 {
        let (c, d) = (mul(&transpose(f), f), mul(&transpose(g), g));
        let (values, vectors) = eigen(combine(&c, 0.5, &d, 0.5));
        let s = values.map(|v| v.max(1e-24).sqrt());
        let slope = self.material.slope(s);
        let middle = compose(&vectors, [0, 1, 2].map(|k| slope[k] / s[k]), &vectors);
        let change = combine(&d, 1.0, &c, -1.0);
        let inner = |a: &Mat3, b: &Mat3| -> f64 {
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a * b).sum()
        };
        let square = inner(&change, &change);
        if square < 1e-24 {
            return middle;
        }
        let missing =
            self.material.energy(g) - self.material.energy(f) - 0.5 * inner(&middle, &change);
        combine(&middle, 1.0, &change, 2.0 * missing / square)
    }

    /// blocks = ∇²E(x) on the pattern; with `projected` made semidefinite, sample by sample.
    pub fn stiffness(&self, x: &[Vec3], projected: bool, blocks: &mut Vec<f64>) {
        blocks.clear();
        blocks.resize(9 * self.row_idx.len(), 0.0);
        let n = self.mesh.nodes_per_element();
        for (e, x) in self.placed(x) {
            let places = &self.places[e * n * n..(e + 1) * n * n];
            for p in self.points_of(e) {
                let h = self.material.hessian(&gradient_of(&x, &p.gradients), projected);
                for c in 0..n {
                    // d P / d x_c, times the volume
                    let g = scale(p.gradients[c], p.volume);
                    let by_node: [[f64; 3]; 9] = h.map(|row| {
                        [0, 1, 2].map(|l| {
                            row[3 * l] * g[0] + row[3 * l + 1] * g[1] + row[3 * l + 2] * g[2]
                        })
                    });
                    for a in (0..n).filter(|a| places[a * n + c] != NONE) {
                        let block = &mut blocks[9 * places[a * n + c] as usize..][..9];
                        let g = p.gradients[a];
                        for k in 0..3 {
                            for l in 0..3 {
                                block[3 * k + l] +=
                                    (0..3).map(|b| g[b] * by_node[3 * k + b][l]).sum::<f64>();
                            }
                        }
                    }
                }
            }
        }
    }

    /// out += A v, A given by blocks on the pattern.
    pub(crate) fn add_product(&self, blocks: &[f64], v: &[Vec3], out: &mut [Vec3]) {
        let row = |b: &[f64], x: Vec3| {
            [0, 1, 2].map(|k| b[3 * k] * x[0] + b[3 * k + 1] * x[1] + b[3 * k + 2] * x[2])
        };
        let down =
            |b: &[f64], x: Vec3| [0, 1, 2].map(|k| b[k] * x[0] + b[3 + k] * x[1] + b[6 + k] * x[2]);
        for j in 0..v.len() {
            for k in self.col_ptr[j] as usize..self.col_ptr[j + 1] as usize {
                let (i, block) = (self.row_idx[k] as usize, &blocks[9 * k..9 * k + 9]);
                out[i] = along(out[i], 1.0, row(block, v[j]));
                if i != j {
                    out[j] = along(out[j], 1.0, down(block, v[i]));
                }
            }
        }
    }

    /// out += s M v.
    pub(crate) fn add_mass(&self, s: f64, v: &[Vec3], out: &mut [Vec3]) {
        for j in 0..v.len() {
            for k in self.col_ptr[j] as usize..self.col_ptr[j + 1] as usize {
                let (i, m) = (self.row_idx[k] as usize, s * self.mass[k]);
                out[i] = along(out[i], m, v[j]);
                if i != j {
                    out[j] = along(out[j], m, v[i]);
                }
            }
        }
    }

    /// Samples at which elements are inside out with the nodes at x.
    pub fn inverted(&self, x: &[Vec3]) -> usize {
        let is_inverted =
            |x: &[Vec3], p: &&Point| determinant(&gradient_of(x, &p.gradients)) <= 0.0;
        self.placed(x)
            .map(|(e, x)| self.points_of(e).iter().filter(|p| is_inverted(&x, p)).count())
            .sum()
    }

    /// Cauchy stress \[Pa\] of each element with the nodes at x, the mean over its samples.
    pub fn stresses(&self, x: &[Vec3]) -> Vec<Mat3> {
        let samples = 1.0 / self.per_element as f64;
        let stress = |(e, x): (usize, Vec<Vec3>)| {
            let mut mean = [[0.0; 3]; 3];
            for p in self.points_of(e) {
                let f = gradient_of(&x, &p.gradients);
                let piola = self.material.stress(&f);
                // The linear law does not tell rest and present shape apart.
                let cauchy = match self.material.model() {
                    Model::Linear => piola,
                    _ => combine(&mul(&piola, &transpose(&f)), 1.0 / determinant(&f), &piola, 0.0),
                };
                mean = combine(&mean, 1.0, &cauchy, samples);
            }
            mean
        };
        self.placed(x).map(stress).collect()
    }

    fn points_of(&self, e: usize) -> &[Point] {
        &self.points[e * self.per_element..(e + 1) * self.per_element]
    }

    /// Elements and the places of their nodes.
    fn placed<'a>(&'a self, x: &'a [Vec3]) -> impl Iterator<Item = (usize, Vec<Vec3>)> + 'a {
        let place = |e: &[u32]| e.iter().map(|&n| x[n as usize]).collect();
        self.mesh.elements().map(place).enumerate()
    }

    fn masses(&self, density: f64, kind: Mass) -> Vec<f64> {
        let n = self.mesh.nodes_per_element();
        let mut mass = vec![0.0; self.row_idx.len()];
        for (e, nodes) in self.mesh.elements().enumerate() {
            let rest = self.mesh.corners(nodes);
            let mut m = vec![0.0; n * n];
            for (l, w) in mass_samples() {
                let (shape, d) = (values(n, &l), gradients(&rest, &l).1);
                for a in 0..n {
                    for c in 0..n {
                        m[a * n + c] += density * w * d / 6.0 * shape[a] * shape[c];
                    }
                }
            }
            if kind == Mass::Lumped {
                let total: f64 = m.iter().sum();
                let diagonal: f64 = (0..n).map(|a| m[a * n + a]).sum();
                for k in 0..n * n {
                    m[k] = if k % (n + 1) == 0 { m[k] * total / diagonal } else { 0.0 };
                }
            }
            for (m, &place) in m.iter().zip(&self.places[e * n * n..]).filter(|(_, p)| **p != NONE)
            {
                mass[place as usize] += m;
            }
        }
        mass
    }
}

/// Pa + Qb
fn combine(a: &Mat3, p: f64, b: &Mat3, q: f64) -> Mat3 {
    std::array::from_fn(|i| std::array::from_fn(|j| p * a[i][j] + q * b[i][j]))
}

fn add_forces(nodes: &[u32], p: &Point, stress: &Mat3, out: &mut [Vec3]) {
    for (&n, g) in nodes.iter().zip(&p.gradients) {
        let force = stress.map(|row| row[0] * g[0] + row[1] * g[1] + row[2] * g[2]);
        out[n as usize] = along(out[n as usize], p.volume, force);
    }
}

/// Columns and rows of the blocks, and the block of each pair of nodes of each element.
fn pattern(mesh: &Mesh) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); mesh.nodes().len()];
    for e in mesh.elements() {
        for &j in e {
            columns[j as usize].extend(e.iter().filter(|&&i| i >= j));
        }
    }
    let (mut col_ptr, mut row_idx) = (vec![0], Vec::new());
    for column in &mut columns {
        column.sort_unstable();
        column.dedup();
        row_idx.extend_from_slice(column);
        col_ptr.push(row_idx.len() as u32);
    }
    let mut places = Vec::new();
    for e in mesh.elements() {
        for &i in e {
            for &j in e {
                let start = col_ptr[j as usize] as usize;
                let place =
                    columns[j as usize].binary_search(&i).map_or(NONE, |k| (start + k) as u32);
                places.push(place);
            }
        }
    }
    (col_ptr, row_idx, places)
}
